// A run that leaves the rows of a table: an assertion for each place where that can happen.
//
//     rows        first                last
//     ---------------o------------------o---------------> argument
//     becomes true   x < first          last < x          and is told once, with the time
//
// Tables from files do so unless `beyond` says what is meant; `beyond error` ends the run.
#include "lang/build.h"

typedef struct {
    const Global *owner;
    const Table *table;
    int formal; // the argument that it reads
    Expr argument;
    const Equation *where; // the first equation that reads it so
} Reading;

static bool is_guarded(const AstClass *c) {
    return c->kind == CLASS_TABLE &&
           (c->beyond == BEYOND_ERROR || (c->from && c->beyond == BEYOND_UNSAID));
}

// Of a table of two variables the first one over each of them.
static bool find_guarded(Builder *b, int number, Reading *r) {
    for (int i = 0; i < b->global.count; i++) {
        const Global *g = &b->global.data[i];
        if (!is_guarded(g->class) || g->number[1] < 0) continue;
        r->owner = g;
        r->formal = g->grid ? grid_argument(g->grid, g->number[1], number)
                            : (g->number[1] == number ? 0 : -1);
        if (r->formal < 0) continue;
        r->table = expr_table(b->dag, number);
        return true;
    }
    return false;
}

static Name end_words(Builder *b, const Reading *r, double end, bool last) {
    const AstClass *c = r->owner->class;
    const AstFormal *x = &c->formals[r->formal];
    const char *unit = x->has_unit && !dim_is_one(x->unit.dim) ? dim_text(b, x->unit.dim) : "";
    return name_printf(b->names, "table '%s' %s at %.6g%s%s%s", text_of(b, c->name),
                       last ? "ends" : "begins", end, *unit ? " " : "", unit,
                       c->beyond == BEYOND_ERROR ? ""
                       : last                    ? ": from here on its last value is held"
                                                 : ": until then its first value is held");
}

static void add_end(Builder *b, const Reading *r, bool last) {
    const Table *t = r->table;
    const AstClass *c = r->owner->class;
    double end = t->x[last ? t->count - 1 : 0];
    double slack = 1e-9 * (t->x[t->count - 1] - t->x[0]); // roundings of units
    Expr limit = expr_number(b->dag, last ? end + slack : end - slack);
    Expr sides[] = {last ? limit : r->argument, last ? r->argument : limit};
    When w = {.kind = c->beyond == BEYOND_ERROR ? WHEN_STOPS : WHEN_WARNS,
              .group = b->when.count + b->branch.count,
              .condition = expr_call(b->dag, OP_LESS, sides, 2),
              .first_action = b->action.count,
              .text = c->name,
              .words = end_words(b, r, end, last),
              .table_end = true,
              .row = c->data && last ? c->data->last : POS_NONE,
              .pos = r->where->pos};
    if (r->where->comp >= 0) w.owner = b->comp.data[r->where->comp].path;
    array_push(&b->branch, w);
}

static void look_through(Builder *b, ExprWalk *walk, const Equation *e, int *seen) {
    walk_add(walk, e->left);
    walk_add(walk, e->right);
    for (; *seen < walk_count(walk); ++*seen) {
        Expr node = walk_at(walk, *seen);
        if (expr_op(b->dag, node) != OP_TABLE) continue;
        int number = (int)expr_value(b->dag, expr_arg(b->dag, node, 0));
        Reading r = {.argument = expr_arg(b->dag, node, 1), .where = e};
        if (!find_guarded(b, number, &r)) continue;
        add_end(b, &r, false);
        add_end(b, &r, true);
    }
}

void guard_tables(Builder *b) {
    bool any = false;
    for (int i = 0; i < b->global.count; i++) any = any || is_guarded(b->global.data[i].class);
    if (!any) return;
    ExprWalk *walk = walk_new(b->dag);
    int seen = 0;
    walk_start(walk);
    for (int i = 0; i < b->law.count; i++) look_through(b, walk, &b->law.data[i], &seen);
    for (int i = 0; i < b->mode_law.count; i++) look_through(b, walk, &b->mode_law.data[i], &seen);
    walk_free(walk);
}
