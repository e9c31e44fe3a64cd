// What happens at events:
//
//     when h <= 0 and v < 0 then       condition; `initial` for the start of the run
//       reinit(v, -e*v)                a state jumps
//       bounces = pre(bounces) + 1     a discrete variable gets a new value
//       terminate "it has landed"      the run is over, and that is no error
//     elsewhen sample(0.1 {s}) then
//       ...
//     end
#include "lang/parse.h"

#include <string.h>

bool is_reinit(const Parser *p, const AstExpr *e) {
    return e->kind == AST_CALL && e->left->kind == AST_NAME &&
           strcmp(name_text(p->names, e->left->name), "reinit") == 0;
}

// reinit = "reinit" "(" path "," expr ")"
static AstItem *reinit_item(Parser *p, const AstExpr *call, Token start) {
    AstItem *item = p_new_item(p, ITEM_REINIT, start);
    bool good = call->arg_count == 2 && !call->args[0].name && !call->args[1].name;
    if (!good || !p_is_path(call->args[0].value)) {
        Remark *m = p_fail(p, P_WHEN_BODY, start, "'reinit' wants a state and its new value");
        p_help(p, m, "write reinit(x, value)");
        return item;
    }
    item->left = call->args[0].value;
    item->right = call->args[1].value;
    return item;
}

static bool is_terminate(const Parser *p, const AstExpr *e) {
    return e && e->kind == AST_NAME && e->arg_count == 0 && !p_at(p, TOKEN_EQUALS) &&
           !p_at(p, TOKEN_ASSIGN) && strcmp(name_text(p->names, e->name), "terminate") == 0;
}

// action = reinit | "terminate" [string] | path "=" expr
static void parse_action(Parser *p, ItemList *list) {
    Token start = p->token;
    bool word = token_is_keyword(p->token.kind);
    AstExpr *e = word ? NULL : parse_expr(p);
    if (p->failed) return;
    if (is_terminate(p, e)) {
        AstItem *item = p_new_item(p, ITEM_TERMINATE, start);
        item->text = p_accept_string(p);
        p_add_item(list, item);
        return;
    }
    bool is_set = e && (p_at(p, TOKEN_EQUALS) || p_at(p, TOKEN_ASSIGN)) && p_is_path(e);
    if (!is_set && !(e && is_reinit(p, e))) {
        Remark *m = p_fail(p, P_WHEN_BODY, start, "this does not belong into a 'when'");
        p_help(p, m,
               "a when has lines `k = value` for discrete variables, `reinit(x, value)` for states "
               "and `terminate \"why\"` for the end of the run; for a choice write k = if c then a "
               "else b");
        return;
    }
    AstItem *item = is_set ? p_new_item(p, ITEM_EQUATION, start) : reinit_item(p, e, start);
    if (is_set) {
        item->left = e;
        parse_right_side(p, item);
    }
    if (!p->failed) p_add_item(list, item);
}

static void expect_then(Parser *p) {
    if (!p_at(p, TOKEN_THEN)) {
        Remark *m = p_fail_expected(p, "'then'");
        p_help(p, m, "write when condition then, and what happens on the next lines");
        return;
    }
    p->lexer.continues = false; // the newline behind it does count
    p_advance(p);
}

// when-part = ("when" | "elsewhen") ("initial" | expr) "then" NEWLINE {action} [elsewhen ...]
static AstItem *parse_when_part(Parser *p) {
    Token start = p->token;
    AstItem *item = p_new_item(p, ITEM_WHEN, start);
    p_advance(p);
    if (!p_accept(p, TOKEN_INITIAL)) item->left = parse_expr(p);
    expect_then(p);
    p_end_statement(p, start);
    if (!p_enter_body(p)) return item;
    item->body = parse_body(p, parse_action).first;
    if (p_at(p, TOKEN_ELSEWHEN)) item->otherwise = parse_when_part(p);
    p_leave(p);
    return item;
}

// when-statement = when-part "end"
AstItem *parse_when(Parser *p) {
    Opener opener = {"when", 0, p->token};
    p->open_whens++;
    AstItem *item = parse_when_part(p);
    p->open_whens--;
    p_close_with_end(p, &opener);
    return item;
}
