// Strong components against the definition: two nodes are in one if each can reach the other.
#include "../test.h"

#include "base/strong.h"
#include <stdbool.h>
#include <stdlib.h>

enum { MOST = 12 };

typedef struct {
    int count;
    bool edge[MOST][MOST];
} Graph;

static int edge_of(const void *graph, int node, int k) {
    const Graph *g = graph;
    if (k == g->count) return STRONG_END;
    return g->edge[node][k] ? k : STRONG_NO_EDGE;
}

static void close_over_ways(Graph *g) {
    for (int k = 0; k < g->count; k++)
        for (int i = 0; i < g->count; i++)
            for (int j = 0; j < g->count; j++)
                g->edge[i][j] = g->edge[i][j] || (g->edge[i][k] && g->edge[k][j]);
}

static void test_random_graphs(void **state) {
    (void)state;
    srand(1);
    for (int seed = 0; seed < 3000; seed++) {
        Graph g = {.count = rand() % (MOST + 1)};
        int sparse = 1 + rand() % 8, part[MOST];
        for (int i = 0; i < g.count; i++)
            for (int j = 0; j < g.count; j++) g.edge[i][j] = rand() % sparse == 0;
        int parts = strong_components(g.count, edge_of, &g, part), most = -1;
        Graph reach = g;
        close_over_ways(&reach);
        for (int i = 0; i < g.count; i++) {
            assert_true(part[i] >= 0 && part[i] < parts);
            if (part[i] > most) most = part[i];
            for (int j = 0; j < g.count; j++) {
                bool together = i == j || (reach.edge[i][j] && reach.edge[j][i]);
                assert_int_equal(part[i] == part[j], together);
                if (reach.edge[i][j]) assert_true(part[j] <= part[i]); // needed ones come first
            }
        }
        assert_int_equal(most, parts - 1);
    }
}

// A chain of a million nodes: no recursion.
static int next_in_chain(const void *count, int node, int k) {
    return k == 0 && node + 1 < *(const int *)count ? node + 1 : STRONG_END;
}

static void test_deep_graph(void **state) {
    (void)state;
    int count = 1000000, *part = malloc((size_t)count * sizeof *part);
    assert_non_null(part);
    assert_int_equal(strong_components(count, next_in_chain, &count, part), count);
    assert_int_equal(part[0], count - 1);
    assert_int_equal(part[count - 1], 0);
    free(part);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_graphs),
                                       cmocka_unit_test(test_deep_graph)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
