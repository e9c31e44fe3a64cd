// The inside of a run: what the experiment asks for, turned into outputs and integrals of a
// program, and what comes back point by point.
//
//      records, curves, probes, stored energies          powers, integrals
//                     | outputs_add                             | quads
//                     v                                         v
//                 output[0] output[1] ...                 quad[0] quad[1] ...
//                     |          each expression once, however often it is wanted
//                     v
//      solver -> take point -> rows of tracks, values of probes, the audit's book
#ifndef BONDYN_RUN_JOB_H
#define BONDYN_RUN_JOB_H

#include "base/array.h"
#include "results/extreme.h"
#include "results/shown.h"
#include "results/trace.h"
#include "run/run.h"
#include "run/times.h"

// --- wanted outputs (outputs.c) -----------------------------------------------------------------

typedef struct {
    ARRAY(Expr) expr; // in solved form; in the model's symbols if its laws switch
    uint32_t *slot;   // open hashing: number of an output + 1, or 0
    uint32_t slots;
} Outputs;

int outputs_add(Outputs *o, Expr e); // its number, the same for the same expression
void outputs_free(Outputs *o);

// --- values of symbols (symbols.c) --------------------------------------------------------------

typedef struct {
    const Model *model;
    Arena tmp;
    double *value; // by symbol number
    bool *known;   // by symbol number: it was set
    int count;
    bool evaluated; // parameters have their numbers
} Symbols;

void symbols_open(Symbols *s, const Model *m);
void symbols_close(Symbols *s);
void symbols_set(Symbols *s, Expr symbol, double value);
double symbols_evaluate(Symbols *s, Expr e); // NaN where a symbol is unknown

// --- what is recorded (record.c) ----------------------------------------------------------------

enum { MOST_RECORDED = 2000 };

typedef struct {
    const char *const *pattern; // none: everything, up to a limit
    int count;
} RecordOptions;

// Variables in the order of the model; NULL when a pattern fits none.
int *record_choose(Arena *out, const System *s, const RecordOptions *options, int *count,
                   Report *r);

// --- the job ------------------------------------------------------------------------------------

typedef struct {      // one probe while the run goes on
    int output, quad; // -1: none
    long at;          // number of the point of its time, or -1
    Extreme extreme;
    Extreme narrow; // the same with points inside of steps
    double value;   // NaN until known
    bool cut_off;   // of a time that the command line's `stop` left out
} ProbeTrack;

typedef struct { // a signal at the rows
    int output;  // -1: time; of an integral the number of its quadrature
    Shown shown;
    double *value;    // NULL: only curves look at it
    double now;       // in the present row
    bool kept;        // has values, without being a column
    bool integral;    // over time
    Extreme *extreme; // least, largest; the same with points inside of steps; NULL: nobody asks
} Track;

typedef struct { // the last points, also those inside of steps, of all columns
    long count;
    double time[5], *value[5];
} Recent;

typedef struct { // of a plot
    int x, y;    // tracks
    Trace trace;
} Curve;

typedef struct { // everything about one run
    const System *system;
    const Model *model;
    const RunOptions *options;
    Experiment plan; // the experiment with the options applied
    Run *run;
    Report *report;
    Arena tmp;
    Resolver *resolver;
    Symbols symbols;
    Outputs outputs;
    ARRAY(Expr) quads;
    ARRAY(Track) tracks; // the columns of the results, then what only plots need
    ARRAY(Curve) curves; // of all plots, in order
    Times times;
    TimesCursor wanted, present; // the solver's next point, and the one that it hands over
    AuditBook book;
    bool kinks;        // somebody goes along it with derivatives: programs know their kinks
    bool energy_jumps; // where what prescribes a velocity does
    ARRAY(int) settle_var, settle_output;
    ProbeTrack *probe;      // per probe of the plan
    int cut_off;            // probes of times that the command line's `stop` left out
    Recent recent;          // where extremes are wanted
    const int *watch_track; // per expression of RunOptions.watch
    int *unknown;           // outputs: unknowns of implicit blocks, for partial derivatives
    long taken;             // points so far
    long stride;            // of rows that are kept
    int bad_output;         // first output that was not finite, or -1
    int bad_count;          // outputs that were not at that time
    double bad_time, *bad_state;
} Job;

// What a run evaluates for an expression of the model: its solved form, or, if laws switch, itself,
// as every mode has a solved form of its own.
Expr job_form(Job *j, Expr e);
const double *job_parameters(Job *j, const Program *p); // NULL: as the model says
void job_fill_parameters(const Job *j, const Program *p, double *value);
int job_track(Job *j, Expr e, Shown shown); // the track of an expression, a new one if needed

void audit_want(Job *j); // audit_needs.c

// Rows (rows.c).
void rows_open(Job *j, const Column *column, int count, long rows);
bool rows_add(Job *j, const SolvePoint *p); // false: they cannot be kept
void rows_sides(Job *j, double time, const double *before, const double *after); // of an event
void rows_inside(Job *j, double time, const double *output); // of a step, or of points beside rows
void rows_close(Job *j);

// A run in steps (run.c), for batches: prepare, program, solve, finish, close.
void job_open(Job *j, const System *s, const RunOptions *o, Report *r); // o: Nullable
bool job_is_frequency(const Job *j);     // of frequencies, which has steps of its own
bool job_refuses_analysis(const Job *j); // it is no run: reported
bool job_prepare(Job *j);                // what it evaluates, and room for what comes back
ProgramOptions job_program_options(const Job *j);
SolveOptions job_solve_options(Job *j, const SolveModes *modes);
// The same without any callback: the caller gives those that it wants, with a context of its own.
SolveOptions job_unwatched_options(Job *j, const SolveModes *modes);
bool job_solved(Job *j, Machine *m, SolveStatus status); // false: it could not start
// What solve options have as next_time and sink; the context is the job.
bool job_next_time(void *context, double *time);
bool job_take_point(void *context, const SolvePoint *p);
void job_finish(Job *j);           // rows, probes, verdicts, audit, curves
Run *job_close(Job *j, bool good); // NULL when it was not good

// Curves (curves.c): which tracks, before the run; the pictures, after it.
void curves_want(Job *j);
void curves_finish(Job *j);

// Probes and expectations (probes.c, partial.c, expect.c).
bool probes_want(Job *j); // outputs and integrals; false when one makes no sense
// Times of probes; false when one lies outside the run.
bool probes_times(Job *j, double **extra, int *count);
void probes_find_times(Job *j);                 // once the times are in order
int probes_parts(const Job *j, long intervals); // points of the solver per interval of the results
void probes_point(Job *j, const SolvePoint *p);
void probes_sides(Job *j, double time, const double *before, const double *after); // of an event
void probes_inside(Job *j, double time, const double *output);                     // of a step
bool probe_is_narrow(const Job *j, ProbeTrack *t); // its peak lies between two points
bool probes_want_sides(const Job *j);
// Of its points, or of those inside of steps where that is clearly more.
double peak_value(const Job *j, Extreme *points, Extreme *inside);
void probes_finish(Job *j); // values of all probes
double partial_value(Job *j, const Probe *probe);
void verdicts_make(Job *j);

bool frequency_run(
    Job *j); // frequency.c: the runs of a frequency response; false: they could not start

#endif
