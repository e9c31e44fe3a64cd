// Mechanisms of the literature at states and along trajectories that were computed independently:
// the pendulum on a wagon, a spatial chain, a tumbling body, a vehicle with equipment, the Titan 4
// arm and an ROV with the first three links of it. Several wrong formulas conserve energy, so
// momenta, accelerations and trajectories are compared.
#include "motion.h"

static const double none[3] = {0, 0, 0};

// w' at the present state
static void check_acceleration(World *s, const double *expected, double tolerance) {
    MechEquations *e = mech_lagrange_form(&s->arena, s->d, &s->m, &s->in, METHOD_AUTO);
    assert_roots(s, e->acceleration, expected, s->nv, tolerance);
    e = mech_lagrange_form(&s->arena, s->d, &s->m, &s->in, METHOD_ARTICULATED);
    assert_roots(s, e->acceleration, expected, s->nv, tolerance);
}

// p' without any effort, at the present state of q and w
static void check_p_rate(World *s, const double *expected, double tolerance) {
    double p[VELOCITIES], w[VELOCITIES];
    evaluate(s, mech_momenta(&s->arena, s->d, &s->m, s->q, s->w).at, s->nv, p);
    set_values(s, s->p, p, s->nv);
    evaluate(s, s->w, s->nv, w);
    for (int method = METHOD_COMPOSITE; method <= METHOD_ARTICULATED; method++) {
        MechEquations *e = mech_momentum_form(&s->arena, s->d, &s->m, &s->in, (MechMethod)method);
        assert_roots(s, e->w, w, s->nv, 1e-10);
        assert_roots(s, e->p_rate, expected, s->nv, tolerance);
    }
}

static void rotate(World *s, int joint, const double R[9]) {
    numbers(s, R, 9, s->joint[joint].rotation);
}

static void euler(const double a[3], double quat[4]) { // R = Rz(a[2]) Ry(a[1]) Rx(a[0])
    double c[3], t[3];
    for (int i = 0; i < 3; i++) {
        c[i] = cos(a[i] / 2);
        t[i] = sin(a[i] / 2);
    }
    quat[0] = c[0] * c[1] * c[2] + t[0] * t[1] * t[2];
    quat[1] = t[0] * c[1] * c[2] - c[0] * t[1] * t[2];
    quat[2] = c[0] * t[1] * c[2] + t[0] * c[1] * t[2];
    quat[3] = c[0] * c[1] * t[2] - t[0] * t[1] * c[2];
}

static void set_euler(World *s, int first, const double angles[3]) {
    double quat[4];
    euler(angles, quat);
    set_values(s, s->q + first, quat, 4);
}

// --- pendulum on a wagon, with symbols for everything --------------------------------------------

static World *wagon(void) {
    World *s = world_new();
    Expr L = symbol(s, "L", 0.3), m1 = symbol(s, "m1", 2), m2 = symbol(s, "m2", 1);
    int a = add_body(s, "wagon", 0, none, none), b = add_body(s, "bob", 0, none, none);
    s->body[a].mass = m1;
    s->body[b].mass = m2;
    s->body[b].cg[2] = L;
    set_axis(s, add_joint(s, "slide", JOINT_PRISMATIC, -1, a, none), 1, 0, 0);
    set_axis(s, add_joint(s, "swing", JOINT_REVOLUTE, a, b, none), 0, 1, 0);
    s->m.gravity[2] = expr_neg(s->d, symbol(s, "g", 9.81));
    make_symbols(s);
    return s;
}

static void check_text(World *s, Expr e, const char *expected) {
    Text t = {0};
    expr_print(&t, s->d, e, &(Printer){0});
    assert_string_equal(text_get(&t), expected);
    text_free(&t);
}

static void check_same(World *s, Expr found, Expr expected) { // equal expressions are one node
    assert_true(expr_is_number(s->d, expr_sub(s->d, found, expected), NULL));
    OpCount a = expr_count(s->d, &found, 1), b = expr_count(s->d, &expected, 1);
    assert_true(a.adds + a.multiplies <= b.adds + b.multiplies);
}

static void wagon_reads_like_the_book(void **state) {
    (void)state;
    World *s = wagon();
    Expr L = expr_symbol_at(s->d, 0), m2 = expr_symbol_at(s->d, 2), g0 = expr_symbol_at(s->d, 3);
    Expr sine = expr_call(s->d, OP_SIN, &s->q[1], 1), minus = expr_number(s->d, -1);
    Matrix B = mech_mass_matrix(&s->arena, s->d, &s->m, s->q);
    check_text(s, MATRIX_AT(B, 0, 0), "m1 + m2");
    check_text(s, MATRIX_AT(B, 0, 1), "L*m2*cos(q1)");
    check_text(s, MATRIX_AT(B, 1, 1), "L^2*m2");
    Matrix g = mech_gravity_vector(&s->arena, s->d, &s->m, s->q);
    check_text(s, g.at[0], "0");
    check_same(s, g.at[1], expr_product(s->d, (Expr[]){minus, L, m2, g0, sine}, 5));
    Matrix c = mech_bias(&s->arena, s->d, &s->m, s->q, s->w);
    check_same(s, c.at[0], expr_product(s->d, (Expr[]){minus, L, m2, s->w[1], s->w[1], sine}, 6));
    check_text(s, c.at[1], "0");
    world_free(s);
}

static void wagon_has_its_values(void **state) {
    (void)state;
    World *s = wagon();
    const double q[2][2] = {{0.1, 0.2}, {-0.4, 2}}, p[2][2] = {{0.3, -0.05}, {1, 0.7}};
    const double w[2][2] = {{0.22718870223799, -1.2977557353108},
                            {0.69725275148333, 8.7449762004564}};
    // without the springs: f_p + k q
    const double rate[2][2] = {{0, 0.50225626847681 + 0.5 * 0.2}, {0, 0.01274127056902 + 0.5 * 2}};
    const double T[2] = {0.06652219871847, 3.4093680459014};
    for (int i = 0; i < 2; i++) {
        set_values(s, s->q, q[i], 2);
        set_values(s, s->p, p[i], 2);
        for (int method = METHOD_COMPOSITE; method <= METHOD_ARTICULATED; method++) {
            MechEquations *e =
                mech_momentum_form(&s->arena, s->d, &s->m, &s->in, (MechMethod)method);
            assert_roots(s, e->w, w[i], 2, 1e-13);
            assert_roots(s, e->p_rate, rate[i], 2, 1e-13);
            assert_roots(s, &e->kinetic, &T[i], 1, 1e-13);
        }
    }
    world_free(s);
}

// A force at the tip of the rod enters as J' F.
static void wagon_feels_a_force_at_its_tip(void **state) {
    (void)state;
    World *s = wagon();
    int tip = add_frame(s, "tip", 1, none);
    s->frame[tip].position[2] = expr_symbol_at(s->d, 0); // L
    set_values(s, s->q, (double[]){0.1, 0.2}, 2);
    double J[12], tau[2] = {0, 0};
    const double c = cos(0.2), z = sin(0.2), expected[2] = {1, 0.41322157182941};
    const double F[3] = {c + 2 * z, 0, z - 2 * c}; // (1, 0, -2) in the axes of the rod
    evaluate(s, mech_frame_jacobian(&s->arena, s->d, &s->m, tip, s->q).at, 12, J);
    for (int i = 0; i < 6; i++) tau[i % 2] += J[i] * F[i / 2];
    assert_vector(tau, expected, 2, 1e-13);
    world_free(s);
}

// Springs k1 = 3, k2 = 0.5: efforts as functions of q. The trajectory passes q2 = pi/2 twice.
static void wagon_swings(void **state) {
    (void)state;
    World *s = wagon();
    s->effort[0] = expr_mul(s->d, expr_number(s->d, -3), s->q[0]);
    s->effort[1] = expr_mul(s->d, expr_number(s->d, -0.5), s->q[1]);
    set_values(s, s->q, (double[]){0.1, 0.2}, 2);
    Motion *m = motion_new(s, METHOD_AUTO);
    motion_run(m, 1, 4000);
    const double expected[4] = {0.09584613570514, 3.287024895914, -0.284175018134,
                                -0.5842915571596};
    assert_vector(m->x, expected, 4, 1e-10);
    motion_free(m);
    world_free(s);
}

// --- chain R-R-P, fixed or on a vehicle ----------------------------------------------------------

static void add_equipment(World *s, int base) {
    const double at[3][3] = {{0.6, 0.1, -0.3}, {0, 0, -0.2}, {0.5, 0, 0}};
    const double cg[3][3] = {{0.02, 0.01, -0.1}, {0.25, 0, 0.01}, {0.15, -0.01, 0}};
    const double J[3][3] = {{0.05, 0.06, 0.04}, {0.02, 0.12, 0.12}, {0.005, 0.03, 0.03}};
    const double mass[3] = {5, 4, 2};
    const char *name[3] = {"e1", "e2", "e3"};
    for (int i = 0; i < 3; i++) {
        int b = add_body(s, name[i], mass[i], cg[i], J[i]);
        int j = add_joint(s, name[i], i < 2 ? JOINT_REVOLUTE : JOINT_PRISMATIC, base, b, at[i]);
        set_axis(s, j, i == 2, i == 1, i == 0);
        if (i == 0) {
            s->body[b].inertia[1] = s->body[b].inertia[3] = expr_number(s->d, 0.002);
            s->body[b].inertia[5] = s->body[b].inertia[7] = expr_number(s->d, 0.001);
        }
        base = b;
    }
}

static void spatial_chain(void **state) {
    (void)state;
    World *s = world_new();
    add_equipment(s, -1);
    gravity(s, 0, 0, 9.81);
    make_symbols(s);
    s->effort[2] =
        expr_mul(s->d, expr_number(s->d, -200), expr_sub(s->d, s->q[2], expr_number(s->d, 0.1)));
    set_values(s, s->q, (double[]){0.4, -0.5, 0.1}, 3);
    set_values(s, s->w, (double[]){0.5, -0.4, 0.1}, 3);
    const double B[9] = {1.214603959092,
                         0.007191383079,
                         0.017551651238,
                         0.007191383079,
                         1.5254,
                         0,
                         0.017551651238,
                         0,
                         2};
    const double g[3] = {0, 21.334585749013, -9.406329067414};
    const double p_rate[3] = {0, -21.17238908392, 9.933218047610};
    const double w_rate[3] = {0.126778090226, -13.803863227323, 4.966455292470};
    assert_roots(s, mech_mass_matrix(&s->arena, s->d, &s->m, s->q).at, B, 9, 1e-12);
    assert_roots(s, mech_gravity_vector(&s->arena, s->d, &s->m, s->q).at, g, 3, 1e-12);
    check_p_rate(s, p_rate, 1e-12);
    check_acceleration(s, w_rate, 1e-12);
    Motion *m = motion_new(s, METHOD_COMPOSITE);
    motion_run(m, 0.5, 2000);
    const double at_half[6] = {1.575269329423, -1.635664250866, 0.336013436381,
                               0.606180591438, -6.366777441657, -1.071646980783};
    assert_vector(m->x, at_half, 6, 1e-9);
    motion_free(m);
    world_free(s);
}

static World *vehicle(bool added) {
    World *s = world_new();
    int b = add_body(s, "vehicle", 60, (double[]){0.05, -0.02, 0.08}, (double[]){4, 6, 7});
    const double I[9] = {4, 0.1, -0.2, 0.1, 6, 0.15, -0.2, 0.15, 7};
    const double A[6] = {20, 40, 50, 2, 3, 2.5};
    numbers(s, I, 9, s->body[b].inertia);
    s->body[b].has_added = added;
    for (int i = 0; i < 36; i++) s->body[b].added[i] = expr_number(s->d, i % 7 == 0 ? A[i / 7] : 0);
    add_joint(s, "hull", JOINT_FREE, -1, b, none);
    add_equipment(s, b);
    make_symbols(s);
    set_values(s, s->q, (double[]){1, 2, 3}, 3);
    set_euler(s, 3, (double[]){0.1, -0.2, 0.3});
    set_values(s, s->q + 7, (double[]){0.4, -0.5, 0.1}, 3);
    set_values(s, s->w, (double[]){0.5, -0.2, 0.1, 0.2, -0.3, 0.25, 0.5, -0.4, 0.1}, 9);
    return s;
}

static void vehicle_point_values(void **state) {
    (void)state;
    World *s = vehicle(false);
    const double p[9] = {34.236943707701, -10.567903119791, 11.733549793123,
                         3.114417720052,  -6.314491598138,  2.477666360723,
                         0.398402603368,  -1.062415584374,  1.544731431646};
    const double p_rate[9] = {0.878089157989,  -6.212525968301, -8.157502488352,
                              0.454596655328,  2.160009367923,  -1.234864178033,
                              -0.661149681254, 1.451257387681,  1.154232918214};
    const double momentum[6] = {33.493807052764, -1.872022293651, 17.210040766528,
                                44.533737368183, 77.827046398611, -66.442581694943};
    assert_roots(s, mech_momenta(&s->arena, s->d, &s->m, s->q, s->w).at, p, 9, 1e-12);
    check_p_rate(s, p_rate, 1e-12);
    Motion *m = motion_new(s, METHOD_AUTO);
    assert_roots(s, m->e->momentum, momentum, 6, 1e-12);
    motion_run(m, 1, 500);
    const double q[3] = {1.5211710011, 1.9497487966, 3.1817519930};
    const double qe[3] = {0.7575673323, -0.5361833933, 0.4498055888};
    const double at_one[9] = {32.9975215572, -17.7566852577, 4.1699857649,
                              3.5270116468,  -4.6213100703,  0.9566243672,
                              -0.3673476846, -0.3189861324,  1.9662611692};
    assert_vector(m->x, q, 3, 1e-9);
    assert_vector(m->x + 7, qe, 3, 1e-9);
    assert_vector(m->x + 10, at_one, 9, 1e-9);
    assert_roots(s, m->e->momentum, momentum, 6, 1e-10);
    motion_free(m);
    world_free(s);
}

static void vehicle_with_added_mass(void **state) {
    (void)state;
    World *s = vehicle(true);
    const double momentum[6] = {44.563949898350, -7.302307395300,  23.289838550430,
                                73.540807555006, 104.127176706378, -93.412262356451};
    Motion *m = motion_new(s, METHOD_ARTICULATED);
    const double T = 15.963472874676;
    assert_roots(s, &m->e->kinetic, &T, 1, 1e-12);
    assert_roots(s, m->e->momentum, momentum, 6, 1e-12);
    motion_run(m, 2, 1000);
    const double p[9] = {20.1135238091, -44.6348617341, 13.5963664816, 3.9737276914, -4.5028664343,
                         4.4448062493,  -0.3149455214,  -0.2483450546, 1.9732834642};
    assert_vector(m->x + 10, p, 9, 1e-9);
    assert_roots(s, m->e->momentum, momentum, 6, 1e-10);
    motion_free(m);
    world_free(s);
}

// Gravity, buoyancy at frames, springs, dampers, drag and a thruster: the efforts at the start.
static void vehicle_with_everything(void **state) {
    (void)state;
    World *s = vehicle(false);
    const double where[4][3] = {{0.05, 0, -0.15},
                                {0.02, 0.01, -0.1 + 0.02},
                                {0.25 + 0.03, 0, 0.01},
                                {0.15 + 0.01, -0.01, 0.01}};
    const double lift[4] = {9.81 * 66.6, 0.4 * 5 * 9.81, 0.4 * 4 * 9.81, 0.4 * 2 * 9.81};
    for (int i = 0; i < 4; i++) add_frame(s, "buoyancy", i, where[i]);
    for (int i = 0; i < 24; i++) s->wrench[i] = numbered(s, "f", i);
    gravity(s, 0, 0, 9.81);
    MechEquations *still = mech_lagrange_form(&s->arena, s->d, &s->m, &s->in, METHOD_AUTO);
    double R[36];
    evaluate(s, still->frame_rotation, 36, R);
    for (int i = 0; i < 24; i++) // upwards is -z of the world: third row of R
        set_value(s, s->wrench[i], i % 6 < 3 ? -lift[i / 6] * R[9 * (i / 6) + 6 + i % 6] : 0);
    const double conservative[9] = {0,
                                    0,
                                    0,
                                    -12.04759289748,
                                    -22.00930055477,
                                    4.662725864204,
                                    0.1260623020236,
                                    -10.51751770617,
                                    7.787708273176};
    const double inner[9] = {0.878089157989,  -6.212525968301, -8.157502488352,
                             0.454596655328,  2.160009367923,  -1.234864178033,
                             -0.661149681254, 1.451257387681,  1.154232918214};
    double rate[9];
    for (int i = 0; i < 9; i++) rate[i] = conservative[i] + inner[i];
    check_p_rate(s, rate, 1e-11);
    world_free(s);
}

// --- a tumbling body: Jacobi's elliptic functions ------------------------------------------------

static void tumbling_body(void **state) {
    (void)state;
    World *s = world_new();
    add_joint(s, "fly", JOINT_FREE, -1, add_body(s, "body", 7, none, (double[]){1, 2, 3}), none);
    make_symbols(s);
    set_euler(s, 3, (double[]){0.1, -0.2, 0.3});
    set_values(s, s->w, (double[]){0, 0, 0, 1, 0.2, 0.4}, 6);
    Motion *m = motion_new(s, METHOD_AUTO);
    motion_run(m, 5, 5000);
    double w[6], turned[9], expected[9], quat[4], length = 0;
    const double omega[3] = {0.9655509976815, 0.3281939531379, -0.3707149529957};
    evaluate(s, m->e->w, 6, w);
    assert_vector(w + 3, omega, 3, 1e-10);
    euler((double[]){2.558509939593, -1.150220521764, 3.885532321537}, quat);
    quaternion_numbers(quat, expected);
    quaternion_numbers(m->x + 3, turned);
    assert_vector(turned, expected, 9, 1e-10);
    for (int i = 3; i < 7; i++) length += m->x[i] * m->x[i];
    assert_near(length, 1, 1e-12);
    motion_free(m);
    world_free(s);
}

static void kirchhoff_body(void **state) { // added mass that differs by direction
    (void)state;
    World *s = world_new();
    int b = add_body(s, "rov", 4000, none, (double[]){2043, 3576, 3693});
    const double A[6] = {500, 1500, 2500, 200, 600, 900};
    s->body[b].has_added = true;
    for (int i = 0; i < 36; i++) s->body[b].added[i] = expr_number(s->d, i % 7 == 0 ? A[i / 7] : 0);
    add_joint(s, "hull", JOINT_FREE, -1, b, none);
    make_symbols(s);
    set_value(s, s->q[3], 1);
    set_values(s, s->w, (double[]){0.5, -0.2, 0.1, 0.05, -0.1, 0.2}, 6);
    const double p_rate[6] = {-155, -417.5, -170, 28.34, 123.5, 109.665};
    const double w_rate[6] = {-0.03444444444, -0.07590909091, -0.02615384615,
                              0.01263486402,  0.02957375479,  0.02387655127};
    check_p_rate(s, p_rate, 1e-12);
    check_acceleration(s, w_rate, 1e-9);
    world_free(s);
}

// --- Titan 4 -------------------------------------------------------------------------------------

static const double titan_mass[6] = {15, 40, 17, 8, 8, 12};
static const double titan_J[6][3] = {{0, 0, 0.108},         {0.216, 2.522, 2.522},
                                     {0.082, 0.372, 0.241}, {0.034, 0.029, 0.363},
                                     {0.025, 0.034, 0.029}, {0.025, 0.034, 0.029}};
static const double titan_cg[6][3] = {{0, 0, 0.1},   {0.39, 0, 0},  {0.241, 0, 0},
                                      {0.065, 0, 0}, {0, 0.053, 0}, {0, 0, 0.083}};
static const double titan_at[6][3] = {{0, 0, 0},     {0, 0.121, 0.195}, {0.851, 0, 0},
                                      {0.483, 0, 0}, {0.133, 0, 0},     {0, 0.107, 0}};
static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
// Rz(90) Rx(90), Ry(-90) Rx(-90), Rx(-90) Rz(-90)
static const double upright[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
static const double wrist[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};

static void add_titan(World *s, int base, int links, const double at[3], const double mount[9]) {
    static const char *const name[6] = {"t1", "t2", "t3", "t4", "t5", "t6"};
    const double *turn[6] = {mount, upright, identity, identity, wrist, wrist};
    for (int i = 0; i < links; i++) {
        int b = add_body(s, name[i], titan_mass[i], titan_cg[i], titan_J[i]);
        int j = add_joint(s, name[i], JOINT_REVOLUTE, base, b, i ? titan_at[i] : at);
        rotate(s, j, turn[i]);
        base = b;
    }
}

typedef struct {
    double q[6], w[6], tau[6], B[36], g[6], p[6], dT[6], rate[6], tip[3], V, T;
} TitanState;

static const TitanState titan[3] = {
    {.q = {0.3, -0.2, 0.5, -0.7, 0.4, 1.1},
     .w = {0.5, -0.3, 0.8, 0.2, -0.6, 1},
     .tau = {10, 200, -50, 20, 5, -3},
     .B = {109.2522955,    -0.1474392729,  0.03058674591,   -0.1197127083,  4.309443067,
           -0.01040166332, -0.1474392729,  90.77672678,     31.69247225,    8.677432147,
           0.5023194716,   -0.01129313193, 0.03058674591,   31.69247225,    13.80326272,
           3.947986472,    0.3242934527,   -0.01129313193,  -0.1197127083,  8.677432147,
           3.947986472,    1.853179225,    -0.003351035256, -0.01129313193, 4.309443067,
           0.5023194716,   0.3242934527,   -0.003351035256, 0.516820255,    0,
           -0.01040166332, -0.01129313193, -0.01129313193,  -0.01129313193, 0,
           0.029},
     .g = {0, 734.5491964, 216.378245, 51.23685925, 4.022615309, 0},
     .p = {52.07483889, -0.5299582562, 2.133889963, 0.8566565134, 1.952698094, 0.01589397599},
     .dT = {0, 2.15989168, -0.1140017259, 1.294623903, -0.088163815, -0.001527076101},
     .rate = {-1.440729202, 6.867110997, -57.10745918, 72.59557573, 42.36131108, -95.95043124},
     .tip = {-0.664032995, 1.703878028, -0.003639803487},
     .V = 101.6989183,
     .T = 13.45956266},
    {.q = {-1.2, 0.9, -1.6, 1.3, -0.8, 2.4},
     .w = {-0.4, 0.25, 0.35, -0.5, 0.45, -0.7},
     .tau = {-30, 400, 150, -10, 2, 1},
     .B = {57.27827171,   -0.9588798323, 0.3341664906,  -0.2693946249, 2.549477417,
           0.01140831579, -0.9588798323, 59.15407303,   14.27998582,   6.303112392,
           0.4180527466,  0.02080332664, 0.3341664906,  14.27998582,   10.60094362,
           2.186209596,   0.9058711936,  0.02080332664, -0.2693946249, 6.303112392,
           2.186209596,   1.531944574,   0.00312315555, 0.02080332664, 2.549477417,
           0.4180527466,  0.9058711936,  0.00312315555, 0.5137782546,  0,
           0.01140831579, 0.02080332664, 0.02080332664, 0.02080332664, 0,
           0.029},
     .g = {0, 501.8635731, 173.2121978, 41.00004002, 10.74444602, 0},
     .p = {-21.76009404, 17.19207044, 6.446635036, 1.669580111, -0.3685842254, -0.02278299365},
     .dT = {0, -3.943792613, 4.078299867, -0.314567477, -0.2261792027, 0.0001543587024},
     .rate = {0.9533274068, 2.072412604, 10.51192761, -58.30128229, -40.67675045, 67.03563996},
     .tip = {1.319853411, 0.2545252397, 0.7577306132},
     .V = 508.1573534,
     .T = 7.136836314},
    {.w = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, // stretched out
     .B = {116.504769, 0,        0, 0,        4.803624, 0,         0,         96.629484,
           35.431684,  9.833772, 0, 0,        0,        35.431684, 15.428929, 4.826488,
           0,          0,        0, 9.833772, 4.826488, 1.984516,  0,         0,
           4.803624,   0,        0, 0,        0.509672, 0,         0,         0,
           0,          0,        0, 0.029},
     .g = {0, 759.294, 230.58405, 57.72204, 0, 0},
     .p = {14.0522889, 33.8889108, 13.6456107, 4.2085072, 0.7351984, 0.0174},
     .dT = {0, 0.00174, 0.00174, 0.00174, -0.01566, -0.00486},
     .rate = {0.001277384072, -16.02367197, 25.5508492, -11.81955214, -0.0332293569, 0.1924137931},
     .tip = {0, 1.924, 0.195},
     .V = 177.31575,
     .T = 7.16906817},
};

static World *titan_world(const TitanState *t) {
    World *s = world_new();
    add_titan(s, -1, 6, none, identity);
    add_frame(s, "tip", 5, (double[]){0, 0, 0.229});
    gravity(s, 0, 0, -9.81);
    make_symbols(s);
    set_values(s, s->q, t->q, 6);
    set_values(s, s->w, t->w, 6);
    return s;
}

static void titan_states(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        const TitanState *t = &titan[k];
        World *s = titan_world(t);
        double rate[6];
        assert_roots(s, mech_mass_matrix(&s->arena, s->d, &s->m, s->q).at, t->B, 36, 1e-9);
        assert_roots(s, mech_gravity_vector(&s->arena, s->d, &s->m, s->q).at, t->g, 6, 1e-9);
        assert_roots(s, mech_momenta(&s->arena, s->d, &s->m, s->q, s->w).at, t->p, 6, 1e-9);
        for (int i = 0; i < 6; i++) rate[i] = t->dT[i] - t->g[i];
        check_p_rate(s, rate, 1e-9);
        set_values(s, s->effort, t->tau, 6);
        check_acceleration(s, t->rate, 1e-8);
        MechEquations *e = mech_momentum_form(&s->arena, s->d, &s->m, &s->in, METHOD_AUTO);
        assert_roots(s, e->frame_position, t->tip, 3, 1e-9);
        assert_roots(s, &e->kinetic, &t->T, 1, 1e-9);
        assert_roots(s, &e->potential, &t->V, 1, 1e-9);
        world_free(s);
    }
}

static void titan_falls(void **state) {
    (void)state;
    World *s = titan_world(&titan[0]);
    Motion *m = motion_new(s, METHOD_AUTO);
    motion_run(m, 0.25, 500);
    const double q[6] = {0.44043236059,  -0.58851891678, 0.66818984336,
                         0.031823140434, 0.028837360791, 1.3539602233};
    const double w[6] = {0.66962724853, -2.1632680810, -1.7240211366,
                         7.5877012799,  -2.5824273190, 0.35309884343};
    assert_vector(m->x, q, 6, 1e-8);
    assert_roots(s, m->e->w, w, 6, 1e-8);
    motion_free(m);
    world_free(s);
}

// Every number that is not zero becomes a symbol with that value.
static void make_symbolic(World *s, Expr *e, int n) {
    for (int i = 0; i < n; i++) {
        double value = expr_value(s->d, e[i]);
        if (value == 0) continue;
        e[i] = numbered(s, "c", expr_symbol_count(s->d));
        set_value(s, e[i], value);
    }
}

static Expr function_of(World *s, Op op, Expr e) { return expr_call(s->d, op, &e, 1); }

// Rx(a) Rz(b) with symbols for the angles, or with numbers
static void turn_symbolic(World *s, int joint, double a, double b, bool symbols) {
    Expr x = symbols ? symbol(s, "a", a) : expr_number(s->d, a);
    Expr z = symbols ? symbol(s, "b", b) : expr_number(s->d, b), zero = expr_number(s->d, 0);
    Expr ca = function_of(s, OP_COS, x), sa = function_of(s, OP_SIN, x);
    Expr cb = function_of(s, OP_COS, z), sb = function_of(s, OP_SIN, z);
    Expr R[9] = {cb,
                 expr_neg(s->d, sb),
                 zero,
                 expr_mul(s->d, ca, sb),
                 expr_mul(s->d, ca, cb),
                 expr_neg(s->d, sa),
                 expr_mul(s->d, sa, sb),
                 expr_mul(s->d, sa, cb),
                 ca};
    memcpy(s->joint[joint].rotation, R, sizeof R);
}

// An axis that is no coordinate direction, with symbols for its components, or with numbers
static void tilt_axis(World *s, int joint, bool symbols) {
    const double axis[3] = {0.48, -0.6, 0.64};
    numbers(s, axis, 3, s->joint[joint].axis);
    if (symbols) make_symbolic(s, s->joint[joint].axis, 3);
}

static World *bent_titan(bool symbols) {
    World *s = titan_world(&titan[0]);
    turn_symbolic(s, 2, 0.7, -0.4, symbols);
    turn_symbolic(s, 5, 0, 0.3, symbols);
    tilt_axis(s, 3, symbols);
    s->joint[4].kind = JOINT_HELICAL;
    s->joint[4].pitch = expr_number(s->d, 0.2);
    s->joint[1].kind = JOINT_PRISMATIC;
    if (!symbols) return s;
    for (int i = 0; i < 6; i++) {
        make_symbolic(s, &s->body[i].mass, 1);
        make_symbolic(s, s->body[i].cg, 3);
        make_symbolic(s, s->body[i].inertia, 9);
        make_symbolic(s, s->joint[i].position, 3);
        make_symbolic(s, &s->joint[i].pitch, 1);
    }
    return s;
}

static void symbols_give_the_same_as_numbers(void **state) {
    (void)state;
    World *a = bent_titan(false), *b = bent_titan(true);
    double rate[6], p_rate[6], place[3];
    MechEquations *e = mech_lagrange_form(&a->arena, a->d, &a->m, &a->in, METHOD_AUTO);
    evaluate(a, e->acceleration, 6, rate);
    evaluate(a, e->frame_position, 3, place);
    check_acceleration(b, rate, 1e-11);
    Motion *m = motion_new(a, METHOD_AUTO);
    evaluate(a, m->e->p_rate, 6, p_rate);
    check_p_rate(b, p_rate, 1e-11);
    e = mech_momentum_form(&b->arena, b->d, &b->m, &b->in, METHOD_AUTO);
    assert_roots(b, e->frame_position, place, 3, 1e-12);
    motion_free(m);
    world_free(a);
    world_free(b);
}

// --- ROV with three links ------------------------------------------------------------------------

// 0.4 of the body's own inertia about its origin, as added mass
static void add_share(World *s, int body, double m, const double g[3], const double J[3]) {
    double skew[9] = {0, -g[2], g[1], g[2], 0, -g[0], -g[1], g[0], 0}, out[36] = {0};
    double square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out[6 * i + j] = i == j ? m : 0;
            out[6 * (3 + i) + j] = out[6 * j + 3 + i] = m * skew[3 * i + j];
            out[6 * (3 + i) + 3 + j] = (i == j ? J[i] + m * square : 0) - m * g[i] * g[j];
        }
    for (int i = 0; i < 36; i++) out[i] *= 0.4;
    s->body[body].has_added = true;
    numbers(s, out, 36, s->body[body].added);
}

static World *rov(bool added) {
    const double mount[9] = {0, 1, 0, 1, 0, 0, 0, 0, -1}; // Ry(180) Rz(90)
    const double A[6] = {1600, 1600, 1600, 817, 1430, 1477};
    World *s = world_new();
    int b = add_body(s, "rov", 4000, none, (double[]){2043, 3576, 3693});
    add_joint(s, "hull", JOINT_FREE, -1, b, none);
    add_titan(s, b, 3, (double[]){1.4, 0, 0.5}, mount);
    s->body[b].has_added = added;
    for (int i = 0; i < 36; i++) s->body[b].added[i] = expr_number(s->d, i % 7 == 0 ? A[i / 7] : 0);
    for (int i = 0; added && i < 3; i++)
        add_share(s, 1 + i, titan_mass[i], titan_cg[i], titan_J[i]);
    add_frame(s, "lift", 0, (double[]){0, 0, -0.5});
    for (int i = 0; i < 3; i++) add_frame(s, "lift of a link", 1 + i, titan_cg[i]);
    make_symbols(s);
    return s;
}

static void set_rov(World *s, const double q[9], const double w[9]) {
    set_values(s, s->q, q, 3);
    set_euler(s, 3, q + 3);
    set_values(s, s->q + 7, q + 6, 3);
    set_values(s, s->w, w, 9);
}

static void set_rov_lift(World *s) {
    MechEquations *e = mech_lagrange_form(&s->arena, s->d, &s->m, &s->in, METHOD_AUTO);
    double R[36];
    evaluate(s, e->frame_rotation, 36, R);
    for (int i = 0; i < 24; i++) {
        double lift = 1025 * 9.81 * (i < 6 ? 3.971 : 1e-3);
        set_value(s, s->wrench[i], i % 6 < 3 ? -lift * R[9 * (i / 6) + 6 + i % 6] : 0);
    }
}

static const double rov_q[2][9] = {{0, 0, 0, 0.1, -0.2, 0.3, 0.3, -0.2, 0.5},
                                   {2, -1, 30, -0.4, 0.25, 2, -0.9, 0.8, -1.2}};
static const double rov_w[2][9] = {{0.5, -0.2, 0.1, 0.05, -0.1, 0.2, 0.3, -0.4, 0.6},
                                   {-0.3, 0.4, -0.25, -0.15, 0.2, -0.1, -0.2, 0.5, -0.7}};
static const double rov_tau[9] = {100, -50, 80, 20, -30, 40, 10, 60, -15};

static void check_rov(bool added, int k, const double f_p[9], const double rate[9]) {
    World *s = rov(added);
    set_rov(s, rov_q[k], rov_w[k]);
    check_p_rate(s, f_p, 1e-9);
    gravity(s, 0, 0, 9.81);
    set_rov_lift(s);
    set_values(s, s->effort, rov_tau, 9);
    check_acceleration(s, rate, 1e-8);
    world_free(s);
}

static void rov_states(void **state) {
    (void)state;
    const double dry[2][9] = {{-116.5898303, -384.3193356, -163.0122102, -1.460182243, 31.02876239,
                               4.540772108, -2.922841903, 6.836995485, -0.03913095678},
                              {49.85509167, 35.29914078, -4.184355937, 5.214909811, 26.42084083,
                               47.11149491, 6.297302182, -10.53028506, 0.3265685233}};
    const double dry_rate[2][9] = {
        {-0.01119132479, -0.1227143875, -0.07530753037, -0.9610133716, 0.9134129397, 0.01811498868,
         -0.8164872367, -6.922932668, -24.9005733},
        {0.06276550121, 0.04644945719, -0.04792726018, 3.743763846, -1.537638639, 0.005399793971,
         1.180241982, 6.893381347, -37.95256279}};
    const double wet[2][9] = {{-163.2257625, -538.0470698, -228.2170943, -2.04025514, 43.44026735,
                               6.356080952, -4.091978665, 9.571793679, -0.05478333949},
                              {69.79712834, 49.4187971, -5.858098312, 7.304873735, 36.98917716,
                               65.95009288, 8.816223055, -14.74239908, 0.4571959326}};
    const double wet_rate[2][9] = {
        {-0.01587003375, -0.1149400019, -0.06506209048, -0.6860901729, 0.6537857697, 0.01331423759,
         -0.602353552, -4.920952108, -18.01619775},
        {0.04817022077, 0.03582018347, -0.03483711695, 2.674207302, -1.095259297, 0.008171125199,
         0.8605058849, 4.87141576, -26.55956111}};
    for (int k = 0; k < 2; k++) {
        check_rov(false, k, dry[k], dry_rate[k]);
        check_rov(true, k, wet[k], wet_rate[k]);
    }
}

static void rov_matrix(void **state) {
    (void)state;
    World *s = rov(false);
    set_rov(s, rov_q[0], rov_w[0]);
    const double B[81] = {4072,
                          0,
                          0,
                          0,
                          28.14764448,
                          11.90316248,
                          -11.90316248,
                          4.549928059,
                          -1.156670107,
                          0,
                          4072,
                          0,
                          -28.14764448,
                          0,
                          139.2796883,
                          -38.47968834,
                          -1.407457682,
                          0.3577999929,
                          0,
                          0,
                          4072,
                          -11.90316248,
                          -139.2796883,
                          0,
                          0,
                          -33.38167539,
                          -3.914013596,
                          0,
                          -28.14764448,
                          -11.90316248,
                          2057.600352,
                          26.92988943,
                          -54.86722524,
                          15.46052296,
                          9.975890093,
                          1.298051194,
                          28.14764448,
                          0,
                          -139.2796883,
                          26.92988943,
                          3869.473448,
                          4.782500189,
                          -4.782500189,
                          78.98368621,
                          9.67586566,
                          11.90316248,
                          139.2796883,
                          0,
                          -54.86722524,
                          4.782500189,
                          3978.761055,
                          -90.76949098,
                          -1.970440754,
                          0.50091999,
                          -11.90316248,
                          -38.47968834,
                          0,
                          15.46052296,
                          -4.782500189,
                          -90.76949098,
                          36.89792731,
                          0,
                          0,
                          4.549928059,
                          -1.407457682,
                          -33.38167539,
                          9.975890093,
                          78.98368621,
                          -1.970440754,
                          0,
                          28.2652597,
                          4.288109848,
                          -1.156670107,
                          0.3577999929,
                          -3.914013596,
                          1.298051194,
                          9.67586566,
                          0.50091999,
                          0,
                          4.288109848,
                          1.228377};
    assert_roots(s, mech_mass_matrix(&s->arena, s->d, &s->m, s->q).at, B, 81, 1e-9);
    world_free(s);
}

// beta' gamma of the thesis: [ S(o) 0 ; S(v) S(o) ] for the vehicle, nothing for the arm
static void rov_gyration(void **state) {
    (void)state;
    World *s = rov(false);
    set_rov(s, rov_q[0], rov_w[0]);
    const double block[36] = {0,   -0.2, -0.1, 0,   0, 0,     0.2, 0,    -0.05, 0,   0,    0,
                              0.1, 0.05, 0,    0,   0, 0,     0,   -0.1, -0.2,  0,   -0.2, -0.1,
                              0.1, 0,    -0.5, 0.2, 0, -0.05, 0.2, 0.5,  0,     0.1, 0.05, 0};
    double expected[81] = {0};
    for (int i = 0; i < 36; i++) expected[9 * (i / 6) + i % 6] = block[i];
    assert_roots(s, mech_gamma(&s->arena, s->d, &s->m, s->q, s->w).at, expected, 81, 1e-14);
    world_free(s);
}

static void rov_drifts(void **state) {
    (void)state;
    World *s = rov(false);
    set_rov(s, rov_q[0], rov_w[0]);
    for (int i = 0; i < 24; i++) set_value(s, s->wrench[i], 0);
    Motion *m = motion_new(s, METHOD_AUTO);
    const double momentum[6] = {2081.4183397, -233.12002782, 745.86851955,
                                99.257726232, -475.91193902, 704.60399311};
    assert_roots(s, m->e->momentum, momentum, 6, 1e-9);
    motion_run(m, 1, 500);
    const double joints[3] = {0.55962983392, -0.55622046550, 0.70530953205};
    const double place[3] = {0.51573058612, -0.059467980209, 0.17779358827};
    assert_vector(m->x, place, 3, 1e-8);
    assert_vector(m->x + 7, joints, 3, 1e-8);
    assert_roots(s, m->e->momentum, momentum, 6, 1e-9);
    motion_free(m);
    world_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wagon_reads_like_the_book),
        cmocka_unit_test(wagon_has_its_values),
        cmocka_unit_test(wagon_feels_a_force_at_its_tip),
        cmocka_unit_test(wagon_swings),
        cmocka_unit_test(spatial_chain),
        cmocka_unit_test(vehicle_point_values),
        cmocka_unit_test(vehicle_with_added_mass),
        cmocka_unit_test(vehicle_with_everything),
        cmocka_unit_test(tumbling_body),
        cmocka_unit_test(kirchhoff_body),
        cmocka_unit_test(titan_states),
        cmocka_unit_test(titan_falls),
        cmocka_unit_test(symbols_give_the_same_as_numbers),
        cmocka_unit_test(rov_matrix),
        cmocka_unit_test(rov_states),
        cmocka_unit_test(rov_gyration),
        cmocka_unit_test(rov_drifts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
