// Printing: from the graph to what a person writes, as text of the language, LaTeX, MathML or C.
//
//     SUM(v, PRODUCT(-1, PRODUCT(q, POWER(C, -1))))     ->     v - q/C
//
// A node shared a thousand times is printed a thousand times, so output stops with "..." after a
// number of nodes and a depth that nobody reads; name shared nodes to print large systems.
// The signs of each style are in notation.c, sums and products in print_sum.c; here are atoms, functions, relations and if.
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
    Print p = {.out = out,
               .dag = d,
               .how = how,
               .sign = notation_of(how->style),
               .left = NODE_LIMIT,
               .line = out->length};
    print_expr(&p, e, BIND_IF);
}

static void open_bracket(Print *p) { print_sign(p, p->sign->bracket[0]); }

static void close_bracket(Print *p) { print_sign(p, p->sign->bracket[1]); }

// --- atoms ---------------------------------------------------------------------------------------

static const char *name_of_node(const Print *p, Expr e) {
    return p->how->name ? p->how->name(p->how->context, e) : NULL;
}

bool print_is_named(const Print *p, Expr e) { return name_of_node(p, e) != NULL; }

static void print_symbol(Print *p, Expr e) {
    const char *name =
        name_text(p->dag->names, expr_symbol_name(p->dag, expr_symbol_index(p->dag, e)));
    if (p->how->style == PRINT_C)
        for (const char *c = name; *c; c++)
            text_char(p->out, isalnum((unsigned char)*c) ? *c : '_');
    else
        name_print(p->out, name, p->how->style);
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

// 2.5e-07 -> 2.5 times 10 to the power of -7
static void print_mathml_number(Text *out, const char *digits) {
    const char *e = strchr(digits, 'e');
    size_t n = e ? (size_t)(e - digits) : strlen(digits);
    if (*digits == '-') text_add(out, "<mo>−</mo>");
    size_t sign = *digits == '-';
    if (e && n == sign + 1 && digits[sign] == '1')
        n = 0;
    else
        text_printf(out, "<mn>%.*s</mn>", (int)(n - sign), digits + sign);
    if (!e) return;
    int power = atoi(e + 1);
    text_printf(out, "%s<msup><mn>10</mn><mrow>%s<mn>%d</mn></mrow></msup>", n ? "<mo>·</mo>" : "",
                power < 0 ? "<mo>−</mo>" : "", abs(power));
}

// What is no number has no digits: its signs for a positive, a negative infinity, and for none.
static const char *not_finite(PrintStyle style, double x) {
    static const char *const sign[][3] = {
        [PRINT_TEXT] = {NULL, NULL, NULL},
        [PRINT_LATEX] = {"\\infty", "-\\infty", "\\mathrm{NaN}"},
        [PRINT_C] = {"INFINITY", "-INFINITY", "NAN"},
        [PRINT_MATHML] = {"<mi>∞</mi>", "<mo>−</mo><mi>∞</mi>", "<mi>NaN</mi>"},
    };
    return isfinite(x) ? NULL : sign[style][isnan(x) ? 2 : x < 0];
}

void print_number(Print *p, double x) {
    const char *special = not_finite(p->how->style, x);
    if (special) {
        text_add(p->out, special);
        return;
    }
    Text digits = {0};
    text_number(&digits, x);
    const char *s = text_get(&digits);
    switch (p->how->style) {
    case PRINT_TEXT: text_add(p->out, s); break;
    case PRINT_LATEX: print_latex_number(p->out, s); break;
    case PRINT_C: text_printf(p->out, "%s%s", s, strpbrk(s, ".e") ? "" : ".0"); break;
    case PRINT_MATHML: print_mathml_number(p->out, s); break;
    }
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

static void print_function_name(Print *p, Op op) {
    const char *latex = latex_function(op);
    switch (p->how->style) {
    case PRINT_TEXT: text_add(p->out, op_name[op]); break;
    case PRINT_LATEX:
        if (latex)
            text_add(p->out, latex);
        else
            text_printf(p->out, "\\operatorname{%s}", op_name[op]);
        break;
    case PRINT_C: text_add(p->out, c_function(op)); break;
    case PRINT_MATHML: text_printf(p->out, "<mi>%s</mi>", latex ? latex + 1 : op_name[op]); break;
    }
}

static void print_whole_number(Print *p, int n) {
    text_printf(p->out, p->how->style == PRINT_MATHML ? "<mn>%d</mn>" : "%d", n);
}

static void print_arguments(Print *p, Expr e) {
    open_bracket(p);
    int first = op_of(p->dag, e) == OP_MATRIX; // behind its kind
    for (int i = first; i < count_of(p->dag, e); i++) {
        if (i > first) print_sign(p, p->sign->comma);
        Expr arg = args_of(p->dag, e)[i];
        bool table = i == 0 && (op_of(p->dag, e) == OP_TABLE || op_of(p->dag, e) == OP_TABLE_SLOPE);
        if (table)
            print_whole_number(p, (int)number_of(p->dag, arg));
        else
            print_expr(p, arg, BIND_IF);
    }
    close_bracket(p);
}

static bool print_fenced(Print *p, Expr e) { // |x| and its like
    Op op = op_of(p->dag, e);
    const char *const *fence = op == OP_ABS     ? p->sign->magnitude
                               : op == OP_FLOOR ? p->sign->floor
                               : op == OP_CEIL  ? p->sign->ceiling
                                                : NULL;
    if (!fence || !fence[0]) return false;
    print_sign(p, fence[0]);
    print_expr(p, args_of(p->dag, e)[0], BIND_IF);
    print_sign(p, fence[1]);
    return true;
}

// care(a, b, ...)[2, 1]: the entry of the result that is meant.
static void print_entry(Print *p, Expr e) {
    Expr matrix = args_of(p->dag, e)[0];
    MatrixShape s = expr_matrix_kind(p->dag, matrix)->shape;
    int number = (int)number_of(p->dag, args_of(p->dag, e)[1]);
    bool wide = s.function == MATRIX_SOLVE || s.function == MATRIX_SYLVESTER;
    int cols = s.function == MATRIX_EXTERNAL ? 1 : wide ? s.m : s.n;
    static const char *const name[] = {"%s", "\\operatorname{%s}", "%s", "<mi>%s</mi>"};
    text_printf(p->out, name[p->how->style], matrix_function_name(s));
    print_arguments(p, matrix);
    if (s.function == MATRIX_EXTERNAL && s.m <= 1) return;
    print_sign(p, p->sign->index[0]);
    print_whole_number(p, number / cols + 1);
    if (s.function != MATRIX_EXTERNAL) {
        print_sign(p, p->sign->index[1]);
        print_whole_number(p, number % cols + 1);
    }
    print_sign(p, p->sign->index[2]);
}

void print_function(Print *p, Expr e, double power) {
    if (op_of(p->dag, e) == OP_ENTRY) {
        print_entry(p, e);
        return;
    }
    if (print_fenced(p, e)) return;
    if (power != 1) print_sign(p, p->sign->raised[0]); // \sin^{2}
    print_function_name(p, op_of(p->dag, e));
    if (power != 1) {
        print_sign(p, p->sign->raised[1]);
        print_number(p, power);
        print_sign(p, p->sign->raised[2]);
    }
    print_arguments(p, e);
}

// --- relations, logic, if ------------------------------------------------------------------------

static const char *infix(const Print *p, Op op) {
    switch (op) {
    case OP_LESS: return p->sign->relation[0];
    case OP_LESS_EQUAL: return p->sign->relation[1];
    case OP_EQUAL: return p->sign->relation[2];
    case OP_NOT: return p->sign->relation[3]; // of an equality
    case OP_AND: return p->sign->logic[0];
    default: return p->sign->logic[1];
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
        print_sign(p, p->sign->logic[2]);
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
    const char *const *sign = p->sign->choice;
    print_sign(p, sign[0]);
    if (p->sign->typeset)
        print_expr(p, then, BIND_IF);
    else
        print_condition(p, condition, BIND_OR);
    print_sign(p, sign[1]);
    if (p->sign->typeset)
        print_expr(p, condition, BIND_IF);
    else
        print_expr(p, then, BIND_OR);
    print_sign(p, sign[2]);
    print_expr(p, otherwise, BIND_IF);
    print_sign(p, sign[3]);
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
    case OP_IF: return p->sign->typeset ? BIND_ATOM : BIND_IF;
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
        if (c < 0) print_sign(p, p->sign->negative);
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
        print_sign(p, p->sign->ellipsis);
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
