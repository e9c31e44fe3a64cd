// Velocities that constraints and drives prescribe: w_i follows from J w = rate alone.
//
//     x driven by time                J = [1  0  0]     x is prescribed; of y and z, of which z follows
//     z driven by 2*y                     [0 -2  1]     y, neither is
//
// e_i is in the span of the rows: in their reduced form a row has its only entry at i. That is
// asked at the start and at a second point beside it, where a cam that rests at the start moves.
#include "mech/expansion.h"

#include <math.h>
#include <string.h>

typedef struct {
    int n, nv;
    double *J; // n rows of nv, the longest entry of each is 1
} Rows;

static void scale_row(double *row, int nv) {
    double most = 0;
    for (int v = 0; v < nv; v++) most = fmax(most, fabs(row[v]));
    for (int v = 0; most > 0 && v < nv; v++) row[v] /= most;
}

// Values of the rows at `value` (by symbol index).
static Rows read_rows(Expansion *k, const double *value) {
    const Constraints *h = k->constraints;
    Rows r = {.nv = h->nv};
    r.J = ARENA_ARRAY(&k->scratch, double, (size_t)h->row_count *(size_t)h->nv);
    for (int i = 0; i < h->row_count; i++) {
        if (!h->row[i].kept) continue;
        double *row = r.J + (size_t)r.n++ * (size_t)r.nv;
        expr_evaluate_many(k->d, h->row[i].slope, h->nv, value, row);
        scale_row(row, r.nv);
    }
    return r;
}

static double *entry(const Rows *r, int row, int v) {
    return &r->J[(size_t)row * (size_t)r->nv + (size_t)v];
}

// The largest entry of the rows from `first` on.
static double find_pivot(const Rows *r, int first, int *row, int *column) {
    double most = 0;
    for (int i = first; i < r->n; i++)
        for (int v = 0; v < r->nv; v++)
            if (fabs(*entry(r, i, v)) > most) most = fabs(*entry(r, i, v)), *row = i, *column = v;
    return most;
}

static void clear_column(const Rows *r, int pivot, int column) {
    double scale = *entry(r, pivot, column);
    for (int v = 0; v < r->nv; v++) *entry(r, pivot, v) /= scale;
    for (int i = 0; i < r->n; i++) {
        double factor = *entry(r, i, column);
        if (i == pivot || factor == 0) continue;
        for (int v = 0; v < r->nv; v++) *entry(r, i, v) -= factor * *entry(r, pivot, v);
    }
}

// Gauss and Jordan with full pivoting; prescribed[v] stays where v has a row to itself.
static void keep_prescribed(Rows *r, bool *prescribed) {
    static const double nothing = 1e-9; // of entries that began at 1
    bool *own = memset(prescribed + r->nv, 0, (size_t)r->nv * sizeof *prescribed);
    for (int done = 0; done < r->n; done++) {
        int row = done, column = 0;
        if (find_pivot(r, done, &row, &column) <= nothing) r->n = done;
        if (done == r->n) break;
        for (int v = 0; v < r->nv; v++) {
            double swap = *entry(r, done, v);
            *entry(r, done, v) = *entry(r, row, v);
            *entry(r, row, v) = swap;
        }
        clear_column(r, done, column);
    }
    for (int i = 0; i < r->n; i++) {
        int count = 0, last = 0;
        for (int v = 0; v < r->nv; v++)
            if (fabs(*entry(r, i, v)) > nothing) count++, last = v;
        if (count == 1) own[last] = true;
    }
    for (int v = 0; v < r->nv; v++) prescribed[v] = prescribed[v] && own[v];
}

static bool asks(const Mechanism *x) {
    for (int i = 0; i < x->joint_count; i++)
        if (x->joint[i].limited && x->joint[i].restitution) return true;
    return false;
}

void find_led(Expansion *k) {
    if (!k->constraints || !k->x->constrained || !asks(k->x)) return;
    int count = expr_symbol_count(k->d);
    double *beside = ARENA_ARRAY(&k->scratch, double, count);
    bool *prescribed = ARENA_ARRAY(&k->scratch, bool, 2 * (size_t)k->constraints->nv);
    memcpy(beside, k->number, (size_t)count * sizeof *beside);
    for (int q = 0; q < k->constraints->nq; q++) { // no simple ratios: nothing vanishes by chance
        double part = 0.6180339887498949 * (q + 1);
        beside[expr_symbol_index(k->d, k->in.q[q])] += 0.01 * (0.5 + part - floor(part));
    }
    for (int v = 0; v < k->constraints->nv; v++) prescribed[v] = true;
    Rows here = read_rows(k, k->number), there = read_rows(k, beside);
    keep_prescribed(&here, prescribed);
    keep_prescribed(&there, prescribed);
    k->prescribed = prescribed;
}

bool is_led(const Expansion *k, const MechJoint *j) {
    int v = 0;
    for (const MechJoint *i = k->x->joint; i < j; i++) v += joint_velocities(i->kind);
    return k->prescribed && k->prescribed[v];
}
