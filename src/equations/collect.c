// From model and graph to quantities and rules.
//
// Every bond has an effort and a flow (power e*f along the half-arrow). An element sees both,
// one of them with the sign of the half-arrow against the orientation of its port. At a 0-junction
// all efforts are one and the signed flows sum to zero; a 1-junction is the dual. Most of these
// equations only say that two variables are equal up to sign; those never become equations:
//
//      node = sign * parent        union-find with signs; nodes are the model's variables,
//                                  then effort and flow of each bond
//
// Two states that are equal have equal derivatives, so merging them merges these too. A class is
// not allowed to be a state and a derivative because of an alias (der(x) = v with v a state): this
// stays an equation, which keeps chains of derivatives free of circles.
#include "equations/work.h"

#include "base/memory.h"
#include <string.h>

typedef struct {
    int a, b, sign; // a = sign * b
    int origin;
} Claim;

typedef struct {
    Work *w;
    Arena arena;            // of the following
    int *der;               // per root: model variable that is the derivative of some member, or -1
    signed char *der_sign;  // derivative of the root = der_sign * that variable
    unsigned char *is_der;  // per root: has a derivative as member
    int *var_of_symbol;     // by symbol index, -1 = none; on the heap
    ARRAY(Claim) claims;    // aliases that follow from merging two states
    ARRAY(Claim) equations; // aliases that must stay equations
    ARRAY(int) zeros;       // nodes that equal their own negative
    ARRAY(int) zero_origin;
} Collect;

int alias_root(Work *w, int node, int *sign) {
    int root = node, s = 1;
    while (w->parent[root] != root) {
        s *= w->sign[root];
        root = w->parent[root];
    }
    *sign = s;
    while (w->parent[node] != root && node != root) { // compress
        int next = w->parent[node], step = w->sign[node] < 0 ? -1 : 1;
        w->parent[node] = root;
        w->sign[node] = (signed char)s;
        s *= step;
        node = next;
    }
    return root;
}

static Expr node_value(Work *w, int node) {
    int sign;
    int q = w->quantity_of_node[alias_root(w, node, &sign)];
    if (q < 0) return w->model->var[node].symbol;
    Expr symbol = w->quantity.data[q].symbol;
    return sign > 0 ? symbol : expr_neg(w->dag, symbol);
}

// --- union --------------------------------------------------------------------------------------

static int effort_node(const Work *w, int bond) { return w->model->var_count + 2 * bond; }
static int flow_node(const Work *w, int bond) { return w->model->var_count + 2 * bond + 1; }

static bool is_known(const Var *v) {
    return v->kind == VAR_TIME || v->kind == VAR_PARAM || v->kind == VAR_DISCRETE;
}

// The derivative of a = sign*b, when both sides have one: claimed as an alias too.
static void claim_derivatives(Collect *c, int a, int b, int sign, int origin) {
    if (c->der[a] < 0 || c->der[b] < 0) return;
    Claim claim = {c->der[a], c->der[b], c->der_sign[a] * sign * c->der_sign[b], origin};
    array_push(&c->claims, claim);
}

static void hang_under(Collect *c, int child, int root, int sign) {
    Work *w = c->w;
    w->parent[child] = root;
    w->sign[child] = (signed char)sign;
    c->is_der[root] |= c->is_der[child];
    if (c->der[root] < 0 && c->der[child] >= 0) {
        c->der[root] = c->der[child];
        c->der_sign[root] = (signed char)(sign * c->der_sign[child]);
    }
}

// node a = sign * node b. False when it says nothing new.
static bool merge(Collect *c, Claim claim) {
    Work *w = c->w;
    int sa, sb;
    int a = alias_root(w, claim.a, &sa), b = alias_root(w, claim.b, &sb);
    int sign = sa * claim.sign * sb; // root a = sign * root b
    if (a == b) {
        if (sign > 0) return false;
        array_push(&c->zeros, claim.a);
        array_push(&c->zero_origin, claim.origin);
        return true;
    }
    bool circle = (c->is_der[a] && c->der[b] >= 0) || (c->is_der[b] && c->der[a] >= 0);
    if (circle) {
        array_push(&c->equations, claim);
        return true;
    }
    claim_derivatives(c, a, b, sign, claim.origin);
    if (a < b)
        hang_under(c, b, a, sign);
    else
        hang_under(c, a, b, sign);
    return true;
}

static bool merge_all(Collect *c, Claim claim) {
    bool news = merge(c, claim);
    while (c->claims.count > 0) merge(c, array_pop(&c->claims));
    return news;
}

// --- aliases of bonds, junctions and equations --------------------------------------------------

typedef struct {
    int effort, flow;
} Signs;

// A transformer or gyrator that the bond itself names passes power on along its half-arrows, and is
// no side of a joint.
static bool is_passed_on(const Work *w, const GraphEnd *e) {
    const GraphBond *b = &w->graph->bond[e->bond];
    int other = w->graph->end[e->is_from ? b->to : b->from].node;
    CompKind kind = w->model->comp[w->graph->node[other].comp].kind;
    return w->model->bond[b->model_bond].direct && (kind == COMP_TF || kind == COMP_GY);
}

// What an element sees at an end = sign * that of the bond. A half-arrow against the orientation of
// a port turns the flow; of a port that moves it turns the effort, as both sides of a joint have
// one velocity.
static Signs signs_at(const Work *w, int end) {
    const GraphEnd *e = &w->graph->end[end];
    const Comp *comp = &w->model->comp[w->graph->node[e->node].comp];
    const Port *port = NULL;
    for (int p = comp->first_port; p < comp->first_port + comp->port_count && !port; p++) {
        const Port *x = &w->model->port[p];
        if (e->f >= x->f && e->f < x->f + x->dim) port = x;
    }
    bool against = port ? port->out != e->is_from : e->is_from;
    bool moves = port && port->moves && !is_passed_on(w, e);
    return (Signs){.effort = against && moves ? -1 : 1, .flow = against && !moves ? -1 : 1};
}

static void merge_end(Collect *c, int end) {
    Work *w = c->w;
    const GraphEnd *e = &w->graph->end[end];
    const GraphNode *node = &w->graph->node[e->node];
    const Comp *comp = &w->model->comp[node->comp];
    if (e->bond < 0) return;
    if (comp->kind == COMP_0)
        merge_all(c, (Claim){comp->var + node->component, effort_node(w, e->bond), 1, ORIGIN_BOND});
    else if (comp->kind == COMP_1)
        merge_all(c, (Claim){comp->var + node->component, flow_node(w, e->bond), 1, ORIGIN_BOND});
    else {
        Signs s = signs_at(w, end);
        merge_all(c, (Claim){e->e, effort_node(w, e->bond), s.effort, ORIGIN_BOND});
        merge_all(c, (Claim){e->f, flow_node(w, e->bond), s.flow, ORIGIN_BOND});
    }
}

static bool is_junction(const Work *w, int node) {
    CompKind kind = w->model->comp[w->graph->node[node].comp].kind;
    return kind == COMP_0 || kind == COMP_1;
}

// The node that a junction balances at one of its ends, and its sign: + for bonds that point in.
static int balanced(const Work *w, int end, int *sign) {
    const GraphEnd *e = &w->graph->end[end];
    *sign = e->is_from ? -1 : 1;
    bool zero = w->model->comp[w->graph->node[e->node].comp].kind == COMP_0;
    return zero ? flow_node(w, e->bond) : effort_node(w, e->bond);
}

static int junction_origin(const Work *w, int node) { return w->model->equation_count + node; }

static void merge_through_junction(Collect *c, int node) {
    const GraphNode *n = &c->w->graph->node[node];
    if (n->end_count != 2) return;
    int sa, sb;
    int a = balanced(c->w, n->first_end, &sa), b = balanced(c->w, n->first_end + 1, &sb);
    merge_all(c, (Claim){a, b, -sa * sb, junction_origin(c->w, node)});
}

// e = x or e = -x with x a variable?
static int signed_variable(const Collect *c, Expr e, int *sign) {
    const Dag *d = c->w->dag;
    *sign = 1;
    if (expr_op(d, e) == OP_PRODUCT && expr_arg_count(d, e) == 2) {
        for (int i = 0; i < 2; i++) {
            double value;
            if (expr_is_number(d, expr_arg(d, e, i), &value) && value == -1) {
                *sign = -1;
                e = expr_arg(d, e, 1 - i);
                break;
            }
        }
    }
    if (expr_op(d, e) != OP_SYMBOL) return -1;
    int v = c->var_of_symbol[expr_symbol_index(d, e)];
    return v < 0 || is_known(&c->w->model->var[v]) ? -1 : v;
}

// x = y, x = -y, x + y = 0 and the like.
static bool is_alias(const Collect *c, const Equation *e, Claim *claim) {
    const Dag *d = c->w->dag;
    Expr left = e->left, right = e->right;
    bool sum = expr_is_number(d, right, NULL) && expr_value(d, right) == 0 &&
               expr_op(d, left) == OP_SUM && expr_arg_count(d, left) == 2;
    if (sum) {
        right = expr_arg(d, left, 1);
        left = expr_arg(d, left, 0);
    }
    int sa, sb;
    claim->a = signed_variable(c, left, &sa);
    claim->b = signed_variable(c, right, &sb);
    claim->sign = sum ? -sa * sb : sa * sb;
    return claim->a >= 0 && claim->b >= 0;
}

static void merge_equations(Collect *c, bool *used) {
    const Model *m = c->w->model;
    for (int i = 0; i < m->equation_count; i++) {
        Claim claim = {.origin = i};
        if (!is_alias(c, &m->equation[i], &claim)) continue;
        used[i] = true;
        if (!merge_all(c, claim)) array_push(&c->w->redundant, i);
    }
}

// --- representatives ----------------------------------------------------------------------------

// Whose name stands for a class: states, then junctions, then other variables, then bonds.
static int rank(const Work *w, int node) {
    if (node >= w->model->var_count) return 4;
    const Var *v = &w->model->var[node];
    if (v->der >= 0) return 0;
    if (v->kind == VAR_DERIVATIVE) return 3;
    return v->comp >= 0 && w->model->comp[v->comp].var >= 0 ? 1 : 2;
}

// Makes the best member of each class its root.
static void choose_representatives(Collect *c) {
    Work *w = c->w;
    int n = w->node_count;
    Arena scratch = {0};
    int *root = ARENA_ARRAY(&scratch, int, n), *best = ARENA_ARRAY(&scratch, int, n);
    signed char *sign = ARENA_ARRAY(&scratch, signed char, n);
    for (int i = 0; i < n; i++) {
        int s;
        root[i] = alias_root(w, i, &s);
        sign[i] = (signed char)s;
        best[i] = -1;
    }
    for (int i = 0; i < n; i++)
        if (best[root[i]] < 0 || rank(w, i) < rank(w, best[root[i]])) best[root[i]] = i;
    for (int i = 0; i < n; i++) {
        int b = best[root[i]];
        w->parent[i] = b;
        w->sign[i] = (signed char)(sign[i] * sign[b]);
        if (i != b || root[i] == i) continue;
        c->der[i] = c->der[root[i]];
        c->der_sign[i] = (signed char)(c->der_sign[root[i]] * sign[i]);
    }
    arena_free(&scratch);
}

static Expr bond_symbol(Work *w, int node) {
    int bond = (node - w->model->var_count) / 2;
    bool effort = (node - w->model->var_count) % 2 == 0;
    Text label = {0};
    text_char(&label, '(');
    graph_bond_label(&label, w->graph, bond);
    text_add(&label, effort ? ").e" : ").f");
    Expr symbol = expr_symbol(w->dag, name_of(w->model->names, text_get(&label)));
    text_free(&label);
    return symbol;
}

static void make_quantities(Work *w) {
    for (int i = 0; i < w->node_count; i++) {
        w->quantity_of_node[i] = -1;
        if (w->parent[i] != i) continue;
        bool bond = i >= w->model->var_count;
        if (!bond && is_known(&w->model->var[i])) continue;
        Expr symbol = bond ? bond_symbol(w, i) : w->model->var[i].symbol;
        w->quantity_of_node[i] =
            quantity_add(w, symbol, bond ? -1 : i, bond ? (i - w->model->var_count) / 2 : -1);
    }
}

static void link_derivatives(Collect *c) {
    Work *w = c->w;
    for (int i = 0; i < w->node_count; i++) {
        int q = w->quantity_of_node[i];
        if (q < 0 || c->der[i] < 0) continue;
        int sign;
        int d = w->quantity_of_node[alias_root(w, c->der[i], &sign)];
        quantity_link(w, q, d, sign * c->der_sign[i]);
        w->quantity.data[q].user_state = true;
    }
}

// --- rules ----------------------------------------------------------------------------------

static int compare_terms(const void *left, const void *right) {
    const BalanceTerm *a = left, *b = right;
    return (a->quantity > b->quantity) - (a->quantity < b->quantity);
}

void balance_terms(Work *w, int origin, Balance *terms) {
    const GraphNode *n = &w->graph->node[origin - w->model->equation_count];
    terms->count = 0;
    for (int k = n->first_end; k < n->first_end + n->end_count; k++) {
        if (w->graph->end[k].bond < 0) continue;
        int sign, alias_sign;
        int root = alias_root(w, balanced(w, k, &sign), &alias_sign);
        array_push(terms, ((BalanceTerm){w->quantity_of_node[root], sign * alias_sign}));
    }
    if (terms->count == 0) return;
    qsort(terms->data, (size_t)terms->count, sizeof *terms->data, compare_terms);
    int kept = 0;
    for (int i = 0; i < terms->count; i++) {
        BalanceTerm t = terms->data[i];
        if (kept > 0 && terms->data[kept - 1].quantity == t.quantity)
            terms->data[kept - 1].sign += t.sign;
        else
            terms->data[kept++] = t;
        if (terms->data[kept - 1].sign == 0) kept--;
    }
    terms->count = kept;
}

static void add_claims(Collect *c) {
    Work *w = c->w;
    for (int i = 0; i < c->equations.count; i++) {
        Claim k = c->equations.data[i];
        Expr a = node_value(w, k.a), b = node_value(w, k.b);
        rule_add(w, a, k.sign > 0 ? b : expr_neg(w->dag, b), k.origin, origin_pos(w, k.origin));
    }
    for (int i = 0; i < c->zeros.count; i++)
        rule_add(w, node_value(w, c->zeros.data[i]), 0, c->zero_origin.data[i],
                 origin_pos(w, c->zero_origin.data[i]));
}

// Lets a rule know the rate that its law states. Not where laws switch: there states jump, and the
// values after the jump come from differentiating the rules as they are written.
static void rate_rule(Work *w, int rule, Expr left, Expr rate) {
    Rule *r = &w->rule.data[rule];
    bool negative = expr_op(w->dag, left) != OP_SYMBOL;
    Expr symbol = negative ? expr_neg(w->dag, left) : left;
    if (w->unrated || w->model->choice_count || expr_op(w->dag, symbol) != OP_SYMBOL) return;
    if (quantity_of(w, symbol) < 0) return;
    r->rated = symbol;
    r->rate = negative ? expr_neg(w->dag, rate) : rate;
}

static void add_rules(Work *w, const bool *used, const Expr *left, const Expr *right,
                      const Expr *rate) {
    int count = w->model->equation_count;
    SymbolLists below = {0};
    expr_symbols_below(w->dag, right, count, &below);
    for (int i = 0; i < count; i++) {
        if (used[i]) continue;
        int first = below.first.data[i], symbols = below.first.data[i + 1] - first;
        int r = rule_add_listed(w, left[i], right[i], (RuleSource){i, w->model->equation[i].pos},
                                symbols ? below.symbol.data + first : NULL, symbols);
        if (rate[i]) rate_rule(w, r, left[i], rate[i]);
    }
    symbol_lists_free(&below);
}

static void add_model_equations(Work *w, const bool *used) {
    Rewrite *names = rewrite_new(w->dag);
    for (int i = 0; i < w->model->var_count; i++) {
        if (is_known(&w->model->var[i])) continue;
        Expr value = node_value(w, i);
        if (value != w->model->var[i].symbol) rewrite_set(names, w->model->var[i].symbol, value);
    }
    int count = w->model->equation_count;
    Expr *left = memory_zeroed((size_t)count, sizeof *left);
    Expr *right = memory_zeroed((size_t)count, sizeof *right);
    Expr *rate = memory_zeroed((size_t)count, sizeof *rate);
    for (int i = 0; i < count; i++) {
        if (used[i]) continue;
        left[i] = rewrite(names, w->model->equation[i].left);
        right[i] = rewrite(names, w->model->equation[i].right);
        if (w->model->equation[i].rate) rate[i] = rewrite(names, w->model->equation[i].rate);
    }
    add_rules(w, used, left, right, rate);
    free(left);
    free(right);
    free(rate);
    rewrite_free(names);
}

// --- all together -------------------------------------------------------------------------------

static void collect_open(Collect *c, Work *w) {
    const Model *m = w->model;
    int n = w->node_count = m->var_count + 2 * w->graph->bond_count;
    *c = (Collect){.w = w};
    w->parent = ARENA_ARRAY(&w->scratch, int, n);
    w->sign = ARENA_ARRAY(&w->scratch, signed char, n);
    w->quantity_of_node = ARENA_ARRAY(&w->scratch, int, n);
    c->der = ARENA_ARRAY(&c->arena, int, n);
    c->der_sign = ARENA_ARRAY(&c->arena, signed char, n);
    c->is_der = ARENA_ARRAY(&c->arena, unsigned char, n);
    for (int i = 0; i < n; i++) {
        bool var = i < m->var_count;
        w->parent[i] = i;
        w->sign[i] = 1;
        c->der[i] = var ? m->var[i].der : -1;
        c->der_sign[i] = 1;
        c->is_der[i] = var && m->var[i].kind == VAR_DERIVATIVE;
    }
    c->var_of_symbol = model_symbol_vars(m);
}

// Equations that were needed only to say that variables are equal.
static int count_aliases(const Work *w) {
    int known = 0;
    for (int i = 0; i < w->model->var_count; i++) known += is_known(&w->model->var[i]);
    return w->node_count - known - w->quantity.count;
}

static void warn_of_redundant(Work *w) {
    for (int i = 0; i < w->redundant.count; i++) {
        const Equation *e = &w->model->equation[w->redundant.data[i]];
        Text label = {0};
        rule_label(&label, w->model, w->graph, w->redundant.data[i]);
        Remark *remark =
            report_warning(w->report, Q_REDUNDANT, e->pos,
                           "%s says nothing that other equations do not say", text_get(&label));
        remark_help(w->report, remark, "leave it out, or correct the variable that it should set");
        text_free(&label);
    }
}

void work_collect(Work *w) {
    Collect c;
    collect_open(&c, w);
    bool *used = ARENA_ARRAY(&c.arena, bool, w->model->equation_count);
    for (int i = 0; i < w->graph->end_count; i++) merge_end(&c, i);
    for (int i = 0; i < w->graph->node_count; i++)
        if (is_junction(w, i)) merge_through_junction(&c, i);
    merge_equations(&c, used);
    choose_representatives(&c);
    make_quantities(w);
    w->system->alias_count = count_aliases(w);
    link_derivatives(&c);
    for (int i = 0; i < w->graph->node_count; i++)
        if (is_junction(w, i) && w->graph->node[i].end_count != 2)
            rule_add_balance(w, junction_origin(w, i), w->model->comp[w->graph->node[i].comp].pos);
    add_claims(&c);
    add_model_equations(w, used);
    warn_of_redundant(w);
    array_free(&c.claims);
    array_free(&c.equations);
    array_free(&c.zeros);
    array_free(&c.zero_origin);
    free(c.var_of_symbol);
    arena_free(&c.arena);
}
