// Numbers of the chains, from fixed seeds.
#include "chain.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

const ChainKind chain_kinds[] = {
    {"n3", 3, 0, 0},   {"n7", 7, 0, 0},   {"n12", 12, 0, 0},   {"n30", 30, 0, 0},
    {"n50", 50, 0, 0}, {"arm7", 7, 1, 0}, {"free+3", 3, 1, 1}, {"free+7", 7, 1, 1},
};
const int chain_kind_count = sizeof chain_kinds / sizeof *chain_kinds;

static double uniform(uint64_t *seed, double low, double high) { // xorshift
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

// R = Rz(a) Ry(b) Rx(c)
static void rotation(const double turn[3], double R[9]) {
    double ca = cos(turn[0]), sa = sin(turn[0]), cb = cos(turn[1]), sb = sin(turn[1]);
    double cc = cos(turn[2]), sc = sin(turn[2]);
    double of[9] = {ca * cb,
                    ca * sb * sc - sa * cc,
                    ca * sb * cc + sa * sc,
                    sa * cb,
                    sa * sb * sc + ca * cc,
                    sa * sb * cc - ca * sc,
                    -sb,
                    cb * sc,
                    cb * cc};
    memcpy(R, of, sizeof of);
}

static void random_turn(uint64_t *seed, double turn[3]) {
    turn[0] = uniform(seed, -3, 3);
    turn[1] = uniform(seed, -1.5, 1.5);
    turn[2] = uniform(seed, -3, 3);
}

static void random_inertia(ChainBody *b, uint64_t *seed, double scale) {
    double turn[3], R[9], side[3];
    b->mass = scale * uniform(seed, 0.8, 4);
    for (int i = 0; i < 3; i++) b->cg[i] = uniform(seed, -0.15, 0.15);
    for (int i = 0; i < 3; i++) side[i] = uniform(seed, 0.1, 0.5);
    random_turn(seed, turn);
    rotation(turn, R);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) {
                double a = side[(k + 1) % 3], c = side[(k + 2) % 3];
                sum += R[3 * i + k] * b->mass / 12 * (a * a + c * c) * R[3 * j + k];
            }
            b->J[3 * i + j] = b->J[3 * j + i] = sum;
        }
}

// Quarter turns to and fro about x; one offset, along x or along the axis of the joint before.
static void arm_frame(ChainBody *b, int i, uint64_t *seed) {
    int quarter = i == 0 ? 0 : i % 2 ? 1 : -1;
    double offset = uniform(seed, 0.15, 0.4), c = quarter ? 0 : 1, s = quarter;
    double R[9] = {1, 0, 0, 0, c, -s, 0, s, c};
    memcpy(b->R, R, sizeof R);
    b->turn[2] = quarter * acos(0);
    if (i % 2)
        b->p[0] = offset;
    else
        b->p[quarter ? 1 : 2] = quarter ? -quarter * offset : offset;
}

void chain_build(Chain *c, ChainKind kind) {
    uint64_t seed = 88172645463325252u + 1000003u * (uint64_t)kind.arm;
    memset(c, 0, sizeof *c);
    c->kind = kind;
    c->bodies = kind.joints + kind.free_base;
    c->nv = kind.joints + 6 * kind.free_base;
    if (kind.free_base) {
        rotation(c->body[0].turn, c->body[0].R);
        random_inertia(&c->body[0], &seed, 20);
    }
    for (int i = 0; i < kind.joints; i++) {
        ChainBody *b = &c->body[i + kind.free_base];
        if (kind.arm) {
            arm_frame(b, i, &seed);
        } else {
            random_turn(&seed, b->turn);
            rotation(b->turn, b->R);
            for (int k = 0; k < 3; k++) b->p[k] = uniform(&seed, -0.3, 0.3);
        }
        random_inertia(b, &seed, 1);
    }
}

void chain_states(const Chain *c, ChainState state[CHAIN_STATES]) {
    uint64_t seed = 0x9E3779B97F4A7C15u;
    for (int k = 0; k < CHAIN_STATES; k++) {
        ChainState *s = &state[k];
        memset(s, 0, sizeof *s);
        for (int i = 0; i < 3 && c->kind.free_base; i++) s->position[i] = uniform(&seed, -1, 1);
        for (int i = 0; i < c->kind.joints; i++) s->q[i] = uniform(&seed, -3, 3);
        for (int i = 0; i < c->nv; i++) s->w[i] = uniform(&seed, -1, 1);
        for (int i = 0; i < c->nv; i++) s->effort[i] = uniform(&seed, -5, 5);
    }
}
