// Sparse elimination with symbols: the linear rows of a block, pivot by pivot; inside this folder.
#ifndef BONDYN_EQUATIONS_ELIMINATE_H
#define BONDYN_EQUATIONS_ELIMINATE_H

#include "equations/linear.h"

typedef struct {
    int col;
    Expr coefficient;
    double value;  // at the start
    bool constant; // made of parameters
    bool safe;     // constant, and not small by cancellation: will not vanish
} EliminationCell;

typedef struct { // linear: sum of cells + rest = 0; otherwise residual = 0
    int rule;
    bool linear, done;
    bool combined;               // with other rows, no longer as the model gave it
    ARRAY(EliminationCell) cell; // of nonlinear rows: columns only
    Expr rest, residual;
    double rest_value;
    bool rest_constant;
} EliminationRow;

typedef struct {
    ARRAY(int) rows; // that have, or had, a cell here
    int count;       // that have one
    double scale;
    bool done;
} EliminationColumn;

typedef struct {
    int row, col;
} Pivot;

enum { BUCKETS = 64 };
typedef struct { // rows by length, the longest together; some of them out of date
    ARRAY(int) length[BUCKETS];
} Buckets;

typedef struct {
    Work *w;
    int size;
    const int *quantity; // of the columns
    EliminationRow *row;
    EliminationColumn *column;
    ARRAY(Pivot) pivots; // in order; the last is solved first
    int *where;          // scratch: place of a column in a row, -1
    Buckets untried;     // rows that may have a number as pivot
    Buckets tried;       // rows that have none
    long work, budget;
    long most_fill; // that a pivot may bring
    int nonlinear;  // rows
    bool tracked;   // nonlinear rows get the columns that pivots put in
} Elimination;

void elimination_open(Elimination *e, Work *w, const int *rules, const int *quantities, int n);
void elimination_close(Elimination *e);

// Takes pivots as long as there are safe ones whose fill is affordable.
void elimination_run(Elimination *e);

// What a pivot row says about its unknown, in symbols of the columns that come later.
Solution pivot_solution(Elimination *e, Pivot p);
Expr minus_quotient(Dag *d, Expr over, Expr under, bool negative);
Expr row_residual(Elimination *e, int row);

#endif
