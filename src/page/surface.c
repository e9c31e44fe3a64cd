// Corners that fall into one cell of a grid are one corner, at the mean of them; triangles that
// lose a corner that way vanish, and of equal ones the first stays:
//
//      .__.__.          .     .        16 bits per axis only join what belongs together, as STL
//      | /| /|    ->    |`.   |        repeats every corner for every triangle. While that leaves
//      |/_|/_|          |__`._|        too many triangles, cells become twice as large.
//
// Both lists are found by hashing, so a pass takes time in proportion to the mesh.
#include "page/surface.h"

#include <math.h>
#include <string.h>

enum { FINEST = 16, NEXT = 11 }; // bits per axis; in between hardly anything is joined

typedef struct {
    double sum[3];
    int count;
} Cluster;

typedef struct {
    const Mesh *m;
    Arena scratch;
    const double *low;
    double step;
    uint64_t *key; // of a cell, + 1; 0: free
    int *cell;     // number of its cluster
    size_t mask;   // places - 1
    Cluster *cluster;
    int cluster_count;
    uint32_t *triangle; // clusters
    uint8_t *paint;
    int triangle_count;
    int *seen; // by hash: triangle + 1
    size_t seen_mask;
} Welder;

static size_t places_for(size_t count) {
    size_t n = 16;
    while (n < 2 * count) n *= 2;
    return n;
}

static uint64_t scatter(uint64_t x) {
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

static uint64_t cell_key(const Welder *w, const float at[3], int bits) {
    uint64_t key = 0;
    for (int i = 0; i < 3; i++) {
        double q = ((double)at[i] - w->low[i]) / w->step;
        key = key << 16 | (uint64_t)(q + 0.5) >> (FINEST - bits);
    }
    return key + 1;
}

static uint32_t cluster_of(Welder *w, uint32_t point, int bits) {
    const float *at = w->m->point.data[point].at;
    uint64_t key = cell_key(w, at, bits);
    size_t place = (size_t)scatter(key) & w->mask;
    while (w->key[place] && w->key[place] != key) place = (place + 1) & w->mask;
    if (!w->key[place]) {
        w->key[place] = key;
        w->cell[place] = w->cluster_count++;
    }
    Cluster *c = &w->cluster[w->cell[place]];
    for (int i = 0; i < 3; i++) c->sum[i] += (double)at[i] - w->low[i];
    c->count++;
    return (uint32_t)w->cell[place];
}

static void exchange(uint32_t *a, uint32_t *b) {
    uint32_t x = *a;
    if (x <= *b) return;
    *a = *b;
    *b = x;
}

static void sorted(const uint32_t from[3], uint32_t to[3]) {
    memcpy(to, from, 3 * sizeof *to);
    exchange(&to[0], &to[1]);
    exchange(&to[1], &to[2]);
    exchange(&to[0], &to[1]);
}

// False: there is such a triangle already.
static bool is_new(Welder *w, const uint32_t corner[3]) {
    uint32_t mine[3], other[3];
    sorted(corner, mine);
    size_t place =
        (size_t)scatter(scatter((uint64_t)mine[0] << 32 | mine[1]) + mine[2]) & w->seen_mask;
    for (; w->seen[place]; place = (place + 1) & w->seen_mask) {
        sorted(w->triangle + 3 * (size_t)(w->seen[place] - 1), other);
        if (memcmp(mine, other, sizeof mine) == 0) return false;
    }
    w->seen[place] = w->triangle_count + 1;
    return true;
}

// False: too many triangles are left.
static bool weld(Welder *w, int bits, int most) {
    const Mesh *m = w->m;
    memset(w->key, 0, (w->mask + 1) * sizeof *w->key);
    memset(w->seen, 0, (w->seen_mask + 1) * sizeof *w->seen);
    memset(w->cluster, 0, (size_t)w->cluster_count * sizeof *w->cluster);
    w->cluster_count = w->triangle_count = 0;
    for (int t = 0; t < m->triangle.count; t++) {
        uint32_t c[3];
        for (int i = 0; i < 3; i++) c[i] = cluster_of(w, m->triangle.data[t].corner[i], bits);
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0] || !is_new(w, c)) continue;
        if (w->triangle_count == most) return false;
        memcpy(w->triangle + 3 * (size_t)w->triangle_count, c, sizeof c);
        w->paint[w->triangle_count++] = m->triangle.data[t].paint;
    }
    return true;
}

static Welder start_welder(const Mesh *m, const double *low, double step, int most) {
    Welder w = {.m = m, .low = low, .step = step};
    size_t points = (size_t)m->point.count;
    size_t triangles = (size_t)(m->triangle.count < most ? m->triangle.count : most);
    w.mask = places_for(points) - 1;
    w.seen_mask = places_for(triangles + 1) - 1;
    w.key = ARENA_ARRAY(&w.scratch, uint64_t, w.mask + 1);
    w.cell = ARENA_ARRAY(&w.scratch, int, w.mask + 1);
    w.cluster = ARENA_ARRAY(&w.scratch, Cluster, points);
    w.triangle = ARENA_ARRAY(&w.scratch, uint32_t, 3 * triangles);
    w.paint = ARENA_ARRAY(&w.scratch, uint8_t, triangles);
    w.seen = ARENA_ARRAY(&w.scratch, int, w.seen_mask + 1);
    return w;
}

// Numbers the clusters that triangles use, in the order of their first use.
static void keep(Arena *out, Welder *w, Surface *s) {
    int *number = ARENA_ARRAY(&w->scratch, int, w->cluster_count);
    s->triangle_count = w->triangle_count;
    s->triangle = ARENA_ARRAY(out, uint32_t, 3 * (size_t)w->triangle_count);
    s->paint = ARENA_ARRAY(out, uint8_t, w->triangle_count);
    s->corner = ARENA_ARRAY(out, uint16_t, 3 * (size_t)w->cluster_count);
    if (w->triangle_count) memcpy(s->paint, w->paint, (size_t)w->triangle_count);
    for (int i = 0; i < 3 * w->triangle_count; i++) {
        uint32_t c = w->triangle[i];
        const Cluster *from = &w->cluster[c];
        if (!number[c]) {
            uint16_t *to = s->corner + 3 * (size_t)s->corner_count;
            for (int k = 0; k < 3; k++)
                to[k] = (uint16_t)fmin(65535, from->sum[k] / from->count / s->step + 0.5);
            number[c] = ++s->corner_count;
        }
        s->triangle[i] = (uint32_t)number[c] - 1;
    }
}

static void find_box(const Mesh *m, Surface *s) {
    double high[3] = {-INFINITY, -INFINITY, -INFINITY}, extent = 0;
    for (int i = 0; i < 3; i++) s->low[i] = INFINITY;
    for (int t = 0; t < m->triangle.count; t++)
        for (int c = 0; c < 3; c++) {
            const float *at = m->point.data[m->triangle.data[t].corner[c]].at;
            for (int i = 0; i < 3; i++) {
                s->low[i] = fmin(s->low[i], (double)at[i]);
                high[i] = fmax(high[i], (double)at[i]);
            }
        }
    for (int i = 0; i < 3; i++) extent = fmax(extent, high[i] - s->low[i]);
    s->step = extent / 65534; // an even number: the middle of what is symmetric is on the grid
}

Surface surface_of(Arena *out, const Mesh *m, int most) {
    Surface s = {.before = m->triangle.count};
    find_box(m, &s);
    if (!(s.step > 0)) return s;
    Welder w = start_welder(m, s.low, s.step, most);
    for (int bits = FINEST; !weld(&w, bits, most) && bits > 1;)
        bits = bits == FINEST ? NEXT : bits - 1;
    keep(out, &w, &s);
    arena_free(&w.scratch);
    s.colour_count = m->colour.count;
    s.colour = ARENA_ARRAY(out, MeshColour, s.colour_count);
    if (s.colour_count) memcpy(s.colour, m->colour.data, (size_t)s.colour_count * sizeof *s.colour);
    return s;
}

// --- for the page --------------------------------------------------------------------------------

typedef struct { // bytes as letters, three in four
    Text *out;
    uint32_t bits;
    int count;
} Letters;

static void put_byte(Letters *l, uint32_t byte) {
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    l->bits = l->bits << 8 | (byte & 255);
    if (++l->count % 3) return;
    char four[4];
    for (int i = 0; i < 4; i++) four[i] = letter[l->bits >> (18 - 6 * i) & 63];
    text_add_n(l->out, four, 4);
    l->bits = 0;
}

static void put_number(Letters *l, uint32_t x, int bytes) {
    for (int i = 0; i < bytes; i++) put_byte(l, x >> (8 * i));
}

static void begin_letters(Letters *l, Text *out, const char *key) {
    *l = (Letters){.out = out};
    text_printf(out, ",\"%s\":\"", key);
}

// Filled up with zeros to a whole number of fours: whoever reads them knows how many there are.
static void end_letters(Letters *l) {
    while (l->count % 3) put_byte(l, 0);
    text_char(l->out, '"');
}

static void put_colours(Text *out, const Surface *s) {
    Letters l;
    text_add(out, ",\"colours\":[");
    for (int i = 0; i < s->colour_count; i++) {
        const float *c = s->colour[i].rgb;
        text_printf(out, "%s[%.3g,%.3g,%.3g]", i ? "," : "", (double)c[0], (double)c[1],
                    (double)c[2]);
    }
    text_char(out, ']');
    if (!s->colour_count) return;
    begin_letters(&l, out, "paint");
    for (int i = 0; i < s->triangle_count; i++) put_number(&l, s->paint[i], 1);
    end_letters(&l);
}

void surface_json(Text *out, const Surface *s) {
    Letters l;
    text_printf(out, "{\"low\":[%.9g,%.9g,%.9g],\"step\":%.9g,\"count\":[%d,%d],\"before\":%d",
                s->low[0], s->low[1], s->low[2], s->step, s->corner_count, s->triangle_count,
                s->before);
    begin_letters(&l, out, "corners");
    for (int i = 0; i < 3 * s->corner_count; i++) put_number(&l, s->corner[i], 2);
    end_letters(&l);
    begin_letters(&l, out, "triangles");
    for (int i = 0; i < 3 * s->triangle_count; i++) put_number(&l, s->triangle[i], 4);
    end_letters(&l);
    put_colours(out, s);
    text_char(out, '}');
}
