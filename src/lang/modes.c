// `modes`: equations of which one reading holds at a time.
//
//     modes                              choice     two modes of one equation each
//       blocking:   f = 0 while e <= 0   equation   the first mode's law stands in the model's list
//       conducting: e = 0 while f >= 0   mode_law   all laws, mode by mode
//     end
//
// Laws of an instant may use pre(x), whose symbols come after those of all variables: they are
// lowered last.
#include "lang/build.h"

#include <stdlib.h>
#include <string.h>

// --- order --------------------------------------------------------------------------------------

static const char *modes_text(Builder *b, const AstItem *item) {
    Text t = {0};
    for (const AstItem *mode = item->body; mode; mode = mode->next) {
        text_printf(&t, "%s:", text_of(b, mode->name));
        for (const AstItem *law = mode->laws; law; law = law->next) {
            ast_print(&t, b->names, law->left);
            text_char(&t, '=');
            ast_print(&t, b->names, law->right);
        }
        if (mode->left) ast_print(&t, b->names, mode->left);
    }
    const char *text = arena_copy_text(&b->tmp, text_get(&t), t.length);
    text_free(&t);
    return text;
}

void order_modes(Builder *b) { order_by_text(b, b->modes.data, b->modes.count, modes_text); }

// --- laws ---------------------------------------------------------------------------------------

static bool check_count(Builder *b, const AstItem *mode, int laws, const ModeChoice *c) {
    if (laws == c->equation_count) return true;
    Remark *m = complain(b, L_MODE_LAWS, mode->pos, "mode '%s' has %d law%s, the first mode has %d",
                         text_of(b, mode->name), laws, laws == 1 ? "" : "s", c->equation_count);
    remark_help(b->r, m,
                "every mode determines as many variables as the others: write as many "
                "laws, separated by commas");
    return false;
}

// Is this symbol a parameter whose value is 0, also by way of other parameters that it is equal to?
static bool is_zero(Builder *b, Expr symbol) {
    double value;
    for (int steps = 0; steps < 100; steps++) {
        if (expr_is_number(b->dag, symbol, &value)) return value == 0;
        if (expr_op(b->dag, symbol) != OP_SYMBOL) return false;
        int var = expr_symbol_index(b->dag, symbol);
        if (var >= b->var.count || b->var.data[var].kind != VAR_PARAM) return false;
        symbol = b->var.data[var].value;
        if (!symbol) return false;
    }
    return false;
}

// A law such as f = G*e with G = 0 must not be solved for e. So parameters with the value 0 are
// replaced by 0, and become structural: they cannot be changed without building the model anew.
static Expr without_zeros(Builder *b, Expr e) {
    Rewrite *zeros = rewrite_new(b->dag);
    walk_start(b->walk);
    walk_add(b->walk, e);
    for (int i = 0; i < walk_count(b->walk); i++) {
        Expr x = walk_at(b->walk, i);
        if (expr_op(b->dag, x) != OP_SYMBOL || !is_zero(b, x)) continue;
        b->var.data[expr_symbol_index(b->dag, x)].structural = true;
        rewrite_set(zeros, x, expr_number(b->dag, 0));
    }
    e = rewrite(zeros, e);
    rewrite_free(zeros);
    return e;
}

static bool lower_law(Builder *b, const Statement *s, const AstItem *law, int comp) {
    Lower l = lower_symbols(b);
    Value x = lower(&l, law->left, s->env);
    Value y = lower(&l, law->right, s->env);
    if (!value_ok(&x) || !value_ok(&y) || !equation_sides(&l, &x, &y, law)) return false;
    if (!((x.is | y.is) & HAS_VARIABLE)) {
        Remark *m =
            complain(b, L_NO_VARIABLE, ast_start(law->left), "'%s = %s' contains no variable",
                     expr_text(b, law->left), expr_text(b, law->right));
        remark_help(b->r, m, "an equation must say something about a variable of the model");
        return false;
    }
    for (int i = 0; i < value_count(&x); i++)
        array_push(&b->mode_law,
                   ((Equation){without_zeros(b, value_at(&x, i)), without_zeros(b, value_at(&y, i)),
                               comp, law->pos, 0}));
    return true;
}

static bool lower_laws(Builder *b, const Statement *s, const AstItem *mode, Mode *into, int comp) {
    into->first = b->mode_law.count;
    for (const AstItem *law = mode->laws; law; law = law->next)
        if (!lower_law(b, s, law, comp)) return false;
    return true;
}

static bool lower_condition(Builder *b, const Statement *s, const AstItem *mode, Mode *into) {
    if (!mode->left) return true;
    Lower l = lower_symbols(b);
    Value v = lower(&l, mode->left, s->env);
    if (!value_ok(&v)) return false;
    into->condition = value_count(&v) == 1 ? v.one : 0;
    if (into->condition && is_condition(b, into->condition)) return true;
    Remark *m = complain(b, L_MODE_CONDITION, ast_start(mode->left),
                         "'%s' says for no moment whether mode '%s' holds",
                         expr_text(b, mode->left), text_of(b, mode->name));
    remark_help(b->r, m,
                "write a relation with < or >, a discrete variable, or several of them "
                "with and, or, not");
    return false;
}

// --- choices ------------------------------------------------------------------------------------

static bool find_teller(Builder *b, const Statement *s, ModeChoice *c) {
    c->var = -1;
    if (!s->item->left) return true;
    Lower l = lower_symbols(b);
    Value v = lower(&l, s->item->left, s->env);
    if (!value_ok(&v)) return false;
    bool symbol = value_count(&v) == 1 && expr_op(b->dag, v.one) == OP_SYMBOL;
    int var = symbol ? expr_symbol_index(b->dag, v.one) : -1;
    if (var >= 0 && var < b->var.count && b->var.data[var].kind == VAR_DISCRETE) {
        c->var = var;
        return true;
    }
    Remark *m = complain(b, L_MODE_TELLER, ast_start(s->item->left), "'%s' is not discrete",
                         expr_text(b, s->item->left));
    remark_help(b->r, m, "declare what tells the mode as `var %s discrete`",
                expr_text(b, s->item->left));
    return false;
}

static bool check_modes(Builder *b, const AstItem *item) {
    int lasting = 0;
    for (const AstItem *mode = item->body; mode; mode = mode->next) {
        lasting += !mode->once;
        for (const AstItem *other = item->body; other != mode; other = other->next) {
            if (other->name != mode->name) continue;
            Remark *m = complain(b, L_MODE_TWICE, mode->pos, "there are two modes '%s'",
                                 text_of(b, mode->name));
            remark_note(b->r, m, other->pos, "the other one is here");
            remark_help(b->r, m, "give them different names");
            return false;
        }
    }
    bool first = item->body && !item->body->once;
    if (first && lasting > 0 && item->body->next) return true;
    Remark *m = complain(b, L_MODE_FEW, item->pos, "%s",
                         !item->body         ? "there are no modes"
                         : !item->body->next ? "there is only one mode"
                                             : "the first mode lasts for an instant only");
    remark_help(b->r, m, "%s",
                !item->body || !item->body->next
                    ? "write two modes or more, or the laws as equations"
                    : "write a mode first in which a run can begin, and `once` further down");
    return false;
}

static bool lower_choice(Builder *b, int statement, int comp) {
    const Statement *s = &b->modes.data[statement];
    ModeChoice c = {.first_equation = b->law.count, .first_mode = b->mode.count, .comp = comp};
    c.owner = b->instance.data[s->env->instance].path;
    c.pos = s->item->pos;
    if (!check_modes(b, s->item) || !find_teller(b, s, &c)) return false;
    for (const AstItem *item = s->item->body; item; item = item->next) {
        Mode mode = {.name = item->name, .once = item->once, .pos = item->pos};
        if (!lower_condition(b, s, item, &mode)) return false;
        if (!mode.once && !lower_laws(b, s, item, &mode, comp)) return false;
        if (!c.mode_count) c.equation_count = b->mode_law.count - mode.first;
        if (!mode.once && !check_count(b, item, b->mode_law.count - mode.first, &c)) return false;
        array_push(&b->mode, mode);
        c.mode_count++;
    }
    for (int i = 0; i < c.equation_count; i++)
        array_push(&b->law, b->mode_law.data[b->mode.data[c.first_mode].first + i]);
    array_push(&b->choice, c);
    array_push(&b->choice_statement, statement);
    return true;
}

// Of the instance with this rank; -1: of all that are no elements. False: something is wrong.
bool lower_modes(Builder *b, int rank, int comp) {
    bool good = true;
    for (int i = 0; i < b->modes.count && !b->stop; i++) {
        const Statement *s = &b->modes.data[i];
        const Instance *owner = &b->instance.data[s->env->instance];
        if (rank >= 0 ? owner->rank == rank : !owner->field)
            good = lower_choice(b, i, comp) && good;
    }
    return good;
}

void lower_instants(Builder *b) {
    for (int i = 0; i < b->choice.count && !b->stop; i++) {
        const ModeChoice *c = &b->choice.data[i];
        const Statement *s = &b->modes.data[b->choice_statement.data[i]];
        Mode *mode = &b->mode.data[c->first_mode];
        for (const AstItem *item = s->item->body; item; item = item->next, mode++) {
            if (!mode->once) continue;
            b->when_part = WHEN_VALUE;
            bool good = lower_laws(b, s, item, mode, c->comp);
            b->when_part = WHEN_OUTSIDE;
            if (!good || !check_count(b, item, b->mode_law.count - mode->first, c)) return;
        }
    }
}
