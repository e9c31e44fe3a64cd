// Values of parameters and constants as numbers, each evaluated once when it is first needed.
//
// A parameter that is only another parameter's name is an alias and gets no symbol of its own. A
// circle shows as a parameter that is asked for while it is being evaluated.
#include "lang/build.h"

#include <math.h>
#include <string.h>

static void mark_as_circular(Builder *b, int entity) {
    int first = 0;
    while (first < b->visiting.count && b->visiting.data[first] != entity) first++;
    const Entity *x = &b->entity.data[entity];
    const char *name = text_of(b, x->name);
    Remark *m = complain(b, L_RECURSIVE_PARAMETER, x->item->pos,
                         "the value of '%s' depends on itself", name);
    for (int i = first + 1; i < b->visiting.count; i++) {
        const Entity *on_the_way = &b->entity.data[b->visiting.data[i]];
        remark_note(b->r, m, on_the_way->item->pos, "by way of '%s'", text_of(b, on_the_way->name));
    }
    remark_help(b->r, m, "give one of them a value that does not use the others");
}

// The parameter behind a value that is nothing but a path to it; -1: it is something else.
static int plain_parameter(Builder *b, const AstExpr *value, const Env *env) {
    if (value->kind != AST_NAME && value->kind != AST_MEMBER) return -1;
    if (is_model_signal(b, value, env)) return -1;
    Ref ref = path_resolve(b, value, env, true);
    if (ref.kind != REF_PARAM || ref.subscript_count) return -1;
    const Entity *x = &b->entity.data[ref.index];
    if (x->kind != ENTITY_PARAM) return -1;
    return x->alias >= 0 ? x->alias : ref.index;
}

static Name unit_to_show(Builder *b, const Entity *x) {
    if (x->unit) return x->unit;
    if (x->alias >= 0) return b->entity.data[x->alias].unit;
    const AstExpr *v = x->item->left ? x->item->left : x->value;
    if (v->kind == AST_WITH_UNIT && v->unit->scale == 1 && v->unit->offset == 0)
        return v->unit_text;
    return dim_unit(b, x->dim);
}

static bool declared_shape(Builder *b, const Entity *x, int *rows, int *cols) {
    *rows = *cols = 1;
    int *side[] = {rows, cols};
    for (int i = 0; i < x->item->size_count && i < 2; i++)
        if (!size_evaluate(b, x->item->size[i], x->env, "a size", 1, side[i])) return false;
    return true;
}

// The unit that a value must have: the declared one, else that of the default.
Target param_target(Builder *b, const Entity *x) {
    Target t = {.dim = x->dim};
    if (x->item->has_unit) t = (Target){true, *x->item->unit, x->item->unit->dim};
    const AstExpr *usual = x->item->left;
    if (t.has_unit || !usual || usual == x->value) return t;
    if (usual->kind == AST_WITH_UNIT) return (Target){true, *usual->unit, usual->unit->dim};
    Lower l = lower_shapes(b);
    Value v = lower(&l, usual, x->env);
    if (value_ok(&v) && !(v.is & IS_PLAIN)) t.dim = v.dim;
    return t;
}

static bool evaluate(Builder *b, int entity) {
    if (implicit_is(&b->entity.data[entity]) && !implicit_solve(b, entity)) return false;
    Entity x = b->entity.data[entity];
    Lower l = lower_numbers(b, "the value of a parameter", false);
    Value v = lower(&l, x.value, x.value_env);
    if (!value_ok(&v)) return false;
    const char *name = text_of(b, x.name);
    Pos pos = ast_start(x.value);
    Target t = param_target(b, &x);
    if (!value_fit(&l, &v, t.has_unit, &t.unit, t.dim, pos, name)) return false;
    int rows = v.rows, cols = v.cols;
    if (x.item->size_count && !declared_shape(b, &x, &rows, &cols)) return false;
    if (x.scalar) rows = cols = 1;
    if (!value_shape(&l, &v, rows, cols, pos, name)) return false;
    if (!count_scalars(b, value_count(&v), x.item->pos)) return false;
    if (!value_numbers(&l, &v, &x.known, &b->tmp)) {
        complain_not_finite(b, pos, "the value of '%s'", name);
        return false;
    }
    x.derived = x.kind == ENTITY_CONST && (v.is & HAS_PARAM);
    if (x.kind == ENTITY_PARAM || t.has_unit) x.known.is = 0;
    x.rows = rows;
    x.cols = cols;
    x.dim = x.known.dim = v.dim;
    x.alias = x.kind == ENTITY_PARAM ? plain_parameter(b, x.value, x.value_env) : -1;
    x.unit = unit_to_show(b, &x);
    x.structural = b->entity.data[entity].structural;
    b->entity.data[entity] = x;
    return true;
}

bool param_evaluate(Builder *b, int entity) {
    Entity *x = &b->entity.data[entity];
    if (x->value_is >= FOUND) return x->value_is == FOUND;
    if (x->value_is == UNDER_WAY) {
        mark_as_circular(b, entity);
        return false;
    }
    x->value_is = UNDER_WAY;
    array_push(&b->visiting, entity);
    bool good = evaluate(b, entity);
    b->visiting.count--;
    b->entity.data[entity].value_is = good ? FOUND : WRONG;
    return good;
}

void param_structural(Builder *b, int entity) {
    Entity *x = &b->entity.data[entity];
    if (x->structural || x->value_is == WRONG) return;
    x->structural = true;
    Lower l = lower_numbers(b, "the value of a parameter", true);
    lower(&l, x->value, x->value_env);
}

// --- constants and tables of the top level -------------------------------------------------------

int global_find(Builder *b, Definition d) {
    int known = pairs_get(&b->globals, d.file->source, d.what->name);
    if (known >= 0) return known;
    Global g = {.class = d.what, .file = d.file, .number = {-1, -1}};
    array_push(&b->global, g);
    pairs_set(&b->tmp, &b->globals, d.file->source, d.what->name, b->global.count - 1);
    return b->global.count - 1;
}

bool table_number(Builder *b, const AstExpr *e, const Env *env, bool has_unit, const Unit *unit,
                  double *x) {
    if (e->kind == AST_NUMBER) {
        *x = has_unit ? e->number * unit->scale + unit->offset : e->number;
        return true;
    }
    Lower l = lower_numbers(b, "a table", false);
    Value v = lower(&l, e, env);
    Constant c;
    if (!value_ok(&v) ||
        !value_fit(&l, &v, has_unit, unit, has_unit ? unit->dim : DIM_UNKNOWN, e->pos, "the table"))
        return false;
    if (value_count(&v) != 1 || !value_numbers(&l, &v, &c, &b->tmp)) {
        complain(b, L_TABLE, e->pos, "an entry of a table must be a finite number");
        return false;
    }
    *x = c.one;
    return true;
}

bool table_rises(Builder *b, const AstClass *class, int n, const double *x, AstExpr *const *at,
                 int stride, const char *what) {
    for (int i = 1; i < n; i++) {
        if (x[i] > x[i - 1]) continue;
        Remark *m = complain(b, L_TABLE, at[stride * i]->pos,
                             "the %s of table '%s' must rise: %g follows %g", what,
                             text_of(b, class->name), x[i], x[i - 1]);
        remark_help(b->r, m, "sort the rows, and keep each value once");
        return false;
    }
    return true;
}

// The rows of the text, in SI units.
static bool table_rows(Builder *b, const Global *g, int n, double *x, double *y) {
    const AstClass *c = g->class;
    Env env = {.file = g->file, .instance = -1, .element = -1};
    bool x_unit = c->formal_count > 0 && c->formals[0].has_unit;
    for (int i = 0; i < n; i++)
        if (!table_number(b, c->numbers[2 * i], &env, x_unit, &c->formals[0].unit, &x[i]) ||
            !table_number(b, c->numbers[2 * i + 1], &env, c->has_unit, &c->unit, &y[i]))
            return false;
    return table_rises(b, c, n, x, c->numbers, 2, "first column");
}

const Table *table_make(Builder *b, const AstClass *c, int n, const double *x, const double *y,
                        TableSlopes *slopes) {
    double *slope = c->smooth ? ARENA_ARRAY(b->out, double, n) : NULL;
    if (slope) slopes(n, x, y, slope);
    Table *t = ARENA_NEW(b->out, Table);
    int *kink = ARENA_ARRAY(b->out, int, n);
    *t = (Table){.count = n,
                 .x = x,
                 .y = y,
                 .slope = slope,
                 .smooth = c->smooth,
                 .extrapolate = c->beyond == BEYOND_EXTRAPOLATE};
    t->kink_count = table_find_kinks(t, kink);
    t->kink = kink;
    return t;
}

static const Table *table_build(Builder *b, const Global *g) {
    const AstClass *c = g->class;
    int n = c->number_count / 2;
    if (c->data) n = c->data->count;
    if (c->from && !c->data) return NULL; // reported when it was read
    if (n < 2) {
        Remark *m =
            complain(b, L_TABLE, c->pos, "table '%s' has fewer than two rows", text_of(b, c->name));
        remark_help(b->r, m, "a row is: x , y");
        return NULL;
    }
    double *x = ARENA_ARRAY(b->out, double, n), *y = ARENA_ARRAY(b->out, double, n);
    if (c->data) { // the syntax may be gone before the model is
        memcpy(x, c->data->x, (size_t)n * sizeof *x);
        memcpy(y, c->data->y, (size_t)n * sizeof *y);
    } else if (!table_rows(b, g, n, x, y)) {
        return NULL;
    }
    return table_make(b, c, n, x, y, table_monotone_slopes);
}

static bool constant_evaluate(Builder *b, int global) {
    Global g = b->global.data[global];
    Env env = {.file = g.file, .instance = -1, .element = -1};
    const AstClass *c = g.class;
    Lower l = lower_numbers(b, "the value of a constant", false);
    Value v = lower(&l, c->value, &env);
    Dim dim = c->has_unit ? c->unit.dim : DIM_UNKNOWN;
    if (!value_ok(&v) ||
        !value_fit(&l, &v, c->has_unit, &c->unit, dim, c->value->pos, text_of(b, c->name)))
        return false;
    if (!value_numbers(&l, &v, &g.known, &b->tmp)) {
        complain_not_finite(b, c->value->pos, "the value of '%s'", text_of(b, c->name));
        return false;
    }
    if (c->has_unit) g.known.is = 0;
    b->global.data[global].known = g.known;
    return true;
}

bool global_evaluate(Builder *b, int global) {
    Global *g = &b->global.data[global];
    if (g->value_is >= FOUND) return g->value_is == FOUND;
    if (g->value_is == UNDER_WAY) {
        Remark *m = complain(b, L_RECURSIVE_PARAMETER, g->class->pos,
                             "the value of '%s' depends on itself", text_of(b, g->class->name));
        remark_help(b->r, m, "give it a value that does not use itself");
        return false;
    }
    g->value_is = UNDER_WAY;
    bool good;
    if (g->class->kind == CLASS_TABLE && g->class->formal_count > 1) {
        const Grid *grid = grid_build(b, g);
        b->global.data[global].grid = grid;
        good = grid != NULL;
    } else if (g->class->kind == CLASS_TABLE) {
        const Table *t = table_build(b, g);
        b->global.data[global].table = t;
        good = t != NULL;
    } else {
        good = g->class->value && constant_evaluate(b, global);
    }
    b->global.data[global].value_is = good ? FOUND : WRONG;
    return good;
}

// --- numbers that fix the structure --------------------------------------------------------------

// Numbers, loop variables and their sums and products: the usual index, without the detour over the
// expression graph.
static bool quick_number(const AstExpr *e, const Env *env, double *x) {
    enum { DEEPEST = 8 };
    if (e->kind == AST_NUMBER) {
        *x = e->number;
        return true;
    }
    if (e->kind == AST_NAME && !e->arg_count) {
        const Env *s = env;
        while (s && s->name != e->name) s = s->outer;
        if (!s || !s->name || s->value) return false;
        *x = s->number;
        return true;
    }
    double left, right;
    if (e->kind != AST_BINARY || e->op > BIN_MUL || e->depth > DEEPEST ||
        !quick_number(e->left, env, &left) || !quick_number(e->right, env, &right))
        return false;
    *x = e->op == BIN_ADD ? left + right : e->op == BIN_SUB ? left - right : left * right;
    return true;
}

bool number_evaluate(Builder *b, const AstExpr *e, const Env *env, const char *what,
                     bool structural, Constant *c) {
    double x;
    if (quick_number(e, env, &x) && isfinite(x)) {
        *c = (Constant){1, 1, x, NULL, DIM_ONE, IS_PLAIN};
        return true;
    }
    Lower l = lower_numbers(b, what, structural);
    Value v = lower(&l, e, env);
    if (!value_ok(&v)) return false;
    if (value_numbers(&l, &v, c, &b->tmp)) return true;
    complain_not_finite(b, ast_start(e), "'%s'", expr_text(b, e));
    return false;
}

bool size_evaluate(Builder *b, const AstExpr *e, const Env *env, const char *what, int least,
                   int *size) {
    double x;
    if (e->kind == AST_NUMBER) {
        x = e->number;
    } else {
        Constant c;
        if (!number_evaluate(b, e, env, what, true, &c)) return false;
        if (c.rows * c.cols != 1) {
            complain(b, L_BAD_SIZE, e->pos, "%s must be a scalar", what);
            return false;
        }
        x = c.one;
    }
    if (x == floor(x) && x >= least && x <= LARGEST_SIZE * 100.0) {
        *size = (int)x;
        return true;
    }
    Remark *m = complain(b, L_BAD_SIZE, ast_start(e),
                         "%s must be a whole number from %d up, not %g", what, least, x);
    if (x > LARGEST_SIZE)
        remark_help(b->r, m, "sizes go up to %d", LARGEST_SIZE * 100);
    else
        remark_help(b->r, m, "'%s' is %g", expr_text(b, e), x);
    return false;
}
