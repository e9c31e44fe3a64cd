// An experiment: what is done with a model, over which time, with which solver, and what is
// recorded, drawn and expected. It is made together with the model, whose variables its expressions
// speak of, and handed on beside it: stages from text to system need the model alone.
#ifndef BONDYN_LANG_EXPERIMENT_H
#define BONDYN_LANG_EXPERIMENT_H

#include "lang/analysis_kind.h"
#include "lang/model.h"

typedef struct {
    Expr what;  // an expression of model variables
    Name label; // as written: "spring.e"
    Name unit;
    Pos pos;
} Signal;

typedef struct {
    Name title;
    Signal x; // x.what = 0: against time
    Signal *y;
    int y_count;
    Pos pos;
} Plot;

typedef enum {
    PROBE_AT,
    PROBE_MIN,
    PROBE_MAX,
    PROBE_MEAN,
    PROBE_INTEGRAL,
    PROBE_PARTIAL,
    PROBE_AMPLITUDE, // of a frequency response: of the answer's fundamental,
    PROBE_PHASE,     // its phase against the input,
    PROBE_SWING,     // half of the answer from peak to peak
    PROBE_POINT,     // of an analysis: the value at its point
    PROBE_FACT       // of an analysis: what it finds
} ProbeKind;

typedef struct { // a number that is taken from a run and stands as a symbol in an expectation
    ProbeKind kind;
    Signal signal;
    Expr time; // PROBE_AT: the time, an expression of parameters; 0 = end
    int place; // PROBE_AMPLITUDE and those after it: which of the frequencies
    Expr by;   // PROBE_PARTIAL: the symbol of a state
    Pos by_pos;
    Fact fact;     // PROBE_FACT: which,
    Name of, from; // paths of variables or components, 0: none
    double number; // which mode, frequency or time
    Expr symbol;
} Probe;

typedef struct {       // `frequency`: a sine on an input, and what answers
    Expr symbol;       // of the frequency, a parameter of the model; 0: there is no sweep
    double amplitude;  // SI
    double *frequency; // Hz, rising
    int count;
    double settle; // s, not measured before
    Signal *answer;
    int answer_count;
    Name input; // as written
    Pos pos;
} Sweep;

typedef struct { // `vary`: a parameter of an analysis that goes through values
    Expr symbol;
    double *value; // SI
    int count;     // 0: it does not
    Pos pos;
} Vary;

// What an experiment does in place of a run, for src/analysis.
typedef struct {
    AnalysisKind kind;
    const char *const *input, *const *output, *const *free, *const *moving; // paths
    int input_count, output_count, free_count, moving_count;
    const char *const *given; // "path = value", SI
    int given_count;
    bool steady;   // at the steady point beside its start or its time
    bool discrete; // over one period of what is sampled
    bool has_time;
    double time;       // s
    double from, to;   // Hz, or s of responses in time; 0: not said
    double *frequency; // rows of the table, Hz
    int frequency_count;
    int order; // of a reduced model; 0: not said
    Vary vary;
    const char *beside; // an experiment with a nonlinear frequency response; NULL: none
    Pos pos;
} AnalysisPlan;

typedef enum { EXPECT_EQUAL, EXPECT_LESS, EXPECT_GREATER } Relation;

typedef struct {
    Expr left, right, tolerance; // expressions of parameters and probe symbols; tolerance may be 0
    bool relative;
    Relation relation;
    Name text; // as written
    Name unit;
    Pos pos;
} Expectation;

typedef struct { // a parameter that may move
    Expr symbol;
    double from, to; // SI; none: -infinity .. infinity
    Pos pos;
} Freedom;

typedef struct { // measured: a signal at times
    Signal signal;
    int count;
    const double *time, *value; // SI
    double within;              // the deviation of one of them; 0: not given
    Pos pos;
} FitData;

typedef struct {    // what an experiment searches for, see lang/search.c
    Expr objective; // of probes and parameters; 0: none
    bool most;      // it shall be as large as possible
    Name text, unit;
    Pos pos;
    Freedom *free;
    int free_count;
    Expectation *limit;
    int limit_count;
    FitData *fit;
    int fit_count;
    Signal *sensitive; // whose derivatives are wanted over time,
    int sensitive_count;
    Expr *by; // by these parameters: symbols
    int by_count;
} Aims;

typedef enum { LIVE_AXIS, LIVE_BUTTON, LIVE_KEY, LIVE_KEYS, LIVE_SLIDER } LiveKind;

typedef struct {
    LiveKind kind;
    int number;       // of an axis or a button
    Name key, other;  // of keys: the one that counts -1, and +1
    double low, high; // of a slider, SI
} LiveSource;

typedef struct { // an input that somebody drives
    int var;
    double scale; // SI, of what is between -1 and 1
    LiveSource *source;
    int source_count;
} Live;

typedef struct {
    Name name, text;
    double start, stop;
    int points; // result intervals; 0 = given by `every`
    double every;
    int solver; // its number in LangOptions.solvers; 0: none is named
    double rtol, atol, step, max_step, min_step; // 0 = default
    double audit;          // bound for the relative energy residual; < 0 = off; 0 = default
    Sweep sweep;           // sweep.symbol = 0: a run in time
    AnalysisPlan analysis; // kind ANALYSIS_NONE: it is a run
    Plot *plots;
    int plot_count;
    Name *records; // patterns
    int record_count;
    Probe *probes;
    int probe_count;
    Expectation *expects;
    int expect_count;
    Aims aims;
    Live *live;
    int live_count;
    Pos pos;
} Experiment;

#endif
