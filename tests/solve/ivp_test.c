// The Test Set for IVP Solvers without an `atol`: no component is lost, and errors are those of
// CVODE called by hand with the atol of the test set, or smaller.
//
// Errors in the end scatter, as they are what is left of many of either sign: that of CVODE is the
// largest of five runs with rtol/2 .. 2 rtol. Argument: how many decades of rtol from 1e-4 on, with
// all problems; without, three and those that take no time.
#include "../test.h"
#include "ivp_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Too long for every day.
static bool is_long(const Ivp *p) {
    static const char *const names[] = {"ring_modulator", "nand_gate", "medical_akzo",
                                        "transistor_amplifier"};
    for (int i = 0; i < 4; i++)
        if (strcmp(p->name, names[i]) == 0) return true;
    return false;
}

static double error_by_hand(const Ivp *p, double rtol, double *y) {
    double most = 0, other[IVP_MOST];
    int worst;
    for (int k = 0; k < 5; k++) {
        double with = rtol * pow(2, k / 2.0 - 1);
        IvpRun r = ivp_by_hand(p, with, other);
        most = fmax(most, r.done ? ivp_error(p, other, &worst) : (double)INFINITY);
        if (k == 2) memcpy(y, other, (size_t)p->n * sizeof *y);
    }
    return most;
}

static void none_is_lost(const Ivp *p, double rtol, const double *y, const double *hand) {
    double bound = fmax(1e-2, 1e4 * rtol);
    for (int i = 0; i < p->n; i++) {
        if (p->died && p->died[i]) continue;
        double mine = fabs(y[i] / p->end[i] - 1), other = fabs(hand[i] / p->end[i] - 1);
        if (!(mine <= bound) && other <= bound)
            fail_msg("%s, rtol %g: component %d is lost, %g for %g", p->name, rtol, i + 1, y[i],
                     p->end[i]);
    }
}

static void problem_is_solved(const Ivp *p, int decades) {
    IvpModel m;
    double first = 0, last = 0, rtol = 1e-4;
    int count = decades ? decades : 3;
    if (!ivp_open(&m, p, false)) fail_msg("%s: %s", p->name, m.report.first->message);
    for (int k = 0; k < count; k++, rtol /= decades ? 10 : 100) {
        double y[IVP_MOST] = {0}, hand[IVP_MOST] = {0};
        int worst;
        IvpRun r = ivp_run(&m, p, SOLVER_AUTO, rtol, y);
        if (!r.done) fail_msg("%s, rtol %g: the run failed", p->name, rtol);
        double allowed = fmax(2 * error_by_hand(p, rtol, hand), p->known);
        last = ivp_error(p, y, &worst);
        if (k == 0) first = last;
        if (decades) print_message("%s %g: %g, allowed %g\n", p->name, rtol, last, allowed);
        none_is_lost(p, rtol, y, hand);
        if (!(last <= allowed))
            fail_msg("%s, rtol %g: error %g in component %d, allowed %g", p->name, rtol, last,
                     worst + 1, allowed);
    }
    if (!(last <= fmax(1e-2 * first, p->known)))
        fail_msg("%s: the error does not fall with rtol: %g, %g", p->name, first, last);
    ivp_close(&m);
}

static void the_test_set_is_solved(void **state) {
    int decades = *(const int *)*state;
    for (int k = 0; k < ivp_count; k++)
        if (decades || !is_long(&ivp_problems[k])) problem_is_solved(&ivp_problems[k], decades);
}

// Voltages of 1e-14 V are tied to differences of volts: what rounding leaves of them is no reason
// for short steps.
static void rounding_does_not_hold_back_steps(void **state) {
    (void)state;
    const Ivp *p = ivp_problems;
    while (strcmp(p->name, "nand_gate") != 0) p++;
    IvpModel m;
    if (!ivp_open(&m, p, false)) fail_msg("%s: %s", p->name, m.report.first->message);
    for (double rtol = 1e-8; rtol > 5e-10; rtol /= 10) {
        double y[IVP_MOST] = {0};
        IvpRun mine = ivp_run(&m, p, SOLVER_AUTO, rtol, y), hand = ivp_by_hand(p, rtol, y);
        if (!mine.done || mine.steps > 3 * hand.steps)
            fail_msg("rtol %g: %ld steps, %ld by hand", rtol, mine.steps, hand.steps);
    }
    ivp_close(&m);
}

int main(int argc, char **argv) {
    int decades = argc > 1 ? atoi(argv[1]) : 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(the_test_set_is_solved, &decades),
                                       cmocka_unit_test(rounding_does_not_hold_back_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
