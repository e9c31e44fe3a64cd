// Names as mathematics: the last word of a path is the letter, what stands before it the index.
//
//     arm.spring.q  ->  q_{arm.spring}        theta1   ->  \theta_{1}
//     w.f[2]        ->  f_{2,w}               der(x)   ->  \dot{x}
//     omega_ref     ->  \omega_{ref}          mass     ->  \mathrm{mass}
#include "expr/expr.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *word, *letter;
} greek[] = {
    {"alpha", "α"},   {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"},   {"epsilon", "ε"},
    {"zeta", "ζ"},    {"eta", "η"},    {"theta", "θ"}, {"iota", "ι"},    {"kappa", "κ"},
    {"lambda", "λ"},  {"mu", "μ"},     {"nu", "ν"},    {"xi", "ξ"},      {"pi", "π"},
    {"rho", "ρ"},     {"sigma", "σ"},  {"tau", "τ"},   {"upsilon", "υ"}, {"phi", "φ"},
    {"chi", "χ"},     {"psi", "ψ"},    {"omega", "ω"}, {"Gamma", "Γ"},   {"Delta", "Δ"},
    {"Theta", "Θ"},   {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Pi", "Π"},      {"Sigma", "Σ"},
    {"Upsilon", "Υ"}, {"Phi", "Φ"},    {"Psi", "Ψ"},   {"Omega", "Ω"},
};

typedef struct {
    const char *letter;
    size_t length;
    Text index; // its parts with commas between them
    Text words; // of what is no path; then nothing of the above
    int dots;   // one for each der( )
} Parts;

static const char *greek_letter(const char *s, size_t n) { // NULL: none
    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
        if (strlen(greek[i].word) == n && !strncmp(greek[i].word, s, n)) return greek[i].letter;
    return NULL;
}

// --- taking a path apart -------------------------------------------------------------------------

// The part of a word that is its letter: up to its trailing digits, '_' or '['.
static size_t letter_length(const char *s, size_t n) {
    size_t end = 0;
    while (end < n && s[end] != '_' && s[end] != '[') end++;
    size_t digits = end;
    while (digits > 0 && isdigit((unsigned char)s[digits - 1])) digits--;
    return digits > 0 ? digits : end > 0 ? end : n;
}

static void add_index(Text *index, const char *s, size_t n) {
    if (n == 0) return;
    if (index->length) text_char(index, ',');
    text_add_n(index, s, n);
}

// digits, "_ref" and "[2,3]" behind the letter, each an index of its own
static void add_rest(Text *index, const char *s, size_t n) {
    size_t i = 0;
    while (i < n) {
        size_t end = i;
        if (s[i] == '[') {
            while (end < n && s[end] != ']') end++;
            add_index(index, s + i + 1, end - i - 1);
            i = end < n ? end + 1 : end;
        } else {
            while (end < n && s[end] != '[') end++;
            size_t from = s[i] == '_' ? i + 1 : i;
            add_index(index, s + from, end - from);
            i = end;
        }
    }
}

// What is no path (states that are chosen: "1 of a.p, b.p") has no letter and is printed as it is.
static bool is_path(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strchr(" ()", s[i])) return false;
    return n > 0;
}

static Parts parts_of(const char *path) {
    Parts parts = {0};
    size_t n = strlen(path);
    while (n > 5 && !strncmp(path, "der(", 4) && path[n - 1] == ')') {
        path += 4;
        n -= 5;
        parts.dots++;
    }
    if (!is_path(path, n)) {
        text_add_n(&parts.words, path, n);
        return parts;
    }
    size_t word = n;
    while (word > 0 && path[word - 1] != '.') word--;
    parts.letter = path + word;
    parts.length = letter_length(parts.letter, n - word);
    add_rest(&parts.index, parts.letter + parts.length, n - word - parts.length);
    if (word > 1) add_index(&parts.index, path, word - 1);
    return parts;
}

// --- LaTeX ---------------------------------------------------------------------------------------

static void add_escaped(Text *out, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (strchr("_#%&{}$", s[i])) text_char(out, '\\');
        text_char(out, s[i]);
    }
}

static void print_latex(Text *out, const Parts *p) {
    for (int i = 0; i < p->dots; i++) text_add(out, "\\dot{");
    if (p->length && greek_letter(p->letter, p->length))
        text_printf(out, "\\%.*s", (int)p->length, p->letter);
    else if (p->words.length) {
        text_add(out, "\\text{");
        add_escaped(out, text_get(&p->words), p->words.length);
        text_char(out, '}');
    } else if (p->length == 1)
        text_add_n(out, p->letter, 1);
    else if (p->length) {
        text_add(out, "\\mathrm{");
        add_escaped(out, p->letter, p->length);
        text_char(out, '}');
    }
    if (p->index.length) {
        text_add(out, "_{");
        add_escaped(out, text_get(&p->index), p->index.length);
        text_char(out, '}');
    }
    for (int i = 0; i < p->dots; i++) text_char(out, '}');
}

// --- MathML --------------------------------------------------------------------------------------

static void print_mathml_letter(Text *out, const Parts *p) {
    const char *letter = greek_letter(p->letter, p->length);
    Text word = {0};
    text_add_n(&word, p->letter, p->length);
    if (p->words.length) {
        text_add(out, "<mtext>");
        text_xml(out, text_get(&p->words));
        text_add(out, "</mtext>");
    } else if (p->length) {
        text_add(out, p->length > 1 && !letter ? "<mi mathvariant=\"normal\">" : "<mi>");
        text_xml(out, letter ? letter : text_get(&word));
        text_add(out, "</mi>");
    }
    text_free(&word);
}

// Dots stand above the letter, not above its index.
static void print_mathml(Text *out, const Parts *p) {
    if (p->index.length) text_add(out, "<msub>");
    for (int i = 0; i < p->dots; i++) text_add(out, "<mover accent=\"true\">");
    print_mathml_letter(out, p);
    for (int i = 0; i < p->dots; i++) text_add(out, "<mo>˙</mo></mover>");
    if (p->index.length) {
        text_add(out, "<mtext>");
        text_xml(out, text_get(&p->index));
        text_add(out, "</mtext></msub>");
    }
}

void name_print(Text *out, const char *path, PrintStyle style) {
    Parts parts = parts_of(path);
    switch (style) {
    case PRINT_TEXT:
    case PRINT_C: text_add(out, path); break;
    case PRINT_LATEX: print_latex(out, &parts); break;
    case PRINT_MATHML: print_mathml(out, &parts); break;
    }
    text_free(&parts.index);
    text_free(&parts.words);
}
