// From a key press to new messages: the language server on each file of the Titan 4 and on the longest
// model of the tree. A key is a blank behind the last character, and what is measured is the message
// about it, the first step of the analysis and the diagnostics as they go onto the wire.
#include "bench.h"

#include "base/arena.h"
#include "base/files.h"
#include "lsp/lsp.h"
#include <jansson.h>
#include <string.h>

static void count_bytes(void *context, const char *bytes, size_t length) {
    (void)bytes;
    *(size_t *)context += length;
}

static void say(LspServer *s, json_t *message) {
    char header[64], *body = json_dumps(message, JSON_COMPACT);
    int n = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", strlen(body));
    lsp_receive(s, header, (size_t)n);
    lsp_receive(s, body, strlen(body));
    free(body);
    json_decref(message);
}

static void press_key(LspServer *s, const char *uri, int version) {
    say(s, json_pack("{s:s, s:s, s:{s:{s:s, s:i}, s:[{s:{s:{s:i,s:i},s:{s:i,s:i}}, s:s}]}}",
                     "jsonrpc", "2.0", "method", "textDocument/didChange", "params", "textDocument",
                     "uri", uri, "version", version, "contentChanges", "range", "start", "line",
                     1000000, "character", 0, "end", "line", 1000000, "character", 0, "text", " "));
    lsp_work(s);
}

static void measure(const char *path) {
    enum { KEYS = 15 };
    Arena arena = {0};
    Report quiet = {0};
    size_t length, written = 0;
    char *text = file_read(&arena, path, &length, &quiet, POS_NONE);
    if (!text) return;
    char *uri = arena_printf(&arena, "file://%s", path);
    double sample[KEYS];
    int lines = 0;
    for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
    LspServer *s = lsp_new(BONDYN_SOURCE "/library", count_bytes, &written);
    say(s, json_pack("{s:s, s:i, s:s, s:{}}", "jsonrpc", "2.0", "id", 0, "method", "initialize",
                     "params"));
    say(s, json_pack("{s:s, s:s, s:{s:{s:s, s:i, s:s}}}", "jsonrpc", "2.0", "method",
                     "textDocument/didOpen", "params", "textDocument", "uri", uri, "version", 1,
                     "text", text));
    lsp_work(s);
    for (int i = 0; i < KEYS; i++) {
        double start = now_seconds();
        press_key(s, uri, i + 2);
        sample[i] = now_seconds() - start;
    }
    lsp_free(s);
    printf("%-24s %5d lines: median %6.1f ms from key press to messages\n", path_base(path), lines,
           1e3 * median(sample, KEYS));
    report_free(&quiet);
    arena_free(&arena);
}

int main(void) {
    Arena arena = {0};
    int count;
    char **path = folder_files(&arena, BONDYN_SOURCE "/examples/titan4", ".bond", &count);
    for (int i = 0; i < count; i++) measure(path[i]);
    measure(BONDYN_SOURCE "/examples/rov/states.bond");
    arena_free(&arena);
    return 0;
}
