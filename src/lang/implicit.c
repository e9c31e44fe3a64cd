// Parameters that are given by an equation:
//
//     param d {mm} solves 4*Q/(pi*d^2) = v near 20 {mm} "bore for this speed"
//
// The equation is solved when the model is made, by numbers alone: from the guess outwards, in
// steps that grow, until the difference of both sides changes its sign; then by halving, and by the
// secant where that is faster, down to the last digit. A change of sign at a pole is none. What the
// equation depends on is structural: with other values the model is made anew.
#include "lang/build.h"

#include <math.h>

typedef struct {
    Builder *b;
    const Entity *x;
    Dim dim;
    double size;
    bool failed; // reported
} Implicit;

// Left side less right side, with the parameter at this value (SI). NaN: none.
static double defect(Implicit *m, double at) {
    Builder *b = m->b;
    Lower l = lower_numbers(b, "the equation of a parameter", true);
    Value *value = ARENA_NEW(&b->tmp, Value);
    *value = value_new(&l, 1, 1, m->dim, HAS_PARAM);
    value->one = expr_number(l.dag, at);
    Env env = *m->x->env;
    env.outer = m->x->env;
    env.name = m->x->name;
    env.value = value;
    Value v = lower(&l, m->x->item->right, &env);
    Constant c = {0};
    m->failed = m->failed || !value_ok(&v) ||
                !value_shape(&l, &v, 1, 1, m->x->item->pos, "the equation of a parameter");
    if (m->failed || !value_numbers(&l, &v, &c, &b->tmp)) return NAN;
    return c.one;
}

// Between a and b, where the defect has different signs.
static double halve(Implicit *m, double a, double fa, double b, double fb) {
    enum { MOST = 200 };
    for (int i = 0; i < MOST && !m->failed; i++) {
        double middle = a + (b - a) / 2, secant = b - fb * (b - a) / (fb - fa);
        bool inside = (secant - a) * (secant - b) < 0 && i % 3 != 2;
        double c = inside ? secant : middle;
        if (c == a || c == b) c = middle;
        if (c == a || c == b) break;
        double fc = defect(m, c);
        if (isnan(fc)) return NAN;
        if (fc == 0) return c;
        bool left = (fc > 0) == (fa > 0);
        if (left) a = c, fa = fc;
        if (!left) b = c, fb = fc;
    }
    return fabs(fa) <= fabs(fb) ? a : b;
}

static bool is_root(Implicit *m, double at, double fa, double fb) {
    double f = defect(m, at);
    return fabs(f) <= 1e-3 * fmin(fabs(fa), fabs(fb)) || f == 0;
}

// The nearest change of sign on one side of the guess, from `from` to `to`.
static bool look(Implicit *m, double from, double f0, double to, double f1, double *root) {
    if (isnan(f0) || isnan(f1) || (f0 > 0) == (f1 > 0)) return false;
    *root = halve(m, from, f0, to, f1);
    return !m->failed && is_root(m, *root, f0, f1);
}

static bool search(Implicit *m, double guess, double *root) {
    enum { MOST = 60 };
    double step = 1e-3 * (guess != 0 ? fabs(guess) : m->size);
    double at[2] = {guess, guess}, f0 = defect(m, guess), f[2] = {f0, f0};
    *root = guess;
    if (f0 == 0) return true;
    for (int i = 0; i < MOST && !m->failed; i++, step *= 1.5)
        for (int side = 0; side < 2; side++) {
            double next = at[side] + (side ? -step : step), fn = defect(m, next);
            if (fn == 0) *root = next;
            if (fn == 0 || look(m, at[side], f[side], next, fn, root)) return true;
            at[side] = next;
            f[side] = fn;
        }
    return false;
}

bool implicit_is(const Entity *x) {
    return x->kind == ENTITY_PARAM && x->item->right && x->value == x->item->left;
}

// The value of x becomes a plain number in its unit. False: reported.
bool implicit_solve(Builder *b, int entity) {
    Entity x = b->entity.data[entity];
    Constant guess;
    Target t = param_target(b, &x);
    if (!number_evaluate(b, x.value, x.value_env, "the guess for a parameter", true, &guess))
        return false;
    bool plain = t.has_unit && guess.is & IS_PLAIN;
    double from = plain ? guess.one * t.unit.scale + t.unit.offset : guess.one, root = 0;
    Implicit m = {b, &x, t.has_unit ? t.unit.dim : guess.dim, t.has_unit ? t.unit.scale : 1, false};
    bool found = search(&m, from, &root);
    if (m.failed) return false;
    if (!found) {
        Remark *r =
            complain(b, L_NO_ROOT, x.item->pos, "the equation of '%s' has no solution near %g",
                     text_of(b, x.name), from);
        remark_help(b->r, r, "look at the equation, or give another guess with `near`");
        return false;
    }
    AstExpr *number = ARENA_NEW(&b->tmp, AstExpr);
    *number = (AstExpr){.kind = AST_NUMBER, .depth = 1, .pos = x.value->pos};
    number->number = t.has_unit ? (root - t.unit.offset) / t.unit.scale : root;
    b->entity.data[entity].value = number;
    if (!t.has_unit) b->entity.data[entity].dim = m.dim;
    return true;
}
