// See draw.h.
#include "service/draw.h"

#include "lang/builder.h"
#include "service/library_index.h"
#include <string.h>

// --- the palette ---------------------------------------------------------------------------------

static bool has_ports(const AstClass *c) {
    if (c->base) return true; // perhaps in what it extends
    for (const AstItem *i = c->items; i; i = i->next)
        if (i->kind == ITEM_PORT) return true;
    return false;
}

static bool is_part(ClassKind kind) { return kind == CLASS_MODEL || kind == CLASS_ELEMENT; }

static LibraryIndex *library_of(Document *d) {
    if (!d->store->index) d->store->index = library_index_new(d->store->library);
    return d->store->index;
}

static const char *element_text(const char *type) {
    if (strcmp(type, "0") == 0) return "junction of common effort: flows add up";
    if (strcmp(type, "1") == 0) return "junction of common flow: efforts add up";
    const char *law = describe_element(type);
    return law ? law : "";
}

static void add_own(Palette *list, Document *d, Arena *out) {
    const Analysis *a = document_analysis(d);
    const AstFile *file = analysis_file(a);
    for (const AstClass *c = file ? file->classes : NULL; c; c = c->next) {
        if (!is_part(c->kind) || !has_ports(c) || !c->name) continue;
        PaletteEntry e = {.group = "this file",
                          .type = arena_printf(out, "%s", name_text(a->names, c->name)),
                          .text = arena_printf(out, "%s", name_text(a->names, c->text))};
        array_push(list, e);
    }
}

Palette palette_of(Document *d, Arena *out) {
    static const char *const first[] = {"1",  "0",  "Se", "Sf",  "R",   "C",   "I",  "TF",
                                        "GY", "De", "Df", "MSe", "MSf", "MTF", "MGY"};
    Palette list = {0};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        array_push(&list, ((PaletteEntry){"bond graph", first[i], element_text(first[i]), NULL}));
    add_own(&list, d, out);
    const LibraryIndex *l = library_of(d);
    for (int i = 0; i < l->entry.count; i++) {
        const LibraryEntry *e = &l->entry.data[i];
        if (!is_part(e->kind) || !e->has_ports) continue;
        array_push(&list, ((PaletteEntry){e->file, e->name, e->text, e->file}));
    }
    return list;
}

// --- statements ----------------------------------------------------------------------------------

// "Resistor ${1:name}(R = ${2})" with the name, and 1 in the other places.
static void fill_snippet(Text *out, const char *snippet, const char *name) {
    for (const char *c = snippet; *c; c++) {
        const char *close = c[0] == '$' && c[1] == '{' ? strchr(c, '}') : NULL;
        if (!close) {
            text_char(out, *c);
            continue;
        }
        text_add(out, c[2] == '1' && c[3] == ':' ? name : "1");
        c = close;
    }
}

static bool is_junction_type(const char *type) {
    return strcmp(type, "0") == 0 || strcmp(type, "1") == 0;
}

static bool element_statement(Text *out, const char *type, const char *name) {
    const Builtin *b = is_junction_type(type) ? NULL : builtin_find(type);
    if (!b && !is_junction_type(type)) return false;
    text_printf(out, "%s %s", type, name);
    if (b && (b->kind == COMP_SE || b->kind == COMP_SF))
        text_add(out, " = 1");
    else if (b && b->argument)
        text_add(out, "(1)");
    return true;
}

static const AstClass *own_class(const Analysis *a, const char *type) {
    const AstFile *file = analysis_file(a);
    for (const AstClass *c = file ? file->classes : NULL; c; c = c->next)
        if (is_part(c->kind) && strcmp(name_text(a->names, c->name), type) == 0) return c;
    return NULL;
}

// Does the document read this file of the library already?
static bool is_imported(const Analysis *a, const char *stem) {
    const AstFile *file = analysis_file(a);
    for (const AstClass *c = file ? file->classes : NULL; c; c = c->next)
        if (c->kind == CLASS_IMPORT && !c->named && strcmp(name_text(a->names, c->name), stem) == 0)
            return true;
    return false;
}

bool draw_statement(Text *out, Document *d, const char *type, const char *name,
                    const char **import) {
    const Analysis *a = document_analysis(d);
    const AstClass *own = own_class(a, type);
    *import = NULL;
    if (own) {
        Text snippet = {0};
        class_snippet(&snippet, a->names, own);
        fill_snippet(out, text_get(&snippet), name);
        text_free(&snippet);
        return true;
    }
    if (element_statement(out, type, name)) return true;
    const LibraryIndex *l = library_of(d);
    for (int i = 0; i < l->entry.count; i++) {
        const LibraryEntry *e = &l->entry.data[i];
        if (!is_part(e->kind) || strcmp(e->name, type) != 0) continue;
        fill_snippet(out, e->snippet, name);
        if (!is_imported(a, e->file)) *import = e->file;
        return true;
    }
    return false;
}

// --- components ----------------------------------------------------------------------------------

// The declaration of a component in the analysis of its document, and the class that it has.
static const AstItem *declared(Document *d, const char *model, const char *name, Definition *type) {
    Analysis *a = document_analysis(d);
    Draft draft;
    const AstItem *found = NULL;
    draft_open(&draft, text_get(&d->text), d->text.length, model);
    const char *class_name = draft.class ? name_text(draft.names, draft.class->name) : "";
    const AstClass *c = *class_name ? own_class(a, class_name) : NULL;
    for (const AstItem *i = c ? c->items : NULL; i && !found; i = i->next)
        if (i->kind == ITEM_COMPONENT && strcmp(name_text(a->names, i->name), name) == 0) found = i;
    draft_close(&draft);
    *type = (Definition){0};
    if (found && found->path) {
        Scope s = {.a = a, .file = analysis_file(a), .class = c};
        Meaning m = meaning_of_type(&s, found->path);
        if (m.kind == MEANS_CLASS) *type = meaning_class(a, &m);
    }
    return found;
}

typedef struct {
    const Names *names;
    const Draft *draft;
    const DraftBonds *bonds;
    const char *component;
    bool tail;
    Text *best; // the port that is taken; empty: none yet
    bool best_fits;
    int ports;
} PortSearch;

static bool is_bonded(const PortSearch *k, const char *port) {
    Text path = {0};
    text_printf(&path, "%s.%s", k->component, port);
    bool taken = false;
    for (int i = 0; i < k->bonds->count && !taken; i++)
        taken = span_is_of(k->draft, k->bonds->data[i].from, text_get(&path)) ||
                span_is_of(k->draft, k->bonds->data[i].to, text_get(&path));
    text_free(&path);
    return taken;
}

static bool take_port(void *context, const AstFile *file, const AstClass *c, const AstItem *i) {
    PortSearch *k = context;
    (void)file, (void)c;
    if (i->kind != ITEM_PORT || i->optional) return true;
    const char *name = name_text(k->names, i->name);
    k->ports++;
    bool fits = i->out == k->tail;
    if (is_bonded(k, name) || (k->best->length && (k->best_fits || !fits))) return true;
    text_clear(k->best);
    text_add(k->best, name);
    k->best_fits = fits;
    return true;
}

bool draw_end(Text *out, Document *d, const char *model, const char *name, bool tail,
              const char **problem) {
    Definition type;
    const AstItem *item = declared(d, model, name, &type);
    if (!item) {
        *problem = "this component stands in a loop, in a condition or in another model: edit the "
                   "text";
        return false;
    }
    text_add(out, name);
    if (!type.what) return true;
    Draft draft;
    Text best = {0};
    draft_open(&draft, text_get(&d->text), d->text.length, model);
    DraftBonds bonds = draft_bonds(&draft);
    PortSearch k = {.names = d->analysis->names,
                    .draft = &draft,
                    .bonds = &bonds,
                    .component = name,
                    .tail = tail,
                    .best = &best};
    each_declaration(d->analysis, type, take_port, &k);
    bool good = k.ports < 2 || best.length;
    if (k.ports > 1 && best.length) text_printf(out, ".%s", text_get(&best));
    if (!good) *problem = "all ports of this component have their bonds";
    array_free(&bonds);
    draft_close(&draft);
    text_free(&best);
    return good;
}

// --- what a component has ------------------------------------------------------------------------

typedef struct {
    Part *part;
    const Names *names;
} ParameterWalk;

static bool take_parameter(void *context, const AstFile *file, const AstClass *c,
                           const AstItem *i) {
    ParameterWalk *w = context;
    (void)file, (void)c;
    if (i->kind != ITEM_PARAM && i->kind != ITEM_INPUT) return true;
    Text usual = {0};
    if (i->left) ast_print(&usual, w->names, i->left);
    Arena *out = &w->part->arena;
    PartParameter p = {.name = arena_printf(out, "%s", name_text(w->names, i->name)),
                       .usual = usual.length ? arena_printf(out, "%s", text_get(&usual)) : NULL,
                       .unit = arena_printf(out, "%s", name_text(w->names, i->unit_text)),
                       .text = arena_printf(out, "%s", name_text(w->names, i->text)),
                       .position = w->part->parameter.count};
    array_push(&w->part->parameter, p);
    text_free(&usual);
    return true;
}

static void add_builtin(Part *p, const Builtin *b) {
    bool source = b->kind == COMP_SE || b->kind == COMP_SF;
    if (source) {
        array_push(&p->parameter, ((PartParameter){.name = "", .unit = "", .text = ""}));
        return;
    }
    const char *const name[] = {b->argument, b->start};
    for (int i = 0; i < 2; i++) {
        PartParameter x = {.name = name[i], .usual = i ? "0" : NULL, .unit = "", .text = ""};
        x.position = p->parameter.count;
        if (name[i]) array_push(&p->parameter, x);
    }
}

// What the text says about each.
static void give_values(Part *p, Draft *draft, const AstItem *c) {
    DraftArguments a = draft_arguments(draft, c);
    for (int i = 0; i < p->parameter.count; i++) {
        PartParameter *x = &p->parameter.data[i];
        Span value = {0, 0};
        if (!*x->name) value = a.value;
        for (int k = 0; k < a.argument.count; k++) {
            const DraftArgument *y = &a.argument.data[k];
            if (*x->name && (*y->name ? strcmp(y->name, x->name) == 0 : k == x->position))
                value = y->value;
        }
        if (value.end)
            x->value = arena_copy_text(&p->arena, draft->text + value.at, value.end - value.at);
    }
    array_free(&a.argument);
}

bool part_of(Part *p, Document *d, const char *model, const char *name) {
    Definition type;
    const AstItem *item = declared(d, model, name, &type);
    *p = (Part){0};
    if (!item || item->size_count) return false;
    const Names *names = d->analysis->names;
    Text word = {0};
    if (item->path) ast_print(&word, names, item->path);
    p->type = item->junction >= 0 ? (item->junction ? "1" : "0")
                                  : arena_printf(&p->arena, "%s", text_get(&word));
    text_free(&word);
    p->text = arena_printf(&p->arena, "%s",
                           name_text(names, item->text  ? item->text
                                            : type.what ? type.what->text
                                                        : 0));
    p->name = (Span){item->pos.at, item->pos.at + (uint32_t)strlen(name)};
    const Builtin *b = item->junction < 0 && !type.what ? builtin_find(p->type) : NULL;
    ParameterWalk w = {p, names};
    if (b && !item->laws) add_builtin(p, b);
    if (type.what) each_declaration(d->analysis, type, take_parameter, &w);
    Draft draft;
    draft_open(&draft, text_get(&d->text), d->text.length, model);
    const AstItem *c = draft_component(&draft, name);
    if (c) give_values(p, &draft, c);
    draft_close(&draft);
    return true;
}

void part_free(Part *p) {
    array_free(&p->parameter);
    arena_free(&p->arena);
}
