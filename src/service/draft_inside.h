// What draft.c and draft_change.c share: statements by their lexemes.
#ifndef BONDYN_SERVICE_DRAFT_INSIDE_H
#define BONDYN_SERVICE_DRAFT_INSIDE_H

#include "service/draft.h"

int draft_statement(const Draft *d, uint32_t at);       // its first lexeme; -1: none
int draft_statement_end(const Draft *d, int statement); // its last one that is no comment

typedef struct { // ends between two arrows
    int first, count;
} BondGroup;

typedef struct {     // a, b -> c -> d
    int first, last; // lexemes
    ARRAY(Span) end;
    ARRAY(BondGroup) group;
} BondStatement;

BondStatement bond_statement(const Draft *d, int first);
void bond_statement_free(BondStatement *s);

#endif
