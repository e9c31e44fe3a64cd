// What is wrong with a mechanism is found before anything is traced, with names and a way out.
#include "fixture.h"

static const double none[3] = {0, 0, 0}, some[3] = {1, 1, 1};

// Two bodies on revolute joints, all right.
static World *sound(void) {
    World *s = world_new();
    int a = add_body(s, "upper", 1, (double[]){0.5, 0, 0}, some);
    int b = add_body(s, "lower", 1, (double[]){0.5, 0, 0}, some);
    add_joint(s, "shoulder", JOINT_REVOLUTE, -1, a, none);
    add_joint(s, "elbow", JOINT_REVOLUTE, a, b, (double[]){1, 0, 0});
    add_frame(s, "hand", b, (double[]){1, 0, 0});
    return s;
}

static bool check(World *s) { return mech_check_values(&s->m, s->d, s->value, &s->report); }

// Exactly this complaint, which names `culprit` and says what to do.
static void expect(World *s, Code code, Severity severity, const char *culprit) {
    assert_int_equal(check(s), severity != ERROR);
    const Remark *first = s->report.first;
    assert_non_null(first);
    assert_int_equal(first->code, code);
    assert_int_equal(first->severity, severity);
    if (!strstr(first->message, culprit)) fail_msg("'%s' is not in: %s", culprit, first->message);
    assert_non_null(first->help);
    assert_null(first->next);
    world_free(s);
}

static void sound_mechanism_passes(void **state) {
    (void)state;
    World *s = sound();
    assert_true(check(s));
    assert_true(mech_check(&s->m, s->d, &s->report));
    assert_null(s->report.first);
    world_free(s);
}

static void tree_must_be_a_tree(void **state) {
    (void)state;
    World *s = sound();
    add_body(s, "lost", 1, none, some);
    expect(s, M_NO_JOINT, ERROR, "'lost'");
    s = sound();
    add_joint(s, "second", JOINT_FREE, -1, 1, none);
    expect(s, M_TWO_JOINTS, ERROR, "'lower'");
    s = sound();
    s->joint[0].parent = 1;
    expect(s, M_CIRCLE, ERROR, "upper <- lower <- upper");
    s = sound();
    s->joint[1].parent = 1;
    expect(s, M_CIRCLE, ERROR, "lower <- lower");
    s = sound();
    s->joint[1].parent = 7;
    expect(s, M_UNKNOWN_BODY, ERROR, "'elbow'");
    s = sound();
    s->joint[1].child = -1;
    expect(s, M_UNKNOWN_BODY, ERROR, "'elbow'");
    s = sound();
    s->frame[0].body = -2;
    expect(s, M_UNKNOWN_BODY, ERROR, "'hand'");
}

static void geometry_must_make_sense(void **state) {
    (void)state;
    World *s = sound();
    set_axis(s, 1, 0, 0, 0);
    expect(s, M_AXIS, ERROR, "'elbow'");
    s = sound();
    s->joint[1].kind = JOINT_UNIVERSAL;
    numbers(s, (double[]){0, 0, -2}, 3, s->joint[1].axis2);
    expect(s, M_AXIS, ERROR, "'elbow'");
    s = sound();
    numbers(s, (double[]){1, 0, 0, 0, 2, 0, 0, 0, 1}, 9, s->joint[0].rotation);
    expect(s, M_ROTATION, ERROR, "'shoulder'");
    s = sound();
    numbers(s, (double[]){1, 0, 0, 0, -1, 0, 0, 0, 1}, 9, s->frame[0].rotation);
    expect(s, M_ROTATION, ERROR, "'hand'");
}

static void bodies_must_be_able_to_exist(void **state) {
    (void)state;
    World *s = sound();
    s->body[1].mass = expr_number(s->d, -2);
    expect(s, M_BAD_BODY, ERROR, "'lower' has a negative mass");
    s = sound();
    s->body[1].mass = symbol(s, "m", -2); // by its value
    expect(s, M_BAD_BODY, ERROR, "'lower' has a negative mass");
    s = sound();
    s->body[0].inertia[1] = expr_number(s->d, 0.1);
    expect(s, M_BAD_BODY, ERROR, "'upper'");
    s = sound();
    s->body[0].inertia[0] = expr_number(s->d, -1);
    expect(s, M_BAD_BODY, ERROR, "'upper'");
    s = sound();
    s->body[0].inertia[0] = expr_number(s->d, 2.5);
    expect(s, M_INERTIA, WARNING, "1, 1 and 2.5");
    s = sound();
    s->body[0].inertia[1] = s->body[0].inertia[3] = expr_number(s->d, 0.8); // 0.2 1 1.8
    expect(s, M_INERTIA, WARNING, "0.2, 1 and 1.8");
    s = sound();
    s->body[0].has_added = true;
    for (int i = 0; i < 36; i++) s->body[0].added[i] = expr_number(s->d, i == 1);
    expect(s, M_BAD_BODY, ERROR, "'upper'");
}

static void every_motion_moves_something(void **state) {
    (void)state;
    World *s = sound(); // nothing at the end
    s->body[1].mass = expr_number(s->d, 0);
    numbers(s, (double[9]){0}, 9, s->body[1].inertia);
    expect(s, M_NO_INERTIA, ERROR, "'elbow'");
    s = sound(); // point mass on the axis
    numbers(s, (double[]){0, 0, 1}, 3, s->body[1].cg);
    numbers(s, (double[9]){0}, 9, s->body[1].inertia);
    expect(s, M_NO_INERTIA, ERROR, "'elbow'");
    s = sound(); // point mass on a ball joint
    s->joint[1].kind = JOINT_SPHERICAL;
    numbers(s, (double[9]){0}, 9, s->body[1].inertia);
    expect(s, M_NO_INERTIA, ERROR, "'elbow'");
    s = sound(); // a point mass off the axis is a pendulum
    numbers(s, (double[9]){0}, 9, s->body[1].inertia);
    assert_true(check(s));
    // and a body without mass may carry others
    s->body[0].mass = expr_number(s->d, 0);
    numbers(s, (double[9]){0}, 9, s->body[0].inertia);
    assert_true(check(s));
    world_free(s);
}

static void unknown_values_are_left_alone(void **state) {
    (void)state;
    World *s = sound();
    s->body[1].mass = symbol(s, "m", -1);
    s->joint[1].axis[0] = symbol(s, "x", NAN);
    assert_true(mech_check(&s->m, s->d, &s->report));
    world_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_mechanism_passes),
        cmocka_unit_test(tree_must_be_a_tree),
        cmocka_unit_test(geometry_must_make_sense),
        cmocka_unit_test(bodies_must_be_able_to_exist),
        cmocka_unit_test(every_motion_moves_something),
        cmocka_unit_test(unknown_values_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
