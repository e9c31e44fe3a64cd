// What every unit test includes: cmocka in the order it wants, and comparisons of doubles.
#ifndef BONDYN_TESTS_TEST_H
#define BONDYN_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#define assert_near(actual, expected, tolerance)                                                   \
    do {                                                                                           \
        double actual_ = (actual), expected_ = (expected);                                         \
        if (!(fabs(actual_ - expected_) <= (tolerance)))                                           \
            fail_msg("%s = %.17g, expected %.17g within %g", #actual, actual_, expected_,          \
                     (double)(tolerance));                                                         \
    } while (0)

#endif
