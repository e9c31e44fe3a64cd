// From a graph to boxes and lines: parts are folded, what lies outside of a part becomes a name,
// and with `reduced` McBride's two rules leave out what carries no power of its own:
//
//     a 0-junction whose effort is zero (ground), with its bonds      R - 0 - Se: 0     ->   nothing
//     a junction with two bonds in line                               a -> 1 -> b       ->   a -> b
#include "graph/picture.h"

#include "base/array.h"
#include "graph/inside.h"
#include <string.h>

typedef struct {
    Arena *out;
    const Drawing *d;
    const Model *m;
    const GraphView *view;
    ARRAY(PictureNode) node;
    ARRAY(PictureLine) line;
    ARRAY(const char *) left_out;
    int *of_comp; // node of a component, or -1: not drawn
} Work;

// --- nodes ---------------------------------------------------------------------------------------

static const char *comp_path(const Work *w, int c) {
    return name_text(w->m->names, w->m->comp[c].path);
}

static bool is_inside(const char *path, const char *scope) {
    size_t n = strlen(scope);
    return !n || (strncmp(path, scope, n) == 0 && path[n] == '.');
}

// How much of a path names the part in which it is folded; 0: it is not.
static size_t folded_length(const GraphView *v, const char *path) {
    size_t from = strlen(v->scope) + (*v->scope != 0);
    if (v->depth <= 0) return 0;
    const char *at = path + from;
    for (int k = 0; k < v->depth; k++) {
        const char *dot = strchr(at, '.');
        if (!dot) return 0;
        if (k == v->depth - 1) return (size_t)(dot - path);
        at = dot + 1;
    }
    return 0;
}

static int node_named(Work *w, PictureKind kind, const char *path, size_t n) {
    for (int i = 0; i < w->node.count; i++) {
        const PictureNode *k = &w->node.data[i];
        if (k->kind == kind && strlen(k->path) == n && strncmp(k->path, path, n) == 0) return i;
    }
    PictureNode fresh = {
        .kind = kind, .comp = -1, .path = arena_copy_text(w->out, path, n), .subtitle = ""};
    const char *dot = strrchr(fresh.path, '.');
    fresh.title = kind == NODE_OUTSIDE || !dot || !*w->view->scope ? fresh.path : dot + 1;
    array_push(&w->node, fresh);
    return w->node.count - 1;
}

static int node_of_path(Work *w, const char *path, PictureKind plain) {
    if (!is_inside(path, w->view->scope)) return node_named(w, NODE_OUTSIDE, path, strlen(path));
    size_t n = folded_length(w->view, path);
    if (n) return node_named(w, NODE_FOLD, path, n);
    return node_named(w, plain, path, strlen(path));
}

static const char *kept(Arena *out, Text *t) {
    const char *text = arena_copy_text(out, text_get(t), t->length);
    text_clear(t);
    return text;
}

static void add_components(Work *w) {
    Text t = {0};
    for (int c = 0; c < w->m->comp_count; c++) {
        const char *path = comp_path(w, c);
        bool inside = is_inside(path, w->view->scope);
        size_t fold = inside ? folded_length(w->view, path) : 0;
        w->of_comp[c] = -1;
        if (!inside) continue;
        if (fold) {
            w->of_comp[c] = node_named(w, NODE_FOLD, path, fold);
            PictureNode *box = &w->node.data[w->of_comp[c]];
            box->parts++;
            box->derivative |= w->d->derivative[c];
            continue;
        }
        PictureNode n = {
            .kind = NODE_COMP, .comp = c, .path = path, .derivative = w->d->derivative[c]};
        n.junction = is_junction(w->m->comp[c].kind);
        n.source = is_source(w->m->comp[c].kind);
        if (w->m->comp[c].text) n.text = name_text(w->m->names, w->m->comp[c].text);
        drawn_title(&t, w->d, c);
        n.title = kept(w->out, &t);
        drawn_subtitle(&t, w->d, c);
        n.subtitle = kept(w->out, &t);
        w->of_comp[c] = w->node.count;
        array_push(&w->node, n);
    }
    for (int i = 0; i < w->node.count; i++)
        if (w->node.data[i].kind == NODE_FOLD)
            w->node.data[i].subtitle = arena_printf(w->out, "%d part%s", w->node.data[i].parts,
                                                    w->node.data[i].parts == 1 ? "" : "s");
    text_free(&t);
}

// --- lines ---------------------------------------------------------------------------------------

// The port at a line's end, where the box has several; of a folded part, what it ends at inside.
static const char *port_at(const Work *w, const BondEnd *end, const PictureNode *n) {
    const Comp *c = &w->m->comp[end->comp];
    if (n->kind == NODE_FOLD) return comp_path(w, end->comp) + strlen(n->path) + 1;
    if (n->kind != NODE_COMP || c->kind != COMP_FIELD || end->port < 0) return "";
    const Port *p = &w->m->port[end->port];
    if (!p->name || (c->port_count < 2 && !p->whole)) return "";
    const char *name = name_text(w->m->names, p->name);
    if (p->whole > p->dim || p->part) // a part of a joint's or frame's port
        return p->dim > 1 ? arena_printf(w->out, "%s[%d:%d]", name, p->part + 1, p->part + p->dim)
                          : arena_printf(w->out, "%s[%d]", name, p->part + 1);
    return name;
}

static void add_bonds(Work *w) {
    for (int b = 0; b < w->m->bond_count; b++) {
        const Bond *m = &w->m->bond[b];
        const DrawnBond *d = &w->d->bond[b];
        int end[2] = {w->of_comp[m->from.comp], w->of_comp[m->to.comp]};
        if (!d->count || (end[0] < 0 && end[1] < 0)) continue;
        if (end[0] < 0) end[0] = node_of_path(w, comp_path(w, m->from.comp), NODE_OUTSIDE);
        if (end[1] < 0) end[1] = node_of_path(w, comp_path(w, m->to.comp), NODE_OUTSIDE);
        if (end[0] == end[1] && w->node.data[end[0]].kind == NODE_FOLD) continue;
        PictureLine line = {.from = end[0], .to = end[1], .bond = b, .last = b, .dim = m->dim};
        line.at_from = d->at_from;
        line.at_to = d->at_to;
        line.colour = d->colour;
        line.tail = port_at(w, &m->from, &w->node.data[end[0]]);
        line.head = port_at(w, &m->to, &w->node.data[end[1]]);
        array_push(&w->line, line);
    }
}

static void add_signal(Work *w, int from, int to, const char *words) {
    if (from == to) return;
    for (int i = w->line.count - 1; i >= 0 && w->line.data[i].bond < 0; i--)
        if (w->line.data[i].from == from && w->line.data[i].to == to) return;
    PictureLine line = {
        .from = from, .to = to, .bond = -1, .last = -1, .dim = 1, .tail = "", .head = ""};
    line.words = words;
    array_push(&w->line, line);
}

static void add_signals(Work *w) {
    if (!w->view->signals) return;
    Signals s = signals_find(w->out, w->d);
    int comps = w->m->comp_count;
    for (int i = 0; i < s.line_count; i++) {
        const SignalLine *l = &s.line[i];
        const char *path[2] = {l->from < comps ? comp_path(w, l->from) : s.block[l->from - comps],
                               l->to < comps ? comp_path(w, l->to) : s.block[l->to - comps]};
        bool seen[2] = {is_inside(path[0], w->view->scope), is_inside(path[1], w->view->scope)};
        if (!seen[0] && !seen[1]) continue;
        int node[2];
        for (int k = 0; k < 2; k++) {
            int which = k ? l->to : l->from;
            node[k] = which < comps && w->of_comp[which] >= 0
                          ? w->of_comp[which]
                          : node_of_path(w, path[k], NODE_BLOCK);
        }
        add_signal(w, node[0], node[1], name_text(w->m->names, w->m->var[l->var].path));
    }
}

// --- McBride's rules -----------------------------------------------------------------------------

static void note(Work *w, const char *text) { array_push(&w->left_out, text); }

static void remove_line(Work *w, int line) {
    for (int i = line; i + 1 < w->line.count; i++) w->line.data[i] = w->line.data[i + 1];
    w->line.count--;
}

static bool gives_zero(const Work *w, int comp) {
    const Comp *c = &w->m->comp[comp];
    double number = 1;
    for (int e = c->first_equation; c->kind == COMP_SE && e < c->first_equation + c->equation_count;
         e++)
        if (!expr_is_number(w->m->dag, w->m->equation[e].right, &number) || number != 0)
            return false;
    return c->kind == COMP_SE && number == 0;
}

static int lines_at(const Work *w, int node, int at[2]) {
    int count = 0;
    for (int i = 0; i < w->line.count; i++) {
        const PictureLine *l = &w->line.data[i];
        if (l->bond < 0 || (l->from != node && l->to != node)) continue;
        if (count < 2) at[count] = i;
        count++;
    }
    return count;
}

// A 0-junction with a source of no effort: both go, with all bonds of the junction.
static bool remove_ground(Work *w, int node) {
    const PictureNode *n = &w->node.data[node];
    if (n->kind != NODE_COMP || w->m->comp[n->comp].kind != COMP_0) return false;
    bool ground = false;
    for (int i = 0; i < w->line.count; i++) {
        const PictureLine *l = &w->line.data[i];
        int other = l->from == node ? l->to : l->to == node ? l->from : -1;
        if (l->bond >= 0 && other >= 0 && w->node.data[other].kind == NODE_COMP)
            ground = ground || gives_zero(w, w->node.data[other].comp);
    }
    if (!ground) return false;
    int bonds = 0;
    for (int i = w->line.count - 1; i >= 0; i--) {
        if (w->line.data[i].bond < 0 ||
            (w->line.data[i].from != node && w->line.data[i].to != node))
            continue;
        remove_line(w, i);
        bonds++;
    }
    note(w, arena_printf(w->out, "0 '%s' has no effort: it and its %d bonds", n->path, bonds));
    return true;
}

// a -> junction -> b with one dimension: one line.
static bool join_lines(Work *w, int node) {
    const PictureNode *n = &w->node.data[node];
    int at[2];
    if (!n->junction || lines_at(w, node, at) != 2) return false;
    PictureLine *x = &w->line.data[at[0]], *y = &w->line.data[at[1]];
    if (x->to != node) {
        PictureLine *swap = x;
        x = y;
        y = swap;
    }
    if (x->to != node || y->from != node || x->from == node || y->to == node || x->dim != y->dim)
        return false;
    PictureLine joined = *x;
    joined.to = y->to;
    joined.last = y->last;
    joined.head = y->head;
    joined.at_to = y->at_to;
    if (y->colour > joined.colour) joined.colour = y->colour;
    *x = joined;
    remove_line(w, (int)(y - w->line.data));
    note(w, arena_printf(w->out, "%s '%s' has two bonds in line", n->title, n->path));
    return true;
}

// Nodes without a line are not drawn.
static void drop_lonely(Work *w) {
    int *number = ARENA_ARRAY(w->out, int, w->node.count);
    int count = 0;
    for (int i = 0; i < w->node.count; i++) {
        bool used = false;
        for (int k = 0; k < w->line.count && !used; k++)
            used = w->line.data[k].from == i || w->line.data[k].to == i;
        number[i] = used ? count : -1;
        if (used) w->node.data[count++] = w->node.data[i];
    }
    w->node.count = count;
    for (int k = 0; k < w->line.count; k++) {
        w->line.data[k].from = number[w->line.data[k].from];
        w->line.data[k].to = number[w->line.data[k].to];
    }
}

static void reduce(Work *w) {
    bool changed = false;
    int before = w->line.count;
    for (int i = 0; i < w->node.count; i++) changed = remove_ground(w, i) || changed;
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < w->node.count; i++) again = join_lines(w, i) || again;
        changed = changed || again;
    }
    if (changed) drop_lonely(w);
    note(w, arena_printf(w->out, "%d lines of %d are drawn", w->line.count, before));
}

Picture picture_make(Arena *out, const Drawing *d, const GraphView *view) {
    Work w = {.out = out, .d = d, .m = d->g->model, .view = view};
    w.of_comp = ARENA_ARRAY(out, int, w.m->comp_count + 1);
    add_components(&w);
    add_bonds(&w);
    if (view->reduced) reduce(&w);
    if (!view->reduced) add_signals(&w);
    Picture p = {.d = d, .node_count = w.node.count, .line_count = w.line.count};
    p.node = ARENA_ARRAY(out, PictureNode, w.node.count);
    p.line = ARENA_ARRAY(out, PictureLine, w.line.count);
    p.left_out = ARENA_ARRAY(out, const char *, w.left_out.count);
    p.left_out_count = w.left_out.count;
    if (w.node.count) memcpy(p.node, w.node.data, (size_t)w.node.count * sizeof *p.node);
    if (w.line.count) memcpy(p.line, w.line.data, (size_t)w.line.count * sizeof *p.line);
    if (w.left_out.count)
        memcpy(p.left_out, w.left_out.data, (size_t)w.left_out.count * sizeof *p.left_out);
    array_free(&w.node);
    array_free(&w.line);
    array_free(&w.left_out);
    return p;
}
