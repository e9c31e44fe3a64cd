// Four ways to write the motion of a mechanism: momenta or velocities, quaternions or Euler angles.
// Trajectories of random trees must be the same; the angles themselves are held to quaternions.
#include "random_tree.h"

#include "mech/attitude.h"
#include "spatial/spatial.h"

// --- attitudes -----------------------------------------------------------------------------------

static void all_sequences(EulerAngles out[12]) {
    for (int i = 0, n = 0; i < 27; i++) {
        EulerAngles a = {
            true, {(unsigned char)(i / 9), (unsigned char)(i / 3 % 3), (unsigned char)(i % 3)}};
        if (a.axis[0] != a.axis[1] && a.axis[1] != a.axis[2]) out[n++] = a;
    }
}

// The matrix of the angles is that of their quaternion, and they come back from it.
static void angles_and_quaternions_agree(void **state) {
    (void)state;
    uint64_t seed = 0x2545F4914F6CDD1DULL;
    EulerAngles sequence[12];
    all_sequences(sequence);
    for (int i = 0; i < 120; i++) {
        World *s = world_new();
        EulerAngles a = sequence[i % 12];
        double given[3] = {uniform(&seed, -3.1, 3.1), 0, uniform(&seed, -3.1, 3.1)}, R[9];
        given[1] = angles_repeat(a) ? uniform(&seed, 0.1, 3) : uniform(&seed, -1.5, 1.5);
        Expr q[3] = {symbol(s, "a", given[0]), symbol(s, "b", given[1]), symbol(s, "c", given[2])};
        Expr matrix[9], other[9], quaternion[4], back[3];
        attitude_matrix(s->d, a, q, matrix);
        attitude_quaternion(s->d, a, q, quaternion);
        attitude_matrix(s->d, (EulerAngles){0}, quaternion, other);
        evaluate(s, matrix, 9, R);
        assert_roots(s, other, R, 9, 1e-14);
        quaternion_angles(s->d, quaternion, a.axis, back);
        assert_roots(s, back, given, 3, 1e-13);
        world_free(s);
    }
}

// Roll, pitch and yaw turn as everybody expects: from the body to the world Rz Ry Rx.
static void yaw_pitch_and_roll_are_about_z_y_and_x(void **state) {
    (void)state;
    EulerAngles zyx = {true, {2, 1, 0}}, zxz = {true, {2, 0, 2}};
    const char *name[] = {"yaw", "pitch", "roll", "precession", "nutation", "spin"};
    for (int i = 0; i < 3; i++) assert_string_equal(angle_name(zyx, i), name[i]);
    for (int i = 0; i < 3; i++) assert_string_equal(angle_name(zxz, i), name[3 + i]);
    World *s = world_new();
    Expr q[3] = {symbol(s, "y", 0.3), symbol(s, "p", -0.4), symbol(s, "r", 0.9)}, R[9];
    double cy = cos(0.3), sy = sin(0.3), cp = cos(-0.4), sp = sin(-0.4), cr = cos(0.9),
           sr = sin(0.9);
    double expected[9] = {cy * cp,
                          cy * sp * sr - sy * cr,
                          cy * sp * cr + sy * sr,
                          sy * cp,
                          sy * sp * sr + cy * cr,
                          sy * sp * cr - cy * sr,
                          -sp,
                          cp * sr,
                          cp * cr};
    attitude_matrix(s->d, zyx, q, R);
    assert_roots(s, R, expected, 9, 1e-15);
    world_free(s);
}

// --- trajectories --------------------------------------------------------------------------------

typedef struct {
    World *s;
    bool lagrange;
    MechEquations *e;
    int n, count;
    Expr *node;
    double *at;
    double x[COORDINATES + VELOCITIES];
} Path;

static Expr rate_root(const Path *p, int i) {
    int nq = p->s->nq;
    return i < nq ? p->e->q_rate[i] : (p->lagrange ? p->e->acceleration : p->e->p_rate)[i - nq];
}

static void path_open(Path *p, World *s, bool lagrange) {
    *p = (Path){.s = s, .lagrange = lagrange, .n = s->nq + s->nv};
    for (int i = 0; i < s->nv; i++) set_value(s, s->effort[i], 0.1 * (i % 3) - 0.1);
    p->e = (lagrange ? mech_lagrange_form : mech_momentum_form)(&s->arena, s->d, &s->m, &s->in,
                                                                METHOD_AUTO);
    double momenta[VELOCITIES];
    evaluate(s, s->q, s->nq, p->x);
    evaluate(s, s->w, s->nv, p->x + s->nq);
    evaluate(s, mech_momenta(&s->arena, s->d, &s->m, s->q, s->w).at, s->nv, momenta);
    for (int i = 0; i < s->nv && !lagrange; i++) p->x[s->nq + i] = momenta[i];
    ExprWalk *w = walk_new(s->d);
    for (int i = 0; i < p->n; i++) walk_add(w, rate_root(p, i));
    p->count = walk_count(w);
    p->node = calloc((size_t)p->count + 1, sizeof *p->node);
    p->at = calloc(dag_size(s->d) + 1, sizeof *p->at);
    for (int i = 0; i < p->count; i++) p->node[i] = walk_at(w, i);
    walk_free(w);
}

static void path_close(Path *p) {
    free(p->node);
    free(p->at);
}

static void put_state(Path *p, const double *x) {
    World *s = p->s;
    set_values(s, s->q, x, s->nq);
    set_values(s, p->lagrange ? s->w : s->p, x + s->nq, s->nv);
}

static void path_rates(Path *p, const double *x, double *rate) {
    put_state(p, x);
    for (int i = 0; i < p->count; i++) p->at[p->node[i]] = node_value(p->s, p->at, p->node[i]);
    for (int i = 0; i < p->n; i++) rate[i] = p->at[rate_root(p, i)];
}

// The modified midpoint rule with `parts` steps.
static void midpoint(Path *p, double h, int parts, double *out) {
    double before[COORDINATES + VELOCITIES], now[COORDINATES + VELOCITIES];
    double rate[COORDINATES + VELOCITIES], step = h / parts;
    path_rates(p, p->x, rate);
    for (int i = 0; i < p->n; i++) before[i] = p->x[i], now[i] = p->x[i] + step * rate[i];
    for (int k = 1; k <= parts; k++) {
        path_rates(p, now, rate);
        for (int i = 0; i < p->n; i++) {
            double next = k < parts ? before[i] + 2 * step * rate[i]
                                    : 0.5 * (now[i] + before[i] + step * rate[i]);
            before[i] = now[i];
            now[i] = next;
        }
    }
    memcpy(out, now, (size_t)p->n * sizeof *out);
}

// Gragg, Bulirsch and Stoer with 2, 4 ... 14 parts: order 14, so that errors are rounding.
static void path_step(Path *p, double h) {
    enum { ROWS = 7 };
    static double row[ROWS][COORDINATES + VELOCITIES];
    for (int k = 0; k < ROWS; k++) midpoint(p, h, 2 * (k + 1), row[k]);
    for (int level = 1; level < ROWS; level++)
        for (int k = ROWS - 1; k >= level; k--) {
            double ratio = (double)(k + 1) / (k + 1 - level);
            for (int i = 0; i < p->n; i++)
                row[k][i] += (row[k][i] - row[k - 1][i]) / (ratio * ratio - 1);
        }
    memcpy(p->x, row[ROWS - 1], (size_t)p->n * sizeof *p->x);
}

// Velocities, and places, axes and twists of the frames, after half a second.
static int run_path(World *s, bool lagrange, double *seen) {
    Path p;
    int n = 0;
    path_open(&p, s, lagrange);
    for (int i = 0; i < 10; i++) path_step(&p, 0.05);
    put_state(&p, p.x);
    evaluate(s, p.e->w, s->nv, seen);
    n += s->nv;
    evaluate(s, p.e->frame_position, 3 * s->m.frame_count, seen + n);
    n += 3 * s->m.frame_count;
    evaluate(s, p.e->frame_rotation, 9 * s->m.frame_count, seen + n);
    n += 9 * s->m.frame_count;
    evaluate(s, p.e->frame_twist, 6 * s->m.frame_count, seen + n);
    n += 6 * s->m.frame_count;
    path_close(&p);
    return n;
}

// The tree with quaternions that starts where the other one, with angles, does.
static World *same_by_quaternions(uint64_t seed, int joints, bool added, World *by_angles) {
    World *s = random_tree(seed, joints, added);
    double value[COORDINATES + VELOCITIES], given[COORDINATES];
    Expr quaternion[COORDINATES];
    evaluate(by_angles, by_angles->q, by_angles->nq, given);
    evaluate(by_angles, by_angles->w, by_angles->nv, value);
    set_values(s, s->w, value, s->nv);
    evaluate(by_angles, by_angles->wrench, 6 * s->m.frame_count, value);
    set_values(s, s->wrench, value, 6 * s->m.frame_count);
    for (int i = 0, from = 0, to = 0; i < s->m.joint_count; i++) {
        const MechJoint *j = &by_angles->joint[i];
        int plain = joint_coordinates(j) - (j->angles.used ? ANGLES : 0);
        set_values(s, s->q + to, given + from, plain);
        from += plain, to += plain;
        if (!j->angles.used) continue;
        attitude_quaternion(by_angles->d, j->angles, by_angles->q + from, quaternion);
        evaluate(by_angles, quaternion, 4, value);
        set_values(s, s->q + to, value, 4);
        from += ANGLES, to += 4;
    }
    return s;
}

// Half a second is longer than some trees stay away from the attitude at which angles fail; those
// are told by what the middle angles do, and left out.
static bool stays_regular(World *s) {
    Path p;
    bool good = true;
    path_open(&p, s, true);
    for (int i = 0; i < 50 && good; i++) {
        double rate[COORDINATES + VELOCITIES];
        path_rates(&p, p.x, rate);
        for (int k = 0; k < p.n; k++) p.x[k] += 0.01 * rate[k];
        put_state(&p, p.x);
        for (int j = 0, q = 0; j < s->m.joint_count; j++) {
            EulerAngles a = s->joint[j].angles;
            q += joint_coordinates(&s->joint[j]);
            double hold = 1;
            Expr root = a.used ? attitude_hold(s->d, a, s->q + q - ANGLES) : 0;
            if (root) evaluate(s, &root, 1, &hold);
            good &= fabs(hold) > 0.2;
        }
    }
    path_close(&p);
    return good;
}

static bool compare_paths(uint64_t seed, int joints, bool added) {
    static double seen[4][32 * BODIES];
    World *angles = random_tree(seed, joints, added);
    take_angles(angles, seed + 1);
    World *same = random_tree(seed, joints, added), *again = random_tree(seed, joints, added);
    take_angles(same, seed + 1);
    take_angles(again, seed + 1);
    World *quaternions = same_by_quaternions(seed, joints, added, angles);
    World *twin = same_by_quaternions(seed, joints, added, angles);
    bool regular = stays_regular(again);
    if (regular) {
        int n = run_path(quaternions, false, seen[0]);
        assert_int_equal(run_path(twin, true, seen[1]), n);
        assert_int_equal(run_path(angles, false, seen[2]), n);
        assert_int_equal(run_path(same, true, seen[3]), n);
        for (int k = 1; k < 4; k++) assert_vector(seen[k], seen[0], n, 1e-9);
    }
    World *all[] = {angles, same, again, quaternions, twin};
    for (int i = 0; i < 5; i++) world_free(all[i]);
    return regular;
}

static void trajectories_agree_on_random_trees(void **state) {
    (void)state;
    int compared = 0;
    for (int i = 0; i < 24; i++)
        compared += compare_paths(0xA0761D6478BD642FULL + 1013 * (uint64_t)i, 1 + i / 6, i % 2);
    assert_true(compared >= 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(angles_and_quaternions_agree),
                                       cmocka_unit_test(yaw_pitch_and_roll_are_about_z_y_and_x),
                                       cmocka_unit_test(trajectories_agree_on_random_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
