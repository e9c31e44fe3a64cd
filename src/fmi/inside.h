// The inside of an FMU on its way: what the files of this folder share.
#ifndef BONDYN_FMI_INSIDE_H
#define BONDYN_FMI_INSIDE_H

#include "export/writing.h"
#include "fmi/fmu.h"

// --- variables (variables.c): elements, one number each, in the order of the kinds -----------------

typedef enum {
    FMU_TIME,
    FMU_PARAM,
    FMU_INPUT,
    FMU_STATE,
    FMU_RATE,
    FMU_COLUMN,
    FMU_INDICATOR, // FMI 3 alone has them as variables
    FMU_KINDS
} FmuKind;

typedef struct {
    FmuKind kind;
    int place;                  // among those of its kind; FMU_COLUMN: of the outputs of the tape
    int var;                    // of the model; FMU_RATE: of its state
    const char *name;           // as the description has it
    bool output;                // causality
    bool tunable;               // FMU_PARAM
    double start;               // FMU_PARAM, FMU_INPUT
    const char *unit, *display; // NULL: none
    Shown shown;                // of `display`
} FmuVariable;

typedef struct { // a variable as the description lists it; its reference is its number
    const char *name;
    int first, count;  // elements
    int size[2], dims; // of an array, row by row; dims = 0: one number
} FmuEntry;

typedef struct { // a source whose effort or flow is an input: a power port
    int comp;
    int input, answer; // variables of the model: what is given, and what it answers with
    bool effort;       // the effort is given
} FmuPort;

typedef enum { FMU_FIXED, FMU_CVODE, FMU_RK78 } FmuSteps;

typedef struct {
    Fmu *f;
    const System *system;
    const Model *model;
    const FmuOptions *options;
    Report *r;
    Arena arena;
    Export e;
    Writing w;
    FmuVariable *variable;
    int count;
    int first[FMU_KINDS + 1]; // of each kind
    FmuEntry *entry;
    int entries;
    int *entry_of; // per element
    FmuPort *port;
    int port_count;
    int slots, indicators; // states and event functions: the most that a mode has
    FmuSteps inner;        // what makes the steps of co-simulation
    bool renamed;          // a name does not fit the structured convention
    const char *guid;      // "{...}"
} FmuWriting;

// Options of a run that records what the FMU shows: what the caller or the experiment records, and
// beside it outputs and ports. Needs nothing but the system.
RunOptions fmu_record(FmuWriting *u, const RunOptions *o);
void fmu_variables(FmuWriting *u);
int fmu_param_in(const Program *p, int var);   // number of a parameter in a program; -1: none
int fmu_element(const FmuWriting *u, int var); // of a variable of the model; -1: it is not there
void fmu_entries(FmuWriting *u); // arrays.c: after the units; FMI 2 has each element for itself

// --- flow (flow.c): what depends on what, along the tapes -----------------------------------------

typedef enum { FLOW_NONE, FLOW_CONSTANT, FLOW_TUNABLE, FLOW_DISCRETE, FLOW_DEPENDENT } FlowKind;

typedef struct Flow Flow;
Flow *flow_new(const Program *p);
void flow_free(Flow *f);
void flow_from(Flow *f, uint32_t reg); // the register that things depend on, and nothing else
void flow_start(Flow *f);              // on through the start: states follow from parameters
void flow_pass(Flow *f, const TapeFunction *t, int count);
FlowKind flow_at(const Flow *f, uint32_t reg);

// --- units (units.c) ------------------------------------------------------------------------------

void fmu_units(FmuWriting *u); // of all variables
void fmu_units_xml(Text *out, FmuWriting *u);

// --- files ----------------------------------------------------------------------------------------

void fmu_description(Text *out, FmuWriting *u); // describe.c: modelDescription.xml
double fmu_nominal(const FmuWriting *u, int state);
void fmu_attribute(Text *out, const char *name, const char *value);
void fmu_structure(Text *out, FmuWriting *u); // structure.c: its ModelStructure
void fmu_osp(Text *out, FmuWriting *u);       // osp.c: OspModelDescription.xml
void fmu_terminals(Text *out, FmuWriting *u); // terminals.c: terminalsAndIcons.xml
void fmu_build(Text *out, FmuWriting *u);     // terminals.c: buildDescription.xml
void fmu_source(Text *out, FmuWriting *u);    // layer.c: fmi2.c or fmi3.c
void fmu_page(Text *out, FmuWriting *u);      // page.c: documentation/index.html

typedef struct {
    const char *name; // "sources/model.c"
    const char *data;
    size_t length;
} ArchiveFile;

// archive.c: the bytes of a zip file; the same files give the same bytes.
void archive_write(Text *out, const ArchiveFile *file, int count);

// compile.c: a shared library from files, of which the first one is compiled; false: reported.
bool fmu_compile(Text *out, const ArchiveFile *file, int count, bool cvode, Report *r);

// Files of this folder, as they stand there (cmake/embed.cmake).
extern const char asset_core_text[], asset_kinds_text[], asset_fmi2_text[], asset_fmi3_text[],
    asset_tangent_text[];
extern const char asset_cvode_text[], asset_rk78_text[], asset_rk78_def[];
extern const char asset_fmi2Functions_h[], asset_fmi2FunctionTypes_h[], asset_fmi2TypesPlatform_h[];
extern const char asset_fmi3Functions_h[], asset_fmi3FunctionTypes_h[], asset_fmi3PlatformTypes_h[];

#endif
