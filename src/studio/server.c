// HTTP and WebSocket by libwebsockets: one page, one kind of connection, on the loopback interface.
//
//     GET /?token=T      the page (one file, compressed)
//     GET /live?token=T  upgrade to a WebSocket of protocol "bondyn"
//
// Everything else is refused. This thread only moves bytes.
#include "studio/inside.h"

#include "base/files.h"
#include "base/memory.h"
#include <libwebsockets.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOST_PAGES = 16,
    FIRST_PORT = 7317, // and the nine behind it, when none is asked for
    CHUNK = 1 << 16,
    HEADER_ROOM = 2048,
};

extern const unsigned char asset_studio[]; // the page, compressed by gzip
extern const size_t asset_studio_size;     // 0: it was not built
extern const char asset_studio_hash[];     // of its one script

typedef struct { // what libwebsockets keeps for a connection
    Page *page;  // of a WebSocket
    size_t sent; // of the page's file
} Wire;

typedef struct {
    struct lws *wire;
    Page *page;
} Open;

typedef struct Server {
    const StudioOptions *o;
    struct lws_context *context;
    char token[TOKEN_LENGTH + 1];
    int port;
    char *folder, *file;
    Open open[MOST_PAGES];
    pthread_mutex_t lock; // of what follows
    pthread_cond_t gone;
    int threads;
    bool waking;
} Server;

const StudioOptions *server_options(const Server *s) { return s->o; }
const char *server_folder(const Server *s) { return s->folder; }
const char *server_file(const Server *s) { return s->file; }

void server_thread(Server *s, int more) {
    pthread_mutex_lock(&s->lock);
    s->threads += more;
    pthread_cond_broadcast(&s->gone);
    pthread_mutex_unlock(&s->lock);
}

// The lock is held while waking: the context is only taken away when all threads have ended.
void server_wake(Server *s, Page *p) {
    (void)p;
    pthread_mutex_lock(&s->lock);
    bool first = !s->waking;
    s->waking = true;
    pthread_mutex_unlock(&s->lock);
    if (first) lws_cancel_service(s->context);
}

// --- who comes -----------------------------------------------------------------------------------

static bool header(struct lws *wire, enum lws_token_indexes which, char *to, int room) {
    int n = lws_hdr_total_length(wire, which);
    return n > 0 && n < room && lws_hdr_copy(wire, to, room, which) == n;
}

static bool has_token(const Server *s, struct lws *wire) {
    char said[100];
    const char *value = lws_get_urlarg_by_name(wire, "token=", said, sizeof said);
    return value && token_is(s->token, value);
}

static bool host_is_good(const Server *s, struct lws *wire) {
    char host[100];
    return header(wire, WSI_TOKEN_HOST, host, sizeof host) && host_is_ours(host, s->port);
}

static bool may_connect(const Server *s, struct lws *wire) {
    char origin[100];
    return host_is_good(s, wire) && has_token(s, wire) &&
           header(wire, WSI_TOKEN_ORIGIN, origin, sizeof origin) && origin_is_ours(origin, s->port);
}

// --- the page's file -----------------------------------------------------------------------------

static const char security[] =
    "default-src 'none'; script-src '%s'; style-src 'unsafe-inline'; "
    "img-src data: blob:; media-src blob:; "
    "connect-src 'self' ws://127.0.0.1:%d ws://localhost:%d; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

typedef struct {
    struct lws *wire;
    unsigned char *at, *end;
    bool good;
} Head;

static void head_add(Head *h, const char *name, const char *value) {
    h->good = h->good && lws_add_http_header_by_name(h->wire, (const unsigned char *)name,
                                                     (const unsigned char *)value,
                                                     (int)strlen(value), &h->at, h->end) == 0;
}

static int refuse(struct lws *wire, unsigned status, const char *why) {
    if (lws_return_http_status(wire, status, why) < 0) return -1;
    return lws_http_transaction_completed(wire) ? -1 : 0;
}

static int send_head(const Server *s, struct lws *wire) {
    char policy[600];
    snprintf(policy, sizeof policy, security, asset_studio_hash, s->port, s->port);
    unsigned char room[LWS_PRE + HEADER_ROOM], *start = room + LWS_PRE;
    Head h = {.wire = wire, .at = start, .end = room + sizeof room, .good = true};
    h.good = lws_add_http_common_headers(wire, HTTP_STATUS_OK, "text/html; charset=utf-8",
                                         asset_studio_size, &h.at, h.end) == 0;
    head_add(&h, "content-encoding:", "gzip");
    head_add(&h, "content-security-policy:", policy);
    head_add(&h, "x-content-type-options:", "nosniff");
    head_add(&h, "referrer-policy:", "no-referrer");
    head_add(&h, "cross-origin-opener-policy:", "same-origin");
    head_add(&h, "cross-origin-resource-policy:", "same-origin");
    head_add(&h, "cache-control:", "no-store");
    if (!h.good || lws_finalize_write_http_header(wire, start, &h.at, h.end)) return -1;
    lws_callback_on_writable(wire);
    return 0;
}

static int answer_http(Server *s, struct lws *wire, Wire *w, const char *path) {
    if (!host_is_good(s, wire))
        return refuse(wire, HTTP_STATUS_FORBIDDEN, "this server has another name");
    if (!lws_hdr_total_length(wire, WSI_TOKEN_GET_URI))
        return refuse(wire, HTTP_STATUS_METHOD_NOT_ALLOWED, "only GET");
    if (strcmp(path, "/") != 0) return refuse(wire, HTTP_STATUS_NOT_FOUND, "there is one page: /");
    if (!has_token(s, wire))
        return refuse(wire, HTTP_STATUS_FORBIDDEN,
                      "the address lacks its token: open the one that bondyn studio printed");
    w->sent = 0;
    return send_head(s, wire);
}

static int send_file(struct lws *wire, Wire *w) {
    unsigned char room[LWS_PRE + CHUNK];
    size_t left = asset_studio_size - w->sent, n = left < CHUNK ? left : CHUNK;
    memcpy(room + LWS_PRE, asset_studio + w->sent, n);
    w->sent += n;
    bool last = w->sent == asset_studio_size;
    if (lws_write(wire, room + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)n)
        return -1;
    if (last) return lws_http_transaction_completed(wire) ? -1 : 0;
    lws_callback_on_writable(wire);
    return 0;
}

static int on_http(struct lws *wire, enum lws_callback_reasons why, void *user, void *in,
                   size_t length) {
    Server *s = lws_context_user(lws_get_context(wire));
    switch (why) {
    case LWS_CALLBACK_HTTP: return answer_http(s, wire, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE: return send_file(wire, user);
    case LWS_CALLBACK_HTTP_BODY:                             // nobody is asked for one
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return -1; // a WebSocket of no protocol
    default: return lws_callback_http_dummy(wire, why, user, in, length);
    }
}

// --- the connection ------------------------------------------------------------------------------

static int begin_page(Server *s, struct lws *wire, Wire *w) {
    for (int i = 0; i < MOST_PAGES; i++) {
        if (s->open[i].wire) continue;
        w->page = page_open(s);
        if (!w->page) return -1;
        s->open[i] = (Open){wire, w->page};
        return 0;
    }
    return -1; // too many
}

static void end_page(Server *s, struct lws *wire, Wire *w) {
    for (int i = 0; i < MOST_PAGES; i++)
        if (s->open[i].wire == wire) s->open[i] = (Open){0};
    if (w->page) page_close(w->page);
    w->page = NULL;
}

// A message comes in pieces; binary ones are not for us.
static int take_piece(struct lws *wire, Wire *w, const char *in, size_t length) {
    enum { MOST = (16 << 20) + 1 };
    Page *p = w->page;
    if (!p || lws_frame_is_binary(wire) || p->partial.length + length > MOST) return -1;
    text_add_n(&p->partial, in, length);
    if (!lws_is_final_fragment(wire) || lws_remaining_packet_payload(wire)) return 0;
    bool good = page_receive(p, text_get(&p->partial), p->partial.length);
    text_clear(&p->partial);
    if (atomic_load(&p->slow)) lws_rx_flow_control(wire, 0);
    return good ? 0 : -1;
}

static int send_next(struct lws *wire, Wire *w) {
    if (!w->page) return -1;
    Parcel *next = page_next(w->page);
    if (!next) return w->page->out.closed ? -1 : 0;
    int n =
        lws_write(wire, next->data, next->length, next->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    bool good = n >= (int)next->length;
    parcel_free(next);
    if (good) lws_callback_on_writable(wire); // perhaps there is more
    return good ? 0 : -1;
}

// Some thread has something to send, or has caught up with what came in.
static void look_around(Server *s) {
    pthread_mutex_lock(&s->lock);
    s->waking = false;
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < MOST_PAGES; i++) {
        Page *p = s->open[i].page;
        if (!p) continue;
        lws_callback_on_writable(s->open[i].wire);
        if (atomic_load(&p->slow) && !box_bytes(&p->to_text) && !box_bytes(&p->to_build) &&
            !box_bytes(&p->to_live)) {
            atomic_store(&p->slow, false);
            lws_rx_flow_control(s->open[i].wire, 1);
        }
    }
}

static int on_socket(struct lws *wire, enum lws_callback_reasons why, void *user, void *in,
                     size_t length) {
    Server *s = lws_context_user(lws_get_context(wire));
    switch (why) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return may_connect(s, wire) ? 0 : -1;
    case LWS_CALLBACK_ESTABLISHED: return begin_page(s, wire, user);
    case LWS_CALLBACK_CLOSED: end_page(s, wire, user); return 0;
    case LWS_CALLBACK_RECEIVE: return take_piece(wire, user, in, length);
    case LWS_CALLBACK_SERVER_WRITEABLE: return send_next(wire, user);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: look_around(s); return 0;
    default: return 0;
    }
}

// --- life ----------------------------------------------------------------------------------------

static const struct lws_protocols protocols[] = {{.name = "http",
                                                  .callback = on_http,
                                                  .per_session_data_size = sizeof(Wire),
                                                  .rx_buffer_size = 4096},
                                                 {.name = "bondyn",
                                                  .callback = on_socket,
                                                  .per_session_data_size = sizeof(Wire),
                                                  .rx_buffer_size = 1 << 16},
                                                 {0}};

// A page that has been silent for 20 s is asked whether it is still there; after 45 s it is given
// up.
static const lws_retry_bo_t patience = {.secs_since_valid_ping = 20, .secs_since_valid_hangup = 45};

static struct lws_context *listen_at(Server *s, int port) {
    struct lws_context_creation_info info = {
        .port = port,
        .iface = "127.0.0.1",
        .protocols = protocols,
        .user = s,
        .options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .timeout_secs = 10,
        .keepalive_timeout = 5,
        .max_http_header_data = 4096,
        .max_http_header_pool = 64,
        .retry_and_idle_policy = &patience,
        .pt_serv_buf_size = 1 << 16,
        .vhost_name = "bondyn",
    };
    return lws_create_context(&info);
}

static int port_of(const Server *s) {
    struct lws_vhost *v = lws_get_vhost_by_name(s->context, "bondyn");
    return v ? lws_get_vhost_listen_port(v) : 0;
}

static bool begin(Server *s) {
    lws_set_log_level(0, NULL);
    if (s->o->port) {
        s->context = listen_at(s, s->o->port);
    } else {
        for (int i = 0; i < 10 && !s->context; i++) s->context = listen_at(s, FIRST_PORT + i);
        if (!s->context) s->context = listen_at(s, 0);
    }
    if (s->context) s->port = port_of(s);
    return s->context && s->port > 0;
}

static bool find_file(Server *s, BdReport *r) {
    Arena arena = {0};
    s->folder = realpath(path_folder(&arena, s->o->file), NULL);
    arena_free(&arena);
    struct stat about;
    bool there = s->folder && stat(s->o->file, &about) == 0;
    if (!s->folder || (there && !S_ISREG(about.st_mode))) {
        Text t = {0};
        text_printf(&t, "%s cannot be opened", s->o->file);
        bd_report_add(r, BD_ERROR, "T001", text_get(&t),
                      s->folder ? "it is no file" : "there is no such folder");
        text_free(&t);
        return false;
    }
    Text path = {0};
    text_printf(&path, "%s/%s", s->folder,
                path_base(s->o->file)); // a new one is written when saved
    s->file = path.data;
    return true;
}

static void tell_address(const Server *s) {
    Text t = {0};
    text_printf(&t, "http://127.0.0.1:%d/?token=%s", s->port, s->token);
    s->o->ready(s->o->context, text_get(&t));
    text_free(&t);
}

// Threads are told by their closed pages; what they are at may take a moment.
static void wait_for_threads(Server *s) {
    pthread_mutex_lock(&s->lock);
    while (s->threads > 0) pthread_cond_wait(&s->gone, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

static bool say_no_start(BdReport *r, const Server *s) {
    char words[80];
    snprintf(words, sizeof words,
             s->o->port ? "port %d of this machine cannot be used"
                        : "no port of this machine can be used",
             s->o->port);
    bd_report_add(r, BD_ERROR, "T017", words,
                  "another program listens there: take another --port, or none");
    return false;
}

bool studio_serve(const StudioOptions *o, BdReport *r) {
    Server s = {.o = o};
    if (!asset_studio_size) {
        bd_report_add(r, BD_ERROR, "T017", "this bondyn was built without the studio",
                      "install node (18 or later) and npm, and build it again");
        return false;
    }
    bool good = find_file(&s, r);
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.gone, NULL);
    if (good && !(begin(&s) && token_get(s.token, s.port))) good = say_no_start(r, &s);
    if (good) tell_address(&s);
    while (good && !*o->interrupt) lws_service(s.context, 0);
    for (int i = 0; i < MOST_PAGES; i++)
        if (s.open[i].page) page_rest(s.open[i].page);
    if (s.context) {
        wait_for_threads(&s);
        lws_context_destroy(s.context);
        wait_for_threads(&s);
    }
    pthread_cond_destroy(&s.gone);
    pthread_mutex_destroy(&s.lock);
    free(s.folder);
    free(s.file);
    return good;
}
