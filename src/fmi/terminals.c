// What FMI 3 has in files of their own: power ports as terminals, and how the sources are compiled.
//
// A terminal is a source whose effort or flow is an input: its members are the effort, equal on both sides, and the
// flow, which sums to zero. Their product is the power into the model.
#include "fmi/inside.h"

static void write_member(Text *out, const FmuWriting *u, int var, const char *member,
                         const char *kind) {
    text_add(out, "      <TerminalMemberVariable");
    fmu_attribute(out, "variableName", u->entry[u->entry_of[fmu_element(u, var)]].name);
    fmu_attribute(out, "memberName", member);
    fmu_attribute(out, "variableKind", kind);
    text_add(out, "/>\n");
}

void fmu_terminals(Text *out, FmuWriting *u) {
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons "
                  "fmiVersion=\"3.0\">\n  <Terminals>\n");
    for (int i = 0; i < u->port_count; i++) {
        const FmuPort *p = &u->port[i];
        text_add(out, "    <Terminal");
        fmu_attribute(out, "name", name_text(u->model->names, u->model->comp[p->comp].path));
        fmu_attribute(out, "matchingRule", "plug");
        fmu_attribute(out, "terminalKind", "org.bondyn.power");
        fmu_attribute(out, "description",
                      p->effort ? "power port: effort in, flow out"
                                : "power port: flow in, effort out");
        text_add(out, ">\n");
        write_member(out, u, p->effort ? p->input : p->answer, "effort", "signal");
        write_member(out, u, p->effort ? p->answer : p->input, "flow", "inflow");
        text_add(out, "    </Terminal>\n");
    }
    text_add(out, "  </Terminals>\n</fmiTerminalsAndIcons>\n");
}

void fmu_build(Text *out, FmuWriting *u) {
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription "
                  "fmiVersion=\"3.0\">\n  <BuildConfiguration");
    fmu_attribute(out, "modelIdentifier", u->e.prefix);
    text_add(out, ">\n    <SourceFileSet language=\"C99\" compiler=\"gcc\" "
                  "compilerOptions=\"-ffp-contract=off "
                  "-fno-builtin-pow\">\n      <SourceFile name=\"fmi3.c\"/>\n"
                  "    </SourceFileSet>\n    <Library name=\"m\" external=\"true\"/>\n"
                  "  </BuildConfiguration>\n</fmiBuildDescription>\n");
}
