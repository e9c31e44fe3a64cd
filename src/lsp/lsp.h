// A server of the Language Server Protocol (3.17) over the language service. It knows nothing of
// files and pipes: bytes go in, bytes come out.
//
//     LspServer *s = lsp_new(library, write, context);
//     lsp_receive(s, bytes, length);     messages, as they come; answers go to `write`
//     while (lsp_work(s)) {}             what is left to look at while no input waits
//     lsp_ended(s)                       the client said `exit`
#ifndef BONDYN_LSP_LSP_H
#define BONDYN_LSP_LSP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct LspServer LspServer;
typedef void (*LspWrite)(void *context, const char *bytes, size_t length);

LspServer *lsp_new(const char *library, LspWrite write, void *context); // Nullable: library
void lsp_free(LspServer *s);
void lsp_limit(LspServer *s, int most_scalars); // larger models are refused; a million if not said
void lsp_receive(LspServer *s, const char *bytes, size_t length);
// One step of what can wait: remarks about changed documents. False: there is no more.
bool lsp_work(LspServer *s);
bool lsp_ended(const LspServer *s);
int lsp_exit_code(const LspServer *s); // 0 after a shutdown in good order, else 1

#endif
