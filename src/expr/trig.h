// Sine and cosine, the same bits wherever they are computed: see trig.def.
#ifndef BONDYN_EXPR_TRIG_H
#define BONDYN_EXPR_TRIG_H

double trig_sin(double x);
double trig_cos(double x);
void trig_both(double x, double *sine, double *cosine);
// Of two angles, for little more than the price of one.
void trig_two(const double x[2], double sine[2], double cosine[2]);

extern const char trig_text[]; // trig.def, for generated C

#endif
