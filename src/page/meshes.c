#include "page/meshes.h"

#include "base/files.h"
#include <string.h>

// Triangles on one page, which shares them out: some 10 MB of text, and a browser draws them at
// once.
enum { MOST_OF_PAGE = 500000, MOST_OF_MESH = 60000, MOST_WARNINGS = 5 };

typedef struct {
    Arena *out;
    Names *files; // each once, those that are not there too
    const Model *m;
    Sources *sources;
    Report *r;
    Meshes meshes;
    ARRAY(int) surface; // by file: + 1; 0: not read yet; -1: cannot be shown
    int drawings;       // meshes among them
    int missing, warned;
} Loader;

static void tell_where_to_put(Loader *l, Remark *m, const char *name) {
    const char *package = strstr(name, "://");
    if (package && strncmp(name, "file:", 5) != 0)
        remark_help(l->r, m,
                    "put the folder '%.*s' beside this file or above it, or below one of "
                    "ROS_PACKAGE_PATH",
                    (int)strcspn(package + 3, "/"), package + 3);
    else
        remark_help(l->r, m, "the path counts from the folder of this file");
}

static void warn_missing(Loader *l, const MechDrawing *w) {
    const char *name = name_text(l->m->names, w->mesh);
    if (++l->missing > MOST_WARNINGS) return;
    Remark *m = report_warning(l->r, M_MESH, w->mesh_pos, "there is no mesh '%s'", name);
    tell_where_to_put(l, m, name);
}

static void warn_fault(Loader *l, const MechDrawing *w, const MeshFault *fault, const char *path,
                       const char *data, size_t length) {
    const char *name = name_text(l->m->names, w->mesh);
    if (++l->warned > MOST_WARNINGS) return;
    Remark *m = report_warning(l->r, M_MESH, w->mesh_pos, "the mesh '%s' cannot be shown%s%s", name,
                               fault->has_place ? "" : ": ", fault->has_place ? "" : fault->what);
    if (fault->has_place) {
        Pos pos = {sources_add(l->sources, path, data, length), (uint32_t)fault->at};
        remark_note(l->r, m, pos, "%s", fault->what);
    }
    if (fault->help) remark_help(l->r, m, "%s", fault->help);
}

static int read_surface(Loader *l, const MechDrawing *w, const char *path) {
    Arena scratch = {0};
    Mesh mesh;
    MeshFault fault;
    const char *data;
    size_t length;
    int most = MOST_OF_PAGE / l->drawings + 100, found = -1;
    bool good = mesh_read(&scratch, &mesh, path, &data, &length, &fault);
    if (good) {
        Surface s = surface_of(l->out, &mesh, most < MOST_OF_MESH ? most : MOST_OF_MESH);
        if (s.triangle_count) l->meshes.surface[found = l->meshes.count++] = s;
    }
    if (good && found < 0) fault = (MeshFault){.what = "all of its triangles are without area"};
    if (found < 0) warn_fault(l, w, &fault, path, data, length);
    mesh_free(&mesh);
    arena_free(&scratch);
    return found < 0 ? -1 : found + 1;
}

// The slot for the surface of a file; `state` tells versions of it apart.
static int *known_surface(Loader *l, const char *state, const char *file) {
    Name key = name_printf(l->files, "%s %s", state, file);
    while ((Name)l->surface.count <= key) array_push(&l->surface, 0);
    return &l->surface.data[key];
}

static int find_surface(Loader *l, const MechDrawing *w) {
    const char *name = name_text(l->m->names, w->mesh);
    const char *folder = path_folder(l->out, source_name(l->sources, w->mesh_pos.file));
    const char *path = mesh_find(l->out, folder, name);
    int *known = known_surface(l, path ? "there" : "missing", path ? path : name);
    if (!path && !*known) warn_missing(l, w);
    if (!*known) *known = path ? read_surface(l, w, path) : -1;
    return *known > 0 ? *known - 1 : -1;
}

static void tell_of_others(Loader *l) {
    int more = (l->missing > MOST_WARNINGS ? l->missing - MOST_WARNINGS : 0) +
               (l->warned > MOST_WARNINGS ? l->warned - MOST_WARNINGS : 0);
    if (more) report_warning(l->r, M_MESH, POS_NONE, "%d more meshes cannot be shown", more);
}

Meshes meshes_load(Arena *out, const Model *m, Sources *sources, Report *r) {
    Loader l = {.out = out, .m = m, .sources = sources, .r = r, .files = names_new()};
    int count = 0;
    for (int i = 0; i < m->mechanism_count; i++)
        for (int k = 0; k < m->mechanism[i].drawing_count; k++, count++)
            l.drawings += m->mechanism[i].drawing[k].shape.kind == SHAPE_MESH;
    l.meshes.of = ARENA_ARRAY(out, int, count);
    l.meshes.surface = ARENA_ARRAY(out, Surface, l.drawings);
    for (int i = 0, n = 0; i < m->mechanism_count; i++)
        for (int k = 0; k < m->mechanism[i].drawing_count; k++, n++) {
            const MechDrawing *w = &m->mechanism[i].drawing[k];
            l.meshes.of[n] = w->shape.kind == SHAPE_MESH ? find_surface(&l, w) : -1;
        }
    tell_of_others(&l);
    names_free(l.files);
    array_free(&l.surface);
    return l.meshes;
}
