// A conflict is reported exactly where no causality exists: compared with trying all of them.
#include "fixture.h"

#include "graph/inside.h"
#include <stdint.h>

static unsigned next_random(uint64_t *seed, unsigned below) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % below;
}

// Up to 8 junctions, joined by bonds, transformers and gyrators, with a few elements on them.
static void random_model(Text *t, uint64_t *seed) {
    static const char *const element[] = {"R", "R", "C", "I", "Se", "Sf"};
    unsigned junctions = 2 + next_random(seed, 5), links = junctions - 1 + next_random(seed, 4);
    text_add(t, "model M\n");
    for (unsigned i = 0; i < junctions; i++) text_printf(t, "  %u j%u\n", next_random(seed, 2), i);
    for (unsigned i = 0; i < links; i++) {
        unsigned a = i + 1 < junctions ? i : next_random(seed, junctions);
        unsigned b = i + 1 < junctions ? i + 1 : next_random(seed, junctions);
        unsigned kind = next_random(seed, 4);
        if (a == b) b = (a + 1) % junctions;
        if (kind < 2)
            text_printf(t, "  %s t%u(2)\n  j%u -> t%u -> j%u\n", kind ? "GY" : "TF", i, a, i, b);
        else
            text_printf(t, "  j%u -> j%u\n", a, b);
    }
    for (unsigned i = 0; i < 1 + next_random(seed, 3); i++) {
        unsigned kind = next_random(seed, 6), at = next_random(seed, junctions);
        text_printf(t, kind < 4 ? "  %s x%u(1)\n" : "  %s x%u = 1\n", element[kind], i);
        text_printf(t, kind < 4 ? "  j%u -> x%u\n" : "  x%u -> j%u\n", kind < 4 ? at : i,
                    kind < 4 ? i : at);
    }
    text_add(t, "end\n");
}

static bool node_is_content(const Graph *g, int node) {
    CompKind kind = node_comp(g, node)->kind;
    if (is_source(kind)) return end_takes_effort(g, first_end(g, node)) == (kind == COMP_SF);
    if (!is_junction(kind) && kind != COMP_TF && kind != COMP_GY) return true;
    int hits = 0;
    for (int end = first_end(g, node); end < past_end(g, node); end++) hits += end_hits(g, end);
    return hits == 1;
}

static bool any_causality(Graph *g) {
    for (uint32_t mask = 0; mask < 1u << g->bond_count; mask++) {
        bool good = true;
        for (int b = 0; b < g->bond_count; b++)
            g->bond[b].stroke = mask >> b & 1 ? STROKE_AT_TO : STROKE_AT_FROM;
        for (int n = 0; n < g->node_count && good; n++) good = node_is_content(g, n);
        if (good) return true;
    }
    return false;
}

static void conflicts_are_true(void **state) {
    (void)state;
    int conflicts = 0, causal = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        uint64_t s = seed * 7919;
        Text t = {0};
        random_model(&t, &s);
        Fixture *x = open_text(text_get(&t));
        if (x->graph->bond_count <= 16) {
            bool found = x->graph->conflict_count == 0;
            if (found != any_causality(x->graph))
                fail_msg("seed %u: conflict %d\n%s", (unsigned)seed, !found, text_get(&t));
            conflicts += !found;
            causal += found;
        }
        close_text(x);
        text_free(&t);
    }
    assert_true(conflicts > 100 && causal > 100);
}

// Every junction of a closed grid of resistors has a partner; choosing one by one gets stuck.
static void closed_grids_are_causal(void **state) {
    (void)state;
    enum { N = 40 };
    Text t = {0};
    text_add(&t, "model M\n  Se u = 1\n  u -> v0_0\n");
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            text_printf(&t,
                        "  0 v%d_%d\n  1 a%d_%d, b%d_%d\n  R r%d_%d(1), s%d_%d(1)\n"
                        "  v%d_%d -> a%d_%d, b%d_%d\n  a%d_%d -> r%d_%d, v%d_%d\n"
                        "  b%d_%d -> s%d_%d, v%d_%d\n",
                        x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, (x + 1) % N, y,
                        x, y, x, y, x, (y + 1) % N);
    text_add(&t, "end\n");
    Fixture *x = open_text(text_get(&t));
    assert_int_equal(x->report.errors, 0);
    assert_int_equal(x->graph->conflict_count, 0);
    for (int n = 0; n < x->graph->node_count; n++) assert_true(node_is_content(x->graph, n));
    close_text(x);
    text_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conflicts_are_true),
        cmocka_unit_test(closed_grids_are_causal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
