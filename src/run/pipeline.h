// The way from text to system: the stages in order, here and nowhere else.
//
//     text --lang--> syntax --lang--> model --mech--> model with mechanisms --graph--> strokes
//     --equations--> system
//
// Whoever wants less stops earlier (`last`). Program and solver follow in run.c.
#ifndef BONDYN_RUN_PIPELINE_H
#define BONDYN_RUN_PIPELINE_H

#include "equations/jump.h"
#include "equations/system.h"
#include "lang/lang.h"

typedef enum {
    STAGE_FLAT,  // the flat model, its mechanisms as they are described
    STAGE_MODEL, // with the laws of its mechanisms
    STAGE_GRAPH,
    STAGE_SYSTEM,
} Stage;

typedef struct {
    Arena arena;                  // of everything below
    const Experiment *experiment; // what is done with the model; NULL: none was asked for
    Model *model; // NULL from the stage on that failed; the graph stays, for explanations
    Graph *graph;
    System *system;
} Pipeline;

typedef struct {
    const char *model, *experiment; // NULL: as lang_instantiate chooses
    LangOptions lang;               // `trace`, `solvers` and `last` are set here
    Stage last;                     // the last stage that is wanted
    // The syntax is not needed after this call: its arena is emptied as soon as the model is made,
    // which large models are thankful for. NULL: the syntax stays.
    Arena *syntax;
    void (*reached)(void *context, Stage stage); // a stage is done, for those who measure; Nullable
    void *context;
} PipelineOptions;

// False with the reasons in r. Free with pipeline_free, also after a failure.
bool pipeline_build(Pipeline *p, Syntax *syntax, const PipelineOptions *o, Report *r);
// The same from a flat model on, whose mechanisms are expanded already or never were there.
bool pipeline_finish(Pipeline *p, const PipelineOptions *o, Report *r);
void pipeline_free(Pipeline *p);

// The system of a model whose laws are those of one mode, and the jump into it; NULL with the
// reasons in r.
System *pipeline_mode(Arena *out, const Model *m, const Memory *memory, Jump *jump, Report *r);

// Options of lang_load that fit: a syntax that later calls build from can call functions of
// mechanisms.
LangOptions pipeline_lang(const LangOptions *given); // Nullable

#endif
