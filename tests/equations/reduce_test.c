// Reduction of bond graphs to states and rates, against hand calculation and the literature.
#include "build.h"

// A mass, a spring and a damper on one velocity, driven by a force.
static void explicit_graph_is_explicit(void **state) {
    (void)state;
    Build *b = build_new();
    Expr m = param(b, "m", 2), k = param(b, "C", 0.25), d = param(b, "d", 0.5);
    int v = junction(b, COMP_1, "v");
    connect(b, source(b, COMP_SE, "drive", num(b, 1)), v);
    connect(b, v, storage(b, COMP_I, "mass", m, 0));
    connect(b, v, storage(b, COMP_C, "spring", k, 0.01));
    connect(b, v, resistor(b, "damper", d));
    System *s = build_system(b);
    sim_prepare(b);
    assert_int_equal(s->state_count, 2);
    assert_int_equal(s->index, 1);
    assert_int_equal(s->block_count, 0);
    assert_int_equal(s->loop_count, 0);
    set_state(b, "mass.p", 3);
    set_state(b, "spring.q", 0.2);
    assert_near(rate_of(b, "mass.p"), 1 - 0.2 / 0.25 - 0.5 * 1.5, 1e-15);
    assert_near(rate_of(b, "spring.q"), 1.5, 0);
    assert_near(value_of(b, "damper.e"), 0.75, 0);
    assert_near(value_of(b, "drive.f"), 1.5, 0);
    int drive = 1;
    assert_near(expr_evaluate(b->dag, s->power[drive], b->value), -1.5, 1e-15);
    Text t = {0};
    equations_print(&t, s, EQUATIONS_TEXT);
    print_message("%s", text_get(&t));
    text_clear(&t);
    equations_summary(&t, s);
    print_message("%s", text_get(&t));
    text_free(&t);
    build_free(b);
}

static Build *rack_and_pinion(const char *wish) {
    Build *b = build_new();
    Expr j1 = param(b, "J1", 2), j2 = param(b, "J2", 0.5), m = param(b, "m", 3);
    Expr r = param(b, "r", 0.2), k = param(b, "K", 0.01);
    int w1 = junction(b, COMP_1, "w1"), w2 = junction(b, COMP_1, "w2");
    int shaft = junction(b, COMP_0, "shaft"), x = junction(b, COMP_1, "x");
    connect(b, source(b, COMP_SE, "torque", num(b, 1)), w1);
    connect(b, w1, storage(b, COMP_I, "I1", j1, 0));
    connect(b, shaft, storage(b, COMP_C, "spring", k, 0));
    connect(b, shaft, w1);
    connect(b, w2, shaft);
    int pinion = storage(b, COMP_I, "I2", j2, 0), rack = storage(b, COMP_I, "rack", m, 0);
    connect(b, w2, pinion);
    int tf = two_port(b, COMP_TF, "gear", r);
    connect(b, w2, tf);
    connect(b, tf, x);
    connect(b, x, rack);
    if (wish) b->comp.data[strcmp(wish, "rack") ? pinion : rack].wish = WISH_INTEGRAL;
    build_system(b);
    return b;
}

static void dependent_inertia_is_reflected(void **state) {
    (void)state;
    Build *b = rack_and_pinion("I2");
    sim_prepare(b);
    assert_int_equal(b->system->state_count, 3);
    assert_int_equal(b->system->index, 2);
    assert_int_equal(b->system->demoted_count, 1);
    assert_int_equal(b->system->demoted[0].var, find_var(b, "rack.p"));
    assert_int_equal(b->system->block_count, 0);
    set_state(b, "spring.q", 1);
    assert_near(rate_of(b, "I1.p"), 101, 1e-12);
    assert_near(rate_of(b, "I2.p"), -80.64516129032258, 1e-12);
    assert_near(rate_of(b, "spring.q"), 0, 0);
    set_state(b, "spring.q", 0);
    simulate(b, 0, 1, 1000);
    assert_near(value_of(b, "I1.p"), 0.7783619893713, 1e-9);
    assert_near(value_of(b, "I2.p"), 0.1787403311522, 1e-9);
    assert_near(value_of(b, "spring.q"), -0.003285019361121, 1e-9);
    assert_near(value_of(b, "rack.e"), 0.3179050994634, 1e-7);
    assert_near(value_of(b, "rack.f"), 0.07149613246088, 1e-9);
    Text t = {0};
    equations_print(&t, b->system, EQUATIONS_TEXT);
    equations_print(&t, b->system, EQUATIONS_LATEX);
    equations_print(&t, b->system, EQUATIONS_JSON);
    equations_summary(&t, b->system);
    equations_summary_json(&t, b->system);
    print_message("%s", text_get(&t));
    text_free(&t);
    build_free(b);
}

static void the_other_storage_may_own_the_state(void **state) {
    (void)state;
    Build *b = rack_and_pinion("rack");
    sim_prepare(b);
    assert_true(is_state_var(b, "rack.p"));
    assert_false(is_state_var(b, "I2.p"));
    simulate(b, 0, 1, 1000);
    assert_near(value_of(b, "rack.p"), 0.2144883973826, 1e-9);
    assert_near(value_of(b, "I1.p"), 0.7783619893713, 1e-9);
    assert_near(value_of(b, "I2.p"), 0.1787403311522, 1e-9);
    build_free(b);
}

// Three resistors, two sources, no state: the node has 20/3 V.
static void resistor_network_is_solved_exactly(void **state) {
    (void)state;
    Build *b = build_new();
    int a = junction(b, COMP_1, "a"), c = junction(b, COMP_1, "c"), n = junction(b, COMP_0, "n");
    connect(b, source(b, COMP_SE, "V1", num(b, 12)), a);
    connect(b, a, resistor(b, "R1", param(b, "r1", 4)));
    connect(b, a, n);
    connect(b, source(b, COMP_SE, "V2", num(b, 6)), c);
    connect(b, c, resistor(b, "R2", param(b, "r2", 3)));
    connect(b, c, n);
    connect(b, n, resistor(b, "R3", param(b, "r3", 6)));
    System *s = build_system(b);
    sim_prepare(b);
    assert_int_equal(s->state_count, 0);
    assert_int_equal(s->block_count, 0);
    assert_int_equal(s->loop_count, 1);
    assert_near(value_of(b, "n.e"), 20.0 / 3, 1e-14);
    assert_near(value_of(b, "R1.f"), 4.0 / 3, 1e-14);
    assert_near(value_of(b, "R2.f"), -2.0 / 9, 1e-14);
    assert_near(value_of(b, "R3.f"), 10.0 / 9, 1e-14);
    double supplied = 0, lost = 0;
    for (int i = 0; i < b->comp.count; i++) {
        double p = expr_evaluate(b->dag, s->power[i], b->value);
        if (b->comp.data[i].kind == COMP_SE) supplied -= p;
        if (b->comp.data[i].kind == COMP_R) lost += p;
    }
    assert_near(supplied, 44.0 / 3, 1e-13);
    assert_near(lost, 44.0 / 3, 1e-13);
    build_free(b);
}

// Physical bridge with a capacitor across; and the graph as printed with one bond turned.
static Build *wheatstone(bool as_printed) {
    Build *b = build_new();
    int in = junction(b, COMP_1, "in"), top = junction(b, COMP_0, "top");
    int left = junction(b, COMP_1, "left"), right = junction(b, COMP_1, "right");
    int na = junction(b, COMP_0, "na"), nb = junction(b, COMP_0, "nb");
    int across = junction(b, COMP_1, "across");
    connect(b, source(b, COMP_SE, "V", num(b, 1)), in);
    connect(b, in, resistor(b, "R1", param(b, "r1", 1)));
    connect(b, in, top);
    connect(b, top, storage(b, COMP_C, "C1", param(b, "c1", 0.1), 0));
    connect(b, top, right);
    connect(b, right, resistor(b, "R4", param(b, "r4", 4)));
    connect(b, right, nb);
    connect(b, top, left);
    connect(b, left, resistor(b, "R2", param(b, "r2", 2)));
    connect(b, left, na);
    connect(b, na, resistor(b, "R3", param(b, "r3", 3)));
    connect(b, nb, resistor(b, "R5", param(b, "r5", 5)));
    connect(b, na, across);
    connect(b, across, storage(b, COMP_C, "C2", param(b, "c2", 0.2), 0));
    if (as_printed) connect(b, nb, across);
    else connect(b, across, nb);
    build_system(b);
    sim_prepare(b);
    return b;
}

static double slope(Build *b, const char *rate, const char *by) {
    set_state(b, "C1.q", 0);
    set_state(b, "C2.q", 0);
    double zero = rate_of(b, rate);
    set_state(b, by, 1);
    double one = rate_of(b, rate);
    set_state(b, by, 0);
    return one - zero;
}

static void wheatstone_bridge(void **state) {
    (void)state;
    Build *b = wheatstone(false);
    assert_int_equal(b->system->state_count, 2);
    assert_int_equal(b->system->block_count, 0);
    assert_near(slope(b, "C1.q", "C1.q"), -13.1168831169, 1e-9);
    assert_near(slope(b, "C1.q", "C2.q"), 0.0649350649, 1e-9);
    assert_near(slope(b, "C2.q", "C1.q"), 0.1298701299, 1e-9);
    assert_near(slope(b, "C2.q", "C2.q"), -1.4610389610, 1e-9);
    simulate(b, 0, 1, 2000);
    assert_near(value_of(b, "C1.q"), 0.0762611667, 1e-9);
    assert_near(value_of(b, "C2.q"), 0.0050085020, 1e-9);
    build_free(b);
    b = wheatstone(true);
    assert_near(slope(b, "C1.q", "C1.q"), -17.0129870130, 1e-9);
    assert_near(slope(b, "C1.q", "C2.q"), 1.6883116883, 1e-9);
    assert_near(slope(b, "C2.q", "C1.q"), 3.3766233766, 1e-9);
    assert_near(slope(b, "C2.q", "C2.q"), -1.4610389610, 1e-9);
    build_free(b);
}

static void gear_train(void **state) {
    (void)state;
    Build *b = build_new();
    int w1 = junction(b, COMP_1, "w1"), w2 = junction(b, COMP_1, "w2");
    int shaft = junction(b, COMP_0, "shaft");
    connect(b, source(b, COMP_SE, "torque", num(b, 1)), w1);
    connect(b, w1, storage(b, COMP_I, "I1", param(b, "i1", 0.02), 0));
    int tf = two_port(b, COMP_TF, "gear",
                      expr_div(b->dag, param(b, "r1", 0.05), param(b, "r2", 0.2)));
    connect(b, w1, tf);
    connect(b, tf, w2);
    connect(b, w2, storage(b, COMP_I, "I2", param(b, "i2", 0.5), 0));
    connect(b, w2, shaft);
    connect(b, shaft, storage(b, COMP_C, "spring", param(b, "C", 0.025), 0));
    connect(b, shaft, storage(b, COMP_I, "I3", param(b, "i3", 0.3), 0));
    build_system(b);
    sim_prepare(b);
    assert_int_equal(b->system->state_count, 3);
    assert_int_equal(b->system->index, 2);
    assert_true(is_state_var(b, "I1.p"));
    set_state(b, "spring.q", 1);
    assert_near(rate_of(b, "I1.p"), -3.9024390244 + 0.3902439024, 1e-9);
    set_state(b, "spring.q", 0);
    simulate(b, 0, 1, 1000);
    assert_near(value_of(b, "I1.p"), 0.2919169370, 1e-9);
    assert_near(value_of(b, "spring.q"), 0.0107419326, 1e-9);
    assert_near(value_of(b, "I3.p"), 1.0078513958, 1e-9);
    build_free(b);
}

// A physical pendulum whose mass centre is carried by two modulated transformers.
static void physical_pendulum(void **state) {
    (void)state;
    Build *b = build_new();
    Dag *d = b->dag;
    Expr l = param(b, "l", 0.5), m = param(b, "m", 60), theta = local(b, "theta");
    int w = junction(b, COMP_1, "w"), x = junction(b, COMP_1, "vx"), y = junction(b, COMP_1, "vy");
    connect(b, w, storage(b, COMP_I, "J", param(b, "j", 5), 0));
    Expr sine = expr_call(d, OP_SIN, &theta, 1), cosine = expr_call(d, OP_COS, &theta, 1);
    int tx = two_port(b, COMP_TF, "tx", expr_neg(d, expr_mul(d, l, sine)));
    int ty = two_port(b, COMP_TF, "ty", expr_mul(d, l, cosine));
    connect(b, w, tx);
    connect(b, tx, x);
    connect(b, x, storage(b, COMP_I, "mx", m, 0));
    connect(b, w, ty);
    connect(b, ty, y);
    connect(b, y, storage(b, COMP_I, "my", m, 0));
    connect(b, source(b, COMP_SE, "weight", expr_mul(d, num(b, -9.81), m)), y);
    equation(b, der(b, "theta"), sym(b, "w.f"));
    build_system(b);
    sim_prepare(b);
    assert_int_equal(b->report.warnings, 0);
    assert_int_equal(b->system->state_count, 2);
    assert_true(is_state_var(b, "theta"));
    assert_true(is_state_var(b, "J.p"));
    simulate(b, 0, 0.25, 500);
    assert_near(value_of(b, "theta"), -0.456636358735857, 1e-9);
    assert_near(value_of(b, "w.f"), -3.60230718411344, 1e-9);
    simulate(b, 0.25, 1, 1500);
    assert_near(value_of(b, "theta"), -3.13341804482937, 1e-8);
    assert_near(value_of(b, "J.p"), 2.45242765649438, 1e-7);
    assert_near(value_of(b, "mx.e"), 10.8255608237, 1e-6);
    Text t = {0};
    equations_print(&t, b->system, EQUATIONS_TEXT);
    equations_summary(&t, b->system);
    print_message("%s", text_get(&t));
    text_free(&t);
    build_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explicit_graph_is_explicit),
        cmocka_unit_test(dependent_inertia_is_reflected),
        cmocka_unit_test(the_other_storage_may_own_the_state),
        cmocka_unit_test(resistor_network_is_solved_exactly),
        cmocka_unit_test(wheatstone_bridge),
        cmocka_unit_test(gear_train),
        cmocka_unit_test(physical_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
