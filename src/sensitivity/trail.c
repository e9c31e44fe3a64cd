// See trail.h.
#include "sensitivity/trail.h"

#include <string.h>

static void *copy(Trail *t, const void *from, size_t count, size_t size) {
    void *to = arena_alloc(&t->arena, count + 1, size);
    if (count) memcpy(to, from, count * size);
    t->bytes += (double)(count * size);
    return to;
}

const Kept *trail_keep(Trail *t, Machine *m) {
    const Program *p = m->program;
    Kept *k = ARENA_NEW(&t->arena, Kept);
    size_t switches = (size_t)p->switch_count;
    *k = (Kept){.machine = m, .hold = m->hold};
    k->held = copy(t, m->reg + p->first_held, (size_t)p->held_count, sizeof(double));
    k->unknown = copy(t, m->reg + p->first_unknown, p->unknown_count, sizeof(double));
    k->piece = copy(t, m->piece, switches, sizeof(double));
    k->relation = copy(t, m->truth, switches, 1);
    return k;
}

void kept_restore_held(const Kept *k) {
    const Program *p = k->machine->program;
    if (p->held_count)
        memcpy(k->machine->reg + p->first_held, k->held, (size_t)p->held_count * sizeof(double));
}

void kept_restore(const Kept *k) {
    Machine *m = k->machine;
    const Program *p = m->program;
    size_t switches = (size_t)p->switch_count;
    kept_restore_held(k);
    if (p->unknown_count)
        memcpy(m->reg + p->first_unknown, k->unknown, p->unknown_count * sizeof(double));
    if (switches) memcpy(m->piece, k->piece, switches * sizeof(double));
    if (switches) memcpy(m->truth, k->relation, switches);
    m->hold = k->hold;
}

static const int *crossed(Trail *t, const TrailMark *mark) {
    int count = mark->machine ? mark->machine->program->switch_count : 0, found = 0;
    int *list = ARENA_ARRAY(&t->arena, int, count + 1);
    for (int i = 0; i < count; i++)
        if (mark->direction[i]) list[found++] = i;
    list[found] = -1;
    return list;
}

// A point inside the step that was marked last goes before it.
static void put(Trail *t, Node n) {
    array_push(&t->node, n);
    int at = t->node.count - 1;
    if (n.kind != TRAIL_POINT) return;
    for (; at > 0; at--) {
        const Node *last = &t->node.data[at - 1];
        bool step = last->kind == TRAIL_STEP || last->kind == TRAIL_POINT;
        if (!step || !(last->time > n.time)) break;
        t->node.data[at] = *last;
    }
    t->node.data[at] = n;
}

// Where loops begin is of a step, not of all steps up to an event: elsewhere they may have another solution.
static bool changes_along(const Machine *m) {
    return m->program->unknown_count > 0 || m->program->system->choice_count > 0;
}

void trail_mark(void *trail, const TrailMark *mark) {
    Trail *t = trail;
    bool moves = mark->kind == TRAIL_STEP || mark->kind == TRAIL_POINT;
    Node n = {.kind = mark->kind,
              .time = mark->time,
              .mode = mark->mode,
              .method = mark->method,
              .cause = -1};
    if (mark->kind == TRAIL_STEP && mark->machine && changes_along(mark->machine))
        t->present = NULL;
    if (!moves || !t->present) {
        n.kept = mark->machine ? trail_keep(t, mark->machine) : NULL;
        t->present = mark->kind == TRAIL_STEP ? n.kept : t->present;
    } else {
        n.kept = t->present;
    }
    if (!moves) t->present = NULL;
    if (mark->state && mark->machine)
        n.state = copy(t, mark->state, (size_t)mark->machine->program->state_count, sizeof(double));
    if (mark->mode) n.jump = trail_keep(t, mark->mode->jump);
    if (mark->direction) n.crossed = crossed(t, mark);
    if (n.kind == TRAIL_POINT) n.point = t->points++;
    t->folds = t->folds || n.kind == TRAIL_FOLD;
    put(t, n);
}

int trail_before(const Trail *t, int at) {
    for (int i = at - 1; i >= 0; i--) {
        const Node *n = &t->node.data[i];
        if (n->kind != TRAIL_POINT || n->used) return i;
    }
    return -1;
}

void trail_free(Trail *t) {
    array_free(&t->node);
    arena_free(&t->arena);
}
