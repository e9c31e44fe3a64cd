// Expressions written as text have the brackets that they need, and no others: text that is read and
// written again is the same text, and random expressions mean the same when they are read again.
#include "../test.h"

#include "lang/parser.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    Arena arena;
    Names *names;
    Sources *sources;
    Report report;
} Reading;

static const AstExpr *read_expression(Reading *r, const char *text) {
    *r = (Reading){.names = names_new(), .sources = sources_new()};
    uint32_t source = sources_add(r->sources, "e", text, strlen(text));
    const AstExpr *e = parse_expression_text(&r->arena, r->names, r->sources, source, &r->report);
    if (!e || r->report.errors) fail_msg("'%s' cannot be read", text);
    return e;
}

static void close_reading(Reading *r) {
    report_free(&r->report);
    sources_free(r->sources);
    names_free(r->names);
    arena_free(&r->arena);
}

// The value of an expression of a, b, c and numbers.
static double value_of(const Names *n, const AstExpr *e) {
    static const double known[] = {3, 5, 7};
    if (e->kind == AST_NUMBER) return e->number;
    if (e->kind == AST_NAME) return known[name_text(n, e->name)[0] - 'a'];
    double x = value_of(n, e->left);
    if (e->kind == AST_UNARY) return e->op == 'n' ? !x : e->op == '-' ? -x : x;
    double y = value_of(n, e->right);
    if (e->kind == AST_IF) return x != 0 ? y : value_of(n, e->other);
    switch (e->op) {
    case BIN_ADD: return x + y;
    case BIN_SUB: return x - y;
    case BIN_MUL: return x * y;
    case BIN_DIV: return x / y;
    case BIN_LT: return x < y;
    case BIN_AND: return x != 0 && y != 0;
    case BIN_OR: return x != 0 || y != 0;
    default: fail_msg("operator %d", e->op);
    }
    return 0;
}

static void check_same_text(const char *text) {
    Reading r;
    Text out = {0};
    const AstExpr *e = read_expression(&r, text);
    ast_print(&out, r.names, e);
    assert_string_equal(text_get(&out), text);
    text_free(&out);
    close_reading(&r);
}

static void brackets_stay_where_they_are_needed(void **state) {
    (void)state;
    static const char *const texts[] = {
        "a - (b - c)",   "a - b - c",
        "a/(b*c)",       "a/b*c",
        "(a + b)*c",     "(-a)^2",
        "(a^b)^c",       "a^(b + 1)",
        "-(a + b)",      "a*(if b then c else a)",
        "not (a and b)", "(a or b) and c",
        "(a + b)'*c",    "2 {m} + 3 {mm}",
        "(a < b) == c",  "f(a, b = 2) + x[1].y",
        "[1, 2; 3, 4]",  "x[1:end]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_same_text(texts[i]);
}

static unsigned drawn;

static unsigned draw(unsigned below) {
    drawn = drawn * 1664525u + 1013904223u;
    return (drawn >> 8) % below;
}

// Everything in brackets, so that the text means one thing whatever binds how.
static void draw_expression(Text *t, int depth, bool truth) {
    if (depth == 0) {
        text_printf(t, truth ? "(a < %u)" : draw(2) ? "%u" : "b", 1 + draw(9));
        return;
    }
    text_char(t, '(');
    unsigned kind = draw(truth ? 3 : 6);
    if (truth && kind == 2) {
        text_add(t, "not ");
        draw_expression(t, depth - 1, true);
    } else if (truth) {
        draw_expression(t, depth - 1, true);
        text_add(t, kind ? " and " : " or ");
        draw_expression(t, depth - 1, true);
    } else if (kind == 4) {
        text_add(t, "-");
        draw_expression(t, depth - 1, false);
    } else if (kind == 5) {
        text_add(t, "if ");
        draw_expression(t, depth - 1, true);
        text_add(t, " then ");
        draw_expression(t, depth - 1, false);
        text_add(t, " else ");
        draw_expression(t, depth - 1, false);
    } else {
        static const char *const signs[] = {" + ", " - ", "*", "/"};
        draw_expression(t, depth - 1, false);
        text_add(t, signs[kind]);
        draw_expression(t, depth - 1, false);
    }
    text_char(t, ')');
}

static void random_expressions_mean_the_same(void **state) {
    (void)state;
    Text text = {0}, again = {0};
    for (drawn = 1; drawn < 400; drawn++) {
        unsigned seed = drawn;
        Reading r, s;
        text_clear(&text);
        text_clear(&again);
        draw_expression(&text, 5, false);
        drawn = seed;
        const AstExpr *e = read_expression(&r, text_get(&text));
        ast_print(&again, r.names, e);
        const AstExpr *f = read_expression(&s, text_get(&again));
        double x = value_of(r.names, e), y = value_of(s.names, f);
        if (!(x == y || (x != x && y != y)))
            fail_msg("'%s' is written as '%s': %.17g, not %.17g", text_get(&text), text_get(&again),
                     y, x);
        close_reading(&r);
        close_reading(&s);
    }
    text_free(&text);
    text_free(&again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brackets_stay_where_they_are_needed),
        cmocka_unit_test(random_expressions_mean_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
