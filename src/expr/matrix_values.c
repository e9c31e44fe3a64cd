// Functions of matrices as nodes: one node with all inputs, and an entry for each output that is
// wanted. So the function is computed once for all of its entries, and once for all who read them.
#include "expr/internal.h"

#include <math.h>

static int kind_number(Dag *d, MatrixShape s, Pos pos) {
    for (int i = 0; i < d->kind.count; i++) {
        MatrixKind k = d->kind.data[i];
        if (k.shape.function == s.function && k.shape.n == s.n && k.shape.m == s.m &&
            k.shape.external == s.external && k.pos.file == pos.file && k.pos.at == pos.at)
            return i;
    }
    array_push(&d->kind, ((MatrixKind){s, pos}));
    return d->kind.count - 1;
}

Expr expr_matrix(Dag *d, MatrixShape shape, Pos pos, const Expr *in) {
    ARRAY(Expr) args = {0};
    int inputs = matrix_input_count(shape);
    array_push(&args, expr_number(d, kind_number(d, shape, pos)));
    for (int i = 0; i < inputs; i++) array_push(&args, in[i]);
    Expr e = intern(d, OP_MATRIX, args.data, args.count);
    array_free(&args);
    return e;
}

const MatrixKind *expr_matrix_kind(const Dag *d, Expr matrix) {
    return &d->kind.data[(int)number_of(d, args_of(d, matrix)[0])];
}

double matrix_values_add(MatrixValues *m, const Dag *d, Expr matrix) {
    MatrixShape s = expr_matrix_kind(d, matrix)->shape;
    int first = m->out.count, outputs = matrix_output_count(s);
    array_reserve(&m->out, first + outputs);
    m->out.count += outputs;
    array_reserve(&m->work, (int)matrix_work_count(s));
    matrix_compute(s, m->in.data, m->out.data + first, m->work.data);
    return first;
}

void matrix_values_free(MatrixValues *m) {
    array_free(&m->out);
    array_free(&m->in);
    array_free(&m->work);
}

// --- folding -------------------------------------------------------------------------------------

// Evaluates a function of matrices whose inputs are all numbers. The outputs are kept until another
// function is asked for, as entries are read one after the other. False: an input is no number, or
// there is no value.
static bool fold(Dag *d, Expr matrix) {
    if (d->folded == matrix) return d->fold.count > 0;
    MatrixShape s = expr_matrix_kind(d, matrix)->shape;
    if (s.function == MATRIX_EXTERNAL && s.external->impure) return false;
    MatrixValues m = {0};
    for (int i = 1; i < count_of(d, matrix); i++) {
        if (!is_number(d, args_of(d, matrix)[i])) {
            array_free(&m.in);
            return false;
        }
        array_push(&m.in, number_of(d, args_of(d, matrix)[i]));
    }
    matrix_values_add(&m, d, matrix);
    d->folded = matrix;
    d->fold.count = 0;
    for (int i = 0; i < m.out.count && isfinite(m.out.data[0]); i++)
        array_push(&d->fold, m.out.data[i]);
    matrix_values_free(&m);
    return d->fold.count > 0;
}

Expr expr_entry(Dag *d, Expr matrix, int number) {
    if (fold(d, matrix)) return expr_number(d, d->fold.data[number]);
    return intern(d, OP_ENTRY, (Expr[]){matrix, expr_number(d, number)}, 2);
}
