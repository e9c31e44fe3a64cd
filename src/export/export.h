// A model as C99 that stands alone: no library but libm, no allocation, no mutable globals.
//
//     experiment -> job_prepare -> Program        what a run evaluates, in the same order
//                                     |
//          tape_text.c   tapes as functions, an equation above its code
//          model_text.c  data: names, tables, branches of `when`, switches; blocks_text.c, header_text.c
//          runtime.text, steps.text, events.text
//                        steps, events and samples of solve/fixed.c, over those functions
//          parts.c, modes_text.c, modes.text   laws that switch: a program for each mode (solve/modes.c)
//          selection_text.c, selection.text    states that are chosen during the run (engine/choices.c)
//          loops_text.c, folds.text            loops that iterate, on their branch (engine/branch.c, solve/folds.c)
//          past_text.c, past.text              delayed signals (solve/history.c)
//                                     |
//                        model.c  model.h  main.c  right_side.c  README.md
//
// Compiled without contraction it gives the numbers of `bondyn run` with the same fixed-step method,
// bit by bit: the program is the one that the run would have, and all is evaluated in its order.
#ifndef BONDYN_EXPORT_EXPORT_H
#define BONDYN_EXPORT_EXPORT_H

#include "engine/program.h"
#include "run/run.h"

typedef struct {
    bool single;     // float in place of double
    bool unit;       // a part of an FMU
    bool any_solver; // others will integrate: the experiment may have steps of its own choice
} ExportOptions;

typedef struct { // operations of one evaluation of the rates
    long sums, products, divisions, functions, choices, blocks;
} ExportCounts;

typedef struct {
    Text header, source, main, readme, classic;
    char prefix[80];   // of all names in C
    char asked[80];    // the model's name, where C forbids it; else empty
    size_t bytes;      // of memory of one run
    ExportCounts rate; // evaluations: 1, 2 or 4 each step
    int rates_per_step;
    int inputs; // that are set from outside
} Export;

// Needs: a system with its experiment.  Gives: texts of files; false: reported. Free it in both cases.
bool export_c(Export *e, const System *s, const RunOptions *o, const ExportOptions *x, Report *r);
void export_free(Export *e);

#endif
