// What stands behind the handles of the public header.
//
//     BdReport   messages as values, and the text that people read
//     BdModel    texts, names, model, graph, system; never changed after bd_load
//     BdRun      a copy of the parts of the model that a run writes into, and what the run gave
//
// A run adds expressions to the graph of expressions (outputs, derivatives) and names beside them.
// So that a model can be shared by threads, each run works on a copy of just these two, under the
// same numbers: all the rest of the model is shared.
#ifndef BONDYN_API_HANDLES_H
#define BONDYN_API_HANDLES_H

#include "base/array.h"
#include "bondyn.h"
#include "run/job.h"
#include "run/pipeline.h"

// --- reports.c

struct BdReport {
    Report report;
    Sources *sources; // the texts that it speaks of; NULL: none yet
    ARRAY(BdMessage) message;
    const Remark *listed,
        *told;      // the last ones in `message` and given by bd_report_tell; NULL: none
    Arena arena;    // of the strings of messages
    Text text, new; // of all, and of those that were told last
};

// Moves what the stages said into the caller's report, which may be NULL, and empties it.
void report_hand_over(Report *from, const Sources *sources, BdReport *to);
// Remarks that were added to `report` itself are listed from now on.
void report_list(BdReport *r);

// --- models.c

enum { KINDS = BD_VARIABLE + 1 };

struct BdModel {
    Arena arena; // of what is listed here
    Names *names;
    Sources *sources;
    Pipeline p;
    const char **experiment;
    int experiment_count;
    int *list[KINDS]; // variables of the model, of each kind
    int count[KINDS];
    double *parameter;  // per variable: the value of a parameter
    const char *source; // text of the file
};

// --- library.c

// The folder of the component library: what the caller asks for, else $BONDYN_LIBRARY, else beside
// this code, else where it is installed.
const char *library_folder(Arena *out, const char *asked);
const char *library_beside(Arena *out); // beside this code, or where it is installed; NULL: nowhere
void code_identity(Text *out);          // version and build: the same code has the same words
const char *code_folder(Arena *out);    // its folder; NULL: not known
bool is_folder(const char *path);

// --- copies.c: model and system with names and expressions of their own

typedef struct {
    Names *names;
    Model model;
    Graph graph;
    System system;
} Copy;

void copy_open(Copy *c, const BdModel *m);
void copy_close(Copy *c);

// --- about.c: what pages ask about a model beside its variables

void about_json(Text *out, const System *s, const Experiment *x); // x: Nullable

// --- options.c

// The options of the caller in the words of src/run; false: reported.
bool run_options_from(const BdModel *m, const BdRunOptions *o, Arena *out, RunOptions *to,
                      Report *r);
// The variable of a parameter that a run can set, or -1: reported.
int settable_parameter(const BdModel *m, const char *name, Report *r);
bool is_settable(const Model *m, const Var *v);

// --- runs.c

struct BdRun {
    const BdModel *of;
    Copy copy;
    Arena arena;
    Run *run; // of a whole run, or NULL
    BdRows rows;
    struct ByHand *by_hand; // of a run that the caller drives, or NULL (points.c)
    struct Pieces *pieces;  // of a run that is advanced in pieces, or NULL (pieces.c)
};

BdRun *run_new(const BdModel *m);
// The rows of results as the header shows them; the arrays live in `out`.
BdRows rows_of(Arena *out, const Results *r);
void by_hand_free(struct ByHand *h);

// Callbacks of a run: what stands between them and src/run.
typedef struct {
    const BdRunOptions *o;
    int cancel;
} Calls;

void calls_put(Calls *c, RunOptions *to);
bool hand_on_rows(void *calls, const Results *block);
// The report of a run, to the caller's report and callback.
void run_tell(const BdModel *m, const BdRunOptions *o, Report *report, BdReport *r);

// --- pieces.c: what the calls for runs by hand do for runs in pieces

void pieces_free(struct Pieces *p);
double pieces_time(const struct Pieces *p);
bool pieces_set(struct Pieces *p, int var, double value);
bool pieces_reset(BdRun *run);
bool pieces_outputs(const BdRun *run, double *value);
void pieces_states(const BdRun *run, double *x);
size_t pieces_save(struct Pieces *p, void *to);
bool pieces_restore(struct Pieces *p, const void *from, size_t size);
BdStatus pieces_status(const struct Pieces *p);

#endif
