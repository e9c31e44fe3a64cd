// Tables of one variable: pairs (x, y) with x rising; constant beyond both ends, or going on with
// the slope that they have there.
#ifndef BONDYN_EXPR_TABLE_H
#define BONDYN_EXPR_TABLE_H

#include <stdbool.h>

typedef struct {
    int count;
    const double *x, *y;
    const double *slope; // smooth tables: the derivative at each x, monotone (Fritsch-Carlson)
    bool smooth;         // cubic between the points; else linear
    bool extrapolate;
    const int *kink; // rows at which the slope jumps, rising; pieces lie between them
    int kink_count;
} Table;

double table_value(const Table *t, double x);
double table_slope(const Table *t, double x);
double table_bend(const Table *t, double x); // the second derivative; lines have none

// One piece of a table, counted by the kinks below it, also read beyond its ends. `piece` says
// where x is; `outside` how far x is out of a piece: negative inside.
int table_piece(const Table *t, double x);
double table_outside(const Table *t, int piece, double x);
double table_value_in(const Table *t, int piece, double x);
double table_slope_in(const Table *t, int piece, double x);
double table_next_kink(const Table *t, double x, bool up); // infinite when there is none

// kink: room for `count` rows. Gives: how many there are.
int table_find_kinks(const Table *t, int *kink);
void table_monotone_slopes(int count, const double *x, const double *y, double *slope);

#endif
