// Random trees of all kinds of joints.
#ifndef BONDYN_TESTS_MECH_RANDOM_TREE_H
#define BONDYN_TESTS_MECH_RANDOM_TREE_H

#include "fixture.h"

static inline void random_axis(World *s, uint64_t *seed, Expr out[3]) {
    double v[3], length = 0;
    int plain = (int)uniform(seed, 0, 6);
    for (int i = 0; i < 3; i++) v[i] = plain < 3 ? i == plain : uniform(seed, -1, 1);
    if (plain == 3) v[0] = 0;
    for (int i = 0; i < 3; i++) length += v[i] * v[i];
    for (int i = 0; i < 3; i++) out[i] = expr_number(s->d, v[i] / sqrt(length));
}

static inline void random_placement(World *s, uint64_t *seed, Expr position[3], Expr rotation[9]) {
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[3];
    int kind = (int)uniform(seed, 0, 5);
    if (kind == 0) random_rotation(seed, R);
    if (kind == 1) memcpy(R, (double[]){0, -1, 0, 0, 0, -1, 1, 0, 0}, sizeof R);
    if (kind == 2) memcpy(R, (double[]){1, 0, 0, 0, 6e-17, -1, 0, 1, 6e-17}, sizeof R);
    if (kind == 3) memcpy(R, (double[]){1, 0, 0, 0, 1, -1e-7, 0, 1e-7, 1}, sizeof R); // nearly none
    for (int i = 0; i < 3; i++) p[i] = uniform(seed, 0, 1) < 0.4 ? 0 : uniform(seed, -0.5, 0.5);
    numbers(s, p, 3, position);
    numbers(s, R, 9, rotation);
}

// Positive definite 6 x 6: a random matrix times its transpose.
static inline void random_added(World *s, uint64_t *seed, MechBody *b) {
    double a[36], sum[36] = {0};
    for (int i = 0; i < 36; i++) a[i] = uniform(seed, -1, 1);
    for (int i = 0; i < 36; i++)
        for (int k = 0; k < 6; k++) sum[i] += a[6 * (i / 6) + k] * a[6 * (i % 6) + k];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) sum[6 * i + j] = sum[6 * j + i];
    b->has_added = true;
    numbers(s, sum, 36, b->added);
}

static inline World *random_tree(uint64_t seed, int n, bool added) {
    World *s = world_new();
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "j%d", (i * 7) % n);
        double cg[3],
            J[3] = {uniform(&seed, 1, 1.5), uniform(&seed, 1, 1.5), uniform(&seed, 1, 1.5)};
        for (int k = 0; k < 3; k++) cg[k] = uniform(&seed, -0.3, 0.3);
        int b = add_body(s, name, uniform(&seed, 0.5, 3), cg, J);
        JointKind kind = (JointKind)uniform(&seed, 0, JOINT_KINDS - 0.001);
        int parent = (int)uniform(&seed, i > 8 ? i - 8 : -0.999, i - 0.001) - (i == 0);
        int j = add_joint(s, name, kind, i ? parent : -1, b, cg);
        random_placement(s, &seed, s->joint[j].position, s->joint[j].rotation);
        random_axis(s, &seed, s->joint[j].axis);
        numbers(s, (double[]){0.8, -0.6, 0}, 3, s->joint[j].axis2);
        s->joint[j].pitch = expr_number(s->d, 0.15);
        s->body[b].inertia[1] = s->body[b].inertia[3] = expr_number(s->d, uniform(&seed, -.2, .2));
        if (added && i % 3 == 0) random_added(s, &seed, &s->body[b]);
        if (i % 4 == 0) {
            int f = add_frame(s, name, b, cg);
            random_placement(s, &seed, s->frame[f].position, s->frame[f].rotation);
        }
    }
    gravity(s, 1, -2, -9.81);
    make_symbols(s);
    for (int i = 0; i < expr_symbol_count(s->d); i++) s->value[i] = uniform(&seed, -1, 1);
    return s;
}

// One of the twelve sequences of axes.
static inline EulerAngles random_angles(uint64_t *seed) {
    EulerAngles a = {.used = true};
    a.axis[0] = (unsigned char)uniform(seed, 0, 2.999);
    for (int i = 1; i < ANGLES; i++)
        a.axis[i] = (unsigned char)((a.axis[i - 1] + 1 + (int)uniform(seed, 0, 1.999)) % 3);
    return a;
}

// Attitudes by Euler angles from now on, with values away from where these are singular.
static inline void take_angles(World *s, uint64_t seed) {
    for (int i = 0; i < s->m.joint_count; i++)
        if (s->joint[i].kind >= JOINT_SPHERICAL) s->joint[i].angles = random_angles(&seed);
    make_symbols(s);
    for (int i = 0, q = 0; i < s->m.joint_count; i++) {
        EulerAngles a = s->joint[i].angles;
        q += joint_coordinates(&s->joint[i]);
        if (!a.used) continue;
        double size = uniform(&seed, 0.5, 1);
        for (int k = 0; k < ANGLES; k++)
            set_value(s, s->q[q - ANGLES + k], k == 1 ? size : uniform(&seed, -3, 3));
    }
}

#endif
