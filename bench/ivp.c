// The Test Set for IVP Solvers without an `atol`, beside CVODE (IDA for DAEs) called by hand with the
// atol of the test set: largest relative error in the end, steps, seconds of the processor.
//
// Names of problems as arguments: only these.
#include "../tests/solve/ivp_model.h"
#include "bench.h"

#include <math.h>
#include <string.h>

static bool is_wanted(const Ivp *p, int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], p->name) == 0) return true;
    return argc < 2;
}

static void print_run(const char *name, const Ivp *p, const IvpRun *r, const double *y) {
    int worst;
    double error = ivp_error(p, y, &worst);
    if (r->done)
        printf("  %s %8.1e %7ld %8.4f", name, error, r->steps, r->seconds);
    else
        printf("  %s %8s %7ld %8.4f", name, "fails", r->steps, r->seconds);
}

static void compare(const IvpModel *m, const Ivp *p, double rtol) {
    double mine[IVP_MOST] = {0}, hand[IVP_MOST] = {0};
    int worst;
    IvpRun a = ivp_run(m, p, SOLVER_AUTO, rtol, mine), b = ivp_by_hand(p, rtol, hand);
    printf("%6.0e", rtol);
    print_run("", p, &a, mine);
    print_run("|", p, &b, hand);
    printf("  | %7.2g %5.2f %5.2f\n", ivp_error(p, mine, &worst) / ivp_error(p, hand, &worst),
           (double)a.steps / (double)b.steps, a.seconds / b.seconds);
    fflush(stdout);
}

int main(int argc, char **argv) {
    printf("Test Set for IVP Solvers, without atol | by hand with its atol | ratios\n");
    for (int k = 0; k < ivp_count; k++) {
        const Ivp *p = &ivp_problems[k];
        IvpModel m;
        if (!is_wanted(p, argc, argv)) continue;
        if (!ivp_open(&m, p, true)) return 1;
        printf("\n%s, %d states\n", p->name, m.program->state_count);
        for (double rtol = 1e-4; rtol > 0.9e-10; rtol /= 10) compare(&m, p, rtol);
        ivp_close(&m);
    }
    return 0;
}
