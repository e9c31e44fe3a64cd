// How large the states of a run are, so that tolerances mean the same in every unit.
//
//   weight of state i in the error test:   1/(rtol |x_i| + atol_i)
//   atol_i = max(rtol/1000 recent_i, 500 noise_i h/(1 + h decay_i))
//   implicit methods: 1.5/(...), with
//   atol_i = max(rtol/50 recent_i, 500 noise_i h/(1 + h decay_i), 3 passed_on_i)
//   where recent_i is more than a guess
//
//   recent_i   the largest |x_i| of late: a fifth of it goes with every step. So a state that
//              passes through zero is held to what it was a few steps before, one that falls by decades
//              is followed down, and no state is lost beside larger ones. (With the largest value
//              of the whole run, Robertson's first substance, 1 at the start and 2e-8 in the end,
//              would be known to 1e-9 only, and what is left of it is then error.) Below 1e-24 of
//              what any of its dimension ever was it is as good as zero. With explicit methods it falls
//              as fast as the state, where that falls at the rate of the step before.
//              An implicit method is there to step over decays, which explicit ones have to follow
//              anyhow: of a state that dies away, by more than 0.3 rtol^(1/6) of itself with a step,
//              recent_i falls as |x_i|^(2/3). So it is known to 1 % after ten decades still, and need
//              not be followed digit by digit to its end. One that stays, or falls slowly, is held
//              to what it is at once.
//   at zero    a state starts with what its equation says it may become soon: the rate now or a
//              little later, or what the sizes of others do to the rate, times 1e-4 of the run; but
//              no more than changes its rate by as much as that, no more than 1e-4 of the largest
//              state of its dimension (1e-6 where none is known), and no less than 1e-12 of it:
//              with order 1 no step is short enough to follow a state that rises as t^3. 97 % of
//              that are left after each step until the state is larger: fronts of waves are not
//              followed digit by digit, and still nothing is given up for good. Of one that decays
//              from where it started as much goes as of the state. Steps that leave
//              it at zero say nothing about it. A state that has died down to a millionth of what
//              it was starts in the same way behind an event: a jump of its rate would ask for
//              steps that are lost in the rounding of the time.
//              A guess is made again at the next start: what was found while nothing moved (rounding,
//              as forces that cancel leave it) says nothing about an input that moves now. Nor do
//              others of its dimension that rates reach within 1e-13 of the run: rounding, or so young.
//              And no first step needs to be so short that it is lost in the rounding of the time.
//   noise_i    the rounding of the rate, from fourth differences between points that are a
//              millionth of the sizes apart: all that is smooth cancels. The largest of three of
//              them, as one may be zero by chance; and what the last digit of the states does to the
//              rate: 1e6 (1 - x) is exact, and a multiple of 1e-10 all the same. An implicit method damps
//              it with the decay rate of the state. A state that is zero but for rounding does not
//              hold back the steps.
//   passed_on  (1 - gamma J)^-1 gamma noise, with signs at random: where 1e-14 V is tied to a node whose
//              1e-12 V are differences of volts, its own rate is exact and it is rounding all the
//              same. Newton's method cannot do better than that either.
//
// Integrals, event functions and differences want to know how large states are at all:
//
//   size_i     the largest |x_i| so far, and not less than
//              1e-4 of the largest state of the same dimension (1e-6 where none is known),
//              first_i, of which half goes with every step: what x_i may become soon after a start,
//              time * (|rate_i| + spread_i)
//
// spread_i is how far the rate changes when all states change by their sizes, found by evaluating
// the rates beside the present point. With it sizes spread to states that are still at rest, as
// q' = p/m follows p' = F.
//
// Unknowns of blocks, which are variables of ida's, are known to 100 units of the last digit of
// what they ever were and to ten times what the last digits of the states do to them: one may be
// zero but for rounding.
//
// Energies of the audit are held to the largest of them. What is zero but for rounding, such as the
// work of a drive that needs no force, is not followed. An `atol` of the user's own stands in place
// of all this.
#include "solve/job.h"

#include "base/memory.h"
#include "base/numbers.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const double falling = 0.3;         // see above
static const double least_at_zero = 1e-12; // of the largest of its dimension it starts with
static const double young = 1e-9;          // of what the rates bring soon: as good as zero, too
static const double sooner = 1e-4;         // of the run: soon
enum { STEPS_BETWEEN = 100, MOST_ROUNDS = 6, PATTERNS = 2 };

// --- opening and closing -------------------------------------------------------------------------

static Dim dimension_of(const Job *j, int state) {
    int var = j->p->system->state_var[state];
    return var >= 0 ? j->p->system->model->var[var].dim : DIM_UNKNOWN;
}

// The part of the largest state of a group that no size falls below.
static double part_of_group(const Job *j, int group) {
    return dimension_of(j, j->sizes.member[group]).known ? 1e-4 : 1e-6;
}

// States of one dimension form a group; all states whose dimension is not known form another one.
static void make_groups(Job *j) {
    Sizes *s = &j->sizes;
    s->group_count = 0;
    for (int i = 0; i < j->n; i++) {
        Dim d = dimension_of(j, i);
        int g = 0;
        for (; g < s->group_count; g++) {
            Dim other = dimension_of(j, s->member[g]);
            if (d.known == other.known && (!d.known || dim_equal(d, other))) break;
        }
        if (g == s->group_count) s->member[s->group_count++] = i;
        s->group[i] = g;
    }
    for (int g = 0; g < s->group_count; g++) s->part[g] = part_of_group(j, g);
}

// The states of another mode may be the same variables: what is known of them is kept.
static double *known_size(Job *j, int state) {
    int var = j->p->system->state_var[state];
    return j->known_sizes && var >= 0 ? &j->known_sizes[2 * var] : NULL;
}

static void take_known(Job *j) {
    for (int i = 0; i < j->n; i++) {
        const double *known = known_size(j, i);
        if (known) j->sizes.most[i] = known[0], j->sizes.recent[i] = known[1];
    }
    for (int i = 0; i < j->nq; i++) j->sizes.quad_most[i] = fabs(j->quad[i]);
}

static void keep_known(Job *j) {
    for (int i = 0; i < j->n; i++) {
        double *known = known_size(j, i);
        if (known) known[0] = larger(known[0], j->sizes.most[i]), known[1] = j->sizes.recent[i];
    }
}

void sizes_open(Job *j) {
    Sizes *s = &j->sizes;
    size_t n = (size_t)j->n, q = (size_t)j->nq, u = (size_t)program_unknown_count(j->p);
    s->space = memory_zeroed(28 * n + 5 * q + 6 * u, sizeof(double));
    double *at = s->space;
    double **const by_state[] = {&s->most,      &s->first,  &s->spread, &s->in_group, &s->point,
                                 &s->rate,      &s->beside, &s->size,   &s->recent,   &s->reach,
                                 &s->noise,     &s->decay,  &s->rest,   &s->last,     &s->fall,
                                 &s->passed_on, &s->coming, &s->least,  &s->later,    &s->guessed,
                                 &s->brought,   &s->top,    &s->part,   &s->floor,    &s->nothing};
    for (int i = 0; i < 25; i++, at += n) *by_state[i] = at;
    s->differences = at;
    at += 3 * n;
    double **const by_quad[] = {&s->quad_most, &s->quad_soon, &s->quad_rate, &s->quad_beside,
                                &s->quad_noise};
    for (int i = 0; i < 5; i++, at += q) *by_quad[i] = at;
    double **const by_unknown[] = {&s->unknown_most,   &s->unknown_spread, &s->unknown,
                                   &s->unknown_beside, &s->unknown_ever,   &s->unknown_noise};
    for (int i = 0; i < 6; i++, at += u) *by_unknown[i] = at;
    s->group = memory_zeroed(n, sizeof *s->group);
    s->member = memory_zeroed(n, sizeof *s->member);
    s->unknown_count = (int)u;
    s->kept_falling = 1 - falling * pow(j->rtol, 1.0 / 6);
    make_groups(j);
    take_known(j);
}

void sizes_close(Job *j) {
    keep_known(j);
    free(j->sizes.space);
    free(j->sizes.group);
    free(j->sizes.member);
}

// --- sizes ---------------------------------------------------------------------------------------

static bool enlarge(double *size, double x) {
    if (!(fabs(x) > *size) || !isfinite(x)) return false;
    bool much = fabs(x) > 2 * *size;
    *size = fabs(x);
    return much;
}

static double largest_energy(const Job *j) {
    double most = 0;
    for (int i = 0; i < j->nq && i < j->o->energy_count; i++)
        most = larger(most, larger(j->sizes.quad_most[i], j->sizes.quad_soon[i]));
    return most;
}

static void find_sizes(Job *j) {
    Sizes *s = &j->sizes;
    recent_floors(s, j->n);
    for (int i = 0; i < j->n; i++)
        s->size[i] = larger(larger(s->most[i], s->first[i]), s->floor[i]);
    s->energy = largest_energy(j);
}

double sizes_of(const Job *j, int state) {
    double size = j->sizes.size[state];
    return size > 0 ? size : 1; // nothing has moved it yet
}

// --- how rates change over the sizes -------------------------------------------------------------

// A number between 0.5 and 1 with a sign, the same in every run.
static double direction(int i, int pattern) {
    uint32_t x = (uint32_t)i * 2654435761u + (uint32_t)pattern * 40503u + 12345u;
    x = (x ^ (x >> 15)) * 2246822519u;
    x ^= x >> 13;
    double part = 0.5 + 0.5 * (double)(x & 0xffff) / 65536.0;
    return x & 0x10000 ? part : -part;
}

// Rates at a point. IDA has the unknowns of blocks as variables, which need sizes, too, so for it
// they are solved for as well.
static bool rates_at(Job *j, double time, const double *state, double *rate, double *quad,
                     double *unknown) {
    if (!machine_derivative(j->m, time, state, rate, j->nq ? quad : NULL)) return false;
    return j->stats->method != SOLVER_IDA || machine_unknowns(j->m, time, state, unknown);
}

// Largest change of x towards y, over the part of the sizes that was gone.
static void widen(double *spread, const double *x, const double *y, int count, double part) {
    for (int i = 0; i < count; i++) enlarge(&spread[i], (y[i] - x[i]) / part);
}

// Finds how far rounding moves the rates of integrals and the unknowns, by comparison with
// neighbouring numbers. Three looks for unknowns, as one may show none by chance.
static void find_noise(Job *j, double time, const double *state) {
    Sizes *s = &j->sizes;
    bool implicit = s->unknown_count && j->stats->method == SOLVER_IDA; // they are its variables
    int looks = implicit ? 3 : j->nq ? 1 : 0;
    memset(s->quad_noise, 0, (size_t)j->nq * sizeof *s->quad_noise);
    memset(s->unknown_noise, 0, (size_t)s->unknown_count * sizeof *s->unknown_noise);
    for (int k = 0; k < looks; k++) {
        for (int i = 0; i < j->n; i++)
            s->point[i] =
                state[i] + 4 * DBL_EPSILON * direction(i, k) * larger(fabs(state[i]), s->size[i]);
        if (!rates_at(j, time, s->point, s->beside, s->quad_beside, s->unknown_beside)) continue;
        if (k == 0) widen(s->quad_noise, s->quad_rate, s->quad_beside, j->nq, 1);
        widen(s->unknown_noise, s->unknown, s->unknown_beside, s->unknown_count, 1);
    }
}

// Integrands that change with time alone, such as the power of a drive that begins at rest: no
// change of the states shows how large they will be.
static void look_ahead(Job *j, double time, const double *state) {
    static const double part = 1e-9;
    Sizes *s = &j->sizes;
    double later = time + part * (j->span > 0 ? j->span : 1);
    if (j->nq && rates_at(j, later, state, s->beside, s->quad_beside, s->unknown_beside))
        widen(s->quad_soon, s->quad_rate, s->quad_beside, j->nq, part);
}

// The part of the sizes that points beside the present one are away.
static const double aside = 1e-6;

static bool find_spread(Job *j, double time, const double *state) {
    Sizes *s = &j->sizes;
    memset(s->spread, 0, (size_t)j->n * sizeof *s->spread);
    memset(s->unknown_spread, 0, (size_t)s->unknown_count * sizeof *s->unknown_spread);
    memset(s->quad_soon, 0, (size_t)j->nq * sizeof *s->quad_soon);
    if (!rates_at(j, time, state, s->rate, s->quad_rate, s->unknown)) return false;
    for (int k = 0; k < PATTERNS; k++) {
        for (int i = 0; i < j->n; i++)
            s->point[i] = state[i] + aside * direction(i, k) * s->size[i];
        if (!rates_at(j, time, s->point, s->beside, s->quad_beside, s->unknown_beside)) continue;
        widen(s->spread, s->rate, s->beside, j->n, aside);
        widen(s->unknown_spread, s->unknown, s->unknown_beside, s->unknown_count, aside);
        widen(s->quad_soon, s->quad_rate, s->quad_beside, j->nq, aside);
    }
    look_ahead(j, time, state);
    find_noise(j, time, state);
    // the calls are no part of the run, and Newton goes on from the present point
    rates_at(j, time, state, s->beside, s->quad_beside, s->unknown_beside);
    for (int i = 0; i < s->unknown_count; i++) {
        enlarge(&s->unknown_ever[i], s->unknown[i]);
        s->unknown_most[i] = larger(fabs(s->unknown[i]), s->unknown_most[i] / 2);
    }
    for (int i = 0; i < j->nq; i++)
        s->quad_soon[i] = 1e-3 * j->span * larger(fabs(s->quad_rate[i]), 1e-4 * s->quad_soon[i]);
    return true;
}

// --- recent sizes --------------------------------------------------------------------------------

// The largest of each dimension.
static void find_groups(Job *j, const double *size) {
    Sizes *s = &j->sizes;
    for (int g = 0; g < s->group_count; g++) s->in_group[g] = 0;
    for (int i = 0; i < j->n; i++)
        s->in_group[s->group[i]] = larger(s->in_group[s->group[i]], size[i]);
}

// What the rates bring soon to states that were as good as zero, the largest of each dimension.
// Sizes far below say nothing.
static void find_coming(Job *j) {
    Sizes *s = &j->sizes;
    for (int g = 0; g < s->group_count; g++) s->coming[g] = 0;
    for (int i = 0; i < j->n; i++)
        s->coming[s->group[i]] = larger(s->coming[s->group[i]], young * s->brought[i]);
}

// The size with which the error of a first step is within the tolerance, if that step is as short
// as time can be told.
static void find_least(Job *j, double time, const double *state) {
    Sizes *s = &j->sizes;
    double h = 1000 * events_margin(j, time), part = sizes_part(j);
    for (int i = 0; i < j->n; i++) s->point[i] = state[i] + h * s->rate[i];
    bool good = rates_at(j, time + h, s->point, s->beside, s->quad_beside, s->unknown_beside);
    for (int i = 0; i < j->n; i++) {
        double least = good ? h * fabs(s->beside[i] - s->rate[i]) / part : 0;
        s->least[i] = isfinite(least) ? least : 0;
    }
}

// The first size of states at zero, of all that is much smaller than others of its dimension: what
// it may become soon, but no more than a part of those. reach: the rate that it may have; 0:
// nothing to do.
static bool guess(Job *j, double time, const double *state, double soon) {
    Sizes *s = &j->sizes;
    bool some = false;
    bool later = rates_at(j, time + soon, state, s->beside, s->quad_beside, s->unknown_beside);
    for (int i = 0; i < j->n; i++) {
        double group = larger(s->in_group[s->group[i]], s->most[i]); // also if it is small by now
        double noise = s->coming[s->group[i]];
        if (group <= noise) group = 0;
        double most = group > 0 ? part_of_group(j, s->group[i]) * group : (double)INFINITY;
        double rate =
            larger(larger(fabs(s->rate[i]), s->spread[i]), s->brought[i] / (sooner * j->span));
        if (later && isfinite(s->beside[i])) rate = larger(rate, fabs(s->beside[i]));
        bool small = group > 0 ? s->recent[i] < most : s->recent[i] <= noise;
        s->reach[i] = small ? rate : 0;
        if (s->reach[i] > 0) s->rest[i] = smaller(larger(soon * rate, s->least[i]), most);
        some = some || s->reach[i] > 0;
    }
    return some;
}

// A state whose rate changes by more than that on the way comes to rest before.
static void limit_guess(Job *j, double time, const double *state) {
    Sizes *s = &j->sizes;
    for (int i = 0; i < j->n; i++) s->point[i] = state[i] + (s->reach[i] > 0 ? s->rest[i] : 0);
    if (!rates_at(j, time, s->point, s->beside, s->quad_beside, s->unknown_beside)) return;
    for (int i = 0; i < j->n; i++) {
        double change = fabs(s->beside[i] - s->rate[i]);
        if (s->reach[i] > 0 && !(change <= s->reach[i]))
            s->rest[i] *= isfinite(change) ? s->reach[i] / change : 0;
    }
}

static bool all_have_sizes(const Job *j) {
    for (int i = 0; i < j->n; i++)
        if (!(j->sizes.recent[i] > 0)) return false;
    return true;
}

static void find_recent(Job *j, double time, const double *state) {
    static const double parts[] = {sooner, 1e-2, 0.3, 1};
    Sizes *s = &j->sizes;
    find_coming(j);
    find_least(j, time, state);
    find_groups(j, s->recent);
    for (int k = 0; k < 4 && (k == 0 || !all_have_sizes(j)); k++) {
        if (!guess(j, time, state, parts[k] * j->span)) continue;
        limit_guess(j, time, state);
        for (int i = 0; i < j->n; i++) {
            double least = least_at_zero * s->in_group[s->group[i]];
            if (s->reach[i] > 0) s->rest[i] = larger(s->rest[i], least);
            s->recent[i] = larger(s->recent[i], larger(s->rest[i], least));
        }
        find_groups(j, s->recent);
    }
    for (int i = 0; i < j->n; i++) // a guess is as good as the next, where both are guesses
        if (s->guessed[i] > s->recent[i]) s->recent[i] = s->rest[i] = s->guessed[i];
}

// What the last digits of the states do to the rates, which may be exact for the digits there are:
// 1e6 (1 - x) is a multiple of 1e-10 where x is nearly 1. An implicit method passes rounding on,
// and a state's own digit would be as large as it likes where a step takes a growing state to
// infinity: only those of others count there.
static void find_last_digits(Job *j, double time, const double *state) {
    Sizes *s = &j->sizes;
    if (sizes_implicit(j)) {
        job_decays(j, time, state, s->decay, s->beside);
        for (int i = 0; i < j->n; i++) enlarge(&s->noise[i], s->beside[i]);
        return;
    }
    for (int k = 0; k < PATTERNS; k++) {
        for (int i = 0; i < j->n; i++)
            s->point[i] = state[i] + 2 * DBL_EPSILON * direction(i, k) * fabs(state[i]);
        if (rates_at(j, time, s->point, s->beside, s->quad_beside, s->unknown_beside))
            widen(s->noise, s->rate, s->beside, j->n, 2);
    }
}

// Rounding of the rates: fourth differences have 8 times as much of it. Numbers have few digits
// there, and a difference is often zero by chance: three of them overlap.
static void find_rounding(Job *j, double time, const double *state) {
    enum { ORDER = 4, LOOKS = 3, POINTS = ORDER + LOOKS };
    static const double weight[ORDER + 1] = {1, -4, 6, -4, 1};
    Sizes *s = &j->sizes;
    size_t n = (size_t)j->n;
    bool here = false;
    memset(s->differences, 0, LOOKS * n * sizeof *s->differences);
    for (int k = 0; k < POINTS; k++) {
        for (int i = 0; i < j->n; i++)
            s->point[i] = state[i] + k * aside * direction(i, PATTERNS) * s->recent[i];
        if (!rates_at(j, time, s->point, s->beside, s->quad_beside, s->unknown_beside)) break;
        if (k == 0) memcpy(s->rate, s->beside, n * sizeof *s->rate);
        here = true;
        for (int d = k > ORDER ? k - ORDER : 0; d < LOOKS && d <= k; d++)
            for (int i = 0; i < j->n; i++)
                s->differences[(size_t)d * n + (size_t)i] += weight[k - d] * s->beside[i];
        if (k < POINTS - 1) continue;
        memset(s->noise, 0, n * sizeof *s->noise);
        for (size_t i = 0; i < LOOKS * n; i++) enlarge(&s->noise[i % n], s->differences[i] / 8);
    }
    if (here) find_last_digits(j, time, state);
    rates_at(j, time, state, s->beside, s->quad_beside, s->unknown_beside); // as after find_spread
}

bool sizes_wants_rounding(const Job *j) { return j->sizes.until_rounding == j->sizes.between; }

void sizes_pass_rounding(Job *j, double gamma, SizesSolve *solve, void *context) {
    Sizes *s = &j->sizes;
    memset(s->passed_on, 0, (size_t)j->n * sizeof *s->passed_on);
    for (int k = 0; k < PATTERNS; k++) {
        for (int i = 0; i < j->n; i++) s->point[i] = direction(i, k) * gamma * s->noise[i];
        if (!solve(context, s->point, s->beside)) return;
        for (int i = 0; i < j->n; i++) enlarge(&s->passed_on[i], s->beside[i]);
    }
}

// Rates a little later, of what begins to move with time.
static void look_later(Job *j, double time, const double *state) {
    Sizes *s = &j->sizes;
    memset(s->later, 0, (size_t)j->n * sizeof *s->later);
    if (!rates_at(j, time, state, s->beside, s->quad_beside, s->unknown_beside)) return;
    for (int i = 0; i < j->n; i++) enlarge(&s->later[i], s->beside[i]);
}

// What the states may become soon is no more than changes their rates by as much as these are: one
// that decays fast comes to rest before. Without that x' = -1e12 (x - cos t) at 0 would be taken
// for a state of 1e8, and never be followed. A decay
// that time cannot tell from a jump says nothing.
static void limit_first(Job *j, double time, const double *state) {
    Sizes *s = &j->sizes;
    for (int i = 0; i < j->n; i++) s->point[i] = state[i] + s->reach[i];
    if (!rates_at(j, time, s->point, s->beside, s->quad_beside, s->unknown_beside)) return;
    for (int i = 0; i < j->n; i++) {
        double change = fabs(s->beside[i] - s->rate[i]),
               rate = larger(fabs(s->rate[i]), s->spread[i]);
        double limited = s->reach[i] * (rate / change);
        if (isfinite(change) && change > rate && limited > DBL_EPSILON * j->span * rate)
            s->reach[i] = limited;
    }
}

// --- what was as good as zero --------------------------------------------------------------------

// Would moving states by their reach change the rates of those that were moved before by more than
// these are? Then something swings, or settles, faster than that, and nobody knows how far it goes.
static bool turns_back(const Job *j, double soon) {
    const Sizes *s = &j->sizes;
    for (int i = 0; i < j->n; i++)
        if (s->brought[i] > 0 && !(fabs(s->beside[i] - s->rate[i]) <= s->brought[i] / soon))
            return true;
    return false;
}

// States that were as good as zero, beside what their rates bring soon (in reach; 0: nothing to
// look at): no more than changes the rates by as much as they are. True: there are some.
static bool take_brought(Job *j, double time, const double *state, double soon) {
    Sizes *s = &j->sizes;
    bool some = false;
    for (int i = 0; i < j->n; i++) s->point[i] = state[i] + s->reach[i];
    if (!rates_at(j, time, s->point, s->beside, s->quad_beside, s->unknown_beside)) return false;
    if (turns_back(j, soon)) return false;
    for (int i = 0; i < j->n; i++) {
        double rate = s->reach[i] / soon, change = fabs(s->beside[i] - s->rate[i]),
               reach = s->reach[i];
        if (!(reach > 0) || !isfinite(change)) continue;
        if (change > rate) reach *= rate / change;
        if (!(larger(s->most[i], fabs(state[i])) < young * reach)) continue;
        s->brought[i] = reach;
        enlarge(&s->first[i], reach);
        some = true;
    }
    return some;
}

// An input moves what rested: directly, and from state to state. What rounding or a moment of
// motion have made of states is nothing beside that: whatever they are, the rates reach it within
// 1e-13 of the run.
static void spread_motion(Job *j, double time, const double *state, double soon) {
    Sizes *s = &j->sizes;
    memset(s->brought, 0, (size_t)j->n * sizeof *s->brought);
    for (int i = 0; i < j->n; i++) s->reach[i] = soon * larger(fabs(s->rate[i]), s->later[i]);
    for (int round = 0; round < MOST_ROUNDS && take_brought(j, time, state, soon); round++) {
        for (int i = 0; i < j->n; i++)
            s->point[i] = state[i] + aside * direction(i, 0) * s->brought[i];
        if (!rates_at(j, time, s->point, s->beside, s->quad_beside, s->unknown_beside)) return;
        for (int i = 0; i < j->n; i++)
            s->reach[i] = s->brought[i] > 0 ? 0 : soon * fabs(s->beside[i] - s->rate[i]) / aside;
    }
}

// --- during the run ------------------------------------------------------------------------------

// Sizes soon after a start, from what has a size to what has none yet.
void sizes_start(Job *j, double time, const double *state) {
    Sizes *s = &j->sizes;
    double soon = sooner * j->span;
    s->known = true;
    s->countdown = STEPS_BETWEEN;
    s->until_rounding = s->between = 1;
    s->step = 0;
    for (int i = 0; i < j->n; i++) {
        enlarge(&s->most[i], state[i]);
        s->guessed[i] = s->recent[i] > s->most[i] ? s->recent[i] : 0;
        if (s->guessed[i] > 0) s->recent[i] = 0;
        enlarge(&s->recent[i], state[i]);
        s->first[i] = s->rest[i] = s->passed_on[i] = s->fall[i] = 0;
        s->last[i] = state[i];
    }
    look_later(j, time + soon, state);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool grown = false;
        find_sizes(j);
        if (!find_spread(j, time, state)) break;
        for (int i = 0; i < j->n; i++) s->reach[i] = soon * larger(fabs(s->rate[i]), s->spread[i]);
        limit_first(j, time, state);
        for (int i = 0; i < j->n; i++) {
            grown = grown || (s->size[i] == 0 && s->reach[i] > 0);
            if (round == 0 || s->size[i] == 0) enlarge(&s->first[i], s->reach[i]);
        }
        if (!grown) break;
    }
    spread_motion(j, time, state, soon);
    find_sizes(j);
    find_recent(j, time, state);
    find_rounding(j, time, state);
}

bool sizes_step(Job *j, double time, const double *state, const double *quad, double step) {
    Sizes *s = &j->sizes;
    bool grown = false;
    s->step = fabs(step);
    recent_step(s, j->n, state, sizes_implicit(j), j->stats->method == SOLVER_CVODE_BDF);
    for (int i = 0; i < j->nq; i++) grown = enlarge(&s->quad_most[i], quad[i]) || grown;
    s->energy = largest_energy(j);
    // rounding is not what it was in a start from rest, where many numbers are zero
    if (--s->until_rounding <= 0) {
        s->between = s->between < STEPS_BETWEEN ? 2 * s->between : STEPS_BETWEEN;
        s->until_rounding = s->between;
        find_rounding(j, time, state);
    }
    if (--s->countdown > 0) return grown;
    s->countdown = STEPS_BETWEEN;
    find_spread(j, time, state);
    return true;
}
