// What solvers.def says about each solver.
#include "solve/solvers.h"

#include <string.h>

typedef struct {
    const char *name;
    enum { OWN, FIXED } step;
    enum { RATES, SLOPES } by;
    enum { ALONE, LANES } runs;
    WholeStep whole;
} Solver;

#define SOLVER(kind, name, step, by, run, runs, whole) {name, step, by, runs, WHOLE_##whole},
static const Solver solvers[] = {
#include "solve/solvers.def"
};
#undef SOLVER

const char *solver_name(SolverKind k) { return solvers[k].name; }

bool solver_has_fixed_step(SolverKind k) { return solvers[k].step == FIXED; }

bool solver_is_explicit(SolverKind k) { return solvers[k].by == RATES; }

bool solver_has_lanes(SolverKind k) { return solvers[k].runs == LANES; }

WholeStep solver_whole_step(SolverKind k) { return solvers[k].whole; }

#define SOLVER(kind, name, step, by, run, runs, whole)                                             \
    {name, SOLVER_##kind, (step) == FIXED, false},
const NamedSolver *solvers_to_name(void) {
    static const NamedSolver list[] = {{SOLVER_AUTO_TOO, SOLVER_AUTO, false, true},
#include "solve/solvers.def"
                                       {NULL, 0, false, false}};
    return list;
}
#undef SOLVER

bool solver_named(const char *name, SolverKind *k) {
    if (strcmp(name, SOLVER_AUTO_TOO) == 0) name = solver_name(SOLVER_AUTO);
    for (int i = 0; i < SOLVER_COUNT; i++)
        if (strcmp(solvers[i].name, name) == 0) {
            *k = (SolverKind)i;
            return true;
        }
    return false;
}

const char *solver_list(Arena *out) {
    const char *list = solver_name((SolverKind)0);
    for (int i = 1; i < SOLVER_COUNT; i++)
        list = arena_printf(out, "%s, %s", list, solver_name((SolverKind)i));
    return list;
}
