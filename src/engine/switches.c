// What can jump while a run goes on: relations and functions that consist of pieces, which the
// solver watches by their event functions, and signals of time alone, whose next jump or kink can
// be computed.
//
//     mod(time, T) < d      relation  event function = mod(time, T) - d
//                           clock     phase = time/T, jumps where it is whole
#include "engine/build.h"

#include "base/memory.h"

#include <math.h>

enum { MOST_CLOCKS = 256 }; // beyond that, jumps are left to the error control

static int compare_exprs(const void *a, const void *b) {
    Expr x = *(const Expr *)a, y = *(const Expr *)b;
    return (x > y) - (x < y);
}

// --- clocks --------------------------------------------------------------------------------------

static bool is_static(Builder *b, Expr e) { return builder_level(b, e) == LEVEL_STATIC; }

// A phase that grows steadily with time becomes a clock; equal phases are one.
// False: it does not, or there are too many.
static bool add_clock(Builder *b, Expr phase, const Table *table) {
    Program *p = b->program;
    Expr rate = expr_derivative(b->dag, phase, b->system->time);
    double number;
    if (!is_static(b, rate) || (expr_is_number(b->dag, rate, &number) && number == 0)) return false;
    for (int i = 0; i < p->clock_count; i++)
        if (b->phase.data[2 * i] == phase && p->clock[i].table == table) return true;
    if (p->clock_count >= MOST_CLOCKS) return false;
    p->clock[p->clock_count++] = (TapeClock){.table = table};
    array_push(&b->phase, phase);
    array_push(&b->phase, rate);
    return true;
}

Expr pieces_of(Builder *b, Expr e) {
    if (expr_op(b->dag, e) != OP_TABLE_SLOPE) return e;
    Expr args[] = {expr_arg(b->dag, e, 0), expr_arg(b->dag, e, 1)};
    return expr_call(b->dag, OP_TABLE, args, 2);
}

static const Table *table_of(Builder *b, Expr e) {
    return expr_table(b->dag, (int)expr_value(b->dag, expr_arg(b->dag, e, 0)));
}

// What decides about the piece: the argument, for mod(x, y) x/y.
static Expr argument_of(Builder *b, Expr e) {
    switch (expr_op(b->dag, e)) {
    case OP_TABLE: return expr_arg(b->dag, e, 1);
    case OP_MOD: return expr_div(b->dag, expr_arg(b->dag, e, 0), expr_arg(b->dag, e, 1));
    default: return expr_arg(b->dag, e, 0);
    }
}

// A table with more kinks than this holds measured data: each kink is small, and error control
// copes with it.
enum { MOST_KINKS = 256 };

static bool has_pieces(Builder *b, Expr e) {
    switch (expr_op(b->dag, e)) {
    case OP_TABLE: return table_of(b, e)->kink_count > 0;
    case OP_MOD: return b->level.data[expr_arg(b->dag, e, 1)] == LEVEL_STATIC;
    case OP_FLOOR:
    case OP_CEIL: return true;
    default: return false;
    }
}

// Of time alone: a clock. Else the event functions of the pieces are watched.
static void look_for_pieces(Builder *b, Expr e) {
    if (expr_op(b->dag, e) == OP_TABLE_SLOPE) e = pieces_of(b, e);
    builder_grow(b);
    if (b->level.data[e] == LEVEL_STATIC || !has_pieces(b, e)) return;
    const Table *table = expr_op(b->dag, e) == OP_TABLE ? table_of(b, e) : NULL;
    if (b->level.data[e] == LEVEL_TIME && add_clock(b, argument_of(b, e), table)) return;
    if (!table || table->kink_count <= MOST_KINKS) array_push(&b->relation, e);
}

// --- switches ------------------------------------------------------------------------------------

ExprWalk *walk_rates(Builder *b, const ProgramOptions *options) {
    const System *s = b->system;
    ExprWalk *walk = walk_new(b->dag);
    walk_start(walk);
    for (int i = 0; i < s->state_count; i++) walk_add(walk, s->rate[i]);
    for (int i = 0; i < options->quadrature_count; i++) walk_add(walk, options->quadrature[i]);
    for (int i = 0; i < s->whens.delay_count; i++) {
        walk_add(walk, s->whens.delayed[i]);
        walk_add(walk, s->whens.delay_time[i]);
    }
    for (int i = 0; i < b->block.count; i++)
        for (int k = 0; k < b->block.data[i].size; k++)
            walk_add(walk, b->block.data[i].residual[k]);
    return walk;
}

static void sort_relations(Builder *b) {
    Exprs *r = &b->relation;
    int kept = 0;
    if (r->count) qsort(r->data, (size_t)r->count, sizeof(Expr), compare_exprs);
    for (int i = 0; i < r->count; i++)
        if (!kept || r->data[kept - 1] != r->data[i]) r->data[kept++] = r->data[i];
    r->count = kept;
}

// Does it only jump? Held values but delays, floor, ceil and relations do, and what is made of these alone. Arguments come
// before their node.
static void find_stepwise(Builder *b) {
    const Whens *w = &b->system->whens;
    builder_grow(b);
    bool *moves = memory_zeroed((size_t)dag_size(b->dag) + 1, sizeof *moves);
    ExprWalk *walk = walk_new(b->dag);
    walk_start(walk);
    for (int i = 0; i < b->relation.count; i++) walk_add(walk, b->relation.data[i]);
    for (int i = 0; i < walk_count(walk); i++) {
        Expr e = walk_at(walk, i);
        Op op = expr_op(b->dag, e);
        bool jumps = op == OP_FLOOR || op == OP_CEIL || op == OP_LESS || op == OP_LESS_EQUAL;
        if (op == OP_SYMBOL && b->level.data[e] != LEVEL_STATIC)
            moves[e] = b->role.data[expr_symbol_index(b->dag, e)].kind != SYMBOL_HELD;
        for (int k = 0; k < w->delay_count; k++)
            moves[e] = moves[e] || e == w->discrete[w->delay[k]] || e == w->delay_slope[k];
        for (int k = 0; k < expr_arg_count(b->dag, e) && !jumps; k++)
            moves[e] = moves[e] || moves[expr_arg(b->dag, e, k)];
    }
    for (int i = 0; i < b->program->switch_count; i++) {
        TapeSwitch *s = &b->program->sw[i];
        if (!switch_has_pieces(s) || s->table) continue;
        s->stepwise = true;
        for (int k = 0; k < expr_arg_count(b->dag, s->relation); k++)
            s->stepwise = s->stepwise && !moves[expr_arg(b->dag, s->relation, k)];
    }
    walk_free(walk);
    free(moves);
}

static void make_switches(Builder *b) {
    Program *p = b->program;
    sort_relations(b);
    p->switch_count = b->relation.count;
    p->sw = ARENA_ARRAY(&p->arena, TapeSwitch, p->switch_count + 1);
    for (int i = 0; i < p->switch_count; i++) {
        Expr e = b->relation.data[i];
        Op op = expr_op(b->dag, e);
        p->sw[i] = (TapeSwitch){.relation = e,
                                .op = op,
                                .or_equal = op == OP_LESS_EQUAL,
                                .table = op == OP_TABLE ? table_of(b, e) : NULL,
                                .watcher = -1};
    }
    find_stepwise(b);
}

enum { SHARED = -2 }; // by several warnings

static bool warns(const Builder *b, int branch) {
    return b->system->model->when[branch].kind == WHEN_WARNS;
}

// Relations that one warning needs and nothing else: of no use once it has been given.
static void find_watchers(Builder *b, const ProgramOptions *options) {
    const Whens *w = &b->system->whens;
    ExprWalk *needed = walk_rates(b, options), *one = walk_new(b->dag);
    for (int i = 0; i < w->branch_count; i++)
        if (!warns(b, i)) walk_add(needed, w->condition[i]);
    for (int i = 0; i < w->guard_count; i++) walk_add(needed, w->guard[i]);
    for (int i = 0; i < w->branch_count; i++) {
        if (!warns(b, i)) continue;
        walk_start(one);
        walk_add(one, w->condition[i]);
        for (int k = 0; k < b->program->switch_count; k++) {
            TapeSwitch *s = &b->program->sw[k];
            if (walk_seen(needed, s->relation) || !walk_seen(one, s->relation)) continue;
            s->watcher = s->watcher == -1 ? i : SHARED;
        }
    }
    for (int k = 0; k < b->program->switch_count; k++)
        if (b->program->sw[k].watcher == SHARED) b->program->sw[k].watcher = -1;
    walk_free(needed);
    walk_free(one);
}

static void find_deciding(Builder *b) {
    const Whens *w = &b->system->whens;
    ExprWalk *walk = walk_new(b->dag);
    walk_start(walk);
    for (int i = 0; i < w->branch_count; i++)
        if (b->system->model->when[i].kind == WHEN_ACTS) walk_add(walk, w->condition[i]);
    for (int i = 0; i < w->guard_count; i++) walk_add(walk, w->guard[i]);
    for (int i = 0; i < b->program->switch_count; i++)
        b->program->sw[i].decides = walk_seen(walk, b->program->sw[i].relation);
    walk_free(walk);
}

void find_switches(Builder *b, const ProgramOptions *options) {
    builder_grow(b);
    b->program->clock = ARENA_ARRAY(&b->program->arena, TapeClock, MOST_CLOCKS);
    ExprWalk *walk = walk_rates(b, options);
    b->rate_nodes = walk_count(walk);
    for (int i = 0; i < b->system->whens.branch_count; i++)
        walk_add(walk, b->system->whens.condition[i]);
    for (int i = 0; i < b->system->whens.guard_count; i++)
        walk_add(walk, b->system->whens.guard[i]);
    int count = walk_count(walk);
    for (int i = 0; i < count; i++) {
        Expr e = walk_at(walk, i);
        Op op = expr_op(b->dag, e);
        if ((op == OP_LESS || op == OP_LESS_EQUAL) && b->level.data[e] > LEVEL_STATIC)
            array_push(&b->relation, e);
        else
            look_for_pieces(b, e);
    }
    walk_free(walk);
    make_switches(b);
    find_deciding(b);
    if (b->system->whens.branch_count) find_watchers(b, options);
}

Exprs event_functions_of(Builder *b) {
    Exprs event_function = {0};
    for (int i = 0; i < b->relation.count; i++) {
        Expr e = b->relation.data[i];
        bool pieces = switch_has_pieces(&b->program->sw[i]);
        array_push(&event_function,
                   pieces ? argument_of(b, e)
                          : expr_sub(b->dag, expr_arg(b->dag, e, 0), expr_arg(b->dag, e, 1)));
    }
    return event_function;
}

void write_switches(Builder *b, Draft *draft) {
    Exprs event_function = event_functions_of(b);
    function_begin(b, draft, LEVEL_TIME, -1);
    function_roots(b, event_function.data, event_function.count);
    for (int i = 0; i < event_function.count; i++) function_add(b, event_function.data[i]);
    function_end(b);
    array_free(&event_function);
}
