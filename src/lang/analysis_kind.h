// Kinds of experiments that analyse, and what expectations can ask of them (facts.c).
#ifndef BONDYN_LANG_ANALYSIS_KIND_H
#define BONDYN_LANG_ANALYSIS_KIND_H

typedef enum {
    ANALYSIS_NONE, // a run
    ANALYSIS_STEADY,
    ANALYSIS_LINEARIZE,
    ANALYSIS_POLES,
    ANALYSIS_BODE,
    ANALYSIS_NYQUIST,
    ANALYSIS_STEP,
    ANALYSIS_IMPULSE,
    ANALYSIS_REDUCE,
    ANALYSIS_POWER, // a run of which every power is told
    ANALYSIS_KINDS
} AnalysisKind;

AnalysisKind analysis_named(const char *word); // ANALYSIS_NONE: it is no kind
const char *analysis_name(AnalysisKind kind);

typedef enum {
    FACT_SLOPE, // slope(der(x), u): an entry of A, B, C or D
    FACT_POLES, // poles(), unstable_poles()
    FACT_UNSTABLE,
    FACT_POLE_REAL, // of mode n, slowest first
    FACT_POLE_IMAGINARY,
    FACT_POLE_DAMPING,
    FACT_POLE_FREQUENCY,
    FACT_SHARE, // of a component in the energy of mode n
    FACT_ZERO_REAL,
    FACT_ZERO_IMAGINARY,
    FACT_GAIN, // of a channel at a frequency
    FACT_DECIBEL,
    FACT_PHASE,
    FACT_GAIN_MARGIN,
    FACT_PHASE_MARGIN,
    FACT_DELAY_MARGIN,
    FACT_PEAK,
    FACT_GAIN_CROSSING, // frequencies of the margins
    FACT_PHASE_CROSSING,
    FACT_ANSWER,    // of a channel at a time
    FACT_OVERSHOOT, // of the answer to a step
    FACT_RISE,
    FACT_SETTLING,
    FACT_BESIDE_DECIBEL, // how far a nonlinear response is away at most
    FACT_BESIDE_PHASE,
    FACT_HANKEL, // singular value n of a balanced model, largest first
    FACT_REDUCTION_BOUND,
    FACT_COUNT
} Fact;

#endif
