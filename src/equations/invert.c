// An equation turned round for one unknown by undoing operators from the outside in:
//
//     a + b*sinh(x) = 0     ->   sinh(x) = -a/b     ->   x = asinh(-a/b)
//
// An operator is undone only where its inverse is the only solution, and where an argument without
// solution gives no number (which a run reports) rather than a wrong one.
#include "equations/work.h"

#include <math.h>

typedef struct {
    Dag *d;
    ExprWalk *walk;
    Expr x;
} Inversion;

static bool contains(Inversion *v, Expr e) {
    walk_start(v->walk);
    walk_add(v->walk, e);
    return walk_seen(v->walk, v->x);
}

// The only argument that contains x, or -1.
static int only_argument(Inversion *v, Expr e) {
    int found = -1;
    for (int i = 0; i < expr_arg_count(v->d, e); i++) {
        if (!contains(v, expr_arg(v->d, e, i))) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

static Expr call1(Dag *d, Op op, Expr a) { return expr_call(d, op, &a, 1); }

// sign(y)*abs(y)^exponent
static Expr signed_power(Dag *d, Expr y, double exponent) {
    Expr power = expr_number(d, exponent), size = expr_pow(d, call1(d, OP_ABS, y), power);
    return expr_mul(d, call1(d, OP_SIGN, y), size);
}

// --- sums and products --------------------------------------------------------------------------

static bool undo_sum(Inversion *v, Expr *e, Expr *y) {
    int at = only_argument(v, *e);
    if (at < 0) return false;
    Expr inner = expr_arg(v->d, *e, at);
    *y = expr_sub(v->d, *y, expr_sub(v->d, *e, inner));
    *e = inner;
    return true;
}

// A factor of the shape u, sign(u), abs(u)^n or (1 for u alone): its exponent and parity.
static bool monomial(const Dag *d, Expr factor, Expr *u, double *exponent, bool *odd) {
    Op op = expr_op(d, factor);
    *exponent = 1;
    if (op == OP_SIGN) {
        *u = expr_arg(d, factor, 0);
        *exponent = 0;
        *odd = true;
        return true;
    }
    Expr base = factor;
    bool power = op == OP_POWER && expr_is_number(d, expr_arg(d, factor, 1), exponent);
    if (power) base = expr_arg(d, factor, 0);
    *odd = expr_op(d, base) != OP_ABS;
    *u = *odd ? base : expr_arg(d, base, 0);
    if (power && *odd) { // u^n: an integer has a parity
        if (*exponent != floor(*exponent)) return false;
        *odd = fmod(*exponent, 2) != 0;
    }
    return true;
}

// u*abs(u), sign(u)*sqrt(abs(u)), u*u^2 ...: an odd power of u with a positive exponent, times
// factors free of x. Its inverse is sign(y)*abs(y)^(1/exponent).
static bool undo_product(Inversion *v, Expr *e, Expr *y) {
    Dag *d = v->d;
    Expr common = 0, outside = expr_number(d, 1), last = 0;
    double total = 0;
    bool odd = false, powers = true;
    int inside = 0;
    for (int i = 0; i < expr_arg_count(d, *e); i++) {
        Expr factor = expr_arg(d, *e, i), u;
        double exponent;
        bool odd_factor;
        if (!contains(v, factor)) {
            outside = expr_mul(d, outside, factor);
            continue;
        }
        inside++;
        last = factor;
        if (!monomial(d, factor, &u, &exponent, &odd_factor) || (common && u != common)) {
            powers = false;
            continue;
        }
        common = u;
        total += exponent;
        odd = odd != odd_factor;
    }
    *y = expr_div(d, *y, outside);
    if (inside == 1) {
        *e = last;
        return true;
    }
    if (!powers || !odd || total <= 0) return false;
    *y = total == 1 ? *y : signed_power(d, *y, 1 / total);
    *e = common;
    return true;
}

// u^n with n an odd number or 1/odd; n^u is exp.
static bool undo_power(Inversion *v, Expr *e, Expr *y) {
    Dag *d = v->d;
    Expr base = expr_arg(d, *e, 0), exponent = expr_arg(d, *e, 1);
    double n;
    if (expr_is_number(d, exponent, &n)) {
        if (n == -1)
            *y = expr_div(d, expr_number(d, 1), *y);
        else if (n > 0 && n == floor(n) && fmod(n, 2) == 1)
            *y = signed_power(d, *y, 1 / n);
        else
            return false;
        *e = base;
        return true;
    }
    if (contains(v, base) || !expr_is_number(d, base, &n) || n <= 0 || n == 1) return false;
    Expr scale = expr_number(d, log(n));
    *y = expr_div(d, call1(d, OP_LOG, *y), scale);
    *e = exponent;
    return true;
}

// --- functions ----------------------------------------------------------------------------------

static bool undo_call(Inversion *v, Expr *e, Expr *y) {
    Dag *d = v->d;
    Expr one = expr_number(d, 1);
    switch (expr_op(d, *e)) {
    case OP_EXP: *y = call1(d, OP_LOG, *y); break;
    case OP_LOG: *y = call1(d, OP_EXP, *y); break;
    case OP_SINH: { // asinh(y) = sign(y)*log(abs(y) + sqrt(y^2 + 1)), without cancellation
        Expr root = expr_sqrt(d, expr_add(d, expr_mul(d, *y, *y), one));
        Expr size = call1(d, OP_LOG, expr_add(d, call1(d, OP_ABS, *y), root));
        *y = expr_mul(d, call1(d, OP_SIGN, *y), size);
        break;
    }
    case OP_TANH: { // atanh(y) = log((1 + y)/(1 - y))/2
        Expr under = expr_sub(d, one, *y), ratio = expr_div(d, expr_add(d, one, *y), under);
        *y = expr_scale(d, 0.5, call1(d, OP_LOG, ratio));
        break;
    }
    default: return false;
    }
    *e = expr_arg(d, *e, 0);
    return true;
}

static bool undo(Inversion *v, Expr *e, Expr *y) {
    switch (expr_op(v->d, *e)) {
    case OP_SUM: return undo_sum(v, e, y);
    case OP_PRODUCT: return undo_product(v, e, y);
    case OP_POWER: return undo_power(v, e, y);
    default: return undo_call(v, e, y);
    }
}

bool invert(Dag *d, Expr residual, Expr x, Expr *value) {
    enum { MOST_STEPS = 64 };
    Inversion v = {d, walk_new(d), x};
    Expr e = residual, y = expr_number(d, 0), coefficient, rest;
    bool going = true;
    for (int step = 0; going && e != x && step < MOST_STEPS; step++) {
        if (expr_linear_in(d, e, x, &coefficient, &rest)) {
            y = expr_div(d, expr_sub(d, y, rest), coefficient);
            e = x;
        } else
            going = undo(&v, &e, &y);
    }
    walk_free(v.walk);
    *value = y;
    return going && e == x;
}
