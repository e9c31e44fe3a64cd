// A walk over the syntax tree that stops at every name. What a field of a statement holds depends
// on the kind of statement (lang/ast.h); so does what is looked at.
#include "service/uses.h"

#include <ctype.h>
#include <string.h>

typedef struct {
    const Analysis *a;
    Scope scope;
    Uses uses;
    const char *text;
    size_t length;
} Walk;

static void add(Walk *w, Pos pos, Name name, Meaning m, bool declares, const AstExpr *path) {
    const char *word = name_text(w->a->names, name);
    size_t length = strlen(word);
    bool there = pos.file == w->scope.file->source && pos.at + length <= w->length &&
                 memcmp(w->text + pos.at, word, length) == 0;
    if (!there || !length) return; // it is not written here: joints of a coordinate, `actuator`
    array_push(&w->uses,
               ((Use){pos.at, pos.at + (uint32_t)length, declares, m, path, w->scope.class}));
}

static void walk_expr(Walk *w, const AstExpr *e);

static void walk_values(Walk *w, const AstArg *args, int count) {
    for (int i = 0; i < count; i++) walk_expr(w, args[i].value);
}

// Arguments by name: names of parameters of `of`, or, of a function, names of the caller.
static void walk_args(Walk *w, const AstArg *args, int count, const Meaning *of) {
    for (int i = 0; i < count; i++) {
        if (args[i].name) {
            Meaning m = of ? meaning_of_member(w->a, of, args[i].name)
                           : meaning_of_name(&w->scope, args[i].name);
            add(w, args[i].pos, args[i].name, m, false, NULL);
        }
        walk_expr(w, args[i].value);
    }
}

static Meaning walk_path(Walk *w, const AstExpr *e) {
    Meaning m = {0};
    if (e->kind == AST_MEMBER) {
        Meaning of = walk_path(w, e->left);
        m = meaning_of_member(w->a, &of, e->name);
    } else if (e->kind == AST_NAME) {
        m = meaning_of_name(&w->scope, e->name);
    } else {
        walk_expr(w, e);
        return m;
    }
    add(w, e->pos, e->name, m, false, e);
    if (e->arg_count) walk_values(w, e->args, e->arg_count);
    return m;
}

// Type or file.Type.
static Meaning walk_type(Walk *w, const AstExpr *e) {
    if (!e) return (Meaning){0};
    if (e->kind == AST_MEMBER) return walk_path(w, e);
    Meaning m = meaning_of_type(&w->scope, e);
    add(w, e->pos, e->name, m, false, e);
    return m;
}

static void walk_expr(Walk *w, const AstExpr *e) {
    if (!e) return;
    switch (e->kind) {
    case AST_NAME:
    case AST_MEMBER: walk_path(w, e); break;
    case AST_CALL:
        walk_path(w, e->left);
        if (e->arg_count) walk_args(w, e->args, e->arg_count, NULL);
        break;
    case AST_IF:
        walk_expr(w, e->left);
        walk_expr(w, e->right);
        walk_expr(w, e->other);
        break;
    case AST_BINARY:
    case AST_RANGE:
        walk_expr(w, e->left);
        walk_expr(w, e->right);
        break;
    case AST_UNARY:
    case AST_WITH_UNIT: walk_expr(w, e->left); break;
    case AST_VECTOR:
    case AST_MATRIX: walk_values(w, e->args, e->arg_count); break;
    case AST_NUMBER:
    case AST_TIME:
    case AST_END:
    case AST_STRING: break;
    }
}

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static uint32_t word_end(const Walk *w, uint32_t at) {
    while (at < w->length && in_word(w->text[at])) at++;
    return at;
}

// A pattern of `record` is no expression: a path with * in it, perhaps in der( ). Its names up to
// the first * mean what they mean elsewhere.
static void walk_pattern(Walk *w, Pos pos) {
    Meaning m = {0};
    for (bool first = true;; first = false) {
        uint32_t end = word_end(w, pos.at);
        char behind = w->text[end];
        if (end == pos.at || behind == '*') return;
        if (behind == '(') { // der(
            walk_pattern(w, (Pos){pos.file, end + 1});
            return;
        }
        char word[256];
        size_t length = end - pos.at;
        if (length >= sizeof word) return;
        memcpy(word, w->text + pos.at, length);
        word[length] = 0;
        Name name = name_find(w->a->names, word);
        m = first ? meaning_of_name(&w->scope, name) : meaning_of_member(w->a, &m, name);
        add(w, pos, name, m, false, NULL);
        while (w->text[end] == '[')
            while (w->text[end] && w->text[end++] != ']') {}
        if (w->text[end] != '.') return;
        pos.at = end + 1;
    }
}

// --- statements ----------------------------------------------------------------------------------

static void walk_items(Walk *w, const AstItem *i);

static void walk_exprs(Walk *w, AstExpr *const *e, int count) {
    for (int i = 0; i < count; i++) walk_expr(w, e[i]);
}

// Two statements may declare one name, in branches of an `if` or as body and joint: the first
// counts.
static void walk_declared(Walk *w, const AstItem *i) {
    Scope plain = {.a = w->a, .file = w->scope.file, .class = w->scope.class};
    Meaning m = meaning_of_name(&plain, i->name);
    add(w, i->pos, i->name, m, true, NULL);
    walk_exprs(w, i->size, i->size_count);
}

static void walk_laws(Walk *w, const AstItem *laws, const AstItem *component) {
    const AstItem *before = w->scope.component;
    w->scope.component = component;
    walk_items(w, laws);
    w->scope.component = before;
}

static void walk_component(Walk *w, const AstItem *i) {
    Meaning type = walk_type(w, i->path);
    walk_declared(w, i);
    walk_expr(w, i->dimension);
    walk_args(w, i->args, i->arg_count, &type);
    walk_expr(w, i->left);
    if (!i->mount) walk_laws(w, i->laws, i);
    if (i->mount) {
        walk_exprs(w, i->mount->exprs, i->mount->expr_count);
        walk_values(w, i->mount->args, i->mount->arg_count);
    }
}

static void walk_for(Walk *w, const AstItem *i) {
    LoopScope loop = {i, w->scope.loops};
    walk_expr(w, i->left);
    w->scope.loops = &loop;
    add(w, loop_pos(w->a, i), i->name, meaning_of_name(&w->scope, i->name), true, NULL);
    walk_items(w, i->body);
    w->scope.loops = loop.outer;
}

static void walk_place(Walk *w, const AstItem *i) {
    if (i->name) walk_declared(w, i);
    walk_exprs(w, i->exprs, i->expr_count);
    walk_values(w, i->args, i->arg_count);
    if (i->kind == ITEM_FRAME) walk_expr(w, i->path);
}

// Which fields of a statement hold names, by its kind.
enum {
    NOTHING,
    DECLARED = 1 << 0,
    LEFT = 1 << 1,
    RIGHT = 1 << 2,
    TOLERANCE = 1 << 3,
    EXPRS = 1 << 4,
    VALUES = 1 << 5,
    BODY = 1 << 6,
    LAWS = 1 << 7,
    PATH = 1 << 8,
    OWN = 1 << 9, // walk_own looks at them
};

static unsigned fields_of(ItemKind kind) {
    switch (kind) {
    case ITEM_PARAM:
    case ITEM_CONST:
    case ITEM_INPUT:
    case ITEM_OUTPUT:
    case ITEM_VAR:
    case ITEM_VELOCITY: return DECLARED | LEFT;
    case ITEM_CHOSEN: return DECLARED;
    case ITEM_BOND: return EXPRS;
    case ITEM_INITIAL:
    case ITEM_SET:
    case ITEM_REINIT:
    case ITEM_STORES: return LEFT | RIGHT;
    case ITEM_IF:
    case ITEM_WHEN:
    case ITEM_MODES: return LEFT | BODY;
    case ITEM_MODE: return LAWS | LEFT;
    case ITEM_CAUSALITY: return PATH;
    case ITEM_SENSITIVITY: return EXPRS | VALUES;
    case ITEM_MINIMISE:
    case ITEM_OVER:
    case ITEM_SUBJECT:
    case ITEM_FIT:
    case ITEM_EXPECT: return LEFT | RIGHT | TOLERANCE;
    case ITEM_ANALYSIS:
    case ITEM_PLOT: return EXPRS | LEFT | RIGHT;
    case ITEM_FREQUENCY: return EXPRS | LEFT | VALUES;
    case ITEM_LIVE: return LEFT | RIGHT | VALUES;
    case ITEM_SOLVER: return VALUES;
    case ITEM_ASSERT:
    case ITEM_START:
    case ITEM_STOP:
    case ITEM_POINTS:
    case ITEM_EVERY:
    case ITEM_AUDIT:
    case ITEM_GRAVITY:
    case ITEM_ENERGY: return LEFT;
    case ITEM_JOINT:
    case ITEM_BODY:
    case ITEM_FRAME:
    case ITEM_TIE:
    case ITEM_SHAPE:
    case ITEM_PORT:
    case ITEM_COMPONENT:
    case ITEM_EQUATION:
    case ITEM_FOR:
    case ITEM_RECORD: return OWN;
    case ITEM_LOSSLESS:
    case ITEM_SUPPLIES:
    case ITEM_DISSIPATES:
    case ITEM_TERMINATE:
    case ITEM_DISPLAY:
    case ITEM_FORM:
    case ITEM_COORDINATES: return NOTHING;
    }
    return NOTHING;
}

static void walk_port(Walk *w, const AstItem *i) {
    walk_declared(w, i);
    walk_type(w, i->path);
    walk_expr(w, i->dimension);
}

static void walk_equation(Walk *w, const AstItem *i) {
    if (i->name)
        walk_declared(w, i);
    else
        walk_expr(w, i->left);
    walk_expr(w, i->right);
}

static void walk_own(Walk *w, const AstItem *i) {
    switch (i->kind) {
    case ITEM_PORT: walk_port(w, i); break;
    case ITEM_COMPONENT: walk_component(w, i); break;
    case ITEM_EQUATION: walk_equation(w, i); break;
    case ITEM_FOR: walk_for(w, i); break;
    case ITEM_RECORD:
        for (int k = 0; k < i->expr_count; k++) walk_pattern(w, i->exprs[k]->pos);
        break;
    default: walk_place(w, i);
    }
}

// The order does not matter: uses are sorted by their places.
static void walk_item(Walk *w, const AstItem *i) {
    unsigned fields = fields_of(i->kind);
    if (fields & OWN) walk_own(w, i);
    if (fields & DECLARED) walk_declared(w, i);
    if (fields & LEFT) walk_expr(w, i->left);
    if (fields & RIGHT && i->right != i->left) walk_expr(w, i->right);
    if (fields & TOLERANCE) walk_expr(w, i->tolerance);
    if (fields & EXPRS) walk_exprs(w, i->exprs, i->expr_count);
    if (fields & VALUES) walk_values(w, i->args, i->arg_count);
    if (fields & LAWS) walk_laws(w, i->laws, w->scope.component);
    if (fields & PATH) walk_expr(w, i->path);
    if (!(fields & BODY)) return;
    walk_items(w, i->body);
    walk_items(w, i->otherwise);
}

static void walk_items(Walk *w, const AstItem *i) {
    for (; i; i = i->next) walk_item(w, i);
}

// --- files ---------------------------------------------------------------------------------------

static void walk_class(Walk *w, const AstClass *c) {
    if (c->kind == CLASS_IMPORT) {
        w->scope.class = NULL;
        if (!c->quoted) add(w, c->pos, c->name, meaning_of_name(&w->scope, c->name), false, NULL);
        return;
    }
    w->scope.class = NULL;
    add(w, c->pos, c->name, meaning_of_name(&w->scope, c->name), true, NULL);
    Meaning base = walk_type(w, c->base);
    w->scope.class = c;
    if (c->arg_count) walk_args(w, c->args, c->arg_count, &base);
    for (int i = 0; i < c->formal_count; i++)
        add(w, c->formals[i].pos, c->formals[i].name,
            meaning_of_name(&w->scope, c->formals[i].name), true, NULL);
    if (!c->from) walk_items(w, c->items); // else they are those of a robot description
    walk_expr(w, c->value);
    walk_exprs(w, c->numbers, c->number_count);
}

static int by_place(const void *pa, const void *pb) {
    const Use *a = pa, *b = pb;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    return (int)b->declares - (int)a->declares;
}

Uses uses_of_file(const Analysis *a, const AstFile *file) {
    Walk w = {.a = a, .scope = {.a = a, .file = file}};
    w.text = source_text(a->sources, file->source, &w.length);
    for (const AstClass *c = file->classes; c; c = c->next) walk_class(&w, c);
    if (w.uses.count) qsort(w.uses.data, (size_t)w.uses.count, sizeof w.uses.data[0], by_place);
    int kept = 0; // a chain a -> b -> c has b twice
    for (int i = 0; i < w.uses.count; i++)
        if (!kept || w.uses.data[kept - 1].at != w.uses.data[i].at)
            w.uses.data[kept++] = w.uses.data[i];
    w.uses.count = kept;
    return w.uses;
}

const Use *use_at(const Uses *u, uint32_t at) {
    int low = 0, high = u->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (u->data[middle].end < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < u->count && u->data[low].at <= at ? &u->data[low] : NULL;
}
