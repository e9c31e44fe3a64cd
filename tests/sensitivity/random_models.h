// Random models for gradients: a chain of masses on hardening springs, driven, and around it what a
// seed draws of
//
//     loop      an implicit equation, or a pendulum in x and y whose states are chosen anew
//     kink      a force that sets in; forces by abs, min and max of states; integrands with such kinks
//     event     a relay with hysteresis, a kick of a state
//     sample    a controller at a period of its own
//     mode      dry friction that sticks, or rigid walls that bounce
#ifndef BONDYN_TESTS_RANDOM_MODELS_H
#define BONDYN_TESTS_RANDOM_MODELS_H

#include "base/text.h"
#include <stdint.h>

typedef struct {
    uint64_t state;
} Dice;

static inline double dice_between(Dice *d, double low, double high) {
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(d->state >> 11) / 9007199254740992.0;
}

static inline bool dice_chance(Dice *d, double part) { return dice_between(d, 0, 1) < part; }

typedef struct { // what a seed draws; more than one at once happens often
    int masses;
    bool loop, turns, sets_in, relay, kick, sample, sticks, walls, bends;
} Drawn;

static inline Drawn draw_parts(Dice *d) {
    Drawn x = {.masses = 1 + (int)dice_between(d, 0, 3)};
    x.loop = dice_chance(d, 0.35);
    x.turns = dice_chance(d, 0.2);
    x.sets_in = dice_chance(d, 0.3);
    x.relay = dice_chance(d, 0.25);
    x.kick = dice_chance(d, 0.2);
    x.sample = dice_chance(d, 0.3);
    x.sticks = dice_chance(d, 0.25);
    x.walls = !x.sticks && dice_chance(d, 0.25);
    x.bends = dice_chance(d, 0.4);
    return x;
}

static inline void random_parameters(Text *t, Dice *d, const Drawn *x) {
    const char *name[] = {"m {kg}",    "k {N/m}",   "c {N.s/m}",  "hard {1/m2}",
                          "w {rad/s}", "level {m}", "gain {N/m}", "bend"};
    const double low[] = {0.5, 5, 0.1, 0.5, 1, 0.1, 0.5, 0.2},
                 high[] = {2, 30, 0.6, 5, 4, 0.4, 3, 1};
    for (int i = 0; i < 8; i++)
        text_printf(t, "  param %s = %.6f\n", name[i], dice_between(d, low[i], high[i]));
    text_printf(t, "  param push {N} = %.6f\n", dice_between(d, 1, 5));
    if (x->sample) text_printf(t, "  param Ts = %.6f {s}\n", dice_between(d, 0.05, 0.3));
}

// The chain as a bond graph, in SI: masses v1 .. vn, springs between them and to a wall.
static inline void random_chain(Text *t, Dice *d, const Drawn *x) {
    for (int i = 1; i <= x->masses; i++) {
        text_printf(t, "  1 v%d\n  I mass%d(m*%.4f)\n  R loss%d(c*%.4f)\n", i, i,
                    dice_between(d, 0.7, 1.5), i, dice_between(d, 0.5, 2));
        text_printf(t, "  v%d -> mass%d, loss%d\n  var x%d {m} initial %.4f {m}\n", i, i, i, i,
                    dice_between(d, -0.2, 0.2));
        text_printf(t, "  der(x%d) = v%d.f\n  MSe force%d(f%d)\n  var f%d {N}\n  force%d -> v%d\n",
                    i, i, i, i, i, i, i);
    }
    for (int i = 1; i <= x->masses; i++) {
        text_printf(t, "  f%d = -k*(1 + hard*x%d^2)*x%d", i, i, i);
        if (i < x->masses) text_printf(t, " + 0.7*k*(x%d - x%d)", i + 1, i);
        if (i > 1) text_printf(t, " + 0.7*k*(x%d - x%d)", i - 1, i);
        if (i == 1) text_add(t, " + drive");
        if (i == x->masses) text_add(t, " + besides");
        text_add(t, "\n");
    }
    text_printf(t, "  var drive {N}, besides {N}\n  drive = push*sin(w*time + %.4f)",
                dice_between(d, 0, 3));
    if (x->relay) text_add(t, " + 0.5*push*on");
    if (x->sample) text_add(t, " + u");
    text_add(t, "\n  besides = 0 {N}");
    if (x->sets_in) text_add(t, " + (if x1 > 0.3*level then -gain*(x1 - 0.3*level) else 0 {N})");
    if (x->bends)
        text_printf(t,
                    " - gain*max(x1, 0.3*x1) - bend*0.4 {N.s/m}*abs(v1.f + %.4f {1/s}*x1)"
                    " + max(-0.2*push, min(0.2*push, gain*(%.4f*level - x1)))",
                    dice_between(d, -2, 2), dice_between(d, -0.5, 0.5));
    if (x->loop && x->bends) text_add(t, " + 0.5 {N}*abs(z - 0.2)");
    if (x->loop) text_add(t, " + bend*1 {N}*z");
    if (x->turns) text_add(t, " + 0.2 {N/m}*bend*px");
    text_add(t, "\n");
}

static inline void random_loops(Text *t, Dice *d, const Drawn *x) {
    if (x->loop)
        text_printf(t, "  var z\n  z + bend*z^3 + 0.2*sin(z) = %.4f*x1/(1 {m}) + %.4f\n",
                    dice_between(d, 1, 3), dice_between(d, -0.5, 0.5));
    if (!x->turns) return;
    text_printf(t, "  const length = %.4f {m}\n", dice_between(d, 0.4, 0.9));
    text_add(t, "  var px {m} initial 0.8*length, py {m} initial 0.6*length\n"
                "  var pu {m/s}, pv {m/s}, pull {1/s2}\n  der(px) = pu\n  der(py) = pv\n"
                "  der(pu) = -pull*px + bend*1 {1/s2}*x1\n  der(pv) = -pull*py - 9.81 {m/s2}\n"
                "  px^2 + py^2 = length^2\n");
}

static inline void random_events(Text *t, Dice *d, const Drawn *x) {
    if (x->relay)
        text_add(t, "  var on discrete initial 0\n  when x1 > 0.3*level then\n    on = 0\n"
                    "  elsewhen x1 < -0.2*level then\n    on = 1\n  end\n");
    if (x->kick)
        text_printf(t, "  when x1 > 0.5*level then\n    reinit(mass1.p, -%.4f*mass1.p)\n  end\n",
                    dice_between(d, 0.3, 0.9));
    if (x->sample)
        text_printf(t,
                    "  var u {N} discrete initial 0 {N}\n  when sample(Ts) then\n"
                    "    u = -gain*x1 + %.4f*pre(u)\n  end\n",
                    dice_between(d, 0, 0.6));
    int last = x->masses;
    if (x->sticks)
        text_printf(t, "  DryFriction rough(Fs = %.4f*push, Fk = %.4f*push)\n  v%d -> rough.p\n",
                    dice_between(d, 0.25, 0.4), dice_between(d, 0.1, 0.2), last);
    if (x->walls)
        text_printf(t,
                    "  RigidStop walls(lower = -%.4f*level, upper = %.4f*level, "
                    "restitution = %.3f)\n"
                    "  v%d -> walls.p\n",
                    dice_between(d, 0.5, 0.9), dice_between(d, 0.5, 0.9), dice_between(d, 0.3, 0.8),
                    last);
}

static inline void random_model(Text *t, int seed) {
    Dice d = {(uint64_t)seed * 0x9E3779B97F4A7C15u + 12345};
    for (int i = 0; i < 5; i++) dice_between(&d, 0, 1);
    Drawn x = draw_parts(&d);
    text_add(t, "import translation\nmodel Drawn\n");
    random_parameters(t, &d, &x);
    random_chain(t, &d, &x);
    random_loops(t, &d, &x);
    random_events(t, &d, &x);
    double stop = dice_between(&d, 1, 3);
    text_printf(t, "end\nexperiment Draw of Drawn\n  stop %.4f {s}\n", stop);
    for (int i = 1; i <= x.masses; i++)
        text_printf(t, "  expect x%d(end) < 1e9 {m}\n  expect v%d.f(%.4f {s}) < 1e9 {m/s}\n", i, i,
                    dice_between(&d, 0.3, 0.95) * stop);
    text_add(t, "  expect integral(x1^2) < 1e9 {m2.s}\n  expect integral(abs(drive)) < 1e9 {N.s}\n "
                " expect integral(max(x1, 0.2*x1)) < 1e9 {m.s}\n");
    text_printf(t,
                "  expect integral(abs(v1.f)) < 1e9 {m}\n"
                "  expect integral(max(-level, min(level, %.4f*x1 + %.4f*level))) < 1e9 {m.s}\n"
                "  expect integral(min(x1, v1.f*%.4f {s})*abs(f1)) < 1e9 {N.m.s}\n",
                dice_between(&d, 1, 3), dice_between(&d, -0.3, 0.3), dice_between(&d, 0.05, 0.3));
    text_add(t, "  expect max(x1) < 1e9 {m}\nend\n");
}

#endif
