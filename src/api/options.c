// Options of a run: names become numbers, wrong ones are reported.
#include "api/handles.h"

#include <string.h>

BdRunOptions bd_default_run_options(void) { return (BdRunOptions){0}; }

static bool find_solver(const char *name, RunOptions *to, Report *r) {
    if (!name) return true;
    to->solver_given = true;
    if (solver_named(name, &to->solver)) return true;
    Remark *m = report_error(r, T_BAD_VALUE, POS_NONE, "there is no solver '%s'", name);
    remark_help(r, m, "'auto' chooses one; docs/language.md lists them");
    return false;
}

static bool find_engine(const char *name, RunOptions *to, Report *r) {
    static const char *const known[] = {
        [ENGINE_AUTO] = "auto", [ENGINE_VM] = "vm", [ENGINE_NATIVE] = "native"};
    if (!name) return true;
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, known[i]) != 0) continue;
        to->engine = (EngineKind)i;
        return true;
    }
    Remark *m = report_error(r, T_BAD_VALUE, POS_NONE, "there is no engine '%s'", name);
    remark_help(r, m, "take auto, vm or native");
    return false;
}

int settable_parameter(const BdModel *m, const char *name, Report *r) {
    const Model *model = m->p.model;
    int var = name ? model_find(model, name) : -1;
    if (var >= 0 && is_settable(model, &model->var[var])) return var;
    bool known = var >= 0 && model->var[var].kind == VAR_PARAM;
    Remark *x = report_error(r, known ? V_FIXED_PARAMETER : V_NO_PARAMETER, POS_NONE,
                             known ? "the parameter '%s' cannot change between runs"
                                   : "the model has no parameter '%s'",
                             name ? name : "");
    remark_help(
        r, x,
        known
            ? "it decides the structure or is computed from others: set it when the model is loaded"
            : "bd_variable lists the parameters");
    return -1;
}

static bool find_settings(const BdModel *m, const BdRunOptions *o, Arena *out, RunOptions *to,
                          Report *r) {
    int *var = ARENA_ARRAY(out, int, o->set_count);
    double *value = ARENA_ARRAY(out, double, o->set_count);
    bool good = true;
    for (int i = 0; i < o->set_count; i++) {
        var[i] = settable_parameter(m, o->set[i].name, r);
        value[i] = o->set[i].value;
        good = good && var[i] >= 0;
    }
    to->set_var = var;
    to->set_value = value;
    to->set_count = o->set_count;
    return good;
}

bool run_options_from(const BdModel *m, const BdRunOptions *o, Arena *out, RunOptions *to,
                      Report *r) {
    *to = (RunOptions){.experiment = m->p.experiment,
                       .record = o->record,
                       .record_count = o->record_count,
                       .stop = o->stop,
                       .rtol = o->rtol,
                       .atol = o->atol};
    bool good = find_solver(o->solver, to, r);
    good = find_engine(o->engine, to, r) && good;
    return find_settings(m, o, out, to, r) && good;
}
