#include "../test.h"

#include "expr/expr.h"
#include <stdlib.h>
#include <string.h>

// Algebraic laws, as pairs of expressions that must be one node, and as printed text.

typedef struct {
    Names *names;
    Dag *d;
    Expr a, b, c, x, y, z;
} World;

static int setup(void **state) {
    World *w = calloc(1, sizeof *w);
    w->names = names_new();
    w->d = dag_new(w->names);
    w->a = expr_symbol(w->d, name_of(w->names, "a"));
    w->b = expr_symbol(w->d, name_of(w->names, "b"));
    w->c = expr_symbol(w->d, name_of(w->names, "c"));
    w->x = expr_symbol(w->d, name_of(w->names, "x"));
    w->y = expr_symbol(w->d, name_of(w->names, "y"));
    w->z = expr_symbol(w->d, name_of(w->names, "z"));
    *state = w;
    return 0;
}

static int teardown(void **state) {
    World *w = *state;
    dag_free(w->d);
    names_free(w->names);
    free(w);
    return 0;
}

static Expr num(World *w, double v) { return expr_number(w->d, v); }
static Expr add(World *w, Expr a, Expr b) { return expr_add(w->d, a, b); }
static Expr sub(World *w, Expr a, Expr b) { return expr_sub(w->d, a, b); }
static Expr mul(World *w, Expr a, Expr b) { return expr_mul(w->d, a, b); }
static Expr dvd(World *w, Expr a, Expr b) { return expr_div(w->d, a, b); }
static Expr power(World *w, Expr a, double n) { return expr_pow(w->d, a, num(w, n)); }
static Expr f1(World *w, Op op, Expr a) { return expr_call(w->d, op, &a, 1); }
static Expr f2(World *w, Op op, Expr a, Expr b) { return expr_call(w->d, op, (Expr[]){a, b}, 2); }

static void assert_text(World *w, Expr e, const char *expected) {
    Text t = {0};
    expr_print(&t, w->d, e, &(Printer){.style = PRINT_TEXT});
    assert_string_equal(text_get(&t), expected);
    text_free(&t);
}

static void equal_expressions_are_one_node(void **state) {
    World *w = *state;
    assert_int_equal(add(w, w->a, w->b), add(w, w->b, w->a));
    assert_int_equal(mul(w, w->a, w->b), mul(w, w->b, w->a));
    assert_int_equal(num(w, 0.0), num(w, -0.0));
    assert_int_equal(f1(w, OP_SIN, w->x), f1(w, OP_SIN, w->x));
    assert_int_not_equal(f1(w, OP_SIN, w->x), f1(w, OP_COS, w->x));
    uint32_t size = dag_size(w->d);
    (void)mul(w, w->b, w->a);
    assert_int_equal(dag_size(w->d), size);
}

static void arrangement_does_not_matter(void **state) {
    World *w = *state;
    Expr abc = mul(w, mul(w, w->a, w->b), w->c);
    assert_int_equal(mul(w, w->a, mul(w, w->b, w->c)), abc);
    assert_int_equal(mul(w, mul(w, w->a, w->c), w->b), abc);
    assert_int_equal(expr_product(w->d, (Expr[]){w->c, w->b, w->a}, 3), abc);
    Expr sum = add(w, add(w, w->a, w->b), w->c);
    assert_int_equal(add(w, w->a, add(w, w->b, w->c)), sum);
    assert_int_equal(f1(w, OP_SIN, add(w, add(w, w->c, w->b), w->a)), f1(w, OP_SIN, sum));
    assert_int_equal(dvd(w, dvd(w, w->a, w->b), w->c), dvd(w, w->a, mul(w, w->b, w->c)));
}

static void numbers_fold(void **state) {
    World *w = *state;
    assert_int_equal(add(w, num(w, 2), num(w, 3)), num(w, 5));
    assert_int_equal(dvd(w, num(w, 1), num(w, 49)), num(w, 1.0 / 49));
    assert_int_equal(dvd(w, num(w, 5), num(w, 49)), num(w, 5.0 / 49));
    assert_int_equal(power(w, num(w, 2), 10), num(w, 1024));
    assert_int_equal(f1(w, OP_ASIN, num(w, 1)), num(w, asin(1)));
    assert_int_equal(f2(w, OP_MIN, num(w, 1), num(w, 2)), num(w, 1));
    assert_int_equal(f2(w, OP_MOD, num(w, -1), num(w, 3)), num(w, 2));
    assert_int_equal(f2(w, OP_ATAN2, num(w, 1), num(w, -1)), num(w, atan2(1, -1)));
    assert_int_equal(add(w, add(w, w->x, num(w, 1)), num(w, 2)), add(w, w->x, num(w, 3)));
    assert_int_equal(mul(w, num(w, 2), mul(w, w->x, num(w, 3))), mul(w, num(w, 6), w->x));
}

static void laws_of_zero_and_one(void **state) {
    World *w = *state;
    assert_int_equal(add(w, w->x, num(w, 0)), w->x);
    assert_int_equal(mul(w, w->x, num(w, 1)), w->x);
    assert_int_equal(mul(w, w->x, num(w, 0)), num(w, 0));
    assert_int_equal(sub(w, w->x, w->x), num(w, 0));
    assert_int_equal(dvd(w, w->x, w->x), num(w, 1));
    assert_int_equal(power(w, w->x, 1), w->x);
    assert_int_equal(power(w, w->x, 0), num(w, 1));
    assert_int_equal(expr_sum(w->d, NULL, 0), num(w, 0));
    assert_int_equal(expr_product(w->d, NULL, 0), num(w, 1));
    assert_int_equal(expr_neg(w->d, expr_neg(w->d, w->x)), w->x);
}

static void terms_collect_and_cancel(void **state) {
    World *w = *state;
    Expr xy = add(w, w->x, w->y);
    assert_int_equal(add(w, w->x, w->x), mul(w, num(w, 2), w->x));
    assert_int_equal(sub(w, w->x, xy), expr_neg(w->d, w->y));
    assert_int_equal(sub(w, xy, w->y), w->x);
    assert_int_equal(sub(w, add(w, xy, w->z), xy), w->z);
    assert_int_equal(sub(w, add(w, add(w, xy, w->z), w->a), w->x),
                     add(w, add(w, w->y, w->z), w->a));
    // a sum that nothing meets stays closed and shared
    assert_int_equal(expr_arg(w->d, add(w, xy, w->a), 1), xy);
    // rounding does not keep terms alive
    Expr x49 = dvd(w, w->x, num(w, 49)), back = mul(w, num(w, 49), x49);
    assert_int_equal(sub(w, back, w->x), num(w, 0));
}

static void zero_is_seen_through_brackets(void **state) {
    World *w = *state;
    Expr k = mul(w, w->a, add(w, w->x, w->y));
    Expr e = sub(w, sub(w, k, mul(w, w->a, w->x)), mul(w, w->a, w->y));
    assert_int_equal(e, num(w, 0));
    Expr difference = mul(w, sub(w, w->x, w->y), add(w, w->x, w->y));
    Expr squares = sub(w, power(w, w->x, 2), power(w, w->y, 2));
    assert_int_equal(sub(w, difference, squares), num(w, 0));
    Expr third = dvd(w, w->a, add(w, w->b, dvd(w, w->c, w->x)));
    Expr same = dvd(w, mul(w, w->a, w->x), add(w, mul(w, w->b, w->x), w->c));
    assert_int_equal(sub(w, third, same), num(w, 0));
    // powers of two are not taken for one another
    Expr big = mul(w, num(w, ldexp(1, 61)), w->x);
    assert_int_not_equal(sub(w, big, w->x), num(w, 0));
    assert_int_not_equal(sub(w, mul(w, num(w, ldexp(1, 63)), w->x), mul(w, num(w, 25), w->x)),
                         num(w, 0));
}

static void bases_collect_and_cancel(void **state) {
    World *w = *state;
    Expr rc = mul(w, w->a, w->b);
    assert_int_equal(mul(w, w->x, w->x), power(w, w->x, 2));
    assert_int_equal(mul(w, w->a, dvd(w, num(w, 1), rc)), dvd(w, num(w, 1), w->b));
    assert_int_equal(dvd(w, rc, w->b), w->a);
    assert_int_equal(dvd(w, num(w, 1), dvd(w, w->x, w->y)), dvd(w, w->y, w->x));
    assert_int_equal(mul(w, power(w, w->x, 0.5), power(w, w->x, 0.5)), w->x);
    assert_int_equal(power(w, mul(w, num(w, -2), w->x), 2), mul(w, num(w, 4), power(w, w->x, 2)));
    Expr ac = mul(w, f1(w, OP_ABS, w->x), f1(w, OP_ABS, w->x));
    assert_int_equal(mul(w, ac, w->x), power(w, w->x, 3));
}

static void powers_of_powers(void **state) {
    World *w = *state;
    assert_int_equal(expr_sqrt(w->d, power(w, w->x, 2)), f1(w, OP_ABS, w->x));
    assert_int_equal(power(w, expr_sqrt(w->d, w->x), 2), w->x);
    assert_int_equal(power(w, power(w, w->x, 3), 2), power(w, w->x, 6));
    assert_int_equal(power(w, power(w, w->x, 3), 0.5), power(w, w->x, 1.5));
    Expr cube_root = power(w, power(w, w->x, 3), 1.0 / 3);
    assert_int_not_equal(cube_root, w->x); // would give a value where there is none
    assert_int_equal(power(w, expr_pow(w->d, w->x, w->y), -1),
                     expr_pow(w->d, w->x, expr_neg(w->d, w->y)));
    assert_text(w, expr_sqrt(w->d, mul(w, num(w, 4), w->x)), "2*sqrt(x)");
    assert_text(w, expr_sqrt(w->d, mul(w, num(w, 2), w->x)), "sqrt(2*x)");
    assert_int_equal(power(w, f1(w, OP_EXP, w->x), 2), f1(w, OP_EXP, mul(w, num(w, 2), w->x)));
}

static void pythagoras(void **state) {
    World *w = *state;
    Expr s = f1(w, OP_SIN, w->x), c = f1(w, OP_COS, w->x);
    Expr s2 = power(w, s, 2), c2 = power(w, c, 2);
    assert_int_equal(add(w, s2, c2), num(w, 1));
    // L^2*m2*sin^2 + L^2*m2*cos^2, built as a dot product builds it
    Expr left = mul(w, w->b, mul(w, mul(w, w->a, s), mul(w, w->a, s)));
    Expr right = mul(w, mul(w, mul(w, w->b, w->a), c), mul(w, w->a, c));
    assert_text(w, add(w, left, right), "a^2*b");
    // a factor, a bystander, and a term in a nested sum
    Expr e = expr_sum(w->d, (Expr[]){mul(w, num(w, 3), s2), w->y, mul(w, num(w, 3), c2)}, 3);
    assert_int_equal(e, add(w, w->y, num(w, 3)));
    assert_int_equal(add(w, add(w, mul(w, w->z, s2), w->y), mul(w, w->z, c2)), add(w, w->y, w->z));
    // two angles at once
    Expr sy = power(w, f1(w, OP_SIN, w->y), 2), cy = power(w, f1(w, OP_COS, w->y), 2);
    Expr four[4] = {mul(w, s2, sy), mul(w, s2, cy), mul(w, c2, sy), mul(w, c2, cy)};
    assert_int_equal(expr_sum(w->d, four, 4), num(w, 1));
    // sin^4 + sin^2*cos^2 = sin^2; different factors stay
    assert_int_equal(add(w, power(w, s, 4), mul(w, s2, c2)), s2);
    assert_int_equal(expr_op(w->d, add(w, mul(w, w->a, s2), mul(w, w->b, c2))), OP_SUM);
}

static void functions_know_their_laws(void **state) {
    World *w = *state;
    Expr minus_x = expr_neg(w->d, w->x), one = num(w, 1), zero = num(w, 0);
    assert_int_equal(f1(w, OP_SIN, minus_x), expr_neg(w->d, f1(w, OP_SIN, w->x)));
    assert_int_equal(f1(w, OP_COS, minus_x), f1(w, OP_COS, w->x));
    assert_int_equal(f1(w, OP_ABS, minus_x), f1(w, OP_ABS, w->x));
    assert_int_equal(f1(w, OP_ABS, f1(w, OP_ABS, w->x)), f1(w, OP_ABS, w->x));
    assert_int_equal(f1(w, OP_ABS, power(w, w->x, 2)), power(w, w->x, 2));
    assert_int_equal(f1(w, OP_SIGN, mul(w, num(w, 3), w->x)), f1(w, OP_SIGN, w->x));
    assert_int_equal(f1(w, OP_LOG, f1(w, OP_EXP, w->x)), w->x);
    assert_int_equal(f2(w, OP_MAX, w->x, w->x), w->x);
    assert_int_equal(f2(w, OP_LESS, w->x, w->x), zero);
    assert_int_equal(f2(w, OP_LESS_EQUAL, w->x, w->x), one);
    Expr less = f2(w, OP_LESS, w->x, w->y);
    assert_int_equal(f1(w, OP_NOT, less), f2(w, OP_LESS_EQUAL, w->y, w->x));
    assert_int_equal(f1(w, OP_NOT, f1(w, OP_NOT, less)), less);
    assert_int_equal(f2(w, OP_AND, less, one), less);
    assert_int_equal(f2(w, OP_AND, less, zero), zero);
    assert_int_equal(f2(w, OP_OR, less, num(w, 5)), one);
    assert_int_equal(expr_if(w->d, one, w->x, w->y), w->x);
    assert_int_equal(expr_if(w->d, less, w->x, w->x), w->x);
    assert_int_equal(expr_if(w->d, less, one, zero), less);
}

static void what_has_no_value_stays(void **state) {
    World *w = *state;
    Expr bad = dvd(w, num(w, 1), num(w, 0)), zero = num(w, 0);
    assert_int_equal(expr_op(w->d, bad), OP_POWER);
    assert_true(expr_is_undefined(w->d, bad));
    Expr standing[] = {
        sub(w, bad, bad),
        mul(w, zero, bad),
        dvd(w, bad, bad),
        power(w, bad, 0),
        mul(w, w->x, bad),
        f1(w, OP_LOG, num(w, -1)),
        f1(w, OP_ASIN, num(w, 2)),
        expr_sqrt(w->d, num(w, -1)),
        mul(w, num(w, 1e308), num(w, 1e10)),
        add(w, num(w, 1.7e308), num(w, 1.7e308)),
        f2(w, OP_MOD, num(w, 1), zero),
        num(w, NAN),
        mul(w, num(w, 0), num(w, NAN)),
        f2(w, OP_LESS, bad, bad),
        dvd(w, zero, zero),
        f1(w, OP_SIN, bad),
    };
    for (size_t i = 0; i < sizeof standing / sizeof *standing; i++)
        if (!expr_is_undefined(w->d, standing[i])) fail_msg("case %zu vanished", i);
    // a branch that is not taken does no harm
    assert_int_equal(expr_if(w->d, num(w, 1), w->x, bad), w->x);
    assert_false(expr_is_undefined(w->d, expr_if(w->d, f2(w, OP_LESS, w->x, w->y), w->x, bad)));
    // nothing overflows or vanishes by folding
    Expr tiny = mul(w, num(w, 1e-200), mul(w, num(w, 1e-200), w->x));
    double value[6] = {0, 0, 0, 1e300};
    assert_true(expr_evaluate(w->d, tiny, value) > 0);
}

static void linear_form(void **state) {
    World *w = *state;
    Expr coefficient, rest;
    Expr e = add(w, mul(w, w->a, sub(w, w->x, w->b)), dvd(w, w->x, w->c));
    assert_true(expr_linear_in(w->d, e, w->x, &coefficient, &rest));
    assert_text(w, coefficient, "a + 1/c");
    assert_text(w, rest, "-a*b");
    assert_true(expr_linear_in(w->d, w->a, w->x, &coefficient, &rest));
    assert_int_equal(coefficient, num(w, 0));
    assert_int_equal(rest, w->a);
    Expr if_linear = expr_if(w->d, f2(w, OP_LESS, w->a, w->b), w->x, mul(w, num(w, 2), w->x));
    assert_true(expr_linear_in(w->d, if_linear, w->x, &coefficient, &rest));
    Expr nonlinear[] = {
        power(w, w->x, 2),          mul(w, w->x, f1(w, OP_SIN, w->x)),
        f1(w, OP_FLOOR, w->x),      f1(w, OP_SIGN, w->x),
        f2(w, OP_MIN, w->x, w->y),  dvd(w, w->a, w->x),
        f2(w, OP_LESS, w->x, w->y), expr_if(w->d, f2(w, OP_LESS, w->x, w->y), w->x, w->y),
    };
    for (size_t i = 0; i < sizeof nonlinear / sizeof *nonlinear; i++)
        assert_false(expr_linear_in(w->d, nonlinear[i], w->x, &coefficient, &rest));
}

static void symbols_and_dependence(void **state) {
    World *w = *state;
    Expr other = expr_symbol(w->d, name_of(w->names, "x"));
    assert_int_not_equal(other, w->x);
    assert_int_equal(expr_symbol_count(w->d), 7);
    assert_int_equal(expr_symbol_at(w->d, 6), other);
    Expr e = f1(w, OP_SIN, mul(w, w->x, w->a));
    assert_true(expr_depends(w->d, e, w->x));
    assert_false(expr_depends(w->d, e, w->y));
    assert_false(expr_depends(w->d, e, other));
    assert_true(expr_depends(w->d, w->x, w->x));
}

static void rewriting_replaces_and_simplifies(void **state) {
    World *w = *state;
    Expr e = add(w, mul(w, w->x, w->y), f1(w, OP_SIN, w->z));
    Rewrite *r = rewrite_new(w->d);
    rewrite_set(r, w->x, num(w, 0));
    rewrite_set(r, w->z, w->x); // replaced at once, not again
    assert_int_equal(rewrite(r, e), f1(w, OP_SIN, w->x));
    assert_int_equal(rewrite(r, w->a), w->a);
    rewrite_free(r);
}

static void walks_give_arguments_first(void **state) {
    World *w = *state;
    Expr e = add(w, mul(w, w->x, w->y), f1(w, OP_SIN, mul(w, w->x, w->y)));
    ExprWalk *walk = walk_new(w->d);
    walk_add(walk, e);
    assert_int_equal(walk_count(walk), 5);
    assert_int_equal(walk_at(walk, 4), e);
    assert_true(walk_seen(walk, w->x));
    assert_false(walk_seen(walk, w->a));
    walk_start(walk);
    assert_int_equal(walk_count(walk), 0);
    assert_false(walk_seen(walk, w->x));
    walk_add(walk, w->a);
    walk_add(walk, w->a);
    assert_int_equal(walk_count(walk), 1);
    walk_free(walk);
}

static void operations_are_counted_once(void **state) {
    World *w = *state;
    Expr xy = mul(w, w->x, w->y);
    Expr roots[] = {add(w, xy, w->a), f1(w, OP_SIN, xy), dvd(w, w->a, mul(w, w->b, w->c)),
                    sub(w, w->a, w->b)};
    OpCount n = expr_count(w->d, roots, 4);
    assert_int_equal(n.adds, 2);
    assert_int_equal(n.multiplies, 2);
    assert_int_equal(n.divides, 1);
    assert_int_equal(n.calls, 1);
    assert_int_equal(n.others, 0);
}

// A number, a sum, a product and a function of the same i.
static void four_kinds(World *w, int i, Expr out[4]) {
    out[0] = num(w, i + 0.5);
    out[1] = add(w, w->x, out[0]);
    out[2] = mul(w, out[0], w->y);
    out[3] = expr_call(w->d, OP_SIN, &out[1], 1);
}

// The table starts with 256 places and doubles while a node goes into it. Whatever kind of node
// makes it grow, all nodes are found again after each growth, the new one too.
static void no_node_is_lost_when_the_table_grows(void **state) {
    World *w = *state;
    enum { KINDS = 4, ROUNDS = 1500 };
    static Expr made[ROUNDS][KINDS];
    for (int i = 0; i < ROUNDS; i++) {
        Expr again[KINDS];
        four_kinds(w, i, made[i]);
        uint32_t size = dag_size(w->d);
        four_kinds(w, i, again);
        assert_memory_equal(again, made[i], sizeof again);
        assert_int_equal(dag_size(w->d), size);
    }
    uint32_t size = dag_size(w->d);
    assert_true(size > KINDS * ROUNDS); // so the table doubled at least five times
    for (int i = 0; i < ROUNDS; i++) {
        Expr again[KINDS];
        four_kinds(w, i, again);
        assert_memory_equal(again, made[i], sizeof again);
    }
    assert_int_equal(dag_size(w->d), size);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        T(equal_expressions_are_one_node),
        T(arrangement_does_not_matter),
        T(numbers_fold),
        T(laws_of_zero_and_one),
        T(terms_collect_and_cancel),
        T(zero_is_seen_through_brackets),
        T(bases_collect_and_cancel),
        T(powers_of_powers),
        T(pythagoras),
        T(functions_know_their_laws),
        T(what_has_no_value_stays),
        T(linear_form),
        T(symbols_and_dependence),
        T(rewriting_replaces_and_simplifies),
        T(walks_give_arguments_first),
        T(operations_are_counted_once),
        T(no_node_is_lost_when_the_table_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
