// A stride: from a point of a run on over a step, by a one-step method whose derivatives are exact.
//
//     X_i = x + h sum a_ij k_j     k_i = f(t + c_i h, X_i)     x' = x + h sum b_i k_i
//
// Runs with a Runge-Kutta method are gone along with the same one, so that what is differentiated is
// the run itself; others with a method of at least their order. Implicit runs are gone along by
// Radau IIA of order 5, with the Jacobians of all stages:  M = I - h [a_ij J_i].
#ifndef BONDYN_SENSITIVITY_STRIDE_H
#define BONDYN_SENSITIVITY_STRIDE_H

#include "solve/solve.h"

enum { MOST_STAGES = 13 };

typedef struct {
    int stages;
    bool implicit;
    double a[MOST_STAGES][MOST_STAGES], b[MOST_STAGES], c[MOST_STAGES];
} Scheme;

typedef struct {
    Scheme scheme;
    SolverKind method;
    Machine *machine; // NULL: it is not open
    int n;
    double t, h;
    double first, last; // times of its ends, as stages there see them: within the step
    double span;        // of the run
    double *X, *k;      // per stage: states and rates
    double *end;        // states at the end
    double *J;          // implicit: per stage, column by column
    double *M;          // and the factors of M
    int *pivot;
    double *space, *nonzero, *residual, *at; // room
    double *signal;                          // of the tape `signals`
    double *event_function;                  // of kinks, for who cuts steps (cuts.c)
    signed char *side;
    struct Dots *columns; // for Jacobians that are no formulas
} Stride;

// Ready for this method: opened, or left as it is when it was ready for it before. Zeroed at first.
void stride_ready(Stride *s, Machine *m, SolverKind method, double span);
// Where it begins and how far it goes. Signals of time alone may have a kink at an end of the step: stages there belong
// to the side of the step, as derivatives of both sides differ.
void stride_aim(Stride *s, double t, double h);
double stride_time(const Stride *s, int i); // of stage i
void stride_close(Stride *s);
// Values at the stages and at the end; `guess` (Nullable): states at the end, as the run has them.
// False: a rate has no value.
bool stride_take(Stride *s, double t, double h, const double *x, const double *guess);
// The point of stage i of an explicit method, from the rates of those before it; the end, from all.
void stride_point(Stride *s, int i, const double *x);
void stride_end(Stride *s, const double *x);
double stride_error(const Stride *s,
                    int i); // of state i at the end of one by the pair of order 8 and 7
// K := M^-1 K or M'^-1 K, over all stages; implicit ones.
void stride_solve(const Stride *s, bool transposed, double *k);

#endif
