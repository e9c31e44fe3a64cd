// See description.h.
#include "foreign/description_reader.h"

#include "base/memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Pos reader_place(const Reader *k, const XmlNode *n) {
    return (Pos){k->source, n ? (uint32_t)n->at : 0};
}

Remark *reader_wrong(Reader *k, const XmlNode *n, const char *format, const char *word) {
    k->good = false;
    char text[300];
    snprintf(text, sizeof text, format, word ? word : "");
    return report_error(k->r, F_DESCRIPTION, reader_place(k, n), "%s", text);
}

const char *reader_keep(Reader *k, const char *text) {
    return text ? arena_copy_text(k->out, text, strlen(text)) : "";
}

bool reader_is_true(const XmlNode *n, const char *name) {
    const char *v = n ? xml_attribute(n, name) : NULL;
    return v && (strcmp(v, "true") == 0 || strcmp(v, "1") == 0);
}

// --- numbers and units ---------------------------------------------------------------------------

double reader_number(Reader *k, const XmlNode *n, const char *name, double otherwise) {
    const char *text = xml_attribute(n, name);
    if (!text) return otherwise;
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x)) reader_wrong(k, n, "'%s' is no number", text);
    return x;
}

static void unit_text(Reader *k, UnitVariable *v, const XmlNode *base) {
    static const char *const name[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    Text over = {0}, under = {0};
    for (int i = 0; i < 8; i++) {
        int power = base ? (int)reader_number(k, base, name[i], 0) : 0;
        Text *to = power > 0 ? &over : &under;
        if (!power || i == 6) continue;
        text_printf(to, "%s%s", to->length ? (power > 0 ? "." : "/") : "", name[i]);
        if (abs(power) > 1) text_printf(to, "%d", abs(power));
    }
    if (!over.length) text_add(&over, "1");
    if (under.length) text_printf(&over, "/%s", text_get(&under));
    v->unit = reader_keep(k, text_get(&over));
    if (strcmp(v->unit, "1") == 0) v->unit = NULL;
    v->scale = base ? reader_number(k, base, "factor", 1) : 1;
    v->offset = base ? reader_number(k, base, "offset", 0) : 0;
    text_free(&over);
    text_free(&under);
}

void reader_unit(Reader *k, UnitVariable *v, const XmlNode *value, const XmlNode *type) {
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
    Remark *m = reader_wrong(k, value, "the unit '%s' is not defined", name);
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
    } words[] = {{"parameter", UNIT_PARAMETER},
                 {"calculatedParameter", UNIT_LOCAL},
                 {"input", UNIT_INPUT},
                 {"output", UNIT_OUTPUT},
                 {"local", UNIT_LOCAL},
                 {"independent", UNIT_TIME},
                 {"structuralParameter", UNIT_LOCAL}};
    const char *word = xml_attribute(n, "causality");
    if (!word) return UNIT_LOCAL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0) return words[i].role;
    reader_wrong(k, n, "there is no causality '%s'", word);
    return UNIT_LOCAL;
}

static void read_start(Reader *k, UnitVariable *v, const XmlNode *value) {
    const char *text = xml_attribute(value, "start");
    if (text && v->type == UNIT_BOOLEAN)
        v->start = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    else if (text && v->type != UNIT_STRING)
        v->start = reader_number(k, value, "start", 0);
    v->has_start = text;
    if (!text && (v->role == UNIT_PARAMETER || v->role == UNIT_INPUT)) {
        Remark *m = reader_wrong(k, value, "'%s' has no start value", v->name);
        remark_help(k->r, m, "parameters and inputs have one by the rules of FMI");
    }
}

void reader_variable(Reader *k, const XmlNode *n, UnitVariable *v) {
    const char *name = xml_attribute(n, "name"), *ref = xml_attribute(n, "valueReference");
    *v = (UnitVariable){
        .name = reader_keep(k, name), .scale = 1, .derivative_of = -1, .elements = 1};
    v->pos = reader_place(k, n);
    v->text = reader_keep(k, xml_attribute(n, "description"));
    if (!name || !*name) reader_wrong(k, n, "a variable has no name", NULL);
    char *end = NULL;
    v->reference = ref ? (unsigned)strtoul(ref, &end, 10) : 0;
    if (!ref || !*ref || *end) reader_wrong(k, n, "'%s' has no valueReference", v->name);
    v->role = role_of(k, n);
    const char *varies = xml_attribute(n, "variability");
    v->constant = varies && strcmp(varies, "constant") == 0;
    v->discrete = varies && strcmp(varies, "discrete") == 0;
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
    reader_variable(k, n, v);
    const XmlNode *value = NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types && !value; i++) {
        value = xml_child(n, types[i].tag);
        v->type = types[i].type;
    }
    if (!value) {
        reader_wrong(k, n, "'%s' has no type", v->name);
        return;
    }
    v->letter = (char)v->type;
    v->discrete = v->discrete || v->type != UNIT_REAL;
    if (v->type == UNIT_REAL) reader_unit(k, v, value, type_of(k, value));
    read_start(k, v, value);
    if (xml_attribute(value, "derivative"))
        v->derivative_of = (int)reader_number(k, value, "derivative", 0) - 1;
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
            reader_wrong(k, n, "two variables are called '%s'", name[i]);
            break;
        }
    free(name);
}

static void read_variables(Reader *k) {
    const XmlNode *all = xml_child(k->root, "ModelVariables");
    int count = 0;
    if (all && k->d->version == 3) {
        reader_variables3(k);
        if (k->good) check_names(k, all);
        return;
    }
    for (const XmlNode *n = xml_child(all, "ScalarVariable"); n; n = xml_next(n)) count++;
    k->d->variable = ARENA_ARRAY(k->out, UnitVariable, count + 1);
    for (const XmlNode *n = xml_child(all, "ScalarVariable"); n && k->good; n = xml_next(n))
        read_variable(k, n, &k->d->variable[k->d->variable_count++]);
    if (!all) reader_wrong(k, k->root, "ModelVariables is missing", NULL);
    if (all && k->good) check_names(k, all);
}

// --- structure -----------------------------------------------------------------------------------

static int index_of(Reader *k, const XmlNode *n) {
    int i = (int)reader_number(k, n, "index", 0) - 1;
    if (i >= 0 && i < k->d->variable_count) return i;
    if (k->good) reader_wrong(k, n, "there is no variable number '%s'", xml_attribute(n, "index"));
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

void reader_add_rate(Reader *k, const XmlNode *n, int rate) {
    UnitDescription *d = k->d;
    int state = d->variable[rate].derivative_of;
    if (state < 0 || state >= d->variable_count || d->variable[rate].type != UNIT_REAL) {
        reader_wrong(k, n, "'%s' is listed as a derivative, but is none of another variable",
                     d->variable[rate].name);
        return;
    }
    if (d->state_count >= d->variable_count) return;
    d->rate[d->state_count] = rate;
    d->state[d->state_count++] = state;
}

static void read_rates(Reader *k, const XmlNode *structure) {
    const XmlNode *all = xml_child(structure, "Derivatives");
    for (const XmlNode *n = xml_child(all, "Unknown"); n && k->good; n = xml_next(n)) {
        int rate = index_of(k, n);
        if (rate >= 0) reader_add_rate(k, n, rate);
    }
}

static void read_structure(Reader *k) {
    UnitDescription *d = k->d;
    const XmlNode *structure = xml_child(k->root, "ModelStructure");
    if (!structure) reader_wrong(k, k->root, "ModelStructure is missing", NULL);
    if (!structure) return;
    d->state = ARENA_ARRAY(k->out, int, d->variable_count + 1);
    d->rate = ARENA_ARRAY(k->out, int, d->variable_count + 1);
    if (d->version == 3) {
        reader_structure3(k);
        return;
    }
    bool *listed = memory_zeroed((size_t)d->variable_count + 1, sizeof *listed);
    for (const XmlNode *n = xml_child(xml_child(structure, "Outputs"), "Unknown"); n && k->good;
         n = xml_next(n)) {
        int i = index_of(k, n);
        if (i < 0) break;
        if (d->variable[i].role != UNIT_OUTPUT)
            reader_wrong(k, n, "'%s' is listed as an output, but is none", d->variable[i].name);
        listed[i] = true;
        d->variable[i].through = depends_on_input(k, n);
    }
    for (int i = 0; i < d->variable_count && k->good; i++)
        if (d->variable[i].role == UNIT_OUTPUT && !listed[i])
            reader_wrong(k, structure, "the output '%s' is not listed in ModelStructure",
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
    if (!plain) reader_wrong(k, n, "the modelIdentifier '%s' is no name of C", name);
    if (reader_is_true(n, "needsExecutionTool")) {
        Remark *m = report_error(k->r, F_UNSERVED, reader_place(k, n),
                                 "the unit needs the tool that made it");
        remark_help(k->r, m, "export it from there as one that stands alone");
        k->good = false;
    }
    return plain ? reader_keep(k, name) : NULL;
}

static void read_sources(Reader *k, const XmlNode *kind) {
    const XmlNode *files = xml_child(kind, "SourceFiles");
    int count = 0;
    if (k->d->source_count) return;
    for (const XmlNode *f = xml_child(files, "File"); f; f = xml_next(f)) count++;
    k->d->source = ARENA_ARRAY(k->out, const char *, count + 1);
    for (const XmlNode *f = xml_child(files, "File"); f; f = xml_next(f))
        k->d->source[k->d->source_count++] = reader_keep(k, xml_attribute(f, "name"));
}

static void read_kinds(Reader *k) {
    UnitDescription *d = k->d;
    const XmlNode *me = xml_child(k->root, "ModelExchange"),
                  *cs = xml_child(k->root, "CoSimulation");
    d->me = identifier(k, me);
    d->cs = identifier(k, cs);
    bool three = d->version == 3;
    const char *saves = three ? "canGetAndSetFMUState" : "canGetAndSetFMUstate";
    d->me_saves = reader_is_true(me, saves);
    d->cs_saves = reader_is_true(cs, saves);
    d->me_directional = reader_is_true(me, three ? "providesDirectionalDerivatives"
                                                 : "providesDirectionalDerivative");
    d->me_wants_steps = three ? reader_is_true(me, "needsCompletedIntegratorStep")
                              : me && !reader_is_true(me, "completedIntegratorStepNotNeeded");
    if (!me && !cs)
        reader_wrong(k, k->root, "neither ModelExchange nor CoSimulation is there", NULL);
    read_sources(k, me);
    read_sources(k, cs);
}

static void read_head(Reader *k) {
    UnitDescription *d = k->d;
    const char *version = xml_attribute(k->root, "fmiVersion");
    if (!xml_is(k->root, "fmiModelDescription")) {
        reader_wrong(k, k->root, "this is no fmiModelDescription", NULL);
        return;
    }
    d->version = version && strncmp(version, "3.", 2) == 0 ? 3 : 2;
    const char *guid = xml_attribute(k->root, d->version == 3 ? "instantiationToken" : "guid");
    if (!version || (d->version == 2 && strncmp(version, "2.0", 3) != 0)) {
        Remark *m = report_error(k->r, F_UNSERVED, reader_place(k, k->root),
                                 "the unit is of FMI %s", version ? version : "without a version");
        remark_help(k->r, m, "units of FMI 2.0 and 3.0 are served: export it as one");
        k->good = false;
        return;
    }
    d->name = reader_keep(k, xml_attribute(k->root, "modelName"));
    d->text = reader_keep(k, xml_attribute(k->root, "description"));
    d->guid = reader_keep(k, guid);
    if (!guid || !*guid)
        reader_wrong(k, k->root, "the %s is missing",
                     d->version == 3 ? "instantiationToken" : "guid");
    d->indicators = (int)reader_number(k, k->root, "numberOfEventIndicators", 0);
    if (d->indicators < 0 || d->indicators > 100000)
        reader_wrong(k, k->root, "numberOfEventIndicators makes no sense", NULL);
    const XmlNode *x = xml_child(k->root, "DefaultExperiment");
    d->step = x ? reader_number(k, x, "stepSize", 0) : 0;
    k->units = xml_child(k->root, "UnitDefinitions");
}

// --- power ports ---------------------------------------------------------------------------------

int reader_named(const UnitDescription *d, const char *name) {
    for (int i = 0; i < d->variable_count && name; i++)
        if (strcmp(d->variable[i].name, name) == 0) return i;
    return -1;
}

// Adds a power port if one of its two variables is an input and the other one an output.
void reader_add_port(Reader *k, const char *name, int effort, int flow) {
    UnitDescription *d = k->d;
    if (effort < 0 || flow < 0) return;
    UnitRole a = d->variable[effort].role, b = d->variable[flow].role;
    bool opposed = (a == UNIT_INPUT && b == UNIT_OUTPUT) || (a == UNIT_OUTPUT && b == UNIT_INPUT);
    if (opposed) d->port[d->port_count++] = (UnitPort){reader_keep(k, name), effort, flow};
}

// The group's two variables, the effort first, as the Open Simulation Platform orders them.
static void read_group(Reader *k, const XmlNode *group) {
    UnitDescription *d = k->d;
    int pair[2] = {-1, -1}, count = 0;
    for (const XmlNode *n = xml_follow(group, group); n; n = xml_follow(group, n))
        if (xml_is(n, "Variable") && count++ < 2)
            pair[count - 1] = reader_named(d, xml_attribute(n, "ref"));
    if (count == 2) reader_add_port(k, xml_attribute(group, "name"), pair[0], pair[1]);
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
                   uint32_t ports, Report *r) {
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
    const char *groups = ports ? source_text(sources, ports, &length) : NULL;
    const XmlNode *other = groups && k.good ? xml_tree(&tree, groups, length, &fault) : NULL;
    if (other) (d->version == 3 ? reader_terminals : read_ports)(&k, other);
    arena_free(&tree);
    return k.good;
}
