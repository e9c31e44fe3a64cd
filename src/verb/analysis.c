// linearize and what stands on it: the linear model of an experiment, at its start or in its run.
#include "verb/verb.h"

#include "analysis/locus.h"
#include "analysis/steady.h"
#include "study/factor.h"
#include <string.h>

// "u, arm.v" -> words
static TextList words_of(Session *s, OptionId id, const char *between) {
    TextList words = {0};
    const char *at = session_value(s, id);
    while (at && *at) {
        at += strspn(at, ", ");
        size_t n = 0;
        for (int depth = 0; at[n] && (depth > 0 || !strchr(between, at[n])); n++)
            depth += (at[n] == '[') - (at[n] == ']');
        if (n) array_push(&words, arena_copy_text(&s->arena, at, n));
        at += n;
    }
    return words;
}

static bool build_system(Session *s, Pipeline *p, const LinearWish *wish, LinearPlan *plan) {
    Syntax *syntax = session_load(s, session_argument(s, 0));
    if (!syntax ||
        !session_build(p, s, syntax, session_argument(s, 1), STAGE_MODEL, SYNTAX_FOR_ONCE) ||
        !linear_open(p->model, &p->arena, wish, plan, &s->report))
        return false;
    PipelineOptions o = {.last = STAGE_SYSTEM};
    return pipeline_finish(p, &o, &s->report);
}

// What a session asks for: words of the options, the model, the point.
typedef struct {
    TextList inputs, outputs, free, given;
    LinearPlan plan;
    Reached at;
} Asked;

static void asked_free(Asked *a) {
    reached_free(&a->at);
    array_free(&a->inputs);
    array_free(&a->outputs);
    array_free(&a->free);
    array_free(&a->given);
}

static bool ask(Session *s, Pipeline *p, Asked *a) {
    *p = (Pipeline){0};
    *a = (Asked){words_of(s, OPT_INPUTS, ", "), words_of(s, OPT_OUTPUTS, ", "),
                 words_of(s, OPT_TRIM, ", "), words_of(s, OPT_GIVEN, ","), .plan = {0}};
    LinearWish wish = {.input = a->inputs.data,
                       .input_count = a->inputs.count,
                       .output = a->outputs.data,
                       .output_count = a->outputs.count,
                       .free = a->free.data,
                       .free_count = a->free.count,
                       .given = a->given.data,
                       .given_count = a->given.count};
    RunOptions o = {0};
    double time = 0;
    return option_seconds(s, OPT_AT, &time) && build_system(s, p, &wish, &a->plan) &&
           linear_reach(&a->at, p->system, &o, !session_has(s, OPT_AT), time, &s->report);
}

// Steady where asked for, then the tangent there.
static LinearModel *linear_at(Session *s, const Pipeline *p, Asked *a) {
    bool steady = session_has(s, OPT_STEADY) || a->free.count || a->given.count;
    SteadyPoint *point = steady ? steady_find(p->system, &a->plan, &a->at, &s->report) : NULL;
    bool good = !steady || point;
    steady_free(point);
    return good ? linear_model(p->system, &a->plan, &a->at, &s->report) : NULL;
}

LinearModel *session_linear(Session *s, Pipeline *p) {
    Asked a;
    LinearModel *l = ask(s, p, &a) ? linear_at(s, p, &a) : NULL;
    asked_free(&a);
    return l;
}

// Text goes to standard output, or into the file --out.
bool session_hand_over(Session *s, const Text *text) {
    const char *path = session_value(s, OPT_OUT);
    if (!path) {
        text_add(&s->out, text_get(text));
        return true;
    }
    if (!file_write(path, text_get(text), text->length, &s->report)) return false;
    session_tell_files(s, &path, 1, "");
    return true;
}

ExitCode verb_steady(Session *s) {
    Pipeline p;
    Asked a;
    Text text = {0};
    SteadyPoint *point = ask(s, &p, &a) ? steady_find(p.system, &a.plan, &a.at, &s->report) : NULL;
    bool good = point != NULL;
    if (point && s->json) {
        steady_json(&text, point);
        json_key(&s->out, "steady");
        json_raw(&s->out, text_get(&text));
    } else if (point) {
        steady_print(&text, point);
        good = session_hand_over(s, &text);
    }
    text_free(&text);
    steady_free(point);
    asked_free(&a);
    pipeline_free(&p);
    return good ? EXIT_GOOD : EXIT_INPUT;
}

ExitCode verb_linearize(Session *s) {
    Pipeline p;
    LinearModel *l = session_linear(s, &p);
    Text text = {0};
    bool good = l != NULL;
    if (l && s->json && !session_value(s, OPT_OUT)) {
        linear_json(&text, l);
        json_key(&s->out, "linear");
        json_raw(&s->out, text_get(&text));
    } else if (l) {
        if (session_has(s, OPT_LATEX))
            linear_latex(&text, l);
        else if (session_has(s, OPT_OCTAVE))
            linear_octave(&text, l);
        else if (session_has(s, OPT_CSV))
            linear_csv(&text, l);
        else if (s->json)
            linear_json(&text, l);
        else
            linear_print(&text, l);
        good = session_hand_over(s, &text);
    }
    text_free(&text);
    linear_model_free(l);
    pipeline_free(&p);
    return good ? EXIT_GOOD : EXIT_INPUT;
}

// --- root locus ----------------------------------------------------------------------------------

static bool one_factor(Session *s, const Pipeline *p, Factor *f) {
    const TextList *varies = &s->options.varies;
    bool good =
        varies->count == 1 && factor_read(&s->arena, p->model, varies->data[0], f, &s->report);
    if (good && f->kind == FACTOR_LEVELS) return true;
    if (varies->count == 1 && !good) return false;
    Remark *m = report_error(&s->report, V_NO_FACTOR, POS_NONE,
                             "a root locus goes over the values of one parameter");
    remark_help(&s->report, m, "for example --vary \"k = 10 .. 100 in 40 {N/m}\"");
    return false;
}

// Poles with the parameter at one of its values; NULL: reported.
static Complex *poles_with(Session *s, const Pipeline *p, Asked *a, int var, double value,
                           int *count) {
    RunOptions o = {.set_var = &var, .set_value = &value, .set_count = 1};
    double time = 0;
    reached_free(&a->at);
    if (!option_seconds(s, OPT_AT, &time) ||
        !linear_reach(&a->at, p->system, &o, !session_has(s, OPT_AT), time, &s->report))
        return NULL;
    LinearModel *l = linear_at(s, p, a);
    Complex *pole = l ? ARENA_ARRAY(&s->arena, Complex, l->n + 1) : NULL;
    if (l && !dense_eigen(l->n, l->A, pole, NULL, NULL)) pole = NULL;
    if (l) *count = l->n;
    linear_model_free(l);
    return pole;
}

static bool make_locus(Session *s, const Pipeline *p, Asked *a, Locus *l) {
    Factor f = {0};
    if (!one_factor(s, p, &f)) return false;
    *l = (Locus){.name = f.name, .unit = f.unit, .count = f.level_count, .value = f.level};
    l->pole = ARENA_ARRAY(&s->arena, Complex *, f.level_count + 1);
    for (int k = 0; k < f.level_count; k++) {
        int count = 0;
        l->pole[k] = poles_with(s, p, a, f.var, factor_si(&f, f.level[k]), &count);
        if (!l->pole[k]) return false;
        l->poles = k && l->poles < count ? l->poles : count;
    }
    locus_join(l);
    return true;
}

// A parameter with a formula becomes a number first.
static bool ask_again(Session *s, Pipeline *p, Asked *a) {
    const char *set = s->options.varies.count
                          ? factor_release(&s->arena, p->model, s->options.varies.data[0])
                          : NULL;
    if (!set) return true;
    array_push(&s->options.sets, set);
    asked_free(a);
    pipeline_free(p);
    return ask(s, p, a);
}

ExitCode verb_locus(Session *s) {
    Pipeline p;
    Asked a;
    Locus l = {0};
    Text text = {0};
    const char *path = session_value(s, OPT_OUT);
    bool good = ask(s, &p, &a) && ask_again(s, &p, &a) && make_locus(s, &p, &a, &l);
    if (good && path) {
        locus_svg(&text, &l);
        good = file_write(path, text_get(&text), text.length, &s->report);
        if (good) session_tell_files(s, &path, 1, "");
        text_clear(&text);
    }
    if (good && s->json) {
        locus_json(&text, &l);
        json_key(&s->out, "locus");
        json_raw(&s->out, text_get(&text));
    } else if (good) {
        locus_print(&s->out, &l);
    }
    text_free(&text);
    asked_free(&a);
    pipeline_free(&p);
    return good ? EXIT_GOOD : EXIT_INPUT;
}
