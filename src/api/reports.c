// Messages as values: what the stages report, together with the texts that they speak of, so that
// messages outlive the model and can still show the lines in question.
#include "api/handles.h"

#include "base/memory.h"
#include <string.h>

BdReport *bd_report_new(void) { return memory_zeroed(1, sizeof(BdReport)); }

void bd_report_clear(BdReport *r) {
    report_free(&r->report);
    sources_free(r->sources);
    arena_free(&r->arena);
    array_free(&r->message);
    text_free(&r->text);
    text_free(&r->new);
    *r = (BdReport){0};
}

void bd_report_free(BdReport *r) {
    if (!r) return;
    bd_report_clear(r);
    free(r);
}

int bd_report_count(const BdReport *r) { return r->message.count; }
int bd_report_errors(const BdReport *r) { return r->report.errors; }
const char *bd_report_text(const BdReport *r) { return text_get(&r->text); }

const BdMessage *bd_report_message(const BdReport *r, int i) {
    return i >= 0 && i < r->message.count ? &r->message.data[i] : NULL;
}

const char *bd_explain(const char *code) {
    const CodeInfo *info = code ? code_find(code) : NULL;
    return info ? info->explanation : NULL;
}

// --- messages as values --------------------------------------------------------------------------

static const char *kept(BdReport *r, const char *text) {
    return text ? arena_printf(&r->arena, "%s", text) : "";
}

static BdMessage message_of(BdReport *r, const Remark *m) {
    static const BdSeverity severity[] = {
        [NOTE] = BD_NOTE, [WARNING] = BD_WARNING, [ERROR] = BD_ERROR};
    BdMessage message = {.severity = severity[m->severity],
                         .code = code_info(m->code)->text,
                         .file = "",
                         .text = kept(r, m->message),
                         .remedy = kept(r, m->help)};
    if (!m->pos.file) return message;
    LineColumn at = source_line_column(r->sources, m->pos);
    message.file = kept(r, source_name(r->sources, m->pos.file));
    message.line = at.line;
    message.column = at.column;
    return message;
}

void report_list(BdReport *r) {
    if (r->listed == r->report.last) return;
    for (const Remark *m = r->listed ? r->listed->next : r->report.first; m; m = m->next)
        array_push(&r->message, message_of(r, m));
    r->listed = r->report.last;
    text_clear(&r->text);
    report_print(&r->text, &r->report, r->sources);
}

bool bd_report_add(BdReport *r, BdSeverity severity, const char *code, const char *text,
                   const char *remedy) {
    static const Severity inside[] = {[BD_NOTE] = NOTE, [BD_WARNING] = WARNING, [BD_ERROR] = ERROR};
    for (int i = 0; i < CODE_COUNT; i++) {
        if (strcmp(code_info((Code)i)->text, code) != 0) continue;
        Remark *m = report_add(&r->report, inside[severity], (Code)i, POS_NONE, "%s", text);
        if (remedy) remark_help(&r->report, m, "%s", remedy);
        report_list(r);
        return true;
    }
    return false;
}

// --- from the stages -----------------------------------------------------------------------------

// The number that a text has among those of the report; it is added when it is new.
static uint32_t source_in(BdReport *to, const Sources *from, uint32_t file) {
    size_t length, other;
    const char *name = source_name(from, file), *text = source_text(from, file, &length);
    if (!to->sources) to->sources = sources_new();
    for (int i = 1; i <= sources_count(to->sources); i++) {
        const char *there = source_text(to->sources, (uint32_t)i, &other);
        if (other == length && strcmp(source_name(to->sources, (uint32_t)i), name) == 0 &&
            memcmp(there, text, length) == 0)
            return (uint32_t)i;
    }
    return sources_add(to->sources, name, text, length);
}

static bool speaks_of(const Remark *list, uint32_t file) {
    for (const Remark *m = list; m; m = m->next)
        if (m->pos.file == file || speaks_of(m->first_note, file)) return true;
    return false;
}

static Pos moved(Pos pos, const uint32_t *file) {
    return pos.file ? (Pos){file[pos.file], pos.at} : pos;
}

static void copy_remark(BdReport *to, const Remark *m, const uint32_t *file) {
    Remark *copy =
        report_add(&to->report, m->severity, m->code, moved(m->pos, file), "%s", m->message);
    for (const Remark *n = m->first_note; n; n = n->next)
        remark_note(&to->report, copy, moved(n->pos, file), "%s", n->message);
    if (m->help) remark_help(&to->report, copy, "%s", m->help);
}

void report_hand_over(Report *from, const Sources *sources, BdReport *to) {
    if (to && from->first) {
        int count = sources_count(sources);
        uint32_t *file = memory_zeroed((size_t)count + 1, sizeof *file);
        for (int i = 1; i <= count; i++)
            if (speaks_of(from->first, (uint32_t)i)) file[i] = source_in(to, sources, (uint32_t)i);
        for (const Remark *m = from->first; m; m = m->next) copy_remark(to, m, file);
        free(file);
        report_list(to);
    }
    report_free(from);
    *from = (Report){0};
}

// --- for a terminal ------------------------------------------------------------------------------

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

static void count_line(Text *t, int errors, int warnings) {
    if (!errors && !warnings) return;
    if (errors) text_printf(t, "%d error%s", errors, errors == 1 ? "" : "s");
    if (warnings)
        text_printf(t, "%s%d warning%s", errors ? ", " : "", warnings, warnings == 1 ? "" : "s");
    text_char(t, '\n');
}

const char *bd_report_tell(BdReport *r, bool quiet, bool last) {
    text_clear(&r->new);
    if (!last && r->told == r->report.last) return "";
    Text plain = {0};
    int errors, warnings;
    report_count(&r->report, r->sources, &errors, &warnings);
    int left_out = thin_remarks(&r->report, quiet);
    report_tell(&plain, &r->report, r->sources);
    r->told = r->report.last;
    if (last && left_out) text_printf(&plain, "%d more of the same kind are not shown\n", left_out);
    if (last) count_line(&plain, errors, warnings);
    text_shown(&r->new, text_get(&plain), plain.length);
    text_free(&plain);
    return text_get(&r->new);
}
