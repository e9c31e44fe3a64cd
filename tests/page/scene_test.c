// The scene shows bodies where the frames on them are, at every attitude, and efforts that come in by bonds as arrows.
#include "../pipeline.h"
#include "../test.h"

#include "page/scene.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const tumbling =
    "mechanism Top\n"
    "  gravity off\n"
    "  joint base free: world -> hull initial rotated z 170 {deg}, x 130 {deg}\n"
    "    rate (0.3, -0.2, 0.1, 2, 3, -4)\n"
    "  joint arm revolute (1, 2, 2): hull -> boom at (0.5, 0.1, -0.2) {m} initial 0.7 {rad}\n"
    "  body hull box (1, 0.5, 0.25) {m} mass 3 {kg} at (0.1, 0.2, 0.3) {m}\n"
    "  body boom cylinder (0.1, 2) {m} mass 1 {kg} rotated y 90 {deg}\n"
    "  frame eye on hull\n"
    "  frame tip on boom\n"
    "  shape on boom tube (0.1, 0.05, 2) {m} at (0, 0, 1) {m}\n"
    "  shape on boom mesh \"boom.stl\" scale (2, 2, 2)\n"
    "  shape on world sphere 0.3 {m}\n"
    "end\n"
    "experiment Spin of Top\n"
    "  stop 5 {s}\n  points 40\n"
    "  record eye.*, tip.*\n"
    "end\n";

// Pushed in the axes of a frame, in those of the world and of another frame, at a joint and by an actuator.
static const char *const pushed =
    "mechanism Arm\n"
    "  joint base free: world -> hull initial rotated z 70 {deg}, x 30 {deg} rate (0.3, -0.2, 0.1, "
    "1, 2, -1)\n"
    "  joint arm revolute (1, 2, 2): hull -> boom at (0.5, 0.1, -0.2) {m} rotated y 20 {deg} "
    "initial 0.7 {rad}\n"
    "  body hull box (1, 0.5, 0.25) {m} mass 3 {kg}\n"
    "  body boom cylinder (0.1, 2) {m} mass 1 {kg} rotated y 90 {deg} at (1, 0, 0) {m}\n"
    "  frame own on boom at (2, 0, 0) {m} rotated x 40 {deg}\n"
    "  frame fixed on boom at (1, 0, 0) {m} in world\n"
    "  frame other on boom at (1.5, 0, 0) {m} in eye\n"
    "  frame eye on hull rotated z 15 {deg}\n"
    "  frame idle on hull\n"
    "  actuator ram: eye -> fixed\n"
    "end\n"
    "model M\n"
    "  Arm arm\n"
    "  Se a = (1, 2, 3) {N}, b = (4, 5, 6) {N}, c = (0, 7, 0) {N.m}, d = 8 {N.m}, e = 9 "
    "{N}\n"
    "  a -> arm.own[1:3]\n  b -> arm.fixed[1:3]\n  c -> arm.other[4:6]\n  d -> arm.arm\n  e -> "
    "arm.ram\n"
    "end\n"
    "experiment E of M\n  stop 1 {s}\n  points 20\n"
    "  record arm.own.*, arm.fixed.*, arm.other.*, arm.eye.*\nend\n";

static double column(const Run *run, const char *name, int row) {
    int c = results_column(&run->results, name);
    if (c < 0) fail_msg("no column %s", name);
    return run->results.column[c].value[row];
}

static void turn_matrix(const double q[4], double r[9]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(r, m, sizeof m);
}

// The pose in the JSON against the signals of the frame at the body's origin; six digits are kept.
static void compare_body(const char *json, const Run *run, const char *body, const char *frame) {
    char key[64];
    snprintf(key, sizeof key, "{\"name\":\"%s\"", body);
    const char *at = strstr(json, key);
    assert_non_null(at);
    at = strstr(at, "\"pose\":[");
    assert_non_null(at);
    at += strlen("\"pose\":[");
    for (int row = 0; row < run->results.row_count; row++) {
        double pose[7], r[9];
        for (int i = 0; i < 7; i++) {
            char *end;
            pose[i] = strtod(at, &end);
            at = end + 1;
        }
        turn_matrix(pose + 3, r);
        for (int i = 0; i < 3; i++) {
            snprintf(key, sizeof key, "%s.position[%d]", frame, i + 1);
            assert_true(fabs(pose[i] - column(run, key, row)) < 2e-5);
        }
        for (int i = 0; i < 9; i++) {
            snprintf(key, sizeof key, "%s.rotation[%d,%d]", frame, i / 3 + 1, i % 3 + 1);
            assert_true(fabs(r[i] - column(run, key, row)) < 2e-5);
        }
    }
}

static void bodies_are_where_their_frames_are(void **state) {
    (void)state;
    Built b;
    assert_true(build_text(&b, tumbling, strlen(tumbling), NULL, NULL, NULL));
    Watch watch = {0};
    Scene scene = scene_plan(&b.arena, b.model, &watch);
    assert_int_equal(scene.body_count, 3); // with the world, on which something is drawn
    RunOptions o = {.watch = watch.data, .watch_count = watch.count};
    Run *run = built_run(&b, &o);
    assert_non_null(run);
    assert_int_equal(run->results.row_count, 41);
    Text json = {0};
    scene_json(&json, &scene, NULL, run);
    compare_body(text_get(&json), run, "hull", "eye");
    compare_body(text_get(&json), run, "boom", "tip");
    assert_non_null(
        strstr(text_get(&json), "\"kind\":\"box\",\"size\":[1,0.5,0.25],\"middle\":[0.1,0.2,0.3]"));
    // shapes stand in for the body's own
    assert_null(strstr(text_get(&json), "\"kind\":\"cylinder\""));
    assert_non_null(
        strstr(text_get(&json), "\"kind\":\"tube\",\"size\":[0.1,0.05,2],\"middle\":[0,0,1]"));
    assert_non_null(strstr(text_get(&json), "\"kind\":\"mesh\",\"size\":[2,2,2]"));
    assert_non_null(strstr(text_get(&json), "\"file\":\"boom.stl\""));
    assert_non_null(
        strstr(text_get(&json), "{\"name\":\"world\",\"shapes\":[{\"kind\":\"sphere\""));
    text_free(&json);
    run_free(run);
    array_free(&watch);
    build_free(&b);
}

// The vector of an arrow against R v, R the rotation of a frame that is recorded (NULL: the world).
static void compare_arrow(const Scene *s, const Run *run, const char *name, const char *frame,
                          const double v[3]) {
    const SceneArrow *a = NULL;
    for (int i = 0; i < s->arrow_count; i++)
        if (strcmp(s->arrow[i].name, name) == 0) a = &s->arrow[i];
    if (!a) fail_msg("no arrow %s", name);
    for (int row = 0; row < run->results.row_count; row++)
        for (int i = 0; i < 3; i++) {
            double wanted = frame ? 0 : v[i];
            for (int k = 0; frame && k < 3; k++) {
                char key[64];
                snprintf(key, sizeof key, "%s.rotation[%d,%d]", frame, i + 1, k + 1);
                wanted += column(run, key, row) * v[k];
            }
            assert_true(fabs(run->watched[a->vector + i][row] - wanted) < 1e-9);
        }
}

// Between the places of the ends, as long as the force.
static void compare_actuator(const Scene *s, const Run *run, double force) {
    const SceneArrow *a = &s->arrow[s->arrow_count - 1];
    assert_string_equal(a->name, "arm.ram");
    for (int row = 0; row < run->results.row_count; row++) {
        double along[3], length = 0;
        for (int i = 0; i < 3; i++) {
            char to[64], from[64];
            snprintf(to, sizeof to, "arm.fixed.position[%d]", i + 1);
            snprintf(from, sizeof from, "arm.eye.position[%d]", i + 1);
            along[i] = column(run, to, row) - column(run, from, row);
            length += along[i] * along[i];
        }
        for (int i = 0; i < 3; i++)
            assert_true(fabs(run->watched[a->vector + i][row] - force * along[i] / sqrt(length)) <
                        1e-9);
    }
}

static void efforts_are_arrows_in_the_axes_of_the_world(void **state) {
    (void)state;
    Built b;
    assert_true(build_text(&b, pushed, strlen(pushed), NULL, NULL, NULL));
    Watch watch = {0};
    Scene scene = scene_plan(&b.arena, b.model, &watch);
    assert_int_equal(scene.arrow_count, 5); // frames without a bond have none
    RunOptions o = {.watch = watch.data, .watch_count = watch.count};
    Run *run = built_run(&b, &o);
    assert_non_null(run);
    compare_arrow(&scene, run, "arm.own", "arm.own", (double[]){1, 2, 3});
    compare_arrow(&scene, run, "arm.fixed", NULL, (double[]){4, 5, 6});
    compare_arrow(&scene, run, "arm.other", "arm.eye", (double[]){0, 7, 0});
    compare_actuator(&scene, run, 9);
    Text json = {0};
    scene_json(&json, &scene, NULL, run);
    assert_non_null(
        strstr(text_get(&json), "{\"name\":\"arm.other\",\"kind\":\"torque\",\"body\":"));
    text_free(&json);
    run_free(run);
    array_free(&watch);
    build_free(&b);
}

static void nothing_to_show_without_a_mechanism(void **state) {
    (void)state;
    static const char *const text = "model M\n  var x\n  der(x) = -x\nend\n";
    Built b;
    assert_true(build_text(&b, text, strlen(text), NULL, NULL, NULL));
    Watch watch = {0};
    assert_int_equal(scene_plan(&b.arena, b.model, &watch).body_count, 0);
    assert_int_equal(watch.count, 0);
    build_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_where_their_frames_are),
        cmocka_unit_test(efforts_are_arrows_in_the_axes_of_the_world),
        cmocka_unit_test(nothing_to_show_without_a_mechanism),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
