// What lies inside a step: a polynomial through both its ends, for wanted points and events.
//
//     t                                end      13 stages lead from t to the end; the rates there
//     o-----x-----x-----x-----x---------o       and two stages more give y at every x between them
//
// to less than the tolerance (engine/rk78.def). The rates at the end are those with which the next
// step begins, so that a step with any number of points inside costs two calls more.
#include "solve/rk78.h"

#include "base/wide.h"

// Times closer to the end than this are the end.
bool rk78_wants(const Rk78 *k) { return job_wants(k->j, k->end - events_margin(k->j, k->end)); }

bool rk78_look_inside(Rk78 *k) {
    if (k->known > 0) return true;
    if (k->given)
        k->j->m->calls += RK78_ALL_STAGES - RK78_STAGES;
    else if (!rk78_more(k))
        return false;
    k->known = k->step;
    k->whole = k->given;
    if (!k->given) rk78_polynomial(k, 0, k->j->n);
    return true;
}

WIDE static void value(const Rk78 *k, double time, int count, double *y) {
    double x = (time - k->t) / k->known, w = 1 - x, s = 2 * x - 1;
    int n = k->total;
    const double *from = k->y, *p = k->polynomial;
    APART for (int i = 0; i < count; i++) {
        const double *c = p + i;
        double rest = c[3 * n] + s * (c[4 * n] + s * (c[5 * n] + s * (c[6 * n] + s * c[7 * n])));
        y[i] = from[i] + x * (c[0] + w * (c[n] + x * (c[2 * n] + w * rest)));
    }
}

void rk78_state_inside(const Rk78 *k, double time, double *state) {
    value(k, time, k->j->n, state);
}

void rk78_inside(Rk78 *k, double time, double *y) {
    if (!k->whole) rk78_polynomial(k, k->j->n, k->j->nq);
    k->whole = true;
    value(k, time, k->total, y);
}
