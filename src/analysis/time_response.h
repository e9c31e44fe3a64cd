// Answers of a linear model to a step or an impulse of an input (time_response.c).
#ifndef BONDYN_ANALYSIS_TIME_RESPONSE_H
#define BONDYN_ANALYSIS_TIME_RESPONSE_H

#include "analysis/poles.h"

typedef struct {
    int input, output, count;
    bool impulse;
    double *time, *value;
    double last;      // where a step comes to rest; NaN: it does not
    double overshoot; // of a step, in parts of `last`; NaN without a last value
    double rise;      // s, from 10 to 90 % of the last value
    double settle;    // s, within 2 % of the last value from there on
} TimeResponse;

// From 0 to `to` s; 0: until the slowest mode has died away. NULL with the reasons in r: a rate of the
// input enters.
TimeResponse time_response(const LinearModel *l, int input, int output, bool impulse, double to);
void time_response_free(TimeResponse *t);
// The exact value at one time.
double time_response_at(const LinearModel *l, int input, int output, bool impulse, double time);
// exp of [A, b; 0, 0] h, row by row, with the column b of an input.
bool time_propagator(const LinearModel *l, int input, double h, double *P);
// Poles of the states that an output depends on, whatever else there is; gives their number, -1: not found.
int seen_poles(const LinearModel *l, int output, Complex *pole);
// Overshoot, rise and settling of a step that has its times and its last value (step_figures.c).
void step_figures(const LinearModel *l, TimeResponse *t);
bool time_response_exists(const LinearModel *l, int input, bool impulse, Report *r);

void time_response_print(Text *out, const LinearModel *l, const TimeResponse *t);
void time_response_json(Text *out, const LinearModel *l, const TimeResponse *t,
                        int count); // a list
void time_response_csv(Text *out, const LinearModel *l, const TimeResponse *t, int count);
void time_response_svg(Text *out, const LinearModel *l, const TimeResponse *t, int count);

#endif
