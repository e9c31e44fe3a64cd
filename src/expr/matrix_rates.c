// Rates of functions of matrices, made of such functions: with a dot for rates,
//
//   solve      A X = B                      A X. = B. - A. X
//   lyap       A X + X A' + Q = 0           lyap(A, A. X + X A.' + Q.)
//   dlyap      A X A' - X + Q = 0           dlyap(A, A. X A' + A X A.' + Q.)
//   sylvester  A X + X B + C = 0            sylvester(A, B, A. X + X B. + C.)
//   care       closed loop F = A - B K,     lyap(F', F.'X + X F. + W),  F. = A. - B. K
//              K = R^-1 (B'X + S')          W = Q. + K'R. K - S. K - K'S.'
//   dare       K = (R + B'X B)^-1           dlyap(F', F.'X F + F'X F. + W)
//                  (B'X A + S')
//   expm       exp [A A.; 0 A]              its upper right part
//
// The gain is where the right side is stationary, so its own rate does not count.
#include "expr/internal.h"
#include "expr/matrix.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    Dag *d;
    Arena arena;
    MatrixKind kind;
    Expr node;
    Expr *in, *rate; // inputs, their rates
} Call;

static Matrix part(Call *c, const Expr *from, int *at, int rows, int cols) {
    Matrix m = matrix_new(&c->arena, rows, cols);
    for (int i = 0; i < rows * cols; i++) m.at[i] = from[(*at)++];
    return m;
}

static Matrix result_of(Call *c, Expr matrix, int rows, int cols) {
    Matrix m = matrix_new(&c->arena, rows, cols);
    for (int i = 0; i < rows * cols; i++) m.at[i] = expr_entry(c->d, matrix, i);
    return m;
}

static Matrix product(Call *c, Matrix a, Matrix b) {
    return matrix_multiply(&c->arena, c->d, a, b);
}
static Matrix sum(Call *c, Matrix a, Matrix b) { return matrix_add(&c->arena, c->d, a, b); }
static Matrix less(Call *c, Matrix a, Matrix b) { return matrix_sub(&c->arena, c->d, a, b); }
static Matrix turn(Call *c, Matrix a) { return matrix_transpose(&c->arena, a); }

static Expr apply(Call *c, MatrixFunction f, int n, int m, const Matrix *arg, int count) {
    MatrixShape s = {f, n, m, NULL, false};
    Expr *in = ARENA_ARRAY(&c->arena, Expr, matrix_input_count(s) + 1);
    int at = 0;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < arg[k].rows * arg[k].cols; i++) in[at++] = arg[k].at[i];
    return expr_matrix(c->d, s, c->kind.pos, in);
}

static Expr solve_rate(Call *c, int n, int m) {
    int at = 0, to = 0;
    Matrix a = part(c, c->in, &at, n, n), x = result_of(c, c->node, n, m);
    Matrix da = part(c, c->rate, &to, n, n), db = part(c, c->rate, &to, n, m);
    return apply(c, MATRIX_SOLVE, n, m, (Matrix[]){a, less(c, db, product(c, da, x))}, 2);
}

static Expr lyap_rate(Call *c, int n, bool discrete) {
    int at = 0, to = 0;
    Matrix a = part(c, c->in, &at, n, n), x = result_of(c, c->node, n, n);
    Matrix da = part(c, c->rate, &to, n, n), dq = part(c, c->rate, &to, n, n), left, right;
    if (discrete) {
        left = product(c, product(c, da, x), turn(c, a));
        right = product(c, product(c, a, x), turn(c, da));
    } else {
        left = product(c, da, x);
        right = product(c, x, turn(c, da));
    }
    Matrix q = sum(c, sum(c, left, right), dq);
    return apply(c, c->kind.shape.function, n, 0, (Matrix[]){a, q}, 2);
}

static Expr sylvester_rate(Call *c, int n, int m) {
    int at = 0, to = 0;
    Matrix a = part(c, c->in, &at, n, n), b = part(c, c->in, &at, m, m);
    Matrix da = part(c, c->rate, &to, n, n), db = part(c, c->rate, &to, m, m);
    Matrix dc = part(c, c->rate, &to, n, m), x = result_of(c, c->node, n, m);
    Matrix second = product(c, x, db), q = sum(c, sum(c, product(c, da, x), second), dc);
    return apply(c, MATRIX_SYLVESTER, n, m, (Matrix[]){a, b, q}, 3);
}

static Matrix half_of_both(Call *c, Matrix a) {
    Expr half = expr_number(c->d, 0.5);
    return matrix_scale(&c->arena, c->d, sum(c, a, turn(c, a)), half);
}

static Expr riccati_rate(Call *c, int n, int m, bool discrete) {
    int at = 0, to = 0;
    Matrix a = part(c, c->in, &at, n, n), b = part(c, c->in, &at, n, m);
    part(c, c->in, &at, n, n);
    Matrix r = part(c, c->in, &at, m, m), s = part(c, c->in, &at, n, m);
    Matrix da = part(c, c->rate, &to, n, n), db = part(c, c->rate, &to, n, m);
    Matrix dq = part(c, c->rate, &to, n, n), dr = part(c, c->rate, &to, m, m);
    Matrix ds = part(c, c->rate, &to, n, m), x = result_of(c, c->node, n, n);
    Matrix bx = product(c, turn(c, b), x), right = discrete ? product(c, bx, a) : bx;
    Matrix under = discrete ? sum(c, r, product(c, bx, b)) : r;
    Matrix k = result_of(
        c, apply(c, MATRIX_SOLVE, m, n, (Matrix[]){under, sum(c, right, turn(c, s))}, 2), m, n);
    Matrix f = less(c, a, product(c, b, k)), df = less(c, da, product(c, db, k));
    Matrix kt = turn(c, k), dsk = product(c, ds, k);
    Matrix of_effort = product(c, kt, product(c, half_of_both(c, dr), k));
    Matrix w = sum(c, half_of_both(c, dq), of_effort);
    w = less(c, w, sum(c, dsk, turn(c, dsk)));
    Matrix xf = product(c, x, df);
    if (discrete) xf = product(c, turn(c, f), xf);
    w = sum(c, w, sum(c, xf, turn(c, xf)));
    return apply(c, discrete ? MATRIX_DLYAP : MATRIX_LYAP, n, 0, (Matrix[]){turn(c, f), w}, 2);
}

static Expr expm_rate(Call *c, int n) {
    Matrix block = matrix_new(&c->arena, 2 * n, 2 * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            MATRIX_AT(block, i, j) = MATRIX_AT(block, n + i, n + j) = c->in[i * n + j];
            MATRIX_AT(block, i, n + j) = c->rate[i * n + j];
            MATRIX_AT(block, n + i, j) = expr_number(c->d, 0);
        }
    return apply(c, MATRIX_EXPM, 2 * n, 0, &block, 1);
}

static Expr place_rate(Call *c, int n, int m) {
    int count = matrix_input_count(c->kind.shape), at = 0, to = 0;
    Matrix given = part(c, c->in, &at, count, 1), rates = part(c, c->rate, &to, count, 1);
    return apply(c, MATRIX_PLACE_RATE, n, m, (Matrix[]){given, rates}, 2);
}

// The rates of all outputs. If the function comes without a rate, they are NaN.
static Expr external_rate(Call *c) {
    const External *e = c->kind.shape.external;
    Expr *in = ARENA_ARRAY(&c->arena, Expr, 2 * (size_t)e->inputs + 1);
    for (int i = 0; i < e->inputs; i++) {
        in[i] = e->rate ? c->in[i] : expr_number(c->d, (double)NAN);
        in[e->inputs + i] = c->rate[i];
    }
    const External *rate = e->rate ? e->rate : e;
    return expr_matrix(c->d,
                       (MatrixShape){MATRIX_EXTERNAL, rate->inputs, rate->outputs, rate, false},
                       c->kind.pos, in);
}

// The second derivative of place does not exist: its value is NaN, and whoever evaluates it gets a
// message.
static Expr no_rate(Call *c) {
    int count = matrix_input_count(c->kind.shape);
    Matrix none = matrix_new(&c->arena, count, 1);
    for (int i = 0; i < count; i++) none.at[i] = expr_number(c->d, (double)NAN);
    return apply(c, c->kind.shape.function, c->kind.shape.n, c->kind.shape.m, &none, 1);
}

static Expr rate_by_function(Call *c) {
    int n = c->kind.shape.n, m = c->kind.shape.m;
    switch (c->kind.shape.function) {
    case MATRIX_SOLVE: return solve_rate(c, n, m);
    case MATRIX_LYAP: return lyap_rate(c, n, false);
    case MATRIX_DLYAP: return lyap_rate(c, n, true);
    case MATRIX_SYLVESTER: return sylvester_rate(c, n, m);
    case MATRIX_CARE: return riccati_rate(c, n, m, false);
    case MATRIX_DARE: return riccati_rate(c, n, m, true);
    case MATRIX_EXPM: return expm_rate(c, n);
    case MATRIX_PLACE: return place_rate(c, n, m);
    case MATRIX_EXTERNAL: return external_rate(c);
    case MATRIX_PLACE_RATE:
    case MATRIX_FUNCTIONS: break;
    }
    return no_rate(c);
}

Expr matrix_rate(Dag *d, Expr matrix, const Expr *rate) {
    Call c = {.d = d, .kind = *expr_matrix_kind(d, matrix), .node = matrix};
    int inputs = matrix_input_count(c.kind.shape);
    c.in = ARENA_ARRAY(&c.arena, Expr, inputs + 1);
    c.rate = ARENA_ARRAY(&c.arena, Expr, inputs + 1);
    Expr zero = expr_number(d, 0);
    for (int i = 0; i < inputs; i++) {
        c.in[i] = args_of(d, matrix)[1 + i];
        c.rate[i] = rate[i] ? rate[i] : zero;
    }
    Expr result = rate_by_function(&c);
    arena_free(&c.arena);
    return result;
}

Expr entry_rate(Dag *d, Expr entry, Expr rate) {
    if (!rate) return expr_number(d, 0);
    Expr matrix = args_of(d, entry)[0];
    int number = (int)number_of(d, args_of(d, entry)[1]);
    MatrixShape s = expr_matrix_kind(d, matrix)->shape;
    if (s.function == MATRIX_EXPM) number = number / s.n * 2 * s.n + s.n + number % s.n;
    return expr_entry(d, rate, number);
}
