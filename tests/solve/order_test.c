// The Runge-Kutta method of engine/rk78.def against the conditions of order.
//
// A rooted tree t of r nodes stands for a derivative of y, and a method has order p if for every
// tree of up to p nodes
//
//     sum b[i] F_i(t) = 1/gamma(t)       F_i(t) = product over branches u of sum a[i][j] F_j(u)
//                                        gamma(t) = r * product of gamma(u)
//
// Inside a step, at t + x h, b[i] are polynomials of x and the right side is x^r/gamma(t).
#include "../test.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define VALUE       double
#define KERNEL(...) __VA_ARGS__
#include "engine/rk78.def"
#undef KERNEL
#undef VALUE

enum { MOST_NODES = 8, TREES = 200, STAGES = 16, END = 13 };

typedef struct {
    int nodes, count, branch[MOST_NODES]; // trees that hang from the root, as numbers
    double gamma, symmetry;
    double value[STAGES], size[STAGES]; // F_i, and the sum of what it is made of without signs
} Tree;

typedef struct {
    Tree tree[TREES];
    int count;
} Trees;

// --- trees ---------------------------------------------------------------------------------------

// sum a[i][j] F_j(u); *size: without signs
static double weighed(const double *a, const Tree *u, double *size) {
    double sum = 0;
    *size = 0;
    for (int j = 0; j < STAGES - 1; j++) {
        sum += a[j] * u->value[j];
        *size += fabs(a[j]) * u->size[j];
    }
    return sum;
}

static void add_tree(Trees *t, int nodes, const int *branch, int count) {
    assert_true(t->count < TREES);
    Tree *x = &t->tree[t->count++];
    *x = (Tree){.nodes = nodes, .count = count, .gamma = nodes, .symmetry = 1};
    for (int i = 0, equal = 1; i < count; i++) {
        const Tree *u = &t->tree[x->branch[i] = branch[i]];
        equal = i && branch[i] == branch[i - 1] ? equal + 1 : 1;
        x->gamma *= u->gamma;
        x->symmetry *= u->symmetry * equal;
    }
    for (int s = 0; s < STAGES; s++) {
        x->value[s] = x->size[s] = 1;
        for (int i = 0; i < count; i++) {
            double size;
            x->value[s] *= weighed(bondyn_rk78_stage[s], &t->tree[branch[i]], &size);
            x->size[s] *= size;
        }
    }
}

// All trees with branches in falling order of their numbers, the first at most `most`.
static void add_trees(Trees *t, int nodes, int left, int most, int *branch, int count) {
    if (left == 0) {
        add_tree(t, nodes, branch, count);
        return;
    }
    for (int i = 0; i <= most; i++) {
        if (t->tree[i].nodes > left) break;
        branch[count] = i;
        add_trees(t, nodes, left - t->tree[i].nodes, i, branch, count + 1);
    }
}

static Trees *all_trees(void) {
    static const int known[] = {1, 2, 4, 8, 17, 37, 85, 200}; // of up to 1, 2, ... nodes
    Trees *t = calloc(1, sizeof *t);
    int branch[MOST_NODES];
    for (int nodes = 1; nodes <= MOST_NODES; nodes++) {
        add_trees(t, nodes, nodes - 1, t->count - 1, branch, 0);
        assert_int_equal(t->count, known[nodes - 1]);
    }
    return t;
}

// --- conditions ----------------------------------------------------------------------------------

// Every condition up to the order, to the rounding of coefficients and sums: a part of a sum has
// been rounded once for each node and stage, at most.
static void has_order(const Trees *t, const double *b, double x, int order) {
    for (int i = 0; i < t->count && t->tree[i].nodes <= order; i++) {
        const Tree *u = &t->tree[i];
        double size, sum = weighed(b, u, &size);
        double last = b[STAGES - 1];
        sum += last * u->value[STAGES - 1];
        size += fabs(last) * u->size[STAGES - 1];
        assert_near(sum, pow(x, u->nodes) / u->gamma, 4 * DBL_EPSILON * size);
    }
}

// Norm of the errors of one order, as they count for y.
static double error_of_order(const Trees *t, const double *b, double x, int order) {
    double sum = 0;
    for (int i = 0; i < t->count; i++) {
        const Tree *u = &t->tree[i];
        if (u->nodes != order) continue;
        double value = -pow(x, order) / u->gamma;
        for (int j = 0; j < STAGES; j++) value += b[j] * u->value[j];
        sum += value / u->symmetry * (value / u->symmetry);
    }
    return sqrt(sum);
}

// Weights of the rates at t + x h: what rk78_inside makes of them.
static void weights_inside(double x, double *b) {
    double w = 1 - x, s = 2 * x - 1;
    for (int j = 0; j < STAGES; j++) {
        double rate[STAGES] = {0}, next = 0, c[8], y = 0;
        rate[j] = 1;
        bondyn_rk78_point(END, 1, 1, 1, &y, rate, &next);
        bondyn_rk78_polynomial(1, 1, 1, &y, &next, rate, c);
        double rest = c[3] + s * (c[4] + s * (c[5] + s * (c[6] + s * c[7])));
        b[j] = x * (c[0] + w * (c[1] + x * (c[2] + w * rest)));
    }
}

static void nodes_are_sums_of_rows(void **state) {
    (void)state;
    for (int s = 0; s < STAGES; s++) {
        double sum = 0, size = 0;
        for (int j = 0; j < STAGES - 1; j++) {
            sum += bondyn_rk78_stage[s][j];
            size += fabs(bondyn_rk78_stage[s][j]);
        }
        assert_near(bondyn_rk78_node[s], sum, 4 * DBL_EPSILON * size);
    }
}

static void the_step_has_order_eight(void **state) {
    (void)state;
    Trees *t = all_trees();
    double b[STAGES] = {0}, b7[STAGES] = {0};
    for (int j = 0; j < 13; j++) {
        b[j] = bondyn_rk78_stage[END][j];
        b7[j] = b[j] - bondyn_rk78_error[j];
    }
    has_order(t, b, 1, 8);
    has_order(t, b7, 1, 7);
    assert_near(error_of_order(t, b7, 1, 8), 2.88e-5, 1e-7); // what the length of steps goes by
    free(t);
}

static void points_inside_have_order_six(void **state) {
    (void)state;
    Trees *t = all_trees();
    double b[STAGES];
    for (int i = 0; i <= 40; i++) {
        double x = i / 40.0;
        weights_inside(x, b);
        has_order(t, b, x, 6);
        assert_true(error_of_order(t, b, x, 7) < 3.3e-6);
        assert_true(error_of_order(t, b, x, 8) < 3.4e-6);
    }
    for (int s = 14; s < STAGES; s++) {
        memset(b, 0, sizeof b);
        memcpy(b, bondyn_rk78_stage[s], sizeof bondyn_rk78_stage[s]);
        has_order(t, b, bondyn_rk78_node[s], s == 14 ? 5 : 6);
    }
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_sums_of_rows),
        cmocka_unit_test(the_step_has_order_eight),
        cmocka_unit_test(points_inside_have_order_six),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
