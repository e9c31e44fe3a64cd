// Symbols below many roots: what walks below each would find, whether roots share nothing (walked)
// or nearly everything (handed up in words).
#include "../test.h"

#include "expr/expr.h"
#include "random.h"
#include <stdio.h>

enum { SYMBOLS = 300, ROOTS = 400 };

typedef struct {
    Names *names;
    Dag *d;
    Expr symbol[SYMBOLS], root[ROOTS];
} Graph;

static Expr sine(Dag *d, Expr x) { return expr_call(d, OP_SIN, &x, 1); }

static void graph_open(Graph *g) {
    g->names = names_new();
    g->d = dag_new(g->names);
    for (int i = 0; i < SYMBOLS; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        g->symbol[i] = expr_symbol(g->d, name_of(g->names, name));
    }
}

static void graph_close(Graph *g) {
    dag_free(g->d);
    names_free(g->names);
}

static int count_in(const SymbolLists *l, int root, Expr symbol) {
    int count = 0;
    for (int i = l->first.data[root]; i < l->first.data[root + 1]; i++)
        count += l->symbol.data[i] == symbol;
    return count;
}

static void check(const Graph *g) {
    SymbolLists lists = {0};
    ExprWalk *w = walk_new(g->d);
    expr_symbols_below(g->d, g->root, ROOTS, &lists);
    assert_int_equal(lists.first.count, ROOTS + 1);
    for (int r = 0; r < ROOTS; r++) {
        walk_start(w);
        walk_add(w, g->root[r]);
        for (int i = 0; i < SYMBOLS; i++)
            assert_int_equal(count_in(&lists, r, g->symbol[i]), walk_seen(w, g->symbol[i]));
    }
    walk_free(w);
    symbol_lists_free(&lists);
}

// root[i] = sin(root[i - 1] * x + y): the last holds all that the others do.
static void roots_that_share(void **state) {
    (void)state;
    Graph g;
    Random seed = {7};
    graph_open(&g);
    Expr last = g.symbol[0];
    for (int i = 0; i < ROOTS; i++) {
        Expr x = g.symbol[random_below(&seed, SYMBOLS)], y = g.symbol[random_below(&seed, SYMBOLS)];
        for (int k = 0; k < 20; k++) last = sine(g.d, expr_add(g.d, expr_mul(g.d, last, x), y));
        g.root[i] = i % 50 == 49 ? 0 : last; // 0: there is none
    }
    g.root[350] = expr_number(g.d, 3);
    check(&g);
    graph_close(&g);
}

static void roots_apart(void **state) {
    (void)state;
    Graph g;
    Random seed = {11};
    graph_open(&g);
    for (int i = 0; i < ROOTS; i++)
        g.root[i] = expr_mul(g.d, g.symbol[random_below(&seed, SYMBOLS)],
                             sine(g.d, g.symbol[random_below(&seed, SYMBOLS)]));
    check(&g);
    graph_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(roots_that_share),
                                       cmocka_unit_test(roots_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
