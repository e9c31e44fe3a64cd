// From a key press to new messages: the language server on each file of the Titan 4, on the longest
// model of the tree and on one of 2000 lines. A key is a blank behind the last character, and what is measured is the message
// about it, the first step of the analysis and the diagnostics as they go onto the wire.
#include "bench.h"

#include "base/arena.h"
#include "base/files.h"
#include "base/text.h"
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

static void measure_text(const char *path, const char *text, size_t length) {
    enum { KEYS = 15 };
    Arena arena = {0};
    size_t written = 0;
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
    arena_free(&arena);
}

static void measure(const char *path) {
    Arena arena = {0};
    Report quiet = {0};
    size_t length;
    char *text = file_read(&arena, path, &length, &quiet, POS_NONE);
    if (text) measure_text(path, text, length);
    report_free(&quiet);
    arena_free(&arena);
}

// 2000 lines: a ladder of cells, each with a resistor, a storage and their junctions.
static void measure_long(void) {
    Text t = {0};
    text_add(&t, "model Ladder\n  Se source = 1\n");
    enum { CELLS = 249 }; // of eight lines
    for (int k = 1; k <= CELLS; k++) {
        text_printf(&t, "  // cell %d\n  1 j%d\n  R r%d(%d)\n  C c%d(1)\n", k, k, k, k, k);
        text_printf(&t, k == 1 ? "  source -> j%d\n" : "  c%d_node -> j%d\n", k == 1 ? 1 : k - 1,
                    k);
        text_printf(&t, "  0 c%d_node\n  j%d -> r%d, c%d_node\n  c%d_node -> c%d\n", k, k, k, k, k,
                    k);
    }
    text_add(&t, "end\nexperiment E of Ladder\n  stop 1\nend\n");
    measure_text("/ladder.bond", text_get(&t), t.length);
    text_free(&t);
}

int main(void) {
    Arena arena = {0};
    int count;
    char **path = folder_files(&arena, BONDYN_SOURCE "/examples/titan4", ".bond", &count);
    for (int i = 0; i < count; i++) measure(path[i]);
    measure(BONDYN_SOURCE "/examples/rov/states.bond");
    measure_long();
    arena_free(&arena);
    return 0;
}
