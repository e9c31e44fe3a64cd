// See lanes.h.
#include "engine/lanes.h"

#include "base/memory.h"
#include "engine/block_run.h"
#include "engine/native_blocks.h"
#include "engine/pieces.h"
#include <string.h>

// --- what fits -----------------------------------------------------------------------------------

const char *lanes_obstacle(const Program *p) {
    LaneBlocks b = lane_blocks(p);
    bool large = false;
    for (int i = 0; i < p->block_count; i++)
        large = large || (b.solved[i] && p->block[i].size > MOST_LANE_UNKNOWNS);
    lane_blocks_free(&b);
    for (int i = 0; i < p->matrix_count; i++)
        if (!p->matrix[i].constant) return "it has functions of matrices, such as care";
    return large ? "more than 40 equations are solved together at every point" : NULL;
}

// --- machines ------------------------------------------------------------------------------------

static double *vectors(const LaneMachine *x, size_t count) {
    return memory_aligned(count * (size_t)x->lanes, sizeof(double));
}

LaneMachine *lanes_new(const Program *p, const Native *n) {
    LaneMachine *x = memory_zeroed(1, sizeof *x);
    x->program = p;
    x->code = native_code(n);
    x->lanes = x->code->lanes;
    x->reg = vectors(x, p->first_work);
    x->truth = vectors(x, (size_t)p->switch_count);
    x->piece = vectors(x, (size_t)p->switch_count);
    x->room = vectors(x, x->code->slots);
    x->work = vectors(x, 4 * (size_t)(p->state_count + p->quad_count));
    x->active = (1u << x->lanes) - 1;
    LaneBlocks b = lane_blocks(p);
    x->unknowns = b.count ? (int)p->unknown_count : 0;
    lane_blocks_free(&b);
    return x;
}

void lanes_free(LaneMachine *x) {
    if (!x) return;
    free(x->reg);
    free(x->truth);
    free(x->piece);
    free(x->room);
    free(x->work);
    free(x);
}

// Registers [first, first + count) of the machine of a run to those of its lane.
static void load_registers(LaneMachine *x, int lane, const Machine *m, uint32_t first,
                           uint32_t count) {
    for (uint32_t i = first; i < first + count; i++)
        x->reg[i * (uint32_t)x->lanes + (uint32_t)lane] = m->reg[i];
}

void lanes_load(LaneMachine *x, int lane, Machine *m) {
    x->machine[lane] = m;
    load_registers(x, lane, m, 0, x->program->first_work);
    lanes_load_held(x, lane, m);
}

void lanes_load_held(LaneMachine *x, int lane, const Machine *m) {
    const Program *p = x->program;
    load_registers(x, lane, m, p->first_held, (uint32_t)p->held_count);
    load_registers(x, lane, m, p->first_unknown, (uint32_t)x->unknowns);
    for (int i = 0; i < p->switch_count; i++) {
        x->truth[i * x->lanes + lane] = m->truth[i];
        x->piece[i * x->lanes + lane] = m->piece[i];
    }
}

// --- unknowns ------------------------------------------------------------------------------------

static double *unknowns_now(const LaneMachine *x) {
    return x->reg + (size_t)x->program->first_unknown * (size_t)x->lanes;
}

double *lanes_unknown_room(const LaneMachine *x) { return vectors(x, (size_t)x->unknowns); }

void lanes_keep(const LaneMachine *x, double *unknown) {
    size_t count = (size_t)x->unknowns * (size_t)x->lanes;
    if (count) memcpy(unknown, unknowns_now(x), count * sizeof *unknown);
}

void lanes_hand_back(const LaneMachine *x, int lane, const double *unknown) {
    double *to = x->machine[lane]->reg + x->program->first_unknown;
    if (!unknown) unknown = unknowns_now(x);
    for (int i = 0; i < x->unknowns; i++) to[i] = unknown[i * x->lanes + lane];
}

// A block of one lane by the machine of its run: with the registers of the lane it does what the
// run alone does.
static bool solve_in_lane(LaneMachine *x, unsigned block, int lane) {
    const Program *p = x->program;
    const TapeBlock *t = &p->block[block];
    Machine *m = x->machine[lane];
    bool hold = m->hold;
    for (uint32_t i = p->time; i < p->first_work; i++)
        m->reg[i] = x->reg[i * (uint32_t)x->lanes + (uint32_t)lane];
    m->hold = x->hold;
    m->point++;
    bool good = block_run(m, block);
    m->hold = hold;
    load_registers(x, lane, m, t->unknown, (uint32_t)t->size);
    return good;
}

static int solve_some(void *machine, unsigned block, unsigned lanes) {
    LaneMachine *x = machine;
    for (int i = 0; i < x->lanes; i++)
        if (lanes >> i & 1 && !(x->failed >> i & 1) && !solve_in_lane(x, block, i))
            x->failed |= 1u << i;
    return 1;
}

// --- calls ---------------------------------------------------------------------------------------

static BondynCall call_of(LaneMachine *x) {
    x->failed = 0;
    return (BondynCall){.r = x->reg,
                        .s = x->room,
                        .truth = (const unsigned char *)x->truth,
                        .piece = x->piece,
                        .hold = x->hold,
                        .solve = solve_some,
                        .machine = x,
                        .active = x->active};
}

static void set_point(LaneMachine *x, const double *time, const double *y) {
    const Program *p = x->program;
    size_t lanes = (size_t)x->lanes;
    memcpy(x->reg + p->time * lanes, time, lanes * sizeof *time);
    if (p->state_count)
        memcpy(x->reg + p->first_state * lanes, y, (size_t)p->state_count * lanes * sizeof *y);
}

int lanes_step(LaneMachine *x, WholeStep method, double time, double h, const double *y,
               double *to) {
    BondynCall call = call_of(x);
    int bad = native_step(x->code, method)(&call, time, h, y, to, x->work);
    return bad | (int)x->failed;
}

int lanes_attempt(LaneMachine *x, const LaneAttempt *a) {
    BondynCall call = call_of(x);
    call.fresh = a->fresh;
    int bad = x->code->rk78(&call, a->time, a->h, a->y, a->next, a->error, a->k);
    return bad | (int)x->failed;
}

int lanes_inside(LaneMachine *x, const LaneAttempt *a) {
    BondynCall call = call_of(x);
    int bad = x->code->rk78_more(&call, a->time, a->h, a->end, a->y, a->next, a->k, a->polynomial);
    return bad | (int)x->failed;
}

unsigned lanes_outputs(LaneMachine *x, const double *time, const double *y, double *output) {
    BondynCall call = call_of(x);
    set_point(x, time, y);
    x->code->outputs(&call, output);
    return x->failed;
}

// As machine_switches: of functions with pieces the tape gives the argument.
unsigned lanes_switches(LaneMachine *x, const double *time, const double *y, double *value) {
    const Program *p = x->program;
    BondynCall call = call_of(x);
    set_point(x, time, y);
    x->code->switches(&call, value);
    for (int i = 0; i < p->switch_count; i++)
        for (int k = 0; k < x->lanes && switch_has_pieces(&p->sw[i]); k++) {
            int at = i * x->lanes + k;
            value[at] = piece_event_function(&p->sw[i], x->piece[at], value[at]);
        }
    return x->failed;
}

void lanes_rates(LaneMachine *x, const double *time, const double *y, double *rate, double *quad) {
    BondynCall call = call_of(x);
    set_point(x, time, y);
    if (quad)
        x->code->quads(&call, rate, quad);
    else
        x->code->rates(&call, rate);
}
