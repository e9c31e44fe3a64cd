// What drives an input while somebody watches:
//
//     live stick.x = axis 0, keys "a" "d" scale 0.4 {rad/s}
//     live grip = button 2
//     live load = slider 0 to 500 {kg}
#include "lang/parse.h"

#include <string.h>

static AstExpr *string_expr(Parser *p) {
    Token t = p->token;
    AstExpr *e = p_new_expr(p, AST_STRING, t);
    e->name = p_accept_string(p);
    if (!e->name) {
        Remark *m = p_fail_expected(p, "a key in quotes");
        p_help(p, m, "write live x = keys \"ArrowLeft\" \"ArrowRight\", or key \" \"");
    }
    return e;
}

static void second_value(Parser *p, ArgList *list, AstExpr *value) {
    AstArg more = {.name = 0, .pos = p_pos(p, p->token), .value = value};
    array_push(list, more);
}

// source = ("axis" | "button") sum | "key" string | "keys" string string | "slider" sum "to" sum
static void parse_source(Parser *p, ArgList *list) {
    AstArg source = {.pos = p_pos(p, p->token)};
    if (!p_at(p, TOKEN_NAME)) {
        Remark *m = p_fail_expected(p, "what drives the input");
        p_help(p, m, "axis 0, button 0, key \"g\", keys \"a\" \"d\", or slider 0 to 1");
        return;
    }
    const char *word = name_text(p->names, p->token.name);
    source.name = p->token.name;
    bool keys = strcmp(word, "keys") == 0, key = strcmp(word, "key") == 0;
    bool slider = strcmp(word, "slider") == 0;
    if (!keys && !key && !slider && strcmp(word, "axis") != 0 && strcmp(word, "button") != 0) {
        Remark *m = p_fail(p, P_UNKNOWN_STATEMENT, p->token, "'%s' drives no input", word);
        p_help(p, m, "axis 0, button 0, key \"g\", keys \"a\" \"d\", or slider 0 to 1");
        return;
    }
    p_advance(p);
    source.value = keys || key ? string_expr(p) : parse_sum(p);
    array_push(list, source);
    if (keys) second_value(p, list, string_expr(p));
    if (!slider) return;
    if (!p_accept_word(p, "to")) p_fail_expected(p, "'to' and the upper end");
    second_value(p, list, parse_sum(p));
}

// live = "live" path "=" source {"," source} ["scale" sum]
void parse_live(Parser *p, ItemList *list) {
    ArgList sources = {0};
    AstItem *item = p_new_item(p, ITEM_LIVE, p->token);
    p_advance(p);
    item->left = parse_path(p, "the input that is driven");
    p_expect(p, TOKEN_EQUALS, "'=' and what drives it");
    do {
        if (!p->failed) parse_source(p, &sources);
    } while (p_accept(p, TOKEN_COMMA));
    item->args = p_keep_args(p, &sources, &item->arg_count);
    if (p_accept_word(p, "scale")) item->right = parse_sum(p);
    if (!p->failed) p_add_item(list, item);
}
