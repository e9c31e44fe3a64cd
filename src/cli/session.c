// A session: one call of the program. It gathers what goes to stdout and the report, and writes
// them at its end as text, or as one object:
//
//     {"verb": "run", ...members that the verb added..., "exit": 0, "remarks": [...]}
#include "cli/cli.h"

#include "analysis/asked.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Large blocks come from the system and go back when they are freed. Left alone, the allocator of
// glibc raises the size from which it does so, and holes make large models a seventh larger.
static void return_large_blocks(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

void session_begin(Session *s) {
    return_large_blocks();
    *s = (Session){.names = names_new(), .sources = sources_new()};
}

bool session_has(const Session *s, OptionId id) { return s->options.value[id] != NULL; }

const char *session_value(const Session *s, OptionId id) { return s->options.value[id]; }

const char *session_argument(const Session *s, int i) {
    return i < s->options.argument.count ? s->options.argument.data[i] : NULL;
}

// --- writing -------------------------------------------------------------------------------------

// Names and descriptions come from models, and models from anywhere.
static bool write_stdout(const Text *text) {
    Text shown = {0};
    text_shown(&shown, text_get(text), text->length);
    fwrite(text_get(&shown), 1, shown.length, stdout);
    text_free(&shown);
    return fflush(stdout) == 0 && !ferror(stdout);
}

void session_flush(Session *s) {
    if (s->json) return;
    if (!write_stdout(&s->out))
        report_error(&s->report, T_CANNOT_WRITE, POS_NONE, "cannot write to standard output: %s",
                     strerror(errno));
    text_clear(&s->out);
}

static void count_line(Text *t, int errors, int warnings) {
    if (!errors && !warnings) return;
    if (errors) text_printf(t, "%d error%s", errors, errors == 1 ? "" : "s");
    if (warnings)
        text_printf(t, "%s%d warning%s", errors ? ", " : "", warnings, warnings == 1 ? "" : "s");
    text_char(t, '\n');
}

// Leaves out what nobody would read: the 21st remark of a kind that is no error (a loop can make
// thousands), and notes when the user wants quiet. Gives the number of those left out.
static int thin_remarks(Report *r, bool quiet) {
    enum { MOST = 20 };
    int seen[CODE_COUNT] = {0}, left_out = 0;
    for (Remark *m = r->first; m; m = m->next) {
        bool hide = quiet && m->severity == NOTE;
        bool many = m->severity != ERROR && ++seen[m->code] > MOST;
        left_out += many && !hide;
        m->told = m->told || many || hide;
    }
    return left_out;
}

static void write_plain(Text *plain) {
    Text painted = {0}, shown = {0};
    text_shown(&shown, text_get(plain), plain->length);
    terminal_remarks(&painted, text_get(&shown), terminal_colours(STDERR_FILENO));
    text_free(&shown);
    fwrite(text_get(&painted), 1, painted.length, stderr);
    text_free(&painted);
    text_free(plain);
}

void session_tell(Session *s) {
    if (s->json || s->silent || s->told == s->report.last) return;
    Text plain = {0};
    thin_remarks(&s->report, session_has(s, OPT_QUIET));
    report_tell(&plain, &s->report, s->sources);
    s->told = s->report.last;
    write_plain(&plain);
    fflush(stderr);
}

static void write_remarks(Session *s) {
    Text plain = {0};
    int errors, warnings;
    report_count(&s->report, s->sources, &errors, &warnings);
    int left_out = thin_remarks(&s->report, session_has(s, OPT_QUIET));
    report_tell(&plain, &s->report, s->sources);
    if (left_out) text_printf(&plain, "%d more of the same kind are not shown\n", left_out);
    count_line(&plain, errors, warnings);
    write_plain(&plain);
}

static bool write_object(Session *s, ExitCode code) {
    Text object = {0}, remarks = {0};
    json_open(&object, '{');
    if (s->verb) {
        json_text_of(&object, "verb", s->verb->name);
    }
    if (s->out.length) json_raw(&object, text_get(&s->out));
    json_number_of(&object, "exit", code);
    json_key(&object, "remarks");
    report_json(&remarks, &s->report, s->sources);
    json_raw(&object, text_get(&remarks));
    json_close(&object, '}');
    text_char(&object, '\n');
    bool good = write_stdout(&object);
    text_free(&object);
    text_free(&remarks);
    return good;
}

ExitCode session_end(Session *s, ExitCode code) {
    if (s->silent) {
        code = EXIT_GOOD;
    } else if (s->json) {
        if (!write_object(s, code)) code = exit_worse(code, EXIT_INPUT);
    } else {
        int before = s->report.errors;
        session_flush(s);
        if (s->report.errors > before) code = exit_worse(code, EXIT_INPUT);
        write_remarks(s);
    }
    text_free(&s->out);
    report_free(&s->report);
    array_free(&s->options.sets);
    array_free(&s->options.records);
    array_free(&s->options.varies);
    array_free(&s->options.maps);
    array_free(&s->options.argument);
    arena_free(&s->arena);
    arena_free(&s->syntax);
    arena_free(&s->bonds);
    sources_free(s->sources);
    names_free(s->names);
    return code;
}

// Interruption first, then wrong input, an early end, expectations, energy.
ExitCode exit_worse(ExitCode a, ExitCode b) {
    static const ExitCode order[] = {EXIT_INTERRUPTED, EXIT_USAGE,  EXIT_INPUT,
                                     EXIT_EARLY,       EXIT_EXPECT, EXIT_AUDIT};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (a == order[i] || b == order[i]) return order[i];
    return EXIT_GOOD;
}

// --- library folder ------------------------------------------------------------------------------

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

// The folder of this program's file; NULL when the system does not say.
const char *session_program(Session *s) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0 || length == (ssize_t)sizeof path) return NULL;
    path[length] = 0;
    return path_folder(&s->arena, path);
}

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
    static const char *const beside[] = {"../../library", "../library", "../share/bondyn/library"};
    const char *program = session_program(s);
    for (size_t i = 0; program && i < sizeof beside / sizeof beside[0]; i++) {
        char *folder = path_join(&s->arena, program, beside[i]);
        if (is_folder(folder)) return folder;
    }
    return is_folder(BONDYN_LIBRARY) ? BONDYN_LIBRARY : NULL;
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
                                        .linear = linear_asked});
}

Syntax *session_load(Session *s, const char *file) {
    int before = s->report.errors;
    LangOptions options = session_lang_options(s);
    options.bonds = &s->bonds;
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
