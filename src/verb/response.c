// poles, bode and nyquist: what stands on a linear model.
#include "verb/verb.h"

#include "analysis/response.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

ExitCode verb_poles(Session *s) {
    if (s->options.varies.count) return verb_locus(s);
    Pipeline p;
    LinearModel *l = session_linear(s, &p);
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

typedef struct {
    Session *s;
    LinearModel *l;
    double from, to;
    Numbers asked;
    ARRAY(ChannelResponse) channel;
} Answers;

static bool no_channel(Answers *x) {
    const LinearModel *l = x->l;
    if (l->m && l->p) return false;
    Remark *m = report_error(&x->s->report, A_NO_CHANNEL, l->system->model->pos,
                             "a frequency response goes from an input to an output: there is no %s",
                             l->m ? "output" : "input");
    remark_help(&x->s->report, m,
                l->m ? "name variables: --outputs arm.q" : "name inputs or parameters: --inputs u");
    return true;
}

static bool answer_channels(Answers *x) {
    enum { POINTS = 400 };
    if (no_channel(x)) return false;
    for (int i = 0; i < x->l->p; i++)
        for (int j = 0; j < x->l->m; j++)
            array_push(&x->channel, channel_response(x->l, j, i, x->from, x->to, POINTS,
                                                     x->asked.data, x->asked.count));
    for (int k = 0; k < x->channel.count; k++) {
        const ChannelResponse *c = &x->channel.data[k];
        double most = 0;
        for (int i = 0; i < c->count; i++) most = fmax(most, cabs(c->value[i]));
        if (most > 0 || !c->count) continue;
        Remark *m = report_warning(&x->s->report, A_NO_CHANNEL, x->l->system->model->pos,
                                   "'%s' does not depend on '%s' at this point",
                                   x->l->output[c->output].name, x->l->input[c->input].name);
        remark_help(&x->s->report, m, "look at B, C and D: 'bondyn linearize' shows them");
    }
    return true;
}

static bool write_picture(Answers *x, const char *path) {
    Text svg = {0};
    Picture picture = strcmp(x->s->verb->name, "nyquist") == 0 ? PICTURE_NYQUIST : PICTURE_BODE;
    response_svg(&svg, x->l, x->channel.data, x->channel.count, picture);
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
    Pipeline p = {0};
    if (!one_frequency(s, OPT_FROM, "--from", &x.from) ||
        !one_frequency(s, OPT_TO, "--to", &x.to) || !listed(s, &x.asked)) {
        array_free(&x.asked);
        return EXIT_USAGE;
    }
    if (x.from > 0 && x.to > 0 && x.to <= x.from) {
        array_free(&x.asked);
        bad_frequency(s, "--to, which lies above --from,", session_value(s, OPT_TO));
        return EXIT_USAGE;
    }
    x.l = session_linear(s, &p);
    bool good = x.l && answer_channels(&x) && tell_channels(&x);
    for (int i = 0; i < x.channel.count; i++) channel_response_free(&x.channel.data[i]);
    array_free(&x.channel);
    array_free(&x.asked);
    linear_model_free(x.l);
    pipeline_free(&p);
    return good ? EXIT_GOOD : EXIT_INPUT;
}
