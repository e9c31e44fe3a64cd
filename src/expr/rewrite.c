// Substitution: symbols become expressions, everything above them is built anew and simplified.
#include "expr/rewrite.h"

// --- the pass ------------------------------------------------------------------------------------

void pass_init(Pass *p, Dag *d) { *p = (Pass){.dag = d, .oldest = UINT32_MAX}; }

void pass_free(Pass *p) {
    map_free(&p->result);
    array_free(&p->stack);
    array_free(&p->work);
}

void pass_set(Pass *p, Expr symbol, Expr value) {
    map_set(&p->result, symbol, value);
    if (symbol < p->oldest) p->oldest = symbol;
}

// Pushes the arguments that have no result yet; true if there was none.
static bool arguments_are_ready(Pass *p, Expr e) {
    int before = p->stack.count;
    for (int i = count_of(p->dag, e) - 1; i >= 0; i--) {
        Expr arg = args_of(p->dag, e)[i];
        if (arg >= p->oldest && !map_get(&p->result, arg)) array_push(&p->stack, arg);
    }
    return p->stack.count == before;
}

void pass_run(Pass *p, Expr e, Expr (*rule)(Pass *p, Expr e)) {
    if (e < p->oldest || map_get(&p->result, e)) return;
    array_push(&p->stack, e);
    while (p->stack.count) {
        Expr top = array_last(&p->stack);
        if (!map_get(&p->result, top)) {
            if (!arguments_are_ready(p, top)) continue;
            p->dag->visits++;
            map_set(&p->result, top, rule(p, top));
        }
        p->stack.count--;
    }
}

// --- rewriting -----------------------------------------------------------------------------------

struct Rewrite {
    Pass pass;
};

Rewrite *rewrite_new(Dag *d) {
    Rewrite *w = calloc(1, sizeof *w);
    if (!w) abort();
    pass_init(&w->pass, d);
    return w;
}

void rewrite_free(Rewrite *w) {
    if (!w) return;
    pass_free(&w->pass);
    free(w);
}

void rewrite_set(Rewrite *w, Expr symbol, Expr value) { pass_set(&w->pass, symbol, value); }

static Expr rewritten(const Pass *p, Expr e) {
    Expr to = e < p->oldest ? 0 : map_get(&p->result, e);
    return to ? to : e;
}

// The same operator over the rewritten arguments; the node itself when none has changed.
static Expr rewrite_rule(Pass *p, Expr e) {
    int n = count_of(p->dag, e);
    bool changed = false;
    p->work.count = 0;
    for (int i = 0; i < n; i++) {
        Expr arg = args_of(p->dag, e)[i], to = rewritten(p, arg);
        changed = changed || to != arg;
        array_push(&p->work, to);
    }
    return changed ? expr_call(p->dag, op_of(p->dag, e), p->work.data, n) : e;
}

Expr rewrite(Rewrite *w, Expr e) {
    pass_run(&w->pass, e, rewrite_rule);
    return rewritten(&w->pass, e);
}
