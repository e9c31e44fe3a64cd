// Arguments and options of a verb, from the caller's list: known or not, with values or without.
#include "verb/verb.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const OptionInfo option_table[OPT_COUNT] = {
#define OPTION(id, letter, name, argument, help) {letter, name, argument, help},
#include "verb/options.def"
#undef OPTION
};

static const OptionSet common_options =
    OPT_BIT(LIBRARY) | OPT_BIT(JSON) | OPT_BIT(VERBOSE) | OPT_BIT(QUIET) | OPT_BIT(HELP);

const OptionInfo *option_info(OptionId id) { return &option_table[id]; }

const char *nearest_word(const char *wrong, int count, const char *(*word)(const void *of, int i),
                         const void *of) {
    const char *best = NULL;
    int limit = (int)strlen(wrong) / 3 + 1, least = (limit < 3 ? limit : 3) + 1;
    for (int i = 0; i < count; i++) {
        int distance = name_distance(wrong, word(of, i), least);
        if (distance < least) least = distance, best = word(of, i);
    }
    return best;
}

static const char *text_at(const void *words, int i) { return ((const char *const *)words)[i]; }

const char *nearest_text(const char *wrong, const char *const *words, int count) {
    return nearest_word(wrong, count, text_at, words);
}

bool verb_takes(const Verb *v, OptionId id) { return (v->options | common_options) >> id & 1; }

static int find_long(const char *name, size_t length) {
    for (int i = 0; i < OPT_COUNT; i++)
        if (strlen(option_table[i].name) == length &&
            strncmp(option_table[i].name, name, length) == 0)
            return i;
    return -1;
}

static int find_letter(char letter) {
    for (int i = 0; i < OPT_COUNT; i++)
        if (option_table[i].letter == letter) return i;
    return -1;
}

// `word` as the user wrote it: "--stop" or "-x".
static bool refuse_option(Session *s, const char *word, int known) {
    if (known >= 0) {
        Remark *m = report_error(&s->report, T_UNKNOWN_OPTION, POS_NONE,
                                 "'bondyn %s' does not take the option '%s'", s->verb->name, word);
        remark_help(&s->report, m, "'bondyn %s --help' lists its options", s->verb->name);
        return false;
    }
    Remark *m =
        report_error(&s->report, T_UNKNOWN_OPTION, POS_NONE, "there is no option '%s'", word);
    const char *names[OPT_COUNT];
    int count = 0;
    for (int i = 0; i < OPT_COUNT; i++)
        if (verb_takes(s->verb, (OptionId)i)) names[count++] = option_table[i].name;
    const char *near = nearest_text(word + strspn(word, "-"), names, count);
    if (near)
        remark_help(&s->report, m, "did you mean '--%s'?", near);
    else
        remark_help(&s->report, m, "'bondyn %s --help' lists its options", s->verb->name);
    return false;
}

static void store(Session *s, int id, const char *value) {
    s->options.value[id] = value;
    if (id == OPT_SET) array_push(&s->options.sets, value);
    if (id == OPT_RECORD) array_push(&s->options.records, value);
    if (id == OPT_MAP) array_push(&s->options.maps, value);
    if (id == OPT_VARY) array_push(&s->options.varies, value);
}

// "stop", or as on the command line "--stop" and "-j".
static int find_option(const char *name) {
    if (name[0] != '-') return find_long(name, strlen(name));
    if (name[1] == '-') return find_long(name + 2, strlen(name + 2));
    return name[1] && !name[2] ? find_letter(name[1]) : -1;
}

static bool take_option(Session *s, const BdOption *given) {
    const char *value = given->value;
    int id = find_option(given->name);
    if (id < 0 || !verb_takes(s->verb, (OptionId)id)) {
        const char *dashes = given->name[0] == '-' ? "" : "--";
        return refuse_option(s, arena_printf(&s->arena, "%s%s", dashes, given->name), id);
    }
    const OptionInfo *option = &option_table[id];
    if (!option->argument && value) {
        report_error(&s->report, T_BAD_VALUE, POS_NONE,
                     "the option '--%s' takes no value, but got '%s'", option->name, value);
        return false;
    }
    if (option->argument && (!value || !*value)) {
        Remark *m =
            report_error(&s->report, T_BAD_VALUE, POS_NONE,
                         value ? "the value of '--%s' is empty" : "the option '--%s' wants a value",
                         option->name);
        remark_help(&s->report, m, "write --%s %s", option->name, option->argument);
        return false;
    }
    store(s, id, option->argument ? value : "");
    return true;
}

static bool check_argument_count(Session *s) {
    int count = s->options.argument.count;
    const Verb *v = s->verb;
    if (session_has(s, OPT_HELP) || (count >= v->least && count <= v->most)) return true;
    Remark *m;
    if (count < v->least)
        m = report_error(&s->report, T_ARGUMENTS, POS_NONE, "'bondyn %s' wants more arguments: %s",
                         v->name, v->arguments);
    else
        m = report_error(&s->report, T_ARGUMENTS, POS_NONE,
                         "'bondyn %s' does not know what to do with '%s'", v->name,
                         s->options.argument.data[v->most]);
    remark_help(&s->report, m, "usage: bondyn %s %s", v->name, v->arguments);
    return false;
}

// What runs is said once: by name, by --all, or by --model, which takes a model without an
// experiment.
static bool check_choice(Session *s) {
    bool all = session_has(s, OPT_ALL), model = session_has(s, OPT_MODEL);
    const char *named = strstr(s->verb->arguments, "[EXPERIMENT]") ? session_argument(s, 1) : NULL;
    if (all + model + (named != NULL) <= 1) return true;
    Remark *m;
    if (all && model)
        m = report_error(&s->report, T_ARGUMENTS, POS_NONE, "--all and --model exclude each other");
    else
        m = report_error(&s->report, T_ARGUMENTS, POS_NONE,
                         "experiment '%s' is named beside --%s, which %s", named,
                         all ? "all" : "model",
                         all ? "takes every experiment" : "takes a model without an experiment");
    remark_help(&s->report, m, "keep one of them");
    return false;
}

bool options_take(Session *s) {
    bool good = true;
    for (int i = 0; i < s->o->option_count; i++) good = take_option(s, &s->o->option[i]) && good;
    for (int i = 0; i < s->o->argument_count; i++)
        array_push(&s->options.argument, s->o->argument[i]);
    return good && check_argument_count(s) && check_choice(s);
}

static bool refuse_value(Session *s, OptionId id, const char *wanted) {
    Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "'%s' is no value for '--%s'",
                             s->options.value[id], option_table[id].name);
    remark_help(&s->report, m, "give %s", wanted);
    return false;
}

bool option_number(Session *s, OptionId id, double *value) {
    const char *text = s->options.value[id];
    if (!text) return true;
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x) || x < 0)
        return refuse_value(s, id, "a number that is not negative, like 1e-6");
    *value = x;
    return true;
}

// seconds = number [ "{" unit "}" ]
bool option_seconds(Session *s, OptionId id, double *value) {
    const char *text = s->options.value[id];
    if (!text) return true;
    const char *wanted = id == OPT_AT && strcmp(text, "steady") == 0
                             ? "'--steady' for the steady point; '--at' is for a time of the run"
                             : "a time above zero, like 5 or \"2 {min}\"";
    char *end;
    double x = strtod(text, &end);
    if (end == text) return refuse_value(s, id, wanted);
    end += strspn(end, " ");
    if (*end == '{') {
        size_t length = strcspn(end, "}"), bad_length;
        const char *bad;
        Unit unit, second;
        unit_parse("s", 1, &second, &bad, &bad_length);
        if (end[length] != '}' || end[length + 1] ||
            !unit_parse(end + 1, length - 1, &unit, &bad, &bad_length) ||
            !dim_equal(unit.dim, second.dim))
            return refuse_value(s, id, wanted);
        x *= unit.scale;
    } else if (*end) {
        return refuse_value(s, id, wanted);
    }
    if (!isfinite(x) || x <= 0) return refuse_value(s, id, wanted);
    *value = x;
    return true;
}
