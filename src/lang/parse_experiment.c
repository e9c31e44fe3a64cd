// What stands in experiments.
#include "lang/parse.h"

#include <string.h>

// settings = path "=" expr {"," path "=" expr}
void parse_settings(Parser *p, ItemList *list) {
    do {
        AstItem *item = p_new_item(p, ITEM_SET, p->token);
        item->left = parse_path(p, "what is to be set");
        if (p_at(p, TOKEN_UNIT)) {
            Remark *m = p_fail_expected(p, "'='");
            p_help(p, m, "the unit follows the value: set m = 2 {kg}");
        }
        p_expect(p, TOKEN_EQUALS, "'='");
        item->right = parse_expr(p);
        if (!p->failed) p_add_item(list, item);
    } while (p_accept(p, TOKEN_COMMA));
}

// ("start" | "stop" | "points" | "every") expr
static void parse_amount(Parser *p, ItemKind kind, ItemList *list) {
    AstItem *item = p_new_item(p, kind, p->token);
    p_advance(p);
    p_accept(p, TOKEN_EQUALS);
    item->left = parse_expr(p);
    if (!p->failed) p_add_item(list, item);
}

// solver = "solver" name {name expr}
static void parse_solver(Parser *p, ItemList *list) {
    ArgList options = {0};
    AstItem *item = p_new_item(p, ITEM_SOLVER, p->token);
    p_advance(p);
    item->pos = p_pos(p, p->token);
    item->name = p_expect_name(p, "the name of a solver");
    while (p_at(p, TOKEN_NAME)) {
        AstArg option = {.name = p->token.name, .pos = p_pos(p, p->token)};
        p_advance(p);
        p_accept(p, TOKEN_EQUALS);
        option.value = parse_sum(p);
        array_push(&options, option);
        p_accept(p, TOKEN_COMMA);
    }
    item->arg_count = options.count;
    item->args = ARENA_ARRAY(p->out, AstArg, options.count);
    if (options.count)
        memcpy(item->args, options.data, (size_t)options.count * sizeof options.data[0]);
    array_free(&options);
    if (!p->failed) p_add_item(list, item);
}

// plot = "plot" [string] expr {"," expr} ["vs" expr]
static void parse_plot(Parser *p, ItemList *list) {
    ExprList curves = {0};
    AstItem *item = p_new_item(p, ITEM_PLOT, p->token);
    p_advance(p);
    item->text = p_accept_string(p);
    if (item->text) p_accept(p, TOKEN_COMMA);
    do array_push(&curves, parse_expr(p));
    while (p_accept(p, TOKEN_COMMA));
    if (p_accept_word(p, "vs")) item->right = parse_expr(p);
    item->expr_count = curves.count;
    item->exprs = p_keep_exprs(p, &curves);
    if (!p->failed) p_add_item(list, item);
}

static Token next_pattern(Parser *p) {
    Token t = lexer_pattern(&p->lexer);
    p_advance(p);
    if (t.kind == TOKEN_BAD) {
        Remark *m = p_fail_expected(p, "what to record");
        p_help(p, m, "name variables, with * for any text: record v.f, arm.*.e");
    }
    return t;
}

// record = "record" pattern {"," pattern}
static void parse_record(Parser *p, ItemList *list) {
    ExprList patterns = {0};
    AstItem *item = p_new_item(p, ITEM_RECORD, p->token);
    do {
        Token t = next_pattern(p);
        AstExpr *e = p_new_expr(p, AST_STRING, t);
        e->name = t.name;
        array_push(&patterns, e);
    } while (p_at(p, TOKEN_COMMA));
    item->expr_count = patterns.count;
    item->exprs = p_keep_exprs(p, &patterns);
    if (!p->failed) p_add_item(list, item);
}

bool parse_relation(Parser *p, BinaryOp *relation) {
    switch (p->token.kind) {
    case TOKEN_EQUALS: *relation = BIN_EQ; break;
    case TOKEN_LT: *relation = BIN_LT; break;
    case TOKEN_LE: *relation = BIN_LE; break;
    case TOKEN_GT: *relation = BIN_GT; break;
    case TOKEN_GE: *relation = BIN_GE; break;
    case TOKEN_EQ: {
        Remark *m = p_complain(p, P_ASSIGNMENT, p->token, "an expectation is written with '='");
        p_help(p, m, "write expect x(end) = 1 within 1e-6");
        *relation = BIN_EQ;
        break;
    }
    default: p_fail_expected(p, "'=', '<' or '>'"); return false;
    }
    p_advance(p);
    return true;
}

// expect = "expect" sum relation sum ["within" sum ["relative"]]
static void parse_expect(Parser *p, ItemList *list) {
    AstItem *item = p_new_item(p, ITEM_EXPECT, p->token);
    p_advance(p);
    item->left = parse_sum(p);
    if (parse_relation(p, &item->relation)) item->right = parse_sum(p);
    if (p_accept(p, TOKEN_WITHIN)) {
        item->tolerance = parse_sum(p);
        item->relative = p_accept_word(p, "relative");
    } else if (item->relation == BIN_EQ) {
        Remark *m = p_fail_expected(p, "'within' and a tolerance");
        p_help(p, m, "results are never exact: expect x(end) = 1 within 1e-6");
    }
    if (!p->failed) p_add_item(list, item);
}

// audit = "audit" ("off" | expr)
static void parse_audit(Parser *p, ItemList *list) {
    AstItem *item = p_new_item(p, ITEM_AUDIT, p->token);
    p_advance(p);
    if (!p_accept_word(p, "off")) item->left = parse_expr(p);
    if (!p->failed) p_add_item(list, item);
}

static const char *const statements[] = {
    "set",      "start",  "stop",    "points", "every",       "solver",
    "plot",     "record", "expect",  "audit",  "frequency",   "minimise",
    "maximise", "over",   "subject", "fit",    "sensitivity", "display"};

static void unknown_statement(Parser *p) {
    enum { NEAR = 2 };
    if (!p_at(p, TOKEN_NAME)) {
        Remark *m = p_fail_expected(p, "a statement of an experiment");
        p_help(p, m, "set, start, stop, points, every, solver, plot, record, expect or audit");
        return;
    }
    const char *word = name_text(p->names, p->token.name), *best = NULL;
    int distance = NEAR + 1;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        int d = name_distance(word, statements[i], NEAR);
        if (d < distance) distance = d, best = statements[i];
    }
    Remark *m =
        p_fail(p, P_UNKNOWN_STATEMENT, p->token, "'%s' starts no statement of an experiment", word);
    if (best) {
        p_help(p, m, "did you mean '%s'?", best);
        if (m) remark_fix(p->report, m, word, best, NULL);
    } else {
        p_help(p, m, "set, start, stop, points, every, solver, plot, record, expect or audit");
    }
}

static bool belongs_into_model(TokenKind kind) {
    switch (kind) {
    case TOKEN_PARAM:
    case TOKEN_CONST:
    case TOKEN_PORT:
    case TOKEN_INPUT:
    case TOKEN_OUTPUT:
    case TOKEN_VAR:
    case TOKEN_FOR:
    case TOKEN_IF:
    case TOKEN_ASSERT:
    case TOKEN_CAUSALITY:
    case TOKEN_STORES:
    case TOKEN_LOSSLESS:
    case TOKEN_SUPPLIES:
    case TOKEN_DISSIPATES: return true;
    default: return false;
    }
}

// display = "display" unit {"," unit}
static void parse_display(Parser *p, ItemList *list) {
    p_advance(p);
    do {
        AstItem *item = p_new_item(p, ITEM_DISPLAY, p->token);
        item->unit = parse_kept_unit(p, &item->unit_text);
        item->has_unit = item->unit != NULL;
        if (!p->failed && !item->unit) {
            Remark *m = p_fail_expected(p, "a unit in braces");
            p_help(p, m, "write display {bar}, {deg}, {rpm}");
        }
        if (!p->failed) p_add_item(list, item);
    } while (!p->failed && p_accept(p, TOKEN_COMMA));
}

static void parse_start(Parser *p, ItemList *list) {
    AstItem *item = parse_initial(p);
    if (!p->failed) p_add_item(list, item);
}

void parse_experiment_statement(Parser *p, ItemList *list) {
    if (p_at_word(p, "live")) {
        parse_live(p, list);
        return;
    }
    switch (p->token.kind) {
    case TOKEN_SET: p_advance(p), parse_settings(p, list); return;
    case TOKEN_START: parse_amount(p, ITEM_START, list); return;
    case TOKEN_STOP: parse_amount(p, ITEM_STOP, list); return;
    case TOKEN_SOLVER: parse_solver(p, list); return;
    case TOKEN_PLOT: parse_plot(p, list); return;
    case TOKEN_RECORD: parse_record(p, list); return;
    case TOKEN_EXPECT: parse_expect(p, list); return;
    case TOKEN_INITIAL: parse_start(p, list); return;
    default: break;
    }
    if (p_at_word(p, "points")) {
        parse_amount(p, ITEM_POINTS, list);
    } else if (p_at_word(p, "every")) {
        parse_amount(p, ITEM_EVERY, list);
    } else if (p_at_word(p, "audit")) {
        parse_audit(p, list);
    } else if (p_at_word(p, "display")) {
        parse_display(p, list);
    } else if (p_at_word(p, "frequency")) {
        parse_frequency(p, list);
    } else if (at_search(p)) {
        parse_search(p, list);
    } else if (parse_analysis(p, list)) {
        return;
    } else if (belongs_into_model(p->token.kind)) {
        Remark *m = p_fail(p, P_MISPLACED, p->token, "'%s' belongs into a model",
                           token_text(p->token.kind));
        p_help(p, m, "an experiment changes a model with set and initial");
    } else {
        unknown_statement(p);
    }
}
