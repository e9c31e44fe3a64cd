// Dots of registers, beside their values.
#include "engine/slopes_inside.h"

#include "base/memory.h"
#include "engine/block_run.h"
#include <string.h>

struct Dots {
    Machine *m;
    int count;   // directions
    double *dot; // per register: count numbers
    double *right;
    SlopeFactors *factors;
};

Dots *dots_new(Machine *m, int directions) {
    Dots *d = memory_zeroed(1, sizeof *d);
    d->m = m;
    d->count = directions;
    d->dot =
        memory_zeroed((size_t)m->program->register_count * (size_t)directions + 1, sizeof *d->dot);
    d->right = memory_zeroed((size_t)m->program->largest_block + 1, sizeof *d->right);
    d->factors = slope_factors_new(m);
    return d;
}

void dots_free(Dots *d) {
    if (!d) return;
    free(d->dot);
    free(d->right);
    slope_factors_free(d->factors);
    free(d);
}

double *dots_of(Dots *d, uint32_t reg) { return d->dot + (size_t)reg * (size_t)d->count; }

void dots_clear(Dots *d) {
    memset(d->dot, 0, (size_t)d->m->program->register_count * (size_t)d->count * sizeof *d->dot);
}

static bool run_line(Dots *d, const Instruction *c);

static bool run_lines(Dots *d, const Instruction *code, int count) {
    for (int i = 0; i < count; i++)
        if (!run_line(d, code + i)) return false;
    return true;
}

// --- blocks --------------------------------------------------------------------------------------

// r_u u. = -r_x x.: the residual with unknowns at rest gives the right side.
static bool block_line(Dots *d, int number) {
    const TapeBlock *t = &d->m->program->block[number];
    size_t n = (size_t)t->size, k = (size_t)d->count;
    if (!block_run(d->m, (uint32_t)number) || !slope_factor(d->factors, number)) return false;
    memset(dots_of(d, t->unknown), 0, n * k * sizeof *d->dot);
    if (!run_lines(d, t->residual.code, t->residual.count)) return false;
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i < n; i++) d->right[i] = -dots_of(d, t->residual.result[i])[j];
        slope_solve(d->factors, number, false, d->right);
        for (size_t i = 0; i < n; i++) dots_of(d, t->unknown + (uint32_t)i)[j] = d->right[i];
    }
    return true;
}

static bool matrix_line(Dots *d, int number) {
    const TapeMatrix *t = &d->m->program->matrix[number];
    int in = matrix_input_count(t->shape), out = matrix_output_count(t->shape);
    double *row = memory_zeroed((size_t)in * (size_t)out + 1, sizeof *row);
    bool good = block_run(d->m, (uint32_t)(number + FIRST_MATRIX)) && matrix_slopes(d->m, t, row);
    for (int i = 0; i < out && good; i++) {
        double *to = dots_of(d, t->out + (uint32_t)i);
        memset(to, 0, (size_t)d->count * sizeof *to);
        for (int k = 0; k < in; k++) {
            double by = row[(size_t)i * (size_t)in + (size_t)k];
            const double *from = dots_of(d, t->in + (uint32_t)k);
            for (int j = 0; j < d->count; j++) to[j] += by * from[j];
        }
    }
    free(row);
    return good;
}

// --- lines ---------------------------------------------------------------------------------------

static bool run_line(Dots *d, const Instruction *c) {
    Machine *m = d->m;
    double *r = m->reg;
    if (c->op == TAPE_BLOCK)
        return c->b < FIRST_MATRIX ? block_line(d, (int)c->b)
                                   : matrix_line(d, (int)(c->b - FIRST_MATRIX));
    double a = reads_a(c) ? r[c->a] : 0, b = reads_b(c) ? r[c->b] : 0;
    if (!run_code(m, c, 1)) return false;
    LineSlope s = instruction_slope(m, c, a, b, r[c->to]);
    double *to = dots_of(d, c->to);
    const double *by_a = s.a != 0 ? dots_of(d, c->a) : to; // to: not read
    const double *by_b = s.b != 0 ? dots_of(d, c->b) : to;
    for (int j = 0; j < d->count; j++) {
        double sum = s.to != 0 ? s.to * to[j] : 0;
        if (s.a != 0) sum += s.a * by_a[j];
        if (s.b != 0) sum += s.b * by_b[j];
        to[j] = sum;
    }
    return true;
}

bool dots_run(Dots *d, const TapeFunction *f) { return run_lines(d, f->code, f->count); }
