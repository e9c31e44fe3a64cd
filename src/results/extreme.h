// The largest or least value of a signal from its points, between them where it is smooth.
//
//            o   x   o            The five points around the largest one: where they bend the same
//        o               o        way the peak of the polynomial through them counts, else the
//                                 point itself. Sides of events count where they are told.
#ifndef BONDYN_RESULTS_EXTREME_H
#define BONDYN_RESULTS_EXTREME_H

#include <stdbool.h>

typedef struct { // five points that follow each other
    double time[5], y[5];
} Window;

typedef struct { // the largest value so far, and the points around it
    double sign; // -1: the least one; 0: nobody asks
    Window last, around;
    double best;
    long count;  // points so far
    bool inner;  // `around` has two points on both sides of it
    bool broken; // a value was no number
    bool event;  // there was one; the largest value of all sides, and when:
    double side, moment;
} Extreme;

void extreme_point(Extreme *e, double time, double y); // times rise
// For who keeps the last points of many signals together, and the rules of extreme_point: this is the largest value so far.
void extreme_take(Extreme *e, const Window *around, int place);
void extreme_event(Extreme *e, double time, double before, double after);
double extreme_value(Extreme *e); // after the last point; NaN: there is none
// The points that it is made of, and how it changes with their values; 0: it has no value.
bool extreme_at_event(Extreme *e); // it is Extreme.side
int extreme_parts(Extreme *e, double time[5], double part[5]);
// Does `inside`, which has seen more points, lie further out by more than this part of both?
bool extreme_is_narrow(Extreme *e, Extreme *inside, double slack);

#endif
