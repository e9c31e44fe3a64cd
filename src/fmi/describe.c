// modelDescription.xml: what other tools have to know to use the FMU.
#include "fmi/inside.h"

void fmu_attribute(Text *out, const char *name, const char *value) {
    text_printf(out, " %s=\"", name);
    text_xml(out, value);
    text_char(out, '"');
}

static void fmu_number(Text *out, const char *name, double value) {
    text_printf(out, " %s=\"", name);
    text_number(out, value);
    text_char(out, '"');
}

static bool is_three(const FmuWriting *u) { return u->options->version == 3; }

static void write_head(Text *out, FmuWriting *u) {
    const Model *m = u->model;
    text_printf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription "
                "fmiVersion=\"%d.0\"",
                u->options->version);
    fmu_attribute(out, "modelName", name_text(m->names, m->name));
    fmu_attribute(out, is_three(u) ? "instantiationToken" : "guid", u->guid);
    if (*name_text(m->names, m->text))
        fmu_attribute(out, "description", name_text(m->names, m->text));
    fmu_attribute(out, "generationTool", "Bondyn " BONDYN_VERSION);
    fmu_attribute(out, "variableNamingConvention", u->renamed ? "flat" : "structured");
    if (!is_three(u)) text_printf(out, " numberOfEventIndicators=\"%d\"", u->indicators);
    text_add(out, ">\n");
}

static void write_kind2(Text *out, const FmuWriting *u, const char *name, const char *more) {
    text_printf(out, "  <%s", name);
    fmu_attribute(out, "modelIdentifier", u->e.prefix);
    text_printf(out,
                " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
                "providesDirectionalDerivative=\"true\" %s>\n"
                "%s  </%s>\n",
                more,
                u->inner == FMU_CVODE
                    ? ""
                    : "    <SourceFiles>\n      <File name=\"fmi2.c\"/>\n    </SourceFiles>\n",
                name);
}

static void write_kind3(Text *out, const FmuWriting *u, const char *name, const char *more) {
    text_printf(out, "  <%s", name);
    fmu_attribute(out, "modelIdentifier", u->e.prefix);
    text_printf(out,
                " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
                "providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"%s/>\n",
                more);
}

// Is the end of each step of a master needed, for a choice of states or a branch of solutions?
static bool needs_steps(const FmuWriting *u) { return has_selections(&u->w) || has_loops(&u->w); }

static void write_kinds(Text *out, const FmuWriting *u) {
    if (is_three(u)) {
        if (u->options->exchange)
            write_kind3(out, u, "ModelExchange",
                        needs_steps(u) ? " needsCompletedIntegratorStep=\"true\"" : "");
        if (u->options->steps)
            write_kind3(out, u, "CoSimulation",
                        " canHandleVariableCommunicationStepSize=\"true\" "
                        "providesIntermediateUpdate=\"true\" mightReturnEarlyFromDoStep=\"true\" "
                        "canReturnEarlyAfterIntermediateUpdate=\"true\" hasEventMode=\"true\"");
        return;
    }
    if (u->options->exchange)
        write_kind2(out, u, "ModelExchange",
                    needs_steps(u) ? "" : "completedIntegratorStepNotNeeded=\"true\"");
    if (u->options->steps)
        write_kind2(out, u, "CoSimulation", "canHandleVariableCommunicationStepSize=\"true\"");
}

static void write_experiment(Text *out, const FmuWriting *u) {
    const Experiment *x = &u->w.job->plan;
    text_add(out,
             "  <LogCategories>\n"
             "    <Category name=\"logStatusError\" description=\"what cannot go on, and why\"/>\n"
             "    <Category name=\"logStatusDiscard\" description=\"a point or a call that gives "
             "no values\"/>\n  </LogCategories>\n");
    text_add(out, "  <DefaultExperiment");
    fmu_number(out, "startTime", x->start);
    fmu_number(out, "stopTime", x->stop);
    if (x->rtol > 0) fmu_number(out, "tolerance", x->rtol);
    fmu_number(out, "stepSize", u->f->step);
    text_add(out, "/>\n");
}

// --- variables ------------------------------------------------------------------------------------

static const char *causality_of(const FmuVariable *v) {
    switch (v->kind) {
    case FMU_TIME: return "independent";
    case FMU_PARAM: return "parameter";
    case FMU_INPUT: return "input";
    default: return v->output ? "output" : "local";
    }
}

static const char *variability_of(const FmuWriting *u, const FmuVariable *v) {
    if (v->kind == FMU_PARAM) return v->tunable ? "tunable" : "fixed";
    bool jumps = v->kind == FMU_COLUMN && u->model->var[v->var].kind == VAR_DISCRETE;
    return jumps ? "discrete" : "continuous";
}

static double nominal_of(const FmuWriting *u, int state) {
    if (u->w.p->system->state_var[state] < 0) return 1; // what it is changes with the choice
    double start = u->w.p->start ? u->w.p->start[state] : 0, size = start < 0 ? -start : start;
    return size > 0 && size < 1e300 ? size : 1;
}

// The largest of an array: all its elements have the same.
double fmu_nominal(const FmuWriting *u, int state) {
    if (has_parts(&u->w)) return 1; // what a slot is changes with the mode
    const FmuEntry *e = &u->entry[u->entry_of[u->first[FMU_STATE] + state]];
    double most = 0;
    for (int i = 0; i < e->count; i++) {
        double one = nominal_of(u, e->first - u->first[FMU_STATE] + i);
        if (one > most) most = one;
    }
    return most;
}

static void write_start(Text *out, const FmuWriting *u, const FmuEntry *e) {
    text_add(out, " start=\"");
    for (int i = 0; i < e->count; i++) {
        if (i) text_char(out, ' ');
        text_number(out, u->variable[e->first + i].start);
    }
    text_char(out, '"');
}

static void write_number(Text *out, const FmuWriting *u, const FmuEntry *e) {
    const FmuVariable *v = &u->variable[e->first];
    if (v->unit) fmu_attribute(out, "unit", v->unit);
    if (v->display) fmu_attribute(out, "displayUnit", v->display);
    if (v->kind == FMU_STATE && fmu_nominal(u, v->place) != 1)
        fmu_number(out, "nominal", fmu_nominal(u, v->place));
    if (v->kind == FMU_PARAM || v->kind == FMU_INPUT) write_start(out, u, e);
    if (v->kind == FMU_RATE)
        text_printf(out, " derivative=\"%d\"",
                    u->entry_of[u->first[FMU_STATE] + v->place] + (is_three(u) ? 0 : 1));
}

static void write_common(Text *out, const FmuWriting *u, int i) {
    const FmuEntry *e = &u->entry[i];
    const FmuVariable *v = &u->variable[e->first];
    const char *about = v->var > 0 && v->kind != FMU_RATE
                            ? name_text(u->model->names, u->model->var[v->var].text)
                            : "";
    fmu_attribute(out, "name", e->name);
    text_printf(out, " valueReference=\"%d\"", i);
    if (about && *about) fmu_attribute(out, "description", about);
    fmu_attribute(out, "causality", causality_of(v));
    fmu_attribute(out, "variability", variability_of(u, v));
    if (v->kind == FMU_PARAM) fmu_attribute(out, "initial", "exact");
    if (v->kind >= FMU_STATE) fmu_attribute(out, "initial", "calculated");
}

static void write_variable2(Text *out, const FmuWriting *u, int i) {
    text_printf(out, "    <!-- %d -->\n    <ScalarVariable", i + 1);
    write_common(out, u, i);
    text_add(out, ">\n      <Real");
    write_number(out, u, &u->entry[i]);
    text_add(out, "/>\n    </ScalarVariable>\n");
}

static void write_variable3(Text *out, const FmuWriting *u, int i) {
    const FmuEntry *e = &u->entry[i];
    text_add(out, "    <Float64");
    write_common(out, u, i);
    write_number(out, u, e);
    text_add(out, e->dims ? ">\n" : "/>\n");
    for (int k = 0; k < e->dims; k++)
        text_printf(out, "      <Dimension start=\"%d\"/>\n", e->size[k]);
    if (e->dims) text_add(out, "    </Float64>\n");
}

void fmu_description(Text *out, FmuWriting *u) {
    write_head(out, u);
    write_kinds(out, u);
    fmu_units_xml(out, u);
    write_experiment(out, u);
    text_add(out, "  <ModelVariables>\n");
    for (int i = 0; i < u->entries; i++)
        (is_three(u) ? write_variable3 : write_variable2)(out, u, i);
    text_add(out, "  </ModelVariables>\n");
    fmu_structure(out, u);
    text_add(out, "</fmiModelDescription>\n");
}
