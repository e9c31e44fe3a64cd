// help and version, and the message for a verb that does not exist.
#include "verb/verb.h"

#include <stdio.h>
#include <string.h>

static const char *verb_name_at(const void *of, int i) { return ((const Verb *)of)[i].name; }

ExitCode refuse_verb(Session *s, const char *name) {
    Remark *m;
    if (name[0] == '-') {
        m = report_error(&s->report, T_UNKNOWN_VERB, POS_NONE, "'%s' stands where a verb belongs",
                         name);
        remark_help(&s->report, m, "options follow the verb: bondyn run model.bond %s", name);
        return EXIT_USAGE;
    }
    m = report_error(&s->report, T_UNKNOWN_VERB, POS_NONE, "there is no verb '%s'", name);
    int count;
    const Verb *v = verb_table(&count);
    const char *near = nearest_word(name, count, verb_name_at, v);
    if (near)
        remark_help(&s->report, m, "did you mean 'bondyn %s'?", near);
    else if (strstr(name, ".bond"))
        remark_help(&s->report, m, "to simulate it: bondyn run %s", name);
    else
        remark_help(&s->report, m, "'bondyn help' lists the verbs");
    return EXIT_USAGE;
}

// --- help ----------------------------------------------------------------------------------------

static void print_overview(Text *t) {
    text_add(t, "bondyn: model, simulate and analyse physical systems with bond graphs\n\n"
                "usage: bondyn VERB [arguments] [options]\n\nverbs\n");
    int count;
    const Verb *v = verb_table(&count);
    for (int i = 0; i < count; i++) text_printf(t, "  %-10s %s\n", v[i].name, v[i].summary);
    text_add(t, "\nexamples\n"
                "  bondyn new first\n"
                "  bondyn run first.bond\n\n"
                "'bondyn VERB --help' tells the options of a verb.\n");
}

static void print_indented(Text *t, const char *lines) {
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        text_add(t, "  ");
        text_add_n(t, lines, length);
        text_char(t, '\n');
        lines += length + (lines[length] == '\n');
    }
}

static void print_option(Text *t, const OptionInfo *o) {
    char left[64];
    int n = o->letter ? snprintf(left, sizeof left, "-%c, --%s", o->letter, o->name)
                      : snprintf(left, sizeof left, "    --%s", o->name);
    if (o->argument) snprintf(left + n, sizeof left - (size_t)n, " %s", o->argument);
    text_printf(t, "  %-28s %s\n", left, o->help);
}

static void print_verb_help(Text *t, const Verb *v) {
    text_printf(t, "bondyn %s: %s\n\nusage: bondyn %s %s%s[options]\n", v->name, v->summary,
                v->name, v->arguments, *v->arguments ? " " : "");
    if (v->details) text_printf(t, "\n%s", v->details);
    text_add(t, "\noptions\n");
    for (int i = 0; i < OPT_COUNT; i++)
        if (verb_takes(v, (OptionId)i)) print_option(t, option_info((OptionId)i));
    text_add(t, "\nexamples\n");
    print_indented(t, v->examples);
    text_add(t, "\nexit codes\n"
                "  0    good\n"
                "  1    wrong input: errors were reported\n"
                "  2    wrong use of the command line\n");
    if (v->exits) print_indented(t, v->exits);
}

void add_help(Session *s, const Verb *v) {
    Text text = {0};
    if (v)
        print_verb_help(&text, v);
    else
        print_overview(&text);
    if (s->json) {
        json_text_of(&s->out, "help", text_get(&text));
    } else {
        text_add(&s->out, text_get(&text));
    }
    text_free(&text);
}

ExitCode verb_help(Session *s) {
    const char *name = session_argument(s, 0);
    const Verb *v = name ? verb_find(name) : NULL;
    if (name && !v) return refuse_verb(s, name);
    add_help(s, v);
    return EXIT_GOOD;
}

ExitCode verb_version(Session *s) {
    if (s->json) {
        json_text_of(&s->out, "version", BONDYN_VERSION);
    } else {
        text_add(&s->out, "bondyn " BONDYN_VERSION "\n");
    }
    return EXIT_GOOD;
}
