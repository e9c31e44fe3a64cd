// Building a program: the roles of symbols, then blocks, then each function, then `prepare` with
// everything the others found to depend on parameters alone; at last registers get their numbers.
//
//   places     c0 c1 | p0 | t | x0 x1 | held | prepared | unknowns | inputs | work | inner work
//   registers  0  1    2    3   4  5    ...
#include "engine/build.h"

#include "base/memory.h"
#include "engine/check.h"
#include <math.h>
#include <string.h>

enum {
    CODE_PREPARE,
    CODE_DERIVATIVE,
    CODE_OUTPUTS,
    CODE_JACOBIAN,
    CODE_SWITCHES,
    CODE_INITIAL,
    CODE_CLOCKS,
    CODE_SIGNALS,
    CODE_CHOICES,
    CODE_START_CHOICES,
    CODE_UNKNOWNS,
    CODE_IMPLICIT,
    CODE_IMPLICIT_JACOBIAN,
    CODE_MEMORY,
    CODE_INSIDES,
    CODE_INSIDE_SLOPES,
    CODE_KINKS,
    CODE_FUNCTIONS
};

// --- symbols -------------------------------------------------------------------------------------

static void set_roles(Builder *b) {
    const System *s = b->system;
    const Model *m = s->model;
    for (int i = 0; i < m->var_count; i++)
        if (m->var[i].kind == VAR_PARAM && m->var[i].symbol)
            builder_set_role(b, m->var[i].symbol, (SymbolRole){SYMBOL_PARAM, i, 0});
    if (s->time) builder_set_role(b, s->time, (SymbolRole){SYMBOL_TIME, 0, 0});
    for (int i = 0; i < s->state_count; i++)
        builder_set_role(b, s->state[i], (SymbolRole){SYMBOL_STATE, i, 0});
    whens_roles(b);
}

static const char *block_words(Builder *b, const Block *block) {
    Text t = {0};
    Names *names = dag_names(b->dag);
    int shown = block->size > 8 ? 6 : block->size;
    for (int i = 0; i < shown; i++) {
        Name name = expr_symbol_name(b->dag, expr_symbol_index(b->dag, block->unknown[i]));
        text_printf(&t, "%s'%s'", i ? ", " : "", name_text(names, name));
    }
    if (shown < block->size) text_printf(&t, " and %d more", block->size - shown);
    const char *words = arena_copy_text(&b->program->arena, text_get(&t), t.length);
    text_free(&t);
    return words;
}

static void add_blocks(Builder *b, const Block *block, int count) {
    for (int i = 0; i < count; i++) {
        const Block *s = &block[i];
        BlockDraft draft = {.size = s->size,
                            .linear = s->linear,
                            .anchored = s->anchored,
                            .afresh = s->afresh,
                            .unknown = s->unknown,
                            .residual = s->residual,
                            .jacobian = s->jacobian,
                            .matrix = -1,
                            .guess = s->guess,
                            .pos = s->pos,
                            .what = block_words(b, s)};
        block_add(b, &draft);
    }
}

// --- functions -----------------------------------------------------------------------------------

static void write_roots(Builder *b, Draft *draft, int level, const Expr *root, int count) {
    function_begin(b, draft, level, -1);
    function_roots(b, root, count);
    function_angles(b, 0, b->touched.count);
    for (int i = 0; i < count; i++) function_add(b, root[i]);
    function_end(b);
}

static void write_derivative(Builder *b, Draft *draft, const ProgramOptions *options) {
    const System *s = b->system;
    function_begin(b, draft, LEVEL_TIME, -1);
    function_roots(b, s->rate, s->state_count);
    int rates = b->touched.count;
    function_roots(b, options->quadrature, options->quadrature_count);
    int all = b->touched.count;
    function_angles(b, 0, rates);
    for (int i = 0; i < s->state_count; i++) function_add(b, s->rate[i]);
    b->program->rate_code = draft->code.count;
    function_angles(b, rates, all);
    for (int i = 0; i < options->quadrature_count; i++) function_add(b, options->quadrature[i]);
    function_end(b);
}

static void write_unknowns(Builder *b, Draft *draft) {
    Exprs all = {0};
    for (int i = 0; i < b->system->block_count; i++)
        for (int k = 0; k < b->system->block[i].size; k++)
            array_push(&all, b->system->block[i].unknown[k]);
    write_roots(b, draft, LEVEL_TIME, all.data, all.count);
    array_free(&all);
}

// Where the formulas for d rate / d state are out of proportion since blocks stand between, the
// matrix of the implicit system gives them in numbers.
static void write_implicit(Builder *b, Draft *code, const ProgramOptions *options) {
    Program *p = b->program;
    bool serves = !p->has_jacobian && p->column_start && b->system->block_count > 0;
    if (b->failed || (!options->implicit && !serves)) return;
    write_unknowns(b, &code[CODE_UNKNOWNS]);
    p->has_implicit =
        implicit_build(b, &code[CODE_IMPLICIT], &code[CODE_IMPLICIT_JACOBIAN]) && !b->failed;
}

static void write_all_insides(Builder *b, Draft *code, const ProgramOptions *options) {
    Exprs event_function = event_functions_of(b);
    Draft *const draft[] = {&code[CODE_INSIDES], &code[CODE_INSIDE_SLOPES]};
    write_insides(b, draft, &event_function, options);
    array_free(&event_function);
}

static void write_all(Builder *b, Draft *code, WhenDrafts *when, const ProgramOptions *options) {
    const System *s = b->system;
    for (int i = 0; i < b->block.count; i++) block_write(b, i);
    write_derivative(b, &code[CODE_DERIVATIVE], options);
    write_roots(b, &code[CODE_OUTPUTS], LEVEL_TIME, options->output, options->output_count);
    write_switches(b, &code[CODE_SWITCHES]);
    write_roots(b, &code[CODE_CLOCKS], LEVEL_TIME, b->phase.data, b->phase.count);
    write_roots(b, &code[CODE_INITIAL], LEVEL_TIME, s->start, s->state_count);
    write_choices(b, &code[CODE_CHOICES], false);
    write_choices(b, &code[CODE_START_CHOICES], true);
    write_roots(b, &code[CODE_MEMORY], LEVEL_TIME, options->memory, options->memory_count);
    write_whens(b, when);
    if (!b->failed && !options->explicit) jacobian_build(b, &code[CODE_JACOBIAN], options->exact);
    write_implicit(b, code, options);
    write_signals(b, &code[CODE_SIGNALS], options);
    write_all_insides(b, code, options);
    write_kinks(b, &code[CODE_KINKS]);
    write_roots(b, &code[CODE_PREPARE], LEVEL_STATIC, b->prepared.data, b->prepared.count);
}

// --- registers -----------------------------------------------------------------------------------

typedef struct {
    uint32_t base[SPACE_COUNT];
} Layout;

static Layout lay_out(Builder *b) {
    uint32_t size[SPACE_COUNT] = {
        [SPACE_CONSTANT] = (uint32_t)b->constant.count,
        [SPACE_PARAM] = (uint32_t)b->param.count,
        [SPACE_TIME] = 1,
        [SPACE_STATE] = (uint32_t)b->system->state_count,
        [SPACE_HELD] = (uint32_t)held_count(b),
        [SPACE_PREPARED] = (uint32_t)b->prepared.count,
        [SPACE_UNKNOWN] = (uint32_t)b->unknown_count,
        [SPACE_INPUT] = (uint32_t)b->input.count,
        [SPACE_MATRIX] = b->matrix_places,
        [SPACE_WORK] = b->work_count,
        [SPACE_INNER] = b->inner_count,
    };
    Layout layout;
    uint32_t next = 0;
    for (int i = 0; i < SPACE_COUNT; i++) {
        layout.base[i] = next;
        next += size[i];
    }
    Program *p = b->program;
    p->register_count = next;
    p->constant_count = size[SPACE_CONSTANT];
    p->first_param = layout.base[SPACE_PARAM];
    p->param_count = size[SPACE_PARAM];
    p->time = layout.base[SPACE_TIME];
    p->first_state = layout.base[SPACE_STATE];
    p->first_held = layout.base[SPACE_HELD];
    p->first_unknown = layout.base[SPACE_UNKNOWN];
    p->first_work = layout.base[SPACE_WORK];
    p->unknown_count = size[SPACE_UNKNOWN];
    return layout;
}

static uint32_t register_of(const Layout *layout, Place place) {
    return layout->base[PLACE_SPACE(place)] + PLACE_INDEX(place);
}

static uint32_t *registers_of(Builder *b, const Layout *layout, const Places *places) {
    uint32_t *reg = ARENA_ARRAY(&b->program->arena, uint32_t, places->count + 1);
    for (int i = 0; i < places->count; i++) reg[i] = register_of(layout, places->data[i]);
    return reg;
}

static TapeFunction finish(Builder *b, const Layout *layout, Draft *d) {
    Arena *arena = &b->program->arena;
    int count = d->code.count;
    TapeFunction f = {.code = ARENA_ARRAY(arena, Instruction, count + 1),
                      .origin = ARENA_ARRAY(arena, Expr, count + 1),
                      .count = count,
                      .result = registers_of(b, layout, &d->result),
                      .result_count = d->result.count};
    for (int i = 0; i < count; i++) {
        Instruction c = d->code.data[i];
        const TapeInfo *info = &tape_info[c.op];
        c.to = c.op == TAPE_BLOCK ? 0 : register_of(layout, c.to);
        c.a = info->a ? register_of(layout, c.a) : 0;
        if (info->b) c.b = register_of(layout, c.b);
        if (c.b == NO_PLACE) c.b = 0;
        f.code[i] = c;
        f.origin[i] = d->origin.data[i];
    }
    draft_free(d);
    return f;
}

// Made of numbers and parameters alone?
static bool is_constant_matrix(const BlockDraft *d) {
    for (int i = 0; i < d->jacobian_code.result.count; i++) {
        Space space = PLACE_SPACE(d->jacobian_code.result.data[i]);
        if (space != SPACE_CONSTANT && space != SPACE_PARAM && space != SPACE_PREPARED)
            return false;
    }
    return d->linear && d->matrix < 0;
}

static void finish_blocks(Builder *b, const Layout *layout) {
    Program *p = b->program;
    p->block_count = b->block.count;
    p->block = ARENA_ARRAY(&p->arena, TapeBlock, p->block_count + 1);
    for (int i = 0; i < p->block_count; i++) {
        BlockDraft *d = &b->block.data[i];
        bool constant = is_constant_matrix(d);
        p->block[i] = (TapeBlock){
            .size = d->size,
            .linear = d->linear,
            .anchored = d->anchored || d->afresh,
            .unknown = p->first_unknown + (uint32_t)d->first_unknown,
            .guess = registers_of(b, layout, &d->guess_place),
            .residual = finish(b, layout, &d->residual_code),
            .jacobian = finish(b, layout, &d->jacobian_code),
            .column_start = d->jacobian.start,
            .row = d->jacobian.row,
            .matrix = d->matrix < 0 ? i : d->matrix,
            .constant = constant,
            .pos = d->pos,
            .what = d->what,
        };
        if (d->size > p->largest_block) p->largest_block = d->size;
    }
}

static void finish_matrices(Builder *b, const Layout *layout) {
    Program *p = b->program;
    p->matrix_count = b->matrix.count;
    p->matrix = ARENA_ARRAY(&p->arena, TapeMatrix, p->matrix_count + 1);
    for (int i = 0; i < p->matrix_count; i++) {
        Expr e = b->matrix.data[i];
        const MatrixKind *kind = expr_matrix_kind(b->dag, e);
        TapeMatrix t = {.shape = kind->shape, .pos = kind->pos};
        t.in = register_of(layout, b->home.data[e]);
        t.out = t.in + (uint32_t)matrix_input_count(kind->shape);
        t.constant = b->level.data[e] == LEVEL_STATIC;
        p->matrix[i] = t;
    }
}

static void finish_tables(Builder *b) {
    Program *p = b->program;
    p->table_count = expr_table_count(b->dag);
    p->table = ARENA_ARRAY(&p->arena, const Table *, p->table_count + 1);
    for (int i = 0; i < p->table_count; i++) p->table[i] = expr_table(b->dag, i);
}

static void finish_params(Builder *b) {
    Program *p = b->program;
    p->constant = ARENA_ARRAY(&p->arena, double, p->constant_count + 1);
    for (uint32_t i = 0; i < p->constant_count; i++) p->constant[i] = b->constant.data[i];
    p->param_var = ARENA_ARRAY(&p->arena, int, p->param_count + 1);
    p->param_value = ARENA_ARRAY(&p->arena, double, p->param_count + 1);
    for (uint32_t i = 0; i < p->param_count; i++) {
        Expr value = b->system->model->var[b->param.data[i]].value;
        p->param_var[i] = b->param.data[i];
        p->param_value[i] = value ? expr_value(b->dag, value) : (double)NAN;
    }
}

static Expr *copy_exprs(Program *p, const Expr *e, int count) {
    Expr *copy = ARENA_ARRAY(&p->arena, Expr, count + 1);
    if (count) memcpy(copy, e, (size_t)count * sizeof *e);
    return copy;
}

static void finish_program(Builder *b, Draft *code, WhenDrafts *when,
                           const ProgramOptions *options) {
    Program *p = b->program;
    Layout layout = lay_out(b);
    p->state_count = b->system->state_count;
    p->quad_count = options->quadrature_count;
    p->output_count = options->output_count;
    p->output = copy_exprs(p, options->output, options->output_count);
    p->quadrature = copy_exprs(p, options->quadrature, options->quadrature_count);
    p->prepare = finish(b, &layout, &code[CODE_PREPARE]);
    p->derivative = finish(b, &layout, &code[CODE_DERIVATIVE]);
    p->outputs = finish(b, &layout, &code[CODE_OUTPUTS]);
    p->jacobian = finish(b, &layout, &code[CODE_JACOBIAN]);
    p->switches = finish(b, &layout, &code[CODE_SWITCHES]);
    p->initial = finish(b, &layout, &code[CODE_INITIAL]);
    p->clocks = finish(b, &layout, &code[CODE_CLOCKS]);
    p->signals = finish(b, &layout, &code[CODE_SIGNALS]);
    p->unknowns = finish(b, &layout, &code[CODE_UNKNOWNS]);
    p->implicit = finish(b, &layout, &code[CODE_IMPLICIT]);
    p->implicit_jacobian = finish(b, &layout, &code[CODE_IMPLICIT_JACOBIAN]);
    p->held_start = finish(b, &layout, &when->start);
    p->conditions = finish(b, &layout, &when->conditions);
    p->rate_bounds = finish(b, &layout, &when->rate_bounds);
    p->actions = finish(b, &layout, &when->actions);
    p->samples = finish(b, &layout, &when->samples);
    p->delays = finish(b, &layout, &when->delays);
    p->delay_times = finish(b, &layout, &when->delay_times);
    p->befores = finish(b, &layout, &when->befores);
    p->held_count = held_count(b);
    p->choices = finish(b, &layout, &code[CODE_CHOICES]);
    p->start_choices = finish(b, &layout, &code[CODE_START_CHOICES]);
    finish_choices(b);
    p->guards = finish(b, &layout, &when->guards);
    p->memory = finish(b, &layout, &code[CODE_MEMORY]);
    p->insides = finish(b, &layout, &code[CODE_INSIDES]);
    p->inside_slopes = finish(b, &layout, &code[CODE_INSIDE_SLOPES]);
    p->kinks = finish(b, &layout, &code[CODE_KINKS]);
    finish_blocks(b, &layout);
    finish_kinks(b);
    finish_matrices(b, &layout);
    finish_tables(b);
    finish_params(b);
}

static void builder_free(Builder *b) {
    for (int i = 0; i < b->block.count; i++) {
        array_free(&b->block.data[i].need);
        array_free(&b->block.data[i].guess_place);
        draft_free(&b->block.data[i].residual_code);
        draft_free(&b->block.data[i].jacobian_code);
    }
    array_free(&b->level);
    array_free(&b->home);
    array_free(&b->place);
    array_free(&b->uses);
    array_free(&b->ready);
    array_free(&b->role);
    array_free(&b->constant);
    array_free(&b->param);
    array_free(&b->prepared);
    array_free(&b->input);
    array_free(&b->relation);
    array_free(&b->phase);
    array_free(&b->block);
    array_free(&b->matrix);
    array_free(&b->touched);
    array_free(&b->stack);
    array_free(&b->view.item);
    array_free(&b->view.operand);
    array_free(&b->view.sums);
    array_free(&b->view.products);
    array_free(&b->view.below);
    array_free(&b->view.outer_terms);
    array_free(&b->view.outer_factors);
    array_free(&b->view.arrival);
    array_free(&b->view.ordered);
    array_free(&b->view.sorted);
}

Program *program_build(const System *s, const ProgramOptions *options, Report *r) {
    static const ProgramOptions nothing = {0};
    if (!options) options = &nothing;
    Program *p = memory_zeroed(1, sizeof *p);
    p->system = s;
    Builder b = {.program = p, .system = s, .dag = dag_grow(s->dag), .report = r};
    Draft code[CODE_FUNCTIONS] = {0};
    WhenDrafts when = {0};
    set_roles(&b);
    add_blocks(&b, s->block, s->block_count);
    add_blocks(&b, s->start_block, s->start_block_count);
    find_switches(&b, options);
    find_kinks(&b, options);
    write_all(&b, code, &when, options);
    bool good = !b.failed;
    if (good) finish_program(&b, code, &when, options);
    for (int i = 0; i < CODE_FUNCTIONS; i++) draft_free(&code[i]);
    draft_free(&when.start);
    draft_free(&when.conditions);
    draft_free(&when.rate_bounds);
    draft_free(&when.actions);
    draft_free(&when.samples);
    draft_free(&when.delays);
    draft_free(&when.delay_times);
    draft_free(&when.befores);
    draft_free(&when.guards);
    builder_free(&b);
    if (good && program_check(p, r)) return p;
    program_free(p);
    return NULL;
}

void program_free(Program *p) {
    if (!p) return;
    arena_free(&p->arena);
    free(p);
}
