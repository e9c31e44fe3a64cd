// Functions of matrices for control design: care, dare, lqr, dlqr, lqe, lyap, dlyap, place, expm,
// c2d. Each becomes one node of the expression graph (expr/matrix_values.c) and products around it,
// so values of parameters, equations and derivatives treat them like any other function.
//
//   lqr(A, B, Q, R, S)    R^-1 (B'X + S'),  X = care(A, B, Q, R, S)
//   lqe(A, G, C, W, V)    X C'V^-1,         X = care(A', C', G W G', V)
//   c2d(A, B, T)          [Ad, Bd], the upper rows of exp([A, B; 0, 0] T)
#include "lang/build.h"

#include <math.h>
#include <stdlib.h>

// --- arguments -----------------------------------------------------------------------------------

static bool wrong_shape(Lower *l, const AstExpr *e, int i, const Value *x, const char *letter,
                        int rows, int cols) {
    Builder *b = l->b;
    Remark *m = complain(b, L_WRONG_SHAPE, ast_start(e->args[i].value),
                         "'%s' of '%s' is %s, not %s", letter, expr_text(b, e->left),
                         shape_text(b, x->rows, x->cols), shape_text(b, rows, cols));
    remark_help(b->r, m, "matrices are written [a, b; c, d], columns (a, b)");
    return false;
}

// Fits x to rows x cols; 0 stands for a matrix of zeros.
static bool want_shape(Lower *l, const AstExpr *e, int i, Value *x, const char *letter, int rows,
                       int cols) {
    if (x->rows == rows && x->cols == cols) return true;
    if (value_count(x) == 1 && (x->is & IS_ZERO))
        return value_shape(l, x, rows, cols, ast_start(e->args[i].value), letter);
    return wrong_shape(l, e, i, x, letter, rows, cols);
}

static bool want_rows(Lower *l, const AstExpr *e, int i, Value *x, const char *letter, int rows) {
    return x->rows == rows || wrong_shape(l, e, i, x, letter, rows, x->cols);
}

static bool want_square(Lower *l, const AstExpr *e, int i, Value *x, const char *letter) {
    return x->rows == x->cols || wrong_shape(l, e, i, x, letter, x->rows, x->rows);
}

// --- nodes ---------------------------------------------------------------------------------------

static unsigned carried_by(const Value *x, int n) {
    unsigned is = 0;
    for (int i = 0; i < n; i++) is |= x[i].is & CARRIED;
    return is;
}

// Numbers for which there is no value are told at once, with their place in the text.
bool matrix_has_value(Lower *l, const AstExpr *e, MatrixShape s, const Expr *in) {
    int inputs = matrix_input_count(s), outputs = matrix_output_count(s);
    double *number = ARENA_ARRAY(&l->b->tmp, double, (size_t)inputs + (size_t)outputs);
    for (int i = 0; i < inputs; i++)
        if (!expr_is_number(l->dag, in[i], &number[i])) return true;
    double *work = malloc(matrix_work_count(s) * sizeof *work);
    if (!work) abort();
    MatrixFault fault = matrix_compute(s, number, number + inputs, work);
    free(work);
    if (fault == MATRIX_GOOD) return true;
    Text what = {0}, help = {0};
    matrix_explain(s, number, &what, &help);
    Remark *m = complain(l->b, s.function == MATRIX_EXTERNAL ? F_CALL : E_MATRIX, e->pos,
                         "'%s' has no value: %s", expr_text(l->b, e->left), text_get(&what));
    remark_help(l->b->r, m, "%s", text_get(&help));
    text_free(&what);
    text_free(&help);
    return false;
}

// The result of a function of matrices; at: NULL, it has no value, which is reported.
static Matrix compute(Lower *l, const AstExpr *e, MatrixShape s, const Matrix *arg, int count,
                      int rows, int cols) {
    Arena *tmp = &l->b->tmp;
    Expr *in = ARENA_ARRAY(tmp, Expr, matrix_input_count(s) + 1);
    Matrix result = matrix_new(tmp, rows, cols);
    int at = 0;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < arg[k].rows * arg[k].cols; i++) in[at++] = arg[k].at[i];
    if (l->mode == TO_SHAPES) { // sizes alone count
        for (int i = 0; i < rows * cols; i++) result.at[i] = l->b->dummy;
        return result;
    }
    if (!matrix_has_value(l, e, s, in)) return (Matrix){0};
    Expr node = expr_matrix(l->dag, s, e->pos, in);
    for (int i = 0; i < rows * cols; i++) result.at[i] = expr_entry(l->dag, node, i);
    return result;
}

// In SI, of no unit in particular: entries differ in theirs.
static Value result_of(Matrix m, const Value *x, int n) {
    if (!m.at) return VALUE_BAD;
    return value_of_matrix(m, DIM_UNKNOWN, carried_by(x, n));
}

static Matrix zeros(Lower *l, int rows, int cols) {
    Matrix m = matrix_new(&l->b->tmp, rows, cols);
    for (int i = 0; i < rows * cols; i++) m.at[i] = expr_number(l->dag, 0);
    return m;
}

static Matrix times(Lower *l, Matrix a, Matrix b) {
    return matrix_multiply(&l->b->tmp, l->dag, a, b);
}

static Matrix turned(Lower *l, Matrix a) { return matrix_transpose(&l->b->tmp, a); }

// A^-1 B: one division where A is a number.
static Matrix divided(Lower *l, const AstExpr *e, Matrix a, Matrix b) {
    if (a.rows == 1)
        return matrix_scale(&l->b->tmp, l->dag, b,
                            expr_div(l->dag, expr_number(l->dag, 1), a.at[0]));
    return compute(l, e, (MatrixShape){MATRIX_SOLVE, a.rows, b.cols, NULL, false}, (Matrix[]){a, b},
                   2, b.rows, b.cols);
}

// --- Riccati equations ---------------------------------------------------------------------------

typedef struct {
    Matrix a, b, q, r, s, x;
} Design;

static bool riccati(Lower *l, Value *x, int n, const AstExpr *e, bool discrete, Design *d) {
    if (!want_square(l, e, 0, &x[0], "A") || !want_rows(l, e, 1, &x[1], "B", x[0].rows))
        return false;
    int states = x[0].rows, inputs = x[1].cols;
    if (!want_shape(l, e, 2, &x[2], "Q", states, states) ||
        !want_shape(l, e, 3, &x[3], "R", inputs, inputs) ||
        (n > 4 && !want_shape(l, e, 4, &x[4], "S", states, inputs)))
        return false;
    *d = (Design){.a = value_matrix(l, &x[0]),
                  .b = value_matrix(l, &x[1]),
                  .q = value_matrix(l, &x[2]),
                  .r = value_matrix(l, &x[3])};
    d->s = n > 4 ? value_matrix(l, &x[4]) : zeros(l, states, inputs);
    MatrixShape s = {discrete ? MATRIX_DARE : MATRIX_CARE, states, inputs, NULL, false};
    d->x = compute(l, e, s, (Matrix[]){d->a, d->b, d->q, d->r, d->s}, 5, states, states);
    return d->x.at != NULL;
}

Value care_function(Lower *l, Value *x, int n, const AstExpr *e) {
    Design d;
    return riccati(l, x, n, e, false, &d) ? result_of(d.x, x, n) : VALUE_BAD;
}

Value dare_function(Lower *l, Value *x, int n, const AstExpr *e) {
    Design d;
    return riccati(l, x, n, e, true, &d) ? result_of(d.x, x, n) : VALUE_BAD;
}

Value lqr_function(Lower *l, Value *x, int n, const AstExpr *e) {
    Design d;
    if (!riccati(l, x, n, e, false, &d)) return VALUE_BAD;
    Matrix right = times(l, turned(l, d.b), d.x);
    right = matrix_add(&l->b->tmp, l->dag, right, turned(l, d.s));
    return result_of(divided(l, e, d.r, right), x, n);
}

Value dlqr_function(Lower *l, Value *x, int n, const AstExpr *e) {
    Design d;
    if (!riccati(l, x, n, e, true, &d)) return VALUE_BAD;
    Matrix bx = times(l, turned(l, d.b), d.x);
    Matrix under = matrix_add(&l->b->tmp, l->dag, d.r, times(l, bx, d.b));
    Matrix right = matrix_add(&l->b->tmp, l->dag, times(l, bx, d.a), turned(l, d.s));
    return result_of(divided(l, e, under, right), x, n);
}

Value lqe_function(Lower *l, Value *x, int n, const AstExpr *e) {
    if (!want_square(l, e, 0, &x[0], "A") || !want_rows(l, e, 1, &x[1], "G", x[0].rows))
        return VALUE_BAD;
    int states = x[0].rows, noises = x[1].cols, outputs = x[2].rows;
    if (!want_shape(l, e, 2, &x[2], "C", outputs, states) ||
        !want_shape(l, e, 3, &x[3], "W", noises, noises) ||
        !want_shape(l, e, 4, &x[4], "V", outputs, outputs))
        return VALUE_BAD;
    Matrix a = value_matrix(l, &x[0]), g = value_matrix(l, &x[1]), c = value_matrix(l, &x[2]);
    Matrix v = value_matrix(l, &x[4]),
           q = times(l, times(l, g, value_matrix(l, &x[3])), turned(l, g));
    Matrix p = compute(l, e, (MatrixShape){MATRIX_CARE, states, outputs, NULL, true},
                       (Matrix[]){turned(l, a), turned(l, c), q, v, zeros(l, states, outputs)}, 5,
                       states, states);
    if (!p.at) return VALUE_BAD;
    Matrix gain = divided(l, e, v, times(l, c, p)); // its transpose, as V and P are symmetric
    return gain.at ? result_of(turned(l, gain), x, n) : VALUE_BAD;
}

// --- other functions -----------------------------------------------------------------------------

static Value lyapunov(Lower *l, Value *x, const AstExpr *e, MatrixFunction f) {
    if (!want_square(l, e, 0, &x[0], "A") || !want_shape(l, e, 1, &x[1], "Q", x[0].rows, x[0].rows))
        return VALUE_BAD;
    int n = x[0].rows;
    Matrix arg[] = {value_matrix(l, &x[0]), value_matrix(l, &x[1])};
    return result_of(compute(l, e, (MatrixShape){f, n, 0, NULL, false}, arg, 2, n, n), x, 2);
}

Value lyap_function(Lower *l, Value *x, int n, const AstExpr *e) {
    (void)n;
    return lyapunov(l, x, e, MATRIX_LYAP);
}

Value dlyap_function(Lower *l, Value *x, int n, const AstExpr *e) {
    (void)n;
    return lyapunov(l, x, e, MATRIX_DLYAP);
}

Value expm_function(Lower *l, Value *x, int n, const AstExpr *e) {
    if (!want_square(l, e, 0, x, "A")) return VALUE_BAD;
    Matrix a = value_matrix(l, x);
    return result_of(
        compute(l, e, (MatrixShape){MATRIX_EXPM, a.rows, 0, NULL, false}, &a, 1, a.rows, a.rows), x,
        n);
}

// Poles are real numbers, or rows (re, im).
Value place_function(Lower *l, Value *x, int n, const AstExpr *e) {
    if (!want_square(l, e, 0, &x[0], "A") || !want_rows(l, e, 1, &x[1], "B", x[0].rows) ||
        !want_rows(l, e, 2, &x[2], "p", x[0].rows))
        return VALUE_BAD;
    int states = x[0].rows, inputs = x[1].cols;
    if (x[2].cols > 2) {
        wrong_shape(l, e, 2, &x[2], "p", states, 2);
        return VALUE_BAD;
    }
    Matrix p = zeros(l, states, 2), given = value_matrix(l, &x[2]);
    for (int i = 0; i < states; i++)
        for (int k = 0; k < x[2].cols; k++) MATRIX_AT(p, i, k) = MATRIX_AT(given, i, k);
    Matrix arg[] = {value_matrix(l, &x[0]), value_matrix(l, &x[1]), p};
    MatrixShape s = {MATRIX_PLACE, states, inputs, NULL, false};
    return result_of(compute(l, e, s, arg, 3, inputs, states), x, n);
}

Value c2d_function(Lower *l, Value *x, int n, const AstExpr *e) {
    if (!want_square(l, e, 0, &x[0], "A") || !want_rows(l, e, 1, &x[1], "B", x[0].rows) ||
        !want_shape(l, e, 2, &x[2], "T", 1, 1))
        return VALUE_BAD;
    int states = x[0].rows, all = states + x[1].cols;
    Matrix block = zeros(l, all, all), a = value_matrix(l, &x[0]), b = value_matrix(l, &x[1]);
    for (int i = 0; i < states; i++)
        for (int j = 0; j < all; j++) {
            Expr entry = j < states ? MATRIX_AT(a, i, j) : MATRIX_AT(b, i, j - states);
            MATRIX_AT(block, i, j) = expr_mul(l->dag, entry, x[2].one);
        }
    Matrix whole =
        compute(l, e, (MatrixShape){MATRIX_EXPM, all, 0, NULL, false}, &block, 1, all, all);
    if (!whole.at) return VALUE_BAD;
    Matrix upper = matrix_new(&l->b->tmp, states, all);
    for (int i = 0; i < states * all; i++) upper.at[i] = whole.at[i];
    return result_of(upper, x, n);
}
