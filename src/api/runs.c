// Whole runs.
#include "api/handles.h"

#include "base/memory.h"
#include "page/report.h"
#include <math.h>
#include <string.h>

BdRun *run_new(const BdModel *m) {
    BdRun *run = memory_zeroed(1, sizeof *run);
    run->of = m;
    copy_open(&run->copy, m);
    return run;
}

void bd_run_free(BdRun *run) {
    if (!run) return;
    by_hand_free(run->by_hand);
    if (run->pieces) run->run = NULL; // it is theirs
    pieces_free(run->pieces);
    run_free(run->run);
    copy_close(&run->copy);
    arena_free(&run->arena);
    free(run);
}

BdRows rows_of(Arena *out, const Results *r) {
    const char **name = ARENA_ARRAY(out, const char *, r->column_count);
    const char **unit = ARENA_ARRAY(out, const char *, r->column_count);
    const double **value = ARENA_ARRAY(out, const double *, r->column_count);
    for (int c = 0; c < r->column_count; c++) {
        name[c] = r->column[c].name;
        unit[c] = r->column[c].unit;
        value[c] = r->column[c].value;
    }
    return (BdRows){r->column_count, name, unit, r->row_count, value};
}

// --- callbacks -----------------------------------------------------------------------------------

bool hand_on_rows(void *context, const Results *block) {
    const Calls *c = context;
    Arena tmp = {0};
    BdRows rows = rows_of(&tmp, block);
    bool good = c->o->rows(c->o->context, &rows);
    arena_free(&tmp);
    return good;
}

static void hand_on_progress(void *context, double fraction) {
    Calls *c = context;
    if (!c->o->progress(c->o->context, fraction)) c->cancel = 1;
}

static void hand_on_messages(const BdRunOptions *o, const BdReport *r, int first) {
    for (int i = first; o->message && i < r->message.count; i++)
        o->message(o->context, &r->message.data[i]);
}

void calls_put(Calls *c, RunOptions *to) {
    if (c->o->rows) {
        to->rows = hand_on_rows;
        to->rows_context = c;
    }
    if (c->o->progress) {
        to->progress = hand_on_progress;
        to->context = c;
    }
    to->cancel = &c->cancel;
}

void run_tell(const BdModel *m, const BdRunOptions *o, Report *report, BdReport *r) {
    BdReport own = {0};
    BdReport *to = r ? r : &own;
    int first = to->message.count;
    report_hand_over(report, m->sources, to);
    hand_on_messages(o, to, first);
    bd_report_clear(&own);
}

// --- running -------------------------------------------------------------------------------------

static Run *run_calling(BdRun *run, Calls *calls, Report *report) {
    RunOptions options;
    if (!run_options_from(run->of, calls->o, &run->arena, &options, report)) return NULL;
    calls_put(calls, &options);
    Run *result = run_experiment(&run->copy.system, &options, report);
    if (result && options.rows && result->results.row_count) hand_on_rows(calls, &result->results);
    return result;
}

BdRun *bd_run(const BdModel *m, const BdRunOptions *o, BdReport *r) {
    static const BdRunOptions nothing = {0};
    if (!o) o = &nothing;
    BdRun *run = run_new(m);
    Report report = {0};
    Calls calls = {o, 0};
    run->run = run_calling(run, &calls, &report);
    run_tell(m, o, &report, r);
    if (!run->run) {
        bd_run_free(run);
        return NULL;
    }
    run->rows = rows_of(&run->arena, &run->run->results);
    if (o->rows) run->rows.rows = 0; // they have gone to the caller
    return run;
}

// The page of a run, and of a second one for its powers.
static void make_page(BdRun *run, const BdRunOptions *o, const Meshes *meshes, Report *report,
                      Text *html) {
    const System *system = &run->copy.system;
    Calls calls = {o, 0};
    RunOptions options;
    if (!run_options_from(run->of, o, &run->arena, &options, report)) return;
    ReportPlan plan = report_plan(&run->arena, &run->copy.model);
    calls_put(&calls, &options);
    options.rows = NULL;
    report_options(&plan, &options);
    run->run = run_experiment(system, &options, report);
    if (run->run) {
        PagePower power = page_power(&run->arena, system, &options, run->run);
        ReportPage page = {.system = system,
                           .experiment = options.experiment,
                           .run = run->run,
                           .plan = &plan,
                           .power = &power,
                           .meshes = meshes,
                           .source = run->of->source};
        report_html(html, &page);
        page_power_free(&power);
    }
    report_plan_free(&plan);
}

char *bd_page(const BdModel *m, const BdRunOptions *o, BdReport *r) {
    static const BdRunOptions nothing = {0};
    if (!o) o = &nothing;
    BdRun *run = run_new(m);
    Report report = {0};
    Sources *sources = sources_copy(m->sources); // files of meshes are added
    Meshes meshes = meshes_load(&run->arena, &run->copy.model, sources, &report);
    Text html = {0};
    make_page(run, o, &meshes, &report, &html);
    run_tell(m, o, &report, r);
    sources_free(sources);
    bd_run_free(run);
    return html.data;
}

// --- results -------------------------------------------------------------------------------------

BdStatus bd_status(const BdRun *run) {
    if (!run->run) return BD_DONE;
    if (run->pieces && pieces_status(run->pieces) == BD_GOING) return BD_GOING;
    switch (run->run->status) {
    case SOLVE_DONE: return run->run->not_finite ? BD_ENDED_EARLY : BD_DONE;
    case SOLVE_CANCELLED: return BD_CANCELLED;
    case SOLVE_FAILED:
    case SOLVE_REFUSED:
    case SOLVE_SWITCH:
    case SOLVE_CHANGE:
    case SOLVE_ANEW:
    case SOLVE_ENDED: break;
    }
    return BD_ENDED_EARLY;
}

const BdRows *bd_rows(const BdRun *run) { return &run->rows; }

const double *bd_column(const BdRun *run, const char *name) {
    bool kept = run->rows.value != NULL; // a run that is driven by hand keeps no rows
    for (int c = 0; name && kept && c < run->rows.columns; c++)
        if (strcmp(run->rows.name[c], name) == 0) return run->rows.value[c];
    return NULL;
}

double bd_final(const BdRun *run, const char *name) {
    const double *column = bd_column(run, name);
    return column && run->rows.rows ? column[run->rows.rows - 1] : NAN;
}

BdSummary bd_summary(const BdRun *run) {
    BdSummary s = {.solver = "",
                   .supplied = NAN,
                   .dissipated = NAN,
                   .stored = NAN,
                   .residual = NAN,
                   .balanced = true};
    const Run *x = run->run;
    if (!x) return s;
    s.solver = solver_name(x->stats.method);
    s.steps = x->stats.steps;
    s.evaluations = x->stats.derivative_calls;
    s.events = x->stats.events;
    s.reached = x->stats.reached;
    s.expectations = x->verdict_count;
    s.failed = x->failed_count;
    if (x->audit.off) return s;
    s.supplied = x->audit.supplied;
    s.dissipated = x->audit.dissipated;
    s.stored = x->audit.stored;
    s.residual = x->audit.residual;
    s.balanced = x->audit.pass;
    return s;
}
