// Energy between two rows of a run.
//
// A run hands over the power P and its integral W at the rows. Between two rows W is the cubic with
// these ends and slopes; where its slope P changes sign, energy turns around:
//
//        W  |        .--.            into += the rise up to the turn
//           |     .-'    '.          out  += the fall behind it
//           |  .-'         '
//           +--row----------row--> t
//
// The cubic is linear in its data: energies that balance at the rows balance between them, too.
#ifndef BONDYN_ANALYSIS_SWING_H
#define BONDYN_ANALYSIS_SWING_H

typedef struct {
    double w[2], slope[2]; // at the ends of 0 <= x <= 1
} Swing;

Swing swing_between(const double *time, const double *energy, const double *power); // two of each
double swing_energy(const Swing *s, double x);
// Where the slope of the cubic is zero within the interval: at most two places, in order.
int swing_turns(const Swing *s, double at[2]);

#endif
