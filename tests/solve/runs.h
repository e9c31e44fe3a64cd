// Runs of systems by hand, with what came out of them.
#ifndef BONDYN_TESTS_RUNS_H
#define BONDYN_TESTS_RUNS_H

#include "../engine/fixture.h"
#include "solve/solve.h"

typedef struct {
    double time[4096], state[4096][4], output[4096][4], quad[4096][4];
    int count, states, outputs, quads;
    int stop_after;
    SolveStats stats;
    SolveStatus status;
} Record;

static inline bool keep(void *context, const SolvePoint *p) {
    Record *r = context;
    assert_true(r->count < 4096);
    r->time[r->count] = p->time;
    for (int i = 0; i < r->states && i < 4; i++) r->state[r->count][i] = p->state[i];
    for (int i = 0; i < r->outputs && i < 4; i++) r->output[r->count][i] = p->output[i];
    for (int i = 0; i < r->quads && i < 4; i++) r->quad[r->count][i] = p->quad[i];
    r->count++;
    return r->stop_after == 0 || r->count < r->stop_after;
}

typedef struct {
    SolverKind method;
    double stop, rtol, atol, step;
    int points;
    const volatile int *cancel;
    long most_steps;
    const Native *native; // NULL: the virtual machine
} How;

// A run with `points` intervals; the record must be freed.
static inline Record *run_on(Program *p, How how, Report *report) {
    Record *r = calloc(1, sizeof *r);
    r->states = p->state_count;
    r->outputs = p->output_count;
    r->quads = p->quad_count;
    int points = how.points ? how.points : 10;
    double *times = calloc((size_t)points + 1, sizeof *times);
    for (int i = 0; i <= points; i++) times[i] = how.stop * i / points;
    SolveOptions o = {.method = how.method,
                      .rtol = how.rtol,
                      .atol = how.atol,
                      .step = how.step,
                      .stop = how.stop,
                      .times = times,
                      .time_count = points + 1,
                      .sink = keep,
                      .context = r,
                      .cancel = how.cancel,
                      .most_steps = how.most_steps,
                      .engine = how.native ? ENGINE_VM : ENGINE_AUTO,
                      .native = how.native};
    Machine *m = machine_new(p);
    r->status = solve_run(m, NULL, &o, &r->stats, report);
    machine_free(m);
    free(times);
    return r;
}

static inline Record *run(Fixture *f, How how) {
    Program *p = fixture_program(f);
    Record *r = run_on(p, how, &f->report);
    program_free(p);
    return r;
}

static inline Record *run_well(Fixture *f, How how) {
    Record *r = run(f, how);
    if (r->status != SOLVE_DONE && f->report.first) fail_msg("%s", f->report.first->message);
    assert_int_equal(r->status, SOLVE_DONE);
    assert_int_equal(r->count, (how.points ? how.points : 10) + 1);
    return r;
}

// x' = v, v' = -w^2 x: x = cos(w t), with the energy of v as a quadrature
static inline Fixture *oscillator(double w) {
    Fixture *f = fixture_new();
    Expr x = fixture_state(f, "x", 1), v = fixture_state(f, "v", 0);
    Expr k = fixture_param(f, "k", fixture_number(f, w * w));
    f->rate[0] = v;
    f->rate[1] = expr_neg(f->dag, expr_mul(f->dag, k, x));
    f->quad[f->quad_count++] = expr_mul(f->dag, v, v);
    f->output[f->output_count++] = expr_mul(f->dag, k, x);
    return f;
}

#endif
