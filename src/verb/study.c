// sweep and montecarlo: one model, many runs with other parameters.
//
//     results/<file>/<experiment>-sweep/runs.csv      one row per run: factors, outcomes
//                                      <signal>_*.svg
#include "verb/verb.h"

#include "base/digest.h"
#include "engine/native_cache.h"
#include "study/study.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_RUNS = 200, MOST_RUNS = 100000000 };
static const double long_seconds = 600, large_bytes = 1e9;

typedef struct {
    Session *s;
    Pipeline p;
    RunOptions options;
    StudyPlan plan;
    LinearPlan point; // where runs begin, if they do at a steady point
    bool steady;
    Ranks ranks; // of mpirun
    Run *nominal;
    Study *study;
} Task;

// --- the plan ------------------------------------------------------------------------------------

static bool read_factors(Task *t) {
    Session *s = t->s;
    int count = s->options.varies.count;
    Factor *f = ARENA_ARRAY(&s->arena, Factor, count);
    bool good = true;
    for (int i = 0; i < count; i++)
        good = factor_read(&s->arena, t->p.model, s->options.varies.data[i], &f[i], &s->report) &&
               good;
    t->plan.factor = f;
    t->plan.factor_count = count;
    return good;
}

static bool wrong_factors(Session *s, const char *what, const char *help) {
    Remark *m = report_error(&s->report, V_NO_FACTOR, POS_NONE, "%s", what);
    remark_help(&s->report, m, "%s", help);
    return false;
}

static bool is_montecarlo(const Session *s) { return strcmp(s->verb->name, "montecarlo") == 0; }

static bool check_factors(Task *t) {
    int drawn = 0;
    for (int i = 0; i < t->plan.factor_count; i++) drawn += t->plan.factor[i].kind != FACTOR_LEVELS;
    if (!t->plan.factor_count)
        return wrong_factors(t->s, "nothing is varied", "add --vary \"k = 10 .. 100 in 10 {N/m}\"");
    if (is_montecarlo(t->s) && !drawn)
        return wrong_factors(t->s, "no factor is random",
                             "add --vary \"k = normal(50, 5) {N/m}\", or take sweep");
    if (!is_montecarlo(t->s) && drawn)
        return wrong_factors(t->s, "a sweep cannot draw at random", "take montecarlo");
    if (!t->plan.random && (session_has(t->s, OPT_RUNS) || session_has(t->s, OPT_SEED)))
        return wrong_factors(t->s, "a sweep makes all combinations",
                             "leave --runs and --seed out, or choose from them with --latin");
    return true;
}

// Numbers are exact up to here; beyond, other seeds would draw the same.
static const double largest_seed = 9007199254740992.0;

static bool seed_option(Session *s, uint64_t *seed) {
    double x = 1;
    if (!option_number(s, OPT_SEED, &x)) return false;
    *seed = x <= largest_seed ? (uint64_t)x : 0;
    if (x == floor(x) && x <= largest_seed) return true;
    report_error(&s->report, T_BAD_VALUE, POS_NONE, "--seed takes a whole number from 0 to 2^53");
    return false;
}

static bool count_option(Session *s, OptionId id, int most, int *value) {
    double x = *value;
    if (!option_number(s, id, &x)) return false;
    if (x >= 1 && x <= most && x == floor(x)) {
        *value = (int)x;
        return true;
    }
    report_error(&s->report, T_BAD_VALUE, POS_NONE, "--%s takes a whole number from 1 to %d",
                 option_info(id)->name, most);
    return false;
}

static bool lanes_option(Session *s, int *lanes) {
    const char *asked = session_value(s, OPT_LANES);
    static const char *const sizes[] = {"1", "2", "4", "8"};
    *lanes = 0;
    for (int i = 0; asked && i < 4; i++)
        if (strcmp(asked, sizes[i]) == 0) *lanes = 1 << i;
    if (!asked || *lanes || strcmp(asked, "auto") == 0) return true;
    report_error(&s->report, T_BAD_VALUE, POS_NONE, "--lanes takes 1, 2, 4, 8 or auto");
    return false;
}

// Every text that was read: the model, what it imports, library, data, robot descriptions, --set.
static void add_sources(Text *key, const Sources *s) {
    for (int i = 1; i <= sources_count(s); i++) {
        size_t length;
        char hex[DIGEST_TEXT + 1];
        const char *text = source_text(s, (uint32_t)i, &length);
        digest(text, length, hex);
        text_printf(key, "%s\n", hex);
    }
}

// The program itself: a version may be built again with other numbers in it.
static void add_program(Text *key) {
    code_identity(key);
    text_char(key, '\n');
    cache_describe_machine(key); // functions of the C library round by the processor's abilities
}

static void add_list(Text *key, const TextList *list) {
    for (int i = 0; i < list->count; i++) text_printf(key, "%s|", list->data[i]);
    text_char(key, '\n');
}

// Everything that a row depends on, beside its number and the seed. The engine is not among it: all
// of them give the same bits.
static const char *study_text(Task *t) {
    Session *s = t->s;
    const RunOptions *o = &t->options;
    Text key = {0};
    add_program(&key);
    add_sources(&key, s->sources);
    text_printf(&key, "%s|%s|%s|%d %d|%.17g|%.17g|%.17g|%.17g|%.17g\n", s->verb->name,
                session_argument(s, 1) ? session_argument(s, 1) : "",
                session_value(s, OPT_MODEL) ? session_value(s, OPT_MODEL) : "", o->solver_given,
                (int)o->solver, o->stop, o->rtol, o->atol, o->max_step, o->min_step);
    add_list(&key, &s->options.sets);
    add_list(&key, &s->options.varies);
    add_list(&key, &s->options.records);
    const char *kept = arena_copy_text(&s->arena, text_get(&key), key.length);
    text_free(&key);
    return kept;
}

static const char *study_folder(Task *t) {
    Session *s = t->s;
    if (session_value(s, OPT_OUT)) return session_value(s, OPT_OUT);
    return arena_printf(&s->arena, "results/%s/%s-%s", path_stem(&s->arena, session_argument(s, 0)),
                        experiment_label(&t->p), s->verb->name);
}

static bool find_point(void *context, RunOptions *o, Arena *room, Report *r) {
    const Task *t = context;
    return steady_start(t->p.system, &t->point, o, room, r);
}

static bool make_plan(Task *t) {
    Session *s = t->s;
    StudyPlan *p = &t->plan;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *p = (StudyPlan){.system = t->p.system,
                     .sources = s->sources,
                     .options = &t->options,
                     .runs = DEFAULT_RUNS,
                     .random = is_montecarlo(s) || session_has(s, OPT_LATIN),
                     .latin = session_has(s, OPT_LATIN),
                     .workers = t->ranks.count || cores < 1 ? 1 : (int)cores,
                     .ranks = t->ranks.count ? &t->ranks : NULL,
                     .begin = t->steady ? find_point : NULL,
                     .begin_context = t,
                     .cancel = s->o->cancel};
    if (!read_factors(t) || !check_factors(t)) return false;
    if (!count_option(s, OPT_JOBS, 256, &p->workers) || !seed_option(s, &p->seed) ||
        !lanes_option(s, &p->lanes))
        return false;
    if (p->random && !count_option(s, OPT_RUNS, MOST_RUNS, &p->runs)) return false;
    if (!p->random) p->runs = study_runs(p);
    if (p->runs < 0 || p->runs > MOST_RUNS)
        return wrong_factors(s, "there are too many combinations",
                             "take fewer values for each factor");
    p->folder = study_folder(t);
    p->key = study_text(t);
    return true;
}

// --- the first run, and what it promises ---------------------------------------------------------

static bool is_meant(Task *t) {
    int workers = t->plan.workers * (t->plan.ranks ? t->plan.ranks->count : 1);
    double seconds = t->nominal->stats.wall_seconds * t->plan.runs / workers;
    double bytes = study_bytes(&t->plan, t->nominal);
    if ((seconds <= long_seconds && bytes <= large_bytes) || session_has(t->s, OPT_YES))
        return true;
    char words[100];
    snprintf(words, sizeof words, "%d runs take about %.2g h and %.2g GB", t->plan.runs,
             seconds / 3600, bytes / 1e9);
    char question[120];
    snprintf(question, sizeof question, "%s: go on?", words);
    if (!t->plan.ranks && session_agrees(t->s, question)) return true;
    Remark *m = report_error(&t->s->report, V_TOO_LONG, POS_NONE, "%s", words);
    remark_help(&t->s->report, m, "add --yes, or take fewer runs, signals (--record) or points");
    return false;
}

static bool run_nominal(Task *t) {
    if (t->steady && !find_point(t, &t->options, &t->s->arena, &t->s->report)) return false;
    t->nominal = run_with_progress(t->s, &t->p, &t->options);
    if (!t->nominal) return false;
    if (t->nominal->status == SOLVE_DONE && t->nominal->results.column_count > 1) return true;
    if (t->nominal->status == SOLVE_DONE)
        wrong_factors(t->s, "nothing is recorded", "add --record \"v.f\"");
    return false;
}

// --- what came out -------------------------------------------------------------------------------

static void print_outcomes(Text *out, const Study *s) {
    text_printf(out, "%-28s %12s %12s %25s %12s %12s\n", "outcome", "mean", "deviation",
                "mean, 95 % between", "least", "most");
    for (int i = 0; i < s->signals && i < 12; i++)
        for (int k = 0; k < OUTCOMES; k++) {
            Summary m = study_summary(s, i, k);
            char name[64];
            snprintf(name, sizeof name, "%s(%s)", outcome_name[k], s->name[i]);
            text_printf(out, "%-28s %12.6g %12.4g %12.6g %12.6g %12.6g %12.6g\n", name, m.mean,
                        m.deviation, m.low, m.high, m.least, m.most);
        }
}

static void print_study(Text *out, const Task *t, const TextList *written) {
    const Study *s = t->study;
    text_printf(out, "runs         %d of %d", s->done, s->runs);
    if (s->kept) text_printf(out, ", %d of them from before", s->kept);
    if (s->failed) text_printf(out, ", %d FAILED", s->failed);
    text_printf(out, ", by %d processes", t->plan.workers);
    if (t->plan.ranks) text_printf(out, " on each of %d ranks", t->plan.ranks->count);
    text_char(out, '\n');
    if (session_has(t->s, OPT_VERBOSE)) text_printf(out, "engine       %s\n", s->engine);
    int all = 0;
    for (int i = 0; i < s->runs; i++)
        all += s->state[i] == RUN_DONE && s->expected[i] == s->expectations;
    if (s->expectations && s->done)
        text_printf(out, "expectations all hold in %d of %d runs\n", all, s->done);
    if (s->done) print_outcomes(out, s);
    for (int i = 0; i < written->count; i++)
        text_printf(out, "%-12s %s\n", i ? "" : "written", written->data[i]);
}

static void json_study(Text *out, const Task *t, const TextList *written) {
    const Study *s = t->study;
    const struct {
        const char *key;
        double value;
    } counts[] = {{"runs", s->runs}, {"done", s->done}, {"failed", s->failed}, {"kept", s->kept}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        json_key(out, counts[i].key);
        json_number(out, counts[i].value);
    }
    json_key(out, "engine");
    json_quoted(out, s->engine);
    json_key(out, "files");
    json_open(out, '[');
    for (int i = 0; i < written->count; i++) json_quoted(out, written->data[i]);
    json_close(out, ']');
}

static bool write_table(Task *t, const Results *table, TextList *written) {
    Session *s = t->s;
    static const char *const name[] = {"runs.csv", "runs.h5", "runs.mat"};
    static bool (*const writer[])(const Results *r, const char *path, Report *report) = {
        results_write_csv, results_write_hdf5, results_write_mat};
    bool h5 = session_has(s, OPT_H5), mat = session_has(s, OPT_MAT), good = true;
    const bool wanted[] = {session_has(s, OPT_CSV) || !(h5 || mat), h5, mat};
    for (int form = 0; form < 3; form++) {
        if (!wanted[form]) continue;
        char *path = path_join(&s->arena, t->plan.folder, name[form]);
        bool made = writer[form](table, path, &s->report);
        if (made) array_push(written, path);
        good = good && made;
    }
    return good;
}

static bool write_all(Task *t, TextList *written) {
    Session *s = t->s;
    Results *table = study_table(t->study, &t->plan);
    bool good = write_table(t, table, written);
    results_free(table);
    Chart *chart;
    int count =
        session_has(s, OPT_NO_PLOT) ? 0 : study_charts(&s->arena, t->study, &t->plan, &chart);
    for (int i = 0; i < count; i++) {
        char *path = path_join(&s->arena, t->plan.folder, chart[i].file);
        bool made = file_write(path, text_get(&chart[i].svg), chart[i].svg.length, &s->report);
        if (made) array_push(written, path);
        good = good && made;
        text_free(&chart[i].svg);
    }
    return good;
}

static ExitCode finish(Task *t) {
    Session *s = t->s;
    Study *study = t->study;
    if (study->failed) {
        Remark *m =
            report_warning(&s->report, V_RUNS_FAILED, POS_NONE, "%d of %d runs failed; run %d: %s",
                           study->failed, study->runs, study->first_failed, study->first_message);
        remark_help(&s->report, m,
                    "they are marked in the table, and left out of means and pictures");
    }
    if (study->interrupted && !study->lost) {
        Remark *m = report_warning(&s->report, T_INTERRUPTED, POS_NONE,
                                   "interrupted: %d of %d runs are made and kept", study->done,
                                   study->runs);
        remark_help(&s->report, m, "the same command goes on from here");
    }
    TextList written = {0};
    bool good = write_all(t, &written);
    if (s->json)
        json_study(&s->out, t, &written);
    else if (!session_has(s, OPT_QUIET))
        print_study(&s->out, t, &written);
    array_free(&written);
    ExitCode code = study->interrupted ? EXIT_INTERRUPTED : study->failed ? EXIT_EARLY : EXIT_GOOD;
    return good ? code : EXIT_INPUT;
}

// Rank 0 asks whether it is meant, writes and speaks; the others compute.
static ExitCode help_rank_0(Task *t) {
    session_flush(t->s);
    if (make_plan(t) && run_nominal(t))
        study_serve(&t->plan, t->nominal);
    else
        study_leave(&t->ranks);
    return EXIT_GOOD;
}

static ExitCode make_study(Task *t) {
    Session *s = t->s;
    if (t->ranks.rank > 0) return help_rank_0(t);
    if (!make_plan(t) || !run_nominal(t) || !is_meant(t)) {
        if (t->ranks.count) study_dismiss(&t->ranks);
        return EXIT_INPUT;
    }
    progress_begin(s, s->verb->name);
    t->plan.progress = progress_show;
    t->plan.context = s;
    progress_show(s, NAN); // from now on an interruption keeps what was computed
    session_flush(s);      // workers must not inherit unwritten text
    t->study = study_run(&t->plan, t->nominal, &s->report);
    progress_end(s);
    ExitCode code = t->study ? finish(t) : EXIT_INPUT;
    study_close(t->study, t->study && t->study->interrupted);
    return code;
}

// Builds the model so that all varied parameters are plain numbers: a parameter given by a formula
// loses it.
static bool build_model(Task *t) {
    Session *s = t->s;
    Syntax *syntax = session_load(s, session_argument(s, 0));
    if (!syntax ||
        !session_build(&t->p, s, syntax, session_argument(s, 1), STAGE_MODEL, SYNTAX_STAYS))
        return false;
    int before = s->options.sets.count;
    for (int i = 0; i < s->options.varies.count; i++) {
        const char *set = factor_release(&s->arena, t->p.model, s->options.varies.data[i]);
        if (set) array_push(&s->options.sets, set);
    }
    bool good = true;
    if (s->options.sets.count > before) {
        pipeline_free(&t->p);
        good = session_build(&t->p, s, syntax, session_argument(s, 1), STAGE_MODEL, SYNTAX_STAYS);
    }
    return good && session_open_start(s, &t->p, &t->point, &t->steady);
}

// Every rank reads the model for itself; what is wrong with it, all find out.
static ExitCode read_and_make(Task *t) {
    Session *s = t->s;
    if (!run_options(s, &t->options)) return EXIT_USAGE;
    if (!build_model(t)) return EXIT_INPUT;
    t->options.experiment = t->p.experiment;
    session_no_search(s, &t->p, "its runs have");
    if (ranks_count() > 1 && !ranks_open(&t->ranks, code_folder(&s->arena), &s->report))
        return EXIT_INPUT;
    return make_study(t);
}

ExitCode verb_study(Session *s) {
    Task t = {.s = s};
    s->silent = ranks_count() > 1 && ranks_number() > 0;
    ExitCode code = read_and_make(&t);
    if (t.ranks.end) t.ranks.end();
    run_free(t.nominal);
    pipeline_free(&t.p);
    return code;
}
