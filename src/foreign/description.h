// What modelDescription.xml of an FMU says (FMI 2.0 and 3.0), checked: variables, structure, kinds.
// Elements of arrays are variables of their own here.
#ifndef BONDYN_FOREIGN_DESCRIPTION_H
#define BONDYN_FOREIGN_DESCRIPTION_H

#include "base/report.h"

typedef enum { UNIT_LOCAL, UNIT_PARAMETER, UNIT_INPUT, UNIT_OUTPUT, UNIT_TIME } UnitRole;
typedef enum {
    UNIT_REAL = 'r',
    UNIT_INTEGER = 'i',
    UNIT_BOOLEAN = 'b',
    UNIT_STRING = 's'
} UnitType;

typedef struct {
    const char *name, *text; // text: what it is; may be ""
    unsigned reference;
    int element,
        elements; // of the array that it belongs to, all of which follow each other; else 0 and 1
    char letter;  // the type, as the guest is told (guest/unit_api.h)
    UnitRole role;
    UnitType type;
    bool discrete, constant;
    bool has_start;
    double start;         // in the unit of the FMU
    const char *unit;     // in SI base units, as the language writes it; NULL: none is said
    double scale, offset; // SI = value*scale + offset
    int derivative_of;    // a variable; -1: it is no rate
    bool through;         // an output that inputs act upon at once
    Pos pos;
} UnitVariable;

typedef struct { // a pair of variables that is a power port
    const char *name;
    int effort, flow; // variables
} UnitPort;

typedef struct {
    int version; // 2 or 3
    const char *name, *guid, *text;
    const char *me, *cs;                 // model identifiers; NULL: it is not of this kind
    bool directional, saves, steps_vary; // of the kind that is asked for
    bool me_saves, cs_saves, me_directional, me_wants_steps;
    int indicators;
    UnitVariable *variable;
    int variable_count;
    int *state, *rate, state_count; // variables
    UnitPort *port;
    int port_count;
    double step;         // of the default experiment; 0: none
    const char **source; // files to compile
    int source_count;
    const char **define; // "NAME" or "NAME=VALUE"
    int define_count;
} UnitDescription;

// Reads the XML in `source`; `ports`: the file of power ports (OspModelDescription.xml,
// terminalsAndIcons.xml), or 0. False: reported.
bool unit_describe(Arena *out, UnitDescription *d, const Sources *sources, uint32_t source,
                   uint32_t ports, Report *r);
// Files to compile, from sources/buildDescription.xml of FMI 3; false: it is no XML.
bool unit_read_build(Arena *out, UnitDescription *d, const char *xml, size_t length);

#endif
