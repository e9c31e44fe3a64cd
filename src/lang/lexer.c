#include "lang/lexer.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 200, LARGEST_FILE = INT_MAX };

static const char *const token_texts[] = {
    [TOKEN_OPEN] = "(",
    [TOKEN_CLOSE] = ")",
    [TOKEN_OPEN_SQUARE] = "[",
    [TOKEN_CLOSE_SQUARE] = "]",
    [TOKEN_COMMA] = ",",
    [TOKEN_SEMICOLON] = ";",
    [TOKEN_COLON] = ":",
    [TOKEN_DOT] = ".",
    [TOKEN_DOTS] = "..",
    [TOKEN_QUOTE] = "'",
    [TOKEN_ARROW] = "->",
    [TOKEN_EQUALS] = "=",
    [TOKEN_ASSIGN] = ":=",
    [TOKEN_PLUS] = "+",
    [TOKEN_MINUS] = "-",
    [TOKEN_STAR] = "*",
    [TOKEN_SLASH] = "/",
    [TOKEN_CARET] = "^",
    [TOKEN_EQ] = "==",
    [TOKEN_NE] = "!=",
    [TOKEN_LT] = "<",
    [TOKEN_LE] = "<=",
    [TOKEN_GT] = ">",
    [TOKEN_GE] = ">=",
#define WORD(id, text) [TOKEN_##id] = (text),
    KEYWORDS(WORD)
#undef WORD
        [TOKEN_BAD] = NULL,
};

const char *token_text(TokenKind kind) { return token_texts[kind]; }

bool token_is_keyword(TokenKind kind) { return kind >= TOKEN_AND && kind <= TOKEN_WITHIN; }

// After these the statement goes on in the next line.
static bool asks_for_more(TokenKind kind) {
    switch (kind) {
    case TOKEN_COMMA:
    case TOKEN_COLON:
    case TOKEN_ARROW:
    case TOKEN_EQUALS:
    case TOKEN_ASSIGN:
    case TOKEN_PLUS:
    case TOKEN_MINUS:
    case TOKEN_STAR:
    case TOKEN_SLASH:
    case TOKEN_CARET:
    case TOKEN_EQ:
    case TOKEN_NE:
    case TOKEN_LT:
    case TOKEN_LE:
    case TOKEN_GT:
    case TOKEN_GE:
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_NOT:
    case TOKEN_THEN: return true;
    default: return false;
    }
}

// --- letters: plain ASCII, whatever the locale says ---------------------------------------------

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }

// How many bytes the UTF-8 letter at s has (n bytes are left); 0 when it is none.
static size_t utf8_length(const unsigned char *s, size_t n) {
    size_t length = s[0] < 0x80   ? 1
                    : s[0] < 0xc2 ? 0
                    : s[0] < 0xe0 ? 2
                    : s[0] < 0xf0 ? 3
                    : s[0] < 0xf5 ? 4
                                  : 0;
    if (length > n) return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
    if (s[0] == 0xf0 && s[1] < 0x90) return 0;
    return length;
}

static bool is_control(unsigned char c) {
    return (c < 0x20 && !(c >= '\t' && c <= '\r')) || c == 0x7f;
}

// One look at the whole text, so the rest can trust it.
static bool check_text(const Lexer *l) {
    const unsigned char *s = (const unsigned char *)l->text;
    uint32_t strange = 0; // the first byte that is not UTF-8, counted from 1
    for (uint32_t i = 0; i < l->length;) {
        if (is_control(s[i])) {
            Remark *m = report_error(l->report, P_NOT_TEXT, ((Pos){l->file, i}),
                                     "this is not text: it holds a byte of value %d", s[i]);
            remark_help(l->report, m, "model files are plain text, saved as UTF-8");
            return false;
        }
        size_t length = utf8_length(s + i, l->length - i);
        if (!length && !strange) strange = i + 1;
        i += length ? (uint32_t)length : 1;
    }
    if (strange) {
        Remark *m =
            report_error(l->report, P_NOT_UTF8, ((Pos){l->file, strange - 1}),
                         "the byte of value %d here is not part of a UTF-8 text", s[strange - 1]);
        remark_help(l->report, m, "save the file with the encoding UTF-8");
    }
    return true;
}

bool lexer_open(Lexer *l, Names *names, const Sources *sources, uint32_t source, Report *r) {
    size_t length;
    *l = (Lexer){.file = source, .names = names, .report = r};
    l->text = source_text(sources, source, &length);
    if (length > LARGEST_FILE) {
        Remark *m = report_error(r, P_FILE_TOO_LARGE, ((Pos){source, 0}),
                                 "the file is too large: %zu bytes", length);
        remark_help(r, m, "write repeated parts with 'for'");
        return false;
    }
    l->length = (uint32_t)length;
    if (length >= 3 && memcmp(l->text, "\xef\xbb\xbf", 3) == 0) l->at = 3; // byte order mark
    return check_text(l);
}

static Remark *lex_error(Lexer *l, Code code, uint32_t at, const char *message, const char *help) {
    if (l->quiet) return NULL;
    Remark *m = report_error(l->report, code, ((Pos){l->file, at}), "%s", message);
    remark_help(l->report, m, "%s", help);
    return m;
}

// --- the kinds of tokens ------------------------------------------------------------------------

static void skip_line(Lexer *l) {
    while (l->at < l->length && l->text[l->at] != '\n') l->at++;
}

static bool skip_comment(Lexer *l) {
    const char *s = l->text + l->at;
    if (s[0] == '/' && s[1] == '/') {
        skip_line(l);
    } else if (s[0] == '#') {
        lex_error(l, P_FOREIGN_SIGN, l->at, "'#' starts no comment here",
                  "comments begin with // and go to the end of the line");
        skip_line(l);
    } else if (s[0] == '/' && s[1] == '*') {
        lex_error(l, P_FOREIGN_SIGN, l->at, "'/*' starts no comment here",
                  "comments begin with // and go to the end of the line");
        const char *end = strstr(s, "*/");
        l->at = end ? (uint32_t)(end - l->text) + 2 : l->length;
    } else {
        return false;
    }
    return true;
}

// Blanks, comments and the newlines that end nothing. True at a newline that ends a statement.
static bool skip_blanks(Lexer *l) {
    for (; l->at < l->length;) {
        char c = l->text[l->at];
        if (c == '\n' || (c == '\r' && l->text[l->at + 1] != '\n')) {
            bool ends = l->line_started && !l->brackets && !l->continues;
            if (ends) return true;
            l->line_started = false;
            l->at++;
        } else if (is_blank(c) || c == '\r') {
            l->at++;
        } else if (!skip_comment(l)) {
            return false;
        }
    }
    return false;
}

static TokenKind keyword_or_name(const char *word, size_t length) {
    int low = TOKEN_AND, high = TOKEN_WITHIN;
    while (low <= high) {
        int middle = (low + high) / 2;
        int order = strncmp(word, token_texts[middle], length);
        if (!order && token_texts[middle][length]) order = -1;
        if (!order) return (TokenKind)middle;
        if (order < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    return TOKEN_NAME;
}

static void lex_word(Lexer *l, Token *t) {
    while (is_word(l->text[l->at])) l->at++;
    size_t length = l->at - t->at;
    t->kind = keyword_or_name(l->text + t->at, length);
    if (length > LONGEST_NAME) {
        lex_error(l, P_NAME_TOO_LONG, t->at, "this name has more than 200 letters",
                  "shorten it; a description can say the rest");
        t->kind = TOKEN_BAD;
        return;
    }
    if (t->kind == TOKEN_NAME) t->name = name_of_n(l->names, l->text + t->at, length);
}

static void skip_digits(Lexer *l) {
    while (is_digit(l->text[l->at])) l->at++;
}

static double number_value(const char *text, size_t length) {
    char small[64], *copy = length < sizeof small ? small : malloc(length + 1);
    if (!copy) abort();
    memcpy(copy, text, length);
    copy[length] = 0;
    double x = strtod(copy, NULL);
    if (copy != small) free(copy);
    return x;
}

static bool has_nonzero_digit(const char *text, size_t length) {
    for (size_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++)
        if (text[i] >= '1' && text[i] <= '9') return true;
    return false;
}

static void check_number(Lexer *l, Token *t) {
    size_t length = t->end - t->at;
    if (isinf(t->number)) {
        lex_error(l, P_NUMBER_TOO_LARGE, t->at, "this number is too large",
                  "the largest number is about 1.8e308");
        t->number = 1;
    } else if (!isnormal(t->number) && has_nonzero_digit(l->text + t->at, length) && !l->quiet) {
        Remark *m = report_warning(l->report, P_NUMBER_TOO_SMALL, ((Pos){l->file, t->at}),
                                   "the number '%.*s' is too small to keep all its digits",
                                   length < 40 ? (int)length : 40, l->text + t->at);
        remark_help(l->report, m, "numbers closer to zero than 2.2e-308 lose digits; write 0?");
    }
}

// number = (digits ["." digits] | "." digits) [("e"|"E") ["+"|"-"] digits]
static void lex_number(Lexer *l, Token *t) {
    const char *s = l->text;
    t->kind = TOKEN_NUMBER;
    skip_digits(l);
    if (s[l->at] == '.' && is_digit(s[l->at + 1])) {
        l->at++;
        skip_digits(l);
    }
    if (s[l->at] == 'e' || s[l->at] == 'E') {
        uint32_t digits = l->at + 1;
        if (s[digits] == '+' || s[digits] == '-') digits++;
        if (is_digit(s[digits])) l->at = digits, skip_digits(l);
    }
    t->end = l->at;
    t->number = number_value(s + t->at, t->end - t->at);
    check_number(l, t);
    bool range = s[l->at] == '.' && s[l->at + 1] == '.';
    if (!range && (is_letter(s[l->at]) || s[l->at] == '_' || s[l->at] == '.')) {
        bool dot = s[l->at] == '.';
        lex_error(l, P_NUMBER_FORM, t->at,
                  dot ? "a number cannot end with a point" : "a number runs into a name here",
                  dot ? "write 2.0 or 2 instead of 2."
                      : "put an operator or a blank between them, as in 2*x");
        t->kind = TOKEN_BAD;
        while (is_word(s[l->at]) || s[l->at] == '.') l->at++;
    }
}

static void lex_string(Lexer *l, Token *t) {
    const char *s = l->text;
    uint32_t from = ++l->at;
    while (l->at < l->length && s[l->at] != '"' && s[l->at] != '\n' && s[l->at] != '\r') l->at++;
    t->kind = TOKEN_STRING;
    t->name = name_of_n(l->names, s + from, l->at - from);
    if (s[l->at] == '"') {
        l->at++;
    } else {
        lex_error(l, P_UNCLOSED_STRING, t->at, "this string has no closing quote",
                  "a string ends in its own line: put a \" at its end");
        t->kind = TOKEN_BAD;
    }
}

static bool ends_unit(char c) { return c == 0 || strchr("{}\"=,;:[]>", c); }

static void lex_unit(Lexer *l, Token *t) {
    const char *s = l->text;
    uint32_t from = ++l->at;
    while (!ends_unit(s[l->at])) l->at++;
    uint32_t to = l->at;
    t->kind = TOKEN_UNIT;
    if (s[l->at] == '}') {
        l->at++;
    } else {
        for (to = from; s[to] && s[to] != '\n' && !ends_unit(s[to]);) to++;
        l->at = to;
        lex_error(l, P_UNCLOSED_UNIT, t->at, "this unit has no closing brace",
                  "a unit stands between { and }, as in 5 {m/s}");
    }
    while (from < to && (is_blank(s[from]) || s[from] == '\n' || s[from] == '\r')) from++;
    while (from < to && (is_blank(s[to - 1]) || s[to - 1] == '\n' || s[to - 1] == '\r')) to--;
    t->name = name_of_n(l->names, s + from, to - from);
}

typedef struct {
    char text[4];
    TokenKind kind;
    const char *meant; // not NULL: a sign of another language
} Sign;

static const Sign signs[] = {
    {"->", TOKEN_ARROW, NULL}, {"==", TOKEN_EQ, NULL},         {"!=", TOKEN_NE, NULL},
    {"<=", TOKEN_LE, NULL},    {">=", TOKEN_GE, NULL},         {":=", TOKEN_ASSIGN, NULL},
    {"**", TOKEN_CARET, "^"},  {"&&", TOKEN_AND, "and"},       {"||", TOKEN_OR, "or"},
    {"~=", TOKEN_NE, "!="},    {"<>", TOKEN_NE, "!="},         {"(", TOKEN_OPEN, NULL},
    {")", TOKEN_CLOSE, NULL},  {"[", TOKEN_OPEN_SQUARE, NULL}, {"]", TOKEN_CLOSE_SQUARE, NULL},
    {",", TOKEN_COMMA, NULL},  {";", TOKEN_SEMICOLON, NULL},   {":", TOKEN_COLON, NULL},
    {"..", TOKEN_DOTS, NULL},  {".", TOKEN_DOT, NULL},         {"'", TOKEN_QUOTE, NULL},
    {"=", TOKEN_EQUALS, NULL}, {"+", TOKEN_PLUS, NULL},        {"-", TOKEN_MINUS, NULL},
    {"*", TOKEN_STAR, NULL},   {"/", TOKEN_SLASH, NULL},       {"^", TOKEN_CARET, NULL},
    {"<", TOKEN_LT, NULL},     {">", TOKEN_GT, NULL},          {"!", TOKEN_NOT, "not"},
    {"&", TOKEN_AND, "and"},   {"|", TOKEN_OR, "or"},          {"~", TOKEN_NOT, "not"},
};

// What people paste from documents, and what they should type.
static const struct {
    const char *letter, *type;
} look_alikes[] = {
    {"\xe2\x88\x92", "-"},  {"\xe2\x80\x93", "-"},  {"\xe2\x80\x94", "-"},  {"\xe2\x80\x9c", "\""},
    {"\xe2\x80\x9d", "\""}, {"\xe2\x80\x9e", "\""}, {"\xe2\x80\x98", "'"},  {"\xe2\x80\x99", "'"},
    {"\xc3\x97", "*"},      {"\xc2\xb7", "*"},      {"\xe2\x8b\x85", "*"},  {"\xc2\xb2", "^2"},
    {"\xc2\xb3", "^3"},     {"\xe2\x86\x92", "->"}, {"\xe2\x89\xa4", "<="}, {"\xe2\x89\xa5", ">="},
    {"\xe2\x89\xa0", "!="}, {"\xc2\xa0", " "},      {"\xe2\x87\x80", "->"},
};

static void lex_strange(Lexer *l, Token *t) {
    const char *s = l->text + l->at;
    size_t length = utf8_length((const unsigned char *)s, l->length - l->at);
    if (!length) length = 1;
    l->at += (uint32_t)length;
    t->kind = TOKEN_BAD;
    if (l->quiet) return;
    unsigned char c = (unsigned char)s[0];
    if (c >= 0x80 && length == 1) return; // not UTF-8: said already
    Remark *m = report_error(l->report, P_STRANGE_CHARACTER, ((Pos){l->file, t->at}),
                             "'%.*s' can stand only in comments and strings", (int)length, s);
    remark_help(l->report, m, "names are made of the letters a to z, A to Z, digits and _");
    for (size_t i = 0; i < sizeof look_alikes / sizeof look_alikes[0]; i++)
        if (strncmp(s, look_alikes[i].letter, length) == 0) {
            remark_help(l->report, m, "write %s", look_alikes[i].type);
            remark_fix(l->report, m, look_alikes[i].letter, look_alikes[i].type, NULL);
        }
}

static void lex_sign(Lexer *l, Token *t) {
    const char *s = l->text + l->at;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t length = strlen(signs[i].text);
        if (strncmp(s, signs[i].text, length) != 0) continue;
        l->at += (uint32_t)length;
        t->kind = signs[i].kind;
        if (signs[i].meant && !l->quiet) {
            Remark *m = report_error(l->report, P_FOREIGN_SIGN, ((Pos){l->file, t->at}),
                                     "'%s' is not an operator of this language", signs[i].text);
            remark_help(l->report, m, "write %s", signs[i].meant);
            remark_fix(l->report, m, signs[i].text, signs[i].meant, NULL);
        }
        return;
    }
    lex_strange(l, t);
}

static void count_brackets(Lexer *l, TokenKind kind) {
    if (kind == TOKEN_OPEN || kind == TOKEN_OPEN_SQUARE) l->brackets++;
    if ((kind == TOKEN_CLOSE || kind == TOKEN_CLOSE_SQUARE) && l->brackets) l->brackets--;
}

// .5 is a number unless what stands before it could have a member, as in a.5, x[1].5, 1...5.
static bool is_fraction(const Lexer *l) {
    const char *s = l->text;
    if (s[l->at] != '.' || !is_digit(s[l->at + 1])) return false;
    char before = l->at ? s[l->at - 1] : ' ';
    return !is_word(before) && !strchr(".)]}", before);
}

Token lexer_next(Lexer *l) {
    bool newline = skip_blanks(l);
    Token t = {.at = l->at, .first = !l->line_started};
    if (newline) {
        t.kind = TOKEN_NEWLINE;
        l->at++;
        l->line_started = false;
        t.end = l->at;
        return t;
    }
    char c = l->text[l->at];
    l->line_started = true;
    if (l->at >= l->length)
        t.kind = TOKEN_END_OF_FILE;
    else if (is_letter(c))
        lex_word(l, &t);
    else if (is_digit(c) || is_fraction(l))
        lex_number(l, &t);
    else if (c == '"')
        lex_string(l, &t);
    else if (c == '{')
        lex_unit(l, &t);
    else
        lex_sign(l, &t);
    t.end = l->at;
    count_brackets(l, t.kind);
    l->continues = asks_for_more(t.kind);
    return t;
}

void lexer_return_to(Lexer *l, Token t) {
    l->at = t.at;
    l->brackets = 0;
    l->continues = false;
    l->line_started = !t.first;
}

// pattern = (letter | digit | "_" | "." | "*" | "(" | ")" | "[" ... "]")+
Token lexer_pattern(Lexer *l) {
    while (is_blank(l->text[l->at])) l->at++;
    Token t = {.kind = TOKEN_BAD, .at = l->at};
    int square = 0;
    for (;; l->at++) {
        char c = l->text[l->at];
        if (c == '[') square++;
        if (c == ']') square--;
        bool part = is_word(c) || (c && strchr(".*()[]", c)) || (square > 0 && c == ',');
        if (!part) break;
    }
    t.end = l->at;
    if (t.end > t.at) {
        t.kind = TOKEN_STRING;
        t.name = name_of_n(l->names, l->text + t.at, t.end - t.at);
    }
    l->continues = false;
    l->line_started = true;
    return t;
}
