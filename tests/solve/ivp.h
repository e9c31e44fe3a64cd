// Problems of the Test Set for IVP Solvers, written by hand for CVODE and IDA.
//
// The same problems are models in examples/ivp; these here are what their runs are compared with.
#ifndef BONDYN_TESTS_IVP_H
#define BONDYN_TESTS_IVP_H

#include <stdbool.h>

enum { IVP_MOST_STEPS = 1000000 };

typedef struct {
    const char *name;  // of the file in examples/ivp
    int n;             // components that are compared
    int total;         // unknowns of the problem by hand, if more: multipliers, cells
    const int *pick;   // which of them are compared; NULL: the first
    double stop, jump; // jump: where a signal of time jumps; 0: nowhere
    bool smooth;       // Adams is right for it, not BDF
    double atol;       // of the test set; 0: the same as rtol
    void (*start)(double *y, double *slope);
    // ODE: rate of y
    void (*rate)(double t, const double *y, double *f);
    // DAE: residual; algebraic: from this component on (index 1)
    void (*residual)(double t, const double *y, const double *slope, double *r);
    int algebraic;
    int band;          // half width of the Jacobian; 0: full
    const double *end; // reference, n components
    double known;      // how well the reference is known
    const bool *died;  // those that have died out in the end; NULL: none
} Ivp;

extern const Ivp ivp_problems[];
extern const int ivp_count;

void andrews_start(double *y, double *slope); // ivp_andrews.c
void andrews(double t, const double *y, const double *slope, double *r);
extern const double andrews_end[];

typedef struct {
    long steps, calls;
    double seconds; // of the processor
    bool done;
} IvpRun;

static inline int ivp_component(const Ivp *p, int i) { return p->pick ? p->pick[i] : i; }

// CVODE, or IDA for a DAE, with this rtol and the atol of the test set.
IvpRun ivp_by_hand(const Ivp *p, double rtol, double *y);
// Largest relative error; *worst: the component.
double ivp_error(const Ivp *p, const double *y, int *worst);

#endif
