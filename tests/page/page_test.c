// Pieces of a report: the picture of the energy, and equations folded by component.
#include "../pipeline.h"
#include "../test.h"

#include "page/flow.h"
#include "page/formulas.h"
#include "page/sankey.h"
#include <stdio.h>
#include <string.h>

static int count(const char *text, const char *part) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}

static void has(const char *text, const char *part) {
    if (!strstr(text, part)) fail_msg("'%s' is not in: %s", part, text);
}

// --- energy --------------------------------------------------------------------------------------

typedef struct {
    const char *path;
    double supplied, dissipated, stored;
} Entry;

static void draw(Text *out, const Entry *entry, int n) {
    Names *names = names_new();
    Comp comp[40] = {0};
    AuditLine line[40] = {0};
    for (int i = 0; i < n; i++) {
        comp[i].path = name_of(names, entry[i].path);
        line[i] = (AuditLine){.comp = i,
                              .supplied = entry[i].supplied,
                              .dissipated = entry[i].dissipated,
                              .stored = entry[i].stored};
    }
    Model model = {.names = names, .comp = comp, .comp_count = n};
    System system = {.model = &model};
    Audit audit = {.line = line, .line_count = n};
    flow_svg(out, &audit, &system);
    names_free(names);
}

static void who_gave_and_who_got(void **state) {
    (void)state;
    Entry entry[] = {{"pump", 1000, 0, 0},   {"weight", -20, 0, 0}, {"valve.a", 0, 600, 0},
                     {"valve.b", 0, 150, 0}, {"mass", 0, 0, 300},   {"spring", 0, 0, -70}};
    Text t = {0};
    draw(&t, entry, 6);
    const char *svg = text_get(&t);
    has(svg, "pump <tspan fill=\"#5c6b7a\">supplied 1000 J, 93.5 %</tspan>");
    has(svg, "spring <tspan fill=\"#5c6b7a\">released 70 J");
    has(svg, "valve.a <tspan fill=\"#5c6b7a\">heat 600 J"); // opened: few groups
    has(svg, "mass <tspan fill=\"#5c6b7a\">stored 300 J");
    has(svg, "weight <tspan fill=\"#5c6b7a\">taken back 20 J");
    assert_int_equal(count(svg, "<path "), 6); // one for each
    text_free(&t);
}

static void many_components_go_together(void **state) {
    (void)state;
    static char path[40][48];
    Entry entry[40] = {{"source", 380, 0, 0}};
    for (int i = 1; i < 39; i++) {
        snprintf(path[i], sizeof path[i], "box[%d].part<%d>", i / 10, i);
        entry[i] = (Entry){path[i], 0, 10, 0};
    }
    entry[39] = (Entry){"crumb", 0, 1, 0};
    Text t = {0};
    draw(&t, entry, 40);
    has(text_get(&t), "box[0] <tspan");
    has(text_get(&t), "box[1].part&lt;10&gt;"); // the largest is opened; names are no markup
    has(text_get(&t), "all others");
    text_free(&t);
}

static void nothing_moved(void **state) {
    (void)state;
    Entry entry[] = {{"mass", 0, 0, 0}};
    Text t = {0};
    draw(&t, entry, 1);
    assert_string_equal(text_get(&t), "");
    text_free(&t);
}

// --- paths ---------------------------------------------------------------------------------------

static void paths_are_ribbons(void **state) {
    (void)state;
    PowerFlow flow[] = {{.name = "pump", .role = "supplies"},
                        {.name = "a<b>", .role = "dissipates"},
                        {.name = "mass", .role = "stores"}};
    PowerPath path[] = {{0, 1, 60, 0.6, "i, gear"}, {0, 2, 40, 0.4, "i"}, {2, 1, 20, 1, "i"}};
    PowerPlan plan = {.flow = flow, .count = 3};
    PowerPaths paths = {.path = path, .count = 3, .energy = 120};
    Text t = {0};
    paths_svg(&t, &plan, &paths);
    const char *svg = text_get(&t);
    assert_int_equal(count(svg, "<path "), 3);
    has(svg, "<title>pump -&gt; a&lt;b&gt;: 60 J, 50 %, through i, gear</title>");
    has(svg, "text-anchor=\"end\">pump <tspan fill=\"#5c6b7a\">100 J, 83.3 %</tspan>");
    has(svg, "text-anchor=\"start\">a&lt;b&gt; <tspan fill=\"#5c6b7a\">80 J, 66.7 %</tspan>");
    text_free(&t);
}

// Ends with less than one part in a hundred are one; what no law accounts for has its name.
static void small_ends_go_together(void **state) {
    (void)state;
    enum { ENDS = 30 };
    PowerFlow flow[ENDS + 1] = {{.name = "u", .role = "supplies"}};
    PowerPath path[ENDS + 1] = {{0, -1, 50, 0.5, ""}};
    for (int i = 1; i <= ENDS; i++) {
        flow[i] = (PowerFlow){.name = "r", .role = "dissipates"};
        path[i] = (PowerPath){0, i, i <= 5 ? 9 : 0.2, 0.09, "i"};
    }
    PowerPlan plan = {.flow = flow, .count = ENDS + 1};
    PowerPaths paths = {.path = path, .count = ENDS + 1, .energy = 100};
    Text t = {0};
    paths_svg(&t, &plan, &paths);
    assert_int_equal(count(text_get(&t), "<path "), 7);
    has(text_get(&t), ">all others <tspan fill=\"#5c6b7a\">5 J, 5 %</tspan>");
    has(text_get(&t), ">(unaccounted) <tspan");
    text_clear(&t);
    paths = (PowerPaths){0};
    paths_svg(&t, &plan, &paths);
    assert_string_equal(text_get(&t), "");
    text_free(&t);
}

// --- equations -----------------------------------------------------------------------------------

// A model of `parts` components with ten states each, and as many states of its own.
static void many_states(Text *out, int parts) {
    text_add(out, "model Part\n  param max_gain = 2 {1/s}\n");
    for (int i = 0; i < 10; i++)
        text_printf(out, "  var x%d initial 1\n  der(x%d) = -max_gain*x%d\n", i, i, i);
    text_add(out, "end\nmodel M\n");
    for (int i = 0; i < parts; i++) text_printf(out, "  Part valve_%d\n", i);
    for (int i = 0; i < 10 * parts; i++)
        text_printf(out, "  var own_%d initial 1\n  der(own_%d) = -own_%d/(1 {s})\n", i, i, i);
    text_add(out, "end\n");
}

static void typeset(Text *out, const char *model) {
    Built b;
    build_text(&b, model, strlen(model), NULL, NULL, NULL);
    assert_non_null(b.system);
    formulas_html(out, b.system);
    build_free(&b);
}

static void few_equations_stay_open(void **state) {
    (void)state;
    Text t = {0};
    typeset(&t, "model M\n  I mass(2 {kg})\n  C spring(1e-2 {m/N}, q0 = 0.1 {m})\n  1 v\n  v -> "
                "mass, spring\nend\n");
    assert_int_equal(count(text_get(&t), "<details>"), 0);
    assert_int_equal(count(text_get(&t), "<math"), 1);
    has(text_get(&t), "<mtr><mtd><msub><mover accent=\"true\"><mi>p</mi><mo>˙</mo></mover>"
                      "<mtext>mass</mtext></msub></mtd><mtd><mo>=</mo><mo>−</mo><mfrac>");
    text_free(&t);
}

static void many_equations_are_folded(void **state) {
    (void)state;
    Text model = {0}, t = {0};
    many_states(&model, 3);
    typeset(&t, text_get(&model));
    assert_int_equal(count(text_get(&t), "<details>"), 4);
    has(text_get(&t), "<summary>valve_1 (10)</summary>");
    has(text_get(&t), "<summary>the model, and parts that equations share (30)</summary>");
    assert_int_equal(count(text_get(&t), "<math"), 4);
    assert_int_equal(count(text_get(&t), "<mtr>"), 60);
    text_free(&model);
    text_free(&t);
}

static void endless_equations_are_not_typeset(void **state) {
    (void)state;
    Text model = {0}, t = {0};
    many_states(&model, 160);
    typeset(&t, text_get(&model));
    has(text_get(&t), "3200 lines: too many for a page");
    text_free(&model);
    text_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_gave_and_who_got),
        cmocka_unit_test(many_components_go_together),
        cmocka_unit_test(nothing_moved),
        cmocka_unit_test(paths_are_ribbons),
        cmocka_unit_test(small_ends_go_together),
        cmocka_unit_test(few_equations_stay_open),
        cmocka_unit_test(many_equations_are_folded),
        cmocka_unit_test(endless_equations_are_not_typeset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
