// Classes become instances: declared names, loops unrolled, conditions decided.
//
// The statements of a class are read in sweeps, so that their order in the text does not matter:
// parameters; sets of parameters that were given (names for sets that exist already); then ports,
// inputs, outputs and variables (whose sizes use parameters); then components (whose arguments are
// looked at when they are needed); then loops, conditions and everything that only has to be
// remembered: bonds, equations, requests.
//
//   model Line(n = 2)                 instance ""        entity n
//     for i in 1:n                    instance "r[1]"    env i = 1
//       R r[i](10 {ohm})              instance "r[2]"    env i = 2
//     end
//   end
#include "lang/elaborate.h"

#include "lang/library.h"
#include <math.h>
#include <string.h>

enum {
    SWEEP_PARAMS,
    SWEEP_SET_ARRAYS,
    SWEEP_SETS,
    SWEEP_VARIABLES,
    SWEEP_COMPONENTS,
    SWEEP_REST,
    SWEEPS
};

static void elaborate_items(Elaboration *e, const AstItem *items, const Env *env, bool in_loop);
static void elaborate_class(Builder *b, int instance, Definition d, Elaboration *outer);

// --- small things --------------------------------------------------------------------------------

const Env *new_env(Builder *b, Env e) {
    Env *kept = ARENA_NEW(&b->tmp, Env);
    *kept = e;
    return kept;
}

int add_instance(Builder *b, Instance i) {
    array_push(&b->instance, i);
    return b->instance.count - 1;
}

void add_terminal(Builder *b, Terminal t) { array_push(&b->terminal, t); }

// A port of a class is one of its members; all others stand where their instance is declared.
Pos terminal_pos(const Builder *b, const Terminal *t) {
    if (!t->of_class) return b->instance.data[t->instance].item->pos;
    int code = pairs_get(&b->members, (uint32_t)t->instance, t->name);
    return b->entity.data[code / 4].item->pos;
}

Name member_path(Builder *b, int instance, const char *name) {
    const char *owner = text_of(b, b->instance.data[instance].path);
    if (!*owner) return name_of(b->names, name);
    char small[256];
    size_t n = strlen(owner), k = strlen(name);
    if (n + k + 1 >= sizeof small) return name_printf(b->names, "%s.%s", owner, name);
    put_chars(put_chars(put_chars(small, owner, n), ".", 1), name, k);
    return name_of_n(b->names, small, n + 1 + k);
}

bool count_scalars(Builder *b, int64_t count, Pos pos) {
    if (count <= b->limit - b->scalars) {
        b->scalars += (int)count;
        return true;
    }
    Remark *m = complain(b, L_TOO_LARGE, pos, "the model grows beyond %d variables", b->limit);
    remark_help(b->r, m, "check the sizes and the bounds of loops");
    b->stop = true;
    return false;
}

static Pos member_pos(const Builder *b, int code) {
    int index = code / 4;
    if (code % 4 == MEMBER_ENTITY) return b->entity.data[index].item->pos;
    if (code % 4 == MEMBER_INSTANCE && b->instance.data[index].item)
        return b->instance.data[index].item->pos;
    return POS_NONE;
}

// False when the instance has such a name already (reported).
bool name_is_free(Builder *b, int owner, Name name, Pos pos) {
    int known = pairs_get(&b->members, (uint32_t)owner, name);
    if (known < 0) return true;
    Remark *m = complain(b, L_DUPLICATE_NAME, pos, "'%s' is declared twice", text_of(b, name));
    Pos first = member_pos(b, known);
    if (first.file) remark_note(b->r, m, first, "the first declaration is here");
    remark_help(b->r, m, "rename one of them");
    return false;
}

void declare_member(Builder *b, int owner, Name name, int index) {
    int code = index < 0 ? 4 * ~index + MEMBER_ENTITY : 4 * index + MEMBER_INSTANCE;
    pairs_set(&b->tmp, &b->members, (uint32_t)owner, name, code);
    array_push(&b->member, ((Member){owner, index}));
}

void declare_broken(Builder *b, int owner, Name name) {
    if (pairs_get(&b->members, (uint32_t)owner, name) < 0)
        pairs_set(&b->tmp, &b->members, (uint32_t)owner, name, MEMBER_BROKEN);
}

// --- components ----------------------------------------------------------------------------------

static void report_unknown_type(Builder *b, const AstItem *item, const Env *env) {
    const AstExpr *path = item->path;
    const char *type = expr_text(b, path);
    Remark *m = complain(b, L_UNKNOWN_CLASS, path->pos, "there is no model or element '%s'", type);
    Suggestion g = suggest_for(type);
    suggest_definitions(&g, b->syntax, env->file, COMPONENT_CLASSES);
    for (int i = FIRST_ELEMENT; builtin_at(i); i++) suggest_offer(&g, builtin_at(i)->type);
    static const char *const words[] = {"param",  "const", "port",    "input",
                                        "output", "var",   "initial", "assert"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) suggest_offer(&g, words[i]);
    if (m == &b->unsaid || library_help(b->syntax, type, COMPONENT_CLASSES, &g, b->r, m)) return;
    suggest_help(b->r, m, &g, "define it in this file, or import the file that has it");
}

// The class of a component; what = NULL when there is none (reported).
static Definition component_class(Builder *b, const AstItem *item, const Env *env) {
    Definition d = definition_of(b, env, item->path);
    if (!d.what) {
        report_unknown_type(b, item, env);
    } else if (!(COMPONENT_CLASSES >> d.what->kind & 1)) {
        Remark *m = complain(b, L_UNKNOWN_CLASS, item->path->pos, "'%s' is no model or element",
                             expr_text(b, item->path));
        remark_note(b->r, m, d.what->pos, "it is defined here");
        d.what = NULL;
    } else if (item->dimension) {
        Remark *m = complain(b, L_BAD_SIZE, item->dimension->pos,
                             "'%s' cannot have a dimension; only built-in elements can",
                             expr_text(b, item->path));
        remark_help(b->r, m, "for several of them write the number behind the name: %s %s[3]",
                    expr_text(b, item->path), text_of(b, item->name));
        d.what = NULL;
    } else if (item->laws) {
        complain(b, L_LAW, item->laws->pos, "only built-in elements can have a law here");
        d.what = NULL;
    } else if (item->left && !item->set) {
        complain(b, L_TOO_MANY_ARGUMENTS, item->left->pos,
                 "only sources take a value with '='; arguments stand in brackets");
        d.what = NULL;
    }
    return d;
}

// Inside a mechanism only mechanisms can stand, mounted on a body.
static bool can_be_mounted(Builder *b, const AstItem *item, Definition d) {
    if (!item->mount || (d.what && d.what->kind == CLASS_MECHANISM)) return true;
    Remark *m = complain(b, M_MOUNT, item->path->pos, "'%s' is no mechanism and cannot be mounted",
                         expr_text(b, item->path));
    if (d.what) remark_note(b->r, m, d.what->pos, "it is defined here");
    remark_help(b->r, m, "bond it to a joint or frame in the model that contains the mechanism");
    return false;
}

static bool nested_too_deep(Builder *b, const AstItem *item, int parent, const AstClass *class) {
    if (b->instance.data[parent].depth + 1 < DEEPEST_NESTING) return false;
    int circle = parent;
    while (circle >= 0 && b->instance.data[circle].class != class)
        circle = b->instance.data[circle].parent;
    Remark *m = circle >= 0
                    ? complain(b, L_CIRCULAR_NESTING, item->pos,
                               "model '%s' contains itself and does not end within %d levels",
                               text_of(b, class->name), DEEPEST_NESTING)
                    : complain(b, L_CIRCULAR_NESTING, item->pos,
                               "models are nested more than %d deep", DEEPEST_NESTING);
    for (int i = parent; i > circle && circle >= 0; i = b->instance.data[i].parent)
        if (b->instance.data[i].item)
            remark_note(b->r, m, b->instance.data[i].item->pos, "by way of this '%s'",
                        text_of(b, b->instance.data[i].class->name));
    remark_help(b->r, m,
                circle >= 0 ? "take one component of the circle out, or end it earlier with "
                              "`if n > 0`; long chains are arrays with a `for` loop"
                            : "put things side by side, in arrays with a `for` loop");
    b->stop = true;
    return true;
}

static void add_builtin_terminals(Builder *b, int instance) {
    Instance *i = &b->instance.data[instance];
    CompKind kind = i->builtin->kind;
    Terminal t = {.instance = instance, .domain = -1, .next = -1, .e = -1, .f = -1, .port = -1};
    i->first_terminal = b->terminal.count;
    t.junction = i->builtin->ports == 0;
    t.out = kind == COMP_SE || kind == COMP_SF;
    if (i->builtin->ports < 2) {
        add_terminal(b, t);
        return;
    }
    t.name = name_of(b->names, "p1");
    add_terminal(b, t);
    t.name = name_of(b->names, "p2");
    t.out = true;
    add_terminal(b, t);
}

static void finish_builtin(Builder *b, int instance) {
    Instance *i = &b->instance.data[instance];
    const AstItem *item = i->item;
    int dim = 0;
    if (item->dimension &&
        !size_evaluate(b, item->dimension, i->env, "the dimension of a component", 1, &dim)) {
        b->instance.data[instance].dim_is = WRONG;
        dim = 1;
    }
    b->instance.data[instance].dim = dim;
    bind_builtin(b, instance);
    add_builtin_terminals(b, instance);
}

typedef struct {
    const Builtin *builtin;
    Definition definition;
    const AstExpr *share; // an array of sets: the one that is handed on; NULL: an own one
    const Env *share_env;
} Type;

static void add_component(Elaboration *e, const AstItem *item, const Env *env, Type type,
                          Name name) {
    Builder *b = e->b;
    enum { USUAL_SCALARS = 8 }; // with its names, a component takes the room of so many
    if (b->stop || !count_scalars(b, USUAL_SCALARS, item->pos)) return;
    int parent = e->instance;
    if (type.definition.what && nested_too_deep(b, item, parent, type.definition.what)) return;
    if (!name_is_free(b, parent, name, item->pos)) return;
    Instance i = {.parent = parent,
                  .depth = b->instance.data[parent].depth + 1,
                  .name = name,
                  .item = item,
                  .env = env,
                  .class = type.definition.what,
                  .builtin = type.builtin,
                  .first_terminal = -1,
                  .comp = -1,
                  .var = -1};
    i.path = member_path(b, parent, text_of(b, name));
    int index = add_instance(b, i);
    declare_member(b, parent, name, index);
    if (type.builtin)
        finish_builtin(b, index);
    else
        elaborate_class(b, index, type.definition, e);
}

bool declare_array(Builder *b, int owner, const AstItem *item) {
    int known = pairs_get(&b->members, (uint32_t)owner, item->name);
    int code = 4 * item->size_count + MEMBER_ARRAY;
    if (known == code) return true;
    if (!name_is_free(b, owner, item->name, item->pos)) return false;
    pairs_set(&b->tmp, &b->members, (uint32_t)owner, item->name, code);
    return true;
}

static Name element_name(Builder *b, const AstItem *item, const int *index) {
    char text[ELEMENT_NAME];
    size_t length = element_text(text, text_of(b, item->name), index, item->size_count);
    return name_of_n(b->names, text, length);
}

static void add_element(Elaboration *e, const AstItem *item, const Env *env, Type type,
                        const int *index) {
    Name name = element_name(e->b, item, index);
    if (type.share)
        set_share_element(
            e->b, e->instance, item,
            &(SharedElement){type.definition, type.share, type.share_env, name, index});
    else
        add_component(e, item, env, type, name);
}

static void add_array(Elaboration *e, const AstItem *item, const Env *env, Type type,
                      bool in_loop) {
    Builder *b = e->b;
    int size[2] = {1, 1}, index[2];
    if (item->size_count > 2) {
        complain(b, L_BAD_SIZE, item->size[2]->pos, "'%s' has more than two sizes",
                 text_of(b, item->name));
        return;
    }
    for (int i = 0; i < item->size_count; i++)
        if (!size_evaluate(b, item->size[i], env, in_loop ? "an index" : "a number of components",
                           0, &size[i])) {
            declare_broken(b, e->instance, item->name);
            return;
        }
    if (!declare_array(b, e->instance, item)) return;
    if (!in_loop && (int64_t)size[0] * size[1] > b->limit - b->scalars) {
        count_scalars(b, INT64_MAX, item->pos); // reports
        return;
    }
    if (in_loop) {
        add_element(e, item, env, type, size);
        return;
    }
    for (index[0] = 1; index[0] <= size[0]; index[0]++)
        for (index[1] = 1; index[1] <= size[1] && !b->stop; index[1]++)
            add_element(e, item, env, type, index);
}

// Definitions of a file hide elements of the language, as they hide imported ones.
static bool hides_builtin(const Builder *b, Name type, const Env *env) {
    Definition own = find_own(b->syntax, env->file, type);
    return own.what && (COMPONENT_CLASSES >> own.what->kind & 1);
}

static void declare_component(Elaboration *e, const AstItem *item, const Env *env, bool in_loop) {
    Builder *b = e->b;
    Type type = {0};
    if (item->junction >= 0)
        type.builtin = builtin_junction(item->junction);
    else if (item->path->kind == AST_NAME && !chosen_of(b, env, item->path) &&
             !hides_builtin(b, item->path->name, env))
        type.builtin = builtin_find(text_of(b, item->path->name));
    if (!type.builtin) {
        type.definition = component_class(b, item, env);
        if (!type.definition.what) {
            declare_broken(b, e->instance, item->name);
            return;
        }
    }
    if (!can_be_mounted(b, item, type.definition)) return;
    if (item->size_count)
        add_array(e, item, env, type, in_loop);
    else
        add_component(e, item, env, type, item->name);
}

// --- sets of parameters (see sets.c) -------------------------------------------------------------

const AstExpr *given_value(Elaboration *e, const AstItem *item, const Env **env) {
    Builder *b = e->b;
    const Binding *k = find_binding(e, item->name);
    const Override *o = b->override.count
                            ? find_override(b, member_path(b, e->instance, text_of(b, item->name)))
                            : NULL;
    if (o || k) *env = o ? o->env : k->env;
    return o ? o->item->right : k ? k->value : item->left;
}

static void declare_set(Elaboration *e, const AstItem *item, const Env *env, bool in_loop,
                        int sweep) {
    Builder *b = e->b;
    if (sweep > SWEEP_SETS) return;
    const Env *value_env = env;
    const AstExpr *value = given_value(e, item, &value_env);
    int own = item->size_count ? SWEEP_SET_ARRAYS : SWEEP_PARAMS; // sizes want parameters
    if (sweep != (value ? SWEEP_SETS : own)) return;
    Definition d = component_class(b, item, env);
    if (!d.what || !set_is_pure(b, item, d)) {
        declare_broken(b, e->instance, item->name);
        return;
    }
    if (item->size_count) {
        add_array(e, item, env, (Type){NULL, d, value, value_env}, in_loop);
        return;
    }
    if (!name_is_free(b, e->instance, item->name, item->pos)) return;
    if (value)
        set_share(b, e->instance, item, d, value, value_env);
    else
        add_component(e, item, env, (Type){.definition = d}, item->name);
}

// --- loops and conditions ------------------------------------------------------------------------

static void one_round(Elaboration *e, const AstItem *item, const Env *env, double value) {
    Env inner = *env;
    inner.outer = env;
    inner.name = item->name;
    inner.number = value;
    inner.value = NULL;
    elaborate_items(e, item->body, new_env(e->b, inner), true);
}

static bool whole_number(Builder *b, const AstExpr *at, const Constant *c, double *x) {
    *x = c->one;
    if (c->rows * c->cols == 1 && c->one == floor(c->one) && fabs(c->one) < 1e9) return true;
    Remark *m = complain(b, L_BAD_SIZE, at->pos, "a bound of a loop must be a whole number");
    if (c->rows * c->cols == 1) remark_help(b->r, m, "'%s' is %g", expr_text(b, at), c->one);
    return false;
}

// Refuses a loop that is hopelessly long before its first round.
static bool enough_room(Builder *b, const AstItem *item, double rounds) {
    int items = 1;
    for (const AstItem *i = item->body; i; i = i->next) items++;
    if (rounds <= 0) return true;
    if (rounds * items > b->limit - b->scalars) return count_scalars(b, INT64_MAX, item->pos);
    return count_scalars(b, (int64_t)rounds, item->pos);
}

static void elaborate_for(Elaboration *e, const AstItem *item, const Env *env) {
    Builder *b = e->b;
    const AstExpr *range = item->left;
    Constant low, high;
    double from, to;
    if (range->kind == AST_RANGE && range->left && range->right) {
        if (!number_evaluate(b, range->left, env, "a bound of a loop", true, &low) ||
            !number_evaluate(b, range->right, env, "a bound of a loop", true, &high) ||
            !whole_number(b, range->left, &low, &from) ||
            !whole_number(b, range->right, &high, &to))
            return;
        if (!enough_room(b, item, to - from + 1)) return;
        for (double x = from; x <= to && !b->stop; x++) one_round(e, item, env, x);
        return;
    }
    if (!number_evaluate(b, range, env, "the values of a loop", true, &low)) return;
    int count = low.rows * low.cols;
    for (int i = 0; i < count && !b->stop; i++)
        one_round(e, item, env, count == 1 ? low.one : low.many[i]);
}

static void elaborate_if(Elaboration *e, const AstItem *item, const Env *env, bool in_loop) {
    Constant c;
    if (!number_evaluate(e->b, item->left, env, "a condition", true, &c)) return;
    if (c.rows * c.cols != 1) {
        complain(e->b, L_WRONG_SHAPE, item->left->pos, "a condition must be a scalar");
        return;
    }
    elaborate_items(e, c.one != 0 ? item->body : item->otherwise, env, in_loop);
}

// --- statements that are only remembered ---------------------------------------------------------

static void remember_role(Builder *b, int instance, const AstItem *item, const Env *env) {
    Instance *i = &b->instance.data[instance];
    if (i->role_item && i->role_item != item) {
        Remark *m =
            complain(b, L_DUPLICATE_NAME, item->pos, "what '%s' does with energy is said twice",
                     text_of(b, i->class->name));
        remark_note(b->r, m, i->role_item->pos, "the first statement is here");
        remark_help(b->r, m, "keep one of stores, lossless, supplies, dissipates");
    }
    i->role = item->kind == ITEM_STORES     ? ROLE_STORE
              : item->kind == ITEM_LOSSLESS ? ROLE_LOSSLESS
              : item->kind == ITEM_SUPPLIES ? ROLE_SUPPLY
                                            : ROLE_DISSIPATE;
    i->role_item = item;
    i->role_env = env;
}

// A statement of the class itself or of what it extends, not of a condition or a loop in it.
static bool is_direct(const Elaboration *e, const AstItem *item) {
    for (int k = 0; k < e->levels; k++)
        for (const AstItem *i = e->level[k].class->items; i; i = i->next)
            if (i == item) return true;
    return false;
}

// What acts on a mechanism has no place in one whose functions alone are called.
static bool acts(const AstItem *item) {
    bool attached = item->kind == ITEM_COMPONENT && !item->set && !item->mount;
    return attached || item->kind == ITEM_BOND || item->kind == ITEM_ASSERT;
}

// The level that the statement belongs to: 0 for what all others extend.
static int level_of(const Elaboration *e, const Env *env) {
    while (env->outer) env = env->outer;
    int level = 0;
    while (level < e->levels - 1 && e->level[level].env != env) level++;
    return level;
}

static void sweep_item(Elaboration *e, const AstItem *item, const Env *env, bool in_loop,
                       int sweep) {
    Builder *b = e->b;
    Statement s = {env, item};
    if (acts(item) && is_mechanism(b, e->instance) && is_called_only(b, e->instance)) return;
    switch (item->kind) {
    case ITEM_PARAM:
        if (sweep == SWEEP_PARAMS) declare_entity(e, item, env, ENTITY_PARAM);
        break;
    case ITEM_CONST:
        if (sweep == SWEEP_PARAMS) declare_entity(e, item, env, ENTITY_CONST);
        break;
    case ITEM_PORT:
        if (sweep == SWEEP_VARIABLES) declare_port(e, item, env);
        break;
    case ITEM_INPUT:
        if (sweep == SWEEP_VARIABLES) declare_entity(e, item, env, ENTITY_INPUT);
        break;
    case ITEM_OUTPUT:
        if (sweep == SWEEP_VARIABLES) declare_entity(e, item, env, ENTITY_OUTPUT);
        break;
    case ITEM_VAR:
        if (sweep == SWEEP_VARIABLES) declare_entity(e, item, env, ENTITY_LOCAL);
        break;
    case ITEM_COMPONENT:
        if (item->set)
            declare_set(e, item, env, in_loop, sweep);
        else if (sweep == SWEEP_COMPONENTS)
            declare_component(e, item, env, in_loop);
        break;
    case ITEM_CHOSEN:
        if (sweep == SWEEP_PARAMS) declare_chosen(e, item, env);
        break;
    case ITEM_FORM:
    case ITEM_COORDINATES:
        if (sweep == SWEEP_PARAMS) declare_form(b, e->instance, item, env, is_direct(e, item));
        break;
    case ITEM_GRAVITY:
    case ITEM_JOINT:
    case ITEM_BODY:
    case ITEM_FRAME:
    case ITEM_TIE:
    case ITEM_ENERGY:
    case ITEM_VELOCITY:
    case ITEM_SHAPE:
        if (sweep == SWEEP_COMPONENTS) declare_part(b, e->instance, item, env, level_of(e, env));
        break;
    default:
        if (sweep < SWEEP_REST) return;
        if (item->kind == ITEM_FOR) elaborate_for(e, item, env);
        if (item->kind == ITEM_IF) elaborate_if(e, item, env, in_loop);
        if (item->kind == ITEM_BOND) array_push(&b->bond, s);
        if (item->kind == ITEM_EQUATION || item->kind == ITEM_INITIAL) array_push(&b->equation, s);
        if (item->kind == ITEM_CAUSALITY) array_push(&b->request, s);
        if (item->kind == ITEM_WHEN || item->kind == ITEM_ASSERT) array_push(&b->when, s);
        if (item->kind == ITEM_MODES) array_push(&b->modes, s);
        if (item->kind >= ITEM_STORES && item->kind <= ITEM_DISSIPATES)
            remember_role(b, e->instance, item, env);
    }
}

static void elaborate_items(Elaboration *e, const AstItem *items, const Env *env, bool in_loop) {
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (const AstItem *i = items; i && !e->b->stop; i = i->next)
            sweep_item(e, i, env, in_loop, sweep);
}

// --- classes -------------------------------------------------------------------------------------

static void elaborate_class(Builder *b, int instance, Definition d, Elaboration *outer) {
    Elaboration e = {.b = b, .instance = instance, .outer = outer};
    if (!find_levels(&e, d)) {
        b->instance.data[instance].dim_is = WRONG;
        return;
    }
    collect_bindings(&e);
    if (d.what->kind == CLASS_MECHANISM) open_mechanism(b, instance);
    // One sweep over all levels before the next, as a class uses what it inherits and turns round.
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int k = 0; k < e.levels; k++)
            for (const AstItem *i = e.level[k].class->items; i && !b->stop; i = i->next)
                sweep_item(&e, i, e.level[k].env, false, sweep);
    if (!b->stop) report_unknown_bindings(&e);
    if (d.what->kind == CLASS_MECHANISM && !b->stop) close_mechanism(b, instance);
}

void declare_hidden(Builder *b, const AstItem *param) {
    Elaboration e = {.b = b, .instance = 0};
    const Env *env = new_env(b, (Env){.instance = 0, .element = -1, .file = b->syntax->files});
    declare_entity(&e, param, env, ENTITY_PARAM);
}

// How many names the statements declare, those in loops and conditions aside.
static int count_declarations(const AstItem *items) {
    int count = 0;
    for (; items; items = items->next) count += items->kind <= ITEM_COMPONENT;
    return count;
}

void elaborate_root(Builder *b, Definition model, const AstClass *experiment) {
    Instance root = {
        .parent = -1, .class = model.what, .first_terminal = -1, .comp = -1, .var = -1};
    add_instance(b, root);
    pairs_reserve(&b->tmp, &b->members, (uint32_t)count_declarations(model.what->items));
    if (experiment) sweep_declare(b, experiment);
    elaborate_class(b, 0, model, NULL);
    if (b->member.count == 0 && b->equation.count == 0 && no_errors(b)) {
        Remark *m = complain(b, L_EMPTY_MODEL, model.what->pos, "model '%s' contains nothing",
                             text_of(b, model.what->name));
        remark_help(b->r, m, "give it components and bonds, or variables and equations");
    }
}
