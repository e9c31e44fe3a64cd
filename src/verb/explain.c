// explain: the codes of base/codes/*.def, one in full or all by title.
#include "verb/verb.h"

#include <ctype.h>
#include <string.h>

static void code_json(Text *t, const CodeInfo *code) {
    json_open(t, '{');
    json_text_of(t, "code", code->text);
    json_text_of(t, "title", code->title);
    json_text_of(t, "explanation", code->explanation);
    json_text_of(t, "example", code->example);
    json_close(t, '}');
}

// Words of `text` in lines of at most 80 letters; line ends in the text stay.
static void print_wrapped(Text *t, const char *text) {
    enum { WIDEST = 80 };
    size_t column = 0;
    while (*text) {
        size_t word = strcspn(text, " \n");
        if (column && column + 1 + word > WIDEST) {
            text_char(t, '\n');
            column = 0;
        } else if (column) {
            text_char(t, ' ');
            column++;
        }
        text_add_n(t, text, word);
        column += word;
        text += word;
        if (*text == '\n') {
            text_char(t, '\n');
            column = 0;
        }
        text += *text != 0;
    }
    text_char(t, '\n');
}

static void print_code(Text *t, const CodeInfo *code) {
    text_printf(t, "%s: %s\n\n", code->text, code->title);
    print_wrapped(t, code->explanation);
    if (!*code->example) return;
    text_add(t, "\nexample\n");
    for (const char *line = code->example; *line;) {
        size_t length = strcspn(line, "\n");
        text_add(t, "    ");
        text_add_n(t, line, length);
        text_char(t, '\n');
        line += length + (line[length] == '\n');
    }
}

static const char *code_text_at(const void *of, int i) {
    (void)of;
    return code_info((Code)i)->text;
}

static ExitCode list_codes(Session *s) {
    if (s->json) {
        json_key(&s->out, "codes");
        json_open(&s->out, '[');
    }
    for (int i = 0; i < CODE_COUNT; i++) {
        const CodeInfo *code = code_info((Code)i);
        if (s->json)
            code_json(&s->out, code);
        else
            text_printf(&s->out, "%s  %s\n", code->text, code->title);
    }
    if (s->json) json_close(&s->out, ']');
    return EXIT_GOOD;
}

ExitCode verb_explain(Session *s) {
    const char *asked = session_argument(s, 0);
    if (!asked) return list_codes(s);
    char *upper = arena_copy_text(&s->arena, asked, strlen(asked));
    for (char *c = upper; *c; c++) *c = (char)toupper((unsigned char)*c);
    const CodeInfo *code = code_find(upper);
    if (!code) {
        Remark *m = report_error(&s->report, T_NO_CODE, POS_NONE, "there is no code '%s'", asked);
        const char *near = nearest_word(upper, CODE_COUNT, code_text_at, NULL);
        if (near)
            remark_help(&s->report, m, "did you mean %s? 'bondyn explain' lists all codes", near);
        else
            remark_help(&s->report, m, "'bondyn explain' lists all codes");
        return EXIT_USAGE;
    }
    if (s->json) {
        json_key(&s->out, "code");
        code_json(&s->out, code);
    } else {
        print_code(&s->out, code);
    }
    return EXIT_GOOD;
}
