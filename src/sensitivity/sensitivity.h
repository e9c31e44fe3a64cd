// Derivatives of what a run gives, by parameters: exact ones, along the run (walk.h).
//
//     system --run--> trail --forth--> d(outputs, integrals)/dp at every wanted point
//                           --back---> d(one number)/dp for any number of parameters
//
// A number that is taken from a run, a probe of the experiment, is a sum of outputs at points and of
// integrals; a peak is one of the points around it.
#ifndef BONDYN_SENSITIVITY_SENSITIVITY_H
#define BONDYN_SENSITIVITY_SENSITIVITY_H

#include "run/job.h"
#include "run/modes.h"
#include "sensitivity/walk.h"

typedef struct { // what runs with other parameters share
    Program *program;
    ModeStore *store;
    int output_count, quad_count; // it was built for
} AlongShared;

void along_shared_free(AlongShared *s);

typedef struct { // a run with its trail; machines live until it is closed
    Job job;
    Program *program;
    Machine *machine;
    ModeStore *store;
    AlongShared *shared; // NULL: program and modes are its own
    Modes *modes;
    SolveOptions solve;
    Trail trail;
    const Node **point; // wanted points by number
    long points;
    bool finished; // probes have values
    bool by_forth; // the last gradient: the way back could not tell it, the way forth did
} Along;

// Runs the experiment of a system. False with the reasons in r: it could not be run, or not to its end.
// Close it in any case.
// Nullable: shared.
bool along_run(Along *a, const System *s, const RunOptions *o, AlongShared *shared, Report *r);
void along_close(Along *a);
double along_probe(Along *a, int probe); // its value

// d probe/dp of probes of the experiment (wanted NULL: of all): probes rows of a number per parameter.
// False: reported.
bool along_slopes(Along *a, const bool *wanted, const int *parameter, int parameters,
                  double *slope);
// d(sum of weight*probe)/dp by adjoints.
bool along_gradient(Along *a, const double *weight, const int *parameter, int parameters,
                    double *gradient);
// d output/dp of expressions that were wanted (outputs of the job) at all rows of the results: row by
// row, output by output. False: reported.
bool along_rows(Along *a, const int *output, int outputs, const int *parameter, int parameters,
                double *slope);

// An expression of parameters and probes: its value, d/d probe (Nullable) and d/d parameter, through
// formulas of parameters; both are added to.
double along_expression(Along *a, Expr e, const int *parameter, int parameters, double *by_probe,
                        double *by_parameter);

#endif
