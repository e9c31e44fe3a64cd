// What moves by time alone, so that the solver can look ahead at it without a step (solve/scout.c).
//
//     der(p) = u(t) k - R p/m      a signal   the largest parts of rates, conditions, guards and
//              ------                         blocks that depend on time, parameters and held
//     when k*sin(3 t) < -0.4                  values, and on no state
//          -----------------       an event   where such a relation changes, or abs, sign, min
//                                  function   and max have their kink
//
// Of signals the second derivative tells how long a step may be at most to see every bump; of
// event functions value and derivative lead to their zeros.
#include "engine/build.h"

#include "base/memory.h"

enum { MOST_SIGNALS = 4096, LARGE = 200 }; // LARGE: nodes, beyond which the parts are looked at

enum { HAS_TIME = 1, HAS_STATE = 2 };

typedef struct {
    Builder *b;
    unsigned char *kind; // per node of the graph as it was at the start
    uint16_t *size;      // nodes below, counted as a tree
    bool *taken;
    Exprs signal, event_function;
} Signals;

static unsigned char symbol_kind(Signals *s, Expr e) {
    Builder *b = s->b;
    SymbolRole role = b->role.data[expr_symbol_index(b->dag, e)];
    switch (role.kind) {
    case SYMBOL_TIME: return HAS_TIME;
    case SYMBOL_PARAM:
    case SYMBOL_HELD: return 0;
    case SYMBOL_STATE:
    case SYMBOL_UNKNOWN:
    case SYMBOL_UNSOLVED: break;
    }
    return HAS_STATE;
}

// Delayed signals lie in held registers too, and move.
static void mark_delays(Signals *s) {
    const Whens *w = &s->b->system->whens;
    for (int i = 0; i < w->delay_count; i++)
        s->kind[w->discrete[w->delay[i]]] = s->kind[w->delay_slope[i]] = HAS_STATE;
}

// Arguments come before their node.
static void classify(Signals *s, const ExprWalk *walk) {
    const Dag *d = s->b->dag;
    int count = walk_count(walk);
    for (int i = 0; i < count; i++) {
        Expr e = walk_at(walk, i);
        int below = 1;
        if (expr_op(d, e) == OP_SYMBOL) s->kind[e] |= symbol_kind(s, e);
        if (expr_op(d, e) == OP_MATRIX) s->kind[e] |= HAS_STATE; // knows no bounds
        for (int k = 0; k < expr_arg_count(d, e); k++) {
            s->kind[e] |= s->kind[expr_arg(d, e, k)];
            below += s->size[expr_arg(d, e, k)];
        }
        s->size[e] = (uint16_t)(below > LARGE ? LARGE + 1 : below);
    }
}

static bool is_signal(const Signals *s, Expr e) { return s->kind[e] == HAS_TIME; }

// The only factor or term that moves, or 0.
static Expr only_moving(const Signals *s, Expr e) {
    const Dag *d = s->b->dag;
    Expr found = 0;
    for (int k = 0; k < expr_arg_count(d, e); k++) {
        Expr part = expr_arg(d, e, k);
        if (!is_signal(s, part)) continue;
        if (found) return 0;
        found = part;
    }
    return found;
}

// Terms of a sum count for themselves, so that a small one is not lost beside a large one; so do
// parts of what is large.
static void take_signal(Signals *s, Expr e) {
    Builder *b = s->b;
    Exprs open = {0};
    array_push(&open, e);
    while (open.count) {
        Expr part = array_pop(&open);
        if (!is_signal(s, part) || s->taken[part]) continue;
        s->taken[part] = true;
        Op op = expr_op(b->dag, part);
        if (op == OP_SYMBOL) continue;
        if (op == OP_SUM || s->size[part] > LARGE || (op == OP_PRODUCT && only_moving(s, part))) {
            for (int k = 0; k < expr_arg_count(b->dag, part); k++)
                array_push(&open, expr_arg(b->dag, part, k));
        } else if (s->signal.count < MOST_SIGNALS) {
            array_push(&s->signal, part);
        }
    }
    array_free(&open);
}

// Where the function of a node of time alone has a jump or kink that no clock knows of.
static void take_event_function(Signals *s, Expr e) {
    Dag *d = s->b->dag;
    if (s->event_function.count >= MOST_SIGNALS) return;
    switch (expr_op(d, e)) {
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_MIN:
    case OP_MAX:
        array_push(&s->event_function, expr_sub(d, expr_arg(d, e, 0), expr_arg(d, e, 1)));
        break;
    case OP_ABS:
    case OP_SIGN: array_push(&s->event_function, expr_arg(d, e, 0)); break;
    case OP_FLOOR:
    case OP_CEIL:
    case OP_MOD:
    case OP_TABLE:
    case OP_TABLE_SLOPE: // of what bends
        for (int k = 0; k < expr_arg_count(d, e); k++) take_signal(s, expr_arg(d, e, k));
        break;
    default: break;
    }
}

static void find_signals(Signals *s, const ExprWalk *walk) {
    const Dag *d = s->b->dag;
    const System *y = s->b->system;
    int count = walk_count(walk);
    for (int i = 0; i < count; i++) {
        Expr e = walk_at(walk, i);
        if (is_signal(s, e)) take_event_function(s, e);
        for (int k = 0; k < expr_arg_count(d, e) && !is_signal(s, e); k++)
            take_signal(s, expr_arg(d, e, k));
    }
    for (int i = 0; i < y->state_count; i++) take_signal(s, y->rate[i]);
    for (int i = 0; i < y->whens.branch_count; i++) take_signal(s, y->whens.condition[i]);
    for (int i = 0; i < y->whens.guard_count; i++) take_signal(s, y->whens.guard[i]);
    for (int i = 0; i < y->whens.delay_count; i++) take_signal(s, y->whens.delayed[i]);
}

// Those that bend; value and second derivative.
static void add_bends(Signals *s, Exprs *root) {
    Builder *b = s->b;
    for (int i = 0; i < s->signal.count; i++) {
        Expr slope = expr_derivative(b->dag, s->signal.data[i], b->system->time);
        Expr bend = expr_derivative(b->dag, slope, b->system->time);
        if (expr_is_number(b->dag, bend, NULL) && expr_value(b->dag, bend) == 0) continue;
        array_push(root, s->signal.data[i]);
        array_push(root, bend);
    }
    b->program->signal_count = root->count / 2;
}

static void add_event_functions(Signals *s, Exprs *root) {
    Builder *b = s->b;
    for (int i = 0; i < s->event_function.count; i++) {
        array_push(root, s->event_function.data[i]);
        array_push(root, expr_derivative(b->dag, s->event_function.data[i], b->system->time));
    }
    b->program->time_function_count = s->event_function.count;
}

void write_signals(Builder *b, Draft *draft, const ProgramOptions *options) {
    const System *y = b->system;
    if (b->failed || !y->time) return;
    builder_grow(b);
    size_t nodes = (size_t)dag_size(b->dag) + 1;
    Signals s = {.b = b,
                 .kind = memory_zeroed(nodes, sizeof *s.kind),
                 .size = memory_zeroed(nodes, sizeof *s.size),
                 .taken = memory_zeroed(nodes, sizeof *s.taken)};
    ExprWalk *walk = walk_rates(b, options);
    for (int i = 0; i < y->whens.branch_count; i++) walk_add(walk, y->whens.condition[i]);
    for (int i = 0; i < y->whens.guard_count; i++) walk_add(walk, y->whens.guard[i]);
    for (int i = 0; i < y->whens.delay_count; i++) walk_add(walk, y->whens.delayed[i]);
    mark_delays(&s);
    classify(&s, walk);
    find_signals(&s, walk);
    Exprs root = {0};
    add_bends(&s, &root);
    add_event_functions(&s, &root);
    function_begin(b, draft, LEVEL_TIME, -1);
    function_roots(b, root.data, root.count);
    for (int i = 0; i < root.count; i++) function_add(b, root.data[i]);
    function_end(b);
    walk_free(walk);
    array_free(&root);
    array_free(&s.signal);
    array_free(&s.event_function);
    free(s.kind);
    free(s.size);
    free(s.taken);
}
