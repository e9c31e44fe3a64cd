// The syntax tree, as the parser leaves it: names are not yet looked up, sizes not yet known.
// Nodes live in an arena and are never changed after parsing.
//
// What the parser promises: an expression is at most AST_DEEPEST nodes deep (a sum of n terms is n
// deep) and bodies are nested at most AST_NESTED times, so walking the tree by recursion is safe.
#ifndef BONDYN_LANG_AST_H
#define BONDYN_LANG_AST_H

#include "base/names.h"
#include "base/source.h"
#include "base/text.h"
#include "lang/units.h"
#include <stdbool.h>

typedef struct AstExpr AstExpr;
typedef struct AstItem AstItem;
typedef struct AstClass AstClass;

enum { AST_DEEPEST = 1000, AST_NESTED = 200 };

// --- expressions --------------------------------------------------------------------------------

typedef enum {
    AST_NUMBER, // number; true and false are 1 and 0
    AST_NAME,   // name, args = subscripts if subscripted:  x   r[2]   K[i,j]   (a[:] is AST_RANGE
                // without ends)
    AST_MEMBER, // left '.' name, args = subscripts:        motor.shaft   r[2].e
    AST_CALL,   // left '(' args ')':                        sin(x)   spring.q(end)
    AST_UNARY,  // op left:  '-'  '+'  'n' (not)  '\'' (transpose)
    AST_BINARY, // left op right
    AST_IF,     // left = condition, right = then, other = else
    AST_VECTOR, // '(' args with a comma ')'
    AST_MATRIX, // '[' rows ']': args in order, columns = entries per row
    AST_RANGE,  // left ':' right (either may be NULL in a subscript)
    AST_WITH_UNIT, // left {unit}; `-5 {degC}` is (-5) {degC}
    AST_TIME,
    AST_END,    // the word `end` as a time in an experiment
    AST_STRING, // only as an argument
} AstExprKind;

typedef enum { // binary operators
    BIN_ADD,
    BIN_SUB,
    BIN_MUL,
    BIN_DIV,
    BIN_POW,
    BIN_EQ,
    BIN_NE,
    BIN_LT,
    BIN_LE,
    BIN_GT,
    BIN_GE,
    BIN_AND,
    BIN_OR
} BinaryOp;

typedef struct {
    Name name; // 0: positional
    AstExpr *value;
    Pos pos;
} AstArg;

// A flat model of 100000 bonds has 300000 of these: what no kind needs together shares its place,
// and numbers and names without subscripts, by far the most frequent, end before `right`.
struct AstExpr { // 40 bytes
    AstExprKind kind : 8;
    uint8_t op;     // BinaryOp, or the unary character
    uint16_t depth; // nodes on the longest way down, this one included
    int arg_count;
    Pos pos;
    union {
        Name name;      // AST_NAME, AST_MEMBER, AST_STRING
        int columns;    // AST_MATRIX
        Name unit_text; // AST_WITH_UNIT
        AstExpr *other; // AST_IF
    };
    union {
        AstExpr *left; // all with a first part, and AST_MEMBER, AST_CALL
        double number; // AST_NUMBER
    };
    union {
        AstExpr *right;   // AST_BINARY, AST_IF, AST_RANGE
        AstArg *args;     // where arg_count > 0
        const Unit *unit; // AST_WITH_UNIT; equal ones are often the same
    };
};
_Static_assert(sizeof(AstExpr) == 40, "as said above");

// --- declarations and statements ----------------------------------------------------------------

typedef enum {
    ITEM_PARAM,
    ITEM_CONST,
    ITEM_PORT,
    ITEM_INPUT,
    ITEM_OUTPUT,
    ITEM_VAR,
    ITEM_COMPONENT, // type name(args) [: laws]  or  type name = value
    ITEM_CHOSEN,    // param name: model = path; left = the usual one, or NULL
    ITEM_BOND,      // ends[] -> ends[]: one item per '->'; a chain a -> b -> c is two items that
    // follow each other and share the AstExpr of b. The order matters for two-ports:
    // b is entered (p1) by the first and left (p2) by the second
    ITEM_EQUATION, // left = right
    ITEM_INITIAL, // initial left = right; `initial steady`: both are this one name; `initial steady
                  // left`: right is NULL
    ITEM_FOR,     // name in range: body
    ITEM_IF,      // condition: body, otherwise (elseif is an ITEM_IF alone in otherwise)
    ITEM_WHEN,    // condition (NULL: at the start): body, otherwise (elsewhen, an ITEM_WHEN alone)
    ITEM_REINIT,  // in the body of a when: left := right for a state
    ITEM_TERMINATE, // likewise: the run is over; text = why
    ITEM_ASSERT,    // left must hold during a run; text = what is wrong if it does not
    ITEM_MODES,     // body: one ITEM_MODE each; left: the discrete variable that tells, or NULL
    ITEM_MODE,      // name: laws while left (once: when left); left may be NULL
    ITEM_CAUSALITY, // causality path word
    ITEM_STORES,    // stores expression
    ITEM_LOSSLESS,
    ITEM_SUPPLIES,
    ITEM_DISSIPATES,
    // in experiments
    ITEM_SET, // left = right
    ITEM_START,
    ITEM_STOP,
    ITEM_POINTS,
    ITEM_EVERY,       // left
    ITEM_SOLVER,      // name = method, args = options by name
    ITEM_PLOT,        // text = title, exprs = curves, right = abscissa or NULL
    ITEM_DISPLAY,     // unit in which variables are shown
    ITEM_RECORD,      // patterns as texts in exprs (AST_STRING with name = the pattern)
    ITEM_EXPECT,      // left relation right [within tolerance [relative]]
    ITEM_AUDIT,       // left = bound, or NULL for `off`
    ITEM_FREQUENCY,   // left = the input, args = clauses by their word, exprs = what answers
    ITEM_MINIMISE,    // left; relative: maximise
    ITEM_OVER,        // left = a parameter, right .. tolerance = its range
    ITEM_SUBJECT,     // left relation right
    ITEM_FIT,         // left = what the model gives, right = the data [within tolerance]
    ITEM_SENSITIVITY, // exprs = signals, args = parameters
    ITEM_ANALYSIS, // name = its word, exprs = paths (given: and values; vary: values), left and right: amounts
    ITEM_LIVE, // left = the input, args = what drives it (the second value of a source has no name),
               // right = scale or NULL
    // in mechanisms; args are the clauses in order, by their word: at, rotated and by (axis and
    // angle of one turn), mass, initial ... An axis is an expression or AST_STRING "x", "-z"
    ITEM_GRAVITY, // left = the vector, or NULL for `off`
    ITEM_JOINT,   // path = kind, exprs = parent and child; first clauses: axis, axis2, pitch. A
                  // coordinate of a lagrangian: without exprs
    ITEM_BODY,
    ITEM_FRAME,    // exprs = body; out: in the axes of the world; path: in those of another place
    ITEM_TIE,      // path = kind, exprs = the two ends; first clauses: axis, axis2, pitch
    ITEM_ENERGY,   // name = kinetic, potential or dissipation; left
    ITEM_VELOCITY, // of a lagrangian: path = kind of joint with such a flow; left
    ITEM_SHAPE,    // for the view: exprs = body
    ITEM_FORM,     // name = lagrange or momentum
    ITEM_COORDINATES, // name = euler or quaternion; text = the sequence of axes, or 0
} ItemKind;

// As with expressions, what no kind needs together shares its place. A bond, the most frequent one,
// ends before `left`.
struct AstItem { // 112 bytes
    ItemKind kind : 8;
    bool relative : 1; // expect: the tolerance
    bool out : 1;      // port: power counts positive out
    bool optional : 1; // port: it exists only where a bond comes to it
    bool has_unit : 1;
    bool discrete : 1; // var, output: changes at events only
    bool set : 1;      // ITEM_COMPONENT: `param name: Type`, a set of parameters; left: which one
    bool warns : 1;    // assert: the run goes on
    bool once : 1;     // mode: for an instant
    int8_t junction;   // ITEM_COMPONENT: 0 or 1 for a junction, -1 otherwise
    Name name;         // declared name, loop variable, method, causality word
    Pos pos;           // of the name, or of the statement
    AstItem *next;
    Name text; // description or title
    union {
        int expr_count; // of exprs
        Name unit_text; // of declarations
    };
    union {
        AstExpr **exprs;    // bond: tails then heads; plots; records; joints and frames: bodies
        AstItem *laws;      // ITEM_COMPONENT, ITEM_MODE: list of ITEM_EQUATION
        AstExpr *tolerance; // expect
    };
    union {
        int arg_count;     // of args
        int tail_count;    // bond: how many of exprs stand left of the arrow
        int chooses;       // ITEM_CHOSEN: CLASS_MODEL, CLASS_FUNCTION or CLASS_TABLE
        BinaryOp relation; // expect: BIN_EQ, BIN_LT, BIN_GT, BIN_LE, BIN_GE
    };
    int size_count;
    AstItem *body, *otherwise; // for and if
    // left: the value of a param, const, input or source (`Se s = left`), the start value of a var,
    //       the condition of if, the range of for, the argument of stores, start, stop, points ...
    // left and right: the sides of equation, initial, set and expect; right: the abscissa of a plot
    AstExpr *left;
    union {
        AstExpr *right;
        AstExpr *path; // component type or port domain; causality: the component; joint: its kind
    };
    AstArg *args;
    AstExpr **size; // name[2,3]: 2, 3 (or the index inside a for loop)
    union {
        AstExpr *dimension; // Type[3] name, port name: domain[3]: 3
        const Unit *unit;   // param, const, input, output, var: the declared one, if has_unit
    };
    AstItem *mount; // ITEM_COMPONENT in a mechanism: an ITEM_FRAME, where it is mounted
};
_Static_assert(sizeof(AstItem) == 112, "as said above");

typedef struct {
    Name name;
    bool has_unit;
    Unit unit;
    Name unit_text; // as written
    int rows, cols; // of a function of C; 0: nothing is said
    Pos pos;
} AstFormal;

typedef enum {
    CLASS_MODEL,
    CLASS_ELEMENT,
    CLASS_EXPERIMENT,
    CLASS_FUNCTION,
    CLASS_TABLE,
    CLASS_DOMAIN,
    CLASS_CONST,
    CLASS_IMPORT,
    CLASS_MECHANISM
} ClassKind;

typedef enum { BEYOND_UNSAID, BEYOND_HOLD, BEYOND_EXTRAPOLATE, BEYOND_ERROR } Beyond;

enum { TABLE_ARGUMENTS = 6 }; // at most

typedef struct { // numbers from a file, in SI units
    int count;
    const double *x, *y;
    Pos last; // where the last row stands
    // of several variables: the values of each that rise, and y of all points, the last variable
    // first in a row
    int size[TABLE_ARGUMENTS];
    const double *axis[TABLE_ARGUMENTS];
} AstData;

struct AstClass {
    ClassKind kind;
    Pos pos;
    Name name;   // import: the file or library name
    Name text;   // description
    bool quoted; // import "file"
    Name from;   // mechanism ... from "file.urdf", table ... from "file.csv"; 0 = none
                 // function ... external "lib.so": the path
    Pos from_pos;
    Name column,
        over[TABLE_ARGUMENTS]; // table from a file: columns of values and arguments; over 0: the first ones
    Pos column_pos, over_pos[TABLE_ARGUMENTS];
    const AstData *data; // what was read from there, NULL: nothing
    Beyond beyond;       // table: what it is outside of its rows
    bool lagrangian;     // CLASS_MECHANISM: coordinates and energies in place of bodies
    bool free_base;      // from "file.urdf" free: its root moves freely
    bool rounded;        // ... rounded: 1.5708 in it is 90 degrees
    bool named;          // CLASS_IMPORT: for stem.NAME only
    AstExpr *base;       // extends path, or the model of an experiment
    Name analysis;       // of an experiment: steady, poles ...; 0: a run
    Pos analysis_pos;
    AstArg *args; // of extends
    int arg_count;
    AstItem *items;
    AstFormal *formals; // function, table
    int formal_count;
    AstExpr *value;       // function result (items: its local names as equations), const value
    bool has_unit;        // table value, const
    Unit unit, flow_unit; // table value; domain effort and flow
    Name unit_text, flow_unit_text;
    AstExpr *
        *numbers; // table: x, y, x, y ...; of two variables: y1, y2 ... x, z1, z2 ... x, z1 ...
    int number_count;
    int columns; // table of two variables: how many y
    bool smooth;
    Name symbol, derivative; // function of C: what it is called there; 0: as here, none
    bool impure;
    int rows, cols; // of its result
    bool steps;     // model from "x.fmu" as cs
    double every;   // ... every so many seconds; 0: as the unit says
    AstClass *next;
};

typedef struct AstFile AstFile;
struct AstFile {
    uint32_t source;
    Name stem;   // "electric" for library/electric.bond
    bool linear; // it calls linear(...)
    AstClass *classes;
    AstFile *next;
};

void ast_print(Text *out, const Names *names, const AstExpr *e); // close to what the user wrote

#endif
