// run, of experiments that analyse: what they find as text or JSON, tables and pictures into the
// folder, verdicts.
#include "verb/verb.h"

#include "analysis/experiment.h"
#include <stdio.h>

bool is_analysis(const Pipeline *p) {
    return p->experiment && p->experiment->analysis.kind != ANALYSIS_NONE;
}

typedef struct {
    Session *s;
    Pipeline *p;
    const char *folder; // NULL: no files
    Findings f;
    Found *found; // of a search, NULL: none
    TextList written;
    bool failed; // to write
} Task;

bool session_open_start(Session *s, Pipeline *p, LinearPlan *plan, bool *steady) {
    const Experiment *x = p->experiment;
    PipelineOptions rest = {.last = STAGE_SYSTEM};
    bool run = x && (x->analysis.kind == ANALYSIS_NONE || x->analysis.kind == ANALYSIS_POWER);
    *steady = run && x->analysis.steady;
    if (*steady && !analysis_open(p->model, x, &p->arena, plan, &s->report)) return false;
    return pipeline_finish(p, &rest, &s->report);
}

bool session_finish(Session *s, Pipeline *p, RunOptions *o) {
    LinearPlan plan;
    bool steady;
    o->experiment = p->experiment;
    return session_open_start(s, p, &plan, &steady) &&
           (!steady || steady_start(p->system, &plan, o, &p->arena, &s->report));
}

Run *run_with_progress(Session *s, const Pipeline *p, RunOptions *o) {
    progress_begin(s, experiment_label(p));
    o->experiment = p->experiment;
    o->progress = progress_show;
    o->context = s;
    Run *run = run_experiment(p->system, o, &s->report);
    progress_end(s);
    return run;
}

ExitCode session_experiment(Session *s, ExperimentVerb verb) {
    RunOptions o;
    if (!run_options(s, &o)) return EXIT_USAGE;
    Syntax *syntax = session_load(s, session_argument(s, 0));
    if (!syntax) return EXIT_INPUT;
    Pipeline p;
    ExitCode code = EXIT_INPUT;
    if (session_build(&p, s, syntax, session_argument(s, 1), STAGE_MODEL, SYNTAX_STAYS) &&
        session_finish(s, &p, &o))
        code = verb(s, &p, &o);
    pipeline_free(&p);
    return code;
}

// --- a nonlinear response beside it --------------------------------------------------------------

// The file once more: its syntax is used up.
bool run_beside(Session *s, const RunOptions *o, const char *experiment, Arena *out, Beside *b) {
    Pipeline p = {0};
    RunOptions own = *o;
    Syntax *syntax = session_load(s, session_argument(s, 0));
    Run *run = NULL;
    if (syntax && session_build(&p, s, syntax, experiment, STAGE_SYSTEM, SYNTAX_STAYS)) {
        if (p.experiment && p.experiment->sweep.symbol) {
            run = run_with_progress(s, &p, &own);
        } else {
            Remark *m = report_error(&s->report, A_NO_CHANNEL, p.model->pos,
                                     "experiment '%s' has no frequency response", experiment);
            remark_help(&s->report, m,
                        "give it a line frequency u amplitude 0.1 at (1, 10) {Hz} of y");
        }
    }
    bool good = run && run->status == SOLVE_DONE;
    if (good) *b = beside_of(out, p.model, p.experiment, run);
    run_free(run);
    pipeline_free(&p);
    return good;
}

// --- files and words -----------------------------------------------------------------------------

static void write_file(Task *t, FindingsFile which) {
    Text text = {0};
    const char *name = t->folder ? findings_file(&t->f, which, &text) : NULL;
    if (name) {
        const char *path = path_join(&t->s->arena, t->folder, name);
        if (file_write(path, text_get(&text), text.length, &t->s->report))
            array_push(&t->written, path);
        else
            t->failed = true;
    }
    text_free(&text);
}

static void print_all(Task *t) {
    Session *s = t->s;
    const Model *m = t->p->model;
    const Run *run = t->f.run;
    text_printf(&s->out, "model        %s\nexperiment   %s\n", name_text(m->names, m->name),
                name_text(m->names, t->p->experiment->name));
    if (t->found) found_print(&s->out, t->found);
    findings_print(&s->out, &t->f);
    if (run->verdict_count)
        text_printf(&s->out, "expectations %d of %d hold\n", run->verdict_count - run->failed_count,
                    run->verdict_count);
    if (run->verdict_count && (run->failed_count || session_has(s, OPT_VERBOSE)))
        verdicts_print(&s->out, run, t->p->system);
    for (int i = 0; i < t->written.count; i++)
        text_printf(&s->out, "%-12s %s\n", i ? "" : "written", t->written.data[i]);
}

static void tell_json(Task *t, ExitCode code) {
    Session *s = t->s;
    const Model *m = t->p->model;
    Text part = {0};
    json_open(&s->out, '{');
    json_text_of(&s->out, "model", name_text(m->names, m->name));
    json_text_of(&s->out, "experiment", name_text(m->names, t->p->experiment->name));
    findings_json(&s->out, &t->f);
    if (t->found) {
        found_json(&part, t->found);
        json_key(&s->out, "found");
        json_raw(&s->out, text_get(&part));
        text_clear(&part);
    }
    verdicts_json(&part, t->f.run, t->p->system);
    json_key(&s->out, "expectations");
    json_raw(&s->out, text_get(&part));
    text_free(&part);
    json_key(&s->out, "files");
    json_open(&s->out, '[');
    for (int i = 0; i < t->written.count; i++) json_quoted(&s->out, t->written.data[i]);
    json_close(&s->out, ']');
    json_number_of(&s->out, "exit", code);
    json_close(&s->out, '}');
}

static ExitCode finish(Task *t) {
    Session *s = t->s;
    if (t->folder && !folder_make(t->folder, &s->report)) t->folder = NULL, t->failed = true;
    write_file(t, FINDINGS_TABLE);
    if (!session_has(s, OPT_NO_PLOT)) write_file(t, FINDINGS_PICTURE);
    ExitCode code = exit_worse(run_verdict(t->f.run), t->failed ? EXIT_INPUT : EXIT_GOOD);
    if (s->json)
        tell_json(t, code);
    else if (!session_has(s, OPT_QUIET) || t->f.run->failed_count)
        print_all(t);
    session_flush(s);
    return code;
}

// The parameters that it searches for; false: reported.
static bool search_first(Session *s, const Pipeline *p, RunOptions *o, const LinearPlan *plan,
                         const char *file, Found **found) {
    const SearchCase one = {p->system, p->experiment, plan};
    if (!search_wanted(p->experiment)) return true;
    *found = session_search(s, &one, 1, o, file);
    if (*found) found_options(*found, 0, &s->arena, o);
    if (*found && (*found)->interrupted)
        report_warning(&s->report, T_INTERRUPTED, POS_NONE,
                       "the search was interrupted; the same command goes on from there");
    return *found;
}

bool find_all(Session *s, Pipeline *p, RunOptions *o, LinearPlan *plan, Beside *beside, Findings *f,
              const char *file, Found **found) {
    const AnalysisPlan *a = &p->experiment->analysis;
    PipelineOptions rest = {.last = STAGE_SYSTEM};
    o->experiment = p->experiment;
    return analysis_open(p->model, p->experiment, &p->arena, plan, &s->report) &&
           pipeline_finish(p, &rest, &s->report) && search_first(s, p, o, plan, file, found) &&
           (!a->beside || run_beside(s, o, a->beside, &s->arena, beside)) &&
           analysis_perform(p->system, plan, o, a->beside ? beside : NULL, f, &s->report);
}

ExitCode run_analysis(Session *s, Pipeline *p, RunOptions *o, const char *folder) {
    Task t = {.s = s, .p = p, .folder = folder};
    RunOptions own = *o;
    if (p->experiment->analysis.kind == ANALYSIS_POWER)
        return session_finish(s, p, o) ? run_power(s, p, o, folder) : EXIT_INPUT;
    LinearPlan plan;
    Beside beside = {0};
    const char *file = path_join(&s->arena, folder ? folder : ".", "search.part");
    bool good = find_all(s, p, &own, &plan, &beside, &t.f, file, &t.found);
    ExitCode code = good ? finish(&t) : EXIT_INPUT;
    if (t.found && t.found->interrupted) code = exit_worse(code, EXIT_INTERRUPTED);
    array_free(&t.written);
    findings_free(&t.f);
    found_free(t.found);
    return code;
}
