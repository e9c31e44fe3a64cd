// A nonlinear frequency response (run/frequency.c) beside the linear one: the same channels by their names,
// and how far apart they are.
#include "analysis/facts.h"

#include <math.h>
#include <string.h>

// Columns: frequency, then amplitude(y), phase(y), swing(y), mean(y) of each answer.
Beside beside_of(Arena *out, const Model *m, const Experiment *x, const Run *run) {
    const Results *rows = &run->results;
    const Sweep *sweep = &x->sweep;
    Beside b = {.answers = sweep->answer_count, .count = (int)rows->row_count};
    b.input = arena_printf(out, "%s", name_text(m->names, sweep->input));
    b.name = ARENA_ARRAY(out, const char *, b.answers + 1);
    double *f = ARENA_ARRAY(out, double, b.count + 1);
    b.decibel = ARENA_ARRAY(out, double, b.answers *b.count + 1);
    b.phase = ARENA_ARRAY(out, double, b.answers *b.count + 1);
    for (int i = 0; i < b.count; i++) f[i] = rows->column[0].value[i];
    b.frequency = f;
    const PlotData *p = &run->plot[0]; // gains, then phases
    for (int k = 0; k < b.answers; k++) {
        b.name[k] = arena_printf(out, "%s", name_text(m->names, sweep->answer[k].label));
        for (int i = 0; i < b.count; i++) {
            b.decibel[k * b.count + i] = p->y[k][i];
            b.phase[k * b.count + i] = p->y[b.answers + k][i];
        }
    }
    return b;
}

static int place(const Label *list, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) return i;
    return -1;
}

bool beside_compare(const LinearModel *l, Beside *b, Report *r) {
    if (l->period > 0) {
        Remark *m = report_error(r, A_NO_DISCRETE, l->model->pos,
                                 "a nonlinear response does not stand beside a discrete one: it is "
                                 "that of a signal between the samples, too");
        remark_help(r, m, "leave out one of the two");
        return false;
    }
    int compared = 0, input = place(l->input, l->m, b->input);
    const double pi = acos(-1);
    for (int k = 0; k < b->answers && input >= 0; k++) {
        int output = place(l->output, l->p, b->name[k]);
        if (output < 0) continue;
        Responder *x = responder_new(l, input, output);
        for (int i = 0; i < b->count; i++, compared++) {
            Complex g = response_at(x, 2 * pi * b->frequency[i]);
            double off = carg(g) * 180 / pi - b->phase[k * b->count + i];
            off -= 360 * round(off / 360);
            b->off_decibel =
                fmax(b->off_decibel, fabs(20 * log10(cabs(g)) - b->decibel[k * b->count + i]));
            b->off_phase = fmax(b->off_phase, fabs(off));
        }
        responder_free(x);
    }
    if (compared) return true;
    Remark *m =
        report_error(r, A_NO_CHANNEL, l->model->pos,
                     "the response beside has no channel in common: it goes from '%s' to '%s'",
                     b->input, b->answers ? b->name[0] : "nothing");
    remark_help(r, m, "name the same input and outputs in both experiments");
    return false;
}
