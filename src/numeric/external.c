// Rates by central differences: (f(x + h d) - f(x - h d)) / 2h. The error is that of rounding, e/h,
// and of the third derivative, h^2: best near h = e^(1/3), relative to x along d.
#include "numeric/external.h"

#include "base/memory.h"
#include <float.h>
#include <math.h>

// How far to go along d. Components that d moves count, each by its own size.
static double step_along(int n, const double *x, const double *d) {
    double step = INFINITY;
    for (int i = 0; i < n; i++) {
        if (d[i] == 0) continue;
        double size = x[i] == 0 ? 1 : fabs(x[i]);
        step = fmin(step, cbrt(DBL_EPSILON) * size / fabs(d[i]));
    }
    return isfinite(step) ? step : 0;
}

static bool difference(const External *e, const double *in, double *out) {
    const External *f = e->of;
    int n = f->inputs, m = f->outputs;
    const double *x = in, *d = in + n;
    double step = step_along(n, x, d), few[256], *work = few;
    if (step == 0) {
        for (int i = 0; i < m; i++) out[i] = 0;
        return true;
    }
    if (n + m > 256) work = memory_zeroed((size_t)n + (size_t)m, sizeof *work);
    double *ahead = work + n;
    for (int i = 0; i < n; i++) work[i] = x[i] + step * d[i];
    bool good = f->compute(f, work, ahead);
    for (int i = 0; i < n; i++) work[i] = x[i] - step * d[i];
    good = good && f->compute(f, work, out);
    for (int i = 0; i < m && good; i++) out[i] = (ahead[i] - out[i]) / (2 * step);
    if (work != few) free(work);
    return good;
}

static void explain_difference(const External *e, const double *in, Text *what, Text *help) {
    e->of->explain(e->of, in, what, help);
}

static External *differences(Arena *out, const External *e, int levels) {
    External *rate = ARENA_NEW(out, External);
    *rate = (External){.name = e->name,
                       .inputs = 2 * e->inputs,
                       .outputs = e->outputs,
                       .impure = e->impure,
                       .compute = difference,
                       .explain = explain_difference,
                       .of = e};
    if (levels > 1) rate->rate = differences(out, rate, levels - 1);
    return rate;
}

const External *external_differences(Arena *out, const External *e) {
    return differences(out, e, 2);
}
