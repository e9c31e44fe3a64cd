// The values of expressions at given symbols: a walk, then one number per node.
#include "expr/internal.h"
#include "expr/kernels.h"

double op_evaluate(Op op, double a, double b, double c) { return kernel(op, a, b, c); }

static double value_at(const ExprWalk *w, const double *value, Expr e) {
    return value[walk_place(w, e)];
}

static double fold_many(const Dag *d, const ExprWalk *w, const double *value, Expr e) {
    Op op = op_of(d, e);
    double result = value_at(w, value, args_of(d, e)[0]);
    for (int i = 1; i < count_of(d, e); i++)
        result = kernel(op, result, value_at(w, value, args_of(d, e)[i]), 0);
    return result;
}

static double matrix_of_node(const Dag *d, const ExprWalk *w, const double *value, Expr e,
                             MatrixValues *m) {
    m->in.count = 0;
    for (int i = 1; i < count_of(d, e); i++)
        array_push(&m->in, value_at(w, value, args_of(d, e)[i]));
    return matrix_values_add(m, d, e);
}

double value_of_node(const Dag *d, const ExprWalk *w, const double *value, Expr e,
                     const double *symbol_value, MatrixValues *m) {
    Op op = op_of(d, e);
    double a[3] = {0};
    switch (op) {
    case OP_NUMBER: return number_of(d, e);
    case OP_SYMBOL: return symbol_value[expr_symbol_index(d, e)];
    case OP_SUM:
    case OP_PRODUCT: return fold_many(d, w, value, e);
    case OP_MATRIX: return matrix_of_node(d, w, value, e, m);
    default: break;
    }
    for (int i = 0; i < count_of(d, e); i++) a[i] = value_at(w, value, args_of(d, e)[i]);
    if (op == OP_ENTRY) return m->out.data[(int)a[0] + (int)a[1]];
    if (op == OP_TABLE) return table_value(d->table.data[(int)a[0]], a[1]);
    if (op == OP_TABLE_SLOPE) return table_slope(d->table.data[(int)a[0]], a[1]);
    return kernel(op, a[0], a[1], a[2]);
}

void expr_evaluate_many(const Dag *d, const Expr *e, int n, const double *symbol_value,
                        double *out) {
    ExprWalk *w = walk_new(d);
    for (int i = 0; i < n; i++) walk_add(w, e[i]);
    double *value = malloc((size_t)walk_count(w) * sizeof *value + 1);
    if (!value) abort();
    MatrixValues m = {0};
    for (int i = 0; i < walk_count(w); i++)
        value[i] = value_of_node(d, w, value, walk_at(w, i), symbol_value, &m);
    for (int i = 0; i < n; i++) out[i] = value_at(w, value, e[i]);
    free(value);
    matrix_values_free(&m);
    walk_free(w);
}

double expr_evaluate(const Dag *d, Expr e, const double *symbol_value) {
    if (is_number(d, e)) return number_of(d, e);
    double result;
    expr_evaluate_many(d, &e, 1, symbol_value, &result);
    return result;
}
