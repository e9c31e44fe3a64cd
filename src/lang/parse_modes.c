// Laws that switch:
//
//     modes                                            modes state     `state` tells the number
//       blocking:   f = 0 while e <= 0                   bounce: f = -k*pre(f) once when f < 0
//       conducting: e = 0 while f >= 0                   ...
//     end                                              end
#include "lang/parse.h"

// `modes` is a word of the language only where a statement begins with it and nothing else follows
// than the name of a variable.
bool at_modes(const Parser *p) {
    if (!p_at_word(p, "modes")) return false;
    Lexer ahead = p->lexer;
    ahead.quiet = true;
    TokenKind next = lexer_next(&ahead).kind;
    if (next == TOKEN_NAME) next = lexer_next(&ahead).kind;
    return next == TOKEN_NEWLINE || next == TOKEN_END_OF_FILE;
}

// mode = name ":" laws ["while" expr | "once" ["when" expr]] [string]
static void parse_mode(Parser *p, ItemList *list) {
    Token start = p->token;
    AstItem *item = p_new_item(p, ITEM_MODE, start);
    item->name = p_expect_name(p, "the name of a mode");
    if (!p->failed && !p_accept(p, TOKEN_COLON)) {
        Remark *m = p_fail_expected(p, "':'");
        p_help(p, m, "a mode is written name: law while condition");
    }
    if (!p->failed) item->laws = parse_laws(p);
    if (!p->failed && p_accept_word(p, "while")) {
        item->left = parse_expr(p);
    } else if (!p->failed && p_accept_word(p, "once")) {
        item->once = true;
        if (p_accept(p, TOKEN_WHEN)) item->left = parse_expr(p);
    }
    if (!p->failed) item->text = p_accept_string(p);
    if (!p->failed) p_add_item(list, item);
}

// modes-statement = "modes" [name] NEWLINE {mode NEWLINE} "end"
AstItem *parse_modes(Parser *p) {
    Opener opener = {"modes", 0, p->token};
    AstItem *item = p_new_item(p, ITEM_MODES, p->token);
    p_advance(p);
    if (p_at(p, TOKEN_NAME)) item->left = parse_path(p, "a discrete variable");
    p_end_statement(p, opener.token);
    if (p_enter_body(p)) {
        item->body = parse_body(p, parse_mode).first;
        p_leave(p);
    }
    p_close_with_end(p, &opener);
    return item;
}
