// Meshes as a page keeps them: corners joined and near where they were, and no more than allowed.
#include "../test.h"
#include "page/surface.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static MeshPoint on_ring(int i, int k, int n, int m) { // a torus of radii 2 and 0.5
    double a = 2 * pi * i / n, b = 2 * pi * k / m, r = 2 + 0.5 * cos(b);
    return (MeshPoint){{(float)(r * cos(a)), (float)(r * sin(a)), (float)(0.5 * sin(b))}};
}

static void add_triangle(Mesh *m, MeshPoint a, MeshPoint b, MeshPoint c) {
    uint32_t first = (uint32_t)m->point.count;
    array_push(&m->point, a);
    array_push(&m->point, b);
    array_push(&m->point, c);
    array_push(&m->triangle, ((MeshTriangle){{first, first + 1, first + 2}, 1}));
}

// As an STL file has it: every corner is there six times.
static Mesh ring(int n, int m) {
    Mesh mesh = {0};
    array_push(&mesh.colour, ((MeshColour){{1, 0.5F, 0}}));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) {
            MeshPoint p = on_ring(i, k, n, m), q = on_ring(i + 1, k, n, m);
            MeshPoint r = on_ring(i + 1, k + 1, n, m), s = on_ring(i, k + 1, n, m);
            add_triangle(&mesh, p, q, r);
            add_triangle(&mesh, p, r, s);
        }
    return mesh;
}

// The largest distance of a corner from the torus, and the volume inside.
static double measure(const Surface *s, double *volume) {
    double worst = 0;
    *volume = 0;
    for (int t = 0; t < s->triangle_count; t++) {
        double p[3][3];
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++)
                p[c][i] = s->low[i] + s->step * s->corner[3 * s->triangle[3 * t + c] + (uint32_t)i];
        for (int c = 0; c < 3; c++)
            worst = fmax(worst, fabs(hypot(hypot(p[c][0], p[c][1]) - 2, p[c][2]) - 0.5));
        for (int i = 0; i < 3; i++)
            *volume +=
                p[0][i] / 6 *
                (p[1][(i + 1) % 3] * p[2][(i + 2) % 3] - p[1][(i + 2) % 3] * p[2][(i + 1) % 3]);
    }
    return worst;
}

static void corners_are_joined(void **state) {
    (void)state;
    Arena a = {0};
    Mesh m = ring(120, 60);
    Surface s = surface_of(&a, &m, 100000);
    double volume, exact = 2 * pi * pi * 2 * 0.25; // 2 pi^2 R r^2
    assert_int_equal(s.triangle_count, 2 * 120 * 60);
    assert_int_equal(s.corner_count, 120 * 60);
    assert_true(measure(&s, &volume) < 5.0 / 65534); // half a step per axis
    // chords instead of arcs: 1 - sinc(2 pi/120) sinc(2 pi/60) of the cross sections, less than 0.4
    // %
    assert_true(volume < exact && volume > 0.996 * exact);
    assert_int_equal(s.before, s.triangle_count);
    assert_true(s.colour_count == 1 && s.paint[0] == 1);
    mesh_free(&m);
    arena_free(&a);
}

static void too_many_are_thinned(void **state) {
    (void)state;
    Arena a = {0};
    Mesh m = ring(400, 200);
    Surface s = surface_of(&a, &m, 20000);
    double volume, exact = 2 * pi * pi * 2 * 0.25;
    assert_true(s.triangle_count <= 20000 && s.triangle_count > 4000); // cells grow by twos
    assert_true(s.corner_count <= 3 * s.triangle_count);
    assert_true(measure(&s, &volume) < 5.0 / 64);     // cells of 1/128 or 1/64 of 5 m
    assert_true(fabs(volume - exact) < 0.03 * exact); // looks the same
    assert_int_equal(s.before, 160000);
    mesh_free(&m);
    arena_free(&a);
}

static void what_has_no_area_vanishes(void **state) {
    (void)state;
    Arena a = {0};
    Mesh m = {0};
    MeshPoint p = {{1e30F, 2, 3}}, q = {{-1e30F, 2, 3}};
    add_triangle(&m, p, p, p);
    assert_int_equal(surface_of(&a, &m, 10).triangle_count, 0);
    add_triangle(&m, p, q, q);
    assert_int_equal(surface_of(&a, &m, 10).triangle_count, 0);
    mesh_free(&m);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_are_joined),
        cmocka_unit_test(too_many_are_thinned),
        cmocka_unit_test(what_has_no_area_vanishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
