// Random models of all kinds, for `auto` against each solver by itself: the same seed gives the
// same text. Stiff and smooth, driven and free, switching and closed; tolerances from 1e-4 to 1e-9.
#ifndef BONDYN_TESTS_AUTO_MODELS_H
#define BONDYN_TESTS_AUTO_MODELS_H

#include "../pipeline.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    uint64_t random;
    Text text;
    double stop;
} AutoModel;

static inline double any(AutoModel *a, double from, double to) { // evenly
    a->random ^= a->random << 13;
    a->random ^= a->random >> 7;
    a->random ^= a->random << 17;
    return from + (to - from) * (double)(a->random >> 11) / 9007199254740992.0;
}

static inline double some(AutoModel *a, double from, double to) { // evenly by its logarithm
    return exp(any(a, log(from), log(to)));
}

static inline int one_of(AutoModel *a, int count) { return (int)any(a, 0, count - 1e-9); }

#define SAY(...) text_printf(&a->text, __VA_ARGS__)

// --- electric and mechanical networks ------------------------------------------------------------

static inline void source(AutoModel *a, double pace) {
    switch (one_of(a, 4)) {
    case 0: SAY("  Se u = 5*sin(%.4g*time/(1 {s}))\n", some(a, 0.2, 5) * pace); break;
    case 1: SAY("  Se u = 5*(1 - exp(-%.4g*time/(1 {s})))\n", some(a, 0.5, 20) * pace); break;
    case 2: SAY("  Se u = 5*step(time - %.4g {s})\n", any(a, 0.1, 2) / pace); break;
    default: SAY("  Se u = 3\n"); break;
    }
}

static inline void ladder(AutoModel *a) { // R, L, C with time constants that lie far apart or not
    int n = 1 + one_of(a, 8);
    double pace = some(a, 1, 1e3), spread = some(a, 1, 100);
    SAY("model M\n");
    source(a, pace);
    for (int i = 0; i < n; i++)
        SAY("  1 i%d\n  0 n%d\n  R r%d(%.4g)\n  I l%d(%.4g)\n  C c%d(%.4g)\n", i, i, i,
            some(a, 0.01, 10), i, some(a, 1 / spread, spread) / pace, i,
            some(a, 1 / spread, spread) / pace);
    for (int i = 0; i < n; i++) {
        if (i)
            SAY("  n%d -> i%d\n", i - 1, i);
        else
            SAY("  u -> i0\n");
        SAY("  i%d -> r%d, l%d\n  i%d -> n%d -> c%d\n", i, i, i, i, i, i);
    }
    SAY("end\n");
    a->stop = some(a, 3, 100) / pace;
}

static inline void masses(AutoModel *a) { // a chain of masses and springs, damped or not
    int n = 1 + one_of(a, 10);
    bool damped = one_of(a, 2), driven = damped && one_of(a, 2);
    SAY("model M\n");
    if (driven) source(a, 1);
    for (int i = 0; i < n; i++) {
        SAY("  1 v%d\n  I m%d(%.4g, p0 = %.4g)\n  0 f%d\n  C k%d(%.4g, q0 = %.4g)\n", i, i,
            some(a, 0.1, 10), any(a, -1, 1), i, i, some(a, 1e-3, 1), any(a, -0.1, 0.1));
        SAY("  1 x%d\n", i);
        if (damped) SAY("  R d%d(%.4g)\n", i, some(a, 1e-3, 1e3));
        SAY("  v%d -> m%d\n", i, i);
    }
    for (int i = 0; i < n; i++) {
        SAY("  v%d -> f%d -> x%d -> k%d\n", i, i, i, i);
        if (damped) SAY("  x%d -> d%d\n", i, i);
        if (i) SAY("  f%d -> v%d\n", i - 1, i);
    }
    if (driven) SAY("  u -> v0\n");
    SAY("end\n");
    a->stop = some(a, 2, 200);
}

static inline void drive(AutoModel *a) { // a motor with a controller
    double fast = some(a, 1e-5, 1e-2);
    SAY("model M\n  var s\n  MSe u = %.4g*(%.4g*sin(%.4g*time/(1 {s})) - w.f) + %.4g*s\n",
        some(a, 1, 100), any(a, 1, 10), some(a, 0.5, 20), some(a, 1, 50));
    SAY("  der(s) = %.4g - w.f\n  1 i, w\n  R ra(1)\n  I la(%.4g)\n  GY g(%.4g)\n  I j(%.4g)\n"
        "  R b(%.4g)\n  u -> i -> ra, la\n  i -> g -> w -> j, b\nend\n",
        any(a, -1, 1), fast, some(a, 0.05, 2), some(a, 0.01, 1), some(a, 1e-3, 1));
    a->stop = some(a, 1, 20);
}

static inline void oil(AutoModel *a) { // stiff volumes between orifices
    int n = 1 + one_of(a, 5);
    SAY("model M\n  Se u = 100*(1 - exp(-time/(1 {s})))\n");
    for (int i = 0; i < n; i++)
        SAY("  1 q%d\n  0 p%d\n  R o%d: e = %.4g*abs(f)*f + %.3g*f\n  C v%d(%.4g)\n", i, i, i,
            some(a, 0.1, 100), some(a, 0.01, 1), i, some(a, 1e-5, 1e-1));
    SAY("  1 last\n  R out: e = %.4g*abs(f)*f + 0.1*f\n  I piston(%.4g)\n", some(a, 1, 10),
        some(a, 0.01, 1));
    for (int i = 0; i < n; i++) {
        if (i)
            SAY("  p%d -> q%d\n", i - 1, i);
        else
            SAY("  u -> q0\n");
        SAY("  q%d -> o%d\n  q%d -> p%d -> v%d\n", i, i, i, i, i);
    }
    SAY("  p%d -> last -> out, piston\nend\n", n - 1);
    a->stop = some(a, 1, 50);
}

static inline void rod(AutoModel *a) { // heat along a rod
    int n = 5 + one_of(a, 36);
    SAY("model M\n  var T[%d]\n  initial T[1] = 1\n", n);
    double k = some(a, 0.1, 30) * n;
    SAY("  der(T[1]) = %.4g*(T[2] - T[1]) + sin(%.4g*time/(1 {s}))\n", k, some(a, 0.1, 10));
    SAY("  for i in 2:%d\n    der(T[i]) = %.4g*(T[i-1] - 2*T[i] + T[i+1])\n  end\n", n - 1, k);
    SAY("  der(T[%d]) = %.4g*(T[%d] - T[%d])\nend\n", n, k, n - 1, n);
    a->stop = some(a, 1, 100);
}

// --- mechanisms ----------------------------------------------------------------------------------

static inline void arm(AutoModel *a) { // links that hang from each other, free or with friction
    int n = 1 + one_of(a, 4);
    bool damped = one_of(a, 2);
    SAY("mechanism Arm\n  gravity (0, -9.81, 0) {m/s2}\n");
    for (int i = 0; i < n; i++) {
        char below[20];
        snprintf(below, sizeof below, "l%d", i - 1);
        SAY("  joint a%d revolute z: %s -> l%d at (%d, 0, 0) {m} initial %.4g {rad} rate %.4g "
            "{rad/s}\n  body l%d mass %.4g {kg} cg (0.5, 0, 0) {m} inertia (0, 0.1, 0.1) {kg.m2}\n",
            i, i ? below : "world", i, i ? 1 : 0, any(a, -2, 2), any(a, -2, 2), i, some(a, 0.3, 3));
    }
    SAY("end\nmodel M\n  Arm m\n");
    for (int i = 0; i < n && damped; i++)
        SAY("  1 w%d\n  R d%d(%.4g)\n  m.a%d -> w%d -> d%d\n", i, i, some(a, 0.01, 100), i, i, i);
    SAY("end\n");
    a->stop = some(a, 2, 50);
}

static inline void crank(AutoModel *a) { // a closed chain without loss
    SAY("mechanism M\n  gravity (0, -9.81, 0) {m/s2}\n"
        "  joint a revolute z: world -> crank initial %.4g {deg} rate %.4g {rad/s}\n"
        "  body crank mass %.4g {kg} cg (0.5, 0, 0) {m} inertia (0, 1/12, 1/12) {kg.m2}\n"
        "  joint b revolute z: crank -> rod at (1, 0, 0) {m} initial about -60 {deg}\n"
        "  body rod mass %.4g {kg} cg (1, 0, 0) {m} inertia (0, 1/3, 1/3) {kg.m2}\n"
        "  joint x prismatic x: world -> slider initial about 2.5 {m}\n"
        "  body slider mass %.4g {kg}\n  frame e on rod at (2, 0, 0) {m}\n"
        "  constraint c line z: slider -> e\nend\n",
        any(a, 20, 70), any(a, -8, 8), some(a, 0.3, 3), some(a, 0.3, 3), some(a, 0.3, 3));
    a->stop = some(a, 2, 60);
}

static inline void flight(AutoModel *a) { // a body in space with one that swings on it
    SAY("mechanism M\n  joint b free: world -> hull rate (1, 0, 0, %.3g, %.3g, %.3g)\n"
        "  body hull mass 10 {kg} inertia (%.3g, 2, 3) {kg.m2}\n",
        any(a, -1, 1), any(a, -2, 2), any(a, -1, 1), any(a, 1.2, 4));
    if (one_of(a, 2))
        SAY("  joint h revolute x: hull -> wing at (1, 0, 0) {m} initial %.3g {rad}\n"
            "  body wing mass 2 {kg} cg (0, 0.5, 0) {m} inertia (0.2, 0.1, 0.2) {kg.m2}\n",
            any(a, -1, 1));
    SAY("end\n");
    a->stop = some(a, 5, 60);
}

static inline void thruster(AutoModel *a) { // a propeller from rest under a controller
    SAY("model M\n  var n, ua, s\n  initial n = 0\n  initial ua = 0\n  initial s = 0\n"
        "  var T, th, vv\n  vv = (0.105*n)^2 + ua^2\n  th = atan2(ua, 0.105*n)\n"
        "  T = 36*vv*(2*sin(2*(0.8 - th))*cos(th) - 2*(1 - cos(2*(0.8 - th)))*sin(th))\n"
        "  der(s) = %.4g - T\n  der(n) = (%.4g*(%.4g - T) + s - 10*n)/5\n"
        "  der(ua) = (T - 145*abs(ua)*ua)/29\nend\n",
        200.0, some(a, 1, 60), any(a, 100, 300));
    a->stop = some(a, 3, 30);
}

// --- equations -----------------------------------------------------------------------------------

static inline void van_der_pol(AutoModel *a) {
    double mu = some(a, 0.1, 1e3);
    SAY("model M\n  var x, v\n  initial x = 2\n  der(x) = v\n"
        "  der(v) = %.4g*(1 - x^2)*v - x\nend\n",
        mu);
    a->stop = any(a, 1, 5) * fmax(6, 1.6 * mu);
}

static inline void reaction(AutoModel *a) {
    int kind = one_of(a, 3);
    if (kind == 0)
        SAY("model M\n  var x, y\n  initial x = 1.5\n  initial y = 3\n"
            "  der(x) = 1 + x^2*y - %.4g*x\n  der(y) = %.4g*x - x^2*y\nend\n",
            4.0, any(a, 2, 4));
    else if (kind == 1)
        SAY("model M\n  var x, y, z\n  initial x = 1\n"
            "  der(x) = -0.04*x + %.4g*y*z\n  der(y) = 0.04*x - %.4g*y*z - %.4g*y^2\n"
            "  der(z) = %.4g*y^2\nend\n",
            1e4, 1e4, 3e7, 3e7);
    else
        SAY("model M\n  var x, y, z\n  initial x = 1\n  initial y = 1\n  initial z = 20\n"
            "  der(x) = 10*(y - x)\n  der(y) = x*(%.4g - z) - y\n  der(z) = x*y - 8/3*z\nend\n",
            any(a, 10, 40));
    a->stop = kind == 1 ? some(a, 1, 1e4) : some(a, 3, 40);
}

static inline void decays(AutoModel *a) { // linear, with decays and swings that lie far apart
    int n = 2 + one_of(a, 6);
    SAY("model M\n  var x[%d], y[%d]\n", n, n);
    for (int i = 1; i <= n; i++) {
        double w = some(a, 0.1, 300), d = some(a, 0.01, 3e4);
        SAY("  initial x[%d] = %.4g\n  der(x[%d]) = y[%d]\n"
            "  der(y[%d]) = -%.4g*y[%d] - %.4g*x[%d] + %.4g*sin(%.4g*time/(1 {s}))\n",
            i, any(a, -1, 1), i, i, i, d, i, w * w, i, w * w, some(a, 0.1, 3));
        if (i > 1) SAY("  // by itself\n");
    }
    SAY("end\n");
    a->stop = some(a, 1, 30);
}

// --- what switches -------------------------------------------------------------------------------

static inline void rectifier(AutoModel *a) {
    double f = some(a, 1, 100);
    SAY("import electric\nmodel M\n  Se u = 10*sin(2*pi*%.4g*time/(1 {s}))\n  IdealDiode d\n  1 "
        "i\n  0 n\n"
        "  C c(%.4g)\n  R r(%.4g)\n  R s(%.4g)\n  u -> i -> d, s\n  i -> n -> c, r\nend\n",
        f, some(a, 0.01, 1) / f, some(a, 1, 10), some(a, 1e-3, 0.1));
    a->stop = any(a, 3, 20) / f;
}

static inline void ball(AutoModel *a) {
    SAY("model M\n  var h initial 1\n  I b(1)\n  Se w = -9.81\n  1 v\n  w -> v -> b\n"
        "  der(h) = v.f\n  when h <= 0 then\n    reinit(b.p, -%.4g*b.p)\n  end\nend\n",
        any(a, 0.9, 0.99));
    a->stop = any(a, 2, 6);
}

static inline void relay(AutoModel *a) { // on and off between two bounds, or sampled
    if (one_of(a, 2))
        SAY("model M\n  var T, x\n  var on discrete initial 1\n  der(T) = 10*on - T\n"
            "  der(x) = %.4g*(T - x)\n  when T > %.4g then\n    on = 0\n  elsewhen T < 3 then\n"
            "    on = 1\n  end\nend\n",
            some(a, 0.5, 500), any(a, 3.5, 6));
    else
        SAY("model M\n  var v, x\n  var u discrete\n  der(v) = u - %.4g*v\n  der(x) = v\n"
            "  when sample(%.4g {s}) then\n    u = 4*(1 - x) - 2*v\n  end\nend\n",
            some(a, 0.1, 100), some(a, 0.01, 0.3));
    a->stop = some(a, 2, 20);
}

static inline void friction(AutoModel *a) {
    SAY("import translation\nmodel M\n  Sf pull = %.4g\n  0 gap\n  1 v\n  C spring(%.4g)\n"
        "  I mass(1)\n  DryFriction b(Fs = 10 {N}, Fk = %.4g {N})\n  pull -> gap -> spring\n"
        "  gap -> v -> mass, b\nend\n",
        some(a, 0.05, 0.5), some(a, 1e-3, 0.1), any(a, 4, 8));
    a->stop = any(a, 3, 15);
}

typedef void (*AutoKind)(AutoModel *a);

static const struct {
    const char *name;
    AutoKind make;
} auto_kind[] = {{"ladder", ladder},
                 {"masses", masses},
                 {"drive", drive},
                 {"oil", oil},
                 {"rod", rod},
                 {"arm", arm},
                 {"crank", crank},
                 {"flight", flight},
                 {"thruster", thruster},
                 {"van der Pol", van_der_pol},
                 {"reaction", reaction},
                 {"decays", decays},
                 {"rectifier", rectifier},
                 {"ball", ball},
                 {"relay", relay},
                 {"friction", friction}};

enum { AUTO_KINDS = sizeof auto_kind / sizeof auto_kind[0] };

// The text is to be freed; kinds take turns.
static inline AutoModel auto_model(int seed) {
    AutoModel model = {.random = 0x9e3779b97f4a7c15u * (uint64_t)(seed + 1)}, *a = &model;
    for (int i = 0; i < 5; i++) any(a, 0, 1);
    auto_kind[seed % AUTO_KINDS].make(a);
    SAY("experiment E of M\n  stop %.6g {s}\n  points %d\n  solver auto rtol %.3g\nend\n", a->stop,
        one_of(a, 2) ? 10 : 300, some(a, 1e-9, 1e-4));
    return model;
}
#undef SAY

// --- what a run costs ----------------------------------------------------------------------------

static const SolverKind auto_rival[] = {SOLVER_CVODE_ADAMS, SOLVER_CVODE_BDF, SOLVER_RK78};
enum { AUTO_RIVALS = sizeof auto_rival / sizeof auto_rival[0] };

typedef struct {
    double cost, seconds; // in evaluations of the rates, Jacobians with what they cost; inf: failed
    SolveStats stats;
} AutoCost;

static inline AutoCost auto_cost(const Built *b, SolverKind solver, long most_steps) {
    Report report = {0};
    RunOptions o = {.experiment = b->pipeline.experiment,
                    .solver_given = true,
                    .solver = solver,
                    .engine = ENGINE_VM,
                    .most_steps = most_steps};
    Run *run = run_experiment(b->system, &o, &report);
    AutoCost c = {.cost = INFINITY};
    if (run && run->status == SOLVE_DONE && run->audit.pass) {
        c.stats = run->stats;
        c.cost = (double)c.stats.derivative_calls +
                 c.stats.jacobian_cost * (double)c.stats.jacobian_calls;
        c.seconds = c.stats.wall_seconds;
    } else if (run) {
        c.stats = run->stats;
    }
    run_free(run);
    report_free(&report);
    return c;
}

#endif
