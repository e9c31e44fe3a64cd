// The Test Set for IVP Solvers without an `atol`, beside CVODE (IDA for DAEs) called by hand with the
// atol of the test set: largest relative error in the end, steps, seconds of the processor.
//
// What is counted: one run of the solver with compiled rates, with all that belongs to it (sizes,
// the choice of the method, its changes, events); not the compilation. By hand: creating the
// solver, the run. Of short runs the fastest of several counts.
//
// Two ratios of times: with the same rtol, and against the cheapest run by hand whose error is not
// larger (rtol from 1e-4 to 1e-13 in half decades). The atol of the test set gives up small
// components, so with the same rtol the two do not do the same work: the ratio of steps and that of
// the time of a step tell which of the two it is.
//
// Names of problems as arguments: only these.
#include "../tests/solve/ivp_model.h"
#include "bench.h"

#include <math.h>
#include <string.h>

enum { GRID = 19, AGAIN = 5 };

static const double few_seconds = 0.02;

typedef struct {
    IvpRun run;
    double error;
} Measured;

typedef struct {              // of problems with ten states or more
    double same, step, equal; // ratios of time: of runs, of a step, at equal error
} Worst;

static bool is_wanted(const Ivp *p, int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], p->name) == 0) return true;
    return argc < 2;
}

// Nullable: m; then by hand.
static Measured measure(const IvpModel *m, const Ivp *p, double rtol) {
    Measured x = {0};
    int worst;
    for (int k = 0; k < AGAIN && (k == 0 || x.run.seconds < few_seconds); k++) {
        double y[IVP_MOST] = {0};
        IvpRun r = m ? ivp_run(m, p, SOLVER_AUTO, rtol, y) : ivp_by_hand(p, rtol, y);
        if (k == 0 || r.seconds < x.run.seconds) x.run = r;
        x.error = r.done ? ivp_error(p, y, &worst) : (double)INFINITY;
    }
    return x;
}

static void print_run(const char *name, const Measured *x) {
    if (x->run.done)
        printf("  %s %8.1e %7ld %8.4f", name, x->error, x->run.steps, x->run.seconds);
    else
        printf("  %s %8s %7ld %8.4f", name, "fails", x->run.steps, x->run.seconds);
}

// The fastest run by hand that is as accurate; 0: there is none.
static double seconds_for(const Measured *grid, double error) {
    double least = 0;
    for (int k = 0; k < GRID; k++)
        if (grid[k].error <= error && (least == 0 || grid[k].run.seconds < least))
            least = grid[k].run.seconds;
    return least;
}

static void compare(const IvpModel *m, const Ivp *p, int decade, const Measured *grid, Worst *w) {
    double rtol = pow(10, -4 - decade);
    Measured mine = measure(m, p, rtol);
    const Measured *hand = &grid[2 * decade];
    double same = mine.run.seconds / hand->run.seconds;
    double steps = (double)mine.run.steps / (double)hand->run.steps;
    double by_error = seconds_for(grid, fmax(mine.error, p->known)); // no more can be told
    double equal = by_error > 0 ? mine.run.seconds / by_error : 0;
    printf("%6.0e", rtol);
    print_run("", &mine);
    print_run("|", hand);
    printf("  | %7.2g %5.2f %5.2f %5.2f ", mine.error / hand->error, steps, same / steps, same);
    if (equal > 0)
        printf("%5.2f\n", equal);
    else
        printf("%5s\n", "none");
    fflush(stdout);
    if (m->program->state_count < 10) return;
    if (hand->run.done) w->same = fmax(w->same, same);
    if (hand->run.done) w->step = fmax(w->step, same / steps);
    w->equal = fmax(w->equal, equal);
}

int main(int argc, char **argv) {
    Worst w = {0};
    printf(
        "Test Set for IVP Solvers, without atol | by hand with its atol | ratios of error, steps, "
        "time of a step, time; of time at equal error\n");
    for (int k = 0; k < ivp_count; k++) {
        const Ivp *p = &ivp_problems[k];
        IvpModel m;
        Measured grid[GRID];
        if (!is_wanted(p, argc, argv)) continue;
        if (!ivp_open(&m, p, true)) return 1;
        printf("\n%s, %d states\n", p->name, m.program->state_count);
        for (int i = 0; i < GRID; i++) grid[i] = measure(NULL, p, pow(10, -4 - 0.5 * i));
        for (int decade = 0; decade < 7; decade++) compare(&m, p, decade, grid, &w);
        ivp_close(&m);
    }
    printf(
        "\nfrom 10 states on at most %.2f of the time with the same rtol, %.2f of that of a step, "
        "%.2f at equal error\n",
        w.same, w.step, w.equal);
    return 0;
}
