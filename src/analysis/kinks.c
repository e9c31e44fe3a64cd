// Does a point lie on a kink of the equations? There the derivatives of both sides differ, and what
// the tape gives is that of one of them.
//
//     a < b, pieces of tables     the switches of the program, whose border is zero
//     abs(a), min(a, b), max(a, b)     a is zero, or both are equal, and something changes with them: v abs(v) at rest has one slope
#include "analysis/linear.h"

#include "base/memory.h"
#include <math.h>

enum { MOST_TOLD = 3 };

typedef struct {
    const System *s;
    const Reached *at;
    Report *r;
    int count;
    Remark *last;
} Kinks;

static void tell(Kinks *k, Expr what) {
    const System *s = k->s;
    const Reached *at = k->at;
    Report *r = k->r;
    if (++k->count > MOST_TOLD) return;
    Text name = {0};
    program_name(&name, at->program, what);
    int law = equation_with(s, what);
    bool own = law >= 0 && law < s->model->equation_count;
    Remark *x = k->last =
        report_warning(r, A_KINK, own ? s->model->equation[law].pos : s->model->pos,
                       "at t = %g s the model is on the border of '%s'", at->time, text_get(&name));
    remark_help(r, x,
                "the derivatives are those of one side; move the point with --at or `initial`");
    text_free(&name);
}

// At the moment of an event its border is zero but for rounding.
static bool is_on_border(const Kinks *k, Expr relation, double border) {
    const Dag *d = k->s->dag;
    if (border == 0 || expr_arg_count(d, relation) != 2) return border == 0;
    Expr side[2] = {expr_arg(d, relation, 0), expr_arg(d, relation, 1)};
    double value[2];
    machine_values(k->at->machine, side, 2, value);
    return fabs(border) <= 1e-12 * (fabs(value[0]) + fabs(value[1]));
}

static void tell_switches(Kinks *k) {
    const Reached *at = k->at;
    const Program *p = at->program;
    double *border = memory_zeroed((size_t)p->switch_count + 1, sizeof *border);
    if (p->switch_count) machine_switches(at->machine, at->time, at->state, border);
    for (int i = 0; i < p->switch_count; i++)
        if (p->sw[i].watcher < 0 && is_on_border(k, p->sw[i].relation, border[i]))
            tell(k, p->sw[i].relation);
    free(border);
}

typedef ARRAY(Expr) Roots;

static void add_roots(const System *s, Roots *root) {
    for (int i = 0; i < s->state_count; i++) array_push(root, s->rate[i]);
    for (int b = 0; b < s->block_count; b++)
        for (int k = 0; k < s->block[b].size; k++) array_push(root, s->block[b].residual[k]);
}

// Does a root change with this node, to first order?
static bool bends(const Kinks *k, const Roots *root, Expr node) {
    Dag *d = k->s->dag;
    Rates *by = rates_new(d);
    rates_set(by, node, expr_number(d, 1));
    bool yes = false;
    for (int i = 0; i < root->count && !yes; i++) {
        Expr slope = rates_of(by, root->data[i]);
        double value;
        machine_values(k->at->machine, &slope, 1, &value);
        yes = value != 0;
    }
    rates_free(by);
    return yes;
}

typedef struct {
    Expr node, distance; // of the arguments; 0: on the kink
} Fold;

static void tell_folds(Kinks *k) {
    const System *s = k->s;
    const Reached *at = k->at;
    ARRAY(Fold) fold = {0};
    Roots root = {0};
    ExprWalk *w = walk_new(s->dag);
    walk_start(w);
    add_roots(s, &root);
    for (int i = 0; i < root.count; i++) walk_add(w, root.data[i]);
    int count = walk_count(w);
    for (int i = 0; i < count; i++) {
        Expr e = walk_at(w, i);
        Op op = expr_op(s->dag, e);
        if (op != OP_ABS && op != OP_MIN && op != OP_MAX) continue;
        array_push(&fold, ((Fold){.node = e}));
    }
    walk_free(w);
    for (int i = 0; i < fold.count; i++) {
        Expr e = fold.data[i].node, a = expr_arg(s->dag, e, 0);
        fold.data[i].distance =
            expr_op(s->dag, e) == OP_ABS ? a : expr_sub(s->dag, a, expr_arg(s->dag, e, 1));
    }
    for (int i = 0; i < fold.count; i++) {
        double value;
        machine_values(at->machine, &fold.data[i].distance, 1, &value);
        if (value == 0 && bends(k, &root, fold.data[i].node)) tell(k, fold.data[i].node);
    }
    array_free(&root);
    array_free(&fold);
}

void kinks_tell(const Reached *at, Report *r) {
    const System *s = at->system;
    double *rate = memory_zeroed((size_t)s->state_count + 1, sizeof *rate);
    Kinks k = {.s = s, .at = at, .r = r};
    tell_switches(&k);
    if (machine_derivative(at->machine, at->time, at->state, rate, NULL)) tell_folds(&k);
    if (k.count > MOST_TOLD)
        remark_note(r, k.last, POS_NONE, "so it is with %d others", k.count - MOST_TOLD);
    free(rate);
}
