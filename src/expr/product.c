// Products and powers: like bases collected, one number in front.
//
//     number * (base1^exponent1 * base2^exponent2 * ...)      bases ascending by node number
//
// A quotient is a product with negative exponents. A power of a product stays closed,
// 1/(m*L^2) = POWER(PRODUCT(m, L^2), -1), and is opened where a base then cancels.
#include "expr/internal.h"
#include "expr/kernels.h"

#include <float.h>

enum { SHARE_DEPTH = 3 }; // levels of nested quotients and powers that are turned round at once

static Expr power_of(Dag *d, Expr base, double exponent, int depth);

typedef struct {
    double number;
    Parts parts;
    Expr spill[4]; // numbers that would make `number` overflow; kept apart
    int spill_count;
} Product;

static void product_init(Product *p) {
    p->number = 1;
    p->spill_count = 0;
    parts_init(&p->parts);
}

static void multiply_number(Dag *d, Product *p, double c, double by) {
    double r = by < 0 ? p->number / c : p->number * c;
    bool exact_enough = isfinite(r) && (fabs(r) >= DBL_MIN || p->number == 0 || c == 0);
    if (exact_enough || p->spill_count == 4)
        p->number = r;
    else
        p->spill[p->spill_count++] = expr_number(d, by < 0 ? 1 / c : c);
}

// factor^by, where by is 1 or -1. 1/0 has no number: it goes in as it stands.
static void multiply(Dag *d, Product *p, Expr factor, double by) {
    Expr rest;
    Part part;
    double c = split_number(d, factor, &rest);
    if (by < 0 && c == 0) {
        parts_push(&p->parts, intern(d, OP_POWER, (Expr[]){factor, expr_number(d, by)}, 2), 1, -1);
        return;
    }
    if (c != 1) multiply_number(d, p, c, by);
    if (!rest) return;
    product_part(d, rest, by, &part);
    parts_push(&p->parts, part.key, part.weight, -1);
}

static Expr product_of_factors(Dag *d, const Expr *factor, int n) {
    return n == 1 ? factor[0] : intern(d, OP_PRODUCT, factor, n);
}

// Collected bases as nodes. A power may turn out to be something else (abs(x)^2 = x^2): then the
// whole is multiplied again.
static Expr rest_of_parts(Dag *d, const Parts *p, int depth) {
    Expr few[24], *factor = p->count > 24 ? malloc((size_t)p->count * sizeof *factor) : few;
    if (!factor) abort();
    bool again = false;
    for (int i = 0; i < p->count; i++) {
        const Part *part = &p->data[i];
        Expr e = factor[i] = power_of(d, part->key, part->weight, depth);
        bool plain = e == part->key || (op_of(d, e) == OP_POWER && args_of(d, e)[0] == part->key);
        again = again || !plain;
    }
    Expr result = again && depth < SHARE_DEPTH ? expr_product(d, factor, p->count)
                                               : product_of_factors(d, factor, p->count);
    if (factor != few) free(factor);
    return result;
}

static bool any_undefined(const Dag *d, const Parts *p) {
    for (int i = 0; i < p->count; i++)
        if (is_undefined(d, p->data[i].key)) return true;
    return false;
}

static Expr finish_product(Dag *d, Product *p, int depth) {
    Expr result;
    parts_collect(d, OP_PRODUCT, &p->parts);
    if (p->parts.count == 0 || (p->number == 0 && !any_undefined(d, &p->parts)))
        result = expr_number(d, p->number);
    else
        result = times_number(d, p->number, rest_of_parts(d, &p->parts, depth));
    for (int i = 0; i < p->spill_count; i++)
        result = times_number(d, number_of(d, p->spill[i]), result);
    parts_free(&p->parts);
    return result;
}

static Expr quotient(Dag *d, const Expr *over, int over_count, const Expr *under, int under_count) {
    Product p;
    product_init(&p);
    for (int i = 0; i < over_count; i++) multiply(d, &p, over[i], 1);
    for (int i = 0; i < under_count; i++) multiply(d, &p, under[i], -1);
    return finish_product(d, &p, 0);
}

Expr expr_product(Dag *d, const Expr *factors, int n) { return quotient(d, factors, n, NULL, 0); }

Expr expr_mul(Dag *d, Expr a, Expr b) { return expr_product(d, (Expr[]){a, b}, 2); }

Expr expr_div(Dag *d, Expr a, Expr b) { return quotient(d, &a, 1, &b, 1); }

// --- powers --------------------------------------------------------------------------------------

static Expr power_node(Dag *d, Expr base, double exponent) {
    return intern(d, OP_POWER, (Expr[]){base, expr_number(d, exponent)}, 2);
}

static bool is_even(double x) { return is_integer(x) && is_integer(x / 2); }

// (x^a)^b = x^(a*b) for every x where the left side has a value, when b is whole or a is not.
// For even a it is abs(x)^(a*b); for odd a and x < 0 both sides fail unless a*b is whole.
static bool power_of_power(Dag *d, Expr base, double b, int depth, Expr *result) {
    Expr x = args_of(d, base)[0], exponent = args_of(d, base)[1];
    if (!is_number(d, exponent)) {
        if (!is_integer(b)) return false;
        *result = expr_pow(d, x, times_number(d, b, exponent));
        return true;
    }
    double a = number_of(d, exponent);
    if (is_even(a) && !is_integer(b))
        x = expr_call(d, OP_ABS, &x, 1);
    else if (is_integer(a) && !is_integer(b) && is_integer(a * b))
        return false;
    *result = power_of(d, x, a * b, depth + 1);
    return true;
}

// A root that is short: sqrt(4*x) = 2*sqrt(x), while sqrt(2*x) stays.
static bool short_root(double c, double exponent, double *root) {
    *root = kernel_power(c, exponent);
    return isfinite(*root) && *root * 64 == floor(*root * 64) && *root < 1e6 &&
           kernel_power(*root, 1 / exponent) == c;
}

// (c*rest)^b = c^b * rest^b for whole b, or where c > 0 has a short root.
static bool power_of_multiple(Dag *d, double c, Expr rest, double b, int depth, Expr *result) {
    double r = kernel_power(c, b);
    if (!is_integer(b) && (c < 0 || !short_root(c, b, &r))) return false;
    if (!isfinite(r) || fabs(r) < DBL_MIN) return false;
    *result = times_number(d, r, power_of(d, rest, b, depth));
    return true;
}

static bool has_inverse_factor(const Dag *d, Expr product) {
    Part part;
    for (int i = 0; i < count_of(d, product); i++) {
        product_part(d, args_of(d, product)[i], 1, &part);
        if (part.weight < 0) return true;
    }
    return false;
}

// (p/m)^-1 = m/p: a small product with inverse factors takes the power into its factors.
static bool power_of_quotient(Dag *d, Expr base, double b, int depth, Expr *result) {
    int n = count_of(d, base);
    if (!is_integer(b) || n > 8 || !has_inverse_factor(d, base)) return false;
    Product p;
    product_init(&p);
    for (int i = 0; i < n; i++) {
        Part part;
        product_part(d, args_of(d, base)[i], b, &part);
        parts_push(&p.parts, part.key, part.weight, -1);
    }
    *result = finish_product(d, &p, depth + 1);
    return true;
}

static Expr power_of_number(Dag *d, Expr base, double exponent) {
    double value = kernel_power(number_of(d, base), exponent);
    bool vanished = fabs(value) < DBL_MIN && number_of(d, base) != 0;
    return isfinite(value) && !vanished ? expr_number(d, value) : power_node(d, base, exponent);
}

static Expr power_of(Dag *d, Expr base, double exponent, int depth) {
    Expr rest, result;
    if (exponent == 1) return base;
    if (is_undefined(d, base) || !isfinite(exponent)) return power_node(d, base, exponent);
    if (exponent == 0) return expr_number(d, 1);
    if (is_number(d, base)) return power_of_number(d, base, exponent);
    if (depth > SHARE_DEPTH) return power_node(d, base, exponent);
    double c = split_number(d, base, &rest);
    if (c != 1)
        return power_of_multiple(d, c, rest, exponent, depth, &result)
                   ? result
                   : power_node(d, base, exponent);
    switch (op_of(d, base)) {
    case OP_POWER:
        if (power_of_power(d, base, exponent, depth, &result)) return result;
        break;
    case OP_PRODUCT:
        if (power_of_quotient(d, base, exponent, depth, &result)) return result;
        break;
    case OP_EXP: {
        Expr inner = times_number(d, exponent, args_of(d, base)[0]);
        return expr_call(d, OP_EXP, &inner, 1);
    }
    case OP_ABS:
        if (is_even(exponent)) return power_of(d, args_of(d, base)[0], exponent, depth + 1);
        break;
    default: break;
    }
    return power_node(d, base, exponent);
}

Expr expr_pow(Dag *d, Expr base, Expr exponent) {
    if (is_number(d, exponent)) return power_of(d, base, number_of(d, exponent), 0);
    if (is_value(d, base, 1) && !is_undefined(d, exponent)) return base;
    if (op_of(d, base) == OP_EXP) {
        Expr inner = expr_mul(d, args_of(d, base)[0], exponent);
        return expr_call(d, OP_EXP, &inner, 1);
    }
    return intern(d, OP_POWER, (Expr[]){base, exponent}, 2);
}

Expr expr_sqrt(Dag *d, Expr a) { return power_of(d, a, 0.5, 0); }
