// Sums: terms collected, in canonical order, a plain number first.
//
//     SUM(number, c1*rest1, c2*rest2, ...)      rest ascending by node number
//
// c*rest is PRODUCT(c, rest) with exactly these two arguments: 2*x*y and -x*y share the node x*y.
#include "expr/internal.h"

#include <float.h>
#include <math.h>

// e = number*rest. A number has rest 0; what has no value is not taken apart.
double split_number(const Dag *d, Expr e, Expr *rest) {
    *rest = e;
    if (is_undefined(d, e)) return 1;
    if (is_number(d, e)) {
        *rest = 0;
        return number_of(d, e);
    }
    if (op_of(d, e) != OP_PRODUCT || !is_number(d, args_of(d, e)[0])) return 1;
    *rest = args_of(d, e)[1];
    return number_of(d, args_of(d, e)[0]);
}

static bool product_is_exact_enough(double a, double b) { // neither overflow nor underflow
    double r = fabs(a * b);
    return isfinite(r) && (r >= DBL_MIN || a == 0 || b == 0);
}

Expr times_number(Dag *d, double by, Expr e) {
    Expr rest;
    double c = split_number(d, e, &rest);
    if (by == 1) return e;
    if (by == 0 && !is_undefined(d, e)) return expr_number(d, 0);
    if (!product_is_exact_enough(by, c))
        return intern(d, OP_PRODUCT, (Expr[]){expr_number(d, by), e}, 2);
    if (!rest) return expr_number(d, by * c);
    if (by * c == 1) return rest;
    return intern(d, OP_PRODUCT, (Expr[]){expr_number(d, by * c), rest}, 2);
}

static Expr part_term(Dag *d, const Part *p) {
    return p->key ? times_number(d, p->weight, p->key) : expr_number(d, p->weight);
}

// A sum that is zero by algebra, though its terms differ: k*(a + b) - k*a - k*b.
static bool is_zero_by_signature(const Dag *d, const Expr *term, int n) {
    Signature s = 0;
    for (int i = 0; i < n; i++) {
        if (is_undefined(d, term[i])) return false;
        s = sign_add(s, d->sign.data[term[i]]);
    }
    return s == 0;
}

Expr sum_of_parts(Dag *d, Parts *p) {
    parts_collect(d, OP_SUM, p);
    Expr result;
    if (p->count < 2) {
        result = p->count ? part_term(d, &p->data[0]) : expr_number(d, 0);
    } else {
        Expr few[24], *term = p->count > 24 ? malloc((size_t)p->count * sizeof *term) : few;
        if (!term) abort();
        for (int i = 0; i < p->count; i++) term[i] = part_term(d, &p->data[i]);
        result = is_zero_by_signature(d, term, p->count) ? expr_number(d, 0)
                                                         : intern(d, OP_SUM, term, p->count);
        if (term != few) free(term);
    }
    parts_free(p);
    return result;
}

static void add_term(const Dag *d, Parts *p, Expr term, double by) {
    Part part;
    sum_part(d, term, by, &part);
    parts_push(p, part.key, part.weight, -1);
}

Expr expr_sum(Dag *d, const Expr *terms, int n) {
    Parts p;
    parts_init(&p);
    for (int i = 0; i < n; i++) add_term(d, &p, terms[i], 1);
    return sum_of_parts(d, &p);
}

Expr expr_add(Dag *d, Expr a, Expr b) { return expr_sum(d, (Expr[]){a, b}, 2); }

Expr expr_sub(Dag *d, Expr a, Expr b) {
    Parts p;
    parts_init(&p);
    add_term(d, &p, a, 1);
    add_term(d, &p, b, -1);
    return sum_of_parts(d, &p);
}

Expr expr_neg(Dag *d, Expr a) { return times_number(d, -1, a); }

// --- sin(x)^2 + cos(x)^2 = 1
// ------------------------------------------------------------------------------------------------

static int find_part(const Parts *sorted, Expr key, double weight) {
    int low = 0, high = sorted->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted->data[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < sorted->count && sorted->data[low].key == key; low++)
        if (sorted->data[low].weight == weight) return low;
    return -1;
}

// The sines and cosines that stand at least squared in a product of products, at most `limit`.
// Below a square a plain sine will do: (k*sin(x))^2.
static int trig_squares(const Dag *d, Expr e, Expr *found, int limit) {
    enum { OPEN = 32 };
    struct {
        Expr e;
        bool squared;
    } stack[OPEN] = {{e, false}}, top;
    int depth = 1, count = 0;
    while (depth && count < limit) {
        top = stack[--depth];
        Op op = op_of(d, top.e);
        if (op == OP_SIN || op == OP_COS) {
            found[count++] = top.e;
            continue;
        }
        bool squared = top.squared || op == OP_POWER;
        int flag = squared ? FLAG_SINE : FLAG_TRIG;
        for (int i = 0; i < count_of(d, top.e) && depth < OPEN; i++) {
            Expr arg = args_of(d, top.e)[i];
            if (!has_flag(d, arg, flag)) continue;
            stack[depth].e = arg;
            stack[depth++].squared = squared;
        }
    }
    return count;
}

// k*cos(x)^2 for k*sin(x)^2 and the other way round, if there is such a node.
static Expr partner_node(const Dag *d, Expr term, Expr trig) {
    Signature x = d->sign.data[args_of(d, trig)[0]];
    Signature other = op_of(d, trig) == OP_SIN ? sign_cos(x) : sign_sin(x);
    Signature ratio = sign_multiply(other, sign_power(d->sign.data[trig], -1));
    return find_signature(d,
                          sign_multiply(d->sign.data[term], sign_multiply(ratio, ratio)));
}

// For part i = c*k*sin(x)^2: where c*k*cos(x)^2 is, and `left`: the factor sin(x).
bool trig_partner(Dag *d, const Parts *sorted, int i, int *partner, Expr *left) {
    Expr trig[8], key = sorted->data[i].key;
    if (!key || !has_flag(d, key, FLAG_TRIG) || is_undefined(d, key)) return false;
    int n = trig_squares(d, key, trig, 8);
    for (int k = 0; k < n; k++) {
        Expr other = partner_node(d, key, trig[k]);
        *partner = other && other != key ? find_part(sorted, other, sorted->data[i].weight) : -1;
        *left = trig[k];
        if (*partner >= 0) return true;
    }
    return false;
}

static bool has_two_trig_terms(const Dag *d, const Parts *p) {
    int count = 0;
    for (int i = 0; i < p->count && count < 2; i++)
        if (p->data[i].key && has_flag(d, p->data[i].key, FLAG_TRIG)) count++;
    return count == 2;
}

// Replaces each pair by what is left: c*k*sin(x)^2 / sin(x)^2. What went has weight 0.
bool pythagoras(Dag *d, Parts *p) {
    if (!has_two_trig_terms(d, p)) return false;
    Parts left;
    parts_init(&left);
    for (int i = 0; i < p->count; i++) {
        int partner;
        Expr trig;
        Part rest;
        if (p->data[i].weight == 0 || !trig_partner(d, p, i, &partner, &trig)) continue;
        Expr square = expr_pow(d, trig, expr_number(d, 2));
        sum_part(d, expr_div(d, p->data[i].key, square), p->data[i].weight, &rest);
        p->data[i].weight = p->data[partner].weight = 0;
        parts_push(&left, rest.key, rest.weight, -1);
    }
    for (int i = 0; i < left.count; i++) parts_push(p, left.data[i].key, left.data[i].weight, -1);
    bool any = left.count > 0;
    parts_free(&left);
    return any;
}
