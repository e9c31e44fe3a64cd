// A run: from initial states through time, handing every wanted point to a sink.
#ifndef BONDYN_SOLVE_SOLVE_H
#define BONDYN_SOLVE_SOLVE_H

#include "equations/jump.h"
#include "solve/solvers.h"

typedef struct {
    double time;
    const double *state, *output, *quad; // quad: time integrals since the start
    bool last;                           // the model has ended the run here (`terminate`)
} SolvePoint;

// auto: native code where the run is long enough for it, see engine.c. The results are the same.
typedef enum { ENGINE_AUTO, ENGINE_VM, ENGINE_NATIVE } EngineKind;

typedef enum { ENGINE_NEW, ENGINE_WATCHING, ENGINE_WAITING, ENGINE_SETTLED } EnginePhase;

typedef struct { // native code of one program on its way, see engine.c
    EnginePhase phase;
    Native *native; // NULL: none yet
    double spent;   // seconds that runs of this program took so far
    double next_look;
} EngineCode;

typedef struct {      // one mode, ready to run
    Machine *machine; // NULL for one that holds for an instant only
    Machine *jump;    // into it: its outputs are Jump.after, Jump.work, Jump.impulse
    int state_count;  // of Jump.after, those of the mode
    EngineCode *code; // other runs may share it
} SolveMode;

// Laws that switch: which one each choice follows is a mode; modes are compiled when a run first
// meets them.
typedef struct {
    const Model *model;
    const Memory *memory;
    // mode: per choice, counted within it. before: values of the memory, for the choice of pivots.
    // NULL: the equations of this mode cannot be solved; what is wrong goes into r.
    const SolveMode *(*get)(void *context, const int *mode, const double *before, Report *r);
    // Energy that impulses brought into each component, and the outputs on both sides. Nullable.
    void (*jumped)(void *context, double time, const double *before, const double *after,
                   const double *work);
    void *context;
} SolveModes;

// For whoever goes along a run again once it is over (src/sensitivity): its points, and all that
// changed values or laws between them, in order.
typedef enum {
    TRAIL_START,    // the start values are found
    TRAIL_STEP,     // a step ends here
    TRAIL_POINT,    // a wanted point, perhaps inside the last step
    TRAIL_CROSS,    // relations change from here on: `direction`
    TRAIL_MOMENT,   // a jump of time, a sample
    TRAIL_SETTLED,  // `settle_var` become `settle_output`; before they do
    TRAIL_ACTIONS,  // `when` sets values; before it does
    TRAIL_CHOICE,   // states were chosen anew
    TRAIL_REMEMBER, // laws change: the memory is that of the machine at this point
    TRAIL_INSTANT,  // a jump alone, into `mode`: states of the memory are other ones
    TRAIL_AFTER,    // all of the memory follows from its states in `mode`
    TRAIL_ENTER,    // a jump into `mode`, whose machine goes on
    TRAIL_FOLD      // a loop goes on with another solution
} TrailKind;

typedef struct {
    TrailKind kind;
    Machine *machine; // held values and relations are as they are then
    double time;
    const double *state;
    const int *direction;  // TRAIL_CROSS: per switch
    const SolveMode *mode; // TRAIL_INSTANT and those after it
    SolverKind method;
} TrailMark;

typedef struct {
    SolverKind method;
    EngineKind engine;
    const Native *native; // ready code of the program, in place of what `engine` says; Nullable
    double rtol, atol;    // 0: 1e-6, by the sizes of the states (sizes.c)
    double step;          // fixed-step methods; 0: (stop - start)/1000
    double max_step;      // 0: none
    double min_step;      // a run that needs shorter ones ends; 0: none
    double start, stop;
    const double *start_state; // in place of the start values; Nullable
    const double *times;       // wanted points, rising, within [start, stop]
    int time_count;
    // More points than fit in memory come one by one, in place of the list; false: no more.
    // Nullable.
    bool (*next_time)(void *context, double *time);
    bool (*sink)(void *context, const SolvePoint *point); // false: stop
    void *context;
    // When the run begins, now and then, and after each step that added to the report. Nullable.
    void (*progress)(void *context, double time);
    // The outputs just before and after a `when` changed something. Nullable.
    void (*event)(void *context, double time, const double *before, const double *after);
    // The outputs on both sides of a switch, at the same states; these then become settle_output of
    // them. Nullable.
    void (*jump)(void *context, double time, const double *before, const double *after);
    bool only_watches; // `jump` does: nothing that is found by iteration is left as it found it
    // The outputs inside of a step in which no point was wanted, of a method that chooses its
    // steps. Nullable.
    void (*inside_step)(void *context, double time, const double *output);
    const int *settle_var, *settle_output; // states by variable
    int settle_count;
    // Per branch of `when`: an assertion that has warned already, perhaps in an earlier run.
    // Nullable.
    unsigned char *warned;
    const SolveModes *modes; // Nullable
    // Asked after each point: does the run start anew from it, as something has changed that is
    // held during a run? Then `change` puts it into the machine. Nullable, both.
    bool (*anew)(void *context);
    void (*change)(void *context, Machine *m);
    struct SolveJob **inside; // the run while it goes on, for solve_save; Nullable
    const void *from;         // goes on from what solve_save gave, in place of the start; Nullable
    size_t from_size;
    void (*trail)(void *context, const TrailMark *mark); // Nullable
    void *trail_context;
    const volatile int *cancel; // becomes nonzero: end cleanly
    long most_steps;            // 0: 500 million, of fixed steps 10^10
    bool conserves;             // the model neither takes nor gives energy
    int energy_count;           // the first quadratures are energies, compared with each other
    Pos pos;                    // of the experiment, for reports
} SolveOptions;

// The last four are not seen from outside: a stretch ended for another mode, another method, as
// something was changed from outside, or as the model is at its end, which is SOLVE_DONE.
typedef enum {
    SOLVE_DONE,
    SOLVE_CANCELLED,
    SOLVE_FAILED,
    SOLVE_REFUSED,
    SOLVE_SWITCH,
    SOLVE_CHANGE,
    SOLVE_ANEW,
    SOLVE_ENDED
} SolveStatus;

typedef struct {
    SolverKind method, first; // that was used at the end, and at the start
    const char *why;          // for SOLVER_AUTO: why the last one
    int changes;              // of method
    char course[160];         // the first of them in words; empty: none
    long steps, rejected, derivative_calls, jacobian_calls, newton_iterations, events;
    double jacobian_cost;      // of one, in evaluations of the rates besides those counted
    long programs;             // of modes that the run built
    long choices;              // how often states were chosen anew
    int start_steps;           // of the continuation that the start values needed
    double last_step, reached; // time reached
    double wall_seconds;
    bool native;           // the run ended on native code
    const char *ended;     // why the model ended the run before its time; NULL: it did not
    char engine[200];      // in words
    char step_limits[300]; // the shortest step, and the states that kept steps short, in words
} SolveStats;

// On failure the report names time, state and component; points so far have gone to the sink. A run
// that cannot start at all is refused. States and integrals are finite at every point; outputs need
// not be: the sink looks at them.
SolveStatus solve_run(Machine *m, const double *params, const SolveOptions *o, SolveStats *stats,
                      Report *r);
// --- saved.c: all that a run remembers at a point that it has just handed over. The run, and one
// that goes on `from` there, give the same bits if both start anew at that point. NULL: the size.
size_t solve_save(struct SolveJob *run, void *to);

double engine_compile_seconds(const Program *p, bool jacobian); // about

// --- several runs at once, one per SIMD lane (lanes.c) ------------------------------------------

typedef struct {
    Machine *machine; // of its own, all with the same program
    const double *params;
    SolveOptions options; // those of different runs differ in `context`, and `native` serves single
    SolveStats stats;     // steps, as in solve_run
    Report *report;
    SolveStatus status;
    void *owner; // whose run it is
} SolveLane;

typedef struct {
    bool (*next)(void *context, SolveLane *lane); // a run for a lane that is free; false: no more
    void (*done)(void *context, SolveLane *lane); // status and stats are there
    void *context;
    int at_once; // runs, at most; 0: as many as there are lanes
} LaneQueue;

// Why runs with this method cannot go over lanes; NULL when they can.
const char *solve_lanes_obstacle(const Program *p, const SolveOptions *o);
// Needs: code for lanes, ready; one method for all runs.  Gives: what solve_run gives, to the last
// bit, in `status`, `stats` and the sinks. A run that fails leaves the others alone.
void solve_lanes(const LaneQueue *q, const Native *code);

// --- a group of runs with fixed steps, one per lane, that others lead from time to time
// (fixed_lanes.c). Sets of runs have a bit for each. Every run gives the bits of solve_run, started
// anew where something was put in.
typedef struct LaneGroup LaneGroup;
LaneGroup *group_new(SolveLane *lane, int count, const Native *code); // lane: outlives it
void group_free(LaneGroup *g);                                        // Nullable
// These runs to their start, together. Gives: those that could.
unsigned group_start(LaneGroup *g, unsigned who);
bool group_start_alone(LaneGroup *g, int i); // the same for one, beside others that are elsewhere
unsigned group_together(const LaneGroup *g); // those that group_go leads
double group_time(const LaneGroup *g, int i);
unsigned group_go(LaneGroup *g, double until); // gives: those that failed. until: on the grid
bool group_go_alone(LaneGroup *g, int i, double until);
// Held values by place in a run, from now on. False: the run cannot go on.
bool group_put(LaneGroup *g, int i, const int *place, const double *value, int count);
void group_look(LaneGroup *g, double *output); // outputs at the present time, run after run

#endif
