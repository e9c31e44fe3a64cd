// The inside of an export: what its files share while they write.
#ifndef BONDYN_EXPORT_WRITING_H
#define BONDYN_EXPORT_WRITING_H

#include "export/export.h"
#include "run/job.h"

typedef struct {
    Export *e;
    Job own, *job;
    Program *p;
    const ExportOptions *options;
    Arena tmp;
    bool *memory;    // per register: inner functions read it, so it is no local variable
    Text *comment;   // per node of the graph, through comment_of
    int *comment_of; // number in `comment` + 1, or 0
    int comment_count;
    const Table **table; // of the program, of switches and of clocks
    int table_count;
    bool trig, nonlinear, quads; // quads: their blocks must be solved for the sake of outputs
    uint32_t *output;            // registers of outputs: columns, then what settles
    int output_count, settle_count;
    int *input, *input_var; // inputs that are open: held values, and their variables
    int input_count;
} Writing;

// --- export.c: what is written, opened and closed by hand, for those who write more
bool export_open(Writing *w, Export *e, const System *s, const RunOptions *o,
                 const ExportOptions *x, Report *r); // false: reported. Close it in both cases
void export_write(Writing *w);
void export_close(Writing *w);
bool export_refuse(const Writing *w, Report *r, Pos pos, const char *what, const char *help);

// --- tape_text.c
void export_comments(Writing *w);
void export_comments_free(Writing *w);
void export_memory(Writing *w);
// A function `name` (machine, result) that gives 0 when a block has no solution.
void export_tape(Writing *w, Text *out, const char *name, const TapeFunction *f, int count,
                 const uint32_t *result, int result_count);
// The same with derivatives along a direction d, which has a place per register: `name` (machine, d, result, along).
void export_tangent(Writing *w, Text *out, const char *name, const TapeFunction *f, int count,
                    const uint32_t *result, int result_count);
ExportCounts export_count(const Writing *w, const TapeFunction *f, int count);

// --- model_text.c
void export_header(Writing *w);
void export_source(Writing *w);
void export_main(Writing *w);
enum { EXPORT_PARTS = 16 };
void export_parts(const Writing *w, const char **chosen); // of runtime.text that the model needs
int export_table(const Writing *w, const Table *t);

// --- classic_text.c
void export_classic(Export *e);

// --- sections.c
void export_sections(Text *out, const char *text, const char *const *chosen); // NULL ends them
// A .def without its KERNEL( ) lines.
void export_kernels(Text *out, const char *text, bool single);
void export_prefixed(Text *out, const char *text, const char *prefix); // model_ becomes prefix_
void export_single(Text *out, const char *text);                       // float in place of double

// Files of this folder and of others, as they stand there (cmake/embed.cmake).
extern const char asset_runtime_text[], asset_trig_text[], asset_main_text[];
extern const char asset_kernels_def[], asset_table_def[];

#endif
