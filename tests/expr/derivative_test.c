#include "../test.h"

#include "expr/expr.h"
#include "random.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Simplification keeps values, derivatives agree with differences: over random expressions.

static Expr sym(Dag *d, const char *name) { return expr_symbol(d, name_of(dag_names(d), name)); }

typedef struct {
    Names *names;
    Dag *d;
    Expr symbol[4];
} World;

static World world_new(void) {
    World w = {.names = names_new()};
    w.d = dag_new(w.names);
    for (int i = 0; i < 4; i++) w.symbol[i] = sym(w.d, (char[]){(char)('a' + i), 0});
    return w;
}

static void world_free(World *w) {
    dag_free(w->d);
    names_free(w->names);
}

static void fail_with_text(const World *w, Expr e, double got, double expected) {
    Text t = {0};
    expr_print(&t, w->d, e, &(Printer){0});
    fail_msg("%s = %.17g, expected %.17g", text_get(&t), got, expected);
}

// The value as computed step by step may be ill-conditioned; it then moves when a symbol does.
static double sensitivity(const Script *s, const double *value) {
    double moved[4], most = 0, base = script_value(s, value);
    for (int i = 0; i < 4; i++) {
        memcpy(moved, value, sizeof moved);
        moved[i] *= 1 + 1e-9;
        most = fmax(most, fabs(script_value(s, moved) - base));
    }
    return most / 1e-9;
}

static void simplification_keeps_values(void **state) {
    (void)state;
    Random random = {1};
    int compared = 0;
    for (int round = 0; round < 6000; round++) {
        World w = world_new();
        double value[4];
        for (int i = 0; i < 4; i++) value[i] = random_between(&random, -2, 2);
        Script s = random_script(&random, 4, 3 + random_below(&random, 25), round % 2);
        double expected = script_value(&s, value);
        Expr e = script_expr(&s, w.d, w.symbol);
        double sensitive = isnan(expected) ? NAN : sensitivity(&s, value);
        if (sensitive < 1e4 && fabs(expected) < 1e6) {
            double got = expr_evaluate(w.d, e, value);
            if (!(fabs(got - expected) <= 1e-9 * (1 + fabs(expected) + sensitive)))
                fail_with_text(&w, e, got, expected);
            compared++;
        }
        world_free(&w);
    }
    assert_true(compared > 2000);
}

// (f(x+h) - f(x-h))/2h, with the difference to the one of twice the step as error.
static double difference(const Script *s, const double *value, int i, double *error) {
    double d[2];
    for (int k = 0; k < 2; k++) {
        double h = (k + 1) * 1e-5, plus[4], minus[4];
        memcpy(plus, value, sizeof plus);
        memcpy(minus, value, sizeof minus);
        plus[i] += h;
        minus[i] -= h;
        d[k] = (script_value(s, plus) - script_value(s, minus)) / (plus[i] - minus[i]);
    }
    *error = fabs(d[1] - d[0]);
    return d[0];
}

static void derivatives_agree_with_differences(void **state) {
    (void)state;
    Random random = {2};
    int compared = 0;
    for (int round = 0; round < 4000; round++) {
        World w = world_new();
        double value[4], error;
        for (int i = 0; i < 4; i++) value[i] = random_between(&random, 0.3, 2);
        Script s = random_script(&random, 4, 3 + random_below(&random, 15), round % 4 == 0);
        int by = random_below(&random, 4);
        double expected = difference(&s, value, by, &error);
        Expr e = script_expr(&s, w.d, w.symbol), slope = expr_derivative(w.d, e, w.symbol[by]);
        if (error < 1e-4 * (1 + fabs(expected)) && fabs(expected) < 1e5) {
            double got = expr_evaluate(w.d, slope, value);
            if (!(fabs(got - expected) <= 1e-4 * (1 + fabs(expected)) + 10 * error))
                fail_with_text(&w, e, got, expected);
            compared++;
        }
        world_free(&w);
    }
    assert_true(compared > 2000);
}

static void each_rule(void **state) {
    (void)state;
    World w = world_new();
    Dag *d = w.d;
    Expr x = w.symbol[0], y = w.symbol[1];
    double at[4] = {0.4, 0.7, 1.3, 2.1}, h = 1e-6;
    for (Op op = OP_ABS; op <= OP_TABLE_SLOPE; op++) {
        if (op == OP_TABLE || op == OP_TABLE_SLOPE) continue;
        Expr args[3] = {x, y, w.symbol[2]};
        int n = op < OP_ATAN2 || op == OP_NOT ? 1 : op == OP_IF ? 3 : 2;
        Expr e = expr_call(d, op, args, n);
        for (int i = 0; i < n; i++) {
            double plus[4], minus[4];
            memcpy(plus, at, sizeof at);
            memcpy(minus, at, sizeof at);
            plus[i] += h;
            minus[i] -= h;
            double expected = (expr_evaluate(d, e, plus) - expr_evaluate(d, e, minus)) / (2 * h);
            double got = expr_evaluate(d, expr_derivative(d, e, args[i]), at);
            if (fabs(got - expected) > 1e-8) fail_with_text(&w, e, got, expected);
        }
    }
    world_free(&w);
}

static void rates_follow_every_symbol(void **state) {
    (void)state;
    World w = world_new();
    Dag *d = w.d;
    Expr x = w.symbol[0], y = w.symbol[1], vx = w.symbol[2], vy = w.symbol[3];
    Rates *r = rates_new(d);
    rates_set(r, x, vx);
    rates_set(r, y, vy);
    Expr expected = expr_add(d, expr_mul(d, vx, y), expr_mul(d, x, vy));
    assert_int_equal(rates_of(r, expr_mul(d, x, y)), expected);
    assert_int_equal(rates_of(r, expr_number(d, 3)), expr_number(d, 0));
    assert_int_equal(rates_of(r, vx), expr_number(d, 0));
    rates_free(r);
    world_free(&w);
}

static void tables_have_exact_derivatives(void **state) {
    (void)state;
    World w = world_new();
    Dag *d = w.d;
    double x[] = {0, 1, 2.5, 3}, y[] = {0, 2, 3, 3.5}, slope[4];
    table_monotone_slopes(4, x, y, slope);
    Table t = {.count = 4, .x = x, .y = y, .slope = slope, .smooth = true};
    Expr args[2] = {expr_number(d, expr_add_table(d, &t)), w.symbol[0]};
    Expr e = expr_call(d, OP_TABLE, args, 2), first = expr_derivative(d, e, w.symbol[0]);
    Expr second = expr_derivative(d, first, w.symbol[0]);
    Expr third = expr_derivative(d, second, w.symbol[0]);
    for (double at = -0.5; at < 3.5; at += 0.0371) {
        double plus[4] = {at + 1e-6}, minus[4] = {at - 1e-6}, here[4] = {at};
        assert_near(expr_evaluate(d, first, here),
                    (expr_evaluate(d, e, plus) - expr_evaluate(d, e, minus)) / 2e-6, 1e-5);
        assert_near(expr_evaluate(d, second, here),
                    (expr_evaluate(d, first, plus) - expr_evaluate(d, first, minus)) / 2e-6, 1e-4);
        ExprWalk *walk = walk_new(d); // in numbers, too
        Slopes bend = {0};
        expr_gradient(d, walk, first, here, &bend);
        assert_near(bend.count ? bend.data[0].slope : 0, expr_evaluate(d, second, here), 1e-12);
        array_free(&bend);
        walk_free(walk);
        assert_near(expr_evaluate(d, third, here),
                    (expr_evaluate(d, second, plus) - expr_evaluate(d, second, minus)) / 2e-6,
                    1e-3);
    }
    assert_int_equal(expr_table_count(d), 2);
    world_free(&w);
}

// Slopes in numbers are those of the expressions that derivatives are.
static void gradients_are_derivatives(void **state) {
    (void)state;
    Random random = {7};
    int compared = 0;
    for (int round = 0; round < 3000; round++) {
        World w = world_new();
        ExprWalk *walk = walk_new(w.d);
        Slopes slope = {0};
        double value[4];
        for (int i = 0; i < 4; i++) value[i] = random_between(&random, -2, 2);
        Script s = random_script(&random, 4, 3 + random_below(&random, 25), round % 2);
        Expr e = script_expr(&s, w.d, w.symbol);
        double got[4] = {0}, at = expr_gradient(w.d, walk, e, value, &slope);
        for (int k = 0; k < slope.count; k++) got[slope.data[k].symbol] = slope.data[k].slope;
        for (int i = 0; i < 4 && fabs(at) < 1e6; i++) {
            double slow = expr_evaluate(w.d, expr_derivative(w.d, e, w.symbol[i]), value);
            if (!(fabs(slow) < 1e6) || !isfinite(got[i])) continue;
            if (fabs(got[i] - slow) > 1e-7 * (1 + fabs(slow))) fail_with_text(&w, e, got[i], slow);
            compared++;
        }
        array_free(&slope);
        walk_free(walk);
        world_free(&w);
    }
    assert_true(compared > 6000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simplification_keeps_values),
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(gradients_are_derivatives),
        cmocka_unit_test(each_rule),
        cmocka_unit_test(rates_follow_every_symbol),
        cmocka_unit_test(tables_have_exact_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
