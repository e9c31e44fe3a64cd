// The pieces of a text in order, comments included: what the formatter and the colours of an editor
// go by. The parser sees the same tokens without the comments.
#ifndef BONDYN_SERVICE_LEXEMES_H
#define BONDYN_SERVICE_LEXEMES_H

#include "base/array.h"
#include "lang/lexer.h"

typedef struct {
    TokenKind kind;
    bool comment; // `kind` says nothing then
    bool starts;  // the first token of a statement
    bool line;    // the first piece on its line
    int blanks;   // empty lines before it
    uint32_t at, end;
} Lexeme;

typedef ARRAY(Lexeme) Lexemes;

// All pieces; newlines are not among them. What is wrong is in the report. Free with array_free.
Lexemes lexemes_of(const char *text, size_t length, Report *r);

#endif
