// Other simulators on the same chains; each is built only where it is installed.
#ifndef BONDYN_BENCH_PEER_H
#define BONDYN_BENCH_PEER_H

#include "chain.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *name;
    void *(*open)(const Chain *c);                    // NULL: it does not take the chain
    void (*forward)(void *peer, const ChainState *s); // accelerations at a state
    // RK4 at 1 ms with dampers and without efforts, recording every 10 ms; the last coordinates of
    // the joints go to q. NULL: it cannot do that.
    void (*run)(void *peer, const ChainState *s, double speed, int steps, double *q);
    void (*close)(void *peer);
} Peer;

extern const Peer peer_mujoco, peer_simbody;

#ifdef __cplusplus
}
#endif

#endif
