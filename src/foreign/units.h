// What Bondyn and the guest say about a unit of FMI 2: commands, and numbers in which order.
//
//     command        inputs                                outputs
//     UNIT_BEGIN     token, time, parameters, inputs       next, states | outputs (cs)
//     UNIT_POINT     token, time, states, inputs           rates, outputs, indicators
//     UNIT_SLOPE     the same, then its direction          rates of rates and outputs
//     UNIT_UPDATE    token, new token, time, states, inputs    next, states
//     UNIT_STEP      token, new token, time, step, inputs      next, outputs
//
// A token names a state of the unit that only events (cs: steps) change. `next`: time of the next
// event that is known ahead, or UNIT_NEVER, or UNIT_ENDS: the unit asks to end the run.
#ifndef BONDYN_FOREIGN_UNITS_H
#define BONDYN_FOREIGN_UNITS_H

typedef enum { UNIT_BEGIN, UNIT_POINT, UNIT_SLOPE, UNIT_UPDATE, UNIT_STEP } UnitCommand;

#define UNIT_NEVER 1e30
#define UNIT_ENDS  2e30
// A fault that begins so: the token is gone, and whoever knows how makes it anew.
#define UNIT_GONE "it cannot go back"

#endif
