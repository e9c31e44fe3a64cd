// Linear models of drawn networks against their equations at complex frequencies: poles, zeros, responses, answers and margins, through
// derivative causality, algebraic loops and rates of inputs. With an argument: that many networks; with two: from the first on.
#include "../test.h"

#include "../pipeline.h"
#include "analysis/response.h"
#include "analysis/time_response.h"
#include "random_networks.h"

#include <stdio.h>

static int first = 0, count_of = 60;
static int tried, channels, crossings;

static Complex product(const Complex *root, int count, Complex s) {
    Complex p = 1;
    for (int i = 0; i < count; i++) p *= s - root[i];
    return p;
}

typedef struct {
    Network net;
    Built b;
    LinearPlan plan;
    Reached at;
    LinearModel *l;
    Complex pole[UNKNOWNS];
    int part[6]; // of the outputs
    bool flow[6];
} Trial;

static bool open_trial(Trial *t, unsigned seed) {
    char name[6][16];
    const char *output[6];
    network_draw(&t->net, seed);
    for (int k = 0; k < 3; k++) {
        t->part[k] = pick(&t->net, t->net.parts);
        t->flow[k] = pick(&t->net, 2);
        snprintf(name[k], sizeof name[k], "p%d.%c", t->part[k], t->flow[k] ? 'f' : 'e');
        output[k] = name[k];
    }
    LinearOptions wish = {.output = output, .output_count = 3};
    LangOptions with = build_open(&t->b, NULL);
    Syntax *syntax =
        lang_load_text(&t->b.tree, t->b.names, t->b.sources, "net.bond", text_get(&t->net.text),
                       t->net.text.length, &with, &t->b.report);
    PipelineOptions p = {.lang = with, .last = STAGE_MODEL};
    bool good =
        pipeline_build(&t->b.pipeline, syntax, &p, &t->b.report) &&
        linear_open(t->b.pipeline.model, &t->b.pipeline.arena, &wish, &t->plan, &t->b.report);
    p.last = STAGE_SYSTEM;
    RunOptions run = {.engine = ENGINE_VM};
    good = good && pipeline_finish(&t->b.pipeline, &p, &t->b.report) &&
           linear_reach(&t->at, t->b.pipeline.system, &run, true, 0, &t->b.report);
    t->l = good ? linear_model(&t->plan, &t->at, &t->b.report) : NULL;
    return t->l && dense_eigen(t->l->n, t->l->A, t->pole, NULL, NULL);
}

static void close_trial(Trial *t) {
    if (t->l) linear_model_free(t->l);
    reached_free(&t->at);
    build_free(&t->b);
    text_free(&t->net.text);
}

static const Complex points[] = {0.3 + 1.1 * I, -0.8 + 0.4 * I, 2.1 - 0.3 * I, -1.3 - 2 * I};

// The determinant is the characteristic polynomial but for a factor.
static void poles_are_right(Trial *t, unsigned seed) {
    Complex factor = 0, det;
    for (int k = 0; k < 4; k++) {
        network_response(&t->net, points[k], 0, 0, false, &det);
        Complex here = product(t->pole, t->l->n, points[k]) / det;
        if (k && !(cabs(here / factor - 1) < 1e-7))
            fail_msg("poles of network %u: %g", seed, cabs(here / factor - 1));
        if (!k) factor = here;
    }
}

// G times (s - poles)/(s - zeros) is a number, and response_at is G.
static void channel_is_right(Trial *t, unsigned seed, int u, int y) {
    Complex zero[UNKNOWNS], factor = 0, det;
    int count = channel_zeros(t->l, u, y, zero);
    double size = 0;
    for (int k = 0; k < 4; k++) {
        Complex g = network_response(&t->net, points[k], u, t->part[y], t->flow[y], &det);
        size = fmax(size, cabs(g));
        if (count < 0) continue;
        Complex here = g * product(t->pole, t->l->n, points[k]) / product(zero, count, points[k]);
        if (k && !(cabs(here / factor - 1) < 1e-6) && size > 1e-12)
            fail_msg("zeros of network %u, u%d to %s: %g", seed, u, t->l->output[y].name,
                     cabs(here / factor - 1));
        if (!k) factor = here;
    }
    if (count < 0 && size > 1e-12)
        fail_msg("network %u, u%d to %s has no zeros", seed, u, t->l->output[y].name);
    Responder *x = responder_new(t->l, u, y);
    for (int k = 0; k < 3; k++) {
        double w = 0.1 * pow(7.3, k);
        Complex g = network_response(&t->net, I * w, u, t->part[y], t->flow[y], &det);
        if (det != 0 && !(cabs(response_at(x, w) - g) < 1e-8 * fmax(cabs(g), 1e-4)))
            fail_msg("response of network %u, u%d to %s at %g rad/s", seed, u, t->l->output[y].name,
                     w);
    }
    responder_free(x);
}

static int near_of(const Crossing *c, int count, double from, double to) {
    int n = 0;
    for (int i = 0; i < count; i++) n += c[i].w >= from && c[i].w <= to;
    return n;
}

// A zero or a pole on the axis between two frequencies: the response goes through 0 or infinity there.
static bool on_axis(const Complex *root, int count, double from, double to) {
    for (int i = 0; i < count; i++)
        if (cimag(root[i]) >= from && cimag(root[i]) <= to &&
            fabs(creal(root[i])) < 1e-6 * cimag(root[i]))
            return true;
    return false;
}

// Every crossing of a dense grid is known, and no point of it is above the peak of the sensitivity.
static void margins_are_complete(Trial *t, unsigned seed, int u, int y) {
    enum { POINTS = 3000 };
    ChannelResponse c = channel_response(t->l, u, y, 0, 0, 60, NULL, 0);
    const Margins *m = &c.margins;
    Responder *x = responder_new(t->l, u, y);
    double from = c.w[0], by = pow(c.w[c.count - 1] / from, 1.0 / POINTS), peak = 0;
    Complex before = 0, zero[UNKNOWNS];
    int zeros = channel_zeros(t->l, u, y, zero);
    for (int k = 0; k < POINTS; k++) {
        double w = from * pow(by, k + 0.37);
        Complex here = response_at(x, w);
        bool sure = response_rounding(x) < 1e-6 * cabs(here);
        peak = fmax(peak, sure ? 1 / cabs(1 + here) : 0);
        double a = cabs(before), b = cabs(here);
        bool one = (a - 1) * (b - 1) < 0 && fmin(fabs(a - 1), fabs(b - 1)) > 1e-9;
        bool real = cimag(before) * cimag(here) < 0 && creal(before) < 0 && creal(here) < 0 &&
                    fmin(fabs(cimag(before)) / a, fabs(cimag(here)) / b) > 1e-9 &&
                    !on_axis(zero, zeros, w / by, w) && !on_axis(t->pole, t->l->n, w / by, w);
        if (k && sure && one && !near_of(m->phase, m->phase_count, w / by / 1.0001, w * 1.0001))
            fail_msg("network %u, u%d to %s: |L| = 1 near %g", seed, u, t->l->output[y].name, w);
        if (k && sure && real && !near_of(m->gain, m->gain_count, w / by / 1.0001, w * 1.0001))
            fail_msg("network %u, u%d to %s: L < 0 near %g", seed, u, t->l->output[y].name, w);
        crossings += one || real;
        before = here;
    }
    if (!(peak <= m->peak * (1 + 1e-6)) && m->peak > 0 && peak < 1e6)
        fail_msg("network %u, u%d to %s: peak %g, not %g", seed, u, t->l->output[y].name, peak,
                 m->peak);
    responder_free(x);
    channel_response_free(&c);
}

// The answer to a step where no rate of the input enters: the inverse of the Laplace transform G/s along Talbot's contour,
// beyond all poles.
static void answer_is_right(Trial *t, unsigned seed, int u, int y) {
    enum { POINTS = 24 };
    if (t->l->D1 && t->l->D1[u * t->l->p + y] != 0) return;
    double fastest = 1, pi = acos(-1), sum = 0, size = 0;
    for (int i = 0; i < t->l->n; i++) fastest = fmax(fastest, cabs(t->pole[i]));
    double time = 1 / fastest, r = 2 * POINTS / (5 * time);
    for (int k = 0; k < POINTS; k++) {
        double at = k * pi / POINTS, cot = k ? cos(at) / sin(at) : 0;
        Complex s = k ? r * at * (cot + I) : r, det;
        Complex g = network_response(&t->net, s, u, t->part[y], t->flow[y], &det) / s;
        double slope = k ? at + (at * cot - 1) * cot : 0;
        sum += creal(cexp(s * time) * g * (1 + I * slope)) * (k ? 1 : 0.5) * r / POINTS;
        size = fmax(size, cabs(g * s));
    }
    double answer = time_response_at(t->l, u, y, false, time);
    if (!(fabs(answer - sum) < 1e-6 * fmax(size, 1e-6)))
        fail_msg("network %u, u%d to %s at %g s: %.10g, not %.10g", seed, u, t->l->output[y].name,
                 time, answer, sum);
}

static void try_network(unsigned seed) {
    Trial t = {0};
    bool good = open_trial(&t, seed);
    Complex det;
    network_response(&t.net, points[0], 0, 0, false, &det);
    if (good != (det != 0))
        fail_msg("network %u is %s\n%s", seed, good ? "singular, and was taken" : "refused",
                 text_get(&t.net.text));
    if (good) {
        tried++;
        poles_are_right(&t, seed);
        for (int u = 0; u < t.net.inputs; u++)
            for (int y = 0; y < t.l->p; y++) {
                channels++;
                channel_is_right(&t, seed, u, y);
                answer_is_right(&t, seed, u, y);
                margins_are_complete(&t, seed, u, y);
            }
    }
    close_trial(&t);
}

static void test_networks(void **unused) {
    (void)unused;
    for (int k = 0; k < count_of; k++) try_network((unsigned)(first + k));
    print_message("%d networks, %d channels, %d crossings\n", tried, channels, crossings);
    assert_true(tried > count_of / 2);
}

int main(int count, char **words) {
    if (count > 1) count_of = atoi(words[count - 1]);
    if (count > 2) first = atoi(words[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_networks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
