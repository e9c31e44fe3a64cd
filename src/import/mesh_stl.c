// STL, in its two forms:
//
//     solid name                              80 bytes of anything, then in little endian
//       facet normal 0 0 1                    number of triangles             4 bytes
//         outer loop                          each: normal, three corners     12 floats
//           vertex 0 0 0                            attribute                 2 bytes
//           vertex 1 0 0
//           vertex 0 1 0                      Some programs put COLOR=rgba into the 80 bytes and
//         endloop                             a colour of 15 bits into the attribute, whose
//       endfacet                              highest bit then says: the colour of the whole.
//     endsolid
//
// Binary files may begin with "solid" too: their length tells. Normals are not needed, as the
// order of the corners says the same.
#include "import/mesh_data.h"

#include <string.h>

enum { HEADER = 80, FIRST = 84, RECORD = 50 };

// --- binary --------------------------------------------------------------------------------------

static uint32_t little(const char *data, int bytes) {
    uint32_t x = 0;
    for (int i = bytes; i-- > 0;) x = x << 8 | (unsigned char)data[i];
    return x;
}

static float little_float(const char *data) {
    uint32_t bits = little(data, 4);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The colour of the whole from the 80 bytes; 0: colours are not used.
static int whole_colour(MeshReader *k) {
    static const char word[] = "COLOR=";
    size_t length = sizeof word - 1;
    for (const char *at = k->text; at + length + 4 <= k->text + HEADER; at++) {
        if (memcmp(at, word, length) != 0) continue;
        double rgb[3];
        for (int i = 0; i < 3; i++) rgb[i] = (unsigned char)at[length + (size_t)i] / 255.0;
        return mesh_add_colour(k->mesh, rgb);
    }
    return 0;
}

static int paint_of(MeshReader *k, int whole, uint32_t attribute) {
    if (!whole || attribute >> 15) return whole;
    double rgb[3];
    for (int i = 0; i < 3; i++) rgb[i] = (double)(attribute >> (5 * i) & 31) / 31;
    return mesh_add_colour(k->mesh, rgb);
}

static bool read_record(MeshReader *k, const char *record, int whole) {
    uint32_t first = (uint32_t)k->mesh->point.count;
    for (int c = 0; c < 3; c++) {
        double x[3];
        for (int i = 0; i < 3; i++) x[i] = little_float(record + 12 + 12 * c + 4 * i);
        if (!mesh_add_point(k, NULL, x)) return false;
    }
    return mesh_add_triangle(k, first, first + 1, first + 2,
                             paint_of(k, whole, little(record + 48, 2)));
}

static bool parse_binary(MeshReader *k) {
    size_t length = (size_t)(k->end - k->text);
    if (length < FIRST)
        return mesh_fail(k, NULL, NULL, "it has %zu bytes, less than the header of an STL file",
                         length);
    uint32_t count = little(k->text + HEADER, 4);
    if (count > (length - FIRST) / RECORD)
        return mesh_fail(k, NULL, "it was cut off, or is no STL file",
                         "it should hold %u triangles, but has room for %zu", (unsigned)count,
                         (length - FIRST) / RECORD);
    int whole = whole_colour(k);
    for (uint32_t i = 0; i < count; i++)
        if (!read_record(k, k->text + FIRST + (size_t)RECORD * i, whole)) return false;
    return true;
}

// --- text ----------------------------------------------------------------------------------------

static bool read_vertex(MeshReader *k, MeshWord keyword) {
    double x[3];
    for (int i = 0; i < 3; i++) {
        MeshWord word;
        if (!mesh_word(k, &word))
            return mesh_fail(k, keyword.at, NULL, "the file ends within a corner");
        if (!mesh_word_number(word, &x[i]))
            return mesh_fail(k, word.at, "write vertex x y z", "'%.*s' is not a finite number",
                             mesh_word_length(word), word.at);
    }
    return mesh_add_point(k, keyword.at, x);
}

// The corners since `first` as triangles from the first of them.
static bool close_loop(MeshReader *k, MeshWord keyword, uint32_t first) {
    uint32_t count = (uint32_t)k->mesh->point.count - first;
    if (count < 3) return mesh_fail(k, keyword.at, NULL, "this facet has fewer than three corners");
    for (uint32_t i = 1; i + 1 < count; i++)
        if (!mesh_add_triangle(k, first, first + i, first + i + 1, 0)) return false;
    return true;
}

static bool parse_text(MeshReader *k) {
    uint32_t first = 0;
    bool open = false;
    const char *begun = k->text;
    for (MeshWord word; mesh_word(k, &word);) {
        if (mesh_word_is(word, "solid") || mesh_word_is(word, "endsolid")) {
            mesh_skip_line(k); // its name
        } else if (mesh_word_is(word, "outer")) {
            first = (uint32_t)k->mesh->point.count;
            open = true;
            begun = word.at;
        } else if (mesh_word_is(word, "vertex")) {
            if (!open) return mesh_fail(k, word.at, NULL, "this corner is outside of a loop");
            if (!read_vertex(k, word)) return false;
        } else if (mesh_word_is(word, "endloop")) {
            if (!open) return mesh_fail(k, word.at, NULL, "no loop was begun that could end here");
            if (!close_loop(k, word, first)) return false;
            open = false;
        } else if (open && !mesh_word_is(word, "loop")) {
            return mesh_fail(k, word.at, "write vertex x y z", "expected 'vertex', saw '%.*s'",
                             mesh_word_length(word), word.at);
        }
    }
    return !open || mesh_fail(k, begun, NULL, "the file ends within this facet");
}

static bool is_text(const MeshReader *k) {
    enum { SAMPLE = 1024 };
    size_t length = (size_t)(k->end - k->text);
    if (length >= FIRST && length == FIRST + (size_t)RECORD * little(k->text + HEADER, 4))
        return false;
    const char *at = k->text;
    while (at < k->end && strchr(" \t\r\n", *at) && *at) at++;
    return k->end - at >= 5 && mesh_word_is((MeshWord){at, at + 5}, "solid") &&
           !memchr(k->text, 0, length < SAMPLE ? length : SAMPLE);
}

bool mesh_parse_stl(MeshReader *k) { return is_text(k) ? parse_text(k) : parse_binary(k); }
