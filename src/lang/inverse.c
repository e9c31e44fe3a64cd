// Inverses of matrices that change during a run and are too large for formulas: unknowns of the
// model
//
//     M*X = 1        X[i,j] = "inverse(M)[i,j]", hidden variables with linear equations
//
// They are found numerically with the other equations, with pivots that fit the moment; formulas
// would grow with the third power of the size and divide by minors that may vanish on the way.
#include "lang/build.h"

#include <string.h>

enum { LARGEST_FORMULA = 4 };

bool inverse_is_hidden(const Builder *b, const Value *x) {
    return b->law_statement && (x->is & HAS_VARIABLE) && x->rows > LARGEST_FORMULA;
}

// The same matrix in the same component: its inverse is known already. -1: none.
static int known_inverse(const Builder *b, const Value *x) {
    for (int i = 0; i < b->hidden.count; i++) {
        const HiddenInverse *h = &b->hidden.data[i];
        if (h->rows == x->rows && h->comp == b->law_comp &&
            memcmp(h->entry, x->many, (size_t)value_count(x) * sizeof *x->many) == 0)
            return h->first;
    }
    return -1;
}

static int add_unknowns(Builder *b, const Value *x, const AstExpr *e) {
    int n = x->rows, first = b->var.count;
    const char *owner = text_of(b, b->instance.data[b->law_statement->env->instance].path);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Var v = {.kind = VAR_LOCAL, .comp = b->law_comp, .der = -1, .of = -1, .pos = e->pos};
            v.path = name_printf(b->names, "%s%s%s[%d,%d]", owner, *owner ? "." : "",
                                 expr_text(b, e), i + 1, j + 1);
            v.dim = dim_divide(DIM_ONE, x->dim);
            v.symbol = expr_symbol(b->dag, v.path);
            array_push(&b->var, v);
        }
    return first;
}

static void add_equations(Builder *b, const Value *x, int first, Pos pos) {
    int n = x->rows;
    Expr *term = ARENA_ARRAY(&b->tmp, Expr, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++)
                term[k] =
                    expr_mul(b->dag, x->many[i * n + k], b->var.data[first + k * n + j].symbol);
            Equation law = {expr_sum(b->dag, term, n), expr_number(b->dag, i == j), b->law_comp,
                            pos, 0};
            array_push(&b->law, law);
        }
}

Value hidden_inverse(Lower *l, const Value *x, const AstExpr *e) {
    Builder *b = l->b;
    int first = known_inverse(b, x), count = value_count(x);
    if (first < 0) {
        if (!count_scalars(b, count, e->pos)) return VALUE_BAD;
        Expr *entry = ARENA_ARRAY(&b->tmp, Expr, count);
        memcpy(entry, x->many, (size_t)count * sizeof *entry);
        first = add_unknowns(b, x, e);
        add_equations(b, x, first, e->pos);
        array_push(&b->hidden, ((HiddenInverse){entry, x->rows, b->law_comp, first}));
    }
    Value v = value_new(l, x->rows, x->rows, dim_divide(DIM_ONE, x->dim), x->is & CARRIED);
    for (int i = 0; i < count; i++) v.many[i] = b->var.data[first + i].symbol;
    return v;
}
