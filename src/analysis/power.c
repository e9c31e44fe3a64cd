// Power and activity.
//
// The activity of an element is the integral of |power| into it: how much energy it moves, whether
// it keeps, gives back or loses it. Elements that have hardly a share of all activity have hardly a
// part in what the system does (Louca and Stein): they are the first to try to leave out.
#include "analysis/power.h"

#include "analysis/swing.h"
#include "base/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- which powers there are ----------------------------------------------------------------------

typedef ARRAY(PowerFlow) Flows;
typedef ARRAY(Expr) Exprs;

typedef struct {
    Arena *out;
    const System *s;
    const Model *m;
    Dag *d;
    Flows flow;
    Exprs power;
    Expr *bond; // per bond of the model; 0: not known
} Planning;

static Expr scalar_power(const Planning *p, int e, int f, bool pseudo) {
    Expr flow = p->m->var[f].symbol;
    return pseudo ? flow : expr_mul(p->d, p->m->var[e].symbol, flow);
}

static Expr port_power(const Planning *p, const Port *port, int first, int dim) {
    Expr sum = expr_number(p->d, 0);
    for (int k = first; k < first + dim; k++)
        sum = expr_add(p->d, sum, scalar_power(p, port->e + k, port->f + k, port->pseudo));
    return sum;
}

static Expr power_into(const Planning *p, const Comp *c) {
    Expr sum = expr_number(p->d, 0);
    for (int i = c->first_port; i < c->first_port + c->port_count; i++) {
        const Port *port = &p->m->port[i];
        Expr power = port_power(p, port, 0, port->dim);
        sum = port->out ? expr_sub(p->d, sum, power) : expr_add(p->d, sum, power);
    }
    return sum;
}

static void add_flow(Planning *p, PowerFlow flow, Expr power) {
    array_push(&p->flow, flow);
    array_push(&p->power, power);
}

static const char *comp_path(const Planning *p, int comp) {
    return name_text(p->m->names, p->m->comp[comp].path);
}

// Drives and losses inside of a storage are flows of their own.
static void add_storage(Planning *p, int comp) {
    const Comp *c = &p->m->comp[comp];
    Expr into = power_into(p, c), drive = c->own_supply ? p->m->var[c->own_supply].symbol : 0;
    if (drive) {
        const char *name = arena_printf(p->out, "%s (drives)", comp_path(p, comp));
        add_flow(p, (PowerFlow){POWER_SOURCE, name, "supplies", .comp = comp},
                 expr_neg(p->d, drive));
        into = expr_add(p->d, into, drive);
    }
    if (c->lost) {
        const char *name = arena_printf(p->out, "%s (losses)", comp_path(p, comp));
        add_flow(p, (PowerFlow){POWER_ELEMENT, name, "dissipates", .comp = comp}, c->lost);
        into = expr_sub(p->d, into, c->lost);
    }
    add_flow(p, (PowerFlow){POWER_ELEMENT, comp_path(p, comp), "stores", .comp = comp}, into);
}

static void add_element(Planning *p, int comp) {
    const Comp *c = &p->m->comp[comp];
    const char *name = comp_path(p, comp);
    if (c->role == ROLE_STORE) add_storage(p, comp);
    if (c->role == ROLE_SUPPLY)
        add_flow(p, (PowerFlow){POWER_SOURCE, name, "supplies", .comp = comp}, power_into(p, c));
    if (c->role == ROLE_DISSIPATE)
        add_flow(p, (PowerFlow){POWER_ELEMENT, name, "dissipates", .comp = comp}, power_into(p, c));
}

// --- bonds ---------------------------------------------------------------------------------------

// A port counts power into its component, or out of it where it says so.
static Expr power_at_port(const Planning *p, const Bond *b, const BondEnd *end, bool is_from) {
    const Port *port = &p->m->port[end->port];
    Expr power = port_power(p, port, end->first, b->dim);
    return port->out == is_from ? power : expr_neg(p->d, power);
}

// Between a 0-junction, which has the effort, and a 1-junction, which has the flow.
static Expr power_between(const Planning *p, const Bond *b) {
    const Comp *from = &p->m->comp[b->from.comp], *to = &p->m->comp[b->to.comp];
    if (from->kind == to->kind) return 0;
    bool effort_from = from->kind == COMP_0;
    int e = effort_from ? from->var + b->from.first : to->var + b->to.first;
    int f = effort_from ? to->var + b->to.first : from->var + b->from.first;
    Expr sum = expr_number(p->d, 0);
    for (int k = 0; k < b->dim; k++)
        sum = expr_add(p->d, sum, scalar_power(p, e + k, f + k, from->pseudo));
    return sum;
}

static Expr power_along(const Planning *p, const Bond *b) {
    if (b->to.port >= 0) return power_at_port(p, b, &b->to, false);
    if (b->from.port >= 0) return power_at_port(p, b, &b->from, true);
    return power_between(p, b);
}

static bool is_junction(const Comp *c) { return c->kind == COMP_0 || c->kind == COMP_1; }

// Junctions keep power: where the power of all bonds but one is known, the last one follows. True:
// one was found.
static bool close_balance(Planning *p, int comp) {
    Expr into = expr_number(p->d, 0);
    int missing = -1;
    for (int i = 0; i < p->m->bond_count; i++) {
        const Bond *b = &p->m->bond[i];
        bool to = b->to.comp == comp, from = b->from.comp == comp;
        if (!to && !from) continue;
        if (!p->bond[i] && missing >= 0) return false;
        if (!p->bond[i])
            missing = i;
        else
            into = to ? expr_add(p->d, into, p->bond[i]) : expr_sub(p->d, into, p->bond[i]);
    }
    if (missing < 0) return false;
    bool leaves = p->m->bond[missing].from.comp == comp;
    p->bond[missing] = leaves ? into : expr_neg(p->d, into);
    return true;
}

static void balance_junctions(Planning *p) {
    bool unknown = false;
    for (int i = 0; i < p->m->bond_count; i++) unknown = unknown || !p->bond[i];
    while (unknown) {
        unknown = false;
        for (int c = 0; c < p->m->comp_count; c++)
            if (is_junction(&p->m->comp[c])) unknown = close_balance(p, c) || unknown;
    }
}

static void add_bonds(Planning *p, PowerPlan *plan) {
    int count = p->m->bond_count;
    p->bond = ARENA_ARRAY(p->out, Expr, count);
    plan->bond_flow = ARENA_ARRAY(p->out, int, count);
    for (int i = 0; i < count; i++) p->bond[i] = power_along(p, &p->m->bond[i]);
    balance_junctions(p);
    for (int i = 0; i < count; i++) {
        const Bond *b = &p->m->bond[i];
        plan->bond_flow[i] = p->bond[i] ? p->flow.count : -1;
        if (!p->bond[i]) continue;
        const char *name =
            arena_printf(p->out, "%s -> %s", comp_path(p, b->from.comp), comp_path(p, b->to.comp));
        add_flow(p, (PowerFlow){POWER_BOND, name, "", .comp = -1}, p->bond[i]);
    }
}

static bool carries(const Comp *c) {
    return is_junction(c) || (c->role == ROLE_LOSSLESS && c->port_count > 1);
}

PowerPlan power_plan(Arena *out, const System *s) {
    PowerPlan plan = {0};
    const Model *m = s->model;
    Planning p = {.out = out, .s = s, .m = m, .d = dag_grow(s->dag)};
    plan.carrier_comp = ARENA_ARRAY(out, int, m->comp_count);
    for (int i = 0; i < m->comp_count; i++) {
        add_element(&p, i);
        if (carries(&m->comp[i])) plan.carrier_comp[plan.carrier_count++] = i;
    }
    add_bonds(&p, &plan);
    plan.count = p.flow.count;
    plan.flow = ARENA_ARRAY(out, PowerFlow, plan.count);
    plan.power = ARENA_ARRAY(out, Expr, plan.count);
    for (int i = 0; i < plan.count; i++) {
        plan.flow[i] = p.flow.data[i];
        plan.power[i] = p.power.data[i];
    }
    array_free(&p.flow);
    array_free(&p.power);
    return plan;
}

// --- what went where -----------------------------------------------------------------------------

static void move(PowerFlow *x, double energy) {
    if (energy > 0)
        x->into += energy;
    else
        x->out -= energy;
}

static void add_interval(PowerFlow *x, const Swing *s) {
    double at[2], last = s->w[0];
    int count = swing_turns(s, at);
    for (int i = 0; i < count; i++) {
        double next = swing_energy(s, at[i]);
        move(x, next - last);
        last = next;
    }
    move(x, s->w[1] - last);
}

static void measure(PowerFlow *x, const Run *run, int flow) {
    const double *w = run->integrated[flow], *p = run->watched[flow];
    const double *time = run->results.column[0].value;
    x->power = p;
    for (int k = 0; k < run->results.row_count; k++) {
        x->peak = fmax(x->peak, fabs(p[k]));
        if (!k) continue;
        Swing s = swing_between(time + k - 1, w + k - 1, p + k - 1);
        add_interval(x, &s);
    }
    x->activity = x->into + x->out;
    x->share = x->efficiency = NAN;
}

static int by_activity(const void *a, const void *b) {
    const PowerFlow *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->activity != y->activity) return x->activity > y->activity ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_energy(const void *a, const void *b) {
    const PowerCarrier *x = a, *y = b;
    if (x->carried != y->carried) return x->carried > y->carried ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void measure_carriers(Arena *out, const System *s, const PowerPlan *plan, PowerTable *t,
                             const PowerFlow *flow) {
    const Model *m = s->model;
    t->carrier = ARENA_ARRAY(out, PowerCarrier, plan->carrier_count);
    for (int c = 0; c < plan->carrier_count; c++) {
        const Comp *comp = &m->comp[plan->carrier_comp[c]];
        double sum = 0;
        bool known = true;
        for (int i = 0; i < m->bond_count; i++) {
            const Bond *b = &m->bond[i];
            if (b->from.comp != plan->carrier_comp[c] && b->to.comp != plan->carrier_comp[c])
                continue;
            known = known && plan->bond_flow[i] >= 0;
            if (known) sum += flow[plan->bond_flow[i]].activity;
        }
        if (known)
            t->carrier[t->carrier_count++] = (PowerCarrier){
                name_text(m->names, comp->path), name_text(m->names, comp->type), sum / 2};
    }
    qsort(t->carrier, (size_t)t->carrier_count, sizeof *t->carrier, by_energy);
}

static void rank(PowerTable *t, double threshold) {
    for (int i = 0; i < t->count; i++)
        if (t->flow[i].kind == POWER_ELEMENT) t->activity += t->flow[i].activity;
    for (int i = t->count - 1; i >= 0; i--) {
        PowerFlow *x = &t->flow[i];
        if (x->kind != POWER_ELEMENT || !(t->activity > 0)) continue;
        x->share = x->activity / t->activity;
        x->spare = t->spare + x->share < threshold;
        if (x->spare) t->spare += x->share;
    }
}

// Of all energy that sources and storages gave, each net, the part that each of the others got.
static void share_out(PowerTable *t) {
    double given = 0;
    for (int i = 0; i < t->count; i++)
        if (t->flow[i].kind != POWER_BOND) given += fmax(t->flow[i].out - t->flow[i].into, 0);
    for (int i = 0; i < t->count; i++) {
        PowerFlow *x = &t->flow[i];
        if (x->kind != POWER_BOND && x->into > x->out && given > 0)
            x->efficiency = (x->into - x->out) / given;
    }
}

PowerTable power_measure(Arena *out, const System *s, const PowerPlan *plan, const Run *run,
                         double threshold) {
    const Results *r = &run->results;
    PowerTable t = {.count = plan->count, .rows = r->row_count, .time = r->column[0].value};
    t.flow = ARENA_ARRAY(out, PowerFlow, plan->count);
    for (int i = 0; i < plan->count; i++) {
        t.flow[i] = plan->flow[i];
        measure(&t.flow[i], run, i);
    }
    measure_carriers(out, s, plan, &t, t.flow);
    qsort(t.flow, (size_t)t.count, sizeof *t.flow, by_activity);
    rank(&t, threshold);
    share_out(&t);
    if (t.rows) t.start = t.time[0], t.stop = t.time[t.rows - 1];
    return t;
}

const PowerFlow *power_find(const PowerTable *t, const char *name) {
    for (int i = 0; i < t->count; i++)
        if (t->flow[i].kind != POWER_BOND && strcmp(t->flow[i].name, name) == 0) return &t->flow[i];
    return NULL;
}

double power_efficiency(const PowerFlow *from, const PowerFlow *to) {
    double given = from->out - from->into;
    return given > 0 ? (to->into - to->out) / given : NAN;
}
