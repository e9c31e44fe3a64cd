// Bonds: what their ends are, and what remains when the ports of models are gone.
//
//      tank -> cyl.a             written outside, in the model that has `cyl`
//                 a -> volume    written inside, in the class of `cyl`
//      tank -------> volume      what remains: one bond, if both half-arrows run the same way
//
// A port of a class that is bonded inside is transparent and vanishes; one that the class has
// equations about is real. Everything is kept per scalar, as vector ports can be taken in parts.
#include "lang/build.h"

#include <math.h>

typedef struct {
    int terminal, first, dim; // terminal = -1: wrong, and reported
    bool inside;
} End;

static const End END_BAD = {-1, 0, 0, false};

// --- ends ----------------------------------------------------------------------------------------

static End end_not_bondable(Builder *b, const AstExpr *e, const Ref *ref) {
    const char *what = ref->kind == REF_PARAM || ref->kind == REF_GLOBAL ? "a parameter"
                       : ref->kind == REF_FUNCTION                       ? "a function"
                       : ref->kind == REF_LOOP                           ? "a number"
                                                                         : "a variable";
    Remark *m = complain(b, L_BOND_END, ast_start(e), "a bond cannot end at '%s', which is %s",
                         expr_text(b, e), what);
    remark_help(b->r, m, "a bond ends at a junction, an element or a port");
    return END_BAD;
}

// The ports of a class instance as text, in the order of declaration (the list runs backwards).
static void list_ports(Builder *b, Text *t, int instance) {
    ARRAY(int) ports = {0};
    for (int k = b->instance.data[instance].first_terminal; k >= 0; k = b->terminal.data[k].next)
        array_push(&ports, k);
    while (ports.count) {
        int k = array_pop(&ports);
        text_printf(t, "%s%s", t->length ? ", " : "", text_of(b, b->terminal.data[k].name));
    }
    array_free(&ports);
}

// A class instance as an end: its only port, or of an in and an out port the one that fits.
static int class_port(Builder *b, const AstExpr *e, int instance, bool head) {
    int count = 0, in = -1, out = -1, only = -1;
    for (int k = b->instance.data[instance].first_terminal; k >= 0; k = b->terminal.data[k].next) {
        count++;
        only = k;
        *(b->terminal.data[k].out ? &out : &in) = k;
    }
    if (count == 1) return only;
    if (count == 2 && in >= 0 && out >= 0) return head ? in : out;
    if (b->instance.data[instance].dim_is == WRONG) return -1;
    const char *name = expr_text(b, e);
    Remark *m =
        complain(b, L_BOND_END, ast_start(e),
                 count ? "'%s' has %d ports: say which one" : "'%s' has no port", name, count);
    Text ports = {0};
    list_ports(b, &ports, instance);
    if (count) remark_help(b->r, m, "write %s.port with one of: %s", name, text_get(&ports));
    text_free(&ports);
    return -1;
}

static End part_of(Builder *b, const Ref *ref, const AstExpr *e, const Env *env, int terminal) {
    int dim = b->terminal.data[terminal].dim;
    End end = {terminal, 0, dim, ref->inside};
    if (!ref->subscript_count) return end;
    const AstExpr *s = ref->subscripts[0].value;
    const AstExpr *side[] = {s->kind == AST_RANGE ? s->left : s,
                             s->kind == AST_RANGE ? s->right : s};
    double bound[] = {1, dim};
    for (int k = 0; k < 2; k++) {
        Constant c;
        if (!side[k]) continue;
        if (!number_evaluate(b, side[k], env, "an index", true, &c)) return END_BAD;
        bound[k] = c.rows * c.cols == 1 ? c.one : 0;
    }
    if (ref->subscript_count > 1 || bound[0] < 1 || bound[1] > dim || bound[0] > bound[1] ||
        bound[0] != floor(bound[0]) || bound[1] != floor(bound[1])) {
        Remark *m =
            complain(b, L_INDEX_RANGE, ast_start(e), "'%s' is out of range", expr_text(b, e));
        remark_help(b->r, m, "its dimension is %d", dim);
        return END_BAD;
    }
    end.first = (int)bound[0] - 1;
    end.dim = (int)(bound[1] - bound[0]) + 1;
    return end;
}

static End resolve_end(Builder *b, const AstExpr *e, const Env *env, bool head) {
    Ref ref = path_resolve(b, e, env, false);
    int terminal = -1;
    switch (ref.kind) {
    case REF_BAD: return END_BAD;
    case REF_PORT: terminal = ref.index; break;
    case REF_INSTANCE: {
        const Instance *i = &b->instance.data[ref.index];
        if (!i->builtin)
            terminal = class_port(b, e, ref.index, head);
        else
            terminal = i->first_terminal + (i->builtin->ports == 2 && !head);
        break;
    }
    case REF_ARRAY: {
        Remark *m = complain(b, L_BOND_END, ast_start(e), "'%s' is an array of components",
                             expr_text(b, e));
        remark_help(b->r, m, "say which one: %s[1]", expr_text(b, e));
        return END_BAD;
    }
    default: return end_not_bondable(b, e, &ref);
    }
    return terminal < 0 ? END_BAD : part_of(b, &ref, e, env, terminal);
}

// --- bonds as written ----------------------------------------------------------------------------

static void add_bond(Builder *b, const AstExpr *tail, const AstExpr *head, const Env *env,
                     Pos pos) {
    End from = resolve_end(b, tail, env, false), to = resolve_end(b, head, env, true);
    if (from.terminal < 0 || to.terminal < 0) return;
    if (from.terminal == to.terminal) {
        Remark *m = complain(b, L_BOND_SELF, pos, "'%s' is bonded to itself", expr_text(b, tail));
        remark_help(b->r, m, "a bond joins two different things");
        return;
    }
    if (from.dim != to.dim) {
        Remark *m =
            complain(b, L_BOND_DIMENSION, pos, "'%s' has dimension %d, but '%s' has dimension %d",
                     expr_text(b, tail), from.dim, expr_text(b, head), to.dim);
        remark_help(b->r, m,
                    "write the dimension at the declaration (1[3] v), or take a part: "
                    "v[1], v[1:3]");
        return;
    }
    RawBond raw = {{from.terminal, from.first, from.inside},
                   {to.terminal, to.first, to.inside},
                   from.dim,
                   0,
                   pos};
    array_push(&b->raw, raw);
}

static void add_bonds(Builder *b, const Statement *s) {
    const AstItem *item = s->item;
    int tails = item->tail_count, heads = item->expr_count - tails;
    if (tails > 1 && heads > 1) {
        Remark *m = complain(b, L_BOND_END, item->pos, "several ends on both sides of '->'");
        remark_help(b->r, m, "one side must be a single junction or element");
        return;
    }
    for (int i = 0; i < tails; i++)
        for (int k = tails; k < item->expr_count; k++)
            add_bond(b, item->exprs[i], item->exprs[k], s->env,
                     ast_start(heads > 1 ? item->exprs[k] : item->exprs[i]));
}

// --- every port once -----------------------------------------------------------------------------

typedef struct { // per scalar node: 2*(scalar bond) + (1 at its head) + 1; 0 = free
    Arena arena;
    int *outside, *inside;
    int *bond_of; // raw bond of each scalar bond
} Uses;

static const char *terminal_text(Builder *b, int terminal) {
    const Terminal *t = &b->terminal.data[terminal];
    const char *path = text_of(b, b->instance.data[t->instance].path);
    if (!t->name) return path;
    return text_of(b, member_path(b, t->instance, text_of(b, t->name)));
}

static void report_used_twice(Builder *b, const RawEnd *end, Pos pos, Pos before) {
    const Terminal *t = &b->terminal.data[end->terminal];
    const char *name = terminal_text(b, end->terminal);
    Remark *m = complain(b, L_PORT_TWICE, pos, "'%s' has a bond already%s", name,
                         end->inside ? " inside its model" : "");
    remark_note(b->r, m, before, "the other bond is here");
    const Builtin *type = b->instance.data[t->instance].builtin;
    if (type && type->ports == 2)
        remark_help(b->r, m,
                    "a two-port is entered at p1 and left at p2; name the port to do it "
                    "otherwise: %s.p2 -> ...",
                    text_of(b, b->instance.data[t->instance].name));
    else
        remark_help(b->r, m,
                    "a port carries one bond; put a junction between (0: same effort, 1: "
                    "same flow)");
}

static void use_end(Builder *b, Uses *u, const RawEnd *end, const RawBond *raw, bool head) {
    const Terminal *t = &b->terminal.data[end->terminal];
    if (t->junction) return;
    int *use = end->inside ? u->inside : u->outside;
    for (int k = 0; k < raw->dim; k++) {
        int node = t->node + end->first + k;
        if (use[node]) {
            report_used_twice(b, end, raw->pos, b->raw.data[u->bond_of[(use[node] - 1) / 2]].pos);
            return;
        }
        use[node] = 2 * (raw->first_scalar + k) + head + 1;
    }
}

static int count_scalar_bonds(Builder *b) {
    int n = 0;
    for (int i = 0; i < b->raw.count; i++) {
        b->raw.data[i].first_scalar = n;
        n += b->raw.data[i].dim;
    }
    return n;
}

static Uses find_uses(Builder *b) {
    int scalars = count_scalar_bonds(b);
    Uses u = {0};
    u.outside = ARENA_ARRAY(&u.arena, int, b->node_count);
    u.inside = ARENA_ARRAY(&u.arena, int, b->node_count);
    u.bond_of = ARENA_ARRAY(&u.arena, int, scalars);
    for (int i = 0; i < b->raw.count; i++) {
        const RawBond *raw = &b->raw.data[i];
        for (int k = 0; k < raw->dim; k++) u.bond_of[raw->first_scalar + k] = i;
        use_end(b, &u, &raw->from, raw, false);
        use_end(b, &u, &raw->to, raw, true);
    }
    return u;
}

static void report_free_port(Builder *b, int terminal) {
    const Terminal *t = &b->terminal.data[terminal];
    const Instance *i = &b->instance.data[t->instance];
    const char *name = terminal_text(b, terminal);
    if (i->dim_is == WRONG || i->part) return;
    if (t->instance == 0) {
        Remark *m = complain(b, L_PORT_FREE, terminal_pos(b, t),
                             "the model to run has a port '%s', and nothing is bonded to it", name);
        remark_help(b->r, m, "write a model that contains '%s' and bonds its ports",
                    text_of(b, i->class->name));
        return;
    }
    Pos pos = i->item->pos;
    Remark *m = t->of_class || t->name
                    ? complain(b, L_PORT_FREE, pos, "port '%s' has no bond", name)
                    : complain(b, L_PORT_FREE, pos, "'%s' has no bond", name);
    remark_help(b->r, m, t->out ? "bond it: %s -> junction" : "bond it: junction -> %s", name);
}

// Reports ports that are bonded too often, or not at all. The latter not (report_free) if other
// mistakes may have caused it.
static void check_uses(Builder *b, const Uses *u, bool report_free) {
    for (int k = 0; k < b->terminal.count; k++) {
        Terminal *t = &b->terminal.data[k];
        if (t->junction) continue;
        int outside = 0, inside = 0;
        for (int n = 0; n < t->dim; n++) {
            outside += u->outside[t->node + n] != 0;
            inside += u->inside[t->node + n] != 0;
        }
        t->transparent = inside > 0;
        if (outside < t->dim && report_free) report_free_port(b, k);
        if (inside && inside < t->dim) {
            Remark *m = complain(b, L_PORT_UNUSED, terminal_pos(b, t),
                                 "only %d of the %d scalars of port '%s' are bonded inside", inside,
                                 t->dim, text_of(b, t->name));
            remark_help(b->r, m, "bond the other parts as well");
        }
    }
}

// --- splicing ------------------------------------------------------------------------------------

// From a scalar bond on to the real port at its far end. Returns the scalar bond that ends there,
// or -1 when half-arrows contradict each other (reported).
static int follow(Builder *b, const Uses *u, int scalar) {
    for (int steps = 0; steps <= 2 * DEEPEST_NESTING; steps++) {
        const RawBond *raw = &b->raw.data[u->bond_of[scalar]];
        const RawEnd *to = &raw->to;
        const Terminal *t = &b->terminal.data[to->terminal];
        if (!t->transparent) return scalar;
        int node = t->node + to->first + scalar - raw->first_scalar;
        int use = to->inside ? u->outside[node] : u->inside[node];
        if (!use) return -1;
        if ((use - 1) % 2) { // the next bond ends here too: both arrows point at the port
            const RawBond *other = &b->raw.data[u->bond_of[(use - 1) / 2]];
            Remark *m = complain(b, L_HALF_ARROWS, to->inside ? other->pos : raw->pos,
                                 "the half-arrows on both sides of port '%s' point at it",
                                 terminal_text(b, to->terminal));
            remark_note(b->r, m, to->inside ? raw->pos : other->pos, "the bond inside is here");
            remark_help(b->r, m,
                        "turn one of them round; a port that power leaves is declared "
                        "`%s: domain out`",
                        text_of(b, t->name));
            return -1;
        }
        scalar = (use - 1) / 2;
    }
    return -1;
}

static void report_both_leave(Builder *b, const Uses *u, const RawBond *raw, int k) {
    const RawEnd *from = &raw->from;
    const Terminal *t = &b->terminal.data[from->terminal];
    int node = t->node + from->first + k;
    int use = from->inside ? u->outside[node] : u->inside[node];
    if (!use || (use - 1) % 2) return; // free, or in order
    const RawBond *other = &b->raw.data[u->bond_of[(use - 1) / 2]];
    if (!from->inside) return; // reported from the inside
    Remark *m = complain(b, L_HALF_ARROWS, other->pos,
                         "the half-arrows on both sides of port '%s' point away from it",
                         terminal_text(b, from->terminal));
    remark_note(b->r, m, raw->pos, "the bond inside is here");
    remark_help(b->r, m, "turn one of them round, or bond both sides to a junction: j -> %s",
                terminal_text(b, from->terminal));
}

static BondEnd bond_end(const Builder *b, const RawEnd *end, int offset) {
    return (BondEnd){.comp = b->terminal.data[end->terminal].instance,
                     .port = end->terminal, // until the ports are numbered
                     .first = end->first + offset};
}

// One scalar more, if it ends beside the last one of the bond.
static bool extend_bond(Bond *bond, const BondEnd *to) {
    if (bond->to.port != to->port || bond->to.first + bond->dim != to->first) return false;
    bond->dim++;
    return true;
}

// Scalars that start and end side by side become one vector bond.
static void emit_bond(Builder *b, const Uses *u, const RawBond *raw) {
    bool open = false;
    for (int k = 0; k < raw->dim; k++) {
        int last = follow(b, u, raw->first_scalar + k);
        if (last < 0) return;
        const RawBond *end = &b->raw.data[u->bond_of[last]];
        BondEnd to = bond_end(b, &end->to, last - end->first_scalar);
        if (open && extend_bond(&array_last(&b->flat), &to)) continue;
        Bond bond = {bond_end(b, &raw->from, k), to, 1, raw->pos, end == raw};
        array_push(&b->flat, bond);
        open = true;
    }
}

// --- one flow ------------------------------------------------------------------------------------

static int first_joined(int *of, int node) {
    while (of[node] != node) node = of[node] = of[of[node]];
    return node;
}

static bool is_zero_junction(const Builder *b, int terminal) {
    const Builtin *type = b->instance.data[b->terminal.data[terminal].instance].builtin;
    return type && type->kind == COMP_0;
}

// Which scalars have one flow, by bonds, ports of models and 1-junctions.
static void join_flows(Builder *b) {
    int *of = b->joined = ARENA_ARRAY(&b->tmp, int, b->node_count);
    for (int i = 0; i < b->node_count; i++) of[i] = i;
    for (int i = 0; i < b->raw.count; i++) {
        const RawBond *raw = &b->raw.data[i];
        if (is_zero_junction(b, raw->from.terminal) || is_zero_junction(b, raw->to.terminal))
            continue;
        int from = b->terminal.data[raw->from.terminal].node + raw->from.first;
        int to = b->terminal.data[raw->to.terminal].node + raw->to.first;
        for (int k = 0; k < raw->dim; k++)
            of[first_joined(of, from + k)] = first_joined(of, to + k);
    }
    for (int i = 0; i < b->node_count; i++) of[i] = first_joined(of, i);
}

void connect_bonds(Builder *b) {
    for (int i = 0; i < b->bond.count && !b->stop; i++) add_bonds(b, &b->bond.data[i]);
    if (b->stop) return;
    gather_bonds(b);
    if (b->part.count) join_flows(b);
    Uses uses = find_uses(b), *u = &uses;
    check_uses(b, u, no_errors(b));
    bool sound = no_errors(b);
    for (int i = 0; i < b->raw.count && sound && !b->stop; i++) {
        const RawBond *raw = &b->raw.data[i];
        if (!b->terminal.data[raw->from.terminal].transparent)
            emit_bond(b, u, raw);
        else
            for (int k = 0; k < raw->dim; k++) report_both_leave(b, u, raw, k);
    }
    arena_free(&uses.arena);
}
