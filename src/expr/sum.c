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

// Frees the parts.
static Expr sum_of_parts(Dag *d, Parts *p) {
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

Expr expr_scale(Dag *d, double factor, Expr a) { return expr_mul(d, expr_number(d, factor), a); }

Expr expr_products_add(Dag *d, Expr a, Expr b, Expr x, Expr y) {
    Expr second = expr_mul(d, x, y);
    return expr_add(d, expr_mul(d, a, b), second);
}

Expr expr_products_subtract(Dag *d, Expr a, Expr b, Expr x, Expr y) {
    Expr second = expr_mul(d, x, y);
    return expr_sub(d, expr_mul(d, a, b), second);
}

// --- sin(x)^2 + cos(x)^2 = 1 ---------------------------------------------------------------------

static bool is_trig_part(const Dag *d, const Part *p) {
    return p->key && has_flag(d, p->key, FLAG_TRIG) && !is_undefined(d, p->key);
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

// The signature of k*cos(x)^2 for the term k*sin(x)^2, and the other way round.
static Signature partner_signature(const Dag *d, Expr term, Expr trig) {
    Signature x = d->sign.data[args_of(d, trig)[0]];
    Signature other = op_of(d, trig) == OP_SIN ? sign_cos(x) : sign_sin(x);
    Signature ratio = sign_multiply(other, sign_power(d->sign.data[trig], -1));
    return sign_multiply(d->sign.data[term], sign_multiply(ratio, ratio));
}

typedef struct {
    Signature sign;
    int part;
} Signed;

static int compare_signed(const void *left, const void *right) {
    const Signed *a = left, *b = right;
    if (a->sign != b->sign) return a->sign < b->sign ? -1 : 1;
    return (a->part > b->part) - (a->part < b->part);
}

// The parts with squares of sine or cosine, sorted by signature; NULL when there are less than two.
static Signed *trig_parts(const Dag *d, const Parts *p, int *count) {
    int n = 0;
    for (int i = 0; i < p->count; i++) n += is_trig_part(d, &p->data[i]);
    *count = n;
    if (n < 2) return NULL;
    Signed *list = malloc((size_t)n * sizeof *list);
    if (!list) abort();
    for (int i = 0, k = 0; i < p->count; i++)
        if (is_trig_part(d, &p->data[i])) list[k++] = (Signed){d->sign.data[p->data[i].key], i};
    qsort(list, (size_t)n, sizeof *list, compare_signed);
    return list;
}

// A part with this signature and weight that is in no pair yet, or -1.
static int find_partner(const Parts *p, const Signed *list, int n, Signature sign, double weight,
                        const bool *taken) {
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (list[middle].sign < sign)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n && list[low].sign == sign; low++)
        if (p->data[list[low].part].weight == weight && !taken[list[low].part])
            return list[low].part;
    return -1;
}

void trig_pairs(const Dag *d, const Parts *p, TrigPairs *pairs) {
    int n;
    Signed *list = trig_parts(d, p, &n);
    if (!list) return;
    bool *taken = calloc((size_t)p->count, sizeof *taken);
    if (!taken) abort();
    for (int i = 0; i < p->count; i++) {
        if (!is_trig_part(d, &p->data[i]) || taken[i]) continue;
        Expr trig[8], key = p->data[i].key;
        int squares = trig_squares(d, key, trig, 8), partner = -1;
        for (int k = 0; k < squares && partner < 0; k++) {
            Signature other = partner_signature(d, key, trig[k]);
            partner = find_partner(p, list, n, other, p->data[i].weight, taken);
            if (partner < 0 || partner == i) continue;
            array_push(pairs, ((TrigPair){i, partner, trig[k]}));
            taken[i] = taken[partner] = true;
        }
    }
    free(taken);
    free(list);
}

// Replaces each pair by what is left: c*k*sin(x)^2 / sin(x)^2. What went has weight 0.
bool pythagoras(Dag *d, Parts *p) {
    TrigPairs pairs = {0};
    trig_pairs(d, p, &pairs);
    for (int i = 0; i < pairs.count; i++) {
        Part *first = &p->data[pairs.data[i].first], left;
        Expr square = expr_pow(d, pairs.data[i].trig, expr_number(d, 2));
        sum_part(d, expr_div(d, first->key, square), first->weight, &left);
        first->weight = p->data[pairs.data[i].second].weight = 0;
        parts_push(p, left.key, left.weight, -1);
    }
    bool any = pairs.count > 0;
    array_free(&pairs);
    return any;
}
