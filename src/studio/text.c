// The thread of a page that looks at texts. Messages of the Language Server Protocol go to src/lsp
// as they are; the others are about files:
//
//     hello                          what is open, and which files there are
//     open name                      text of a file in the folder, with its stamp
//     save name text stamp           refused when the file has changed since
//     look [name stamp]              which files were changed by others
#include "studio/inside.h"

#include "base/files.h"
#include "base/memory.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct Text_ {
    Page *page;
    BdServer *lsp;
    Text from_lsp; // a message of it that is not whole yet
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
    const char *name = message_string(message, "name");
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
    const char *name = message_string(message, "name");
    const json_t *text = json_object_get(message, "text");
    char *path = folder_path(folder_of(t), name, false);
    Text stamp = {0};
    Report report = {0};
    if (path) stamp_of(&stamp, path);
    bool same = path && strcmp(text_get(&stamp), message_string(message, "stamp")) == 0;
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
        char *path = folder_path(folder_of(t), message_string(one, "name"), false);
        if (!path) continue;
        stamp_of(&stamp, path);
        if (strcmp(text_get(&stamp), message_string(one, "stamp")) != 0)
            json_array_append_new(changed,
                                  json_pack("{s:s, s:s}", "name", message_string(one, "name"),
                                            "stamp", text_get(&stamp)));
        free(path);
    }
    text_free(&stamp);
    if (json_array_size(changed))
        page_send(t->page, json_pack("{s:s, s:o}", "do", "changed", "files", changed));
    else
        json_decref(changed);
}

// --- the thread ----------------------------------------------------------------------------------

static void handle(TextSide *t, const json_t *message) {
    const char *to = message_string(message, "to"), *what = message_string(message, "do");
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
}

// The first look at a text comes at once; what can wait does so until nobody has typed for a
// moment, so that the next key finds nothing under way.
static struct timespec in_a_moment(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += 250000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

void *text_thread(void *context) {
    Page *p = context;
    TextSide t = {.page = p};
    t.lsp = bd_lsp_new(server_options(p->server)->library, take_from_lsp, &t);
    struct timespec until = {0};
    bool more = false;
    while (page_works(p, &p->to_text)) {
        if (!box_wait(&p->to_text, more ? &until : NULL)) {
            bool first = !until.tv_sec;
            more = more && bd_lsp_work(t.lsp);
            if (first) until = in_a_moment();
            continue;
        }
        json_t *message = page_take(p, &p->to_text);
        if (message) handle(&t, message);
        json_decref(message);
        more = true;
        until = (struct timespec){0};
    }
    bd_lsp_free(t.lsp);
    text_free(&t.from_lsp);
    page_release(p);
    return NULL;
}
