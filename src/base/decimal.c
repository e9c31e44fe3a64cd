// The C library prints a double exactly, digit by digit, which takes most of the time of writing
// results. Mostly a long double of 64 bits is exact enough to do it at once: it holds the powers of
// ten up to 10^27 without error, so s = x*10^k between 10^16 and 10^17 is wrong by less than 0.01.
//
//     s        30000000000000004.44       the digits of x = 0.1 + 0.2
//     15       300000000000000            too far from s to read back as x
//     16       3000000000000000           too far from s
//     17       30000000000000004          always reads back as x
//
// A shorter number reads back as x when it lies nearer than half the distance between x and its
// neighbours. No two numbers of 15 digits read back as one double, so the shortest of all is the
// one of 15 digits without its zeros. Where 0.01 more or less would decide, the library does.
#include "base/decimal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_POWER = 27 };
static const long double DOUBT = 0.02L;

static void drop_zeros(Decimal *d) {
    while (d->count > 1 && d->digit[d->count - 1] == '0') d->count--;
}

// --- by the library ------------------------------------------------------------------------------

// Below DBL_MIN doubles have fewer digits, and several numbers of 15 digits may read back as one.
static Decimal by_library(double x) {
    char text[40];
    int digits = x < DBL_MIN ? 1 : 15;
    for (; digits <= DECIMAL_DIGITS; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, x);
        if (strtod(text, NULL) == x) break;
    }
    Decimal d = {.exponent = atoi(strchr(text, 'e') + 1)};
    for (const char *c = text; *c != 'e'; c++)
        if (*c >= '0' && *c <= '9') d.digit[d.count++] = *c;
    drop_zeros(&d);
    return d;
}

// --- by long doubles -----------------------------------------------------------------------------

static long double scaled(long double x, int k) {
    static const long double power[LARGEST_POWER + 1] = {
        1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
        1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
        1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    return k >= 0 ? x * power[k] : x / power[-k];
}

// s is x*10^k with 17 digits before the point; false when x is out of the range of exact powers.
static bool scale(double x, int *k, long double *s) {
    *k = DECIMAL_DIGITS - 1 - (int)floor(log10(x));
    if (*k < -LARGEST_POWER || *k >= LARGEST_POWER) return false;
    *s = scaled(x, *k);
    if (*s < 1e16L) *s = scaled(x, ++*k);
    return *s >= 1e16L && *s < 1e17L - 1;
}

// The multiple of `unit` nearest to s; false when s lies too near to the middle between two.
static bool nearest_multiple(long double s, uint64_t unit, uint64_t *multiple) {
    uint64_t below = (uint64_t)s / unit * unit;
    long double rest = s - (long double)below, middle = (long double)unit / 2;
    *multiple = rest > middle ? below + unit : below;
    return fabsl(rest - middle) > DOUBT;
}

static Decimal digits_of(uint64_t whole, int k) {
    Decimal d = {.count = DECIMAL_DIGITS, .exponent = DECIMAL_DIGITS - 1 - k};
    if (whole >= 100000000000000000u) whole /= 10, d.exponent++;
    for (int i = DECIMAL_DIGITS - 1; i >= 0; i--, whole /= 10)
        d.digit[i] = (char)('0' + whole % 10);
    drop_zeros(&d);
    return d;
}

Decimal decimal_of(double x) {
    int k, power;
    long double s;
    if (LDBL_MANT_DIG < 64 || x < DBL_MIN || !scale(x, &k, &s)) return by_library(x);
    if (frexp(x, &power) == 0.5) return by_library(x); // the neighbour below is nearer
    long double half_distance = scaled(ldexpl(1, power - DBL_MANT_DIG - 1), k);
    for (uint64_t unit = 100; unit > 1; unit /= 10) {
        uint64_t candidate;
        if (!nearest_multiple(s, unit, &candidate)) return by_library(x);
        long double apart = fabsl((long double)candidate - s);
        if (fabsl(apart - half_distance) < DOUBT) return by_library(x);
        if (apart < half_distance) return digits_of(candidate, k);
    }
    uint64_t whole;
    return nearest_multiple(s, 1, &whole) ? digits_of(whole, k) : by_library(x);
}
