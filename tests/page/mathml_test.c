#include "../test.h"

#include "page/mathml.h"
#include <stdio.h>
#include <string.h>

static void expect_math(const char *latex, const char *inside) {
    Text t = {0};
    latex_to_mathml(&t, latex);
    char want[2000];
    snprintf(want, sizeof want, "<math display=\"block\">%s</math>\n", inside);
    assert_string_equal(text_get(&t), want);
    text_free(&t);
}

static void letters_numbers_and_signs(void **state) {
    (void)state;
    expect_math("2 a - b", "<mn>2</mn><mi>a</mi><mo>−</mo><mi>b</mi>");
    expect_math("\\omega", "<mi>ω</mi>");
    expect_math("a \\le b", "<mi>a</mi><mo>≤</mo><mi>b</mi>");
    expect_math("a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>");
}

static void indices_and_powers(void **state) {
    (void)state;
    expect_math("p_{arm.q1}", "<msub><mi>p</mi><mtext>arm.q1</mtext></msub>");
    expect_math("q_{my\\_arm}", "<msub><mi>q</mi><mtext>my_arm</mtext></msub>");
    expect_math("{n}^{2}", "<msup><mrow><mi>n</mi></mrow><mrow><mn>2</mn></mrow></msup>");
    expect_math(
        "\\dot{p_{coil}}",
        "<msub><mover accent=\"true\"><mi>p</mi><mo>˙</mo></mover><mtext>coil</mtext></msub>");
}

static void fractions_roots_and_fences(void **state) {
    (void)state;
    expect_math("\\frac{a}{b}", "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>");
    expect_math("\\sqrt{x}", "<msqrt><mrow><mi>x</mi></mrow></msqrt>");
    expect_math("\\sin\\left(x\\right)",
                "<mi>sin</mi><mrow><mo fence=\"true\" stretchy=\"true\">(</mo><mi>x</mi>"
                "<mo fence=\"true\" stretchy=\"true\">)</mo></mrow>");
}

static void tables(void **state) {
    (void)state;
    expect_math("\\begin{aligned}\na &= b \\\\\nc &= d \\\\\n\\end{aligned}\n",
                "<mrow><mtable class=\"lines\"><mtr><mtd><mi>a</mi></mtd><mtd><mo>=</mo><mi>b</mi>"
                "</mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mo>=</mo><mi>d</mi></mtd></mtr>"
                "</mtable></mrow>");
}

// Tags open and close in pairs, whatever comes in.
static void broken_input_ends(void **state) {
    (void)state;
    static const char *const broken[] = {
        "\\frac{a",         "\\left(", "}}}",     "\\begin{cases} a & ",
        "\\end{aligned} x", "a_",      "^",       "\\",
        "\\begin{x} } &",   "\\dot{}", "\\right)"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        Text t = {0};
        latex_to_mathml(&t, broken[i]);
        int open = 0, close = 0;
        for (const char *c = text_get(&t); *c; c++) {
            if (c[0] == '<' && c[1] == '/') close++;
            if (c[0] == '<' && c[1] != '/') open++;
        }
        assert_int_equal(open, close);
        text_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_numbers_and_signs),  cmocka_unit_test(indices_and_powers),
        cmocka_unit_test(fractions_roots_and_fences), cmocka_unit_test(tables),
        cmocka_unit_test(broken_input_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
