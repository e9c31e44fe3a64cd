// The life of a connection: messages are cut out of the bytes that come, documents follow what the
// client types, requests go to who answers them.
#include "lsp/inside.h"

#include <string.h>
#include <strings.h>

enum { LONGEST_HEADER = 4096, LONGEST_MESSAGE = 1 << 26 };

// --- life ----------------------------------------------------------------------------------------

LspServer *lsp_new(const char *library, LspWrite write, void *context) {
    LspServer *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->write = write;
    s->context = context;
    s->store = store_new(library);
    s->published = json_object();
    s->uri_of = json_object();
    return s;
}

void lsp_free(LspServer *s) {
    while (s->held.count) drop_remarks(s, s->held.data[0].path);
    array_free(&s->held);
    json_decref(s->published);
    json_decref(s->uri_of);
    store_free(s->store);
    text_free(&s->inbox);
    free(s);
}

void lsp_limit(LspServer *s, int most_scalars) { s->store->most_scalars = most_scalars; }

bool lsp_ended(const LspServer *s) { return s->ended; }

int lsp_exit_code(const LspServer *s) { return s->shut_down ? 0 : 1; }

static json_t *answer_initialize(LspServer *s, const json_t *params, RpcError *error) {
    (void)error;
    const json_t *text = json_object_get(json_object_get(params, "capabilities"), "textDocument");
    const json_t *item = json_object_get(json_object_get(text, "completion"), "completionItem");
    s->snippets = json_is_true(json_object_get(item, "snippetSupport"));
    s->initialized = true;
    json_t *sync = json_pack("{s:b, s:i, s:b}", "openClose", 1, "change", 2, "save", 0);
    json_t *tokens = json_pack("{s:o, s:b}", "legend", tokens_legend(), "full", 1);
    json_t *can = json_pack(
        "{s:o, s:b, s:b, s:b, s:{s:b}, s:{s:[s,s,s]}, s:b, s:b, s:{s:[s]}, s:o, s:b}",
        "textDocumentSync", sync, "hoverProvider", 1, "definitionProvider", 1, "referencesProvider",
        1, "renameProvider", "prepareProvider", 1, "completionProvider", "triggerCharacters", ".",
        "{", "(", "documentSymbolProvider", 1, "documentFormattingProvider", 1,
        "codeActionProvider", "codeActionKinds", "quickfix", "semanticTokensProvider", tokens,
        "inlayHintProvider", 1);
    return json_pack("{s:o, s:{s:s, s:s}}", "capabilities", can, "serverInfo", "name", "bondyn",
                     "version", BONDYN_VERSION);
}

static json_t *answer_shutdown(LspServer *s, const json_t *params, RpcError *error) {
    (void)params;
    (void)error;
    s->shut_down = true;
    return json_null();
}

// --- documents -----------------------------------------------------------------------------------

static void did_open(LspServer *s, const json_t *params) {
    const json_t *document = json_object_get(params, "textDocument");
    const char *uri = json_string_value(json_object_get(document, "uri"));
    const json_t *text = json_object_get(document, "text");
    if (!uri || !json_is_string(text)) return;
    char *path = path_of_uri(uri);
    if (!path) return;
    Document *d = store_open(s->store, path, json_string_value(text), json_string_length(text),
                             json_integer_value(json_object_get(document, "version")));
    free(path);
    json_object_set_new(s->uri_of, d->path, json_string(uri));
}

static void apply_change(LspServer *s, Document *d, const json_t *change) {
    const json_t *range = json_object_get(change, "range"), *text = json_object_get(change, "text");
    const char *now = text_get(&d->text);
    Place from, to;
    if (!json_is_string(text)) return;
    size_t start = 0, end = d->text.length;
    if (range) {
        if (!place_in(json_object_get(range, "start"), &from) ||
            !place_in(json_object_get(range, "end"), &to))
            return;
        start = offset_of(now, d->text.length, from);
        end = offset_of(now, d->text.length, to);
    }
    store_change(s->store, d, start, end, json_string_value(text), json_string_length(text));
}

static void did_change(LspServer *s, const json_t *params) {
    Document *d = document_of(s, params);
    size_t i;
    json_t *change;
    if (!d) return;
    json_array_foreach(json_object_get(params, "contentChanges"), i, change)
        apply_change(s, d, change);
    d->version =
        json_integer_value(json_object_get(json_object_get(params, "textDocument"), "version"));
}

static void did_close(LspServer *s, const json_t *params) {
    Document *d = document_of(s, params);
    if (!d) return;
    drop_remarks(s, d->path);
    char *path = strdup(d->path);
    store_close(s->store, d);
    publish_remarks(s, NULL);
    if (path) json_object_del(s->uri_of, path);
    if (path) json_object_del(s->published, path);
    free(path);
}

// One step of work in the background: the document that was changed last comes first.
bool lsp_work(LspServer *s) {
    for (int i = s->store->document.count - 1; i >= 0; i--) {
        Document *d = s->store->document.data[i];
        if (d->analysis && d->analysis->steps) continue;
        analysis_step(document_analysis(d));
        if (!d->analysis->steps) d->analysis->steps = 1; // there is nothing to build
        hold_remarks(s, d);
        publish_remarks(s, d);
        return true;
    }
    for (int i = s->store->document.count - 1; i >= 0; i--) {
        Document *d = s->store->document.data[i];
        if (!analysis_step(d->analysis)) continue;
        hold_remarks(s, d);
        publish_remarks(s, NULL);
        return true;
    }
    return false;
}

// --- messages ------------------------------------------------------------------------------------

static const struct {
    const char *method;
    Answer answer;
} requests[] = {{"initialize", answer_initialize},
                {"shutdown", answer_shutdown},
                {"textDocument/hover", answer_hover},
                {"textDocument/definition", answer_definition},
                {"textDocument/references", answer_references},
                {"textDocument/prepareRename", answer_prepare_rename},
                {"textDocument/rename", answer_rename},
                {"textDocument/completion", answer_completion},
                {"textDocument/documentSymbol", answer_symbols},
                {"textDocument/semanticTokens/full", answer_tokens},
                {"textDocument/inlayHint", answer_hints},
                {"textDocument/formatting", answer_formatting},
                {"textDocument/codeAction", answer_actions},
                {"bondyn/palette", answer_palette},
                {"bondyn/part", answer_part},
                {"bondyn/sketch", answer_sketch},
                {"bondyn/draw", answer_draw}};

static Answer find_answer(const char *method) {
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (strcmp(requests[i].method, method) == 0) return requests[i].answer;
    return NULL;
}

static void handle_request(LspServer *s, const json_t *id, const char *method,
                           const json_t *params) {
    Answer answer = find_answer(method);
    RpcError error = {0};
    bool first = strcmp(method, "initialize") == 0;
    if (s->shut_down) {
        send_error(s, id, RPC_REQUEST, "the server was shut down");
    } else if (first == s->initialized) {
        send_error(s, id, first ? RPC_REQUEST : RPC_NOT_YET,
                   first ? "the server is initialized already" : "initialize comes first");
    } else if (!answer) {
        send_error(s, id, RPC_METHOD, "the server does not know this method");
    } else {
        json_t *result = answer(s, params, &error);
        if (result)
            send_message(
                s, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result));
        else
            send_error(s, id, error.code ? error.code : RPC_FAILED,
                       error.text ? error.text : "there is no answer");
    }
}

static void handle_notification(LspServer *s, const char *method, const json_t *params) {
    if (strcmp(method, "exit") == 0)
        s->ended = true;
    else if (!s->initialized || s->shut_down)
        return;
    else if (strcmp(method, "textDocument/didOpen") == 0)
        did_open(s, params);
    else if (strcmp(method, "textDocument/didChange") == 0)
        did_change(s, params);
    else if (strcmp(method, "textDocument/didClose") == 0)
        did_close(s, params);
}

static void handle_message(LspServer *s, const char *body, size_t length) {
    json_error_t where;
    json_t *message = json_loadb(body, length, 0, &where);
    if (!message) {
        send_error(s, NULL, RPC_PARSE, "this is no JSON");
        return;
    }
    const json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
    const char *method = json_string_value(json_object_get(message, "method"));
    bool request = id && (json_is_integer(id) || json_is_string(id));
    if (method && request)
        handle_request(s, id, method, params);
    else if (method)
        handle_notification(s, method, params);
    else if (!json_object_get(message, "result") && !json_object_get(message, "error"))
        send_error(s, request ? id : NULL, RPC_REQUEST, "this is no message of JSON-RPC 2.0");
    json_decref(message);
}

// The length that the header tells; -1: none.
static long content_length(const char *header, size_t length) {
    static const char key[] = "content-length:";
    for (size_t i = 0; i + sizeof key - 1 < length;) {
        if (strncasecmp(header + i, key, sizeof key - 1) == 0) {
            char *end;
            long n = strtol(header + i + sizeof key - 1, &end, 10);
            return n >= 0 && n <= LONGEST_MESSAGE && *end == '\r' ? n : -1;
        }
        while (i < length && header[i] != '\n') i++;
        i++;
    }
    return -1;
}

static const char *end_of_header(const Text *inbox, size_t from) {
    const char *start = text_get(inbox) + from;
    size_t length = inbox->length - from;
    for (size_t i = 0; i + 4 <= length && i < LONGEST_HEADER; i++)
        if (memcmp(start + i, "\r\n\r\n", 4) == 0) return start + i + 4;
    return NULL;
}

// Skips bytes that cannot be a header, up to the next one.
static size_t skip_rubbish(const Text *inbox, size_t from) {
    static const char key[] = "Content-Length:";
    for (size_t i = from + 1; i + sizeof key - 1 <= inbox->length; i++)
        if (memcmp(text_get(inbox) + i, key, sizeof key - 1) == 0) return i;
    size_t keep = inbox->length < sizeof key ? inbox->length : sizeof key;
    return inbox->length - keep > from ? inbox->length - keep : inbox->length;
}

void lsp_receive(LspServer *s, const char *bytes, size_t length) {
    size_t at = 0;
    text_add_n(&s->inbox, bytes, length);
    while (at < s->inbox.length && !s->ended) {
        const char *start = text_get(&s->inbox) + at, *body = end_of_header(&s->inbox, at);
        if (!body && s->inbox.length - at < LONGEST_HEADER) break;
        long size = body ? content_length(start, (size_t)(body - start)) : -1;
        if (size < 0) {
            send_error(s, NULL, RPC_PARSE,
                       "a message begins with Content-Length and an empty line");
            at = skip_rubbish(&s->inbox, at);
            continue;
        }
        size_t from = (size_t)(body - text_get(&s->inbox));
        if (s->inbox.length - from < (size_t)size) break;
        handle_message(s, body, (size_t)size);
        at = from + (size_t)size;
    }
    Text rest = {0};
    text_add_n(&rest, text_get(&s->inbox) + at, s->inbox.length - at);
    text_free(&s->inbox);
    s->inbox = rest;
}
