// Values in the clauses of mechanisms: numbers with units, axes, turns, places.
#ifndef BONDYN_LANG_MECHANISM_DATA_H
#define BONDYN_LANG_MECHANISM_DATA_H

#include "lang/build.h"
#include "spatial/spatial.h"

typedef struct { // a clause and what it must be
    const AstExpr *e;
    const Env *env;
    const char *what, *of;
    int rows, cols;
    const char *unit; // NULL: not checked
} Datum;

const char *part_text(const Builder *b, const MechPart *x); // its path
Datum clause_datum(const Builder *b, const MechPart *x, const AstArg *a, const char *what, int rows,
                   int cols, const char *unit);
// All of these return false when something is wrong, and then it is reported.
bool datum(Builder *b, const Datum *x, Expr *out);
bool datum_numbers(Builder *b, const Datum *x, double *out); // with the parameters' values
bool read_axis(Builder *b, const MechPart *x, const AstExpr *e, Expr out[3]); // of length 1
bool read_angle(Builder *b, const MechPart *x, const AstArg *a, Expr *angle);

typedef void (*TurnAction)(Builder *b, const Expr axis[3], Expr angle, Expr *result);

void add_quaternion(Builder *b, const Expr axis[3], Expr angle, Expr *q); // of 4
// All turns of a statement in order, those whose clause is `word`.
bool read_turns(Builder *b, const MechPart *x, const char *word, TurnAction act, Expr *result);
bool read_pose(Builder *b, const MechPart *x, Pose *p); // at and rotated

// mechanism_states.c: the first variable of a part by its name; makes a variable a state,
// `rate_unit` may be NULL; the variables of a joint, its states and their start (false: reported)
int part_variable(const Builder *b, int instance, const char *name);
void state_variable(Builder *b, int var, VarKind kind, const char *rate_unit);
bool joint_states(Builder *b, const MechPart *x, const Mechanism *m, MechJoint *j);
// The mechanism's own variables of motion, for functions of a mechanism that is a component.
void own_variables(Builder *b, const MechPart *x, Mechanism *m, MechJoint *j);

// mechanism_body.c; `beyond` is the user's frame in the body's own
bool make_body(Builder *b, const MechPart *x, const Pose *beyond, MechBody *body);
bool read_shape(Builder *b, const MechPart *x, MechDrawing *out); // its kind and size

// lagrangian.c: T, V and the dissipation function
bool make_energies(Builder *b, const Instance *i, Mechanism *m);
bool make_velocity(Builder *b, const MechPart *x, MechVelocity *v);

// --- mechanism_motion.c; false: reported

bool joint_drive(Builder *b, const MechPart *x, MechJoint *j);
bool joint_limits(Builder *b, const MechPart *x, MechJoint *j);

#endif
