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
} Table;

double table_value(const Table *t, double x);
double table_slope(const Table *t, double x);
void table_monotone_slopes(int count, const double *x, const double *y, double *slope);

#endif
