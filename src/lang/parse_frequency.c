// The frequency response of an experiment:
//
//     frequency valve.u amplitude 0.1 from 1 {Hz} to 100 {Hz} steps 21 of P_L, motor.w.f
//     frequency valve.u amplitude 0.1 offset 0.2 at (1, 2, 5) {Hz} settle 2 {s} of P_L
#include "lang/parse.h"

#include <string.h>

static const char *const clauses[] = {"amplitude", "offset", "at", "from", "to", "steps", "settle"};

static bool is_clause(const char *word) {
    for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++)
        if (strcmp(clauses[i], word) == 0) return true;
    return false;
}

// clause = ("amplitude" | "offset" | "at" | "from" | "to" | "steps" | "settle") sum
static void parse_clause(Parser *p, ArgList *list) {
    AstArg clause = {.name = p->token.name, .pos = p_pos(p, p->token)};
    const char *word = name_text(p->names, clause.name);
    if (!is_clause(word)) {
        Remark *m =
            p_fail(p, P_UNKNOWN_STATEMENT, p->token, "'%s' is no part of 'frequency'", word);
        p_help(p, m, "amplitude, offset, at, from, to, steps, settle, of");
        return;
    }
    for (int i = 0; i < list->count; i++)
        if (list->data[i].name == clause.name)
            p_fail(p, P_EXPECTED, p->token, "'%s' stands twice", word);
    p_advance(p);
    clause.value = parse_sum(p);
    array_push(list, clause);
    p_accept(p, TOKEN_COMMA);
}

static bool has_clause(const Parser *p, const AstItem *item, const char *word) {
    for (int i = 0; i < item->arg_count; i++)
        if (strcmp(name_text(p->names, item->args[i].name), word) == 0) return true;
    return false;
}

static void check_clauses(Parser *p, const AstItem *item, Token start) {
    bool list = has_clause(p, item, "at");
    bool range =
        has_clause(p, item, "from") || has_clause(p, item, "to") || has_clause(p, item, "steps");
    bool whole = has_clause(p, item, "from") && has_clause(p, item, "to");
    Remark *m = NULL;
    if (!has_clause(p, item, "amplitude"))
        m = p_fail(p, P_EXPECTED, start, "'frequency' does not say how large the sine is");
    else if (list == range || (range && !whole))
        m = p_fail(p, P_EXPECTED, start, "'frequency' does not say at which frequencies");
    if (m)
        p_help(
            p, m,
            "write frequency u amplitude 0.1 from 1 {Hz} to 100 {Hz} steps 21 of y, or at (1, 2, "
            "5) {Hz} in place of from and to");
}

// frequency = "frequency" path {clause} "of" expr {"," expr}
void parse_frequency(Parser *p, ItemList *list) {
    Token start = p->token;
    ArgList clause_list = {0};
    ExprList answers = {0};
    AstItem *item = p_new_item(p, ITEM_FREQUENCY, start);
    p_advance(p);
    item->left = parse_path(p, "the input that is driven");
    while (p_at(p, TOKEN_NAME) && !p->failed) parse_clause(p, &clause_list);
    item->args = p_keep_args(p, &clause_list, &item->arg_count);
    if (!p->failed) check_clauses(p, item, start);
    p_expect(p, TOKEN_OF, "'of' and what answers");
    do array_push(&answers, parse_expr(p));
    while (p_accept(p, TOKEN_COMMA));
    item->expr_count = answers.count;
    item->exprs = p_keep_exprs(p, &answers);
    if (!p->failed) p_add_item(list, item);
}
