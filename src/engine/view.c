// How a node is computed: sums and products are taken apart into signed items.
//
//     a - b*c/(d*e^2) + k*m        items   + [a]    - [b c / d, e^2]   + [k*m]
//
// A product that only one sum uses is computed inside that sum (multiply-add), a sum that only one
// sum uses is added to it, a negative power that only one product uses becomes its denominator: a
// product costs one division at most. Outer parts of a node (k*m above when both are parameters)
// are joined to a node of their own, which the graph shares, and are computed where they belong:
// once per set of parameters, or before a block.
#include "engine/build.h"

bool is_outer(const Builder *b, Expr e) { return b->level.data[e] < b->from; }

// Nobody else needs its value, and it is computed in this function.
static bool is_private(const Builder *b, Expr e, Op op) {
    return !is_outer(b, e) && expr_op(b->dag, e) == op && b->uses.data[e] == 1;
}

// Joins the gathered outer parts (those of parameters alone) to one operand.
static bool join_outer(Builder *b, Op op, Exprs *outer) {
    if (outer->count == 0) return false;
    Expr joined = outer->data[0];
    if (outer->count > 1) {
        joined = op == OP_SUM ? expr_sum(b->dag, outer->data, outer->count)
                              : expr_product(b->dag, outer->data, outer->count);
        builder_grow(b);
    }
    array_push(&b->view.operand, joined);
    outer->count = 0;
    return true;
}

// --- products ------------------------------------------------------------------------------------

// f = base^exponent that goes below the fraction bar?
static bool is_denominator(const Builder *b, Expr f, double *exponent) {
    return is_private(b, f, OP_POWER) && expr_is_number(b->dag, expr_arg(b->dag, f, 1), exponent) &&
           *exponent < 0;
}

static Expr denominator(Builder *b, Expr f, double exponent) {
    Expr base = expr_arg(b->dag, f, 0);
    if (exponent != -1) base = expr_pow(b->dag, base, expr_number(b->dag, -exponent));
    builder_grow(b);
    return base;
}

// Numerators go to the operands, denominators behind them at the end; outer factors are gathered.
static void view_product(Builder *b, Expr e, int sign) {
    View *v = &b->view;
    Item item = {.sign = sign, .first = v->operand.count};
    v->below.count = 0;
    array_push(&v->products, e);
    while (v->products.count) {
        Expr product = array_pop(&v->products);
        for (int i = expr_arg_count(b->dag, product) - 1; i >= 0; i--) {
            Expr f = expr_arg(b->dag, product, i);
            double number;
            if (expr_is_number(b->dag, f, &number) && number == -1) {
                item.sign = -item.sign;
            } else if (is_outer(b, f)) {
                array_push(&v->outer_factors, f);
            } else if (is_private(b, f, OP_PRODUCT)) {
                array_push(&v->products, f);
            } else if (is_denominator(b, f, &number)) {
                array_push(&v->below, denominator(b, f, number));
            } else {
                array_push(&v->operand, f);
            }
        }
    }
    join_outer(b, OP_PRODUCT, &v->outer_factors);
    item.numerators = v->operand.count - item.first;
    item.denominators = v->below.count;
    for (int i = 0; i < v->below.count; i++) array_push(&v->operand, v->below.data[i]);
    array_push(&v->item, item);
}

// --- sums ----------------------------------------------------------------------------------------

// -1*(a + b) that only one sum uses: the sum inside, or 0.
static Expr negated_sum(const Builder *b, Expr e) {
    double number;
    if (!is_private(b, e, OP_PRODUCT) || expr_arg_count(b->dag, e) != 2) return 0;
    Expr first = expr_arg(b->dag, e, 0), second = expr_arg(b->dag, e, 1);
    if (!expr_is_number(b->dag, first, &number) || number != -1) return 0;
    return is_private(b, second, OP_SUM) ? second : 0;
}

static void view_term(Builder *b, Expr term, int sign) {
    View *v = &b->view;
    Expr inside = is_private(b, term, OP_SUM) ? term : negated_sum(b, term);
    if (is_outer(b, term)) {
        array_push(&v->outer_terms, sign > 0 ? term : expr_neg(b->dag, term));
        builder_grow(b);
    } else if (inside) {
        array_push(&v->sums, ((Signed){inside, inside == term ? sign : -sign}));
    } else if (is_private(b, term, OP_PRODUCT)) {
        view_product(b, term, sign);
    } else {
        array_push(&v->operand, term);
        array_push(&v->item, ((Item){sign, v->operand.count - 1, 1, 0, 0}));
    }
}

static void view_sum(Builder *b, Expr e) {
    View *v = &b->view;
    array_push(&v->sums, ((Signed){e, 1}));
    while (v->sums.count) {
        Signed sum = array_pop(&v->sums);
        int count = expr_arg_count(b->dag, sum.node);
        for (int i = 0; i < count; i++) view_term(b, expr_arg(b->dag, sum.node, i), sum.sign);
    }
    if (join_outer(b, OP_SUM, &v->outer_terms))
        array_push(&v->item, ((Item){1, v->operand.count - 1, 1, 0, 0}));
}

static void view_symbol(Builder *b, Expr e) {
    SymbolRole role = b->role.data[expr_symbol_index(b->dag, e)];
    if (role.kind == SYMBOL_PARAM) {
        Expr value = b->system->model->var[role.index].value;
        if (value && !expr_is_number(b->dag, value, NULL)) array_push(&b->view.operand, value);
    } else if (role.kind == SYMBOL_UNKNOWN && role.block != b->block_number && !b->unknowns_given) {
        BlockDraft *block = &b->block.data[role.block];
        for (int i = 0; i < block->need.count; i++)
            array_push(&b->view.operand, block->need.data[i]);
    }
}

// Gives: in b->view, the operands of e that must be computed before it, and how they combine.
void view_node(Builder *b, Expr e) {
    View *v = &b->view;
    v->item.count = v->operand.count = 0;
    Op op = expr_op(b->dag, e);
    if (op == OP_SUM) {
        view_sum(b, e);
    } else if (op == OP_PRODUCT) {
        view_product(b, e, 1);
    } else if (op == OP_SYMBOL) {
        view_symbol(b, e);
    } else if (op == OP_TABLE || op == OP_TABLE_SLOPE) {
        array_push(&v->operand, expr_arg(b->dag, e, 1));
    } else if (op == OP_ENTRY) {
        array_push(&v->operand, expr_arg(b->dag, e, 0));
    } else if (op == OP_MATRIX) {
        int count = expr_arg_count(b->dag, e);
        for (int i = 1; i < count; i++) array_push(&v->operand, expr_arg(b->dag, e, i));
    } else {
        int count = expr_arg_count(b->dag, e);
        for (int i = 0; i < count; i++) array_push(&v->operand, expr_arg(b->dag, e, i));
    }
}
