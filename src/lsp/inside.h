// What the files of this stage share.
//
//     wire.c       messages out of bytes and back
//     server.c     the life of a connection, documents, who answers what
//     convert.c    paths, places and ranges in the words of the protocol
//     remarks.c    publishDiagnostics
//     requests.c   hover, definition, references, rename, completion
//     lists.c      symbols, colours, hints, formatting, code actions
//     draw.c       a model that is drawn by mouse: the studio's own requests
#ifndef BONDYN_LSP_INSIDE_H
#define BONDYN_LSP_INSIDE_H

#include "base/text.h"
#include "lsp/lsp.h"
#include "service/answers.h"
#include <jansson.h>

typedef struct { // remarks of one document, as they were last found
    char *path;
    json_t *list; // [{"path": ..., "diagnostic": ...}]
} Held;

struct LspServer {
    LspWrite write;
    void *context;
    Text inbox;
    Store *store;
    bool initialized, shut_down, ended;
    bool snippets;     // the client fills in places
    ARRAY(Held) held;  // remarks by document
    json_t *published; // path -> what the client was told last
    json_t *uri_of;    // path -> the address that the client uses
};

// --- wire.c

enum {
    RPC_PARSE = -32700,
    RPC_REQUEST = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_NOT_YET = -32002,
    RPC_FAILED = -32803
};

void send_message(LspServer *s, json_t *message); // takes the reference
void send_error(LspServer *s, const json_t *id, int code, const char *text);

// --- convert.c

char *path_of_uri(const char *uri);                        // on the heap
json_t *uri_of_path(const LspServer *s, const char *path); // as the client calls it, if it does
json_t *range_of(const char *text, size_t length, size_t at, size_t end);
bool place_in(const json_t *position, Place *place); // false: it is none
// The document of `params`; NULL: there is none, or it is not open.
Document *document_of(const LspServer *s, const json_t *params);
// The document and the offset of `position` in it.
Document *document_place(const LspServer *s, const json_t *params, uint32_t *at);

// --- remarks.c

void hold_remarks(LspServer *s, const Document *d); // takes what its analysis says now
void drop_remarks(LspServer *s, const char *path);
// Publishes remarks that have changed, and those of `fresh` in any case. Nullable: fresh.
void publish_remarks(LspServer *s, const Document *fresh);

// --- answers: the result, or NULL with *error; a new reference

typedef struct {
    int code;
    const char *text;
} RpcError;

typedef json_t *(*Answer)(LspServer *s, const json_t *params, RpcError *error);

json_t *answer_hover(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_definition(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_references(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_prepare_rename(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_rename(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_completion(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_symbols(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_tokens(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_hints(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_formatting(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_actions(LspServer *s, const json_t *params, RpcError *error);
json_t *tokens_legend(void);
json_t *answer_palette(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_part(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_sketch(LspServer *s, const json_t *params, RpcError *error);
json_t *answer_draw(LspServer *s, const json_t *params, RpcError *error);

#endif
