// The flat model: what is left when classes, loops, nesting and units are gone. Scalars with paths,
// components with ports, bonds, equations. Lists are in the order of their paths (name_compare), so
// the order of declarations in the text changes nothing that follows, to the last bit.
//
//   Model
//    |- var[]     every scalar: "spring.e", "w.f[2]", "der(x)", parameters too; with its symbol
//    |- comp[]    what a bond graph draws: junctions, sources, R C I TF GY, fields
//    |- port[]    of the components; a port of dimension 3 has three efforts and three flows
//    |- bond[]    port to port (or junction), with the half-arrow
//    |- equation[] laws of elements and equations of models, left = right, SI, scalar
//    |- choice[]  equations that switch: mode[], mode_law[]
//    '- when[]    what happens at events: action[], sample[], before[]
//
// What is done with it, an experiment, stands beside it: lang/experiment.h.
#ifndef BONDYN_LANG_MODEL_H
#define BONDYN_LANG_MODEL_H

#include "base/names.h"
#include "base/report.h"
#include "expr/expr.h"
#include "lang/mechanism.h"
#include "lang/units.h"

typedef enum {
    VAR_TIME,         // var[0]
    VAR_PARAM,        // value = number or expression of other parameters and constants
    VAR_EFFORT,       // of a port, or of a 0-junction
    VAR_FLOW,         // of a port, or of a 1-junction
    VAR_MOMENTUM,     // p of I
    VAR_DISPLACEMENT, // q of C
    VAR_VELOCITY,     // w of a mechanism in Lagrange form
    VAR_INPUT,
    VAR_OUTPUT,
    VAR_LOCAL,
    VAR_DERIVATIVE, // der(of)
    VAR_DISCRETE,   // changes at events only; start = its first value
} VarKind;

// What only storages and mechanisms have.
static inline bool is_of_storage(VarKind kind) {
    return kind == VAR_MOMENTUM || kind == VAR_DISPLACEMENT || kind == VAR_VELOCITY;
}

typedef struct { // 56 bytes: there are millions in a large model
    Name path;
    Expr symbol;
    VarKind kind : 8;
    bool structural; // VAR_PARAM: fixed a size, a loop or a condition
    bool afresh;     // found by iteration: it begins at `start` each time, not at the last solution
    bool given : 1;  // its start is the user's own, even where that is a parameter with the value 0
    bool open : 1;   // VAR_DISCRETE: an input of the model to run, which its caller sets
    int comp;        // component it belongs to, or -1
    int der;         // the variable that is its time derivative, or -1
    int of;          // VAR_DERIVATIVE: the variable that it derives
    Expr value;      // VAR_PARAM: its value; otherwise 0
    Expr start;      // initial value or 0 when none is given
    Dim dim;
    Name unit; // how to show it: "N.m", "rad/s"; 0 when unknown or without dimension
    Name text; // description
    Pos pos;
} Var;
_Static_assert(sizeof(Var) == 56, "as said above");

typedef enum {
    COMP_0,
    COMP_1,
    COMP_SE,
    COMP_SF,
    COMP_R,
    COMP_C,
    COMP_I,
    COMP_TF,
    COMP_GY,
    COMP_DE,
    COMP_DF,
    COMP_FIELD, // an element or a model with equations about its own ports
} CompKind;

typedef enum {      // what the energy audit holds it to
    ROLE_NONE,      // junctions, sensors
    ROLE_SUPPLY,    // net power out counts as supplied
    ROLE_DISSIPATE, // net power in counts as dissipated and must not be negative
    ROLE_STORE,     // net power in = d/dt stored
    ROLE_LOSSLESS,  // net power in = 0
} Role;

typedef enum {
    REQUEST_NONE,
    REQUEST_INTEGRAL,
    REQUEST_DERIVATIVE,
    REQUEST_EFFORT_OUT,
    REQUEST_FLOW_OUT
} Request;

typedef struct { // 96 bytes
    Name path;   // "arm.spring"
    Name type;   // as written: "C", "MTF", "hydraulic.Orifice"
    CompKind kind : 8;
    Role role : 8;
    Request request : 8;
    bool modulated : 1;                 // MSe MSf MTF MGY
    bool own_law : 1;                   // the user wrote the law
    bool pseudo : 1;                    // its bonds are of a pseudo domain: the flow is the power
    int dim;                            // of junctions and one-ports
    int first_port, port_count;         // into port[]; junctions have none
    int first_equation, equation_count; // its laws, into equation[]
    int var; // junctions: first of `dim` common variables (e of a 0, f of a 1), else -1
    int first_state,
        state_count; // storage: indices into var[] of its states are consecutive (q or p)
    Expr stored;     // ROLE_STORE: energy in closed form, or 0 when only its rate is known
    Expr lost;       // power that a storage turns into heat inside; 0 = none
    Expr *argument;  // R C I TF GY: the argument, argument_rows*argument_cols scalars (1x1: scalar)
    int argument_rows, argument_cols;
    int own_supply; // variable: power that comes into it without a bond (drives); 0 = none
    Pos request_pos;
    Name text; // description
    Pos pos;
} Comp;
_Static_assert(sizeof(Comp) == 96, "as said above");

typedef struct {
    Name name; // "p1", "shaft"; 0 for the only port of a one-port
    int comp;
    int dim;
    int e, f;        // first of `dim` consecutive variables each
    int part, whole; // of a mechanism: scalars part .. part+dim-1 of a joint's or frame's `whole`
    Name domain;     // 0 = unknown
    bool out;        // power counts positive out of the component
    bool moves;  // of a class, and its flow is a velocity: a half-arrow turns the effort instead
    bool pseudo; // of a pseudo domain: the flow is the power
    Pos pos;
} Port;

typedef struct { // one end of a bond: `dim` scalars from `first` on
    int comp;
    int port;  // index into port[]; -1 at a junction
    int first; // part of a vector port or junction: index of its first scalar
} BondEnd;

typedef struct {
    BondEnd from, to; // half-arrow from -> to
    int dim;
    Pos pos;
    bool direct; // written as one: no port of a model lies between its ends
} Bond;

typedef struct {
    Expr left, right;
    int comp; // the component whose law it is, or -1: an equation of a model
    Pos pos;
    Expr rate; // of left, where it is known without differentiation; 0: it is not
} Equation;

typedef struct { // `initial steady`: what has no start value of its own begins at rest
    Name owner;  // path of the model in which it stands: its variables and those below; or of the
                 // variable itself
    Pos pos;
} Steady;

// The start of a mechanism says velocities, whatever is integrated: momenta follow from them.
typedef struct {
    int flow;   // variable: one velocity of a joint
    int state;  // variable that is integrated: a momentum, or the velocity
    Expr value; // at the start
    bool given; // the user wrote it; otherwise it may follow from others
    Pos pos;
} StartSpeed;

typedef struct {   // what is integrated lies on the constraints of its mechanism
    int comp;      // of the mechanism
    Expr residual; // = 0, in symbols of variables
    Pos pos;
} StartTie;

// --- events --------------------------------------------------------------------------------------

typedef struct { // sample(period, offset): its symbol is 1 at the moments offset + k*period, else 0
    Expr symbol;
    Expr period, offset; // of parameters; 0: `initial`, the start of the run
    Pos pos;
} Sample;

typedef struct { // delay(what, time, most, before): a variable that the solver knows
    Expr symbol, what, time, most; // of VAR_DISCRETE
    Expr before;                   // before the start; 0: as at the start
    bool fixed;                    // time depends on parameters alone
    Name text;                     // what, as it is written
    Pos pos;
} Delay;

typedef struct { // pre(what): the value just before an event
    Expr symbol, what;
} Before;

typedef struct { // var := value, at an event
    int var;     // a discrete variable, or with reinit a state
    bool reinit;
    Expr value; // in the symbols of variables, samples and befores
    Pos pos;
} Action;

typedef enum { WHEN_ACTS, WHEN_WARNS, WHEN_STOPS, WHEN_SINGULAR } WhenKind;

typedef struct { // a quantity that a condition speaks of, for messages
    Name text;   // as written
    Expr value;
    Name unit; // SI
} Witness;

typedef struct { // a branch of a `when`; or `assert`: its condition is true when that does not hold
    WhenKind kind : 8;
    Code code; // WHEN_SINGULAR: which singularity
    int group; // branches of one `when` follow each other and have one number
    Expr condition;
    int first_action, action_count;
    Expr
        rate_bound; // 0, or a rate: a step is at most one over it, so that none passes over the event
    Name owner;     // path of the model in which it stands
    Name text;      // the condition as written
    Name words;     // assert: what is wrong; ends: why
    bool ends;      // when it happens, the run is over
    bool table_end;   // a table, `text`, has no more rows
    Pos row;          // its last one, where that is known
    Witness *witness; // assert: what its condition speaks of
    int witness_count;
    Pos pos;
    Pos outer; // assert: where the component is declared that it stands in, if that is elsewhere
} When;

// --- modes ---------------------------------------------------------------------------------------

typedef struct {    // one way in which the equations of a choice can read
    Name name;      // "blocking"
    int first;      // into mode_law[]: as many as the choice has
    Expr condition; // it lasts while this holds; once: it happens when this holds. 0: always
    bool once;      // holds for an instant only: an impact
    Pos pos;
} Mode;

typedef struct {                        // equations that read as one of several modes says
    int first_equation, equation_count; // into equation[], where those of the first mode stand
    int first_mode, mode_count;
    int present; // the mode whose laws stand in equation[], from first_mode on
    int also;    // another one for which they stand there too, else the same
    int var;     // discrete variable that has the number of the mode, or -1
    int comp;    // whose laws they are, or -1
    Name owner;  // path of the element or model in which it stands
    Pos pos;
} ModeChoice;

// --- the model -----------------------------------------------------------------------------------

typedef struct {
    Names *names;
    const Dag *dag; // its expressions
    Name name, text;
    Var *var;
    int var_count;
    Comp *comp;
    int comp_count;
    Port *port;
    int port_count;
    Bond *bond;
    int bond_count;
    Equation *equation;
    int equation_count;
    Equation *initial; // initial equations
    int initial_count;
    Steady *steady;
    int steady_count;
    StartSpeed *speed; // of mechanisms, from mech_expand
    int speed_count;
    StartTie *tie;
    int tie_count;
    ModeChoice *choice; // what switches its laws
    int choice_count;
    Mode *mode;
    int mode_count;
    Equation *mode_law;
    int mode_law_count;
    When *when; // branches, in order of owner and condition
    int when_count;
    Action *action;
    int action_count;
    Sample *sample;
    int sample_count;
    Before *before;
    int before_count;
    Delay *delay;
    int delay_count;
    Mechanism *mechanism; // their laws come from mech_expand
    int mechanism_count;
    Mechanism *called; // mechanisms whose functions are called, without variables
    int called_count;
    double start; // value of time at the start, s
    Pos pos;
} Model;

// A model lies in an arena, but for its graph of expressions.
void model_free_expressions(Model *m);
void model_seal(Model *m); // threads share it from now on: nobody adds expressions any more
// By symbol index: what parameters are, before a run; NaN for what is no parameter.
double *model_numbers(Arena *out, const Model *m);
// By symbol index: the variable that it stands for, -1: none. On the heap.
int *model_symbol_vars(const Model *m);
// The parameters, each behind those that its formula needs. On the heap.
int *model_param_order(const Model *m, int *count);
int model_find(const Model *m, const char *path);         // variable by path, or -1
int model_of_symbol(const Model *m, Expr symbol);         // variable, or -1
bool path_matches(const char *pattern, const char *path); // * = any text
// What a pattern of `record` takes: no parameter unless its whole path is written, no derivative
// unless the pattern says der(...).
bool pattern_takes(const char *pattern, const Var *v, const Names *names);
// The first of the promises above that does not hold, in words; NULL: all do.
const char *model_check(const Model *m);
void model_dump(Text *out, const Model *m);        // all lists as readable text
void model_dump_events(Text *out, const Model *m); // of them, `when`

#endif
