// The tape: straight-line register programs that evaluate a system.
//
//   registers   [ constants | parameters | time | states | prepared | work ... ]
//   functions   prepare     parameter-only parts, once per set of parameters
//               derivative  rates of the states, then rates of the quadratures
//               outputs     recorded signals
//               jacobian    nonzeros of d rate / d state
//               switches    functions whose sign changes are events (left - right of relations)
//
// A Program never changes and serves many runs; a Machine is the registers of one run. Calling a
// function allocates nothing. C output and SIMD batches walk the same instructions.
#ifndef BONDYN_ENGINE_PROGRAM_H
#define BONDYN_ENGINE_PROGRAM_H

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
    TAPE_SELECT, // to = a != 0 ? b : to
    TAPE_SWITCH, // to = state of switch number aux (held between events), else a < b resp. a <= b
    TAPE_BLOCK,  // solve implicit block number aux; unknowns go to their registers
    TAPE_COUNT
} TapeOp;

typedef struct {
    uint16_t op;
    uint16_t aux;
    uint32_t to, a, b;
} Instruction;

typedef struct {
    Instruction *code;
    int count;
    uint32_t *result; // registers that hold the results, in order
    int result_count;
} TapeFunction;

typedef struct {
    int size;
    bool linear;
    uint32_t *unknown;     // registers
    uint32_t *guess;       // registers with start values, or NULL
    TapeFunction residual; // `size` results at the unknowns as they are
    TapeFunction jacobian; // size*size results, row by row
    Pos pos;
    const char *what; // for messages: variables and equations in the user's words
} TapeBlock;

typedef struct {
    Arena arena;
    const System *system;
    uint32_t register_count;
    uint32_t constant_count;
    double *constant;                  // values of the first registers
    uint32_t first_param, param_count; // a register for each VAR_PARAM that is used
    int *param_var;                    // its model variable
    double *param_value;               // defaults (evaluated)
    uint32_t time, first_state;
    int state_count, quad_count, output_count, switch_count;
    double *start; // initial states for the default parameters
    TapeFunction prepare, derivative, outputs, jacobian, switches, initial;
    // sparsity of the jacobian function, by columns (CSC)
    int *column_start, *row; // state_count+1, nonzeros
    int nonzero_count;
    bool has_jacobian; // false: blocks make it implicit; solvers use differences
    TapeBlock *block;
    int block_count;
    const Table *const *table;
    int table_count;
} Program;

typedef struct {
    Expr *output; // expressions in solved form
    int output_count;
    Expr *quadrature; // expressions whose time integral is wanted
    int quadrature_count;
} ProgramWish;

// Needs: a system.  Gives: tapes for it.  NULL on error (a constant division by zero, a NaN).
Program *program_build(const System *s, const ProgramWish *wish, Report *r);
void program_free(Program *p);

typedef struct {
    const Program *program;
    double *reg;
    double *work;        // scratch for blocks
    unsigned char *held; // state of each switch
    bool hold;           // switches keep their state (inside a step of an event solver)
    int failed_block;    // block that did not converge in the last call, or -1
    long calls;          // derivative calls
} Machine;

Machine *machine_new(const Program *p);
void machine_free(Machine *m);
// Sets parameters (NULL: defaults), prepares; false when a value is not finite.
bool machine_set_params(Machine *m, const double *param);
void machine_initial(Machine *m, double time, double *state); // start values for these parameters
// False when a block failed; then look at failed_block.
bool machine_derivative(Machine *m, double time, const double *state, double *rate, double *quad);
bool machine_outputs(Machine *m, double time, const double *state, double *output);
bool machine_jacobian(Machine *m, double time, const double *state, double *nonzero);
bool machine_switches(Machine *m, double time, const double *state, double *value);
void machine_update_switches(Machine *m, double time,
                             const double *state); // take their true states

void program_dump(Text *out, const Program *p);                  // readable listing
void program_c(Text *out, const Program *p, const char *prefix); // the same tape as C17

#endif
