// The programs of a model: one, or, where its laws switch, that of the start and two for each mode that a run can
// come into, the mode itself and the jump into it:
//
//     start | mode 0 | jump into it | mode 1 | jump into it | ...        registers, one behind the other
//
// Modes that differ by sums and products share theirs (run/kin.h).
#include "export/writing.h"

#include <stdio.h>

enum { MOST_MODES = 64 };

// --- what is refused -----------------------------------------------------------------------------

static bool check_matrices(const Writing *w, const Program *p, Report *r) {
    char what[80];
    if (!p->matrix_count) return true;
    snprintf(what, sizeof what, "it calls '%s', a function of matrices",
             matrix_function_name(p->matrix[0].shape));
    return export_refuse(w, r, p->matrix[0].pos, what,
                         "write the numbers that it gives as parameters (`bondyn run` shows them)");
}

// Pivots of sparse matrices are chosen by KLU, which C that stands alone does not bring along.
static bool check_sparse(const Writing *w, const TapeBlock *b, Report *r) {
    char what[120];
    if (!block_is_sparse(b)) return true;
    snprintf(what, sizeof what,
             "%d unknowns with a sparse matrix have to be solved together, which runs do with KLU",
             b->size);
    return export_refuse(w, r, b->pos, what, "small elasticities or resistances take loops apart");
}

static bool check_program(const Writing *w, const Program *p, Report *r) {
    if (!check_matrices(w, p, r)) return false;
    for (int i = 0; i < p->block_count; i++)
        if (!check_sparse(w, &p->block[i], r)) return false;
    return true;
}

// What is held has the same place in all modes.
static bool check_held(const Writing *w, const Program *p, Report *r) {
    const Whens *a = &w->base->system->whens, *b = &p->system->whens;
    bool same = a->discrete_count == b->discrete_count && a->sample_count == b->sample_count &&
                a->branch_count == b->branch_count;
    for (int i = 0; same && i < a->discrete_count; i++)
        same = a->discrete_var[i] == b->discrete_var[i];
    if (same) return true;
    return export_refuse(w, r, w->job->model->choice[0].pos,
                         "what its modes remember is not the same",
                         "write the law with `if` in place of modes");
}

// --- modes ---------------------------------------------------------------------------------------

static bool is_once(const Model *m, int c, int k) {
    return m->mode[m->choice[c].first_mode + k].once;
}

// The next mode, of which at most one choice is an instant; those that share a program are one.
static bool next_mode(const Writing *w, int *mode) {
    const Model *m = w->job->model;
    const int *kin = mode_store_kin(w->store);
    for (;;) {
        int c = 0, once = 0;
        while (c < m->choice_count && ++mode[c] == m->choice[c].mode_count) mode[c++] = 0;
        if (c == m->choice_count) return false;
        bool first = true;
        for (c = 0; c < m->choice_count; c++) {
            once += is_once(m, c, mode[c]);
            first = first && kin[m->choice[c].first_mode + mode[c]] >= mode[c];
        }
        if (first && once <= 1) return true;
    }
}

static long count_modes(const Writing *w) {
    const Model *m = w->job->model;
    const int *kin = mode_store_kin(w->store);
    long lasting = 1, instants = 0;
    for (int c = 0; c < m->choice_count && lasting <= MOST_MODES; c++) {
        long all = 0, once = 0;
        for (int k = 0; k < m->choice[c].mode_count; k++) {
            once += is_once(m, c, k);
            all += !is_once(m, c, k) && kin[m->choice[c].first_mode + k] >= k;
        }
        instants = instants * all + lasting * once;
        lasting *= all;
    }
    return lasting + instants;
}

static int add_part(Writing *w, const Program *p, const char *name, const int *begin, bool jump) {
    Part *x = &w->part[w->part_count];
    const Part *last = w->part_count ? x - 1 : NULL;
    *x = (Part){.p = p, .jump = jump, .begin = begin};
    snprintf(x->name, sizeof x->name, "%s", name);
    if (last) {
        x->at = last->at + (long)last->p->register_count;
        x->first_block = last->first_block + last->p->block_count;
        x->basis_at = last->basis_at + selection_columns(last->p);
    }
    return w->part_count++;
}

static bool add_mode(Writing *w, const int *mode, Report *r) {
    ModeProgram found;
    char name[24];
    int number = w->combination_count++;
    Combination *k = &w->combination[number];
    bool good = modes_program(w->modes, mode, &found);
    *k = (Combination){.mode = found.mode, .part = -1, .jump = -1};
    if (!good) return true; // a run that comes to it says so
    if ((found.program &&
         !(check_program(w, found.program, r) && check_held(w, found.program, r))) ||
        !check_program(w, found.jump, r))
        return false;
    k->state_count = found.system->state_count;
    snprintf(name, sizeof name, "mode%d_", number);
    if (found.program) k->part = add_part(w, found.program, name, found.begin, false);
    snprintf(name, sizeof name, "jump%d_", number);
    k->jump = add_part(w, found.jump, name, found.jump_begin, true);
    return true;
}

static bool add_modes(Writing *w, Report *r) {
    const Model *m = w->job->model;
    int *mode = ARENA_ARRAY(&w->tmp, int, m->choice_count);
    mode[0] = -1;
    while (next_mode(w, mode))
        if (!add_mode(w, mode, r)) return false;
    return true;
}

// --- what each needs -----------------------------------------------------------------------------

static void note_table(Writing *w, const Table *t) {
    for (int k = 0; k < w->table_count; k++)
        if (w->table[k] == t) return;
    if (t) w->table[w->table_count++] = t;
}

static void find_tables(Writing *w) {
    size_t most = 1;
    for (int k = 0; k < w->part_count; k++) {
        const Program *p = w->part[k].p;
        most += (size_t)p->table_count + (size_t)p->switch_count + (size_t)p->clock_count;
    }
    w->table = ARENA_ARRAY(&w->tmp, const Table *, most);
    for (int k = 0; k < w->part_count; k++) {
        const Program *p = w->part[k].p;
        for (int i = 0; i < p->table_count; i++) note_table(w, p->table[i]);
        for (int i = 0; i < p->switch_count; i++) note_table(w, p->sw[i].table);
        for (int i = 0; i < p->clock_count; i++) note_table(w, p->clock[i].table);
    }
}

// Columns of the results first, then what states settle at.
static void find_outputs(Writing *w, Part *x) {
    const Job *j = w->job;
    const Program *p = x->p;
    int columns = j->run->results.column_count - 1;
    if (x->jump) {
        x->output = p->outputs.result;
        x->output_count = p->output_count;
        return;
    }
    x->output = ARENA_ARRAY(&w->tmp, uint32_t, columns + j->settle_var.count + 1);
    for (int i = 0; i < columns; i++)
        x->output[i] = p->outputs.result[j->tracks.data[i + 1].output];
    for (int k = 0; k < j->settle_var.count; k++)
        for (int i = 0; i < p->state_count; i++)
            if (p->system->state_var[i] == j->settle_var.data[k])
                x->output[columns + x->settle_count++] =
                    p->outputs.result[j->settle_output.data[k]];
    x->output_count = columns + x->settle_count;
}

static void look_at_blocks(Writing *w, const Program *p) {
    for (int i = 0; i < p->block_count; i++) w->nonlinear = w->nonlinear || !p->block[i].linear;
    for (int i = p->rate_code; i < p->derivative.count; i++) {
        Instruction c = p->derivative.code[i];
        w->quads = w->quads || (c.op == TAPE_BLOCK && !p->block[c.b].linear);
    }
}

static void enlarge(int *most, int count) { *most = count > *most ? count : *most; }

static void note_sizes(Writing *w, const Part *x) {
    const Program *p = x->p;
    const Whens *n = &p->system->whens;
    Most *m = &w->most;
    enlarge(&m->states, p->state_count);
    enlarge(&m->switches, p->switch_count);
    enlarge(&m->clocks, p->clock_count);
    enlarge(&m->discrete, n->discrete_count);
    enlarge(&m->resets, n->reset_count);
    enlarge(&m->samples, n->sample_count);
    enlarge(&m->block, p->largest_block);
    enlarge(&m->unknowns, (int)p->unknown_count);
    enlarge(&m->selection, p->choices.result_count);
    enlarge(&m->selection, p->start_choices.result_count);
    enlarge(&m->pivot_rows, p->largest_choice);
    enlarge(&m->rows, p->most_columns);
    if (!x->jump) enlarge(&m->loops, loop_unknowns(p));
    m->columns += selection_columns(p);
    enlarge(x->jump ? &m->jump : &m->output, x->output_count);
    m->blocks += p->block_count;
    m->registers += (long)p->register_count;
    m->settles = m->settles || x->settle_count > 0;
}

static void find_params(Writing *w) {
    size_t most = 1;
    for (int k = 0; k < w->part_count; k++) most += w->part[k].p->param_count;
    w->param_var = ARENA_ARRAY(&w->tmp, int, most);
    for (int k = 0; k < w->part_count; k++)
        for (uint32_t i = 0; i < w->part[k].p->param_count; i++) {
            int var = w->part[k].p->param_var[i], at = 0;
            while (at < w->param_count && w->param_var[at] != var) at++;
            if (at == w->param_count) w->param_var[w->param_count++] = var;
        }
}

bool export_find_parts(Writing *w, Report *r) {
    long modes = has_parts(w) ? count_modes(w) : 0;
    if (modes > MOST_MODES)
        return export_refuse(w, r, w->job->model->choice[0].pos,
                             "its laws switch between more than 64 modes, taken together",
                             "write some of these laws with `if` in place of modes");
    if (!check_program(w, w->base, r)) return false;
    w->part = ARENA_ARRAY(&w->tmp, Part, 2 * modes + 1);
    w->combination = ARENA_ARRAY(&w->tmp, Combination, modes + 1);
    add_part(w, w->base, has_parts(w) ? "start_" : "", NULL, false);
    if (has_parts(w) && !add_modes(w, r)) return false;
    find_tables(w);
    find_params(w);
    for (int k = 0; k < w->part_count; k++) {
        find_outputs(w, &w->part[k]);
        look_at_blocks(w, w->part[k].p);
        note_sizes(w, &w->part[k]);
        export_memory(w, &w->part[k]);
    }
    if (has_parts(w)) enlarge(&w->most.switches, 1); // whose room guards need in any case
    return true;
}

void export_turn_to(Writing *w, int part) {
    const Part *x = w->now = &w->part[part];
    w->p = x->p;
    w->memory = x->memory;
    w->output = x->output;
    w->output_count = x->output_count;
    w->settle_count = x->settle_count;
    export_comments_free(w);
    export_comments(w);
}
