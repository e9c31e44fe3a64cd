// What is asked about a place: hover, definition, references, rename, completion.
#include "lsp/inside.h"

#include "base/files.h"
#include "lang/lexer.h"
#include <ctype.h>
#include <string.h>

json_t *answer_hover(LspServer *s, const json_t *params, RpcError *error) {
    (void)error;
    uint32_t at, from = 0, to = 0;
    Document *d = document_place(s, params, &at);
    Text t = {0};
    json_t *answer = NULL;
    if (d && hover_at(&t, d, at, &from, &to))
        answer =
            json_pack("{s:{s:s, s:s}, s:o}", "contents", "kind", "markdown", "value", text_get(&t),
                      "range", range_of(text_get(&d->text), d->text.length, from, to));
    text_free(&t);
    return answer ? answer : json_null();
}

// The name at the place of the request; false: there is none.
static bool asked_use(const LspServer *s, const json_t *params, Document **d, Use *use) {
    uint32_t at;
    *d = document_place(s, params, &at);
    if (!*d) return false;
    Analysis *a = document_analysis(*d);
    if (!analysis_file(a)) return false;
    Uses uses = uses_of_file(a, analysis_file(a));
    const Use *found = use_at(&uses, at);
    if (found) *use = *found;
    array_free(&uses);
    return found != NULL;
}

json_t *answer_definition(LspServer *s, const json_t *params, RpcError *error) {
    (void)error;
    Document *d;
    Use u;
    if (!asked_use(s, params, &d, &u) || !u.meaning.pos.file) return json_null();
    const Analysis *a = d->analysis;
    size_t length, end = u.meaning.pos.at;
    const char *text = source_text(a->sources, u.meaning.pos.file, &length);
    if (u.meaning.kind != MEANS_FILE) end += strlen(name_text(a->names, u.meaning.name));
    char *path = real_path(source_name(a->sources, u.meaning.pos.file));
    json_t *answer = json_pack("{s:o, s:o}", "uri", uri_of_path(s, path), "range",
                               range_of(text, length, u.meaning.pos.at, end));
    free(path);
    return answer;
}

// The text of a file as the client or the disk has it.
static const char *text_of_file(const LspServer *s, Arena *arena, const char *path,
                                size_t *length) {
    const Document *d = store_find(s->store, path);
    if (d) {
        *length = d->text.length;
        return text_get(&d->text);
    }
    Report quiet = {0};
    const char *text = file_read(arena, path, length, &quiet, POS_NONE);
    report_free(&quiet);
    return text;
}

json_t *answer_references(LspServer *s, const json_t *params, RpcError *error) {
    (void)error;
    Document *d;
    Use u;
    if (!asked_use(s, params, &d, &u)) return json_array();
    bool declaration =
        json_is_true(json_object_get(json_object_get(params, "context"), "includeDeclaration"));
    References found = references_to(s->store, d->analysis, &u.meaning);
    json_t *answer = json_array();
    Arena arena = {0};
    for (int i = 0; i < found.count; i++) {
        size_t length;
        const Reference *r = &found.data[i];
        const char *text = text_of_file(s, &arena, r->path, &length);
        if (!text || (r->declares && !declaration)) continue;
        json_array_append_new(answer, json_pack("{s:o, s:o}", "uri", uri_of_path(s, r->path),
                                                "range", range_of(text, length, r->at, r->end)));
    }
    arena_free(&arena);
    references_free(&found);
    return answer;
}

// --- rename --------------------------------------------------------------------------------------

static bool is_in_library(const LspServer *s, const char *path) {
    if (!s->store->library) return false;
    char *library = real_path(s->store->library);
    size_t n = strlen(library);
    bool inside = strncmp(path, library, n) == 0 && path[n] == '/';
    free(library);
    return inside;
}

// May what is asked for get another name?
static bool can_rename(const LspServer *s, const json_t *params, Document **d, Use *u,
                       RpcError *error) {
    *error = (RpcError){RPC_FAILED, "there is no name here that can be changed"};
    if (!asked_use(s, params, d, u) || !u->meaning.pos.file || u->meaning.kind == MEANS_FILE)
        return false;
    char *path = real_path(source_name((*d)->analysis->sources, u->meaning.pos.file));
    bool library = is_in_library(s, path) && strcmp(path, (*d)->path) != 0;
    free(path);
    if (library) error->text = "names of the library are not changed from outside";
    return !library;
}

json_t *answer_prepare_rename(LspServer *s, const json_t *params, RpcError *error) {
    Document *d;
    Use u;
    if (!can_rename(s, params, &d, &u, error)) return NULL;
    return json_pack("{s:o, s:s}", "range",
                     range_of(text_get(&d->text), d->text.length, u.at, u.end), "placeholder",
                     name_text(d->analysis->names, u.meaning.name));
}

static bool is_name(const char *word) {
    if (!word || !isalpha((unsigned char)word[0]) || strlen(word) > 200) return false;
    for (const char *c = word; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_') return false;
    for (TokenKind k = TOKEN_AND; token_is_keyword(k); k++)
        if (strcmp(token_text(k), word) == 0) return false;
    return true;
}

// Does the new name already mean something in the scope of the old one?
static bool is_taken(const Analysis *a, const Meaning *m, const char *word) {
    Name name = name_find(a->names, word);
    Scope s = {.a = a, .file = m->file, .class = m->kind == MEANS_CLASS ? NULL : m->class};
    return name && meaning_of_name(&s, name).kind != MEANS_NOTHING;
}

json_t *answer_rename(LspServer *s, const json_t *params, RpcError *error) {
    Document *d;
    Use u;
    const char *word = json_string_value(json_object_get(params, "newName"));
    if (!can_rename(s, params, &d, &u, error)) return NULL;
    if (!is_name(word)) {
        *error =
            (RpcError){RPC_PARAMS, "a name is made of letters, digits and _, begins with a letter "
                                   "and is no word of the language"};
        return NULL;
    }
    if (is_taken(d->analysis, &u.meaning, word)) {
        *error = (RpcError){RPC_FAILED, "the new name means something there already"};
        return NULL;
    }
    References found = references_to(s->store, d->analysis, &u.meaning);
    json_t *changes = json_object();
    Arena arena = {0};
    for (int i = 0; i < found.count; i++) {
        size_t length;
        const Reference *r = &found.data[i];
        const char *text = text_of_file(s, &arena, r->path, &length);
        if (!text) continue;
        json_t *uri = uri_of_path(s, r->path),
               *edits = json_object_get(changes, json_string_value(uri));
        if (!edits) json_object_set_new(changes, json_string_value(uri), edits = json_array());
        json_array_append_new(edits,
                              json_pack("{s:o, s:s}", "range",
                                        range_of(text, length, r->at, r->end), "newText", word));
        json_decref(uri);
    }
    arena_free(&arena);
    references_free(&found);
    return json_pack("{s:o}", "changes", changes);
}

// --- completion ----------------------------------------------------------------------------------

static json_t *offer_json(const LspServer *s, const Document *d, const Offer *o, json_t *range) {
    static const int kind[] = {
        [OFFER_KEYWORD] = 14, [OFFER_CLASS] = 7,      [OFFER_ELEMENT] = 7, [OFFER_FUNCTION] = 3,
        [OFFER_VARIABLE] = 6, [OFFER_PARAMETER] = 10, [OFFER_PORT] = 5,    [OFFER_COMPONENT] = 6,
        [OFFER_UNIT] = 11,    [OFFER_FILE] = 9};
    bool snippet = o->insert && strchr(o->insert, '$');
    const char *text = o->insert && (!snippet || s->snippets) ? o->insert : o->word;
    json_t *item = json_pack("{s:s, s:i, s:{s:O, s:s}}", "label", o->word, "kind", kind[o->kind],
                             "textEdit", "range", range, "newText", text);
    if (!item) return NULL;
    if (snippet && s->snippets) json_object_set_new(item, "insertTextFormat", json_integer(2));
    if (o->detail) json_object_set_new(item, "detail", json_string(o->detail));
    if (o->text) json_object_set_new(item, "documentation", json_string(o->text));
    if (o->import) {
        Text line = {0};
        uint32_t at = import_place(d->analysis);
        text_printf(&line, "import %s\n", o->import);
        json_object_set_new(item, "additionalTextEdits",
                            json_pack("[{s:o, s:s}]", "range",
                                      range_of(text_get(&d->text), d->text.length, at, at),
                                      "newText", text_get(&line)));
        text_free(&line);
    }
    return item;
}

json_t *answer_completion(LspServer *s, const json_t *params, RpcError *error) {
    (void)error;
    uint32_t at;
    Document *d = document_place(s, params, &at);
    json_t *items = json_array();
    if (d) {
        Offers offers = completion_at(d, at);
        json_t *range = range_of(text_get(&d->text), d->text.length, offers.from, at);
        for (int i = 0; i < offers.list.count; i++) {
            json_t *item = offer_json(s, d, &offers.list.data[i], range);
            if (item) json_array_append_new(items, item);
        }
        json_decref(range);
        offers_free(&offers);
    }
    return json_pack("{s:b, s:o}", "isIncomplete", 0, "items", items);
}
