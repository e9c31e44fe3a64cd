// What tokens and points need of a unit, whatever version of FMI it has.
#ifndef BONDYN_FOREIGN_UNIT_API_H
#define BONDYN_FOREIGN_UNIT_API_H

#include "foreign/channel.h"
#include <stdbool.h>
#include <stddef.h>

// Numbers of variables; those of an array of FMI 3 stand in its order, all of them.
typedef struct {
    int count;
    char *type; // r real, d real that changes at events only, i whole, b truth; FMI 3 has more
    unsigned *reference;
    int *element, *elements; // of the variable
} List;

typedef struct {
    Channel *c;
    bool exchange, saves, tells_steps;
    bool ends; // it asked to end the run, in the present command
    int indicators;
    const char *guid, *resources;
    List parameter, input, output, state, rate;
    double *work;
} Unit;

extern Unit the_unit; // the guest serves one

typedef struct {
    bool (*load)(void *library);
    void *(*make)(const char *name); // NULL: said
    void (*free)(void *component);
    bool (*start)(void *component, double time, const double *parameter, const double *input);
    bool (*put)(void *component, const List *l, const double *x, const char *what);
    bool (*get)(void *component, const List *l, double *x);
    bool (*save)(void *component, void **state);
    bool (*restore)(void *component, void *state);
    void (*drop)(void *component, void **state);
    bool (*enter_events)(void *component);
    bool (*leave_events)(void *component, double *next); // into continuous time
    bool (*completed)(void *component);
    bool (*set_point)(void *component, double time, const double *state);
    bool (*get_states)(void *component, double *x);
    bool (*rates)(void *component, double *rate);
    bool (*indicators)(void *component, double *z);
    // rates and outputs along a direction of states and inputs
    bool (*slope)(void *component, const double *seed, double *along);
    bool (*step)(void *component, double time, double length);
} UnitApi;

extern const UnitApi unit_api2, unit_api3;

// Inputs; at points between events only those that change continuously.
bool unit_put_inputs(void *component, const double *x, bool all);
bool unit_is_continuous(char type);

// Status of a call, the same numbers in 2 and 3; false: said.
bool unit_worked(int status, const char *call);
void unit_log(int status,
              const char *text);  // words of the unit; the last ones are told with a fault
void unit_say(const char *words); // with those words
// A function by name; false: it must be there and is not.
typedef enum { ALWAYS, EXCHANGE, STEPS, SAVING, IF_THERE } UnitSet;
bool unit_find(void *library, const char *name, UnitSet set, void *to, size_t size);

enum { MOST_ROUNDS = 100 };

#endif
