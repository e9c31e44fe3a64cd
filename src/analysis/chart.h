// Minimal coordinates (chart.c).
#ifndef BONDYN_ANALYSIS_CHART_H
#define BONDYN_ANALYSIS_CHART_H

#include <stdbool.h>

// Constraints g(x, u) = 0 that every motion keeps, as G dx + H du = 0: some of the states follow
// from the others,  dx[dependent[k]] = sum over j of by[k*(n + m) + j] d(x, u)[j].
typedef struct {
    int n, m, rank;
    int *dependent; // per pivot: a state
    bool *follows;  // per state
    double *by;
} Chart;

// G: n + m columns, one line for each row, row by row; it is overwritten. Rows that say something
// of velocities take velocities and momenta away as long as there are any, other rows take
// coordinates.
Chart chart_make(int n, int m, int rows, double *G, bool *fast_row, const bool *fast_state);
void chart_free(Chart *c);

#endif
