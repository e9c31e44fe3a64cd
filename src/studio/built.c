// A model that was built, shared by the two threads of a page, and what the page shows of it.
#include "studio/inside.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

Built *built_new(BdModel *m, long revision, const char *path) {
    Built *b = memory_zeroed(1, sizeof *b);
    atomic_store(&b->users, 1);
    b->model = m;
    b->revision = revision;
    Text t = {0};
    text_add(&t, path);
    b->path = t.data;
    b->pulls = memory_zeroed(1, 1);
    b->plain = memory_zeroed(1, 1);
    return b;
}

Built *built_keep(Built *b) {
    if (b) atomic_fetch_add(&b->users, 1);
    return b;
}

void built_free(Built *b) {
    if (!b || atomic_fetch_sub(&b->users, 1) > 1) return;
    bd_model_free(b->model);
    free(b->path);
    free(b->pulls);
    free(b->plain);
    free(b);
}

static json_t *number_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *variables_json(const BdModel *m, BdKind kind) {
    json_t *list = json_array();
    BdVariable v;
    for (int i = 0; bd_variable(m, kind, i, &v); i++) {
        json_t *x = json_pack("{s:s, s:s, s:s, s:b}", "name", v.name, "unit", v.unit, "text",
                              v.text, "settable", v.settable);
        if (!x) continue;
        if (kind == BD_PARAMETER) json_object_set_new(x, "value", number_or_null(v.value));
        json_array_append_new(list, x);
    }
    return list;
}

static json_t *text_json_of(const BdModel *m, BdForm form) {
    char *text = bd_text(m, form);
    json_t *s = json_string(text);
    bd_free(text);
    return s ? s : json_string("");
}

static json_t *about_of(const BdModel *m) {
    char *text = bd_text(m, BD_ABOUT);
    json_t *about = json_loads(text, 0, NULL);
    bd_free(text);
    return about ? about : json_object();
}

json_t *messages_json(const BdReport *r) {
    static const char *const severity[] = {
        [BD_NOTE] = "note", [BD_WARNING] = "warning", [BD_ERROR] = "error"};
    json_t *list = json_array();
    const BdMessage *m;
    for (int i = 0; (m = bd_report_message(r, i)); i++) {
        json_t *x = json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:s}", "severity",
                              severity[m->severity], "code", m->code, "file", m->file, "line",
                              m->line, "column", m->column, "text", m->text, "remedy", m->remedy);
        if (x) json_array_append_new(list, x);
    }
    return list;
}

// --- the graph -----------------------------------------------------------------------------------

enum { MOST_DRAWN = 120, MOST_PLACES = 5000 };

static int places_in(const json_t *places, BdPlace *to) {
    const char *path;
    json_t *at;
    int count = 0;
    json_object_foreach((json_t *)places, path, at) {
        double x = json_number_value(json_array_get(at, 0)),
               y = json_number_value(json_array_get(at, 1));
        bool good = x > -1e5 && x < 1e5 && y > -1e5 && y < 1e5;
        if (good && count < MOST_PLACES) to[count++] = (BdPlace){path, x, y};
    }
    return count;
}

static size_t component_count(const BdModel *m) {
    json_t *about = about_of(m);
    size_t n = json_array_size(json_object_get(about, "components"));
    json_decref(about);
    return n;
}

json_t *graph_json(const Built *b, const json_t *view) {
    const json_t *depth = json_object_get(view, "depth");
    BdPlace *place = memory_zeroed(MOST_PLACES, sizeof *place);
    BdGraphOptions o = {.scope = json_string_value(json_object_get(view, "scope")), .place = place};
    o.place_count = places_in(json_object_get(view, "places"), place);
    json_int_t wanted = json_integer_value(depth);
    if (json_is_integer(depth))
        o.depth = wanted > 0 && wanted < 100 ? (int)wanted : 0;
    else
        o.depth = component_count(b->model) > MOST_DRAWN ? 1 : 0;
    char *svg = bd_graph(b->model, &o);
    json_t *x = json_pack("{s:s, s:i, s:s}", "graph", svg ? svg : "", "depth", o.depth, "scope",
                          o.scope ? o.scope : "");
    bd_free(svg);
    free(place);
    return x ? x : json_object();
}

// Long, and slow to typeset: only who looks at them gets them.
json_t *equations_json(const Built *b) {
    json_t *html = text_json_of(b->model, BD_EQUATIONS_HTML);
    return json_pack("{s:s, s:I, s:o}", "do", "equations", "revision", (json_int_t)b->revision,
                     "html", html);
}

json_t *built_json(const Built *b, const json_t *view) {
    const BdModel *m = b->model;
    json_t *experiments = json_array();
    for (int i = 0; i < bd_experiment_count(m); i++)
        json_array_append_new(experiments, json_string(bd_experiment_name(m, i)));
    json_t *x = json_object();
    json_object_set_new(x, "model", json_string(bd_model_name(m)));
    json_object_set_new(x, "experiment", json_string(bd_model_experiment(m)));
    json_object_set_new(x, "experiments", experiments);
    json_object_set_new(x, "parameters", variables_json(m, BD_PARAMETER));
    json_object_set_new(x, "inputs", variables_json(m, BD_INPUT));
    json_object_set_new(x, "variables", variables_json(m, BD_VARIABLE));
    json_object_set_new(x, "states", variables_json(m, BD_STATE));
    json_t *graph = graph_json(b, view);
    json_object_update(x, graph);
    json_decref(graph);
    json_object_set_new(x, "about", about_of(m));
    return x;
}
