// From `plot` lines to pictures: before the run each curve gets its tracks, after it the pictures
// are told where the numbers lie. Without `plot` lines states are drawn, of storages if there are.
#include "run/job.h"

#include <ctype.h>
#include <string.h>

enum { MOST_DEFAULT = 6, LONGEST_NAME = 48 };

static Expr solved(Job *j, const Signal *s) { return job_form(j, s->what); }

// --- before the run -----------------------------------------------------------------------------

// Up to six states into var[]; those of storages alone, or any.
static int pick_states(const Job *j, bool storages, int *var) {
    const System *s = j->system;
    int count = 0;
    for (int i = 0; i < s->state_count && count < MOST_DEFAULT; i++) {
        int v = s->state_var[i];
        if (v >= 0 && (!storages || is_of_storage(j->model->var[v].kind))) var[count++] = v;
    }
    for (int i = 0; i < s->set_count; i++)
        for (int k = 0; k < s->set[i].count && count < MOST_DEFAULT; k++) {
            int v = s->set[i].var[k];
            if (v >= 0 && (!storages || is_of_storage(j->model->var[v].kind))) var[count++] = v;
        }
    return count;
}

static Signal signal_of(const Job *j, int var) {
    const Var *v = &j->model->var[var];
    return (Signal){.what = v->symbol, .label = v->path, .unit = v->unit};
}

static void default_plot(Job *j) {
    int var[MOST_DEFAULT];
    int count = pick_states(j, true, var);
    if (count == 0) count = pick_states(j, false, var);
    if (count == 0) return;
    Plot *plot = ARENA_NEW(&j->tmp, Plot);
    plot->y = ARENA_ARRAY(&j->tmp, Signal, count);
    plot->y_count = count;
    for (int i = 0; i < count; i++) plot->y[i] = signal_of(j, var[i]);
    plot->title = name_of(j->model->names, "states");
    j->plan.plots = plot;
    j->plan.plot_count = 1;
}

void curves_want(Job *j) {
    if (j->plan.plot_count == 0) default_plot(j);
    for (int i = 0; i < j->plan.plot_count; i++) {
        const Plot *p = &j->plan.plots[i];
        int x = p->x.what ? job_track(j, solved(j, &p->x), shown_in(j->model, p->x.unit)) : 0;
        for (int c = 0; c < p->y_count; c++) {
            int y = job_track(j, solved(j, &p->y[c]), shown_in(j->model, p->y[c].unit));
            array_push(&j->curves, ((Curve){.x = x, .y = y}));
        }
    }
}

// --- after the run ------------------------------------------------------------------------------

static const char *axis_text(Job *j, const Signal *s) {
    const char *label = s->what ? name_text(j->model->names, s->label) : "time";
    const char *unit = s->what ? name_text(j->model->names, s->unit) : "s";
    return *unit ? arena_printf(&j->run->arena, "%s [%s]", label, unit)
                 : arena_printf(&j->run->arena, "%s", label);
}

static const char *footer_text(Job *j) {
    const Results *r = &j->run->results;
    return arena_printf(&j->run->arena, "%s%s%s; %s%s", r->model, *r->experiment ? ", " : "",
                        r->experiment, r->solver, r->complete ? "" : "; ended early");
}

static const char *title_text(Job *j, const Plot *p) {
    const char *title = name_text(j->model->names, p->title);
    if (*title) return title;
    Text t = {0};
    for (int c = 0; c < p->y_count && t.length < LONGEST_NAME; c++)
        text_printf(&t, "%s%s", c ? ", " : "", name_text(j->model->names, p->y[c].label));
    if (p->x.what) text_printf(&t, " vs %s", name_text(j->model->names, p->x.label));
    title = arena_copy_text(&j->run->arena, text_get(&t), t.length);
    text_free(&t);
    return title;
}

// `curve`: those of the plot.
static PlotData picture(Job *j, const Plot *p, const Curve *curve) {
    Arena *out = &j->run->arena;
    int *count = ARENA_ARRAY(out, int, p->y_count);
    PlotData d = {.title = title_text(j, p),
                  .x_label = axis_text(j, &p->x),
                  .curve_count = p->y_count,
                  .label = ARENA_ARRAY(out, const char *, p->y_count),
                  .unit = ARENA_ARRAY(out, const char *, p->y_count),
                  .x = ARENA_ARRAY(out, const double *, p->y_count),
                  .y = ARENA_ARRAY(out, const double *, p->y_count),
                  .count = count,
                  .footer = footer_text(j)};
    for (int c = 0; c < p->y_count; c++) {
        d.label[c] = name_text(j->model->names, p->y[c].label);
        d.unit[c] = name_text(j->model->names, p->y[c].unit);
        count[c] = trace_points(&curve[c].trace, out, &d.x[c], &d.y[c]);
    }
    return d;
}

// "Speed and force (N)" -> "speed_and_force_n"
static char *file_stem(Arena *out, const char *title) {
    char *stem = ARENA_ARRAY(out, char, LONGEST_NAME + 1);
    int n = 0;
    for (; *title && n < LONGEST_NAME; title++) {
        bool plain = isalnum((unsigned char)*title) != 0;
        if (plain)
            stem[n++] = (char)tolower((unsigned char)*title);
        else if (n && stem[n - 1] != '_')
            stem[n++] = '_';
    }
    while (n && stem[n - 1] == '_') n--;
    stem[n] = 0;
    return n ? stem : arena_copy_text(out, "plot", 4);
}

static bool is_used(const Run *run, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(run->plot_name[i], name) == 0) return true;
    return false;
}

static const char *free_name(Run *run, int count, const char *stem) {
    const char *name = stem;
    for (int i = 2; is_used(run, count, name); i++)
        name = arena_printf(&run->arena, "%s_%d", stem, i);
    return name;
}

void curves_finish(Job *j) {
    Run *run = j->run;
    run->plot_count = j->plan.plot_count;
    run->plot = ARENA_ARRAY(&run->arena, PlotData, run->plot_count);
    run->plot_name = ARENA_ARRAY(&run->arena, const char *, run->plot_count);
    const Curve *curve = j->curves.data;
    for (int i = 0; i < run->plot_count; i++) {
        run->plot[i] = picture(j, &j->plan.plots[i], curve);
        curve += j->plan.plots[i].y_count;
        run->plot_name[i] = free_name(run, i, file_stem(&run->arena, run->plot[i].title));
    }
}
