// Random expressions of two numbers, three parameters, time and three states.
#ifndef BONDYN_TESTS_RANDOM_H
#define BONDYN_TESTS_RANDOM_H

#include "fixture.h"

enum { LEAVES = 9, NODES = 60 };

static inline Expr random_node(Fixture *f, uint64_t *seed, const Expr *pool, int count) {
    Dag *d = f->dag;
    Expr a = pool[fixture_random(seed) % (uint64_t)count];
    Expr b = pool[fixture_random(seed) % (uint64_t)count];
    Expr c = pool[fixture_random(seed) % (uint64_t)count];
    switch (fixture_random(seed) % 20) {
    case 0: return expr_add(d, a, b);
    case 1: return expr_sub(d, a, b);
    case 2: return expr_mul(d, a, b);
    case 3: return expr_div(d, a, b);
    case 4: return expr_pow(d, a, expr_number(d, (double)(fixture_random(seed) % 9) / 2 - 2));
    case 5: return fixture_call(f, OP_SIN, a, 0);
    case 6: return fixture_call(f, OP_COS, a, 0);
    case 7: return fixture_call(f, OP_EXP, fixture_call(f, OP_SIN, a, 0), 0);
    case 8: return fixture_call(f, OP_ATAN2, a, b);
    case 9: return fixture_call(f, OP_MIN, a, b);
    case 10: return expr_if(d, fixture_call(f, OP_LESS, a, b), b, c);
    case 11: return expr_sub(d, expr_mul(d, a, b), expr_mul(d, b, c));
    case 12: return expr_neg(d, expr_div(d, expr_mul(d, a, b), expr_mul(d, c, c)));
    case 13: return expr_sum(d, (Expr[]){a, b, c, expr_neg(d, expr_mul(d, a, c))}, 4);
    case 14: return fixture_call(f, OP_ABS, a, 0);
    case 15: return expr_sqrt(d, expr_mul(d, a, a));
    case 16: return fixture_call(f, OP_TANH, a, 0);
    case 17: return expr_product(d, (Expr[]){a, b, expr_number(d, -1), c}, 4);
    case 18: return fixture_call(f, OP_MAX, a, b);
    default: return expr_if(d, fixture_call(f, OP_LESS_EQUAL, b, a), a, expr_neg(d, c));
    }
}

static inline void make_pool(Fixture *f, uint64_t *seed, Expr *pool) {
    pool[0] = fixture_number(f, 2);
    pool[1] = fixture_number(f, -0.75);
    pool[2] = fixture_param(f, "k", fixture_number(f, 3.5));
    pool[3] = fixture_param(f, "m", fixture_number(f, 0.3));
    pool[4] = fixture_param(f, "r", expr_add(f->dag, pool[2], expr_mul(f->dag, pool[3], pool[2])));
    pool[5] = f->system.time;
    pool[6] = fixture_state(f, "x", 0.4);
    pool[7] = fixture_state(f, "y", -1.3);
    pool[8] = fixture_state(f, "z", 2.2);
    for (int i = LEAVES; i < NODES; i++) pool[i] = random_node(f, seed, pool, i);
}

#endif
