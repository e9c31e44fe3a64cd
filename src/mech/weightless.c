// Is there a motion at the start that moves no mass? Then B(q) is singular and velocities do not
// follow from momenta. Tried with velocities: w must come back from p = B(q) w.
//
//     o---o---*      two hinges and a point mass in line: both turn, and the mass stays
//
// What mech_check finds for joints one by one (a leaf without mass) does not get here.
#include "mech/expansion.h"

#include <math.h>

enum { MOST_NAMES = 4 };

// The symbol of a momentum: the integrated variable, or, in form lagrange, the one that users see.
static Expr momentum_symbol(const Expansion *k, const MechJoint *j, int c) {
    return symbol(k, (k->x->lagrange ? j->p : j->motion) + c);
}

// Velocities of momenta, in expressions.
static void find_velocities(Expansion *k, Expr *w) {
    int nv = k->traced->nv;
    Matrix p = {nv, 1, k->in.p}, solved = {0};
    if (k->x->lagrange && k->follows) {
        MechInputs in = {.q = k->in.q, .p = k->in.p, .follow = k->in.follow};
        solved.at = mech_momentum_form(&k->scratch, k->d, k->x, &in, METHOD_AUTO)->w;
    } else if (k->x->lagrange)
        solved = mech_inverse_times(&k->scratch, k->d, k->x, k->in.q, p, METHOD_AUTO);
    for (int v = 0; v < nv; v++)
        w[v] = k->x->lagrange      ? solved.at[v]
               : k->x->constrained ? MATRIX_AT(k->solved, v, 0)
                                   : k->traced->w[v];
}

// False: momenta are too large for numbers.
static bool put_numbers(Expansion *k, const double *trial) {
    Dag *d = k->d;
    int nv = k->traced->nv, nq = k->traced->nq;
    Expr *w = ARENA_ARRAY(&k->scratch, Expr, nv);
    double *value = ARENA_ARRAY(&k->scratch, double, nv > nq ? nv : nq);
    for (int v = 0; v < nv; v++) w[v] = expr_number(d, trial[v]);
    if (k->follows) w = follow_spread(k, w);
    Matrix p = mech_momenta(&k->scratch, d, k->x, k->start_q, w);
    if (k->follows) p.at = follow_gather(k, p.at);
    expr_evaluate_many(d, k->start_q, nq, k->number, value);
    for (int q = 0; q < nq; q++) k->number[expr_symbol_index(d, k->in.q[q])] = value[q];
    expr_evaluate_many(d, p.at, nv, k->number, value);
    for (int i = 0, v = 0; i < k->x->joint_count; i++)
        for (int c = 0; c < joint_velocities(k->x->joint[i].kind); c++, v++)
            k->number[expr_symbol_index(d, momentum_symbol(k, &k->x->joint[i], c))] = value[v];
    for (int v = 0; v < nv; v++)
        if (!isfinite(value[v])) return false;
    return true;
}

static bool report_weightless(Expansion *k, const bool *moves) {
    Text names = {0};
    int count = 0, first = -1;
    for (int i = 0; i < k->x->joint_count; i++) {
        if (!moves[i]) continue;
        if (first < 0) first = i;
        if (count++ < MOST_NAMES)
            text_printf(&names, "%s'%s'", count > 1 ? ", " : "",
                        name_text(k->m->names, k->x->joint[i].name));
    }
    if (count > MOST_NAMES) text_printf(&names, " and %d more", count - MOST_NAMES);
    Remark *e = report_error(k->report, M_WEIGHTLESS, k->x->joint[first].pos,
                             "at the start %s can move without moving any mass", text_get(&names));
    remark_help(k->report, e,
                "give the bodies between them mass or inertia, start elsewhere, or use one joint "
                "less");
    text_free(&names);
    return false;
}

static bool report_overflow(Expansion *k) {
    Remark *e = report_error(k->report, M_WEIGHTLESS, k->x->pos,
                             "the momenta of '%s' are too large for any number",
                             name_text(k->m->names, k->x->name));
    remark_help(k->report, e, "check the units of masses, places and angles");
    return false;
}

bool start_is_regular(Expansion *k) {
    int nv = k->traced->nv;
    double *trial = ARENA_ARRAY(&k->scratch, double, nv);
    double *found = ARENA_ARRAY(&k->scratch, double, nv);
    Expr *w = ARENA_ARRAY(&k->scratch, Expr, nv);
    bool *moves = ARENA_ARRAY(&k->scratch, bool, k->x->joint_count), regular = true;
    for (int v = 0; v < nv; v++) trial[v] = 1 + 0.5 * cos(1 + 2 * v);
    find_velocities(k, w);
    if (!put_numbers(k, trial)) return report_overflow(k);
    expr_evaluate_many(k->d, w, nv, k->number, found);
    for (int i = 0, v = 0; i < k->x->joint_count; i++)
        for (int c = 0; c < joint_velocities(k->x->joint[i].kind); c++, v++)
            if (!(k->follows && k->follows[v] >= 0) && !(fabs(found[v] - trial[v]) < 1e-3))
                moves[i] = true, regular = false;
    return regular || report_weightless(k, moves);
}
