// What the audit wants of a run: the power into each component as an integral, the energy of each
// storage as an output, and where energy changes places inside of a storage the shares of it.
//
//      E = sum of x/2 dE/dx over the states x of a field whose energy is quadratic
//      T = sum of p f/2 over the velocities f of a mechanism
#include "run/job.h"

// Kinetic energy of a mechanism, and the share p*f/2 that each velocity has in it.
static void want_shares(Job *j, AuditTrack *t, const Mechanism *x) {
    Dag *d = j->system->dag;
    const Var *var = j->model->var;
    int count = 0;
    for (int i = 0; i < x->joint_count; i++) count += joint_velocities(x->joint[i].kind);
    t->inner = outputs_add(&j->outputs, job_wish(j, var[x->kinetic].symbol));
    t->share = ARENA_ARRAY(&j->tmp, AuditShare, count);
    for (int i = 0; i < x->joint_count; i++)
        for (int c = 0; c < joint_velocities(x->joint[i].kind); c++) {
            const MechJoint *joint = &x->joint[i];
            Expr twice = expr_mul(d, var[joint->p + c].symbol, var[joint->f + c].symbol);
            Expr share = expr_mul(d, expr_number(d, 0.5), twice);
            t->share[t->share_count++].output = outputs_add(&j->outputs, job_wish(j, share));
        }
}

// State x has the share x/2 dE/dx of the energy E of its storage.
static Expr share_of(const Job *j, const Var *x) {
    Dag *d = j->system->dag;
    Expr slope = expr_derivative(d, j->model->comp[x->comp].stored, x->symbol);
    return expr_mul(d, expr_number(d, 0.5), expr_mul(d, x->symbol, slope));
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
    for (int v = 0; v < m->var_count; v++) {
        int c = m->var[v].comp;
        if (!is_shared(&m->var[v], track) || states[c] < 2) continue; // one has nothing to exchange
        AuditTrack *t = track[c];
        if (!t->share) t->share = ARENA_ARRAY(&j->tmp, AuditShare, states[c]);
        t->share[t->share_count++].output =
            outputs_add(&j->outputs, job_wish(j, share_of(j, &m->var[v])));
    }
}

static void want_mechanisms(Job *j) {
    for (int m = 0; m < j->model->mechanism_count; m++)
        for (int i = 0; i < j->book.track_count; i++) {
            AuditTrack *t = &j->book.track[i];
            if (t->comp == j->model->mechanism[m].comp && t->stored >= 0)
                want_shares(j, t, &j->model->mechanism[m]);
        }
}

static int want_integral(Job *j, Expr power) {
    if (!power) return -1;
    array_push(&j->quads, job_wish(j, power));
    return j->quads.count - 1;
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
        if (closed) t->stored = outputs_add(&j->outputs, job_wish(j, c->stored));
    }
    want_mechanisms(j);
    want_fields(j);
    for (int i = 0; i < j->book.track_count; i++) {
        AuditTrack *t = &j->book.track[i];
        const Comp *c = &s->model->comp[t->comp];
        t->drive = want_integral(j, c->own_supply ? s->model->var[c->own_supply].symbol : 0);
        t->loss = want_integral(j, c->lost);
    }
}
