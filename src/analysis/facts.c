// Single numbers of an analysis, by the names of variables, components and modes.
#include "analysis/facts.h"

#include "base/memory.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static int place(const Label *list, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) return i;
    return -1;
}

static double missing(const Probe *p, Report *r, const char *what, const char *name,
                      const char *help) {
    Remark *m = report_error(r, A_NO_FACT, p->signal.pos, "%s '%s'", what, name);
    remark_help(r, m, "%s", help);
    return NAN;
}

// --- entries of A, B, C and D --------------------------------------------------------------------

static double slope(const Findings *f, const Probe *p, const char *of, const char *by, Report *r) {
    const LinearModel *l = f->l;
    const char *word = l->period > 0 ? "next(" : "der(";
    char rate[300];
    size_t n = strlen(of), before = strlen(word);
    bool is_rate = n > before + 1 && n < sizeof rate && strncmp(of, word, before) == 0;
    if (is_rate) {
        memcpy(rate, of + before, n - before - 1);
        rate[n - before - 1] = 0;
    }
    int state = place(l->state, l->n, by), input = place(l->input, l->m, by);
    int row = is_rate ? place(l->state, l->n, rate) : place(l->output, l->p, of);
    if (row < 0)
        return missing(
            p, r, "no state or output of the linear model is called", is_rate ? rate : of,
            "rows are rates of states, der(x), of discrete models next values, next(x), and "
            "outputs: name them with `outputs`");
    if (state < 0 && input < 0)
        return missing(p, r, "no state or input of the linear model is called", by,
                       "columns are states and inputs: name them with `inputs`");
    if (is_rate) return state >= 0 ? l->A[state * l->n + row] : l->B[input * l->n + row];
    return state >= 0 ? l->C[state * l->p + row] : l->D[input * l->p + row];
}

// --- poles and zeros -----------------------------------------------------------------------------

static double share_of(const LinearModel *l, const PoleMode *x, const char *name) {
    size_t n = strlen(name);
    double sum = 0;
    for (int k = 0; k < l->storages; k++)
        if (strncmp(l->storage[k].name, name, n) == 0 &&
            (!l->storage[k].name[n] || l->storage[k].name[n] == '.' ||
             l->storage[k].name[n] == '['))
            sum += x->storage[k];
    return sum;
}

static double among_modes(const Findings *f, const Poles *m, const Probe *p, const char *of,
                          Report *r) {
    if (p->fact == FACT_POLES) return f->l->n;
    if (p->fact == FACT_UNSTABLE) return m->unstable;
    double k = p->number > 0 ? p->number - 1 : m->count + p->number;
    if (p->number == 0 || !(k >= 0 && k < m->count) || k != floor(k)) {
        char number[40];
        snprintf(number, sizeof number, "%g", p->number);
        return missing(
            p, r, "there is no mode", number,
            "modes count from 1, slowest first, or from -1, fastest first; a pair is one");
    }
    const PoleMode *x = &m->mode[(int)k];
    switch (p->fact) {
    case FACT_POLE_REAL: return creal(x->value);
    case FACT_POLE_IMAGINARY: return cimag(x->value);
    case FACT_POLE_DAMPING: return x->damping;
    case FACT_POLE_FREQUENCY: return x->frequency / (2 * acos(-1));
    default: return share_of(f->l, x, of);
    }
}

static double of_mode(const Findings *f, const Probe *p, const char *of, Report *r) {
    Poles *own = f->poles ? NULL : poles_of(f->l, r);
    const Poles *m = f->poles ? f->poles : own;
    double value = m ? among_modes(f, m, p, of, r) : NAN;
    poles_free(own);
    return value;
}

static int by_size(const void *a, const void *b) {
    const Complex *x = a, *y = b;
    double p = cabs(*x), q = cabs(*y);
    if (p != q) return p < q ? -1 : 1;
    return creal(*x) != creal(*y)  ? (creal(*x) < creal(*y) ? -1 : 1)
           : cimag(*x) > cimag(*y) ? -1
                                   : 1;
}

// Zeros with an imaginary part of at least 0, the smallest first.
static double of_zero(const Findings *f, const Probe *p, int input, int output) {
    Complex *zero = memory_zeroed((size_t)f->l->n + 1, sizeof *zero), found = NAN;
    int count = channel_zeros(f->l, input, output, zero), k = 0;
    if (count > 0) qsort(zero, (size_t)count, sizeof *zero, by_size);
    for (int i = 0; i < count; i++)
        if (cimag(zero[i]) >= 0 && ++k == (int)p->number) found = zero[i];
    free(zero);
    return p->fact == FACT_ZERO_REAL ? creal(found) : cimag(found);
}

// --- frequencies ---------------------------------------------------------------------------------

static const ChannelResponse *channel_of(const Findings *f, int input, int output) {
    for (int i = 0; i < f->channels && f->channel; i++)
        if (f->channel[i].input == input && f->channel[i].output == output) return &f->channel[i];
    return NULL;
}

static double of_response(const Findings *f, const Probe *p, int input, int output, Report *r) {
    double w = 2 * acos(-1) * p->number;
    if (!below_nyquist(f->l, &w, 1, p->signal.pos, r)) return NAN;
    Responder *x = responder_new(f->l, input, output);
    Complex g = response_at(x, w);
    responder_free(x);
    return p->fact == FACT_PHASE ? carg(g) : p->fact == FACT_GAIN ? cabs(g) : 20 * log10(cabs(g));
}

// The one that is nearest to instability.
static double among_margins(const Findings *f, const Margins *m, const Probe *p, Report *r) {
    if (m->unstable > 0) {
        Remark *x = report_warning(r, A_UNSTABLE_LOOP, p->signal.pos,
                                   "the closed loop is unstable: poles %s: %d",
                                   unstable_place(f->l), m->unstable);
        remark_help(r, x, "margins say how far a loop that is stable is from instability");
    }
    double best = INFINITY, value = INFINITY, w = NAN;
    if (p->fact == FACT_PEAK) return m->peak;
    bool gains = p->fact == FACT_GAIN_MARGIN || p->fact == FACT_GAIN_CROSSING;
    for (int i = 0; i < m->gain_count && gains; i++)
        if (fabs(log(m->gain[i].value)) < best)
            best = fabs(log(m->gain[i].value)), value = m->gain[i].value, w = m->gain[i].w;
    for (int i = 0; i < m->phase_count && !gains; i++) {
        double x = p->fact == FACT_DELAY_MARGIN ? m->phase[i].delay : m->phase[i].value;
        if (fabs(x) < best) best = fabs(x), value = x, w = m->phase[i].w;
    }
    bool frequency = p->fact == FACT_GAIN_CROSSING || p->fact == FACT_PHASE_CROSSING;
    return frequency ? w / (2 * acos(-1)) : value;
}

static double of_margins(const Findings *f, const Probe *p, int input, int output, Report *r) {
    const ChannelResponse *c = channel_of(f, input, output);
    if (c) return among_margins(f, &c->margins, p, r);
    ChannelResponse own = channel_response(f->l, input, output, 0, 0, FACTS_GRID, NULL, 0);
    double value = among_margins(f, &own.margins, p, r);
    channel_response_free(&own);
    return value;
}

static double figure_of(const TimeResponse *t, Fact fact) {
    return fact == FACT_RISE ? t->rise : fact == FACT_OVERSHOOT ? t->overshoot : t->settle;
}

static double of_step(const Findings *f, const Probe *p, int input, int output, Report *r) {
    for (int i = 0; f->answer && i < f->channels; i++) {
        const TimeResponse *t = &f->answer[i];
        if (t->input == input && t->output == output && !t->impulse) return figure_of(t, p->fact);
    }
    if (!time_response_exists(f->l, input, false, r)) return NAN;
    TimeResponse own = time_response(f->l, input, output, false, 0);
    double value = figure_of(&own, p->fact);
    time_response_free(&own);
    return value;
}

static double of_channel(const Findings *f, const Probe *p, const char *of, const char *by,
                         Report *r) {
    const LinearModel *l = f->l;
    int output = place(l->output, l->p, of), input = place(l->input, l->m, by);
    if (output < 0)
        return missing(p, r, "no output of the linear model is called", of,
                       "name it with `outputs`");
    if (input < 0)
        return missing(p, r, "no input of the linear model is called", by, "name it with `inputs`");
    switch (p->fact) {
    case FACT_ZERO_REAL:
    case FACT_ZERO_IMAGINARY: return of_zero(f, p, input, output);
    case FACT_GAIN:
    case FACT_DECIBEL:
    case FACT_PHASE: return of_response(f, p, input, output, r);
    case FACT_ANSWER:
        if (!f->answer && !time_response_exists(l, input, false, r)) return NAN;
        return time_response_at(l, input, output, f->plan->kind == ANALYSIS_IMPULSE, p->number);
    case FACT_OVERSHOOT:
    case FACT_RISE:
    case FACT_SETTLING: return of_step(f, p, input, output, r);
    default: return of_margins(f, p, input, output, r);
    }
}

static double of_reduction(const Findings *f, const Probe *p, Report *r) {
    Reduced own = {0};
    bool known = f->reduced.order > 0;
    if (!known && !reduce_model(f->l, f->plan->order, &own, r)) return NAN;
    const Reduced *x = known ? &f->reduced : &own;
    double k = p->number - 1, value = x->bound;
    char number[40];
    snprintf(number, sizeof number, "%g", p->number);
    if (p->fact == FACT_HANKEL)
        value = k >= 0 && k < x->n && k == floor(k)
                    ? x->hankel[(int)k]
                    : missing(p, r, "there is no singular value", number,
                              "they count from 1, the largest first, up to the number of states");
    reduced_free(&own);
    return value;
}

double fact_of(const Findings *f, const Probe *p, Report *r) {
    const Names *names = f->l->model->names;
    const char *of = name_text(names, p->of), *by = name_text(names, p->from);
    switch (p->fact) {
    case FACT_SLOPE: return slope(f, p, of, by, r);
    case FACT_POLES:
    case FACT_UNSTABLE:
    case FACT_POLE_REAL:
    case FACT_POLE_IMAGINARY:
    case FACT_POLE_DAMPING:
    case FACT_POLE_FREQUENCY:
    case FACT_SHARE: return of_mode(f, p, of, r);
    case FACT_HANKEL:
    case FACT_REDUCTION_BOUND: return of_reduction(f, p, r);
    case FACT_BESIDE_DECIBEL:
    case FACT_BESIDE_PHASE:
        if (!f->beside)
            return missing(p, r, "no nonlinear response stands", "beside", "write beside Sweep");
        return p->fact == FACT_BESIDE_DECIBEL ? f->beside->off_decibel
                                              : f->beside->off_phase * acos(-1) / 180;
    default: return of_channel(f, p, of, by, r);
    }
}
