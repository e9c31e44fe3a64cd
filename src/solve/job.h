// One run while it goes on: what every method shares.
//
//   method (fixed.c, multistep.c, rk78.c) steps through time
//     job_rates     the rates at a point, or notes what went wrong there
//     job_emit      a wanted point goes to the sink
//     job_poll      after every step: cancel, progress, the bound on steps
//     events_...    relations that switch (events.c), and what `when` does then (whens.c)
//   problems.c      turns what was noted into a report
#ifndef BONDYN_SOLVE_JOB_H
#define BONDYN_SOLVE_JOB_H

#include "base/array.h"
#include "engine/branch.h"
#include "solve/schur.h"
#include "solve/solve.h"
#include <math.h>
#include <time.h>

typedef struct History History;
typedef struct Scout Scout;
typedef struct Enclosure Enclosure;

typedef struct { // the last point where the rates had no value
    bool happened;
    long poll; // when
    double time, residual;
    double *state;
    int rate;  // the first that is not finite, or -1
    int block; // that did not converge, or -1
} Trouble;

typedef struct {      // how fast a branch of a `when` fires
    double time, gap; // last time; time since the one before
    double longest;   // gap so far
    double first;     // gap from which they have shrunk
    int shrinking;    // how often in a row the gap has shrunk
    long count;
} EventGaps;

typedef struct { // `when` during the run, see whens.c
    double *condition, *action;
    bool begun;             // the start has been looked at
    bool *was;              // per branch: its condition, the last time it was looked at
    double *sample;         // period and offset in pairs
    double *next;           // per sample: number of its next moment
    double *event_function; // switch functions before an action
    double *output;         // outputs before and after an action
    EventGaps *gaps;        // per branch
    double *rate_bound;
    double turn;  // the longest step that rate_bounds allow, when they were last looked at
    int last;     // branch that fired
    int ending;   // a branch that ends the run has fired: its number and 1; else 0
    long actions; // rounds in which something was set
} WhenRun;

typedef struct {                 // which engine the run goes on, see engine.c
    EngineCode own;              // of a run without modes
    EngineCode *code;            // of the present program; NULL: none
    EngineCode *compiling;       // for which a compiler may be at work in the background
    ARRAY(EngineCode *) entered; // one per mode that the run was in
    double since;                // seconds of the run, when the present program was entered
} EngineRun;

typedef struct {     // the laws that switch, see modes.c
    int *mode;       // per choice: the present one, counted within the choice
    double *memory;  // what was before the jump that is looked at
    double *after;   // of a jump: states and memory after, then works, impulses, entries
    int room;        // of it
    double *guard;   // per mode of the model
    double *work;    // per component: energy that impulses brought in, all jumps of the moment
    double *before;  // outputs before the jump
    int last;        // the choice that asked for a change last
    EventGaps *gaps; // per choice
} ModeRun;

typedef struct {       // what `auto` has seen, see choice.c
    double time, step; // of the last look, and at it
    long looked;       // how many steps were done at the last look
    int between;       // steps until the next look
    int in_a_row;      // looks that spoke for a change
    int patience;      // how many of them it takes
} Choosing;

typedef struct { // how large everything is, see sizes.c
    double *space;
    // per state: largest so far, soon after a start, change of the rate over the sizes, all of it
    double *most, *first, *spread, *size;
    double *recent;                // largest of late
    double *noise;                 // rounding of the rate
    double *differences;           // of the rates, three of each
    double *decay;                 // rate of its own decay, for implicit methods
    double *passed_on;             // rounding that reaches it through the others, the same
    double *last;                  // its value after the last step
    double *fall;                  // the rate at which it fell in that; 0: it did not, or slowly
    double *rest;                  // what is left of the size that a state at zero started with
    double *brought;               // what rates bring soon to states that were as good as zero
    double *coming;                // per group: below it sizes say nothing
    double *least;                 // that a first step needs, however short
    double *guessed;               // sizes before the present start that were no more than that
    double *reach;                 // scratch, as the next
    double *later;                 // rates a little later
    double *point, *rate, *beside; // scratch
    int *group, *member;           // states of one dimension; a state of each group
    int group_count;
    double *in_group; // largest of each
    double *part;     // per group: of the largest so far that no size falls below
    // per state: largest so far of its group, that part of it, what is as good as zero beside it
    double *top, *floor, *nothing;
    double *quad_most, *quad_soon, *quad_rate, *quad_beside, *quad_noise;
    double *unknown_most, *unknown_spread, *unknown, *unknown_beside;
    double *unknown_ever, *unknown_noise; // largest so far; rounding
    int unknown_count;
    double energy, step;         // largest of the audit; the last step
    double kept_falling;         // of a recent size with every step
    bool known;                  // false: the method has no tolerance
    int countdown;               // steps until rates are looked at again
    int between, until_rounding; // the same for their rounding, and from one look to the next
} Sizes;

typedef struct {             // what goes wrong, and what keeps steps short, see watch.c
    int count;               // variables of the model: so are all arrays
    double *first, *since;   // largest while it was young; when it began to move
    long *limiting, *recent; // how often its error was the largest; in the present window
    double largest;          // of all `first`
    long steps, looks;
    double window_time, middle_time;
    long window_steps;
    double least_step, least_time;
    bool warned;
} Watch;

typedef struct SolveJob {
    Machine *m;
    const Program *p;
    const SolveOptions *o;
    SolveStats *stats;
    Report *r;
    SolveStatus status; // what the run ends with
    int n, nq;          // states and quadratures
    double time;        // where the present stretch began, or ended
    long calls;         // of the machine, when it was taken
    Choosing choice;
    bool changed_over; // it goes on from the last with another method: nothing else has changed
    bool anew;         // it starts anew where it was, as something was changed from outside
    bool resumed;      // it began with a change of mode: switches and conditions are settled
    double rtol, step, span;
    Sizes sizes;
    double *known_sizes; // per variable of a model with modes: largest and recent, see sizes.c
    long most_steps;
    int next;      // in the list of wanted points
    double wanted; // the next wanted point; infinite: there is none
    SolvePoint at; // the last one that was handed over, while it is
    double *state, *quad, *output, *rate;
    double *peak; // outputs inside of a step, see peaks.c
    Trouble trouble;
    // events
    double *phase;                  // clocks: phase and rate in pairs
    double *event_function, *ahead; // switch functions here and a little later
    double *argument;               // of functions with pieces, before an event
    double *seen, seen_time; // the last switch functions without shifts, and where: seen_state
    double *seen_state;      // seen_time NaN: nowhere
    double *later;           // the state a little later
    double *fold;            // of a small step: sums, last rates, weights (folds.c)
    int refused;             // 2 for each step in which a loop had no solution, less 1 for others
    int folds;               // so far
    double *shift;           // of zeros at which a mode began, until they are left behind
    double chatter_time;     // when the present burst of events began
    long chatter_count;
    double sliding_time; // the same of events that lead straight back
    long sliding_count;
    int last_switch; // that changed
    WhenRun when;
    ModeRun modes;
    History *history;     // NULL: nothing is delayed
    Scout *scout;         // NULL: nothing moves by time alone
    Enclosure *enclosure; // NULL: of nothing are bounds known
    bool *closed;         // relations of which these have told that they do not change in the step
    double *inside,
        *unknown;      // of between.c: event functions inside the step; unknowns of blocks, kept
    double inside_end; // the end of the last step that was looked into; NaN: none
    bool own_jump;     // the next jump in time is not only one of the past that comes back
    Schur *schur;      // NULL until needed
    EngineRun engine;
    Watch watch;
    // progress
    long polls;
    int idle; // steps without progress in time
    struct timespec begin, shown;
    double waited;      // seconds, for the caller of a run in pieces
    const Remark *told; // the last remark when progress was last shown
} Job;

// --- solve.c: a run begins, with an end for every beginning, also for one that failed
bool solve_begin(Job *j, Machine *m, const double *params, const SolveOptions *o, SolveStats *stats,
                 Report *r);
SolveStatus solve_end(Job *j);

// --- saved.c
bool saved_load(Job *j); // as SolveOptions.from says; false: it does not fit, reported

// --- folds.c
void fold_open(Job *j);           // loops stay on their branch from now on
bool fold_is_loose(const Job *j); // rates are found without it (machine_loosen_branch)
// Did a step to here leave the branch, though its rates had values? Where it ends that is noted. A
// step that strayed is to be taken again, with machine_loosen_branch(m, false).
BranchLook fold_look(Job *j, double time, const double *state);
bool fold_is_near(
    Job *j); // after a step: loops had no solution at points that it tried, again and again
// From a point beyond which a loop has no solution on its branch, with the last step that was
// tried: to another branch, or at least nearer. False: neither.
bool fold_pass(Job *j, double *time, double *state, double *quad, double step);

// --- job.c
void job_init(Job *j, Machine *m, const SolveOptions *o, SolveStats *stats, Report *r);
void job_free(Job *j);
void job_take(Job *j, Machine *m); // room for the program of another machine
void job_leave(Job *j);
bool job_rates(Job *j, double time, const double *state, double *rate, double *quad);
bool job_emit(Job *j, double time, const double *state, const double *quad); // false: stop
bool job_hand_over(Job *j, double time, const double *state,
                   const double *quad);                       // the same, with j->output as it is
void job_note_fold(Job *j, double time, const double *state); // the last block has no solution
void job_block_failed(Job *j, double time, const double *state); // reports it
bool job_poll(Job *j, double time);                              // false: stop; the status says why
bool job_is_stuck(Job *j, double time); // many steps were lost in the rounding of the time
bool job_in_trouble(const Job *j);      // the rates had no value in the present step
double job_seconds(const Job *j);
static inline bool job_wants(const Job *j, double time) { // a wanted point up to this time?
    return j->wanted <= time && j->wanted < (double)INFINITY;
}
void job_ignore_words(int code, const char *module, const char *function, char *words,
                      void *user); // in place of the library's messages on stderr

// Something happened again: at what time do its moments pile up? NaN: they do not.
double job_pile_up(const Job *j, EventGaps *p, double time);
bool gaps_have_died(
    const EventGaps *p); // are gaps a millionth of what they were before they shrank?
// While gaps shrink, steps are kept shorter than the next gap: what happens in it may be smaller
// than the tolerances, and a step over all of it would miss the event.
double gaps_longest_step(const EventGaps *p, double time);

// After every accepted step: are the states of sets still well chosen? *changed: `state` is others
// now, and the method starts anew. False: a problem, reported.
bool job_choose(Job *j, double time, double *state, bool *changed);

// --- bands.c
double *bands_room(const Program *p); // to free
#define BANDS_DIGITS 1e-11            // how far states are uncertain where modes change
// What the last digits of states and time may do to event functions; false: they have no values.
bool bands_find(Machine *m, double time, const double *state, double digits, double *room);
// ... and what the tolerance of the run may do, at least, in the present mode.
bool bands_widen(Job *j, double time, const double *state, const double *size, double *room);
// ... and none of those that are beside a jump, not near a zero.
bool bands_leave_jumps(Job *j, double time, const double *state, double *room);
bool bands_keep_still(Job *j, const double *state, double *room);
// Relations at their zeros stay as they are until they are clear of them, by j->shift; those
// that have just crossed (direction, nullable) and decide about nothing but rates by the tolerance.
void bands_stay(Job *j, double time, const double *state, const int *direction);

// Values below this are nothing, whatever their unit: their squares would underflow. A signal that
// fades in from zero passes through such values.
#define JOB_MOST_WEIGHT 1e100 // 1/tolerance

// --- sizes.c
void sizes_open(Job *j);
void sizes_close(Job *j);
void sizes_start(Job *j, double time, const double *state); // also after events
// After an accepted step. True: tolerances of integrals have changed.
bool sizes_step(Job *j, double time, const double *state, const double *quad, double step);
// Rounding was looked at with the last step; what of it each state gets through an implicit
// method's matrix: solve finds x = M^-1 b.
typedef bool SizesSolve(void *context, const double *b, double *x);
bool sizes_wants_rounding(const Job *j);
void sizes_pass_rounding(Job *j, double gamma, SizesSolve *solve, void *context);
double sizes_of(const Job *j, int state);
bool sizes_implicit(const Job *j);   // does the method damp what decays?
double sizes_part(const Job *j);     // of a size that is the tolerance of a state at zero
void recent_floors(Sizes *s, int n); // after the largest of a group so far has changed
void recent_step(Sizes *s, int n, const double *x, bool implicit, bool roughly);
void sizes_weights(const Job *j, const double *x, double *weight); // 1/tolerance
// The same by the largest sizes so far, for equal steps and for a look at the whole run.
void sizes_wide_weights(const Job *j, const double *x, double *weight);
void sizes_unknown_weights(const Job *j, const double *u, double *weight);
double sizes_quad_tolerance(const Job *j, int i); // absolute

// --- jumps.c: before switches change, and after; nothing when nobody wants to know
double *jumps_before(Job *j, double time, const double *state);
void jumps_after(Job *j, double time, double *state, double *sides);

// --- watch.c
void watch_open(Job *j);
void watch_close(Job *j);
// After an accepted step. worst: the state with the largest error, -1: not known. False: the run
// leads nowhere, which is reported.
bool watch_step(Job *j, double time, const double *state, double step, int worst);
bool watch_will_look(const Job *j); // is the state of the next step looked at?
bool watch_wants_worst(const Job *j);
void watch_tell(const Job *j, char *out, size_t size); // what kept steps short, in words
const char *watch_name(const Job *j, int var);

// --- jacobian.c
bool job_has_jacobian(const Job *j);    // by formulas or by a bearable number of differences
double job_jacobian_cost(const Job *j); // in evaluations of the rates, besides those it makes
bool job_jacobian(Job *j, double time, const double *state, double *nonzero); // false: no value
// Per state: the rate of its own decay, and what the last digit of any other does to its rate; 0
// where none is known.
void job_decays(Job *j, double time, const double *state, double *decay, double *digits);

// --- choice.c: `auto`
SolverKind choice_first(Job *j);
// After a step to t: false when another method goes on from there, with SOLVE_CHANGE.
bool choice_watch(Job *j, double t, const double *y, double step);

// --- rosenbrock.c: a step of fixed.c. NULL when there is no Jacobian.
typedef struct Rosenbrock Rosenbrock;
Rosenbrock *rosenbrock_new(Job *j);
void rosenbrock_free(Rosenbrock *s);
bool rosenbrock_step(Rosenbrock *s, double t, double h, double *y); // states, then quadratures

// --- events.c: these may change the state, by `when`. False: a problem, reported.
bool events_start(Job *j, double time, double *state); // switches as they are just after time
// Switches cross in the given directions (+1 rising, -1 falling, 0 not).
bool events_cross(Job *j, double time, double *state, const int *direction);
// Did switches change that no root announced? Fills direction, as above.
bool events_missed(Job *j, double time, const double *state, int *direction);
// Of the relations that a method found at their zeros, selects those that really cross. False: none
// does.
bool events_leave(Job *j, double time, const double *state, int *direction);
// Sets relations anew after an action. Those whose event function the action did not change stay as
// they are.
void events_settle(Job *j, double time, const double *state, const double *before);
bool event_functions(Job *j, double time, const double *state,
                     double *event_function); // with shifts
// The same, at a point that may have been looked at last while nothing has changed since.
bool event_functions_again(Job *j, double time, const double *state, double *event_function);
double events_margin(const Job *j, double time); // times closer than this are one

// Signals of time that jump, and samples: the last time before the next jump (infinite when there
// is none), and the first one after it in *after.
double events_next_jump(Job *j, double time, double *after);
double events_next_kink(Job *j, double time); // of a table of time; infinite when there is none
long events_kinks(Job *j);                    // how many there are during the run
bool events_jump(Job *j, double time, double *state); // switches as they are after it
// So that no swing is stepped over.
double events_longest_step(Job *j, double time, const double *state);
// Up to which wanted time are values those before the jump?
double events_before(const Job *j, double time, double jump);

// --- scout.c: what moves by time alone
Scout *scout_new(const Job *j); // NULL: nothing
void scout_free(Scout *s);
void scout_forget(Job *j); // parameters are others
// How far may the next step go, if it begins here, ends at the target at the latest, and is not
// longer than `proposed` anyway?
double scout_ahead(Job *j, double time, double target, double proposed);
bool scout_passes(const Job *j, double time); // a kink, since then

// --- between.c: relations that change and change back within a step
typedef struct {
    const double *begin, *end; // states at its ends
    // ... and inside; roughly: good enough to tell whether more is worth while. False: no value.
    bool (*at)(void *context, double time, bool roughly, double *state);
    void *context;
    bool by_steps; // inside are ends of shorter steps, not one curve: bounds say nothing
} StepInside;

void between_open(Job *j);
void between_close(Job *j);
void between_forget(Job *j); // something has changed since the last step
// Is a relation changed at a time inside, and not at the end? Fills direction and time.
bool between_find(Job *j, double from, double to, const StepInside *in, int *direction,
                  double *time);
// The first time at which one of the relations has changed that differ at `to`.
double between_narrow(Job *j, double from, double to, const StepInside *in, const int *direction);

bool between_leave_small(Job *j, double time, const double *state, int *direction);
bool between_is_cut(
    const Job *j); // the step ends there, though nothing changes: it was too long to look into

// --- enclose.c: what happens inside of a step, by bounds
typedef bool EncloseSure(void *context, double time); // more than what the tolerance may do?

Enclosure *enclosure_new(const Job *j); // NULL: nothing to look at
void enclosure_free(Enclosure *e);
// The first time before the end of the step at which a relation has changed. closed: those that need no other look.
bool enclosure_find(Job *j, double from, double to, const StepInside *in, EncloseSure *is_sure,
                    void *context, bool *closed, double *time);
bool enclosure_knows(const Job *j, int relation); // bounds of it?
bool enclosure_is_lost(const Job *j);             // the last step was too long to look at all of it
void enclosure_sleep(Job *j, bool asleep); // no looks by bounds: they cost more than they tell
void enclosure_forget(Job *j);             // relations or pieces may be others

// --- peaks.c: what outputs are inside of a step in which no point was wanted
bool peaks_due(const Job *j, double from, double to); // is this such a step, and does anybody ask?
void peaks_look(Job *j, double from, double to, int parts, const StepInside *in);

// --- whens.c
static inline bool has_whens(const Job *j) { return j->p->system->whens.branch_count > 0; }
bool whens_open(Job *j);
void whens_close(Job *j);
void whens_resize(Job *j); // for the program of another mode
bool whens_start(Job *j, double time, double *state);
bool whens_run(Job *j, double time, double *state);                  // what has become true happens
bool whens_moment(Job *j, double time, double slack, double *state); // with samples due by then
double whens_longest_step(Job *j, double time, const double *state);
double whens_next_moment(const Job *j); // of a sample; infinite when there is none until the end

// --- history.c: delayed signals. False: a problem, reported.
bool history_open(Job *j); // at the start values
void history_close(Job *j);
void history_take(Job *j); // the machine of another mode
void history_leave(Job *j);
void history_pass(Job *j, MachinePass *pass, void *context); // all of it, to save it or put it back
// Goes back to a point inside the last step, at which the run starts anew.
bool history_go_back(Job *j, double time, const double *state);
// Points inside of a step that is over, where its ends do not tell what signals do in between.
void history_inside(Job *j, double from, double to, const StepInside *in);
bool history_add(Job *j, double time, const double *state);   // the end of a step
bool history_break(Job *j, double time, const double *state); // what happened there may jump
double history_next_break(Job *j, double time);               // in a delayed signal
double history_longest_step(const Job *j);
bool history_has_room(Job *j, double step); // is a step shorter than all delays?

// --- engine.c: from the virtual machine to native code
void engine_start(Job *j);
void engine_enter(Job *j, EngineCode *code); // j->m is the machine of another mode from here on
void engine_poll(Job *j, double time);
void engine_close(Job *j);

// --- ahead.c: a little later
double ahead_time(const Job *j);
// The states then, from j->time. rate: n numbers; later: 2 n. False: there is no value.
bool ahead_step(Job *j, Machine *m, const double *state, double *rate, double *later);

// --- modes.c
static inline bool has_modes(const Job *j) {
    return j->o->modes && j->o->modes->model->choice_count;
}
bool modes_open(Job *j);
void modes_close(Job *j);
bool modes_go_on(Job *j); // in modes.mode, from saved values; false: it cannot be entered, reported
bool modes_start(Job *j); // in which mode does the run begin?
bool modes_change(Job *j); // j->time, j->state: which mode holds from here on? False: reported
// Do the present modes still hold? False: the stretch ends here, with SOLVE_SWITCH.
bool modes_hold(Job *j, double time, const double *state);
double modes_longest_step(const Job *j, double time);
bool modes_impact(const Job *j); // a law with impacts is among them

// --- problems.c
Remark *problem_no_mode(Job *j, double time, int choice);
void problem_instants(Job *j, double time, int choice);
void problem_mode_zeno(Job *j, double time, int choice, const EventGaps *gaps, double limit);
void problem_trouble(Job *j);
void problem_chatter(Job *j, double time);
void problem_zeno(Job *j, double time, int branch, const EventGaps *gaps, double limit);
void problem_event_loop(Job *j, double time);
void problem_conflict(Job *j, double time, const Setting *a, const Setting *b, bool state);
void problem_new_value(Job *j, double time, const Setting *s, bool state, double value);
void problem_delay(Job *j, double time, const Delay *d, double length, double bound);
void problem_delay_step(Job *j, const Delay *d, double length, double step);
void problem_sample(Job *j, int sample, double period);
void problem_assertion(Job *j, double time, int branch); // a warning, or the end of the run
void problem_too_many_steps(Job *j, double time);
void problem_step(Job *j, double time, double step, int state); // too small; -1: no state known
void problem_singular(Job *j, double time);
void problem_solver(Job *j, double time, const char *words, long flag);
void problem_start(Job *j, int state);
void problem_stall(Job *j, double time, double step, const int *var, int count);
void problem_growth(Job *j, double time, const int *var, const double *much, int count);
void problem_method_growth(Job *j, double time, double step, int state, double good);
void problem_choice(Job *j, double time);

// --- job.c: a mark for whoever goes along
void job_mark(const Job *j, TrailKind kind, double time, const double *state);
void job_mark_mode(const Job *j, TrailKind kind, const SolveMode *mode, const double *state);

// --- methods: each leaves its result in j->status
void fixed_run(Job *j);
void multistep_run(Job *j);
void rk78_run(Job *j);
void gauss_run(Job *j);

#endif
