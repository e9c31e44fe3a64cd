// Arithmetic modulo the prime p = 2^63 - 25: 2^63 = 25 makes reduction a shift and an add. (With
// the Mersenne prime 2^61 - 1, powers of two would repeat: 1 and 2^61 would look equal.)
#include "expr/signature.h"

#include <math.h>
#include <stdlib.h>

#define LOW_BITS ((UINT64_C(1) << 63) - 1)
#define PRIME    ((UINT64_C(1) << 63) - 25)

__extension__ typedef unsigned __int128 Wide;

static Signature reduce(uint64_t x) {
    x = (x & LOW_BITS) + 25 * (x >> 63);
    return x >= PRIME ? x - PRIME : x;
}

Signature sign_random(uint64_t seed) { // splitmix64
    uint64_t z = seed + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return reduce(z ^ (z >> 31));
}

Signature sign_mix(Signature a, Signature b) { return sign_random(sign_random(a) + 3 * b + 1); }

Signature sign_add(Signature a, Signature b) { return reduce(a + b); }

static Signature sign_negate(Signature a) { return a ? PRIME - a : 0; }

Signature sign_multiply(Signature a, Signature b) {
    Wide w = (Wide)a * b;                // < 2^126
    w = (w & LOW_BITS) + 25 * (w >> 63); // < 2^68
    return reduce((uint64_t)((w & LOW_BITS) + 25 * (w >> 63)));
}

static Signature square_times(Signature a, int times) { // a^(2^times)
    while (times-- > 0) a = sign_multiply(a, a);
    return a;
}

// 1/a = a^(p-2), where p - 2 = (2^58 - 1)*2^5 + 5. A power of 2^k - 1 gives that of 2^2k - 1 by k
// squarings and one product.  Zero has no inverse: a random residue keeps it from looking like 0.
static Signature inverse(Signature a) {
    static const unsigned char bits[] = {2, 3, 6, 7, 14, 28, 29, 58};
    if (a == 0) return sign_random(1);
    Signature ones = a; // a^(2^have - 1)
    int have = 1;
    for (size_t i = 0; i < sizeof bits; i++) {
        int step = bits[i] - have;
        ones = sign_multiply(square_times(ones, step), step == 1 ? a : ones);
        have = bits[i];
    }
    return sign_multiply(square_times(ones, 5), sign_multiply(square_times(a, 2), a));
}

Signature sign_power(Signature a, long n) {
    Signature result = 1;
    if (n < 0) a = inverse(a);
    for (unsigned long k = n < 0 ? 0 - (unsigned long)n : (unsigned long)n; k; k >>= 1) {
        if (k & 1) result = sign_multiply(result, a);
        if (k > 1) a = sign_multiply(a, a);
    }
    return result;
}

Signature sign_real_power(Signature a, double n) {
    double whole = floor(n), part = n - whole;
    if (fabs(whole) > 1e9) return sign_mix(a, sign_number(n));
    Signature s = sign_power(a, (long)whole);
    return part == 0 ? s : sign_multiply(s, sign_mix(a, sign_number(part)));
}

// m*2^e with 53 bits of m: exact. The inverse of 2 is (p + 1)/2.
Signature sign_number(double x) {
    if (x == 0) return 0;
    int exponent;
    uint64_t m = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
    exponent -= 53;
    Signature scale = sign_power(exponent < 0 ? (PRIME + 1) / 2 : 2, labs(exponent));
    Signature s = sign_multiply(m, scale);
    return x < 0 ? sign_negate(s) : s;
}

// t for the angle x, odd in x so that sin is odd and cos is even.
static Signature half_angle(Signature x) {
    return x <= PRIME / 2 ? sign_random(x) : sign_negate(sign_random(PRIME - x));
}

// over/(1 + t^2). As -1 is not a square modulo p, 1 + t^2 is never 0.
static Signature over_one_plus_square(Signature over, Signature t) {
    return sign_multiply(over, sign_power(sign_add(1, sign_multiply(t, t)), -1));
}

Signature sign_sin(Signature x) {
    Signature t = half_angle(x);
    return over_one_plus_square(sign_add(t, t), t);
}

Signature sign_cos(Signature x) {
    Signature t = half_angle(x);
    return over_one_plus_square(sign_add(1, sign_negate(sign_multiply(t, t))), t);
}
