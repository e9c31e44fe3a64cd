// A chain in Bondyn's language.
#include "chain_text.h"

static void write_numbers(Text *out, const double *x, int count) {
    for (int i = 0; i < count; i++) text_printf(out, "%s%.17g", i ? ", " : "", x[i]);
}

static void write_joint(Text *out, const Chain *c, int i) {
    const ChainBody *b = &c->body[i];
    if (c->kind.free_base && i == 0) {
        text_add(out, "  joint base free: world -> b0\n");
    } else {
        text_printf(out, "  joint j%d revolute z: ", i);
        if (i)
            text_printf(out, "b%d -> b%d at (", i - 1, i);
        else
            text_printf(out, "world -> b%d at (", i);
        write_numbers(out, b->p, 3);
        text_printf(out, ") {m} rotated z %.17g {rad}, y %.17g {rad}, x %.17g {rad}\n", b->turn[0],
                    b->turn[1], b->turn[2]);
    }
    double six[6] = {b->J[0], b->J[4], b->J[8], b->J[1], b->J[2], b->J[5]};
    text_printf(out, "  body b%d mass %.17g {kg} cg (", i, b->mass);
    write_numbers(out, b->cg, 3);
    text_add(out, ") {m} inertia (");
    write_numbers(out, six, 6);
    text_add(out, ") {kg.m2}\n");
}

static void write_mechanism(Text *out, const Chain *c) {
    text_add(out, "mechanism Chain\n  gravity (0, 0, -9.81) {m/s2}\n");
    for (int i = 0; i < c->bodies; i++) write_joint(out, c, i);
    text_add(out, "end\n");
}

static void write_efforts(Text *out, const Chain *c, const ChainState *s) {
    int first = c->kind.free_base;
    for (int i = 0; i < c->kind.joints; i++)
        text_printf(out, "  param e%d = %.17g {N.m}\n  Se t%d = e%d\n  t%d -> arm.j%d\n", i,
                    s->effort[c->nv - c->kind.joints + i], i, i, i, first + i);
}

static void write_dampers(Text *out, const Chain *c) {
    for (int i = 0; i < c->kind.joints; i++)
        text_printf(out, "  R d%d(0.5 {N.m.s/rad})\n  arm.j%d -> d%d\n", i, c->kind.free_base + i,
                    i);
}

void chain_text(Text *out, const Chain *c, const ChainState *s, bool damped) {
    write_mechanism(out, c);
    text_add(out, "model Bench\n  Chain arm\n");
    if (damped)
        write_dampers(out, c);
    else
        write_efforts(out, c, s);
    text_add(out, "end\nexperiment Run of Bench\n");
    int first = c->kind.free_base;
    double speed = damped ? 0.1 : 1;
    if (first) {
        double w[6];
        for (int i = 0; i < 6; i++) w[i] = speed * s->w[i];
        text_add(out, "  set arm.base.position0 = (");
        write_numbers(out, s->position, 3);
        text_add(out, ") {m}\n  set arm.base.f0 = (");
        write_numbers(out, w, 6);
        text_add(out, ")\n");
    }
    for (int i = 0; i < c->kind.joints; i++)
        text_printf(out, "  set arm.j%d.q0 = %.17g {rad}, arm.j%d.f0 = %.17g {rad/s}\n", first + i,
                    s->q[i], first + i, speed * s->w[c->nv - c->kind.joints + i]);
    text_add(out, "  stop 10 {s}\n  solver rk4 step 1e-3 {s}\n  every 10 {ms}\n  record arm.*.q\n"
                  "end\n");
}
