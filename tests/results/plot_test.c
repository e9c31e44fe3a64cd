// Plots: ticks, and pictures that stay small and whole for any data.
#include "../test.h"

#include "results/axis.h"
#include "results/plot.h"
#include "results/related.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_ticks(Axis a, const char *expected) {
    Text t = {0};
    for (int i = 0; i < a.tick_count; i++) {
        if (i) text_char(&t, ' ');
        axis_tick_label(&t, &a, i);
    }
    text_add(&t, "|");
    axis_remark(&t, &a);
    assert_string_equal(text_get(&t), expected);
    text_free(&t);
}

static void ticks_are_round(void **state) {
    (void)state;
    assert_ticks(axis_loose((Range){0, 0.97}, 5), "0.0 0.2 0.4 0.6 0.8 1.0|");
    assert_ticks(axis_loose((Range){-3, 12}, 4), "−5 0 5 10 15|");
    assert_ticks(axis_tight((Range){0, 5}, 8), "0 1 2 3 4 5|");
    assert_ticks(axis_loose((Range){0, 3e8}, 4), "0 100 200 300|×10⁶");
    assert_ticks(axis_loose((Range){0, 4e-7}, 4), "0 100 200 300 400|×10⁻⁹");
    assert_ticks(axis_loose((Range){1e6 + 0.1, 1e6 + 0.4}, 4), "0.1 0.2 0.3 0.4|+ 1000000");
    assert_ticks(axis_loose((Range){2, 2}, 4), "1.8 1.9 2.0 2.1 2.2|");
    assert_ticks(axis_decades((Range){-1.3, 2.2}, 8), "0.01 0.1 1 10 100 1000|");
    assert_ticks(axis_decades((Range){3.2, 5}, 8), "1000 10⁴ 10⁵|");
    assert_ticks(axis_decades((Range){1, 1}, 8), "10 100|");
    assert_ticks(axis_decades((Range){-12, 12}, 6), "10⁻¹² 10⁻⁸ 10⁻⁴ 1 10⁴ 10⁸ 10¹²|");
    assert_ticks(axis_loose(RANGE_EMPTY, 2), "0.0 0.5 1.0|");
}

static void second_axis_has_the_same_intervals(void **state) {
    (void)state;
    for (int n = 2; n < 9; n++) {
        Range r = {-0.37 * n, 17.3 / n};
        Axis a = axis_with_intervals(r, n);
        assert_int_equal(a.tick_count, n + 1);
        assert_true(a.lo <= r.lo && a.hi >= r.hi);
    }
}

// Both zeros lie at one height, both ranges inside of their axes, for any two ranges.
static void zeros_are_aligned(void **state) {
    (void)state;
    int stacked = 0;
    for (int i = 0; i < 400; i++) {
        Range a = {-(i % 7) * pow(10, i % 5 - 2), (i % 11) * pow(10, i % 3)};
        Range b = {-(i % 13) * pow(10, i % 4 - 3), (i % 5) * pow(10, i % 6 - 1)};
        Axis left, right;
        if (!axis_pair(a, b, 7, &left, &right)) {
            stacked++;
            continue;
        }
        assert_true(left.lo <= a.lo && left.hi >= a.hi && right.lo <= b.lo && right.hi >= b.hi);
        assert_int_equal(left.tick_count, right.tick_count);
        assert_true(fabs(axis_part(&left, 0) - axis_part(&right, 0)) < 1e-9);
    }
    assert_in_range(stacked, 1, 250);
}

static void assert_unit(double most, const char *unit, const char *expected) {
    Axis a = axis_loose((Range){0, most}, 5);
    Text t = {0};
    axis_unit(&t, &a, unit);
    text_char(&t, '|');
    axis_remark(&t, &a);
    assert_string_equal(text_get(&t), expected);
    text_free(&t);
}

static void units_take_prefixes(void **state) {
    (void)state;
    assert_unit(5e4, "N", "kN|");
    assert_unit(5e4, "N.m", "kN.m|");
    assert_unit(2e7, "Pa", "MPa|");
    assert_unit(3e-5, "A", "µA|");
    assert_unit(3e-4, "m/s", "µm/s|");
    assert_unit(5e4, "m/s", "m/s|×10³");     // nobody says km/s
    assert_unit(3e-5, "m3/s", "m3/s|×10⁻⁶"); // a mm3 is no thousandth of it
    assert_unit(5e4, "kg", "kg|×10³");
    assert_unit(5e4, "bar", "bar|×10³");
    assert_unit(5e4, "s", "s|×10³");
    assert_unit(3e-3, "s", "ms|");
    assert_unit(50, "N", "N|");
}

static void wishes_are_known_by_name(void **state) {
    (void)state;
    assert_true(label_is_setpoint("x_d", "x"));
    assert_true(label_is_setpoint("arm.q_d[1]", "arm.q[1]"));
    assert_true(label_is_setpoint("w_ref", "motor.w"));
    assert_true(label_is_setpoint("ref_speed", "speed"));
    assert_true(label_is_setpoint("ref.w", "motor.w"));
    assert_true(label_is_setpoint("w_d", "w.f"));
    assert_false(label_is_setpoint("x", "x_d"));
    assert_false(label_is_setpoint("q_d[1]", "q[2]"));
    assert_false(label_is_setpoint("left.w", "right.w"));
    assert_false(label_is_setpoint("x", "x"));
    assert_false(label_is_setpoint("i_a", "i"));
}

static char *draw(int curves, const char **unit, const double **x, const double **y,
                  const int *count) {
    const char *label[] = {"a", "b<c>", "c & d", "d"};
    PlotData p = {.title = "title <1>",
                  .x_label = "time [s]",
                  .curve_count = curves,
                  .label = label,
                  .unit = unit,
                  .x = x,
                  .y = y,
                  .count = count,
                  .footer = "footer"};
    Text t = {0};
    plot_svg(&t, &p);
    return t.data;
}

static int occurrences(const char *text, const char *word) {
    int n = 0;
    for (; (text = strstr(text, word)); text++) n++;
    return n;
}

// As many elements are closed as are opened, and no number is nan.
static void assert_sound(const char *svg) {
    assert_int_equal(occurrences(svg, "<g"), occurrences(svg, "</g>"));
    assert_int_equal(occurrences(svg, "<text"), occurrences(svg, "</text>"));
    assert_int_equal(occurrences(svg, "<svg"), occurrences(svg, "</svg>"));
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    assert_null(strstr(svg, "b<c>"));
}

static void units_make_axes_and_panels(void **state) {
    (void)state;
    const double t[] = {0, 1, 2}, v[] = {1, 3, 2};
    const double *x[] = {t, t, t, t}, *y[] = {v, v, v, v};
    const int count[] = {3, 3, 3, 3};
    const struct {
        const char *unit[4];
        int panels, rotated;
    } cases[] = {
        {{"m", "m", "m", "m"}, 1, 1}, {{"m", "N", "m", "N"}, 1, 2}, {{"m", "N", "", "m"}, 3, 3}};
    for (int i = 0; i < 3; i++) {
        char *svg = draw(4, (const char **)cases[i].unit, x, y, count);
        assert_sound(svg);
        assert_int_equal(occurrences(svg, "<clipPath"), cases[i].panels);
        assert_int_equal(occurrences(svg, "rotate(-90)"), cases[i].rotated);
        free(svg);
    }
}

static void odd_data_is_drawn(void **state) {
    (void)state;
    const double t[] = {0, 1, 2, 3, 4, 5};
    const double odd[][6] = {{NAN, NAN, NAN, NAN, NAN, NAN},
                             {1, NAN, 2, NAN, 3, INFINITY},
                             {0, 0, 0, 0, 0, 0},
                             {7, 7, 7, 7, 7, 7},
                             {1e308, -1e308, 0, 1, 2, 3},
                             {1e-300, 2e-300, 0, 0, 0, 0},
                             {1e299, -1e299, 0, 1, 2, 3},
                             {5e-324, 0, 0, 0, 0, 0},
                             {1, 1 + 1e-15, 1, 1, 1, 1}};
    const char *unit[] = {""};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        for (int n = 0; n <= 6; n++) {
            const double *x[] = {t}, *y[] = {odd[i]};
            char *svg = draw(1, unit, x, y, &n);
            assert_sound(svg);
            free(svg);
            svg = draw(1, unit, y, x, &n); // and as abscissa
            assert_sound(svg);
            free(svg);
        }
    }
    char *svg = draw(0, NULL, NULL, NULL, NULL);
    assert_sound(svg);
    assert_non_null(strstr(svg, "no data"));
    free(svg);
}

static void gaps_break_the_line(void **state) {
    (void)state;
    const double t[] = {0, 1, 2, 3, 4}, v[] = {1, 2, NAN, 2, 1};
    const double *x[] = {t}, *y[] = {v};
    const char *unit[] = {"m"};
    char *svg = draw(1, unit, x, y, (int[]){5});
    const char *curve = strstr(svg, "stroke-width=\"1.6\"");
    assert_non_null(curve);
    const char *end = strchr(curve + 20, '>');
    int pieces = 0;
    for (const char *c = curve; c < end; c++) pieces += *c == 'M';
    assert_int_equal(pieces, 2);
    free(svg);
}

static void a_million_rows_stay_small_and_keep_their_peak(void **state) {
    (void)state;
    int n = 1000000;
    double *t = malloc((size_t)n * sizeof *t), *v = malloc((size_t)n * sizeof *v);
    assert_non_null(t);
    assert_non_null(v);
    for (int i = 0; i < n; i++) t[i] = i, v[i] = 0;
    v[654321] = 1; // a single point
    const double *x[] = {t}, *y[] = {v};
    const char *unit[] = {"m"};
    char *svg = draw(1, unit, x, y, &n);
    assert_true(strlen(svg) < 100000);
    assert_int_equal(occurrences(svg, " 56L") + occurrences(svg, " 56\""), 1); // the panel's top
    free(svg);
    for (int i = 0; i < n; i++) t[i] = cos(i * 0.01) * cos(i * 1e-5), v[i] = sin(i * 0.0101);
    svg = draw(1, unit, x, y, &n);
    assert_true(strlen(svg) < 1000000);
    free(svg);
    free(t);
    free(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(second_axis_has_the_same_intervals),
        cmocka_unit_test(zeros_are_aligned),
        cmocka_unit_test(units_take_prefixes),
        cmocka_unit_test(wishes_are_known_by_name),
        cmocka_unit_test(units_make_axes_and_panels),
        cmocka_unit_test(odd_data_is_drawn),
        cmocka_unit_test(gaps_break_the_line),
        cmocka_unit_test(a_million_rows_stay_small_and_keep_their_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
