// Who reads a variable of whom.
//
//     MTF t(gain.y*w.f)          reads y of the block `gain` and f of the junction `w`
//     gain.u = v.f               `gain` reads f of `v`
//     x = 2*v.f,  MSe s = x      s reads f of v: x belongs to a model that has components, and only passes it on
//
// A model that has variables and no component is a block.
#include "graph/inside.h"
#include "graph/picture.h"

#include "base/array.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { NOBODY = -1, MOST_COMPONENTS = 3000 };

typedef struct {
    const Drawing *d;
    const Model *m;
    Arena *out;
    ExprWalk *walk;
    int *owner; // per variable: a component, a block behind them, or NOBODY
    ARRAY(const char *) block;
    int *first; // per variable, and one more: into `law`: equations that give it
    int *law;
    int *seen, stamp; // per variable
    ARRAY(int) open;
    ARRAY(SignalLine) line;
} Search;

static bool is_signal(VarKind kind) {
    return kind == VAR_INPUT || kind == VAR_OUTPUT || kind == VAR_LOCAL || kind == VAR_DISCRETE;
}

static const char *path_of(const Search *s, int var) {
    return name_text(s->m->names, s->m->var[var].path);
}

// Has the model `path[0..n)` a component? They are in the order of their paths.
static bool has_component(const Search *s, const char *path, size_t n) {
    for (int c = 0; c < s->m->comp_count; c++) {
        const char *p = name_text(s->m->names, s->m->comp[c].path);
        if (strncmp(p, path, n) == 0 && (p[n] == '.' || !p[n])) return true;
    }
    return false;
}

static int block_of(Search *s, int var) {
    const char *path = path_of(s, var), *dot = strrchr(path, '.');
    if (!dot) return NOBODY;
    size_t n = (size_t)(dot - path);
    for (int i = s->block.count - 1; i >= 0; i--)
        if (strlen(s->block.data[i]) == n && strncmp(s->block.data[i], path, n) == 0)
            return s->m->comp_count + i;
    if (has_component(s, path, n)) return NOBODY;
    array_push(&s->block, arena_copy_text(s->out, path, n));
    return s->m->comp_count + s->block.count - 1;
}

static void find_owners(Search *s) {
    const Model *m = s->m;
    for (int v = 0; v < m->var_count; v++) s->owner[v] = m->var[v].comp;
    for (int c = 0; c < m->comp_count; c++) {
        const Comp *k = &m->comp[c];
        for (int i = 0; k->var >= 0 && i < k->dim; i++) s->owner[k->var + i] = c;
        for (int p = k->first_port; p < k->first_port + k->port_count; p++)
            for (int i = 0; i < m->port[p].dim; i++)
                s->owner[m->port[p].e + i] = s->owner[m->port[p].f + i] = c;
    }
    for (int v = 0; v < m->var_count; v++)
        if (s->owner[v] < 0 && is_signal(m->var[v].kind)) s->owner[v] = block_of(s, v);
}

// The variable that an equation of a model gives; -1: it is not seen.
static int given_by(const Search *s, const Equation *e) {
    if (expr_op(s->m->dag, e->left) != OP_SYMBOL) return -1;
    int v = s->d->var_of_symbol[expr_symbol_index(s->m->dag, e->left)];
    return v >= 0 && s->m->var[v].kind == VAR_DERIVATIVE ? s->m->var[v].of : v;
}

static void list_laws(Search *s) {
    const Model *m = s->m;
    s->first = memory_zeroed((size_t)m->var_count + 2, sizeof(int));
    s->law = memory_zeroed((size_t)m->equation_count + 1, sizeof(int));
    for (int pass = 0; pass < 2; pass++) {
        for (int e = 0; e < m->equation_count; e++) {
            int v = m->equation[e].comp < 0 ? given_by(s, &m->equation[e]) : -1;
            if (v < 0) continue;
            if (pass) s->law[s->first[v + 1]++] = e;
            if (!pass) s->first[v + 2]++;
        }
        for (int v = 0; !pass && v < m->var_count; v++) s->first[v + 2] += s->first[v + 1];
    }
}

static void add_line(Search *s, int from, int to, int var) {
    for (int i = s->line.count - 1; i >= 0 && s->line.data[i].to == to; i--)
        if (s->line.data[i].from == from) return;
    array_push(&s->line, ((SignalLine){from, to, var}));
}

static void read_expr(Search *s, Expr e) {
    walk_start(s->walk);
    walk_add(s->walk, e);
    for (int i = 0; i < walk_count(s->walk); i++) {
        Expr x = walk_at(s->walk, i);
        if (expr_op(s->m->dag, x) != OP_SYMBOL) continue;
        int v = s->d->var_of_symbol[expr_symbol_index(s->m->dag, x)];
        if (v >= 0 && s->m->var[v].kind == VAR_DERIVATIVE) v = s->m->var[v].of;
        if (v < 0 || s->m->var[v].kind == VAR_PARAM || s->m->var[v].kind == VAR_TIME) continue;
        if (s->seen[v] == s->stamp) continue;
        s->seen[v] = s->stamp;
        array_push(&s->open, v);
    }
}

static void read_actions(Search *s, int var) {
    const Model *m = s->m;
    for (int w = 0; w < m->when_count; w++)
        for (int a = m->when[w].first_action; a < m->when[w].first_action + m->when[w].action_count;
             a++)
            if (m->action[a].var == var) {
                read_expr(s, m->action[a].value);
                read_expr(s, m->when[w].condition);
            }
}

static void read_laws_of(Search *s, int var) {
    for (int i = s->first[var]; i < s->first[var + 1]; i++)
        read_expr(s, s->m->equation[s->law[i]].right);
    if (s->m->var[var].kind == VAR_DISCRETE) read_actions(s, var);
}

// What lies behind the variables that were read.
static void follow(Search *s, int to) {
    for (int i = 0; i < s->open.count; i++) {
        int v = s->open.data[i], from = s->owner[v];
        if (from >= 0 && from != to) add_line(s, from, to, v);
        if (from < 0) read_laws_of(s, v);
        if (from == to && to < s->m->comp_count) read_laws_of(s, v); // an input of its own
    }
}

static void search_from(Search *s, int to) {
    const Model *m = s->m;
    s->stamp++;
    s->open.count = 0;
    if (to < m->comp_count) {
        const Comp *c = &m->comp[to];
        for (int e = c->first_equation; e < c->first_equation + c->equation_count; e++) {
            read_expr(s, m->equation[e].left);
            read_expr(s, m->equation[e].right);
        }
        for (int i = 0; c->argument && i < c->argument_rows * c->argument_cols; i++)
            read_expr(s, c->argument[i]);
    } else {
        for (int v = 0; v < m->var_count; v++)
            if (s->owner[v] == to) read_laws_of(s, v);
    }
    follow(s, to);
}

Signals signals_find(Arena *out, const Drawing *d) {
    const Model *m = d->g->model;
    Signals found = {0};
    if (m->comp_count > MOST_COMPONENTS) return found;
    Search s = {.d = d, .m = m, .out = out, .walk = walk_new(m->dag)};
    s.owner = memory_zeroed((size_t)m->var_count + 1, sizeof(int));
    s.seen = memory_zeroed((size_t)m->var_count + 1, sizeof(int));
    find_owners(&s);
    list_laws(&s);
    for (int c = 0; c < m->comp_count; c++)
        if (!is_junction(m->comp[c].kind)) search_from(&s, c);
    for (int b = 0; b < s.block.count; b++) search_from(&s, m->comp_count + b);
    found.line_count = s.line.count;
    found.line = ARENA_ARRAY(out, SignalLine, s.line.count);
    if (s.line.count) memcpy(found.line, s.line.data, (size_t)s.line.count * sizeof *found.line);
    found.block_count = s.block.count;
    found.block = ARENA_ARRAY(out, const char *, s.block.count);
    if (s.block.count)
        memcpy(found.block, s.block.data, (size_t)s.block.count * sizeof *found.block);
    walk_free(s.walk);
    free(s.owner);
    free(s.seen);
    free(s.first);
    free(s.law);
    array_free(&s.block);
    array_free(&s.open);
    array_free(&s.line);
    return found;
}
