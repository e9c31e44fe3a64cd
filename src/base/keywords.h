// The keywords of the language. They stand here, as stages before the language write text in it:
// names of others that are keywords get another form there.
#ifndef BONDYN_BASE_KEYWORDS_H
#define BONDYN_BASE_KEYWORDS_H

#include <stdbool.h>

// WORD(id, text), in the order of the alphabet for the search.
#define KEYWORDS(WORD)                                                                             \
    WORD(AND, "and")                                                                               \
    WORD(ASSERT, "assert")                                                                         \
    WORD(CAUSALITY, "causality")                                                                   \
    WORD(CONST, "const")                                                                           \
    WORD(DER, "der")                                                                               \
    WORD(DISSIPATES, "dissipates")                                                                 \
    WORD(DOMAIN, "domain")                                                                         \
    WORD(ELEMENT, "element")                                                                       \
    WORD(ELSE, "else")                                                                             \
    WORD(ELSEIF, "elseif")                                                                         \
    WORD(ELSEWHEN, "elsewhen")                                                                     \
    WORD(END, "end")                                                                               \
    WORD(EXPECT, "expect")                                                                         \
    WORD(EXPERIMENT, "experiment")                                                                 \
    WORD(EXTENDS, "extends")                                                                       \
    WORD(FALSE, "false")                                                                           \
    WORD(FOR, "for")                                                                               \
    WORD(FUNCTION, "function")                                                                     \
    WORD(IF, "if")                                                                                 \
    WORD(IMPORT, "import")                                                                         \
    WORD(IN, "in")                                                                                 \
    WORD(INITIAL, "initial")                                                                       \
    WORD(INPUT, "input")                                                                           \
    WORD(LAGRANGIAN, "lagrangian")                                                                 \
    WORD(LOSSLESS, "lossless")                                                                     \
    WORD(MECHANISM, "mechanism")                                                                   \
    WORD(MODEL, "model")                                                                           \
    WORD(NOT, "not")                                                                               \
    WORD(OF, "of")                                                                                 \
    WORD(OR, "or")                                                                                 \
    WORD(OUTPUT, "output")                                                                         \
    WORD(PARAM, "param")                                                                           \
    WORD(PLOT, "plot")                                                                             \
    WORD(PORT, "port")                                                                             \
    WORD(RECORD, "record")                                                                         \
    WORD(SET, "set")                                                                               \
    WORD(SOLVER, "solver")                                                                         \
    WORD(START, "start")                                                                           \
    WORD(STOP, "stop")                                                                             \
    WORD(STORES, "stores")                                                                         \
    WORD(SUPPLIES, "supplies")                                                                     \
    WORD(TABLE, "table")                                                                           \
    WORD(THEN, "then")                                                                             \
    WORD(TIME, "time")                                                                             \
    WORD(TRUE, "true")                                                                             \
    WORD(VAR, "var")                                                                               \
    WORD(WHEN, "when")                                                                             \
    WORD(WITHIN, "within")

bool is_keyword(const char *word);

#endif
