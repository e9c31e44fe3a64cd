// Equations that the user wrote, values of parameters and inputs, start values, requests.
//
// Everything is lowered in an order that does not depend on where it stands in the text: by the
// path of the owner, then by the printed text of the equation, then by the loop variables.
#include "lang/build.h"

#include <stdlib.h>
#include <string.h>

// `20/3 {V}`: the unit belongs to 3 alone.
static bool is_number_over_unit(const AstExpr *e) {
    return e->kind == AST_BINARY && e->op == BIN_DIV && e->left->kind == AST_NUMBER &&
           e->right->kind == AST_WITH_UNIT && e->right->left->kind == AST_NUMBER;
}

static void help_with_sides(Builder *b, Remark *m, const AstItem *item) {
    const AstExpr *e = is_number_over_unit(item->left) ? item->left : item->right;
    if (is_number_over_unit(e))
        remark_help(b->r, m, "a unit belongs to the number before it: write (%s/%s) {%s}",
                    expr_text(b, e->left), expr_text(b, e->right->left),
                    text_of(b, e->right->unit_text));
    else
        remark_help(b->r, m, "both sides of an equation are of the same kind");
}

// Both sides of an equation: a plain side takes the unit of the other, 0 its shape.
bool equation_sides(Lower *l, Value *x, Value *y, const AstItem *item) {
    if (primes_scalar(l->b, item->left, x)) return false;
    Builder *b = l->b;
    if ((x->is & IS_ZERO) && value_count(x) == 1 && value_count(y) > 1)
        value_shape(l, x, y->rows, y->cols, item->pos, "");
    if ((y->is & IS_ZERO) && value_count(y) == 1 && value_count(x) > 1)
        value_shape(l, y, x->rows, x->cols, item->pos, "");
    if (x->rows != y->rows || x->cols != y->cols) {
        Remark *m = complain(b, L_WRONG_SHAPE, ast_start(item->left),
                             "the left side is %s, the right side is %s",
                             shape_text(b, x->rows, x->cols), shape_text(b, y->rows, y->cols));
        remark_help(b->r, m, "both sides of an equation have the same shape");
        return false;
    }
    bool plain = (x->is | y->is) & IS_PLAIN;
    if (plain || dim_fits(x->dim, y->dim)) return true;
    Remark *m =
        complain(b, U_EQUATION, ast_start(item->left), "the left side %s, the right side %s",
                 in_unit(b, x->dim), in_unit(b, y->dim));
    help_with_sides(b, m, item);
    return false;
}

// --- order ---------------------------------------------------------------------------------------

typedef struct {
    int rank;
    const char *text;
    Statement s;
} Ordered;

static int compare_loops(const Env *x, const Env *y) {
    for (; x && y; x = x->outer, y = y->outer)
        if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return 0;
}

static int by_owner_and_text(const void *pa, const void *pb) {
    const Ordered *a = pa, *b = pb;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    int order = a->text == b->text ? 0 : name_compare(a->text, b->text);
    return order ? order : compare_loops(a->s.env, b->s.env);
}

void order_by_text(Builder *b, Statement *s, int count,
                   const char *(*text)(Builder *b, const AstItem *item)) {
    Ordered *list = ARENA_ARRAY(&b->tmp, Ordered, count);
    for (int i = 0; i < count; i++)
        list[i] = (Ordered){b->instance.data[s[i].env->instance].rank, text(b, s[i].item), s[i]};
    if (count > 1) qsort(list, (size_t)count, sizeof *list, by_owner_and_text);
    for (int i = 0; i < count; i++) s[i] = list[i].s;
}

static const char *statement_text(Builder *b, Pairs *texts, const AstItem *item) {
    uint64_t key = (uint64_t)(uintptr_t)item;
    int known = pairs_get(texts, (uint32_t)(key >> 32), (uint32_t)key);
    if (known < 0) {
        Text t = {0};
        ast_print(&t, b->names, item->left);
        text_add(&t, " = ");
        ast_print(&t, b->names, item->right);
        known = (int)name_of(b->names, text_get(&t));
        text_free(&t);
        pairs_set(&b->tmp, texts, (uint32_t)(key >> 32), (uint32_t)key, known);
    }
    return text_of(b, (Name)known);
}

static Ordered *order_statements(Builder *b) {
    Ordered *list = ARENA_ARRAY(&b->tmp, Ordered, b->equation.count);
    Pairs texts = {0};
    for (int i = 0; i < b->equation.count; i++) {
        Statement s = b->equation.data[i];
        int rank = b->instance.data[s.env->instance].rank;
        list[i] = (Ordered){rank, statement_text(b, &texts, s.item), s};
    }
    if (b->equation.count > 1)
        qsort(list, (size_t)b->equation.count, sizeof *list, by_owner_and_text);
    return list;
}

// --- inputs --------------------------------------------------------------------------------------

static void report_input_twice(Builder *b, const Entity *x, Pos pos, Pos other) {
    Remark *m = complain(b, L_INPUT_TWICE, pos, "input '%s' gets its value twice",
                         text_of(b, member_path(b, x->owner, text_of(b, x->name))));
    remark_note(b->r, m, other, "the other value is here");
    remark_help(b->r, m, "keep one of them");
}

static const Env *class_env(const Env *env) {
    while (env->outer) env = env->outer;
    return env;
}

// The input that stands alone on a side of an equation and may get its value there, or -1. A class
// only reads its own inputs; a class that extends it may set them, and so may the model that is run
// if they have no value.
static int settable_input(Builder *b, const AstExpr *side, const Statement *s) {
    if (side->kind != AST_NAME && side->kind != AST_MEMBER) return -1;
    if (is_model_signal(b, side, s->env)) return -1;
    Ref ref = path_resolve(b, side, s->env, true);
    if (ref.kind != REF_VARIABLE) return -1;
    const Entity *x = &b->entity.data[ref.index];
    if (x->kind != ENTITY_INPUT || x->first < 0) return -1;
    bool own = x->owner == s->env->instance && class_env(x->env) == class_env(s->env);
    return own && (x->owner != 0 || x->value) ? -1 : ref.index;
}

static Pos *input_setters(Builder *b, Entity *x) {
    if (!x->set_by) x->set_by = ARENA_ARRAY(&b->tmp, Pos, x->rows * x->cols);
    return x->set_by;
}

// An input alone on the left is set by the equation. One on the right is read, but if nothing else
// gives it a value the equation does: that is known when all have been seen.
static void note_inputs(Builder *b, const Value *left, const Value *right, const Statement *s) {
    int entity = settable_input(b, s->item->left, s);
    Pos pos = ast_start(s->item->left);
    if (entity < 0) {
        entity = settable_input(b, s->item->right, s);
        for (int i = 0; entity >= 0 && i < value_count(right); i++)
            array_push(&b->read,
                       ((InputRead){entity, value_at(right, i), ast_start(s->item->right)}));
        return;
    }
    Entity *x = &b->entity.data[entity];
    Pos *set_by = input_setters(b, x);
    if (x->value && x->value != x->item->left) {
        report_input_twice(b, x, pos, ast_start(x->value));
        return;
    }
    for (int i = 0; i < value_count(left); i++) {
        int k = expr_symbol_index(b->dag, value_at(left, i)) - x->first;
        if (set_by[k].file) report_input_twice(b, x, pos, set_by[k]);
        set_by[k] = pos;
    }
}

static void set_by_readers(Builder *b) {
    for (int r = 0; r < b->read.count; r++) {
        const InputRead *read = &b->read.data[r];
        Entity *x = &b->entity.data[read->entity];
        Pos *by = input_setters(b, x) + (expr_symbol_index(b->dag, read->what) - x->first);
        if (!x->value && !by->file) *by = read->pos;
    }
}

// An input that the caller of the run holds open: its default, or zero, is its start value.
static void open_input(Builder *b, const Entity *x, const Value *start) {
    for (int i = 0; i < x->rows * x->cols; i++) {
        if (x->set_by && x->set_by[i].file) continue;
        Var *v = &b->var.data[x->first + i];
        v->kind = VAR_DISCRETE;
        v->open = true;
        v->start = start ? value_at(start, i) : expr_number(b->dag, 0);
    }
}

static void input_value(Builder *b, int entity) {
    Entity x = b->entity.data[entity];
    int count = x.rows * x.cols, unset = 0;
    for (int i = 0; i < count; i++) unset += !x.set_by || !x.set_by[i].file;
    if (!unset) return;
    const char *path = text_of(b, member_path(b, x.owner, text_of(b, x.name)));
    bool caller = b->open_inputs && x.owner == 0;
    bool open = (caller || is_driven(b, path)) && (!x.value || x.value == x.item->left);
    if (!x.value && open) {
        open_input(b, &x, NULL);
        return;
    }
    if (!x.value) {
        const Instance *owner = &b->instance.data[x.owner];
        Pos pos = owner->item ? owner->item->pos : x.item->pos;
        Remark *m = complain(b, L_UNSET_INPUT, pos, "input '%s' has no value", path);
        if (owner->item) remark_note(b->r, m, x.item->pos, "it is declared here");
        remark_help(b->r, m, "write an equation `%s = ...`, an argument, or a default", path);
        return;
    }
    Lower l = lower_symbols(b);
    Pos pos = ast_start(x.value);
    Value v = lower(&l, x.value, x.value_env);
    Target t = param_target(b, &x);
    if (!value_ok(&v) || !value_fit(&l, &v, t.has_unit, &t.unit, t.dim, pos, path) ||
        !value_shape(&l, &v, x.rows, x.cols, pos, path))
        return;
    if (open && !(v.is & VARIES)) {
        open_input(b, &x, &v);
        return;
    }
    for (int i = 0; i < count; i++) {
        if (x.set_by && x.set_by[i].file) continue;
        Equation e = {b->var.data[x.first + i].symbol, value_at(&v, i), -1, pos, 0};
        array_push(&b->law, e);
    }
}

// --- equations -----------------------------------------------------------------------------------

static void report_no_variable(Builder *b, const Statement *s) {
    const AstExpr *left = s->item->left;
    Ref ref = {0};
    bool path = left->kind == AST_NAME || left->kind == AST_MEMBER;
    if (path && !is_model_signal(b, left, s->env)) ref = path_resolve(b, left, s->env, true);
    if (ref.kind == REF_PARAM || ref.kind == REF_ARGUMENT || ref.kind == REF_GLOBAL) {
        Remark *m = complain(b, L_SETS_PARAMETER, ast_start(left),
                             "an equation cannot set the parameter '%s'", expr_text(b, left));
        remark_help(b->r, m,
                    "give the value at the declaration, as an argument, or with `set` in "
                    "an experiment");
        return;
    }
    Remark *m = complain(b, L_NO_VARIABLE, ast_start(left), "'%s = %s' contains no variable",
                         expr_text(b, left), expr_text(b, s->item->right));
    remark_help(b->r, m, "an equation must say something about a variable of the model");
}

static bool both_sides(Builder *b, Lower *l, const Statement *s, Value *x, Value *y) {
    *x = lower(l, s->item->left, s->env);
    *y = lower(l, s->item->right, s->env);
    if (!value_ok(x) || !value_ok(y) || !equation_sides(l, x, y, s->item)) return false;
    if ((x->is | y->is) & HAS_VARIABLE) return true;
    report_no_variable(b, s);
    return false;
}

static void lower_equation(Builder *b, const Statement *s, int comp) {
    Lower l = lower_symbols(b);
    Value x, y;
    b->law_statement = s;
    b->law_comp = comp;
    bool good = both_sides(b, &l, s, &x, &y);
    b->law_statement = NULL;
    if (!good) return;
    note_inputs(b, &x, &y, s);
    for (int i = 0; i < value_count(&x); i++) {
        Equation e = {value_at(&x, i), value_at(&y, i), comp, s->item->pos, 0};
        if (e.left == e.right) {
            Remark *m = complain(b, L_NO_VARIABLE, ast_start(s->item->left),
                                 "both sides of '%s = %s' are the same",
                                 expr_text(b, s->item->left), expr_text(b, s->item->right));
            remark_help(b->r, m, "it determines nothing: take it away");
            return;
        }
        array_push(&b->law, e);
    }
}

// A variable that may be a state: the others have no start value of their own.
static bool has_start(const Var *v) {
    return v->der >= 0 || v->kind == VAR_DISCRETE || is_of_storage(v->kind);
}

// Does a variable belong to a part of the instance, where its declaration gives no more than a
// default? A storage that stands in the instance itself has its q0 or p0 from there.
static bool is_of_part(const Builder *b, const Var *v, int instance) {
    bool storage = is_of_storage(v->kind);
    if (storage && v->comp >= 0 && b->comp.data[v->comp].kind == COMP_FIELD) return false;
    const char *own = text_of(b, b->instance.data[instance].path), *path = text_of(b, v->path);
    int dots = 0;
    for (path += strlen(own) + (*own != 0); *path; path++) dots += *path == '.';
    return dots > storage;
}

enum { OUTSIDE = 1 << 28 }; // of all instances: the experiment

typedef enum { START_FREE, START_TAKEN, START_TWICE } StartRight;

// May a statement in an instance give v its start value? What stands further out comes first, both
// before statements further in and before the default at the declaration.
static StartRight start_right(Builder *b, const Var *v, const Statement *s) {
    uint32_t var = (uint32_t)(v - b->var.data);
    int by = pairs_get(&b->started, 0, var), instance = s->env->instance;
    if (b->outermost) instance = OUTSIDE;
    if (by >= 0) return by == instance ? START_TWICE : START_TAKEN;
    bool field = is_of_storage(v->kind) && v->comp >= 0 && b->comp.data[v->comp].kind == COMP_FIELD;
    bool default_only = b->outermost ? !field : is_of_part(b, v, instance);
    if (v->start && !default_only) return START_TWICE;
    pairs_set(&b->tmp, &b->started, 0, var, instance);
    return START_FREE;
}

// `initial steady x`: der(x) = 0, for a state that has no other start value.
static void lower_steady(Builder *b, const Statement *s) {
    Lower l = lower_symbols(b);
    Value x = lower(&l, s->item->left, s->env);
    if (!value_ok(&x)) return;
    for (int i = 0; i < value_count(&x); i++) {
        Expr e = value_at(&x, i);
        Var *v =
            expr_op(b->dag, e) == OP_SYMBOL ? &b->var.data[expr_symbol_index(b->dag, e)] : NULL;
        bool can = v && has_start(v) && v->kind != VAR_DISCRETE;
        StartRight right = can ? start_right(b, v, s) : START_TWICE;
        if (right == START_TAKEN) continue;
        if (right == START_TWICE) {
            bool twice = can;
            Remark *m = complain(b, twice ? L_START_TWICE : L_NOT_STEADY, s->item->pos,
                                 twice ? "'%s' has a start value already"
                                       : "'%s' has no rate that could be zero",
                                 expr_text(b, s->item->left));
            remark_help(b->r, m, "%s",
                        twice ? "keep one of them"
                              : "name a variable with a derivative, or q or p of a storage");
            return;
        }
        v->start = 0;
        array_push(&b->steady, ((Steady){v->path, s->item->pos}));
    }
}

// `initial x = value` with a state alone on the left is its start value; others stay equations.
static void lower_initial(Builder *b, const Statement *s) {
    Lower l = lower_symbols(b);
    Value x, y;
    if (!s->item->right) {
        lower_steady(b, s);
        return;
    }
    if (s->item->left == s->item->right) {
        Steady steady = {b->instance.data[s->env->instance].path, s->item->pos};
        array_push(&b->steady, steady);
        return;
    }
    if (!both_sides(b, &l, s, &x, &y)) return;
    const AstExpr *left = s->item->left;
    bool direct = (left->kind == AST_NAME || left->kind == AST_MEMBER) && !(y.is & VARIES);
    for (int i = 0; i < value_count(&x); i++) {
        Expr e = value_at(&x, i);
        Equation equation = {e, value_at(&y, i), -1, s->item->pos, 0};
        bool symbol = direct && expr_op(b->dag, e) == OP_SYMBOL;
        Var *v = symbol ? &b->var.data[expr_symbol_index(b->dag, e)] : NULL;
        if (!v || !has_start(v)) {
            array_push(&b->start, equation);
            continue;
        }
        StartRight right = start_right(b, v, s);
        if (right == START_TAKEN) continue;
        if (right == START_TWICE) {
            Remark *m = complain(b, L_START_TWICE, s->item->pos, "'%s' has a start value already",
                                 text_of(b, v->path));
            remark_note(b->r, m, v->pos, "at its declaration");
            remark_help(b->r, m, "keep one of them");
            return;
        }
        v->start = equation.right;
    }
}

// --- values at the start -------------------------------------------------------------------------

static void start_value(Builder *b, int entity) {
    const Entity x = b->entity.data[entity];
    if (!x.item->left || x.first < 0) return;
    Lower l = lower_symbols(b);
    Value v = lower(&l, x.item->left, x.env);
    Pos pos = ast_start(x.item->left);
    const char *name = text_of(b, x.name);
    if (!value_ok(&v)) return;
    if (v.is & VARIES) {
        Remark *m = complain(b, L_NOT_STRUCTURAL, pos,
                             "the start value of '%s' depends on variables", name);
        remark_help(b->r, m,
                    "it may use parameters and constants; for more write `initial %s = "
                    "...` as a statement",
                    name);
        return;
    }
    if (!value_fit(&l, &v, x.item->has_unit, x.item->unit, x.dim, pos, name)) return;
    if (value_count(&v) != 1 && !value_shape(&l, &v, x.rows, x.cols, pos, name)) return;
    for (int i = 0; i < x.rows * x.cols; i++)
        b->var.data[x.first + i].start = value_count(&v) == 1 ? v.one : value_at(&v, i);
}

static void parameter_value(Builder *b, int entity) {
    const Entity x = b->entity.data[entity];
    if (x.kind != ENTITY_PARAM || x.first < 0 || x.alias >= 0) return;
    Lower l = lower_symbols(b);
    Value v = lower(&l, x.value, x.value_env);
    if (!value_ok(&v)) return;
    Target t = param_target(b, &x);
    value_fit(&l, &v, t.has_unit, &t.unit, t.dim, x.item->pos, text_of(b, x.name));
    if (!value_shape(&l, &v, x.rows, x.cols, x.item->pos, text_of(b, x.name))) return;
    for (int i = 0; i < x.rows * x.cols; i++) b->var.data[x.first + i].value = value_at(&v, i);
}

// Entities in the order of their paths.
static void each_entity(Builder *b, void (*act)(Builder *b, int entity), unsigned kinds) {
    ARRAY(int) stack = {0};
    array_push(&stack, 0);
    while (stack.count && !b->stop) {
        int instance = array_pop(&stack);
        int first = b->member_start[instance], last = b->member_start[instance + 1];
        for (int k = first; k < last; k++) {
            int index = b->member.data[k].index;
            if (index < 0 && (kinds >> b->entity.data[~index].kind & 1)) act(b, ~index);
        }
        for (int k = last - 1; k >= first; k--) {
            int index = b->member.data[k].index;
            if (index >= 0 && b->instance.data[index].class) array_push(&stack, index);
        }
    }
    array_free(&stack);
}

void parameter_values(Builder *b) { each_entity(b, parameter_value, 1u << ENTITY_PARAM); }

// --- fields --------------------------------------------------------------------------------------

// An expression of a role in kg m2/s2 by s^per_second; 0 after a report.
static Expr role_value(Builder *b, const Instance *i, const AstExpr *e, int per_second,
                       const char *what) {
    Lower l = lower_symbols(b);
    Pos pos = ast_start(e);
    Value v = lower(&l, e, i->role_env);
    Dim dim = DIM_ONE;
    dim.power[BASE_KG] = POWER_ONE;
    dim.power[BASE_M] = 2 * POWER_ONE;
    dim.power[BASE_S] = (int8_t)(-(2 + per_second) * POWER_ONE);
    bool good = value_ok(&v) && value_fit(&l, &v, false, NULL, dim, pos, what) &&
                value_shape(&l, &v, 1, 1, pos, what);
    return good ? v.one : 0;
}

static void stored_energy(Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    if (!i->role_item || i->role_item->kind != ITEM_STORES) return;
    Comp *c = &b->comp.data[i->comp];
    c->stored = role_value(b, i, i->role_item->left, 0, "stored energy");
    if (!i->role_item->right) return;
    c->lost = role_value(b, i, i->role_item->right, 1, "power that is lost");
}

// Fields that do not say: with states they store (only the rate is known), else they dissipate.
static void default_roles(Builder *b) {
    for (int v = 0; v < b->var.count; v++) {
        const Var *x = &b->var.data[v];
        if (x->der < 0 || x->comp < 0) continue;
        Comp *c = &b->comp.data[x->comp];
        if (c->kind == COMP_FIELD && c->role == ROLE_NONE) c->role = ROLE_STORE;
    }
    for (int c = 0; c < b->comp.count; c++)
        if (b->comp.data[c].kind == COMP_FIELD && b->comp.data[c].role == ROLE_NONE)
            b->comp.data[c].role = ROLE_DISSIPATE;
}

static void check_ports_used(Builder *b, int instance) {
    for (int t = b->instance.data[instance].first_terminal; t >= 0; t = b->terminal.data[t].next) {
        const Terminal *x = &b->terminal.data[t];
        if (x->transparent || x->used) continue;
        Remark *m =
            complain(b, L_PORT_UNUSED, terminal_pos(b, x), "port '%s' is not used inside '%s'",
                     text_of(b, x->name), text_of(b, b->instance.data[instance].class->name));
        remark_help(b->r, m, "bond it to something inside, or write equations with %s.e and %s.f",
                    text_of(b, x->name), text_of(b, x->name));
    }
}

static int *instance_of_comp(Builder *b) {
    int *of = ARENA_ARRAY(&b->tmp, int, b->comp.count);
    for (int i = b->instance.count - 1; i >= 0; i--) // parts of a mechanism come after it
        if (b->instance.data[i].comp >= 0) of[b->instance.data[i].comp] = i;
    return of;
}

static int first_of_rank(const Ordered *list, int count, int rank) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (list[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void field_laws(Builder *b, int instance, const Ordered *list, int count) {
    const Instance *i = &b->instance.data[instance];
    int comp = i->comp, rank = i->rank;
    if (is_mechanism(b, instance)) {
        mechanism_laws(b, instance);
        return;
    }
    for (int k = first_of_rank(list, count, rank); k < count && list[k].rank == rank; k++)
        if (list[k].s.item->kind == ITEM_EQUATION) lower_equation(b, &list[k].s, comp);
    bool good = lower_modes(b, rank, comp);
    stored_energy(b, instance);
    if (good) check_ports_used(b, instance);
}

void user_equations(Builder *b) {
    const Ordered *list = order_statements(b);
    int count = b->equation.count;
    order_modes(b);
    const int *of = instance_of_comp(b);
    for (int c = 0; c < b->comp.count && !b->stop; c++) {
        b->comp.data[c].first_equation = b->law.count;
        if (b->comp.data[c].kind == COMP_FIELD)
            field_laws(b, of[c], list, count);
        else
            builtin_law(b, of[c]);
        b->comp.data[c].equation_count = b->law.count - b->comp.data[c].first_equation;
    }
    for (int k = 0; k < count && !b->stop; k++)
        if (list[k].s.item->kind == ITEM_EQUATION &&
            !b->instance.data[list[k].s.env->instance].field)
            lower_equation(b, &list[k].s, -1);
    lower_modes(b, -1, -1);
    default_roles(b);
    set_by_readers(b);
    each_entity(b, input_value, 1u << ENTITY_INPUT);
    each_entity(b, start_value, 1u << ENTITY_LOCAL | 1u << ENTITY_OUTPUT);
    b->outermost = true;
    for (int k = 0; k < b->outer.count && !b->stop; k++) lower_initial(b, &b->outer.data[k]);
    b->outermost = false;
    for (int k = 0; k < count && !b->stop; k++)
        if (list[k].s.item->kind == ITEM_INITIAL) lower_initial(b, &list[k].s);
}

// --- causality -----------------------------------------------------------------------------------

static Request request_of(const char *word) {
    if (strcmp(word, "integral") == 0) return REQUEST_INTEGRAL;
    if (strcmp(word, "derivative") == 0) return REQUEST_DERIVATIVE;
    if (strcmp(word, "effort") == 0) return REQUEST_EFFORT_OUT;
    if (strcmp(word, "flow") == 0) return REQUEST_FLOW_OUT;
    return REQUEST_NONE;
}

static bool request_fits(const Comp *c, Request request) {
    bool storage = c->kind == COMP_C || c->kind == COMP_I || c->kind == COMP_FIELD;
    if (request == REQUEST_INTEGRAL || request == REQUEST_DERIVATIVE) return storage;
    return (c->kind == COMP_R || storage) && c->port_count == 1;
}

static void one_request(Builder *b, const Statement *s) {
    const char *word = text_of(b, s->item->name);
    Ref ref = path_resolve(b, s->item->path, s->env, false);
    if (ref.kind == REF_BAD) return;
    Pos pos = ast_start(s->item->path);
    int comp = ref.kind == REF_INSTANCE ? b->instance.data[ref.index].comp : -1;
    if (comp < 0) {
        Remark *m = complain(b, L_CAUSALITY, pos, "'%s' is no element that could have a causality",
                             expr_text(b, s->item->path));
        remark_help(b->r, m, "name an R, C, I or an element with equations");
        return;
    }
    Comp *c = &b->comp.data[comp];
    Request request = request_of(word);
    if (request == REQUEST_NONE || !request_fits(c, request)) {
        Remark *m = complain(b, L_CAUSALITY, pos, "'%s' (%s) cannot have the causality '%s'",
                             text_of(b, c->path), text_of(b, c->type), word);
        remark_help(b->r, m,
                    "integral and derivative are for C and I, effort and flow for "
                    "elements with one port that are no sources");
        return;
    }
    if (c->request && c->request != request) {
        Remark *m = complain(b, L_CAUSALITY, pos, "'%s' has another causality already",
                             text_of(b, c->path));
        remark_note(b->r, m, c->request_pos, "the other statement is here");
        remark_help(b->r, m, "keep one of them");
    }
    c->request = request;
    c->request_pos = s->item->pos;
}

void causality_requests(Builder *b) {
    for (int i = 0; i < b->request.count && !b->stop; i++) one_request(b, &b->request.data[i]);
}
