// Names in LaTeX: the last word of a path is the letter, what stands before it the index.
//
//     arm.spring.q  ->  q_{arm.spring}        theta1   ->  \theta_{1}
//     w.f[2]        ->  f_{2,w}               der(x)   ->  \dot{x}
//     omega_ref     ->  \omega_{ref}          mass     ->  \mathrm{mass}
#include "expr/expr.h"

#include <ctype.h>
#include <string.h>

static const char *const greek[] = {
    "alpha",   "beta",   "gamma", "delta",   "epsilon", "zeta",  "eta",   "theta", "iota",
    "kappa",   "lambda", "mu",    "nu",      "xi",      "pi",    "rho",   "sigma", "tau",
    "upsilon", "phi",    "chi",   "psi",     "omega",   "Gamma", "Delta", "Theta", "Lambda",
    "Xi",      "Pi",     "Sigma", "Upsilon", "Phi",     "Psi",   "Omega",
};

static bool is_greek(const char *s, size_t n) {
    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
        if (strlen(greek[i]) == n && !strncmp(greek[i], s, n)) return true;
    return false;
}

static void add_escaped(Text *out, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (strchr("_#%&{}$", s[i])) text_char(out, '\\');
        text_char(out, s[i]);
    }
}

static void add_letter(Text *out, const char *s, size_t n) {
    if (is_greek(s, n))
        text_printf(out, "\\%.*s", (int)n, s);
    else if (n == 1)
        text_add_n(out, s, n);
    else {
        text_add(out, "\\mathrm{");
        add_escaped(out, s, n);
        text_char(out, '}');
    }
}

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
    add_escaped(index, s, n);
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

static void print_path(Text *out, const char *path, size_t n) {
    size_t word = n;
    while (word > 0 && path[word - 1] != '.') word--;
    size_t letter = letter_length(path + word, n - word);
    Text index = {0};
    add_rest(&index, path + word + letter, n - word - letter);
    if (word > 1) add_index(&index, path, word - 1);
    add_letter(out, path + word, letter);
    if (index.length) text_printf(out, "_{%s}", text_get(&index));
    text_free(&index);
}

void name_print_latex(Text *out, const char *path) {
    size_t n = strlen(path);
    int dots = 0;
    while (n > 5 && !strncmp(path, "der(", 4) && path[n - 1] == ')') {
        path += 4;
        n -= 5;
        dots++;
    }
    for (int i = 0; i < dots; i++) text_add(out, "\\dot{");
    if (n) print_path(out, path, n);
    for (int i = 0; i < dots; i++) text_char(out, '}');
}
