// What can be known between two points of a run, over all of the way and not only at some places.
//
//     when sin(q) > 0.9     an event function that is a formula of states, time and held values alone, without
//                           anything that is found by iteration: bounds over intervals of these give bounds of it
//                           (engine/bounds.c), and its slopes by time and by each state tell whether it rises or
//                           falls all along
//
// One that is straight goes along a step as states do: there points tell enough.
#include "engine/build.h"

#include "base/memory.h"

enum { MOST_RELATIONS = 512, MOST_STATES = 16, LARGE = 1000 };

typedef struct {
    Builder *b;
    unsigned char *kind; // per node of the graph as it was at the start
    uint16_t *size;      // nodes below, counted as a tree
    Exprs value, slope;  // what the two functions give
    ExprWalk *one;
} Insides;

enum { MOVES = 1, UNKNOWN = 2 };

static unsigned char symbol_kind(Insides *s, Expr e) {
    SymbolRole role = s->b->role.data[expr_symbol_index(s->b->dag, e)];
    switch (role.kind) {
    case SYMBOL_PARAM:
    case SYMBOL_HELD:
    case SYMBOL_TIME: return 0;
    case SYMBOL_STATE: return MOVES;
    case SYMBOL_UNKNOWN:
    case SYMBOL_UNSOLVED: break;
    }
    return UNKNOWN;
}

// Arguments come before their node.
static void classify(Insides *s, const ExprWalk *walk) {
    const Dag *d = s->b->dag;
    const Whens *w = &s->b->system->whens;
    int count = walk_count(walk);
    for (int i = 0; i < w->delay_count; i++) // these move as the past did
        s->kind[w->discrete[w->delay[i]]] = s->kind[w->delay_slope[i]] = UNKNOWN;
    for (int i = 0; i < count; i++) {
        Expr e = walk_at(walk, i);
        int below = 1;
        if (expr_op(d, e) == OP_SYMBOL) s->kind[e] |= symbol_kind(s, e);
        if (expr_op(d, e) == OP_MATRIX) s->kind[e] |= UNKNOWN;
        for (int k = 0; k < expr_arg_count(d, e); k++) {
            s->kind[e] |= s->kind[expr_arg(d, e, k)];
            below += s->size[expr_arg(d, e, k)];
        }
        s->size[e] = (uint16_t)(below > LARGE ? LARGE + 1 : below);
    }
}

static bool is_known(const Insides *s, Expr e) {
    return s->kind[e] == MOVES && s->size[e] <= LARGE;
}

// --- relations -----------------------------------------------------------------------------------

static bool is_jump(const Insides *s, Expr e) {
    const Dag *d = s->b->dag;
    double exponent;
    switch (expr_op(d, e)) {
    case OP_TAN:
    case OP_ATAN2: return s->kind[e] != 0;
    case OP_POWER:
        return s->kind[expr_arg(d, e, 0)] != 0 &&
               (!expr_is_number(d, expr_arg(d, e, 1), &exponent) || exponent < 0);
    default: return false;
    }
}

// It may jump where its slopes go on: atan2(sin(q), cos(q)) looks straight.
static bool has_jumps(const Insides *s, Expr e) {
    walk_start(s->one);
    walk_add(s->one, e);
    for (int i = 0; i < walk_count(s->one); i++)
        if (is_jump(s, walk_at(s->one, i))) return true;
    return false;
}

// The states that it depends on; false: too many.
static bool find_states(Insides *s, Expr e, TapeInside *into) {
    const Builder *b = s->b;
    int state[MOST_STATES], count = 0;
    walk_start(s->one);
    walk_add(s->one, e);
    for (int i = 0; i < walk_count(s->one); i++) {
        Expr x = walk_at(s->one, i);
        if (expr_op(b->dag, x) != OP_SYMBOL) continue;
        SymbolRole role = b->role.data[expr_symbol_index(b->dag, x)];
        if (role.kind != SYMBOL_STATE) continue;
        if (count == MOST_STATES) return false;
        state[count++] = role.index;
    }
    into->states = count;
    into->state = ARENA_ARRAY(&b->program->arena, int, count + 1);
    for (int i = 0; i < count; i++) into->state[i] = state[i];
    return true;
}

static void add_slope(Insides *s, Expr e, Expr by, bool *straight) {
    Expr slope = expr_derivative(s->b->dag, e, by);
    builder_grow(s->b);
    if (builder_level(s->b, slope) != LEVEL_STATIC) *straight = false;
    array_push(&s->slope, slope);
}

// False: it is straight, and goes along a step as states do, so that points tell enough.
static bool add_slopes(Insides *s, Expr e, TapeInside *into) {
    Builder *b = s->b;
    bool straight = !b->program->sw[into->relation].jumps;
    if (!find_states(s, e, into)) return true;
    into->slope = s->slope.count;
    add_slope(s, e, b->system->time, &straight);
    for (int i = 0; i < into->states; i++)
        add_slope(s, e, b->system->state[into->state[i]], &straight);
    if (straight) s->slope.count = into->slope;
    return !straight;
}

static void add_relations(Insides *s, const Exprs *event_function) {
    Program *p = s->b->program;
    for (int i = 0; i < event_function->count; i++)
        p->sw[i].jumps = has_jumps(s, event_function->data[i]);
    for (int i = 0; i < event_function->count && p->inside_relations < MOST_RELATIONS; i++) {
        Expr e = event_function->data[i];
        if (!is_known(s, e)) continue;
        TapeInside new = {.relation = i, .value = s->value.count, .slope = -1};
        if (!add_slopes(s, e, &new)) continue;
        p->inside[p->inside_relations] = new;
        array_push(&s->value, e);
        p->inside_relations++;
    }
}

// --- all ----------------------------------------------------------------------------------------

static void write_function(Builder *b, Draft *draft, Exprs *root) {
    function_begin(b, draft, LEVEL_TIME, -1);
    function_roots(b, root->data, root->count);
    for (int i = 0; i < root->count; i++) function_add(b, root->data[i]);
    function_end(b);
    array_free(root);
}

void write_insides(Builder *b, Draft *const draft[2], const Exprs *event_function,
                   const ProgramOptions *options) {
    Program *p = b->program;
    if (b->failed) return;
    builder_grow(b);
    size_t nodes = (size_t)dag_size(b->dag) + 1;
    ExprWalk *all = walk_rates(b, options);
    Insides s = {.b = b,
                 .kind = memory_zeroed(nodes, sizeof *s.kind),
                 .size = memory_zeroed(nodes, sizeof *s.size),
                 .one = walk_new(b->dag)};
    for (int i = 0; i < event_function->count; i++) walk_add(all, event_function->data[i]);
    p->inside = ARENA_ARRAY(&p->arena, TapeInside, MOST_RELATIONS + 1);
    classify(&s, all);
    add_relations(&s, event_function);
    write_function(b, draft[0], &s.value);
    write_function(b, draft[1], &s.slope);
    walk_free(s.one);
    walk_free(all);
    free(s.kind);
    free(s.size);
}
