// Singular positions are not passed over.
//
//      D falls with the square of the distance from a singular position, so a long step passes over
//      the narrow place where it is small. The determinant of J over velocities that the rows
//      determined at the start falls with the distance itself and changes its sign there:
//
//          hold  1 |----.                     an event without actions where it is 1/100: the
//                  |     \\                    integrator stops and D is looked at. Where only the
//                0 |------\\-------> t         choice of velocities is bad, D is not small and
//                  |       \\___              nothing happens.
//
// A step that takes the mechanism once around ends with the sign that it began with. A motion
// without forces invites such steps, so they are bounded: |w| h <= 1/2, half a radian of all joints
// that the rows depend on.
//
// Where rows repeat each other (sharing.c) as many as are independent at the start are watched, and
// others once more, counted from behind: the determinant of rows that hold badly somewhere else is
// small for a long way.
//
// Rows that share no velocity are watched apart, each group of up to six: larger determinants cost
// too much, and there D alone decides.
#include "mech/dynamics.h"
#include "mech/expansion.h"

#include <math.h>

enum { MOST = 6 };

typedef struct {
    Expansion *k;
    const ConstraintRow *row[MOST];
    int n;
} Group;

// The velocities that the rows determine best at the start: columns of J by complete pivoting.
static void best_columns(const Group *g, int *best) {
    Expansion *k = g->k;
    int n = g->n, nv = k->constraints->nv;
    double *J = ARENA_ARRAY(&k->scratch, double, (size_t)n *(size_t)nv);
    for (int i = 0; i < n; i++)
        expr_evaluate_many(k->d, g->row[i]->slope, nv, k->number, J + (size_t)i * (size_t)nv);
    for (int step = 0; step < n; step++) {
        int row = step, column = 0;
        for (int at = step * nv; at < n * nv; at++)
            if (fabs(J[at]) > fabs(J[row * nv + column])) row = at / nv, column = at % nv;
        for (int c = 0; c < nv; c++) {
            double swap = J[row * nv + c];
            J[row * nv + c] = J[step * nv + c];
            J[step * nv + c] = swap;
        }
        best[step] = column;
        for (int i = step + 1; i < n; i++) {
            double factor = J[i * nv + column] / J[step * nv + column];
            for (int c = 0; c < nv; c++) J[i * nv + c] -= factor * J[step * nv + c];
        }
    }
}

// 2 |w| of the velocities that the rows depend on.
static Expr rate_bound(const Group *g) {
    Expansion *k = g->k;
    bool *counts = ARENA_ARRAY(&k->scratch, bool, k->constraints->nv);
    for (int i = 0; i < g->n; i++)
        for (int v = 0; v < k->constraints->nv; v++)
            counts[v] |= !expr_is_zero(k->d, g->row[i]->slope[v]);
    return expr_scale(k->d, 2, expr_sqrt(k->d, motion_rate_squared(k, 0, counts)));
}

static void watch_group(const Group *g) {
    static const double part = 0.01;
    Expansion *k = g->k;
    int best[MOST];
    best_columns(g, best);
    Matrix square = matrix_new(&k->scratch, g->n, g->n);
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) MATRIX_AT(square, i, j) = g->row[i]->slope[best[j]];
    Expr det = matrix_determinant(&k->scratch, k->d, square);
    Expr hold = expr_div(k->d, det, expr_number(k->d, expr_evaluate(k->d, det, k->number)));
    if (expr_is_number(k->d, hold, NULL)) return;
    add_pause(k, hold, part, rate_bound(g), constraint_row_pos(k, g->row[0]));
}

static int leader_of(int *leader, int i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
}

// Rows that share a velocity get one leader.
int *row_groups(Expansion *k, const ConstraintRow **row, int n) {
    int *leader = ARENA_ARRAY(&k->scratch, int, n);
    int *first = ARENA_ARRAY(&k->scratch, int, k->constraints->nv); // row of each velocity, + 1
    for (int i = 0; i < n; i++) leader[i] = i;
    for (int i = 0; i < n; i++)
        for (int v = 0; v < k->constraints->nv; v++) {
            if (expr_is_zero(k->d, row[i]->slope[v])) continue;
            if (first[v])
                leader[leader_of(leader, i)] = leader_of(leader, first[v] - 1);
            else
                first[v] = i + 1;
        }
    for (int i = 0; i < n; i++) leader[i] = leader_of(leader, i);
    return leader;
}

static void watch_rows(Expansion *k, const ConstraintRow **row, int n) {
    int *leader = row_groups(k, row, n);
    for (int l = 0; l < n; l++) {
        Group g = {.k = k};
        int count = 0;
        for (int i = 0; leader[l] == l && i < n; i++) {
            if (leader[i] != l) continue;
            if (count++ < MOST) g.row[g.n++] = row[i];
        }
        if (count && count <= MOST) watch_group(&g);
    }
}

// Finds rows that do not depend, at the start, on the rows before them; returns how many.
static int independent_of(Expansion *k, const ConstraintRow **row, int n,
                          const ConstraintRow **out) {
    int nv = k->constraints->nv, count = 0;
    double *J = ARENA_ARRAY(&k->scratch, double, (size_t)n *(size_t)nv);
    bool *found = ARENA_ARRAY(&k->scratch, bool, n);
    for (int i = 0; i < n; i++)
        expr_evaluate_many(k->d, row[i]->slope, nv, k->number, J + (size_t)i * (size_t)nv);
    independent_rows(&k->scratch, J, n, nv, found);
    for (int i = 0; i < n; i++)
        if (found[i]) out[count++] = row[i];
    return count;
}

void watch_signs(Expansion *k, const ConstraintRow **row, int n) {
    const ConstraintRow **chosen = ARENA_ARRAY(&k->scratch, const ConstraintRow *, n);
    const ConstraintRow **backwards = ARENA_ARRAY(&k->scratch, const ConstraintRow *, n);
    int rank = independent_of(k, row, n, chosen);
    watch_rows(k, chosen, rank);
    if (rank == n) return;
    for (int i = 0; i < n; i++) backwards[i] = row[n - 1 - i];
    watch_rows(k, chosen, independent_of(k, backwards, n, chosen));
}
