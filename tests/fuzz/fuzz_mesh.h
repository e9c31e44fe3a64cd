// Any bytes as a mesh of some format: triangles of corners that are there, or words for what is
// wrong.
#include "import/mesh.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_mesh(MeshFormat format, const uint8_t *data, size_t size) {
    char *text = malloc(size + 1); // readers rely on the 0 behind the text
    if (!text) abort();
    if (size) memcpy(text, data, size);
    text[size] = 0;
    Mesh m;
    MeshFault fault;
    bool good = mesh_parse(&m, format, text, size, NULL, &fault);
    if (good != (fault.what[0] == 0)) abort();
    if (fault.has_place && fault.at > size) abort();
    for (int t = 0; good && t < m.triangle.count; t++) {
        for (int i = 0; i < 3; i++)
            if (m.triangle.data[t].corner[i] >= (uint32_t)m.point.count) abort();
        if (m.triangle.data[t].paint > m.colour.count) abort();
    }
    for (int i = 0; good && i < m.point.count; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(m.point.data[i].at[k])) abort();
    mesh_free(&m);
    free(text);
}
