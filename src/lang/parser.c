// Tokens, mistakes and recovery: what the grammar rules stand on, and the ways in.
#include "lang/parse.h"
#include "lang/units.h"

#include "base/files.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// --- tokens -------------------------------------------------------------------------------------

bool p_at(const Parser *p, TokenKind kind) { return p->token.kind == kind; }

bool p_at_word(const Parser *p, const char *word) {
    return p_at(p, TOKEN_NAME) && strcmp(name_text(p->names, p->token.name), word) == 0;
}

void p_advance(Parser *p) {
    if (!p->failed) p->token = lexer_next(&p->lexer);
}

bool p_accept(Parser *p, TokenKind kind) {
    if (!p_at(p, kind)) return false;
    p_advance(p);
    return true;
}

bool p_accept_word(Parser *p, const char *word) {
    if (!p_at_word(p, word)) return false;
    p_advance(p);
    return true;
}

bool p_expect(Parser *p, TokenKind kind, const char *what) {
    if (p_accept(p, kind)) return true;
    p_fail_expected(p, what);
    return false;
}

void p_skip_newlines(Parser *p) {
    while (p_accept(p, TOKEN_NEWLINE)) {}
}

Name p_accept_string(Parser *p) {
    Name text = p->token.name;
    return p_accept(p, TOKEN_STRING) ? text : 0;
}

Pos p_pos(const Parser *p, Token t) { return (Pos){p->lexer.file, t.at}; }

void *p_take(Parser *p, size_t count, size_t size) {
    enum { ALIGN = 8, PIECE = 4096 };
    size_t need = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    Pile *from = p->pile;
    if (need > PIECE / 4) return arena_alloc(from->arena, count, size);
    if (!from->room || need > from->size) {
        from->room = arena_alloc(from->arena, 1, PIECE);
        from->size = PIECE;
    }
    void *taken = from->room;
    from->room += need;
    from->size -= need;
    return taken;
}

// --- mistakes -----------------------------------------------------------------------------------

// How the message calls a token: 'x', the unit {m}, the end of the line.
static void describe(const Parser *p, Token t, char *out, size_t size) {
    enum { LONGEST = 40 };
    int length = (int)(t.end - t.at < LONGEST ? t.end - t.at : LONGEST);
    const char *text = p->lexer.text + t.at;
    const char *more = t.end - t.at > LONGEST ? "..." : "";
    switch (t.kind) {
    case TOKEN_END_OF_FILE: snprintf(out, size, "the end of the text"); break;
    case TOKEN_NEWLINE: snprintf(out, size, "the end of the line"); break;
    case TOKEN_STRING: snprintf(out, size, "the string %.*s%s", length, text, more); break;
    case TOKEN_UNIT: snprintf(out, size, "the unit %.*s%s", length, text, more); break;
    case TOKEN_NUMBER: snprintf(out, size, "the number %.*s%s", length, text, more); break;
    default:
        snprintf(out, size, "%s'%.*s%s'", token_is_keyword(t.kind) ? "the keyword " : "", length,
                 text, more);
    }
}

static Remark *add_remark(Parser *p, Code code, Token t, const char *format, va_list args) {
    if (p->given_up || report_full(p->report)) return NULL;
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    return report_error(p->report, code, p_pos(p, t), "%s", text);
}

Remark *p_complain(Parser *p, Code code, Token t, const char *format, ...) {
    if (p->failed) return NULL;
    va_list args;
    va_start(args, format);
    Remark *m = add_remark(p, code, t, format, args);
    va_end(args);
    return m;
}

static void set_failed(Parser *p) {
    p->failed = true;
    p->culprit = p->token;
    p->token.kind = TOKEN_BAD;
}

Remark *p_fail(Parser *p, Code code, Token t, const char *format, ...) {
    if (p->failed) return NULL;
    Remark *m = NULL;
    if (p->token.kind != TOKEN_BAD) {
        va_list args;
        va_start(args, format);
        m = add_remark(p, code, t, format, args);
        va_end(args);
    }
    set_failed(p);
    return m;
}

void p_help(Parser *p, Remark *m, const char *format, ...) {
    if (!m) return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    remark_help(p->report, m, "%s", text);
}

Remark *p_fail_expected(Parser *p, const char *what) {
    Token t = p->token;
    char saw[128];
    describe(p, t, saw, sizeof saw);
    Remark *m = p_fail(p, P_EXPECTED, t, "expected %s, saw %s", what, saw);
    if (t.kind == TOKEN_ASSIGN) p_help(p, m, "write = instead of :=");
    if (t.kind == TOKEN_ASSIGN && m) remark_fix(p->report, m, ":=", "=", NULL);
    return m;
}

// A name behind a number that is the name of a unit: 1 kg.
static bool at_bare_unit(const Parser *p) {
    const char *text = p->lexer.text, *bad;
    size_t at = p->token.at, bad_length;
    Unit unit;
    if (!p_at(p, TOKEN_NAME)) return false;
    while (at && text[at - 1] == ' ') at--;
    size_t end = at;
    while (at &&
           (strchr("0123456789.", text[at - 1]) || (strchr("eE+-", text[at - 1]) && at < end)))
        at--;
    bool number = at < end && text[at] >= '.' && text[at] <= '9';
    if (!number || (at && (isalpha((unsigned char)text[at - 1]) || text[at - 1] == '_')))
        return false;
    return unit_parse(text + p->token.at, p->token.end - p->token.at, &unit, &bad, &bad_length);
}

void p_expect_close(Parser *p, TokenKind kind, Token open) {
    if (p_accept(p, kind) || p->failed) return;
    bool bare_unit = at_bare_unit(p);
    char saw[128];
    describe(p, p->token, saw, sizeof saw);
    const char *sign = token_text(kind);
    Remark *m = p_fail(p, P_UNCLOSED_BRACKET, p->token, "expected '%s', saw %s", sign, saw);
    if (!m) return;
    if (bare_unit) {
        p_help(p, m, "a unit stands in braces behind its number: 1 {kg}");
        return;
    }
    remark_note(p->report, m, p_pos(p, open), "the '%s' to be closed stands here",
                token_text(open.kind));
    p_help(p, m, "put a '%s' before this, or a comma or an operator", sign);
}

Remark *p_keyword_as_name(Parser *p, const char *what) {
    const char *word = token_text(p->token.kind);
    if (p_at(p, TOKEN_IF) && strcmp(what, "an expression") == 0) {
        Remark *choice = p_fail(p, P_KEYWORD_AS_NAME, p->token, "a choice stands in brackets here");
        p_help(p, choice, "write (if condition then a else b)");
        return choice;
    }
    Remark *m = p_fail(p, P_KEYWORD_AS_NAME, p->token,
                       "expected %s, but '%s' is a keyword and cannot be a name", what, word);
    p_help(p, m, "choose another name, such as %s_ or %c%s", word, word[0] - 'a' + 'A', word + 1);
    return m;
}

Name p_expect_name(Parser *p, const char *what) {
    Name name = p->token.name;
    if (p_accept(p, TOKEN_NAME)) return name;
    if (token_is_keyword(p->token.kind))
        p_keyword_as_name(p, what);
    else
        p_fail_expected(p, what);
    return 0;
}

bool p_enter(Parser *p) {
    if (p->depth >= AST_NESTED) {
        Remark *m = p_fail(p, P_NESTED_TOO_DEEP, p->token, "nested too deeply: more than %d levels",
                           AST_NESTED);
        p_help(p, m, "give parts of it names of their own");
        return false;
    }
    p->depth++;
    return true;
}

bool p_enter_body(Parser *p) {
    if (p_enter(p)) return true;
    p->given_up = true;
    return false;
}

void p_leave(Parser *p) { p->depth--; }

// --- the ends of statements ---------------------------------------------------------------------

bool p_starts_definition(TokenKind kind) {
    switch (kind) {
    case TOKEN_MODEL:
    case TOKEN_ELEMENT:
    case TOKEN_MECHANISM:
    case TOKEN_LAGRANGIAN:
    case TOKEN_EXPERIMENT:
    case TOKEN_FUNCTION:
    case TOKEN_TABLE:
    case TOKEN_DOMAIN:
    case TOKEN_IMPORT: return true;
    default: return false;
    }
}

bool p_stopped(const Parser *p) {
    return p_at(p, TOKEN_END_OF_FILE) || p->given_up || report_full(p->report);
}

static bool only_in_expressions(TokenKind kind) {
    switch (kind) {
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_NOT:
    case TOKEN_IF:
    case TOKEN_THEN:
    case TOKEN_TIME:
    case TOKEN_TRUE:
    case TOKEN_FALSE:
    case TOKEN_DER:
    case TOKEN_IN:
    case TOKEN_OF:
    case TOKEN_WITHIN: return true;
    default: return false;
    }
}

// Can only be the start of a statement, even if a bracket is open: `param`, `R name`, `1 v`.
static bool surely_starts_statement(Parser *p) {
    TokenKind kind = p->token.kind;
    if (token_is_keyword(kind)) return !only_in_expressions(kind);
    if (kind != TOKEN_NAME && kind != TOKEN_NUMBER) return false;
    Lexer ahead = p->lexer;
    ahead.brackets = 0;
    return lexer_next(&ahead).kind == TOKEN_NAME;
}

// After a mistake: skips to the end of the statement. Inside an open bracket that end is not known;
// then a line that can only begin a statement ends it, too.
void p_recover(Parser *p, Token start) {
    p->token = p->culprit;
    p->failed = false;
    p->lexer.quiet = true;
    while (!p_at(p, TOKEN_END_OF_FILE)) {
        bool new_line = p->token.first && p->token.at > start.at;
        if (new_line && surely_starts_statement(p)) break;
        if (p_at(p, TOKEN_NEWLINE) && !p->lexer.brackets) break;
        p_advance(p);
    }
    p->lexer.quiet = false;
    if (!p_at(p, TOKEN_NEWLINE)) {
        lexer_return_to(&p->lexer, p->token);
        p_advance(p);
    }
    p_skip_newlines(p);
}

void p_end_statement(Parser *p, Token start) {
    if (p_at(p, TOKEN_SEMICOLON)) {
        Remark *m = p_complain(p, P_SEMICOLON, p->token, "a statement ends without ';'");
        p_help(p, m, "remove the semicolon and put each statement on a line of its own");
        p_advance(p);
        if (!p_at(p, TOKEN_NEWLINE) && !p_at(p, TOKEN_END_OF_FILE)) return;
    }
    if (!p_at(p, TOKEN_NEWLINE) && !p_at(p, TOKEN_END_OF_FILE)) {
        Remark *m = p_fail_expected(p, "the end of the line");
        p_help(
            p, m,
            p_at(p, TOKEN_COLON)
                ? "no ':' stands here; it comes after the kind of a joint and before laws"
                : "a comma or an operator may be missing, or a line break before a new statement");
    }
    if (p->failed) p_recover(p, start);
    p_skip_newlines(p);
}

// --- bodies -------------------------------------------------------------------------------------

static bool at_else(const Parser *p) { return p_at(p, TOKEN_ELSE) || p_at(p, TOKEN_ELSEIF); }

static bool at_divider(const Parser *p) {
    return (at_else(p) && p->open_ifs) || (p_at(p, TOKEN_ELSEWHEN) && p->open_whens);
}

static void stray_else(Parser *p) {
    bool when = p_at(p, TOKEN_ELSEWHEN);
    Remark *m = p_fail(p, P_STRAY_END, p->token, "'%s' without %s", token_text(p->token.kind),
                       when ? "a 'when'" : "an 'if'");
    p_help(p, m, "an 'end' above may have closed the '%s' too early", when ? "when" : "if");
}

// body = {statement NEWLINE}, up to end, the next definition, or an else of an open if or when
ItemList parse_body(Parser *p, void (*statement)(Parser *, ItemList *)) {
    ItemList list = {0};
    p_skip_newlines(p);
    while (!p_at(p, TOKEN_END) && !p_stopped(p)) {
        if (p_skip_inner_definition(p)) continue;
        if (p_starts_definition(p->token.kind) || at_divider(p)) break;
        Token start = p->token;
        if (at_else(p) || p_at(p, TOKEN_ELSEWHEN))
            stray_else(p);
        else
            statement(p, &list);
        p_end_statement(p, start);
    }
    return list;
}

int p_indentation(const Parser *p, Token t) {
    const char *s = p->lexer.text;
    uint32_t from = t.at;
    while (from > 0 && (s[from - 1] == ' ' || s[from - 1] == '\t')) from--;
    return t.first ? (int)(t.at - from) : -1;
}

static void missing_end(Parser *p, const Opener *o) {
    char saw[128], whole[300];
    describe(p, p->token, saw, sizeof saw);
    if (o->name)
        snprintf(whole, sizeof whole, "%s '%s'", o->what, name_text(p->names, o->name));
    else
        snprintf(whole, sizeof whole, "'%s'", o->what);
    Remark *m =
        p_complain(p, P_MISSING_END, p->token, "the 'end' of %s is missing: saw %s", whole, saw);
    if (!m) return;
    remark_note(p->report, m, p_pos(p, o->token), "%s begins here", whole);
    if (p->suspect.what)
        remark_note(p->report, m, p_pos(p, p->suspect.token),
                    "this '%s' is closed by an 'end' that stands further left; is its own missing?",
                    p->suspect.what);
    p_help(p, m, "close it with a line 'end'");
}

void p_close_with_end(Parser *p, const Opener *o) {
    if (!p_at(p, TOKEN_END)) {
        missing_end(p, o);
        return;
    }
    bool too_far_left = p->token.first && p_indentation(p, p->token) < p_indentation(p, o->token);
    if (too_far_left && !p->suspect.what) p->suspect = *o;
    p_advance(p);
    if (!p_at(p, TOKEN_NAME) || p->token.first) return;
    Remark *m = p_fail_expected(p, "the end of the line");
    p_help(p, m, "'end' stands alone, without the name of what it closes");
}

// --- ways in ------------------------------------------------------------------------------------

static bool open_parser(Parser *p, Arena *out, Names *names, const Sources *sources,
                        uint32_t source, Report *r) {
    *p = (Parser){.out = out, .names = names, .report = r};
    p->main.arena = p->bonds.arena = out;
    p->pile = &p->main;
    if (!lexer_open(&p->lexer, names, sources, source, r)) return false;
    p_advance(p);
    return true;
}

AstFile *parse_file(Arena *out, Names *names, const Sources *sources, uint32_t source, Report *r) {
    return parse_file_apart(out, NULL, names, sources, source, r);
}

AstFile *parse_file_apart(Arena *out, Arena *bonds, Names *names, const Sources *sources,
                          uint32_t source, Report *r) {
    AstFile *file = ARENA_NEW(out, AstFile);
    file->source = source;
    file->stem = name_of(names, path_stem(out, source_name(sources, source)));
    Parser p;
    int errors_before = r->errors;
    if (!open_parser(&p, out, names, sources, source, r)) return file;
    if (bonds) p.bonds.arena = bonds;
    file->classes = parse_definitions(&p);
    file->linear = p.linear;
    if (!file->classes && r->errors == errors_before) {
        Remark *m = report_error(r, P_EMPTY_FILE, ((Pos){source, 0}),
                                 "there is nothing to do: the file defines nothing");
        remark_help(r, m, "begin with 'model Name' and close it with 'end'");
    }
    return file;
}

// The whole text was read by the rule before this.
static bool at_end_of_text(Parser *p) {
    p_skip_newlines(p);
    if (!p_at(p, TOKEN_END_OF_FILE)) p_fail_expected(p, "the end of the text");
    return !p->failed;
}

AstExpr *parse_expression_text(Arena *out, Names *names, const Sources *sources, uint32_t source,
                               Report *r) {
    Parser p;
    int errors_before = r->errors;
    if (!open_parser(&p, out, names, sources, source, r)) return NULL;
    p.experiment = true;
    AstExpr *e = parse_expr(&p);
    return at_end_of_text(&p) && r->errors == errors_before ? e : NULL;
}

AstItem *parse_setting_text(Arena *out, Names *names, const Sources *sources, uint32_t source,
                            Report *r) {
    Parser p;
    ItemList list = {0};
    int errors_before = r->errors;
    if (!open_parser(&p, out, names, sources, source, r)) return NULL;
    parse_settings(&p, &list);
    return at_end_of_text(&p) && r->errors == errors_before ? list.first : NULL;
}
