// lib: what the component library holds, read from its files; `lib test` runs its experiments, `lib
// page` writes docs/library.md.
#include "verb/verb.h"

#include <string.h>

static TextList library_files(Session *s, const char *folder) {
    TextList list = {0};
    int count;
    char **path = folder_files(&s->arena, folder, ".bond", &count);
    for (int i = 0; i < count; i++) array_push(&list, path[i]);
    return list;
}

typedef struct {
    const Syntax *syntax; // of the file
    const char *file;     // "electric"
    const AstClass *class;
    const char *name;
} Entry;

typedef ARRAY(Entry) Entries;

static bool is_component(const AstClass *c) {
    return c->kind == CLASS_MODEL || c->kind == CLASS_ELEMENT || c->kind == CLASS_FUNCTION ||
           c->kind == CLASS_TABLE || c->kind == CLASS_DOMAIN || c->kind == CLASS_CONST ||
           c->kind == CLASS_MECHANISM;
}

static bool ends_in_test(const char *name) {
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, "Test") == 0;
}

// Self-tests live beside the components: models that an experiment of the file runs, and their
// parts, whose names end in Test or whose descriptions speak of the test.
static bool is_selftest(const Names *n, const AstFile *file, const AstClass *model) {
    if (ends_in_test(name_text(n, model->name)) || strstr(name_text(n, model->text), "of the test"))
        return true;
    for (const AstClass *c = file->classes; c; c = c->next)
        if (c->kind == CLASS_EXPERIMENT && c->base && c->base->kind == AST_NAME &&
            c->base->name == model->name)
            return true;
    return false;
}

static void add_entries(Entries *all, Session *s, const Syntax *syntax, const char *path) {
    const char *file = path_stem(&s->arena, path);
    for (const AstClass *c = syntax->files->classes; c; c = c->next)
        if (is_component(c) && !is_selftest(syntax->names, syntax->files, c))
            array_push(all, ((Entry){syntax, file, c, name_text(syntax->names, c->name)}));
}

static Entries load_library(Session *s, const TextList *files) {
    Entries all = {0};
    for (int i = 0; i < files->count; i++) {
        Syntax *syntax = session_load(s, files->data[i]);
        if (syntax) add_entries(&all, s, syntax, files->data[i]);
    }
    return all;
}

// --- showing -------------------------------------------------------------------------------------

static const char *const kind_word[] = {"model",  "element", "experiment", "function", "table",
                                        "domain", "const",   "import",     "mechanism"};

// f(A {m2}, dp {Pa}) {m3/s}: how a function or a table is called.
static void print_signature(Text *t, const Names *n, const AstClass *c) {
    for (int i = 0; i < c->formal_count; i++) {
        text_printf(t, "%s%s", i ? ", " : "(", name_text(n, c->formals[i].name));
        if (c->formals[i].has_unit) text_printf(t, " {%s}", name_text(n, c->formals[i].unit_text));
    }
    if (c->formal_count) text_char(t, ')');
    if (c->has_unit && c->unit_text) text_printf(t, " {%s}", name_text(n, c->unit_text));
}

static void print_short(Text *t, const Entry *e) {
    text_printf(t, "  %-20s %s\n", e->name, name_text(e->syntax->names, e->class->text));
}

static void print_domain(Text *t, const Names *n, const AstItem *port) {
    ast_print(t, n, port->path);
    if (!port->dimension) return;
    text_char(t, '[');
    ast_print(t, n, port->dimension);
    text_char(t, ']');
}

static void print_item(Text *t, const Names *n, const AstItem *i) {
    size_t start = t->length;
    text_printf(t, "    %s", name_text(n, i->name));
    for (int k = 0; k < i->size_count; k++) {
        text_char(t, k ? ',' : '[');
        ast_print(t, n, i->size[k]);
        if (k == i->size_count - 1) text_char(t, ']');
    }
    if (i->kind == ITEM_PORT || i->set) {
        text_add(t, ": ");
        print_domain(t, n, i);
        if (i->out) text_add(t, " out");
        if (i->optional) text_add(t, " optional");
    }
    if (i->has_unit) text_printf(t, " {%s}", name_text(n, i->unit_text));
    const AstExpr *value = i->left;
    if (value && i->kind != ITEM_PORT) {
        text_add(t, " = ");
        ast_print(t, n, value);
    } else if (i->kind == ITEM_PARAM) {
        text_add(t, " (must be given)");
    }
    if (*name_text(n, i->text)) {
        size_t used = t->length - start;
        text_printf(t, "%*s %s", used < 36 ? (int)(36 - used) : 0, "", name_text(n, i->text));
    }
    text_char(t, '\n');
}

static const struct {
    ItemKind kind;
    const char *title;
} shown_items[] = {{ITEM_PORT, "ports"},
                   {ITEM_PARAM, "parameters"},
                   {ITEM_INPUT, "inputs"},
                   {ITEM_OUTPUT, "outputs"},
                   {ITEM_VAR, "variables"}};

static bool is_shown(const AstItem *i, ItemKind kind) {
    return i->kind == kind || (kind == ITEM_PARAM && i->kind == ITEM_COMPONENT && i->set);
}

static void print_entry(Text *t, const Entry *e) {
    const Names *n = e->syntax->names;
    text_printf(t, "%s %s.%s", kind_word[e->class->kind], e->file, e->name);
    print_signature(t, n, e->class);
    if (*name_text(n, e->class->text)) text_printf(t, ": %s", name_text(n, e->class->text));
    text_char(t, '\n');
    if (e->class->base) {
        text_add(t, "  extends ");
        ast_print(t, n, e->class->base);
        text_char(t, '\n');
    }
    for (size_t k = 0; k < sizeof shown_items / sizeof shown_items[0]; k++) {
        bool first = true;
        for (const AstItem *i = e->class->items; i; i = i->next) {
            if (!is_shown(i, shown_items[k].kind)) continue;
            if (first) text_printf(t, "  %s\n", shown_items[k].title);
            first = false;
            print_item(t, n, i);
        }
    }
}

static void item_json(Text *t, const Names *n, const AstItem *i) {
    json_open(t, '{');
    json_text_of(t, "name", name_text(n, i->name));
    Text part = {0};
    if (i->kind == ITEM_PORT || i->set) {
        print_domain(&part, n, i);
        json_key(t, i->set ? "set" : "domain");
        json_quoted(t, text_get(&part));
        text_clear(&part);
        if (i->optional) json_text_of(t, "optional", "yes");
    }
    if (i->has_unit) {
        json_text_of(t, "unit", name_text(n, i->unit_text));
    }
    const AstExpr *value = i->left;
    if (value && i->kind != ITEM_PORT) {
        ast_print(&part, n, value);
        json_text_of(t, "default", text_get(&part));
    }
    text_free(&part);
    json_text_of(t, "text", name_text(n, i->text));
    json_close(t, '}');
}

static void entry_json(Text *t, const Entry *e) {
    const Names *n = e->syntax->names;
    json_open(t, '{');
    json_text_of(t, "name", e->name);
    json_text_of(t, "file", e->file);
    json_text_of(t, "kind", kind_word[e->class->kind]);
    json_text_of(t, "text", name_text(n, e->class->text));
    for (size_t k = 0; k < sizeof shown_items / sizeof shown_items[0]; k++) {
        json_key(t, shown_items[k].title);
        json_open(t, '[');
        for (const AstItem *i = e->class->items; i; i = i->next)
            if (is_shown(i, shown_items[k].kind)) item_json(t, n, i);
        json_close(t, ']');
    }
    json_close(t, '}');
}

// --- finding -------------------------------------------------------------------------------------

// "Resistor", "electric" or "electric.Resistor"; NULL finds all.
static bool entry_fits(const Entry *e, const char *asked) {
    size_t n = strlen(e->file);
    return !asked || strcmp(asked, e->name) == 0 || strcmp(asked, e->file) == 0 ||
           (strncmp(asked, e->file, n) == 0 && asked[n] == '.' &&
            strcmp(asked + n + 1, e->name) == 0);
}

static const char *entry_name_at(const void *of, int i) { return ((const Entry *)of)[i].name; }

static ExitCode refuse_component(Session *s, const char *asked, const Entries *all) {
    Remark *m = report_error(&s->report, T_NO_COMPONENT, POS_NONE,
                             "the library has no component or file '%s'", asked);
    const char *near = nearest_word(asked, all->count, entry_name_at, all->data);
    if (near)
        remark_help(&s->report, m, "did you mean '%s'?", near);
    else
        remark_help(&s->report, m, "'bondyn lib' lists all components");
    return EXIT_INPUT;
}

static ExitCode show_library(Session *s, const Entries *all, const char *asked) {
    const char *file = "";
    int found = 0;
    if (s->json) {
        json_key(&s->out, "components");
        json_open(&s->out, '[');
    }
    for (int i = 0; i < all->count; i++) {
        const Entry *e = &all->data[i];
        if (!entry_fits(e, asked)) continue;
        if (s->json) {
            entry_json(&s->out, e);
        } else if (asked) {
            if (found) text_char(&s->out, '\n');
            print_entry(&s->out, e);
        } else {
            if (strcmp(file, e->file) != 0)
                text_printf(&s->out, "%s%s\n", found ? "\n" : "", e->file);
            file = e->file;
            print_short(&s->out, e);
        }
        found++;
    }
    if (s->json) json_close(&s->out, ']');
    return asked && !found ? refuse_component(s, asked, all) : EXIT_GOOD;
}

// --- the page ------------------------------------------------------------------------------------

static bool is_part(const Entry *e) {
    return e->class->kind == CLASS_MODEL || e->class->kind == CLASS_ELEMENT ||
           e->class->kind == CLASS_MECHANISM;
}

static void print_fenced(Text *t, const Entry *e) {
    text_printf(t, "\n### %s\n", e->name);
    text_add(t, "```\n");
    print_entry(t, e);
    text_add(t, "```\n");
}

// All components with law, ports and parameters, file by file, as Markdown.
static void print_page(Text *t, const Entries *all) {
    int parts = 0;
    for (int i = 0; i < all->count; i++) parts += is_part(&all->data[i]);
    text_printf(
        t,
        "# The component library\n\nWritten by `bondyn lib page`: %d parts with their laws, ports "
        "and parameters; the self-tests are in their files (`bondyn lib test`). "
        "`tests/library/count.py` counts those with a law of their own and a test of their own.\n",
        parts);
    const char *file = "";
    for (int i = 0; i < all->count; i++) {
        const Entry *e = &all->data[i];
        if (strcmp(file, e->file) != 0) text_printf(t, "\n## %s\n", e->file);
        file = e->file;
        print_fenced(t, e);
    }
}

// --- testing -------------------------------------------------------------------------------------

static ExitCode test_file(Session *s, const char *path, int *count, int *failed) {
    Syntax *syntax = session_load(s, path);
    if (!syntax) {
        ++*failed;
        if (!s->json) text_printf(&s->out, "FAIL %s: it cannot be read\n", path);
        return EXIT_INPUT;
    }
    ExitCode worst = EXIT_GOOD;
    TextList names = experiment_names(syntax);
    for (int i = 0; i < names.count && worst != EXIT_INTERRUPTED; i++) {
        ExitCode code = run_selftest(s, syntax, names.data[i]);
        worst = exit_worse(worst, code);
        ++*count;
        *failed += code != EXIT_GOOD;
        if (s->json) {
            json_open(&s->out, '{');
            json_text_of(&s->out, "file", path);
            json_text_of(&s->out, "experiment", names.data[i]);
            json_number_of(&s->out, "exit", code);
            json_close(&s->out, '}');
        } else if (code != EXIT_GOOD || session_has(s, OPT_VERBOSE)) {
            text_printf(&s->out, "%-4s %s %s (exit %d)\n", code ? "FAIL" : "ok", path,
                        names.data[i], code);
        }
        session_flush(s);
    }
    array_free(&names);
    return worst;
}

static ExitCode test_library(Session *s, const TextList *files) {
    ExitCode worst = EXIT_GOOD;
    int count = 0, failed = 0;
    if (s->json) {
        json_key(&s->out, "tests");
        json_open(&s->out, '[');
    }
    for (int i = 0; i < files->count && worst != EXIT_INTERRUPTED; i++)
        worst = exit_worse(worst, test_file(s, files->data[i], &count, &failed));
    if (s->json)
        json_close(&s->out, ']');
    else if (!session_has(s, OPT_QUIET))
        text_printf(&s->out, "%d files, %d experiments, %d failed\n", files->count, count, failed);
    return worst;
}

ExitCode verb_lib(Session *s) {
    const char *folder = session_library(s), *asked = session_argument(s, 0);
    if (!folder) {
        if (!s->report.errors) {
            Remark *m = report_error(&s->report, T_NO_LIBRARY, POS_NONE,
                                     "the component library was not found");
            remark_help(&s->report, m, "name its folder with --library or $BONDYN_LIBRARY");
        }
        return EXIT_INPUT;
    }
    TextList files = library_files(s, folder);
    ExitCode code;
    if (asked && strcmp(asked, "test") == 0) {
        code = test_library(s, &files);
    } else {
        Entries all = load_library(s, &files);
        bool page = asked && strcmp(asked, "page") == 0 && !s->json;
        if (page) print_page(&s->out, &all);
        code = page ? EXIT_GOOD : show_library(s, &all, asked);
        if (s->report.errors) code = EXIT_INPUT;
        array_free(&all);
    }
    array_free(&files);
    return code;
}
