// derive: the matrices of one mechanism as text, LaTeX, JSON or C files.
#include "verb/verb.h"

#include "mech/derive.h"
#include "mech/derive_floating.h"
#include "mech/mech.h"
#include <string.h>

// --- which mechanism -----------------------------------------------------------------------------

// Definitions of mechanisms in the file asked for and, with all, in those that it imports.
static TextList mechanism_names(const Session *s, const Syntax *syntax, bool all, bool energies) {
    TextList list = {0};
    for (const AstFile *f = syntax->files; f; f = all ? f->next : NULL)
        for (const AstClass *c = f->classes; c; c = c->next)
            if (c->kind == CLASS_MECHANISM && (!c->lagrangian || energies))
                array_push(&list, name_text(s->names, c->name));
    return list;
}

static bool has_text(const TextList *list, const char *text) {
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->data[i], text) == 0) return true;
    return false;
}

static void list_mechanisms(Session *s, Remark *m, const TextList *classes, const Model *model) {
    Text t = {0};
    for (int i = 0; i < classes->count; i++)
        text_printf(&t, "%s%s", t.length ? ", " : "", classes->data[i]);
    for (int i = 0; model && i < model->mechanism_count; i++) {
        const char *path = name_text(s->names, model->mechanism[i].name);
        if (*path) text_printf(&t, "%s%s", t.length ? ", " : "", path);
    }
    if (t.length)
        remark_help(&s->report, m, "name one of: %s", text_get(&t));
    else
        remark_help(&s->report, m, "write mechanism NAME ... end with joints and bodies");
    text_free(&t);
}

// The mechanism called `name` in the model, or the only one; NULL is reported.
static const Mechanism *find_mechanism(Session *s, const Model *m, const char *name,
                                       const TextList *classes) {
    for (int i = 0; name && i < m->mechanism_count; i++)
        if (strcmp(name_text(s->names, m->mechanism[i].name), name) == 0) return &m->mechanism[i];
    if (!name && m->mechanism_count == 1) return &m->mechanism[0];
    Remark *r;
    if (name)
        r = report_error(&s->report, D_NO_MECHANISM, POS_NONE, "there is no mechanism '%s'", name);
    else if (m->mechanism_count)
        r = report_error(&s->report, D_NO_MECHANISM, POS_NONE, "there are %d mechanisms in '%s'",
                         m->mechanism_count, name_text(s->names, m->name));
    else
        r = report_error(&s->report, D_NO_MECHANISM, POS_NONE, "there is no mechanism in '%s'",
                         session_argument(s, 0));
    list_mechanisms(s, r, classes, m);
    return NULL;
}

// A mechanism that is named by its definition is a model of its own: names stay short.
static const Mechanism *build_mechanism(Session *s, Pipeline *p, Syntax *syntax) {
    TextList classes = mechanism_names(s, syntax, false, session_has(s, OPT_GRAPH));
    TextList all = mechanism_names(s, syntax, true, true);
    if (!classes.count) classes = mechanism_names(s, syntax, false, true);
    const char *name = session_argument(s, 1), *model = session_value(s, OPT_MODEL);
    if (!model && !name && classes.count == 1) name = classes.data[0];
    if (!model && name && has_text(&all, name)) model = name, name = NULL;
    array_free(&all);
    PipelineOptions o = {.model = model, .lang = session_lang_options(s), .last = STAGE_FLAT};
    const Mechanism *x = NULL;
    if (pipeline_build(p, syntax, &o, &s->report)) x = find_mechanism(s, p->model, name, &classes);
    array_free(&classes);
    return x && (x->by_energy || mech_check(x, p->model->dag, &s->report)) ? x : NULL;
}

// --- what to write -------------------------------------------------------------------------------

static bool read_signature(Session *s, DeriveSignature *signature) {
    static const char *const names[] = {"plain", "20sim"};
    const char *text = session_value(s, OPT_SIGNATURE);
    *signature = text && strcmp(text, names[1]) == 0 ? SIGNATURE_20SIM : SIGNATURE_PLAIN;
    if (!text || *signature == SIGNATURE_20SIM || strcmp(text, names[0]) == 0) return true;
    Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "there is no signature '%s'", text);
    const char *near = nearest_text(text, names, 2);
    remark_help(&s->report, m, near ? "did you mean '%s'?" : "give plain or 20sim", near);
    return false;
}

// What the function that shares parts saves.
static void tell_operations(Session *s, const Derivation *v) {
    int one = derive_operations(v, true), each = derive_operations(v, false);
    if (s->json) {
        json_number_of(&s->out, "operations", one);
        json_number_of(&s->out, "operations_apart", each);
    } else if (!session_has(s, OPT_QUIET)) {
        text_printf(&s->out, "%d operations; %d in a function for each matrix\n", one, each);
    }
}

static ExitCode write_c(Session *s, const Derivation *v, DeriveForm form) {
    if (derive_table(v)) {
        Remark *m = report_error(&s->report, D_TABLE, POS_NONE,
                                 "mechanism '%s' takes a value from a table", v->name);
        remark_help(&s->report, m, "add --fixed, which compiles the parameters in");
        return EXIT_INPUT;
    }
    const char *folder = session_value(s, OPT_OUT), *prefix = derive_prefix(&s->arena, v);
    if (!folder) folder = ".";
    const char *path[] = {path_join(&s->arena, folder, arena_printf(&s->arena, "%s.h", prefix)),
                          path_join(&s->arena, folder, arena_printf(&s->arena, "%s.c", prefix))};
    Text header = {0}, source = {0};
    derive_c(&header, &source, v, prefix, form);
    bool good = folder_make(folder, &s->report) &&
                file_write(path[0], text_get(&header), header.length, &s->report) &&
                file_write(path[1], text_get(&source), source.length, &s->report);
    if (good) session_tell_files(s, path, 2, "");
    if (good && form.shared) tell_operations(s, v);
    text_free(&header);
    text_free(&source);
    return good ? EXIT_GOOD : EXIT_INPUT;
}

// To a file, under `key` into JSON (as a string or as it is), or to standard output.
static ExitCode write_text(Session *s, Text *text, const char *key, bool string) {
    const char *path = session_value(s, OPT_OUT);
    if (path) {
        if (!file_write(path, text_get(text), text->length, &s->report)) return EXIT_INPUT;
        session_tell_files(s, &path, 1, "");
    } else if (s->json) {
        json_key(&s->out, key);
        if (string)
            json_quoted(&s->out, text_get(text));
        else
            json_raw(&s->out, text_get(text));
    } else {
        text_add_n(&s->out, text_get(text), text->length);
    }
    return EXIT_GOOD;
}

static ExitCode write_formulas(Session *s, const Derivation *v) {
    bool latex = session_has(s, OPT_LATEX), json = s->json && !latex;
    Text text = {0};
    if (latex)
        derive_latex(&text, v);
    else if (json)
        derive_json(&text, v);
    else
        derive_text(&text, v);
    ExitCode code = write_text(s, &text, latex ? "latex" : "derivation", latex);
    text_free(&text);
    return code;
}

static bool read_form(Session *s, SquareForm *form) {
    static const char *const names[] = {"constant", "unit"};
    const char *text = session_value(s, OPT_GRAPH);
    *form = text && strcmp(text, names[1]) == 0 ? SQUARES_UNIT : SQUARES_CONSTANT;
    if (!text || *form == SQUARES_UNIT || strcmp(text, names[0]) == 0) return true;
    Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "there is no graph '%s'", text);
    const char *near = nearest_text(text, names, 2);
    remark_help(&s->report, m, near ? "did you mean '%s'?" : "give constant or unit", near);
    return false;
}

static ExitCode write_graph(Session *s, const Model *m, const Mechanism *x, SquareForm form) {
    Text text = {0};
    ExitCode code = EXIT_INPUT;
    if (derive_graph(&text, m, x, form, &s->report)) code = write_text(s, &text, "graph", true);
    text_free(&text);
    return code;
}

static ExitCode write_equivalent(Session *s, const Model *m, const Mechanism *x) {
    Text text = {0};
    ExitCode code = EXIT_INPUT;
    if (derive_equivalent(&text, m, x, &s->report)) code = write_text(s, &text, "equivalent", true);
    text_free(&text);
    return code;
}

ExitCode verb_derive(Session *s) {
    DeriveForm c = {.packed = session_has(s, OPT_PACKED), .shared = session_has(s, OPT_SHARED)};
    SquareForm form;
    if (!read_signature(s, &c.signature) || !read_form(s, &form)) return EXIT_USAGE;
    Syntax *syntax = session_load(s, session_argument(s, 0));
    if (!syntax) return EXIT_INPUT;
    Pipeline p = {0};
    ExitCode code = EXIT_INPUT;
    const Mechanism *x = build_mechanism(s, &p, syntax);
    DeriveOptions options = {session_value(s, OPT_ONLY), session_has(s, OPT_FIXED)};
    bool graph = session_has(s, OPT_GRAPH), equivalent = session_has(s, OPT_EQUIVALENT);
    Derivation *v =
        x && !graph && !equivalent ? derive(&p.arena, p.model, x, &options, &s->report) : NULL;
    if (x && graph)
        code = write_graph(s, p.model, x, form);
    else if (x && equivalent)
        code = write_equivalent(s, p.model, x);
    else if (v && session_has(s, OPT_C))
        code = write_c(s, v, c);
    else if (v)
        code = write_formulas(s, v);
    pipeline_free(&p);
    return code;
}
