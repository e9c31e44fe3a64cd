// A model as a functional mock-up unit (FMI 2 or 3): one archive that other tools load.
//
//     Export (model.c, model.h)  --->  sources/      fmi2.c or fmi3.c around them: core.text, kinds.text, fmi2.text, fmi3.text, tangents of the tapes
//            |                         binaries/     the same, compiled: no library but libc and libm
//            v
//     variables, flow of the tapes --> modelDescription.xml; power ports: OspModelDescription.xml (2), terminals (3)
//     graph, equations             --> documentation/index.html
//
// Model exchange gives rates, event functions and events of the model to the solver of others; co-simulation has the
// fixed steps of exported C inside: the same bits as `bondyn run`.
#ifndef BONDYN_FMI_FMU_H
#define BONDYN_FMI_FMU_H

#include "run/run.h"

typedef struct {
    bool exchange, steps; // which of the two kinds; at least one
    int version;          // 2 or 3
} FmuOptions;

typedef struct {
    Text archive; // the bytes of the file
    Text osp; // OspModelDescription.xml, which that platform wants beside the file; empty: no ports
    char prefix[80]; // modelIdentifier
    char asked[80];  // the model's name, where C forbids it; else empty
    int parameters, inputs, outputs, states, indicators, ports, variables;
    double step; // of co-simulation
} Fmu;

// Needs: a system with its experiment, inputs open.  Gives: the archive; false: reported. Free it in both cases.
bool fmu_export(Fmu *f, const System *s, const RunOptions *o, const FmuOptions *x, Report *r);
void fmu_free(Fmu *f);

#endif
