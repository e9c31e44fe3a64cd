// Inertias and six-vectors, traced. The formulas stand above the functions.
#include "spatial/spatial.h"

#include <string.h>

void inertia_zero(Dag *d, Inertia *out) {
    out->full = false;
    out->m = expr_zero(d);
    v3_zero(d, out->mc);
    for (int i = 0; i < 9; i++) out->J[i] = out->M[i] = out->H[i] = out->m;
}

void inertia_make_full(Dag *d, Inertia *a) {
    if (a->full) return;
    a->full = true;
    m3_skew(d, a->mc, a->H);
    for (int i = 0; i < 9; i++) a->M[i] = i % 4 == 0 ? a->m : expr_zero(d);
}

static void symmetric_add(Dag *d, const Expr a[9], const Expr b[9], Expr out[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            out[3 * i + j] = out[3 * j + i] = expr_add(d, a[3 * i + j], b[3 * i + j]);
}

void inertia_add(Dag *d, const Inertia *a, Inertia *to) {
    Inertia b = *a;
    if (b.full) inertia_make_full(d, to);
    if (to->full) {
        inertia_make_full(d, &b);
        symmetric_add(d, to->M, b.M, to->M);
        m3_add(d, to->H, b.H, to->H);
    }
    to->m = expr_add(d, to->m, b.m);
    v3_add(d, to->mc, b.mc, to->mc);
    symmetric_add(d, to->J, b.J, to->J);
}

// J + 2 (p.u) 1 - p u' - u p'   with u = mc + m p/2
static void shift_rigid(Dag *d, Inertia *a, const Expr p[3]) {
    Expr u[3], half = expr_number(d, 0.5);
    for (int i = 0; i < 3; i++) {
        u[i] = expr_mul(d, expr_mul(d, half, a->m), p[i]);
        u[i] = expr_add(d, a->mc[i], u[i]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr pj = expr_mul(d, p[j], u[j]), pk = expr_mul(d, p[k], u[k]), two = expr_number(d, 2);
        Expr sum = expr_mul(d, two, expr_add(d, pj, pk));
        Expr cross = expr_products_add(d, p[i], u[j], p[j], u[i]);
        a->J[4 * i] = expr_add(d, a->J[4 * i], sum);
        a->J[3 * i + j] = a->J[3 * j + i] = expr_sub(d, a->J[3 * i + j], cross);
    }
}

// H' = H + p~ M      J' = J - H p~ + p~ H''
static void shift_full(Dag *d, Inertia *a, const Expr p[3]) {
    Expr column[3], across[9], back[9];
    for (int i = 0; i < 3; i++) v3_cross(d, p, a->H + 3 * i, across + 3 * i); // -(H p~), by rows
    for (int j = 0; j < 3; j++) {
        v3_cross(d, p, a->M + 3 * j, column); // M is symmetric: a row is a column
        for (int i = 0; i < 3; i++) a->H[3 * i + j] = expr_add(d, a->H[3 * i + j], column[i]);
    }
    for (int j = 0; j < 3; j++) v3_cross(d, p, a->H + 3 * j, back + 3 * j); // p~ H'', by columns
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            Expr terms[3] = {a->J[3 * i + j], across[3 * i + j], back[3 * j + i]};
            a->J[3 * i + j] = a->J[3 * j + i] = expr_sum(d, terms, 3);
        }
}

void inertia_shift(Dag *d, Inertia *a, const Expr p[3]) {
    if (a->full)
        shift_full(d, a, p);
    else
        shift_rigid(d, a, p);
    for (int i = 0; i < 3; i++) a->mc[i] = expr_add(d, a->mc[i], expr_mul(d, a->m, p[i]));
}

void inertia_turn(Dag *d, Inertia *a, const Turn *t) {
    turn_up(d, t, a->mc, a->mc);
    turn_tensor_up(d, t, a->J, a->J);
    if (!a->full) return;
    turn_tensor_up(d, t, a->M, a->M);
    turn_tensor_up(d, t, a->H, a->H);
}

void inertia_place(Dag *d, Inertia *a, const Pose *at) {
    if (!m3_is_identity(d, at->R)) {
        Turn t = {.whole = true};
        memcpy(t.E, at->R, sizeof t.E);
        inertia_turn(d, a, &t);
    }
    inertia_shift(d, a, at->p);
}

// f = M v + H' omega,  n = J omega + H v;  rigid: f = m v + omega x mc,  n = J omega + mc x v
void inertia_times(Dag *d, const Inertia *a, const Six *v, Six *out) {
    Six h;
    Expr other[3];
    if (a->full) {
        m3_apply(d, a->M, v->lin, h.lin);
        m3_apply_transposed(d, a->H, v->ang, other);
    } else {
        v3_scale(d, a->m, v->lin, h.lin);
        v3_cross(d, v->ang, a->mc, other);
    }
    v3_add(d, h.lin, other, h.lin);
    m3_apply(d, a->J, v->ang, h.ang);
    if (a->full)
        m3_apply(d, a->H, v->lin, other);
    else
        v3_cross(d, a->mc, v->lin, other);
    v3_add(d, h.ang, other, h.ang);
    *out = h;
}

// --- a 6 x 6 matrix at a frame -------------------------------------------------------------------

// out = a b for 6 x 6 matrices; out is neither of them.
static void m6_times(Dag *d, const Expr a[36], const Expr b[36], Expr out[36]) {
    Expr term[6];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            for (int l = 0; l < 6; l++) term[l] = expr_mul(d, a[6 * i + l], b[6 * l + j]);
            out[6 * i + j] = expr_sum(d, term, 6);
        }
}

static void m6_transpose(const Expr a[36], Expr out[36]) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) out[6 * j + i] = a[6 * i + j];
}

// The twist at the frame from the twist at its parent: v_f = R' (v - r x w), w_f = R' w.
static void twist_matrix(Dag *d, const Pose *a, Expr x[36]) {
    Expr back[9], zero = expr_number(d, 0), turned[9];
    m3_transpose(a->R, back);
    const Expr arm[9] = {zero,
                         a->p[2],
                         expr_neg(d, a->p[1]),
                         expr_neg(d, a->p[2]),
                         zero,
                         a->p[0],
                         a->p[1],
                         expr_neg(d, a->p[0]),
                         zero}; // -[r x]
    m3_times(d, back, arm, turned);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            x[6 * i + j] = x[6 * (i + 3) + j + 3] = back[3 * i + j];
            x[6 * i + j + 3] = turned[3 * i + j];
            x[6 * (i + 3) + j] = zero;
        }
}

void pose_inertia(Dag *d, const Pose *a, const Expr m[36], Expr out[36]) {
    Expr x[36], back[36], half[36];
    twist_matrix(d, a, x);
    m6_transpose(x, back);
    m6_times(d, back, m, half);
    m6_times(d, half, x, out);
}

// --- six-vectors ---------------------------------------------------------------------------------

void six_zero(Dag *d, Six *out) {
    v3_zero(d, out->lin);
    v3_zero(d, out->ang);
}

void six_add(Dag *d, const Six *a, const Six *b, Six *out) {
    v3_add(d, a->lin, b->lin, out->lin);
    v3_add(d, a->ang, b->ang, out->ang);
}

Expr six_dot(Dag *d, const Six *a, const Six *b) {
    Expr angular = v3_dot(d, a->ang, b->ang);
    return expr_add(d, v3_dot(d, a->lin, b->lin), angular);
}

// (omega x h_f ; omega x h_n + v x h_f)
void twist_cross_wrench(Dag *d, const Six *v, const Six *h, Six *out) {
    Six t;
    Expr other[3];
    v3_cross(d, v->ang, h->lin, t.lin);
    v3_cross(d, v->ang, h->ang, t.ang);
    v3_cross(d, v->lin, h->lin, other);
    v3_add(d, t.ang, other, t.ang);
    *out = t;
}
