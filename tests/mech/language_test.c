// Mechanisms from text to the equations of the flat model: two ways of writing one thing must give
// the same rates, every port must pass exactly the power that the energy takes up.
#include "../test.h"

#include "lang/lang.h"
#include "mech/expand.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Arena arena;
    Names *names;
    Sources *sources;
    Report report;
    Model *m;
    double *value; // by symbol index
} Made;

// --- from text to numbers ------------------------------------------------------------------------

// A number between -0.8 and 0.8 that depends on the letters of a path only: arm.q1 is arm_q1.
static double number_of(const char *path) {
    uint32_t h = 2166136261u;
    for (; *path; path++)
        if (isalnum((unsigned char)*path)) h = (h ^ (unsigned char)*path) * 16777619u;
    return 1.6 * ((h >> 8) % 10007) / 10007.0 - 0.8;
}

static bool is_free(const Var *v) {
    return v->kind == VAR_MOMENTUM || v->kind == VAR_DISPLACEMENT || v->kind == VAR_EFFORT;
}

static double *slot(const Made *x, int v) {
    return &x->value[expr_symbol_index(x->m->dag, x->m->var[v].symbol)];
}

static void give_values(Made *x) {
    const Model *m = x->m;
    x->value = calloc((size_t)expr_symbol_count(m->dag), sizeof *x->value);
    assert_non_null(x->value);
    for (int v = 0; v < m->var_count; v++)
        *slot(x, v) = is_free(&m->var[v]) ? number_of(name_text(x->names, m->var[v].path)) : NAN;
    for (int round = 0; round < 5; round++) // parameters that need others wait for them
        for (int v = 0; v < m->var_count; v++)
            if (m->var[v].kind == VAR_PARAM)
                *slot(x, v) = expr_evaluate(m->dag, m->var[v].value, x->value);
    for (int v = 0; v + 3 < m->var_count; v++) {
        const char *path = name_text(x->names, m->var[v].path);
        const char *word = strstr(path, "attitude[1]");
        if (!word || m->var[v].kind != VAR_DISPLACEMENT) continue;
        double norm = 0;
        for (int i = 0; i < 4; i++) norm += *slot(x, v + i) * *slot(x, v + i);
        for (int i = 0; i < 4; i++) *slot(x, v + i) /= sqrt(norm);
    }
}

static Made *made(const char *text) {
    Made *x = calloc(1, sizeof *x);
    assert_non_null(x);
    x->names = names_new();
    x->sources = sources_new();
    Syntax *s = lang_load_text(&x->arena, x->names, x->sources, "t.bond", text, strlen(text), NULL,
                               &x->report);
    if (!x->report.errors)
        x->m = lang_instantiate(&x->arena, s, NULL, NULL, NULL, NULL, &x->report);
    if (x->m && !mech_expand(x->m, &x->arena, &x->report)) {
        model_free_expressions(x->m);
        x->m = NULL;
    }
    if (x->m) give_values(x);
    return x;
}

static void unmake(Made *x) {
    if (x->m) model_free_expressions(x->m);
    report_free(&x->report);
    sources_free(x->sources);
    names_free(x->names);
    arena_free(&x->arena);
    free(x->value);
    free(x);
}

static void print_report(Made *x) {
    Text t = {0};
    report_print(&t, &x->report, x->sources);
    print_message("%s", text_get(&t));
    text_free(&t);
}

static Made *sound(const char *text) {
    Made *x = made(text);
    if (!x->m || x->report.errors || x->report.warnings) print_report(x);
    assert_non_null(x->m);
    assert_int_equal(x->report.errors + x->report.warnings, 0);
    return x;
}

static int var_of(const Made *x, const char *path) {
    int v = model_find(x->m, path);
    if (v < 0) fail_msg("there is no variable '%s'", path);
    return v;
}

// The right side of the equation that has the variable alone on its left.
static Expr law_of(const Made *x, int v) {
    for (int i = 0; i < x->m->equation_count; i++)
        if (x->m->equation[i].left == x->m->var[v].symbol) return x->m->equation[i].right;
    fail_msg("no law for '%s'", name_text(x->names, x->m->var[v].path));
    return 0;
}

static double rate_of(const Made *x, const char *path) {
    return expr_evaluate(x->m->dag, law_of(x, x->m->var[var_of(x, path)].der), x->value);
}

static double value_of(const Made *x, const char *path) {
    return expr_evaluate(x->m->dag, law_of(x, var_of(x, path)), x->value);
}

static double start_of(const Made *x, const char *path) {
    return expr_evaluate(x->m->dag, x->m->var[var_of(x, path)].start, x->value);
}

static int count_code(const Made *x, const char *code) {
    int n = 0;
    for (const Remark *r = x->report.first; r; r = r->next)
        n += strcmp(code_info(r->code)->text, code) == 0;
    return n;
}

// Rates of the same variables in two texts.
static void assert_same_rates(const char *a, const char *b, const char *const *path_a,
                              const char *const *path_b, int n) {
    Made *x = sound(a), *y = sound(b);
    for (int i = 0; i < n; i++) assert_near(rate_of(x, path_a[i]), rate_of(y, path_b[i]), 1e-11);
    unmake(x);
    unmake(y);
}

// --- one thing written in two ways ---------------------------------------------------------------

static void test_loops_are_a_way_of_writing(void **state) {
    (void)state;
    const char *loop = "mechanism A\n"
                       "  param n = 3, L = 0.7 {m}\n"
                       "  joint q[1] revolute x: world -> link[1]\n"
                       "  body link[1] mass 2 {kg} cg (0, L/2, 0)\n"
                       "  for i in 2:n\n"
                       "    joint q[i] revolute x: link[i-1] -> link[i] at (0, L, 0)\n"
                       "    body link[i] mass i*(1 {kg}) cg (0, L/2, 0)\n"
                       "  end\n"
                       "  frame tip on link[n] at (0, L, 0)\n"
                       "end\n";
    const char *flat = "mechanism A\n"
                       "  joint q3 revolute x: b -> c at (0, 0.7, 0) {m}\n"
                       "  joint q1 revolute x: world -> a\n"
                       "  joint q2 revolute x: a -> b at (0, 0.7, 0) {m}\n"
                       "  body a mass 2 {kg} cg (0, 0.35, 0) {m}\n"
                       "  body b mass 2 {kg} cg (0, 0.35, 0) {m}\n"
                       "  body c mass 3 {kg} cg (0, 0.35, 0) {m}\n"
                       "end\n";
    const char *x[] = {"q[1].p", "q[2].p", "q[3].p", "q[1].q", "q[3].q"};
    const char *y[] = {"q1.p", "q2.p", "q3.p", "q1.q", "q3.q"};
    assert_same_rates(loop, flat, x, y, 5);
}

static void test_dh_rows_are_poses(void **state) {
    (void)state;
    const char *dh =
        "mechanism A\n"
        "  joint q1 revolute: world -> a dh a 0.4 {m} alpha 90 {deg} d 0.3 {m} theta 20 {deg}\n"
        "  joint q2 prismatic: a -> b dh a 0.1 {m} alpha -90 {deg} theta 0.5 {rad}\n"
        "  body a mass 2 {kg} cg (-0.2, 0.1, 0) {m} inertia (0.2, 0.2, 0.3, 0.01, 0.02, 0.03)\n"
        "    added_mass diag((1, 2, 3, 0.1, 0.2, 0.3))\n"
        "  body b mass 1 {kg} cg (0, 0.1, 0.2) {m}\n"
        "  frame tip on b at (0.1, 0, 0) {m}\n"
        "end\n";
    // The frame at the end of a row is a body of its own, welded to the one that the joint moves.
    const char *poses =
        "mechanism A\n"
        "  joint q1 revolute z: world -> a0 at (0, 0, 0.3) {m} rotated z 20 {deg}\n"
        "  joint w1 fixed: a0 -> a at (0.4, 0, 0) {m} rotated x 90 {deg}\n"
        "  joint q2 prismatic z: a -> b0 rotated z 0.5 {rad}\n"
        "  joint w2 fixed: b0 -> b at (0.1, 0, 0) {m} rotated x -90 {deg}\n"
        "  body a0\n"
        "  body b0\n"
        "  body a mass 2 {kg} cg (-0.2, 0.1, 0) {m} inertia (0.2, 0.2, 0.3, 0.01, 0.02, 0.03)\n"
        "    added_mass diag((1, 2, 3, 0.1, 0.2, 0.3))\n"
        "  body b mass 1 {kg} cg (0, 0.1, 0.2) {m}\n"
        "  frame tip on b at (0.1, 0, 0) {m}\n"
        "end\n";
    const char *path[] = {"q1.p", "q2.p", "q1.q", "q2.q"};
    assert_same_rates(dh, poses, path, path, 4);
    Made *x = sound(dh), *y = sound(poses);
    const char *place[] = {"tip.position[1]", "tip.position[2]",   "tip.position[3]",
                           "tip.f[4]",        "tip.rotation[1,2]", "tip.f[1]"};
    for (int i = 0; i < 6; i++) assert_near(value_of(x, place[i]), value_of(y, place[i]), 1e-12);
    unmake(x);
    unmake(y);
}

static void test_modified_dh_rows(void **state) {
    (void)state;
    const char *mdh = "mechanism A\n"
                      "  joint q1 revolute: world -> a mdh d 0.3 {m}\n"
                      "  joint q2 revolute z: a -> b mdh a 0.1 {m} alpha 90 {deg} theta 0.5 {rad}\n"
                      "  body a mass 2 {kg} cg (0.2, 0.1, 0) {m}\n"
                      "  body b mass 1 {kg} cg (0, 0.1, 0.2) {m}\n"
                      "end\n";
    const char *poses =
        "mechanism A\n"
        "  joint q1 revolute z: world -> a at (0, 0, 0.3) {m}\n"
        "  joint q2 revolute z: a -> b at (0.1, 0, 0) {m} rotated x 90 {deg}, z 0.5\n"
        "  body a mass 2 {kg} cg (0.2, 0.1, 0) {m}\n"
        "  body b mass 1 {kg} cg (0, 0.1, 0.2) {m}\n"
        "end\n";
    const char *path[] = {"q1.p", "q2.p", "q1.q"};
    assert_same_rates(mdh, poses, path, path, 3);
}

static const char *const arm_class = "mechanism Arm\n"
                                     "  param m = 2 {kg}\n"
                                     "  joint q1 revolute z: world -> upper at (0.1, 0, 0) {m}\n"
                                     "  joint q2 revolute y: upper -> lower at (0.5, 0, 0) {m}\n"
                                     "  body upper mass m cg (0.25, 0, 0) {m} inertia (1, 2, 3)\n"
                                     "  body lower mass 1 {kg} cg (0.25, 0, 0) {m}\n"
                                     "  frame tip on lower at (0.5, 0, 0) {m}\n"
                                     "  frame base on world at (0, 0, 0.1) {m}\n"
                                     "end\n";

static void test_mounted_mechanisms_are_one(void **state) {
    (void)state;
    char mounted[4000], flat[4000];
    snprintf(mounted, sizeof mounted,
             "%smechanism V\n"
             "  joint hull free: world -> deck\n"
             "  body deck mass 20 {kg} inertia (2, 3, 4)\n"
             "  Arm l(m = 3) on deck at (0, 1, 0) {m} rotated x 90 {deg}\n"
             "  Arm r on deck at (0, -1, 0) {m}\n"
             "  frame hand on l.lower in world\n"
             "end\n",
             arm_class);
    snprintf(flat, sizeof flat,
             "mechanism V\n"
             "  joint hull free: world -> deck\n"
             "  body deck mass 20 {kg} inertia (2, 3, 4)\n"
             "  joint lq1 revolute z: deck -> lu at (0.1, 1, 0) {m} rotated x 90 {deg}\n"
             "  joint lq2 revolute y: lu -> ll at (0.5, 0, 0) {m}\n"
             "  joint rq1 revolute z: deck -> ru at (0.1, -1, 0) {m}\n"
             "  joint rq2 revolute y: ru -> rl at (0.5, 0, 0) {m}\n"
             "  body lu mass 3 {kg} cg (0.25, 0, 0) {m} inertia (1, 2, 3)\n"
             "  body ll mass 1 {kg} cg (0.25, 0, 0) {m}\n"
             "  body ru mass 2 {kg} cg (0.25, 0, 0) {m} inertia (1, 2, 3)\n"
             "  body rl mass 1 {kg} cg (0.25, 0, 0) {m}\n"
             "  frame hand on ll in world\n"
             "  frame lbase on deck at (0, 0.9, 0) {m} rotated x 90 {deg}\n"
             "end\n");
    const char *a[] = {"l.q1.p",    "l.q2.p",    "r.q1.p", "r.q2.p",
                       "hull.p[1]", "hull.p[6]", "l.q1.q", "hull.attitude[2]"};
    const char *b[] = {"lq1.p",     "lq2.p",     "rq1.p", "rq2.p",
                       "hull.p[1]", "hull.p[6]", "lq1.q", "hull.attitude[2]"};
    assert_same_rates(mounted, flat, a, b, 8);
    Made *x = sound(mounted), *y = sound(flat);
    assert_int_equal(x->m->mechanism_count, 1);
    assert_int_equal(x->m->comp_count, 1);
    assert_near(value_of(x, "hand.f[2]"), value_of(y, "hand.f[2]"), 1e-12);
    for (int i = 1; i <= 3; i++) {
        char path[2][40];
        snprintf(path[0], sizeof path[0], "l.base.position[%d]", i);
        snprintf(path[1], sizeof path[1], "lbase.position[%d]", i);
        assert_near(value_of(x, path[0]), value_of(y, path[1]), 1e-12);
    }
    unmake(x);
    unmake(y);
}

static void test_the_order_of_statements_does_not_matter(void **state) {
    (void)state;
    const char *one = "mechanism A\n"
                      "  param L = 0.5 {m}\n"
                      "  joint a revolute z: world -> u\n"
                      "  joint b prismatic x: u -> w at (L, 0, 0)\n"
                      "  body u mass 1 {kg} cg (L, 0, 0)\n"
                      "  body w mass 2 {kg}\n"
                      "  frame t on w\n"
                      "end\n";
    const char *other = "mechanism A\n"
                        "  frame t on w\n"
                        "  body w mass 2 {kg}\n"
                        "  joint b prismatic x: u -> w at (L, 0, 0)\n"
                        "  body u mass 1 {kg} cg (L, 0, 0)\n"
                        "  joint a revolute z: world -> u\n"
                        "  param L = 0.5 {m}\n"
                        "end\n";
    Made *x = sound(one), *y = sound(other);
    Text s = {0}, t = {0};
    model_dump(&s, x->m);
    model_dump(&t, y->m);
    assert_string_equal(text_get(&s), text_get(&t));
    text_free(&s);
    text_free(&t);
    unmake(x);
    unmake(y);
}

// --- bodies --------------------------------------------------------------------------------------

static const MechBody *body_named(const Made *x, const char *path) {
    const Mechanism *m = &x->m->mechanism[0];
    for (int i = 0; i < m->body_count; i++)
        if (strcmp(name_text(x->names, m->body[i].name), path) == 0) return &m->body[i];
    fail_msg("no body '%s'", path);
    return NULL;
}

static void assert_body(const Made *x, const char *path, double mass, double xx, double yy,
                        double zz) {
    const MechBody *b = body_named(x, path);
    const double inertia[] = {xx, yy, zz};
    assert_near(expr_evaluate(x->m->dag, b->mass, x->value), mass, 1e-12 * mass);
    for (int i = 0; i < 3; i++)
        assert_near(expr_evaluate(x->m->dag, b->inertia[4 * i], x->value), inertia[i],
                    1e-12 * mass);
}

static void test_shapes(void **state) {
    (void)state;
    Made *x = sound("mechanism A\n"
                    "  joint q1 revolute z: world -> box\n"
                    "  joint q2 revolute z: box -> rod\n"
                    "  joint q3 revolute z: rod -> ball\n"
                    "  joint q4 revolute z: ball -> pipe\n"
                    "  joint q5 revolute z: pipe -> tilted\n"
                    "  param s = 2 {m}\n"
                    "  body box box (1 {m}, s, 3 {m}) density 2 {kg/m3} at (1, 0, 0) {m}\n"
                    "  body rod cylinder (0.5, 2) {m} mass 3 {kg}\n"
                    "  body ball sphere 50 {cm} density 1 {g}/(1000 {cm3})\n"
                    "  body pipe tube (0.5, 0.3, 2) {m} density 10 {kg/m3}\n"
                    "  body tilted cylinder (0.5, 2) {m} mass 3 {kg} rotated y 90 {deg}\n"
                    "end\n");
    const double pi = 3.14159265358979323846;
    assert_body(x, "box", 12, 13, 10, 5);
    assert_body(x, "rod", 3, 3 * (0.75 + 4) / 12, 3 * (0.75 + 4) / 12, 0.375);
    double ball = 4 * pi / 3 * 0.125, pipe = 10 * pi * 0.16 * 2;
    assert_body(x, "ball", ball, 0.1 * ball, 0.1 * ball, 0.1 * ball);
    assert_body(x, "pipe", pipe, pipe * (3 * 0.34 + 4) / 12, pipe * (3 * 0.34 + 4) / 12,
                pipe * 0.17);
    assert_body(x, "tilted", 3, 0.375, 3 * (0.75 + 4) / 12, 3 * (0.75 + 4) / 12);
    unmake(x);
}

static void test_inertia_in_three_forms(void **state) {
    (void)state;
    Made *x = sound("mechanism A\n"
                    "  joint q1 revolute z: world -> a\n"
                    "  joint q2 revolute z: a -> b\n"
                    "  body a mass 1 {kg} inertia (2, 3, 4, 0.1, 0.2, 0.3) {kg.m2}\n"
                    "  body b mass 1 {kg} inertia [2, 0.1, 0.2; 0.1, 3, 0.3; 0.2, 0.3, 4]\n"
                    "end\n");
    for (int i = 0; i < 9; i++)
        assert_int_equal(body_named(x, "a")->inertia[i], body_named(x, "b")->inertia[i]);
    unmake(x);
}

static void test_right_angles_fold(void **state) {
    (void)state;
    Made *x =
        sound("mechanism A\n"
              "  joint q1 revolute z: world -> a rotated z 90 {deg}, x -90 {deg}, y 180 {deg}\n"
              "  body a mass 1 {kg} inertia (1, 1, 1)\n"
              "end\n");
    for (int i = 0; i < 9; i++) {
        double r;
        assert_true(expr_is_number(x->m->dag, x->m->mechanism[0].joint[0].rotation[i], &r));
        assert_true(r == 0 || r == 1 || r == -1);
    }
    unmake(x);
}

// --- ports ---------------------------------------------------------------------------------------

static const char *const every_kind =
    "mechanism All\n"
    "  joint j1 free: world -> a initial at (1, 2, 3) {m} rotated z 0.3, y -0.2\n"
    "  joint j2 revolute (1, 2, 2): a -> b at (0.3, 0.1, 0) {m} rotated x 0.4\n"
    "  joint j3 prismatic -y: b -> c at (0.2, 0, 0.1) {m}\n"
    "  joint j4 helical x pitch 0.1 {m/rad}: c -> d at (0.1, 0.2, 0) {m}\n"
    "  joint j5 cylindrical y: d -> e at (0, 0.1, 0.3) {m}\n"
    "  joint j6 universal x y: a -> f at (-0.3, 0, 0.2) {m}\n"
    "  joint j7 planar z: f -> g at (0.1, 0.1, 0.1) {m}\n"
    "  joint j8 spherical: g -> h at (0, 0.3, 0) {m}\n"
    "  joint j9 fixed: h -> i at (0.1, 0, 0) {m} rotated (1, 1, 1) 0.7\n"
    "  body a mass 4 {kg} cg (0.1, 0, 0) {m} inertia (1, 2, 2.5)\n"
    "  body b mass 3 {kg} cg (0, 0.1, 0) {m} inertia (0.2, 0.3, 0.3)\n"
    "  body c mass 2 {kg} cg (0, 0, 0.1) {m} inertia (0.2, 0.3, 0.3)\n"
    "  body d mass 2 {kg} cg (0.1, 0, 0.1) {m} inertia (0.2, 0.3, 0.3)\n"
    "  body e mass 2 {kg} cg (0.2, 0, 0.1) {m} inertia (0.2, 0.3, 0.3, 0.05, 0, 0.02)\n"
    "  body f mass 1 {kg} cg (0.1, 0.2, 0) {m} inertia (0.2, 0.3, 0.3)\n"
    "  body g mass 1 {kg} cg (0.1, 0.2, 0) {m} inertia (0.2, 0.3, 0.3)\n"
    "  body h mass 1 {kg} cg (0.1, 0.2, 0) {m} inertia (0.2, 0.3, 0.3)\n"
    "    added_mass diag((1, 2, 3, 0.1, 0.2, 0.3))\n"
    "  body i mass 1 {kg} cg (0.1, 0.2, 0) {m} inertia (0.2, 0.3, 0.3)\n"
    "  frame t1 on e at (0.1, 0.2, 0.3) {m} rotated y 0.3\n"
    "  frame t2 on i at (0.3, 0.2, 0.1) {m} rotated z 0.5 in world\n"
    "end\n"
    "model M\n"
    "  All x\n"
    "  Se a = (1, 2, 3, 4, 5, 6), b = (1, 2, 3), c = (1, 2), d = (1, 2), e = (1, 2, 3)\n"
    "  Se r = 1, p = 1, h = 1, s = (1, 2, 3), t = (1, 2, 3, 4, 5, 6), w = 1\n"
    "  a -> x.j1\n"
    "  r -> x.j2\n"
    "  p -> x.j3\n"
    "  h -> x.j4\n"
    "  c -> x.j5\n"
    "  d -> x.j6\n"
    "  e -> x.j7\n"
    "  s -> x.j8\n"
    "  t -> x.t1\n"
    "  b -> x.t2[1:3]\n"
    "  w -> x.t2[5]\n"
    "end\n";

// The rate of the stored energy along the equations is the power through all ports.
static void test_every_port_passes_its_power(void **state) {
    (void)state;
    Made *x = sound(every_kind);
    const Model *m = x->m;
    const Mechanism *k = &m->mechanism[0];
    Rates *along = rates_new(dag_grow(m->dag));
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].der >= 0) rates_set(along, m->var[v].symbol, law_of(x, m->var[v].der));
    double taken = expr_evaluate(m->dag, rates_of(along, m->comp[k->comp].stored), x->value);
    double given = 0;
    const Comp *c = &m->comp[k->comp];
    for (int p = c->first_port; p < c->first_port + c->port_count; p++)
        for (int i = 0; i < m->port[p].dim; i++)
            given += *slot(x, m->port[p].e + i) *
                     expr_evaluate(m->dag, law_of(x, m->port[p].f + i), x->value);
    assert_true(fabs(given) > 0.1);
    assert_near(taken, given, 1e-11);
    rates_free(along);
    unmake(x);
}

static void test_ports_are_what_is_bonded(void **state) {
    (void)state;
    Made *x = sound(every_kind);
    const Model *m = x->m;
    const Comp *c = &m->comp[m->mechanism[0].comp];
    assert_int_equal(c->kind, COMP_FIELD);
    assert_int_equal(c->port_count, 11); // t2 is bonded in two stretches
    const Port *last = &m->port[c->first_port + 10];
    assert_string_equal(name_text(x->names, last->name), "t2");
    assert_int_equal(last->dim, 1);
    assert_int_equal(last->part, 4);
    assert_int_equal(last->e, var_of(x, "x.t2.e[5]"));
    assert_int_equal(m->var[var_of(x, "x.t2.e[5]")].kind, VAR_EFFORT);
    assert_int_equal(m->var[var_of(x, "x.t2.e[4]")].kind, VAR_LOCAL);
    assert_near(value_of(x, "x.t2.e[4]"), 0, 0);
    for (int i = 0; i < c->equation_count; i++)
        assert_int_equal(m->equation[c->first_equation + i].comp, m->mechanism[0].comp);
    unmake(x);
}

static void test_units_of_signals(void **state) {
    (void)state;
    Made *x = sound(every_kind);
    const struct {
        const char *path, *unit;
    } row[] = {{"x.j1.position[2]", "m"}, {"x.j1.f[3]", "m/s"},     {"x.j1.f[4]", "rad/s"},
               {"x.j1.e[3]", "N"},        {"x.j1.e[4]", "N.m"},     {"x.j1.p[3]", "N.s"},
               {"x.j1.p[4]", "N.m.s"},    {"x.j2.q", "rad"},        {"x.j3.q", "m"},
               {"x.j5.q[1]", "m"},        {"x.j5.q[2]", "rad"},     {"x.j7.f0[3]", "rad/s"},
               {"x.energy", "J"},         {"x.momentum[3]", "N.s"}, {"x.momentum[4]", "N.m.s"},
               {"der(x.j2.q)", "rad/s"},  {"der(x.j3.p)", "N"},     {"x.t1.f[6]", "rad/s"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        assert_string_equal(name_text(x->names, x->m->var[var_of(x, row[i].path)].unit),
                            row[i].unit);
    unmake(x);
}

// A force in world axes moves the momentum of the whole by itself, whatever the frame's attitude.
static void test_world_axes(void **state) {
    (void)state;
    Made *x = sound("mechanism A\n"
                    "  gravity off\n"
                    "  joint hull free: world -> a\n"
                    "  body a mass 2 {kg} cg (0.1, 0.2, 0.3) {m} inertia (1, 2, 2.5)\n"
                    "  frame t on a at (1, 0, 0) {m} rotated x 0.7 in world\n"
                    "end\n"
                    "model M\n"
                    "  A a\n"
                    "  Se f = (1, 2, 3)\n"
                    "  f -> a.t[1:3]\n"
                    "end\n");
    Rates *along = rates_new(dag_grow(x->m->dag));
    for (int v = 0; v < x->m->var_count; v++)
        if (x->m->var[v].der >= 0)
            rates_set(along, x->m->var[v].symbol, law_of(x, x->m->var[v].der));
    for (int i = 0; i < 3; i++) {
        Expr momentum = law_of(x, x->m->mechanism[0].momentum + i);
        assert_near(expr_evaluate(x->m->dag, rates_of(along, momentum), x->value),
                    *slot(x, var_of(x, "a.t.e[1]") + i), 1e-12);
    }
    rates_free(along);
    unmake(x);
}

// --- the start -----------------------------------------------------------------------------------

static void test_start_values(void **state) {
    (void)state;
    Made *x = sound("mechanism A\n"
                    "  joint hull free: world -> a initial at (1, 2, 3) {m} rotated z 90 {deg}\n"
                    "    rate (1 {m/s}, 0, 0, 0, 0, 2 {rad/s})\n"
                    "  joint ball spherical: a -> b initial attitude (2, 0, 0, 0)\n"
                    "  joint slide cylindrical x: b -> c initial (0.1 {m}, 20 {deg})\n"
                    "  body a mass 2 {kg} inertia (1, 2, 2.5)\n"
                    "  body b mass 1 {kg} inertia (1, 1, 1)\n"
                    "  body c mass 1 {kg} inertia (1, 1, 1)\n"
                    "end\n");
    assert_near(start_of(x, "hull.position[3]"), 3, 0);
    assert_near(start_of(x, "hull.attitude[1]"), sqrt(0.5), 1e-15);
    assert_near(start_of(x, "hull.attitude[4]"), sqrt(0.5), 1e-15);
    assert_near(start_of(x, "ball.attitude[1]"), 1, 1e-15);
    assert_near(start_of(x, "slide.q[1]"), 0.1, 1e-15);
    assert_near(start_of(x, "slide.q[2]"), 20 * 3.14159265358979323846 / 180, 1e-15);
    // all bodies share the velocity; c lies 0.1 m off the axis of rotation along x
    assert_near(start_of(x, "hull.p[1]"), 4, 1e-12);
    assert_near(start_of(x, "hull.p[2]"), 2 * 0.1, 1e-12);
    assert_near(start_of(x, "hull.p[6]"), 2 * (2.5 + 1 + 1 + 0.01), 1e-12);
    unmake(x);
}

static void test_experiments_set_starts(void **state) {
    (void)state;
    Made *x = sound("mechanism A\n"
                    "  param phi = 1 {rad}\n"
                    "  joint q1 revolute z: world -> a initial phi\n"
                    "  body a mass 2 {kg} cg (1, 0, 0) {m}\n"
                    "end\n"
                    "experiment X of A\n"
                    "  set q1.f0 = 3 {rad/s}, phi = 90 {deg}\n"
                    "  stop 1 {s}\n"
                    "end\n");
    assert_near(start_of(x, "q1.q"), 1.57079632679489661923, 1e-15);
    assert_near(start_of(x, "q1.p"), 6, 1e-12);
    unmake(x);
}

// --- mistakes and the rest -----------------------------------------------------------------------

static void test_mistakes_are_told_once(void **state) {
    (void)state;
    const struct {
        const char *text, *code;
    } wrong[] = {
        {"mechanism A\n  joint a revolute z: world -> u\n  B u on a\n  body u\nend\n", "L002"},
        {"mechanism B\n  joint a revolute z: world -> u\n  body u mass 1 {kg} cg (1,0,0)\nend\n"
         "mechanism A\n  B one on two.u\n  B two on one.u\nend\n",
         "M027"},
        {"mechanism A\n  A again on u\n  joint a revolute z: world -> u\n  body u\nend\n", "L008"},
        {"mechanism A\n  joint a revolute z: world -> u[1]\n  body u[2] mass 1 {kg}\nend\n",
         "M023"},
        {"mechanism A\n  joint a revolute z: world -> u\n  body u mass 1 {kg} cg (1, 0, 0) {m}\n"
         "  frame f on u in nobody\nend\n",
         "M023"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        Made *x = made(wrong[i].text);
        assert_null(x->m);
        if (count_code(x, wrong[i].code) != 1) print_report(x);
        assert_int_equal(count_code(x, wrong[i].code), 1);
        unmake(x);
    }
}

static void test_gravity_may_change(void **state) {
    (void)state;
    Made *x = sound("mechanism A\n"
                    "  input g = 9.81 {m/s2}\n"
                    "  gravity (0, 0, -g*cos(time/(1 {s})))\n"
                    "  joint q1 revolute y: world -> a\n"
                    "  body a mass 2 {kg} cg (1, 0, 0) {m}\n"
                    "end\n");
    assert_true(x->m->mechanism[0].open_gravity);
    assert_int_equal(x->m->comp[0].stored, 0);
    unmake(x);
}

static void test_models_without_mechanisms_stay(void **state) {
    (void)state;
    Made *x = sound("model M\n  Se f = 1 {N}\n  I m(2 {kg})\n  f -> m\nend\n");
    assert_int_equal(x->m->mechanism_count, 0);
    assert_int_equal(x->m->equation_count, 3);
    unmake(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops_are_a_way_of_writing),
        cmocka_unit_test(test_dh_rows_are_poses),
        cmocka_unit_test(test_modified_dh_rows),
        cmocka_unit_test(test_mounted_mechanisms_are_one),
        cmocka_unit_test(test_the_order_of_statements_does_not_matter),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_inertia_in_three_forms),
        cmocka_unit_test(test_right_angles_fold),
        cmocka_unit_test(test_every_port_passes_its_power),
        cmocka_unit_test(test_ports_are_what_is_bonded),
        cmocka_unit_test(test_units_of_signals),
        cmocka_unit_test(test_world_axes),
        cmocka_unit_test(test_start_values),
        cmocka_unit_test(test_experiments_set_starts),
        cmocka_unit_test(test_mistakes_are_told_once),
        cmocka_unit_test(test_gravity_may_change),
        cmocka_unit_test(test_models_without_mechanisms_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
