// The syntax tree written back as model text, for `check --dump syntax`. Brackets stand where the
// tree needs them, not where the author put them.
#include "verb/verb.h"

#include <string.h>

static void print_description(Text *t, const Names *n, Name text) {
    if (text) text_printf(t, " \"%s\"", name_text(n, text));
}

static void print_arguments(Text *t, const Names *n, const AstArg *args, int count) {
    if (!count) return;
    for (int i = 0; i < count; i++) {
        text_add(t, i ? ", " : "(");
        if (args[i].name) text_printf(t, "%s = ", name_text(n, args[i].name));
        ast_print(t, n, args[i].value);
    }
    text_char(t, ')');
}

static const char *const item_word[] = {
    [ITEM_PARAM] = "param",
    [ITEM_CONST] = "const",
    [ITEM_PORT] = "port",
    [ITEM_INPUT] = "input",
    [ITEM_OUTPUT] = "output",
    [ITEM_VAR] = "var",
    [ITEM_COMPONENT] = "",
    [ITEM_CHOSEN] = "param",
    [ITEM_BOND] = "",
    [ITEM_EQUATION] = "",
    [ITEM_INITIAL] = "initial",
    [ITEM_FOR] = "for",
    [ITEM_IF] = "if",
    [ITEM_WHEN] = "when",
    [ITEM_REINIT] = "reinit",
    [ITEM_TERMINATE] = "terminate",
    [ITEM_MODES] = "modes",
    [ITEM_MODE] = "mode",
    [ITEM_ASSERT] = "assert",
    [ITEM_CAUSALITY] = "causality",
    [ITEM_STORES] = "stores",
    [ITEM_LOSSLESS] = "lossless",
    [ITEM_SUPPLIES] = "supplies",
    [ITEM_DISSIPATES] = "dissipates",
    [ITEM_SET] = "set",
    [ITEM_START] = "start",
    [ITEM_STOP] = "stop",
    [ITEM_POINTS] = "points",
    [ITEM_EVERY] = "every",
    [ITEM_SOLVER] = "solver",
    [ITEM_PLOT] = "plot",
    [ITEM_DISPLAY] = "display",
    [ITEM_RECORD] = "record",
    [ITEM_EXPECT] = "expect",
    [ITEM_AUDIT] = "audit",
    [ITEM_FREQUENCY] = "frequency",
    [ITEM_LIVE] = "live",
    [ITEM_ANALYSIS] = "",
    [ITEM_MINIMISE] = "minimise",
    [ITEM_OVER] = "over",
    [ITEM_SUBJECT] = "subject to",
    [ITEM_FIT] = "fit",
    [ITEM_SENSITIVITY] = "sensitivity",
    [ITEM_GRAVITY] = "gravity",
    [ITEM_FORM] = "form",
    [ITEM_COORDINATES] = "coordinates",
    [ITEM_JOINT] = "joint",
    [ITEM_BODY] = "body",
    [ITEM_FRAME] = "frame",
    [ITEM_TIE] = "constraint",
    [ITEM_ENERGY] = "energy",
    [ITEM_VELOCITY] = "velocity",
    [ITEM_SHAPE] = "shape",
};

static void print_exprs(Text *t, const Names *n, AstExpr *const *list, int from, int to) {
    for (int i = from; i < to; i++) {
        if (i > from) text_add(t, ", ");
        ast_print(t, n, list[i]);
    }
}

static void print_declared(Text *t, const Names *n, const AstItem *i) {
    text_add(t, name_text(n, i->name));
    if (i->size_count) {
        text_char(t, '[');
        print_exprs(t, n, i->size, 0, i->size_count);
        text_char(t, ']');
    }
    if (i->has_unit) text_printf(t, " {%s}", name_text(n, i->unit_text));
}

static void print_dimension(Text *t, const Names *n, const AstItem *i) {
    if (!i->dimension) return;
    text_char(t, '[');
    ast_print(t, n, i->dimension);
    text_char(t, ']');
}

// The words of the grammar for clauses that the tree names otherwise; "" = no word of its own.
static const struct {
    const char *clause, *word;
} clause_word[] = {{"axis", ""},
                   {"axis2", ""},
                   {"by", ""},
                   {"driven", "driven by"},
                   {"initial_about", ""},
                   {"initial_at", "initial at"},
                   {"initial_rotated", "initial rotated"},
                   {"initial_by", ""},
                   {"initial_attitude", "initial attitude"}};

static const char *word_of_clause(const char *name) {
    for (size_t i = 0; i < sizeof clause_word / sizeof clause_word[0]; i++)
        if (strcmp(clause_word[i].clause, name) == 0) return clause_word[i].word;
    return name;
}

static void print_clauses(Text *t, const Names *n, const AstItem *item, int from) {
    for (int i = from; i < item->arg_count; i++) {
        const char *name = name_text(n, item->args[i].name), *word = word_of_clause(name);
        bool again = i && i > from + 1 && item->args[i].name == item->args[i - 2].name;
        const AstExpr *value = item->args[i].value;
        bool start_goes_on =
            strcmp(word, "initial rotated") == 0 || strcmp(word, "initial attitude") == 0;
        if (start_goes_on && i && strcmp(name_text(n, item->args[i - 1].name), "initial_at") == 0)
            word += strlen("initial ");
        if (again && *word) text_add(t, ",");
        if (*word && !again) text_printf(t, " %s", word);
        if (strcmp(word, "dh") == 0 || strcmp(word, "mdh") == 0) continue;
        text_char(t, ' ');
        if (value->kind == AST_STRING)
            text_add(t, name_text(n, value->name));
        else
            ast_print(t, n, value);
    }
}

static void print_place(Text *t, const Names *n, const AstItem *i) {
    text_add(t, " on ");
    ast_print(t, n, i->exprs[0]);
    print_clauses(t, n, i, 0);
    if (i->out) text_add(t, " in world");
}

static void print_set(Text *t, const Names *n, const AstItem *i) {
    text_printf(t, "param %s: ", name_text(n, i->name));
    ast_print(t, n, i->path);
    print_arguments(t, n, i->args, i->arg_count);
    if (!i->left) return;
    text_add(t, " = ");
    ast_print(t, n, i->left);
}

static void print_component(Text *t, const Names *n, const AstItem *i) {
    if (i->set) {
        print_set(t, n, i);
        return;
    }
    if (i->junction >= 0)
        text_printf(t, "%d", i->junction);
    else
        ast_print(t, n, i->path);
    print_dimension(t, n, i);
    text_char(t, ' ');
    print_declared(t, n, i);
    print_arguments(t, n, i->args, i->arg_count);
    if (i->mount) print_place(t, n, i->mount);
    if (i->left) {
        text_add(t, " = ");
        ast_print(t, n, i->left);
    }
    for (const AstItem *law = i->laws; law; law = law->next) {
        text_add(t, law == i->laws ? ": " : ", ");
        ast_print(t, n, law->left);
        text_add(t, " = ");
        ast_print(t, n, law->right);
    }
}

static void print_joint(Text *t, const Names *n, const AstItem *i) {
    AstItem head = *i;
    int first = 0;
    while (first < i->arg_count && (!*word_of_clause(name_text(n, i->args[first].name)) ||
                                    strcmp(name_text(n, i->args[first].name), "pitch") == 0))
        first++;
    head.arg_count = first;
    print_declared(t, n, i);
    text_char(t, ' ');
    ast_print(t, n, i->path);
    print_clauses(t, n, &head, 0);
    if (i->expr_count) {
        text_add(t, ": ");
        ast_print(t, n, i->exprs[0]);
        text_add(t, " -> ");
        ast_print(t, n, i->exprs[1]);
    }
    print_clauses(t, n, i, first);
}

static void print_part(Text *t, const Names *n, const AstItem *i) {
    if (i->kind == ITEM_JOINT || i->kind == ITEM_TIE) {
        print_joint(t, n, i);
        return;
    }
    if (i->kind != ITEM_SHAPE) print_declared(t, n, i);
    if (i->kind == ITEM_FRAME || i->kind == ITEM_SHAPE)
        print_place(t, n, i);
    else
        print_clauses(t, n, i, 0);
}

static void print_sides(Text *t, const Names *n, const AstItem *i, const char *between) {
    if (i->left) ast_print(t, n, i->left);
    if (i->left && i->right) text_add(t, between);
    if (i->right) ast_print(t, n, i->right);
}

static void print_bond(Text *t, const Names *n, const AstItem *i) {
    print_exprs(t, n, i->exprs, 0, i->tail_count);
    text_add(t, " -> ");
    print_exprs(t, n, i->exprs, i->tail_count, i->expr_count);
}

static void print_port(Text *t, const Names *n, const AstItem *i) {
    print_declared(t, n, i);
    text_add(t, ": ");
    ast_print(t, n, i->path);
    print_dimension(t, n, i);
    if (i->out) text_add(t, " out");
}

static void print_solver(Text *t, const Names *n, const AstItem *i) {
    text_add(t, name_text(n, i->name));
    for (int k = 0; k < i->arg_count; k++) {
        text_printf(t, " %s ", name_text(n, i->args[k].name));
        ast_print(t, n, i->args[k].value);
    }
}

static void print_plot(Text *t, const Names *n, const AstItem *i) {
    if (*name_text(n, i->text)) text_printf(t, "\"%s\" ", name_text(n, i->text));
    print_exprs(t, n, i->exprs, 0, i->expr_count);
    if (i->right) text_add(t, " vs ");
    ast_print(t, n, i->right);
}

static void print_record(Text *t, const Names *n, const AstItem *i) {
    for (int k = 0; k < i->expr_count; k++)
        text_printf(t, "%s%s", k ? ", " : "", name_text(n, i->exprs[k]->name));
}

static void print_frequency(Text *t, const Names *n, const AstItem *i) {
    ast_print(t, n, i->left);
    for (int k = 0; k < i->arg_count; k++) {
        text_printf(t, " %s ", name_text(n, i->args[k].name));
        ast_print(t, n, i->args[k].value);
    }
    text_add(t, " of ");
    print_exprs(t, n, i->exprs, 0, i->expr_count);
}

static void print_analysis(Text *t, const Names *n, const AstItem *i) {
    text_printf(t, "%s ", name_text(n, i->name));
    if (strcmp(name_text(n, i->name), "vary") == 0) {
        static const char *const between[] = {" = ", " .. ", " in "};
        ast_print(t, n, i->left);
        for (int k = 0; k < i->expr_count; k++) {
            text_add(t, between[k]);
            ast_print(t, n, i->exprs[k]);
        }
        if (i->relative) text_add(t, " log");
        return;
    }
    print_exprs(t, n, i->exprs, 0, i->expr_count);
    print_sides(t, n, i, " to ");
}

static void print_live(Text *t, const Names *n, const AstItem *i) {
    ast_print(t, n, i->left);
    text_add(t, " =");
    for (int k = 0; k < i->arg_count; k++) {
        if (i->args[k].name) text_printf(t, "%s %s", k ? "," : "", name_text(n, i->args[k].name));
        text_char(t, ' ');
        ast_print(t, n, i->args[k].value);
    }
    if (i->right) text_add(t, " scale ");
    ast_print(t, n, i->right);
}

static void print_expect(Text *t, const Names *n, const AstItem *i) {
    const char *relation = i->relation == BIN_EQ   ? " = "
                           : i->relation == BIN_LT ? " < "
                           : i->relation == BIN_LE ? " <= "
                           : i->relation == BIN_GT ? " > "
                                                   : " >= ";
    print_sides(t, n, i, relation);
    if (i->tolerance) text_add(t, " within ");
    ast_print(t, n, i->tolerance);
    if (i->relative) text_add(t, " relative");
}

static void print_search(Text *t, const Names *n, const AstItem *i, const char *first,
                         const char *second) {
    ast_print(t, n, i->left);
    if (i->right) text_add(t, first);
    ast_print(t, n, i->right);
    if (i->tolerance) text_add(t, second);
    ast_print(t, n, i->tolerance);
}

static void print_sensitivity(Text *t, const Names *n, const AstItem *i) {
    for (int k = 0; k < i->expr_count; k++) {
        if (k) text_add(t, ", ");
        ast_print(t, n, i->exprs[k]);
    }
    for (int k = 0; k < i->arg_count; k++) {
        text_add(t, k ? ", " : " to ");
        ast_print(t, n, i->args[k].value);
    }
}

// A declaration or a word with a value: `param m {kg} = 1`, `var x initial 0`, `stop 5`.
static void print_simple(Text *t, const Names *n, const AstItem *i) {
    if (i->name) print_declared(t, n, i);
    if (i->name && (i->left || i->right))
        text_add(t, i->kind == ITEM_VAR ? " initial " : i->kind == ITEM_FOR ? " in " : " = ");
    print_sides(t, n, i, " = ");
}

static void print_statement(Text *t, const Names *n, const AstItem *i) {
    text_add(t, item_word[i->kind]);
    if (*item_word[i->kind]) text_char(t, ' ');
    switch (i->kind) {
    case ITEM_COMPONENT: print_component(t, n, i); break;
    case ITEM_BOND: print_bond(t, n, i); break;
    case ITEM_PORT: print_port(t, n, i); break;
    case ITEM_SOLVER: print_solver(t, n, i); break;
    case ITEM_PLOT: print_plot(t, n, i); return;
    case ITEM_RECORD: print_record(t, n, i); break;
    case ITEM_EXPECT: print_expect(t, n, i); break;
    case ITEM_FREQUENCY: print_frequency(t, n, i); break;
    case ITEM_LIVE: print_live(t, n, i); break;
    case ITEM_ANALYSIS: print_analysis(t, n, i); break;
    case ITEM_MINIMISE: ast_print(t, n, i->left); break;
    case ITEM_OVER: print_search(t, n, i, " from ", " to "); break;
    case ITEM_SUBJECT: print_expect(t, n, i); break;
    case ITEM_FIT: print_search(t, n, i, " to ", " within "); break;
    case ITEM_SENSITIVITY: print_sensitivity(t, n, i); break;
    case ITEM_GRAVITY:
        if (i->left)
            ast_print(t, n, i->left);
        else
            text_add(t, "off");
        break;
    case ITEM_FORM:
    case ITEM_COORDINATES:
        text_add(t, name_text(n, i->name));
        if (i->text) text_printf(t, " %s", name_text(n, i->text));
        return;
    case ITEM_JOINT:
    case ITEM_BODY:
    case ITEM_FRAME:
    case ITEM_SHAPE:
    case ITEM_TIE: print_part(t, n, i); break;
    case ITEM_ENERGY:
        text_printf(t, "%s ", name_text(n, i->name));
        ast_print(t, n, i->left);
        break;
    case ITEM_CAUSALITY:
        ast_print(t, n, i->path);
        text_printf(t, " %s", name_text(n, i->name));
        break;
    default: print_simple(t, n, i);
    }
    if (i->warns) text_add(t, " warning");
    print_description(t, n, i->text);
}

static void print_items(Text *t, const Names *n, const AstItem *i, int indent) {
    for (; i; i = i->next) {
        text_printf(t, "%*s", 2 * indent, "");
        print_statement(t, n, i);
        text_char(t, '\n');
        if (!i->body && !i->otherwise) continue;
        if (indent > 2 * AST_NESTED) continue; // the parser allows no deeper ones
        print_items(t, n, i->body, indent + 1);
        if (i->otherwise) {
            text_printf(t, "%*selse\n", 2 * indent, "");
            print_items(t, n, i->otherwise, indent + 1);
        }
        text_printf(t, "%*send\n", 2 * indent, "");
    }
}

static void print_head(Text *t, const Names *n, const AstClass *c) {
    static const char *const word[] = {"model",  "element", "experiment", "function", "table",
                                       "domain", "const",   "import",     "mechanism"};
    text_printf(t, c->quoted ? "%s \"%s\"" : "%s %s", word[c->kind], name_text(n, c->name));
    for (int i = 0; i < c->formal_count; i++)
        text_printf(t, "%s%s", i ? ", " : "(", name_text(n, c->formals[i].name));
    if (c->formal_count) text_char(t, ')');
    bool experiment = c->kind == CLASS_EXPERIMENT;
    if (!experiment) print_description(t, n, c->text);
    if (c->base) text_add(t, experiment ? " of " : " extends ");
    ast_print(t, n, c->base);
    if (experiment) print_description(t, n, c->text);
    print_arguments(t, n, c->args, c->arg_count);
    if (c->value) {
        text_add(t, " = ");
        ast_print(t, n, c->value);
    }
    text_char(t, '\n');
}

void syntax_print(Text *out, const Syntax *syntax) {
    for (const AstClass *c = syntax->files->classes; c; c = c->next) {
        print_head(out, syntax->names, c);
        print_items(out, syntax->names, c->items, 1);
        for (int i = 0; i + 1 < c->number_count && !c->columns; i += 2) {
            text_add(out, "  ");
            print_exprs(out, syntax->names, c->numbers, i, i + 2);
            text_char(out, '\n');
        }
        if (c->items || c->number_count) text_add(out, "end\n");
    }
}
