// What a run leaves behind: columns of numbers with names and units, files, plots, an energy audit,
// and the verdict on the model's expectations.
#ifndef BONDYN_RESULTS_RESULTS_H
#define BONDYN_RESULTS_RESULTS_H

#include "solve/solve.h"

typedef struct {
    const char *name, *unit, *text; // unit "" when unknown
    double *value;                  // row_count values
} Column;

typedef struct {
    Arena arena;
    int column_count;
    Column *column; // the first is time
    int row_count, row_capacity;
    const char *model, *experiment, *solver, *source; // metadata
    bool complete; // false: the run ended early; marked in every file
} Results;

void results_free(Results *r);
int results_column(const Results *r, const char *name); // -1 when there is none

bool results_write_csv(const Results *r, const char *path, Report *report);
bool results_write_hdf5(const Results *r, const char *path, Report *report);
Results *results_read_csv(const char *path, Report *report);
Results *results_read_hdf5(const char *path, Report *report);

// --- plots
// -----------------------------------------------------------------------------------------

typedef struct {
    const char *title;
    const char *x_label; // "time [s]"
    int curve_count;
    const char **label; // "v.f"
    const char **unit;  // curves of one unit share an axis; two units: left and right;
                        // more: stacked panels
    const double **x, **y;
    const int *count;
    const char *footer; // small print: model, experiment; Nullable
} PlotData;

void plot_svg(Text *out, const PlotData *p);

// --- energy audit
// ------------------------------------------------------------------------------------

typedef struct {
    int comp;
    double supplied, dissipated, stored, residual; // joules over the run
} AuditLine;

typedef struct {
    AuditLine *line; // per component with a role, largest throughput first
    int line_count;
    double supplied, dissipated, stored, throughput,
        residual;       // residual = supplied - dissipated - stored
    double relative;    // |residual|/throughput
    int worst;          // component with the largest own residual, or -1
    int worst_junction; // component: junction beside it
    bool pass;
} Audit;

// Text table for people: per component supplied, dissipated, stored; the residual; the worst named.
void audit_print(Text *out, const Audit *a, const System *s);
void audit_json(Text *out, const Audit *a, const System *s);

// --- a whole run
// -------------------------------------------------------------------------------------

typedef struct {
    const Expectation *expectation;
    double left, right, tolerance; // absolute, SI
    bool pass;
} Verdict;

typedef struct {
    const char *const *record; // patterns from the command line, in place of the experiment's
    int record_count;
    SolverKind solver;                                // SOLVER_AUTO: as the experiment says
    double stop, rtol, atol;                          // 0: as the experiment says
    void (*progress)(void *context, double fraction); // Nullable
    void *context;
    const volatile int *cancel; // Nullable
} RunOptions;

typedef struct {
    Arena arena;
    Results results;        // recorded variables
    PlotData *plot;         // one per `plot` of the experiment; without any, a sensible one
    const char **plot_name; // for the file name: "speed_and_force"
    int plot_count;
    Audit audit;
    Verdict *verdict;
    int verdict_count, failed_count;
    SolveStats stats;
    SolveStatus status;
} Run;

// Program, solver, recording, audit, expectations of the model's experiment (a default one when the
// model has none: stop 10 s). NULL when the run could not start. Free with run_free.
Run *run_experiment(const System *s, const RunOptions *o, Report *r);
void run_free(Run *run);

// --- comparison
// --------------------------------------------------------------------------------------

typedef struct {
    const char *name;
    double largest, at_time; // largest distance and where
    double bound;            // tube half-width there
    bool pass;
} Difference;

// Column by column on the times of `a`, `b` interpolated: |a-b| <= atol + rtol*max|a|.
int results_compare(Arena *out, const Results *a, const Results *b, double rtol, double atol,
                    Difference **list, Report *r);

#endif
