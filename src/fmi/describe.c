// modelDescription.xml: what other tools have to know to use the FMU.
#include "fmi/inside.h"

static void attribute(Text *out, const char *name, const char *value) {
    text_printf(out, " %s=\"", name);
    text_xml(out, value);
    text_char(out, '"');
}

static void number(Text *out, const char *name, double value) {
    text_printf(out, " %s=\"", name);
    text_number(out, value);
    text_char(out, '"');
}

static void write_head(Text *out, FmuWriting *u) {
    const Model *m = u->model;
    text_add(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\"");
    attribute(out, "modelName", name_text(m->names, m->name));
    attribute(out, "guid", u->guid);
    if (*name_text(m->names, m->text)) attribute(out, "description", name_text(m->names, m->text));
    attribute(out, "generationTool", "Bondyn " BONDYN_VERSION);
    attribute(out, "variableNamingConvention", u->renamed ? "flat" : "structured");
    text_printf(out, " numberOfEventIndicators=\"%d\">\n", u->w.p->switch_count);
}

static void write_kind(Text *out, const FmuWriting *u, const char *name, const char *more) {
    text_printf(out, "  <%s", name);
    attribute(out, "modelIdentifier", u->e.prefix);
    text_printf(out,
                " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
                "providesDirectionalDerivative=\"true\" %s>\n"
                "    <SourceFiles>\n      <File name=\"fmi2.c\"/>\n    </SourceFiles>\n  </%s>\n",
                more, name);
}

static void write_experiment(Text *out, const FmuWriting *u) {
    const Experiment *x = &u->w.job->plan;
    text_add(out,
             "  <LogCategories>\n"
             "    <Category name=\"logStatusError\" description=\"what cannot go on, and why\"/>\n"
             "    <Category name=\"logStatusDiscard\" description=\"a point or a call that gives "
             "no values\"/>\n  </LogCategories>\n");
    text_add(out, "  <DefaultExperiment");
    number(out, "startTime", x->start);
    number(out, "stopTime", x->stop);
    if (x->rtol > 0) number(out, "tolerance", x->rtol);
    number(out, "stepSize", u->f->step);
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

double fmu_nominal(const FmuWriting *u, int state) {
    double start = u->w.p->start ? u->w.p->start[state] : 0, size = start < 0 ? -start : start;
    return size > 0 && size < 1e300 ? size : 1;
}

static void write_real(Text *out, const FmuWriting *u, const FmuVariable *v) {
    text_add(out, "      <Real");
    if (v->unit) attribute(out, "unit", v->unit);
    if (v->display) attribute(out, "displayUnit", v->display);
    if (v->kind == FMU_STATE && fmu_nominal(u, v->place) != 1)
        number(out, "nominal", fmu_nominal(u, v->place));
    if (v->kind == FMU_PARAM || v->kind == FMU_INPUT) number(out, "start", v->start);
    if (v->kind == FMU_RATE)
        text_printf(out, " derivative=\"%d\"", u->first[FMU_STATE] + v->place + 1);
    text_add(out, "/>\n");
}

static void write_variable(Text *out, const FmuWriting *u, int i) {
    const FmuVariable *v = &u->variable[i];
    const char *about = v->var > 0 && v->kind != FMU_RATE
                            ? name_text(u->model->names, u->model->var[v->var].text)
                            : "";
    text_printf(out, "    <!-- %d -->\n    <ScalarVariable", i + 1);
    attribute(out, "name", v->name);
    text_printf(out, " valueReference=\"%d\"", i);
    if (about && *about) attribute(out, "description", about);
    attribute(out, "causality", causality_of(v));
    attribute(out, "variability", variability_of(u, v));
    if (v->kind == FMU_PARAM) attribute(out, "initial", "exact");
    if (v->kind >= FMU_STATE) attribute(out, "initial", "calculated");
    text_add(out, ">\n");
    write_real(out, u, v);
    text_add(out, "    </ScalarVariable>\n");
}

void fmu_description(Text *out, FmuWriting *u) {
    write_head(out, u);
    if (u->options->exchange)
        write_kind(out, u, "ModelExchange", "completedIntegratorStepNotNeeded=\"true\"");
    if (u->options->steps)
        write_kind(out, u, "CoSimulation", "canHandleVariableCommunicationStepSize=\"true\"");
    fmu_units_xml(out, u);
    write_experiment(out, u);
    text_add(out, "  <ModelVariables>\n");
    for (int i = 0; i < u->count; i++) write_variable(out, u, i);
    text_add(out, "  </ModelVariables>\n");
    fmu_structure(out, u);
    text_add(out, "</fmiModelDescription>\n");
}
