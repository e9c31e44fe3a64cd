// Signals of bodies, frames and whole mechanisms that are no variables: arm.fore.kinetic,
// arm.centre, arm.tip.acceleration.
//
//     of bodies: one, all, or those of a mounted mechanism   mass centre kinetic potential energy
//                                                            momentum
//     of one body                                            position rotation velocity
//                                                            acceleration
//     of a frame: of its body, seen from it                  kinetic potential energy momentum
//                 its own                                    acceleration felt
//     of a body, or of that of a frame about the frame       added
//     of a joint: what passes through it                     force moment
//
// Each is a function of the mechanism (model_function.c), taken at its own coordinates and
// velocities: it is traced into the expression in which it stands and costs nothing elsewhere.
// Variables of the same name come first.
#include "lang/build.h"

#include <string.h>

enum { OF_BODIES = 1, OF_BODY = 2, OF_FRAME = 4, OF_JOINT = 8 };

typedef struct {
    const char *name;
    ModelFunction which;
    int of;
    int rows, cols;
    const char *unit, *angular; // of all entries, or of the first three and the others
} Known;

static const Known known[] = {
    {"mass", MODEL_MASS, OF_BODIES | OF_BODY, 1, 1, "kg", NULL},
    {"centre", MODEL_CENTRE, OF_BODIES | OF_BODY, 3, 1, "m", NULL},
    {"kinetic", MODEL_KINETIC, OF_BODIES | OF_BODY | OF_FRAME, 1, 1, "J", NULL},
    {"potential", MODEL_POTENTIAL, OF_BODIES | OF_BODY | OF_FRAME, 1, 1, "J", NULL},
    {"energy", MODEL_ENERGY, OF_BODIES | OF_BODY | OF_FRAME, 1, 1, "J", NULL},
    {"momentum", MODEL_MOMENTUM, OF_BODIES | OF_BODY | OF_FRAME, 6, 1, "N.s", "N.m.s"},
    {"position", MODEL_PLACE, OF_BODY, 3, 1, "m", NULL},
    {"rotation", MODEL_ATTITUDE, OF_BODY, 3, 3, "1", NULL},
    {"velocity", MODEL_VELOCITY, OF_BODY, 6, 1, "m/s", "rad/s"},
    {"acceleration", MODEL_ACCELERATION, OF_BODY | OF_FRAME, 6, 1, "m/s2", "rad/s2"},
    {"felt", MODEL_FELT, OF_FRAME, 3, 1, "m/s2", NULL},
    {"force", MODEL_FORCE, OF_JOINT, 3, 1, "N", NULL},
    {"moment", MODEL_MOMENT, OF_JOINT, 3, 1, "N.m", NULL},
    {"added", MODEL_ADDED, OF_BODY | OF_FRAME, 6, 6, NULL, NULL},
};

enum { KNOWN = sizeof known / sizeof known[0] };

typedef struct {       // whose signal it is
    const Known *what; // NULL: it has no such signal
    int mechanism;     // instance of the outermost one
    int frame;         // instance, or -1
    int body;          // part, or -1
    int joint;         // instance, or -1
    int mounted; // instance of the mechanism whose bodies count: the outermost, or a mounted one
} SignalOf;

// --- whose ---------------------------------------------------------------------------------------

static bool has_member(const Builder *b, int instance, Name name) {
    return pairs_get(&b->members, (uint32_t)instance, name) >= 0;
}

static bool is_path(const AstExpr *e) { return e->kind == AST_NAME || e->kind == AST_MEMBER; }

static bool is_frame(const Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    return i->part && i->item && i->item->kind == ITEM_FRAME;
}

// A joint of the tree, whose words are not those of a body of its name.
static bool is_tree_joint(const Builder *b, int instance, Name word) {
    const Instance *i = &b->instance.data[instance];
    if (!i->part || !i->item || i->item->kind != ITEM_JOINT) return false;
    for (int k = 0; k < KNOWN; k++)
        if (known[k].of == OF_JOINT && strcmp(known[k].name, text_of(b, word)) == 0) return true;
    return false;
}

static int outermost(const Builder *b, int mechanism) {
    while (is_mounted(b, mechanism)) mechanism = b->instance.data[mechanism].parent;
    return mechanism;
}

static bool is_hidden(const Env *env, Name name) {
    for (const Env *s = env; s; s = s->outer)
        if (s->name == name && name) return true;
    return false;
}

// The component that a path means, without a word about what is wrong with it. -1: none.
static int instance_of(Builder *b, const AstExpr *e, const Env *env) {
    enum { LONGEST = 64 };
    const AstExpr *step[LONGEST];
    int n = 0, at = env->instance;
    for (const AstExpr *k = e; k; k = k->kind == AST_MEMBER ? k->left : NULL) {
        if (!is_path(k) || n == LONGEST) return -1;
        step[n++] = k;
    }
    if (n == 0 || is_hidden(env, step[n - 1]->name)) return -1;
    while (n-- > 0 && at >= 0) {
        int code = pairs_get(&b->members, (uint32_t)at, step[n]->name);
        bool element = code >= 0 && code % 4 == MEMBER_ARRAY && step[n]->arg_count == code / 4;
        if (step[n]->arg_count && !element) return -1;
        Name name = element ? indexed_name(b, step[n], env) : 0;
        if (element) code = name ? pairs_get(&b->members, (uint32_t)at, name) : -1;
        at = code >= 0 && code % 4 == MEMBER_INSTANCE ? code / 4 : -1;
    }
    return at;
}

// The body arm.fore or fore, and the mechanism that it stands in. -1: none.
static int body_of(Builder *b, const AstExpr *e, const Env *env, int *owner) {
    *owner = e->kind == AST_MEMBER ? instance_of(b, e->left, env) : env->instance;
    if (*owner < 0 || !is_mechanism(b, *owner)) return -1;
    if (e->kind == AST_NAME && is_hidden(env, e->name)) return -1;
    for (int i = 0; i < e->arg_count; i++)
        if (e->args[i].value->kind == AST_RANGE) return -1; // a part of a port
    Name name = indexed_name(b, e, env);
    return name ? pairs_get(&b->bodies, 0, member_path(b, *owner, text_of(b, name))) : -1;
}

// What stands before the last dot; false: it has a variable of this name, or is something else.
static bool find_subject(Builder *b, const AstExpr *e, const Env *env, Name word, SignalOf *x) {
    int owner, instance = instance_of(b, e, env);
    if (instance >= 0 && has_member(b, instance, word)) return false;
    if (instance >= 0 && is_mechanism(b, instance)) x->mounted = instance;
    if (instance >= 0 && is_frame(b, instance)) {
        x->frame = instance;
        x->mounted = b->instance.data[instance].parent;
    }
    if (instance >= 0 && is_tree_joint(b, instance, word)) {
        x->joint = instance;
        x->mounted = b->instance.data[instance].parent;
    }
    if (x->mounted >= 0) return true;
    x->body = body_of(b, e, env, &owner);
    if (x->body >= 0) x->mounted = owner;
    return x->body >= 0;
}

static int kind_of(const SignalOf *x) {
    return x->frame >= 0 ? OF_FRAME : x->joint >= 0 ? OF_JOINT : x->body >= 0 ? OF_BODY : OF_BODIES;
}

static bool is_word(const Builder *b, Name name) {
    const char *word = text_of(b, name);
    for (int i = 0; i < KNOWN; i++)
        if (strcmp(known[i].name, word) == 0) return true;
    return false;
}

static bool find_signal(Builder *b, const AstExpr *e, const Env *env, SignalOf *x) {
    *x = (SignalOf){.mechanism = -1, .frame = -1, .body = -1, .joint = -1, .mounted = -1};
    if (!is_path(e)) return false;
    if (e->kind == AST_MEMBER) {
        if (!is_path(e->left)) return false;
        int owner;
        bool word = is_word(b, e->name);
        if (!word && (instance_of(b, e->left, env) >= 0 || body_of(b, e->left, env, &owner) < 0))
            return false;
        if (!find_subject(b, e->left, env, e->name, x)) return false;
    } else {
        bool inside = env->instance >= 0 && is_mechanism(b, env->instance) && is_word(b, e->name);
        if (!inside || path_resolve(b, e, env, true).kind != REF_NONE) return false;
        x->mounted = env->instance;
    }
    x->mechanism = outermost(b, x->mounted);
    for (int i = 0; i < KNOWN; i++)
        if ((known[i].of & kind_of(x)) && strcmp(known[i].name, text_of(b, e->name)) == 0)
            x->what = &known[i];
    return x->what || x->body >= 0; // bodies have nothing else
}

bool is_model_signal(Builder *b, const AstExpr *e, const Env *env) {
    SignalOf x;
    return find_signal(b, e, env, &x);
}

static Value unknown_signal(Lower *l, const AstExpr *e) {
    Builder *b = l->b;
    const char *word = text_of(b, e->name);
    Remark *m = complain(b, L_MODEL_FUNCTION, e->pos, "the body '%s' has no signal '%s'",
                         expr_text(b, e->left), word);
    Suggestion g = suggest_for(word);
    for (int i = 0; i < KNOWN; i++)
        if (known[i].of & OF_BODY) suggest_offer(&g, known[i].name);
    suggest_help(b->r, m, &g,
                 "it has mass, centre, kinetic, potential, energy, momentum, position, rotation, "
                 "velocity, acceleration");
    return VALUE_BAD;
}

// --- its own motion ------------------------------------------------------------------------------

static const Expr *own_coordinates(Builder *b, const Mechanism *m) {
    ARRAY(Expr) list = {0};
    for (int i = 0; i < m->joint_count; i++)
        for (int c = 0; c < joint_coordinates(&m->joint[i]); c++)
            array_push(&list, b->var.data[m->joint[i].coordinate[c]].symbol);
    Expr *q = ARENA_ARRAY(&b->tmp, Expr, list.count);
    if (list.count) memcpy(q, list.data, (size_t)list.count * sizeof *q);
    array_free(&list);
    return q;
}

typedef enum { VELOCITIES, MOMENTUM_RATES, VELOCITY_RATES, STATE_RATES } Motion;

static const Expr *own_motion(Builder *b, const Mechanism *m, Motion what) {
    ARRAY(Expr) list = {0};
    for (int i = 0; i < m->joint_count; i++)
        for (int c = 0; c < joint_velocities(m->joint[i].kind); c++) {
            int f = m->joint[i].f + c, p = m->joint[i].p + c, w = m->joint[i].w + c;
            array_push(&list, what == VELOCITIES       ? b->var.data[f].symbol
                              : what == MOMENTUM_RATES ? derivative_symbol(b, p)
                              : what == STATE_RATES    ? derivative_symbol(b, w)
                                                       : derivative_symbol(b, f));
        }
    Expr *w = ARENA_ARRAY(&b->tmp, Expr, list.count);
    if (list.count) memcpy(w, list.data, (size_t)list.count * sizeof *w);
    array_free(&list);
    return w;
}

// Rates of velocities follow from those of the momenta, which are states, or with form lagrange are
// rates of states; where constraints hold
// the mechanism they are not, and the model must have the rates itself. False: it has not.
static bool own_rates(Lower *l, const AstExpr *e, const Mechanism *m, ModelCall *call) {
    Builder *b = l->b;
    if (!m->constrained && m->lagrange) {
        call->x = own_motion(b, m, STATE_RATES);
        return true;
    }
    if (!m->constrained) {
        call->p_rate = own_motion(b, m, MOMENTUM_RATES);
        return true;
    }
    for (int i = 0; b->frozen && i < m->joint_count; i++)
        for (int c = 0; c < joint_velocities(m->joint[i].kind); c++) {
            const Var *f = &b->var.data[m->joint[i].f + c];
            if (f->der >= 0) continue;
            Remark *r = complain(b, L_DER_OF, e->pos, "the model does not use der(%s)",
                                 text_of(b, f->path));
            remark_help(b->r, r, "add a variable to the model: var a[6], then a = %s",
                        expr_text(b, e));
            return false;
        }
    call->x = own_motion(b, m, VELOCITY_RATES);
    return true;
}

// --- what acts from outside ----------------------------------------------------------------------

static void variables(Builder *b, int first, int count, Expr *to) {
    for (int i = 0; i < count && first >= 0; i++) to[i] = b->var.data[first + i].symbol;
}

static int joint_number(const Builder *b, const Mechanism *m, int instance) {
    for (int i = 0; i < m->joint_count; i++)
        if (m->joint[i].name == b->instance.data[instance].path) return i;
    return -1;
}

static void outside_efforts(Builder *b, const Mechanism *m, ModelCall *call) {
    Expr *frame = ARENA_ARRAY(&b->tmp, Expr, 6 * m->frame_count);
    Expr *tie_effort = ARENA_ARRAY(&b->tmp, Expr, TIE_ROWS * m->tie_count);
    Expr *port = ARENA_ARRAY(&b->tmp, Expr, TIE_ROWS * m->tie_count);
    for (int i = 0; i < m->frame_count; i++) variables(b, m->frame[i].e, 6, &frame[6 * i]);
    for (int i = 0; i < m->tie_count; i++) {
        const MechTie *t = &m->tie[i];
        variables(b, t->lambda, tie_rows(t->kind, t->joint), &tie_effort[TIE_ROWS * i]);
        variables(b, t->e, tie_freedom(t->kind, t->joint), &port[TIE_ROWS * i]);
    }
    call->frame_effort = frame;
    call->tie_effort = tie_effort;
    call->tie_port = port;
}

// --- the value -----------------------------------------------------------------------------------

static bool can_be_taken(Lower *l, const AstExpr *e, const SignalOf *x) {
    Builder *b = l->b;
    if (l->mode == TO_NUMBERS) {
        Remark *m = complain(b, L_NOT_STRUCTURAL, e->pos, "%s cannot depend on '%s'", l->purpose,
                             expr_text(b, e));
        remark_help(b->r, m, "signals of mechanisms belong into equations, plots and expectations");
        return false;
    }
    if (l->probes) {
        value_wants_time(l, e);
        return false;
    }
    if (!is_called_only(b, x->mechanism) && (l->mode == TO_SHAPES || b->trace)) return true;
    Remark *m =
        complain(b, L_MODEL_FUNCTION, e->pos, "'%s' is a set of parameters: it does not move",
                 text_of(b, b->instance.data[x->mechanism].path));
    remark_help(b->r, m, "name a component, or call its functions with arguments: T(q, w), V(q)");
    return false;
}

// Which bodies count: the one, or all below a mechanism.
static const bool *bodies_of(Builder *b, const SignalOf *x, const Mechanism *m) {
    bool *among = ARENA_ARRAY(&b->tmp, bool, m->body_count);
    const Instance *i = &b->instance.data[x->mounted];
    for (int k = i->first_part; k < i->first_part + i->part_count; k++) {
        const MechPart *part = &b->part.data[k];
        if (part->item->kind != ITEM_BODY || (x->body >= 0 && k != x->body)) continue;
        for (int n = 0; n < m->body_count; n++) among[n] |= m->body[n].name == part->path;
    }
    return among;
}

// A mean over nothing is none.
static bool has_bodies(Lower *l, const AstExpr *e, const Mechanism *m, const ModelCall *call) {
    Builder *b = l->b;
    bool joint = call->joint >= 0 && m->joint[call->joint].child >= 0;
    bool any = call->frame >= 0 || joint, heavy = call->which != MODEL_CENTRE;
    for (int i = 0; i < m->body_count; i++) {
        double mass;
        any |= call->among[i];
        heavy |= call->among[i] && !(expr_is_number(b->dag, m->body[i].mass, &mass) && mass == 0);
    }
    if (any && heavy) return true;
    Remark *r = complain(b, L_MODEL_FUNCTION, e->pos, "'%s' has no value: there %s",
                         expr_text(b, e), any ? "is no mass" : "are no bodies");
    remark_help(b->r, r,
                any ? "give a body a mass, or take the position of a frame"
                    : "a lagrangian has kinetic, potential and energy as a whole");
    return false;
}

static Value traced(Lower *l, const AstExpr *e, const SignalOf *x, unsigned is) {
    Builder *b = l->b;
    int frame = -1;
    const Mechanism *m = called_mechanism(b, x->mechanism, x->frame, &frame);
    if (!m) return VALUE_BAD;
    ModelFunction which = x->what->which;
    ModelCall call = {.which = which,
                      .frame = frame,
                      .among = bodies_of(b, x, m),
                      .joint = x->joint >= 0 ? joint_number(b, m, x->joint) : -1,
                      .as_listed = true,
                      .q = own_coordinates(b, m),
                      .w = own_motion(b, m, VELOCITIES)};
    if (!has_bodies(l, e, m, &call)) return VALUE_BAD;
    bool reaction = which == MODEL_FORCE || which == MODEL_MOMENT;
    bool rates = which == MODEL_ACCELERATION || which == MODEL_FELT || reaction;
    if (reaction) outside_efforts(b, m, &call);
    if (rates && !own_rates(l, e, m, &call)) return VALUE_BAD;
    return value_of_matrix(b->trace(&b->tmp, l->dag, m, &call), DIM_UNKNOWN, is);
}

// The unit of the entries that are taken.
static Dim unit_of(Lower *l, const Known *what, const Subscripts *at) {
    Part p = {1, 1, what->rows, what->cols};
    if (!what->unit) return DIM_UNKNOWN; // kg, kg.m, kg.m2
    if (!what->angular) return dim_of_unit(what->unit);
    if (at->count && !select_part(l, what->rows, what->cols, at, &p)) return DIM_UNKNOWN;
    bool linear = p.row + p.rows <= 4, angular = p.row > 3;
    return linear ? dim_of_unit(what->unit) : angular ? dim_of_unit(what->angular) : DIM_UNKNOWN;
}

Value lower_model_signal(Lower *l, const AstExpr *e, const Env *env, bool *is_one) {
    Builder *b = l->b;
    SignalOf x;
    *is_one = find_signal(b, e, env, &x);
    if (!*is_one) return VALUE_BAD;
    if (!x.what) return unknown_signal(l, e);
    if (!can_be_taken(l, e, &x) || !count_scalars(b, 60, e->pos)) return VALUE_BAD;
    bool fixed = x.what->which == MODEL_MASS || x.what->which == MODEL_ADDED;
    unsigned is = fixed ? HAS_PARAM : HAS_VARIABLE;
    Value v;
    if (l->mode == TO_SYMBOLS && no_errors(b)) {
        v = traced(l, e, &x, is);
        if (!value_ok(&v)) return v;
    } else { // only the shape and the unit count
        v = value_new(l, x.what->rows, x.what->cols, DIM_UNKNOWN, HAS_VARIABLE);
        Expr any = l->mode == TO_SYMBOLS ? expr_number(l->dag, 1) : b->dummy;
        for (int i = 0; i < value_count(&v); i++) value_put(&v, i, any);
    }
    Subscripts at = {e->arg_count ? e->args : NULL, e->arg_count, env, e->pos,
                     x.what->rows == 1   ? 0
                     : x.what->cols == 1 ? 1
                                         : 2};
    v.dim = unit_of(l, x.what, &at);
    return value_select(l, v, &at);
}

// --- added mass behind a port --------------------------------------------------------------------

// The frame of a mechanism that the bond of a port leads to, without a 0-junction on the way; -1:
// none.
static int frame_behind(const Builder *b, int terminal) {
    const Terminal *t = &b->terminal.data[terminal];
    for (int k = 0; b->joined && t->dim == 6 && k < b->part.count; k++) {
        int instance = b->part.data[k].instance;
        if (instance < 0 || !is_frame(b, instance)) continue;
        int first = b->instance.data[instance].first_terminal, same = 0;
        if (first < 0) continue;
        while (same < 6 &&
               b->joined[t->node + same] == b->joined[b->terminal.data[first].node + same])
            same++;
        if (same == 6) return instance;
    }
    return -1;
}

// added_mass(p): of the body that the port p of this model is bonded to, about the frame where it
// is and in its axes; zeros where there is none.
Value lower_added_mass(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    Ref ref = {0};
    if (e->arg_count == 1 && is_path(e->args[0].value))
        ref = path_resolve(b, e->args[0].value, env, true);
    if (ref.kind != REF_PORT || ref.subscript_count) {
        Remark *m = complain(b, L_MODEL_FUNCTION, e->pos, "'added_mass' wants a port of the model");
        remark_help(b->r, m, "added_mass(p), where p: any[6] is bonded to a frame of a mechanism");
        return VALUE_BAD;
    }
    int frame = frame_behind(b, ref.index);
    if (l->mode == TO_SYMBOLS && no_errors(b) && frame >= 0 && b->trace) {
        int mounted = b->instance.data[frame].parent;
        SignalOf x = {.mechanism = outermost(b, mounted),
                      .frame = frame,
                      .body = -1,
                      .joint = -1,
                      .mounted = mounted};
        for (int i = 0; i < KNOWN; i++)
            if (known[i].which == MODEL_ADDED) x.what = &known[i];
        return traced(l, e, &x, HAS_PARAM);
    }
    Value v = value_new(l, 6, 6, DIM_UNKNOWN, HAS_PARAM);
    Expr any = l->mode == TO_SHAPES ? b->dummy : expr_number(l->dag, 0);
    for (int i = 0; i < 36; i++) value_put(&v, i, any);
    return v;
}
