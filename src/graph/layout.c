// Layered layout (Sugiyama, Tagawa, Toda 1981), from left to right along the half-arrows.
//
//   1. layers     cycles are opened by a depth-first walk that starts at the sources; then each
//                 component stands one column right of the last that points at it, and components
//                 that mostly point to the right are pulled there
//   2. lanes      a bond over several columns gets a place of its own in each column between
//   3. order      columns are sorted by the mean place of their neighbours, to and fro, and the
//                 order with the fewest crossings is kept
//   4. places     every box moves towards the mean height of its neighbours as far as the boxes
//                 beside it allow: isotonic regression per column
//   5. routes     bonds get their own points on the side of a box, in the order of where they go
#include "graph/layout.h"

#include "base/array.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

enum {
    GAP = 64,  // between the ends of stubs: room to bend
    STUB = 20, // level piece of a bond beside a column
    PORT_SPACING = 17,
    BOX_SPACING = 24,
    LANE_SPACING = 14,
    MARGIN = 14,
};

typedef struct {             // a component, or a lane of a long bond
    int layer, place;        // column; number in it from the top
    double y, above, below;  // centre and extent
    double mean;             // key for sorting
    int first_left, lefts;   // segments to the column on the left, into Work.left
    int first_right, rights; // and to the right
} Vertex;

typedef struct { // piece of a bond between neighbouring columns
    int a, b;    // vertices, a on the left
    int bond;
    double ya, yb; // heights relative to the vertices' centres
} Segment;

typedef struct {
    const LayoutLine *line;
    int lines, boxes;
    const bool *begins; // per box
    Box *box;
    bool *turned;  // per bond: drawn from right to left
    bool *skipped; // per bond: both ends at one component
    int *layer;    // per component
    ARRAY(Vertex) vertex;
    ARRAY(Segment) segment;
    int *first_segment; // per bond; its segments follow each other from left to right
    int *left, *right;  // segments by vertex
    int layers;
    int *start; // per layer: into order; layers + 1
    int *order; // vertices column by column
} Work;

// --- layers --------------------------------------------------------------------------------------

static int left_comp(const Work *w, int b) {
    return w->turned[b] ? w->line[b].to : w->line[b].from;
}

static int right_comp(const Work *w, int b) {
    return w->turned[b] ? w->line[b].from : w->line[b].to;
}

typedef struct { // bonds by the component at one of their ends
    int *first;  // per component, and one more: into bond
    int *bond;
} ByComp;

static ByComp bonds_by_comp(const Work *w, int (*comp)(const Work *, int)) {
    ByComp by = {memory_zeroed((size_t)w->boxes + 1, sizeof(int)),
                 memory_zeroed((size_t)w->lines, sizeof(int))};
    for (int b = 0; b < w->lines; b++) by.first[comp(w, b)] += !w->skipped[b];
    for (int c = 0; c < w->boxes; c++) by.first[c + 1] += by.first[c];
    for (int b = w->lines - 1; b >= 0; b--)
        if (!w->skipped[b]) by.bond[--by.first[comp(w, b)]] = b;
    return by;
}

static void by_comp_free(ByComp *by) {
    free(by->first);
    free(by->bond);
}

// Depth-first walk; a bond that leads back into the walk's own path is turned.
static void turn_bonds_back(Work *w, const ByComp *out, int root, int *next, char *state) {
    ARRAY(int) path = {0};
    array_push(&path, root);
    state[root] = 1;
    while (path.count) {
        int c = array_last(&path);
        if (next[c] == out->first[c + 1] - out->first[c]) {
            state[c] = 2;
            path.count--;
            continue;
        }
        int b = out->bond[out->first[c] + next[c]++], to = w->line[b].to;
        if (state[to] == 1 && to != c) w->turned[b] = true;
        if (state[to]) continue;
        state[to] = 1;
        array_push(&path, to);
    }
    array_free(&path);
}

static void open_cycles(Work *w, const ByComp *out) {
    int *next = memory_zeroed((size_t)w->boxes, sizeof(int));
    char *state = memory_zeroed((size_t)w->boxes, 1);
    for (int pass = 0; pass < 2; pass++) // sources first
        for (int c = 0; c < w->boxes; c++) {
            if (!state[c] && (pass || w->begins[c])) turn_bonds_back(w, out, c, next, state);
        }
    free(next);
    free(state);
}

// Components so that all bonds lead from earlier to later ones, on the heap; layers on the way.
static int *sort_and_layer(Work *w) {
    int *waiting = memory_zeroed((size_t)w->boxes, sizeof(int));
    int *sorted = memory_zeroed((size_t)w->boxes, sizeof(int)), tail = 0;
    ByComp right = bonds_by_comp(w, left_comp);
    for (int b = 0; b < w->lines; b++) waiting[right_comp(w, b)] += !w->skipped[b];
    for (int c = 0; c < w->boxes; c++)
        if (!waiting[c]) sorted[tail++] = c;
    for (int head = 0; head < tail; head++) {
        int c = sorted[head];
        for (int i = right.first[c]; i < right.first[c + 1]; i++) {
            int to = right_comp(w, right.bond[i]);
            if (w->layer[to] < w->layer[c] + 1) w->layer[to] = w->layer[c] + 1;
            if (--waiting[to] == 0) sorted[tail++] = to;
        }
    }
    by_comp_free(&right);
    free(waiting);
    return sorted;
}

// Components with more bonds to the right than to the left move right as far as they can.
static void pull_right(Work *w, const int *sorted) {
    ByComp right = bonds_by_comp(w, left_comp), left = bonds_by_comp(w, right_comp);
    for (int i = w->boxes - 1; i >= 0; i--) {
        int c = sorted[i], rights = right.first[c + 1] - right.first[c], room = -1;
        if (rights <= left.first[c + 1] - left.first[c]) continue;
        for (int k = right.first[c]; k < right.first[c + 1]; k++) {
            int before = w->layer[right_comp(w, right.bond[k])] - 1;
            if (room < 0 || before < room) room = before;
        }
        w->layer[c] = room;
    }
    by_comp_free(&right);
    by_comp_free(&left);
}

static void find_layers(Work *w) {
    for (int b = 0; b < w->lines; b++) w->skipped[b] = w->line[b].from == w->line[b].to;
    ByComp outgoing = bonds_by_comp(w, left_comp);
    open_cycles(w, &outgoing);
    by_comp_free(&outgoing);
    int *sorted = sort_and_layer(w);
    pull_right(w, sorted);
    int lowest = w->boxes;
    for (int c = 0; c < w->boxes; c++)
        if (w->layer[c] < lowest) lowest = w->layer[c];
    for (int c = 0; c < w->boxes; c++) {
        w->layer[c] -= lowest;
        if (w->layer[c] + 1 > w->layers) w->layers = w->layer[c] + 1;
    }
    free(sorted);
}

// --- vertices and segments -----------------------------------------------------------------------

static void make_vertices(Work *w) {
    for (int c = 0; c < w->boxes; c++) array_push(&w->vertex, ((Vertex){.layer = w->layer[c]}));
}

static void make_segments(Work *w) {
    long long lanes = 0, most = 20000 + 8LL * w->lines;
    for (int b = 0; b < w->lines; b++) {
        w->first_segment[b] = w->segment.count;
        if (w->skipped[b]) continue;
        int left = left_comp(w, b), right = right_comp(w, b), last = left;
        int between = w->layer[right] - w->layer[left] - 1;
        if ((lanes += between) > most) between = 0; // too long a drawing: straight across
        for (int k = 1; k <= between; k++) {
            array_push(&w->vertex, ((Vertex){.layer = w->layer[left] + k}));
            int lane = w->vertex.count - 1;
            array_push(&w->segment, ((Segment){.a = last, .b = lane, .bond = b}));
            last = lane;
        }
        array_push(&w->segment, ((Segment){.a = last, .b = right, .bond = b}));
    }
    w->first_segment[w->lines] = w->segment.count;
}

static void list_segments_by_vertex(Work *w) {
    int vertices = w->vertex.count, at_left = 0, at_right = 0;
    Vertex *v = w->vertex.data;
    w->left = memory_zeroed((size_t)w->segment.count, sizeof(int));
    w->right = memory_zeroed((size_t)w->segment.count, sizeof(int));
    for (int s = 0; s < w->segment.count; s++)
        v[w->segment.data[s].a].rights++, v[w->segment.data[s].b].lefts++;
    for (int i = 0; i < vertices; i++) {
        v[i].first_left = at_left, v[i].first_right = at_right;
        at_left += v[i].lefts, at_right += v[i].rights;
        v[i].lefts = v[i].rights = 0;
    }
    for (int s = 0; s < w->segment.count; s++) {
        Vertex *a = &v[w->segment.data[s].a], *b = &v[w->segment.data[s].b];
        w->right[a->first_right + a->rights++] = s;
        w->left[b->first_left + b->lefts++] = s;
    }
}

static void size_vertices(Work *w) {
    for (int i = 0; i < w->vertex.count; i++) {
        Vertex *v = &w->vertex.data[i];
        if (i >= w->boxes) {
            v->above = v->below = LANE_SPACING / 2.0;
            continue;
        }
        Box *box = &w->box[i];
        int bonds = v->lefts > v->rights ? v->lefts : v->rights;
        box->shape_height = fmax(box->shape_height, (bonds - 1) * PORT_SPACING + 24.0);
        v->above = box->shape_height / 2 + BOX_SPACING / 2.0;
        v->below = box->shape_height / 2 + box->below + BOX_SPACING / 2.0;
    }
}

// --- order ---------------------------------------------------------------------------------------

static void first_order(Work *w) {
    w->start = memory_zeroed((size_t)w->layers + 1, sizeof(int));
    w->order = memory_zeroed((size_t)w->vertex.count, sizeof(int));
    for (int i = 0; i < w->vertex.count; i++) w->start[w->vertex.data[i].layer + 1]++;
    for (int k = 0; k < w->layers; k++) w->start[k + 1] += w->start[k];
    int *filled = memory_zeroed((size_t)w->layers, sizeof(int));
    for (int i = 0; i < w->vertex.count; i++) {
        Vertex *v = &w->vertex.data[i];
        v->place = filled[v->layer]++;
        w->order[w->start[v->layer] + v->place] = i;
    }
    free(filled);
}

static double mean_place(const Work *w, const Vertex *v, bool by_left) {
    double sum = 0;
    int count = by_left ? v->lefts : v->rights;
    if (!count) return v->place;
    for (int i = 0; i < count; i++) {
        const Segment *s =
            &w->segment.data[by_left ? w->left[v->first_left + i] : w->right[v->first_right + i]];
        sum += w->vertex.data[by_left ? s->a : s->b].place;
    }
    return sum / count;
}

typedef struct {
    double mean;
    int place, vertex;
} Key;

static int by_mean(const void *pa, const void *pb) {
    const Key *a = pa, *b = pb;
    if (a->mean != b->mean) return a->mean < b->mean ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void sort_layer(Work *w, int layer, bool by_left, Key *key) {
    int from = w->start[layer], count = w->start[layer + 1] - from;
    for (int i = 0; i < count; i++) {
        int v = w->order[from + i];
        key[i] = (Key){mean_place(w, &w->vertex.data[v], by_left), i, v};
    }
    qsort(key, (size_t)count, sizeof *key, by_mean);
    for (int i = 0; i < count; i++) {
        w->order[from + i] = key[i].vertex;
        w->vertex.data[key[i].vertex].place = i;
    }
}

typedef struct {
    int a, b;
} Span;

static int by_span(const void *pa, const void *pb) {
    const Span *x = pa, *y = pb;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

// Crossings in one gap: inversions among the right ends when segments are sorted by their left ends
// (counted with a Fenwick tree).
static long long crossings_in_gap(const Work *w, int layer, Span *span, int *tree) {
    int n = 0, size = w->start[layer + 2] - w->start[layer + 1];
    for (int i = w->start[layer]; i < w->start[layer + 1]; i++) {
        const Vertex *v = &w->vertex.data[w->order[i]];
        for (int k = 0; k < v->rights; k++) {
            const Vertex *to = &w->vertex.data[w->segment.data[w->right[v->first_right + k]].b];
            if (to->layer == layer + 1) span[n++] = (Span){v->place, to->place};
        }
    }
    qsort(span, (size_t)n, sizeof *span, by_span);
    memset(tree, 0, ((size_t)size + 1) * sizeof *tree);
    long long crossings = 0;
    for (int i = 0; i < n; i++) {
        crossings += i;
        for (int k = span[i].b + 1; k > 0; k -= k & -k) crossings -= tree[k];
        for (int k = span[i].b + 1; k <= size; k += k & -k) tree[k]++;
    }
    return crossings;
}

static long long count_crossings(const Work *w, Span *span, int *tree) {
    long long crossings = 0;
    for (int k = 0; k + 1 < w->layers; k++) crossings += crossings_in_gap(w, k, span, tree);
    return crossings;
}

static void reduce_crossings(Work *w) {
    int vertices = w->vertex.count, sweeps = vertices > 5000 ? 2 : 24;
    Key *key = memory_zeroed((size_t)vertices, sizeof *key);
    Span *span = memory_zeroed((size_t)w->segment.count, sizeof *span);
    int *tree = memory_zeroed((size_t)vertices + 1, sizeof *tree);
    int *best = memory_zeroed((size_t)vertices, sizeof *best);
    memcpy(best, w->order, (size_t)vertices * sizeof *best);
    long long fewest = count_crossings(w, span, tree);
    for (int sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
        bool by_left = sweep % 2 == 0;
        for (int k = 1; k < w->layers; k++)
            sort_layer(w, by_left ? k : w->layers - 1 - k, by_left, key);
        long long now = count_crossings(w, span, tree);
        if (now >= fewest) continue;
        fewest = now;
        memcpy(best, w->order, (size_t)vertices * sizeof *best);
    }
    memcpy(w->order, best, (size_t)vertices * sizeof *best);
    for (int k = 0; k < w->layers; k++)
        for (int i = w->start[k]; i < w->start[k + 1]; i++)
            w->vertex.data[w->order[i]].place = i - w->start[k];
    free(key);
    free(span);
    free(tree);
    free(best);
}

// --- points on the sides of shapes ---------------------------------------------------------------

static int compare_keys(const void *pa, const void *pb) {
    const Key *a = pa, *b = pb;
    if (a->mean != b->mean) return a->mean < b->mean ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static void spread_points(Work *w, int *segments, int count, bool on_left, Key *key) {
    for (int i = 0; i < count; i++) {
        const Segment *s = &w->segment.data[segments[i]];
        key[i] = (Key){w->vertex.data[on_left ? s->a : s->b].place, 0, segments[i]};
    }
    qsort(key, (size_t)count, sizeof *key, compare_keys);
    for (int i = 0; i < count; i++) {
        double y = (i - (count - 1) / 2.0) * PORT_SPACING;
        segments[i] = key[i].vertex;
        if (on_left)
            w->segment.data[segments[i]].yb = y;
        else
            w->segment.data[segments[i]].ya = y;
    }
}

static void place_points(Work *w) {
    Key *key = memory_zeroed((size_t)w->segment.count, sizeof *key);
    for (int i = 0; i < w->vertex.count; i++) {
        Vertex *v = &w->vertex.data[i];
        spread_points(w, w->left + v->first_left, v->lefts, true, key);
        spread_points(w, w->right + v->first_right, v->rights, false, key);
    }
    free(key);
}

// --- heights -------------------------------------------------------------------------------------

enum { FROM_LEFT = -1, FROM_BOTH = 0, FROM_RIGHT = 1, LEAVES_ONLY = 2 };

static bool is_leaf(const Vertex *v) { return v->lefts + v->rights <= 1; }

// The backbone of junctions and two-ports should be straight; what hangs on it gives way.
static double pull_of(const Vertex *a, const Vertex *b) { return is_leaf(a) || is_leaf(b) ? 1 : 8; }

// Where a vertex would like to be, seen from its neighbours on a side.
static double wanted_height(const Work *w, const Vertex *v, int side) {
    double sum = 0, weight = 0;
    if (side == LEAVES_ONLY && !is_leaf(v)) return v->y;
    if (side == LEAVES_ONLY) side = FROM_BOTH;
    for (int i = 0; side <= FROM_BOTH && i < v->lefts; i++) {
        const Segment *s = &w->segment.data[w->left[v->first_left + i]];
        const Vertex *a = &w->vertex.data[s->a];
        sum += pull_of(a, v) * (a->y + s->ya - s->yb);
        weight += pull_of(a, v);
    }
    for (int i = 0; side >= FROM_BOTH && i < v->rights; i++) {
        const Segment *s = &w->segment.data[w->right[v->first_right + i]];
        const Vertex *b = &w->vertex.data[s->b];
        sum += pull_of(b, v) * (b->y + s->yb - s->ya);
        weight += pull_of(b, v);
    }
    return weight > 0 ? sum / weight : v->y;
}

typedef struct {
    double sum, weight;
    int count;
} Pool;

static double pool_mean(const Pool *p) { return p->sum / p->weight; }

// Least squares under y[i+1] - y[i] >= distance: subtract the distances, then pool neighbours that
// are out of order (isotonic regression).
static void settle_layer(Work *w, int layer, int side, Pool *pool) {
    int from = w->start[layer], to = w->start[layer + 1], pools = 0;
    double offset = 0;
    for (int i = from; i < to; i++) {
        Vertex *v = &w->vertex.data[w->order[i]];
        double weight = is_leaf(v) ? 1 : 8;
        if (i > from) offset += w->vertex.data[w->order[i - 1]].below + v->above;
        v->mean = offset;
        pool[pools++] = (Pool){weight * (wanted_height(w, v, side) - offset), weight, 1};
        while (pools > 1 && pool_mean(&pool[pools - 2]) >= pool_mean(&pool[pools - 1])) {
            pool[pools - 2].sum += pool[pools - 1].sum;
            pool[pools - 2].weight += pool[pools - 1].weight;
            pool[pools - 2].count += pool[pools - 1].count;
            pools--;
        }
    }
    for (int i = from, p = 0, used = 0; i < to; i++, used++) {
        if (used == pool[p].count) p++, used = 0;
        Vertex *v = &w->vertex.data[w->order[i]];
        v->y = pool_mean(&pool[p]) + v->mean;
    }
}

static void find_heights(Work *w) {
    Pool *pool = memory_zeroed((size_t)w->vertex.count, sizeof *pool);
    for (int k = 0; k < w->layers; k++)
        settle_layer(w, k, FROM_BOTH, pool); // all start at 0: a stack
    for (int sweep = 0; sweep < 16; sweep++) {
        bool rightwards = sweep % 2 == 0;
        int side = sweep >= 10 ? FROM_BOTH : rightwards ? FROM_LEFT : FROM_RIGHT;
        for (int k = 0; k < w->layers; k++)
            settle_layer(w, rightwards ? k : w->layers - 1 - k, side, pool);
    }
    for (int k = 0; k < w->layers; k++) settle_layer(w, k, LEAVES_ONLY, pool);
    free(pool);
}

// --- the drawing ---------------------------------------------------------------------------------

typedef struct {
    double *left, *right; // per layer: sides of its column, with the stubs
} Columns;

static Columns find_columns(Work *w, Layout *l) {
    Columns c = {memory_zeroed((size_t)w->layers, sizeof(double)),
                 memory_zeroed((size_t)w->layers, sizeof(double))};
    double x = MARGIN;
    for (int i = 0; i < w->boxes; i++)
        c.right[w->layer[i]] = fmax(c.right[w->layer[i]], w->box[i].width);
    for (int k = 0; k < w->layers; k++) {
        c.left[k] = x;
        x = c.right[k] += x + 2 * STUB;
        x += GAP;
    }
    l->width = w->layers ? c.right[w->layers - 1] + MARGIN : 2 * MARGIN;
    return c;
}

static void place_boxes(Work *w, Layout *l, const Columns *c) {
    double top = 0, bottom = 0;
    for (int i = 0; i < w->vertex.count; i++) {
        const Vertex *v = &w->vertex.data[i];
        if (i == 0 || v->y - v->above < top) top = v->y - v->above;
        if (i == 0 || v->y + v->below > bottom) bottom = v->y + v->below;
    }
    for (int i = 0; i < w->vertex.count; i++) {
        Vertex *v = &w->vertex.data[i];
        v->y = round((v->y - top + MARGIN) * 2) / 2;
        if (i >= w->boxes) continue;
        w->box[i].x = round((c->left[v->layer] + c->right[v->layer]) / 2);
        w->box[i].y = v->y;
    }
    l->height = bottom - top + 2 * MARGIN;
}

static void reverse_points(Route *r) {
    for (int i = 0, k = r->count - 1; i < k; i++, k--) {
        Point p = r->point[i];
        r->point[i] = r->point[k], r->point[k] = p;
    }
}

// Four points per segment of which neighbours share none: shape or lane, column's side, next
// column's side, shape or lane.
static Route route_bond(Arena *out, const Work *w, const Columns *c, int bond) {
    int first = w->first_segment[bond], count = w->first_segment[bond + 1] - first;
    Route r = {.point = ARENA_ARRAY(out, Point, 2 * count + 2)};
    for (int i = 0; i < count; i++) {
        const Segment *s = &w->segment.data[first + i];
        const Vertex *a = &w->vertex.data[s->a], *b = &w->vertex.data[s->b];
        double ya = a->y + s->ya, yb = b->y + s->yb;
        if (i == 0) r.point[r.count++] = (Point){w->box[s->a].x + w->box[s->a].shape_width / 2, ya};
        r.point[r.count++] = (Point){c->right[a->layer], ya};
        r.point[r.count++] = (Point){c->left[b->layer], yb};
        if (i == count - 1)
            r.point[r.count++] = (Point){w->box[s->b].x - w->box[s->b].shape_width / 2, yb};
    }
    if (w->turned[bond]) reverse_points(&r);
    return r;
}

// A bond between parts of one component: an ear on top of its shape.
static Route route_ear(Arena *out, const Box *box) {
    Route r = {.point = ARENA_ARRAY(out, Point, 4), .count = 4};
    double side = box->shape_width / 2, top = box->y - box->shape_height / 2;
    r.point[0] = (Point){box->x + side, top + 4};
    r.point[1] = (Point){box->x + side + 10, top + 4};
    r.point[2] = (Point){box->x + side + 10, top - 6};
    r.point[3] = (Point){box->x + side, top - 6};
    return r;
}

static void work_free(Work *w) {
    free(w->turned);
    free(w->skipped);
    free(w->layer);
    free(w->first_segment);
    free(w->left);
    free(w->right);
    free(w->start);
    free(w->order);
    array_free(&w->vertex);
    array_free(&w->segment);
}

Layout *layout_make(Arena *out, const LayoutLine *line, int line_count, Box *box,
                    const bool *begins, int box_count) {
    Layout *l = ARENA_NEW(out, Layout);
    Work w = {.line = line,
              .lines = line_count,
              .boxes = box_count,
              .begins = begins,
              .box = box,
              .turned = memory_zeroed((size_t)line_count, sizeof(bool)),
              .skipped = memory_zeroed((size_t)line_count, sizeof(bool)),
              .layer = memory_zeroed((size_t)box_count, sizeof(int)),
              .first_segment = memory_zeroed((size_t)line_count + 1, sizeof(int))};
    find_layers(&w);
    make_vertices(&w);
    make_segments(&w);
    list_segments_by_vertex(&w);
    size_vertices(&w);
    first_order(&w);
    reduce_crossings(&w);
    place_points(&w);
    find_heights(&w);
    Columns c = find_columns(&w, l);
    place_boxes(&w, l, &c);
    l->route = ARENA_ARRAY(out, Route, line_count);
    for (int b = 0; b < line_count; b++)
        l->route[b] =
            w.skipped[b] ? route_ear(out, &box[line[b].from]) : route_bond(out, &w, &c, b);
    free(c.left);
    free(c.right);
    work_free(&w);
    return l;
}
