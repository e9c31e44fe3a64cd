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
//   grid_table.c  tables of two variables              delay.c       delay(x, T)
//   modes.c       laws that switch
//   experiment.c  what is to be run, plotted and expected
//
// Expressions are lowered by lower.c in three ways: to numbers (sizes, conditions, values of
// parameters), to shapes and units (before variables exist) and to symbols (the final equations).
#ifndef BONDYN_LANG_BUILD_H
#define BONDYN_LANG_BUILD_H

#include "base/array.h"
#include "expr/matrix.h"
#include "lang/lang.h"
#include "lang/lookup.h"
#include "lang/pairs.h"

enum {
    MOST_SCALARS = 20000000, // unless LangOptions says otherwise
    DEEPEST_NESTING = 100,   // instances within instances
    DEEPEST_LOWERING = 1200, // expressions within functions within parameters ...
    MOST_INLINED = 200000,   // expressions that functions put into one statement
    LARGEST_SIZE = 100000,   // of one vector, or of one side of a matrix
};

// --- scopes --------------------------------------------------------------------------------------

typedef struct Value Value;

// Where a piece of text stands: whose members, which file's definitions, and the loop variables
// and function arguments that are around it.
typedef struct Env Env;
struct Env {
    const Env *outer;    // NULL at the level of a class, function or file
    const AstFile *file; // whose definitions are seen
    int instance;        // whose members are seen; -1: none
    int element;         // inside a law of a built-in element: that element; -1 otherwise
    Name name;           // loop variable, function argument or local name; 0: none
    double number;       // value of a loop variable
    const Value *value;  // value of a function's name; NULL for a loop variable
};

// --- values --------------------------------------------------------------------------------------

enum {
    IS_PLAIN = 1,     // made of plain numbers only: takes the unit of its target
    HAS_TIME = 2,     // depends on time
    HAS_VARIABLE = 4, // depends on variables
    IS_ZERO = 8,      // the plain number 0, which fits every unit and every shape
    HAS_PARAM = 16,   // depends on parameters
    VARIES = HAS_TIME | HAS_VARIABLE,
    CARRIED = VARIES | HAS_PARAM, // what an expression has if any part of it has it
};

struct Value {      // a lowered expression
    int rows, cols; // rows = 0: wrong, and already reported
    Expr one;       // entry of a scalar
    Expr *many;     // entries of the others, row by row
    Dim dim;
    uint8_t is;
};

typedef struct { // a value that is known as numbers
    int rows, cols;
    double one, *many;
    Dim dim;
    uint8_t is; // IS_PLAIN, IS_ZERO
} Constant;

// --- instances -----------------------------------------------------------------------------------

typedef struct { // a type of element that the language knows by itself
    const char *type;
    CompKind kind;
    bool modulated;
    int ports;            // 0: a junction
    const char *argument; // "R"; NULL: none
    const char *start;    // "q0"; NULL: none
    const char *state;    // "q"; NULL: none
    Role role;
} Builtin;

const Builtin *builtin_find(const char *type); // NULL: not built in
const Builtin *builtin_junction(int kind);     // 0 or 1
const Builtin *builtin_at(int index);          // NULL behind the last; for suggestions

typedef struct {     // 104 bytes: what only classes have and what only built-in elements have share
    int parent;      // -1 for the root
    Name name, path; // "r[3]", "line.r[3]"
    int rank;        // place in the order of paths
    const AstItem *item;    // its declaration; NULL for the root
    const Env *env;         // where the declaration stands: arguments are read there
    const AstClass *class;  // NULL for built-in elements
    const Builtin *builtin; // NULL for classes
    union {
        struct {
            const AstExpr *argument; // built-in: its main argument, or the value of a source
            const AstExpr *start;    // built-in: q0 or p0
            Dim argument_dim;
        };
        struct {
            const AstItem *role_item;
            const Env *role_env;
            int first_part, part_count; // of a mechanism, those mounted on it included:
                                        // into Builder.part
        };
    };
    int dim, dim2;      // built-in: of the junction or of the port(s); 0 = not known yet
    int first_terminal; // built-in: its ports follow each other; classes: head of a list; -1: none
    int comp;           // in the flat model; -1: none
    int var;            // built-in: its first variable
    uint8_t depth;
    uint8_t argument_is; // flags of the argument's value
    uint8_t state;       // 0 fresh, 1 its dimension is being found, 2 found, 3 wrong
    Role role : 8;       // of classes, from lossless, supplies ...; ROLE_NONE: not said
    bool own_symbol : 1; // its argument is a plain number and becomes a parameter of its own
    bool field : 1;      // a class with equations about its own ports
    bool part : 1;       // a joint or frame of a mechanism: its port may stay without a bond
    bool argument_set, start_set; // by `set`: to be read where that stands
} Instance;

typedef enum {
    ENTITY_PARAM,
    ENTITY_CONST,
    ENTITY_INPUT,
    ENTITY_OUTPUT,
    ENTITY_LOCAL,
    ENTITY_PORT,
    ENTITY_EFFORT, // of a joint or frame
    ENTITY_FLOW
} EntityKind;

typedef struct { // a declared name of a class's instance
    EntityKind kind;
    uint8_t state;   // parameters: 0 fresh, 1 being evaluated, 2 known, 3 wrong
    bool structural; // fixed a size, a loop or a condition
    int owner;
    Name name;
    const AstItem *item;
    const Env *env;       // of the declaration
    const AstExpr *value; // parameters and inputs: what it is set to; NULL: nothing
    const Env *value_env;
    int rows, cols; // 0: not known (a parameter takes the shape of its value)
    bool scalar;    // a parameter that does not: it is one number
    Dim dim;
    Name unit;               // to show
    const char *second_unit; // of the scalars from `split` on, such as rad behind m; NULL: the same
    int split;
    int first;      // first variable; ports, efforts, flows: the terminal; -1: none
    int alias;      // a parameter that is just another one; -1: it is not
    Constant known; // value of a parameter or constant
    Pos *set_by;    // inputs: per scalar, the equation that sets it
} Entity;

typedef struct { // a port or a junction: whatever a bond can end at
    int instance;
    Name name; // 0 for the only port of a built-in element and for junctions
    int dim;
    int node;               // first of `dim` scalar nodes
    int domain;             // into Builder.domain; -1: any
    int next;               // next port of the same class instance; -1
    int e, f;               // variables; -1: none
    int port;               // in the flat model; -1: none
    int16_t domain2, split; // of a mechanism: of the scalars from `split` on, if split > 0
    int16_t runs;           // of a mechanism: ports it becomes, one for each bonded stretch
    bool out : 1, junction : 1;
    bool of_class : 1;    // port of a model or element the user wrote
    bool transparent : 1; // a model's port that is bonded inside: it vanishes
    bool used : 1;        // the class has an equation with it
} Terminal;

typedef struct {
    const char *name, *effort_unit, *flow_unit;
    Dim effort, flow;
    bool pseudo; // the flow itself is the power
    bool motion; // the flow is a velocity
} Domain;

typedef struct { // a joint, a body, a frame or the gravity of a mechanism, as it was declared
    const AstItem *item;
    const Env *env;
    int owner;    // instance of the mechanism in which it stands
    int instance; // of a joint or frame; -1: none
    Name path;    // of bodies, which are no members: "arm.link[2]"
    int level;    // of the classes that extend each other: 0 for the innermost
    JointKind kind;
    EulerAngles angles; // of a joint
    TieKind tie;        // of a constraint; TIE_JOINT: it holds what a joint of the kind above does
    int parent, child;  // of a joint: parts; of a frame: parent; of a constraint: bodies or frames;
                        // PART_WORLD, or PART_WRONG
    bool from_world;    // `world` was written: in a mounted mechanism the body that carries it
    bool to_world;      // of a constraint: the same for the child
} MechPart;

enum { PART_WORLD = -1, PART_WRONG = -2 };

typedef struct { // a statement and where it stands
    const Env *env;
    const AstItem *item;
} Statement;

typedef struct { // anything with a name inside an instance, for the walk in order of names
    int owner;
    int index; // instance, or ~entity
} Member;

typedef struct { // `set path = value` of an experiment or of the command line
    Name path;
    const AstItem *item;
    const Env *env;
    bool used;
} Override;

typedef struct Grid Grid; // a table of two variables

typedef struct { // a constant of the top level, or a table
    const AstClass *class;
    const AstFile *file;
    uint8_t state; // as for parameters
    Constant known;
    const Table *table;
    const Grid *grid;
    int number[2]; // of the (first) table in the scratch graph and in the model's graph; -1: not
                   // yet
} Global;

typedef struct {
    int terminal, first;
    bool inside; // the port of the model in which the bond is written
} RawEnd;

typedef struct {
    RawEnd from, to;
    int dim;
    int first_scalar;
    Pos pos;
} RawBond;

typedef struct {     // effort and flow of everything that is bonded together
    Dim e, f, ratio; // ratio = e/f
    int domain;      // -1: unknown
    int by;          // the terminal that told something first; -1: none
    bool broken;     // different domains meet: nothing is checked any more
} NodeClass;

typedef enum { WHEN_OUTSIDE, WHEN_CONDITION, WHEN_VALUE } WhenPart;

typedef struct { // an inverse that is unknowns, see inverse.c
    const Expr *entry;
    int rows, comp, first; // first: its variables
} HiddenInverse;

typedef struct { // a scalar of an input alone on the right side of an equation
    int entity;
    Expr what;
    Pos pos;
} InputRead;

typedef struct Builder {
    Arena *out; // of the model
    Arena tmp;  // until the model is ready
    Syntax *syntax;
    Names *names;
    Report *r;
    Model *model;
    Dag *dag, *scratch;
    Expr dummy; // stands for every variable when only shapes are asked
    int limit;  // of scalars
    int scalars, depth, inlined;
    int errors;  // in the report before we started
    bool stop;   // nothing sensible can follow
    bool frozen; // the variables are final: no new derivatives
    bool last;   // the syntax is not needed any more

    Pairs members; // (instance, name) -> 4*index + MEMBER_...
    Pairs said;    // (place, code): what was reported already
    Pairs globals; // (source, name) -> global
    Pairs units;   // powers of a dimension -> its printed unit
    Remark unsaid; // where second reports of the same thing go
    ARRAY(Instance) instance;
    ARRAY(Entity) entity;
    ARRAY(Terminal) terminal;
    ARRAY(Domain) domain;
    ARRAY(Member) member;
    ARRAY(Statement) bond, equation, wish, when, modes;
    ARRAY(Override) override;
    ARRAY(MechPart) part;
    Pairs bodies; // (0, path) -> part
    Pairs forms;  // (ITEM_FORM or ITEM_COORDINATES, mechanism) -> part
    ARRAY(Mechanism) mechanism;
    ARRAY(Mechanism) lender; // whose functions are called, without variables
    Pairs lenders;           // (0, instance) -> lender
    ModelTracer trace;       // Nullable
    ARRAY(Global) global;
    ARRAY(int) visiting; // parameters that are being evaluated, outermost first
    ARRAY(const AstClass *) calling;

    int node_count;
    ARRAY(RawBond) raw;
    int *node_class; // per scalar node, after domains
    int *joined;     // per scalar node: equal for those of one flow, if there are mechanisms
    NodeClass *classes;

    bool *bonded;      // per scalar node, if there are mechanisms
    int *member_start; // per instance: its members in order, into `member`
    ARRAY(Var) var;    // symbol number = place in this list
    ARRAY(Comp) comp;
    ARRAY(Port) port;
    ARRAY(Bond) flat;
    ARRAY(Equation) law, start;
    ARRAY(Steady) steady;
    ARRAY(InputRead) read;
    ARRAY(HiddenInverse) hidden;
    const Statement *law_statement; // the equation that is being lowered, and whose law it is
    int law_comp;
    Expr *argument_room; // for Comp.argument
    int argument_left;
    ARRAY(ModeChoice) choice;
    ARRAY(int) choice_statement; // into `modes`
    ARRAY(Mode) mode;
    ARRAY(Equation) mode_law;
    ARRAY(When) branch;
    ARRAY(Action) action;
    ARRAY(Sample) sample;
    ARRAY(Before) before;
    ARRAY(Delay) delay;
    Pairs started;          // (0, variable) -> instance whose `initial` gives its start value
    Pairs samples, befores; // expressions -> sample, before
    WhenPart when_part;     // where the expression that is being lowered stands
    Rates *rates;
    ExprWalk *walk;
} Builder;

enum { MEMBER_ENTITY, MEMBER_INSTANCE, MEMBER_ARRAY, MEMBER_BROKEN };

// --- reports, each place and code once -----------------------------------------------------------

Remark *complain(Builder *b, Code code, Pos pos, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
Remark *caution(Builder *b, Code code, Pos pos, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// "... is not a finite number", with what to look for.
void complain_not_finite(Builder *b, Pos pos, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
const char *text_of(const Builder *b, Name name);
const char *dim_text(Builder *b, Dim d);                // "N.s/m", lives as long as the report
const char *in_unit(Builder *b, Dim d);                 // "is in N.s/m", "has no unit"
Name dim_unit(Builder *b, Dim d);                       // how to show it; 0: nothing to show
const char *shape_text(Builder *b, int rows, int cols); // "a scalar", "a 3-vector", "2 x 3"
const char *expr_text(Builder *b, const AstExpr *e);    // as written
void suggest_members(Builder *b, Suggestion *g, int instance);
Pos ast_start(const AstExpr *e); // of its leftmost word

// What a component can be made of, as bits.
#define COMPONENT_CLASSES (1u << CLASS_MODEL | 1u << CLASS_ELEMENT | 1u << CLASS_MECHANISM)

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

// --- sweep.c
const AstItem *sweep_drive(Builder *b, const AstItem *frequency); // the input's value, as a `set`
void sweep_declare(Builder *b, const AstClass *experiment);       // its frequency as a parameter
void sweep_build(Builder *b, const Env *env, const AstItem *item, Sweep *s);
int sweep_place(Builder *b, const Sweep *s, const AstExpr *e, const Env *env); // -1: reported
bool scalar_signal(Builder *b, const Env *env, const AstExpr *e, Signal *s, Dim *dim);
void declare_hidden(Builder *b, const AstItem *param); // a parameter of the root, not of its class

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
bool is_lender(const Builder *b, int instance);
// The data alone, and which of its frames an instance is (-1: none); NULL: reported.
const Mechanism *mechanism_lender(Builder *b, int instance, int frame_instance, int *frame);

// --- parameter.c ---------------------------------------------------------------------------------

typedef struct {
    bool has_unit;
    Unit unit; // for plain numbers
    Dim dim;   // for everything else
} Target;

Target param_target(Builder *b, const Entity *x);
bool param_evaluate(Builder *b, int entity);   // numbers of a parameter or constant
void param_structural(Builder *b, int entity); // mark it and what it depends on
bool global_evaluate(Builder *b, int global);
bool table_number(Builder *b, const AstExpr *e, const Env *env, bool has_unit, const Unit *unit,
                  double *x);
// Do n numbers rise? at: the first of them as it is written, `stride` from one to the next.
bool table_rises(Builder *b, const AstClass *class, int n, const double *x, AstExpr *const *at,
                 int stride, const char *what);
typedef void TableSlopes(int count, const double *x, const double *y, double *slope);
const Table *table_make(Builder *b, const AstClass *c, int n, const double *x, const double *y,
                        TableSlopes *slopes);        // slopes: of a smooth one
const Grid *grid_build(Builder *b, const Global *g); // grid_table.c
int grid_add(Dag *d, const Grid *g);                 // the number of its first table
Expr grid_value(Dag *d, const Grid *g, int first, Expr x, Expr y);
int grid_argument(const Grid *g, int first, int number);
int global_find(Builder *b, Definition d);
bool size_evaluate(Builder *b, const AstExpr *e, const Env *env, const char *what, int least,
                   int *size);
bool number_evaluate(Builder *b, const AstExpr *e, const Env *env, const char *what,
                     bool structural, Constant *c);

// --- lower.c, call.c, rates.c, value.c, path.c ---------------------------------------------------

typedef enum { TO_NUMBERS, TO_SHAPES, TO_SYMBOLS } LowerMode;

typedef struct Probes { // of an experiment
    ARRAY(Probe) list;
    double start, stop;
    const Sweep *sweep;
} Probes;

typedef struct {
    Builder *b;
    LowerMode mode;
    Dag *dag;
    bool structural;     // parameters that are read fix the structure
    const char *purpose; // TO_NUMBERS: "a size", for the message about variables
    Probes *probes;      // inside an expectation
} Lower;

Lower lower_numbers(Builder *b, const char *purpose, bool structural);
Lower lower_shapes(Builder *b);
Lower lower_symbols(Builder *b);

Value lower(Lower *l, const AstExpr *e, const Env *env);
Value lower_call(Lower *l, const AstExpr *e, const Env *env);
Value lower_probe(Lower *l, const AstExpr *e, const Env *env, bool *is_probe);
Value lower_der(Lower *l, Value v, Pos pos); // rates.c
// inverse.c: is an inverse better left to the run? Then: its unknowns.
bool inverse_is_hidden(const Builder *b, const Value *x);
Value hidden_inverse(Lower *l, const Value *x, const AstExpr *e);
Value lower_along(Lower *l, const AstExpr *e, const Env *env);
Value lower_model_function(Lower *l, const AstExpr *e, const Env *env, bool *is_one);
// Signals of bodies, frames and mechanisms that are no variables (model_signal.c).
bool is_model_signal(Builder *b, const AstExpr *e, const Env *env);
Value lower_model_signal(Lower *l, const AstExpr *e, const Env *env, bool *is_one);
Value lower_added_mass(Lower *l, const AstExpr *e, const Env *env);
void value_wants_time(Lower *l, const AstExpr *e); // in an expectation: reports it
// The last name of a path with its indices as numbers, "link[2]"; 0: they are none, and reported.
Name indexed_name(Builder *b, const AstExpr *e, const Env *env);
Expr derivative_symbol(Builder *b, int var);
Name label_of(Builder *b, const AstExpr *e);   // as it is written
Name signal_unit(Builder *b, Expr e, Dim dim); // of a variable its own, else that of the dimension

#define VALUE_BAD ((Value){0})
Value value_number(Lower *l, double x);
Value value_constant(Lower *l, const Constant *c);
Value value_new(Lower *l, int rows, int cols, Dim dim, unsigned is);
static inline bool value_ok(const Value *v) { return v->rows > 0; }
static inline int value_count(const Value *v) { return v->rows * v->cols; }
static inline Expr value_at(const Value *v, int i) {
    return v->rows * v->cols == 1 ? v->one : v->many[i];
}
static inline void value_put(Value *v, int i, Expr e) {
    if (v->rows * v->cols == 1)
        v->one = e;
    else
        v->many[i] = e;
}
Matrix value_matrix(Lower *l, const Value *v);
Value value_of_matrix(Matrix m, Dim dim, unsigned is);
bool value_numbers(Lower *l, const Value *v, Constant *c, Arena *out); // false: not all finite
Value value_binary(Lower *l, BinaryOp op, Value a, Value b, const AstExpr *e);
Value value_unary(Lower *l, char op, Value a, const AstExpr *e);
typedef struct { // x[at, at]
    const AstArg *at;
    int count;
    const Env *env;
    Pos pos;
    int sizes; // that x was declared with; 0: with none, its shape is that of its value
} Subscripts;
typedef struct { // of a matrix: from row and column (1, 1) on
    int row, col, rows, cols;
} Part;
bool select_part(Lower *l, int rows, int cols, const Subscripts *s, Part *part); // false: reported
Value value_select(Lower *l, Value v, const Subscripts *s);
// Fits a value to its target: a plain one takes the unit, others are checked. False: reported.
bool value_fit(Lower *l, Value *v, bool has_unit, const Unit *unit, Dim dim, Pos pos,
               const char *target);
bool value_shape(Lower *l, Value *v, int rows, int cols, Pos pos, const char *target);

typedef enum {
    REF_BAD, // reported
    REF_NONE,
    REF_LOOP,     // env
    REF_VALUE,    // env
    REF_PARAM,    // entity; constants too
    REF_VARIABLE, // entity
    REF_EFFORT,   // terminal
    REF_FLOW,     // terminal
    REF_STATE,    // built-in instance
    REF_ARGUMENT, // built-in instance
    REF_PORT,     // terminal
    REF_INSTANCE, // instance
    REF_ARRAY,    // name of an array of components; index: the instance that it belongs to
    REF_GLOBAL,   // global constant
    REF_FUNCTION, // the name of a function or table
} RefKind;

typedef struct {
    RefKind kind;
    int index;
    const Env *env;
    const AstArg *subscripts; // those that remain to be applied
    int subscript_count;
    bool inside; // REF_PORT: of the very instance in which it is written
    Pos pos;
} Ref;

enum { ELEMENT_NAME = 300 };
// "r[3]" or "K[1,2]"; returns the length.
size_t element_text(char out[ELEMENT_NAME], const char *word, const int *index, int count);
// What a path means. `quiet`: REF_NONE instead of a report when the first name is unknown.
Ref path_resolve(Builder *b, const AstExpr *path, const Env *env, bool quiet);
Value ref_value(Lower *l, const Ref *ref, const AstExpr *e, const Env *env);
int ref_variables(Builder *b, const Ref *ref, int *count, int *rows); // first of them; -1: none

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
bool equation_sides(Lower *l, Value *x, Value *y, const AstItem *item); // false: reported
void user_equations(Builder *b);
void causality_wishes(Builder *b);
// Statements in an order that does not depend on where they stand.
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

Experiment *build_experiment(Builder *b, Definition experiment);

#endif
