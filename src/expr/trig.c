// Sine and cosine by two lanes, which every processor has that has vectors at all.
#include "expr/trig.h"

#include <math.h>
#include <string.h>

enum { BONDYN_LANES = 2 };
typedef double BondynLanes __attribute__((vector_size(16)));
typedef long long BondynBits __attribute__((vector_size(16)));

#define KERNEL(...) __VA_ARGS__
#include "expr/trig.def"
#undef KERNEL

const char trig_text[] =
#define KERNEL(...) #__VA_ARGS__
#include "expr/trig.def"
#undef KERNEL
    ;

void trig_two(const double x[2], double sine[2], double cosine[2]) {
    BondynLanes s, c;
    bondyn_sincos((BondynLanes){x[0], x[1]}, &s, &c);
    memcpy(sine, &s, sizeof s);
    memcpy(cosine, &c, sizeof c);
}

void trig_both(double x, double *sine, double *cosine) {
    BondynLanes s, c;
    bondyn_sincos((BondynLanes){x, 0}, &s, &c);
    *sine = s[0];
    *cosine = c[0];
}

double trig_sin(double x) {
    double s, c;
    trig_both(x, &s, &c);
    return s;
}

double trig_cos(double x) {
    double s, c;
    trig_both(x, &s, &c);
    return c;
}
