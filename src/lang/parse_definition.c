// What stands at the top of a file: models, elements, mechanisms, experiments, functions, tables,
// domains, constants and imports.
#include "lang/lookup.h"
#include "lang/parse.h"

#include <string.h>

typedef struct {
    AstClass *first, **end;
} ClassList;

static void add_class(ClassList *list, AstClass *c) {
    if (!c->name) return; // its head could not be read
    if (!list->first)
        list->first = c;
    else
        *list->end = c;
    list->end = &c->next;
}

static AstClass *new_class(Parser *p, ClassKind kind) {
    AstClass *c = ARENA_NEW(p->out, AstClass);
    c->kind = kind;
    c->pos = p_pos(p, p->token);
    return c;
}

// The name, and what the `end` will have to close.
static Opener open_class(Parser *p, AstClass *c, const char *what, const char *name_of_what) {
    Opener opener = {.what = what, .token = p->token};
    p_advance(p);
    c->pos = p_pos(p, p->token);
    c->name = opener.name = p_expect_name(p, name_of_what);
    p->suspect = (Opener){0};
    p->indent = p_indentation(p, opener.token);
    return opener;
}

static void close_class(Parser *p, const Opener *opener) {
    Token end = p->token;
    bool closed = p_at(p, TOKEN_END);
    p_close_with_end(p, opener);
    if (closed) {
        p->last_end = end;
        p_end_statement(p, end);
    }
}

enum { WORD_MODEL, WORD_ELEMENT, WORD_MECHANISM, WORD_LAGRANGIAN };

static const struct {
    ClassKind kind;
    const char *word, *name;
} model_words[] = {
    [WORD_MODEL] = {CLASS_MODEL, "model", "the name of the model"},
    [WORD_ELEMENT] = {CLASS_ELEMENT, "element", "the name of the element"},
    [WORD_MECHANISM] = {CLASS_MECHANISM, "mechanism", "the name of the mechanism"},
    [WORD_LAGRANGIAN] = {CLASS_MECHANISM, "lagrangian", "the name of the lagrangian"}};

// grid-row = [expr] "," expr {"," expr}      without the first one: the values of the second
// argument
static void parse_grid_row(Parser *p, ItemList *list) {
    AstItem *item = p_new_item(p, ITEM_EQUATION, p->token);
    ExprList numbers = {0};
    bool head = p_at(p, TOKEN_COMMA);
    if (head != !list->first && !p->failed) {
        Remark *m = p_fail(p, P_TABLE_FORM, p->token, "%s",
                           head ? "the values of the second argument stand in the first line only"
                                : "the first line of a table of two variables begins with a comma");
        p_help(p, m, "write , y1, y2 ...   and below it lines x, z1, z2 ...");
        p_add_item(list, item);
        return;
    }
    if (!head) array_push(&numbers, parse_sum(p));
    while (!p->failed && p_accept(p, TOKEN_COMMA)) array_push(&numbers, parse_sum(p));
    item->expr_count = numbers.count;
    item->exprs = p_keep_exprs(p, &numbers);
    if (!p->failed) p_add_item(list, item);
}

static void keep_grid(Parser *p, AstClass *c, const AstItem *rows) {
    ExprList numbers = {0};
    c->columns = rows ? rows->expr_count : 0;
    for (const AstItem *row = rows; row; row = row->next) {
        int wanted = row == rows ? c->columns : c->columns + 1;
        for (int i = 0; i < row->expr_count; i++) array_push(&numbers, row->exprs[i]);
        if (row->expr_count == wanted) continue;
        Token t = p->token;
        t.at = row->pos.at;
        Remark *m =
            p_complain(p, P_TABLE_FORM, t, "this line has %d value%s, but the first line %d",
                       row->expr_count - 1, row->expr_count == 2 ? "" : "s", c->columns);
        p_help(p, m, "each line has x and a value for each number of the first line");
        break;
    }
    c->number_count = numbers.count;
    c->numbers = p_keep_exprs(p, &numbers);
}

// from = "from" string {"free" | "rounded"} [string]
static void parse_from(Parser *p, AstClass *c) {
    c->from_pos = p_pos(p, p->token);
    c->from = p_accept_string(p);
    if (!c->from) {
        Remark *m = p_fail_expected(p, "the name of a file");
        p_help(p, m, "write mechanism %s from \"robot.urdf\"", name_text(p->names, c->name));
    }
    for (bool more = true; more;) {
        more = false;
        if (p_accept_word(p, "free")) more = c->free_base = true;
        if (p_accept_word(p, "rounded")) more = c->rounded = true;
    }
    c->text = p_accept_string(p);
}

// model = ("model" | "element" | "mechanism" | "lagrangian") name [string] ["extends" path [args]]
// [string]
//         NEWLINE body "end"
//       | "mechanism" name from
//       | "model" name unit
static AstClass *parse_model(Parser *p) {
    int word = p_at(p, TOKEN_ELEMENT)      ? WORD_ELEMENT
               : p_at(p, TOKEN_MECHANISM)  ? WORD_MECHANISM
               : p_at(p, TOKEN_LAGRANGIAN) ? WORD_LAGRANGIAN
                                           : WORD_MODEL;
    AstClass *c = new_class(p, model_words[word].kind);
    c->lagrangian = word == WORD_LAGRANGIAN;
    Opener opener = open_class(p, c, model_words[word].word, model_words[word].name);
    if (c->kind == CLASS_MECHANISM && p_accept_word(p, "from")) {
        parse_from(p, c);
        p_end_statement(p, opener.token);
        return c;
    }
    if (c->kind == CLASS_MODEL && p_accept_word(p, "from")) {
        parse_unit_file(p, c);
        p_end_statement(p, opener.token);
        return c;
    }
    c->text = p_accept_string(p);
    if (p_accept(p, TOKEN_EXTENDS)) {
        c->base = parse_path(p, "what is extended");
        if (p_at(p, TOKEN_OPEN)) parse_args(p, &c->args, &c->arg_count);
    }
    if (!c->text) c->text = p_accept_string(p);
    p_end_statement(p, opener.token);
    p->mechanism = c->kind == CLASS_MECHANISM;
    c->items = parse_body(p, parse_model_statement).first;
    p->mechanism = false;
    close_class(p, &opener);
    return c;
}

// experiment = "experiment" name "of" path [kind] [string] NEWLINE body "end"
static AstClass *parse_experiment(Parser *p) {
    AstClass *c = new_class(p, CLASS_EXPERIMENT);
    Opener opener = open_class(p, c, "experiment", "the name of the experiment");
    p_expect(p, TOKEN_OF, "'of' and the name of a model");
    c->base = parse_path(p, "the name of a model");
    c->analysis = parse_analysis_kind(p, &c->analysis_pos);
    c->text = p_accept_string(p);
    p_end_statement(p, opener.token);
    p->experiment = true;
    c->items = parse_body(p, parse_experiment_statement).first;
    p->experiment = false;
    close_class(p, &opener);
    return c;
}

// formals = "(" [name [sizes] [unit] {"," name [sizes] [unit]}] ")"
static void parse_formals(Parser *p, AstClass *c) {
    ARRAY(AstFormal) list = {0};
    Token open = p->token;
    if (!p_expect(p, TOKEN_OPEN, "'(' and the arguments")) return;
    if (!p_at(p, TOKEN_CLOSE)) {
        do {
            AstFormal formal = {.pos = p_pos(p, p->token)};
            formal.name = p_expect_name(p, "the name of an argument");
            parse_sizes(p, &formal.rows, &formal.cols);
            formal.has_unit = parse_unit(p, &formal.unit, &formal.unit_text);
            array_push(&list, formal);
        } while (p_accept(p, TOKEN_COMMA));
    }
    p_expect_close(p, TOKEN_CLOSE, open);
    c->formal_count = list.count;
    c->formals = ARENA_ARRAY(p->out, AstFormal, list.count);
    if (list.count) memcpy(c->formals, list.data, (size_t)list.count * sizeof list.data[0]);
    array_free(&list);
}

static void foreign_in_function(Parser *p) {
    const char *word = token_text(p->token.kind);
    Remark *m =
        p_fail(p, P_FUNCTION_BODY, p->token, "a function holds only lines name = expression%s%s",
               word ? ", no " : "", word ? word : "");
    p_help(p, m, "the last line is return expression");
}

// local = name "=" expr    return = "return" expr
static void parse_function_statement(Parser *p, ItemList *list) {
    Token start = p->token;
    if (list->result) {
        Remark *m = p_fail(p, P_FUNCTION_BODY, start, "nothing can follow 'return'");
        p_help(p, m, "a function has one 'return', as its last line");
    } else if (p_accept_word(p, "return")) {
        list->result = parse_expr(p);
    } else if (p_accept(p, TOKEN_NAME)) {
        AstItem *item = p_new_item(p, ITEM_EQUATION, start);
        item->left = p_new_expr(p, AST_NAME, start);
        item->name = item->left->name = start.name;
        p_expect(p, TOKEN_EQUALS, "'='");
        item->right = parse_expr(p);
        if (!p->failed) p_add_item(list, item);
    } else {
        foreign_in_function(p);
    }
}

static void parse_function_body(Parser *p, AstClass *c, const Opener *opener) {
    ItemList list = parse_body(p, parse_function_statement);
    c->items = list.first;
    c->value = list.result;
    if (!c->value && c->name) {
        Remark *m = p_complain(p, P_FUNCTION_BODY, opener->token, "function '%s' has no 'return'",
                               name_text(p->names, c->name));
        p_help(p, m, "its last line before 'end' is return expression");
    }
    close_class(p, opener);
}

// function = "function" name formals (external | "=" expr [string] |
//                                     [string] NEWLINE {local} return "end")
static AstClass *parse_function(Parser *p) {
    AstClass *c = new_class(p, CLASS_FUNCTION);
    Opener opener = open_class(p, c, "function", "the name of the function");
    parse_formals(p, c);
    if (parse_external(p, c)) {
        p_end_statement(p, opener.token);
        return c;
    }
    refuse_sizes(p, c, opener.token);
    if (p_accept(p, TOKEN_EQUALS)) {
        c->value = parse_expr(p);
        c->text = p_accept_string(p);
        p_end_statement(p, opener.token);
        return c;
    }
    c->text = p_accept_string(p);
    bool head_failed = p->failed;
    p_end_statement(p, opener.token);
    if (head_failed && !p_at(p, TOKEN_NAME)) return c;
    parse_function_body(p, c, &opener);
    return c;
}

static void check_table_head(Parser *p, const AstClass *c, bool has_kind) {
    if (p->failed) return;
    if (c->formal_count < 1 || c->formal_count > TABLE_ARGUMENTS) {
        Token t = p->token;
        t.at = c->pos.at;
        Remark *m = p_fail(p, P_TABLE_FORM, t, "a table has one argument to %d, not %d",
                           TABLE_ARGUMENTS, c->formal_count);
        p_help(p, m, "write table %s(x {unit}) {unit} linear", name_text(p->names, c->name));
    } else if (!has_kind) {
        Remark *m = p_fail(p, P_TABLE_FORM, p->token, "say how '%s' runs between its points",
                           name_text(p->names, c->name));
        p_help(p, m, "write linear or smooth before the end of the line");
    }
}

// row = expr "," expr; gathered as left and right of items until the table is closed
static void parse_row(Parser *p, ItemList *list) {
    AstItem *item = p_new_item(p, ITEM_EQUATION, p->token);
    item->left = parse_sum(p);
    if (!p_at(p, TOKEN_COMMA)) {
        Remark *m = p_fail_expected(p, "',' and a second number");
        p_help(p, m, "each line of a table is a point: x, y");
    }
    p_advance(p);
    item->right = parse_sum(p);
    if (p_at(p, TOKEN_COMMA)) {
        Remark *m = p_fail(p, P_TABLE_FORM, p->token, "a line of a table has two numbers");
        p_help(p, m, "each line of a table is a point: x, y");
    }
    if (!p->failed) p_add_item(list, item);
}

static void keep_rows(Parser *p, AstClass *c, const AstItem *rows) {
    ExprList numbers = {0};
    for (; rows; rows = rows->next) {
        array_push(&numbers, rows->left);
        array_push(&numbers, rows->right);
    }
    c->number_count = numbers.count;
    c->numbers = p_keep_exprs(p, &numbers);
}

// from = "from" string "column" string ["over" string]
// over = "over" string {"," string}      one for each argument
static void parse_over(Parser *p, AstClass *c) {
    for (int i = 0; !p->failed && i < c->formal_count; i++) {
        if (i && !p_accept(p, TOKEN_COMMA)) {
            Remark *m = p_fail(p, P_TABLE_FORM, p->token, "table '%s' has %d arguments",
                               name_text(p->names, c->name), c->formal_count);
            p_help(p, m, "name the column of each: over \"speed\", \"torque\"");
            return;
        }
        c->over_pos[i] = p_pos(p, p->token);
        c->over[i] = p_accept_string(p);
        if (!c->over[i]) p_fail_expected(p, "the name of a column between quotes");
    }
}

static bool parse_table_file(Parser *p, AstClass *c) {
    if (p->failed || !p_at_word(p, "from")) return false;
    p_advance(p);
    c->from_pos = p_pos(p, p->token);
    c->from = p_accept_string(p);
    if (c->from && p_accept_word(p, "column")) {
        c->column_pos = p_pos(p, p->token);
        c->column = p_accept_string(p);
    }
    if (c->column && p_accept_word(p, "over")) parse_over(p, c);
    if (c->column) return true;
    Remark *m = p_fail(p, P_TABLE_FORM, p->token, "say which file and which column");
    p_help(p, m, "write from \"run.csv\" column \"pressure\"");
    return true;
}

// beyond = "beyond" ("hold" | "extrapolate" | "error")
static void parse_beyond(Parser *p, AstClass *c) {
    if (p->failed || !p_accept_word(p, "beyond")) return;
    c->beyond = p_accept_word(p, "hold")          ? BEYOND_HOLD
                : p_accept_word(p, "extrapolate") ? BEYOND_EXTRAPOLATE
                : p_accept_word(p, "error")       ? BEYOND_ERROR
                                                  : BEYOND_UNSAID;
    if (c->beyond) return;
    Remark *m = p_fail(p, P_TABLE_FORM, p->token, "say what '%s' is beyond its ends",
                       name_text(p->names, c->name));
    p_help(p, m, "write beyond hold, beyond extrapolate or beyond error");
}

// table = "table" name formals [unit] ("linear" | "smooth") [beyond] [string]
//         (from [beyond] [string] | NEWLINE ({row} | {grid-row}) "end")
static AstClass *parse_table(Parser *p) {
    AstClass *c = new_class(p, CLASS_TABLE);
    Opener opener = open_class(p, c, "table", "the name of the table");
    parse_formals(p, c);
    c->has_unit = parse_unit(p, &c->unit, &c->unit_text);
    c->smooth = p_accept_word(p, "smooth");
    bool has_kind = c->smooth || p_accept_word(p, "linear");
    parse_beyond(p, c);
    c->text = p_accept_string(p);
    check_table_head(p, c, has_kind);
    bool file = parse_table_file(p, c);
    if (file) {
        parse_beyond(p, c);
        if (!c->text) c->text = p_accept_string(p);
        if (p->failed) c->from = 0;
    }
    if (!file && !p->failed && c->formal_count > 2) {
        Remark *m =
            p_fail(p, P_TABLE_FORM, p->token,
                   "the points of a table of %d variables come from a file", c->formal_count);
        p_help(
            p, m,
            "write from \"map.csv\" column \"z\": each row of the file is a point, in any order");
    }
    p_end_statement(p, opener.token);
    if (file) return c;
    int errors_before = p->report->errors;
    bool grid = c->formal_count > 1;
    const AstItem *rows = parse_body(p, grid ? parse_grid_row : parse_row).first;
    if (!grid)
        keep_rows(p, c, rows);
    else if (p->report->errors == errors_before)
        keep_grid(p, c, rows);
    if (!c->number_count && p->report->errors == errors_before) {
        Remark *m = p_complain(p, P_TABLE_FORM, opener.token, "table '%s' has no points",
                               name_text(p->names, c->name));
        p_help(p, m, "each line of a table is a point: x, y");
    }
    close_class(p, &opener);
    return c;
}

// domain = "domain" name [string] "effort" unit "flow" unit [string]
static AstClass *parse_domain(Parser *p) {
    AstClass *c = new_class(p, CLASS_DOMAIN);
    Token start = p->token;
    p_advance(p);
    c->pos = p_pos(p, p->token);
    c->name = p_expect_name(p, "the name of the domain");
    c->text = p_accept_string(p);
    bool effort = p_accept_word(p, "effort") && parse_unit(p, &c->unit, &c->unit_text);
    bool flow =
        effort && p_accept_word(p, "flow") && parse_unit(p, &c->flow_unit, &c->flow_unit_text);
    if (!effort || !flow) {
        Remark *m = p_fail_expected(p, effort ? "flow {unit}" : "effort {unit}");
        p_help(p, m, "write domain name \"what it is\" effort {V} flow {A}");
    }
    c->has_unit = true;
    if (!c->text) c->text = p_accept_string(p);
    p_end_statement(p, start);
    return c;
}

// constants = "const" value-declaration {"," value-declaration}
static void parse_constants(Parser *p, ClassList *list) {
    Token start = p->token;
    p_advance(p);
    do {
        AstClass *c = new_class(p, CLASS_CONST);
        AstItem *item = p_new_item(p, ITEM_CONST, p->token);
        parse_value_declaration(p, item);
        if (!item->left && !p->failed) {
            Remark *m = p_fail_expected(p, "'=' and the value of the constant");
            p_help(p, m, "write const g = 9.81 {m/s2}");
        }
        *c = (AstClass){.kind = CLASS_CONST,
                        .pos = item->pos,
                        .name = item->name,
                        .text = item->text,
                        .value = item->left,
                        .has_unit = item->has_unit,
                        .unit_text = item->unit_text};
        if (item->has_unit) c->unit = *item->unit;
        if (!p->failed) add_class(list, c);
    } while (p_accept(p, TOKEN_COMMA));
    p_end_statement(p, start);
}

// imports = "import" (name | string) {"," (name | string)}
static void parse_imports(Parser *p, ClassList *list) {
    Token start = p->token;
    p_advance(p);
    do {
        AstClass *c = new_class(p, CLASS_IMPORT);
        c->quoted = p_at(p, TOKEN_STRING);
        c->name = c->quoted ? p_accept_string(p) : p_expect_name(p, "a library or a \"file.bond\"");
        if (c->quoted && !c->name) p_fail_expected(p, "the name of a file between the quotes");
        if (!p->failed) add_class(list, c);
    } while (p_accept(p, TOKEN_COMMA));
    p_end_statement(p, start);
}

// --- what stands in the wrong place -------------------------------------------------------------

static AstClass *parse_with_end(Parser *p) {
    switch (p->token.kind) {
    case TOKEN_MODEL:
    case TOKEN_ELEMENT:
    case TOKEN_MECHANISM:
    case TOKEN_LAGRANGIAN: return parse_model(p);
    case TOKEN_EXPERIMENT: return parse_experiment(p);
    case TOKEN_FUNCTION: return parse_function(p);
    case TOKEN_TABLE: return parse_table(p);
    default: return NULL;
    }
}

// A definition that is indented further than the open one was meant to stand inside of it
// (otherwise an `end` is missing). It is parsed, so that its own `end` counts, and dropped.
bool p_skip_inner_definition(Parser *p) {
    bool inner = p_starts_definition(p->token.kind) && p_indentation(p, p->token) > p->indent;
    if (!inner) return false;
    Token start = p->token;
    Parser outer = *p;
    bool one_line = start.kind == TOKEN_IMPORT || start.kind == TOKEN_DOMAIN;
    Remark *m = p_complain(p, P_MISPLACED, start, "a definition cannot stand inside another one");
    p_help(p, m,
           "move it out, to the top of the file; if it is outside, an 'end' is missing above");
    if (one_line) {
        p->culprit = start;
        p_recover(p, start);
    } else if (p_enter_body(p)) {
        parse_with_end(p);
        p_leave(p);
    }
    p->indent = outer.indent;
    p->experiment = outer.experiment;
    p->mechanism = outer.mechanism;
    p->suspect = outer.suspect;
    return true;
}

// A misspelt word that begins a definition, or where the statement belongs.
static void help_misplaced(Parser *p, Remark *m) {
    bool named = p_at(p, TOKEN_NAME);
    Suggestion near = suggest_for(named ? name_text(p->lexer.names, p->token.name) : "");
    for (TokenKind kind = TOKEN_AND; named && token_is_keyword(kind); kind++)
        if (p_starts_definition(kind) || kind == TOKEN_CONST)
            suggest_offer(&near, token_text(kind));
    if (m)
        suggest_help(p->report, m, &near,
                     "write 'model Name' above and 'end' below the statements");
}

static void report_stray(Parser *p) {
    bool end = p_at(p, TOKEN_END) || p_at(p, TOKEN_ELSE) || p_at(p, TOKEN_ELSEIF) ||
               p_at(p, TOKEN_ELSEWHEN);
    Remark *m;
    if (end) {
        m = p_complain(p, P_STRAY_END, p->token, "this '%s' belongs to nothing",
                       token_text(p->token.kind));
        p_help(p, m, "remove it, or an 'end' further up that closes too early");
    } else if (p_at(p, TOKEN_BAD)) {
        return;
    } else {
        m = p_complain(p, P_MISPLACED, p->token, "this statement stands outside of a model");
        help_misplaced(p, m);
    }
    if (m && p->last_end.end)
        remark_note(p->report, m, p_pos(p, p->last_end), "the last definition ends here");
}

static bool starts_top_level(const Parser *p) {
    return p_starts_definition(p->token.kind) || p_at(p, TOKEN_CONST);
}

// One remark for the whole stretch up to the next definition.
static void skip_stray(Parser *p) {
    report_stray(p);
    bool single_end = p_at(p, TOKEN_END);
    p->lexer.quiet = true;
    do {
        p_advance(p);
        if (single_end && p_at(p, TOKEN_NEWLINE)) break;
    } while (!p_stopped(p) && !(p->token.first && starts_top_level(p)));
    p->lexer.quiet = false;
    if (!p_at(p, TOKEN_NEWLINE)) {
        lexer_return_to(&p->lexer, p->token);
        p_advance(p);
    }
    p_skip_newlines(p);
}

// file = {definition}
AstClass *parse_definitions(Parser *p) {
    ClassList list = {0};
    p_skip_newlines(p);
    while (!p_stopped(p)) {
        AstClass *c = parse_with_end(p);
        if (c) {
            add_class(&list, c);
            continue;
        }
        switch (p->token.kind) {
        case TOKEN_DOMAIN: add_class(&list, parse_domain(p)); break;
        case TOKEN_CONST: parse_constants(p, &list); break;
        case TOKEN_IMPORT: parse_imports(p, &list); break;
        default: skip_stray(p);
        }
    }
    return list.first;
}
