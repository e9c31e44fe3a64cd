// import: files of other programs as text of the language.
#include "verb/verb.h"

#include "import/urdf.h"
#include <string.h>

static bool is_known_format(Session *s, const char *format) {
    if (strcmp(format, "urdf") == 0) return true;
    Remark *m =
        report_error(&s->report, T_ARGUMENTS, POS_NONE, "'%s' files cannot be imported", format);
    remark_help(&s->report, m, "write bondyn import urdf FILE");
    return false;
}

static bool deliver(Session *s, const Text *text) {
    const char *path = session_value(s, OPT_OUT);
    if (path && !file_write(path, text_get(text), text->length, &s->report)) return false;
    if (s->json) {
        json_key(&s->out, path ? "file" : "text");
        json_quoted(&s->out, path ? path : text_get(text));
    } else if (!path) {
        text_add_n(&s->out, text_get(text), text->length);
    } else if (!session_has(s, OPT_QUIET)) {
        text_printf(&s->out, "written %s\n", path);
    }
    return true;
}

ExitCode verb_import(Session *s) {
    const char *path = session_argument(s, 1);
    if (!is_known_format(s, session_argument(s, 0))) return EXIT_USAGE;
    size_t length;
    char *data = file_read(&s->arena, path, &length, &s->report, POS_NONE);
    if (!data) return EXIT_INPUT;
    Text text = {0};
    UrdfOptions options = {
        .free = session_has(s, OPT_FREE), .rounded = session_has(s, OPT_ROUND), .meshes = true};
    uint32_t source = sources_add(s->sources, path, data, length);
    bool good = urdf_import(&text, s->sources, source, &options, &s->report) && deliver(s, &text);
    text_free(&text);
    return good ? EXIT_GOOD : EXIT_INPUT;
}
