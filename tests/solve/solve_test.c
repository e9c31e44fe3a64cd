#include "runs.h"
#include <time.h>

static const SolverKind all_methods[] = {SOLVER_AUTO, SOLVER_CVODE_ADAMS, SOLVER_CVODE_BDF,
                                         SOLVER_RK78, SOLVER_EULER,       SOLVER_HEUN,
                                         SOLVER_RK4,  SOLVER_IDA,         SOLVER_ROSENBROCK};
enum { METHODS = sizeof all_methods / sizeof *all_methods };

static bool is_fixed(SolverKind k) {
    return k == SOLVER_EULER || k == SOLVER_HEUN || k == SOLVER_RK4 || k == SOLVER_ROSENBROCK;
}

// --- accuracy ------------------------------------------------------------------------------------

static void oscillator_against_closed_form(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        double w = 3;
        Fixture *f = oscillator(w);
        How how = {.method = all_methods[k], .stop = 2, .rtol = 1e-9, .atol = 1e-11};
        if (is_fixed(how.method)) how.step = 1e-4;
        double bound = how.method == SOLVER_EULER ? 1e-2 : how.method == SOLVER_HEUN ? 1e-6 : 2e-7;
        Record *r = run_well(f, how);
        for (int i = 0; i < r->count; i++) {
            double t = r->time[i];
            assert_near(t, 0.2 * i, 1e-15);
            assert_near(r->state[i][0], cos(w * t), bound);
            assert_near(r->output[i][0], w * w * cos(w * t), w * w * bound);
            assert_near(r->quad[i][0], w * w * (t / 2 - sin(2 * w * t) / (4 * w)), w * w * bound);
        }
        assert_true(r->stats.steps > 10);
        assert_true(r->stats.derivative_calls > 10);
        assert_near(r->stats.reached, 2, 0);
        free(r);
        fixture_free(f);
    }
}

static double error_with_step(SolverKind method, double step) {
    Fixture *f = oscillator(1);
    Record *r = run_well(f, (How){.method = method, .stop = 1, .step = step, .points = 1});
    double error = fabs(r->state[1][0] - cos(1.0)),
           quad = fabs(r->quad[1][0] - (0.5 - sin(2.0) / 4));
    free(r);
    fixture_free(f);
    return error + quad;
}

static void fixed_steps_have_their_order(void **state) {
    (void)state;
    const struct {
        SolverKind method;
        double order;
    } cases[] = {{SOLVER_EULER, 1}, {SOLVER_HEUN, 2}, {SOLVER_RK4, 4}};
    for (int i = 0; i < 3; i++) {
        double coarse = error_with_step(cases[i].method, 0.02);
        double fine = error_with_step(cases[i].method, 0.01);
        assert_near(log2(coarse / fine), cases[i].order, 0.15);
    }
}

static void fixed_steps_hit_wanted_points(void **state) {
    (void)state;
    Fixture *f = oscillator(1);
    // 7 points are no divisors of the step; the grid is 0.05
    Record *r = run_well(f, (How){.method = SOLVER_RK4, .stop = 1, .step = 0.05, .points = 7});
    for (int i = 0; i < r->count; i++) assert_near(r->state[i][0], cos(r->time[i]), 1e-6);
    assert_int_equal(r->stats.steps, 20);
    // what is recorded has no influence on the run
    Record *few = run_well(f, (How){.method = SOLVER_RK4, .stop = 1, .step = 0.05, .points = 1});
    assert_true(few->state[few->count - 1][0] == r->state[r->count - 1][0]);
    free(few);
    free(r);
    fixture_free(f);
}

// Rates of time alone: an estimate that is blind to them would take giant steps.
static void quadratures_without_states(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        Fixture *f = fixture_new();
        Expr t = f->system.time;
        f->quad[f->quad_count++] = fixture_call(f, OP_SIN, t, 0);
        f->output[f->output_count++] = fixture_call(f, OP_COS, t, 0);
        How how = {.method = all_methods[k], .stop = 10, .rtol = 1e-9, .atol = 1e-10};
        if (is_fixed(how.method)) how.step = 1e-4;
        Record *r = run_well(f, how);
        for (int i = 0; i < r->count; i++) {
            assert_near(r->quad[i][0], 1 - cos(r->time[i]),
                        how.method == SOLVER_EULER ? 1e-3 : 1e-6);
            assert_near(r->output[i][0], cos(r->time[i]), 1e-15);
        }
        free(r);
        fixture_free(f);
    }
}

static void algebraic_models_run(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    f->output[f->output_count++] = expr_mul(f->dag, f->system.time, f->system.time);
    Record *r = run_well(f, (How){.method = SOLVER_AUTO, .stop = 3, .points = 6});
    assert_near(r->output[6][0], 9, 0);
    assert_near(r->output[1][0], 0.25, 0);
    free(r);
    fixture_free(f);
}

// --- stiff models --------------------------------------------------------------------------------

static Expr times(Fixture *f, double k, Expr a, Expr b) {
    return expr_product(f->dag, (Expr[]){fixture_number(f, k), a, b}, 3);
}

// Robertson's reaction: reference values of the SUNDIALS examples at t = 40
static void robertson_with_bdf(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr one = fixture_number(f, 1);
    Expr a = fixture_state(f, "a", 1), b = fixture_state(f, "b", 0), c = fixture_state(f, "c", 0);
    Expr slow = times(f, 0.04, a, one), middle = times(f, 1e4, b, c), fast = times(f, 3e7, b, b);
    f->rate[0] = expr_sub(d, middle, slow);
    f->rate[1] = expr_sub(d, slow, expr_add(d, middle, fast));
    f->rate[2] = fast;
    Record *r = run_well(
        f, (How){.method = SOLVER_CVODE_BDF, .stop = 40, .rtol = 1e-8, .atol = 1e-13, .points = 4});
    assert_near(r->state[4][0], 0.7158, 1e-4);
    assert_near(r->state[4][1], 9.185e-6, 1e-8);
    assert_near(r->state[4][2], 0.2842, 1e-4);
    assert_true(r->stats.steps < 2000);
    assert_true(r->stats.jacobian_calls > 0);
    free(r);
    fixture_free(f);
}

// x' = v, v' = mu (1 - x^2) v - x, several side by side: dense below 25 states, sparse above
static Fixture *van_der_pol(int copies, double mu) {
    Fixture *f = fixture_new_of(2 * copies + 10);
    Dag *d = f->dag;
    for (int i = 0; i < copies; i++) {
        Expr x = fixture_state_at(f, "x", i, 2), v = fixture_state_at(f, "v", i, 0);
        Expr damping = expr_sub(d, fixture_number(f, 1), expr_mul(d, x, x));
        f->rate[2 * i] = v;
        f->rate[2 * i + 1] = expr_sub(d, times(f, mu, damping, v), x);
    }
    return f;
}

static void van_der_pol_dense_and_sparse_agree(void **state) {
    (void)state;
    double at_end[2];
    for (int k = 0; k < 2; k++) {
        Fixture *f = van_der_pol(k ? 50 : 1, 1000);
        Record *r =
            run_well(f, (How){.method = SOLVER_AUTO, .stop = 2000, .rtol = 1e-7, .atol = 1e-9});
        assert_int_equal(r->stats.method, SOLVER_CVODE_BDF);
        assert_true(r->stats.steps < 10000);
        at_end[k] = r->state[10][0];
        free(r);
        fixture_free(f);
    }
    assert_near(at_end[0], 1.7061677321, 1e-3); // x(2000) of the IVP test set
    assert_near(at_end[1], at_end[0], 1e-3);
}

static void stiffness_is_noticed_on_the_way(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    // x' = -(1 + 1e4 on) x + sin(t) from t = 1 on: not stiff at the start
    Expr x = fixture_state(f, "x", 1), t = f->system.time;
    Expr on = fixture_call(f, OP_LESS, fixture_number(f, 1), t);
    Expr decay = expr_add(d, fixture_number(f, 1), times(f, 1e4, on, fixture_number(f, 1)));
    f->rate[0] = expr_sub(d, fixture_call(f, OP_SIN, t, 0), expr_mul(d, decay, x));
    Record *r = run_well(f, (How){.method = SOLVER_AUTO, .stop = 100});
    assert_int_equal(r->stats.method, SOLVER_CVODE_BDF);
    assert_near(r->state[10][0], sin(100.0) / 10001, 1e-6);
    assert_true(r->stats.steps < 5000);
    free(r);
    fixture_free(f);
}

// Heat conduction in a rod of 10000 cells.
static void large_sparse_systems_are_quick(void **state) {
    (void)state;
    enum { N = 10000 };
    Fixture *f = fixture_new_of(N + 10);
    Dag *d = f->dag;
    Expr k = fixture_param(f, "k", fixture_number(f, 100)), flow = fixture_number(f, 0);
    for (int i = 0; i < N; i++) fixture_state_at(f, "T", i, i < N / 2 ? 1 : 0);
    for (int i = 0; i < N; i++) {
        Expr next = i + 1 < N
                        ? expr_mul(d, k, expr_sub(d, f->system.state[i], f->system.state[i + 1]))
                        : fixture_number(f, 0);
        f->rate[i] = expr_sub(d, flow, next);
        flow = next;
    }
    f->output[f->output_count++] = f->system.state[N / 2];
    clock_t begin = clock();
    Record *r = run_well(f, (How){.method = SOLVER_CVODE_BDF, .stop = 10});
    // near the middle: (1 - erf(x/sqrt(4 k t)))/2 at x = half a cell
    assert_near(r->output[10][0], 0.5 * (1 - erf(0.5 / sqrt(4 * 100 * 10))), 1e-4);
    // of the processor, whoever else uses it; with sanitizers on
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 20);
    free(r);
    fixture_free(f);
}

// Heat conduction where warm cells conduct better: flow = (1 + T^2)(T - T next).
static Fixture *warm_rod(int n) {
    Fixture *f = fixture_new_of(n + 10);
    Dag *d = f->dag;
    Expr one = fixture_number(f, 1), flow = fixture_number(f, 0);
    for (int i = 0; i < n; i++) fixture_state_at(f, "T", i, i < n / 2 ? 1 : 0);
    for (int i = 0; i < n; i++) {
        Expr here = f->system.state[i], next = fixture_number(f, 0);
        if (i + 1 < n)
            next = expr_mul(d, expr_add(d, one, expr_mul(d, here, here)),
                            expr_sub(d, here, f->system.state[i + 1]));
        f->rate[i] = expr_sub(d, flow, next);
        flow = next;
    }
    f->output[f->output_count++] = f->system.state[n / 2];
    return f;
}

// Programs that are too large for formulas have a Jacobian by differences, here by three colours as
// the matrix has three diagonals. With it the solver has to take the same way: the same values
// within its tolerance, and as many steps but for roundings.
static void differences_replace_formulas(void **state) {
    (void)state;
    enum { N = 200 };
    Fixture *f = warm_rod(N);
    Program *p = fixture_program(f);
    How how = {.method = SOLVER_CVODE_BDF, .stop = 100, .rtol = 1e-8, .atol = 1e-10};
    Record *formulas = run_on(p, how, &f->report);
    assert_true(p->has_jacobian);
    int color[N];
    for (int i = 0; i < N; i++) color[i] = i % 3;
    Program by_differences = *p;
    by_differences.has_jacobian = by_differences.has_implicit = false;
    by_differences.color = color;
    by_differences.color_count = 3;
    Record *differences = run_on(&by_differences, how, &f->report);
    assert_int_equal(formulas->status, SOLVE_DONE);
    assert_int_equal(differences->status, SOLVE_DONE);
    for (int i = 0; i < formulas->count; i++)
        assert_near(differences->output[i][0], formulas->output[i][0], 1e-7);
    assert_near((double)differences->stats.steps / (double)formulas->stats.steps, 1, 0.05);
    free(formulas);
    free(differences);
    program_free(p);
    fixture_free(f);
}

// --- events --------------------------------------------------------------------------------------

static Expr step_at(Fixture *f, double when) {
    return fixture_call(f, OP_LESS_EQUAL, fixture_number(f, 0),
                        expr_sub(f->dag, f->system.time, fixture_number(f, when)));
}

static void steps_of_time_are_hit(void **state) {
    (void)state;
    const SolverKind methods[] = {SOLVER_CVODE_ADAMS, SOLVER_CVODE_BDF, SOLVER_RK78};
    for (int k = 0; k < 3; k++) {
        Fixture *f = fixture_new();
        Dag *d = f->dag;
        Expr x = fixture_state(f, "x", 0), on = step_at(f, 1);
        f->rate[0] = on;
        f->quad[f->quad_count++] = x;
        f->output[f->output_count++] = expr_mul(d, on, fixture_number(f, 7));
        Record *r = run_well(f, (How){.method = methods[k], .stop = 2, .points = 8});
        for (int i = 0; i < r->count; i++) {
            double t = r->time[i], later = t > 1 ? t - 1 : 0;
            assert_near(r->state[i][0], later, 1e-10);
            assert_near(r->quad[i][0], later * later / 2, 1e-9);
            assert_near(r->output[i][0], t >= 1 ? 7 : 0, 0);
        }
        assert_int_equal(r->stats.events, 1);
        free(r);
        fixture_free(f);
    }
}

// Pulses of 1 % of their period and a staircase: both integrals are known exactly.
static void signals_of_time_may_jump(void **state) {
    (void)state;
    const SolverKind methods[] = {SOLVER_AUTO, SOLVER_CVODE_ADAMS, SOLVER_CVODE_BDF, SOLVER_RK78};
    for (int k = 0; k < 4; k++) {
        Fixture *f = fixture_new();
        Dag *d = f->dag;
        Expr t = f->system.time, period = fixture_param(f, "T", fixture_number(f, 0.1));
        fixture_state(f, "pulses", 0);
        fixture_state(f, "stairs", 0);
        fixture_state(f, "swings", 0);
        Expr saw = fixture_call(f, OP_MOD, t, period);
        f->rate[0] = fixture_call(f, OP_LESS, saw, fixture_number(f, 0.001));
        f->rate[1] = fixture_call(f, OP_FLOOR, expr_add(d, t, t), 0);
        Expr swing = fixture_call(f, OP_SIN, times(f, 20, t, fixture_number(f, 1)), 0);
        f->rate[2] = fixture_call(f, OP_LESS, fixture_number(f, 0.9), swing);
        f->quad[f->quad_count++] = saw;
        Record *r =
            run_well(f, (How){.method = methods[k], .stop = 10, .rtol = 1e-8, .atol = 1e-10});
        for (int i = 0; i < r->count; i++) {
            assert_near(r->state[i][0], 0.01 * i, 1e-9);
            assert_near(r->state[i][1], i * i - 0.5 * i, 1e-6);
            assert_near(r->quad[i][0], 0.05 * i, 1e-5);
        }
        // sin(20 t) > 0.9 for (pi - 2 asin(0.9))/20 s of each turn; 31 whole turns in 10 s and a
        // part of one that is over the top
        assert_near(r->state[10][2], 32 * (acos(-1) - 2 * asin(0.9)) / 20, 1e-6);
        free(r);
        fixture_free(f);
    }
}

static void steps_at_the_start_count(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    // 0 < time: false at t = 0 itself, true ever after
    fixture_state(f, "x", 0);
    Expr y = fixture_state(f, "y", 0);
    f->rate[0] = fixture_call(f, OP_LESS, fixture_number(f, 0), f->system.time);
    // y leaves the zero of its event function by itself: y' = 1 + (y > 0)
    f->rate[1] =
        expr_add(d, fixture_number(f, 1), fixture_call(f, OP_LESS, fixture_number(f, 0), y));
    Record *r = run_well(f, (How){.method = SOLVER_CVODE_ADAMS, .stop = 1});
    assert_near(r->state[10][0], 1, 1e-9);
    assert_near(r->state[10][1], 2, 1e-7);
    free(r);
    fixture_free(f);
}

// A thermostat with hysteresis made of a relation on a latch state: x rises to 1, falls, ...
static void state_events_are_located(void **state) {
    (void)state;
    const SolverKind methods[] = {SOLVER_CVODE_ADAMS, SOLVER_CVODE_BDF, SOLVER_RK78};
    for (int k = 0; k < 3; k++) {
        Fixture *f = fixture_new();
        Dag *d = f->dag;
        // a ball on a stiff floor: x'' = -g + (x < 0 ? -k x : 0), elastic: energy is kept
        Expr x = fixture_state(f, "x", 1), v = fixture_state(f, "v", 0),
             zero = fixture_number(f, 0);
        Expr contact = fixture_call(f, OP_LESS, x, zero);
        f->rate[0] = v;
        f->rate[1] = expr_sub(d, expr_if(d, contact, times(f, -1e4, x, fixture_number(f, 1)), zero),
                              fixture_number(f, 9.81));
        Record *r =
            run_well(f, (How){.method = methods[k], .stop = 5, .rtol = 1e-9, .atol = 1e-11});
        for (int i = 0; i < r->count; i++) {
            double h = r->state[i][0], speed = r->state[i][1];
            double energy = speed * speed / 2 + 9.81 * h + (h < 0 ? 5e3 * h * h : 0);
            assert_near(energy, 9.81, 1e-5);
        }
        assert_true(r->stats.events >= 10);
        free(r);
        fixture_free(f);
    }
}

static void chatter_is_named(void **state) {
    (void)state;
    const SolverKind methods[] = {SOLVER_CVODE_ADAMS, SOLVER_CVODE_BDF, SOLVER_RK78};
    for (int k = 0; k < 3; k++) {
        Fixture *f = fixture_new();
        Expr x = fixture_state(f, "x", 0.5), zero = fixture_number(f, 0);
        f->rate[0] = expr_if(f->dag, fixture_call(f, OP_LESS, zero, x), fixture_number(f, -1),
                             fixture_number(f, 2));
        Record *r = run(f, (How){.method = methods[k], .stop = 1});
        assert_int_equal(r->status, SOLVE_FAILED);
        assert_int_equal(f->report.first->code, S_CHATTER);
        assert_near(r->stats.reached, 0.5, 1e-3);
        assert_int_equal(r->count, 6); // 0 ... 0.5
        free(r);
        fixture_free(f);
    }
}

// --- trouble -------------------------------------------------------------------------------------

static void not_finite_rates_are_named(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        Fixture *f = fixture_new();
        Dag *d = f->dag;
        // x' = -1, y' = sqrt(x): no value after t = 1
        Expr x = fixture_state(f, "tank.q", 1);
        fixture_state(f, "y", 0);
        f->rate[0] = fixture_number(f, -1);
        f->rate[1] = expr_sqrt(d, x);
        How how = {.method = all_methods[k], .stop = 2};
        if (is_fixed(how.method)) how.step = 0.01;
        Record *r = run(f, how);
        assert_int_equal(r->status, SOLVE_FAILED);
        assert_int_equal(f->report.first->code, S_NOT_FINITE);
        assert_non_null(strstr(f->report.first->message, "'y'"));
        assert_non_null(strstr(f->report.first->message, "root of a negative number"));
        assert_non_null(strstr(f->report.first->message, "tank.q"));
        assert_true(r->count >= 5 && r->count <= 6);
        free(r);
        fixture_free(f);
    }
}

static void solutions_that_run_away_end(void **state) {
    (void)state;
    const SolverKind methods[] = {SOLVER_CVODE_ADAMS, SOLVER_CVODE_BDF, SOLVER_RK78, SOLVER_RK4};
    for (int k = 0; k < 4; k++) {
        Fixture *f = fixture_new();
        Expr x = fixture_state(f, "x", 1);
        f->rate[0] = expr_mul(f->dag, x, x); // 1/(1 - t)
        Record *r = run(f, (How){.method = methods[k], .stop = 2, .step = 0.001});
        assert_int_equal(r->status, SOLVE_FAILED);
        assert_int_equal(f->report.errors, 1);
        assert_non_null(strstr(f->report.first->message, "'x'"));
        free(r);
        fixture_free(f);
    }
}

static void failed_blocks_are_named(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), u = fixture_symbol(f, "valve.f");
    // u^2 = x has no solution once x < 0
    Block *b = fixture_block(f, 1, &u, (Expr[]){expr_sub(d, expr_mul(d, u, u), x)}, false);
    b->guess[0] = fixture_number(f, 1);
    f->rate[0] = expr_neg(d, expr_add(d, u, fixture_number(f, 1)));
    Record *r = run(f, (How){.method = SOLVER_CVODE_ADAMS, .stop = 2});
    assert_int_equal(r->status, SOLVE_FAILED);
    assert_int_equal(f->report.first->code, S_BLOCK_FAILED);
    assert_non_null(strstr(f->report.first->message, "valve.f"));
    free(r);
    fixture_free(f);
}

static void blocks_inside_stiff_models(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), u = fixture_symbol(f, "u");
    // u + u^3 = x, x' = -1000 u
    fixture_block(f, 1, &u,
                  (Expr[]){expr_sub(d, expr_add(d, u, expr_pow(d, u, fixture_number(f, 3))), x)},
                  false);
    f->rate[0] = times(f, -1000, u, fixture_number(f, 1));
    f->output[f->output_count++] = u;
    Record *r =
        run_well(f, (How){.method = SOLVER_CVODE_BDF, .stop = 0.01, .rtol = 1e-9, .atol = 1e-12});
    // (1 + 3u^2) u' = -1000 u: log(u) + 1.5 u^2 falls by 1000 t
    double u0 = r->output[0][0], u1 = r->output[10][0];
    assert_near(log(u1) + 1.5 * u1 * u1 - log(u0) - 1.5 * u0 * u0, -10, 1e-5);
    free(r);
    fixture_free(f);
}

static void outputs_without_value_go_to_the_sink(void **state) {
    (void)state;
    Fixture *f = oscillator(1);
    f->output[f->output_count++] = expr_div(f->dag, fixture_number(f, 1), f->system.time);
    Record *r = run_well(f, (How){.method = SOLVER_AUTO, .stop = 1});
    assert_true(isinf(r->output[0][1]));
    assert_near(r->output[10][1], 1, 0);
    free(r);
    fixture_free(f);
}

static void bad_options_are_refused(void **state) {
    (void)state;
    Fixture *f = oscillator(1);
    Program *p = fixture_program(f);
    Machine *m = machine_new(p);
    double backward[] = {0.5, 0.2};
    SolveOptions bad[] = {{.start = 1, .stop = 0},
                          {.stop = NAN},
                          {.stop = 1, .rtol = -1},
                          {.stop = 1, .step = NAN},
                          {.stop = 1, .times = backward, .time_count = 2}};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(solve_run(m, NULL, &bad[i], NULL, &f->report), SOLVE_REFUSED);
        assert_int_equal(f->report.last->code, S_BAD_OPTION);
        assert_int_equal(f->report.errors, i + 1);
    }
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

static void cancelling_ends_cleanly(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        Fixture *f = oscillator(1);
        const volatile int cancel = 1;
        How how = {.method = all_methods[k], .stop = 1000, .step = 0.01, .cancel = &cancel};
        Record *r = run(f, how);
        assert_int_equal(r->status, SOLVE_CANCELLED);
        assert_int_equal(r->count, 1);
        assert_int_equal(f->report.errors, 0);
        free(r);
        fixture_free(f);
    }
}

static void too_many_steps_are_named(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        Fixture *f = oscillator(100);
        Record *r =
            run(f, (How){.method = all_methods[k], .stop = 1000, .step = 0.001, .most_steps = 100});
        assert_int_equal(r->status, SOLVE_FAILED);
        assert_int_equal(f->report.first->code, S_TOO_MANY_STEPS);
        free(r);
        fixture_free(f);
    }
}

static void runs_repeat_to_the_last_bit(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        Fixture *f = van_der_pol(20, 5);
        Program *p = fixture_program(f);
        How how = {.method = all_methods[k], .stop = 20, .step = 0.001, .points = 100};
        Record *a = run_on(p, how, &f->report), *b = run_on(p, how, &f->report);
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->state, b->state, sizeof a->state);
        assert_int_equal(a->stats.steps, b->stats.steps);
        free(a);
        free(b);
        program_free(p);
        fixture_free(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillator_against_closed_form),
        cmocka_unit_test(fixed_steps_have_their_order),
        cmocka_unit_test(fixed_steps_hit_wanted_points),
        cmocka_unit_test(quadratures_without_states),
        cmocka_unit_test(algebraic_models_run),
        cmocka_unit_test(robertson_with_bdf),
        cmocka_unit_test(van_der_pol_dense_and_sparse_agree),
        cmocka_unit_test(stiffness_is_noticed_on_the_way),
        cmocka_unit_test(large_sparse_systems_are_quick),
        cmocka_unit_test(differences_replace_formulas),
        cmocka_unit_test(steps_of_time_are_hit),
        cmocka_unit_test(signals_of_time_may_jump),
        cmocka_unit_test(steps_at_the_start_count),
        cmocka_unit_test(state_events_are_located),
        cmocka_unit_test(chatter_is_named),
        cmocka_unit_test(not_finite_rates_are_named),
        cmocka_unit_test(solutions_that_run_away_end),
        cmocka_unit_test(failed_blocks_are_named),
        cmocka_unit_test(blocks_inside_stiff_models),
        cmocka_unit_test(outputs_without_value_go_to_the_sink),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(cancelling_ends_cleanly),
        cmocka_unit_test(too_many_steps_are_named),
        cmocka_unit_test(runs_repeat_to_the_last_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
