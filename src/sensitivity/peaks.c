// See peaks.h.
#include "sensitivity/peaks.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

void peaks_ask(Trail *t, double time, double near) {
    for (int i = 0; i < t->node.count; i++) {
        Node *n = &t->node.data[i];
        bool event = n->kind == TRAIL_CROSS || n->kind == TRAIL_MOMENT;
        if (event && fabs(n->time - time) <= near) n->asked = true;
    }
}

void peak_open(Peak *p, const Extreme *e, int parameters) {
    *p = (Peak){.time = e->moment, .value = e->side, .off = INFINITY};
    p->slope = memory_zeroed((size_t)parameters + 1, sizeof *p->slope);
}

void peak_look(Peak *p, const double *side[2], int output, int parameters) {
    for (int i = 0; i < 2; i++) {
        const double *at = side[i] + output * (parameters + 1);
        double off = fabs(at[0] - p->value);
        if (!(off < p->off)) continue;
        p->off = off;
        p->found = true;
        memcpy(p->slope, at + 1, (size_t)parameters * sizeof *p->slope);
    }
}

void peaks_free(Peak *p, int count) {
    for (int i = 0; i < count; i++) free(p[i].slope);
    free(p);
}
