// Reading a text for draft.h: statements, bonds and arguments with their places.
#include "service/draft_inside.h"

#include "lang/parser.h"
#include <string.h>

// --- the text and its model ----------------------------------------------------------------------

static bool is_drawn(const AstClass *c) {
    return (c->kind == CLASS_MODEL || (c->kind == CLASS_MECHANISM && !c->lagrangian)) && !c->from;
}

static const AstClass *class_named(const AstFile *file, Name name) {
    for (const AstClass *c = file->classes; c; c = c->next)
        if (name && c->name == name && is_drawn(c)) return c;
    return NULL;
}

static const AstClass *class_of(const Draft *d, const char *model) {
    const AstClass *last = NULL;
    if (!d->file) return NULL;
    if (*model) return class_named(d->file, name_find(d->names, model));
    for (const AstClass *c = d->file->classes; c; c = c->next) {
        bool plain = c->kind == CLASS_EXPERIMENT && c->base && c->base->kind == AST_NAME;
        const AstClass *base = plain ? class_named(d->file, c->base->name) : NULL;
        if (base) return base;
        if (is_drawn(c)) last = c;
    }
    return last;
}

void draft_open(Draft *d, const char *text, size_t length, const char *model) {
    Report quiet = {0};
    *d = (Draft){.names = names_new(), .sources = sources_new(), .length = length};
    d->text = arena_copy_text(&d->arena, text, length);
    uint32_t source = sources_add(d->sources, "draft", d->text, length);
    d->file = parse_file(&d->arena, d->names, d->sources, source, &quiet);
    d->piece = lexemes_of(d->text, length, &quiet);
    d->class = class_of(d, model);
    report_free(&quiet);
}

void draft_close(Draft *d) {
    array_free(&d->piece);
    sources_free(d->sources);
    names_free(d->names);
    arena_free(&d->arena);
}

const AstItem *draft_component(const Draft *d, const char *name) {
    Name wanted = name_find(d->names, name);
    for (const AstItem *i = d->class ? d->class->items : NULL; i && wanted; i = i->next)
        if (i->kind == ITEM_COMPONENT && i->name == wanted && !i->set) return i;
    return NULL;
}

// --- bonds ---------------------------------------------------------------------------------------

int draft_statement(const Draft *d, uint32_t at) {
    int found = -1;
    for (int i = 0; i < d->piece.count && d->piece.data[i].at <= at; i++)
        if (d->piece.data[i].starts) found = i;
    return found;
}

int draft_statement_end(const Draft *d, int first) {
    int last = first;
    for (int i = first + 1; i < d->piece.count && !d->piece.data[i].starts; i++)
        if (!d->piece.data[i].comment) last = i;
    return last;
}

static int deeper(TokenKind kind) {
    if (kind == TOKEN_OPEN || kind == TOKEN_OPEN_SQUARE) return 1;
    return kind == TOKEN_CLOSE || kind == TOKEN_CLOSE_SQUARE ? -1 : 0;
}

BondStatement bond_statement(const Draft *d, int first) {
    BondStatement s = {.first = first, .last = draft_statement_end(d, first)};
    Span end = {0, 0};
    int depth = 0, from = 0;
    for (int i = first; i <= s.last + 1; i++) {
        const Lexeme *x = i <= s.last ? &d->piece.data[i] : NULL;
        if (x && x->comment) continue;
        bool arrow = x && depth == 0 && x->kind == TOKEN_ARROW;
        bool cut = !x || arrow || (depth == 0 && x->kind == TOKEN_COMMA);
        if (!cut) {
            if (!end.end) end.at = x->at;
            end.end = x->end;
            depth += deeper(x->kind);
            continue;
        }
        array_push(&s.end, end);
        end = (Span){0, 0};
        if (!x || arrow) {
            array_push(&s.group, ((BondGroup){from, s.end.count - from}));
            from = s.end.count;
        }
    }
    return s;
}

void bond_statement_free(BondStatement *s) {
    array_free(&s->end);
    array_free(&s->group);
}

DraftBonds draft_bonds(const Draft *d) {
    DraftBonds list = {0};
    int before = -1;
    for (const AstItem *i = d->class ? d->class->items : NULL; i; i = i->next) {
        int first = i->kind == ITEM_BOND ? draft_statement(d, i->pos.at) : -1;
        if (first < 0 || first == before) continue;
        before = first;
        BondStatement s = bond_statement(d, first);
        for (int g = 0; g + 1 < s.group.count; g++)
            for (int t = 0; t < s.group.data[g].count; t++)
                for (int h = 0; h < s.group.data[g + 1].count; h++) {
                    Span from = s.end.data[s.group.data[g].first + t];
                    Span to = s.end.data[s.group.data[g + 1].first + h];
                    array_push(&list, ((DraftBond){from, to, first, g, t, h}));
                }
        bond_statement_free(&s);
    }
    return list;
}

bool span_is_of(const Draft *d, Span end, const char *name) {
    size_t n = strlen(name);
    if (!n || end.end - end.at < n || memcmp(d->text + end.at, name, n) != 0) return false;
    return end.at + n == end.end || strchr(".[ ", d->text[end.at + n]);
}

// --- arguments -----------------------------------------------------------------------------------

static int piece_at(const Draft *d, uint32_t at) {
    for (int i = 0; i < d->piece.count; i++)
        if (d->piece.data[i].at == at && !d->piece.data[i].comment) return i;
    return -1;
}

// Reads arguments from the open bracket at `i` to the bracket that closes it.
static int read_arguments(Draft *d, DraftArguments *a, int i, int last) {
    DraftArgument now = {.name = ""};
    int depth = 0;
    for (; i <= last; i++) {
        const Lexeme *x = &d->piece.data[i];
        if (x->comment) continue;
        depth += deeper(x->kind);
        if (depth == 1 && x->kind == TOKEN_OPEN && !a->open.end) {
            a->open = (Span){x->at, x->end};
            continue;
        }
        bool closes = depth == 0;
        if (closes || (depth == 1 && x->kind == TOKEN_COMMA)) {
            if (now.value.end) array_push(&a->argument, now);
            now = (DraftArgument){.name = ""};
            if (!closes) continue;
            a->close = (Span){x->at, x->end};
            return i + 1;
        }
        if (depth == 1 && x->kind == TOKEN_EQUALS && now.value.end && !*now.name) {
            now.name =
                arena_copy_text(&d->arena, d->text + now.value.at, now.value.end - now.value.at);
            now.value = (Span){0, 0};
            continue;
        }
        if (!now.value.end) now.value.at = x->at;
        now.value.end = x->end;
    }
    return i;
}

DraftArguments draft_arguments(Draft *d, const AstItem *component) {
    DraftArguments a = {0};
    int i = piece_at(d, component->pos.at);
    if (i < 0) return a;
    int last = draft_statement_end(d, draft_statement(d, component->pos.at)), depth = 0;
    a.name_end = d->piece.data[i].end;
    for (i++; i <= last; i++) { // the size of an array
        TokenKind kind = d->piece.data[i].kind;
        if (depth == 0 && kind != TOKEN_OPEN_SQUARE) break;
        depth += deeper(kind);
        a.name_end = d->piece.data[i].end;
    }
    if (i <= last && d->piece.data[i].kind == TOKEN_OPEN) i = read_arguments(d, &a, i, last);
    if (i > last || d->piece.data[i].kind != TOKEN_EQUALS) return a;
    for (i++; i <= last; i++) {
        const Lexeme *x = &d->piece.data[i];
        if (x->comment) continue;
        if (depth == 0 &&
            (x->kind == TOKEN_COMMA || x->kind == TOKEN_STRING || x->kind == TOKEN_COLON))
            break;
        depth += deeper(x->kind);
        if (!a.value.end) a.value.at = x->at;
        a.value.end = x->end;
    }
    return a;
}

// --- names ---------------------------------------------------------------------------------------

static bool has_name(const char *text, const Lexemes *pieces, const char *name) {
    size_t n = strlen(name);
    for (int i = 0; i < pieces->count; i++) {
        const Lexeme *x = &pieces->data[i];
        if (!x->comment && x->end - x->at == n && memcmp(text + x->at, name, n) == 0) return true;
    }
    return false;
}

void fresh_name(Text *out, const char *text, size_t length, const char *type) {
    Report quiet = {0};
    Lexemes pieces = lexemes_of(text, length, &quiet);
    const char *dot = strrchr(type, '.');
    Text stem = {0};
    for (const char *c = dot ? dot + 1 : type; *c; c++)
        text_char(&stem, *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') : *c);
    if (!stem.length || text_get(&stem)[0] == '0' || text_get(&stem)[0] == '1') {
        text_clear(&stem);
        text_char(&stem, 'j');
    }
    for (int k = 1;; k++) {
        text_clear(out);
        text_printf(out, "%s%d", text_get(&stem), k);
        if (!has_name(text, &pieces, text_get(out))) break;
    }
    text_free(&stem);
    array_free(&pieces);
    report_free(&quiet);
}
