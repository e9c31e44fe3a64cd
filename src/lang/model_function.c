// Functions of mechanisms that equations call: arm.B(q), arm.Cw(q, w), arm.tool.J(q).
//
//     param ctl: Arm(load = 1.1*load)       a set of parameters: no states, no ports, no energy
//     tau = ctl.g(q_d) + ctl.B(q)*a_d       functions of the caller's own arguments
//
// A mechanism that is a component has these functions, too, with its own parameters. What a call
// means is traced by src/mech (LangOptions.trace) into the expression in which it stands, so it can
// be differentiated, simplified and left out like anything else. For this the data of the mechanism
// are built once more, without variables (called_mechanism).
#include "lang/build.h"

#include <string.h>

typedef enum { OF_NONE, OF_Q, OF_W, OF_RATE_W, OF_EFFORT, OF_ANY } Argument; // what it is like

enum { MOST_ARGUMENTS = 3 };

typedef struct {
    const char *name;
    ModelFunction which;
    bool of_frame;
    int least; // arguments; the table says what those beyond are
    Argument argument[MOST_ARGUMENTS];
    int rows, cols; // of the result; 0: one for each velocity
    // the unit where all joints turn, and where all slide
    const char *turning, *sliding;
} Function;

static const Function functions[] = {
    {"B", MODEL_B, false, 1, {OF_Q}, 0, 0, "kg.m2", "kg"},
    {"Bx", MODEL_BX, false, 2, {OF_Q, OF_ANY}, 0, 1, "kg.m2", "kg"}, // times the unit of x
    {"C", MODEL_C, false, 2, {OF_Q, OF_W}, 0, 0, "kg.m2/s", "kg/s"},
    {"Cw", MODEL_CW, false, 2, {OF_Q, OF_W, OF_W}, 0, 1, "N.m", "N"},
    {"g", MODEL_G, false, 1, {OF_Q}, 0, 1, "N.m", "N"},
    {"T", MODEL_T, false, 2, {OF_Q, OF_W}, 1, 1, "J", "J"},
    {"V", MODEL_V, false, 1, {OF_Q}, 1, 1, "J", "J"},
    {"inverse_dynamics", MODEL_INVERSE, false, 3, {OF_Q, OF_W, OF_RATE_W}, 0, 1, "N.m", "N"},
    {"forward_dynamics", MODEL_FORWARD, false, 3, {OF_Q, OF_W, OF_EFFORT}, 0, 1, "rad/s2", "m/s2"},
    {"J", MODEL_JACOBIAN, true, 1, {OF_Q}, 6, 0, NULL, NULL},
    {"position", MODEL_POSITION, true, 1, {OF_Q}, 3, 1, "m", "m"},
    {"rotation", MODEL_ROTATION, true, 1, {OF_Q}, 3, 3, "rad", "rad"},
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

typedef struct {          // whose functions are called
    int mechanism, frame; // instances; frame = -1: none
    int nq, nv;
    bool turns, slides; // joints of these kinds are there
} Called;

// --- the mechanism -------------------------------------------------------------------------------

static void count_velocities(const Builder *b, Called *x) {
    const Instance *i = &b->instance.data[x->mechanism];
    for (int k = i->first_part; k < i->first_part + i->part_count; k++) {
        const MechPart *part = &b->part.data[k];
        if (part->item->kind != ITEM_JOINT) continue;
        int n = joint_velocities(part->kind), linear = joint_linear(part->kind);
        x->nq += kind_coordinates(part->kind, part->angles);
        x->nv += n;
        x->slides |= linear > 0;
        x->turns |= linear < n;
    }
}

static bool is_frame(const Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    return i->part && i->item && i->item->kind == ITEM_FRAME;
}

// The mechanism or frame before the last dot of a call; false: it is something else.
static bool find_called(Builder *b, const AstExpr *path, const Env *env, Called *x) {
    if (path->kind != AST_MEMBER) return false;
    if (path->left->kind != AST_NAME && path->left->kind != AST_MEMBER) return false;
    Ref ref = path_resolve(b, path->left, env, true);
    if (ref.kind != REF_INSTANCE || ref.subscript_count) return false;
    bool frame = is_frame(b, ref.index);
    if (!frame && !is_mechanism(b, ref.index)) return false;
    *x = (Called){.mechanism = ref.index, .frame = frame ? ref.index : -1};
    if (frame) x->mechanism = b->instance.data[ref.index].parent;
    while (is_mounted(b, x->mechanism)) x->mechanism = b->instance.data[x->mechanism].parent;
    count_velocities(b, x);
    return true;
}

static const Function *find_function(Lower *l, const AstExpr *e, const Called *x) {
    Builder *b = l->b;
    const char *word = text_of(b, e->left->name), *of = expr_text(b, e->left->left);
    Suggestion g = suggest_for(word);
    for (int i = 0; i < FUNCTIONS; i++) {
        if (functions[i].of_frame != (x->frame >= 0)) continue;
        if (strcmp(functions[i].name, word) == 0) return &functions[i];
        suggest_offer(&g, functions[i].name);
    }
    Remark *m = complain(b, L_MODEL_FUNCTION, e->left->pos, "%s '%s' has no function '%s'",
                         x->frame >= 0 ? "the frame" : "the mechanism", of, word);
    suggest_help(b->r, m, &g,
                 x->frame >= 0 ? "a frame has J(q), position(q), rotation(q)"
                               : "it has B(q), Bx(q, x), C(q, w), Cw(q, w), g(q), T(q, w), V(q), "
                                 "inverse_dynamics(q, w, a), forward_dynamics(q, w, effort)");
    return NULL;
}

// --- arguments -----------------------------------------------------------------------------------

static Dim argument_unit(const Called *x, Argument of) {
    static const char *const turning[] = {"", "rad", "rad/s", "rad/s2", "N.m"};
    static const char *const sliding[] = {"", "m", "m/s", "m/s2", "N"};
    if ((x->turns && x->slides) || of == OF_ANY) return DIM_UNKNOWN;
    return dim_of_unit(x->slides ? sliding[of] : turning[of]);
}

static const char *argument_name(const Function *f, int i) {
    static const char *const name[] = {"", "q", "w", "a", "effort", "x"};
    return i == 2 && f->which == MODEL_CW ? "u" : name[f->argument[i]];
}

static int most_arguments(const Function *f) {
    int n = 0;
    while (n < MOST_ARGUMENTS && f->argument[n] != OF_NONE) n++;
    return n;
}

static bool argument_count(Lower *l, const AstExpr *e, const Function *f) {
    int most = most_arguments(f);
    if (e->arg_count >= f->least && e->arg_count <= most) return true;
    Text list = {0};
    for (int i = 0; i < f->least; i++)
        text_printf(&list, "%s%s", i ? ", " : "", argument_name(f, i));
    Remark *m = complain(l->b, L_ARGUMENT_COUNT, e->pos, "'%s' is called with %d argument%s",
                         expr_text(l->b, e->left), e->arg_count, e->arg_count == 1 ? "" : "s");
    remark_help(l->b->r, m, "write %s(%s)", expr_text(l->b, e->left), text_get(&list));
    text_free(&list);
    return false;
}

static bool read_argument(Lower *l, const AstExpr *e, const Env *env, const Called *x,
                          const Function *f, int i, Value *v) {
    Builder *b = l->b;
    const AstArg *a = &e->args[i];
    const char *name = argument_name(f, i);
    int n = f->argument[i] == OF_Q ? x->nq : x->nv;
    if (a->name) {
        complain(b, L_UNKNOWN_ARGUMENT, a->pos,
                 "arguments of functions are given by their place, without names");
        return false;
    }
    *v = lower(l, a->value, env);
    if (!value_ok(v)) return false;
    Pos pos = ast_start(a->value);
    bool fits = v->rows == n && v->cols == 1;
    if (!fits && !(value_count(v) == 1 && (v->is & IS_ZERO))) {
        Remark *m =
            complain(b, L_WRONG_SHAPE, pos, "'%s' of '%s' is %s, not %s", name,
                     expr_text(b, e->left), shape_text(b, n, 1), shape_text(b, v->rows, v->cols));
        remark_help(b->r, m, "one entry for each %s, joint after joint from the world outwards",
                    f->argument[i] == OF_Q ? "coordinate" : "velocity");
        return false;
    }
    return value_fit(l, v, false, NULL, argument_unit(x, f->argument[i]), pos, name) &&
           value_shape(l, v, n, 1, pos, name);
}

// --- the call ------------------------------------------------------------------------------------

static Dim result_unit(const Called *x, const Function *f, const Value *arg) {
    bool mixed = x->turns && x->slides && !(f->rows && f->cols);
    if (mixed || !f->turning) return DIM_UNKNOWN;
    Dim unit = dim_of_unit(x->slides && !x->turns ? f->sliding : f->turning);
    return f->which == MODEL_BX ? dim_multiply(unit, arg[1].dim) : unit;
}

static const Expr *entries(Lower *l, const Value *v) { return value_matrix(l, v).at; }

static bool can_be_traced(Lower *l, const AstExpr *e) {
    Builder *b = l->b;
    if (l->mode == TO_NUMBERS) {
        Remark *m = complain(b, L_NOT_STRUCTURAL, e->pos, "%s cannot depend on '%s'", l->purpose,
                             expr_text(b, e->left));
        remark_help(b->r, m, "functions of mechanisms belong into equations and into `initial`");
        return false;
    }
    if (l->mode == TO_SHAPES || b->trace) return true;
    complain(b, L_MODEL_FUNCTION, e->pos, "functions of mechanisms cannot be called here");
    return false;
}

static Value call_traced(Lower *l, const Called *x, const Function *f, const Value *arg, int n) {
    Builder *b = l->b;
    int frame = -1;
    const Mechanism *m = called_mechanism(b, x->mechanism, x->frame, &frame);
    if (!m) return VALUE_BAD;
    ModelCall call = {.which = f->which, .frame = frame, .q = entries(l, &arg[0])};
    if (n > 1) call.w = entries(l, &arg[1]);
    if (n > 2) call.x = entries(l, &arg[2]);
    unsigned is = HAS_PARAM;
    for (int i = 0; i < n; i++) is |= arg[i].is & CARRIED;
    if (m->open_gravity) is |= HAS_VARIABLE;
    return value_of_matrix(b->trace(&b->tmp, l->dag, m, &call), result_unit(x, f, arg), is);
}

Value lower_model_function(Lower *l, const AstExpr *e, const Env *env, bool *is_one) {
    Builder *b = l->b;
    Called x;
    if (is_model_signal(b, e->left, env)) {
        *is_one = true;
        Remark *m = complain(b, L_MODEL_FUNCTION, e->pos, "'%s' is a signal, not a function",
                             expr_text(b, e->left));
        remark_help(b->r, m, "take the brackets away; a product is written with *");
        return VALUE_BAD;
    }
    *is_one = find_called(b, e->left, env, &x);
    if (!*is_one) return VALUE_BAD;
    const Function *f = find_function(l, e, &x);
    Value arg[MOST_ARGUMENTS] = {0};
    if (!f || !can_be_traced(l, e) || !argument_count(l, e, f)) return VALUE_BAD;
    bool good = true;
    for (int i = 0; i < e->arg_count; i++) good &= read_argument(l, e, env, &x, f, i, &arg[i]);
    int rows = f->rows ? f->rows : x.nv, cols = f->cols ? f->cols : x.nv;
    int work = f->which == MODEL_C ? 100 : 10; // expressions behind an entry, roughly
    if (!good || !count_scalars(b, (int64_t)rows * cols * work, e->pos)) return VALUE_BAD;
    if (l->mode == TO_SYMBOLS && no_errors(b)) return call_traced(l, &x, f, arg, e->arg_count);
    // Only the shape and the unit count, also where mistakes elsewhere leave nothing to trace.
    Expr any = l->mode == TO_SYMBOLS ? expr_number(l->dag, 1) : b->dummy;
    Value v = value_new(l, rows, cols, result_unit(&x, f, arg), HAS_VARIABLE);
    for (int i = 0; i < rows * cols; i++) value_put(&v, i, any);
    return v;
}
