// modelDescription.xml, read and judged by the rules of FMI 2 (sections 2.2.7 and 2.2.8 of the standard)
// and of FMI 3 (2.4.7 and 2.4.8).
#include "fmu_check.h"

#include <expat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- reading --------------------------------------------------------------------------------------

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

static void read_variable(Description *d, const char **a) {
    d->variable = grown(d->variable, d->variables, sizeof *d->variable);
    Variable *v = &d->variable[d->variables++];
    v->name = copy(find(a, "name"));
    v->causality = copy(find(a, "causality"));
    v->variability = copy(find(a, "variability"));
    v->initial = copy(find(a, "initial"));
    v->reference = (unsigned)strtoul(find(a, "valueReference"), NULL, 10);
    v->nominal = 1;
}

static void read_real(Description *d, const char **a) {
    Variable *v = &d->variable[d->variables - 1];
    v->unit = copy(find(a, "unit"));
    v->display = copy(find(a, "displayUnit"));
    v->has_start = find(a, "start") != NULL;
    v->start = number(find(a, "start"), 0);
    v->nominal = number(find(a, "nominal"), 1);
    v->derivative = (int)number(find(a, "derivative"), 0);
}

static void read_unit(Description *d, const char **a, bool display) {
    d->unit = grown(d->unit, d->units, sizeof *d->unit);
    Unit *u = &d->unit[d->units++];
    u->name = copy(find(a, "name"));
    u->factor = number(find(a, "factor"), 1);
    u->offset = number(find(a, "offset"), 0);
    for (int i = d->units - 2; display && i >= 0 && !u->in; i--)
        if (!d->unit[i].in) u->in = copy(d->unit[i].name);
}

static void read_unknown(List *l, const char **a) {
    const char *text = find(a, "dependencies"), *kinds = find(a, "dependenciesKind");
    l->of = grown(l->of, l->count, sizeof *l->of);
    Unknown *u = &l->of[l->count++];
    u->index = (int)number(find(a, "index"), 0);
    if (!text) u->dependencies = -1; // on everything
    for (char *end; text && *text; text = end + strspn(end, " ")) {
        u->dependency = grown(u->dependency, u->dependencies, sizeof *u->dependency);
        u->dependency[u->dependencies++] = (int)strtol(text, &end, 10);
    }
    while (kinds && *kinds) {
        size_t n = strcspn(kinds, " ");
        u->kind = grown(u->kind, u->kinds, sizeof *u->kind);
        u->kind[u->kinds++] = strndup(kinds, n);
        kinds += n + (kinds[n] == ' ');
    }
}

typedef struct {
    Description *d;
    List *list;
    Reading3 *three; // FMI 3; else NULL
} Reading;

static void read_kind(Description *d, const char **a, char **identifier) {
    *identifier = copy(find(a, "modelIdentifier"));
    size_t n = d->flags ? strlen(d->flags) : 0;
    for (; *a; a += 2) {
        size_t more = strlen(a[0]) + strlen(a[1]) + 3;
        d->flags = realloc(d->flags, n + more);
        if (!d->flags) abort();
        n += (size_t)sprintf(d->flags + n, "%s=%s ", a[0], a[1]);
    }
}

static void begin(void *context, const char *name, const char **a) {
    Reading *r = context;
    Description *d = r->d;
    if (strcmp(name, "fmiModelDescription") == 0) {
        const char *version = find(a, "fmiVersion");
        d->version = version ? atoi(version) : 0;
        d->guid = copy(find(a, d->version == 3 ? "instantiationToken" : "guid"));
        if (d->version == 3) r->three = reading3_new(d);
        d->indicators = (int)number(find(a, "numberOfEventIndicators"), 0);
    }
    if (strcmp(name, "ModelExchange") == 0) read_kind(d, a, &d->exchange);
    if (strcmp(name, "CoSimulation") == 0) read_kind(d, a, &d->steps);
    if (strcmp(name, "Unit") == 0) read_unit(d, a, false);
    if (strcmp(name, "DisplayUnit") == 0) read_unit(d, a, true);
    if (strcmp(name, "DefaultExperiment") == 0) {
        d->start = number(find(a, "startTime"), 0);
        d->stop = number(find(a, "stopTime"), 1);
        d->step = number(find(a, "stepSize"), 0.01);
    }
    if (r->three) {
        reading3_begin(r->three, name, a);
        return;
    }
    if (strcmp(name, "ScalarVariable") == 0) read_variable(d, a);
    if (strcmp(name, "Real") == 0) read_real(d, a);
    if (strcmp(name, "Outputs") == 0) r->list = &d->outputs;
    if (strcmp(name, "Derivatives") == 0) r->list = &d->rates;
    if (strcmp(name, "InitialUnknowns") == 0) r->list = &d->initial;
    if (strcmp(name, "Unknown") == 0 && r->list) read_unknown(r->list, a);
}

Description *description_read(const char *path) {
    FILE *f = fopen(path, "r");
    if (!f) {
        printf("%s is not there\n", path);
        return NULL;
    }
    Reading r = {.d = calloc(1, sizeof *r.d)};
    XML_Parser p = XML_ParserCreate(NULL);
    XML_SetUserData(p, &r);
    XML_SetElementHandler(p, begin, NULL);
    char text[1 << 14];
    bool good = true;
    for (size_t n = 1; n && good;) {
        n = fread(text, 1, sizeof text, f);
        good = XML_Parse(p, text, (int)n, n == 0) == XML_STATUS_OK;
    }
    XML_ParserFree(p);
    fclose(f);
    if (r.three && reading3_end(r.three)) good = false;
    if (good) return r.d;
    printf("%s cannot be read\n", path);
    description_free(r.d);
    return NULL;
}

static void free_list(List *l) {
    for (int i = 0; i < l->count; i++) {
        for (int k = 0; k < l->of[i].kinds; k++) free(l->of[i].kind[k]);
        free(l->of[i].kind);
        free(l->of[i].dependency);
    }
    free(l->of);
}

void description_free(Description *d) {
    if (!d) return;
    for (int i = 0; i < d->variables; i++) {
        Variable *v = &d->variable[i];
        char *text[] = {v->name, v->causality, v->variability, v->initial, v->unit, v->display};
        for (int k = 0; k < 6; k++) free(text[k]);
    }
    for (int i = 0; i < d->units; i++) {
        free(d->unit[i].name);
        free(d->unit[i].in);
    }
    free_list(&d->outputs);
    free_list(&d->rates);
    free_list(&d->initial);
    free_list(&d->borders);
    free(d->variable);
    free(d->unit);
    free(d->guid);
    free(d->exchange);
    free(d->steps);
    free(d->flags);
    free(d);
}

const Variable *description_find(const Description *d, const char *name) {
    for (int i = 0; i < d->variables; i++)
        if (strcmp(d->variable[i].name, name) == 0) return &d->variable[i];
    return NULL;
}

const Unit *description_display(const Description *d, const Variable *v) {
    for (int i = 0; i < d->units && v->display; i++)
        if (d->unit[i].in && strcmp(d->unit[i].in, v->unit) == 0 &&
            strcmp(d->unit[i].name, v->display) == 0)
            return &d->unit[i];
    return NULL;
}

// --- judging --------------------------------------------------------------------------------------

static int fault(const char *what, const char *name) {
    printf("description: %s: %s\n", what, name);
    return 1;
}

static bool is(const char *text, const char *wanted) { return text && strcmp(text, wanted) == 0; }

static bool is_one_of(const char *text, const char *words) {
    size_t n = strlen(text);
    for (const char *at = words; (at = strstr(at, text)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

// Which values of `initial` each pair of causality and variability allows; "-": it must not be given.
static const struct {
    const char *causality, *variability, *initial;
} triples[] = {
    {"parameter", "fixed", "exact"},
    {"parameter", "tunable", "exact"},
    {"calculatedParameter", "fixed", "calculated approx"},
    {"calculatedParameter", "tunable", "calculated approx"},
    {"input", "discrete", "-"},
    {"input", "continuous", "-"},
    {"output", "constant", "exact"},
    {"output", "discrete", "calculated exact approx"},
    {"output", "continuous", "calculated exact approx"},
    {"local", "constant", "exact"},
    {"local", "fixed", "calculated approx"},
    {"local", "tunable", "calculated approx"},
    {"local", "discrete", "calculated exact approx"},
    {"local", "continuous", "calculated exact approx"},
    {"independent", "continuous", "-"},
};

static bool is_legal(const Variable *v) {
    for (size_t i = 0; i < sizeof triples / sizeof *triples; i++)
        if (is(v->causality, triples[i].causality) && is(v->variability, triples[i].variability))
            return v->initial ? is_one_of(v->initial, triples[i].initial)
                              : is(triples[i].initial, "-");
    return false;
}

static int judge_variable(const Description *d, int i) {
    const Variable *v = &d->variable[i];
    int faults = 0;
    bool unit = !v->unit;
    for (int k = 0; k < d->units; k++)
        unit = unit || (!d->unit[k].in && strcmp(d->unit[k].name, v->unit) == 0);
    for (int k = 0; k < i; k++) {
        if (strcmp(d->variable[k].name, v->name) == 0) faults += fault("a name twice", v->name);
        if (d->variable[k].reference == v->reference) faults += fault("a reference twice", v->name);
    }
    bool needs = is(v->initial, "exact") || is(v->initial, "approx") || is(v->causality, "input");
    if (!is_legal(v)) faults += fault("causality, variability and initial do not fit", v->name);
    if (needs != v->has_start) faults += fault("a start value too few, or too many", v->name);
    if (!isfinite(v->start) || !(v->nominal > 0)) faults += fault("start or nominal", v->name);
    if (!unit) faults += fault("its unit is not defined", v->name);
    if (v->display && !description_display(d, v))
        faults += fault("its display unit is not defined", v->name);
    if (v->derivative < 0 || v->derivative > d->variables)
        faults += fault("the derivative of nothing", v->name);
    else if (v->derivative && !is(d->variable[v->derivative - 1].variability, "continuous"))
        faults += fault("the derivative of what is not continuous", v->name);
    return faults;
}

static bool is_state(const Description *d, int number) {
    for (int i = 0; i < d->variables; i++)
        if (d->variable[i].derivative == number) return true;
    return false;
}

static bool belongs(const Description *d, const List *l, int number) {
    const Variable *v = &d->variable[number - 1];
    bool found = is(v->initial, "calculated") || is(v->initial, "approx");
    if (l == &d->outputs) return is(v->causality, "output");
    if (l == &d->rates) return v->derivative > 0;
    if (l == &d->borders) return number > d->variables - d->indicators; // as we order them
    return found && (is(v->causality, "output") || is(v->causality, "calculatedParameter") ||
                     v->derivative || is_state(d, number));
}

static bool may_depend(const Description *d, const List *l, int number) {
    const Variable *v = &d->variable[number - 1];
    if (is(v->causality, "input") || is(v->causality, "independent")) return true;
    if (d->version == 3 && is(v->causality, "parameter")) return true;
    return l == &d->initial ? is(v->initial, "exact") : is_state(d, number);
}

static int judge_list(const Description *d, const List *l, const char *name) {
    int faults = 0, before = 0, wanted = 0;
    for (int i = 1; i <= d->variables; i++) wanted += belongs(d, l, i);
    if (wanted != l->count) faults += fault("a list is not complete", name);
    for (int i = 0; i < l->count; i++) {
        const Unknown *u = &l->of[i];
        if (u->index < 1 || u->index > d->variables || !belongs(d, l, u->index))
            return faults + fault("a list with what does not belong there", name);
        if (l != &d->rates && u->index <= before) faults += fault("a list is not in order", name);
        before = u->index;
        if (u->kinds && u->kinds != u->dependencies)
            faults += fault("as many kinds as dependences", name);
        for (int k = 0; k < u->dependencies; k++) {
            int on = u->dependency[k];
            if (on < 1 || on > d->variables || !may_depend(d, l, on))
                faults += fault("a dependence on what is not known", name);
        }
        for (int k = 0; k < u->kinds; k++)
            if (!is_one_of(u->kind[k], "dependent constant fixed tunable discrete"))
                faults += fault("no kind of dependence", u->kind[k]);
    }
    return faults;
}

int description_judge(const Description *d) {
    int faults = 0, times = 0;
    for (int i = 0; i < d->variables; i++) {
        faults += judge_variable(d, i);
        times += is(d->variable[i].causality, "independent");
    }
    if (times > 1) faults += fault("several independent variables", "time");
    if (!d->guid || !*d->guid || (!d->exchange && !d->steps))
        faults += fault("no guid or kind", "");
    faults += judge_list(d, &d->outputs, "Outputs");
    faults += judge_list(d, &d->rates, "Derivatives");
    if (d->version == 3) faults += judge_list(d, &d->borders, "EventIndicator");
    if (d->version == 3 && times != 1) faults += fault("no independent variable", "time");
    return faults + judge_list(d, &d->initial, "InitialUnknowns");
}
