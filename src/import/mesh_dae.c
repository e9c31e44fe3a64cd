// Collada. Elements name each other by id; a scene places geometries, a geometry is made of
// primitives whose corners are numbers of places in a source:
//
//     visual_scene
//       node           matrix, translate, rotate, scale: one after the other; nodes in it
//         instance_geometry url="#G"            which geometry,
//           instance_material symbol target     and what its materials are
//         instance_node url="#N"                another node, here
//     geometry id="G"
//       mesh
//         source id="P"      float_array, accessor stride
//         vertices id="V"    input semantic="POSITION" source="#P"
//         triangles material="symbol"           also polylist, polygons, tristrips, trifans
//           input semantic="VERTEX" source="#V" offset
//           p                                   indices, as many per corner as there are offsets
//     material -> effect -> diffuse color
//
// `unit meter` scales everything. As the programs for robots do, up_axis is passed over: axes are
// those of the file.
#include "import/mesh_data.h"

#include "base/names.h"
#include "import/xml_tree.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, MOST_VISITS = 100000, MOST_CORNERS = 100000 };

typedef struct {
    double m[12]; // 3 x 4, row by row
} Place;

typedef struct {
    MeshReader *k;
    const XmlNode *root;
    Names *names;
    ARRAY(const XmlNode *) by_id;
    int visits;
    Place place;             // of the geometry that is read
    const XmlNode *instance; // ... and what placed it; NULL: nothing
    const XmlNode *source;   // the source whose points are in the mesh already, ...
    uint32_t first, count;   // ... and where
} DaeReader;

static bool fail_at(DaeReader *d, const XmlNode *n, const char *what) {
    return mesh_fail(d->k, d->k->text + n->at, NULL, "%s", what);
}

// --- ids and numbers -----------------------------------------------------------------------------

static void list_ids(DaeReader *d) {
    for (const XmlNode *n = d->root; n; n = xml_follow(d->root, n)) {
        const char *id = xml_attribute(n, "id");
        if (!id) continue;
        Name name = name_of(d->names, id);
        while ((Name)d->by_id.count <= name) array_push(&d->by_id, NULL);
        if (!d->by_id.data[name]) d->by_id.data[name] = n;
    }
}

// What the attribute of an element refers to, if it is of that kind.
static const XmlNode *referred(const DaeReader *d, const XmlNode *n, const char *attribute,
                               const char *tag) {
    const char *url = n ? xml_attribute(n, attribute) : NULL;
    Name name = url ? name_find(d->names, url + (*url == '#')) : 0;
    const XmlNode *to = name && (Name)d->by_id.count > name ? d->by_id.data[name] : NULL;
    return to && xml_is(to, tag) ? to : NULL;
}

static MeshReader words_of(const XmlNode *n) {
    const char *text = n ? n->text : "";
    return (MeshReader){.text = text, .end = text + strlen(text), .next = text};
}

static bool read_numbers(const XmlNode *n, int count, double *x) {
    MeshReader k = words_of(n);
    for (int i = 0; i < count; i++) {
        MeshWord word;
        if (!mesh_word(&k, &word) || !mesh_word_number(word, &x[i])) return false;
    }
    return true;
}

static long whole_number(const XmlNode *n, const char *attribute, long otherwise) {
    const char *text = xml_attribute(n, attribute);
    return text ? strtol(text, NULL, 10) : otherwise;
}

// --- places --------------------------------------------------------------------------------------

static Place place_times(const Place *a, const double b[12]) {
    Place c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            double sum = j == 3 ? a->m[4 * i + 3] : 0;
            for (int k = 0; k < 3; k++) sum += a->m[4 * i + k] * b[4 * k + j];
            c.m[4 * i + j] = sum;
        }
    return c;
}

// axis and degrees -> R = c 1 + s [a] + (1 - c) a a'
static void turn_matrix(const double x[4], double m[12]) {
    double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    double angle = x[3] * 3.14159265358979323846 / 180, c = cos(angle), s = sin(angle), a[3];
    for (int i = 0; i < 3; i++) a[i] = length > 0 ? x[i] / length : 0;
    const double cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[4 * i + j] = (i == j) * c + s * cross[3 * i + j] + (1 - c) * a[i] * a[j];
}

// The place after one of the elements that move it. False: its numbers are wrong.
static bool apply_transform(const XmlNode *n, Place *p) {
    double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, x[4];
    if (xml_is(n, "matrix")) {
        if (!read_numbers(n, 16, m)) return false;
    } else if (xml_is(n, "translate")) {
        if (!read_numbers(n, 3, x)) return false;
        for (int i = 0; i < 3; i++) m[4 * i + 3] = x[i];
    } else if (xml_is(n, "scale")) {
        if (!read_numbers(n, 3, x)) return false;
        for (int i = 0; i < 3; i++) m[5 * i] = x[i];
    } else if (xml_is(n, "rotate")) {
        if (!read_numbers(n, 4, x)) return false;
        turn_matrix(x, m);
    } else {
        return true;
    }
    *p = place_times(p, m);
    return true;
}

// --- materials -----------------------------------------------------------------------------------

static const XmlNode *diffuse_of(const XmlNode *effect) {
    const XmlNode *technique = xml_child(xml_child(effect, "profile_COMMON"), "technique");
    for (const XmlNode *n = technique ? technique->first : NULL; n; n = n->next) {
        const XmlNode *colour = xml_child(xml_child(n, "diffuse"), "color");
        if (colour) return colour;
    }
    return NULL;
}

static int paint_of(DaeReader *d, const XmlNode *primitive) {
    const char *symbol = xml_attribute(primitive, "material");
    const XmlNode *bound = xml_child(xml_child(d->instance, "bind_material"), "technique_common");
    const XmlNode *m = xml_child(bound, "instance_material");
    for (; m && symbol; m = xml_next(m)) {
        const char *said = xml_attribute(m, "symbol");
        if (said && strcmp(said, symbol) == 0) break;
    }
    const XmlNode *material = symbol ? referred(d, m, "target", "material") : NULL;
    if (!material) material = referred(d, primitive, "material", "material");
    const XmlNode *effect = referred(d, xml_child(material, "instance_effect"), "url", "effect");
    double rgb[3];
    const XmlNode *colour = diffuse_of(effect);
    return colour && read_numbers(colour, 3, rgb) ? mesh_add_colour(d->k->mesh, rgb) : 0;
}

// --- points --------------------------------------------------------------------------------------

static const XmlNode *input_of(const XmlNode *n, const char *semantic) {
    const XmlNode *input = xml_child(n, "input");
    for (; input; input = xml_next(input)) {
        const char *said = xml_attribute(input, "semantic");
        if (said && strcmp(said, semantic) == 0) break;
    }
    return input;
}

// All points of a source, carried to where the geometry is.
static bool add_points(DaeReader *d, const XmlNode *source) {
    const XmlNode *numbers = xml_child(source, "float_array");
    const XmlNode *accessor = xml_child(xml_child(source, "technique_common"), "accessor");
    long stride = accessor ? whole_number(accessor, "stride", 3) : 3;
    if (!numbers || stride < 3 || stride > 100)
        return fail_at(d, source, "this source is no list of points");
    MeshReader k = words_of(numbers);
    double x[3] = {0};
    d->first = (uint32_t)d->k->mesh->point.count;
    long n = 0;
    for (MeshWord word; mesh_word(&k, &word); n++) {
        double number;
        if (!mesh_word_number(word, &number))
            return fail_at(d, numbers, "a number of this list is not finite, or none at all");
        if (n % stride < 3) x[n % stride] = number;
        if (n % stride != 2) continue;
        double at[3];
        for (int i = 0; i < 3; i++) {
            const double *m = d->place.m + 4 * i;
            at[i] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2] + m[3];
        }
        if (!mesh_add_point(d->k, d->k->text + numbers->at, at)) return false;
    }
    d->count = (uint32_t)d->k->mesh->point.count - d->first;
    d->source = source;
    return true;
}

// --- primitives ----------------------------------------------------------------------------------

typedef enum { EACH_THREE, BY_COUNTS, ONE_POLYGON, STRIP } Grouping;

typedef struct {
    const XmlNode *n, *p; // the primitive, and the list of indices that is read
    long stride, offset;  // indices per corner, and which of them is the place
    Grouping grouping;
    int paint;
    MeshReader words, counts;
} Primitive;

static bool read_corner(DaeReader *d, Primitive *x, uint32_t *corner, bool *over) {
    MeshWord word;
    *over = false;
    for (long i = 0; i < x->stride; i++) {
        if (!mesh_word(&x->words, &word)) {
            *over = true;
            return i == 0 || fail_at(d, x->p, "the last corner of this list is not complete");
        }
        if (i != x->offset) continue;
        char *stop;
        long index = strtol(word.at, &stop, 10);
        if (stop != word.end || index < 0 || (unsigned long)index >= d->count)
            return fail_at(d, x->p, "an index of this list is no number of a point");
        *corner = d->first + (uint32_t)index;
    }
    return true;
}

// How many corners the next polygon has at most; 0: no more polygons.
static long next_size(Primitive *x) {
    MeshWord word;
    if (x->grouping == EACH_THREE) return 3;
    if (x->grouping != BY_COUNTS) return MOST_CORNERS * 100L;
    return mesh_word(&x->counts, &word) ? strtol(word.at, NULL, 10) : 0;
}

// One polygon, or all of a strip or fan.
static bool read_polygon(DaeReader *d, Primitive *x, long size, bool *over) {
    uint32_t first = 0, before = 0, last = 0, corner = 0;
    long count = 0;
    for (; count < size; count++) {
        if (!read_corner(d, x, &corner, over)) return false;
        if (*over) break;
        if (count == 0) first = corner;
        bool turned = x->grouping == STRIP && count % 2; // every other triangle of a strip
        uint32_t start = x->grouping == STRIP ? before : first;
        uint32_t a = turned ? last : start, b = turned ? start : last;
        if (count >= 2 && !mesh_add_triangle(d->k, a, b, corner, x->paint)) return false;
        before = last;
        last = corner;
    }
    bool enough = count >= 3 || (count == 0 && *over) || x->grouping == BY_COUNTS;
    return enough || fail_at(d, x->p, "a polygon of this list has fewer than three corners");
}

static bool read_list(DaeReader *d, Primitive *x) {
    bool over = false;
    x->words = words_of(x->p);
    while (!over) {
        long size = next_size(x);
        if (size <= 0) break;
        if (!read_polygon(d, x, size, &over)) return false;
    }
    return true;
}

static bool grouping_of(const XmlNode *n, Grouping *g) {
    static const struct {
        const char *tag;
        Grouping grouping;
    } known[] = {{"triangles", EACH_THREE},
                 {"polylist", BY_COUNTS},
                 {"polygons", ONE_POLYGON},
                 {"trifans", ONE_POLYGON},
                 {"tristrips", STRIP}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!xml_is(n, known[i].tag)) continue;
        *g = known[i].grouping;
        return true;
    }
    return false;
}

static bool read_primitive(DaeReader *d, const XmlNode *n, Grouping grouping) {
    const XmlNode *vertex = input_of(n, "VERTEX");
    const XmlNode *vertices = referred(d, vertex, "source", "vertices");
    const XmlNode *position = vertices ? input_of(vertices, "POSITION") : NULL;
    const XmlNode *source = referred(d, position, "source", "source");
    if (!source) return fail_at(d, n, "no source of places belongs to these corners");
    if (source != d->source && !add_points(d, source)) return false;
    Primitive x = {.n = n, .grouping = grouping, .stride = 1, .paint = paint_of(d, n)};
    x.counts = words_of(xml_child(n, "vcount"));
    x.offset = whole_number(vertex, "offset", 0);
    for (const XmlNode *input = xml_child(n, "input"); input; input = xml_next(input)) {
        long offset = whole_number(input, "offset", 0);
        if (offset < 0 || offset > 100) return fail_at(d, input, "this offset is impossible");
        if (offset >= x.stride) x.stride = offset + 1;
    }
    for (x.p = xml_child(n, "p"); x.p; x.p = xml_next(x.p))
        if (!read_list(d, &x)) return false;
    return true;
}

static bool read_geometry(DaeReader *d, const XmlNode *geometry, const XmlNode *instance,
                          const Place *place) {
    const XmlNode *mesh = xml_child(geometry, "mesh");
    d->place = *place;
    d->instance = instance;
    d->source = NULL; // its points are elsewhere now
    for (const XmlNode *n = mesh ? mesh->first : NULL; n; n = n->next) {
        Grouping grouping;
        if (grouping_of(n, &grouping) && !read_primitive(d, n, grouping)) return false;
    }
    return true;
}

// --- the scene -----------------------------------------------------------------------------------

static bool read_node(DaeReader *d, const XmlNode *node, Place place, int depth) {
    if (depth > DEEPEST || ++d->visits > MOST_VISITS)
        return fail_at(d, node,
                       depth > DEEPEST ? "nodes are nested too deep here, or in a circle"
                                       : "the scene has more than 100000 nodes");
    for (const XmlNode *n = node->first; n; n = n->next) {
        if (!apply_transform(n, &place))
            return fail_at(d, n, "its numbers are too few, or no numbers");
        const XmlNode *geometry = referred(d, n, "url", "geometry");
        const XmlNode *other = referred(d, n, "url", "node");
        if (xml_is(n, "node") && !read_node(d, n, place, depth + 1)) return false;
        if (xml_is(n, "instance_node") && other && !read_node(d, other, place, depth + 1))
            return false;
        if (!xml_is(n, "instance_geometry")) continue;
        if (!geometry) return fail_at(d, n, "there is no such geometry");
        if (++d->visits > MOST_VISITS) return fail_at(d, n, "the scene has more than 100000 nodes");
        if (!read_geometry(d, geometry, n, &place)) return false;
    }
    return true;
}

static Place unit_place(const DaeReader *d) {
    const XmlNode *unit = xml_child(xml_child(d->root, "asset"), "unit");
    const char *said = unit ? xml_attribute(unit, "meter") : NULL;
    double metre = said ? strtod(said, NULL) : 1;
    if (!(metre > 0) || !isfinite(metre)) metre = 1;
    return (Place){{metre, 0, 0, 0, 0, metre, 0, 0, 0, 0, metre, 0}};
}

static bool read_document(DaeReader *d) {
    if (!xml_is(d->root, "COLLADA")) return fail_at(d, d->root, "it does not begin with <COLLADA>");
    Place place = unit_place(d);
    const XmlNode *named = xml_child(xml_child(d->root, "scene"), "instance_visual_scene");
    const XmlNode *scene = referred(d, named, "url", "visual_scene");
    if (!scene) scene = xml_child(xml_child(d->root, "library_visual_scenes"), "visual_scene");
    if (scene) return read_node(d, scene, place, 0);
    const XmlNode *g = xml_child(xml_child(d->root, "library_geometries"), "geometry");
    for (; g; g = xml_next(g)) // no scene: all there is, as it is
        if (!read_geometry(d, g, NULL, &place)) return false;
    return true;
}

bool mesh_parse_dae(MeshReader *k) {
    Arena scratch = {0};
    XmlFault fault = {0};
    DaeReader d = {.k = k, .names = names_new()};
    bool good;
    d.root = xml_tree(&scratch, k->text, (size_t)(k->end - k->text), &fault);
    if (d.root) {
        list_ids(&d);
        good = read_document(&d);
    } else {
        good = mesh_fail(k, k->text + fault.at, NULL, "the XML cannot be read: %s", fault.what);
    }
    names_free(d.names);
    array_free(&d.by_id);
    arena_free(&scratch);
    return good;
}
