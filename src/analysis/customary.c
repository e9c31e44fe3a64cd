// From p and q to what is measured: the effort e = q/C of a capacitor or spring, the flow f = p/I of a coil or mass. With z = T x
//
//     z' = T A T^-1 z + T B u,    y = C T^-1 z + D u
//
// A row of T is the slope of the effort or flow by the states, which the tangent has when they are outputs: diagonal for plain elements,
// fuller where storages depend on each other. Other states stay as they are.
#include "analysis/customary.h"

#include "analysis/dense.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

int customary_outputs(const Model *m, Arena *out, const char ***path) {
    int count = 0;
    *path = ARENA_ARRAY(out, const char *, m->comp_count + 1);
    for (int c = 0; c < m->comp_count; c++) {
        const Comp *x = &m->comp[c];
        if ((x->kind != COMP_C && x->kind != COMP_I) || x->port_count != 1 || x->state_count != 1)
            continue;
        const Port *p = &m->port[x->first_port];
        int var = x->kind == COMP_C ? p->e : p->f;
        (*path)[count++] = name_text(m->names, m->var[var].path);
    }
    return count;
}

// "spring.q" and "spring.e", "mass.p" and "mass.f"
static bool belongs(const char *state, const char *output) {
    size_t n = strlen(state), k = strlen(output);
    if (n < 3 || n != k || strncmp(state, output, n - 1) != 0 || state[n - 2] != '.') return false;
    return (state[n - 1] == 'q' && output[k - 1] == 'e') ||
           (state[n - 1] == 'p' && output[k - 1] == 'f');
}

static int output_of(const LinearModel *l, int kept, const char *state) {
    for (int i = kept; i < l->p; i++)
        if (belongs(state, l->output[i].name)) return i;
    return -1;
}

static void tell(Text *text, const LinearModel *l, const double *T, const Label *name) {
    text_add(text, "customary states z = T x; entries of T that are not those of 1\n");
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j < l->n; j++) {
            double x = T[(size_t)j * (size_t)l->n + (size_t)i];
            if (x != (i == j))
                text_printf(text, "  T[%s, %s] = %.12g\n", name[i].name, l->state[j].name, x);
        }
}

// X T^-1 in place of X, by the transposed system.
static bool divide(int rows, int n, const double *T, double *X) {
    double *turned = memory_zeroed((size_t)n * (size_t)n + 1, sizeof *turned);
    double *right = memory_zeroed((size_t)n * (size_t)rows + 1, sizeof *right);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            turned[(size_t)i * (size_t)n + (size_t)j] = T[(size_t)j * (size_t)n + (size_t)i];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            right[(size_t)i * (size_t)n + (size_t)j] = X[(size_t)j * (size_t)rows + (size_t)i];
    bool good = dense_solve(n, turned, rows, right);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            X[(size_t)j * (size_t)rows + (size_t)i] = right[(size_t)i * (size_t)n + (size_t)j];
    free(turned);
    free(right);
    return good;
}

static void keep_outputs(LinearModel *l, int kept) {
    for (int j = 0; j < l->n; j++)
        for (int i = 0; i < kept; i++)
            l->C[(size_t)j * (size_t)kept + (size_t)i] = l->C[(size_t)j * (size_t)l->p + (size_t)i];
    for (int j = 0; j < l->m; j++)
        for (int i = 0; i < kept; i++)
            l->D[(size_t)j * (size_t)kept + (size_t)i] = l->D[(size_t)j * (size_t)l->p + (size_t)i];
    l->p = kept;
}

static double *product(LinearModel *l, const double *T, const double *X, int columns) {
    double *to = ARENA_ARRAY(&l->arena, double, (size_t)l->n *(size_t)columns + 1);
    dense_multiply(l->n, l->n, columns, T, X, to);
    return to;
}

bool customary_states(LinearModel *l, int kept, Text *text, Report *r) {
    int n = l->n;
    double *T = memory_zeroed((size_t)n * (size_t)n + 1, sizeof *T);
    Label *name = ARENA_ARRAY(&l->arena, Label, n + 1);
    for (int i = 0; i < n; i++) {
        int y = output_of(l, kept, l->state[i].name);
        name[i] = y < 0 ? l->state[i] : l->output[y];
        for (int j = 0; j < n; j++)
            T[(size_t)j * (size_t)n + (size_t)i] =
                y < 0 ? i == j : l->C[(size_t)j * (size_t)l->p + (size_t)y];
        if (y >= 0) l->x[i] = l->y[y];
    }
    tell(text, l, T, name);
    keep_outputs(l, kept);
    double *A = product(l, T, l->A, n), *B = product(l, T, l->B, l->m),
           *rate = product(l, T, l->rate, 1);
    bool good = divide(n, n, T, A) && divide(l->p, n, T, l->C);
    if (l->B1) l->B1 = product(l, T, l->B1, l->m);
    free(T);
    l->A = A, l->B = B, l->rate = rate;
    l->state = name;
    if (good) return true;
    Remark *m = report_error(r, A_NO_POINT, l->model->pos,
                             "efforts and flows do not tell all states here: T has no inverse");
    remark_help(r, m, "leave --customary out");
    return false;
}
