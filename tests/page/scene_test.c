// The scene shows bodies where the frames on them are, at every attitude.
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
    Run *run = run_experiment(b.system, &o, &b.report);
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
        cmocka_unit_test(nothing_to_show_without_a_mechanism),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
