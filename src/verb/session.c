// A session: one verb at work. It gathers text and remarks for the caller.
#include "verb/verb.h"

#include "analysis/asked.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool session_has(const Session *s, OptionId id) { return s->options.value[id] != NULL; }

const char *session_value(const Session *s, OptionId id) { return s->options.value[id]; }

const char *session_argument(const Session *s, int i) {
    return i < s->options.argument.count ? s->options.argument.data[i] : NULL;
}

// Interruption first, then wrong input, an early end, expectations, energy.
ExitCode exit_worse(ExitCode a, ExitCode b) {
    static const ExitCode order[] = {EXIT_INTERRUPTED, EXIT_USAGE,  EXIT_INPUT,
                                     EXIT_EARLY,       EXIT_EXPECT, EXIT_AUDIT};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (a == order[i] || b == order[i]) return order[i];
    return EXIT_GOOD;
}

// --- callbacks: while one is at work, the report is the caller's ---------------------------------

static void show_report(Session *s) { s->caller->report = s->report; }
static void take_back(Session *s) { s->report = s->caller->report; }

// Names and descriptions come from models, and models from anywhere.
static void hand_on(Session *s, const Text *text) {
    Text shown = {0};
    text_shown(&shown, text_get(text), text->length);
    if (s->o->text) {
        show_report(s);
        s->o->text(s->o->context, text_get(&shown), shown.length);
        take_back(s);
    } else {
        text_add_n(&s->kept, text_get(&shown), shown.length);
    }
    text_free(&shown);
}

void session_flush(Session *s) {
    if (s->json) return;
    hand_on(s, &s->out);
    text_clear(&s->out);
}

void session_aside(Session *s, const char *text) {
    Text shown = {0};
    if (!s->o->aside) return;
    text_shown(&shown, text, strlen(text));
    s->o->aside(s->o->context, text_get(&shown));
    text_free(&shown);
}

bool session_agrees(Session *s, const char *question) {
    if (!s->o->agrees || s->json) return false;
    session_flush(s);
    return s->o->agrees(s->o->context, question);
}

static void tell_progress(Session *s, BdPhase phase, double fraction) {
    if (!s->o->progress) return;
    if (!s->silent) show_report(s);
    s->o->progress(s->o->context, phase, s->label, fraction);
    if (!s->silent) take_back(s);
}

void progress_prepare(Session *s) { tell_progress(s, BD_PREPARES, NAN); }

void progress_begin(Session *s, const char *label) {
    s->label = label;
    tell_progress(s, BD_BEGINS, NAN);
}

void progress_show(void *session, double fraction) { tell_progress(session, BD_GOES_ON, fraction); }

void progress_end(Session *s) { tell_progress(s, BD_ENDS, NAN); }

// --- the end -------------------------------------------------------------------------------------

// {"verb": "run", ...members that the verb added..., "exit": 0, "remarks": [...]}
static void write_object(Session *s, ExitCode code) {
    Text object = {0}, remarks = {0};
    json_open(&object, '{');
    if (s->verb) json_text_of(&object, "verb", s->verb->name);
    if (s->out.length) json_raw(&object, text_get(&s->out));
    json_number_of(&object, "exit", code);
    json_key(&object, "remarks");
    report_json(&remarks, &s->report, s->sources);
    json_raw(&object, text_get(&remarks));
    json_close(&object, '}');
    text_char(&object, '\n');
    hand_on(s, &object);
    text_free(&object);
    text_free(&remarks);
}

void session_begin(Session *s, const BdVerbOptions *o, BdReport *r) {
    if (!r->sources) r->sources = sources_new();
    *s = (Session){.o = o,
                   .caller = r,
                   .report = r->report,
                   .names = names_new(),
                   .sources = r->sources,
                   .label = "",
                   .json = o->json};
    s->report.errors = s->report.warnings = 0; // of this verb
}

ExitCode session_end(Session *s, ExitCode code) {
    if (s->silent)
        code = EXIT_GOOD;
    else if (s->json)
        write_object(s, code);
    else
        session_flush(s);
    for (int i = 1; s->o->file && i <= sources_count(s->sources); i++)
        s->o->file(s->o->context, source_name(s->sources, (uint32_t)i));
    text_free(&s->out);
    array_free(&s->options.sets);
    array_free(&s->options.records);
    array_free(&s->options.varies);
    array_free(&s->options.maps);
    array_free(&s->options.argument);
    arena_free(&s->arena);
    arena_free(&s->syntax);
    arena_free(&s->bonds);
    names_free(s->names);
    return code;
}

// --- library folder ------------------------------------------------------------------------------

static const char *named_library(Session *s, const char *folder, const char *by) {
    if (is_folder(folder)) return folder;
    Remark *m = report_error(&s->report, T_NO_LIBRARY, POS_NONE,
                             "the library folder '%s' does not exist", folder);
    remark_help(&s->report, m, "%s names it; give a folder with .bond files", by);
    return NULL;
}

static const char *find_library(Session *s) {
    const char *asked = session_value(s, OPT_LIBRARY), *environment = getenv("BONDYN_LIBRARY");
    if (asked) return named_library(s, asked, "--library");
    if (environment && *environment) return named_library(s, environment, "$BONDYN_LIBRARY");
    return library_beside(&s->arena);
}

const char *session_library(Session *s) {
    if (!s->library_known) s->library = find_library(s);
    s->library_known = true;
    return s->library;
}

LangOptions session_lang_options(Session *s) {
    return pipeline_lang(&(LangOptions){.library = session_library(s),
                                        .set = s->options.sets.data,
                                        .set_count = s->options.sets.count,
                                        .open_inputs = s->open_inputs,
                                        .linear = linear_asked,
                                        .read = s->o->read,
                                        .read_context = s->o->read_context});
}

static bool is_urdf(const char *file) {
    size_t n = file ? strlen(file) : 0;
    return n > 5 && strcmp(file + n - 5, ".urdf") == 0;
}

// A robot description as it is: a mechanism from it, and an experiment in which it falls.
static Syntax *load_robot(Session *s, const char *file, const LangOptions *options) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    Text text = {0};
    if (strpbrk(name, "\"\n\\"))
        return lang_load(&s->syntax, s->names, s->sources, file, options, &s->report);
    text_printf(&text,
                "mechanism Robot from \"%s\"\nexperiment Fall of Robot \"the robot of %s, left to "
                "itself\"\n  stop 2 {s}\nend\n",
                name, name);
    const char *kept = arena_copy_text(&s->syntax, text_get(&text), text.length);
    Syntax *syntax = lang_load_text(&s->syntax, s->names, s->sources, file, kept, text.length,
                                    options, &s->report);
    text_free(&text);
    return syntax;
}

Syntax *session_load(Session *s, const char *file) {
    int before = s->report.errors;
    LangOptions options = session_lang_options(s);
    options.bonds = &s->bonds;
    if (is_urdf(file)) {
        Syntax *robot = load_robot(s, file, &options);
        return s->report.errors > before ? NULL : robot;
    }
    Syntax *syntax = lang_load(&s->syntax, s->names, s->sources, file, &options, &s->report);
    return s->report.errors > before ? NULL : syntax;
}

bool session_build(Pipeline *p, Session *s, Syntax *syntax, const char *experiment, Stage last,
                   SyntaxLife life) {
    PipelineOptions o = {.model = session_value(s, OPT_MODEL),
                         .experiment = experiment,
                         .lang = session_lang_options(s),
                         .last = last,
                         .syntax = life == SYNTAX_FOR_ONCE ? &s->syntax : NULL};
    return pipeline_build(p, syntax, &o, &s->report);
}

void session_tell_files(Session *s, const char *const *path, int count, const char *note) {
    if (s->json) {
        json_key(&s->out, "files");
        json_open(&s->out, '[');
        for (int i = 0; i < count; i++) json_quoted(&s->out, path[i]);
        json_close(&s->out, ']');
    } else if (!session_has(s, OPT_QUIET)) {
        for (int i = 0; i < count; i++) text_printf(&s->out, "written %s%s\n", path[i], note);
    }
}
