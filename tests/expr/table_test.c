// Tables: kinks and pieces; monotone cubics against values that were computed by hand.
#include "../test.h"

#include "expr/table.h"

// Rows in line with their neighbours are no kinks; the ends are, unless the table goes on or is
// flat.
static void kinks_are_where_the_slope_jumps(void **state) {
    (void)state;
    double x[] = {0, 1, 2, 3, 4, 6}, y[] = {0, 1, 2, 2, 2, 4};
    Table t = {.count = 6, .x = x, .y = y};
    int kink[6];
    assert_int_equal(table_find_kinks(&t, kink), 4);
    static const int expected[] = {0, 2, 4, 5};
    for (int i = 0; i < 4; i++) assert_int_equal(kink[i], expected[i]);
    t.extrapolate = true;
    assert_int_equal(table_find_kinks(&t, kink), 2);
    double flat[] = {1, 1, 2, 3, 3, 3};
    Table held = {.count = 6, .x = x, .y = flat};
    assert_int_equal(table_find_kinks(&held, kink), 2);
}

static void pieces_go_on_beyond_their_ends(void **state) {
    (void)state;
    double x[] = {0, 1, 2, 3, 4, 6}, y[] = {0, 1, 2, 2, 2, 4};
    int kink[6];
    Table t = {.count = 6, .x = x, .y = y};
    t.kink_count = table_find_kinks(&t, kink);
    t.kink = kink;
    static const double at[] = {-1, 0, 0.5, 2, 3.9, 4, 5.9, 6, 7};
    static const int piece[] = {0, 1, 1, 2, 2, 3, 3, 4, 4};
    for (int i = 0; i < 9; i++) {
        int p = table_piece(&t, at[i]);
        assert_int_equal(p, piece[i]);
        assert_true(table_outside(&t, p, at[i]) <= 0);
        assert_near(table_value_in(&t, p, at[i]), table_value(&t, at[i]), 0);
        assert_near(table_slope_in(&t, p, at[i]), table_slope(&t, at[i]), 0);
    }
    assert_near(table_value_in(&t, 1, 5), 5, 1e-15);
    assert_near(table_value_in(&t, 2, 5), 2, 0);
    assert_near(table_value_in(&t, 3, 0), -2, 1e-15);
    assert_near(table_value_in(&t, 4, 0), 4, 0);
    assert_near(table_outside(&t, 1, 5), 3, 0);
    assert_near(table_outside(&t, 1, -2), 2, 0);
    assert_near(table_outside(&t, 0, 2), 2, 0);
    assert_near(table_next_kink(&t, 0.5, true), 2, 0);
    assert_near(table_next_kink(&t, 2, true), 4, 0);
    assert_near(table_next_kink(&t, 2, false), 0, 0);
    assert_true(isinf(table_next_kink(&t, 6, true)));
}

// Slopes by the formulas of Fritsch and Butland: inside (w0 + w1)/(w0/d0 + w1/d1), at the ends from
// three points.
static void monotone_cubic_has_the_known_slopes(void **state) {
    (void)state;
    double x[] = {0, 1, 3, 4}, y[] = {0, 2, 3, 7}, slope[4];
    table_monotone_slopes(4, x, y, slope);
    // secants 2, 0.5, 4; at 1: w0 = 5, w1 = 4, 9/(5/2 + 4/0.5) = 6/7; at 3: 9/(4/0.5 + 5/4) = 36/37
    assert_near(slope[0], 2.5, 1e-15); // ((2 + 2) 2 - 1 0.5)/3
    assert_near(slope[1], 6.0 / 7, 1e-15);
    assert_near(slope[2], 36.0 / 37, 1e-15);
    assert_near(slope[3], 15.5 / 3, 1e-14); // ((2 + 2) 4 - 1 0.5)/3
    Table t = {.count = 4, .x = x, .y = y, .slope = slope, .smooth = true};
    // halfway: (y0 + y1)/2 + h (m0 - m1)/8
    assert_near(table_value(&t, 0.5), 1 + (2.5 - 6.0 / 7) / 8, 1e-15);
    assert_near(table_value(&t, 2), 2.5 + 2 * (6.0 / 7 - 36.0 / 37) / 8, 1e-15);
    t.extrapolate = true;
    assert_near(table_value(&t, 5), 7 + 15.5 / 3, 1e-14);
    assert_near(table_slope(&t, -1), 2.5, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinks_are_where_the_slope_jumps),
        cmocka_unit_test(pieces_go_on_beyond_their_ends),
        cmocka_unit_test(monotone_cubic_has_the_known_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
