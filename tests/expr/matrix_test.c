#include "../test.h"

#include "expr/matrix.h"
#include "expr/table.h"
#include "random.h"

typedef struct {
    Names *names;
    Dag *d;
    Arena arena;
} World;

static World world_new(void) {
    World w = {.names = names_new()};
    w.d = dag_new(w.names);
    return w;
}

static void world_free(World *w) {
    arena_free(&w->arena);
    dag_free(w->d);
    names_free(w->names);
}

static Matrix symbols(World *w, int rows, int cols) {
    Matrix m = matrix_new(&w->arena, rows, cols);
    for (int i = 0; i < rows * cols; i++)
        m.at[i] = expr_symbol(w->d, name_printf(w->names, "m[%d]", i));
    return m;
}

static double at(World *w, Expr e, const double *value) { return expr_evaluate(w->d, e, value); }

static void products_and_transposes(void **state) {
    (void)state;
    World w = world_new();
    Matrix a = symbols(&w, 2, 3), b = symbols(&w, 3, 2);
    Matrix ab = matrix_multiply(&w.arena, w.d, a, b);
    Matrix left = matrix_transpose(&w.arena, ab);
    Matrix right = matrix_multiply(&w.arena, w.d, matrix_transpose(&w.arena, b),
                                   matrix_transpose(&w.arena, a));
    for (int i = 0; i < 4; i++) assert_int_equal(left.at[i], right.at[i]);
    Matrix same = matrix_multiply(&w.arena, w.d, matrix_identity(&w.arena, w.d, 2), a);
    for (int i = 0; i < 6; i++) assert_int_equal(same.at[i], a.at[i]);
    Matrix zero = matrix_sub(&w.arena, w.d, matrix_add(&w.arena, w.d, a, a),
                             matrix_scale(&w.arena, w.d, a, expr_number(w.d, 2)));
    for (int i = 0; i < 6; i++) assert_int_equal(zero.at[i], expr_number(w.d, 0));
    world_free(&w);
}

static void cross_is_skew_times(void **state) {
    (void)state;
    World w = world_new();
    Matrix a = symbols(&w, 3, 1), b = symbols(&w, 3, 1);
    Matrix cross = matrix_cross(&w.arena, w.d, a, b);
    Matrix skew = matrix_multiply(&w.arena, w.d, matrix_skew(&w.arena, w.d, a), b);
    for (int i = 0; i < 3; i++) assert_int_equal(cross.at[i], skew.at[i]);
    assert_int_equal(matrix_dot(w.d, cross, a), expr_number(w.d, 0));
    world_free(&w);
}

static void inverse_times_matrix_is_identity(void **state) {
    (void)state;
    Random random = {3};
    for (int n = 1; n <= 7; n++) {
        World w = world_new();
        Matrix a = symbols(&w, n, n), inverse;
        double value[49];
        for (int i = 0; i < n * n; i++) value[i] = random_between(&random, -1, 1);
        assert_true(matrix_inverse(&w.arena, w.d, a, &inverse));
        Matrix product = matrix_multiply(&w.arena, w.d, a, inverse);
        for (int i = 0; i < n * n; i++)
            assert_near(at(&w, product.at[i], value), i % (n + 1) == 0, 1e-8);
        world_free(&w);
    }
}

static void rotation_inverts_to_its_transpose(void **state) {
    (void)state;
    World w = world_new();
    Expr x = expr_symbol(w.d, name_of(w.names, "x"));
    Expr c = expr_call(w.d, OP_COS, &x, 1), s = expr_call(w.d, OP_SIN, &x, 1);
    Matrix r = matrix_identity(&w.arena, w.d, 3), inverse;
    MATRIX_AT(r, 0, 0) = MATRIX_AT(r, 1, 1) = c;
    MATRIX_AT(r, 0, 1) = expr_neg(w.d, s);
    MATRIX_AT(r, 1, 0) = s;
    assert_true(matrix_inverse(&w.arena, w.d, r, &inverse));
    Matrix transposed = matrix_transpose(&w.arena, r);
    for (int i = 0; i < 9; i++) assert_int_equal(inverse.at[i], transposed.at[i]);
    world_free(&w);
}

static void singular_matrices_are_refused(void **state) {
    (void)state;
    for (int n = 1; n <= 6; n++) { // one row is a combination of the others
        World w = world_new();
        Matrix a = symbols(&w, n, n), inverse;
        for (int j = 0; j < n; j++) {
            Expr sum = expr_number(w.d, 0);
            for (int i = 0; i + 1 < n; i++)
                sum = expr_add(w.d, sum, expr_mul(w.d, MATRIX_AT(a, i, j), MATRIX_AT(a, i, 0)));
            MATRIX_AT(a, n - 1, j) = sum;
        }
        assert_false(matrix_inverse(&w.arena, w.d, a, &inverse));
        world_free(&w);
    }
}

static void large_diagonal_matrices_invert(void **state) {
    (void)state;
    World w = world_new();
    Matrix a = matrix_identity(&w.arena, w.d, 60), inverse;
    Expr m = expr_symbol(w.d, name_of(w.names, "m"));
    for (int i = 0; i < 60; i++) MATRIX_AT(a, i, i) = m;
    assert_true(matrix_inverse(&w.arena, w.d, a, &inverse));
    assert_int_equal(MATRIX_AT(inverse, 7, 7), expr_div(w.d, expr_number(w.d, 1), m));
    assert_int_equal(MATRIX_AT(inverse, 7, 8), expr_number(w.d, 0));
    MATRIX_AT(a, 5, 5) = expr_number(w.d, 0);
    assert_false(matrix_inverse(&w.arena, w.d, a, &inverse));
    world_free(&w);
}

static void linear_tables(void **state) {
    (void)state;
    double x[] = {0, 1, 3}, y[] = {1, 3, 2};
    Table t = {.count = 3, .x = x, .y = y};
    double in[] = {-5, 0, 0.5, 1, 2, 3, 9}, out[] = {1, 1, 2, 3, 2.5, 2, 2};
    double slope[] = {0, 2, 2, -0.5, -0.5, 0, 0};
    for (int i = 0; i < 7; i++) {
        assert_near(table_value(&t, in[i]), out[i], 1e-15);
        assert_near(table_slope(&t, in[i]), slope[i], 1e-15);
    }
    assert_true(isnan(table_value(&t, NAN)));
    Table one = {.count = 1, .x = x, .y = y};
    assert_near(table_value(&one, -1), 1, 0);
    assert_near(table_value(&one, 1), 1, 0);
    assert_near(table_slope(&one, 0), 0, 0);
}

static void smooth_tables_are_monotone_and_meet_their_points(void **state) {
    (void)state;
    double x[] = {0, 1, 2, 2.1, 5, 6, 9}, y[] = {0, 0.1, 3, 3.1, 3.1, 7, 7.5}, slope[7];
    table_monotone_slopes(7, x, y, slope);
    Table t = {.count = 7, .x = x, .y = y, .slope = slope, .smooth = true};
    for (int i = 0; i < 7; i++) assert_near(table_value(&t, x[i]), y[i], 1e-14);
    double last = -1;
    for (double at_x = -1; at_x < 10; at_x += 0.003) {
        double v = table_value(&t, at_x);
        assert_true(v >= last - 1e-13);
        if (at_x > 0.01 && at_x < 8.99) // the derivative is continuous inside
            assert_near(table_slope(&t, at_x),
                        (table_value(&t, at_x + 1e-6) - table_value(&t, at_x - 1e-6)) / 2e-6, 1e-3);
        last = v;
    }
    double line_x[] = {0, 2}, line_y[] = {1, 5}, line_slope[2];
    table_monotone_slopes(2, line_x, line_y, line_slope);
    assert_near(line_slope[0], 2, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_transposes),
        cmocka_unit_test(cross_is_skew_times),
        cmocka_unit_test(inverse_times_matrix_is_identity),
        cmocka_unit_test(rotation_inverts_to_its_transpose),
        cmocka_unit_test(singular_matrices_are_refused),
        cmocka_unit_test(large_diagonal_matrices_invert),
        cmocka_unit_test(linear_tables),
        cmocka_unit_test(smooth_tables_are_monotone_and_meet_their_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
