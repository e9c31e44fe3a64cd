// power: where the power of a run goes, element by element and bond by bond, and what hardly
// matters.
#include "verb/verb.h"

#include "analysis/power.h"
#include "page/flow.h"
#include "page/sankey.h"
#include <math.h>
#include <string.h>

// --- efficiency ----------------------------------------------------------------------------------

static const char *flow_name(const void *table, int i) {
    return ((const PowerTable *)table)->flow[i].name;
}

static const PowerFlow *end_of(Session *s, const PowerTable *t, const char *name) {
    const PowerFlow *x = power_find(t, name);
    if (x) return x;
    Remark *m = report_error(&s->report, A_NO_ELEMENT, POS_NONE,
                             "no element called '%s' takes or gives power", name);
    const char *near = nearest_word(name, t->count, flow_name, t);
    if (near)
        remark_help(&s->report, m, "did you mean '%s'?", near);
    else
        remark_help(&s->report, m, "without --efficiency all elements are listed");
    return NULL;
}

// "supply -> load": both names without the spaces around them.
static bool two_names(Session *s, const char **from, const char **to) {
    const char *text = session_value(s, OPT_EFFICIENCY), *arrow = strstr(text, "->");
    if (!arrow) {
        Remark *m =
            report_error(&s->report, A_NO_ELEMENT, POS_NONE,
                         "an efficiency goes from an element to an element, not '%s'", text);
        remark_help(&s->report, m, "for example --efficiency \"supply -> load\"");
        return false;
    }
    size_t before = (size_t)(arrow - text);
    while (before && text[before - 1] == ' ') before--;
    text += strspn(text, " ");
    arrow += 2 + strspn(arrow + 2, " ");
    *from = arena_copy_text(&s->arena, text,
                            before - (size_t)(text - session_value(s, OPT_EFFICIENCY)));
    *to = arena_copy_text(&s->arena, arrow, strcspn(arrow, " "));
    return true;
}

static bool tell_efficiency(Session *s, const PowerTable *t) {
    const char *from = NULL, *to = NULL;
    if (!session_has(s, OPT_EFFICIENCY)) return true;
    if (!two_names(s, &from, &to)) return false;
    const PowerFlow *a = end_of(s, t, from), *b = end_of(s, t, to);
    if (!a || !b) return false;
    double value = power_efficiency(a, b);
    if (!isfinite(value)) {
        Remark *m = report_error(&s->report, A_NO_ELEMENT, POS_NONE,
                                 "'%s' gives no energy: it took %.6g J more than it gave", a->name,
                                 a->into - a->out);
        remark_help(&s->report, m, "name what supplies the energy first");
        return false;
    }
    if (s->json)
        json_number_of(&s->out, "efficiency", value);
    else
        text_printf(&s->out, "efficiency from %s to %s: %.10g (%.6g J of %.6g J)\n", a->name,
                    b->name, value, b->into - b->out, a->out - a->into);
    return true;
}

// --- files ---------------------------------------------------------------------------------------

static bool write_text(Session *s, const char *folder, const char *name, Text *text) {
    const char *path = path_join(&s->arena, folder, name);
    bool good = file_write(path, text_get(text), text->length, &s->report);
    if (good) session_tell_files(s, &path, 1, "");
    text_clear(text);
    return good;
}

typedef struct {
    const PowerPlan *plan;
    PowerTable table;
    PowerPaths paths;
} Told;

static bool write_files(Session *s, const Told *told, const Run *run, const System *system,
                        const char *folder) {
    Text text = {0};
    if (!folder) return true;
    bool good = folder_make(folder, &s->report);
    power_csv(&text, &told->table);
    good = good && write_text(s, folder, "power.csv", &text);
    paths_csv(&text, told->plan, &told->paths);
    good = good && write_text(s, folder, "paths.csv", &text);
    power_svg(&text, &told->table);
    good = good && write_text(s, folder, "power.svg", &text);
    paths_svg(&text, told->plan, &told->paths);
    if (text.length) good = good && write_text(s, folder, "paths.svg", &text);
    flow_svg(&text, &run->audit, system);
    if (text.length) good = good && write_text(s, folder, "flow.svg", &text);
    text_free(&text);
    return good;
}

// --- the verb ------------------------------------------------------------------------------------

static void told_json(Session *s, const Told *told, bool *good) {
    json_key(&s->out, "power");
    json_open(&s->out, '{');
    power_json(&s->out, &told->table);
    paths_json(&s->out, told->plan, &told->paths);
    *good = tell_efficiency(s, &told->table);
    json_close(&s->out, '}');
}

static ExitCode tell_power(Session *s, const Pipeline *p, const PowerPlan *plan, const Run *run,
                           const char *folder) {
    enum { SPARED = 1 }; // %
    Told told = {.plan = plan,
                 .table = power_measure(&s->arena, p->system, plan, run, 0.01 * SPARED),
                 .paths = power_paths(&s->arena, p->system, plan, run)};
    bool good, all = session_has(s, OPT_VERBOSE), tells = !session_has(s, OPT_QUIET);
    if (s->json) {
        told_json(s, &told, &good);
        return good && write_files(s, &told, run, p->system, folder) ? run_verdict(run)
                                                                     : EXIT_INPUT;
    }
    if (tells) power_print(&s->out, &told.table, all);
    if (tells) paths_print(&s->out, plan, &told.paths, all);
    good = tell_efficiency(s, &told.table);
    if (tells && run->verdict_count)
        text_printf(&s->out, "expectations %d of %d hold\n", run->verdict_count - run->failed_count,
                    run->verdict_count);
    if (run->failed_count || all) verdicts_print(&s->out, run, p->system);
    good = good && write_files(s, &told, run, p->system, folder);
    return good ? run_verdict(run) : EXIT_INPUT;
}

static bool has_times(Session *s, const Experiment *x) {
    if (!x || !x->sweep.symbol) return true;
    Remark *remark = report_error(&s->report, A_NO_ELEMENT, x->pos,
                                  "power goes over time: this experiment goes over frequencies");
    remark_help(&s->report, remark, "name another experiment, or --model");
    return false;
}

ExitCode run_power(Session *s, const Pipeline *p, RunOptions *o, const char *folder) {
    if (!has_times(s, p->experiment)) return EXIT_INPUT;
    session_no_search(s, p, "powers are told with");
    PowerPlan plan = power_plan(&s->arena, p->system);
    RunOptions own = *o;
    own.watch = own.integrate = plan.power;
    own.watch_count = own.integrate_count = plan.count;
    own.most_rows = 20000;
    Run *run = run_with_progress(s, p, &own);
    ExitCode code = run ? tell_power(s, p, &plan, run, folder) : EXIT_INPUT;
    run_free(run);
    return code;
}

static ExitCode run_for_power(Session *s, const Pipeline *p, RunOptions *o) {
    return run_power(s, p, o, session_value(s, OPT_OUT));
}

ExitCode verb_power(Session *s) { return session_experiment(s, run_for_power); }
