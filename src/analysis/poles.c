// The modes of a linear model, and which storages take part in them.
//
// A mode x(t) = Re(v e^(lambda t)) moves the energy of a storage with H_k = d2 energy_k / dx2 by
//
//     v^H H_k v / 4      on the average of a period, but for the decay
//
// so the share of storage k is |v^H H_k v| by the sum of all: what only energies can tell, whatever
// the units of states are. The participation of a state is |w_i v_i| with the left vector w.
#include "analysis/poles.h"

#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void shares_of_storages(const LinearModel *l, const Complex *v, double *share) {
    Complex *energy = memory_zeroed((size_t)l->storages + 1, sizeof *energy);
    for (int k = 0; k < l->bend_count; k++) {
        const Bend *b = &l->bend[k];
        energy[b->storage] += conj(v[b->i]) * b->value * v[b->j];
    }
    double sum = 0;
    for (int k = 0; k < l->storages; k++) sum += cabs(energy[k]);
    for (int k = 0; k < l->storages; k++) share[k] = sum > 0 ? cabs(energy[k]) / sum : 0;
    free(energy);
}

static void shares_of_states(const LinearModel *l, const Complex *v, const Complex *w,
                             double *share) {
    double sum = 0;
    for (int i = 0; i < l->n; i++) sum += share[i] = cabs(w[i] * v[i]);
    if (!(sum > 0)) // of a Jordan block w v is 0
        for (int i = 0; i < l->n; i++) sum += share[i] = creal(conj(v[i]) * v[i]);
    for (int i = 0; i < l->n && sum > 0; i++) share[i] /= sum;
}

Complex continuous_pole(const LinearModel *l, Complex value) {
    if (!(l->period > 0)) return value;
    if (value == 0) return -INFINITY;
    return (log(cabs(value)) + I * carg(value)) / l->period;
}

int unstable_among(const LinearModel *l, const Complex *pole, int n) {
    double largest = 0;
    int count = 0;
    for (int k = 0; k < n; k++) largest = fmax(largest, cabs(pole[k]));
    for (int k = 0; k < n; k++)
        count += l->period > 0 ? cabs(pole[k]) > 1 + 1e-12 : creal(pole[k]) > 1e-12 * largest;
    return count;
}

const char *unstable_place(const LinearModel *l) {
    return l->period > 0 ? "outside of the unit circle" : "in the right half plane";
}

static PoleMode mode_of(Poles *m, Complex value, const Complex *v, const Complex *w) {
    const LinearModel *l = m->model;
    Complex s = continuous_pole(l, value);
    double size = cabs(s);
    PoleMode x = {.value = value,
                  .s = s,
                  .frequency = size,
                  .damping = isinf(size) ? 1
                             : size > 0  ? -creal(s) / size
                                         : (double)NAN,
                  .time = creal(s) != 0 ? -1 / creal(s) : (double)INFINITY};
    x.storage = ARENA_ARRAY(&m->arena, double, l->storages + 1);
    x.state = ARENA_ARRAY(&m->arena, double, l->n + 1);
    x.vector = ARENA_ARRAY(&m->arena, Complex, l->n + 1);
    if (l->n) memcpy(x.vector, v, (size_t)l->n * sizeof *v);
    shares_of_storages(l, v, x.storage);
    shares_of_states(l, v, w, x.state);
    return x;
}

static int by_speed(const void *a, const void *b) {
    const PoleMode *x = a, *y = b;
    if (x->frequency != y->frequency) return x->frequency < y->frequency ? -1 : 1;
    double p = creal(x->value), q = creal(y->value);
    return (p > q) - (p < q);
}

Poles *poles_of(const LinearModel *l, Report *r) {
    Poles *m = memory_zeroed(1, sizeof *m);
    size_t square = (size_t)l->n * (size_t)l->n + 1;
    Complex *value = memory_zeroed((size_t)l->n + 1, sizeof *value);
    Complex *right = memory_zeroed(square, sizeof *right),
            *left = memory_zeroed(square, sizeof *left);
    m->model = l;
    m->mode = ARENA_ARRAY(&m->arena, PoleMode, l->n + 1);
    bool good = dense_eigen(l->n, l->A, value, right, left);
    m->unstable = good ? unstable_among(l, value, l->n) : 0;
    for (int k = 0; k < l->n && good; k++) {
        if (cimag(value[k]) >= 0)
            m->mode[m->count++] = mode_of(m, value[k], right + (size_t)k * (size_t)l->n,
                                          left + (size_t)k * (size_t)l->n);
    }
    qsort(m->mode, (size_t)m->count, sizeof *m->mode, by_speed);
    free(value);
    free(right);
    free(left);
    if (good) return m;
    Remark *x = report_error(r, A_NO_POINT, l->model->pos,
                             "the eigenvalues of the linear model are not found");
    remark_help(r, x, "look at its entries: 'bondyn linearize' shows them");
    poles_free(m);
    return NULL;
}

void poles_free(Poles *m) {
    if (!m) return;
    arena_free(&m->arena);
    free(m);
}
