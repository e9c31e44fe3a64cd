// The energy audit: where the energy of a run came from, where it went, and what is missing.
// docs/audit.md tells how to read it.
#ifndef BONDYN_RESULTS_AUDIT_H
#define BONDYN_RESULTS_AUDIT_H

#include "solve/solve.h"

typedef struct {
    int comp;
    double supplied, returned, dissipated, stored, residual; // joules over the run
    double made;                                             // of the residual: by its law, about
    bool watched;                                            // its law was looked at by itself
    double moved; // largest |energy received since the start| at any point
} AuditLine;

typedef enum { CAUSE_LAW, CAUSE_INTEGRATION } AuditCause;

typedef struct {
    AuditLine *line; // per component with a role, largest throughput first
    int line_count;
    double supplied, returned, dissipated, stored; // sums over the components
    double residual;                               // supplied - returned - dissipated - stored
    double throughput;  // energy that changed places, each time that it did
    double scale;       // supplied + dissipated + stored at most: the measure for residuals
    double relative;    // the larger of |residual| and the worst own residual, by `scale`
    double bound;       // that `relative` is held to
    AuditCause cause;   // of the worst, when it does not pass
    int worst;          // component with the largest own residual, or -1
    int worst_junction; // component: junction beside it, or -1
    bool off;           // no audit was wanted: nothing above is set, pass is true
    bool pass;
} Audit;

// Text table for people: per component supplied, dissipated, stored; the residual; the worst named.
void audit_print(Text *out, const Audit *a, const System *s);
void audit_json(Text *out, const Audit *a, const System *s);

// --- taking the audit during a run --------------------------------------------------------------

typedef struct { // of one velocity p*f/2, of a state x of a field x/2 dE/dx
    int output;
    double last;
} AuditShare;

enum { UNSEEN_SOURCE = -2 }; // its power is always zero, but for impulses

typedef struct { // one audited component
    int comp;
    int stored;                 // which output is its stored energy, or -1
    double first_stored;        // its value at the start
    double last_stored, energy; // at the last point; energy received since the start
    double moved, against;      // largest |energy|; energy that went the forbidden way
    double given, taken;        // of a source, or a drive: summed over steps between points
    double most_given;          // since the start, at most
    // which output is what the law makes: of a storage power - rate of the closed form, of a
    // resistor -power; or -1
    int defect;
    double last_defect, made; // its last value, and its integral
    int inner;                // which output is its kinetic energy, of a mechanism; or -1
    double last_inner, first_potential;
    AuditShare *share; // of the kinetic energy, one per velocity; of a field, one per state
    int share_count;
    int source;      // the track of a source that sets its velocity, UNSEEN_SOURCE, or -1: none
    int drive, loss; // which integral is energy that came in without a bond; that became heat; or
                     // -1
    double driven, heat;
    double impulse, drive_impulse; // energy that impulses brought in, by ports and by drives
    double gained, lost;           // by events: what `when` put in or took away
    double gaining, losing;        // the same since the last point
} AuditTrack;

typedef struct {
    const System *system;
    AuditTrack *track; // quadrature i is the energy of track i
    int track_count;
    double time;                    // of the last point
    double throughput, most_stored; // so far; most_stored = sum of |stored energy|
    double largest;                 // the same, potential energy counted from the start
    bool started;
} AuditBook;

bool audit_conserves(const System *s); // no energy comes or goes, see conserved.c

// Components with a role; their powers are the first quadratures.
void audit_open(AuditBook *book, Arena *out, const System *s);
void audit_point(AuditBook *book, double time, const double *quad, const double *output);
void audit_event(AuditBook *book, const double *before, const double *after); // outputs
void audit_jump(AuditBook *book, const double *before, const double *after,
                const double *work); // outputs; energy by ports, then by drives, per component
void audit_impulse(AuditBook *book, const double *before, const double *after); // outputs
void audit_close(Audit *a, Arena *out, const AuditBook *book, double bound, double rtol);
// The bound when the experiment gives none: rtol of the solver, 0 for fixed steps.
double audit_default_bound(double rtol);

#endif
