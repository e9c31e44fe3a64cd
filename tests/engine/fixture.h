// Systems by hand: states, parameters and blocks without language, graph or equations.
//
//     Fixture f = fixture_new();
//     Expr x = fixture_state(&f, "x", 1);      // symbol and start value
//     f.rate[0] = expr_neg(f.dag, x);
//     Program *p = fixture_program(&f);
#ifndef BONDYN_TESTS_FIXTURE_H
#define BONDYN_TESTS_FIXTURE_H

#include "../test.h"

#include "engine/program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Arena arena;
    Names *names;
    Dag *dag;
    Model model;
    System system;
    int capacity;
    Expr *rate, *output, *quad;
    int output_count, quad_count;
    Report report;
} Fixture;

static inline Fixture *fixture_new_of(int capacity) {
    Fixture *f = calloc(1, sizeof *f);
    f->capacity = capacity;
    f->names = names_new();
    f->dag = dag_new(f->names);
    f->model = (Model){.names = f->names, .dag = f->dag};
    f->model.var = ARENA_ARRAY(&f->arena, Var, 2 * capacity);
    System *s = &f->system;
    s->model = &f->model;
    s->dag = f->dag;
    s->state = ARENA_ARRAY(&f->arena, Expr, capacity);
    s->rate = f->rate = ARENA_ARRAY(&f->arena, Expr, capacity);
    s->start = ARENA_ARRAY(&f->arena, Expr, capacity);
    s->state_var = ARENA_ARRAY(&f->arena, int, capacity);
    s->block = ARENA_ARRAY(&f->arena, Block, capacity);
    f->output = ARENA_ARRAY(&f->arena, Expr, capacity);
    f->quad = ARENA_ARRAY(&f->arena, Expr, capacity);
    s->time = expr_symbol(f->dag, name_of(f->names, "time"));
    return f;
}

static inline Fixture *fixture_new(void) { return fixture_new_of(64); }

static inline int fixture_var(Fixture *f, const char *name, VarKind kind, Expr symbol) {
    Var *v = &f->model.var[f->model.var_count];
    *v = (Var){.path = name_of(f->names, name), .symbol = symbol, .kind = kind, .comp = -1};
    return f->model.var_count++;
}

static inline Expr fixture_symbol(Fixture *f, const char *name) {
    return expr_symbol(f->dag, name_of(f->names, name));
}

static inline Expr fixture_number(Fixture *f, double x) { return expr_number(f->dag, x); }

static inline Expr fixture_state(Fixture *f, const char *name, double start) {
    System *s = &f->system;
    Expr symbol = fixture_symbol(f, name);
    s->state_var[s->state_count] = fixture_var(f, name, VAR_MOMENTUM, symbol);
    s->state[s->state_count] = symbol;
    s->start[s->state_count++] = expr_number(f->dag, start);
    return symbol;
}

// One of many: x0, x1, ...
static inline Expr fixture_state_at(Fixture *f, const char *letter, int i, double start) {
    char name[32];
    snprintf(name, sizeof name, "%s%d", letter, i);
    return fixture_state(f, name, start);
}

static inline Expr fixture_param(Fixture *f, const char *name, Expr value) {
    Expr symbol = fixture_symbol(f, name);
    f->model.var[fixture_var(f, name, VAR_PARAM, symbol)].value = value;
    return symbol;
}

static inline Expr fixture_call(Fixture *f, Op op, Expr a, Expr b) {
    Expr args[2] = {a, b};
    return expr_call(f->dag, op, args, b ? 2 : 1);
}

// A block of equations residual[i] = 0 for the unknowns.
static inline Block *fixture_block(Fixture *f, int size, const Expr *unknown, const Expr *residual,
                                   bool linear) {
    Block *b = &f->system.block[f->system.block_count++];
    *b = (Block){.size = size, .linear = linear};
    b->unknown = ARENA_ARRAY(&f->arena, Expr, size);
    b->residual = ARENA_ARRAY(&f->arena, Expr, size);
    b->jacobian.start = ARENA_ARRAY(&f->arena, int, size + 1);
    b->jacobian.row = ARENA_ARRAY(&f->arena, int, size *size);
    b->jacobian.entry = ARENA_ARRAY(&f->arena, Expr, size * size);
    b->guess = ARENA_ARRAY(&f->arena, Expr, size);
    memcpy(b->unknown, unknown, (size_t)size * sizeof *unknown);
    memcpy(b->residual, residual, (size_t)size * sizeof *residual);
    int count = 0;
    for (int j = 0; j < size; j++) {
        for (int i = 0; i < size; i++) {
            Expr entry = expr_derivative(f->dag, residual[i], unknown[j]);
            double value;
            if (expr_is_number(f->dag, entry, &value) && value == 0) continue;
            b->jacobian.row[count] = i;
            b->jacobian.entry[count++] = entry;
        }
        b->jacobian.start[j + 1] = count;
    }
    return b;
}

static inline Program *fixture_try(Fixture *f) {
    ProgramOptions wish = {.output = f->output,
                           .output_count = f->output_count,
                           .quadrature = f->quad,
                           .quadrature_count = f->quad_count,
                           .implicit = true};
    return program_build(&f->system, &wish, &f->report);
}

static inline Program *fixture_program(Fixture *f) {
    Program *p = fixture_try(f);
    if (!p && f->report.first) fail_msg("%s", f->report.first->message);
    assert_non_null(p);
    return p;
}

static inline void fixture_free(Fixture *f) {
    report_free(&f->report);
    dag_free(f->dag);
    names_free(f->names);
    arena_free(&f->arena);
    free(f);
}

// Reproducible random numbers (xorshift).
static inline uint64_t fixture_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

#endif
