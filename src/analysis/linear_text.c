// A linear model as text: for people, as JSON, CSV, LaTeX, a MAT file and as a script for Octave or MATLAB.
#include "analysis/linear.h"

#include "base/json.h"
#include "base/mat.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    const double *value;
    int rows, columns;
    const Label *row, *column;
    bool of_rates; // of the rows' rates
    bool discrete; // of the rows' next values, then
} Part;

enum { TABLES = 6 };

static int tables_of(const LinearModel *l, Part *t) {
    const Part all[TABLES] = {
        {"A", l->A, l->n, l->n, l->state, l->state, true, false},
        {"B", l->B, l->n, l->m, l->state, l->input, true, false},
        {"C", l->C, l->p, l->n, l->output, l->state, false, false},
        {"D", l->D, l->p, l->m, l->output, l->input, false, false},
        {"B1", l->B1, l->n, l->m, l->state, l->input, true, false},
        {"D1", l->D1, l->p, l->m, l->output, l->input, false, false},
    };
    int count = 0;
    for (int i = 0; i < TABLES; i++)
        if (all[i].value) t[count] = all[i], t[count++].discrete = l->period > 0;
    return count;
}

static double entry(const Part *t, int i, int j) {
    return t->value[(size_t)j * (size_t)t->rows + (size_t)i];
}

// --- for people ----------------------------------------------------------------------------------

static void print_labels(Text *out, const char *what, const Label *l, const double *value,
                         const double *rate, int count) {
    if (!count) return;
    text_printf(out, "%s\n", what);
    for (int i = 0; i < count; i++) {
        text_printf(out, "  %-28s = %.10g", l[i].name, value[i]);
        if (*l[i].unit) text_printf(out, " %s", l[i].unit);
        if (rate && rate[i] != 0) text_printf(out, "    rate %.6g", rate[i]);
        text_char(out, '\n');
    }
}

enum { MOST_COLUMNS = 8, MOST_PRINTED = 40 };

static void print_table(Text *out, const Part *t) {
    if (!t->rows || !t->columns) return;
    text_printf(out, "%s\n", t->name);
    for (int first = 0; first < t->columns; first += MOST_COLUMNS) {
        int last = first + MOST_COLUMNS < t->columns ? first + MOST_COLUMNS : t->columns;
        text_printf(out, "  %-24s", "");
        for (int j = first; j < last; j++) text_printf(out, " %16.16s", t->column[j].name);
        text_char(out, '\n');
        for (int i = 0; i < t->rows; i++) {
            char row[200];
            snprintf(row, sizeof row, t->of_rates ? t->discrete ? "next(%s)" : "der(%s)" : "%s",
                     t->row[i].name);
            text_printf(out, "  %-24s", row);
            for (int j = first; j < last; j++) text_printf(out, " %16.9g", entry(t, i, j));
            text_char(out, '\n');
        }
    }
}

static void print_period(Text *out, const LinearModel *l) {
    text_printf(
        out,
        "discrete, period %.10g s: states just before a sample, inputs held over the period, "
        "outputs just after the sample\n",
        l->period);
    if (l->moves)
        text_add(out, "the point moves: derivatives are those at it, held over the period\n");
    for (int i = 0; i < l->renewed_count; i++)
        text_printf(out, "%s%s%s",
                    i ? ", " : "not remembered from period to period: ", l->renewed[i].name,
                    i + 1 < l->renewed_count ? "" : "\n");
}

void linear_print(Text *out, const LinearModel *l) {
    text_printf(out, "linear model at t = %g s: %d state%s, %d input%s, %d output%s; SI units\n",
                l->time, l->n, l->n == 1 ? "" : "s", l->m, l->m == 1 ? "" : "s", l->p,
                l->p == 1 ? "" : "s");
    if (l->sampled && !(l->period > 0))
        text_add(out, "continuous part: what is sampled stays as it is\n");
    if (l->period > 0) print_period(out, l);
    if (*l->modes) text_printf(out, "laws that hold: %s\n", l->modes);
    if (l->n <= MOST_PRINTED) print_labels(out, "states", l->state, l->x, l->rate, l->n);
    for (int i = 0; i < l->left_count; i++)
        text_printf(out, "%s%s%s", i ? ", " : "constraints determine ", l->left[i].name,
                    i + 1 < l->left_count ? "" : "\n");
    print_labels(out, "inputs", l->input, l->u, NULL, l->m);
    print_labels(out, "outputs", l->output, l->y, NULL, l->p);
    if (l->n > MOST_PRINTED) {
        text_add(out, "the matrices are too large to be read: take --json, --csv or --octave\n");
        return;
    }
    Part t[TABLES];
    int count = tables_of(l, t);
    for (int i = 0; i < count; i++) print_table(out, &t[i]);
    if (l->B1) text_add(out, "x' = A x + B u + B1 u', y = C x + D u + D1 u'\n");
}

// --- JSON ----------------------------------------------------------------------------------------

static void json_table(Text *out, const Part *t) {
    json_key(out, t->name);
    json_open(out, '[');
    for (int i = 0; i < t->rows; i++) {
        json_open(out, '[');
        for (int j = 0; j < t->columns; j++) json_number(out, entry(t, i, j));
        json_close(out, ']');
    }
    json_close(out, ']');
}

void labels_json(Text *out, const char *key, const Label *l, const double *value,
                 const double *rate, int count) {
    json_key(out, key);
    json_open(out, '[');
    for (int i = 0; i < count; i++) {
        json_open(out, '{');
        json_text_of(out, "name", l[i].name);
        json_text_of(out, "unit", l[i].unit);
        if (value) json_number_of(out, "value", value[i]);
        if (rate) json_number_of(out, "rate", rate[i]);
        json_close(out, '}');
    }
    json_close(out, ']');
}

void linear_json(Text *out, const LinearModel *l) {
    json_open(out, '{');
    json_number_of(out, "time", l->time);
    json_bool_of(out, "sampled", l->sampled);
    json_bool_of(out, "discrete", l->period > 0);
    if (l->period > 0) json_number_of(out, "period", l->period);
    if (l->period > 0) json_bool_of(out, "moves", l->moves);
    if (l->period > 0) labels_json(out, "renewed", l->renewed, NULL, NULL, l->renewed_count);
    if (*l->modes) json_text_of(out, "modes", l->modes);
    labels_json(out, "states", l->state, l->x, l->rate, l->n);
    labels_json(out, "determined", l->left, NULL, NULL, l->left_count);
    labels_json(out, "inputs", l->input, l->u, NULL, l->m);
    labels_json(out, "outputs", l->output, l->y, NULL, l->p);
    Part t[TABLES];
    int count = tables_of(l, t);
    for (int i = 0; i < count; i++) json_table(out, &t[i]);
    json_close(out, '}');
}

// --- CSV: an entry a line ------------------------------------------------------------------------

static void csv_word(Text *out, const char *word) {
    bool quote = strpbrk(word, ",\"") != NULL;
    if (quote) text_char(out, '"');
    for (; *word; word++) {
        if (*word == '"') text_char(out, '"');
        text_char(out, *word);
    }
    if (quote) text_char(out, '"');
}

void linear_csv(Text *out, const LinearModel *l) {
    text_add(out, "matrix,row,column,value,row name,column name,row unit,column unit\n");
    if (l->period > 0) { // an entry like the others
        text_add(out, "period,1,1,");
        text_number(out, l->period);
        text_add(out, ",,,s,\n");
    }
    Part t[TABLES];
    int count = tables_of(l, t);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < t[k].rows; i++)
            for (int j = 0; j < t[k].columns; j++) {
                text_printf(out, "%s,%d,%d,", t[k].name, i + 1, j + 1);
                text_number(out, entry(&t[k], i, j));
                const char *word[] = {t[k].row[i].name, t[k].column[j].name, t[k].row[i].unit,
                                      t[k].column[j].unit};
                for (int w = 0; w < 4; w++) {
                    text_char(out, ',');
                    csv_word(out, word[w]);
                }
                text_char(out, '\n');
            }
}

// --- LaTeX ---------------------------------------------------------------------------------------

static void latex_number(Text *out, double x) {
    char number[40];
    snprintf(number, sizeof number, "%.6g", x);
    char *e = strchr(number, 'e');
    if (!e) {
        text_add(out, number);
        return;
    }
    *e = 0;
    text_printf(out, "%s\\cdot 10^{%d}", number, atoi(e + 1));
}

static void latex_vector(Text *out, const Label *l, int count) {
    text_add(out, "\\begin{bmatrix}");
    for (int i = 0; i < count; i++) {
        if (i) text_add(out, " \\\\ ");
        name_print(out, l[i].name, PRINT_LATEX);
    }
    text_add(out, "\\end{bmatrix}");
}

static void latex_matrix(Text *out, const Part *t) {
    text_add(out, "\\begin{bmatrix}");
    for (int i = 0; i < t->rows; i++) {
        if (i) text_add(out, " \\\\ ");
        for (int j = 0; j < t->columns; j++) {
            if (j) text_add(out, " & ");
            latex_number(out, entry(t, i, j));
        }
    }
    text_add(out, "\\end{bmatrix}");
}

static void latex_rows(Text *out, const LinearModel *l, bool outputs) {
    Part t[TABLES];
    int count = tables_of(l, t), terms = 0;
    if (outputs) {
        latex_vector(out, l->output, l->p);
        if (l->period > 0) text_add(out, "_{k}");
    } else {
        if (!(l->period > 0)) text_add(out, "\\frac{d}{dt}");
        latex_vector(out, l->state, l->n);
        if (l->period > 0) text_add(out, "_{k+1}");
    }
    text_add(out, " &= ");
    for (int k = 0; k < count; k++) {
        if (t[k].of_rates == outputs || !t[k].columns) continue;
        if (terms++) text_add(out, " + ");
        latex_matrix(out, &t[k]);
        if (t[k].name[1]) text_add(out, "\\frac{d}{dt}");
        latex_vector(out, t[k].column, t[k].columns);
        if (l->period > 0) text_add(out, "_{k}");
    }
}

void linear_latex(Text *out, const LinearModel *l) {
    if (l->period > 0) text_printf(out, "%% discrete, period %.10g s\n", l->period);
    text_add(out, "\\begin{align*}\n");
    if (l->n) latex_rows(out, l, false);
    if (l->n && l->p) text_add(out, " \\\\\n");
    if (l->p) latex_rows(out, l, true);
    text_add(out, "\n\\end{align*}\n");
}

// --- Octave --------------------------------------------------------------------------------------

static void octave_names(Text *out, const char *name, const Label *l, int count) {
    text_printf(out, "%s = {", name);
    for (int i = 0; i < count; i++) text_printf(out, "%s'%s'", i ? ", " : "", l[i].name);
    text_add(out, "};\n");
}

static void octave_matrix(Text *out, const Part *t) {
    text_printf(out, "%s = reshape([", t->name);
    for (int k = 0; k < t->rows * t->columns; k++) {
        if (k) text_add(out, k % 8 ? " " : " ...\n  ");
        text_number(out, t->value[k]);
    }
    text_printf(out, "], %d, %d);\n", t->rows, t->columns);
}

void linear_octave(Text *out, const LinearModel *l) {
    text_printf(out, "%% linear model at t = %g s, SI units\n", l->time);
    if (l->period > 0) {
        text_add(out, "% discrete: x(k + 1) = A x(k) + B u(k), y(k) = C x(k) + D u(k)\nT = ");
        text_number(out, l->period);
        text_add(out, ";\n");
    }
    Part t[TABLES];
    int count = tables_of(l, t);
    for (int i = 0; i < count; i++) octave_matrix(out, &t[i]);
    octave_names(out, "states", l->state, l->n);
    octave_names(out, "inputs", l->input, l->m);
    octave_names(out, "outputs", l->output, l->p);
    if (!l->m || !l->p) return;
    text_printf(
        out,
        "%% pkg load control\n"
        "if exist('ss')\n"
        "  sys = ss(A, B, C, D, %s'stname', states, 'inname', inputs, 'outname', outputs);\n"
        "end\n",
        l->period > 0 ? "T, " : "");
    if (l->B1)
        text_add(out, "% x' = A x + B u + B1 u', y = C x + D u + D1 u': ss leaves out B1, D1\n");
}

// --- MAT -----------------------------------------------------------------------------------------

static void mat_labels(Text *out, const char *what, const Label *l, int count) {
    char name[40];
    Arena tmp = {0};
    const char **word = ARENA_ARRAY(&tmp, const char *, 2 * count + 1);
    for (int i = 0; i < count; i++) word[i] = l[i].name, word[count + i] = l[i].unit;
    snprintf(name, sizeof name, "%ss", what);
    mat_add_characters(out, name, word, count);
    snprintf(name, sizeof name, "%s_units", what);
    mat_add_characters(out, name, word + count, count);
    arena_free(&tmp);
}

// Matrices by their letters; results/mat_read.c reads them back.
void linear_mat(Text *out, const LinearModel *l) {
    Part t[TABLES];
    int count = tables_of(l, t);
    for (int i = 0; i < count; i++)
        mat_add_numbers(out, t[i].name, t[i].rows, t[i].columns, t[i].value);
    mat_add_numbers(out, "x", l->n, 1, l->x);
    mat_add_numbers(out, "x_rate", l->n, 1, l->rate);
    mat_add_numbers(out, "u", l->m, 1, l->u);
    mat_add_numbers(out, "y", l->p, 1, l->y);
    mat_add_numbers(out, "time", 1, 1, &l->time);
    mat_labels(out, "state", l->state, l->n);
    mat_labels(out, "input", l->input, l->m);
    mat_labels(out, "output", l->output, l->p);
}
