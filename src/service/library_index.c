// See library_index.h. Self-tests of the library, which its experiments run, are left out.
#include "service/library_index.h"

#include "base/files.h"
#include "lang/parser.h"
#include "service/describe.h"
#include <string.h>

void class_snippet(Text *out, const Names *n, const AstClass *c) {
    int place = 1;
    text_printf(out, "%s ${%d:name}", name_text(n, c->name), place++);
    bool first = true;
    for (const AstItem *i = c->items; i; i = i->next) {
        if (i->kind != ITEM_PARAM || i->left) continue;
        text_printf(out, "%s%s = ${%d}", first ? "(" : ", ", name_text(n, i->name), place++);
        first = false;
    }
    if (!first) text_char(out, ')');
}

static bool is_tested(const AstFile *file, const AstClass *model) {
    for (const AstClass *c = file->classes; c; c = c->next)
        if (c->kind == CLASS_EXPERIMENT && c->base && c->base->kind == AST_NAME &&
            c->base->name == model->name)
            return true;
    return false;
}

static const char *kept(LibraryIndex *l, Text *t) {
    const char *copy = arena_copy_text(&l->arena, text_get(t), t->length);
    text_clear(t);
    return copy;
}

static void add_class(LibraryIndex *l, const Names *n, const char *file, const AstClass *c) {
    Text t = {0};
    LibraryEntry e = {.kind = c->kind, .file = file};
    e.name = arena_printf(&l->arena, "%s", name_text(n, c->name));
    e.text = arena_printf(&l->arena, "%s", name_text(n, c->text));
    describe_class(&t, n, c);
    e.detail = kept(l, &t);
    e.has_ports = c->base;
    for (const AstItem *i = c->items; i; i = i->next) e.has_ports |= i->kind == ITEM_PORT;
    class_snippet(&t, n, c);
    e.snippet = kept(l, &t);
    text_free(&t);
    array_push(&l->entry, e);
}

static void add_file(LibraryIndex *l, const char *path) {
    Arena arena = {0};
    Report quiet = {0};
    size_t length;
    Names *names = names_new();
    Sources *sources = sources_new();
    const char *stem = path_stem(&l->arena, path);
    char *text = file_read(&arena, path, &length, &quiet, POS_NONE);
    if (text) {
        uint32_t source = sources_add(sources, path, text, length);
        const AstFile *file = parse_file(&arena, names, sources, source, &quiet);
        array_push(&l->file, stem);
        for (const AstClass *c = file ? file->classes : NULL; c; c = c->next)
            if (c->kind != CLASS_IMPORT && c->kind != CLASS_EXPERIMENT && !is_tested(file, c))
                add_class(l, names, stem, c);
    }
    report_free(&quiet);
    sources_free(sources);
    names_free(names);
    arena_free(&arena);
}

LibraryIndex *library_index_new(const char *folder) {
    LibraryIndex *l = calloc(1, sizeof *l);
    int count = 0;
    if (!l) abort();
    char **path = folder ? folder_files(&l->arena, folder, ".bond", &count) : NULL;
    for (int i = 0; i < count; i++) add_file(l, path[i]);
    return l;
}

void library_index_free(LibraryIndex *l) {
    if (!l) return;
    array_free(&l->entry);
    array_free(&l->file);
    arena_free(&l->arena);
    free(l);
}
