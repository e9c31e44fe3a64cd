// The tables of quantities and rules, kept together.
#include "equations/work.h"

// --- quantities ---------------------------------------------------------------------------------

static void map_symbol(Work *w, Expr symbol, int q) {
    int index = expr_symbol_index(w->dag, symbol);
    while (w->quantity_of_symbol.count <= index) array_push(&w->quantity_of_symbol, NO_QUANTITY);
    w->quantity_of_symbol.data[index] = q;
}

void symbol_is_held(Work *w, Expr symbol) { map_symbol(w, symbol, HELD_SYMBOL); }

int quantity_of(const Work *w, Expr symbol) {
    int index = expr_symbol_index(w->dag, symbol);
    return index < w->quantity_of_symbol.count ? w->quantity_of_symbol.data[index] : NO_QUANTITY;
}

int quantity_add(Work *w, Expr symbol, int var, int bond) {
    Quantity q = {.symbol = symbol,
                  .var = var,
                  .bond = bond,
                  .der = -1,
                  .der_sign = 1,
                  .demoted_by = -1,
                  .set = -1,
                  .place = -1};
    array_push(&w->quantity, q);
    map_symbol(w, symbol, w->quantity.count - 1);
    return w->quantity.count - 1;
}

void quantity_link(Work *w, int q, int der, int sign) {
    Quantity *x = &w->quantity.data[q];
    Expr rate = w->quantity.data[der].symbol;
    x->der = der;
    x->der_sign = (signed char)sign;
    rates_set(w->rates, x->symbol, sign > 0 ? rate : expr_neg(w->dag, rate));
}

int quantity_differentiate(Work *w, int q) {
    if (w->quantity.data[q].der >= 0) return w->quantity.data[q].der;
    Expr symbol = w->quantity.data[q].symbol;
    const char *name =
        name_text(w->model->names, expr_symbol_name(w->dag, expr_symbol_index(w->dag, symbol)));
    Expr rate = expr_symbol(w->dag, name_printf(w->model->names, "der(%s)", name));
    int der = quantity_add(w, rate, -1, -1);
    quantity_link(w, q, der, 1);
    return der;
}

bool is_state(const Quantity *q) { return q->der >= 0 && q->demoted_by < 0; }

// --- rules ----------------------------------------------------------------------------------

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void sort_entries(Work *w, Rule *r) {
    r->count = w->entry.count - r->first;
    if (r->count > 1)
        qsort(w->entry.data + r->first, (size_t)r->count, sizeof *w->entry.data, compare_ints);
}

static void find_entries(Work *w, Rule *r) {
    walk_start(w->walk);
    walk_add(w->walk, r->left);
    if (r->right) walk_add(w->walk, r->right);
    r->first = w->entry.count;
    for (int i = 0; i < walk_count(w->walk); i++) {
        Expr e = walk_at(w->walk, i);
        int q = expr_op(w->dag, e) == OP_SYMBOL ? quantity_of(w, e) : -1;
        if (q >= 0) array_push(&w->entry, q);
    }
    sort_entries(w, r);
}

bool is_balance(const Rule *r) { return !r->left && !r->right; }

int rule_add_balance(Work *w, int origin, Pos pos) {
    Rule r = {.origin = origin, .derivative = -1, .of = -1, .first = w->entry.count, .pos = pos};
    Balance terms = {0};
    balance_terms(w, origin, &terms);
    for (int i = 0; i < terms.count; i++) array_push(&w->entry, terms.data[i].quantity);
    r.count = terms.count;
    array_free(&terms);
    array_push(&w->rule, r);
    return w->rule.count - 1;
}

static Expr balance_residual(Work *w, int origin) {
    Balance terms = {0};
    ARRAY(Expr) parts = {0};
    balance_terms(w, origin, &terms);
    for (int i = 0; i < terms.count; i++) {
        Expr x = w->quantity.data[terms.data[i].quantity].symbol;
        array_push(&parts, expr_mul(w->dag, expr_number(w->dag, terms.data[i].sign), x));
    }
    Expr sum = expr_sum(w->dag, parts.data, parts.count);
    array_free(&parts);
    array_free(&terms);
    return sum;
}

static bool contains(Work *w, Expr e, Expr symbol) {
    walk_start(w->walk);
    walk_add(w->walk, e);
    return walk_seen(w->walk, symbol);
}

// x = expression stays as it is; everything else becomes residual = 0.
static Rule make_rule(Work *w, Expr left, Expr right) {
    Rule r = {.left = left, .right = right, .derivative = -1, .of = -1};
    if (!right) return r;
    if (expr_op(w->dag, left) != OP_SYMBOL && expr_op(w->dag, right) == OP_SYMBOL) {
        r.left = right;
        r.right = left;
    }
    bool explicit = expr_op(w->dag, r.left) == OP_SYMBOL && quantity_of(w, r.left) >= 0 &&
                    !contains(w, r.right, r.left);
    if (explicit) return r;
    r.left = expr_sub(w->dag, left, right);
    r.right = 0;
    return r;
}

int rule_add(Work *w, Expr left, Expr right, int origin, Pos pos) {
    Rule r = make_rule(w, left, right);
    r.origin = origin;
    r.pos = pos;
    find_entries(w, &r);
    array_push(&w->rule, r);
    return w->rule.count - 1;
}

// Adds a rule whose right side shares most of its nodes with others: `below` lists the symbols in
// it, so that it need not be walked.
int rule_add_listed(Work *w, Expr left, Expr right, RuleSource from, const Expr *below, int count) {
    bool explicit = right && expr_op(w->dag, left) == OP_SYMBOL && quantity_of(w, left) >= 0;
    for (int i = 0; i < count && explicit; i++) explicit = below[i] != left;
    if (!explicit) return rule_add(w, left, right, from.origin, from.pos);
    Rule r = {.left = left, .right = right, .derivative = -1, .of = -1, .first = w->entry.count};
    r.origin = from.origin;
    r.pos = from.pos;
    for (int i = -1; i < count; i++) {
        int q = quantity_of(w, i < 0 ? left : below[i]);
        if (q >= 0) array_push(&w->entry, q);
    }
    sort_entries(w, &r);
    array_push(&w->rule, r);
    return w->rule.count - 1;
}

Expr rule_residual(Work *w, int r) {
    Rule *x = &w->rule.data[r];
    if (is_balance(x)) x->left = balance_residual(w, x->origin);
    if (x->right) x->left = expr_sub(w->dag, x->left, x->right);
    x->right = 0;
    return x->left;
}

void rule_replace(Work *w, int r, Expr residual) {
    w->rule.data[r].left = residual;
    w->rule.data[r].right = 0;
    find_entries(w, &w->rule.data[r]);
}

int rule_differentiate(Work *w, int r) {
    if (is_balance(&w->rule.data[r])) rule_residual(w, r);
    Rule x = w->rule.data[r];
    Expr left = x.rated ? x.rated : x.left;
    Expr right = x.rated ? x.rate : x.right ? rates_of(w->rates, x.right) : 0;
    int d = rule_add(w, rates_of(w->rates, left), right, x.origin, x.pos);
    w->rule.data[r].derivative = d;
    w->rule.data[d].of = r;
    return d;
}

Pos origin_pos(const Work *w, int origin) {
    if (origin < 0) return w->model->pos;
    if (origin < w->model->equation_count) return w->model->equation[origin].pos;
    return w->model->comp[w->graph->node[origin - w->model->equation_count].comp].pos;
}

void work_free(Work *w) {
    array_free(&w->redundant);
    array_free(&w->quantity);
    array_free(&w->rule);
    array_free(&w->entry);
    array_free(&w->quantity_of_symbol);
    array_free(&w->block);
    array_free(&w->loop);
    array_free(&w->set_row);
    array_free(&w->set);
    array_free(&w->choice);
    array_free(&w->value);
    if (w->walk) walk_free(w->walk);
    if (w->rates) rates_free(w->rates);
    if (w->solved) rewrite_free(w->solved);
    arena_free(&w->scratch);
}
