// Which variables become columns.
//
// A pattern takes efforts, flows, states, signals; derivatives and parameters only when they are
// named: `der(...)` in the pattern, or the parameter's whole path. Without patterns everything is
// taken, and from a large model the most telling variables: states first, then what junctions
// share and outputs, then the rest.
#include "run/job.h"

#include <string.h>

static bool is_ordinary(const Var *v) {
    return v->kind != VAR_TIME && v->kind != VAR_PARAM && v->kind != VAR_DERIVATIVE;
}

static void suggest(const Model *m, const char *pattern, Report *r, Remark *remark) {
    const char *best = NULL;
    int least = 3;
    for (int v = 1; v < m->var_count; v++) {
        const char *path = name_text(m->names, m->var[v].path);
        int far = name_distance(pattern, path, least - 1);
        if (far < least) least = far, best = path;
    }
    if (best)
        remark_help(r, remark, "did you mean '%s'?", best);
    else
        remark_help(r, remark, "use * for any text: 'spring.*' is everything of 'spring'");
}

static bool mark_pattern(const System *s, const char *pattern, bool *taken, Report *r) {
    const Model *m = s->model;
    if (strcmp(pattern, "time") == 0) return true; // always there
    bool fits = false;
    for (int v = 0; v < m->var_count; v++) {
        if (!pattern_takes(pattern, &m->var[v], m->names)) continue;
        taken[v] = true;
        fits = true;
    }
    if (fits || strcmp(pattern, "*") == 0) return true; // a model may have nothing to record
    Remark *remark =
        report_error(r, R_RECORD_NOTHING, POS_NONE, "no variable is called '%s'", pattern);
    suggest(m, pattern, r, remark);
    return false;
}

static int rank_of(const Model *m, const Var *v, bool is_state) {
    if (is_state) return 0;
    bool shared =
        v->comp >= 0 && (m->comp[v->comp].kind == COMP_0 || m->comp[v->comp].kind == COMP_1);
    return shared || v->kind == VAR_OUTPUT ? 1 : 2;
}

static void mark_default(Arena *tmp, const System *s, bool *taken, Report *r) {
    const Model *m = s->model;
    bool *is_state = ARENA_ARRAY(tmp, bool, m->var_count);
    for (int i = 0; i < s->state_count; i++)
        if (s->state_var[i] >= 0) is_state[s->state_var[i]] = true;
    for (int i = 0; i < s->set_count; i++)
        for (int k = 0; k < s->set[i].count; k++)
            if (s->set[i].var[k] >= 0) is_state[s->set[i].var[k]] = true;
    int left = MOST_RECORDED, ordinary = 0;
    for (int rank = 0; rank < 3; rank++) {
        for (int v = 0; v < m->var_count; v++) {
            if (!is_ordinary(&m->var[v]) || rank_of(m, &m->var[v], is_state[v]) != rank) continue;
            ordinary++;
            if (left > 0) taken[v] = true, left--;
        }
    }
    if (ordinary <= MOST_RECORDED) return;
    Remark *remark = report_add(r, NOTE, R_RECORD_LIMIT, POS_NONE, "recorded %d of %d variables",
                                MOST_RECORDED, ordinary);
    remark_help(r, remark, "say with `record` which ones you want");
}

int *record_choose(Arena *out, const System *s, const RecordOptions *options, int *count,
                   Report *r) {
    Arena tmp = {0};
    int n = s->model->var_count;
    bool *taken = ARENA_ARRAY(&tmp, bool, n), good = true;
    for (int i = 0; i < options->count; i++)
        good = mark_pattern(s, options->pattern[i], taken, r) && good;
    if (options->count == 0) mark_default(&tmp, s, taken, r);
    *count = 0;
    for (int v = 0; v < n; v++) *count += taken[v];
    int *chosen = ARENA_ARRAY(out, int, *count), at = 0;
    for (int v = 0; v < n; v++)
        if (taken[v]) chosen[at++] = v;
    arena_free(&tmp);
    return good ? chosen : NULL;
}
