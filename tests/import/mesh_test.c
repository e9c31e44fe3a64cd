// Meshes from files: where the corners are, what colour they have, and what is said about broken
// files. Every text is small enough to be checked by hand.
#include "../test.h"

#include "base/files.h"
#include "import/mesh.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool parse(Mesh *m, MeshFormat format, const char *text, MeshFault *fault) {
    return mesh_parse(m, format, text, strlen(text), NULL, fault);
}

// Refused at that line; 0: at no place.
static void refuse(MeshFormat format, const char *text, int line, const char *words) {
    Mesh m;
    MeshFault fault;
    assert_false(parse(&m, format, text, &fault));
    if (!strstr(fault.what, words)) fail_msg("'%s' instead of '%s'", fault.what, words);
    int at = fault.has_place ? 1 : 0;
    for (size_t i = 0; fault.has_place && i < fault.at; i++) at += text[i] == '\n';
    assert_int_equal(at, line);
    mesh_free(&m);
}

static void check_corner(const Mesh *m, int triangle, int corner, double x, double y, double z) {
    const float *at = m->point.data[m->triangle.data[triangle].corner[corner]].at;
    assert_true(fabs((double)at[0] - x) < 1e-6 && fabs((double)at[1] - y) < 1e-6 &&
                fabs((double)at[2] - z) < 1e-6); // floats of sizes near 1
}

static void check_colour(const Mesh *m, int triangle, double r, double g, double b) {
    int paint = m->triangle.data[triangle].paint;
    assert_true(paint > 0);
    const float *rgb = m->colour.data[paint - 1].rgb;
    assert_true(fabs((double)rgb[0] - r) < 1e-6 && fabs((double)rgb[1] - g) < 1e-6 &&
                fabs((double)rgb[2] - b) < 1e-6);
}

// Area of all triangles, and the volume that they enclose if they are closed.
static void measure(const Mesh *m, double *area, double *volume) {
    *area = *volume = 0;
    for (int t = 0; t < m->triangle.count; t++) {
        const float *p[3];
        double u[3], v[3], n[3];
        for (int i = 0; i < 3; i++) p[i] = m->point.data[m->triangle.data[t].corner[i]].at;
        for (int i = 0; i < 3; i++) u[i] = (double)p[1][i] - (double)p[0][i];
        for (int i = 0; i < 3; i++) v[i] = (double)p[2][i] - (double)p[0][i];
        for (int i = 0; i < 3; i++)
            n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
        *area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
        for (int i = 0; i < 3; i++) *volume += (double)p[0][i] * n[i] / 6;
    }
}

// --- STL -----------------------------------------------------------------------------------------

static void stl_as_text(void **state) {
    (void)state;
    Mesh m;
    MeshFault fault;
    assert_true(
        parse(&m, MESH_STL,
              "solid a plate of vertex and facet\r\nFACET normal 0 0 1\r\n outer loop\r\n"
              "vertex 0 0 1e-1\r\nvertex 2. 0 .1\r\nvertex +2 3 0.1\nvertex 0 3 0.1\n"
              "endloop endfacet endsolid\nsolid\nfacet normal nan nan nan outer loop vertex "
              "0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet endsolid two",
              &fault));
    assert_int_equal(m.triangle.count, 3); // the first facet has four corners
    check_corner(&m, 0, 1, 2, 0, 0.1);
    check_corner(&m, 1, 0, 0, 0, 0.1);
    check_corner(&m, 1, 2, 0, 3, 0.1);
    check_corner(&m, 2, 2, 0, 1, 0);
    mesh_free(&m);
}

static void put_float(char *to, float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    for (int i = 0; i < 4; i++) to[i] = (char)(bits >> (8 * i) & 255);
}

// One triangle (0 0 0) (1 0 0) (0 2 0), in binary, behind `head`.
static void binary_stl(char data[135], const char *head, int attribute) {
    memset(data, 0, 135);
    memcpy(data, head, strlen(head));
    data[80] = 1;
    put_float(data + 84 + 12 + 12, 1);
    put_float(data + 84 + 12 + 24 + 4, 2);
    data[84 + 48] = (char)(attribute & 255);
    data[84 + 49] = (char)(attribute >> 8);
}

static void stl_in_binary(void **state) {
    (void)state;
    Mesh m;
    MeshFault fault;
    char data[135];
    binary_stl(data, "solid, though it is binary", 0x7c00);
    assert_true(mesh_parse(&m, MESH_STL, data, 134, NULL, &fault));
    assert_int_equal(m.triangle.count, 1);
    check_corner(&m, 0, 1, 1, 0, 0);
    check_corner(&m, 0, 2, 0, 2, 0);
    assert_int_equal(m.triangle.data[0].paint, 0); // without COLOR= the attribute means nothing
    mesh_free(&m);

    binary_stl(data, "COLOR=\xff\x80\x01\xff", 0x001f); // red
    assert_true(mesh_parse(&m, MESH_STL, data, 134, NULL, &fault));
    check_colour(&m, 0, 1, 0, 0);
    mesh_free(&m);
    binary_stl(data, "COLOR=\xff\x80\x01\xff", 0x801f); // that of the whole
    assert_true(mesh_parse(&m, MESH_STL, data, 134, NULL, &fault));
    check_colour(&m, 0, 1, 128 / 255.0, 1 / 255.0);
    mesh_free(&m);

    assert_false(mesh_parse(&m, MESH_STL, data, 133, NULL, &fault));
    assert_non_null(strstr(fault.what, "should hold 1 triangles, but has room for 0"));
    mesh_free(&m);
    put_float(data + 84 + 12, NAN);
    assert_false(mesh_parse(&m, MESH_STL, data, 134, NULL, &fault));
    assert_non_null(strstr(fault.what, "not at finite numbers"));
    mesh_free(&m);
}

static void broken_stl(void **state) {
    (void)state;
    refuse(MESH_STL, "", 0, "it has 0 bytes");
    refuse(MESH_STL, "solid x\nendsolid", 0, "not a single triangle");
    refuse(MESH_STL, "solid\nfacet\nouter loop\nvertex 0 0\nendloop", 5,
           "'endloop' is not a finite");
    refuse(MESH_STL, "solid\nfacet\nouter loop\nvertex 0 0 inf", 4, "'inf' is not a finite");
    refuse(MESH_STL, "solid\nouter loop\nvertex 0 0 1\nvertex 1e40 0 0", 4, "finite");
    refuse(MESH_STL, "solid\nouter loop\nvertex 0 0 1\nendloop", 4, "fewer than three");
    refuse(MESH_STL, "solid\nfacet\nvertex 0 0 1", 3, "outside of a loop");
    refuse(MESH_STL, "solid\nouter loop\nvertex 0 0 1\nedge", 4, "expected 'vertex', saw 'edge'");
    refuse(MESH_STL, "solid\nouter loop\nvertex 0 0 1", 2, "ends within this facet");
}

// --- OBJ -----------------------------------------------------------------------------------------

static void obj_polygons(void **state) {
    (void)state;
    Mesh m;
    MeshFault fault;
    assert_true(
        parse(&m, MESH_OBJ,
              "# a cube\no cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1 1.0\nv 1 0 1\n"
              "v 1 1 1\nv 0 1 1\nvn 0 0 1\nf 4 3 2 1 # bottom\nf -4//1 -3//1 \\\n -2//1 -1//1\n"
              "f 1/1 2/2 6/3 5/4\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n",
              &fault));
    double area, volume;
    measure(&m, &area, &volume);
    assert_int_equal(m.triangle.count, 12);
    assert_true(fabs(area - 6) < 1e-12 && fabs(volume - 1) < 1e-12); // all numbers are exact
    mesh_free(&m);
}

static void broken_obj(void **state) {
    (void)state;
    refuse(MESH_OBJ, "v 0 0 0\nf 1 1 2", 2, "there is no corner 2: 1 were given");
    refuse(MESH_OBJ, "v 0 0 0\nf 1 1 0", 2, "there is no corner 0");
    refuse(MESH_OBJ, "v 0 0 0\nf -2 1 1", 2, "there is no corner -2");
    refuse(MESH_OBJ, "v 0 0 0\nf 1 1", 2, "fewer than three");
    refuse(MESH_OBJ, "v 0 0 0\nf 1 1 x", 2, "'x' is not the number of a corner");
    refuse(MESH_OBJ, "v 0 0 0\nf 1 1 99999999999999999999", 2, "there is no corner");
    refuse(MESH_OBJ, "\nv 0 0\n1\n", 2, "too few numbers");
    refuse(MESH_OBJ, "v 0 0 z", 1, "'z' is not a finite number");
    refuse(MESH_OBJ, "v 0 0 0\n", 0, "not a single triangle");
    refuse(MESH_UNKNOWN, "ply", 0, "of a kind that is not read");
}

// --- Collada -------------------------------------------------------------------------------------

static const char points[] =
    "<source id='P'><float_array>0 0 0 9  20 0 0 9  20 10 0 9  0 10 0 9  0 5 10 9  20 5 10 9"
    "</float_array><technique_common><accessor stride='4'/></technique_common></source>"
    "<vertices id='V'><input semantic='POSITION' source='#P'/></vertices>";

static char *document(Arena *a, const char *asset, const char *primitives, const char *nodes) {
    return arena_printf(
        a,
        "<COLLADA><asset>%s</asset><library_effects><effect "
        "id='fx'><profile_COMMON><technique><lambert>"
        "<diffuse><color>0.25 0.5 0.75 1</color></diffuse></lambert></technique></profile_COMMON>"
        "</effect></library_effects><library_materials><material id='green'><instance_effect "
        "url='#fx'/>"
        "</material></library_materials>\n<library_geometries><geometry "
        "id='G'><mesh>%s%s</mesh></geometry>"
        "</library_geometries>\n<library_nodes><node id='N'><scale>2 2 2</scale><instance_geometry "
        "url='#G'/></node></library_nodes>\n<library_visual_scenes><visual_scene id='other'/>"
        "<visual_scene id='S'>%s</visual_scene></library_visual_scenes><scene>"
        "<instance_visual_scene url='#S'/></scene></COLLADA>",
        asset, points, primitives, nodes);
}

static const char roof[] = "<polylist material='m'><input semantic='NORMAL' source='#P' "
                           "offset='0'/><input semantic='VERTEX' "
                           "source='#V' offset='1'/><vcount>4 4 4 3 3</vcount><p>0 0 0 3 0 2 0 1  "
                           "0 0 0 1 0 5 0 4  0 2 0 3 0 "
                           "4 0 5  0 0 0 4 0 3  0 1 0 2 0 5</p></polylist>";

static const char bound[] =
    "<instance_geometry url='#G'><bind_material><technique_common><instance_material symbol='m' "
    "target='#green'/></technique_common></bind_material></instance_geometry>";

// A prism of 20 x 10 x 10/2, in centimetres, then twice as large, mirrored.
static void collada_scene(void **state) {
    (void)state;
    Arena a = {0};
    Mesh m;
    MeshFault fault;
    double area, volume;
    char *nodes =
        arena_printf(&a,
                     "<node><translate>0 0 5</translate><rotate>0 0 2 90</rotate>%s</node>"
                     "<node><scale>1 -1 1</scale><instance_node url='#N'/></node>",
                     bound);
    char *text = document(&a, "<unit meter='0.01'/>", roof, nodes);
    bool good = parse(&m, MESH_DAE, text, &fault);
    if (!good) fail_msg("%s", fault.what);
    assert_int_equal(m.triangle.count, 16);
    check_corner(&m, 0, 1, -0.10, 0, 0.05); // (0, 10, 0) turned by 90 degrees
    check_corner(&m, 1, 2, 0, 0.20, 0.05);  // (20, 0, 0)
    check_corner(&m, 8, 1, 0, -0.20, 0);
    check_colour(&m, 0, 0.25, 0.5, 0.75);
    assert_int_equal(m.triangle.data[8].paint, 0);
    measure(&m, &area, &volume); // mirrored: what is outside becomes inside
    assert_true(fabs(volume - (1 - 8) * 20 * 10 * 5e-6) < 1e-9); // floats: 6e-8 of 1e-3, 8 times
    mesh_free(&m);
    arena_free(&a);
}

// A square as a strip, as a fan and as a polygon: the same two triangles' worth, turned alike.
static void collada_primitives(void **state) {
    (void)state;
    static const char *const forms[] = {
        "<tristrips><input semantic='VERTEX' source='#V' offset='0'/><p>0 1 3 2</p></tristrips>",
        "<trifans><input semantic='VERTEX' source='#V' offset='0'/><p>0 1 2 3</p></trifans>",
        "<polygons><input semantic='VERTEX' source='#V' offset='0'/><p>0 1 2</p><p>2 3 "
        "0</p></polygons>",
        "<triangles><input semantic='VERTEX' source='#V' offset='0'/><p>0 1 2 2 3 "
        "0</p></triangles>"};
    for (int i = 0; i < 4; i++) {
        Arena a = {0};
        Mesh m;
        MeshFault fault;
        double area, volume;
        char *nodes = "<node><translate>0 0 1</translate><instance_geometry url='#G'/></node>";
        bool good = parse(&m, MESH_DAE, document(&a, "", forms[i], nodes), &fault);
        if (!good) fail_msg("%s", fault.what);
        assert_int_equal(m.triangle.count, 2);
        measure(&m, &area, &volume); // height 1 above the origin: a third of the area, all upwards
        assert_true(fabs(area - 200) < 1e-12 && fabs(volume - 200 / 3.0) < 1e-10);
        mesh_free(&m);
        arena_free(&a);
    }
}

static void refuse_dae(const char *primitives, const char *nodes, int line, const char *words) {
    Arena a = {0};
    refuse(MESH_DAE, document(&a, "", primitives, nodes), line, words);
    arena_free(&a);
}

static void broken_collada(void **state) {
    (void)state;
    refuse(MESH_DAE, "<COLLADA>\n<asset></COLLADA>", 2, "mismatched tag");
    refuse(MESH_DAE, "<robot/>", 1, "does not begin with <COLLADA>");
    refuse(MESH_DAE, "<COLLADA/>", 0, "not a single triangle");
    refuse_dae(roof, "<node><instance_geometry url='#none'/></node>", 4, "no such geometry");
    refuse_dae(roof, "<node><translate>1 2</translate></node>", 4, "too few");
    refuse_dae(roof, "<node id='ring'><instance_node url='#ring'/></node>", 4, "in a circle");
    refuse_dae("<triangles><input semantic='VERTEX' source='#V'/><p>0 1 6</p></triangles>", bound,
               2, "no number of a point");
    refuse_dae("<triangles><input semantic='VERTEX' source='#V'/><p>0 1 -1</p></triangles>", bound,
               2, "no number of a point");
    refuse_dae("<triangles><input semantic='VERTEX' source='#V'/><p>0 1</p></triangles>", bound, 2,
               "fewer than three");
    refuse_dae("<triangles><input semantic='VERTEX' source='#X'/><p>0 1</p></triangles>", bound, 2,
               "no source of places");
    // a hundred instances of a hundred instances ...: refused, not drawn
    Arena a = {0};
    Text nodes = {0};
    text_add(&nodes, "<node id='n0'/>");
    for (int i = 1; i < 9; i++) {
        text_printf(&nodes, "<node id='n%d'>", i);
        for (int k = 0; k < 100; k++) text_printf(&nodes, "<instance_node url='#n%d'/>", i - 1);
        text_add(&nodes, "</node>");
    }
    refuse_dae(roof, text_get(&nodes), 4, "more than 100000 nodes");
    text_free(&nodes);
    arena_free(&a);
}

// --- files ---------------------------------------------------------------------------------------

static void write_text(Arena *a, const char *folder, const char *name, const char *text) {
    Report r = {0};
    const char *path = path_join(a, folder, name);
    assert_true(folder_make(path_folder(a, path), &r));
    assert_true(file_write(path, text, strlen(text), &r));
    report_free(&r);
}

static void files_and_packages(void **state) {
    (void)state;
    Arena a = {0};
    char root[] = "/tmp/bondyn_mesh_XXXXXX";
    assert_non_null(mkdtemp(root));
    static const char obj[] =
        "mtllib colours/two.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a red\nf 1 2 3\n"
        "usemtl blue\nf 3 2 1\nusemtl none\nf 1 2 3\n";
    write_text(&a, root, "arm/meshes/hand.OBJ", obj);
    write_text(&a, root, "arm/meshes/colours/two.mtl",
               "newmtl a red\nKd 1 0 0\nnewmtl blue\nKd 0 0 2\n");
    write_text(&a, root, "arm/urdf/arm.urdf", "<robot/>");
    const char *folder = path_join(&a, root, "arm/urdf");
    const char *path = mesh_find(&a, folder, "package://arm/meshes/hand.OBJ");
    assert_non_null(path);
    assert_non_null(mesh_find(&a, folder, "../meshes/hand.OBJ"));
    assert_non_null(mesh_find(&a, folder, arena_printf(&a, "file://%s", path)));
    assert_non_null(mesh_find(&a, root, "package://arm/meshes/hand.OBJ"));
    assert_null(mesh_find(&a, folder, "package://leg/meshes/hand.OBJ"));
    assert_null(mesh_find(&a, "/", "package://arm/meshes/hand.OBJ"));
    assert_int_equal(setenv("ROS_PACKAGE_PATH", arena_printf(&a, "/none::%s", root), 1), 0);
    assert_non_null(mesh_find(&a, "/", "package://arm/meshes/hand.OBJ"));
    assert_int_equal(unsetenv("ROS_PACKAGE_PATH"), 0);

    Mesh m;
    MeshFault fault;
    const char *data;
    size_t length;
    assert_true(mesh_read(&a, &m, path, &data, &length, &fault));
    assert_int_equal(length, strlen(obj));
    check_colour(&m, 0, 1, 0, 0);
    check_colour(&m, 1, 0, 0, 1); // at most 1
    assert_int_equal(m.triangle.data[2].paint, 0);
    mesh_free(&m);
    assert_false(mesh_read(&a, &m, path_join(&a, root, "arm.stl"), &data, &length, &fault));
    assert_non_null(strstr(fault.what, "not a file"));
    write_text(&a, root, "huge.stl", "x");
    assert_int_equal(truncate(path_join(&a, root, "huge.stl"), (off_t)MESH_MOST_BYTES + 1), 0);
    assert_false(mesh_read(&a, &m, path_join(&a, root, "huge.stl"), &data, &length, &fault));
    assert_non_null(strstr(fault.what, "it has 100 MB; files of up to 100 MB"));
    assert_int_equal(system(arena_printf(&a, "rm -r %s", root)), 0);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stl_as_text),        cmocka_unit_test(stl_in_binary),
        cmocka_unit_test(broken_stl),         cmocka_unit_test(obj_polygons),
        cmocka_unit_test(broken_obj),         cmocka_unit_test(collada_scene),
        cmocka_unit_test(broken_collada),     cmocka_unit_test(collada_primitives),
        cmocka_unit_test(files_and_packages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
