// Systems on which all ways to run a tape have to agree, bit by bit.
#ifndef BONDYN_TESTS_ENGINE_AGREE_H
#define BONDYN_TESTS_ENGINE_AGREE_H

#include "fixture.h"
#include "random.h"

static inline bool has_compiler(void) { return system("cc --version > /dev/null 2>&1") == 0; }

// Same bits; any NaN is like any other.
static inline void assert_bits(const double *a, const double *b, int count) {
    for (int i = 0; i < count; i++) {
        if (isnan(a[i]) && isnan(b[i])) continue;
        if (memcmp(&a[i], &b[i], sizeof *a) != 0) fail_msg("%d: %a is not %a", i, a[i], b[i]);
    }
}

static inline Fixture *random_system(uint64_t seed) {
    Fixture *f = fixture_new();
    Expr pool[NODES];
    make_pool(f, &seed, pool);
    for (int i = 0; i < 3; i++) f->rate[i] = pool[LEAVES + 10 + i];
    for (int i = 0; i < NODES; i++) f->output[f->output_count++] = pool[i];
    f->quad[f->quad_count++] = pool[LEAVES + 20];
    f->quad[f->quad_count++] = f->rate[0]; // shared with a rate
    return f;
}

// Two tables; a linear block of two, then a nonlinear one that uses it.
static inline Fixture *system_with_blocks_and_tables(void) {
    static const double xs[] = {-1, 0, 0.5, 2}, ys[] = {3, 1, 2, -1};
    static double slopes[4];
    table_monotone_slopes(4, xs, ys, slopes);
    static const Table line = {.count = 4, .x = xs, .y = ys};
    static const Table cubic = {.count = 4, .x = xs, .y = ys, .slope = slopes, .smooth = true};
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), y = fixture_state(f, "y", 0.5);
    Expr u = fixture_symbol(f, "u"), v = fixture_symbol(f, "v"), w = fixture_symbol(f, "w");
    Expr first = fixture_number(f, expr_add_table(d, &line));
    Expr second = fixture_number(f, expr_add_table(d, &cubic));
    Expr sine = fixture_call(f, OP_SIN, x, 0), twice = fixture_call(f, OP_SIN, sine, 0);
    Expr linear[] = {expr_sub(d, expr_add(d, u, expr_mul(d, y, v)), twice),
                     expr_sub(d, expr_sub(d, expr_mul(d, x, u), v), fixture_number(f, 1))};
    fixture_block(f, 2, (Expr[]){u, v}, linear, true);
    Expr cube = expr_pow(d, w, fixture_number(f, 3));
    Expr turned = fixture_call(f, OP_COS, expr_add(d, u, v), 0);
    fixture_block(f, 1, &w, (Expr[]){expr_sub(d, expr_add(d, cube, w), turned)}, false);
    f->rate[0] = expr_add(d, fixture_call(f, OP_TABLE, first, w), v);
    f->rate[1] = expr_mul(d, fixture_call(f, OP_TABLE, second, x), u);
    f->output[f->output_count++] = w;
    f->output[f->output_count++] = fixture_call(f, OP_POWER, fixture_number(f, 2), y);
    f->quad[f->quad_count++] = fixture_call(f, OP_MOD, f->system.time, fixture_number(f, 0.3));
    return f;
}

#endif
