// See meaning.h.
#include "service/meaning.h"

#include "lang/builtin.h"
#include <ctype.h>
#include <string.h>

enum { MOST_BASES = 20 };

static const char *text_of(const Analysis *a, Name name) { return name_text(a->names, name); }

static bool is_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

bool is_element(const char *word) { return builtin_find(word) != NULL; }

// --- classes -------------------------------------------------------------------------------------

// The last class that begins before the place. Its word stands before its name, in the same line.
const AstClass *class_at(const AstFile *file, uint32_t at) {
    const AstClass *found = NULL;
    for (const AstClass *c = file->classes; c; c = c->next)
        if (c->kind != CLASS_IMPORT && c->pos.file == file->source && c->pos.at <= at &&
            (!found || c->pos.at > found->pos.at))
            found = c;
    return found;
}

static Definition definition_of(const Analysis *a, const AstFile *file, const AstExpr *path) {
    Report quiet = {0};
    Definition d = path ? find_by_path(a->syntax, file, path, &quiet) : (Definition){0};
    report_free(&quiet);
    return d;
}

Definition class_base(const Analysis *a, Definition d) {
    bool is_const = d.what->kind == CLASS_CONST;
    return is_const ? (Definition){0} : definition_of(a, d.file, d.what->base);
}

Definition meaning_class(const Analysis *a, const Meaning *m) {
    if (m->kind == MEANS_CLASS) return (Definition){m->class, m->file};
    if (m->kind != MEANS_ITEM || m->item->kind != ITEM_COMPONENT) return (Definition){0};
    return definition_of(a, m->file, m->item->path);
}

// --- declarations --------------------------------------------------------------------------------

bool declares(const AstItem *i) {
    switch (i->kind) {
    case ITEM_PARAM:
    case ITEM_CONST:
    case ITEM_PORT:
    case ITEM_INPUT:
    case ITEM_OUTPUT:
    case ITEM_VAR:
    case ITEM_COMPONENT:
    case ITEM_JOINT:
    case ITEM_BODY:
    case ITEM_FRAME:
    case ITEM_TIE:
    case ITEM_VELOCITY: return i->name != 0;
    default: return false;
    }
}

static bool each_item(const AstItem *i, const AstFile *file, const AstClass *c, TakeItem take,
                      void *context) {
    for (; i; i = i->next) {
        if (declares(i) && !take(context, file, c, i)) return false;
        bool nested = i->kind == ITEM_FOR || i->kind == ITEM_IF;
        if (nested && (!each_item(i->body, file, c, take, context) ||
                       !each_item(i->otherwise, file, c, take, context)))
            return false;
    }
    return true;
}

void each_declaration(const Analysis *a, Definition d, TakeItem take, void *context) {
    for (int i = 0; d.what && i < MOST_BASES; i++) {
        bool holds = d.what->kind == CLASS_MODEL || d.what->kind == CLASS_ELEMENT ||
                     d.what->kind == CLASS_MECHANISM;
        if (holds && !each_item(d.what->items, d.file, d.what, take, context)) return;
        d = class_base(a, d);
    }
}

typedef struct {
    Name name;
    Meaning found;
} Search;

static bool take_named(void *context, const AstFile *file, const AstClass *c, const AstItem *i) {
    Search *k = context;
    if (i->name != k->name) return true;
    k->found = (Meaning){MEANS_ITEM, i->name, i->pos, file, c, i, NULL};
    return false;
}

static Meaning declared_in(const Analysis *a, Definition d, Name name) {
    Search k = {.name = name};
    each_declaration(a, d, take_named, &k);
    return k.found;
}

// --- names of the language -----------------------------------------------------------------------

static Meaning by_language(MeaningKind kind, Name name) {
    return (Meaning){.kind = kind, .name = name};
}

static bool is_function(const char *word) {
    static const char *const functions[] = {
        "sin",       "cos",   "tan",        "asin",    "acos",     "atan",  "atan2",
        "sinh",      "cosh",  "tanh",       "exp",     "log",      "log10", "sqrt",
        "abs",       "sign",  "min",        "max",     "floor",    "ceil",  "mod",
        "der",       "pre",   "sample",     "delay",   "reinit",   "sum",   "dot",
        "cross",     "skew",  "transpose",  "inverse", "norm",     "along", "diag",
        "identity",  "zeros", "ones",       "mean",    "integral", "size",  "partial",
        "amplitude", "phase", "added_mass", "step",    "ramp",     "pulse", NULL};
    return is_one_of(word, functions);
}

static bool is_own_variable(const char *word) {
    static const char *const variables[] = {
        "e",     "f",       "q",         "p",        "e1",       "e2",           "f1",
        "f2",    "p1",      "p2",        "position", "rotation", "attitude",     "velocity",
        "w",     "kinetic", "potential", "energy",   "momentum", "mass",         "centre",
        "force", "moment",  "length",    "gap",      "felt",     "acceleration", NULL};
    return is_one_of(word, variables);
}

// --- looking up ----------------------------------------------------------------------------------

static Meaning of_class(Definition d) {
    return (Meaning){MEANS_CLASS, d.what->name, d.what->pos, d.file, d.what, NULL, NULL};
}

static Meaning of_formals(const Scope *s, Name name) {
    const AstClass *c = s->class;
    for (int i = 0; c && i < c->formal_count; i++)
        if (c->formals[i].name == name)
            return (Meaning){MEANS_FORMAL, name,          c->formals[i].pos, s->file, c,
                             NULL,         &c->formals[i]};
    if (c && c->kind == CLASS_FUNCTION)
        for (const AstItem *i = c->items; i; i = i->next)
            if (i->name == name) return (Meaning){MEANS_LOCAL, name, i->pos, s->file, c, i, NULL};
    return (Meaning){0};
}

static Meaning of_file(const Scope *s, Name name) {
    const Lookup *t = s->a->syntax->lookup;
    for (int i = 0; i < t->import_count; i++)
        if (t->import[i].from == s->file && t->import[i].to->stem == name)
            return (Meaning){
                MEANS_FILE, name, (Pos){t->import[i].to->source, 0}, t->import[i].to, NULL,
                NULL,       NULL};
    return (Meaning){0};
}

static Meaning of_definitions(const Scope *s, Name name) {
    Report quiet = {0};
    Definition d = find_definition(s->a->syntax, s->file, name, POS_NONE, &quiet);
    report_free(&quiet);
    return d.what ? of_class(d) : of_file(s, name);
}

// The model that an experiment is of, else the class itself.
static Definition home(const Scope *s) {
    Definition d = {s->class, s->file};
    return s->class && s->class->kind == CLASS_EXPERIMENT ? class_base(s->a, d) : d;
}

Pos loop_pos(const Analysis *a, const AstItem *loop) {
    size_t length;
    const char *text = source_text(a->sources, loop->pos.file, &length);
    Pos pos = {loop->pos.file, loop->pos.at + 3};
    while (pos.at < length && isspace((unsigned char)text[pos.at])) pos.at++;
    return pos;
}

Meaning meaning_of_name(const Scope *s, Name name) {
    const char *word = text_of(s->a, name);
    for (const LoopScope *l = s->loops; l; l = l->outer)
        if (l->item->name == name)
            return (Meaning){MEANS_LOOP, name, loop_pos(s->a, l->item), s->file, s->class,
                             l->item,    NULL};
    if (s->component && is_own_variable(word)) return by_language(MEANS_VARIABLE, name);
    Meaning m = of_formals(s, name);
    Definition d = home(s);
    if (!m.kind && d.what) m = declared_in(s->a, d, name);
    if (!m.kind && d.what) m = of_definitions(&(Scope){.a = s->a, .file = d.file}, name);
    if (!m.kind) m = of_definitions(s, name);
    if (m.kind) return m;
    if (is_element(word)) return by_language(MEANS_ELEMENT, name);
    return by_language(is_function(word) ? MEANS_FUNCTION : MEANS_NOTHING, name);
}

Meaning meaning_of_type(const Scope *s, const AstExpr *path) {
    Definition d = definition_of(s->a, s->file, path);
    if (d.what) return of_class(d);
    bool element = path->kind == AST_NAME && is_element(text_of(s->a, path->name));
    return by_language(element ? MEANS_ELEMENT : MEANS_NOTHING, path->name);
}

Meaning meaning_of_member(const Analysis *a, const Meaning *of, Name name) {
    if (of->kind == MEANS_FILE) {
        Definition d = find_own(a->syntax, of->file, name);
        return d.what ? of_class(d) : (Meaning){.name = name};
    }
    Definition d = meaning_class(a, of);
    Meaning m = d.what ? declared_in(a, d, name) : (Meaning){.name = name};
    if (m.kind) return m;
    bool own = of->kind == MEANS_ITEM && is_own_variable(text_of(a, name));
    return by_language(own ? MEANS_VARIABLE : MEANS_NOTHING, name);
}

Meaning meaning_of_path(const Scope *s, const AstExpr *path) {
    if (path->kind == AST_NAME) return meaning_of_name(s, path->name);
    if (path->kind != AST_MEMBER) return (Meaning){0};
    Meaning of = meaning_of_path(s, path->left);
    return meaning_of_member(s->a, &of, path->name);
}
