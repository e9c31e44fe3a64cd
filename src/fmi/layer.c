// sources/fmi2.c or fmi3.c: the functions of the standard around the exported model. One file with all in it, so that nothing
// but these functions has to be seen from outside.
#include "fmi/inside.h"

#include "engine/c_output.h"

static uint32_t most_registers(const Writing *w) {
    uint32_t most = 0;
    for (int k = 0; k < w->part_count; k++)
        if (w->part[k].p->register_count > most) most = w->part[k].p->register_count;
    return most;
}

static void write_references(Text *o, const FmuWriting *u) {
    static const char *const kind[] = {"time", "param",  "input",     "state",
                                       "rate", "column", "indicator", "count"};
    text_add(o, "enum { // value references, one after the other\n");
    for (int i = FMU_PARAM; i <= FMU_KINDS; i++)
        text_printf(o, "    model_reference_%s = %d,\n", kind[i], u->first[i]);
    text_printf(o, "    model_variable_count = %d,\n", u->entries);
    text_printf(o,
                "    model_has_exchange = %d,\n    model_has_steps = %d,\n"
                "    model_slot_count = %d,\n    model_indicator_count = %d,\n"
                "    model_column_room = %d,\n    model_register_count = %u,\n    model_kept_count "
                "= %ld\n};\n",
                u->options->exchange, u->options->steps, u->slots, u->indicators, u->w.most.columns,
                most_registers(&u->w), u->w.most.registers);
}

// Steps lead beyond communication points where nothing may change there: without inputs, and without signals of time or
// events that only a short step sees.
static bool looks_beyond(const FmuWriting *u) {
    const Writing *w = &u->w;
    bool beyond = !w->input_count && !w->p->system->whens.rate_bound_count;
    for (int k = 0; k < w->part_count; k++)
        beyond = beyond && !w->part[k].p->signal_count && !w->part[k].p->time_function_count;
    return beyond;
}

static void write_tolerances(Text *o, const FmuWriting *u) {
    const Experiment *x = &u->w.job->plan;
    const struct {
        const char *name;
        double value;
    } real[] = {{"rtol", x->rtol > 0 ? x->rtol : 1e-6},
                {"atol", x->atol},
                {"max_step", x->max_step},
                {"min_step", x->min_step}};
    if (u->inner == FMU_FIXED) return;
    text_printf(o, "enum { %s = %d };\n",
                u->inner == FMU_CVODE ? "model_is_adams" : "model_looks_beyond",
                u->inner == FMU_CVODE ? x->solver == SOLVER_CVODE_ADAMS : looks_beyond(u));
    for (int i = 0; i < (u->inner == FMU_CVODE ? 2 : 4); i++) {
        text_printf(o, "static const double model_%s = ", real[i].name);
        c_number(o, real[i].value);
        text_add(o, ";\n");
    }
}

static void write_tables(Text *o, const FmuWriting *u) {
    text_add(o, "static const unsigned char model_is_tunable[] = {");
    for (int i = u->first[FMU_PARAM]; i < u->first[FMU_INPUT]; i++)
        text_printf(o, "%d, ", u->variable[i].tunable);
    text_add(o, "0};\nstatic const int model_param_of[] = {");
    for (int i = u->first[FMU_PARAM]; i < u->first[FMU_INPUT]; i++)
        text_printf(o, "%d, ", u->variable[i].place);
    text_add(o, "0};\nstatic const int model_output_of[] = {");
    for (int i = u->first[FMU_COLUMN]; i < u->first[FMU_INDICATOR]; i++)
        text_printf(o, "%d, ", u->variable[i].place);
    text_add(o, "0};\nstatic const double model_nominal[] = {");
    for (int i = 0; i < u->slots; i++) {
        c_number(o, fmu_nominal(u, i));
        text_add(o, ", ");
    }
    text_add(o, "0};\n");
    write_tolerances(o, u);
    if (u->options->version != 3) return;
    text_add(o,
             "static const unsigned model_element[] = { // of each variable the first one\n    ");
    for (int i = 0; i < u->entries; i++) text_printf(o, "%d, ", u->entry[i].first);
    text_printf(o, "%d};\n", u->count);
}

// Sets of equations of all programs, in the order of model_block_of.
static void write_block_tangents(Text *o, FmuWriting *u) {
    Writing *w = &u->w;
    Text name = {0};
    for (int k = 0; k < w->part_count; k++) {
        if (w->part_count > 1) export_turn_to(w, k);
        for (int i = 0; i < w->p->block_count; i++) {
            const TapeFunction *f = &w->p->block[i].residual;
            text_clear(&name);
            text_printf(&name, "residual%d_tangent", w->now->first_block + i);
            export_tangent(w, o, text_get(&name), f, f->count, f->result, f->result_count);
        }
    }
    if (w->part_count > 1) export_turn_to(w, 0);
    text_add(
        o, "\nstatic int (*const model_residual_tangent_of[])(model_machine *m, double *d, double "
           "*result, double *along) = {\n");
    for (int i = 0; i < w->most.blocks; i++) text_printf(o, "    model_residual%d_tangent,\n", i);
    text_add(o, "    0};\n\n");
    text_free(&name);
}

static void write_tangent(FmuWriting *u, Text *o, const char *name, const TapeFunction *f,
                          int count, const uint32_t *result, int result_count) {
    export_tangent(&u->w, o, arena_printf(&u->arena, "%s%s_tangent", u->w.now->name, name), f,
                   count, result, result_count);
}

// Of the present program.
static void write_part_tangents(Text *o, FmuWriting *u) {
    const Writing *w = &u->w;
    const Program *p = w->p;
    write_tangent(u, o, "prepare", &p->prepare, p->prepare.count, NULL, 0);
    write_tangent(u, o, "rates", &p->derivative, p->rate_code, p->derivative.result,
                  p->state_count);
    write_tangent(u, o, "outputs_code", &p->outputs, p->outputs.count, w->output, w->output_count);
}

static const char tangent_type[] =
    "\nstatic const struct { // of each program; 0: of a jump\n"
    "    int (*prepare)(model_machine *m, double *d);\n"
    "    int (*rates)(model_machine *m, double *d, double *result, double *along);\n"
    "    int (*outputs)(model_machine *m, double *d, double *result, double *along);\n"
    "} model_tangent_of[] = {\n";
static const char tangent_names[] =
    "};\n"
    "#define model_prepare_tangent(m, d) (model_tangent_of[(m)->present].prepare((m), (d)))\n"
    "#define model_rates_tangent(m, d, x, a) (model_tangent_of[(m)->present].rates((m), (d), (x), "
    "(a)))\n"
    "#define model_outputs_code_tangent(m, d, x, a) (model_tangent_of[(m)->present].outputs((m), "
    "(d), (x), (a)))\n";

// Names mean those of the present program, as in the text of the model.
static void write_mode_tangents(Text *o, FmuWriting *u) {
    Writing *w = &u->w;
    for (int k = 0; k < w->part_count; k++) {
        if (w->part[k].jump) continue;
        export_turn_to(w, k);
        write_part_tangents(o, u);
    }
    export_turn_to(w, 0);
    text_add(o, tangent_type);
    for (int k = 0; k < w->part_count; k++) {
        const char *name = w->part[k].name;
        if (w->part[k].jump)
            text_add(o, "    {0, 0, 0},\n");
        else
            text_printf(o,
                        "    {model_%sprepare_tangent, model_%srates_tangent, "
                        "model_%soutputs_code_tangent},\n",
                        name, name, name);
    }
    text_add(o, tangent_names);
}

static void write_tangents(Text *o, FmuWriting *u) {
    const Program *p = u->w.p;
    if (has_parts(&u->w)) {
        write_mode_tangents(o, u);
        return;
    }
    write_tangent(u, o, "held_start", &p->held_start, p->held_start.count, p->held_start.result,
                  p->held_start.result_count);
    write_tangent(u, o, "initial", &p->initial, p->initial.count, p->initial.result,
                  p->state_count);
    write_part_tangents(o, u);
}

// A part of a text up to the line that begins with `mark`, and what follows it.
static const char *text_until(Text *out, const char *text, const char *mark) {
    const char *at = strstr(text, mark);
    if (!at) at = text + strlen(text);
    text_add_n(out, text, (size_t)(at - text));
    return at;
}

static const char caller2[] = "typedef fmi2CallbackFunctions model_caller;\n\n";
static const char caller3[] =
    "typedef struct {\n    fmi3InstanceEnvironment environment;\n    fmi3LogMessageCallback log;\n"
    "    fmi3IntermediateUpdateCallback update;\n} model_caller;\n\n";

static void write_top(Text *o, const FmuWriting *u) {
    int version = u->options->version;
    text_printf(
        o,
        "// Model %s behind the functions of FMI %d, generated by Bondyn. Everything is in this "
        "file:\n// cc -std=c99 -O2 -ffp-contract=off -shared -fPIC "
        "-DFMI%d_OVERRIDE_FUNCTION_PREFIX fmi%d.c -lm\n"
        "#define FMI%d_FUNCTION_PREFIX model_\n#include \"fmi%dFunctions.h\"\n\n"
        "#include \"model.c\"\n\n#include <stdio.h>\n#include <stdlib.h>\n\n"
        "static const char model_guid[] = ",
        u->e.prefix, version, version, version, version, version);
    text_json(o, u->guid);
    text_add(o, ";\nstatic const char model_title[] = ");
    text_json(o, u->e.prefix);
    text_add(o, ";\n\n");
    text_add(o, version == 3 ? caller3 : caller2);
}

void fmu_source(Text *out, FmuWriting *u) {
    static const char *const steps[] = {"fixed", "cvode", "rk78"};
    Text o = {0}, helpers = {0};
    const char *chosen[EXPORT_PARTS + 3];
    export_parts(&u->w, chosen);
    int parts = 0;
    while (chosen[parts]) parts++;
    chosen[parts++] = steps[u->inner];
    if (u->indicators) chosen[parts++] = "indicators";
    chosen[parts] = NULL;
    write_top(&o, u);
    write_references(&o, u);
    write_tables(&o, u);
    export_sections(&helpers, asset_tangent_text, chosen);
    const char *rest = text_until(&o, text_get(&helpers), "// --- blocks");
    if (u->w.most.blocks) {
        text_add(&o, "static int bondyn_block_tangent(model_machine *m, int number, double *d);\n");
        write_block_tangents(&o, u);
        text_add(&o, rest);
    }
    write_tangents(&o, u);
    text_char(&o, '\n');
    text_clear(&helpers);
    text_add(&helpers, asset_core_text);
    text_add(&helpers, asset_kinds_text);
    export_sections(&o, text_get(&helpers), chosen);
    if (u->inner == FMU_CVODE) export_sections(&o, asset_cvode_text, chosen);
    if (u->inner == FMU_RK78) {
        text_add(&o, "#define VALUE double\n");
        export_kernels(&o, asset_rk78_def, false);
        export_sections(&o, asset_rk78_text, chosen);
    }
    export_sections(&o, u->options->version == 3 ? asset_fmi3_text : asset_fmi2_text, chosen);
    text_clear(&helpers);
    if (has_parts(&u->w)) export_banks(&helpers, text_get(&o));
    export_prefixed(out, text_get(has_parts(&u->w) ? &helpers : &o), u->e.prefix);
    text_free(&helpers);
    text_free(&o);
}
