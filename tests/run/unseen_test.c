// No event is missed: random models that switch against a run by brute force.
//
//   model    one of eight constructs (diode, dry friction, clutch, `when` with a discrete factor,
//            table, limits, threshold, relation in a law), driven by one of twelve sources whose
//            pulses last a ten-thousandth of the run or more; half of them with a second source and
//            a `when` of its own
//   push     five constructs more, whose two sides push against each other (sign, friction with a
//            spring, a thermostat by `when`, relays): where a relay would slide along its zero,
//            the run says so (S005) there and not elsewhere
//   force    the same equations in C below, by fixed steps of 1/200000 of the run, events looked at
//            after each; again with half the step. A seed counts if both tell the same story
//   story    what happened, in its order, as one number
//
// The argument is the number of seeds.
#include "bench.h"

#include "base/text.h"
#include <stdio.h>

static const double span = 10;
enum { STEPS = 200000, CONSTRUCTS = 8, PUSHING = 5, SOURCES = 12 };
enum { SIGN = CONSTRUCTS, SPRING, THERMOSTAT, RELAY, SIGN_RELAY, ALL };

// --- chance --------------------------------------------------------------------------------------

static uint64_t dice;

static double chance(void) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = dice >> 33;
    return (double)x / (double)(1u << 31);
}

static double between(double low, double high) { return low + (high - low) * chance(); }
static double spread(double low, double high) { return low * pow(high / low, chance()); }

// --- sources -------------------------------------------------------------------------------------

typedef struct {
    int kind;
    double size, at, width, period, phase, slow;
} Source;

static const char *const shape[SOURCES] = {
    "@1*sin(6.283185307179586*tau/@4 + @5)",
    "@1*exp(-((tau - @2)/@3)^2)",
    "@1*max(0, 1 - abs(tau - @2)/@3)",
    "(if tau > @2 and tau < @2 + @3 then @1 else 0)",
    "(if mod(tau + @5, @4) < @3 then @1 else 0)",
    "@1*peak((tau - @2)/@3)",
    "@1*sin(tau*(1 + tau/2)/@4 + @5)",
    "@1*exp(-((tau - @2)/(5*@3))^2)*sin((tau - @2)/@3 + @5)",
    "@1/(1 + ((tau - @2)/@3)^2)^2",
    "@6*sin(tau + @5) + @1*exp(-((tau - @2)/@3)^2)",
    "@1*sin(3.141592653589793*tau/@4 + @5)^20",
    "@1/2*(tanh((tau - @2)/@3) - tanh((tau - @2)/@3 - 6))",
};

static double square(double x) { return x * x; }

static double source(const Source *s, double t) {
    const double turn = 6.283185307179586;
    double x = (t - s->at) / s->width;
    switch (s->kind) {
    case 0: return s->size * sin(turn * t / s->period + s->phase);
    case 1: return s->size * exp(-x * x);
    case 2: return s->size * fmax(0, 1 - fabs(x));
    case 3: return x > 0 && x < 1 ? s->size : 0;
    case 4: return fmod(t + s->phase, s->period) < s->width ? s->size : 0;
    case 5: return s->size * fmax(0, fabs(x) < 1 ? 1 - fabs(x) : 0.5 - fabs(x - 3));
    case 6: return s->size * sin(t * (1 + t / 2) / s->period + s->phase);
    case 7: return s->size * exp(-square(x / 5)) * sin(x + s->phase);
    case 8: return s->size / square(1 + x * x);
    case 9: return s->slow * sin(t + s->phase) + s->size * exp(-x * x);
    case 10: return s->size * pow(sin(turn / 2 * t / s->period + s->phase), 20);
    default: return s->size / 2 * (tanh(x) - tanh(x - 6));
    }
}

// Widths are of what stands out above a half: a ten-thousandth of the run at least.
static Source random_source(int kind) {
    Source s = {.kind = kind,
                .size = between(0.6, 2.5) * (chance() < 0.8 ? 1 : -1),
                .at = between(0.05, 0.95) * span,
                .width = spread(1.2e-4, 3e-2) * span,
                .phase = between(0, 3),
                .slow = between(0.1, 0.6)};
    s.period = kind == 6 ? between(0.2, 1) : spread(0.03, 0.5) * span;
    if (kind == 4) s.width = fmin(s.width, s.period / 2);
    if (kind == 7) s.width = fmin(fmax(s.width, 2e-4 * span), 0.01 * span);
    return s;
}

// @1 stands for the first number, and so on.
static void write_with(Text *t, const char *words, const double *number) {
    for (; *words; words++)
        if (*words == '@')
            text_printf(t, "%.17g", number[*++words - '1']);
        else
            text_printf(t, "%c", *words);
}

static void write_source(Text *t, const char *name, const Source *s) {
    text_printf(t, " var %s\n %s = ", name, name);
    write_with(t, shape[s->kind],
               (double[]){s->size, s->at, s->width, s->period, s->phase, s->slow});
    text_printf(t, "\n");
}

// --- models --------------------------------------------------------------------------------------

typedef struct {
    int construct;
    bool two;           // with a second source
    Source u, w;        // w: of the second `when`
    double a, b, c, d;  // numbers of the construct
    double since, over; // of the second: its factor is 1 from then on; threshold
} Case;

// One of `count` constructs from the first on.
static Case random_case(int seed, int first, int count) {
    dice = (uint64_t)seed * 0x9E3779B97F4A7C15u + 12345;
    for (int i = 0; i < 8; i++) chance();
    Case k = {.construct = first + seed % count, .two = seed / count % 2};
    k.u = random_source(seed / (2 * count) % SOURCES);
    k.w = random_source((int)(chance() * SOURCES));
    k.a = between(0.2, 1);
    k.b = between(0.3, 2);
    k.c = between(0.2, 0.9);
    k.d = between(0.05, 0.5);
    k.since = between(0, 0.3) * span;
    k.over = between(0.2, 0.9) * (k.w.size > 0 ? 1 : -1);
    return k;
}

// What each construct is, and the conditions that its story consists of.
static const char *const body[ALL] = {
    " VoltageSource V(u = u*1 {V})\n IdealDiode d\n Capacitor c(C = @1, u0 = @3 {V})\n"
    " Resistor r(R = @4)\n 1 i\n V -> i -> d, r, c\n",
    " Force f(u = u*1 {N})\n Mass m(m = @2)\n"
    " DryFriction b(Fs = @3 {N}, Fk = 0.8*@3 {N}, d = @4)\n 1 v\n f -> v -> m, b\n",
    " Torque f(u = u*1 {N.m})\n Inertia m(J = @2)\n Bearing r(d = @4)\n"
    " Clutch b(Ts = @3 {N.m}, Tk = 0.8*@3 {N.m})\n Inertia l(J = @1)\n"
    " Bearing q(d = @4)\n 1 v\n 1 y\n f -> v -> m, r, b\n b -> y -> l, q\n",
    " var x initial 1, k discrete initial 0\n der(x) = -x/(30 {s})\n"
    " when time > @4 {s} then\n  k = 1\n end\n",
    " var x initial 0, y\n der(x) = (u - x)/(@4 {s})\n y = hill(x*@2)\n",
    " LimitedIntegrator i(lower = -@1/20, upper = @3/40, y0 = 0, u = u)\n",
    " var x initial 0\n der(x) = (u - x)/(@4 {s})\n",
    " var x initial 0, z\n z = if u + x/8 > @3 then 1 else 0\n der(x) = (4*z - x)/(@2 {s})\n",
    " var x initial 0, z\n z = sign(u + x/8 - @3)\n der(x) = (4*z - x)/(@2 {s})\n",
    " Force f(u = u*1 {N})\n Mass m(m = @2)\n Spring s(k = @1)\n"
    " DryFriction b(Fs = @3 {N}, Fk = 0.8*@3 {N}, d = @4)\n 1 v\n f -> v -> m, s, b\n",
    " var x initial 0, on discrete initial 1\n der(x) = ((2*on - 1)*@3 + u/4)/(1 {s})\n"
    " when x > @4 then\n  on = 0\n elsewhen x < -@4 then\n  on = 1\n end\n",
    " var x initial @2\n der(x) = (u - @3*(if x > 0 then 1 else -1))/(1 {s})\n",
    " var x initial @2\n der(x) = (u - @3*sign(x))/(1 {s})\n",
};

static const char *const story[ALL][3] = {
    {"d.state > 1.5", "d.state < 1.5"},
    {"b.state < 1.5", "b.state > 1.5 and b.state < 2.5", "b.state > 2.5"},
    {"b.state < 1.5", "b.state > 1.5 and b.state < 2.5", "b.state > 2.5"},
    {"k*u > @3", "k*u < @3"},
    {"y > @3", "y < @3"},
    {"i.at > 0.5", "i.at < -0.5", "i.at < 0.5 and i.at > -0.5"},
    {"x > @3/4", "x < @3/4"},
    {"z > 0.5", "z < 0.5"},
    {"z > 0.5", "z < 0.5"},
    {"b.state < 1.5", "b.state > 1.5 and b.state < 2.5", "b.state > 2.5"},
    {"on > 0.5", "on < 0.5"},
    {"x > @4", "x < @4"},
    {"x > @4", "x < @4"},
};

static void write_formatted(Text *t, const char *words, const Case *k) {
    write_with(t, words, (double[]){k->a, k->b, k->c, k->d});
}

static void write_branch(Text *t, int *branches, const char *condition, int type, const Case *k) {
    text_printf(t, " %s ", *branches ? "elsewhen" : "when");
    write_formatted(t, condition, k);
    text_printf(t, " then\n  n = pre(n) + 1\n  code = mod(7*pre(code) + %d, 1000003)\n", type);
    ++*branches;
}

static void write_model(Text *t, const Case *k) {
    int branches = 0;
    text_printf(t, "import electric\nimport control\nimport %s\n",
                k->construct == 2 ? "rotation" : "translation");
    text_printf(t,
                "table peak(x) linear\n -1, 0\n 0, 1\n 1, 0\n 2.5, 0\n 3, 0.5\n 3.5, 0\nend\n"
                "table hill(x) linear\n -2, 1\n -0.6, 0\n 0, 0.1\n 0.5, 1\n 1.2, 0\n 2, 0.7\nend\n"
                "model M\n var tau\n tau = time/(1 {s})\n var n discrete, code discrete\n");
    write_source(t, "u", &k->u);
    if (k->two) write_source(t, "w", &k->w);
    if (k->two)
        text_printf(t, " var g discrete\n when tau > %.17g then\n  g = 1\n end\n", k->since);
    write_formatted(t, body[k->construct], k);
    for (int i = 0; i < 3 && story[k->construct][i]; i++)
        write_branch(t, &branches, story[k->construct][i], i + 1, k);
    if (k->two) {
        text_printf(t,
                    " elsewhen g*w*%g > %.17g then\n  n = pre(n) + 1\n"
                    "  code = mod(7*pre(code) + 5, 1000003)\n",
                    k->over > 0 ? 1.0 : -1.0, fabs(k->over));
    }
    text_printf(t,
                " end\nend\nexperiment E of M\n stop %g {s}\n points 3\n solver cvode rtol 1e-8\n"
                " record n, code\nend\n",
                span);
}

// --- brute force ---------------------------------------------------------------------------------

typedef struct {
    double x[2];
    int mode;
    int was[4]; // conditions
    long count;
    double code;
    bool rests;    // until the first event nothing moved
    double slides; // from here on, along its zero; infinite: it does not
} Force;

static void tell(Force *f, int type) {
    f->count++;
    f->code = fmod(7 * f->code + type, 1000003);
}

static double table(double x) {
    static const double p[6] = {-2, -0.6, 0, 0.5, 1.2, 2}, q[6] = {1, 0, 0.1, 1, 0, 0.7};
    if (x <= p[0]) return q[0];
    for (int i = 1; i < 6; i++)
        if (x <= p[i]) return q[i - 1] + (x - p[i - 1]) * (q[i] - q[i - 1]) / (p[i] - p[i - 1]);
    return q[5];
}

static double sliding(const Case *k, int mode) {
    return mode == 1 ? 0.8 * k->c : mode == 3 ? -0.8 * k->c : 0;
}

static void rates(const Case *k, const Force *f, double t, const double *x, double *dx) {
    double u = source(&k->u, t), slip = sliding(k, f->mode);
    dx[0] = dx[1] = 0;
    switch (k->construct) {
    case 0: dx[0] = f->mode == 2 ? (u - x[0]) / k->d / k->a : 0; break;
    case 1: dx[0] = f->mode == 2 ? 0 : (u - slip - k->d * x[0]) / k->b; break;
    case 2:
        if (f->mode == 2) {
            dx[0] = dx[1] = (u - 2 * k->d * x[0]) / (k->a + k->b);
        } else {
            dx[0] = (u - slip - k->d * x[0]) / k->b;
            dx[1] = (slip - k->d * x[1]) / k->a;
        }
        break;
    case 4:
    case 6: dx[0] = (u - x[0]) / k->d; break;
    case 5: dx[0] = (f->mode == 1 && u > 0) || (f->mode == -1 && u < 0) ? 0 : u; break;
    case 7:
    case SIGN: dx[0] = (4.0 * f->mode - x[0]) / k->b; break;
    case SPRING:
        dx[0] = f->mode == 2 ? 0 : (u - slip - k->d * x[0] - k->a * x[1]) / k->b;
        dx[1] = f->mode == 2 ? 0 : x[0];
        break;
    case THERMOSTAT: dx[0] = f->mode * k->c + u / 4; break;
    case RELAY:
    case SIGN_RELAY: dx[0] = u - f->mode * k->c; break;
    default: break;
    }
}

// How far the force on what sticks is above what holds it.
static int friction_mode(const Case *k, const Force *f, double t) {
    double u = source(&k->u, t), v = f->x[0], force = u;
    if (k->construct == 2) {
        v = f->x[0] - f->x[1];
        double common = (u - 2 * k->d * f->x[0]) / (k->a + k->b);
        force = u - k->d * f->x[0] - k->b * common;
    }
    if (k->construct == SPRING) force = u - k->a * f->x[1];
    bool stops = (f->mode == 1 && v < 0) || (f->mode == 3 && v > 0);
    if (f->mode != 2 && !stops) return f->mode;
    return force > k->c ? 1 : force < -k->c ? 3 : 2;
}

static void story_of_friction(const Case *k, Force *f, double t) {
    int next = friction_mode(k, f, t);
    if (next == f->mode) return;
    f->mode = next;
    tell(f, next);
    if (next == 2 && k->construct != 2) f->x[0] = 0;
    if (next == 2 && k->construct == 2)
        f->x[0] = f->x[1] = (k->b * f->x[0] + k->a * f->x[1]) / (k->a + k->b);
}

static void story_of_limits(const Case *k, Force *f, double t) {
    double u = source(&k->u, t), upper = k->c / 40, lower = -k->a / 20;
    if (f->x[0] > upper) {
        f->x[0] = upper;
        f->mode = 1;
        tell(f, 1);
    } else if (f->x[0] < lower) {
        f->x[0] = lower;
        f->mode = -1;
        tell(f, 2);
    } else if (f->mode * u < 0) {
        f->mode = 0;
        tell(f, 3);
    }
}

// A condition that rises is told; its opposite too.
static void story_of_threshold(Force *f, double above) {
    int now = above > 0;
    if (now != f->was[0]) tell(f, now ? 1 : 2);
    f->was[0] = now;
}

static double factor(double t, double since) { return t > since ? 1 : 0; }

static double above(const Case *k, const Force *f, double t) {
    double u = source(&k->u, t);
    switch (k->construct) {
    case 3: return factor(t, k->d) * u - k->c;
    case 4: return table(f->x[0] * k->b) - k->c;
    case 6: return f->x[0] - k->c / 4;
    case RELAY:
    case SIGN_RELAY: return f->x[0] - k->d;
    default: return u + f->x[0] / 8 - k->c;
    }
}

static void story_of_thermostat(const Case *k, Force *f) {
    int next = f->x[0] > k->d ? -1 : f->x[0] < -k->d ? 1 : f->mode;
    if (next != f->mode) tell(f, next > 0 ? 1 : 2);
    f->mode = next;
}

// Both sides lead to the zero.
static void look_at_relay(const Case *k, Force *f, double t) {
    int next = f->x[0] > 0 ? 1 : -1;
    if (next != f->mode && fabs(source(&k->u, t)) < k->c) f->slides = t;
    f->mode = next;
}

static void look(const Case *k, Force *f, double t) {
    double u = source(&k->u, t);
    switch (k->construct) {
    case 0: {
        int next = u > f->x[0] ? 2 : 1;
        if (next != f->mode) tell(f, next == 2 ? 1 : 2);
        f->mode = next;
        break;
    }
    case 1:
    case 2:
    case SPRING: story_of_friction(k, f, t); break;
    case THERMOSTAT: story_of_thermostat(k, f); break;
    case 5: story_of_limits(k, f, t); break;
    default: story_of_threshold(f, above(k, f, t)); break;
    }
    if (k->construct == 7) f->mode = f->was[0];
    if (k->construct == SIGN) f->mode = f->was[0] ? 1 : -1;
    if (k->construct >= RELAY) look_at_relay(k, f, t);
    if (!k->two) return;
    int now = factor(t, k->since) * source(&k->w, t) * (k->over > 0 ? 1 : -1) > fabs(k->over);
    if (now && !f->was[1]) tell(f, 5);
    f->was[1] = now;
}

// What sticks begins to slide forward if it goes on by itself then, less than Fs or not.
static int first_mode(const Case *k) {
    Force f = {.mode = 1};
    double dx[2];
    rates(k, &f, 0, f.x, dx);
    switch (k->construct) {
    case 0: return 1;
    case 1:
    case SPRING: return dx[0] > 0 ? 1 : 2;
    case SIGN:
    case THERMOSTAT:
    case RELAY:
    case SIGN_RELAY: return 1;
    case 2: return dx[0] > dx[1] ? 1 : 2;
    default: return 0;
    }
}

static Force brute(const Case *k, int steps) {
    Force f = {.mode = first_mode(k)};
    double h = span / steps, dx[2], later[2], there[2];
    if (k->construct == 0) f.x[0] = k->c;
    if (k->construct >= RELAY) f.x[0] = k->b;
    f.slides = INFINITY;
    look(k, &f, 0); // what is so from the start is no event
    f.count = 0;
    f.code = 0;
    f.rests = true;
    for (int i = 0; i < steps && isinf(f.slides); i++) {
        double t = span * i / steps;
        rates(k, &f, t, f.x, dx);
        if (f.count == 0 && fabs(dx[0]) > 1e-9) f.rests = false;
        for (int s = 0; s < 2; s++) later[s] = f.x[s] + h * dx[s];
        rates(k, &f, t + h, later, there);
        for (int s = 0; s < 2; s++) f.x[s] += h / 2 * (dx[s] + there[s]);
        look(k, &f, span * (i + 1) / steps);
    }
    return f;
}

// --- comparison ----------------------------------------------------------------------------------

static int first = 0, seeds = 50; // BONDYN_SEED: the first

static double last(const Results *r, const char *name) {
    int column = results_column(r, name);
    return column < 0 || r->row_count == 0 ? -1 : r->column[column].value[r->row_count - 1];
}

// A run along a zero ends where that begins, and says why.
static bool slides_there(Bench *b, const Force *f) {
    bool said = false;
    for (const Remark *m = b->built.report.first; m; m = m->next)
        said = said || m->code == S_CHATTER;
    return said && fabs(b->run->stats.reached - f->slides) < 1e-3;
}

static bool agrees(const Case *k, const Force *f, SolverKind solver, int seed) {
    Text t = {0};
    Bench b;
    write_model(&t, k);
    bench_run(&b, text_get(&t), &(RunOptions){.solver = solver});
    double count = last(&b.run->results, "n"), code = last(&b.run->results, "code");
    if (getenv("BONDYN_SHOW")) fputs(text_get(&t), stdout);
    bool good = isfinite(f->slides)
                    ? slides_there(&b, f)
                    : b.run->results.complete && count == (double)f->count && code == f->code;
    if (!good) {
        print_message(
            "seed %d, construct %d, source %d, solver %d: %g events (%g), by force %ld (%g)\n",
            seed, k->construct, k->u.kind, (int)solver, count, code, f->count, f->code);
        show_report(&b);
    }
    bench_close(&b);
    text_free(&t);
    return good;
}

static const SolverKind solver[] = {SOLVER_CVODE_ADAMS, SOLVER_CVODE_BDF, SOLVER_RK78, SOLVER_IDA};

static bool same_story(const Force *a, const Force *b) {
    if (isfinite(a->slides) || isfinite(b->slides)) return fabs(a->slides - b->slides) < 1e-4;
    return a->count == b->count && a->code == b->code;
}

// Gives: how many seeds were at rest before their first event.
static int compare(int from, int count) {
    int wrong = 0, dropped = 0, rests = 0, counted = 0, slide = 0;
    long events = 0;
    for (int seed = first; seed < first + seeds; seed++) {
        Case k = random_case(seed, from, count);
        Force f = brute(&k, STEPS), half = brute(&k, 2 * STEPS);
        if (!same_story(&f, &half)) {
            dropped++;
            continue;
        }
        counted++;
        events += f.count;
        rests += f.rests && f.count > 0;
        slide += isfinite(f.slides);
        for (int s = 0; s < 4; s++)
            if (seeds > 100 || getenv("BONDYN_SEED") || s == seed % 4)
                wrong += !agrees(&k, &half, solver[s], seed);
    }
    print_message("%d seeds with %ld events, %d at rest before the first, %d slide; %d dropped; "
                  "%d wrong runs\n",
                  counted, events, rests, slide, dropped, wrong);
    assert_int_equal(wrong, 0);
    assert_true(dropped <= fmax(2, 0.03 * seeds));
    return rests;
}

static void nothing_is_missed(void **state) {
    (void)state;
    assert_true(compare(0, CONSTRUCTS) >= seeds / 5);
}

static void sides_push(void **state) {
    (void)state;
    compare(CONSTRUCTS, PUSHING);
}

// States that rest at zero, or have died down, when a signal of time sets in: steps from there are
// not lost in the rounding of the time.
static void starts_from_nothing(void **state) {
    static const int was_wrong[] = {270, 1002, 1028, 1148, 1228, 1386, 1389, 1726};
    int wrong = 0;
    (void)state;
    for (int i = 0; i < 8; i++) {
        Case k = random_case(was_wrong[i], 0, CONSTRUCTS);
        Force f = brute(&k, STEPS);
        for (int s = 0; s < 4; s++) wrong += !agrees(&k, &f, solver[s], was_wrong[i]);
    }
    assert_int_equal(wrong, 0);
}

int main(int count, char **words) {
    if (count > 1) seeds = atoi(words[1]);
    if (getenv("BONDYN_SEED")) first = atoi(getenv("BONDYN_SEED"));
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_missed),
                                       cmocka_unit_test(sides_push),
                                       cmocka_unit_test(starts_from_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
