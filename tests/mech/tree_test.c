// Random trees of all kinds of joints: the momentum form, the Lagrange form by both methods and the
// recursive Newton-Euler form, written apart, must agree; power must balance; what frames show must
// follow from their poses.
#include "random_tree.h"

// B w: the efforts of accelerations w at rest and without weight.
static void reference_momentum(World *s, Expr *p) {
    Expr still[VELOCITIES], zero = expr_number(s->d, 0);
    Mechanism weightless = s->m;
    for (int i = 0; i < 3; i++) weightless.gravity[i] = zero;
    for (int i = 0; i < s->nv; i++) still[i] = zero;
    Matrix a = mech_inverse_dynamics(&s->arena, s->d, &weightless, s->q, still, s->w, NULL);
    for (int i = 0; i < s->nv; i++) p[i] = a.at[i];
}

// Values of p and of its rate, where w has the rate `acceleration`.
static void reference_momenta(World *s, const Expr *q_rate, const double *acceleration, double *p,
                              double *p_rate) {
    Expr momentum[VELOCITIES], rate[VELOCITIES];
    reference_momentum(s, momentum);
    Rates *rates = rates_new(s->d);
    for (int i = 0; i < s->nq; i++) rates_set(rates, s->q[i], q_rate[i]);
    for (int i = 0; i < s->nv; i++) rates_set(rates, s->w[i], expr_number(s->d, acceleration[i]));
    for (int i = 0; i < s->nv; i++) rate[i] = rates_of(rates, momentum[i]);
    rates_free(rates);
    evaluate(s, momentum, s->nv, p);
    evaluate(s, rate, s->nv, p_rate);
}

// T + V changes by what efforts and wrenches put in.
static void check_power(World *s, const MechEquations *e) {
    Expr put_in[VELOCITIES + 6 * BODIES], roots[2];
    int n = 0;
    for (int i = 0; i < s->nv; i++) put_in[n++] = expr_mul(s->d, s->effort[i], e->w[i]);
    for (int i = 0; i < 6 * s->m.frame_count; i++)
        put_in[n++] = expr_mul(s->d, s->wrench[i], e->frame_twist[i]);
    Rates *rates = rates_new(s->d);
    for (int i = 0; i < s->nq; i++) rates_set(rates, s->q[i], e->q_rate[i]);
    for (int i = 0; i < s->nv; i++) rates_set(rates, s->p[i], e->p_rate[i]);
    roots[0] = rates_of(rates, expr_add(s->d, e->kinetic, e->potential));
    roots[1] = expr_sum(s->d, put_in, n);
    rates_free(rates);
    double power[2], part[VELOCITIES + 6 * BODIES], scale = 0;
    evaluate(s, roots, 2, power);
    evaluate(s, put_in, n, part);
    for (int i = 0; i < n; i++) scale += fabs(part[i]);
    assert_near(power[0], power[1], 1e-12 * scale);
}

// position' = R v and R' = R omega~
static void check_frames(World *s, const MechEquations *e) {
    Rates *rates = rates_new(s->d);
    for (int i = 0; i < s->nq; i++) rates_set(rates, s->q[i], e->q_rate[i]);
    for (int f = 0; f < s->m.frame_count; f++) {
        Expr roots[12 + 9 + 6];
        double v[12 + 9 + 6], expected[12];
        for (int i = 0; i < 3; i++) roots[i] = rates_of(rates, e->frame_position[3 * f + i]);
        for (int i = 0; i < 9; i++) roots[3 + i] = rates_of(rates, e->frame_rotation[9 * f + i]);
        for (int i = 0; i < 9; i++) roots[12 + i] = e->frame_rotation[9 * f + i];
        for (int i = 0; i < 6; i++) roots[21 + i] = e->frame_twist[6 * f + i];
        evaluate(s, roots, 27, v);
        const double *R = v + 12, *t = v + 21, *o = v + 24;
        for (int i = 0; i < 3; i++) {
            expected[i] = R[3 * i] * t[0] + R[3 * i + 1] * t[1] + R[3 * i + 2] * t[2];
            for (int j = 0; j < 3; j++) {
                int k = (j + 1) % 3, l = (j + 2) % 3; // column j of omega~ is omega x e_j
                expected[3 + 3 * i + j] = R[3 * i + k] * o[l] - R[3 * i + l] * o[k];
            }
        }
        assert_vector(v, expected, 12, 1e-11);
    }
    rates_free(rates);
}

// B a + C w + g = effort + J' wrench, C w = bias, B' - 2 C skew, J w = twist, beta w = q'
static void check_matrices(World *s, const MechEquations *e, const double *a) {
    enum { MOST = 12 };
    int n = s->nv;
    Arena *out = &s->arena;
    Matrix B = mech_mass_matrix(out, s->d, &s->m, s->q), w = {n, 1, s->w};
    Matrix C = mech_coriolis(out, s->d, &s->m, s->q, s->w);
    Matrix Cw = matrix_multiply(out, s->d, C, w);
    Matrix sum = matrix_multiply(out, s->d, B, (Matrix){n, 1, s->w_rate});
    sum = matrix_add(out, s->d, sum, Cw);
    sum = matrix_add(out, s->d, sum, mech_gravity_vector(out, s->d, &s->m, s->q));
    sum = matrix_sub(out, s->d, sum, (Matrix){n, 1, s->effort});
    for (int f = 0; f < s->m.frame_count; f++) {
        double twist[6];
        Matrix J = mech_frame_jacobian(out, s->d, &s->m, f, s->q);
        Matrix wrench = {6, 1, s->wrench + 6 * f};
        Matrix load = matrix_multiply(out, s->d, matrix_transpose(out, J), wrench);
        sum = matrix_sub(out, s->d, sum, load);
        evaluate(s, e->frame_twist + 6 * f, 6, twist);
        assert_roots(s, matrix_multiply(out, s->d, J, w).at, twist, 6, 1e-11);
    }
    double rest[MOST], bias[MOST], rate[COORDINATES], skew[MOST * MOST];
    evaluate(s, sum.at, n, rest);
    assert_true(largest(rest, n) < 1e-9 * fmax(1, largest(a, n)));
    evaluate(s, mech_bias(out, s->d, &s->m, s->q, s->w).at, n, bias);
    evaluate(s, Cw.at, n, rest);
    for (int i = 0; i < n; i++) assert_near(rest[i], bias[i], 1e-10 * fmax(1, largest(bias, n)));
    evaluate(s, e->q_rate, s->nq, rate);
    Matrix beta = mech_beta(out, s->d, &s->m, s->q);
    assert_roots(s, matrix_multiply(out, s->d, beta, w).at, rate, s->nq, 1e-12);
    Rates *rates = rates_new(s->d);
    for (int i = 0; i < s->nq; i++) rates_set(rates, s->q[i], e->q_rate[i]);
    Matrix symmetric = matrix_add(out, s->d, C, matrix_transpose(out, C));
    for (int i = 0; i < n * n; i++)
        symmetric.at[i] = expr_sub(s->d, rates_of(rates, B.at[i]), symmetric.at[i]);
    rates_free(rates);
    evaluate(s, symmetric.at, n * n, skew);
    assert_true(largest(skew, n * n) < 1e-10);
}

static void check_tree(uint64_t seed, int n, bool added, bool angles) {
    World *s = random_tree(seed, n, added);
    if (angles) take_angles(s, seed + 1);
    double a[VELOCITIES], other[VELOCITIES], effort[VELOCITIES], p[VELOCITIES], p_rate[VELOCITIES];
    double w[VELOCITIES], T[2];
    bool small = s->nv <= 16; // composite bodies take long for deep trees
    MechEquations *lagrange =
        mech_lagrange_form(&s->arena, s->d, &s->m, &s->in, METHOD_ARTICULATED);
    evaluate(s, lagrange->acceleration, s->nv, a);
    if (small) {
        MechEquations *e = mech_lagrange_form(&s->arena, s->d, &s->m, &s->in, METHOD_COMPOSITE);
        evaluate(s, e->acceleration, s->nv, other);
        assert_vector(other, a, s->nv, 1e-10);
    }
    // Newton-Euler gives the efforts back
    Matrix inverse =
        mech_inverse_dynamics(&s->arena, s->d, &s->m, s->q, s->w, s->w_rate, s->wrench);
    set_values(s, s->w_rate, a, s->nv);
    evaluate(s, s->effort, s->nv, effort);
    double scale = fmax(1, largest(a, s->nv)), found[VELOCITIES];
    evaluate(s, inverse.at, s->nv, found);
    for (int i = 0; i < s->nv; i++) assert_near(found[i] / scale, effort[i] / scale, 1e-10);
    if (s->nv <= 12) check_matrices(s, lagrange, a);
    // momentum form
    reference_momenta(s, lagrange->q_rate, a, p, p_rate);
    set_values(s, s->p, p, s->nv);
    evaluate(s, s->w, s->nv, w);
    for (int method = METHOD_AUTO; method <= METHOD_ARTICULATED; method++) {
        bool twice = method == METHOD_ARTICULATED; // what AUTO chooses for the others
        if (small ? method == METHOD_AUTO : twice || method == METHOD_COMPOSITE) continue;
        MechEquations *e = mech_momentum_form(&s->arena, s->d, &s->m, &s->in, (MechMethod)method);
        assert_roots(s, e->w, w, s->nv, 1e-10);
        assert_roots(s, e->p_rate, p_rate, s->nv, 1e-10);
        evaluate(s, &e->kinetic, 1, &T[0]);
        evaluate(s, &lagrange->kinetic, 1, &T[1]);
        assert_near(T[0], T[1], 1e-10 * T[1]);
        check_power(s, e);
        if (method != METHOD_COMPOSITE) check_frames(s, e);
    }
    world_free(s);
}

// Under sanitizers every third tree: all forms, methods and kinds of joints are in those, and the
// largest.
#ifdef __SANITIZE_ADDRESS__
enum { EVERY = 3 };
#else
enum { EVERY = 1 };
#endif

static void forms_agree_on_random_trees(void **state) {
    (void)state;
    for (int i = 199 % EVERY; i < 200; i += EVERY) { // many small ones, the last with 40 joints
        int joints = 1 + (int)(39 * pow(i / 199.0, 5) + 0.5);
        check_tree(0x9E3779B97F4A7C15ULL + 977 * (uint64_t)i, joints, i % 2, false);
    }
}

// Frames turn with the angular velocity: R' = R omega~ holds for all sequences of axes.
static void forms_agree_with_angles(void **state) {
    (void)state;
    for (int i = 59 % EVERY; i < 60; i += EVERY)
        check_tree(0xD1B54A32D192ED03ULL + 1009 * (uint64_t)i, 1 + i / 10, i % 2, true);
}

// The same mechanism declared backwards gives the same nodes.
static void order_of_declaration_does_not_matter(void **state) {
    (void)state;
    World *s = random_tree(0x2545F4914F6CDD1DULL, 12, true);
    static MechBody body[BODIES];
    static MechJoint joint[BODIES];
    Expr q[COORDINATES], p[VELOCITIES];
    int n = s->m.body_count, nq = 0, nv = 0;
    Mechanism backwards = s->m;
    MechEquations *e = mech_momentum_form(&s->arena, s->d, &s->m, &s->in, METHOD_AUTO);
    backwards.body = body;
    backwards.joint = joint;
    backwards.frame_count = 0;
    for (int i = 0; i < n; i++) {
        MechJoint *j = &joint[i];
        body[i] = s->body[n - 1 - i];
        *j = s->joint[n - 1 - i];
        j->parent = j->parent < 0 ? -1 : n - 1 - j->parent;
        j->child = n - 1 - j->child;
        for (int k = 0; k < joint_coordinates(j); k++) q[nq++] = s->q[e->joint_q[n - 1 - i] + k];
        for (int k = 0; k < joint_velocities(j->kind); k++)
            p[nv++] = s->p[e->joint_v[n - 1 - i] + k];
    }
    MechInputs in = {.q = q, .p = p}, plain = {.q = s->q, .p = s->p};
    MechEquations *same = mech_momentum_form(&s->arena, s->d, &backwards, &in, METHOD_AUTO);
    e = mech_momentum_form(&s->arena, s->d, &s->m, &plain, METHOD_AUTO);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < joint_velocities(joint[i].kind); k++) {
            int there = e->joint_v[n - 1 - i] + k, here = same->joint_v[i] + k;
            assert_int_equal(same->w[here], e->w[there]);
            assert_int_equal(same->p_rate[here], e->p_rate[there]);
        }
    assert_int_equal(same->kinetic, e->kinetic);
    assert_int_equal(same->potential, e->potential);
    world_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms_agree_on_random_trees),
                                       cmocka_unit_test(forms_agree_with_angles),
                                       cmocka_unit_test(order_of_declaration_does_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
