// Sets of parameters, which components share:
//
//     param oil: Oil(rho = 860 {kg/m3})     an instance like that of a component, "oil"
//     Orifice o(A = a, fluid = oil)         inside of `o` the member `fluid` is that same instance
//     Orifice p(A = a)                      not given: p has a set of its own, "p.fluid"
//     param ctl: Arm(load = 5 {kg})         a mechanism as a set: parameters and functions of them
//     param link[6]: LinkSet                an array of them; Arm a(link = link) hands all on
//
// So a shared set costs nothing, `fluid.rho` is found like any other path, and an experiment that
// sets oil.rho reaches everything that was given `oil`.
#include "lang/build.h"

enum { LONGEST_EXTENDS = 50 };

bool is_set(const AstItem *i) { return i->kind == ITEM_COMPONENT && i->set; }

static Definition base_definition(Builder *b, Definition d) {
    return d.what->base ? find_by_path(b->syntax, d.file, d.what->base, b->r) : (Definition){0};
}

static bool mechanism_is_set(Builder *b, const AstItem *item, Definition d) {
    if (!d.what->lagrangian) return true;
    Remark *m = complain(b, L_NO_PARAMETER_SET, item->path->pos,
                         "'%s' is given by its energies and has no functions that could be called",
                         expr_text(b, item->path));
    remark_help(b->r, m, "build it as a mechanism of bodies and joints");
    return false;
}

// A set of parameters has nothing but parameters, or it is a mechanism whose functions are called.
// False: reported.
bool set_is_pure(Builder *b, const AstItem *item, Definition d) {
    if (d.what->kind == CLASS_MECHANISM) return mechanism_is_set(b, item, d);
    for (int k = 0; d.what && k < LONGEST_EXTENDS; k++, d = base_definition(b, d))
        for (const AstItem *i = d.what->items; i; i = i->next) {
            if (i->kind == ITEM_PARAM || i->kind == ITEM_CONST || i->kind == ITEM_ASSERT ||
                is_set(i))
                continue;
            Remark *m = complain(b, L_NO_PARAMETER_SET, item->path->pos,
                                 "'%s' has more than parameters", expr_text(b, item->path));
            remark_note(b->r, m, i->pos, "this is no parameter");
            remark_help(b->r, m, "declare it as a component: %s %s(...)", expr_text(b, item->path),
                        text_of(b, item->name));
            return false;
        }
    return true;
}

static bool is_a(Builder *b, int instance, const AstClass *class) {
    const Instance *i = &b->instance.data[instance];
    if (!i->class || !i->item) return false;
    Definition d = find_by_path(b->syntax, i->env->file, i->item->path, b->r);
    for (int k = 0; d.what && k < LONGEST_EXTENDS; k++, d = base_definition(b, d))
        if (d.what == class) return true;
    return false;
}

// A mechanism that moves is no set: where it stands in the text would matter.
static bool is_given_set(const Builder *b, int instance) {
    return !is_mechanism(b, instance) || is_called_only(b, instance);
}

static void report_not_the_set(Builder *b, const AstItem *item, const AstExpr *value, bool moves) {
    Remark *m = complain(
        b, L_NOT_THE_SET, ast_start(value),
        moves ? "'%s' is a %s'%s' that moves, not a set of parameters" : "'%s' is no %s'%s'",
        expr_text(b, value), item->size_count ? "array of " : "", expr_text(b, item->path));
    remark_note(b->r, m, item->pos, "'%s' is declared here", text_of(b, item->name));
    remark_help(b->r, m, "declare one with: param name%s: %s(...)", item->size_count ? "[n]" : "",
                expr_text(b, item->path));
}

// An array of sets is handed on element by element: the members have the same index.
void set_share_element(Builder *b, int owner, const AstItem *item, const SharedElement *s) {
    const AstExpr *value = s->value;
    bool path = value->kind == AST_NAME || value->kind == AST_MEMBER;
    Ref ref = path ? path_resolve(b, value, s->env, false) : (Ref){.kind = REF_NONE};
    int code = -1;
    if (ref.kind == REF_ARRAY && !value->arg_count) {
        char text[ELEMENT_NAME];
        element_text(text, text_of(b, value->name), s->index, item->size_count);
        Name element = name_find(b->names, text);
        code = element ? pairs_get(&b->members, (uint32_t)ref.index, element) : -1;
    }
    bool instance = code >= 0 && code % 4 == MEMBER_INSTANCE;
    if (instance && is_given_set(b, code / 4) && is_a(b, code / 4, s->definition.what)) {
        pairs_set(&b->tmp, &b->members, (uint32_t)owner, s->name, code);
        return;
    }
    declare_broken(b, owner, s->name);
    if (ref.kind == REF_BAD) return;
    if (ref.kind != REF_ARRAY || instance) {
        report_not_the_set(b, item, value, false);
        return;
    }
    Remark *m = complain(b, L_NOT_THE_SET, ast_start(value), "'%s' has no element for '%s'",
                         expr_text(b, value), text_of(b, s->name));
    remark_note(b->r, m, item->pos, "'%s' is declared here", text_of(b, item->name));
    remark_help(b->r, m, "both arrays must have the same size");
}

void set_share(Builder *b, int owner, const AstItem *item, Definition d, const AstExpr *value,
               const Env *env) {
    bool path = value->kind == AST_NAME || value->kind == AST_MEMBER;
    Ref ref = path ? path_resolve(b, value, env, false) : (Ref){.kind = REF_NONE};
    bool instance = ref.kind == REF_INSTANCE && !ref.subscript_count;
    if (instance && is_a(b, ref.index, d.what) && is_given_set(b, ref.index)) {
        pairs_set(&b->tmp, &b->members, (uint32_t)owner, item->name,
                  4 * ref.index + MEMBER_INSTANCE);
        return;
    }
    declare_broken(b, owner, item->name);
    if (ref.kind == REF_BAD) return;
    bool moves = instance && !is_given_set(b, ref.index) && is_a(b, ref.index, d.what);
    report_not_the_set(b, item, value, moves);
}
