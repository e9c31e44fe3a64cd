// A file as a mesh, by the ending of its name; and what all readers share.
#include "import/mesh_data.h"

#include "base/files.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { MOST_COLOURS = 255 };

bool mesh_fail(MeshReader *k, const char *at, const char *help, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(k->fault->what, sizeof k->fault->what, format, arguments);
    va_end(arguments);
    k->fault->has_place = at;
    k->fault->at = at ? (size_t)(at - k->text) : 0;
    k->fault->help = help;
    return false;
}

// --- growing a mesh ------------------------------------------------------------------------------

bool mesh_add_point(MeshReader *k, const char *at, const double x[3]) {
    if (k->mesh->point.count >= 3 * MESH_MOST_TRIANGLES)
        return mesh_fail(k, NULL, "export it with fewer triangles",
                         "it has more than %d million corners", 3 * MESH_MOST_TRIANGLES / 1000000);
    MeshPoint p = {{(float)x[0], (float)x[1], (float)x[2]}};
    if (!isfinite(p.at[0]) || !isfinite(p.at[1]) || !isfinite(p.at[2]))
        return mesh_fail(k, at, NULL, "a corner is not at finite numbers");
    array_push(&k->mesh->point, p);
    return true;
}

bool mesh_add_triangle(MeshReader *k, uint32_t a, uint32_t b, uint32_t c, int paint) {
    if (k->mesh->triangle.count >= MESH_MOST_TRIANGLES)
        return mesh_fail(k, NULL, "export it with fewer triangles",
                         "it has more than %d million triangles", MESH_MOST_TRIANGLES / 1000000);
    array_push(&k->mesh->triangle, ((MeshTriangle){{a, b, c}, (uint8_t)paint}));
    return true;
}

static float in_range(double x) { return x > 0 ? (float)fmin(x, 1) : 0; }

int mesh_add_colour(Mesh *m, const double rgb[3]) {
    MeshColour c = {{in_range(rgb[0]), in_range(rgb[1]), in_range(rgb[2])}};
    for (int i = 0; i < m->colour.count; i++) {
        const float *known = m->colour.data[i].rgb;
        if (known[0] == c.rgb[0] && known[1] == c.rgb[1] && known[2] == c.rgb[2]) return i + 1;
    }
    if (m->colour.count == MOST_COLOURS) return 0;
    array_push(&m->colour, c);
    return m->colour.count;
}

void mesh_free(Mesh *m) {
    array_free(&m->point);
    array_free(&m->triangle);
    array_free(&m->colour);
}

// --- words of a text -----------------------------------------------------------------------------

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool take_word(MeshReader *k, MeshWord *word) {
    word->at = k->next;
    while (k->next < k->end && !is_blank(*k->next) && *k->next != '\n') k->next++;
    word->end = k->next;
    return word->end > word->at;
}

bool mesh_word(MeshReader *k, MeshWord *word) {
    while (k->next < k->end && (is_blank(*k->next) || *k->next == '\n')) k->next++;
    return take_word(k, word);
}

// A backslash at the end of a line joins the next one to it.
bool mesh_word_of_line(MeshReader *k, MeshWord *word) {
    for (;;) {
        while (k->next < k->end && is_blank(*k->next)) k->next++;
        const char *stop = k->next;
        if (stop == k->end || *stop != '\\') break;
        stop++;
        while (stop < k->end && is_blank(*stop)) stop++;
        if (stop == k->end || *stop != '\n') break;
        k->next = stop + 1;
    }
    return take_word(k, word);
}

void mesh_skip_line(MeshReader *k) {
    const char *stop = memchr(k->next, '\n', (size_t)(k->end - k->next));
    k->next = stop ? stop + 1 : k->end;
}

bool mesh_word_is(MeshWord word, const char *text) {
    size_t length = (size_t)(word.end - word.at);
    return length == strlen(text) && strncasecmp(word.at, text, length) == 0;
}

int mesh_word_length(MeshWord word) {
    return word.end - word.at < 40 ? (int)(word.end - word.at) : 40;
}

bool mesh_word_number(MeshWord word, double *x) {
    if (word.at == word.end || !strchr("+-.0123456789", *word.at)) return false;
    char *stop;
    *x = strtod(word.at, &stop);
    return stop == word.end && isfinite(*x);
}

// --- files ---------------------------------------------------------------------------------------

// By the ending of its name.
static MeshFormat mesh_format(const char *path) {
    const char *dot = strrchr(path, '.');
    if (!dot) return MESH_UNKNOWN;
    return strcasecmp(dot, ".stl") == 0   ? MESH_STL
           : strcasecmp(dot, ".obj") == 0 ? MESH_OBJ
           : strcasecmp(dot, ".dae") == 0 ? MESH_DAE
                                          : MESH_UNKNOWN;
}

bool mesh_parse(Mesh *m, MeshFormat format, const char *data, size_t length, const char *folder,
                MeshFault *fault) {
    if (!data) data = ""; // an empty file
    MeshReader k = {.mesh = m, .fault = fault, .text = data, .end = data + length, .next = data};
    bool good = false;
    *m = (Mesh){0};
    *fault = (MeshFault){0};
    switch (format) {
    case MESH_STL: good = mesh_parse_stl(&k); break;
    case MESH_OBJ: good = mesh_parse_obj(&k, folder); break;
    case MESH_DAE: good = mesh_parse_dae(&k); break;
    case MESH_UNKNOWN:
        return mesh_fail(&k, NULL, "convert it to STL, OBJ or DAE",
                         "it is of a kind that is not read");
    }
    if (good && !m->triangle.count)
        good = mesh_fail(&k, NULL, NULL, "there is not a single triangle in it");
    return good;
}

// Pipes and devices have no end that could be waited for.
char *mesh_file(Arena *out, const char *path, size_t *length, MeshReader *k) {
    struct stat about;
    Report ignored = {0};
    char *data = NULL;
    if (stat(path, &about) || !S_ISREG(about.st_mode))
        mesh_fail(k, NULL, NULL, "it is not a file");
    else if (about.st_size > MESH_MOST_BYTES)
        mesh_fail(k, NULL, "export it with fewer triangles",
                  "it has %.0f MB; files of up to %d MB are read", (double)about.st_size / 1048576,
                  MESH_MOST_BYTES >> 20);
    else if (!(data = file_read(out, path, length, &ignored, POS_NONE)))
        mesh_fail(k, NULL, NULL, "it cannot be read");
    report_free(&ignored);
    return data;
}

bool mesh_read(Arena *out, Mesh *m, const char *path, const char **data, size_t *length,
               MeshFault *fault) {
    MeshReader k = {.mesh = m, .fault = fault};
    MeshFormat format = mesh_format(path);
    *m = (Mesh){0};
    *fault = (MeshFault){0};
    *data = NULL;
    *length = 0;
    if (format != MESH_UNKNOWN && !(*data = mesh_file(out, path, length, &k))) return false;
    return mesh_parse(m, format, *data, *length, path_folder(out, path), fault);
}
