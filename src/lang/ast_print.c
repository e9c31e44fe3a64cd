// Expressions as text, close to what the user wrote: for labels, messages and for an order of
// equations that does not depend on where they stand.
#include "lang/ast.h"

static const char *const binary_text[] = {
    " + ", " - ", "*", "/", "^", " == ", " != ", " < ", " <= ", " > ", " >= ", " and ", " or "};

enum {           // how firmly operators bind, loosest first
    LEVEL_RANGE, // and if
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_RELATION,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_SIGN,
    LEVEL_POWER,
    LEVEL_TRANSPOSE,
    LEVEL_ATOM,
};

static const int binary_level[] = {LEVEL_SUM,      LEVEL_SUM,      LEVEL_PRODUCT,  LEVEL_PRODUCT,
                                   LEVEL_POWER,    LEVEL_RELATION, LEVEL_RELATION, LEVEL_RELATION,
                                   LEVEL_RELATION, LEVEL_RELATION, LEVEL_RELATION, LEVEL_AND,
                                   LEVEL_OR};

static int level_of(const AstExpr *e) {
    switch (e->kind) {
    case AST_BINARY: return binary_level[e->op];
    case AST_UNARY: return e->op == '\'' ? LEVEL_TRANSPOSE : e->op == 'n' ? LEVEL_NOT : LEVEL_SIGN;
    case AST_IF:
    case AST_RANGE: return LEVEL_RANGE;
    case AST_NUMBER: return e->number < 0 ? LEVEL_SIGN : LEVEL_ATOM;
    default: return LEVEL_ATOM;
    }
}

// a - b - c is (a - b) - c; powers and relations do not go on like that.
static bool joins_left(uint8_t op) { return op != BIN_POW && binary_level[op] != LEVEL_RELATION; }

static void print_level(Text *out, const Names *n, const AstExpr *e, int level) {
    bool bracket = level_of(e) < level;
    if (bracket) text_char(out, '(');
    ast_print(out, n, e);
    if (bracket) text_char(out, ')');
}

static void print_args(Text *out, const Names *n, const AstExpr *e, int columns) {
    for (int i = 0; i < e->arg_count; i++) {
        if (i) text_add(out, columns && i % columns == 0 ? "; " : ", ");
        if (e->args[i].name) text_printf(out, "%s = ", name_text(n, e->args[i].name));
        ast_print(out, n, e->args[i].value);
    }
}

static void print_subscripts(Text *out, const Names *n, const AstExpr *e) {
    if (!e->arg_count) return;
    text_char(out, '[');
    print_args(out, n, e, 0);
    text_char(out, ']');
}

static void print_unary(Text *out, const Names *n, const AstExpr *e) {
    if (e->op == '\'') {
        print_level(out, n, e->left, LEVEL_TRANSPOSE);
        text_char(out, '\'');
    } else {
        text_add(out, e->op == 'n' ? "not " : e->op == '-' ? "-" : "+");
        print_level(out, n, e->left, LEVEL_SIGN);
    }
}

static void print_if(Text *out, const Names *n, const AstExpr *e) {
    text_add(out, "if ");
    ast_print(out, n, e->left);
    text_add(out, " then ");
    ast_print(out, n, e->right);
    text_add(out, " else ");
    ast_print(out, n, e->other);
}

void ast_print(Text *out, const Names *n, const AstExpr *e) {
    if (!e) return;
    switch (e->kind) {
    case AST_NUMBER: text_number(out, e->number); break;
    case AST_NAME:
        text_add(out, name_text(n, e->name));
        print_subscripts(out, n, e);
        break;
    case AST_MEMBER:
        ast_print(out, n, e->left);
        text_printf(out, ".%s", name_text(n, e->name));
        print_subscripts(out, n, e);
        break;
    case AST_CALL:
        ast_print(out, n, e->left);
        text_char(out, '(');
        print_args(out, n, e, 0);
        text_char(out, ')');
        break;
    case AST_UNARY: print_unary(out, n, e); break;
    case AST_BINARY:
        print_level(out, n, e->left, level_of(e) + !joins_left(e->op));
        text_add(out, binary_text[e->op]);
        print_level(out, n, e->right, level_of(e) + 1);
        break;
    case AST_IF: print_if(out, n, e); break;
    case AST_VECTOR:
        text_char(out, '(');
        print_args(out, n, e, 0);
        text_char(out, ')');
        break;
    case AST_MATRIX:
        text_char(out, '[');
        print_args(out, n, e, e->columns);
        text_char(out, ']');
        break;
    case AST_RANGE:
        ast_print(out, n, e->left);
        text_char(out, ':');
        ast_print(out, n, e->right);
        break;
    case AST_WITH_UNIT:
        print_level(out, n, e->left, LEVEL_SIGN);
        text_printf(out, " {%s}", name_text(n, e->unit_text));
        break;
    case AST_TIME: text_add(out, "time"); break;
    case AST_END: text_add(out, "end"); break;
    case AST_STRING: text_printf(out, "\"%s\"", name_text(n, e->name)); break;
    }
}

Pos ast_start(const AstExpr *e) {
    Pos first = e->pos;
    for (; e; e = e->kind == AST_NUMBER || e->kind == AST_NAME ? NULL : e->left)
        if (e->pos.file == first.file && e->pos.at < first.at) first = e->pos;
    return first;
}
