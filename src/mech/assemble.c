// The start of a mechanism that is constrained: coordinates and velocities that fulfil all rows,
// near the given ones, and rows that say nothing new.
//
//   coordinates    Levenberg and Marquardt on phi(q) = 0 along the velocities,
//                      q <- q + beta D,   D = -W G' (G W G' + eps)^-1 phi,   G = phi' by velocities
//                  first with W = 0 for joints whose start is given, then with all
//   velocities     the least change of w that gives J w = rate, in the same order
//   rows           closing_rows.c
//
// eps only damps: it is small where steps succeed, and rows that repeat each other do no harm.
#include "mech/closing.h"

#include "base/text.h"
#include <math.h>
#include <string.h>

static const double closed = 1e-11; // of phi, in m and rad: far below every tolerance of a run

// --- numbers -------------------------------------------------------------------------------------

double *closing_place(const Closing *c, int coordinate) {
    return &c->a->value[expr_symbol_index(c->a->d, c->a->q[coordinate])];
}

static void evaluate(Closing *c) {
    expr_evaluate_many(c->a->d, c->entry, c->entry_count, c->a->value, c->number);
}

// phi by velocities: each coordinate moves at its rate.
static void position_slopes(Closing *c, Matrix beta, Expr *out) {
    Dag *d = c->a->d;
    for (int v = 0; v < c->nv; v++) {
        Rates *rates = rates_new(d);
        for (int q = 0; q < c->nq; q++) rates_set(rates, c->a->q[q], MATRIX_AT(beta, q, v));
        for (int k = 0; k < c->n; k++) {
            Expr phi = c->a->h->row[k].phi;
            out[k * c->nv + v] = phi ? rates_of(rates, phi) : expr_number(d, 0);
        }
        rates_free(rates);
    }
}

static void open_closing(Closing *c, const Assembly *a) {
    const Constraints *h = a->h;
    *c = (Closing){.a = a, .n = h->row_count, .nv = h->nv, .nq = h->nq};
    int n = c->n, nv = c->nv, nq = c->nq;
    size_t count = 2 * (size_t)n + (2 * (size_t)n + (size_t)nq) * (size_t)nv;
    c->entry = ARENA_ARRAY(a->scratch, Expr, count);
    c->number = ARENA_ARRAY(a->scratch, double, count);
    c->entry_count = (int)count;
    c->phi = c->number;
    c->G = c->phi + n;
    c->J = c->G + n * nv;
    c->rate = c->J + n * nv;
    c->beta = c->rate + n;
    Matrix beta = mech_beta(a->scratch, a->d, a->m, a->q);
    for (int k = 0; k < n; k++) {
        c->entry[k] = h->row[k].phi ? h->row[k].phi : expr_number(a->d, 0);
        memcpy(c->entry + (c->J - c->number) + k * nv, h->row[k].slope, (size_t)nv * sizeof(Expr));
        c->entry[(c->rate - c->number) + k] = h->row[k].rate;
    }
    memcpy(c->entry + (c->beta - c->number), beta.at, (size_t)(nq * nv) * sizeof(Expr));
    position_slopes(c, beta, c->entry + (c->G - c->number));
    c->weight = ARENA_ARRAY(a->scratch, double, nv);
    c->M = ARENA_ARRAY(a->scratch, double, (size_t)n *(size_t)n);
    c->y = ARENA_ARRAY(a->scratch, double, n);
    c->step = ARENA_ARRAY(a->scratch, double, nv);
    c->old = ARENA_ARRAY(a->scratch, double, nq);
}

// y <- (A W A' + eps)^-1 y by Cholesky; eps is relative to the largest diagonal entry.
void closing_solve(Closing *c, const double *A, double eps) {
    int n = c->n, nv = c->nv;
    double *M = c->M, *y = c->y, largest = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int v = 0; v < nv; v++) sum += A[i * nv + v] * c->weight[v] * A[j * nv + v];
            M[i * n + j] = sum;
            if (i == j) largest = fmax(largest, sum);
        }
    for (int i = 0; i < n; i++) M[i * n + i] += largest > 0 ? eps * largest : 1;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = M[i * n + j];
            for (int k = 0; k < j; k++) sum -= M[i * n + k] * M[j * n + k];
            M[i * n + j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / M[j * n + j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) y[i] -= M[i * n + k] * y[k];
        y[i] /= M[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) y[i] -= M[k * n + i] * y[k];
        y[i] /= M[i * n + i];
    }
}

// step = W A' y
void closing_apply(Closing *c, const double *A) {
    for (int v = 0; v < c->nv; v++) {
        double sum = 0;
        for (int k = 0; k < c->n; k++) sum += A[k * c->nv + v] * c->y[k];
        c->step[v] = c->weight[v] * sum;
    }
}

// --- coordinates ---------------------------------------------------------------------------------

double closing_norm(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static void normalise(const Closing *c) {
    for (int i = 0, q = 0; i < c->a->m->joint_count; i++) {
        const MechJoint *j = &c->a->m->joint[i];
        q += joint_coordinates(j);
        if ((j->kind != JOINT_FREE && j->kind != JOINT_SPHERICAL) || j->angles.used) continue;
        double part[4];
        for (int k = 0; k < 4; k++) part[k] = *closing_place(c, q - 4 + k);
        double length = closing_norm(part, 4);
        for (int k = 0; k < 4 && length > 0; k++) *closing_place(c, q - 4 + k) = part[k] / length;
    }
}

void closing_move(Closing *c, double by) {
    for (int q = 0; q < c->nq; q++) {
        double rate = 0;
        for (int v = 0; v < c->nv; v++) rate += c->beta[q * c->nv + v] * c->step[v];
        *closing_place(c, q) = c->old[q] + by * rate;
    }
    normalise(c);
}

void closing_keep(Closing *c) {
    for (int q = 0; q < c->nq; q++) c->old[q] = *closing_place(c, q);
}

static void go_back(Closing *c) {
    for (int q = 0; q < c->nq; q++) *closing_place(c, q) = c->old[q];
    evaluate(c);
}

// True: all rows are fulfilled. Leaves the best point that was found.
bool closing_gaps(Closing *c) {
    enum { MOST_STEPS = 200 };
    double eps = 1e-13, gap;
    evaluate(c);
    gap = closing_norm(c->phi, c->n);
    for (int i = 0; i < MOST_STEPS && gap > 0 && isfinite(gap); i++) {
        closing_keep(c);
        for (int k = 0; k < c->n; k++) c->y[k] = -c->phi[k];
        closing_solve(c, c->G, eps);
        closing_apply(c, c->G);
        double length = closing_norm(c->step, c->nv);
        closing_move(c, length > 0.5 ? 0.5 / length : 1); // half a radian, half a metre at a time
        evaluate(c);
        double now = closing_norm(c->phi, c->n);
        if (now < gap) {
            gap = now;
            eps = fmax(1e-13, eps / 10);
            continue;
        }
        go_back(c);
        if (gap <= closed || eps > 1e8) break;
        eps *= 10;
    }
    return gap <= closed;
}

// Weights of the coordinates while the mechanism is put together: joints whose start is given do
// not move.
void closing_weights(Closing *c, bool keep_given, bool flows) {
    for (int i = 0, v = 0; i < c->a->m->joint_count; i++) {
        const MechJoint *j = &c->a->m->joint[i];
        bool given = (flows ? j->given_flow : j->given_start) && !j->driven;
        for (int k = 0; k < joint_velocities(j->kind); k++)
            c->weight[v++] = keep_given && given ? 0 : 1;
    }
}

// A start in a dead position shows no way out: a little aside there is one.
static void nudge(Closing *c, int attempt) {
    closing_keep(c);
    for (int v = 0; v < c->nv; v++) {
        double x = (v + 1) * 0.6180339887498949 + attempt * 0.4142135623730951;
        c->step[v] = c->weight[v] * (0.3 * attempt) * (2 * (x - floor(x)) - 1);
    }
    closing_move(c, 1);
}

void closing_restart(Closing *c, const double *start) {
    for (int q = 0; q < c->nq; q++) *closing_place(c, q) = start[q];
    evaluate(c);
}

static bool assemble(Closing *c, const double *start) {
    enum { ATTEMPTS = 4 };
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        closing_restart(c, start);
        if (attempt) nudge(c, attempt);
        if (closing_gaps(c)) return true;
    }
    closing_restart(c, start);
    closing_gaps(c);
    return false;
}

// --- messages ------------------------------------------------------------------------------------

static const char *text_of_name(const Closing *c, Name name) {
    return name_text(dag_names(c->a->d), name);
}

Pos row_pos(const Closing *c, const ConstraintRow *row) {
    return row->tie >= 0 ? c->a->m->tie[row->tie].pos : c->a->m->joint[row->joint].pos;
}

const char *row_owner(const Closing *c, const ConstraintRow *row) {
    return text_of_name(c, row->tie >= 0 ? c->a->m->tie[row->tie].name
                                         : c->a->m->joint[row->joint].name);
}

// "the force along z"; other directions by their numbers
void row_name(const Closing *c, Text *out, const ConstraintRow *row) {
    double part[6];
    if (row->tie < 0) {
        text_add(out, "its motion");
        return;
    }
    expr_evaluate_many(c->a->d, row->direction, 6, c->a->value, part);
    bool turns = closing_norm(part, 3) == 0;
    const double *x = turns ? part + 3 : part;
    text_add(out, turns ? "the moment about " : "the force along ");
    for (int i = 0; i < 3; i++)
        if (fabs(x[i]) > 1 - 1e-12) {
            text_char(out, (char)('x' + i));
            return;
        }
    text_printf(out, "(%.3g, %.3g, %.3g)", x[0], x[1], x[2]);
}

static int worst_row(const Closing *c) {
    int worst = 0;
    for (int k = 0; k < c->n; k++) {
        if (isnan(c->phi[k])) return k;
        if (fabs(c->phi[k]) > fabs(c->phi[worst])) worst = k;
    }
    return worst;
}

static bool report_open(Closing *c) {
    const ConstraintRow *row = &c->a->h->row[worst_row(c)];
    double square = 0;
    for (int k = 0; k < c->n; k++) {
        const ConstraintRow *x = &c->a->h->row[k];
        if (x->tie == row->tie && x->joint == row->joint) square += c->phi[k] * c->phi[k];
    }
    if (!isfinite(square)) {
        Remark *e =
            report_error(c->a->r, M_UNREACHABLE, row_pos(c, row),
                         "where '%s' should be at the start is no number", row_owner(c, row));
        remark_help(c->a->r, e, "look for a root, a logarithm or an arc that leaves its range");
        return false;
    }
    Remark *e =
        report_error(c->a->r, M_UNREACHABLE, row_pos(c, row),
                     row->tie >= 0 ? "'%s' cannot be closed: at best its ends are %.3g apart"
                                   : "'%s' cannot follow its motion: at best it is %.3g off",
                     row_owner(c, row), sqrt(square));
    remark_help(c->a->r, e,
                "check the lengths of the parts, or start nearer to a position in which the chain "
                "closes");
    return false;
}

static void report_moved(Closing *c, bool flows, const double *before, const double *after,
                         const int *first) {
    for (int i = 0; i < c->a->m->joint_count; i++) {
        const MechJoint *j = &c->a->m->joint[i];
        int n = flows ? joint_velocities(j->kind) : joint_coordinates(j), worst = first[i];
        if (!n || !(flows ? j->given_flow : j->given_start)) continue;
        for (int k = first[i]; k < first[i] + n; k++)
            if (fabs(after[k] - before[k]) > fabs(after[worst] - before[worst])) worst = k;
        if (fabs(after[worst] - before[worst]) <= 1e-9 * fmax(1, fabs(before[worst]))) continue;
        bool none = fabs(after[worst]) <= 1e-12 * fabs(before[worst]); // rounding
        Remark *e = report_warning(c->a->r, M_START_MOVED, j->pos,
                                   "the %s of '%s' at the start is %.6g in place of %.6g, as "
                                   "constraints demand",
                                   flows ? "rate" : "coordinate", text_of_name(c, j->name),
                                   none ? 0 : after[worst], before[worst]);
        remark_help(c->a->r, e, "give the start of fewer joints; the others follow");
    }
}

// A given value of a driven joint must agree with its prescribed motion. False: reported.
static bool drives_agree(Closing *c, bool flows, const double *before, const double *after,
                         const int *first) {
    bool good = true;
    for (int i = 0; i < c->a->m->joint_count; i++) {
        const MechJoint *j = &c->a->m->joint[i];
        if (!j->driven || !(flows ? j->given_flow : j->given_start)) continue;
        for (int k = first[i]; k < first[i + 1] && good; k++) {
            if (fabs(after[k] - before[k]) <= 1e-8 * fmax(1, fabs(before[k]))) continue;
            bool none = fabs(after[k]) <= 1e-12 * fabs(before[k]); // rounding
            Remark *e = report_error(c->a->r, M_START_MOVED, j->pos,
                                     "'%s' is driven: its motion says that its %s at the start is "
                                     "%.6g, not %.6g",
                                     text_of_name(c, j->name), flows ? "rate" : "coordinate",
                                     none ? 0 : after[k], before[k]);
            remark_help(c->a->r, e,
                        "leave it out, or let the motion begin there; `initial about` is a guess");
            good = false;
        }
    }
    return good;
}

// --- velocities ----------------------------------------------------------------------------------

// J w = rate with the least change of w. True: fulfilled.
static bool close_rates(Closing *c, double *w) {
    double worst = 0;
    for (int pass = 0; pass < 3; pass++) { // the damping costs digits, which come back
        for (int k = 0; k < c->n; k++) {
            c->y[k] = c->rate[k];
            for (int v = 0; v < c->nv; v++) c->y[k] -= c->J[k * c->nv + v] * w[v];
        }
        worst = closing_norm(c->y, c->n);
        if (pass == 2) break;
        closing_solve(c, c->J, 1e-13);
        closing_apply(c, c->J);
        for (int v = 0; v < c->nv; v++) w[v] += c->step[v];
    }
    return worst <= 1e-9 * fmax(1, closing_norm(w, c->nv));
}

static bool report_rates(Closing *c) {
    int worst = 0;
    for (int k = 0; k < c->n; k++)
        if (fabs(c->y[k]) > fabs(c->y[worst])) worst = k;
    const ConstraintRow *row = &c->a->h->row[worst];
    Remark *e = report_error(c->a->r, M_UNREACHABLE, row_pos(c, row),
                             "no velocities at the start fulfil '%s' together with the others",
                             row_owner(c, row));
    remark_help(c->a->r, e, "two drives move against each other, or one moves what cannot move");
    return false;
}

static bool find_rates(Closing *c, const int *first_v) {
    double *w = c->a->w, *given = ARENA_ARRAY(c->a->scratch, double, c->nv);
    memcpy(given, w, (size_t)c->nv * sizeof *w);
    closing_weights(c, true, true);
    if (close_rates(c, w)) return drives_agree(c, true, given, w, first_v);
    memcpy(w, given, (size_t)c->nv * sizeof *w);
    closing_weights(c, false, true);
    if (!close_rates(c, w)) return report_rates(c);
    report_moved(c, true, given, w, first_v);
    return drives_agree(c, true, given, w, first_v);
}

bool constraints_assemble(const Assembly *a) {
    Closing c;
    open_closing(&c, a);
    int n = a->m->joint_count;
    int *first_q = ARENA_ARRAY(a->scratch, int, n + 1),
        *first_v = ARENA_ARRAY(a->scratch, int, n + 1);
    for (int i = 0; i < n; i++) {
        first_q[i + 1] = first_q[i] + joint_coordinates(&a->m->joint[i]);
        first_v[i + 1] = first_v[i] + joint_velocities(a->m->joint[i].kind);
    }
    double *given = ARENA_ARRAY(a->scratch, double, c.nq);
    for (int q = 0; q < c.nq; q++) given[q] = *closing_place(&c, q);
    closing_weights(&c, true, false);
    bool kept = assemble(&c, given);
    if (!kept) {
        closing_weights(&c, false, false);
        if (!assemble(&c, given)) return report_open(&c);
    }
    double *found = ARENA_ARRAY(a->scratch, double, c.nq);
    for (int q = 0; q < c.nq; q++) found[q] = *closing_place(&c, q);
    if (!kept) report_moved(&c, false, given, found, first_q);
    if (!drives_agree(&c, false, given, found, first_q)) return false;
    evaluate(&c);
    return closing_directions(&c) && closing_judge(&c) && find_rates(&c, first_v);
}
