// What an editor shows of a whole document: symbols, colours, hints.
#include "graph/explain.h"
#include "service/answers.h"
#include "service/lexemes.h"
#include <stdio.h>
#include <string.h>

// --- symbols -------------------------------------------------------------------------------------

typedef struct {
    SymbolList list;
    const Names *names;
    uint32_t source;
} SymbolWalk;

static uint32_t name_end(const SymbolWalk *w, Pos pos, Name name) {
    return pos.at + (uint32_t)strlen(name_text(w->names, name));
}

static void add_items(SymbolWalk *w, const AstClass *c, const AstItem *i) {
    for (; i; i = i->next) {
        if (declares(i) && i->pos.file == w->source) {
            uint32_t end = name_end(w, i->pos, i->name);
            array_push(&w->list, ((Symbol){c, i, i->pos.at, end, i->pos.at, end}));
        }
        if (i->kind == ITEM_FOR || i->kind == ITEM_IF) {
            add_items(w, c, i->body);
            add_items(w, c, i->otherwise);
        }
    }
}

// Where the line of a place begins.
static uint32_t line_start(const char *text, uint32_t at) {
    while (at && text[at - 1] != '\n') at--;
    return at;
}

SymbolList symbols_of(Analysis *a) {
    const AstFile *file = analysis_file(a);
    SymbolWalk w = {.names = a->names};
    if (!file) return w.list;
    size_t length;
    const char *text = source_text(a->sources, file->source, &length);
    w.source = file->source;
    for (const AstClass *c = file->classes; c; c = c->next) {
        if (c->kind == CLASS_IMPORT) continue;
        const AstClass *next = c->next;
        uint32_t to = next ? line_start(text, next->pos.at) : (uint32_t)length;
        uint32_t end = name_end(&w, c->pos, c->name), from = line_start(text, c->pos.at);
        while (to > end && (text[to - 1] == '\n' || text[to - 1] == '\r')) to--;
        array_push(&w.list, ((Symbol){c, NULL, c->pos.at, end, from, to < end ? end : to}));
        if (!c->from && c->kind != CLASS_FUNCTION && c->kind != CLASS_TABLE)
            add_items(&w, c, c->items);
    }
    return w.list;
}

// --- colours -------------------------------------------------------------------------------------

static Tint tint_of_item(const AstItem *i) {
    switch (i->kind) {
    case ITEM_PARAM:
    case ITEM_CONST: return TINT_PARAMETER;
    case ITEM_PORT: return TINT_PROPERTY;
    default: return i->set ? TINT_PARAMETER : TINT_VARIABLE;
    }
}

static Tint tint_of_meaning(const Meaning *m) {
    switch (m->kind) {
    case MEANS_CLASS:
        if (m->class->kind == CLASS_CONST) return TINT_PARAMETER;
        return m->class->kind == CLASS_FUNCTION || m->class->kind == CLASS_TABLE ? TINT_FUNCTION
                                                                                 : TINT_TYPE;
    case MEANS_ITEM: return tint_of_item(m->item);
    case MEANS_FORMAL: return TINT_PARAMETER;
    case MEANS_ELEMENT: return TINT_TYPE;
    case MEANS_VARIABLE: return TINT_PROPERTY;
    case MEANS_FUNCTION: return TINT_FUNCTION;
    case MEANS_FILE: return TINT_NAMESPACE;
    case MEANS_LOOP:
    case MEANS_LOCAL:
    case MEANS_NOTHING: break;
    }
    return TINT_VARIABLE;
}

static bool tint_of_token(TokenKind kind, Tint *tint) {
    switch (kind) {
    case TOKEN_NUMBER: *tint = TINT_NUMBER; return true;
    case TOKEN_STRING: *tint = TINT_STRING; return true;
    case TOKEN_UNIT: *tint = TINT_UNIT; return true;
    case TOKEN_ARROW:
    case TOKEN_EQUALS: *tint = TINT_OPERATOR; return true;
    default: *tint = TINT_KEYWORD; return token_is_keyword(kind);
    }
}

// Words of the language that are names elsewhere: `joint`, `mass`, `linear`, `points` ...
static bool is_plain_word(const Lexeme *p) { return p->kind == TOKEN_NAME; }

static void tint_piece(Tints *list, const Lexeme *p, const Uses *uses) {
    Tinted t = {.at = p->at, .end = p->end, .tint = TINT_COMMENT};
    const Use *u = p->comment || !is_plain_word(p) ? NULL : use_at(uses, p->at + 1);
    bool tinted = true;
    if (u && u->at == p->at) {
        t.tint = tint_of_meaning(&u->meaning);
        t.declares = u->declares;
        t.fixed = t.tint == TINT_PARAMETER;
    } else if (!p->comment) {
        t.tint = TINT_KEYWORD;
        tinted = is_plain_word(p) || tint_of_token(p->kind, &t.tint);
    }
    if (tinted) array_push(list, t);
}

Tints tints_of(Document *d) {
    Tints list = {0};
    Report quiet = {0};
    Analysis *a = document_analysis(d);
    const AstFile *file = analysis_file(a);
    Uses uses = file ? uses_of_file(a, file) : (Uses){0};
    Lexemes pieces = lexemes_of(text_get(&d->text), d->text.length, &quiet);
    for (int i = 0; i < pieces.count; i++) tint_piece(&list, &pieces.data[i], &uses);
    array_free(&pieces);
    array_free(&uses);
    report_free(&quiet);
    return list;
}

// --- strokes -------------------------------------------------------------------------------------

typedef struct {
    const Graph *g;
    const char *text;
    size_t length;
    uint32_t source, from, to;
    Hints hints;
} HintWalk;

// Behind the path that ends with this name and its index.
static uint32_t path_end(const HintWalk *w, const AstExpr *e, const Names *n) {
    uint32_t at = e->pos.at + (uint32_t)strlen(name_text(n, e->name));
    int open = 0;
    if (at < w->length && w->text[at] == '[') do {
            open += w->text[at] == '[';
            open -= w->text[at] == ']';
            at++;
        } while (at < w->length && (open || w->text[at] == '['));
    return at;
}

static Pos path_start(const AstExpr *e) {
    while (e->kind == AST_MEMBER) e = e->left;
    return e->pos;
}

// The strokes of all bonds that stand at a place: is the effort received at the end that is shown?
static void add_hint(HintWalk *w, Pos bond, uint32_t at, bool at_head) {
    int effort = 0, flow = 0, first = -1;
    for (int b = 0; b < w->g->bond_count; b++) {
        const GraphBond *k = &w->g->bond[b];
        Pos pos = w->g->model->bond[k->model_bond].pos;
        if (pos.file != bond.file || pos.at != bond.at || k->stroke == STROKE_NONE) continue;
        if (first < 0) first = b;
        bool here = (k->stroke == STROKE_AT_TO) == at_head;
        effort += here;
        flow += !here;
    }
    if (first < 0) return;
    Text reason = {0};
    graph_bond_label(&reason, w->g, first);
    text_add(&reason, ": ");
    bond_reason(&reason, w->g, first);
    if (effort + flow > 1) text_printf(&reason, " (the first of %d bonds)", effort + flow);
    Hint h = {.at = at, .reason = reason.data};
    const char *sign = !flow ? "\xe2\x8a\xa3" : !effort ? "\xe2\x8a\xa2" : "";
    snprintf(h.label, sizeof h.label, "%s%s", sign, !flow ? "e" : !effort ? "f" : "e, f");
    array_push(&w->hints, h);
}

static void hint_bond(HintWalk *w, const AstItem *i, const Names *n) {
    int tails = i->tail_count, heads = i->expr_count - tails;
    if (i->pos.file != w->source || (tails > 1 && heads > 1)) return;
    for (int k = 0; k < (heads > 1 ? heads : tails); k++) {
        const AstExpr *tail = i->exprs[heads > 1 ? 0 : k],
                      *head = i->exprs[tails + (heads > 1 ? k : 0)];
        bool at_head = tails == 1;
        const AstExpr *shown = at_head ? head : tail;
        if (shown->pos.at < w->from || shown->pos.at > w->to) continue;
        add_hint(w, path_start(heads > 1 ? head : tail), path_end(w, shown, n), at_head);
    }
}

static void hint_items(HintWalk *w, const AstItem *i, const Names *n) {
    for (; i; i = i->next) {
        if (i->kind == ITEM_BOND) hint_bond(w, i, n);
        if (i->kind == ITEM_FOR || i->kind == ITEM_IF) {
            hint_items(w, i->body, n);
            hint_items(w, i->otherwise, n);
        }
    }
}

Hints hints_of(Document *d, uint32_t from, uint32_t to) {
    Analysis *a = document_analysis(d);
    const AstFile *file = analysis_file(a);
    const Pipeline *p = analysis_pipeline(a);
    HintWalk w = {.g = p->graph, .from = from, .to = to};
    if (!file || !p->graph) return w.hints;
    w.source = file->source;
    w.text = source_text(a->sources, file->source, &w.length);
    for (const AstClass *c = file->classes; c; c = c->next)
        if (!c->from && c->kind != CLASS_FUNCTION && c->kind != CLASS_TABLE)
            hint_items(&w, c->items, a->names);
    return w.hints;
}

void hints_free(Hints *h) {
    for (int i = 0; i < h->count; i++) free(h->data[i].reason);
    array_free(h);
}
