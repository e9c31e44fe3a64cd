// Printing sums and products: minus signs, one fraction per product, square roots.
//
// A product is first taken apart into what stands over and under the bar:
//
//     2/3 * (a * POWER(b*c, -1)) * d^0.5     ->     over: 2 a d^0.5     under: 3 b c
#include "expr/print.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct {
    Expr base;
    double exponent; // > 0
} Factor;

typedef ARRAY(Factor) Factors;

typedef struct {
    Factors over, under;
    double number_over, number_under;
    bool cut; // more factors than are printed
} Fraction;

enum { FACTOR_LIMIT = 2000 };

// e = number*rest as it shall be printed: also where e has no value, as 2*(1/0).
double print_split(const Dag *d, Expr e, Expr *rest) {
    *rest = is_number(d, e) ? 0 : e;
    if (is_number(d, e)) return number_of(d, e);
    if (op_of(d, e) != OP_PRODUCT || !is_number(d, args_of(d, e)[0])) return 1;
    *rest = args_of(d, e)[1];
    return number_of(d, args_of(d, e)[0]);
}

// --- fractions -----------------------------------------------------------------------------------

// 0.3333333333333333 -> 1/3. Short decimals and C stay as they are.
static void split_rational(const Print *p, double c, double *over, double *under) {
    Text digits = {0};
    text_number(&digits, c);
    bool is_short = digits.length <= 8 || p->how->style == PRINT_C;
    text_free(&digits);
    *over = c;
    *under = 1;
    for (int n = 2; !is_short && n <= 1000; n++) {
        double m = round(c * n);
        if (m < 1 || m > 1e6 || m / n != c) continue;
        *over = m;
        *under = n;
        return;
    }
}

// base^exponent as a number in the graph's sense; exponent 1 for anything that is no such power.
static Expr base_and_exponent(const Print *p, Expr e, double *exponent) {
    *exponent = 1;
    if (op_of(p->dag, e) != OP_POWER || print_is_named(p, e)) return e;
    if (!is_number(p->dag, args_of(p->dag, e)[1])) return e;
    *exponent = number_of(p->dag, args_of(p->dag, e)[1]);
    return args_of(p->dag, e)[0];
}

typedef ARRAY(Factor) Pending; // exponent 1 or -1: over or under

// Nested products join; a product under the bar turns its factors round.
static void take_apart(const Print *p, Expr rest, Fraction *f) {
    const Dag *d = p->dag;
    Pending pending = {0};
    array_push(&pending, ((Factor){rest, 1}));
    while (pending.count) {
        Factor top = array_pop(&pending);
        double n;
        Expr base = base_and_exponent(p, top.base, &n);
        n *= top.exponent;
        bool open = op_of(d, base) == OP_PRODUCT && fabs(n) == 1 && !print_is_named(p, base) &&
                    !is_number(d, args_of(d, base)[0]);
        f->cut = f->cut || f->over.count + f->under.count + pending.count > FACTOR_LIMIT;
        if (open && !f->cut)
            for (int i = count_of(d, base) - 1; i >= 0; i--)
                array_push(&pending, ((Factor){args_of(d, base)[i], n}));
        else if (n > 0)
            array_push(&f->over, ((Factor){base, n}));
        else
            array_push(&f->under, ((Factor){base, -n}));
    }
    array_free(&pending);
}

static Fraction fraction_of(const Print *p, double number, Expr rest) {
    Fraction f = {0};
    split_rational(p, number, &f.number_over, &f.number_under);
    if (rest) take_apart(p, rest, &f);
    return f;
}

static void fraction_free(Fraction *f) {
    array_free(&f->over);
    array_free(&f->under);
}

// --- factors -------------------------------------------------------------------------------------

static bool is_raised_function(const Print *p, Expr base) { // \sin^{2}\left(x\right)
    Op op = op_of(p->dag, base);
    return p->sign->typeset && op >= OP_SIN && op <= OP_TANH && op != OP_ASIN && op != OP_ACOS &&
           op != OP_ATAN && !print_is_named(p, base);
}

static void print_root(Print *p, Expr base) {
    print_sign(p, p->sign->root[0]);
    print_expr(p, base, BIND_IF);
    print_sign(p, p->sign->root[1]);
}

static void print_c_power(Print *p, Expr base, double exponent) {
    bool atom = op_of(p->dag, base) == OP_SYMBOL || print_is_named(p, base);
    if (atom && (exponent == 2 || exponent == 3)) {
        text_char(p->out, '(');
        for (int i = 0; i < (int)exponent; i++) {
            if (i) text_char(p->out, '*');
            print_expr(p, base, BIND_ATOM);
        }
        text_char(p->out, ')');
        return;
    }
    print_sign(p, p->sign->power[0]);
    print_expr(p, base, BIND_IF);
    print_sign(p, p->sign->power[1]);
    print_number(p, exponent);
    print_sign(p, p->sign->power[2]);
}

// base^exponent with an exponent that is an expression
static void print_general_power(Print *p, Expr e) {
    Expr base = args_of(p->dag, e)[0], exponent = args_of(p->dag, e)[1];
    bool c = p->how->style == PRINT_C;
    print_sign(p, p->sign->power[0]);
    print_expr(p, base, c ? BIND_IF : BIND_ATOM);
    print_sign(p, p->sign->power[1]);
    print_expr(p, exponent, c || p->sign->typeset ? BIND_IF : BIND_ATOM);
    print_sign(p, p->sign->power[2]);
}

static void print_number_power(Print *p, Expr base, double exponent) {
    print_sign(p, p->sign->power[0]);
    print_expr(p, base, BIND_ATOM);
    print_sign(p, p->sign->power[1]);
    print_number(p, exponent);
    print_sign(p, p->sign->power[2]);
}

static void print_factor(Print *p, const Factor *f, Binding place) {
    bool power = op_of(p->dag, f->base) == OP_POWER && !print_is_named(p, f->base);
    if (p->left <= 0)
        print_sign(p, p->sign->ellipsis);
    else if (f->exponent == 1 && power)
        print_general_power(p, f->base);
    else if (f->exponent == 1)
        print_expr(p, f->base, place);
    else if (f->exponent == 0.5)
        print_root(p, f->base);
    else if (is_raised_function(p, f->base))
        print_function(p, f->base, f->exponent);
    else if (p->how->style == PRINT_C)
        print_c_power(p, f->base, f->exponent);
    else
        print_number_power(p, f->base, f->exponent);
}

static void print_factors(Print *p, double number, const Factors *f, Binding place) {
    bool first = true;
    if (number != 1 || f->count == 0) {
        print_number(p, number);
        first = false;
    }
    for (int i = 0; i < f->count && p->left > 0; i++) {
        if (!first) print_sign(p, p->sign->times);
        print_factor(p, &f->data[i], place);
        first = false;
        p->left--;
    }
}

static bool is_single(double number, const Factors *f) { return (number != 1) + f->count == 1; }

Binding product_binding(const Print *p, double number, Expr rest) {
    Fraction f = fraction_of(p, number, rest);
    bool under = f.number_under != 1 || f.under.count > 0;
    Binding b = BIND_PRODUCT;
    if (!under && is_single(f.number_over, &f.over) && f.over.count) {
        const Factor *only = &f.over.data[0];
        bool call = only->exponent == 0.5 || p->how->style == PRINT_C;
        b = call ? BIND_ATOM : BIND_POWER;
    }
    fraction_free(&f);
    return b;
}

void print_product(Print *p, double number, Expr rest) {
    Fraction f = fraction_of(p, number, rest);
    bool typeset = p->sign->typeset;
    bool under = f.number_under != 1 || f.under.count > 0;
    bool bracket = under && !typeset && !is_single(f.number_under, &f.under);
    // inside \frac{}{} a lone sum needs no brackets
    Binding over_place =
        typeset && under && is_single(f.number_over, &f.over) ? BIND_IF : BIND_POWER;
    Binding under_place = typeset && is_single(f.number_under, &f.under) ? BIND_IF : BIND_POWER;
    if (under) print_sign(p, p->sign->fraction[0]);
    print_factors(p, f.number_over, &f.over, over_place);
    if (f.cut) print_sign(p, p->sign->cut);
    if (under) print_sign(p, p->sign->fraction[1]);
    if (bracket) print_sign(p, p->sign->bracket[0]);
    if (under) print_factors(p, f.number_under, &f.under, under_place);
    if (bracket) print_sign(p, p->sign->bracket[1]);
    if (under) print_sign(p, p->sign->fraction[2]);
    fraction_free(&f);
}

// --- sums ----------------------------------------------------------------------------------------

static bool is_negative(const Print *p, Expr term) {
    Expr rest;
    return !print_is_named(p, term) && print_split(p->dag, term, &rest) < 0;
}

typedef struct {
    Expr term, rest; // rest 0: a plain number
    bool negative;
} Term;

typedef ARRAY(Term) Terms;

// All terms; a sum inside the sum joins.
static void gather_terms(const Print *p, Expr e, Terms *terms) {
    const Dag *d = p->dag;
    ARRAY(Expr) pending = {0};
    array_push(&pending, e);
    while (pending.count) {
        Expr top = array_pop(&pending);
        bool open = op_of(d, top) == OP_SUM && (top == e || !print_is_named(p, top));
        if (open && terms->count < p->left) {
            for (int i = count_of(d, top) - 1; i >= 0; i--)
                array_push(&pending, args_of(d, top)[i]);
        } else {
            Term t = {.term = top, .negative = is_negative(p, top)};
            print_split(d, top, &t.rest);
            array_push(terms, t);
        }
    }
    array_free(&pending);
}

static int compare_terms(const void *left, const void *right) {
    const Term *a = left, *b = right;
    if (!a->rest != !b->rest) return a->rest ? -1 : 1; // the plain number goes to the end
    return (a->rest > b->rest) - (a->rest < b->rest);
}

// By age, which is the order of writing; if the first term is negative, the first positive one
// leads.
static void order_terms(Term *t, int n) {
    assert(t && n > 0);
    int lead = 0;
    qsort(t, (size_t)n, sizeof *t, compare_terms);
    while (lead < n && t[lead].negative) lead++;
    if (lead == n || lead == 0) return;
    Term first = t[lead];
    memmove(t + 1, t, (size_t)lead * sizeof *t);
    t[0] = first;
}

static void print_term(Print *p, Expr term, bool negative) {
    Expr rest;
    if (!negative) {
        print_expr(p, term, BIND_PRODUCT);
        return;
    }
    double c = print_split(p->dag, term, &rest);
    p->left--;
    if (!rest)
        print_number(p, -c);
    else if (c == -1)
        print_expr(p, rest, BIND_PRODUCT);
    else
        print_product(p, -c, rest);
}

// Signs that are seen: neither tags nor what stands behind the first byte of a character.
static int seen_signs(const char *text) {
    int seen = 0;
    for (bool tag = false; *text; text++) {
        tag = tag || *text == '<';
        seen += !tag && ((unsigned char)*text & 0xC0) != 0x80;
        tag = tag && *text != '>';
    }
    return seen;
}

// Where a sum is all that is printed it goes on in a new line when this one is long.
static void end_long_line(Print *p) {
    enum { LONGEST = 60 };
    if (!p->how->new_line || p->depth > 1) return;
    if (seen_signs(text_get(p->out) + p->line) <= LONGEST) return;
    text_add(p->out, p->how->new_line);
    p->line = p->out->length;
}

void print_sum(Print *p, Expr e) {
    Terms t = {0};
    gather_terms(p, e, &t);
    order_terms(t.data, t.count);
    for (int i = 0; i < t.count && p->left > 0; i++) {
        bool negative = t.data[i].negative;
        if (i) end_long_line(p);
        if (i || negative)
            print_sign(p, !i ? p->sign->negative : negative ? p->sign->minus : p->sign->plus);
        print_term(p, t.data[i].term, negative);
    }
    if (p->left <= 0) print_sign(p, p->sign->cut);
    array_free(&t);
}
