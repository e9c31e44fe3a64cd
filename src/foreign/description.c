// See description.h.
#include "foreign/description.h"

#include "base/memory.h"
#include "import/xml_tree.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Arena *out;
    UnitDescription *d;
    uint32_t source;
    Report *r;
    const XmlNode *root, *units;
    bool good;
} Reader;

static Pos place_of(const Reader *k, const XmlNode *n) {
    return (Pos){k->source, n ? (uint32_t)n->at : 0};
}

static Remark *wrong(Reader *k, const XmlNode *n, const char *format, const char *word) {
    k->good = false;
    char text[300];
    snprintf(text, sizeof text, format, word ? word : "");
    return report_error(k->r, F_DESCRIPTION, place_of(k, n), "%s", text);
}

static const char *keep(Reader *k, const char *text) {
    return text ? arena_copy_text(k->out, text, strlen(text)) : "";
}

static bool is_true(const XmlNode *n, const char *name) {
    const char *v = n ? xml_attribute(n, name) : NULL;
    return v && (strcmp(v, "true") == 0 || strcmp(v, "1") == 0);
}

// --- numbers and units ---------------------------------------------------------------------------

static double number_of(Reader *k, const XmlNode *n, const char *name, double otherwise) {
    const char *text = xml_attribute(n, name);
    if (!text) return otherwise;
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x)) wrong(k, n, "'%s' is no number", text);
    return x;
}

static void unit_text(Reader *k, UnitVariable *v, const XmlNode *base) {
    static const char *const name[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    Text over = {0}, under = {0};
    for (int i = 0; i < 8; i++) {
        int power = base ? (int)number_of(k, base, name[i], 0) : 0;
        Text *to = power > 0 ? &over : &under;
        if (!power || i == 6) continue;
        text_printf(to, "%s%s", to->length ? (power > 0 ? "." : "/") : "", name[i]);
        if (abs(power) > 1) text_printf(to, "%d", abs(power));
    }
    if (!over.length) text_add(&over, "1");
    if (under.length) text_printf(&over, "/%s", text_get(&under));
    v->unit = keep(k, text_get(&over));
    if (strcmp(v->unit, "1") == 0) v->unit = NULL;
    v->scale = base ? number_of(k, base, "factor", 1) : 1;
    v->offset = base ? number_of(k, base, "offset", 0) : 0;
    text_free(&over);
    text_free(&under);
}

static void read_unit(Reader *k, UnitVariable *v, const XmlNode *value, const XmlNode *type) {
    const char *name = xml_attribute(value, "unit");
    v->scale = 1;
    if (!name && type) name = xml_attribute(type, "unit");
    if (!name || !*name) return;
    for (const XmlNode *u = xml_child(k->units, "Unit"); u; u = xml_next(u)) {
        const char *known = xml_attribute(u, "name");
        if (!known || strcmp(known, name) != 0) continue;
        const XmlNode *base = xml_child(u, "BaseUnit");
        if (base) unit_text(k, v, base);
        return;
    }
    Remark *m = wrong(k, value, "the unit '%s' is not defined", name);
    remark_help(k->r, m, "UnitDefinitions must list every unit that a variable has");
}

// --- variables -----------------------------------------------------------------------------------

static const XmlNode *type_of(const Reader *k, const XmlNode *value) {
    const char *name = xml_attribute(value, "declaredType");
    const XmlNode *all = xml_child(k->root, "TypeDefinitions");
    for (const XmlNode *t = xml_child(all, "SimpleType"); name && t; t = xml_next(t)) {
        const char *known = xml_attribute(t, "name");
        if (known && strcmp(known, name) == 0) return t->first;
    }
    return NULL;
}

static UnitRole role_of(Reader *k, const XmlNode *n) {
    static const struct {
        const char *word;
        UnitRole role;
    } words[] = {{"parameter", UNIT_PARAMETER}, {"calculatedParameter", UNIT_LOCAL},
                 {"input", UNIT_INPUT},         {"output", UNIT_OUTPUT},
                 {"local", UNIT_LOCAL},         {"independent", UNIT_TIME}};
    const char *word = xml_attribute(n, "causality");
    if (!word) return UNIT_LOCAL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0) return words[i].role;
    wrong(k, n, "there is no causality '%s'", word);
    return UNIT_LOCAL;
}

static void read_start(Reader *k, UnitVariable *v, const XmlNode *value) {
    const char *text = xml_attribute(value, "start");
    if (text && v->type == UNIT_BOOLEAN)
        v->start = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    else if (text && v->type != UNIT_STRING)
        v->start = number_of(k, value, "start", 0);
    v->has_start = text;
    if (!text && (v->role == UNIT_PARAMETER || v->role == UNIT_INPUT)) {
        Remark *m = wrong(k, value, "'%s' has no start value", v->name);
        remark_help(k->r, m, "parameters and inputs have one by the rules of FMI");
    }
}

static void read_variable(Reader *k, const XmlNode *n, UnitVariable *v) {
    static const struct {
        const char *tag;
        UnitType type;
    } types[] = {{"Real", UNIT_REAL},
                 {"Integer", UNIT_INTEGER},
                 {"Enumeration", UNIT_INTEGER},
                 {"Boolean", UNIT_BOOLEAN},
                 {"String", UNIT_STRING}};
    const char *name = xml_attribute(n, "name"), *ref = xml_attribute(n, "valueReference");
    *v = (UnitVariable){.name = keep(k, name), .scale = 1, .derivative_of = -1};
    v->pos = place_of(k, n);
    v->text = keep(k, xml_attribute(n, "description"));
    if (!name || !*name) wrong(k, n, "a variable has no name", NULL);
    char *end = NULL;
    v->reference = ref ? (unsigned)strtoul(ref, &end, 10) : 0;
    if (!ref || !*ref || *end) wrong(k, n, "'%s' has no valueReference", v->name);
    v->role = role_of(k, n);
    const char *varies = xml_attribute(n, "variability");
    v->constant = varies && strcmp(varies, "constant") == 0;
    const XmlNode *value = NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types && !value; i++) {
        value = xml_child(n, types[i].tag);
        v->type = types[i].type;
    }
    if (!value) {
        wrong(k, n, "'%s' has no type", v->name);
        return;
    }
    v->discrete = v->type != UNIT_REAL || (varies && strcmp(varies, "discrete") == 0);
    if (v->type == UNIT_REAL) read_unit(k, v, value, type_of(k, value));
    read_start(k, v, value);
    if (xml_attribute(value, "derivative"))
        v->derivative_of = (int)number_of(k, value, "derivative", 0) - 1;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_names(Reader *k, const XmlNode *n) {
    int count = k->d->variable_count;
    const char **name = memory_zeroed((size_t)count + 1, sizeof *name);
    for (int i = 0; i < count; i++) name[i] = k->d->variable[i].name;
    qsort(name, (size_t)count, sizeof *name, compare_names);
    for (int i = 1; i < count; i++)
        if (strcmp(name[i], name[i - 1]) == 0) {
            wrong(k, n, "two variables are called '%s'", name[i]);
            break;
        }
    free(name);
}

static void read_variables(Reader *k) {
    const XmlNode *all = xml_child(k->root, "ModelVariables");
    int count = 0;
    for (const XmlNode *n = xml_child(all, "ScalarVariable"); n; n = xml_next(n)) count++;
    k->d->variable = ARENA_ARRAY(k->out, UnitVariable, count + 1);
    for (const XmlNode *n = xml_child(all, "ScalarVariable"); n && k->good; n = xml_next(n))
        read_variable(k, n, &k->d->variable[k->d->variable_count++]);
    if (!all) wrong(k, k->root, "ModelVariables is missing", NULL);
    if (all && k->good) check_names(k, all);
}

// --- structure -----------------------------------------------------------------------------------

static int index_of(Reader *k, const XmlNode *n) {
    int i = (int)number_of(k, n, "index", 0) - 1;
    if (i >= 0 && i < k->d->variable_count) return i;
    if (k->good) wrong(k, n, "there is no variable number '%s'", xml_attribute(n, "index"));
    return -1;
}

// Does an input stand in the list? Without a list everything is there.
static bool depends_on_input(const Reader *k, const XmlNode *n) {
    const char *at = xml_attribute(n, "dependencies");
    if (!at) return true;
    while (*at) {
        char *end;
        long i = strtol(at, &end, 10) - 1;
        if (end == at) break;
        at = end;
        if (i >= 0 && i < k->d->variable_count && k->d->variable[i].role == UNIT_INPUT) return true;
    }
    return false;
}

static void read_rates(Reader *k, const XmlNode *structure) {
    UnitDescription *d = k->d;
    const XmlNode *all = xml_child(structure, "Derivatives");
    d->state = ARENA_ARRAY(k->out, int, d->variable_count + 1);
    d->rate = ARENA_ARRAY(k->out, int, d->variable_count + 1);
    for (const XmlNode *n = xml_child(all, "Unknown"); n && k->good; n = xml_next(n)) {
        int rate = index_of(k, n);
        int state = rate >= 0 ? d->variable[rate].derivative_of : -1;
        if (rate < 0) return;
        if (state < 0 || state >= d->variable_count || d->variable[rate].type != UNIT_REAL) {
            wrong(k, n, "'%s' is listed as a derivative, but is none of another variable",
                  d->variable[rate].name);
            return;
        }
        if (d->state_count >= d->variable_count) return;
        d->rate[d->state_count] = rate;
        d->state[d->state_count++] = state;
    }
}

static void read_structure(Reader *k) {
    UnitDescription *d = k->d;
    const XmlNode *structure = xml_child(k->root, "ModelStructure");
    if (!structure) wrong(k, k->root, "ModelStructure is missing", NULL);
    if (!structure) return;
    bool *listed = memory_zeroed((size_t)d->variable_count + 1, sizeof *listed);
    for (const XmlNode *n = xml_child(xml_child(structure, "Outputs"), "Unknown"); n && k->good;
         n = xml_next(n)) {
        int i = index_of(k, n);
        if (i < 0) break;
        if (d->variable[i].role != UNIT_OUTPUT)
            wrong(k, n, "'%s' is listed as an output, but is none", d->variable[i].name);
        listed[i] = true;
        d->variable[i].through = depends_on_input(k, n);
    }
    for (int i = 0; i < d->variable_count && k->good; i++)
        if (d->variable[i].role == UNIT_OUTPUT && !listed[i])
            wrong(k, structure, "the output '%s' is not listed in ModelStructure",
                  d->variable[i].name);
    free(listed);
    if (k->good) read_rates(k, structure);
}

// --- the unit ------------------------------------------------------------------------------------

static const char *identifier(Reader *k, const XmlNode *n) {
    if (!n) return NULL;
    const char *name = xml_attribute(n, "modelIdentifier");
    bool plain = name && *name && strlen(name) < 200;
    for (const char *c = name; plain && *c; c++)
        plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                *c == '_';
    if (!plain) wrong(k, n, "the modelIdentifier '%s' is no name of C", name);
    if (is_true(n, "needsExecutionTool")) {
        Remark *m =
            report_error(k->r, F_UNSERVED, place_of(k, n), "the unit needs the tool that made it");
        remark_help(k->r, m, "export it from there as one that stands alone");
        k->good = false;
    }
    return plain ? keep(k, name) : NULL;
}

static void read_sources(Reader *k, const XmlNode *kind) {
    const XmlNode *files = xml_child(kind, "SourceFiles");
    int count = 0;
    if (k->d->source_count) return;
    for (const XmlNode *f = xml_child(files, "File"); f; f = xml_next(f)) count++;
    k->d->source = ARENA_ARRAY(k->out, const char *, count + 1);
    for (const XmlNode *f = xml_child(files, "File"); f; f = xml_next(f))
        k->d->source[k->d->source_count++] = keep(k, xml_attribute(f, "name"));
}

static void read_kinds(Reader *k) {
    UnitDescription *d = k->d;
    const XmlNode *me = xml_child(k->root, "ModelExchange"),
                  *cs = xml_child(k->root, "CoSimulation");
    d->me = identifier(k, me);
    d->cs = identifier(k, cs);
    d->me_saves = is_true(me, "canGetAndSetFMUstate");
    d->cs_saves = is_true(cs, "canGetAndSetFMUstate");
    d->me_directional = is_true(me, "providesDirectionalDerivative");
    d->me_wants_steps = me && !is_true(me, "completedIntegratorStepNotNeeded");
    if (!me && !cs) wrong(k, k->root, "neither ModelExchange nor CoSimulation is there", NULL);
    read_sources(k, me);
    read_sources(k, cs);
}

static void read_head(Reader *k) {
    UnitDescription *d = k->d;
    const char *version = xml_attribute(k->root, "fmiVersion"),
               *guid = xml_attribute(k->root, "guid");
    if (!xml_is(k->root, "fmiModelDescription")) {
        wrong(k, k->root, "this is no fmiModelDescription", NULL);
        return;
    }
    if (!version || strncmp(version, "2.0", 3) != 0) {
        Remark *m = report_error(k->r, F_UNSERVED, place_of(k, k->root), "the unit is of FMI %s",
                                 version ? version : "without a version");
        remark_help(k->r, m, "units of FMI 2.0 are served: export it as one");
        k->good = false;
        return;
    }
    d->name = keep(k, xml_attribute(k->root, "modelName"));
    d->text = keep(k, xml_attribute(k->root, "description"));
    d->guid = keep(k, guid);
    if (!guid || !*guid) wrong(k, k->root, "the guid is missing", NULL);
    d->indicators = (int)number_of(k, k->root, "numberOfEventIndicators", 0);
    if (d->indicators < 0 || d->indicators > 100000)
        wrong(k, k->root, "numberOfEventIndicators makes no sense", NULL);
    const XmlNode *x = xml_child(k->root, "DefaultExperiment");
    d->step = x ? number_of(k, x, "stepSize", 0) : 0;
    k->units = xml_child(k->root, "UnitDefinitions");
}

// --- power ports ---------------------------------------------------------------------------------

static int named(const UnitDescription *d, const char *name) {
    for (int i = 0; i < d->variable_count && name; i++)
        if (strcmp(d->variable[i].name, name) == 0) return i;
    return -1;
}

// The group's two variables, the effort first, as the Open Simulation Platform orders them.
static void read_group(Reader *k, const XmlNode *group) {
    UnitDescription *d = k->d;
    int pair[2] = {-1, -1}, count = 0;
    for (const XmlNode *n = xml_follow(group, group); n; n = xml_follow(group, n))
        if (xml_is(n, "Variable") && count++ < 2)
            pair[count - 1] = named(d, xml_attribute(n, "ref"));
    if (count != 2 || pair[0] < 0 || pair[1] < 0) return;
    UnitRole a = d->variable[pair[0]].role, b = d->variable[pair[1]].role;
    bool opposed = (a == UNIT_INPUT && b == UNIT_OUTPUT) || (a == UNIT_OUTPUT && b == UNIT_INPUT);
    if (!opposed) return;
    d->port[d->port_count++] = (UnitPort){keep(k, xml_attribute(group, "name")), pair[0], pair[1]};
}

static void read_ports(Reader *k, const XmlNode *root) {
    const XmlNode *groups = xml_child(root, "VariableGroups");
    int count = 0;
    for (const XmlNode *g = groups ? groups->first : NULL; g; g = g->next) count++;
    k->d->port = ARENA_ARRAY(k->out, UnitPort, count + 1);
    for (const XmlNode *g = groups ? groups->first : NULL; g; g = g->next)
        if (strstr(g->tag, "Port") || xml_is(g, "Generic")) read_group(k, g);
}

bool unit_describe(Arena *out, UnitDescription *d, const Sources *sources, uint32_t source,
                   uint32_t osp, Report *r) {
    *d = (UnitDescription){0};
    Arena tree = {0};
    XmlFault fault;
    size_t length;
    const char *text = source_text(sources, source, &length);
    Reader k = {.out = out, .d = d, .source = source, .r = r, .good = true};
    k.root = xml_tree(&tree, text, length, &fault);
    if (!k.root) {
        Pos pos = {source, (uint32_t)fault.at};
        report_error(r, F_DESCRIPTION, pos, "%s", fault.what);
        arena_free(&tree);
        return false;
    }
    read_head(&k);
    if (k.good) read_kinds(&k);
    if (k.good) read_variables(&k);
    if (k.good) read_structure(&k);
    const char *groups = osp ? source_text(sources, osp, &length) : NULL;
    const XmlNode *other = groups && k.good ? xml_tree(&tree, groups, length, &fault) : NULL;
    if (other) read_ports(&k, other);
    arena_free(&tree);
    return k.good;
}
