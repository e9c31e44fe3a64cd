#include "fixture.h"

static const char *const spring_model = "model M\n"
                                        "  Se drive = 10 {N}\n"
                                        "  I mass(1 {kg})\n"
                                        "  C spring(0.01 {m/N})\n"
                                        "  R damper(2 {N.s/m})\n"
                                        "  1 v\n"
                                        "  drive -> v\n"
                                        "  v -> mass, spring, damper\n"
                                        "end\n";

static const char *const rack_model = "model M\n"
                                      "  Se tau = 1\n"
                                      "  I J1(2), J2(0.5), m(3)\n"
                                      "  C K(0.01)\n"
                                      "  TF r(0.2)\n"
                                      "  1 w1, w2, x\n"
                                      "  0 n\n"
                                      "  tau -> w1 -> J1\n"
                                      "  n -> K\n"
                                      "  n -> w1\n"
                                      "  w2 -> n\n"
                                      "  w2 -> J2\n"
                                      "  w2 -> r -> x -> m\n"
                                      "%s"
                                      "end\n";

static Fixture *open_rack(const char *more) {
    char text[1000];
    snprintf(text, sizeof text, rack_model, more);
    return open_text(text);
}

static void storages_get_integral_causality(void **state) {
    (void)state;
    Fixture *x = open_text(spring_model);
    const Graph *g = x->graph;
    assert_stroke(g, "drive -> v", STROKE_AT_TO, REASON_FIXED);
    assert_stroke(g, "v -> mass", STROKE_AT_TO, REASON_INTEGRAL);
    assert_stroke(g, "v -> spring", STROKE_AT_FROM, REASON_JUNCTION);
    assert_stroke(g, "v -> damper", STROKE_AT_FROM, REASON_JUNCTION);
    assert_causal(g);
    assert_int_equal(g->dependent_count + g->loop_count + g->conflict_count, 0);
    close_text(x);
}

static void every_stroke_has_its_reason_in_words(void **state) {
    (void)state;
    Fixture *x = open_text(spring_model);
    Text t = {0};
    causality_explain(&t, x->graph);
    assert_string_equal(
        text_get(&t),
        "   1  drive -> v   stroke at v: 'drive' sets the effort, because Se 'drive' is a source "
        "of effort\n"
        "   2  v -> mass    stroke at mass: 'mass' sets the flow, because I 'mass' has integral "
        "causality\n"
        "   3  v -> damper  stroke at v: the flow of 'v' is set by 'mass' (bond 2), so 'damper' "
        "receives flow\n"
        "   4  v -> spring  stroke at v: the flow of 'v' is set by 'mass' (bond 2), so 'spring' "
        "receives flow\n");
    text_clear(&t);
    causality_findings(&t, x->graph);
    assert_string_equal(text_get(&t), "");
    text_free(&t);
    close_text(x);
}

static void rack_depends_on_its_pinion(void **state) {
    (void)state;
    Fixture *x = open_rack("");
    const Graph *g = x->graph;
    assert_causal(g);
    assert_int_equal(g->dependent_count, 1);
    assert_int_equal(g->dependent[0].node, find_node(g, "m"));
    assert_int_equal(g->dependent[0].state_count, 1);
    assert_int_equal(g->dependent[0].states[0], find_node(g, "J2"));
    assert_int_equal(g->dependent[0].source_count, 0);
    Text t = {0};
    causality_findings(&t, g);
    assert_non_null(strstr(text_get(&t), "dependent storage: I 'm' has derivative causality: its "
                                         "flow is given by I 'J2'\n"));
    assert_non_null(strstr(text_get(&t), "2. let it own the state: `causality m integral`\n"));
    text_free(&t);
    close_text(x);
}

static void wishes_come_before_our_choice(void **state) {
    (void)state;
    Fixture *x = open_rack("  causality m integral\n");
    const Graph *g = x->graph;
    assert_causal(g);
    assert_stroke(g, "x -> m", STROKE_AT_TO, REASON_REQUEST);
    assert_int_equal(g->dependent_count, 1);
    assert_int_equal(g->dependent[0].node, find_node(g, "J2"));
    close_text(x);
    x = open_rack("  causality J1 derivative\n");
    assert_causal(x->graph);
    assert_stroke(x->graph, "w1 -> J1", STROKE_AT_FROM, REASON_REQUEST);
    close_text(x);
}

static void wheatstone_bridge_has_one_loop(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Se s = 1\n"
                           "  R r1(1), r2(2), r3(3), r4(4), r5(5)\n"
                           "  C c1(0.1), c2(0.2)\n"
                           "  0 top, a, b\n"
                           "  1 i1, i2, i5, ic\n"
                           "  s -> top\n"
                           "  top -> i1 -> a -> r3\n"
                           "  top -> i2 -> b -> r4\n"
                           "  i1 -> r1\n"
                           "  i2 -> r2\n"
                           "  a -> i5 -> b\n"
                           "  i5 -> r5\n"
                           "  b -> c1\n"
                           "  top -> ic -> c2\n"
                           "end\n");
    const Graph *g = x->graph;
    assert_causal(g);
    int choices = 0;
    for (int b = 0; b < g->bond_count; b++) choices += g->bond[b].reason == REASON_FREE;
    assert_int_equal(choices, 1);
    assert_int_equal(g->loop_count, 1);
    assert_true(g->loop[0].bond_count >= 2);
    assert_int_equal(g->loop[0].tear, find_node(g, "r1"));
    close_text(x);
}

static void loops_are_closed_paths(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Se V1 = 12\n"
                           "  Se V2 = 6\n"
                           "  R R1(4), R2(3), R3(6)\n"
                           "  1 a, b\n"
                           "  0 n\n"
                           "  V1 -> a -> R1\n"
                           "  V2 -> b -> R2\n"
                           "  a, b -> n -> R3\n"
                           "end\n");
    const Graph *g = x->graph;
    assert_causal(g);
    assert_int_equal(g->loop_count, 1);
    const AlgebraicLoop *l = &g->loop[0];
    assert_int_equal(l->bond_count, 3);
    assert_int_equal(l->bonds[0], find_bond(g, "a -> R1"));
    assert_int_equal(l->bonds[1], find_bond(g, "a -> n"));
    Text t = {0};
    causality_findings(&t, g);
    assert_non_null(strstr(text_get(&t), "algebraic loop: R 'R1' and R "));
    assert_non_null(strstr(text_get(&t), "`causality R1 flow`"));
    text_free(&t);
    close_text(x);
}

static void a_free_choice_need_not_be_a_loop(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  R r(1), q(2)\n"
                           "  r -> q\n"
                           "end\n");
    assert_int_equal(x->graph->loop_count, 1); // each resistor answers the other
    close_text(x);
    x = open_text("model M\n"
                  "  Se s = 1\n"
                  "  R r(1)\n"
                  "  s -> r\n"
                  "end\n");
    assert_int_equal(x->graph->loop_count, 0);
    close_text(x);
}

static void gear_train_and_gyrator(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Se s = 1\n"
                           "  I I1(0.02), I2(0.5), I3(0.3)\n"
                           "  C c(0.025)\n"
                           "  TF gear(4)\n"
                           "  GY motor(0.1)\n"
                           "  R r(1)\n"
                           "  1 i, w1, w2, w3\n"
                           "  0 n\n"
                           "  s -> i -> motor -> w1 -> gear -> w2 -> n -> w3 -> I3\n"
                           "  i -> r\n"
                           "  w1 -> I1\n"
                           "  w2 -> I2\n"
                           "  n -> c\n"
                           "end\n");
    const Graph *g = x->graph;
    assert_causal(g);
    assert_int_equal(g->dependent_count, 1);
    assert_int_equal(g->dependent[0].node, find_node(g, "I2"));
    assert_int_equal(g->loop_count, 0);
    assert_stroke(g, "i -> motor", STROKE_AT_FROM, REASON_TWO_PORT);
    close_text(x);
}

static void storage_held_by_a_source(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Sf drive = 1\n"
                           "  I mass(1)\n"
                           "  R r(1)\n"
                           "  1 v\n"
                           "  drive -> v -> mass, r\n"
                           "end\n");
    const Graph *g = x->graph;
    assert_int_equal(g->dependent_count, 1);
    assert_int_equal(g->dependent[0].state_count, 0);
    assert_int_equal(g->dependent[0].source_count, 1);
    assert_int_equal(g->dependent[0].source[0], find_node(g, "drive"));
    close_text(x);
}

// --- conflicts

static void two_effort_sources_on_a_0(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Se a = 12\n"
                           "  Se b = 6\n"
                           "  0 n\n"
                           "  R r(1)\n"
                           "  a, b -> n -> r\n"
                           "end\n");
    assert_int_equal(x->report.errors, 1);
    assert_int_equal(x->graph->conflict_count, 1);
    const Remark *m = find_remark(x, G_EFFORT_TWICE);
    assert_non_null(m);
    assert_string_equal(m->message, "effort is set at both ends of 'b -> n'");
    assert_string_equal(m->first_note->message, "Se 'a' sets its effort (reaches it through 'n')");
    assert_string_equal(m->first_note->next->message, "Se 'b' sets its effort");
    assert_non_null(m->help);
    close_text(x);
}

static void two_flow_sources_round_a_transformer(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Sf a = 1\n"
                           "  Sf b = 2\n"
                           "  TF t(2)\n"
                           "  1 k, n\n"
                           "  R r(1)\n"
                           "  a -> n -> t -> k -> r\n"
                           "  b -> k\n"
                           "end\n");
    assert_int_equal(x->report.errors, 1);
    const Remark *m = find_remark(x, G_FLOW_TWICE);
    assert_non_null(m);
    assert_string_equal(m->message, "flow is set at both ends of 'b -> k'");
    assert_non_null(strstr(m->first_note->message, "'k', 't', 'n'"));
    close_text(x);
}

static void conflicts_elsewhere_are_found_too(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Se a = 1\n"
                           "  Se b = 2\n"
                           "  Se c = 3\n"
                           "  0 n, m\n"
                           "  R r(1), q(1)\n"
                           "  1 i\n"
                           "  a, b -> n -> i -> m\n"
                           "  i -> r\n"
                           "  c -> m -> q\n"
                           "  Se d = 4\n"
                           "  d -> m\n"
                           "end\n");
    assert_int_equal(x->graph->conflict_count, 2);
    assert_int_equal(x->report.errors, 2);
    close_text(x);
}

static void impossible_wishes_name_both_causes(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Sf drive = 1 {m/s}\n"
                           "  I mass(1 {kg})\n"
                           "  1 v\n"
                           "  drive -> v -> mass\n"
                           "  causality mass integral\n"
                           "end\n");
    const Remark *m = find_remark(x, G_REQUEST_IMPOSSIBLE);
    assert_non_null(m);
    assert_non_null(strstr(m->message, "I 'mass'"));
    assert_non_null(strstr(m->first_note->message, "Sf 'drive'"));
    assert_int_equal(x->report.errors, 1);
    close_text(x);
}

// --- fields

static void laws_decide_the_causality_of_elements(void **state) {
    (void)state;
    Fixture *x = open_text("element Inductor\n"
                           "  port p: electric\n"
                           "  param L {H}\n"
                           "  L*der(p.f) = p.e\n"
                           "end\n"
                           "element Diode\n"
                           "  port p: electric\n"
                           "  p.f = 1e-12 {A}*(exp(p.e/0.025 {V}) - 1)\n"
                           "end\n"
                           "model M\n"
                           "  Se s = 5 {V}\n"
                           "  Inductor coil(L = 1 {H})\n"
                           "  Diode d\n"
                           "  R r(1 {ohm})\n"
                           "  1 i\n"
                           "  0 n\n"
                           "  s -> i -> n -> d\n"
                           "  i -> coil\n"
                           "  n -> r\n"
                           "end\n");
    const Graph *g = x->graph;
    assert_causal(g);
    assert_stroke(g, "i -> coil", STROKE_AT_TO, REASON_INTEGRAL);
    assert_stroke(g, "n -> d", STROKE_AT_TO, REASON_FREE); // as its law is written
    assert_int_equal(g->loop_count, 1);
    assert_int_equal(g->dependent_count, 0);
    close_text(x);
}

static void states_of_fields_can_be_lost(void **state) {
    (void)state;
    Fixture *x = open_text("element Inductor\n"
                           "  port p: electric\n"
                           "  param L = 1 {H}\n"
                           "  L*der(p.f) = p.e\n"
                           "end\n"
                           "model M\n"
                           "  Sf s = 5 {A}\n"
                           "  Inductor coil\n"
                           "  s -> coil\n"
                           "end\n");
    const Graph *g = x->graph;
    assert_int_equal(x->report.errors, 0);
    assert_int_equal(g->dependent_count, 1);
    assert_int_equal(g->dependent[0].source_count, 1);
    close_text(x);
}

static void laws_without_choice_stand_against_sources(void **state) {
    (void)state;
    Fixture *x = open_text("element Battery\n"
                           "  port p: electric out\n"
                           "  supplies\n"
                           "  p.e = 12 {V}\n"
                           "end\n"
                           "model M\n"
                           "  Battery b\n"
                           "  Se s = 5 {V}\n"
                           "  0 n\n"
                           "  R r(1 {ohm})\n"
                           "  b.p -> n -> r\n"
                           "  s -> n\n"
                           "end\n");
    assert_int_equal(x->report.errors, 1);
    const Remark *m = find_remark(x, G_LAWS_FORBID);
    assert_non_null(m);
    assert_string_equal(
        m->message, "Battery 'b' receives effort through 'b -> n', which its laws do not allow");
    close_text(x);
}

static void rectangular_and_singular_moduli_have_one_way(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  param l[3] = (0.1, 0.2, 0.3)\n"
                           "  I[3] mass(2), rotor(1)\n"
                           "  I lift(1)\n"
                           "  1[3] w, v\n"
                           "  1 z\n"
                           "  TF lever(skew(l))\n"
                           "  TF pick([0, 0, 1])\n"
                           "  w -> rotor\n"
                           "  w -> lever -> v -> mass\n"
                           "  v -> pick -> z -> lift\n"
                           "end\n");
    const Graph *g = x->graph;
    assert_int_equal(x->report.errors, 0);
    assert_causal(g);
    // mass stands before rotor, but the lever arm cannot be inverted: the rotor owns the states
    assert_stroke(g, "lever[1] -> v[1]", STROKE_AT_FROM, REASON_FIELD);
    assert_stroke(g, "pick -> z", STROKE_AT_FROM, REASON_FIELD);
    assert_stroke(g, "w[1] -> rotor[1]", STROKE_AT_TO, REASON_JUNCTION);
    assert_int_equal(g->dependent_count, 2);
    assert_int_equal(g->dependent[1].node, find_node(g, "mass"));
    assert_int_equal(g->dependent[1].states[0], find_node(g, "rotor"));
    close_text(x);
}

static void vector_transformers_follow_their_matrix(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Sf[2] s = (1, 2)\n"
                           "  TF t([2, 0; 0, 3])\n"
                           "  1[2] v\n"
                           "  R a(1), b(1)\n"
                           "  s -> t -> v\n"
                           "  v[1] -> a\n"
                           "  v[2] -> b\n"
                           "end\n");
    const Graph *g = x->graph;
    assert_int_equal(x->report.errors, 0);
    assert_causal(g);
    assert_stroke(g, "t[2] -> v[2]", STROKE_AT_FROM, REASON_FIELD);
    assert_int_equal(g->loop_count, 0);
    close_text(x);
}

static void gyristors_take_flow_only(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  param J[3] = (1, 2, 3)\n"
                           "  I[3] body(diag(J), p0 = (1, 1, 1))\n"
                           "  1[3] w\n"
                           "  R[3] g: e = cross(w.f, body.p)\n"
                           "  Se[3] tau = (0, 0, 0)\n"
                           "  tau -> w -> body, g\n"
                           "end\n");
    const Graph *g = x->graph;
    assert_int_equal(x->report.errors, 0);
    assert_causal(g);
    assert_stroke(g, "w[3] -> g[3]", STROKE_AT_FROM, REASON_FIELD);
    assert_int_equal(g->dependent_count + g->loop_count, 0);
    close_text(x);
}

// --- independence, size

static void order_of_declarations_changes_nothing(void **state) {
    (void)state;
    Fixture *a = open_rack("");
    Fixture *b = open_text("model M\n"
                           "  w2 -> r -> x -> m\n"
                           "  w2 -> J2\n"
                           "  w2 -> n\n"
                           "  n -> w1\n"
                           "  n -> K\n"
                           "  w1 -> J1\n"
                           "  tau -> w1\n"
                           "  0 n\n"
                           "  1 x, w2, w1\n"
                           "  TF r(0.2)\n"
                           "  C K(0.01)\n"
                           "  I m(3), J2(0.5), J1(2)\n"
                           "  Se tau = 1\n"
                           "end\n");
    Text ta = {0}, tb = {0};
    causality_explain(&ta, a->graph);
    causality_json(&ta, a->graph);
    graph_svg(&ta, a->graph);
    causality_explain(&tb, b->graph);
    causality_json(&tb, b->graph);
    graph_svg(&tb, b->graph);
    assert_string_equal(text_get(&ta), text_get(&tb));
    text_free(&ta);
    text_free(&tb);
    close_text(a);
    close_text(b);
}

static void long_chains_go_through(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  param n = 3000\n"
                           "  Se s = 1\n"
                           "  s -> i[1]\n"
                           "  for k in 1:n\n"
                           "    I m[k](1)\n"
                           "    TF t[k](1.001)\n"
                           "    i[k] -> m[k]\n"
                           "    i[k] -> t[k] -> i[k+1]\n"
                           "  end\n"
                           "  1 i[n+1]\n"
                           "  R r(1)\n"
                           "  i[n+1] -> r\n"
                           "end\n");
    const Graph *g = x->graph;
    assert_int_equal(x->report.errors, 0);
    assert_causal(g);
    assert_int_equal(g->dependent_count, 2999);
    for (int i = 0; i < g->dependent_count; i++) assert_int_equal(g->dependent[i].state_count, 1);
    close_text(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storages_get_integral_causality),
        cmocka_unit_test(every_stroke_has_its_reason_in_words),
        cmocka_unit_test(rack_depends_on_its_pinion),
        cmocka_unit_test(wishes_come_before_our_choice),
        cmocka_unit_test(wheatstone_bridge_has_one_loop),
        cmocka_unit_test(loops_are_closed_paths),
        cmocka_unit_test(a_free_choice_need_not_be_a_loop),
        cmocka_unit_test(gear_train_and_gyrator),
        cmocka_unit_test(storage_held_by_a_source),
        cmocka_unit_test(two_effort_sources_on_a_0),
        cmocka_unit_test(two_flow_sources_round_a_transformer),
        cmocka_unit_test(conflicts_elsewhere_are_found_too),
        cmocka_unit_test(impossible_wishes_name_both_causes),
        cmocka_unit_test(laws_decide_the_causality_of_elements),
        cmocka_unit_test(states_of_fields_can_be_lost),
        cmocka_unit_test(laws_without_choice_stand_against_sources),
        cmocka_unit_test(rectangular_and_singular_moduli_have_one_way),
        cmocka_unit_test(vector_transformers_follow_their_matrix),
        cmocka_unit_test(gyristors_take_flow_only),
        cmocka_unit_test(order_of_declarations_changes_nothing),
        cmocka_unit_test(long_chains_go_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
