// Units of bonds. All scalars that bonds join have one effort unit and one flow unit, and
//
//     effort * flow = power          except in a pseudo domain, where the flow is the power
//     R: e/f = R      C: e/f = s/C      I: e/f = I/s
//     TF: e1 = m e2, f2 = m f1          GY: e1 = r f2, e2 = r f1
//
// What ports, sources and elements with units tell spreads through two-ports until nothing new
// comes out; the power rule is used last. An argument without a unit tells nothing.
#include "lang/build.h"

#include <string.h>

Dim dim_second(void) {
    Dim d = DIM_ONE;
    d.power[BASE_S] = POWER_ONE;
    return d;
}

static Dim dim_watt(void) {
    Dim d = DIM_ONE;
    d.power[BASE_KG] = POWER_ONE;
    d.power[BASE_M] = 2 * POWER_ONE;
    d.power[BASE_S] = -3 * POWER_ONE;
    return d;
}

// --- domains by name -----------------------------------------------------------------------------

Dim dim_of_unit(const char *text) {
    Unit u = {.dim = DIM_ONE};
    const char *bad;
    size_t length;
    unit_parse(text, strlen(text), &u, &bad, &length);
    return u.dim;
}

void add_builtin_domains(Builder *b) {
    static const struct {
        const char *name, *effort, *flow;
        bool pseudo, motion;
    } known[] = {
        {"electric", "V", "A", false, false},         {"translation", "N", "m/s", false, true},
        {"rotation", "N.m", "rad/s", false, true},    {"hydraulic", "Pa", "m3/s", false, false},
        {"thermal", "K", "W/K", false, false},        {"heat", "K", "W", true, false},
        {"chemical", "J/mol", "mol/s", false, false}, {"magnetic", "A", "V", false, false},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        Domain d = {known[i].name,
                    known[i].effort,
                    known[i].flow,
                    dim_of_unit(known[i].effort),
                    dim_of_unit(known[i].flow),
                    known[i].pseudo,
                    known[i].motion};
        array_push(&b->domain, d);
    }
}

static int add_domain(Builder *b, Domain d) {
    for (int i = 0; i < b->domain.count; i++) {
        const Domain *k = &b->domain.data[i];
        if (strcmp(k->name, d.name) == 0 && dim_equal(k->effort, d.effort) &&
            dim_equal(k->flow, d.flow))
            return i;
    }
    array_push(&b->domain, d);
    return b->domain.count - 1;
}

static int domain_of_class(Builder *b, const AstClass *c) {
    Domain d = {.name = text_of(b, c->name),
                .effort_unit = text_of(b, c->unit_text),
                .flow_unit = text_of(b, c->flow_unit_text),
                .effort = c->unit.dim,
                .flow = c->flow_unit.dim};
    bool power = dim_equal(dim_multiply(d.effort, d.flow), dim_watt());
    d.pseudo = !power && dim_equal(d.flow, dim_watt());
    for (int i = 0; i < b->domain.count; i++)
        d.motion |= b->domain.data[i].motion && dim_equal(b->domain.data[i].flow, d.flow) &&
                    dim_equal(b->domain.data[i].effort, d.effort);
    if (!power && !d.pseudo) {
        Remark *m = complain(b, U_DOMAIN, c->pos, "effort times flow of domain '%s' is %s, not W",
                             d.name, dim_text(b, dim_multiply(d.effort, d.flow)));
        remark_help(b->r, m,
                    "effort times flow must be power, or the flow itself must be power "
                    "(a pseudo domain)");
    }
    return add_domain(b, d);
}

int find_domain(Builder *b, const AstExpr *path, const Env *env) {
    const char *name = path->kind == AST_NAME ? text_of(b, path->name) : "";
    if (strcmp(name, "any") == 0) return -1;
    Definition d = find_by_path(b->syntax, env->file, path, b->r);
    if (d.what && d.what->kind == CLASS_DOMAIN) return domain_of_class(b, d.what);
    for (int i = 0; i < b->domain.count; i++)
        if (strcmp(b->domain.data[i].name, name) == 0) return i;
    Remark *m =
        complain(b, L_UNKNOWN_CLASS, path->pos, "there is no domain '%s'", expr_text(b, path));
    Suggestion g = suggest_for(expr_text(b, path));
    for (int i = 0; i < b->domain.count; i++) suggest_offer(&g, b->domain.data[i].name);
    suggest_definitions(&g, b->syntax, env->file, 1u << CLASS_DOMAIN);
    suggest_help(b->r, m, &g, "define it, or write `any`");
    return -1;
}

// --- what is bonded together ---------------------------------------------------------------------

static int root_of(int *parent, int x) {
    while (parent[x] != x) {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
    return x;
}

static void join_nodes(Builder *b) {
    int *parent = b->node_class = ARENA_ARRAY(&b->tmp, int, b->node_count);
    for (int i = 0; i < b->node_count; i++) parent[i] = i;
    for (int i = 0; i < b->raw.count; i++) {
        const RawBond *raw = &b->raw.data[i];
        int from = b->terminal.data[raw->from.terminal].node + raw->from.first;
        int to = b->terminal.data[raw->to.terminal].node + raw->to.first;
        for (int k = 0; k < raw->dim; k++) {
            int x = root_of(parent, from + k), y = root_of(parent, to + k);
            parent[x < y ? y : x] = x < y ? x : y;
        }
    }
    int classes = 0; // roots are the smallest of their class, so one sweep numbers them
    for (int i = 0; i < b->node_count; i++) parent[i] = root_of(parent, i);
    for (int i = 0; i < b->node_count; i++)
        parent[i] = parent[i] == i ? classes++ : parent[parent[i]];
    b->classes = ARENA_ARRAY(&b->tmp, NodeClass, classes);
    for (int i = 0; i < classes; i++) b->classes[i].domain = b->classes[i].by = -1;
}

// The domain of one scalar: twists and wrenches are linear first, then angular.
static int domain_of(const Builder *b, int terminal, int scalar) {
    const Terminal *t = &b->terminal.data[terminal];
    return t->split && scalar >= t->split ? t->domain2 : t->domain;
}

static NodeClass *class_of(const Builder *b, int terminal, int scalar) {
    return &b->classes[b->node_class[b->terminal.data[terminal].node + scalar]];
}

Dim node_effort(const Builder *b, int node) { return b->classes[b->node_class[node]].e; }
Dim node_flow(const Builder *b, int node) { return b->classes[b->node_class[node]].f; }

// --- spreading -----------------------------------------------------------------------------------

static bool learn(Dim *slot, Dim d) {
    if (slot->known || !d.known) return false;
    *slot = d;
    return true;
}

static bool makes_power(const Builder *b, Dim e, Dim f) {
    if (!e.known || !f.known) return false;
    if (dim_equal(dim_multiply(e, f), dim_watt())) return true;
    for (int i = 0; i < b->domain.count; i++) {
        const Domain *d = &b->domain.data[i];
        if (d->pseudo && dim_equal(d->effort, e) && dim_equal(d->flow, f)) return true;
    }
    return false;
}

// The third of e, f and e/f from the other two, if that makes power.
static void complete(const Builder *b, NodeClass *c) {
    if (c->e.known && c->f.known) {
        c->ratio = dim_divide(c->e, c->f);
    } else if (c->e.known && c->ratio.known) {
        Dim f = dim_divide(c->e, c->ratio);
        if (makes_power(b, c->e, f)) c->f = f;
    } else if (c->f.known && c->ratio.known) {
        Dim e = dim_multiply(c->f, c->ratio);
        if (makes_power(b, e, c->f)) c->e = e;
    }
}

static bool whole_powers(Dim d) {
    for (int i = 0; i < BASE_COUNT; i++)
        if (d.power[i] % POWER_ONE) return false;
    return d.known;
}

// e*f = W. Returns whether it told something new.
static bool use_power(const Builder *b, NodeClass *c) {
    bool exact;
    if (c->e.known && c->f.known) return false;
    if (!c->e.known && !c->f.known) {
        if (!c->ratio.known) return false;
        c->e = dim_power(dim_multiply(c->ratio, dim_watt()), 0.5, &exact);
        if (!exact || !whole_powers(c->e)) c->e = DIM_UNKNOWN;
        if (!c->e.known) return false;
    }
    if (c->e.known)
        c->f = dim_divide(dim_watt(), c->e);
    else
        c->e = dim_divide(dim_watt(), c->f);
    complete(b, c);
    return true;
}

static bool tells_unit(const Instance *i) {
    return i->argument && i->dim_is == FOUND && i->argument_dim.known &&
           !dim_is_one(i->argument_dim) && !(i->argument_is & IS_PLAIN);
}

static void one_port_tells(Builder *b, const Instance *i) {
    for (int k = 0; k < i->dim; k++) {
        NodeClass *c = class_of(b, i->first_terminal, k);
        Dim a = i->argument_dim;
        bool news = false;
        switch (i->builtin->kind) {
        case COMP_SE: news = learn(&c->e, a); break;
        case COMP_SF: news = learn(&c->f, a); break;
        case COMP_R: news = learn(&c->ratio, a); break;
        case COMP_C: news = learn(&c->ratio, dim_divide(dim_second(), a)); break;
        case COMP_I: news = learn(&c->ratio, dim_divide(a, dim_second())); break;
        default: break;
        }
        if (news && c->by < 0) c->by = i->first_terminal;
        complete(b, c);
    }
}

// True when something new came out on either side.
static bool two_port_tells(Builder *b, const Instance *i) {
    bool news = false;
    Dim m = i->argument_dim;
    int most = i->dim > i->dim2 ? i->dim : i->dim2;
    for (int k = 0; k < most; k++) {
        NodeClass *x = class_of(b, i->first_terminal, k < i->dim ? k : 0);
        NodeClass *y = class_of(b, i->first_terminal + 1, k < i->dim2 ? k : 0);
        if (i->builtin->kind == COMP_TF) {
            news |= learn(&x->e, dim_multiply(m, y->e));
            news |= learn(&y->e, dim_divide(x->e, m));
            news |= learn(&y->f, dim_multiply(m, x->f));
            news |= learn(&x->f, dim_divide(y->f, m));
        } else {
            news |= learn(&x->e, dim_multiply(m, y->f));
            news |= learn(&y->f, dim_divide(x->e, m));
            news |= learn(&y->e, dim_multiply(m, x->f));
            news |= learn(&x->f, dim_divide(y->e, m));
        }
        complete(b, x);
        complete(b, y);
    }
    return news;
}

typedef struct {       // two-ports that touch each class, and those that wait to be looked at
    int *start, *port; // per class: start[c] .. start[c+1] into port
    int *queue, *waiting;
    int head, tail, size;
} Spread;

static void for_each_touch(Builder *b, Spread *s, bool count) {
    for (int i = 0; i < b->instance.count; i++) {
        const Instance *x = &b->instance.data[i];
        if (!x->builtin || x->builtin->ports != 2 || !tells_unit(x)) continue;
        int first = b->terminal.data[x->first_terminal].node;
        for (int k = 0; k < x->dim + x->dim2; k++) {
            int c = b->node_class[first + k];
            if (count)
                s->start[c + 1]++;
            else
                s->port[s->start[c]++] = i;
        }
    }
}

static void push_two_port(Spread *s, int instance) {
    if (s->waiting[instance]) return;
    s->waiting[instance] = 1;
    s->queue[s->tail] = instance;
    s->tail = (s->tail + 1) % s->size;
}

static Spread new_spread(Builder *b, Arena *scratch, int classes) {
    Spread s = {0};
    s.start = ARENA_ARRAY(scratch, int, classes + 2);
    for_each_touch(b, &s, true);
    for (int c = 0; c < classes; c++) s.start[c + 1] += s.start[c];
    s.port = ARENA_ARRAY(scratch, int, s.start[classes]);
    for_each_touch(b, &s, false); // leaves start[c] at the end of class c
    for (int c = classes; c > 0; c--) s.start[c] = s.start[c - 1];
    s.start[0] = 0;
    s.size = b->instance.count + 1;
    s.queue = ARENA_ARRAY(scratch, int, s.size);
    s.waiting = ARENA_ARRAY(scratch, int, s.size);
    return s;
}

static void spread(Builder *b, Spread *s) {
    while (s->head != s->tail) {
        int i = s->queue[s->head];
        s->head = (s->head + 1) % s->size;
        s->waiting[i] = 0;
        const Instance *x = &b->instance.data[i];
        if (!two_port_tells(b, x)) continue;
        int first = b->terminal.data[x->first_terminal].node;
        for (int k = 0; k < x->dim + x->dim2; k++) {
            int c = b->node_class[first + k];
            for (int n = s->start[c]; n < s->start[c + 1]; n++) push_two_port(s, s->port[n]);
        }
    }
}

// --- declared domains ----------------------------------------------------------------------------

static const char *terminal_name(Builder *b, int terminal) {
    const Terminal *t = &b->terminal.data[terminal];
    return t->name ? text_of(b, member_path(b, t->instance, text_of(b, t->name)))
                   : text_of(b, b->instance.data[t->instance].path);
}

static void report_domains(Builder *b, Pos pos, int x, int x_domain, int y, int y_domain) {
    Remark *m = complain(b, L_BOND_DOMAIN, pos, "a bond between domains: '%s' is %s, '%s' is %s",
                         terminal_name(b, x), b->domain.data[x_domain].name, terminal_name(b, y),
                         b->domain.data[y_domain].name);
    remark_help(b->r, m, "a transformer (TF) or gyrator (GY) joins different domains");
}

static void check_written_bonds(Builder *b) {
    for (int i = 0; i < b->raw.count; i++) {
        const RawBond *raw = &b->raw.data[i];
        for (int k = 0; k < raw->dim; k++) {
            int x = domain_of(b, raw->from.terminal, raw->from.first + k);
            int y = domain_of(b, raw->to.terminal, raw->to.first + k);
            if (x < 0 || y < 0 || x == y) continue;
            report_domains(b, raw->pos, raw->from.terminal, x, raw->to.terminal, y);
            class_of(b, raw->from.terminal, raw->from.first + k)->broken = true;
        }
    }
}

static Pos terminal_place(const Builder *b, int terminal) {
    const Terminal *t = &b->terminal.data[terminal];
    const Instance *i = &b->instance.data[t->instance];
    return i->item ? i->item->pos : terminal_pos(b, t);
}

static void declared_domains(Builder *b) {
    check_written_bonds(b);
    for (int k = 0; k < b->terminal.count; k++) {
        const Terminal *t = &b->terminal.data[k];
        if (t->domain < 0) continue;
        for (int n = 0; n < t->dim; n++) {
            NodeClass *c = class_of(b, k, n);
            int domain = domain_of(b, k, n);
            const Domain *d = &b->domain.data[domain];
            if (c->broken) continue;
            if (c->domain < 0) {
                *c = (NodeClass){.e = d->effort, .f = d->flow, .domain = domain, .by = k};
                complete(b, c);
            } else if (c->domain != domain) {
                report_domains(b, terminal_place(b, k), k, domain, c->by, c->domain);
                c->broken = true;
            }
        }
    }
}

// --- checks at the end ---------------------------------------------------------------------------

Dim wanted_argument(const Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    const NodeClass *c = class_of(b, i->first_terminal, 0);
    const NodeClass *d = i->builtin->ports == 2 ? class_of(b, i->first_terminal + 1, 0) : c;
    for (int k = 1; k < i->dim; k++) // mixed vectors tell nothing
        if (class_of(b, i->first_terminal, k) != c) return DIM_UNKNOWN;
    for (int k = 1; k < i->dim2 && i->builtin->ports == 2; k++)
        if (class_of(b, i->first_terminal + 1, k) != d) return DIM_UNKNOWN;
    switch (i->builtin->kind) {
    case COMP_SE: return c->e;
    case COMP_SF: return c->f;
    case COMP_R: return c->ratio;
    case COMP_C: return dim_divide(dim_second(), c->ratio);
    case COMP_I: return dim_multiply(c->ratio, dim_second());
    case COMP_TF: return c->e.known && d->e.known ? dim_divide(c->e, d->e) : dim_divide(d->f, c->f);
    case COMP_GY: return c->e.known && d->f.known ? dim_divide(c->e, d->f) : dim_divide(d->e, c->f);
    default: return DIM_UNKNOWN;
    }
}

// The element itself was the first that told of its units: another one beside it says otherwise.
static void note_other(Builder *b, Remark *m, const NodeClass *c, int self) {
    for (int i = 0; i < b->instance.count; i++) {
        const Instance *x = &b->instance.data[i];
        if (!x->builtin || x->first_terminal == self || !tells_unit(x)) continue;
        if (class_of(b, x->first_terminal, 0) != c) continue;
        remark_note(b->r, m, ast_start(x->argument), "'%s', on the same bonds, is in %s",
                    text_of(b, x->path), dim_text(b, x->argument_dim));
        return;
    }
}

static void note_origin(Builder *b, Remark *m, const NodeClass *c, int self) {
    if (c->by == self) note_other(b, m, c, self);
    if (c->by < 0 || c->by == self) return;
    const Terminal *t = &b->terminal.data[c->by];
    Text units = {0};
    dim_print(&units, c->e);
    text_add(&units, " and ");
    dim_print(&units, c->f);
    remark_note(b->r, m, terminal_place(b, c->by), "effort and flow here are in %s because of '%s'",
                text_get(&units),
                t->name ? text_of(b, member_path(b, t->instance, text_of(b, t->name)))
                        : text_of(b, b->instance.data[t->instance].path));
    text_free(&units);
}

static void check_argument(Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    if (!tells_unit(i)) return;
    Dim wanted = wanted_argument(b, instance);
    if (dim_fits(wanted, i->argument_dim)) return;
    bool source = i->builtin->kind == COMP_SE || i->builtin->kind == COMP_SF;
    const char *name = text_of(b, i->path);
    Pos pos = ast_start(i->argument);
    Remark *m = source ? complain(b, U_ELEMENT, pos, "source '%s' is in %s, but its bond is in %s",
                                  name, dim_text(b, i->argument_dim), dim_text(b, wanted))
                       : complain(b, U_ELEMENT, pos, "%s of '%s' is in %s, but its bonds need %s",
                                  i->builtin->argument, name, dim_text(b, i->argument_dim),
                                  dim_text(b, wanted));
    note_origin(b, m, class_of(b, i->first_terminal, 0), i->first_terminal);
    remark_help(b->r, m, "check the unit, or whether the element belongs to this domain");
}

static void name_domains(Builder *b, int classes) {
    for (int k = 0; k < classes; k++) {
        NodeClass *c = &b->classes[k];
        if (c->domain >= 0 || !c->e.known || !c->f.known) continue;
        for (int d = 0; d < b->domain.count && c->domain < 0; d++)
            if (dim_equal(c->e, b->domain.data[d].effort) &&
                dim_equal(c->f, b->domain.data[d].flow))
                c->domain = d;
        if (c->domain >= 0 || dim_equal(dim_multiply(c->e, c->f), dim_watt()) || c->by < 0)
            continue;
        Remark *m = complain(b, U_DOMAIN, terminal_place(b, c->by),
                             "effort in %s and flow in %s meet here, and their product is not "
                             "power",
                             dim_text(b, c->e), dim_text(b, c->f));
        remark_help(b->r, m, "check the units of the sources and elements bonded together");
    }
}

void infer_domains(Builder *b) {
    join_nodes(b);
    int classes = 0;
    for (int i = 0; i < b->node_count; i++)
        if (b->node_class[i] >= classes) classes = b->node_class[i] + 1;
    declared_domains(b);
    for (int i = 0; i < b->instance.count; i++) {
        const Instance *x = &b->instance.data[i];
        if (x->builtin && x->builtin->ports == 1 && tells_unit(x)) one_port_tells(b, x);
    }
    Arena scratch = {0};
    Spread s = new_spread(b, &scratch, classes);
    for (int i = 0; i < b->instance.count; i++) {
        const Instance *x = &b->instance.data[i];
        if (x->builtin && x->builtin->ports == 2 && tells_unit(x)) push_two_port(&s, i);
    }
    spread(b, &s);
    for (int c = 0; c < classes; c++) {
        if (!use_power(b, &b->classes[c])) continue;
        for (int n = s.start[c]; n < s.start[c + 1]; n++) push_two_port(&s, s.port[n]);
        spread(b, &s);
    }
    arena_free(&scratch);
    for (int c = 0; c < classes; c++)
        if (b->classes[c].broken)
            b->classes[c] = (NodeClass){.domain = -1, .by = -1, .broken = true};
    for (int i = 0; i < b->instance.count && !b->stop; i++)
        if (b->instance.data[i].builtin) check_argument(b, i);
    name_domains(b, classes);
}
