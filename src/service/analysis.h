// What is known about a document: its syntax with all that it imports, the remarks of all stages,
// and the model that it builds.
//
// It is made in steps, so that a server can look for new input between them:
//
//     analysis_new     reads the text and its imports: syntax and its errors
//     analysis_step    the first experiment up to causality; then each experiment up to its
//                      equations, one by one; false when there is no more to do
#ifndef BONDYN_SERVICE_ANALYSIS_H
#define BONDYN_SERVICE_ANALYSIS_H

#include "lang/lookup.h"
#include "run/pipeline.h"
#include "service/store.h"

typedef ARRAY(Report) ReportList;

typedef struct { // one of them
    const char *experiment, *model;
} ModelToBuild;

struct Analysis {
    const Document *document; // NULL: of a file that is not open
    Arena arena;
    Names *names;
    Sources *sources;
    Syntax *syntax;
    ARRAY(ModelToBuild) unit;
    int steps;          // that were made
    ReportList reports; // of the syntax, then of each step
    Pipeline pipeline;  // of the first unit, as far as it came
    bool built;         // analysis_pipeline was asked for it
    LangOptions options;
};

Analysis *analysis_new(const Store *s, const char *path, const Document *d); // Nullable: d
void analysis_free(Analysis *a);
bool analysis_step(Analysis *a);
// Does the document read this file (its real path)?
bool analysis_reads(const Analysis *a, const char *path);
// The pipeline of the first experiment or model of the file, as far as it could be built.
const Pipeline *analysis_pipeline(Analysis *a);

// The analysis of an open document, made when it is old.
Analysis *document_analysis(Document *d);

// Each kind of remark once for each place; stops when `take` says false.
typedef bool (*TakeRemark)(void *context, const Remark *m);
void analysis_remarks(const Analysis *a, TakeRemark take, void *context);

const AstFile *analysis_file(const Analysis *a); // of the document itself; NULL: it has no syntax

#endif
