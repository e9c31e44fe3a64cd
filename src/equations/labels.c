// Rules and quantities in the user's words.
#include "equations/work.h"

enum { MOST_NAMED = 8 };

static const char *path_of(const Model *m, int comp) {
    return name_text(m->names, m->comp[comp].path);
}

static void equation_text(Text *out, const Model *m, const Equation *e) {
    Printer how = {.style = PRINT_TEXT};
    OpCount size = expr_count(m->dag, (Expr[]){e->left, e->right}, 2);
    if (size.adds + size.multiplies + size.divides + size.calls + size.others > 20) return;
    text_add(out, " '");
    expr_print(out, m->dag, e->left, &how);
    text_add(out, " = ");
    expr_print(out, m->dag, e->right, &how);
    text_add(out, "'");
}

void rule_label(Text *out, const Model *m, const Graph *g, int origin) {
    if (origin < 0) {
        text_add(out, origin == ORIGIN_BOND   ? "a bond"
                      : origin == ORIGIN_PICK ? "the choice of states"
                                              : "a start condition");
    } else if (origin >= m->equation_count) {
        const GraphNode *node = &g->node[origin - m->equation_count];
        bool zero = m->comp[node->comp].kind == COMP_0;
        text_printf(out, "the balance of %s at %d-junction '%s'", zero ? "flows" : "efforts", !zero,
                    path_of(m, node->comp));
        if (m->comp[node->comp].dim > 1) text_printf(out, " (component %d)", node->component + 1);
    } else {
        const Equation *e = &m->equation[origin];
        if (e->comp >= 0)
            text_printf(out, "the law of '%s'", path_of(m, e->comp));
        else
            text_add(out, "the equation");
        equation_text(out, m, e);
    }
}

void equation_label(Text *out, const System *s, int equation) {
    rule_label(out, s->model, s->graph, equation);
}

void quantity_label(Text *out, const Work *w, int q) {
    Expr symbol = w->quantity.data[q].symbol;
    text_add(out, name_text(w->model->names,
                            expr_symbol_name(w->dag, expr_symbol_index(w->dag, symbol))));
}

void quantity_list(Text *out, const Work *w, const int *quantities, int n) {
    int shown = n > MOST_NAMED + 1 ? MOST_NAMED : n;
    for (int i = 0; i < shown; i++) {
        text_add(out, i == 0 ? "'" : i + 1 == n ? " and '" : ", '");
        quantity_label(out, w, quantities[i]);
        text_add(out, "'");
    }
    if (shown < n) text_printf(out, " and %d more", n - shown);
}

void remark_rules(Work *w, Remark *to, const int *rules, int n) {
    int shown = n > MOST_NAMED + 1 ? MOST_NAMED : n;
    for (int i = 0; i < shown; i++) {
        const Rule *r = &w->rule.data[rules[i]];
        Text label = {0};
        rule_label(&label, w->model, w->graph, r->origin);
        remark_note(w->report, to, r->pos, "%s%s", r->of >= 0 ? "differentiated: " : "",
                    text_get(&label));
        text_free(&label);
    }
    if (shown < n) remark_note(w->report, to, POS_NONE, "and %d equations more", n - shown);
}

int equation_with(const System *s, Expr part) {
    const Model *m = s->model;
    Op op = expr_op(s->dag, part);
    if (!s->value || op == OP_SYMBOL || op == OP_NUMBER) return -1;
    Resolver *solved = resolver_new(s);
    ExprWalk *walk = walk_new(s->dag);
    int found = -1;
    for (int i = 0; i < m->equation_count && found < 0; i++) {
        walk_start(walk);
        walk_add(walk, m->equation[i].left);
        walk_add(walk, m->equation[i].right);
        for (int k = 0; k < walk_count(walk) && found < 0; k++) {
            Expr e = walk_at(walk, k);
            if (expr_op(s->dag, e) == op && resolve(solved, e) == part) found = i;
        }
    }
    walk_free(walk);
    resolver_free(solved);
    return found;
}
