// A results file of `bondyn run`, its columns by the variables of an FMU.
#include "fmu_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *text, const char *wanted) { return text && strcmp(text, wanted) == 0; }

static int split(char *line, char **part, int most) {
    int n = 0;
    bool quoted = false;
    part[n++] = line;
    for (char *at = line; *at; at++) {
        if (*at == '"') quoted = !quoted;
        if (*at == '\n') *at = 0;
        if (*at == ',' && !quoted && n < most) {
            *at = 0;
            part[n++] = at + 1;
        }
    }
    return n;
}

static void name_column(Check *c, int i, char *name) {
    if (*name == '"') {
        name++;
        name[strlen(name) - 1] = 0;
    }
    char *unit = strstr(name, " [");
    if (unit) *unit = 0;
    c->variable[i] = description_find(c->d, name);
}

static bool are_alike(const Variable *a, const Variable *b) {
    return a && b && (a->unit ? is(b->unit, a->unit) : !b->unit);
}

// The largest value of a variable is that of all with the same unit: one that rests is nothing but rounding.
static void find_largest(Check *c) {
    double *own = calloc((size_t)c->columns + 1, sizeof *own);
    memcpy(own, c->largest, (size_t)c->columns * sizeof *own);
    for (int i = 0; i < c->columns; i++)
        for (int k = 0; k < c->columns; k++)
            if (are_alike(c->variable[i], c->variable[k]))
                c->largest[i] = fmax(c->largest[i], own[k]);
    free(own);
}

bool check_read_results(Check *c, const char *path) {
    enum { MOST = 1 << 20, COLUMNS = 4000 };
    FILE *f = fopen(path, "r");
    char *line = malloc(MOST), **part = malloc(COLUMNS * sizeof *part);
    if (!f || !line || !part) {
        printf("%s is not there\n", path);
        return false;
    }
    while (fgets(line, MOST, f)) {
        if (*line == '#') continue;
        int n = split(line, part, COLUMNS);
        if (!c->columns) {
            c->columns = n;
            c->variable = calloc((size_t)n, sizeof *c->variable);
            c->largest = calloc((size_t)n, sizeof *c->largest);
            for (int i = 0; i < n; i++) name_column(c, i, part[i]);
            continue;
        }
        c->value = realloc(c->value, (size_t)(c->rows + 1) * (size_t)c->columns * sizeof *c->value);
        for (int i = 0; i < c->columns; i++) {
            double x = strtod(part[i], NULL);
            c->value[c->rows * c->columns + i] = x;
            c->largest[i] = fmax(c->largest[i], fabs(x));
        }
        c->rows++;
    }
    fclose(f);
    free(line);
    free(part);
    find_largest(c);
    return c->rows > 1;
}
