// Joints that follow others in proportion (`driven by -2*left.q`, mimic joints of a URDF) are put
// in, not constrained. Random trees on the world or on a free body, with chains of followers,
// followers of two joints, on other branches and inside of the leader's own; springs, stops
// (touched from the start) and loads act on followers too. Oracle: the same robot whose followers
// have a motion of time of size zero beside the proportion, so that constraints hold them. Both in
// both forms.
//
// An argument says how many random robots are tried.
#include "../expr/random.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

static int seeds = 12;

enum { MOST = 10, MOST_PARTS = 48 };

typedef struct {
    bool slides, follows, bonded, stopped;
    int parent, leader[2]; // -1: world, none
    double factor[2], offset, axis[3], at[3], cg[3], mass, q, rate;
} Part;

typedef struct {
    int n;
    bool free;
    Part part[MOST_PARTS];
} Robot;

static Robot random_robot(Random *r) {
    Robot x = {.n = 3 + random_below(r, MOST - 3), .free = random_below(r, 3) == 0};
    for (int i = 0; i < x.n; i++) {
        Part *p = &x.part[i];
        p->slides = random_below(r, 4) == 0;
        p->parent = random_below(r, i + 1) - 1;
        p->follows = i > 0 && random_below(r, 2);
        p->bonded = random_below(r, 3) == 0;
        p->stopped = random_below(r, 4) == 0;
        p->leader[0] = i ? random_below(r, i) : -1;
        p->leader[1] = i > 1 && random_below(r, 4) == 0 ? random_below(r, i) : -1;
        if (p->leader[1] == p->leader[0]) p->leader[1] = -1;
        for (int k = 0; k < 2; k++)
            p->factor[k] = random_between(r, 0.4, 1.6) * (random_below(r, 2) ? 1 : -1);
        p->offset = random_between(r, -0.3, 0.3);
        for (int k = 0; k < 3; k++) {
            p->axis[k] = random_between(r, -1, 1);
            p->at[k] = random_between(r, -0.4, 0.4);
            p->cg[k] = random_between(r, -0.1, 0.1);
        }
        p->mass = random_between(r, 0.5, 3);
        p->q = random_between(r, -0.5, 0.5);
        p->rate = random_between(r, -0.6, 0.6);
    }
    return x;
}

static void write_follower(Text *t, const Robot *x, const Part *p, bool held) {
    text_printf(t, " driven by %.6g {%s}", p->offset, p->slides ? "m" : "rad");
    for (int k = 0; k < 2; k++)
        if (p->leader[k] >= 0)
            text_printf(t, " + %.6g {%s/%s}*j%d.q", p->factor[k], p->slides ? "m" : "rad",
                        x->part[p->leader[k]].slides ? "m" : "rad", p->leader[k]);
    if (held)
        text_printf(t, " + %s*sin(3 {rad/s}*time)", p->slides ? "none*1 {m}" : "none*1 {rad}");
}

typedef enum { FOLLOWING, HELD, FREELY } How;

static void write_robot(Text *t, const Robot *x, const char *name, const char *form, How how) {
    text_printf(t,
                "mechanism %s\n  param none = 0\n  form %s\n  gravity (0.4, -0.8, -9.81) {m/s2}\n",
                name, form);
    if (x->free)
        text_add(t, "  joint base free: world -> trunk rate (0.1, 0.2, 0.3, 0.3, -0.2, 0.1)\n"
                    "  body trunk mass 8 {kg} inertia (0.4, 0.5, 0.6) {kg.m2}\n");
    for (int i = 0; i < x->n; i++) {
        const Part *p = &x->part[i];
        const char *unit = p->slides ? "m" : "rad", *effort = p->slides ? "N" : "N.m";
        char on[16] = "world";
        if (x->free) snprintf(on, sizeof on, "trunk");
        if (p->parent >= 0) snprintf(on, sizeof on, "b%d", p->parent);
        text_printf(t, "  joint j%d %s (%.6g, %.6g, %.6g): %s -> b%d at (%.6g, %.6g, %.6g) {m}", i,
                    p->slides ? "prismatic" : "revolute", p->axis[0], p->axis[1], p->axis[2], on, i,
                    p->at[0], p->at[1], p->at[2]);
        if (p->follows && how != FREELY)
            write_follower(t, x, p, how == HELD);
        else
            text_printf(t, " initial %.6g {%s} rate %.6g {%s/s}", p->q, unit, p->rate, unit);
        if (p->stopped)
            text_printf(t, " limits 2 {%s} .. 3 {%s} stiffness 4 {%s/%s} damping 0.5 {%s.s/%s}",
                        unit, unit, effort, unit, effort, unit);
        text_printf(t,
                    "\n  body b%d mass %.6g {kg} cg (%.6g, %.6g, %.6g) {m}"
                    " inertia (0.03, 0.05, 0.04) {kg.m2}\n",
                    i, p->mass, p->cg[0], p->cg[1], p->cg[2]);
    }
    text_add(t, "end\n");
}

static void write_bonds(Text *t, const Robot *x, const char *name) {
    text_printf(t, "  %s%s %s\n", name, "R", name);
    for (int i = 0; i < x->n; i++) {
        bool slides = x->part[i].slides;
        if (!x->part[i].bonded) continue;
        text_printf(t, "  1 w%s%d\n  R d%s%d(0.3 {%s})\n  C k%s%d(0.2 {%s})\n", name, i, name, i,
                    slides ? "N.s/m" : "N.m.s/rad", name, i, slides ? "m/N" : "rad/(N.m)");
        text_printf(t, "  Se s%s%d = 0.7 {%s}\n", name, i, slides ? "N" : "N.m");
        text_printf(t, "  w%s%d -> d%s%d\n  w%s%d -> k%s%d\n  s%s%d -> w%s%d\n  w%s%d -> %s.j%d\n",
                    name, i, name, i, name, i, name, i, name, i, name, i, name, i, name, i);
    }
}

static void compare(Text *t, const char *signal) {
    static const char *const pair[][2] = {{"pf", "ph"}, {"lf", "lh"}, {"pf", "lf"}};
    for (int k = 0; k < 3; k++)
        text_printf(t, "  expect %s.%s(end) = %s.%s(end) within 1e-9\n", pair[k][0], signal,
                    pair[k][1], signal);
}

static void write_all(Text *t, const Robot *x) {
    write_robot(t, x, "pfR", "momentum", FOLLOWING);
    write_robot(t, x, "phR", "momentum", HELD);
    write_robot(t, x, "lfR", "lagrange", FOLLOWING);
    write_robot(t, x, "lhR", "lagrange", HELD);
    text_add(t, "model All\n");
    write_bonds(t, x, "pf");
    write_bonds(t, x, "ph");
    write_bonds(t, x, "lf");
    write_bonds(t, x, "lh");
    text_add(t, "end\nexperiment E of All\n  stop 1 {s}\n  solver rk78 rtol 1e-12\n  points 10\n");
    for (int i = 0; i < x->n; i++) {
        static const char *const what[] = {"q", "f", "p", "drive"};
        for (int k = 0; k < 3 + x->part[i].follows; k++) {
            char signal[24];
            snprintf(signal, sizeof signal, "j%d.%s", i, what[k]);
            compare(t, signal);
        }
    }
    compare(t, "energy");
    for (int k = 1; k <= 6; k++) {
        char signal[24];
        snprintf(signal, sizeof signal, "momentum[%d]", k);
        compare(t, signal);
    }
    text_add(t, "end\n");
}

static void write_robots(Text *t, int seed) {
    Random r = {(uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15) + 777};
    for (int i = 0; i < 10; i++) random_below(&r, 10);
    Robot x = random_robot(&r);
    write_all(t, &x);
}

static void followers_move_as_if_they_were_held(void **state) {
    (void)state;
    seeds_hold(write_robots, seeds, 1);
}

// --- what they cost ------------------------------------------------------------------------------

// A hand on an arm of six joints: one joint of a finger leads, all other joints of fingers follow.
static Robot hand(int followers) {
    Robot x = {.n = 6 + 1 + followers};
    Random r = {4711};
    for (int i = 0; i < x.n; i++) {
        Part *p = &x.part[i];
        *p = (Part){.parent = i - 1, .leader = {6, -1}, .factor = {0.8, 0}, .mass = 1};
        if (i >= 6) p->parent = i % 2 ? 5 : i - 1;
        p->follows = i > 6;
        for (int k = 0; k < 3; k++) {
            p->axis[k] = k == (i < 6 ? i % 3 : 2);
            p->at[k] = random_between(&r, 0.1, 0.4);
            p->cg[k] = random_between(&r, -0.1, 0.1);
        }
    }
    return x;
}

// A free body with two legs, and two arms on a spine; each arm carries a gripper of seven joints,
// of which six follow.
static Robot humanoid(void) {
    Robot x = {.free = true};
    Random r = {815};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 6; i++) x.part[x.n].parent = i ? x.n - 1 : -1, x.n++;
    for (int i = 0; i < 2; i++) x.part[x.n].parent = i ? x.n - 1 : -1, x.n++;
    int spine = x.n - 1;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 7; i++) x.part[x.n].parent = i ? x.n - 1 : spine, x.n++;
        int lead = x.n;
        for (int i = 0; i < 7; i++, x.n++) {
            x.part[x.n] = (Part){.parent = i % 2 ? x.n - 1 : lead - 1, .follows = i > 0};
            x.part[x.n].leader[0] = lead;
            x.part[x.n].factor[0] = i % 2 ? 1 : -1;
        }
    }
    for (int i = 0; i < x.n; i++) {
        Part *p = &x.part[i];
        p->leader[1] = -1;
        p->mass = 1;
        for (int k = 0; k < 3; k++) {
            p->axis[k] = k == i % 3;
            p->at[k] = random_between(&r, 0.1, 0.4);
            p->cg[k] = random_between(&r, -0.1, 0.1);
        }
    }
    return x;
}

static int instructions(const Robot *x, How how, int *states) {
    Text t = {0};
    Bench b;
    write_robot(&t, x, "Hand", "momentum", how);
    text_add(&t, "experiment E of Hand\n  stop 1 {s}\nend\n");
    bench_open(&b, text_get(&t));
    Program *p = program_build((System *)b.built.system, &(ProgramOptions){0}, &b.built.report);
    assert_non_null(p);
    int count = p->derivative.count;
    *states = b.built.system->state_count;
    program_free(p);
    text_free(&t);
    bench_close(&b);
    return count;
}

static void followers_cost_as_much_as_free_joints(void **state) {
    (void)state;
    for (int n = 1; n <= 3; n += 2) {
        Robot x = hand(n);
        int states[3], cost[3];
        for (int how = 0; how < 3; how++) cost[how] = instructions(&x, (How)how, &states[how]);
        print_message("%d followers: %d instructions, held %d, free %d; states %d, %d, %d\n", n,
                      cost[FOLLOWING], cost[HELD], cost[FREELY], states[FOLLOWING], states[HELD],
                      states[FREELY]);
        assert_int_equal(states[FOLLOWING], 14);
        assert_true(cost[FOLLOWING] < 1.2 * cost[FREELY]);
    }
}

static void a_humanoid_with_grippers(void **state) {
    (void)state;
    Robot x = humanoid();
    int states[3], cost[3];
    for (int how = 0; how < 3; how++) cost[how] = instructions(&x, (How)how, &states[how]);
    print_message("humanoid: %d instructions, held %d, free %d; states %d, %d, %d\n",
                  cost[FOLLOWING], cost[HELD], cost[FREELY], states[FOLLOWING], states[HELD],
                  states[FREELY]);
    assert_int_equal(states[FOLLOWING], states[FREELY] - 24);
    assert_true(cost[FOLLOWING] < 1.6 * cost[FREELY]); // by composite bodies, at any depth
    assert_true(cost[FOLLOWING] < 0.4 * cost[HELD]);
}

int main(int count, char **argument) {
    if (count > 1) seeds = atoi(argument[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(followers_move_as_if_they_were_held),
                                       cmocka_unit_test(followers_cost_as_much_as_free_joints),
                                       cmocka_unit_test(a_humanoid_with_grippers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
