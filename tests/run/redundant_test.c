// Loops that are held more often than they need, against the same loops held just enough. Planar
// chains of 3 and 4 hinges in a turned plane are closed
//
//      a    by `line`: two rows in the plane
//      b    by points or universal joints in axes of their own, turned against the plane: no single
//           row lies in it, and any two of 3 to 6 rows would do somewhere
//
// Both are in one model, so that they are integrated alike; 1e-9 is
// what rounding makes of 2 s of motion that doubles differences several times.
#include "bench.h"

#include <math.h>
#include <stdio.h>

typedef struct {
    unsigned seed;
    int joints, variant;
    bool stops;
    double turn[2];  // of the plane, about x and then y
    double angle[4]; // of the joints, at the start
    double length[4];
    double end[2]; // the tip, in the plane
    double at[3];  // the foot
} Chain;

static double random_from(Chain *c, double low, double high) {
    c->seed = c->seed * 1664525u + 1013904223u;
    return low + (high - low) * (double)(c->seed >> 8) / (double)(1u << 24);
}

static Chain chain_new(unsigned seed) {
    Chain c = {.seed = seed * 7919u, .joints = 3 + (int)(seed % 2), .variant = (int)(seed % 3)};
    double sum = 0;
    for (int i = 0; i < 2; i++) c.turn[i] = random_from(&c, -1.5, 1.5);
    for (int i = 0; i < 3; i++) c.at[i] = random_from(&c, -1, 1);
    for (int i = 0; i < c.joints; i++) {
        c.angle[i] = random_from(&c, i ? 0.5 : -2, i ? 1.3 : 2);
        c.length[i] = random_from(&c, 0.6, 1.4);
        sum += c.angle[i];
        c.end[0] += c.length[i] * cos(sum);
        c.end[1] += c.length[i] * sin(sum);
    }
    return c;
}

// Where a point of the plane, `off` beside it, is in the world: at + Rx Ry (end, off).
static void anchor_place(const Chain *c, double off, double *out) {
    double cx = cos(c->turn[0]), sx = sin(c->turn[0]), cy = cos(c->turn[1]), sy = sin(c->turn[1]);
    double x = cy * c->end[0] + sy * off, y = c->end[1], z = -sy * c->end[0] + cy * off;
    out[0] = c->at[0] + x;
    out[1] = c->at[1] + cx * y - sx * z;
    out[2] = c->at[2] + sx * y + cx * z;
}

static void write_anchor(Text *out, const Chain *c, const char *name, double off,
                         const char *turned) {
    double place[3];
    anchor_place(c, off, place);
    text_printf(out, "frame %s on world at (%.17g, %.17g, %.17g) {m} rotated %s\n", name, place[0],
                place[1], place[2], turned);
}

static void write_joint(Text *out, const Chain *c, int i) {
    if (i == 0)
        text_printf(out,
                    "joint j0 revolute z: world -> b0 at (%.17g, %.17g, %.17g) {m} rotated x "
                    "%.17g, y %.17g rate 1 {rad/s}",
                    c->at[0], c->at[1], c->at[2], c->turn[0], c->turn[1]);
    else
        text_printf(out, "joint j%d revolute z: b%d -> b%d at (%.17g, 0, 0) {m}", i, i - 1, i,
                    c->length[i - 1]);
    text_printf(out, " initial about %.17g {rad}", c->angle[i]);
    if (i == 0 && c->stops)
        text_printf(out, " limits %.17g {rad} .. %.17g {rad} rigid restitution 0.6",
                    c->angle[0] - 0.2, c->angle[0] + 0.15);
    text_printf(out, "\n");
}

// The chain without its closing; the same bodies in every copy.
static void write_chain(Text *out, Chain c, const char *name) {
    text_printf(out, "mechanism %s\n", name);
    if (c.variant == 1) text_printf(out, "form lagrange\n");
    text_printf(out, "gravity (3, -8, 4) {m/s2}\n");
    for (int i = 0; i < c.joints; i++) {
        double mass = random_from(&c, 0.5, 3), x = random_from(&c, 0.1, 0.5),
               y = random_from(&c, -0.2, 0.2), inertia = random_from(&c, 0.05, 0.15);
        write_joint(out, &c, i);
        text_printf(out,
                    "body b%d mass %.17g {kg} cg (%.17g, %.17g, 0.1) {m} "
                    "inertia (0.1, 0.12, %.17g) {kg.m2}\n",
                    i, mass, x, y, inertia);
    }
}

static void close_enough(Text *out, const Chain *c) {
    char turned[80];
    snprintf(turned, sizeof turned, "x %.17g, y %.17g", c->turn[0], c->turn[1]);
    write_anchor(out, c, "anchor", 0, turned);
    text_printf(out, "frame tip on b%d at (%.17g, 0, 0) {m}\n", c->joints - 1,
                c->length[c->joints - 1]);
    text_printf(out, "constraint pin line z: anchor -> tip\nend\n");
}

static void close_often(Text *out, const Chain *c) {
    int last = c->joints - 1;
    double tip = c->length[last];
    char turned[120];
    text_printf(out, "frame tip on b%d at (%.17g, 0, 0) {m} rotated y 0.4, z 1.1\n", last, tip);
    switch (c->variant) {
    case 0: // three rows in any axes
        write_anchor(out, c, "anchor", 0, "z 0.7, x -0.3");
        text_printf(out, "constraint pin point: anchor -> tip\nend\n");
        return;
    case 1: // two points of the hinge's axis: six rows
        write_anchor(out, c, "anchor", 0, "z 0.7, x -0.3");
        write_anchor(out, c, "above", 0.3, "y 0.2, z 2");
        text_printf(out, "frame tip2 on b%d at (%.17g, 0, 0.3) {m}\n", last, tip);
        text_printf(out, "constraint pin point: anchor -> tip\n"
                         "constraint pin2 point: tip2 -> above\nend\n");
        return;
    default: // a cross whose first axis is normal to the plane, and a point
        snprintf(turned, sizeof turned, "x %.17g, y %.17g", c->turn[0], c->turn[1]);
        write_anchor(out, c, "anchor", 0, turned);
        write_anchor(out, c, "above", 0.3, "y 0.2, z 2");
        text_printf(out, "frame tip1 on b%d at (%.17g, 0, 0) {m}\n", last, tip);
        text_printf(out, "frame tip2 on b%d at (%.17g, 0, 0.3) {m}\n", last, tip);
        text_printf(out, "constraint pin universal z x: anchor -> tip1\n"
                         "constraint pin2 point: above -> tip2\nend\n");
    }
}

static void write_model(Text *out, const Chain *c) {
    write_chain(out, *c, "Enough");
    close_enough(out, c);
    write_chain(out, *c, "Often");
    close_often(out, c);
    text_printf(out, "model Both\nEnough a\nOften b\nvar hold_a {N}, hold_b {N}\n"
                     "hold_a = norm(a.pin.force)\nhold_b = norm(b.pin.force)\nend\n");
    text_printf(out, "experiment E of Both\nstop 2 {s}\nsolver %s\npoints 20\n",
                c->seed % 5 ? "rk78 rtol 1e-11" : "rk4 step 2 {ms}");
    for (int i = 0; i < c->joints; i++) {
        text_printf(out, "expect a.j%d.q(end) = b.j%d.q(end) within 1e-9\n", i, i);
        text_printf(out, "expect a.j%d.f(end) = b.j%d.f(end) within 1e-9\n", i, i);
    }
    text_printf(out, "expect b.pin.gap(end) = 0 within 1e-12\n");
    if (c->variant == 0) // of the reactions the least are given: none across the plane
        text_printf(out, "expect hold_a(end) = hold_b(end) within 1e-7\n");
    text_printf(out, "end\n");
}

static void random_loops_held_too_often_move_alike(void **state) {
    (void)state;
    for (unsigned seed = 1; seed <= 12; seed++) {
        Chain c = chain_new(seed);
        Text text = {0};
        Bench b;
        write_model(&text, &c);
        bench_run(&b, text_get(&text), &(RunOptions){0});
        if (b.run->failed_count || b.built.report.errors || !b.run->results.complete) {
            show_report(&b);
            fail_msg("seed %u\n%s", seed, text_get(&text));
        }
        bench_close(&b);
        text_free(&text);
    }
}

// --- rigid stops ---------------------------------------------------------------------------------

// In runs of their own: impacts of two chains at the same instant, but for rounding, are another
// matter.
static void run_against_stops(Bench *b, const Chain *c, bool often) {
    Text text = {0};
    write_chain(&text, *c, "Loop");
    (often ? close_often : close_enough)(&text, c);
    text_printf(&text, "experiment E of Loop\nstop 1 {s}\nsolver rk78 rtol 1e-11\nend\n");
    bench_run(b, text_get(&text), &(RunOptions){0});
    if (b->built.report.errors) show_report(b);
    assert_true(b->run->results.complete);
    text_free(&text);
}

static double last_of(const Bench *b, const char *name) {
    const Results *r = &b->run->results;
    for (int i = 0; i < r->column_count; i++)
        if (strcmp(r->column[i].name, name) == 0) return r->column[i].value[r->row_count - 1];
    fail_msg("no column %s", name);
    return 0;
}

static void impacts_are_alike(void **state) {
    (void)state;
    for (unsigned seed = 4; seed <= 8; seed += 4) {
        Chain c = chain_new(seed);
        Bench enough, often;
        c.stops = true;
        run_against_stops(&enough, &c, false);
        run_against_stops(&often, &c, true);
        assert_true(enough.run->stats.events > 2);
        for (int i = 0; i < c.joints; i++) {
            char name[16];
            snprintf(name, sizeof name, "j%d.q", i);
            assert_near(last_of(&often, name), last_of(&enough, name), 1e-9);
            snprintf(name, sizeof name, "j%d.f", i);
            assert_near(last_of(&often, name), last_of(&enough, name), 1e-8);
        }
        bench_close(&enough);
        bench_close(&often);
    }
}

// --- how work grows ------------------------------------------------------------------------------

typedef struct {
    double nodes, visits, entries, operations;
} Cost;

// Parallel cranks, each coupled to the next by a bar and once more by a rod.
static Cost cost_of_cranks(int n) {
    Text text = {0};
    Bench b;
    Cost c = {0};
    text_printf(&text,
                "mechanism M\nconst N = %d\ngravity (0, -9.81, 0) {m/s2}\n"
                "joint a[0] revolute z: world -> up[0] initial 90 {deg} rate -1.5 {rad/s}\n"
                "body up[0] mass 1 {kg} cg (0.5, 0, 0) {m} inertia (0, 1/12, 1/12) {kg.m2}\n"
                "frame s[0] on up[0] at (0.5, 0.5, 0) {m}\nfor i in 1:N\n",
                n);
    text_add(&text,
             "joint a[i] revolute z: world -> up[i] at (i, 0, 0) {m} initial about 90 {deg}\n"
             "body up[i] mass 1 {kg} cg (0.5, 0, 0) {m} inertia (0, 1/12, 1/12) {kg.m2}\n"
             "joint b[i] revolute z: up[i-1] -> bar[i] at (1, 0, 0) {m} initial about -90 {deg}\n"
             "body bar[i] mass 1 {kg} cg (0.5, 0, 0) {m} inertia (0, 1/12, 1/12) {kg.m2}\n"
             "frame e[i] on bar[i] at (1, 0, 0) {m}\nframe t[i] on up[i] at (1, 0, 0) {m}\n"
             "constraint c[i] line z: t[i] -> e[i]\nframe s[i] on up[i] at (0.5, 0.5, 0) {m}\n"
             "constraint r[i] distance: s[i-1] -> s[i] length 1 {m}\nend\nend\n");
    bench_open(&b, text_get(&text));
    System *s = b.built.system;
    c.nodes = dag_size(s->dag);
    c.visits = (double)dag_visits(s->dag);
    Program *p = program_build(s, &(ProgramOptions){0}, &b.built.report);
    assert_non_null(p);
    c.operations = p->derivative.count;
    for (int i = 0; i < s->block_count; i++) {
        c.entries += s->block[i].jacobian.start[s->block[i].size];
        c.operations += p->block[i].residual.count + p->block[i].jacobian.count;
    }
    program_free(p);
    bench_close(&b);
    text_free(&text);
    return c;
}

static void work_grows_with_the_number_of_loops(void **state) {
    (void)state;
    Cost a = cost_of_cranks(8), b = cost_of_cranks(16);
    if (!(b.nodes < 2.3 * a.nodes && b.visits < 2.3 * a.visits && b.entries < 2.3 * a.entries &&
          b.operations < 2.3 * a.operations))
        fail_msg("nodes %g to %g, visits %g to %g, entries %g to %g, operations %g to %g\n",
                 a.nodes, b.nodes, a.visits, b.visits, a.entries, b.entries, a.operations,
                 b.operations);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_grows_with_the_number_of_loops),
        cmocka_unit_test(random_loops_held_too_often_move_alike),
        cmocka_unit_test(impacts_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
