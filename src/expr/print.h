// Shared by the printing files: what is being printed, and how tightly operators bind.
#ifndef BONDYN_EXPR_PRINT_H
#define BONDYN_EXPR_PRINT_H

#include "expr/internal.h"

typedef enum { // from loose to tight; an operand that binds less than its place needs brackets
    BIND_IF,
    BIND_OR,
    BIND_AND,
    BIND_RELATION,
    BIND_SUM,
    BIND_PRODUCT,
    BIND_POWER,
    BIND_ATOM,
} Binding;

typedef struct {
    Text *out;
    const Dag *dag;
    const Printer *how;
    int left;  // nodes that may still be printed
    int depth; // of nested calls
} Print;

void print_expr(Print *p, Expr e, Binding place);
void print_number(Print *p, double x);
bool print_is_named(const Print *p, Expr e);
double print_split(const Dag *d, Expr e, Expr *rest);
void print_sum(Print *p, Expr e);
void print_product(Print *p, double number, Expr rest); // number > 0; rest 0: the number alone
Binding product_binding(const Print *p, double number, Expr rest);
void print_function(Print *p, Expr e, double power); // name(arguments)^power, power > 0

#endif
