// From expressions to tapes: what the files of this folder share while a program is written.
//
//   level of a node    STATIC      numbers and parameters           -> function prepare
//                      TIME, STATE what changes during a run        -> the other functions
//                      b >= 0      needs the unknowns of block b    -> after TAPE_BLOCK b
//
//   A function holds the nodes from its own level on; those below are outer: their values lie ready
//   in registers (prepared, or inputs of a block) when the function runs.
//
//   place              where a value lies: a space (constants, states, work ...) and a number in it.
//                      Spaces become ranges of registers when all functions are written.
#ifndef BONDYN_ENGINE_BUILD_H
#define BONDYN_ENGINE_BUILD_H

#include "base/array.h"
#include "engine/program.h"

enum { LEVEL_STATIC = -3, LEVEL_TIME = -2, LEVEL_STATE = -1 };

typedef enum {
    SPACE_CONSTANT,
    SPACE_PARAM,
    SPACE_TIME,
    SPACE_STATE,
    SPACE_HELD, // discrete variables, samples, fired branches, picks, anchors
    SPACE_PREPARED,
    SPACE_UNKNOWN, // of blocks
    SPACE_INPUT,   // values that blocks read, computed before them
    SPACE_MATRIX,  // inputs and outputs of matrix functions
    SPACE_WORK,    // temporaries of a function
    SPACE_INNER,   // temporaries of the functions of a block
    SPACE_COUNT
} Space;

typedef uint32_t Place;
#define PLACE_BITS          28
#define PLACE(space, index) ((Place)(space) << PLACE_BITS | (Place)(index))
#define PLACE_SPACE(place)  ((Space)((place) >> PLACE_BITS))
#define PLACE_INDEX(place)  ((place) & ((1u << PLACE_BITS) - 1))
#define NO_PLACE            UINT32_MAX
#define OPEN_PLACE          (UINT32_MAX - 1) // being computed: its arguments come first

typedef ARRAY(Expr) Exprs;
typedef ARRAY(Place) Places;

typedef enum {
    SYMBOL_UNSOLVED,
    SYMBOL_TIME,
    SYMBOL_STATE,
    SYMBOL_HELD,
    SYMBOL_PARAM,
    SYMBOL_UNKNOWN
} SymbolKind;

typedef struct { // what a symbol stands for
    SymbolKind kind;
    int index; // state, held value, model variable of a parameter, or number of an unknown
    int block; // of an unknown
} SymbolRole;

typedef struct { // one function while it is written; places are virtual
    ARRAY(Instruction) code;
    Exprs origin;
    Places result;
    uint32_t work; // virtual temporaries so far
} Draft;

typedef struct {
    int size;
    bool linear, anchored, afresh;
    int first_unknown;
    Expr *unknown, *residual, *guess;
    Sparse jacobian;
    int matrix; // number of a block with the same matrix, -1 = none
    Exprs need; // what must be computed before the block: inputs and unknowns of earlier blocks
    Draft residual_code, jacobian_code;
    Places guess_place;
    Pos pos;
    const char *what;
} BlockDraft;

typedef struct { // a part of a sum, or a product: sign * numerators / denominators
    int sign;    // into View.operand:
    int first;   // numerators
    int numerators, denominators;
    int ready; // arrival.c
} Item;

typedef struct { // something that is ready at a time
    int ready, index;
} Arrival;

typedef struct {
    Expr node;
    int sign;
} Signed;

typedef struct { // a node as it will be computed
    ARRAY(Item) item;
    Exprs operand;
    ARRAY(Signed) sums; // scratch: parts that wait to be taken apart
    Exprs products, below;
    Exprs outer_terms, outer_factors;
    ARRAY(Arrival) arrival; // scratch of arrival.c, as the next two
    ARRAY(Item) ordered;
    Exprs sorted;
} View;

typedef struct {
    Program *program;
    const System *system;
    Dag *dag;
    Report *report;
    bool failed;
    // per node; these grow with the graph
    ARRAY(int32_t) level;
    Places home;            // the place that holds it in every function, if it has one
    Places place;           // in the present function
    ARRAY(uint8_t) uses;    // in the present function, at most 255
    ARRAY(int32_t) ready;   // the same: when its value is there, see arrival.c
    ARRAY(SymbolRole) role; // per symbol
    // what the functions asked for
    ARRAY(double) constant;
    ARRAY(int) param;
    Exprs prepared, input;
    Exprs relation; // switches: relations and calls with pieces, in rising order
    Exprs phase;    // clocks: phase and its rate in turn
    int rate_nodes; // nodes below rates and quadratures
    ARRAY(BlockDraft) block;
    Exprs matrix; // nodes OP_MATRIX, whose homes are the first places of their inputs
    uint32_t matrix_places;
    int unknown_count;
    uint32_t work_count, inner_count; // after reuse, the largest of all functions
    // the present function
    Draft *draft;
    int from;            // its level
    int block_number;    // the block it belongs to, or -1
    bool unknowns_given; // unknowns of blocks are inputs: nothing is solved for them
    Exprs touched, stack;
    View view;
} Builder;

// --- lower.c: expressions to instructions
void builder_grow(Builder *b); // take in nodes that are new in the graph
int builder_level(Builder *b, Expr e);
void builder_set_role(Builder *b, Expr symbol, SymbolRole role);
void function_begin(Builder *b, Draft *draft, int level, int block);
void function_roots(Builder *b, const Expr *root, int count); // before the first of them is added
// Angles first: sine and cosine of states stand together, so that they can be computed together.
// Of the nodes touched from `from` to before `end`.
void function_angles(Builder *b, int from, int end);
void function_add(Builder *b, Expr root); // its place is the next result
void function_end(Builder *b);
Place outer_place(Builder *b, Expr e);
void report_unsolved(Builder *b, Expr e); // unsolved.c: a symbol has no value here

// --- view.c: how a node is computed
void view_node(Builder *b, Expr e);
bool is_outer(const Builder *b, Expr e);

// --- arrival.c: when values are ready
int view_arrange(Builder *b); // orders b->view of a sum or product; when it is ready
int view_time(const Builder *b, Op op);

// --- registers.c: reuse of temporaries. Gives: how many are needed.
uint32_t draft_reuse(Draft *d, Space space);
void draft_free(Draft *d);

// --- switches.c
void find_switches(Builder *b, const ProgramOptions *options);   // relations and clocks
ExprWalk *walk_rates(Builder *b, const ProgramOptions *options); // over all that rates depend on
Expr pieces_of(Builder *b, Expr e);   // a table and its slope have the same: those of the table
Exprs event_functions_of(Builder *b); // per switch; for pieces the argument. To free.
void write_switches(Builder *b, Draft *draft);

// --- signals.c: what moves by time alone
void write_signals(Builder *b, Draft *draft, const ProgramOptions *options);

// --- insides.c: what can be known over all of a step
void write_insides(Builder *b, Draft *const draft[2], const Exprs *event_function,
                   const ProgramOptions *options);

// --- kinks.c: where abs, min and max bend by what states do
void find_kinks(Builder *b, const ProgramOptions *options);
void write_kinks(Builder *b, Draft *draft); // their event functions
void finish_kinks(Builder *b);              // lines of the tapes get their numbers

// --- whens.c: what happens at events
void whens_roles(Builder *b);
int held_count(const Builder *b);                                    // held values
void set_held(Builder *b, const Expr *symbol, int count, int *next); // gives them their places
typedef struct {
    Draft start, conditions, rate_bounds, actions, samples, guards, delays, delay_times, befores;
} WhenDrafts;
void write_whens(Builder *b, WhenDrafts *code);

// --- choices.c: states that are chosen during the run
int choices_count(const System *s); // held values
void choices_roles(Builder *b, int *next);
void write_choices(Builder *b, Draft *code, bool start);
void finish_choices(Builder *b);

// --- jacobian.c
void jacobian_build(Builder *b, Draft *code, bool exact);
// Rates and residuals with the unknowns given, and their derivatives. False: out of proportion.
bool implicit_build(Builder *b, Draft *rows, Draft *code);
// --- blocks.c
void block_add(Builder *b, const BlockDraft *given); // new unknowns, symbols of the graph
void block_write(Builder *b, int number);            // its functions

#endif
