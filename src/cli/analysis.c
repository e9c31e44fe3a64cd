// linearize and what stands on it: the linear model of an experiment, at its start or in its run.
#include "cli/cli.h"

#include "analysis/linear.h"
#include <string.h>

// "u, arm.v" -> words
static TextList words_of(Session *s, OptionId id) {
    TextList words = {0};
    const char *at = session_value(s, id);
    while (at && *at) {
        at += strspn(at, ", ");
        size_t n = 0;
        for (int depth = 0; at[n] && (depth > 0 || !strchr(", ", at[n])); n++)
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

// The linear model that the command line asks for; NULL: reported. Free both.
LinearModel *session_linear(Session *s, Pipeline *p) {
    TextList inputs = words_of(s, OPT_INPUTS), outputs = words_of(s, OPT_OUTPUTS);
    LinearWish wish = {inputs.data, outputs.data, inputs.count, outputs.count};
    LinearPlan plan;
    RunOptions o = {0};
    Reached at = {0};
    double time = 0;
    LinearModel *l = NULL;
    *p = (Pipeline){0};
    if (option_seconds(s, OPT_AT, &time) && build_system(s, p, &wish, &plan) &&
        linear_reach(&at, p->system, &o, !session_has(s, OPT_AT), time, &s->report)) {
        l = linear_model(p->system, &plan, &at, &s->report);
        reached_free(&at);
    }
    array_free(&inputs);
    array_free(&outputs);
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
