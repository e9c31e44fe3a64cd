// A client that types anything and asks anything, and bytes that are no messages at all: the server
// comes back each time.
//
// The first byte tells what the rest is: raw bytes for the wire, or a text that is opened, changed
// at places that its own bytes choose, and asked about.
#include "lsp/lsp.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void drop(void *context, const char *bytes, size_t length) {
    (void)bytes;
    *(size_t *)context += length;
}

static void say(LspServer *s, json_t *message) {
    char *body = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (!body) return;
    char header[64];
    int n = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", strlen(body));
    lsp_receive(s, header, (size_t)n);
    lsp_receive(s, body, strlen(body));
    free(body);
}

static void begin(LspServer *s) {
    say(s, json_pack("{s:s, s:i, s:s, s:{}}", "jsonrpc", "2.0", "id", 0, "method", "initialize",
                     "params"));
}

static void open_text(LspServer *s, const char *text, size_t length) {
    json_t *value = json_stringn(text, length);
    if (!value) return; // no UTF-8: a client cannot say it
    say(s, json_pack("{s:s, s:s, s:{s:{s:s, s:i, s:o}}}", "jsonrpc", "2.0", "method",
                     "textDocument/didOpen", "params", "textDocument", "uri", "file:///fuzz.bond",
                     "version", 1, "text", value));
}

static void change_text(LspServer *s, int line, int column, const char *text) {
    say(s, json_pack("{s:s, s:s, s:{s:{s:s, s:i}, s:[{s:{s:{s:i,s:i},s:{s:i,s:i}}, s:s}]}}",
                     "jsonrpc", "2.0", "method", "textDocument/didChange", "params", "textDocument",
                     "uri", "file:///fuzz.bond", "version", 2, "contentChanges", "range", "start",
                     "line", line, "character", column, "end", "line", line, "character",
                     column + 1, "text", text));
}

static void ask(LspServer *s, int method, int line, int column) {
    static const char *const methods[] = {
        "hover",     "definition", "references",     "prepareRename",
        "rename",    "completion", "documentSymbol", "semanticTokens/full",
        "inlayHint", "formatting", "codeAction"};
    char name[64];
    snprintf(name, sizeof name, "textDocument/%s", methods[method % 11]);
    say(s, json_pack("{s:s, s:i, s:s, s:{s:{s:s}, s:{s:i, s:i}, s:s}}", "jsonrpc", "2.0", "id", 1,
                     "method", name, "params", "textDocument", "uri", "file:///fuzz.bond",
                     "position", "line", line, "character", column, "newName", "fresh"));
}

// A page that draws: changes of the graph, with names that are in the text or not.
static void draw(LspServer *s, unsigned seed, const char *word) {
    static const char *const kinds[] = {"add",    "bond", "unbond", "reroute",
                                        "remove", "set",  "rename"};
    static const char *const names[] = {"r", "v", "mass", "c1", "i", "x"};
    static const char *const methods[] = {"draw", "draw", "draw", "part", "sketch", "palette"};
    char method[40];
    snprintf(method, sizeof method, "bondyn/%s", methods[seed % 6]);
    say(s,
        json_pack("{s:s, s:i, s:s, s:{s:{s:s}, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i}}",
                  "jsonrpc", "2.0", "id", 2, "method", method, "params", "textDocument", "uri",
                  "file:///fuzz.bond", "do", kinds[seed / 6 % 7], "type", word, "from",
                  names[seed % 5], "to", names[seed / 5 % 6], "name", names[seed / 7 % 6],
                  "newName", "fresh", "newFrom", names[seed / 3 % 6], "newTo", names[seed % 6],
                  "value", word, "index", (int)(seed % 3)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const typed[] = {"", "x", ".", "(", "{", "\n", "end\n", "R r(1)\n", "\""};
    enum { CHANGES = 3 };
    if (size < 2) return 0;
    size_t written = 0;
    LspServer *s = lsp_new(BONDYN_SOURCE "/library", drop, &written);
    lsp_limit(s, 5000);
    if (data[0] == 0xff) {
        begin(s);
        lsp_receive(s, (const char *)data + 1, size - 1);
    } else {
        begin(s);
        open_text(s, (const char *)data, size);
        lsp_work(s);
        for (int i = 0; i < CHANGES; i++) {
            unsigned seed = data[(size_t)(i * 7919) % size] + data[size / 2] * 31u + data[size - 1];
            int line = (int)(seed % 60), column = (int)(seed / 60 % 40);
            change_text(s, line, column, typed[(seed + (unsigned)i) % 9]);
            ask(s, (int)(seed % 11) + i, line, column);
            draw(s, seed * 31u + (unsigned)i, i % 2 ? "R" : typed[seed % 9]);
        }
        lsp_work(s);
    }
    lsp_free(s);
    return 0;
}
