// Texts of this folder on their way into the generated files. A line `//? a b` begins a part that only
// models with a and b need; `//? after` ends it.
#include "export/writing.h"

#include <ctype.h>
#include <stdlib.h>

static bool is_chosen(const char *name, size_t length, const char *const *chosen) {
    if (length == 5 && memcmp(name, "after", 5) == 0) return true;
    for (; *chosen; chosen++)
        if (strlen(*chosen) == length && memcmp(*chosen, name, length) == 0) return true;
    return false;
}

static bool all_chosen(const char *line, const char *end, const char *const *chosen) {
    while (line < end) {
        while (line < end && *line == ' ') line++;
        const char *begin = line;
        while (line < end && *line != ' ') line++;
        if (line > begin && !is_chosen(begin, (size_t)(line - begin), chosen)) return false;
    }
    return true;
}

void export_sections(Text *out, const char *text, const char *const *chosen) {
    bool on = true;
    while (*text) {
        const char *end = strchr(text, '\n');
        end = end ? end : text + strlen(text);
        if (strncmp(text, "//?", 3) == 0) {
            on = all_chosen(text + 3, end, chosen);
        } else if (on) {
            text_add_n(out, text, (size_t)(end - text));
            text_char(out, '\n');
        }
        text = *end ? end + 1 : end;
    }
}

// Bounds of the kernels are for the digits of double: the same for those of float.
static const char *const bounds[][2] = {{"1e-10", "1e-5"},
                                        {"1e-12", "1e-6"},
                                        {"1e-13", "1e-6"},
                                        {"1e-15", "1e-7"},
                                        {"268435456.0", "4096.0"}};

static void add_line(Text *out, const char *line, size_t length, bool single) {
    for (size_t i = 0; i < length;) {
        size_t taken = 0;
        for (size_t k = 0; single && k < sizeof bounds / sizeof *bounds && !taken; k++) {
            size_t n = strlen(bounds[k][0]);
            if (i + n > length || memcmp(line + i, bounds[k][0], n) != 0) continue;
            text_add(out, bounds[k][1]);
            taken = n;
        }
        if (!taken) text_char(out, line[i]), taken = 1;
        i += taken;
    }
    text_char(out, '\n');
}

// What looks at the bits of a double is written another way for float.
static const char power_of_two[] = "static double bondyn_power_of_two_below(double x) {";
static const char power_of_two_single[] =
    "    int exponent;\n    frexp(x, &exponent);\n    return ldexp(1.0, -exponent);\n";

// The pieces of a .def of kernels, as they stand there.
void export_kernels(Text *out, const char *text, bool single) {
    bool inside = false;
    while (*text) {
        const char *end = strchr(text, '\n');
        size_t length = end ? (size_t)(end - text) : strlen(text);
        bool opens = strncmp(text, "KERNEL(", 7) == 0, closes = length == 1 && *text == ')';
        bool bits = single && strncmp(text, power_of_two, sizeof power_of_two - 1) == 0;
        if (opens || closes)
            inside = opens;
        else if (inside)
            add_line(out, text, length, single);
        text += length + (end != NULL);
        if (bits) {
            const char *close = strstr(text, "\n}");
            text_add(out, power_of_two_single);
            if (close) text = close + 1;
        }
    }
}

// --- tokens --------------------------------------------------------------------------------------

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Strings, characters, comments and lines of the preprocessor's includes are left as they are.
static size_t length_of_quoted(const char *s) {
    if (s[0] == '/' && s[1] == '/') return strcspn(s, "\n");
    if (*s != '"' && *s != '\'') return 0;
    size_t n = 1;
    while (s[n] && s[n] != *s) n += s[n] == '\\' ? 2 : 1;
    return n + 1;
}

static size_t length_of_word(const char *s) {
    size_t n = 0;
    bool number = isdigit((unsigned char)*s);
    while (is_word(s[n]) || (number && s[n] == '.') ||
           (number && (s[n] == '+' || s[n] == '-') && n && strchr("eEpP", s[n - 1])))
        n++;
    return n;
}

// Every `model_...` gets the prefix in its place.
void export_prefixed(Text *out, const char *text, const char *prefix) {
    while (*text) {
        size_t n = length_of_quoted(text);
        if (!n && is_word(*text)) {
            n = length_of_word(text);
            if (strncmp(text, "model_", 6) == 0) {
                text_printf(out, "%s_", prefix);
                text += 6;
                n -= 6;
            }
        }
        if (!n) n = 1;
        text_add_n(out, text, n);
        text += n;
    }
}

// --- float in place of double --------------------------------------------------------------------

static const char *const math_names[] = {"fabs", "sqrt", "exp",  "log",  "tan",   "asin",  "acos",
                                         "atan", "sinh", "cosh", "tanh", "floor", "ceil",  "atan2",
                                         "pow",  "sin",  "cos",  "fmax", "fmin",  "frexp", "ldexp"};

static void write_number_single(Text *out, const char *text, size_t n) {
    bool hex = n > 1 && (text[1] == 'x' || text[1] == 'X');
    bool real = false;
    for (size_t i = 0; i < n; i++)
        real = real || text[i] == '.' || (!hex && (text[i] == 'e' || text[i] == 'E'));
    if (!real) {
        text_add_n(out, text, n);
        return;
    }
    double x = strtod(text, NULL);
    if (x != 0 && x < 1e-37)
        text_add(out, "1e-37f"); // as near to nothing as it gets
    else if (x > 3e38)
        text_add(out, "3e38f");
    else
        text_add_n(out, text, n), text_char(out, 'f');
}

static void write_word_single(Text *out, const char *text, size_t n) {
    if (n == 6 && memcmp(text, "double", 6) == 0) {
        text_add(out, "float");
        return;
    }
    text_add_n(out, text, n);
    for (size_t i = 0; i < sizeof math_names / sizeof *math_names; i++)
        if (strlen(math_names[i]) == n && memcmp(math_names[i], text, n) == 0) text_char(out, 'f');
}

void export_single(Text *out, const char *text) {
    while (*text) {
        size_t n = length_of_quoted(text);
        if (n) {
            text_add_n(out, text, n);
        } else if (is_word(*text)) {
            n = length_of_word(text);
            if (isdigit((unsigned char)*text))
                write_number_single(out, text, n);
            else
                write_word_single(out, text, n);
        } else {
            text_char(out, *text);
            n = 1;
        }
        text += n;
    }
}
