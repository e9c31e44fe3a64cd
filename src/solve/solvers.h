// The solvers: one list, solvers.def, for whoever names, chooses or runs one.
#ifndef BONDYN_SOLVE_SOLVERS_H
#define BONDYN_SOLVE_SOLVERS_H

#include "engine/native.h"
#include "lang/lang.h"

#define SOLVER(kind, name, step, by, run, runs, whole) SOLVER_##kind,
typedef enum {
#include "solve/solvers.def"
    SOLVER_COUNT
} SolverKind;
#undef SOLVER

#define SOLVER_AUTO_TOO "cvode" // another name of SOLVER_AUTO
const char *solver_name(SolverKind k);
bool solver_named(const char *name, SolverKind *k); // false: there is none
bool solver_has_fixed_step(SolverKind k);
bool solver_is_explicit(SolverKind k);     // goes on by rates alone, never by their slopes
bool solver_has_lanes(SolverKind k);       // several runs at once
WholeStep solver_whole_step(SolverKind k); // of native code
const char *solver_list(Arena *out);       // all of them, for people
const NamedSolver *solvers_to_name(void);  // for LangOptions.solvers

#endif
