#include "fixture.h"
#include "random.h"

// --- random expressions --------------------------------------------------------------------------

static double *symbol_values(Fixture *f, const Expr *pool) {
    double *value = calloc((size_t)expr_symbol_count(f->dag) + 1, sizeof *value);
    const double leaf[] = {0, 0, 3.5, 0.3, 3.5 + 0.3 * 3.5, 0.7, 0.4, -1.3, 2.2};
    for (int i = 2; i < LEAVES; i++) value[expr_symbol_index(f->dag, pool[i])] = leaf[i];
    return value;
}

static void assert_same(double actual, double expected, double relative) {
    if (!isfinite(expected)) return; // infinities may come about in another order
    double scale = fabs(expected) > 1 ? fabs(expected) : 1;
    assert_near(actual, expected, relative * scale);
}

// Values stay moderate, so that no cancellation of large numbers decides about the result.
static bool is_tame(const Fixture *f, Expr e, const double *value) {
    return fabs(expr_evaluate(f->dag, e, value)) < 1e6;
}

static void tapes_agree_with_expressions(void **state) {
    (void)state;
    for (uint64_t round = 1; round <= 300; round++) {
        uint64_t seed = round * 7919;
        Fixture *f = fixture_new();
        Expr pool[NODES];
        make_pool(f, &seed, pool);
        for (int i = 0; i < 3; i++) f->rate[i] = pool[NODES - 1 - i];
        for (int i = 0; i < NODES; i++) f->output[f->output_count++] = pool[i];
        Program *p = fixture_try(f);
        if (!p) { // a constant division by zero was found
            assert_true(f->report.errors > 0);
            fixture_free(f);
            continue;
        }
        Machine *m = machine_new(p);
        double at[3] = {0.4, -1.3, 2.2}, out[NODES], rate[3];
        double *value = symbol_values(f, pool);
        assert_true(machine_outputs(m, 0.7, at, out));
        assert_true(machine_derivative(m, 0.7, at, rate, NULL));
        bool tame = true;
        for (int i = 0; i < NODES && tame; i++) {
            tame = is_tame(f, pool[i], value);
            if (tame) assert_same(out[i], expr_evaluate(f->dag, pool[i], value), 1e-6);
        }
        for (int i = 0; i < 3 && tame; i++)
            assert_same(rate[i], expr_evaluate(f->dag, f->rate[i], value), 1e-6);
        free(value);
        machine_free(m);
        program_free(p);
        fixture_free(f);
    }
}

static void jacobian_agrees_with_derivatives(void **state) {
    (void)state;
    for (uint64_t round = 1; round <= 200; round++) {
        uint64_t seed = round * 104729;
        Fixture *f = fixture_new();
        Expr pool[NODES];
        make_pool(f, &seed, pool);
        for (int i = 0; i < 3; i++) f->rate[i] = pool[LEAVES + 5 + 3 * i];
        Program *p = fixture_try(f);
        if (p) {
            assert_true(p->has_jacobian);
            Machine *m = machine_new(p);
            double at[3] = {0.4, -1.3, 2.2}, nonzero[9], full[9] = {0};
            double *value = symbol_values(f, pool);
            assert_true(machine_jacobian(m, 0.7, at, nonzero));
            for (int j = 0; j < 3; j++)
                for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++)
                    full[p->row[k] * 3 + j] = nonzero[k];
            for (int i = 0; i < 9; i++) {
                Expr d = expr_derivative(f->dag, f->rate[i / 3], f->system.state[i % 3]);
                assert_same(full[i], expr_evaluate(f->dag, d, value), 1e-6);
            }
            free(value);
            machine_free(m);
            program_free(p);
        }
        fixture_free(f);
    }
}

// --- lowering ------------------------------------------------------------------------------------

static int count_ops(const TapeFunction *f, TapeOp op) {
    int count = 0;
    for (int i = 0; i < f->count; i++) count += f->code[i].op == op;
    return count;
}

static void parameters_are_prepared_once(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr k = fixture_param(f, "k", fixture_number(f, 2)),
         m = fixture_param(f, "m", fixture_number(f, 4));
    Expr x = fixture_state(f, "x", 1), y = fixture_state(f, "y", 1);
    f->rate[0] = expr_div(d, expr_mul(d, k, x), m);
    f->rate[1] = expr_div(d, expr_mul(d, k, y), m);
    Program *p = fixture_program(f);
    assert_int_equal(p->derivative.count, 2); // one multiplication by k/m each
    assert_int_equal(count_ops(&p->derivative, TAPE_DIV), 0);
    Machine *machine = machine_new(p);
    double at[2] = {3, 5}, rate[2], param[2];
    machine_derivative(machine, 0, at, rate, NULL);
    assert_near(rate[0], 1.5, 1e-15);
    assert_near(rate[1], 2.5, 1e-15);
    for (uint32_t i = 0; i < p->param_count; i++)
        param[i] = p->param_var[i] == 0 ? 8 : 4; // k first in the model
    assert_true(machine_set_params(machine, param));
    machine_derivative(machine, 0, at, rate, NULL);
    assert_near(rate[0], 6, 1e-15);
    machine_free(machine);
    program_free(p);
    fixture_free(f);
}

static void parameters_made_of_others_follow(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr c_symbol = fixture_param(f, "c", 0), a = fixture_param(f, "a", fixture_number(f, 2));
    Expr b = fixture_param(f, "b", expr_mul(d, a, a));
    f->model.var[0].value = expr_add(d, b, a); // c = b + a, declared before both
    Expr x = fixture_state(f, "x", 1);
    f->rate[0] = expr_mul(d, c_symbol, x);
    Program *p = fixture_program(f);
    assert_int_equal(p->param_count, 1);
    Machine *m = machine_new(p);
    double one = 1, rate, new_a = 3;
    machine_derivative(m, 0, &one, &rate, NULL);
    assert_near(rate, 6, 0);
    machine_set_params(m, &new_a);
    machine_derivative(m, 0, &one, &rate, NULL);
    assert_near(rate, 12, 0);
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

static void circles_of_parameters_are_refused(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Expr a = fixture_param(f, "a", 0), b = fixture_param(f, "b", 0);
    f->model.var[0].value = expr_add(f->dag, b, fixture_number(f, 1));
    f->model.var[1].value = expr_add(f->dag, a, fixture_number(f, 1));
    Expr x = fixture_state(f, "x", 1);
    f->rate[0] = expr_mul(f->dag, a, x);
    assert_null(fixture_try(f));
    assert_int_equal(f->report.first->code, E_PARAM_CIRCLE);
    f->model.var[0].value = b;
    f->model.var[1].value = a;
    assert_null(fixture_try(f));
    fixture_free(f);
}

static void sine_and_cosine_stand_side_by_side(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), y = fixture_state(f, "y", 1);
    f->rate[0] = expr_mul(d, fixture_call(f, OP_SIN, x, 0), y);
    f->rate[1] = expr_mul(d, expr_mul(d, y, y), fixture_call(f, OP_COS, x, 0));
    Program *p = fixture_program(f);
    int sine = -1, cosine = -1;
    for (int i = 0; i < p->derivative.count; i++) {
        if (p->derivative.code[i].op == TAPE_OP_SIN) sine = i;
        if (p->derivative.code[i].op == TAPE_OP_COS) cosine = i;
    }
    assert_int_equal(abs(sine - cosine), 1);
    program_free(p);
    fixture_free(f);
}

// A chain x0 -> x1 -> ... of 100000 storages, and a sum that is as deep as it is long.
static void large_chains_stay_small(void **state) {
    (void)state;
    enum { N = 100000 };
    Fixture *f = fixture_new_of(N + 10);
    Dag *d = f->dag;
    Expr k = fixture_param(f, "k", fixture_number(f, 2)), flow = fixture_number(f, 0);
    for (int i = 0; i < N; i++) fixture_state_at(f, "x", i, i);
    for (int i = 0; i < N; i++) {
        Expr next = i + 1 < N
                        ? expr_mul(d, k, expr_sub(d, f->system.state[i], f->system.state[i + 1]))
                        : fixture_number(f, 0);
        f->rate[i] = expr_sub(d, flow, next);
        flow = next;
    }
    Program *p = fixture_program(f);
    assert_true(p->derivative.count < 5 * N);
    assert_true(p->register_count < 5 * N);
    assert_int_equal(p->nonzero_count, 3 * N - 2);
    assert_int_equal(p->jacobian.count, 0); // constants only
    assert_true(p->arena.bytes < 400 * (size_t)N);
    Machine *m = machine_new(p);
    double *rate = calloc(N, sizeof *rate);
    machine_derivative(m, 0, p->start, rate, NULL);
    assert_near(rate[0], 2, 0);
    assert_near(rate[N / 2], 0, 0);
    assert_near(rate[N - 1], -2, 0);
    free(rate);
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

static void deep_expressions_need_no_stack(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Expr x = fixture_state(f, "x", 0.5), e = x;
    for (int i = 0; i < 100000; i++)
        e = expr_add(f->dag, fixture_call(f, OP_SIN, e, 0), fixture_number(f, 0.25));
    f->rate[0] = e;
    Program *p = fixture_program(f);
    assert_true(p->register_count < 300000);
    Machine *m = machine_new(p);
    double rate, expected = 0.5;
    machine_derivative(m, 0, p->start, &rate, NULL);
    for (int i = 0; i < 100000; i++) expected = sin(expected) + 0.25;
    assert_near(rate, expected, 1e-12);
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

static void long_sums_have_sparse_columns(void **state) {
    (void)state;
    enum { N = 3000 };
    Fixture *f = fixture_new_of(N + 10);
    Dag *d = f->dag;
    Expr *term = calloc(N, sizeof *term);
    for (int i = 0; i < N; i++) fixture_state_at(f, "x", i, 1);
    Expr hub = f->system.state[0];
    for (int i = 1; i < N; i++) {
        term[i - 1] = fixture_call(f, OP_SIN, expr_sub(d, f->system.state[i], hub), 0);
        f->rate[i] = expr_neg(d, term[i - 1]);
    }
    f->rate[0] = expr_sum(d, term, N - 1);
    free(term);
    Program *p = fixture_program(f);
    assert_true(p->has_jacobian);
    assert_int_equal(p->nonzero_count, 3 * N - 2);
    program_free(p);
    fixture_free(f);
}

// The slopes are left out where no solver asks for them; the rates keep every bit.
static void explicit_methods_need_no_slopes(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Expr x = fixture_state(f, "x", 2);
    f->rate[0] = fixture_call(f, OP_SIN, expr_mul(f->dag, x, x), 0);
    Program *with = program_build(&f->system, &(ProgramOptions){0}, &f->report);
    Program *without = program_build(&f->system, &(ProgramOptions){.explicit = true}, &f->report);
    assert_true(with->has_jacobian);
    assert_false(without->has_jacobian);
    assert_null(without->column_start);
    assert_int_equal(without->jacobian.count, 0);
    Machine *m = machine_new(with), *n = machine_new(without);
    double at = 2, rate, same;
    assert_true(machine_derivative(m, 0, &at, &rate, NULL));
    assert_true(machine_derivative(n, 0, &at, &same, NULL));
    assert_memory_equal(&rate, &same, sizeof rate);
    machine_free(m);
    machine_free(n);
    program_free(with);
    program_free(without);
    fixture_free(f);
}

// --- blocks --------------------------------------------------------------------------------------

static void linear_blocks_are_solved(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 2), r = fixture_param(f, "r", fixture_number(f, 3));
    Expr u = fixture_symbol(f, "u"), v = fixture_symbol(f, "v");
    // u + r v = x,  1e9 u - 1e9 v x = 1e9: badly scaled rows
    Expr big = fixture_number(f, 1e9);
    Expr residual[2] = {
        expr_sub(d, expr_add(d, u, expr_mul(d, r, v)), x),
        expr_sub(d, expr_mul(d, big, expr_sub(d, u, expr_mul(d, v, x))), big),
    };
    fixture_block(f, 2, (Expr[]){u, v}, residual, true);
    f->rate[0] = expr_add(d, u, expr_mul(d, v, x));
    f->output[f->output_count++] = v;
    Program *p = fixture_program(f);
    assert_int_equal(p->block[0].jacobian.count, 0);
    Machine *m = machine_new(p);
    double at = 2, rate, out, nonzero[1];
    // u = 1 + 2v, 1 + 5v = 2: v = 0.2, u = 1.4
    assert_true(machine_derivative(m, 0, &at, &rate, NULL));
    assert_near(rate, 1.8, 1e-14);
    assert_true(machine_outputs(m, 0, &at, &out));
    assert_near(out, 0.2, 1e-15);
    // v = (x-1)/(3+x), u = x - 3v; rate = x + v (x - 3); d/dx = 1 + v + (x-3) 4/(3+x)^2
    assert_true(p->has_jacobian);
    assert_true(machine_jacobian(m, 0, &at, nonzero));
    assert_near(nonzero[0], 1 + 0.2 - 4.0 / 25, 1e-14);
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

static void nonlinear_blocks_converge_and_warm_start(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 2), u = fixture_symbol(f, "u"), v = fixture_symbol(f, "v");
    // first block: u^3 + u = x; second: exp(v) + v = u + x
    fixture_block(f, 1, &u,
                  (Expr[]){expr_sub(d, expr_add(d, expr_pow(d, u, fixture_number(f, 3)), u), x)},
                  false);
    fixture_block(
        f, 1, &v,
        (Expr[]){expr_sub(d, expr_add(d, fixture_call(f, OP_EXP, v, 0), v), expr_add(d, u, x))},
        false);
    f->rate[0] = expr_sub(d, v, u);
    Program *p = fixture_program(f);
    Machine *m = machine_new(p);
    for (double at = -3; at <= 3; at += 0.25) {
        double rate, nonzero[1], uu = 0, vv = 0;
        assert_true(machine_derivative(m, 0, &at, &rate, NULL));
        for (int i = 0; i < 200; i++) uu -= (uu * uu * uu + uu - at) / (3 * uu * uu + 1);
        for (int i = 0; i < 200; i++) vv -= (exp(vv) + vv - uu - at) / (exp(vv) + 1);
        assert_near(rate, vv - uu, 1e-13);
        assert_true(machine_jacobian(m, 0, &at, nonzero));
        double du = 1 / (3 * uu * uu + 1), dv = (du + 1) / (exp(vv) + 1);
        assert_near(nonzero[0], dv - du, 1e-12);
    }
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

// Powers of quarters are made of roots where that keeps slopes: to a few units of the last digit
// over all sizes, and at zero.
static void powers_of_quarters_are_roots(void **state) {
    (void)state;
    static const double exponent[] = {0.25, -0.25, 0.5,  -0.5,  0.75, -0.75,
                                      1.25, -1.25, 1.75, -2.75, 3.5};
    enum { COUNT = sizeof exponent / sizeof *exponent };
    Fixture *f = fixture_new();
    Expr x = fixture_state(f, "x", 1);
    f->rate[0] = x;
    for (int i = 0; i < COUNT; i++)
        f->output[f->output_count++] = expr_pow(f->dag, x, fixture_number(f, exponent[i]));
    Program *p = fixture_program(f);
    Machine *m = machine_new(p);
    double out[COUNT];
    for (double at = 1e-60; at < 1e60; at *= 3.7) {
        assert_true(machine_outputs(m, 0, &at, out));
        for (int i = 0; i < COUNT; i++) {
            double exact = pow(at, exponent[i]);
            assert_near(out[i], exact, 8 * 2.2e-16 * exact);
        }
    }
    double zero = 0;
    assert_true(machine_outputs(m, 0, &zero, out));
    for (int i = 0; i < COUNT; i++) assert_true(out[i] == pow(0, exponent[i]));
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

// x^(5/4) has the slope 0 at zero, which the product of x and its fourth root has not.
static void powers_of_quarters_keep_their_slopes(void **state) {
    (void)state;
    static const double exponent[] = {1.25, 1.75, 2.25};
    for (int i = 0; i < 3; i++) {
        Fixture *f = fixture_new();
        Expr x = fixture_state(f, "x", 0);
        f->rate[0] = expr_pow(f->dag, x, fixture_number(f, exponent[i]));
        Program *p = fixture_program(f);
        Machine *m = machine_new(p);
        double at = 0, slope[1];
        assert_true(machine_jacobian(m, 0, &at, slope));
        assert_true(slope[0] == 0);
        machine_free(m);
        program_free(p);
        fixture_free(f);
    }
}

static void hopeless_blocks_are_named(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), u = fixture_symbol(f, "valve.e");
    fixture_block(f, 1, &u, (Expr[]){expr_add(d, expr_mul(d, u, u), x)}, false);
    f->rate[0] = u;
    Program *p = fixture_program(f);
    Machine *m = machine_new(p);
    double at = 1, rate;
    assert_false(machine_derivative(m, 0, &at, &rate, NULL));
    assert_int_equal(m->failed_block, 0);
    assert_string_equal(p->block[0].what, "'valve.e'");
    at = -4;
    assert_true(machine_derivative(m, 0, &at, &rate, NULL));
    assert_near(fabs(rate), 2, 1e-12);
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

// --- switches and troubles -----------------------------------------------------------------------

static void switches_are_held(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1);
    Expr high = fixture_call(f, OP_LESS, fixture_number(f, 3), x);
    f->rate[0] = expr_if(d, high, fixture_number(f, -1), fixture_number(f, 1));
    Program *p = fixture_program(f);
    assert_int_equal(p->switch_count, 1);
    Machine *m = machine_new(p);
    double low_x = 2, high_x = 4, rate, event_function;
    machine_derivative(m, 0, &high_x, &rate, NULL);
    assert_near(rate, -1, 0);
    machine_switches(m, 0, &high_x, &event_function);
    assert_near(event_function, -1, 0);
    machine_update_switches(m, 0, &low_x);
    m->hold = true;
    machine_derivative(m, 0, &high_x, &rate, NULL);
    assert_near(rate, 1, 0);
    machine_update_switches(m, 0, &high_x);
    machine_derivative(m, 0, &high_x, &rate, NULL);
    assert_near(rate, -1, 0);
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

static void constant_division_by_zero_is_refused(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Expr m = fixture_param(f, "mass", fixture_number(f, 0)), x = fixture_state(f, "x", 1);
    f->rate[0] = expr_div(f->dag, x, m);
    assert_null(fixture_try(f));
    assert_int_equal(f->report.first->code, E_DIVISION_BY_ZERO);
    assert_non_null(strstr(f->report.first->message, "mass = 0"));
    fixture_free(f);
}

static void unselected_branches_may_divide_by_zero(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr r = fixture_param(f, "r", fixture_number(f, 0)), x = fixture_state(f, "x", 1);
    Expr on = fixture_call(f, OP_LESS, fixture_number(f, 0), r);
    f->rate[0] = expr_if(d, on, expr_div(d, x, r), expr_neg(d, x));
    Program *p = fixture_program(f);
    Machine *m = machine_new(p);
    double one = 1, rate;
    machine_derivative(m, 0, &one, &rate, NULL);
    assert_near(rate, -1, 0);
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

static void troubles_are_explained(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), k = fixture_param(f, "k", fixture_number(f, 2));
    f->rate[0] = expr_mul(d, k, expr_sqrt(d, expr_sub(d, x, fixture_number(f, 3))));
    f->output[f->output_count++] = expr_div(d, k, expr_sub(d, x, fixture_number(f, 1)));
    Program *p = fixture_program(f);
    Machine *m = machine_new(p);
    double one = 1;
    Text why = {0};
    machine_explain_rate(m, 0, &one, 0, &why);
    assert_non_null(strstr(text_get(&why), "root of a negative number"));
    assert_non_null(strstr(text_get(&why), "= -2"));
    text_clear(&why);
    machine_explain_output(m, 0, &one, 0, &why);
    assert_non_null(strstr(text_get(&why), "division by zero"));
    text_free(&why);
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

static void unsolved_variables_are_refused(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    fixture_state(f, "x", 1);
    f->rate[0] = fixture_symbol(f, "ghost");
    assert_null(fixture_try(f));
    assert_int_equal(f->report.first->code, E_NO_VALUE);
    assert_non_null(strstr(f->report.first->message, "ghost"));
    fixture_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tapes_agree_with_expressions),
        cmocka_unit_test(jacobian_agrees_with_derivatives),
        cmocka_unit_test(parameters_are_prepared_once),
        cmocka_unit_test(parameters_made_of_others_follow),
        cmocka_unit_test(circles_of_parameters_are_refused),
        cmocka_unit_test(sine_and_cosine_stand_side_by_side),
        cmocka_unit_test(large_chains_stay_small),
        cmocka_unit_test(deep_expressions_need_no_stack),
        cmocka_unit_test(long_sums_have_sparse_columns),
        cmocka_unit_test(explicit_methods_need_no_slopes),
        cmocka_unit_test(linear_blocks_are_solved),
        cmocka_unit_test(nonlinear_blocks_converge_and_warm_start),
        cmocka_unit_test(powers_of_quarters_are_roots),
        cmocka_unit_test(powers_of_quarters_keep_their_slopes),
        cmocka_unit_test(hopeless_blocks_are_named),
        cmocka_unit_test(switches_are_held),
        cmocka_unit_test(constant_division_by_zero_is_refused),
        cmocka_unit_test(unselected_branches_may_divide_by_zero),
        cmocka_unit_test(troubles_are_explained),
        cmocka_unit_test(unsolved_variables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
