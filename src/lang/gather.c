// Joints and frames carry any number of bonds, as 1-junctions do. Where a scalar of one has
// several, the bonds of its stretch go to a junction of its own, `arm.q1.bonds`:
//
//     motor -> arm.q1, arm.q1 -> brake        motor -> bonds -> brake,   bonds -> arm.q1
//
// Velocities are the same and efforts add up, as half-arrows turn no velocity at a mechanism.
#include "lang/build.h"

typedef struct {
    Builder *b;
    int *uses;     // per scalar node: bonds that end there
    int *junction; // per scalar node: terminal that takes its bonds, plus one
} Gathering;

static bool is_part(const Builder *b, int terminal) {
    return b->instance.data[b->terminal.data[terminal].instance].part;
}

static void count_uses(Gathering *g, const RawEnd *end, int dim) {
    const Terminal *t = &g->b->terminal.data[end->terminal];
    for (int k = 0; k < dim && is_part(g->b, end->terminal); k++)
        g->uses[t->node + end->first + k]++;
}

// The junction for the scalars from `first` on, and its bond to the joint or frame.
static void add_junction(Gathering *g, int terminal, int first, int dim) {
    Builder *b = g->b;
    const Terminal at = b->terminal.data[terminal];
    const Instance owner = b->instance.data[at.instance];
    const char *word = first ? arena_printf(&b->tmp, "bonds%d", first + 1) : "bonds";
    Instance i = {.parent = at.instance,
                  .depth = (uint8_t)(owner.depth + 1),
                  .name = name_of(b->names, word),
                  .item = owner.item,
                  .env = owner.env,
                  .builtin = builtin_junction(COMP_1),
                  .dim = dim,
                  .dim2 = dim,
                  .first_terminal = b->terminal.count,
                  .comp = -1,
                  .var = -1,
                  .dim_is = FOUND};
    i.path = member_path(b, at.instance, word);
    int index = add_instance(b, i);
    declare_member(b, at.instance, i.name, index);
    Terminal t = {.instance = index,
                  .dim = dim,
                  .node = b->node_count,
                  .domain = -1,
                  .next = -1,
                  .e = -1,
                  .f = -1,
                  .port = -1,
                  .junction = true};
    add_terminal(b, t);
    b->node_count += dim;
    for (int k = 0; k < dim; k++) g->junction[at.node + first + k] = b->terminal.count;
    RawBond bond = {
        {b->terminal.count - 1, 0, false}, {terminal, first, false}, dim, 0, owner.item->pos};
    array_push(&b->raw, bond);
}

static void add_junctions(Gathering *g, int terminal) {
    const Terminal t = g->b->terminal.data[terminal];
    for (int from = 0, to; from < t.dim; from = to + 1) {
        bool several = false;
        for (to = from; to < t.dim && g->uses[t.node + to]; to++)
            several |= g->uses[t.node + to] > 1;
        if (several) add_junction(g, terminal, from, to - from);
    }
}

static void move_end(const Gathering *g, RawEnd *end) {
    const Builder *b = g->b;
    const Terminal *t = &b->terminal.data[end->terminal];
    int first = end->first, to = is_part(b, end->terminal) ? g->junction[t->node + first] : 0;
    if (!to) return;
    while (end->first > 0 && g->junction[t->node + end->first - 1] == to) end->first--;
    *end = (RawEnd){to - 1, first - end->first, false};
}

void gather_bonds(Builder *b) {
    if (!b->part.count) return;
    Gathering g = {.b = b};
    g.uses = ARENA_ARRAY(&b->tmp, int, b->node_count);
    g.junction = ARENA_ARRAY(&b->tmp, int, b->node_count);
    const int bonds = b->raw.count, terminals = b->terminal.count;
    for (int i = 0; i < bonds; i++) {
        count_uses(&g, &b->raw.data[i].from, b->raw.data[i].dim);
        count_uses(&g, &b->raw.data[i].to, b->raw.data[i].dim);
    }
    for (int t = 0; t < terminals; t++)
        if (is_part(b, t)) add_junctions(&g, t);
    for (int i = 0; i < bonds; i++) {
        move_end(&g, &b->raw.data[i].from);
        move_end(&g, &b->raw.data[i].to);
    }
}
