// Rows that repeat each other share the load.
//
// A loop may be constrained more often than it can move: a planar four-bar that is closed by a
// hinge in space, Bennett's linkage. Then the rows of J depend on each other, x'J = 0 for some x,
// and which of them could be left out changes during the motion. So none is: the matrix A = J B^-1
// J' of all rows, or J J' at position level, gets what it lacks,
//
//      A + c P,     P = projector onto the efforts x that do nothing, J'x = 0
//
//      rows   /  \    constrained twice       A acts on this side only, P on that side only: for every b
//            /____\                    that rows can ask for, A x = b holds exactly, and P x = 0
//                                      picks the smallest of all efforts x with the same effect.
//
// P is smooth as long as the rank of J is, whichever rows carry it. With K = J J' (velocities and
// rows in comparable units),
//
//      P = (eps (K + eps)^-1)^m      1 where K is 0, and (eps/K)^m, which is nothing, elsewhere.
//
// Where J truly loses rank the small values of A go below every bound long before K comes near eps,
// and the guards on D end the run.
//
// Groups of rows that share no velocity are looked at apart; where rows are independent nothing is
// added. In a large group the efforts without effect fall apart: a rod beside each of many
// four-bars carries load together with its own four-bar only. The space of such x is then the sum
// of spaces over circuits, rows of which none is a combination of others outside (assemble.c), and
// so is P: each circuit gets its own, and A stays as sparse as it is.
#include "mech/dynamics.h"
#include "mech/expansion.h"
#include "mech/factors.h"

#include <math.h>
#include <string.h>

typedef struct {
    double part;   // eps, of the mean of K's diagonal
    int squarings; // m = 2^squarings
} Sharpness;

// Seen coordinates lie on the constraints to rounding, so what is zero is known exactly. Those that
// are integrated are off by an error e of the integration, and K is e^2 in place of 0 there.
static Sharpness sharpness_of(Sharing how) {
    return how == SHARE_EXACT ? (Sharpness){1e-10, 1} : (Sharpness){1e-4, 2};
}

typedef struct {
    Expansion *k;
    const ConstraintRow **row; // of one group
    int *at;                   // their numbers among all rows
    int n;
    double *J;    // n*nv, at the start, velocities in units of the mechanism
    double *unit; // per row: how long J is there
} Group;

static double *numbers_of_rows(const Group *g, const double *velocity) {
    Expansion *k = g->k;
    int nv = k->constraints->nv;
    double *J = ARENA_ARRAY(&k->scratch, double, (size_t)g->n *(size_t)nv);
    for (int i = 0; i < g->n; i++) {
        expr_evaluate_many(k->d, g->row[i]->slope, nv, k->number, J + i * nv);
        for (int v = 0; v < nv; v++) J[i * nv + v] *= velocity[v];
    }
    return J;
}

static bool is_moment(const Group *g, int i) {
    for (int c = 0; c < 3 && g->row[i]->tie >= 0; c++)
        if (!expr_is_zero(g->k->d, g->row[i]->direction[c])) return false;
    return true;
}

// A constraint at its dead point holds nothing at the start but rounding: it has the unit of
// others.
static void fill_idle_units(const Group *g, double *unit) {
    double most[2] = {0, 0};
    for (int i = 0; i < g->n; i++) most[is_moment(g, i)] = fmax(most[is_moment(g, i)], unit[i]);
    for (int i = 0; i < g->n; i++) {
        double own = most[is_moment(g, i)], other = most[!is_moment(g, i)];
        if (!(own > 1e-9 * other)) own = other > 0 ? other : 1;
        if (!(unit[i] > 1e-9 * own)) unit[i] = own;
    }
}

// Forces of one constraint have one unit, and so have its moments: its axes do not matter.
static double *units_of_rows(const Group *g) {
    double *unit = ARENA_ARRAY(&g->k->scratch, double, g->n);
    int nv = g->k->constraints->nv;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) {
            double square = 0;
            if (g->row[i]->tie != g->row[j]->tie || g->row[i]->joint != g->row[j]->joint ||
                is_moment(g, i) != is_moment(g, j))
                continue;
            for (int v = 0; v < nv; v++) square += g->J[j * nv + v] * g->J[j * nv + v];
            unit[i] = fmax(unit[i], sqrt(square));
        }
    fill_idle_units(g, unit);
    return unit;
}

// --- the projector -------------------------------------------------------------------------------

// K + eps, the lower triangle; eps comes back.
static Expr *kinematic_matrix(const Group *g, const double *velocity, double part, Expr *eps) {
    Expansion *k = g->k;
    Dag *d = k->d;
    int n = g->n, nv = k->constraints->nv;
    Expr *K = ARENA_ARRAY(&k->scratch, Expr, (size_t)n * (size_t)n);
    Expr *term = ARENA_ARRAY(&k->scratch, Expr, nv), trace = expr_zero(d);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            for (int v = 0; v < nv; v++)
                term[v] = expr_scale(d, velocity[v] * velocity[v],
                                     expr_mul(d, g->row[i]->slope[v], g->row[j]->slope[v]));
            K[i * n + j] = expr_scale(d, 1 / (g->unit[i] * g->unit[j]), expr_sum(d, term, nv));
            if (i == j) trace = expr_add(d, trace, K[i * n + i]);
        }
    *eps = expr_mul(d, expr_number(d, part / n), trace);
    for (int i = 0; i < n; i++) K[i * n + i] = expr_add(d, K[i * n + i], *eps);
    return K;
}

// P <- P P
static Expr *squared(const Group *g, const Expr *P) {
    Dag *d = g->k->d;
    int n = g->n;
    Expr *out = ARENA_ARRAY(&g->k->scratch, Expr, (size_t)n * (size_t)n);
    Expr *term = ARENA_ARRAY(&g->k->scratch, Expr, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            for (int c = 0; c < n; c++) term[c] = expr_mul(d, P[i * n + c], P[j * n + c]);
            out[i * n + j] = out[j * n + i] = expr_sum(d, term, n);
        }
    return out;
}

static Expr *projector(const Group *g, const double *velocity, Sharpness sharp) {
    Dag *d = g->k->d;
    int n = g->n;
    Expr eps, *K = kinematic_matrix(g, velocity, sharp.part, &eps);
    Expr *P = ARENA_ARRAY(&g->k->scratch, Expr, (size_t)n * (size_t)n);
    Expr *x = ARENA_ARRAY(&g->k->scratch, Expr, n);
    factors_find(d, n, K);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) x[i] = i == j ? eps : expr_zero(d);
        factors_solve(d, n, K, x);
        for (int i = j; i < n; i++) P[i * n + j] = P[j * n + i] = x[i];
    }
    for (int s = 0; s < sharp.squarings; s++) P = squared(g, P);
    return P;
}

// --- groups --------------------------------------------------------------------------------------

// c: as much as the least of what the rows hold at the start, by units of theirs.
static double strength(const Group *g, const bool *independent, const Expr *diagonal) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < g->n; i++) {
        if (!independent[i]) continue;
        double constrained = expr_evaluate(g->k->d, diagonal[g->at[i]], g->k->number);
        sum += g->unit[i] * g->unit[i] / constrained;
        count++;
    }
    return isfinite(sum) && sum > 0 ? count / sum : 1;
}

static bool share_part(Group *g, Sharing how, const double *velocity, int n, const Expr *diagonal,
                       Expr *Q) {
    Expansion *k = g->k;
    bool *independent = ARENA_ARRAY(&k->scratch, bool, g->n);
    if (independent_rows(&k->scratch, g->J, g->n, k->constraints->nv, independent) == g->n)
        return false;
    double c = strength(g, independent, diagonal);
    Expr *P = projector(g, velocity, sharpness_of(how));
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            Q[g->at[i] * n + g->at[j]] =
                expr_mul(k->d, expr_number(k->d, c / (g->unit[i] * g->unit[j])), P[i * g->n + j]);
    return true;
}

static Group group_new(Expansion *k, int most) {
    return (Group){.k = k,
                   .row = ARENA_ARRAY(&k->scratch, const ConstraintRow *, most),
                   .at = ARENA_ARRAY(&k->scratch, int, most)};
}

// The rows of one circuit, with the units that they have among all.
static Group circuit_of(const Group *g, int circuit) {
    int nv = g->k->constraints->nv;
    Group part = group_new(g->k, g->n);
    part.J = ARENA_ARRAY(&g->k->scratch, double, (size_t)g->n *(size_t)nv);
    part.unit = ARENA_ARRAY(&g->k->scratch, double, g->n);
    for (int i = 0; i < g->n; i++) {
        if (g->row[i]->circuit != circuit) continue;
        memcpy(part.J + part.n * nv, g->J + i * nv, (size_t)nv * sizeof *part.J);
        part.unit[part.n] = g->unit[i];
        part.at[part.n] = g->at[i];
        part.row[part.n++] = g->row[i];
    }
    return part;
}

static bool share_group(Group *g, Sharing how, int n, const Expr *diagonal, Expr *Q) {
    enum { FEW = 12 }; // rows for which one projector is as good
    const double *velocity = velocity_units(g->k);
    bool any = false;
    g->J = numbers_of_rows(g, velocity);
    g->unit = units_of_rows(g);
    if (g->n <= FEW) return share_part(g, how, velocity, n, diagonal, Q);
    for (int i = 0; i < g->n; i++) {
        bool first = g->row[i]->circuit > 0;
        for (int j = 0; first && j < i; j++) first = g->row[j]->circuit != g->row[i]->circuit;
        if (!first) continue;
        Group part = circuit_of(g, g->row[i]->circuit);
        any |= share_part(&part, how, velocity, n, diagonal, Q);
    }
    return any;
}

bool share_load(Expansion *k, const ConstraintRow **row, int n, Sharing how, const Expr *diagonal,
                Expr *Q) {
    int *group = row_groups(k, row, n);
    bool any = false;
    for (int i = 0; i < n * n; i++) Q[i] = expr_zero(k->d);
    for (int l = 0; l < n; l++) {
        if (group[l] != l) continue;
        Group g = group_new(k, n);
        for (int i = 0; i < n; i++) {
            if (group[i] != l) continue;
            g.at[g.n] = i;
            g.row[g.n++] = row[i];
        }
        any |= g.n > 0 && share_group(&g, how, n, diagonal, Q);
    }
    return any;
}
