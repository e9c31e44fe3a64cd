// Gradients of any file, three ways, with a verdict on each: what a single difference cannot tell
// (noise, a peak that goes to another point) is told apart from what two of them agree about.
//
//     gradient_sweep FILE [EXPERIMENT [SOLVER [RTOL [STOP]]]]
//     gradient_sweep --random FIRST COUNT          of models that are drawn (random_models.h)
//     gradient_sweep --show SEED                   one of these
//
// Says one line per number that is in doubt, and a last line with counts; fails if a derivative is
// wrong.
#include "gradients.h"
#include "random_models.h"

#define AGREE 1e-5 // of differences, in parts of the largest slope of the probe

enum { MOST_COMPARED = 12 }; // probes of an experiment, from the first to the last

typedef struct {
    int good, refused, unclear, wrong, adjoint, not_finite;
    int forth;     // probes that the way back does not tell
    int vanish;    // probes that are rounding: a difference of what is the same
    int one_sided; // slopes that differ on both sides: there is no derivative
    double worst_adjoint, worst_difference;
} Counts;

typedef struct {
    double forth, back,
        by[3];    // slopes by relative changes, in parts of their scale; NaN: not asked for
    double sides; // how far slopes of both sides are apart
} Slopes3;

static const char *judge(Slopes3 s, bool vanishes, Counts *n) {
    double off = INFINITY;
    for (int k = 0; k < 3; k++) off = fmin(off, fabs(s.by[k] - s.forth));
    double far = fabs(s.back - s.forth);
    if (!isfinite(s.forth) || !isfinite(s.back)) return n->not_finite++, "NOT FINITE";
    n->worst_adjoint = fmax(n->worst_adjoint, far);
    if (far > 1e-3) return n->adjoint++, "ADJOINT";
    if (far > 1e-8) return n->unclear++, "adjoint"; // rounding that a model makes more of
    if (off <= AGREE) {
        n->worst_difference = fmax(n->worst_difference, off);
        n->good++;
        return NULL;
    }
    if (s.sides > off / 4) return n->one_sided++, NULL; // a peak of what stays the same, abs at 0
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

// Slopes three ways: `by` of differences with three widths.
typedef struct {
    int var[MOST_PARAMETERS], count;
    double slope[MOST_PROBES * MOST_PARAMETERS];
    double by[MOST_PARAMETERS][3][MOST_PROBES];
    double sides[MOST_PARAMETERS][MOST_PROBES];
    bool known[MOST_PARAMETERS]; // runs with other values came to their end
    bool told[MOST_PROBES];      // the way forth tells it
} Sheet;

static double largest_state(const Along *a) {
    double most = 0;
    for (int i = 0; i < a->trail.node.count; i++) {
        const Node *n = &a->trail.node.data[i];
        for (int k = 0; n->state && n->kept && k < n->kept->machine->program->state_count; k++)
            most = fmax(most, fabs(n->state[k]));
    }
    return most > 0 ? most : 1;
}

static bool vanishes(Along *a, int i, const Sheet *x, const double *size) {
    double most = 0, large = largest_state(a);
    for (int j = 0; j < x->count; j++)
        most = fmax(most, fabs(x->slope[i * x->count + j] * size[j]));
    return fabs(along_probe(a, i)) <= 1e-12 * large && most <= 1e-9 * large;
}

static void compare_probe(const Built *b, Along *a, int i, const Sheet *x, Counts *n) {
    int count = x->count;
    double size[MOST_PARAMETERS], back[MOST_PARAMETERS], weight[MOST_PROBES] = {0};
    for (int j = 0; j < count; j++) size[j] = number_of(b->model, x->var[j]);
    double scale = scale_of(x->slope + i * count, size, count, along_probe(a, i));
    double large = largest_state(a);
    if (fabs(along_probe(a, i)) < 1e-6 * large) scale = fmax(scale, 1e-6 * large); // terms cancel
    weight[i] = 1;
    if (vanishes(a, i, x, size)) {
        n->vanish++;
        return;
    }
    if (!along_gradient(a, weight, x->var, count, back)) {
        n->refused++;
        return;
    }
    n->forth += a->by_forth;
    for (int j = 0; j < count; j++) {
        if (!x->known[j]) continue;
        double by = size[j] / scale;
        Slopes3 s = {.forth = x->slope[i * count + j] * by, .back = back[j] * by};
        for (int k = 0; k < 3; k++) s.by[k] = x->by[j][k][i] * by;
        s.sides = fabs(x->sides[j][i] * by);
        const char *verdict = judge(s, fabs(along_probe(a, i)) < 1e-6 * scale, n);
        if (verdict)
            printf("  %-10s %-30s by %-22s forth %.9g back %+.1e differences %+.1e %+.1e %+.1e\n",
                   verdict, name_text(b->names, a->job.plan.probes[i].signal.label),
                   name_text(b->names, b->model->var[x->var[j]].path), x->slope[i * count + j],
                   s.back - s.forth, s.by[0] - s.forth, s.by[1] - s.forth, s.by[2] - s.forth);
    }
}

// All at once, or each by itself where one of them is refused.
static void slopes_forth(Along *a, int apart, Sheet *x, Counts *n) {
    int probes = a->job.plan.probe_count;
    size_t size = (size_t)(probes * x->count) + 1;
    bool *wanted = memory_zeroed((size_t)probes + 1, sizeof *wanted);
    double *one = memory_zeroed(size, sizeof *one);
    for (int i = 0; i < probes; i += apart) wanted[i] = x->told[i] = isfinite(along_probe(a, i));
    bool all = along_slopes(a, wanted, x->var, x->count, x->slope);
    for (int i = 0; i < probes && !all; i += apart) {
        if (!x->told[i]) continue;
        memset(wanted, 0, (size_t)probes);
        wanted[i] = true;
        if (!(x->told[i] = along_slopes(a, wanted, x->var, x->count, one))) n->refused++;
        memcpy(x->slope + i * x->count, one + i * x->count, (size_t)x->count * sizeof *one);
    }
    free(wanted);
    free(one);
}

// Do differences of one width tell the same?
static bool is_same(const Built *b, Along *a, int apart, const Sheet *x, int j) {
    double size[MOST_PARAMETERS];
    for (int k = 0; k < x->count; k++) size[k] = number_of(b->model, x->var[k]);
    for (int i = 0; i < a->job.plan.probe_count; i += apart) {
        const double *slope = x->slope + i * x->count;
        double scale = scale_of(slope, size, x->count, along_probe(a, i));
        if (x->told[i] && !(fabs(x->by[j][1][i] - slope[j]) * fabs(size[j]) <= AGREE * scale))
            return false;
    }
    return true;
}

// (p(x + h) - p(x))/h - (p(x) - p(x - h))/h.
static bool differences_of_sides(const Built *b, const Case *c, Along *a, AlongShared *shared,
                                 int var, double step, double *sides) {
    double x = number_of(b->model, var), p[2][MOST_PROBES];
    for (int k = 0; k < 2; k++)
        if (!probes_with(b, c, shared, var, x * (1 + (k ? step : -step)), p[k])) return false;
    for (int i = 0; i < a->job.plan.probe_count; i++)
        sides[i] = (p[1][i] + p[0][i] - 2 * along_probe(a, i)) / (step * x);
    return true;
}

static void compare_all(const Built *b, const Case *c, Along *a, AlongShared *shared, Counts *n) {
    static Sheet x;
    int probes = a->job.plan.probe_count, apart = probes / MOST_COMPARED + 1;
    x.count = spread_parameters(b, a->program, x.var);
    slopes_forth(a, apart, &x, n);
    for (int j = 0; j < x.count; j++) {
        for (int i = 0; i < probes; i++) x.by[j][0][i] = x.by[j][2][i] = NAN, x.sides[j][i] = 0;
        x.known[j] = differences(b, c, shared, x.var[j], 1e-4, probes, x.by[j][1]);
        if (x.known[j] && !is_same(b, a, apart, &x, j))
            x.known[j] = differences(b, c, shared, x.var[j], 1e-3, probes, x.by[j][0]) &&
                         differences(b, c, shared, x.var[j], 1e-5, probes, x.by[j][2]) &&
                         differences_of_sides(b, c, a, shared, x.var[j], 1e-4, x.sides[j]);
    }
    for (int i = 0; i < probes; i += apart)
        if (x.told[i]) compare_probe(b, a, i, &x, n);
}

// Runs what is built, compares and tells; gives whether the experiment ran.
static bool sweep(Built *b, const Case *c, bool built, Counts *n) {
    Along a = {0};
    AlongShared shared = {0};
    RunOptions o = options_of(b, c);
    bool good = built && along_run(&a, b->system, &o, &shared, &b->report);
    if (good) compare_all(b, c, &a, &shared, n);
    if (a.job.system) along_close(&a);
    along_shared_free(&shared);
    return good;
}

static void tell(const char *name, const char *experiment, bool good, const Counts *n) {
    printf(
        "%s %s: %s, %d good (adjoint %.1e, differences %.1e), %d refused, %d unclear, %d wrong, %d "
        "adjoint, %d not finite; %d probes by the way forth alone, %d are rounding, %d slopes of "
        "one "
        "side\n",
        name, experiment, good ? "ran" : "did not run", n->good, n->worst_adjoint,
        n->worst_difference, n->refused, n->unclear, n->wrong, n->adjoint, n->not_finite, n->forth,
        n->vanish, n->one_sided);
}

static int failures(const Counts *n) { return n->wrong + n->adjoint + n->not_finite; }

static int sweep_random(int first, int count) {
    int wrong = 0, ran = 0;
    Counts all = {0};
    for (int seed = first; seed < first + count; seed++) {
        Case c = {"", NULL, SOLVER_RK78, 1e-11, 1, 0, {0}};
        Text text = {0};
        Built b;
        Counts n = {0};
        LangOptions with = {.library = BONDYN_SOURCE "/library"};
        random_model(&text, seed);
        bool built = build_text(&b, text_get(&text), text.length, NULL, NULL, &with);
        bool good = sweep(&b, &c, built, &n);
        if (!good) tell_report(&b.report, b.sources, stdout);
        char name[40];
        snprintf(name, sizeof name, "seed %d", seed);
        if (failures(&n) || !good || n.unclear) tell(name, "", good, &n);
        wrong += failures(&n) > 0 || !built;
        ran += good;
        all.good += n.good, all.refused += n.refused, all.unclear += n.unclear;
        all.forth += n.forth, all.vanish += n.vanish, all.one_sided += n.one_sided;
        all.worst_adjoint = fmax(all.worst_adjoint, n.worst_adjoint);
        all.worst_difference = fmax(all.worst_difference, n.worst_difference);
        build_free(&b);
        text_free(&text);
    }
    printf("%d of %d models ran, %d wrong; ", ran, count, wrong);
    tell("all", "", true, &all);
    bool enough = ran >= count - count / 10 && all.unclear + all.refused <= all.good / 10;
    return wrong || !enough;
}

static int sweep_file(int count, char **word) {
    Case c = {word[1], count > 2 && *word[2] ? word[2] : NULL, SOLVER_AUTO, 1e-9, 1, 0, {0}};
    if (count > 3 && *word[3] && !solver_named(word[3], &c.solver)) return 2;
    if (count > 4) c.rtol = strtod(word[4], NULL);
    if (count > 5) c.stop = strtod(word[5], NULL);
    Built b;
    Counts n = {0};
    bool good = sweep(&b, &c, open_case(&b, &c), &n);
    tell_report(&b.report, b.sources, stdout);
    tell(word[1], c.experiment ? c.experiment : "", good, &n);
    build_free(&b);
    return failures(&n) > 0;
}

int main(int count, char **word) {
    if (count == 4 && strcmp(word[1], "--random") == 0)
        return sweep_random(atoi(word[2]), atoi(word[3]));
    if (count == 3 && strcmp(word[1], "--show") == 0) {
        Text t = {0};
        random_model(&t, atoi(word[2]));
        fputs(text_get(&t), stdout);
        text_free(&t);
        return 0;
    }
    return count < 2 ? 2 : sweep_file(count, word);
}
