// Ports that exist only where a bond comes to them.
//
//   model Resistor                           Resistor a(R = 2 {ohm}), b(R = 3 {ohm})
//     port heat: heat out optional           a.heat -> sink        // a has the port, b has not
//     if bonded(heat) ... else ... end
//
// What a class is made of is decided before the bonds of the models around it are read. So the text
// of these models is asked: every end of a bond with a path, "a.heat", is kept once per model. Of
// elements of an array, and in loops, indices are not looked at: one that is bonded makes the port
// of all.
#include "lang/elaborate.h"

#include <string.h>

enum { LONGEST_END = 512 };

// The path of an end without its indices. False: too long, or no path.
static bool end_text(const Builder *b, const AstExpr *e, char *text, size_t *length) {
    if (e->kind == AST_MEMBER) {
        if (!end_text(b, e->left, text, length)) return false;
        text[(*length)++] = '.';
    } else if (e->kind != AST_NAME) {
        return false;
    }
    const char *name = text_of(b, e->name);
    size_t n = strlen(name);
    if (*length + n + 2 > LONGEST_END) return false;
    memcpy(text + *length, name, n + 1);
    *length += n;
    return true;
}

static void remember_end(Elaboration *e, const AstExpr *end) {
    char text[LONGEST_END];
    size_t length = 0;
    Builder *b = e->b;
    if (end->kind == AST_MEMBER && end_text(b, end, text, &length))
        pairs_set(&b->tmp, &e->ends, 0, name_of_n(b->names, text, length), 1);
}

static void remember_ends(Elaboration *e, const AstItem *items, const Env *env, bool in_loop);

// Outside of loops a condition can be decided now; inside, both ways count.
static void remember_if(Elaboration *e, const AstItem *item, const Env *env, bool in_loop) {
    Constant c = {0};
    bool asks = item->left->kind == AST_CALL && item->left->left->kind == AST_NAME &&
                strcmp(text_of(e->b, item->left->left->name), "bonded") == 0;
    bool known =
        (!in_loop || asks) && number_evaluate(e->b, item->left, env, "a condition", true, &c);
    if (!known || c.one != 0) remember_ends(e, item->body, env, in_loop);
    if (!known || c.one == 0) remember_ends(e, item->otherwise, env, in_loop);
}

static void remember_ends(Elaboration *e, const AstItem *items, const Env *env, bool in_loop) {
    for (const AstItem *i = items; i; i = i->next) {
        if (i->kind == ITEM_FOR) remember_ends(e, i->body, env, true);
        if (i->kind == ITEM_IF) remember_if(e, i, env, in_loop);
        for (int k = 0; i->kind == ITEM_BOND && k < i->expr_count; k++)
            remember_end(e, i->exprs[k]);
    }
}

static bool has_end(Elaboration *e, const char *path) {
    if (!e->ends_known) {
        e->ends_known = true;
        for (int k = 0; k < e->levels; k++)
            remember_ends(e, e->level[k].class->items, e->level[k].env, false);
    }
    return pairs_get(&e->ends, 0, name_of(e->b->names, path)) >= 0;
}

// Does a model around this one, at any level, have a bond that ends at the port?
static bool is_bonded(Elaboration *e, Name port) {
    Builder *b = e->b;
    char path[LONGEST_END];
    size_t start = sizeof path - 1, n = strlen(text_of(b, port));
    if (n >= start) return false;
    path[start] = 0;
    memcpy(path + (start -= n), text_of(b, port), n);
    for (; e->outer; e = e->outer) {
        const char *name = text_of(b, b->instance.data[e->instance].item->name);
        n = strlen(name);
        if (n + 1 > start) return false;
        path[--start] = '.';
        memcpy(path + (start -= n), name, n);
        if (has_end(e->outer, path + start)) return true;
    }
    return false;
}

bool optional_port(Elaboration *e, const AstItem *item) {
    Builder *b = e->b;
    bool bonded = is_bonded(e, item->name);
    pairs_set(&b->tmp, &b->optional, (uint32_t)e->instance, item->name, bonded);
    return bonded;
}

Value lower_bonded(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    const AstExpr *port = e->arg_count == 1 ? e->args[0].value : NULL;
    int known = port && port->kind == AST_NAME && env->instance >= 0
                    ? pairs_get(&b->optional, (uint32_t)env->instance, port->name)
                    : -1;
    if (known >= 0) return value_number(l, known);
    Remark *m = complain(b, L_NOT_OPTIONAL, e->pos, "'bonded' wants the name of an optional port");
    remark_help(b->r, m, "declare it before: port heat: heat out optional");
    return VALUE_BAD;
}
