// Wavefront OBJ:
//
//     mtllib arm.mtl          materials: newmtl NAME, Kd r g b
//     v 0 0 0                 a corner
//     usemtl paint            the colour of what follows
//     f 1 2 3                 a polygon, by corners from 1 or, from the last one backwards, -1;
//     f 1/1/1 2/2/1 -1/3/1    textures and normals behind a slash are not needed
//
// All other lines are passed over. Polygons become triangles from their first corner.
#include "import/mesh_data.h"

#include "base/names.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    MeshReader *k;
    Names *names;
    ARRAY(int) paint; // of the materials, by name
    int now;          // paint of what follows
} ObjReader;

// --- materials -----------------------------------------------------------------------------------

// The rest of the line: names of materials and files may have blanks in them.
static MeshWord rest_of_line(MeshReader *k) {
    MeshWord rest;
    if (!mesh_word_of_line(k, &rest)) return rest;
    while (k->next < k->end && *k->next != '\n') k->next++;
    rest.end = k->next;
    while (rest.end > rest.at && strchr(" \t\r", rest.end[-1])) rest.end--;
    return rest;
}

static int *paint_of(ObjReader *o, MeshWord material) {
    Name name = name_of_n(o->names, material.at, (size_t)(material.end - material.at));
    while ((Name)o->paint.count <= name) array_push(&o->paint, 0);
    return &o->paint.data[name];
}

// material-file = { "newmtl" name | "Kd" r g b | other }
static void read_materials(ObjReader *o, MeshReader *k) {
    int *paint = NULL;
    for (MeshWord word; mesh_word(k, &word); mesh_skip_line(k)) {
        if (mesh_word_is(word, "newmtl")) paint = paint_of(o, rest_of_line(k));
        if (!paint || !mesh_word_is(word, "Kd")) continue;
        double rgb[3];
        bool good = true;
        for (int i = 0; good && i < 3; i++)
            good = mesh_word_of_line(k, &word) && mesh_word_number(word, &rgb[i]);
        if (good) *paint = mesh_add_colour(o->k->mesh, rgb);
    }
}

// A missing file of materials costs the colours only.
static void open_materials(ObjReader *o, const char *folder) {
    MeshWord name = rest_of_line(o->k);
    Arena scratch = {0};
    MeshFault ignored;
    MeshReader k = {.fault = &ignored};
    if (folder && name.end > name.at && name.end - name.at < 1000) {
        const char *file = arena_copy_text(&scratch, name.at, (size_t)(name.end - name.at));
        const char *path = mesh_find(&scratch, folder, file);
        size_t length = 0;
        k.text = k.next = path ? mesh_file(&scratch, path, &length, &k) : NULL;
        k.end = k.text ? k.text + length : NULL;
        if (k.text) read_materials(o, &k);
    }
    arena_free(&scratch);
}

// --- corners and polygons ------------------------------------------------------------------------

static bool read_point(MeshReader *k, MeshWord keyword) {
    double x[3];
    for (int i = 0; i < 3; i++) {
        MeshWord word;
        if (!mesh_word_of_line(k, &word))
            return mesh_fail(k, keyword.at, "write v x y z", "this corner has %s numbers",
                             i == 0 ? "no" : "too few");
        if (!mesh_word_number(word, &x[i]))
            return mesh_fail(k, word.at, "write v x y z", "'%.*s' is not a finite number",
                             mesh_word_length(word), word.at);
    }
    return mesh_add_point(k, keyword.at, x);
}

// corner = ["-"] digits ["/" ...]
static bool read_corner(MeshReader *k, MeshWord word, uint32_t *corner) {
    char *stop;
    long number = strtol(word.at, &stop, 10);
    bool good = stop > word.at && (stop == word.end || (stop < word.end && *stop == '/'));
    long count = k->mesh->point.count, index = number > 0 ? number - 1 : count + number;
    if (!good)
        return mesh_fail(k, word.at, "write f 1 2 3", "'%.*s' is not the number of a corner",
                         mesh_word_length(word), word.at);
    if (number == 0 || index < 0 || index >= count)
        return mesh_fail(k, word.at, "corners count from 1",
                         "there is no corner %.*s: %ld were given so far", mesh_word_length(word),
                         word.at, count);
    *corner = (uint32_t)index;
    return true;
}

static bool read_face(ObjReader *o, MeshWord keyword) {
    uint32_t first = 0, last = 0, corner = 0;
    int count = 0;
    for (MeshWord word; mesh_word_of_line(o->k, &word); count++, last = corner) {
        if (*word.at == '#') break;
        if (!read_corner(o->k, word, &corner)) return false;
        if (count == 0) first = corner;
        if (count >= 2 && !mesh_add_triangle(o->k, first, last, corner, o->now)) return false;
    }
    return count >= 3 ||
           mesh_fail(o->k, keyword.at, NULL, "this polygon has fewer than three corners");
}

static bool read_lines(ObjReader *o, const char *folder) {
    MeshReader *k = o->k;
    for (MeshWord word; mesh_word(k, &word); mesh_skip_line(k)) {
        if (mesh_word_is(word, "v") && !read_point(k, word)) return false;
        if (mesh_word_is(word, "f") && !read_face(o, word)) return false;
        if (mesh_word_is(word, "mtllib")) open_materials(o, folder);
        if (mesh_word_is(word, "usemtl")) o->now = *paint_of(o, rest_of_line(k));
    }
    return true;
}

bool mesh_parse_obj(MeshReader *k, const char *folder) {
    ObjReader o = {.k = k, .names = names_new()};
    const char *zero = memchr(k->text, 0, (size_t)(k->end - k->text));
    bool good =
        zero ? mesh_fail(k, NULL, NULL, "it is no text, as OBJ files are") : read_lines(&o, folder);
    names_free(o.names);
    array_free(&o.paint);
    return good;
}
