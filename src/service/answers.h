// What an editor asks about a document. Offsets are bytes of its text.
#ifndef BONDYN_SERVICE_ANSWERS_H
#define BONDYN_SERVICE_ANSWERS_H

#include "service/describe.h"

// Markdown about the name at a place, which reaches from *from to *to: its declaration, value,
// equations, and who sets effort and flow. False: there is nothing to say.
bool hover_at(Text *out, Document *d, uint32_t at, uint32_t *from, uint32_t *to);

// --- completion ----------------------------------------------------------------------------------

typedef enum {
    OFFER_KEYWORD,
    OFFER_CLASS,
    OFFER_ELEMENT,
    OFFER_FUNCTION,
    OFFER_VARIABLE,
    OFFER_PARAMETER,
    OFFER_PORT,
    OFFER_COMPONENT,
    OFFER_UNIT,
    OFFER_FILE,
} OfferKind;

typedef struct {
    OfferKind kind;
    const char *word;
    const char *insert; // what is put in; NULL: the word
    const char *detail; // one line; may be NULL
    const char *text;   // description; may be NULL
    const char *import; // has to be imported besides; NULL: nothing
} Offer;

typedef struct {
    Arena arena;
    ARRAY(Offer) list;
    uint32_t from; // where the word begins that is being written
} Offers;

Offers completion_at(Document *d, uint32_t at);
void offers_free(Offers *o);

// --- lists ---------------------------------------------------------------------------------------

typedef struct {
    const AstClass *class;
    const AstItem *item; // NULL: the class itself
    uint32_t at, end;    // of the name
    uint32_t from, to;   // of all of it
} Symbol;
typedef ARRAY(Symbol) SymbolList;
SymbolList symbols_of(Analysis *a); // each class before its items

typedef enum {
    TINT_KEYWORD,
    TINT_COMMENT,
    TINT_STRING,
    TINT_NUMBER,
    TINT_UNIT,
    TINT_OPERATOR,
    TINT_TYPE,
    TINT_FUNCTION,
    TINT_PARAMETER,
    TINT_VARIABLE,
    TINT_PROPERTY,
    TINT_NAMESPACE,
    TINT_COUNT
} Tint;

typedef struct {
    uint32_t at, end;
    Tint tint;
    bool declares;
    bool fixed; // parameters and constants
} Tinted;
typedef ARRAY(Tinted) Tints;
Tints tints_of(Document *d);

typedef struct { // the stroke of a bond as a hint behind its end
    uint32_t at;
    char label[8];
    char *reason; // on the heap
} Hint;
typedef ARRAY(Hint) Hints;
Hints hints_of(Document *d, uint32_t from, uint32_t to);
void hints_free(Hints *h);

// --- remedies ------------------------------------------------------------------------------------

typedef struct {
    uint32_t at, end; // of the document
    const char *text;
} Edit;

typedef struct {
    const Remark *remark;
    char *title; // on the heap
    Edit edit[2];
    int edit_count;
} Remedy;
typedef ARRAY(Remedy) Remedies;
// What mends the remarks whose places are between `from` and `to`.
Remedies remedies_of(Document *d, uint32_t from, uint32_t to);
void remedies_free(Remedies *r);

uint32_t import_place(const Analysis *a); // where a further import belongs

#endif
