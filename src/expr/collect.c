// Collecting: like terms of a sum, like bases of a product. Both are lists of (key, weight).
//
//     2*x + y - x   ->  (x, 2) (y, 1) (x, -1)   ->  (x, 1) (y, 1)
//     x^2 * y / x   ->  (x, 2) (y, 1) (x, -1)   ->  (x, 1) (y, 1)
//
// A key may be a sum inside the sum (a product inside the product). It is opened only where one of
// its terms then meets an equal one:
//
//     x - (x + y)   ->  (x, 1) (x + y, -1)      ->  (x, 1) (x, -1) (y, -1)   ->  (y, -1)
//
// otherwise it stays closed, so that shared sums stay shared and long chains stay linear. The
// search goes through a bounded number of nested terms.
#include "expr/internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    OPEN_LIMIT = 16,  // nested sums that are looked into
    TERM_LIMIT = 64,  // their terms, plus twice the number of outer terms
    COPY_LIMIT = 8,   // nested sums up to this size are copied to collect without cancelling
    EQUAL_LIMIT = 64, // terms that are compared to find equal sums in different arrangement
};

void parts_init(Parts *p) {
    p->data = p->few;
    p->count = 0;
    p->capacity = (int)(sizeof p->few / sizeof *p->few);
}

void parts_push(Parts *p, Expr key, double weight, int owner) {
    if (p->count == p->capacity) {
        bool first = p->data == p->few;
        p->data = array_grow(first ? NULL : p->data, &p->capacity, p->count + 1, sizeof *p->data);
        if (first) memcpy(p->data, p->few, sizeof p->few);
    }
    p->data[p->count++] = (Part){key, weight, owner};
}

void parts_free(Parts *p) {
    if (p->data != p->few) free(p->data);
}

// --- what a term and a factor are made of --------------------------------------------------------

void sum_part(const Dag *d, Expr term, double by, Part *part) {
    Expr rest;
    double c = split_number(d, term, &rest);
    *part = isfinite(c * by) ? (Part){rest, c * by, -1} : (Part){term, by, -1};
}

void product_part(const Dag *d, Expr factor, double by, Part *part) {
    *part = (Part){factor, by, -1};
    if (op_of(d, factor) != OP_POWER || is_undefined(d, factor)) return;
    Expr base = args_of(d, factor)[0], exponent = args_of(d, factor)[1];
    if (is_number(d, exponent)) *part = (Part){base, by * number_of(d, exponent), -1};
}

static void part_of(const Dag *d, Op op, Expr e, double by, Part *part) {
    if (op == OP_SUM)
        sum_part(d, e, by, part);
    else
        product_part(d, e, by, part);
}

// Can the part be replaced by the parts of its key? A product under a root cannot.
static bool can_open(const Dag *d, Op op, const Part *p) {
    return p->key && op_of(d, p->key) == op && !is_undefined(d, p->key) &&
           (op == OP_SUM || is_integer(p->weight));
}

// --- combining equal keys ------------------------------------------------------------------------

static int compare_parts(const void *left, const void *right) {
    const Part *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
    return (a->owner > b->owner) - (a->owner < b->owner);
}

static void sort_parts(Parts *p) {
    if (p->count > 12) {
        qsort(p->data, (size_t)p->count, sizeof *p->data, compare_parts);
        return;
    }
    for (int i = 1; i < p->count; i++) {
        Part moving = p->data[i];
        int k = i;
        for (; k > 0 && compare_parts(&p->data[k - 1], &moving) > 0; k--)
            p->data[k] = p->data[k - 1];
        p->data[k] = moving;
    }
}

static int run_end(const Parts *p, int begin) {
    int end = begin + 1;
    while (end < p->count && p->data[end].key == p->data[begin].key) end++;
    return end;
}

// The total weight of a run of equal keys. What is left of x - 49*(x/49) by rounding counts as 0;
// plain numbers keep every bit.
static double run_weight(const Parts *p, int begin, int end) {
    double total = 0, largest = 0;
    for (int i = begin; i < end; i++) {
        total += p->data[i].weight;
        largest = fmax(largest, fabs(p->data[i].weight));
    }
    bool rounding = p->data[begin].key && fabs(total) <= 4 * DBL_EPSILON * largest;
    return end - begin > 1 && rounding ? 0 : total;
}

// A key with weight 0 goes, unless it has no value: 0*(1/0) stays. Overflow is left unadded.
static void combine(const Dag *d, Parts *p) {
    sort_parts(p);
    int kept = 0;
    for (int begin = 0, end; begin < p->count; begin = end) {
        end = run_end(p, begin);
        double total = run_weight(p, begin, end);
        Expr key = p->data[begin].key;
        bool standing = key && is_undefined(d, key);
        if (!isfinite(total) || (standing && end - begin > 1))
            for (int i = begin; i < end; i++) p->data[kept++] = p->data[i];
        else if (total != 0 || standing)
            p->data[kept++] = (Part){key, total, -1};
    }
    p->count = kept;
}

// --- looking inside ------------------------------------------------------------------------------

typedef struct {
    uint64_t bit[64];
} Bloom;

static bool bloom_add(Bloom *b, Expr key) { // true when the key may have been there
    uint32_t h = (key * UINT32_C(2654435769)) >> 20;
    uint64_t bit = UINT64_C(1) << (h & 63);
    bool was = (b->bit[h >> 6] & bit) != 0;
    b->bit[h >> 6] |= bit;
    return was;
}

static bool key_seen_before(const Parts *p, int i) {
    for (int k = 0; k < i; k++)
        if (p->data[k].key == p->data[i].key) return true;
    return false;
}

// Adds the terms of nested sums, level by level, up to the limits; true if two of all keys may be
// equal, or may be sine and cosine of the same.
static bool spread_out(const Dag *d, Op op, Parts *p) {
    Bloom bloom = {{0}};
    bool meeting = false;
    int trig = 0, opened = 0, limit = 3 * p->count + TERM_LIMIT;
    for (int i = 0; i < p->count; i++) {
        bool hit = bloom_add(&bloom, p->data[i].key);
        meeting = meeting || hit;
        if (p->data[i].key && has_flag(d, p->data[i].key, FLAG_TRIG)) trig++;
        Part part = p->data[i], inner;
        if (!can_open(d, op, &part) || opened == OPEN_LIMIT) continue;
        if (p->count + count_of(d, part.key) > limit || (hit && key_seen_before(p, i))) continue;
        opened++;
        for (int k = 0; k < count_of(d, part.key); k++) {
            part_of(d, op, args_of(d, part.key)[k], part.weight, &inner);
            parts_push(p, inner.key, inner.weight, i);
        }
    }
    return meeting || (op == OP_SUM && trig > 1);
}

static void open_owners(const Parts *p, bool *open, int owner) {
    for (; owner >= 0 && !open[owner]; owner = p->data[owner].owner) open[owner] = true;
}

static bool owners_are_small(const Dag *d, const Parts *p, int owner) {
    if (owner >= 0 && d->keep_shared) return false;
    for (; owner >= 0; owner = p->data[owner].owner)
        if (count_of(d, p->data[owner].key) > COPY_LIMIT) return false;
    return true;
}

// Decides which parts are opened so that equal keys can be collected. `sorted` has places in `p` as
// owners.
static void choose_open(const Dag *d, Op op, const Parts *p, const Parts *sorted, bool *open) {
    for (int begin = 0, end; begin < sorted->count; begin = end) {
        end = run_end(sorted, begin);
        if (end - begin < 2) continue;
        bool cancels = run_weight(sorted, begin, end) == 0;
        for (int i = begin; i < end; i++) {
            int owner = p->data[sorted->data[i].owner].owner;
            if (cancels || owners_are_small(d, p, owner)) open_owners(p, open, owner);
        }
    }
    TrigPairs pairs = {0};
    if (op == OP_SUM) trig_pairs(d, p, &pairs);
    for (int i = 0; i < pairs.count; i++) {
        open_owners(p, open, p->data[pairs.data[i].first].owner);
        open_owners(p, open, p->data[pairs.data[i].second].owner);
    }
    array_free(&pairs);
}

// Owners stand before what they own: a part counts if its owner is open and counts.
static void keep_opened(Parts *p, const Parts *all, bool *open) {
    p->count = 0;
    for (int i = 0; i < all->count; i++) {
        const Part *part = &all->data[i];
        bool counts = part->owner < 0 || open[part->owner];
        if (counts && !open[i]) parts_push(p, part->key, part->weight, -1);
        open[i] = counts && open[i];
    }
}

static bool any_can_open(const Dag *d, Op op, const Parts *p) {
    for (int i = 0; i < p->count; i++)
        if (can_open(d, op, &p->data[i])) return true;
    return false;
}

static void look_inside(Dag *d, Op op, Parts *p) {
    Parts all, sorted;
    parts_init(&all);
    for (int i = 0; i < p->count; i++) parts_push(&all, p->data[i].key, p->data[i].weight, -1);
    if (spread_out(d, op, &all)) {
        parts_init(&sorted);
        for (int i = 0; i < all.count; i++)
            parts_push(&sorted, all.data[i].key, all.data[i].weight, i);
        sort_parts(&sorted);
        bool *open = calloc((size_t)all.count, sizeof *open);
        if (!open) abort();
        choose_open(d, op, &all, &sorted, open);
        keep_opened(p, &all, open);
        free(open);
        parts_free(&sorted);
    }
    parts_free(&all);
}

void parts_collect(Dag *d, Op op, Parts *p) {
    combine(d, p);
    if (any_can_open(d, op, p)) {
        look_inside(d, op, p);
        combine(d, p);
    }
    if (op == OP_SUM)
        while (pythagoras(d, p)) combine(d, p);
}

// --- equal in another arrangement ----------------------------------------------------------------

// All parts, those of nested sums in place of them. False when there are more than are compared.
static bool flatten(const Dag *d, Op op, const Expr *args, int n, Parts *p) {
    Part part;
    if (n > EQUAL_LIMIT) return false;
    for (int i = 0; i < n; i++) {
        part_of(d, op, args[i], 1, &part);
        parts_push(p, part.key, part.weight, -1);
    }
    for (int i = 0; i < p->count; i++) {
        Part nested = p->data[i];
        if (!can_open(d, op, &nested)) continue;
        if (p->count + count_of(d, nested.key) > EQUAL_LIMIT) return false;
        p->data[i] = array_last(p);
        p->count--;
        for (int k = 0; k < count_of(d, nested.key); k++) {
            part_of(d, op, args_of(d, nested.key)[k], nested.weight, &part);
            parts_push(p, part.key, part.weight, -1);
        }
        i--;
    }
    return true;
}

// Is every key of the first among those of the second? Both are sorted.
static bool all_keys_in(const Parts *a, const Parts *b) {
    int k = 0;
    for (int i = 0; i < a->count; i++) {
        while (k < b->count && b->data[k].key < a->data[i].key) k++;
        if (k == b->count || b->data[k].key != a->data[i].key) return false;
    }
    return true;
}

static bool equal_parts(const Parts *a, const Parts *b) {
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = a->data[i].key == b->data[i].key && a->data[i].weight == b->data[i].weight;
    return same;
}

// Of two with equal signatures. What cancels within the one that is there, as u in (u + x) - (u +
// y), must occur in the other too: else u would come back where it has been replaced. Signatures
// cannot tell, so sums that are too much to compare are not the same. Products are: the n pieces of
// the derivative of a long one are equal, and would all be kept.
bool same_parts(const Dag *d, Op op, Expr a, const Expr *args, int n) {
    Parts left, right;
    parts_init(&left);
    parts_init(&right);
    bool same = op == OP_PRODUCT;
    if (flatten(d, op, args_of(d, a), count_of(d, a), &left) && flatten(d, op, args, n, &right)) {
        sort_parts(&left);
        sort_parts(&right);
        same = all_keys_in(&left, &right);
        combine(d, &left);
        combine(d, &right);
        same = same && equal_parts(&left, &right);
    }
    parts_free(&left);
    parts_free(&right);
    return same;
}
