// What users get wrong: each mistake has its code, names its culprit and says what to do.
#include "model_of.h"

typedef struct {
    Code code;
    const char *message; // a part of the message
    const char *text;
} Mistake;

static const Mistake mistakes[] = {
    {L_UNKNOWN_NAME, "'mas'", "model M\n param mass = 1\n I a(mas)\n Se s = 1\n s -> a\nend\n"},
    {L_UNKNOWN_CLASS, "'Resistr'", "model M\n Resistr r(1)\nend\n"},
    {L_UNKNOWN_CLASS, "domain 'electrc'",
     "element E\n port p: electrc\n p.e = p.f\nend\nmodel M\n E e\n Se s = 1\n s -> e\nend\n"},
    {L_UNKNOWN_CLASS, "to extend", "model M extends Nothing\n var x\n x = 1\nend\n"},
    {L_UNKNOWN_MEMBER, "'v' (1) has no 'e'",
     "model M\n 1 v\n R r(1)\n Se s = 1\n s -> v -> r\n var y\n y = v.e\nend\n"},
    {L_UNKNOWN_MEMBER, "has no 'q'",
     "model M\n R r(1)\n Se s = 1\n s -> r\n var y\n y = r.q\nend\n"},
    {L_UNKNOWN_IMPORT, "'foo.bond'", "import \"foo.bond\"\nmodel M\n var x\n x = 1\nend\n"},
    {L_UNKNOWN_IMPORT, "the component library, which was not found",
     "import rotation\nmodel M\n var x\n x = 1\nend\n"},
    {L_UNKNOWN_FUNCTION, "'sine'", "model M\n var x\n x = sine(time)\nend\n"},
    {L_UNKNOWN_FUNCTION, "'x' is no function", "model M\n var x, y\n y = x(3)\n x = 1\nend\n"},
    {L_DUPLICATE_NAME, "'a'", "model M\n R a(1)\n C a(1)\n Se s = 1\n s -> a\nend\n"},
    {L_DUPLICATE_NAME, "'A' is defined twice",
     "model A\n var x\n x = 1\nend\nmodel A\n var x\n x = 1\nend\n"},
    {L_CIRCULAR_NESTING, "contains itself", "model A\n B b\nend\nmodel B\n A a\nend\n"},
    {L_CIRCULAR_EXTENDS, "extends itself", "model A extends B\nend\nmodel B extends A\nend\n"},
    {L_RECURSIVE_PARAMETER, "'a'",
     "model M\n param a = 2*b, b = c + 1, c = a\n var x\n x = a\nend\n"},
    {L_RECURSIVE_PARAMETER, "'g'", "const g = h\nconst h = g\nmodel M\n var x\n x = g\nend\n"},
    {L_MISSING_ARGUMENT, "'r' has no argument", "model M\n R r\n Se s = 1\n s -> r\nend\n"},
    {L_MISSING_ARGUMENT, "'k' of 'x'",
     "model S\n param k\n var y\n y = k\nend\nmodel M\n S x\nend\n"},
    {L_MISSING_ARGUMENT, "of the model to run", "model M\n param k\n var y\n y = k\nend\n"},
    {L_TOO_MANY_ARGUMENTS, "'R' takes one", "model M\n R r(1, 2)\n Se s = 1\n s -> r\nend\n"},
    {L_TOO_MANY_ARGUMENTS, "'S' takes at most 1",
     "model S\n param k\n var y\n y = k\nend\nmodel M\n S x(1, 2)\nend\n"},
    {L_UNKNOWN_ARGUMENT, "no argument 'k'", "model M\n C c(1, k = 3)\n Se s = 1\n s -> c\nend\n"},
    {L_UNKNOWN_ARGUMENT, "'kk'",
     "model S\n param k = 1\n var y\n y = k\nend\nmodel M\n S x(kk = 2)\nend\n"},
    {L_WRONG_SHAPE, "3-vector", "model M\n var x[3]\n x = (1, 2)\nend\n"},
    {L_WRONG_SHAPE, "cannot multiply", "model M\n var x[3], K[2,2]\n K*x = 0\nend\n"},
    {L_WRONG_SHAPE, "argument of 'r'", "model M\n R r([1, 2; 3, 4; 5, 6])\nend\n"},
    {L_BAD_SIZE, "not 2.5", "model M\n param n = 2.5\n var x[n]\n x[1] = 1\nend\n"},
    {L_BAD_SIZE, "not -1", "model M\n var x[-1]\n x = 1\nend\n"},
    {L_BAD_SIZE, "bound of a loop", "model M\n for i in 1:2.5\n  R r[i](1)\n end\nend\n"},
    {L_INDEX_RANGE, "index 4", "model M\n var x[3], y\n y = x[4]\n x = 0\nend\n"},
    {L_INDEX_RANGE, "'r[3]'", "model M\n R r[2](1)\n 1 v\n v -> r[3]\nend\n"},
    {L_INDEX_RANGE, "'w[4]'", "model M\n 1[3] w\n R r(1)\n w[4] -> r\nend\n"},
    {L_PORT_TWICE, "'r' has a bond already", "model M\n R r(1)\n 1 v, w\n v -> r\n w -> r\nend\n"},
    {L_PORT_TWICE, "'t.p1'",
     "model M\n TF t(1)\n 1 v, w\n R r(1)\n v -> t\n w -> t\n t -> r\nend\n"},
    {L_PORT_FREE, "'r' has no bond", "model M\n R r(1)\n Se s = 1\n 1 v\n s -> v\nend\n"},
    {L_PORT_FREE, "model to run has a port", "model M\n port p: electric\n R r(1)\n p -> r\nend\n"},
    {L_BOND_END, "a parameter", "model M\n param k = 1\n 1 v\n v -> k\nend\n"},
    {L_BOND_END, "2 ports",
     "element P\n port a: electric, b: electric\n a.e = b.e\n a.f = -b.f\nend\n"
     "model M\n P p\n 1 v\n v -> p\nend\n"},
    {L_BOND_END, "array of components", "model M\n R r[2](1)\n 1 v\n v -> r\nend\n"},
    {L_UNKNOWN_NAME, "'nothing'", "model M\n 1 v\n v -> nothing\nend\n"},
    {L_BOND_SELF, "'v'", "model M\n 1 v\n v -> v\nend\n"},
    {L_BOND_DIMENSION, "dimension 3", "model M\n 1[3] w\n R r(1)\n w -> r\nend\n"},
    {L_BOND_DOMAIN, "hydraulic",
     "element A\n port p: hydraulic out\n p.e = 0\nend\nelement B\n port p: rotation\n p.e = 0\n"
     "end\nmodel M\n A a\n B b\n 0 n\n a -> n -> b\nend\n"},
    {L_HALF_ARROWS, "point at it",
     "model A\n port p: electric\n R r(1)\n r -> p\nend\nmodel M\n A a\n Se s = 1\n s -> a\nend\n"},
    {L_HALF_ARROWS, "point away",
     "model A\n port p: electric\n R r(1)\n p -> r\nend\nmodel M\n A a\n Se s = 1\n a -> s\nend\n"},
    {L_PORT_UNUSED, "'p'",
     "element A\n port p: electric\n var x\n x = 1\nend\nmodel M\n A a\n Se s = 1\n s -> a\nend\n"},
    {L_PORT_UNUSED, "only 1 of the 2",
     "model A\n port p: any[2]\n R r(1)\n p[1] -> r\nend\n"
     "model M\n A a\n Se[2] s = (1, 2)\n s -> a\nend\n"},
    {L_PORT_BOTH, "'p.e'",
     "model A\n port p: electric\n R r(1)\n p -> r\n var y\n y = p.e\nend\n"
     "model M\n A a\n Se s = 1\n s -> a\nend\n"},
    {L_NOT_STRUCTURAL, "a size", "model M\n var x, z[x]\n x = time\nend\n"},
    {L_NOT_STRUCTURAL, "a condition", "model M\n var x\n x = 1\n if x > 2\n R r(1)\n end\nend\n"},
    {L_NOT_STRUCTURAL, "parameter", "model M\n var x\n x = 1\n param p = x\nend\n"},
    {L_NOT_STRUCTURAL, "start value", "model M\n var x initial time\n der(x) = 1\nend\n"},
    {L_DER_OF, "parameter", "model M\n param k = 1\n var x\n x = der(k)\nend\n"},
    {L_DER_OF, "second", "model M\n var x\n der(der(x)) = 1\nend\n"},
    {L_SETS_PARAMETER, "'k'", "model M\n param k = 1\n var x\n x = 1\n k = 2\nend\n"},
    {L_NO_VARIABLE, "0 = 1", "model M\n var x\n x = 1\n 0 = 1\nend\n"},
    {L_NO_VARIABLE, "the same", "model M\n var x\n x = x\nend\n"},
    {L_FUNCTION_RECURSION, "'f'",
     "function f(x) = g(x)\nfunction g(x) = f(x)\nmodel M\n var y\n y = f(1)\nend\n"},
    {L_TABLE, "must rise",
     "table t(x) linear\n 0, 1\n 2, 3\n 1, 4\nend\n"
     "model M\n var y\n y = t(1)\nend\n"},
    {L_TABLE, "fewer than two", "table t(x) linear\n 0, 1\nend\nmodel M\n var y\n y = t(1)\nend\n"},
    {L_NO_MODEL, "no model", "const g = 9.81\n"},
    {L_EMPTY_MODEL, "'M'", "model M\nend\n"},
    {L_CAUSALITY, "'s' (Se)", "model M\n R r(1)\n Se s = 1\n s -> r\n causality s effort\nend\n"},
    {L_CAUSALITY, "'integral'",
     "model M\n R r(1)\n Se s = 1\n s -> r\n causality r integral\nend\n"},
    {L_LAW, "'Se'", "model M\n Se s: e = 5\n R r(1)\n s -> r\nend\n"},
    {L_LAW, "needs 2 laws", "model M\n TF t: e1 = e2\n Se s = 1\n R r(1)\n s -> t -> r\nend\n"},
    {L_LAW, "as well", "model M\n R r(1): e = f\n Se s = 1\n s -> r\nend\n"},
    {L_MODULATED, "TF 't'",
     "model M\n var x\n x = 1\n TF t(x)\n Se s = 1\n R r(1)\n s -> t -> r\nend\n"},
    {L_UNSET_INPUT, "'b.u'", "model B\n input u\n output y\n y = u\nend\nmodel M\n B b\nend\n"},
    {L_INPUT_TWICE, "'b.u'",
     "model B\n input u\n output y\n y = u\nend\nmodel M\n B b(u = 1)\n b.u = 2\nend\n"},
    {L_NOT_A_NUMBER, "'k' is 0", "model M\n param k = 0\n C c(1/k)\n Se s = 1\n s -> c\nend\n"},
    {L_NOT_A_NUMBER, "'w'", "model M\n param w = log(-1)\n var x\n x = w\nend\n"},
    {L_NOT_A_NUMBER, "'big'", "model M\n param big = 1e300*1e300\n var x\n x = big\nend\n"},
    {L_NOT_A_NUMBER, "C of 'c' is 0", "model M\n C c(0)\n Se s = 1\n s -> c\nend\n"},
    {L_TOO_LARGE, "grows beyond", "model M\n for i in 1:1e8\n  R r[i](1)\n end\nend\n"},
    {L_NOT_A_VALUE, "'r' is a component",
     "model M\n R r(1)\n Se s = 1\n s -> r\n var y\n y = r\nend\n"},
    {L_ARGUMENT_COUNT, "'atan2'", "model M\n var x\n x = atan2(1)\nend\n"},
    {L_START_TWICE, "'c.q'",
     "model M\n C c(1, q0 = 2)\n Se s = 1\n s -> c\n initial c.q = 3\nend\n"},
    {U_SUM, "'1' has no unit", "model M\n var x {m}\n x = 3 {m} + 1\nend\n"},
    {U_EQUATION, "is in m/s", "model M\n var x {m/s}\n x = 3 {m}\nend\n"},
    {U_ARGUMENT, "'r' wants V", "model M\n param r {V} = 3 {m}\n var x\n x = r\nend\n"},
    {U_COMPARE, "'2' has no unit",
     "model M\n param x = 1 {m}\n var y\n y = if x > 2 then 1 else 2\nend\n"},
    {U_FUNCTION, "'sin'", "model M\n var y\n y = sin(3 {m})\nend\n"},
    {U_EXPONENT, "unit s", "model M\n var y\n y = 2^(3 {s})\nend\n"},
    {U_ELEMENT, "R of 'r' is in ohm", "model M\n Se s = 1 {N}\n R r(2 {ohm})\n s -> r\nend\n"},
    {U_DOUBLE_UNIT, "already", "model M\n param x = 1 {m}\n var y {m}\n y = (x) {m}\nend\n"},
    {U_DOMAIN, "'odd'",
     "domain odd effort {V} flow {V}\nelement E\n port p: odd\n p.e = p.f\nend\n"
     "model M\n E e\n Se s = 1\n s -> e\nend\n"},
    {L_UNKNOWN_CLASS, "does not exist", "experiment E of N\n stop 1 {s}\nend\n"},
    {L_UNKNOWN_ARGUMENT, "'y'",
     "model M\n var x\n der(x) = 1\nend\nexperiment E of M\n set y = 3\n stop 1 {s}\nend\n"},
    {L_TIME, "later than start",
     "model M\n var x\n der(x) = 1\nend\nexperiment E of M\n start 2 {s}\n stop 1 {s}\nend\n"},
    {L_TIME, "does not say when",
     "model M\n var x\n der(x) = 1\nend\nexperiment E of M\n points 10\nend\n"},
    {L_TIME, "5 s",
     "model M\n var x\n der(x) = 1\nend\nexperiment E of M\n stop 1 {s}\n"
     " expect x(5 {s}) = 1 within 1\nend\n"},
    {L_EXPECT, "at which time",
     "model M\n var x\n der(x) = 1\nend\nexperiment E of M\n stop 1 {s}\n"
     " expect x = 1 within 1\nend\n"},
    {L_EXPECT, "no state",
     "model M\n var x\n der(x) = 1\nend\nexperiment E of M\n stop 1 {s}\n"
     " expect partial(x, time) < 1\nend\n"},
    {L_UNKNOWN_NAME, "'q'",
     "model M\n var x\n der(x) = 1\nend\nexperiment E of M\n stop 1 {s}\n"
     " expect q(end) = 1 within 1\nend\n"},
    {L_SOLVER, "'rk5'",
     "model M\n var x\n der(x) = 1\nend\nexperiment E of M\n stop 1 {s}\n solver rk5\nend\n"},
    {L_SOLVER, "needs a step",
     "model M\n var x\n der(x) = 1\nend\nexperiment E of M\n stop 1 {s}\n solver rk4\nend\n"},
    {L_SETTING, "rtol",
     "model M\n var x\n der(x) = 1\nend\nexperiment E of M\n stop 1 {s}\n solver bdf rtol -1\n"
     "end\n"},
    {L_RECORD_NOTHING, "'zz*'",
     "model M\n var x\n der(x) = 1\nend\nexperiment E of M\n stop 1 {s}\n record zz*\nend\n"},
    {L_DER_OF, "does not use",
     "model M\n var x, y\n der(x) = 1\n y = x\nend\nexperiment E of M\n stop 1 {s}\n"
     " plot der(y)\nend\n"},
};

enum { MISTAKES = sizeof mistakes / sizeof mistakes[0] };

static const Remark *find_remark(const Report *r, Code code, const char *part) {
    for (const Remark *m = r->first; m; m = m->next)
        if (m->code == code && strstr(m->message, part)) return m;
    return NULL;
}

static void every_mistake_is_named(void **state) {
    (void)state;
    int wrong = 0;
    for (int i = 0; i < MISTAKES; i++) {
        const Mistake *k = &mistakes[i];
        Loaded l = load_model(k->text, NULL, NULL);
        const Remark *m = find_remark(&l.report, k->code, k->message);
        bool warning = m && m->severity == WARNING;
        if (!m || (l.model != NULL) != warning || !m->help) {
            Text t = {0};
            report_print(&t, &l.report, l.sources);
            print_error("wanted %s with %s and a help line:\n%s%s\n", code_info(k->code)->text,
                        k->message, k->text, text_get(&t));
            text_free(&t);
            wrong++;
        }
        free_model(&l);
    }
    assert_int_equal(wrong, 0);
}

// One mistake should not lead to a dozen messages.
static void a_mistake_is_reported_once(void **state) {
    (void)state;
    for (int i = 0; i < MISTAKES; i++) {
        Loaded l = load_model(mistakes[i].text, NULL, NULL);
        int count = l.report.errors + l.report.warnings;
        if (count > 2) fail_msg("%d remarks about:\n%s", count, mistakes[i].text);
        free_model(&l);
    }
}

static void loops_repeat_their_mistakes_once(void **state) {
    (void)state;
    Loaded l = load_model("model M\n for i in 1:1000\n  R r[i](x)\n end\nend\n", NULL, NULL);
    assert_int_equal(l.report.errors, 1);
    free_model(&l);
}

static void exploding_functions_are_refused(void **state) {
    (void)state;
    Text t = {0};
    text_add(&t, "function f0(x) = x + 1\n");
    for (int i = 1; i < 60; i++)
        text_printf(&t, "function f%d(x) = f%d(x)*f%d(2*x)\n", i, i - 1, i - 1);
    text_add(&t, "model M\n var y\n y = f59(1)\nend\n");
    Loaded l = load_model(text_get(&t), NULL, NULL);
    assert_non_null(find_remark(&l.report, L_TOO_LARGE, "too large"));
    text_free(&t);
    free_model(&l);
}

static void long_chains_of_parameters_are_refused(void **state) {
    (void)state;
    Text t = {0};
    text_add(&t, "model M\n var x\n x = p0\n");
    for (int i = 0; i < 5000; i++) text_printf(&t, " param p%d = p%d\n", i, i + 1);
    text_add(&t, " param p5000 = 1\nend\n");
    Loaded l = load_model(text_get(&t), NULL, NULL);
    assert_non_null(find_remark(&l.report, L_TOO_DEEP, "too deeply"));
    text_free(&t);
    free_model(&l);
}

static void many_errors_end_the_reading(void **state) {
    (void)state;
    Text t = {0};
    text_add(&t, "model M\n");
    for (int i = 0; i < 200; i++) text_printf(&t, " R r%d(nothing%d)\n", i, i);
    text_add(&t, "end\n");
    Loaded l = load_model(text_get(&t), NULL, NULL);
    assert_null(l.model);
    assert_true(l.report.errors >= 50 && l.report.errors < 60);
    text_free(&t);
    free_model(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_named),
        cmocka_unit_test(a_mistake_is_reported_once),
        cmocka_unit_test(loops_repeat_their_mistakes_once),
        cmocka_unit_test(exploding_functions_are_refused),
        cmocka_unit_test(long_chains_of_parameters_are_refused),
        cmocka_unit_test(many_errors_end_the_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
