// A chain as a running program: text to machine in one call.
#ifndef BONDYN_BENCH_MODEL_H
#define BONDYN_BENCH_MODEL_H

#include "chain.h"
#include "engine/native.h"
#include "run/pipeline.h"

typedef struct {
    Arena syntax, bonds;
    Pipeline pipeline;
    Names *names;
    Sources *sources;
    Report report;
    Model *model;
    System *system;
    Program *program;
} BenchModel;

// Outputs are the joints' coordinates. Ends the process with the report when it goes wrong.
void model_open(BenchModel *m, const Chain *c, const ChainState *s, bool damped);
// The experiment "Run" of a text, with these outputs.
void model_open_text(BenchModel *m, const Text *text, const char *const *output, int outputs);
void model_close(BenchModel *m);
// Waits for the compiler, and ends the process where there is none. Nullable: seconds, processor
// time of the compiler.
Native *model_native(const BenchModel *m, const NativeOptions *o, double *seconds);
// Coordinates and momenta of a state; its efforts become parameters of the machine.
void model_state(Machine *machine, const Chain *c, const ChainState *s, double speed,
                 double *state);

#endif
