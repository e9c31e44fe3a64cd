// The laws of constraints, drives and actuators.
//
// What is integrated, (q_state, p_state), follows the motion and so stays on the constraints but
// for errors of the integration. What everybody sees, (q, p), is brought back onto them at each
// call:
//
//      q = q_state - beta J' (nu - 1)   phi(q, t) = 0                        nu: Newton, from 1
//      p = p_state - J' mu              J B^-1 p = rate                      mu: linear
//      q_state' = beta w + s (q - q_state)                                   w = B^-1 p
//      p_state' = ... + J' lambda + s (p - p_state)
//                                       J w' + (dJ/dt) w = rate'             lambda: linear
//
// With form lagrange w_state stands in place of p_state:
//
//      w = w_state - B^-1 J' mu         J w = rate
//      w_state' = w'(q, w) + B^-1 J' lambda + s (w - w_state)
//
// With Y = B^-1 J' and A = J Y, both linear systems have the matrix A, which is positive definite:
// A = L D L' needs no pivots. D_k is what row k holds beyond the rows before it; where it vanishes
// the constraints are singular, and the run ends. No state has to be chosen among the coordinates,
// so none can be the wrong one after half a turn.
//
// nu counts from 1, so that Newton's method, which knows its unknowns to a part of their size, ends
// when the correction is known to rounding beside q, not beside itself.
//
// The terms with s stabilise, as Baumgarte's do, but act on the coordinates alone: they are zero on
// the constraints and keep what is integrated near them, where (q, p) moves just as (q_state,
// p_state) does: the two directions differ by offset times curvature. Nobody has to choose s: it is
// the rate of the motion, 2 |w| with lengths in units of the mechanism's size, so that errors are
// forgotten within a fraction of a turn, nothing becomes stiff, and it rests when the mechanism
// does.
#include "mech/dynamics.h"
#include "mech/expansion.h"
#include "mech/factors.h"

#include <math.h>
#include <string.h>

static Expr time_symbol(const Expansion *k) { return symbol(k, 0); }

// --- the start -----------------------------------------------------------------------------------

static bool assemble(Expansion *k) {
    const Constraints *h = k->constraints;
    double *q = ARENA_ARRAY(&k->scratch, double, h->nq),
           *w = ARENA_ARRAY(&k->scratch, double, h->nv);
    double *w_given = ARENA_ARRAY(&k->scratch, double, h->nv);
    expr_evaluate_many(k->d, k->start_q, h->nq, k->number, q);
    expr_evaluate_many(k->d, k->start_w, h->nv, k->number, w);
    memcpy(w_given, w, (size_t)h->nv * sizeof *w);
    for (int c = 0; c < h->nq; c++) k->number[expr_symbol_index(k->d, k->in.q[c])] = q[c];
    k->number[expr_symbol_index(k->d, time_symbol(k))] = k->m->start;
    Assembly a = {.scratch = &k->scratch,
                  .d = k->d,
                  .m = k->x,
                  .h = h,
                  .q = k->in.q,
                  .value = k->number,
                  .w = w,
                  .r = k->report};
    if (!constraints_assemble(&a)) return false;
    for (int c = 0; c < h->nq; c++) {
        double now = k->number[expr_symbol_index(k->d, k->in.q[c])];
        if (now != q[c]) k->start_q[c] = expr_number(k->d, now);
    }
    for (int v = 0; v < h->nv; v++)
        if (w[v] != w_given[v]) k->start_w[v] = expr_number(k->d, w[v]);
    return true;
}

// Numbers of the coordinates at the start.
static void put_start(Expansion *k) {
    double *q = ARENA_ARRAY(&k->scratch, double, k->constraints->nq);
    expr_evaluate_many(k->d, k->start_q, k->constraints->nq, k->number, q);
    for (int c = 0; c < k->constraints->nq; c++)
        k->number[expr_symbol_index(k->d, k->in.q[c])] = q[c];
}

// An actuator acts along the line between its ends.
static bool check_actuators(Expansion *k) {
    const Constraints *h = k->constraints;
    bool good = true;
    put_start(k);
    for (int i = 0; i < h->port_count; i++) {
        const MechTie *t = &k->x->tie[h->port[i].tie];
        if (t->kind != TIE_ACTUATOR) continue;
        if (expr_evaluate(k->d, h->port[i].coordinate, k->number) > 0) continue;
        Remark *m = report_error(k->report, M_SINGULAR, t->pos,
                                 "the ends of actuator '%s' are in one place at the start, and no "
                                 "line leads from one to the other",
                                 name_text(k->m->names, t->name));
        remark_help(k->report, m, "put frames where it is fastened, or start elsewhere");
        good = false;
    }
    return good;
}

bool constraint_open(Expansion *k) {
    if (!k->x->tie_count && !k->x->constrained) return true;
    if (!drives_are_sound(k)) return false;
    k->constraints = constraints_trace(&k->scratch, k->d, k->x, k->in.q, time_symbol(k));
    return (!k->x->constrained || assemble(k)) && check_actuators(k);
}

// --- stabilisation -------------------------------------------------------------------------------

static double length_of(Expansion *k, const Expr v[3]) {
    double x[3];
    expr_evaluate_many(k->d, v, 3, k->number, x);
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

// The largest distance in the data: the size of its parts.
static double size_of(Expansion *k) {
    double size = 0;
    for (int i = 0; i < k->x->joint_count; i++)
        size = fmax(size, length_of(k, k->x->joint[i].position));
    for (int i = 0; i < k->x->tie_count; i++)
        for (int e = 0; e < 2; e++) size = fmax(size, length_of(k, k->x->tie[i].end[e].position));
    for (int i = 0; i < k->x->body_count; i++) size = fmax(size, length_of(k, k->x->body[i].cg));
    return isfinite(size) && size > 0 ? size : 1;
}

// Per velocity: 1 for turning, the size of the mechanism for lengths.
double *velocity_units(Expansion *k) {
    double *unit = ARENA_ARRAY(&k->scratch, double, k->constraints->nv), size = size_of(k);
    for (int i = 0, v = 0; i < k->x->joint_count; i++) {
        JointKind kind = k->x->joint[i].kind;
        int linear = kind == JOINT_PRISMATIC || kind == JOINT_CYLINDRICAL ? 1
                     : kind == JOINT_PLANAR                               ? 2
                     : kind == JOINT_FREE                                 ? 3
                                                                          : 0;
        for (int c = 0; c < joint_velocities(kind); c++) unit[v++] = c < linear ? size : 1;
    }
    return unit;
}

// floor + |w|^2 of the velocities that count, lengths in units of the mechanism's size. Nullable:
// counts (then all do).
Expr motion_rate_squared(Expansion *k, double floor, const bool *counts) {
    Dag *d = k->d;
    Expr sum = expr_number(d, floor);
    const double *unit = velocity_units(k);
    for (int v = 0; v < k->constraints->nv; v++) {
        if (counts && !counts[v]) continue;
        Expr w = expr_mul(d, expr_number(d, 1 / unit[v]), k->in.w[v]);
        sum = expr_add(d, sum, expr_mul(d, w, w));
    }
    return sum;
}

static Expr stabilisation_of(Expansion *k) {
    return expr_scale(k->d, 2, expr_sqrt(k->d, motion_rate_squared(k, 1e-4, NULL)));
}

Expr constraint_rate(const Expansion *k, Expr rate, int seen, int state) {
    if (!k->x->constrained) return rate;
    Expr back = expr_sub(k->d, symbol(k, seen), symbol(k, state));
    return expr_add(k->d, rate, expr_mul(k->d, k->stabilisation, back));
}

// --- what goes in --------------------------------------------------------------------------------

static int kept_rows(const Constraints *h) {
    int n = 0;
    for (int i = 0; i < h->row_count; i++) n += h->row[i].kept;
    return n;
}

// to[v] += slope[v] * effort
static void add_efforts(Expansion *k, const Expr *slope, Expr effort, Expr *to) {
    for (int v = 0; v < k->constraints->nv; v++) {
        Expr part = expr_mul(k->d, slope[v], effort);
        to[v] = to[v] ? expr_add(k->d, to[v], part) : part;
    }
}

// Velocities of what is integrated, B^-1 p_state or w_state, and B^-1 of each kept row.
static void solve_rows(Expansion *k) {
    const Constraints *h = k->constraints;
    int column = 1;
    Matrix rhs = matrix_new(&k->scratch, h->nv, 1 + kept_rows(h));
    Expr *state = ARENA_ARRAY(&k->scratch, Expr, h->nv), zero = expr_number(k->d, 0);
    for (int i = 0, v = 0; i < k->x->joint_count; i++)
        for (int c = 0; c < joint_velocities(k->x->joint[i].kind); c++, v++) {
            state[v] = symbol(k, k->x->joint[i].motion + c);
            MATRIX_AT(rhs, v, 0) = k->x->lagrange ? zero : state[v];
        }
    for (int i = 0; i < h->row_count; i++) {
        if (!h->row[i].kept) continue;
        for (int v = 0; v < h->nv; v++) MATRIX_AT(rhs, v, column) = h->row[i].slope[v];
        column++;
    }
    k->solved = mech_inverse_times(&k->scratch, k->d, k->x, k->in.q, rhs, METHOD_AUTO);
    for (int v = 0; v < h->nv && k->x->lagrange; v++) MATRIX_AT(k->solved, v, 0) = state[v];
}

void constraint_inputs(Expansion *k) {
    const Constraints *h = k->constraints;
    for (int i = 0; i < h->port_count; i++) {
        Expr effort = effort_of(k, k->x->tie[h->port[i].tie].e + h->port[i].index);
        if (effort) add_efforts(k, h->port[i].slope, effort, k->in.effort);
    }
    if (!k->x->constrained) return;
    solve_rows(k);
    k->in.w = ARENA_ARRAY(&k->scratch, Expr, h->nv);
    for (int i = 0, v = 0; i < k->x->joint_count; i++)
        for (int c = 0; c < joint_velocities(k->x->joint[i].kind); c++)
            k->in.w[v++] = symbol(k, k->x->joint[i].f + c);
    k->in.known_w = true;
    k->stabilisation = stabilisation_of(k);
}

Expr *constraint_efforts(Expansion *k) {
    const Constraints *h = k->constraints;
    Expr *all = ARENA_ARRAY(&k->scratch, Expr, h->nv);
    memcpy(all, k->in.effort, (size_t)h->nv * sizeof *all);
    for (int i = 0; i < h->row_count; i++)
        if (h->row[i].kept) add_efforts(k, h->row[i].slope, symbol(k, h->row[i].lambda), all);
    return all;
}

static const Expr *column(Expansion *k, int c) {
    Expr *x = ARENA_ARRAY(&k->scratch, Expr, k->constraints->nv);
    for (int v = 0; v < k->constraints->nv; v++) x[v] = MATRIX_AT(k->solved, v, c);
    return x;
}

// a + B^-1 J' lambda, where a knows nothing of the rows
static Expr *with_rows(Expansion *k, const Expr *acceleration) {
    const Constraints *h = k->constraints;
    Expr *all = ARENA_ARRAY(&k->scratch, Expr, h->nv);
    memcpy(all, acceleration, (size_t)h->nv * sizeof *all);
    for (int i = 0, c = 1; i < h->row_count; i++)
        if (h->row[i].kept) add_efforts(k, column(k, c++), symbol(k, h->row[i].lambda), all);
    return all;
}

Expr *constraint_accelerations(Expansion *k) { return with_rows(k, k->traced->acceleration); }

// --- rows ----------------------------------------------------------------------------------------

static Expr row_times(Expansion *k, const ConstraintRow *row, const Expr *x) {
    Expr *term = ARENA_ARRAY(&k->scratch, Expr, k->constraints->nv);
    for (int v = 0; v < k->constraints->nv; v++) term[v] = expr_mul(k->d, row->slope[v], x[v]);
    return expr_sum(k->d, term, k->constraints->nv);
}

Pos constraint_row_pos(const Expansion *k, const ConstraintRow *row) {
    return row->tie >= 0 ? k->x->tie[row->tie].pos : k->x->joint[row->joint].pos;
}

// How the mechanism would move without the efforts of its rows.
static const MechEquations *free_motion(Expansion *k) {
    if (k->x->lagrange) return k->traced; // the rows come behind it
    return mech_lagrange_form(&k->scratch, k->d, k->x, &k->in, METHOD_AUTO);
}

// How the rows would accelerate without their efforts: J a + (dJ/dt) w - rate'.
static Expr *free_accelerations(Expansion *k, const MechEquations *free) {
    const Constraints *h = k->constraints;
    Expr *out = ARENA_ARRAY(&k->scratch, Expr, h->row_count);
    Rates *rates = rates_new(k->d);
    rates_set(rates, time_symbol(k), expr_number(k->d, 1));
    for (int c = 0; c < h->nq; c++) rates_set(rates, k->in.q[c], free->q_rate[c]);
    for (int i = 0; i < h->row_count; i++) {
        const ConstraintRow *row = &h->row[i];
        if (!row->kept) continue;
        Expr beside = expr_sub(k->d, row_times(k, row, k->in.w), row->rate);
        Expr bias = rates_of(rates, beside);
        out[i] = expr_add(k->d, row_times(k, row, free->acceleration), bias);
    }
    rates_free(rates);
    return out;
}

// A = J B^-1 J' of the kept rows, with what keeps it definite where rows repeat each other
// (sharing.c), as L D L': L below the diagonal, D on it.
typedef struct {
    const ConstraintRow **row;
    int n;
    Expr *A;
} Factors;

static void add_sharing(Expansion *k, Factors *f) {
    int n = f->n;
    Expr *diagonal = ARENA_ARRAY(&k->scratch, Expr, n);
    Expr *Q = ARENA_ARRAY(&k->scratch, Expr, (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) diagonal[i] = f->A[i * n + i];
    if (!share_load(k, f->row, n, SHARE_EXACT, diagonal, Q)) return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            f->A[i * n + j] = expr_add(k->d, f->A[i * n + j], Q[i * n + j]);
}

static bool same_owner(const ConstraintRow *a, const ConstraintRow *b) {
    return a->tie == b->tie && a->joint == b->joint;
}

// Many rows are factored in an order in which few entries of L are not zero (factors_order); those
// of one tie stay together.
static void put_in_order(Expansion *k, Factors *f) {
    enum { FEW = 12 };
    int n = f->n, *order = ARENA_ARRAY(&k->scratch, int, n);
    int *block = ARENA_ARRAY(&k->scratch, int, n);
    bool *full = ARENA_ARRAY(&k->scratch, bool, (size_t)n *(size_t)n);
    if (n <= FEW) return;
    for (int i = 0; i < n; i++) {
        block[i] = i == 0 ? 0 : block[i - 1] + !same_owner(f->row[i], f->row[i - 1]);
        for (int j = 0; j <= i; j++)
            full[i * n + j] = full[j * n + i] = !expr_is_zero(k->d, f->A[i * n + j]);
    }
    if (!factors_order(&k->scratch, n, full, block, order)) return;
    Factors in_order = {.n = n, .row = ARENA_ARRAY(&k->scratch, const ConstraintRow *, n)};
    in_order.A = ARENA_ARRAY(&k->scratch, Expr, (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) {
        in_order.row[i] = f->row[order[i]];
        for (int j = 0; j <= i; j++) {
            int a = order[i], b = order[j];
            in_order.A[i * n + j] = a > b ? f->A[a * n + b] : f->A[b * n + a];
        }
    }
    *f = in_order;
}

static Factors factorise(Expansion *k) {
    const Constraints *h = k->constraints;
    Factors f = {.n = kept_rows(h)};
    int n = f.n;
    f.row = ARENA_ARRAY(&k->scratch, const ConstraintRow *, n);
    f.A = ARENA_ARRAY(&k->scratch, Expr, (size_t)n * (size_t)n);
    for (int i = 0, c = 0; i < h->row_count; i++)
        if (h->row[i].kept) f.row[c++] = &h->row[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) f.A[i * n + j] = row_times(k, f.row[i], column(k, 1 + j));
    add_sharing(k, &f);
    put_in_order(k, &f);
    factors_find(k->d, n, f.A);
    return f;
}

// The run ends where a tie loses its hold: one of its D falls to a small part of what it is at the
// start.
static void guard_ties(Expansion *k, const Factors *f) {
    Dag *d = k->d;
    for (int i = 0; i < f->n;) {
        const ConstraintRow *first = f->row[i];
        Expr hold = expr_number(d, 1);
        for (; i < f->n && f->row[i]->tie == first->tie && f->row[i]->joint == first->joint; i++) {
            Expr D = f->A[i * f->n + i];
            Expr both[2] = {hold, expr_div(d, D, expr_number(d, expr_evaluate(d, D, k->number)))};
            hold = expr_call(d, OP_MIN, both, 2);
        }
        if (expr_is_number(d, hold, NULL)) continue;
        Name owner = first->tie >= 0 ? k->x->tie[first->tie].name : k->x->joint[first->joint].name;
        add_guard(k, hold, owner, constraint_row_pos(k, first),
                  "beyond this point the motion is not determined: keep away from it, or hold the "
                  "mechanism by one more constraint that decides which way it goes");
    }
}

// A mu = J B^-1 p_state - rate      A lambda = -free acceleration
static void row_laws(Expansion *k, const Expr *acceleration) {
    Dag *d = k->d;
    Factors f = factorise(k);
    Expr *mu = ARENA_ARRAY(&k->scratch, Expr, f.n), *lambda = ARENA_ARRAY(&k->scratch, Expr, f.n);
    for (int i = 0; i < f.n; i++) {
        mu[i] = expr_sub(d, row_times(k, f.row[i], column(k, 0)), f.row[i]->rate);
        array_push(&k->tie, ((StartTie){k->x->comp, mu[i], constraint_row_pos(k, f.row[i])}));
        lambda[i] = expr_neg(d, acceleration[f.row[i] - k->constraints->row]);
    }
    factors_solve(d, f.n, f.A, mu);
    factors_solve(d, f.n, f.A, lambda);
    for (int i = 0; i < f.n; i++) {
        const ConstraintRow *row = f.row[i];
        Pos pos = constraint_row_pos(k, row);
        add_law(k, symbol(k, row->mu), mu[i], pos);
        add_law(k, symbol(k, row->lambda), lambda[i], pos);
    }
    guard_ties(k, &f);
    watch_signs(k, f.row, f.n);
}

static void dropped_law(Expansion *k, const ConstraintRow *row) {
    Expr zero = expr_number(k->d, 0);
    add_law(k, symbol(k, row->lambda), zero, constraint_row_pos(k, row));
    add_law(k, symbol(k, row->mu), zero, constraint_row_pos(k, row));
    add_law(k, symbol(k, row->nu), expr_number(k->d, 1), constraint_row_pos(k, row));
}

// --- back onto the constraints -------------------------------------------------------------------

static Rewrite *states_for_coordinates(Expansion *k) {
    Rewrite *r = rewrite_new(k->d);
    for (int i = 0, q = 0; i < k->x->joint_count; i++)
        for (int c = 0; c < joint_coordinates(&k->x->joint[i]); c++, q++)
            rewrite_set(r, k->in.q[q], symbol(k, k->x->joint[i].state[c]));
    return r;
}

// beta J' (nu - 1) at q_state
static Expr *position_corrections(Expansion *k) {
    const Constraints *h = k->constraints;
    Dag *d = k->d;
    Expr *along = ARENA_ARRAY(&k->scratch, Expr, h->nv),
         *out = ARENA_ARRAY(&k->scratch, Expr, h->nq);
    Rewrite *at_state = states_for_coordinates(k);
    for (int v = 0; v < h->nv; v++) along[v] = expr_number(d, 0);
    for (int i = 0; i < h->row_count; i++)
        if (h->row[i].kept && h->row[i].phi)
            add_efforts(k, h->row[i].slope, expr_sub(d, symbol(k, h->row[i].nu), expr_number(d, 1)),
                        along);
    Matrix beta = mech_beta(&k->scratch, d, k->x, k->in.q);
    for (int q = 0; q < h->nq; q++) {
        out[q] = expr_number(d, 0);
        for (int v = 0; v < h->nv; v++)
            out[q] = expr_add(d, out[q], expr_mul(d, MATRIX_AT(beta, q, v), along[v]));
        out[q] = rewrite(at_state, out[q]);
    }
    rewrite_free(at_state);
    return out;
}

// Per row: sum over j of Q_ij (nu_j - 1) at q_state, of the load that rows share; 0 where they do
// not.
static Expr *position_shares(Expansion *k, const ConstraintRow **row, int n) {
    Dag *d = k->d;
    Expr *diagonal = ARENA_ARRAY(&k->scratch, Expr, n), *out = ARENA_ARRAY(&k->scratch, Expr, n);
    Expr *Q = ARENA_ARRAY(&k->scratch, Expr, (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) {
        diagonal[i] = row_times(k, row[i], row[i]->slope);
        out[i] = expr_zero(d);
    }
    if (!share_load(k, row, n, SHARE_BESIDE, diagonal, Q)) return out;
    Rewrite *at_state = states_for_coordinates(k);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Expr nu = expr_sub(d, symbol(k, row[j]->nu), expr_number(d, 1));
            out[i] = expr_add(d, out[i], expr_mul(d, rewrite(at_state, Q[i * n + j]), nu));
        }
    rewrite_free(at_state);
    return out;
}

// phi + Q (nu - 1) = 0 as equations for nu alone, so that Newton has nothing else to remember: it
// begins at nu = 1, where the correction is zero. Q acts on directions in which phi says nothing:
// both terms vanish separately.
static void position_laws(Expansion *k, const Expr *seen) {
    const Constraints *h = k->constraints;
    Expr one = expr_number(k->d, 1);
    const ConstraintRow **row = ARENA_ARRAY(&k->scratch, const ConstraintRow *, h->row_count);
    int n = 0;
    for (int i = 0; i < h->row_count; i++) {
        if (!h->row[i].kept) continue;
        k->m->var[h->row[i].nu].start = one;
        k->m->var[h->row[i].nu].afresh = true;
        if (h->row[i].phi)
            row[n++] = &h->row[i];
        else
            add_law(k, symbol(k, h->row[i].nu), one, constraint_row_pos(k, &h->row[i]));
    }
    Expr *share = position_shares(k, row, n);
    Rewrite *put = rewrite_new(k->d);
    for (int q = 0; q < h->nq; q++) rewrite_set(put, k->in.q[q], seen[q]);
    for (int i = 0; i < n; i++) {
        Expr zero = expr_number(k->d, 0),
             left = expr_add(k->d, rewrite(put, row[i]->phi), share[i]);
        add_law(k, left, zero, constraint_row_pos(k, row[i]));
    }
    rewrite_free(put);
}

// Coordinates, momenta and velocities that everybody sees. Their rates are known: that of a
// coordinate is a velocity, and accelerations are what efforts make of the motion. To differentiate
// the projection would give the same on the constraints, with rates of mu and nu, twice the
// formulas, and efforts of bonded inertias that feel errors beside them.
static void projection_laws(Expansion *k, const MechEquations *free) {
    const Constraints *h = k->constraints;
    Dag *d = k->d;
    Expr *seen = position_corrections(k);
    const Expr *acceleration = with_rows(k, free->acceleration);
    Expr *impulse = ARENA_ARRAY(&k->scratch, Expr, h->nv),
         *flow = ARENA_ARRAY(&k->scratch, Expr, h->nv);
    for (int v = 0; v < h->nv; v++) flow[v] = impulse[v] = expr_number(d, 0);
    for (int i = 0, c = 1; i < h->row_count; i++) {
        if (!h->row[i].kept) continue;
        add_efforts(k, h->row[i].slope, symbol(k, h->row[i].mu), impulse);
        add_efforts(k, column(k, c++), symbol(k, h->row[i].mu), flow);
    }
    for (int i = 0, q = 0, v = 0; i < k->x->joint_count; i++) {
        const MechJoint *j = &k->x->joint[i];
        for (int c = 0; c < joint_coordinates(j); c++, q++) {
            seen[q] = expr_sub(d, symbol(k, j->state[c]), seen[q]);
            add_rated_law(k, symbol(k, j->coordinate[c]), seen[q], free->q_rate[q], j->pos);
        }
        for (int c = 0; c < joint_velocities(j->kind); c++, v++) {
            if (!k->x->lagrange)
                add_law(k, symbol(k, j->p + c), expr_sub(d, symbol(k, j->motion + c), impulse[v]),
                        j->pos);
            add_rated_law(k, symbol(k, j->f + c), expr_sub(d, MATRIX_AT(k->solved, v, 0), flow[v]),
                          acceleration[v], j->pos);
        }
    }
    position_laws(k, seen);
}

// --- what can be seen of constraints -------------------------------------------------------------

static void tie_laws(Expansion *k, int tie) {
    const MechTie *t = &k->x->tie[tie];
    Dag *d = k->d;
    Expr wrench[6], gap = expr_number(d, 0);
    if (t->kind == TIE_ACTUATOR) return;
    for (int c = 0; c < 6; c++) wrench[c] = gap;
    for (int i = 0; i < k->constraints->row_count; i++) {
        const ConstraintRow *row = &k->constraints->row[i];
        if (row->tie != tie) continue;
        for (int c = 0; c < 6; c++)
            wrench[c] =
                expr_add(d, wrench[c], expr_mul(d, row->direction[c], symbol(k, row->lambda)));
        if (row->phi) gap = expr_add(d, gap, expr_mul(d, row->phi, row->phi));
    }
    for (int c = 0; c < 3; c++) {
        add_law(k, symbol(k, t->force + c), wrench[c], t->pos);
        add_law(k, symbol(k, t->moment + c), wrench[3 + c], t->pos);
    }
    add_law(k, symbol(k, t->gap), expr_sqrt(d, gap), t->pos);
}

static void port_law(Expansion *k, const FreeRow *row) {
    const MechTie *t = &k->x->tie[row->tie];
    Expr *term = ARENA_ARRAY(&k->scratch, Expr, k->constraints->nv), zero = expr_number(k->d, 0);
    for (int i = 0, v = 0; i < k->x->joint_count; i++)
        for (int c = 0; c < joint_velocities(k->x->joint[i].kind); c++, v++)
            term[v] = expr_mul(k->d, row->slope[v], symbol(k, k->x->joint[i].f + c));
    add_law(k, symbol(k, t->f + row->index), expr_sum(k->d, term, k->constraints->nv), t->pos);
    free_efforts(k, t->e + row->index, 1, t->pos);
    if (t->q >= 0)
        add_law(k, symbol(k, t->q + row->index), row->coordinate ? row->coordinate : zero, t->pos);
}

static void drive_law(Expansion *k) {
    Expr power = expr_number(k->d, 0);
    if (k->x->drive_power < 0) return;
    for (int i = 0; i < k->constraints->row_count; i++) {
        const ConstraintRow *row = &k->constraints->row[i];
        if (row->tie < 0)
            power = expr_add(k->d, power, expr_mul(k->d, symbol(k, row->lambda), row->rate));
    }
    add_law(k, symbol(k, k->x->drive_power), power, k->x->pos);
    k->m->comp[k->x->comp].own_supply = k->x->drive_power;
}

void constraint_laws(Expansion *k) {
    const Constraints *h = k->constraints;
    for (int i = 0; i < h->port_count; i++) port_law(k, &h->port[i]);
    for (int i = 0; i < k->x->tie_count; i++) tie_laws(k, i);
    if (!k->x->constrained) return;
    const MechEquations *free = free_motion(k);
    row_laws(k, free_accelerations(k, free));
    for (int i = 0; i < h->row_count; i++)
        if (!h->row[i].kept) dropped_law(k, &h->row[i]);
    projection_laws(k, free);
    drive_law(k);
}
