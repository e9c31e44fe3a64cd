// One run with an integrator of variable step and order, whichever it is.
//
//   multistep.c   steps, wanted points, events, restarts, failures in the user's words
//   Integrator    what an integrator has to do for that: cvode.c, ida.c
#ifndef BONDYN_SOLVE_MULTISTEP_H
#define BONDYN_SOLVE_MULTISTEP_H

#include "solve/linear.h"
#include "solve/vectors.h"
#include <sundials/sundials_nonlinearsolver.h>

typedef struct Multistep Multistep;

typedef enum { FAILURE_STEP, FAILURE_SINGULAR, FAILURE_OTHER } Failure;

enum { ROOT_FOUND = 2 }; // what step gives then; negative: failed

typedef struct {
    bool (*open)(Multistep *s); // begins at s->t, s->y, s->q
    void (*close)(Multistep *s);
    bool (*restart)(Multistep *s); // at s->t, s->y, s->q, whose states an event may have changed
    bool (*set_stop)(Multistep *s, double time);
    void (*set_longest)(Multistep *s, double step);
    void (*set_first)(Multistep *s, double step);  // after the next start; 0: as it likes
    int (*step)(Multistep *s, double stop);        // to s->t, s->y
    bool (*value)(Multistep *s, double time);      // within the last step: to s->error
    bool (*slope)(Multistep *s, double time);      // its derivative there, to s->error
    bool (*quad_value)(Multistep *s, double time); // the same, to s->q
    void (*quad)(Multistep *s);                    // to s->q
    void (*roots)(Multistep *s);                   // to s->crossed
    void (*count)(Multistep *s);                   // adds to the statistics
    void (*where)(Multistep *s, double *time, double *step);
    bool (*errors)(Multistep *s); // to s->error and s->weight
    bool (*quad_tolerances)(Multistep *s);
    void (*pass_rounding)(
        Multistep *s); // sizes_pass_rounding, with the matrix of an implicit method
    Failure (*failure)(int flag, const char **words);
} Integrator;

extern const Integrator cvode_adams, cvode_bdf, ida;

struct Multistep {
    Job *j;
    const Integrator *how;
    SUNContext context;
    void *mem;
    N_Vector quad_atol;
    N_Vector y, slope, q, weight, error; // y: states; of the system left implicit unknowns too
    int unknowns;
    SUNNonlinearSolver fixed_point; // Adams
    Linear linear;                  // BDF
    void *own;                      // IDA
    double t;
    int *crossed, *inside; // switches: at the end of a step, inside of it
    double back_time;      // the beginning of the present step
    double *back_state, *back_quad;
    bool taken_back;
    bool quad_is_elsewhere;      // q is not at the end of the last step
    bool fresh;                  // no step since the last start
    double first_step, tried_at; // after a failure, see tries_shorter
    double begin;                // of the present stretch without restarts
    double longest;              // step since the last start
    long steps,
        doubts; // since the run began: all, and those that were taken back for what they did not see
    double *bend;            // rates before an event, at it and at the end of its step; the state
    double jump, after_jump; // of signals of time: the last time before it, the first behind it
};

// Before and after the switches of an event change: may the method go on without a new start?
void bend_open(Multistep *s);
bool bend_before(Multistep *s);
bool bend_is_slight(Multistep *s);

int multistep_weights(N_Vector y, N_Vector weight, void *user); // of states and unknowns
void multistep_quad_tolerances(Multistep *s);                   // to s->quad_atol
int multistep_event_functions(double t, N_Vector y, double *event_function,
                              void *user); // functions with roots

#endif
