#include "../test.h"

#include "expr/expr.h"
#include "random.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Expr sym(Dag *d, const char *name) { return expr_symbol(d, name_of(dag_names(d), name)); }

static Expr f1(Dag *d, Op op, Expr a) { return expr_call(d, op, &a, 1); }

static Expr f2(Dag *d, Op op, Expr a, Expr b) { return expr_call(d, op, (Expr[]){a, b}, 2); }

static void assert_prints(Dag *d, PrintStyle style, Expr e, const char *expected) {
    Text t = {0};
    expr_print(&t, d, e, &(Printer){.style = style});
    char copy[400];
    snprintf(copy, sizeof copy, "%s", text_get(&t));
    text_free(&t);
    assert_string_equal(copy, expected);
}

#define IS_TEXT(e, s)   assert_prints(d, PRINT_TEXT, (e), (s))
#define IS_C(e, s)      assert_prints(d, PRINT_C, (e), (s))
#define IS_LATEX(e, s)  assert_prints(d, PRINT_LATEX, (e), (s))
#define IS_MATHML(e, s) assert_prints(d, PRINT_MATHML, (e), (s))

static void equations_read_as_people_write_them(void **state) {
    (void)state;
    Names *names = names_new();
    Dag *d = dag_new(names);
    Expr e = sym(d, "drive.e"), q = sym(d, "spring.q"), c = sym(d, "C"), r = sym(d, "R");
    Expr p = sym(d, "mass.p"), m = sym(d, "m");
    Expr spring = expr_div(d, q, c), flow = expr_div(d, p, m), damper = expr_mul(d, r, flow);
    Expr rate = expr_sub(d, expr_sub(d, e, spring), damper);
    IS_TEXT(rate, "drive.e - spring.q/C - R*mass.p/m");
    IS_C(rate, "drive_e - spring_q/C - R*mass_p/m");
    IS_LATEX(rate, "e_{drive} - \\frac{q_{spring}}{C} - \\frac{R\\, p_{mass}}{m}");
    dag_free(d);
    names_free(names);
}

static void brackets_only_where_needed(void **state) {
    (void)state;
    Names *names = names_new();
    Dag *d = dag_new(names);
    Expr a = sym(d, "a"), b = sym(d, "b"), c = sym(d, "c"), x = sym(d, "x");
    Expr one = expr_number(d, 1), two = expr_number(d, 2), sum = expr_add(d, b, c);
    IS_TEXT(expr_sub(d, a, sum), "a - (b + c)");
    IS_TEXT(expr_add(d, a, sum), "a + b + c");
    IS_TEXT(expr_neg(d, sum), "-(b + c)");
    IS_TEXT(expr_mul(d, a, sum), "a*(b + c)");
    IS_TEXT(expr_div(d, a, expr_mul(d, b, c)), "a/(b*c)");
    IS_TEXT(expr_div(d, expr_div(d, a, b), c), "a/(b*c)");
    IS_TEXT(expr_div(d, one, sum), "1/(b + c)");
    IS_TEXT(expr_div(d, a, expr_mul(d, x, x)), "a/x^2");
    IS_TEXT(expr_pow(d, sum, two), "(b + c)^2");
    IS_TEXT(expr_pow(d, expr_pow(d, a, b), x), "(a^b)^x");
    IS_TEXT(expr_pow(d, a, expr_neg(d, b)), "a^(-b)");
    IS_TEXT(expr_pow(d, two, x), "2^x");
    IS_TEXT(expr_pow(d, expr_number(d, -2), x), "(-2)^x");
    IS_TEXT(expr_neg(d, expr_pow(d, x, two)), "-x^2");
    IS_TEXT(expr_sqrt(d, sum), "sqrt(b + c)");
    IS_TEXT(expr_div(d, a, expr_sqrt(d, x)), "a/sqrt(x)");
    IS_TEXT(expr_sub(d, one, x), "1 - x");
    IS_TEXT(expr_add(d, x, expr_number(d, -3)), "x - 3");
    IS_TEXT(expr_sub(d, expr_number(d, -3), x), "-x - 3");
    IS_TEXT(expr_div(d, x, expr_number(d, 3)), "x/3");
    IS_TEXT(expr_mul(d, expr_number(d, 2.0 / 3), x), "2*x/3");
    IS_TEXT(expr_mul(d, expr_number(d, 0.5), x), "0.5*x");
    IS_TEXT(expr_div(d, one, expr_mul(d, expr_number(d, 3), x)), "1/(3*x)");
    Expr less = f2(d, OP_LESS, x, sum), choice = expr_if(d, less, a, expr_neg(d, b));
    IS_TEXT(choice, "if x < b + c then a else -b");
    IS_TEXT(expr_mul(d, choice, x), "x*(if x < b + c then a else -b)");
    IS_TEXT(expr_add(d, less, x), "x + (x < b + c)");
    Expr unequal = f1(d, OP_NOT, f2(d, OP_EQUAL, a, b));
    IS_TEXT(f2(d, OP_OR, f2(d, OP_AND, less, unequal), a), "a or x < b + c and a != b");
    IS_TEXT(f1(d, OP_NOT, f2(d, OP_AND, less, unequal)), "not (x < b + c and a != b)");
    dag_free(d);
    names_free(names);
}

static void c_is_c(void **state) {
    (void)state;
    Names *names = names_new();
    Dag *d = dag_new(names);
    Expr a = sym(d, "a"), x = sym(d, "arm.x[1]"), two = expr_number(d, 2);
    IS_C(expr_mul(d, two, x), "2.0*arm_x_1_");
    IS_C(expr_pow(d, a, two), "(a*a)");
    IS_C(expr_div(d, x, expr_pow(d, a, two)), "arm_x_1_/(a*a)");
    IS_C(expr_pow(d, expr_add(d, a, two), expr_number(d, 1.5)), "pow(a + 2.0, 1.5)");
    IS_C(expr_sqrt(d, a), "sqrt(a)");
    IS_C(expr_number(d, 1e-7), "1e-07");
    Expr less = f2(d, OP_LESS, a, x);
    IS_C(expr_if(d, less, a, two), "a < arm_x_1_ ? a : 2.0");
    IS_C(expr_mul(d, less, a), "a*(a < arm_x_1_ ? 1.0 : 0.0)");
    IS_C(expr_if(d, a, a, two), "a != 0.0 ? a : 2.0");
    IS_C(f1(d, OP_ABS, a), "fabs(a)");
    IS_C(f2(d, OP_MAX, a, x), "fmax(a, arm_x_1_)");
    IS_C(f1(d, OP_NOT, f2(d, OP_AND, less, a)), "(!(a != 0.0 && a < arm_x_1_) ? 1.0 : 0.0)");
    dag_free(d);
    names_free(names);
}

static void latex_of_names(void **state) {
    (void)state;
    static const char *const pair[][2] = {
        {"arm.spring.q", "q_{arm.spring}"},
        {"x", "x"},
        {"omega", "\\omega"},
        {"theta1", "\\theta_{1}"},
        {"mass", "\\mathrm{mass}"},
        {"w.f[2]", "f_{2,w}"},
        {"omega_ref", "\\omega_{ref}"},
        {"der(x)", "\\dot{x}"},
        {"der(der(x1))", "\\dot{\\dot{x_{1}}}"},
        {"a_b.c_d", "c_{d,a\\_b}"},
        {"", ""},
        {"_x", "\\mathrm{\\_x}"},
        {"der(1 of a.p[1], b_c.p)", "\\dot{\\text{1 of a.p[1], b\\_c.p}}"},
    };
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        Text t = {0};
        name_print(&t, pair[i][0], PRINT_LATEX);
        assert_string_equal(text_get(&t), pair[i][1]);
        text_free(&t);
    }
}

static void latex_of_expressions(void **state) {
    (void)state;
    Names *names = names_new();
    Dag *d = dag_new(names);
    Expr x = sym(d, "x"), t = sym(d, "theta"), two = expr_number(d, 2);
    IS_LATEX(expr_pow(d, f1(d, OP_SIN, t), two), "\\sin^{2}\\left(\\theta\\right)");
    IS_LATEX(expr_div(d, expr_add(d, x, two), expr_add(d, x, t)), "\\frac{x + 2}{x + \\theta}");
    IS_LATEX(expr_sqrt(d, x), "\\sqrt{x}");
    IS_LATEX(expr_mul(d, expr_number(d, 2.5e-7), x), "2.5\\cdot 10^{-7}\\, x");
    IS_LATEX(f1(d, OP_ABS, x), "\\left|x\\right|");
    IS_LATEX(expr_pow(d, x, t), "{x}^{\\theta}");
    IS_LATEX(expr_if(d, f2(d, OP_LESS_EQUAL, x, t), x, two),
             "\\begin{cases} x & \\text{if } x \\le \\theta \\\\ 2 & \\text{otherwise} "
             "\\end{cases}");
    dag_free(d);
    names_free(names);
}

static void mathml_of_names(void **state) {
    (void)state;
    static const char *const pair[][2] = {
        {"arm.q1.p", "<msub><mi>p</mi><mtext>arm.q1</mtext></msub>"},
        {"x", "<mi>x</mi>"},
        {"omega_ref", "<msub><mi>ω</mi><mtext>ref</mtext></msub>"},
        {"mass", "<mi mathvariant=\"normal\">mass</mi>"},
        {"my_arm.q", "<msub><mi>q</mi><mtext>my_arm</mtext></msub>"},
        {"der(coil.p)",
         "<msub><mover accent=\"true\"><mi>p</mi><mo>˙</mo></mover><mtext>coil</mtext></msub>"},
        {"w.f[2]", "<msub><mi>f</mi><mtext>2,w</mtext></msub>"},
        {"1 of a.p, b.p", "<mtext>1 of a.p, b.p</mtext>"},
    };
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        Text t = {0};
        name_print(&t, pair[i][0], PRINT_MATHML);
        assert_string_equal(text_get(&t), pair[i][1]);
        text_free(&t);
    }
}

#define OPEN  "<mrow><mo fence=\"true\" stretchy=\"true\">(</mo>"
#define CLOSE "<mo fence=\"true\" stretchy=\"true\">)</mo></mrow>"
#define THIN  "<mspace width=\"0.17em\"/>"

static void mathml_of_expressions(void **state) {
    (void)state;
    Names *names = names_new();
    Dag *d = dag_new(names);
    Expr x = sym(d, "x"), t = sym(d, "theta"), two = expr_number(d, 2);
    IS_MATHML(expr_sub(d, expr_mul(d, two, x), t),
              "<mn>2</mn>" THIN "<mi>x</mi><mo>−</mo><mi>θ</mi>");
    IS_MATHML(expr_neg(d, x), "<mo>−</mo><mi>x</mi>");
    IS_MATHML(expr_number(d, -2.5e-7), "<mo>−</mo><mn>2.5</mn><mo>·</mo><msup><mn>10</"
                                       "mn><mrow><mo>−</mo><mn>7</mn></mrow></msup>");
    IS_MATHML(expr_number(d, 1e30), "<msup><mn>10</mn><mrow><mn>30</mn></mrow></msup>");
    IS_MATHML(expr_pow(d, f1(d, OP_SIN, t), two),
              "<msup><mi>sin</mi><mrow><mn>2</mn></mrow></msup>" OPEN "<mi>θ</mi>" CLOSE);
    IS_MATHML(expr_div(d, expr_add(d, x, two), t),
              "<mfrac><mrow><mi>x</mi><mo>+</mo><mn>2</mn></mrow><mrow><mi>θ</mi></mrow></mfrac>");
    IS_MATHML(expr_sqrt(d, x), "<msqrt><mrow><mi>x</mi></mrow></msqrt>");
    IS_MATHML(expr_pow(d, x, t), "<msup><mrow><mi>x</mi></mrow><mrow><mi>θ</mi></mrow></msup>");
    IS_MATHML(f1(d, OP_FLOOR, x), "<mrow><mo fence=\"true\" stretchy=\"true\">⌊</mo><mi>x</mi>"
                                  "<mo fence=\"true\" stretchy=\"true\">⌋</mo></mrow>");
    IS_MATHML(f2(d, OP_MAX, x, t), "<mi>max</mi>" OPEN "<mi>x</mi><mo>,</mo><mi>θ</mi>" CLOSE);
    IS_MATHML(
        expr_if(d, f2(d, OP_LESS, x, t), x, two),
        "<mrow><mo fence=\"true\" stretchy=\"true\">{</mo><mtable class=\"cases\"><mtr><mtd>"
        "<mi>x</mi></mtd><mtd><mtext>if&#160;</mtext><mi>x</mi><mo>&lt;</mo><mi>θ</mi></mtd></mtr>"
        "<mtr><mtd><mn>2</mn></mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>");
    dag_free(d);
    names_free(names);
}

// Names lie as stacks: what opens last closes first.
static void assert_tags_match(const char *text) {
    const char *open[500];
    int depth = 0;
    for (const char *at = text; (at = strchr(at, '<')); at++) {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        size_t n = strcspn(at + 1, " >/");
        if (at[1] == '/') {
            assert_true(depth > 0);
            depth--;
            assert_int_equal(strncmp(open[depth], at + 2, strcspn(at + 2, ">")), 0);
        } else if (end[-1] != '/') {
            assert_true(depth < 500 && n > 0);
            open[depth++] = at + 1;
        }
    }
    assert_int_equal(depth, 0);
}

static void random_mathml_is_well_formed(void **state) {
    (void)state;
    for (unsigned seed = 0; seed < 300; seed++) {
        Names *names = names_new();
        Dag *d = dag_new(names);
        Random r = {seed};
        Expr symbol[] = {sym(d, "theta1"), sym(d, "arm.q"), sym(d, "a<b")};
        Expr e = random_expr(&r, d, symbol, 3, 30, true);
        Text t = {0};
        expr_print(&t, d, e, &(Printer){.style = PRINT_MATHML, .new_line = "<br></br>"});
        assert_tags_match(text_get(&t));
        text_free(&t);
        dag_free(d);
        names_free(names);
    }
}

static void long_sums_have_lines(void **state) {
    (void)state;
    Names *names = names_new();
    Dag *d = dag_new(names);
    Expr sum = expr_number(d, 0), twice;
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", i);
        sum = expr_add(d, sum, sym(d, name));
    }
    twice = expr_mul(d, expr_number(d, 2), sum);
    Text t = {0};
    expr_print(&t, d, sum, &(Printer){.new_line = "\n"});
    int lines = 1, longest = 0, column = 0;
    for (const char *c = text_get(&t); *c; c++) {
        lines += *c == '\n';
        column = *c == '\n' ? 0 : column + 1;
        longest = column > longest ? column : longest;
    }
    assert_in_range(lines, 3, 5);
    assert_in_range(longest, 60, 70);
    text_clear(&t);
    expr_print(&t, d, twice, &(Printer){.new_line = "\n"}); // inside of brackets nothing is broken
    assert_null(strchr(text_get(&t), '\n'));
    text_free(&t);
    dag_free(d);
    names_free(names);
}

static const char *name_one(void *context, Expr e) { return e == *(Expr *)context ? "tmp" : NULL; }

static void nodes_can_be_named(void **state) {
    (void)state;
    Names *names = names_new();
    Dag *d = dag_new(names);
    Expr a = sym(d, "a"), b = sym(d, "b"), sum = expr_add(d, a, b);
    Text t = {0};
    expr_print(&t, d, expr_mul(d, a, expr_pow(d, sum, expr_number(d, 2))),
               &(Printer){.name = name_one, .context = &sum});
    assert_string_equal(text_get(&t), "a*tmp^2");
    text_free(&t);
    dag_free(d);
    names_free(names);
}

static void shared_graphs_do_not_explode(void **state) {
    (void)state;
    Names *names = names_new();
    Dag *d = dag_new(names);
    Expr x = sym(d, "x"), e = x;
    for (int i = 0; i < 200; i++)
        e = expr_add(d, f1(d, OP_SIN, e), f1(d, OP_EXP, expr_mul(d, x, e)));
    static const char *const ellipsis[] = {"...", "\\ldots", "...", "<mo>…</mo>"};
    for (PrintStyle style = PRINT_TEXT; style <= PRINT_MATHML; style++) {
        Text t = {0};
        expr_print(&t, d, e, &(Printer){.style = style});
        assert_true(t.length > 10000 && t.length < 4000000);
        assert_non_null(strstr(text_get(&t), ellipsis[style]));
        text_free(&t);
    }
    Expr deep = x;
    for (int i = 0; i < 100000; i++) deep = expr_div(d, x, f1(d, OP_SIN, deep));
    Text t = {0};
    expr_print(&t, d, deep, &(Printer){0});
    assert_non_null(strstr(text_get(&t), "..."));
    text_free(&t);
    dag_free(d);
    names_free(names);
}

// --- round trip: a small evaluator of the printed text -------------------------------------------

typedef struct {
    const char *at;
    const double *symbol; // a, b, c ...
} Reader;

static double read_if(Reader *r);

static bool take(Reader *r, const char *word) {
    while (*r->at == ' ') r->at++;
    size_t n = strlen(word);
    if (strncmp(r->at, word, n)) return false;
    if (isalpha((unsigned char)*word) && isalnum((unsigned char)r->at[n])) return false;
    r->at += n;
    return true;
}

static double read_call(Reader *r, const char *name, size_t n) {
    double a[2] = {0};
    for (int i = 0; i < 2; i++) {
        a[i] = read_if(r);
        if (take(r, ")")) break;
        assert_true(take(r, ","));
    }
    if (n == 4 && !strncmp(name, "sqrt", 4)) return sqrt(a[0]);
    static const char *const op_name[] = {
#define OP(id, text, arguments) text,
#include "expr/ops.def"
#undef OP
    };
    for (int op = 0; op < OP_COUNT; op++)
        if (strlen(op_name[op]) == n && !strncmp(op_name[op], name, n))
            return op_evaluate((Op)op, a[0], a[1], 0);
    fail_msg("unknown function %.*s", (int)n, name);
    return 0;
}

static double read_atom(Reader *r) {
    if (take(r, "(")) {
        double v = read_if(r);
        assert_true(take(r, ")"));
        return v;
    }
    if (isalpha((unsigned char)*r->at)) {
        const char *name = r->at;
        while (isalnum((unsigned char)*r->at)) r->at++;
        size_t n = (size_t)(r->at - name);
        if (take(r, "(")) return read_call(r, name, n);
        assert_int_equal(n, 1);
        return r->symbol[*name - 'a'];
    }
    char *end;
    double v = strtod(r->at, &end);
    if (end == r->at) fail_msg("number expected at '%s'", r->at);
    r->at = end;
    return v;
}

static double read_power(Reader *r) {
    double base = read_atom(r);
    return take(r, "^") ? op_evaluate(OP_POWER, base, read_atom(r), 0) : base;
}

static double read_product(Reader *r) {
    double v = read_power(r);
    for (;;) {
        if (take(r, "*"))
            v *= read_power(r);
        else if (take(r, "/"))
            v /= read_power(r);
        else
            return v;
    }
}

static double read_sum(Reader *r) {
    double v = take(r, "-") ? -read_product(r) : read_product(r);
    for (;;) {
        if (take(r, "+"))
            v += read_product(r);
        else if (take(r, "-"))
            v -= read_product(r);
        else
            return v;
    }
}

static double read_relation(Reader *r) {
    if (take(r, "not")) return read_relation(r) == 0;
    double v = read_sum(r);
    if (take(r, "<=")) return v <= read_sum(r);
    if (take(r, "<")) return v < read_sum(r);
    if (take(r, "==")) return v == read_sum(r);
    if (take(r, "!=")) return v != read_sum(r);
    return v;
}

static double read_and(Reader *r) {
    double v = read_relation(r);
    while (take(r, "and")) {
        double other = read_relation(r);
        v = v != 0 && other != 0;
    }
    return v;
}

static double read_or(Reader *r) {
    double v = read_and(r);
    while (take(r, "or")) {
        double other = read_and(r);
        v = v != 0 || other != 0;
    }
    return v;
}

static double read_if(Reader *r) {
    if (!take(r, "if")) return read_or(r);
    double condition = read_if(r);
    assert_true(take(r, "then"));
    double then = read_if(r);
    assert_true(take(r, "else"));
    double otherwise = read_if(r);
    return condition != 0 ? then : otherwise;
}

static void printed_text_has_the_same_value(void **state) {
    (void)state;
    Random random = {7};
    double value[4];
    for (int round = 0; round < 3000; round++) {
        Names *names = names_new();
        Dag *d = dag_new(names);
        Expr symbol[4];
        for (int i = 0; i < 4; i++) {
            symbol[i] = sym(d, (char[]){(char)('a' + i), 0});
            value[i] = random_between(&random, 0.2, 1.5);
        }
        Expr e = random_expr(&random, d, symbol, 4, 12, true);
        double expected = expr_evaluate(d, e, value);
        Text t = {0};
        expr_print(&t, d, e, &(Printer){0});
        Reader r = {text_get(&t), value};
        double got = read_if(&r);
        bool same = fabs(got - expected) <= 1e-9 * (1 + fabs(expected)) ||
                    (!isfinite(got) && !isfinite(expected));
        if (*r.at || !same) fail_msg("%s = %.17g, not %.17g", text_get(&t), got, expected);
        text_free(&t);
        dag_free(d);
        names_free(names);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_read_as_people_write_them),
        cmocka_unit_test(brackets_only_where_needed),
        cmocka_unit_test(c_is_c),
        cmocka_unit_test(latex_of_names),
        cmocka_unit_test(latex_of_expressions),
        cmocka_unit_test(mathml_of_names),
        cmocka_unit_test(mathml_of_expressions),
        cmocka_unit_test(random_mathml_is_well_formed),
        cmocka_unit_test(long_sums_have_lines),
        cmocka_unit_test(nodes_can_be_named),
        cmocka_unit_test(shared_graphs_do_not_explode),
        cmocka_unit_test(printed_text_has_the_same_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
