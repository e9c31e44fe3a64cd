// Slopes of poles by parameters, through loops, constraints and moving steady points: against Richardson differences of the poles.
#include "../test.h"

#include "../pipeline.h"
#include "analysis/sensitivity.h"
#include "analysis/steady.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *text;
    bool steady;
    const char *free, *given; // Nullable
    int states, blocks, left; // at least so many unknown blocks; states that constraints determine
} Case;

typedef struct {
    Built b;
    LinearPlan plan;
} Opened;

static void open_case(Opened *o, const Case *c) {
    LinearOptions wish = {.free = &c->free,
                          .free_count = c->free != NULL,
                          .given = &c->given,
                          .given_count = c->given != NULL};
    *o = (Opened){0};
    LangOptions with = build_open(&o->b, NULL);
    Syntax *syntax = lang_load_text(&o->b.tree, o->b.names, o->b.sources, "test.bond", c->text,
                                    strlen(c->text), &with, &o->b.report);
    PipelineOptions p = {.lang = with, .last = STAGE_MODEL};
    if (!pipeline_build(&o->b.pipeline, syntax, &p, &o->b.report)) {
        Text text = {0};
        report_print(&text, &o->b.report, o->b.sources);
        printf("%s", text_get(&text));
        fail();
    }
    assert_true(
        linear_open(o->b.pipeline.model, &o->b.pipeline.arena, &wish, &o->plan, &o->b.report));
    p.last = STAGE_SYSTEM;
    assert_true(pipeline_finish(&o->b.pipeline, &p, &o->b.report));
}

// The linear model with a parameter at a value; var < 0: as it is.
static LinearModel *model_with(Opened *o, const Case *c, int var, double value, Reached *at) {
    RunOptions run = {.experiment = o->b.pipeline.experiment,
                      .engine = ENGINE_VM,
                      .set_var = &var,
                      .set_value = &value,
                      .set_count = var >= 0};
    assert_true(linear_reach(at, o->b.pipeline.system, &run, true, 0, &o->b.report));
    SteadyPoint *point = c->steady ? steady_find(&o->plan, at, &o->b.report) : NULL;
    assert_true(!c->steady || point);
    steady_free(point);
    LinearModel *l = linear_model(&o->plan, at, &o->b.report);
    assert_non_null(l);
    return l;
}

// The pole nearest to one with a parameter at a value.
static Complex pole_with(Opened *o, const Case *c, int var, double value, Complex near) {
    Reached at = {0};
    LinearModel *l = model_with(o, c, var, value, &at);
    Complex *pole = memory_zeroed((size_t)l->n + 1, sizeof *pole), best = INFINITY;
    assert_true(dense_eigen(l->n, l->A, pole, NULL, NULL));
    for (int i = 0; i < l->n; i++)
        if (cabs(pole[i] - near) < cabs(best - near)) best = pole[i];
    free(pole);
    linear_model_free(l);
    reached_free(&at);
    return best;
}

static int variable(const Model *m, const char *name) {
    for (int i = 0; i < m->var_count; i++)
        if (strcmp(name_text(m->names, m->var[i].path), name) == 0) return i;
    fail();
    return -1;
}

// (64 D(h) - 20 D(2h) + D(4h))/45 of central differences D, with h a thousandth of the value: rounding is 1e-12 of the pole, and what is
// left out the sixth power of h.
static Complex difference(Opened *o, const Case *c, int var, double value, Complex pole) {
    static const double by[] = {64, -20, 1};
    double h = 1e-3 * fabs(value);
    Complex sum = 0;
    for (int k = 0; k < 3; k++, h *= 2)
        sum += by[k] *
               (pole_with(o, c, var, value + h, pole) - pole_with(o, c, var, value - h, pole)) /
               (2 * h);
    return sum / 45;
}

static void compare(const Case *c) {
    Opened o;
    Reached at = {0};
    open_case(&o, c);
    LinearModel *l = model_with(&o, c, -1, 0, &at);
    assert_int_equal(l->n, c->states);
    assert_true(at.system->block_count >= c->blocks);
    assert_true(l->left_count >= c->left);
    Poles *m = poles_of(l, &o.b.report);
    PoleSlopes *p = pole_slopes(&o.plan, &at, m, c->steady, &o.b.report);
    assert_non_null(p);
    assert_true(p->parameters > 1);
    double largest = 0, moved = 0;
    for (int i = 0; i < m->count; i++) largest = fmax(largest, cabs(m->mode[i].value));
    for (int i = 0; i < p->modes; i++)
        for (int j = 0; j < p->parameters; j++) {
            if (p->value[j] == 0) continue;
            int var = variable(o.b.pipeline.model, p->name[j]);
            Complex d = difference(&o, c, var, p->value[j], m->mode[i].value),
                    s = p->slope[i * p->parameters + j];
            moved = fmax(moved, cabs(s * p->value[j]));
            assert_near(cabs(d - s) * fabs(p->value[j]), 0, 1e-8 * largest);
        }
    assert_true(moved > 1e-2 * largest); // not zeros
    pole_slopes_free(p);
    poles_free(m);
    linear_model_free(l);
    reached_free(&at);
    build_free(&o.b);
}

static const char nonlinear_loop[] =
    "model M\n  param a = 2, b = 0.5, c = 0.3, k = 3, d = 0.4\n  var x initial 0.8, v initial 0.3\n"
    "  var y, u\n  der(x)*1 {s} = v\n  der(v)*1 {s} = -k*y - d*v*abs(u) + 1\n"
    "  y + b*y^3 = a*x + c*v*y + 0.1*u\n  u = exp(0.2*y) - 0.3*u*x*y\nend\n";

static void loop_that_is_not_linear(void **state) {
    (void)state;
    compare(&(Case){.text = nonlinear_loop, .states = 2, .blocks = 1});
    compare(&(Case){.text = nonlinear_loop, .states = 2, .blocks = 1, .steady = true});
}

// A full matrix of eight unknowns, which is left to numbers.
static void loop_that_is_linear(void **state) {
    (void)state;
    Text t = {0};
    text_add(&t, "model M\n  param a = 2, b = 0.5, g = 1.5\n  var x initial 0.7, v initial -0.4\n");
    for (int i = 0; i < 8; i++) text_printf(&t, "  var y%d\n", i);
    for (int i = 0; i < 8; i++) {
        text_printf(&t, "  %d*y%d + b*x*y%d", 3 + i, i, (i + 1) % 8);
        for (int j = 0; j < 8; j++)
            if (j != i)
                text_printf(&t, " + a*%g*sin(x + %d)*y%d", 0.1 * ((i * 5 + j * 3) % 7), i, j);
        text_printf(&t, " = g*x*%d + v\n", i % 3 + 1);
    }
    text_add(&t, "  der(x)*1 {s} = y0 - 0.3*y3\n  der(v)*1 {s} = -y5 - a*y7*x - 0.2\nend\n");
    compare(&(Case){.text = text_get(&t), .states = 2, .blocks = 1});
    text_free(&t);
}

// Two inertias behind a lever that has another ratio in every position: one of them depends on the other.
static void derivative_causality(void **state) {
    (void)state;
    static const char text[] =
        "model M\n  param m1 = 2 {kg}, m2 = 3 {kg}, k = 40 {N/m}, d = 1.5 {N.s/m}, r = 0.6\n"
        "  I first(m1)\n  I second(m2)\n  C spring: e = k*q + 9 {N/m3}*q^3\n  R damper(d)\n  1 v, "
        "w\n"
        "  MTF lever(r + 0.2 {1/m}*spring.q)\n  Se weight = 7 {N}\n"
        "  weight -> v -> first, spring\n  v -> lever -> w -> second, damper\n"
        "  initial spring.q = 0.3 {m}\n  initial first.p = 0.8 {N.s}\nend\n";
    compare(&(Case){.text = text, .states = 2});
    compare(&(Case){.text = text, .states = 2, .steady = true});
}

static void write_linkage(Text *t, const char *form, const char *closing) {
    text_printf(
        t,
        "mechanism Linkage\n  %s\n  param a = 1 {m}, b = 3 {m}, c = 2.5 {m}, g0 = 3 {m}, m2 = 3 "
        "{kg}\n"
        "  gravity (0, -9.81, 0) {m/s2}\n"
        "  joint crank revolute z: world -> bar1 initial -9 {deg}\n"
        "  joint knee revolute z: bar1 -> bar2 at (a, 0, 0) initial about 70 {deg}\n"
        "  joint rocker revolute z: world -> bar3 at (g0, 0, 0) initial about 102 {deg}\n"
        "  body bar1 mass 2 {kg} cg (a/2, 0, 0) inertia (0.2, 0.2, 0.2) {kg.m2}\n"
        "  body bar2 mass m2 cg (b/2, 0, 0) inertia (2, 2, 2) {kg.m2}\n"
        "  body bar3 mass 2.5 {kg} cg (c/2, 0, 0) inertia (1.2, 1.2, 1.2) {kg.m2}\n"
        "  frame end2 on bar2 at (b, 0, 0) in world\n  frame end3 on bar3 at (c, 0, 0) in world\n"
        "  constraint pin %s: end2 -> end3\nend\n",
        form, closing);
    text_add(t, "model M\n  param k = 200 {N.m/rad}, d = 3 {N.m.s/rad}\n  Linkage bars\n  MSe "
                "spring = -k*bars.crank.q\n"
                "  R damper(d)\n  1 turn\n  bars.crank -> turn -> damper\n  spring -> turn\nend\n");
}

// With momenta, closed in the plane; with velocities, closed by a hinge whose other conditions repeat what is held already.
static void closed_mechanism(void **state) {
    (void)state;
    static const char *const form[] = {"form momentum", "form lagrange"};
    static const char *const closing[] = {"line z", "revolute z"};
    for (int i = 0; i < 2; i++) {
        Text t = {0};
        write_linkage(&t, form[i], closing[i]);
        compare(&(Case){.text = text_get(&t), .states = 2, .left = 4, .steady = true});
        text_free(&t);
    }
}

// x and y on a circle: one of them is the state, by choice; x here, which stays where it starts, or where the weight hangs at rest.
static void chosen_states(void **state) {
    (void)state;
    static const char *const start[] = {"x {m} initial 0.3, y {m}", "x {m}, y {m} initial -1.9"};
    for (int steady = 0; steady < 2; steady++) {
        Text t = {0};
        text_printf(&t,
                    "model M\n  param l = 2 {m}, g = 9.81 {m/s2}, d = 0.3 {1/s}, a = 1.5 {m/s2}\n"
                    "  var %s, u {m/s}, v {m/s}, lambda {1/s2}\n"
                    "  der(x) = u\n  der(y) = v\n  der(u) = -lambda*x - d*u + a\n"
                    "  der(v) = -lambda*y - d*v - g\n  x^2 + y^2 = l^2\nend\n",
                    start[steady]);
        compare(&(Case){.text = text_get(&t), .states = 2, .blocks = 1, .steady = steady});
        text_free(&t);
    }
}

// What is free moves, so that what is given stays; the distance travelled is cyclic.
static void trimmed_point(void **state) {
    (void)state;
    static const char text[] = "model M\n  param a = 2, b = 0.5, c = 0.7\n  input u = 0.1\n  var x "
                               "initial 0.4, v initial 0.9, s\n"
                               "  der(x)*1 {s} = v^3 - x*v\n  der(v)*1 {s} = u - a*v - b*x^2 - "
                               "c*x*v*u\n  der(s)*1 {s} = v\nend\n";
    compare(&(Case){.text = text, .states = 3, .steady = true, .free = "u", .given = "x = 0.5"});
}

// Equal poles of a chain part by the root of a change; the third one has its slope.
static void repeated_poles(void **state) {
    (void)state;
    static const char text[] =
        "model M\n  param a = 2, b = 2, c = 5\n  var x, y, z\n  der(x)*1 {s} = y - a*x\n"
        "  der(y)*1 {s} = -b*y\n  der(z)*1 {s} = -c*z\nend\n";
    const Case c = {.text = text};
    Opened o;
    Reached at = {0};
    open_case(&o, &c);
    LinearModel *l = model_with(&o, &c, -1, 0, &at);
    Poles *m = poles_of(l, &o.b.report);
    PoleSlopes *p = pole_slopes(&o.plan, &at, m, false, &o.b.report);
    assert_non_null(p);
    assert_int_equal(p->modes, 3);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < p->parameters; j++) {
            Complex s = p->slope[i * p->parameters + j];
            bool third = creal(m->mode[i].value) < -4;
            if (third)
                assert_near(creal(s), strcmp(p->name[j], "c") ? 0 : -1, 1e-14);
            else
                assert_true(isnan(creal(s)));
        }
    pole_slopes_free(p);
    poles_free(m);
    linear_model_free(l);
    reached_free(&at);
    build_free(&o.b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_that_is_not_linear), cmocka_unit_test(loop_that_is_linear),
        cmocka_unit_test(derivative_causality),    cmocka_unit_test(closed_mechanism),
        cmocka_unit_test(chosen_states),           cmocka_unit_test(trimmed_point),
        cmocka_unit_test(repeated_poles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
