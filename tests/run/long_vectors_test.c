// Long vector junctions: what they cost, from the text to the end of a run, is counted and grows
// with their length; a very long one is done at all, which no square of its length would be.
#include "../pipeline.h"
#include "../test.h"

#include "run/run.h"

typedef enum { WHOLE, ENTRIES, RING } Shape;

// m dv/dt = -d v in every entry: fields bonded whole, by their entries, or with a spring field
// beside.
static void write_model(Text *t, Shape shape, int n) {
    text_printf(t, "model M\n  1[%d] v\n  I[%d] m(2 {kg}, p0 = 2 {N.s})\n  v -> m\n", n, n);
    if (shape == ENTRIES)
        text_printf(t, "  R d[%d](0.5 {N.s/m})\n  for i in 1:%d\n    v[i] -> d[i]\n  end\n", n, n);
    else
        text_printf(t, "  R[%d] d(0.5 {N.s/m})\n  v -> d\n", n);
    if (shape == RING) text_printf(t, "  C[%d] s(1e9 {m/N})\n  v -> s\n", n);
    text_printf(t, "end\nexperiment E of M\n  stop 4 {s}\n  points 2\n  solver rk78\nend\n");
}

// What it costs in visits of expressions; every entry has fallen to exp(-d t/m).
static double visits_of(Shape shape, int n) {
    Text text = {0};
    Built b;
    LangOptions options = {0};
    write_model(&text, shape, n);
    bool good = build_text(&b, text_get(&text), text.length, NULL, NULL, &options);
    if (!good) {
        Text said = {0};
        report_print(&said, &b.report, b.sources);
        fail_msg("%s", text_get(&said));
    }
    RunOptions how = {.rtol = 1e-9, .atol = 1e-9, .engine = ENGINE_VM};
    Run *run = built_run(&b, &how);
    assert_non_null(run);
    assert_int_equal(run->status, SOLVE_DONE);
    const Results *r = &run->results;
    int momenta = 0;
    for (int c = 0; c < r->column_count; c++) {
        if (strncmp(r->column[c].name, "m.p", 3) != 0) continue;
        momenta++;
        assert_near(r->column[c].value[r->row_count - 1], 2 * exp(-1), 1e-6);
    }
    assert_true(momenta == n || momenta > 1000); // of many only some are recorded
    double visits = (double)dag_visits(b.model->dag);
    run_free(run);
    build_free(&b);
    text_free(&text);
    return visits;
}

static void work_grows_with_length(void **state) {
    (void)state;
    for (int shape = WHOLE; shape <= RING; shape++) {
        double one = visits_of((Shape)shape, 200), two = visits_of((Shape)shape, 400);
        if (!(two < 2.1 * one)) fail_msg("shape %d: visits %g to %g", shape, one, two);
    }
}

static void a_very_long_one(void **state) {
    (void)state;
    visits_of(WHOLE, 12000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(work_grows_with_length),
                                       cmocka_unit_test(a_very_long_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
