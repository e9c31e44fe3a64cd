// What stands in models and elements: declarations, components, bonds, equations and the loops and
// conditions around them.
//
// Statements that start with a keyword are plain. The others start with an expression, and the
// token behind it tells what they are:
//
//     motor.shaft -> ...    a, b -> ...     bond
//     Type name             1 name          component
//     left = right                          equation
#include "lang/parse.h"

#include <string.h>

AstItem *p_new_item(Parser *p, ItemKind kind, Token t) {
    AstItem *item = p_take(p, 1, kind == ITEM_BOND ? offsetof(AstItem, left) : sizeof *item);
    item->kind = kind;
    item->pos = p_pos(p, t);
    item->junction = -1;
    return item;
}

void p_add_item(ItemList *list, AstItem *item) {
    if (!list->first)
        list->first = item;
    else
        *list->end = item;
    list->end = &item->next;
}

// --- declarations -------------------------------------------------------------------------------

static void refuse_value(Parser *p, const AstItem *item) {
    const char *what = item->kind == ITEM_OUTPUT ? "an output" : "a variable";
    Remark *m =
        p_fail(p, P_DECLARED_VALUE, p->token, "%s takes no value where it is declared", what);
    p_help(p, m, "write an equation on a line of its own%s",
           item->kind == ITEM_VAR ? ", or 'initial' for the start value of a state" : "");
}

// "solves" expr "=" expr "near" expr: both sides become one difference
static void parse_implicit(Parser *p, AstItem *item) {
    AstExpr *left = parse_expr(p);
    Token sign = p->token;
    if (!p_expect(p, TOKEN_EQUALS, "'=' and the other side of the equation")) return;
    AstExpr *right = parse_expr(p);
    if (!p->failed) item->right = p_binary(p, sign, BIN_SUB, left, right);
    if (!p->failed && !p_accept_word(p, "near")) {
        Remark *m = p_fail_expected(p, "'near' and a guess");
        p_help(p, m, "write param x {m} solves x^3 + x = 2 near 1 {m}");
        return;
    }
    if (!p->failed) item->left = parse_expr(p);
}

// value-declaration = name [size] [unit] ["discrete"] ["initial" expr | "=" expr | implicit]
// [string]
void parse_value_declaration(Parser *p, AstItem *item) {
    item->pos = p_pos(p, p->token);
    item->name = p_expect_name(p, "a name");
    parse_subscripts(p, &item->size, &item->size_count);
    item->unit = parse_kept_unit(p, &item->unit_text);
    item->has_unit = item->unit != NULL;
    bool no_value = item->kind == ITEM_OUTPUT || item->kind == ITEM_VAR;
    if (no_value) item->discrete = p_accept_word(p, "discrete");
    bool start = item->kind == ITEM_VAR || item->discrete;
    if (start && p_accept(p, TOKEN_INITIAL)) item->left = parse_expr(p);
    if (p_at(p, TOKEN_EQUALS) && no_value) refuse_value(p, item);
    if (p_accept(p, TOKEN_EQUALS))
        item->left = parse_expr(p);
    else if (item->kind == ITEM_PARAM && !item->size_count && p_accept_word(p, "solves"))
        parse_implicit(p, item);
    item->text = p_accept_string(p);
}

// port-declaration = name [size] ":" path ["[" expr "]"] ["out"] ["optional"] [string]
static void parse_port_declaration(Parser *p, AstItem *item) {
    item->pos = p_pos(p, p->token);
    item->name = p_expect_name(p, "the name of a port");
    parse_subscripts(p, &item->size, &item->size_count);
    if (!p_at(p, TOKEN_COLON)) {
        Remark *m = p_fail(p, P_PORT_DOMAIN, p->token, "port '%s' has no domain",
                           name_text(p->names, item->name));
        p_help(p, m, "write port %s: electric, or another domain, or any",
               name_text(p->names, item->name));
        return;
    }
    p_advance(p);
    item->path = parse_path(p, "a domain");
    item->dimension = p_take_dimension(p, item->path);
    item->out = p_accept_word(p, "out");
    item->optional = p_accept_word(p, "optional");
    item->text = p_accept_string(p);
}

// name [size] ":"; a size is short and has no brackets inside.
static bool at_set_declaration(const Parser *p) {
    if (!p_at(p, TOKEN_NAME)) return false;
    Lexer ahead = p->lexer;
    ahead.quiet = true;
    Token t = lexer_next(&ahead);
    if (t.kind == TOKEN_OPEN_SQUARE) {
        enum { LONGEST_SIZE = 40 };
        for (int i = 0; i < LONGEST_SIZE && t.kind != TOKEN_CLOSE_SQUARE; i++)
            t = lexer_next(&ahead);
        t = lexer_next(&ahead);
    }
    return t.kind == TOKEN_COLON;
}

// chosen-declaration = name ":" ("model" | "function" | "table") ["=" expr] [string]
static AstItem *parse_chosen_declaration(Parser *p, AstItem *item) {
    item->kind = ITEM_CHOSEN;
    item->set = false;
    item->chooses = p_at(p, TOKEN_FUNCTION) ? CLASS_FUNCTION
                    : p_at(p, TOKEN_TABLE)  ? CLASS_TABLE
                                            : CLASS_MODEL;
    p_advance(p);
    if (p_accept(p, TOKEN_EQUALS)) item->left = parse_expr(p);
    item->text = p_accept_string(p);
    return item;
}

// set-declaration = name [size] ":" path [args] ["=" path] [string] | chosen-declaration
static AstItem *parse_set_declaration(Parser *p) {
    AstItem *item = p_new_item(p, ITEM_COMPONENT, p->token);
    item->set = true;
    item->name = p_expect_name(p, "a name");
    parse_subscripts(p, &item->size, &item->size_count);
    p_advance(p);
    bool chosen = p_at(p, TOKEN_MODEL) || p_at(p, TOKEN_FUNCTION) || p_at(p, TOKEN_TABLE);
    if (chosen && !item->size_count) return parse_chosen_declaration(p, item);
    item->path = parse_path(p, "the model whose parameters are meant");
    if (p_at(p, TOKEN_OPEN)) parse_args(p, &item->args, &item->arg_count);
    if (p_accept(p, TOKEN_EQUALS)) item->left = parse_path(p, "a set of parameters");
    item->text = p_accept_string(p);
    return item;
}

// declarations = "param" (value-declaration | set-declaration) {"," ...}
//              | ("const" | "input" | "output" | "var") value-declaration {"," ...}
//              | "port" port-declaration {"," ...}
static void parse_declarations(Parser *p, ItemKind kind, ItemList *list) {
    p_advance(p);
    do {
        bool set = kind == ITEM_PARAM && at_set_declaration(p);
        AstItem *item = set ? parse_set_declaration(p) : p_new_item(p, kind, p->token);
        if (kind == ITEM_PORT)
            parse_port_declaration(p, item);
        else if (!set)
            parse_value_declaration(p, item);
        if (!p->failed) p_add_item(list, item);
    } while (p_accept(p, TOKEN_COMMA));
}

// --- equations ----------------------------------------------------------------------------------

static bool is_equality(const AstExpr *e) { return e && e->kind == AST_BINARY && e->op == BIN_EQ; }

// The right side, from '=' on. `left == right` and `left := right` are mended on the way.
void parse_right_side(Parser *p, AstItem *item) {
    Token sign = p->token;
    if (is_equality(item->left) && !p_at(p, TOKEN_EQUALS)) {
        sign.at = item->left->pos.at;
        item->right = item->left->right;
        item->left = item->left->left;
    } else {
        if (!p_at(p, TOKEN_ASSIGN) && !p_at(p, TOKEN_EQUALS)) p_fail_expected(p, "'='");
        p_advance(p);
        item->right = parse_expr(p);
        if (sign.kind == TOKEN_EQUALS) return;
    }
    Remark *m = p_complain(p, P_ASSIGNMENT, sign, "an equation is written with '='");
    p_help(p, m, "it holds in both directions; the tool finds out for what to solve it");
    if (m) remark_fix(p->report, m, sign.kind == TOKEN_ASSIGN ? ":=" : "==", "=", NULL);
}

// equation = expr "=" expr
static void parse_equation(Parser *p, AstItem *item) {
    item->left = parse_expr(p);
    parse_right_side(p, item);
}

// --- components ---------------------------------------------------------------------------------

// laws = equation {"," equation}
AstItem *parse_laws(Parser *p) {
    ItemList list = {0};
    do {
        AstItem *law = p_new_item(p, ITEM_EQUATION, p->token);
        parse_equation(p, law);
        p_add_item(&list, law);
    } while (p_accept(p, TOKEN_COMMA));
    return list.first;
}

static void give_value(Parser *p, AstItem *item) {
    if (p_at(p, TOKEN_ASSIGN)) {
        Remark *m = p_complain(p, P_ASSIGNMENT, p->token, "a source is written with '='");
        p_help(p, m, "write = instead of :=");
        if (m) remark_fix(p->report, m, ":=", "=", NULL);
        p_advance(p);
    } else if (!p_accept(p, TOKEN_EQUALS)) {
        return;
    }
    item->left = parse_expr(p);
}

// component = name [size] [args] ["=" expr] [string] [":" laws] [string]
static AstItem *parse_component(Parser *p, AstItem *type) {
    AstItem *item = p_new_item(p, ITEM_COMPONENT, p->token);
    item->path = type->path;
    item->junction = type->junction;
    item->dimension = type->dimension;
    item->name = p_expect_name(p, "the name of a component");
    parse_subscripts(p, &item->size, &item->size_count);
    if (p_at(p, TOKEN_OPEN)) parse_args(p, &item->args, &item->arg_count);
    give_value(p, item);
    item->text = p_accept_string(p);
    if (p_accept(p, TOKEN_COLON)) item->laws = parse_laws(p);
    if (!item->text) item->text = p_accept_string(p);
    return item;
}

// components = type component {"," component}
static void parse_components(Parser *p, AstItem *type, ItemList *list) {
    AstItem *item;
    do {
        item = parse_component(p, type);
        if (!p->failed) p_add_item(list, item);
    } while (p_accept(p, TOKEN_COMMA));
    if (p_at(p, TOKEN_NUMBER) || p_at(p, TOKEN_UNIT)) {
        Remark *m = p_fail_expected(p, "the end of the line");
        p_help(p, m, "arguments stand in brackets: R damper(2 {N.s/m})");
    } else if (p_at(p, TOKEN_NAME) && !item->arg_count && !item->text) {
        Remark *m = p_fail_expected(p, "the end of the line");
        p_help(p, m, "a component is written 'Type name(arguments)', without a word before it");
    }
}

// junctions = ("0" | "1") ["[" expr "]"] component {"," component}
static void parse_junctions(Parser *p, int kind, ItemList *list) {
    AstItem type = {.junction = (int8_t)kind};
    AstExpr **size = NULL;
    int size_count = 0;
    parse_subscripts(p, &size, &size_count);
    if (size_count) type.dimension = size[0];
    if (size_count > 1)
        p_fail(p, P_EXPECTED, p->token, "a junction has one dimension, not several");
    parse_components(p, &type, list);
}

// --- bonds --------------------------------------------------------------------------------------

static void check_end(Parser *p, const AstExpr *end, Token t) {
    if (p_is_path(end) || p->failed) return;
    t.at = end->pos.at;
    Remark *m = p_fail(p, P_NOT_A_PATH, t, "the end of a bond is a name or a path");
    p_help(p, m, "for a ratio between both ends put a TF or GY in the bond: a -> tf -> b");
}

static void no_end(Parser *p, Token arrow) {
    Remark *m = p_fail(p, P_BOND_END, arrow, "nothing stands right of this '->'");
    p_help(p, m, "write what the bond leads to: a -> b");
}

// heads = path {"," path}
static void parse_heads(Parser *p, Token arrow, ExprList *ends) {
    do {
        if (!p_at(p, TOKEN_NAME) && !p->failed) {
            bool nothing = p_at(p, TOKEN_END_OF_FILE) || p_at(p, TOKEN_NEWLINE) ||
                           token_is_keyword(p->token.kind);
            if (nothing && p->token.first) no_end(p, arrow);
            if (nothing && p_at(p, TOKEN_END_OF_FILE)) no_end(p, arrow);
        }
        array_push(ends, parse_path(p, "the end of a bond"));
    } while (p_accept(p, TOKEN_COMMA));
}

static AstItem *keep_bond(Parser *p, Token arrow, const ExprList *tails, const ExprList *heads) {
    AstItem *item = p_new_item(p, ITEM_BOND, arrow);
    item->tail_count = tails->count;
    item->expr_count = tails->count + heads->count;
    item->exprs = p_take(p, (size_t)item->expr_count, sizeof item->exprs[0]);
    memcpy(item->exprs, tails->data, (size_t)tails->count * sizeof item->exprs[0]);
    if (heads->count)
        memcpy(item->exprs + tails->count, heads->data,
               (size_t)heads->count * sizeof item->exprs[0]);
    return item;
}

// bond = path {"," path} "->" heads {"->" heads}
static void parse_bond(Parser *p, AstExpr *first, ItemList *list) {
    ExprList tails = {0};
    Token start = p->token;
    check_end(p, first, start);
    array_push(&tails, first);
    while (p_accept(p, TOKEN_COMMA)) array_push(&tails, parse_path(p, "the end of a bond"));
    if (!p_at(p, TOKEN_ARROW)) {
        Remark *m = p_fail_expected(p, "'->'");
        p_help(p, m, "a list of names starts a bond, as in a, b -> c");
    }
    for (Token arrow = p->token; p_accept(p, TOKEN_ARROW); arrow = p->token) {
        ExprList heads = {0};
        parse_heads(p, arrow, &heads);
        AstItem *item = keep_bond(p, arrow, &tails, &heads);
        item->pos = tails.data[0]->pos;
        if (!p->failed) p_add_item(list, item);
        array_free(&tails);
        tails = heads;
    }
    array_free(&tails);
}

// --- loops and conditions -----------------------------------------------------------------------

static void parse_nested(Parser *p, AstItem **body, Token start) {
    p_end_statement(p, start);
    if (!p_enter_body(p)) return;
    *body = parse_body(p, parse_model_statement).first;
    p_leave(p);
}

// for = "for" name "in" range NEWLINE body "end"
static AstItem *parse_for(Parser *p) {
    Opener opener = {"for", 0, p->token};
    AstItem *item = p_new_item(p, ITEM_FOR, p->token);
    p_advance(p);
    item->name = p_expect_name(p, "the name of the loop's variable");
    if (p_at(p, TOKEN_EQUALS)) {
        Remark *m = p_fail_expected(p, "'in'");
        p_help(p, m, "write for i in 1:n");
    }
    p_expect(p, TOKEN_IN, "'in'");
    item->left = parse_range(p);
    parse_nested(p, &item->body, opener.token);
    p_close_with_end(p, &opener);
    return item;
}

static void refuse_then(Parser *p) {
    if (!p_at(p, TOKEN_THEN)) return;
    Remark *m = p_complain(p, P_EXPECTED, p->token, "expected the end of the line, saw 'then'");
    p_help(p, m, "'then' belongs into expressions; here the statements follow in the next lines");
    p->lexer.continues = false; // the newline behind it does count
    p_advance(p);
}

// if = ("if" | "elseif") expr NEWLINE body [if with elseif | "else" NEWLINE body]
static AstItem *parse_if_part(Parser *p) {
    Token start = p->token;
    AstItem *item = p_new_item(p, ITEM_IF, start);
    p_advance(p);
    item->left = parse_expr(p);
    refuse_then(p);
    parse_nested(p, &item->body, start);
    Token divider = p->token;
    if (p_at(p, TOKEN_ELSEIF) && p_enter_body(p)) {
        item->otherwise = parse_if_part(p);
        p_leave(p);
    } else if (p_accept(p, TOKEN_ELSE)) {
        if (p_at(p, TOKEN_IF)) {
            Remark *m = p_fail(p, P_UNKNOWN_STATEMENT, p->token, "'else if' is one word");
            p_help(p, m, "write elseif");
        }
        parse_nested(p, &item->otherwise, divider);
    }
    return item;
}

// if-statement = if "end"
static AstItem *parse_if(Parser *p) {
    Opener opener = {"if", 0, p->token};
    p->open_ifs++;
    AstItem *item = parse_if_part(p);
    p->open_ifs--;
    p_close_with_end(p, &opener);
    return item;
}

// --- other statements ---------------------------------------------------------------------------

static bool is_causality_word(const char *word) {
    static const char *const words[] = {"integral", "derivative", "effort", "flow"};
    for (int i = 0; i < 4; i++)
        if (strcmp(word, words[i]) == 0) return true;
    return false;
}

// causality = "causality" path ("integral" | "derivative" | "effort" | "flow")
static AstItem *parse_causality(Parser *p) {
    AstItem *item = p_new_item(p, ITEM_CAUSALITY, p->token);
    p_advance(p);
    item->path = parse_path(p, "the component whose causality is meant");
    Token word = p->token;
    item->name = p_expect_name(p, "integral, derivative, effort or flow");
    if (!p->failed && !is_causality_word(name_text(p->names, item->name))) {
        Remark *m = p_fail(p, P_CAUSALITY_WORD, word, "no causality is called '%s'",
                           name_text(p->names, item->name));
        p_help(p, m, "write integral, derivative, effort or flow");
    }
    return item;
}

// initial = "initial" (expr "=" expr | "steady" [path])
AstItem *parse_initial(Parser *p) {
    AstItem *item = p_new_item(p, ITEM_INITIAL, p->token);
    p_advance(p);
    bool steady = p_at_word(p, "steady");
    item->left = parse_expr(p);
    if (steady && item->left && item->left->kind == AST_NAME && !p_at(p, TOKEN_EQUALS)) {
        bool named = p_at(p, TOKEN_NAME) && !p->token.first;
        item->right = named ? NULL : item->left;
        if (named) item->left = parse_expr(p);
    } else {
        parse_right_side(p, item);
    }
    return item;
}

// stores = "stores" expr ["loses" expr]
static AstItem *parse_stores(Parser *p) {
    AstItem *item = p_new_item(p, ITEM_STORES, p->token);
    p_advance(p);
    item->left = parse_expr(p);
    if (p_accept_word(p, "loses")) item->right = parse_expr(p);
    return item;
}

// assert = "assert" expr [","] ["warning"] string
static AstItem *parse_assert(Parser *p) {
    AstItem *item = p_new_item(p, ITEM_ASSERT, p->token);
    p_advance(p);
    item->left = parse_expr(p);
    p_accept(p, TOKEN_COMMA);
    item->warns = p_accept_word(p, "warning");
    item->text = p_accept_string(p);
    if (!item->text && !p->failed) {
        Remark *m = p_fail_expected(p, "a text");
        p_help(p, m, "say what is wrong: assert p.e > 0 {Pa}, \"the oil cavitates\"");
    }
    return item;
}

static AstItem *parse_role(Parser *p, ItemKind kind) {
    AstItem *item = p_new_item(p, kind, p->token);
    p_advance(p);
    return item;
}

static void misplaced_in_model(Parser *p) {
    const char *word = token_text(p->token.kind);
    Remark *m = p_fail(p, P_MISPLACED, p->token, "'%s' belongs into an experiment", word);
    p_help(p, m, "write it between 'experiment Name of Model' and 'end'");
}

// --- statements that start with an expression ---------------------------------------------------

static const struct {
    const char *word, *instead;
} foreign_words[] = {
    {"elif", "elseif"},
    {"elsif", "elseif"},
    {"endif", "end"},
    {"endfor", "end"},
    {"parameter", "param"},
    {"parameters", "param"},
    {"constant", "const"},
    {"variable", "var"},
    {"variables", "var"},
    {"while", "for"},
    {"connect", "a -> b"},
    {"Real", "var x {m} initial 1, or param k = 2 {N/m}"},
    {"equation", "left = right, without a heading"},
    {"return", "an equation; return belongs into functions"},
};

static void unknown_statement(Parser *p, const AstExpr *e, Token start) {
    Remark *m = NULL;
    if (is_reinit(p, e)) {
        m = p_fail(p, P_WHEN_BODY, start, "'reinit' belongs into a 'when'");
        p_help(p, m, "write when condition then, reinit(x, value) on a line of its own, end");
    } else if (e->kind == AST_NUMBER && p_at(p, TOKEN_NAME)) {
        m = p_fail(p, P_EXPECTED, start, "a junction is declared with 0 or 1 before its name");
        p_help(p, m, "write 0 name for common effort, 1 name for common flow");
    } else if (p_is_path(e)) {
        m = p_fail_expected(p, "'=', '->' or a name");
        p_help(p, m, "a line is an equation a = b, a bond a -> b or a component Type name(...)");
    } else {
        m = p_fail_expected(p, "'='");
        p_help(p, m, "an equation has the form left = right");
    }
}

static bool foreign_word(Parser *p, const AstExpr *e, Token start) {
    if (e->kind != AST_NAME || p_at(p, TOKEN_EQUALS) || p_at(p, TOKEN_ARROW)) return false;
    const char *word = name_text(p->names, e->name);
    for (size_t i = 0; i < sizeof foreign_words / sizeof foreign_words[0]; i++) {
        if (strcmp(word, foreign_words[i].word) != 0) continue;
        Remark *m = p_fail(p, P_UNKNOWN_STATEMENT, start, "'%s' starts no statement", word);
        p_help(p, m, "write %s", foreign_words[i].instead);
        if (m && !strchr(foreign_words[i].instead, ' '))
            remark_fix(p->report, m, word, foreign_words[i].instead, NULL);
        return true;
    }
    return false;
}

// `a -> ...` or `a, ...`: the usual bond, known by its second token. One that starts with a longer
// path is found out later, and lies where all else lies.
static bool at_plain_bond(const Parser *p) {
    if (!p_at(p, TOKEN_NAME)) return false;
    Lexer ahead = p->lexer;
    ahead.quiet = true;
    TokenKind next = lexer_next(&ahead).kind;
    return next == TOKEN_ARROW || next == TOKEN_COMMA;
}

static void parse_other(Parser *p, ItemList *list) {
    Token start = p->token;
    bool digit = start.kind == TOKEN_NUMBER && start.end - start.at == 1 && start.number <= 1;
    AstExpr *e = parse_expr(p);
    if (p->failed || foreign_word(p, e, start)) return;
    bool junction = digit && e->kind == AST_NUMBER && e->pos.at == start.at;
    if (junction &&
        (p_at(p, TOKEN_NAME) || p_at(p, TOKEN_OPEN_SQUARE) || token_is_keyword(p->token.kind))) {
        parse_junctions(p, (int)start.number, list);
    } else if (p_is_path(e) && (p_at(p, TOKEN_NAME) || token_is_keyword(p->token.kind))) {
        AstItem type = {.path = e, .junction = -1, .dimension = p_take_dimension(p, e)};
        parse_components(p, &type, list);
    } else if (p_at(p, TOKEN_ARROW) || p_at(p, TOKEN_COMMA)) {
        parse_bond(p, e, list);
    } else if (p_at(p, TOKEN_EQUALS) || p_at(p, TOKEN_ASSIGN) || is_equality(e)) {
        AstItem *item = p_new_item(p, ITEM_EQUATION, start);
        item->left = e;
        parse_right_side(p, item);
        if (!p->failed) p_add_item(list, item);
    } else {
        unknown_statement(p, e, start);
    }
}

static void parse_single(Parser *p, AstItem *item, ItemList *list) {
    if (!p->failed) p_add_item(list, item);
}

// statement = declarations | components | bond | equation | for | if | when | modes | assert |
//             causality | initial | energy
void parse_model_statement(Parser *p, ItemList *list) {
    if (p->mechanism && parse_mechanism_statement(p, list)) return;
    switch (p->token.kind) {
    case TOKEN_PARAM: parse_declarations(p, ITEM_PARAM, list); break;
    case TOKEN_CONST: parse_declarations(p, ITEM_CONST, list); break;
    case TOKEN_PORT: parse_declarations(p, ITEM_PORT, list); break;
    case TOKEN_INPUT: parse_declarations(p, ITEM_INPUT, list); break;
    case TOKEN_OUTPUT: parse_declarations(p, ITEM_OUTPUT, list); break;
    case TOKEN_VAR: parse_declarations(p, ITEM_VAR, list); break;
    case TOKEN_FOR: parse_single(p, parse_for(p), list); break;
    case TOKEN_IF: parse_single(p, parse_if(p), list); break;
    case TOKEN_WHEN: parse_single(p, parse_when(p), list); break;
    case TOKEN_ASSERT: parse_single(p, parse_assert(p), list); break;
    case TOKEN_INITIAL: parse_single(p, parse_initial(p), list); break;
    case TOKEN_CAUSALITY: parse_single(p, parse_causality(p), list); break;
    case TOKEN_STORES: parse_single(p, parse_stores(p), list); break;
    case TOKEN_LOSSLESS: parse_single(p, parse_role(p, ITEM_LOSSLESS), list); break;
    case TOKEN_SUPPLIES: parse_single(p, parse_role(p, ITEM_SUPPLIES), list); break;
    case TOKEN_DISSIPATES: parse_single(p, parse_role(p, ITEM_DISSIPATES), list); break;
    case TOKEN_SET:
    case TOKEN_START:
    case TOKEN_STOP:
    case TOKEN_SOLVER:
    case TOKEN_PLOT:
    case TOKEN_RECORD:
    case TOKEN_EXPECT: misplaced_in_model(p); break;
    case TOKEN_ARROW: {
        Remark *m = p_fail(p, P_BOND_END, p->token, "nothing stands left of this '->'");
        p_help(p, m, "write where the bond comes from: a -> b");
        break;
    }
    default:
        if (at_modes(p)) {
            parse_single(p, parse_modes(p), list);
            break;
        }
        p->pile = at_plain_bond(p) ? &p->bonds : &p->main;
        parse_other(p, list);
        p->pile = &p->main;
    }
}
