// Along a trail with derivatives: forth with dots d/dp of states and held values, or back with the
// weights of a sum of outputs and integrals. What happens between steps is
//
//     crossing   g(x, p, t) = 0 at t = tau:   d tau/dp = -(g_x S + g_p)/(g_x f + g_t),  S += f- dtau
//     values     x+ = R(x-, p, tau):          S becomes the derivative of R, by its tape
//     going on                                S -= f+ dtau
//
// with S = dx/dp at a fixed time before and after, and at the moving moment tau between: jump
// conditions (saltation) without a matrix. Backwards each line is transposed, in reverse order.
#ifndef BONDYN_SENSITIVITY_WALK_H
#define BONDYN_SENSITIVITY_WALK_H

#include "base/report.h"
#include "engine/slopes.h"
#include "sensitivity/stride.h"
#include "sensitivity/trail.h"

typedef struct { // of a run that is over, whose machines are still there
    Trail *trail;
    const SolveOptions *solve; // it went by
    const int *parameter;      // variables of the model
    int parameters;
    bool quads;       // integrals are wanted, too
    bool ends_itself; // the model ended the run: its last point moves with parameters
    Report *report;
} WalkPlan;

// What a walk is asked for. Dots are a number per parameter; weights one per output.
typedef struct { // at a used point: per output or integral a number per parameter
    const double *output, *quad;
    const double *rate;   // d output/dt
    const double *moment; // d time/dp: of the last point of a run that the model ended, else 0
} PointDots;

typedef struct {
    // Forth: at a used point. Nullable.
    void (*point)(void *context, const Node *node, const PointDots *d);
    // Forth: an output at a used point lies on an event and bends or jumps there (`kink`: also as a
    // function of time); it has no derivative by parameters that move the event. Nullable.
    void (*kink)(void *context, const Node *node, int output, const bool *by);
    // Forth: an event that was asked for: per side (0 before, 1 after) and output the value, then a dot per
    // parameter, at the moment as it moves. Nullable.
    void (*event)(void *context, const Node *node, int outputs, const double *side[2]);
    // Back: adds what the outputs weigh at a used point. Nullable.
    void (*weigh)(void *context, const Node *node, double *output);
    const double *quad_weight; // back: of the integrals at the end. Nullable.
    double end_weight;         // back: of the moment at which the model ended the run
    void *context;
} WalkVisitor;

// False: reported. The first way along a trail must be forth.
bool walk_forth(const WalkPlan *plan, const WalkVisitor *v);
// Adds d(sum of weights)/dp to gradient. *apart: things happen at once that may move apart with
// parameters; then the way back cannot tell, but the way forth can. Nothing is reported of it.
bool walk_back(const WalkPlan *plan, const WalkVisitor *v, double *gradient, bool *apart);
// Is a used point at the moment of an event that is not given by a time? After a way forth.
bool walk_meets_events(const WalkPlan *plan);

#endif
