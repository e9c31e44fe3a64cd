// See lanes.h.
#include "engine/lanes.h"

#include "base/memory.h"
#include "engine/native_order.h"
#include "engine/pieces.h"
#include <string.h>

// --- what fits -----------------------------------------------------------------------------------

const char *lanes_obstacle(const Program *p) {
    if (p->system->choice_count) return "states are chosen during the run";
    if (order_solves(&p->derivative) || order_solves(&p->outputs) || order_solves(&p->switches))
        return "equations are solved together at every point";
    return NULL;
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
    x->held = vectors(x, (size_t)p->switch_count);
    x->piece = vectors(x, (size_t)p->switch_count);
    x->room = vectors(x, x->code->slots);
    x->work = vectors(x, 4 * (size_t)(p->state_count + p->quad_count));
    return x;
}

void lanes_free(LaneMachine *x) {
    if (!x) return;
    free(x->reg);
    free(x->held);
    free(x->piece);
    free(x->room);
    free(x->work);
    free(x);
}

void lanes_load(LaneMachine *x, int lane, const Machine *m) {
    for (uint32_t i = 0; i < x->program->first_work; i++)
        x->reg[i * (uint32_t)x->lanes + (uint32_t)lane] = m->reg[i];
    lanes_load_held(x, lane, m);
}

void lanes_load_held(LaneMachine *x, int lane, const Machine *m) {
    const Program *p = x->program;
    for (int i = 0; i < p->held_count; i++)
        x->reg[((int)p->first_held + i) * x->lanes + lane] = m->reg[(int)p->first_held + i];
    for (int i = 0; i < p->switch_count; i++) {
        x->held[i * x->lanes + lane] = m->held[i];
        x->piece[i * x->lanes + lane] = m->piece[i];
    }
}

// --- calls ---------------------------------------------------------------------------------------

static BondynCall call_of(LaneMachine *x) {
    return (BondynCall){.r = x->reg,
                        .s = x->room,
                        .held = (const unsigned char *)x->held,
                        .piece = x->piece,
                        .hold = x->hold};
}

static void set_point(LaneMachine *x, const double *time, const double *y) {
    const Program *p = x->program;
    size_t lanes = (size_t)x->lanes;
    memcpy(x->reg + p->time * lanes, time, lanes * sizeof *time);
    if (p->state_count)
        memcpy(x->reg + p->first_state * lanes, y, (size_t)p->state_count * lanes * sizeof *y);
}

int lanes_step(LaneMachine *x, SolverKind method, double time, double h, const double *y,
               double *to) {
    BondynCall call = call_of(x);
    return native_step(x->code, method)(&call, time, h, y, to, x->work);
}

int lanes_attempt(LaneMachine *x, const LaneAttempt *a) {
    BondynCall call = call_of(x);
    return x->code->rk78(&call, a->time, a->h, a->y, a->next, a->error, a->k);
}

int lanes_inside(LaneMachine *x, const LaneAttempt *a) {
    BondynCall call = call_of(x);
    return x->code->rk78_more(&call, a->time, a->h, a->end, a->y, a->next, a->k, a->polynomial);
}

void lanes_outputs(LaneMachine *x, const double *time, const double *y, double *output) {
    BondynCall call = call_of(x);
    set_point(x, time, y);
    x->code->outputs(&call, output);
}

// As machine_switches: of functions with pieces the tape gives the argument.
void lanes_switches(LaneMachine *x, const double *time, const double *y, double *value) {
    const Program *p = x->program;
    BondynCall call = call_of(x);
    set_point(x, time, y);
    x->code->switches(&call, value);
    for (int i = 0; i < p->switch_count; i++)
        for (int k = 0; k < x->lanes && switch_has_pieces(&p->sw[i]); k++) {
            int at = i * x->lanes + k;
            value[at] = piece_border(&p->sw[i], x->piece[at], value[at]);
        }
}

void lanes_rates(LaneMachine *x, const double *time, const double *y, double *rate, double *quad) {
    BondynCall call = call_of(x);
    set_point(x, time, y);
    if (quad)
        x->code->quads(&call, rate, quad);
    else
        x->code->rates(&call, rate);
}
