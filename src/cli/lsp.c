// lsp: the language server on standard input and output. What a document brings about is looked at
// while no input waits.
#include "cli/program.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

typedef struct {
    bool broken; // nobody reads any more
} Pipe;

static void write_all(void *context, const char *bytes, size_t length) {
    Pipe *p = context;
    while (length && !p->broken) {
        ssize_t n = write(STDOUT_FILENO, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            p->broken = true;
            return;
        }
        bytes += n;
        length -= (size_t)n;
    }
}

// Does input wait? Without work to do the server sleeps until some comes.
static bool input_waits(bool sleep) {
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&in, 1, sleep ? -1 : 0) != 0;
}

BdOutcome serve_editor(Call *c) {
    char bytes[65536];
    Pipe pipe = {0};
    BdOutcome code = call_verb(c); // the words are right
    if (code != BD_GOOD) return code;
    BdServer *server = bd_lsp_new(call_option(c, "library"), write_all, &pipe);
    bool more = false; // there is work to do
    while (!bd_lsp_ended(server) && !pipe.broken) {
        if (!input_waits(!more)) {
            more = bd_lsp_work(server);
            continue;
        }
        ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        bd_lsp_receive(server, bytes, (size_t)n);
        more = true;
    }
    return bd_lsp_free(server) ? BD_WRONG_INPUT : BD_GOOD;
}
