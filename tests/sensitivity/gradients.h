// Derivatives of what runs give, three ways: along the run (forward), back along it (adjoint), and
// by differences of whole runs. For tests.
#ifndef BONDYN_TESTS_GRADIENTS_H
#define BONDYN_TESTS_GRADIENTS_H

#include "../pipeline.h"
#include "base/memory.h"
#include "sensitivity/sensitivity.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PARAMETERS = 4, MOST_PROBES = 400 };

typedef struct {
    const char *file, *experiment;
    SolverKind solver;
    double rtol;
    double agree; // with differences, of the largest slope of the probe by relative changes
    double stop;  // 0: of the experiment
    const char *parameter[MOST_PARAMETERS]; // none: the first that matter
} Case;

static inline bool open_case(Built *b, const Case *c) {
    char path[1000];
    snprintf(path, sizeof path, "%s%s",
             c->file[0] == '/' || c->file[0] == '.' ? "" : BONDYN_SOURCE "/examples/", c->file);
    LangOptions given = {.library = BONDYN_SOURCE "/library"};
    LangOptions with = build_open(b, &given);
    Syntax *syntax = lang_load(&b->tree, b->names, b->sources, path, &with, &b->report);
    return build_syntax(b, syntax, NULL, c->experiment, &with);
}

static inline RunOptions options_of(const Built *b, const Case *c) {
    return (RunOptions){.experiment = b->pipeline.experiment,
                        .solver = c->solver,
                        .rtol = c->rtol,
                        .stop = c->stop,
                        .engine = ENGINE_VM};
}

static inline void tell_report(const Report *r, const Sources *s, FILE *to) {
    Text t = {0};
    report_print(&t, r, s);
    fputs(text_get(&t), to);
    text_free(&t);
}

// --- parameters ----------------------------------------------------------------------------------

static inline double number_of(const Model *m, int var) {
    double x = 0;
    if (m->var[var].kind != VAR_PARAM || !m->var[var].value ||
        !expr_is_number(m->dag, m->var[var].value, &x))
        return 0;
    return x;
}

// --- differences ---------------------------------------------------------------------------------

static inline bool probes_with(const Built *b, const Case *c, AlongShared *shared, int var,
                               double value, double *probe) {
    RunOptions o = options_of(b, c);
    o.set_var = &var;
    o.set_value = &value;
    o.set_count = 1;
    Along a;
    Report r = {0};
    bool good = along_run(&a, b->system, &o, shared, &r);
    for (int i = 0; i < a.job.plan.probe_count && good; i++) probe[i] = along_probe(&a, i);
    along_close(&a);
    report_free(&r);
    return good;
}

// (4 D(h/2) - D(h))/3, by a relative change of the parameter.
static inline bool differences(const Built *b, const Case *c, AlongShared *shared, int var,
                               double step, int probes, double *slope) {
    double x = number_of(b->model, var), p[4][MOST_PROBES];
    const double at[4] = {-step, step, -step / 2, step / 2};
    for (int k = 0; k < 4; k++)
        if (!probes_with(b, c, shared, var, x * (1 + at[k]), p[k])) return false;
    for (int i = 0; i < probes; i++) {
        double wide = (p[1][i] - p[0][i]) / (2 * step), narrow = (p[3][i] - p[2][i]) / step;
        slope[i] = (4 * narrow - wide) / 3 / x;
    }
    return true;
}

// The largest slope of a probe by relative changes; a number that hardly changes is compared by its
// size.
static inline double scale_of(const double *slope, const double *size, int count, double value) {
    double most = 1e-3 * fabs(value) + 1e-10;
    for (int j = 0; j < count; j++) most = fmax(most, fabs(slope[j] * size[j]));
    return most;
}

#endif
