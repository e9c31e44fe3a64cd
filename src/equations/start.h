// The conditions at the start while they are sorted and solved; inside this folder only.
#ifndef BONDYN_EQUATIONS_START_H
#define BONDYN_EQUATIONS_START_H

#include "equations/work.h"

typedef enum { START_MUST, START_TIE, START_GIVEN, START_DEFAULT } Strength;

typedef struct {
    Strength strength;
    Expr residual;    // = 0, in the unknowns of the start
    Expr whole;       // the same in all states, for messages
    Expr said;        // an initial equation as it is written, left - right; 0: none
    Expr unit, value; // when it only says unknown = value; 0 otherwise
    Expr wanted;      // the start value that it gives to var; 0: none
    int var;          // whose start value it is, or -1
    int steady;       // the variable whose rate it holds at 0, or -1
    int origin;       // extended numbering, or ORIGIN_START
    int number;       // its turn
    bool taken;       // it determines something
    Pos pos;
} StartRow;

typedef struct Echelon Echelon; // the rows in numbers (start_take.c)

typedef struct {
    Work *w;
    int *state_of_var; // per model variable: the state it is, or -1
    int *speed_of_var; // per model variable: the speed of a mechanism whose state it is, or -1
    bool *moved;       // per component: a mechanism whose speeds are conditions
    Expr *given;       // per state: its start when given, else 0
    bool *open;        // per state: conditions may determine it
    Rewrite *fixed;    // states that are given -> their start
    ARRAY(StartRow) row;
    ARRAY(Expr) unknown;
    Echelon *echelon; // NULL: no numbers were found, Work.value is as before
    int *block_of_quantity;
    bool *needed;     // per block
    ARRAY(int) queue; // of blocks
} Start;

// start_mechanisms.c: which mechanisms are concerned by conditions; and what they say then.
void find_moved(Start *s);
void add_ties(Start *s);
void add_speeds(Start *s, bool given, const bool *late); // Nullable: late, per speed
// start.c
bool is_start_condition(Start *s, int var); // of what is no state, or one no more
void add_start_row(Start *s, StartRow row);

// Where Newton's method begins at the start: at the guess, then nearby, as the guess may lie where an
// equation has no slope.
enum { START_SHIFTS = 7 };
extern const double start_shift[START_SHIFTS];

// start_take.c: decides which rows determine something, in their order. Where numbers are known,
// Work.value has them, and rows that follow from those before them are not taken.
void start_take(Start *s);
void echelon_free(Echelon *e); // Nullable
// The taken rows that together imply this one; gives their number.
int echelon_reasons(Start *s, int row, int *rows, int most);
bool echelon_holds(const Start *s, int row);
double echelon_gap(const Start *s, int row);

// Needs: the rows in their order, with those that are taken.  Gives: System.start, the start of
// sets and choices, and the blocks that these need. False: a contradiction, reported.
bool start_solve(Start *s);

#endif
