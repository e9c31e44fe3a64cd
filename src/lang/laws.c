// The laws of built-in elements.
//
//   Se: e = value        R: e = R f              TF: e1 = m' e2, f2 = m f1
//   Sf: f = value        C: q' = f, e = q/C      GY: e1 = r' f2, e2 = r f1
//   De: f = 0            I: p' = e, f = p/I      Df: e = 0
//
// With matrices e = C^-1 q where the inverse is cheap (diagonal, or up to 3 x 3), else q = C e. A
// law of one's own takes the place of the constitutive equation; q' = f and p' = e stay.
#include "lang/build.h"

#include <assert.h>

typedef struct {
    Builder *b;
    Lower l;
    int instance, comp;
    CompKind kind;
    Pos pos;
} Law;

static void add_law(Law *w, Expr left, Expr right, Pos pos) {
    Equation e = {left, right, w->comp, pos, 0};
    array_push(&w->b->law, e);
}

static void add_laws(Law *w, const Value *left, const Value *right) {
    for (int i = 0; i < value_count(left); i++)
        add_law(w, value_at(left, i), value_at(right, i), w->pos);
}

static Value vars(Law *w, int first, int count) {
    Value v = value_new(&w->l, count, 1, w->b->var.data[first].dim, HAS_VARIABLE);
    for (int i = 0; i < count; i++) value_put(&v, i, w->b->var.data[first + i].symbol);
    return v;
}

static const Terminal *side(const Law *w, int k) {
    return &w->b->terminal.data[w->b->instance.data[w->instance].first_terminal + k];
}

static Value effort(Law *w, int k) { return vars(w, side(w, k)->e, side(w, k)->dim); }
static Value flow(Law *w, int k) { return vars(w, side(w, k)->f, side(w, k)->dim); }

static Value matrix_times(Law *w, const Value *m, Value x) {
    if (value_count(m) == 1) { // a scalar acts on every entry
        Value v = value_new(&w->l, x.rows, 1, DIM_UNKNOWN, 0);
        for (int i = 0; i < x.rows; i++)
            value_put(&v, i, expr_mul(w->l.dag, m->one, value_at(&x, i)));
        return v;
    }
    Matrix product =
        matrix_multiply(&w->b->tmp, w->l.dag, value_matrix(&w->l, m), value_matrix(&w->l, &x));
    return value_of_matrix(product, DIM_UNKNOWN, 0);
}

// --- arguments -----------------------------------------------------------------------------------

static bool fits_unit(Law *w, Value *v, Pos pos) {
    const Instance *i = &w->b->instance.data[w->instance];
    Dim wanted = wanted_argument(w->b, w->instance);
    if (dim_is_one(v->dim)) return true;    // an argument without unit tells nothing
    if (i->argument_dim.known) return true; // looked at with the domains
    return value_fit(&w->l, v, false, NULL, wanted, pos,
                     text_of(w->b, member_path(w->b, w->instance, i->builtin->argument)));
}

// Most arguments are scalars: they are cut from pieces, as an arena would give each 16 bytes.
static Expr *argument_room(Builder *b, int count) {
    enum { PIECE = 256 };
    if (count > PIECE / 8) return ARENA_ARRAY(b->out, Expr, count);
    if (count > b->argument_left) {
        b->argument_room = ARENA_ARRAY(b->out, Expr, PIECE);
        b->argument_left = PIECE;
    }
    b->argument_left -= count;
    b->argument_room += count;
    return b->argument_room - count;
}

static void keep_argument(Law *w, const Value *v) {
    Comp *c = &w->b->comp.data[w->comp];
    c->argument_rows = v->rows;
    c->argument_cols = v->cols;
    c->argument = argument_room(w->b, value_count(v));
    for (int i = 0; i < value_count(v); i++) c->argument[i] = value_at(v, i);
}

static Value argument(Law *w) {
    Builder *b = w->b;
    const Instance *i = &b->instance.data[w->instance];
    Value v = lower(&w->l, i->argument, argument_env(b, i));
    if (!value_ok(&v) || !fits_unit(w, &v, ast_start(i->argument))) return VALUE_BAD;
    if (i->own_symbol) {
        int var = i->var + (i->builtin->ports == 2 ? 2 * (i->dim + i->dim2) : 0);
        b->var.data[var].value = v.one;
        v.one = b->var.data[var].symbol;
    }
    bool source = w->kind == COMP_SE || w->kind == COMP_SF;
    if (!source) keep_argument(w, &v);
    return v;
}

static void start_values(Law *w) {
    Builder *b = w->b;
    const Instance *i = &b->instance.data[w->instance];
    if (!i->start) return;
    Pos pos = ast_start(i->start);
    const Comp *c = &b->comp.data[w->comp];
    const char *name = text_of(b, member_path(b, w->instance, i->builtin->start));
    Value v = lower(&w->l, i->start, start_env(b, i));
    if (!value_ok(&v)) return;
    if (v.is & VARIES) {
        Remark *m =
            complain(b, L_NOT_STRUCTURAL, pos, "the start value '%s' depends on variables", name);
        remark_help(b->r, m, "it may use parameters and constants");
        return;
    }
    if (!value_fit(&w->l, &v, false, NULL, b->var.data[c->first_state].dim, pos, name)) return;
    if (value_count(&v) != 1 && !value_shape(&w->l, &v, c->state_count, 1, pos, name)) return;
    for (int k = 0; k < c->state_count; k++)
        b->var.data[c->first_state + k].start = value_count(&v) == 1 ? v.one : value_at(&v, k);
}

// --- stored energy -------------------------------------------------------------------------------

static bool is_diagonal(const Law *w, const Value *m) {
    double x;
    for (int i = 0; i < m->rows; i++)
        for (int j = 0; j < m->cols; j++)
            if (i != j && !(expr_is_number(w->l.dag, m->many[i * m->cols + j], &x) && x == 0))
                return false;
    return true;
}

// What is behind the state: e = q/C, or f = p/I. False: no cheap inverse.
static bool state_over_argument(Law *w, const Value *a, const Value *q, Value *out) {
    enum { CHEAP = 3 };
    Dag *d = w->l.dag;
    if (value_count(a) == 1) {
        *out = value_new(&w->l, q->rows, 1, DIM_UNKNOWN, 0);
        for (int i = 0; i < q->rows; i++) value_put(out, i, expr_div(d, value_at(q, i), a->one));
        return true;
    }
    if (a->rows > CHEAP && !is_diagonal(w, a)) return false;
    Matrix inverse;
    if (!matrix_inverse(&w->b->tmp, d, value_matrix(&w->l, a), &inverse)) return false;
    Value m = value_of_matrix(inverse, DIM_UNKNOWN, 0);
    *out = matrix_times(w, &m, *q);
    return true;
}

// Energy of a linear storage: q.e/2; in a pseudo domain, where the flow is the power, q itself.
static Expr stored_energy(Law *w, const Value *q, const Value *e) {
    Dag *d = w->l.dag;
    bool pseudo = w->b->comp.data[w->comp].pseudo;
    Value terms = value_new(&w->l, q->rows, 1, DIM_UNKNOWN, 0);
    for (int i = 0; i < q->rows; i++)
        value_put(&terms, i, pseudo ? value_at(q, i) : expr_mul(d, value_at(q, i), value_at(e, i)));
    Expr sum = q->rows == 1 ? terms.one : expr_sum(d, terms.many, q->rows);
    return pseudo ? sum : expr_mul(d, expr_number(d, 0.5), sum);
}

// Power of the state in one factor: x -> 1, x^n -> n, a constant factor -> 0. False: other.
static bool factor_power(const Builder *b, Expr factor, Expr x, double *power) {
    const Dag *d = b->dag;
    *power = 0;
    if (factor == x) {
        *power = 1;
        return true;
    }
    switch (expr_op(d, factor)) {
    case OP_NUMBER: return true;
    case OP_SYMBOL: return b->var.data[expr_symbol_index(d, factor)].kind == VAR_PARAM;
    case OP_POWER: {
        double exponent, inner;
        if (!expr_is_number(d, expr_arg(d, factor, 1), &exponent)) return false;
        Expr base = expr_arg(d, factor, 0);
        if (expr_op(d, base) != OP_SYMBOL || !factor_power(b, base, x, &inner)) return false;
        *power = inner * exponent;
        return true;
    }
    default: return false;
    }
}

static bool term_power(const Builder *b, Expr term, Expr x, double *power) {
    if (expr_op(b->dag, term) != OP_PRODUCT) return factor_power(b, term, x, power);
    *power = 0;
    for (int i = 0; i < expr_arg_count(b->dag, term); i++) {
        double p;
        if (!factor_power(b, expr_arg(b->dag, term, i), x, &p)) return false;
        *power += p;
    }
    return true;
}

// The integral from 0 of a polynomial in x with constant coefficients; 0: it is no such thing.
static Expr polynomial_integral(Builder *b, Expr g, Expr x) {
    enum { MOST_TERMS = 16 };
    Dag *d = b->dag;
    bool sum = expr_op(d, g) == OP_SUM;
    int n = sum ? expr_arg_count(d, g) : 1;
    Expr terms[MOST_TERMS];
    if (n > MOST_TERMS) return 0;
    for (int i = 0; i < n; i++) {
        Expr term = sum ? expr_arg(d, g, i) : g;
        double power;
        if (!term_power(b, term, x, &power) || power <= -1) return 0;
        Expr exponent = expr_number(d, power + 1);
        terms[i] = expr_div(d, expr_mul(d, term, x), exponent);
    }
    return expr_sum(d, terms, n);
}

// --- laws of one's own ---------------------------------------------------------------------------

static int one_law(Law *w, const AstItem *item, const Env *env) {
    Builder *b = w->b;
    Value x = lower(&w->l, item->left, env), y = lower(&w->l, item->right, env);
    if (!value_ok(&x) || !value_ok(&y)) return -1;
    if (!equation_sides(&w->l, &x, &y, item)) return -1;
    for (int i = 0; i < value_count(&x); i++)
        add_law(w, value_at(&x, i), value_at(&y, i), item->pos);
    if (w->kind != COMP_C && w->kind != COMP_I) return value_count(&x);
    Comp *c = &b->comp.data[w->comp];
    Expr result = b->var.data[w->kind == COMP_C ? side(w, 0)->e : side(w, 0)->f].symbol;
    if (c->state_count == 1 && value_count(&x) == 1 && (x.one == result || y.one == result))
        c->stored = polynomial_integral(b, x.one == result ? y.one : x.one,
                                        b->var.data[c->first_state].symbol);
    return value_count(&x);
}

static void own_laws(Law *w) {
    Builder *b = w->b;
    const Instance *i = &b->instance.data[w->instance];
    Env inside = *i->env;
    inside.element = w->instance;
    const Env *env = new_env(b, inside);
    int count = 0, wanted = i->builtin->ports == 2 ? i->dim + i->dim2 : i->dim;
    const AstItem *first = i->item->laws;
    assert(first);
    for (const AstItem *k = first; k; k = k->next) {
        int n = one_law(w, k, env);
        if (n < 0) return;
        count += n;
    }
    if (count == wanted) return;
    Remark *m = complain(b, L_LAW, first->pos, "'%s' needs %d law%s, but has %d",
                         text_of(b, i->path), wanted, wanted == 1 ? "" : "s", count);
    remark_help(b->r, m,
                i->builtin->ports == 2 ? "write one for each side: TF t: e1 = m*e2, f2 = m*f1"
                                       : "one law for each scalar of the element");
}

// --- element by element --------------------------------------------------------------------------

static void source_law(Law *w) {
    const Instance *i = &w->b->instance.data[w->instance];
    Value left = w->kind == COMP_SE ? effort(w, 0) : flow(w, 0), v = argument(w);
    if (value_ok(&v) &&
        value_shape(&w->l, &v, left.rows, 1, ast_start(i->argument), text_of(w->b, i->path)))
        add_laws(w, &left, &v);
}

static void sensor_law(Law *w) {
    Value left = w->kind == COMP_DE ? flow(w, 0) : effort(w, 0);
    for (int i = 0; i < left.rows; i++)
        add_law(w, value_at(&left, i), expr_number(w->l.dag, 0), w->pos);
}

static void resistor_law(Law *w) {
    Value a = argument(w), e = effort(w, 0);
    if (!value_ok(&a)) return;
    Value right = matrix_times(w, &a, flow(w, 0));
    add_laws(w, &e, &right);
}

static void storage_law(Law *w) {
    Builder *b = w->b;
    const Instance *i = &b->instance.data[w->instance];
    int first = b->comp.data[w->comp].first_state;
    Value q = vars(w, first, i->dim);
    Value rate = w->kind == COMP_C ? flow(w, 0) : effort(w, 0);
    Value other = w->kind == COMP_C ? effort(w, 0) : flow(w, 0);
    int rate_var = w->kind == COMP_C ? side(w, 0)->f : side(w, 0)->e;
    for (int k = 0; k < i->dim; k++) {
        add_law(w, derivative_symbol(b, first + k), value_at(&rate, k), w->pos);
        b->var.data[b->var.data[first + k].der].unit = b->var.data[rate_var + k].unit;
    }
    start_values(w);
    if (i->item->laws) {
        own_laws(w);
        return;
    }
    if (!i->argument) return; // reported as missing
    Value a = argument(w), solved;
    if (!value_ok(&a)) return;
    if (!state_over_argument(w, &a, &q, &solved)) {
        Value right = matrix_times(w, &a, other);
        add_laws(w, &q, &right);
        return;
    }
    add_laws(w, &other, &solved);
    if (!(a.is & VARIES)) b->comp.data[w->comp].stored = stored_energy(w, &q, &solved);
}

static void two_port_law(Law *w) {
    Value m = argument(w);
    if (!value_ok(&m)) return;
    Value t = value_unary(&w->l, '\'', m, NULL);
    bool transformer = w->kind == COMP_TF;
    Value e1 = effort(w, 0), right1 = matrix_times(w, &t, transformer ? effort(w, 1) : flow(w, 1));
    Value left2 = transformer ? flow(w, 1) : effort(w, 1), right2 = matrix_times(w, &m, flow(w, 0));
    add_laws(w, &e1, &right1);
    add_laws(w, &left2, &right2);
}

void builtin_law(Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    Law w = {b, lower_symbols(b), instance, i->comp, i->builtin->kind, i->item->pos};
    if (i->dim_is == WRONG || i->builtin->ports == 0) return;
    if (i->item->laws) w.pos = i->item->laws->pos;
    bool storage = w.kind == COMP_C || w.kind == COMP_I;
    if (storage)
        storage_law(&w);
    else if (i->item->laws)
        own_laws(&w);
    else if (!i->argument && i->builtin->argument)
        return; // reported as missing
    else if (w.kind == COMP_SE || w.kind == COMP_SF)
        source_law(&w);
    else if (w.kind == COMP_DE || w.kind == COMP_DF)
        sensor_law(&w);
    else if (w.kind == COMP_R)
        resistor_law(&w);
    else
        two_port_law(&w);
}
