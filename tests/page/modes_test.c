// Mode shapes as a page plays them, against shapes by hand.
#include "../pipeline.h"
#include "../test.h"

#include "analysis/shapes.h"
#include "page/modes.h"
#include <math.h>
#include <string.h>

typedef struct {
    Built b;
    LinearPlan plan;
    Findings f;
    PageModes modes;
} Opened;

static void open_text(Opened *o, const char *text) {
    *o = (Opened){0};
    LangOptions with = build_open(&o->b, NULL);
    Syntax *syntax = lang_load_text(&o->b.tree, o->b.names, o->b.sources, "test.bond", text,
                                    strlen(text), &with, &o->b.report);
    PipelineOptions p = {.lang = with, .last = STAGE_MODEL};
    LinearOptions wish = {0};
    Pipeline *line = &o->b.pipeline;
    assert_true(pipeline_build(line, syntax, &p, &o->b.report));
    assert_true(linear_open(line->model, &line->arena, &wish, &o->plan, &o->b.report));
    p.last = STAGE_SYSTEM;
    assert_true(pipeline_finish(line, &p, &o->b.report));
    RunOptions run = {.experiment = line->experiment, .engine = ENGINE_VM};
    assert_true(linear_reach(&o->f.at, line->system, &run, true, 0, &o->b.report));
    o->f.l = linear_model(&o->plan, &o->f.at, &o->b.report);
    assert_non_null(o->f.l);
    o->f.poles = poles_of(o->f.l, &o->b.report);
    assert_non_null(o->f.poles);
    o->modes = page_modes(line->model, &o->plan, &o->f);
}

static void close_text(Opened *o) {
    page_modes_free(&o->modes);
    findings_free(&o->f);
    build_free(&o->b);
}

static const SceneBody *body(const Opened *o, const char *name) {
    for (int i = 0; i < o->modes.scene.body_count; i++)
        if (strcmp(o->modes.scene.body[i].name, name) == 0) return &o->modes.scene.body[i];
    fail_msg("no body '%s'", name);
    return NULL;
}

// A point of a body in the world, in a row.
static void place(const Opened *o, const char *name, double x, int row, double at[3]) {
    const SceneBody *b = body(o, name);
    for (int i = 0; i < 3; i++)
        at[i] = o->modes.value[b->position + i][row] + o->modes.value[b->rotation + 3 * i][row] * x;
}

static double angle(const Opened *o, const char *name, int row) { // about z
    const SceneBody *b = body(o, name);
    return atan2(o->modes.value[b->rotation + 3][row], o->modes.value[b->rotation][row]);
}

// The mode with this frequency in rad/s.
static int mode_at(const Opened *o, double w) {
    for (int k = 0; k < o->f.poles->count; k++)
        if (fabs(cimag(o->f.poles->mode[k].value) - w) < 1e-6 * w) return k;
    fail_msg("no mode has %g rad/s", w);
    return -1;
}

static double phase(int k) { return 2 * acos(-1) * k / MODE_PHASES; }

// m x1" = -k x1 - k (x1 - x2) and so on: (1, 1) with k/m, (1, -1) with 3 k/m. The scene is 1 m wide, so masses move 0.1 m.
static void two_masses(void **state) {
    (void)state;
    Opened o;
    open_text(&o, "mechanism Row\n"
                  "  joint x1 prismatic x: world -> left at (1, 0, 0) {m}\n"
                  "  joint x2 prismatic x: world -> right at (2, 0, 0) {m}\n"
                  "  body left mass 1 {kg}\n  body right mass 1 {kg}\nend\n"
                  "model M\n  Row row\n  C a(0.01), b(0.01), c(0.01)\n  1 v1, v2\n  0 f\n"
                  "  v1 -> row.x1\n  v2 -> row.x2\n  v1 -> a\n  v2 -> c\n  v1 -> f -> v2\n"
                  "  f -> b\nend\n");
    for (int way = 0; way < 2; way++) {
        int first = o.modes.first[mode_at(&o, way ? sqrt(300) : 10)];
        assert_true(first > 0);
        for (int k = 0; k < MODE_PHASES; k++) {
            double left[3], right[3], x = 0.1 * cos(phase(k));
            place(&o, "row.left", 0, first + k, left);
            place(&o, "row.right", 0, first + k, right);
            assert_near(fabs(left[0] - 1), fabs(x), 1e-12);
            assert_near(right[0] - 2, way ? 1 - left[0] : left[0] - 1, 1e-12);
            assert_near(left[1], 0, 1e-15);
        }
    }
    close_text(&o);
}

// Two rods of 1 m with 1 kg at their ends: w^2 = g (2 -+ sqrt 2), and the angles from the vertical are as 1 to +-sqrt 2.
// Poses are those of the angles themselves, however wide the swing; the wider angle is 0.35 rad, or the tip goes 0.1 of the
// 2 m.
static void double_pendulum(void **state) {
    (void)state;
    Opened o;
    open_text(&o, "mechanism Two\n  gravity (10, 0, 0) {m/s2}\n" // down is x
                  "  joint q1 revolute z: world -> upper\n"
                  "  joint q2 revolute z: upper -> lower at (1, 0, 0) {m}\n"
                  "  body upper mass 1 {kg} cg (1, 0, 0) {m} inertia (0, 0, 0) {kg.m2} published\n"
                  "  body lower mass 1 {kg} cg (1, 0, 0) {m} inertia (0, 0, 0) {kg.m2} published\n"
                  "end\nmodel M\n  Two two\nend\n");
    for (int fast = 0; fast < 2; fast++) {
        double ratio = fast ? -sqrt(2) : sqrt(2), widest = 0;
        int first = o.modes.first[mode_at(&o, sqrt(10 * (2 - ratio)))];
        assert_true(first > 0);
        double begin = angle(&o, "two.upper", first);
        for (int k = 0; k < MODE_PHASES; k++) {
            double upper = angle(&o, "two.upper", first + k),
                   lower = angle(&o, "two.lower", first + k);
            assert_near(upper, begin * cos(phase(k)), 1e-9);
            assert_near(lower, ratio * upper, 1e-9);
            widest = fmax(widest, fabs(lower));
        }
        double way = fast ? fabs(1 - sqrt(2)) : 1 + sqrt(2); // of the tip, by that of the upper end
        double most = fmin(0.35 / sqrt(2), 0.2 / fmax(way, 1));
        assert_near(widest / sqrt(2), most, 1e-9);
    }
    close_text(&o);
}

// A loop stays closed: its coordinates are displaced along the constraint, and poses are of those that meet it.
static void closed_loop(void **state) {
    (void)state;
    Opened o;
    open_text(&o,
              "mechanism Bars\n  gravity (0, -9.81, 0) {m/s2}\n"
              "  joint crank revolute z: world -> bar1 initial -60 {deg}\n"
              "  joint knee revolute z: bar1 -> bar2 at (1, 0, 0) {m} initial about 10 {deg}\n"
              "  joint rocker revolute z: world -> bar3 at (3, 0, 0) {m} initial about -90 {deg}\n"
              "  body bar1 mass 2 {kg} cg (0.5, 0, 0) {m} inertia (0.2, 0.2, 0.2) {kg.m2}\n"
              "  body bar2 mass 3 {kg} cg (1.5, 0, 0) {m} inertia (2, 2, 2) {kg.m2}\n"
              "  body bar3 mass 2 {kg} cg (1.2, 0, 0) {m} inertia (1, 1, 1) {kg.m2}\n"
              "  frame end2 on bar2 at (3, 0, 0) {m} in world\n"
              "  frame end3 on bar3 at (2.5, 0, 0) {m} in world\n"
              "  constraint pin line z: end2 -> end3\nend\nmodel M\n  Bars bars\nend\n");
    assert_int_equal(o.f.l->n, 2);
    int rows = o.modes.shown.results.row_count;
    assert_true(rows > MODE_PHASES);
    for (int row = 0; row < rows; row++) {
        double a[3], b[3];
        place(&o, "bars.bar2", 3, row, a);
        place(&o, "bars.bar3", 2.5, row, b);
        for (int i = 0; i < 3; i++) assert_near(a[i], b[i], 1e-8);
    }
    double still[3], moved[3];
    place(&o, "bars.bar2", 3, 0, still);
    place(&o, "bars.bar2", 3, 1, moved);
    assert_true(hypot(moved[0] - still[0], moved[1] - still[1]) > 0.05);
    close_text(&o);
}

// A v = p v, and slopes are those of the values: central differences of 1e-6 are good to 1e-8.
static void vectors_and_slopes(void **state) {
    (void)state;
    Opened o;
    open_text(&o, "mechanism Arm\n"
                  "  joint q1 revolute z: world -> upper initial 0.3 {rad}\n"
                  "  joint q2 revolute x: upper -> lower at (1, 0, 0) {m} initial 0.5 {rad}\n"
                  "  body upper mass 2 {kg} cg (0.5, 0, 0) {m} inertia (0.1, 0.1, 0.1) {kg.m2}\n"
                  "  body lower mass 1 {kg} cg (0, 0.5, 0) {m} inertia (0.1, 0.1, 0.1) {kg.m2}\n"
                  "end\n"
                  "model M\n  Arm arm\n  C a(0.01), b(0.02)\n  R d(0.3)\n  1 v1, v2\n"
                  "  v1 -> arm.q1\n  v2 -> arm.q2\n  v1 -> a\n  v2 -> b\n  v1 -> d\nend\n");
    const LinearModel *l = o.f.l;
    Shapes *s = shapes_new(&o.plan, &o.f.at, o.f.poles, o.modes.watch.data, o.modes.watch.count,
                           &o.b.report);
    static double up[2000], down[2000];
    assert_true(s && o.modes.watch.count < 2000);
    for (int k = 0; k < o.f.poles->count; k++) {
        const PoleMode *m = &o.f.poles->mode[k];
        for (int i = 0; i < l->n; i++) {
            Complex sum = -m->value * m->vector[i];
            for (int j = 0; j < l->n; j++) sum += l->A[j * l->n + i] * m->vector[j];
            assert_near(cabs(sum), 0, 1e-9);
        }
        for (int turn = 0; turn < 2; turn++) {
            Complex c = 1e-6 * (turn ? I : 1);
            assert_true(shapes_at(s, k, c, up) && shapes_at(s, k, -c, down));
            for (int i = 0; i < o.modes.watch.count; i++)
                assert_near((up[i] - down[i]) / 2e-6, creal(c * 1e6 * shapes_slope(s, k, i)), 1e-8);
        }
    }
    shapes_free(s);
    close_text(&o);
}

// A mode of a circuit beside the mechanism moves no body.
static void what_moves_nothing(void **state) {
    (void)state;
    Opened o;
    open_text(&o, "mechanism Slide\n  joint x prismatic x: world -> block\n"
                  "  body block mass 1 {kg}\nend\n"
                  "model M\n  Slide s\n  C spring(0.01)\n  1 v\n  v -> s.x\n  v -> spring\n"
                  "  I coil(0.01)\n  C cell(0.01)\n  1 i\n  i -> coil\n  i -> cell\nend\n");
    assert_true(o.modes.first[mode_at(&o, 10)] > 0);
    assert_int_equal(o.modes.first[mode_at(&o, 100)], 0);
    Text html = {0};
    modes_html(&html, &o.modes, o.f.poles, NULL);
    assert_non_null(strstr(text_get(&html), "id=\"scene\""));
    assert_non_null(strstr(text_get(&html), "0 \u00b1 100i"));
    text_free(&html);
    close_text(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_masses),         cmocka_unit_test(double_pendulum),
        cmocka_unit_test(closed_loop),        cmocka_unit_test(vectors_and_slopes),
        cmocka_unit_test(what_moves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
