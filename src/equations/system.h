// The reduced equations: states, their rates, and every other variable as an expression of states,
// time, parameters and the unknowns of implicit blocks.
//
//   flat model + graph
//      -> aliases        variables that are equal up to sign become one (union-find with sign)
//      -> matching       which equation determines which variable (augmenting paths)
//      -> index          constraints between states are differentiated (Pantelides); a state that
//                        is no longer free becomes an ordinary variable (dummy derivative). States
//                        that the graph gave integral causality are kept where there is a choice.
//      -> order          strong components (Tarjan)
//      -> solve          single equations are turned round symbolically; small linear blocks are
//                        eliminated symbolically; others stay as implicit blocks
//      -> substitute     along the order, into the shared graph: linear time, no expansion
#ifndef BONDYN_EQUATIONS_SYSTEM_H
#define BONDYN_EQUATIONS_SYSTEM_H

#include "equations/whens.h"
#include "graph/graph.h"

// Equations in extended numbering: those of the model (Model.equation), then the balance of each
// node of the graph (Model.equation_count + node).

enum { BLOCK_PICK = -3 }; // in Block.equation: not an equation of the model, see StateSet

typedef struct { // a square matrix without its zeros, column by column
    int *start;  // size + 1: column j has the entries start[j] .. start[j + 1] - 1
    int *row;    // per entry, rising within a column
    Expr *entry;
} Sparse;

typedef struct { // unknowns that must be solved together, numerically
    int size;
    Expr *unknown;   // symbols
    Expr *residual;  // = 0, in symbols of unknowns, states, time, parameters, earlier blocks
    bool linear;     // residual = matrix*unknown + rest
    Sparse jacobian; // d residual / d unknown (free of unknowns if linear)
    Expr *guess;     // start values or 0
    int *equation;   // the extended equations behind the residuals, for messages
    bool anchored;   // begin at `guess`, the last point of the run: elsewhere is another branch
    bool afresh;     // begin at `guess`, the start values, each time
    Pos pos;         // of the first equation
} Block;

// Variables between which constraints leave some freedom, none of which can be a state everywhere:
// x and y on a circle. The states are some of them, chosen anew during the run:
//
//     state[j] = sum over i of pick[j*count + i] * candidate[i]        pick: 0 or 1, held
//
// These rows stand in the block that has the constraints; one program serves every choice.
typedef struct {
    int count;       // candidates
    int *var;        // model variables, -1: one without a name
    Expr *candidate; // symbols: unknowns of a block
    Expr *start;     // at the start
    int free;        // states
    int first_state; // these, in System.state
    Expr *pick;      // symbols, free*count, row by row
    int equation;    // the first constraint, extended numbering
    Pos pos;
} StateSet;

// A block with candidates of sets, as the choice sees it: its rows without those of picks.
typedef struct {
    int block;
    int rows, columns;
    Expr *value;      // per column: the unknown, a symbol of the block
    Expr *matrix;     // rows*columns: d row / d column
    Expr *anchor;     // per column: a held symbol, the last point of the run; NULL: linear
    int *set, *place; // per column: a candidate of which set, and which; -1: always dependent
    int *scale;       // per column: columns of one unit have one number
    Expr *start, *start_matrix; // value and matrix at the start of the run, or where
    Expr *entry;                // a mode is entered: held symbols, one per column; NULL: no mode
} Choice;

typedef struct { // equations that had to be solved together, for `check`
    int size;    // how many
    int left;    // unknowns that elimination and tearing left; 0: solved one after the other
    int *var;    // those of them that the model names
    int var_count;
    bool linear;
    bool implicit; // solved numerically during the run (a Block), else in closed form
    Pos pos;
} Loop;

typedef struct {  // how `check` talks about what was done
    int var;      // the variable that would have been a state
    int equation; // the constraint that took it, extended numbering
    Pos pos;
} Demoted;

typedef struct {
    const Model *model;
    const Graph *graph;
    const Dag *dag;
    Expr time;
    int state_count;
    int *state_var; // model variable of each state; -1: one that a StateSet chooses
    Expr *state;    // its symbol
    Expr *rate;     // its derivative: an expression of states, time, parameters, block unknowns
    Expr *start;    // its initial value, an expression of parameters (and of time = start)
    Expr *value;    // per model variable: the same kind of expression (states and parameters: own
                    // symbol)
    int block_count;
    Block *block; // in the order of solution
    int start_block_count;
    Block *start_block; // those that only the start needs, with unknowns of their own
    int set_count;
    StateSet *set;
    int choice_count;
    Choice *choice;
    int loop_count;
    Loop *loop;
    int demoted_count;
    Demoted *demoted;
    int index;          // differential index that was found: 0 or 1 explicit, 2 and up reduced
    int alias_count;    // equations that only said that two variables are equal up to sign
    int equation_count; // equations that were left, before index reduction
    Expr *power;        // per component: net power into it, in solved form (0 for junctions)
    Expr *stored;       // per component: stored energy in closed form, or 0
    Whens whens;        // what happens at events
} System;

// Needs: a graph with strokes and without conflicts.  Keeps: model and graph (new symbols and nodes
// enter the model's expression graph).  NULL on error, with the culprits named.
System *equations_build(Arena *out, const Model *m, const Graph *g, Report *r);

const char *system_check(const System *s); // what does not hold of it; NULL: all is well

// An equation in the user's words: "the law of 'r' 'e = R*f'".
void equation_label(Text *out, const System *s, int equation);
// The equation of the model in which a part of the solved equations stands; -1: none is known.
int equation_with(const System *s, Expr part);
const char *system_state_name(const System *s, int state);
Pos system_state_pos(const System *s, int state); // of its component, or where it is declared

// An expression of model variables in solved form (for plots, records, expectations).
typedef struct Resolver Resolver;
Resolver *resolver_new(const System *s);
void resolver_free(Resolver *w);
Expr resolve(Resolver *w, Expr e);

typedef enum { EQUATIONS_TEXT, EQUATIONS_LATEX, EQUATIONS_JSON } EquationsStyle;
void equations_print(Text *out, const System *s, EquationsStyle style);
void equations_summary(Text *out, const System *s); // states and why, index, blocks, demotions
void equations_summary_json(Text *out, const System *s);

#endif
