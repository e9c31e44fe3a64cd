// Which parts of formulas get a name, t1, t2 ...; see derive_share.h.
#include "mech/derive_share.h"

#include "spatial/spatial.h"

enum { LONG_LINE = 80 }; // nodes above which a part gets a name although it is used once

bool matrix_is_zero(const Dag *d, Matrix a) {
    for (int i = 0; i < a.rows * a.cols; i++)
        if (!expr_is_zero(d, a.at[i])) return false;
    return true;
}

void share_open(Share *s, const Derivation *v, PrintStyle style) {
    *s = (Share){.v = v, .style = style};
    size_t nodes = dag_size(v->d) + 1;
    s->name = ARENA_ARRAY(&s->arena, const char *, nodes);
    s->uses = ARENA_ARRAY(&s->arena, int, nodes);
    s->size = ARENA_ARRAY(&s->arena, int, nodes);
    s->walk = walk_new(v->d);
}

void share_close(Share *s) {
    walk_free(s->walk);
    array_free(&s->shared);
    arena_free(&s->arena);
}

void share_name(Share *s, Expr symbol, const char *text) { s->name[symbol] = text; }

static bool is_leaf(const Share *s, Expr e) {
    Op op = expr_op(s->v->d, e);
    return op == OP_NUMBER || op == OP_SYMBOL || s->name[e];
}

// -x or 2*x of a name: as short as a name of its own
static bool is_multiple(const Share *s, Expr e) {
    const Dag *d = s->v->d;
    return expr_op(d, e) == OP_PRODUCT && expr_arg_count(d, e) == 2 &&
           expr_is_number(d, expr_arg(d, e, 0), NULL) && is_leaf(s, expr_arg(d, e, 1));
}

static void give_name(Share *s, Expr e) {
    array_push(&s->shared, e);
    s->name[e] =
        arena_printf(&s->arena, s->style == PRINT_LATEX ? "t_{%d}" : "t%d", s->shared.count);
}

static void count_uses(Share *s, const DerivedPart *part, int count) {
    const Dag *d = s->v->d;
    for (int i = 0; i < walk_count(s->walk); i++) s->uses[walk_at(s->walk, i)] = 0;
    for (int i = 0; i < walk_count(s->walk); i++) {
        Expr e = walk_at(s->walk, i);
        for (int a = 0; a < expr_arg_count(d, e); a++) s->uses[expr_arg(d, e, a)]++;
    }
    for (int k = 0; k < count; k++)
        for (int i = 0; i < part[k].value.rows; i++)
            for (int j = first_column(&part[k], i); j < part[k].value.cols; j++)
                s->uses[MATRIX_AT(part[k].value, i, j)]++;
}

void share_choose(Share *s, const DerivedPart *part, int count, int small) {
    const Dag *d = s->v->d;
    for (int i = 0; i < s->shared.count; i++) s->name[s->shared.data[i]] = NULL;
    s->shared.count = 0;
    walk_start(s->walk);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < part[k].value.rows; i++)
            for (int j = first_column(&part[k], i); j < part[k].value.cols; j++)
                walk_add(s->walk, MATRIX_AT(part[k].value, i, j));
    count_uses(s, part, count);
    for (int i = 0; i < walk_count(s->walk); i++) {
        Expr e = walk_at(s->walk, i);
        s->size[e] = 1;
        if (is_leaf(s, e)) continue;
        for (int a = 0; a < expr_arg_count(d, e); a++) {
            Expr arg = expr_arg(d, e, a);
            s->size[e] += s->name[arg] ? 1 : s->size[arg];
        }
        bool shared = s->uses[e] > 1 && s->size[e] > small && !is_multiple(s, e);
        if (shared || s->size[e] > LONG_LINE) give_name(s, e);
    }
}

static const char *name_of_node(void *context, Expr e) {
    const Share *s = context;
    return e == s->printing ? NULL : s->name[e];
}

void share_print(Text *out, Share *s, Expr e) {
    Printer how = {.style = s->style, .name = name_of_node, .context = s};
    expr_print(out, s->v->d, e, &how);
}

void share_print_definition(Text *out, Share *s, int i) {
    s->printing = s->shared.data[i];
    share_print(out, s, s->printing);
    s->printing = 0;
}
