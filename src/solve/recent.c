// What a step leaves of the sizes of states: the rule and its reasons stand in sizes.c.
//
// Every step of every run comes through here, so states whose size follows by a product alone are
// done side by side, and those that begin, rest or die one by one behind them.
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

// The part of a state that a step to x left, if it decays; 1: it does not. On the way through zero
// a state falls faster and faster; one that decays falls at the rate of the step before.
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

enum { BLOCK = 32 };

// Does a state fall so fast that its size must follow? pow(0.7, 2/3) is less than the part that
// sizes keep anyhow.
static inline int some_fall(int n, const double *x, const double *last, double falling) {
    int found = 0;
    APART for (int i = 0; i < n; i++) {
        double now = fabs(x[i]), before = fabs(last[i]);
        found |= (now < falling * before) & (now > 0.7 * before);
    }
    return found;
}

// The part of a recent size that such a fall leaves, or -1 where a state does not fall so.
static inline void find_parts(int n, const double *x, const double *last, double falling,
                              double *part) {
    APART for (int i = 0; i < n; i++) {
        double now = fabs(x[i]), before = fabs(last[i]);
        double dies = now < falling * before ? 1 : 0, left = two_thirds(1 - now / before);
        dies = now > 0.7 * before ? dies : 0;
        left = left > kept ? left : kept;
        part[i] = dies > 0 ? left : -1;
    }
}

// Of a block, whose falls leave `part`. Of a state that starts from zero (rest > 0) what decays is
// looked at alone, too. At zero nothing changes.
static inline int shrink_block(int n, const double *x, const double *part, int exactly, Sizes *s,
                               int first, double *alone) {
    double *rest = s->rest + first, *fall = s->fall + first;
    double *last = s->last + first, *recent = s->recent + first;
    const double decays = kept_at_zero * (1 + 1e-9);
    double size[BLOCK], remains[BLOCK], calm[BLOCK];
    int any = 0;
    APART for (int i = 0; i < n; i++) {
        double now = fabs(x[i]), old = decays * fabs(last[i]);
        int falls = part[i] > 0, apart = (rest[i] > 0) & (falls | (now < old));
        apart = (apart | (falls & exactly)) & (now > 0);
        alone[i] = apart ? 1.0 : 0.0;
        calm[i] = ((now > 0) & !apart) ? 1.0 : 0.0;
    }
    APART for (int i = 0; i < n; i++) remains[i] =
        rest[i] * (fabs(x[i]) > rest[i] ? 0 : kept_at_zero);
    APART for (int i = 0; i < n; i++) {
        double now = fabs(x[i]), left = part[i] > kept ? part[i] : kept, most = left * recent[i];
        size[i] = now > most ? now : most;
    }
    APART for (int i = 0; i < n; i++) size[i] = remains[i] > size[i] ? remains[i] : size[i];
    for (int i = 0; i < n; i++) any |= alone[i] > 0;
    APART for (int i = 0; i < n; i++) fall[i] = calm[i] * rest[i] > 0 ? 0 : fall[i];
    APART for (int i = 0; i < n; i++) recent[i] = calm[i] > 0 ? size[i] : recent[i];
    APART for (int i = 0; i < n; i++) rest[i] = calm[i] > 0 ? remains[i] : rest[i];
    APART for (int i = 0; i < n; i++) last[i] = calm[i] > 0 ? x[i] : last[i];
    return any;
}

// Sizes after a step of an implicit method. alone: marks the states to be looked at one by one;
// true if there are any. States that fall belong to them, so that the power of their size is exact,
// unless `roughly` is enough: a front has hundreds of them.
WIDE static bool shrink_most(int n, const double *x, double falling, bool roughly, Sizes *s,
                             double *alone) {
    double part[BLOCK];
    int any = 0;
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        if (some_fall(count, x + first, s->last + first, falling))
            find_parts(count, x + first, s->last + first, falling, part);
        else
            for (int i = 0; i < BLOCK; i++) part[i] = -1;
        any |= shrink_block(count, x + first, part, roughly ? 0 : 1, s, first, alone + first);
    }
    return any;
}

// No recent size is less than nothing; the sizes, of which first_i is halved with every step.
WIDE static void find_all(int n, const Sizes *s) {
    const double *least = s->nothing, *most = s->most, *floor = s->floor;
    double *recent = s->recent, *first = s->first, *size = s->size;
    APART for (int i = 0; i < n; i++) {
        recent[i] = least[i] > recent[i] ? least[i] : recent[i];
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
    bool some = !implicit || shrink_most(n, x, falling, roughly, s, alone);
    for (int i = 0; i < n && some; i++) // a step that leaves it at zero says nothing about its size
        if ((!implicit || alone[i] > 0) && x[i] != 0) shrink(s, i, x[i], implicit);
    find_all(n, s);
}
