// What the programs that judge an FMU share: its description as the standard has it, its functions.
#ifndef BONDYN_TESTS_FMU_CHECK_H
#define BONDYN_TESTS_FMU_CHECK_H

#include "fmi2FunctionTypes.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *name, *causality, *variability, *initial, *unit, *display;
    unsigned reference;
    bool has_start;
    double start, nominal;
    int derivative; // number of its state, 0: none
    unsigned owner; // FMI 3: the reference of the variable that it is an element of
    int element, elements;
} Variable;

typedef struct {
    int index;
    int *dependency, dependencies;
    char **kind;
    int kinds;
} Unknown;

typedef struct {
    Unknown *of;
    int count;
} List;

typedef struct {
    char *name, *in; // `in`: the unit that it displays; NULL: it is a unit itself
    double factor, offset;
} Unit;

typedef struct {
    int version;
    char *guid, *exchange, *steps; // model identifiers; NULL: not of this kind
    char *flags;                   // all attributes of the kinds
    int indicators;
    Variable *variable;
    int variables;
    Unit *unit;
    int units;
    List outputs, rates, initial, borders;
    double start, stop, step;
} Description;

// --- description.c
Description *description_read(const char *path); // NULL: told
void description_free(Description *d);
int description_judge(
    const Description *d); // by the rules of the standard; the number of faults, told
const Variable *description_find(const Description *d, const char *name); // NULL: there is none
const Unit *description_display(const Description *d, const Variable *v); // NULL: there is none

// --- description3.c
typedef struct Reading3 Reading3; // variables of FMI 3 on their way: arrays as their elements
Reading3 *reading3_new(Description *d);
void reading3_begin(Reading3 *r, const char *name, const char **attribute);
int reading3_end(Reading3 *r); // frees it; faults, told

// --- functions
#define FUNCTIONS(F)                                                                               \
    F(Instantiate)                                                                                 \
    F(FreeInstance)                                                                                \
    F(SetupExperiment)                                                                             \
    F(EnterInitializationMode)                                                                     \
    F(ExitInitializationMode)                                                                      \
    F(Terminate)                                                                                   \
    F(Reset)                                                                                       \
    F(GetReal)                                                                                     \
    F(SetReal)                                                                                     \
    F(GetFMUstate)                                                                                 \
    F(SetFMUstate)                                                                                 \
    F(FreeFMUstate)                                                                                \
    F(SerializedFMUstateSize)                                                                      \
    F(SerializeFMUstate)                                                                           \
    F(DeSerializeFMUstate)                                                                         \
    F(GetDirectionalDerivative)                                                                    \
    F(EnterEventMode)                                                                              \
    F(NewDiscreteStates)                                                                           \
    F(EnterContinuousTimeMode)                                                                     \
    F(CompletedIntegratorStep)                                                                     \
    F(SetTime)                                                                                     \
    F(SetContinuousStates)                                                                         \
    F(GetDerivatives)                                                                              \
    F(GetEventIndicators)                                                                          \
    F(GetContinuousStates)                                                                         \
    F(GetNominalsOfContinuousStates)                                                               \
    F(DoStep)

typedef struct {
#define MEMBER(name) fmi2##name##TYPE *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} Functions;

typedef struct {
    Description *d;
    Functions f;
    void *library;
    char resources[1200];
    int faults, said;
    // results: rows of times and columns
    int rows, columns;
    double *value;             // rows x columns
    const Variable **variable; // per column; NULL: not of the FMU
    double *largest;
    int states;
    const Variable *input; // that is set on the way; NULL: none
    int input_steps;
    bool ends;         // the last row is where the model has ended the run
    int slopes, kinks; // derivatives that were compared, and those at kinks
    bool events;       // FMI 3: this program handles the events of co-simulation
    int stride;        // steps of the grid in a communication step
    double bound;      // of co-simulation, in parts of the largest value; 0: the same bits
} Check;

// --- fmu3.c: FMI 3 behind the functions of FMI 2
bool check_load3(Check *c);        // false: told
void check_looks3(const Check *c); // what only FMI 3 has
int check_faults3(void);           // told

// --- fmu_results.c
bool check_read_results(Check *c, const char *path); // false: told

#endif
