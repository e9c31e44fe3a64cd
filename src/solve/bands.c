// How far event functions are uncertain, so that a relation at its zero is known as such.
//
//     room   near (a point beside) | here (event functions) | band (how far they move) | there | far (states, event functions)
#include "solve/job.h"

#include "base/memory.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

double *bands_room(const Program *p) {
    return memory_zeroed(2 * (size_t)p->state_count + 4 * (size_t)p->switch_count + 1,
                         sizeof(double));
}

// With a sign, different for each state: what cancels must not cancel in its uncertainty too.
static double part_of(int i) {
    double x = 0.6180339887498949 * (i + 1);
    return 2 * (x - floor(x)) - 1;
}

// How far an event function is uncertain: its change with the last digits of states and time.
bool bands_find(Machine *m, double time, const double *state, double digits, double *room) {
    enum { ALL, EACH, TIME, WAYS };
    const Program *p = m->program;
    double *near = room, *here = near + p->state_count, *band = here + p->switch_count;
    double *there = band + p->switch_count;
    if (!machine_switches(m, time, state, here)) return false;
    for (int i = 0; i < p->switch_count; i++) band[i] = 0;
    for (int way = 0; way < WAYS; way++) {
        for (int i = 0; i < p->state_count; i++)
            near[i] = state[i] * (way == ALL    ? 1 + digits
                                  : way == EACH ? 1 + digits * part_of(i)
                                                : 1);
        if (!machine_switches(m, way == TIME ? time * (1 + digits) : time, near, there))
            return false;
        for (int i = 0; i < p->switch_count; i++) band[i] = fmax(band[i], fabs(there[i] - here[i]));
    }
    return true;
}

// ... or with the tolerance of the run: the part rtol of the size of each state. With
// fixed steps, which have no tolerance, nothing is known of sizes and bands stay as they are.
bool bands_widen(Job *j, double time, const double *state, const double *size, double *room) {
    const Program *p = j->p;
    double *near = room, *here = near + p->state_count, *band = here + p->switch_count;
    double *there = band + p->switch_count;
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < p->state_count; i++) {
            double part = j->rtol * size[i];
            near[i] = state[i] + (way && part_of(i) < 0 ? -part : part);
        }
        if (!machine_switches(j->m, time, near, there)) return false;
        for (int i = 0; i < p->switch_count; i++) band[i] = fmax(band[i], fabs(there[i] - here[i]));
    }
    return true;
}

// Beside a jump or a pole, as 1/x has one, an event function moves as far as it is away from zero and is not near it: much
// farther off it is no larger.
bool bands_leave_jumps(Job *j, double time, const double *state, double *room) {
    enum { FAR = 64, WAYS = 6 };
    const Program *p = j->p;
    int n = p->state_count, switches = p->switch_count;
    double *near = room, *here = near + n, *band = here + switches, *there = band + switches;
    double *far = room + 2 * n + 3 * switches, digits = FAR * BANDS_DIGITS;
    bool any = false;
    for (int i = 0; i < switches; i++) {
        far[i] = 0;
        any = any || (p->sw[i].jumps && here[i] != 0 && fabs(here[i]) <= 4 * band[i]);
    }
    for (int way = 0; way < WAYS && any; way++) {
        double sign = way % 2 ? -1 : 1, later = way < 4 ? 0 : sign * digits * fabs(time);
        for (int i = 0; i < n; i++) {
            double part = way < 4 ? digits * fabs(state[i]) : 0;
            if (way < 4 && j->sizes.known) part = fmax(part, FAR * j->rtol * j->sizes.most[i]);
            near[i] = state[i] + (way >= 2 && part_of(i) < 0 ? -sign : sign) * part;
        }
        if (!machine_switches(j->m, time + later, near, there)) return false;
        for (int i = 0; i < switches; i++) far[i] = fmax(far[i], fabs(there[i]));
    }
    for (int i = 0; i < switches && any; i++)
        if (p->sw[i].jumps && far[i] < 4 * fabs(here[i])) band[i] = 0;
    return true;
}

// --- relations that stay -------------------------------------------------------------------------

// The band of each relation that has just crossed its zero becomes what the tolerance does to it.
static bool widen_crossed(Job *j, double time, const double *state, const int *direction,
                          double *room) {
    const Program *p = j->p;
    double *band = room + p->state_count + p->switch_count;
    bool any = false;
    for (int i = 0; i < p->switch_count; i++)
        any = any || (direction[i] && !p->sw[i].decides && !switch_has_pieces(&p->sw[i]));
    if (!any || !j->sizes.known) return true;
    double *tolerance =
        memory_zeroed((size_t)p->state_count + (size_t)p->switch_count, sizeof *tolerance);
    double *rounding = tolerance + p->state_count;
    sizes_weights(j, state, tolerance);
    for (int i = 0; i < p->state_count; i++) tolerance[i] = 1 / (tolerance[i] * j->rtol);
    for (int i = 0; i < p->switch_count; i++) rounding[i] = band[i];
    bool good = bands_widen(j, time, state, tolerance, room);
    for (int i = 0; i < p->switch_count; i++)
        if (!direction[i] || p->sw[i].decides) band[i] = rounding[i];
    free(tolerance);
    return good;
}

// A relation whose sides differ by less than the rounding of their terms says nothing: what rests
// would cause events without end. One that decides about rates alone, and changes to and fro within
// the tolerance of the run, says no more.
void bands_stay(Job *j, double time, const double *state, const int *direction) {
    const double digits = 16 * DBL_EPSILON;
    const Program *p = j->p;
    if (p->switch_count == 0 || !j->m->hold) return;
    double *room = bands_room(p), *here = room + p->state_count, *band = here + p->switch_count;
    bool good = bands_find(j->m, time, state, digits, room) &&
                (!direction || widen_crossed(j, time, state, direction, room)) &&
                bands_leave_jumps(j, time, state, room);
    for (int i = 0; good && i < p->switch_count; i++) {
        bool crossed = direction && direction[i] && !(has_modes(j) && p->sw[i].decides);
        if (crossed) j->shift[i] = 0; // it was that of the other side
        double most = crossed ? 4 * band[i] : band[i];
        if (j->shift[i] != 0 || switch_has_pieces(&p->sw[i]) || fabs(here[i]) > most) continue;
        j->shift[i] = j->m->truth[i] ? -2 * band[i] : 2 * band[i];
    }
    free(room);
}

// No band where an event function will be clear of it within a hundredth of the run.
bool bands_keep_still(Job *j, const double *state, double *room) {
    const Program *p = j->p;
    double span = j->span > 0 ? j->span : 1, little = 1e-9 * span;
    double *near = room, *here = near + p->state_count, *band = here + p->switch_count;
    double *there = band + p->switch_count;
    double *rate = memory_zeroed((size_t)p->state_count + 1, sizeof *rate);
    bool good = machine_derivative(j->m, j->time, state, rate, NULL);
    for (int i = 0; good && i < p->state_count; i++) near[i] = state[i] + little * rate[i];
    good = good && machine_switches(j->m, j->time + little, near, there);
    for (int i = 0; good && i < p->switch_count; i++)
        if (!(fabs(there[i] - here[i]) / little * 0.01 * span <= band[i])) band[i] = 0;
    free(rate);
    return good;
}
