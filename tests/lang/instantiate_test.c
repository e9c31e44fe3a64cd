// From text to the flat model: what right models become.
#include "model_of.h"

#include <stdlib.h>

static const char *const mass_spring_damper = "model MassSpringDamper\n"
                                              "  param m = 1 {kg}, k = 100 {N/m}, d = 2 {N.s/m}\n"
                                              "  Se drive = 10 {N}\n"
                                              "  I  mass(m)\n"
                                              "  C  spring(1/k, q0 = 0.01 {m})\n"
                                              "  R  damper(d)\n"
                                              "  1  v\n"
                                              "  drive -> v\n"
                                              "  v -> mass, spring, damper\n"
                                              "end\n";

static void elements_get_variables_laws_and_units(void **state) {
    (void)state;
    Loaded l = good_model(mass_spring_damper);
    assert_int_equal(l.model->comp_count, 5);
    assert_int_equal(l.model->bond_count, 4);
    assert_true(has_equation(&l, "spring.e = k*spring.q"));
    assert_true(has_equation(&l, "der(mass.p) = mass.e"));
    assert_true(has_equation(&l, "mass.f = mass.p/m"));
    assert_true(has_equation(&l, "damper.e = d*damper.f"));
    assert_string_equal(var_text(&l, find_var(&l, "v.f")->unit), "m/s");
    assert_string_equal(var_text(&l, find_var(&l, "spring.q")->unit), "m");
    assert_near(expr_value(l.model->dag, find_var(&l, "spring.q")->start), 0.01, 0);
    assert_int_equal(find_comp(&l, "spring")->role, ROLE_STORE);
    assert_int_equal(find_comp(&l, "spring")->state_count, 1);
    assert_true(find_comp(&l, "spring")->stored != 0);
    assert_true(has_bond(&l, "drive -> v"));
    const Var *q = find_var(&l, "spring.q");
    assert_int_equal(l.model->var[q->der].of, model_find(l.model, "spring.q"));
    free_model(&l);
}

static void numbers_as_arguments_become_parameters(void **state) {
    (void)state;
    Loaded l = good_model("model M\n Se s = 1 {V}\n 1 i\n R r(2)\n C c(1 {uF})\n TF t(3)\n"
                          " R load(4 {ohm})\n s -> i\n i -> r, c\n i -> t -> load\nend\n");
    assert_near(param_number(&l, "r.R"), 2, 0);
    assert_string_equal(var_text(&l, find_var(&l, "r.R")->unit), "ohm");
    assert_near(param_number(&l, "c.C"), 1e-6, 1e-18);
    assert_near(param_number(&l, "t.m"), 3, 0);
    assert_true(has_equation(&l, "t.e1 = t.e2*t.m"));
    free_model(&l);
}

static void lists_are_sorted_by_path(void **state) {
    (void)state;
    Loaded l =
        good_model("model M\n 1 v\n Se s = 1\n s -> v\n for i in 1:12\n  C c[i](1)\n"
                   "  v -> c[i]\n end\n var x[11]\n der(x) = ones(11)\n var x1, xB\n x1 = 1\n"
                   " xB = 2\nend\n");
    const Model *m = l.model;
    for (int i = 2; i < m->var_count; i++)
        assert_true(name_compare(var_text(&l, m->var[i - 1].path), var_text(&l, m->var[i].path)) <
                    0);
    for (int i = 1; i < m->comp_count; i++)
        assert_true(name_compare(var_text(&l, m->comp[i - 1].path), var_text(&l, m->comp[i].path)) <
                    0);
    for (int i = 0; i < m->var_count; i++)
        assert_int_equal(model_find(m, var_text(&l, m->var[i].path)), i);
    for (int i = 0; i < m->port_count; i++) assert_int_equal(m->var[m->port[i].e].kind, VAR_EFFORT);
    free_model(&l);
}

static const char *const shuffled[] = {
    "  param m = 1 {kg}, k = 100 {N/m}\n",
    "  param d = 2*r\n",
    "  param r = 3\n",
    "  Se drive = 10 {N}\n",
    "  I mass(m)\n",
    "  C spring(1/k)\n",
    "  R damper(d*1 {N.s/m})\n",
    "  1 v\n",
    "  drive -> v\n",
    "  v -> mass, spring, damper\n",
    "  var x {m}, y {m/s}, w\n",
    "  der(x) = v.f + y\n",
    "  y = 2*v.f - der(x)/2\n",
    "  w = sin(x/1 {m}) + cos(y/1 {m/s})*r\n",
    "  Block b(u = w)\n",
    "  for i in 1:3\n    R extra[i](i*d*1 {N.s/m})\n    v -> extra[i]\n  end\n",
};

enum { SHUFFLED = sizeof shuffled / sizeof shuffled[0] };

static char *dump_in_order(const int *order, bool block_first) {
    static const char *const block = "model Block\n  input u\n  output y\n  y = 2*u\nend\n";
    Text t = {0};
    if (block_first) text_add(&t, block);
    text_add(&t, "model M\n");
    for (int i = 0; i < SHUFFLED; i++) text_add(&t, shuffled[order[i]]);
    text_add(&t, "end\n");
    if (!block_first) text_add(&t, block);
    Loaded l = load_model(text_get(&t), "M", NULL);
    Text dump = {0};
    report_print(&dump, &l.report, l.sources);
    if (l.model) model_dump(&dump, l.model);
    assert_non_null(l.model);
    free_model(&l);
    text_free(&t);
    return dump.data;
}

static void order_of_declarations_changes_nothing(void **state) {
    (void)state;
    int order[SHUFFLED];
    for (int i = 0; i < SHUFFLED; i++) order[i] = i;
    char *first = dump_in_order(order, true);
    unsigned seed = 1;
    for (int round = 0; round < 20; round++) {
        for (int i = SHUFFLED - 1; i > 0; i--) {
            seed = seed * 1103515245u + 12345u;
            int k = (int)(seed >> 8) % (i + 1), swap = order[i];
            k = k < 0 ? -k : k;
            order[i] = order[k];
            order[k] = swap;
        }
        char *other = dump_in_order(order, round % 2);
        assert_string_equal(first, other);
        free(other);
    }
    free(first);
}

static void ports_of_models_are_spliced(void **state) {
    (void)state;
    Loaded l = good_model("model Cell\n  port a: electric, b: electric out\n  0 n\n  C c(1 {F})\n"
                          "  a -> n\n  n -> c, b\nend\n"
                          "model Pair\n  port a: electric, b: electric out\n  Cell x, y\n"
                          "  a -> x.a\n  x.b -> y.a\n  y.b -> b\nend\n"
                          "model M\n  Pair p, q\n  Se s = 1 {V}\n  R r(1 {ohm})\n"
                          "  s -> p -> q -> r\nend\n");
    assert_int_equal(l.model->bond_count, 9);
    assert_true(has_bond(&l, "s -> p.x.n"));
    assert_true(has_bond(&l, "p.y.n -> q.x.n"));
    assert_true(has_bond(&l, "q.y.n -> r"));
    for (int i = 0; i < l.model->port_count; i++)
        assert_string_equal(var_text(&l, l.model->port[i].domain), "electric");
    free_model(&l);
}

static void vector_ports_can_be_taken_in_parts(void **state) {
    (void)state;
    Loaded l = good_model("model Box\n  port w: any[4]\n  R[2] r(2)\n  R[2] s(3)\n  w[1:2] -> r\n"
                          "  w[3:4] -> s\nend\n"
                          "model M\n  Box b\n  1[4] v\n  Se[3] e = (1, 2, 3)\n  Se f = 4\n"
                          "  e -> v[1:3]\n  f -> v[4]\n  v -> b\nend\n");
    assert_true(has_bond(&l, "v[1:2] -> b.r"));
    assert_true(has_bond(&l, "v[3:4] -> b.s"));
    assert_true(has_bond(&l, "e -> v[1:3]"));
    assert_true(has_bond(&l, "f -> v[4]"));
    assert_true(has_equation(&l, "e.e[2] = 2"));
    free_model(&l);
}

static void equations_about_ports_make_a_field(void **state) {
    (void)state;
    Loaded l = good_model("element Orifice\n  port p: hydraulic\n  param Cd = 0.6\n"
                          "  input A {m2}\n  param rho = 870 {kg/m3}\n"
                          "  p.f = Cd*A*signsqrt(2/rho*p.e)\nend\n"
                          "element Spring\n  port p: translation\n  param k = 3 {N/m}\n"
                          "  var x {m} initial 0.2\n  der(x) = p.f\n  p.e = k*x\n"
                          "  stores 0.5*k*x^2\nend\n"
                          "model M\n  Orifice o(A = 1e-4)\n  Se s = 1 {bar}\n  s -> o\n"
                          "  Spring c\n  Sf v = 1 {m/s}\n  v -> c\nend\n");
    const Comp *o = find_comp(&l, "o"), *c = find_comp(&l, "c");
    assert_int_equal(o->kind, COMP_FIELD);
    assert_int_equal(o->role, ROLE_DISSIPATE);
    assert_int_equal(o->equation_count, 1);
    assert_int_equal(c->role, ROLE_STORE);
    assert_int_equal(c->equation_count, 2);
    assert_true(c->stored != 0);
    assert_true(has_equation(&l, "o.A = 0.0001"));
    assert_near(expr_value(l.model->dag, find_var(&l, "c.x")->start), 0.2, 0);
    const Port *p = &l.model->port[o->first_port];
    assert_string_equal(var_text(&l, l.model->var[p->e].path), "o.p.e");
    free_model(&l);
}

static void parameters_stay_symbols_and_aliases_vanish(void **state) {
    (void)state;
    Loaded l = good_model("model Part\n  param R {ohm}\n  port p: electric\n  R r(R)\n  p -> r\n"
                          "end\n"
                          "model M\n  param R0 = 5 {ohm}, twice = 2*R0\n  Part a(R = R0)\n"
                          "  Part b(R = twice)\n  Part c(3)\n  1 i\n  Se s = 1 {V}\n  s -> i\n"
                          "  i -> a, b, c\nend\n");
    assert_int_equal(model_find(l.model, "a.R"), -1);
    assert_true(has_equation(&l, "a.r.e = R0*a.r.f"));
    assert_true(has_equation(&l, "b.r.e = b.r.f*twice"));
    assert_true(has_equation(&l, "c.r.e = c.R*c.r.f"));
    assert_near(param_number(&l, "c.R"), 3, 0);
    free_model(&l);
}

static void plain_numbers_take_the_unit_of_their_target(void **state) {
    (void)state;
    Loaded l =
        good_model("model Part\n  param p {bar} = 2, q = 3 {bar}, T {degC} = 20\n  var x\n"
                   "  x = p/q\n  var y\n  y = T/1 {K}\nend\n"
                   "model M\n  Part a\n  Part b(p = 5, q = 6)\n  Part c(p = 1e5 {Pa})\nend\n");
    assert_near(param_number(&l, "a.p"), 2e5, 1e-6);
    assert_near(param_number(&l, "b.p"), 5e5, 1e-6);
    assert_near(param_number(&l, "b.q"), 6e5, 1e-6);
    assert_near(param_number(&l, "c.p"), 1e5, 1e-6);
    assert_near(param_number(&l, "a.T"), 293.15, 1e-9);
    free_model(&l);
}

static void structure_follows_parameters(void **state) {
    (void)state;
    const char *text = "model M\n  param n = 3, kind = 2\n  Se s = 1\n  1 v\n  s -> v\n"
                       "  for i in 1:n\n    if kind == 1\n      R x[i](i)\n"
                       "    elseif kind == 2\n      C x[i](i)\n    else\n      I x[i](i)\n    end\n"
                       "    v -> x[i]\n  end\nend\n";
    Loaded l = good_model(text);
    assert_int_equal(find_comp(&l, "x[3]")->kind, COMP_C);
    assert_true(find_var(&l, "n")->structural);
    free_model(&l);
    const char *set[] = {"n = 5", "kind = 3"};
    LangOptions options = {.set = set, .set_count = 2};
    l = load_model(text, NULL, &options);
    assert_non_null(l.model);
    assert_int_equal(find_comp(&l, "x[5]")->kind, COMP_I);
    free_model(&l);
}

static void extends_inherits_and_overrides(void **state) {
    (void)state;
    Loaded l = good_model("model Base\n  param a = 1, b = 2\n  var x\n  x = a + b*time/1 {s}\nend\n"
                          "model Middle extends Base(a = 10)\n  param c = a + 1\n  var y\n"
                          "  y = c*x\nend\n"
                          "model M\n  Middle p, q(a = 7, b = 9)\nend\n");
    assert_near(param_number(&l, "p.a"), 10, 0);
    assert_near(param_number(&l, "p.b"), 2, 0);
    assert_near(param_number(&l, "q.a"), 7, 0);
    assert_near(param_number(&l, "q.b"), 9, 0);
    free_model(&l);
}

static void vectors_matrices_and_functions_lower_to_scalars(void **state) {
    (void)state;
    Loaded l = good_model("function twice(x) = 2*x\n"
                          "function turn(v, phi)\n  c = cos(phi)\n  s = sin(phi)\n"
                          "  return (c*v[1] - s*v[2], s*v[1] + c*v[2])\nend\n"
                          "table t(x) linear\n  0, 1\n  1, 3\nend\n"
                          "model M\n  param K[2,2] = [1, 2; 3, 4]\n  var x[2], y[2], z, u\n"
                          "  x = K*y\n  y = turn((1, 2), 0)\n  z = dot(x, y) + twice(3)\n"
                          "  u = t(0.5)\n  var w[3]\n  w = cross((1, 0, 0), (0, 1, 0))\n"
                          "  var k\n  k = size(w)*sum(K[1, :])\nend\n");
    assert_true(has_equation(&l, "x[1] = K[1,1]*y[1] + K[1,2]*y[2]"));
    assert_true(has_equation(&l, "y[2] = 2"));
    assert_true(has_equation(&l, "u = 2"));
    assert_true(has_equation(&l, "w[3] = 1"));
    assert_near(param_number(&l, "K[2,1]"), 3, 0);
    free_model(&l);
}

static void storage_fields_are_inverted_where_cheap(void **state) {
    (void)state;
    Loaded l = good_model("model M\n  I body([2, 1; 1, 2])\n  C c(diag((1, 2, 4, 5)))\n  1[2] v\n"
                          "  1[4] w\n  Se[2] f = (1, 0)\n  Se[4] g = (1, 0, 0, 0)\n"
                          "  f -> v -> body\n  g -> w -> c\nend\n");
    assert_true(has_equation(&l, "c.e[3] = 0.25*c.q[3]"));
    assert_true(find_comp(&l, "body")->stored != 0);
    assert_int_equal(find_comp(&l, "body")->argument_rows, 2);
    free_model(&l);
}

static void own_laws_replace_the_constitutive_equation(void **state) {
    (void)state;
    Loaded l = good_model("model M\n  param k = 2, k3 = 4\n  C spring: e = k*q + k3*q^3\n"
                          "  R valve: e = k*f*abs(f)\n  I rotor(p0 = 1): f = p/3\n  1 v\n"
                          "  Se s = 1\n  s -> v\n  v -> spring, valve, rotor\nend\n");
    const Comp *c = find_comp(&l, "spring");
    assert_true(c->own_law);
    assert_int_equal(c->equation_count, 2);
    Text t = {0};
    Printer how = {.style = PRINT_TEXT};
    expr_print(&t, l.model->dag, c->stored, &how);
    assert_string_equal(text_get(&t), "0.5*k*spring.q^2 + 0.25*k3*spring.q^4");
    text_free(&t);
    assert_true(has_equation(&l, "der(spring.q) = spring.f"));
    assert_near(expr_value(l.model->dag, find_var(&l, "rotor.p")->start), 1, 0);
    free_model(&l);
}

static void domains_are_told_by_one_unit(void **state) {
    (void)state;
    Loaded l = good_model("model M\n  Se bat = 12 {V}\n  1 i\n  R winding(1)\n  GY motor(0.1)\n"
                          "  1 shaft\n  I rotor(1e-3 {kg.m2})\n  bat -> i -> motor -> shaft\n"
                          "  i -> winding\n  shaft -> rotor\nend\n");
    assert_string_equal(var_text(&l, find_var(&l, "shaft.f")->unit), "rad/s");
    assert_string_equal(var_text(&l, find_var(&l, "winding.R")->unit), "ohm");
    free_model(&l);
    l = good_model("model M\n  Se room = 20 {degC}\n  R wall(0.1 {K/W})\n  C air(1000 {J/K})\n"
                   "  1 q\n  room -> q\n  q -> wall, air\nend\n");
    assert_true(find_comp(&l, "air")->pseudo);
    assert_string_equal(var_text(&l, l.model->port[0].domain), "heat");
    free_model(&l);
}

static void inputs_take_one_value(void **state) {
    (void)state;
    Loaded l =
        good_model("model B\n  input u, v = 3, w[2]\n  output y\n  y = u + v + w[1]\nend\n"
                   "model M\n  B a(u = 1), b, c(v = 2)\n  a.w = (1, 2)\n  b.u = a.y\n"
                   "  b.w[1] = 1\n  b.w[2] = 2\n  a.y = c.u\n  c.w = (0, 0)\n  b.v = 9\nend\n");
    assert_true(has_equation(&l, "a.u = 1"));
    assert_true(has_equation(&l, "a.v = 3"));
    assert_true(has_equation(&l, "b.v = 9"));
    assert_true(has_equation(&l, "c.v = 2"));
    assert_int_equal(l.model->equation_count, 15);
    free_model(&l);
}

static void derivatives_of_expressions_are_formed(void **state) {
    (void)state;
    Loaded l = good_model("model M\n  var x, y, z\n  der(x) = 1\n  y = der(x*x + time/1 {s})\n"
                          "  z = der(y)\nend\n");
    assert_true(has_equation(&l, "y = 2*x*der(x) + 1") || has_equation(&l, "y = 1 + 2*x*der(x)"));
    assert_int_equal(find_var(&l, "der(y)")->kind, VAR_DERIVATIVE);
    free_model(&l);
}

static void start_values_come_from_three_places(void **state) {
    (void)state;
    Loaded l = good_model("model M\n  param x0 = 2\n  var x initial x0, y, z[2] initial 5\n"
                          "  der(x) = 1\n  der(y) = 1\n  der(z) = (1, 1)\n  initial y = 3*x0\n"
                          "  initial x + y = 8\nend\n");
    assert_true(find_var(&l, "x")->start == find_var(&l, "x0")->symbol);
    assert_true(find_var(&l, "y")->start != 0);
    assert_near(expr_value(l.model->dag, find_var(&l, "z[2]")->start), 5, 0);
    assert_int_equal(l.model->initial_count, 1);
    free_model(&l);
}

static void patterns_match_paths(void **state) {
    (void)state;
    assert_true(path_matches("*", "a.b"));
    assert_true(path_matches("arm.*.e", "arm.x.y.e"));
    assert_false(path_matches("arm.*.e", "arm.e"));
    assert_true(path_matches("a*b*c", "abbbc"));
    assert_false(path_matches("a*b", "abc"));
    assert_false(path_matches("", "x"));
}

static void a_long_ladder_is_quick_and_small(void **state) {
    (void)state;
    Loaded l = good_model("model Ladder\n  param n = 5000, R0 = 10 {ohm}\n  Se src = 5 {V}\n"
                          "  0 node[n]\n  1 line[n]\n  src -> line[1]\n  for i in 1:n\n"
                          "    R r[i](R0*i)\n    C c[i](1e-6)\n    line[i] -> r[i], node[i]\n"
                          "    node[i] -> c[i]\n    if i < n\n      node[i] -> line[i+1]\n"
                          "    end\n  end\nend\n");
    assert_int_equal(l.model->bond_count, 20000);
    assert_true(l.arena.bytes < 20000 * 500);
    assert_string_equal(var_text(&l, find_var(&l, "c[5000].q")->unit), "C");
    free_model(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_get_variables_laws_and_units),
        cmocka_unit_test(numbers_as_arguments_become_parameters),
        cmocka_unit_test(lists_are_sorted_by_path),
        cmocka_unit_test(order_of_declarations_changes_nothing),
        cmocka_unit_test(ports_of_models_are_spliced),
        cmocka_unit_test(vector_ports_can_be_taken_in_parts),
        cmocka_unit_test(equations_about_ports_make_a_field),
        cmocka_unit_test(parameters_stay_symbols_and_aliases_vanish),
        cmocka_unit_test(plain_numbers_take_the_unit_of_their_target),
        cmocka_unit_test(structure_follows_parameters),
        cmocka_unit_test(extends_inherits_and_overrides),
        cmocka_unit_test(vectors_matrices_and_functions_lower_to_scalars),
        cmocka_unit_test(storage_fields_are_inverted_where_cheap),
        cmocka_unit_test(own_laws_replace_the_constitutive_equation),
        cmocka_unit_test(domains_are_told_by_one_unit),
        cmocka_unit_test(inputs_take_one_value),
        cmocka_unit_test(derivatives_of_expressions_are_formed),
        cmocka_unit_test(start_values_come_from_three_places),
        cmocka_unit_test(patterns_match_paths),
        cmocka_unit_test(a_long_ladder_is_quick_and_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
