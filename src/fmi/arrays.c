// Elements as variables of the description. FMI 3 has arrays: elements of one kind that follow each other, q[1], q[2]
// ... or A[1,1], A[1,2] ..., and are alike in all that a variable says, are one variable. FMI 2 has numbers only.
#include "fmi/inside.h"

#include <stdlib.h>

typedef struct {
    size_t base; // length of the name before the bracket
    int index[2], dims;
} Place;

// "q[2]", "A[1,3]"; dims = 0: no element of an array.
static Place place_of(const char *name) {
    Place p = {0};
    const char *at = strrchr(name, '[');
    if (!at || at == name) return p;
    p.base = (size_t)(at - name);
    for (int k = 0; k < 2; k++) {
        char *end;
        p.index[k] = (int)strtol(at + 1, &end, 10);
        if (end == at + 1 || p.index[k] < 1) break;
        p.dims = k + 1;
        at = end;
        if (*at != ',') break;
    }
    if (strcmp(at, "]") != 0) p.dims = 0;
    return p;
}

static bool same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static bool is_discrete(const FmuWriting *u, const FmuVariable *v) {
    return v->var >= 0 && u->model->var[v->var].kind == VAR_DISCRETE;
}

// Terminals name variables as a whole.
static bool is_of_port(const FmuWriting *u, const FmuVariable *v) {
    for (int i = 0; i < u->port_count; i++)
        if (v->var >= 0 && (u->port[i].input == v->var || u->port[i].answer == v->var)) return true;
    return false;
}

static bool are_alike(const FmuWriting *u, const FmuVariable *a, const FmuVariable *b) {
    return a->kind == b->kind && a->output == b->output && a->tunable == b->tunable &&
           !is_of_port(u, a) && !is_of_port(u, b) && same(a->unit, b->unit) &&
           same(a->display, b->display) && is_discrete(u, a) == is_discrete(u, b);
}

// How many elements from the first one on are one array; its size.
static int length_of(const FmuWriting *u, int first, int size[2], int *dims) {
    const FmuVariable *v = &u->variable[first];
    Place p = place_of(v->name);
    int count = 0, columns = 0;
    *dims = p.dims;
    for (int i = first; i < u->count && p.dims; i++) {
        Place q = place_of(u->variable[i].name);
        if (q.dims != p.dims || q.base != p.base || !are_alike(u, v, &u->variable[i])) break;
        if (memcmp(v->name, u->variable[i].name, p.base) != 0) break;
        int last = p.dims == 2 ? q.index[1] : q.index[0];
        if (p.dims == 2 && q.index[0] == 1) columns = last;
        int wanted = p.dims == 1 ? count + 1 : columns ? count % columns + 1 : 0;
        if (last != wanted || (p.dims == 2 && q.index[0] != count / columns + 1)) break;
        count++;
    }
    if (count < 2 || (p.dims == 2 && (count % columns || count == columns))) return 1;
    size[0] = p.dims == 2 ? count / columns : count;
    size[1] = p.dims == 2 ? columns : 1;
    return count;
}

static FmuEntry *add(FmuWriting *u, int first, int count) {
    FmuEntry *e = &u->entry[u->entries];
    *e = (FmuEntry){.name = u->variable[first].name, .first = first, .count = count};
    for (int i = first; i < first + count; i++) u->entry_of[i] = u->entries;
    u->entries++;
    return e;
}

static void add_array(FmuWriting *u, int first) {
    int size[2], dims;
    int count = u->options->version == 3 ? length_of(u, first, size, &dims) : 1;
    FmuEntry *e = add(u, first, count);
    if (count == 1) return;
    e->dims = dims;
    e->size[0] = size[0];
    e->size[1] = size[1];
    e->name = arena_copy_text(&u->arena, e->name, place_of(e->name).base);
}

// Rates are arrays as their states are.
static void add_rates(FmuWriting *u) {
    int shift = u->first[FMU_RATE] - u->first[FMU_STATE];
    for (int i = u->first[FMU_STATE]; i < u->first[FMU_RATE];) {
        const FmuEntry *state = &u->entry[u->entry_of[i]];
        FmuEntry *e = add(u, i + shift, state->count);
        e->dims = state->dims;
        memcpy(e->size, state->size, sizeof e->size);
        e->name = arena_printf(&u->arena, "der(%s)", state->name);
        i += state->count;
    }
}

void fmu_entries(FmuWriting *u) {
    u->entry = ARENA_ARRAY(&u->arena, FmuEntry, u->count + 1);
    u->entry_of = ARENA_ARRAY(&u->arena, int, u->count + 1);
    for (int i = 0; i < u->count;) {
        if (u->variable[i].kind == FMU_RATE) {
            add_rates(u);
            i = u->first[FMU_COLUMN];
        } else {
            add_array(u, i);
            i = u->entry[u->entries - 1].first + u->entry[u->entries - 1].count;
        }
    }
}
