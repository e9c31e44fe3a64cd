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

// The signs of a style (notation.c), in the order in which they are printed.
typedef struct {
    const char *bracket[2], *index[3]; // ( ) and [ , ]
    const char *comma, *negative, *plus, *minus, *times;
    const char *fraction[3], *root[2], *power[3]; // before, between, behind
    const char *raised[3];                        // the name of a function and its power
    const char *relation[4];                      // < <= == !=
    const char *logic[3];                         // and or not
    const char *choice[4]; // typeset: value, condition, other value; else the condition first
    const char *magnitude[2], *floor[2], *ceiling[2]; // NULL: printed as functions
    const char *ellipsis, *cut;
    bool typeset; // fractions, roots and choices stand by themselves and need no brackets
} Notation;

const Notation *notation_of(PrintStyle style);

typedef struct {
    Text *out;
    const Dag *dag;
    const Printer *how;
    const Notation *sign;
    int left;    // nodes that may still be printed
    int depth;   // of nested calls
    size_t line; // where the line of a long sum begins in the text
} Print;

void print_expr(Print *p, Expr e, Binding place);
void print_number(Print *p, double x);
bool print_is_named(const Print *p, Expr e);
double print_split(const Dag *d, Expr e, Expr *rest);
void print_sum(Print *p, Expr e);
void print_product(Print *p, double number, Expr rest); // number > 0; rest 0: the number alone
Binding product_binding(const Print *p, double number, Expr rest);
void print_function(Print *p, Expr e, double power); // name(arguments)^power, power > 0

static inline void print_sign(Print *p, const char *sign) { text_add(p->out, sign); }

#endif
