#include "base/report.h"

#include "base/array.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const CodeInfo code_table[CODE_COUNT] = {
#define CODE(id, text, title, explanation, example) [id] = {text, title, explanation, example},
#include "base/codes/all.def"
#undef CODE
};

const CodeInfo *code_info(Code code) { return &code_table[code]; }

const CodeInfo *code_find(const char *text) {
    for (int i = 0; i < CODE_COUNT; i++)
        if (strcmp(code_table[i].text, text) == 0) return &code_table[i];
    return NULL;
}

static const char *format_text(Arena *a, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = arena_alloc(a, (size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

Remark *report_add(Report *r, Severity severity, Code code, Pos pos, const char *format, ...) {
    Remark *remark = ARENA_NEW(&r->arena, Remark);
    *remark = (Remark){.severity = severity, .code = code, .pos = pos};
    va_list args;
    va_start(args, format);
    remark->message = format_text(&r->arena, format, args);
    va_end(args);
    if (r->last)
        r->last->next = remark;
    else
        r->first = remark;
    r->last = remark;
    r->errors += severity == ERROR;
    r->warnings += severity == WARNING;
    return remark;
}

void remark_note(Report *r, Remark *to, Pos pos, const char *format, ...) {
    Remark *note = ARENA_NEW(&r->arena, Remark);
    *note = (Remark){.severity = NOTE, .code = to->code, .pos = pos};
    va_list args;
    va_start(args, format);
    note->message = format_text(&r->arena, format, args);
    va_end(args);
    Remark **end = &to->first_note;
    while (*end) end = &(*end)->next;
    *end = note;
}

void remark_help(Report *r, Remark *to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    to->help = format_text(&r->arena, format, args);
    va_end(args);
}

static const char *kept(Report *r, const char *text) {
    return text ? arena_copy_text(&r->arena, text, strlen(text)) : NULL;
}

void remark_fix(Report *r, Remark *to, const char *wrong, const char *right, const char *import) {
    to->fix = (Fix){kept(r, wrong), kept(r, right), kept(r, import)};
}

bool report_full(const Report *r) { return r->errors >= (r->limit ? r->limit : 50); }

void report_free(Report *r) {
    arena_free(&r->arena);
    *r = (Report){0};
}

typedef struct { // the part of a line that is shown, in bytes
    size_t from, to, word, word_end;
} Excerpt;

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Long lines are shown in part, cut between characters.
static Excerpt excerpt_of(const char *line, size_t length, size_t word) {
    enum { WIDEST = 100, BEFORE = 60 };
    Excerpt e = {.to = length, .word = word, .word_end = word};
    if (length >= WIDEST) {
        if (word > BEFORE) e.from = word - BEFORE;
        while (e.from < word && !begins_character(line[e.from])) e.from++;
        if (length - e.from > WIDEST) e.to = e.from + WIDEST;
        while (e.to < length && !begins_character(line[e.to])) e.to++;
    }
    while (e.word_end < e.to && in_word(line[e.word_end])) e.word_end++;
    return e;
}

// Adds c once for each character of the text.
static void underline(Text *out, char c, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (begins_character(text[i])) text_char(out, c);
}

// The line itself and a row of ^ under the word at pos.
static void print_line(Text *out, const Sources *s, Pos pos) {
    size_t length, all;
    const char *line = source_line(s, pos, &length);
    Excerpt e = excerpt_of(line, length, (size_t)(source_text(s, pos.file, &all) + pos.at - line));
    text_printf(out, "%6d | ", source_line_column(s, pos).line);
    for (size_t i = e.from; i < e.to; i++) {
        unsigned char c = (unsigned char)line[i];
        text_char(out, c == '\t' ? ' ' : (c < 0x20 || c == 0x7f) ? '?' : (char)c);
    }
    text_add(out, "\n       | ");
    underline(out, ' ', line + e.from, e.word - e.from);
    underline(out, '^', line + e.word, e.word_end - e.word);
    if (e.word == e.word_end) text_char(out, '^');
    text_char(out, '\n');
}

static const char *const severity_word[] = {"note", "warning", "error"};

static void print_remark(Text *out, const Remark *m, const Sources *s, bool is_note) {
    if (m->pos.file) {
        LineColumn lc = source_line_column(s, m->pos);
        text_printf(out, "%s:%d:%d: ", source_name(s, m->pos.file), lc.line, lc.column);
    }
    text_add(out, severity_word[m->severity]);
    if (!is_note) text_printf(out, " %s", code_info(m->code)->text);
    text_printf(out, ": %s\n", m->message);
    if (m->pos.file) print_line(out, s, m->pos);
    for (const Remark *n = m->first_note; n; n = n->next) print_remark(out, n, s, true);
    if (m->help) text_printf(out, "  help: %s\n", m->help);
}

static int by_place(const void *pa, const void *pb) {
    const Remark *a = *(const Remark *const *)pa, *b = *(const Remark *const *)pb;
    if (a->pos.file != b->pos.file) return a->pos.file < b->pos.file ? -1 : 1;
    if (a->pos.at != b->pos.at) return a->pos.at < b->pos.at ? -1 : 1;
    int order = strcmp(code_info(a->code)->text, code_info(b->code)->text);
    return order ? order : strcmp(a->message, b->message);
}

typedef ARRAY(const Remark *) RemarkList;

static const char *line_start(const Remark *m, const Sources *s) {
    size_t length;
    return m->pos.file ? source_line(s, m->pos, &length) : NULL;
}

// The same is said already about an earlier place of the same line: `x = y + 2*y` misses one y.
static bool is_repeated(const RemarkList *said, const Remark *m, const Sources *s) {
    enum { FARTHEST = 50 };
    const char *line = line_start(m, s);
    for (int i = said->count - 1; i >= 0 && i >= said->count - FARTHEST; i--) {
        const Remark *before = said->data[i];
        if (line_start(before, s) != line) return false;
        if (before->code == m->code && strcmp(before->message, m->message) == 0) return true;
    }
    return false;
}

static RemarkList sorted_remarks(const Report *r, const Sources *s) {
    RemarkList all = {0}, list = {0};
    for (const Remark *m = r->first; m; m = m->next) array_push(&all, m);
    if (all.count) qsort(all.data, (size_t)all.count, sizeof all.data[0], by_place);
    for (int i = 0; i < all.count; i++)
        if (!is_repeated(&list, all.data[i], s)) array_push(&list, all.data[i]);
    array_free(&all);
    return list;
}

void report_count(const Report *r, const Sources *s, int *errors, int *warnings) {
    RemarkList list = sorted_remarks(r, s);
    *errors = *warnings = 0;
    for (int i = 0; i < list.count; i++) {
        *errors += list.data[i]->severity == ERROR;
        *warnings += list.data[i]->severity == WARNING;
    }
    array_free(&list);
}

void report_print(Text *out, const Report *r, const Sources *s) {
    RemarkList list = sorted_remarks(r, s);
    for (int i = 0; i < list.count; i++) print_remark(out, list.data[i], s, false);
    array_free(&list);
}

void report_tell(Text *out, Report *r, const Sources *s) {
    RemarkList list = sorted_remarks(r, s);
    for (int i = 0; i < list.count; i++)
        if (!list.data[i]->told) print_remark(out, list.data[i], s, false);
    for (Remark *m = r->first; m; m = m->next) m->told = true;
    array_free(&list);
}

static void json_remark(Text *out, const Remark *m, const Sources *s) {
    text_printf(out, "{\"severity\": \"%s\", \"code\": \"%s\", ", severity_word[m->severity],
                code_info(m->code)->text);
    if (m->pos.file) {
        LineColumn lc = source_line_column(s, m->pos);
        text_add(out, "\"file\": ");
        text_json(out, source_name(s, m->pos.file));
        text_printf(out, ", \"line\": %d, \"column\": %d, ", lc.line, lc.column);
    }
    text_add(out, "\"message\": ");
    text_json(out, m->message);
    if (m->help) {
        text_add(out, ", \"help\": ");
        text_json(out, m->help);
    }
    if (m->first_note) {
        text_add(out, ", \"notes\": [");
        for (const Remark *n = m->first_note; n; n = n->next) {
            json_remark(out, n, s);
            if (n->next) text_add(out, ", ");
        }
        text_char(out, ']');
    }
    text_char(out, '}');
}

void report_json(Text *out, const Report *r, const Sources *s) {
    RemarkList list = sorted_remarks(r, s);
    text_char(out, '[');
    for (int i = 0; i < list.count; i++) {
        if (i) text_add(out, ",\n ");
        json_remark(out, list.data[i], s);
    }
    text_char(out, ']');
    array_free(&list);
}
