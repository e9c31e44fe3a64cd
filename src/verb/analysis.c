// linearize and what stands on it: the linear model of an experiment, at its start or in its run.
#include "verb/verb.h"

#include "analysis/customary.h"
#include "analysis/locus.h"
#include "analysis/nearest.h"
#include "analysis/sensitivity.h"
#include "analysis/steady.h"
#include "analysis/symbolic.h"
#include "results/shown.h"
#include "study/factor.h"
#include <math.h>
#include <stdlib.h>
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

// What a session asks for: words of the options, or of an experiment that analyses; the model, the
// point.
typedef struct {
    TextList inputs, outputs, free, given, moving;
    LinearOptions options;
    LinearPlan plan;
    bool steady, start;
    double time;
    int kept; // outputs, before those of customary states
    Reached at;
} Asked;

static void asked_free(Asked *a) {
    reached_free(&a->at);
    array_free(&a->inputs);
    array_free(&a->outputs);
    array_free(&a->free);
    array_free(&a->given);
    array_free(&a->moving);
}

// Options stand before what the experiment says.
static void take_plan(Asked *a, const AnalysisPlan *x) {
    LinearOptions *w = &a->options;
    if (!w->input_count) w->input = x->input, w->input_count = x->input_count;
    if (!w->output_count) w->output = x->output, w->output_count = x->output_count;
    if (!w->free_count) w->free = x->free, w->free_count = x->free_count;
    if (!w->given_count) w->given = x->given, w->given_count = x->given_count;
    if (!w->moving_count) w->moving = x->moving, w->moving_count = x->moving_count;
    a->steady = a->steady || x->steady;
    w->discrete = w->discrete || x->discrete;
    if (a->start && x->has_time) a->start = false, a->time = x->time;
}

// Efforts and flows of storages behind the outputs that are wanted.
static void want_customary(Asked *a, Pipeline *p) {
    const char **more;
    const Model *m = p->model;
    int count = customary_outputs(m, &p->arena, &more), wanted = a->options.output_count, all = 0;
    const char **list = ARENA_ARRAY(&p->arena, const char *, wanted + m->var_count + count + 1);
    for (int i = 0; i < wanted; i++) list[all++] = a->options.output[i];
    for (int v = 0; v < m->var_count && !wanted; v++) // the model's own
        if (m->var[v].kind == VAR_OUTPUT && !strchr(name_text(m->names, m->var[v].path), '.'))
            list[all++] = name_text(m->names, m->var[v].path);
    a->kept = all;
    for (int i = 0; i < count; i++) list[all++] = more[i];
    a->options.output = list;
    a->options.output_count = all;
}

// Formulas, other states, slopes and shifts are those of the continuous model; false: reported.
static bool discrete_alone(Session *s, const Asked *a) {
    static const OptionId others[] = {OPT_SYMBOLIC, OPT_CUSTOMARY, OPT_SLOPES, OPT_NEAR};
    static const char *const names[] = {"--symbolic", "--customary", "--slopes", "--near"};
    if (a->options.discrete && !verb_takes(s->verb, OPT_DISCRETE)) {
        Remark *m = report_error(
            &s->report, T_BAD_VALUE, POS_NONE,
            "the experiment is one of the discrete model; 'bondyn %s' knows the continuous one",
            s->verb->name);
        remark_help(&s->report, m, "take another experiment, or linearize, poles, bode or nyquist");
        return false;
    }
    for (int i = 0; i < 4 && a->options.discrete; i++) {
        if (!session_has(s, others[i]) && !session_value(s, others[i])) continue;
        Remark *m =
            report_error(&s->report, T_BAD_VALUE, POS_NONE,
                         "%s is there for continuous models, not for discrete ones", names[i]);
        remark_help(&s->report, m, "leave out one of the two");
        return false;
    }
    return true;
}

static bool build_system(Session *s, Pipeline *p, Asked *a) {
    Syntax *syntax = session_load(s, session_argument(s, 0));
    if (!syntax ||
        !session_build(p, s, syntax, session_argument(s, 1), STAGE_MODEL, SYNTAX_FOR_ONCE))
        return false;
    session_no_search(s, p, "it is analysed with");
    if (is_analysis(p)) take_plan(a, &p->experiment->analysis);
    if (s->verb->run == verb_steady) a->options.discrete = false; // a point, not a model
    if (!discrete_alone(s, a)) return false;
    if (session_has(s, OPT_CUSTOMARY)) want_customary(a, p);
    if (!linear_open(p->model, &p->arena, &a->options, &a->plan, &s->report)) return false;
    PipelineOptions o = {.last = STAGE_SYSTEM};
    return pipeline_finish(p, &o, &s->report);
}

static bool ask(Session *s, Pipeline *p, Asked *a) {
    *p = (Pipeline){0};
    *a = (Asked){words_of(s, OPT_INPUTS, ", "), words_of(s, OPT_OUTPUTS, ", "),
                 words_of(s, OPT_TRIM, ", "),   words_of(s, OPT_GIVEN, ","),
                 words_of(s, OPT_MOVING, ", "), .plan = {0}};
    a->options = (LinearOptions){.input = a->inputs.data,
                                 .input_count = a->inputs.count,
                                 .output = a->outputs.data,
                                 .output_count = a->outputs.count,
                                 .free = a->free.data,
                                 .free_count = a->free.count,
                                 .given = a->given.data,
                                 .given_count = a->given.count,
                                 .moving = a->moving.data,
                                 .moving_count = a->moving.count,
                                 .discrete = session_has(s, OPT_DISCRETE)};
    a->steady = session_has(s, OPT_STEADY) || a->free.count || a->given.count || a->moving.count;
    a->start = !session_has(s, OPT_AT);
    if (!option_seconds(s, OPT_AT, &a->time) || !build_system(s, p, a)) return false;
    RunOptions o = {.experiment = p->experiment};
    return linear_reach(&a->at, p->system, &o, a->start, a->time, &s->report);
}

// Steady where asked for, then the tangent there.
static LinearModel *linear_at(Session *s, Asked *a) {
    bool steady = a->steady;
    SteadyPoint *point = steady ? steady_find(&a->plan, &a->at, &s->report) : NULL;
    bool good = !steady || point;
    steady_free(point);
    return good ? linear_model(&a->plan, &a->at, &s->report) : NULL;
}

LinearModel *session_linear(Session *s, Pipeline *p) {
    Asked a;
    LinearModel *l = ask(s, p, &a) ? linear_at(s, &a) : NULL;
    Text words = {0};
    if (l && session_has(s, OPT_CUSTOMARY) && !customary_states(l, a.kept, &words, &s->report)) {
        linear_model_free(l);
        l = NULL;
    }
    if (l && !s->json && !session_value(s, OPT_OUT)) text_add(&s->out, text_get(&words));
    text_free(&words);
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

static void tell_points(Session *s, Text *text, SteadyPoint *const *list, int count) {
    if (s->json) {
        json_key(&s->out, "steady");
        steady_json(text, list[0]);
        json_raw(&s->out, text_get(text));
        if (count == 1) return;
        json_key(&s->out, "others");
        json_open(&s->out, '[');
        for (int i = 1; i < count; i++) {
            text_clear(text);
            steady_json(text, list[i]);
            json_raw(&s->out, text_get(text));
        }
        json_close(&s->out, ']');
        return;
    }
    for (int i = 0; i < count; i++) {
        if (count > 1) text_printf(text, "%ssolution %d of %d\n", i ? "\n" : "", i + 1, count);
        steady_print(text, list[i]);
    }
}

// --starts and --seed; false: reported.
static bool read_starts(Session *s, SteadyStarts *from) {
    enum { MOST = 100000 };
    double starts = 0, seed = 1;
    if (!option_number(s, OPT_STARTS, &starts) || !option_number(s, OPT_SEED, &seed)) return false;
    from->starts = (int)fmin(starts, MOST);
    from->seed = (uint64_t)seed;
    return true;
}

ExitCode verb_steady(Session *s) {
    Pipeline p;
    Asked a;
    Text text = {0};
    SteadyStarts from = {0};
    if (!read_starts(s, &from)) return EXIT_USAGE;
    SteadyPoint **list = ARENA_ARRAY(&s->arena, SteadyPoint *, from.starts + 1);
    int count = 0;
    if (ask(s, &p, &a)) {
        RunOptions o = {.experiment = p.experiment};
        from.options = &o;
        from.at_start = a.start;
        from.time = a.time;
        count = steady_search(p.system, &a.plan, &from, list, &s->report);
    }
    bool good = count > 0;
    if (good) tell_points(s, &text, list, count);
    if (good && !s->json) good = session_hand_over(s, &text);
    for (int i = 0; i < count; i++) steady_free(list[i]);
    text_free(&text);
    asked_free(&a);
    pipeline_free(&p);
    return good ? EXIT_GOOD : EXIT_INPUT;
}

static ExitCode tell_symbolic(Session *s) {
    Pipeline p;
    Asked a;
    Text text = {0};
    LinearModel *l = ask(s, &p, &a) ? linear_at(s, &a) : NULL;
    bool good = l && linear_symbolic(&text, p.system, &a.plan, l, &s->report);
    if (good && s->json)
        json_text_of(&s->out, "symbolic", text_get(&text));
    else if (good)
        good = session_hand_over(s, &text);
    text_free(&text);
    linear_model_free(l);
    asked_free(&a);
    pipeline_free(&p);
    return good ? EXIT_GOOD : EXIT_INPUT;
}

// --mat, or a file that ends so.
static bool wants_mat(const Session *s) {
    const char *path = session_value(s, OPT_OUT), *end = path ? strrchr(path, '.') : NULL;
    return session_has(s, OPT_MAT) || (end && strcmp(end, ".mat") == 0);
}

static void write_linear(const Session *s, Text *text, const LinearModel *l) {
    if (wants_mat(s))
        linear_mat(text, l);
    else if (session_has(s, OPT_LATEX))
        linear_latex(text, l);
    else if (session_has(s, OPT_OCTAVE))
        linear_octave(text, l);
    else if (session_has(s, OPT_CSV))
        linear_csv(text, l);
    else if (s->json)
        linear_json(text, l);
    else
        linear_print(text, l);
}

ExitCode verb_linearize(Session *s) {
    if (session_has(s, OPT_MAT) && !session_value(s, OPT_OUT)) {
        Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "--mat writes a file");
        remark_help(&s->report, m, "say which: --out model.mat");
        return EXIT_USAGE;
    }
    if (session_has(s, OPT_SYMBOLIC)) return tell_symbolic(s);
    Pipeline p;
    LinearModel *l = session_linear(s, &p);
    Text text = {0};
    bool good = l != NULL;
    if (l && s->json && !session_value(s, OPT_OUT)) {
        linear_json(&text, l);
        json_key(&s->out, "linear");
        json_raw(&s->out, text_get(&text));
    } else if (l) {
        write_linear(s, &text, l);
        good = session_hand_over(s, &text);
    }
    text_free(&text);
    linear_model_free(l);
    pipeline_free(&p);
    return good ? EXIT_GOOD : EXIT_INPUT;
}

static bool one_factor(Session *s, const Pipeline *p, Factor *f) {
    const TextList *varies = &s->options.varies;
    bool good =
        varies->count == 1 && factor_read(&s->arena, p->model, varies->data[0], f, &s->report);
    if (good && f->kind == FACTOR_LEVELS) return true;
    if (varies->count == 1 && !good) return false;
    Remark *m = report_error(&s->report, V_NO_FACTOR, POS_NONE,
                             "--vary goes over the values of one parameter here");
    remark_help(&s->report, m, "for example --vary \"k = 10 .. 100 in 40 {N/m}\"");
    return false;
}

ExitCode verb_nearest(Session *s) {
    Pipeline p;
    Asked a;
    Text text = {0};
    Nearest x = {0};
    char *end;
    double count = 10, shift = strtod(session_value(s, OPT_NEAR), &end);
    if (*end || !isfinite(shift)) {
        Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "'%s' is no value for '--near'",
                                 session_value(s, OPT_NEAR));
        remark_help(&s->report, m, "give a real number in 1/s, like 0 or -0.5");
        return EXIT_USAGE;
    }
    if (!option_number(s, OPT_HOW_MANY, &count)) return EXIT_USAGE;
    SteadyPoint *point = NULL;
    bool good = ask(s, &p, &a);
    if (good && a.steady) point = steady_find(&a.plan, &a.at, &s->report);
    good = good && (!a.steady || point) &&
           poles_nearest(&a.plan, &a.at, shift, (int)fmax(1, fmin(count, 1000)), &x, &s->report);
    if (good && s->json) {
        nearest_json(&text, &x);
        json_key(&s->out, "nearest");
        json_raw(&s->out, text_get(&text));
    } else if (good) {
        nearest_print(&text, &x, shift, a.at.time);
        good = session_hand_over(s, &text);
    }
    steady_free(point);
    nearest_free(&x);
    text_free(&text);
    asked_free(&a);
    pipeline_free(&p);
    return good ? EXIT_GOOD : EXIT_INPUT;
}

ExitCode verb_slopes(Session *s) {
    Pipeline p;
    Asked a;
    Text text = {0};
    LinearModel *l = ask(s, &p, &a) ? linear_at(s, &a) : NULL;
    Poles *m = l ? poles_of(l, &s->report) : NULL;
    PoleSlopes *slopes = m ? pole_slopes(&a.plan, &a.at, m, a.steady, &s->report) : NULL;
    bool good = slopes != NULL;
    if (good && s->json) {
        poles_json(&text, m);
        json_key(&s->out, "poles");
        json_raw(&s->out, text_get(&text));
        text_clear(&text);
        pole_slopes_json(&text, slopes);
        json_key(&s->out, "slopes");
        json_raw(&s->out, text_get(&text));
    } else if (good) {
        poles_print(&text, m);
        pole_slopes_print(&text, m, slopes);
        good = session_hand_over(s, &text);
    }
    text_free(&text);
    pole_slopes_free(slopes);
    poles_free(m);
    linear_model_free(l);
    asked_free(&a);
    pipeline_free(&p);
    return good ? EXIT_GOOD : EXIT_INPUT;
}

bool session_vary(Session *s, const Pipeline *p) {
    const Vary *v = is_analysis(p) ? &p->experiment->analysis.vary : NULL;
    if (!v || !v->count || s->options.varies.count || session_has(s, OPT_AT)) return false;
    const Var *var = &p->model->var[model_of_symbol(p->model, v->symbol)];
    Shown in = shown_in(p->model, var->unit);
    Text words = {0};
    text_printf(&words, "%s =", name_text(p->model->names, var->path));
    for (int k = 0; k < v->count; k++)
        text_printf(&words, "%s %.17g", k ? "," : "", show(in, v->value[k]));
    if (*in.unit) text_printf(&words, " {%s}", in.unit);
    array_push(&s->options.varies, arena_copy_text(&s->arena, text_get(&words), words.length));
    text_free(&words);
    return true;
}

// Each value of --vary as a setting, and as words.
bool session_levels(Session *s, TextList *set, TextList *label) {
    Pipeline p;
    Asked a;
    Factor f = {0};
    bool good = ask(s, &p, &a) && one_factor(s, &p, &f);
    for (int k = 0; good && k < f.level_count; k++) {
        bool unit = f.unit && *f.unit;
        array_push(set, arena_printf(&s->arena, "%s = %.17g%s%s%s", f.name, f.level[k],
                                     unit ? " {" : "", unit ? f.unit : "", unit ? "}" : ""));
        array_push(label, arena_printf(&s->arena, "%s = %.6g%s%s", f.name, f.level[k],
                                       unit ? " " : "", unit ? f.unit : ""));
    }
    asked_free(&a);
    pipeline_free(&p);
    return good;
}

// --- root locus ----------------------------------------------------------------------------------

// The model with the parameter at one of its values; NULL: reported.
static LinearModel *linear_with(Session *s, const Pipeline *p, Asked *a, int var, double value) {
    RunOptions o = {
        .experiment = p->experiment, .set_var = &var, .set_value = &value, .set_count = 1};
    reached_free(&a->at);
    if (!linear_reach(&a->at, p->system, &o, a->start, a->time, &s->report)) return NULL;
    return linear_at(s, a);
}

static bool make_locus(Session *s, const Pipeline *p, Asked *a, Locus *l) {
    Factor f = {0};
    if (!one_factor(s, p, &f)) return false;
    *l = (Locus){.name = f.name,
                 .unit = f.unit,
                 .count = f.level_count,
                 .value = f.level,
                 .discrete = a->options.discrete};
    l->pole = ARENA_ARRAY(&s->arena, Complex *, f.level_count + 1);
    for (int k = 0; k < f.level_count; k++) {
        LinearModel *m = linear_with(s, p, a, f.var, factor_si(&f, f.level[k]));
        bool good = m && locus_take(l, &s->arena, m, k);
        linear_model_free(m);
        if (!good) return false;
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
