#include "../test.h"

#include "expr/expr.h"
#include <stdlib.h>
#include <string.h>

// Derivatives of functions of matrices: by the rules against central differences of values, the
// slopes of expr_gradient against the rules, and second derivatives against differences of first
// ones. Entries of the inputs are random curves of x and y. Argument: number of seeds.

static int seeds = 12;

typedef struct {
    uint64_t state;
} Random;

static double random_number(Random *r) { // -1 .. 1
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int32_t)(r->state >> 32) / 2147483648.0;
}

typedef struct {
    Names *names;
    Dag *d;
    Expr x, y;
    Random r;
} World;

static World world_new(int seed) {
    World w = {.names = names_new(), .r = {(uint64_t)seed}};
    w.d = dag_new(w.names);
    w.x = expr_symbol(w.d, name_of(w.names, "x"));
    w.y = expr_symbol(w.d, name_of(w.names, "y"));
    return w;
}

// c + a sin(x) + b x y: smooth, of both
static Expr entry(World *w, double c) {
    Dag *d = w->d;
    Expr a =
        expr_mul(d, expr_number(d, 0.2 * random_number(&w->r)), expr_call(d, OP_SIN, &w->x, 1));
    Expr b = expr_mul(d, expr_number(d, 0.1 * random_number(&w->r)), expr_mul(d, w->x, w->y));
    return expr_sum(d, (Expr[]){expr_number(d, c), a, b}, 3);
}

static void fill(World *w, Expr *in, int rows, int cols, double diagonal, bool symmetric) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            in[i * cols + j] = symmetric && j < i
                                   ? in[j * cols + i]
                                   : entry(w, random_number(&w->r) * (symmetric ? 0.3 : 1) +
                                                  (i == j ? diagonal : 0));
}

static Expr build(World *w, MatrixFunction f, int n, int m) {
    static Expr in[2000];
    Expr *at = in;
    bool stable = f == MATRIX_LYAP || f == MATRIX_SYLVESTER;
    fill(w, at, n, n, stable ? -4 : f == MATRIX_SOLVE ? 3 : 0, false);
    if (f == MATRIX_DLYAP)
        for (int i = 0; i < n * n; i++) at[i] = expr_mul(w->d, expr_number(w->d, 0.2), at[i]);
    at += n * n;
    if (f == MATRIX_SOLVE || f == MATRIX_CARE || f == MATRIX_DARE || f == MATRIX_PLACE) {
        fill(w, at, n, m, 0, false);
        at += n * m;
    }
    if (f == MATRIX_LYAP || f == MATRIX_DLYAP) fill(w, at, n, n, 0, false);
    if (f == MATRIX_SYLVESTER) {
        fill(w, at, m, m, -4, false);
        fill(w, at + m * m, n, m, 0, false);
    }
    if (f == MATRIX_CARE || f == MATRIX_DARE) {
        fill(w, at, n, n, 2, true);
        fill(w, at + n * n, m, m, 2, true);
        fill(w, at + n * n + m * m, n, m, 0, false);
        for (int i = 0; i < n * m; i++) {
            Expr *s = &at[n * n + m * m + i];
            *s = expr_mul(w->d, expr_number(w->d, 0.1), *s);
        }
    }
    for (int i = 0; f == MATRIX_PLACE && i < n; i++) { // a pair, then real ones
        Expr im = expr_number(w->d, i == 0 ? 1.5 : i == 1 ? -1.5 : 0), x = w->x;
        at[2 * i] = expr_add(w->d, expr_number(w->d, i < 2 ? -1 : -1.5 - i),
                             expr_mul(w->d, expr_number(w->d, 0.1), x));
        at[2 * i + 1] = n > 1 ? im : expr_number(w->d, 0);
    }
    return expr_matrix(w->d, (MatrixShape){f, n, m, NULL, false}, POS_NONE, in);
}

static double value_beside(const World *w, Expr e, int by, double h) {
    double at[2] = {0.3, -0.4};
    at[by] += h;
    return expr_evaluate(w->d, e, at);
}

// How far values beside the point, so near that they lie on a line, are off it: solutions of a system that is hardly stabilisable have few digits.
static double rounding(const World *w, Expr e, int by) {
    double here = value_beside(w, e, by, 0), most = 2.3e-16 * fabs(here);
    for (int k = 1; k <= 4; k++) {
        double h = 1e-9 * k;
        most = fmax(most, fabs(value_beside(w, e, by, h) + value_beside(w, e, by, -h) - 2 * here));
    }
    return most;
}

// Romberg's table of central differences: the entry that agrees best with its neighbours. One distance for all would be too long for
// a solution that bends sharply, or too short for a large one. *error: how far it may be off by that, and by rounding.
static double difference(const World *w, Expr e, int by, double *error) {
    enum { STEPS = 8 };
    double t[STEPS][STEPS] = {{0}}, h = 8e-3, best = NAN, noise = rounding(w, e, by);
    *error = INFINITY;
    for (int k = 0; k < 6; k++) // poles cannot be placed everywhere
        if (!isfinite(value_beside(w, e, by, h) + value_beside(w, e, by, -h))) h /= 3;
    for (int k = 0; k < STEPS; k++, h /= 3) {
        double factor = 1;
        t[k][0] = (value_beside(w, e, by, h) - value_beside(w, e, by, -h)) / (2 * h);
        for (int j = 1; j <= k; j++) {
            factor *= 9;
            t[k][j] = t[k][j - 1] + (t[k][j - 1] - t[k - 1][j - 1]) / (factor - 1);
            double off = fmax(fabs(t[k][j] - t[k][j - 1]), fabs(t[k][j] - t[k - 1][j - 1]));
            off = fmax(off, noise / h);
            if (off < *error) *error = off, best = t[k][j];
        }
    }
    return best;
}

static void compare(const World *w, Expr e, bool second, double tolerance, const char *what) {
    static const double point[2] = {0.3, -0.4};
    ExprWalk *walk = walk_new(w->d);
    Slopes slopes = {0};
    expr_gradient(w->d, walk, e, point, &slopes);
    for (int by = 0; by < 2; by++) {
        Expr slope = expr_derivative(w->d, e, by ? w->y : w->x);
        double exact = expr_evaluate(w->d, slope, point), size = 1 + fabs(exact), swept = 0;
        double error, differenced = difference(w, e, by, &error);
        if (!(fabs(exact - differenced) < fmax(tolerance * size, 2 * error)))
            fail_msg("%s: %.12g, by differences %.12g", what, exact, differenced);
        for (int i = 0; i < slopes.count; i++)
            if (slopes.data[i].symbol == by) swept = slopes.data[i].slope;
        if (!second && !(fabs(exact - swept) < fmax(1e-9 * size, error)))
            fail_msg("%s: %.12g, swept %.12g", what, exact, swept);
        if (second) compare(w, slope, false, 1e-5, what);
    }
    array_free(&slopes);
    walk_free(walk);
}

static void rates_are_exact(void **state) {
    (void)state;
    for (int f = 0; f < MATRIX_PLACE_RATE; f++)
        for (int seed = 1; seed <= seeds; seed++) {
            World w = world_new(seed * 100 + f);
            int n = 1 + (int)(2.4 * (1 + random_number(&w.r))), m = 1 + seed % 2;
            if (m > n) m = n;
            Expr matrix = build(&w, (MatrixFunction)f, n, m);
            int outputs = matrix_output_count(expr_matrix_kind(w.d, matrix)->shape);
            bool second = seed == 1 && n < 4 && f != MATRIX_PLACE;
            for (int k = 0; k < outputs; k += 1 + outputs / 3)
                compare(&w, expr_entry(w.d, matrix, k), second, 1e-7,
                        matrix_function_name((MatrixShape){(MatrixFunction)f, 0, 0, NULL, false}));
            dag_free(w.d);
            names_free(w.names);
        }
}

// Entries of numbers are numbers; what has no value stays.
static void numbers_fold(void **state) {
    (void)state;
    World w = world_new(1);
    const double given[] = {3, 2, 5, 0.7, 0};
    Expr in[5];
    for (int i = 0; i < 5; i++) in[i] = expr_number(w.d, given[i]);
    Expr care = expr_matrix(w.d, (MatrixShape){MATRIX_CARE, 1, 1, NULL, false}, POS_NONE, in);
    double value;
    assert_true(expr_is_number(w.d, expr_entry(w.d, care, 0), &value));
    assert_near(value, (2.1 + sqrt(9 * 0.49 + 14)) / 4, 1e-14);
    in[3] = expr_number(w.d, -1);
    Expr none = expr_matrix(w.d, (MatrixShape){MATRIX_CARE, 1, 1, NULL, false}, POS_NONE, in);
    assert_false(expr_is_number(w.d, expr_entry(w.d, none, 0), NULL));
    assert_true(isnan(expr_evaluate(w.d, expr_entry(w.d, none, 0), NULL)));
    Text t = {0};
    expr_print(&t, w.d, expr_entry(w.d, none, 0), &(Printer){0});
    assert_string_equal(text_get(&t), "care(3, 2, 5, -1, 0)[1, 1]");
    text_free(&t);
    // numbers put in for symbols fold as well
    in[3] = w.x;
    Expr open = expr_entry(
        w.d, expr_matrix(w.d, (MatrixShape){MATRIX_CARE, 1, 1, NULL, false}, POS_NONE, in), 0);
    Rewrite *put = rewrite_new(w.d);
    rewrite_set(put, w.x, expr_number(w.d, 0.7));
    assert_true(expr_is_number(w.d, rewrite(put, open), &value));
    assert_near(value, (2.1 + sqrt(9 * 0.49 + 14)) / 4, 1e-14);
    rewrite_free(put);
    dag_free(w.d);
    names_free(w.names);
}

int main(int argc, char **argv) {
    if (argc > 1) seeds = atoi(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(rates_are_exact),
                                       cmocka_unit_test(numbers_fold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
