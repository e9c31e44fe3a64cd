// Experiments that analyse: steady, linearize, poles, bode, nyquist, step and impulse, from the point to
// verdicts and files (experiment.c).
//
//     model --analysis_open--> inputs that can be moved --equations--> system --analysis_perform--> Findings
#ifndef BONDYN_ANALYSIS_EXPERIMENT_H
#define BONDYN_ANALYSIS_EXPERIMENT_H

#include "analysis/locus.h"
#include "analysis/reduce.h"
#include "analysis/response.h"
#include "analysis/steady.h"
#include "analysis/time_response.h"

typedef struct {
    const AnalysisPlan *plan;
    Reached at;         // the point
    SteadyPoint *point; // NULL: not asked for
    LinearModel *l;
    Poles *poles; // NULL: not asked for, or over the values of a parameter:
    Locus locus;  // count 0: not asked for
    ChannelResponse *channel;
    TimeResponse *answer;
    Reduced reduced;      // order 0: not asked for
    int channels;         // of either
    const Beside *beside; // Nullable
    Run *run;             // verdicts; over several values, of each the one nearest to failing
    Arena arena;
} Findings;

// Before the system of the model is built; false with the reasons in r.
bool analysis_open(Model *m, const Experiment *x, Arena *out, LinearPlan *plan, Report *r);
// The analysis itself, of the experiment in o. Free also after a failure.
bool analysis_perform(const System *s, const LinearPlan *plan, const RunOptions *o, Beside *beside,
                      Findings *f, Report *r);
// The same with the parameters as they are in o, without `vary` and `beside`; and over all values of `vary`.
bool analysis_at_value(const System *s, const LinearPlan *plan, const RunOptions *o, Findings *f,
                       Report *r);
bool analysis_over(const System *s, const LinearPlan *plan, const RunOptions *o, Findings *f,
                   Report *r);
// Expressions of what expectations can ask for, and of parameters. False: reported.
bool analysis_numbers(const System *s, const LinearPlan *plan, const RunOptions *o, const Expr *e,
                      int count, double *value, Report *r);
void findings_free(Findings *f);
void findings_print(Text *out, const Findings *f);
void findings_json(Text *out, const Findings *f); // members of an object

typedef enum { FINDINGS_TABLE, FINDINGS_PICTURE } FindingsFile;
// The name of a file and its text; NULL: this kind has none.
const char *findings_file(const Findings *f, FindingsFile which, Text *text);

// From a run over frequencies, for answers that are outputs of the linear model; compared by analysis_perform.
Beside beside_of(Arena *out, const Model *m, const Experiment *x, const Run *run);

// Needs: a model whose experiment is a run that begins `at steady`, opened with analysis_open before its system was
// built.  Gives: states and parameters to begin with, in o. False: reported.
bool steady_start(const System *s, const LinearPlan *plan, RunOptions *o, Arena *out, Report *r);

#endif
