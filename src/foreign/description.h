// What modelDescription.xml of an FMU says (FMI 2.0), checked: variables, structure, kinds.
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
} UnitDescription;

// Reads the XML in `source`; `osp`: the file of power ports, or 0. False: reported.
bool unit_describe(Arena *out, UnitDescription *d, const Sources *sources, uint32_t source,
                   uint32_t osp, Report *r);

#endif
