// One open page: a connection, and the three threads that work for it. The last of the four that
// leaves turns off the light.
#include "studio/inside.h"

#include "base/memory.h"
#include <string.h>

enum {
    MOST_WAITING = 64 << 20, // bytes of answers that the page has not read: then it is given up
    INBOX_FULL = 8 << 20,    // bytes that the threads have not looked at: then no more is read
    LONGEST_MESSAGE = 16 << 20,
};

// --- life ----------------------------------------------------------------------------------------

static bool begin_thread(Page *p, void *(*thread)(void *)) {
    pthread_t id;
    pthread_attr_t how;
    pthread_attr_init(&how);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&how, (size_t)64 << 20); // as deep as the program's own
    atomic_fetch_add(&p->users, 1);
    server_thread(p->server, 1);
    bool good = pthread_create(&id, &how, thread, p) == 0;
    pthread_attr_destroy(&how);
    if (good) return true;
    server_thread(p->server, -1);
    atomic_fetch_sub(&p->users, 1);
    return false;
}

Page *page_open(struct Server *s) {
    Page *p = memory_zeroed(1, sizeof *p);
    p->server = s;
    atomic_store(&p->users, 1);
    box_open(&p->to_text);
    box_open(&p->to_build);
    box_open(&p->to_live);
    box_open(&p->out);
    if (begin_thread(p, text_thread) && begin_thread(p, build_thread) &&
        begin_thread(p, live_thread))
        return p;
    page_close(p);
    return NULL;
}

static void leave(Page *p) {
    if (atomic_fetch_sub(&p->users, 1) > 1) return;
    box_empty(&p->to_text);
    box_empty(&p->to_build);
    box_empty(&p->to_live);
    box_empty(&p->out);
    parcel_free(p->frame);
    built_free(p->fresh);
    built_free(p->pulled);
    text_free(&p->partial);
    free(p);
}

void page_rest(Page *p) {
    box_close(&p->to_text);
    box_close(&p->to_build);
    box_close(&p->to_live);
}

void page_close(Page *p) {
    atomic_store(&p->closed, true);
    page_rest(p);
    box_close(&p->out);
    leave(p);
}

void page_release(Page *p) {
    struct Server *s = p->server;
    leave(p);
    server_thread(s, -1);
}

// --- from the page -------------------------------------------------------------------------------

// {"to": "lsp" | "text" | "build" | "live", ...}; who has no side of its own is for that of texts.
static Box *box_for(Page *p, const char *text, size_t length) {
    static const char live[] = "{\"to\":\"live\"", build[] = "{\"to\":\"build\"";
    if (length >= sizeof live - 1 && memcmp(text, live, sizeof live - 1) == 0) return &p->to_live;
    if (length >= sizeof build - 1 && memcmp(text, build, sizeof build - 1) == 0)
        return &p->to_build;
    return &p->to_text;
}

bool page_receive(Page *p, const char *text, size_t length) {
    if (length > LONGEST_MESSAGE) return false;
    Box *to = box_for(p, text, length);
    box_put(to, parcel_new(text, length, false));
    if (box_bytes(to) > INBOX_FULL) atomic_store(&p->slow, true);
    return box_bytes(to) < (size_t)4 * INBOX_FULL;
}

bool page_works(Page *p, const Box *in) { return !atomic_load(&p->closed) && !in->closed; }

json_t *page_take(Page *p, Box *in) {
    Parcel *parcel = box_take(in);
    json_t *message =
        parcel ? json_loadb((const char *)parcel->data, parcel->length, 0, NULL) : NULL;
    parcel_free(parcel);
    if (atomic_load(&p->slow)) server_wake(p->server, p);
    return message;
}

const char *message_string(const json_t *from, const char *key) {
    const char *s = json_string_value(json_object_get(from, key));
    return s ? s : "";
}

// --- to the page ---------------------------------------------------------------------------------

static void send_parcel(Page *p, Parcel *parcel) {
    if (!box_put(&p->out, parcel)) return;
    if (box_bytes(&p->out) > MOST_WAITING) box_close(&p->out); // it does not read
    server_wake(p->server, p);
}

void page_send_text(Page *p, const char *json, size_t length) {
    send_parcel(p, parcel_new(json, length, false));
}

void page_send(Page *p, json_t *message) {
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    if (text) page_send_text(p, text, strlen(text));
    free(text);
}

void page_send_numbers(Page *p, const double *x, size_t count) {
    send_parcel(p, parcel_new(x, count * sizeof *x, true));
}

void page_send_frame(Page *p, const double *x, size_t count) {
    Parcel *fresh = parcel_new(x, count * sizeof *x, true);
    pthread_mutex_lock(&p->out.lock);
    Parcel *old = p->frame;
    p->frame = fresh;
    pthread_mutex_unlock(&p->out.lock);
    if (old) atomic_fetch_add(&p->frames_dropped, 1);
    parcel_free(old);
    server_wake(p->server, p);
}

void page_tell(Page *p, const char *kind, const char *text) {
    page_send(p, json_pack("{s:s, s:s, s:s}", "do", "tell", "kind", kind, "text", text));
}

Parcel *page_next(Page *p) {
    Parcel *next = box_take(&p->out);
    if (next) return next;
    pthread_mutex_lock(&p->out.lock);
    next = p->frame;
    p->frame = NULL;
    pthread_mutex_unlock(&p->out.lock);
    return next;
}
