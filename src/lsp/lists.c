// What is asked about a whole document: symbols, colours, hints, formatting, code actions.
#include "lsp/inside.h"

#include "service/format.h"
#include <string.h>

// --- symbols -------------------------------------------------------------------------------------

static int symbol_kind(const Symbol *y) {
    if (!y->item) {
        switch (y->class->kind) {
        case CLASS_EXPERIMENT: return 24; // event
        case CLASS_FUNCTION:
        case CLASS_TABLE: return 12;
        case CLASS_DOMAIN: return 11; // interface
        case CLASS_CONST: return 14;
        default: return 5; // class
        }
    }
    switch (y->item->kind) {
    case ITEM_PARAM:
    case ITEM_CONST: return 14;
    case ITEM_PORT: return 7;       // property
    case ITEM_COMPONENT: return 19; // object
    default: return 13;             // variable
    }
}

static json_t *symbol_json(const Document *d, const Symbol *y) {
    const Names *n = d->analysis->names;
    const char *text = text_get(&d->text);
    size_t length = d->text.length;
    Text detail = {0};
    if (y->item)
        describe_item(&detail, n, y->item);
    else
        text_add(&detail, name_text(n, y->class->text));
    const char *name = name_text(n, y->item ? y->item->name : y->class->name);
    json_t *j = json_pack("{s:s, s:s, s:i, s:o, s:o}", "name", name, "detail", text_get(&detail),
                          "kind", symbol_kind(y), "range", range_of(text, length, y->from, y->to),
                          "selectionRange", range_of(text, length, y->at, y->end));
    text_free(&detail);
    return j;
}

json_t *answer_symbols(LspServer *s, const json_t *params, RpcError *error) {
    (void)error;
    Document *d = document_of(s, params);
    json_t *list = json_array(), *class = NULL;
    if (!d) return list;
    SymbolList symbols = symbols_of(document_analysis(d));
    for (int i = 0; i < symbols.count; i++) {
        json_t *j = symbol_json(d, &symbols.data[i]);
        if (!j) continue;
        if (!symbols.data[i].item) {
            class = j;
            json_object_set_new(class, "children", json_array());
            json_array_append_new(list, j);
        } else {
            json_array_append_new(json_object_get(class, "children"), j);
        }
    }
    array_free(&symbols);
    return list;
}

// --- colours -------------------------------------------------------------------------------------

json_t *tokens_legend(void) {
    return json_pack("{s:[s,s,s,s,s,s,s,s,s,s,s,s], s:[s,s]}", "tokenTypes", "keyword", "comment",
                     "string", "number", "macro", "operator", "type", "function", "parameter",
                     "variable", "property", "namespace", "tokenModifiers", "declaration",
                     "readonly");
}

static void append_number(json_t *list, int n) { json_array_append_new(list, json_integer(n)); }

json_t *answer_tokens(LspServer *s, const json_t *params, RpcError *error) {
    (void)error;
    Document *d = document_of(s, params);
    json_t *data = json_array();
    if (!d) return json_pack("{s:o}", "data", data);
    Tints tints = tints_of(d);
    const char *text = text_get(&d->text);
    Place last = {0, 0}, here = {0, 0};
    uint32_t counted = 0; // `here` is the place of this offset
    for (int i = 0; i < tints.count; i++) {
        const Tinted *t = &tints.data[i];
        if (memchr(text + t->at, '\n', t->end - t->at)) continue; // a unit over two lines
        Place step = place_of(text + counted, t->at - counted, t->at - counted);
        here = (Place){here.line + step.line, step.line ? step.column : here.column + step.column};
        counted = t->at;
        append_number(data, here.line - last.line);
        append_number(data, here.line == last.line ? here.column - last.column : here.column);
        append_number(data, place_of(text + t->at, t->end - t->at, t->end - t->at).column);
        append_number(data, t->tint);
        append_number(data, (t->declares ? 1 : 0) | (t->fixed ? 2 : 0));
        last = here;
    }
    array_free(&tints);
    return json_pack("{s:o}", "data", data);
}

// --- hints ---------------------------------------------------------------------------------------

// The part of the document that `range` of the parameters tells; all of it when there is none.
static void range_in(const Document *d, const json_t *params, uint32_t *from, uint32_t *to) {
    const json_t *range = json_object_get(params, "range");
    Place start, end;
    *from = 0;
    *to = (uint32_t)d->text.length;
    if (!place_in(json_object_get(range, "start"), &start) ||
        !place_in(json_object_get(range, "end"), &end))
        return;
    *from = (uint32_t)offset_of(text_get(&d->text), d->text.length, start);
    *to = (uint32_t)offset_of(text_get(&d->text), d->text.length, end);
}

json_t *answer_hints(LspServer *s, const json_t *params, RpcError *error) {
    (void)error;
    Document *d = document_of(s, params);
    json_t *list = json_array();
    uint32_t from, to;
    if (!d) return list;
    range_in(d, params, &from, &to);
    Hints hints = hints_of(d, from, to);
    for (int i = 0; i < hints.count; i++) {
        const Hint *h = &hints.data[i];
        Place p = place_of(text_get(&d->text), d->text.length, h->at);
        json_t *hint =
            json_pack("{s:{s:i, s:i}, s:s, s:s, s:b}", "position", "line", p.line, "character",
                      p.column, "label", h->label, "tooltip", h->reason, "paddingLeft", 1);
        if (hint) json_array_append_new(list, hint);
    }
    hints_free(&hints);
    return list;
}

// --- formatting ----------------------------------------------------------------------------------

json_t *answer_formatting(LspServer *s, const json_t *params, RpcError *error) {
    Document *d = document_of(s, params);
    Text out = {0};
    Report r = {0};
    json_t *edits = NULL;
    if (!d) return json_array();
    const char *text = text_get(&d->text);
    size_t length = d->text.length;
    if (!format_text(&out, text, length, &r)) {
        *error = (RpcError){
            RPC_FAILED, "the text has errors that formatting would make worse: mend them first"};
    } else if (out.length == length && memcmp(text_get(&out), text, length) == 0) {
        edits = json_array();
    } else {
        size_t same = 0, from = 0, tail = 0, shorter = length < out.length ? length : out.length;
        while (same < shorter && text[same] == text_get(&out)[same])
            if (text[same++] == '\n') from = same; // whole lines
        while (tail < shorter - from &&
               text[length - 1 - tail] == text_get(&out)[out.length - 1 - tail])
            tail++;
        while (tail && text[length - tail] != '\n') tail--;
        json_t *fresh = json_stringn(text_get(&out) + from, out.length - tail - from);
        edits = json_pack("[{s:o, s:o}]", "range", range_of(text, length, from, length - tail),
                          "newText", fresh ? fresh : json_null());
    }
    report_free(&r);
    text_free(&out);
    return edits;
}

// --- code actions --------------------------------------------------------------------------------

// The diagnostic of the request that a remedy belongs to, or NULL.
static json_t *diagnostic_of(const json_t *params, const Remedy *r) {
    size_t i;
    json_t *d, *list = json_object_get(json_object_get(params, "context"), "diagnostics");
    json_array_foreach(list, i, d) {
        const char *code = json_string_value(json_object_get(d, "code"));
        if (code && strcmp(code, code_info(r->remark->code)->text) == 0) return d;
    }
    return NULL;
}

static json_t *action_json(const LspServer *s, const Document *d, const json_t *params,
                           const Remedy *r) {
    json_t *edits = json_array(), *uri = uri_of_path(s, d->path);
    for (int i = 0; i < r->edit_count; i++)
        json_array_append_new(edits, json_pack("{s:o, s:s}", "range",
                                               range_of(text_get(&d->text), d->text.length,
                                                        r->edit[i].at, r->edit[i].end),
                                               "newText", r->edit[i].text));
    json_t *changes = json_object();
    json_object_set_new(changes, json_string_value(uri), edits);
    json_decref(uri);
    json_t *action = json_pack("{s:s, s:s, s:b, s:{s:o}}", "title", r->title, "kind", "quickfix",
                               "isPreferred", 1, "edit", "changes", changes);
    json_t *diagnostic = diagnostic_of(params, r);
    if (action && diagnostic)
        json_object_set_new(action, "diagnostics", json_pack("[O]", diagnostic));
    return action;
}

json_t *answer_actions(LspServer *s, const json_t *params, RpcError *error) {
    (void)error;
    Document *d = document_of(s, params);
    json_t *list = json_array();
    uint32_t from, to;
    if (!d) return list;
    range_in(d, params, &from, &to);
    // from the beginning of the line to its end: the cursor need not stand on the word
    while (from && text_get(&d->text)[from - 1] != '\n') from--;
    while (to < d->text.length && text_get(&d->text)[to] != '\n') to++;
    Remedies remedies = remedies_of(d, from, to);
    for (int i = 0; i < remedies.count; i++) {
        json_t *action = action_json(s, d, params, &remedies.data[i]);
        if (action) json_array_append_new(list, action);
    }
    remedies_free(&remedies);
    return list;
}
