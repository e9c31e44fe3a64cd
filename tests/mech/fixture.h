// Mechanisms by hand, and many expressions evaluated in one pass.
#ifndef BONDYN_TESTS_MECH_FIXTURE_H
#define BONDYN_TESTS_MECH_FIXTURE_H

#include "../test.h"

#include "mech/mech.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 64, VELOCITIES = 6 * BODIES, COORDINATES = 7 * BODIES, SYMBOLS = 8192 };

typedef struct {
    Names *names;
    Dag *d;
    Arena arena;
    Report report;
    Mechanism m;
    MechBody body[BODIES];
    MechJoint joint[BODIES];
    MechFrame frame[BODIES];
    int nq, nv;
    Expr q[COORDINATES], p[VELOCITIES], w[VELOCITIES], w_rate[VELOCITIES], effort[VELOCITIES];
    Expr wrench[6 * BODIES];
    double value[SYMBOLS]; // of symbols
    MechInputs in;
} World;

static inline World *world_new(void) {
    World *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->names = names_new();
    s->d = dag_new(s->names);
    s->m = (Mechanism){.body = s->body, .joint = s->joint, .frame = s->frame};
    for (int i = 0; i < 3; i++) s->m.gravity[i] = expr_number(s->d, 0);
    return s;
}

static inline void world_free(World *s) {
    arena_free(&s->arena);
    report_free(&s->report);
    dag_free(s->d);
    names_free(s->names);
    free(s);
}

static inline Expr symbol(World *s, const char *name, double value) {
    Expr e = expr_symbol(s->d, name_of(s->names, name));
    assert_true(expr_symbol_index(s->d, e) < SYMBOLS);
    s->value[expr_symbol_index(s->d, e)] = value;
    return e;
}

static inline void set_value(World *s, Expr e, double value) {
    s->value[expr_symbol_index(s->d, e)] = value;
}

static inline void numbers(World *s, const double *from, int n, Expr *to) {
    for (int i = 0; i < n; i++) to[i] = expr_number(s->d, from[i]);
}

static inline void gravity(World *s, double x, double y, double z) {
    numbers(s, (double[]){x, y, z}, 3, s->m.gravity);
}

// A body with centre of gravity and diagonal inertia; returns its number.
static inline int add_body(World *s, const char *name, double mass, const double cg[3],
                           const double J[3]) {
    MechBody *b = &s->body[s->m.body_count];
    *b = (MechBody){.name = name_of(s->names, name)};
    b->mass = expr_number(s->d, mass);
    numbers(s, cg, 3, b->cg);
    numbers(s, (double[]){J[0], 0, 0, 0, J[1], 0, 0, 0, J[2]}, 9, b->inertia);
    return s->m.body_count++;
}

// A joint along or about z of its frame; axis and rotation may be set afterwards.
static inline int add_joint(World *s, const char *name, JointKind kind, int parent, int child,
                            const double position[3]) {
    MechJoint *j = &s->joint[s->m.joint_count];
    *j = (MechJoint){
        .name = name_of(s->names, name), .kind = kind, .parent = parent, .child = child};
    numbers(s, position, 3, j->position);
    numbers(s, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9, j->rotation);
    numbers(s, (double[]){0, 0, 1}, 3, j->axis);
    numbers(s, (double[]){1, 0, 0}, 3, j->axis2);
    j->pitch = expr_number(s->d, 0);
    return s->m.joint_count++;
}

static inline void set_axis(World *s, int joint, double x, double y, double z) {
    numbers(s, (double[]){x, y, z}, 3, s->joint[joint].axis);
}

static inline int add_frame(World *s, const char *name, int body, const double position[3]) {
    MechFrame *f = &s->frame[s->m.frame_count];
    *f = (MechFrame){.name = name_of(s->names, name), .body = body};
    numbers(s, position, 3, f->position);
    numbers(s, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9, f->rotation);
    return s->m.frame_count++;
}

static inline Expr numbered(World *s, const char *name, int i) {
    return expr_symbol(s->d, name_printf(s->names, "%s%d", name, i));
}

// Symbols for all coordinates, momenta, velocities, accelerations, efforts and wrenches.
static inline void make_symbols(World *s) {
    s->nq = s->nv = 0;
    for (int i = 0; i < s->m.joint_count; i++) {
        for (int k = 0; k < joint_coordinates(&s->joint[i]); k++, s->nq++)
            s->q[s->nq] = numbered(s, "q", s->nq);
        for (int k = 0; k < joint_velocities(s->joint[i].kind); k++, s->nv++) {
            s->p[s->nv] = numbered(s, "p", s->nv);
            s->w[s->nv] = numbered(s, "w", s->nv);
            s->w_rate[s->nv] = numbered(s, "a", s->nv);
            s->effort[s->nv] = numbered(s, "e", s->nv);
        }
    }
    for (int i = 0; i < 6 * s->m.frame_count; i++) s->wrench[i] = numbered(s, "f", i);
    assert_true(expr_symbol_count(s->d) < SYMBOLS);
    s->in = (MechInputs){.q = s->q, .p = s->p, .w = s->w, .effort = s->effort, .wrench = s->wrench};
}

static inline void set_values(World *s, const Expr *symbols, const double *values, int n) {
    for (int i = 0; i < n; i++) set_value(s, symbols[i], values[i]);
}

// --- evaluation: every node below the roots once -------------------------------------------------

static inline double node_value(const World *s, const double *at, Expr e) {
    Op op = expr_op(s->d, e);
    double a[3] = {0};
    int n = expr_arg_count(s->d, e);
    if (op == OP_NUMBER) return expr_value(s->d, e);
    if (op == OP_SYMBOL) return s->value[expr_symbol_index(s->d, e)];
    for (int i = 0; i < n && i < 3; i++) a[i] = at[expr_arg(s->d, e, i)];
    if (op != OP_SUM && op != OP_PRODUCT) return op_evaluate(op, a[0], a[1], a[2]);
    for (int i = 1; i < n; i++) a[0] = op_evaluate(op, a[0], at[expr_arg(s->d, e, i)], 0);
    return a[0];
}

static inline void evaluate(const World *s, const Expr *roots, int n, double *out) {
    double *at = malloc((dag_size(s->d) + 1) * sizeof *at);
    assert_non_null(at);
    ExprWalk *w = walk_new(s->d);
    for (int i = 0; i < n; i++) walk_add(w, roots[i]);
    for (int i = 0; i < walk_count(w); i++) at[walk_at(w, i)] = node_value(s, at, walk_at(w, i));
    for (int i = 0; i < n; i++) out[i] = at[roots[i]];
    walk_free(w);
    free(at);
}

static inline double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// All n values agree to `tolerance` of the largest of them.
#define assert_vector(actual, expected, n, tolerance)                                              \
    do {                                                                                           \
        double scale_ = fmax(largest(expected, n), 1e-30);                                         \
        for (int i_ = 0; i_ < (n); i_++)                                                           \
            if (!(fabs((actual)[i_] - (expected)[i_]) <= (tolerance)*scale_))                      \
                fail_msg("%s[%d] = %.15g, expected %.15g", #actual, i_, (actual)[i_],              \
                         (expected)[i_]);                                                          \
    } while (0)

#define assert_roots(s, roots, expected, n, tolerance)                                             \
    do {                                                                                           \
        double actual_[4096];                                                                      \
        evaluate(s, roots, n, actual_);                                                            \
        assert_vector(actual_, expected, n, tolerance);                                            \
    } while (0)

// --- random numbers that are the same everywhere -------------------------------------------------

static inline double uniform(uint64_t *seed, double low, double high) {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    double unit = (double)((*seed * 2685821657736338717ULL) >> 11) / 9007199254740992.0;
    return low + (high - low) * unit;
}

static inline void quaternion_numbers(const double quat[4], double R[9]) {
    double n = 0, w = quat[0], x = quat[1], y = quat[2], z = quat[3];
    for (int i = 0; i < 4; i++) n += quat[i] * quat[i];
    double s = 2 / n;
    double out[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                     s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                     s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
    memcpy(R, out, sizeof out);
}

static inline void random_rotation(uint64_t *seed, double R[9]) {
    double quat[4];
    for (int i = 0; i < 4; i++) quat[i] = uniform(seed, -1, 1);
    quaternion_numbers(quat, R);
}

#endif
