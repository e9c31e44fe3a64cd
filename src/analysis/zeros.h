// One channel of a linear model and its zeros (zeros.c).
#ifndef BONDYN_ANALYSIS_ZEROS_H
#define BONDYN_ANALYSIS_ZEROS_H

#include "analysis/poles.h"

typedef struct { // x' = A x + b u, y = c x + d u + d1 u'; A column by column
    int n;
    double *A, *b, *c, d, d1;
} Channel;

void channel_room(Channel *x, int n); // of zeros; channel_close
// In balanced states, without the rate of the input in x'.
void channel_open(Channel *x, const LinearModel *l, int input, int output);
void channel_close(Channel *x);

// As channel_zeros.
int zeros_of_channel(const Channel *x, Complex *zero);

#endif
