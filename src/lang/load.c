// Files and what they import, each read once; circles of imports are harmless.
//
//   import "valve.bond"   a file beside the importing one
//   import electric       electric.bond of the library folder, else beside the importing file
//   mechanism X from "x.urdf"   a robot description beside this file, read as the text that it
//                               stands for
//   table t(x) linear from "t.csv" ...   a file of data beside this one (.csv or .mat)
//   model M from "m.fmu"                 a unit of FMI, read as the text that it stands for
//   function f(x) external "f.so"        a library beside this one, loaded when a model calls f
#include "lang/lang.h"

#include "base/array.h"
#include "base/files.h"
#include "foreign/unit.h"
#include "import/urdf.h"
#include "lang/csv_table.h"
#include "lang/lookup.h"
#include "lang/mat_table.h"
#include "lang/parser.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 1000 };

typedef struct {
    Name key; // the real path, so that ./a.bond and a.bond are one
    AstFile *file;
    const char *folder;
} Loaded;

typedef struct {
    Syntax *syntax;
    const LangOptions *options;
    Report *r;
    ARRAY(Loaded) loaded;
    ARRAY(Import) imports;
} Loader;

// --- files, or what the caller has in their place ------------------------------------------------

static char *read_file(Loader *l, Arena *out, const char *path, size_t *length, Pos asked) {
    const LangOptions *o = l->options;
    if (!o->read) return file_read(out, path, length, l->r, asked);
    char *data = o->read(o->read_context, path, length);
    if (!data && o->over_files) return file_read(out, path, length, l->r, asked);
    if (!data) {
        report_error(l->r, T_CANNOT_READ, asked, "cannot read '%s': the caller has no such file",
                     path);
        return NULL;
    }
    char *copy = arena_copy_text(out, data, *length);
    free(data);
    return copy;
}

static bool is_there(Loader *l, const char *path) {
    const LangOptions *o = l->options;
    if (!o->read) return file_exists(path);
    size_t length;
    char *data = o->read(o->read_context, path, &length);
    bool there = data != NULL;
    free(data);
    if (o->over_files) there = there || file_exists(path);
    return there;
}

static Name path_key(Loader *l, const char *path) {
    bool files = !l->options->read || l->options->over_files;
    char *real = files ? realpath(path, NULL) : NULL;
    Name key = name_of(l->syntax->names, real ? real : path);
    free(real);
    return key;
}

static AstFile *find_loaded(const Loader *l, Name key) {
    for (int i = 0; i < l->loaded.count; i++)
        if (l->loaded.data[i].key == key) return l->loaded.data[i].file;
    return NULL;
}

// Reads the file that a definition is `from`, relative to the file of the definition. False:
// reported.
static bool read_beside(Loader *l, const AstClass *c, const char *folder, uint32_t *source) {
    Syntax *s = l->syntax;
    const char *name = name_text(s->names, c->from);
    const char *path = name[0] == '/' ? name : path_join(s->arena, folder, name);
    Arena scratch = {0};
    size_t length;
    char *data = read_file(l, &scratch, path, &length, c->from_pos);
    if (data) *source = sources_add(s->sources, path, data, length);
    arena_free(&scratch);
    return data;
}

// An import of the text behind a class, for names with the file before them only.
static void add_named_import(AstClass *c, AstClass *import) {
    import->named = true;
    import->next = c->next;
    c->next = import;
}

// The statements that a robot description stands for become those of the mechanism.
static void fill_from_urdf(Loader *l, AstClass *c, const char *folder) {
    Syntax *s = l->syntax;
    uint32_t urdf;
    Text text = {0}, shown = {0};
    UrdfOptions options = {
        .name = name_text(s->names, c->name), .free = c->free_base, .rounded = c->rounded};
    if (read_beside(l, c, folder, &urdf) && urdf_import(&text, s->sources, urdf, &options, l->r)) {
        text_printf(&shown, "%s (as a mechanism)", source_name(s->sources, urdf));
        uint32_t source = sources_add(s->sources, text_get(&shown), text_get(&text), text.length);
        AstFile *made = parse_file(s->arena, s->names, s->sources, source, l->r);
        for (AstClass *k = made ? made->classes : NULL, *next; k; k = next) {
            next = k->next;
            if (k->kind == CLASS_MECHANISM)
                c->items = k->items;
            else
                add_named_import(c, k);
        }
    }
    text_free(&text);
    text_free(&shown);
}

// A MAT file becomes the CSV text with its columns.
static bool read_mat(Loader *l, const AstClass *c, uint32_t *source) {
    Syntax *s = l->syntax;
    Text text = {0}, shown = {0};
    size_t length;
    const char *bytes = source_text(s->sources, *source, &length);
    const char *why = mat_as_csv(&text, bytes, length);
    text_printf(&shown, "%s (as CSV)", source_name(s->sources, *source));
    if (why) {
        Remark *m = report_error(l->r, L_CSV_TEXT, c->from_pos, "'%s' cannot be read: %s",
                                 source_name(s->sources, *source), why);
        remark_help(l->r, m, "save vectors of one length with -v7 or -v4, or write CSV");
    } else {
        *source = sources_add(s->sources, text_get(&shown), text_get(&text), text.length);
    }
    text_free(&text);
    text_free(&shown);
    return !why;
}

// The points of a table from a file of data beside this one.
static void fill_from_data(Loader *l, AstClass *c, const char *folder) {
    Syntax *s = l->syntax;
    uint32_t source;
    const char *name = name_text(s->names, c->from);
    size_t n = strlen(name);
    bool mat = n > 4 && strcmp(name + n - 4, ".mat") == 0;
    if (read_beside(l, c, folder, &source) && (!mat || read_mat(l, c, &source)))
        table_from_csv(s->arena, s->names, s->sources, source, c, l->r);
}

// A function of C: its library lies beside this file.
static void place_library(Loader *l, AstClass *c, const char *folder) {
    Syntax *s = l->syntax;
    const char *name = name_text(s->names, c->from);
    if (name[0] != '/') c->from = name_of(s->names, path_join(s->arena, folder, name));
}

// The text that an FMU stands for: its functions, domains and statements.
static void add_unit_text(Loader *l, AstClass *c, const char *text, size_t length) {
    Syntax *s = l->syntax;
    const char *shown = arena_printf(s->arena, "%s (as a model)", name_text(s->names, c->from));
    uint32_t source = sources_add(s->sources, shown, text, length);
    AstFile *made = parse_file(s->arena, s->names, s->sources, source, l->r);
    for (AstClass *k = made ? made->classes : NULL, *next; k; k = next) {
        next = k->next;
        if (k->kind == CLASS_MODEL || k->kind == CLASS_ELEMENT) {
            c->kind = k->kind;
            c->items = k->items;
        } else {
            k->next = c->next;
            c->next = k;
        }
    }
}

static bool has_kind(Loader *l, const AstClass *c, const UnitDescription *d) {
    if (c->steps ? d->cs : d->me) return true;
    Remark *m = report_error(l->r, F_UNSERVED, c->from_pos, "the unit is for %s alone",
                             c->steps ? "model exchange" : "co-simulation");
    remark_help(l->r, m, c->steps ? "leave out 'as cs'" : "write as cs every 1 {ms}");
    return false;
}

static void fill_from_unit(Loader *l, AstClass *c, const char *folder) {
    Syntax *s = l->syntax;
    const char *name = name_text(s->names, c->from);
    const char *path = name[0] == '/' ? name : path_join(s->arena, folder, name);
    Arena scratch = {0};
    Text text = {0};
    UnitDescription d;
    size_t length;
    char *data = read_file(l, &scratch, path, &length, c->from_pos);
    if (data && unit_read(&scratch, &d, s->sources, name, data, length, c->from_pos, l->r) &&
        has_kind(l, c, &d)) {
        double every = c->every > 0 ? c->every : d.step > 0 ? d.step : 0.01;
        unit_text(&text, &d,
                  &(UnitTextOptions){name_text(s->names, c->name), name, c->steps, every});
        add_unit_text(l, c, text_get(&text), text.length);
    }
    c->from = 0; // what follows is an ordinary model
    text_free(&text);
    arena_free(&scratch);
}

static AstFile *add_text(Loader *l, const char *path, Name key, const char *text, size_t length) {
    Syntax *s = l->syntax;
    uint32_t source = sources_add(s->sources, path, text, length);
    AstFile *file = parse_file_apart(s->arena, s->bonds, s->names, s->sources, source, l->r);
    if (!file) file = ARENA_NEW(s->arena, AstFile);
    file->source = source;
    file->stem = name_of(s->names, path_stem(s->arena, path));
    AstFile **end = &s->files;
    while (*end) end = &(*end)->next;
    *end = file;
    const char *folder = path_folder(s->arena, path);
    for (AstClass *c = file->classes; c; c = c->next)
        if (c->from && c->kind == CLASS_TABLE)
            fill_from_data(l, c, folder);
        else if (c->from && c->kind == CLASS_FUNCTION)
            place_library(l, c, folder);
        else if (c->from && c->kind == CLASS_MODEL)
            fill_from_unit(l, c, folder);
        else if (c->from)
            fill_from_urdf(l, c, folder);
    array_push(&l->loaded, ((Loaded){key, file, folder}));
    return file;
}

static AstFile *add_file(Loader *l, const char *path, Pos asked) {
    Name key = path_key(l, path);
    AstFile *known = find_loaded(l, key);
    if (known) return known;
    size_t length;
    Arena text = {0};
    char *data = read_file(l, &text, path, &length, asked);
    AstFile *file = data ? add_text(l, path, key, data, length) : NULL;
    arena_free(&text);
    return file;
}

static void offer_library_files(Suggestion *g, Arena *a, const char *folder) {
    int count = 0;
    char **path = folder ? folder_files(a, folder, ".bond", &count) : NULL;
    for (int i = 0; i < count; i++) suggest_offer(g, path_stem(a, path[i]));
}

static void report_no_library(Loader *l, const AstClass *c) {
    Remark *m = report_error(l->r, L_UNKNOWN_IMPORT, c->pos,
                             "'%s' is neither beside this file nor in the component library, "
                             "which was not found",
                             name_text(l->syntax->names, c->name));
    remark_help(l->r, m, "name its folder with --library or $BONDYN_LIBRARY");
}

static void report_unknown_import(Loader *l, const AstClass *c, const char *folder) {
    const char *name = name_text(l->syntax->names, c->name);
    Remark *m = c->quoted ? report_error(l->r, L_UNKNOWN_IMPORT, c->pos,
                                         "there is no file '%s' beside this one", name)
                          : report_error(l->r, L_UNKNOWN_IMPORT, c->pos,
                                         "the library has no file '%s.bond'", name);
    Suggestion g = suggest_for(name);
    offer_library_files(&g, &l->r->arena, c->quoted ? folder : l->options->library);
    suggest_help(l->r, m, &g,
                 c->quoted ? "the path counts from the folder of the importing file"
                           : "write a file of your own in quotes: import \"name.bond\"");
}

static const char *import_path(Loader *l, const AstClass *c, const char *folder) {
    Arena *a = l->syntax->arena;
    const char *name = name_text(l->syntax->names, c->name);
    if (c->quoted) return name[0] == '/' ? name : path_join(a, folder, name);
    const char *file = arena_printf(a, "%s.bond", name);
    if (l->options->library) {
        const char *path = path_join(a, l->options->library, file);
        if (is_there(l, path)) return path;
    }
    return path_join(a, folder, file);
}

static void add_imports(Loader *l, int number) {
    AstFile *file = l->loaded.data[number].file;
    const char *folder = l->loaded.data[number].folder;
    for (AstClass *c = file->classes; c; c = c->next) {
        if (c->kind != CLASS_IMPORT || l->loaded.count >= MOST_FILES) continue;
        const char *path = import_path(l, c, folder);
        if (!is_there(l, path)) {
            c->quoted || l->options->library ? report_unknown_import(l, c, folder)
                                             : report_no_library(l, c);
            continue;
        }
        AstFile *to = add_file(l, path, c->pos);
        if (to && to != file) array_push(&l->imports, ((Import){file, to, c->named}));
    }
}

static void add_definition(Loader *l, Lookup *t, const AstFile *file, const AstClass *c) {
    Syntax *s = l->syntax;
    int known = pairs_get(&t->by_name, file->source, c->name);
    if (known >= 0) {
        Remark *m = report_error(l->r, L_DUPLICATE_NAME, c->pos, "'%s' is defined twice",
                                 name_text(s->names, c->name));
        remark_note(l->r, m, t->definition[known].what->pos, "the first definition is here");
        remark_help(l->r, m, "rename one of them");
        return;
    }
    pairs_set(s->arena, &t->by_name, file->source, c->name, t->definition_count);
    t->definition[t->definition_count++] = (Definition){c, file};
}

static void build_lookup(Loader *l) {
    Syntax *s = l->syntax;
    Lookup *t = s->lookup = ARENA_NEW(s->arena, Lookup);
    int count = 0;
    for (const AstFile *f = s->files; f; f = f->next)
        for (const AstClass *c = f->classes; c; c = c->next) count++;
    t->definition = ARENA_ARRAY(s->arena, Definition, count);
    for (const AstFile *f = s->files; f; f = f->next)
        for (const AstClass *c = f->classes; c; c = c->next)
            if (c->kind != CLASS_IMPORT && c->name) add_definition(l, t, f, c);
    t->import_count = l->imports.count;
    t->import = ARENA_ARRAY(s->arena, Import, l->imports.count);
    if (t->import_count)
        memcpy(t->import, l->imports.data, (size_t)t->import_count * sizeof(Import));
}

static Syntax *new_syntax(Arena *out, Names *names, Sources *sources, const LangOptions *o) {
    Syntax *s = ARENA_NEW(out, Syntax);
    *s = (Syntax){
        .arena = out, .bonds = o->bonds, .names = names, .sources = sources, .library = o->library};
    return s;
}

static void add_definitions(Loader *l, AstFile *file, const char *text) {
    Syntax *s = l->syntax;
    uint32_t source = sources_add(s->sources, "(added)", text, strlen(text));
    AstFile *made = parse_file(s->arena, s->names, s->sources, source, l->r);
    AstClass **end = &file->classes;
    while (*end) end = &(*end)->next;
    *end = made ? made->classes : NULL;
    for (AstClass *c = *end; c; c = c->next)
        if (c->kind == CLASS_IMPORT) c->named = true;
}

static Syntax *load_rest(Loader *l) {
    if (l->options->added && l->syntax->files)
        add_definitions(l, l->syntax->files, l->options->added);
    for (int i = 0; i < l->loaded.count && !report_full(l->r); i++) add_imports(l, i);
    build_lookup(l);
    array_free(&l->loaded);
    array_free(&l->imports);
    return l->syntax;
}

Syntax *lang_load(Arena *out, Names *names, Sources *sources, const char *path,
                  const LangOptions *options, Report *r) {
    static const LangOptions none = {0};
    if (!options) options = &none;
    Loader l = {new_syntax(out, names, sources, options), options, r, {0}, {0}};
    add_file(&l, path, POS_NONE);
    return load_rest(&l);
}

Syntax *lang_load_text(Arena *out, Names *names, Sources *sources, const char *name,
                       const char *text, size_t length, const LangOptions *options, Report *r) {
    static const LangOptions none = {0};
    if (!options) options = &none;
    Loader l = {new_syntax(out, names, sources, options), options, r, {0}, {0}};
    add_text(&l, name, path_key(&l, name), text, length);
    return load_rest(&l);
}
