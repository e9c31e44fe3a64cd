// equations and graph: a model in the two forms that people draw on paper.
#include "verb/verb.h"

#include <string.h>

// To --out, or as text.
static ExitCode deliver(Session *s, const Text *text, const char *path) {
    if (!path) {
        text_add_n(&s->out, text_get(text), text->length);
        return EXIT_GOOD;
    }
    if (!file_write(path, text_get(text), text->length, &s->report)) return EXIT_INPUT;
    session_tell_files(s, &path, 1, "");
    return EXIT_GOOD;
}

ExitCode verb_equations(Session *s) {
    Syntax *syntax = session_load(s, session_argument(s, 0));
    if (!syntax) return EXIT_INPUT;
    const char *path = session_value(s, OPT_OUT);
    bool latex = session_has(s, OPT_LATEX), augmented = session_has(s, OPT_UNREDUCED);
    Pipeline p;
    Text text = {0};
    ExitCode code = EXIT_INPUT;
    if (session_build(&p, s, syntax, session_argument(s, 1), STAGE_SYSTEM, SYNTAX_FOR_ONCE)) {
        code = EXIT_GOOD;
        if (augmented) {
            graph_augmented(&text, p.graph);
            if (s->json) json_text_of(&s->out, "unreduced", text_get(&text));
            if (!s->json) code = deliver(s, &text, path);
        } else if (s->json && !latex) {
            equations_print(&text, p.system, EQUATIONS_JSON);
            json_key(&s->out, "equations");
            json_raw(&s->out, text_get(&text));
        } else {
            equations_print(&text, p.system, latex ? EQUATIONS_LATEX : EQUATIONS_TEXT);
            if (s->json && !path) {
                json_text_of(&s->out, "latex", text_get(&text));
            } else {
                code = deliver(s, &text, path);
            }
        }
    }
    text_free(&text);
    pipeline_free(&p);
    return code;
}

// Which part of the graph, and how much of it. False: reported.
static bool read_view(Session *s, const Graph *g, GraphView *view) {
    const Model *m = g->model;
    double depth = 0;
    if (!option_number(s, OPT_DEPTH, &depth)) return false;
    if (session_has(s, OPT_DEPTH) && !(depth >= 1 && depth <= 100 && depth == (int)depth)) {
        report_error(&s->report, T_BAD_VALUE, POS_NONE,
                     "--depth takes a whole number from 1 to 100");
        return false;
    }
    view->depth = (int)depth;
    view->reduced = session_has(s, OPT_REDUCED);
    if (!session_has(s, OPT_ONLY)) return true;
    view->scope = session_value(s, OPT_ONLY);
    size_t n = strlen(view->scope);
    for (int c = 0; c < m->comp_count; c++) {
        const char *path = name_text(m->names, m->comp[c].path);
        if (strncmp(path, view->scope, n) == 0 && path[n] == '.') return true;
    }
    Remark *r = report_error(&s->report, T_BAD_VALUE, POS_NONE,
                             "there is no part '%s' with components inside", view->scope);
    remark_help(&s->report, r,
                "--only takes the path of a component that is a model: --only crane.winch");
    return false;
}

static bool draw(Session *s, const Graph *g, bool dot, Text *text) {
    GraphView view = GRAPH_WHOLE;
    Text left_out = {0};
    bool good = read_view(s, g, &view);
    if (good && dot) graph_dot(text, g);
    if (good && !dot) graph_svg_view(text, g, &view, &left_out);
    if (left_out.length && session_has(s, OPT_OUT))
        text_printf(&s->out, "left out\n%s", text_get(&left_out));
    text_free(&left_out);
    return good;
}

static bool wants_dot(const Session *s) {
    const char *path = session_value(s, OPT_OUT);
    if (session_has(s, OPT_DOT)) return true;
    if (session_has(s, OPT_SVG) || !path) return false;
    size_t n = strlen(path);
    return (n > 4 && strcmp(path + n - 4, ".dot") == 0) ||
           (n > 3 && strcmp(path + n - 3, ".gv") == 0);
}

static const char *graph_path(Session *s, bool dot) {
    const char *path = session_value(s, OPT_OUT);
    if (path || s->json || !s->o->terminal) return path;
    const char *stem = path_stem(&s->arena, session_argument(s, 0));
    return arena_printf(&s->arena, "%s.%s", stem, dot ? "dot" : "svg");
}

ExitCode verb_graph(Session *s) {
    Syntax *syntax = session_load(s, session_argument(s, 0));
    if (!syntax) return EXIT_INPUT;
    bool dot = wants_dot(s);
    Pipeline p;
    Text text = {0};
    // A graph whose causality is in conflict is drawn all the same: it shows where.
    ExitCode code = EXIT_INPUT;
    bool good = session_build(&p, s, syntax, session_argument(s, 1), STAGE_GRAPH, SYNTAX_FOR_ONCE);
    if (p.graph && s->json && !session_has(s, OPT_OUT)) {
        causality_json(&text, p.graph);
        json_key(&s->out, "graph");
        json_raw(&s->out, text_get(&text));
        code = EXIT_GOOD;
    } else if (p.graph) {
        if (draw(s, p.graph, dot, &text)) code = deliver(s, &text, graph_path(s, dot));
    }
    text_free(&text);
    pipeline_free(&p);
    return good ? code : EXIT_INPUT;
}
