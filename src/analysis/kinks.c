// Does a point lie on a kink of the equations? There the derivatives of both sides differ, and what
// the tape gives is that of one of them.
//
//     a < b, pieces of tables     the switches of the program, whose event function is zero
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
                       "at t = %g s the model is on the edge of '%s'", at->time, text_get(&name));
    remark_help(r, x,
                expr_op(s->dag, what) == OP_ABS
                    ? "its derivative is taken as 0, between those of both sides; move the point "
                      "with --at or `initial`"
                    : "the derivatives are those of one side; move the point with --at or "
                      "`initial`");
    text_free(&name);
}

typedef ARRAY(Expr) Exprs;

// At the point, all of them in one pass over the model. On the heap.
static double *values_of(const Kinks *k, const Exprs *e) {
    double *value = memory_zeroed((size_t)e->count + 1, sizeof *value);
    if (e->count) machine_values(k->at->machine, e->data, e->count, value);
    return value;
}

// Both sides of every relation, one after the other; of what has no two sides it stands for them.
static Exprs sides_of(const Dag *d, const Program *p) {
    Exprs side = {0};
    for (int i = 0; i < p->switch_count; i++) {
        Expr relation = p->sw[i].relation;
        bool two = expr_arg_count(d, relation) == 2;
        for (int a = 0; a < 2; a++) array_push(&side, two ? expr_arg(d, relation, a) : relation);
    }
    return side;
}

// At the moment of an event its event function is zero but for rounding of both sides.
static void tell_switches(Kinks *k) {
    const Reached *at = k->at;
    const Program *p = at->program;
    const Dag *d = k->s->dag;
    double *event_function = memory_zeroed((size_t)p->switch_count + 1, sizeof *event_function);
    if (p->switch_count) machine_switches(at->machine, at->time, at->state, event_function);
    Exprs side = sides_of(d, p);
    double *value = values_of(k, &side);
    for (int i = 0; i < p->switch_count; i++) {
        bool two = expr_arg_count(d, p->sw[i].relation) == 2;
        double rounding = two ? 1e-12 * (fabs(value[2 * i]) + fabs(value[2 * i + 1])) : 0;
        bool at_zero = event_function[i] == 0 || fabs(event_function[i]) <= rounding;
        if (p->sw[i].watcher < 0 && at_zero) tell(k, p->sw[i].relation);
    }
    free(value);
    array_free(&side);
    free(event_function);
}

static void add_roots(const System *s, Exprs *root) {
    for (int i = 0; i < s->state_count; i++) array_push(root, s->rate[i]);
    for (int b = 0; b < s->block_count; b++)
        for (int k = 0; k < s->block[b].size; k++) array_push(root, s->block[b].residual[k]);
}

// The nodes below the roots that have a kink.
static Exprs folds_of(const System *s, const Exprs *root) {
    Exprs fold = {0};
    ExprWalk *w = walk_new(s->dag);
    walk_start(w);
    for (int i = 0; i < root->count; i++) walk_add(w, root->data[i]);
    for (int i = 0; i < walk_count(w); i++) {
        Op op = expr_op(s->dag, walk_at(w, i));
        if (op == OP_ABS || op == OP_MIN || op == OP_MAX) array_push(&fold, walk_at(w, i));
    }
    walk_free(w);
    return fold;
}

// Keeps the kinks that the point lies on: the argument of abs is zero there, or both arguments of
// min and max are equal.
static void keep_touched(const Kinks *k, Exprs *fold) {
    Dag *d = dag_grow(k->s->dag);
    Exprs distance = {0};
    for (int i = 0; i < fold->count; i++) {
        Expr e = fold->data[i], a = expr_arg(d, e, 0);
        array_push(&distance, expr_op(d, e) == OP_ABS ? a : expr_sub(d, a, expr_arg(d, e, 1)));
    }
    double *value = values_of(k, &distance);
    int kept = 0;
    for (int i = 0; i < fold->count; i++)
        if (value[i] == 0) fold->data[kept++] = fold->data[i];
    fold->count = kept;
    free(value);
    array_free(&distance);
}

// Does a root change with a fold, to first order? By fold; on the heap.
static bool *find_bends(const Kinks *k, const Exprs *root, const Exprs *fold) {
    Dag *d = dag_grow(k->s->dag);
    bool *bends = memory_zeroed((size_t)fold->count + 1, sizeof *bends);
    Exprs slope = {0};
    ARRAY(int) of = {0};
    Partials *partials = partials_new(d);
    for (int i = 0; i < root->count && fold->count; i++) {
        partials_of(partials, root->data[i]);
        for (int f = 0; f < fold->count; f++) {
            Expr e = partials_by(partials, fold->data[f]);
            if (expr_is_number(d, e, NULL) && expr_value(d, e) == 0) continue;
            array_push(&slope, e);
            array_push(&of, f);
        }
    }
    double *value = values_of(k, &slope);
    for (int i = 0; i < slope.count; i++) bends[of.data[i]] |= value[i] != 0;
    free(value);
    partials_free(partials);
    array_free(&slope);
    array_free(&of);
    return bends;
}

static void tell_folds(Kinks *k) {
    Exprs root = {0};
    add_roots(k->s, &root);
    Exprs fold = folds_of(k->s, &root);
    keep_touched(k, &fold);
    bool *bends = find_bends(k, &root, &fold);
    for (int i = 0; i < fold.count; i++)
        if (bends[i]) tell(k, fold.data[i]);
    free(bends);
    array_free(&fold);
    array_free(&root);
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
