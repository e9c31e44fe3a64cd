// Any bytes as a mesh in STL.
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_mesh(MESH_STL, data, size);
    return 0;
}
