// The system while it is being worked on; inside this folder only.
//
//   Quantity   a class of aliases, or a derivative that index reduction brought in
//   Rule       left = right in the symbols of quantities, time and parameters; an original
//              equation or the time derivative of one
//
// Quantities are linked to their derivatives (x -> x' -> x''), rules likewise. A quantity with
// a derivative is a state until it is demoted: then a constraint determines it.
#ifndef BONDYN_EQUATIONS_WORK_H
#define BONDYN_EQUATIONS_WORK_H

#include "base/array.h"
#include "equations/incidence.h"
#include "equations/system.h"

typedef struct {
    Expr symbol;
    int var;              // model variable that speaks for it, or -1
    int bond;             // graph bond, when only a bond has this variable, else -1
    int der;              // the quantity that is its derivative, or -1
    signed char der_sign; // d symbol/dt = der_sign * symbol of der
    bool user_state;      // der() of it stands in the model
    bool constant;        // solved, and free of states and time
    int demoted_by;       // rule that determines it although it has a derivative, or -1
    int set;              // of which it is a candidate (see sets.c), or -1
    int place;            // scratch of the solvers: place in a block, or -1
} Quantity;

// Origins beyond the extended numbering of equations (see system.h).
enum { ORIGIN_BOND = -1, ORIGIN_START = -2, ORIGIN_PICK = BLOCK_PICK };

// What quantity_of says of symbols that are no quantity: the second kind changes during a run.
enum { NO_QUANTITY = -1, HELD_SYMBOL = -2 };

typedef struct {
    Expr left, right; // left = right; left is the symbol of a quantity that right does not contain,
                      // or right is 0 (no expression): left = 0. Both 0: the balance of a junction,
                      // which rule_residual makes when somebody asks (most are never asked for)
    int origin;       // extended numbering: see system.h
    int derivative;   // the rule that is its time derivative, or -1
    int of;           // the rule it is the derivative of, or -1
    int first, count; // its quantities: Work.entry[first] .. , ascending
    Pos pos;
    Expr rated, rate; // it says what this symbol is, whose rate is known; 0: no such law
} Rule;

typedef struct { // what a quantity is, in local symbols
    Expr value;
    double number; // at the start
    bool constant; // free of states and time
} Solution;

typedef struct { // of the balance of a junction: sign * quantity
    int quantity;
    int sign; // -1 or 1; 2 and so on when the quantity stands there again
} BalanceTerm;

typedef ARRAY(BalanceTerm) Balance;

typedef struct { // of the matrix of an implicit block
    int row, col;
    Expr value; // in local symbols
} BlockEntry;

typedef ARRAY(BlockEntry) BlockEntries;

typedef struct {
    const Model *model;
    const Graph *graph;
    Dag *dag;
    Report *report;
    Arena *out;
    Arena scratch;
    System *system;

    // aliases: nodes are model variables, then effort and flow of each bond
    int node_count;
    int *parent;
    signed char *sign;     // node = sign * parent
    int *quantity_of_node; // of roots; -1 for time and parameters
    ARRAY(int) redundant;  // model equations that aliases made superfluous

    ARRAY(Quantity) quantity;
    ARRAY(Rule) rule;
    ARRAY(int) entry;
    ARRAY(int) quantity_of_symbol; // by symbol index, -1 = no quantity
    ExprWalk *walk;
    Rates *rates; // the time derivative
    int rounds;   // how often a constraint had to be differentiated at most

    Expr *delay_slope; // per delay of the model: the symbol of its time derivative
    bool *discrete; // by symbol index, as far as discrete_symbols: jumps at events; NULL: none does
    int discrete_symbols;
    ARRAY(double) value; // by symbol index: numbers at the start, for the choice of pivots

    // solution, in order
    Rewrite *solved; // symbols of quantities -> states, time, parameters, block unknowns
    ARRAY(Block) block;
    ARRAY(Loop) loop;
    ARRAY(StateSet) set;
    ARRAY(int) set_row; // rules that tie sets, and which: pairs
    ARRAY(Choice) choice;
    int own_quantities, own_rules; // before sets added theirs; 0: they have not
    bool restart;                  // a hidden constraint came to light: its rule was replaced
    bool unrated; // rates that laws say are not taken: every rule is differentiated
} Work;

// collect.c: aliases, quantities and rules from model and graph.
void work_collect(Work *w);
int alias_root(Work *w, int node, int *sign);
// The terms of a junction's balance in the order of quantities, each once; their sum is 0.
void balance_terms(Work *w, int origin, Balance *terms);

// work.c: keeping the tables together.
int quantity_add(Work *w, Expr symbol, int var, int bond);
void quantity_link(Work *w, int q, int der, int sign); // d q/dt = sign * der
int quantity_differentiate(Work *w, int q);            // its derivative, made when there is none
int rule_add(Work *w, Expr left, Expr right, int origin, Pos pos); // right may be 0: left = 0
typedef struct {
    int origin;
    Pos pos;
} RuleSource;
int rule_add_listed(Work *w, Expr left, Expr right, RuleSource from, const Expr *below, int count);
int rule_add_balance(Work *w, int origin, Pos pos);
bool is_balance(const Rule *r);     // of a junction, and not yet an expression
Expr rule_residual(Work *w, int r); // left - right
int rule_differentiate(Work *w, int r);
void rule_replace(Work *w, int r, Expr residual);
int quantity_of(const Work *w, Expr symbol); // negative when it is none
void symbol_is_held(Work *w, Expr symbol);   // it changes during a run, but is no quantity
bool is_state(const Quantity *q);
Pos origin_pos(const Work *w, int origin);
void work_free(Work *w);

// labels.c: how rules and quantities are called.
void rule_label(Text *out, const Model *m, const Graph *g, int origin);
void quantity_label(Text *out, const Work *w, int q);
void remark_rules(Work *w, Remark *to, const int *rules, int n);
void quantity_list(Text *out, const Work *w, const int *quantities, int n);

// values.c: numbers at the start point.
void values_prepare(Work *w); // parameters, time, start values
void values_grow(Work *w);    // room for symbols that are new
Solution solution_of(Work *w, Expr value);
void values_set(Work *w, int q, Solution s);
bool is_constant(Work *w, Expr e); // made of parameters, numbers and constant quantities only

// index.c
bool index_reduce(Work *w);
// choose.c: which quantities stay states.
bool states_choose(Work *w);
// sets.c: those that are chosen during the run.
typedef struct {
    int rule;
    const int *quantity; // the candidates in it
    const double *value; // its derivatives by them, at the start
    int count;
} Constraint;
bool sets_make(Work *w, const Constraint *row, int count); // false: too few candidates, reported
void sets_forget(Work *w);
int first_of_sets(const Work *w); // the first quantity that a set brought in
bool has_candidates(const Work *w, const int *quantities, int n); // block.c
void choice_note(Work *w, const Block *b, const int *quantities);
// singular.c
bool singular_report(Work *w); // true when something was wrong and has been reported

// order.c: matching, order, then the solvers.
bool order_and_solve(Work *w);
// invert.c: residual = 0 turned round for x, in closed form that holds wherever a solution exists.
bool invert(Dag *d, Expr residual, Expr x, Expr *value);
// eliminate.c: several equations that must be solved together.
bool block_solve(Work *w, const int *rules, const int *quantities, int n);
bool quantity_solved(Work *w, int q, Expr value, int rule); // value in local symbols
bool quantity_solution(Work *w, int q, Solution s, int rule);
void loop_note(Work *w, int size, const int *left, int n, bool linear, bool implicit, Pos pos);
// An implicit block, solved numerically. Linear ones know the entries of their matrix; otherwise
// (NULL) the residuals are differentiated.
void block_keep(Work *w, const int *quantities, const Expr *residual, const int *rules, int n,
                const BlockEntries *linear);

// start.c
bool start_values(Work *w);
// whens.c
bool whens_solve(Work *w);
// The relations in the conditions of the modes that hold; they stay in w->walk until the next walk.
// Nullable: relation. Gives their number.
int guard_relations(Work *w, Expr *relation);
// jump.c: of a work that is reduced and solved; rules must still be there.
struct Memory;
struct Jump;
bool jump_make(Work *w, const struct Memory *memory, struct Jump *jump);

#endif
