// Rows that say nothing new, when a mechanism that is constrained is put together (assemble.c).
//
// One after the other: a row that depends on those before it, here and at a second point beside it,
// repeats them and is named. More rank at the second point: this one is singular. Rows along which
// nothing moves at both are left out.
#include "mech/closing.h"

#include "base/text.h"
#include <math.h>
#include <string.h>

static const double independent = 1e-7; // what must be left of a row of length 1

static bool moves_along(const double *row, int nv) { return closing_norm(row, nv) > 1e-12; }

// Gram and Schmidt, twice for rounding.
int independent_rows(Arena *scratch, const double *J, int n, int nv, bool *found) {
    int rank = 0;
    double *basis = ARENA_ARRAY(scratch, double, (size_t)(n + 1) * (size_t)nv);
    for (int k = 0; k < n; k++) {
        double *x = basis + rank * nv, length = closing_norm(J + k * nv, nv);
        found[k] = false;
        if (!moves_along(J + k * nv, nv)) continue;
        for (int v = 0; v < nv; v++) x[v] = J[k * nv + v] / length;
        for (int pass = 0; pass < 2; pass++)
            for (int b = 0; b < rank; b++) {
                double dot = 0;
                for (int v = 0; v < nv; v++) dot += x[v] * basis[b * nv + v];
                for (int v = 0; v < nv; v++) x[v] -= dot * basis[b * nv + v];
            }
        length = closing_norm(x, nv);
        if (length < independent) continue;
        for (int v = 0; v < nv; v++) x[v] /= length;
        found[k] = true;
        rank++;
    }
    return rank;
}

// Which rows depend on which others: row k = sum of c_j row j with the c_j that are not zero. Rows
// that such sums tie together, here or beside, get one leader: efforts without effect stay among
// them. Gram and Schmidt again, with the vectors of the basis kept as sums of rows.
typedef struct {
    double *basis, *sum, *x, *c; // rank*nv; rank*n; nv; n
    int n, nv, rank;
} Dependence;

static int leader_of(int *leader, int k) {
    while (leader[k] != k) k = leader[k] = leader[leader[k]];
    return k;
}

// x <- row k without its parts along the basis, c <- x as a sum of rows. Returns what is left of x.
static double take_parts(Dependence *p, const double *row, int k, double length) {
    memset(p->c, 0, (size_t)p->n * sizeof *p->c);
    for (int v = 0; v < p->nv; v++) p->x[v] = row[v] / length;
    p->c[k] = 1 / length;
    for (int pass = 0; pass < 2; pass++)
        for (int b = 0; b < p->rank; b++) {
            const double *basis = p->basis + b * p->nv, *sum = p->sum + b * p->n;
            double dot = 0;
            for (int v = 0; v < p->nv; v++) dot += p->x[v] * basis[v];
            if (dot == 0) continue;
            for (int v = 0; v < p->nv; v++) p->x[v] -= dot * basis[v];
            for (int j = 0; j < k; j++) p->c[j] -= dot * sum[j];
        }
    return closing_norm(p->x, p->nv);
}

static void join_dependent(Closing *c, int *leader) {
    int n = c->n, nv = c->nv;
    Arena *a = c->a->scratch;
    Dependence p = {.n = n, .nv = nv};
    p.basis = ARENA_ARRAY(a, double, (size_t)(n + 1) * (size_t)nv);
    p.sum = ARENA_ARRAY(a, double, (size_t)(n + 1) * (size_t)n);
    p.x = ARENA_ARRAY(a, double, nv);
    p.c = ARENA_ARRAY(a, double, n);
    double *size = ARENA_ARRAY(a, double, n);
    for (int k = 0; k < n; k++) {
        size[k] = closing_norm(c->J + k * nv, nv);
        if (!moves_along(c->J + k * nv, nv)) continue;
        double left = take_parts(&p, c->J + k * nv, k, size[k]);
        if (left < independent) {
            for (int j = 0; j < k; j++)
                if (fabs(p.c[j]) * size[j] > 1e-6)
                    leader[leader_of(leader, j)] = leader_of(leader, k);
            continue;
        }
        for (int v = 0; v < nv; v++) p.basis[p.rank * nv + v] = p.x[v] / left;
        for (int j = 0; j <= k; j++) p.sum[p.rank * n + j] = p.c[j] / left;
        p.rank++;
    }
}

static void number_circuits(Closing *c, int *leader) {
    int *size = ARENA_ARRAY(c->a->scratch, int, c->n);
    for (int k = 0; k < c->n; k++) size[leader_of(leader, k)]++;
    for (int k = 0; k < c->n; k++) {
        int first = leader_of(leader, k);
        c->a->h->row[k].circuit = size[first] > 1 ? first + 1 : 0;
    }
}

// A point beside this one on the constraints, along a motion that they allow.
static bool step_aside(Closing *c) {
    closing_weights(c, false, false);
    for (int v = 0; v < c->nv; v++) {
        double x = (v + 1) * 0.6180339887498949;
        c->step[v] = 0.1 * (x - floor(x)) + 0.05;
    }
    double *wanted = ARENA_ARRAY(c->a->scratch, double, c->nv);
    memcpy(wanted, c->step, (size_t)c->nv * sizeof *wanted);
    for (int k = 0; k < c->n; k++) {
        c->y[k] = 0;
        for (int v = 0; v < c->nv; v++) c->y[k] -= c->J[k * c->nv + v] * wanted[v];
    }
    closing_solve(c, c->J, 1e-13);
    closing_apply(c, c->J);
    for (int v = 0; v < c->nv; v++) c->step[v] += wanted[v];
    closing_keep(c);
    closing_move(c, 1);
    return closing_gaps(c);
}

static bool report_singular(Closing *c, const bool *here, const bool *beside) {
    int lost = 0;
    while (lost < c->n - 1 && !(beside[lost] && !here[lost])) lost++;
    const ConstraintRow *row = &c->a->h->row[lost];
    Text name = {0};
    row_name(c, &name, row);
    Remark *e = report_error(c->a->r, M_SINGULAR, row_pos(c, row),
                             "the start is singular: %s of '%s' has no hold here, but beside it",
                             text_get(&name), row_owner(c, row));
    remark_help(c->a->r, e, "start away from the position in which the parts are in one line");
    text_free(&name);
    return false;
}

static void report_redundant(Closing *c, const bool *says_new) {
    const Constraints *h = c->a->h;
    for (int k = 0; k < c->n;) {
        const ConstraintRow *first = &h->row[k];
        Text names = {0};
        int end = k, repeated = 0;
        for (; end < c->n && h->row[end].tie == first->tie && h->row[end].joint == first->joint;
             end++) {
            if (says_new[end]) continue;
            text_add(&names, repeated++ ? ", " : "");
            row_name(c, &names, &h->row[end]);
        }
        if (repeated && first->tie < 0) {
            Remark *e = report_error(c->a->r, M_REDUNDANT, row_pos(c, first),
                                     "'%s' cannot be driven: others determine its motion already",
                                     row_owner(c, first));
            remark_help(c->a->r, e, "let it move freely, or take another drive away");
        } else if (repeated) {
            Remark *e = report_warning(c->a->r, M_REDUNDANT, row_pos(c, first),
                                       "'%s' holds %d of its %d directions for the second time: %s",
                                       row_owner(c, first), repeated, end - k, text_get(&names));
            remark_help(
                c->a->r, e,
                "the motion is the same without them, and of its forces the least are given; a "
                "kind that holds less, such as 'line' in a planar linkage, says so plainly");
        }
        text_free(&names);
        k = end;
    }
}

// A wheel that lies flat touches everywhere, ends in one place have no line between them.
static bool report_undirected(Closing *c, const ConstraintRow *row) {
    Remark *e = report_error(c->a->r, M_SINGULAR, row_pos(c, row),
                             row->tie >= 0 ? "what '%s' holds has no direction at the start"
                                           : "the motion of '%s' at the start has no finite speed",
                             row_owner(c, row));
    if (row->tie < 0)
        remark_help(c->a->r, e, "begin with a speed that is finite, or start a little later");
    else if (c->a->m->tie[row->tie].kind == TIE_WHEEL)
        remark_help(c->a->r, e, "a wheel that lies flat touches everywhere: let it stand, or lean");
    else
        remark_help(c->a->r, e, "its ends are in one place: start with them apart");
    return false;
}

bool closing_directions(Closing *c) {
    for (int k = 0; k < c->n; k++) {
        bool finite = isfinite(c->rate[k]);
        for (int v = 0; v < c->nv; v++) finite &= isfinite(c->J[k * c->nv + v]) != 0;
        if (!finite) return report_undirected(c, &c->a->h->row[k]);
    }
    return true;
}

// Rows along which nothing moves here; those that move beside it come back.
static void leave_out_idle(Closing *c) {
    for (int k = 0; k < c->n; k++) c->a->h->row[k].kept = moves_along(c->J + k * c->nv, c->nv);
}

bool closing_judge(Closing *c) {
    bool *here = ARENA_ARRAY(c->a->scratch, bool, c->n);
    bool *beside = ARENA_ARRAY(c->a->scratch, bool, c->n);
    double *start = ARENA_ARRAY(c->a->scratch, double, c->nq);
    for (int q = 0; q < c->nq; q++) start[q] = *closing_place(c, q);
    int rank = independent_rows(c->a->scratch, c->J, c->n, c->nv, here);
    if (rank == c->n) return true;
    leave_out_idle(c);
    int *leader = ARENA_ARRAY(c->a->scratch, int, c->n);
    for (int k = 0; k < c->n; k++) leader[k] = k;
    join_dependent(c, leader);
    bool aside = step_aside(c);
    int rank_beside = aside ? independent_rows(c->a->scratch, c->J, c->n, c->nv, beside) : rank;
    if (aside) join_dependent(c, leader);
    for (int k = 0; !aside && k < c->n; k++) leader[k] = 0;
    number_circuits(c, leader);
    for (int k = 0; k < c->n; k++) c->a->h->row[k].kept |= moves_along(c->J + k * c->nv, c->nv);
    closing_restart(c, start);
    if (rank_beside > rank) return report_singular(c, here, beside);
    int errors = c->a->r->errors;
    report_redundant(c, here);
    return c->a->r->errors == errors;
}
