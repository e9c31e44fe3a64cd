// What the readers of meshes share: growing a mesh, words for faults, walking through text.
#ifndef BONDYN_IMPORT_MESH_DATA_H
#define BONDYN_IMPORT_MESH_DATA_H

#include "import/mesh.h"

typedef struct {
    const char *at, *end;
} MeshWord;

typedef struct {
    Mesh *mesh;
    MeshFault *fault;
    const char *text, *end; // a 0 is behind the end
    const char *next;       // what is read next
} MeshReader;

bool mesh_parse_stl(MeshReader *k);
bool mesh_parse_obj(MeshReader *k, const char *folder);
bool mesh_parse_dae(MeshReader *k);

// Always false. Nullable: at (no place in the text), help.
bool mesh_fail(MeshReader *k, const char *at, const char *help, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// The whole of a file that is not too large, with a 0 behind it; NULL: failed.
char *mesh_file(Arena *out, const char *path, size_t *length, MeshReader *k);

bool mesh_add_point(MeshReader *k, const char *at, const double x[3]); // false: not finite
bool mesh_add_triangle(MeshReader *k, uint32_t a, uint32_t b, uint32_t c, int paint);
int mesh_add_colour(Mesh *m, const double rgb[3]); // its paint; 0 when there are too many

// Words end at blanks; those of a line do not pass its end. False: there is none.
bool mesh_word(MeshReader *k, MeshWord *word);
bool mesh_word_of_line(MeshReader *k, MeshWord *word);
void mesh_skip_line(MeshReader *k);
bool mesh_word_is(MeshWord word, const char *text); // in capital letters or small ones
bool mesh_word_number(MeshWord word, double *x);    // a finite one
int mesh_word_length(MeshWord word);                // for messages: at most 40

#endif
