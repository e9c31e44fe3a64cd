// Implicit blocks while a machine runs: u with residual(u) = 0, by the kernels for linear and
// nonlinear blocks, over one of two ways to factor the matrix:
//
//   up to 40 unknowns, or not sparse    dense LU (kernels.def, which generated C has too)
//   larger and sparse                   KLU (sparse.c)
//
// Factors belong to the block that says `matrix`. They hold
//   for a matrix of parameters          until parameters change
//   for a linear block                  at one point: its derivatives are solved with them as well
//   for a nonlinear block               not at all: Newton's matrix is the one before the solution
#include "engine/block_run.h"

#include "engine/sparse.h"
#include <math.h>
#include <string.h>

// The elimination is written out for each small size below.
#if defined(__GNUC__)
static inline __attribute__((always_inline)) int bondyn_lu_factor(int n, double *a, double *row,
                                                                  double *column, int *pivot);
static inline __attribute__((always_inline)) void bondyn_lu_solve(int n, const double *a,
                                                                  const double *row,
                                                                  const double *column,
                                                                  const int *pivot, double *x);
#endif
#define KERNEL(...) __VA_ARGS__
#include "engine/kernels.def"
#undef KERNEL

enum { FEW_UNKNOWNS = 40 };
static const double most_full = 0.25; // of the entries of a sparse matrix

struct BlockFactor {
    SparseFactor *sparse; // or:
    double *dense;        // row and column scales, matrix
    double *entry;        // of the matrix, before they find their places
    int *pivot;
    long point; // where it was factored; -1: nowhere
};

// --- memory --------------------------------------------------------------------------------------

bool block_is_sparse(const TapeBlock *t) {
    double n = t->size;
    return t->size > FEW_UNKNOWNS && t->column_start[t->size] <= most_full * n * n;
}

void block_run_open(Machine *m) {
    const Program *p = m->program;
    m->work = ARENA_ARRAY(&m->arena, double, 4 * (size_t)p->largest_block);
    m->away = ARENA_ARRAY(&m->arena, double, 2 * (size_t)p->largest_block);
    m->factor = ARENA_ARRAY(&m->arena, BlockFactor, p->block_count);
    size_t room = 0;
    for (int i = 0; i < p->matrix_count; i++) {
        size_t wanted = matrix_work_count(p->matrix[i].shape);
        if (wanted > room) room = wanted;
    }
    m->matrix_work = ARENA_ARRAY(&m->arena, double, room);
    for (int i = 0; i < p->block_count; i++) {
        const TapeBlock *t = &p->block[i];
        size_t n = (size_t)t->size;
        if (t->matrix != i) continue;
        if (block_is_sparse(t)) {
            m->factor[i].sparse = sparse_new(t->size, t->column_start, t->row);
        } else {
            m->factor[i].dense = ARENA_ARRAY(&m->arena, double, n *n + 2 * n);
            m->factor[i].pivot = ARENA_ARRAY(&m->arena, int, n);
            m->factor[i].entry = ARENA_ARRAY(&m->arena, double, t->jacobian.result_count);
        }
    }
    block_run_forget(m);
}

void block_run_close(Machine *m) {
    for (int i = 0; i < m->program->block_count; i++) sparse_free(m->factor[i].sparse);
}

void block_run_forget(Machine *m) {
    for (int i = 0; i < m->program->block_count; i++) m->factor[i].point = -1;
}

// --- the matrix ----------------------------------------------------------------------------------

// Without blocks inside, it cannot fail. Nullable: native, the same function compiled.
static void run_inner(Machine *m, const TapeFunction *f, NativeFunction *native, double *result) {
    if (native) {
        BondynCall call = native_call(m);
        native(&call, result);
        return;
    }
    run_code(m, f->code, f->count);
    for (int i = 0; i < f->result_count; i++) result[i] = m->reg[f->result[i]];
}

static void block_residual(BondynBlock *b) {
    Machine *m = b->context;
    NativeFunction *native = m->native ? m->native->residual[b->number] : NULL;
    run_inner(m, &m->program->block[b->number].residual, native, b->f);
    for (int i = 0; m->part != 0 && i < b->n; i++) b->f[i] -= m->part * m->away[i];
}

static const TapeBlock *matrix_block(const BondynBlock *b) {
    const Program *p = ((const Machine *)b->context)->program;
    return &p->block[p->block[b->number].matrix];
}

static BlockFactor *factor_of(const BondynBlock *b) {
    Machine *m = b->context;
    return &m->factor[m->program->block[b->number].matrix];
}

static void matrix_entries(BondynBlock *b, double *entry) {
    Machine *m = b->context;
    int number = m->program->block[b->number].matrix;
    NativeFunction *native = m->native ? m->native->matrix[number] : NULL;
    run_inner(m, &m->program->block[number].jacobian, native, entry);
}

static void full_matrix(BondynBlock *b) {
    const TapeBlock *t = matrix_block(b);
    const double *entry = factor_of(b)->entry;
    matrix_entries(b, factor_of(b)->entry);
    memset(b->a, 0, (size_t)b->n * (size_t)b->n * sizeof *b->a);
    for (int c = 0; c < b->n; c++)
        for (int k = t->column_start[c]; k < t->column_start[c + 1]; k++)
            b->a[t->row[k] * b->n + c] = entry[k];
}

// Loops over a handful of numbers that the compiler can count are several times as fast.
#define SMALL_SIZES SIZE(1) SIZE(2) SIZE(3) SIZE(4) SIZE(5) SIZE(6) SIZE(7) SIZE(8)

static int dense_factor_block(BondynBlock *b) {
    full_matrix(b);
    switch (b->n) {
#define SIZE(n)                                                                                    \
    case n: return bondyn_lu_factor(n, b->a, b->row, b->column, b->pivot);
        SMALL_SIZES
#undef SIZE
    default: return bondyn_lu_factor(b->n, b->a, b->row, b->column, b->pivot);
    }
}

static void dense_solve_block(BondynBlock *b, double *x) {
    switch (b->n) {
#define SIZE(n)                                                                                    \
    case n: bondyn_lu_solve(n, b->a, b->row, b->column, b->pivot, x); break;
        SMALL_SIZES
#undef SIZE
    default: bondyn_lu_solve(b->n, b->a, b->row, b->column, b->pivot, x);
    }
}

static int klu_factor_block(BondynBlock *b) {
    SparseFactor *s = factor_of(b)->sparse;
    matrix_entries(b, sparse_entries(s));
    return sparse_factor(s);
}

static void klu_solve_block(BondynBlock *b, double *x) { sparse_solve(factor_of(b)->sparse, x); }

// Factors the matrix of a linear block, unless factors from this point, or of a constant matrix,
// are there.
static int factor_if_old(BondynBlock *b) {
    const Machine *m = b->context;
    BlockFactor *f = factor_of(b);
    long point = matrix_block(b)->constant ? 0 : m->point;
    if (f->point == point) return 1;
    bool good = f->sparse ? klu_factor_block(b) : dense_factor_block(b);
    f->point = good ? point : -1;
    return good;
}

static int factor_anew(BondynBlock *b) {
    factor_of(b)->point = -1;
    return klu_factor_block(b);
}

// --- solving -------------------------------------------------------------------------------------

static BondynBlock open_block(Machine *m, int number) {
    const TapeBlock *t = &m->program->block[number];
    BondynBlock b = {.n = t->size,
                     .u = m->reg + t->unknown,
                     .residual = block_residual,
                     .matrix = full_matrix,
                     .context = m,
                     .number = number};
    BlockFactor *f = factor_of(&b);
    bondyn_block_scratch(&b, m->work);
    if (f->sparse) {
        b.factor = factor_anew;
        b.solve = klu_solve_block;
        b.column = sparse_column_scale(f->sparse);
    } else {
        bondyn_block_dense(&b, f->dense, f->pivot);
        b.factor = dense_factor_block;
        b.solve = dense_solve_block;
    }
    if (t->linear) b.factor = factor_if_old;
    return b;
}

// --- continuation --------------------------------------------------------------------------------

// A block that begins at its guess u0, as no solution is known, and that Newton does not solve from
// there is reached by a path:
//
//     f(u) = part * f(u0)      part from 1, where u0 is the solution, down to 0
//
// The steps of `part` grow while Newton follows, and are halved where it does not.
static bool begins_at_guess(const Machine *m, const TapeBlock *t) {
    if (t->linear || t->anchored || !t->guess) return false;
    for (int i = 0; i < t->size; i++)
        if (m->reg[t->unknown + (uint32_t)i] != m->reg[t->guess[i]]) return false;
    return true;
}

static bool is_start_block(const Machine *m, int number) {
    const System *s = m->program->system;
    return number >= s->block_count && number < s->block_count + s->start_block_count;
}

static bool follow_path(Machine *m, BondynBlock *b) {
    enum { MOST_STEPS = 1000 };
    double *reached = m->away + b->n, at = 1, step = 0.1;
    memcpy(reached, b->u, (size_t)b->n * sizeof *reached);
    for (int i = 0; i < MOST_STEPS && at > 0 && step > 1e-6; i++) {
        m->part = fmax(at - step, 0);
        m->continued++;
        if (bondyn_newton(b)) {
            at = m->part;
            step *= 2;
            memcpy(reached, b->u, (size_t)b->n * sizeof *reached);
        } else {
            step /= 4;
            memcpy(b->u, reached, (size_t)b->n * sizeof *reached);
        }
    }
    m->part = 0;
    return at == 0;
}

// From the guess, then from places where the path does not begin at a point without slope.
static bool continue_from_guess(Machine *m, BondynBlock *b, const uint32_t *guess) {
    static const double shift[] = {0, 0.1, -0.1, 1, -1};
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < b->n; i++) {
            double from = m->reg[guess[i]];
            b->u[i] = from + shift[k] * (from == 0 ? 1 : fabs(from));
        }
        block_residual(b);
        if (!bondyn_all_finite(b->n, b->f)) continue;
        memcpy(m->away, b->f, (size_t)b->n * sizeof *m->away);
        if (follow_path(m, b)) return true;
    }
    return false;
}

// Without a value the outputs are NAN, which whoever reads them finds (explain.c).
static bool matrix_run(Machine *m, uint32_t number) {
    const TapeMatrix *t = &m->program->matrix[number];
    matrix_compute(t->shape, m->reg + t->in, m->reg + t->out, m->matrix_work);
    return true;
}

bool block_run(Machine *m, uint32_t number) {
    if (number >= FIRST_MATRIX) return matrix_run(m, number - FIRST_MATRIX);
    const TapeBlock *t = &m->program->block[number];
    BondynBlock b = open_block(m, (int)number);
    bool follow = begins_at_guess(m, t) || (is_start_block(m, (int)number) && !t->linear);
    if (t->linear ? bondyn_block_linear(&b)
                  : bondyn_block_newton(&b, m->reg, t->guess, t->anchored))
        return true;
    block_residual(&b);
    m->residual = bondyn_all_finite(b.n, b.f) ? bondyn_largest(b.n, b.f) : (double)NAN;
    if (follow && continue_from_guess(m, &b, t->guess)) return true;
    m->failed_block = (int)number;
    for (int i = 0; i < b.n; i++) b.u[i] = t->guess ? m->reg[t->guess[i]] : 0;
    return false;
}
