// Bondyn as a library: load a model, look at it, run it whole or piece by piece, or evaluate its
// equations point by point.
//
//     BdReport *r = bd_report_new();
//     BdModel *m = bd_load("crane.bond", NULL, r);
//     BdRun *run = m ? bd_run(m, NULL, r) : NULL;
//     if (run) printf("%g\n", bd_final(run, "load.q"));
//     else fputs(bd_report_text(r), stderr);
//     bd_run_free(run), bd_model_free(m), bd_report_free(r);
//
// A BdModel never changes once it is loaded: any number of threads may use one at the same time. A
// BdRun is the memory of one run and belongs to one thread at a time; so does a BdReport. A model
// must outlive its runs. Nothing is global, nothing is printed, and no call ends the process.
// Strings that a call returns belong to the object that was asked, and live as long as it does,
// unless the call says otherwise. Numbers are in SI units.
//
// What may be NULL is marked Nullable. Where something goes wrong, the call returns NULL, false or
// -1, and the reasons are in the report.
//
// Link with `pkg-config --cflags --libs bondyn`.
#ifndef BONDYN_H
#define BONDYN_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BD_API __attribute__((visibility("default")))
#else
#define BD_API
#endif

// Versions with the same BD_ABI can replace each other without a new compilation; see
// docs/embedding.md.
#define BD_ABI 1
BD_API const char *bd_version(void); // "0.1.0"
BD_API int bd_abi(void);             // of the library that is linked

typedef struct BdReport BdReport;
typedef struct BdModel BdModel;
typedef struct BdRun BdRun;

// --- reports -------------------------------------------------------------------------------------

typedef enum { BD_NOTE, BD_WARNING, BD_ERROR } BdSeverity;

typedef struct {
    BdSeverity severity;
    const char *code;   // "C012"; it keeps its meaning for good
    const char *file;   // "" when it has no place in a text
    int line, column;   // from 1; 0: no place
    const char *text;   // what is wrong
    const char *remedy; // what to do; "" when there is no advice
} BdMessage;

BD_API BdReport *bd_report_new(void);
BD_API void bd_report_free(BdReport *r); // Nullable: r
BD_API void bd_report_clear(BdReport *r);
BD_API int bd_report_count(const BdReport *r);
BD_API int bd_report_errors(const BdReport *r);                      // how many of them are errors
BD_API const BdMessage *bd_report_message(const BdReport *r, int i); // NULL: there are not so many
// All messages as the program `bondyn` prints them, with the lines they speak of. Until the next
// call that takes the report.
BD_API const char *bd_report_text(const BdReport *r);
// A message of the caller's own, among the others. False: there is no such code. Nullable: remedy.
BD_API bool bd_report_add(BdReport *r, BdSeverity severity, const char *code, const char *text,
                          const char *remedy);
// Those that this call has not given before, for a terminal: no control characters, at most 20
// warnings of a kind, no notes when it should be quiet; at last with their count. Until the next
// call that takes the report.
BD_API const char *bd_report_tell(BdReport *r, bool quiet, bool last);
// What a code means and how to mend it; NULL: there is no such code. Lives for ever.
BD_API const char *bd_explain(const char *code);

// --- models --------------------------------------------------------------------------------------

// Reads a file in place of the file system. Gives memory from malloc and its length, or NULL: there
// is none.
typedef char *(*BdRead)(void *context, const char *path, size_t *length);

typedef struct {
    const char *model;      // NULL: the model of the experiment, or the last one of the file
    const char *experiment; // NULL: the first one of the file; with `model` given: none. With both
                            // the experiment is done with this model in place of its own
    const char *const *set; // "m = 2 {kg}": parameters, also those that decide the structure
    int set_count;
    const char
        *library; // folder of the component library; NULL: $BONDYN_LIBRARY, or the installed one
    BdRead read;  // NULL: files are files
    void *read_context;
    const char *added; // definitions that the file gets as well, as if they stood at its end; NULL: none
} BdLoadOptions;

BD_API BdLoadOptions bd_default_load_options(void);

// Text to equations: units, sizes, causality, index reduction. Nullable: o, r.
BD_API BdModel *bd_load(const char *path, const BdLoadOptions *o, BdReport *r);
// The same from memory; `name` stands for the path in messages, and imports are looked for beside
// it.
BD_API BdModel *bd_load_text(const char *name, const char *text, size_t length,
                             const BdLoadOptions *o, BdReport *r);
BD_API void bd_model_free(BdModel *m); // Nullable: m

BD_API const char *bd_model_name(const BdModel *m);
BD_API const char *bd_model_experiment(const BdModel *m); // "" when there is none
BD_API int bd_experiment_count(const BdModel *m);         // of its file
BD_API const char *bd_experiment_name(const BdModel *m, int i);

typedef enum {
    BD_PARAMETER,
    BD_INPUT,
    BD_OUTPUT,
    BD_STATE,
    BD_VARIABLE, // everything that a run can record
} BdKind;

typedef struct {
    const char *name; // its path: "arm.spring.q"
    const char *unit; // for people: "N/m"; values are in SI all the same
    const char *text; // its description, or ""
    double value;     // of a parameter; otherwise NaN
    bool settable;    // bd_set and BdRunOptions.set can change it; an input: bd_set_input can
} BdVariable;

BD_API int bd_count(const BdModel *m, BdKind kind);
BD_API bool bd_variable(const BdModel *m, BdKind kind, int i, BdVariable *to); // false: not so many
BD_API int bd_find(const BdModel *m, BdKind kind, const char *name);           // -1: there is none

typedef enum {
    BD_EQUATIONS_TEXT,
    BD_EQUATIONS_LATEX,
    BD_EQUATIONS_JSON,
    BD_GRAPH_SVG,
    BD_GRAPH_DOT,
    BD_CAUSALITY,      // who sets what on every bond, and why
    BD_EQUATIONS_HTML, // typeset for browsers (MathML)
    BD_ABOUT,          // JSON: times, plots, live inputs, units, components and bonds with their variables
} BdForm;

// The model as text. Free with bd_free.
BD_API char *bd_text(const BdModel *m, BdForm form);

typedef struct { // a box of the bond graph that stands where somebody has put it
    const char *path;
    double x, y;
} BdPlace;

typedef struct {
    const char *scope; // the inside of this part alone; NULL: the whole
    int depth;         // parts deeper than this are boxes; 0: none
    const BdPlace *place;
    int place_count;
} BdGraphOptions;

// The bond graph as SVG. Nullable: options. Free with bd_free.
BD_API char *bd_graph(const BdModel *m, const BdGraphOptions *o);
BD_API void bd_free(void *memory); // Nullable

// --- runs ----------------------------------------------------------------------------------------

typedef struct {
    const char *name; // of a parameter that is settable
    double value;     // SI
} BdSetting;

typedef struct {
    int columns;             // column 0 is time
    const char *const *name; // per column
    const char *const *unit; // per column: that of its values
    int rows;
    const double *const *value; // per column: `rows` values
} BdRows;

typedef struct {
    const char *solver;        // "auto", "rk78", "bdf" ...; NULL: as the experiment says
    const char *engine;        // "auto", "vm" or "native"; NULL: auto
    double stop, rtol, atol;   // 0: as the experiment says
    const char *const *record; // patterns of names: "arm.*"; none: as the experiment says
    int record_count;
    const BdSetting *set;
    int set_count;
    // Takes the rows block by block; then the run keeps none. False ends the run. Nullable.
    bool (*rows)(void *context, const BdRows *block);
    bool (*progress)(void *context, double fraction);   // false ends the run; Nullable
    void (*message)(void *context, const BdMessage *m); // as soon as the run is over; Nullable
    void *context;
} BdRunOptions;

BD_API BdRunOptions bd_default_run_options(void);

typedef enum {
    BD_DONE,
    BD_ENDED_EARLY, // the report says why; what was computed is there
    BD_CANCELLED,   // by a callback
    BD_GOING,       // of bd_start: it waits for bd_advance
} BdStatus;

// The experiment from its start to its stop: solver, events, energy audit, expectations. Nullable:
// o, r. NULL: it could not start.
BD_API BdRun *bd_run(const BdModel *m, const BdRunOptions *o, BdReport *r);
BD_API void bd_run_free(BdRun *run); // Nullable: run

BD_API BdStatus bd_status(const BdRun *run);
BD_API const BdRows *bd_rows(const BdRun *run);                     // what was recorded
BD_API const double *bd_column(const BdRun *run, const char *name); // NULL: it was not recorded
BD_API double bd_final(const BdRun *run, const char *name); // its last value; NaN: not recorded

typedef struct {
    const char *solver; // that was used
    long steps, evaluations, events;
    double reached;                                // time
    double supplied, dissipated, stored, residual; // J, of the energy audit; NaN: it was off
    bool balanced;                                 // the audit holds, or was off
    int expectations, failed;                      // of the experiment
} BdSummary;

BD_API BdSummary bd_summary(const BdRun *run);
// A page for the browser with motion, plots, graph, equations and energy of the experiment. Free
// with bd_free. Nullable: o, r. NULL: the run could not start.
BD_API char *bd_page(const BdModel *m, const BdRunOptions *o, BdReport *r);

// --- verbs ---------------------------------------------------------------------------------------

// All that the program `bondyn` does is a call: a verb with arguments and options, which gives text and
// files. `bondyn poles crane.bond Lift --at 2 --json` is
//
//     const char *words[] = {"crane.bond", "Lift"};
//     BdOption options[] = {{"at", "2"}};
//     BdVerbOptions o = bd_default_verb_options();
//     o.argument = words, o.argument_count = 2, o.option = options, o.option_count = 1, o.json = true;
//     char *text;
//     if (bd_verb("poles", &o, &text, r) == BD_GOOD) puts(text);
//     bd_free(text);
//
// `bondyn VERB --help` tells what a verb takes; bd_verb_info and bd_option_info say the same to programs.

typedef struct {
    const char *name;  // "set"; some may be repeated
    const char *value; // "m = 2 {kg}"; NULL: it takes none
} BdOption;

typedef enum { // also the exit codes of the program
    BD_GOOD = 0,
    BD_WRONG_INPUT = 1,   // errors in the input, or files that cannot be read or written
    BD_WRONG_USE = 2,     // of verb, arguments or options
    BD_UNBALANCED = 3,    // energy was made or lost
    BD_UNMET = 4,         // an expectation failed; compare: the results differ
    BD_EARLY = 5,         // a run ended early, or a recorded value is no number
    BD_INTERRUPTED = 130, // by `cancel`; what was computed is kept
} BdOutcome;

typedef enum {
    BD_PREPARES, // a model is built: nothing would be kept
    BD_BEGINS,   // something that may take long: `what`
    BD_GOES_ON,  // with a fraction from 0 to 1, or NaN
    BD_ENDS,
} BdPhase;

typedef struct {
    const char *const *argument;
    int argument_count;
    const BdOption *option;
    int option_count;
    bool json;                  // one JSON object, messages included, in place of text
    bool terminal;              // the text is for a screen: pictures go into files
    const volatile int *cancel; // becomes 1 in a signal handler or another thread; Nullable
    BdRead read;                // texts of models; NULL: files are files
    void *read_context;
    // All Nullable. In a callback bd_report_tell gives the messages that have come so far.
    bool (*text)(void *context, const char *text, size_t length); // as it comes; false: it is lost
    void (*aside)(void *context, const char *text);               // words beside it, for people
    void (*progress)(void *context, BdPhase phase, const char *what, double fraction);
    bool (*agrees)(void *context, const char *question); // NULL: nobody does
    void (*file)(void *context, const char *path);       // at the end: each file that was read
    void *context;
} BdVerbOptions;

BD_API BdVerbOptions bd_default_verb_options(void);

// Nullable: o, text, r. `text` gets what no callback takes; free with bd_free.
BD_API BdOutcome bd_verb(const char *verb, const BdVerbOptions *o, char **text, BdReport *r);

typedef struct {
    const char *name, *arguments; // "FILE [EXPERIMENT]"
    const char *summary;
} BdVerbInfo;

typedef struct {
    const char *name;
    char letter;          // of a short form; 0: none
    const char *argument; // "TIME"; NULL: it takes no value
    const char *help;
} BdOptionInfo;

BD_API bool bd_verb_info(int i, BdVerbInfo *to); // false: there are not so many
BD_API bool bd_option_info(const char *verb, int i, BdOptionInfo *to);

// A server of the Language Server Protocol: bytes go in, bytes come out by `write`. Nullable: library.
typedef struct BdServer BdServer;
BD_API BdServer *bd_lsp_new(const char *library,
                            void (*write)(void *context, const char *bytes, size_t length),
                            void *context);
BD_API void bd_lsp_receive(BdServer *s, const char *bytes, size_t length);
BD_API bool bd_lsp_work(BdServer *s); // a step of what can wait; false: there is no more
BD_API bool bd_lsp_ended(const BdServer *s);
BD_API int bd_lsp_free(BdServer *s); // 0: the client ended in good order. Nullable: s

// --- piece by piece ------------------------------------------------------------------------------

// The experiment at its start, with the solver that it has. Inputs of the model that nothing sets
// are open: they begin at their default, or zero, and keep the value that bd_set_input gives them.
// Nullable: o, r.
BD_API BdRun *bd_start(const BdModel *m, const BdRunOptions *o, BdReport *r);

// On to a time up to the stop, with all events, samples and modes on the way. The solver steps past
// it and reads off what is wanted there, so pieces do not disturb a run: with fixed steps whose grid
// they hit, and with cvode and ida, the bits are those of bd_run. Where something was changed since
// the last call it starts anew at the present time, as at a jump of a signal. To the present time:
// outputs are as they are after the change. At the stop the run is judged as by bd_run. False: an
// error, reported; bd_status tells whether the run is over. Nullable: r.
BD_API bool bd_advance(BdRun *run, double time, BdReport *r);

// SI, from now on. False: no such input, or not finite. `input`: as bd_find counts them.
BD_API bool bd_set_input(BdRun *run, int input, double value);
// What is recorded, at the present time, SI. NaN: it is not recorded.
BD_API double bd_value(const BdRun *run, const char *name);
// From any thread or callback: the bd_advance that is at work returns true at the next row. The next
// one goes on.
BD_API void bd_pause(BdRun *run);

// A run in pieces with a picture in three dimensions: as bd_start, and it knows where bodies are.
BD_API BdRun *bd_start_view(const BdModel *m, const BdRunOptions *o, BdReport *r);
// Bodies with their shapes and meshes, as JSON. Free with bd_free. Nullable: r. NULL: there are none, or not
// from bd_start_view.
BD_API char *bd_scene(const BdRun *run, BdReport *r);
BD_API int bd_body_count(const BdRun *run);
// At the present time, 7 numbers per body: x y z, then the quaternion w x y z.
BD_API void bd_poses(const BdRun *run, double *pose);
// Efforts on its mechanisms that come in by bonds, as the scene lists them (`arrows`): 3 numbers each, in the world.
BD_API int bd_arrow_count(const BdRun *run);
BD_API void bd_arrows(const BdRun *run, double *vector);

// --- many runs -----------------------------------------------------------------------------------

typedef struct {
    int runs;
    const char *const *name; // parameters that differ from run to run
    int name_count;
    const double *value; // runs x name_count, SI, row by row
    int lanes;           // runs at a time in one core; 0: as many as the processor has SIMD lanes
    // A run is over; it is freed after the call. `run` is NULL when it could not start. False ends
    // the batch.
    bool (*done)(void *context, int number, const BdRun *run, const BdReport *r);
    void *context;
} BdBatch;

// Each run gives what bd_run would give, to the last bit. Nullable: o, r. Its number of runs, or
// -1.
BD_API int bd_batch(const BdModel *m, const BdBatch *b, const BdRunOptions *o, BdReport *r);

// --- many runs side by side, step by step ----------------------------------------------------------

// Runs of one experiment with open inputs, one per SIMD lane, for control and learning. They stand in groups; groups do not
// know of each other, so several threads may lead one crowd, each its groups. Needs a fixed-step method whose
// grid dt is on, laws that do not switch and a C compiler; else NULL, with the reason.
typedef struct BdCrowd BdCrowd;
enum { BD_CROWD_GOES_ON, BD_CROWD_ENDED, BD_CROWD_FAILED }; // how a run is after a step

// dt: seconds of a step; input: as bd_find counts them. Nullable: o, r.
BD_API BdCrowd *bd_crowd_new(const BdModel *m, int runs, double dt, const int *input,
                             int input_count, const BdRunOptions *o, BdReport *r);
BD_API void bd_crowd_free(BdCrowd *c); // Nullable: c
BD_API int bd_crowd_lanes(const BdCrowd *c);
BD_API int bd_crowd_groups(const BdCrowd *c);
BD_API int bd_crowd_columns(const BdCrowd *c); // what is recorded, without time
BD_API const char *bd_crowd_name(const BdCrowd *c, int column);
// Groups from `first` to before `last`. value: the columns, in units of their declarations, a row per run of the whole
// crowd. To the start.
BD_API void bd_crowd_reset(BdCrowd *c, int first, int last, double *value);
// The same for some: which, per run of the crowd. The others, and their rows, stay as they are. Nullable: which (all).
BD_API void bd_crowd_restart(BdCrowd *c, int first, int last, const bool *which, double *value);
// A step. inputs: SI, a row per run; state: per run. A run that is over begins again with the next step, which does nothing
// else for it; rows of runs that failed stay as they were.
BD_API void bd_crowd_step(BdCrowd *c, int first, int last, const double *inputs, double *value,
                          unsigned char *state);

// --- point by point ------------------------------------------------------------------------------

// A run that the caller drives: at its start, with consistent start values. Models whose laws
// switch between modes are refused: use bd_run or bd_start. Nullable: o, r. Engines (BdRunOptions.engine)
// give the same bits: "native" waits for the compiler here; "auto" has it work in the background when
// calls have been many, and goes over to its code when that is there.
BD_API BdRun *bd_open(const BdModel *m, const BdRunOptions *o, BdReport *r);

BD_API double bd_time(const BdRun *run);
BD_API void bd_get_states(const BdRun *run, double *x);             // bd_count(m, BD_STATE) values
BD_API void bd_set_point(BdRun *run, double time, const double *x); // Nullable: x, to keep it
BD_API bool bd_set(BdRun *run, const char *parameter,
                   double value); // false: not settable, or not finite
// Start values of the present parameters; a run of bd_start goes back to its start.
BD_API bool bd_reset(BdRun *run, double time);

// At the present point. False: an equation has no solution there.
BD_API bool bd_rates(BdRun *run, double *rate); // d x / d time
BD_API bool bd_outputs(BdRun *run,
                       double *value); // bd_rows(run)->columns - 1 values: what is recorded
BD_API bool bd_jacobian(BdRun *run, double *dense); // d rate / d x, exact; n x n, column by column
BD_API int bd_event_count(const BdRun *run);
BD_API bool bd_event_functions(BdRun *run, double *z); // a change of sign is an event

// Everything that a run of bd_open or bd_start remembers, to go on from there later, also in another
// run of the same model with the same options: same bits. A run of bd_start starts its solver anew
// where it was saved; after bd_restore or bd_reset it keeps no rows and is not judged.
BD_API size_t bd_saved_size(const BdRun *run);
BD_API void bd_save(const BdRun *run, void *to);
BD_API bool bd_restore(BdRun *run, const void *from,
                       size_t size); // false: not saved from such a run

#ifdef __cplusplus
}
#endif

#endif
