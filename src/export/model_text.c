// Data and functions of an exported model.
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

static void write_names(Writing *w, Text *o) {
    const Program *p = w->p;
    const Results *r = &w->job->run->results;
    text_add(o, "\nconst model_name model_name_of[] = {\n");
    for (int i = 0; i < w->param_count; i++) write_name_row(w, o, w->param_var[i], "parameter", i);
    for (int i = 0; i < w->input_count; i++) write_name_row(w, o, w->input_var[i], "input", i);
    for (int i = 0; i < p->state_count && !has_parts(w); i++)
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
    return s->op == OP_TABLE ? 1 : (s->op == OP_CEIL ? 3 : 2) + (s->stepwise ? 2 : 0);
}

static void write_switch_data(const Writing *w, Text *o) {
    const Program *p = w->p;
    text_printf(o, "static const model_switch_info model_%sswitch_of[] = {\n", w->now->name);
    for (int i = 0; i < p->switch_count; i++) {
        const TapeSwitch *s = &p->sw[i];
        text_printf(o, "    {%d, %d, %d, %d, %d, %d},\n", kind_of_switch(s), s->or_equal,
                    s->table ? export_table(w, s->table) : 0, s->watcher, s->decides, s->jumps);
    }
    text_add(o, p->switch_count ? "};\n" : "    {0, 0, 0, -1, 0, 0}};\n");
}

static void write_settings(const Writing *w, Text *o, const char *name, const Setting *s,
                           int count) {
    text_printf(o, "static const model_setting model_%s%s[] = {", w->now->name, name);
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
    text_add(o,
             "\n// kind: 0 acts, 1 an assertion that warns, 2 one that ends the run\n"
             "static const struct {\n    int kind, group, acts, ends;\n} model_branch_of[] = {\n");
    for (int i = 0; i < n->branch_count; i++)
        text_printf(o, "    {%d, %d, %d, %d},\n",
                    m->when[i].kind == WHEN_ACTS    ? 0
                    : m->when[i].kind == WHEN_WARNS ? 1
                                                    : 2,
                    m->when[i].group, branch_acts(n, i), m->when[i].ends);
    text_add(o, "};\ntypedef struct {\n    int branch, target;\n} model_setting;\n");
    text_add(o, "static const int model_sample_initial[] = {");
    for (int i = 0; i < n->sample_count; i++) text_printf(o, "%d, ", !m->sample[i].period);
    text_add(o, "0};\n");
}

static void write_clock_data(const Writing *w, Text *o) {
    text_printf(o, "static const int model_%sclock_table[] = {", w->now->name);
    for (int i = 0; i < w->p->clock_count; i++) {
        const Table *t = w->p->clock[i].table;
        text_printf(o, "%d, ", t ? export_table(w, t) : -1);
    }
    text_add(o, "-1};\n");
}

// --- functions -----------------------------------------------------------------------------------

static void tape(Writing *w, Text *o, const char *name, const TapeFunction *f, int count,
                 const uint32_t *result, int result_count) {
    Text full = {0};
    text_printf(&full, "%s%s", w->now->name, name);
    export_tape(w, o, text_get(&full), f, count, result, result_count);
    text_free(&full);
}

static void whole_tape(Writing *w, Text *o, const char *name, const TapeFunction *f) {
    tape(w, o, name, f, f->count, f->result, f->result_count);
}

static void write_part_functions(Writing *w, Text *o) {
    const Program *p = w->p;
    tape(w, o, "prepare", &p->prepare, p->prepare.count, NULL, 0);
    tape(w, o, "outputs_code", &p->outputs, p->outputs.count, w->output, w->output_count);
    if (w->now->jump) return;
    tape(w, o, "rates", &p->derivative, p->rate_code, p->derivative.result, p->state_count);
    if (w->quads)
        tape(w, o, "step_rates", &p->derivative, p->derivative.count, p->derivative.result,
             p->state_count);
    if (w->most.switches) whole_tape(w, o, "switches", &p->switches);
    if (has_clocks(w)) whole_tape(w, o, "clocks", &p->clocks);
    if (has_selections(w)) whole_tape(w, o, "selections_start", &p->start_choices);
    if (has_selections(w)) whole_tape(w, o, "selections", &p->choices);
    if (has_parts(w)) whole_tape(w, o, "guards", &p->guards);
    if (has_parts(w)) whole_tape(w, o, "memory", &p->memory);
    if (!p->system->whens.branch_count) return;
    whole_tape(w, o, "conditions", &p->conditions);
    whole_tape(w, o, "actions", &p->actions);
}

// Of the start of a run, then of all its programs.
static void write_functions(Writing *w, Text *o) {
    const TapeFunction *i = &w->p->initial, *h = &w->p->held_start, *s = &w->p->samples;
    export_tape(w, o, "held_start", h, h->count, h->result, h->result_count);
    export_tape(w, o, "initial", i, i->count, i->result, w->p->state_count);
    if (w->p->system->whens.branch_count)
        export_tape(w, o, "samples", s, s->count, s->result, s->result_count);
    if (has_past(w)) {
        whole_tape(w, o, "delays", &w->p->delays);
        whole_tape(w, o, "delay_times", &w->p->delay_times);
        whole_tape(w, o, "befores", &w->p->befores);
    }
    for (int k = 0; k < w->part_count; k++) {
        if (k) export_turn_to(w, k);
        if (k) export_blocks(w, o);
        write_part_functions(w, o);
    }
    if (w->part_count > 1) export_turn_to(w, 0);
}

// Not every model needs all helpers; compilers are told that this is meant.
static void write_uses(const Writing *w, Text *o) {
    static const char *const always[] = {"bondyn_sign",    "bondyn_min",    "bondyn_max",
                                         "bondyn_mod",     "bondyn_power",  "bondyn_sin",
                                         "bondyn_cos",     "bondyn_sincos", "bondyn_margin",
                                         "bondyn_sincos2", "bondyn_sincos4"};
    static const char *const tables[] = {
        "bondyn_table",   "bondyn_slope",       "bondyn_table_in",     "bondyn_slope_in",
        "model_table_of", "bondyn_table_piece", "bondyn_table_outside"};
    static const char *const blocks[] = {"bondyn_block_linear", "bondyn_block_newton",
                                         "bondyn_block"};
    text_add(o, "\n// Not every model needs all of these.\nstatic void bondyn_uses(void) {\n");
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        text_printf(o, "    (void)%s;\n", always[i]);
    for (int i = 0; w->table_count && i < 7; i++) text_printf(o, "    (void)%s;\n", tables[i]);
    for (int i = 0; w->most.blocks && i < 3; i++) text_printf(o, "    (void)%s;\n", blocks[i]);
    if (!has_parts(w)) text_add(o, "    (void)model_rates;\n");
    text_add(o, "}\n");
}

static void write_settle_data(const Writing *w, Text *o) {
    const Job *j = w->job;
    const Program *p = w->p;
    text_printf(o, "static const model_settling model_%ssettle_of[] = {\n", w->now->name);
    for (int k = 0, n = 0; k < j->settle_var.count; k++)
        for (int i = 0; i < p->state_count; i++)
            if (p->system->state_var[i] == j->settle_var.data[k])
                text_printf(o, "    {%d, %d},\n", i, j->run->results.column_count - 1 + n++);
    text_add(o, "    {0, 0}};\n");
}

static void write_part_data(const Writing *w, Text *o) {
    const Whens *n = &w->p->system->whens;
    Text name = {0};
    text_printf(&name, "model_%sconstant", w->now->name);
    write_numbers(o, text_get(&name), w->p->constant, (int)w->p->constant_count);
    text_free(&name);
    if (has_parts(w) && w->most.blocks) export_begins(w, o);
    if (w->now->jump) return;
    if (w->most.switches) write_switch_data(w, o);
    if (n->branch_count) write_settings(w, o, "set_of", n->set, n->set_count);
    if (n->branch_count) write_settings(w, o, "reset_of", n->reset, n->reset_count);
    if (has_clocks(w)) write_clock_data(w, o);
    if (w->most.settles) write_settle_data(w, o);
    if (has_selections(w)) export_selections(w, o);
    if (has_loops(w)) export_loops(w, o);
}

static const char data_types[] =
    "\ntypedef struct { // kind: 0 a relation, 1 a table, 2 floor, 3 ceil\n"
    "    int kind, or_equal, table, watcher, decides, jumps;\n} model_switch_info;\n";
static const char settle_type[] = "typedef struct {\n    int state, output;\n} model_settling;\n";

// What no relation of the model has need not be asked for at every step.
static void write_switch_kinds(const Writing *w, Text *o) {
    bool pieces = false, watchers = false, jumps = false;
    for (int k = 0; k < w->part_count; k++)
        for (int i = 0; i < w->part[k].p->switch_count; i++) {
            const TapeSwitch *s = &w->part[k].p->sw[i];
            pieces = pieces || kind_of_switch(s) != 0;
            watchers = watchers || s->watcher >= 0;
            jumps = jumps || s->jumps;
        }
    text_printf(o,
                "enum { model_has_pieces = %d, model_has_watchers = %d, model_has_jumps = %d };\n",
                pieces, watchers, jumps);
}

// Values of all parameters.
static void write_param_values(Writing *w, Text *o) {
    double *value = ARENA_ARRAY(&w->tmp, double, w->param_count + 1);
    for (int k = w->part_count - 1; k >= 0; k--) {
        const Program *p = w->part[k].p;
        const double *own = job_parameters(w->job, p);
        for (int i = 0; i < w->param_count; i++)
            for (uint32_t n = 0; n < p->param_count; n++)
                if (p->param_var[n] == w->param_var[i]) value[i] = (own ? own : p->param_value)[n];
    }
    write_numbers(o, "model_param_value", value, w->param_count);
}

static void write_data(Writing *w, Text *o) {
    const Job *j = w->job;
    if (w->table_count) write_tables(w, o);
    if (w->most.switches) text_add(o, data_types);
    if (w->most.switches) write_switch_kinds(w, o);
    if (w->most.settles) text_add(o, settle_type);
    if (has_selections(w)) export_selection_types(o);
    if (w->p->system->whens.branch_count) write_when_data(w, o);
    for (int k = 0; k < w->part_count; k++) {
        w->now = &w->part[k];
        w->p = w->now->p;
        write_part_data(w, o);
    }
    w->now = w->part;
    w->p = w->base;
    if (w->input_count) {
        text_add(o, "static const int model_input_place[] = {");
        for (int i = 0; i < w->input_count; i++) text_printf(o, "%s%d", i ? ", " : "", w->input[i]);
        text_add(o, "};\n");
    }
    if (has_past(w)) export_past(w, o);
    write_param_values(w, o);
    int columns = j->run->results.column_count - 1;
    double *shown = ARENA_ARRAY(&w->tmp, double, 2 * columns + 1);
    for (int i = 0; i < columns; i++) {
        shown[2 * i] = j->tracks.data[i + 1].shown.scale;
        shown[2 * i + 1] = j->tracks.data[i + 1].shown.offset;
    }
    write_numbers(o, "model_column_shown", shown, 2 * columns);
}

static const char *method_section(SolverKind method) {
    switch (method) {
    case SOLVER_EULER: return "euler";
    case SOLVER_HEUN: return "heun";
    case SOLVER_RK78: return "rk78";
    default: return "rk4";
    }
}

void export_parts(const Writing *w, const char **chosen) {
    const Most *p = &w->most;
    int n = 0;
    bool whens = w->p->system->whens.branch_count > 0, audit = !w->job->run->audit.off;
    chosen[n++] = method_section(w->job->plan.solver);
    if (p->blocks) chosen[n++] = "blocks";
    if (p->switches) chosen[n++] = "switches";
    if (w->table_count) chosen[n++] = "tables";
    if (whens) chosen[n++] = "whens";
    if (p->clocks) chosen[n++] = "clocks";
    if (whens || has_parts(w)) chosen[n++] = "gaps";
    chosen[n++] = has_parts(w) ? "modes" : "plain";
    if (w->input_count) chosen[n++] = "inputs";
    if (has_selections(w)) chosen[n++] = "selection";
    chosen[n++] = has_loops(w) ? "folds" : "unique";
    if (has_past(w)) chosen[n++] = "past";
    if (whens && audit && w->nonlinear) chosen[n++] = "looks";
    if (p->switches && w->job->energy_jumps && (p->settles || w->nonlinear)) chosen[n++] = "jumps";
    chosen[n++] = "always";
    chosen[n] = NULL;
}

static void write_runtime(Writing *w, Text *o) {
    const char *chosen[EXPORT_PARTS];
    export_parts(w, chosen);
    Text text = {0};
    text_add(&text, asset_runtime_text);
    text_add(&text, asset_steps_text);
    if (has_loops(w)) text_add(&text, asset_folds_text);
    if (has_selections(w)) text_add(&text, asset_selection_text);
    if (has_past(w)) text_add(&text, asset_past_text);
    text_add(&text, "//? switches\n");
    if (has_parts(w)) text_add(&text, asset_modes_text);
    text_add(&text, "//? switches\n");
    text_add(&text, asset_events_text); // they ask modes, which stand before them
    export_sections(o, text_get(&text), chosen);
    text_free(&text);
}

static void write_helpers(Writing *w, Text *o) {
    c_scalar_helpers(o);
    if (w->options->single)
        text_add(o,
                 "static double bondyn_sin(double x) { return sin(x); }\n"
                 "static double bondyn_cos(double x) { return cos(x); }\n"
                 "static void bondyn_sincos(double x, double *s, double *c) {\n"
                 "    *s = sin(x);\n    *c = cos(x);\n}\n"
                 "static void bondyn_sincos2(double a, double b, double *s, double *c) {\n"
                 "    bondyn_sincos(a, s, c);\n    bondyn_sincos(b, s + 1, c + 1);\n}\n"
                 "static void bondyn_sincos4(double a, double b, double c, double d, double *sine, "
                 "double *cosine) {\n    bondyn_sincos2(a, b, sine, cosine);\n"
                 "    bondyn_sincos2(c, d, sine + 2, cosine + 2);\n}\n");
    else
        text_add(o, asset_trig_text);
    if (w->table_count) export_kernels(o, asset_table_def, false);
    if (w->most.blocks) export_kernels(o, asset_kernels_def, w->options->single);
}

// One binary for all processors: with BONDYN_CLONES what is called most is compiled twice, and the processor at hand
// decides. Without multiplications that are added in one rounding, so both give the same bits.
static const char fast_text[] =
    "#if defined(BONDYN_CLONES) && defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) "
    "&& !defined(__clang__)\n"
    "#define BONDYN_FAST __attribute__((target_clones(\"avx2\", \"default\"), optimize(\"O3\", "
    "\"no-math-errno\", \"no-trapping-math\")))\n"
    "#else\n#define BONDYN_FAST\n#endif\n";

void export_source(Writing *w) {
    Text o = {0}, code = {0}, single = {0};
    text_printf(
        &o,
        "// Model %s, generated by Bondyn: C99, no library but libm, no allocation. Compiled\n"
        "// with -ffp-contract=off it gives the same bits everywhere.\n"
        "#include \"model.h\"\n\n#include <float.h>\n#include <math.h>\n#include "
        "<string.h>\n\n",
        w->e->prefix);
    text_add(&code, fast_text);
    write_helpers(w, &code);
    write_data(w, &code);
    if (w->most.blocks)
        text_add(&code, "\nstatic int bondyn_block(model_machine *m, int number);\n");
    if (w->most.blocks) export_blocks(w, &code);
    write_functions(w, &code);
    if (w->most.blocks) export_block_table(w, &code);
    if (has_parts(w)) export_modes(w, &code);
    if (w->options->single) {
        export_single(&single, text_get(&code));
        text_add_n(&o, text_get(&single), single.length);
    } else {
        text_add_n(&o, text_get(&code), code.length);
    }
    const char *real = w->options->single ? "FLT" : "DBL";
    text_printf(&o, "\n#define model_epsilon %s_EPSILON\n#define model_largest %s_MAX\n", real,
                real);
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
    text_clear(&code);
    if (has_parts(w)) export_banks(&code, text_get(&o));
    export_prefixed(&w->e->source, text_get(has_parts(w) ? &code : &o), w->e->prefix);
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
