// Variables and structure of FMI 3: arrays are read as their elements, each a variable of its own.
#include "fmu_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *name, *causality, *variability, *initial, *unit, *display, *start;
    unsigned reference;
    int derivative; // a reference; -1: none
    double nominal;
    int size[2], dims;
    int first, count; // elements, once they are there
} Whole;

struct Reading3 {
    Description *d;
    Whole *whole;
    int count, faults;
    bool expanded;
};

static const char *find(const char **attribute, const char *name) {
    for (; *attribute; attribute += 2)
        if (strcmp(attribute[0], name) == 0) return attribute[1];
    return NULL;
}

static char *copy(const char *text) { return text ? strdup(text) : NULL; }
static double number(const char *text, double otherwise) {
    return text ? strtod(text, NULL) : otherwise;
}

static void *grown(void *list, int count, size_t size) {
    list = realloc(list, ((size_t)count + 1) * size);
    if (!list) abort();
    memset((char *)list + (size_t)count * size, 0, size);
    return list;
}

Reading3 *reading3_new(Description *d) {
    Reading3 *r = calloc(1, sizeof *r);
    if (!r) abort();
    r->d = d;
    return r;
}

static void fault(Reading3 *r, const char *what, const char *name) {
    printf("description: %s: %s\n", what, name);
    r->faults++;
}

static void read_whole(Reading3 *r, const char **a) {
    r->whole = grown(r->whole, r->count, sizeof *r->whole);
    Whole *w = &r->whole[r->count++];
    w->name = copy(find(a, "name"));
    w->causality = copy(find(a, "causality"));
    w->variability = copy(find(a, "variability"));
    w->initial = copy(find(a, "initial"));
    w->unit = copy(find(a, "unit"));
    w->display = copy(find(a, "displayUnit"));
    w->start = copy(find(a, "start"));
    w->nominal = number(find(a, "nominal"), 1);
    w->reference = (unsigned)number(find(a, "valueReference"), 0);
    w->derivative = (int)number(find(a, "derivative"), -1);
    w->count = 1;
    for (int i = 0; i < r->count - 1; i++)
        if (r->whole[i].reference == w->reference) fault(r, "a reference twice", w->name);
}

static void read_dimension(Reading3 *r, const char **a) {
    Whole *w = &r->whole[r->count - 1];
    int size = (int)number(find(a, "start"), 0);
    if (size < 1 || w->dims > 1) fault(r, "a size that makes no sense", w->name);
    if (w->dims < 2) w->size[w->dims++] = size;
    w->count *= size;
}

static char *element_name(const Whole *w, int i) {
    char text[600], index[40], inner[500];
    if (!w->dims) return copy(w->name);
    if (w->dims == 1)
        snprintf(index, sizeof index, "[%d]", i + 1);
    else
        snprintf(index, sizeof index, "[%d,%d]", i / w->size[1] + 1, i % w->size[1] + 1);
    if (strncmp(w->name, "der(", 4) == 0) {
        snprintf(inner, sizeof inner, "%s", w->name + 4);
        inner[strlen(inner) - 1] = 0;
        snprintf(text, sizeof text, "der(%s%s)", inner, index);
    } else {
        snprintf(text, sizeof text, "%s%s", w->name, index);
    }
    return copy(text);
}

static Whole *whole_of(Reading3 *r, int reference) {
    for (int i = 0; i < r->count; i++)
        if ((int)r->whole[i].reference == reference) return &r->whole[i];
    return NULL;
}

static void expand_one(Reading3 *r, Whole *w) {
    Description *d = r->d;
    char *at = w->start;
    int starts = 0;
    w->first = d->variables;
    for (int i = 0; i < w->count; i++) {
        d->variable = grown(d->variable, d->variables, sizeof *d->variable);
        Variable *v = &d->variable[d->variables];
        v->name = element_name(w, i);
        v->causality = copy(w->causality);
        v->variability = copy(w->variability);
        v->initial = copy(w->initial);
        v->unit = copy(w->unit);
        v->display = copy(w->display);
        v->reference = (unsigned)d->variables++;
        v->owner = w->reference;
        v->element = i;
        v->elements = w->count;
        v->nominal = w->nominal;
        char *end = at;
        v->start = at ? strtod(at, &end) : 0;
        v->has_start = end != at;
        starts += v->has_start;
        at = end;
    }
    if (w->start && (starts != w->count || strspn(at, " ") != strlen(at)))
        fault(r, "as many start values as elements", w->name);
}

static void expand(Reading3 *r) {
    r->expanded = true;
    for (int i = 0; i < r->count; i++) expand_one(r, &r->whole[i]);
    for (int i = 0; i < r->count; i++) {
        const Whole *w = &r->whole[i],
                    *state = w->derivative < 0 ? NULL : whole_of(r, w->derivative);
        if (w->derivative < 0) continue;
        if (!state || state->count != w->count || state->dims != w->dims) {
            fault(r, "the derivative of what has another size, or is not there", w->name);
            continue;
        }
        for (int k = 0; k < w->count; k++)
            r->d->variable[w->first + k].derivative = state->first + k + 1;
    }
}

static void add_dependences(Reading3 *r, Unknown *u, const char *text, const char *kinds) {
    for (char *end; *text; text = end + strspn(end, " ")) {
        const Whole *on = whole_of(r, (int)strtol(text, &end, 10));
        size_t n = kinds ? strcspn(kinds, " ") : 0;
        if (!on) fault(r, "a dependence on what is not there", text);
        for (int k = 0; on && k < on->count; k++) {
            u->dependency = grown(u->dependency, u->dependencies, sizeof *u->dependency);
            u->dependency[u->dependencies++] = on->first + k + 1;
            if (!n) continue;
            u->kind = grown(u->kind, u->kinds, sizeof *u->kind);
            u->kind[u->kinds++] = strndup(kinds, n);
        }
        if (kinds) kinds += n + (kinds[n] == ' ');
    }
    if (kinds && *kinds) fault(r, "more kinds than dependences", kinds);
}

static void read_unknown(Reading3 *r, List *l, const char **a) {
    const Whole *w = whole_of(r, (int)number(find(a, "valueReference"), -1));
    const char *text = find(a, "dependencies");
    if (!w) {
        fault(r, "the structure lists what is not there", find(a, "valueReference"));
        return;
    }
    for (int i = 0; i < w->count; i++) {
        l->of = grown(l->of, l->count, sizeof *l->of);
        Unknown *u = &l->of[l->count++];
        u->index = w->first + i + 1;
        if (text)
            add_dependences(r, u, text, find(a, "dependenciesKind"));
        else
            u->dependencies = -1;
    }
}

void reading3_begin(Reading3 *r, const char *name, const char **a) {
    Description *d = r->d;
    if (strcmp(name, "Float64") == 0) read_whole(r, a);
    if (strcmp(name, "Dimension") == 0 && r->count) read_dimension(r, a);
    if (strcmp(name, "ModelStructure") == 0) expand(r);
    if (!r->expanded) return;
    if (strcmp(name, "Output") == 0) read_unknown(r, &d->outputs, a);
    if (strcmp(name, "ContinuousStateDerivative") == 0) read_unknown(r, &d->rates, a);
    if (strcmp(name, "InitialUnknown") == 0) read_unknown(r, &d->initial, a);
    if (strcmp(name, "EventIndicator") == 0) read_unknown(r, &d->borders, a);
    d->indicators = d->borders.count;
}

int reading3_end(Reading3 *r) {
    int faults = r->faults;
    for (int i = 0; i < r->count; i++) {
        Whole *w = &r->whole[i];
        char *text[] = {w->name, w->causality, w->variability, w->initial,
                        w->unit, w->display,   w->start};
        for (int k = 0; k < 7; k++) free(text[k]);
    }
    free(r->whole);
    free(r);
    return faults;
}
