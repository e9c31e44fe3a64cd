// Expressions that a run evaluates at its points, each one once; and units of what is shown.
#include "run/job.h"

#include "base/memory.h"
#include <string.h>

static uint32_t *find_slot(const Outputs *o, Expr e) {
    uint32_t i = (e * 2654435761u) & (o->slots - 1);
    while (o->slot[i] && o->expr.data[o->slot[i] - 1] != e) i = (i + 1) & (o->slots - 1);
    return &o->slot[i];
}

static void grow(Outputs *o) {
    free(o->slot);
    o->slots = o->slots ? o->slots * 2 : 256;
    o->slot = memory_zeroed(o->slots, sizeof *o->slot);
    for (int i = 0; i < o->expr.count; i++) *find_slot(o, o->expr.data[i]) = (uint32_t)i + 1;
}

int outputs_add(Outputs *o, Expr e) {
    if ((uint32_t)o->expr.count * 2 >= o->slots) grow(o);
    uint32_t *slot = find_slot(o, e);
    if (!*slot) {
        array_push(&o->expr, e);
        *slot = (uint32_t)o->expr.count;
    }
    return (int)*slot - 1;
}

void outputs_free(Outputs *o) {
    array_free(&o->expr);
    free(o->slot);
    *o = (Outputs){0};
}

Shown shown_in(const Model *m, Name unit) {
    Shown s = {name_text(m->names, unit), 1, 0};
    Unit parsed;
    const char *bad;
    size_t bad_length;
    if (*s.unit && unit_parse(s.unit, strlen(s.unit), &parsed, &bad, &bad_length) &&
        parsed.scale != 0)
        s.scale = parsed.scale, s.offset = parsed.offset;
    return s;
}

double show(Shown s, double si) { return (si - s.offset) / s.scale; }
