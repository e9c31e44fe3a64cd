// Linear models: what the equations of a model are beside one of their points.
//
//     x' = f(x, u, t)       A = df/dx   B = df/du        B1, D1: by the rates u' of the inputs, where
//     y  = h(x, u, t)       C = dh/dx   D = dh/du        derivative causality asks for them
//
// All entries are derivatives of the tape, not differences. Everything else of this folder stands
// on such a model: poles, frequency responses, steady points.
//
//     flat model --linear_open--> inputs that can be moved --equations--> system
//         --linear_reach--> a point --tangent--> f, h and their Jacobian --chart--> A, B, C, D
#ifndef BONDYN_ANALYSIS_LINEAR_H
#define BONDYN_ANALYSIS_LINEAR_H

#include "run/job.h"
#include "run/pipeline.h"

typedef struct { // what is asked for
    const char *const *input, *const *output;
    int input_count, output_count; // none: the inputs and outputs of the model itself
    // Of a steady point: inputs and parameters that may move, and "NAME = VALUE" that must hold.
    const char *const *free, *const *given;
    int free_count, given_count;
    const char *const *moving; // states that need not rest: they stay where the search begins
    int moving_count;
    bool discrete; // over one period of what is sampled
} LinearOptions;

typedef struct
{            // an input that can be moved: a signal u + delta + rate (t - t0) + bend (t - t0)^2/2,
    int var; // or a parameter
    Expr delta;      // the symbol that moves it
    Expr rate, bend; // 0: of a parameter
} LinearInput;

typedef struct {
    LinearInput *input;
    int input_count;
    int *output; // variables
    int output_count;
    LinearInput *free;
    int free_count;
    int *given; // variables, and their values
    double *given_value;
    int given_count;
    int *moving; // variables
    int moving_count;
    Expr *look; // expressions of the model whose values are wanted besides
    int look_count;
    Expr *row; // expressions in solved form: rows behind those of the outputs
    int row_count;
    Expr origin; // t0: the symbol of a parameter; 0: no input is a signal
    bool discrete;
} LinearPlan;

// Needs: a model whose system is not built yet (STAGE_MODEL).  Gives: a plan; each input that can
// be moved gets a parameter that is zero and is added to it.
bool linear_open(Model *m, Arena *out, const LinearOptions *options, LinearPlan *plan, Report *r);

// --- points (reach.c) ----------------------------------------------------------------------------

typedef struct { // where a run is at some time
    double time;
    double *state;
    const Model *model;   // of the run
    const System *system; // whose equations hold there: those of the mode, where laws switch
    Program *program;
    Machine *machine;            // as it was there: held values, unknowns of blocks
    struct Switching *switching; // owns the last three where laws switch; NULL: this does
} Reached;

// The start of the experiment, or where a run is at `time`. False with the reasons in r.
bool linear_reach(Reached *at, const System *s, const RunOptions *o, bool start, double time,
                  Report *r);
// The states with which a run of this system begins at the point; false: reported.
bool reached_states(const Reached *at, const System *s, double *state, Report *r);
void reached_free(Reached *at);
// The modes that hold there, in words: "clutch sliding, brake open". Empty: laws do not switch.
const char *reached_modes(const Reached *at, Arena *out);
// Warns where a guard of these modes does not hold (any more): another mode follows at once.
void reached_check_modes(const Reached *at, Report *r);

// Constraints that every motion keeps: expressions of states that are constant on them.
typedef struct {
    Expr *row;
    double *value; // where they hold
    bool *fast;    // of velocities
    int count;
} ConstraintRows;

void constraint_rows(const System *s, Resolver *resolver, ConstraintRows *rows); // constraints.c
void constraint_rows_free(ConstraintRows *rows);

// A warning for each kink on which a point lies (kinks.c).
void kinks_tell(const Reached *at, Report *r);

// --- models --------------------------------------------------------------------------------------

typedef struct {
    const char *name, *unit; // SI; "" without dimension
} Label;

typedef struct { // d2 energy of a storage / dx_i dx_j
    int storage, i, j;
    double value;
} Bend;

typedef struct LinearModel {
    Arena arena;
    const Model *model;
    double time;
    int n, m, p; // states, inputs, outputs
    Label *state, *input, *output;
    int *number;           // per state: its number in the system
    double *x, *u, *y;     // at the point, SI
    double *rate;          // of the states there; NULL: discrete
    double *look;          // of LinearPlan.look
    double *A, *B, *C, *D; // column by column
    double *B1, *D1;       // NULL: no rate of an input enters
    double *Bz,
        *Dz;     // with states z = x - B1 u: z' = A z + Bz u, y = C z + Dz u + D1 u'; else B and D
    Label *left; // states that constraints determine from the others
    int left_count;
    double *lift;   // all states of the system by those of the model, along the constraints
    int storages;   // components whose stored energy is known as a formula,
    Label *storage; // and how it bends,
    Bend *bend;     // entry by entry
    int bend_count;
    bool sampled;  // discrete variables stay as they are, unless
    double period; // > 0: x(k + 1) = A x(k) + B u(k), see discrete.c; 0: continuous
    bool moves;    // and the point does not rest: derivatives are those at it, held over the period
    Label *renewed; // discrete variables whose last values nothing remembers: no states
    int renewed_count;
    const char *modes; // that hold, in words; empty: laws do not switch
} LinearModel;

// With plan->discrete that of a period (discrete.c).
LinearModel *linear_model(const LinearPlan *plan, const Reached *at, Report *r);
void linear_model_free(LinearModel *l);
LinearModel *discrete_model(const LinearPlan *plan, const Reached *at, Report *r); // discrete.c

// Forms of it as text (linear_text.c).
void linear_print(Text *out, const LinearModel *l);
// A member `key` with names, units and, where given, values and rates.
void labels_json(Text *out, const char *key, const Label *l, const double *value,
                 const double *rate, int count);
void linear_json(Text *out, const LinearModel *l); // members of an object
void linear_csv(Text *out, const LinearModel *l);
void linear_latex(Text *out, const LinearModel *l);
void linear_octave(Text *out, const LinearModel *l);
void linear_mat(Text *out, const LinearModel *l); // bytes of a MAT file

#endif
