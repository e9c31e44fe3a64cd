// The tree of instances becomes lists in the order of paths.
//
// Members of an instance are sorted by name; walking the tree in that order meets all paths in the
// order of name_compare, because '.' stands before every character of a name. Variables, components
// and ports are numbered on the way, and each variable gets its symbol.
#include "lang/build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// --- order ---------------------------------------------------------------------------------------

typedef struct {
    const char *text;
    int index;
} Sorted;

static int by_text(const void *a, const void *b) {
    return name_compare(((const Sorted *)a)->text, ((const Sorted *)b)->text);
}

// A vector's scalars are called x[1], x[2]: it stands where x[ stands.
static const char *member_text(Builder *b, const Member *m) {
    if (m->index >= 0) return text_of(b, b->instance.data[m->index].name);
    const Entity *x = &b->entity.data[~m->index];
    if (x->kind == ENTITY_PORT || x->rows * x->cols <= 1) return text_of(b, x->name);
    return arena_printf(&b->tmp, "%s[", text_of(b, x->name));
}

static void sort_members(Builder *b) {
    int instances = b->instance.count, n = b->member.count;
    int *start = b->member_start = ARENA_ARRAY(&b->tmp, int, instances + 2);
    for (int i = 0; i < n; i++) start[b->member.data[i].owner + 2]++;
    for (int i = 2; i <= instances + 1; i++) start[i] += start[i - 1];
    Arena scratch = {0};
    Sorted *sorted = ARENA_ARRAY(&scratch, Sorted, n);
    for (int i = 0; i < n; i++) {
        const Member *m = &b->member.data[i];
        sorted[start[m->owner + 1]++] = (Sorted){member_text(b, m), m->index};
    }
    for (int i = 0; i < instances; i++) {
        int count = start[i + 1] - start[i];
        if (count > 1) qsort(sorted + start[i], (size_t)count, sizeof *sorted, by_text);
        for (int k = start[i]; k < start[i + 1]; k++)
            b->member.data[k] = (Member){i, sorted[k].index};
    }
    arena_free(&scratch);
}

// --- variables -----------------------------------------------------------------------------------

static void push_var(Builder *b, Var v) {
    v.der = v.of = -1;
    v.symbol = expr_symbol(b->dag, v.path);
    array_push(&b->var, v);
}

// `count` scalars "owner.name", or "owner.name[i]" / "owner.name[i,j]" for more than one.
static int push_vars(Builder *b, int instance, const char *name, int rows, int cols, Var v) {
    int first = b->var.count;
    if (!count_scalars(b, (int64_t)rows * cols, v.pos)) return first;
    if (rows * cols == 1) {
        v.path = member_path(b, instance, name);
        push_var(b, v);
        return first;
    }
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= cols; j++) {
            char text[ELEMENT_NAME];
            element_text(text, name, (int[]){i, j}, cols == 1 ? 1 : 2);
            v.path = member_path(b, instance, text);
            push_var(b, v);
        }
    return first;
}

// Efforts or flows of a port or junction, each with the unit that its bonds told.
static int push_power(Builder *b, int terminal, const char *name, bool effort) {
    const Terminal *t = &b->terminal.data[terminal];
    const Instance *i = &b->instance.data[t->instance];
    Var v = {.kind = effort ? VAR_EFFORT : VAR_FLOW, .comp = i->comp, .pos = terminal_pos(b, t)};
    int dim = t->dim, node = t->node;
    int first = push_vars(b, t->instance, name, dim, 1, v);
    for (int k = 0; k < dim && first + k < b->var.count; k++) {
        const NodeClass *c = &b->classes[b->node_class[node + k]];
        const Domain *d = c->domain >= 0 ? &b->domain.data[c->domain] : NULL;
        Var *x = &b->var.data[first + k];
        x->dim = effort ? c->e : c->f;
        x->unit =
            d ? name_of(b->names, effort ? d->effort_unit : d->flow_unit) : dim_unit(b, x->dim);
    }
    return first;
}

static void push_argument(Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    Var v = {.kind = VAR_PARAM, .comp = i->comp, .pos = ast_start(i->argument)};
    const AstExpr *e = i->argument;
    bool told = i->argument_dim.known && !(i->argument_is & IS_PLAIN);
    v.dim = told ? i->argument_dim : wanted_argument(b, instance);
    bool coherent = e->kind == AST_WITH_UNIT && e->unit->scale == 1 && e->unit->offset == 0;
    v.unit = coherent ? e->unit_text : dim_unit(b, v.dim);
    push_vars(b, instance, i->builtin->argument, 1, 1, v);
}

// Flow in rad/s: displacement in rad.
static Name state_unit(Builder *b, int node, bool momentum, Dim dim) {
    const NodeClass *c = &b->classes[b->node_class[node]];
    if (momentum || c->domain < 0) return dim_unit(b, dim);
    const char *flow = b->domain.data[c->domain].flow_unit;
    size_t n = strlen(flow);
    if (n < 3 || strcmp(flow + n - 2, "/s") != 0) return dim_unit(b, dim);
    return name_of_n(b->names, flow, n - 2);
}

static void push_states(Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    bool momentum = i->builtin->kind == COMP_I;
    const Terminal *t = &b->terminal.data[i->first_terminal];
    Var v = {.kind = momentum ? VAR_MOMENTUM : VAR_DISPLACEMENT,
             .comp = i->comp,
             .pos = terminal_pos(b, t)};
    int dim = i->dim, node = t->node;
    Comp *c = &b->comp.data[i->comp];
    c->first_state = b->var.count;
    c->state_count = dim;
    int first = push_vars(b, instance, i->builtin->state, dim, 1, v);
    for (int k = 0; k < dim && first + k < b->var.count; k++) {
        Dim rate = momentum ? node_effort(b, node + k) : node_flow(b, node + k);
        Var *x = &b->var.data[first + k];
        x->dim = dim_multiply(rate, dim_second());
        x->unit = state_unit(b, node + k, momentum, x->dim);
    }
}

// --- components ----------------------------------------------------------------------------------

static Name type_name(Builder *b, const Instance *i) {
    if (i->builtin) return name_of(b->names, i->builtin->type);
    if (!i->item) return i->class->name;
    Text t = {0};
    ast_print(&t, b->names, i->item->path);
    Name name = name_of(b->names, text_get(&t));
    text_free(&t);
    return name;
}

static void push_comp(Builder *b, int instance) {
    Instance *i = &b->instance.data[instance];
    Comp c = {.path = i->path, .type = type_name(b, i), .first_port = b->port.count, .var = -1};
    c.pos = i->item ? i->item->pos : i->class->pos;
    c.text = i->item ? i->item->text : i->class->text;
    if (i->builtin) {
        assert(i->item); // only the outermost instance has no statement, and that is a class
        c.kind = i->builtin->kind;
        c.modulated = i->builtin->modulated;
        c.own_law = i->item->laws != NULL;
        c.dim = i->dim;
        c.role = i->builtin->role;
    } else {
        c.kind = COMP_FIELD;
        c.own_law = true;
        c.role = i->role;
        if (!c.text) c.text = i->class->text;
    }
    i->comp = b->comp.count;
    array_push(&b->comp, c);
}

// Velocities are the same on both sides of a joint, whichever way its half-arrow points.
static bool is_motion(const Builder *b, int domain) {
    return domain >= 0 && b->domain.data[domain].motion;
}

static void push_port(Builder *b, int terminal) {
    Terminal *t = &b->terminal.data[terminal];
    int comp = b->instance.data[t->instance].comp;
    const NodeClass *c = &b->classes[b->node_class[t->node]];
    Port p = {
        .name = t->name, .comp = comp, .dim = t->dim, .out = t->out, .pos = terminal_pos(b, t)};
    p.moves = t->of_class && is_motion(b, c->domain);
    if (c->domain >= 0) {
        p.domain = name_of(b->names, b->domain.data[c->domain].name);
        p.pseudo = b->domain.data[c->domain].pseudo;
        b->comp.data[comp].pseudo |= b->domain.data[c->domain].pseudo;
    }
    t->port = b->port.count;
    b->comp.data[comp].port_count++;
    array_push(&b->port, p);
}

static void flatten_one_port(Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    int terminal = i->first_terminal;
    if (i->own_symbol) push_argument(b, instance);
    b->terminal.data[terminal].e = push_power(b, terminal, "e", true);
    b->terminal.data[terminal].f = push_power(b, terminal, "f", false);
    if (i->builtin->state) push_states(b, instance);
    push_port(b, terminal);
}

static void flatten_two_port(Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    int t = i->first_terminal;
    b->terminal.data[t].e = push_power(b, t, "e1", true);
    b->terminal.data[t + 1].e = push_power(b, t + 1, "e2", true);
    b->terminal.data[t].f = push_power(b, t, "f1", false);
    b->terminal.data[t + 1].f = push_power(b, t + 1, "f2", false);
    if (i->own_symbol) push_argument(b, instance);
    push_port(b, t);
    push_port(b, t + 1);
}

static void flatten_junction(Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    bool effort = i->builtin->kind == COMP_0;
    int terminal = i->first_terminal;
    int first = push_power(b, terminal, effort ? "e" : "f", effort);
    *(effort ? &b->terminal.data[terminal].e : &b->terminal.data[terminal].f) = first;
    const NodeClass *c = &b->classes[b->node_class[b->terminal.data[terminal].node]];
    Comp *comp = &b->comp.data[i->comp];
    comp->var = first;
    comp->pseudo = c->domain >= 0 && b->domain.data[c->domain].pseudo;
}

static void flatten_builtin(Builder *b, int instance) {
    push_comp(b, instance);
    b->instance.data[instance].var = b->var.count;
    int ports = b->instance.data[instance].builtin->ports;
    if (ports == 0) flatten_junction(b, instance);
    if (ports == 1) flatten_one_port(b, instance);
    if (ports == 2) flatten_two_port(b, instance);
}

// --- classes -------------------------------------------------------------------------------------

static void flatten_port(Builder *b, const Entity *x) {
    int terminal = x->first;
    if (b->terminal.data[terminal].transparent) return;
    const char *name = text_of(b, x->name);
    char effort[300], flow[300];
    size_t n = strlen(name);
    if (n > sizeof effort - 3) n = sizeof effort - 3;
    put_chars(put_chars(effort, name, n), ".e", 3);
    put_chars(put_chars(flow, name, n), ".f", 3);
    b->terminal.data[terminal].e = push_power(b, terminal, effort, true);
    b->terminal.data[terminal].f = push_power(b, terminal, flow, false);
}

// Effort or flow of a joint or frame; without a bond it is a variable like any other.
static void flatten_power(Builder *b, const Entity *x) {
    bool effort = x->kind == ENTITY_EFFORT;
    int first = push_power(b, x->first, effort ? "e" : "f", effort);
    Terminal *t = &b->terminal.data[x->first];
    *(effort ? &t->e : &t->f) = first;
    for (int k = 0; k < t->dim && first + k < b->var.count; k++)
        if (!b->bonded[t->node + k]) b->var.data[first + k].kind = VAR_LOCAL;
}

static void flatten_entity(Builder *b, int entity) {
    Entity *x = &b->entity.data[entity];
    if (x->kind == ENTITY_PORT) {
        flatten_port(b, x);
        return;
    }
    if (x->kind == ENTITY_EFFORT || x->kind == ENTITY_FLOW) {
        flatten_power(b, x);
        return;
    }
    if (x->kind == ENTITY_CONST || x->value_is == WRONG || x->alias >= 0) return;
    static const VarKind kind[] = {[ENTITY_PARAM] = VAR_PARAM,
                                   [ENTITY_INPUT] = VAR_INPUT,
                                   [ENTITY_OUTPUT] = VAR_OUTPUT,
                                   [ENTITY_LOCAL] = VAR_LOCAL};
    Var v = {.kind = kind[x->kind], .comp = b->instance.data[x->owner].comp, .dim = x->dim};
    if (x->item->discrete) v.kind = VAR_DISCRETE;
    v.unit = x->unit;
    v.text = x->item->text;
    v.pos = x->item->pos;
    v.structural = x->structural;
    int first = x->first = push_vars(b, x->owner, text_of(b, x->name), x->rows, x->cols, v);
    for (int i = x->split; x->second_unit && first + i < b->var.count; i++) {
        b->var.data[first + i].unit = name_of(b->names, x->second_unit);
        b->var.data[first + i].dim = dim_of_unit(x->second_unit);
    }
}

static bool has_real_port(const Builder *b, int instance) {
    for (int t = b->instance.data[instance].first_terminal; t >= 0; t = b->terminal.data[t].next)
        if (!b->terminal.data[t].transparent) return true;
    return false;
}

// --- mechanisms: one component, whose ports are the joints and frames, as far as they are bonded

static void find_bonded(Builder *b) {
    b->bonded = ARENA_ARRAY(&b->tmp, bool, b->node_count);
    for (int i = 0; i < b->flat.count; i++) {
        const Bond *bond = &b->flat.data[i];
        const BondEnd *end[] = {&bond->from, &bond->to};
        for (int k = 0; k < 2; k++)
            for (int n = 0; n < bond->dim; n++)
                b->bonded[b->terminal.data[end[k]->port].node + end[k]->first + n] = true;
    }
}

static Name part_name(Builder *b, int mechanism, const Terminal *t) {
    size_t skip = strlen(text_of(b, b->instance.data[mechanism].path));
    return name_of(b->names, text_of(b, b->instance.data[t->instance].path) + skip + (skip > 0));
}

// A port for each stretch of bonded scalars.
static void push_runs(Builder *b, int mechanism, int terminal) {
    Terminal *t = &b->terminal.data[terminal];
    int comp = b->instance.data[mechanism].comp;
    t->port = b->port.count;
    for (int from = 0; from < t->dim;) {
        int to = from;
        while (to < t->dim && b->bonded[t->node + to]) to++;
        if (to > from) {
            int domain = b->classes[b->node_class[t->node + from]].domain;
            bool mixed = t->split > from && t->split < to;
            Port p = {.comp = comp,
                      .dim = to - from,
                      .part = from,
                      .whole = t->dim,
                      .moves = is_motion(b, domain),
                      .pos = terminal_pos(b, t)};
            p.name = part_name(b, mechanism, t);
            if (domain >= 0 && !mixed) p.domain = name_of(b->names, b->domain.data[domain].name);
            array_push(&b->port, p);
            b->comp.data[comp].port_count++;
            t->runs++;
        }
        from = to + 1;
    }
    if (!t->runs) t->port = -1;
}

static void flatten_mechanism(Builder *b, int mechanism) {
    push_comp(b, mechanism);
    Instance *i = &b->instance.data[mechanism];
    const int comp = i->comp, count = i->part_count;
    Comp *c = &b->comp.data[comp];
    c->role = ROLE_STORE;
    if (!*text_of(b, c->path)) c->path = i->class->name; // the model to run
    i->field = true;
    Sorted *part = ARENA_ARRAY(&b->tmp, Sorted, count);
    int n = 0;
    for (int k = i->first_part; k < i->first_part + count; k++) {
        const MechPart *x = &b->part.data[k];
        b->instance.data[x->owner].comp = comp;
        if (x->instance >= 0)
            part[n++] = (Sorted){text_of(b, b->instance.data[x->instance].path), x->instance};
    }
    if (n > 1) qsort(part, (size_t)n, sizeof *part, by_text);
    for (int k = 0; k < n; k++) {
        Instance *x = &b->instance.data[part[k].index];
        x->comp = comp;
        if (x->first_terminal >= 0) push_runs(b, mechanism, x->first_terminal);
    }
}

static void flatten_class(Builder *b, int instance, int *rank) {
    const int first = b->member_start[instance], last = b->member_start[instance + 1];
    if (is_mechanism(b, instance) && !is_mounted(b, instance) && !is_called_only(b, instance)) {
        flatten_mechanism(b, instance);
    } else if (!b->instance.data[instance].part && has_real_port(b, instance)) {
        b->instance.data[instance].field = true;
        push_comp(b, instance);
        for (int k = first; k < last; k++) {
            int e = ~b->member.data[k].index;
            if (e >= 0 && b->entity.data[e].kind == ENTITY_PORT &&
                !b->terminal.data[b->entity.data[e].first].transparent)
                push_port(b, b->entity.data[e].first);
        }
    }
    for (int k = first; k < last && !b->stop; k++) {
        int index = b->member.data[k].index;
        if (index < 0) {
            flatten_entity(b, ~index);
            continue;
        }
        b->instance.data[index].rank = ++*rank;
        if (b->instance.data[index].builtin)
            flatten_builtin(b, index);
        else
            flatten_class(b, index, rank); // at most DEEPEST_NESTING levels
    }
}

// --- bonds ---------------------------------------------------------------------------------------

static int by_ends(const void *pa, const void *pb) {
    const Bond *a = pa, *b = pb;
    int x[] = {a->from.comp, a->from.port, a->from.first, a->to.comp, a->to.port, a->to.first};
    int y[] = {b->from.comp, b->from.port, b->from.first, b->to.comp, b->to.port, b->to.first};
    for (int i = 0; i < 6; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void number_end(const Builder *b, BondEnd *end) {
    const Terminal *t = &b->terminal.data[end->port];
    end->comp = b->instance.data[end->comp].comp;
    end->port = t->port;
    if (!t->runs) return;
    while (end->first >= b->port.data[end->port].part + b->port.data[end->port].dim) end->port++;
    end->first -= b->port.data[end->port].part;
}

static void sort_bonds(Builder *b) {
    for (int i = 0; i < b->flat.count; i++) {
        number_end(b, &b->flat.data[i].from);
        number_end(b, &b->flat.data[i].to);
    }
    if (b->flat.count > 1)
        qsort(b->flat.data, (size_t)b->flat.count, sizeof *b->flat.data, by_ends);
}

static void port_variables(Builder *b) {
    for (int k = 0; k < b->terminal.count; k++) {
        const Terminal *t = &b->terminal.data[k];
        if (t->port < 0) continue;
        for (int p = t->port; p < t->port + (t->runs ? t->runs : 1); p++) {
            b->port.data[p].e = t->e + b->port.data[p].part;
            b->port.data[p].f = t->f + b->port.data[p].part;
        }
    }
}

void flatten(Builder *b) {
    sort_members(b);
    if (b->part.count) find_bonded(b);
    Var time = {.path = name_of(b->names, "time"),
                .kind = VAR_TIME,
                .comp = -1,
                .dim = dim_second(),
                .unit = name_of(b->names, "s")};
    push_var(b, time);
    int rank = 0;
    flatten_class(b, 0, &rank);
    if (b->stop) return;
    sort_bonds(b);
    port_variables(b);
}
