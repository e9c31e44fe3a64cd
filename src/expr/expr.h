// The expression graph: every expression of a model, each different one exactly once.
//
//        +            a node is an operator and the numbers of its arguments; building a node that
//       / \           exists already gives the existing one (hash-consing), so equal expressions
//      *   sin        are equal numbers and common subexpressions need no search.
//     / \   |
//    2   x  x         Arguments are always older than the node: ascending numbers are a topological
//                     order, and walks need no recursion (graphs get 100 000 levels deep).
//
// Nodes are simplified while they are built, locally and never by expansion: constants fold; sums
// and products are in canonical order with equal terms collected, 0 and 1 laws, powers of powers,
// c*sin(x)^2 + c*cos(x)^2 = c, if/min/max/abs/sign of known cases. A sum inside a sum is merged
// only where terms then cancel or collect, so shared sums stay shared; the same sum or product in
// another arrangement is found again. A sum that is zero by algebra is 0, however it is written.
// Division by the number 0 is left standing (OP_POWER with base 0) for the caller to refuse, and so
// is everything else that has no value (expr_is_undefined).
//
//   shapes  SUM(number?, terms...)     a term with a coefficient is PRODUCT(number, rest)
//           PRODUCT(number, rest)      two arguments; rest has no number in front: 2*x*y and -x*y
//                                      share x*y. A minus is the number -1
//           PRODUCT(factors...)        no numbers; 1/x is POWER(x, -1), sqrt(x) is POWER(x, 0.5)
//           TABLE(number, x)
//           ENTRY(MATRIX(kind, inputs...), number)   a function of matrices is one node, which is no
//                                      number itself; its outputs are entries of it
#ifndef BONDYN_EXPR_EXPR_H
#define BONDYN_EXPR_EXPR_H

#include "base/array.h"
#include "base/names.h"
#include "base/source.h"
#include "base/text.h"
#include "expr/table.h"
#include "numeric/matrix_function.h"
#include <stdbool.h>
#include <stdint.h>

typedef uint32_t Expr; // a node's number; 0 = no expression

typedef enum {
#define OP(id, name, arguments) id,
#include "expr/ops.def"
#undef OP
    OP_COUNT
} Op;

typedef struct Dag Dag;

Dag *dag_new(Names *names); // names must outlive the graph
Dag *dag_copy(const Dag *from,
              Names *names); // expressions keep their numbers; `from` must outlive it
void dag_free(Dag *d);
size_t dag_bytes(const Dag *d);  // memory in use
uint32_t dag_size(const Dag *d); // nodes are 1 .. size
Names *dag_names(const Dag *d);
// The same graph, for adding to it. Existing nodes never change, so models and systems keep their
// meaning; but whoever adds must be the only user of the graph. A graph that threads share is
// sealed: adding to it is a mistake, at which debug builds stop. Work on a copy then.
Dag *dag_grow(const Dag *d);
void dag_seal(Dag *d);
// What expressions refer to, freed when the graph is; copies of the graph use it too.
void dag_keep(Dag *d, void *what, void (*free_it)(void *));

// While set, sums inside sums are opened only where terms cancel, not where they merely collect:
// what is shared stays shared. For traced recursions. Returns what was set before.
bool dag_keep_shared(Dag *d, bool keep);

// --- building ------------------------------------------------------------------------------------

Expr expr_number(Dag *d, double value);
Expr expr_symbol(Dag *d, Name name); // a new symbol at each call, numbered 0, 1, 2 ...
Expr expr_sum(Dag *d, const Expr *terms, int n);
Expr expr_product(Dag *d, const Expr *factors, int n);
Expr expr_add(Dag *d, Expr a, Expr b);
Expr expr_sub(Dag *d, Expr a, Expr b);
Expr expr_mul(Dag *d, Expr a, Expr b);
Expr expr_div(Dag *d, Expr a, Expr b);
Expr expr_neg(Dag *d, Expr a);
// Two calls that build nodes never stand in one list of arguments: compilers evaluate it in
// different orders, and nodes would be numbered, sums ordered and rounded differently. These are
// the sequences that are wanted most.
Expr expr_scale(Dag *d, double factor, Expr a);                      // factor a
Expr expr_products_add(Dag *d, Expr a, Expr b, Expr x, Expr y);      // a b + x y
Expr expr_products_subtract(Dag *d, Expr a, Expr b, Expr x, Expr y); // a b - x y
Expr expr_pow(Dag *d, Expr base, Expr exponent);
Expr expr_sqrt(Dag *d, Expr a);                         // a^0.5
Expr expr_call(Dag *d, Op op, const Expr *args, int n); // any operator, simplified
Expr expr_if(Dag *d, Expr condition, Expr then, Expr otherwise);
int expr_add_table(Dag *d, const Table *t); // the table's number, for OP_TABLE; keeps the pointer

// A function of matrices (numeric/matrix_function.h) of `in`, all of its inputs. Not a number: its
// outputs are entries, from 0 on. Entries of numbers fold where the function has a value.
typedef struct {
    MatrixShape shape;
    Pos pos; // where it is called, for messages
} MatrixKind;
Expr expr_matrix(Dag *d, MatrixShape shape, Pos pos, const Expr *in);
Expr expr_entry(Dag *d, Expr matrix, int number);
const MatrixKind *expr_matrix_kind(const Dag *d, Expr matrix);

// --- looking -------------------------------------------------------------------------------------

Op expr_op(const Dag *d, Expr e);
int expr_arg_count(const Dag *d, Expr e);
Expr expr_arg(const Dag *d, Expr e, int i);
bool expr_is_number(const Dag *d, Expr e, double *value); // Nullable: value
double expr_value(const Dag *d, Expr e);                  // of an OP_NUMBER
int expr_symbol_count(const Dag *d);
int expr_symbol_index(const Dag *d, Expr e); // of an OP_SYMBOL
Expr expr_symbol_at(const Dag *d, int index);
Name expr_symbol_name(const Dag *d, int index);
const Table *expr_table(const Dag *d, int number);
int expr_table_count(const Dag *d);
bool expr_is_undefined(const Dag *d, Expr e); // a part can never have a value: 1/0, log(-1)

// A walk over all nodes below some roots, each node once, arguments first. Reusable: walk_start
// forgets what was seen in time proportional to what was seen.
typedef struct ExprWalk ExprWalk;
ExprWalk *walk_new(const Dag *d);
void walk_free(ExprWalk *w);
void walk_start(ExprWalk *w);
void walk_add(ExprWalk *w, Expr root); // visits what is new below root
int walk_count(const ExprWalk *w);
Expr walk_at(const ExprWalk *w, int i); // in topological order of visiting
bool walk_seen(const ExprWalk *w, Expr e);

// Symbols below each of many roots, each once: those of root i from first[i] up to first[i + 1].
typedef struct {
    ARRAY(int) first;
    ARRAY(Expr) symbol;
} SymbolLists;
void expr_symbols_below(const Dag *d, const Expr *root, int n, SymbolLists *out);
void symbol_lists_free(SymbolLists *l);

bool expr_depends(const Dag *d, Expr e, Expr symbol); // for single questions; use a walk for many

// Operations to evaluate all roots once, common parts counted once: what a tape would hold.
typedef struct {
    int adds, multiplies, divides, calls, others;
} OpCount;
OpCount expr_count(const Dag *d, const Expr *roots, int n);

// How many nodes derivatives and substitutions have passed so far: work, counted.
uint64_t dag_visits(const Dag *d);

// --- rewriting -----------------------------------------------------------------------------------

// Replaces symbols by expressions. Results are remembered, so rewriting many expressions costs one
// pass over the nodes below them. Set a symbol before anything above it is rewritten.
typedef struct Rewrite Rewrite;
Rewrite *rewrite_new(Dag *d);
void rewrite_free(Rewrite *w);
void rewrite_set(Rewrite *w, Expr symbol, Expr value);
Expr rewrite(Rewrite *w, Expr e);

// Derivative along a direction: the rate of e when each symbol changes at its rate. The derivative
// by x is the one with rate 1 for x; the time derivative has der(x) for every x. Remembers results.
typedef struct Rates Rates;
Rates *rates_new(Dag *d);
void rates_free(Rates *r);
void rates_set(Rates *r, Expr symbol, Expr rate); // symbols not set have rate 0
Expr rates_of(Rates *r, Expr e);
Expr expr_derivative(Dag *d, Expr e, Expr symbol); // one derivative

// The derivatives of one expression by many symbols, each what expr_derivative gives: a symbol
// costs as much as depends on it, not the whole expression.
typedef struct Partials Partials;
Partials *partials_new(Dag *d);
void partials_free(Partials *p);
void partials_of(Partials *p, Expr e); // ... by partials_by, from now on
Expr partials_by(Partials *p, Expr symbol);

// e = coefficient*symbol + rest with both free of the symbol? False when e is not linear in it.
bool expr_linear_in(Dag *d, Expr e, Expr symbol, Expr *coefficient, Expr *rest);

// --- numbers -------------------------------------------------------------------------------------

// Value with symbols from symbol_value[index]; for single values, not for simulation.
double expr_evaluate(const Dag *d, Expr e, const double *symbol_value);
// Many at once; common parts are computed once.
void expr_evaluate_many(const Dag *d, const Expr *e, int n, const double *symbol_value,
                        double *out);
// Outputs of matrix functions during an evaluation: the value of a node OP_MATRIX is where its
// outputs begin, and that of an entry is read there.
typedef struct {
    ARRAY(double) out, in, work;
} MatrixValues;
double matrix_values_add(MatrixValues *m, const Dag *d, Expr matrix); // inputs are in m->in
void matrix_values_free(MatrixValues *m);
double op_evaluate(Op op, double a, double b, double c); // one operator of up to three arguments

// The value of e and its slopes by all symbols below it that are not 0, in no order.
typedef struct {
    int symbol; // index
    double slope;
} Slope;
typedef ARRAY(Slope) Slopes;
double expr_gradient(const Dag *d, ExprWalk *w, Expr e, const double *symbol_value, Slopes *out);

// --- printing ------------------------------------------------------------------------------------

typedef enum { PRINT_TEXT, PRINT_LATEX, PRINT_C, PRINT_MATHML } PrintStyle;

// How a symbol or a named node is written: the text as it shall appear (name_print makes it of a
// path). NULL from `name` means: print the expression itself.
typedef struct {
    PrintStyle style;
    const char *(*name)(void *context, Expr e); // Nullable: then symbols by their own names
    void *context;
    const char *new_line; // Nullable. Stands between the lines of a long sum; else it is one line
} Printer;

// a + b*c/d as a person writes it: sums with minus signs, products with one fraction, sqrt. Output
// ends with "..." after 20000 nodes or 250 levels: name nodes to print large systems.
void expr_print(Text *out, const Dag *d, Expr e, const Printer *how);
// PRINT_C calls bondyn_sign and bondyn_mod, whose text this is, and bondyn_table(number, x) and
// bondyn_slope(number, x), which whoever writes the tables provides.
const char *expr_c_helpers(void);
// A path in a style: "arm.spring.q" -> q_{arm.spring} in LaTeX; as it is in text and C.
void name_print(Text *out, const char *path, PrintStyle style);

#endif
