// Poles, modes and zeros of a linear model (poles.c, zeros.c).
#ifndef BONDYN_ANALYSIS_POLES_H
#define BONDYN_ANALYSIS_POLES_H

#include "analysis/dense.h"
#include "analysis/linear.h"

typedef struct {
    Complex
        value; // 1/s, or z of a discrete model; of a pair the one with the positive imaginary part
    Complex s; // 1/s: value, or ln(z)/period; real part -infinite at z = 0
    double frequency; // |s|, rad/s
    double damping;   // -Re s/|s|; NaN at zero
    double time;      // -1/Re s, s; infinite without damping, negative where it grows
    double *storage;  // share of each storage in the energy of the mode; they add up to 1, or are
                      // all 0 where no storage takes part
    double
        *state; // participation of each state, |w_i v_i| (|v_i|^2 where w v = 0); they add up to 1
    Complex *vector; // v, in the states of the model
} PoleMode;

typedef struct {
    Arena arena;
    const LinearModel *model;
    int count;      // modes: pairs count once
    PoleMode *mode; // slowest first
    int unstable; // poles with a positive real part; of a discrete model outside of the unit circle
} Poles;

// NULL with the reason in r.
Poles *poles_of(const LinearModel *l, Report *r);
void poles_free(Poles *m);

// 1/s: a pole as it is, or ln(z)/period of one of a discrete model.
Complex continuous_pole(const LinearModel *l, Complex value);
// How many of n poles grow: in the right half plane, or outside of the unit circle, by more than rounding.
int unstable_among(const LinearModel *l, const Complex *pole, int n);
const char *unstable_place(const LinearModel *l); // in words

// Zeros of the channel from an input to an output, at most n of them, n + 1 where the output has the rate of the
// input. -1: the channel is identically zero.
int channel_zeros(const LinearModel *l, int input, int output, Complex *zero);
// Poles of the loop that negative feedback around the channel closes, as many. -1: there is no such loop.
int closed_loop_poles(const LinearModel *l, int input, int output, Complex *pole);

void poles_print(Text *out, const Poles *m);
// "spring 50.0 %, mass 50.0 %": the largest shares of its energy, or of its states.
void mode_parts_print(Text *out, const Poles *m, const PoleMode *x);
void poles_csv(Text *out, const Poles *m);
void poles_svg(Text *out, const Poles *m);
void poles_json(Text *out, const Poles *m); // an object

#endif
