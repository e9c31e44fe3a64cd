// Linear models against central differences of the run's own rates and outputs, for every example
// of the tree, at the start and in mid-run.
#include "../test.h"

#include "analysis/asked.h"
#include "analysis/linear.h"
#include "base/memory.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    Pipeline p;
    Arena tree, bonds;
    Names *names;
    Sources *sources;
    Report report;
    LinearPlan plan;
} Opened;

static bool open_file(Opened *o, const char *path, const char *experiment,
                      const LinearOptions *wish) {
    *o = (Opened){.names = names_new(), .sources = sources_new()};
    LangOptions given = {.library = BONDYN_SOURCE "/library"};
    LangOptions lang = pipeline_lang(&given);
    lang.bonds = &o->bonds;
    lang.linear = linear_asked;
    Syntax *syntax = lang_load(&o->tree, o->names, o->sources, path, &lang, &o->report);
    if (!syntax || o->report.errors) return false;
    PipelineOptions options = {
        .experiment = experiment, .lang = lang, .last = STAGE_MODEL, .syntax = &o->tree};
    if (!pipeline_build(&o->p, syntax, &options, &o->report) ||
        !linear_open(o->p.model, &o->p.arena, wish, &o->plan, &o->report))
        return false;
    options.last = STAGE_SYSTEM;
    return pipeline_finish(&o->p, &options, &o->report);
}

static void close_file(Opened *o) {
    pipeline_free(&o->p);
    report_free(&o->report);
    sources_free(o->sources);
    names_free(o->names);
    arena_free(&o->tree);
    arena_free(&o->bonds);
}

// --- differences ---------------------------------------------------------------------------------

typedef struct {
    Reached *at;
    const LinearModel *l;
    const LinearPlan *plan;
    double *registers; // of the point: where blocks begin
    double *state, *parameter;
    double *plus, *minus;
    bool bends; // differences of long and short steps are not the same: the rates are not linear
} Differ;

// Columns: the states of the model, then its inputs.
static bool rates_at(Differ *d, int column, double h, double *rate) {
    const Program *p = d->at->program;
    Machine *m = d->at->machine;
    int n = p->state_count;
    memcpy(m->reg, d->registers, p->register_count * sizeof(double));
    for (int i = 0; i < n; i++) {
        d->state[i] = d->at->state[i];
        if (column < d->l->n) d->state[i] += h * d->l->lift[(size_t)column * (size_t)n + (size_t)i];
    }
    for (uint32_t i = 0; i < p->param_count; i++) {
        Expr symbol = p->system->model->var[p->param_var[i]].symbol;
        d->parameter[i] = d->registers[p->first_param + i];
        if (column >= d->l->n && symbol == d->plan->input[column - d->l->n].delta)
            d->parameter[i] += h;
    }
    bool hold = m->hold;
    if (column >= d->l->n) {
        machine_set_params(m, d->parameter);
        memcpy(m->reg + p->first_held, d->registers + p->first_held,
               (p->register_count - p->first_held) * sizeof(double));
        machine_set_params(m, d->parameter);
        m->hold = hold;
    }
    return machine_derivative(m, d->at->time, d->state, rate, NULL);
}

// How far rates beside the point, so near that they lie on a line, are off it. Rates of masses of very different size have few digits.
static void find_rounding(Differ *d, int column, double scale, double *rounding) {
    int n = d->at->program->state_count;
    double *here = memory_zeroed((size_t)n + 1, sizeof *here);
    bool good = rates_at(d, column, 0, here);
    for (int i = 0; i < n; i++) rounding[i] = 2.3e-16 * fabs(here[i]);
    for (int k = 1; k <= 4 && good; k++) {
        double h = 1e-9 * k * scale;
        good = rates_at(d, column, h, d->plus) && rates_at(d, column, -h, d->minus);
        for (int i = 0; i < n && good; i++)
            rounding[i] = fmax(rounding[i], fabs(d->plus[i] + d->minus[i] - 2 * here[i]));
    }
    free(here);
}

enum { STEPS = 8 };

// The entry of row k of a Romberg table that agrees best with its neighbours and with the next row. Among hundred thousand tables
// some have neighbours that agree by chance where steps are too wide.
static void choose(const double *t, int k, double rounding, double *slope, double *error) {
    const double *before = t + (k - 1) * STEPS, *here = t + k * STEPS, *next = here + STEPS;
    for (int j = 1; j <= k; j++) {
        double e = fmax(fabs(here[j] - here[j - 1]), fabs(here[j] - before[j - 1]));
        e = fmax(fmax(e, rounding), fmax(fabs(next[j] - here[j]), fabs(next[j + 1] - here[j])));
        if (e < *error) *error = e, *slope = here[j];
    }
}

// Central differences, extrapolated.
static bool slopes(Differ *d, int column, double scale, double *slope, double *error) {
    int n = d->at->program->state_count;
    double *table = memory_zeroed((size_t)n * (STEPS * STEPS + 1), sizeof *table);
    double *rounding = table + n * STEPS * STEPS;
    bool good = true;
    double h = 0.05 * scale;
    for (int k = 0; k < 20; k++, h /= 4) // a point that is not far from where blocks end
        if (rates_at(d, column, h, d->plus) && rates_at(d, column, -h, d->minus)) break;
    find_rounding(d, column, scale, rounding);
    for (int i = 0; i < n; i++) error[i] = INFINITY;
    for (int k = 0; k < STEPS && good; k++, h /= 4) {
        good = rates_at(d, column, h, d->plus) && rates_at(d, column, -h, d->minus);
        for (int i = 0; i < n && good; i++) {
            double *t = table + (size_t)i * STEPS * STEPS, factor = 1;
            t[k * STEPS] = (d->plus[i] - d->minus[i]) / (2 * h);
            for (int j = 1; j <= k; j++) {
                factor *= 16;
                t[k * STEPS + j] =
                    t[k * STEPS + j - 1] +
                    (t[k * STEPS + j - 1] - t[(k - 1) * STEPS + j - 1]) / (factor - 1);
            }
            double least = fmax(rounding[i], 2.3e-16 * fabs(d->plus[i])) / h;
            d->bends = d->bends || fabs(t[k * STEPS] - t[0]) > 4 * least;
            if (k > 1) choose(t, k - 1, least, &slope[i], &error[i]);
        }
    }
    free(table);
    return good;
}

static double entry(const LinearModel *l, int i, int j) {
    return j < l->n ? l->A[j * l->n + i] : l->B[(j - l->n) * l->n + i];
}

static double worst_of(Differ *d, char *where, size_t room) {
    const LinearModel *l = d->l;
    int n = d->at->program->state_count;
    int all = l->n + l->m;
    double *slope = memory_zeroed((size_t)n * (size_t)all + 1, sizeof *slope), worst = 0;
    double *error = memory_zeroed((size_t)n * (size_t)all + 1, sizeof *error);
    for (int j = 0; j < all; j++) {
        double scale = fmax(fabs(j < l->n ? l->x[j] : l->u[j - l->n]), 1e-2);
        if (!slopes(d, j, scale, slope + (size_t)j * (size_t)n, error + (size_t)j * (size_t)n)) {
            snprintf(where, room, "no rates beside the point");
            worst = INFINITY;
        }
    }
    for (int i = 0; i < l->n; i++) {
        double most = 1e-7; // below that is rounding
        for (int j = 0; j < all; j++) most = fmax(most, fabs(entry(l, i, j)));
        for (int j = 0; j < all; j++) {
            size_t at = (size_t)j * (size_t)n + (size_t)l->number[i];
            double off = fabs(slope[at] - entry(l, i, j));
            off -= (error[at] > 1e-9 * most ? 200 : 2) * error[at]; // differences that are no good
            if (off <= worst * most) continue;
            worst = off / most;
            snprintf(where, room, "d %s' / d %s = %.12g, not %.12g (+- %.1g)", l->state[i].name,
                     j < l->n ? l->state[j].name : l->input[j - l->n].name, entry(l, i, j),
                     slope[at], error[at]);
        }
    }
    free(slope);
    free(error);
    return worst;
}

static int tried, told, kinks, straight; // straight: linear ones

// The largest distance by the bound: 1e-7 of the largest entry of the row, 1e-8 where the rates are linear.
static double compare(Opened *o, bool start, double time, char *where, size_t room) {
    Reached at;
    RunOptions options = {.experiment = o->p.experiment, .engine = ENGINE_VM};
    if (!linear_reach(&at, o->p.system, &options, start, time, &o->report)) return -1;
    double worst = -1;
    LinearModel *l = linear_model(&o->plan, &at, &o->report);
    bool kink = false; // differences would see both sides
    for (const Remark *x = o->report.first; x; x = x->next) kink = kink || x->code == A_KINK;
    kinks += kink;
    if (l && l->n && !kink) {
        const Program *p = at.program;
        size_t n = (size_t)p->state_count + 1;
        Differ d = {.at = &at, .l = l, .plan = &o->plan};
        d.parameter = memory_zeroed(p->param_count + 1, sizeof(double));
        d.registers = memory_zeroed(p->register_count, sizeof(double));
        machine_derivative(at.machine, at.time, at.state, d.registers, NULL);
        memcpy(d.registers, at.machine->reg, p->register_count * sizeof(double));
        machine_update_switches(at.machine, at.time, at.state);
        at.machine->hold = true; // relations and pieces as they are at the point
        d.state = memory_zeroed(n, sizeof(double));
        d.plus = memory_zeroed(n, sizeof(double));
        d.minus = memory_zeroed(n, sizeof(double));
        worst = worst_of(&d, where, room) / (d.bends ? 1e-7 : 1e-8);
        straight += !d.bends;
        free(d.registers);
        free(d.parameter);
        free(d.state);
        free(d.plus);
        free(d.minus);
    }
    linear_model_free(l);
    reached_free(&at);
    return worst;
}

// --- every example -------------------------------------------------------------------------------

// Of the first experiment, or another one, of a file with no more states than that.
static void try_file(const char *path, const char *experiment, int most) {
    Opened o;
    LinearOptions wish = {0};
    if (open_file(&o, path, experiment, &wish) && o.p.system->state_count <= most) {
        const Experiment *e = o.p.experiment;
        double begin = e ? e->start : 0, end = e ? e->stop : 1;
        for (int mid = 0; mid < 2; mid++) {
            char where[400] = "";
            double worst =
                compare(&o, !mid, begin + 0.37 * fmin(end - begin, 1), where, sizeof where);
            tried += worst >= 0;
            if (worst <= 1) continue;
            told++;
            print_message("%s %s at %s: %.2g times the bound: %s\n",
                          path + strlen(BONDYN_SOURCE) + 1, experiment ? experiment : "",
                          mid ? "mid-run" : "the start", worst, where);
        }
    }
    close_file(&o);
}

#ifdef __SANITIZE_ADDRESS__
enum { MOST_STATES = 12, LEAST_TRIED = 40 }; // the same code for fewer entries
#else
enum { MOST_STATES = 40, LEAST_TRIED = 60 };
#endif

static void test_examples(void **unused) {
    (void)unused;
    DIR *all = opendir(BONDYN_SOURCE "/examples");
    assert_non_null(all);
    for (struct dirent *e; (e = readdir(all));) {
        char folder[600];
        snprintf(folder, sizeof folder, BONDYN_SOURCE "/examples/%s", e->d_name);
        DIR *in = e->d_name[0] == '.' ? NULL : opendir(folder);
        for (struct dirent *f; in && (f = readdir(in));) {
            const char *dot = strrchr(f->d_name, '.');
            char path[900];
            snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
            if (dot && strcmp(dot, ".bond") == 0) try_file(path, NULL, MOST_STATES);
        }
        if (in) closedir(in);
    }
    closedir(all);
    print_message("%d points of examples, %d of them linear\n", tried, straight);
    assert_int_equal(told, 0);
    assert_true(tried > LEAST_TRIED);
}

// With arguments FILE EXPERIMENT...: of these, of any size.
int main(int count, char **word) {
    for (int i = 2; i < count; i++) try_file(word[1], word[i], 1000);
    if (count > 1) {
        print_message("%d points, %d off, %d kinks, %d linear\n", tried, told, kinks, straight);
        return told > 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
