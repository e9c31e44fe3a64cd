// Pole placement. With any m x n matrix G the solution X of A X - X L = B G, where L has the wanted
// eigenvalues, gives K = G X^-1 with (A - B K) X = X L. For one input K does not depend on G; for
// more the best of a fixed list of G is taken, the one whose X is easiest to invert. Eigenvalues
// that A and L share are no obstacle: a feedback from the same list moves those of A away first.
#include "numeric/inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TRIALS = 24 };

// --- the wanted poles ----------------------------------------------------------------------------

static bool is_conjugate(const double *p, int i, int k, double size) {
    return hypot(p[2 * i] - p[2 * k], p[2 * i + 1] + p[2 * k + 1]) <= 1e-9 * size;
}

static bool is_same(const double *p, int i, int k, double size) {
    return hypot(p[2 * i] - p[2 * k], p[2 * i + 1] - p[2 * k + 1]) <= 1e-9 * size;
}

// partner[i]: the conjugate of pole i, or i itself. False: one has none.
static bool find_partners(int n, const double *p, double size, int *partner) {
    for (int i = 0; i < n; i++) partner[i] = -1;
    for (int i = 0; i < n; i++) {
        if (partner[i] >= 0) continue;
        int k = p[2 * i + 1] == 0 ? i : i + 1;
        while (k < n && k != i && (partner[k] >= 0 || !is_conjugate(p, i, k, size))) k++;
        if (k == n) return false;
        partner[i] = k;
        partner[k] = i;
    }
    return true;
}

// L: a pole, or [re im; -im re] for a pair, along the diagonal; for rates of poles its rate.
static void fill_wanted(int n, const double *p, const int *partner, double *l) {
    int at = 0;
    memset(l, 0, (size_t)n * (size_t)n * sizeof *l);
    for (int i = 0; i < n; i++) {
        if (partner[i] < i) continue;
        l[at * n + at] = p[2 * i];
        if (partner[i] > i) {
            l[(at + 1) * n + at + 1] = p[2 * i];
            l[(at + 1) * n + at] = p[2 * i + 1];
            l[at * n + at + 1] = -p[2 * i + 1];
            at++;
        }
        at++;
    }
}

static int most_often(int n, const double *p, double size) {
    int most = 0;
    for (int i = 0; i < n; i++) {
        int count = 0;
        for (int k = 0; k < n; k++) count += is_same(p, i, k, size);
        if (count > most) most = count;
    }
    return most;
}

// --- trials --------------------------------------------------------------------------------------

// Numbers between -1 and 1 that depend on where they stand alone.
static double number_at(unsigned trial, unsigned i) {
    unsigned h = trial * 2654435761u + i * 2246822519u + 374761393u;
    h = (h ^ (h >> 15)) * 2654435769u;
    h = (h ^ (h >> 13)) * 3266489917u;
    return (double)((h ^ (h >> 16)) >> 8) / 8388608.0 - 1;
}

static double inverse_condition(int n, const double *x, double *lu, int *pivot, Room room) {
    double norm = 0, rcond = 0, *work = room_take(&room, 4 * n, 1);
    int info, *iwork = room_integers(&room, n);
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += fabs(x[j * n + i]);
        norm = fmax(norm, sum);
    }
    memcpy(lu, x, (size_t)n * (size_t)n * sizeof *x);
    dgetrf_(&n, &n, lu, &n, pivot, &info);
    if (info != 0) return 0;
    dgecon_("1", &n, lu, &n, &norm, &rcond, work, iwork, &info, 1);
    return rcond;
}

typedef struct {
    int n, m;
    const double *a, *b;
    double *l;
    int *partner;
    double size;        // of what is to be moved against what B does, a power of two
    double *k, *k0, *x; // of the best trial
} Placing;

static void take_trial(const Placing *e, unsigned trial, double *k0, double *g) {
    for (int i = 0; i < e->m * e->n; i++) {
        k0[i] = trial % 2 ? e->size * number_at(trial, 2 * (unsigned)i) : 0;
        g[i] = e->size * number_at(trial / 2, 2 * (unsigned)i + 1);
    }
}

// k = G X^-1, from the factors of X.
static void divide(int n, int m, const double *g, const double *lu, const int *pivot, double *k,
                   Room room) {
    double *turned = room_take(&room, n, m);
    int info;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) turned[j * n + i] = g[i * m + j];
    dgetrs_("T", &n, &m, lu, &n, pivot, turned, &n, &info, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) k[i * m + j] = turned[j * n + i];
}

// K of one trial; gives how well X can be inverted (0: not at all).
static double try_once(const Placing *e, unsigned trial, double *k, double *k0, double *x,
                       Room room) {
    int n = e->n, m = e->m;
    double *g = room_take(&room, m, n), *c = room_take(&room, n, n);
    double *moved = room_take(&room, n, n), *minus = room_take(&room, n, n);
    double *lu = room_take(&room, n, n);
    int *pivot = room_integers(&room, n);
    take_trial(e, trial, k0, g);
    multiply('N', 'N', n, n, m, e->b, k0, c);
    for (int i = 0; i < n * n; i++) moved[i] = e->a[i] - c[i], minus[i] = -e->l[i];
    multiply('N', 'N', n, n, m, e->b, g, c);
    for (int i = 0; i < n * n; i++) c[i] = -c[i];
    if (!solve_sylvester(n, n, moved, minus, c, x, room)) return 0;
    double quality = inverse_condition(n, x, lu, pivot, room);
    if (quality == 0) return 0;
    divide(n, m, g, lu, pivot, k, room);
    for (int i = 0; i < m * n; i++) k[i] += k0[i];
    return quality;
}

// How far the poles of A - B K are from the wanted ones, against the largest.
static double misplacement(const Placing *e, const double *k, const double *p, double size,
                           Room room) {
    int n = e->n;
    double *a = room_take(&room, n, n), *re = room_take(&room, n, 1), *im = room_take(&room, n, 1);
    double worst = 0;
    multiply('N', 'N', n, n, e->m, e->b, k, a);
    for (int i = 0; i < n * n; i++) a[i] = e->a[i] - a[i];
    if (!eigenvalues(n, a, re, im, room)) return INFINITY;
    for (int i = 0; i < n; i++) {
        int best = -1;
        double nearest = INFINITY;
        for (int j = 0; j < n; j++) {
            double gap = hypot(re[j] - p[2 * i], im[j] - p[2 * i + 1]);
            if (gap < nearest) nearest = gap, best = j;
        }
        if (best >= 0) re[best] = INFINITY; // each serves once
        worst = fmax(worst, nearest);
    }
    return worst / size;
}

static double power_of_two(double x) { return x > 0 && isfinite(x) ? exp2(rint(log2(x))) : 1; }

static MatrixFault find_best(Placing *e, const double *p, Room room) {
    int n = e->n, m = e->m;
    double size = 0, *k = room_take(&room, m, n), *x = room_take(&room, n, n), best = 0;
    double *k0 = room_take(&room, m, n);
    for (int i = 0; i < n; i++) size = fmax(size, hypot(p[2 * i], p[2 * i + 1]));
    if (size == 0) size = 1;
    if (!find_partners(n, p, size, e->partner)) return MATRIX_POLE_ALONE;
    if (most_often(n, p, size) > m) return MATRIX_POLE_REPEATED;
    fill_wanted(n, p, e->partner, e->l);
    e->size = power_of_two((largest_entry(n * n, e->a) + size) / largest_entry(n * m, e->b));
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        double quality = try_once(e, trial, k, k0, x, room);
        if (quality <= 2 * best) continue;
        best = quality;
        memcpy(e->k, k, (size_t)(m * n) * sizeof *k);
        memcpy(e->k0, k0, (size_t)(m * n) * sizeof *k);
        memcpy(e->x, x, (size_t)(n * n) * sizeof *x);
    }
    if (best < 4 * DBL_EPSILON) return MATRIX_OUT_OF_REACH;
    return misplacement(e, e->k, p, size, room) < 1e-3 ? MATRIX_GOOD : MATRIX_INACCURATE;
}

static Placing open_placing(int n, int m, const double *a, const double *b, double *k, Room *room) {
    Placing e = {.n = n, .m = m, .a = a, .b = b};
    e.k = k;
    e.l = room_take(room, n, n), e.x = room_take(room, n, n), e.k0 = room_take(room, m, n);
    e.partner = room_integers(room, n);
    return e;
}

MatrixFault solve_place(int n, int m, const double *a, const double *b, const double *p, double *k,
                        Room room) {
    Placing e = open_placing(n, m, a, b, k, &room);
    return find_best(&e, p, room);
}

// With G and K0 as they are, A0 = A - B K0:
//     A0 X' - X' L = B' G + X L' - A0' X,   K' = -(K - K0) X' X^-1
MatrixFault solve_place_rate(int n, int m, const double *const in[6], double *rate, Room room) {
    double *k = room_take(&room, m, n);
    Placing e = open_placing(n, m, in[0], in[1], k, &room);
    double *c = room_take(&room, n, n), *moved = room_take(&room, n, n);
    double *minus = room_take(&room, n, n), *dx = room_take(&room, n, n);
    double *half = room_take(&room, m, n), *lu = room_take(&room, n, n);
    int *pivot = room_integers(&room, n);
    MatrixFault fault = find_best(&e, in[2], room);
    if (fault != MATRIX_GOOD) return fault;
    multiply('N', 'N', n, n, m, e.b, e.k0, c);
    for (int i = 0; i < n * n; i++) moved[i] = e.a[i] - c[i], minus[i] = -e.l[i];
    fill_wanted(n, in[5], e.partner, e.l);
    multiply('N', 'N', n, n, m, in[4], k, c); // B' G - (A' - B' K0) X = (B' K - A') X
    for (int i = 0; i < n * n; i++) c[i] = in[3][i] - c[i];
    multiply('N', 'N', n, n, n, c, e.x, dx);
    multiply('N', 'N', n, n, n, e.x, e.l, c);
    for (int i = 0; i < n * n; i++) c[i] = dx[i] - c[i];
    if (!solve_sylvester(n, n, moved, minus, c, dx, room)) return MATRIX_OUT_OF_REACH;
    for (int i = 0; i < m * n; i++) k[i] = e.k0[i] - k[i];
    multiply('N', 'N', m, n, n, k, dx, half);
    inverse_condition(n, e.x, lu, pivot, room);
    divide(n, m, half, lu, pivot, rate, room);
    return MATRIX_GOOD;
}
