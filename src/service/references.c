// All places that mean one thing. A declaration is known by its file and its place there, so that
// what several readings of the same files say can be put together.
#include "base/files.h"
#include "service/uses.h"
#include <string.h>

typedef struct {
    const char *path; // of the declaration
    uint32_t at;
    const char *word;
    References found;
} Search;

static void add(Search *k, const char *path, const Use *u) {
    for (int i = 0; i < k->found.count; i++)
        if (k->found.data[i].at == u->at && strcmp(k->found.data[i].path, path) == 0) return;
    char *copy = strdup(path);
    if (!copy) abort();
    array_push(&k->found, ((Reference){copy, u->at, u->end, u->declares}));
}

static void search_file(Search *k, const Analysis *a, const AstFile *file) {
    size_t length;
    if (!strstr(source_text(a->sources, file->source, &length), k->word)) return;
    Uses uses = uses_of_file(a, file);
    char *path = real_path(source_name(a->sources, file->source));
    for (int i = 0; i < uses.count; i++) {
        const Use *u = &uses.data[i];
        if (strcmp(name_text(a->names, u->meaning.name), k->word) != 0) continue;
        if (!u->meaning.pos.file || u->meaning.pos.at != k->at) continue;
        char *home = real_path(source_name(a->sources, u->meaning.pos.file));
        if (strcmp(home, k->path) == 0) add(k, path, u);
        free(home);
    }
    free(path);
    array_free(&uses);
}

static void search_analysis(Search *k, const Analysis *a) {
    for (const AstFile *f = a->syntax->files; f; f = f->next) search_file(k, a, f);
}

// Files beside the document that have the word are read for themselves: they may import it.
static void search_folder(Search *k, const Store *s, const Analysis *a) {
    Arena arena = {0};
    Report quiet = {0};
    int count;
    const char *own = source_name(a->sources, analysis_file(a)->source);
    char **path = folder_files(&arena, path_folder(&arena, own), ".bond", &count);
    for (int i = 0; i < count; i++) {
        size_t length;
        Document *d = store_find(s, path[i]);
        const char *text =
            d ? text_get(&d->text) : file_read(&arena, path[i], &length, &quiet, POS_NONE);
        if (!text || !strstr(text, k->word)) continue;
        Analysis *other = analysis_new(s, path[i], d);
        search_analysis(k, other);
        analysis_free(other);
    }
    report_free(&quiet);
    arena_free(&arena);
}

static int by_place(const void *pa, const void *pb) {
    const Reference *a = pa, *b = pb;
    int order = strcmp(a->path, b->path);
    return order ? order : a->at < b->at ? -1 : a->at > b->at;
}

References references_to(const Store *s, const Analysis *a, const Meaning *m) {
    if (!m->pos.file) return (References){0};
    char *home = real_path(source_name(a->sources, m->pos.file));
    Search k = {.path = home, .at = m->pos.at, .word = name_text(a->names, m->name)};
    search_analysis(&k, a);
    search_folder(&k, s, a);
    free(home);
    if (k.found.count) qsort(k.found.data, (size_t)k.found.count, sizeof k.found.data[0], by_place);
    return k.found;
}

void references_free(References *r) {
    for (int i = 0; i < r->count; i++) free(r->data[i].path);
    array_free(r);
}
