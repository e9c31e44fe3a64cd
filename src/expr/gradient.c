// Slopes of an expression by all symbols below it, in numbers: values forwards, then backwards from
// the expression, what it gains when a node grows,
//
//     grow(argument) += grow(node) * d node / d argument
//
// Nothing is built, so slopes of a long formula cost as much as two or three of its values.
#include "expr/internal.h"
#include "expr/kernels.h"

typedef struct {
    const Dag *d;
    const ExprWalk *w;
    double *value, *grow; // per place of the walk
    MatrixValues *m;
    double *weight; // per output of matrix functions: what the expression gains when it grows
} Sweep;

static double at(const Sweep *s, Expr e) { return s->value[walk_place(s->w, e)]; }

static void give(const Sweep *s, Expr to, double by) { s->grow[walk_place(s->w, to)] += by; }

// The product of the others, without a division: those before it times those behind it.
static void give_factors(const Sweep *s, Expr e, double grow) {
    int n = count_of(s->d, e);
    const Expr *arg = args_of(s->d, e);
    for (int i = 0; i < n; i++) {
        double others = 1;
        for (int k = 0; k < n; k++)
            if (k != i) others *= at(s, arg[k]);
        give(s, arg[i], grow * others);
    }
}

static double power_slope(double a, double b) { return b == 0 ? 0 : b * kernel_power(a, b - 1); }

// d op(a) / d a, where y = op(a)
static double slope_of_one(Op op, double a, double y) {
    switch (op) {
    case OP_ABS: return kernel_sign(a);
    case OP_EXP: return y;
    case OP_LOG: return 1 / a;
    case OP_SIN: return trig_cos(a);
    case OP_COS: return -trig_sin(a);
    case OP_TAN: return 1 + y * y;
    case OP_ASIN: return 1 / sqrt(1 - a * a);
    case OP_ACOS: return -1 / sqrt(1 - a * a);
    case OP_ATAN: return 1 / (1 + a * a);
    case OP_SINH: return cosh(a);
    case OP_COSH: return sinh(a);
    case OP_TANH: return 1 - y * y;
    default: return 0; // steps and relations
    }
}

// All inputs of a matrix function at once.
static void give_inputs(const Sweep *s, Expr e, double first) {
    MatrixShape shape = expr_matrix_kind(s->d, e)->shape;
    int inputs = matrix_input_count(shape), from = (int)first;
    const Expr *arg = args_of(s->d, e) + 1;
    double *in = calloc(2 * (size_t)inputs + 2 * matrix_work_count(shape), sizeof *in);
    if (!in) abort();
    for (int i = 0; i < inputs; i++) in[i] = at(s, arg[i]);
    bool good = matrix_adjoint(shape, in, s->m->out.data + from, s->weight + from, in + inputs,
                               in + 2 * inputs);
    for (int i = 0; i < inputs; i++) give(s, arg[i], good ? in[inputs + i] : NAN);
    free(in);
}

static void give_two(const Sweep *s, const Expr *arg, double grow, double first, double second) {
    give(s, arg[0], grow * first);
    give(s, arg[1], grow * second);
}

static void give_arguments(const Sweep *s, Expr e, double y, double grow) {
    const Expr *arg = args_of(s->d, e);
    Op op = op_of(s->d, e);
    int n = count_of(s->d, e);
    double a = n > 0 ? at(s, arg[0]) : 0, b = n > 1 ? at(s, arg[1]) : 0;
    switch (op) {
    case OP_SUM:
        for (int i = 0; i < n; i++) give(s, arg[i], grow);
        break;
    case OP_PRODUCT: give_factors(s, e, grow); break;
    case OP_POWER: give_two(s, arg, grow, power_slope(a, b), a > 0 ? log(a) * y : 0); break;
    case OP_ATAN2: give_two(s, arg, grow, b / (a * a + b * b), -a / (a * a + b * b)); break;
    case OP_MIN: give_two(s, arg, grow, a <= b, a > b); break;
    case OP_MAX: give_two(s, arg, grow, a >= b, a < b); break;
    case OP_MOD: give_two(s, arg, grow, 1, -floor(a / b)); break;
    case OP_IF: give(s, arg[a != 0 ? 1 : 2], grow); break;
    case OP_TABLE: give(s, arg[1], grow * table_slope(s->d->table.data[(int)a], b)); break;
    case OP_TABLE_SLOPE: give(s, arg[1], grow * table_bend(s->d->table.data[(int)a], b)); break;
    case OP_ENTRY:
        s->weight[(int)a + (int)b] += grow;
        give(s, arg[0], 1); // its turn comes
        break;
    case OP_MATRIX: give_inputs(s, e, y); break;
    default:
        if (n == 1) give(s, arg[0], grow * slope_of_one(op, a, y));
    }
}

double expr_gradient(const Dag *d, ExprWalk *w, Expr e, const double *symbol_value, Slopes *out) {
    walk_start(w);
    walk_add(w, e);
    int n = walk_count(w);
    double *value = calloc(2 * (size_t)n + 1, sizeof *value);
    if (!value) abort();
    MatrixValues m = {0};
    Sweep s = {d, w, value, value + n, &m, NULL};
    for (int i = 0; i < n; i++) {
        value[i] = value_of_node(d, w, value, walk_at(w, i), symbol_value, &m);
        s.grow[i] = 0;
    }
    s.weight = calloc((size_t)m.out.count + 1, sizeof *s.weight);
    if (!s.weight) abort();
    s.grow[n - 1] = 1; // the root comes last
    out->count = 0;
    for (int i = n - 1; i >= 0; i--) {
        Expr x = walk_at(w, i);
        if (s.grow[i] == 0) continue;
        if (op_of(d, x) == OP_SYMBOL)
            array_push(out, ((Slope){expr_symbol_index(d, x), s.grow[i]}));
        else
            give_arguments(&s, x, value[i], s.grow[i]);
    }
    double result = value[n - 1];
    free(value);
    free(s.weight);
    matrix_values_free(&m);
    return result;
}
