// Text -> tokens, one at a time.
//
// A newline is a token only where it ends a statement: not inside ( ) and [ ], and not after an
// operator, a comma or an arrow. `{...}` is one token, a unit. Slips that have one clear meaning
// (`**` for `^`, `&&` for `and`) are reported and read as meant; what has none becomes TOKEN_BAD.
#ifndef BONDYN_LANG_LEXER_H
#define BONDYN_LANG_LEXER_H

#include "base/keywords.h"
#include "base/names.h"
#include "base/report.h"
#include "base/source.h"
#include <stdbool.h>

typedef enum {
    TOKEN_END_OF_FILE,
    TOKEN_NEWLINE,
    TOKEN_NAME,   // name
    TOKEN_NUMBER, // number
    TOKEN_STRING, // name = the text between the quotes
    TOKEN_UNIT,   // name = the text between the braces
    TOKEN_OPEN,   // (
    TOKEN_CLOSE,  // )
    TOKEN_OPEN_SQUARE,
    TOKEN_CLOSE_SQUARE,
    TOKEN_COMMA,
    TOKEN_SEMICOLON,
    TOKEN_COLON,
    TOKEN_DOT,
    TOKEN_DOTS,  // .. between the ends of a range
    TOKEN_QUOTE, // ' transpose
    TOKEN_ARROW, // ->
    TOKEN_EQUALS,
    TOKEN_ASSIGN, // := which is no operator here, but often meant as =
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_STAR,
    TOKEN_SLASH,
    TOKEN_CARET,
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_LT,
    TOKEN_LE,
    TOKEN_GT,
    TOKEN_GE,
#define WORD(id, text) TOKEN_##id,
    KEYWORDS(WORD)
#undef WORD
        TOKEN_BAD, // reported already
} TokenKind;

typedef struct {
    TokenKind kind;
    bool first;       // first on its line
    uint32_t at, end; // bytes of the source
    Name name;
    double number;
} Token;

typedef struct {
    const char *text; // ends with 0
    uint32_t length, at, file;
    int brackets;      // open ( and [
    bool continues;    // the last token asks for more: a newline is a blank
    bool line_started; // a token of this line was seen
    bool quiet;        // skipping text that is in error already: report nothing
    Names *names;
    Report *report;
} Lexer;

// Ready to read `source`. False when it is no text at all (the report says so).
bool lexer_open(Lexer *l, Names *names, const Sources *sources, uint32_t source, Report *r);
Token lexer_next(Lexer *l);
void lexer_return_to(Lexer *l, Token t); // so that lexer_next gives `t` again, outside of brackets

// The next pattern of a `record` statement: a path with * in it. TOKEN_BAD when there is none.
Token lexer_pattern(Lexer *l);

const char *token_text(TokenKind kind); // "->", "elseif"; NULL for names, numbers and such
bool token_is_keyword(TokenKind kind);

#endif
