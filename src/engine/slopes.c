// Derivatives of single instructions, and of blocks by their matrices.
#include "engine/slopes_inside.h"

#include "base/memory.h"
#include "engine/block_run.h"
#include "engine/sparse.h"
#include "expr/kernels.h"
#include "numeric/lapack.h"
#include <math.h>
#include <string.h>

// --- one instruction -----------------------------------------------------------------------------

// a^(b - 1) b, with 0 where the power is constant.
static double power_by_base(double a, double b) { return b == 0 ? 0 : b * kernel_power(a, b - 1); }

static double power_by_exponent(double a, double value) { return a > 0 ? value * log(a) : 0; }

static double table_slope_here(const Machine *m, const Instruction *c, double x) {
    const Table *t = m->program->table[c->b];
    if (!m->hold || !c->aux) return table_slope(t, x);
    return table_slope_in(t, (int)m->piece[c->aux - 1], x);
}

// Where an event function is positive: 1, negative: -1.
static double side_of(const Machine *m, const Instruction *c, double event_function) {
    double side = m->side && c->aux ? m->side[c->aux - 1] : 0;
    return side != 0 ? side : event_function;
}

LineSlope instruction_slope(const Machine *m, const Instruction *c, double a, double b,
                            double value) {
    switch (c->op) {
    case TAPE_COPY: return (LineSlope){1, 0, 0};
    case TAPE_ADD: return (LineSlope){1, 1, 0};
    case TAPE_SUB: return (LineSlope){1, -1, 0};
    case TAPE_MUL: return (LineSlope){b, a, 0};
    case TAPE_DIV: return (LineSlope){1 / b, -value / b, 0};
    case TAPE_NEG: return (LineSlope){-1, 0, 0};
    case TAPE_SQUARE: return (LineSlope){2 * a, 0, 0};
    case TAPE_SQRT: return (LineSlope){0.5 / value, 0, 0};
    case TAPE_RECIPROCAL: return (LineSlope){-value * value, 0, 0};
    case TAPE_MULADD: return (LineSlope){b, a, 1};
    case TAPE_MULSUB: return (LineSlope){-b, -a, 1};
    case TAPE_SELECT: return a != 0 ? (LineSlope){0, 1, 0} : (LineSlope){0, 0, 1};
    case TAPE_OP_POWER: return (LineSlope){power_by_base(a, b), power_by_exponent(a, value), 0};
    case TAPE_OP_ABS: return (LineSlope){kernel_sign(side_of(m, c, a)), 0, 0};
    case TAPE_OP_EXP: return (LineSlope){value, 0, 0};
    case TAPE_OP_LOG: return (LineSlope){1 / a, 0, 0};
    case TAPE_OP_SIN: return (LineSlope){trig_cos(a), 0, 0};
    case TAPE_OP_COS: return (LineSlope){-trig_sin(a), 0, 0};
    case TAPE_OP_TAN: return (LineSlope){1 + value * value, 0, 0};
    case TAPE_OP_ASIN: return (LineSlope){1 / sqrt(1 - a * a), 0, 0};
    case TAPE_OP_ACOS: return (LineSlope){-1 / sqrt(1 - a * a), 0, 0};
    case TAPE_OP_ATAN: return (LineSlope){1 / (1 + a * a), 0, 0};
    case TAPE_OP_SINH: return (LineSlope){cosh(a), 0, 0};
    case TAPE_OP_COSH: return (LineSlope){sinh(a), 0, 0};
    case TAPE_OP_TANH: return (LineSlope){1 - value * value, 0, 0};
    case TAPE_OP_ATAN2: return (LineSlope){b / (a * a + b * b), -a / (a * a + b * b), 0};
    case TAPE_OP_MIN:
        return side_of(m, c, a - b) <= 0 ? (LineSlope){1, 0, 0} : (LineSlope){0, 1, 0};
    case TAPE_OP_MAX:
        return side_of(m, c, a - b) >= 0 ? (LineSlope){1, 0, 0} : (LineSlope){0, 1, 0};
    case TAPE_OP_MOD: return (LineSlope){1, -floor(a / b), 0};
    case TAPE_OP_TABLE: return (LineSlope){table_slope_here(m, c, a), 0, 0};
    case TAPE_OP_TABLE_SLOPE: return (LineSlope){table_bend(m->program->table[c->b], a), 0, 0};
    default: return (LineSlope){0, 0, 0}; // a relation, a piece: it jumps or stays
    }
}

// --- blocks --------------------------------------------------------------------------------------

typedef struct {
    SparseFactor *sparse; // or:
    double *dense;        // column by column
    int *pivot;
} Factor;

struct SlopeFactors {
    Machine *m;
    Factor *factor; // per block, made when it is first wanted
};

enum { FEW_UNKNOWNS = 40 };

SlopeFactors *slope_factors_new(Machine *m) {
    SlopeFactors *f = memory_zeroed(1, sizeof *f);
    f->m = m;
    f->factor = memory_zeroed((size_t)m->program->block_count + 1, sizeof *f->factor);
    return f;
}

void slope_factors_free(SlopeFactors *f) {
    if (!f) return;
    for (int i = 0; i < f->m->program->block_count; i++) {
        sparse_free(f->factor[i].sparse);
        free(f->factor[i].dense);
        free(f->factor[i].pivot);
    }
    free(f->factor);
    free(f);
}

// The block whose matrix is the same at every point has it as a tape.
static const TapeBlock *matrix_of(const SlopeFactors *f, int block) {
    const Program *p = f->m->program;
    return &p->block[p->block[block].matrix];
}

static bool factor_dense(Factor *x, const TapeBlock *t, const double *reg) {
    size_t n = (size_t)t->size;
    if (!x->dense) {
        x->dense = memory_zeroed(n * n + 1, sizeof *x->dense);
        x->pivot = memory_zeroed(n + 1, sizeof *x->pivot);
    }
    memset(x->dense, 0, n * n * sizeof *x->dense);
    for (int c = 0; c < t->size; c++)
        for (int k = t->column_start[c]; k < t->column_start[c + 1]; k++)
            x->dense[(size_t)c * n + (size_t)t->row[k]] = reg[t->jacobian.result[k]];
    int info = 0;
    dgetrf_(&t->size, &t->size, x->dense, &t->size, x->pivot, &info);
    return info == 0;
}

bool slope_factor(SlopeFactors *f, int block) {
    const TapeBlock *t = matrix_of(f, block);
    Factor *x = &f->factor[block];
    double n = t->size;
    if (!run_code(f->m, t->jacobian.code, t->jacobian.count)) return false;
    for (int k = 0; k < t->jacobian.result_count; k++)
        if (!isfinite(f->m->reg[t->jacobian.result[k]])) return false;
    bool sparse = t->size > FEW_UNKNOWNS && t->column_start[t->size] <= 0.25 * n * n;
    if (!sparse) return factor_dense(x, t, f->m->reg);
    if (!x->sparse) x->sparse = sparse_new(t->size, t->column_start, t->row);
    double *entry = sparse_entries(x->sparse);
    for (int k = 0; k < t->jacobian.result_count; k++) entry[k] = f->m->reg[t->jacobian.result[k]];
    return sparse_factor(x->sparse);
}

void slope_solve(const SlopeFactors *f, int block, bool transposed, double *x) {
    const Factor *by = &f->factor[block];
    int n = matrix_of(f, block)->size, one = 1, info;
    if (by->sparse && transposed)
        sparse_solve_transposed(by->sparse, x);
    else if (by->sparse)
        sparse_solve(by->sparse, x);
    else
        dgetrs_(transposed ? "T" : "N", &n, &one, by->dense, &n, by->pivot, x, &n, &info, 1);
}

bool matrix_slopes(const Machine *m, const TapeMatrix *t, double *row) {
    size_t in = (size_t)matrix_input_count(t->shape), out = (size_t)matrix_output_count(t->shape);
    double *weight = memory_zeroed(out + 1, sizeof *weight);
    double *work = memory_zeroed(2 * matrix_work_count(t->shape) + 1, sizeof *work);
    bool good = true;
    for (size_t i = 0; i < out && good; i++) {
        weight[i] = 1;
        good =
            matrix_adjoint(t->shape, m->reg + t->in, m->reg + t->out, weight, row + i * in, work);
        weight[i] = 0;
    }
    free(weight);
    free(work);
    return good;
}
