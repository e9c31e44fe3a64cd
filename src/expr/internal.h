// What the files of this folder share: how nodes lie in memory, and the steps of simplification.
//
//   node[e]   op | flags | count | first -----> pool[first .. first+count)   arguments
//                                   '---------> number[first]                OP_NUMBER
//                                   '---------> symbol[first]                OP_SYMBOL
//   sign[e]   value of the node at a random point of a finite field:
//             serves as hash, and tells whether a sum is identically zero (signature.h)
//   slot[]    open-addressing hash table of node numbers
#ifndef BONDYN_EXPR_INTERNAL_H
#define BONDYN_EXPR_INTERNAL_H

#include "base/array.h"
#include "expr/expr.h"
#include "expr/signature.h"

enum {
    // A part can never have a value: 1/0, log(-1), 1e308*10. Such nodes stand as they are: no law
    // that drops or cancels may make them vanish.
    FLAG_UNDEFINED = 1,
    // A factor sin(x) or cos(x), and one whose square or higher power is a factor: worth looking
    // for
    // its partner.
    FLAG_SINE = 2,
    FLAG_TRIG = 4,
};

// Eight bytes: the few nodes with MANY arguments or more have their number in the pool, before the
// arguments.
typedef struct {
    uint8_t op, flags;
    uint16_t count;
    uint32_t first;
} Node;

#define MANY UINT16_MAX

typedef struct {
    void *what;
    void (*free_it)(void *);
} Kept;

struct Dag {
    Names *names;
    ARRAY(Kept) kept;
    ARRAY(Node) node; // node.data[0] is no expression
    ARRAY(Signature) sign;
    ARRAY(Expr) pool;
    ARRAY(double) number;
    ARRAY(Expr) symbol;
    ARRAY(Name) symbol_name;
    ARRAY(const Table *) table;
    ARRAY(int) table_second; // number of the table of its second derivative, or -1
    ARRAY(MatrixKind) kind;  // of matrix functions
    Expr folded;             // the last one of numbers that entries were taken from, and
    ARRAY(double) fold;      // its outputs; empty: it has none
    Arena arena;             // tables made here
    Expr *slot;              // 0: free
    bool keep_shared, sealed;
    uint32_t slot_count;   // a power of two
    uint32_t shared_count; // nodes in the table: all but symbols
    uint64_t visits;       // nodes that derivatives and substitutions passed
};

// --- nodes (dag.c) -------------------------------------------------------------------------------

// The node with exactly these arguments; if an equal node exists, that one.
Expr intern(Dag *d, Op op, const Expr *args, int n);
int second_derivative_table(Dag *d, int table); // of a smooth table

static inline Op op_of(const Dag *d, Expr e) { return (Op)d->node.data[e].op; }
static inline int count_of(const Dag *d, Expr e) {
    Node n = d->node.data[e];
    return n.count < MANY ? n.count : (int)d->pool.data[n.first - 1];
}
static inline const Expr *args_of(const Dag *d, Expr e) { // NULL: it has none
    Node n = d->node.data[e];
    return n.count ? d->pool.data + n.first : NULL;
}
static inline bool has_flag(const Dag *d, Expr e, int flag) {
    return (d->node.data[e].flags & flag) != 0;
}
static inline bool is_undefined(const Dag *d, Expr e) { return has_flag(d, e, FLAG_UNDEFINED); }
static inline bool is_number(const Dag *d, Expr e) { return op_of(d, e) == OP_NUMBER; }
static inline double number_of(const Dag *d, Expr e) {
    return d->number.data[d->node.data[e].first];
}
static inline bool is_value(const Dag *d, Expr e, double value) {
    return is_number(d, e) && number_of(d, e) == value;
}

// --- collecting (collect.c) ----------------------------------------------------------------------

// A part of a sum is weight*key, a part of a product is key^weight: both collect the same way.
typedef struct {
    Expr key; // 0: the number 1 (in sums)
    double weight;
    int owner; // while looking inside: the part that this one came from, or -1
} Part;

typedef struct {
    Part *data; // either few[] or on the heap
    int count, capacity;
    Part few[24];
} Parts;

void parts_init(Parts *p);
void parts_push(Parts *p, Expr key, double weight, int owner);
void parts_free(Parts *p);

// Looks into nested sums (op = OP_SUM) or products and merges those where terms then cancel or
// collect; gives each key once, in ascending order, none with weight 0.
void parts_collect(Dag *d, Op op, Parts *p);
void sum_part(const Dag *d, Expr term, double by, Part *part);       // by*term as a part
void product_part(const Dag *d, Expr factor, double by, Part *part); // factor^by as a part
bool same_parts(const Dag *d, Op op, Expr a, const Expr *args, int n);

// --- laws (sum.c, product.c, call.c) -------------------------------------------------------------

Expr times_number(Dag *d, double by, Expr e);
double split_number(const Dag *d, Expr e, Expr *rest); // e = number*rest; rest 0: only a number

// c*k*sin(x)^2 and c*k*cos(x)^2 among the parts of a sum: both, and one of sin(x) and cos(x).
typedef struct {
    int first, second;
    Expr trig; // squared in `first`
} TrigPair;

typedef ARRAY(TrigPair) TrigPairs;

void trig_pairs(const Dag *d, const Parts *p, TrigPairs *pairs);
bool pythagoras(Dag *d, Parts *p); // each pair becomes c*k; true if there was any

static inline bool is_integer(double x) { return x > -1e9 && x < 1e9 && x == (double)(long)x; }

// --- maps over nodes (walk.c) --------------------------------------------------------------------

// A hash table as long as it holds few of the graph's nodes; where a list of values by node number
// needs less memory, it becomes one.
typedef struct {
    uint32_t *slot;           // pairs key, value
    uint32_t capacity, count; // in pairs
    ARRAY(uint32_t) list;     // in use when capacity is 0: the value of each node, 0 = none
} NodeMap;

uint32_t map_get(const NodeMap *m, Expr key); // 0 when absent
void map_set(NodeMap *m, Expr key, uint32_t value);
void map_forget(NodeMap *m, const Expr *keys, int n); // all that is in it; costs n
void map_free(NodeMap *m);
int walk_place(const ExprWalk *w, Expr e); // where walk_at finds e
// Of a node of the walk, from the values of those before it (evaluate.c).
double value_of_node(const Dag *d, const ExprWalk *w, const double *value, Expr e,
                     const double *symbol_value, MatrixValues *m);

// --- matrix functions (matrix_values.c, matrix_rates.c) ------------------------------------------

Expr matrix_rate(Dag *d, Expr matrix, const Expr *rate); // what entries of its rate come from
Expr entry_rate(Dag *d, Expr entry, Expr rate);          // the same entry of the rate of its matrix

#endif
