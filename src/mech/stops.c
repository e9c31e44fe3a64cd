// Rigid stops of joints: laws that switch (lang/model.h, modes), in the field of the mechanism. The
// joint gets the effort -e of its stops.
//
//     free    e = 0                while q is inside, or f leads inwards
//     lower   f = 0                while e <= 0: the stop pushes and never pulls
//     upper   f = 0                while e >= 0
//     hit     f = -k (f before)    once, when the joint arrives with a speed
//
// A joint whose motion is prescribed (driven by time, or prescribed by others that are) cannot be
// stopped: where the motion leaves the limits the run ends. A drive keeps its speed through an
// impact, as the rows of constraints do, and gives the impulse that this takes.
//
// The impulse of a hit is what the law says of f, and all momenta take their part of it through
// B(q)^-1: equations/jump.c finds it as for every other element that switches. At a stop the joint
// is constrained by a constraint, so the mode has one freedom less.
#include "mech/expansion.h"

#include <string.h>

bool check_rigid_stop(Expansion *k, const MechJoint *j) {
    if (!j->restitution) return true;
    double restitution = expr_evaluate(k->d, j->restitution, k->number);
    if (restitution >= 0 && restitution <= 1) return true;
    Remark *m = report_error(k->report, M_LIMITS, j->pos, "the restitution of '%s' is %g",
                             name_text(k->m->names, j->name), restitution);
    remark_help(k->report, m,
                "0: it stays at the stop, 1: it comes back as fast as it came; not more, as a stop "
                "gives no energy");
    return false;
}

static Expr call2(Dag *d, Op op, Expr a, Expr b) { return expr_call(d, op, (Expr[]){a, b}, 2); }

typedef struct {
    Op op;
    Expr a, b;
} Comparison;

// Two relations joined by `and` or `or`.
static Expr joined_by(Dag *d, Op op, Comparison x, Comparison y) {
    Expr second = call2(d, y.op, y.a, y.b);
    return call2(d, op, call2(d, x.op, x.a, x.b), second);
}

static Expr before_of(Expansion *k, const MechJoint *j) {
    Names *names = k->m->names;
    const char *flow = name_text(names, k->m->var[j->f].path);
    Before p = {.what = symbol(k, j->f)};
    for (int i = 0; i < k->m->before_count; i++)
        if (k->m->before[i].what == p.what) return k->m->before[i].symbol;
    p.symbol = expr_symbol(k->d, name_printf(names, "pre(%s)", flow));
    array_push(&k->before, p);
    return p.symbol;
}

static void add_mode(Expansion *k, const MechJoint *j, const char *name, Expr left, Expr right,
                     Expr condition, bool once) {
    Mode mode = {.name = name_of(k->m->names, name),
                 .first = k->mode_law.count,
                 .condition = condition,
                 .once = once,
                 .pos = j->pos};
    Equation law = {left, right, k->x->comp, j->pos, 0};
    array_push(&k->mode, mode);
    array_push(&k->mode_law, law);
}

// Inside of the limits, or on the way back.
static Expr is_free(const Expansion *k, const MechJoint *j) {
    Dag *d = k->d;
    Expr q = symbol(k, j->coordinate[0]), f = symbol(k, j->f), zero = expr_number(d, 0);
    Expr below = joined_by(d, OP_OR, (Comparison){OP_LESS, q, j->upper},
                           (Comparison){OP_LESS_EQUAL, f, zero});
    Expr above = joined_by(d, OP_OR, (Comparison){OP_LESS, j->lower, q},
                           (Comparison){OP_LESS_EQUAL, zero, f});
    return call2(d, OP_AND, below, above);
}

// A motion that may touch its limits, and leave them by rounding only.
static void led_stop_laws(Expansion *k, const MechJoint *j) {
    static const double rounding = 1e-9; // of the way between the limits
    Dag *d = k->d;
    Names *names = k->m->names;
    Expr q = symbol(k, j->coordinate[0]);
    Expr slack = expr_scale(d, rounding, expr_sub(d, j->upper, j->lower));
    Expr below = call2(d, OP_LESS, q, expr_sub(d, j->lower, slack));
    Expr above = call2(d, OP_LESS, expr_add(d, j->upper, slack), q);
    When guard = {
        .kind = WHEN_SINGULAR,
        .code = M_DRIVEN_STOP,
        .condition = call2(d, OP_OR, below, above),
        .owner = k->x->name,
        .words = name_printf(names, "the prescribed motion of '%s' runs into its rigid stop",
                             name_text(names, j->name)),
        .text = name_of(names, "what is prescribed cannot be stopped: prescribe a motion within "
                               "the limits, give the stops a stiffness that the drive pushes "
                               "against, or move the joint by a motor at its port"),
        .pos = j->pos};
    array_push(&k->guard, guard);
    add_law(k, symbol(k, j->stop), expr_number(d, 0), j->pos);
    k->m->var[j->contact].start = expr_number(d, 1);
}

void rigid_stop_laws(Expansion *k, const MechJoint *j) {
    if (is_led(k, j)) {
        led_stop_laws(k, j);
        return;
    }
    Dag *d = k->d;
    Expr zero = expr_number(d, 0), q = symbol(k, j->coordinate[0]);
    Expr f = symbol(k, j->f), e = symbol(k, j->stop);
    Expr middle = expr_scale(d, 0.5, expr_add(d, j->lower, j->upper));
    ModeChoice choice = {.first_equation = k->law.count,
                         .equation_count = 1,
                         .first_mode = k->mode.count,
                         .mode_count = 4,
                         .var = j->contact,
                         .comp = k->x->comp,
                         .owner = j->name,
                         .pos = j->pos};
    add_law(k, e, zero, j->pos);
    add_mode(k, j, "free", e, zero, is_free(k, j), false);
    add_mode(k, j, "at the lower stop", f, zero,
             joined_by(d, OP_AND, (Comparison){OP_LESS_EQUAL, e, zero},
                       (Comparison){OP_LESS, q, middle}),
             false);
    add_mode(k, j, "at the upper stop", f, zero,
             joined_by(d, OP_AND, (Comparison){OP_LESS_EQUAL, zero, e},
                       (Comparison){OP_LESS, middle, q}),
             false);
    Expr back = expr_neg(d, expr_mul(d, j->restitution, before_of(k, j)));
    add_mode(k, j, "hits a stop", f, back,
             joined_by(d, OP_OR, (Comparison){OP_LESS, f, zero}, (Comparison){OP_LESS, zero, f}),
             true);
    array_push(&k->choice, choice);
    k->m->var[j->contact].start = expr_number(d, 1);
}

// --- into the model ------------------------------------------------------------------------------

static void *joined(Arena *out, const void *old, int count, const void *more, int more_count,
                    size_t size) {
    char *all = arena_alloc(out, (size_t)count + (size_t)more_count, size);
    if (count) memcpy(all, old, (size_t)count * size);
    if (more_count) memcpy(all + (size_t)count * size, more, (size_t)more_count * size);
    return all;
}

#define JOIN(list)                                                                                 \
    (m->list =                                                                                     \
         joined(k->out, m->list, m->list##_count, k->list.data, k->list.count, sizeof *m->list),   \
     m->list##_count += k->list.count)

void keep_stops(Expansion *k) {
    Model *m = k->m;
    for (int i = 0; i < k->choice.count; i++) {
        k->choice.data[i].first_equation += m->equation_count;
        k->choice.data[i].first_mode += m->mode_count;
    }
    for (int i = 0; i < k->mode.count; i++) k->mode.data[i].first += m->mode_law_count;
    if (!k->choice.count) return;
    JOIN(choice);
    JOIN(mode);
    JOIN(mode_law);
    JOIN(before);
}
