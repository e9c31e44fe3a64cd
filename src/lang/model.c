// Looking into a flat model, and printing it.
#include "lang/model.h"

#include <string.h>

int model_of_symbol(const Model *m, Expr symbol) {
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].symbol == symbol) return v;
    return -1;
}

int model_find(const Model *m, const char *path) {
    if (m->var_count > 0 && strcmp(name_text(m->names, m->var[0].path), path) == 0) return 0;
    int low = 1, high = m->var_count; // var[0] is time; the others are sorted
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = name_compare(name_text(m->names, m->var[middle].path), path);
        if (order == 0) return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

// * stands for any text. On a mismatch the last * swallows one more character.
bool path_matches(const char *pattern, const char *path) {
    const char *star = NULL, *retry = NULL;
    while (*path) {
        if (*pattern == '*') {
            star = pattern++;
            retry = path;
        } else if (*pattern == *path) {
            pattern++;
            path++;
        } else if (star) {
            pattern = star + 1;
            path = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == 0;
}

// The name of a vector takes all of its entries: x stands for x[1], x[2] ...
static bool takes_entry(const char *pattern, const char *path) {
    const char *open = strrchr(path, '[');
    size_t length = open ? (size_t)(open - path) : 0;
    char whole[1000];
    if (!open || path[strlen(path) - 1] != ']' || length >= sizeof whole) return false;
    memcpy(whole, path, length);
    whole[length] = 0;
    return path_matches(pattern, whole);
}

bool pattern_takes(const char *pattern, const Var *v, const Names *names) {
    if (v->kind == VAR_TIME) return false;
    if (v->kind == VAR_DERIVATIVE && !strstr(pattern, "der(")) return false;
    if (v->kind == VAR_PARAM && strchr(pattern, '*')) return false;
    const char *path = name_text(names, v->path);
    return path_matches(pattern, path) || takes_entry(pattern, path);
}

// --- printing ------------------------------------------------------------------------------------

static const char *const var_word[] = {
    [VAR_TIME] = "time",         [VAR_PARAM] = "param",
    [VAR_EFFORT] = "effort",     [VAR_FLOW] = "flow",
    [VAR_MOMENTUM] = "momentum", [VAR_DISPLACEMENT] = "displacement",
    [VAR_INPUT] = "input",       [VAR_OUTPUT] = "output",
    [VAR_LOCAL] = "var",         [VAR_DERIVATIVE] = "derivative",
    [VAR_DISCRETE] = "discrete", [VAR_VELOCITY] = "velocity",
};

static const char *const role_word[] = {
    [ROLE_NONE] = "",        [ROLE_SUPPLY] = "supplies",   [ROLE_DISSIPATE] = "dissipates",
    [ROLE_STORE] = "stores", [ROLE_LOSSLESS] = "lossless",
};

static const char *const request_word[] = {"", "integral", "derivative", "effort", "flow"};

static void dump_expr(Text *out, const Model *m, Expr e) {
    Printer how = {.style = PRINT_TEXT};
    if (e)
        expr_print(out, m->dag, e, &how);
    else
        text_char(out, '?');
}

static void dump_var(Text *out, const Model *m, const Var *v) {
    text_printf(out, "  %s %s", var_word[v->kind], name_text(m->names, v->path));
    if (v->unit) text_printf(out, " {%s}", name_text(m->names, v->unit));
    if (v->kind == VAR_PARAM) {
        text_add(out, " = ");
        dump_expr(out, m, v->value);
    }
    if (v->start) {
        text_add(out, " initial ");
        dump_expr(out, m, v->start);
    }
    if (v->structural) text_add(out, " structural");
    text_char(out, '\n');
}

static void dump_comp(Text *out, const Model *m, const Comp *c) {
    text_printf(out, "  %s %s", name_text(m->names, c->type), name_text(m->names, c->path));
    if (c->dim > 1) text_printf(out, "[%d]", c->dim);
    for (int p = c->first_port; p < c->first_port + c->port_count; p++) {
        const Port *port = &m->port[p];
        if (port->name) text_printf(out, " %s", name_text(m->names, port->name));
        if (port->name && port->dim > 1) text_printf(out, "[%d]", port->dim);
        if (port->domain) text_printf(out, ":%s", name_text(m->names, port->domain));
        if (port->out) text_add(out, " out");
    }
    if (c->role) text_printf(out, " %s", role_word[c->role]);
    if (c->stored) {
        text_char(out, ' ');
        dump_expr(out, m, c->stored);
    }
    if (c->lost) {
        text_add(out, " loses ");
        dump_expr(out, m, c->lost);
    }
    if (c->pseudo) text_add(out, " pseudo");
    if (c->request) text_printf(out, " request %s", request_word[c->request]);
    text_char(out, '\n');
}

static void dump_end(Text *out, const Model *m, const BondEnd *e, int dim) {
    const Comp *c = &m->comp[e->comp];
    const Port *port = e->port >= 0 ? &m->port[e->port] : NULL;
    int whole = !port ? c->dim : port->whole ? port->whole : port->dim;
    int first = e->first + (port ? port->part : 0);
    text_add(out, name_text(m->names, c->path));
    if (port && port->name) text_printf(out, ".%s", name_text(m->names, port->name));
    if (dim == whole) return;
    if (dim == 1)
        text_printf(out, "[%d]", first + 1);
    else
        text_printf(out, "[%d:%d]", first + 1, first + dim);
}

static void dump_equation(Text *out, const Model *m, const Equation *e) {
    text_add(out, "  ");
    dump_expr(out, m, e->left);
    text_add(out, " = ");
    dump_expr(out, m, e->right);
    if (e->comp >= 0) text_printf(out, "    // %s", name_text(m->names, m->comp[e->comp].path));
    text_char(out, '\n');
}

static void dump_when(Text *out, const Model *m, const When *w) {
    static const char *const word[] = {"when", "warning when", "stop when"};
    text_printf(out, "  %s ", word[w->kind]);
    dump_expr(out, m, w->condition);
    text_char(out, '\n');
    for (int i = w->first_action; i < w->first_action + w->action_count; i++) {
        const Action *a = &m->action[i];
        text_printf(out, "    %s%s = ", a->reinit ? "reinit " : "",
                    name_text(m->names, m->var[a->var].path));
        dump_expr(out, m, a->value);
        text_char(out, '\n');
    }
}

void model_free_expressions(Model *m) { dag_free((Dag *)m->dag); }

void model_seal(Model *m) { dag_seal((Dag *)m->dag); }

void model_dump_events(Text *out, const Model *m) {
    if (m->when_count) text_add(out, "events\n");
    for (int i = 0; i < m->when_count; i++) dump_when(out, m, &m->when[i]);
}

void model_dump(Text *out, const Model *m) {
    text_printf(out, "model %s\nvariables\n", name_text(m->names, m->name));
    for (int i = 0; i < m->var_count; i++) dump_var(out, m, &m->var[i]);
    text_add(out, "components\n");
    for (int i = 0; i < m->comp_count; i++) dump_comp(out, m, &m->comp[i]);
    text_add(out, "bonds\n");
    for (int i = 0; i < m->bond_count; i++) {
        const Bond *b = &m->bond[i];
        text_add(out, "  ");
        dump_end(out, m, &b->from, b->dim);
        text_add(out, " -> ");
        dump_end(out, m, &b->to, b->dim);
        text_char(out, '\n');
    }
    text_add(out, "equations\n");
    for (int i = 0; i < m->equation_count; i++) dump_equation(out, m, &m->equation[i]);
    model_dump_events(out, m);
    if (m->initial_count) text_add(out, "initial\n");
    for (int i = 0; i < m->initial_count; i++) dump_equation(out, m, &m->initial[i]);
    for (int i = 0; i < m->steady_count; i++)
        text_printf(out, "initial steady %s\n", name_text(m->names, m->steady[i].owner));
}
