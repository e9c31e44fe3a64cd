// The checks between stages: all is well with what the pipeline makes, and every list that is
// damaged by hand is named by the promise that no longer holds.
#include "../test.h"

#include "../pipeline.h"
#include "equations/system.h"
#include "graph/graph.h"

static const char text[] = "model M\n"
                           "  1 v\n"
                           "  Se force = 1 {N}\n"
                           "  I mass(1 {kg})\n"
                           "  C spring(1 {m/N})\n"
                           "  R damper(1 {N.s/m})\n"
                           "  force -> v\n"
                           "  v -> mass, spring, damper\n"
                           "  var n discrete initial 0\n"
                           "  when spring.q > 0.5 {m} then\n"
                           "    n = pre(n) + 1\n"
                           "  end\n"
                           "end\n";

static Built b;

static int build(void **state) {
    (void)state;
    if (!build_text(&b, text, sizeof text - 1, NULL, NULL, NULL))
        fail_msg("the model cannot be built");
    return 0;
}

static int drop(void **state) {
    (void)state;
    build_free(&b);
    return 0;
}

// What is said when `what` has the value `bad`; `what` is as before afterwards.
#define SAYS(check, what, bad, words)                                                              \
    do {                                                                                           \
        long kept_ = (long)(what);                                                                 \
        (what) = (bad);                                                                            \
        const char *said_ = (check);                                                               \
        (what) = kept_;                                                                            \
        if (!said_ || !strstr(said_, words)) fail_msg("%s: %s", #what, said_ ? said_ : "nothing"); \
    } while (0)

static void the_model_keeps_its_promises(void **state) {
    (void)state;
    Model *m = b.model;
    assert_null(model_check(m));
    SAYS(model_check(m), m->var[1].symbol, 0, "v->symbol");
    SAYS(model_check(m), m->var[1].comp, m->comp_count, "v->comp");
    SAYS(model_check(m), m->var[0].kind, VAR_LOCAL, "VAR_TIME");
    SAYS(model_check(m), m->comp[1].port_count, m->port_count + 1, "port_count");
    SAYS(model_check(m), m->port[0].comp, m->port[0].comp + 1, "port");
    SAYS(model_check(m), m->port[0].e, m->var_count, "p->e");
    SAYS(model_check(m), m->bond[0].dim, 2, "end->first");
    SAYS(model_check(m), m->bond[0].to.comp, -1, "end->comp");
    SAYS(model_check(m), m->equation[0].right, 0, "right");
    SAYS(model_check(m), m->action[0].var, 0, "a->var");
    SAYS(model_check(m), m->when[0].action_count, 7, "action_count");
    assert_null(model_check(m));
}

static void the_graph_keeps_its_promises(void **state) {
    (void)state;
    Graph *g = b.graph;
    assert_null(graph_check(g));
    SAYS(graph_check(g), g->bond[0].stroke, STROKE_NONE, "STROKE_NONE");
    SAYS(graph_check(g), g->bond[1].from, g->bond[0].from, "g->end[b->from]");
    SAYS(graph_check(g), g->node[0].comp, -1, "n->comp");
    SAYS(graph_check(g), g->bond[0].order, 99, "order");
    for (int i = 0; i < g->bond_count;
         i++) // one stroke on the other side is one setter too many or too few
        SAYS(graph_check(g), g->bond[i].stroke,
             g->bond[i].stroke == STROKE_AT_TO ? STROKE_AT_FROM : STROKE_AT_TO, "strokes ==");
    assert_null(graph_check(g));
}

static void the_system_keeps_its_promises(void **state) {
    (void)state;
    System *s = b.system;
    assert_null(system_check(s));
    assert_int_equal(s->state_count, 2);
    SAYS(system_check(s), s->rate[1], 0, "s->rate[i]");
    SAYS(system_check(s), s->state_var[0], s->model->var_count, "state_var");
    SAYS(system_check(s), s->state[1], s->state[0], "!*mark");
    int flow = model_find(s->model, "damper.f"); // is an expression: p/m
    assert_true(flow >= 0);
    SAYS(system_check(s), s->rate[0], s->model->var[flow].symbol, "!found");
    assert_null(system_check(s));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_model_keeps_its_promises),
                                       cmocka_unit_test(the_graph_keeps_its_promises),
                                       cmocka_unit_test(the_system_keeps_its_promises)};
    return cmocka_run_group_tests(tests, build, drop);
}
