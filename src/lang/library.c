// The files of the library are read only when a name is not known, to say where it is:
//
//     Resistor   -> electric.bond has it       -> import electric
//     Resitor    -> the nearest of all names   -> did you mean 'Resistor'? ... import electric
//
// Only the heads of definitions are looked for, lines that begin with `model`, `element` or
// `mechanism`: the library is as long as a large model, and who errs has to wait for nothing.
#include "lang/library.h"

#include "base/array.h"
#include "base/files.h"
#include <string.h>

enum { MOST_FILES = 200 };

typedef struct { // a definition of the library
    const char *file, *name;
} Head;

typedef struct {
    const char *word, *only; // only: the file's name in front of the word, or NULL
    unsigned kinds;
    Suggestion near;
    ARRAY(Head) heads;
    Arena arena;
    Report quiet;
} Search;

static void read_head(Search *k, const char *file, const char *line) {
    static const struct {
        const char *word;
        ClassKind kind;
    } begins[] = {
        {"model ", CLASS_MODEL}, {"element ", CLASS_ELEMENT}, {"mechanism ", CLASS_MECHANISM}};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        size_t length = strlen(begins[i].word);
        if (!(k->kinds >> begins[i].kind & 1) || strncmp(line, begins[i].word, length) != 0)
            continue;
        const char *name = line + length + strspn(line + length, " ");
        size_t end = strcspn(name, " (#\r\n");
        if (end) array_push(&k->heads, ((Head){file, arena_copy_text(&k->arena, name, end)}));
    }
}

static void read_file(Search *k, const char *path) {
    size_t length;
    const char *stem = path_stem(&k->arena, path);
    if (k->only && strcmp(k->only, stem) != 0) return;
    const char *line = file_read(&k->arena, path, &length, &k->quiet, POS_NONE);
    while (line) {
        if (*line == 'm' || *line == 'e') read_head(k, stem, line);
        line = strchr(line, '\n');
        if (line) line++;
    }
}

// "`import rotation` or `import translation`"; empty when no file defines the word.
static void add_imports(Text *out, const Search *k, const char *word) {
    for (int i = 0; i < k->heads.count; i++)
        if (strcmp(k->heads.data[i].name, word) == 0)
            text_printf(out, "%s`import %s`", out->length ? " or " : "", k->heads.data[i].file);
}

// The first file that defines the word.
static const char *file_with(const Search *k, const char *word) {
    for (int i = 0; i < k->heads.count; i++)
        if (strcmp(k->heads.data[i].name, word) == 0) return k->heads.data[i].file;
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
    Search k = {.word = type, .kinds = kinds};
    const char *point = strchr(type, '.');
    if (point) {
        k.only = arena_copy_text(&k.arena, type, (size_t)(point - type));
        k.word = point + 1;
    }
    k.near = suggest_for(k.word);
    int count = 0;
    char **path = s->library ? folder_files(&k.arena, s->library, ".bond", &count) : NULL;
    for (int i = 0; i < count && i < MOST_FILES; i++) read_file(&k, path[i]);
    for (int i = 0; i < k.heads.count; i++) suggest_offer(&k.near, k.heads.data[i].name);
    bool said = say(&k, own, r, to);
    array_free(&k.heads);
    report_free(&k.quiet);
    arena_free(&k.arena);
    return said;
}
