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
    bool latex = session_has(s, OPT_LATEX);
    Pipeline p;
    Text text = {0};
    ExitCode code = EXIT_INPUT;
    if (session_build(&p, s, syntax, session_argument(s, 1), STAGE_SYSTEM, SYNTAX_FOR_ONCE)) {
        code = EXIT_GOOD;
        if (s->json && !latex) {
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
        if (dot)
            graph_dot(&text, p.graph);
        else
            graph_svg(&text, p.graph);
        code = deliver(s, &text, graph_path(s, dot));
    }
    text_free(&text);
    pipeline_free(&p);
    return good ? code : EXIT_INPUT;
}
