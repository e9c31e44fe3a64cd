// format: files in their canonical form.
#include "verb/verb.h"

#include "service/format.h"
#include <string.h>

// What the lexer says about a text stands at places of no file; they are of this one.
static void name_places(Session *s, const Remark *before, const char *file, const char *text,
                        size_t length) {
    uint32_t source = sources_add(s->sources, file, text, length);
    for (Remark *m = before ? before->next : s->report.first; m; m = m->next)
        if (m->pos.file) m->pos.file = source;
}

static bool format_file(Session *s, const char *file, TextList *changed) {
    size_t length;
    const Remark *before = s->report.last;
    char *text = file_read(&s->arena, file, &length, &s->report, POS_NONE);
    Text out = {0};
    if (!text) return false;
    bool good = format_text(&out, text, length, &s->report);
    if (!good) {
        name_places(s, before, file, text, length);
    } else if (out.length != length || memcmp(text_get(&out), text, length) != 0) {
        if (session_has(s, OPT_CHECK)) {
            Remark *m = report_error(&s->report, T_NOT_FORMATTED, POS_NONE,
                                     "'%s' is not in canonical form", file);
            remark_help(&s->report, m, "write bondyn format %s", file);
            good = false;
        } else {
            good = file_write(file, text_get(&out), out.length, &s->report);
            if (good) array_push(changed, file);
        }
    }
    text_free(&out);
    return good;
}

ExitCode verb_format(Session *s) {
    bool good = true;
    TextList changed = {0};
    for (int i = 0; i < s->options.argument.count; i++)
        good = format_file(s, session_argument(s, i), &changed) && good;
    session_tell_files(s, changed.data, changed.count, "");
    array_free(&changed);
    return good ? EXIT_GOOD : EXIT_INPUT;
}
