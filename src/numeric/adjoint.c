// What outputs gain when inputs grow, for all inputs at once: with weights w of the outputs,
// d <w, X> / d input. One equation of the transposed kind per call:
//
//     A X + X B + C = 0     A' L + L B' + w = 0,   A: L X',  B: X' L,  C: L
#include "numeric/inside.h"

#include "base/memory.h"
#include <string.h>

typedef struct {
    int n, m;
    const double *in, *out, *weight; // row by row
    double *gain;
    Room room;
} Adjoint;

static double *columns_of(Room *room, int rows, int cols, const double *in) {
    double *a = room_take(room, rows, cols);
    from_rows(rows, cols, in, a);
    return a;
}

static double *turned(Room *room, int n, const double *a) {
    double *t = room_take(room, n, n);
    transpose_into(n, a, t);
    return t;
}

// A X = B: A' L = w, B: L, A: -L X'
static bool adjoint_solve(Adjoint *e) {
    int n = e->n, m = e->m;
    Room room = e->room;
    double *a = columns_of(&room, n, n, e->in), *at = turned(&room, n, a);
    double *l = columns_of(&room, n, m, e->weight), *x = columns_of(&room, n, m, e->out);
    if (!solve_linear(n, m, at, l, room)) return false;
    to_rows(n, m, l, e->gain + n * n);
    multiply('N', 'T', n, n, m, l, x, a);
    for (int i = 0; i < n * n; i++) a[i] = -a[i];
    to_rows(n, n, a, e->gain);
    return true;
}

// A: L X' + L' X for lyap; L A X' + L' A X for dlyap. Q: L
static bool adjoint_lyap(Adjoint *e, bool discrete) {
    int n = e->n;
    Room room = e->room;
    double *a = columns_of(&room, n, n, e->in), *at = turned(&room, n, a);
    double *w = columns_of(&room, n, n, e->weight), *x = columns_of(&room, n, n, e->out);
    double *l = room_take(&room, n, n), *one = room_take(&room, n, n),
           *two = room_take(&room, n, n);
    if (!(discrete ? solve_dlyap(n, at, w, l, room) : solve_lyap(n, at, w, l, room))) return false;
    to_rows(n, n, l, e->gain + n * n);
    multiply('N', 'T', n, n, n, discrete ? a : l, x, one);
    multiply('N', 'N', n, n, n, a, x, two);
    if (discrete) {
        multiply('N', 'N', n, n, n, l, one, w);
        multiply('T', 'N', n, n, n, l, two, one);
    } else {
        memcpy(w, one, (size_t)(n * n) * sizeof *w);
        multiply('T', 'N', n, n, n, l, x, one);
    }
    for (int i = 0; i < n * n; i++) w[i] += one[i];
    to_rows(n, n, w, e->gain);
    return true;
}

static bool adjoint_sylvester(Adjoint *e) {
    int n = e->n, m = e->m;
    Room room = e->room;
    double *a = columns_of(&room, n, n, e->in), *at = turned(&room, n, a);
    double *b = columns_of(&room, m, m, e->in + n * n), *bt = turned(&room, m, b);
    double *w = columns_of(&room, n, m, e->weight), *x = columns_of(&room, n, m, e->out);
    double *l = room_take(&room, n, m);
    if (!solve_sylvester(n, m, at, bt, w, l, room)) return false;
    multiply('N', 'T', n, n, m, l, x, a);
    multiply('T', 'N', m, m, n, x, l, b);
    to_rows(n, n, a, e->gain);
    to_rows(m, m, b, e->gain + n * n);
    to_rows(n, m, l, e->gain + n * n + m * m);
    return true;
}

// The gain K = (R + B'X B)^-1 (B'X A + S') or R^-1 (B'X + S'), m x n, and the closed loop A - B K.
static bool close_loop(const Adjoint *e, bool discrete, const double *const part[5],
                       const double *x, double *k, double *loop, Room room) {
    int n = e->n, m = e->m;
    double *bx = room_take(&room, m, n), *r = room_take(&room, m, m), *bk = room_take(&room, n, n);
    multiply('T', 'N', m, n, n, part[1], x, bx);
    memcpy(k, bx, (size_t)(m * n) * sizeof *k);
    memset(r, 0, (size_t)(m * m) * sizeof *r);
    if (discrete) {
        multiply('N', 'N', m, n, n, bx, part[0], k);
        multiply('N', 'N', m, m, n, bx, part[1], r);
    }
    for (int i = 0; i < m * m; i++) r[i] += part[3][i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) k[i * m + j] += part[4][j * n + i];
    if (!solve_linear(m, n, r, k, room)) return false;
    multiply('N', 'N', n, n, m, part[1], k, bk);
    for (int i = 0; i < n * n; i++) loop[i] = part[0][i] - bk[i];
    return true;
}

// With F = A - B K: Q: L; A: 2 X L or 2 X F L; B: -A K'; R: K L K'; S: -2 L K'. L is symmetric, as
// the weight counts by its symmetric part.
static bool adjoint_riccati(Adjoint *e, bool discrete) {
    int n = e->n, m = e->m;
    Room room = e->room;
    const int rows[5] = {n, n, n, m, n}, cols[5] = {n, m, n, m, m};
    double *part[5], *gain = e->gain;
    const double *in = e->in;
    for (int i = 0; i < 5; in += rows[i] * cols[i], i++)
        part[i] = columns_of(&room, rows[i], cols[i], in);
    const double *const given[5] = {part[0], part[1], part[2], part[3], part[4]};
    double *x = columns_of(&room, n, n, e->out), *w = columns_of(&room, n, n, e->weight);
    double *k = room_take(&room, m, n), *loop = room_take(&room, n, n), *l = room_take(&room, n, n);
    double *kl = room_take(&room, m, n), *fl = room_take(&room, n, n), *ga = room_take(&room, n, n);
    symmetrise(n, w);
    if (!close_loop(e, discrete, given, x, k, loop, room)) return false;
    if (!(discrete ? solve_dlyap(n, loop, w, l, room) : solve_lyap(n, loop, w, l, room)))
        return false;
    multiply('N', 'N', n, n, n, loop, l, fl);
    multiply('N', 'N', n, n, n, x, discrete ? fl : l, ga);
    for (int i = 0; i < n * n; i++) ga[i] *= 2;
    to_rows(n, n, ga, gain);
    multiply('N', 'T', n, m, n, ga, k, part[1]);
    for (int i = 0; i < n * m; i++) part[1][i] = -part[1][i];
    to_rows(n, m, part[1], gain += n * n);
    to_rows(n, n, l, gain += n * m);
    multiply('N', 'N', m, n, n, k, l, kl);
    multiply('N', 'T', m, m, n, kl, k, part[3]);
    to_rows(m, m, part[3], gain += n * n);
    gain += m * m;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) gain[i * m + j] = -2 * kl[i * m + j];
    return true;
}

// The upper right part of exp [A' w; 0 A'].
static bool adjoint_expm(Adjoint *e) {
    int n = e->n, two = 2 * n;
    Room room = e->room;
    double *a = room_take(&room, two, two), *x = room_take(&room, two, two);
    memset(a, 0, (size_t)two * (size_t)two * sizeof *a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i * two + j] = a[(n + i) * two + n + j] = e->in[i * n + j];
            a[(n + j) * two + i] = e->weight[i * n + j];
        }
    if (!solve_expm(two, a, x, room)) return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) e->gain[i * n + j] = x[(n + j) * two + i];
    return true;
}

// One input after the other, by its rate.
static bool adjoint_place(Adjoint *e, double *work) {
    MatrixShape s = {MATRIX_PLACE_RATE, e->n, e->m, NULL, false};
    int inputs = matrix_input_count(s) / 2, outputs = matrix_output_count(s);
    double *given = work, *rate = given + 2 * inputs;
    memcpy(given, e->in, (size_t)inputs * sizeof *given);
    memset(given + inputs, 0, (size_t)inputs * sizeof *given);
    for (int i = 0; i < inputs; i++) {
        given[inputs + i] = 1;
        MatrixFault fault = matrix_compute(s, given, rate, rate + outputs);
        given[inputs + i] = 0;
        if (fault != MATRIX_GOOD) return false;
        e->gain[i] = 0;
        for (int k = 0; k < outputs; k++) e->gain[i] += e->weight[k] * rate[k];
    }
    return true;
}

// One rate for each input.
static bool adjoint_external(const External *e, const double *in, const double *weight,
                             double *gain) {
    if (!e->rate) return false;
    int n = e->inputs, m = e->outputs;
    double *both = memory_zeroed(2 * (size_t)n + (size_t)m, sizeof *both), *rate = both + 2 * n;
    bool good = true;
    memcpy(both, in, (size_t)n * sizeof *both);
    for (int i = 0; i < n && good; i++) {
        both[n + i] = 1;
        good = e->rate->compute(e->rate, both, rate);
        both[n + i] = gain[i] = 0;
        for (int k = 0; k < m; k++) gain[i] += weight[k] == 0 ? 0 : weight[k] * rate[k];
    }
    free(both);
    return good;
}

bool matrix_adjoint(MatrixShape s, const double *in, const double *out, const double *weight,
                    double *gain, double *work) {
    Adjoint e = {s.n, s.m, in, out, weight, NULL, {work}};
    e.gain = gain;
    switch (s.function) {
    case MATRIX_SOLVE: return adjoint_solve(&e);
    case MATRIX_LYAP: return adjoint_lyap(&e, false);
    case MATRIX_DLYAP: return adjoint_lyap(&e, true);
    case MATRIX_SYLVESTER: return adjoint_sylvester(&e);
    case MATRIX_CARE: return adjoint_riccati(&e, false);
    case MATRIX_DARE: return adjoint_riccati(&e, true);
    case MATRIX_EXPM: return adjoint_expm(&e);
    case MATRIX_PLACE: return adjoint_place(&e, work);
    case MATRIX_EXTERNAL: return adjoint_external(s.external, in, weight, gain);
    case MATRIX_PLACE_RATE:
    case MATRIX_FUNCTIONS: break;
    }
    return false;
}
