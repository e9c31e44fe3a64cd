// The first point of a step at which a relation has changed.
//
//     a                       b            At a no relation has changed, at b one has; between
//      o---------------x------o            them y is the step's polynomial (rk78_inside.c). Regula
//                                          falsi finds x, where a relation changes on it.
//
// A step of the method to x tells how far off the polynomial is there. Moved by that it is as good
// as the method around x, and x is found again on it: errors of events add up over a run.
#include "solve/rk78.h"

#include <math.h>
#include <string.h>

enum { SECANT_ROUNDS = 24, MOST_ROUNDS = 84 };

// Only those that have at the end of the step (`crossed`): of one that is at its zero from the
// begin on, rounding would say so sooner.
static bool has_changed(const Rk78 *k, int i, double event_function) {
    const Job *j = k->j;
    bool now = j->p->sw[i].or_equal ? event_function <= 0 : event_function < 0;
    return k->crossed[i] && event_function != 0 && now != (j->m->truth[i] != 0);
}

static bool any_changed(const Rk78 *k, const double *event_function) {
    for (int i = 0; i < k->j->p->switch_count; i++)
        if (has_changed(k, i, event_function[i])) return true;
    return false;
}

// Where the first of the relations that change between a and b would do so if event functions were
// straight; those at a count `weight` times.
static double secant(const Rk78 *k, double a, double b, double weight) {
    double first = b;
    for (int i = 0; i < k->j->p->switch_count; i++) {
        double at_a = weight * k->event_function[0][i], at_b = k->event_function[1][i];
        if (!has_changed(k, i, at_b)) continue;
        double root = at_a * at_b < 0 ? b - (b - a) * at_b / (at_b - at_a) : a;
        first = fmin(first, root);
    }
    return first;
}

// The polynomial, moved so that it goes through where a step of the method led; off: how far that
// is at the end of the step. NULL: as it is.
static void point_at(Rk78 *k, double time, const double *off, double *y) {
    rk78_inside(k, time, y);
    for (int i = 0; off && i < k->total; i++) y[i] += (time - k->t) / k->step * off[i];
}

static void state_at(const Rk78 *k, double time, const double *off, double *state) {
    rk78_state_inside(k, time, state);
    for (int i = 0; off && i < k->j->n; i++) state[i] += (time - k->t) / k->step * off[i];
}

// Times a and b until they are one; an end that stays counts less and less (Illinois), and a function
// that swings in between is halved in the end. Gives: b, or where an event function has no value.
static double first_change(Rk78 *k, double end, const double *off) {
    Job *j = k->j;
    double a = k->t, b = end, weight = 1, near = events_margin(j, end);
    int side = 0;
    state_at(k, b, off, k->trial);
    if (!event_functions(j, a, k->y, k->event_function[0]) ||
        !event_functions(j, b, k->trial, k->event_function[1]) ||
        !any_changed(k, k->event_function[1]))
        return b;
    for (int round = 0; round < MOST_ROUNDS && b - a > near; round++) {
        double c =
            round % 8 == 7 || round >= SECANT_ROUNDS ? a + (b - a) / 2 : secant(k, a, b, weight);
        c = fmin(fmax(c, a + near / 4), b - near / 4);
        state_at(k, c, off, k->trial);
        if (!event_functions(j, c, k->trial, k->event_function[2])) return c;
        int now = any_changed(k, k->event_function[2]) ? 1 : -1;
        double **moved = now > 0 ? &k->event_function[1] : &k->event_function[0], *old = *moved;
        *(now > 0 ? &b : &a) = c;
        *moved = k->event_function[2];
        k->event_function[2] = old;
        weight = now != side ? 1 : now > 0 ? weight / 2 : weight * 2;
        side = now;
    }
    return b;
}

static bool locate_crossed(Rk78 *k) {
    double end = k->end, *off = k->rate;
    if (!rk78_look_inside(k)) return false;
    double time = first_change(k, end, NULL), better = end;
    if (!(time < end)) return true;
    k->end = time;
    k->step = time - k->t;
    rk78_inside(k, time, off);
    if (rk78_attempt(k)) {
        for (int i = 0; i < k->total; i++) off[i] = k->next[i] - off[i];
        better = first_change(k, end, off);
    }
    // without a step to there, or where it does not reach the zero: what the polynomial says
    if (better < end) k->end = better;
    point_at(k, k->end, better < end ? off : NULL, k->next);
    k->step = k->end - k->t;
    return true;
}

// At the place that was found others may have changed, which have changed back at the end of the step.
// One that begins at its zero is not among them: rounding would say so at once.
static bool others_changed(Rk78 *k) {
    const double clear = 1e-3;
    Job *j = k->j;
    const int switches = j->p->switch_count;
    double *begin = k->event_function[0], *end = k->event_function[1];
    bool any = false, changed = false;
    if (!events_missed(j, k->end, k->next, k->others)) return false;
    for (int i = 0; i < switches; i++) any = any || (k->others[i] && !k->crossed[i]);
    if (!any || !between_leave_small(j, k->end, k->next, k->others) ||
        !event_functions(j, k->t, k->y, begin) || !event_functions(j, k->end, k->next, end))
        return false;
    for (int i = 0; i < switches; i++) {
        bool new = k->others[i] && !k->crossed[i] && fabs(begin[i]) > clear *fabs(end[i]) &&
                   (begin[i] < 0) == (j->m->truth[i] != 0);
        if (new) k->crossed[i] = k->others[i];
        changed = changed || new;
    }
    return changed;
}

bool rk78_locate(Rk78 *k) {
    enum { MOST_TIMES = 16 };
    bool good = locate_crossed(k);
    for (int i = 0; good && i < MOST_TIMES && others_changed(k); i++) good = locate_crossed(k);
    return good;
}

// --- changes that the ends of a step do not show -------------------------------------------------

// A cubic through both ends and the rates there, of which the last is that of the last stage.
static void roughly_inside(const Rk78 *k, double time, double *state) {
    double h = k->end - k->t, x = (time - k->t) / h, w = 1 - x;
    const double *f0 = k->k, *f1 = k->k + (RK78_STAGES - 1) * k->total;
    for (int i = 0; i < k->j->n; i++) {
        double change = k->next[i] - k->y[i];
        state[i] =
            k->y[i] + x * change + x * w * (w * (h * f0[i] - change) - x * (h * f1[i] - change));
    }
}

static bool inside(void *context, double time, bool roughly, double *state) {
    Rk78 *k = context;
    if (roughly && k->known == 0)
        roughly_inside(k, time, state);
    else if (!rk78_look_inside(k))
        return false;
    else
        rk78_state_inside(k, time, state);
    return true;
}

bool rk78_ends_inside(Rk78 *k) {
    double time, known = k->known;
    StepInside in = {k->y, k->next, inside, k, false};
    if (between_find(k->j, k->t, k->end, &in, k->crossed, &time)) {
        k->end = time;
        k->step = time - k->t;
        rk78_inside(k, time, k->next);
        rk78_locate(k);
        return true;
    }
    k->known = known;
    return false;
}

// Largest values and delayed signals.
void rk78_keep_inside(Rk78 *k) {
    double known = k->known;
    StepInside in = {k->y, k->next, inside, k, false};
    peaks_look(k->j, k->t, k->end, 4, &in);
    history_inside(k->j, k->t, k->end, &in);
    k->known = known;
}
