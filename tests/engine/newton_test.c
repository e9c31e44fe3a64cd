// Newton's kernel on equations whose solution is zero but for rounding, in units of every size.
#include "../test.h"

#include <math.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-function"
#define KERNEL(...) __VA_ARGS__
#include "engine/kernels.def"
#undef KERNEL

typedef struct {
    double size, right; // of the constants; of the unknowns
    int calls;
} Case;

// With u = u0/right, v = u1/right, zero but for the rounding of the constants:
//     (1.1 + u)^3 + sin(v + 0.3) = 1.1^3 + sin(0.3),   exp(v + 0.7) cos(u) = exp(0.7)
static void residual(BondynBlock *b) {
    Case *c = b->context;
    double u = b->u[0] / c->right, v = b->u[1] / c->right;
    c->calls++;
    b->f[0] =
        c->size * pow(1.1 + u, 3) + c->size * sin(v + 0.3) - c->size * (1.1 * 1.1 * 1.1 + sin(0.3));
    b->f[1] = c->size * exp(v + 0.7) * cos(u) - c->size * exp(0.7);
}

static void matrix(BondynBlock *b) {
    const Case *c = b->context;
    double u = b->u[0] / c->right, v = b->u[1] / c->right, k = c->size / c->right;
    b->a[0] = k * 3 * (1.1 + u) * (1.1 + u);
    b->a[1] = k * cos(v + 0.3);
    b->a[2] = -k * exp(v + 0.7) * sin(u);
    b->a[3] = k * exp(v + 0.7) * cos(u);
}

static void solves_from(double size, double right, double u, double v) {
    Case c = {size, right, 0};
    double x[2] = {u * right, v * right}, work[8], factors[8];
    int pivot[2];
    BondynBlock b = {.n = 2, .u = x, .residual = residual, .matrix = matrix, .context = &c};
    bondyn_block_scratch(&b, work);
    bondyn_block_dense(&b, factors, pivot);
    if (!bondyn_newton(&b)) fail_msg("size %g, unknowns %g, from %g %g", size, right, u, v);
    if (!(fabs(x[0]) <= 2e-15 * right && fabs(x[1]) <= 2e-15 * right))
        fail_msg("size %g, unknowns %g, from %g %g: %g %g", size, right, u, v, x[0], x[1]);
    assert_true(c.calls < 80);
}

static void solutions_near_zero_are_found(void **state) {
    (void)state;
    static const double size[] = {1, 1e-12, 1e9}, right[] = {1, 1e-12, 1e7};
    static const double from[] = {0, 1e-17, 3e-17, -1.3e-16, 2.2e-16, 5e-16, 1e-9, 1e-3, 0.3};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 9; a++)
                for (int b = 0; b < 9; b++) solves_from(size[i], right[k], from[a], -from[b]);
}

// u^2 + 1: no solution, and none is made up.
static void no_root(BondynBlock *b) { b->f[0] = b->u[0] * b->u[0] + 1; }
static void no_root_slope(BondynBlock *b) { b->a[0] = 2 * b->u[0]; }

static void no_solution_is_made_up(void **state) {
    (void)state;
    for (int i = -20; i <= 20; i++) {
        double x = pow(10, i / 4.0), work[4], factors[3];
        int pivot;
        BondynBlock b = {.n = 1, .u = &x, .residual = no_root, .matrix = no_root_slope};
        bondyn_block_scratch(&b, work);
        bondyn_block_dense(&b, factors, &pivot);
        assert_false(bondyn_newton(&b));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_near_zero_are_found),
        cmocka_unit_test(no_solution_is_made_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
