// What is printed of a system and under which names: shared parts get a name and are printed once.
//
//     listing_open(&l, system, PRINT_LATEX);
//     for (int i = 0; i < l.line.count; i++) {       der(mass.p) = ... , shared parts, 0 = ... of loops
//         listing_left(out, &l, i);
//         listing_right(out, &l, i);
//     }
#ifndef BONDYN_EQUATIONS_LISTING_H
#define BONDYN_EQUATIONS_LISTING_H

#include "base/array.h"
#include "equations/system.h"

typedef struct {
    Expr node;
    int var;          // the model variable that has this value, or -1: a part without a name
    const char *name; // as it is printed in the style asked for
} Definition;

typedef enum { LINE_RATE, LINE_DEFINITION, LINE_RESIDUAL } LineKind;

typedef struct {
    LineKind kind;
    int index; // of the state, the definition, the equation in its block
    int block; // of a residual
} ListingLine;

typedef struct {
    const System *system;
    Arena arena;
    PrintStyle style;
    ARRAY(Definition) definition; // what is used stands before what uses it
    ARRAY(ListingLine) line;      // a rate that a definition names is none
    const char *new_line;         // between the lines of a long sum, NULL: it is one line
    ExprWalk *walk;
    int *definition_of; // by place in the walk, -1 = none
    uint32_t first_node, node_count;
    int32_t *place;    // of nodes first_node .. , -1
    Expr printing;     // the definition that is being printed stands by its expression
    ARRAY(int) params; // model variables of the parameters that are used
} Listing;

void listing_open(Listing *l, const System *s, PrintStyle style);
void listing_close(Listing *l);
void listing_expr(Text *out, Listing *l, Expr e);
void listing_definition(Text *out, Listing *l, int i); // its expression
void listing_name(Text *out, const Listing *l, int var);
void listing_der(Text *out, const Listing *l, int state);
// Line i as an equation, and the path that its left side names ("" for none).
void listing_left(Text *out, const Listing *l, int i);
void listing_right(Text *out, Listing *l, int i);
const char *listing_path(const Listing *l, int i);
bool listing_rate_is_named(Listing *l, int state);
// Is the text (which is freed) the name that the listing gives to the expression? Then it is defined further down.
bool listing_names(Listing *l, Text *name, Expr e);
// The value of a parameter in the unit it is shown in: "2 {kg}", or its expression.
void listing_param_value(Text *out, const Listing *l, int var);

#endif
