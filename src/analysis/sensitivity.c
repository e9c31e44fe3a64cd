// How poles move with parameters. The equations are rates f(x, y, p), blocks r(x, y, p) = 0 with their unknowns y, and constraints
// g(x, y, p) that every motion keeps. The linear model has some of the states, q; the others and y follow, z = (x_d, y), by E = (r, g):
//
//     A = f_q + f_z z_q      E_q + E_z z_q = 0      A v = lambda v      w^H A = lambda w^H
//
// With m^H = -w^H f_z E_z^-1 what z_q itself does to w^H A v is gone, and
//
//     d lambda = d [ (w, m)^H (f, E)_(x, y) (v, z_q v) ] / (w^H v)      with w, m, v and z_q v as numbers
//
// The bracket is one expression for all modes, with symbols for the entries of both vectors: the rates of the equations along the one,
// times the other. Its slopes by states, unknowns and parameters come backwards through it, in numbers. What follows moves with the
// parameter, too; at a steady point all states and what is free do: the matrix of these equations says how. Nothing is differenced.
#include "analysis/sensitivity.h"

#include "analysis/steady.h"
#include "analysis/tangent.h"
#include "base/json.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

enum { MOST_STATES = 200, MOST_UNKNOWNS = 400 };
static const double RANK = 1e-10, SINGULAR = 1e-14;

typedef ARRAY(Expr) Exprs;
typedef ARRAY(int) Ints;

typedef struct {
    const System *s;
    const LinearPlan *plan;
    const Reached *at;
    const LinearModel *l;
    const Poles *m;
    int n, unknowns, constraints; // states, unknowns of blocks, rows of constraints
    Exprs equation;               // rates, residuals, constraints, what is given
    Exprs column;                 // symbols: states, unknowns, parameters, what is free
    Ints var;                     // of the parameters
    int *place;                   // per symbol: its column + 1; 0: it has none
    double *symbol;               // values of all symbols at the point
    double *J;                    // equations by columns
    bool *kept;                   // per state: it is one of the linear model
    Ints follower;                // columns of z
    double *inverse;              // of E_z
    Exprs against, along;         // symbols for the entries of vectors
    Expr bracket;
    ExprWalk *walk;
    Slopes slopes;
    Complex *value, *right, *left; // of A
    int *of;                       // per mode: which of them
    PoleSlopes *p;
} Work;

static bool refuse(const Work *k, const char *why, Report *r) {
    Remark *x = report_error(r, A_TOO_LARGE, k->s->model->pos,
                             "slopes of poles are not known here: %s", why);
    remark_help(r, x, "--vary \"k = 1 .. 2 in 3\" shows the poles for several values");
    return false;
}

static double slope_at(const Work *k, int row, int column) {
    return k->J[(size_t)column * (size_t)k->equation.count + (size_t)row];
}

// --- equations and columns -----------------------------------------------------------------------

static void list_equations(Work *k) {
    const System *s = k->s;
    const Model *m = s->model;
    Resolver *resolver = resolver_new(s);
    ConstraintRows rows = {0};
    for (int i = 0; i < s->state_count; i++) array_push(&k->equation, s->rate[i]);
    for (int b = 0; b < s->block_count; b++)
        for (int i = 0; i < s->block[b].size; i++)
            array_push(&k->equation, s->block[b].residual[i]);
    k->unknowns = k->equation.count - s->state_count;
    constraint_rows(s, resolver, &rows);
    k->constraints = rows.count;
    for (int i = 0; i < rows.count; i++) array_push(&k->equation, rows.row[i]);
    for (int i = 0; i < k->plan->given_count; i++)
        array_push(&k->equation, resolve(resolver, m->var[k->plan->given[i]].symbol));
    constraint_rows_free(&rows);
    resolver_free(resolver);
}

static bool is_free(const Work *k, Expr symbol) {
    for (int i = 0; i < k->plan->free_count; i++)
        if (k->plan->free[i].delta == symbol) return true;
    return false;
}

// Those of the run that are numbers of their own.
static void list_parameters(Work *k) {
    const Program *p = k->at->program;
    const Model *m = k->s->model;
    for (uint32_t i = 0; i < p->param_count; i++) {
        const Var *v = &m->var[p->param_var[i]];
        bool formula = v->value && !expr_is_number(k->s->dag, v->value, NULL);
        if (v->structural || formula || name_text(m->names, v->path)[0] == '~' ||
            is_free(k, v->symbol))
            continue;
        array_push(&k->column, v->symbol);
        array_push(&k->var, p->param_var[i]);
    }
}

static void list_columns(Work *k) {
    const System *s = k->s;
    for (int i = 0; i < s->state_count; i++) array_push(&k->column, s->state[i]);
    for (int b = 0; b < s->block_count; b++)
        for (int i = 0; i < s->block[b].size; i++) array_push(&k->column, s->block[b].unknown[i]);
    list_parameters(k);
    for (int i = 0; i < k->plan->free_count; i++) array_push(&k->column, k->plan->free[i].delta);
    int first = k->n + k->unknowns; // parameters that are made of others follow them
    Rewrite *follow = tangent_follow(s, k->column.data + first, k->column.count - first);
    for (int i = 0; i < k->equation.count; i++)
        k->equation.data[i] = rewrite(follow, k->equation.data[i]);
    rewrite_free(follow);
}

// --- the bracket ---------------------------------------------------------------------------------

static void make_bracket(Work *k) {
    Dag *d = dag_grow(k->s->dag);
    Name name = name_of(dag_names(d), "entry");
    int rows = k->n + k->unknowns + k->constraints;
    Rates *rates = rates_new(d);
    Exprs term = {0};
    for (int j = 0; j < k->n + k->unknowns; j++) {
        array_push(&k->along, expr_symbol(d, name));
        rates_set(rates, k->column.data[j], k->along.data[j]);
    }
    for (int i = 0; i < rows; i++) {
        array_push(&k->against, expr_symbol(d, name));
        if (i < k->n && !k->kept[i]) continue; // its rate is that of the others
        Expr rate = rates_of(rates, k->equation.data[i]);
        array_push(&term, expr_mul(d, k->against.data[i], rate));
    }
    k->bracket = expr_sum(d, term.data, term.count);
    array_free(&term);
    rates_free(rates);
}

// Where the run is, with its unknowns: values of all symbols, and the slopes of the equations.
static bool find_slopes_there(Work *k) {
    Dag *d = dag_grow(k->s->dag);
    double *rate = memory_zeroed((size_t)k->n + 1, sizeof *rate);
    size_t symbols = (size_t)expr_symbol_count(d) + 1, rows = (size_t)k->equation.count;
    k->symbol = memory_zeroed(symbols, sizeof *k->symbol);
    k->place = memory_zeroed(symbols, sizeof *k->place);
    k->J = memory_zeroed(rows * (size_t)k->column.count + 1, sizeof *k->J);
    bool good = machine_derivative(k->at->machine, k->at->time, k->at->state, rate, NULL);
    machine_symbols(k->at->machine, k->symbol);
    for (int j = 0; j < k->column.count; j++)
        k->place[expr_symbol_index(d, k->column.data[j])] = j + 1;
    for (size_t i = 0; i < rows; i++) {
        expr_gradient(d, k->walk, k->equation.data[i], k->symbol, &k->slopes);
        for (int a = 0; a < k->slopes.count; a++) {
            int column = k->place[k->slopes.data[a].symbol];
            if (column) k->J[(size_t)(column - 1) * rows + i] = k->slopes.data[a].slope;
            good = good && (!column || isfinite(k->slopes.data[a].slope));
        }
    }
    free(rate);
    return good;
}

// --- what follows --------------------------------------------------------------------------------

// The inverse of a part of the matrix; gives its rank. On the heap.
static double *inverse_of(const Work *k, const Ints *row, const Ints *column, double rank,
                          int *found) {
    size_t rows = (size_t)row->count, columns = (size_t)column->count;
    double *part = memory_zeroed(rows * columns + 1, sizeof *part);
    double *inverse = memory_zeroed(rows * columns + 1, sizeof *inverse);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            part[j * rows + i] = slope_at(k, row->data[i], column->data[j]);
    *found = dense_inverse((int)rows, (int)columns, part, rank, inverse);
    free(part);
    return inverse;
}

// False: something does not follow.
static bool find_followers(Work *k) {
    Ints row = {0};
    int found;
    for (int i = 0; i < k->unknowns + k->constraints; i++) array_push(&row, k->n + i);
    for (int j = 0; j < k->n + k->unknowns; j++)
        if (j >= k->n || !k->kept[j]) array_push(&k->follower, j);
    k->inverse = inverse_of(k, &row, &k->follower, SINGULAR, &found);
    array_free(&row);
    return found == k->follower.count;
}

// (v, z_q v), by columns.
static void take_along(const Work *k, const Complex *v, Complex *along) {
    int rows = k->unknowns + k->constraints, z = k->follower.count;
    for (int j = 0; j < k->l->n; j++) along[k->l->number[j]] = v[j];
    for (int i = 0; i < rows; i++) {
        Complex by = 0;
        for (int j = 0; j < k->l->n; j++) by += slope_at(k, k->n + i, k->l->number[j]) * v[j];
        for (int j = 0; j < z; j++)
            along[k->follower.data[j]] -= k->inverse[(size_t)i * (size_t)z + (size_t)j] * by;
    }
}

// (w, m)^H, by equations.
static void take_against(const Work *k, const Complex *w, Complex *against) {
    int rows = k->unknowns + k->constraints, z = k->follower.count;
    for (int i = 0; i < k->l->n; i++) against[k->l->number[i]] = conj(w[i]);
    for (int j = 0; j < z; j++) {
        Complex by = 0;
        for (int i = 0; i < k->l->n; i++)
            by += conj(w[i]) * slope_at(k, k->l->number[i], k->follower.data[j]);
        for (int i = 0; i < rows; i++)
            against[k->n + i] -= by * k->inverse[(size_t)i * (size_t)z + (size_t)j];
    }
}

static bool find_vectors(Work *k) {
    size_t n = (size_t)k->l->n;
    k->value = memory_zeroed(n + 1, sizeof *k->value);
    k->right = memory_zeroed(n * n + 1, sizeof *k->right);
    k->left = memory_zeroed(n * n + 1, sizeof *k->left);
    k->of = memory_zeroed((size_t)k->m->count + 1, sizeof *k->of);
    if (!dense_eigen(k->l->n, k->l->A, k->value, k->right, k->left)) return false;
    for (int i = 0; i < k->m->count; i++) {
        double best = INFINITY;
        for (int j = 0; j < k->l->n; j++) {
            double far = cabs(k->value[j] - k->m->mode[i].value);
            if (far < best) best = far, k->of[i] = j;
        }
    }
    return true;
}

// --- the slopes ----------------------------------------------------------------------------------

// Equations that say how the point moves, and columns that move: at a steady point all that the search moves, else what follows.
static void list_moving(const Work *k, bool steady, Ints *row, Ints *column) {
    int held = k->n + k->unknowns;
    bool *cyclic = steady_cyclic(k->s, k->plan, k->equation.data + held, k->equation.count - held);
    for (int i = 0; i < k->n && steady; i++)
        if (!cyclic[i]) array_push(row, i);
    for (int i = k->n; i < k->equation.count; i++)
        if (steady || i < held + k->constraints) array_push(row, i);
    for (int j = 0; j < held; j++)
        if (j >= k->n || (steady ? !cyclic[j] : !k->kept[j])) array_push(column, j);
    for (int j = held + k->var.count; j < k->column.count && steady; j++) array_push(column, j);
    free(cyclic);
}

// d columns/d parameters, parameter by parameter.
static double *find_motion(const Work *k, bool steady) {
    Ints row = {0}, column = {0};
    size_t all = (size_t)k->column.count;
    int first = k->n + k->unknowns, found;
    list_moving(k, steady, &row, &column);
    double *inverse = inverse_of(k, &row, &column, RANK, &found);
    double *motion = memory_zeroed(all * (size_t)k->var.count + 1, sizeof *motion);
    for (int c = 0; c < k->var.count; c++) {
        double *to = motion + (size_t)c * all;
        to[first + c] = 1;
        for (int i = 0; i < row.count; i++) {
            double by = slope_at(k, row.data[i], first + c);
            for (int j = 0; j < column.count && by != 0; j++)
                to[column.data[j]] -= inverse[(size_t)i * (size_t)column.count + (size_t)j] * by;
        }
    }
    array_free(&row);
    array_free(&column);
    free(inverse);
    return motion;
}

static void set_vector(Work *k, const Exprs *symbol, const Complex *value, bool imaginary) {
    for (int i = 0; i < symbol->count; i++)
        k->symbol[expr_symbol_index(k->s->dag, symbol->data[i])] =
            imaginary ? cimag(value[i]) : creal(value[i]);
}

// Slopes of the bracket by columns: products of the real and imaginary parts of both vectors.
static void bracket_slopes(Work *k, const Complex *v, const Complex *w, Complex *slope) {
    Complex *against = memory_zeroed((size_t)k->against.count + 1, sizeof *against);
    Complex *along = memory_zeroed((size_t)k->along.count + 1, sizeof *along);
    take_along(k, v, along);
    take_against(k, w, against);
    memset(slope, 0, (size_t)k->column.count * sizeof *slope);
    for (int part = 0; part < 4; part++) {
        Complex by = (part / 2 ? I : 1) * (part % 2 ? I : 1);
        set_vector(k, &k->against, against, part / 2);
        set_vector(k, &k->along, along, part % 2);
        expr_gradient(k->s->dag, k->walk, k->bracket, k->symbol, &k->slopes);
        for (int a = 0; a < k->slopes.count; a++) {
            int column = k->place[k->slopes.data[a].symbol];
            if (column) slope[column - 1] += by * k->slopes.data[a].slope;
        }
    }
    free(against);
    free(along);
}

// A pole beside another one goes both ways, by the root of a small change: it has no slope.
static bool is_repeated(const Work *k, int pole) {
    double largest = 0;
    for (int i = 0; i < k->l->n; i++) largest = fmax(largest, cabs(k->value[i]));
    for (int i = 0; i < k->l->n; i++)
        if (i != pole && cabs(k->value[i] - k->value[pole]) <=
                             fmax(1e-7 * cabs(k->value[pole]), 1e-13 * largest))
            return true;
    return false;
}

// Fills in the slopes. One that is not finite does not affect the others.
static void fill(Work *k, bool steady) {
    size_t n = (size_t)k->l->n, all = (size_t)k->column.count;
    int parameters = k->var.count;
    double *motion = find_motion(k, steady);
    Complex *slope = memory_zeroed(all + 1, sizeof *slope);
    for (int i = 0; i < k->m->count; i++) {
        const Complex *v = k->right + (size_t)k->of[i] * n, *w = k->left + (size_t)k->of[i] * n;
        Complex under = 0;
        for (size_t j = 0; j < n; j++) under += conj(w[j]) * v[j];
        bracket_slopes(k, v, w, slope);
        for (int c = 0; c < parameters; c++) {
            Complex sum = 0;
            for (size_t j = 0; j < all; j++) {
                double by = motion[(size_t)c * all + j];
                if (by != 0) sum += by * slope[j];
            }
            if (is_repeated(k, k->of[i])) sum = NAN;
            k->p->slope[i * parameters + c] = sum / under;
        }
    }
    free(motion);
    free(slope);
}

static void name_parameters(Work *k) {
    const Model *m = k->s->model;
    PoleSlopes *p = k->p;
    p->modes = k->m->count;
    p->parameters = k->var.count;
    p->name = ARENA_ARRAY(&p->arena, const char *, p->parameters + 1);
    p->value = ARENA_ARRAY(&p->arena, double, p->parameters + 1);
    p->slope = ARENA_ARRAY(&p->arena, Complex, p->modes * p->parameters + 1);
    for (int c = 0; k->var.data && c < p->parameters; c++) {
        const Var *v = &m->var[k->var.data[c]];
        p->name[c] = arena_printf(&p->arena, "%s", name_text(m->names, v->path));
        p->value[c] = k->symbol[expr_symbol_index(k->s->dag, v->symbol)];
    }
}

static bool find_slopes(Work *k, bool steady, Report *r) {
    if (k->l->n > MOST_STATES) return refuse(k, "it has more than 200 states", r);
    list_equations(k);
    if (k->unknowns > MOST_UNKNOWNS) return refuse(k, "its loops have more than 400 unknowns", r);
    k->kept = memory_zeroed((size_t)k->n + 1, sizeof *k->kept);
    for (int i = 0; i < k->l->n; i++) k->kept[k->l->number[i]] = true;
    list_columns(k);
    make_bracket(k);
    if (!find_slopes_there(k)) return refuse(k, "derivatives have no finite value", r);
    if (!find_followers(k))
        return refuse(k, "a loop is at a fold, or a mechanism at a dead point", r);
    if (!find_vectors(k)) return refuse(k, "its modes are not found", r);
    name_parameters(k);
    fill(k, steady);
    return true;
}

PoleSlopes *pole_slopes(const LinearPlan *plan, const Reached *at, const Poles *m, bool steady,
                        Report *r) {
    Work k = {.s = at->system,
              .plan = plan,
              .at = at,
              .l = m->model,
              .m = m,
              .n = at->system->state_count,
              .walk = walk_new(at->system->dag),
              .p = memory_zeroed(1, sizeof *k.p)};
    bool good = find_slopes(&k, steady, r);
    void *room[] = {k.place, k.symbol, k.J, k.kept, k.inverse, k.value, k.right, k.left, k.of};
    for (size_t i = 0; i < sizeof room / sizeof room[0]; i++) free(room[i]);
    walk_free(k.walk);
    array_free(&k.equation);
    array_free(&k.column);
    array_free(&k.var);
    array_free(&k.follower);
    array_free(&k.against);
    array_free(&k.along);
    array_free(&k.slopes);
    if (good) return k.p;
    pole_slopes_free(k.p);
    return NULL;
}

void pole_slopes_free(PoleSlopes *p) {
    if (!p) return;
    arena_free(&p->arena);
    free(p);
}

// --- telling -------------------------------------------------------------------------------------

// p d lambda/dp: what a change by 1 % does, times 100.
static Complex change(const PoleSlopes *p, int mode, int parameter) {
    return p->slope[mode * p->parameters + parameter] * p->value[parameter];
}

// The parameters that move a mode most; those without a finite slope are named.
static void print_slopes(Text *out, const PoleSlopes *p, int mode, double least) {
    enum { MOST = 6 };
    double before = INFINITY;
    for (int shown = 0; shown < MOST; shown++) {
        int best = -1;
        double most = 0;
        for (int c = 0; c < p->parameters; c++) {
            double size = cabs(change(p, mode, c));
            if (size > most && size < before) most = size, best = c;
        }
        if (best < 0 || most < least) break;
        Complex x = change(p, mode, best);
        text_printf(out, "    %-28s %14.8g %+14.8gi\n", p->name[best], creal(x), cimag(x));
        before = most;
    }
    int unknown = 0;
    for (int c = 0; c < p->parameters; c++) unknown += !isfinite(cabs(change(p, mode, c)));
    if (unknown)
        text_printf(out,
                    "    of %d parameters not known: a repeated pole, or no finite second "
                    "derivative\n",
                    unknown);
}

void pole_slopes_print(Text *out, const Poles *m, const PoleSlopes *p) {
    double largest = 0;
    for (int i = 0; i < p->modes; i++) largest = fmax(largest, cabs(m->mode[i].value));
    if (!p->parameters) {
        text_add(out, "how poles move: no number of the model is a parameter that could move\n");
        return;
    }
    text_add(out, "how poles move: p d(pole)/dp [1/s], the largest first\n");
    for (int i = 0; i < p->modes; i++) {
        text_printf(out, "  %.10g", creal(m->mode[i].value));
        if (cimag(m->mode[i].value) > 0) text_printf(out, " +- %.10gi", cimag(m->mode[i].value));
        text_char(out, '\n');
        print_slopes(out, p, i, fmax(1e-9 * cabs(m->mode[i].value), 1e-14 * largest));
    }
}

void pole_slopes_json(Text *out, const PoleSlopes *p) {
    json_open(out, '[');
    for (int i = 0; i < p->modes; i++) {
        json_open(out, '{');
        for (int c = 0; c < p->parameters; c++) {
            json_key(out, p->name[c]);
            json_open(out, '[');
            json_number(out, creal(p->slope[i * p->parameters + c]));
            json_number(out, cimag(p->slope[i * p->parameters + c]));
            json_close(out, ']');
        }
        json_close(out, '}');
    }
    json_close(out, ']');
}
