// Root loci. Eigenvalues come in no order; each pole takes the nearest one of the next value, those
// that are nearest to each other first, so that branches go on.
#include "analysis/locus.h"

#include "base/arena.h"
#include "base/memory.h"
#include "results/plot.h"
#include <math.h>
#include <string.h>

bool locus_take(Locus *l, Arena *out, const LinearModel *m, int k) {
    l->pole[k] = ARENA_ARRAY(out, Complex, m->n + 1);
    l->poles = k && l->poles < m->n ? l->poles : m->n;
    return dense_eigen(m->n, m->A, l->pole[k], NULL, NULL);
}

static void continue_branches(const Complex *from, Complex *to, int n) {
    Complex *left = memory_zeroed((size_t)n + 1, sizeof *left);
    bool *taken = memory_zeroed((size_t)n + 1, sizeof *taken);
    bool *used = memory_zeroed((size_t)n + 1, sizeof *used);
    memcpy(left, to, (size_t)n * sizeof *left);
    for (int round = 0; round < n; round++) {
        int branch = -1, next = -1;
        double best = INFINITY;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n && !taken[i]; k++) {
                double far = cabs(left[k] - from[i]);
                if (!used[k] && far < best) best = far, branch = i, next = k;
            }
        if (branch < 0) break;
        to[branch] = left[next];
        taken[branch] = used[next] = true;
    }
    free(left);
    free(taken);
    free(used);
}

void locus_join(Locus *l) {
    for (int k = 1; k < l->count; k++) continue_branches(l->pole[k - 1], l->pole[k], l->poles);
}

void locus_print(Text *out, const Locus *l) {
    text_printf(out, "poles %s over %s%s%s%s\n", l->discrete ? "z" : "[1/s]", l->name,
                *l->unit ? " [" : "", l->unit, *l->unit ? "]" : "");
    for (int k = 0; k < l->count; k++) {
        text_printf(out, "  %-12.8g", l->value[k]);
        for (int i = 0; i < l->poles; i++) {
            Complex p = l->pole[k][i];
            if (cimag(p) < 0) continue;
            text_printf(out, "  %.10g", creal(p));
            if (cimag(p) > 0) text_printf(out, " +- %.10gi", cimag(p));
        }
        text_char(out, '\n');
    }
}

void locus_json(Text *out, const Locus *l) {
    text_add(out, "{\"parameter\": ");
    text_json(out, l->name);
    text_add(out, ", \"unit\": ");
    text_json(out, l->unit);
    text_add(out, ", \"points\": [");
    for (int k = 0; k < l->count; k++) {
        text_add(out, k ? ", {\"value\": " : "{\"value\": ");
        text_number(out, l->value[k]);
        text_add(out, ", \"poles\": [");
        for (int i = 0; i < l->poles; i++) {
            text_add(out, i ? ", [" : "[");
            text_number(out, creal(l->pole[k][i]));
            text_add(out, ", ");
            text_number(out, cimag(l->pole[k][i]));
            text_char(out, ']');
        }
        text_add(out, "]}");
    }
    text_add(out, "]}");
}

void locus_csv(Text *out, const Locus *l) {
    text_printf(out, "%s%s%s%s,pole,real,imaginary\n", l->name, *l->unit ? " [" : "", l->unit,
                *l->unit ? "]" : "");
    for (int k = 0; k < l->count; k++)
        for (int i = 0; i < l->poles; i++) {
            text_number(out, l->value[k]);
            text_printf(out, ",%d,", i + 1);
            text_number(out, creal(l->pole[k][i]));
            text_char(out, ',');
            text_number(out, cimag(l->pole[k][i]));
            text_char(out, '\n');
        }
}

void locus_svg(Text *out, const Locus *l) {
    Arena arena = {0};
    int n = l->poles;
    const char **label = ARENA_ARRAY(&arena, const char *, n + 1);
    const char **unit = ARENA_ARRAY(&arena, const char *, n + 1);
    const double **xs = ARENA_ARRAY(&arena, const double *, n + 1);
    const double **ys = ARENA_ARRAY(&arena, const double *, n + 1);
    int *count = ARENA_ARRAY(&arena, int, n + 1);
    for (int i = 0; i < n; i++) {
        double *x = ARENA_ARRAY(&arena, double, l->count + 1);
        double *y = ARENA_ARRAY(&arena, double, l->count + 1);
        for (int k = 0; k < l->count; k++) {
            x[k] = creal(l->pole[k][i]);
            y[k] = cimag(l->pole[k][i]);
        }
        label[i] = arena_printf(&arena, "pole %d", i + 1);
        unit[i] = l->discrete ? "" : "1/s";
        xs[i] = x;
        ys[i] = y;
        count[i] = l->count;
    }
    PlotData plot = {.title = arena_printf(&arena, "Poles over %s", l->name),
                     .x_label = l->discrete ? "real part of z" : "real part [1/s]",
                     .curve_count = n,
                     .label = label,
                     .unit = unit,
                     .x = xs,
                     .y = ys,
                     .count = count};
    plot_svg(out, &plot);
    arena_free(&arena);
}
