// Where a name of the top level is defined. Imports reach one file far: what an imported file
// imports itself stays its own affair.
#include "lang/lookup.h"

static Definition own_definition(const Lookup *t, const AstFile *file, Name name) {
    int i = pairs_get(&t->by_name, file->source, name);
    return i < 0 ? (Definition){0} : t->definition[i];
}

Definition find_own(const Syntax *s, const AstFile *file, Name name) {
    return own_definition(s->lookup, file, name);
}

Definition find_definition(const Syntax *s, const AstFile *file, Name name, Pos asked, Report *r) {
    const Lookup *t = s->lookup;
    Definition found = own_definition(t, file, name);
    if (found.what) return found;
    for (int i = 0; i < t->import_count; i++) {
        if (t->import[i].from != file || t->import[i].named) continue;
        Definition other = own_definition(t, t->import[i].to, name);
        if (!other.what || other.what == found.what) continue;
        if (found.what) {
            const char *text = name_text(s->names, name);
            Remark *m = report_error(r, L_AMBIGUOUS_NAME, asked,
                                     "'%s' is defined by two imported files", text);
            remark_note(r, m, found.what->pos, "one is here");
            remark_note(r, m, other.what->pos, "the other is here");
            remark_help(r, m, "say which: %s.%s or %s.%s", name_text(s->names, found.file->stem),
                        text, name_text(s->names, other.file->stem), text);
            return found;
        }
        found = other;
    }
    return found;
}

Definition find_in_library(const Syntax *s, const AstFile *file, Name stem, Name name) {
    const Lookup *t = s->lookup;
    if (file->stem == stem) {
        Definition own = own_definition(t, file, name);
        if (own.what) return own;
    }
    for (int i = 0; i < t->import_count; i++)
        if (t->import[i].from == file && t->import[i].to->stem == stem) {
            Definition found = own_definition(t, t->import[i].to, name);
            if (found.what) return found;
        }
    return (Definition){0};
}

Definition find_by_path(const Syntax *s, const AstFile *file, const AstExpr *path, Report *r) {
    if (path->kind == AST_NAME) return find_definition(s, file, path->name, path->pos, r);
    if (path->kind == AST_MEMBER && path->left->kind == AST_NAME)
        return find_in_library(s, file, path->left->name, path->name);
    return (Definition){0};
}

// --- suggestions

void suggest_definitions(Suggestion *g, const Syntax *s, const AstFile *file, unsigned kinds) {
    const Lookup *t = s->lookup;
    for (int i = 0; i < t->definition_count; i++) {
        const Definition *d = &t->definition[i];
        bool seen = d->file == file;
        for (int k = 0; k < t->import_count && !seen; k++)
            seen = t->import[k].from == file && t->import[k].to == d->file;
        if (seen && (kinds >> d->what->kind & 1))
            suggest_offer(g, name_text(s->names, d->what->name));
    }
}
