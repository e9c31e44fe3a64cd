// The C library prints a double exactly, digit by digit, which takes most of the time of writing
// results. Two facts make it faster:
//
//   - Powers of ten up to 10^27 are exact in a long double of 64 bits, so x*10^k has an error below
//     1e-19 and its nearest integer of 17 digits reads back as x.
//   - A number with 15 digits or fewer lies within half a unit of x's last bit. Where the nearest
//     15 digits lie further away, 17 are needed; otherwise the library decides.
#include "results/decimal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS = 17, LARGEST_POWER = 27 };

static void add_by_library(Text *out, double x) {
    char buffer[32];
    snprintf(buffer, sizeof buffer, "%.15g", x);
    if (isfinite(x) && strtod(buffer, NULL) != x) snprintf(buffer, sizeof buffer, "%.17g", x);
    text_add(out, buffer);
}

static long double power_of_ten(int k) {
    static const long double power[LARGEST_POWER + 1] = {
        1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
        1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
        1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    return power[k];
}

static long double scaled(long double x, int k) {
    return k >= 0 ? x * power_of_ten(k) : x / power_of_ten(-k);
}

// Digits d of |x| = d * 10^-k with 17 digits; 0 when x is out of the range of exact powers.
static uint64_t seventeen_digits(double x, int *k) {
    *k = DIGITS - 1 - (int)floor(log10(x));
    if (*k < 3 - LARGEST_POWER || *k >= LARGEST_POWER) return 0;
    long double d = scaled(x, *k);
    if (d < 1e16L) d = scaled(x, ++*k);
    uint64_t digits = (uint64_t)(d + 0.5L);
    return digits >= 10000000000000000u && digits < 100000000000000000u ? digits : 0;
}

static bool may_be_short(double x, uint64_t digits, int k) {
    uint64_t fifteen = (digits + 50) / 100;
    long double apart = scaled((long double)fifteen, 2 - k) - x;
    return fabsl(apart) <= (long double)x * 1.2e-16L;
}

static void add_digits(Text *out, bool negative, uint64_t digits, int k) {
    char digit[DIGITS], buffer[40];
    for (int i = DIGITS - 1; i >= 0; i--, digits /= 10) digit[i] = (char)('0' + digits % 10);
    int n = 0, point = DIGITS - k; // digits before the decimal point
    bool plain = point > -4 && point <= DIGITS;
    if (negative) buffer[n++] = '-';
    if (plain && point <= 0) {
        buffer[n++] = '0';
        buffer[n++] = '.';
        for (int i = point; i < 0; i++) buffer[n++] = '0';
    }
    for (int i = 0; i < DIGITS; i++) {
        if (i == (plain ? point : 1) && i > 0) buffer[n++] = '.';
        buffer[n++] = digit[i];
    }
    text_add_n(out, buffer, (size_t)n);
    if (!plain) text_printf(out, "e%+03d", point - 1);
}

void decimal_add(Text *out, double x) {
    double size = fabs(x);
    if (size < 1e6 && x == (int)x && !signbit(x)) {
        char buffer[16];
        text_add_n(out, buffer, (size_t)snprintf(buffer, sizeof buffer, "%d", (int)x));
        return;
    }
    int k = 0;
    uint64_t digits =
        LDBL_MANT_DIG >= 64 && size >= DBL_MIN && isfinite(x) ? seventeen_digits(size, &k) : 0;
    if (digits && !may_be_short(size, digits, k))
        add_digits(out, x < 0, digits, k);
    else
        add_by_library(out, x);
}
