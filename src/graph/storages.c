// Storages whose energy is no energy: with numbers that are known before the run.
//
//      E = x' A^-1 x/2     x: charges of a C, momenta of an I; A: its argument
//
// E is never negative when A is symmetric and positive; if A is not symmetric there is no E, and
// the power into the storage depends on the way.
#include "graph/inside.h"

#include <math.h>

static bool is_symmetric(const double *a, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            double x = a[i * n + k], y = a[k * n + i];
            if (fabs(x - y) > 1e-9 * (fabs(x) + fabs(y))) return false;
        }
    return true;
}

// By elimination: is a pivot negative, against the entry that stood there? Destroys a.
static bool has_negative_pivot(double *a, int n) {
    for (int p = 0; p < n; p++) {
        double pivot = a[p * n + p];
        if (pivot < 0) return true;
        if (pivot == 0) continue;
        for (int i = p + 1; i < n; i++)
            for (int k = p + 1; k < n; k++) {
                double less = a[i * n + p] * a[p * n + k] / pivot, was = a[i * n + k];
                a[i * n + k] = fabs(was - less) > 1e-12 * fabs(was) ? was - less : 0;
            }
    }
    return false;
}

static void warn_negative(const Model *m, const Comp *c, const double *a, Report *r) {
    const char *path = name_text(m->names, c->path);
    Remark *w;
    if (c->argument_rows == 1)
        w = report_warning(r, G_NEGATIVE_STORAGE, c->pos, "'%s' stores a negative energy: %s = %g",
                           path, c->kind == COMP_C ? "C" : "I", a[0]);
    else
        w = report_warning(
            r, G_NEGATIVE_STORAGE, c->pos,
            "the matrix of '%s' is not positive: some states store a negative energy", path);
    remark_help(r, w, "such a storage hands out more than it was given; look for a sign");
}

static void check_storage(const Model *m, const Comp *c, const double *number, Report *r) {
    enum { MOST = 24 };
    double a[MOST * MOST] = {0};
    int n = c->argument_rows;
    if (!c->argument || n < 1 || n > MOST || n != c->argument_cols) return;
    for (int i = 0; i < n * n; i++) {
        a[i] = expr_evaluate(m->dag, c->argument[i], number);
        if (!isfinite(a[i])) return; // it depends on the run
    }
    if (!is_symmetric(a, n)) {
        Remark *w =
            report_warning(r, G_NOT_SYMMETRIC, c->pos, "the matrix of '%s' is not symmetric",
                           name_text(m->names, c->path));
        remark_help(
            r, w, "no energy belongs to it: on a closed way of its states it makes or loses some");
        return;
    }
    if (a[0] < 0 || n > 1) {
        double first = a[0];
        if (has_negative_pivot(a, n)) warn_negative(m, c, &first, r);
    }
}

void check_storages(const Model *m, Report *r) {
    Arena tmp = {0};
    const double *number = NULL;
    for (int i = 0; i < m->comp_count; i++) {
        const Comp *c = &m->comp[i];
        if ((c->kind != COMP_C && c->kind != COMP_I) || c->own_law || !c->argument) continue;
        if (!number) number = model_numbers(&tmp, m);
        check_storage(m, c, number, r);
    }
    arena_free(&tmp);
}
