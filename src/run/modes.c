// Modes of a model whose laws switch, compiled when a run first meets them.
//
//     flat model + mode --> the model with the laws of the mode --> graph --> system, jump
//                                                                                |
//                  wanted outputs and integrals, in the model's own symbols -----+--> programs
//
// Outputs have the same numbers in all modes, so the sink of a run need not know of modes.
//
// What is compiled depends on the model, the mode and the options alone: each mode is built in a
// copy of the graph of expressions, as if it were the first one. So the runs of a study share the
// store of compiled modes, and each gives what it would give by itself. Machines belong to a run.
#include "run/modes.h"

#include "base/memory.h"
#include "run/kin.h"
#include "run/pipeline.h"
#include <math.h>
#include <string.h>

typedef struct {
    int *mode;
    Arena arena;
    Report report; // what is wrong with it
    Model model;   // with a graph of expressions of its own
    Jump jump;
    System *system;
    Program *program, *jump_program; // the first one is NULL for an instant
    int *begin, *jump_begin;         // per unknown of their blocks: where the memory has it, or -1
    EngineCode code;
    bool good;
} CompiledMode;

struct ModeStore {
    Arena arena;
    const Model *model;
    Memory *memory;
    int *kin; // per mode of the model: see kin.h
    ARRAY(CompiledMode *) list;
};

typedef struct {
    CompiledMode *compiled;
    SolveMode ready;
} VisitedMode;

struct Modes {
    Job *j;
    ModeStore *store;
    ARRAY(VisitedMode *) list;
    SolveModes solve;
};

// --- options -------------------------------------------------------------------------------------

static bool is_block_unknown(const Job *j, int output) {
    int count = 0;
    for (int b = 0; b < j->system->block_count; b++) count += j->system->block[b].size;
    for (int i = 0; j->unknown && i < count; i++)
        if (j->unknown[i] == output) return true;
    return false;
}

// The wanted outputs and integrals in the solved form of a mode.
ProgramOptions modes_options(Job *j, Arena *out, const System *s, const Memory *memory) {
    Resolver *solved = resolver_new(s);
    ProgramOptions options = {.output_count = j->outputs.expr.count,
                              .quadrature_count = j->quads.count,
                              .memory_count = memory->count,
                              .implicit = j->plan.solver == SOLVER_IDA,
                              .kinks = j->kinks,
                              .explicit = solver_is_explicit(j->plan.solver)};
    options.output = ARENA_ARRAY(out, Expr, options.output_count);
    options.quadrature = ARENA_ARRAY(out, Expr, options.quadrature_count);
    options.memory = ARENA_ARRAY(out, Expr, options.memory_count);
    for (int i = 0; i < options.output_count; i++) {
        bool other = s != j->system && is_block_unknown(j, i); // an unknown of another mode
        options.output[i] =
            other ? expr_number(dag_grow(s->dag), 0) : resolve(solved, j->outputs.expr.data[i]);
    }
    for (int i = 0; i < options.quadrature_count; i++)
        options.quadrature[i] = i < j->book.track_count ? s->power[j->book.track[i].comp]
                                                        : resolve(solved, j->quads.data[i]);
    for (int i = 0; i < options.memory_count; i++)
        options.memory[i] = resolve(solved, memory->what[i]);
    resolver_free(solved);
    return options;
}

// --- compiling -----------------------------------------------------------------------------------

// The laws of the mode in their places.
static void put_laws(CompiledMode *c, const Model *m, const int *kin) {
    c->model = *m;
    c->model.dag = dag_copy(m->dag, m->names);
    c->model.equation = ARENA_ARRAY(&c->arena, Equation, m->equation_count);
    c->model.choice = ARENA_ARRAY(&c->arena, ModeChoice, m->choice_count);
    memcpy(c->model.equation, m->equation, (size_t)m->equation_count * sizeof *m->equation);
    memcpy(c->model.choice, m->choice, (size_t)m->choice_count * sizeof *m->choice);
    for (int i = 0; i < m->choice_count; i++) {
        ModeChoice *x = &c->model.choice[i];
        x->present = c->mode[i];
        x->also = kin[x->first_mode + x->present];
        for (int k = 0; k < x->equation_count; k++)
            c->model.equation[x->first_equation + k] =
                kin_law(dag_grow(c->model.dag), m, x, x->present, x->also, k);
    }
}

static bool is_instant(const Model *m, const int *mode) {
    for (int i = 0; i < m->choice_count; i++)
        if (m->mode[m->choice[i].first_mode + mode[i]].once) return true;
    return false;
}

static bool build_programs(Modes *x, CompiledMode *c) {
    const Jump *jump = &c->jump;
    ProgramOptions after = {.output_count = jump->after_count + jump->work_count +
                                            jump->impulse_count + jump->entry_count};
    after.output = ARENA_ARRAY(&c->arena, Expr, after.output_count);
    Expr *at = after.output;
    for (int i = 0; i < jump->after_count; i++) *at++ = jump->after[i];
    for (int i = 0; i < jump->work_count; i++) *at++ = jump->work[i];
    for (int i = 0; i < jump->impulse_count; i++) *at++ = jump->impulse[i];
    for (int i = 0; i < jump->entry_count; i++) *at++ = jump->entry[i];
    c->jump_program = program_build(jump->system, &after, &c->report);
    if (!c->jump_program || is_instant(&c->model, c->mode)) return c->jump_program;
    ProgramOptions options = modes_options(x->j, &c->arena, c->system, x->store->memory);
    c->program = program_build(c->system, &options, &c->report);
    return c->program;
}

// Per unknown of the blocks of a system: where the memory has the same variable.
static int *remembered_unknowns(Arena *out, const System *s, const Memory *y) {
    int symbols = expr_symbol_count(s->dag), count = 0;
    int *item_of = memory_zeroed((size_t)symbols, sizeof *item_of); // + 1
    for (int i = 0; i < y->count; i++)
        if (y->var[i] >= 0) item_of[expr_symbol_index(s->dag, y->what[i])] = i + 1;
    for (int b = 0; b < s->block_count; b++) count += s->block[b].size;
    int *item = ARENA_ARRAY(out, int, count), *at = item;
    for (int b = 0; b < s->block_count; b++)
        for (int k = 0; k < s->block[b].size; k++)
            *at++ = item_of[expr_symbol_index(s->dag, s->block[b].unknown[k])] - 1;
    free(item_of);
    return item;
}

static CompiledMode *compile(Modes *x, const int *mode) {
    const Model *m = x->store->model;
    CompiledMode *c = memory_zeroed(1, sizeof *c);
    c->mode = ARENA_ARRAY(&c->arena, int, m->choice_count);
    for (int i = 0; i < m->choice_count; i++) { // the first of those that share it
        int other = x->store->kin[m->choice[i].first_mode + mode[i]];
        c->mode[i] = other < mode[i] ? other : mode[i];
    }
    put_laws(c, m, x->store->kin);
    c->system = pipeline_mode(&c->arena, &c->model, x->store->memory, &c->jump, &c->report);
    c->good = c->system && build_programs(x, c) && c->report.errors == 0;
    if (c->good) {
        c->begin = remembered_unknowns(&c->arena, c->system, x->store->memory);
        c->jump_begin = remembered_unknowns(&c->arena, c->jump.system, x->store->memory);
    }
    array_push(&x->store->list, c);
    x->j->run->stats.programs++;
    return c;
}

static void free_compiled(CompiledMode *c) {
    native_free(c->code.native);
    program_free(c->program);
    program_free(c->jump_program);
    report_free(&c->report);
    model_free_expressions(&c->model);
    arena_free(&c->arena);
    free(c);
}

// --- the store -----------------------------------------------------------------------------------

ModeStore *mode_store_new(const Model *m) {
    ModeStore *x = memory_zeroed(1, sizeof *x);
    x->model = m;
    x->memory = memory_build(&x->arena, m);
    x->kin = kin_find(&x->arena, m);
    return x;
}

void mode_store_free(ModeStore *x) {
    if (!x) return;
    for (int i = 0; i < x->list.count; i++) free_compiled(x->list.data[i]);
    array_free(&x->list);
    arena_free(&x->arena);
    free(x);
}

void mode_store_rest(ModeStore *x) {
    for (int i = 0; i < x->list.count; i++) {
        EngineCode *c = &x->list.data[i]->code;
        if (c->phase != ENGINE_WAITING || native_poll(c->native) != NATIVE_COMPILING) continue;
        native_free(c->native);
        *c = (EngineCode){.phase = ENGINE_NEW};
    }
}

const Memory *mode_store_memory(const ModeStore *x) { return x->memory; }

// Does this program serve the mode?
static bool is_mode(const ModeStore *x, const CompiledMode *c, const int *mode) {
    const Model *m = x->model;
    bool same = true;
    for (int i = 0; i < m->choice_count && same; i++)
        same = c->mode[i] == mode[i] || x->kin[m->choice[i].first_mode + c->mode[i]] == mode[i];
    return same;
}

static CompiledMode *compiled_mode(Modes *x, const int *mode) {
    const ModeStore *store = x->store;
    for (int i = 0; i < store->list.count; i++)
        if (is_mode(store, store->list.data[i], mode)) return store->list.data[i];
    return compile(x, mode);
}

bool modes_program(Modes *x, const int *mode, ModeProgram *out) {
    const CompiledMode *c = compiled_mode(x, mode);
    *out = (ModeProgram){c->mode, c->system, c->program, c->jump_program, c->begin, c->jump_begin};
    return c->good;
}

const int *mode_store_kin(const ModeStore *x) { return x->kin; }

// --- what the solver asks ------------------------------------------------------------------------

static Machine *new_machine(Modes *x, const Program *p) {
    Machine *m = p ? machine_new(p) : NULL;
    if (m) machine_set_params(m, job_parameters(x->j, p));
    return m;
}

static VisitedMode *visit(Modes *x, const int *mode) {
    for (int i = 0; i < x->list.count; i++)
        if (is_mode(x->store, x->list.data[i]->compiled, mode)) return x->list.data[i];
    VisitedMode *v = memory_zeroed(1, sizeof *v);
    CompiledMode *c = v->compiled = compiled_mode(x, mode);
    if (c->good)
        v->ready = (SolveMode){.machine = new_machine(x, c->program),
                               .jump = new_machine(x, c->jump_program),
                               .state_count = c->system->state_count,
                               .code = &c->code};
    array_push(&x->list, v);
    return v;
}

// Lets Newton's method begin at the present values of the unknowns, not at those that this mode had
// when it was left.
static void begin_here(Machine *m, const int *item, const double *before) {
    const Program *p = m ? m->program : NULL;
    for (int b = 0; p && b < p->system->block_count; b++)
        for (int k = 0; k < p->system->block[b].size; k++, item++)
            if (*item >= 0 && isfinite(before[*item]))
                m->reg[p->block[b].unknown + (uint32_t)k] = before[*item];
}

static const SolveMode *get(void *context, const int *mode, const double *before, Report *r) {
    Modes *x = context;
    const VisitedMode *v = visit(x, mode);
    const CompiledMode *c = v->compiled;
    if (c->good) {
        begin_here(v->ready.machine, c->begin, before);
        begin_here(v->ready.jump, c->jump_begin, before);
        return &v->ready;
    }
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
    rows_sides(x->j, time, before, after);
    probes_sides(x->j, time, before, after);
    if (!x->j->run->audit.off) audit_jump(&x->j->book, before, after, work);
}

// --- opening and closing -------------------------------------------------------------------------

Modes *modes_new(Job *j, ModeStore *store) {
    Modes *x = memory_zeroed(1, sizeof *x);
    x->j = j;
    x->store = store;
    x->solve = (SolveModes){
        .model = j->model, .memory = store->memory, .get = get, .jumped = jumped, .context = x};
    return x;
}

void modes_change_params(Modes *x) {
    for (int i = 0; i < x->list.count; i++) {
        Machine *const both[] = {x->list.data[i]->ready.machine, x->list.data[i]->ready.jump};
        for (int k = 0; k < 2; k++)
            if (both[k]) {
                const Program *p = both[k]->program;
                double *value = memory_zeroed((size_t)p->param_count + 1, sizeof *value);
                job_fill_parameters(x->j, p, value);
                machine_change_params(both[k], value);
                free(value);
            }
    }
}

const SolveModes *modes_solve(const Modes *x) { return x ? &x->solve : NULL; }

void modes_free(Modes *x) {
    if (!x) return;
    for (int i = 0; i < x->list.count; i++) {
        VisitedMode *v = x->list.data[i];
        machine_free(v->ready.machine);
        machine_free(v->ready.jump);
        free(v);
    }
    array_free(&x->list);
    free(x);
}
