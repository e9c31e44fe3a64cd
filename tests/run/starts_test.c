// Starts mean what they say: random closed chains with bonded inertias and gears, whose speeds are
// given at random places that agree (rates of joints, statements, parameters, momenta of what is
// bonded), one place for each freedom or more. The chain in momenta, the chain in velocities and a
// twin that has bodies only, the inertias in them, move the same for two seconds.
//
//        b ----e2         A crank a at the origin, a rod b on it; on the other side a rocker, two
//       /     /           bars or a piston; a constraint closes the chain where the rods meet.
//      a     d
//
// The optional argument is the number of seeds.
#include "bench.h"

#include "../expr/random.h"
#include <stdlib.h>

enum { FOUR_BAR, FIVE_BAR, SLIDER, GEARED, KINDS };
enum { CRANK, ROD, OTHER, SECOND, MOST_JOINTS };

static int seeds = 30;

typedef struct {
    int kind, joints;
    double angle[MOST_JOINTS], speed[MOST_JOINTS];
    double by[MOST_JOINTS][2]; // d speed / d independent speeds
    double length[MOST_JOINTS], mass[MOST_JOINTS], inertia[MOST_JOINTS], ground[2];
    double bonded[MOST_JOINTS], ratio[MOST_JOINTS]; // of CRANK and OTHER; 0: nothing
    double gear;                                    // of GEARED: speed of OTHER by that of CRANK
    bool gravity;
    bool held_twice; // closed by a hinge in space, of which a plane needs two directions
} Chain;

static const char *const joint_name[] = {"a", "b", "d", "e"};

static int freedoms(const Chain *c) { return c->kind == FIVE_BAR ? 2 : 1; }

// --- geometry ------------------------------------------------------------------------------------

// Where circles about two points meet; `side` says which of the two places.
static void meet(const double p[2], double r, const double q[2], double s, int side,
                 double out[2]) {
    double dx = q[0] - p[0], dy = q[1] - p[1], d2 = dx * dx + dy * dy, d = sqrt(d2);
    double along = (r * r - s * s + d2) / (2 * d), up = sqrt(fmax(r * r - along * along, 0)) * side;
    out[0] = p[0] + (along * dx - up * dy) / d;
    out[1] = p[1] + (along * dy + up * dx) / d;
}

static void choose_sizes(Chain *c, Random *r) {
    static const double least[KINDS][MOST_JOINTS] = {
        {0.2, 1.0, 0.7, 0}, {0.15, 0.9, 0.15, 0.9}, {0.1, 0.4, 0, 0}, {0.15, 0.9, 0.15, 0.9}};
    static const double most[KINDS][MOST_JOINTS] = {
        {0.4, 1.2, 0.9, 0}, {0.3, 1.1, 0.3, 1.1}, {0.15, 0.6, 0, 0}, {0.3, 1.1, 0.3, 1.1}};
    c->joints = c->kind == FIVE_BAR || c->kind == GEARED ? 4 : 3;
    for (int i = 0; i < MOST_JOINTS; i++) {
        c->length[i] = random_between(r, least[c->kind][i], most[c->kind][i]);
        c->mass[i] = random_between(r, 0.5, 3);
        c->inertia[i] = random_between(r, 0.01, 0.1);
        bool may = (i == CRANK || i == OTHER) && random_below(r, 3) > 0;
        c->bonded[i] = may ? random_between(r, 0.05, 0.6) : 0;
        c->ratio[i] =
            random_below(r, 2) ? random_between(r, 0.5, 3) * (random_below(r, 2) ? 1 : -1) : 1;
    }
    c->ground[0] = c->kind == FOUR_BAR ? 1 : 0.9;
    c->gear = random_between(r, 0.6, 1.5) * (random_below(r, 2) ? 1 : -1);
    c->gravity = random_below(r, 2);
    c->held_twice = random_below(r, 4) == 0;
}

// Joint coordinates from where the points of the chain are; the end of the rods comes out.
static void close_chain(Chain *c, Random *r, double end[4][2]) {
    double turn = random_between(r, 0, 6.28), other = random_between(r, 0, 6.28);
    int side = random_below(r, 2) ? 1 : -1;
    double A[2] = {c->length[CRANK] * cos(turn), c->length[CRANK] * sin(turn)}, D[2], C[2];
    D[0] = c->ground[0], D[1] = c->ground[1];
    if (c->joints == 4) {
        D[0] += c->length[OTHER] * cos(other);
        D[1] += c->length[OTHER] * sin(other);
        meet(A, c->length[ROD], D, c->length[SECOND], side, C);
    } else if (c->kind == FOUR_BAR) {
        meet(A, c->length[ROD], D, c->length[OTHER], side, C);
        other = atan2(C[1] - D[1], C[0] - D[0]);
    } else {
        C[0] = A[0] + side * sqrt(c->length[ROD] * c->length[ROD] - A[1] * A[1]);
        C[1] = 0;
        other = C[0];
    }
    double rod = atan2(C[1] - A[1], C[0] - A[0]), second = atan2(C[1] - D[1], C[0] - D[0]);
    c->angle[CRANK] = turn;
    c->angle[ROD] = rod - turn;
    c->angle[OTHER] = other;
    c->angle[SECOND] = second - other;
    for (int k = 0; k < 2; k++) {
        end[CRANK][k] = A[k];
        end[ROD][k] = C[k] - A[k];
        end[OTHER][k] = c->kind == FOUR_BAR ? C[k] - c->ground[k] : D[k] - c->ground[k];
        end[SECOND][k] = C[k] - D[k];
    }
}

// w x r of a bar, as a column; the piston moves along x.
static void column(const Chain *c, double end[4][2], int bar, double out[2]) {
    bool slides = c->kind == SLIDER && bar == OTHER;
    out[0] = slides ? 1 : -end[bar][1];
    out[1] = slides ? 0 : end[bar][0];
}

// Absolute rates: crank + rod = other + second, the rod and the last of the others are unknown.
static void find_speeds(Chain *c, Random *r, double end[4][2]) {
    double rod[2], last[2], free[2][2];
    int unknown = c->joints == 4 ? SECOND : OTHER;
    column(c, end, ROD, rod);
    column(c, end, unknown, last);
    column(c, end, CRANK, free[0]);
    column(c, end, OTHER, free[1]);
    double det = -rod[0] * last[1] + rod[1] * last[0], absolute[4][2] = {{0}};
    for (int k = 0; k < 2; k++) {
        double sign = k ? 1 : -1, x = sign * free[k][0], y = sign * free[k][1];
        absolute[CRANK][k] = k == 0;
        absolute[OTHER][k] = k == 1;
        absolute[ROD][k] = (-x * last[1] + y * last[0]) / det;
        absolute[unknown][k] = (rod[0] * y - rod[1] * x) / det;
    }
    double given[2] = {random_between(r, 1, 6) * (random_below(r, 2) ? 1 : -1), 0};
    if (c->kind == FIVE_BAR) given[1] = random_between(r, -5, 5);
    if (c->kind == GEARED) given[1] = c->gear * given[0];
    for (int i = 0; i < c->joints; i++)
        for (int k = 0; k < 2; k++) {
            int under = i == ROD ? CRANK : OTHER;
            bool relative = i == ROD || i == SECOND;
            c->by[i][k] = absolute[i][k] - (relative ? absolute[under][k] : 0);
        }
    if (c->joints == 3)
        for (int i = 0; i < 3; i++) c->by[i][1] = 0;
    for (int i = 0; i < c->joints; i++)
        c->speed[i] = c->by[i][0] * given[0] + c->by[i][1] * given[1];
    for (int i = 0; i < c->joints && c->kind == GEARED; i++) {
        c->by[i][0] += c->gear * c->by[i][1];
        c->by[i][1] = 0;
    }
}

// --- places --------------------------------------------------------------------------------------

typedef enum { NOWHERE, BY_RATE, BY_STATEMENT, BY_PARAMETER, BY_MOMENTUM, PLACES } Place;

static bool is_independent(const Chain *c, int i, int j) {
    const double *x = c->by[i], *y = c->by[j];
    if (freedoms(c) == 1) return fabs(x[0]) > 0.1;
    double size = sqrt((x[0] * x[0] + x[1] * x[1]) * (y[0] * y[0] + y[1] * y[1]));
    return fabs(x[0] * y[1] - x[1] * y[0]) > 0.2 * size;
}

static void choose_places(const Chain *c, Random *r, Place place[MOST_JOINTS]) {
    int i = random_below(r, c->joints), j = random_below(r, c->joints), tries = 0;
    for (; !is_independent(c, i, j) && tries < 200; tries++)
        i = random_below(r, c->joints), j = random_below(r, c->joints);
    if (tries == 200) i = CRANK, j = OTHER;
    for (int k = 0; k < c->joints; k++) {
        bool wanted = k == i || (k == j && freedoms(c) == 2) || random_below(r, 4) == 0;
        place[k] = wanted ? BY_RATE + random_below(r, 4) : NOWHERE;
        if (place[k] == BY_MOMENTUM && c->bonded[k] == 0) place[k] = BY_STATEMENT;
    }
}

// --- text ----------------------------------------------------------------------------------------

static void write_start(Text *t, const Chain *c, int joint, bool rate) {
    bool slides = c->kind == SLIDER && joint == OTHER;
    text_printf(t, " initial %.17g {%s}", c->angle[joint], slides ? "m" : "rad");
    if (rate) text_printf(t, " rate %.17g {%s}", c->speed[joint], slides ? "m/s" : "rad/s");
    text_add(t, "\n");
}

static void write_body(Text *t, const Chain *c, int joint, bool twin) {
    double add = twin ? c->bonded[joint] * c->ratio[joint] * c->ratio[joint] : 0;
    bool slides = c->kind == SLIDER && joint == OTHER;
    text_printf(t,
                "  body %s_bar mass %.17g {kg} cg (%.17g, 0.01, 0) {m} inertia (0.02, 0.03, %.17g) "
                "{kg.m2}\n",
                joint_name[joint], c->mass[joint] + (slides ? add : 0), 0.4 * c->length[joint],
                c->inertia[joint] + (slides ? 0 : add));
}

// Nullable: place; then it is the twin, whose freedoms have rates.
static void write_mechanism(Text *t, const Chain *c, const char *name, const char *form,
                            const Place *place) {
    bool twin = !place;
    text_printf(t, "mechanism %s\n%s  gravity (0, %g, 0) {m/s2}\n", name, form,
                c->gravity ? -9.81 : 0);
    for (int i = 0; i < c->joints; i++) {
        const char *on = i == ROD ? "a_bar" : i == SECOND ? "d_bar" : "world";
        double x = i == ROD      ? c->length[CRANK]
                   : i == SECOND ? c->length[OTHER]
                   : i == OTHER  ? c->ground[0]
                                 : 0;
        bool slides = c->kind == SLIDER && i == OTHER,
             driven = twin && c->kind == GEARED && i == OTHER;
        text_printf(t, "  joint %s %s: %s -> %s_bar at (%.17g, 0, 0) {m}", joint_name[i],
                    slides ? "prismatic x" : "revolute z", on, joint_name[i], slides ? 0 : x);
        if (driven)
            text_printf(t, " driven by %.17g + %.17g*(a.q - %.17g)\n", c->angle[i], c->gear,
                        c->angle[CRANK]);
        else
            write_start(t, c, i, twin ? i == CRANK || i == OTHER : place[i] == BY_RATE);
        write_body(t, c, i, twin);
    }
    int last = c->joints == 4 ? SECOND : OTHER;
    text_printf(
        t,
        "  frame f on b_bar at (%.17g, 0, 0) {m}\n  frame g on %s_bar at (%.17g, 0, 0) {m}\n"
        "  constraint c %s z: f -> g\nend\n",
        c->length[ROD], joint_name[last], c->length[last], c->held_twice ? "revolute" : "line");
}

static void write_model(Text *t, const Chain *c, const char *name, const Place *place) {
    text_printf(t, "model %sM\n  %s m\n", name, name);
    for (int i = 0; i < c->joints; i++) {
        const char *j = joint_name[i];
        bool slides = c->kind == SLIDER && i == OTHER;
        if (c->bonded[i] > 0 || (c->kind == GEARED && (i == CRANK || i == OTHER)))
            text_printf(t, "  1 w%s\n  w%s -> m.%s\n", j, j, j);
        if (c->bonded[i] > 0) {
            text_printf(t, "  I J%s(%.17g {%s}", j, c->bonded[i], slides ? "kg" : "kg.m2");
            if (place[i] == BY_MOMENTUM)
                text_printf(t, ", p0 = %.17g {%s}", c->bonded[i] * c->ratio[i] * c->speed[i],
                            slides ? "N.s" : "N.m.s");
            text_add(t, ")\n");
            if (c->ratio[i] == 1)
                text_printf(t, "  w%s -> J%s\n", j, j);
            else
                text_printf(t, "  TF t%s(%.17g)\n  1 v%s\n  w%s -> t%s -> v%s -> J%s\n", j,
                            c->ratio[i], j, j, j, j, j);
        }
        if (place[i] == BY_STATEMENT)
            text_printf(t, "  initial m.%s.f = %.17g {%s}\n", j, c->speed[i],
                        slides ? "m/s" : "rad/s");
    }
    if (c->kind == GEARED) text_printf(t, "  TF gear(%.17g)\n  wa -> gear -> wd\n", c->gear);
    text_add(t, "end\n");
}

static void write_experiment(Text *t, const Chain *c, const Place *p, const Place *l) {
    text_add(t, "model All\n  PM p\n  LM l\n  T t\nend\nexperiment E of All\n  stop 2 {s}\n"
                "  solver rk78 rtol 1e-12\n  points 20\n");
    for (int i = 0; i < c->joints; i++) {
        const char *j = joint_name[i];
        bool slides = c->kind == SLIDER && i == OTHER;
        const char *unit = slides ? "m" : "rad";
        if (p[i] == BY_PARAMETER)
            text_printf(t, "  set p.m.%s.f0 = %.17g {%s/s}\n", j, c->speed[i], unit);
        if (l[i] == BY_PARAMETER)
            text_printf(t, "  set l.m.%s.f0 = %.17g {%s/s}\n", j, c->speed[i], unit);
        for (int k = 0; k < 2; k++) {
            const char *of = k ? "l" : "p";
            text_printf(t,
                        "  expect %s.m.%s.f(0 {s}) = %.17g {%s/s} within 1e-9\n"
                        "  expect %s.m.%s.q(end) - t.%s.q(end) = 0 {%s} within 1e-8\n"
                        "  expect %s.m.%s.f(end) - t.%s.f(end) = 0 {%s/s} within 1e-7\n",
                        of, j, c->speed[i], unit, of, j, j, unit, of, j, j, unit);
        }
    }
    text_add(t, "end\n");
}

// --- the test ------------------------------------------------------------------------------------

static void write_chain(Text *t, int seed) {
    Random r = {(uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15) + 12345};
    Chain c = {.kind = seed % KINDS};
    double end[4][2];
    Place p[MOST_JOINTS], l[MOST_JOINTS];
    for (int i = 0; i < 10; i++) random_below(&r, 10);
    choose_sizes(&c, &r);
    close_chain(&c, &r, end);
    find_speeds(&c, &r, end);
    choose_places(&c, &r, p);
    choose_places(&c, &r, l);
    write_mechanism(t, &c, "P", "", p);
    write_mechanism(t, &c, "L", "  form lagrange\n", l);
    write_mechanism(t, &c, "T", "", NULL);
    write_model(t, &c, "P", p);
    write_model(t, &c, "L", l);
    write_experiment(t, &c, p, l);
}

static void starts_mean_what_they_say(void **state) {
    (void)state;
    seeds_hold(write_chain, seeds, 1);
}

int main(int count, char **argument) {
    if (count > 1) seeds = atoi(argument[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(starts_mean_what_they_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
