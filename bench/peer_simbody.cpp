// Simbody on the chains: accelerations from the order-n algorithm.
#include "peer.h"

#include <Simbody.h>

using namespace SimTK;

namespace {

struct Chained {
    Chain chain;
    MultibodySystem system;
    SimbodyMatterSubsystem matter;
    GeneralForceSubsystem forces;
    Force::UniformGravity gravity;
    Force::DiscreteForces applied;
    State state;
    Vector effort;
    explicit Chained(const Chain *c)
        : chain(*c), matter(system), forces(system), gravity(forces, matter, Vec3(0, 0, -9.81)),
          applied(forces, matter) {}
};

void add_bodies(Chained *p) {
    MobilizedBody parent = p->matter.Ground();
    for (int i = 0; i < p->chain.bodies; i++) {
        const ChainBody &b = p->chain.body[i];
        Vec3 cg(b.cg[0], b.cg[1], b.cg[2]);
        Inertia J(b.J[0], b.J[4], b.J[8], b.J[1], b.J[2], b.J[5]);
        Body::Rigid body(MassProperties(b.mass, cg, J.shiftFromMassCenter(cg, b.mass)));
        const double *R = b.R;
        Rotation turn(Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), true);
        Transform at(turn, Vec3(b.p[0], b.p[1], b.p[2]));
        if (p->chain.kind.free_base && i == 0)
            parent = MobilizedBody::Free(parent, at, body, Transform());
        else
            parent = MobilizedBody::Pin(parent, at, body, Transform());
    }
}

void *open_chain(const Chain *c) {
    Chained *p = new Chained(c);
    add_bodies(p);
    p->state = p->system.realizeTopology();
    p->system.realizeModel(p->state);
    p->effort = Vector(p->state.getNU(), 0.0);
    return p;
}

void forward(void *peer, const ChainState *s) {
    Chained *p = static_cast<Chained *>(peer);
    Vector &q = p->state.updQ(), &u = p->state.updU();
    int base = p->chain.kind.free_base, first = base ? 7 : 0, w = base ? 6 : 0;
    if (base) {
        q[0] = 1;
        q[1] = q[2] = q[3] = 0;
        for (int k = 0; k < 3; k++) {
            q[4 + k] = s->position[k];
            u[k] = s->w[3 + k];
            u[3 + k] = s->w[k];
        }
    }
    for (int i = 0; i < p->chain.kind.joints; i++) {
        q[first + i] = s->q[i];
        u[w + i] = s->w[w + i];
        p->effort[w + i] = s->effort[w + i];
    }
    p->applied.setAllMobilityForces(p->state, p->effort);
    p->system.realize(p->state, Stage::Acceleration);
}

void close_chain(void *peer) { delete static_cast<Chained *>(peer); }

} // namespace

extern "C" const Peer peer_simbody = {"Simbody", open_chain, forward, nullptr, close_chain};
