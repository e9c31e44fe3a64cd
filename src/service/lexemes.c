// See lexemes.h. Tokens come from the lexer of the language; comments and empty lines are read from
// the gaps between them.
#include "service/lexemes.h"

#include <string.h>

typedef struct {
    Lexer lexer;
    Lexemes list;
    uint32_t at;    // up to here all is in the list
    bool new_line;  // nothing of this line is in the list yet
    int blanks;     // empty lines since the last piece
    bool new_start; // the next token starts a statement
} Reader;

static void add(Reader *r, Lexeme piece) {
    piece.line = r->new_line;
    piece.blanks = r->blanks;
    array_push(&r->list, piece);
    r->new_line = false;
    r->blanks = 0;
    r->at = piece.end;
}

static uint32_t comment_end(const char *text, uint32_t at, uint32_t to) {
    while (at < to && text[at] != '\n' && text[at] != '\r') at++;
    return at;
}

static uint32_t without_blanks(const char *text, uint32_t from, uint32_t to) {
    while (to > from && (text[to - 1] == ' ' || text[to - 1] == '\t')) to--;
    return to;
}

// Comments and ends of lines from where the list ends up to `to`.
static void read_gap(Reader *r, uint32_t to) {
    const char *text = r->lexer.text;
    for (uint32_t at = r->at; at < to;) {
        char c = text[at];
        if (c == '\n' || (c == '\r' && text[at + 1] != '\n')) {
            if (r->new_line) r->blanks++;
            r->new_line = true;
            at++;
        } else if ((c == '/' && text[at + 1] == '/') || c == '#') {
            uint32_t end = comment_end(text, at, to);
            add(r, (Lexeme){.comment = true, .at = at, .end = without_blanks(text, at, end)});
            at = end;
        } else {
            at++;
        }
    }
    r->at = to;
}

static void add_token(Reader *r, Token t) {
    read_gap(r, t.at);
    add(r, (Lexeme){.kind = t.kind, .starts = r->new_start, .at = t.at, .end = t.end});
    r->new_start = false;
}

// Behind `record` stand patterns, which are no tokens. Gives the token behind the last one.
static Token read_patterns(Reader *r) {
    for (;;) {
        Token t = lexer_pattern(&r->lexer);
        if (t.end > t.at) add_token(r, t);
        t = lexer_next(&r->lexer);
        if (t.kind != TOKEN_COMMA) return t;
        add_token(r, t);
    }
}

Lexemes lexemes_of(const char *text, size_t length, Report *report) {
    Names *names = names_new();
    Sources *sources = sources_new();
    uint32_t source = sources_add(sources, "text", text, length);
    Reader r = {.new_line = true, .new_start = true};
    if (lexer_open(&r.lexer, names, sources, source, report)) {
        TokenKind statement = TOKEN_NEWLINE; // the first token of the present one
        r.at = r.lexer.at;
        Token t = lexer_next(&r.lexer);
        while (t.kind != TOKEN_END_OF_FILE) {
            if (t.kind == TOKEN_NEWLINE) {
                r.new_start = true;
                t = lexer_next(&r.lexer);
                continue;
            }
            if (r.new_start) statement = t.kind;
            bool record = r.new_start && t.kind == TOKEN_RECORD;
            bool when = statement == TOKEN_WHEN || statement == TOKEN_ELSEWHEN;
            add_token(&r, t);
            // the newline behind the `then` of a `when` does count
            if (when && t.kind == TOKEN_THEN && !r.lexer.brackets) r.lexer.continues = false;
            t = record ? read_patterns(&r) : lexer_next(&r.lexer);
        }
        read_gap(&r, t.at);
    }
    sources_free(sources);
    names_free(names);
    return r.list;
}
