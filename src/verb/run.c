// run: experiments from file to results.
//
//     results/<file>/<experiment>/results.csv   recorded variables (or results.h5, results.mat)
//                                 <plot>.svg    one per `plot`
#include "verb/verb.h"

#include "analysis/span.h"
#include "optimise/optimise.h"
#include "sensitivity/tornado.h"
#include <math.h>
#include <string.h>

enum { MOST_WRITERS = 3 };

typedef struct { // one experiment on its way
    Session *s;
    const Pipeline *p;
    const Run *run;
    const char *folder;
    ResultWriter *writer[MOST_WRITERS]; // of the rows, as they come
    const char *path[MOST_WRITERS];
    int writers;
    TextList written; // paths
    bool write_failed;
    const Found *found; // of a search, NULL: none
    Text sensitivity;   // in words, or JSON
    double span;        // of the run, where the model tells it; 0: an experiment or an option does
} Task;

TextList experiment_names(const Syntax *syntax) {
    TextList list = {0};
    for (const AstClass *c = syntax->files->classes; c; c = c->next)
        if (c->kind == CLASS_EXPERIMENT) array_push(&list, name_text(syntax->names, c->name));
    return list;
}

// --- options -------------------------------------------------------------------------------------

static bool option_solver(Session *s, RunOptions *o) {
    const char *asked = session_value(s, OPT_SOLVER), *name[SOLVER_COUNT + 1] = {SOLVER_AUTO_TOO};
    if (!asked) return true;
    o->solver_given = solver_named(asked, &o->solver);
    if (o->solver_given) return true;
    Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "there is no solver '%s'", asked);
    for (int i = 0; i < SOLVER_COUNT; i++) name[i + 1] = solver_name((SolverKind)i);
    const char *near = nearest_text(asked, name, SOLVER_COUNT + 1);
    Arena tmp = {0};
    if (near)
        remark_help(&s->report, m, "did you mean '%s'?", near);
    else
        remark_help(&s->report, m, "the solvers are %s", solver_list(&tmp));
    arena_free(&tmp);
    return false;
}

static bool option_engine(Session *s, RunOptions *o) {
    static const char *const name[] = {"auto", "vm", "native"};
    static const EngineKind kinds[] = {ENGINE_AUTO, ENGINE_VM, ENGINE_NATIVE};
    const char *asked = session_value(s, OPT_ENGINE);
    if (!asked) return true;
    for (int i = 0; i < 3; i++) {
        if (strcmp(asked, name[i]) != 0) continue;
        o->engine = kinds[i];
        return true;
    }
    Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "there is no engine '%s'", asked);
    remark_help(&s->report, m, "take auto, vm or native");
    return false;
}

// Below, rounding is larger; from 1 on, a value may be anything.
static bool option_rtol(Session *s, RunOptions *o) {
    static const double least = 1e-15;
    if (!option_number(s, OPT_RTOL, &o->rtol)) return false;
    if (!session_has(s, OPT_RTOL) || (o->rtol >= least && o->rtol < 1)) return true;
    Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "'%s' is no value for '--rtol'",
                             session_value(s, OPT_RTOL));
    remark_help(&s->report, m, "give a number from 1e-15 to below 1, like 1e-6");
    return false;
}

bool run_options(Session *s, RunOptions *o) {
    *o = (RunOptions){.record = s->options.records.data,
                      .record_count = s->options.records.count,
                      .cancel = s->o->cancel};
    bool good = option_solver(s, o);
    good = option_engine(s, o) && good;
    good = option_seconds(s, OPT_STOP, &o->stop) && good;
    good = option_rtol(s, o) && good;
    good = option_number(s, OPT_ATOL, &o->atol) && good;
    good = option_seconds(s, OPT_MAX_STEP, &o->max_step) && good;
    return option_seconds(s, OPT_MIN_STEP, &o->min_step) && good;
}

// --- files ---------------------------------------------------------------------------------------

static void keep_written(Task *t, bool good, const char *path) {
    if (good)
        array_push(&t->written, path);
    else
        t->write_failed = true;
}

static bool add_writer(Task *t, const char *name,
                       ResultWriter *(*open)(const char *path, Report *r)) {
    const char *path = t->path[t->writers] = path_join(&t->s->arena, t->folder, name);
    ResultWriter *w = t->writer[t->writers] = open(path, &t->s->report);
    if (w) t->writers++;
    return w != NULL;
}

// A place that cannot be written to is heard of before the run, not after it.
static bool open_files(Task *t) {
    Session *s = t->s;
    bool h5 = session_has(s, OPT_H5), mat = session_has(s, OPT_MAT), good = true;
    bool csv = session_has(s, OPT_CSV) || !(h5 || mat);
    if (!folder_make(t->folder, &s->report)) return false;
    if (csv) good = add_writer(t, "results.csv", csv_open);
    if (h5) good = add_writer(t, "results.h5", hdf5_open) && good;
    if (mat) good = add_writer(t, "results.mat", mat_open) && good;
    return good;
}

static Results with_source(const Task *t, const Results *block) {
    Results r = *block;
    r.source = session_argument(t->s, 0);
    return r;
}

static bool take_rows(void *task, const Results *block) {
    Task *t = task;
    Results r = with_source(t, block);
    bool good = true;
    for (int i = 0; i < t->writers; i++) good = writer_add(t->writer[i], &r, &t->s->report) && good;
    return good;
}

// Closes the files. If the run could not start, they are removed.
static void close_files(Task *t) {
    static const Results nothing = {0};
    Results r = with_source(t, t->run ? &t->run->results : &nothing);
    for (int i = 0; i < t->writers; i++) {
        if (t->run)
            keep_written(t, writer_close(t->writer[i], &r, &t->s->report), t->path[i]);
        else
            writer_discard(t->writer[i]);
    }
    t->writers = 0;
}

static void write_plots(Task *t, const char *folder) {
    for (int i = 0; i < t->run->plot_count; i++) {
        Text svg = {0};
        plot_svg(&svg, &t->run->plot[i]);
        char *name = arena_printf(&t->s->arena, "%s.svg", t->run->plot_name[i]);
        char *path = path_join(&t->s->arena, folder, name);
        keep_written(t, file_write(path, text_get(&svg), svg.length, &t->s->report), path);
        text_free(&svg);
    }
}

static const char *experiment_name(const Pipeline *p) {
    return p->experiment ? name_text(p->model->names, p->experiment->name) : "";
}

const char *experiment_label(const Pipeline *p) {
    const Model *m = p->model;
    const char *name = experiment_name(p);
    return *name ? name : name_text(m->names, m->name);
}

static char *result_folder(Session *s, const Pipeline *p, bool several) {
    const char *out = session_value(s, OPT_OUT), *label = experiment_label(p);
    if (out) return several ? path_join(&s->arena, out, label) : (char *)out;
    return arena_printf(&s->arena, "results/%s/%s", path_stem(&s->arena, session_argument(s, 0)),
                        label);
}

// --- summary -------------------------------------------------------------------------------------

static void print_expectations(Text *t, const Task *k, bool all) {
    const Run *run = k->run;
    if (!run->verdict_count) return;
    text_printf(t, "expectations %d of %d hold\n", run->verdict_count - run->failed_count,
                run->verdict_count);
    if (all || run->failed_count) verdicts_print(t, run, k->p->system);
}

static void print_audit(Text *t, const Task *k, bool table) {
    const Audit *a = &k->run->audit;
    if (k->run->audit.off) {
        text_add(t, "energy       not audited\n");
        return;
    }
    if (!isfinite(a->relative)) {
        text_add(t, "energy       NOT BALANCED: the sums are beyond the range of numbers\n");
        return;
    }
    text_printf(t, "energy       supplied %.6g J, ", a->supplied);
    if (a->returned > 0) text_printf(t, "returned %.6g J, ", a->returned);
    text_printf(t, "dissipated %.6g J, stored %.6g J; residual %.3g J (%.2g of it): %s\n",
                a->dissipated, a->stored, a->residual, a->relative,
                a->pass ? "balanced" : "NOT BALANCED");
    if (!a->pass && a->worst >= 0) {
        const Model *m = k->p->model;
        text_printf(t, "             look at '%s'", name_text(m->names, m->comp[a->worst].path));
        if (a->worst_junction >= 0)
            text_printf(t, " beside junction '%s'",
                        name_text(m->names, m->comp[a->worst_junction].path));
        text_printf(t, " first: its own balance is the worst; %s\n",
                    a->cause == CAUSE_LAW ? "its law makes or loses energy"
                                          : "the integration lost or made the energy");
    }
    if (table) audit_print(t, a, k->p->system);
}

static void print_times(Text *t, const Task *k) {
    const SolveStats *st = &k->run->stats;
    text_printf(t, "solver       %s, ", solver_name(st->changes ? st->first : st->method));
    text_add(t, st->course);
    if (st->changes > 3) text_printf(t, "... (%d changes), ", st->changes);
    text_printf(t, "%ld steps", st->steps);
    if (st->rejected) text_printf(t, " (%ld rejected)", st->rejected);
    text_printf(t, ", %ld evaluations", st->derivative_calls);
    if (st->events) text_printf(t, ", %ld event%s", st->events, st->events == 1 ? "" : "s");
    if (st->choices)
        text_printf(t, ", states chosen anew %ld time%s", st->choices, st->choices == 1 ? "" : "s");
    if (st->start_steps && session_has(k->s, OPT_VERBOSE))
        text_printf(t, "; start values found by continuation in %d steps", st->start_steps);
    if (st->why && *st->why && session_has(k->s, OPT_VERBOSE)) text_printf(t, "; %s", st->why);
    if (*st->step_limits && session_has(k->s, OPT_VERBOSE))
        text_printf(t, "\nsteps        %s", st->step_limits);
    if (session_has(k->s, OPT_VERBOSE)) text_printf(t, "\nengine       %s", st->engine);
    text_printf(t, "\ntime         %.3g s for %ld points", st->wall_seconds, k->run->rows);
    if (k->run->status != SOLVE_DONE)
        text_printf(t, "; %s at time %.9g",
                    k->run->status == SOLVE_FAILED ? "ENDED EARLY" : "INTERRUPTED", st->reached);
    if (st->ended) text_printf(t, "; the model ended it at time %.9g: %s", st->reached, st->ended);
    text_char(t, '\n');
}

// Inertias that nobody should look for mistakes in are named once.
static void print_published(Text *t, const Model *m) {
    int count = 0;
    for (int i = 0; i < m->mechanism_count; i++)
        for (int k = 0; k < m->mechanism[i].body_count; k++)
            if (m->mechanism[i].body[k].published)
                text_printf(t, "%s%s", count++ ? ", " : "inertias     as published: ",
                            name_text(m->names, m->mechanism[i].body[k].name));
    if (count) text_char(t, '\n');
}

static void print_summary(Text *t, const Task *k) {
    const Model *m = k->p->model;
    bool verbose = session_has(k->s, OPT_VERBOSE);
    text_printf(t, "model        %s", name_text(m->names, m->name));
    if (*name_text(m->names, m->text)) text_printf(t, ", %s", name_text(m->names, m->text));
    text_char(t, '\n');
    if (*experiment_name(k->p)) {
        text_printf(t, "experiment   %s", experiment_name(k->p));
        const char *text = name_text(m->names, k->p->experiment->text);
        text_printf(t, "%s%s\n", *text ? ", " : "", text);
    }
    if (k->span > 0)
        text_printf(
            t, "stop         %g s, by the slowest poles at the start: no experiment says when\n",
            k->span);
    text_printf(t, "states       %d\n", k->p->system->state_count);
    for (int i = 0; verbose && i < m->mechanism_count; i++)
        if (m->mechanism[i].chosen)
            text_printf(t, "form         velocities (lagrange) for %s: it falls as a whole\n",
                        name_text(m->names, m->comp[m->mechanism[i].comp].path));
    print_published(t, m);
    print_times(t, k);
    print_audit(t, k, verbose);
    if (k->found) found_print(t, k->found);
    text_add(t, text_get(&k->sensitivity));
    print_expectations(t, k, verbose);
    for (int i = 0; i < k->written.count; i++)
        text_printf(t, "%-12s %s\n", i ? "" : "written", k->written.data[i]);
}

// --- summary as JSON -----------------------------------------------------------------------------

static void add_json(Text *t, const char *key, Text *value) {
    json_key(t, key);
    json_raw(t, text_get(value));
    text_clear(value);
}

static void stats_json(Text *t, const Task *k) {
    static const char *const status[] = {"done", "interrupted", "failed"};
    const SolveStats *st = &k->run->stats;
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"states", k->p->system->state_count},
                   {"steps", (double)st->steps},
                   {"rejected", (double)st->rejected},
                   {"evaluations", (double)st->derivative_calls},
                   {"jacobians", (double)st->jacobian_calls},
                   {"events", (double)st->events},
                   {"choices", (double)st->choices},
                   {"reached", st->reached},
                   {"seconds", st->wall_seconds},
                   {"rows", (double)k->run->rows},
                   {"columns", k->run->results.column_count}};
    json_text_of(t, "status", status[k->run->status]);
    json_text_of(t, "solver", solver_name(st->method));
    json_text_of(t, "engine", st->engine);
    if (st->ended) json_text_of(t, "ended", st->ended);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        json_number_of(t, numbers[i].key, numbers[i].value);
    }
}

static void summary_json(Text *t, const Task *k, ExitCode code) {
    const Model *m = k->p->model;
    json_open(t, '{');
    json_text_of(t, "model", name_text(m->names, m->name));
    json_text_of(t, "experiment", experiment_name(k->p));
    stats_json(t, k);
    Text part = {0};
    if (!k->run->audit.off) {
        audit_json(&part, &k->run->audit, k->p->system);
        add_json(t, "audit", &part);
    }
    if (k->found) {
        found_json(&part, k->found);
        add_json(t, "found", &part);
    }
    if (k->sensitivity.length) {
        json_key(t, "sensitivity");
        json_raw(t, text_get(&k->sensitivity));
    }
    verdicts_json(&part, k->run, k->p->system);
    add_json(t, "expectations", &part);
    text_free(&part);
    json_key(t, "files");
    json_open(t, '[');
    for (int i = 0; i < k->written.count; i++) json_quoted(t, k->written.data[i]);
    json_close(t, ']');
    json_number_of(t, "exit", code);
    json_close(t, '}');
}

// --- running -------------------------------------------------------------------------------------

ExitCode run_verdict(const Run *run) {
    ExitCode code = EXIT_GOOD;
    if (run->status == SOLVE_CANCELLED && !run->rows_lost)
        code = exit_worse(code, EXIT_INTERRUPTED);
    if (run->status == SOLVE_FAILED || run->not_finite) code = exit_worse(code, EXIT_EARLY);
    if (run->failed_count) code = exit_worse(code, EXIT_EXPECT);
    if (!run->audit.pass && !run->audit.off) code = exit_worse(code, EXIT_AUDIT);
    return code;
}

static ExitCode verdict_of(const Task *k) {
    return exit_worse(run_verdict(k->run), k->write_failed ? EXIT_INPUT : EXIT_GOOD);
}

// The user wants quiet, but not about this.
static void warn_of_expectations(const Task *k) {
    Text text = {0};
    verdicts_print(&text, k->run, k->p->system);
    session_aside(k->s, text_get(&text));
    text_free(&text);
}

static void finish(Task *k) {
    Session *s = k->s;
    close_files(k);
    if (!session_has(s, OPT_NO_PLOT)) write_plots(k, k->folder);
    ExitCode code = verdict_of(k);
    if (code == EXIT_INTERRUPTED)
        report_warning(&s->report, T_INTERRUPTED, POS_NONE,
                       "interrupted at time %.9g; what was computed is kept and marked incomplete",
                       k->run->stats.reached);
    if (s->json)
        summary_json(&s->out, k, code);
    else if (!session_has(s, OPT_QUIET))
        print_summary(&s->out, k);
    else if (k->run->failed_count)
        warn_of_expectations(k);
    session_flush(s);
}

// What comes before the run itself: the parameters that are looked for, and derivatives. False: reported.
static bool look_first(Task *k, RunOptions *own, Found **found, const Found *given, int system) {
    Session *s = k->s;
    if (!given && search_wanted(k->p->experiment)) {
        SearchCase one = {k->p->system, k->p->experiment, NULL};
        given = *found =
            session_search(s, &one, 1, own, path_join(&s->arena, k->folder, "search.part"));
        if (!given) return false;
    }
    k->found = *found;
    if (given) found_options(given, system, &s->arena, own);
    if (given && given->interrupted)
        report_warning(&s->report, T_INTERRUPTED, POS_NONE,
                       "the search was interrupted; the same command goes on from there");
    if (given && !session_fit_pictures(s, given, system, k->folder, &k->written)) return false;
    return !sensitivity_wanted(k->p->experiment) ||
           session_sensitivity(s, k->p->system, own, k->folder, &k->written, &k->sensitivity);
}

typedef struct { // what was found for several experiments together, and the place of one of them
    const Found *found;
    int system;
} Given;

static ExitCode run_one(Session *s, Syntax *syntax, const char *experiment, SyntaxLife life,
                        RunOptions *o, bool several, Given given) {
    Pipeline p;
    ExitCode code = EXIT_INPUT;
    Found *found = NULL;
    progress_prepare(s);
    RunOptions own = *o;
    bool built = session_build(&p, s, syntax, experiment, STAGE_MODEL, life);
    if (built && is_analysis(&p)) {
        code = run_analysis(s, &p, o, result_folder(s, &p, several));
    } else if (built && session_finish(s, &p, &own)) {
        Task task = {.s = s, .p = &p, .folder = result_folder(s, &p, several)};
        if (!p.experiment && own.stop == 0) own.stop = task.span = natural_span(p.system, &own);
        bool ready = look_first(&task, &own, &found, given.found, given.system);
        own.rows = take_rows;
        own.rows_context = &task;
        ready = ready && open_files(&task);
        if (ready && !session_has(s, OPT_H5)) own.rows_room = folder_room(task.folder);
        Run *run = ready ? run_with_progress(s, &p, &own) : NULL;
        task.run = run;
        if (run) {
            finish(&task);
            code = verdict_of(&task);
        } else {
            close_files(&task);
        }
        if (found && found->interrupted) code = exit_worse(code, EXIT_INTERRUPTED);
        array_free(&task.written);
        text_free(&task.sensitivity);
        run_free(run);
    }
    found_free(found);
    pipeline_free(&p);
    return code;
}

ExitCode run_selftest(Session *s, Syntax *syntax, const char *experiment) {
    Pipeline p;
    RunOptions o;
    ExitCode code = EXIT_INPUT;
    bool built =
        session_build(&p, s, syntax, experiment, STAGE_MODEL, SYNTAX_STAYS) && run_options(s, &o);
    if (built && is_analysis(&p)) {
        code = run_analysis(s, &p, &o, NULL);
    } else if (built && session_finish(s, &p, &o)) {
        Run *run = run_with_progress(s, &p, &o);
        if (run) {
            Task task = {.s = s, .p = &p, .run = run};
            code = verdict_of(&task);
            if (!s->json && run->failed_count) print_expectations(&s->out, &task, false);
            run_free(run);
        }
    }
    pipeline_free(&p);
    return code;
}

// Which experiments: those named, all, or (NULL) the one that the language picks.
static TextList choose_experiments(Session *s, const Syntax *syntax) {
    TextList all = experiment_names(syntax), chosen = {0};
    if (session_has(s, OPT_ALL)) {
        if (!all.count) {
            Remark *m = report_error(&s->report, T_NO_EXPERIMENT, POS_NONE,
                                     "'%s' has no experiment", session_argument(s, 0));
            remark_help(&s->report, m, "write one, or leave --all out: the last model runs then");
        }
        return all;
    }
    for (int i = 1; session_argument(s, i); i++) array_push(&chosen, session_argument(s, i));
    if (!chosen.count) array_push(&chosen, NULL);
    if (!chosen.data[0] && all.count > 1 && !session_has(s, OPT_MODEL) && !s->json &&
        !session_has(s, OPT_QUIET))
        session_aside(s, arena_printf(&s->arena,
                                      "running the first of %d experiments; name others, or --all "
                                      "for all\n",
                                      all.count));
    array_free(&all);
    return chosen;
}

typedef ExitCode (*ChosenVerb)(Session *s, Syntax *syntax, const TextList *chosen, RunOptions *o);

// Calls a verb for each chosen experiment; in JSON the answers form an array.
static ExitCode with_experiments(Session *s, ChosenVerb verb) {
    RunOptions o;
    if (!run_options(s, &o)) return EXIT_USAGE;
    Syntax *syntax = session_load(s, session_argument(s, 0));
    if (!syntax) return EXIT_INPUT;
    TextList chosen = choose_experiments(s, syntax);
    if (s->json) {
        json_key(&s->out, "runs");
        json_open(&s->out, '[');
    }
    ExitCode code = chosen.count ? verb(s, syntax, &chosen, &o) : EXIT_INPUT;
    if (s->json) json_close(&s->out, ']');
    array_free(&chosen);
    return code;
}

static ExitCode run_chosen(Session *s, Syntax *syntax, const TextList *chosen, RunOptions *o) {
    ExitCode code = EXIT_GOOD;
    for (int i = 0; i < chosen->count && code != EXIT_INTERRUPTED; i++) {
        if (i && !s->json && !session_has(s, OPT_QUIET)) text_char(&s->out, '\n');
        SyntaxLife life = i + 1 < chosen->count ? SYNTAX_STAYS : SYNTAX_FOR_ONCE;
        code = exit_worse(
            code, run_one(s, syntax, chosen->data[i], life, o, chosen->count > 1, (Given){0}));
    }
    return code;
}

ExitCode verb_run(Session *s) {
    if (session_has(s, OPT_REPLAY)) {
        Remark *m = report_error(&s->report, T_RECORDING, POS_NONE,
                                 "drives are replayed by the program `bondyn`");
        remark_help(&s->report, m, "call bd_start and bd_advance as the recording says");
        return EXIT_USAGE;
    }
    return with_experiments(s, run_chosen);
}

// --- optimize, fit, sensitivity ------------------------------------------------------------------

// The experiment must have what the verb is for.
static bool suits(Session *s, const Pipeline *p) {
    const char *verb = s->verb->name;
    const Experiment *x = p->experiment;
    const Aims *a = x ? &x->aims : NULL;
    bool good = a && (strcmp(verb, "optimize") == 0 ? a->objective != 0
                      : strcmp(verb, "fit") == 0    ? a->fit_count > 0
                                                    : sensitivity_wanted(x));
    if (good) return true;
    const char *line = strcmp(verb, "optimize") == 0
                           ? "minimise integral(x^2), and over k from 1 to 10"
                       : strcmp(verb, "fit") == 0 ? "fit x to measured(time), and over k"
                                                  : "sensitivity x to k";
    Remark *r = report_error(&s->report, O_NOTHING_WANTED, x ? x->pos : p->model->pos,
                             "'%s' does not say what to %s", experiment_label(p),
                             strcmp(verb, "sensitivity") == 0 ? "look at" : verb);
    remark_help(&s->report, r, "add lines such as %s, or name another experiment", line);
    return false;
}

// Fits of several experiments share their parameters.
static ExitCode fit_together(Session *s, Syntax *syntax, const TextList *chosen, RunOptions *o) {
    int count = chosen->count;
    Pipeline *p = ARENA_ARRAY(&s->arena, Pipeline, count);
    SearchCase *cases = ARENA_ARRAY(&s->arena, SearchCase, count);
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        good = session_build(&p[i], s, syntax, chosen->data[i], STAGE_SYSTEM, SYNTAX_STAYS) &&
               suits(s, &p[i]);
        cases[i] = (SearchCase){p[i].system, p[i].experiment, NULL};
    }
    char *folder = good ? path_folder(&s->arena, result_folder(s, &p[0], true)) : NULL;
    char *file = good ? path_join(&s->arena, folder, "search.part") : NULL;
    Found *found = good ? session_search(s, cases, count, o, file) : NULL;
    ExitCode code = found ? EXIT_GOOD : EXIT_INPUT;
    if (found && !s->json) found_print(&s->out, found);
    for (int i = 0; i < count && found; i++) {
        if (!s->json && !session_has(s, OPT_QUIET)) text_char(&s->out, '\n');
        code = exit_worse(
            code, run_one(s, syntax, chosen->data[i], SYNTAX_STAYS, o, true, (Given){found, i}));
    }
    found_free(found);
    for (int i = 0; i < count; i++) pipeline_free(&p[i]);
    return code;
}

static ExitCode search_alone(Session *s, Syntax *syntax, const char *experiment, RunOptions *o,
                             bool several) {
    Pipeline p;
    bool good = session_build(&p, s, syntax, experiment, STAGE_MODEL, SYNTAX_STAYS) && suits(s, &p);
    pipeline_free(&p);
    if (!good) return EXIT_INPUT;
    return run_one(s, syntax, experiment, SYNTAX_STAYS, o, several, (Given){0});
}

static ExitCode search_chosen(Session *s, Syntax *syntax, const TextList *chosen, RunOptions *o) {
    if (chosen->count > 1 && strcmp(s->verb->name, "fit") == 0)
        return fit_together(s, syntax, chosen, o);
    ExitCode code = EXIT_GOOD;
    for (int i = 0; i < chosen->count && code != EXIT_INTERRUPTED; i++)
        code = exit_worse(code, search_alone(s, syntax, chosen->data[i], o, chosen->count > 1));
    return code;
}

ExitCode verb_search(Session *s) { return with_experiments(s, search_chosen); }
