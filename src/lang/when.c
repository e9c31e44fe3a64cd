// `when`: conditions and what happens when they become true; and `assert`, which is a `when` of the
// opposite condition whose only action is a report.
//
//     when sample(Ts) then       condition   the symbol of a sample, 1 at its moments
//       u = k*(r - y)            action      discrete variable and value
//       i = pre(i) + Ts*u                    pre(i): a symbol for the value before the event
//     end
//
// New symbols are made here, so all variables must have theirs: no new derivatives.
#include "lang/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- sample and pre ------------------------------------------------------------------------------

static bool argument_count(Lower *l, const AstExpr *e, int least, int most) {
    if (e->arg_count >= least && e->arg_count <= most) return true;
    Remark *m = complain(l->b, L_ARGUMENT_COUNT, e->pos, "'%s' is called with %d argument%s",
                         expr_text(l->b, e->left), e->arg_count, e->arg_count == 1 ? "" : "s");
    remark_help(l->b->r, m, "%s",
                most == 2 ? "write sample(period) or sample(period, offset)" : "write pre(x)");
    return false;
}

// A time that is fixed by parameters, as an expression and as the number it has by default.
static bool fixed_time(Lower *l, const AstExpr *e, const Env *env, const char *what, Expr *out,
                       double *number) {
    Constant c;
    if (!number_evaluate(l->b, e, env, what, false, &c)) return false;
    Value v = lower(l, e, env);
    if (!value_ok(&v) || !value_fit(l, &v, false, NULL, dim_second(), ast_start(e), what) ||
        !value_shape(l, &v, 1, 1, ast_start(e), what))
        return false;
    *out = v.one;
    *number = c.one;
    return true;
}

static Expr sample_symbol(Builder *b, Expr period, Expr offset, Pos pos) {
    int known = pairs_get(&b->samples, period, offset);
    if (known >= 0) return b->sample.data[known].symbol;
    Sample s = {.period = period, .offset = offset, .pos = pos};
    s.symbol = expr_symbol(b->dag, name_of(b->names, period ? "sample" : "initial"));
    pairs_set(&b->tmp, &b->samples, period, offset, b->sample.count);
    array_push(&b->sample, s);
    return s.symbol;
}

static Value outside_when(Lower *l, const AstExpr *e, const char *where) {
    Remark *m = complain(l->b, L_EVENT_WORD, e->pos, "'%s' belongs into %s",
                         expr_text(l->b, e->left), where);
    remark_help(l->b->r, m, "write when sample(0.01 {s}) then, u = pre(u) + ..., end");
    return VALUE_BAD;
}

Value lower_sample(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    Expr period, offset = expr_number(l->dag, 0);
    double number, start = 0;
    if (b->when_part != WHEN_CONDITION || l->mode != TO_SYMBOLS)
        return outside_when(l, e, "the condition of a when");
    if (!argument_count(l, e, 1, 2) ||
        !fixed_time(l, e->args[0].value, env, "the period of a sample", &period, &number) ||
        (e->arg_count > 1 &&
         !fixed_time(l, e->args[1].value, env, "the offset of a sample", &offset, &start)))
        return VALUE_BAD;
    if (!(number > 0)) {
        Remark *m = complain(b, L_SAMPLE, ast_start(e->args[0].value),
                             "the period of a sample must be positive, it is %g s", number);
        remark_help(b->r, m, "give the time between two samples: sample(0.01 {s})");
        return VALUE_BAD;
    }
    Value v = value_new(l, 1, 1, DIM_ONE, HAS_VARIABLE);
    v.one = sample_symbol(b, period, offset, e->pos);
    return v;
}

Value lower_pre(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    if (b->when_part == WHEN_OUTSIDE || l->mode != TO_SYMBOLS) return outside_when(l, e, "a when");
    if (!argument_count(l, e, 1, 1)) return VALUE_BAD;
    Value x = lower(l, e->args[0].value, env);
    if (!value_ok(&x)) return x;
    Value v = value_new(l, x.rows, x.cols, x.dim, HAS_VARIABLE);
    for (int i = 0; i < value_count(&x); i++) {
        Before p = {.what = value_at(&x, i)};
        int known = pairs_get(&b->befores, 0, p.what);
        if (known < 0) {
            known = b->before.count;
            p.symbol = expr_symbol(
                b->dag, name_printf(b->names, "pre(%s)", expr_text(b, e->args[0].value)));
            pairs_set(&b->tmp, &b->befores, 0, p.what, known);
            array_push(&b->before, p);
        }
        value_put(&v, i, b->before.data[known].symbol);
    }
    return v;
}

// --- conditions ----------------------------------------------------------------------------------

static bool jumps(Builder *b, Expr e) {
    walk_start(b->walk);
    walk_add(b->walk, e);
    for (int i = 0; i < walk_count(b->walk); i++) {
        Expr x = walk_at(b->walk, i);
        if (expr_op(b->dag, x) != OP_SYMBOL) continue;
        int var = expr_symbol_index(b->dag, x);
        if (var >= b->var.count) continue;
        VarKind kind = b->var.data[var].kind;
        if (kind != VAR_DISCRETE && kind != VAR_PARAM) return false;
    }
    return true;
}

// True and false only: relations, samples and discrete variables under and, or, not. What changes
// smoothly must be compared by < or >, as the moment of equality has no length.
bool is_condition(Builder *b, Expr condition) {
    ARRAY(Expr) open = {0};
    array_push(&open, condition);
    bool good = true;
    while (open.count && good) {
        Expr e = array_pop(&open);
        Op op = expr_op(b->dag, e);
        if (op == OP_AND || op == OP_OR || op == OP_NOT)
            for (int i = 0; i < expr_arg_count(b->dag, e); i++)
                array_push(&open, expr_arg(b->dag, e, i));
        else
            good = op == OP_LESS || op == OP_LESS_EQUAL || jumps(b, e);
    }
    array_free(&open);
    return good;
}

static Expr lower_condition(Builder *b, const Statement *s, const AstItem *item) {
    if (!item->left) return sample_symbol(b, 0, 0, item->pos);
    Lower l = lower_symbols(b);
    b->when_part = WHEN_CONDITION;
    Value v = lower(&l, item->left, s->env);
    b->when_part = WHEN_OUTSIDE;
    if (!value_ok(&v)) return 0;
    bool once = item->kind == ITEM_ASSERT; // of parameters: looked at when the run starts
    const char *wrong = value_count(&v) != 1                ? "is no scalar"
                        : !(v.is & VARIES) && !once         ? "never changes"
                        : !is_condition(b, value_at(&v, 0)) ? "is no relation"
                                                            : NULL;
    if (!wrong) return v.one;
    Remark *m = complain(b, L_WHEN_CONDITION, ast_start(item->left), "the condition '%s' %s",
                         expr_text(b, item->left), wrong);
    remark_help(b->r, m,
                "write a relation with < or >, sample(Ts), a discrete variable, or several of them "
                "with and, or, not");
    return 0;
}

// --- actions -------------------------------------------------------------------------------------

static bool is_settable(Builder *b, const AstItem *item, Expr e) {
    bool symbol = expr_op(b->dag, e) == OP_SYMBOL;
    int var = symbol ? expr_symbol_index(b->dag, e) : -1;
    VarKind kind = var >= 0 && var < b->var.count ? b->var.data[var].kind : VAR_TIME;
    const char *name = expr_text(b, item->left);
    if (item->kind == ITEM_EQUATION && kind != VAR_DISCRETE) {
        Remark *m = complain(b, L_WHEN_TARGET, ast_start(item->left), "'%s' is not discrete", name);
        if (var >= 0 && var < b->var.count)
            remark_note(b->r, m, b->var.data[var].pos, "it is declared here");
        remark_help(b->r, m,
                    "a when sets variables that are declared with `discrete` (var k discrete "
                    "initial 0); for a state write reinit(%s, value)",
                    name);
        return false;
    }
    bool given =
        kind == VAR_DISCRETE || kind == VAR_PARAM || kind == VAR_TIME || kind == VAR_DERIVATIVE;
    if (item->kind == ITEM_REINIT && given) {
        Remark *m = complain(b, L_WHEN_TARGET, ast_start(item->left), "'%s' is no state", name);
        remark_help(b->r, m, "%s",
                    kind == VAR_DISCRETE
                        ? "a discrete variable is set with k = value"
                        : "reinit gives a new value to a variable with a derivative, or to q or p "
                          "of a storage");
        return false;
    }
    return true;
}

static bool is_twice(Builder *b, int first, int var, const AstItem *item) {
    for (int i = first; i < b->action.count; i++) {
        if (b->action.data[i].var != var) continue;
        Remark *m = complain(b, L_WHEN_TWICE, item->pos, "'%s' gets two values in one when",
                             text_of(b, b->var.data[var].path));
        remark_note(b->r, m, b->action.data[i].pos, "the other one is here");
        remark_help(b->r, m, "keep one of them; their order means nothing");
        return true;
    }
    return false;
}

static void lower_action(Builder *b, const Statement *s, const AstItem *item, int first) {
    Lower l = lower_symbols(b);
    Value x = lower(&l, item->left, s->env);
    b->when_part = WHEN_VALUE;
    Value y = value_ok(&x) ? lower(&l, item->right, s->env) : VALUE_BAD;
    b->when_part = WHEN_OUTSIDE;
    if (!value_ok(&x) || !value_ok(&y)) return;
    for (int i = 0; i < value_count(&x); i++)
        if (!is_settable(b, item, value_at(&x, i))) return;
    if (!equation_sides(&l, &x, &y, item)) return;
    for (int i = 0; i < value_count(&x); i++) {
        int var = expr_symbol_index(b->dag, value_at(&x, i));
        if (is_twice(b, first, var, item)) return;
        Action a = {var, item->kind == ITEM_REINIT, value_at(&y, i), item->pos};
        array_push(&b->action, a);
    }
}

// --- the statements, in an order that does not depend on where they stand ------------------------

static const char *when_text(Builder *b, const AstItem *item) {
    Text t = {0};
    for (; item; item = item->otherwise) {
        if (item->left) ast_print(&t, b->names, item->left);
        if (item->text) text_add(&t, text_of(b, item->text));
        for (const AstItem *i = item->body; i; i = i->next) {
            text_char(&t, ' ');
            if (i->kind == ITEM_TERMINATE)
                text_add(&t, i->text ? text_of(b, i->text) : "terminate");
            if (i->kind == ITEM_TERMINATE) continue;
            ast_print(&t, b->names, i->left);
            text_char(&t, '=');
            ast_print(&t, b->names, i->right);
        }
        text_char(&t, ';');
    }
    const char *text = arena_copy_text(&b->tmp, text_get(&t), t.length);
    text_free(&t);
    return text;
}

// --- what an assertion speaks of

enum { MOST_WITNESSES = 6 };

static void add_witness(Builder *b, When *w, const AstExpr *e, const Env *env) {
    Name text = name_of(b->names, expr_text(b, e));
    for (int i = 0; i < w->witness_count; i++)
        if (w->witness[i].text == text) return;
    Lower l = lower_symbols(b);
    Value v = lower(&l, e, env);
    bool counts = e->kind == AST_NAME && path_resolve(b, e, env, true).kind == REF_LOOP;
    if (!value_ok(&v) || value_count(&v) != 1) return;
    if (expr_is_number(b->dag, v.one, NULL) && !counts) return;
    bool plain = !v.dim.known || dim_equal(v.dim, DIM_ONE);
    Name unit = name_of(b->names, plain ? "" : dim_text(b, v.dim));
    w->witness[w->witness_count++] = (Witness){text, v.one, unit};
}

static void find_witnesses(Builder *b, When *w, const AstExpr *e, const Env *env);

static void find_in_arguments(Builder *b, When *w, const AstExpr *e, const Env *env) {
    for (int i = 0; i < e->arg_count; i++) find_witnesses(b, w, e->args[i].value, env);
}

// The paths in a condition, from the left, and the counters of loops in their indices.
static void find_witnesses(Builder *b, When *w, const AstExpr *e, const Env *env) {
    if (!e || w->witness_count == MOST_WITNESSES) return;
    switch (e->kind) {
    case AST_NAME:
    case AST_MEMBER:
        add_witness(b, w, e, env);
        find_in_arguments(b, w, e, env);
        return;
    case AST_CALL: find_in_arguments(b, w, e, env); return;
    case AST_UNARY:
    case AST_BINARY:
    case AST_WITH_UNIT: find_witnesses(b, w, e->left, env); break;
    default: return;
    }
    if (e->kind == AST_BINARY) find_witnesses(b, w, e->right, env);
}

// The component of the outermost model that the assertion belongs to.
static Pos outer_place(const Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    if (i->parent < 0) return (Pos){0};
    while (b->instance.data[i->parent].parent >= 0) i = &b->instance.data[i->parent];
    return i->item ? i->item->pos : (Pos){0};
}

static void lower_assert(Builder *b, const Statement *s, int group) {
    const AstItem *item = s->item;
    When w = {.kind = item->warns ? WHEN_WARNS : WHEN_STOPS,
              .group = group,
              .first_action = b->action.count,
              .owner = b->instance.data[s->env->instance].path,
              .text = name_of(b->names, expr_text(b, item->left)),
              .words = item->text,
              .pos = item->pos};
    Expr holds = lower_condition(b, s, item);
    if (!holds) return;
    w.condition = expr_call(b->dag, OP_NOT, &holds, 1);
    w.witness = ARENA_ARRAY(b->out, Witness, MOST_WITNESSES);
    find_witnesses(b, &w, item->left, s->env);
    w.outer = outer_place(b, s->env->instance);
    array_push(&b->branch, w);
}

static void lower_when(Builder *b, const Statement *s, int group) {
    for (const AstItem *item = s->item; item && !b->stop; item = item->otherwise) {
        When w = {.group = group, .first_action = b->action.count, .pos = item->pos};
        w.condition = lower_condition(b, s, item);
        w.owner = b->instance.data[s->env->instance].path;
        w.text = name_of(b->names, item->left ? expr_text(b, item->left) : "initial");
        for (const AstItem *i = item->body; i; i = i->next) {
            if (i->kind != ITEM_TERMINATE) lower_action(b, s, i, w.first_action);
            if (i->kind == ITEM_TERMINATE) w.ends = true, w.words = i->text;
        }
        w.action_count = b->action.count - w.first_action;
        if (w.condition) array_push(&b->branch, w);
    }
}

void lower_whens(Builder *b) {
    order_by_text(b, b->when.data, b->when.count, when_text);
    for (int i = 0; i < b->when.count && !b->stop; i++) {
        const Statement *s = &b->when.data[i];
        if (s->item->kind == ITEM_ASSERT)
            lower_assert(b, s, i);
        else
            lower_when(b, s, i);
    }
}
