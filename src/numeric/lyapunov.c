// Linear equations of matrices: with Schur forms A = U T U' and B = V W V' they become triangular,
//
//     A X + X B + C = 0      T Y + Y W = -U' C V,      X = U Y V'
//
// (Bartels and Stewart). The discrete one is solved column by column from the complex Schur form.
// A second round with the residual takes back what rounding did in the first.
#include "numeric/inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int take_any(const double *re, const double *im) {
    (void)re, (void)im;
    return 0;
}

static bool schur(int n, double *a, double *u, Room room) {
    double *wr = room_take(&room, n, 1), *wi = room_take(&room, n, 1);
    int info, sdim, lwork = 8 * n + 16, *bwork = room_integers(&room, n);
    double *work = room_take(&room, lwork, 1);
    dgees_("V", "N", take_any, &n, a, &n, &sdim, wr, wi, u, &n, work, &lwork, bwork, &info, 1, 1);
    return info == 0;
}

bool eigenvalues(int n, double *a, double *re, double *im, Room room) {
    int info, lwork = 8 * n + 16, one = 1;
    double *work = room_take(&room, lwork, 1);
    dgeev_("N", "N", &n, a, &n, re, im, work, &one, work, &one, work, &lwork, &info, 1, 1);
    return info == 0;
}

bool solve_linear(int n, int columns, double *a, double *b, Room room) {
    if (n == 0 || columns == 0) return true;
    int info, *pivot = room_integers(&room, n);
    dgesv_(&n, &columns, a, &n, pivot, b, &n, &info);
    return info == 0;
}

// --- A X + X B + C = 0 ---------------------------------------------------------------------------

typedef struct {
    int n, m;
    double *t, *u, *w, *v; // Schur forms of A and B
    const char *turn_w;    // "T": W' in place of W, as B is A'
    double *y, *half;
} Triangular;

// x += the solution for the right side c.
static bool add_solution(const Triangular *e, const double *c, double *x) {
    int n = e->n, m = e->m, info, plus = 1;
    double scale = 1;
    multiply('T', 'N', n, m, n, e->u, c, e->half);
    multiply('N', 'N', n, m, m, e->half, e->v, e->y);
    dtrsyl_("N", e->turn_w, &plus, &n, &m, e->t, &n, e->w, &m, e->y, &n, &scale, &info, 1, 1);
    if (info != 0 || !(scale > 0)) return false;
    multiply('N', 'N', n, m, n, e->u, e->y, e->half);
    multiply('N', 'T', n, m, m, e->half, e->v, e->y);
    for (int i = 0; i < n * m; i++) x[i] -= e->y[i] / scale;
    return all_finite(n * m, x);
}

// Solves A X + X B + C = 0 with the triangular forms e of A and B, and corrects X once by the
// residual that is left. b == a: B is the transpose of A.
static bool solve_triangular(const Triangular *e, const double *a, const double *b, const double *c,
                             double *x, Room room) {
    int n = e->n, m = e->m;
    double *left = room_take(&room, n, m), *right = room_take(&room, n, m);
    memset(x, 0, (size_t)n * (size_t)m * sizeof *x);
    if (!add_solution(e, c, x)) return false;
    multiply('N', 'N', n, m, n, a, x, left);
    multiply('N', b == a ? 'T' : 'N', n, m, m, x, b, right);
    for (int i = 0; i < n * m; i++) left[i] += right[i] + c[i];
    return add_solution(e, left, x);
}

// Eigenvalues that add up to nothing but rounding: the solution would be noise.
static bool sums_are_clear(int n, const double *t, int m, const double *w) {
    double size = largest_entry(n * n, t) + largest_entry(m * m, w), least = INFINITY;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double a = i + 1 < n ? t[i * n + i + 1] * t[(i + 1) * n + i] : 0;
            double b = j + 1 < m ? w[j * m + j + 1] * w[(j + 1) * m + j] : 0;
            double a0 = i > 0 ? t[(i - 1) * n + i] * t[i * n + i - 1] : 0;
            double b0 = j > 0 ? w[(j - 1) * m + j] * w[j * m + j - 1] : 0;
            double im = fabs(sqrt(fmax(-fmin(a, a0), 0)) - sqrt(fmax(-fmin(b, b0), 0)));
            least = fmin(least, hypot(t[i * n + i] + w[j * m + j], im));
        }
    return n == 0 || m == 0 || least > 4 * DBL_EPSILON * size;
}

bool solve_sylvester(int n, int m, const double *a, const double *b, const double *c, double *x,
                     Room room) {
    Triangular e = {.n = n, .m = m, .turn_w = "N"};
    e.t = room_take(&room, n, n), e.u = room_take(&room, n, n);
    e.w = room_take(&room, m, m), e.v = room_take(&room, m, m);
    e.y = room_take(&room, n, m), e.half = room_take(&room, n, m);
    memcpy(e.t, a, (size_t)n * (size_t)n * sizeof *a);
    memcpy(e.w, b, (size_t)m * (size_t)m * sizeof *b);
    return schur(n, e.t, e.u, room) && schur(m, e.w, e.v, room) && sums_are_clear(n, e.t, m, e.w) &&
           solve_triangular(&e, a, b, c, x, room);
}

bool solve_lyap(int n, const double *a, const double *q, double *x, Room room) {
    Triangular e = {.n = n, .m = n, .turn_w = "T"};
    e.t = e.w = room_take(&room, n, n), e.u = e.v = room_take(&room, n, n);
    e.y = room_take(&room, n, n), e.half = room_take(&room, n, n);
    memcpy(e.t, a, (size_t)n * (size_t)n * sizeof *a);
    if (!schur(n, e.t, e.u, room) || !sums_are_clear(n, e.t, n, e.t) ||
        !solve_triangular(&e, a, a, q, x, room))
        return false;
    if (is_symmetric(n, q)) symmetrise(n, x);
    return true;
}

// --- A X A' - X + Q = 0 --------------------------------------------------------------------------

typedef struct {
    int n;
    Complex16 *t, *u;
} ComplexSchur;

static Complex16 *take_complex(Room *room, int rows, int cols) {
    return (Complex16 *)(void *)room_take(room, 2 * rows, cols);
}

static int take_no(const Complex16 *w) {
    (void)w;
    return 0;
}

static bool complex_schur(ComplexSchur *s, const double *a, Room room) {
    int n = s->n, info, sdim, lwork = 4 * n + 8;
    Complex16 *w = take_complex(&room, n, 1), *work = take_complex(&room, lwork, 1);
    double *rwork = room_take(&room, n, 1);
    int *bwork = room_integers(&room, n);
    for (int i = 0; i < n * n; i++) s->t[i] = a[i];
    zgees_("V", "N", take_no, &n, s->t, &n, &sdim, w, s->u, &n, work, &lwork, rwork, bwork, &info,
           1, 1);
    return info == 0;
}

// f = U^H q U, or back: f = U q U^H
static void turn(const ComplexSchur *s, bool back, const Complex16 *q, Complex16 *half,
                 Complex16 *f) {
    int n = s->n;
    const Complex16 *u = s->u;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Complex16 sum = 0;
            for (int k = 0; k < n; k++)
                sum += (back ? u[k * n + i] : conj(u[i * n + k])) * q[j * n + k];
            half[j * n + i] = sum;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Complex16 sum = 0;
            for (int k = 0; k < n; k++)
                sum += half[k * n + i] * (back ? conj(u[k * n + j]) : u[j * n + k]);
            f[j * n + i] = sum;
        }
}

// T Y T^H - Y + F = 0 from the last column to the first: with s = sum of later columns,
//     (conj(t_jj) T - 1) y_j = -f_j - T s,   s = sum over k > j of y_k conj(t_jk)
static bool solve_columns(const ComplexSchur *c, const Complex16 *f, Complex16 *y, Complex16 *s) {
    int n = c->n;
    const Complex16 *t = c->t;
    for (int j = n - 1; j >= 0; j--) {
        for (int i = 0; i < n; i++) {
            s[i] = 0;
            for (int k = j + 1; k < n; k++) s[i] += y[k * n + i] * conj(t[k * n + j]);
        }
        for (int i = n - 1; i >= 0; i--) {
            Complex16 right = -f[j * n + i], of_t = conj(t[j * n + j]);
            for (int k = i; k < n; k++) right -= t[k * n + i] * s[k];
            for (int k = i + 1; k < n; k++) right -= of_t * t[k * n + i] * y[j * n + k];
            Complex16 pivot = of_t * t[i * n + i] - 1;
            if (cabs(pivot) < 16 * DBL_EPSILON * n) return false;
            y[j * n + i] = right / pivot;
        }
    }
    return true;
}

static bool add_dlyap(const ComplexSchur *c, const double *q, double *x, Room room) {
    int n = c->n;
    Complex16 *f = take_complex(&room, n, n), *y = take_complex(&room, n, n);
    Complex16 *half = take_complex(&room, n, n), *s = take_complex(&room, n, 1);
    for (int i = 0; i < n * n; i++) y[i] = q[i];
    turn(c, false, y, half, f);
    if (!solve_columns(c, f, y, s)) return false;
    turn(c, true, y, half, f);
    for (int i = 0; i < n * n; i++) x[i] += creal(f[i]);
    return all_finite(n * n, x);
}

bool solve_dlyap(int n, const double *a, const double *q, double *x, Room room) {
    ComplexSchur c = {n, take_complex(&room, n, n), take_complex(&room, n, n)};
    double *left = room_take(&room, n, n), *half = room_take(&room, n, n);
    memset(x, 0, (size_t)n * (size_t)n * sizeof *x);
    if (!complex_schur(&c, a, room) || !add_dlyap(&c, q, x, room)) return false;
    multiply('N', 'N', n, n, n, a, x, half);
    multiply('N', 'T', n, n, n, half, a, left);
    for (int i = 0; i < n * n; i++) left[i] += q[i] - x[i];
    if (!add_dlyap(&c, left, x, room)) return false;
    if (is_symmetric(n, q)) symmetrise(n, x);
    return true;
}
