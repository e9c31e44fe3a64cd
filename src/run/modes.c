// Modes of a model whose laws switch, compiled when a run first meets them.
//
//     flat model + mode --> the model with the laws of the mode --> graph --> system, jump
//                                                                                |
//                  wanted outputs and integrals, in the model's own symbols -----+--> programs
//
// Outputs have the same numbers in all modes, so the sink of a run need not know of modes.
#include "run/modes.h"

#include "base/memory.h"
#include "run/pipeline.h"
#include <math.h>
#include <string.h>

typedef struct {
    int *mode;
    Arena arena;
    Report report; // what is wrong with it
    Model model;
    Jump jump;
    Program *program, *jump_program;
    SolveMode ready;
    bool good;
} CompiledMode;

struct Modes {
    Job *j;
    Memory *memory;
    Arena arena;
    ARRAY(CompiledMode *) list;
    SolveModes solve;
};

// --- wishes --------------------------------------------------------------------------------------

static bool is_block_unknown(const Job *j, int output) {
    int count = 0;
    for (int b = 0; b < j->system->block_count; b++) count += j->system->block[b].size;
    for (int i = 0; j->unknown && i < count; i++)
        if (j->unknown[i] == output) return true;
    return false;
}

// The wanted outputs and integrals in the solved form of a mode.
ProgramWish modes_wish(Job *j, Arena *out, const System *s, const Memory *memory) {
    Resolver *solved = resolver_new(s);
    ProgramWish wish = {.output_count = j->outputs.expr.count,
                        .quadrature_count = j->quads.count,
                        .memory_count = memory->count,
                        .implicit = j->plan.solver == SOLVER_IDA,
                        .explicit = solver_is_explicit(j->plan.solver)};
    wish.output = ARENA_ARRAY(out, Expr, wish.output_count);
    wish.quadrature = ARENA_ARRAY(out, Expr, wish.quadrature_count);
    wish.memory = ARENA_ARRAY(out, Expr, wish.memory_count);
    for (int i = 0; i < wish.output_count; i++) {
        bool other = s != j->system && is_block_unknown(j, i); // an unknown of another mode
        wish.output[i] = other ? expr_number(s->dag, 0) : resolve(solved, j->outputs.expr.data[i]);
    }
    for (int i = 0; i < wish.quadrature_count; i++)
        wish.quadrature[i] = i < j->book.track_count ? s->power[j->book.track[i].comp]
                                                     : resolve(solved, j->quads.data[i]);
    for (int i = 0; i < wish.memory_count; i++) wish.memory[i] = resolve(solved, memory->what[i]);
    resolver_free(solved);
    return wish;
}

// --- compiling -----------------------------------------------------------------------------------

// The laws of the mode in their places; numbers from before the jump, for the choice of pivots.
static void put_laws(CompiledMode *c, const Model *m, const Memory *memory, const double *before) {
    c->model = *m;
    c->model.equation = ARENA_ARRAY(&c->arena, Equation, m->equation_count);
    c->model.var = ARENA_ARRAY(&c->arena, Var, m->var_count);
    c->model.choice = ARENA_ARRAY(&c->arena, ModeChoice, m->choice_count);
    memcpy(c->model.equation, m->equation, (size_t)m->equation_count * sizeof *m->equation);
    memcpy(c->model.var, m->var, (size_t)m->var_count * sizeof *m->var);
    memcpy(c->model.choice, m->choice, (size_t)m->choice_count * sizeof *m->choice);
    for (int i = 0; i < m->choice_count; i++) {
        ModeChoice *x = &c->model.choice[i];
        const Mode *mode = &m->mode[x->first_mode + c->mode[i]];
        x->present = c->mode[i];
        for (int k = 0; k < x->equation_count; k++)
            c->model.equation[x->first_equation + k] = m->mode_law[mode->first + k];
    }
    for (int i = 0; i < memory->state_count; i++)
        if (isfinite(before[i]))
            c->model.var[memory->var[i]].start = expr_number(m->dag, before[i]);
}

static bool is_instant(const Model *m, const int *mode) {
    for (int i = 0; i < m->choice_count; i++)
        if (m->mode[m->choice[i].first_mode + mode[i]].once) return true;
    return false;
}

static bool build_programs(Modes *x, CompiledMode *c, const System *s) {
    const Jump *jump = &c->jump;
    ProgramWish after = {.output_count = jump->after_count + jump->work_count + jump->strike_count +
                                         jump->entry_count};
    after.output = ARENA_ARRAY(&c->arena, Expr, after.output_count);
    Expr *at = after.output;
    for (int i = 0; i < jump->after_count; i++) *at++ = jump->after[i];
    for (int i = 0; i < jump->work_count; i++) *at++ = jump->work[i];
    for (int i = 0; i < jump->strike_count; i++) *at++ = jump->strike[i];
    for (int i = 0; i < jump->entry_count; i++) *at++ = jump->entry[i];
    c->jump_program = program_build(jump->system, &after, &c->report);
    if (!c->jump_program) return false;
    c->ready.jump = machine_new(c->jump_program);
    machine_set_params(c->ready.jump, job_parameters(x->j, c->jump_program));
    c->ready.state_count = s->state_count;
    if (is_instant(&c->model, c->mode)) return true;
    ProgramWish wish = modes_wish(x->j, &c->arena, s, x->memory);
    c->program = program_build(s, &wish, &c->report);
    if (!c->program) return false;
    c->ready.machine = machine_new(c->program);
    machine_set_params(c->ready.machine, job_parameters(x->j, c->program));
    return true;
}

static CompiledMode *compile(Modes *x, const int *mode, const double *before) {
    const Model *m = x->j->model;
    CompiledMode *c = memory_zeroed(1, sizeof *c);
    c->mode = ARENA_ARRAY(&c->arena, int, m->choice_count);
    memcpy(c->mode, mode, (size_t)m->choice_count * sizeof *mode);
    put_laws(c, m, x->memory, before);
    System *s = pipeline_mode(&c->arena, &c->model, x->memory, &c->jump, &c->report);
    c->good = s && build_programs(x, c, s) && c->report.errors == 0;
    array_push(&x->list, c);
    return c;
}

// --- what the solver asks ------------------------------------------------------------------------

static CompiledMode *find(const Modes *x, const int *mode) {
    size_t size = (size_t)x->j->model->choice_count * sizeof *mode;
    for (int i = 0; i < x->list.count; i++)
        if (memcmp(x->list.data[i]->mode, mode, size) == 0) return x->list.data[i];
    return NULL;
}

static const SolveMode *get(void *context, const int *mode, const double *before, Report *r) {
    Modes *x = context;
    CompiledMode *c = find(x, mode);
    if (!c) c = compile(x, mode, before);
    if (c->good) return &c->ready;
    for (const Remark *m = c->report.first; m; m = m->next)
        if (m->severity == ERROR) {
            report_error(r, m->code, m->pos, "%s", m->message);
            break;
        }
    return NULL;
}

static void jumped(void *context, double time, const double *before, const double *after,
                   const double *work) {
    Modes *x = context;
    (void)time;
    if (!x->j->run->audit.off) audit_jump(&x->j->book, before, after, work);
}

// --- opening and closing -------------------------------------------------------------------------

Modes *modes_new(Job *j) {
    Modes *x = memory_zeroed(1, sizeof *x);
    x->j = j;
    x->memory = memory_build(&x->arena, j->model);
    x->solve = (SolveModes){
        .model = j->model, .memory = x->memory, .get = get, .jumped = jumped, .context = x};
    return x;
}

const SolveModes *modes_solve(const Modes *x) { return &x->solve; }
const Memory *modes_memory(const Modes *x) { return x->memory; }

void modes_free(Modes *x) {
    if (!x) return;
    for (int i = 0; i < x->list.count; i++) {
        CompiledMode *c = x->list.data[i];
        machine_free(c->ready.machine);
        machine_free(c->ready.jump);
        program_free(c->program);
        program_free(c->jump_program);
        report_free(&c->report);
        arena_free(&c->arena);
        free(c);
    }
    array_free(&x->list);
    arena_free(&x->arena);
    free(x);
}
