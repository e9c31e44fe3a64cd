// Instantiation, from syntax to the flat model. Private to src/lang.
//
//   elaborate.c   classes, loops and conditions  ->  instances with their declared names
//   mechanism.c   joints, bodies and frames  ->  instances with their variables
//   mechanism_tree.c   where they hang, checked to be a tree
//   dimension.c   how many scalars each built-in element has, what unit its argument has
//   connect.c     bonds between ports; ports of models are spliced away
//   domains.c     effort and flow units of everything that is bonded together
//   flatten.c     variables, components, ports and bonds in the order of their paths
//   laws.c        the laws of built-in elements        equations.c   those that the user wrote
//   mechanism_form.c   their form and coordinates; mechanism_states.c  their states
//   mechanism_build.c  their data as expressions, for src/mech; pose.c   places and turns
//   model_function.c   functions of mechanisms in equations
//   when.c        what happens at events               table_ends.c  runs that leave a table
//   grid_table.c  tables of more variables             delay.c       delay(x, T)
//   modes.c       laws that switch
//   linear_call.c linear models of other models, for the design of control
//   experiment.c  what is to be run, plotted and expected
//
// Expressions are lowered by lower.c in three ways: to numbers (sizes, conditions, values of
// parameters), to shapes and units (before variables exist) and to symbols (the final equations).
#ifndef BONDYN_LANG_BUILD_H
#define BONDYN_LANG_BUILD_H

#include "lang/builder.h"
#include "lang/lowering.h"

// --- elaborate.c, arguments.c --------------------------------------------------------------------

void elaborate_root(Builder *b, Definition model, const AstClass *experiment); // experiment or NULL
int add_instance(Builder *b, Instance i);
Name member_path(Builder *b, int instance, const char *name); // path of a member
bool name_is_free(Builder *b, int owner, Name name, Pos pos); // false: taken, and reported
void declare_member(Builder *b, int owner, Name name, int index);
void declare_broken(Builder *b, int owner, Name name);          // said what is wrong already
bool declare_array(Builder *b, int owner, const AstItem *item); // false: reported
bool count_scalars(Builder *b, int64_t count, Pos pos);         // false: too many
const Env *new_env(Builder *b, Env e);

typedef struct { // what sets a parameter or input: argument, extends, or `set`
    Name name;
    int place; // of a positional argument, from 0; -1: by name
    const AstExpr *value;
    const Env *env;
    Pos pos;
    bool used;
} Binding;

typedef struct {
    Binding *data; // strongest first
    int count;
} Bindings;

void bind_builtin(Builder *b, int instance);
const Env *argument_env(const Builder *b, const Instance *i); // where its argument is read
const Env *start_env(const Builder *b, const Instance *i);
const Override *find_override(Builder *b, Name path);
void report_unused_overrides(Builder *b);

// --- analysis_plan.c
void analysis_build(Builder *b, const Env *env, const AstClass *class, AnalysisPlan *plan);

// --- vary.c
void vary_build(Builder *b, const Env *env, const AstItem *item, AnalysisPlan *plan);

// --- search.c
// A parameter with a number of its own; -1: reported with this code.
int number_parameter(Builder *b, const Env *env, const AstExpr *e, Code code);

// --- sweep.c
const AstItem *sweep_drive(Builder *b, const AstItem *frequency); // the input's value, as a `set`
void sweep_declare(Builder *b, const AstClass *experiment);       // its frequency as a parameter
void sweep_build(Builder *b, const Env *env, const AstItem *item, Sweep *s);
void search_build(Builder *b, const Env *env, const AstItem *items, Probes *probes, Aims *s);
Unit unit_named(Builder *b, Name name); // 1 where there is none
int sweep_place(Builder *b, const Sweep *s, const AstExpr *e, const Env *env); // -1: reported
bool scalar_signal(Builder *b, const Env *env, const AstExpr *e, Signal *s, Dim *dim);
void declare_hidden(Builder *b, const AstItem *param); // a parameter of the root, not of its class

void display_units(Builder *b, const AstItem *items); // display.c: `display` of an experiment

// --- chosen.c
Definition definition_of(const Builder *b, const Env *env, const AstExpr *path); // by its name
const Chosen *chosen_of(const Builder *b, const Env *env, const AstExpr *path);  // NULL: it is none

// --- sets.c
bool is_set(const AstItem *item);                                // param name: Type
bool set_is_pure(Builder *b, const AstItem *item, Definition d); // nothing but parameters, or said
typedef struct { // of an array of sets that is handed on
    Definition definition;
    const AstExpr *value;
    const Env *env;
    Name name;        // of the element in the component that gets it
    const int *index; // one or two
} SharedElement;
void set_share_element(Builder *b, int owner, const AstItem *item, const SharedElement *s);
void set_share(Builder *b, int owner, const AstItem *item, Definition d, const AstExpr *value,
               const Env *env); // `owner` gets a name for the set that `value` leads to

// --- mechanisms: mechanism.c, mechanism_tree.c, mechanism_form.c, mechanism_build.c --------------

bool is_mechanism(const Builder *b, int instance);
bool is_mounted(const Builder *b, int instance); // a mechanism on a body of another one
void open_mechanism(Builder *b, int instance);   // before its statements
void declare_part(Builder *b, int instance, const AstItem *item, const Env *env, int level);
// `form` and `coordinates`, before all parts; direct: not inside of a condition or a loop
void declare_form(Builder *b, int instance, const AstItem *item, const Env *env, bool direct);
void close_mechanism(Builder *b, int instance); // after them: the tree
int mount_body(Builder *b, int mechanism);      // the body that carries it; PART_WORLD: none
const AstArg *find_clause(const Builder *b, const AstItem *item, const char *word); // NULL: none
int part_entity(const Builder *b, int instance, const char *name); // -1: it has none
void mechanism_laws(Builder *b, int instance);
// A set of parameters, or on a body of one: nothing moves, only its functions are called.
bool is_called_only(const Builder *b, int instance);
// The data alone, and which of its frames an instance is (-1: none); NULL: reported.
const Mechanism *called_mechanism(Builder *b, int instance, int frame_instance, int *frame);

// --- parameter.c ---------------------------------------------------------------------------------

typedef struct {
    bool has_unit;
    Unit unit; // for plain numbers
    Dim dim;   // for everything else
} Target;

Target param_target(Builder *b, const Entity *x);
bool param_evaluate(Builder *b, int entity);   // numbers of a parameter or constant
void param_structural(Builder *b, int entity); // mark it and what it depends on
bool implicit_is(const Entity *x);             // implicit.c: given by an equation
bool implicit_solve(Builder *b, int entity);
bool global_evaluate(Builder *b, int global);
bool table_number(Builder *b, const AstExpr *e, const Env *env, bool has_unit, const Unit *unit,
                  double *x);
// Do n numbers rise? Else it is reported. at: the expression of the first number, `stride` from one
// to the next.
bool table_rises(Builder *b, const AstClass *class, int n, const double *x, AstExpr *const *at,
                 int stride, const char *what);
typedef void TableSlopes(int count, const double *x, const double *y, double *slope);
const Table *table_make(Builder *b, const AstClass *c, int n, const double *x, const double *y,
                        TableSlopes *slopes);        // slopes: of a smooth one
const Grid *grid_build(Builder *b, const Global *g); // grid_table.c
int grid_add(Dag *d, const Grid *g);                 // the number of its first table
Expr grid_value(Dag *d, const Grid *g, int first, const Expr *x);
int grid_argument(const Grid *g, int first, int number);
int global_find(Builder *b, Definition d);
bool size_evaluate(Builder *b, const AstExpr *e, const Env *env, const char *what, int least,
                   int *size);
bool number_evaluate(Builder *b, const AstExpr *e, const Env *env, const char *what,
                     bool structural, Constant *c);

// --- later stages --------------------------------------------------------------------------------

void find_dimensions(Builder *b);
bool instance_dimension(Builder *b, int instance); // false: wrong
void add_terminal(Builder *b, Terminal t);
Pos terminal_pos(const Builder *b, const Terminal *t); // of its declaration

void gather_bonds(Builder *b); // several bonds at one joint or frame
void connect_bonds(Builder *b);
bool no_errors(const Builder *b); // since the instantiation began
void infer_domains(Builder *b);
Dim node_effort(const Builder *b, int node);
Dim node_flow(const Builder *b, int node);
Dim wanted_argument(const Builder *b, int instance); // unit of R, C, I, m, r; unknown: any
Dim dim_second(void);
Dim dim_of_unit(const char *text); // of a unit that is known to be right
int find_domain(Builder *b, const AstExpr *path, const Env *env);
void add_builtin_domains(Builder *b);

void flatten(Builder *b);
void parameter_values(Builder *b);
void builtin_law(Builder *b, int instance);
bool primes_scalar(Builder *b, const AstExpr *left, const Value *x);    // true: reported
bool equation_sides(Lower *l, Value *x, Value *y, const AstItem *item); // false: reported
void user_equations(Builder *b);
void causality_requests(Builder *b);
// Sorts statements by their text, so that their order in the file does not matter.
void order_by_text(Builder *b, Statement *s, int count,
                   const char *(*text)(Builder *b, const AstItem *item));
void lower_whens(Builder *b);                     // when.c
bool is_condition(Builder *b, Expr condition);    // relations and discrete variables, and or not
void order_modes(Builder *b);                     // modes.c
bool lower_modes(Builder *b, int rank, int comp); // of the instance with this rank
void lower_instants(Builder *b);                  // modes that are there for an instant
void guard_tables(Builder *b);                    // table_ends.c
Value lower_sample(Lower *l, const AstExpr *e, const Env *env); // sample(period, offset)
Value lower_delay(Lower *l, const AstExpr *e, const Env *env);  // delay.c
Value lower_pre(Lower *l, const AstExpr *e, const Env *env);    // pre(x)
void finish_model(Builder *b); // der(x) variables take their place in the order

// live.c
bool is_driven(const Builder *b, const char *path); // by `live`, as a whole or in parts
// A number of an experiment, such as `stop 5 {s}`. False: reported.
bool plain_number(Builder *b, const Env *env, const AstExpr *e, Dim dim, const char *what,
                  double *x);
bool live_build(Builder *b, const Env *env, const AstItem *item, Live *to);
Experiment *build_experiment(Builder *b, Definition experiment);

#endif
