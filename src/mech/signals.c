// Signals of bodies and frames, as functions of coordinates, velocities and their rates
// (lang/model_signal.c).
//
//     body    twist v at its frame, momentum h = I v, added mass counted in: T = v'h/2
//             in the world: (R P ; R L + r x R P), so that momenta of bodies add up
//     mass    what gravity acts on, added mass left out: centre = sum m r/sum m, V = -g . sum m r
//     place   dv/dt in its axes = r = X r_parent + ... + S w'
//             acceleration = r + omega x v, felt = acceleration - g
//
// Where the rates of the momenta are known, those of the velocities follow from
//
//     B w' = p' + S' (v x* h) - C w
#include "mech/functions.h"

#include "mech/dynamics.h"

typedef struct {
    Arena scratch;
    Arena *out;
    Dag *d;
    const Mechanism *m;
    const ModelCall *call;
    Tree *t;
    const Expr *w; // in the order of the tree
    Pose *pose;    // per link, in the world
    Six *twist;    // per link, in its axes
} Signals;

// --- places --------------------------------------------------------------------------------------

static Pose *link_poses(Signals *s) {
    Pose *pose = ARENA_ARRAY(&s->scratch, Pose, s->t->count);
    for (int i = 0; i < s->t->count; i++) {
        int parent = s->t->link[i].parent;
        link_pose(s->d, &s->t->link[i], &pose[i]);
        if (parent >= 0) pose_times(s->d, &pose[parent], &pose[i], &pose[i]);
    }
    return pose;
}

static Pose pose_of(Signals *s, const Place *at) {
    Pose world = at->at;
    if (at->link >= 0) pose_times(s->d, &s->pose[at->link], &world, &world);
    return world;
}

// A twist of links, or its rate, at a place.
static Six seen_at(Signals *s, const Place *at, const Six *of_links) {
    Six v;
    if (at->link < 0)
        six_zero(s->d, &v);
    else
        twist_at(s->d, &at->at, &of_links[at->link], &v);
    return v;
}

static Six turned(Signals *s, const Expr R[9], const Six *v) {
    Six out;
    m3_apply(s->d, R, v->lin, out.lin);
    m3_apply(s->d, R, v->ang, out.ang);
    return out;
}

// --- bodies --------------------------------------------------------------------------------------

typedef struct {
    Expr mass, moment[3], twice_kinetic;
    Six momentum; // about the origin of the world, in its axes
} Sum;

static void add_body(Signals *s, int body, Sum *sum) {
    Dag *d = s->d;
    const Place *at = &s->t->body[body];
    Pose world = pose_of(s, at);
    Inertia inertia;
    Six v = seen_at(s, at, s->twist), h, up;
    Expr moment[3], shift[3];
    body_inertia(d, &s->m->body[body], &inertia);
    inertia_times(d, &inertia, &v, &h);
    wrench_from(d, &world, &h, &up);
    six_add(d, &sum->momentum, &up, &sum->momentum);
    sum->twice_kinetic = expr_add(d, sum->twice_kinetic, six_dot(d, &v, &h));
    sum->mass = expr_add(d, sum->mass, inertia.m);
    m3_apply(d, world.R, inertia.mc, moment);
    v3_scale(d, inertia.m, world.p, shift);
    v3_add(d, moment, shift, moment);
    v3_add(d, sum->moment, moment, sum->moment);
}

// Sums over all bodies of the call, or over the one body that a frame is on.
static Sum sum_of(Signals *s) {
    Sum sum = {.mass = expr_zero(s->d), .twice_kinetic = expr_zero(s->d)};
    v3_zero(s->d, sum.moment);
    six_zero(s->d, &sum.momentum);
    int frame = s->call->frame;
    for (int i = 0; i < s->m->body_count; i++)
        if (frame >= 0 ? i == s->m->frame[frame].body : s->call->among[i]) add_body(s, i, &sum);
    return sum;
}

static int the_body(const Signals *s) {
    for (int i = 0; i < s->m->body_count; i++)
        if (s->call->among[i]) return i;
    return 0;
}

// About the origin of a frame, in the axes of its port.
static Six from_frame(Signals *s, const Six *momentum) {
    Dag *d = s->d;
    Pose own = pose_of(s, &s->t->frame[s->call->frame]);
    Expr back[9], port[9], arm[3];
    Six here = *momentum;
    v3_cross(d, own.p, momentum->lin, arm);
    v3_sub(d, momentum->ang, arm, here.ang);
    m3_transpose(own.R, back);
    here = turned(s, back, &here);
    port_turn(d, s->m, s->t, s->call->frame, port);
    return turned(s, port, &here);
}

// --- accelerations -------------------------------------------------------------------------------

// w' from the rates of the momenta.
static const Expr *velocity_rates(Signals *s) {
    Dag *d = s->d;
    int n = s->t->nv;
    Six *h = ARENA_ARRAY(&s->scratch, Six, s->t->count);
    Expr *carried = ARENA_ARRAY(&s->scratch, Expr, n), *bias = ARENA_ARRAY(&s->scratch, Expr, n);
    sweep_momenta(d, s->t, s->twist, NULL, h);
    for (int i = 0; i < s->t->count; i++) twist_cross_wrench(d, &s->twist[i], &h[i], &h[i]);
    link_efforts(d, s->t, h, carried);
    sweep_bias(&s->scratch, d, s->t, s->w, NULL, bias);
    Matrix rhs = matrix_new(&s->scratch, n, 1);
    for (int i = 0; i < n; i++) {
        int v = s->t->velocity[i];
        rhs.at[v] = expr_add(d, s->call->p_rate[v], expr_sub(d, carried[i], bias[i]));
    }
    return mech_inverse_times(&s->scratch, d, s->m, s->call->q, rhs, METHOD_AUTO).at;
}

// The acceleration of a place as a vector, in its own axes.
static Six acceleration_of(Signals *s, const Place *at) {
    Dag *d = s->d;
    int n = s->t->count;
    const Expr *listed = s->call->x ? s->call->x : velocity_rates(s);
    Expr *a = ARENA_ARRAY(&s->scratch, Expr, s->t->nv), more[3];
    Six *rate = ARENA_ARRAY(&s->scratch, Six, n), *twist = ARENA_ARRAY(&s->scratch, Six, n);
    for (int i = 0; i < s->t->nv; i++) a[i] = listed[s->t->velocity[i]];
    sweep_rates(d, s->t, s->w, s->w, twist, rate);
    sweep_twists(d, s->t, a, twist);
    for (int i = 0; i < n; i++) six_add(d, &rate[i], &twist[i], &rate[i]);
    Six v = seen_at(s, at, s->twist), acceleration = seen_at(s, at, rate);
    v3_cross(d, v.ang, v.lin, more);
    v3_add(d, acceleration.lin, more, acceleration.lin);
    return acceleration;
}

static Six frame_acceleration(Signals *s, bool felt) {
    const Place *at = &s->t->frame[s->call->frame];
    Six a = acceleration_of(s, at);
    Expr port[9], g[3];
    if (felt) {
        Pose own = pose_of(s, at);
        m3_apply_transposed(s->d, own.R, s->m->gravity, g);
        v3_sub(s->d, a.lin, g, a.lin);
    }
    port_turn(s->d, s->m, s->t, s->call->frame, port);
    return turned(s, port, &a);
}

static Six body_motion(Signals *s, bool velocity) {
    const Place *at = &s->t->body[the_body(s)];
    Pose world = pose_of(s, at);
    Six v = velocity ? seen_at(s, at, s->twist) : acceleration_of(s, at);
    return turned(s, world.R, &v);
}

// --- added mass ----------------------------------------------------------------------------------

// M of a body about a place in it, in the axes of the place: X' M X with the twist of the body's
// origin = X (twist of the place), X = [R, [p] R; 0, R].
static Matrix added_about(Signals *s, const MechBody *body, const Expr p[3], const Expr R[9]) {
    Dag *d = s->d;
    Matrix X = matrix_new(&s->scratch, 6, 6), M = matrix_new(&s->scratch, 6, 6);
    Matrix turn = matrix_new(&s->scratch, 3, 3), at = matrix_new(&s->scratch, 3, 1);
    for (int i = 0; i < 9; i++) turn.at[i] = R[i];
    for (int i = 0; i < 3; i++) at.at[i] = p[i];
    Matrix arm = matrix_multiply(&s->scratch, d, matrix_skew(&s->scratch, d, at), turn);
    for (int i = 0; i < 36; i++) {
        int row = i / 6, col = i % 6;
        X.at[i] = row / 3 == col / 3 ? R[row % 3 * 3 + col % 3]
                  : row < 3          ? arm.at[row * 3 + col - 3]
                                     : expr_zero(d);
        M.at[i] = body->has_added ? body->added[i] : expr_zero(d);
    }
    Matrix half = matrix_multiply(&s->scratch, d, M, X);
    return matrix_multiply(s->out, d, matrix_transpose(&s->scratch, X), half);
}

static Matrix added_mass(Signals *s) {
    Dag *d = s->d;
    if (s->call->frame < 0) {
        Expr origin[3], same[9];
        v3_zero(d, origin);
        for (int i = 0; i < 9; i++) same[i] = expr_number(d, i % 4 == 0);
        return added_about(s, &s->m->body[the_body(s)], origin, same);
    }
    const MechFrame *f = &s->m->frame[s->call->frame];
    static const MechBody world = {0};
    return added_about(s, f->body >= 0 ? &s->m->body[f->body] : &world, f->position, f->rotation);
}

// --- all -----------------------------------------------------------------------------------------

static Matrix as_matrix(Signals *s, const Expr *at, int rows, int cols) {
    Matrix m = matrix_new(s->out, rows, cols);
    for (int i = 0; i < rows * cols; i++) m.at[i] = at[i];
    return m;
}

static Matrix as_six(Signals *s, const Six *v) {
    Expr all[6];
    v3_copy(v->lin, all);
    v3_copy(v->ang, all + 3);
    return as_matrix(s, all, 6, 1);
}

static Matrix of_bodies(Signals *s) {
    Dag *d = s->d;
    Sum sum = sum_of(s);
    Expr kinetic = expr_mul(d, expr_number(d, 0.5), sum.twice_kinetic);
    Expr potential = expr_neg(d, v3_dot(d, s->m->gravity, sum.moment));
    switch (s->call->which) {
    case MODEL_MASS: return matrix_scalar(s->out, sum.mass);
    case MODEL_KINETIC: return matrix_scalar(s->out, kinetic);
    case MODEL_POTENTIAL: return matrix_scalar(s->out, potential);
    case MODEL_ENERGY: return matrix_scalar(s->out, expr_add(d, kinetic, potential));
    case MODEL_CENTRE:
        for (int i = 0; i < 3; i++) sum.moment[i] = expr_div(d, sum.moment[i], sum.mass);
        return as_matrix(s, sum.moment, 3, 1);
    default: break;
    }
    if (s->call->frame >= 0) sum.momentum = from_frame(s, &sum.momentum);
    return as_six(s, &sum.momentum);
}

static Matrix trace(Signals *s) {
    Six v;
    Pose world;
    switch (s->call->which) {
    case MODEL_PLACE:
    case MODEL_ATTITUDE:
        world = pose_of(s, &s->t->body[the_body(s)]);
        return s->call->which == MODEL_PLACE ? as_matrix(s, world.p, 3, 1)
                                             : as_matrix(s, world.R, 3, 3);
    case MODEL_ADDED: return added_mass(s);
    case MODEL_FORCE:
    case MODEL_MOMENT:
        return mech_reaction(s->out, s->d, s->m, s->call,
                             s->call->x ? s->call->x : velocity_rates(s));
    case MODEL_VELOCITY: v = body_motion(s, true); return as_six(s, &v);
    case MODEL_FELT: v = frame_acceleration(s, true); return as_matrix(s, v.lin, 3, 1);
    case MODEL_ACCELERATION:
        v = s->call->frame >= 0 ? frame_acceleration(s, false) : body_motion(s, false);
        return as_six(s, &v);
    default: return of_bodies(s);
    }
}

Matrix mech_signal(Arena *out, Dag *d, const Mechanism *m, const ModelCall *call) {
    Signals s = {.out = out, .d = d, .m = m, .call = call};
    bool keep_shared = dag_keep_shared(d, true);
    s.t = tree_build(&s.scratch, d, m, true);
    tree_set_coordinates(d, s.t, call->q);
    Expr *w = ARENA_ARRAY(&s.scratch, Expr, s.t->nv);
    for (int i = 0; i < s.t->nv; i++) w[i] = call->w[s.t->velocity[i]];
    s.w = w;
    s.pose = link_poses(&s);
    s.twist = ARENA_ARRAY(&s.scratch, Six, s.t->count);
    sweep_twists(d, s.t, w, s.twist);
    Matrix result = trace(&s);
    dag_keep_shared(d, keep_shared);
    arena_free(&s.scratch);
    return result;
}
