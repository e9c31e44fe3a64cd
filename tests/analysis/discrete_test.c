// Discrete linear models of sampled parts: against closed forms, and against runs over one period.
#include "../test.h"

#include "../pipeline.h"
#include "analysis/response.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    Built b;
    LinearPlan plan;
    Reached at;
    LinearModel *l;
} Opened;

// At the start the discrete model; at a time the point alone.
static void open_text(Opened *o, const char *text, double time) {
    static const char *const outputs[] = {"x0", "d0"};
    LinearOptions wish = {.output = outputs, .output_count = 2, .discrete = true};
    *o = (Opened){0};
    LangOptions with = build_open(&o->b, NULL);
    Syntax *syntax = lang_load_text(&o->b.tree, o->b.names, o->b.sources, "test.bond", text,
                                    strlen(text), &with, &o->b.report);
    PipelineOptions p = {.lang = with, .experiment = "E", .last = STAGE_MODEL};
    assert_true(pipeline_build(&o->b.pipeline, syntax, &p, &o->b.report));
    assert_true(
        linear_open(o->b.pipeline.model, &o->b.pipeline.arena, &wish, &o->plan, &o->b.report));
    p.last = STAGE_SYSTEM;
    assert_true(pipeline_finish(&o->b.pipeline, &p, &o->b.report));
    RunOptions run = {.experiment = o->b.pipeline.experiment, .engine = ENGINE_VM};
    assert_true(linear_reach(&o->at, o->b.pipeline.system, &run, time <= 0, time, &o->b.report));
    if (time > 0) return;
    o->l = linear_model(&o->plan, &o->at, &o->b.report);
    assert_non_null(o->l);
}

static void close_text(Opened *o) {
    linear_model_free(o->l);
    reached_free(&o->at);
    build_free(&o->b);
}

// --- closed forms --------------------------------------------------------------------------------

// x' = a (u - x), u = K (r - x) held: x(k + 1) = (e - K (1 - e)) x + K (1 - e) r, e = exp(-a T). The bounds are rounding.
static void p_controller_on_a_lag(void **state) {
    (void)state;
    Opened o;
    open_text(&o,
              "model M\n  param a = 2 {1/s}, K = 3, Ts = 0.1 {s}\n  input r = 0\n"
              "  var x0 initial 1\n  var d0 discrete\n  der(x0) = a*(d0 - x0)\n"
              "  when sample(Ts) then\n    d0 = K*(r - x0)\n  end\nend\n"
              "experiment E of M\n  stop 1 {s}\nend\n",
              0);
    double e = exp(-0.2);
    assert_int_equal(o.l->n, 1); // nothing remembers d0
    assert_int_equal(o.l->renewed_count, 1);
    assert_near(o.l->period, 0.1, 1e-15);
    assert_near(o.l->A[0], e - 3 * (1 - e), 1e-12);
    assert_near(o.l->B[0], 3 * (1 - e), 1e-12);
    assert_near(o.l->C[1], -3, 1e-12);
    assert_near(o.l->D[1], 3, 1e-12);
    Poles *p = poles_of(o.l, &o.b.report);
    double z = e - 3 * (1 - e);
    assert_near(creal(p->mode[0].value), z, 1e-12);
    assert_near(creal(p->mode[0].s), log(z) / 0.1, 1e-10);
    poles_free(p);
    close_text(&o);
}

// x' = u, u = -(Kp x + Ki s), s = pre(s) + T x: z^2 - (2 - T Kp - T^2 Ki) z + 1 - T Kp = 0.
static void pi_controller_on_an_integrator(void **state) {
    (void)state;
    Opened o;
    open_text(
        &o,
        "model M\n  param Kp = 4 {1/s}, Ki = 10 {1/s2}, Ts = 0.1 {s}\n"
        "  var x0 initial 1\n  var d0 {1/s} discrete\n  var sum {s} discrete\n  der(x0) = d0\n"
        "  when sample(Ts) then\n    sum = pre(sum) + Ts*x0\n    d0 = -Kp*x0 - Ki*sum\n  end\n"
        "end\nexperiment E of M\n  stop 1 {s}\nend\n",
        0);
    double sum = 2 - 0.4 - 0.1, product = 1 - 0.4;
    assert_int_equal(o.l->n, 2);
    assert_near(o.l->A[0] + o.l->A[3], sum, 1e-12);
    assert_near(o.l->A[0] * o.l->A[3] - o.l->A[1] * o.l->A[2], product, 1e-12);
    Poles *p = poles_of(o.l, &o.b.report);
    assert_int_equal(p->count, 1);
    assert_int_equal(p->unstable, 0);
    assert_near(cabs(p->mode[0].value), sqrt(product), 1e-12);
    assert_near(p->mode[0].damping * p->mode[0].frequency, -log(product) / 2 / 0.1, 1e-10);
    poles_free(p);
    close_text(&o);
}

// x' = a (u - x) by samples is x(k + 1) = e x + (1 - e) u, e = exp(-a T); u = Kp (r - x) + Ki s, s = pre(s) + T (r - x).
static void pi_controller_on_a_lag(void **state) {
    (void)state;
    Opened o;
    open_text(&o,
              "model M\n  param a = 2 {1/s}, Kp = 3, Ki = 5 {1/s}, Ts = 0.1 {s}\n  input r = 0\n"
              "  var x0 initial 1\n  var d0 discrete\n  var sum {s} discrete\n"
              "  der(x0) = a*(d0 - x0)\n  when sample(Ts) then\n    sum = pre(sum) + Ts*(r - x0)\n"
              "    d0 = Kp*(r - x0) + Ki*sum\n  end\nend\nexperiment E of M\n  stop 1 {s}\nend\n",
              0);
    double e = exp(-0.2), by = 3 + 5 * 0.1;
    assert_int_equal(o.l->n, 2);
    assert_string_equal(o.l->state[1].name, "sum");
    assert_near(o.l->A[0], e - (1 - e) * by, 1e-13);
    assert_near(o.l->A[1], -0.1, 1e-15);
    assert_near(o.l->A[2], (1 - e) * 5, 1e-13);
    assert_near(o.l->A[3], 1, 1e-15);
    assert_near(o.l->B[0], (1 - e) * by, 1e-13);
    assert_near(o.l->B[1], 0.1, 1e-15);
    close_text(&o);
}

// x' = f + s with f = -a x every T, s = -b x every 2 T:  x(k + 1) = (1 - a T) (1 - a T - b T) x - b T x.
static void two_periods_and_a_state_that_is_set(void **state) {
    (void)state;
    Opened o;
    open_text(&o,
              "model M\n  param a = 2 {1/s}, b = 0.5 {1/s}, Ts = 0.1 {s}\n  var x0 initial 1\n"
              "  var d0 {1/s} discrete\n  var slow {1/s} discrete\n  der(x0) = d0 + slow\n"
              "  when sample(Ts) then\n    d0 = -a*x0\n  end\n"
              "  when sample(2*Ts) then\n    slow = -b*x0\n  end\nend\n"
              "experiment E of M\n  stop 1 {s}\nend\n",
              0);
    assert_int_equal(o.l->n, 1);
    assert_near(o.l->period, 0.2, 1e-15);
    assert_near(o.l->A[0], 0.8 * 0.75 - 0.05, 1e-14);
    assert_near(o.l->C[1], -2, 1e-14);
    close_text(&o);
    open_text(&o,
              "model M\n  param a = 2 {1/s}, Ts = 0.1 {s}\n  input r = 0\n  var x0 initial 1\n"
              "  var d0 {1/s} discrete\n  der(x0) = d0\n"
              "  when sample(Ts) then\n    d0 = -a*x0\n    reinit(x0, 0.5*x0 + r)\n  end\nend\n"
              "experiment E of M\n  stop 1 {s}\nend\n",
              0);
    assert_int_equal(o.l->n, 1); // the sample sees x before it is set
    assert_near(o.l->A[0], 0.5 - 0.2, 1e-14);
    assert_near(o.l->B[0], 1, 1e-14);
    assert_near(o.l->C[0], 0.5, 1e-14); // the output is that after the sample
    close_text(&o);
}

// x' = u held is G = T/(z - 1): gain T/(2 sin(w T/2)), phase -90 degrees - w T/2, -T/2 at half of the frequency of the samples.
static void response_of_a_held_integrator(void **state) {
    (void)state;
    Opened o;
    double pi = acos(-1), T = 0.4, w = 2 / T * asin(T / 2);
    open_text(&o,
              "model M\n  input r = 0\n  var x0 initial 0\n  var d0 discrete\n"
              "  der(x0)*1 {s} = d0\n  when sample(0.4 {s}) then\n    d0 = r\n  end\nend\n"
              "experiment E of M\n  stop 1 {s}\nend\n",
              0);
    assert_false(o.l->moves);
    ChannelResponse c = channel_response(o.l, 0, 0, 0, 0, 50, &w, 1);
    assert_near(nyquist_of(o.l), pi / T, 1e-13);
    assert_near(c.w[c.count - 1], pi / T, 1e-12);
    assert_near(cabs(c.answer[0]), 1, 1e-13);
    assert_near(carg(c.answer[0]), -pi / 2 - w * T / 2, 1e-13);
    assert_int_equal(c.margins.phase_count, 1);
    assert_near(c.margins.phase[0].w, w, 1e-10); // bisected to rounding of w
    assert_near(c.margins.phase[0].value, pi / 2 - w * T / 2, 1e-10);
    assert_int_equal(c.margins.gain_count, 1);
    assert_near(c.margins.gain[0].value, 2 / T, 1e-12);
    assert_int_equal(c.margins.unstable, 0);
    channel_response_free(&c);
    close_text(&o);
}

// --- runs over one period ------------------------------------------------------------------------

enum { STATES = 3, HELD = 3 };

typedef struct {
    int n, d;
    double f[STATES][STATES + HELD + 1], g[HELD][STATES + HELD + 1];
    double reset; // of x0 by itself; 0: none
    int slow;     // held values from here on are set every second time
    double period;
} Random;

static double draw(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static Random random_system(unsigned seed) {
    Random x = {.n = 1 + (int)(seed % 3), .d = 1 + (int)(seed / 3 % 3), .period = 0.4};
    x.slow = seed % 2 ? x.d - 1 : x.d;
    x.reset = seed % 5 == 0 ? 0.5 : 0;
    unsigned s = seed * 977 + 5;
    for (int j = 0; j < x.n + x.d + 1; j++) {
        for (int i = 0; i < x.n; i++) x.f[i][j] = 2 * draw(&s);
        for (int i = 0; i < x.d; i++) x.g[i][j] = draw(&s);
    }
    return x;
}

static void sum_of(Text *t, const Random *x, const double *by, bool before) {
    for (int j = 0; j < x->n; j++) text_printf(t, "%+.17g*x%d", by[j], j);
    for (int j = 0; j < x->d; j++)
        text_printf(t, before ? "%+.17g*pre(d%d)" : "%+.17g*d%d", by[x->n + j], j);
    text_printf(t, "%+.17g*r\n", by[x->n + x->d]);
}

// From a start that is 1 in one place: a state, a held value, the input; -1: none.
static void write_model(Text *t, const Random *x, int one) {
    text_printf(t, "model M\n  input r = %d\n", one == x->n + x->d);
    for (int i = 0; i < x->n; i++)
        text_printf(t, "  var x%d initial %d\n  der(x%d)*1 {s} = ", i, one == i, i),
            sum_of(t, x, x->f[i], false);
    for (int i = 0; i < x->d; i++)
        text_printf(t, "  var d%d discrete initial %d\n", i, one == x->n + i);
    for (int i = 0; i < x->d; i++) {
        text_printf(t, "  when sample(%g {s}) then\n    d%d = ",
                    i < x->slow ? x->period : 2 * x->period, i);
        sum_of(t, x, x->g[i], true);
        if (i == 0 && x->reset > 0) text_printf(t, "    reinit(x0, %g*x0)\n", x->reset);
        text_add(t, "  end\n");
    }
    text_add(t, "end\nexperiment E of M\n  stop 2 {s}\n  solver rk78 rtol 1e-13 atol 1e-14\nend\n");
}

// A state or held value by its name where the run is, `left` before the end of the period.
static double reached(const Opened *o, const char *name, double left, const double *rate) {
    const System *s = o->at.system;
    const Model *m = s->model;
    for (int i = 0; i < s->state_count; i++)
        if (strcmp(name_text(m->names, m->var[s->state_var[i]].path), name) == 0)
            return o->at.state[i] + left * rate[i];
    for (int i = 0; i < s->whens.discrete_count; i++)
        if (strcmp(name_text(m->names, m->var[s->whens.discrete_var[i]].path), name) == 0)
            return machine_held(o->at.machine)[i];
    fail();
    return 0;
}

static int place(const LinearModel *l, const char *name) {
    for (int i = 0; i < l->n; i++)
        if (strcmp(l->state[i].name, name) == 0) return i;
    return -1;
}

// The run from a unit vector ends in the column of that unit, as all is linear. Bound: the run's tolerance, times growth.
static void compare_column(const Random *x, const LinearModel *l, int one) {
    Text text = {0};
    Opened o;
    char name[8];
    double left = 1e-7 * l->period, rate[STATES];
    write_model(&text, x, one);
    open_text(&o, text_get(&text), l->period - left);
    assert_true(machine_derivative(o.at.machine, o.at.time, o.at.state, rate, NULL));
    snprintf(name, sizeof name, one < x->n ? "x%d" : "d%d", one < x->n ? one : one - x->n);
    int column = one < x->n + x->d ? place(l, name) : -1;
    const double *by = one == x->n + x->d ? l->B : column >= 0 ? l->A + column * l->n : NULL;
    for (int i = 0; i < l->n; i++)
        assert_near(by ? by[i] : 0, reached(&o, l->state[i].name, left, rate), 1e-9);
    close_text(&o);
    text_free(&text);
}

static void random_systems_over_a_period(void **state) {
    (void)state;
    for (unsigned seed = 1; seed <= 12; seed++) {
        Random x = random_system(seed);
        Text text = {0};
        Opened o;
        write_model(&text, &x, -1);
        open_text(&o, text_get(&text), 0);
        assert_near(o.l->period, x.slow < x.d && x.d > 1 ? 2 * x.period : o.l->period, 1e-12);
        for (int one = 0; one <= x.n + x.d; one++) compare_column(&x, o.l, one);
        close_text(&o);
        text_free(&text);
    }
}

// --- a nonlinear model at rest -------------------------------------------------------------------

static void write_nonlinear(Text *t, int which, double by) {
    double x[4] = {1, 0.5, 1, 0};
    if (which >= 0) x[which] += by;
    text_printf(t,
                "model M\n  input r = %.17g\n  var x0 initial %.17g\n  var x1 initial %.17g\n"
                "  var d0 discrete initial %.17g\n  der(x0)*1 {s} = d0 - x0^3 + sin(x1 - 0.5)\n"
                "  der(x1)*1 {s} = x0*d0 - exp(2*x1 - 1) + r^2 + r\n"
                "  when sample(0.25 {s}) then\n    d0 = 2 - x0^2 + 0.5*sin(pre(d0) - 1) + r*x1\n"
                "    reinit(x1, x1^2*2)\n  end\nend\n",
                x[3], x[0], x[1], x[2]);
    text_add(t, "experiment E of M\n  stop 2 {s}\n  solver rk78 rtol 1e-13 atol 1e-14\nend\n");
}

// What x0, x1 and d0 are at the end of a period.
static void end_of_period(int which, double by, double *end) {
    static const char *const name[] = {"x0", "x1", "d0"};
    double left = 1e-7 * 0.25, rate[STATES];
    Text text = {0};
    Opened o;
    write_nonlinear(&text, which, by);
    open_text(&o, text_get(&text), 0.25 - left);
    assert_true(machine_derivative(o.at.machine, o.at.time, o.at.state, rate, NULL));
    for (int i = 0; i < 3; i++) end[i] = reached(&o, name[i], left, rate);
    close_text(&o);
    text_free(&text);
}

// (4 D(h) - D(2h))/3 of central differences. Bound: the run's 1e-13 by the step 1e-3, and the fifth power of that.
static void nonlinear_model_beside_runs(void **state) {
    (void)state;
    const double h = 1e-3;
    Text text = {0};
    Opened o;
    write_nonlinear(&text, -1, 0);
    open_text(&o, text_get(&text), 0);
    assert_int_equal(o.l->n, 3);
    assert_false(o.l->moves);
    for (int j = 0; j < 4; j++) {
        double end[4][3];
        for (int k = 0; k < 4; k++)
            end_of_period(j, (k % 2 ? -1 : 1) * (k < 2 ? h : 2 * h), end[k]);
        for (int i = 0; i < 3; i++) {
            double near = (end[0][i] - end[1][i]) / (2 * h),
                   far = (end[2][i] - end[3][i]) / (4 * h);
            assert_near(j < 3 ? o.l->A[j * 3 + i] : o.l->B[i], (4 * near - far) / 3, 1e-9);
        }
    }
    close_text(&o);
    text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(p_controller_on_a_lag),
                                       cmocka_unit_test(pi_controller_on_an_integrator),
                                       cmocka_unit_test(pi_controller_on_a_lag),
                                       cmocka_unit_test(two_periods_and_a_state_that_is_set),
                                       cmocka_unit_test(response_of_a_held_integrator),
                                       cmocka_unit_test(random_systems_over_a_period),
                                       cmocka_unit_test(nonlinear_model_beside_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
