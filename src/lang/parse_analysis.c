// Experiments that analyse in place of running:
//
//     experiment Trim of Missile steady          experiment Loop of Servo bode
//       free fin                                   inputs u
//       given G = -12.92                           outputs fin.q
//       expect alpha = -4.45 {deg} within 0.01     at steady
//     end                                          from 0.1 {Hz} to 100 {Hz}
//                                                  beside Sweep
#include "lang/parse.h"

#include <string.h>

// [word]: what the experiment is, behind its model.
Name parse_analysis_kind(Parser *p, Pos *pos) {
    *pos = p_pos(p, p->token);
    if (!p_at(p, TOKEN_NAME)) return 0;
    Name word = p->token.name;
    if (analysis_named(name_text(p->names, word)) == ANALYSIS_NONE) {
        Remark *m = p_fail(p, P_UNKNOWN_STATEMENT, p->token, "'%s' is no kind of experiment",
                           name_text(p->names, word));
        p_help(p, m,
               "without a word it is a run; others are steady, linearize, poles, bode, nyquist, "
               "step, impulse, reduce and power");
        return 0;
    }
    p_advance(p);
    return word;
}

// word path {"," path}
static void parse_names(Parser *p, AstItem *item) {
    ExprList names = {0};
    do array_push(&names, parse_path(p, "the path of a variable or parameter"));
    while (p_accept(p, TOKEN_COMMA));
    item->expr_count = names.count;
    item->exprs = p_keep_exprs(p, &names);
}

// given path = expr {"," path = expr}
static void parse_given(Parser *p, AstItem *item) {
    ExprList sides = {0};
    do {
        array_push(&sides, parse_path(p, "the path of a variable"));
        p_expect(p, TOKEN_EQUALS, "'=' and the value that must hold");
        array_push(&sides, parse_expr(p));
    } while (p_accept(p, TOKEN_COMMA));
    item->expr_count = sides.count;
    item->exprs = p_keep_exprs(p, &sides);
}

// from expr to expr
static void parse_span(Parser *p, AstItem *item) {
    item->left = parse_sum(p);
    if (!p_accept_word(p, "to")) p_fail_expected(p, "'to' and the other end");
    item->right = parse_sum(p);
}

// vary path = sum ".." sum "in" sum ["log"]        vary path = (expr, ...)
static void parse_vary(Parser *p, AstItem *item) {
    ExprList values = {0};
    item->left = parse_path(p, "a parameter");
    p_expect(p, TOKEN_EQUALS, "'=' and the values");
    array_push(&values, parse_sum(p));
    if (p_accept(p, TOKEN_DOTS)) {
        array_push(&values, parse_sum(p));
        if (!p->failed && !p_accept(p, TOKEN_IN)) {
            Remark *m = p_fail_expected(p, "'in' and how many values");
            p_help(p, m, "write vary k = 10 .. 100 in 40, and behind it log for equal ratios");
        }
        if (!p->failed) array_push(&values, parse_sum(p));
        item->relative = p_accept_word(p, "log");
    } else if (p_at(p, TOKEN_COMMA)) {
        Remark *m = p_fail_expected(p, "the end of the statement");
        p_help(p, m, "a list stands in parentheses: vary k = (20, 50, 100) {N/m}");
    }
    item->expr_count = values.count;
    item->exprs = p_keep_exprs(p, &values);
}

// False: the word starts none of these statements.
bool parse_analysis(Parser *p, ItemList *list) {
    static const char *const words[] = {"inputs", "outputs",  "free",        "moving",
                                        "beside", "given",    "frequencies", "from",
                                        "at",     "discrete", "order",       "vary"};
    enum { NAMES = 5, GIVEN = 5, SPAN = 7, ALONE = 9, VARY = 11 };
    int which = -1;
    for (int i = 0; i < (int)(sizeof words / sizeof words[0]); i++)
        if (p_at_word(p, words[i])) which = i;
    if (which < 0) return false;
    AstItem *item = p_new_item(p, ITEM_ANALYSIS, p->token);
    item->name = p->token.name;
    p_advance(p);
    if (which < NAMES)
        parse_names(p, item);
    else if (which == GIVEN)
        parse_given(p, item);
    else if (which == SPAN)
        parse_span(p, item);
    else if (which == VARY)
        parse_vary(p, item);
    else if (which != ALONE)
        item->left = parse_expr(p);
    if (!p->failed) p_add_item(list, item);
    return true;
}
