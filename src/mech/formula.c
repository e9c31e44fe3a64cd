#include "mech/formula.h"

#include <string.h>

typedef struct {
    Dim dim;
    bool good;
} Kind;

// --- which unit a term has -----------------------------------------------------------------------

// The kind of all arguments, if they have one in common; it is also that of the result. A number 0
// fits any kind.
static Kind common_kind(const Formulas *f, Expr e, int from, const Kind *below) {
    Kind all = {DIM_ONE, true};
    bool first = true;
    for (int i = from; i < expr_arg_count(f->d, e); i++) {
        const Kind *x = &below[expr_arg(f->d, e, i)];
        all.good &= x->good && (first || dim_equal(all.dim, x->dim));
        if (first) all.dim = x->dim;
        first = false;
    }
    return all;
}

static Kind product_kind(const Formulas *f, Expr e, const Kind *below) {
    Kind all = {DIM_ONE, true};
    for (int i = 0; i < expr_arg_count(f->d, e); i++) {
        const Kind *x = &below[expr_arg(f->d, e, i)];
        all.dim = dim_multiply(all.dim, x->dim);
        all.good &= x->good;
    }
    return all;
}

static Kind power_kind(const Formulas *f, Expr e, const Kind *below) {
    Kind base = below[expr_arg(f->d, e, 0)], exponent = below[expr_arg(f->d, e, 1)];
    double power;
    bool exact = true;
    if (!expr_is_number(f->d, expr_arg(f->d, e, 1), &power))
        return (Kind){DIM_ONE, base.good && exponent.good && dim_is_one(base.dim)};
    Kind all = {dim_power(base.dim, power, &exact), base.good};
    all.good &= exact;
    return all;
}

static Kind kind_of(const Formulas *f, Expr e, const Kind *below) {
    switch (expr_op(f->d, e)) {
    case OP_NUMBER: return (Kind){DIM_ONE, true};
    case OP_SYMBOL: return (Kind){f->dim[expr_symbol_index(f->d, e)], true};
    case OP_SUM:
    case OP_ABS:
    case OP_MIN:
    case OP_MAX: return common_kind(f, e, 0, below);
    case OP_IF: return common_kind(f, e, 1, below);
    case OP_PRODUCT: return product_kind(f, e, below);
    case OP_POWER: return power_kind(f, e, below);
    default: { // functions of numbers
        Kind all = common_kind(f, e, 0, below);
        return (Kind){DIM_ONE, all.good && dim_is_one(all.dim)};
    }
    }
}

Dim formula_dim(const Formulas *f, Expr e, bool *good) {
    Kind *kind = ARENA_ARRAY(f->scratch, Kind, dag_size(f->d) + 1);
    walk_start(f->walk);
    walk_add(f->walk, e);
    for (int i = 0; i < walk_count(f->walk); i++)
        kind[walk_at(f->walk, i)] = kind_of(f, walk_at(f->walk, i), kind);
    *good = kind[e].good;
    return kind[e].dim;
}

// --- text ----------------------------------------------------------------------------------------

static const char *plain_name(void *context, Expr e) {
    const Formulas *f = context;
    return expr_op(f->d, e) == OP_SYMBOL ? f->name[expr_symbol_index(f->d, e)] : NULL;
}

// Symbols by their units, where no other way helps: (L/(1 {m}))
static const char *bare_name(void *context, Expr e) {
    const Formulas *f = context;
    if (expr_op(f->d, e) != OP_SYMBOL) return NULL;
    int index = expr_symbol_index(f->d, e);
    if (dim_is_one(f->dim[index])) return f->name[index];
    Text t = {0};
    text_printf(&t, "(%s/(1 {", f->name[index]);
    dim_print(&t, f->dim[index]);
    text_add(&t, "}))");
    const char *kept = arena_copy_text(f->scratch, text_get(&t), t.length);
    text_free(&t);
    return kept;
}

static void print_plain(Text *out, const Formulas *f, Expr e) {
    Printer how = {.style = PRINT_TEXT, .name = plain_name, .context = (void *)f};
    expr_print(out, f->d, e, &how);
}

static void print_bracketed(Text *out, const Formulas *f, Expr e) {
    bool sum = expr_op(f->d, e) == OP_SUM;
    if (sum) text_char(out, '(');
    print_plain(out, f, e);
    if (sum) text_char(out, ')');
}

// A term with a factor of 1 {unit}, which its number takes if it has one.
static void print_with_unit(Text *out, const Formulas *f, Expr e, Dim unit) {
    Expr number = expr_op(f->d, e) == OP_PRODUCT ? expr_arg(f->d, e, 0) : e, rest = 0;
    bool has_number = expr_is_number(f->d, number, NULL);
    if (has_number && number != e) rest = expr_arg(f->d, e, 1);
    if (has_number)
        print_plain(out, f, number);
    else
        text_char(out, '1');
    text_add(out, " {");
    dim_print(out, unit);
    text_char(out, '}');
    if (has_number && !rest) return;
    text_char(out, '*');
    print_bracketed(out, f, rest ? rest : e);
}

static void print_term(Text *out, const Formulas *f, Expr e, Dim dim) {
    bool good;
    Dim found = formula_dim(f, e, &good);
    if (good && dim_equal(found, dim)) {
        print_plain(out, f, e);
    } else if (good) {
        print_with_unit(out, f, e, dim_divide(dim, found));
    } else {
        Printer how = {.style = PRINT_TEXT, .name = bare_name, .context = (void *)f};
        if (!dim_is_one(dim)) {
            text_add(out, "(1 {");
            dim_print(out, dim);
            text_add(out, "})*");
        }
        text_char(out, '(');
        expr_print(out, f->d, e, &how);
        text_char(out, ')');
    }
}

void formula_print(Text *out, const Formulas *f, Expr e, Dim dim) {
    bool good;
    Dim found = formula_dim(f, e, &good);
    if (expr_op(f->d, e) != OP_SUM || (good && dim_equal(found, dim))) {
        print_term(out, f, e, dim);
        return;
    }
    for (int i = 0; i < expr_arg_count(f->d, e); i++) {
        Text term = {0};
        print_term(&term, f, expr_arg(f->d, e, i), dim);
        const char *text = text_get(&term);
        bool minus = *text == '-';
        if (i)
            text_printf(out, " %c %s", minus ? '-' : '+', text + minus);
        else
            text_add(out, text);
        text_free(&term);
    }
}
