// From files to flat models.
//
//     Syntax *s = lang_load(&arena, names, sources, "crane.bond", &options, &report);
//     Model *m = lang_instantiate(&arena, s, "Crane", "Lift", &options, &experiment, &report);
#ifndef BONDYN_LANG_LANG_H
#define BONDYN_LANG_LANG_H

#include "lang/ast.h"
#include "lang/experiment.h"

// A linear model that a text asks for: linear(Plant, inputs = u, at = steady).
typedef struct {
    const AstFile *file;            // where the model or experiment stands
    const char *model, *experiment; // one of them
    const char *const *input, *const *output, *const *state;
    int input_count, output_count,
        state_count;       // none: those of the model, in the order of their names
    bool at_start, steady; // steady: beside the start or the time
    double time;
} LinearAsk;

typedef struct { // its numbers: A, B, C, D row by row
    int n, m, p;
    const double *matrix[4];
    const char *const *state; // names
} LinearNumbers;

struct LangOptions;
struct Syntax;
// False with the reasons in r.
typedef bool (*LinearMaker)(Arena *out, struct Syntax *s, const LinearAsk *ask,
                            const struct LangOptions *options, LinearNumbers *x, Report *r);

typedef struct {        // a solver that experiments can name
    const char *name;   // NULL: the end of the list
    int number;         // Experiment.solver
    bool needs_step;    // its step is fixed, and must be given
    bool is_other_name; // of one that is listed besides
} NamedSolver;

typedef struct LangOptions {
    const char *library;    // folder of the component library
    const char *const *set; // "m = 2 {kg}" from the command line, in order
    int set_count;
    ModelTracer trace; // functions of mechanisms: mech_function; NULL: equations cannot call them
    int most_scalars;  // refuse larger models; 0 = 20 million
    // For large models. When loading: an arena for the bonds as they are written, a third of the
    // syntax; NULL: they go where all of it goes. When instantiating: `last` promises that the
    // syntax is not needed any more, so its bonds are given back as soon as they are connected.
    Arena *bonds;
    bool last;
    // Inputs of the model to run that nothing sets, or only a default of parameters, become
    // discrete variables that whoever drives the run changes: Var.open.
    bool open_inputs;
    // Reads files in place of the file system: memory from malloc and its length, or NULL: there is
    // none. Nullable.
    char *(*read)(void *context, const char *path, size_t *length);
    void *read_context;
    bool over_files; // what `read` does not have is read from the file system
    // Definitions that the file gets as well, as if they stood at its end, with places of their
    // own; what they import can be reached with its file's name only. Nullable.
    const char *added;
    const NamedSolver *solvers; // solvers_to_name; NULL: names of solvers are not looked at
    LinearMaker linear;         // linear(Plant, ...): linear_asked; NULL: it cannot be called
    int linear_depth;           // linear models around this model
} LangOptions;

// A file with everything it imports. Never NULL; look at the report for errors.
typedef struct Syntax {
    Arena *arena;
    Arena *bonds; // of the statements that are bonds, or NULL: they are in `arena`
    Names *names;
    Sources *sources;
    AstFile *files;        // the first is the file asked for; NULL when used up
    struct Lookup *lookup; // definitions by name and who imports whom: lang/lookup.h
    const char *library;   // folder of the component library, or NULL
} Syntax;

Syntax *lang_load(Arena *out, Names *names, Sources *sources, const char *path,
                  const LangOptions *options, Report *r);
Syntax *lang_load_text(Arena *out, Names *names, Sources *sources, const char *name,
                       const char *text, size_t length, const LangOptions *options, Report *r);

// The flat model of `model`, prepared for `experiment`. A model without an experiment is taken
// alone; without both names it is the first experiment of the file, or its last model. NULL on
// error. The graph of expressions is new and belongs to the model: dag_free(m->dag). The experiment
// itself goes to `plan`, NULL where the model is alone. Nullable: plan, options.
Model *lang_instantiate(Arena *out, Syntax *s, const char *model, const char *experiment,
                        const LangOptions *options, const Experiment **plan, Report *r);

#endif
