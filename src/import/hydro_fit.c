// The memory of radiated waves from tables of added mass and damping, as a state space that no
// motion can get energy from.
//
// A vessel that moves with velocity v radiates waves; the force is (A_inf i w + H(i w)) v with
//
//     H(i w) = B(w) + i w (A(w) - A_inf).
//
// Here H is a sum of modes q q' s/(s^2 + 2 z w0 s + w0^2): each is a spring, a mass and a damper
// that the water moves against, so that any sum of them takes energy, whatever the numbers are.
// Modes are added one by one (Frank and Wolfe's way, fully corrected): of a fixed list of w0 and z
// the one, and of all directions q the one, along which the misfit falls fastest; then the sizes
// of all modes are found anew, none negative, and now and then every mode is chosen anew against
// the others. A_inf is that of the file, or what the modes leave of A on the mean.
#include "import/hydro_data.h"

#include <math.h>

enum { CENTRES = 60, WIDTHS = 6, SHAPES = CENTRES * WIDTHS };
static const double width[WIDTHS] = {0.04, 0.08, 0.16, 0.3, 0.55, 1};

typedef struct {
    int n;          // frequencies
    double size[6]; // of damping, by axis: sqrt of the largest B(i,i); 0: the axis has none
    double typical; // frequency by which added mass is made comparable with damping
    double *re[SHAPES], *im[SHAPES]; // of a shape over the frequencies; im by i w, times typical
    double w[SHAPES], zeta[SHAPES];
    double (*B)[36], (*A)[36]; // what is left to fit, by size
} Fit;

typedef struct {
    int shape;
    double q[6], weight;
} Atom;

// --- eigenvectors of a symmetric 6 x 6 matrix, by Jacobi's rotations -----------------------------

static void rotate(double *a, double *v, int p, int q) {
    double apq = a[p * 6 + q];
    if (apq == 0) return;
    double t = (a[q * 7] - a[p * 7]) / (2 * apq);
    t = (t >= 0 ? 1 : -1) / (fabs(t) + sqrt(t * t + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 6; k++) {
        double x = a[k * 6 + p], y = a[k * 6 + q];
        a[k * 6 + p] = c * x - s * y, a[k * 6 + q] = s * x + c * y;
    }
    for (int k = 0; k < 6; k++) {
        double x = a[p * 6 + k], y = a[q * 6 + k];
        a[p * 6 + k] = c * x - s * y, a[q * 6 + k] = s * x + c * y;
        x = v[k * 6 + p], y = v[k * 6 + q];
        v[k * 6 + p] = c * x - s * y, v[k * 6 + q] = s * x + c * y;
    }
}

// The largest eigenvalue, and its vector.
static double largest(const double *matrix, double *q) {
    double a[36], v[36] = {0};
    memcpy(a, matrix, sizeof a);
    for (int i = 0; i < 6; i++) v[i * 7] = 1;
    for (int sweep = 0; sweep < 12; sweep++)
        for (int i = 0; i < 6; i++)
            for (int j = i + 1; j < 6; j++) rotate(a, v, i, j);
    int best = 0;
    for (int i = 1; i < 6; i++)
        if (a[i * 7] > a[best * 7]) best = i;
    for (int i = 0; i < 6; i++) q[i] = v[i * 6 + best];
    return a[best * 7];
}

// --- shapes --------------------------------------------------------------------------------------

static void make_shapes(Fit *f, const Hydro *h) {
    double low = h->point.data[0].w * 0.7, high = h->point.data[f->n - 1].w * 1.5;
    for (int s = 0; s < SHAPES; s++) {
        int step = s / WIDTHS;
        double w0 = low * pow(high / low, (double)step / (CENTRES - 1)), z = width[s % WIDTHS];
        f->w[s] = w0, f->zeta[s] = z;
        f->re[s] = ARENA_ARRAY(h->arena, double, f->n);
        f->im[s] = ARENA_ARRAY(h->arena, double, f->n);
        for (int k = 0; k < f->n; k++) {
            double w = h->point.data[k].w, d = w0 * w0 - w * w, e = 2 * z * w0 * w;
            f->re[s][k] = e * w / (d * d + e * e);
            f->im[s][k] = f->typical * d / (d * d + e * e);
        }
    }
}

static void centre(double *x, int n) {
    double mean = 0;
    for (int k = 0; k < n; k++) mean += x[k] / n;
    for (int k = 0; k < n; k++) x[k] -= mean;
}

// Sizes of the axes, data by them. Where A_inf is not known the means of added mass say nothing.
static void make_data(Fit *f, Hydro *h) {
    double sum = 0, sum_w = 0;
    for (int k = 0; k < f->n; k++) {
        const HydroPoint *p = &h->point.data[k];
        for (int i = 0; i < 6; i++) f->size[i] = fmax(f->size[i], fabs(p->B[i * 7]));
    }
    for (int i = 0; i < 6; i++) f->size[i] = sqrt(f->size[i]);
    for (int k = 0; k < f->n; k++)
        for (int i = 0; i < 6; i++) {
            double b =
                f->size[i] > 0 ? fmax(h->point.data[k].B[i * 7], 0) / (f->size[i] * f->size[i]) : 0;
            sum += b, sum_w += b * h->point.data[k].w;
        }
    f->typical = sum > 0 ? sum_w / sum : 1;
    for (int k = 0; k < f->n; k++)
        for (int e = 0; e < 36; e++) {
            double by = f->size[e / 6] * f->size[e % 6];
            f->B[k][e] = by > 0 ? h->point.data[k].B[e] / by : 0;
            f->A[k][e] = by > 0 ? f->typical * (h->point.data[k].A[e] - h->A_infinite[e]) / by : 0;
        }
}

static void centre_all(Fit *f, const Hydro *h) {
    double *x = ARENA_ARRAY(h->arena, double, f->n);
    for (int e = 0; e < 36; e++) {
        for (int k = 0; k < f->n; k++) x[k] = f->A[k][e];
        centre(x, f->n);
        for (int k = 0; k < f->n; k++) f->A[k][e] = x[k];
    }
    for (int s = 0; s < SHAPES; s++) centre(f->im[s], f->n);
}

static double inner(const Fit *f, int s, int t) {
    double sum = 0;
    for (int k = 0; k < f->n; k++) sum += f->re[s][k] * f->re[t][k] + f->im[s][k] * f->im[t][k];
    return sum;
}

// What the data have of a shape, as a matrix of axes.
static void moment(const Fit *f, int s, double *out) {
    memset(out, 0, 36 * sizeof *out);
    for (int k = 0; k < f->n; k++)
        for (int e = 0; e < 36; e++) out[e] += f->re[s][k] * f->B[k][e] + f->im[s][k] * f->A[k][e];
}

static double dot6(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += a[i] * b[i];
    return sum;
}

static double along(const double *matrix, const double *q) {
    double sum = 0;
    for (int e = 0; e < 36; e++) sum += q[e / 6] * matrix[e] * q[e % 6];
    return sum;
}

// --- sizes of the modes: least squares, none negative, by coordinates ----------------------------

static void find_weights(const Fit *f, Atom *atom, int n, double (*data)[36], double *gram) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double c = dot6(atom[i].q, atom[j].q);
            gram[i * n + j] = inner(f, atom[i].shape, atom[j].shape) * c * c;
        }
    for (int pass = 0; pass < 400; pass++) {
        double change = 0, size = 0;
        for (int i = 0; i < n; i++) {
            double slope = along(data[atom[i].shape], atom[i].q);
            for (int j = 0; j < n; j++) slope -= gram[i * n + j] * atom[j].weight;
            double next = fmax(0, atom[i].weight + slope / gram[i * n + i]);
            change = fmax(change, fabs(next - atom[i].weight) * sqrt(gram[i * n + i]));
            size = fmax(size, next * sqrt(gram[i * n + i]));
            atom[i].weight = next;
        }
        if (change <= 1e-6 * size) return;
    }
}

// The shape and direction along which the misfit of all atoms but `without` falls fastest; false:
// none does.
static bool best_atom(const Fit *f, const Atom *atom, int n, int without, double (*data)[36],
                      Atom *next) {
    double best = 1e-9;
    for (int s = 0; s < SHAPES; s++) {
        double left[36], q[6], norm = sqrt(inner(f, s, s));
        memcpy(left, data[s], sizeof left);
        for (int i = 0; i < n; i++) {
            if (i == without) continue;
            double c = atom[i].weight * inner(f, s, atom[i].shape);
            for (int e = 0; e < 36; e++) left[e] -= c * atom[i].q[e / 6] * atom[i].q[e % 6];
        }
        double gain = norm > 0 ? largest(left, q) / norm : 0;
        if (!(gain > best)) continue;
        best = gain;
        next->shape = s, next->weight = gain / norm;
        memcpy(next->q, q, sizeof q);
    }
    return best > 1e-9;
}

// Chooses each mode again with the others as they are: the best one among few need not be the best
// among many.
static void choose_again(const Fit *f, Atom *atom, int n, double (*data)[36], double *gram) {
    for (int i = 0; i < n; i++) {
        Atom next = atom[i];
        if (best_atom(f, atom, n, i, data, &next)) atom[i] = next;
    }
    find_weights(f, atom, n, data, gram);
}

static double misfit(const Fit *f, const Atom *atom, int n) {
    double left = 0, all = 0;
    for (int k = 0; k < f->n; k++)
        for (int e = 0; e < 36; e++) {
            double B = f->B[k][e], A = f->A[k][e];
            all += B * B + A * A;
            for (int i = 0; i < n; i++) {
                double c = atom[i].weight * atom[i].q[e / 6] * atom[i].q[e % 6];
                B -= c * f->re[atom[i].shape][k], A -= c * f->im[atom[i].shape][k];
            }
            left += B * B + A * A;
        }
    return all > 0 ? sqrt(left / all) : 0;
}

static void keep_modes(Hydro *h, const Fit *f, const Atom *atom, int n) {
    for (int i = 0; i < n; i++) {
        if (!(atom[i].weight > 0)) continue;
        HydroMode m = {.w = f->w[atom[i].shape], .zeta = f->zeta[atom[i].shape]};
        for (int k = 0; k < 6; k++) {
            m.q[k] = sqrt(atom[i].weight) * atom[i].q[k] * f->size[k];
            if (fabs(atom[i].q[k]) < 1e-9) m.q[k] = 0;
        }
        array_push(&h->mode, m);
    }
}

// A_inf, where the file has none: the mean of what the modes leave.
static void find_infinite(Hydro *h) {
    if (h->has_infinite) return;
    int n = h->point.count;
    for (int e = 0; e < 36; e++) {
        double sum = 0;
        for (int k = 0; k < n; k++) {
            double w = h->point.data[k].w;
            sum += h->point.data[k].A[e];
            for (int i = 0; i < h->mode.count; i++) {
                const HydroMode *m = &h->mode.data[i];
                double d = m->w * m->w - w * w, s = 2 * m->zeta * m->w * w;
                sum -= m->q[e / 6] * m->q[e % 6] * d / (d * d + s * s);
            }
        }
        h->A_infinite[e] = sum / n;
    }
}

void hydro_fit(Hydro *h) {
    enum { ENOUGH = 2 }; // percent of misfit at which no more modes are added
    Fit f = {.n = h->point.count};
    f.B = arena_alloc(h->arena, (size_t)f.n, sizeof *f.B);
    f.A = arena_alloc(h->arena, (size_t)f.n, sizeof *f.A);
    make_data(&f, h);
    make_shapes(&f, h);
    if (!h->has_infinite) centre_all(&f, h);
    double(*data)[36] = arena_alloc(h->arena, SHAPES, sizeof *data);
    for (int s = 0; s < SHAPES; s++) moment(&f, s, data[s]);
    int most = h->options.modes, n = 0;
    Atom *atom = ARENA_ARRAY(h->arena, Atom, most + 1);
    double *gram = ARENA_ARRAY(h->arena, double, (most + 1) * (most + 1));
    h->misfit = misfit(&f, atom, 0);
    while (n < most && h->misfit > 0.01 * ENOUGH && best_atom(&f, atom, n, -1, data, &atom[n])) {
        find_weights(&f, atom, ++n, data, gram);
        if (n % 5 == 0) choose_again(&f, atom, n, data, gram);
        h->misfit = misfit(&f, atom, n);
    }
    for (int again = 0; again < 4 && h->misfit > 0.01 * ENOUGH; again++) {
        choose_again(&f, atom, n, data, gram);
        h->misfit = misfit(&f, atom, n);
    }
    keep_modes(h, &f, atom, n);
    find_infinite(h);
    if (h->misfit <= 0.1) return;
    Remark *m = report_warning(
        h->r, X_HYDRO_FIT, h->point.data[0].pos[0],
        "the memory of radiated waves misses %.0f %% of added mass and damping", 100 * h->misfit);
    remark_help(h->r, m,
                "more modes: --set \"modes = %d\"; or the two tables do not belong together",
                2 * most);
}
