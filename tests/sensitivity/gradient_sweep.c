// Gradients of any file, three ways, with a verdict on each: what a single difference cannot tell (noise,
// a peak that goes to another point) is told apart from what two of them agree about.
//
//     gradient_sweep FILE [EXPERIMENT [SOLVER [RTOL [STOP]]]]
//
// Says one line per number that is in doubt, and a last line with counts; fails if a derivative is wrong.
#include "gradients.h"

enum { MOST_COMPARED = 12 }; // probes of an experiment, from the first to the last

typedef struct {
    int good, refused, unclear, wrong, adjoint, not_finite;
    double worst_adjoint, worst_difference;
} Counts;

typedef struct {
    double forth, back, by[3]; // slopes by relative changes, in parts of their scale
} Slopes3;

static const char *judge(Slopes3 s, bool vanishes, Counts *n) {
    double agree = 1e-5, off = INFINITY;
    for (int k = 0; k < 3; k++) off = fmin(off, fabs(s.by[k] - s.forth));
    double far = fabs(s.back - s.forth);
    if (!isfinite(s.forth) || !isfinite(s.back)) return n->not_finite++, "NOT FINITE";
    n->worst_adjoint = fmax(n->worst_adjoint, far);
    if (far > 1e-3) return n->adjoint++, "ADJOINT";
    if (far > 1e-8) return n->unclear++, "adjoint"; // rounding that a model makes more of
    if (off <= agree) {
        n->worst_difference = fmax(n->worst_difference, off);
        n->good++;
        return NULL;
    }
    if (vanishes || off < 1e-3 ||
        !(fabs(s.by[0] - s.by[1]) < off / 10 || fabs(s.by[2] - s.by[1]) < off / 10))
        return n->unclear++, "unclear";
    return n->wrong++, "WRONG";
}

// Some of them, from the first to the last.
static int spread_parameters(const Built *b, const Program *p, int *var) {
    int all = 0, count = 0, seen = 0;
    for (uint32_t i = 0; i < p->param_count; i++)
        all += isfinite(number_of(b->model, p->param_var[i])) &&
               number_of(b->model, p->param_var[i]) != 0;
    for (uint32_t i = 0; i < p->param_count && count < MOST_PARAMETERS; i++) {
        double x = number_of(b->model, p->param_var[i]);
        if (x == 0 || !isfinite(x)) continue;
        if ((double)seen++ >= (double)count * all / MOST_PARAMETERS) var[count++] = p->param_var[i];
    }
    return count;
}

static void compare_probe(const Built *b, Along *a, int i, const int *var, int count,
                          const double *slope, double other[][3][MOST_PROBES], const bool *known,
                          Counts *n) {
    double size[MOST_PARAMETERS], back[MOST_PARAMETERS], weight[MOST_PROBES] = {0};
    for (int j = 0; j < count; j++) size[j] = number_of(b->model, var[j]);
    double scale = scale_of(slope + i * count, size, count, along_probe(a, i));
    weight[i] = 1;
    if (!along_gradient(a, weight, var, count, back)) {
        n->refused++;
        return;
    }
    for (int j = 0; j < count; j++) {
        if (!known[j]) continue;
        double by = size[j] / scale;
        Slopes3 s = {.forth = slope[i * count + j] * by, .back = back[j] * by};
        for (int k = 0; k < 3; k++) s.by[k] = other[j][k][i] * by;
        const char *verdict = judge(s, fabs(along_probe(a, i)) < 1e-6 * scale, n);
        if (verdict)
            printf("  %-10s %-30s by %-22s forth %.9g back %+.1e differences %+.1e %+.1e %+.1e\n",
                   verdict, name_text(b->names, a->job.plan.probes[i].signal.label),
                   name_text(b->names, b->model->var[var[j]].path), slope[i * count + j],
                   s.back - s.forth, s.by[0] - s.forth, s.by[1] - s.forth, s.by[2] - s.forth);
    }
}

static void compare_all(const Built *b, const Case *c, Along *a, AlongShared *shared, Counts *n) {
    static double other[MOST_PARAMETERS][3][MOST_PROBES];
    int var[MOST_PARAMETERS], probes = a->job.plan.probe_count;
    int count = spread_parameters(b, a->program, var);
    bool known[MOST_PARAMETERS];
    double *slope = memory_zeroed((size_t)(probes * count) + 1, sizeof *slope);
    bool *wanted = memory_zeroed((size_t)probes + 1, sizeof *wanted);
    for (int j = 0; j < count; j++)
        known[j] = differences(b, c, shared, var[j], 1e-3, probes, other[j][0]) &&
                   differences(b, c, shared, var[j], 1e-4, probes, other[j][1]) &&
                   differences(b, c, shared, var[j], 1e-5, probes, other[j][2]);
    int apart = probes / MOST_COMPARED + 1;
    for (int i = 0; i < probes; i += apart) {
        if (!isfinite(along_probe(a, i))) continue;
        memset(wanted, 0, (size_t)probes);
        wanted[i] = true;
        if (along_slopes(a, wanted, var, count, slope))
            compare_probe(b, a, i, var, count, slope, other, known, n);
        else
            n->refused++;
    }
    free(slope);
    free(wanted);
}

int main(int count, char **word) {
    if (count < 2) return 2;
    Case c = {word[1], count > 2 && *word[2] ? word[2] : NULL, SOLVER_AUTO, 1e-9, 1, 0, {0}};
    if (count > 3 && *word[3] && !solver_named(word[3], &c.solver)) return 2;
    if (count > 4) c.rtol = strtod(word[4], NULL);
    if (count > 5) c.stop = strtod(word[5], NULL);
    Built b;
    Along a = {0};
    AlongShared shared = {0};
    Counts n = {0};
    RunOptions o = options_of(&c);
    bool good = open_case(&b, &c);
    if (good && (good = along_run(&a, b.system, &o, &shared, &b.report)))
        compare_all(&b, &c, &a, &shared, &n);
    tell_report(&b.report, b.sources, stdout);
    printf(
        "%s %s: %s, %d good (adjoint %.1e, differences %.1e), %d refused, %d unclear, %d wrong, %d "
        "adjoint, %d not finite\n",
        word[1], c.experiment ? c.experiment : "", good ? "ran" : "did not run", n.good,
        n.worst_adjoint, n.worst_difference, n.refused, n.unclear, n.wrong, n.adjoint,
        n.not_finite);
    if (a.job.system) along_close(&a);
    along_shared_free(&shared);
    build_free(&b);
    return n.wrong + n.adjoint + n.not_finite > 0;
}
