// Calls: functions of the language, functions and tables of the user, der().
//
// A function of the user is put in place: its arguments become names around its body.
#include "lang/build.h"

#include <math.h>
#include <string.h>

enum { MOST_ARGUMENTS = 32 };

typedef Value (*BuildCall)(Lower *l, Value *x, int n, const AstExpr *e);

typedef struct {
    const char *name;
    int least, most;
    BuildCall build;
} Function;

// --- what units functions want -------------------------------------------------------------------

static bool wants_number(Lower *l, const Value *x, const AstExpr *e, int i) {
    if (!x->dim.known || dim_is_one(x->dim)) return true;
    Builder *b = l->b;
    Remark *m = complain(b, U_FUNCTION, ast_start(e->args[i].value),
                         "'%s' wants a number without unit, not %s", expr_text(b, e->left),
                         dim_text(b, x->dim));
    remark_help(b->r, m, "divide by a reference value, such as 1 {%s}", dim_text(b, x->dim));
    return false;
}

static bool want_same(Lower *l, const Value *x, const Value *y, const AstExpr *e) {
    if (dim_fits(x->dim, y->dim)) return true;
    Builder *b = l->b;
    Remark *m = complain(b, U_FUNCTION, e->pos, "'%s' of quantities in %s and in %s",
                         expr_text(b, e->left), dim_text(b, x->dim), dim_text(b, y->dim));
    remark_help(b->r, m, "both must be of the same kind");
    return false;
}

static bool want_scalars(Lower *l, const Value *x, int n, const AstExpr *e) {
    for (int i = 0; i < n; i++) {
        if (value_count(&x[i]) == 1) continue;
        complain(l->b, L_WRONG_SHAPE, ast_start(e->args[i].value), "'%s' wants a scalar, not %s",
                 expr_text(l->b, e->left), shape_text(l->b, x[i].rows, x[i].cols));
        return false;
    }
    return true;
}

// A scalar is a vector of one entry: sizes are parameters, and may be 1.
static bool want_vector(Lower *l, const Value *x, int length, const AstExpr *e, int i) {
    if (x->cols == 1 && (!length || x->rows == length)) return true;
    const char *wanted = length ? shape_text(l->b, length, 1) : "a vector";
    complain(l->b, L_WRONG_SHAPE, ast_start(e->args[i].value), "'%s' wants %s, not %s",
             expr_text(l->b, e->left), wanted, shape_text(l->b, x->rows, x->cols));
    return false;
}

static bool want_square(Lower *l, const Value *x, const AstExpr *e) {
    if (x->rows == x->cols) return true;
    complain(l->b, L_WRONG_SHAPE, ast_start(e->args[0].value), "'%s' wants a square matrix, not %s",
             expr_text(l->b, e->left), shape_text(l->b, x->rows, x->cols));
    return false;
}

static unsigned carried(const Value *x, int n) {
    unsigned either = 0, all = IS_PLAIN;
    for (int i = 0; i < n; i++) {
        either |= x[i].is & CARRIED;
        all &= x[i].is;
    }
    return either | all;
}

// --- functions of scalars, entry by entry --------------------------------------------------------

typedef Expr (*Entry)(Dag *d, Op op, Expr x);

static Expr plain_entry(Dag *d, Op op, Expr x) { return expr_call(d, op, &x, 1); }

static Value each_entry(Lower *l, const Value *x, Dim dim, Op op, Entry entry) {
    Value v = value_new(l, x->rows, x->cols, dim, carried(x, 1));
    for (int i = 0; i < value_count(&v); i++) value_put(&v, i, entry(l->dag, op, value_at(x, i)));
    return v;
}

static Op named_op(const char *name) {
    static const char *const names[] = {
#define OP(id, text, arguments) text,
#include "expr/ops.def"
#undef OP
    };
    for (int i = 0; i < OP_COUNT; i++)
        if (strcmp(names[i], name) == 0) return (Op)i;
    return OP_COUNT;
}

static Op call_op(Lower *l, const AstExpr *e) { return named_op(text_of(l->b, e->left->name)); }

static Value number_function(Lower *l, Value *x, int n, const AstExpr *e) {
    (void)n;
    if (!wants_number(l, x, e, 0)) return VALUE_BAD;
    return each_entry(l, x, DIM_ONE, call_op(l, e), plain_entry);
}

static Value same_unit_function(Lower *l, Value *x, int n, const AstExpr *e) {
    (void)n;
    return each_entry(l, x, x->dim, call_op(l, e), plain_entry);
}

// sign(x) is "if 0 < x then 1 else if x < 0 then -1 else 0". It jumps, so it is written with
// relations, whose zeros solvers search for. (As a factor of something that is zero at the same
// point, as in signsqrt, it causes no jump.)
static Expr sign_entry(Dag *d, Op op, Expr x) {
    (void)op;
    Expr zero = expr_number(d, 0), above[] = {zero, x}, below[] = {x, zero};
    if (expr_is_number(d, x, NULL)) return plain_entry(d, OP_SIGN, x);
    Expr minus = expr_number(d, -1),
         rest = expr_if(d, expr_call(d, OP_LESS, below, 2), minus, zero);
    Expr one = expr_number(d, 1);
    return expr_if(d, expr_call(d, OP_LESS, above, 2), one, rest);
}

static Value sign_function(Lower *l, Value *x, int n, const AstExpr *e) {
    (void)n, (void)e;
    return each_entry(l, x, DIM_ONE, OP_SIGN, sign_entry);
}

static Expr sqrt_entry(Dag *d, Op op, Expr x) {
    (void)op;
    return expr_sqrt(d, x);
}

static Expr signsqrt_entry(Dag *d, Op op, Expr x) {
    (void)op;
    Expr root = expr_sqrt(d, expr_call(d, OP_ABS, &x, 1));
    return expr_mul(d, expr_call(d, OP_SIGN, &x, 1), root);
}

static Expr step_entry(Dag *d, Op op, Expr x) {
    (void)op;
    Expr args[] = {expr_number(d, 0), x};
    return expr_call(d, OP_LESS_EQUAL, args, 2);
}

static Expr log10_entry(Dag *d, Op op, Expr x) {
    (void)op;
    Expr scale = expr_number(d, log(10.0));
    return expr_div(d, expr_call(d, OP_LOG, &x, 1), scale);
}

static Value root_function(Lower *l, Value *x, int n, const AstExpr *e) {
    (void)n;
    bool exact = true, is_sqrt = strcmp(text_of(l->b, e->left->name), "sqrt") == 0;
    Dim dim = dim_power(x->dim, 0.5, &exact);
    return each_entry(l, x, exact ? dim : DIM_UNKNOWN, OP_COUNT,
                      is_sqrt ? sqrt_entry : signsqrt_entry);
}

static Value step_function(Lower *l, Value *x, int n, const AstExpr *e) {
    (void)n;
    (void)e;
    Value v = each_entry(l, x, DIM_ONE, OP_COUNT, step_entry);
    v.is &= CARRIED;
    return v;
}

static Value log10_function(Lower *l, Value *x, int n, const AstExpr *e) {
    (void)n;
    if (!wants_number(l, x, e, 0)) return VALUE_BAD;
    return each_entry(l, x, DIM_ONE, OP_COUNT, log10_entry);
}

static Value two_function(Lower *l, Value *x, int n, const AstExpr *e) {
    if (!want_scalars(l, x, n, e)) return VALUE_BAD;
    Op op = call_op(l, e);
    Value v = x[0];
    for (int i = 1; i < n; i++) {
        if (!want_same(l, &v, &x[i], e)) return VALUE_BAD;
        Expr args[] = {v.one, x[i].one};
        v.one = expr_call(l->dag, op, args, 2);
        if (!v.dim.known) v.dim = x[i].dim;
    }
    v.is = (uint8_t)carried(x, n);
    if (op == OP_ATAN2) v.dim = DIM_ONE;
    return v;
}

// --- vectors and matrices ------------------------------------------------------------------------

static Value dot_function(Lower *l, Value *x, int n, const AstExpr *e) {
    if (!want_vector(l, &x[0], 0, e, 0) || !want_vector(l, &x[1], x[0].rows, e, 1))
        return VALUE_BAD;
    Value v = value_new(l, 1, 1, dim_multiply(x[0].dim, x[1].dim), carried(x, n));
    v.one = matrix_dot(l->dag, value_matrix(l, &x[0]), value_matrix(l, &x[1]));
    return v;
}

static Value cross_function(Lower *l, Value *x, int n, const AstExpr *e) {
    if (!want_vector(l, &x[0], 3, e, 0) || !want_vector(l, &x[1], 3, e, 1)) return VALUE_BAD;
    Matrix m = matrix_cross(&l->b->tmp, l->dag, value_matrix(l, &x[0]), value_matrix(l, &x[1]));
    return value_of_matrix(m, dim_multiply(x[0].dim, x[1].dim), carried(x, n));
}

static Value norm_function(Lower *l, Value *x, int n, const AstExpr *e) {
    if (!want_vector(l, x, 0, e, 0)) return VALUE_BAD;
    Matrix m = value_matrix(l, x);
    Value v = value_new(l, 1, 1, x->dim, carried(x, n));
    v.one = expr_sqrt(l->dag, matrix_dot(l->dag, m, m));
    return v;
}

static Value sum_function(Lower *l, Value *x, int n, const AstExpr *e) {
    (void)e;
    Value v = value_new(l, 1, 1, x->dim, carried(x, n));
    v.one = value_count(x) == 1 ? x->one : expr_sum(l->dag, x->many, value_count(x));
    return v;
}

static Value transpose_function(Lower *l, Value *x, int n, const AstExpr *e) {
    (void)n;
    return value_unary(l, '\'', *x, e);
}

static Value inverse_function(Lower *l, Value *x, int n, const AstExpr *e) {
    if (!want_square(l, x, e)) return VALUE_BAD;
    if (inverse_is_hidden(l->b, x)) return hidden_inverse(l, x, e);
    Matrix inverse;
    if (!matrix_inverse(&l->b->tmp, l->dag, value_matrix(l, x), &inverse)) {
        Remark *m = complain(l->b, L_NOT_A_NUMBER, ast_start(e->args[0].value),
                             "the matrix '%s' has no inverse", expr_text(l->b, e->args[0].value));
        remark_help(l->b->r, m, "its rows depend on each other");
        return VALUE_BAD;
    }
    return value_of_matrix(inverse, dim_divide(DIM_ONE, x->dim), carried(x, n));
}

static bool matrix_sizes(Lower *l, const AstExpr *e, const Value *x, int n, int size[2]) {
    size[0] = size[1] = 1;
    for (int i = 0; i < n; i++) {
        double s;
        if (!expr_is_number(l->dag, value_count(&x[i]) == 1 ? x[i].one : 0, &s) || s < 1 ||
            s != floor(s) || s > LARGEST_SIZE) {
            Remark *m = complain(l->b, L_BAD_SIZE, ast_start(e->args[i].value),
                                 "'%s' wants a whole number from 1 up", expr_text(l->b, e->left));
            remark_help(l->b->r, m, "sizes may use parameters and constants");
            return false;
        }
        size[i] = (int)s;
    }
    return count_scalars(l->b, (int64_t)size[0] * size[1], e->pos);
}

static Value filled(Lower *l, int rows, int cols, double x) {
    Value v = value_new(l, rows, cols, x == 0 ? DIM_UNKNOWN : DIM_ONE, IS_PLAIN);
    for (int i = 0; i < rows * cols; i++) value_put(&v, i, expr_number(l->dag, x));
    return v;
}

static Value identity_function(Lower *l, Value *x, int n, const AstExpr *e) {
    int size[2];
    if (!matrix_sizes(l, e, x, n, size) || !count_scalars(l->b, (int64_t)size[0] * size[0], e->pos))
        return VALUE_BAD;
    return value_of_matrix(matrix_identity(&l->b->tmp, l->dag, size[0]), DIM_ONE, IS_PLAIN);
}

static Value zeros_function(Lower *l, Value *x, int n, const AstExpr *e) {
    int size[2];
    return matrix_sizes(l, e, x, n, size) ? filled(l, size[0], size[1], 0) : VALUE_BAD;
}

static Value ones_function(Lower *l, Value *x, int n, const AstExpr *e) {
    int size[2];
    return matrix_sizes(l, e, x, n, size) ? filled(l, size[0], size[1], 1) : VALUE_BAD;
}

static Value diag_function(Lower *l, Value *x, int n, const AstExpr *e) {
    if (value_count(x) == 1) return *x;
    if (!want_vector(l, x, 0, e, 0) || !count_scalars(l->b, (int64_t)x->rows * x->rows, e->pos))
        return VALUE_BAD;
    Value v = filled(l, x->rows, x->rows, 0);
    v.dim = x->dim;
    v.is = (uint8_t)carried(x, n);
    for (int i = 0; i < x->rows; i++) v.many[i * x->rows + i] = x->many[i];
    return v;
}

static Value skew_function(Lower *l, Value *x, int n, const AstExpr *e) {
    if (!want_vector(l, x, 3, e, 0)) return VALUE_BAD;
    return value_of_matrix(matrix_skew(&l->b->tmp, l->dag, value_matrix(l, x)), x->dim,
                           carried(x, n));
}

static const Function functions[] = {
    {"abs", 1, 1, same_unit_function},
    {"sign", 1, 1, sign_function},
    {"sqrt", 1, 1, root_function},
    {"signsqrt", 1, 1, root_function},
    {"exp", 1, 1, number_function},
    {"log", 1, 1, number_function},
    {"log10", 1, 1, log10_function},
    {"sin", 1, 1, number_function},
    {"cos", 1, 1, number_function},
    {"tan", 1, 1, number_function},
    {"asin", 1, 1, number_function},
    {"acos", 1, 1, number_function},
    {"atan", 1, 1, number_function},
    {"sinh", 1, 1, number_function},
    {"cosh", 1, 1, number_function},
    {"tanh", 1, 1, number_function},
    {"floor", 1, 1, number_function},
    {"ceil", 1, 1, number_function},
    {"step", 1, 1, step_function},
    {"atan2", 2, 2, two_function},
    {"min", 2, MOST_ARGUMENTS, two_function},
    {"max", 2, MOST_ARGUMENTS, two_function},
    {"mod", 2, 2, two_function},
    {"dot", 2, 2, dot_function},
    {"cross", 2, 2, cross_function},
    {"norm", 1, 1, norm_function},
    {"sum", 1, 1, sum_function},
    {"transpose", 1, 1, transpose_function},
    {"inverse", 1, 1, inverse_function},
    {"identity", 1, 1, identity_function},
    {"zeros", 1, 2, zeros_function},
    {"ones", 1, 2, ones_function},
    {"diag", 1, 1, diag_function},
    {"skew", 1, 1, skew_function},
    {"care", 4, 5, care_function},
    {"dare", 4, 5, dare_function},
    {"lqr", 4, 5, lqr_function},
    {"dlqr", 4, 5, dlqr_function},
    {"lqe", 5, 5, lqe_function},
    {"lyap", 2, 2, lyap_function},
    {"dlyap", 2, 2, dlyap_function},
    {"place", 3, 3, place_function},
    {"expm", 1, 1, expm_function},
    {"c2d", 3, 3, c2d_function},
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

// --- size ----------------------------------------------------------------------------------------

static Value lower_size(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    Lower shapes = lower_shapes(b);
    int side = 1;
    if (e->arg_count < 1 || e->arg_count > 2) {
        complain(b, L_ARGUMENT_COUNT, e->pos, "'size' wants one or two arguments");
        return VALUE_BAD;
    }
    Value x = lower(&shapes, e->args[0].value, env);
    if (!value_ok(&x)) return VALUE_BAD;
    if (e->arg_count == 2) {
        if (!size_evaluate(b, e->args[1].value, env, "the side of a matrix", 1, &side))
            return VALUE_BAD;
        if (side > 2) {
            complain(b, L_INDEX_RANGE, e->args[1].pos, "a matrix has the sides 1 and 2");
            return VALUE_BAD;
        }
    }
    return value_number(l, side == 1 ? x.rows : x.cols);
}

// --- functions and tables of the user ------------------------------------------------------------

bool argument_values(Lower *l, const AstExpr *e, const Env *env, Value *x, int least, int most) {
    Builder *b = l->b;
    if (e->arg_count < least || e->arg_count > most) {
        Remark *m = complain(b, L_ARGUMENT_COUNT, e->pos, "'%s' is called with %d argument%s",
                             expr_text(b, e->left), e->arg_count, e->arg_count == 1 ? "" : "s");
        if (least == most)
            remark_help(b->r, m, "it takes %d", least);
        else
            remark_help(b->r, m, "it takes %d to %d", least, most);
        return false;
    }
    bool good = true;
    for (int i = 0; i < e->arg_count; i++) {
        if (e->args[i].name) {
            complain(b, L_UNKNOWN_ARGUMENT, e->args[i].pos,
                     "arguments of functions are given by their place, without names");
            return false;
        }
        x[i] = lower(l, e->args[i].value, env);
        good = good && value_ok(&x[i]);
    }
    return good;
}

static Value call_table(Lower *l, const AstExpr *e, const Env *env, Definition d) {
    Builder *b = l->b;
    int global = global_find(b, d);
    const AstClass *c = d.what;
    int count = c->formal_count > 1 ? c->formal_count : 1;
    Value x[TABLE_ARGUMENTS] = {0};
    Expr at[TABLE_ARGUMENTS];
    unsigned is = 0;
    if (count > TABLE_ARGUMENTS) return VALUE_BAD; // reported where it is declared
    if (!argument_values(l, e, env, x, count, count) || !global_evaluate(b, global) ||
        !want_scalars(l, x, count, e))
        return VALUE_BAD;
    for (int i = 0; i < count && i < c->formal_count; i++)
        if (c->formals[i].has_unit &&
            !value_fit(l, &x[i], true, &c->formals[i].unit, c->formals[i].unit.dim,
                       ast_start(e->args[i].value), text_of(b, c->name)))
            return VALUE_BAD;
    Global *g = &b->global.data[global];
    int *number = &g->number[l->mode == TO_SYMBOLS];
    if (*number < 0)
        *number = g->grid ? grid_add(l->dag, g->grid) : expr_add_table(l->dag, g->table);
    for (int i = 0; i < count; i++) {
        is |= x[i].is;
        at[i] = x[i].one;
    }
    Value v = value_new(l, 1, 1, c->has_unit ? c->unit.dim : DIM_ONE, is & CARRIED);
    Expr args[] = {expr_number(l->dag, *number), at[0]};
    v.one =
        g->grid ? grid_value(l->dag, g->grid, *number, at) : expr_call(l->dag, OP_TABLE, args, 2);
    return v;
}

static bool recursive(Builder *b, const AstExpr *e, const AstClass *f) {
    for (int i = 0; i < b->calling.count; i++) {
        if (b->calling.data[i] != f) continue;
        Remark *m = complain(b, L_FUNCTION_RECURSION, e->pos, "function '%s' calls itself",
                             text_of(b, f->name));
        for (int k = i + 1; k < b->calling.count; k++)
            remark_note(b->r, m, b->calling.data[k]->pos, "by way of '%s'",
                        text_of(b, b->calling.data[k]->name));
        remark_help(b->r, m,
                    "functions are put in place where they are called, so they cannot "
                    "call themselves");
        return true;
    }
    return false;
}

static const Env *bind_name(Builder *b, const Env *outer, Name name, Value value) {
    Value *kept = ARENA_NEW(&b->tmp, Value);
    *kept = value;
    Env env = *outer;
    env.outer = outer;
    env.name = name;
    env.value = kept;
    return new_env(b, env);
}

static Value function_body(Lower *l, const AstClass *f, const Env *env) {
    Builder *b = l->b;
    for (const AstItem *i = f->items; i; i = i->next) {
        if (i->kind != ITEM_EQUATION || i->left->kind != AST_NAME || i->left->arg_count) {
            complain(b, L_NOT_A_VALUE, i->pos, "a line of a function is `name = value`");
            return VALUE_BAD;
        }
        Value v = lower(l, i->right, env);
        if (!value_ok(&v)) return v;
        env = bind_name(b, env, i->left->name, v);
    }
    return f->value ? lower(l, f->value, env) : VALUE_BAD;
}

static Value call_function(Lower *l, const AstExpr *e, const Env *env, Definition d) {
    Builder *b = l->b;
    const AstClass *f = d.what;
    Value *x = ARENA_ARRAY(&b->tmp, Value, e->arg_count);
    if (recursive(b, e, f) || !argument_values(l, e, env, x, f->formal_count, f->formal_count))
        return VALUE_BAD;
    const Env *inner = new_env(b, (Env){.file = d.file, .instance = -1, .element = -1});
    for (int i = 0; i < f->formal_count; i++) {
        const AstFormal *formal = &f->formals[i];
        if (formal->has_unit && !value_fit(l, &x[i], true, &formal->unit, formal->unit.dim,
                                           ast_start(e->args[i].value), text_of(b, formal->name)))
            return VALUE_BAD;
        inner = bind_name(b, inner, formal->name, x[i]);
    }
    if (!b->calling.count) b->inlined = 0;
    array_push(&b->calling, f);
    Value v = function_body(l, f, inner);
    b->calling.count--;
    return v;
}

// --- the call ------------------------------------------------------------------------------------

static Value unknown_function(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    const char *word = expr_text(b, e->left);
    Ref ref = path_resolve(b, e->left, env, true);
    if (ref.kind == REF_BAD) return VALUE_BAD;
    if (ref.kind != REF_NONE) {
        Remark *m = complain(b, L_UNKNOWN_FUNCTION, ast_start(e), "'%s' is no function", word);
        remark_help(b->r, m, "a product is written with *: %s*(...)", word);
        return VALUE_BAD;
    }
    Remark *m = complain(b, L_UNKNOWN_FUNCTION, ast_start(e), "there is no function '%s'", word);
    Suggestion g = suggest_for(word);
    for (int i = 0; i < FUNCTIONS; i++) suggest_offer(&g, functions[i].name);
    suggest_definitions(&g, b->syntax, env->file, 1u << CLASS_FUNCTION | 1u << CLASS_TABLE);
    suggest_help(b->r, m, &g, "define it: function name(x) = ...");
    return VALUE_BAD;
}

static bool takes_sizes(const Function *f) {
    return f->build == identity_function || f->build == zeros_function || f->build == ones_function;
}

// Parameters among the sizes become structural. False: reported.
static bool fix_sizes(Lower *l, const AstExpr *e, const Env *env, Value *x) {
    for (int i = 0; i < e->arg_count; i++) {
        double number;
        int size;
        if (value_count(&x[i]) != 1 || expr_is_number(l->dag, x[i].one, &number)) continue;
        if (!size_evaluate(l->b, e->args[i].value, env, "a size", 1, &size)) return false;
        x[i].one = expr_number(l->dag, size);
    }
    return true;
}

static Value call_builtin(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    const char *name = e->left->kind == AST_NAME ? text_of(b, e->left->name) : "";
    if (is_linear_call(b, e)) return lower_linear(l, e, env);
    e = spread_linear(b, e);
    if (strcmp(name, "size") == 0) return lower_size(l, e, env);
    if (strcmp(name, "bonded") == 0) return lower_bonded(l, e, env);
    if (strcmp(name, "der") == 0) {
        Value x;
        if (l->mode == TO_NUMBERS) {
            complain(b, L_NOT_STRUCTURAL, e->pos, "%s cannot depend on a derivative", l->purpose);
            return VALUE_BAD;
        }
        if (!argument_values(l, e, env, &x, 1, 1)) return VALUE_BAD;
        return lower_der(l, x, e->pos);
    }
    if (strcmp(name, "added_mass") == 0) return lower_added_mass(l, e, env);
    if (strcmp(name, "along") == 0) return lower_along(l, e, env);
    if (strcmp(name, "sample") == 0) return lower_sample(l, e, env);
    if (strcmp(name, "pre") == 0) return lower_pre(l, e, env);
    if (strcmp(name, "delay") == 0) return lower_delay(l, e, env);
    for (int i = 0; i < FUNCTIONS; i++) {
        const Function *f = &functions[i];
        if (strcmp(f->name, name) != 0) continue;
        Value *x = ARENA_ARRAY(&b->tmp, Value, e->arg_count);
        if (!argument_values(l, e, env, x, f->least, f->most)) return VALUE_BAD;
        if (takes_sizes(f) && !fix_sizes(l, e, env, x)) return VALUE_BAD;
        Value v = f->build(l, x, e->arg_count, e);
        if (!value_ok(&v)) note_linear(l, e, env);
        return v;
    }
    return unknown_function(l, e, env);
}

Value lower_call(Lower *l, const AstExpr *e, const Env *env) {
    if (l->probes) {
        bool is_probe = false;
        Value v = lower_probe(l, e, env, &is_probe);
        if (is_probe) return v;
    }
    if (e->left->kind == AST_NAME || e->left->kind == AST_MEMBER) {
        Definition d = definition_of(l->b, env, e->left);
        if (d.what && d.what->kind == CLASS_FUNCTION)
            return d.what->from ? call_external(l, e, env, d) : call_function(l, e, env, d);
        if (d.what && d.what->kind == CLASS_TABLE) return call_table(l, e, env, d);
    }
    bool of_model = false;
    Value v = lower_model_function(l, e, env, &of_model);
    if (of_model) return v;
    return call_builtin(l, e, env);
}
