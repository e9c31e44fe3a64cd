// Messages as values: what the stages report, with place, text and remedy spelled out, so that they
// outlive the texts that they speak of.
#include "api/handles.h"

#include "base/memory.h"

BdReport *bd_report_new(void) { return memory_zeroed(1, sizeof(BdReport)); }

void bd_report_clear(BdReport *r) {
    arena_free(&r->arena);
    array_free(&r->message);
    text_free(&r->text);
    *r = (BdReport){0};
}

void bd_report_free(BdReport *r) {
    if (!r) return;
    bd_report_clear(r);
    free(r);
}

int bd_report_count(const BdReport *r) { return r->message.count; }
int bd_report_errors(const BdReport *r) { return r->errors; }
const char *bd_report_text(const BdReport *r) { return text_get(&r->text); }

const BdMessage *bd_report_message(const BdReport *r, int i) {
    return i >= 0 && i < r->message.count ? &r->message.data[i] : NULL;
}

const char *bd_explain(const char *code) {
    const CodeInfo *info = code ? code_find(code) : NULL;
    return info ? info->explanation : NULL;
}

static const char *kept(BdReport *r, const char *text) {
    return text ? arena_printf(&r->arena, "%s", text) : "";
}

static BdMessage message_of(BdReport *to, const Remark *m, const Sources *s) {
    static const BdSeverity severity[] = {
        [NOTE] = BD_NOTE, [WARNING] = BD_WARNING, [ERROR] = BD_ERROR};
    BdMessage message = {.severity = severity[m->severity],
                         .code = code_info(m->code)->text,
                         .file = "",
                         .text = kept(to, m->message),
                         .remedy = kept(to, m->help)};
    if (!m->pos.file) return message;
    LineColumn at = source_line_column(s, m->pos);
    message.file = kept(to, source_name(s, m->pos.file));
    message.line = at.line;
    message.column = at.column;
    return message;
}

void report_hand_over(Report *from, const Sources *sources, BdReport *to) {
    if (to) {
        for (const Remark *m = from->first; m; m = m->next)
            array_push(&to->message, message_of(to, m, sources));
        to->errors += from->errors;
        report_print(&to->text, from, sources);
    }
    report_free(from);
    *from = (Report){0};
}
