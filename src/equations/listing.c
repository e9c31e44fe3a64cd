// Names for shared parts.
//
// A part that is used more than once and is not tiny gets a name: that of a variable that has this
// value, else t1, t2 ... So the text stays as long as the graph is large, however much is shared.
// What a source gives always has its name.
#include "equations/listing.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SMALL_NAMED = 10, SMALL_NAMELESS = 16 }; // nodes up to which a part is written out

// --- which variable names a value ---------------------------------------------------------------

static int place_of(const Listing *l, Expr e) {
    return e - l->first_node < l->node_count ? l->place[e - l->first_node] : -1;
}

// Is it what a source gives?
static bool is_source(const Model *m, const Var *v) {
    if (v->comp < 0) return false;
    CompKind kind = m->comp[v->comp].kind;
    return (kind == COMP_SE && v->kind == VAR_EFFORT) || (kind == COMP_SF && v->kind == VAR_FLOW);
}

// Better names: not a derivative, short, then in order.
static bool names_better(const Model *m, int a, int b) {
    bool der_a = m->var[a].kind == VAR_DERIVATIVE, der_b = m->var[b].kind == VAR_DERIVATIVE;
    if (der_a != der_b) return der_b;
    bool source_a = is_source(m, &m->var[a]), source_b = is_source(m, &m->var[b]);
    if (source_a != source_b) return source_a;
    size_t la = strlen(name_text(m->names, m->var[a].path));
    size_t lb = strlen(name_text(m->names, m->var[b].path));
    return la != lb ? la < lb : a < b;
}

static void name_values(const Listing *l, int *var_of) {
    const System *s = l->system;
    for (int v = 0; v < s->model->var_count; v++) {
        VarKind kind = s->model->var[v].kind;
        int at = kind == VAR_PARAM || kind == VAR_TIME ? -1 : place_of(l, s->value[v]);
        if (at < 0) continue;
        if (var_of[at] < 0 || names_better(s->model, v, var_of[at])) var_of[at] = v;
    }
}

// --- which parts get a name ---------------------------------------------------------------------

static void walk_system(Listing *l) {
    const System *s = l->system;
    l->walk = walk_new(s->dag);
    for (int i = 0; i < s->state_count; i++) walk_add(l->walk, s->rate[i]);
    for (int b = 0; b < s->block_count; b++)
        for (int k = 0; k < s->block[b].size; k++) walk_add(l->walk, s->block[b].residual[k]);
    if (s->state_count == 0) // nothing moves: the values are what there is to see
        for (int v = 0; v < s->model->var_count; v++) walk_add(l->walk, s->value[v]);
    uint32_t low = UINT32_MAX, high = 0;
    for (int i = 0; i < walk_count(l->walk); i++) {
        Expr e = walk_at(l->walk, i);
        if (e < low) low = e;
        if (e > high) high = e;
    }
    l->first_node = low;
    l->node_count = walk_count(l->walk) ? high - low + 1 : 0;
    l->place = ARENA_ARRAY(&l->arena, int32_t, l->node_count + 1);
    memset(l->place, -1, l->node_count * sizeof *l->place);
    for (int i = 0; i < walk_count(l->walk); i++) l->place[walk_at(l->walk, i) - low] = i;
}

static void count_uses(const Listing *l, int *uses) {
    const System *s = l->system;
    for (int i = 0; i < walk_count(l->walk); i++) {
        Expr e = walk_at(l->walk, i);
        for (int k = 0; k < expr_arg_count(s->dag, e); k++)
            uses[place_of(l, expr_arg(s->dag, e, k))]++;
    }
    for (int i = 0; i < s->state_count; i++) uses[place_of(l, s->rate[i])]++;
    for (int b = 0; b < s->block_count; b++)
        for (int k = 0; k < s->block[b].size; k++) uses[place_of(l, s->block[b].residual[k])]++;
}

static void add_definition(Listing *l, int place, int var) {
    const Model *m = l->system->model;
    Text name = {0};
    char number[16];
    snprintf(number, sizeof number, "t%d", l->definition.count + 1);
    name_print(&name, var < 0 ? number : name_text(m->names, m->var[var].path), l->style);
    const char *kept = arena_copy_text(&l->arena, text_get(&name), name.length);
    text_free(&name);
    l->definition_of[place] = l->definition.count;
    array_push(&l->definition, ((Definition){walk_at(l->walk, place), var, kept}));
}

static void choose_definitions(Listing *l) {
    const System *s = l->system;
    int n = walk_count(l->walk);
    int *uses = ARENA_ARRAY(&l->arena, int, n + 1), *size = ARENA_ARRAY(&l->arena, int, n + 1);
    int *var_of = ARENA_ARRAY(&l->arena, int, n + 1);
    l->definition_of = ARENA_ARRAY(&l->arena, int, n + 1);
    for (int i = 0; i < n; i++) var_of[i] = l->definition_of[i] = -1;
    count_uses(l, uses);
    name_values(l, var_of);
    for (int i = 0; i < n; i++) {
        Expr e = walk_at(l->walk, i);
        Op op = expr_op(s->dag, e);
        size[i] = 1;
        if (op == OP_SYMBOL || op == OP_NUMBER) continue;
        for (int k = 0; k < expr_arg_count(s->dag, e); k++) {
            int arg = place_of(l, expr_arg(s->dag, e, k));
            size[i] += l->definition_of[arg] >= 0 ? 1 : size[arg];
        }
        bool source = var_of[i] >= 0 && is_source(s->model, &s->model->var[var_of[i]]);
        int small = var_of[i] >= 0 ? SMALL_NAMED : SMALL_NAMELESS;
        if (source || (uses[i] > 1 && size[i] > small)) add_definition(l, i, var_of[i]);
    }
}

static void find_params(Listing *l) {
    const System *s = l->system;
    for (int v = 0; v < s->model->var_count; v++)
        if (s->model->var[v].kind == VAR_PARAM && walk_seen(l->walk, s->model->var[v].symbol))
            array_push(&l->params, v);
}

// --- printing -----------------------------------------------------------------------------------

static const char *name_of_node(void *context, Expr e) {
    const Listing *l = context;
    int at = e == l->printing ? -1 : place_of(l, e);
    int i = at < 0 ? -1 : l->definition_of[at];
    return i < 0 ? NULL : l->definition.data[i].name;
}

void listing_expr(Text *out, Listing *l, Expr e) {
    Printer how = {l->style, name_of_node, l, l->new_line};
    expr_print(out, l->system->dag, e, &how);
}

void listing_definition(Text *out, Listing *l, int i) {
    l->printing = l->definition.data[i].node;
    listing_expr(out, l, l->printing);
    l->printing = 0;
}

void listing_name(Text *out, const Listing *l, int var) {
    const Model *m = l->system->model;
    name_print(out, name_text(m->names, m->var[var].path), l->style);
}

void listing_der(Text *out, const Listing *l, int state) {
    Text der = {0};
    text_printf(&der, "der(%s)", system_state_name(l->system, state));
    name_print(out, text_get(&der), l->style);
    text_free(&der);
}

bool listing_names(Listing *l, Text *name, Expr e) {
    Text text = {0};
    bool formula = !name_of_node(l, e) && expr_op(l->system->dag, e) != OP_SYMBOL;
    if (!formula) listing_expr(&text, l, e);
    bool same = !formula && strcmp(text_get(name), text_get(&text)) == 0;
    text_free(&text);
    text_free(name);
    return same;
}

bool listing_rate_is_named(Listing *l, int state) {
    Text der = {0};
    listing_der(&der, l, state);
    return listing_names(l, &der, l->system->rate[state]);
}

void listing_left(Text *out, const Listing *l, int i) {
    const ListingLine *line = &l->line.data[i];
    switch (line->kind) {
    case LINE_RATE: listing_der(out, l, line->index); break;
    case LINE_DEFINITION: text_add(out, l->definition.data[line->index].name); break;
    case LINE_RESIDUAL: text_add(out, l->style == PRINT_MATHML ? "<mn>0</mn>" : "0"); break;
    }
}

void listing_right(Text *out, Listing *l, int i) {
    const System *s = l->system;
    const ListingLine *line = &l->line.data[i];
    switch (line->kind) {
    case LINE_RATE: listing_expr(out, l, s->rate[line->index]); break;
    case LINE_DEFINITION: listing_definition(out, l, line->index); break;
    case LINE_RESIDUAL: listing_expr(out, l, s->block[line->block].residual[line->index]); break;
    }
}

const char *listing_path(const Listing *l, int i) {
    const ListingLine *line = &l->line.data[i];
    if (line->kind == LINE_RATE) return system_state_name(l->system, line->index);
    int var = line->kind == LINE_DEFINITION ? l->definition.data[line->index].var : -1;
    const Model *m = l->system->model;
    return var < 0 ? "" : name_text(m->names, m->var[var].path);
}

void listing_param_value(Text *out, const Listing *l, int var) {
    const Model *m = l->system->model;
    const Var *v = &m->var[var];
    Printer how = {.style = PRINT_TEXT};
    const char *unit_name = v->unit ? name_text(m->names, v->unit) : "", *bad;
    size_t bad_length;
    Unit unit = {.scale = 1};
    if (*unit_name && !unit_parse(unit_name, strlen(unit_name), &unit, &bad, &bad_length))
        unit = (Unit){.scale = 1};
    double value;
    if (!v->value)
        text_add(out, "?");
    else if (expr_is_number(m->dag, v->value, &value))
        text_number(out, (value - unit.offset) / unit.scale);
    else
        expr_print(out, m->dag, v->value, &how);
    if (*unit_name) text_printf(out, " {%s}", unit_name);
}

// --- opening ------------------------------------------------------------------------------------

static void add_lines(Listing *l) {
    const System *s = l->system;
    for (int i = 0; i < s->state_count; i++)
        if (!listing_rate_is_named(l, i)) array_push(&l->line, ((ListingLine){LINE_RATE, i, -1}));
    for (int i = 0; i < l->definition.count; i++)
        array_push(&l->line, ((ListingLine){LINE_DEFINITION, i, -1}));
    for (int b = 0; b < s->block_count; b++)
        for (int i = 0; i < s->block[b].size; i++)
            array_push(&l->line, ((ListingLine){LINE_RESIDUAL, i, b}));
}

void listing_open(Listing *l, const System *s, PrintStyle style) {
    *l = (Listing){.system = s, .style = style};
    walk_system(l);
    choose_definitions(l);
    find_params(l);
    add_lines(l);
}

void listing_close(Listing *l) {
    walk_free(l->walk);
    array_free(&l->definition);
    array_free(&l->line);
    array_free(&l->params);
    arena_free(&l->arena);
}
