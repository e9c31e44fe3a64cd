// Expressions, loosest binding first:
//
//     if c then a else b      or      and      not      < <= > >= == !=
//     + -      * /      unary + -      ^ (from the right)      x.y  x[i]  f(x)  x'  5 {m}
//
// -x^2 is -(x^2), 2^-1 is 0.5. Chains such as a + b + c are read by loops, everything else by
// recursion that p_enter() bounds.
#include "lang/parse.h"

#include <string.h>

// --- nodes --------------------------------------------------------------------------------------

static AstExpr *new_node(Parser *p, AstExprKind kind, Token t, size_t size) {
    AstExpr *e = p_take(p, 1, size);
    e->kind = kind;
    e->pos = p_pos(p, t);
    e->depth = 1;
    return e;
}

AstExpr *p_new_expr(Parser *p, AstExprKind kind, Token t) {
    return new_node(p, kind, t, sizeof(AstExpr));
}

// Without subscripts.
static AstExpr *p_new_name(Parser *p, Name name, Token t) {
    AstExpr *e = new_node(p, AST_NAME, t, offsetof(AstExpr, right));
    e->name = name;
    return e;
}

static AstExpr *new_number(Parser *p, double number, Token t) {
    AstExpr *e = new_node(p, AST_NUMBER, t, offsetof(AstExpr, right));
    e->number = number;
    return e;
}

static void count_child(AstExpr *e, const AstExpr *child) {
    if (child && child->depth >= e->depth) e->depth = (uint16_t)(child->depth + 1);
}

// To be called when the children of e are in place; not for numbers and plain names.
static AstExpr *finish(Parser *p, AstExpr *e) {
    bool two_sided = e->kind == AST_BINARY || e->kind == AST_RANGE || e->kind == AST_IF;
    count_child(e, e->left);
    if (two_sided) count_child(e, e->right);
    if (e->kind == AST_IF) count_child(e, e->other);
    for (int i = 0; i < e->arg_count; i++) count_child(e, e->args[i].value);
    if (e->depth > AST_DEEPEST) {
        Remark *m = p_fail(p, P_NESTED_TOO_DEEP, p->token,
                           "this expression is too long: more than %d steps", AST_DEEPEST);
        p_help(p, m, "give parts of it names of their own, or use sum() of a vector");
        e->depth = AST_DEEPEST;
    }
    return e;
}

AstExpr *p_binary(Parser *p, Token op, BinaryOp kind, AstExpr *left, AstExpr *right) {
    AstExpr *e = p_new_expr(p, AST_BINARY, op);
    e->op = (uint8_t)kind;
    e->left = left;
    e->right = right;
    return finish(p, e);
}

static AstExpr *unary(Parser *p, Token op, char sign, AstExpr *left) {
    AstExpr *e = p_new_expr(p, AST_UNARY, op);
    e->op = (uint8_t)sign;
    e->left = left;
    return finish(p, e);
}

AstExpr **p_keep_exprs(Parser *p, ExprList *list) {
    AstExpr **kept = p_take(p, (size_t)list->count, sizeof kept[0]);
    if (list->count) memcpy(kept, list->data, (size_t)list->count * sizeof kept[0]);
    array_free(list);
    return kept;
}

AstArg *p_keep_args(Parser *p, ArgList *list, int *count) {
    AstArg *kept = p_take(p, (size_t)list->count, sizeof kept[0]);
    if (list->count) memcpy(kept, list->data, (size_t)list->count * sizeof kept[0]);
    *count = list->count;
    array_free(list);
    return kept;
}

bool p_is_path(const AstExpr *e) {
    for (; e && e->kind == AST_MEMBER; e = e->left) {}
    return e && e->kind == AST_NAME;
}

// --- units --------------------------------------------------------------------------------------

// A number, or something that ends with a bracket: (a + b), (1, 2), [1, 2; 3, 4], sin(x).
static bool can_have_unit(const AstExpr *e, bool bracket) {
    return bracket || e->kind == AST_NUMBER || e->kind == AST_MATRIX || e->kind == AST_CALL;
}

static AstExpr *with_unit(Parser *p, AstExpr *left, bool bracket) {
    Token t = p->token;
    if (!can_have_unit(left, bracket)) {
        Remark *m = p_fail(p, P_UNIT_PLACE, t, "a unit cannot follow a name here");
        p_help(p, m,
               "units follow numbers and brackets; a variable has the unit of its declaration");
        return left;
    }
    AstExpr *e = p_new_expr(p, AST_WITH_UNIT, t);
    e->pos = left->pos;
    e->left = left;
    e->unit = parse_kept_unit(p, &e->unit_text);
    return finish(p, e);
}

// left ":" [expr], at the colon
static AstExpr *range_from(Parser *p, AstExpr *left, bool may_be_open) {
    AstExpr *e = p_new_expr(p, AST_RANGE, p->token);
    e->left = left;
    p_advance(p);
    bool open = p_at(p, TOKEN_CLOSE_SQUARE) || p_at(p, TOKEN_COMMA);
    if (!open || !may_be_open) e->right = parse_expr(p);
    return finish(p, e);
}

// --- lists --------------------------------------------------------------------------------------

// arg = [name "="] range | string
static AstArg parse_arg(Parser *p) {
    Token t = p->token;
    AstArg arg = {.pos = p_pos(p, t)};
    if (p_accept(p, TOKEN_STRING)) {
        arg.value = p_new_expr(p, AST_STRING, t);
        arg.value->name = t.name;
        return arg;
    }
    arg.value = parse_range(p);
    if (p_at(p, TOKEN_EQUALS) && arg.value->kind == AST_NAME && !arg.value->arg_count) {
        arg.name = arg.value->name;
        p_advance(p);
        arg.value = parse_range(p);
    }
    return arg;
}

// args = "(" [arg {"," arg}] ")"
void parse_args(Parser *p, AstArg **args, int *count) {
    ArgList list = {0};
    Token open = p->token;
    if (!p_expect(p, TOKEN_OPEN, "'('")) return;
    if (!p_at(p, TOKEN_CLOSE)) {
        do array_push(&list, parse_arg(p));
        while (p_accept(p, TOKEN_COMMA));
    }
    p_expect_close(p, TOKEN_CLOSE, open);
    *args = p_keep_args(p, &list, count);
}

// An entry of a vector or a matrix.
static AstArg parse_entry(Parser *p) {
    AstArg arg = {.pos = p_pos(p, p->token)};
    arg.value = parse_range(p);
    return arg;
}

// subscript = [expr] ":" [expr] | expr
static AstArg parse_subscript(Parser *p) {
    AstArg arg = {.pos = p_pos(p, p->token)};
    AstExpr *left = p_at(p, TOKEN_COLON) ? NULL : parse_expr(p);
    arg.value = left;
    if (p_at(p, TOKEN_COLON)) arg.value = range_from(p, left, true);
    return arg;
}

// subscripts = {"[" subscript {"," subscript} "]"}: of a component in an array, then of its vector
static void parse_index(Parser *p, ArgList *list) {
    while (p_at(p, TOKEN_OPEN_SQUARE)) {
        Token open = p->token;
        p_advance(p);
        do array_push(list, parse_subscript(p));
        while (p_accept(p, TOKEN_COMMA));
        p_expect_close(p, TOKEN_CLOSE_SQUARE, open);
    }
}

void parse_subscripts(Parser *p, AstExpr ***exprs, int *count) {
    ExprList list = {0};
    Token open = p->token;
    if (!p_accept(p, TOKEN_OPEN_SQUARE)) return;
    do array_push(&list, parse_range(p));
    while (p_accept(p, TOKEN_COMMA));
    p_expect_close(p, TOKEN_CLOSE_SQUARE, open);
    *count = list.count;
    *exprs = p_keep_exprs(p, &list);
}

AstExpr *p_take_dimension(Parser *p, AstExpr *path) {
    if (!path->arg_count) return NULL;
    AstExpr *dimension = path->args[0].value;
    if (path->arg_count > 1) {
        Remark *m =
            p_fail(p, P_EXPECTED, p->token, "a type has one dimension, not %d", path->arg_count);
        p_help(p, m, "write Type[3] name for vectors, Type name[2,3] for an array");
    }
    path->args = NULL;
    path->arg_count = 0;
    return dimension;
}

// --- primaries ----------------------------------------------------------------------------------

// The name at the token, with its subscripts, as a path that may go on.
static AstExpr *path_part(Parser *p, AstExpr *left, const char *what) {
    Token t = p->token;
    Name name = p_expect_name(p, what);
    ArgList subscripts = {0};
    parse_index(p, &subscripts);
    if (!left && !subscripts.count) return p_new_name(p, name, t);
    AstExpr *e = p_new_expr(p, left ? AST_MEMBER : AST_NAME, t);
    e->left = left;
    e->name = name;
    e->args = p_keep_args(p, &subscripts, &e->arg_count);
    return finish(p, e);
}

// path = name [subscripts] {"." name [subscripts]}
AstExpr *parse_path(Parser *p, const char *what) {
    AstExpr *e = path_part(p, NULL, what);
    while (p_accept(p, TOKEN_DOT)) e = path_part(p, e, "a name after '.'");
    return e;
}

// bracket = "(" range {"," range} ")": a bracket, or a vector when there is a comma
AstExpr *parse_bracket(Parser *p) {
    ArgList list = {0};
    Token open = p->token;
    p_advance(p);
    do array_push(&list, parse_entry(p));
    while (p_accept(p, TOKEN_COMMA));
    p_expect_close(p, TOKEN_CLOSE, open);
    AstExpr *e = list.data[0].value;
    if (list.count > 1) {
        e = p_new_expr(p, AST_VECTOR, open);
        e->args = p_keep_args(p, &list, &e->arg_count);
        finish(p, e);
    }
    array_free(&list);
    return e;
}

static void check_row(Parser *p, int entries, int columns) {
    if (entries == columns || p->failed) return;
    Remark *m = p_fail(p, P_RAGGED_MATRIX, p->token, "this row has %d entr%s, the first one has %d",
                       entries, entries == 1 ? "y" : "ies", columns);
    p_help(p, m, "a comma divides entries, a semicolon rows");
}

// matrix = "[" row {";" row} "]"    row = expr {"," expr}
static AstExpr *parse_matrix(Parser *p) {
    ArgList list = {0};
    Token open = p->token;
    AstExpr *e = p_new_expr(p, AST_MATRIX, open);
    p_advance(p);
    do {
        int before = list.count;
        do array_push(&list, parse_entry(p));
        while (p_accept(p, TOKEN_COMMA));
        if (!e->columns) e->columns = list.count;
        check_row(p, list.count - before, e->columns);
    } while (p_accept(p, TOKEN_SEMICOLON));
    p_expect_close(p, TOKEN_CLOSE_SQUARE, open);
    e->args = p_keep_args(p, &list, &e->arg_count);
    return finish(p, e);
}

static AstExpr *parse_number(Parser *p) {
    AstExpr *e = new_number(p, p->token.number, p->token);
    p_advance(p);
    return e;
}

static AstExpr *parse_truth(Parser *p) {
    AstExpr *e = new_number(p, p_at(p, TOKEN_TRUE), p->token);
    p_advance(p);
    return e;
}

static AstExpr *single(Parser *p, AstExprKind kind) {
    AstExpr *e = p_new_expr(p, kind, p->token);
    p_advance(p);
    return e;
}

static AstExpr *parse_der(Parser *p) {
    AstExpr *e = p_new_name(p, name_of(p->names, "der"), p->token);
    p_advance(p);
    if (!p_at(p, TOKEN_OPEN)) {
        Remark *m = p_fail_expected(p, "'(' after der");
        p_help(p, m, "the time derivative of x is der(x)");
    }
    return e;
}

static AstExpr *no_primary(Parser *p) {
    Token t = p->token;
    AstExpr *e = p_new_expr(p, AST_NUMBER, t);
    if (token_is_keyword(t.kind) && !t.first) {
        p_keyword_as_name(p, "an expression");
    } else {
        Remark *m = p_fail_expected(p, "an expression");
        if (t.first) p_help(p, m, "an operator at the end of the line before asks for more");
        if (t.kind == TOKEN_DOT) p_help(p, m, "write .5 without a blank");
        if (t.kind == TOKEN_QUOTE)
            p_help(p, m, "numbers and names stand without quotes, units in braces: 1 {kg}");
        if (t.kind == TOKEN_UNIT) p_help(p, m, "a unit follows its number: 5 {m}");
        if (t.kind == TOKEN_ARROW) p_help(p, m, "a bond needs an end on both sides: a -> b");
    }
    return e;
}

// primary = number | string-free name | der | time | true | false | bracket | matrix
//         | "end" (a time, inside the brackets of an experiment)
static AstExpr *parse_primary(Parser *p) {
    switch (p->token.kind) {
    case TOKEN_NUMBER: return parse_number(p);
    case TOKEN_NAME: return path_part(p, NULL, "a name");
    case TOKEN_OPEN: return parse_bracket(p);
    case TOKEN_OPEN_SQUARE: return parse_matrix(p);
    case TOKEN_DER: return parse_der(p);
    case TOKEN_TIME: return single(p, AST_TIME);
    case TOKEN_TRUE:
    case TOKEN_FALSE: return parse_truth(p);
    case TOKEN_END:
        if (p->experiment && p->lexer.brackets) return single(p, AST_END);
        return no_primary(p);
    default: return no_primary(p);
    }
}

static bool is_linear(const Parser *p, const AstExpr *called) {
    return called->kind == AST_NAME && strcmp(name_text(p->names, called->name), "linear") == 0;
}

static AstExpr *parse_call(Parser *p, AstExpr *called) {
    if (!p_is_path(called)) {
        Remark *m = p_fail(p, P_EXPECTED, p->token, "only a name can be called with '('");
        p_help(p, m, "put * between the two factors of a product");
        return called;
    }
    AstExpr *e = p_new_expr(p, AST_CALL, p->token);
    e->pos = called->pos;
    e->left = called;
    parse_args(p, &e->args, &e->arg_count);
    p->linear = p->linear || is_linear(p, called);
    return finish(p, e);
}

// linear(Plant, ...).A is a call of linear.A
static AstExpr *parse_matrix_of(Parser *p, AstExpr *call) {
    p_advance(p);
    call->left = path_part(p, call->left, "A, B, C or D");
    return finish(p, call);
}

static AstExpr *parse_index_of_value(Parser *p, AstExpr *of) {
    Remark *m = p_fail(p, P_EXPECTED, p->token, "only a name can have an index");
    p_help(p, m, "give the vector a name with var and an equation, then take its part");
    return of;
}

// postfix = primary {"." name [subscripts] | args | "'" | unit}
static AstExpr *parse_postfix(Parser *p) {
    bool bracket = p_at(p, TOKEN_OPEN), number = p_at(p, TOKEN_NUMBER);
    AstExpr *e = parse_primary(p);
    for (;; bracket = false) {
        Token t = p->token;
        if (p_at(p, TOKEN_OPEN) && !number)
            e = parse_call(p, e);
        else if (p_at(p, TOKEN_DOT) && p_is_path(e))
            p_advance(p), e = path_part(p, e, "a name after '.'");
        else if (p_at(p, TOKEN_DOT) && e->kind == AST_CALL && is_linear(p, e->left))
            e = parse_matrix_of(p, e);
        else if (p_accept(p, TOKEN_QUOTE))
            e = unary(p, t, '\'', e);
        else if (p_at(p, TOKEN_UNIT))
            e = with_unit(p, e, bracket);
        else if (p_at(p, TOKEN_OPEN_SQUARE) && !number)
            e = parse_index_of_value(p, e);
        else
            return e;
    }
}

// --- operators ----------------------------------------------------------------------------------

static AstExpr *parse_unary(Parser *p);

// power = postfix ["^" unary]
static AstExpr *parse_power(Parser *p) {
    AstExpr *e = parse_postfix(p);
    Token op = p->token;
    if (!p_accept(p, TOKEN_CARET)) return e;
    return p_binary(p, op, BIN_POW, e, parse_unary(p));
}

// -5 {degC} means (-5) {degC}: the sign belongs to the number on the thermometer.
static AstExpr *negate(Parser *p, Token op, bool before_number, AstExpr *e) {
    bool thermometer = before_number && e->kind == AST_WITH_UNIT && e->unit->offset != 0 &&
                       e->left->kind == AST_NUMBER;
    if (!thermometer) return unary(p, op, '-', e);
    e->left = unary(p, op, '-', e->left);
    return finish(p, e);
}

// unary = ("-" | "+") unary | power
static AstExpr *parse_unary(Parser *p) {
    Token op = p->token;
    if (!p_enter(p)) return p_new_expr(p, AST_NUMBER, op);
    AstExpr *e;
    if (p_accept(p, TOKEN_MINUS)) {
        bool before_number = p_at(p, TOKEN_NUMBER);
        e = negate(p, op, before_number, parse_unary(p));
    } else if (p_accept(p, TOKEN_PLUS)) {
        e = unary(p, op, '+', parse_unary(p));
    } else {
        e = parse_power(p);
    }
    p_leave(p);
    return e;
}

// product = unary {("*" | "/") unary}
static AstExpr *parse_product(Parser *p) {
    AstExpr *e = parse_unary(p);
    for (;;) {
        Token op = p->token;
        if (p_accept(p, TOKEN_STAR))
            e = p_binary(p, op, BIN_MUL, e, parse_unary(p));
        else if (p_accept(p, TOKEN_SLASH))
            e = p_binary(p, op, BIN_DIV, e, parse_unary(p));
        else
            return e;
    }
}

// sum = product {("+" | "-") product}
AstExpr *parse_sum(Parser *p) {
    AstExpr *e = parse_product(p);
    for (;;) {
        Token op = p->token;
        if (p_accept(p, TOKEN_PLUS))
            e = p_binary(p, op, BIN_ADD, e, parse_product(p));
        else if (p_accept(p, TOKEN_MINUS))
            e = p_binary(p, op, BIN_SUB, e, parse_product(p));
        else
            return e;
    }
}

static bool comparison_op(TokenKind kind, BinaryOp *op) {
    switch (kind) {
    case TOKEN_EQ: *op = BIN_EQ; return true;
    case TOKEN_NE: *op = BIN_NE; return true;
    case TOKEN_LT: *op = BIN_LT; return true;
    case TOKEN_LE: *op = BIN_LE; return true;
    case TOKEN_GT: *op = BIN_GT; return true;
    case TOKEN_GE: *op = BIN_GE; return true;
    default: return false;
    }
}

// comparison = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
static AstExpr *parse_comparison(Parser *p) {
    AstExpr *e = parse_sum(p);
    BinaryOp kind;
    Token op = p->token;
    if (!comparison_op(op.kind, &kind)) return e;
    p_advance(p);
    e = p_binary(p, op, kind, e, parse_sum(p));
    if (comparison_op(p->token.kind, &kind)) {
        Remark *m = p_fail(p, P_CHAINED_COMPARISON, p->token, "comparisons cannot be chained");
        p_help(p, m, "join them with and: 0 < x and x < 1");
    }
    return e;
}

// negation = "not" negation | comparison
static AstExpr *parse_not(Parser *p) {
    Token op = p->token;
    if (!p_accept(p, TOKEN_NOT)) return parse_comparison(p);
    if (!p_enter(p)) return p_new_expr(p, AST_NUMBER, op);
    AstExpr *e = unary(p, op, 'n', parse_not(p));
    p_leave(p);
    return e;
}

// conjunction = negation {"and" negation}
static AstExpr *parse_and(Parser *p) {
    AstExpr *e = parse_not(p);
    for (Token op = p->token; p_accept(p, TOKEN_AND); op = p->token)
        e = p_binary(p, op, BIN_AND, e, parse_not(p));
    return e;
}

// disjunction = conjunction {"or" conjunction}
static AstExpr *parse_or(Parser *p) {
    AstExpr *e = parse_and(p);
    for (Token op = p->token; p_accept(p, TOKEN_OR); op = p->token)
        e = p_binary(p, op, BIN_OR, e, parse_and(p));
    return e;
}

// if-expr = ("if" | "elseif") expr "then" expr ("else" expr | if-expr with elseif)
static AstExpr *parse_if_expr(Parser *p) {
    AstExpr *e = p_new_expr(p, AST_IF, p->token);
    if (!p_enter(p)) return e;
    p_advance(p);
    e->left = parse_or(p);
    p_expect(p, TOKEN_THEN, "'then'");
    e->right = parse_expr(p);
    if (p_at(p, TOKEN_ELSEIF)) {
        e->other = parse_if_expr(p);
    } else if (p_accept(p, TOKEN_ELSE)) {
        p_skip_newlines(p);
        e->other = parse_expr(p);
    } else {
        Remark *m = p_fail_expected(p, "'else'");
        p_help(p, m, "a value needs both cases: if c then a else b, on one line or in brackets");
    }
    p_leave(p);
    return finish(p, e);
}

// expr = if-expr | disjunction
AstExpr *parse_expr(Parser *p) {
    if (p_at(p, TOKEN_IF)) return parse_if_expr(p);
    return parse_or(p);
}

// range = expr [":" expr]
AstExpr *parse_range(Parser *p) {
    AstExpr *left = parse_expr(p);
    return p_at(p, TOKEN_COLON) ? range_from(p, left, false) : left;
}
