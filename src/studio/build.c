// The thread of a page that builds models: it may take its time, messages about the text do not
// wait for it.
//
//     build main files experiment    a model, everything that a page shows of it
//     graph view                     the graph of the last good model, drawn otherwise
//     equations                      of the last good model, typeset
//     report                         the page of a whole run
//     grab frame axes                the last good model with a hand at a frame
#include "studio/inside.h"

#include "base/files.h"
#include "base/memory.h"
#include <string.h>

typedef struct {
    Page *page;
    Built *built; // the last good one
    json_t *last; // the message that it was built for
    Text pulls;   // frames of it that are pulled
} BuildSide;

// --- texts ---------------------------------------------------------------------------------------

typedef struct {
    const Page *page;
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
        char *own = folder_path(server_folder(r->page->server), name, false);
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
static BdModel *load_pulled(BuildSide *t, const json_t *message, const char *path, BdReport *r) {
    Reading reading = {t->page, json_object_get(message, "files")};
    const BdModel *plain = t->built->model;
    const char *experiment = bd_model_experiment(plain);
    Text hands = {0};
    pulled_model(&hands, bd_model_name(plain), text_get(&t->pulls));
    BdLoadOptions o = bd_default_load_options();
    o.experiment = *experiment ? experiment : NULL;
    o.model = PULLED_MODEL;
    o.added = text_get(&hands);
    o.library = server_options(t->page->server)->library;
    o.read = read_for_build;
    o.read_context = &reading;
    BdModel *m = bd_load(path, &o, r);
    text_free(&hands);
    return m;
}

static BdModel *load(BuildSide *t, const json_t *message, const char *path, BdReport *r) {
    Reading reading = {t->page, json_object_get(message, "files")};
    BdLoadOptions o = bd_default_load_options();
    const char *experiment = message_string(message, "experiment"),
               *model = message_string(message, "model");
    o.experiment = *experiment ? experiment : NULL;
    o.model = *model ? model : NULL;
    o.library = server_options(t->page->server)->library;
    o.read = read_for_build;
    o.read_context = &reading;
    return bd_load(path, &o, r);
}

// Hands a model over to the live thread, which takes it when it is ready. A model that it has not
// taken yet is replaced.
static void hand_to_live(Page *p, Built **slot, Built *b, const char *word) {
    pthread_mutex_lock(&p->to_live.lock);
    Built *old = *slot;
    *slot = built_keep(b);
    pthread_mutex_unlock(&p->to_live.lock);
    built_free(old);
    box_put(&p->to_live, parcel_new(word, strlen(word), false));
}

// Somebody takes hold of a frame.
static void grab(BuildSide *t, const json_t *message) {
    if (!t->built || !t->last) return;
    bool world = strcmp(message_string(message, "axes"), "world") == 0;
    size_t before = t->pulls.length;
    if (!pull_add(&t->pulls, message_string(message, "frame"), world)) {
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

static void build(BuildSide *t, const json_t *message) {
    const char *folder = server_folder(t->page->server);
    char *path = folder_path(folder, message_string(message, "main"), false);
    long revision = (long)json_integer_value(json_object_get(message, "revision"));
    if (!path) {
        page_send(t->page, json_pack("{s:s, s:I, s:b, s:[]}", "do", "built", "revision",
                                     (json_int_t)revision, "good", 0, "messages"));
        return;
    }
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

static void draw_again(BuildSide *t, const json_t *message) {
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

static void make_report(BuildSide *t) {
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

static void handle(BuildSide *t, const json_t *message) {
    const char *what = message_string(message, "do");
    if (strcmp(what, "build") == 0)
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

void *build_thread(void *context) {
    Page *p = context;
    BuildSide t = {.page = p};
    while (page_works(p, &p->to_build)) {
        if (!box_wait(&p->to_build, NULL)) continue;
        json_t *message = page_take(p, &p->to_build);
        if (message) handle(&t, message);
        json_decref(message);
    }
    built_free(t.built);
    json_decref(t.last);
    text_free(&t.pulls);
    page_release(p);
    return NULL;
}
