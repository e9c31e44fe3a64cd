// The virtual machine: runs tapes over one array of registers. Nothing is allocated after
// machine_new, so any call is as cheap as its instructions.
#include "engine/block_run.h"
#include "engine/choices.h"
#include "engine/pieces.h"

#include "expr/kernels.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool machine_run(Machine *m, const TapeFunction *f, double *result) {
    if (!run_code(m, f->code, f->count)) return false;
    for (int i = 0; i < f->result_count; i++) result[i] = m->reg[f->result[i]];
    return true;
}

static int native_solve(void *machine, unsigned block, unsigned lanes) {
    (void)lanes;
    return block_run(machine, block);
}

BondynCall native_call(Machine *m) {
    return (BondynCall){m->reg, m->room, m->truth, m->piece, m->hold, native_solve, m, 1, 1};
}

// --- instructions --------------------------------------------------------------------------------

static double switch_state(const Machine *m, const Instruction *c) {
    if (m->hold) return m->truth[c->b];
    return c->aux ? m->reg[c->a] <= 0 : m->reg[c->a] < 0;
}

static double table_state(const Machine *m, const Instruction *c) {
    const Table *t = m->program->table[c->b];
    double x = m->reg[c->a];
    bool value = c->op == TAPE_OP_TABLE;
    if (!m->hold || !c->aux) return value ? table_value(t, x) : table_slope(t, x);
    int piece = (int)m->piece[c->aux - 1];
    return value ? table_value_in(t, piece, x) : table_slope_in(t, piece, x);
}

static bool is_angle_op(const Instruction *c) {
    return c->op == TAPE_OP_SIN || c->op == TAPE_OP_COS;
}

// Sines and cosines stand side by side: those of two angles are computed together. Gives: the last
// instruction that is done.
static const Instruction *run_angles(double *r, const Instruction *c, const Instruction *end) {
    enum { MOST = 4 };
    uint32_t angle[2] = {c->a, c->a};
    int lane[MOST] = {0}, count = 1;
    for (; count < MOST && c + count < end && is_angle_op(c + count); count++) {
        uint32_t a = c[count].a;
        bool written = false;
        for (int i = 0; i < count; i++) written = written || c[i].to == a;
        if (angle[1] == angle[0] && !written) angle[1] = a;
        lane[count] = a != angle[0];
        if (written || (lane[count] && a != angle[1])) break;
    }
    double x[2] = {r[angle[0]], r[angle[1]]}, sine[2], cosine[2];
    trig_two(x, sine, cosine);
    for (int i = 0; i < count; i++)
        r[c[i].to] = c[i].op == TAPE_OP_SIN ? sine[lane[i]] : cosine[lane[i]];
    return c + count - 1;
}

// Each operation jumps to the next one by itself, from a place of its own, which processors predict
// much better than one jump for all. Labels as values are an extension that gcc and clang share.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

#define NEXT                                                                                       \
    if (++c == end) return true;                                                                   \
    goto *place[c->op]

bool run_code(Machine *m, const Instruction *code, int count) {
    static const void *const place[TAPE_COUNT] = {
        // numbers, symbols, sums never come to a tape
        [TAPE_COPY] = &&at_copy,
        [TAPE_ADD] = &&at_add,
        [TAPE_SUB] = &&at_sub,
        [TAPE_MUL] = &&at_mul,
        [TAPE_DIV] = &&at_div,
        [TAPE_NEG] = &&at_neg,
        [TAPE_SQUARE] = &&at_square,
        [TAPE_SQRT] = &&at_sqrt,
        [TAPE_RECIPROCAL] = &&at_reciprocal,
        [TAPE_MULADD] = &&at_muladd,
        [TAPE_MULSUB] = &&at_mulsub,
        [TAPE_SWITCH] = &&at_switch,
        [TAPE_OP_POWER] = &&at_power,
        [TAPE_OP_ABS] = &&at_abs,
        [TAPE_OP_SIGN] = &&at_sign,
        [TAPE_OP_EXP] = &&at_exp,
        [TAPE_OP_LOG] = &&at_log,
        [TAPE_OP_TAN] = &&at_tan,
        [TAPE_OP_ASIN] = &&at_asin,
        [TAPE_OP_ACOS] = &&at_acos,
        [TAPE_OP_ATAN] = &&at_atan,
        [TAPE_OP_SINH] = &&at_sinh,
        [TAPE_OP_COSH] = &&at_cosh,
        [TAPE_OP_TANH] = &&at_tanh,
        [TAPE_OP_FLOOR] = &&at_floor,
        [TAPE_OP_CEIL] = &&at_ceil,
        [TAPE_OP_ATAN2] = &&at_atan2,
        [TAPE_OP_MIN] = &&at_min,
        [TAPE_OP_MAX] = &&at_max,
        [TAPE_OP_MOD] = &&at_mod,
        [TAPE_OP_LESS] = &&at_less,
        [TAPE_OP_LESS_EQUAL] = &&at_less_equal,
        [TAPE_OP_EQUAL] = &&at_equal,
        [TAPE_OP_AND] = &&at_and,
        [TAPE_OP_OR] = &&at_or,
        [TAPE_OP_NOT] = &&at_not,
        [TAPE_OP_TABLE] = &&at_table,
        [TAPE_OP_TABLE_SLOPE] = &&at_table,
        [TAPE_HELD] = &&at_held,
        [TAPE_SELECT] = &&at_select,
        [TAPE_BLOCK] = &&at_block,
        [TAPE_OP_SIN] = &&at_sin,
        [TAPE_OP_COS] = &&at_sin,
    };
    double *r = m->reg;
    const Instruction *c = code, *end = code + count;
    if (c == end) return true;
    goto *place[c->op];
at_copy:
    r[c->to] = r[c->a];
    NEXT;
at_add:
    r[c->to] = r[c->a] + r[c->b];
    NEXT;
at_sub:
    r[c->to] = r[c->a] - r[c->b];
    NEXT;
at_mul:
    r[c->to] = r[c->a] * r[c->b];
    NEXT;
at_div:
    r[c->to] = r[c->a] / r[c->b];
    NEXT;
at_neg:
    r[c->to] = -r[c->a];
    NEXT;
at_square:
    r[c->to] = r[c->a] * r[c->a];
    NEXT;
at_sqrt:
    r[c->to] = sqrt(r[c->a]);
    NEXT;
at_reciprocal:
    r[c->to] = 1 / r[c->a];
    NEXT;
at_muladd:
    r[c->to] = r[c->to] + r[c->a] * r[c->b];
    NEXT;
at_mulsub:
    r[c->to] = r[c->to] - r[c->a] * r[c->b];
    NEXT;
at_switch:
    r[c->to] = switch_state(m, c);
    NEXT;
at_power:
    r[c->to] = kernel_power(r[c->a], r[c->b]);
    NEXT;
at_abs:
    r[c->to] = fabs(r[c->a]);
    NEXT;
at_sign:
    r[c->to] = kernel_sign(r[c->a]);
    NEXT;
at_exp:
    r[c->to] = exp(r[c->a]);
    NEXT;
at_log:
    r[c->to] = log(r[c->a]);
    NEXT;
at_tan:
    r[c->to] = tan(r[c->a]);
    NEXT;
at_asin:
    r[c->to] = asin(r[c->a]);
    NEXT;
at_acos:
    r[c->to] = acos(r[c->a]);
    NEXT;
at_atan:
    r[c->to] = atan(r[c->a]);
    NEXT;
at_sinh:
    r[c->to] = sinh(r[c->a]);
    NEXT;
at_cosh:
    r[c->to] = cosh(r[c->a]);
    NEXT;
at_tanh:
    r[c->to] = tanh(r[c->a]);
    NEXT;
at_floor:
    r[c->to] = floor(r[c->a]);
    NEXT;
at_ceil:
    r[c->to] = ceil(r[c->a]);
    NEXT;
at_atan2:
    r[c->to] = atan2(r[c->a], r[c->b]);
    NEXT;
at_min:
    r[c->to] = kernel_min(r[c->a], r[c->b]);
    NEXT;
at_max:
    r[c->to] = kernel_max(r[c->a], r[c->b]);
    NEXT;
at_mod:
    r[c->to] = kernel_mod(r[c->a], r[c->b]);
    NEXT;
at_less:
    r[c->to] = r[c->a] < r[c->b];
    NEXT;
at_less_equal:
    r[c->to] = r[c->a] <= r[c->b];
    NEXT;
at_equal:
    r[c->to] = r[c->a] == r[c->b];
    NEXT;
at_and:
    r[c->to] = r[c->a] != 0 && r[c->b] != 0;
    NEXT;
at_or:
    r[c->to] = r[c->a] != 0 || r[c->b] != 0;
    NEXT;
at_not:
    r[c->to] = r[c->a] == 0;
    NEXT;
at_table:
    r[c->to] = table_state(m, c);
    NEXT;
at_held:
    r[c->to] = m->hold ? m->piece[c->b] : r[c->a];
    NEXT;
at_select:
    if (r[c->a] != 0) r[c->to] = r[c->b];
    NEXT;
at_block:
    if (!block_run(m, c->b)) return false;
    NEXT;
at_sin:
    c = run_angles(r, c, end);
    NEXT;
}

#undef NEXT
#pragma GCC diagnostic pop

// --- machines ------------------------------------------------------------------------------------

// The memory of a run lies together, what is used most first.
Machine *machine_new(const Program *p) {
    Arena arena = {0};
    Machine *m = ARENA_NEW(&arena, Machine);
    m->arena = arena;
    m->program = p;
    m->reg = ARENA_ARRAY(&m->arena, double, p->register_count);
    m->truth = ARENA_ARRAY(&m->arena, unsigned char, p->switch_count);
    m->piece = ARENA_ARRAY(&m->arena, double, p->switch_count);
    m->switch_value = ARENA_ARRAY(&m->arena, double, p->switch_count);
    block_run_open(m);
    choices_open(m);
    m->failed_block = -1;
    if (p->constant_count) memcpy(m->reg, p->constant, p->constant_count * sizeof *m->reg);
    machine_set_params(m, NULL);
    return m;
}

void machine_free(Machine *m) {
    if (!m) return;
    block_run_close(m);
    free(m->room);
    Arena arena = m->arena;
    arena_free(&arena);
}

// Blocks begin at their start values again, so a run does not depend on runs before it.
static void reset_unknowns(Machine *m) {
    const Program *p = m->program;
    for (int i = 0; i < p->block_count; i++)
        for (int k = 0; k < p->block[i].size; k++)
            m->reg[p->block[i].unknown + (uint32_t)k] =
                p->block[i].guess ? m->reg[p->block[i].guess[k]] : 0;
}

double *machine_held(Machine *m) { return m->reg + m->program->first_held; }

// Discrete variables take their first values; no sample, no branch.
static void start_held(Machine *m) {
    const TapeFunction *f = &m->program->held_start;
    double *held = machine_held(m);
    run_code(m, f->code, f->count);
    for (int i = 0; i < m->program->held_count; i++)
        held[i] = i < f->result_count ? m->reg[f->result[i]] : 0;
}

bool machine_change_params(Machine *m, const double *param) {
    const Program *p = m->program;
    bool finite = true;
    for (uint32_t i = 0; i < p->param_count; i++) {
        m->reg[p->first_param + i] = param ? param[i] : p->param_value[i];
        finite = finite && isfinite(m->reg[p->first_param + i]);
    }
    run_code(m, p->prepare.code, p->prepare.count);
    block_run_forget(m);
    return finite;
}

bool machine_set_params(Machine *m, const double *param) {
    const Program *p = m->program;
    bool finite = machine_change_params(m, param);
    reset_unknowns(m);
    start_held(m);
    m->hold = false;
    m->failed_block = m->failed_choice = -1;
    m->continued = 0;
    if (p->switch_count) memset(m->truth, 0, (size_t)p->switch_count);
    return finite;
}

void machine_pass(Machine *m, MachinePass *pass, void *context) {
    const Program *p = m->program;
    size_t switches = (size_t)p->switch_count;
    pass(context, m->reg, p->register_count * sizeof *m->reg);
    pass(context, m->truth, switches);
    pass(context, m->piece, switches * sizeof *m->piece);
    pass(context, m->switch_value, switches * sizeof *m->switch_value);
    pass(context, &m->hold, sizeof m->hold);
    choices_pass(m, pass, context);
}

void machine_set_point(Machine *m, double time, const double *state) {
    const Program *p = m->program;
    m->reg[p->time] = time;
    m->point++;
    if (p->state_count)
        memcpy(m->reg + p->first_state, state, (size_t)p->state_count * sizeof *state);
    m->failed_block = -1;
    if (m->past) m->past(m->past_context, m, time);
}

static void get_results(const Machine *m, const TapeFunction *f, int first, int count,
                        double *result) {
    for (int i = 0; i < count; i++) result[i] = m->reg[f->result[first + i]];
}

// Nullable: native, the same function compiled.
static bool evaluate(Machine *m, const TapeFunction *f, NativeFunction *native, double time,
                     const double *state, double *result) {
    machine_set_point(m, time, state);
    if (native) {
        BondynCall call = native_call(m);
        return native(&call, result);
    }
    if (!run_code(m, f->code, f->count)) return false;
    get_results(m, f, 0, f->result_count, result);
    return true;
}

void machine_initial(Machine *m, double time, double *state) {
    const Program *p = m->program;
    m->reg[p->time] = time;
    m->point++;
    if (p->state_count) memset(m->reg + p->first_state, 0, (size_t)p->state_count * sizeof *m->reg);
    start_held(m);
    bool good = choices_start(m) && run_code(m, p->initial.code, p->initial.count);
    get_results(m, &p->initial, 0, p->state_count, state);
    for (int i = 0; i < p->state_count && !good; i++) state[i] = NAN; // a block has no solution
}

bool machine_derivative(Machine *m, double time, const double *state, double *rate, double *quad) {
    const Program *p = m->program;
    m->calls++;
    machine_set_point(m, time, state);
    if (m->native) {
        BondynCall call = native_call(m);
        return quad ? m->native->quads(&call, rate, quad) : m->native->rates(&call, rate);
    }
    if (!run_code(m, p->derivative.code, quad ? p->derivative.count : p->rate_code)) return false;
    get_results(m, &p->derivative, 0, p->state_count, rate);
    if (quad) get_results(m, &p->derivative, p->state_count, p->quad_count, quad);
    return true;
}

bool machine_outputs(Machine *m, double time, const double *state, double *output) {
    NativeFunction *native = m->native ? m->native->outputs : NULL;
    return evaluate(m, &m->program->outputs, native, time, state, output);
}

bool machine_jacobian(Machine *m, double time, const double *state, double *nonzero) {
    NativeFunction *native = m->native ? m->native->jacobian : NULL;
    return evaluate(m, &m->program->jacobian, native, time, state, nonzero);
}

int program_unknown_count(const Program *p) {
    int count = 0;
    for (int i = 0; i < p->system->block_count; i++) count += p->system->block[i].size;
    return count;
}

bool machine_unknowns(Machine *m, double time, const double *state, double *unknown) {
    return evaluate(m, &m->program->unknowns, NULL, time, state, unknown);
}

static void evaluate_implicit(Machine *m, const TapeFunction *f, double time, const double *y,
                              double *result) {
    const Program *p = m->program;
    int unknowns = program_unknown_count(p);
    if (unknowns)
        memcpy(m->reg + p->first_unknown, y + p->state_count, (size_t)unknowns * sizeof *y);
    evaluate(m, f, NULL, time, y, result); // has no blocks inside
}

void machine_implicit(Machine *m, double time, const double *y, double *result) {
    evaluate_implicit(m, &m->program->implicit, time, y, result);
}

void machine_implicit_jacobian(Machine *m, double time, const double *y, double *nonzero) {
    evaluate_implicit(m, &m->program->implicit_jacobian, time, y, nonzero);
}

bool machine_switches(Machine *m, double time, const double *state, double *value) {
    const Program *p = m->program;
    NativeFunction *native = m->native ? m->native->switches : NULL;
    if (!evaluate(m, &p->switches, native, time, state, value)) return false;
    for (int i = 0; i < p->switch_count; i++) {
        if (!switch_has_pieces(&p->sw[i])) continue;
        m->switch_value[i] = value[i];
        value[i] = piece_event_function(&p->sw[i], m->piece[i], value[i]);
    }
    return true;
}

bool machine_conditions(Machine *m, double time, const double *state, double *value) {
    return evaluate(m, &m->program->conditions, NULL, time, state, value);
}

bool machine_rate_bounds(Machine *m, double time, const double *state, double *value) {
    return evaluate(m, &m->program->rate_bounds, NULL, time, state, value);
}

bool machine_actions(Machine *m, double time, const double *state, double *value) {
    return evaluate(m, &m->program->actions, NULL, time, state, value);
}

bool machine_guards(Machine *m, double time, const double *state, double *value) {
    NativeFunction *native = m->native ? m->native->guards : NULL;
    return evaluate(m, &m->program->guards, native, time, state, value);
}

bool machine_memory(Machine *m, double time, const double *state, double *value) {
    NativeFunction *native = m->native ? m->native->memory : NULL;
    return evaluate(m, &m->program->memory, native, time, state, value);
}

bool machine_delays(Machine *m, double time, const double *state, double *value) {
    return evaluate(m, &m->program->delays, NULL, time, state, value);
}

void machine_delay_times(Machine *m, double *time_and_bound) {
    const TapeFunction *f = &m->program->delay_times;
    run_code(m, f->code, f->count);
    get_results(m, f, 0, f->result_count, time_and_bound);
}

void machine_befores(Machine *m, double time, double *value) {
    const TapeFunction *f = &m->program->befores;
    double now = m->reg[m->program->time];
    m->reg[m->program->time] = time;
    run_code(m, f->code, f->count);
    get_results(m, f, 0, f->result_count, value);
    m->reg[m->program->time] = now;
}

void machine_samples(Machine *m, double *period_and_offset) {
    const TapeFunction *f = &m->program->samples;
    run_code(m, f->code, f->count);
    get_results(m, f, 0, f->result_count, period_and_offset);
}

// Clocks depend on time alone.
void machine_clocks(Machine *m, double time, double *phase_and_rate) {
    const TapeFunction *f = &m->program->clocks;
    m->reg[m->program->time] = time;
    run_code(m, f->code, f->count);
    get_results(m, f, 0, f->result_count, phase_and_rate);
}

void machine_update_switches(Machine *m, double time, const double *state) {
    const Program *p = m->program;
    bool hold = m->hold;
    m->hold = false;
    NativeFunction *native = m->native ? m->native->switches : NULL;
    if (evaluate(m, &p->switches, native, time, state, m->switch_value))
        for (int i = 0; i < p->switch_count; i++) {
            bool pieces = switch_has_pieces(&p->sw[i]);
            double event_function = m->switch_value[i];
            machine_set_switch(
                m, i, !pieces && (p->sw[i].or_equal ? event_function <= 0 : event_function < 0));
        }
    m->hold = hold;
}
