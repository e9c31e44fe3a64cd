// How poles move with parameters. With A v = lambda v and w^H A = lambda w^H,
//
//     d lambda / dp = w^H (dA/dp + sum over k of dA/dx_k dx_k/dp) v / (w^H v)
//
// The bracket is the slope of one number, g(x, p) = w^H f_x(x, p) v, with w and v fixed: an expression of the model, whose
// slopes by parameters and states the tape has. Where the point is a steady one it moves along, dx/dp = -A^-1 f_p. Nothing
// is differenced. Equations with blocks (algebraic loops) or constraints have no such formula and are refused.
#include "analysis/sensitivity.h"

#include "analysis/tangent.h"
#include "base/json.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

enum { MOST_STATES = 200 };

typedef ARRAY(Expr) Exprs;

typedef struct {
    const System *s;
    const LinearModel *l;
    const Poles *m;
    Complex *value, *right, *left; // of A
    int *of;                       // per mode: which of them
    Exprs row, column;
    ARRAY(int) var; // of the columns
    PoleSlopes *p;
} Work;

static bool refuse(const System *s, const LinearModel *l, Report *r) {
    const char *why = s->block_count       ? "it has algebraic loops"
                      : l->left_count      ? "constraints tie its states"
                      : l->n > MOST_STATES ? "it has more than 200 states"
                                           : NULL;
    if (!why) return false;
    Remark *x =
        report_error(r, A_TOO_LARGE, s->model->pos, "slopes of poles are not known here: %s", why);
    remark_help(r, x, "--vary \"k = 1 .. 2 in 3\" shows the poles for several values");
    return true;
}

// --- g = w^H f_x v, real and imaginary part ------------------------------------------------------

// sum over j of df_i/dx_j v_j, for the real and the imaginary part of v
static void along(const Work *k, Partials *partials, const SymbolLists *below, const int *state,
                  int i, const Complex *v, Expr out[2]) {
    Dag *d = k->s->dag;
    out[0] = out[1] = expr_number(d, 0);
    partials_of(partials, k->s->rate[i]);
    for (int at = below->first.data[i]; at < below->first.data[i + 1]; at++) {
        Expr symbol = below->symbol.data[at];
        int j = state[expr_symbol_index(d, symbol)] - 1;
        if (j < 0) continue;
        Expr slope = partials_by(partials, symbol);
        out[0] = expr_add(d, out[0], expr_mul(d, slope, expr_number(d, creal(v[j]))));
        out[1] = expr_add(d, out[1], expr_mul(d, slope, expr_number(d, cimag(v[j]))));
    }
}

static void want_mode(Work *k, Partials *partials, const SymbolLists *below, const int *state,
                      int mode) {
    Dag *d = k->s->dag;
    int n = k->l->n;
    const Complex *v = k->right + (size_t)k->of[mode] * (size_t)n;
    const Complex *w = k->left + (size_t)k->of[mode] * (size_t)n;
    Expr re = expr_number(d, 0), im = re;
    for (int i = 0; i < n; i++) {
        Expr part[2];
        along(k, partials, below, state, i, v, part);
        Expr a = expr_number(d, creal(w[i])), b = expr_number(d, cimag(w[i]));
        re = expr_add(d, re, expr_products_add(d, a, part[0], b, part[1]));
        im = expr_add(d, im, expr_products_subtract(d, a, part[1], b, part[0]));
    }
    array_push(&k->row, re);
    array_push(&k->row, im);
}

static void want_modes(Work *k) {
    const System *s = k->s;
    SymbolLists below = {0};
    Partials *partials = partials_new(s->dag);
    expr_symbols_below(s->dag, s->rate, s->state_count, &below);
    int *state = memory_zeroed((size_t)expr_symbol_count(s->dag) + 1, sizeof *state);
    for (int i = 0; i < s->state_count; i++) state[expr_symbol_index(s->dag, s->state[i])] = i + 1;
    for (int i = 0; i < k->m->count; i++) want_mode(k, partials, &below, state, i);
    free(state);
    symbol_lists_free(&below);
    partials_free(partials);
}

// --- parameters and vectors ----------------------------------------------------------------------

static void want_parameters(Work *k, const Reached *at) {
    const Program *p = at->program;
    const Model *m = k->s->model;
    for (uint32_t i = 0; i < p->param_count; i++) {
        const Var *v = &m->var[p->param_var[i]];
        bool formula = v->value && !expr_is_number(k->s->dag, v->value, NULL);
        if (v->structural || formula || name_text(m->names, v->path)[0] == '~') continue;
        array_push(&k->column, v->symbol);
        array_push(&k->var, p->param_var[i]);
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

// dx/dp at a steady point; zeros where A is singular: the point stays.
static double *moved(const Work *k, const Tangent *t) {
    size_t n = (size_t)k->l->n, columns = (size_t)k->column.count;
    double *A = memory_zeroed(n * n + 1, sizeof *A), *x = memory_zeroed(n * columns + 1, sizeof *x);
    memcpy(A, k->l->A, n * n * sizeof *A);
    for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i < n; i++) x[c * n + i] = -tangent_slope(t, (int)i, (int)(n + c));
    if (!dense_solve((int)n, A, (int)columns, x)) memset(x, 0, n * columns * sizeof *x);
    free(A);
    return x;
}

static void fill(Work *k, const Tangent *t, bool steady) {
    int n = k->l->n, columns = k->column.count;
    double *x = steady ? moved(k, t) : NULL;
    for (int i = 0; i < k->m->count; i++) {
        Complex under = 0;
        const Complex *v = k->right + (size_t)k->of[i] * (size_t)n,
                      *w = k->left + (size_t)k->of[i] * (size_t)n;
        for (int j = 0; j < n; j++) under += conj(w[j]) * v[j];
        for (int c = 0; c < columns; c++) {
            Complex sum =
                tangent_slope(t, n + 2 * i, n + c) + I * tangent_slope(t, n + 2 * i + 1, n + c);
            for (int j = 0; j < n && x; j++)
                sum += (tangent_slope(t, n + 2 * i, j) + I * tangent_slope(t, n + 2 * i + 1, j)) *
                       x[(size_t)c * (size_t)n + (size_t)j];
            k->p->slope[i * columns + c] = sum / under;
        }
    }
    free(x);
}

static bool evaluate(Work *k, const LinearPlan *plan, const Reached *at, bool steady, Report *r) {
    int columns = k->column.count;
    PoleSlopes *p = k->p;
    p->modes = k->m->count;
    p->parameters = columns;
    p->name = ARENA_ARRAY(&p->arena, const char *, columns + 1);
    p->value = ARENA_ARRAY(&p->arena, double, columns + 1);
    p->slope = ARENA_ARRAY(&p->arena, Complex, p->modes * columns + 1);
    Tangent *t = tangent_new(k->s, k->column.data, columns, k->row.data, k->row.count, r);
    bool good = t && tangent_start(t, at, plan->origin);
    for (int c = 0; c < columns && good; c++) {
        const Model *m = k->s->model;
        p->name[c] =
            arena_printf(&p->arena, "%s", name_text(m->names, m->var[k->var.data[c]].path));
        for (uint32_t i = 0; i < at->program->param_count; i++)
            if (at->program->param_var[i] == k->var.data[c])
                p->value[c] = at->machine->reg[at->program->first_param + i];
    }
    good = good && tangent_at(t, at->time, at->state, p->value);
    if (good) fill(k, t, steady);
    tangent_free(t);
    return good;
}

PoleSlopes *pole_slopes(const LinearPlan *plan, const Reached *at, const Poles *m, bool steady,
                        Report *r) {
    const System *s = at->system;
    if (refuse(s, m->model, r)) return NULL;
    Work k = {.s = s, .l = m->model, .m = m, .p = memory_zeroed(1, sizeof *k.p)};
    want_parameters(&k, at);
    bool good = find_vectors(&k);
    if (good) want_modes(&k);
    good = good && evaluate(&k, plan, at, steady, r);
    free(k.value);
    free(k.right);
    free(k.left);
    free(k.of);
    array_free(&k.row);
    array_free(&k.column);
    array_free(&k.var);
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

// The parameters that move a mode most, by p d lambda/dp: what a change by 1 % does, times 100.
void pole_slopes_print(Text *out, const Poles *m, const PoleSlopes *p) {
    enum { MOST = 6 };
    text_add(out, "how poles move: p d(pole)/dp [1/s], the largest first\n");
    for (int i = 0; i < p->modes; i++) {
        text_printf(out, "  %.10g", creal(m->mode[i].value));
        if (cimag(m->mode[i].value) > 0) text_printf(out, " +- %.10gi", cimag(m->mode[i].value));
        text_char(out, '\n');
        double before = INFINITY;
        for (int shown = 0; shown < MOST; shown++) {
            int best = -1;
            double most = 0;
            for (int c = 0; c < p->parameters; c++) {
                double size = cabs(p->slope[i * p->parameters + c] * p->value[c]);
                if (size > most && size < before) most = size, best = c;
            }
            if (best < 0 || most < 1e-9 * cabs(m->mode[i].value)) break;
            Complex x = p->slope[i * p->parameters + best] * p->value[best];
            text_printf(out, "    %-28s %14.8g %+14.8gi\n", p->name[best], creal(x), cimag(x));
            before = most;
        }
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
