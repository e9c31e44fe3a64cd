// One way out or one way in over the tree: twists, momenta, gravity, outside wrenches, bias.
//
//   out    v_i = X v_parent + S w                      world -> leaves, the order of the list
//   in     h_i = I v_i + sum over children X* h        leaves -> world, the list backwards
#include "mech/dynamics.h"

void sweep_twists(Dag *d, const Tree *t, const Expr *w, Six *twist) {
    for (int i = 0; i < t->count; i++) {
        const Link *l = &t->link[i];
        if (l->parent < 0)
            six_zero(d, &twist[i]);
        else
            link_twist_down(d, l, &twist[l->parent], &twist[i]);
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

void sweep_gravity(Dag *d, const Tree *t, const Expr gravity[3], Expr (*g)[3]) {
    for (int i = 0; i < t->count; i++) {
        const Link *l = &t->link[i];
        Turn turn = l->turn;
        Expr at_joint[3];
        if (l->parent >= 0) {
            turn_down(d, &turn, g[l->parent], g[i]);
            continue;
        }
        if (turn.plain) turn.whole = false; // constant turns of a constant vector fold
        v3_copy(gravity, at_joint);
        turn_down(d, &turn, at_joint, g[i]);
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
    for (int i = t->count - 1; i >= 0; i--) {
        const Link *l = &t->link[i];
        Six up;
        if (l->parent < 0) continue;
        link_wrench_up(d, l, &f[i], &up);
        six_add(d, &f[l->parent], &up, &f[l->parent]);
    }
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

// v_i' = X v_parent' + v_i x S w        (S w' is left out)
// f_i  = I v_i' + v_i x* I v_i + sum over children
void sweep_bias(Arena *scratch, Dag *d, const Tree *t, const Expr *w, Expr *effort) {
    Six *twist = ARENA_ARRAY(scratch, Six, t->count), *rate = ARENA_ARRAY(scratch, Six, t->count);
    Six *f = ARENA_ARRAY(scratch, Six, t->count);
    sweep_twists(d, t, w, twist);
    for (int i = 0; i < t->count; i++) {
        const Link *l = &t->link[i];
        Six own, product, h;
        six_zero(d, &own);
        six_zero(d, &rate[i]);
        for (int k = 0; k < link_velocities(l->kind); k++)
            link_move(d, l, k, w[l->first + k], &own);
        if (l->parent >= 0) {
            link_twist_down(d, l, &rate[l->parent], &rate[i]);
            twist_cross_twist(d, &twist[i], &own, &product);
            six_add(d, &rate[i], &product, &rate[i]);
        }
        inertia_times(d, &l->inertia, &twist[i], &h);
        twist_cross_wrench(d, &twist[i], &h, &product);
        inertia_times(d, &l->inertia, &rate[i], &f[i]);
        six_add(d, &f[i], &product, &f[i]);
    }
    for (int i = t->count - 1; i >= 0; i--) {
        const Link *l = &t->link[i];
        for (int k = 0; k < link_velocities(l->kind); k++)
            effort[l->first + k] = link_dot(d, l, k, &f[i]);
        if (l->parent < 0) continue;
        Six up;
        link_wrench_up(d, l, &f[i], &up);
        six_add(d, &f[l->parent], &up, &f[l->parent]);
    }
}
