// All steady points that are found from many starts, drawn around the point where the search begins:
//
//     x_i + (2 |x_i| + 3) z,    z uniform in -1 .. 1, from a seed
//
// States are in SI and small numbers are as likely as large ones, so the second half of the starts goes ten times as far.
#include "analysis/steady.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

static uint64_t mix(uint64_t x) { // splitmix64
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double drawn(uint64_t seed, int start, int state) {
    uint64_t bits = mix(mix(mix(seed) + (uint64_t)start) + (uint64_t)state);
    return 2 * (double)(bits >> 11) / 9007199254740992.0 - 1;
}

static bool is_new(SteadyPoint *const *list, int count, const SteadyPoint *p) {
    for (int i = 0; i < count; i++)
        if (steady_same(list[i], p)) return false;
    return true;
}

int steady_search(const System *s, const LinearPlan *plan, const SteadyStarts *from,
                  SteadyPoint **list, Report *r) {
    static const RunOptions none = {0};
    int count = 0;
    for (int k = 0; k <= from->starts; k++) {
        Reached at;
        Report own = {0};
        Report *to = k == 0 ? r : &own; // only the first may fail aloud
        if (!linear_reach(&at, s, from->options ? from->options : &none, from->at_start, from->time,
                          to))
            return 0;
        double far = 2 * k > from->starts ? 10 : 1;
        for (int i = 0; i < at.system->state_count && k; i++)
            at.state[i] += far * (2 * fabs(at.state[i]) + 3) * drawn(from->seed, k, i);
        SteadyPoint *p = steady_find(plan, &at, to);
        if (p && is_new(list, count, p))
            list[count++] = p;
        else
            steady_free(p);
        reached_free(&at);
        report_free(&own);
    }
    return count;
}
