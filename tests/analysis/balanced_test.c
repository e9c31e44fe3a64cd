// Balanced truncation: the error lies between the largest Hankel singular value that is left out and twice the sum of all of them.
#include "../test.h"

#include "../pipeline.h"
#include "analysis/reduce.h"
#include "analysis/response.h"
#include "base/memory.h"
#include <math.h>

// A ladder of n masses with losses, pushed at one end and seen at the other.
static void ladder(Text *t, int n) {
    text_add(t, "model Ladder\n  input u = 0\n  output y\n  MSe push = u\n  push -> v1\n");
    for (int i = 1; i <= n; i++)
        text_printf(t,
                    "  1 v%d\n  I m%d(%g)\n  R r%d(0.4)\n  v%d -> m%d, r%d\n  0 z%d\n  C s%d(%g)\n "
                    " z%d -> s%d\n"
                    "  v%d -> z%d\n",
                    i, i, 1 + 0.1 * i, i, i, i, i, i, i, 0.5 + 0.03 * i, i, i, i, i);
    for (int i = 1; i < n; i++) text_printf(t, "  z%d -> v%d\n", i, i + 1);
    text_printf(t, "  y = s%d.q\nend\n", n);
}

static double error_of(const LinearModel *l, const Reduced *x) {
    LinearModel low = *l;
    low.n = x->order;
    low.A = x->A, low.B = x->B, low.C = x->C, low.D = x->D;
    Responder *whole = responder_new(l, 0, 0), *part = responder_new(&low, 0, 0);
    double most = 0;
    for (double w = 1e-3; w < 1e3; w *= 1.003)
        most = fmax(most, cabs(response_at(whole, w) - response_at(part, w)));
    responder_free(whole);
    responder_free(part);
    return most;
}

static void test_bound(void **unused) {
    (void)unused;
    Text text = {0};
    Built b;
    LinearPlan plan;
    Reached at;
    LinearOptions wish = {0};
    ladder(&text, 8);
    LangOptions with = build_open(&b, NULL);
    Syntax *syntax = lang_load_text(&b.tree, b.names, b.sources, "test.bond", text_get(&text),
                                    text.length, &with, &b.report);
    PipelineOptions p = {.lang = with, .last = STAGE_MODEL};
    assert_true(pipeline_build(&b.pipeline, syntax, &p, &b.report));
    assert_true(linear_open(b.pipeline.model, &b.pipeline.arena, &wish, &plan, &b.report));
    p.last = STAGE_SYSTEM;
    assert_true(pipeline_finish(&b.pipeline, &p, &b.report));
    RunOptions run = {.experiment = b.pipeline.experiment, .engine = ENGINE_VM};
    assert_true(linear_reach(&at, b.pipeline.system, &run, true, 0, &b.report));
    LinearModel *l = linear_model(&plan, &at, &b.report);
    assert_non_null(l);
    for (int order = 1; order < l->n; order += 2) {
        Reduced x;
        assert_true(reduce_balanced(l, order, &x, &b.report));
        double error = error_of(l, &x);
        assert_int_equal(x.order, order);
        assert_true(error <= x.bound * (1 + 1e-6) + 1e-12);
        assert_true(error >= x.hankel[order] * (1 - 1e-3)); // the grid may miss the very top
        reduced_free(&x);
    }
    linear_model_free(l);
    reached_free(&at);
    build_free(&b);
    text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
