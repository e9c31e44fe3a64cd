// The chains of bodies that every contender gets: the same numbers and the same states.
//
//     kind random   joint frames anywhere: a full turn and three offsets
//     kind arm      the shape of real arms: quarter turns about x, one offset each
//     free base     the first body moves freely, the joints are carried by it
//
// Every joint turns about z of its frame; inertias are those of boxes in random directions.
#ifndef BONDYN_BENCH_CHAIN_H
#define BONDYN_BENCH_CHAIN_H

#ifdef __cplusplus
extern "C" {
#endif

enum { CHAIN_MOST = 100, CHAIN_STATES = 64, CHAIN_VELOCITIES = CHAIN_MOST + 6 };

typedef struct {
    double R[9], p[3];        // the joint's frame in the parent's: x_parent = R x + p
    double mass, cg[3], J[9]; // J about the cg, in the axes of the body
    double turn[3];           // R = Rz Ry Rx of these
} ChainBody;

typedef struct {
    const char *name;
    int joints, arm, free_base;
} ChainKind;

typedef struct {
    ChainKind kind;
    int bodies, nv;
    ChainBody body[CHAIN_MOST + 1];
} Chain;

typedef struct { // a free base stands in the axes of the world; w: velocity, angular velocity,
                 // joints
    double position[3];
    double q[CHAIN_MOST], w[CHAIN_VELOCITIES], effort[CHAIN_VELOCITIES];
} ChainState;

extern const ChainKind chain_kinds[];
extern const int chain_kind_count;

void chain_build(Chain *c, ChainKind kind);
void chain_states(const Chain *c, ChainState state[CHAIN_STATES]);

#ifdef __cplusplus
}
#endif

#endif
