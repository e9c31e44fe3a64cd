// Chains of hinges from text to equations, and to explicit matrices: time, operations and their
// growth.
//
//   world --q1-- link1 --q2-- link2 ...
//
//   plain   axes, offsets and inertias in no direction in particular
//   free    the first link floats
//   arm     axes at right angles, as robots have them
//
// "equations" is the whole way from text to the reduced equations of the momentum form, which `run`
// uses; their operations are those of one call for all rates. "matrices" are B, dB/dq and g, as
// `derive` writes them, with everything that entries share computed once.
#include "bench.h"
#include "run/pipeline.h"

#include "mech/derive.h"
#include <math.h>
#include <string.h>

typedef struct {
    const char *name;
    int joints;
    bool free, arm;
} Chain;

typedef struct {
    double equations, matrices; // seconds; matrices < 0: left out
    int rates, entries;         // operations
} Measured;

// --- the text ------------------------------------------------------------------------------------

static double uniform(uint64_t *seed, double low, double high) {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return low + (high - low) * (double)((*seed * 2685821657736338717ULL) >> 11) / 0x1p53;
}

static void write_body(Text *out, const char *name, uint64_t *seed, double scale) {
    double side[3], mass = scale * uniform(seed, 0.8, 4);
    for (int i = 0; i < 3; i++) side[i] = uniform(seed, 0.1, 0.5);
    text_printf(out, "  body %s box (%.3f, %.3f, %.3f) {m} mass %.3f {kg} at (", name, side[0],
                side[1], side[2], mass);
    for (int i = 0; i < 3; i++)
        text_printf(out, "%s%.3f", i ? ", " : "", uniform(seed, -0.15, 0.15));
    text_printf(out, ") {m} rotated z %.3f {rad}, x %.3f {rad}\n", uniform(seed, -3, 3),
                uniform(seed, -3, 3));
}

static void write_place(Text *out, const Chain *c, int i, uint64_t *seed) {
    if (c->arm) {
        double offset = uniform(seed, 0.15, 0.4);
        text_printf(out, " at (%.3f, 0, %.3f) {m} rotated x %d {deg}", i % 2 ? offset : 0,
                    i % 2 ? 0 : offset,
                    i == 0  ? 0
                    : i % 2 ? 90
                            : -90);
        return;
    }
    text_add(out, " at (");
    for (int k = 0; k < 3; k++) text_printf(out, "%s%.3f", k ? ", " : "", uniform(seed, -0.3, 0.3));
    text_printf(out, ") {m} rotated z %.3f {rad}, x %.3f {rad}", uniform(seed, -3, 3),
                uniform(seed, -3, 3));
}

static void write_chain(Text *out, const Chain *c) {
    uint64_t seed = 88172645463325252ULL;
    text_add(out, "mechanism Chain\n");
    if (c->free) {
        text_add(out, "  joint hull free: world -> link0\n");
        write_body(out, "link0", &seed, 20);
    }
    for (int i = 0; i < c->joints; i++) {
        char name[24], parent[24];
        snprintf(name, sizeof name, "link%d", i + 1);
        snprintf(parent, sizeof parent, i || c->free ? "link%d" : "world", i);
        text_printf(out, "  joint q%d revolute z: %s -> %s", i + 1, parent, name);
        write_place(out, c, i, &seed);
        text_add(out, "\n");
        write_body(out, name, &seed, 1);
    }
    text_add(out, "end\n");
}

// --- one sample ----------------------------------------------------------------------------------

static int operations(const Dag *d, const Expr *roots, int n) {
    OpCount c = expr_count(d, roots, n);
    return c.adds + c.multiplies + c.divides + c.calls + c.others;
}

// All entries together; of symmetric matrices both triangles are the same nodes.
static int count_entries(const Derivation *v) {
    int count = 0, at = 0;
    for (int i = 0; i < v->part_count; i++) count += v->part[i].value.rows * v->part[i].value.cols;
    Expr *all = malloc((size_t)(count + 1) * sizeof *all);
    for (int i = 0; all && i < v->part_count; i++) {
        int n = v->part[i].value.rows * v->part[i].value.cols;
        memcpy(all + at, v->part[i].value.at, (size_t)n * sizeof *all);
        at += n;
    }
    int found = all ? operations(v->d, all, at) : 0;
    free(all);
    return found;
}

typedef struct {
    Arena tree;
    Pipeline p;
    Names *names;
    Sources *sources;
    Report report;
    Model *model;
} Reading;

static void read_text(Reading *r, const Text *text, Stage last) {
    *r = (Reading){.names = names_new(), .sources = sources_new()};
    LangOptions options = {.library = BONDYN_SOURCE "/library"};
    Syntax *syntax = lang_load_text(&r->tree, r->names, r->sources, "chain.bond", text_get(text),
                                    text->length, &options, &r->report);
    PipelineOptions o = {.lang = options, .last = last};
    if (!pipeline_build(&r->p, syntax, &o, &r->report)) exit(1);
    r->model = r->p.model;
}

static void close_reading(Reading *r) {
    pipeline_free(&r->p);
    arena_free(&r->tree);
    sources_free(r->sources);
    names_free(r->names);
    report_free(&r->report);
}

static void measure_equations(const Text *text, Measured *s) {
    double start = cpu_seconds();
    Reading r;
    read_text(&r, text, STAGE_SYSTEM);
    s->equations = cpu_seconds() - start;
    s->rates = operations(r.model->dag, r.p.system->rate, r.p.system->state_count);
    close_reading(&r);
}

static void measure_matrices(const Text *text, Measured *s) {
    double start = cpu_seconds();
    Reading r;
    read_text(&r, text, STAGE_FLAT);
    DeriveOptions options = {.only = "B,dB,g"};
    Derivation *v = derive(&r.p.arena, r.model, &r.model->mechanism[0], &options, &r.report);
    s->matrices = cpu_seconds() - start;
    if (!v || r.report.errors) exit(1);
    s->entries = count_entries(v);
    close_reading(&r);
}

static Measured measure(const Chain *c) {
    enum { SAMPLES = 21, MOST_JOINTS = 30 }; // explicit matrices of long chains serve nobody
    double first[SAMPLES], second[SAMPLES];
    Measured s = {.matrices = -1};
    Text text = {0};
    write_chain(&text, c);
    for (int i = 0; i < SAMPLES; i++) {
        measure_equations(&text, &s);
        first[i] = s.equations;
    }
    s.equations = median(first, SAMPLES);
    int n = c->joints > 12 ? 3 : SAMPLES;
    for (int i = 0; i < n && c->joints <= MOST_JOINTS; i++) {
        measure_matrices(&text, &s);
        second[i] = s.matrices;
    }
    if (s.matrices >= 0) s.matrices = median(second, n);
    text_free(&text);
    return s;
}

// --- the table -----------------------------------------------------------------------------------

int main(void) {
    static const Chain chains[] = {
        {"chain 3", 3, false, false},    {"chain 7", 7, false, false},
        {"chain 12", 12, false, false},  {"chain 30", 30, false, false},
        {"chain 60", 60, false, false},  {"arm 7", 7, false, true},
        {"free + 3", 3, true, false},    {"free + 7", 7, true, false},
        {"free + arm 7", 7, true, true},
    };
    Measured last = {0};
    int last_joints = 0;
    printf("mechanisms, text to equations (medians; milliseconds of computing; operations of one "
           "call)\n");
    printf("%-12s %10s %10s %8s %10s %11s %8s\n", "", "equations", "operations", "growth",
           "matrices", "operations", "growth");
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        const Chain *c = &chains[i];
        bool longer = !c->free && !c->arm && last_joints;
        Measured s = measure(c);
        double ratio = longer ? log((double)c->joints / last_joints) : 1;
        printf("%-12s %10.3f %10d ", c->name, 1e3 * s.equations, s.rates);
        if (longer)
            printf("%8.2f ", log(s.equations / last.equations) / ratio);
        else
            printf("%8s ", "");
        if (s.matrices >= 0) printf("%10.3f %11d ", 1e3 * s.matrices, s.entries);
        if (longer && s.matrices >= 0) printf("%8.2f", log(s.matrices / last.matrices) / ratio);
        printf("\n");
        last = s, last_joints = c->joints;
    }
    printf("growth: exponent of time against joints from the chain before\n");
    return 0;
}
