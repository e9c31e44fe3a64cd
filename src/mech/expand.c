// The laws of a mechanism: one storage field whose ports are its joints and frames.
//
//      joint    der(q) = beta(q) w(q, p)     der(p) = p'(q, p, e)     f = w(q, p)     e = 0 if free
//        or     der(q) = beta(q) w           der(w) = w'(q, w, e)     f = w           form lagrange
//      frame    f = twist, position, rotation of (q, p)                               e = 0 if free
//      all      kinetic, potential, energy, momentum
//
// Effort comes in everywhere and flow goes out. Energies and frames are equations like any other:
// what nobody reads is never computed.
//
// A frame `in world`, or in the axes of another place, has its effort and flow there: the wrench on
// the body is M' of it, with M the turn from the frame's axes, which a first tracing finds out.
#include "mech/expand.h"

#include "mech/expansion.h"
#include <math.h>
#include <string.h>

static bool is_bonded(const Expansion *k, int effort) {
    return k->m->var[effort].kind == VAR_EFFORT;
}

void add_law(Expansion *k, Expr left, Expr right, Pos pos) {
    add_rated_law(k, left, right, 0, pos);
}

void add_rated_law(Expansion *k, Expr left, Expr right, Expr rate, Pos pos) {
    Equation e = {left, right, k->x->comp, pos, rate};
    array_push(&k->law, e);
}

void add_guard(Expansion *k, Expr hold, Name what, Pos pos, const char *help) {
    static const double singular = 1e-3;
    Names *names = k->m->names;
    Expr sides[2] = {hold, expr_number(k->d, singular)};
    When guard = {
        .kind = WHEN_SINGULAR,
        .code = M_SINGULAR_RUN,
        .condition = expr_call(k->d, OP_LESS, sides, 2),
        .owner = k->x->name,
        .words = name_printf(names, "'%s' comes into a singular position", name_text(names, what)),
        .text = name_of(names, help),
        .pos = pos};
    array_push(&k->guard, guard);
}

void add_pause(Expansion *k, Expr hold, double part, Expr rate_bound, Pos pos) {
    Expr sides[2] = {hold, expr_number(k->d, part)};
    When pause = {.kind = WHEN_ACTS,
                  .rate_bound = rate_bound,
                  .condition = expr_call(k->d, OP_LESS, sides, 2),
                  .owner = k->x->name,
                  .pos = pos};
    array_push(&k->guard, pause);
}

// --- what goes in --------------------------------------------------------------------------------

// Per velocity or per scalar of frames; 0 where nothing is bonded.
Expr effort_of(const Expansion *k, int var) { return is_bonded(k, var) ? symbol(k, var) : 0; }

static void read_start(Expansion *k, int nq, int nv) {
    k->start_q = ARENA_ARRAY(&k->scratch, Expr, nq);
    k->start_w = ARENA_ARRAY(&k->scratch, Expr, nv);
    nq = nv = 0;
    for (int i = 0; i < k->x->joint_count; i++) {
        const MechJoint *j = &k->x->joint[i];
        for (int c = 0; c < joint_coordinates(j); c++) k->start_q[nq++] = j->start[c];
        for (int c = 0; c < joint_velocities(j->kind); c++) k->start_w[nv++] = j->start_flow[c];
    }
}

static void joint_inputs(Expansion *k) {
    const Mechanism *x = k->x;
    int nq = 0, nv = 0;
    for (int i = 0; i < x->joint_count; i++) {
        nq += joint_coordinates(&x->joint[i]);
        nv += joint_velocities(x->joint[i].kind);
    }
    read_start(k, nq, nv);
    MechInputs in = {.q = ARENA_ARRAY(&k->scratch, Expr, nq),
                     .p = ARENA_ARRAY(&k->scratch, Expr, nv),
                     .w = x->lagrange ? ARENA_ARRAY(&k->scratch, Expr, nv) : NULL,
                     .effort = ARENA_ARRAY(&k->scratch, Expr, nv)};
    nq = nv = 0;
    for (int i = 0; i < x->joint_count; i++) {
        const MechJoint *j = &x->joint[i];
        for (int c = 0; c < joint_coordinates(j); c++) in.q[nq++] = symbol(k, j->coordinate[c]);
        for (int c = 0; c < joint_velocities(j->kind); c++, nv++) {
            in.p[nv] = symbol(k, j->p + c);
            if (in.w) in.w[nv] = symbol(k, j->w + c);
            in.effort[nv] = stopped_effort(k, j, effort_of(k, j->e + c));
        }
    }
    k->in = in;
}

// R*x, or R'*x
static void turn(Dag *d, const Expr *r, bool back, const Expr x[3], Expr out[3]) {
    for (int i = 0; i < 3; i++) {
        Expr term[3];
        for (int j = 0; j < 3; j++)
            term[j] = x[j] ? expr_mul(d, r[back ? 3 * j + i : 3 * i + j], x[j]) : expr_number(d, 0);
        out[i] = expr_sum(d, term, 3);
    }
}

static bool has_own_axes(const MechFrame *f) { return !f->world_axes && !f->other_axes; }

// The wrench on each frame in its own axes.
static Expr *frame_wrenches(Expansion *k) {
    const Mechanism *x = k->x;
    Expr *wrench = ARENA_ARRAY(&k->scratch, Expr, 6 * x->frame_count);
    for (int i = 0; i < x->frame_count; i++) {
        const MechFrame *f = &x->frame[i];
        Expr *w = wrench + 6 * i;
        bool any = false;
        for (int c = 0; c < 6; c++) {
            w[c] = effort_of(k, f->e + c);
            any |= w[c] != 0;
        }
        if (!any || has_own_axes(f)) continue;
        for (int part = 0; part < 6; part += 3) {
            Expr given[3];
            memcpy(given, w + part, sizeof given);
            turn(k->d, k->axes + 9 * i, true, given, w + part);
        }
    }
    return wrench;
}

// M = R(axes)' R(frame), column by column.
static void turn_to(Expansion *k, const MechFrame *f, const Expr *body_rotation, const Expr *frame,
                    Expr *out) {
    Expr axes[9], column[3], turned[3];
    const Expr *body = f->axes.body < 0 ? NULL : body_rotation + 9 * f->axes.body;
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) column[i] = f->axes.rotation[3 * i + c];
        memcpy(turned, column, sizeof turned);
        if (body) turn(k->d, body, false, column, turned);
        for (int i = 0; i < 3; i++) axes[3 * i + c] = turned[i];
    }
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) column[i] = frame[3 * i + c];
        turn(k->d, axes, true, column, turned);
        for (int i = 0; i < 3; i++) out[3 * i + c] = turned[i];
    }
}

static void find_axes(Expansion *k) {
    const Mechanism *x = k->x;
    bool any = false, other = false;
    for (int i = 0; i < x->frame_count; i++) {
        any |= !has_own_axes(&x->frame[i]);
        other |= x->frame[i].other_axes;
    }
    k->axes = NULL;
    if (!any) return;
    k->axes = (x->lagrange ? mech_lagrange_form : mech_momentum_form)(&k->scratch, k->d, x, &k->in,
                                                                      METHOD_AUTO)
                  ->frame_rotation;
    if (!other) return;
    Expr *place = ARENA_ARRAY(&k->scratch, Expr, 3 * x->body_count);
    Expr *rotation = ARENA_ARRAY(&k->scratch, Expr, 9 * x->body_count);
    mech_body_poses(k->d, x, k->in.q, place, rotation);
    Expr *all = ARENA_ARRAY(&k->scratch, Expr, 9 * x->frame_count);
    memcpy(all, k->axes, 9 * (size_t)x->frame_count * sizeof *all);
    for (int i = 0; i < x->frame_count; i++)
        if (x->frame[i].other_axes)
            turn_to(k, &x->frame[i], rotation, k->axes + 9 * i, all + 9 * i);
    k->axes = all;
}

static void trace(Expansion *k) {
    MechInputs *in = &k->in;
    find_axes(k);
    in->wrench = frame_wrenches(k);
    if (k->constraints) constraint_inputs(k);
    if (k->follows) follow_inputs(k);
    MechInputs all = *in;
    if (k->x->lagrange) {
        k->traced = mech_lagrange_form(&k->scratch, k->d, k->x, in, METHOD_AUTO);
        return;
    }
    if (k->x->constrained) all.effort = constraint_efforts(k);
    k->traced = mech_momentum_form(&k->scratch, k->d, k->x, &all, METHOD_AUTO);
}

// --- what comes out ------------------------------------------------------------------------------

void free_efforts(Expansion *k, int first, int count, Pos pos) {
    for (int c = 0; c < count; c++)
        if (!is_bonded(k, first + c)) add_law(k, symbol(k, first + c), expr_number(k->d, 0), pos);
}

// p' with the seen p; form lagrange: w' with the seen f, and p besides.
static void motion_laws(Expansion *k, const MechJoint *j, int v, const Expr *acceleration) {
    const MechEquations *t = k->traced;
    const Expr *rate = k->x->lagrange ? acceleration : t->p_rate;
    int seen = k->x->lagrange ? j->f : j->p;
    for (int c = 0; c < joint_velocities(j->kind); c++) {
        add_law(k, symbol(k, k->m->var[j->motion + c].der),
                constraint_rate(k, rate[v + c], seen + c, j->motion + c), j->pos);
        if (!k->x->lagrange) continue;
        add_law(k, symbol(k, j->p + c), t->p[v + c], j->pos);
        if (k->x->constrained) add_law(k, symbol(k, j->w + c), symbol(k, j->f + c), j->pos);
    }
}

static void joint_laws(Expansion *k, int joint, const Expr *acceleration) {
    const MechEquations *t = k->traced;
    const MechJoint *j = &k->x->joint[joint];
    int q = t->joint_q[joint], v = t->joint_v[joint], n = joint_velocities(j->kind);
    for (int c = 0; c < joint_coordinates(j); c++) {
        int rate = k->m->var[j->state[c]].der;
        add_law(k, symbol(k, rate),
                constraint_rate(k, t->q_rate[q + c], j->coordinate[c], j->state[c]), j->pos);
    }
    motion_laws(k, j, v, acceleration);
    for (int c = 0; c < n && !k->x->constrained; c++)
        add_law(k, symbol(k, j->f + c), t->w[v + c], j->pos);
}

static void joint_port_laws(Expansion *k, int joint) {
    const MechJoint *j = &k->x->joint[joint];
    int n = joint_velocities(j->kind);
    free_efforts(k, j->e, n, j->pos);
    if (j->limited) limit_laws(k, j);
    if (j->angles.used) angle_laws(k, joint);
}

static void frame_laws(Expansion *k, int frame) {
    const MechEquations *t = k->traced;
    const MechFrame *f = &k->x->frame[frame];
    Expr twist[6];
    memcpy(twist, t->frame_twist + 6 * frame, sizeof twist);
    for (int part = 0; !has_own_axes(f) && part < 6; part += 3)
        turn(k->d, k->axes + 9 * frame, false, t->frame_twist + 6 * frame + part, twist + part);
    for (int c = 0; c < 6; c++) add_law(k, symbol(k, f->f + c), twist[c], f->pos);
    free_efforts(k, f->e, 6, f->pos);
    for (int c = 0; c < 3; c++)
        add_law(k, symbol(k, f->place + c), t->frame_position[3 * frame + c], f->pos);
    for (int c = 0; c < 9; c++)
        add_law(k, symbol(k, f->orientation + c), t->frame_rotation[9 * frame + c], f->pos);
}

static void energy_laws(Expansion *k) {
    const Mechanism *x = k->x;
    const MechEquations *t = k->traced;
    add_law(k, symbol(k, x->kinetic), t->kinetic, x->pos);
    add_law(k, symbol(k, x->potential), t->potential, x->pos);
    add_law(k, symbol(k, x->energy), expr_add(k->d, symbol(k, x->kinetic), symbol(k, x->potential)),
            x->pos);
    for (int c = 0; c < 6; c++) add_law(k, symbol(k, x->momentum + c), t->momentum[c], x->pos);
    if (x->open_gravity) return; // it gives and takes energy that passes no bond
    k->m->comp[x->comp].stored = expr_add(k->d, t->kinetic, t->potential);
    stop_energies(k);
}

// --- start of the motion -------------------------------------------------------------------------

// What the user says of a start: coordinates and velocities, of which each may be his own word.
static void start_words(Expansion *k) {
    const Mechanism *x = k->x;
    for (int i = 0, v = 0; i < x->joint_count; i++) {
        const MechJoint *j = &x->joint[i];
        int state = j->motion;
        for (int c = 0; c < joint_coordinates(j); c++)
            k->m->var[j->state[c]].given = j->given_start && k->m->var[j->state[c]].der >= 0;
        for (int c = 0; c < joint_velocities(j->kind); c++, v++) {
            if (k->follows && k->follows[v] >= 0) continue;
            if (x->velocity_count) state = x->velocity[v].p - c;
            StartSpeed s = {j->f + c, state + c, k->start_w[v], j->given_flow && !j->driven,
                            j->pos};
            array_push(&k->speed, s);
        }
    }
}

// Velocities of the start, or p = B(q) w with them and its coordinates.
static void start_values(Expansion *k) {
    const Mechanism *x = k->x;
    const Expr *motion = k->start_w;
    if (!x->lagrange) motion = mech_momenta(&k->scratch, k->d, x, k->start_q, k->start_w).at;
    if (!x->lagrange && k->follows) motion = follow_gather(k, motion);
    for (int i = 0, q = 0, v = 0; i < x->joint_count; i++) {
        const MechJoint *j = &x->joint[i];
        for (int c = 0; c < joint_coordinates(j); c++)
            k->m->var[j->state[c]].start = k->start_q[q++];
        for (int c = 0; c < joint_velocities(j->kind); c++)
            k->m->var[j->motion + c].start = motion[v++];
    }
}

// --- all mechanisms ------------------------------------------------------------------------------

static bool mechanism_expand(Expansion *k) {
    if (!check_angles(k) || !constraint_open(k) || !check_angles(k)) return false;
    find_led(k);
    if (find_followers(k)) k->changing->constrained = false;
    trace(k);
    if (!start_is_regular(k) || !check_limits(k)) return false;
    const Expr *acceleration =
        k->x->constrained && k->x->lagrange ? constraint_accelerations(k) : k->traced->acceleration;
    for (int i = 0; i < k->x->joint_count && !k->follows; i++) joint_laws(k, i, acceleration);
    if (k->follows) follow_laws(k);
    for (int i = 0; i < k->x->joint_count; i++) joint_port_laws(k, i);
    for (int i = 0; i < k->x->frame_count; i++) frame_laws(k, i);
    energy_laws(k);
    if (k->constraints) constraint_laws(k);
    stop_losses(k);
    start_values(k);
    return true;
}

static bool expand_one(Expansion *k) {
    int first = k->law.count;
    joint_inputs(k);
    k->constraints = NULL;
    k->prescribed = NULL;
    k->follows = NULL;
    bool good = k->x->by_energy ? lagrangian_expand(k) : mechanism_expand(k);
    if (good) start_words(k);
    Comp *c = &k->m->comp[k->x->comp];
    c->first_equation = k->m->equation_count + first;
    c->equation_count = k->law.count - first;
    return good;
}

static void keep_start(Expansion *k) {
    Model *m = k->m;
    m->speed = ARENA_ARRAY(k->out, StartSpeed, k->speed.count);
    m->tie = ARENA_ARRAY(k->out, StartTie, k->tie.count);
    for (int i = 0; i < k->speed.count; i++) m->speed[i] = k->speed.data[i];
    for (int i = 0; i < k->tie.count; i++) m->tie[i] = k->tie.data[i];
    m->speed_count = k->speed.count;
    m->tie_count = k->tie.count;
}

// The new laws stand behind all others, so each component's stay together.
static void keep_laws(Expansion *k) {
    Model *m = k->m;
    Equation *all = ARENA_ARRAY(k->out, Equation, m->equation_count + k->law.count);
    if (m->equation_count) memcpy(all, m->equation, (size_t)m->equation_count * sizeof *all);
    if (k->law.count)
        memcpy(all + m->equation_count, k->law.data, (size_t)k->law.count * sizeof *all);
    m->equation = all;
    m->equation_count += k->law.count;
}

static void keep_guards(Expansion *k) {
    Model *m = k->m;
    if (!k->guard.count) return;
    When *all = ARENA_ARRAY(k->out, When, m->when_count + k->guard.count);
    int group = m->when_count ? m->when[m->when_count - 1].group + 1 : 0;
    if (m->when_count) memcpy(all, m->when, (size_t)m->when_count * sizeof *all);
    for (int i = 0; i < k->guard.count; i++) {
        all[m->when_count + i] = k->guard.data[i];
        all[m->when_count + i].group = group + i;
        all[m->when_count + i].first_action = m->action_count;
    }
    m->when = all;
    m->when_count += k->guard.count;
}

// Is there a mechanism made of the same text, which has given all warnings already?
static bool has_moving_twin(const Model *m, const Mechanism *called) {
    for (int i = 0; i < m->mechanism_count; i++) {
        const Mechanism *x = &m->mechanism[i];
        if (x->body_count && called->body_count &&
            x->body[0].pos.file == called->body[0].pos.file &&
            x->body[0].pos.at == called->body[0].pos.at)
            return true;
    }
    return false;
}

// What is wrong with the data of a mechanism whose functions alone are called; its warnings only where no
// arm that moves gives the same.
static bool check_called(const Model *m, const Mechanism *called, const double *number, Report *r) {
    Report own = {0};
    bool good = mech_check_values(called, m->dag, number, &own);
    report_free(&own);
    if (good && has_moving_twin(m, called)) return true;
    return mech_check_values(called, m->dag, number, r);
}

// --- what events must not do ---------------------------------------------------------------------

static const MechJoint *constrained_joint(const Model *m, int var) {
    for (int i = 0; i < m->mechanism_count; i++) {
        const Mechanism *x = &m->mechanism[i];
        for (int k = 0; x->constrained && k < x->joint_count; k++) {
            const MechJoint *j = &x->joint[k];
            bool own = false;
            for (int c = 0; c < joint_coordinates(j); c++)
                own |= var == j->state[c] || var == j->coordinate[c];
            for (int c = 0; c < joint_velocities(j->kind); c++)
                own |= var == j->motion + c || var == j->p + c || (x->lagrange && var == j->w + c);
            if (own) return j;
        }
    }
    return NULL;
}

// reinit of a single integrated variable of a mechanism under constraints is refused: it would
// leave the constraints.
static bool check_reinits(const Model *m, Report *r) {
    bool good = true;
    for (int i = 0; i < m->action_count; i++) {
        const Action *a = &m->action[i];
        if (!a->reinit || !constrained_joint(m, a->var)) continue;
        Remark *e = report_error(r, M_REINIT_CONSTRAINED, a->pos,
                                 "'%s' cannot be set: constraints or drives hold its mechanism",
                                 name_text(m->names, m->var[a->var].path));
        remark_help(r, e,
                    "joints that depend on each other jump together: bond an element to the joint "
                    "whose modes stop or strike it, or let a strong force act for a short time");
        good = false;
    }
    return good;
}

bool mech_expand(Model *m, Arena *out, Report *r) {
    Expansion k = {.m = m, .d = dag_grow(m->dag), .out = out, .report = r};
    bool good = true;
    if (!m->mechanism_count && !m->called_count) return true;
    Arena numbers = {0};
    k.number = model_numbers(&numbers, m);
    for (int i = 0; i < m->mechanism_count; i++)
        if (!m->mechanism[i].by_energy)
            good &= mech_check_values(&m->mechanism[i], m->dag, k.number, r);
    for (int i = 0; i < m->called_count; i++) good &= check_called(m, &m->called[i], k.number, r);
    good = good && check_reinits(m, r);
    for (int i = 0; good && i < m->mechanism_count; i++) {
        k.x = k.changing = &m->mechanism[i];
        good = expand_one(&k);
        arena_free(&k.scratch);
    }
    if (good) keep_stops(&k);
    if (good) keep_laws(&k);
    if (good) keep_start(&k);
    if (good) keep_guards(&k);
    array_free(&k.law);
    array_free(&k.speed);
    array_free(&k.tie);
    array_free(&k.guard);
    array_free(&k.choice);
    array_free(&k.mode);
    array_free(&k.mode_law);
    array_free(&k.before);
    arena_free(&numbers);
    return good;
}
