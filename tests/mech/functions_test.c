// Functions that mechanisms lend, against the matrices of `derive` and against Newton-Euler in the
// axes of the world, which shares no code with them: a vehicle with every sort of joint, and a
// chain of angles and lengths, where C is unique.
#include "../test.h"

#include "lang/lang.h"
#include "mech/functions.h"
#include "mech/mech.h"
#include <string.h>

static const char vehicle[] =
    "mechanism M\n"
    "  param L = 0.7 {m}, m = 3 {kg}\n"
    "  joint z_base free: world -> hull\n"
    "  joint q1 revolute z: hull -> upper at (0.2, 0, 0.1) {m} rotated y 0.3 {rad}\n"
    "  joint q2 universal x y: upper -> lower at (0, L, 0)\n"
    "  joint q3 prismatic (1, 1, 0): lower -> rod\n"
    "  joint q4 planar x: hull -> plate at (0, -0.4, 0) {m}\n"
    "  joint q5 helical z pitch 0.05 {m/rad}: plate -> nut\n"
    "  joint q6 spherical: nut -> ball at (0, 0.1, 0.3) {m}\n"
    "  body hull mass 20 {kg} cg (0.1, 0, 0.02) {m} inertia (1, 2, 2.5, 0.1, 0, 0.2) {kg.m2}\n"
    "  body upper mass m cg (0, L/2, 0) inertia (0.2, 0.01, 0.2) {kg.m2}\n"
    "  body lower mass 1 {kg} cg (0, 0.2, 0.1) {m} inertia (0.03, 0.02, 0.04) {kg.m2}\n"
    "  body rod mass 0.5 {kg} inertia (0.01, 0.01, 0.01) {kg.m2}\n"
    "  body plate mass 2 {kg} cg (0.1, 0.1, 0) {m} inertia (0.1, 0.1, 0.15) {kg.m2}\n"
    "  body nut mass 0.3 {kg} inertia (0.01, 0.02, 0.02) {kg.m2}\n"
    "  body ball mass 0.8 {kg} cg (0.02, -0.01, 0.03) {m} inertia (0.02, 0.03, 0.04) {kg.m2}\n"
    "  frame tip on rod at (0, 0.3, 0) {m} rotated x 20 {deg}\n"
    "  frame eye on ball at (0.1, 0.2, 0) {m} rotated y 40 {deg} in world\n"
    "end\n";

static const char chain[] =
    "mechanism M\n"
    "  param L = 0.7 {m}\n"
    "  joint q1 revolute z: world -> a rotated y 0.3 {rad}\n"
    "  joint q2 prismatic x: a -> b at (0, L, 0)\n"
    "  joint q3 revolute (1, 2, 3): b -> c at (0.3, 0, 0.2) {m}\n"
    "  joint q4 helical y pitch 0.1 {m/rad}: c -> e\n"
    "  joint q5 revolute x: b -> f at (0, 0.5, 0) {m}\n"
    "  body a mass 3 {kg} cg (0, L/2, 0) inertia (0.2, 0.01, 0.2) {kg.m2}\n"
    "  body b mass 1 {kg} cg (0, 0.2, 0.1) {m} inertia (0.03, 0.02, 0.04) {kg.m2}\n"
    "  body c mass 0.5 {kg} cg (0.1, 0, 0.05) {m} inertia (0.01, 0.012, 0.014) {kg.m2}\n"
    "    added_mass diag((1, 2, 3, 0.1, 0.2, 0.3))\n"
    "  body e mass 2 {kg} cg (0.1, 0.1, 0) {m} inertia (0.1, 0.1, 0.15) {kg.m2}\n"
    "  body f mass 0.7 {kg} cg (0, 0.1, 0.1) {m} inertia (0.02, 0.03, 0.04) {kg.m2}\n"
    "end\n";

enum { MOST = 24 };

typedef struct {
    Arena arena;
    Names *names;
    Sources *sources;
    Report report;
    Model *model;
    const Mechanism *m;
    Dag *d;
    int nq, nv;
    Expr q[MOST], w[MOST], a[MOST]; // symbols; a: the efforts of the joints serve as a third vector
    double *value;
} Fixture;

static void take_symbols(Fixture *f) {
    for (int i = 0; i < f->m->joint_count; i++) {
        const MechJoint *j = &f->m->joint[i];
        for (int c = 0; c < joint_coordinates(j); c++)
            f->q[f->nq++] = f->model->var[j->coordinate[c]].symbol;
        for (int c = 0; c < joint_velocities(j->kind); c++, f->nv++) {
            f->w[f->nv] = f->model->var[j->f + c].symbol;
            f->a[f->nv] = f->model->var[j->e + c].symbol;
        }
    }
}

static double *slot(const Fixture *f, Expr symbol) {
    return &f->value[expr_symbol_index(f->d, symbol)];
}

static void open_fixture(Fixture *f, const char *text) {
    *f = (Fixture){.names = names_new(), .sources = sources_new()};
    Syntax *s = lang_load_text(&f->arena, f->names, f->sources, "m.bond", text, strlen(text), NULL,
                               &f->report);
    f->model = lang_instantiate(&f->arena, s, "M", NULL, NULL, NULL, &f->report);
    if (!f->model) {
        Text t = {0};
        report_print(&t, &f->report, f->sources);
        fail_msg("%s", text_get(&t));
    }
    f->m = mech_outwards(&f->arena, &f->model->mechanism[0]);
    f->d = dag_grow(f->model->dag);
    take_symbols(f);
    f->value = ARENA_ARRAY(&f->arena, double, expr_symbol_count(f->d));
    for (int v = 0; v < f->model->var_count; v++)
        if (f->model->var[v].kind == VAR_PARAM)
            *slot(f, f->model->var[v].symbol) =
                expr_evaluate(f->d, f->model->var[v].value, f->value);
    for (int i = 0; i < f->nq; i++) *slot(f, f->q[i]) = cos(1.7 * i) + 0.1 * i;
    for (int i = 0; i < f->nv; i++) *slot(f, f->w[i]) = sin(2.3 * i + 1);
    for (int i = 0; i < f->nv; i++) *slot(f, f->a[i]) = 3 * sin(1.3 * i + 2);
}

static void close_fixture(Fixture *f) {
    model_free_expressions(f->model);
    arena_free(&f->arena);
    report_free(&f->report);
    sources_free(f->sources);
    names_free(f->names);
}

static Matrix asked(Fixture *f, ModelFunction which, const Expr *w, const Expr *x) {
    ModelCall call = {.which = which, .q = f->q, .w = w, .x = x};
    return mech_function(&f->arena, f->d, f->m, &call);
}

// Entry by entry. The numbers are of the size 1 to 300, so 1e-12 leaves three digits for rounding.
static void assert_same(const Fixture *f, Matrix a, Matrix b) {
    assert_int_equal(a.rows, b.rows);
    assert_int_equal(a.cols, b.cols);
    for (int i = 0; i < a.rows * a.cols; i++)
        assert_near(expr_evaluate(f->d, a.at[i], f->value), expr_evaluate(f->d, b.at[i], f->value),
                    1e-12 * (1 + fabs(expr_evaluate(f->d, b.at[i], f->value))));
}

static Matrix column(Expr *x, int n) { return (Matrix){n, 1, x}; }

static void test_matrices_are_those_of_derive(void **state) {
    const char *const text[] = {vehicle, chain};
    (void)state;
    for (int k = 0; k < 2; k++) {
        Fixture f;
        open_fixture(&f, text[k]);
        Matrix B = mech_mass_matrix(&f.arena, f.d, f.m, f.q), w = column(f.w, f.nv);
        assert_same(&f, asked(&f, MODEL_B, NULL, NULL), B);
        assert_same(&f, asked(&f, MODEL_BX, f.w, NULL), matrix_multiply(&f.arena, f.d, B, w));
        assert_same(&f, asked(&f, MODEL_G, NULL, NULL),
                    mech_gravity_vector(&f.arena, f.d, f.m, f.q));
        Matrix bias = mech_bias(&f.arena, f.d, f.m, f.q, f.w);
        assert_same(&f, asked(&f, MODEL_CW, f.w, NULL), bias);
        assert_same(&f, asked(&f, MODEL_CW, f.w, f.w), bias);
        Matrix C = asked(&f, MODEL_C, f.w, NULL);
        assert_same(&f, matrix_multiply(&f.arena, f.d, C, w), bias);
        assert_same(&f, asked(&f, MODEL_CW, f.w, f.a),
                    matrix_multiply(&f.arena, f.d, C, column(f.a, f.nv)));
        close_fixture(&f);
    }
}

// Between angles and lengths C is unique: that of the Christoffel symbols.
static void test_coriolis_matrix_of_a_chain(void **state) {
    Fixture f;
    (void)state;
    open_fixture(&f, chain);
    assert_same(&f, asked(&f, MODEL_C, f.w, NULL), mech_coriolis(&f.arena, f.d, f.m, f.q, f.w));
    close_fixture(&f);
}

// dB/dt = C + C', with dB/dt as the derivative of B along q' = beta w.
static void test_rate_of_inertia(void **state) {
    const char *const text[] = {vehicle, chain};
    (void)state;
    for (int k = 0; k < 2; k++) {
        Fixture f;
        open_fixture(&f, text[k]);
        Matrix C = asked(&f, MODEL_C, f.w, NULL), B = asked(&f, MODEL_B, NULL, NULL);
        Matrix rate =
            matrix_multiply(&f.arena, f.d, mech_beta(&f.arena, f.d, f.m, f.q), column(f.w, f.nv));
        Rates *rates = rates_new(f.d);
        for (int i = 0; i < f.nq; i++) rates_set(rates, f.q[i], rate.at[i]);
        for (int i = 0; i < f.nv * f.nv; i++) B.at[i] = rates_of(rates, B.at[i]);
        rates_free(rates);
        assert_same(&f, B, matrix_add(&f.arena, f.d, C, matrix_transpose(&f.arena, C)));
        close_fixture(&f);
    }
}

static void test_inverse_of_forward_dynamics(void **state) {
    const char *const text[] = {vehicle, chain};
    (void)state;
    for (int k = 0; k < 2; k++) {
        Fixture f;
        open_fixture(&f, text[k]);
        Matrix forward = asked(&f, MODEL_FORWARD, f.w, f.a);
        assert_same(&f, asked(&f, MODEL_INVERSE, f.w, forward.at), column(f.a, f.nv));
        assert_same(&f, asked(&f, MODEL_INVERSE, f.w, f.a),
                    mech_inverse_dynamics(&f.arena, f.d, f.m, f.q, f.w, f.a, NULL));
        close_fixture(&f);
    }
}

// The velocity of a frame is J w, and the rate of its place, turned into its axes.
static void test_frames(void **state) {
    Fixture f;
    (void)state;
    open_fixture(&f, vehicle);
    Matrix beta = mech_beta(&f.arena, f.d, f.m, f.q);
    Matrix q_rate = matrix_multiply(&f.arena, f.d, beta, column(f.w, f.nv));
    Rates *rates = rates_new(f.d);
    for (int i = 0; i < f.nq; i++) rates_set(rates, f.q[i], q_rate.at[i]);
    for (int frame = 0; frame < f.m->frame_count; frame++) {
        ModelCall call = {.which = MODEL_POSITION, .frame = frame, .q = f.q};
        Matrix velocity = mech_function(&f.arena, f.d, f.m, &call);
        for (int i = 0; i < 3; i++) velocity.at[i] = rates_of(rates, velocity.at[i]);
        call.which = MODEL_ROTATION;
        Matrix R = mech_function(&f.arena, f.d, f.m, &call);
        call.which = MODEL_JACOBIAN;
        Matrix twist = matrix_multiply(&f.arena, f.d, mech_function(&f.arena, f.d, f.m, &call),
                                       column(f.w, f.nv));
        if (!f.m->frame[frame].world_axes)
            velocity = matrix_multiply(&f.arena, f.d, matrix_transpose(&f.arena, R), velocity);
        assert_same(&f, column(twist.at, 3), velocity);
    }
    rates_free(rates);
    close_fixture(&f);
}

// Energies: T by its matrix; g is the slope of V, and their sum is kept by the free motion.
static void test_energies(void **state) {
    Fixture f;
    (void)state;
    open_fixture(&f, vehicle);
    Matrix p = asked(&f, MODEL_BX, f.w, NULL), T = asked(&f, MODEL_T, f.w, NULL);
    Expr half = expr_mul(f.d, expr_number(f.d, 0.5), matrix_dot(f.d, p, column(f.w, f.nv)));
    assert_same(&f, T, matrix_scalar(&f.arena, half));
    Matrix beta = mech_beta(&f.arena, f.d, f.m, f.q), V = asked(&f, MODEL_V, NULL, NULL);
    Matrix q_rate = matrix_multiply(&f.arena, f.d, beta, column(f.w, f.nv));
    Rates *rates = rates_new(f.d);
    for (int i = 0; i < f.nq; i++) rates_set(rates, f.q[i], q_rate.at[i]);
    Matrix lifted = matrix_scalar(&f.arena, rates_of(rates, V.at[0]));
    Matrix g = asked(&f, MODEL_G, NULL, NULL);
    assert_same(&f, lifted, matrix_scalar(&f.arena, matrix_dot(f.d, g, column(f.w, f.nv))));
    rates_free(rates);
    close_fixture(&f);
}

// Joints count from the world outwards, whatever they are called.
static void test_order_of_joints(void **state) {
    Fixture f;
    (void)state;
    open_fixture(&f, "mechanism M\n"
                     "  joint shoulder revolute z: world -> arm\n"
                     "  joint lift prismatic z: arm -> hand at (1, 0, 0) {m}\n"
                     "  body arm mass 2 {kg} inertia (0.1, 0.1, 0.1) {kg.m2}\n"
                     "  body hand mass 3 {kg} inertia (0.1, 0.1, 0.1) {kg.m2}\n"
                     "end\n");
    const Mechanism *by_name = &f.model->mechanism[0];
    ModelCall call = {.which = MODEL_G, .q = f.q};
    Matrix g = mech_function(&f.arena, f.d, by_name, &call);
    assert_near(expr_evaluate(f.d, g.at[0], f.value), 0, 0);
    assert_near(expr_evaluate(f.d, g.at[1], f.value), 3 * 9.81, 1e-14);
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices_are_those_of_derive),
        cmocka_unit_test(test_coriolis_matrix_of_a_chain),
        cmocka_unit_test(test_rate_of_inertia),
        cmocka_unit_test(test_inverse_of_forward_dynamics),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_energies),
        cmocka_unit_test(test_order_of_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
