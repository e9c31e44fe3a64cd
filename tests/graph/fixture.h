// A model text, taken as far as the causal graph.
#ifndef BONDYN_TESTS_GRAPH_FIXTURE_H
#define BONDYN_TESTS_GRAPH_FIXTURE_H

#include "../test.h"

#include "run/pipeline.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Arena arena;
    Names *names;
    Sources *sources;
    Report report;
    Model *model;
    Graph *graph;
    Pipeline pipeline;
} Fixture;

static inline void print_report(Fixture *x) {
    Text t = {0};
    report_print(&t, &x->report, x->sources);
    print_message("%s", text_get(&t));
    text_free(&t);
}

static inline Fixture *open_text(const char *text) {
    Fixture *x = calloc(1, sizeof *x);
    assert_non_null(x);
    LangOptions options = pipeline_lang(NULL);
    x->names = names_new();
    x->sources = sources_new();
    Syntax *s = lang_load_text(&x->arena, x->names, x->sources, "t.bond", text, strlen(text),
                               &options, &x->report);
    pipeline_build(&x->pipeline, s, &(PipelineOptions){.last = STAGE_GRAPH}, &x->report);
    x->model = x->pipeline.model;
    x->graph = x->pipeline.graph;
    if (!x->graph) print_report(x);
    assert_non_null(x->graph);
    return x;
}

static inline void close_text(Fixture *x) {
    pipeline_free(&x->pipeline);
    arena_free(&x->arena);
    report_free(&x->report);
    names_free(x->names);
    sources_free(x->sources);
    free(x);
}

static inline int find_bond(const Graph *g, const char *label) {
    for (int b = 0; b < g->bond_count; b++) {
        Text t = {0};
        graph_bond_label(&t, g, b);
        bool same = !strcmp(text_get(&t), label);
        text_free(&t);
        if (same) return b;
    }
    fail_msg("no bond '%s'", label);
    return -1;
}

static inline int find_node(const Graph *g, const char *label) {
    for (int n = 0; n < g->node_count; n++) {
        Text t = {0};
        graph_node_label(&t, g, n);
        bool same = !strcmp(text_get(&t), label);
        text_free(&t);
        if (same) return n;
    }
    fail_msg("no node '%s'", label);
    return -1;
}

static inline void assert_stroke(const Graph *g, const char *bond, Stroke stroke, Reason reason) {
    const GraphBond *b = &g->bond[find_bond(g, bond)];
    if (b->stroke != stroke || b->reason != reason)
        fail_msg("'%s' has stroke %d for reason %d, not %d for %d", bond, (int)b->stroke,
                 (int)b->reason, (int)stroke, (int)reason);
}

static inline const Remark *find_remark(const Fixture *x, Code code) {
    for (const Remark *m = x->report.first; m; m = m->next)
        if (m->code == code) return m;
    return NULL;
}

// Strokes as the textbook wants them: one at a 0, all but one at a 1, as many at a TF as
// p2 has scalars, none or two at a GY.
static inline void assert_causal(const Graph *g) {
    for (int n = 0; n < g->node_count; n++) {
        const GraphNode *node = &g->node[n];
        const Comp *c = &g->model->comp[node->comp];
        int strokes = 0;
        for (int e = node->first_end; e < node->first_end + node->end_count; e++) {
            const GraphBond *b = &g->bond[g->end[e].bond];
            assert_true(b->stroke != STROKE_NONE && b->reason != REASON_NONE);
            strokes += (b->stroke == STROKE_AT_FROM) == g->end[e].is_from;
        }
        if (c->kind == COMP_0) assert_int_equal(strokes, 1);
        if (c->kind == COMP_1) assert_int_equal(strokes, node->end_count - 1);
        if (c->kind == COMP_TF)
            assert_int_equal(strokes, node->end_count - g->model->port[c->first_port].dim);
        if (c->kind == COMP_GY && node->end_count == 2) assert_true(strokes != 1);
        if (c->kind == COMP_SE) assert_int_equal(strokes, 0);
        if (c->kind == COMP_SF) assert_int_equal(strokes, node->end_count);
    }
}

#endif
