// Modes that one program serves. Sliding forward and backward are two laws
//
//     e = slip + d f    while f >= 0         a
//     e = -slip + d f   while f <= 0         b
//
// that differ by a multiple of what is computed anyway. With the number of the mode, which is a
// discrete variable of the model, they are one: e = a + (mode - 1)/(3 - 1) (b - a). So six joints
// with dry friction have 2^6 programs in place of 3^6, and the guards of both are in each.
//
// Laws are kin if they have the same left side, the same symbols on the right, and a difference of
// sums and products only: whatever holds, the other law brings no value that is not finite, and
// nothing else depends on which of them it is.
#include "run/kin.h"

#include "base/memory.h"
#include "expr/expr.h"

static bool is_plain(const Dag *d, Expr e) {
    ExprWalk *w = walk_new(d);
    bool plain = true;
    walk_add(w, e);
    for (int i = 0; i < walk_count(w) && plain; i++) {
        Op op = expr_op(d, walk_at(w, i));
        plain = op == OP_SUM || op == OP_PRODUCT || op == OP_SYMBOL || op == OP_NUMBER;
    }
    walk_free(w);
    return plain;
}

static bool have_same_symbols(const Dag *d, Expr a, Expr b) {
    SymbolLists l = {0};
    expr_symbols_below(d, (Expr[]){a, b}, 2, &l);
    int na = l.first.data[1] - l.first.data[0], nb = l.first.data[2] - l.first.data[1];
    int found = 0;
    for (int i = 0; i < na; i++)
        for (int k = 0; k < nb; k++) found += l.symbol.data[i] == l.symbol.data[na + k];
    symbol_lists_free(&l);
    return na == nb && found == na;
}

static bool are_kin(Dag *d, const Model *m, const ModeChoice *c, int a, int b) {
    const Mode *x = &m->mode[c->first_mode + a], *y = &m->mode[c->first_mode + b];
    if (x->once || y->once || !x->condition || !y->condition) return false;
    for (int k = 0; k < c->equation_count; k++) {
        const Equation *u = &m->mode_law[x->first + k], *v = &m->mode_law[y->first + k];
        if (u->left != v->left || !have_same_symbols(d, u->right, v->right) ||
            !is_plain(d, expr_sub(d, v->right, u->right)))
            return false;
    }
    return true;
}

int *kin_find(Arena *out, const Model *m) {
    int *kin = ARENA_ARRAY(out, int, m->mode_count);
    Dag *d = dag_copy(m->dag, m->names); // differences leave no trace in the model
    for (int i = 0; i < m->choice_count; i++) {
        const ModeChoice *c = &m->choice[i];
        int *of = kin + c->first_mode;
        for (int k = 0; k < c->mode_count; k++) of[k] = k;
        for (int a = 0; a < c->mode_count && c->var >= 0; a++)
            for (int b = a + 1; b < c->mode_count; b++)
                if (of[a] == a && of[b] == b && are_kin(d, m, c, a, b)) of[a] = b, of[b] = a;
    }
    dag_free(d);
    return kin;
}

Equation kin_law(Dag *d, const Model *m, const ModeChoice *c, int mode, int other, int k) {
    Equation law = m->mode_law[m->mode[c->first_mode + mode].first + k];
    if (other == mode) return law;
    Expr right = m->mode_law[m->mode[c->first_mode + other].first + k].right;
    Expr number = expr_add(d, m->var[c->var].symbol, expr_number(d, -(mode + 1)));
    Expr part = expr_mul(d, number, expr_number(d, 1.0 / (other - mode)));
    law.right = expr_add(d, law.right, expr_mul(d, part, expr_sub(d, right, law.right)));
    return law;
}
