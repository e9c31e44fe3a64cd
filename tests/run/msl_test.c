// Reference values of examples/msl: each case by equations of its own, written down by hand, with
// small steps of order four or in closed form, and events found by halving the step. Nothing of
// Bondyn takes part; the numbers are those in the expectations of the examples, which this test
// reads from their files.
#include "../test.h"

#include "base/files.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 11 };

// --- a small integrator with switches ------------------------------------------------------------

typedef struct Case Case;
struct Case {
    int n; // states
    void (*rates)(const Case *c, double t, const double *x, double *dx);
    bool (*holds)(const Case *c, double t, const double *x); // in the present mode?
    void (*change)(Case *c, double t, double *x);            // the next mode
    int mode[6];
};

static void step(const Case *c, double t, double h, const double *x, double *y) {
    double k[4][MOST], at[MOST];
    static const double part[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < c->n; i++) at[i] = x[i] + (s ? h * part[s] * k[s - 1][i] : 0);
        c->rates(c, t + part[s] * h, at, k[s]);
    }
    for (int i = 0; i < c->n; i++)
        y[i] = x[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

// From t to `end`; a step at whose end the mode does not hold is cut by halving.
static double advance(Case *c, double t, double end, double h, double *x) {
    double y[MOST];
    while (end - t > 1e-13) {
        double low = 0, high = fmin(h, end - t);
        step(c, t, high, x, y);
        if (!c->holds(c, t + high, y)) {
            while (high - low > 1e-14) {
                double middle = (low + high) / 2;
                step(c, t, middle, x, y);
                if (c->holds(c, t + middle, y))
                    low = middle;
                else
                    high = middle;
            }
            step(c, t, high, x, y);
            memcpy(x, y, sizeof y);
            t += high;
            c->change(c, t, x);
            continue;
        }
        memcpy(x, y, sizeof y);
        t += high;
    }
    return end;
}

// --- coupled clutches: J w' = torques; a clutch slips with 10 N.m or holds up to 11 N.m ----------

static double press(double t) {
    double u = sin(2 * M_PI * 0.2 * t + 1.57);
    return u > 0 ? u : 0;
}

// mode[3], mode[4]: the others are closed
static double grip(const Case *c, int k, double t) { return k ? c->mode[2 + k] : press(t); }

// Inertias that stick together move as one; what a clutch carries follows from its left side.
static void clutch_loads(const Case *c, double t, double *load, double *dw) {
    double outer[4] = {10 * sin(2 * M_PI * 5 * t), 0, 0, 0};
    for (int k = 0; k < 3; k++)
        if (c->mode[k]) {
            load[k] = 10 * grip(c, k, t) * c->mode[k];
            outer[k] -= load[k];
            outer[k + 1] += load[k];
        }
    for (int first = 0, last; first < 4; first = last + 1) {
        double sum = outer[first];
        for (last = first; last < 3 && !c->mode[last]; last++) sum += outer[last + 1];
        for (int i = first; i <= last; i++) dw[i] = sum / (last - first + 1);
        double carried = 0;
        for (int i = first; i < last; i++) load[i] = carried += outer[i] - dw[i];
    }
}

static void clutch_rates(const Case *c, double t, const double *x, double *dx) {
    double load[3];
    (void)x;
    clutch_loads(c, t, load, dx);
}

static bool clutch_holds(const Case *c, double t, const double *x) {
    double load[3], dw[4];
    clutch_loads(c, t, load, dw);
    for (int k = 0; k < 3; k++)
        if (c->mode[k] ? c->mode[k] * (x[k] - x[k + 1]) < 0 : fabs(load[k]) > 11 * grip(c, k, t))
            return false;
    return true;
}

// Slipping ends: it sticks. Sticking ends: it slips to the side of its load. Until all hold.
static void clutch_change(Case *c, double t, double *x) {
    for (int round = 0; round < 20 && !clutch_holds(c, t, x); round++) {
        double load[3], dw[4];
        clutch_loads(c, t, load, dw);
        for (int k = 0; k < 3; k++) {
            if (c->mode[k] && c->mode[k] * (x[k] - x[k + 1]) < 0) {
                c->mode[k] = 0;
                double mean = (x[k] + x[k + 1]) / 2; // equal but for the last halving
                x[k] = x[k + 1] = mean;
            } else if (!c->mode[k] && fabs(load[k]) > 11 * grip(c, k, t)) {
                c->mode[k] = load[k] > 0 ? 1 : -1;
            }
        }
    }
}

// --- lossy gear: w1 = 2 w2; J1 = 1, J2 = 1.5; half of the power through the mesh arrives ---------

static double drive(double t) { return 20 * sin(2 * M_PI * t); }
static double weight(double t) { return -10 + 2.5 * fmin(t, 2); }

// J1 2 w' = drive - a, J2 w' = b + weight with b = k a: mode 1: k = 2*0.5, 2: k = 2/0.5, 0: stands
static double gear_torque(const Case *c, double t, double *rate) {
    double k = c->mode[0] == 1 ? 1 : 4;
    if (!c->mode[0]) {
        *rate = 0;
        return drive(t);
    }
    // a = drive - 2 w', 1.5 w' = k (drive - 2 w') + weight
    *rate = (k * drive(t) + weight(t)) / (1.5 + 2 * k);
    return drive(t) - 2 * *rate;
}

static void gear_rates(const Case *c, double t, const double *x, double *dx) {
    (void)x;
    gear_torque(c, t, dx);
}

// mode[1]: direction. Forward the factor is 0.5 while a drives, 1/0.5 while it is driven; backward
// the other way round.
static bool gear_holds(const Case *c, double t, const double *x) {
    double rate, a = gear_torque(c, t, &rate);
    if (!c->mode[0]) { // at rest: b = -weight lies between a and 4 a
        double b = -weight(t);
        return b >= fmin(a, 4 * a) && b <= fmax(a, 4 * a);
    }
    bool forward = c->mode[1] > 0;
    return (forward ? x[0] >= 0 : x[0] <= 0) && (c->mode[0] == 1) == (forward == (a >= 0));
}

static void gear_change(Case *c, double t, double *x) {
    if (c->mode[0] && c->mode[1] * x[0] <= 0) {
        c->mode[0] = 0;
        x[0] = 0;
        if (gear_holds(c, t, x)) return;
    }
    for (int direction = -1; direction <= 1; direction += 2)
        for (int factor = 1; factor <= 2; factor++) {
            Case next = *c;
            double rate, ahead;
            next.mode[0] = factor;
            next.mode[1] = direction;
            gear_torque(&next, t, &rate);
            ahead = x[0] + 1e-9 * rate;
            if (!gear_holds(&next, t, &ahead)) continue;
            *c = next;
            return;
        }
}

// --- B6: three inductances, six diodes with leakage, a load of R and L ---------------------------
//
//   states ia, ib, ic (their sum is 0), id. Unknown: node voltages a, b, c, plus, minus and the
//   currents of the diodes, upper then lower.

enum { B6_SIZE = 11 };

static void solve_linear(double a[B6_SIZE][B6_SIZE + 1], double *x) {
    for (int k = 0; k < B6_SIZE; k++) {
        int best = k;
        for (int i = k + 1; i < B6_SIZE; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        for (int j = 0; j <= B6_SIZE; j++) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        for (int i = k + 1; i < B6_SIZE; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; factor != 0 && j <= B6_SIZE; j++) a[i][j] -= factor * a[k][j];
        }
    }
    for (int k = B6_SIZE - 1; k >= 0; k--) {
        x[k] = a[k][B6_SIZE];
        for (int j = k + 1; j < B6_SIZE; j++) x[k] -= a[k][j] * x[j];
        x[k] /= a[k][k];
    }
}

static double phase(int k, double t) {
    return 325 * sin(2 * M_PI * 50 * t + (k == 1 ? -1 : k == 2 ? 1 : 0) * 2 * M_PI / 3);
}

static void bridge(const Case *c, double t, const double *x, double *u) {
    double a[B6_SIZE][B6_SIZE + 1] = {{0}}, leak = 1e-4;
    for (int k = 0; k < 6; k++) { // diode k: from p to q, its current is unknown 5 + k
        int p = k < 3 ? k : 4, q = k < 3 ? 3 : k - 3;
        a[k][p] = c->mode[k] ? 1 : leak;
        a[k][q] = -a[k][p];
        a[k][5 + k] = c->mode[k] ? 0 : -1;
    }
    for (int k = 0; k < 3; k++) { // i_k = upper - lower
        a[6 + k][5 + k] = 1;
        a[6 + k][8 + k] = -1;
        a[6 + k][B6_SIZE] = x[k];
        a[9][5 + k] = 1; // the upper ones carry the load
        a[10][k] = 1;    // voltages of the inductances have the sum 0
        a[10][B6_SIZE] += phase(k, t);
    }
    a[9][B6_SIZE] = x[3];
    solve_linear(a, u);
}

static void bridge_rates(const Case *c, double t, const double *x, double *dx) {
    double u[B6_SIZE];
    bridge(c, t, x, u);
    for (int k = 0; k < 3; k++) dx[k] = (phase(k, t) - u[k]) / 3e-3;
    dx[3] = (u[3] - u[4] - 10 * x[3]) / 20e-3;
}

static int bridge_worst(const Case *c, double t, const double *x) {
    double u[B6_SIZE], most = 1e-9;
    int worst = -1;
    bridge(c, t, x, u);
    for (int k = 0; k < 6; k++) {
        double voltage = k < 3 ? u[k] - u[3] : u[4] - u[k - 3];
        double wrong = c->mode[k] ? -u[5 + k] : voltage;
        if (wrong > most) {
            most = wrong;
            worst = k;
        }
    }
    return worst;
}

static bool bridge_holds(const Case *c, double t, const double *x) {
    return bridge_worst(c, t, x) < 0;
}

static void bridge_change(Case *c, double t, double *x) {
    int worst;
    for (int round = 0; round < 40 && (worst = bridge_worst(c, t, x)) >= 0; round++)
        c->mode[worst] = !c->mode[worst];
}

// --- engine V6: one degree of freedom, the angle of the shaft ------------------------------------
//
//   In the plane of a cylinder, with a = angle - inc of its crank:  sin b = 0.5 sin a,
//   d = 0.1 cos a + 0.2 cos b is where the rod hangs on the piston. Energy: I(q) w^2/2 + V(q).

static void engine(double q, double *inertia, double *potential) {
    static const double off[] = {-30, 90, 210, 210, 90, -30}, inc[] = {-30, 30, -30, 30, -30, 30};
    const double rho = 7700, g = 9.80665, deg = M_PI / 180;
    double m1 = rho * M_PI * 0.025 * 0.025 * 0.12, m2 = rho * 0.02 * 0.1 * 0.05;
    double m3 = rho * M_PI * 0.015 * 0.015 * 0.12, piston = rho * M_PI * 0.05 * 0.05 * 0.1;
    double rod = rho * 0.02 * 0.22 * 0.06, rod_inertia = rod / 12 * (0.22 * 0.22 + 0.06 * 0.06);
    double crank = m1 * 0.025 * 0.025 / 2 + m3 * (0.015 * 0.015 / 2 + 0.01) +
                   2 * m2 * ((0.01 + 0.0025) / 12 + 0.0025);
    *inertia = 0.2; // the flywheel
    *potential = 0;
    for (int k = 0; k < 6; k++) {
        double tilt = inc[k] * deg, a = q + off[k] * deg - tilt, b = asin(0.5 * sin(a));
        double turn = 0.5 * cos(a) / cos(b); // of the rod, per turn of the crank
        double d = 0.1 * cos(a) + 0.2 * cos(b), slide = -0.1 * sin(a) - 0.2 * sin(b) * turn;
        double along = slide + 0.11 * sin(b) * turn, across = 0.11 * cos(b) * turn;
        *inertia += crank + piston * slide * slide + rod * (along * along + across * across) +
                    rod_inertia * turn * turn;
        *potential += g * ((m2 * 0.1 + m3 * 0.1) * cos(a + tilt) + piston * (d + 0.05) * cos(tilt) +
                           rod * ((d - 0.11 * cos(b)) * cos(tilt) - 0.11 * sin(b) * sin(tilt)));
    }
}

static double engine_speed(double energy, double q) {
    double inertia, potential;
    engine(q, &inertia, &potential);
    return sqrt(2 * (energy - potential) / inertia);
}

static double engine_advance(double energy, double q, double seconds) {
    const double h = 1e-5;
    long steps = lround(seconds / h);
    for (long i = 0; i < steps; i++) {
        double k1 = engine_speed(energy, q), k2 = engine_speed(energy, q + h / 2 * k1);
        double k3 = engine_speed(energy, q + h / 2 * k2), k4 = engine_speed(energy, q + h * k3);
        q += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return q;
}

// --- closed forms --------------------------------------------------------------------------------

static double vibrator(double t) {
    double U = 15, h = U / 2 - U / 15000, tau = 1 / (2 * 10 * log(3)); // R C
    double first = tau * log(U / (U - h)), half = tau * log((U + h) / (U - h));
    if (t < first) return U * (1 - exp(-t / tau));
    double halves = floor((t - first) / half), rest = t - first - halves * half;
    double sign = fmod(halves, 2) == 0 ? -1 : 1;
    return sign * (U - (U + h) * exp(-rest / tau));
}

// s2 closes at the middle of each period; s1 opens at 0.45 of it, when c1 has what it keeps.
static double shared_charge(double t) {
    double u2 = 0, period = 1e-5;
    for (int k = 0; (k + 0.5) * period <= t; k++) {
        double u1 = sin(2 * M_PI * 1e3 * (k + 0.45) * period);
        u2 = (1e-9 * u1 + 10e-9 * u2) / 11e-9;
    }
    return u2;
}

// --- against the examples ------------------------------------------------------------------------

// The number after `expect WHAT = ` in an example.
static void check(const char *example, const char *what, double value, double tolerance) {
    Text path = {0}, line = {0};
    Report r = {0};
    Arena arena = {0};
    text_printf(&path, "%s/examples/msl/%s.bond", BONDYN_SOURCE, example);
    text_printf(&line, "expect %s = ", what);
    size_t length = 0;
    const char *text = file_read(&arena, text_get(&path), &length, &r, POS_NONE);
    assert_non_null(text);
    const char *at = strstr(text, text_get(&line));
    double said = at ? strtod(at + line.length, NULL) : (double)NAN;
    if (!(fabs(said - value) <= tolerance))
        fail_msg("%s: %s is %.15g, the example says %.15g", example, what, value, said);
    text_free(&path);
    text_free(&line);
    report_free(&r);
    arena_free(&arena);
}

static void test_clutches(void **state) {
    (void)state;
    Case c = {4, clutch_rates, clutch_holds, clutch_change, {1, 1, 1}};
    double x[MOST] = {10}, h = 5e-5, t = advance(&c, 0, 0.4, h, x);
    c.mode[3] = 1;
    t = advance(&c, t, 0.7, h, x);
    check("coupled_clutches", "w2.f(0.7 {s})", x[1], 1e-9);
    t = advance(&c, t, 0.9, h, x);
    check("coupled_clutches", "w1.f(0.9 {s})", x[0], 1e-9);
    c.mode[4] = 1;
    t = advance(&c, t, 1.2, h, x);
    check("coupled_clutches", "w3.f(1.2 {s})", x[2], 1e-9);
    t = advance(&c, t, (M_PI - 1.57) / (0.4 * M_PI), h, x); // here the first clutch opens
    advance(&c, t, 1.5, h, x);
    check("coupled_clutches", "w1.f(1.5 {s})", x[0], 1e-9);
    check("coupled_clutches", "w4.f(1.5 {s})", x[3], 1e-9);
}

static void test_gear(void **state) {
    (void)state;
    Case c = {1, gear_rates, gear_holds, gear_change, {0}};
    double x[MOST] = {0}, h = 1e-4, t = 0;
    static const double at[] = {0.3, 0.5, 1, 2, 4};
    static const char *const what[] = {"w2.f(0.3 {s})", "w2.f(0.5 {s})", "w2.f(1 {s})",
                                       "w2.f(2 {s})", "w2.f(4 {s})"};
    gear_change(&c, 0, x);
    for (int i = 0; i < 5; i++) {
        t = advance(&c, t, at[i], h, x);
        check("lossy_gear", what[i], x[0], 1e-9);
    }
}

static void test_bridge(void **state) {
    (void)state;
    Case c = {4, bridge_rates, bridge_holds, bridge_change, {0}};
    double x[MOST] = {0}, h = 2e-7;
    bridge_change(&c, 0, x);
    double t = advance(&c, 0, 0.005, h, x);
    check("rectifier_b6", "choke.f(0.005 {s})", x[3], 1e-7);
    t = advance(&c, t, 0.01, h, x);
    check("rectifier_b6", "la.f(0.01 {s})", x[0], 1e-7);
    t = advance(&c, t, 0.02, h, x);
    check("rectifier_b6", "choke.f(0.02 {s})", x[3], 1e-7);
    advance(&c, t, 0.03, h, x);
    check("rectifier_b6", "lb.f(0.03 {s})", x[1], 1e-7);
}

static void test_engine(void **state) {
    (void)state;
    double inertia, potential;
    engine(0, &inertia, &potential);
    double energy = inertia * 12 * 12 / 2 + potential, q = engine_advance(energy, 0, 0.1);
    check("engine_v6", "w.f(0.1 {s})", engine_speed(energy, q), 1e-9);
    q = engine_advance(energy, q, 0.2);
    check("engine_v6", "w.f(0.3 {s})", engine_speed(energy, q), 1e-9);
    q = engine_advance(energy, q, 0.2);
    check("engine_v6", "w.f(0.5 {s})", engine_speed(energy, q), 1e-9);
    check("engine_v6", "m.bearing.q(0.5 {s})", q, 1e-9);
}

static void test_closed_forms(void **state) {
    (void)state;
    check("multivibrator", "store.e(0.02 {s})", vibrator(0.02), 1e-9);
    check("multivibrator", "store.e(0.5 {s})", vibrator(0.5), 1e-9);
    check("multivibrator", "store.e(0.98 {s})", vibrator(0.98), 1e-9);
    check("switched_capacitor", "c2.e(0.1 {ms})", shared_charge(0.1e-3), 1e-12);
    check("switched_capacitor", "c2.e(0.5 {ms})", shared_charge(0.5e-3), 1e-12);
    check("switched_capacitor", "c2.e(0.999 {ms})", shared_charge(0.999e-3), 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clutches),     cmocka_unit_test(test_gear),
        cmocka_unit_test(test_bridge),       cmocka_unit_test(test_engine),
        cmocka_unit_test(test_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
