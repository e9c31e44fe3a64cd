// Derivatives along a direction: from the rates of the symbols to the rate of an expression, by the
// chain rule, one rule per operator. Below, u and v are arguments and a dot is a rate.
#include "expr/rewrite.h"

struct Rates {
    Pass pass;
};

Rates *rates_new(Dag *d) {
    Rates *r = calloc(1, sizeof *r);
    if (!r) abort();
    pass_init(&r->pass, d);
    return r;
}

void rates_free(Rates *r) {
    if (!r) return;
    pass_free(&r->pass);
    free(r);
}

void rates_set(Rates *r, Expr symbol, Expr rate) { pass_set(&r->pass, symbol, rate); }

// The rate of a node that was passed; 0 (no expression) stands for the rate 0.
static Expr rate_of(const Pass *p, Expr e) {
    Expr rate = e < p->oldest ? 0 : map_get(&p->result, e);
    return rate && !is_value(p->dag, rate, 0) ? rate : 0;
}

static Expr or_zero(Dag *d, Expr e) { return e ? e : expr_number(d, 0); }

// (sum u)' = sum u'
static Expr sum_rate(Pass *p, Expr e) {
    p->work.count = 0;
    for (int i = 0; i < count_of(p->dag, e); i++) {
        Expr rate = rate_of(p, args_of(p->dag, e)[i]);
        if (rate) array_push(&p->work, rate);
    }
    return expr_sum(p->dag, p->work.data, p->work.count);
}

// --- products: (u1 u2 ... un)' = sum over i of ui' times the product of the others ---------------

static Expr few_factors_rate(Pass *p, Expr e) {
    Dag *d = p->dag;
    Expr term[8], factor[8];
    int n = count_of(d, e), terms = 0;
    for (int i = 0; i < n; i++) {
        Expr rate = rate_of(p, args_of(d, e)[i]);
        if (!rate) continue;
        for (int k = 0; k < n; k++) factor[k] = k == i ? rate : args_of(d, e)[k];
        term[terms++] = expr_product(d, factor, n);
    }
    return expr_sum(d, term, terms);
}

// The product before i and the product behind i are extended step by step: linear in n.
//   work = [ u1 ... un | behind 1 ... behind n | terms ]
static Expr many_factors_rate(Pass *p, Expr e) {
    Dag *d = p->dag;
    int n = count_of(d, e), terms = 0;
    p->work.count = 0;
    array_reserve(&p->work, 3 * n);
    Expr *u = p->work.data, *behind = u + n, *term = behind + n;
    for (int i = 0; i < n; i++) u[i] = args_of(d, e)[i];
    behind[n - 1] = expr_number(d, 1);
    for (int i = n - 2; i >= 0; i--) behind[i] = expr_mul(d, u[i + 1], behind[i + 1]);
    Expr before = expr_number(d, 1);
    for (int i = 0; i < n; i++) {
        Expr rate = rate_of(p, u[i]);
        if (rate) term[terms++] = expr_product(d, (Expr[]){before, rate, behind[i]}, 3);
        before = expr_mul(d, before, u[i]);
    }
    return expr_sum(d, term, terms);
}

static Expr product_rate(Pass *p, Expr e) {
    return count_of(p->dag, e) <= 8 ? few_factors_rate(p, e) : many_factors_rate(p, e);
}

// --- powers: (u^v)' = v u^(v-1) u' + u^v log(u) v' -----------------------------------------------

static Expr power_rate(Pass *p, Expr e, Expr u, Expr v) {
    Dag *d = p->dag;
    Expr du = rate_of(p, u), dv = rate_of(p, v), term[2];
    int n = 0;
    if (du) {
        Expr lower = expr_pow(d, u, expr_sub(d, v, expr_number(d, 1)));
        term[n++] = expr_product(d, (Expr[]){v, lower, du}, 3);
    }
    if (dv && !is_value(d, u, 0)) { // 0^v is 0 for every v > 0
        Expr log_u = expr_call(d, OP_LOG, &u, 1);
        term[n++] = expr_product(d, (Expr[]){e, log_u, dv}, 3);
    }
    return expr_sum(d, term, n);
}

// --- functions of one argument: f(u)' = slope(u) u' ----------------------------------------------

static Expr one_plus(Dag *d, double sign, Expr u) { // 1 + sign*u^2
    Expr square = expr_mul(d, u, u);
    Expr one = expr_number(d, 1);
    return sign > 0 ? expr_add(d, one, square) : expr_sub(d, one, square);
}

static Expr inverse(Dag *d, Expr u) { return expr_div(d, expr_number(d, 1), u); }

static Expr function_slope(Dag *d, Op op, Expr e, Expr u) {
    switch (op) {
    case OP_ABS: return expr_call(d, OP_SIGN, &u, 1);
    case OP_EXP: return e;
    case OP_LOG: return inverse(d, u);
    case OP_SIN: return expr_call(d, OP_COS, &u, 1);
    case OP_COS: return expr_neg(d, expr_call(d, OP_SIN, &u, 1));
    case OP_TAN: return one_plus(d, 1, e);
    case OP_ASIN: return inverse(d, expr_sqrt(d, one_plus(d, -1, u)));
    case OP_ACOS: return expr_neg(d, inverse(d, expr_sqrt(d, one_plus(d, -1, u))));
    case OP_ATAN: return inverse(d, one_plus(d, 1, u));
    case OP_SINH: return expr_call(d, OP_COSH, &u, 1);
    case OP_COSH: return expr_call(d, OP_SINH, &u, 1);
    case OP_TANH: return one_plus(d, -1, e);
    default: return expr_number(d, 0); // sign, floor, ceil, not: constant in pieces
    }
}

// --- functions of two arguments ------------------------------------------------------------------

// min(u, v)' = if u < v then u' else v'
static Expr extreme_rate(Pass *p, Op op, Expr u, Expr v) {
    Dag *d = p->dag;
    Expr du = or_zero(d, rate_of(p, u)), dv = or_zero(d, rate_of(p, v));
    Expr first[2] = {op == OP_MIN ? u : v, op == OP_MIN ? v : u};
    return du == dv ? du : expr_if(d, expr_call(d, OP_LESS, first, 2), du, dv);
}

// atan2(u, v)' = (v u' - u v')/(u^2 + v^2)
static Expr atan2_rate(Pass *p, Expr u, Expr v) {
    Dag *d = p->dag;
    Expr du = or_zero(d, rate_of(p, u)), dv = or_zero(d, rate_of(p, v));
    Expr over = expr_products_subtract(d, v, du, u, dv);
    Expr under = expr_products_add(d, u, u, v, v);
    return expr_div(d, over, under);
}

// mod(u, v) = u - v floor(u/v), and floor is constant in pieces
static Expr mod_rate(Pass *p, Expr u, Expr v) {
    Dag *d = p->dag;
    Expr du = or_zero(d, rate_of(p, u)), dv = or_zero(d, rate_of(p, v));
    Expr ratio = expr_div(d, u, v), whole = expr_call(d, OP_FLOOR, &ratio, 1);
    return expr_sub(d, du, expr_mul(d, dv, whole));
}

// table(n, u)' = slope(n, u) u'. The slope of a line is constant in pieces; that of a cubic changes
// by the table of its second derivative.
static Expr table_rate(Pass *p, Op op, Expr number, Expr u) {
    Dag *d = p->dag;
    Expr du = rate_of(p, u), args[2] = {number, u};
    int table = (int)number_of(d, number);
    if (!du || (op == OP_TABLE_SLOPE && !d->table.data[table]->smooth)) return expr_number(d, 0);
    if (op == OP_TABLE) return expr_mul(d, expr_call(d, OP_TABLE_SLOPE, args, 2), du);
    args[0] = expr_number(d, second_derivative_table(d, table));
    return expr_mul(d, expr_call(d, OP_TABLE, args, 2), du);
}

static Expr function_rate(Pass *p, Op op, Expr e) {
    Dag *d = p->dag;
    Expr u = args_of(d, e)[0], v = count_of(d, e) > 1 ? args_of(d, e)[1] : 0;
    switch (op) {
    case OP_POWER: return power_rate(p, e, u, v);
    case OP_MIN:
    case OP_MAX: return extreme_rate(p, op, u, v);
    case OP_ATAN2: return atan2_rate(p, u, v);
    case OP_MOD: return mod_rate(p, u, v);
    case OP_TABLE:
    case OP_TABLE_SLOPE: return table_rate(p, op, u, v);
    case OP_IF: {
        Expr otherwise = or_zero(d, rate_of(p, args_of(d, e)[2]));
        return expr_if(d, u, or_zero(d, rate_of(p, v)), otherwise);
    }
    default: {
        Expr du = v ? 0 : rate_of(p, u); // relations and logic are constant in pieces
        return du ? expr_mul(d, function_slope(d, op, e, u), du) : expr_number(d, 0);
    }
    }
}

// Inputs may be many: their rates are gathered in p->work.
static Expr matrix_node_rate(Pass *p, Expr e) {
    p->work.count = 0;
    for (int i = 1; i < count_of(p->dag, e); i++)
        array_push(&p->work, rate_of(p, args_of(p->dag, e)[i]));
    return matrix_rate(p->dag, e, p->work.data);
}

static bool any_rate(const Pass *p, Expr e) {
    for (int i = 0; i < count_of(p->dag, e); i++)
        if (rate_of(p, args_of(p->dag, e)[i])) return true;
    return false;
}

static Expr rate_rule(Pass *p, Expr e) {
    Op op = op_of(p->dag, e);
    if (!any_rate(p, e)) return expr_number(p->dag, 0);
    if (op == OP_SUM) return sum_rate(p, e);
    if (op == OP_PRODUCT) return product_rate(p, e);
    if (op == OP_MATRIX) return matrix_node_rate(p, e);
    if (op == OP_ENTRY) return entry_rate(p->dag, e, rate_of(p, args_of(p->dag, e)[0]));
    return function_rate(p, op, e);
}

Expr rates_of(Rates *r, Expr e) {
    pass_run(&r->pass, e, rate_rule);
    return or_zero(r->pass.dag, rate_of(&r->pass, e));
}

// A long sum is asked for the one term that has a rate, not for all of its terms.
static Expr rate_by_one(Pass *p, Expr e, Expr only) {
    if (!only || op_of(p->dag, e) != OP_SUM) return rate_rule(p, e);
    Expr rate = rate_of(p, only);
    return rate ? expr_sum(p->dag, &rate, 1) : expr_number(p->dag, 0);
}

Expr rate_along(Pass *p, Expr symbol, const Expr *node, const Expr *only, int n) {
    p->oldest = UINT32_MAX;
    pass_set(p, symbol, expr_number(p->dag, 1));
    for (int i = 0; i < n; i++) map_set(&p->result, node[i], rate_by_one(p, node[i], only[i]));
    Expr rate = or_zero(p->dag, rate_of(p, n ? node[n - 1] : symbol));
    map_forget(&p->result, node, n);
    map_forget(&p->result, &symbol, 1);
    p->dag->visits += (uint64_t)n;
    return rate;
}

Expr expr_derivative(Dag *d, Expr e, Expr symbol) {
    Rates r;
    pass_init(&r.pass, d);
    rates_set(&r, symbol, expr_number(d, 1));
    Expr derivative = rates_of(&r, e);
    pass_free(&r.pass);
    return derivative;
}
