// Linear analysis against size: an RLC ladder from text to its exact tangent and all eigenvalues, how they grow, and the gains of a
// regulator with 200 states.
//
//   MSe -> 1 -> 0 -> 1 -> 0 ...      a section: I and R at the 1, C at the 0; two states
#include "analysis/nearest.h"
#include "analysis/poles.h"
#include "bench.h"
#include "numeric/matrix_function.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE = 2000 }; // eigenvalues of larger ones are not sought here

static void write_ladder(Text *out, int sections) {
    text_add(out, "model Ladder\n  input u = 0\n  MSe source = u\n  source -> i1\n");
    for (int k = 1; k <= sections; k++) {
        text_printf(out, "  1 i%d\n  I l%d(1e-3)\n  R r%d(1)\n  0 v%d\n  C c%d(1e-6)\n", k, k, k, k,
                    k);
        text_printf(out, "  i%d -> l%d, r%d, v%d\n  v%d -> c%d\n", k, k, k, k, k, k);
        if (k > 1) text_printf(out, "  v%d -> i%d\n", k - 1, k);
    }
    text_add(out, "end\n");
}

typedef struct {
    double build, tangent, eigen, nearest;
    int states;
} Measured;

static Measured measure(int sections) {
    Measured m = {.eigen = NAN, .tangent = NAN};
    Text text = {0};
    Arena tree = {0}, bonds = {0};
    Names *names = names_new();
    Sources *sources = sources_new();
    Report report = {0};
    LinearPlan plan;
    LinearOptions wish = {0};
    Reached at;
    RunOptions run = {.engine = ENGINE_VM};
    Pipeline p;
    write_ladder(&text, sections);
    LangOptions lang =
        pipeline_lang(&(LangOptions){.library = BONDYN_SOURCE "/library", .bonds = &bonds});
    double start = now_seconds();
    Syntax *syntax = lang_load_text(&tree, names, sources, "ladder.bond", text_get(&text),
                                    text.length, &lang, &report);
    PipelineOptions o = {.lang = lang, .last = STAGE_MODEL};
    if (!pipeline_build(&p, syntax, &o, &report) ||
        !linear_open(p.model, &p.arena, &wish, &plan, &report))
        exit(1);
    o.last = STAGE_SYSTEM;
    if (!pipeline_finish(&p, &o, &report)) exit(1);
    double built = now_seconds();
    if (!linear_reach(&at, p.system, &run, true, 0, &report)) exit(1);
    double done = built;
    if (p.system->state_count <= DENSE) {
        LinearModel *l = linear_model(&plan, &at, &report);
        if (!l) exit(1);
        done = now_seconds();
        Complex *pole = calloc((size_t)l->n + 1, sizeof *pole);
        if (pole && dense_eigen(l->n, l->A, pole, NULL, NULL)) m.eigen = now_seconds() - done;
        free(pole);
        linear_model_free(l);
    }
    Nearest near;
    double before = now_seconds();
    if (!poles_nearest(&plan, &at, 0, 10, &near, &report)) exit(1);
    m.nearest = now_seconds() - before;
    nearest_free(&near);
    m.build = built - start;
    if (done > built) m.tangent = done - built;
    m.states = p.system->state_count;
    reached_free(&at);
    pipeline_free(&p);
    report_free(&report);
    sources_free(sources);
    names_free(names);
    arena_free(&tree);
    arena_free(&bonds);
    text_free(&text);
    return m;
}

// A chain of masses, all of them weighed, one input: the residual stays small where the solution is exact.
static void regulator(int n) {
    MatrixShape shape = {.function = MATRIX_CARE, .n = n, .m = 1};
    double *in = calloc((size_t)matrix_input_count(shape), sizeof *in);
    double *out = calloc((size_t)matrix_output_count(shape), sizeof *out);
    double *work = calloc(matrix_work_count(shape), sizeof *work);
    if (!in || !out || !work) exit(1);
    double *A = in, *B = A + (size_t)n * (size_t)n, *Q = B + n, *R = Q + (size_t)n * (size_t)n;
    for (int i = 0; i < n; i++) {
        A[i * n + i] = -0.1;
        if (i > 0) A[i * n + i - 1] = 1;
        if (i + 1 < n) A[i * n + i + 1] = -1;
        Q[i * n + i] = 1;
    }
    B[0] = 1;
    R[0] = 1;
    double start = now_seconds();
    MatrixFault fault = matrix_compute(shape, in, out, work);
    printf("  %6d states: %8.3f s%s\n", n, now_seconds() - start,
           fault == MATRIX_GOOD ? "" : "  NO SOLUTION");
    free(in);
    free(out);
    free(work);
}

int main(void) {
    static const int sizes[] = {5, 50, 250, 500, 1000, 2500, 5000};
    Measured before = {0};
    printf("RLC ladder: seconds from text to equations; for the tangent; for all eigenvalues (up "
           "to %d states); for the 10\n"
           "poles nearest to 0, sparse, with the tangent. Growth exponents of the first and the "
           "last\n",
           DENSE);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        Measured m = measure(sizes[i]);
        double ratio = before.states ? log((double)m.states / before.states) : NAN;
        printf("  %6d states: %8.4f %8.4f %8.3f %8.4f   growth %5.2f %5.2f\n", m.states, m.build,
               m.tangent, m.eigen, m.nearest, log(m.build / before.build) / ratio,
               log(m.nearest / before.nearest) / ratio);
        fflush(stdout);
        before = m;
    }
    printf("Riccati equation of a regulator\n");
    for (int n = 25; n <= 200; n *= 2) regulator(n);
    return 0;
}
