// What stands for foreign code: functions of C with their sizes, and units (FMUs).
#include "lang/parse.h"

// sizes = "[" number ["," number] "]"
void parse_sizes(Parser *p, int *rows, int *cols) {
    AstExpr **size;
    int count = 0, *to[] = {rows, cols};
    Token open = p->token;
    if (!p_at(p, TOKEN_OPEN_SQUARE)) return;
    parse_subscripts(p, &size, &count);
    *rows = *cols = 1;
    for (int i = 0; i < count && !p->failed; i++) {
        double n = size[i]->kind == AST_NUMBER ? size[i]->number : 0;
        if (count <= 2 && n >= 1 && n <= 10000 && n == (int)n) {
            *to[i] = (int)n;
            continue;
        }
        Remark *m = p_complain(p, F_SIZE, open, "a size of a function of C is a whole number");
        p_help(p, m, "write q[3] for a vector, M[3, 3] for a matrix");
        return;
    }
}

// unit = "from" string ["as" ("me" | "cs")] ["every" number unit] [string]
void parse_unit_file(Parser *p, AstClass *c) {
    c->from_pos = p_pos(p, p->token);
    c->from = p_accept_string(p);
    bool good = c->from;
    if (good && p_accept_word(p, "as")) {
        c->steps = p_accept_word(p, "cs");
        good = c->steps || p_accept_word(p, "me");
    }
    if (good && p_accept_word(p, "every")) {
        AstExpr *e = parse_sum(p);
        good = e && e->kind == AST_WITH_UNIT && e->left->kind == AST_NUMBER;
        if (good) c->every = e->left->number * e->unit->scale;
        good = good && c->every > 0;
    }
    c->text = p_accept_string(p);
    if (good) return;
    Remark *m = p_fail_expected(p, "an FMU, its kind (as me, as cs) and its communication step");
    p_help(p, m, "write model %s from \"motor.fmu\" as cs every 1 {ms}",
           name_text(p->names, c->name));
}

// external = [sizes] [unit] "external" string {"as" string | "derivative" string | "impure"}
// [string]
bool parse_external(Parser *p, AstClass *c) {
    if (p->failed ||
        !(p_at(p, TOKEN_OPEN_SQUARE) || p_at(p, TOKEN_UNIT) || p_at_word(p, "external")))
        return false;
    c->rows = c->cols = 1;
    parse_sizes(p, &c->rows, &c->cols);
    c->has_unit = parse_unit(p, &c->unit, &c->unit_text);
    bool external = p_accept_word(p, "external");
    c->from_pos = p_pos(p, p->token);
    if (external) c->from = p_accept_string(p);
    if (!c->from) {
        Remark *m = p_fail_expected(p, external ? "the name of a library" : "external");
        p_help(p, m, "write function %s(x {m}) {N} external \"lib.so\"",
               name_text(p->names, c->name));
        return true;
    }
    for (bool more = true; more && !p->failed;) {
        Name *to = p_accept_word(p, "as")           ? &c->symbol
                   : p_accept_word(p, "derivative") ? &c->derivative
                                                    : NULL;
        more = to != NULL;
        if (to && !(*to = p_accept_string(p))) p_fail_expected(p, "the name of a function of C");
        if (!to && p_accept_word(p, "impure")) more = c->impure = true;
    }
    c->text = p_accept_string(p);
    return true;
}

void refuse_sizes(Parser *p, const AstClass *c, Token start) {
    for (int i = 0; i < c->formal_count; i++) {
        if (!c->formals[i].rows) continue;
        Token t = start;
        t.at = c->formals[i].pos.at;
        Remark *m =
            p_complain(p, F_SIZE, t, "'%s' has a size, but '%s' is no function of C",
                       name_text(p->names, c->formals[i].name), name_text(p->names, c->name));
        p_help(p, m, "leave it out: arguments have the size of what is given");
        return;
    }
}
