// The equations of motion in two forms over the same folded tree, and what can be seen from
// outside: energies, poses and twists of frames, the momentum of the whole.
//
//   momentum form   w = B^-1 p      p_i' = effort_i + S_i' ( f_i - v_i x* h_i )
//   Lagrange form   w' = B^-1 ( effort + S' f - C(q, w) w )
//
// S is constant in the axes of its link, so the term (dS/dt)' h vanishes.
#include "mech/dynamics.h"
#include "mech/factors.h"

typedef struct {
    Arena scratch;
    Arena *out;
    Dag *d;
    bool keep_shared; // of the graph, before
    const Mechanism *m;
    const MechInputs *in;
    Tree *t;
    MechEquations *e;
    Expr *w; // in the order of the tree, like p
    Expr *p;
    Six *twist; // of each link
    Six *h;     // momentum of each with all it carries
} Tracing;

// Composite bodies cost depth squared, articulated bodies the same for every link. Where they cross
// in operations, in velocities from the world to a leaf, was counted on chains; a full inertia on a
// carried link makes composite bodies dearer.
enum { COMPOSITE_DEPTH = 9, COMPOSITE_DEPTH_FULL = 5 };

static MechMethod choose_method(const Tree *t, MechMethod wanted) {
    if (wanted != METHOD_AUTO) return wanted;
    bool full = false;
    for (int i = 0; i < t->count; i++)
        full = full || (t->link[i].inertia.full && t->link[i].parent >= 0);
    int most = full ? COMPOSITE_DEPTH_FULL : COMPOSITE_DEPTH;
    return t->depth <= most ? METHOD_COMPOSITE : METHOD_ARTICULATED;
}

static void trace_start(Tracing *r, Arena *out, Dag *d, const Mechanism *m, const MechInputs *in) {
    *r = (Tracing){.out = out, .d = d, .m = m, .in = in};
    r->keep_shared = dag_keep_shared(d, true);
    r->t = tree_build(&r->scratch, d, m, true);
    tree_set_coordinates(d, r->t, in->q);
    r->twist = ARENA_ARRAY(&r->scratch, Six, r->t->count);
    r->h = ARENA_ARRAY(&r->scratch, Six, r->t->count);
    r->w = ARENA_ARRAY(&r->scratch, Expr, r->t->nv);
    r->p = ARENA_ARRAY(&r->scratch, Expr, r->t->nv);
    MechEquations *e = r->e = ARENA_NEW(out, MechEquations);
    e->nq = r->t->nq;
    e->nv = r->t->nv;
    e->joint_q = ARENA_ARRAY(out, int, m->joint_count);
    e->joint_v = ARENA_ARRAY(out, int, m->joint_count);
    for (int i = 0; i < m->joint_count; i++) {
        e->joint_q[i] = r->t->joint_q[i];
        e->joint_v[i] = r->t->joint_v[i];
    }
}

// --- with followers: x = G (G' B G)^-1 G' rhs ----------------------------------------------------

typedef struct { // velocities that lead, in the order in which they are eliminated
    int n;
    int *lead; // in the order of the tree
} Leading;

static Expr factor_of(const Tracing *r, int v, int lead) {
    const Tree *t = r->t;
    return r->in->follow[(size_t)t->velocity[v] * (size_t)t->nv + (size_t)t->velocity[lead]];
}

// From the leaves inwards; B is found in the order of the tree.
static Leading find_leading(Tracing *r) {
    Leading x = {.lead = ARENA_ARRAY(&r->scratch, int, r->t->nv)};
    for (int v = r->t->nv - 1; v >= 0; v--)
        if (!expr_is_zero(r->d, factor_of(r, v, v))) x.lead[x.n++] = v;
    return x;
}

// G' x, or row by row G' B G
static Expr gathered(Tracing *r, int lead, const Expr *x, int stride) {
    Expr sum = expr_zero(r->d);
    for (int v = 0; v < r->t->nv; v++) {
        Expr factor = factor_of(r, v, lead);
        if (!expr_is_zero(r->d, factor))
            sum = expr_add(r->d, sum, expr_mul(r->d, factor, x[(size_t)v * (size_t)stride]));
    }
    return sum;
}

static Expr *gathered_matrix(Tracing *r, const Leading *x, const Expr *B) {
    int n = x->n, nv = r->t->nv;
    Expr *half = ARENA_ARRAY(&r->scratch, Expr, (size_t)n * (size_t)nv);
    Expr *A = ARENA_ARRAY(&r->scratch, Expr, (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int v = 0; v < nv; v++)
            half[(size_t)i * (size_t)nv + (size_t)v] = gathered(r, x->lead[i], B + v, nv);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i * n + j] = gathered(r, x->lead[j], half + (size_t)i * (size_t)nv, 1);
    return A;
}

// Another order, where that of the tree fills.
static void reorder(Tracing *r, Leading *x, const Expr *A) {
    int n = x->n, *order = ARENA_ARRAY(&r->scratch, int, n);
    int *block = ARENA_ARRAY(&r->scratch, int, n), *lead = ARENA_ARRAY(&r->scratch, int, n);
    bool *full = ARENA_ARRAY(&r->scratch, bool, (size_t)n *(size_t)n);
    for (int i = 0; i < n; i++) {
        block[i] = i;
        for (int j = 0; j <= i; j++)
            full[i * n + j] = full[j * n + i] = !expr_is_zero(r->d, A[i * n + j]);
    }
    if (!factors_order(&r->scratch, n, full, block, order)) return;
    for (int i = 0; i < n; i++) lead[i] = x->lead[order[i]];
    x->lead = lead;
}

static void solve_leading(Tracing *r, const Expr *B, const Expr *rhs, Expr *x) {
    int nv = r->t->nv;
    Leading u = find_leading(r);
    if (u.n) reorder(r, &u, gathered_matrix(r, &u, B));
    Expr *A = gathered_matrix(r, &u, B), *found = ARENA_ARRAY(&r->scratch, Expr, u.n);
    for (int i = 0; i < u.n; i++) found[i] = gathered(r, u.lead[i], rhs, 1);
    factors_find(r->d, u.n, A);
    factors_solve(r->d, u.n, A, found);
    for (int v = 0; v < nv; v++) {
        x[v] = expr_zero(r->d);
        for (int i = 0; i < u.n; i++)
            x[v] = expr_add(r->d, x[v], expr_mul(r->d, factor_of(r, v, u.lead[i]), found[i]));
    }
}

// x = B^-1 rhs. Twists of x are set where the method gives them (true).
static bool solve(Tracing *r, MechMethod method, const Expr *rhs, Expr *x, Six *twist) {
    if (!r->in->follow && choose_method(r->t, method) == METHOD_ARTICULATED) {
        articulated_solve(&r->scratch, r->d, r->t, rhs, x, twist);
        return true;
    }
    Expr *B = ARENA_ARRAY(&r->scratch, Expr, (size_t)r->t->nv * (size_t)r->t->nv);
    composite_matrix(&r->scratch, r->d, r->t, B);
    if (r->in->follow)
        solve_leading(r, B, rhs, x);
    else
        composite_solve(r->d, r->t, B, rhs, x);
    return false;
}

static Expr *from_mechanism(Tracing *r, const Expr *values, Expr *out) { // Nullable: values
    for (int i = 0; i < r->t->nv; i++) {
        Expr given = values ? values[r->t->velocity[i]] : 0;
        out[i] = given ? given : expr_zero(r->d);
    }
    return out;
}

static Expr *to_mechanism(Tracing *r, const Expr *values) {
    Expr *out = ARENA_ARRAY(r->out, Expr, r->t->nv);
    for (int i = 0; i < r->t->nv; i++) out[r->t->velocity[i]] = values[i];
    return out;
}

// Given efforts, gravity and outside wrenches.
static Expr *trace_loads(Tracing *r) {
    Expr *effort = ARENA_ARRAY(&r->scratch, Expr, r->t->nv);
    Expr *load = ARENA_ARRAY(&r->scratch, Expr, r->t->nv);
    from_mechanism(r, r->in->effort, effort);
    sweep_loads(&r->scratch, r->d, r->t, r->m, r->in->wrench, load);
    for (int i = 0; i < r->t->nv; i++) effort[i] = expr_add(r->d, effort[i], load[i]);
    return effort;
}

// --- what can be seen from outside ---------------------------------------------------------------

// Poses of those links that carry a frame, and of the links below them.
static Pose *trace_poses(Tracing *r) {
    const Tree *t = r->t;
    Pose *pose = ARENA_ARRAY(&r->scratch, Pose, t->count);
    bool *needed = ARENA_ARRAY(&r->scratch, bool, t->count);
    for (int i = 0; i < r->m->frame_count; i++)
        if (t->frame[i].link >= 0) needed[t->frame[i].link] = true;
    for (int i = t->count - 1; i >= 0; i--)
        if (needed[i] && t->link[i].parent >= 0) needed[t->link[i].parent] = true;
    for (int i = 0; i < t->count; i++) {
        if (!needed[i]) continue;
        link_pose(r->d, &t->link[i], &pose[i]);
        int parent = t->link[i].parent;
        if (parent >= 0) pose_times(r->d, &pose[parent], &pose[i], &pose[i]);
    }
    return pose;
}

static void put_six(const Six *v, Expr *out) {
    v3_copy(v->lin, out);
    v3_copy(v->ang, out + 3);
}

static void put_twist(Tracing *r, const Place *at, Expr *out) {
    Six v;
    if (at->link < 0)
        six_zero(r->d, &v);
    else
        twist_at(r->d, &at->at, &r->twist[at->link], &v);
    put_six(&v, out);
}

static void trace_frames(Tracing *r) {
    int n = r->m->frame_count;
    MechEquations *e = r->e;
    Pose *pose = trace_poses(r);
    e->frame_position = ARENA_ARRAY(r->out, Expr, 3 * n);
    e->frame_rotation = ARENA_ARRAY(r->out, Expr, 9 * n);
    e->frame_twist = ARENA_ARRAY(r->out, Expr, 6 * n);
    for (int i = 0; i < n; i++) {
        const Place *at = &r->t->frame[i];
        Pose world = at->at;
        if (at->link >= 0) pose_times(r->d, &pose[at->link], &world, &world);
        v3_copy(world.p, e->frame_position + 3 * i);
        for (int k = 0; k < 9; k++) e->frame_rotation[9 * i + k] = world.R[k];
        put_twist(r, at, e->frame_twist + 6 * i);
    }
    e->body_twist = ARENA_ARRAY(r->out, Expr, 6 * r->m->body_count);
    for (int i = 0; i < r->m->body_count; i++) put_twist(r, &r->t->body[i], e->body_twist + 6 * i);
}

// T = p.w/2   V = -g . (sum of m r)   and the momentum about the world's origin
static void trace_invariants(Tracing *r) {
    const Tree *t = r->t;
    Dag *d = r->d;
    Expr *mass = ARENA_ARRAY(&r->scratch, Expr, t->count), twice = expr_zero(d);
    Expr(*moment)[3] = arena_alloc(&r->scratch, (size_t)t->count, sizeof *moment);
    Expr total[3];
    Six h;
    six_zero(d, &h);
    v3_copy(t->world.mc, total);
    sweep_masses(d, t, mass, moment);
    for (int i = 0; i < t->nv; i++) twice = expr_add(d, twice, expr_mul(d, r->p[i], r->w[i]));
    for (int i = 0; i < t->count; i++) {
        const Link *l = &t->link[i];
        Six up;
        Inertia a;
        if (l->parent >= 0) continue;
        link_wrench_up(d, l, &r->h[i], &up);
        six_add(d, &h, &up, &h);
        inertia_zero(d, &a);
        a.m = mass[i];
        v3_copy(moment[i], a.mc);
        link_inertia_up(d, l, &a);
        v3_add(d, total, a.mc, total);
    }
    r->e->kinetic = expr_mul(d, expr_number(d, 0.5), twice);
    r->e->potential = expr_neg(d, v3_dot(d, r->m->gravity, total));
    put_six(&h, r->e->momentum);
}

static MechEquations *trace_end(Tracing *r) {
    r->e->w = to_mechanism(r, r->w);
    r->e->p = to_mechanism(r, r->p);
    r->e->q_rate = ARENA_ARRAY(r->out, Expr, r->t->nq);
    for (int i = 0; i < r->t->count; i++) {
        const Link *l = &r->t->link[i];
        link_rates(r->d, l, r->in->q + l->q, r->w + l->first, r->e->q_rate + l->q);
    }
    trace_frames(r);
    trace_invariants(r);
    dag_keep_shared(r->d, r->keep_shared);
    arena_free(&r->scratch);
    return r->e;
}

// --- the two forms -------------------------------------------------------------------------------

// Component c of v x* h = (omega x h_f ; omega x h_n + v x h_f)
static Expr gyration(Dag *d, const Six *v, const Six *h, int c) {
    int i = (c + 1) % 3, j = (c + 2) % 3;
    const Expr *part = c < 3 ? h->lin : h->ang;
    Expr terms[4] = {expr_mul(d, v->ang[i], part[j]), expr_neg(d, expr_mul(d, v->ang[j], part[i])),
                     0, 0};
    if (c < 3) return expr_sum(d, terms, 2);
    terms[2] = expr_mul(d, v->lin[i], h->lin[j]);
    terms[3] = expr_neg(d, expr_mul(d, v->lin[j], h->lin[i]));
    return expr_sum(d, terms, 4);
}

// -S' (v x* h) for one link
static void add_gyration(Tracing *r, int link, Expr *rate) {
    const Link *l = &r->t->link[link];
    const Six *v = &r->twist[link], *h = &r->h[link];
    for (int k = 0; k < link_velocities(l->kind); k++) {
        int c = link_component(l, k);
        Expr *to = &rate[l->first + k], turned = gyration(r->d, v, h, c < 0 ? 5 : c);
        if (c < 0)
            turned = expr_add(r->d, turned, expr_mul(r->d, l->pitch, gyration(r->d, v, h, 2)));
        *to = expr_sub(r->d, *to, turned);
    }
}

MechEquations *mech_momentum_form(Arena *out, Dag *d, const Mechanism *m, const MechInputs *in,
                                  MechMethod method) {
    Tracing r;
    trace_start(&r, out, d, m, in);
    from_mechanism(&r, in->p, r.p);
    if (in->known_w) from_mechanism(&r, in->w, r.w);
    if (in->known_w || !solve(&r, method, r.p, r.w, r.twist)) sweep_twists(d, r.t, r.w, r.twist);
    sweep_momenta(d, r.t, r.twist, in->follow ? NULL : r.p, r.h);
    if (in->follow) link_efforts(d, r.t, r.h, r.p);
    Expr *rate = trace_loads(&r);
    for (int i = 0; i < r.t->count; i++) add_gyration(&r, i, rate);
    r.e->p_rate = to_mechanism(&r, rate);
    return trace_end(&r);
}

// Efforts that are left for accelerations: given ones and those of loads, less the bias. Water that
// moves along has inertia and no weight, so with it gravity is a load.
static Expr *trace_rest(Tracing *r) {
    Expr *rest, *bias = ARENA_ARRAY(&r->scratch, Expr, r->t->nv);
    if (r->t->added) {
        rest = trace_loads(r);
    } else {
        Six *f = ARENA_ARRAY(&r->scratch, Six, r->t->count);
        rest = ARENA_ARRAY(&r->scratch, Expr, r->t->nv);
        Expr *load = ARENA_ARRAY(&r->scratch, Expr, r->t->nv);
        from_mechanism(r, r->in->effort, rest);
        sweep_wrenches(r->d, r->t, r->m->frame_count, r->in->wrench, f);
        link_efforts(r->d, r->t, f, load);
        for (int i = 0; i < r->t->nv; i++) rest[i] = expr_add(r->d, rest[i], load[i]);
    }
    const Expr *gravity = r->t->added ? NULL : r->m->gravity;
    sweep_bias(&r->scratch, r->d, r->t, r->w, gravity, bias);
    for (int i = 0; i < r->t->nv; i++) rest[i] = expr_sub(r->d, rest[i], bias[i]);
    return rest;
}

// What is joined to the world by a free joint falls with gravity as a whole, and its parts feel
// nothing of it: so large numbers that would cancel, up to their rounding, are not there.
static void add_free_fall(Tracing *r, Expr *acceleration) {
    for (int i = 0; i < r->t->count && !r->t->added; i++) {
        const Link *l = &r->t->link[i];
        Expr fall[3];
        if (l->parent >= 0 || l->kind != LINK_FREE) continue;
        gravity_on_link(r->d, l, r->m->gravity, fall);
        v3_add(r->d, acceleration + l->first, fall, acceleration + l->first);
    }
}

MechEquations *mech_lagrange_form(Arena *out, Dag *d, const Mechanism *m, const MechInputs *in,
                                  MechMethod method) {
    Tracing r;
    trace_start(&r, out, d, m, in);
    from_mechanism(&r, in->w, r.w);
    Expr *x = ARENA_ARRAY(&r.scratch, Expr, r.t->nv);
    solve(&r, method, trace_rest(&r), x, r.twist);
    add_free_fall(&r, x);
    r.e->acceleration = to_mechanism(&r, x);
    sweep_twists(d, r.t, r.w, r.twist);
    sweep_momenta(d, r.t, r.twist, NULL, r.h);
    link_efforts(d, r.t, r.h, r.p);
    return trace_end(&r);
}

Matrix mech_inverse_times(Arena *out, Dag *d, const Mechanism *m, const Expr *q, Matrix columns,
                          MechMethod method) {
    Tracing r;
    MechInputs in = {.q = (Expr *)q};
    Matrix result = matrix_new(out, columns.rows, columns.cols);
    trace_start(&r, &r.scratch, d, m, &in);
    for (int c = 0; c < columns.cols; c++) {
        for (int i = 0; i < r.t->nv; i++) r.p[i] = MATRIX_AT(columns, r.t->velocity[i], c);
        solve(&r, method, r.p, r.w, r.twist);
        for (int i = 0; i < r.t->nv; i++) MATRIX_AT(result, r.t->velocity[i], c) = r.w[i];
    }
    dag_keep_shared(d, r.keep_shared);
    arena_free(&r.scratch);
    return result;
}
