// Header, data and functions of an exported model.
#include "export/writing.h"

#include "engine/c_output.h"
#include <math.h>

// --- names ---------------------------------------------------------------------------------------

int export_table(const Writing *w, const Table *t) {
    for (int i = 0; i < w->table_count; i++)
        if (w->table[i] == t) return i;
    return 0;
}

static void write_name_row(Writing *w, Text *o, int var, const char *kind, int place) {
    const Model *m = w->p->system->model;
    Shown s = shown_in(m, m->var[var].unit);
    text_add(o, "    {");
    text_json(o, name_text(m->names, m->var[var].path));
    text_add(o, ", ");
    text_json(o, s.unit);
    text_printf(o, ", model_is_%s, %d, ", kind, place);
    c_number(o, s.scale);
    text_add(o, ", ");
    c_number(o, s.offset);
    text_add(o, "},\n");
}

static int state_name_count(const Writing *w) {
    int count = 0;
    for (int i = 0; i < w->p->state_count; i++) count += w->p->system->state_var[i] >= 0;
    return count;
}

static void write_names(Writing *w, Text *o) {
    const Program *p = w->p;
    const Results *r = &w->job->run->results;
    text_add(o, "\nconst model_name model_name_of[] = {\n");
    for (uint32_t i = 0; i < p->param_count; i++)
        write_name_row(w, o, p->param_var[i], "parameter", (int)i);
    for (int i = 0; i < p->state_count; i++)
        if (p->system->state_var[i] >= 0) write_name_row(w, o, p->system->state_var[i], "state", i);
    for (int i = 1; i < r->column_count; i++) {
        const Shown *s = &w->job->tracks.data[i].shown;
        text_add(o, "    {");
        text_json(o, r->column[i].name);
        text_add(o, ", ");
        text_json(o, r->column[i].unit);
        text_printf(o, ", model_is_output, %d, ", i - 1);
        c_number(o, s->scale);
        text_add(o, ", ");
        c_number(o, s->offset);
        text_add(o, "},\n");
    }
    text_add(o, "    {\"\", \"\", 0, 0, 1.0, 0.0}};\n");
}

// --- the header ----------------------------------------------------------------------------------

static void constant(Text *o, const char *name, long value) {
    text_printf(o, "    model_%s = %ld,\n", name, value);
}

static void write_counts(Writing *w, Text *o) {
    const Program *p = w->p;
    const Whens *n = &p->system->whens;
    int columns = w->job->run->results.column_count - 1;
    text_add(o, "enum { // how many there are of each\n");
    constant(o, "state_count", p->state_count);
    constant(o, "param_count", (long)p->param_count);
    constant(o, "column_count", columns);
    constant(o, "output_count", w->output_count);
    constant(o, "settle_count", w->settle_count);
    constant(o, "switch_count", p->switch_count);
    constant(o, "branch_count", n->branch_count);
    constant(o, "discrete_count", n->discrete_count);
    constant(o, "sample_count", n->sample_count);
    constant(o, "set_count", n->set_count);
    constant(o, "reset_count", n->reset_count);
    constant(o, "clock_count", p->clock_count);
    constant(o, "input_count", w->input_count);
    constant(o, "block_count", p->block_count);
    constant(o, "unknown_count", (long)p->unknown_count);
    constant(o, "constant_count", (long)p->constant_count);
    constant(o, "held_count", p->held_count);
    constant(o, "first_column", (long)p->param_count + state_name_count(w));
    constant(o, "name_count", (long)p->param_count + state_name_count(w) + columns);
    text_add(o, "    // where they lie in the registers\n");
    constant(o, "first_param", (long)p->first_param);
    constant(o, "time_place", (long)p->time);
    constant(o, "first_state", (long)p->first_state);
    constant(o, "first_held", (long)p->first_held);
    constant(o, "first_unknown", (long)p->first_unknown);
    bool still = p->state_count == 0 && p->quad_count == 0 && n->branch_count == 0;
    text_printf(o, "    model_algebraic = %d // nothing to integrate\n};\n\n", still);
}

typedef struct {
    Text *o;
    size_t bytes, real;
} Fields;

// A field of the machine; 'r': numbers of the model, 'd': times, 'i': whole numbers, 'l': long, 'c': bytes.
static void field(Fields *f, char kind, const char *name, long count, const char *about) {
    static const char kinds[] = "rdilc";
    static const char *const type[] = {"model_real", "double", "int", "long", "unsigned char"};
    const size_t size[] = {f->real, 8, 4, 8, 1};
    int k = (int)(strchr(kinds, kind) - kinds);
    text_printf(f->o, "    %s %s", type[k], name);
    if (count > 0) text_printf(f->o, "[%ld]", count);
    text_printf(f->o, ";%s%s\n", *about ? " // " : "", about);
    f->bytes += size[k] * (size_t)(count > 0 ? count : 1);
}

static void write_state_fields(const Writing *w, Fields *f) {
    long n = w->p->state_count + 1;
    field(f, 'd', "time", 0, "where the run is");
    field(f, 'd', "start", 0, "set before a reset, as the next two");
    field(f, 'd', "stop", 0, "");
    field(f, 'd', "step", 0, "");
    field(f, 'd', "span", 0, "of the run, by which times that are close are told");
    field(f, 'd', "wait", 0, "a step ends here, if not earlier");
    field(f, 'i', "problem", 0, "model_good, or why the run cannot go on");
    field(f, 'i', "warnings", 0, "assertions that only warn");
    field(f, 'i', "branch", 0, "the last assertion that did not hold");
    field(f, 'i', "tried", 0, "a step has been tried: what follows is at its end");
    field(f, 'i', "event", 0, "");
    field(f, 'i', "after", 0, "the present step begins at an event");
    field(f, 'i', "hold", 0, "relations keep their states");
    field(f, 'i', "failed_block", 0, "");
    field(f, 'd', "next", 0, "");
    field(f, 'd', "grid", 0, "");
    field(f, 'd', "moment", 0, "");
    field(f, 'd', "k", 0, "steps of the grid so far");
    field(f, 'd', "length", 0, "");
    field(f, 'd', "inside_end", 0, "");
    field(f, 'd', "chatter_time", 0, "");
    field(f, 'l', "chatter_count", 0, "");
    field(f, 'l', "sliding_count", 0, "");
    field(f, 'l', "actions", 0, "");
    field(f, 'r', "y", n, "states");
    field(f, 'r', "begin", n, "states where the present step began");
    field(f, 'r', "aside", n, "");
    field(f, 'r', "trial", n, "");
    field(f, 'r', "later", n, "");
    field(f, 'r', "slope", n, "");
    text_printf(f->o, "    model_real rate[4][%ld];\n", n);
    f->bytes += 4 * f->real * (size_t)n;
}

static void write_event_fields(const Writing *w, Fields *f) {
    const Program *p = w->p;
    const Whens *n = &p->system->whens;
    static const char *const per_switch[] = {"piece",  "switch_value", "border", "ahead",
                                             "before", "here",         "band",   "shift"};
    if (p->switch_count) {
        long count = p->switch_count;
        field(f, 'c', "held", count, "states of relations");
        field(f, 'i', "direction", count, "");
        for (int i = 0; i < 8; i++) field(f, 'r', per_switch[i], count, "");
        field(f, 'r', "inside", 10 * count + p->state_count + 1, "");
    }
    if (p->clock_count) field(f, 'r', "phase", 2 * p->clock_count, "");
    if (w->input_count) field(f, 'r', "input", w->input_count, "as set from outside");
    if (!n->branch_count) return;
    field(f, 'c', "was", n->branch_count, "conditions, the last time they were looked at");
    field(f, 'r', "condition", n->branch_count, "");
    field(f, 'r', "action", n->discrete_count + n->reset_count + 1, "");
    field(f, 'r', "sample", 2 * n->sample_count + 1, "period and offset in pairs");
    field(f, 'd', "next_sample", n->sample_count + 1, "");
    text_printf(f->o, "    model_pace pace[%d];\n", n->branch_count);
    f->bytes += 40 * (size_t)n->branch_count;
}

static void write_machine_struct(Writing *w, Text *o) {
    const Program *p = w->p;
    long n = p->largest_block;
    Fields f = {.o = o, .real = w->options->single ? 4 : 8};
    text_add(o, "typedef struct { // one run: all its memory; a copy of it is a run of its own\n");
    write_state_fields(w, &f);
    write_event_fields(w, &f);
    if (p->block_count) {
        field(&f, 'r', "work", n * n + 6 * n + 1, "of blocks");
        field(&f, 'r', "away", 2 * n + 1, "");
        field(&f, 'r', "part", 0, "");
        field(&f, 'i', "pivot", n + 1, "");
        field(&f, 'r', "unknown", p->unknown_count ? (long)p->unknown_count : 1, "");
    }
    field(&f, 'r', "output", w->output_count + 1, "");
    field(&f, 'r', "reg", (long)p->register_count, "registers");
    text_add(o, "} model_machine;\n\n");
    w->e->bytes = (f.bytes + 7) / 8 * 8;
}

static const char header_types[] =
    "enum { // problems\n"
    "    model_good,\n    model_no_solution,\n    model_not_finite,\n    model_chatter,\n"
    "    model_piles_up,\n    model_event_loop,\n    model_conflict,\n    model_bad_sample,\n"
    "    model_assertion,\n    model_not_settable\n};\n\n"
    "enum { model_is_parameter, model_is_state, model_is_output };\n\n"
    "typedef struct {\n    const char *name, *unit;\n    int kind, place;\n"
    "    model_real scale, offset; // in SI units: value * scale + offset\n} model_name;\n\n"
    "extern const model_name model_name_of[]; // parameters, states, columns of the results\n\n"
    "typedef struct { // how fast a branch of a `when` fires\n"
    "    double time, gap, longest;\n    int shrinking;\n    long count;\n} model_pace;\n\n";

static const char header_functions[] =
    "// Every run begins with model_init and model_reset. What gives an int gives a problem, or\n"
    "// model_good; model_words tells it in words.\n"
    "void model_init(model_machine *m);  // parameters as in the model file\n"
    "int model_reset(model_machine *m);  // to the start, with the parameters as they are\n"
    "int model_step(model_machine *m);   // to the next point of the grid, sample or event\n\n"
    "// By number in the table of names, in the unit that stands there. Parameters and states can "
    "be\n"
    "// set, also between steps; start values follow parameters at the next reset.\n"
    "int model_find(const char *name);   // -1: there is no such name\n"
    "model_real model_get(model_machine *m, int number);\n"
    "int model_set(model_machine *m, int number, model_real value);\n"
    "const char *model_words(int problem);\n\n"
    "// A step in two halves, to look at times inside of it: try, then look at any time up to\n"
    "// model_known, then settle what is due at its end. value has room for all columns.\n"
    "int model_try(model_machine *m);\n"
    "double model_known(const model_machine *m);\n"
    "int model_look(model_machine *m, double time, model_real *value);\n"
    "int model_settle(model_machine *m);\n\n";

static void define_time(Text *o, const char *name, double value) {
    text_printf(o, "#define model_%s ", name);
    c_number(o, value);
    text_char(o, '\n');
}

static double step_of(const Job *j) {
    return j->plan.step > 0 ? j->plan.step : (j->plan.stop - j->plan.start) / 1000;
}

void export_header(Writing *w) {
    Text o = {0};
    text_printf(&o, "// Model %s, generated by Bondyn: C99, see README.md.\n", w->e->prefix);
    text_printf(&o, "#ifndef %s_MODEL_H\n#define %s_MODEL_H\n\n", w->e->prefix, w->e->prefix);
    text_add(&o, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    text_printf(&o, "typedef %s model_real;\n\n", w->options->single ? "float" : "double");
    define_time(&o, "start_time", w->job->plan.start);
    define_time(&o, "stop_time", w->job->plan.stop);
    define_time(&o, "step_time", step_of(w->job));
    text_char(&o, '\n');
    write_counts(w, &o);
    text_add(&o, header_types);
    write_machine_struct(w, &o);
    text_add(&o, header_functions);
    text_add(&o, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    export_prefixed(&w->e->header, text_get(&o), w->e->prefix);
    text_free(&o);
}

// --- data ----------------------------------------------------------------------------------------

static void write_numbers(Text *o, const char *name, const double *x, int count) {
    text_printf(o, "static const double %s[] = {", name);
    for (int i = 0; i < count; i++) {
        text_add(o, i == 0 ? "" : i % 6 == 0 ? ",\n    " : ", ");
        c_number(o, x[i]);
    }
    text_add(o, count ? "};\n" : "0};\n");
}

static void write_tables(const Writing *w, Text *o) {
    Text name = {0};
    for (int i = 0; i < w->table_count; i++) {
        const Table *t = w->table[i];
        const double *part[] = {t->x, t->y, t->slope};
        for (int k = 0; k < 3; k++) {
            text_clear(&name);
            text_printf(&name, "model_table%d_%c", i, "xys"[k]);
            write_numbers(o, text_get(&name), part[k], part[k] ? t->count : 0);
        }
        text_printf(o, "static const int model_table%d_k[] = {", i);
        for (int k = 0; k < t->kink_count; k++) text_printf(o, "%s%d", k ? ", " : "", t->kink[k]);
        text_add(o, t->kink_count ? "};\n" : "0};\n");
    }
    text_add(o, "static const BondynTable model_table_of[] = {\n");
    for (int i = 0; i < w->table_count; i++)
        text_printf(o,
                    "    {%d, %d, %d, %d, model_table%d_x, model_table%d_y, model_table%d_s, "
                    "model_table%d_k},\n",
                    w->table[i]->count, w->table[i]->smooth, w->table[i]->extrapolate,
                    w->table[i]->kink_count, i, i, i, i);
    text_add(o, "};\n");
    text_free(&name);
}

static int kind_of_switch(const TapeSwitch *s) {
    if (!switch_has_pieces(s)) return 0;
    return s->op == OP_TABLE ? 1 : s->op == OP_CEIL ? 3 : 2;
}

static void write_switch_data(const Writing *w, Text *o) {
    const Program *p = w->p;
    text_add(o, "\ntypedef struct { // kind: 0 a relation, 1 a table, 2 floor, 3 ceil\n"
                "    int kind, or_equal, table, watcher;\n} model_switch_info;\n"
                "static const model_switch_info model_switch_of[] = {\n");
    for (int i = 0; i < p->switch_count; i++) {
        const TapeSwitch *s = &p->sw[i];
        text_printf(o, "    {%d, %d, %d, %d},\n", kind_of_switch(s), s->or_equal,
                    s->table ? export_table(w, s->table) : 0, s->watcher);
    }
    text_add(o, "};\n");
}

static void write_settings(Text *o, const char *name, const Setting *s, int count) {
    text_printf(o, "static const model_setting %s[] = {", name);
    for (int i = 0; i < count; i++) text_printf(o, "{%d, %d}, ", s[i].branch, s[i].target);
    text_add(o, "{0, 0}};\n");
}

static bool branch_acts(const Whens *n, int branch) {
    for (int i = 0; i < n->set_count; i++)
        if (n->set[i].branch == branch) return true;
    for (int i = 0; i < n->reset_count; i++)
        if (n->reset[i].branch == branch) return true;
    return false;
}

static void write_when_data(const Writing *w, Text *o) {
    const Whens *n = &w->p->system->whens;
    const Model *m = w->p->system->model;
    text_add(o, "\n// kind: 0 acts, 1 an assertion that warns, 2 one that ends the run\n"
                "static const struct {\n    int kind, group, acts;\n} model_branch_of[] = {\n");
    for (int i = 0; i < n->branch_count; i++)
        text_printf(o, "    {%d, %d, %d},\n",
                    m->when[i].kind == WHEN_ACTS    ? 0
                    : m->when[i].kind == WHEN_WARNS ? 1
                                                    : 2,
                    m->when[i].group, branch_acts(n, i));
    text_add(o, "};\ntypedef struct {\n    int branch, target;\n} model_setting;\n");
    write_settings(o, "model_set_of", n->set, n->set_count);
    write_settings(o, "model_reset_of", n->reset, n->reset_count);
    text_add(o, "static const int model_sample_initial[] = {");
    for (int i = 0; i < n->sample_count; i++) text_printf(o, "%d, ", !m->sample[i].period);
    text_add(o, "0};\n");
}

static void write_clock_data(const Writing *w, Text *o) {
    text_add(o, "static const int model_clock_table[] = {");
    for (int i = 0; i < w->p->clock_count; i++) {
        const Table *t = w->p->clock[i].table;
        text_printf(o, "%s%d", i ? ", " : "", t ? export_table(w, t) : -1);
    }
    text_add(o, "};\n");
}

// --- blocks --------------------------------------------------------------------------------------

static void write_block_functions(Writing *w, Text *o, int i) {
    const TapeBlock *b = &w->p->block[i];
    Text name = {0};
    text_printf(&name, "residual%d", i);
    export_tape(w, o, text_get(&name), &b->residual, b->residual.count, b->residual.result,
                b->residual.result_count);
    if (b->matrix == i) {
        text_clear(&name);
        text_printf(&name, "entries%d", i);
        export_tape(w, o, text_get(&name), &b->jacobian, b->jacobian.count, b->jacobian.result,
                    b->jacobian.result_count);
        int entries = b->column_start[b->size];
        text_printf(o,
                    "\nstatic int model_matrix%d(model_machine *m, double *a) {\n"
                    "    static const int place[] = {",
                    i);
        for (int c = 0; c < b->size; c++)
            for (int k = b->column_start[c]; k < b->column_start[c + 1]; k++)
                text_printf(o, "%s%d", k ? ", " : "", b->row[k] * b->size + c);
        text_printf(o,
                    "%s};\n    double entry[%d];\n    model_entries%d(m, entry);\n"
                    "    for (int i = 0; i < %d; i++) a[place[i]] = entry[i];\n    return 1;\n}\n",
                    entries ? "" : "0", entries + 1, i, entries);
    }
    text_free(&name);
}

static bool is_start_block(const System *s, int number) {
    return number >= s->block_count && number < s->block_count + s->start_block_count;
}

static void write_blocks(Writing *w, Text *o) {
    const Program *p = w->p;
    for (int i = 0; i < p->block_count; i++) write_block_functions(w, o, i);
    text_char(o, '\n');
    for (int i = 0; i < p->block_count; i++) {
        text_printf(o, "static const unsigned model_guess%d[] = {", i);
        for (int k = 0; k < p->block[i].size; k++)
            text_printf(o, "%s%u", k ? ", " : "", p->block[i].guess[k]);
        text_add(o, "};\n");
    }
    text_add(o,
             "\ntypedef struct {\n    int size, linear, anchored, start;\n    unsigned unknown;\n"
             "    const unsigned *guess;\n    int (*residual)(model_machine *m, double *f);\n"
             "    int (*matrix)(model_machine *m, double *a);\n} model_block_info;\n"
             "static const model_block_info model_block_of[] = {\n");
    for (int i = 0; i < p->block_count; i++) {
        const TapeBlock *b = &p->block[i];
        text_printf(o,
                    "    {%d, %d, %d, %d, %u, model_guess%d, model_residual%d, model_matrix%d},\n",
                    b->size, b->linear, b->anchored, is_start_block(p->system, i), b->unknown, i, i,
                    b->matrix);
    }
    text_add(o, "};\n");
}

// --- functions -----------------------------------------------------------------------------------

static void whole_tape(Writing *w, Text *o, const char *name, const TapeFunction *f) {
    export_tape(w, o, name, f, f->count, f->result, f->result_count);
}

static void write_functions(Writing *w, Text *o) {
    const Program *p = w->p;
    export_tape(w, o, "prepare", &p->prepare, p->prepare.count, NULL, 0);
    whole_tape(w, o, "held_start", &p->held_start);
    export_tape(w, o, "initial", &p->initial, p->initial.count, p->initial.result, p->state_count);
    export_tape(w, o, "rates", &p->derivative, p->rate_code, p->derivative.result, p->state_count);
    if (w->quads)
        export_tape(w, o, "step_rates", &p->derivative, p->derivative.count, p->derivative.result,
                    p->state_count);
    export_tape(w, o, "outputs_code", &p->outputs, p->outputs.count, w->output, w->output_count);
    if (p->switch_count) whole_tape(w, o, "switches", &p->switches);
    if (p->clock_count && w->table_count) whole_tape(w, o, "clocks", &p->clocks);
    if (!p->system->whens.branch_count) return;
    whole_tape(w, o, "conditions", &p->conditions);
    whole_tape(w, o, "actions", &p->actions);
    whole_tape(w, o, "samples", &p->samples);
}

// Not every model needs all helpers; compilers are told that this is meant.
static void write_uses(const Writing *w, Text *o) {
    static const char *const always[] = {"bondyn_sign", "bondyn_min",   "bondyn_max",
                                         "bondyn_mod",  "bondyn_power", "bondyn_sin",
                                         "bondyn_cos",  "model_rates",  "bondyn_margin"};
    static const char *const tables[] = {
        "bondyn_table",   "bondyn_slope",       "bondyn_table_in",     "bondyn_slope_in",
        "model_table_of", "bondyn_table_piece", "bondyn_table_outside"};
    static const char *const blocks[] = {"bondyn_block_linear", "bondyn_block_newton",
                                         "bondyn_block"};
    text_add(o, "\n// Not every model needs all of these.\nstatic void bondyn_uses(void) {\n");
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        text_printf(o, "    (void)%s;\n", always[i]);
    for (int i = 0; w->table_count && i < 7; i++) text_printf(o, "    (void)%s;\n", tables[i]);
    for (int i = 0; w->p->block_count && i < 3; i++) text_printf(o, "    (void)%s;\n", blocks[i]);
    text_add(o, "}\n");
}

static void write_data(Writing *w, Text *o) {
    const Program *p = w->p;
    const Job *j = w->job;
    if (w->table_count) write_tables(w, o);
    if (p->switch_count) write_switch_data(w, o);
    if (p->system->whens.branch_count) write_when_data(w, o);
    if (p->clock_count && w->table_count) write_clock_data(w, o);
    if (w->settle_count) {
        text_add(o, "static const struct {\n    int state, output;\n} model_settle_of[] = {\n");
        for (int k = 0, n = 0; k < j->settle_var.count; k++)
            for (int i = 0; i < p->state_count; i++)
                if (p->system->state_var[i] == j->settle_var.data[k])
                    text_printf(o, "    {%d, %d},\n", i, j->run->results.column_count - 1 + n++);
        text_add(o, "};\n");
    }
    if (w->input_count) {
        text_add(o, "static const int model_input_place[] = {");
        for (int i = 0; i < w->input_count; i++) text_printf(o, "%s%d", i ? ", " : "", w->input[i]);
        text_add(o, "};\n");
    }
    write_numbers(o, "model_constant", p->constant, (int)p->constant_count);
    const double *value = job_parameters(w->job, p);
    write_numbers(o, "model_param_value", value ? value : p->param_value, (int)p->param_count);
    int columns = j->run->results.column_count - 1;
    double *shown = ARENA_ARRAY(&w->tmp, double, 2 * columns + 1);
    for (int i = 0; i < columns; i++) {
        shown[2 * i] = j->tracks.data[i + 1].shown.scale;
        shown[2 * i + 1] = j->tracks.data[i + 1].shown.offset;
    }
    write_numbers(o, "model_column_shown", shown, 2 * columns);
}

static const char *method_section(SolverKind method) {
    return method == SOLVER_EULER ? "euler" : method == SOLVER_HEUN ? "heun" : "rk4";
}

void export_parts(const Writing *w, const char **chosen) {
    const Program *p = w->p;
    int n = 0;
    bool whens = p->system->whens.branch_count > 0, audit = !w->job->run->audit.off;
    chosen[n++] = method_section(w->job->plan.solver);
    if (p->block_count) chosen[n++] = "blocks";
    if (p->switch_count) chosen[n++] = "switches";
    if (w->table_count) chosen[n++] = "tables";
    if (whens) chosen[n++] = "whens";
    if (p->clock_count) chosen[n++] = "clocks";
    if (w->input_count) chosen[n++] = "inputs";
    if (whens && audit && w->nonlinear) chosen[n++] = "looks";
    if (p->switch_count && w->job->energy_jumps && (w->settle_count || w->nonlinear))
        chosen[n++] = "jumps";
    chosen[n++] = "always";
    chosen[n] = NULL;
}

static void write_runtime(Writing *w, Text *o) {
    const char *chosen[EXPORT_PARTS];
    export_parts(w, chosen);
    export_sections(o, asset_runtime_text, chosen);
}

static void write_helpers(Writing *w, Text *o) {
    c_scalar_helpers(o);
    if (w->options->single)
        text_add(o, "static double bondyn_sin(double x) { return sin(x); }\n"
                    "static double bondyn_cos(double x) { return cos(x); }\n");
    else
        text_add(o, asset_trig_text);
    if (w->table_count) export_kernels(o, asset_table_def, false);
    if (w->p->block_count) export_kernels(o, asset_kernels_def, w->options->single);
}

void export_source(Writing *w) {
    Text o = {0}, code = {0}, single = {0};
    text_printf(
        &o,
        "// Model %s, generated by Bondyn: C99, no library but libm, no allocation. Compiled\n"
        "// with -ffp-contract=off it gives the same bits everywhere.\n"
        "#include \"model.h\"\n\n#include <float.h>\n#include <math.h>\n#include "
        "<string.h>\n\n",
        w->e->prefix);
    write_helpers(w, &code);
    write_data(w, &code);
    if (w->p->block_count)
        text_add(&code, "\nstatic int bondyn_block(model_machine *m, int number);\n");
    if (w->p->block_count) write_blocks(w, &code);
    write_functions(w, &code);
    if (w->options->single) {
        export_single(&single, text_get(&code));
        text_add_n(&o, text_get(&single), single.length);
    } else {
        text_add_n(&o, text_get(&code), code.length);
    }
    text_printf(&o, "\n#define model_epsilon %s_EPSILON\n", w->options->single ? "FLT" : "DBL");
    if (!w->quads) text_add(&o, "\n#define model_step_rates model_rates\n");
    write_names(w, &o);
    text_char(&o, '\n');
    Text run = {0};
    write_runtime(w, &run);
    const char *uses = strstr(text_get(&run), "// --- what others call");
    size_t before = uses ? (size_t)(uses - text_get(&run)) : 0;
    text_add_n(&o, text_get(&run), before);
    write_uses(w, &o);
    text_char(&o, '\n');
    text_add(&o, text_get(&run) + before);
    export_prefixed(&w->e->source, text_get(&o), w->e->prefix);
    text_free(&run);
    text_free(&single);
    text_free(&code);
    text_free(&o);
}

// --- the program ---------------------------------------------------------------------------------

void export_main(Writing *w) {
    const Times *t = &w->job->times;
    Text o = {0};
    const char *text = asset_main_text;
    const char *at = strstr(text, "// Wanted points");
    text_add_n(&o, text, at ? (size_t)(at - text) : 0);
    text_add(&o, "#define model_row_every ");
    c_number(&o, t->every);
    text_printf(&o,
                "\nenum {\n    model_row_intervals = %ld,\n    model_row_parts = %d,\n"
                "    model_extra_count = %d\n};\n",
                t->intervals, t->parts, t->extra_count);
    text_printf(&o, "static const double extra[%d] = {", t->extra_count + 1);
    for (int i = 0; i < t->extra_count; i++) {
        c_number(&o, t->extra[i]);
        text_add(&o, ", ");
    }
    text_add(&o, "0};\n\n");
    text_add(&o, at ? at : text);
    export_prefixed(&w->e->main, text_get(&o), w->e->prefix);
    text_free(&o);
}
