// A new program is tried once at the start of the run, so that a mass of zero or the logarithm of
// a negative parameter is reported before anything is simulated.
#include "engine/check.h"

#include "base/memory.h"
#include <math.h>

static bool check_constants(const Program *p, Report *r) {
    for (uint32_t i = 0; i < p->constant_count; i++) {
        if (isfinite(p->constant[i])) continue;
        Remark *m = report_error(r, E_NOT_FINITE, p->system->model->pos,
                                 "a number in the equations is not finite (%g)", p->constant[i]);
        remark_help(r, m, "numbers must lie within 1e308");
        return false;
    }
    for (uint32_t i = 0; i < p->param_count; i++) {
        if (isfinite(p->param_value[i])) continue;
        const Var *var = &p->system->model->var[p->param_var[i]];
        Remark *m = report_error(r, E_NOT_FINITE, var->pos, "parameter '%s' has no finite value",
                                 name_text(p->system->model->names, var->path));
        remark_help(r, m, "give it a number");
        return false;
    }
    return true;
}

// Only what no time and no state can change is judged here; the rest may never happen.
static bool check_rate(Machine *m, int state, double rate, Report *r) {
    if (isfinite(rate)) return true;
    const Program *p = m->program;
    Cause cause = machine_find_cause(m, p->system->rate[state]);
    if (!cause.constant) return true;
    bool zero = cause.input && cause.value == 0;
    Text why = {0};
    cause_print(&why, m, &cause);
    Remark *remark = report_error(r, zero ? E_DIVISION_BY_ZERO : E_NOT_FINITE,
                                  program_state_pos(p, state), "the rate of '%s' has no value: %s",
                                  program_state_name(p, state), text_get(&why));
    remark_help(r, remark, "change the parameters that it depends on");
    text_free(&why);
    return false;
}

static bool check_rates(Program *p, Machine *m, double start, Report *r) {
    double *rate = memory_zeroed((size_t)p->state_count, sizeof *rate);
    bool good = true;
    if (machine_derivative(m, start, p->start, rate, NULL))
        for (int i = 0; i < p->state_count && good; i++) good = check_rate(m, i, rate[i], r);
    free(rate);
    return good;
}

static Code matrix_code(MatrixShape s) { return s.function == MATRIX_EXTERNAL ? F_CALL : E_MATRIX; }

// Functions of matrices of parameters alone have their values now.
static bool check_matrices(const Machine *m, Report *r) {
    const Program *p = m->program;
    for (int i = 0; i < p->matrix_count; i++) {
        const TapeMatrix *t = &p->matrix[i];
        if (!t->constant || isfinite(m->reg[t->out])) continue;
        Text what = {0}, help = {0};
        matrix_explain(t->shape, m->reg + t->in, &what, &help);
        Remark *remark = report_error(r, matrix_code(t->shape), t->pos, "'%s' has no value: %s",
                                      matrix_function_name(t->shape), text_get(&what));
        remark_help(r, remark, "%s", text_get(&help));
        text_free(&what);
        text_free(&help);
        return false;
    }
    return true;
}

bool program_check(Program *p, Report *r) {
    if (!check_constants(p, r)) return false;
    Machine *m = machine_new(p);
    if (!check_matrices(m, r)) {
        machine_free(m);
        return false;
    }
    double start = p->system->model->start;
    p->start = ARENA_ARRAY(&p->arena, double, p->state_count + 1);
    machine_initial(m, start, p->start);
    for (int i = 0; i < p->chosen_count; i++) p->chosen[i] = machine_held(m)[p->first_chosen + i];
    bool good = check_rates(p, m, start, r);
    machine_free(m);
    return good;
}
