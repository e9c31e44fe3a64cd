#include "fixture.h"

static void scalars_of_multibonds(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Se[3] s = (1, 2, 3)\n"
                           "  1[3] w\n"
                           "  I[3] J(2)\n"
                           "  R r(1)\n"
                           "  s -> w -> J\n"
                           "  w[2] -> r\n"
                           "end\n");
    const Graph *g = x->graph;
    assert_int_equal(g->bond_count, 7);
    assert_int_equal(g->node_count, 3 + 3);
    assert_int_equal(g->node[find_node(g, "w[2]")].end_count, 3);
    assert_int_equal(g->node[find_node(g, "J")].end_count, 3);
    const GraphBond *b = &g->bond[find_bond(g, "w[2] -> J[2]")];
    assert_int_equal(b->component, 1);
    assert_true(g->end[b->from].is_from && !g->end[b->to].is_from);
    assert_int_equal(g->end[b->from].e, -1);
    assert_string_equal(name_text(x->names, x->model->var[g->end[b->to].e].path), "J.e[2]");
    find_bond(g, "w[2] -> r");
    close_text(x);
}

static void ports_of_two_ports_are_named_when_needed(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Se s = 1\n"
                           "  TF t(2)\n"
                           "  1 v, w\n"
                           "  R r(1), q(1)\n"
                           "  s -> v -> q\n"
                           "  v -> t.p2\n"
                           "  t.p1 -> w -> r\n"
                           "end\n");
    find_bond(x->graph, "v -> t.p2");
    find_bond(x->graph, "t.p1 -> w");
    close_text(x);
}

static void junctions_with_one_bond_are_questioned(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Se s = 1\n"
                           "  R r(1)\n"
                           "  1 v, lone\n"
                           "  C c(1)\n"
                           "  s -> v -> r\n"
                           "  lone -> c\n"
                           "end\n");
    const Remark *m = find_remark(x, G_LONELY_JUNCTION);
    assert_non_null(m);
    assert_int_equal(m->severity, WARNING);
    assert_string_equal(m->message, "junction 'lone' has only one bond");
    assert_int_equal(x->report.errors, 0);
    close_text(x);
}

static void systems_that_share_nothing_are_mentioned(void **state) {
    (void)state;
    const char *apart = "model M\n"
                        "  Se s = 1\n"
                        "  R r(1), q(1)\n"
                        "  %s\n"
                        "  s -> r\n"
                        "  t -> q\n"
                        "end\n";
    char text[300];
    snprintf(text, sizeof text, apart, "Se t = 2");
    Fixture *x = open_text(text);
    assert_non_null(find_remark(x, G_SEPARATE_PARTS));
    close_text(x);
    snprintf(text, sizeof text, apart, "MSe t = 2*r.f");
    x = open_text(text);
    assert_null(find_remark(x, G_SEPARATE_PARTS));
    close_text(x);
}

static void one_remark_for_junctions_of_one_line(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Se s = 1\n"
                           "  R r(1)\n"
                           "  s -> r\n"
                           "  0 u[50]\n"
                           "end\n");
    assert_int_equal(x->report.errors, 1);
    const Remark *m = find_remark(x, G_LONELY_JUNCTION);
    assert_string_equal(m->first_note->message, "49 more junctions are like this");
    close_text(x);
}

static void bonds_from_a_junction_to_itself(void **state) {
    (void)state;
    Fixture *x = open_text("model Node\n"
                           "  port a: electric, b: electric\n"
                           "  0 n\n"
                           "  R r(1 {ohm})\n"
                           "  a -> n -> b\n"
                           "  n -> r\n"
                           "end\n"
                           "model M\n"
                           "  Node x\n"
                           "  x.b -> x.a\n"
                           "end\n");
    assert_non_null(find_remark(x, G_BOND_TO_ITSELF));
    assert_int_equal(x->report.errors, 1);
    close_text(x);
}

static void sinks_are_findings(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Se s = 1\n"
                           "  Sf load = 2\n"
                           "  0 n\n"
                           "  R r(1)\n"
                           "  1 i\n"
                           "  s -> i -> n -> load\n"
                           "  i -> r\n"
                           "end\n");
    Text t = {0};
    assert_int_equal(x->report.errors, 0);
    causality_findings(&t, x->graph);
    assert_non_null(strstr(text_get(&t), "sink: the half-arrow points into Sf 'load'"));
    text_free(&t);
    close_text(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_of_multibonds),
        cmocka_unit_test(ports_of_two_ports_are_named_when_needed),
        cmocka_unit_test(junctions_with_one_bond_are_questioned),
        cmocka_unit_test(systems_that_share_nothing_are_mentioned),
        cmocka_unit_test(one_remark_for_junctions_of_one_line),
        cmocka_unit_test(bonds_from_a_junction_to_itself),
        cmocka_unit_test(sinks_are_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
