// What only FMI 3 has: types of many sizes, arrays, structure by value references, terminals, how
// sources are built.
#include "foreign/description_reader.h"

#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *tag;
    char letter; // 0: no number
    UnitType type;
} Type3;

static const Type3 types[] = {{"Float64", 'r', UNIT_REAL},    {"Float32", 'f', UNIT_REAL},
                              {"Int8", '1', UNIT_INTEGER},    {"UInt8", '2', UNIT_INTEGER},
                              {"Int16", '3', UNIT_INTEGER},   {"UInt16", '4', UNIT_INTEGER},
                              {"Int32", 'i', UNIT_INTEGER},   {"UInt32", '6', UNIT_INTEGER},
                              {"Int64", '7', UNIT_INTEGER},   {"UInt64", '8', UNIT_INTEGER},
                              {"Boolean", 'b', UNIT_BOOLEAN}, {"Enumeration", '7', UNIT_INTEGER},
                              {"String", 's', UNIT_STRING},   {"Binary", 's', UNIT_STRING},
                              {"Clock", 's', UNIT_STRING}};

static const Type3 *type_of(const XmlNode *n) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (xml_is(n, types[i].tag)) return &types[i];
    return NULL;
}

static const XmlNode *declared(const Reader *k, const XmlNode *n) {
    const char *name = xml_attribute(n, "declaredType");
    const XmlNode *all = xml_child(k->root, "TypeDefinitions");
    for (const XmlNode *t = all && name ? all->first : NULL; t; t = t->next) {
        const char *known = xml_attribute(t, "name");
        if (known && strcmp(known, name) == 0) return t;
    }
    return NULL;
}

// --- sizes ---------------------------------------------------------------------------------------

static const XmlNode *with_reference(const Reader *k, const char *reference) {
    const XmlNode *all = xml_child(k->root, "ModelVariables");
    for (const XmlNode *n = all->first; n && reference; n = n->next) {
        const char *other = xml_attribute(n, "valueReference");
        if (other && strcmp(other, reference) == 0) return n;
    }
    return NULL;
}

typedef struct {
    int size[8], dims, count;
} Shape;

// The size of an array: a number, or the start value of a structural parameter, which is never
// changed here.
static Shape shape_of(Reader *k, const XmlNode *n) {
    Shape s = {.count = 1};
    for (const XmlNode *x = xml_child(n, "Dimension"); x && k->good; x = xml_next(x)) {
        const char *by = xml_attribute(x, "valueReference");
        const XmlNode *from = by ? with_reference(k, by) : x;
        double size = from ? reader_number(k, from, "start", 0) : 0;
        if (!(size >= 1 && size * s.count <= MOST_ELEMENTS) || s.dims == 8) {
            reader_wrong(k, x, "the array '%s' has a size that cannot be served",
                         xml_attribute(n, "name"));
            return (Shape){.count = 1};
        }
        s.size[s.dims++] = (int)size;
        s.count *= (int)size;
    }
    return s;
}

// Row by row: A[1,1], A[1,2] ...; der(q) has der(q[1]).
static const char *element_name(Reader *k, const char *name, const Shape *s, int i) {
    Text t = {0}, index = {0};
    int at[8];
    bool rate = strncmp(name, "der(", 4) == 0 && name[strlen(name) - 1] == ')';
    for (int d = s->dims - 1; d >= 0; d--) {
        at[d] = i % s->size[d] + 1;
        i /= s->size[d];
    }
    for (int d = 0; d < s->dims; d++) text_printf(&index, "%c%d", d ? ',' : '[', at[d]);
    text_add_n(&t, name, strlen(name) - (rate ? 1 : 0));
    text_printf(&t, "%s]%s", text_get(&index), rate ? ")" : "");
    const char *kept = reader_keep(k, text_get(&t));
    text_free(&t);
    text_free(&index);
    return kept;
}

// --- variables -----------------------------------------------------------------------------------

// The next start value of the list; one alone is that of all elements.
static bool next_start(Reader *k, const XmlNode *n, UnitVariable *v, const char **at) {
    const char *text = *at + strspn(*at, " \t\n\r");
    size_t length = strcspn(text, " \t\n\r");
    char *end = NULL;
    if (!length) return false;
    if (v->type == UNIT_BOOLEAN) {
        v->start = (length == 4 && memcmp(text, "true", 4) == 0) || *text == '1';
    } else {
        v->start = strtod(text, &end);
        if (end != text + length) reader_wrong(k, n, "a start value of '%s' is no number", v->name);
    }
    *at = text + length;
    return true;
}

static void read_array(Reader *k, const XmlNode *n, const Type3 *type) {
    Shape shape = shape_of(k, n);
    UnitVariable first;
    const char *start = xml_attribute(n, "start"), *at = start ? start : "";
    reader_variable(k, n, &first);
    first.type = type->type;
    first.letter = type->letter;
    first.elements = shape.count;
    first.has_start = start;
    first.discrete = first.discrete || type->type != UNIT_REAL;
    if (type->type == UNIT_REAL) reader_unit(k, &first, n, declared(k, n));
    bool needs = first.role == UNIT_PARAMETER || first.role == UNIT_INPUT;
    if (!start && needs && type->type != UNIT_STRING) {
        Remark *m = reader_wrong(k, n, "'%s' has no start value", first.name);
        remark_help(k->r, m, "parameters and inputs have one by the rules of FMI");
    }
    int given = 0;
    for (int i = 0; i < shape.count && k->good; i++) {
        UnitVariable *v = &k->d->variable[k->d->variable_count++];
        double before = i ? v[-1].start : 0;
        *v = first;
        v->element = i;
        if (shape.dims) v->name = element_name(k, first.name, &shape, i);
        if (type->type == UNIT_STRING) continue;
        if (next_start(k, n, v, &at))
            given++;
        else
            v->start = before;
    }
    if (k->good && start && type->type != UNIT_STRING && given != shape.count && given != 1)
        reader_wrong(k, n, "'%s' has not as many start values as elements", first.name);
}

static int find_reference(const UnitDescription *d, unsigned reference) {
    for (int i = 0; i < d->variable_count; i++)
        if (d->variable[i].reference == reference) return i;
    return -1;
}

static void find_derivatives(Reader *k, const XmlNode *all) {
    UnitDescription *d = k->d;
    for (const XmlNode *n = all->first; n && k->good; n = n->next) {
        if (!xml_attribute(n, "derivative")) continue;
        int rate = find_reference(d, (unsigned)reader_number(k, n, "valueReference", 0));
        int state = find_reference(d, (unsigned)reader_number(k, n, "derivative", 0));
        if (rate < 0) continue;
        if (state < 0 || d->variable[state].elements != d->variable[rate].elements) {
            reader_wrong(k, n, "'%s' is the derivative of what is not there, or has another size",
                         xml_attribute(n, "name"));
            return;
        }
        for (int i = 0; i < d->variable[rate].elements; i++)
            d->variable[rate + i].derivative_of = state + i;
    }
}

void reader_variables3(Reader *k) {
    const XmlNode *all = xml_child(k->root, "ModelVariables");
    long count = 0;
    for (const XmlNode *n = all->first; n && k->good; n = n->next)
        if (type_of(n)) count += shape_of(k, n).count;
    if (count > MOST_ELEMENTS) reader_wrong(k, all, "there are too many variables", NULL);
    if (!k->good) return;
    k->d->variable = ARENA_ARRAY(k->out, UnitVariable, count + 1);
    for (const XmlNode *n = all->first; n && k->good; n = n->next) {
        const Type3 *type = type_of(n);
        const char *role = xml_attribute(n, "causality");
        if (!type) continue;
        if (xml_is(n, "Clock") && role && strcmp(role, "input") == 0) {
            Remark *m = report_error(k->r, F_UNSERVED, reader_place(k, n),
                                     "the unit has clocks that others must drive");
            remark_help(k->r, m, "export it with samples of its own, as events in time");
            k->good = false;
            return;
        }
        read_array(k, n, type);
    }
    if (k->good) find_derivatives(k, all);
}

// --- structure -----------------------------------------------------------------------------------

static bool depends_on_input(const Reader *k, const XmlNode *n) {
    const char *at = xml_attribute(n, "dependencies");
    if (!at) return true;
    for (char *end; *at; at = end) {
        unsigned long reference = strtoul(at, &end, 10);
        if (end == at) break;
        int i = find_reference(k->d, (unsigned)reference);
        if (i >= 0 && k->d->variable[i].role == UNIT_INPUT) return true;
    }
    return false;
}

static int listed(Reader *k, const XmlNode *n) {
    const char *text = xml_attribute(n, "valueReference");
    int i = text ? find_reference(k->d, (unsigned)strtoul(text, NULL, 10)) : -1;
    if (i < 0) reader_wrong(k, n, "there is no variable with the reference '%s'", text);
    return i;
}

static void read_outputs(Reader *k, const XmlNode *structure) {
    UnitDescription *d = k->d;
    bool *found = memory_zeroed((size_t)d->variable_count + 1, sizeof *found);
    for (const XmlNode *n = xml_child(structure, "Output"); n && k->good; n = xml_next(n)) {
        int i = listed(k, n);
        if (i < 0) break;
        if (d->variable[i].role != UNIT_OUTPUT)
            reader_wrong(k, n, "'%s' is listed as an output, but is none", d->variable[i].name);
        for (int e = 0; e < d->variable[i].elements; e++) {
            found[i + e] = true;
            d->variable[i + e].through = depends_on_input(k, n);
        }
    }
    for (int i = 0; i < d->variable_count && k->good; i++)
        if (d->variable[i].role == UNIT_OUTPUT && !found[i])
            reader_wrong(k, structure, "the output '%s' is not listed in ModelStructure",
                         d->variable[i].name);
    free(found);
}

void reader_structure3(Reader *k) {
    UnitDescription *d = k->d;
    const XmlNode *structure = xml_child(k->root, "ModelStructure");
    read_outputs(k, structure);
    const XmlNode *n = xml_child(structure, "ContinuousStateDerivative");
    for (; n && k->good; n = xml_next(n)) {
        int i = listed(k, n);
        for (int e = 0; i >= 0 && e < d->variable[i].elements && k->good; e++)
            reader_add_rate(k, n, i + e);
    }
    for (n = xml_child(structure, "EventIndicator"); n && k->good; n = xml_next(n)) {
        int i = listed(k, n);
        if (i >= 0) d->indicators += d->variable[i].elements;
    }
}

// --- terminals -----------------------------------------------------------------------------------

// Two members: what is equal on both sides, and what flows in. An outflow has the other sign: it is
// no port here.
static void read_terminal(Reader *k, const XmlNode *t) {
    int effort = -1, flow = -1, count = 0;
    for (const XmlNode *m = xml_child(t, "TerminalMemberVariable"); m; m = xml_next(m)) {
        const char *kind = xml_attribute(m, "variableKind");
        int i = reader_named(k->d, xml_attribute(m, "variableName"));
        if (kind && strcmp(kind, "signal") == 0) effort = i;
        if (kind && strcmp(kind, "inflow") == 0) flow = i;
        count++;
    }
    if (count == 2) reader_add_port(k, xml_attribute(t, "name"), effort, flow);
}

void reader_terminals(Reader *k, const XmlNode *root) {
    const XmlNode *all = xml_child(root, "Terminals");
    int count = 0;
    for (const XmlNode *t = xml_child(all, "Terminal"); t; t = xml_next(t)) count++;
    k->d->port = ARENA_ARRAY(k->out, UnitPort, count + 1);
    for (const XmlNode *t = xml_child(all, "Terminal"); t; t = xml_next(t)) read_terminal(k, t);
}

// --- sources -------------------------------------------------------------------------------------

static const char *definition(Arena *out, const XmlNode *n) {
    const char *name = xml_attribute(n, "name"), *value = xml_attribute(n, "value");
    return arena_printf(out, "%s%s%s", name ? name : "BONDYN_NOTHING", value ? "=" : "",
                        value ? value : "");
}

bool unit_read_build(Arena *out, UnitDescription *d, const char *xml, size_t length) {
    Arena tree = {0};
    XmlFault fault;
    const XmlNode *root = xml_tree(&tree, xml, length, &fault);
    const XmlNode *build = root ? xml_child(root, "BuildConfiguration") : NULL;
    int files = 0, defines = 0;
    for (const XmlNode *n = xml_follow(build, build); build && n; n = xml_follow(build, n)) {
        files += xml_is(n, "SourceFile");
        defines += xml_is(n, "PreprocessorDefinition");
    }
    d->source = ARENA_ARRAY(out, const char *, files + 1);
    d->define = ARENA_ARRAY(out, const char *, defines + 1);
    for (const XmlNode *n = xml_follow(build, build); build && n; n = xml_follow(build, n)) {
        const char *name = xml_attribute(n, "name");
        if (xml_is(n, "SourceFile") && name)
            d->source[d->source_count++] = arena_copy_text(out, name, strlen(name));
        if (xml_is(n, "PreprocessorDefinition") && !reader_is_true(n, "optional"))
            d->define[d->define_count++] = definition(out, n);
    }
    arena_free(&tree);
    return root;
}
