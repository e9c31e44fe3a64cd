// From an experiment to the texts of an export, and what an export refuses.
#include "export/writing.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

// --- names ---------------------------------------------------------------------------------------

// The model's name with what C forbids as _; names that helpers begin with are left to them.
static void find_prefix(Export *e, const Model *m) {
    const char *name = name_text(m->names, m->name);
    size_t n = 0;
    if (!isalpha((unsigned char)*name)) n += (size_t)snprintf(e->prefix, 8, "model_");
    for (; *name && n + 8 < sizeof e->prefix; name++)
        e->prefix[n++] = isalnum((unsigned char)*name) ? *name : '_';
    if (strncmp(e->prefix, "bondyn", 6) == 0)
        n += (size_t)snprintf(e->prefix + n, sizeof e->prefix - n, "_model");
    e->prefix[n] = 0;
    name = name_text(m->names, m->name);
    if (strcmp(e->prefix, name) != 0) snprintf(e->asked, sizeof e->asked, "%s", name);
}

// --- what is refused -----------------------------------------------------------------------------

bool export_refuse(const Writing *w, Report *r, Pos pos, const char *what, const char *help) {
    const Model *m = w->job->model;
    Remark *k = report_error(r, T_CANNOT_EXPORT, pos, "model '%s' cannot be exported: %s",
                             name_text(m->names, m->name), what);
    remark_help(r, k, "%s", help);
    return false;
}

static bool check_experiment(Writing *w, Report *r) {
    const Job *j = w->job;
    SolverKind k = j->plan.solver;
    if (job_is_frequency(j))
        return export_refuse(w, r, j->plan.pos, "its experiment is a frequency response",
                             "take an experiment over time");
    if (job_refuses_analysis(j)) return false;
    if (w->options->any_solver || k == SOLVER_EULER || k == SOLVER_HEUN || k == SOLVER_RK4)
        return true;
    return export_refuse(
        w, r, j->plan.pos, "the experiment has a solver with steps of its own choice",
        w->options->unit
            ? "take a fixed step: --solver rk4; model exchange alone, --kind me, can do without"
            : "take a fixed step: `solver rk4 step 1 {ms}` in the experiment, or --solver rk4");
}

static bool check_model(Writing *w, Report *r) {
    const Model *m = w->job->model;
    if (m->choice_count)
        return export_refuse(w, r, m->choice[0].pos, "its laws switch between modes",
                             "write the law with `if` in place of modes");
    if (w->job->system->choice_count)
        return export_refuse(
            w, r, w->job->system->block[w->job->system->choice[0].block].pos,
            "its states are chosen anew during the run",
            "give the mechanism coordinates that hold everywhere, an angle for x and y");
    if (w->job->system->whens.delay_count)
        return export_refuse(
            w, r, m->var[w->job->system->whens.discrete_var[w->job->system->whens.delay[0]]].pos,
            "it has delayed signals",
            "write the delay with `sample` and discrete variables, or as a lag");
    for (int i = 0; i < m->when_count; i++)
        if (m->when[i].ends)
            return export_refuse(w, r, m->when[i].pos, "it ends runs by itself (`terminate`)",
                                 "set a discrete output there, and let the caller end the run");
    return true;
}

enum { FEW_UNKNOWNS = 40 }; // from which on engine/block_run.c may factor sparse matrices

static bool check_program(Writing *w, Report *r) {
    for (int i = 0; i < w->p->matrix_count; i++) {
        char what[80];
        snprintf(what, sizeof what, "it calls '%s', a function of matrices",
                 matrix_function_name(w->p->matrix[i].shape));
        return export_refuse(
            w, r, w->p->matrix[i].pos, what,
            "write the numbers that it gives as parameters (`bondyn run` shows them)");
    }
    for (int i = 0; i < w->p->block_count; i++)
        if (w->p->block[i].size > FEW_UNKNOWNS)
            return export_refuse(w, r, w->p->block[i].pos,
                                 "more than 40 unknowns have to be solved together",
                                 "small elasticities or resistances take loops apart");
    for (int i = 0; i < w->p->system->block_count; i++)
        if (!w->p->block[i].linear && !w->p->block[i].anchored)
            return export_refuse(w, r, w->p->block[i].pos,
                                 "a loop of its equations is solved by iteration and may fold",
                                 "a small volume, mass or elasticity in the loop takes it apart");
    return true;
}

// --- what is written -----------------------------------------------------------------------------

static void find_tables(Writing *w) {
    const Program *p = w->p;
    const size_t most = (size_t)p->table_count + (size_t)p->switch_count + (size_t)p->clock_count;
    w->table = ARENA_ARRAY(&w->tmp, const Table *, most + 1);
    for (int i = 0; i < p->table_count; i++) w->table[w->table_count++] = p->table[i];
    for (int i = 0; i < p->switch_count + p->clock_count; i++) {
        const Table *t = i < p->switch_count ? p->sw[i].table : p->clock[i - p->switch_count].table;
        bool known = !t;
        for (int k = 0; k < w->table_count; k++) known = known || w->table[k] == t;
        if (!known) w->table[w->table_count++] = t;
    }
}

// Columns of the results first, then what states settle at.
static void find_outputs(Writing *w) {
    const Job *j = w->job;
    const Program *p = w->p;
    int columns = j->run->results.column_count - 1;
    w->output = ARENA_ARRAY(&w->tmp, uint32_t, columns + j->settle_var.count + 1);
    for (int i = 0; i < columns; i++)
        w->output[i] = p->outputs.result[j->tracks.data[i + 1].output];
    for (int k = 0; k < j->settle_var.count; k++)
        for (int i = 0; i < p->state_count; i++)
            if (p->system->state_var[i] == j->settle_var.data[k])
                w->output[columns + w->settle_count++] =
                    p->outputs.result[j->settle_output.data[k]];
    w->output_count = columns + w->settle_count;
}

static void look_at_blocks(Writing *w) {
    const Program *p = w->p;
    for (int i = 0; i < p->block_count; i++) w->nonlinear = w->nonlinear || !p->block[i].linear;
    for (int i = p->rate_code; i < p->derivative.count; i++) {
        Instruction c = p->derivative.code[i];
        w->quads = w->quads || (c.op == TAPE_BLOCK && !p->block[c.b].linear);
    }
}

static void write_readme(Writing *w) {
    Export *e = w->e;
    const Model *m = w->job->model;
    const ExportCounts *n = &e->rate;
    Text *o = &e->readme;
    text_printf(o, "# %s\n\n%s%s", name_text(m->names, m->name), name_text(m->names, m->text),
                *name_text(m->names, m->text) ? "\n\n" : "");
    if (*e->asked)
        text_printf(o, "C has no names like `%s`: everything here begins with `%s`.\n\n", e->asked,
                    e->prefix);
    text_printf(
        o,
        "Generated by Bondyn from experiment %s. Needs a C99 compiler and libm; allocates "
        "nothing; has no mutable globals. `model.c` uses no function but memcpy, memset and "
        "those of libm.\n\n    cc -std=c99 -O2 -ffp-contract=off main.c model.c -lm -o main\n"
        "    ./main > results.csv\n    ./main NAME=VALUE > results.csv\n\n"
        "Compiled without contraction (`-ffp-contract=off`) the results are those of "
        "`bondyn run` with the same solver%s.\n\n",
        name_text(m->names, w->job->plan.name),
        w->options->single ? " but for the rounding to float" : ", bit by bit");
    text_printf(o,
                "| | |\n|---|---|\n| states | %d |\n| parameters | %u |\n| memory of a run | %zu "
                "bytes |\n| evaluations of the rates in a step | %d |\n| an evaluation | %ld sums, "
                "%ld products, %ld divisions, %ld functions, %ld choices, %ld blocks |\n\n",
                w->p->state_count, w->p->param_count, e->bytes, e->rates_per_step, n->sums,
                n->products, n->divisions, n->functions, n->choices, n->blocks);
    text_printf(
        o,
        "    #include \"model.h\"\n\n    static %s_machine m;\n    %s_init(&m);\n"
        "    %s_set(&m, %s_find(\"NAME\"), value);     // in the unit of the table of names\n"
        "    %s_reset(&m);\n    while (m.time < m.stop && %s_step(&m) == %s_good)\n"
        "        use(%s_get(&m, %s_find(\"NAME\")));\n",
        e->prefix, e->prefix, e->prefix, e->prefix, e->prefix, e->prefix, e->prefix, e->prefix,
        e->prefix);
}

static void find_inputs(Writing *w) {
    const Whens *n = &w->p->system->whens;
    w->input = ARENA_ARRAY(&w->tmp, int, n->discrete_count + 1);
    w->input_var = ARENA_ARRAY(&w->tmp, int, n->discrete_count + 1);
    for (int i = 0; i < n->discrete_count; i++) {
        if (!w->job->model->var[n->discrete_var[i]].open) continue;
        w->input[w->input_count] = i;
        w->input_var[w->input_count++] = n->discrete_var[i];
    }
}

void export_write(Writing *w) {
    SolverKind k = w->job->plan.solver;
    find_tables(w);
    find_outputs(w);
    find_inputs(w);
    look_at_blocks(w);
    export_memory(w);
    export_comments(w);
    export_header(w);
    export_source(w);
    export_main(w);
    w->e->rate = export_count(w, &w->p->derivative, w->p->rate_code);
    w->e->rates_per_step = k == SOLVER_EULER ? 1 : k == SOLVER_HEUN ? 2 : 4;
    write_readme(w);
    export_classic(w->e);
}

bool export_open(Writing *w, Export *e, const System *s, const RunOptions *o,
                 const ExportOptions *x, Report *r) {
    static const ExportOptions nothing = {0};
    *e = (Export){0};
    *w = (Writing){.e = e, .options = x ? x : &nothing};
    w->job = &w->own;
    job_open(w->job, s, o, r);
    find_prefix(e, s->model);
    if (!check_model(w, r) || !job_prepare(w->job) || !check_experiment(w, r)) return false;
    ProgramWish wish = job_program_wish(w->job);
    w->p = program_build(s, &wish, r);
    return w->p && check_program(w, r);
}

void export_close(Writing *w) {
    export_comments_free(w);
    program_free(w->p);
    arena_free(&w->tmp);
    run_free(job_close(w->job, true));
}

bool export_c(Export *e, const System *s, const RunOptions *o, const ExportOptions *x, Report *r) {
    Writing w;
    bool good = export_open(&w, e, s, o, x, r);
    if (good) export_write(&w);
    export_close(&w);
    return good;
}

void export_free(Export *e) {
    text_free(&e->header);
    text_free(&e->source);
    text_free(&e->main);
    text_free(&e->readme);
    text_free(&e->classic);
}
