// The syntax tree, as the parser leaves it: names are not yet looked up, sizes not yet known.
// Nodes live in an arena and are never changed after parsing.
#ifndef BONDYN_LANG_AST_H
#define BONDYN_LANG_AST_H

#include "base/names.h"
#include "base/source.h"
#include "lang/units.h"
#include <stdbool.h>

typedef struct AstExpr AstExpr;
typedef struct AstItem AstItem;
typedef struct AstClass AstClass;

// --- expressions
// ----------------------------------------------------------------------------------

typedef enum {
    AST_NUMBER, // number
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
    AST_WITH_UNIT, // left {unit}
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

struct AstExpr {
    AstExprKind kind;
    uint8_t op;  // BinaryOp, or the unary character
    int columns; // AST_MATRIX
    Pos pos;
    Name name;
    double number;
    AstExpr *left, *right, *other;
    AstArg *args;
    int arg_count;
    Unit unit; // AST_WITH_UNIT
    Name unit_text;
};

// --- declarations and statements
// --------------------------------------------------------------------

typedef enum {
    ITEM_PARAM,
    ITEM_CONST,
    ITEM_PORT,
    ITEM_INPUT,
    ITEM_OUTPUT,
    ITEM_VAR,
    ITEM_COMPONENT, // type name(args) [: laws]  or  type name = value
    ITEM_BOND,      // ends[] -> ends[]: one item per '->' ; a chain a -> b -> c is two items
    ITEM_EQUATION,  // left = right
    ITEM_INITIAL,   // initial left = right
    ITEM_FOR,       // name in range: body
    ITEM_IF,        // condition: body, otherwise (elseif is an ITEM_IF alone in otherwise)
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
    ITEM_EVERY,  // left
    ITEM_SOLVER, // name = method, args = options by name
    ITEM_PLOT,   // text = title, exprs = curves, right = abscissa or NULL
    ITEM_RECORD, // patterns as texts in exprs (AST_STRING with name = the pattern)
    ITEM_EXPECT, // left relation right [within tolerance [relative]]
    ITEM_AUDIT,  // left = bound, or NULL for `off`
} ItemKind;

struct AstItem {
    ItemKind kind;
    Pos pos;            // of the name, or of the statement
    Name name;          // declared name, loop variable, method, causality word
    AstExpr *path;      // component type as a path; causality: the component
    int junction;       // ITEM_COMPONENT: 0 or 1 for a junction, -1 otherwise
    AstExpr *dimension; // Type[3]: 3
    AstExpr **size;     // name[2,3]: 2, 3 (or the index inside a for loop)
    int size_count;
    bool has_unit;
    Unit unit; // declared unit
    Name unit_text;
    Name text;             // description or title
    AstExpr *left, *right; // value, sides, condition, range
    AstExpr *tolerance;    // expect
    bool relative;
    BinaryOp relation; // expect: BIN_EQ, BIN_LT, BIN_GT, BIN_LE, BIN_GE
    bool out;          // port: power counts positive out
    AstArg *args;
    int arg_count;
    AstExpr **exprs; // bond: tails then heads; plots; records
    int expr_count, tail_count;
    AstItem *laws; // ITEM_COMPONENT: list of ITEM_EQUATION
    AstItem *body, *otherwise;
    AstItem *next;
};

typedef struct {
    Name name;
    bool has_unit;
    Unit unit;
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
    CLASS_IMPORT
} ClassKind;

struct AstClass {
    ClassKind kind;
    Pos pos;
    Name name;     // import: the file or library name
    Name text;     // description
    bool quoted;   // import "file"
    AstExpr *base; // extends path, or the model of an experiment
    AstArg *args;  // of extends
    int arg_count;
    AstItem *items;
    AstFormal *formals; // function, table
    int formal_count;
    AstExpr *value;       // function result, const value
    bool has_unit;        // table value, const
    Unit unit, flow_unit; // table value; domain effort and flow
    Name unit_text, flow_unit_text;
    AstExpr **numbers; // table: x, y, x, y ...
    int number_count;
    bool smooth;
    AstClass *next;
};

typedef struct AstFile AstFile;
struct AstFile {
    uint32_t source;
    Name stem; // "electric" for library/electric.bond
    AstClass *classes;
    AstFile *next;
};

#endif
