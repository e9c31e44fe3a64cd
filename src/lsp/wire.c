// Messages on the wire: a header with the length, an empty line, a JSON object.
//
//     Content-Length: 52\r\n
//     \r\n
//     {"jsonrpc": "2.0", "id": 1, "method": "shutdown"}
#include "lsp/inside.h"

#include <string.h>

void send_message(LspServer *s, json_t *message) {
    char *body = json_dumps(message, JSON_COMPACT | JSON_ENCODE_ANY);
    json_decref(message);
    if (!body) return; // a text that is no UTF-8: nothing can be said about it
    Text t = {0};
    text_printf(&t, "Content-Length: %zu\r\n\r\n", strlen(body));
    text_add(&t, body);
    s->write(s->context, text_get(&t), t.length);
    text_free(&t);
    free(body);
}

void send_error(LspServer *s, const json_t *id, int code, const char *text) {
    json_t *known = id ? json_deep_copy(id) : json_null();
    send_message(s, json_pack("{s:s, s:o, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", known, "error",
                              "code", code, "message", text));
}
