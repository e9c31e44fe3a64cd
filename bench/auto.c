// `auto` against each solver by itself, over random models of all kinds: what it costs beside the
// best of them, in evaluations of the rates, and in seconds. A solver that fails, or whose energies
// do not balance, is none of the best.
#include "../tests/pipeline.h"
#include "../tests/run/auto_models.h"

#include <stdio.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct {
    double ratio, seconds, best_seconds;
} Line;

static Line measure(const Built *b, int seed) {
    AutoCost own = auto_cost(b, SOLVER_AUTO, 0);
    long most = 20 * (own.stats.steps + 100);
    double best = INFINITY, seconds = INFINITY;
    printf("%4d %-12s %8.0f", seed, auto_kind[seed % AUTO_KINDS].name, own.cost);
    for (int i = 0; i < AUTO_RIVALS; i++) {
        AutoCost c = auto_cost(b, auto_rival[i], most);
        printf(" %8.0f", c.cost);
        if (c.cost < best) best = c.cost, seconds = c.seconds;
    }
    double ratio = best < INFINITY ? own.cost / best : own.cost < INFINITY ? 1 : INFINITY;
    printf(" %6.2f  %s %s\n", ratio,
           solver_name(own.stats.changes ? own.stats.first : own.stats.method), own.stats.course);
    return (Line){ratio, own.seconds, seconds};
}

int main(int count, char **argument) {
    int seeds = count > 1 ? atoi(argument[1]) : 200, within = 0,
        only = count > 2 ? atoi(argument[2]) : -1;
    double *ratio = calloc((size_t)seeds, sizeof *ratio), seconds = 0, best = 0;
    printf("auto\n%4s %-12s %8s", "", "", "auto");
    for (int i = 0; i < AUTO_RIVALS; i++) printf(" %8s", solver_name(auto_rival[i]));
    printf(" %6s\n", "ratio");
    for (int seed = only >= 0 ? only : 0; seed < seeds; seed++) {
        AutoModel a = auto_model(seed);
        if (only >= 0) printf("%s", text_get(&a.text));
        Built b;
        LangOptions o = {.library = BONDYN_SOURCE "/library"};
        if (!build_text(&b, text_get(&a.text), a.text.length, NULL, NULL, &o)) {
            Text t = {0};
            report_print(&t, &b.report, b.sources);
            printf("%s\n%s", text_get(&a.text), text_get(&t));
            return 1;
        }
        Line l = measure(&b, seed);
        ratio[seed] = l.ratio;
        within += l.ratio <= 2;
        if (l.ratio < INFINITY) seconds += l.seconds, best += fmin(l.best_seconds, 1e6);
        build_free(&b);
        text_free(&a.text);
        if (only >= 0) return 0;
    }
    qsort(ratio, (size_t)seeds, sizeof *ratio, by_size);
    printf("%d of %d models within twice the best (%.1f %%); median %.2f, 95 %% below %.2f, "
           "seconds %.3g against %.3g\n",
           within, seeds, 100.0 * within / seeds, ratio[seeds / 2], ratio[(int)(0.95 * seeds)],
           seconds, best);
    free(ratio);
    return within * 100 >= 95 * seeds ? 0 : 1;
}
