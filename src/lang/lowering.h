// Expressions of the text lowered to numbers, shapes or symbols; values and paths. Private to
// src/lang.
#ifndef BONDYN_LANG_LOWERING_H
#define BONDYN_LANG_LOWERING_H

#include "lang/builder.h"

// --- lower.c, call.c, rates.c, value.c, path.c ---------------------------------------------------

typedef enum { TO_NUMBERS, TO_SHAPES, TO_SYMBOLS } LowerMode;

typedef struct Probes { // of an experiment
    ARRAY(Probe) list;
    double start, stop;
    const Sweep *sweep;
    bool analysis; // of an experiment that analyses: a variable is its value at the point
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
// facts.c: what an analysis finds; energies in a run; a variable at the point of an analysis.
Value lower_fact_probe(Lower *l, const AstExpr *e, const Env *env, bool *is_one);
Value probe_point(Lower *l, const AstExpr *e, const Env *env);
// Values of the arguments of a call. False: reported.
bool argument_values(Lower *l, const AstExpr *e, const Env *env, Value *x, int least, int most);
Value call_external(Lower *l, const AstExpr *e, const Env *env, Definition d); // external.c
Value lower_der(Lower *l, Value v, Pos pos);                                   // rates.c
// inverse.c: is an inverse better left to the run? Then: its unknowns.
bool inverse_is_hidden(const Builder *b, const Value *x);
Value hidden_inverse(Lower *l, const Value *x, const AstExpr *e);
Value lower_bonded(Lower *l, const AstExpr *e, const Env *env); // optional.c
Value lower_along(Lower *l, const AstExpr *e, const Env *env);
Value lower_model_function(Lower *l, const AstExpr *e, const Env *env, bool *is_one);
// Signals of bodies, frames and mechanisms that are no variables (model_signal.c).
bool is_model_signal(Builder *b, const AstExpr *e, const Env *env);
Value lower_model_signal(Lower *l, const AstExpr *e, const Env *env, bool *is_one);
// Of numbers: has the function a value? False: reported.
bool matrix_has_value(Lower *l, const AstExpr *e, MatrixShape s, const Expr *in);
// Functions of matrices (design.c): of n values x, the arguments of the call e.
Value care_function(Lower *l, Value *x, int n, const AstExpr *e);
Value dare_function(Lower *l, Value *x, int n, const AstExpr *e);
Value lqr_function(Lower *l, Value *x, int n, const AstExpr *e);
Value dlqr_function(Lower *l, Value *x, int n, const AstExpr *e);
Value lqe_function(Lower *l, Value *x, int n, const AstExpr *e);
Value lyap_function(Lower *l, Value *x, int n, const AstExpr *e);
Value dlyap_function(Lower *l, Value *x, int n, const AstExpr *e);
Value place_function(Lower *l, Value *x, int n, const AstExpr *e);
Value expm_function(Lower *l, Value *x, int n, const AstExpr *e);
Value c2d_function(Lower *l, Value *x, int n, const AstExpr *e);
// Linear models of other models (linear_call.c).
bool is_linear_call(const Builder *b, const AstExpr *e);
Value lower_linear(Lower *l, const AstExpr *e, const Env *env); // linear(...).A
const AstExpr *spread_linear(Builder *b,
                             const AstExpr *e); // lqr(linear(...), Q, R) by its matrices
void note_linear(Lower *l, const AstExpr *e, const Env *env); // behind E006
Value lower_added_mass(Lower *l, const AstExpr *e, const Env *env);
void value_wants_time(Lower *l, const AstExpr *e); // in an expectation: reports it
// The last name of a path with its indices as numbers, "link[2]"; 0: they are none, and reported.
Name indexed_name(Builder *b, const AstExpr *e, const Env *env);
Expr derivative_symbol(Builder *b, int var);
Name label_of(Builder *b, const AstExpr *e); // as it is written

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
// Fits a value to its target: a number without a unit takes that of the target, other units are
// checked. False: reported.
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

#endif
