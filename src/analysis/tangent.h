// The equations of a system and their exact Jacobian by more than the states (tangent.c).
#ifndef BONDYN_ANALYSIS_TANGENT_H
#define BONDYN_ANALYSIS_TANGENT_H

#include "analysis/linear.h"

typedef struct Tangent Tangent;

// Rows: the rates of the states, then `row`, expressions in solved form. Columns: the states, then
// `column`, symbols of parameters or discrete variables. NULL with the reasons in r.
Tangent *tangent_new(const System *s, const Expr *column, int columns, const Expr *row, int rows,
                     Report *r);
void tangent_free(Tangent *t);
// Beside the run: held values and unknowns are those of `at`; so are parameters, but the columns.
bool tangent_start(Tangent *t, const Reached *at, Expr origin);
// Values and Jacobian at a point; false: a block has no solution there, or a value is not finite.
bool tangent_at(Tangent *t, double time, const double *state, const double *column);
// Values alone; slopes stay those of before.
bool tangent_value_at(Tangent *t, double time, const double *state, const double *column);
const double *tangent_value(const Tangent *t); // per row
double tangent_slope(const Tangent *t, int row, int column);
// d rates / d states, column by column; free all three.
void tangent_sparse(const Tangent *t, int **start, int **row, double **value);
// Parameters with a formula that leads to one of these stand for the formula.
Rewrite *tangent_follow(const System *s, const Expr *column, int columns);
const Machine *tangent_machine(const Tangent *t);

#endif
