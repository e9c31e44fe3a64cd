// d rate / d state through the blocks, in numbers: with rates f(x, u) and blocks g(x, u) = 0
//
//   J = f_x - f_u g_u^-1 g_x        one solution with the factors of g_u for each column of g_x
//
// The parts come from the sparse matrix of the system left implicit, [f_x f_u; g_x g_u].
#include "solve/schur.h"

#include "base/memory.h"
#include "engine/sparse.h"

struct Schur {
    int n, unknowns;
    SparseFactor *factor; // of g_u
    int *start, *row;     // its pattern
    int *from;            // per entry: place in the whole matrix
    double *value;        // of the whole matrix
    double *y;            // states, unknowns
    double *w, *column;   // a column of g_u^-1 g_x; of J
};

Schur *schur_new(const Program *p) {
    const TapePattern *a = &p->implicit_pattern;
    Schur *s = memory_zeroed(1, sizeof *s);
    int n = s->n = p->state_count, m = s->unknowns = program_unknown_count(p), count = 0;
    s->start = memory_zeroed((size_t)m + 1, sizeof *s->start);
    s->row = memory_zeroed((size_t)a->count, sizeof *s->row);
    s->from = memory_zeroed((size_t)a->count, sizeof *s->from);
    s->value = memory_zeroed((size_t)a->count, sizeof *s->value);
    s->y = memory_zeroed((size_t)n + (size_t)m, sizeof *s->y);
    s->w = memory_zeroed((size_t)m, sizeof *s->w);
    s->column = memory_zeroed((size_t)n, sizeof *s->column);
    for (int c = 0; c < m; c++) {
        for (int k = a->start[n + c]; k < a->start[n + c + 1]; k++) {
            if (a->row[k] < n) continue;
            s->from[count] = k;
            s->row[count++] = a->row[k] - n;
        }
        s->start[c + 1] = count;
    }
    s->factor = sparse_new(m, s->start, s->row);
    return s;
}

void schur_free(Schur *s) {
    if (!s) return;
    sparse_free(s->factor);
    free(s->start);
    free(s->row);
    free(s->from);
    free(s->value);
    free(s->y);
    free(s->w);
    free(s->column);
    free(s);
}

// Column c of J into s->column.
static void one_column(Schur *s, const TapePattern *a, int c) {
    bool passes_on = false;
    for (int i = 0; i < s->n; i++) s->column[i] = 0;
    for (int i = 0; i < s->unknowns; i++) s->w[i] = 0;
    for (int k = a->start[c]; k < a->start[c + 1]; k++) {
        if (a->row[k] < s->n)
            s->column[a->row[k]] = s->value[k];
        else
            s->w[a->row[k] - s->n] = s->value[k], passes_on = true;
    }
    if (!passes_on) return;
    sparse_solve(s->factor, s->w);
    for (int j = 0; j < s->unknowns; j++)
        for (int k = a->start[s->n + j]; k < a->start[s->n + j + 1]; k++)
            if (a->row[k] < s->n) s->column[a->row[k]] -= s->value[k] * s->w[j];
}

bool schur_at(Schur *s, Machine *m, double time, const double *state, double *nonzero) {
    const Program *p = m->program;
    const TapePattern *a = &p->implicit_pattern;
    for (int i = 0; i < s->n; i++) s->y[i] = state[i];
    if (!machine_unknowns(m, time, state, s->y + s->n)) return false;
    machine_implicit_jacobian(m, time, s->y, s->value);
    double *entry = sparse_entries(s->factor);
    for (int k = 0; k < s->start[s->unknowns]; k++) entry[k] = s->value[s->from[k]];
    if (s->unknowns > 0 && !sparse_factor(s->factor)) return false;
    for (int c = 0; c < s->n; c++) {
        one_column(s, a, c);
        for (int k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            nonzero[k] = s->column[p->row[k]];
    }
    return true;
}
