// Functions, relations and if: folded when the arguments are numbers, else simplified by the laws
// that hold for all real arguments.
#include "expr/internal.h"
#include "expr/kernels.h"

#include <assert.h>

static Expr call1(Dag *d, Op op, Expr a) { return intern(d, op, &a, 1); }

static Expr call2(Dag *d, Op op, Expr a, Expr b) { return intern(d, op, (Expr[]){a, b}, 2); }

static Expr truth(Dag *d, bool value) { return expr_number(d, value ? 1 : 0); }

// Gives 1 or 0?
static bool is_logical(const Dag *d, Expr e) {
    Op op = op_of(d, e);
    return (op >= OP_LESS && op <= OP_NOT) || is_value(d, e, 0) || is_value(d, e, 1);
}

// --- folding -------------------------------------------------------------------------------------

static bool all_numbers(const Dag *d, const Expr *args, int n) {
    for (int i = 0; i < n; i++)
        if (!is_number(d, args[i])) return false;
    return n > 0;
}

static double fold(const Dag *d, Op op, const Expr *args, int n) {
    double a = number_of(d, args[0]), b = n > 1 ? number_of(d, args[1]) : 0;
    if (op == OP_TABLE || op == OP_TABLE_SLOPE) {
        const Table *t = d->table.data[(int)a];
        return op == OP_TABLE ? table_value(t, b) : table_slope(t, b);
    }
    return kernel(op, a, b, n > 2 ? number_of(d, args[2]) : 0);
}

// --- functions of one argument -------------------------------------------------------------------

static bool is_odd_function(Op op) {
    return op == OP_SIN || op == OP_TAN || op == OP_ASIN || op == OP_ATAN || op == OP_SINH ||
           op == OP_TANH || op == OP_SIGN;
}

static bool is_even_function(Op op) { return op == OP_COS || op == OP_COSH || op == OP_ABS; }

// Is e >= 0 wherever it has a value? Looks at the node and one level below.
static bool is_nonnegative(const Dag *d, Expr e, int depth) {
    Expr rest;
    double c = split_number(d, e, &rest);
    if (!rest) return c >= 0;
    if (c != 1) return c > 0 && depth > 0 && is_nonnegative(d, rest, depth - 1);
    switch (op_of(d, e)) {
    case OP_ABS:
    case OP_EXP:
    case OP_COSH:
    case OP_ACOS: return true;
    case OP_POWER: {
        Expr exponent = args_of(d, e)[1];
        if (!is_number(d, exponent)) return depth > 0 && is_nonnegative(d, args_of(d, e)[0], 0);
        double n = number_of(d, exponent);
        return !is_integer(n) || is_integer(n / 2) ||
               (depth > 0 && is_nonnegative(d, args_of(d, e)[0], depth - 1));
    }
    case OP_SUM:
    case OP_PRODUCT:
        if (depth == 0 || count_of(d, e) > 8) return false;
        for (int i = 0; i < count_of(d, e); i++)
            if (!is_nonnegative(d, args_of(d, e)[i], depth - 1)) return false;
        return true;
    default: return is_logical(d, e);
    }
}

static Expr absolute(Dag *d, Expr a) {
    Expr rest;
    double c = split_number(d, a, &rest);
    if (c != 1) return times_number(d, fabs(c), absolute(d, rest));
    return is_nonnegative(d, a, 2) ? a : call1(d, OP_ABS, a);
}

static Expr sign_of(Dag *d, Expr a) {
    Expr rest;
    double c = split_number(d, a, &rest);
    if (c != 1) return times_number(d, kernel_sign(c), sign_of(d, rest));
    if (op_of(d, a) == OP_EXP || op_of(d, a) == OP_COSH) return expr_number(d, 1);
    return op_of(d, a) == OP_SIGN || is_logical(d, a) ? a : call1(d, OP_SIGN, a);
}

static Expr negation(Dag *d, Expr a) {
    const Expr *inner = args_of(d, a);
    switch (op_of(d, a)) {
    case OP_NOT:
        if (is_logical(d, inner[0])) return inner[0];
        break;
    case OP_LESS: return expr_call(d, OP_LESS_EQUAL, (Expr[]){inner[1], inner[0]}, 2);
    case OP_LESS_EQUAL: return expr_call(d, OP_LESS, (Expr[]){inner[1], inner[0]}, 2);
    default: break;
    }
    return call1(d, OP_NOT, a);
}

// log(exp(x)) = x, tan(atan(x)) = x, floor(floor(x)) = floor(x); sin(-x) = -sin(x).
static Expr function1(Dag *d, Op op, Expr a) {
    Expr rest;
    Op inner = op_of(d, a);
    if (op == OP_ABS) return absolute(d, a);
    if (op == OP_SIGN) return sign_of(d, a);
    if (op == OP_NOT) return negation(d, a);
    if ((op == OP_LOG && inner == OP_EXP) || (op == OP_TAN && inner == OP_ATAN))
        return args_of(d, a)[0];
    if ((op == OP_FLOOR || op == OP_CEIL) && (inner == OP_FLOOR || inner == OP_CEIL)) return a;
    double c = split_number(d, a, &rest);
    if (c < 0 && (is_odd_function(op) || is_even_function(op))) {
        Expr mirrored = call1(d, op, times_number(d, -1, a));
        return is_odd_function(op) ? times_number(d, -1, mirrored) : mirrored;
    }
    return call1(d, op, a);
}

// --- functions of two arguments ------------------------------------------------------------------

static Expr as_logical(Dag *d, Expr a) {
    return is_logical(d, a) ? a : negation(d, negation(d, a));
}

// and(1, x) = x, and(0, x) = 0; or the other way round.
static Expr connective(Dag *d, Op op, Expr a, Expr b) {
    double neutral = op == OP_AND ? 1 : 0;
    Expr both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        if (!is_number(d, both[i])) continue;
        bool value = number_of(d, both[i]) != 0;
        return value == (neutral != 0) ? as_logical(d, both[1 - i]) : truth(d, value);
    }
    if (a == b) return as_logical(d, a);
    return a < b ? call2(d, op, a, b) : call2(d, op, b, a);
}

static Expr function2(Dag *d, Op op, Expr a, Expr b) {
    switch (op) {
    case OP_MIN:
    case OP_MAX:
        if (a == b) return a;
        return a < b ? call2(d, op, a, b) : call2(d, op, b, a);
    case OP_LESS: return a == b ? truth(d, false) : call2(d, op, a, b);
    case OP_LESS_EQUAL: return a == b ? truth(d, true) : call2(d, op, a, b);
    case OP_EQUAL:
        if (a == b) return truth(d, true);
        return a < b ? call2(d, op, a, b) : call2(d, op, b, a);
    case OP_AND:
    case OP_OR: return connective(d, op, a, b);
    default: return call2(d, op, a, b);
    }
}

Expr expr_if(Dag *d, Expr condition, Expr then, Expr otherwise) {
    if (is_number(d, condition) && !is_undefined(d, condition))
        return number_of(d, condition) != 0 ? then : otherwise;
    if (then == otherwise && !is_undefined(d, condition)) return then;
    if (op_of(d, condition) == OP_NOT) return expr_if(d, args_of(d, condition)[0], otherwise, then);
    if (is_value(d, then, 1) && is_value(d, otherwise, 0) && is_logical(d, condition))
        return condition;
    return intern(d, OP_IF, (Expr[]){condition, then, otherwise}, 3);
}

// --- any operator --------------------------------------------------------------------------------

static bool any_undefined(const Dag *d, const Expr *args, int n) {
    for (int i = 0; i < n; i++)
        if (is_undefined(d, args[i])) return true;
    return false;
}

Expr expr_call(Dag *d, Op op, const Expr *args, int n) {
    if (op == OP_SUM) return expr_sum(d, args, n);
    if (op == OP_PRODUCT) return expr_product(d, args, n);
    if (op == OP_POWER) return expr_pow(d, args[0], args[1]);
    if (op == OP_IF) return expr_if(d, args[0], args[1], args[2]);
    if (op == OP_MATRIX) return intern(d, op, args, n);
    if (op == OP_ENTRY) return expr_entry(d, args[0], (int)number_of(d, args[1]));
    assert(n == 1 || n == 2);
    if (any_undefined(d, args, n)) return intern(d, op, args, n);
    if (all_numbers(d, args, n)) {
        double value = fold(d, op, args, n);
        return isfinite(value) ? expr_number(d, value) : intern(d, op, args, n);
    }
    return n == 1 ? function1(d, op, args[0]) : function2(d, op, args[0], args[1]);
}
