// LaTeX of our own printers to MathML, which every browser draws without help.
//
//     \frac{p_{coil}}{L}  ->  <mfrac><msub><mi>p</mi><mtext>coil</mtext></msub><mi>L</mi></mfrac>
//
//     row   = { atom [ "_" index ] [ "^" group ] }
//     atom  = letter | number | "{" row "}" | "\frac" group group | "\sqrt" group | "\dot" group
//           | "\left" fence row "\right" fence | "\begin{name}" table "\end{name}" | "\word" | sign
//     table = row { "&" row } { "\\" row { "&" row } }
#include "page/mathml.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { DEEPEST = 2000 };

typedef struct {
    const char *at;
    Text *out;
    int depth;
} Reader;

static void read_row(Reader *r);
static void read_atom(Reader *r);
static void read_scripts(Reader *r, size_t start);

// --- words ---------------------------------------------------------------------------------------

typedef enum { MARK_NAME, MARK_SIGN, MARK_SPACE } Mark;

static const struct {
    const char *word, *text;
    Mark mark;
} vocabulary[] = {
    {"alpha", "α", MARK_NAME},    {"beta", "β", MARK_NAME},    {"gamma", "γ", MARK_NAME},
    {"delta", "δ", MARK_NAME},    {"epsilon", "ε", MARK_NAME}, {"zeta", "ζ", MARK_NAME},
    {"eta", "η", MARK_NAME},      {"theta", "θ", MARK_NAME},   {"iota", "ι", MARK_NAME},
    {"kappa", "κ", MARK_NAME},    {"lambda", "λ", MARK_NAME},  {"mu", "μ", MARK_NAME},
    {"nu", "ν", MARK_NAME},       {"xi", "ξ", MARK_NAME},      {"pi", "π", MARK_NAME},
    {"rho", "ρ", MARK_NAME},      {"sigma", "σ", MARK_NAME},   {"tau", "τ", MARK_NAME},
    {"upsilon", "υ", MARK_NAME},  {"phi", "φ", MARK_NAME},     {"chi", "χ", MARK_NAME},
    {"psi", "ψ", MARK_NAME},      {"omega", "ω", MARK_NAME},   {"Gamma", "Γ", MARK_NAME},
    {"Delta", "Δ", MARK_NAME},    {"Theta", "Θ", MARK_NAME},   {"Lambda", "Λ", MARK_NAME},
    {"Xi", "Ξ", MARK_NAME},       {"Pi", "Π", MARK_NAME},      {"Sigma", "Σ", MARK_NAME},
    {"Upsilon", "Υ", MARK_NAME},  {"Phi", "Φ", MARK_NAME},     {"Psi", "Ψ", MARK_NAME},
    {"Omega", "Ω", MARK_NAME},    {"infty", "∞", MARK_NAME},   {"partial", "∂", MARK_NAME},
    {"le", "≤", MARK_SIGN},       {"ne", "≠", MARK_SIGN},      {"land", "∧", MARK_SIGN},
    {"lor", "∨", MARK_SIGN},      {"lnot", "¬", MARK_SIGN},    {"neg", "¬", MARK_SIGN},
    {"cdot", "·", MARK_SIGN},     {"times", "×", MARK_SIGN},   {"lfloor", "⌊", MARK_SIGN},
    {"rfloor", "⌋", MARK_SIGN},   {"lceil", "⌈", MARK_SIGN},   {"rceil", "⌉", MARK_SIGN},
    {"quad", "1em", MARK_SPACE},  {",", "0.17em", MARK_SPACE}, {";", "0.28em", MARK_SPACE},
    {"qquad", "2em", MARK_SPACE},
};
enum { WORDS = sizeof vocabulary / sizeof vocabulary[0] };

static int find_word(const char *s, size_t n) {
    for (int i = 0; i < WORDS; i++)
        if (strlen(vocabulary[i].word) == n && !strncmp(vocabulary[i].word, s, n)) return i;
    return -1;
}

static void add_escaped(Text *out, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char one[2] = {s[i], 0};
        if (s[i] == '\\' && i + 1 < n && strchr("_#%&{}$", s[i + 1])) continue;
        text_xml(out, one);
    }
}

static void add_element(Text *out, const char *tag, const char *s, size_t n) {
    text_printf(out, "<%s>", tag);
    add_escaped(out, s, n);
    text_printf(out, "</%s>", tag);
}

static void add_word(Reader *r, const char *s, size_t n) {
    int w = find_word(s, n);
    if (w < 0) {
        add_element(r->out, "mi", s, n); // sin, cos, min ... and whatever else
        return;
    }
    const char *text = vocabulary[w].text;
    switch (vocabulary[w].mark) {
    case MARK_NAME: text_printf(r->out, "<mi>%s</mi>", text); break;
    case MARK_SIGN: text_printf(r->out, "<mo>%s</mo>", text); break;
    case MARK_SPACE: text_printf(r->out, "<mspace width=\"%s\"/>", text); break;
    }
}

// --- groups, fences, tables ----------------------------------------------------------------------

static bool take(Reader *r, const char *text) {
    size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0) return false;
    r->at += n;
    return true;
}

static void skip_blanks(Reader *r) {
    while (*r->at == ' ' || *r->at == '\n') r->at++;
}

static void read_group(Reader *r) { // "{" row "}"
    skip_blanks(r);
    text_add(r->out, "<mrow>");
    if (take(r, "{")) {
        read_row(r);
        take(r, "}");
    }
    text_add(r->out, "</mrow>");
}

// The text of a group, braces inside included; escapes stay.
static const char *plain_group(Reader *r, size_t *n) {
    skip_blanks(r);
    *n = 0;
    if (!take(r, "{")) return r->at;
    const char *from = r->at;
    for (int open = 1; *r->at; r->at++) {
        if (*r->at == '\\' && r->at[1]) {
            r->at++;
            continue;
        }
        open += (*r->at == '{') - (*r->at == '}');
        if (!open) break;
    }
    *n = (size_t)(r->at - from);
    take(r, "}");
    return from;
}

static void read_fence(Reader *r) {
    skip_blanks(r);
    if (take(r, ".")) return;
    text_add(r->out, "<mo fence=\"true\" stretchy=\"true\">");
    if (take(r, "\\")) {
        size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyz");
        int w = find_word(r->at, n);
        text_add(r->out, w < 0 ? "|" : vocabulary[w].text);
        r->at += n ? n : *r->at != 0;
    } else if (*r->at) {
        add_escaped(r->out, r->at, 1);
        r->at++;
    }
    text_add(r->out, "</mo>");
}

static void read_fenced(Reader *r) { // behind \left
    text_add(r->out, "<mrow>");
    read_fence(r);
    read_row(r);
    if (take(r, "\\right")) read_fence(r);
    text_add(r->out, "</mrow>");
}

static void read_table(Reader *r) { // behind \begin
    size_t n;
    const char *name = plain_group(r, &n);
    bool cases = n == 5 && !strncmp(name, "cases", n),
         matrix = n == 7 && !strncmp(name, "bmatrix", n);
    text_add(r->out, cases    ? "<mrow><mo fence=\"true\" stretchy=\"true\">{</mo>"
                     : matrix ? "<mrow><mo fence=\"true\" stretchy=\"true\">[</mo>"
                              : "<mrow>");
    text_printf(r->out, "<mtable class=\"%s\"><mtr><mtd>",
                cases    ? "cases"
                : matrix ? "matrix"
                         : "lines");
    while (*r->at && strncmp(r->at, "\\end", 4) != 0) {
        read_row(r);
        if (take(r, "&"))
            text_add(r->out, "</mtd><mtd>");
        else if (take(r, "\\\\")) {
            skip_blanks(r);
            if (strncmp(r->at, "\\end", 4) != 0) text_add(r->out, "</mtd></mtr><mtr><mtd>");
        } else if (*r->at && strncmp(r->at, "\\end", 4) != 0) {
            r->at++; // a bracket without its partner
        }
    }
    text_add(r->out, "</mtd></mtr></mtable>");
    if (matrix) text_add(r->out, "<mo fence=\"true\" stretchy=\"true\">]</mo>");
    text_add(r->out, "</mrow>");
    if (take(r, "\\end")) (void)plain_group(r, &n);
}

// --- atoms ---------------------------------------------------------------------------------------

static bool is_command(const char *s, size_t n, const char *word) {
    return strlen(word) == n && !strncmp(s, word, n);
}

// The dot stands above the letter, not above its index.
static void read_dotted(Reader *r) {
    size_t start = r->out->length;
    bool group = take(r, "{");
    text_add(r->out, "<mover accent=\"true\">");
    read_atom(r);
    text_add(r->out, "<mo>˙</mo></mover>");
    read_scripts(r, start);
    if (!group) return;
    read_row(r);
    take(r, "}");
}

static void read_command(Reader *r) { // behind the backslash
    const char *s = r->at;
    size_t n = 0;
    while (isalpha((unsigned char)s[n])) n++;
    if (!n) n = *s != 0;
    r->at += n;
    if (is_command(s, n, "frac")) {
        text_add(r->out, "<mfrac>");
        read_group(r);
        read_group(r);
        text_add(r->out, "</mfrac>");
    } else if (is_command(s, n, "sqrt")) {
        text_add(r->out, "<msqrt>");
        read_group(r);
        text_add(r->out, "</msqrt>");
    } else if (is_command(s, n, "dot")) {
        read_dotted(r);
    } else if (is_command(s, n, "mathrm") || is_command(s, n, "operatorname")) {
        size_t length;
        const char *word = plain_group(r, &length);
        text_add(r->out, "<mi mathvariant=\"normal\">");
        add_escaped(r->out, word, length);
        text_add(r->out, "</mi>");
    } else if (is_command(s, n, "text")) {
        size_t length;
        const char *word = plain_group(r, &length);
        add_element(r->out, "mtext", word, length);
    } else if (is_command(s, n, "left")) {
        read_fenced(r);
    } else if (is_command(s, n, "begin")) {
        read_table(r);
    } else {
        add_word(r, s, n);
    }
}

static void read_atom(Reader *r) {
    char c = *r->at;
    if (c == '{') {
        read_group(r);
    } else if (c == '\\') {
        r->at++;
        read_command(r);
    } else if (isdigit((unsigned char)c)) {
        size_t n = strspn(r->at, "0123456789.");
        add_element(r->out, "mn", r->at, n);
        r->at += n;
    } else if (isalpha((unsigned char)c)) {
        add_element(r->out, "mi", r->at, 1);
        r->at++;
    } else {
        bool bracket = strchr("()[]|", c) != NULL;
        text_add(r->out, bracket ? "<mo stretchy=\"false\">" : "<mo>");
        text_add(r->out, c == '-' ? "−" : "");
        if (c != '-') add_escaped(r->out, r->at, 1);
        text_add(r->out, "</mo>");
        r->at++;
    }
}

// Marks what was written from `start` on with an index, a power, or both.
static void read_scripts(Reader *r, size_t start) {
    size_t n = 0;
    const char *index = take(r, "_") ? plain_group(r, &n) : NULL;
    bool power = take(r, "^");
    if (!index && !power) return;
    Text base = {0};
    text_add(&base, text_get(r->out) + start);
    r->out->length = start;
    text_add(r->out, index && power ? "<msubsup>" : index ? "<msub>" : "<msup>");
    text_add(r->out, text_get(&base));
    text_free(&base);
    if (index) add_element(r->out, "mtext", index, n);
    if (power) read_group(r);
    text_add(r->out, index && power ? "</msubsup>" : index ? "</msub>" : "</msup>");
}

static bool row_ends(const char *s) {
    return !*s || *s == '}' || *s == '&' || !strncmp(s, "\\\\", 2) || !strncmp(s, "\\right", 6) ||
           !strncmp(s, "\\end", 4);
}

static void read_row(Reader *r) {
    if (++r->depth > DEEPEST) { // the printers stop long before
        while (!row_ends(r->at)) r->at++;
    }
    for (skip_blanks(r); !row_ends(r->at); skip_blanks(r)) {
        size_t start = r->out->length;
        read_atom(r);
        read_scripts(r, start);
    }
    r->depth--;
}

void latex_to_mathml(Text *out, const char *latex) {
    Reader r = {latex, out, 0};
    text_add(out, "<math display=\"block\">");
    while (*r.at) {
        read_row(&r);
        if (*r.at) r.at++; // what closes nothing
    }
    text_add(out, "</math>\n");
}
