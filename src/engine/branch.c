// Loops with several solutions: a run stays on the branch where it is.
//
//     u |      __               Newton's method begins at the last accepted point, never at one
//       |   o--  `  fold         that was only tried. Beyond the fold the branch has no solution:
//       |  /      )             one that is found there lies on another branch, and is a jump,
//       | |     _/              which no step may pass over.
//       | `___/- - - - - *
//       +------------------ t
//
// A change of unknowns between the accepted point and another one is a jump when it does not become
// smaller with the distance: the distance is halved towards where most of the change is. Somewhere
// a continuous change, steep as it may be, spreads over both halves.
#include "engine/branch.h"

#include "engine/block_run.h"
#include <math.h>
#include <string.h>

struct Branch {
    int count;           // unknowns
    int *block;          // per unknown: its block
    uint32_t *place;     // its register
    double *u;           // at the accepted point
    double time, *state; // the accepted point
    double *most, *mark; // largest so far; where the way to a fold began
    double *from, *to, *middle, *found, *last, *point, *rate;
    double *quad; // with them all blocks are solved; NULL: there are none
    bool kept, loose;
};

// Blocks that Newton's method solves from their last solution: only these can fold.
static bool may_fold(const Program *p, int block) {
    const TapeBlock *t = &p->block[block];
    return block < p->system->block_count && !t->linear && !t->anchored;
}

void machine_open_branch(Machine *m) {
    const Program *p = m->program;
    int count = 0;
    if (m->branch) return;
    if (m->branch_room) {
        m->branch = m->branch_room;
        m->branch->kept = false;
        memset(m->branch->most, 0, (size_t)m->branch->count * sizeof(double));
        return;
    }
    for (int i = 0; i < p->block_count; i++) count += may_fold(p, i) ? p->block[i].size : 0;
    if (count == 0) return;
    Branch *b = m->branch = m->branch_room = ARENA_NEW(&m->arena, Branch);
    b->block = ARENA_ARRAY(&m->arena, int, count);
    b->place = ARENA_ARRAY(&m->arena, uint32_t, count);
    double *space = ARENA_ARRAY(
        &m->arena, double, 8 * (size_t)count + 3 * (size_t)p->state_count + (size_t)p->quad_count);
    b->u = space;
    b->from = b->u + count;
    b->to = b->from + count;
    b->middle = b->to + count;
    b->found = b->middle + count;
    b->most = b->found + count;
    b->mark = b->most + count;
    b->last = b->mark + count;
    b->state = b->last + count;
    b->point = b->state + p->state_count;
    b->rate = b->point + p->state_count;
    b->quad = p->quad_count ? b->rate + p->state_count : NULL;
    for (int i = 0; i < p->block_count; i++)
        for (int k = 0; may_fold(p, i) && k < p->block[i].size; k++, b->count++) {
            b->block[b->count] = i;
            b->place[b->count] = p->block[i].unknown + (uint32_t)k;
        }
}

static void read_unknowns(const Machine *m, double *u) {
    for (int i = 0; i < m->branch->count; i++) u[i] = m->reg[m->branch->place[i]];
}

static void put_unknowns(Machine *m, const double *u) {
    for (int i = 0; i < m->branch->count; i++) m->reg[m->branch->place[i]] = u[i];
}

void machine_close_branch(Machine *m) { m->branch = NULL; }

void machine_release_branch(Machine *m) {
    if (m->branch) m->branch->kept = false;
}

// --- jumps ---------------------------------------------------------------------------------------

static const double small_change = 0.05; // of an unknown's own size

// The unknown that changes most, by its own size; -1: none changes by a twentieth of it. What is
// next to nothing beside the others of its block is rounding.
static int largest_change(const Branch *b, const double *from, const double *to) {
    int most = -1;
    double largest = small_change, block = 0;
    for (int i = 0, end = 0; i < b->count; i++) {
        if (i == end) {
            for (block = 0; end < b->count && b->block[end] == b->block[i]; end++)
                block = fmax(block, fmax(fabs(from[end]), fabs(to[end])));
        }
        double size = fmax(fabs(from[i]) + fabs(to[i]), 1e-3 * b->most[i]);
        double change = fabs(to[i] - from[i]);
        if (change <= 1e-9 * block || !(change > largest * size)) continue;
        largest = change / size;
        most = i;
    }
    return most;
}

static bool evaluate_between(Machine *m, double part, double time, const double *state) {
    Branch *b = m->branch;
    for (int i = 0; i < m->program->state_count; i++)
        b->point[i] = b->state[i] + part * (state[i] - b->state[i]);
    return machine_derivative(m, b->time + part * (time - b->time), b->point, b->rate, b->quad);
}

// Does unknown i jump between the accepted point and this one? Needs: the unknowns of this point in
// b->to; they are overwritten.
static bool jumps(Machine *m, int i, double time, const double *state) {
    enum { HALVINGS = 200 }; // until numbers between low and high run out
    Branch *b = m->branch;
    double low = 0, high = 1;
    memcpy(b->from, b->u, (size_t)b->count * sizeof *b->from);
    for (int k = 0; k < HALVINGS; k++) {
        double half = (low + high) / 2, all = fabs(b->to[i] - b->from[i]);
        if (half <= low || half >= high) return true;
        put_unknowns(m, b->from);
        if (!evaluate_between(m, half, time, state)) return true;
        read_unknowns(m, b->middle);
        double first = fabs(b->middle[i] - b->from[i]), second = fabs(b->to[i] - b->middle[i]);
        if (fmax(first, second) < 0.8 * all) return false;
        if (first > second) {
            high = half;
            memcpy(b->to, b->middle, (size_t)b->count * sizeof *b->to);
        } else {
            low = half;
            memcpy(b->from, b->middle, (size_t)b->count * sizeof *b->from);
        }
    }
    return true;
}

bool machine_branch_derivative(Machine *m, double time, const double *state, double *rate,
                               double *quad) {
    Branch *b = m->branch;
    if (!b || !b->kept || b->loose) return machine_derivative(m, time, state, rate, quad);
    put_unknowns(m, b->u);
    bool good = machine_derivative(m, time, state, rate, quad);
    int failed = m->failed_block;
    if (good) {
        read_unknowns(m, b->to);
        memcpy(b->found, b->to, (size_t)b->count * sizeof *b->to);
        int most = largest_change(b, b->u, b->to);
        good = most < 0 || !jumps(m, most, time, state);
        if (most >= 0) failed = b->block[most];
    }
    if (good) {
        put_unknowns(m, b->found);
        m->failed_block = -1;
        return true;
    }
    put_unknowns(m, b->u);
    m->failed_block = failed;
    return false;
}

static void accept(Machine *m, double time, const double *state) {
    Branch *b = m->branch;
    read_unknowns(m, b->u);
    for (int i = 0; i < b->count; i++) b->most[i] = fmax(b->most[i], fabs(b->u[i]));
    b->time = time;
    memcpy(b->state, state, (size_t)m->program->state_count * sizeof *state);
    b->kept = true;
}

bool machine_keep_branch(Machine *m, double time, const double *state) {
    Branch *b = m->branch;
    if (!b) return true;
    if (!machine_branch_derivative(m, time, state, b->rate, b->quad)) return false;
    accept(m, time, state);
    return true;
}

void machine_loosen_branch(Machine *m, bool loose) {
    if (m->branch) m->branch->loose = loose;
}

// Judges by the unknowns of the last point that was evaluated, which is near the end of the step.
// If they have hardly changed since the last look, they are accepted; otherwise the way there is
// examined, and they are restored.
BranchLook machine_look_at_branch(Machine *m, double time, const double *state) {
    Branch *b = m->branch;
    if (!b) return BRANCH_KEPT;
    read_unknowns(m, b->to);
    if (!b->kept || largest_change(b, b->u, b->to) < 0) {
        accept(m, time, state);
        return BRANCH_KEPT;
    }
    memcpy(b->last, b->to, (size_t)b->count * sizeof *b->last);
    bool loose = b->loose;
    long calls = m->calls;
    b->loose = false;
    bool good = machine_branch_derivative(m, time, state, b->rate, b->quad);
    b->loose = loose;
    m->calls = calls; // as if it had not been looked
    bool strayed = good && largest_change(b, b->found, b->last) >= 0;
    if (good && !strayed) accept(m, time, state);
    put_unknowns(m, good && !strayed ? b->last : b->u);
    return !good ? BRANCH_ENDS : strayed ? BRANCH_STRAYED : BRANCH_KEPT;
}

void machine_return_to_branch(Machine *m) {
    if (m->branch && m->branch->kept) put_unknowns(m, m->branch->u);
}

void machine_mark_branch(Machine *m) {
    memcpy(m->branch->mark, m->branch->u, (size_t)m->branch->count * sizeof(double));
}

// From u, moved on in the direction in which the unknowns went to the fold, by `far` times their
// size. Where they went nowhere any more, all at once.
static void put_beyond(Machine *m, double far) {
    Branch *b = m->branch;
    double largest = 0;
    for (int i = 0; i < b->count; i++)
        largest = fmax(largest, fabs(b->u[i] - b->mark[i]) / (b->most[i] + 1e-300));
    for (int i = 0; i < b->count; i++) {
        double part = largest > 0 ? (b->u[i] - b->mark[i]) / largest : b->most[i];
        b->middle[i] = b->u[i] + far * part;
    }
    put_unknowns(m, b->middle);
}

int machine_leave_branch(Machine *m, double time, const double *state) {
    static const double far[] = {0, 0.3, 1, 3, 10, 100, -1, -3, -10};
    Branch *b = m->branch;
    for (int k = 0; k < 9; k++) {
        put_beyond(m, far[k]);
        if (!machine_derivative(m, time, state, b->rate, b->quad)) continue;
        read_unknowns(m, b->to);
        int most = largest_change(b, b->u, b->to);
        if (most < 0) continue;
        b->kept = false;
        return machine_keep_branch(m, time, state) ? b->block[most] : -1;
    }
    put_unknowns(m, b->u);
    return -1;
}
