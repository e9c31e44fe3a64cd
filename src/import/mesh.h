// Meshes: surfaces of triangles from files of other programs, for the 3-D view.
//
//     mesh_find.c    "package://arm/hand.stl" -> the path of a file
//     mesh_read.c    the file as a mesh, by the ending of its name
//     mesh_stl.c     STL, as text and binary           mesh_dae.c   Collada, by its XML tree
//     mesh_obj.c     Wavefront OBJ with its materials
//
// Readers take any bytes. What they cannot use is a MeshFault: words, and where they belong.
#ifndef BONDYN_IMPORT_MESH_H
#define BONDYN_IMPORT_MESH_H

#include "base/arena.h"
#include "base/array.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    float at[3];
} MeshPoint;

typedef struct {
    uint32_t corner[3]; // points
    uint8_t paint;      // a colour; 0: none of its own
} MeshTriangle;

typedef struct {
    float rgb[3]; // 0 to 1
} MeshColour;

typedef struct {
    ARRAY(MeshPoint) point;
    ARRAY(MeshTriangle) triangle;
    ARRAY(MeshColour) colour; // that of paint 1, 2 ...
} Mesh;

typedef struct {
    bool has_place; // `at` is a byte in a file of text
    size_t at;
    char what[160]; // "this corner has two numbers only"
    const char *help;
} MeshFault;

enum { MESH_MOST_BYTES = 100 << 20, MESH_MOST_TRIANGLES = 5000000 };

typedef enum { MESH_UNKNOWN, MESH_STL, MESH_OBJ, MESH_DAE } MeshFormat;

// Reads data[0 .. length), which is followed by a 0. False: `fault` says why, and the mesh can only
// be freed. `folder`: where files that the mesh names are; NULL: they are not read.
bool mesh_parse(Mesh *m, MeshFormat format, const char *data, size_t length, const char *folder,
                MeshFault *fault);
// The same from a file; *data gets its text, *length its length, for places of faults.
bool mesh_read(Arena *out, Mesh *m, const char *path, const char **data, size_t *length,
               MeshFault *fault);
void mesh_free(Mesh *m);

// Where a mesh is that a file in `folder` names: relative to it, file:///a/b.stl, or
// package://P/b.stl in a folder P beside or above it, or below one of ROS_PACKAGE_PATH. NULL: there
// is no such file.
const char *mesh_find(Arena *out, const char *folder, const char *name);

#endif
