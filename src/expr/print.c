// Printing: from the graph to what a person writes, as text of the language, LaTeX or C.
//
//     SUM(v, PRODUCT(-1, PRODUCT(q, POWER(C, -1))))     ->     v - q/C
//
// A node shared a thousand times is printed a thousand times, so output stops with "..." after a
// number of nodes and a depth that nobody reads; name shared nodes to print large systems.
// Sums and products are in print_sum.c; here are atoms, functions, relations and if.
#include "expr/print.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { NODE_LIMIT = 20000, DEPTH_LIMIT = 250 };

static const char *const op_name[] = {
#define OP(id, name, arguments) [id] = (name),
#include "expr/ops.def"
#undef OP
};

void expr_print(Text *out, const Dag *d, Expr e, const Printer *how) {
    Print p = {.out = out, .dag = d, .how = how, .left = NODE_LIMIT};
    print_expr(&p, e, BIND_IF);
}

static void open_bracket(Print *p) {
    text_add(p->out, p->how->style == PRINT_LATEX ? "\\left(" : "(");
}

static void close_bracket(Print *p) {
    text_add(p->out, p->how->style == PRINT_LATEX ? "\\right)" : ")");
}

// --- atoms ---------------------------------------------------------------------------------------

static const char *name_of_node(const Print *p, Expr e) {
    return p->how->name ? p->how->name(p->how->context, e) : NULL;
}

bool print_is_named(const Print *p, Expr e) { return name_of_node(p, e) != NULL; }

static void print_symbol(Print *p, Expr e) {
    const char *name =
        name_text(p->dag->names, expr_symbol_name(p->dag, expr_symbol_index(p->dag, e)));
    if (p->how->style == PRINT_LATEX)
        name_print_latex(p->out, name);
    else if (p->how->style == PRINT_TEXT)
        text_add(p->out, name);
    else
        for (const char *c = name; *c; c++)
            text_char(p->out, isalnum((unsigned char)*c) ? *c : '_');
}

// 2.5e-07 -> 2.5\cdot 10^{-7}
static void print_latex_number(Text *out, const char *digits) {
    const char *e = strchr(digits, 'e');
    if (!e) {
        text_add(out, digits);
        return;
    }
    if (e - digits != 1 || *digits != '1') {
        text_add_n(out, digits, (size_t)(e - digits));
        text_add(out, "\\cdot ");
    }
    text_printf(out, "10^{%d}", atoi(e + 1));
}

void print_number(Print *p, double x) {
    Text digits = {0};
    text_number(&digits, x);
    const char *s = text_get(&digits);
    if (p->how->style == PRINT_LATEX && !isfinite(x))
        text_add(p->out, isnan(x) ? "\\mathrm{NaN}" : x < 0 ? "-\\infty" : "\\infty");
    else if (p->how->style == PRINT_LATEX)
        print_latex_number(p->out, s);
    else if (p->how->style == PRINT_C && !isfinite(x))
        text_add(p->out, isnan(x) ? "NAN" : x < 0 ? "-INFINITY" : "INFINITY");
    else
        text_printf(p->out, "%s%s", s, p->how->style == PRINT_C && !strpbrk(s, ".e") ? ".0" : "");
    text_free(&digits);
}

// --- functions -----------------------------------------------------------------------------------

static const char *c_function(Op op) {
    switch (op) {
    case OP_ABS: return "fabs";
    case OP_SIGN: return "bondyn_sign";
    case OP_MIN: return "fmin";
    case OP_MAX: return "fmax";
    case OP_MOD: return "bondyn_mod";
    case OP_TABLE: return "bondyn_table";
    case OP_TABLE_SLOPE: return "bondyn_slope";
    default: return op_name[op];
    }
}

const char *expr_c_helpers(void) {
    return "static inline double bondyn_sign(double x) { return (x > 0) - (x < 0); }\n"
           "static inline double bondyn_mod(double x, double y) { return x - y * floor(x / y); }\n";
}

static const char *latex_function(Op op) {
    switch (op) {
    case OP_ASIN: return "\\arcsin";
    case OP_ACOS: return "\\arccos";
    case OP_ATAN: return "\\arctan";
    case OP_EXP: return "\\exp";
    case OP_LOG: return "\\ln";
    case OP_SIN: return "\\sin";
    case OP_COS: return "\\cos";
    case OP_TAN: return "\\tan";
    case OP_SINH: return "\\sinh";
    case OP_COSH: return "\\cosh";
    case OP_TANH: return "\\tanh";
    case OP_MIN: return "\\min";
    case OP_MAX: return "\\max";
    default: return NULL;
    }
}

static void print_arguments(Print *p, Expr e) {
    open_bracket(p);
    int first = op_of(p->dag, e) == OP_MATRIX; // behind its kind
    for (int i = first; i < count_of(p->dag, e); i++) {
        if (i > first) text_add(p->out, ", ");
        Expr arg = args_of(p->dag, e)[i];
        bool table = i == 0 && (op_of(p->dag, e) == OP_TABLE || op_of(p->dag, e) == OP_TABLE_SLOPE);
        if (table)
            text_printf(p->out, "%d", (int)number_of(p->dag, arg));
        else
            print_expr(p, arg, BIND_IF);
    }
    close_bracket(p);
}

static bool print_latex_fence(Print *p, Expr e) { // |x| and its like
    static const char *const fence[][2] = {
        [OP_ABS] = {"\\left|", "\\right|"},
        [OP_FLOOR] = {"\\left\\lfloor ", "\\right\\rfloor "},
        [OP_CEIL] = {"\\left\\lceil ", "\\right\\rceil "},
    };
    Op op = op_of(p->dag, e);
    if (op != OP_ABS && op != OP_FLOOR && op != OP_CEIL) return false;
    text_add(p->out, fence[op][0]);
    print_expr(p, args_of(p->dag, e)[0], BIND_IF);
    text_add(p->out, fence[op][1]);
    return true;
}

// care(a, b, ...)[2, 1]: the entry of the result that is meant.
static void print_entry(Print *p, Expr e) {
    Expr matrix = args_of(p->dag, e)[0];
    MatrixShape s = expr_matrix_kind(p->dag, matrix)->shape;
    int number = (int)number_of(p->dag, args_of(p->dag, e)[1]);
    bool wide = s.function == MATRIX_SOLVE || s.function == MATRIX_SYLVESTER;
    int cols = wide ? s.m : s.n;
    text_printf(p->out, p->how->style == PRINT_LATEX ? "\\operatorname{%s}" : "%s",
                matrix_function_name(s));
    print_arguments(p, matrix);
    if (s.function == MATRIX_EXTERNAL) {
        if (s.m > 1) text_printf(p->out, "[%d]", number + 1);
        return;
    }
    text_printf(p->out, "[%d, %d]", number / cols + 1, number % cols + 1);
}

void print_function(Print *p, Expr e, double power) {
    Op op = op_of(p->dag, e);
    if (op == OP_ENTRY) {
        print_entry(p, e);
        return;
    }
    const char *latex = latex_function(op);
    bool is_latex = p->how->style == PRINT_LATEX;
    if (is_latex && print_latex_fence(p, e)) {
        latex = NULL;
    } else {
        if (!is_latex)
            text_add(p->out, p->how->style == PRINT_C ? c_function(op) : op_name[op]);
        else if (latex)
            text_add(p->out, latex);
        else
            text_printf(p->out, "\\operatorname{%s}", op_name[op]);
        if (power != 1) { // \sin^{2}
            text_add(p->out, "^{");
            print_number(p, power);
            text_char(p->out, '}');
        }
        print_arguments(p, e);
    }
}

// --- relations, logic, if ------------------------------------------------------------------------

static const char *infix(const Print *p, Op op) {
    bool c = p->how->style == PRINT_C, latex = p->how->style == PRINT_LATEX;
    switch (op) {
    case OP_LESS: return " < ";
    case OP_LESS_EQUAL: return latex ? " \\le " : " <= ";
    case OP_EQUAL: return latex ? " = " : " == ";
    case OP_NOT: return latex ? " \\ne " : " != "; // of an equality
    case OP_AND: return c ? " && " : latex ? " \\land " : " and ";
    default: return c ? " || " : latex ? " \\lor " : " or ";
    }
}

static bool is_logic(Op op) { return op >= OP_LESS && op <= OP_NOT; }

static void print_condition(Print *p, Expr e, Binding place);
static Binding binding_of(const Print *p, Expr e);

// An operand of a relation is a value; one of `and` is a condition.
static void print_pair(Print *p, Op op, Expr e, Binding place) {
    bool logic = op == OP_AND || op == OP_OR;
    for (int i = 0; i < 2; i++) {
        Expr arg = args_of(p->dag, e)[i];
        if (i) text_add(p->out, infix(p, op));
        if (logic)
            print_condition(p, arg, place);
        else
            print_expr(p, arg, place);
    }
}

static void print_logic(Print *p, Expr e) {
    Op op = op_of(p->dag, e);
    Expr inner = args_of(p->dag, e)[0];
    if (op == OP_NOT && op_of(p->dag, inner) == OP_EQUAL && !print_is_named(p, inner)) {
        print_pair(p, OP_NOT, inner, BIND_SUM);
    } else if (op == OP_NOT) {
        text_add(p->out, p->how->style == PRINT_C       ? "!"
                         : p->how->style == PRINT_LATEX ? "\\lnot "
                                                        : "not ");
        print_condition(p, inner, BIND_ATOM);
    } else {
        print_pair(p, op, e, op == OP_AND ? BIND_RELATION : op == OP_OR ? BIND_AND : BIND_SUM);
    }
}

// In C a condition is an int and a value is a double.
static void print_condition(Print *p, Expr e, Binding place) {
    bool raw = is_logic(op_of(p->dag, e)) && !print_is_named(p, e);
    if (p->how->style != PRINT_C) {
        print_expr(p, e, place);
    } else if (!raw) {
        if (place > BIND_RELATION) open_bracket(p);
        print_expr(p, e, BIND_SUM);
        text_add(p->out, " != 0.0");
        if (place > BIND_RELATION) close_bracket(p);
    } else {
        bool bracket = binding_of(p, e) < place || place == BIND_ATOM;
        if (bracket) open_bracket(p);
        print_logic(p, e);
        if (bracket) close_bracket(p);
    }
}

static void print_if(Print *p, Expr e) {
    Expr condition = args_of(p->dag, e)[0], then = args_of(p->dag, e)[1];
    Expr otherwise = args_of(p->dag, e)[2];
    static const char *const word[][4] = {
        [PRINT_TEXT] = {"if ", " then ", " else ", ""},
        [PRINT_C] = {"", " ? ", " : ", ""},
    };
    if (p->how->style == PRINT_LATEX) {
        text_add(p->out, "\\begin{cases} ");
        print_expr(p, then, BIND_IF);
        text_add(p->out, " & \\text{if } ");
        print_expr(p, condition, BIND_IF);
        text_add(p->out, " \\\\ ");
        print_expr(p, otherwise, BIND_IF);
        text_add(p->out, " & \\text{otherwise} \\end{cases}");
        return;
    }
    text_add(p->out, word[p->how->style][0]);
    print_condition(p, condition, BIND_OR);
    text_add(p->out, word[p->how->style][1]);
    print_expr(p, then, BIND_OR);
    text_add(p->out, word[p->how->style][2]);
    print_expr(p, otherwise, BIND_IF);
}

// A relation as a number in C: (a < b ? 1.0 : 0.0)
static void print_c_logic_value(Print *p, Expr e) {
    text_char(p->out, '(');
    print_condition(p, e, BIND_OR);
    text_add(p->out, " ? 1.0 : 0.0)");
}

// --- any node ------------------------------------------------------------------------------------

static Binding binding_of(const Print *p, Expr e) {
    const Dag *d = p->dag;
    Expr rest;
    double c;
    if (print_is_named(p, e)) return BIND_ATOM;
    switch (op_of(d, e)) {
    case OP_NUMBER: return signbit(number_of(d, e)) ? BIND_SUM : BIND_ATOM;
    case OP_SUM: return BIND_SUM;
    case OP_PRODUCT:
        c = print_split(d, e, &rest);
        return c < 0 ? BIND_SUM : product_binding(p, c, rest);
    case OP_POWER: return product_binding(p, 1, e);
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_EQUAL:
    case OP_NOT: return BIND_RELATION;
    case OP_AND: return BIND_AND;
    case OP_OR: return BIND_OR;
    case OP_IF: return p->how->style == PRINT_LATEX ? BIND_ATOM : BIND_IF;
    default: return BIND_ATOM;
    }
}

static void print_bare(Print *p, Expr e) {
    const Dag *d = p->dag;
    Op op = op_of(d, e);
    Expr rest;
    double c;
    switch (op) {
    case OP_NUMBER: print_number(p, number_of(d, e)); break;
    case OP_SYMBOL: print_symbol(p, e); break;
    case OP_SUM: print_sum(p, e); break;
    case OP_PRODUCT:
        c = print_split(d, e, &rest);
        if (c < 0) text_char(p->out, '-');
        print_product(p, fabs(c), rest);
        break;
    case OP_POWER: print_product(p, 1, e); break;
    case OP_IF: print_if(p, e); break;
    default:
        if (is_logic(op))
            print_logic(p, e);
        else
            print_function(p, e, 1);
    }
}

void print_expr(Print *p, Expr e, Binding place) {
    const char *name = e ? name_of_node(p, e) : NULL;
    if (name) {
        text_add(p->out, name);
        return;
    }
    if (!e || p->left <= 0 || p->depth >= DEPTH_LIMIT) {
        text_add(p->out, p->how->style == PRINT_LATEX ? "\\ldots " : "...");
        return;
    }
    p->left--;
    p->depth++;
    if (p->how->style == PRINT_C && is_logic(op_of(p->dag, e))) {
        print_c_logic_value(p, e);
    } else {
        bool bracket = binding_of(p, e) < place;
        if (bracket) open_bracket(p);
        print_bare(p, e);
        if (bracket) close_bracket(p);
    }
    p->depth--;
}
