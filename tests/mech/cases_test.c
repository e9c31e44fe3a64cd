// Vehicle-manipulator systems against numbers that independent methods agree on: B, C w, gravity
// and buoyancy, accelerations, energies and momenta, at attitudes where Euler angles fail too.
#include "fixture.h"
#include "from_cases.h"
#include "tied_cases.h"

// The added mass is given about the centre of gravity at B: moved to the body's origin.
static void put_added(World *s, MechBody *b, const double a[6], const double B[3]) {
    double shift[9] = {0, -B[2], B[1], B[2], 0, -B[0], -B[1], B[0], 0}, out[36] = {0};
    if (largest(a, 6) == 0) return;
    for (int i = 0; i < 3; i++) {
        out[7 * i] = a[i];
        out[7 * (3 + i)] += a[3 + i];
        for (int j = 0; j < 3; j++) {
            out[6 * (3 + i) + j] = out[6 * j + 3 + i] = shift[3 * i + j] * a[j]; // B~ A
            for (int k = 0; k < 3; k++)
                out[6 * (3 + i) + 3 + j] += shift[3 * i + k] * a[k] * shift[3 * j + k];
        }
    }
    b->has_added = true;
    numbers(s, out, 36, b->added);
}

static void add_case_body(World *s, const CaseBody *c, int parent, const double offset[3]) {
    double at[3], where[3];
    int b = add_body(s, c->name, c->mass, c->B, c->J);
    for (int i = 0; i < 3; i++) {
        at[i] = c->A[i] + offset[i];
        where[i] = c->B[i] + c->buoyancy[i];
    }
    int j = add_joint(s, c->name, c->kind, parent, b, at);
    set_axis(s, j, c->axis[0], c->axis[1], c->axis[2]);
    put_added(s, &s->body[b], c->added, c->B);
    add_frame(s, c->name, b, where);
}

static const double *centre_of_parent(const CaseBody *body, int i) {
    static const double none[3] = {0, 0, 0};
    return body[i].parent < 0 ? none : body[body[i].parent].B;
}

static World *case_world(const Case *c) {
    World *s = world_new();
    for (int i = 0; i < c->body_count; i++)
        add_case_body(s, &c->body[i], c->body[i].parent, centre_of_parent(c->body, i));
    gravity(s, 0, 0, -c->gravity);
    make_symbols(s);
    assert_int_equal(s->nv, c->nv);
    set_values(s, s->q, c->q, s->nq);
    set_values(s, s->w, c->w, s->nv);
    set_values(s, s->effort, c->tau, s->nv);
    return s;
}

// Buoyancy in the axes of each frame, as numbers for the wrenches; returns its potential energy.
static double set_buoyancy(World *s, const Case *c, const MechEquations *e) {
    double R[9 * BODIES], place[3 * BODIES], energy = 0;
    evaluate(s, e->frame_rotation, 9 * c->body_count, R);
    evaluate(s, e->frame_position, 3 * c->body_count, place);
    for (int i = 0; i < c->body_count; i++) {
        double lift = c->body[i].displaced * c->gravity;
        for (int k = 0; k < 3; k++) {
            set_value(s, s->wrench[6 * i + k], lift * R[9 * i + 6 + k]);
            set_value(s, s->wrench[6 * i + 3 + k], 0);
        }
        energy -= lift * place[3 * i + 2];
    }
    return energy;
}

// Weight and buoyancy on the velocities: n = J' wrench - gravity vector
static void check_loads(World *s, const Case *c) {
    double n[VELOCITIES], J[6 * VELOCITIES];
    Matrix g = mech_gravity_vector(&s->arena, s->d, &s->m, s->q);
    evaluate(s, g.at, s->nv, n);
    for (int i = 0; i < s->nv; i++) n[i] = -n[i];
    for (int f = 0; f < s->m.frame_count; f++) {
        double wrench[6];
        Matrix jacobian = mech_frame_jacobian(&s->arena, s->d, &s->m, f, s->q);
        evaluate(s, jacobian.at, 6 * s->nv, J);
        evaluate(s, s->wrench + 6 * f, 6, wrench);
        for (int i = 0; i < 6 * s->nv; i++) n[i % s->nv] += J[i] * wrench[i / s->nv];
    }
    double scale = fmax(largest(c->n, c->nv), largest(c->tau, c->nv));
    for (int i = 0; i < s->nv; i++) assert_near(n[i] / scale, c->n[i] / scale, 1e-12);
}

static void check_matrices(World *s, const Case *c) {
    int n = s->nv;
    Matrix B = mech_mass_matrix(&s->arena, s->d, &s->m, s->q);
    assert_roots(s, B.at, c->M, n * n, 1e-12);
    assert_roots(s, mech_bias(&s->arena, s->d, &s->m, s->q, s->w).at, c->Cw, n, 1e-12);
    if (c->C) {
        Matrix C = mech_coriolis(&s->arena, s->d, &s->m, s->q, s->w);
        assert_roots(s, C.at, c->C, n * n, 1e-11);
    }
    // p = B w
    double p[VELOCITIES], expected[VELOCITIES] = {0};
    for (int i = 0; i < n * n; i++) expected[i / n] += c->M[i] * c->w[i % n];
    evaluate(s, mech_momenta(&s->arena, s->d, &s->m, s->q, s->w).at, n, p);
    assert_vector(p, expected, n, 1e-12);
    set_values(s, s->p, expected, n);
}

// p' = tau + n + dT/dq ... = M w' + M' w; compared as energy and acceleration
static void check_case(const Case *c) {
    World *s = case_world(c);
    MechEquations *lagrange = mech_lagrange_form(&s->arena, s->d, &s->m, &s->in, METHOD_AUTO);
    double lifted = set_buoyancy(s, c, lagrange), energy[2], w[VELOCITIES];
    check_matrices(s, c);
    check_loads(s, c);
    assert_roots(s, lagrange->acceleration, c->rate, c->nv, 1e-11);
    for (int method = METHOD_AUTO; method <= METHOD_ARTICULATED; method++) {
        MechEquations *e = mech_momentum_form(&s->arena, s->d, &s->m, &s->in, (MechMethod)method);
        evaluate(s, (Expr[]){e->kinetic, e->potential}, 2, energy);
        assert_near(energy[0], c->kinetic, 1e-12 * c->kinetic);
        assert_near(energy[1] + lifted, c->potential, 1e-11 * fmax(1, fabs(lifted)));
        evaluate(s, e->w, c->nv, w);
        assert_vector(w, c->w, c->nv, 1e-11);
        if (c->body[0].kind == JOINT_FREE) assert_roots(s, e->momentum, c->momentum, 6, 1e-12);
    }
    world_free(s);
}

static void cases_agree(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof from_cases / sizeof *from_cases; i++) check_case(&from_cases[i]);
}

// The arm on a base that is made of one to three joints; those in between have no mass.
static World *group_world(const Group *g) {
    const double none[3] = {0, 0, 0};
    World *s = world_new();
    int base = -1;
    for (int i = 0; i < 3 && g->joint[i] != JOINT_FIXED; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        bool last = i == 2 || g->joint[i + 1] == JOINT_FIXED;
        int b = last ? add_body(s, name, group_arm[0].mass, none, group_arm[0].J)
                     : add_body(s, name, 0, none, none);
        int j = add_joint(s, name, g->joint[i], base, b, none);
        set_axis(s, j, g->axis[i][0], g->axis[i][1], g->axis[i][2]);
        s->joint[j].pitch = expr_number(s->d, 0.15);
        base = b;
    }
    for (int i = 1; i < 4; i++)
        add_case_body(s, &group_arm[i], i == 1 ? base : s->m.body_count - 1,
                      i == 1 ? none : group_arm[i - 1].B);
    make_symbols(s);
    return s;
}

static void arm_on_every_base(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const Group *g = &groups[i];
        World *s = group_world(g);
        assert_int_equal(s->nv, g->nv);
        for (int k = 0; k < 3; k++) set_value(s, s->q[s->nq - 3 + k], group_q[k]);
        if (g->joint[0] == JOINT_FREE) set_value(s, s->q[3], 1);
        if (g->joint[0] == JOINT_SPHERICAL) set_value(s, s->q[0], 1);
        set_values(s, s->w, g->w, s->nv);
        assert_roots(s, mech_bias(&s->arena, s->d, &s->m, s->q, s->w).at, g->Cw, g->nv, 1e-12);
        MechEquations *e = mech_lagrange_form(&s->arena, s->d, &s->m, &s->in, METHOD_ARTICULATED);
        assert_roots(s, e->acceleration, g->rate, g->nv, 1e-11);
        world_free(s);
    }
}

// What turning axes do to the momenta of the base: gamma p, against the gyroscopic blocks times v
static const struct {
    const char *base;
    int count;
    double effort[6];
} gyration[] = {
    {"SE(3)",
     6,
     {-3.477203004227175, -4.905622510913026, 0.15509099771386803, 1.8443194349067067,
      -3.656087848953339, -3.2306698753709333}},
    {"SE(2)", 3, {-0.5871505481321648, 2.0753444438646014, 0.7390175665157122}},
    {"SO(3)", 3, {2.338592869005133, -3.0378314813809992, -3.2728603924443496}},
};

static void check_gyration(const Group *g, const double *expected, int count) {
    World *s = group_world(g);
    double gamma[VELOCITIES], p[VELOCITIES], effort[VELOCITIES] = {0};
    for (int k = 0; k < 3; k++) set_value(s, s->q[s->nq - 3 + k], group_q[k]);
    if (g->joint[0] == JOINT_FREE) set_value(s, s->q[3], 1);
    if (g->joint[0] == JOINT_SPHERICAL) set_value(s, s->q[0], 1);
    set_values(s, s->w, g->w, s->nv);
    evaluate(s, mech_momenta(&s->arena, s->d, &s->m, s->q, s->w).at, s->nv, p);
    evaluate(s, mech_gamma(&s->arena, s->d, &s->m, s->q, s->w).at, s->nv * s->nv, gamma);
    for (int i = 0; i < s->nv * s->nv; i++) effort[i / s->nv] += gamma[i] * p[i % s->nv];
    assert_vector(effort, expected, count, 1e-12);
    for (int i = count; i < s->nv; i++) assert_true(effort[i] == 0);
    world_free(s);
}

static void gyration_of_every_base(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof gyration / sizeof *gyration; k++)
        for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
            if (strcmp(groups[i].name, gyration[k].base) == 0)
                check_gyration(&groups[i], gyration[k].effort, gyration[k].count);
}

// --- tied velocities -----------------------------------------------------------------------------

enum { TIED = 12 };

static World *tied_world(const Tied *c, const double *w) {
    World *s = world_new();
    for (int i = 0; i < c->body_count; i++)
        add_case_body(s, &c->body[i], c->body[i].parent, centre_of_parent(c->body, i));
    make_symbols(s);
    assert_int_equal(s->nv, c->full);
    set_values(s, s->q, c->q, s->nq);
    set_values(s, s->w, w, s->nv);
    return s;
}

// a = H' b: efforts of all velocities on those that are left
static void pull_back(const Tied *c, const double *b, double *a) {
    for (int j = 0; j < c->tied; j++) {
        a[j] = 0;
        for (int i = 0; i < c->full; i++) a[j] += c->H[i * c->tied + j] * b[i];
    }
}

// out = B x
static void times(const double *B, const double *x, int n, double *out) {
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j < n; j++) out[i] += B[i * n + j] * x[j];
    }
}

static void check_tied_matrix(const Tied *c, const double *B) {
    double M[TIED * TIED], column[TIED], moved[TIED], pulled[TIED];
    if (!c->M) return;
    for (int j = 0; j < c->tied; j++) {
        for (int i = 0; i < c->full; i++) column[i] = c->H[i * c->tied + j];
        times(B, column, c->full, moved);
        pull_back(c, moved, pulled);
        for (int i = 0; i < c->tied; i++) M[i * c->tied + j] = pulled[i];
    }
    assert_vector(M, c->M, c->tied * c->tied, 1e-12);
}

// With the accelerations of the reference, the efforts are those that are given.
static void check_tied(const Tied *c) {
    double w[TIED], rate[TIED], B[TIED * TIED], bias[TIED], Cv[TIED], effort[TIED], tau[TIED];
    for (int i = 0; i < c->full; i++) {
        w[i] = rate[i] = 0;
        for (int j = 0; j < c->tied; j++) {
            w[i] += c->H[i * c->tied + j] * c->v[j];
            rate[i] += c->H[i * c->tied + j] * c->rate[j];
        }
    }
    World *s = tied_world(c, w);
    evaluate(s, mech_mass_matrix(&s->arena, s->d, &s->m, s->q).at, c->full * c->full, B);
    evaluate(s, mech_bias(&s->arena, s->d, &s->m, s->q, s->w).at, c->full, bias);
    check_tied_matrix(c, B);
    times(B, c->H_rate, c->full, effort);
    for (int i = 0; i < c->full; i++) bias[i] += effort[i];
    pull_back(c, bias, Cv);
    assert_vector(Cv, c->Cv, c->tied, 1e-12);
    times(B, rate, c->full, effort);
    for (int i = 0; i < c->full; i++) effort[i] += bias[i];
    pull_back(c, effort, tau);
    for (int i = 0; i < c->tied; i++) assert_near(tau[i], c->tau[i], 1e-11);
    if (c->force != 0) assert_near(effort[c->row], c->force, 1e-11);
    world_free(s);
}

static void tied_velocities(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof tied / sizeof *tied; i++) check_tied(&tied[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_agree),
        cmocka_unit_test(arm_on_every_base),
        cmocka_unit_test(gyration_of_every_base),
        cmocka_unit_test(tied_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
