// Where power goes in a run: per element and per bond (power.c).
//
//     power_plan      which powers there are, as expressions of the model
//     (a run)         RunOptions.watch = plan.power, RunOptions.integrate = plan.power
//     power_measure   energies, activities and shares from what the run kept
//     power_paths     energy from each element to each other (power_paths.c)
#ifndef BONDYN_ANALYSIS_POWER_H
#define BONDYN_ANALYSIS_POWER_H

#include "run/run.h"

// What a flow of power is.
typedef enum {
    POWER_SOURCE,  // into an element that supplies
    POWER_ELEMENT, // into one that stores or dissipates: these are ranked
    POWER_BOND,    // along the half-arrow
} PowerKind;

typedef struct {
    PowerKind kind;
    const char *name;    // "arm.spring", "v -> spring"
    const char *role;    // "stores", "dissipates", "supplies"; of a bond ""
    int comp;            // that it goes into; of a bond -1
    double into, out;    // J: energy into it (along the bond), and back out of it
    double activity;     // J: into + out, the integral of |power|
    double share;        // of all activity of ranked elements; NaN for others
    double efficiency;   // what it got by all that others gave, both net; NaN: it gave, or a bond
    double peak;         // W: the largest |power| at the rows
    const double *power; // W, row by row
    bool spare;          // of the least active ones, which have little share together
} PowerFlow;

typedef struct { // energy that passes a junction or a two-port
    const char *name, *type;
    double carried;
} PowerCarrier;

typedef struct {
    PowerFlow *flow;
    Expr *power; // per flow
    int count;
    PowerCarrier *carrier;
    int *carrier_comp, carrier_count;
    int *bond_flow; // per bond of the model: its flow, or -1 when no variable tells its power
} PowerPlan;

typedef struct {
    PowerFlow *flow; // sources, then elements by activity, then bonds by activity
    int count;
    PowerCarrier *carrier; // by energy, largest first
    int carrier_count;
    double start, stop, activity; // of all ranked elements
    double spare;                 // the share of all spare ones together
    int rows;
    const double *time;
} PowerTable;

// Energy from one element to another; docs/analysis.md, section 7, has the rule.
typedef struct {
    int from, to;        // flows of the plan; -1: what no law accounts for
    double energy;       // J
    double efficiency;   // the part of what `from` gave
    const char *through; // "i, gear, w": on the way that most energy went
} PowerPath;

typedef struct {
    PowerPath *path; // by energy, largest first
    int count;
    double energy, unaccounted; // J: of all, and of those from or to nowhere
    int ends, most_ends;        // elements, and how many of them are followed at most
} PowerPaths;

PowerPlan power_plan(Arena *out, const System *s);
// `threshold`: how much of all activity may be spared.
PowerTable power_measure(Arena *out, const System *s, const PowerPlan *plan, const Run *run,
                         double threshold);
PowerPaths power_paths(Arena *out, const System *s, const PowerPlan *plan, const Run *run);
// Energy that went into one by energy that came out of the other; NaN: none came out.
double power_efficiency(const PowerFlow *from, const PowerFlow *to);
const PowerFlow *power_find(const PowerTable *t, const char *name); // NULL: there is none

void power_print(Text *out, const PowerTable *t, bool all); // all: spare ones and bonds, too
void power_json(Text *out, const PowerTable *t);            // members of an object
void paths_print(Text *out, const PowerPlan *plan, const PowerPaths *p, bool all);
void paths_json(Text *out, const PowerPlan *plan, const PowerPaths *p); // members of an object
void paths_csv(Text *out, const PowerPlan *plan, const PowerPaths *p);
void power_csv(Text *out, const PowerTable *t); // powers over time
void power_svg(Text *out, const PowerTable *t); // those of the most active elements

#endif
