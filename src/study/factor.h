// Factors of a study: parameters that change from run to run, and how.
//
//     k = 10 .. 100 in 10 {N/m}      evenly, 10 values with both ends
//     k = 1 .. 100 in 10 log {N/m}   in equal ratios
//     k = 10, 20, 50 {N/m}           these
//     k = normal(50, 5) {N/m}        mean and standard deviation
//     k = uniform(40, 60) {N/m}      k = triangular(40, 50, 65) {N/m}      least, likeliest, most
//     k = lognormal(50, 0.1) {N/m}   median, and standard deviation of the logarithm
#ifndef BONDYN_STUDY_FACTOR_H
#define BONDYN_STUDY_FACTOR_H

#include "base/report.h"
#include "lang/model.h"

typedef enum {
    FACTOR_LEVELS,
    FACTOR_UNIFORM,
    FACTOR_NORMAL,
    FACTOR_LOGNORMAL,
    FACTOR_TRIANGULAR
} FactorKind;

typedef struct {
    const char *name; // path of the parameter
    int var;
    FactorKind kind;
    int level_count;
    double *level;        // as written
    double a, b, c;       // of a distribution, as written
    const char *unit;     // "" when there is none
    double scale, offset; // SI value = written*scale + offset
} Factor;

// False: reported.
bool factor_read(Arena *out, const Model *m, const char *text, Factor *f, Report *r);
// Of a parameter that has a formula in place of a number: the setting, "k = 50 {N/m}" with the
// median of the factor, that makes a number of it. NULL: it needs none.
const char *factor_release(Arena *out, const Model *m, const char *text);
double factor_quantile(const Factor *f, double u); // 0 < u < 1; as written
double factor_si(const Factor *f, double written);
double normal_quantile(double u);
// The t with |T| < t in `part` of all cases, T of Student's distribution: for means of few runs.
double student_half_width(double part, int freedom);

#endif
