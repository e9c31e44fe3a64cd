// Why a block is singular: which of its equations repeat each other, what they leave open, and at
// which states. The null vectors of its matrix say both: y' A = 0 names equations, A x = 0
// unknowns.
#include "engine/block_run.h"

#include "base/memory.h"
#include "engine/sparse.h"
#include <math.h>

enum { MOST_NAMED = 4 };

typedef struct {
    const Machine *m;
    const System *s;
    const TapeBlock *t;
    const Block *block;
    double *entry, *x, *y; // of the matrix; null vectors
} Singular;

static bool takes_part(double part) { return fabs(part) >= 1e-3; } // the largest is 1

static int list_equations(Text *out, const Singular *w) {
    int found = 0;
    for (int i = 0; i < w->t->size; i++) {
        if (!takes_part(w->y[i]) || ++found > MOST_NAMED) continue;
        if (found > 1) text_add(out, ", ");
        equation_label(out, w->s, w->block->equation[i]);
    }
    if (found > MOST_NAMED) text_printf(out, " and %d more", found - MOST_NAMED);
    return found;
}

static void list_unknowns(Text *out, const Singular *w) {
    int found = 0;
    for (int i = 0; i < w->t->size; i++) {
        if (!takes_part(w->x[i]) || ++found > MOST_NAMED) continue;
        Name name = expr_symbol_name(w->s->dag, expr_symbol_index(w->s->dag, w->block->unknown[i]));
        text_printf(out, "%s'%s'", found > 1 ? ", " : "", name_text(dag_names(w->s->dag), name));
    }
    if (found > MOST_NAMED) text_printf(out, " and %d more", found - MOST_NAMED);
    text_add(out, found > 1 ? " stay open" : " stays open");
}

// The states that the coefficients of these equations depend on.
static void list_states(Text *out, const Singular *w) {
    const Sparse *a = &w->block->jacobian;
    const Program *p = w->m->program;
    ExprWalk *walk = walk_new(w->s->dag);
    int found = 0;
    walk_start(walk);
    for (int k = 0; k < a->start[w->t->size]; k++)
        if (takes_part(w->y[a->row[k]])) walk_add(walk, a->entry[k]);
    for (int i = 0; i < w->s->state_count && found < MOST_NAMED; i++) {
        if (!walk_seen(walk, w->s->state[i])) continue;
        text_printf(out, "%s%s = %g", found++ ? ", " : " (at ", program_state_name(p, i),
                    w->m->reg[p->first_state + (uint32_t)i]);
    }
    if (found) text_add(out, ")");
    walk_free(walk);
}

void machine_explain_block(Machine *m, int number, Text *out) {
    const Program *p = m->program;
    const TapeBlock *t = &p->block[number];
    if (number >= p->system->block_count || !p->system->block[number].equation) return;
    Singular w = {.m = m, .s = p->system, .t = t, .block = &p->system->block[number]};
    int count = t->column_start[t->size];
    w.entry = memory_zeroed((size_t)count + 2 * (size_t)t->size, sizeof *w.entry);
    w.x = w.entry + count;
    w.y = w.x + t->size;
    run_code(m, t->jacobian.code, t->jacobian.count);
    for (int k = 0; k < count; k++) w.entry[k] = m->reg[t->jacobian.result[k]];
    if (sparse_null_vectors(t->size, t->column_start, t->row, w.entry, w.x, w.y)) {
        int equations = list_equations(out, &w);
        text_add(out, equations > 1 ? " repeat each other, so " : " repeats the others, so ");
        list_unknowns(out, &w);
        list_states(out, &w);
    }
    free(w.entry);
}
