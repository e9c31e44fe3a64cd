// Requests of a page in which a model is drawn. They are not part of the protocol; editors do not
// send them. Each names the document and, as `model`, the definition that is drawn ("": the first
// one).
//
//     bondyn/palette                   what can be put down
//     bondyn/part    name              what a component has, and what the text gives it
//     bondyn/sketch  places            a drawing of a model that cannot be built yet
//     bondyn/draw    do ...            a change as edits of the text:
//         add type | bond from to | unbond from to index | reroute from to index newFrom newTo |
//         remove name | set name parameter position value | rename name newName
#include "lsp/inside.h"

#include "service/draw.h"
#include <string.h>

static const char *string_in(const json_t *params, const char *key) {
    const char *s = json_string_value(json_object_get(params, key));
    return s ? s : "";
}

static int number_in(const json_t *params, const char *key) {
    json_int_t n = json_integer_value(json_object_get(params, key));
    return n > 0 && n < 1000000 ? (int)n : 0;
}

static Document *drawn_document(const LspServer *s, const json_t *params, RpcError *error) {
    Document *d = document_of(s, params);
    if (!d) *error = (RpcError){RPC_PARAMS, "this document is not open"};
    return d;
}

// --- questions -----------------------------------------------------------------------------------

json_t *answer_palette(LspServer *s, const json_t *params, RpcError *error) {
    Document *d = drawn_document(s, params, error);
    if (!d) return NULL;
    Arena arena = {0};
    Palette list = palette_of(d, &arena);
    json_t *answer = json_array();
    for (int i = 0; i < list.count; i++) {
        const PaletteEntry *e = &list.data[i];
        json_t *x =
            json_pack("{s:s, s:s, s:s}", "group", e->group, "type", e->type, "text", e->text);
        if (x) json_array_append_new(answer, x);
    }
    array_free(&list);
    arena_free(&arena);
    return answer;
}

static void set_text(json_t *to, const char *key, const char *text) {
    if (text) json_object_set_new(to, key, json_string(text));
}

json_t *answer_part(LspServer *s, const json_t *params, RpcError *error) {
    Document *d = drawn_document(s, params, error);
    Part p;
    if (!d) return NULL;
    if (!part_of(&p, d, string_in(params, "model"), string_in(params, "name"))) {
        part_free(&p);
        return json_null();
    }
    json_t *list = json_array();
    for (int i = 0; i < p.parameter.count; i++) {
        const PartParameter *x = &p.parameter.data[i];
        json_t *one = json_pack("{s:s, s:i}", "name", x->name, "position", x->position);
        set_text(one, "value", x->value);
        set_text(one, "usual", x->usual);
        set_text(one, "unit", x->unit);
        set_text(one, "text", x->text);
        json_array_append_new(list, one);
    }
    json_t *answer =
        json_pack("{s:s, s:s, s:o}", "type", p.type, "text", p.text, "parameters", list);
    part_free(&p);
    return answer ? answer : json_null();
}

// {"mass": [120, 40], ...}; the names belong to `places`.
static int places_in(const json_t *places, GraphPlace *to, int room) {
    const char *path;
    json_t *at;
    int count = 0;
    json_object_foreach((json_t *)places, path, at) {
        double x = json_number_value(json_array_get(at, 0)),
               y = json_number_value(json_array_get(at, 1));
        bool good = x > -1e5 && x < 1e5 && y > -1e5 && y < 1e5;
        if (good && count < room) to[count++] = (GraphPlace){path, x, y};
    }
    return count;
}

static json_t *ends_of(const Document *d, const char *model) {
    Draft draft;
    draft_open(&draft, text_get(&d->text), d->text.length, model);
    DraftBonds bonds = draft_bonds(&draft);
    json_t *list = json_array();
    for (int i = 0; i < bonds.count; i++) {
        Span from = bonds.data[i].from, to = bonds.data[i].to;
        json_t *ends = json_pack("[s%, s%]", draft.text + from.at, (size_t)(from.end - from.at),
                                 draft.text + to.at, (size_t)(to.end - to.at));
        json_array_append_new(list, ends ? ends : json_array());
    }
    array_free(&bonds);
    draft_close(&draft);
    return list;
}

json_t *answer_sketch(LspServer *s, const json_t *params, RpcError *error) {
    enum { MOST = 5000 };
    Document *d = drawn_document(s, params, error);
    if (!d) return NULL;
    const json_t *places = json_object_get(params, "places");
    const char *model = string_in(params, "model");
    GraphPlace *place = calloc(MOST, sizeof *place);
    if (!place) abort();
    int count = places_in(places, place, MOST);
    Text svg = {0}, name = {0};
    json_t *answer = NULL;
    if (draw_sketch(&svg, d, model, place, count, &name))
        answer = json_pack("{s:s, s:s, s:o}", "svg", text_get(&svg), "model", text_get(&name),
                           "bonds", ends_of(d, model));
    text_free(&svg);
    text_free(&name);
    free(place);
    return answer ? answer : json_null();
}

// --- changes -------------------------------------------------------------------------------------

typedef struct {
    Document *d;
    const json_t *params;
    const char *model;
    Text text; // as it becomes
    Text name; // of what was added
    const char *problem;
} Change;

static void copy_text(Text *to, const Document *d) {
    text_add_n(to, text_get(&d->text), d->text.length);
    if (!to->data) text_add(to, "");
}

// The import comes first; with it the text is another one.
static bool add(Change *c) {
    const char *import = NULL, *type = string_in(c->params, "type");
    Text statement = {0};
    fresh_name(&c->name, text_get(&c->text), c->text.length, type);
    bool good = draw_statement(&statement, c->d, type, text_get(&c->name), &import);
    if (!good) c->problem = "there is no such component in the library";
    if (good && import) {
        Text fresh = {0};
        uint32_t at = import_place(document_analysis(c->d));
        text_add_n(&fresh, text_get(&c->text), at);
        text_printf(&fresh, "import %s\n", import);
        text_add_n(&fresh, text_get(&c->text) + at, c->text.length - at);
        text_free(&c->text);
        c->text = fresh;
    }
    good = good && draft_add(&c->text, c->model, text_get(&statement), &c->problem);
    text_free(&statement);
    return good;
}

static bool bond(Change *c) {
    const char *from = string_in(c->params, "from"), *to = string_in(c->params, "to");
    Text tail = {0}, head = {0};
    bool good = strcmp(from, to) != 0;
    if (!good) c->problem = "a bond leads from one component to another";
    good = good && draw_end(&tail, c->d, c->model, from, true, &c->problem) &&
           draw_end(&head, c->d, c->model, to, false, &c->problem) &&
           draft_bond(&c->text, c->model, text_get(&tail), text_get(&head), &c->problem);
    text_free(&tail);
    text_free(&head);
    return good;
}

static bool unbond(Change *c) {
    return draft_unbond(&c->text, c->model, string_in(c->params, "from"),
                        string_in(c->params, "to"), number_in(c->params, "index"), &c->problem);
}

// An end that the bond had already keeps its port.
static bool new_end(Change *c, Text *out, const char *wanted, bool tail) {
    const char *from = string_in(c->params, "from"), *to = string_in(c->params, "to");
    int index = number_in(c->params, "index");
    bool found = false;
    Draft draft;
    draft_open(&draft, text_get(&c->text), c->text.length, c->model);
    DraftBonds bonds = draft_bonds(&draft);
    for (int i = 0; i < bonds.count && !found; i++) {
        const DraftBond *b = &bonds.data[i];
        bool same = span_is_of(&draft, b->from, from) && span_is_of(&draft, b->to, to);
        if (!same || index-- > 0) continue;
        Span end = strcmp(wanted, from) == 0 ? b->from : b->to;
        found = strcmp(wanted, from) == 0 || strcmp(wanted, to) == 0;
        if (found) text_add_n(out, draft.text + end.at, end.end - end.at);
        break;
    }
    array_free(&bonds);
    draft_close(&draft);
    return found || draw_end(out, c->d, c->model, wanted, tail, &c->problem);
}

static bool reroute(Change *c) {
    const char *from = string_in(c->params, "newFrom"), *to = string_in(c->params, "newTo");
    Text tail = {0}, head = {0};
    bool good = *from && *to && strcmp(from, to) != 0;
    if (!good) c->problem = "a bond leads from one component to another";
    good =
        good && new_end(c, &tail, from, true) && new_end(c, &head, to, false) &&
        draft_reroute(&c->text, c->model, string_in(c->params, "from"), string_in(c->params, "to"),
                      number_in(c->params, "index"), text_get(&tail), text_get(&head), &c->problem);
    text_free(&tail);
    text_free(&head);
    return good;
}

static bool remove_part(Change *c) {
    return draft_remove(&c->text, c->model, string_in(c->params, "name"), &c->problem);
}

static bool set(Change *c) {
    return draft_set(&c->text, c->model, string_in(c->params, "name"),
                     string_in(c->params, "parameter"), number_in(c->params, "position"),
                     string_in(c->params, "value"), &c->problem);
}

// Everywhere that the name means this component, as an editor would.
static json_t *rename_part(LspServer *s, Document *d, const json_t *params, RpcError *error) {
    Part p;
    const char *fresh = string_in(params, "newName");
    bool good = part_of(&p, d, string_in(params, "model"), string_in(params, "name"));
    Span at = p.name;
    part_free(&p);
    if (!good) {
        *error = (RpcError){RPC_FAILED, "this component stands in a loop, in a condition or in "
                                        "another model: edit the text"};
        return NULL;
    }
    json_t *range = range_of(text_get(&d->text), d->text.length, at.at, at.end);
    json_t *ask =
        json_pack("{s:O, s:O, s:s}", "textDocument", json_object_get(params, "textDocument"),
                  "position", json_object_get(range, "start"), "newName", fresh);
    json_t *answer = answer_rename(s, ask, error);
    json_decref(ask);
    json_decref(range);
    if (answer) json_object_set_new(answer, "name", json_string(fresh));
    return answer;
}

static json_t *edits_json(const LspServer *s, const Change *c) {
    const char *old = text_get(&c->d->text);
    size_t length = c->d->text.length;
    TextEdits edits = edits_between(old, length, text_get(&c->text), c->text.length);
    json_t *list = json_array(), *uri = uri_of_path(s, c->d->path), *changes = json_object();
    for (int i = 0; i < edits.count; i++)
        json_array_append_new(list,
                              json_pack("{s:o, s:s}", "range",
                                        range_of(old, length, edits.data[i].at, edits.data[i].end),
                                        "newText", edits.data[i].text));
    text_edits_free(&edits);
    json_object_set_new(changes, json_string_value(uri), list);
    json_decref(uri);
    return json_pack("{s:o, s:s}", "changes", changes, "name", text_get(&c->name));
}

json_t *answer_draw(LspServer *s, const json_t *params, RpcError *error) {
    static const struct {
        const char *word;
        bool (*make)(Change *c);
    } kinds[] = {{"add", add},         {"bond", bond},          {"unbond", unbond},
                 {"reroute", reroute}, {"remove", remove_part}, {"set", set}};
    Document *d = drawn_document(s, params, error);
    const char *word = string_in(params, "do");
    if (!d) return NULL;
    if (strcmp(word, "rename") == 0) return rename_part(s, d, params, error);
    Change c = {.d = d, .params = params, .model = string_in(params, "model")};
    json_t *answer = NULL;
    bool good = false;
    copy_text(&c.text, d);
    c.problem = "nobody knows how to do this";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].word, word) == 0) good = kinds[i].make(&c);
    if (good)
        answer = edits_json(s, &c);
    else
        *error = (RpcError){RPC_FAILED, c.problem};
    text_free(&c.text);
    text_free(&c.name);
    return answer;
}
