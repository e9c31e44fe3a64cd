// Riccati equations by invariant subspaces: the stable vectors of the Hamiltonian matrix, ordered to
// the front of its real Schur form, are [U1; U2], and X = U2 U1^-1 (Laub). Repeated roots are
// nothing special there. Newton's method then takes back what rounding did.
//
//     H = |  F  -G |    F = A - B R^-1 S',  G = B R^-1 B',  W = Q - S R^-1 S'
//         | -W  -F'|
//
// Units of states differ by many decades, so H is first balanced by T = diag(d, 1/d), which keeps
// it Hamiltonian: Y = D X D. The discrete one takes the pencil |F 0; -W 1| - z |1 G; 0 F'|.
#include "numeric/inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
    int n, m;
    const double *a, *b, *q, *r, *s;
    double *f, *g, *w; // as above
    double *chol;      // factors of R
} Riccati;

// F, G and W; false: R is not positive.
static bool reduce(Riccati *e, Room room) {
    int n = e->n, m = e->m, info;
    size_t square = (size_t)n * (size_t)n;
    double *bt = room_take(&room, m, n), *st = room_take(&room, m, n);
    memcpy(e->chol, e->r, (size_t)m * (size_t)m * sizeof *e->r);
    dpotrf_("L", &m, e->chol, &m, &info, 1);
    if (info != 0) return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            bt[i * m + j] = e->b[j * n + i];
            st[i * m + j] = e->s[j * n + i];
        }
    dpotrs_("L", &m, &n, e->chol, &m, bt, &m, &info, 1); // R^-1 B'
    dpotrs_("L", &m, &n, e->chol, &m, st, &m, &info, 1); // R^-1 S'
    multiply('N', 'N', n, n, m, e->b, bt, e->g);
    multiply('N', 'N', n, n, m, e->b, st, e->f);
    multiply('N', 'N', n, n, m, e->s, st, e->w);
    for (size_t i = 0; i < square; i++) {
        e->f[i] = e->a[i] - e->f[i];
        e->w[i] = e->q[i] - e->w[i];
    }
    symmetrise(n, e->g);
    symmetrise(n, e->w);
    return true;
}

// --- balance -------------------------------------------------------------------------------------

// What grows with d_i, and what falls: column i and row n + i of H, row i and column n + i.
static void sizes_beside(const Riccati *e, const double *d, int i, double *grows, double *falls) {
    int n = e->n;
    *grows = *falls = 0;
    for (int j = 0; j < n; j++) {
        *grows += fabs(e->w[i * n + j]) * d[i] * d[j];
        *falls += fabs(e->g[i * n + j]) / (d[i] * d[j]);
        if (j == i) continue;
        *grows += fabs(e->f[i * n + j]) * d[i] / d[j];
        *falls += fabs(e->f[j * n + i]) * d[j] / d[i];
    }
}

// Powers of two: nothing is rounded.
static void balance(const Riccati *e, double *d) {
    for (int i = 0; i < e->n; i++) d[i] = 1;
    for (int round = 0; round < 40; round++) {
        bool changed = false;
        for (int i = 0; i < e->n; i++) {
            double grows, falls;
            sizes_beside(e, d, i, &grows, &falls);
            double power = grows > 0 && falls > 0 ? trunc(0.5 * log2(falls / grows) * 0.9) : 0;
            changed = changed || power != 0;
            d[i] = ldexp(d[i], (int)power);
        }
        if (!changed) break;
    }
}

// F, G and W of the balanced equation, in place.
static void scale(Riccati *e, const double *d) {
    int n = e->n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            e->f[j * n + i] *= d[j] / d[i];
            e->g[j * n + i] /= d[i] * d[j];
            e->w[j * n + i] *= d[i] * d[j];
        }
}

// --- the continuous equation ---------------------------------------------------------------------

static int is_stable(const double *re, const double *im) {
    (void)im;
    return *re < 0;
}

// X = U2 U1^-1 from the first n columns of u (2n x 2n).
static bool quotient_of(int n, const double *u, double *x, Room room) {
    double *u1 = room_take(&room, n, n), *u2 = room_take(&room, n, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            u1[i * n + j] = u[j * 2 * n + i]; // transposed: U1' X' = U2'
            u2[i * n + j] = u[j * 2 * n + n + i];
        }
    if (!solve_linear(n, n, u1, u2, room)) return false;
    transpose_into(n, u2, x);
    symmetrise(n, x);
    return all_finite(n * n, x);
}

static bool stable_subspace(const Riccati *e, double *x, Room room) {
    int n = e->n, two = 2 * n, info, sdim, lwork = 8 * two + 16;
    double *h = room_take(&room, two, two), *u = room_take(&room, two, two);
    double *wr = room_take(&room, two, 1), *wi = room_take(&room, two, 1);
    double *work = room_take(&room, lwork, 1);
    int *bwork = room_integers(&room, two);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            h[j * two + i] = e->f[j * n + i];
            h[(n + j) * two + i] = -e->g[j * n + i];
            h[j * two + n + i] = -e->w[j * n + i];
            h[(n + j) * two + n + i] = -e->f[i * n + j];
        }
    dgees_("V", "S", is_stable, &two, h, &two, &sdim, wr, wi, u, &two, work, &lwork, bwork, &info,
           1, 1);
    // two beyond n: an ordering that moved an eigenvalue over the boundary by rounding
    return (info == 0 || info == two + 2) && sdim == n && quotient_of(n, u, x, room);
}

// What the equation leaves, and the closed loop F - G X.
static bool care_residual(const Riccati *e, const double *x, double *left, double *loop,
                          Room room) {
    int n = e->n;
    double *gx = room_take(&room, n, n), *xf = room_take(&room, n, n);
    multiply('N', 'N', n, n, n, e->g, x, gx);
    for (int i = 0; i < n * n; i++) loop[i] = e->f[i] - gx[i];
    // F'X + X F - X G X = X loop + F'X
    multiply('N', 'N', n, n, n, x, loop, left);
    multiply('T', 'N', n, n, n, e->f, x, xf);
    for (int i = 0; i < n * n; i++) left[i] += xf[i] + e->w[i];
    symmetrise(n, left);
    return true;
}

static bool loop_is_stable(int n, const double *loop, bool discrete, Room room) {
    double *a = room_take(&room, n, n), *re = room_take(&room, n, 1), *im = room_take(&room, n, 1);
    memcpy(a, loop, (size_t)n * (size_t)n * sizeof *a);
    if (!eigenvalues(n, a, re, im, room)) return false;
    for (int i = 0; i < n; i++)
        if (discrete ? hypot(re[i], im[i]) >= 1 : re[i] >= 0) return false;
    return true;
}

typedef bool (*Residual)(const Riccati *e, const double *x, double *left, double *loop, Room room);
typedef bool (*StepEquation)(int n, const double *a, const double *q, double *x, Room room);

// Newton's steps as long as they make the residual smaller; at most a few are of use.
static void refine(const Riccati *e, Residual residual, StepEquation solve, double *x, Room room) {
    int n = e->n;
    double *left = room_take(&room, n, n), *loop = room_take(&room, n, n);
    double *turned = room_take(&room, n, n), *step = room_take(&room, n, n);
    double *next = room_take(&room, n, n), before = INFINITY;
    for (int round = 0; round < 6; round++) {
        if (!residual(e, round ? next : x, left, loop, room)) break;
        double size = largest_entry(n * n, left);
        if (round && !(size < before)) break; // what was before stays
        if (round) memcpy(x, next, (size_t)n * (size_t)n * sizeof *x);
        if (!(size < 0.5 * before)) break;
        before = size;
        transpose_into(n, loop, turned);
        if (!solve(n, turned, left, step, room)) break;
        for (int i = 0; i < n * n; i++) next[i] = x[i] + step[i];
    }
}

// A mode that no weight sees or no input reaches lies on the boundary of stability when the loop is closed; roots
// that rounding put beside the boundary must not pass for stable ones.
static bool boundary_is_clear(const Riccati *e, const double *loop, bool discrete, Room room) {
    int n = e->n;
    double *a = room_take(&room, n, n), *re = room_take(&room, n, 1), *im = room_take(&room, n, 1);
    double *f = room_take(&room, n, n);
    memcpy(a, loop, (size_t)n * (size_t)n * sizeof *a);
    if (!eigenvalues(n, a, re, im, room)) return false;
    double fastest = discrete ? 1 : 0;
    for (int i = 0; i < n && !discrete; i++) fastest = fmax(fastest, hypot(re[i], im[i]));
    transpose_into(n, e->f, f);
    for (int i = 0; i < n; i++) {
        double beside = discrete ? 1 - hypot(re[i], im[i]) : -re[i];
        if (beside > 1e-6 * fastest) continue;
        Complex16 root = re[i] + I * im[i];
        if (distance_to_loss(n, n, f, e->w, conj(root), NULL, room) < 1e-11 ||
            distance_to_loss(n, n, e->f, e->g, root, NULL, room) < 1e-11)
            return false;
    }
    return true;
}

static Riccati open_riccati(int n, int m, const double *const in[5], Room *room) {
    Riccati e = {.n = n, .m = m, .a = in[0], .b = in[1], .q = in[2], .r = in[3], .s = in[4]};
    e.f = room_take(room, n, n), e.g = room_take(room, n, n), e.w = room_take(room, n, n);
    e.chol = room_take(room, m, m);
    return e;
}

MatrixFault solve_care(int n, int m, const double *const in[5], double *x, Room room) {
    Riccati e = open_riccati(n, m, in, &room);
    double *d = room_take(&room, n, 1), *left = room_take(&room, n, n);
    double *loop = room_take(&room, n, n);
    if (!reduce(&e, room)) return MATRIX_R_NOT_POSITIVE;
    balance(&e, d);
    scale(&e, d);
    if (!stable_subspace(&e, x, room)) return MATRIX_NOT_STABILISING;
    refine(&e, care_residual, solve_lyap, x, room);
    care_residual(&e, x, left, loop, room);
    double size = largest_entry(n * n, x) * largest_entry(n * n, e.f) + largest_entry(n * n, e.w);
    if (!(largest_entry(n * n, left) <= 1e-6 * size) || !loop_is_stable(n, loop, false, room) ||
        !boundary_is_clear(&e, loop, false, room))
        return MATRIX_NOT_STABILISING;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) x[j * n + i] /= d[i] * d[j];
    return MATRIX_GOOD;
}

// --- the discrete equation -----------------------------------------------------------------------

static int is_inside(const double *re, const double *im, const double *beta) {
    return hypot(*re, *im) < fabs(*beta);
}

static bool inner_subspace(const Riccati *e, double *x, Room room) {
    int n = e->n, two = 2 * n, info, sdim, lwork = 10 * two + 32, one = 1;
    double *l = room_take(&room, two, two), *r = room_take(&room, two, two);
    double *u = room_take(&room, two, two), *ar = room_take(&room, two, 1);
    double *ai = room_take(&room, two, 1), *beta = room_take(&room, two, 1);
    double *work = room_take(&room, lwork, 1);
    int *bwork = room_integers(&room, two);
    memset(l, 0, (size_t)two * (size_t)two * sizeof *l);
    memset(r, 0, (size_t)two * (size_t)two * sizeof *r);
    for (int j = 0; j < n; j++) {
        l[(n + j) * two + n + j] = r[j * two + j] = 1;
        for (int i = 0; i < n; i++) {
            l[j * two + i] = e->f[j * n + i];
            l[j * two + n + i] = -e->w[j * n + i];
            r[(n + j) * two + i] = e->g[j * n + i];
            r[(n + j) * two + n + i] = e->f[i * n + j];
        }
    }
    dgges_("N", "V", "S", is_inside, &two, l, &two, r, &two, &sdim, ar, ai, beta, u, &one, u, &two,
           work, &lwork, bwork, &info, 1, 1, 1);
    return (info == 0 || info == two + 2) && sdim == n && quotient_of(n, u, x, room);
}

// With F, G and W:  F'X (1 + G X)^-1 F - X + W;  the closed loop is (1 + G X)^-1 F.
static bool dare_residual(const Riccati *e, const double *x, double *left, double *loop,
                          Room room) {
    int n = e->n;
    double *gx = room_take(&room, n, n), *xl = room_take(&room, n, n);
    multiply('N', 'N', n, n, n, e->g, x, gx);
    for (int i = 0; i < n; i++) gx[i * n + i] += 1;
    memcpy(loop, e->f, (size_t)n * (size_t)n * sizeof *loop);
    if (!solve_linear(n, n, gx, loop, room)) return false;
    multiply('N', 'N', n, n, n, x, loop, xl);
    multiply('T', 'N', n, n, n, e->f, xl, left);
    for (int i = 0; i < n * n; i++) left[i] += e->w[i] - x[i];
    symmetrise(n, left);
    return true;
}

MatrixFault solve_dare(int n, int m, const double *const in[5], double *x, Room room) {
    Riccati e = open_riccati(n, m, in, &room);
    double *d = room_take(&room, n, 1), *left = room_take(&room, n, n);
    double *loop = room_take(&room, n, n);
    if (!reduce(&e, room)) return MATRIX_R_NOT_POSITIVE;
    balance(&e, d);
    scale(&e, d);
    if (!inner_subspace(&e, x, room)) return MATRIX_NOT_STABILISING;
    refine(&e, dare_residual, solve_dlyap, x, room);
    if (!dare_residual(&e, x, left, loop, room)) return MATRIX_NOT_STABILISING;
    double size = largest_entry(n * n, x) + largest_entry(n * n, e.w);
    if (!(largest_entry(n * n, left) <= 1e-6 * size) || !loop_is_stable(n, loop, true, room) ||
        !boundary_is_clear(&e, loop, true, room))
        return MATRIX_NOT_STABILISING;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) x[j * n + i] /= d[i] * d[j];
    return MATRIX_GOOD;
}
