// What an experiment searches for: the best parameters, those that fit data, or how results depend
// on them.
#include "lang/parse.h"

static const char *const words[] = {"minimise", "minimize", "maximise", "maximize",
                                    "over",     "subject",  "fit",      "sensitivity"};

bool at_search(const Parser *p) {
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (p_at_word(p, words[i])) return true;
    return false;
}

// minimise = ("minimise" | "maximise") sum
static void parse_objective(Parser *p, ItemList *list) {
    AstItem *item = p_new_item(p, ITEM_MINIMISE, p->token);
    item->relative = p_at_word(p, "maximise") || p_at_word(p, "maximize");
    p_advance(p);
    item->left = parse_sum(p);
    if (!p->failed) p_add_item(list, item);
}

static void expect_word(Parser *p, const char *word, const char *help) {
    if (p_accept_word(p, word)) return;
    Remark *m = p_fail_expected(p, word);
    p_help(p, m, "%s", help);
}

// over = "over" path ["from" sum "to" sum] {"," path ["from" sum "to" sum]}
static void parse_over(Parser *p, ItemList *list) {
    Token start = p->token;
    p_advance(p);
    do {
        AstItem *item = p_new_item(p, ITEM_OVER, start);
        item->left = parse_path(p, "a parameter");
        if (p_accept_word(p, "from")) {
            item->right = parse_sum(p);
            expect_word(p, "to", "write over k from 1 to 10");
            if (!p->failed) item->tolerance = parse_sum(p);
        }
        if (!p->failed) p_add_item(list, item);
    } while (!p->failed && p_accept(p, TOKEN_COMMA));
}

// subject = "subject" "to" sum relation sum
static void parse_limit(Parser *p, ItemList *list) {
    AstItem *item = p_new_item(p, ITEM_SUBJECT, p->token);
    p_advance(p);
    expect_word(p, "to", "write subject to max(x) < 1.1");
    if (!p->failed) item->left = parse_sum(p);
    if (!p->failed && parse_relation(p, &item->relation)) item->right = parse_sum(p);
    if (!p->failed) p_add_item(list, item);
}

// fit = "fit" sum "to" sum ["within" sum]
static void parse_fit(Parser *p, ItemList *list) {
    AstItem *item = p_new_item(p, ITEM_FIT, p->token);
    p_advance(p);
    item->left = parse_sum(p);
    if (!p->failed)
        expect_word(p, "to", "write fit motor.w to measured(time), with measured a table of data");
    if (!p->failed) item->right = parse_sum(p);
    if (!p->failed && p_accept(p, TOKEN_WITHIN)) item->tolerance = parse_sum(p);
    if (!p->failed) p_add_item(list, item);
}

// sensitivity = "sensitivity" expr {"," expr} "to" path {"," path}
static void parse_sensitivity(Parser *p, ItemList *list) {
    ExprList signals = {0};
    ArgList parameters = {0};
    AstItem *item = p_new_item(p, ITEM_SENSITIVITY, p->token);
    p_advance(p);
    do array_push(&signals, parse_expr(p));
    while (p_accept(p, TOKEN_COMMA));
    if (!p->failed) expect_word(p, "to", "write sensitivity x, y to k, m");
    do {
        if (p->failed) break;
        AstArg a = {.pos = p_pos(p, p->token)};
        a.value = parse_path(p, "a parameter");
        array_push(&parameters, a);
    } while (p_accept(p, TOKEN_COMMA));
    item->expr_count = signals.count;
    item->exprs = p_keep_exprs(p, &signals);
    item->args = p_keep_args(p, &parameters, &item->arg_count);
    if (!p->failed) p_add_item(list, item);
}

void parse_search(Parser *p, ItemList *list) {
    if (p_at_word(p, "over"))
        parse_over(p, list);
    else if (p_at_word(p, "subject"))
        parse_limit(p, list);
    else if (p_at_word(p, "fit"))
        parse_fit(p, list);
    else if (p_at_word(p, "sensitivity"))
        parse_sensitivity(p, list);
    else
        parse_objective(p, list);
}
