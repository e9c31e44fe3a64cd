// What a step leaves of the sizes of states: the rule and its reasons stand in sizes.c.
//
// Every step of every run comes through here, so states whose size follows by a product alone are done side by side, and
// those that begin, rest or die one by one behind them.
#include "solve/job.h"

#include "base/numbers.h"
#include "base/wide.h"
#include <float.h>
#include <math.h>

static const double kept = 0.8;          // of a recent size, with every step
static const double kept_at_zero = 0.97; // of the size that a state at zero started with
static const double nothing = 1e-24;     // of the largest ever of its dimension: as good as zero

// --- one by one ----------------------------------------------------------------------------------

// What is left of the recent size of a state after a step to x.
static double kept_by_implicit(const Sizes *s, int i, double x) {
    double ratio = fabs(x / s->last[i]);
    return ratio < s->kept_falling ? larger(kept, pow(ratio, 2.0 / 3)) : kept;
}

// The part of a state that a step to x left, if it decays; 1: it does not. On the way through zero a
// state falls faster and faster; one that decays falls at the rate of the step before.
static double decayed(const Sizes *s, int i, double x) {
    double ratio = x / s->last[i], before = s->fall[i];
    s->fall[i] = ratio > 0 && ratio < kept_at_zero ? -log(ratio) / s->step : 0;
    return fabs(s->fall[i] - before) < 0.2 * s->fall[i] ? ratio : 1;
}

// Recent sizes after a step to x.
static void shrink(Sizes *s, int i, double x, bool implicit) {
    double rest = s->rest[i], part = !implicit || rest > 0 ? decayed(s, i, x) : 1;
    double left = implicit ? kept_by_implicit(s, i, x) : smaller(kept, part);
    double left_at_zero = implicit && part < 1 ? pow(part, 2.0 / 3) : part;
    s->rest[i] = fabs(x) > rest ? 0 : smaller(kept_at_zero, left_at_zero) * rest;
    s->recent[i] = larger(larger(fabs(x), left * s->recent[i]), s->rest[i]);
    s->last[i] = x;
}

// --- side by side --------------------------------------------------------------------------------

// (1 - d)^(2/3) for d up to 0.3, to 2e-5.
static inline double two_thirds(double d) {
    return 1 - d * (2.0 / 3 + d * (1.0 / 9 + d * (4.0 / 81 + d * (7.0 / 243 + d * (14.0 / 729)))));
}

// Of an implicit method. alone: which are to be looked at one by one; pow(0.7, 2/3) is less than what is kept anyhow. What dies
// away is among them, with its power to the last digit, unless that is `roughly` enough: of a front there are hundreds.
WIDE static void shrink_most(int n, const double *x, double falling, bool roughly,
                             const double *rest, double *last, double *recent, double *alone) {
    double exactly = roughly ? 0 : 1;
    APART for (int i = 0; i < n; i++) {
        double now = fabs(x[i]), before = fabs(last[i]), ratio = now / before;
        double dies = now < falling * before ? 1 : 0, part = two_thirds(1 - ratio);
        dies = now > 0.7 * before ? dies : 0;
        part = part > kept ? part : kept;
        part = dies > 0 ? part : kept;
        double apart = dies * exactly, size = part * recent[i];
        apart = now > 0 ? apart : 1;
        apart = rest[i] > 0 ? 1 : apart;
        alone[i] = apart;
        size = now > size ? now : size;
        recent[i] = apart > 0 ? recent[i] : size;
        last[i] = apart > 0 ? last[i] : x[i];
    }
}

WIDE static void raise_to(int n, const double *least, double *x) {
    APART for (int i = 0; i < n; i++) x[i] = least[i] > x[i] ? least[i] : x[i];
}

// The sizes, of which first_i is halved with every step.
WIDE static void find_all(int n, const double *most, const double *floor, double *first,
                          double *size) {
    APART for (int i = 0; i < n; i++) {
        first[i] *= 0.5;
        double x = first[i] > most[i] ? first[i] : most[i];
        size[i] = floor[i] > x ? floor[i] : x;
    }
}

// The largest so far. True: one is larger now than any of its dimension was.
WIDE static bool take_largest(int n, const double *x, const double *top, double *most) {
    int higher = 0;
    APART for (int i = 0; i < n; i++) {
        double now = fabs(x[i]);
        now = now <= DBL_MAX ? now : 0;
        most[i] = now > most[i] ? now : most[i];
        higher |= now > top[i];
    }
    return higher;
}

// --- all of them ---------------------------------------------------------------------------------

void recent_floors(Sizes *s, int n) {
    for (int g = 0; g < s->group_count; g++) s->in_group[g] = 0;
    for (int i = 0; i < n; i++)
        s->in_group[s->group[i]] = larger(s->in_group[s->group[i]], s->most[i]);
    for (int i = 0; i < n; i++) {
        s->top[i] = s->in_group[s->group[i]];
        s->floor[i] = s->top[i] * s->part[s->group[i]];
        s->nothing[i] = nothing * s->top[i];
    }
}

// After one has become larger than any of its dimension was. top: the same for all of a dimension.
static void raise_floors(Sizes *s, int n) {
    for (int g = 0; g < s->group_count; g++) s->in_group[g] = 0;
    for (int i = 0; i < n; i++)
        if (s->most[i] > s->top[i])
            s->in_group[s->group[i]] = larger(s->in_group[s->group[i]], s->most[i]);
    for (int i = 0; i < n; i++) {
        double top = s->in_group[s->group[i]];
        if (!(top > 0)) continue;
        s->top[i] = top;
        s->floor[i] = top * s->part[s->group[i]];
        s->nothing[i] = nothing * top;
    }
}

void recent_step(Sizes *s, int n, const double *x, bool implicit, bool roughly) {
    double falling = s->kept_falling * (1 + 1e-9), *alone = s->point;
    if (take_largest(n, x, s->top, s->most)) raise_floors(s, n);
    if (implicit) shrink_most(n, x, falling, roughly, s->rest, s->last, s->recent, alone);
    for (int i = 0; i < n; i++) // a step that leaves it at zero says nothing about its size
        if ((!implicit || alone[i] > 0) && x[i] != 0) shrink(s, i, x[i], implicit);
    raise_to(n, s->nothing, s->recent);
    find_all(n, s->most, s->floor, s->first, s->size);
}
