// OspModelDescription.xml: power ports as groups of variables, for the Open Simulation Platform. A port is a source
// whose effort or flow is an input of the model; what it answers with is an output. Their product is the power into
// the model.
#include "fmi/inside.h"

typedef struct { // powers of kg, m, s, A
    int effort[4], flow[4];
    const char *port, *effort_name, *flow_name;
} PortKind;

static const PortKind kinds[] = {
    {{1, 1, -2, 0}, {0, 1, -1, 0}, "LinearMechanicalPort", "Force", "LinearVelocity"},
    {{1, 2, -2, 0}, {0, 0, -1, 0}, "AngularMechanicalPort", "Torque", "AngularVelocity"},
    {{1, 2, -3, -1}, {0, 0, 0, 1}, "ElectromagneticPort", "Voltage", "Current"},
    {{1, -1, -2, 0}, {0, 3, -1, 0}, "HydraulicPort", "Pressure", "VolumeFlowRate"},
};

static bool has_powers(Dim d, const int power[4]) {
    for (int i = 0; i < BASE_COUNT; i++)
        if (d.power[i] != (i < 4 ? power[i] * POWER_ONE : 0)) return false;
    return d.known;
}

static const PortKind *kind_of(const FmuWriting *u, const FmuPort *p) {
    Dim effort = u->model->var[p->effort ? p->input : p->answer].dim;
    Dim flow = u->model->var[p->effort ? p->answer : p->input].dim;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (has_powers(effort, kinds[i].effort) && has_powers(flow, kinds[i].flow))
            return &kinds[i];
    return NULL;
}

static void write_variable(Text *out, const FmuWriting *u, int var) {
    const FmuVariable *v = &u->variable[fmu_element(u, var)];
    text_add(out, "<Variable ref=\"");
    text_xml(out, v->name);
    if (v->unit) text_add(out, "\" unit=\""), text_xml(out, v->unit);
    text_add(out, "\"/>");
}

static void write_port(Text *out, const FmuWriting *u, const FmuPort *p) {
    const PortKind *k = kind_of(u, p);
    const char *name = name_text(u->model->names, u->model->comp[p->comp].path);
    int effort = p->effort ? p->input : p->answer, flow = p->effort ? p->answer : p->input;
    text_printf(out, "    <%s name=\"", k ? k->port : "Generic");
    text_xml(out, name);
    text_add(out, "\">\n      ");
    if (k) text_printf(out, "<%s name=\"effort\">", k->effort_name);
    write_variable(out, u, effort);
    if (k) text_printf(out, "</%s>\n      <%s name=\"flow\">", k->effort_name, k->flow_name);
    write_variable(out, u, flow);
    if (k) text_printf(out, "</%s>", k->flow_name);
    text_printf(out, "\n    </%s>\n", k ? k->port : "Generic");
}

void fmu_osp(Text *out, FmuWriting *u) {
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OspModelDescription "
                  "xmlns=\"https://open-simulation-platform.com/OspModelDescription/1.0.0\" "
                  "version=\"1.0\">\n");
    fmu_units_xml(out, u);
    text_add(out, "  <VariableGroups>\n");
    for (int i = 0; i < u->port_count; i++) write_port(out, u, &u->port[i]);
    text_add(out, "  </VariableGroups>\n</OspModelDescription>\n");
}
