// Reference values of more of examples/msl: the equations of each case written down by hand, in
// small steps of order four. Nothing of Bondyn takes part; the numbers are those in the
// expectations of the examples, which this test reads from their files.
#include "../test.h"

#include "base/files.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 6 };

typedef void Rates(double t, const double *x, double *dx);

// n states over `steps` equal steps from one time to another.
static void advance(Rates *rates, int n, double from, double to, int steps, double *x) {
    static const double part[4] = {0, 0.5, 0.5, 1};
    double k[4][MOST], at[MOST], h = (to - from) / steps;
    for (int step = 0; step < steps; step++) {
        double t = from + step * h;
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < n; i++) at[i] = x[i] + (s ? h * part[s] * k[s - 1][i] : 0);
            rates(t + part[s] * h, at, k[s]);
        }
        for (int i = 0; i < n; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static double limited(double x, double low, double high) { return fmin(fmax(x, low), high); }

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

// --- mechanics -----------------------------------------------------------------------------------

// speed behind the gear, speed of the load, twist of the spring
static void drive_train(double t, const double *x, double *dx) {
    double torque = 1e4 * x[2];
    dx[0] = (100 * sin(2 * M_PI * 5 * t) - torque) / 12;
    dx[1] = (torque - 10 * x[1]) / 2;
    dx[2] = x[0] - x[1];
}

static void oscillator(double t, const double *x, double *dx) {
    dx[0] = x[1];
    dx[1] = sin(2 * M_PI * 15.9155 * t) - 1e4 * x[0] - 10 * x[1];
}

// A damper never gives more than its spring.
static double contact(double spring, double damper) {
    return spring + limited(damper, -fabs(spring), fabs(spring));
}

static void elasto_gap(double t, const double *x, double *dx) {
    (void)t;
    dx[0] = x[1];
    dx[1] = x[0] > 0 ? -contact(10 * x[0], 1.5 * x[1]) : 0;
}

static void backlash(double t, const double *x, double *dx) {
    double depth = x[0] - limited(x[0], -M_PI / 8, M_PI / 8);
    dx[0] = x[1];
    dx[1] = 5 * sin(2 * M_PI * t) - (depth != 0 ? contact(200 * depth, 2 * x[1]) : 0);
}

static void pendulum(double t, const double *x, double *dx) {
    (void)t;
    dx[0] = x[1];
    dx[1] = (9.81 * 0.5 * cos(x[0]) - 0.1 * x[1]) / 0.251;
}

static void test_mechanics(void **state) {
    (void)state;
    double a[MOST] = {0}, b[MOST] = {0}, c[MOST] = {-2, 10}, d[MOST] = {0}, e[MOST] = {0};
    advance(drive_train, 3, 0, 1, 20000, a);
    check("drive_train", "w2.f(end)", a[0], 1e-9);
    check("drive_train", "w3.f(end)", a[1], 1e-9);
    advance(oscillator, 2, 0, 1, 20000, b);
    check("oscillator", "spring.c.q(end)", b[0], 1e-11);
    check("oscillator", "v.f(end)", b[1], 1e-9);
    advance(elasto_gap, 2, 0, 0.6, 60000, c);
    check("elasto_gap", "gap.x(0.6 {s})", c[0], 1e-7);
    check("elasto_gap", "v.f(0.6 {s})", c[1], 1e-7);
    advance(backlash, 2, 0, 2, 200000, d);
    check("backlash", "play.x(end)", d[0], 1e-7);
    check("backlash", "w.f(end)", d[1], 1e-6);
    advance(pendulum, 2, 0, 2, 40000, e);
    check("damped_pendulum", "hinge.q(end)", e[0], 1e-8);
    check("damped_pendulum", "hinge.f(end)", e[1], 1e-8);
}

// --- circuits ------------------------------------------------------------------------------------

// Node voltages 1, 3, 5 and the currents of both coils; the capacities between nodes couple the
// rates: three equations by Cramer's rule.
static void cauer(double t, const double *x, double *dx) {
    const double l1 = 1.304, l2 = 0.8586, c1 = 1.072, c3 = 1.682, c5 = 0.7262;
    double c2 = 1 / (1.704992 * 1.704992 * l1), c4 = 1 / (1.179945 * 1.179945 * l2);
    double a = c1 + c2, m = c2 + c3 + c4, e = c4 + c5, b = -c2, d = -c4;
    double r[3] = {1 - x[0] - x[3], x[3] - x[4], x[4] - x[2]};
    double det = a * (m * e - d * d) - b * b * e;
    (void)t;
    dx[0] = (r[0] * (m * e - d * d) - b * (r[1] * e - d * r[2])) / det;
    dx[1] = (a * (r[1] * e - d * r[2]) - r[0] * b * e) / det;
    dx[2] = (r[2] - d * dx[1]) / e;
    dx[3] = (x[0] - x[1]) / l1;
    dx[4] = (x[1] - x[2]) / l2;
}

static void chua(double t, const double *x, double *dx) {
    double g = -0.409091 * x[0] + 0.5 * (-0.757576 + 0.409091) * (fabs(x[0] + 1) - fabs(x[0] - 1));
    (void)t;
    dx[0] = ((x[1] - x[0]) * 0.565 - g) / 10;
    dx[1] = ((x[0] - x[1]) * 0.565 + x[2]) / 100;
    dx[2] = (-x[1] - 12.5e-3 * x[2]) / 18;
}

// The current that a flux takes: 0.2 m of iron on 1 cm2, 600 turns.
static double core_current(double flux) {
    double B = flux / 1e-4;
    return 0.2 / (1.25663706212e-6 * 3000) * B * (1 + pow(fabs(B / 1.5), 8)) / 600;
}

static void saturated(double t, const double *x, double *dx) {
    dx[0] = (81.3172798364530 * sin(2 * M_PI * 50 * t) - 7.5 * core_current(x[0])) / 600;
}

static void test_circuits(void **state) {
    (void)state;
    double a[MOST] = {0}, b[MOST] = {4}, c[MOST] = {0};
    advance(cauer, 5, 0, 9, 9000, a);
    check("cauer", "n5.e(10 {s})", a[2], 1e-8);
    advance(cauer, 5, 9, 29, 20000, a);
    check("cauer", "n5.e(30 {s})", a[2], 1e-8);
    advance(chua, 3, 0, 500, 200000, b);
    check("chua", "v1.e(end)", b[0], 1e-6);
    check("chua", "v2.e(end)", b[1], 1e-6);
    advance(saturated, 1, 0, 0.017, 170000, c);
    check("saturated_inductor", "core.B(0.017 {s})", c[0] / 1e-4, 1e-8);
    check("saturated_inductor", "coil.i.f(0.017 {s})", core_current(c[0]), 1e-6);
    // 100 P (1 + 1e-3 P/50) = u^2
    double P = (-100 + sqrt(1e4 + 4 * 0.002 * 220 * 220)) / 0.004;
    check("heating_resistor", "t.e(0.25 {s})", 293.15 + P / 50, 1e-8);
}

// --- machines ------------------------------------------------------------------------------------

static void dc_start(double t, const double *x, double *dx) {
    double u = 100 * limited((t - 0.2) / 0.8, 0, 1);
    dx[0] = (u - 0.05 * x[0] - 0.6366 * x[1]) / 0.0015;
    dx[1] = 0.6366 * x[0] / 0.3;
}

static void dc_loaded(double t, const double *x, double *dx) {
    dc_start(t, x, dx);
    dx[1] -= 63.66 / 0.3;
}

static void series_start(double t, const double *x, double *dx) {
    (void)t;
    dx[0] = (100 - 0.55 * x[0] - 0.006 * x[0] * x[1]) / 0.002;
    dx[1] = (0.006 * x[0] * x[0] - 0.0015 * x[1] * fabs(x[1])) / 0.3;
}

// Fluxes of stator and rotor along two axes that stand still, and the speed.
static double induction_torque(const double *x, double *i) {
    const double L = 0.05955, M = 0.058;
    double d = L * L - M * M;
    for (int k = 0; k < 4; k++) i[k] = (L * x[k] - M * x[(k + 2) % 4]) / d;
    return 1.5 * 2 * (x[0] * i[1] - x[1] * i[0]);
}

static void induction_start(double t, const double *x, double *dx) {
    double i[4], torque = induction_torque(x, i), u = sqrt(2) * 230, w = 2 * x[4];
    dx[0] = u * sin(2 * M_PI * 50 * t) - 0.3 * i[0];
    dx[1] = -u * cos(2 * M_PI * 50 * t) - 0.3 * i[1];
    dx[2] = -0.4 * i[2] - w * x[3];
    dx[3] = -0.4 * i[3] + w * x[2];
    dx[4] = (torque - 0.0016 * x[4] * fabs(x[4])) / 0.2;
}

static void test_machines(void **state) {
    (void)state;
    double a[MOST] = {0}, b[MOST] = {0}, c[MOST] = {0}, i[4];
    advance(dc_start, 2, 0, 1, 20000, a);
    check("dc_start", "w.f(1 {s})", a[1], 1e-6);
    advance(dc_start, 2, 1, 1.5, 10000, a);
    advance(dc_loaded, 2, 1.5, 2, 10000, a);
    check("dc_start", "m.i.f(2 {s})", a[0], 1e-5);
    check("dc_start", "w.f(2 {s})", a[1], 1e-6);
    advance(series_start, 2, 0, 2, 40000, b);
    check("dc_series_start", "m.i.f(end)", b[0], 1e-7);
    check("dc_series_start", "w.f(end)", b[1], 1e-7);
    advance(induction_start, 5, 0, 0.5, 50000, c);
    check("induction_start", "w.f(end)", c[4], 1e-6);
    check("induction_start", "m.shaft.e(end)", induction_torque(c, i), 1e-4);
}

// --- heat and water ------------------------------------------------------------------------------

static void cooling(double t, const double *x, double *dx) {
    (void)t;
    dx[0] = (10 - (x[0] - x[1])) / 0.1;
    dx[1] = (x[0] - 2 * x[1]) / 0.1;
}

static double orifice(double dp) {
    return 0.62 * 2e-3 * sqrt(2. / 998) * dp / sqrt(sqrt(dp * dp + 1e4));
}

static void three_tanks(double t, const double *x, double *dx) {
    double weight = 998 * 9.80665, a = orifice(weight * (x[0] - x[1])),
           b = orifice(weight * (x[1] - x[2]));
    (void)t;
    dx[0] = -a;
    dx[1] = a - b;
    dx[2] = b;
}

// winding and core over the room, with the duty of the copper
static double duty;

static void motor_heat(double t, const double *x, double *dx) {
    (void)t;
    dx[0] = (duty * (1 + 3.03e-3 * (x[0] - 75)) - 10 * (x[0] - x[1])) / 2500;
    dx[1] = (500 + 10 * (x[0] - x[1]) - 25 * x[1]) / 25000;
}

static void heated(double t, const double *x, double *dx) {
    (void)t;
    dx[0] = 10 / (1 + x[0] / 255) - 0.1 * x[0];
}

static void cooled(double t, const double *x, double *dx) {
    (void)t;
    dx[0] = -0.1 * x[0];
}

static double wish(double t) { return 5 + 25. / 6 * limited(t - 2, 0, 6); }

// A thermostat to the time `to`: steps of 0.1 ms, and the moments at which it switches by
// bisection.
static void thermostat(double *t, double to, bool *on, double *x) {
    double step = 1e-4;
    while (*t < to - 1e-12) {
        double h = fmin(step, to - *t), next = *x;
        Rates *law = *on ? heated : cooled;
        advance(law, 1, *t, *t + h, 1, &next);
        double beyond = *on ? next - (wish(*t + h) + 1) : wish(*t + h) - 1 - next;
        if (beyond > 0 && h > 1e-13) {
            step = h / 2;
            continue;
        }
        *x = next, *t += h;
        if (beyond > 0) *on = !*on;
        if (beyond > 0 || step > 1e-5) step = 1e-4;
    }
}

static void test_heat(void **state) {
    (void)state;
    double a[MOST] = {0}, x = 0, t = 0;
    bool on = true;
    for (int period = 0; period < 12; period++) {
        duty = 100;
        advance(motor_heat, 2, 0, 360, 3600, a);
        if (!period) check("motor_heat", "w.e(360 {s})", 293.15 + a[0], 1e-7);
        duty = 1000;
        advance(motor_heat, 2, 0, 240, 2400, a);
    }
    check("motor_heat", "w.e(end)", 293.15 + a[0], 1e-7);
    check("motor_heat", "c.e(end)", 293.15 + a[1], 1e-7);
    thermostat(&t, 1, &on, &x);
    check("controlled_temperature", "t.e(1 {s})", 293.15 + x, 1e-7);
    thermostat(&t, 5, &on, &x);
    check("controlled_temperature", "t.e(5 {s})", 293.15 + x, 1e-7);
    thermostat(&t, 10, &on, &x);
    check("controlled_temperature", "t.e(end)", 293.15 + x, 1e-7);
}

static void test_streams(void **state) {
    (void)state;
    double a[MOST] = {0}, b[MOST] = {8, 3, 3};
    advance(cooling, 2, 0, 0.2, 20000, a);
    check("simple_cooling", "t.e(0.2 {s})", 293.15 + a[0], 1e-7);
    check("simple_cooling", "stream.T(0.2 {s})", 293.15 + a[1], 1e-7);
    advance(three_tanks, 3, 0, 140, 140000, b);
    check("three_tanks", "h1(end)", b[0], 1e-8);
    check("three_tanks", "h3(end)", b[2], 1e-8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mechanics),
                                       cmocka_unit_test(test_circuits),
                                       cmocka_unit_test(test_machines),
                                       cmocka_unit_test(test_streams), cmocka_unit_test(test_heat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
