// What may move: parameters by name, over one or several experiments.
#include "optimise/inside.h"

#include <math.h>
#include <string.h>

bool search_wanted(const Experiment *x) { return x && (x->aims.objective || x->aims.fit_count); }

static int find(const Found *f, const char *name) {
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->free[i].name, name) == 0) return i;
    return -1;
}

static double value_of(const SearchPlan *p, const Model *m, int var) {
    double x = NAN;
    for (int k = 0; k < p->options->set_count; k++)
        if (p->options->set_var[k] == var) return p->options->set_value[k];
    expr_is_number(m->dag, m->var[var].value, &x);
    return x;
}

static void add(const SearchPlan *p, Found *f, int system, const Freedom *from) {
    const Model *m = p->cases[system].system->model;
    int var = model_of_symbol(m, from->symbol);
    const Var *v = &m->var[var];
    const char *name = name_text(m->names, v->path);
    int at = find(f, name);
    if (at < 0) {
        at = f->count++;
        Shown shown = shown_in(m, v->unit);
        f->free[at] = (FreeFound){.name = arena_printf(&f->arena, "%s", name),
                                  .unit = arena_printf(&f->arena, "%s", shown.unit),
                                  .scale = shown.scale,
                                  .from = from->from,
                                  .to = from->to,
                                  .half = NAN};
        f->free[at].first = f->free[at].value = value_of(p, m, var);
        f->free[at].var = ARENA_ARRAY(&f->arena, int, p->count);
        for (int i = 0; i < p->count; i++)
            f->free[at].var[i] = model_find(p->cases[i].system->model, name);
    }
    f->free[at].from = fmax(f->free[at].from, from->from);
    f->free[at].to = fmin(f->free[at].to, from->to);
}

bool free_gather(const SearchPlan *p, Found *f, Report *r) {
    int most = 0;
    for (int i = 0; i < p->count; i++) most += p->cases[i].experiment->aims.free_count;
    f->free = ARENA_ARRAY(&f->arena, FreeFound, most + 1);
    for (int i = 0; i < p->count; i++) {
        const Aims *a = &p->cases[i].experiment->aims;
        for (int k = 0; k < a->free_count; k++) add(p, f, i, &a->free[k]);
    }
    for (int i = 0; i < f->count; i++) {
        const FreeFound *x = &f->free[i];
        if (x->first >= x->from && x->first <= x->to) continue;
        Remark *m = report_error(r, O_BAD_START, p->cases[0].experiment->aims.free[0].pos,
                                 "'%s' begins at %.6g%s%s, outside of its range %.6g to %.6g",
                                 x->name, x->first / x->scale, *x->unit ? " " : "", x->unit,
                                 x->from / x->scale, x->to / x->scale);
        remark_help(r, m, "set %s inside of the range, or widen it", x->name);
        return false;
    }
    return true;
}

double free_scale(const FreeFound *x) {
    if (isfinite(x->from) && isfinite(x->to)) return x->to - x->from;
    return x->first != 0 ? fabs(x->first) : 1;
}

void free_sets(const Found *f, int system, const double *value, int *var, double *to, int *count) {
    *count = 0;
    for (int i = 0; i < f->count; i++)
        if (f->free[i].var[system] >= 0) {
            var[*count] = f->free[i].var[system];
            to[(*count)++] = value[i];
        }
}

void found_options(const Found *f, int system, Arena *out, RunOptions *o) {
    int *var = ARENA_ARRAY(out, int, f->count + o->set_count + 1);
    double *to = ARENA_ARRAY(out, double, f->count + o->set_count + 1);
    double *value = ARENA_ARRAY(out, double, f->count + 1);
    int count;
    for (int i = 0; i < f->count; i++) value[i] = f->free[i].value;
    free_sets(f, system, value, var, to, &count);
    o->set_var = var;
    o->set_value = to;
    o->set_count = count;
}

bool free_refuse(const SearchPlan *p, const Found *f, int which, Report *r) {
    Remark *m = report_error(r, O_NO_EFFECT, p->cases[0].experiment->pos,
                             "nothing that is looked at depends on '%s'", f->free[which].name);
    remark_help(r, m, "leave it out of `over`, or look at something that it changes");
    return false;
}

void found_free(Found *f) {
    if (!f) return;
    arena_free(&f->arena);
    free(f);
}
