// poles, bode and nyquist: what stands on a linear model.
#include "verb/verb.h"

#include "analysis/facts.h"
#include "analysis/reduce.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

ExitCode verb_poles(Session *s) {
    if (s->options.varies.count) return verb_locus(s);
    if (session_has(s, OPT_SLOPES)) return verb_slopes(s);
    if (session_has(s, OPT_NEAR)) return verb_nearest(s);
    Pipeline p;
    LinearModel *l = session_linear(s, &p);
    if (l && session_vary(s, &p)) {
        linear_model_free(l);
        pipeline_free(&p);
        return verb_locus(s);
    }
    Poles *m = l ? poles_of(l, &s->report) : NULL;
    Text text = {0};
    bool good = m != NULL;
    if (m && s->json) {
        poles_json(&text, m);
        json_key(&s->out, "poles");
        json_raw(&s->out, text_get(&text));
    } else if (m) {
        poles_print(&text, m);
        good = session_hand_over(s, &text);
    }
    text_free(&text);
    poles_free(m);
    linear_model_free(l);
    pipeline_free(&p);
    return good ? EXIT_GOOD : EXIT_INPUT;
}

// --- frequencies ---------------------------------------------------------------------------------

typedef ARRAY(double) Numbers;

static bool bad_frequency(Session *s, const char *option, const char *words) {
    Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE,
                             "%s takes positive frequencies in Hz, not '%s'", option, words);
    remark_help(&s->report, m, "for example --from 0.1 --to 100, or --frequencies 0.1,1,10");
    return false;
}

static bool one_frequency(Session *s, OptionId id, const char *option, double *w) {
    const char *words = session_value(s, id);
    if (!words) return true;
    char *end;
    double f = strtod(words, &end);
    if (*end || !(f > 0) || !isfinite(f)) return bad_frequency(s, option, words);
    *w = 2 * acos(-1) * f;
    return true;
}

static bool listed(Session *s, Numbers *asked) {
    const char *at = session_value(s, OPT_FREQUENCIES);
    while (at && *at) {
        char *end;
        double f = strtod(at, &end);
        if (end == at || !(f > 0) || !isfinite(f)) return bad_frequency(s, "--frequencies", at);
        array_push(asked, 2 * acos(-1) * f);
        at = end + strspn(end, ", ");
    }
    return true;
}

// --- channels ------------------------------------------------------------------------------------

typedef struct { // a linear model: one, or one for each point or value of a parameter
    Pipeline p;
    LinearModel *l;
    const char *of; // NULL: the only one
} Variant;

typedef struct {
    Session *s;
    ARRAY(Variant) variant;
    LinearModel *l; // the first
    double from, to;
    Numbers asked;
    ARRAY(ChannelResponse) channel;
    Beside beside;
    bool has_beside;
} Answers;

static bool no_channel(Answers *x) {
    const LinearModel *l = x->l;
    if (l->m && l->p) return false;
    Remark *m = report_error(&x->s->report, A_NO_CHANNEL, l->model->pos,
                             "a response goes from an input to an output: there is no %s",
                             l->m ? "output" : "input");
    remark_help(&x->s->report, m,
                l->m ? "name variables: --outputs arm.q" : "name inputs or parameters: --inputs u");
    return true;
}

static bool add_variant(Answers *x, const char *of) {
    Variant v = {.of = of};
    v.l = session_linear(x->s, &v.p);
    bool good = v.l != NULL;
    array_push(&x->variant, v);
    return good;
}

// --at 0.1,0.5,2: one after the other.
static bool several_times(Answers *x) {
    Session *s = x->s;
    const char *all = s->options.value[OPT_AT], *at = all;
    bool good = true;
    while (good && *at) {
        size_t n = strcspn(at, ",");
        const char *one = arena_copy_text(&s->arena, at, n);
        s->options.value[OPT_AT] = one;
        good = add_variant(x, arena_printf(&s->arena, "t = %s", one));
        at += n + strspn(at + n, ", ");
    }
    s->options.value[OPT_AT] = all;
    return good;
}

static bool several_values(Answers *x) {
    Session *s = x->s;
    TextList set = {0}, label = {0};
    bool good = session_levels(s, &set, &label);
    for (int i = 0; good && i < set.count; i++) {
        array_push(&s->options.sets, set.data[i]);
        good = add_variant(x, label.data[i]);
        s->options.sets.count--;
    }
    array_free(&set);
    array_free(&label);
    return good;
}

// Values that the experiment goes through, in place of the one of the model.
static bool take_vary(Answers *x) {
    Variant *first = &x->variant.data[0];
    if (verb_takes(x->s->verb, OPT_VARY) && session_vary(x->s, &first->p)) {
        linear_model_free(first->l);
        pipeline_free(&first->p);
        x->variant.count = 0;
        return several_values(x);
    }
    return true;
}

static bool gather_variants(Answers *x) {
    Session *s = x->s;
    const char *at = session_value(s, OPT_AT);
    bool good = s->options.varies.count ? several_values(x)
                : at && strchr(at, ',') ? several_times(x)
                                        : add_variant(x, NULL) && take_vary(x);
    if (good && x->variant.count) x->l = x->variant.data[0].l;
    return good && x->l;
}

static bool answer_channels(Answers *x) {
    enum { POINTS = 400 };
    if (no_channel(x)) return false;
    double ends[] = {x->from, x->to};
    for (int v = 0; v < x->variant.count; v++) {
        const LinearModel *l = x->variant.data[v].l;
        if (!below_nyquist(l, ends, 2, POS_NONE, &x->s->report) ||
            !below_nyquist(l, x->asked.data, x->asked.count, POS_NONE, &x->s->report))
            return false;
    }
    for (int v = 0; v < x->variant.count; v++)
        for (int i = 0; i < x->l->p; i++)
            for (int j = 0; j < x->l->m; j++) {
                array_push(&x->channel, channel_response(x->variant.data[v].l, j, i, x->from, x->to,
                                                         POINTS, x->asked.data, x->asked.count));
                array_last(&x->channel).of = x->variant.data[v].of;
            }
    for (int k = 0; k < x->channel.count; k++) {
        const ChannelResponse *c = &x->channel.data[k];
        double most = 0;
        for (int i = 0; i < c->count; i++) most = fmax(most, cabs(c->value[i]));
        if (most > 0 || !c->count) continue;
        Remark *m = report_warning(&x->s->report, A_NO_CHANNEL, x->l->model->pos,
                                   "'%s' does not depend on '%s' at this point",
                                   x->l->output[c->output].name, x->l->input[c->input].name);
        remark_help(&x->s->report, m, "look at B, C and D: 'bondyn linearize' shows them");
    }
    return true;
}

static bool take_beside(Answers *x) {
    Session *s = x->s;
    RunOptions o = {.cancel = s->o->cancel};
    const char *name = session_value(s, OPT_BESIDE);
    if (!name) return true;
    x->has_beside = run_beside(s, &o, name, &s->arena, &x->beside) &&
                    beside_compare(x->l, &x->beside, &s->report);
    return x->has_beside;
}

static void free_answers(Answers *x) {
    for (int i = 0; i < x->channel.count; i++) channel_response_free(&x->channel.data[i]);
    array_free(&x->channel);
    for (int i = 0; i < x->variant.count; i++) {
        linear_model_free(x->variant.data[i].l);
        pipeline_free(&x->variant.data[i].p);
    }
    array_free(&x->variant);
    array_free(&x->asked);
}

static bool write_picture(Answers *x, const char *path) {
    Text svg = {0};
    Picture picture = strcmp(x->s->verb->name, "nyquist") == 0 ? PICTURE_NYQUIST : PICTURE_BODE;
    response_svg(&svg, x->l, x->channel.data, x->channel.count, picture,
                 x->has_beside ? &x->beside : NULL);
    bool good = file_write(path, text_get(&svg), svg.length, &x->s->report);
    if (good) session_tell_files(x->s, &path, 1, "");
    text_free(&svg);
    return good;
}

static bool tell_channels(Answers *x) {
    Session *s = x->s;
    const char *path = session_value(s, OPT_OUT);
    size_t length = path ? strlen(path) : 0;
    bool picture = length > 4 && strcmp(path + length - 4, ".svg") == 0;
    Text text = {0};
    if (s->json) {
        response_json(&text, x->l, x->channel.data, x->channel.count);
        json_key(&s->out, "channels");
        json_raw(&s->out, text_get(&text));
    } else if (session_has(s, OPT_CSV)) {
        response_csv(&text, x->l, x->channel.data, x->channel.count);
    } else {
        for (int i = 0; i < x->channel.count; i++) response_print(&text, x->l, &x->channel.data[i]);
        if (x->has_beside)
            text_printf(&text, "the nonlinear response is at most %.4g dB and %.4g degrees away\n",
                        x->beside.off_decibel, x->beside.off_phase);
    }
    bool good = true;
    if (picture) good = write_picture(x, path);
    if (!s->json && picture)
        text_add(&s->out, text_get(&text));
    else if (!s->json)
        good = session_hand_over(s, &text);
    text_free(&text);
    return good;
}

ExitCode verb_response(Session *s) {
    Answers x = {.s = s};
    bool usage = one_frequency(s, OPT_FROM, "--from", &x.from) &&
                 one_frequency(s, OPT_TO, "--to", &x.to) && listed(s, &x.asked);
    if (usage && x.from > 0 && x.to > 0 && x.to <= x.from)
        usage = bad_frequency(s, "--to, which lies above --from,", session_value(s, OPT_TO));
    bool good =
        usage && gather_variants(&x) && answer_channels(&x) && take_beside(&x) && tell_channels(&x);
    free_answers(&x);
    return good ? EXIT_GOOD : usage ? EXIT_INPUT : EXIT_USAGE;
}

// --- answers in time -----------------------------------------------------------------------------

static bool tell_answers(Answers *x, const TimeResponse *t, int count) {
    Session *s = x->s;
    const char *path = session_value(s, OPT_OUT);
    size_t length = path ? strlen(path) : 0;
    bool picture = length > 4 && strcmp(path + length - 4, ".svg") == 0, good = true;
    Text text = {0};
    if (picture) {
        time_response_svg(&text, x->l, t, count);
        good = file_write(path, text_get(&text), text.length, &s->report);
        if (good) session_tell_files(s, &path, 1, "");
        text_clear(&text);
    }
    if (s->json)
        time_response_json(&text, x->l, t, count);
    else if (session_has(s, OPT_CSV))
        time_response_csv(&text, x->l, t, count);
    for (int i = 0; i < count && !s->json && !session_has(s, OPT_CSV); i++)
        time_response_print(&text, x->l, &t[i]);
    if (s->json) {
        json_key(&s->out, "answers");
        json_raw(&s->out, text_get(&text));
    } else if (picture) {
        text_add(&s->out, text_get(&text));
    } else {
        good = session_hand_over(s, &text);
    }
    text_free(&text);
    return good;
}

ExitCode verb_answer(Session *s) {
    Answers x = {.s = s};
    ARRAY(TimeResponse) list = {0};
    bool impulse = strcmp(s->verb->name, "impulse") == 0;
    double to = 0;
    if (!option_seconds(s, OPT_STOP, &to)) return EXIT_USAGE;
    bool good = gather_variants(&x) && !no_channel(&x);
    for (int j = 0; good && j < x.l->m; j++)
        good = time_response_exists(x.l, j, impulse, &s->report);
    for (int i = 0; good && i < x.l->p; i++)
        for (int j = 0; j < x.l->m; j++) array_push(&list, time_response(x.l, j, i, impulse, to));
    good = good && tell_answers(&x, list.data, list.count);
    for (int i = 0; i < list.count; i++) time_response_free(&list.data[i]);
    array_free(&list);
    free_answers(&x);
    return good ? EXIT_GOOD : EXIT_INPUT;
}

// --- models of lower order -----------------------------------------------------------------------

ExitCode verb_reduce(Session *s) {
    Answers x = {.s = s};
    Reduced reduced = {0};
    Text text = {0};
    double order = 0;
    if (!option_number(s, OPT_ORDER, &order)) return EXIT_USAGE;
    bool good = gather_variants(&x) && !no_channel(&x);
    const Experiment *asked = good ? x.variant.data[0].p.experiment : NULL;
    if (asked && !session_has(s, OPT_ORDER)) order = asked->analysis.order;
    good = good && reduce_model(x.l, (int)fmin(order, x.l->n), &reduced, &s->report);
    if (good && s->json) {
        json_key(&s->out, "reduced");
        json_open(&s->out, '{');
        reduced_json(&s->out, x.l, &reduced);
        json_close(&s->out, '}');
    } else if (good) {
        reduced_print(&text, x.l, &reduced);
        good = session_hand_over(s, &text);
    }
    text_free(&text);
    reduced_free(&reduced);
    free_answers(&x);
    return good ? EXIT_GOOD : EXIT_INPUT;
}
