// RC ladder from text to reduced equations: time and memory against size, and how they grow.
//
//   Se -> 1 -> 0 -> 1 -> 0 ...      four bonds a section: 1 -> R, 1 -> 0, 0 -> C, 0 -> 1
//         |    |    |    |
//         R    C    R    C
//
// Each size runs in a process of its own, so that peak memory is that size's. The text is written
// out section by section, as a program that draws would write it; no loops of the language help.
#include "apart.h"
#include "bench.h"
#include "run/pipeline.h"

#include <malloc.h>
#include <math.h>
#include <string.h>

typedef struct {
    double parse, instantiate, causality, equations, total, bytes;
    int bonds, states;
} Measured;

static void write_ladder(Text *out, int sections) {
    text_add(out, "model Ladder\n  Se u = 1 {V}\n");
    for (int i = 1; i <= sections; i++)
        text_printf(out, "  R r%d(100 {ohm})\n  C c%d(1e-6 {F})\n  1 i%d\n  0 v%d\n", i, i, i, i);
    text_add(out, "  u -> i1\n");
    for (int i = 1; i <= sections; i++) {
        text_printf(out, "  i%d -> r%d, v%d\n  v%d -> c%d\n", i, i, i, i, i);
        if (i < sections) text_printf(out, "  v%d -> i%d\n", i, i + 1);
    }
    text_add(out, "end\n");
}

static void note_time(void *context, Stage stage) { ((double *)context)[stage] = now_seconds(); }

static Measured measure(const Text *text) {
    Measured s = {0};
    double memory_before = peak_memory(), start = now_seconds();
    Arena text_tree = {0}, bonds = {0};
    Names *names = names_new();
    Sources *sources = sources_new();
    Report report = {0};
    LangOptions options = {.library = BONDYN_SOURCE "/library", .bonds = &bonds};
    Syntax *syntax = lang_load_text(&text_tree, names, sources, "ladder.bond", text_get(text),
                                    text->length, &options, &report);
    double parsed = now_seconds();
    double reached[STAGE_SYSTEM + 1];
    Pipeline p;
    PipelineOptions o = {.lang = options,
                         .last = STAGE_SYSTEM,
                         .syntax = &text_tree,
                         .reached = note_time,
                         .context = reached};
    if (!pipeline_build(&p, syntax, &o, &report)) exit(1);
    double done = now_seconds();
    s.parse = parsed - start;
    s.instantiate = reached[STAGE_FLAT] - parsed;
    s.causality = reached[STAGE_GRAPH] - reached[STAGE_FLAT];
    s.equations = done - reached[STAGE_GRAPH];
    s.total = done - start;
    s.bonds = p.graph->bond_count;
    s.states = p.system->state_count;
    s.bytes = peak_memory() - memory_before;
    pipeline_free(&p);
    sources_free(sources);
    names_free(names);
    report_free(&report);
    return s;
}

static void measure_ladder(const void *bonds, void *result) {
    Text text = {0};
    write_ladder(&text, *(const int *)bonds / 4);
    *(Measured *)result = measure(&text);
}

static double middle(const Measured *s, int n, size_t field) {
    double value[64];
    for (int i = 0; i < n; i++) memcpy(&value[i], (const char *)&s[i] + field, sizeof(double));
    return median(value, n);
}

int main(void) {
    mallopt(M_MMAP_THRESHOLD, 128 * 1024); // as the program does
    const int sizes[] = {10, 40, 160, 1000, 10000, 100000};
    double last_time = 0, last_bonds = 0;
    printf("RC ladder, text to reduced equations (medians; milliseconds)\n");
    printf("%8s %8s %8s %8s %8s %8s %9s %10s %8s\n", "bonds", "states", "parse", "instant.",
           "causal", "equat.", "total", "byte/bond", "growth");
    for (int k = 0; k < 6; k++) {
        enum { MOST = 21 };
        Measured s[MOST];
        int n = sizes[k] > 20000 ? 5 : MOST;
        for (int i = 0; i < n; i++)
            if (!measure_apart(measure_ladder, &sizes[k], &s[i], sizeof s[i]))
                return fprintf(stderr, "ladder failed\n"), 1;
        double total = middle(s, n, offsetof(Measured, total));
        printf("%8d %8d %8.3f %8.3f %8.3f %8.3f %9.3f %10.0f", s[0].bonds, s[0].states,
               1e3 * middle(s, n, offsetof(Measured, parse)),
               1e3 * middle(s, n, offsetof(Measured, instantiate)),
               1e3 * middle(s, n, offsetof(Measured, causality)),
               1e3 * middle(s, n, offsetof(Measured, equations)), 1e3 * total,
               middle(s, n, offsetof(Measured, bytes)) / s[0].bonds);
        if (last_time > 0) printf(" %8.2f", log(total / last_time) / log(s[0].bonds / last_bonds));
        printf("\n");
        last_time = total, last_bonds = s[0].bonds;
    }
    printf("growth: exponent of time against bonds from the size before; 1 is linear\n");
    return 0;
}
