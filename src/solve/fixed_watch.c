// Growth that a method with fixed steps makes: beyond its limit of stability a value that decays
// grows with every step. Whenever a value has become a thousand times as large as it was, the way
// there is gone again with shorter steps:
//
//   one step       divided until two divisions agree. Has it led elsewhere, by half of the value?
//   many steps     those since the last look, halved. Do they lead to less than the 3/4 power of
//                  the growth? (Euler's method lets every swing grow, a little with each step.)
//
// Twice in a row is no accident: the run ends. What grows by the model itself passes, at a cost in
// proportion to the steps.
#include "solve/fixed.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

enum {
    FIRST_STEPS = 8, // are all looked at
    MOST_DIVISIONS = 4096,
    MOST_STEPS = 50000, // that are gone again
    FREE_STEPS = 20000, // of looking, besides four for each of the run
};

static const double growth = 1e3;

void fixed_watch_open(Fixed *f) {
    FixedWatch *w = &f->watch;
    SolverKind method = f->j->stats->method;
    w->on = solver_is_explicit(method) && f->j->n > 0 && f->j->p->system->choice_count == 0;
    if (!w->on) return;
    w->space =
        memory_zeroed(4 * (size_t)f->total + (size_t)f->j->p->register_count, sizeof *w->space);
    w->size = w->space;
    w->from = w->space + f->total;
    w->one = w->space + 2 * f->total;
    w->two = w->space + 3 * f->total;
    w->registers = w->space + 4 * f->total;
    fixed_watch_begin(f);
}

void fixed_watch_shut(Fixed *f) { free(f->watch.space); }

void fixed_watch_begin(Fixed *f) {
    FixedWatch *w = &f->watch;
    if (!w->on) return;
    memcpy(w->from, f->y, (size_t)f->total * sizeof *w->from);
    for (int i = 0; i < f->j->n; i++) w->size[i] = fabs(f->y[i]);
    w->time = f->t;
    w->steps = 0;
}

// From y at t over `length` in `count` steps; *peak: the largest |value| of the state on the way.
// The last point, or NULL: some value is not finite.
static const double *go_again(Fixed *f, const double *y, double t, double length, long count,
                              int state, double *peak) {
    FixedWatch *w = &f->watch;
    double *to = w->one;
    *peak = 0;
    w->spent += count;
    for (long k = 0; k < count; k++) {
        if (!fixed_try(f, y, t + length * (double)k / (double)count, length / (double)count, to))
            return NULL;
        if (!isfinite(to[state])) return NULL;
        *peak = fmax(*peak, fabs(to[state]));
        y = to;
        to = to == w->one ? w->two : w->one;
    }
    return y;
}

// Does the last step lead elsewhere than it should? *good: a step that does not.
static bool one_step_is_wrong(Fixed *f, double t, double h, int state, double *good) {
    double last = NAN, value = f->y[state], peak;
    for (long parts = 2; parts <= MOST_DIVISIONS; parts *= 2) {
        const double *end = go_again(f, f->begin, t, h, parts, state, &peak);
        double x = end ? end[state] : (double)NAN;
        *good = h / (double)parts;
        if (fabs(x - last) <= 0.1 * fmax(fabs(x), fabs(last))) {
            *good *= 2;
            return fabs(x - value) > 0.5 * fmax(fabs(x), fabs(value));
        }
        last = x;
    }
    return true;
}

static bool many_steps_are_wrong(Fixed *f, double end, int state, double *good) {
    FixedWatch *w = &f->watch;
    double before = w->size[state], now = fabs(f->y[state]), peak,
           h = (end - w->time) / (double)w->steps;
    *good = h / 4;
    if (!go_again(f, w->from, w->time, end - w->time, 2 * w->steps, state, &peak)) return false;
    return before > 0 && log(peak / before) < 0.75 * log(now / before);
}

// Goes the way again with shorter steps to see whether the growth is made by the method. The run is
// not affected: what this changes in the machine is put back.
static bool is_made(Fixed *f, double t, double h, int state, double *good) {
    FixedWatch *w = &f->watch;
    Machine *m = f->j->m;
    size_t size = (size_t)f->j->p->register_count * sizeof *m->reg;
    long calls = m->calls, failed = m->failed_block;
    bool happened = f->j->trouble.happened;
    memcpy(w->registers, m->reg, size);
    bool made = one_step_is_wrong(f, t, h, state, good) ||
                (w->steps > 1 && many_steps_are_wrong(f, t + h, state, good));
    memcpy(m->reg, w->registers, size);
    m->calls = calls;
    m->failed_block = (int)failed;
    f->j->trouble.happened = happened;
    return made;
}

static int grown_state(const Fixed *f) {
    const FixedWatch *w = &f->watch;
    int worst = -1;
    double most = growth;
    for (int i = 0; i < f->j->n; i++) {
        double ratio = w->size[i] > 0 ? fabs(f->y[i]) / w->size[i] : 0;
        if (ratio > most) worst = i, most = ratio;
    }
    return worst;
}

// States that were zero have a size as soon as they have a value.
static void find_sizes(Fixed *f) {
    FixedWatch *w = &f->watch;
    for (int i = 0; i < f->j->n; i++)
        if (w->size[i] == 0) w->size[i] = fabs(f->y[i]);
}

bool fixed_watch_due(const Fixed *f) {
    const FixedWatch *w = &f->watch;
    return w->on && (w->all < FIRST_STEPS || watch_will_look(f->j));
}

bool fixed_watch_step(Fixed *f, double t, double h) {
    FixedWatch *w = &f->watch;
    if (!w->on) return true;
    bool due = fixed_watch_due(f);
    w->all++;
    w->steps++;
    if (!due) return true;
    int state = grown_state(f);
    if (state < 0) {
        find_sizes(f);
        if (w->steps > MOST_STEPS) fixed_watch_begin(f);
        return true;
    }
    double good = h;
    if (w->spent <= 4 * w->all + FREE_STEPS)
        w->wrong = is_made(f, t, h, state, &good) ? w->wrong + 1 : 0;
    if (w->wrong > 1) {
        problem_method_growth(f->j, t + h, h, state, good);
        return false;
    }
    fixed_watch_begin(f);
    w->time = t + h;
    return true;
}
