// The tape: straight-line register programs that evaluate a system.
//
//   registers   [ constants | parameters | time | states | held | prepared | work ... ]
//   functions   prepare     parameter-only parts, once per set of parameters
//               derivative  rates of the states, then rates of the quadratures
//               outputs     recorded signals
//               jacobian    nonzeros of d rate / d state
//               conditions  of `when`, true or false; actions: new values at events
//               choices     what tells how good the present choice of states is
//               switches    functions whose sign changes are events (left - right of relations)
//
// A Program never changes and serves many runs; a Machine is the registers of one run. Calling a
// function allocates nothing. C output and SIMD batches walk the same instructions.
#ifndef BONDYN_ENGINE_PROGRAM_H
#define BONDYN_ENGINE_PROGRAM_H

#include "engine/native_code.h"
#include "equations/system.h"

typedef enum {
#define OP(id, name, arguments) TAPE_##id,
#include "expr/ops.def"
#undef OP
    TAPE_COPY, // to = a
    TAPE_ADD,  // to = a + b
    TAPE_SUB,
    TAPE_MUL,
    TAPE_DIV,
    TAPE_NEG,
    TAPE_SQUARE, // to = a*a
    TAPE_SQRT,
    TAPE_RECIPROCAL,
    TAPE_MULADD, // to = to + a*b, two roundings
    TAPE_MULSUB, // to = to - a*b, two roundings
    TAPE_SELECT, // to = a != 0 ? b : to
    TAPE_SWITCH, // to = state of switch number b (held between events), else a < 0 resp. a <= 0
    TAPE_HELD,   // to = piece of switch number b (held between events), else a
    TAPE_BLOCK,  // solve implicit block number b; unknowns go to their registers. From
                 // FIRST_MATRIX on: compute matrix function b - FIRST_MATRIX
    TAPE_COUNT
} TapeOp;

enum { FIRST_MATRIX = 1 << 30 };

typedef struct { // which fields of an instruction are registers that it reads
    const char *name;
    bool a, b, to;
} TapeInfo;

extern const TapeInfo tape_info[TAPE_COUNT];

typedef struct {
    uint16_t op;
    uint16_t aux;      // TAPE_SWITCH: 1 = or equal; tables: 1 + the switch that holds their piece;
                       // abs, min, max: 1 + their kink, 0: none
    uint32_t to, a, b; // registers; b is a number for TAPE_SWITCH, TAPE_HELD, TAPE_BLOCK and tables
} Instruction;

typedef struct {
    Instruction *code;
    Expr *origin; // per instruction: the expression that it computes or is a part of
    int count;
    uint32_t *result; // registers that hold the results, in order
    int result_count;
} TapeFunction;

typedef struct {
    int size;
    bool linear;
    bool anchored;                 // begin at `guess` each time, and look nowhere else
    uint32_t unknown;              // first of `size` consecutive registers
    uint32_t *guess;               // registers with start values, or NULL
    TapeFunction residual;         // `size` results at the unknowns as they are
    TapeFunction jacobian;         // a result per entry of the matrix that is not always zero,
    const int *column_start, *row; // which lie there: column by column
    int matrix;                    // number of a block with the same matrix at every point
    bool constant;                 // the matrix changes with parameters only
    Pos pos;
    const char *what; // for messages: variables and equations in the user's words
} TapeBlock;
bool block_is_sparse(const TapeBlock *t); // so large and empty that KLU factors its matrix

// A call of a function of matrices. Its inputs lie in registers one after the other, and so do its
// outputs.
typedef struct {
    MatrixShape shape;
    uint32_t in, out;
    bool constant; // of parameters alone
    Pos pos;
} TapeMatrix;

// A relation a < b or a <= b that may jump while a run goes on, or a function that consists of
// pieces: a table with kinks, floor, ceil, mod. Its event function is negative while the relation
// is true, or while the argument is inside of the piece.
typedef struct {
    Expr relation; // or the call of the function
    Op op;         // of it
    bool or_equal;
    const Table *table; // OP_TABLE
    int watcher;        // the branch of a `when` that needs it alone and only warns, or -1
    bool
        stepwise; // of a function with pieces: its argument only jumps, and does not move in between
    bool decides; // a `when` that acts, or a mode, needs it
    bool jumps;   // its event function may: 1/x, tan, atan2
} TapeSwitch;

static inline bool switch_has_pieces(const TapeSwitch *s) {
    return s->op != OP_LESS && s->op != OP_LESS_EQUAL;
}

// A signal of time that jumps by itself: mod(u, y), floor(u) or ceil(u), with u = a + b*time. Its
// phase (u/y, u) grows steadily; jumps are where it is whole. Or the argument of a table with
// kinks, which is the phase itself.
typedef struct {
    const Table *table; // NULL: none
} TapeClock;

// A formula of states, time and held values alone, of which bounds can be known over all of a step: the event function of a
// relation, or the argument of a function with pieces (insides.c).
typedef struct {
    int relation; // number of its switch
    int value;    // among the results of Program.insides
    int slope; // in Program.inside_slopes: the first, by time, then by each of its states; -1: none
    int states;
    int *state;
} TapeInside;

typedef struct { // of a matrix, by columns (CSC)
    int *start, *row;
    int count;
} TapePattern;

typedef struct {
    Arena arena;
    const System *system;
    uint32_t register_count;
    uint32_t constant_count;
    double *constant;                  // values of the first registers
    uint32_t first_param, param_count; // a register for each VAR_PARAM that is used and has a
                                       // number; parameters made of others are prepared
    int *param_var;                    // its model variable
    double *param_value;               // defaults (evaluated)
    uint32_t time, first_state;
    uint32_t first_held; // discrete variables, samples, fired branches, impulses, as System.whens
                         // lists them, then picks of sets and anchors of choices
    int held_count;
    int state_count, quad_count, output_count, switch_count;
    double *start;             // initial states for the default parameters
    Expr *output, *quadrature; // what they evaluate, for messages
    TapeFunction prepare, derivative, outputs, jacobian, switches, initial;
    TapeFunction held_start;  // first values of the discrete variables
    TapeFunction conditions;  // per branch
    TapeFunction rate_bounds; // rates: no step is longer than one over any of them
    TapeFunction actions;     // new values of the discrete variables, then of Whens.reset
    TapeFunction samples;     // per sample: period and offset
    TapeFunction guards;      // per mode of the model: may it last, or come for an instant
    TapeFunction memory;      // what a jump must know from before
    TapeFunction delays;      // per delay: what is delayed
    TapeFunction delay_times; // per delay: by which time, and the bound of that
    TapeFunction befores;     // per delay: what was before the start
    TapeFunction clocks;      // per clock: phase and rate of the phase
    TapeFunction signals;     // of time and held values alone, see signals.c: per signal its
    int signal_count;         // value and second derivative, then per event function of time
    int time_function_count;  // its value and derivative
    TapeFunction insides;     // what is known over all of a step, see TapeInside
    TapeFunction inside_slopes;
    TapeInside *inside;
    int inside_relations;
    TapeFunction kinks;             // per kink that states pass (kinks.c): its event function
    Expr *kink;                     // which abs, min or max it is
    int kink_count;                 // none unless they were wanted
    TapeFunction choices;           // per System.choice: values, then the matrix
    TapeFunction start_choices;     // the same at the start, before anything is chosen
    int *first_pick;                // per System.set: of its held values
    int *first_anchor;              // per System.choice: the same; -1: none
    int first_entry;                // of held values: where a mode is entered
    int first_chosen, chosen_count; // held values of choices, as they are at the start for the
    double *chosen;                 // default parameters
    int largest_choice;             // entries of a matrix
    int most_columns;
    int rate_code; // the first instructions of derivative that suffice for the rates
    // sparsity of d rate / d state, by columns (CSC); NULL when it was too much to find out
    int *column_start, *row; // state_count+1, nonzeros
    int nonzero_count;
    int *color; // per state: columns of one colour have no row in common
    int color_count;
    bool has_jacobian; // false: too large as a formula; solvers use differences
    // The system left implicit: 0 = (rates, residuals of the blocks) of (states, unknowns of the
    // system's blocks), which lie in the first unknown registers.
    bool has_implicit;
    TapeFunction unknowns; // solves all blocks
    TapeFunction implicit, implicit_jacobian;
    TapePattern implicit_pattern;
    TapeSwitch *sw;
    TapeClock *clock;
    int clock_count;
    uint32_t first_unknown, unknown_count; // of all blocks
    uint32_t first_work;                   // from here on registers are temporaries of a function
    TapeBlock *block;
    int block_count;
    int largest_block;
    TapeMatrix *matrix;
    int matrix_count;
    const Table **table;
    int table_count;
} Program;

typedef struct {
    Expr *output; // expressions in solved form
    int output_count;
    Expr *quadrature; // expressions whose time integral is wanted
    int quadrature_count;
    bool implicit; // also the system left implicit
    bool explicit; // no solver will ask for d rate / d state
    bool exact;    // whoever asks for it wants formulas, whatever differences would cost
    bool kinks;    // somebody goes along the run with derivatives and must know them
    Expr *memory;  // what jumps between modes want to know
    int memory_count;
} ProgramOptions;

// Needs: a system.  Gives: tapes for it.  NULL on error (a constant division by zero, a NaN).
Program *program_build(const System *s, const ProgramOptions *options, Report *r);
void program_free(Program *p);

typedef struct BlockFactor BlockFactor;
typedef struct Branch Branch;

typedef struct Machine Machine;
struct Machine {
    Arena arena; // the machine with everything below but sparse factors and the room of native code
    const Program *program;
    double *reg;
    double *work;         // scratch for blocks
    double *matrix_work;  // scratch for functions of matrices
    BlockFactor *factor;  // per block
    long point;           // number of the present point: what was factored at another one is old
    double *switch_value; // arguments of functions with pieces, the last time they were looked at
    unsigned char *truth; // state of each switch
    double *piece;        // per switch: of a function with pieces
    bool hold;            // switches keep their state (inside a step of an event solver)
    const signed char *side; // of each kink, as slopes see it; NULL or 0: as values say
    double *away;            // continuation of a block of the start: its residual where that began
    double part;             // of it that is still left; 0: no continuation
    int continued;           // steps of continuation since the parameters were set
    double *choice;          // results of `choices`
    double *pivots;          // scratch of a choice
    int *basis;          // per choice and column: the row that determines it, or -1: it is a state
    double *column_size; // per choice and column: the largest entry so far
    int failed_choice;   // choice whose constraints had no hold in the last call, or -1
    int failed_block;    // block that did not converge in the last call, or -1
    double residual;     // largest residual of that block, in its own units
    long calls;          // derivative calls
    Branch *branch;      // on which its blocks stay (branch.h); NULL: they may jump
    Branch *branch_room; // the same, also while they may; NULL: not needed yet
    const NativeCode *native; // runs in place of the tapes that it has; NULL: none
    double *room;             // its slots
    // Puts delayed values into their held registers, at a point that has just been set. Nullable.
    void (*past)(void *context, Machine *m, double time);
    void *past_context;
};

Machine *machine_new(const Program *p);
void machine_free(Machine *m);
// Sets parameters (NULL: defaults), prepares; false when a value is not finite.
bool machine_set_params(Machine *m, const double *param);
// The same while a run goes on: what it remembers stays. NULL: defaults.
bool machine_change_params(Machine *m, const double *param);
// All that a machine remembers from call to call, piece by piece: to save it, or to put it back.
typedef void MachinePass(void *context, void *data, size_t size);
void machine_pass(Machine *m, MachinePass *pass, void *context);
// States and time go into their registers.
void machine_set_point(Machine *m, double time, const double *state);
void machine_initial(Machine *m, double time, double *state); // start values for these parameters
// False when a block failed; then look at failed_block. Nullable: quad.
bool machine_derivative(Machine *m, double time, const double *state, double *rate, double *quad);
bool machine_outputs(Machine *m, double time, const double *state, double *output);
bool machine_jacobian(Machine *m, double time, const double *state, double *nonzero);
// The system left implicit; y: states, then unknowns. The blocks' unknowns at a point, solved.
int program_unknown_count(const Program *p);
bool machine_unknowns(Machine *m, double time, const double *state, double *unknown);
void machine_implicit(Machine *m, double time, const double *y, double *result);
void machine_implicit_jacobian(Machine *m, double time, const double *y, double *nonzero);
bool machine_switches(Machine *m, double time, const double *state, double *value);
void machine_clocks(Machine *m, double time, double *phase_and_rate); // pairs
double *machine_held(Machine *m); // held values, which only events change
bool machine_delays(Machine *m, double time, const double *state, double *value);
void machine_delay_times(Machine *m, double *time_and_bound); // pairs, at the point that is set
void machine_befores(Machine *m, double time, double *value);
bool machine_conditions(Machine *m, double time, const double *state, double *value);
bool machine_rate_bounds(Machine *m, double time, const double *state, double *value);
bool machine_actions(Machine *m, double time, const double *state, double *value);
bool machine_guards(Machine *m, double time, const double *state, double *value);
bool machine_memory(Machine *m, double time, const double *state, double *value);
void machine_samples(Machine *m, double *period_and_offset); // pairs
// Are the states of sets still a good choice? If not, others are chosen and `state` is changed to
// them; *changed counts the choices that were made anew. False: a block or a choice has failed.
// A mode is entered: its choices, from values of their columns; states of sets go into `state`.
bool machine_enter(Machine *m, double time, const double *entry, double *state);
bool machine_choose(Machine *m, double time, double *state, int *changed);
void machine_update_switches(Machine *m, double time,
                             const double *state); // take their true states
// A relation becomes true or false; a function leaves its piece (now false) for the one in which
// its argument was when event functions were looked at last. True: something has changed.
bool machine_set_switch(Machine *m, int i, bool now);

// Why is a rate (states first, then quadratures) or an output not finite? One sentence that names
// the operation and its inputs: "division by zero in a/b: b = v.f = 0".
void machine_explain_rate(Machine *m, double time, const double *state, int rate, Text *out);
// Is it that numbers became too large, and no operation had a forbidden input? Needs: registers as
// they were then.
bool machine_overflows(const Machine *m, Expr bad);
extern const char remedy_for_overflow[]; // words of help then
// Whose law has the operation that failed? A note at it. Needs: registers as they were then.
void machine_note_law(const Machine *m, Expr bad, Report *r, Remark *to);
void machine_explain(const Machine *m, Expr bad, Text *out); // ... and for any expression
void machine_explain_start(Machine *m, double time, int state, Text *out); // of a start value
// Values of any expressions at the point that the registers hold; slow.
void machine_values(const Machine *m, const Expr *e, int count, double *value);
// Values of all symbols at the present point, by their index; entries of symbols that the machine
// does not know stay as they are.
void machine_symbols(const Machine *m, double *symbol_value);
void machine_explain_output(Machine *m, double time, const double *state, int output, Text *out);
// Why does a block have no solution? "the law of 'a', the law of 'b' repeat each other, so ...".
// Needs: registers as they were when it failed. Nothing when its matrix is not singular.
void machine_explain_block(Machine *m, int block, Text *out);
// "spring.q": the variable with this value, else a short formula, else what it depends on.
void program_name(Text *out, const Program *p, Expr e);
const char *program_state_name(const Program *p, int state);
Pos program_state_pos(const Program *p, int state);

void program_dump(Text *out, const Program *p);                  // readable listing
void program_c(Text *out, const Program *p, const char *prefix); // the same tape as C17

#endif
