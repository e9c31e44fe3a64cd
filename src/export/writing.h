// The inside of an export: what its files share while they write.
#ifndef BONDYN_EXPORT_WRITING_H
#define BONDYN_EXPORT_WRITING_H

#include "export/export.h"
#include "run/job.h"
#include "run/modes.h"

typedef struct { // a program and where its memory lies; models whose laws switch have several
    const Program *p;
    char name[24]; // before the names of its functions
    bool jump;     // into a mode: outputs alone
    long at;       // of its registers
    int basis_at;  // of the columns of its selections
    const int *
        begin; // per unknown of its loops: what is remembered of it, -1: nothing; NULL: it is no mode's
    int first_block; // its blocks are counted behind those of the programs before it
    bool *memory;    // as in Writing
    uint32_t *output;
    int output_count, settle_count;
} Part;

typedef struct { // a mode: numbers of its parts, -1: none
    const int *mode;
    int part, jump, state_count;
} Combination;

typedef struct { // over all programs
    int states, switches, clocks, discrete, resets, samples, block, unknowns, blocks, jump, output,
        loops;
    int selection, pivot_rows, rows, columns; // of blocks that choose states; columns: of all
    long registers;
    bool settles;
} Most;

typedef struct {
    Export *e;
    Job own, *job;
    Program *base; // of the run's start
    const Program *p;
    const ExportOptions *options;
    Arena tmp;
    Part *part; // that of the run's start first
    int part_count;
    const Part *now;  // whose program is p, and whose are these three:
    bool *memory;     // per register: inner functions read it, so it is no local variable
    uint32_t *output; // registers of outputs: columns, then what settles; of a jump all
    int output_count, settle_count;
    Most most;
    Modes *modes; // of laws that switch; NULL: none
    ModeStore *store;
    Combination *combination;
    int combination_count;
    int *param_var; // parameters of all programs
    int param_count;
    Text *comment;   // per node of the graph, through comment_of
    int *comment_of; // number in `comment` + 1, or 0
    int comment_count;
    const Table **table; // of the program, of switches and of clocks
    int table_count;
    bool trig, nonlinear, quads; // quads: their blocks must be solved for the sake of outputs
    int *input, *input_var;      // inputs that are open: held values, and their variables
    int input_count;
} Writing;

// --- export.c: for callers that write more than the usual files: open, write, close by hand
bool export_open(Writing *w, Export *e, const System *s, const RunOptions *o,
                 const ExportOptions *x, Report *r); // false: reported. Close it in both cases
void export_write(Writing *w);
void export_close(Writing *w);
bool export_refuse(const Writing *w, Report *r, Pos pos, const char *what, const char *help);

// --- parts.c: programs of a model. Those of modes are compiled here. False: refused
bool export_find_parts(Writing *w, Report *r);
void export_turn_to(Writing *w, int part); // p, and its comments
static inline bool has_parts(const Writing *w) { return w->modes; }
// Signals of time that jump or bend: fixed steps end at kinks of tables alone, those of masters at all.
static inline bool has_clocks(const Writing *w) {
    return w->most.clocks && (w->table_count || w->options->unit);
}

// --- modes_text.c: the table of programs, of modes, and names that mean those of the present part
void export_modes(Writing *w, Text *out);
void export_modes_fields(const Writing *w, Text *out, size_t *bytes);
void export_banks(Text *out, const char *text); // registers of the present part

// --- loops_text.c: loops of equations that are solved by iteration and may fold
int loop_unknowns(const Program *p);
void export_loops(const Writing *w, Text *out);  // of the present program
void export_begins(const Writing *w, Text *out); // of it, where a mode is entered
static inline bool has_loops(const Writing *w) { return w->most.loops > 0; }

// --- selection_text.c: states that are chosen during the run
void export_selection_types(Text *out);
void export_selections(const Writing *w, Text *out); // of the present program
int selection_columns(const Program *p);             // of all blocks
static inline bool has_selections(const Writing *w) { return w->most.selection > 0; }

// --- past_text.c: delayed signals
bool has_past(const Writing *w);
long past_room(const Writing *w); // points of the past that are kept
void export_past(const Writing *w, Text *out);

// --- tape_text.c
void export_comments(Writing *w);
void export_comments_free(Writing *w);
void export_memory(Writing *w, Part *part);
// A function `name` (machine, result) that gives 0 when a block has no solution.
void export_tape(Writing *w, Text *out, const char *name, const TapeFunction *f, int count,
                 const uint32_t *result, int result_count);
// The same with derivatives along a direction d, which has a place per register: `name` (machine, d, result, along).
void export_tangent(Writing *w, Text *out, const char *name, const TapeFunction *f, int count,
                    const uint32_t *result, int result_count);
ExportCounts export_count(const Writing *w, const TapeFunction *f, int count);

// --- header_text.c
void export_header(Writing *w);
double export_step(const Job *j); // of the grid

// --- model_text.c
void export_source(Writing *w);
void export_main(Writing *w);
enum { EXPORT_PARTS = 20 };
void export_parts(const Writing *w, const char **chosen); // of the texts that the model needs
int export_table(const Writing *w, const Table *t);

// --- blocks_text.c
void export_blocks(Writing *w, Text *out); // functions of the present program's
void export_block_table(const Writing *w, Text *out);

// --- classic_text.c
void export_classic(Export *e);

// --- sections.c
void export_sections(Text *out, const char *text, const char *const *chosen); // NULL ends them
// A .def without its KERNEL( ) lines.
void export_kernels(Text *out, const char *text, bool single);
void export_prefixed(Text *out, const char *text, const char *prefix); // model_ becomes prefix_
void export_single(Text *out, const char *text);                       // float in place of double

// Files of this folder and of others, as they stand there (cmake/embed.cmake).
extern const char asset_runtime_text[], asset_steps_text[], asset_events_text[], asset_modes_text[],
    asset_selection_text[], asset_folds_text[], asset_past_text[], asset_trig_text[],
    asset_main_text[];
extern const char asset_kernels_def[], asset_table_def[];

#endif
