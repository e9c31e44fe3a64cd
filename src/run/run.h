// A whole run: the experiment of a model, with everything that it asks for.
#ifndef BONDYN_RUN_RUN_H
#define BONDYN_RUN_RUN_H

#include "lang/experiment.h"
#include "results/audit.h"
#include "results/columns.h"
#include "results/plot.h"

typedef struct {
    const Expectation *expectation;
    double left, right, tolerance; // absolute, SI
    bool pass;
    const char *of; // at which value of a parameter, where there are several: "k = 3"; or NULL
} Verdict;

typedef struct {
    const Experiment *experiment; // what is run: Pipeline.experiment; NULL: a model alone, for 10 s
    const char *const *record;    // patterns from the command line, in place of the experiment's
    int record_count;
    const Expr *watch; // expressions of the model to keep besides, for pictures
    int watch_count;
    const Expr *integrate; // the same, their integrals over time since the start
    int integrate_count;
    // Takes the rows block by block; then they are not kept. False ends the run. Nullable.
    bool (*rows)(void *context, const Results *block);
    void *rows_context;
    double rows_room;        // bytes that there are for rows as text; 0: not known
    bool extremes;           // Run.least and Run.most are wanted
    int most_rows;           // otherwise: keep about so many, evenly; 0: all
    const int *set_var;      // parameters that have another value in this run: plain numbers in the
    const double *set_value; // model, SI here
    int set_count;
    const double *start_state; // states to begin with, in place of start values; Nullable
    bool solver_given; // `solver` stands before that of the experiment, SOLVER_AUTO included
    SolverKind solver; // another than SOLVER_AUTO always does
    EngineKind engine;
    double stop, rtol, atol, max_step, min_step;      // 0: as the experiment says
    long most_steps;                                  // 0: as the solver decides
    void (*progress)(void *context, double fraction); // Nullable
    void *context;
    const volatile int *cancel; // Nullable
} RunOptions;

typedef struct {
    Arena arena;
    Results results; // recorded variables; the caller may set results.source
    long rows;       // of the run; results may hold fewer, see RunOptions
    bool rows_lost;  // RunOptions.rows refused some
    double *least,
        *most;      // per column, of rows, sides of events and insides of steps; NULL: nobody asked
    PlotData *plot; // one per `plot` of the experiment; without any, a sensible one
    const char **plot_name; // for the file name: "speed_and_force"
    int plot_count;
    const double **watched;    // per expression of RunOptions.watch: results.row_count values, SI
    const double **integrated; // per expression of RunOptions.integrate, likewise
    Audit audit;
    Verdict *verdict;
    int verdict_count, failed_count;
    SolveStats stats;
    SolveStatus status;
    bool not_finite; // a recorded or drawn value was no finite number at some time
} Run;

// Program, solver, recording, audit, expectations of the experiment in the options. NULL when the
// run could not start. Free with run_free. Nullable: o. Expectations and names point into the
// model, which must outlive the run.
Run *run_experiment(const System *s, const RunOptions *o, Report *r);
void run_free(Run *run);

// Verdicts of the same expectations elsewhere: of each two the one that is nearer to failing stays in *to, which
// takes the whole run where it has none. `of` says where; it must outlive *to.
void verdicts_join(Run **to, Run **from, const char *of);
// One line per expectation; a failed one has a second line with both sides and the distance.
void verdicts_print(Text *out, const Run *run, const System *s);
void verdicts_json(Text *out, const Run *run, const System *s);

#endif
