// What each operator does to numbers, in one place: constant folding, single evaluations and the
// virtual machine all call these, so they agree to the last bit.
#ifndef BONDYN_EXPR_KERNELS_H
#define BONDYN_EXPR_KERNELS_H

#include "expr/expr.h"
#include "expr/trig.h"
#include <math.h>

static inline double kernel_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x; }

// The smaller, the greater; NaN if either is.
static inline double kernel_min(double a, double b) { return a < b ? a : a >= b ? b : a + b; }
static inline double kernel_max(double a, double b) { return a > b ? a : a <= b ? b : a + b; }

static inline double kernel_mod(double x, double y) { return x - y * floor(x / y); }

// a^n by multiplication for small whole n: a^5 = a*(a^2)^2.
static inline double kernel_whole_power(double a, int n) {
    double result = 1;
    for (int k = n < 0 ? -n : n; k; k >>= 1, a *= a)
        if (k & 1) result *= a;
    return n < 0 ? 1 / result : result;
}

static inline double kernel_power(double a, double b) {
    if (b == 2) return a * a;
    if (b == -1) return 1 / a;
    if (b == 0.5) return sqrt(a);
    if (b == -0.5) return 1 / sqrt(a);
    if (b >= -8 && b <= 8 && b == (int)b) return kernel_whole_power(a, (int)b);
    return pow(a, b);
}

static inline double kernel(Op op, double a, double b, double c) {
    switch (op) {
    case OP_SUM: return a + b;
    case OP_PRODUCT: return a * b;
    case OP_POWER: return kernel_power(a, b);
    case OP_ABS: return fabs(a);
    case OP_SIGN: return kernel_sign(a);
    case OP_EXP: return exp(a);
    case OP_LOG: return log(a);
    case OP_SIN: return trig_sin(a);
    case OP_COS: return trig_cos(a);
    case OP_TAN: return tan(a);
    case OP_ASIN: return asin(a);
    case OP_ACOS: return acos(a);
    case OP_ATAN: return atan(a);
    case OP_SINH: return sinh(a);
    case OP_COSH: return cosh(a);
    case OP_TANH: return tanh(a);
    case OP_FLOOR: return floor(a);
    case OP_CEIL: return ceil(a);
    case OP_ATAN2: return atan2(a, b);
    case OP_MIN: return kernel_min(a, b);
    case OP_MAX: return kernel_max(a, b);
    case OP_MOD: return kernel_mod(a, b);
    case OP_LESS: return a < b;
    case OP_LESS_EQUAL: return a <= b;
    case OP_EQUAL: return a == b;
    case OP_AND: return a != 0 && b != 0;
    case OP_OR: return a != 0 || b != 0;
    case OP_NOT: return a == 0;
    case OP_IF: return a != 0 ? b : c;
    case OP_NUMBER:
    case OP_SYMBOL:
    case OP_TABLE:
    case OP_TABLE_SLOPE:
    case OP_MATRIX:
    case OP_ENTRY:
    case OP_COUNT: break; // need more than their arguments' values
    }
    return NAN;
}

#endif
