// See squares.h. Completing squares is elimination with a symmetric matrix R, rest = f' R f / 2:
//
//     rest = R_ii (f_i + sum over j of R_ij/R_ii f_j)^2 / 2 + what is left without f_i
//
// Pivots without coordinates come first: their inertia is constant. A pivot with coordinates, such
// as m1 + m2 sin(q)^2, falls into terms c g(q)^2, an inertia c behind a transformer g each. Where
// this fails too the inertia is 1 and sqrt(R_ii) goes into the transformers.
#include "mech/squares.h"

#include "base/array.h"
#include "expr/matrix.h"
#include <math.h>

typedef struct {
    const Flows *w;
    Dag *d;
    ARRAY(Square) list;
    ARRAY(Expr) open; // terms to be looked at
    bool *done;       // flows that are eliminated
} Finding;

// --- looking at expressions ----------------------------------------------------------------------

static bool depends_on(const Flows *w, Expr e, const Expr *symbol) {
    int count = symbol == w->q ? w->nq : w->n;
    for (int i = 0; i < count; i++)
        if (expr_depends(w->d, e, symbol[i])) return true;
    return false;
}

static bool is_zero(const Flows *w, Expr e) {
    double x;
    return expr_is_number(w->d, e, &x) && x == 0;
}

static double number_of(const Flows *w, Expr e) { return expr_evaluate(w->d, e, w->value); }

static void add_square(Finding *k, Expr inertia, const Expr *slope) {
    array_push(&k->list, ((Square){inertia, slope}));
}

// e = c g(q)^2 with c of parameters alone?
static bool as_square(const Flows *w, Expr e, Expr *c, Expr *g) {
    Dag *d = w->d;
    Expr list[16];
    int count = 0, most = (int)(sizeof list / sizeof list[0]);
    *c = *g = expr_number(d, 1);
    list[count++] = e;
    while (count) {
        Expr x = list[--count];
        double power;
        if (!depends_on(w, x, w->q)) {
            *c = expr_mul(d, *c, x);
        } else if (expr_op(d, x) == OP_PRODUCT && count + expr_arg_count(d, x) <= most) {
            for (int i = 0; i < expr_arg_count(d, x); i++) list[count++] = expr_arg(d, x, i);
        } else if (expr_op(d, x) == OP_POWER && expr_is_number(d, expr_arg(d, x, 1), &power) &&
                   fmod(power, 2) == 0) {
            *g = expr_mul(d, *g, expr_pow(d, expr_arg(d, x, 0), expr_number(d, power / 2)));
        } else {
            return false;
        }
    }
    return true;
}

// --- squares that are written --------------------------------------------------------------------

// base = slope . f?
static Expr *slopes_of(const Flows *w, Expr base, Expr factor) {
    Expr *slope = ARENA_ARRAY(w->out, Expr, w->n), left = base;
    for (int i = 0; i < w->n; i++) {
        Expr a;
        if (!expr_linear_in(w->d, left, w->f[i], &a, &left) || depends_on(w, a, w->f)) return NULL;
        slope[i] = expr_mul(w->d, factor, a);
    }
    return is_zero(w, left) ? slope : NULL;
}

// term = (something without flows) * (sum of flows)^2?
static bool take_square(Finding *k, Expr term) {
    const Flows *w = k->w;
    Dag *d = k->d;
    Expr rest = expr_number(d, 1), base = 0, c, g, list[16];
    int count = 0, most = (int)(sizeof list / sizeof list[0]);
    list[count++] = term;
    while (count) {
        Expr x = list[--count];
        double power;
        if (!depends_on(w, x, w->f)) {
            rest = expr_mul(d, rest, x);
        } else if (expr_op(d, x) == OP_PRODUCT && count + expr_arg_count(d, x) <= most) {
            for (int i = 0; i < expr_arg_count(d, x); i++) list[count++] = expr_arg(d, x, i);
        } else if (!base && expr_op(d, x) == OP_POWER &&
                   expr_is_number(d, expr_arg(d, x, 1), &power) && power == 2) {
            base = expr_arg(d, x, 0);
        } else {
            return false;
        }
    }
    if (!base || !as_square(w, rest, &c, &g) || !(number_of(w, c) > 0)) return false;
    Expr *slope = slopes_of(w, base, g);
    if (slope) add_square(k, expr_mul(d, expr_number(d, 2), c), slope);
    return slope != NULL;
}

// term = rest * (a + b + ...), the sum with flows: where the sum is; -1: not of this kind.
static int find_sum(const Flows *w, Expr term) {
    int found = -1;
    if (expr_op(w->d, term) != OP_PRODUCT) return -1;
    for (int i = 0; i < expr_arg_count(w->d, term); i++) {
        Expr x = expr_arg(w->d, term, i);
        if (!depends_on(w, x, w->f)) continue;
        if (found >= 0 || expr_op(w->d, x) == OP_POWER) return -1;
        found = i;
    }
    return found;
}

// The terms of a sum, each times `factor`.
static void push_terms(Finding *k, Expr sum, Expr factor) {
    for (int i = 0; i < expr_arg_count(k->d, sum); i++)
        array_push(&k->open, expr_mul(k->d, factor, expr_arg(k->d, sum, i)));
}

// What is not written as a square. Sums of squares may stand in brackets: m*(v.x^2 + v.y^2)/2.
static Expr take_written(Finding *k, Expr T) {
    Dag *d = k->d;
    Expr rest = expr_number(d, 0);
    array_push(&k->open, T);
    while (k->open.count) {
        Expr term = array_pop(&k->open);
        Expr one = expr_number(d, 1), inner = term, factor = one;
        for (int at; (at = find_sum(k->w, inner)) >= 0;) { // down to the bracket
            for (int i = 0; i < expr_arg_count(d, inner); i++)
                if (i != at) factor = expr_mul(d, factor, expr_arg(d, inner, i));
            inner = expr_arg(d, inner, at);
        }
        if (expr_op(d, inner) == OP_SUM)
            push_terms(k, inner, factor);
        else if (!take_square(k, term))
            rest = expr_add(d, rest, term);
    }
    return rest;
}

// --- squares that are completed ------------------------------------------------------------------

// c (1 - cos(x)^2) and the like: powers of cosines that are taken away become sines.
static Expr without_minus(const Flows *w, Expr e) {
    Dag *d = w->d;
    if (expr_op(d, e) != OP_SUM) return e;
    Expr sum = expr_number(d, 0);
    for (int i = 0; i < expr_arg_count(d, e); i++) {
        Expr term = expr_arg(d, e, i), c, g;
        bool square = depends_on(w, term, w->q) && as_square(w, term, &c, &g);
        Op op = square ? expr_op(d, g) : OP_NUMBER;
        if ((op == OP_COS || op == OP_SIN) && number_of(w, c) < 0) {
            Expr angle = expr_arg(d, g, 0);
            Expr other = expr_call(d, op == OP_COS ? OP_SIN : OP_COS, &angle, 1);
            Expr less = expr_mul(d, c, expr_mul(d, other, other));
            sum = expr_sub(d, expr_add(d, sum, c), less);
        } else {
            sum = expr_add(d, sum, term);
        }
    }
    return sum;
}

// The slopes of (f_i + sum R_ij/R_ii f_j), times `factor`; j over what is left.
static Expr *row_slopes(Finding *k, Matrix R, int i, Expr factor) {
    Dag *d = k->d;
    Expr *slope = ARENA_ARRAY(k->w->out, Expr, R.rows);
    for (int j = 0; j < R.rows; j++) {
        Expr ratio = expr_div(d, MATRIX_AT(R, i, j), MATRIX_AT(R, i, i));
        slope[j] = j == i ? factor : k->done[j] ? expr_number(d, 0) : expr_mul(d, factor, ratio);
    }
    return slope;
}

// A pivot that changes with coordinates as a sum of terms c g^2, all positive.
static bool take_terms(Finding *k, Matrix R, int i) {
    Dag *d = k->d;
    Expr pivot = without_minus(k->w, MATRIX_AT(R, i, i));
    int before = k->list.count, terms = expr_op(d, pivot) == OP_SUM ? expr_arg_count(d, pivot) : 1;
    for (int t = 0; t < terms; t++) {
        Expr term = expr_op(d, pivot) == OP_SUM ? expr_arg(d, pivot, t) : pivot, c, g;
        if (!as_square(k->w, term, &c, &g) || !(number_of(k->w, c) > 0)) {
            k->list.count = before;
            return false;
        }
        add_square(k, c, row_slopes(k, R, i, g));
    }
    return true;
}

// The row to take next: a constant pivot, or else the first that there is; -1: nothing is left.
static int next_row(const Finding *k, Matrix R, SquareForm form) {
    int found = -1;
    for (int i = 0; i < R.rows; i++) {
        if (k->done[i] || is_zero(k->w, MATRIX_AT(R, i, i))) continue;
        if (form == SQUARES_CONSTANT && !depends_on(k->w, MATRIX_AT(R, i, i), k->w->q)) return i;
        if (found < 0) found = i;
    }
    return found;
}

static void eliminate(Finding *k, Matrix R, int i) {
    Dag *d = k->d;
    for (int a = 0; a < R.rows; a++)
        for (int b = 0; b < R.rows; b++) {
            if (k->done[a] || k->done[b]) continue;
            Expr share = expr_div(d, expr_mul(d, MATRIX_AT(R, a, i), MATRIX_AT(R, i, b)),
                                  MATRIX_AT(R, i, i));
            MATRIX_AT(R, a, b) = expr_sub(d, MATRIX_AT(R, a, b), share);
        }
}

// False: a pivot is not positive here.
static bool complete(Finding *k, Matrix R, SquareForm form) {
    const Flows *w = k->w;
    k->done = ARENA_ARRAY(w->out, bool, w->n);
    for (int i; (i = next_row(k, R, form)) >= 0;) {
        Expr pivot = MATRIX_AT(R, i, i);
        bool constant = form == SQUARES_CONSTANT && !depends_on(w, pivot, w->q);
        if (!(number_of(w, pivot) >= 0)) return false;
        k->done[i] = true;
        if (constant)
            add_square(k, pivot, row_slopes(k, R, i, expr_number(k->d, 1)));
        else if (form == SQUARES_UNIT || !take_terms(k, R, i))
            add_square(k, w->unit[i],
                       row_slopes(k, R, i, expr_sqrt(k->d, expr_div(k->d, pivot, w->unit[i]))));
        eliminate(k, R, i);
    }
    return true;
}

static Matrix second_slopes(const Flows *w, Expr rest) {
    Matrix R = matrix_new(w->out, w->n, w->n);
    for (int i = 0; i < w->n; i++)
        for (int j = 0; j < w->n; j++)
            MATRIX_AT(R, i, j) =
                expr_derivative(w->d, expr_derivative(w->d, rest, w->f[i]), w->f[j]);
    return R;
}

// --- the whole -----------------------------------------------------------------------------------

// Do the squares add up to the energy, at some velocities?
static bool add_up(const Finding *k, Expr T) {
    const Flows *w = k->w;
    for (int trial = 0; trial < 3; trial++) {
        double sum = 0;
        for (int i = 0; i < w->n; i++)
            w->value[expr_symbol_index(w->d, w->f[i])] = sin(1 + 3 * i + 7 * trial);
        double whole = number_of(w, T);
        for (int s = 0; s < k->list.count; s++) {
            const Square *x = &k->list.data[s];
            double flow = 0;
            for (int i = 0; i < w->n; i++)
                flow += number_of(w, x->slope[i]) * sin(1 + 3 * i + 7 * trial);
            sum += number_of(w, x->inertia) * flow * flow / 2;
        }
        if (!(fabs(sum - whole) <= 1e-9 * fabs(whole))) return false;
    }
    return true;
}

static bool find_with(Finding *k, Expr T, SquareForm form, bool written) {
    k->list.count = 0;
    Expr rest = written ? take_written(k, T) : T;
    Matrix R = second_slopes(k->w, rest);
    for (int i = 0; i < R.rows * R.cols; i++)
        if (depends_on(k->w, R.at[i], k->w->f)) return false;
    return complete(k, R, form) && add_up(k, T);
}

bool squares_find(const Flows *w, Expr T, SquareForm form, Squares *out) {
    Finding k = {.w = w, .d = w->d};
    bool good = (form == SQUARES_CONSTANT && find_with(&k, T, form, true)) ||
                find_with(&k, T, form, false) || find_with(&k, T, SQUARES_UNIT, false);
    *out = (Squares){ARENA_ARRAY(w->out, Square, k.list.count), good ? k.list.count : 0};
    for (int i = 0; k.list.data && i < out->count; i++) out->at[i] = k.list.data[i];
    array_free(&k.list);
    array_free(&k.open);
    return good;
}
