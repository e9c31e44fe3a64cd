// Frequency responses of a linear model, and the margins of a loop (response.c, margins.c).
#ifndef BONDYN_ANALYSIS_RESPONSE_H
#define BONDYN_ANALYSIS_RESPONSE_H

#include "analysis/poles.h"

typedef struct Responder Responder; // one channel
Responder *responder_new(const LinearModel *l, int input, int output);
void responder_free(Responder *x);
// G(i w) = C (i w - A)^-1 (B + i w B1) + D + i w D1; of a discrete model at exp(i w period) in place of i w. NaN at a pole.
Complex response_at(Responder *x, double w);
double response_rounding(const Responder *x); // of the last answer
// rad/s: half of the frequency of the samples, above which nothing is told apart; infinite: continuous.
double nyquist_of(const LinearModel *l);
// False: one of these lies above it; reported. 0: not asked for.
bool below_nyquist(const LinearModel *l, const double *w, int count, Pos pos, Report *r);

// Frequencies, rad/s: from `from` to `to` in equal ratios, and close together at poles and zeros
// near the axis, so that no peak is missed. 0: from a hundredth of the slowest pole to a hundred times the
// fastest, or to the Nyquist frequency. Free the array.
double *response_grid(const LinearModel *l, int input, int output, double from, double to,
                      int points, int *count);

typedef struct {
    double w;     // rad/s
    double value; // gain margin: factor; phase margin: rad
    double delay; // of a phase margin: s
} Crossing;

typedef struct {            // of 1 + L, negative feedback around the channel
    Crossing *gain, *phase; // where the phase is 180 degrees; where the gain is 1
    int gain_count, phase_count;
    double peak,
        peak_w; // of the sensitivity 1/(1 + L); infinite: a pole of the closed loop on the axis; peak_w infinite: the limit
    int unstable; // poles of the closed loop that grow; -1: not known
    bool real;    // L is real at all frequencies, so that its phase crosses 180 degrees at none
} Margins;

// rounding: of each value
Margins margins_of(const LinearModel *l, int input, int output, Responder *x, const double *w,
                   const Complex *value, const double *rounding, int count);
void margins_free(Margins *m);

typedef struct { // a channel over a grid, with what is asked for besides
    int input, output, count;
    const char
        *of; // which point or value of a parameter, where there are several: "k = 3"; or NULL
    double *w;
    Complex *value;
    double *asked; // rad/s
    Complex *answer;
    int asked_count;
    Margins margins;
} ChannelResponse;

// Needs: frequencies in rad/s, as for response_grid.
ChannelResponse channel_response(const LinearModel *l, int input, int output, double from,
                                 double to, int points, const double *asked, int asked_count);
void channel_response_free(ChannelResponse *c);

typedef struct Beside { // a nonlinear response that is looked at beside the linear one (beside.c)
    int answers, count;
    const char **name;       // of the answers
    const double *frequency; // Hz
    double *decibel, *phase; // answer by answer; phase in degrees
    const char *input;
    double off_decibel, off_phase; // how far the linear model is away at most; degrees
} Beside;

typedef enum { PICTURE_BODE, PICTURE_NYQUIST } Picture;

void response_print(Text *out, const LinearModel *l, const ChannelResponse *c);
void response_json(Text *out, const LinearModel *l, const ChannelResponse *c, int count); // a list
void response_csv(Text *out, const LinearModel *l, const ChannelResponse *c, int count);
void response_svg(Text *out, const LinearModel *l, const ChannelResponse *c, int count,
                  Picture picture, const Beside *beside); // Nullable: beside

#endif
