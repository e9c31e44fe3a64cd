// publishDiagnostics. What each open document says about itself and about the files that it imports
// is held; a file is told the sum of it, each kind of remark once for each place, and only when it
// has changed.
#include "lsp/inside.h"

#include <ctype.h>
#include <string.h>

typedef struct {
    const LspServer *s;
    const Document *d;
    json_t *list;
} Gather;

// The word at the place, as it is underlined in the terminal.
static json_t *range_at(const Sources *sources, Pos pos) {
    size_t length;
    const char *text = source_text(sources, pos.file, &length);
    size_t end = pos.at;
    while (end < length && (isalnum((unsigned char)text[end]) || text[end] == '_')) end++;
    if (end == pos.at && end < length && text[end] != '\n') end++;
    while (end < length && !begins_character(text[end])) end++;
    return range_of(text, length, pos.at, end);
}

static json_t *empty_range(void) { return range_of("", 0, 0, 0); }

// Places in texts that were made from other files (robot descriptions) cannot be shown.
static bool is_file(const Sources *s, Pos pos) {
    return pos.file && !strchr(source_name(s, pos.file), '(');
}

static json_t *notes_of(const Gather *g, const Remark *m) {
    const Sources *sources = g->d->analysis->sources;
    json_t *notes = json_array();
    for (const Remark *n = m->first_note; n; n = n->next) {
        if (!is_file(sources, n->pos)) continue;
        char *path = real_path(source_name(sources, n->pos.file));
        json_array_append_new(notes, json_pack("{s:{s:o, s:o}, s:s}", "location", "uri",
                                               uri_of_path(g->s, path), "range",
                                               range_at(sources, n->pos), "message", n->message));
        free(path);
    }
    return notes;
}

static bool add_remark(void *context, const Remark *m) {
    enum { MOST = 500 };
    static const int severity[] = {[ERROR] = 1, [WARNING] = 2, [NOTE] = 3};
    Gather *g = context;
    const Sources *sources = g->d->analysis->sources;
    bool placed = is_file(sources, m->pos);
    Text text = {0};
    text_add(&text, m->message);
    if (!placed && m->pos.file) text_printf(&text, " (%s)", source_name(sources, m->pos.file));
    if (m->help) text_printf(&text, "\nhelp: %s", m->help);
    json_t *diagnostic = json_pack("{s:o, s:i, s:s, s:s, s:s}", "range",
                                   placed ? range_at(sources, m->pos) : empty_range(), "severity",
                                   severity[m->severity], "code", code_info(m->code)->text,
                                   "source", "bondyn", "message", text_get(&text));
    text_free(&text);
    json_t *notes = notes_of(g, m);
    if (diagnostic && json_array_size(notes))
        json_object_set(diagnostic, "relatedInformation", notes);
    json_decref(notes);
    char *path = real_path(placed ? source_name(sources, m->pos.file) : g->d->path);
    if (diagnostic)
        json_array_append_new(g->list,
                              json_pack("{s:s, s:o}", "path", path, "diagnostic", diagnostic));
    free(path);
    return json_array_size(g->list) < MOST;
}

void drop_remarks(LspServer *s, const char *path) {
    int kept = 0;
    for (int i = 0; i < s->held.count; i++) {
        if (strcmp(s->held.data[i].path, path) != 0) {
            s->held.data[kept++] = s->held.data[i];
            continue;
        }
        free(s->held.data[i].path);
        json_decref(s->held.data[i].list);
    }
    s->held.count = kept;
}

void hold_remarks(LspServer *s, const Document *d) {
    Gather g = {s, d, json_array()};
    analysis_remarks(d->analysis, add_remark, &g);
    drop_remarks(s, d->path);
    char *path = strdup(d->path);
    if (!path) abort();
    array_push(&s->held, ((Held){path, g.list}));
}

static bool is_among(const json_t *list, const json_t *diagnostic) {
    size_t i;
    json_t *other;
    json_array_foreach((json_t *)list, i, other) {
        if (json_equal(json_object_get(other, "range"), json_object_get(diagnostic, "range")) &&
            json_equal(json_object_get(other, "code"), json_object_get(diagnostic, "code")))
            return true;
    }
    return false;
}

// path -> diagnostics, of all documents that were looked at; empty where there is nothing to say.
static json_t *all_remarks(const LspServer *s) {
    json_t *all = json_object(), *value;
    const char *path;
    json_object_foreach(s->published, path, value) json_object_set_new(all, path, json_array());
    for (int i = 0; i < s->held.count; i++) {
        size_t k;
        if (!json_object_get(all, s->held.data[i].path))
            json_object_set_new(all, s->held.data[i].path, json_array());
        json_array_foreach(s->held.data[i].list, k, value) {
            path = json_string_value(json_object_get(value, "path"));
            json_t *diagnostic = json_object_get(value, "diagnostic");
            if (!json_object_get(all, path)) json_object_set_new(all, path, json_array());
            json_t *list = json_object_get(all, path);
            if (!is_among(list, diagnostic)) json_array_append(list, diagnostic);
        }
    }
    return all;
}

void publish_remarks(LspServer *s, const Document *fresh) {
    json_t *all = all_remarks(s), *list;
    const char *path;
    json_object_foreach(all, path, list) {
        const Document *d = store_find(s->store, path);
        bool looked = d && d == fresh; // its client waits for the answer, whatever it is
        if (!looked && json_equal(list, json_object_get(s->published, path))) continue;
        json_t *params = json_pack("{s:o, s:O}", "uri", uri_of_path(s, path), "diagnostics", list);
        if (d) json_object_set_new(params, "version", json_integer(d->version));
        send_message(s, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method",
                                  "textDocument/publishDiagnostics", "params", params));
    }
    json_decref(s->published);
    s->published = all;
}
