// A problem of examples/ivp as a running program, without an `atol`.
#ifndef BONDYN_TESTS_IVP_MODEL_H
#define BONDYN_TESTS_IVP_MODEL_H

#include "ivp.h"
#include "run/pipeline.h"
#include "solve/solve.h"

enum { IVP_MOST = 32 };

typedef struct {
    Arena arena;
    Names *names;
    Sources *sources;
    Report report;
    Pipeline pipeline;
    Program *program;
    Native *native; // NULL: there is no compiler, or it is not wanted
} IvpModel;

// False: look at the report. `native`: waits for compiled code.
bool ivp_open(IvpModel *m, const Ivp *p, bool native);
void ivp_close(IvpModel *m);
IvpRun ivp_run(const IvpModel *m, const Ivp *p, SolverKind method, double rtol, double *y);

#endif
