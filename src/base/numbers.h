// The larger and the smaller of two numbers, as fmax and fmin give them (of a number and what is
// none the number), without a call: compilers leave those two to the library.
#ifndef BONDYN_BASE_NUMBERS_H
#define BONDYN_BASE_NUMBERS_H

static inline double larger(double a, double b) { return b > a || a != a ? b : a; }
static inline double smaller(double a, double b) { return b < a || a != a ? b : a; }

#endif
