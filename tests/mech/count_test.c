// How many operations the traced equations take: the chains that the choice of method was measured
// on, with bounds that a loss of folding would break.
#include "fixture.h"

// Inertia of a box of random size and direction.
static void random_body(World *s, int b, uint64_t *seed, double scale) {
    double R[9], side[3], principal[3], J[9] = {0}, cg[3], mass = scale * uniform(seed, 0.8, 4);
    for (int i = 0; i < 3; i++) cg[i] = uniform(seed, -0.15, 0.15);
    for (int i = 0; i < 3; i++) side[i] = uniform(seed, 0.1, 0.5);
    for (int i = 0; i < 3; i++) {
        double a = side[(i + 1) % 3], c = side[(i + 2) % 3];
        principal[i] = mass / 12 * (a * a + c * c);
    }
    random_rotation(seed, R);
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++) J[i] += R[3 * (i / 3) + k] * principal[k] * R[3 * (i % 3) + k];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) J[3 * i + j] = J[3 * j + i];
    s->body[b].mass = expr_number(s->d, mass);
    numbers(s, cg, 3, s->body[b].cg);
    numbers(s, J, 9, s->body[b].inertia);
}

// Joint frames of an arm: quarter turns about x and one offset each.
static void arm_placement(int i, uint64_t *seed, double R[9], double p[3]) {
    int quarter = i == 0 ? 0 : i % 2 ? 1 : -1;
    double c = quarter ? 0 : 1, s = quarter;
    memcpy(R, (double[]){1, 0, 0, 0, c, -s, 0, s, c}, 9 * sizeof *R);
    double offset = uniform(seed, 0.15, 0.4);
    p[i % 2 ? 0 : quarter ? 1 : 2] = i % 2 ? offset : quarter ? -quarter * offset : offset;
}

// A chain of n revolute joints, on the world or on a free body.
static World *chain(int n, bool on_free_body, bool arm) {
    const double none[3] = {0, 0, 0};
    uint64_t seed = 88172645463325252ULL + 1000003ULL * arm;
    World *s = world_new();
    if (on_free_body) {
        random_body(s, add_body(s, "base", 1, none, none), &seed, 20);
        add_joint(s, "base", JOINT_FREE, -1, 0, none);
    }
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "j%d", i);
        double R[9], p[3] = {0, 0, 0};
        if (arm) {
            arm_placement(i, &seed, R, p);
        } else {
            random_rotation(&seed, R);
            for (int k = 0; k < 3; k++) p[k] = uniform(&seed, -0.3, 0.3);
        }
        int b = add_body(s, name, 1, none, none);
        int j = add_joint(s, name, JOINT_REVOLUTE, b - 1, b, p);
        numbers(s, R, 9, s->joint[j].rotation);
        random_body(s, b, &seed, 1);
    }
    gravity(s, 0, 0, -9.81);
    make_symbols(s);
    return s;
}

static int operations(World *s, MechMethod method) {
    MechEquations *e = mech_momentum_form(&s->arena, s->d, &s->m, &s->in, method);
    Expr roots[2 * VELOCITIES];
    for (int i = 0; i < s->nv; i++) {
        roots[i] = e->w[i];
        roots[s->nv + i] = e->p_rate[i];
    }
    OpCount c = expr_count(s->d, roots, 2 * s->nv);
    return c.adds + c.multiplies + c.divides;
}

static int lagrange_operations(World *s, MechMethod method) {
    MechEquations *e = mech_lagrange_form(&s->arena, s->d, &s->m, &s->in, method);
    OpCount c = expr_count(s->d, e->acceleration, s->nv);
    return c.adds + c.multiplies + c.divides;
}

static void check_lagrange(int n, bool on_free_body, bool arm, int bound) {
    World *s = chain(n, on_free_body, arm);
    int count = lagrange_operations(s, METHOD_AUTO);
    if (count > bound) fail_msg("%d joints take %d operations, above %d", n, count, bound);
    world_free(s);
}

static void check_count(int n, bool on_free_body, bool arm, MechMethod method, int bound) {
    World *s = chain(n, on_free_body, arm);
    int count = operations(s, method);
    if (count > bound) fail_msg("%d joints take %d operations, above %d", n, count, bound);
    world_free(s);
}

static void operations_stay_few(void **state) {
    (void)state;
    check_count(7, false, true, METHOD_COMPOSITE, 983);
    check_count(7, true, true, METHOD_ARTICULATED, 1943);
    check_count(7, false, false, METHOD_COMPOSITE, 2237);
    check_count(30, false, false, METHOD_ARTICULATED, 15596);
}

// Bounds as in docs/mechanisms.md.
static void lagrange_operations_stay_few(void **state) {
    (void)state;
    check_lagrange(7, false, true, 1256);
    check_lagrange(7, true, true, 2105);
    check_lagrange(7, false, false, 2042);
    check_lagrange(7, true, false, 3319);
    check_lagrange(30, false, false, 12503);
}

// AUTO takes the method with fewer operations, within a fifth.
static void method_is_chosen_well(void **state) {
    (void)state;
    for (int n = 4; n <= 12; n++)
        for (int kind = 0; kind < 4; kind++) {
            World *s[3];
            int count[3];
            for (int method = METHOD_AUTO; method <= METHOD_ARTICULATED; method++) {
                s[method] = chain(n, kind & 1, kind & 2);
                count[method] = operations(s[method], (MechMethod)method);
                world_free(s[method]);
            }
            int fewest = count[1] < count[2] ? count[1] : count[2];
            if (count[0] > fewest + fewest / 5)
                fail_msg("%d joints, kind %d: %d, could be %d", n, kind, count[0], fewest);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations_stay_few),
                                       cmocka_unit_test(lagrange_operations_stay_few),
                                       cmocka_unit_test(method_is_chosen_well)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
