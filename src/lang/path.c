// What a path such as `arm.r[2].e` means, from the place where it is written.
//
//   first name:  loop variable or function argument, variable of the element whose law this is,
//                member of the instance, definition of the file or of an import
//   then:        member of a member, until a value, a port or a component is reached
#include "lang/build.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { LONGEST_PATH = 64 };

typedef struct {
    const AstExpr *step[LONGEST_PATH]; // AST_NAME, then AST_MEMBERs
    int count;
    int at; // the step that is being looked at
    const Env *env;
} Path;

static Ref ref_bad(void) { return (Ref){.kind = REF_BAD}; }

static Ref ref_of(const Path *p, RefKind kind, int index) {
    const AstExpr *e = p->step[p->at];
    const AstArg *args = e->arg_count ? e->args : NULL;
    return (Ref){kind, index, p->env, args, e->arg_count, false, e->pos};
}

static bool split_path(Builder *b, const AstExpr *e, const Env *env, Path *p) {
    *p = (Path){.env = env};
    for (const AstExpr *k = e; k; k = k->kind == AST_MEMBER ? k->left : NULL) {
        bool name = k->kind == AST_NAME || k->kind == AST_MEMBER;
        if (!name || p->count == LONGEST_PATH) {
            complain(b, L_NOT_A_VALUE, k->pos,
                     name ? "this path is too long" : "a name should stand before the dot");
            return false;
        }
        p->step[p->count++] = k;
    }
    for (int i = 0; i < p->count / 2; i++) {
        const AstExpr *swap = p->step[i];
        p->step[i] = p->step[p->count - 1 - i];
        p->step[p->count - 1 - i] = swap;
    }
    return true;
}

static bool is_last(const Path *p) { return p->at == p->count - 1; }

static const char *step_text(Builder *b, const Path *p) { return text_of(b, p->step[p->at]->name); }

static Ref unknown_member(Builder *b, const Path *p, int instance, const char *help) {
    const Instance *i = &b->instance.data[instance];
    const char *word = step_text(b, p);
    const char *type = i->builtin ? i->builtin->type : text_of(b, i->class->name);
    Remark *m = complain(b, L_UNKNOWN_MEMBER, p->step[p->at]->pos, "'%s' (%s) has no '%s'",
                         text_of(b, i->path), type, word);
    Suggestion g = suggest_for(word);
    suggest_members(b, &g, instance);
    suggest_help(b->r, m, &g, help);
    return ref_bad();
}

// What it has: "it has i, v, a.e, R"; what a user may ask for comes first, and not more than fits.
static const char *member_help(Builder *b, int owner) {
    enum { MOST = 24 };
    Text t = {0};
    int count = 0;
    for (int i = 0; i < b->member.count; i++) {
        const Member *m = &b->member.data[i];
        if (m->owner != owner) continue;
        Name name = m->index < 0 ? b->entity.data[~m->index].name : b->instance.data[m->index].name;
        if (count++ < MOST) text_printf(&t, "%s%s", count > 1 ? ", " : "it has ", text_of(b, name));
    }
    if (count > MOST) text_printf(&t, " and %d more", count - MOST);
    const char *kept = arena_copy_text(&b->tmp, text_get(&t), t.length);
    text_free(&t);
    return count ? kept : "see its declaration for what it has";
}

// --- members of built-in elements ----------------------------------------------------------------

static const char *builtin_help(const Builtin *t) {
    switch (t->kind) {
    case COMP_0:
        return "a 0-junction has its common effort e; flows belong to the elements bonded to it";
    case COMP_1:
        return "a 1-junction has its common flow f; efforts belong to the elements bonded to it";
    case COMP_C: return "it has e, f, q and its argument C";
    case COMP_I: return "it has e, f, p and its argument I";
    case COMP_R: return "it has e, f and its argument R";
    case COMP_TF: return "it has e1, f1, e2, f2, the ports p1 and p2, and its argument m";
    case COMP_GY: return "it has e1, f1, e2, f2, the ports p1 and p2, and its argument r";
    default: return "it has e and f";
    }
}

static Ref port_member(Builder *b, Path *p, int terminal);

static Ref two_port_member(Builder *b, Path *p, int instance, const char *word) {
    int first = b->instance.data[instance].first_terminal;
    if (strlen(word) != 2 || (word[1] != '1' && word[1] != '2'))
        return unknown_member(b, p, instance, builtin_help(b->instance.data[instance].builtin));
    int terminal = first + (word[1] - '1');
    if (word[0] == 'e') return ref_of(p, REF_EFFORT, terminal);
    if (word[0] == 'f') return ref_of(p, REF_FLOW, terminal);
    if (word[0] == 'p') return port_member(b, p, terminal);
    return unknown_member(b, p, instance, builtin_help(b->instance.data[instance].builtin));
}

static Ref builtin_member(Builder *b, Path *p, int instance) {
    const Instance *i = &b->instance.data[instance];
    const Builtin *t = i->builtin;
    const char *word = step_text(b, p);
    bool e = strcmp(word, "e") == 0, f = strcmp(word, "f") == 0;
    if (t->ports < 2 && e && t->kind != COMP_1) return ref_of(p, REF_EFFORT, i->first_terminal);
    if (t->ports < 2 && f && t->kind != COMP_0) return ref_of(p, REF_FLOW, i->first_terminal);
    if (t->state && strcmp(word, t->state) == 0) return ref_of(p, REF_STATE, instance);
    if (t->argument && strcmp(word, t->argument) == 0 && i->argument)
        return ref_of(p, REF_ARGUMENT, instance);
    if (t->ports == 2) return two_port_member(b, p, instance, word);
    return unknown_member(b, p, instance, builtin_help(t));
}

// --- members of classes --------------------------------------------------------------------------

static Ref port_member(Builder *b, Path *p, int terminal) {
    Ref port = ref_of(p, REF_PORT, terminal);
    port.inside = b->terminal.data[terminal].instance == p->env->instance && p->at == 0;
    if (is_last(p)) return port;
    p->at++;
    const char *word = step_text(b, p);
    bool e = strcmp(word, "e") == 0;
    if (!is_last(p) || (!e && strcmp(word, "f") != 0)) {
        Remark *m = complain(b, L_UNKNOWN_MEMBER, p->step[p->at]->pos, "a port has no '%s'", word);
        remark_help(b->r, m, "it has its effort e and its flow f");
        return ref_bad();
    }
    Ref ref = ref_of(p, e ? REF_EFFORT : REF_FLOW, terminal);
    ref.inside = port.inside;
    if (!ref.subscript_count) { // p[2].e means p.e[2]
        ref.subscripts = port.subscripts;
        ref.subscript_count = port.subscript_count;
    }
    return ref;
}

static Ref entity_member(Builder *b, Path *p, int entity) {
    const Entity *x = &b->entity.data[entity];
    if (x->kind == ENTITY_PORT) return port_member(b, p, x->first);
    bool power = x->kind == ENTITY_EFFORT || x->kind == ENTITY_FLOW;
    if (power && is_last(p))
        return ref_of(p, x->kind == ENTITY_EFFORT ? REF_EFFORT : REF_FLOW, x->first);
    if (!is_last(p)) {
        Remark *m = complain(b, L_UNKNOWN_MEMBER, p->step[p->at + 1]->pos, "'%s' has no members",
                             text_of(b, x->name));
        remark_note(b->r, m, x->item->pos, "it is declared here");
        return ref_bad();
    }
    bool parameter = x->kind == ENTITY_PARAM || x->kind == ENTITY_CONST;
    return ref_of(p, parameter ? REF_PARAM : REF_VARIABLE, entity);
}

static bool index_of(Builder *b, const AstExpr *e, const Env *env, int *index) {
    if (e->kind == AST_NUMBER && e->number == floor(e->number) && fabs(e->number) < 1e9) {
        *index = (int)e->number;
        return true;
    }
    Constant c;
    if (e->kind == AST_RANGE || !number_evaluate(b, e, env, "an index", true, &c)) {
        if (e->kind == AST_RANGE)
            complain(b, L_INDEX_RANGE, ast_start(e), "one component is wanted here, not a range");
        return false;
    }
    *index = (int)c.one;
    if (c.rows * c.cols == 1 && c.one == *index) return true;
    complain(b, L_INDEX_RANGE, ast_start(e), "an index must be a whole number");
    return false;
}

// Writes a number and returns the place behind it.
static char *write_number(char *at, int number) {
    char digits[12];
    int n = 0;
    unsigned rest = number < 0 ? 0u - (unsigned)number : (unsigned)number;
    do digits[n++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0) *at++ = '-';
    while (n) *at++ = digits[--n];
    return at;
}

size_t element_text(char out[ELEMENT_NAME], const char *word, const int *index, int count) {
    size_t n = strlen(word);
    if (n > ELEMENT_NAME - 32) n = ELEMENT_NAME - 32;
    char *at = put_chars(out, word, n);
    for (int i = 0; i < count; i++) {
        *at++ = i ? ',' : '[';
        at = write_number(at, index[i]);
    }
    *at++ = ']';
    *at = 0;
    return (size_t)(at - out);
}

// The element of an array of components; what is left of the subscripts goes into *ref. -1: wrong.
static int array_element(Builder *b, Path *p, int owner, int wanted, Ref *ref) {
    const AstExpr *e = p->step[p->at];
    int index[2] = {0, 0};
    *ref = ref_of(p, REF_INSTANCE, -1);
    for (int k = 0; k < wanted; k++)
        if (!index_of(b, e->args[k].value, p->env, &index[k])) return -1;
    char name[ELEMENT_NAME];
    const char *word = step_text(b, p);
    element_text(name, word, index, wanted);
    Name element = name_find(b->names, name);
    int code = element ? pairs_get(&b->members, (uint32_t)owner, element) : -1;
    if (code < 0 || code % 4 != MEMBER_INSTANCE) {
        if (code < 0) {
            Remark *m = complain(b, L_INDEX_RANGE, e->pos, "there is no '%s'", name);
            remark_help(b->r, m, "check the index against the declaration of '%s'", word);
        }
        return -1;
    }
    ref->subscripts = e->arg_count ? e->args + wanted : NULL;
    ref->subscript_count = e->arg_count - wanted;
    return code / 4;
}

// What is wrong has been said, but for the name of a chosen definition, which is no value.
static Ref broken_member(Builder *b, const Path *p, int owner) {
    int i = pairs_get(&b->choices, (uint32_t)owner, p->step[p->at]->name);
    if (i < 0) return ref_bad();
    const AstItem *item = b->chosen.data[i].item;
    Remark *m = complain(b, L_NOT_A_VALUE, p->step[p->at]->pos,
                         "'%s' stands for a definition, not for a value", step_text(b, p));
    remark_note(b->r, m, item->pos, "it is declared here");
    remark_help(b->r, m,
                item->chooses == CLASS_MODEL ? "make a component of it: %s name(...)"
                                             : "call it: %s(x)",
                step_text(b, p));
    return ref_bad();
}

static Ref member(Builder *b, Path *p, int owner, int code) {
    for (;;) {
        const AstExpr *e = p->step[p->at];
        Ref ref = ref_of(p, REF_INSTANCE, code / 4);
        if (code % 4 == MEMBER_BROKEN) return broken_member(b, p, owner);
        if (code % 4 == MEMBER_ENTITY) return entity_member(b, p, code / 4);
        if (code % 4 == MEMBER_ARRAY) {
            if (e->arg_count < code / 4) {
                ref.kind = REF_ARRAY;
                ref.index = owner;
                return ref;
            }
            ref.index = array_element(b, p, owner, code / 4, &ref);
            if (ref.index < 0) return ref_bad();
        }
        if (is_last(p)) return ref;
        if (ref.subscript_count) {
            Remark *m = complain(b, L_INDEX_RANGE, e->pos, "'%s' is no array of components",
                                 text_of(b, e->name));
            remark_help(b->r, m, "the index of a vector stands at the end: w.f[2]");
            return ref_bad();
        }
        owner = ref.index;
        p->at++;
        if (b->instance.data[owner].builtin) {
            Ref found = builtin_member(b, p, owner);
            if (found.kind == REF_BAD || is_last(p)) return found;
            complain(b, L_UNKNOWN_MEMBER, p->step[p->at + 1]->pos, "'%s' has no members",
                     step_text(b, p));
            return ref_bad();
        }
        code = pairs_get(&b->members, (uint32_t)owner, p->step[p->at]->name);
        if (code < 0)
            return b->instance.data[owner].dim_is == WRONG
                       ? ref_bad()
                       : unknown_member(b, p, owner, member_help(b, owner));
    }
}

// --- the first name ------------------------------------------------------------------------------

static Ref law_variable(Builder *b, Path *p, int element) {
    const Builtin *t = b->instance.data[element].builtin;
    const char *word = step_text(b, p);
    bool one = strcmp(word, "e") == 0 || strcmp(word, "f") == 0;
    bool two = strlen(word) == 2 && (word[0] == 'e' || word[0] == 'f') &&
               (word[1] == '1' || word[1] == '2');
    bool state = t->state && strcmp(word, t->state) == 0;
    if ((t->ports == 1 && one) || (t->ports == 2 && two) || state)
        return builtin_member(b, p, element);
    return (Ref){.kind = REF_NONE};
}

static Ref definition_ref(Builder *b, Path *p, Definition d) {
    p->at = p->count - 1;
    switch (d.what->kind) {
    case CLASS_CONST: return ref_of(p, REF_GLOBAL, global_find(b, d));
    case CLASS_FUNCTION:
    case CLASS_TABLE: return ref_of(p, REF_FUNCTION, 0);
    default: break;
    }
    Remark *m =
        complain(b, L_NOT_A_VALUE, p->step[0]->pos,
                 "'%s' is the name of a definition, not of a thing in this model", step_text(b, p));
    remark_note(b->r, m, d.what->pos, "it is defined here");
    return ref_bad();
}

// dx, dt: who writes a derivative as on paper.
static bool help_derivative(Builder *b, const Path *p, const char *word, Remark *m) {
    if (word[0] != 'd' || !word[1] || p->env->instance < 0) return false;
    bool of_time = strcmp(word, "dt") == 0;
    Name rest = name_of(b->syntax->names, word + 1);
    if (!of_time && pairs_get(&b->members, (uint32_t)p->env->instance, rest) < 0) return false;
    remark_help(b->r, m, "the derivative by time is written der(%s)", of_time ? "x" : word + 1);
    return true;
}

static Ref unknown_name(Builder *b, const Path *p) {
    const char *word = text_of(b, p->step[0]->name);
    Remark *m =
        complain(b, L_UNKNOWN_NAME, p->step[0]->pos, "the name '%s' is not known here", word);
    if (help_derivative(b, p, word, m)) return ref_bad();
    Suggestion g = suggest_for(word);
    suggest_offer(&g, "pi");
    suggest_offer(&g, "time");
    if (strcmp(word, "t") == 0) g.best = "time";
    for (const Env *s = p->env; s; s = s->outer)
        if (s->name) suggest_offer(&g, text_of(b, s->name));
    if (p->env->instance >= 0) suggest_members(b, &g, p->env->instance);
    suggest_definitions(&g, b->syntax, p->env->file, 1u << CLASS_CONST);
    suggest_help(b->r, m, &g, "declare it, or look for a slip of the pen");
    return ref_bad();
}

Ref path_resolve(Builder *b, const AstExpr *path, const Env *env, bool quiet) {
    assert(path && env);
    Path p;
    if (!split_path(b, path, env, &p)) return ref_bad();
    Name first = p.step[0]->name;
    for (const Env *s = env; s; s = s->outer) {
        if (s->name == first && s->name && is_last(&p)) {
            Ref ref = ref_of(&p, s->value ? REF_VALUE : REF_LOOP, 0);
            ref.env = s;
            return ref;
        }
    }
    if (env->element >= 0 && is_last(&p)) {
        Ref ref = law_variable(b, &p, env->element);
        if (ref.kind != REF_NONE) return ref;
    }
    if (env->instance >= 0) {
        int code = pairs_get(&b->members, (uint32_t)env->instance, first);
        if (code >= 0) return member(b, &p, env->instance, code);
        if (b->instance.data[env->instance].dim_is == WRONG) return ref_bad();
    }
    Definition d = {0};
    if (p.count == 1) d = find_definition(b->syntax, env->file, first, path->pos, b->r);
    if (p.count == 2) d = find_in_library(b->syntax, env->file, first, p.step[1]->name);
    if (d.what) return definition_ref(b, &p, d);
    return quiet ? (Ref){.kind = REF_NONE} : unknown_name(b, &p);
}
