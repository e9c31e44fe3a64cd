// Calls of functions of C: `function f(x[3] {m}, y) [2] {N} external "lib.so"`.
//
// Arguments and result are numbers in the units that are declared. The call is one node with
// all inputs (MATRIX_EXTERNAL), so equal calls are made once, and its rate is the declared
// derivative, or differences.
#include "lang/build.h"

#include "base/files.h"
#include "foreign/functions.h"
#include "foreign/unit.h"
#include <math.h>
#include <string.h>

static int scalars(int rows, int cols) { return rows ? rows * cols : 1; }

static Value refuse(Builder *b, const AstClass *f, const AstExpr *e, const char *why) {
    Remark *m = complain(b, F_LOAD, f->from_pos, "function '%s': %s: %s", text_of(b, f->name),
                         text_of(b, f->from), why);
    remark_note(b->r, m, e->pos, "it is called here");
    remark_help(b->r, m,
                "compile it as a shared library beside this file: "
                "cc -shared -fPIC -O2 f.c -o lib.so");
    return VALUE_BAD;
}

static int input_count(const AstClass *f) {
    int n = 0;
    for (int i = 0; i < f->formal_count; i++) n += scalars(f->formals[i].rows, f->formals[i].cols);
    return n;
}

// --- units of FMI --------------------------------------------------------------------------------

static bool is_unit(const char *path) {
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".fmu") == 0;
}

static ForeignUnit *unit_of(Builder *b, const AstClass *f, bool steps) {
    for (int i = 0; i < b->units_open.count; i++)
        if (b->units_open.data[i].path == f->from && b->units_open.data[i].steps == steps)
            return b->units_open.data[i].unit;
    const char *wrong = NULL;
    ForeignUnit *unit = foreign_unit_new(text_of(b, f->from), steps, &wrong);
    dag_keep(b->dag, unit, foreign_unit_free);
    if (!wrong) wrong = foreign_unit_try(unit);
    if (wrong) {
        Remark *m = complain(b, strstr(wrong, "binary") ? F_BINARY : F_UNIT, f->from_pos, "%s: %s",
                             text_of(b, f->from), wrong);
        remark_help(b->r, m, "export it again for this machine, or with sources");
        unit = NULL;
    }
    array_push(&b->units_open, ((OpenUnit){f->from, steps, unit}));
    return unit;
}

// `as "me rates"`: kind and function. NULL: reported.
static const External *unit_function(Builder *b, const AstClass *f) {
    const char *word = f->symbol ? text_of(b, f->symbol) : "";
    bool steps = strncmp(word, "cs ", 3) == 0;
    ForeignUnit *unit = unit_of(b, f, steps);
    const External *e = unit && strlen(word) > 3 ? foreign_unit_function(unit, word + 3) : NULL;
    bool fits = e && e->inputs == input_count(f) && e->outputs == f->rows * f->cols;
    if (unit && !fits)
        complain(b, F_UNIT, f->pos, "'%s' is no function of the unit", text_of(b, f->name));
    return fits ? e : NULL;
}

// --- functions of C ------------------------------------------------------------------------------

static void tell_differences(Builder *b, const AstClass *f) {
    Remark *m = report_add(b->r, NOTE, F_DIFFERENCES, f->pos,
                           "derivatives of '%s' are taken by differences", text_of(b, f->name));
    remark_help(b->r, m, "declare them: external ... derivative \"name of the function of C\"");
}

// The function behind the declaration; NULL: reported. It belongs to the graph of the model.
static const External *external_of(Builder *b, Definition d, const AstExpr *e) {
    int number = global_find(b, d);
    Global *g = &b->global.data[number];
    const AstClass *f = d.what;
    if (g->external || g->value_is) return g->external;
    g->value_is = UNDER_WAY; // what is wrong is said once
    const char *path = text_of(b, f->from);
    if (is_unit(path)) return g->external = unit_function(b, f);
    if (!file_exists(path)) {
        refuse(b, f, e, "there is no such file");
        return NULL;
    }
    ForeignCode *code = foreign_function_new(&(ForeignFunction){
        .name = text_of(b, f->name),
        .library = path,
        .symbol = text_of(b, f->symbol ? f->symbol : f->name),
        .derivative = f->derivative ? text_of(b, f->derivative) : NULL,
        .inputs = input_count(f),
        .outputs = f->rows * f->cols,
        .impure = f->impure,
    });
    dag_keep(b->dag, code, foreign_function_free);
    const char *wrong = foreign_function_try(code);
    if (wrong) {
        refuse(b, f, e, wrong);
        return NULL;
    }
    if (!f->derivative && !f->impure) tell_differences(b, f);
    return g->external = foreign_function(code);
}

// SI to the declared unit: (x - offset)/scale.
static Expr in_declared_unit(Dag *d, Expr x, bool has_unit, const Unit *u) {
    if (!has_unit) return x;
    if (u->offset != 0) x = expr_sub(d, x, expr_number(d, u->offset));
    return u->scale == 1 ? x : expr_div(d, x, expr_number(d, u->scale));
}

static Expr from_declared_unit(Dag *d, Expr x, bool has_unit, const Unit *u) {
    if (!has_unit) return x;
    if (u->scale != 1) x = expr_mul(d, x, expr_number(d, u->scale));
    return u->offset == 0 ? x : expr_add(d, x, expr_number(d, u->offset));
}

static bool gather_inputs(Lower *l, const AstExpr *e, const AstClass *f, Value *x, Expr *in) {
    int at = 0;
    for (int i = 0; i < f->formal_count; i++) {
        const AstFormal *a = &f->formals[i];
        Pos pos = ast_start(e->args[i].value);
        const char *name = text_of(l->b, a->name);
        if (!value_shape(l, &x[i], a->rows ? a->rows : 1, a->rows ? a->cols : 1, pos, name) ||
            (a->has_unit && !value_fit(l, &x[i], true, &a->unit, a->unit.dim, pos, name)))
            return false;
        for (int k = 0; k < value_count(&x[i]); k++)
            in[at++] = in_declared_unit(l->dag, value_at(&x[i], k), a->has_unit, &a->unit);
    }
    return true;
}

static Value impure_outside(Lower *l, const AstExpr *e, const AstClass *f) {
    Remark *m = complain(l->b, F_IMPURE, e->pos, "'%s' is impure and called outside of a when",
                         text_of(l->b, f->name));
    remark_help(l->b->r, m, "call it in a when, or declare it without impure if it only computes");
    return VALUE_BAD;
}

Value call_external(Lower *l, const AstExpr *e, const Env *env, Definition d) {
    Builder *b = l->b;
    const AstClass *f = d.what;
    Value *x = ARENA_ARRAY(&b->tmp, Value, e->arg_count);
    Expr *in = ARENA_ARRAY(&b->tmp, Expr, input_count(f) + 1);
    if (!argument_values(l, e, env, x, f->formal_count, f->formal_count) ||
        !gather_inputs(l, e, f, x, in))
        return VALUE_BAD;
    unsigned is = 0;
    for (int i = 0; i < f->formal_count; i++) is |= x[i].is & CARRIED;
    Value v = value_new(l, f->rows, f->cols, f->has_unit ? f->unit.dim : DIM_UNKNOWN, is);
    if (l->mode == TO_SHAPES) {
        for (int i = 0; i < value_count(&v); i++) value_put(&v, i, b->dummy);
        return v;
    }
    if (f->impure && b->when_part != WHEN_VALUE) return impure_outside(l, e, f);
    const External *external = external_of(b, d, e);
    if (!external) return VALUE_BAD;
    MatrixShape s = {MATRIX_EXTERNAL, external->inputs, external->outputs, external, false};
    if (!f->impure && !matrix_has_value(l, e, s, in)) return VALUE_BAD;
    Expr node = expr_matrix(l->dag, s, e->pos, in);
    for (int i = 0; i < value_count(&v); i++)
        value_put(&v, i,
                  from_declared_unit(l->dag, expr_entry(l->dag, node, i), f->has_unit, &f->unit));
    return v;
}
