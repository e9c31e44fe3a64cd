#include "analysis/shapes.h"

#include "analysis/tangent.h"
#include "base/memory.h"
#include <stdlib.h>

struct Shapes {
    const Reached *at;
    const Poles *poles;
    Tangent *t;
    int n, rows;   // states of the system
    double *slope; // rows by states of the linear model, row by row
    double *state;
};

// d row / d state of the linear model, along the constraints.
static void take_slopes(Shapes *s) {
    const LinearModel *l = s->poles->model;
    s->slope = memory_zeroed((size_t)s->rows * (size_t)l->n + 1, sizeof(double));
    for (int row = 0; row < s->rows; row++)
        for (int i = 0; i < s->n; i++) {
            double by = tangent_slope(s->t, s->n + row, i);
            for (int j = 0; j < l->n && by != 0; j++)
                s->slope[(size_t)row * (size_t)l->n + (size_t)j] +=
                    by * l->lift[(size_t)j * (size_t)s->n + (size_t)i];
        }
}

Shapes *shapes_new(const LinearPlan *plan, const Reached *at, const Poles *poles, const Expr *row,
                   int rows, Report *r) {
    Shapes *s = memory_zeroed(1, sizeof *s);
    Resolver *resolver = resolver_new(at->system);
    Expr *solved = memory_zeroed((size_t)rows + 1, sizeof *solved);
    *s = (Shapes){.at = at, .poles = poles, .n = at->system->state_count, .rows = rows};
    for (int i = 0; i < rows; i++) solved[i] = resolve(resolver, row[i]);
    s->t = tangent_new(at->system, NULL, 0, solved, rows, r);
    s->state = memory_zeroed((size_t)s->n + 1, sizeof(double));
    resolver_free(resolver);
    free(solved);
    if (!s->t || !tangent_start(s->t, at, plan->origin) ||
        !tangent_at(s->t, at->time, at->state, NULL)) {
        shapes_free(s);
        return NULL;
    }
    take_slopes(s);
    return s;
}

void shapes_free(Shapes *s) {
    if (!s) return;
    tangent_free(s->t);
    free(s->slope);
    free(s->state);
    free(s);
}

Complex shapes_slope(const Shapes *s, int mode, int row) {
    const Complex *v = s->poles->mode[mode].vector;
    int n = s->poles->model->n;
    Complex sum = 0;
    for (int j = 0; j < n; j++) sum += s->slope[(size_t)row * (size_t)n + (size_t)j] * v[j];
    return sum;
}

double shapes_part(const Shapes *s, int mode) {
    int n = s->poles->model->n;
    double sum = 0;
    for (int j = 0; j < n; j++) {
        bool depends = false;
        for (int row = 0; row < s->rows && !depends; row++)
            depends = s->slope[(size_t)row * (size_t)n + (size_t)j] != 0;
        if (depends) sum += s->poles->mode[mode].state[j];
    }
    return sum;
}

bool shapes_at(Shapes *s, int mode, Complex c, double *value) {
    const LinearModel *l = s->poles->model;
    const Complex *v = s->poles->mode[mode].vector;
    for (int i = 0; i < s->n; i++) s->state[i] = s->at->state[i];
    for (int j = 0; j < l->n; j++) {
        double move = creal(c * v[j]);
        for (int i = 0; i < s->n && move != 0; i++)
            s->state[i] += l->lift[(size_t)j * (size_t)s->n + (size_t)i] * move;
    }
    if (!tangent_value_at(s->t, s->at->time, s->state, NULL)) return false;
    for (int i = 0; i < s->rows; i++) value[i] = tangent_value(s->t)[s->n + i];
    return true;
}
