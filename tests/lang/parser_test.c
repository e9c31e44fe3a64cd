#include "../test.h"

#include "base/report.h"
#include "lang/parser.h"
#include <stdlib.h>
#include <string.h>

// One reading of a text, with everything that it needs.
typedef struct {
    Arena arena;
    Names *names;
    Sources *sources;
    Report report;
    AstFile *file;
    Text printed; // the report, or whatever a test prints
} Reading;

static Reading read_bytes(const char *text, size_t length) {
    Reading r = {.names = names_new(), .sources = sources_new()};
    uint32_t source = sources_add(r.sources, "m.bond", text, length);
    r.file = parse_file(&r.arena, r.names, r.sources, source, &r.report);
    report_print(&r.printed, &r.report, r.sources);
    return r;
}

static Reading read_text(const char *text) { return read_bytes(text, strlen(text)); }

static void close_reading(Reading *r) {
    text_free(&r->printed);
    report_free(&r->report);
    sources_free(r->sources);
    names_free(r->names);
    arena_free(&r->arena);
}

static const char *text_of(const Reading *r, Name name) { return name_text(r->names, name); }

static void assert_clean(const Reading *r) {
    if (r->report.errors || r->report.warnings) fail_msg("%s", text_get(&r->printed));
}

// --- trees as text ------------------------------------------------------------------------------

static void show(Text *t, const Reading *r, const AstExpr *e);

static void show_args(Text *t, const Reading *r, const AstExpr *e, char open, char close) {
    text_char(t, open);
    for (int i = 0; i < e->arg_count; i++) {
        if (i) text_char(t, e->kind == AST_MATRIX && i % e->columns == 0 ? ';' : ',');
        if (e->args[i].name) text_printf(t, "%s=", text_of(r, e->args[i].name));
        show(t, r, e->args[i].value);
    }
    text_char(t, close);
}

static const char *const signs[] = {
    "+", "-", "*", "/", "^", "==", "!=", "<", "<=", ">", ">=", "and", "or"};

static void show_inner(Text *t, const Reading *r, const AstExpr *e) {
    if (e->kind == AST_UNARY) {
        text_printf(t, "(%c ", e->op);
        show(t, r, e->left);
        text_char(t, ')');
    } else if (e->kind == AST_BINARY) {
        text_char(t, '(');
        show(t, r, e->left);
        text_printf(t, " %s ", signs[e->op]);
        show(t, r, e->right);
        text_char(t, ')');
    } else {
        text_add(t, "(if ");
        show(t, r, e->left);
        text_add(t, " then ");
        show(t, r, e->right);
        text_add(t, " else ");
        show(t, r, e->other);
        text_char(t, ')');
    }
}

static void show(Text *t, const Reading *r, const AstExpr *e) {
    if (!e) return;
    switch (e->kind) {
    case AST_NUMBER: text_printf(t, "%g", e->number); break;
    case AST_NAME:
    case AST_MEMBER:
        show(t, r, e->left);
        text_printf(t, "%s%s", e->kind == AST_MEMBER ? "." : "", text_of(r, e->name));
        if (e->arg_count) show_args(t, r, e, '[', ']');
        break;
    case AST_CALL:
        show(t, r, e->left);
        show_args(t, r, e, '(', ')');
        break;
    case AST_VECTOR: show_args(t, r, e, '<', '>'); break;
    case AST_MATRIX: show_args(t, r, e, '[', ']'); break;
    case AST_RANGE:
        show(t, r, e->left);
        text_char(t, ':');
        show(t, r, e->right);
        break;
    case AST_WITH_UNIT:
        show(t, r, e->left);
        text_printf(t, "{%s}", text_of(r, e->unit_text));
        break;
    case AST_TIME: text_add(t, "time"); break;
    case AST_END: text_add(t, "end"); break;
    case AST_STRING: text_printf(t, "\"%s\"", text_of(r, e->name)); break;
    default: show_inner(t, r, e);
    }
}

static void assert_shows(Reading *r, const AstExpr *e, const char *expected) {
    text_clear(&r->printed);
    show(&r->printed, r, e);
    assert_string_equal(text_get(&r->printed), expected);
}

static void assert_expression(const char *text, const char *expected) {
    Reading r = {.names = names_new(), .sources = sources_new()};
    uint32_t source = sources_add(r.sources, "e", text, strlen(text));
    AstExpr *e = parse_expression_text(&r.arena, r.names, r.sources, source, &r.report);
    report_print(&r.printed, &r.report, r.sources);
    if (!e) fail_msg("%s: %s", text, text_get(&r.printed));
    assert_shows(&r, e, expected);
    close_reading(&r);
}

// --- expressions --------------------------------------------------------------------------------

static void operators_bind_as_in_mathematics(void **state) {
    (void)state;
    assert_expression("a + b*c^d", "(a + (b * (c ^ d)))");
    assert_expression("a - b - c", "((a - b) - c)");
    assert_expression("a/b/c", "((a / b) / c)");
    assert_expression("a^b^c", "(a ^ (b ^ c))");
    assert_expression("-a^2", "(- (a ^ 2))");
    assert_expression("2^-1", "(2 ^ (- 1))");
    assert_expression("-a*b", "((- a) * b)");
    assert_expression("a*-b", "(a * (- b))");
    assert_expression("not a < b and c or d", "(((n (a < b)) and c) or d)");
    assert_expression("a + 1 <= b*2", "((a + 1) <= (b * 2))");
    assert_expression("if a < 1 then b else c + 1", "(if (a < 1) then b else (c + 1))");
    assert_expression("if a then 1 elseif b then 2 else 3",
                      "(if a then 1 else (if b then 2 else 3))");
    assert_expression("(a + b)*c", "((a + b) * c)");
    assert_expression("K'*x", "((' K) * x)");
    assert_expression("true", "1");
}

static void values_have_units(void **state) {
    (void)state;
    assert_expression("10 {N}*x", "(10{N} * x)");
    assert_expression("-10 {N}", "(- 10{N})");
    assert_expression("-5 {degC}", "(- 5){degC}");
    assert_expression("3 - 5 {degC}", "(3 - 5{degC})");
    assert_expression("(1, 2, 3) {m}", "<1,2,3>{m}");
    assert_expression("(a + 1) {m/s2}", "(a + 1){m/s2}");
    assert_expression("0.1*cos(w) {m}", "(0.1 * cos(w){m})");
    assert_expression("[1, 2; 3, 4] { kg . m2 }", "[1,2;3,4]{kg . m2}");
}

static void paths_calls_and_parts(void **state) {
    (void)state;
    assert_expression("motor.shaft[2].e", "motor.shaft[2].e");
    assert_expression("K[i, j + 1]", "K[i,(j + 1)]");
    assert_expression("x[2:4]", "x[2:4]");
    assert_expression("x[:]", "x[:]");
    assert_expression("K[:,2]", "K[:,2]");
    assert_expression("x[2:]", "x[2:]");
    assert_expression("spring.q(end)", "spring.q(end)");
    assert_expression("sin(2*pi*f*time)", "sin((((2 * pi) * f) * time))");
    assert_expression("der(x)", "der(x)");
    assert_expression("f()", "f()");
    assert_expression("sum(1:3)", "sum(1:3)");
    assert_expression("electric.f(a, b = 2)", "electric.f(a,b=2)");
    assert_expression("1.5e-3", "0.0015");
    assert_expression(".5", "0.5");
    assert_expression("a*.5 - .25e1", "((a * 0.5) - 2.5)");
}

static void lines_go_on_where_something_is_open(void **state) {
    (void)state;
    assert_expression("a +\n  b", "(a + b)");
    assert_expression("f(a,\n\n  b // comment\n)", "f(a,b)");
    assert_expression("[1, 2;\n 3, 4]", "[1,2;3,4]");
    assert_expression("if a then\n  b else\n c", "(if a then b else c)");
}

// --- statements ---------------------------------------------------------------------------------

static AstItem *only_item(Reading *r, const char *statement) {
    Text text = {0};
    text_printf(&text, "model M\n%s\nend\n", statement);
    *r = read_text(text_get(&text));
    text_free(&text);
    assert_clean(r);
    return r->file->classes->items;
}

static void declarations(void **state) {
    (void)state;
    Reading r;
    AstItem *i = only_item(&r, "param m = 1 {kg} \"mass\", k {N/m}, z[2,3] {m} = 5");
    assert_int_equal(i->kind, ITEM_PARAM);
    assert_string_equal(text_of(&r, i->name), "m");
    assert_string_equal(text_of(&r, i->text), "mass");
    assert_false(i->has_unit);
    assert_int_equal(i->left->kind, AST_WITH_UNIT);
    i = i->next;
    assert_true(i->has_unit);
    assert_string_equal(text_of(&r, i->unit_text), "N/m");
    assert_null(i->left);
    i = i->next;
    assert_int_equal(i->size_count, 2);
    assert_true(i->size[1]->number == 3);
    assert_null(i->next);
    close_reading(&r);

    i = only_item(&r,
                  "var x {m} initial 0.1 {m}, h\ninput u {V}, v = 0\noutput y {A}\nconst n = 3");
    assert_int_equal(i->kind, ITEM_VAR);
    assert_shows(&r, i->left, "0.1{m}");
    i = i->next->next;
    assert_int_equal(i->kind, ITEM_INPUT);
    assert_null(i->left);
    i = i->next;
    assert_true(i->left->number == 0);
    i = i->next;
    assert_int_equal(i->kind, ITEM_OUTPUT);
    assert_int_equal(i->next->kind, ITEM_CONST);
    close_reading(&r);
}

static void ports(void **state) {
    (void)state;
    Reading r;
    AstItem *i = only_item(&r, "port a: hydraulic, shaft: rotation out \"to the gear\"\n"
                               "port w: translation[3]\nport leg[4]: any");
    assert_int_equal(i->kind, ITEM_PORT);
    assert_shows(&r, i->path, "hydraulic");
    assert_false(i->out);
    i = i->next;
    assert_true(i->out);
    assert_string_equal(text_of(&r, i->text), "to the gear");
    i = i->next;
    assert_shows(&r, i->path, "translation");
    assert_true(i->dimension->number == 3);
    assert_int_equal(i->next->size_count, 1);
    close_reading(&r);
}

static void components(void **state) {
    (void)state;
    Reading r;
    AstItem *i = only_item(&r, "R a(1), b[3](R = 2 {ohm}) \"two\"\nSe drive = 10 {N}*time\n"
                               "I[3] body(J)\nelectric.Resistor r\n"
                               "R valve: e = k*f*abs(f), f = 2*e\nI rotor(p0 = 1) \"x\": f = p/J");
    assert_int_equal(i->kind, ITEM_COMPONENT);
    assert_int_equal(i->junction, -1);
    assert_shows(&r, i->path, "R");
    assert_int_equal(i->arg_count, 1);
    i = i->next;
    assert_int_equal(i->size_count, 1);
    assert_string_equal(text_of(&r, i->args[0].name), "R");
    assert_string_equal(text_of(&r, i->text), "two");
    i = i->next;
    assert_shows(&r, i->left, "(10{N} * time)");
    i = i->next;
    assert_shows(&r, i->path, "I");
    assert_true(i->dimension->number == 3);
    i = i->next;
    assert_shows(&r, i->path, "electric.Resistor");
    i = i->next;
    assert_shows(&r, i->laws->left, "e");
    assert_shows(&r, i->laws->next->right, "(2 * e)");
    assert_null(i->laws->next->next);
    i = i->next;
    assert_shows(&r, i->laws->right, "(p / J)");
    assert_null(i->next);
    close_reading(&r);
}

static void junctions(void **state) {
    (void)state;
    Reading r;
    AstItem *i = only_item(&r, "1 v\n0 n1, n2\n1[3] w\n0 node[5]\n1[n] q[4]");
    assert_int_equal(i->junction, 1);
    assert_null(i->path);
    i = i->next->next;
    assert_int_equal(i->junction, 0);
    assert_string_equal(text_of(&r, i->name), "n2");
    i = i->next;
    assert_true(i->dimension->number == 3);
    i = i->next;
    assert_int_equal(i->size_count, 1);
    i = i->next;
    assert_shows(&r, i->dimension, "n");
    assert_true(i->size[0]->number == 4);
    close_reading(&r);
}

static void bonds(void **state) {
    (void)state;
    Reading r;
    AstItem *i = only_item(&r, "a -> b, c\na, b.p1 -> c\na -> tf -> b\nw[2] -> r\n"
                               "arm.tip[1:3] ->\n  hook");
    assert_int_equal(i->kind, ITEM_BOND);
    assert_int_equal(i->tail_count, 1);
    assert_int_equal(i->expr_count, 3);
    i = i->next;
    assert_int_equal(i->tail_count, 2);
    assert_shows(&r, i->exprs[1], "b.p1");
    i = i->next;
    assert_ptr_equal(i->exprs[1], i->next->exprs[0]); // tf: entered, then left
    assert_int_equal(i->next->expr_count, 2);
    i = i->next->next->next;
    assert_shows(&r, i->exprs[0], "arm.tip[1:3]");
    close_reading(&r);
}

static void equations_and_energy(void **state) {
    (void)state;
    Reading r;
    AstItem *i = only_item(&r, "der(x) = v.f\n2*a + b = 0\n(a, b) = f(c)\ninitial x = 3\n"
                               "causality load.m derivative\nstores 0.5*k*x^2\nlossless\nsupplies\n"
                               "dissipates\n-x = y\n0 = a\n1*b = c");
    ItemKind kinds[] = {ITEM_EQUATION,   ITEM_EQUATION, ITEM_EQUATION, ITEM_INITIAL,
                        ITEM_CAUSALITY,  ITEM_STORES,   ITEM_LOSSLESS, ITEM_SUPPLIES,
                        ITEM_DISSIPATES, ITEM_EQUATION, ITEM_EQUATION, ITEM_EQUATION};
    AstItem *first = i;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++, i = i->next)
        assert_int_equal(i->kind, kinds[k]);
    assert_null(i);
    assert_shows(&r, first->next->left, "((2 * a) + b)");
    AstItem *causality = first->next->next->next->next;
    assert_shows(&r, causality->path, "load.m");
    assert_string_equal(text_of(&r, causality->name), "derivative");
    close_reading(&r);
}

static void loops_and_conditions(void **state) {
    (void)state;
    Reading r;
    AstItem *i = only_item(&r, "for i in 1:n\n  for j in 1:2\n    R r[i,j](1)\n  end\nend\n"
                               "if n > 2\n  R a(1)\nelseif n == 1\n  R b(2)\nelse\n  R c(3)\nend");
    assert_int_equal(i->kind, ITEM_FOR);
    assert_shows(&r, i->left, "1:n");
    assert_int_equal(i->body->kind, ITEM_FOR);
    assert_int_equal(i->body->body->size_count, 2);
    i = i->next;
    assert_int_equal(i->kind, ITEM_IF);
    assert_shows(&r, i->left, "(n > 2)");
    assert_int_equal(i->otherwise->kind, ITEM_IF);
    assert_shows(&r, i->otherwise->left, "(n == 1)");
    assert_string_equal(text_of(&r, i->otherwise->otherwise->name), "c");
    assert_null(i->next);
    close_reading(&r);
}

// --- definitions and experiments ----------------------------------------------------------------

static void definitions(void **state) {
    (void)state;
    Reading r =
        read_text("import electric\nimport \"valve.bond\"\nconst g = 9.81 {m/s2}, h {m} = 2\n"
                  "function sq(x) = x*abs(x)\n"
                  "function polar(r {m}, phi {rad})\n  x = r*cos(phi)\n  return (x, 2)\nend\n"
                  "table curve(q {m3/s}) {Pa} linear \"flow\"\n  0 , 2e5\n  1e-3 , -1\nend\n"
                  "domain magnetic \"text\" effort {A} flow {V}\n"
                  "model M \"d\" extends Base(m = 2 {kg})\nend\nelement E\nend\n");
    assert_clean(&r);
    AstClass *c = r.file->classes;
    assert_false(c->quoted);
    c = c->next;
    assert_true(c->quoted);
    assert_string_equal(text_of(&r, c->name), "valve.bond");
    c = c->next;
    assert_int_equal(c->kind, CLASS_CONST);
    c = c->next;
    assert_true(c->has_unit);
    c = c->next;
    assert_int_equal(c->formal_count, 1);
    assert_shows(&r, c->value, "(x * abs(x))");
    c = c->next;
    assert_true(c->formals[1].has_unit);
    assert_shows(&r, c->items->right, "(r * cos(phi))");
    assert_shows(&r, c->value, "<x,2>");
    c = c->next;
    assert_int_equal(c->number_count, 4);
    assert_false(c->smooth);
    assert_shows(&r, c->numbers[3], "(- 1)");
    c = c->next;
    assert_string_equal(text_of(&r, c->flow_unit_text), "V");
    c = c->next;
    assert_shows(&r, c->base, "Base");
    assert_int_equal(c->arg_count, 1);
    assert_int_equal(c->next->kind, CLASS_ELEMENT);
    assert_string_equal(text_of(&r, r.file->stem), "m");
    close_reading(&r);
}

static void experiments(void **state) {
    (void)state;
    Reading r =
        read_text("experiment Step of lib.M \"answer\"\n  set m = 2 {kg}, a.k[2] = 50\n"
                  "  start 0 {s}\n  stop 5 {s}\n  points 1000\n  every 0.01 {s}\n"
                  "  solver cvode rtol 1e-8 atol 1e-10\n  plot \"title\" v.f, 2*spring.e\n"
                  "  plot spring.e vs spring.q\n  record *\n  record arm.*.e, K[1,2], der(x)\n"
                  "  expect spring.q(end) = 0.1 {m} within 1e-6\n"
                  "  expect v.f(0.5 {s}) = 0.3 {m/s} within 1e-3 relative\n"
                  "  expect max(spring.q) < 0.2 {m}\n"
                  "  expect partial(der(mass.p), spring.q) = -100 {N/m} within 1e-12\n"
                  "  audit 1e-6\n  audit off\nend\n");
    assert_clean(&r);
    assert_shows(&r, r.file->classes->base, "lib.M");
    AstItem *i = r.file->classes->items;
    assert_int_equal(i->kind, ITEM_SET);
    i = i->next;
    assert_shows(&r, i->left, "a.k[2]");
    ItemKind amounts[] = {ITEM_START, ITEM_STOP, ITEM_POINTS, ITEM_EVERY};
    for (int k = 0; k < 4; k++) assert_int_equal((i = i->next)->kind, amounts[k]);
    i = i->next;
    assert_int_equal(i->arg_count, 2);
    assert_string_equal(text_of(&r, i->args[1].name), "atol");
    i = i->next;
    assert_string_equal(text_of(&r, i->text), "title");
    assert_int_equal(i->expr_count, 2);
    i = i->next;
    assert_shows(&r, i->right, "spring.q");
    i = i->next->next;
    assert_int_equal(i->expr_count, 3);
    assert_shows(&r, i->exprs[0], "\"arm.*.e\"");
    assert_shows(&r, i->exprs[1], "\"K[1,2]\"");
    i = i->next;
    assert_shows(&r, i->left, "spring.q(end)");
    assert_int_equal(i->relation, BIN_EQ);
    assert_false(i->relative);
    i = i->next;
    assert_true(i->relative);
    i = i->next;
    assert_int_equal(i->relation, BIN_LT);
    i = i->next->next;
    assert_shows(&r, i->left, "1e-06");
    assert_null(i->next->left);
    close_reading(&r);
}

static void settings_from_the_command_line(void **state) {
    (void)state;
    Reading r = {.names = names_new(), .sources = sources_new()};
    const char *good = "m = 2 {kg}, arm.k[2] = 1/3", *bad = "m 2";
    uint32_t s = sources_add(r.sources, "--set", good, strlen(good));
    AstItem *i = parse_setting_text(&r.arena, r.names, r.sources, s, &r.report);
    assert_non_null(i);
    assert_shows(&r, i->next->right, "(1 / 3)");
    s = sources_add(r.sources, "--set", bad, strlen(bad));
    assert_null(parse_setting_text(&r.arena, r.names, r.sources, s, &r.report));
    assert_int_equal(r.report.errors, 1);
    close_reading(&r);
}

// --- mistakes -----------------------------------------------------------------------------------

// Each line of `lines` stands in a model; the messages have to contain `expected` in this order.
static void assert_messages(const char *lines, const char *const *expected) {
    Text text = {0};
    text_printf(&text, "model M\n%s\nend\n", lines);
    Reading r = read_text(text_get(&text));
    const char *from = text_get(&r.printed);
    for (; *expected; expected++) {
        const char *found = strstr(from, *expected);
        if (!found) fail_msg("no '%s' in\n%s", *expected, text_get(&r.printed));
        from = found + strlen(*expected);
    }
    text_free(&text);
    close_reading(&r);
}

static void messages_name_the_slip_and_the_way_out(void **state) {
    (void)state;
    static const char *const slips[][5] = {
        {"x := 3", "P018", "help: it holds in both directions"},
        {"x == 3", "m.bond:2:3: error P018", "help"},
        {"z = a**2", "P019: '**'", "help: write ^"},
        {"z = 3;", "P017", "help: remove the semicolon"},
        {"R d 2", "P011: expected the end of the line, saw the number 2", "arguments stand in"},
        {"R d(2 {m}\n1 v", "m.bond:3:1: error P015: expected ')', saw the number 1", "m.bond:2:4"},
        {"a ->\nparam x = 1", "m.bond:2:3: error P023", "help: write what the bond leads to"},
        {"-> a", "P023", "left of"},
        {"param stop = 3", "P012", "'stop' is a keyword", "help: choose another name"},
        {"x = 2y", "P008", "2*x"},
        {"x = . 5", "P011", "help: write .5"},
        {"x = 1e999", "P006", "help"},
        {"x = 1e-320", "warning P007", "help"},
        {"x = 5 {bars}", "m.bond:2:8: error U001: unknown unit 'bars'", "did you mean {bar}?"},
        {"x = 5 {m s}", "U002", "write products with ."},
        {"x = 5 {m\ny = 3", "m.bond:2:7: error P005", "help"},
        {"x = \"abc", "P004", "help"},
        {"F = k {N}", "P021", "unit of its declaration"},
        {"A = [1, 2; 3]", "P025: this row has 1 entry, the first one has 2", "help"},
        {"b = 0 < n < 5", "P024", "help: join them with and"},
        {"u = x \xe2\x88\x92 3", "P003", "help: write -"},
        {"u = 3 # hello", "P019", "//"},
        {"u = /* hi */ 3", "P019", "//"},
        {"elif a", "P020", "help: write elseif"},
        {"if a\nelse if b\nend", "m.bond:3:6: error P020", "elseif"},
        {"if a then\nend", "P011", "'then' belongs into expressions"},
        {"for i = 1:3\nend", "expected 'in', saw '='", "for i in 1:n"},
        {"else\nx = 1", "m.bond:2:1: error P014: 'else' without an 'if'", "help"},
        {"2*a -> b", "P022", "help"},
        {"2 v", "P011: a junction is declared with 0 or 1", "help"},
        {"var x = 3", "P032", "initial"},
        {"port a, b: electric", "P026: port 'a' has no domain", "help"},
        {"causality m differential", "P027", "help: write integral"},
        {"plot x", "P030: 'plot' belongs into an experiment", "help"},
        {"u = if a then 3", "expected 'else', saw the end of the line", "help"},
        {"a b c", "m.bond:2:5: error P011: expected the end of the line, saw 'c'", "help"},
        {"der x = 3", "der(x)", ""},
    };
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++)
        assert_messages(slips[i][0], slips[i] + 1);
}

static void one_message_in_full(void **state) {
    (void)state;
    Reading r = read_text("model M\n  for i in 1:3\n    R r[i](2)\n  x = 3\nend\n"
                          "experiment E of M\nend\n");
    assert_string_equal(
        text_get(&r.printed),
        "m.bond:6:1: error P013: the 'end' of model 'M' is missing: saw the keyword 'experiment'\n"
        "     6 | experiment E of M\n"
        "       | ^^^^^^^^^^\n"
        "m.bond:1:1: note: model 'M' begins here\n"
        "     1 | model M\n"
        "       | ^^^^^\n"
        "m.bond:2:3: note: this 'for' is closed by an 'end' that stands further left; is its own "
        "missing?\n"
        "     2 |   for i in 1:3\n"
        "       |   ^^^\n"
        "  help: close it with a line 'end'\n");
    assert_int_equal(r.file->classes->next->kind, CLASS_EXPERIMENT);
    close_reading(&r);
}

static void several_mistakes_are_found_in_one_reading(void **state) {
    (void)state;
    Reading r = read_text("model A\n  R r(1\n  x = = 3\n  y = 2\n  R q((1)\n  param k = 3\nend\n"
                          "model B\n  a -> -> b\n  y = 4\nend\nend\nR stray(1)\nR other(2)\n"
                          "model C\n  z = ]\nend\n");
    // r(1: closed by nothing up to '=='; q((1): up to param; the bond; the end; the strays; the ]
    assert_int_equal(r.report.errors, 6);
    AstClass *b = r.file->classes->next, *c = b->next;
    assert_string_equal(text_of(&r, b->items->left->name), "y");
    assert_string_equal(text_of(&r, c->name), "C");
    close_reading(&r);
}

static void at_most_fifty_mistakes_are_told(void **state) {
    (void)state;
    Text text = {0};
    text_add(&text, "model M\n");
    for (int i = 0; i < 200; i++) text_add(&text, "x = )\n");
    text_add(&text, "end\n");
    Reading r = read_text(text_get(&text));
    assert_int_equal(r.report.errors, 50);
    text_free(&text);
    close_reading(&r);
}

static void mistakes_at_the_top(void **state) {
    (void)state;
    static const struct {
        const char *text, *code;
    } cases[] = {
        {"", "P010"},
        {"// nothing\n\n", "P010"},
        {"R r(1)\n", "P030"},
        {"model M\nend\nend\n", "P014"},
        {"model M\n", "P013"},
        {"model 3\nend\n", "P011"},
        {"function f(x)\n  y = x\nend\n", "P028"},
        {"function f(x)\n  return x\n  y = 2\nend\n", "P028"},
        {"function f(x)\n  param y = x\n  return 1\nend\n", "P028"},
        {"table t(a, b) linear\n 1, 2\nend\n", "P029"},
        {"table t(a)\n 1, 2\nend\n", "P029"},
        {"table t(a) linear\nend\n", "P029"},
        {"table t(a) linear\n1, 2, 3\nend\n", "P029"},
        {"table t(a) linear\n1\nend\n", "P011"},
        {"const g\n", "P011"},
        {"import 3\n", "P011"},
        {"domain d effort {V}\n", "P011"},
        {"experiment E\nend\n", "P011"},
        {"experiment E of M\n param x = 1\nend\n", "P030"},
        {"experiment E of M\n stopp 1\nend\n", "P020"},
        {"experiment E of M\n expect x = 1\nend\n", "P011"},
        {"model M\n x = end\nend\n", "P012"},
        {"model M\n  model N\n    R r(1)\n  end\n  x = 1\nend\n", "P030"},
        {"model M\n  import electric\n  x = 1\nend\n", "P030"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Reading r = read_text(cases[i].text);
        if (r.report.errors != 1 || !strstr(text_get(&r.printed), cases[i].code))
            fail_msg("%s: expected one %s, saw\n%s", cases[i].text, cases[i].code,
                     text_get(&r.printed));
        close_reading(&r);
    }
}

// --- hostile texts ------------------------------------------------------------------------------

static void assert_first_code(const char *text, size_t length, Code code) {
    Reading r = read_bytes(text, length);
    assert_int_equal(r.report.errors, 1);
    assert_int_equal(r.report.first->code, code);
    close_reading(&r);
}

static void bytes_that_are_no_text(void **state) {
    (void)state;
    assert_first_code("model M\0\0\nend\n", 14, P_NOT_TEXT);
    assert_first_code("\x7f"
                      "ELF\1\2\3",
                      7, P_NOT_TEXT);
    assert_first_code("model M \"gr\xf6\"\nend\n", 18, P_NOT_UTF8);
    Reading r = read_text("\xef\xbb\xbfmodel M \"\xc3\xa4\"\r\n\tx = 1 // \xe2\x82\xac\r\nend\r\n");
    assert_clean(&r);
    assert_non_null(r.file->classes->items);
    close_reading(&r);
    r = read_text("model M\rx = 1\rend\r");
    assert_clean(&r);
    close_reading(&r);
}

static char *repeated(const char *before, const char *part, int times, const char *after) {
    Text t = {0};
    text_add(&t, before);
    for (int i = 0; i < times; i++) text_add(&t, part);
    text_add(&t, after);
    return t.data;
}

static void depth_is_bounded(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"model M\nx = ", "(", "1\ny = 3\nend\n"},
        {"model M\nx = ", "-", "1\ny = 3\nend\n"},
        {"model M\nx = ", "not ", "1\ny = 3\nend\n"},
        {"model M\nx = ", "a^", "1\ny = 3\nend\n"},
        {"model M\nx = ", "a+", "1\ny = 3\nend\n"},
        {"model M\nx = a", "'", "\ny = 3\nend\n"},
        {"model M\nx = a", ".b", "\ny = 3\nend\n"},
        {"model M\nx = ", "f(", "\nend\n"},
        {"model M\nx = ", "a[", "\nend\n"},
        {"model M\nx = ", "if a then ", "\nend\n"},
        {"model M\n", "if a\n", "end\n"},
        {"model M\nif a\n", "elseif b\n", "end\nend\n"},
        {"model M\n", "for i in 1:2\n", "end\n"},
        {"model M\nx = ", "[", "1\nend\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = repeated(cases[i][0], cases[i][1], 20000, cases[i][2]);
        Reading r = read_text(text);
        bool told = strstr(text_get(&r.printed), "P016") != NULL;
        if (!told) fail_msg("%s: %.500s", cases[i][1], text_get(&r.printed));
        assert_true(r.report.errors <= 3);
        close_reading(&r);
        free(text);
    }
}

static void every_beginning_of_a_text_is_survived(void **state) {
    (void)state;
    const char *text =
        "import electric\nfunction f(x {m}) = x^2 {m}\ntable t(q) {Pa} linear\n1,2\n"
        "end\nmodel M \"d\" extends B(m = 2)\n param m = 1 {kg}\n port a: any[3] out\n"
        " 1[3] w[2]\n R v: e = k*f*abs(f), f = 2\n a, b -> c -> d\n for i in 1:n\n"
        "  if i > 2\n   x[i] = [1, 2; 3, 4]'\n  else\n  end\n end\nend\n"
        "experiment E of M\n solver rk4 step 1 {s}\n record a.*\n"
        " expect x(end) = 1 within 2 relative\nend\n";
    for (size_t n = 0; n <= strlen(text); n++) {
        Reading r = read_bytes(text, n);
        close_reading(&r);
    }
}

static void long_names_and_lines(void **state) {
    (void)state;
    char *text = repeated("model ", "a", 100000, "\nend\n");
    assert_first_code(text, strlen(text), P_NAME_TOO_LONG);
    free(text);
    text = repeated("model M\nx = (", "a*b + 1.5, ", 100000, "1)\nend\n");
    Reading r = read_text(text);
    assert_clean(&r);
    assert_int_equal(r.file->classes->items->right->arg_count, 100001);
    close_reading(&r);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_in_mathematics),
        cmocka_unit_test(values_have_units),
        cmocka_unit_test(paths_calls_and_parts),
        cmocka_unit_test(lines_go_on_where_something_is_open),
        cmocka_unit_test(declarations),
        cmocka_unit_test(ports),
        cmocka_unit_test(components),
        cmocka_unit_test(junctions),
        cmocka_unit_test(bonds),
        cmocka_unit_test(equations_and_energy),
        cmocka_unit_test(loops_and_conditions),
        cmocka_unit_test(definitions),
        cmocka_unit_test(experiments),
        cmocka_unit_test(settings_from_the_command_line),
        cmocka_unit_test(messages_name_the_slip_and_the_way_out),
        cmocka_unit_test(one_message_in_full),
        cmocka_unit_test(several_mistakes_are_found_in_one_reading),
        cmocka_unit_test(at_most_fifty_mistakes_are_told),
        cmocka_unit_test(mistakes_at_the_top),
        cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(every_beginning_of_a_text_is_survived),
        cmocka_unit_test(long_names_and_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
