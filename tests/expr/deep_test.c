#include "../test.h"

#include "expr/expr.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Long chains and wide sums: no stack overflow, time and memory in proportion. The bounds on time
// are loose; a quadratic pass would miss them by orders of magnitude.

#ifdef __SANITIZE_ADDRESS__
// Frames are larger there: a recursion of this depth is more than the stack holds, too.
enum { N = 50000 };
#else
enum { N = 200000 };
#endif

static Expr sym(Dag *d, const char *name) { return expr_symbol(d, name_of(dag_names(d), name)); }

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void all_passes(Dag *d, Expr e, Expr x) {
    Expr coefficient, rest;
    double value[3] = {0.5, 0.5, 0.5};
    ExprWalk *w = walk_new(d);
    walk_add(w, e);
    assert_true(walk_count(w) > N);
    walk_free(w);
    assert_true(expr_depends(d, e, x));
    assert_true(isfinite(expr_evaluate(d, e, value)));
    (void)expr_count(d, &e, 1);
    Expr slope = expr_derivative(d, e, x);
    assert_true(isfinite(expr_evaluate(d, slope, value)));
    Rewrite *r = rewrite_new(d);
    rewrite_set(r, x, expr_number(d, 0.25));
    assert_false(expr_depends(d, rewrite(r, e), x));
    rewrite_free(r);
    (void)expr_linear_in(d, e, x, &coefficient, &rest);
    Text t = {0};
    expr_print(&t, d, e, &(Printer){0});
    text_free(&t);
}

typedef Expr (*Link)(Dag *d, Expr e, Expr x, Expr y, int i);

static Expr sine_link(Dag *d, Expr e, Expr x, Expr y, int i) {
    (void)i;
    Expr sum = expr_add(d, e, expr_mul(d, x, y));
    return expr_call(d, OP_SIN, &sum, 1);
}

static Expr sum_link(Dag *d, Expr e, Expr x, Expr y, int i) {
    return expr_add(d, e, expr_mul(d, i % 2 ? x : y, expr_number(d, 1 + i / (double)N)));
}

static Expr ladder_link(Dag *d, Expr e, Expr x, Expr y, int i) { // continued fraction
    (void)i;
    return expr_add(d, x, expr_div(d, y, expr_add(d, y, e)));
}

static Expr product_link(Dag *d, Expr e, Expr x, Expr y, int i) {
    Expr sum = expr_add(d, i % 2 ? x : y, expr_number(d, 0.5 + i * 1e-9));
    return expr_mul(d, e, sum);
}

static void chain(Link link, const char *what) {
    Names *names = names_new();
    Dag *d = dag_new(names);
    double begin = seconds();
    Expr x = sym(d, "x"), y = sym(d, "y"), e = x;
    for (int i = 0; i < N; i++) e = link(d, e, x, y, i);
    all_passes(d, e, x);
    double took = seconds() - begin;
    print_message("%s: %.2f s, %.0f bytes per link\n", what, took, (double)dag_bytes(d) / N);
    assert_true(took < 60);
    assert_true(dag_bytes(d) / N < 2000);
    dag_free(d);
    names_free(names);
}

static void deep_chains(void **state) {
    (void)state;
    chain(sine_link, "sine");
    chain(ladder_link, "ladder");
    chain(product_link, "product");
}

static void sums_collect_along_a_chain(void **state) {
    (void)state;
    Names *names = names_new();
    Dag *d = dag_new(names);
    Expr x = sym(d, "x"), y = sym(d, "y"), e = x;
    for (int i = 0; i < N; i++) e = sum_link(d, e, x, y, i);
    assert_int_equal(expr_arg_count(d, e), 2); // one term per symbol
    dag_free(d);
    names_free(names);
}

static void wide_sums_and_products(void **state) {
    (void)state;
    Names *names = names_new();
    Dag *d = dag_new(names);
    Expr *term = malloc(N * sizeof *term), x = sym(d, "x");
    double begin = seconds(), *value = malloc((N + 1) * sizeof *value);
    value[0] = 1;
    for (int i = 0; i < N; i++) {
        term[i] = expr_mul(d, x, sym(d, "y"));
        value[i + 1] = 1;
    }
    Expr sum = expr_sum(d, term, N), product = expr_product(d, term, N);
    assert_int_equal(expr_arg_count(d, sum), N);
    assert_near(expr_evaluate(d, sum, value), N, 0);
    assert_near(expr_evaluate(d, product, value), 1, 0);
    assert_near(expr_evaluate(d, expr_derivative(d, sum, x), value), N, 0);
    assert_near(expr_evaluate(d, expr_derivative(d, product, x), value), N, 0);
    for (int i = 0; i < N; i++) // a wide sum is used by many and copied by none
        term[i] = expr_add(d, sum, term[i]);
    assert_true(dag_bytes(d) / N < 1000);
    assert_true(seconds() - begin < 60);
    free(term);
    free(value);
    dag_free(d);
    names_free(names);
}

static void numbering_repeats(void **state) {
    (void)state;
    Expr last[2];
    for (int k = 0; k < 2; k++) {
        Names *names = names_new();
        Dag *d = dag_new(names);
        void *noise = malloc(1000 + 777 * (size_t)k); // other addresses
        Expr x = sym(d, "x"), y = sym(d, "y"), e = x;
        for (int i = 0; i < 2000; i++) {
            e = ladder_link(d, e, x, y, i);
            if (i % 500 == 499) last[k] = expr_derivative(d, e, x);
        }
        free(noise);
        dag_free(d);
        names_free(names);
    }
    assert_int_equal(last[0], last[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_chains),
        cmocka_unit_test(sums_collect_along_a_chain),
        cmocka_unit_test(wide_sums_and_products),
        cmocka_unit_test(numbering_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
