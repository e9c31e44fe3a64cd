// Mechanisms at the start. A start says velocities; where nothing else speaks of them, what is
// integrated follows in closed form, p = B(q) w. Where something does (an initial equation, the
// momentum of a flywheel that a bond ties to a crank, a constraint made of bonds), the velocities
// are conditions like all others, momenta are open, and what is integrated must lie on the
// mechanism's own constraints:
//
//     J B^-1 p_state = rate
//
// Off them the seen velocities would be right at t = 0, and the motion wrong from then on.
#include "equations/start.h"

typedef struct {
    Start *s;
    int *speed_of_symbol, *block_of_symbol; // by symbol index, -1
    bool *block_seen;
    Resolver *solved;
    ARRAY(Expr) root;
} Search;

static void push_root(Search *x, Expr e) { array_push(&x->root, e); }

static void open_mechanism(Search *x, int comp) {
    Start *s = x->s;
    const Model *m = s->w->model;
    if (s->moved[comp]) return;
    s->moved[comp] = true;
    for (int i = 0; i < m->speed_count; i++)
        if (m->var[m->speed[i].flow].comp == comp)
            push_root(x, s->w->system->value[m->speed[i].flow]);
}

static void push_block(Search *x, int block) {
    const Block *b = &x->s->w->system->block[block];
    if (x->block_seen[block]) return;
    x->block_seen[block] = true;
    for (int k = 0; k < b->size; k++)
        if (b->equation[k] != BLOCK_PICK) push_root(x, b->residual[k]);
}

static void read_symbols(Search *x) {
    Work *w = x->s->w;
    int n = expr_symbol_count(w->dag);
    const System *y = w->system;
    x->speed_of_symbol = ARENA_ARRAY(&w->scratch, int, n);
    x->block_of_symbol = ARENA_ARRAY(&w->scratch, int, n);
    x->block_seen = ARENA_ARRAY(&w->scratch, bool, y->block_count);
    for (int i = 0; i < n; i++) x->speed_of_symbol[i] = x->block_of_symbol[i] = -1;
    for (int i = 0; i < w->model->speed_count; i++) {
        int sign, q = w->quantity_of_node[alias_root(w, w->model->speed[i].state, &sign)];
        if (q >= 0) x->speed_of_symbol[expr_symbol_index(w->dag, w->quantity.data[q].symbol)] = i;
    }
    for (int b = 0; b < y->block_count; b++)
        for (int k = 0; k < y->block[b].size; k++)
            x->block_of_symbol[expr_symbol_index(w->dag, y->block[b].unknown[k])] = b;
}

// What speaks of velocities: initial equations, starts of what is no state any more, steady ones.
static void push_conditions(Search *x) {
    Work *w = x->s->w;
    const Model *m = w->model;
    for (int i = 0; i < m->initial_count; i++)
        push_root(x, resolve(x->solved, expr_sub(w->dag, m->initial[i].left, m->initial[i].right)));
    for (int i = 0; i < m->var_count; i++) {
        if (x->s->speed_of_var[i] < 0 && is_start_condition(x->s, i))
            push_root(x, w->system->value[i]);
        int state = x->s->speed_of_var[i] >= 0 ? x->s->state_of_var[i] : 0;
        if (state < 0) open_mechanism(x, m->var[m->speed[x->s->speed_of_var[i]].flow].comp);
    }
    for (int i = 0; m->steady_count > 0 && i < w->system->state_count; i++)
        push_root(x, w->system->rate[i]);
}

void find_moved(Start *s) {
    Work *w = s->w;
    const Model *m = w->model;
    s->moved = ARENA_ARRAY(&w->scratch, bool, m->comp_count);
    if (m->speed_count == 0) return;
    Search x = {.s = s, .solved = resolver_new(w->system)};
    read_symbols(&x);
    push_conditions(&x);
    walk_start(w->walk);
    for (int i = 0, at = 0; i < x.root.count; i++) {
        walk_add(w->walk, x.root.data[i]);
        for (; at < walk_count(w->walk); at++) {
            Expr e = walk_at(w->walk, at);
            if (expr_op(w->dag, e) != OP_SYMBOL) continue;
            int index = expr_symbol_index(w->dag, e);
            int speed = x.speed_of_symbol[index], block = x.block_of_symbol[index];
            if (speed >= 0) open_mechanism(&x, m->var[m->speed[speed].flow].comp);
            if (block >= 0) push_block(&x, block);
        }
    }
    array_free(&x.root);
    resolver_free(x.solved);
}

void add_ties(Start *s) {
    Work *w = s->w;
    const Model *m = w->model;
    Resolver *solved = m->tie_count ? resolver_new(w->system) : NULL;
    for (int i = 0; i < m->tie_count; i++)
        if (s->moved[m->tie[i].comp])
            add_start_row(s, (StartRow){.strength = START_TIE,
                                        .residual = resolve(solved, m->tie[i].residual),
                                        .var = -1,
                                        .steady = -1,
                                        .origin = ORIGIN_START,
                                        .pos = m->tie[i].pos});
    resolver_free(solved);
}

static void add_speed(Start *s, const StartSpeed *x) {
    Work *w = s->w;
    add_start_row(s, (StartRow){.strength = x->given ? START_GIVEN : START_DEFAULT,
                                .residual = expr_sub(w->dag, w->system->value[x->flow], x->value),
                                .wanted = x->value,
                                .var = x->flow,
                                .steady = -1,
                                .origin = ORIGIN_START,
                                .pos = x->pos});
}

// Adds the velocities of joints at the start, of one kind; last those that are better left to the
// constraints (`late`).
void add_speeds(Start *s, bool given, const bool *late) {
    const Model *m = s->w->model;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < m->speed_count; i++) {
            const StartSpeed *x = &m->speed[i];
            if (!s->moved[m->var[x->flow].comp] || x->given != given) continue;
            if ((late && late[i]) == turn) add_speed(s, x);
        }
}
