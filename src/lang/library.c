// The files of the library are read only when a name is not known, to say where it is:
//
//     Resistor   -> electric.bond has it       -> import electric
//     Resitor    -> the nearest of all names   -> did you mean 'Resistor'? ... import electric
//
// They are parsed with names and reports of their own; what is wrong in them is not said here.
#include "lang/library.h"

#include "base/array.h"
#include "base/files.h"
#include "lang/parser.h"
#include <string.h>

enum { MOST_FILES = 200 };

typedef struct {
    const char *word, *only; // only: the file's name in front of the word, or NULL
    unsigned kinds;
    Suggestion near;
    ARRAY(const AstFile *) files;
    Arena arena;
    Names *names;
    Sources *sources;
    Report quiet;
} Search;

static void read_file(Search *k, const char *path) {
    size_t length;
    const char *stem = path_stem(&k->arena, path);
    if (k->only && strcmp(k->only, stem) != 0) return;
    char *text = file_read(&k->arena, path, &length, &k->quiet, POS_NONE);
    if (!text) return;
    uint32_t source = sources_add(k->sources, path, text, length);
    AstFile *file = parse_file(&k->arena, k->names, k->sources, source, &k->quiet);
    if (!file) return;
    file->stem = name_of(k->names, stem);
    array_push(&k->files, file);
}

static bool defines(const Search *k, const AstFile *file, const char *word) {
    for (const AstClass *c = file->classes; c; c = c->next)
        if ((k->kinds >> c->kind & 1) && strcmp(name_text(k->names, c->name), word) == 0)
            return true;
    return false;
}

static void offer_classes(Search *k, const AstFile *file) {
    for (const AstClass *c = file->classes; c; c = c->next)
        if (k->kinds >> c->kind & 1) suggest_offer(&k->near, name_text(k->names, c->name));
}

// "`import rotation` or `import translation`"; empty when no file defines the word.
static void add_imports(Text *out, const Search *k, const char *word) {
    for (int i = 0; i < k->files.count; i++) {
        if (!defines(k, k->files.data[i], word)) continue;
        text_printf(out, "%s`import %s`", out->length ? " or " : "",
                    name_text(k->names, k->files.data[i]->stem));
    }
}

// The first file that defines the word.
static const char *file_with(const Search *k, const char *word) {
    for (int i = 0; i < k->files.count; i++)
        if (defines(k, k->files.data[i], word)) return name_text(k->names, k->files.data[i]->stem);
    return NULL;
}

static bool say(Search *k, const Suggestion *own, Report *r, Remark *to) {
    Text imports = {0};
    add_imports(&imports, k, k->word);
    bool exact = imports.length > 0;
    if (exact) {
        remark_help(r, to, "the library has it: write %s at the top of the file",
                    text_get(&imports));
        remark_fix(r, to, NULL, NULL, file_with(k, k->word));
    } else if (k->near.best && (!own->best || k->near.distance < own->distance)) {
        add_imports(&imports, k, k->near.best);
        remark_help(r, to, "did you mean '%s' of the library? Write %s at the top of the file",
                    k->near.best, text_get(&imports));
        remark_fix(r, to, k->word, k->near.best, file_with(k, k->near.best));
    }
    bool said = imports.length > 0;
    text_free(&imports);
    return said;
}

bool library_help(const Syntax *s, const char *type, unsigned kinds, const Suggestion *own,
                  Report *r, Remark *to) {
    Search k = {.word = type, .kinds = kinds, .names = names_new(), .sources = sources_new()};
    const char *point = strchr(type, '.');
    if (point) {
        k.only = arena_copy_text(&k.arena, type, (size_t)(point - type));
        k.word = point + 1;
    }
    k.near = suggest_for(k.word);
    int count = 0;
    char **path = s->library ? folder_files(&k.arena, s->library, ".bond", &count) : NULL;
    for (int i = 0; i < count && i < MOST_FILES; i++) read_file(&k, path[i]);
    for (int i = 0; i < k.files.count; i++) offer_classes(&k, k.files.data[i]);
    bool said = say(&k, own, r, to);
    array_free(&k.files);
    report_free(&k.quiet);
    sources_free(k.sources);
    names_free(k.names);
    arena_free(&k.arena);
    return said;
}
