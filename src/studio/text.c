// The thread of a page that looks at texts. Messages of the Language Server Protocol go to src/lsp
// as they are; the others are about files and builds:
//
//     hello                          what is open, and which files there are
//     open name                      text of a file in the folder, with its stamp
//     save name text stamp           refused when the file has changed since
//     look [name stamp]              which files were changed by others
//     build main files experiment    a model, everything that a page shows of it
//     graph wish                     the graph of the last good model, drawn otherwise
//     report                         the page of a whole run
#include "studio/inside.h"

#include "base/files.h"
#include "base/memory.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct Text_ {
    Page *page;
    BdServer *lsp;
    Text from_lsp; // a message of it that is not whole yet
    Built *built;  // the last good one
    json_t *last;  // the message that it was built for
    Text pulls;    // frames of it that are pulled
};

// --- language server -----------------------------------------------------------------------------

// What comes has a header; the page gets the message in an envelope.
static void take_from_lsp(void *context, const char *bytes, size_t length) {
    TextSide *t = context;
    text_add_n(&t->from_lsp, bytes, length);
    for (;;) {
        const char *all = text_get(&t->from_lsp), *body = strstr(all, "\r\n\r\n");
        if (!body) return;
        size_t head = (size_t)(body + 4 - all),
               n = strtoul(all + strlen("Content-Length: "), NULL, 10);
        if (t->from_lsp.length - head < n) return;
        Text out = {0};
        text_add(&out, "{\"do\":\"lsp\",\"message\":");
        text_add_n(&out, body + 4, n);
        text_char(&out, '}');
        page_send_text(t->page, text_get(&out), out.length);
        text_free(&out);
        Text rest = {0};
        text_add_n(&rest, all + head + n, t->from_lsp.length - head - n);
        text_free(&t->from_lsp);
        t->from_lsp = rest;
    }
}

static void give_to_lsp(TextSide *t, const json_t *message) {
    char *body = json_dumps(message, JSON_COMPACT);
    if (!body) return;
    Text in = {0};
    text_printf(&in, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
    bd_lsp_receive(t->lsp, text_get(&in), in.length);
    text_free(&in);
    free(body);
}

// --- files ---------------------------------------------------------------------------------------

static void stamp_of(Text *out, const char *path) {
    struct stat about;
    text_clear(out);
    if (stat(path, &about) != 0)
        text_add(out, "none");
    else
        text_printf(out, "%lld.%09ld %lld", (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec,
                    (long long)about.st_size);
}

static const char *string_in(const json_t *from, const char *key) {
    const char *s = json_string_value(json_object_get(from, key));
    return s ? s : "";
}

static const char *folder_of(const TextSide *t) { return server_folder(t->page->server); }

static void say_hello(TextSide *t) {
    Arena arena = {0};
    const char *folder = folder_of(t), *file = server_file(t->page->server);
    int count;
    char **path = folder_files(&arena, folder, ".bond", &count);
    json_t *files = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(files, json_string(path_base(path[i])));
    page_send(t->page,
              json_pack("{s:s, s:s, s:s, s:s, s:o}", "do", "welcome", "version", bd_version(),
                        "folder", folder, "file", path_base(file), "files", files));
    arena_free(&arena);
}

static void open_file(TextSide *t, const json_t *message) {
    const char *name = string_in(message, "name");
    char *path = folder_path(folder_of(t), name, false);
    if (!path) {
        page_tell(t->page, "error", "this file is outside of the folder that is open");
        return;
    }
    Arena arena = {0};
    Report quiet = {0};
    Text stamp = {0};
    stamp_of(&stamp, path);
    size_t length = 0;
    bool is_new = strcmp(text_get(&stamp), "none") == 0;
    const char *text = is_new ? "" : file_read(&arena, path, &length, &quiet, POS_NONE);
    json_t *string = text ? json_stringn(text, length) : NULL;
    if (!string)
        page_tell(t->page, "error",
                  text ? "the file is no text in UTF-8" : "the file cannot be read");
    else
        page_send(t->page, json_pack("{s:s, s:s, s:s, s:s, s:o}", "do", "opened", "name", name,
                                     "path", path, "stamp", text_get(&stamp), "text", string));
    text_free(&stamp);
    report_free(&quiet);
    arena_free(&arena);
    free(path);
}

static void save_file(TextSide *t, const json_t *message) {
    const char *name = string_in(message, "name");
    const json_t *text = json_object_get(message, "text");
    char *path = folder_path(folder_of(t), name, false);
    Text stamp = {0};
    Report report = {0};
    if (path) stamp_of(&stamp, path);
    bool same = path && strcmp(text_get(&stamp), string_in(message, "stamp")) == 0;
    if (!path || !json_is_string(text)) {
        page_tell(t->page, "error", "only files of the folder that is open can be saved");
    } else if (!same && !json_is_true(json_object_get(message, "force"))) {
        page_send(t->page, json_pack("{s:s, s:s}", "do", "conflict", "name", name));
    } else if (file_write(path, json_string_value(text), json_string_length(text), &report)) {
        stamp_of(&stamp, path);
        page_send(t->page, json_pack("{s:s, s:s, s:s}", "do", "saved", "name", name, "stamp",
                                     text_get(&stamp)));
    } else {
        page_tell(t->page, "error", "the file cannot be written: your text is still here, unsaved");
    }
    report_free(&report);
    text_free(&stamp);
    free(path);
}

static void look_at_files(TextSide *t, const json_t *message) {
    size_t i;
    json_t *one, *changed = json_array();
    Text stamp = {0};
    json_array_foreach(json_object_get(message, "files"), i, one) {
        char *path = folder_path(folder_of(t), string_in(one, "name"), false);
        if (!path) continue;
        stamp_of(&stamp, path);
        if (strcmp(text_get(&stamp), string_in(one, "stamp")) != 0)
            json_array_append_new(changed, json_pack("{s:s, s:s}", "name", string_in(one, "name"),
                                                     "stamp", text_get(&stamp)));
        free(path);
    }
    text_free(&stamp);
    if (json_array_size(changed))
        page_send(t->page, json_pack("{s:s, s:o}", "do", "changed", "files", changed));
    else
        json_decref(changed);
}

// --- builds --------------------------------------------------------------------------------------

typedef struct {
    const TextSide *t;
    const json_t *files; // name -> text, as the page has it
} Reading;

static char *text_copy(const char *text, size_t length) {
    char *copy = memory_zeroed(length + 1, 1);
    if (length) memcpy(copy, text, length);
    return copy;
}

// Texts of the page stand before those on the disk.
static char *read_for_build(void *context, const char *path, size_t *length) {
    const Reading *r = context;
    const char *name;
    json_t *text;
    char *real = realpath(path, NULL);
    char *found = NULL;
    json_object_foreach((json_t *)r->files, name, text) {
        char *own = folder_path(folder_of(r->t), name, false);
        bool same = own && strcmp(own, real ? real : path) == 0 && json_is_string(text);
        free(own);
        if (!same) continue;
        *length = json_string_length(text);
        found = text_copy(json_string_value(text), *length);
        break;
    }
    free(real);
    if (found) return found;
    Arena arena = {0};
    Report quiet = {0};
    const char *disk = file_read(&arena, path, length, &quiet, POS_NONE);
    if (disk) found = text_copy(disk, *length);
    report_free(&quiet);
    arena_free(&arena);
    return found;
}

// With hands at frames, as an extension of the model that was built.
static BdModel *load_pulled(TextSide *t, const json_t *message, const char *path, BdReport *r) {
    Reading reading = {t, json_object_get(message, "files")};
    const BdModel *plain = t->built->model;
    PulledText text = {.main = path,
                       .model = bd_model_name(plain),
                       .experiment = bd_model_experiment(plain),
                       .pulls = text_get(&t->pulls),
                       .read = read_for_build,
                       .context = &reading};
    BdLoadOptions o = bd_default_load_options();
    o.experiment = *text.experiment ? text.experiment : NULL;
    o.model = *text.experiment ? NULL : PULLED_MODEL;
    o.library = server_options(t->page->server)->library;
    o.read = pulled_read;
    o.read_context = &text;
    return bd_load(path, &o, r);
}

static BdModel *load(TextSide *t, const json_t *message, const char *path, BdReport *r) {
    Reading reading = {t, json_object_get(message, "files")};
    BdLoadOptions o = bd_default_load_options();
    const char *experiment = string_in(message, "experiment"), *model = string_in(message, "model");
    o.experiment = *experiment ? experiment : NULL;
    o.model = *model ? model : NULL;
    o.library = server_options(t->page->server)->library;
    o.read = read_for_build;
    o.read_context = &reading;
    return bd_load(path, &o, r);
}

// The live side takes it when it likes; what it did not look at yet is replaced.
static void hand_to_live(Page *p, Built **slot, Built *b, const char *word) {
    pthread_mutex_lock(&p->to_live.lock);
    Built *old = *slot;
    *slot = built_keep(b);
    pthread_mutex_unlock(&p->to_live.lock);
    built_free(old);
    box_put(&p->to_live, parcel_new(word, strlen(word), false));
}

// Somebody takes hold of a frame.
static void grab(TextSide *t, const json_t *message) {
    if (!t->built || !t->last) return;
    bool world = strcmp(string_in(message, "axes"), "world") == 0;
    size_t before = t->pulls.length;
    if (!pull_add(&t->pulls, string_in(message, "frame"), world)) {
        page_tell(t->page, "error",
                  "this frame cannot be pulled: frames of mechanisms in a model can, up to 16");
        return;
    }
    BdReport *r = bd_report_new();
    BdModel *m = load_pulled(t, t->last, t->built->path, r);
    if (m) {
        Built *b = built_new(m, t->built->revision, t->built->path);
        free(b->pulls);
        free(b->plain);
        b->pulls = text_copy(text_get(&t->pulls), t->pulls.length);
        const char *plain = bd_model_name(t->built->model);
        b->plain = text_copy(plain, strlen(plain));
        hand_to_live(t->page, &t->page->pulled, b, "{\"to\":\"live\",\"do\":\"pulled\"}");
        built_free(b);
    } else {
        page_tell(t->page, "error", bd_report_text(r));
        t->pulls.length = before; // hands that are there keep their numbers
        t->pulls.data[before] = 0;
    }
    bd_report_free(r);
}

static void build(TextSide *t, const json_t *message) {
    char *path = folder_path(folder_of(t), string_in(message, "main"), false);
    if (!path) return;
    long revision = (long)json_integer_value(json_object_get(message, "revision"));
    BdReport *r = bd_report_new();
    BdModel *m = load(t, message, path, r);
    json_t *answer =
        json_pack("{s:s, s:I, s:b, s:o}", "do", "built", "revision", (json_int_t)revision, "good",
                  m != NULL, "messages", messages_json(r));
    if (m) {
        Built *b = built_new(m, revision, path);
        json_t *all = built_json(b, json_object_get(message, "wish"));
        json_object_update(answer, all);
        json_decref(all);
        built_free(t->built);
        t->built = b;
        json_decref(t->last);
        t->last = json_deep_copy(message);
        text_clear(&t->pulls);
    }
    page_send(t->page, answer);
    if (m) hand_to_live(t->page, &t->page->fresh, t->built, "{\"to\":\"live\",\"do\":\"fresh\"}");
    bd_report_free(r);
    free(path);
}

static void draw_again(TextSide *t, const json_t *message) {
    if (!t->built) return;
    json_t *graph = graph_json(t->built, json_object_get(message, "wish"));
    json_object_set_new(graph, "do", json_string("graph"));
    json_object_set_new(graph, "revision", json_integer(t->built->revision));
    page_send(t->page, graph);
}

static bool goes_on(void *page, double fraction) {
    (void)fraction;
    return !atomic_load(&((Page *)page)->closed);
}

static void make_report(TextSide *t) {
    if (!t->built) return;
    BdRunOptions o = bd_default_run_options();
    BdReport *r = bd_report_new();
    o.progress = goes_on;
    o.context = t->page;
    char *html = bd_page(t->built->model, &o, r);
    if (html)
        page_send(t->page, json_pack("{s:s, s:s, s:s}", "do", "report", "name",
                                     bd_model_experiment(t->built->model), "html", html));
    else
        page_tell(t->page, "error", bd_report_text(r));
    bd_free(html);
    bd_report_free(r);
}

// --- the thread ----------------------------------------------------------------------------------

static void handle(TextSide *t, const json_t *message) {
    const char *to = string_in(message, "to"), *what = string_in(message, "do");
    if (strcmp(to, "lsp") == 0)
        give_to_lsp(t, json_object_get(message, "message"));
    else if (strcmp(what, "hello") == 0)
        say_hello(t);
    else if (strcmp(what, "open") == 0)
        open_file(t, message);
    else if (strcmp(what, "save") == 0)
        save_file(t, message);
    else if (strcmp(what, "look") == 0)
        look_at_files(t, message);
    else if (strcmp(what, "build") == 0)
        build(t, message);
    else if (strcmp(what, "graph") == 0)
        draw_again(t, message);
    else if (strcmp(what, "equations") == 0 && t->built)
        page_send(t->page, equations_json(t->built));
    else if (strcmp(what, "report") == 0)
        make_report(t);
    else if (strcmp(what, "grab") == 0)
        grab(t, message);
}

void *text_thread(void *context) {
    Page *p = context;
    TextSide t = {.page = p};
    t.lsp = bd_lsp_new(server_options(p->server)->library, take_from_lsp, &t);
    bool more = false;
    while (!atomic_load(&p->closed) && !p->to_text.closed) {
        static const struct timespec at_once = {0};
        if (!box_wait(&p->to_text, more ? &at_once : NULL)) {
            more = more && bd_lsp_work(t.lsp);
            continue;
        }
        Parcel *parcel = box_take(&p->to_text);
        json_t *message =
            parcel ? json_loadb((const char *)parcel->data, parcel->length, 0, NULL) : NULL;
        if (message) handle(&t, message);
        json_decref(message);
        parcel_free(parcel);
        more = true;
        if (atomic_load(&p->slow)) server_wake(p->server, p);
    }
    bd_lsp_free(t.lsp);
    text_free(&t.from_lsp);
    built_free(t.built);
    json_decref(t.last);
    text_free(&t.pulls);
    page_release(p);
    return NULL;
}
