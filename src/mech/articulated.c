// B x = r in one way in and one way out, by articulated bodies.
//
// In, for each velocity s of a link, the last first:
//   U = A e_s    D = e_s . U    K = U/D    u = r_s - e_s . b
//   A <- A - K U'                          what is felt through the free velocity: row s vanishes
//   b <- b + K u                           component s becomes r_s itself
// and A, b go up to the parent. Out: x_s = u/D - K . v,  v <- v + e_s x_s.
//
// Several velocities of one link follow each other like links without extent between them.
#include "mech/dynamics.h"

typedef struct {
    Six K;
    Expr inverse, u;
} Step;

static Expr *component(Six *v, int c) { return c < 3 ? &v->lin[c] : &v->ang[c - 3]; }

// A - K U', symmetric in M and J
static void deflate(Dag *d, Inertia *a, const Six *K, const Six *U) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int at = 3 * i + j, mirror = 3 * j + i;
            a->H[at] = expr_sub(d, a->H[at], expr_mul(d, K->ang[i], U->lin[j]));
            if (j < i) continue;
            a->M[at] = a->M[mirror] = expr_sub(d, a->M[at], expr_mul(d, K->lin[i], U->lin[j]));
            a->J[at] = a->J[mirror] = expr_sub(d, a->J[at], expr_mul(d, K->ang[i], U->ang[j]));
        }
}

// Row and column of a free component: zero by construction, so zero without rounding.
static void clear_component(Dag *d, Inertia *a, int c) {
    int k = c % 3;
    for (int i = 0; i < 3; i++) {
        Expr *sym = c < 3 ? a->M : a->J, zero = expr_zero(d);
        sym[3 * i + k] = sym[3 * k + i] = zero;
        a->H[c < 3 ? 3 * i + k : 3 * k + i] = zero;
    }
}

static void step_in(Dag *d, const Link *l, int k, Inertia *a, Six *b, Expr r, Step *step) {
    Six s = link_axis(d, l, k), U, more;
    int c = link_component(l, k);
    inertia_times(d, a, &s, &U);
    Expr along = link_dot(d, l, k, &U);
    step->inverse = expr_div(d, expr_number(d, 1), along);
    v3_scale(d, step->inverse, U.lin, step->K.lin);
    v3_scale(d, step->inverse, U.ang, step->K.ang);
    if (c >= 0) *component(&step->K, c) = expr_number(d, 1);
    step->u = expr_sub(d, r, link_dot(d, l, k, b));
    v3_scale(d, step->u, step->K.lin, more.lin);
    v3_scale(d, step->u, step->K.ang, more.ang);
    six_add(d, b, &more, b);
    deflate(d, a, &step->K, &U);
    if (c < 0) return;
    clear_component(d, a, c);
    *component(b, c) = r;
}

static void way_in(Arena *scratch, Dag *d, const Tree *t, const Expr *rhs, Step *step) {
    Inertia *a = ARENA_ARRAY(scratch, Inertia, t->count);
    Six *b = ARENA_ARRAY(scratch, Six, t->count);
    for (int i = 0; i < t->count; i++) {
        a[i] = t->link[i].inertia;
        inertia_make_full(d, &a[i]);
        six_zero(d, &b[i]);
    }
    for (int i = t->count - 1; i >= 0; i--) {
        const Link *l = &t->link[i];
        for (int k = link_velocities(l->kind) - 1; k >= 0; k--)
            step_in(d, l, k, &a[i], &b[i], rhs[l->first + k], &step[l->first + k]);
        if (l->parent < 0) continue;
        Six up;
        link_wrench_up(d, l, &b[i], &up);
        six_add(d, &b[l->parent], &up, &b[l->parent]);
        link_inertia_up(d, l, &a[i]);
        inertia_add(d, &a[i], &a[l->parent]);
    }
}

void articulated_solve(Arena *scratch, Dag *d, const Tree *t, const Expr *rhs, Expr *x,
                       Six *twist) {
    Step *step = ARENA_ARRAY(scratch, Step, t->nv);
    way_in(scratch, d, t, rhs, step);
    for (int i = 0; i < t->count; i++) {
        const Link *l = &t->link[i];
        link_twist_down(d, t, i, twist);
        for (int k = 0; k < link_velocities(l->kind); k++) {
            const Step *s = &step[l->first + k];
            Expr driven = expr_mul(d, s->u, s->inverse);
            x[l->first + k] = expr_sub(d, driven, six_dot(d, &s->K, &twist[i]));
            link_move(d, l, k, x[l->first + k], &twist[i]);
        }
    }
}
