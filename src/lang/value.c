// Arithmetic on lowered expressions: shape, unit and entries together.
#include "lang/build.h"

#include <math.h>
#include <string.h>

Value value_new(Lower *l, int rows, int cols, Dim dim, unsigned is) {
    Value v = {.rows = rows, .cols = cols, .dim = dim, .is = (uint8_t)is};
    if (rows * cols != 1) v.many = ARENA_ARRAY(&l->b->tmp, Expr, rows * cols);
    return v;
}

Value value_number(Lower *l, double x) {
    Value v = {.rows = 1, .cols = 1, .one = expr_number(l->dag, x), .dim = DIM_ONE};
    v.is = IS_PLAIN;
    if (x == 0) {
        v.dim = DIM_UNKNOWN;
        v.is |= IS_ZERO;
    }
    return v;
}

Value value_constant(Lower *l, const Constant *c) {
    Value v = value_new(l, c->rows, c->cols, c->dim, c->is);
    if (c->rows * c->cols == 1) v.one = expr_number(l->dag, c->one);
    for (int i = 0; v.many && i < c->rows * c->cols; i++)
        v.many[i] = expr_number(l->dag, c->many[i]);
    return v;
}

bool value_numbers(Lower *l, const Value *v, Constant *c, Arena *out) {
    int n = value_count(v);
    *c = (Constant){v->rows, v->cols, 0, NULL, v->dim, v->is & (IS_PLAIN | IS_ZERO)};
    if (n > 1) c->many = ARENA_ARRAY(out, double, n);
    for (int i = 0; i < n; i++) {
        double x;
        if (!expr_is_number(l->dag, value_at(v, i), &x) || !isfinite(x)) return false;
        if (n == 1)
            c->one = x;
        else
            c->many[i] = x;
    }
    return true;
}

Matrix value_matrix(Lower *l, const Value *v) {
    if (value_count(v) == 1) return matrix_scalar(&l->b->tmp, v->one);
    return (Matrix){v->rows, v->cols, v->many};
}

Value value_of_matrix(Matrix m, Dim dim, unsigned is) {
    Value v = {.rows = m.rows, .cols = m.cols, .dim = dim, .is = (uint8_t)is};
    if (m.rows * m.cols == 1)
        v.one = m.at[0];
    else
        v.many = m.at;
    return v;
}

static unsigned joined(const Value *a, const Value *b) {
    unsigned either = (a->is | b->is) & CARRIED;
    return either | (a->is & b->is & IS_PLAIN);
}

// --- targets -------------------------------------------------------------------------------------

static void apply_unit(Lower *l, Value *v, const Unit *u) {
    Expr scale = expr_number(l->dag, u->scale), offset = expr_number(l->dag, u->offset);
    for (int i = 0; i < value_count(v); i++) {
        Expr x = value_at(v, i);
        if (u->scale != 1) x = expr_mul(l->dag, x, scale);
        if (u->offset != 0) x = expr_add(l->dag, x, offset);
        value_put(v, i, x);
    }
}

bool value_fit(Lower *l, Value *v, bool has_unit, const Unit *unit, Dim dim, Pos pos,
               const char *target) {
    if (v->is & IS_PLAIN) {
        if (has_unit) apply_unit(l, v, unit);
        if (dim.known) v->dim = dim;
        return true;
    }
    if (dim_fits(v->dim, dim)) {
        if (!v->dim.known) v->dim = dim;
        return true;
    }
    Builder *b = l->b;
    Remark *m = complain(b, U_ARGUMENT, pos, "'%s' wants %s, but the value %s", target,
                         dim_text(b, dim), in_unit(b, v->dim));
    if (dim_is_one(v->dim))
        remark_help(b->r, m, "give the value a unit where it is declared");
    else if (dim_equal(dim_divide(DIM_ONE, v->dim), dim))
        remark_help(b->r, m, "a unit belongs to the number before it: (2/3) {%s}, not 2/3 {%s}",
                    dim_text(b, dim), dim_text(b, dim));
    else
        remark_help(b->r, m, "check the units in this value");
    return false;
}

bool value_shape(Lower *l, Value *v, int rows, int cols, Pos pos, const char *target) {
    if (v->rows == rows && v->cols == cols) return true;
    Builder *b = l->b;
    if (value_count(v) == 1 && (v->is & IS_ZERO)) {
        Value zeros = value_new(l, rows, cols, v->dim, v->is);
        for (int i = 0; i < rows * cols; i++) value_put(&zeros, i, v->one);
        *v = zeros;
        return true;
    }
    Remark *m = complain(b, L_WRONG_SHAPE, pos, "'%s' is %s, but the value is %s", target,
                         shape_text(b, rows, cols), shape_text(b, v->rows, v->cols));
    remark_help(b->r, m, "vectors are written (a, b, c), matrices [a, b; c, d]");
    return false;
}

// --- operators -----------------------------------------------------------------------------------

static Value wrong_shapes(Lower *l, const AstExpr *e, const char *verb, const Value *x,
                          const Value *y, const char *help) {
    Builder *b = l->b;
    Remark *m = complain(b, L_WRONG_SHAPE, e->pos, "cannot %s %s and %s", verb,
                         shape_text(b, x->rows, x->cols), shape_text(b, y->rows, y->cols));
    if (help) remark_help(b->r, m, "%s", help);
    return VALUE_BAD;
}

static Value value_sum(Lower *l, bool minus, Value x, Value y, const AstExpr *e) {
    Builder *b = l->b;
    if (x.rows != y.rows || x.cols != y.cols)
        return wrong_shapes(l, e, minus ? "subtract" : "add", &x, &y, NULL);
    if (!dim_fits(x.dim, y.dim)) {
        Remark *m = complain(b, U_SUM, e->pos, "'%s' %s, but '%s' %s", expr_text(b, e->left),
                             in_unit(b, x.dim), expr_text(b, e->right), in_unit(b, y.dim));
        remark_help(b->r, m, "only quantities of the same kind can be added or subtracted");
        return VALUE_BAD;
    }
    Value v = value_new(l, x.rows, x.cols, x.dim.known ? x.dim : y.dim, joined(&x, &y));
    for (int i = 0; i < value_count(&v); i++) {
        Expr p = value_at(&x, i), q = value_at(&y, i);
        value_put(&v, i, minus ? expr_sub(l->dag, p, q) : expr_add(l->dag, p, q));
    }
    return v;
}

static Value value_product(Lower *l, Value x, Value y, const AstExpr *e) {
    Dim dim = dim_multiply(x.dim, y.dim);
    unsigned is = joined(&x, &y);
    int nx = value_count(&x), ny = value_count(&y);
    if (nx == 1 && ny == 1) {
        Value v = value_new(l, 1, 1, dim, is);
        v.one = expr_mul(l->dag, x.one, y.one);
        return v;
    }
    if (nx == 1 || ny == 1) {
        const Value *many = nx == 1 ? &y : &x;
        Expr by = nx == 1 ? x.one : y.one;
        Value v = value_new(l, many->rows, many->cols, dim, is);
        for (int i = 0; i < value_count(&v); i++)
            value_put(&v, i, expr_mul(l->dag, value_at(many, i), by));
        return v;
    }
    if (x.cols != y.rows)
        return wrong_shapes(l, e, "multiply", &x, &y,
                            x.cols == 1 && y.cols == 1
                                ? "of two vectors there is dot(a, b), cross(a, b) and a*b'"
                                : "the columns of the first must be the rows of the second");
    Arena *tmp = &l->b->tmp;
    Matrix m = matrix_multiply(tmp, l->dag, value_matrix(l, &x), value_matrix(l, &y));
    return value_of_matrix(m, dim, is);
}

static Value value_quotient(Lower *l, Value x, Value y, const AstExpr *e) {
    Builder *b = l->b;
    if (value_count(&y) != 1)
        return wrong_shapes(l, e, "divide", &x, &y, "for a matrix write inverse(B)*a");
    double divisor;
    if (expr_is_number(l->dag, y.one, &divisor) && divisor == 0) {
        Remark *m = complain(b, L_NOT_A_NUMBER, e->pos, "division by zero: '%s' is 0",
                             expr_text(b, e->right));
        remark_help(b->r, m, "give it a value other than 0");
        return VALUE_BAD;
    }
    Value v = value_new(l, x.rows, x.cols, dim_divide(x.dim, y.dim), joined(&x, &y));
    for (int i = 0; i < value_count(&v); i++)
        value_put(&v, i, expr_div(l->dag, value_at(&x, i), y.one));
    return v;
}

static Value value_power(Lower *l, Value x, Value y, const AstExpr *e) {
    Builder *b = l->b;
    if (value_count(&x) != 1 || value_count(&y) != 1)
        return wrong_shapes(l, e, "raise to a power", &x, &y, "powers are of scalars");
    if (y.dim.known && !dim_is_one(y.dim)) {
        Remark *m = complain(b, U_EXPONENT, e->right->pos, "the exponent '%s' has the unit %s",
                             expr_text(b, e->right), dim_text(b, y.dim));
        remark_help(b->r, m, "an exponent is a number; divide it by a reference value");
        return VALUE_BAD;
    }
    double exponent;
    bool exact = true, number = expr_is_number(l->dag, y.one, &exponent);
    Dim dim = x.dim;
    if (x.dim.known && !dim_is_one(x.dim)) {
        dim = number ? dim_power(x.dim, exponent, &exact) : DIM_UNKNOWN;
        if (!exact || (!number && (y.is & VARIES))) {
            Remark *m = complain(b, U_EXPONENT, e->right->pos,
                                 "'%s' has the unit %s, which has no such power",
                                 expr_text(b, e->left), dim_text(b, x.dim));
            remark_help(b->r, m, "divide the base by a reference value first");
            return VALUE_BAD;
        }
    }
    Value v = value_new(l, 1, 1, dim, joined(&x, &y));
    v.one = expr_pow(l->dag, x.one, y.one);
    return v;
}

static Value value_compare(Lower *l, BinaryOp op, Value x, Value y, const AstExpr *e) {
    Builder *b = l->b;
    if (value_count(&x) != 1 || value_count(&y) != 1)
        return wrong_shapes(l, e, "compare", &x, &y, "only scalars can be compared");
    if (!dim_fits(x.dim, y.dim)) {
        Remark *m = complain(b, U_COMPARE, e->pos, "'%s' %s, but '%s' %s", expr_text(b, e->left),
                             in_unit(b, x.dim), expr_text(b, e->right), in_unit(b, y.dim));
        remark_help(b->r, m,
                    "only quantities of the same kind can be compared; write the number "
                    "with its unit");
        return VALUE_BAD;
    }
    Value v = value_new(l, 1, 1, DIM_ONE, (x.is | y.is) & CARRIED);
    Expr forward[] = {x.one, y.one}, backward[] = {y.one, x.one};
    switch (op) {
    case BIN_LT: v.one = expr_call(l->dag, OP_LESS, forward, 2); break;
    case BIN_GT: v.one = expr_call(l->dag, OP_LESS, backward, 2); break;
    case BIN_LE: v.one = expr_call(l->dag, OP_LESS_EQUAL, forward, 2); break;
    case BIN_GE: v.one = expr_call(l->dag, OP_LESS_EQUAL, backward, 2); break;
    default: v.one = expr_call(l->dag, OP_EQUAL, forward, 2);
    }
    if (op == BIN_NE) v.one = expr_call(l->dag, OP_NOT, &v.one, 1);
    return v;
}

static Value value_logic(Lower *l, BinaryOp op, Value x, Value y, const AstExpr *e) {
    if (value_count(&x) != 1 || value_count(&y) != 1)
        return wrong_shapes(l, e, "combine", &x, &y, "and, or and not want scalars");
    Value v = value_new(l, 1, 1, DIM_ONE, (x.is | y.is) & CARRIED);
    Expr args[] = {x.one, y.one};
    v.one = expr_call(l->dag, op == BIN_AND ? OP_AND : OP_OR, args, 2);
    return v;
}

Value value_binary(Lower *l, BinaryOp op, Value x, Value y, const AstExpr *e) {
    if (!value_ok(&x) || !value_ok(&y)) return VALUE_BAD;
    switch (op) {
    case BIN_ADD: return value_sum(l, false, x, y, e);
    case BIN_SUB: return value_sum(l, true, x, y, e);
    case BIN_MUL: return value_product(l, x, y, e);
    case BIN_DIV: return value_quotient(l, x, y, e);
    case BIN_POW: return value_power(l, x, y, e);
    case BIN_AND:
    case BIN_OR: return value_logic(l, op, x, y, e);
    default: return value_compare(l, op, x, y, e);
    }
}

Value value_unary(Lower *l, char op, Value x, const AstExpr *e) {
    if (!value_ok(&x) || op == '+') return x;
    if (op == '\'') {
        if (value_count(&x) == 1) return x;
        return value_of_matrix(matrix_transpose(&l->b->tmp, value_matrix(l, &x)), x.dim, x.is);
    }
    Value v = value_new(l, x.rows, x.cols, op == '-' ? x.dim : DIM_ONE, x.is);
    if (op == 'n') {
        if (value_count(&x) != 1) return wrong_shapes(l, e, "negate", &x, &x, "not wants a scalar");
        v.is &= CARRIED;
        v.one = expr_call(l->dag, OP_NOT, &x.one, 1);
        return v;
    }
    for (int i = 0; i < value_count(&v); i++) value_put(&v, i, expr_neg(l->dag, value_at(&x, i)));
    return v;
}

// --- subscripts ----------------------------------------------------------------------------------

static bool index_number(Builder *b, const AstExpr *e, const Env *env, int size, int *index) {
    Constant c;
    if (!number_evaluate(b, e, env, "an index", true, &c)) return false;
    if (c.rows * c.cols == 1 && c.one == floor(c.one) && c.one >= 1 && c.one <= size) {
        *index = (int)c.one;
        return true;
    }
    Remark *m = complain(b, L_INDEX_RANGE, ast_start(e), "index %g is out of range", c.one);
    remark_help(b->r, m, "indices here go from 1 to %d", size);
    return false;
}

static bool index_range(Builder *b, const AstExpr *e, const Env *env, int size, int *low,
                        int *high) {
    *low = 1;
    *high = size;
    if (e->kind != AST_RANGE) {
        bool good = index_number(b, e, env, size, low);
        *high = *low;
        return good;
    }
    if (e->left && !index_number(b, e->left, env, size, low)) return false;
    if (e->right && !index_number(b, e->right, env, size, high)) return false;
    if (*low <= *high) return true;
    complain(b, L_INDEX_RANGE, ast_start(e), "the range %d:%d is empty", *low, *high);
    return false;
}

// What was declared with sizes takes as many indices, also when a size, from a parameter, is 1.
bool select_part(Lower *l, int rows, int cols, const Subscripts *s, Part *part) {
    Builder *b = l->b;
    int wanted = s->sizes ? s->sizes : cols > 1 ? 2 : 1, high[2] = {1, 1};
    *part = (Part){1, 1, 1, 1};
    if ((rows * cols == 1 && !s->sizes) || s->count != wanted) {
        Remark *m = complain(b, L_INDEX_RANGE, s->pos, "%s cannot have %d ind%s",
                             shape_text(b, rows, cols), s->count, s->count == 1 ? "ex" : "ices");
        remark_help(b->r, m, "a vector takes one index, a matrix two: x[2], K[1, 2], K[:, 1]");
        return false;
    }
    if (!index_range(b, s->at[0].value, s->env, rows, &part->row, &high[0]) ||
        (s->count == 2 && !index_range(b, s->at[1].value, s->env, cols, &part->col, &high[1])))
        return false;
    part->rows = high[0] - part->row + 1;
    part->cols = high[1] - part->col + 1;
    return true;
}

Value value_select(Lower *l, Value v, const Subscripts *s) {
    Part p;
    if (!s->count || !value_ok(&v)) return v;
    if (!select_part(l, v.rows, v.cols, s, &p)) return VALUE_BAD;
    Value part = value_new(l, p.rows, p.cols, v.dim, v.is);
    for (int i = 0; i < p.rows; i++)
        for (int j = 0; j < p.cols; j++)
            value_put(&part, i * p.cols + j,
                      value_at(&v, (p.row - 1 + i) * v.cols + p.col - 1 + j));
    return part;
}
