// signals: what can be recorded, plotted and set, with units, descriptions and start values. The
// run is cancelled right after its first row, which holds these values.
#include "verb/verb.h"

#include "run/job.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct {
    const char *name, *unit, *text, *kind;
    double value; // at the start, NaN: not known
} Listed;

typedef ARRAY(Listed) ListedSignals;

// --- gathering -----------------------------------------------------------------------------------

static const char *kind_of(const Var *v) {
    if (v->kind == VAR_PARAM) return "parameter";
    if (v->kind == VAR_INPUT) return "input";
    if (v->kind == VAR_OUTPUT) return "output";
    if (v->kind == VAR_DISCRETE) return "discrete";
    return "variable";
}

static const char *text_of(const Model *m, const Var *v) {
    const char *own = name_text(m->names, v->text);
    return *own || v->comp < 0 ? own : name_text(m->names, m->comp[v->comp].text);
}

static void add_parameters(ListedSignals *list, const Model *m) {
    Symbols symbols = {0};
    symbols_open(&symbols, m);
    for (int i = 0; i < m->var_count; i++) {
        const Var *v = &m->var[i];
        if (v->kind != VAR_PARAM) continue;
        Shown shown = shown_in(m, v->unit);
        double si = v->symbol ? symbols_evaluate(&symbols, v->symbol) : (double)NAN;
        array_push(list, ((Listed){name_text(m->names, v->path), shown.unit, text_of(m, v),
                                   kind_of(v), show(shown, si)}));
    }
    symbols_close(&symbols);
}

static void add_columns(ListedSignals *list, const Pipeline *p, const Results *r) {
    const Model *m = p->model;
    int first = list->count;
    for (int c = 1; c < r->column_count; c++) {
        const Column *col = &r->column[c];
        double start = r->row_count ? col->value[0] : (double)NAN;
        array_push(list, ((Listed){col->name, col->unit, col->text, "variable", start}));
    }
    if (list->count == first) return;
    ColumnIndex index = column_index_new(r);
    for (int i = 0; i < m->var_count; i++) {
        int c = column_index_find(&index, name_text(m->names, m->var[i].path));
        if (c < 1) continue;
        Listed *s = &list->data[first + c - 1];
        s->kind = kind_of(&m->var[i]);
        if (!*s->text) s->text = text_of(m, &m->var[i]);
    }
    for (int i = 0; i < p->system->state_count; i++) {
        int c = column_index_find(&index, system_state_name(p->system, i));
        if (c >= 1) list->data[first + c - 1].kind = "state";
    }
    column_index_free(&index);
}

// --- showing -------------------------------------------------------------------------------------

static bool holds(const char *text, const char *word) {
    size_t n = strlen(word);
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i])) i++;
        if (i == n) return true;
    }
    return n == 0;
}

static bool is_wanted(const Listed *s, const char *word) {
    return !word || holds(s->name, word) || holds(s->text, word) || strcmp(s->kind, word) == 0 ||
           holds(s->unit, word);
}

static void print_signal(Text *t, const Listed *s) {
    text_printf(t, "%-9s  %-28s ", s->kind, s->name);
    if (isnan(s->value))
        text_printf(t, "%12s", "");
    else
        text_printf(t, "%12.6g", s->value);
    text_printf(t, " %-8s %s\n", s->unit, s->text);
}

static void signal_json(Text *t, const Listed *s) {
    json_open(t, '{');
    json_text_of(t, "name", s->name);
    json_text_of(t, "kind", s->kind);
    json_text_of(t, "unit", s->unit);
    json_text_of(t, "text", s->text);
    json_number_of(t, "start", s->value);
    json_close(t, '}');
}

static void show_signals(Session *s, const ListedSignals *list) {
    const char *word = session_value(s, OPT_FIND);
    int found = 0;
    if (s->json) {
        json_key(&s->out, "signals");
        json_open(&s->out, '[');
    }
    for (int i = 0; i < list->count; i++) {
        if (!is_wanted(&list->data[i], word)) continue;
        found++;
        if (s->json)
            signal_json(&s->out, &list->data[i]);
        else
            print_signal(&s->out, &list->data[i]);
    }
    if (s->json)
        json_close(&s->out, ']');
    else if (!session_has(s, OPT_QUIET))
        text_printf(&s->out, "%d of %d signals, values at the start\n", found, list->count);
}

ExitCode verb_signals(Session *s) {
    static const int at_once = 1;
    static const char *const all[] = {"*"};
    Pipeline p;
    Syntax *syntax = session_load(s, session_argument(s, 0));
    if (!syntax ||
        !session_build(&p, s, syntax, session_argument(s, 1), STAGE_SYSTEM, SYNTAX_FOR_ONCE)) {
        if (syntax) pipeline_free(&p);
        return EXIT_INPUT;
    }
    RunOptions o = {.experiment = p.experiment,
                    .record = all,
                    .record_count = 1,
                    .engine = ENGINE_VM,
                    .cancel = &at_once};
    Run *run = run_experiment(p.system, &o, &s->report);
    ListedSignals list = {0};
    if (run) add_columns(&list, &p, &run->results);
    add_parameters(&list, p.model);
    show_signals(s, &list);
    array_free(&list);
    run_free(run);
    pipeline_free(&p);
    return s->report.errors ? EXIT_INPUT : EXIT_GOOD;
}
