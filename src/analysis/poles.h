// Poles, modes and zeros of a linear model (poles.c, zeros.c).
#ifndef BONDYN_ANALYSIS_POLES_H
#define BONDYN_ANALYSIS_POLES_H

#include "analysis/dense.h"
#include "analysis/linear.h"

typedef struct {
    Complex value;    // 1/s; of a pair the one with the positive imaginary part
    double frequency; // |value|, rad/s
    double damping;   // -Re/|value|; NaN at zero
    double time;      // -1/Re, s; infinite without damping, negative where it grows
    double *storage;  // share of each storage in the energy of the mode; they add up to 1, or are
                      // all 0 where no storage takes part
    double *state;    // participation of each state, |w_i v_i|; they add up to 1
} PoleMode;

typedef struct {
    Arena arena;
    const LinearModel *model;
    int count;      // modes: pairs count once
    PoleMode *mode; // slowest first
    int unstable;   // poles with a positive real part
} Poles;

// NULL with the reason in r.
Poles *poles_of(const LinearModel *l, Report *r);
void poles_free(Poles *m);

// Zeros of the channel from an input to an output, at most n of them.
// -1: the channel is identically zero; -2: an output has the rate of the input.
int channel_zeros(const LinearModel *l, int input, int output, Complex *zero);

void poles_print(Text *out, const Poles *m);
void poles_csv(Text *out, const Poles *m);
void poles_svg(Text *out, const Poles *m);
void poles_json(Text *out, const Poles *m); // an object

#endif
