// The conditions at the start while they are sorted and solved; inside this folder only.
#ifndef BONDYN_EQUATIONS_START_H
#define BONDYN_EQUATIONS_START_H

#include "equations/work.h"

typedef enum { START_MUST, START_GIVEN, START_DEFAULT } Strength;

typedef struct {
    Strength strength;
    Expr residual;    // = 0, in the unknowns of the start
    Expr whole;       // the same in all states, for messages
    Expr unit, value; // when it only says unknown = value; 0 otherwise
    int var;          // whose start value it is, or -1
    int steady;       // the variable whose rate it holds at 0, or -1
    int origin;       // extended numbering, or ORIGIN_START
    int number;       // its turn
    bool taken;       // it determines something
    Pos pos;
} StartRow;

typedef struct {
    Work *w;
    int *state_of_var; // per model variable: the state it is, or -1
    Expr *given;       // per state: its start when given, else 0
    bool *open;        // per state: conditions may determine it
    Rewrite *fixed;    // states that are given -> their start
    ARRAY(StartRow) row;
    ARRAY(Expr) unknown;
    int *block_of_quantity;
    bool *needed;     // per block
    ARRAY(int) queue; // of blocks
} Start;

bool is_open_start(Work *w, Expr start); // not given, or an expression with the value 0

// Needs: the rows in their order, with those that are taken.  Gives: System.start, the start of
// sets and choices, and the blocks that these need. False: a contradiction, reported.
bool start_solve(Start *s);

#endif
