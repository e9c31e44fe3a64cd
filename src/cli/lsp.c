// lsp: the language server on standard input and output. The first look at what came is at once;
// the rest waits until no input has come for a moment, so that the next key finds nothing under
// way.
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

// Does input wait, or come within so many milliseconds? -1: for ever.
static bool input_waits(int patience) {
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&in, 1, patience) != 0;
}

BdOutcome serve_editor(Call *c) {
    char bytes[65536];
    Pipe pipe = {0};
    BdOutcome code = call_verb(c); // the words are right
    if (code != BD_GOOD) return code;
    BdServer *server = bd_lsp_new(call_option(c, "library"), write_all, &pipe);
    enum { MOMENT = 250 };
    bool fresh = false; // some of the work is about what just came
    int patience = -1;
    while (!bd_lsp_ended(server) && !pipe.broken) {
        if (!input_waits(patience)) {
            bool more = bd_lsp_work(server);
            patience = !more ? -1 : fresh ? MOMENT : 0;
            fresh = false;
            continue;
        }
        ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        bd_lsp_receive(server, bytes, (size_t)n);
        fresh = true;
        patience = 0;
    }
    return bd_lsp_free(server) ? BD_WRONG_INPUT : BD_GOOD;
}
