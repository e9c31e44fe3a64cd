// What instantiation works on: scopes, values, instances, and the Builder that holds them all while
// a model is made. Private to src/lang.
#ifndef BONDYN_LANG_BUILDER_H
#define BONDYN_LANG_BUILDER_H

#include "base/array.h"
#include "expr/matrix.h"
#include "lang/builtin.h"
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

// What is looked for when it is first needed. Whoever meets UNDER_WAY has come round in a circle.
typedef enum { NOT_LOOKED_FOR, UNDER_WAY, FOUND, WRONG } Finding; // WRONG: reported

// The scope of a piece of text: the instance whose members are visible, the file whose definitions
// are, and loop variables and function arguments around it.
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
    uint8_t dim_is;      // its dimension, as a Finding
    Role role : 8;       // of classes, from lossless, supplies ...; ROLE_NONE: not said
    bool own_symbol : 1; // its argument is a plain number and becomes a parameter of its own
    bool field : 1;      // a class with equations about its own ports
    bool part : 1;       // a joint or frame of a mechanism: its port may stay without a bond
    bool argument_set, start_set; // by `set`: to be read where that stands
} Instance;
_Static_assert(sizeof(Instance) == 104, "as said above");

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
    uint8_t value_is; // of parameters, as a Finding
    bool structural;  // fixed a size, a loop or a condition
    bool derived;     // a constant that follows from parameters: it changes with them
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

typedef struct { // a definition that a parameter stands for, see chosen.c
    Definition definition;
    const AstItem *item;
    const AstExpr *call; // its arguments, read in env; NULL: none
    const Env *env;
} Chosen;

typedef struct Grid Grid; // a table of two variables or more

typedef struct { // a constant of the top level, or a table
    const AstClass *class;
    const AstFile *file;
    uint8_t value_is; // as a Finding
    Constant known;
    const Table *table;
    const Grid *grid;
    const External *external; // of a function of C
    int number[2]; // of the (first) table in the scratch graph and in the model's graph; -1: not
                   // yet
} Global;

typedef struct { // an FMU that functions of the model call
    Name path;
    bool steps;               // as co-simulation
    struct ForeignUnit *unit; // NULL: it cannot be used, which is reported
} OpenUnit;

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
    int errors;                 // in the report before we started
    bool stop;                  // nothing sensible can follow
    bool frozen;                // the variables are final: no new derivatives
    bool open_inputs;           // see LangOptions
    const AstClass *experiment; // or NULL
    Experiment *plan;           // what becomes of it
    bool last;                  // the syntax is not needed any more

    Pairs members; // (instance, name) -> 4*index + MEMBER_...
    Pairs choices; // (instance, name) -> chosen
    ARRAY(Chosen) chosen;
    Pairs optional; // (instance, port) -> 1: it exists, 0: nothing is bonded to it
    Pairs said;     // (place, code): what was reported already
    Pairs globals;  // (source, name) -> global
    Pairs units;    // powers of a dimension -> its printed unit
    Remark unsaid;  // where second reports of the same thing go
    ARRAY(Instance) instance;
    ARRAY(Entity) entity;
    ARRAY(Terminal) terminal;
    ARRAY(Domain) domain;
    ARRAY(Member) member;
    ARRAY(Statement) outer; // `initial` of the experiment: before all others
    bool outermost;         // one of these is being lowered
    ARRAY(Statement) bond, equation, request, when, modes;
    ARRAY(Override) override;
    ARRAY(MechPart) part;
    Pairs bodies; // (0, path) -> part
    Pairs forms;  // (ITEM_FORM or ITEM_COORDINATES, mechanism) -> part
    ARRAY(Mechanism) mechanism;
    ARRAY(Mechanism) called;  // whose functions are called, without variables
    Pairs called_by_instance; // (0, instance) -> called
    ModelTracer trace;        // Nullable
    LangOptions options;
    ARRAY(LinearNumbers) linear; // that were asked for; n < 0: there is none
    Pairs linears;               // (0, what was asked) -> linear
    ARRAY(Global) global;
    ARRAY(OpenUnit) units_open;
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

// Kinds of classes that components can be made of, as bits.
#define COMPONENT_CLASSES (1u << CLASS_MODEL | 1u << CLASS_ELEMENT | 1u << CLASS_MECHANISM)

#endif
