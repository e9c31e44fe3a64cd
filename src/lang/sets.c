// Sets of parameters, which components share:
//
//     param oil: Oil(rho = 860 {kg/m3})     an instance like that of a component, "oil"
//     Orifice o(A = a, fluid = oil)         inside of `o` the member `fluid` is that same instance
//     Orifice p(A = a)                      not given: p has a set of its own, "p.fluid"
//
// So a shared set costs nothing, `fluid.rho` is found like any other path, and an experiment that
// sets oil.rho reaches everything that was given `oil`.
#include "lang/build.h"

enum { LONGEST_EXTENDS = 50 };

bool is_set(const AstItem *i) { return i->kind == ITEM_COMPONENT && i->set; }

static Definition base_definition(Builder *b, Definition d) {
    return d.what->base ? find_by_path(b->syntax, d.file, d.what->base, b->r) : (Definition){0};
}

// A set of parameters has nothing but parameters. False: reported.
bool set_is_pure(Builder *b, const AstItem *item, Definition d) {
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

void set_share(Builder *b, int owner, const AstItem *item, Definition d, const AstExpr *value,
               const Env *env) {
    bool path = value->kind == AST_NAME || value->kind == AST_MEMBER;
    Ref ref = path ? path_resolve(b, value, env, false) : (Ref){.kind = REF_NONE};
    bool instance = ref.kind == REF_INSTANCE && !ref.subscript_count;
    if (instance && is_a(b, ref.index, d.what)) {
        pairs_set(&b->tmp, &b->members, (uint32_t)owner, item->name,
                  4 * ref.index + MEMBER_INSTANCE);
        return;
    }
    declare_broken(b, owner, item->name);
    if (ref.kind == REF_BAD) return;
    Remark *m = complain(b, L_NOT_THE_SET, ast_start(value), "'%s' is no '%s'", expr_text(b, value),
                         expr_text(b, item->path));
    remark_note(b->r, m, item->pos, "'%s' is declared here", text_of(b, item->name));
    remark_help(b->r, m, "declare one with: param name: %s(...)", expr_text(b, item->path));
}
