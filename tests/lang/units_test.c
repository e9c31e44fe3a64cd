#include "../test.h"

#include "lang/units.h"
#include <string.h>

static Unit read_unit(const char *text) {
    Unit u = {0};
    const char *bad;
    size_t bad_length;
    if (!unit_parse(text, strlen(text), &u, &bad, &bad_length)) fail_msg("{%s} at '%s'", text, bad);
    return u;
}

static void assert_scale(const char *text, double scale) {
    assert_near(read_unit(text).scale, scale, 1e-14 * fabs(scale));
}

static void assert_same(const char *a, const char *b) {
    if (!dim_equal(read_unit(a).dim, read_unit(b).dim)) fail_msg("{%s} and {%s} differ", a, b);
}

static void assert_bad(const char *text, const char *expected) {
    Unit u;
    const char *bad = NULL;
    size_t n = 0;
    if (unit_parse(text, strlen(text), &u, &bad, &n)) fail_msg("{%s} was read", text);
    assert_int_equal(n, strlen(expected));
    assert_memory_equal(bad, expected, n);
}

static void assert_prints(const char *unit, const char *expected) {
    Text t = {0};
    dim_print(&t, read_unit(unit).dim);
    assert_string_equal(text_get(&t), expected);
    text_free(&t);
}

static void scales_convert_to_si(void **state) {
    (void)state;
    const double pi = 3.14159265358979323846;
    assert_scale("kg", 1);
    assert_scale("g", 1e-3);
    assert_scale("t", 1e3);
    assert_scale("mm", 1e-3);
    assert_scale("um", 1e-6);
    assert_scale("in", 0.0254);
    assert_scale("ft", 0.3048);
    assert_scale("min", 60);
    assert_scale("h", 3600);
    assert_scale("bar", 1e5);
    assert_scale("mbar", 100);
    assert_scale("psi", 6894.757293168361);
    assert_scale("kWh", 3.6e6);
    assert_scale("hp", 745.69987158227022);
    assert_scale("rpm", 2 * pi / 60);
    assert_scale("deg", pi / 180);
    assert_scale("grad", pi / 200);
    assert_scale("rev", 2 * pi);
    assert_scale("L/min", 1e-3 / 60);
    assert_scale("l", 1e-3);
    assert_scale("cP", 1e-3);
    assert_scale("cSt", 1e-6);
    assert_scale("lbf", 4.4482216152605);
    assert_scale("slug", 14.593902937206364);
    assert_scale("lb", 0.45359237);
    assert_scale("%", 0.01);
    assert_scale("percent", 0.01);
    assert_scale("G", 1e-4);
    assert_scale("mm2", 1e-6);
    assert_scale("km/h", 1 / 3.6);
    assert_scale("1/min", 1.0 / 60);
    assert_true(read_unit("kg").scale == 1);
}

static void every_unit_of_the_reference_is_known(void **state) {
    (void)state;
    char words[] = "kg g t m cm mm km um in ft s ms us min h A mA K degC mol rad deg rev grad N kN "
                   "MN mN Pa kPa MPa GPa bar mbar psi J kJ MJ Wh kWh W kW MW hp V mV kV C F mF uF "
                   "nF pF ohm kohm Mohm S H mH uH Wb T Hz kHz MHz rpm L l cP cSt lbf slug lb G "
                   "percent %";
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) read_unit(word);
}

static void products_powers_and_brackets(void **state) {
    (void)state;
    assert_same("N", "kg.m/s2");
    assert_same("N*m", "J");
    assert_same("kg.m^2", "kg.m2");
    assert_same("m^-1", "1/m");
    assert_same("s-1", "Hz");
    assert_same("J/(kg.K)", "J/kg/K");
    assert_same("J/kg.K", "J.K/kg");
    assert_same("(m/s)^2", "m2/s2");
    assert_same(" N . s / m ", "N.s/m");
    assert_same("V/Hz^(1/2)", "V.s^(1/2)");
    assert_same("N.m/rad", "J");
    assert_same("1", "rad");
    assert_same("ohm", "V/A");
    assert_same("F", "C/V");
    assert_same("H", "V.s/A");
    assert_same("T", "Wb/m2");
    assert_same("S", "1/ohm");
    assert_same("W", "V.A");
}

static void temperatures_have_a_zero_point_of_their_own(void **state) {
    (void)state;
    assert_near(read_unit("degC").offset, 273.15, 0);
    assert_near(read_unit("W/degC").offset, 0, 0);
    assert_near(read_unit("degC2").offset, 0, 0);
    assert_near(read_unit("K").offset, 0, 0);
}

static void bad_units_point_at_the_word(void **state) {
    (void)state;
    assert_bad("N.fluff/s", "fluff");
    assert_bad("", "");
    assert_bad("m/", "");
    assert_bad("m//s", "/");
    assert_bad("m s", "");
    assert_bad("(m", "");
    assert_bad("m^", "^");
    assert_bad("m^(1/0)", "^(1/0");
    assert_bad("m99", "m99");
    assert_bad("m20.m20", ".");
    assert_bad("kkg", "kkg");
    assert_bad("kmin", "kmin");
    assert_bad("m^(1/7)", "m^(1/7)");
    assert_bad("((((((((((((((((((((((((m))))))))))))))))))))))))", "(");
    assert_bad("2", "2");
    assert_bad("-", "-");
}

static void suggestions_are_near(void **state) {
    (void)state;
    assert_string_equal(unit_suggest("bars", 4), "bar");
    assert_string_equal(unit_suggest("Nm", 2), "N.m");
    assert_string_equal(unit_suggest("\xce\xa9", 2), "ohm");
    assert_string_equal(unit_suggest("kgg", 3), "kg");
    assert_string_equal(unit_suggest("sec", 3), "s");
    assert_null(unit_suggest("parsecs_per_fortnight", 21));
}

static void dimensions_combine(void **state) {
    (void)state;
    bool exact;
    Dim m = read_unit("m").dim, s = read_unit("s").dim;
    assert_true(dim_equal(dim_divide(m, s), read_unit("m/s").dim));
    assert_false(dim_multiply(m, DIM_UNKNOWN).known);
    assert_true(dim_fits(m, DIM_UNKNOWN));
    assert_false(dim_fits(m, s));
    assert_true(dim_is_one(DIM_ONE));
    assert_false(dim_is_one(DIM_UNKNOWN));
    assert_true(dim_equal(dim_power(dim_power(m, 0.5, &exact), 2, &exact), m));
    assert_true(exact);
    assert_false(dim_power(m, 0.1, &exact).known);
    assert_false(exact);
    assert_false(dim_power(m, 1e9, &exact).known);
    assert_false(dim_power(m, NAN, &exact).known);
    Dim big = m;
    for (int i = 0; i < 10; i++) big = dim_multiply(big, big);
    assert_false(big.known);
}

static void dimensions_print_as_engineers_write(void **state) {
    (void)state;
    assert_prints("kg.m/s2", "N");
    assert_prints("N.m", "J");
    assert_prints("kg/s", "N.s/m");
    assert_prints("m/s", "m/s");
    assert_prints("m/s2", "m/s2");
    assert_prints("1/s", "1/s");
    assert_prints("rad", "1");
    assert_prints("kg.m2", "kg.m2");
    assert_prints("Pa.s/m3", "Pa.s/m3");
    assert_prints("J/kg/K", "J/(kg.K)");
    assert_prints("m^(1/2)", "m^(1/2)");
    assert_prints("kg.m5/(A2.K)", "kg.m5/(A2.K)");
    Text t = {0};
    dim_print(&t, DIM_UNKNOWN);
    assert_string_equal(text_get(&t), "?");
    text_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_convert_to_si),
        cmocka_unit_test(every_unit_of_the_reference_is_known),
        cmocka_unit_test(products_powers_and_brackets),
        cmocka_unit_test(temperatures_have_a_zero_point_of_their_own),
        cmocka_unit_test(bad_units_point_at_the_word),
        cmocka_unit_test(suggestions_are_near),
        cmocka_unit_test(dimensions_combine),
        cmocka_unit_test(dimensions_print_as_engineers_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
