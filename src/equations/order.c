// The order of solution: every rule is matched with the unknown it determines, strong
// components come in the order in which they need each other, and each is solved with the means
// that fit it. Solved values are put into what follows by one rewriting over the shared graph.
#include "equations/work.h"

static bool report_unmatched(Work *w, int row) {
    Remark *remark = report_error(w->report, Q_LOST_CONSTRAINT, w->rule.data[row].pos,
                                  "no variable is left that this equation could determine");
    remark_rules(w, remark, &row, 1);
    remark_help(w->report, remark, "it may repeat a constraint that other equations contain");
    return false;
}

static bool report_undetermined(Work *w, int q) {
    Text name = {0};
    quantity_label(&name, w, q);
    int v = w->quantity.data[q].var;
    Remark *remark =
        report_error(w->report, Q_UNDETERMINED, v >= 0 ? w->model->var[v].pos : w->model->pos,
                     "nothing determines '%s'", text_get(&name));
    remark_help(w->report, remark, "add an equation that contains it, or remove the variable");
    text_free(&name);
    return false;
}

static void report_undefined(Work *w, int q, int rule) {
    Text name = {0};
    quantity_label(&name, w, q);
    Remark *remark = report_error(w->report, Q_ZERO_COEFFICIENT, w->rule.data[rule].pos,
                                  "'%s' has no value: solving for it divides by zero or leaves the "
                                  "range of a function",
                                  text_get(&name));
    remark_rules(w, remark, &rule, 1);
    remark_help(w->report, remark, "look for a factor that is always zero");
    text_free(&name);
}

static Incidence unknown_incidence(Work *w, int *quantity_of_column) {
    int n = w->quantity.count, capacity = 0, columns = 0;
    for (int q = 0; q < n; q++) {
        bool unknown = !is_state(&w->quantity.data[q]);
        w->quantity.data[q].place = unknown ? columns : -1;
        if (unknown) quantity_of_column[columns++] = q;
    }
    Incidence a = {.row_count = w->rule.count, .col_count = columns};
    a.start = array_grow(NULL, &capacity, a.row_count + 1, sizeof *a.start);
    capacity = 0;
    a.col = array_grow(NULL, &capacity, w->entry.count + 1, sizeof *a.col);
    int at = 0;
    for (int r = 0; r < a.row_count; r++) {
        a.start[r] = at;
        for (int k = 0; k < w->rule.data[r].count; k++) {
            int c = w->quantity.data[w->entry.data[w->rule.data[r].first + k]].place;
            if (c >= 0) a.col[at++] = c;
        }
    }
    a.start[a.row_count] = at;
    for (int q = 0; q < n; q++) w->quantity.data[q].place = -1;
    return a;
}

// --- single equations ---------------------------------------------------------------------------

static bool put_in_solved(Work *w, int q, Expr full, int rule) {
    if (expr_is_undefined(w->dag, full)) {
        report_undefined(w, q, rule);
        return false;
    }
    rewrite_set(w->solved, w->quantity.data[q].symbol, full);
    return true;
}

bool quantity_solved(Work *w, int q, Expr value, int rule) {
    return put_in_solved(w, q, rewrite(w->solved, value), rule);
}

bool quantity_solution(Work *w, int q, Solution s, int rule) {
    values_set(w, q, s);
    return quantity_solved(w, q, s.value, rule);
}

// expression = c*x with x itself a factor: gives c.
static bool factor_beside(Work *w, Expr product, Expr x, Expr *beside) {
    if (expr_op(w->dag, product) != OP_PRODUCT) return false;
    Expr others = 0;
    int found = 0;
    for (int i = 0; i < expr_arg_count(w->dag, product); i++) {
        Expr f = expr_arg(w->dag, product, i);
        Op op = expr_op(w->dag, f);
        if (f == x)
            found++;
        else if (op != OP_SYMBOL && op != OP_NUMBER)
            return false;
        else
            others = others ? expr_mul(w->dag, others, f) : f;
    }
    *beside = others;
    return found == 1 && others;
}

// x = the other terms of the balance, taken over as they were solved: what the balance says before
// that never becomes an expression.
static bool solve_balance(Work *w, int rule, int quantity) {
    Dag *d = w->dag;
    Balance terms = {0};
    ARRAY(Expr) parts = {0};
    int sign = 0;
    balance_terms(w, w->rule.data[rule].origin, &terms);
    for (int i = 0; i < terms.count; i++)
        if (terms.data[i].quantity == quantity) sign = terms.data[i].sign;
    for (int i = 0; i < terms.count; i++) {
        BalanceTerm t = terms.data[i];
        if (t.quantity == quantity) continue;
        Expr value = rewrite(w->solved, w->quantity.data[t.quantity].symbol);
        array_push(&parts, expr_mul(d, expr_number(d, -(double)t.sign / sign), value));
    }
    bool ok = put_in_solved(w, quantity, expr_sum(d, parts.data, parts.count), rule);
    array_free(&parts);
    array_free(&terms);
    return ok;
}

static bool single_solve(Work *w, int rule, int quantity) {
    const Rule *r = &w->rule.data[rule];
    Expr x = w->quantity.data[quantity].symbol, coefficient, rest, value;
    if (is_balance(r)) return solve_balance(w, rule, quantity);
    if (r->right && r->left == x) return quantity_solved(w, quantity, r->right, rule);
    if (r->right && factor_beside(w, r->right, x, &coefficient))
        return quantity_solved(w, quantity, expr_div(w->dag, r->left, coefficient), rule);
    Expr residual = rule_residual(w, rule);
    if (expr_linear_in(w->dag, residual, x, &coefficient, &rest)) {
        value = expr_neg(w->dag, expr_div(w->dag, rest, coefficient));
        return quantity_solved(w, quantity, value, rule);
    }
    if (invert(w->dag, residual, x, &value)) return quantity_solved(w, quantity, value, rule);
    block_keep(w, &quantity, &residual, &rule, 1, NULL);
    loop_note(w, 1, &quantity, 1, false, true, w->rule.data[rule].pos);
    return true;
}

// --- all of them --------------------------------------------------------------------------------

typedef struct {
    Arena arena;
    Incidence a;
    int *quantity_of_column, *col_of_row, *row_of_col, *order, *first;
    int component_count;
} Order;

static bool solve_component(Work *w, const Order *o, int k) {
    int n = o->first[k + 1] - o->first[k];
    const int *rules = o->order + o->first[k];
    if (n == 1) {
        int q = o->quantity_of_column[o->col_of_row[rules[0]]];
        return single_solve(w, rules[0], q);
    }
    int *quantities = ARENA_ARRAY(&w->scratch, int, n);
    for (int i = 0; i < n; i++) quantities[i] = o->quantity_of_column[o->col_of_row[rules[i]]];
    return block_solve(w, rules, quantities, n);
}

bool order_and_solve(Work *w) {
    Order o = {0};
    int m = w->rule.count, n = w->quantity.count;
    o.quantity_of_column = ARENA_ARRAY(&o.arena, int, n + 1);
    o.a = unknown_incidence(w, o.quantity_of_column);
    o.col_of_row = ARENA_ARRAY(&o.arena, int, m + 1);
    o.row_of_col = ARENA_ARRAY(&o.arena, int, n + 1);
    o.order = ARENA_ARRAY(&o.arena, int, m + 1);
    o.first = ARENA_ARRAY(&o.arena, int, m + 1);
    bool ok = true;
    incidence_match(&o.a, o.col_of_row, o.row_of_col);
    for (int r = 0; ok && r < m; r++)
        if (o.col_of_row[r] < 0) ok = report_unmatched(w, r);
    for (int c = 0; ok && c < o.a.col_count; c++)
        if (o.row_of_col[c] < 0) ok = report_undetermined(w, o.quantity_of_column[c]);
    if (ok) {
        o.component_count = incidence_components(&o.a, o.row_of_col, o.order, o.first);
        for (int k = 0; ok && k < o.component_count; k++) ok = solve_component(w, &o, k);
    }
    incidence_free(&o.a);
    arena_free(&o.arena);
    return ok;
}
