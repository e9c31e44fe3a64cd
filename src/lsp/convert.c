// Paths, places and ranges in the words of the protocol.
#include "lsp/inside.h"

#include <ctype.h>
#include <string.h>

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// file:///a%20b -> /a b; other addresses (untitled:1) are names of their own
char *path_of_uri(const char *uri) {
    static const char scheme[] = "file://";
    Text t = {0};
    if (strncmp(uri, scheme, sizeof scheme - 1) != 0) {
        text_add(&t, uri);
        return t.data;
    }
    const char *c = uri + sizeof scheme - 1;
    if (strncmp(c, "localhost/", 10) == 0) c += 9;
    for (; *c; c++) {
        bool coded = *c == '%' && hex_value(c[1]) >= 0 && hex_value(c[2]) >= 0;
        char letter = coded ? (char)(hex_value(c[1]) * 16 + hex_value(c[2])) : *c;
        if (letter) text_char(&t, letter);
        if (coded) c += 2;
    }
    if (!t.length) text_char(&t, '/');
    return t.data;
}

json_t *uri_of_path(const LspServer *s, const char *path) {
    json_t *known = json_object_get(s->uri_of, path);
    if (known) return json_incref(known);
    Text t = {0};
    text_add(&t, "file://");
    for (const char *c = path; *c; c++) {
        if (isalnum((unsigned char)*c) || strchr("/-._~", *c))
            text_char(&t, *c);
        else
            text_printf(&t, "%%%02X", (unsigned char)*c);
    }
    json_t *uri = json_string(text_get(&t));
    text_free(&t);
    return uri;
}

static json_t *place_json(Place p) {
    return json_pack("{s:i, s:i}", "line", p.line, "character", p.column);
}

json_t *range_of(const char *text, size_t length, size_t at, size_t end) {
    return json_pack("{s:o, s:o}", "start", place_json(place_of(text, length, at)), "end",
                     place_json(place_of(text, length, end)));
}

bool place_in(const json_t *position, Place *place) {
    json_t *line = json_object_get(position, "line"),
           *column = json_object_get(position, "character");
    if (!json_is_integer(line) || !json_is_integer(column)) return false;
    json_int_t l = json_integer_value(line), c = json_integer_value(column);
    if (l < 0 || c < 0) return false;
    place->line = l > 100000000 ? 100000000 : (int)l;
    place->column = c > 100000000 ? 100000000 : (int)c;
    return true;
}

Document *document_of(const LspServer *s, const json_t *params) {
    const char *uri =
        json_string_value(json_object_get(json_object_get(params, "textDocument"), "uri"));
    if (!uri) return NULL;
    char *path = path_of_uri(uri);
    Document *d = path ? store_find(s->store, path) : NULL;
    free(path);
    return d;
}

Document *document_place(const LspServer *s, const json_t *params, uint32_t *at) {
    Document *d = document_of(s, params);
    Place p;
    if (!d || !place_in(json_object_get(params, "position"), &p)) return NULL;
    *at = (uint32_t)offset_of(text_get(&d->text), d->text.length, p);
    return d;
}
