// Anything that can come over the wire to the studio's server: bytes that are no HTTP, requests
// with the token, and on an open WebSocket broken frames and messages with names, texts and values
// from the input. The server runs in this process, on the loopback interface, with a folder of its
// own; after every input a good request is answered.
//
// The first byte tells what the rest is.
#define _XOPEN_SOURCE 700 // nftw
#define _DEFAULT_SOURCE
#include "studio/studio.h"

#include <arpa/inet.h>
#include <ftw.h>
#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const size_t asset_studio_size;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    int port;
    char token[64];
    char file[100];
} Host;

static const char model[] = "model M\n  input u = 0\n  C c(1, q0 = 1)\n  R r(1)\n  MSe s = u\n  1 "
                            "j\n  s -> j\n  j -> c, r\n"
                            "end\nexperiment E of M\n  stop 0.1\nend\n";

static void ready(void *context, const char *address) {
    Host *h = context;
    pthread_mutex_lock(&h->lock);
    sscanf(address, "http://127.0.0.1:%d/?token=%63s", &h->port, h->token);
    pthread_cond_signal(&h->ready);
    pthread_mutex_unlock(&h->lock);
}

static void *serve(void *context) {
    static const volatile int never = 0;
    Host *h = context;
    StudioOptions o = {.file = h->file,
                       .library = BONDYN_SOURCE "/library",
                       .interrupt = &never,
                       .ready = ready,
                       .context = h};
    BdReport *r = bd_report_new();
    if (!asset_studio_size) { // built without node: there is nothing to fuzz
        printf("%s\n", "no studio");
        _exit(0);
    }
    if (!studio_serve(&o, r)) {
        fprintf(stderr, "%s\n", bd_report_text(r));
        abort();
    }
    return NULL;
}

static char folder[] = "/tmp/fuzz_studio.XXXXXX"; // of the server, while this process lives

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at) {
    (void)about;
    (void)kind;
    (void)at;
    return remove(path);
}

static void remove_folder(void) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static Host *host(void) {
    static Host h = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};
    if (h.port) return &h;
    if (!mkdtemp(folder) || atexit(remove_folder) != 0) abort();
    setenv("XDG_RUNTIME_DIR", folder, 1);
    snprintf(h.file, sizeof h.file, "%s/m.bond", folder);
    FILE *f = fopen(h.file, "w");
    if (!f || fputs(model, f) < 0 || fclose(f) != 0) abort();
    pthread_t id;
    pthread_mutex_lock(&h.lock);
    if (pthread_create(&id, NULL, serve, &h) != 0) abort();
    while (!h.port) pthread_cond_wait(&h.ready, &h.lock);
    pthread_mutex_unlock(&h.lock);
    return &h;
}

// --- the wire ------------------------------------------------------------------------------------

static int connect_to(const Host *h) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)h->port)};
    struct timeval patience = {.tv_sec = 20};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (s < 0 || connect(s, (struct sockaddr *)&to, sizeof to) != 0) abort();
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return s;
}

static void say(int s, const void *data, size_t size) {
    const char *at = data;
    while (size) {
        ssize_t n = send(s, at, size, MSG_NOSIGNAL);
        if (n <= 0) return; // it has hung up
        at += n;
        size -= (size_t)n;
    }
}

static void hang_up(int s) {
    char drop[4096];
    shutdown(s, SHUT_WR);
    while (recv(s, drop, sizeof drop, 0) > 0) {}
    close(s);
}

// Text frames as a client sends them, hidden by a mask of zeros.
static void say_text(int s, const char *text, size_t n) {
    unsigned char head[14] = {0x81, 0};
    size_t length = 2;
    if (n < 126) {
        head[1] = (unsigned char)(0x80 | n);
    } else {
        head[1] = 0x80 | 126;
        head[2] = (unsigned char)(n >> 8);
        head[3] = (unsigned char)n;
        length = 4;
    }
    say(s, head, length + 4);
    say(s, text, n);
}

static int open_socket(const Host *h) {
    char request[600], answer[2048];
    int s = connect_to(h);
    snprintf(request, sizeof request,
             "GET /live?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n"
             "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
             "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: "
             "bondyn\r\n\r\n",
             h->token, h->port, h->port);
    say(s, request, strlen(request));
    if (recv(s, answer, sizeof answer, 0) <= 0) { // sixteen pages are open: their threads end soon
        close(s);
        return -1;
    }
    return s;
}

// --- what is said --------------------------------------------------------------------------------

static void raw_http(const Host *h, const uint8_t *data, size_t size) {
    int s = connect_to(h);
    say(s, data, size);
    hang_up(s);
}

static void odd_request(const Host *h, const uint8_t *data, size_t size) {
    char head[400];
    int s = connect_to(h);
    snprintf(head, sizeof head, "GET /?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n", h->token,
             h->port);
    say(s, head, strlen(head));
    say(s, data, size);
    say(s, "\r\n\r\n", 4);
    hang_up(s);
}

static void broken_frames(const Host *h, const uint8_t *data, size_t size) {
    int s = open_socket(h);
    if (s < 0) return;
    say(s, data, size);
    hang_up(s);
}

static json_t *message(unsigned which, const char *text) {
    static const char *const live[] = {"start", "go_on",    "play",  "pause", "step",
                                       "reset", "back",     "speed", "input", "set",
                                       "keep",  "snapshot", "pull",  "let_go"};
    static const char *const texts[] = {"hello", "open",  "save",      "look",
                                        "build", "graph", "equations", "grab"};
    bool to_live = which % 2, to_build = !to_live && which / 2 % 8 > 3;
    const char *word = to_live ? live[which / 2 % 14] : texts[which / 2 % 8];
    json_t *m =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:i}", "to",
                  to_live    ? "live"
                  : to_build ? "build"
                             : "text",
                  "do", word, "name", which % 3 ? text : "m.bond", "text", text, "main", "m.bond",
                  "stamp", text, "value", (double)which - 100, "revision", (int)which);
    if (!m) return NULL;
    json_t *files = json_pack("{s:s}", "m.bond", which % 5 ? model : text);
    if (files) json_object_set_new(m, "files", files);
    json_object_set_new(m, "wish",
                        json_pack("{s:s, s:i, s:{s:[f, f]}}", "scope", text, "depth",
                                  (int)which - 9, "places", "c", 1e3, -1e3));
    json_object_set_new(m, "frame", json_string(which % 3 ? text : "c.q"));
    json_object_set_new(m, "names", json_pack("[s, s]", "c.q", text));
    return m;
}

static json_t *drawing(unsigned which, const char *text) {
    static const char *const kinds[] = {"add",    "bond", "unbond", "reroute",
                                        "remove", "set",  "rename"};
    return json_pack(
        "{s:s, s:{s:s, s:i, s:s, s:{s:{s:s}, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}}}", "to",
        "lsp", "message", "jsonrpc", "2.0", "id", (int)which, "method", "bondyn/draw", "params",
        "textDocument", "uri", "file:///m.bond", "do", kinds[which % 7], "type", text, "from", "j",
        "to", "r", "name", "r", "newName", text, "newTo", "c", "newFrom", "j", "value", text);
}

static void say_json(int s, json_t *m) {
    char *text = m ? json_dumps(m, JSON_COMPACT) : NULL;
    json_decref(m);
    if (text && strlen(text) < 65536) say_text(s, text, strlen(text));
    free(text);
}

// What was said is read before the connection ends: who says hello is welcomed, unless the server
// has hung up.
static void await_welcome(int s) {
    static const char word[] = "\"welcome\"";
    char buffer[4096];
    size_t met = 0;
    say_json(s, json_pack("{s:s, s:s}", "to", "text", "do", "hello"));
    for (;;) {
        ssize_t n = recv(s, buffer, sizeof buffer, 0);
        if (n <= 0) return;
        for (ssize_t i = 0; i < n; i++) {
            met = buffer[i] == word[met] ? met + 1 : buffer[i] == word[0];
            if (met == sizeof word - 1) return;
        }
    }
}

// Lines of the input: the first byte of each chooses the message, the rest is its text.
static void messages(const Host *h, const uint8_t *data, size_t size) {
    int s = open_socket(h);
    if (s < 0) return;
    say_json(s, json_pack("{s:s, s:{s:s, s:s, s:{s:{s:s, s:i, s:s}}}}", "to", "lsp", "message",
                          "jsonrpc", "2.0", "method", "textDocument/didOpen", "params",
                          "textDocument", "uri", "file:///m.bond", "version", 1, "text", model));
    for (size_t at = 0; at < size;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t n = end ? (size_t)(end - data) - at : size - at;
        char text[200];
        size_t most = n > 1 ? n - 1 : 0;
        if (most >= sizeof text) most = sizeof text - 1;
        memcpy(text, data + at + (n > 0), most);
        text[most] = 0;
        if (n) say_json(s, data[at] % 4 == 3 ? drawing(data[at], text) : message(data[at], text));
        at += n + 1;
    }
    await_welcome(s);
    hang_up(s);
}

static void is_alive(const Host *h) {
    char request[200], answer[100] = "";
    int s = connect_to(h);
    snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", h->port);
    say(s, request, strlen(request));
    if (recv(s, answer, sizeof answer - 1, 0) <= 0 || !strstr(answer, "403")) abort();
    hang_up(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const Host *h = host();
    if (size < 2) return 0;
    if (size > 1 << 14) size = 1 << 14;
    switch (data[0] % 8) {
    case 0: raw_http(h, data + 1, size - 1); break;
    case 1: odd_request(h, data + 1, size - 1); break;
    case 2:
    case 3: broken_frames(h, data + 1, size - 1); break;
    default: messages(h, data + 1, size - 1);
    }
    is_alive(h);
    return 0;
}
