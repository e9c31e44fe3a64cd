// One way out or one way in over the tree: twists, momenta, gravity, outside wrenches, bias.
//
//   out    v_i = X v_parent + S w                      world -> leaves, the order of the list
//   in     h_i = I v_i + sum over children X* h        leaves -> world, the list backwards
#include "mech/dynamics.h"

void sweep_twists(Dag *d, const Tree *t, const Expr *w, Six *twist) {
    for (int i = 0; i < t->count; i++) {
        const Link *l = &t->link[i];
        link_twist_down(d, t, i, twist);
        for (int k = 0; k < link_velocities(l->kind); k++)
            link_move(d, l, k, w[l->first + k], &twist[i]);
    }
}

// The momenta p are S' h: what is known need not be computed.
static void put_known(const Link *l, const Expr *p, Six *h) {
    for (int k = 0; k < link_velocities(l->kind); k++) {
        int c = link_component(l, k);
        if (c >= 0) *(c < 3 ? &h->lin[c] : &h->ang[c - 3]) = p[l->first + k];
    }
}

void sweep_momenta(Dag *d, const Tree *t, const Six *twist, const Expr *p, Six *h) {
    for (int i = 0; i < t->count; i++) inertia_times(d, &t->link[i].inertia, &twist[i], &h[i]);
    for (int i = t->count - 1; i >= 0; i--) {
        const Link *l = &t->link[i];
        if (p) put_known(l, p, &h[i]);
        if (l->parent < 0) continue;
        Six up;
        link_wrench_up(d, l, &h[i], &up);
        six_add(d, &h[l->parent], &up, &h[l->parent]);
    }
}

// The direction of gravity in the axes of a link on the world.
void gravity_on_link(Dag *d, const Link *l, const Expr gravity[3], Expr out[3]) {
    Turn turn = l->turn;
    if (turn.plain) turn.whole = false; // constant turns of a constant vector fold
    turn_down(d, &turn, gravity, out);
}

// Gravity in the axes of each link.
static void sweep_gravity(Dag *d, const Tree *t, const Expr gravity[3], Expr (*g)[3]) {
    for (int i = 0; i < t->count; i++) {
        const Link *l = &t->link[i];
        if (l->parent >= 0)
            turn_down(d, &l->turn, g[l->parent], g[i]);
        else
            gravity_on_link(d, l, gravity, g[i]);
    }
}

void sweep_masses(Dag *d, const Tree *t, Expr *mass, Expr (*moment)[3]) {
    for (int i = 0; i < t->count; i++) {
        mass[i] = t->link[i].inertia.m;
        v3_copy(t->link[i].inertia.mc, moment[i]);
    }
    for (int i = t->count - 1; i >= 0; i--) {
        const Link *l = &t->link[i];
        Expr up[3], shifted[3];
        if (l->parent < 0) continue;
        v3_copy(moment[i], shifted);
        shifted[2] = expr_add(d, shifted[2], expr_mul(d, mass[i], l->slide));
        turn_up(d, &l->turn, shifted, up);
        for (int k = 0; k < 3; k++) {
            up[k] = expr_add(d, up[k], expr_mul(d, mass[i], l->shift[k]));
            moment[l->parent][k] = expr_add(d, moment[l->parent][k], up[k]);
        }
        mass[l->parent] = expr_add(d, mass[l->parent], mass[i]);
    }
}

void sweep_in(Dag *d, const Tree *t, Six *f) {
    for (int i = t->count - 1; i >= 0; i--) {
        const Link *l = &t->link[i];
        Six up;
        if (l->parent < 0) continue;
        link_wrench_up(d, l, &f[i], &up);
        six_add(d, &f[l->parent], &up, &f[l->parent]);
    }
}

static void add_outside(Dag *d, const Place *at, const Expr *wrench, Six *f) {
    Six w, on_link;
    for (int k = 0; k < 3; k++) {
        w.lin[k] = wrench[k] ? wrench[k] : expr_zero(d);
        w.ang[k] = wrench[3 + k] ? wrench[3 + k] : expr_zero(d);
    }
    wrench_from(d, &at->at, &w, &on_link);
    six_add(d, f, &on_link, f);
}

void sweep_wrenches(Dag *d, const Tree *t, int frame_count, const Expr *wrench, Six *f) {
    for (int i = 0; i < t->count; i++) six_zero(d, &f[i]);
    for (int i = 0; wrench && i < frame_count; i++)
        if (t->frame[i].link >= 0)
            add_outside(d, &t->frame[i], wrench + 6 * i, &f[t->frame[i].link]);
    sweep_in(d, t, f);
}

// Weight on the link and all it carries: (m g ; mc x g)
void sweep_loads(Arena *scratch, Dag *d, const Tree *t, const Mechanism *m, const Expr *wrench,
                 Expr *effort) {
    Expr(*g)[3] = arena_alloc(scratch, (size_t)t->count, sizeof *g);
    Expr(*moment)[3] = arena_alloc(scratch, (size_t)t->count, sizeof *moment);
    Expr *mass = ARENA_ARRAY(scratch, Expr, t->count);
    Six *f = ARENA_ARRAY(scratch, Six, t->count);
    sweep_gravity(d, t, m->gravity, g);
    sweep_masses(d, t, mass, moment);
    sweep_wrenches(d, t, m->frame_count, wrench, f);
    for (int i = 0; i < t->count; i++) {
        Six weight;
        v3_scale(d, mass[i], g[i], weight.lin);
        v3_cross(d, moment[i], g[i], weight.ang);
        six_add(d, &weight, &f[i], &f[i]);
    }
    link_efforts(d, t, f, effort);
}

// --- bias: the efforts of the motion at w' = 0 ---------------------------------------------------

// A link's turning and the acceleration of its origin, in its axes. U = alpha~ + omega~ omega~
// gives the acceleration of any point r of it relative to the origin: U r.
typedef struct {
    Expr omega[3], alpha[3], a[3], U[9];
} Spin;

static void set_U(Dag *d, Spin *s) {
    const Expr *w = s->omega, *al = s->alpha;
    Expr square[3], skew[9];
    for (int i = 0; i < 3; i++) square[i] = expr_mul(d, w[i], w[i]);
    m3_skew(d, al, skew);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Expr both = i == j ? expr_neg(d, expr_add(d, square[(i + 1) % 3], square[(i + 2) % 3]))
                               : expr_mul(d, w[i], w[j]);
            s->U[3 * i + j] = expr_add(d, both, skew[3 * i + j]);
        }
}

// On the world. Gravity is felt as if all of it were accelerated the other way, but not by what
// falls freely.
static void spin_of_world(Dag *d, const Link *l, const Expr *gravity, Spin *out) {
    v3_zero(d, out->omega);
    v3_zero(d, out->alpha);
    v3_zero(d, out->a);
    if (!gravity || l->kind == LINK_FREE) return;
    Expr against[3];
    for (int k = 0; k < 3; k++) against[k] = expr_neg(d, gravity[k]);
    gravity_on_link(d, l, against, out->a);
}

// The parent's motion at the link's origin, in the link's axes.
static void spin_down(Dag *d, const Link *l, const Spin *parent, Spin *out) {
    Expr slide[3] = {expr_zero(d), expr_zero(d), l->slide}, more[3];
    m3_apply(d, parent->U, l->shift, more);
    v3_add(d, parent->a, more, more);
    turn_down(d, &l->turn, more, out->a);
    turn_down(d, &l->turn, parent->omega, out->omega);
    turn_down(d, &l->turn, parent->alpha, out->alpha);
    set_U(d, out);
    m3_apply(d, out->U, slide, more);
    v3_add(d, out->a, more, out->a);
}

static void add_cross(Dag *d, const Expr a[3], const Expr b[3], Expr to[3]) {
    Expr c[3];
    v3_cross(d, a, b, c);
    v3_add(d, to, c, to);
}

// Own velocities u, turning s, in axes that turn with omega + s:
//   alpha + omega x s        a + omega x u + (omega + s) x u
static void add_own_motion(Dag *d, const Link *l, const Expr *w, Spin *m) {
    Six own;
    six_zero(d, &own);
    for (int k = 0; k < link_velocities(l->kind); k++) link_move(d, l, k, w[l->first + k], &own);
    add_cross(d, m->omega, own.ang, m->alpha);
    add_cross(d, m->omega, own.lin, m->a);
    v3_add(d, m->omega, own.ang, m->omega);
    add_cross(d, m->omega, own.lin, m->a);
    set_U(d, m);
}

// F = m a + U mc        N = J alpha + omega x J omega + mc x a
static void rigid_forces(Dag *d, const Inertia *i, const Spin *m, Six *f) {
    Expr turned[3];
    m3_apply(d, m->U, i->mc, f->lin);
    for (int k = 0; k < 3; k++) f->lin[k] = expr_add(d, f->lin[k], expr_mul(d, i->m, m->a[k]));
    m3_apply(d, i->J, m->alpha, f->ang);
    m3_apply(d, i->J, m->omega, turned);
    add_cross(d, m->omega, turned, f->ang);
    add_cross(d, i->mc, m->a, f->ang);
}

// f = I v' + v x* I v, where v' = (a - omega x v ; alpha)
static void full_forces(Dag *d, const Inertia *i, const Spin *m, const Six *v, Six *f) {
    Six rate, h, product;
    v3_cross(d, v->lin, m->omega, rate.lin);
    v3_add(d, m->a, rate.lin, rate.lin);
    v3_copy(m->alpha, rate.ang);
    inertia_times(d, i, &rate, f);
    inertia_times(d, i, v, &h);
    twist_cross_wrench(d, v, &h, &product);
    six_add(d, f, &product, f);
}

void sweep_bias(Arena *scratch, Dag *d, const Tree *t, const Expr *w, const Expr *gravity,
                Expr *effort) {
    Six *f = ARENA_ARRAY(scratch, Six, t->count), *twist = NULL;
    Spin *spin = ARENA_ARRAY(scratch, Spin, t->count);
    if (t->added) {
        twist = ARENA_ARRAY(scratch, Six, t->count);
        sweep_twists(d, t, w, twist);
    }
    for (int i = 0; i < t->count; i++) {
        const Link *l = &t->link[i];
        if (l->parent < 0)
            spin_of_world(d, l, gravity, &spin[i]);
        else
            spin_down(d, l, &spin[l->parent], &spin[i]);
        add_own_motion(d, l, w, &spin[i]);
        if (l->inertia.full)
            full_forces(d, &l->inertia, &spin[i], &twist[i], &f[i]);
        else
            rigid_forces(d, &l->inertia, &spin[i], &f[i]);
    }
    sweep_in(d, t, f);
    link_efforts(d, t, f, effort);
}
