#include "fixture.h"

#include "base/array.h"
#include <stdio.h>
#include <stdlib.h>

static const char *const crane = "model Crane\n"
                                 "  Se supply = 24 {V}\n"
                                 "  R winding(0.5 {ohm}), bearing(0.1 {N.m.s})\n"
                                 "  I armature(1e-3 {H}), rotor(0.01 {kg.m2}), load(5 {kg})\n"
                                 "  GY motor(0.1 {N.m/A})\n"
                                 "  TF drum(0.2 {m})\n"
                                 "  C rope(1e-5 {m/N})\n"
                                 "  Se weight = -49 {N}\n"
                                 "  1 current, shaft, hook\n"
                                 "  0 tension\n"
                                 "  supply -> current -> winding, armature\n"
                                 "  current -> motor -> shaft -> bearing, rotor\n"
                                 "  shaft -> drum -> tension -> rope\n"
                                 "  tension -> hook -> load\n"
                                 "  weight -> hook\n"
                                 "end\n";

static const char *const multibond = "model Body\n"
                                     "  Se[3] tau = (1, 2, 3)\n"
                                     "  I[3] J(2)\n"
                                     "  1[3] w\n"
                                     "  R fr(1)\n"
                                     "  TF pick([1, 0, 0; 0, 1, 0])\n"
                                     "  1[2] v\n"
                                     "  I[2] m(1)\n"
                                     "  tau -> w -> J\n"
                                     "  w[2] -> fr\n"
                                     "  w -> pick -> v -> m\n"
                                     "end\n";

typedef struct {
    double x, y, size, width;
    char text[80];
} Label;

typedef ARRAY(Label) Labels;

static double size_of(const char *class) {
    if (!strncmp(class, "name", 4)) return 14;
    if (!strncmp(class, "sub", 3)) return 11;
    if (!strncmp(class, "number", 6)) return 9;
    return 0; // title, legend and dimension stand elsewhere
}

static Labels read_labels(const char *svg) {
    Labels list = {0};
    for (const char *p = svg; (p = strstr(p, "<text class=\"")); p++) {
        Label l = {.size = size_of(p + 13)};
        const char *x = strstr(p, "x=\"");
        if (l.size == 0) continue;
        assert_int_equal(sscanf(x, "x=\"%lf\" y=\"%lf\">%79[^<]", &l.x, &l.y, l.text), 3);
        l.width = 0.5 * l.size * (double)strlen(l.text);
        array_push(&list, l);
    }
    return list;
}

static bool overlap(const Label *a, const Label *b) {
    return 2 * fabs(a->x - b->x) < a->width + b->width && a->y - a->size * 0.7 < b->y &&
           b->y - b->size * 0.7 < a->y;
}

static void assert_no_overlap(const char *svg) {
    Labels l = read_labels(svg);
    assert_true(l.count > 0);
    for (int i = 0; i < l.count; i++)
        for (int k = i + 1; k < l.count; k++)
            if (overlap(&l.data[i], &l.data[k]))
                fail_msg("'%s' and '%s' overlap", l.data[i].text, l.data[k].text);
    array_free(&l);
}

// Every tag is closed in order, and nothing is drawn outside the picture.
static void assert_well_formed(const char *svg) {
    char open[32][24];
    int depth = 0;
    assert_non_null(strstr(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width="));
    for (const char *p = svg; (p = strchr(p, '<')); p++) {
        const char *end = strchr(p, '>');
        assert_non_null(end);
        char name[24] = {0};
        sscanf(p + 1 + (p[1] == '/'), "%23[a-z]", name);
        if (p[1] == '/') {
            assert_true(depth > 0);
            assert_string_equal(name, open[--depth]);
        } else if (end[-1] != '/') {
            assert_true(depth < 32);
            strcpy(open[depth++], name);
        }
    }
    assert_int_equal(depth, 0);
    double width, height;
    assert_int_equal(sscanf(strstr(svg, "viewBox="), "viewBox=\"0 0 %lf %lf\"", &width, &height),
                     2);
    Labels l = read_labels(svg);
    for (int i = 0; i < l.count; i++) {
        assert_true(l.data[i].x > 0 && l.data[i].x < width);
        assert_true(l.data[i].y > 0 && l.data[i].y < height);
    }
    array_free(&l);
}

static void write_for_a_look(const char *name, const char *svg) {
    const char *folder = getenv("BONDYN_TEST_PICTURES");
    char path[400];
    if (!folder) return;
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    FILE *f = fopen(path, "w");
    if (!f) return;
    fputs(svg, f);
    fclose(f);
}

static void draw(const char *name, const char *text) {
    Fixture *x = open_text(text);
    Text t = {0};
    graph_svg(&t, x->graph);
    write_for_a_look(name, text_get(&t));
    assert_well_formed(text_get(&t));
    assert_no_overlap(text_get(&t));
    text_free(&t);
    close_text(x);
}

static void small_graphs_are_readable(void **state) {
    (void)state;
    draw("crane", crane);
    draw("body", multibond);
}

static void larger_graphs_are_readable(void **state) {
    (void)state;
    draw("ladder", "model Ladder\n"
                   "  Se source = 1\n"
                   "  1 a[16]\n"
                   "  0 b[17]\n"
                   "  source -> b[1]\n"
                   "  for k in 1:16\n"
                   "    I L[k](1)\n"
                   "    R r[k](1)\n"
                   "    C c[k](1)\n"
                   "    b[k] -> a[k] -> b[k+1] -> c[k]\n"
                   "    a[k] -> L[k], r[k]\n"
                   "  end\n"
                   "end\n");
    draw("bridge", "model Bridge\n"
                   "  Se s = 1\n"
                   "  R r[5](1)\n"
                   "  0 top, a, b\n"
                   "  1 i[5]\n"
                   "  s -> top\n"
                   "  for k in 1:5\n"
                   "    i[k] -> r[k]\n"
                   "  end\n"
                   "  top -> i[1] -> a -> i[3] -> bottom\n"
                   "  top -> i[2] -> b -> i[4] -> bottom\n"
                   "  a -> i[5] -> b\n"
                   "  0 bottom\n"
                   "  Se ground = 0\n"
                   "  bottom -> ground\n"
                   "end\n");
}

static void multibonds_are_double_lines(void **state) {
    (void)state;
    Fixture *x = open_text(multibond);
    Text t = {0};
    graph_svg(&t, x->graph);
    assert_non_null(strstr(text_get(&t), "class=\"multi\""));
    assert_non_null(strstr(text_get(&t), "class=\"dimension\""));
    assert_non_null(strstr(text_get(&t), "derivative causality")); // m follows w
    text_free(&t);
    close_text(x);
}

static void dot_has_strokes_as_tees(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n"
                           "  Se s = 1\n"
                           "  I m(1)\n"
                           "  1 v\n"
                           "  s -> v -> m\n"
                           "end\n");
    Text t = {0};
    graph_dot(&t, x->graph);
    assert_non_null(strstr(text_get(&t), "digraph \"M\" {"));
    assert_non_null(
        strstr(text_get(&t), "[dir=both, arrowhead=\"teelvee\", arrowtail=\"none\", label=\"1\""));
    assert_non_null(strstr(text_get(&t), "label=\"Se: s\\n1\""));
    text_free(&t);
    close_text(x);
}

static int count_of(const char *text, const char *word) {
    int n = 0;
    for (const char *p = text; (p = strstr(p, word)); p++) n++;
    return n;
}

// McBride's circuit as it stands in a schematic: eleven bonds (and a source for the ground), of
// which seven are left.
static void reduced_by_two_rules(void **state) {
    (void)state;
    Fixture *x = open_text("model E1\n"
                           "  Se u = 1, zero = 0\n"
                           "  R r1(2), r2(1)\n"
                           "  C c1(0.5)\n"
                           "  I l1(0.1)\n"
                           "  1 i_1, i_2, i_c\n"
                           "  0 v, ground\n"
                           "  zero -> ground\n"
                           "  u -> i_1 -> v -> i_2 -> l1\n"
                           "  i_1 -> r1\n"
                           "  v -> i_c -> c1\n"
                           "  i_2 -> r2\n"
                           "  i_c -> ground\n"
                           "  i_2 -> ground\n"
                           "  ground -> i_1\n"
                           "end\n");
    Text t = {0}, left = {0};
    GraphView view = GRAPH_WHOLE;
    graph_svg_view(&t, x->graph, &view, &left);
    assert_int_equal(count_of(text_get(&t), "data-order="), 12);
    assert_int_equal(left.length, 0);
    text_clear(&t);
    view.reduced = true;
    graph_svg_view(&t, x->graph, &view, &left);
    assert_int_equal(count_of(text_get(&t), "data-order="), 7);
    assert_string_equal(text_get(&left), "0 'ground' has no effort: it and its 4 bonds\n"
                                         "1 'i_c' has two bonds in line\n"
                                         "7 lines of 12 are drawn\n");
    text_free(&t);
    text_free(&left);
    close_text(x);
}

// All bonds on closed causal paths have the colour of the loop, not only those of the shortest way
// round.
static void loops_are_coloured_whole(void **state) {
    (void)state;
    Fixture *x = open_text("model L\n"
                           "  Se s = 1\n"
                           "  R a(1), b(2), c(3), d(4)\n"
                           "  1 i, j\n"
                           "  0 v, w\n"
                           "  s -> i -> a\n"
                           "  i -> v -> b\n"
                           "  v -> j -> c\n"
                           "  j -> w -> d\n"
                           "end\n");
    Text t = {0};
    graph_svg(&t, x->graph);
    assert_int_equal(count_of(text_get(&t), "class=\"bond loop\" data-bond"), 7);
    text_free(&t);
    close_text(x);
}

static void parts_are_folded(void **state) {
    (void)state;
    Fixture *x = open_text(
        "model In\n  port p: electric\n  R r(1 {ohm})\n  C c(1 {F})\n  1 i\n  p -> i\n"
        "  i -> r\n  i -> c\nend\n"
        "model Ctl\n  input u\n  output y\n  y = 2*u\nend\n"
        "model Out\n  MSe s = k.y*1 {V}\n  In a, b\n  Ctl k\n  0 v\n  s -> v\n  v -> a.p\n"
        "  v -> b.p\n  k.u = a.c.q/1 {C}\nend\n");
    Text t = {0};
    GraphView view = GRAPH_WHOLE;
    view.depth = 1;
    assert_int_equal(graph_depth(x->graph), 2);
    graph_svg_view(&t, x->graph, &view, NULL);
    assert_int_equal(count_of(text_get(&t), "<g class=\"fold\" data-path="), 2);
    assert_int_equal(count_of(text_get(&t), "<g class=\"block\""), 1);
    assert_int_equal(count_of(text_get(&t), "<g class=\"signal\"><title>"),
                     2); // from a to k, from k to s
    text_clear(&t);
    view.scope = "a";
    graph_svg_view(&t, x->graph, &view, NULL);
    assert_int_equal(count_of(text_get(&t), "<g class=\"outside\""), 2); // v and k
    assert_int_equal(count_of(text_get(&t), "data-order="), 3);
    text_free(&t);
    close_text(x);
}

static void empty_models_draw_nothing(void **state) {
    (void)state;
    Fixture *x = open_text("model M\n  var x initial 1\n  der(x) = -x\nend\n");
    Text t = {0};
    graph_svg(&t, x->graph);
    graph_dot(&t, x->graph);
    causality_explain(&t, x->graph);
    causality_findings(&t, x->graph);
    causality_json(&t, x->graph);
    assert_non_null(strstr(text_get(&t), "\"bonds\": []"));
    text_free(&t);
    close_text(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs_are_readable),
        cmocka_unit_test(larger_graphs_are_readable),
        cmocka_unit_test(multibonds_are_double_lines),
        cmocka_unit_test(dot_has_strokes_as_tees),
        cmocka_unit_test(reduced_by_two_rules),
        cmocka_unit_test(loops_are_coloured_whole),
        cmocka_unit_test(parts_are_folded),
        cmocka_unit_test(empty_models_draw_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
