// When values are ready, and the order of sums and products that follows from it.
//
// A processor works on many instructions at once, but each waits for its operands: what counts is
// the longest chain of waiting. The order within a sum or a product is free, so what is ready first
// is joined first, and a late part is waited for by one instruction instead of all:
//
//     a + b + late + c        late --> + --> + -->          a + b + c --------+
//                                      b     c                      late -----> + -->
//
// Times are in cycles of a typical processor; they decide about order only.
#include "engine/build.h"

#include <stdlib.h>

enum { TIME_SIMPLE = 3, TIME_DIVIDE = 13, TIME_SQRT = 18, TIME_FUNCTION = 60 };

static int ready_time(const Builder *b, Expr e) { return is_outer(b, e) ? 0 : b->ready.data[e]; }

static int later(int a, int b) { return a > b ? a : b; }

// --- order ---------------------------------------------------------------------------------------

static int by_arrival(const void *a, const void *b) {
    const Arrival *x = a, *y = b;
    if (x->ready != y->ready) return x->ready < y->ready ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void sort_arrivals(View *v) {
    if (v->arrival.count < 2) return;
    qsort(v->arrival.data, (size_t)v->arrival.count, sizeof *v->arrival.data, by_arrival);
}

// Operands [first, first + count) in the order in which they are ready; when their product is.
static int arrange_factors(Builder *b, int first, int count) {
    View *v = &b->view;
    v->arrival.count = v->sorted.count = 0;
    for (int i = 0; i < count; i++) {
        Expr e = v->operand.data[first + i];
        array_push(&v->arrival, ((Arrival){ready_time(b, e), i}));
        array_push(&v->sorted, e);
    }
    sort_arrivals(v);
    int time = count ? v->arrival.data[0].ready : 0;
    for (int i = 0; i < count; i++) {
        v->operand.data[first + i] = v->sorted.data[v->arrival.data[i].index];
        if (i) time = later(time, v->arrival.data[i].ready) + TIME_SIMPLE;
    }
    return time;
}

static int arrange_item(Builder *b, const Item *item) {
    int above = arrange_factors(b, item->first, item->numerators);
    if (item->denominators == 0) return above;
    int below = arrange_factors(b, item->first + item->numerators, item->denominators);
    return later(above, below) + TIME_DIVIDE;
}

// Needs: b->view of a sum or product, operands computed.  Gives: when its value is ready.
int view_arrange(Builder *b) {
    View *v = &b->view;
    int count = v->item.count;
    v->ordered.count = 0;
    for (int i = 0; i < count; i++) {
        v->item.data[i].ready = arrange_item(b, &v->item.data[i]);
        array_push(&v->ordered, v->item.data[i]);
    }
    v->arrival.count = 0;
    for (int i = 0; i < count; i++) array_push(&v->arrival, ((Arrival){v->item.data[i].ready, i}));
    sort_arrivals(v);
    int time = 0;
    for (int i = 0; i < count; i++) {
        v->item.data[i] = v->ordered.data[v->arrival.data[i].index];
        time = i ? later(time, v->item.data[i].ready) + TIME_SIMPLE : v->item.data[i].ready;
    }
    return time;
}

// When any other node is ready: after the last of its operands, by what its operation takes.
int view_time(const Builder *b, Op op) {
    int time = 0;
    for (int i = 0; i < b->view.operand.count; i++)
        time = later(time, ready_time(b, b->view.operand.data[i]));
    switch (op) {
    case OP_NUMBER:
    case OP_SYMBOL: return time;
    case OP_POWER: return time + TIME_SQRT;
    case OP_ABS:
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_EQUAL:
    case OP_AND:
    case OP_OR:
    case OP_NOT:
    case OP_MIN:
    case OP_MAX:
    case OP_IF: return time + TIME_SIMPLE;
    default: return time + TIME_FUNCTION;
    }
}
