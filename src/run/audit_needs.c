// What the audit wants of a run: the power into each component as an integral, the energy of each
// storage as an output, and where energy changes places inside of a storage the shares of it.
//
//      E = sum of x/2 dE/dx over the states x of a field whose energy is quadratic
//      T = sum of p f/2 over the velocities f of a mechanism
#include "run/job.h"

// Kinetic energy of a mechanism, and the share p*f/2 that each velocity has in it.
static void want_shares(Job *j, AuditTrack *t, const Mechanism *x) {
    Dag *d = dag_grow(j->system->dag);
    const Var *var = j->model->var;
    int count = 0;
    for (int i = 0; i < x->joint_count; i++) count += joint_velocities(x->joint[i].kind);
    t->inner = outputs_add(&j->outputs, job_form(j, var[x->kinetic].symbol));
    t->share = ARENA_ARRAY(&j->tmp, AuditShare, count);
    for (int i = 0; i < x->joint_count; i++)
        for (int c = 0; c < joint_velocities(x->joint[i].kind); c++) {
            const MechJoint *joint = &x->joint[i];
            Expr twice = expr_mul(d, var[joint->p + c].symbol, var[joint->f + c].symbol);
            Expr share = expr_mul(d, expr_number(d, 0.5), twice);
            t->share[t->share_count++].output = outputs_add(&j->outputs, job_form(j, share));
        }
}

// State x has the share x/2 dE/dx of the energy E of its storage.
static Expr share_of(const Job *j, Partials *of_energy, const Var *x) {
    Dag *d = dag_grow(j->system->dag);
    Expr slope = partials_by(of_energy, x->symbol);
    return expr_scale(d, 0.5, expr_mul(d, x->symbol, slope));
}

// Storages of several states, but for mechanisms. `track` is by component.
static bool is_shared(const Var *v, AuditTrack *const *track) {
    const AuditTrack *t = v->der >= 0 && v->comp >= 0 ? track[v->comp] : NULL;
    return t && t->stored >= 0 && t->inner < 0;
}

static void want_fields(Job *j) {
    const Model *m = j->model;
    AuditTrack **track = ARENA_ARRAY(&j->tmp, AuditTrack *, m->comp_count);
    int *states = ARENA_ARRAY(&j->tmp, int, m->comp_count);
    for (int i = 0; i < j->book.track_count; i++) track[j->book.track[i].comp] = &j->book.track[i];
    for (int v = 0; v < m->var_count; v++)
        if (is_shared(&m->var[v], track)) states[m->var[v].comp]++;
    Partials *partials = partials_new(dag_grow(j->system->dag));
    for (int v = 0, last = -1; v < m->var_count; v++) {
        int c = m->var[v].comp;
        if (!is_shared(&m->var[v], track) || states[c] < 2) continue; // one has nothing to exchange
        AuditTrack *t = track[c];
        if (!t->share) t->share = ARENA_ARRAY(&j->tmp, AuditShare, states[c]);
        if (c != last) partials_of(partials, m->comp[last = c].stored);
        t->share[t->share_count++].output =
            outputs_add(&j->outputs, job_form(j, share_of(j, partials, &m->var[v])));
    }
    partials_free(partials);
}

static void want_mechanisms(Job *j) {
    for (int m = 0; m < j->model->mechanism_count; m++)
        for (int i = 0; i < j->book.track_count; i++) {
            AuditTrack *t = &j->book.track[i];
            if (t->comp == j->model->mechanism[m].comp && t->stored >= 0)
                want_shares(j, t, &j->model->mechanism[m]);
        }
}

// Does an energy depend on what blocks find by iteration? Then no formula tells its rate.
static bool is_found_by_blocks(const System *s, Expr energy) {
    SymbolLists below = {0};
    bool found = false;
    expr_symbols_below(s->dag, &energy, 1, &below);
    for (int b = 0; b < s->block_count && !found; b++)
        for (int i = 0; i < below.symbol.count && !found; i++)
            for (int k = 0; k < s->block[b].size && !found; k++)
                found = s->block[b].unknown[k] == below.symbol.data[i];
    symbol_lists_free(&below);
    return found;
}

// What the law of a storage makes: the power into it, without what it loses, less the rate of its
// closed form. By symbols zero for every law that is the derivative of its energy.
static void want_defect(Job *j, AuditTrack *t, Rates *rates) {
    const System *s = j->system;
    Dag *d = dag_grow(s->dag);
    const Comp *c = &s->model->comp[t->comp];
    Expr energy = s->stored[t->comp];
    double zero;
    if (t->stored < 0 || t->inner >= 0 || c->own_supply || is_found_by_blocks(s, energy)) return;
    Expr lost = c->lost ? job_form(j, c->lost) : expr_number(d, 0);
    Expr power = expr_sub(d, s->power[t->comp], lost);
    Expr defect = expr_sub(d, power, rates_of(rates, energy));
    if (expr_is_number(d, defect, &zero) && zero == 0) return;
    t->defect = outputs_add(&j->outputs, defect);
}

static void want_defects(Job *j) {
    const System *s = j->system;
    if (s->model->choice_count) return; // each mode has rates of its own
    Dag *d = dag_grow(s->dag);
    Rates *rates = rates_new(d);
    rates_set(rates, s->time, expr_number(d, 1));
    for (int i = 0; i < s->state_count; i++) rates_set(rates, s->state[i], s->rate[i]);
    for (int i = 0; i < j->book.track_count; i++) want_defect(j, &j->book.track[i], rates);
    rates_free(rates);
}

// What comes out of a resistor: its power at the points of the run, apart from the integral.
static void want_powers(Job *j) {
    const System *s = j->system;
    if (s->model->choice_count) return; // each mode has powers of its own
    for (int i = 0; i < j->book.track_count; i++) {
        AuditTrack *t = &j->book.track[i];
        if (s->model->comp[t->comp].role == ROLE_DISSIPATE)
            t->defect = outputs_add(&j->outputs, expr_neg(dag_grow(s->dag), s->power[t->comp]));
    }
}

static int want_integral(Job *j, Expr power) {
    if (!power) return -1;
    array_push(&j->quads, job_form(j, power));
    return j->quads.count - 1;
}

static int track_of(const AuditBook *book, int comp) {
    for (int i = 0; i < book->track_count; i++)
        if (book->track[i].comp == comp) return i;
    return -1;
}

// Storages whose velocity a source sets: the first one that does gives their impulses.
static void find_sources(Job *j) {
    const Graph *g = j->system->graph;
    for (int i = 0; g && i < g->dependent_count; i++) {
        const DependentStorage *d = &g->dependent[i];
        int track = track_of(&j->book, g->node[d->node].comp);
        if (track < 0 || !d->source_count) continue;
        int source = track_of(&j->book, g->node[d->source[0]].comp);
        j->book.track[track].source = source >= 0 ? source : UNSEEN_SOURCE;
    }
}

// The integrated momenta or velocities of a mechanism under constraints, each with its projection
// onto the constraints (solve/jumps.c replaces one by the other).
static void want_settled(Job *j, const Mechanism *x) {
    for (int i = 0; x->constrained && i < x->joint_count; i++)
        for (int c = 0; c < joint_velocities(x->joint[i].kind); c++) {
            const MechJoint *joint = &x->joint[i];
            int value = (x->lagrange ? joint->f : joint->p) + c;
            if (joint->motion + c == value) continue;
            array_push(&j->settle_var, joint->motion + c);
            array_push(&j->settle_output,
                       outputs_add(&j->outputs, job_form(j, j->model->var[value].symbol)));
        }
}

// Stored energies that depend on time directly may jump when a prescribed signal does; these are
// watched.
static void want_jumps(Job *j) {
    const System *s = j->system;
    if (s->model->choice_count) return;
    ExprWalk *walk = walk_new(s->dag);
    walk_start(walk);
    for (int i = 0; i < j->book.track_count; i++) {
        const AuditTrack *t = &j->book.track[i];
        if (t->stored >= 0 && (t->drive >= 0 || t->source != -1))
            walk_add(walk, j->outputs.expr.data[t->stored]);
    }
    j->energy_jumps = walk_seen(walk, s->time);
    walk_free(walk);
    for (int m = 0; j->energy_jumps && m < s->model->mechanism_count; m++)
        want_settled(j, &s->model->mechanism[m]);
}

// Powers are the first integrals; stored energies are outputs.
void audit_want(Job *j) {
    j->run->audit =
        (Audit){.off = j->plan.audit < 0, .pass = true, .worst = -1, .worst_junction = -1};
    if (j->run->audit.off) return;
    const System *s = j->system;
    audit_open(&j->book, &j->tmp, s);
    for (int i = 0; i < j->book.track_count; i++) {
        AuditTrack *t = &j->book.track[i];
        array_push(&j->quads, s->power[t->comp]);
        const Comp *c = &s->model->comp[t->comp];
        bool closed = c->role == ROLE_STORE && s->stored[t->comp];
        if (closed) t->stored = outputs_add(&j->outputs, job_form(j, c->stored));
    }
    want_mechanisms(j);
    want_fields(j);
    for (int i = 0; i < j->book.track_count; i++) {
        AuditTrack *t = &j->book.track[i];
        const Comp *c = &s->model->comp[t->comp];
        t->drive = want_integral(j, c->own_supply ? s->model->var[c->own_supply].symbol : 0);
        t->loss = want_integral(j, c->lost);
    }
    find_sources(j);
    want_jumps(j);
    want_defects(j);
    want_powers(j);
}
