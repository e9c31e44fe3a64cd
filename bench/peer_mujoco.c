// MuJoCo on the chains: bare forward dynamics, without contacts and constraints.
#include "peer.h"

#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    Chain chain;
    mjModel *m;
    mjData *d;
} Mujoco;

static void write_body(FILE *f, const Chain *c, int i) {
    const ChainBody *b = &c->body[i];
    mjtNum q[4];
    mju_mat2Quat(q, b->R);
    fprintf(f, "<body pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\">", b->p[0],
            b->p[1], b->p[2], q[0], q[1], q[2], q[3]);
    fprintf(f,
            "<inertial pos=\"%.17g %.17g %.17g\" mass=\"%.17g\" "
            "fullinertia=\"%.17g %.17g %.17g %.17g %.17g %.17g\"/>\n",
            b->cg[0], b->cg[1], b->cg[2], b->mass, b->J[0], b->J[4], b->J[8], b->J[1], b->J[2],
            b->J[5]);
    fprintf(f, c->kind.free_base && i == 0 ? "<freejoint/>\n"
                                           : "<joint type=\"hinge\" axis=\"0 0 1\"/>\n");
}

static bool write_model(const char *path, const Chain *c) {
    FILE *f = fopen(path, "w");
    if (!f) return false;
    fprintf(f, "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/>"
               "<option timestep=\"0.001\" gravity=\"0 0 -9.81\" integrator=\"RK4\">"
               "<flag constraint=\"disable\" contact=\"disable\" equality=\"disable\" "
               "limit=\"disable\" frictionloss=\"disable\" warmstart=\"disable\"/></option>"
               "<worldbody>\n");
    for (int i = 0; i < c->bodies; i++) write_body(f, c, i);
    for (int i = 0; i < c->bodies; i++) fprintf(f, "</body>");
    fprintf(f, "</worldbody></mujoco>\n");
    return fclose(f) == 0;
}

static void *open_chain(const Chain *c) {
    char path[] = "/tmp/bondyn_mujoco_XXXXXX", words[512] = "";
    int file = mkstemp(path);
    if (file < 0) return NULL;
    close(file);
    Mujoco *p = calloc(1, sizeof *p);
    p->chain = *c;
    if (write_model(path, c)) p->m = mj_loadXML(path, NULL, words, sizeof words);
    unlink(path);
    if (!p->m) {
        fprintf(stderr, "mujoco: %s\n", words);
        free(p);
        return NULL;
    }
    p->d = mj_makeData(p->m);
    return p;
}

static void put(Mujoco *p, const ChainState *s, double speed, double effort) {
    mjData *d = p->d;
    int base = p->chain.kind.free_base, q = base ? 7 : 0, w = base ? 6 : 0;
    if (base) {
        memcpy(d->qpos, s->position, 3 * sizeof *d->qpos);
        d->qpos[3] = 1;
        d->qpos[4] = d->qpos[5] = d->qpos[6] = 0;
    }
    for (int i = 0; i < p->chain.kind.joints; i++) d->qpos[q + i] = s->q[i];
    for (int i = 0; i < p->chain.nv; i++) {
        d->qvel[i] = speed * s->w[i];
        d->qfrc_applied[i] = i < w ? 0 : effort * s->effort[i];
    }
}

static void forward(void *peer, const ChainState *s) {
    Mujoco *p = peer;
    mjModel *m = p->m;
    mjData *d = p->d;
    put(p, s, 1, 1);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    mju_sub(d->qfrc_smooth, d->qfrc_applied, d->qfrc_bias, m->nv);
    mj_solveM(m, d, d->qacc, d->qfrc_smooth, 1);
}

static void run(void *peer, const ChainState *s, double speed, int steps, double *q) {
    Mujoco *p = peer;
    static double record[1001][CHAIN_MOST];
    int joints = p->chain.kind.joints, first = p->chain.kind.free_base ? 7 : 0;
    mj_resetData(p->m, p->d);
    put(p, s, speed, 0);
    for (int i = p->m->nv - joints; i < p->m->nv; i++) p->m->dof_damping[i] = 0.5;
    for (int k = 0; k < steps; k++) {
        mj_step(p->m, p->d);
        if (k % 10 == 9 && k / 10 < 1001)
            memcpy(record[k / 10], p->d->qpos + first, (size_t)joints * sizeof(double));
    }
    memcpy(q, p->d->qpos + first, (size_t)joints * sizeof *q);
}

static void close_chain(void *peer) {
    Mujoco *p = peer;
    mj_deleteData(p->d);
    mj_deleteModel(p->m);
    free(p);
}

const Peer peer_mujoco = {"MuJoCo", open_chain, forward, run, close_chain};
