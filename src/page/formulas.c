// Many equations are taken apart by the component on their left side:
//
//     \dot{p_{arm.elbow}} &= ...      arm
//     f_{valve1.pa} &= ...            valve1
//     t_{12} &= ...                   parts that several equations share
//
// What has no index belongs to the model itself.
#include "page/formulas.h"

#include "base/array.h"
#include "page/mathml.h"
#include <ctype.h>
#include <string.h>

enum { FEW_LINES = 40, MOST_LINES = 3000 };

typedef struct {
    const char *at;
    size_t length;
} Slice;

typedef struct {
    Slice name;
    Text latex;
    int lines;
} Fold;

// The first part of the path in the index of the left side; without one, or with a number, nothing.
static Slice component_of(const char *line) {
    const char *end = strstr(line, "&="), *index = strstr(line, "_{");
    if (!end || !index || index > end) return (Slice){"", 0};
    const char *from = index + 2, *close = from;
    for (; *close && *close != '}' && close < end; close++)
        if (*close == ',') from = close + 1;
    size_t n = 0;
    while (from + n < close && from[n] != '.' && from[n] != '[') n++;
    bool number = n > 0;
    for (size_t i = 0; i < n; i++) number = number && isdigit((unsigned char)from[i]);
    return number ? (Slice){"", 0} : (Slice){from, n};
}

static bool same(Slice a, Slice b) {
    return a.length == b.length && strncmp(a.at, b.at, a.length) == 0;
}

static void add_name(Text *out, Slice name) {
    for (size_t i = 0; i < name.length; i++)
        if (name.at[i] != '\\') { // an escaped sign of LaTeX
            char one[2] = {name.at[i], 0};
            text_xml(out, one);
        }
}

// The length of the word that begins here: a command of LaTeX, or one sign.
static size_t word_length(const char *at) {
    size_t n = 1;
    if (*at != '\\') return n;
    while (isalpha((unsigned char)at[n])) n++;
    return n > 1 ? n : 2;
}

// What opens or closes something that cannot be broken inside.
static int opens(const char *word, size_t n) {
    static const char *const open[] = {"{", "\\left", "\\begin"}, *const close[] = {"}", "\\right",
                                                                                    "\\end"};
    for (int i = 0; i < 3; i++) {
        if (strlen(open[i]) == n && strncmp(open[i], word, n) == 0) return 1;
        if (strlen(close[i]) == n && strncmp(close[i], word, n) == 0) return -1;
    }
    return 0;
}

// Long sums go on in the next line: a - b + c  ->  a - b \\ & + c
static void break_sums(Text *out, const char *latex) {
    enum { LONGEST = 60 };
    int depth = 0, column = 0;
    for (const char *at = latex; *at;) {
        size_t n = word_length(at);
        bool aligned =
            strncmp(at, "\\begin{aligned}", 15) == 0 || strncmp(at, "\\end{aligned}", 13) == 0;
        if (!aligned) depth += opens(at, n);
        if (*at == '\n' || strncmp(at, "\\\\", 2) == 0) column = 0;
        bool sign = depth == 0 && n == 1 && (*at == '+' || *at == '-') && at > latex &&
                    at[-1] == ' ' && at[1] == ' ';
        if (sign && column > LONGEST) {
            text_add(out, "\\\\ & ");
            column = 0;
        }
        text_add_n(out, at, n);
        column += *at != '{' && *at != '}' && *at != ' ' && !(n > 1 && opens(at, n));
        at += n;
    }
}

static void typeset(Text *out, const char *latex) {
    Text broken = {0};
    break_sums(&broken, latex);
    text_add(out, "<div class=\"wide\">");
    latex_to_mathml(out, text_get(&broken));
    text_add(out, "</div>\n");
    text_free(&broken);
}

static void add_fold(Text *out, Fold *f) {
    text_add(out, "<details><summary>");
    if (f->name.length)
        add_name(out, f->name);
    else
        text_add(out, "the model, and parts that equations share");
    text_printf(out, " (%d)</summary>", f->lines);
    text_add(&f->latex, "\\end{aligned}\n");
    typeset(out, text_get(&f->latex));
    text_add(out, "</details>\n");
}

static void fold_lines(Text *out, const char *latex) {
    ARRAY(Fold) fold = {0};
    for (const char *line = latex; *line;) {
        const char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        if (strncmp(line, "\\begin{aligned}", 15) != 0 &&
            strncmp(line, "\\end{aligned}", 13) != 0) {
            Slice name = component_of(line);
            int k = 0;
            while (k < fold.count && !same(fold.data[k].name, name)) k++;
            if (k == fold.count) {
                array_push(&fold, ((Fold){.name = name}));
                text_add(&fold.data[k].latex, "\\begin{aligned}\n");
            }
            text_add_n(&fold.data[k].latex, line, length);
            text_char(&fold.data[k].latex, '\n');
            fold.data[k].lines++;
        }
        line += length + (end ? 1 : 0);
    }
    for (int k = 0; k < fold.count; k++) add_fold(out, &fold.data[k]);
    for (int k = 0; k < fold.count; k++) text_free(&fold.data[k].latex);
    array_free(&fold);
}

void formulas_from_latex(Text *out, const char *latex) {
    int lines = 0;
    for (const char *c = latex; *c; c++) lines += *c == '\n';
    if (lines > MOST_LINES)
        text_printf(out,
                    "<p>%d lines: too many for a page. <code>bondyn equations</code> prints "
                    "them.</p>\n",
                    lines);
    else if (lines > FEW_LINES)
        fold_lines(out, latex);
    else
        typeset(out, latex);
}

void formulas_html(Text *out, const System *s) {
    Text latex = {0};
    equations_print(&latex, s, EQUATIONS_LATEX);
    formulas_from_latex(out, text_get(&latex));
    text_free(&latex);
}
