// Elements of a URDF as they come, by depth:
//
//     1 robot   2 link    3 inertial            4 origin mass inertia
//                         3 visual, collision   4 origin geometry   5 mesh box cylinder sphere
//                                               4 material          5 color
//               2 joint   3 origin parent child axis limit mimic dynamics
//               2 material                      3 color
//
// Everything else (gazebo, transmission ...) is counted and passed over.
#include "import/urdf_data.h"

#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum { SECTION_NONE, SECTION_INERTIAL, SECTION_VISUAL, SECTION_COLLISION } Section;

typedef struct {
    Urdf *u;
    Report *r;
    XML_Parser xml;
    uint32_t source;
    size_t length;
    int depth;
    int link, joint; // the one that is open, or -1
    Section section;
    UrdfOrigin origin; // of the open visual or collision ...
    int first_shape;   // ... and the first of its shapes
    Name material;     // of the open visual, or the one that is open; 0: none
    Pos pos;           // of the open tag
    const char *tag;
    const char **attribute; // name, value, name, value ..., NULL
} Reader;

static const double pi = 3.14159265358979323846;

static const char *keep(Reader *k, const char *text) {
    return arena_copy_text(&k->u->arena, text, strlen(text));
}

// --- attributes ----------------------------------------------------------------------------------

static const char *attribute(const Reader *k, const char *name) {
    for (const char **a = k->attribute; *a; a += 2)
        if (strcmp(a[0], name) == 0) return a[1];
    return NULL;
}

static const char *needed(Reader *k, const char *name) {
    const char *value = attribute(k, name);
    if (value && *value) return value;
    Remark *m = report_error(k->r, X_ATTRIBUTE, k->pos, "<%s> has no %s", k->tag, name);
    remark_help(k->r, m, "write <%s %s=\"...\">", k->tag, name);
    return NULL;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Exactly n finite numbers; *word gets where each begins. Nullable: word.
static bool read_numbers(const char *text, int n, double *out, const char **word) {
    for (int i = 0; i < n; i++) {
        while (is_blank(*text)) text++;
        if (!strchr("+-.0123456789", *text) || !*text) return false;
        char *end;
        out[i] = strtod(text, &end);
        if (end == text || !isfinite(out[i]) || (*end && !is_blank(*end))) return false;
        if (word) word[i] = text;
        text = end;
    }
    while (is_blank(*text)) text++;
    return !*text;
}

// The attribute as n numbers; absent ones leave `out` as it is. False: reported.
static bool numbers(Reader *k, const char *name, int n, double *out, const char **word) {
    const char *text = attribute(k, name);
    double value[4];
    if (!text) return true;
    if (!read_numbers(text, n, value, word)) {
        Remark *m =
            report_error(k->r, X_NUMBER, k->pos, "%s of <%s> is '%.40s'", name, k->tag, text);
        if (strstr(text, "${"))
            remark_help(k->r, m, "expand its macros first: xacro robot.urdf.xacro > robot.urdf");
        else
            remark_help(k->r, m, n == 1 ? "it must be a number" : "it must be three numbers");
        return false;
    }
    memcpy(out, value, (size_t)n * sizeof *out);
    return true;
}

// Angles that are rounded multiples of 15 degrees become such: 1.5708 is 90 degrees written with
// four decimals, and 0.7854 is 45. Only the digits that were written may differ by rounding.
static double as_degrees(double x, const char *word, bool may_round) {
    const char *point = word + strcspn(word, ". \t\n\r");
    size_t decimals = *point == '.' ? strspn(point + 1, "0123456789") : 0;
    double degrees = 15 * round(x * 12 / pi);
    bool has_exponent = decimals && point[1 + decimals] && strchr("eE", point[1 + decimals]);
    bool rounded = decimals >= 4 && !has_exponent && fabs(degrees) <= 720 &&
                   fabs(x - degrees * pi / 180) <= pow(10, -(double)decimals);
    bool exact = x == degrees * (pi / 180) || x == degrees * pi / 180;
    return x == 0 ? 0 : exact || (may_round && rounded) ? degrees : NAN;
}

static void read_origin(Reader *k, UrdfOrigin *at) {
    const char *word[3] = {0};
    numbers(k, "xyz", 3, at->xyz, NULL);
    if (!numbers(k, "rpy", 3, at->rpy, word)) return;
    for (int i = 0; i < 3; i++)
        if (word[i]) at->degrees[i] = as_degrees(at->rpy[i], word[i], k->u->rounded);
}

// --- links ---------------------------------------------------------------------------------------

static void open_link(Reader *k) {
    const char *name = needed(k, "name");
    if (!name) return;
    k->link = k->u->link.count;
    array_push(&k->u->link, ((UrdfLink){.name = keep(k, name), .pos = k->pos}));
}

static void read_mass(Reader *k, UrdfLink *l) {
    if (!needed(k, "value") || !numbers(k, "value", 1, &l->mass, NULL) || l->mass >= 0) return;
    report_error(k->r, X_NUMBER, k->pos, "link '%s' has a negative mass", l->name);
    l->mass = 0;
}

static void read_inertia(Reader *k, UrdfLink *l) {
    static const struct {
        const char *name;
        int at, mirror;
    } moment[] = {{"ixx", 0, 0}, {"iyy", 4, 4}, {"izz", 8, 8},
                  {"ixy", 1, 3}, {"ixz", 2, 6}, {"iyz", 5, 7}};
    for (int i = 0; i < 6; i++) {
        double value = 0;
        if (i < 3 && !needed(k, moment[i].name)) return;
        if (!numbers(k, moment[i].name, 1, &value, NULL)) return;
        l->inertia[moment[i].at] = l->inertia[moment[i].mirror] = value;
    }
}

static void read_inertial(Reader *k) {
    UrdfLink *l = &k->u->link.data[k->link];
    if (strcmp(k->tag, "origin") == 0) read_origin(k, &l->at);
    if (strcmp(k->tag, "mass") == 0) read_mass(k, l);
    if (strcmp(k->tag, "inertia") == 0) read_inertia(k, l);
}

static const char *or_none(const char *text) { return text ? text : "?"; }

// --- what links look like ------------------------------------------------------------------------

// Materials without a name are known by a number instead.
static Name open_material(Reader *k) {
    Urdf *u = k->u;
    const char *said = attribute(k, "name");
    Name name = said && *said ? name_printf(u->materials, "named %s", said)
                              : name_printf(u->materials, "number %d", u->material.count);
    while ((Name)u->material.count <= name) array_push(&u->material, (UrdfMaterial){0});
    return name;
}

// Of the open material. A colour is no reason to refuse a robot.
static void read_colour(Reader *k) {
    const char *text = attribute(k, "rgba");
    UrdfMaterial *m = &k->u->material.data[k->material];
    double rgba[4] = {0, 0, 0, 1};
    if (!text) return;
    m->coloured = read_numbers(text, 4, rgba, NULL) || read_numbers(text, 3, rgba, NULL);
    for (int i = 0; i < 3; i++) m->rgb[i] = fmin(fmax(rgba[i], 0), 1);
    if (m->coloured) return;
    Remark *r = report_warning(k->r, X_NUMBER, k->pos, "rgba of <color> is '%.40s'", text);
    remark_help(k->r, r, "it should be four numbers from 0 to 1: red, green, blue, opaqueness");
}

// Sizes from attributes as text of the language, (0.1, 0.2, 0.3): three numbers in one attribute,
// or one in each. NULL: an attribute holds no numbers, or one is below `least`.
static const char *sizes(Reader *k, const char *attributes[], int count, double least) {
    double x[3] = {0};
    int n = count == 1 ? 3 : count;
    for (int i = 0; i < count; i++) {
        const char *text = attribute(k, attributes[i]);
        if (!text || !read_numbers(text, count == 1 ? 3 : 1, x + i, NULL)) return NULL;
    }
    Text t = {0};
    bool good = true;
    for (int i = 0; i < n; i++) {
        text_add(&t, i ? ", " : "(");
        text_number(&t, x[i]);
        good &= x[i] >= least;
    }
    text_char(&t, ')');
    const char *kept = good ? keep(k, text_get(&t)) : NULL;
    text_free(&t);
    return kept;
}

// A mesh, mirrored where its scale is negative. NULL: it has no file, or its scale is nonsense.
static const char *mesh_form(Reader *k) {
    const char *file = attribute(k, "filename"), *scale = attribute(k, "scale"), *size = "";
    double x[3] = {1, 1, 1};
    if (!file || !*file || strpbrk(file, "\"\n\r")) return NULL;
    if (scale) {
        bool good = read_numbers(scale, 3, x, NULL) && x[0] != 0 && x[1] != 0 && x[2] != 0;
        size = sizes(k, (const char *[]){"scale"}, 1, -HUGE_VAL);
        if (!good || !size) {
            Remark *m = report_warning(k->r, X_NUMBER, k->pos, "scale of <mesh> is '%.40s'", scale);
            remark_help(k->r, m, "it should be three numbers that are not zero");
            return NULL;
        }
        size = arena_printf(&k->u->arena, " scale %s", size);
    }
    return arena_printf(&k->u->arena, "mesh \"%s\"%s", file, size);
}

// The form in the language, or NULL.
static const char *shape_form(Reader *k) {
    Arena *a = &k->u->arena;
    const char *size = NULL, *tag = k->tag;
    double radius;
    if (strcmp(tag, "box") == 0) {
        size = sizes(k, (const char *[]){"size"}, 1, 0);
        return size ? arena_printf(a, "box %s {m}", size) : NULL;
    }
    if (strcmp(tag, "cylinder") == 0 || strcmp(tag, "capsule") == 0) {
        size = sizes(k, (const char *[]){"radius", "length"}, 2, 0);
        return size ? arena_printf(a, "cylinder %s {m}", size) : NULL;
    }
    if (strcmp(tag, "sphere") == 0) {
        const char *text = attribute(k, "radius");
        bool good = text && read_numbers(text, 1, &radius, NULL) && radius >= 0;
        return good ? arena_printf(a, "sphere %.17g {m}", radius) : NULL;
    }
    return strcmp(tag, "mesh") == 0 ? mesh_form(k) : NULL;
}

// What a shape looks like, for the view.
static void read_shape(Reader *k) {
    const char *shape = NULL, *tag = k->tag;
    Arena *a = &k->u->arena;
    if (strcmp(tag, "mesh") == 0) {
        const char *scale = attribute(k, "scale");
        shape = arena_printf(a, "mesh \"%s\"%s%s", or_none(attribute(k, "filename")),
                             scale ? " scale " : "", scale ? scale : "");
    } else if (strcmp(tag, "box") == 0) {
        shape = arena_printf(a, "box %s", or_none(attribute(k, "size")));
    } else if (strcmp(tag, "cylinder") == 0 || strcmp(tag, "capsule") == 0) {
        shape = arena_printf(a, "%s radius %s length %s", tag, or_none(attribute(k, "radius")),
                             or_none(attribute(k, "length")));
    } else if (strcmp(tag, "sphere") == 0) {
        shape = arena_printf(a, "sphere radius %s", or_none(attribute(k, "radius")));
    }
    if (!shape) return;
    const char *what = k->section == SECTION_VISUAL ? "visual" : "collision";
    const char *form = k->section == SECTION_VISUAL ? shape_form(k) : NULL;
    const char *file = strcmp(tag, "mesh") == 0 && form ? attribute(k, "filename") : NULL;
    array_push(&k->u->shape, ((UrdfShape){.link = k->link,
                                          .what = what,
                                          .shape = shape,
                                          .form = form,
                                          .pos = k->pos,
                                          .file = file ? keep(k, file) : NULL}));
}

static void open_section(Reader *k) {
    k->section = strcmp(k->tag, "inertial") == 0    ? SECTION_INERTIAL
                 : strcmp(k->tag, "visual") == 0    ? SECTION_VISUAL
                 : strcmp(k->tag, "collision") == 0 ? SECTION_COLLISION
                                                    : SECTION_NONE;
    k->origin = (UrdfOrigin){0};
    k->first_shape = k->u->shape.count;
    k->material = 0;
}

// --- joints --------------------------------------------------------------------------------------

static bool joint_kind(const char *type, UrdfKind *kind) {
    static const struct {
        const char *name;
        UrdfKind kind;
    } known[] = {{"fixed", URDF_FIXED},         {"revolute", URDF_REVOLUTE},
                 {"continuous", URDF_REVOLUTE}, {"prismatic", URDF_PRISMATIC},
                 {"floating", URDF_FLOATING},   {"planar", URDF_PLANAR}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(type, known[i].name) != 0) continue;
        *kind = known[i].kind;
        return true;
    }
    return false;
}

static void open_joint(Reader *k) {
    const char *name = needed(k, "name"), *type = name ? needed(k, "type") : NULL;
    if (!type) return;
    UrdfJoint j = {.name = keep(k, name),
                   .pos = k->pos,
                   .axis = {1, 0, 0},
                   .multiplier = 1,
                   .leader = -1,
                   .endless = strcmp(type, "continuous") == 0};
    j.lower = j.upper = j.effort = j.velocity = j.damping = j.friction = NAN;
    if (!joint_kind(type, &j.kind)) {
        Remark *m =
            report_error(k->r, X_JOINT_TYPE, k->pos, "joint '%s' is of type '%s'", name, type);
        remark_help(k->r, m,
                    "there are fixed, revolute, continuous, prismatic, floating and planar");
        return;
    }
    k->joint = k->u->joint.count;
    array_push(&k->u->joint, j);
}

static void read_end(Reader *k, const char **name, Pos *pos) {
    const char *link = needed(k, "link");
    if (!link) link = "";
    if (*name && strcmp(*name, link) != 0) {
        Remark *m = report_error(k->r, X_TREE, k->pos, "joint '%s' has two <%s>: '%s' and '%s'",
                                 k->u->joint.data[k->joint].name, k->tag, *name, link);
        remark_help(k->r, m, "keep one of them; a second way to a link is a joint of its own");
    }
    *name = keep(k, link);
    *pos = k->pos;
}

static void read_axis(Reader *k, UrdfJoint *j) {
    if (!numbers(k, "xyz", 3, j->axis, NULL)) return;
    double x = fabs(j->axis[0]), y = fabs(j->axis[1]), z = fabs(j->axis[2]);
    if (fmax(x, fmax(y, z)) > 1e-100 || j->kind == URDF_FIXED || j->kind == URDF_FLOATING) return;
    report_error(k->r, X_AXIS, k->pos, "the axis of joint '%s' is zero", j->name);
    j->axis[0] = 1;
}

// `inf` is no limit.
static void read_bound(Reader *k, const char *name, double *bound) {
    const char *text = attribute(k, name);
    size_t sign = text ? strspn(text, "+- ") : 0;
    if (text && strncasecmp(text + sign, "inf", 3) == 0)
        *bound = strchr(text, '-') && strchr(text, '-') < text + sign ? -HUGE_VAL : HUGE_VAL;
    else
        numbers(k, name, 1, bound, NULL);
}

// What is not given is 0, says the format; that it was meant so is not sure.
static void complete_limits(Reader *k, UrdfJoint *j) {
    if (isnan(j->lower) == isnan(j->upper)) return;
    Remark *m = report_warning(k->r, X_LIMITS, k->pos, "joint '%s' has no %s limit: it counts as 0",
                               j->name, isnan(j->lower) ? "lower" : "upper");
    remark_help(k->r, m, "give both, or make the joint continuous");
    *(isnan(j->lower) ? &j->lower : &j->upper) = 0;
}

static void read_limit(Reader *k, UrdfJoint *j) {
    read_bound(k, "lower", &j->lower);
    read_bound(k, "upper", &j->upper);
    read_bound(k, "effort", &j->effort);
    read_bound(k, "velocity", &j->velocity);
    j->limit_pos = k->pos;
    if (j->endless) j->lower = j->upper = NAN;
    complete_limits(k, j);
    if (!(j->lower > j->upper)) return;
    Remark *m = report_warning(k->r, X_LIMITS, k->pos,
                               "joint '%s' has its limits the wrong way round", j->name);
    remark_help(k->r, m, "exchange lower and upper");
}

static void read_mimic(Reader *k, UrdfJoint *j) {
    const char *other = needed(k, "joint");
    if (!other) return;
    j->mimic = keep(k, other);
    j->mimic_pos = k->pos;
    numbers(k, "multiplier", 1, &j->multiplier, NULL);
    numbers(k, "offset", 1, &j->offset, NULL);
}

static void refuse_negative(Reader *k, const UrdfJoint *j, const char *what, double *x) {
    if (!(*x < 0)) return;
    Remark *m =
        report_warning(k->r, X_NUMBER, k->pos, "the %s of joint '%s' is negative", what, j->name);
    remark_help(k->r, m, "it would make energy; the joint goes without");
    *x = NAN;
}

static void read_in_joint(Reader *k) {
    UrdfJoint *j = &k->u->joint.data[k->joint];
    const char *tag = k->tag;
    if (strcmp(tag, "origin") == 0) read_origin(k, &j->at);
    if (strcmp(tag, "parent") == 0) read_end(k, &j->parent_name, &j->parent_pos);
    if (strcmp(tag, "child") == 0) read_end(k, &j->child_name, &j->child_pos);
    if (strcmp(tag, "axis") == 0) read_axis(k, j);
    if (strcmp(tag, "limit") == 0) read_limit(k, j);
    if (strcmp(tag, "mimic") == 0) read_mimic(k, j);
    if (strcmp(tag, "dynamics") != 0) return;
    j->dynamics_pos = k->pos;
    numbers(k, "damping", 1, &j->damping, NULL);
    numbers(k, "friction", 1, &j->friction, NULL);
    refuse_negative(k, j, "damping", &j->damping);
    refuse_negative(k, j, "friction", &j->friction);
}

// --- elements ------------------------------------------------------------------------------------

// Whether a tag at this depth is one that the reader knows.
static bool is_known(const Reader *k) {
    static const char *const top[] = {"link", "joint", "material", NULL};
    static const char *const link[] = {"inertial", "visual", "collision", NULL};
    static const char *const joint[] = {"origin", "parent", "child",    "axis",
                                        "limit",  "mimic",  "dynamics", NULL};
    const char *const *known = k->depth == 2                    ? top
                               : k->depth == 3 && k->link >= 0  ? link
                               : k->depth == 3 && k->joint >= 0 ? joint
                                                                : NULL;
    for (int i = 0; known && known[i]; i++)
        if (strcmp(known[i], k->tag) == 0) return true;
    return !known;
}

static void count_dropped(Reader *k) {
    Urdf *u = k->u;
    for (int i = 0; i < u->dropped.count; i++)
        if (strcmp(u->dropped.data[i].tag, k->tag) == 0) {
            u->dropped.data[i].count++;
            return;
        }
    enum { MOST_KINDS = 20 };
    if (u->dropped.count == MOST_KINDS) return;
    UrdfDropped d = {arena_printf(&u->arena, "%.40s", k->tag), 1, k->pos};
    array_push(&u->dropped, d);
}

static Pos here(const Reader *k) {
    XML_Index at = XML_GetCurrentByteIndex(k->xml);
    if (at < 0) at = 0;
    if ((size_t)at > k->length) at = (XML_Index)k->length;
    return (Pos){k->source, (uint32_t)at};
}

static void open_robot(Reader *k) {
    const char *name = attribute(k, "name");
    k->u->name = keep(k, name ? name : "robot");
    k->u->pos = k->pos;
    if (strcmp(k->tag, "robot") == 0) return;
    Remark *m = report_error(k->r, X_NOT_URDF, k->pos,
                             "the file begins with <%.40s>, not with <robot>", k->tag);
    remark_help(k->r, m, "only robot descriptions in URDF can be read");
    XML_StopParser(k->xml, XML_FALSE);
}

static void XMLCALL element_begins(void *context, const XML_Char *tag,
                                   const XML_Char **attributes) {
    Reader *k = context;
    k->depth++;
    k->tag = tag;
    k->attribute = attributes;
    k->pos = here(k);
    if (report_full(k->r)) XML_StopParser(k->xml, XML_FALSE);
    if (k->depth == 1) open_robot(k);
    if (!is_known(k)) count_dropped(k);
    if (k->depth == 2 && strcmp(tag, "link") == 0) open_link(k);
    if (k->depth == 2 && strcmp(tag, "joint") == 0) open_joint(k);
    if (k->depth == 3 && k->joint >= 0) read_in_joint(k);
    bool shape = k->section == SECTION_VISUAL || k->section == SECTION_COLLISION;
    bool material = k->depth == 2 || (k->depth == 4 && shape);
    if (material && strcmp(tag, "material") == 0) k->material = open_material(k);
    if (k->material && strcmp(tag, "color") == 0) read_colour(k);
    if (k->link < 0) return;
    if (k->depth == 3) open_section(k);
    if (k->depth == 4 && k->section == SECTION_INERTIAL) read_inertial(k);
    if (k->depth == 4 && shape && strcmp(tag, "origin") == 0) read_origin(k, &k->origin);
    if (k->depth == 5 && shape) read_shape(k);
}

static void XMLCALL element_ends(void *context, const XML_Char *tag) {
    Reader *k = context;
    (void)tag;
    k->depth--;
    if (k->depth == 2 && k->section != SECTION_NONE) // an origin may stand behind its geometry
        for (int i = k->first_shape; i < k->u->shape.count; i++) {
            k->u->shape.data[i].at = k->origin;
            k->u->shape.data[i].material = k->material;
        }
    if (k->depth < 3) k->section = SECTION_NONE;
    if (k->depth < 2) k->link = k->joint = -1;
    if (k->depth < 2) k->material = 0;
}

bool urdf_read(Urdf *u, const Sources *sources, uint32_t source, Report *r) {
    Reader k = {.u = u, .r = r, .source = source, .link = -1, .joint = -1};
    const char *text = source_text(sources, source, &k.length);
    int before = r->errors;
    u->materials = names_new();
    k.xml = XML_ParserCreate(NULL);
    if (!k.xml) abort(); // no memory
    XML_SetUserData(k.xml, &k);
    XML_SetElementHandler(k.xml, element_begins, element_ends);
    bool good =
        k.length < 1u << 30 && XML_Parse(k.xml, text, (int)k.length, XML_TRUE) == XML_STATUS_OK;
    if (!good && r->errors == before)
        report_error(r, X_XML, here(&k), "the XML cannot be read: %s",
                     XML_ErrorString(XML_GetErrorCode(k.xml)));
    XML_ParserFree(k.xml);
    return r->errors == before;
}
