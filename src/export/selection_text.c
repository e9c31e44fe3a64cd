// States that are chosen during the run, as C: the sets of candidates, and each block that ties some as its matrix.
#include "export/writing.h"

static void write_whole_numbers(const Writing *w, Text *o, const char *name, int number,
                                const int *x, int count) {
    text_printf(o, "static const int model_%sselection%d_%s[] = {", w->now->name, number, name);
    for (int i = 0; i < count; i++) text_printf(o, "%d, ", x[i]);
    text_add(o, "0};\n");
}

static void write_sets(const Writing *w, Text *o) {
    const Program *p = w->p;
    text_printf(o, "static const model_candidates model_%scandidates_of[] = {\n", w->now->name);
    for (int i = 0; i < p->system->set_count; i++) {
        const StateSet *s = &p->system->set[i];
        text_printf(o, "    {%d, %d, %d, %d},\n", s->free, s->count, s->first_state,
                    p->first_pick[i]);
    }
    text_add(o, "    {0, 0, 0, 0}};\n");
}

void export_selections(const Writing *w, Text *o) {
    const Program *p = w->p;
    const System *s = p->system;
    const char *part = w->now->name;
    write_sets(w, o);
    for (int i = 0; i < s->choice_count; i++) {
        write_whole_numbers(w, o, "set", i, s->choice[i].set, s->choice[i].columns);
        write_whole_numbers(w, o, "place", i, s->choice[i].place, s->choice[i].columns);
        write_whole_numbers(w, o, "scale", i, s->choice[i].scale, s->choice[i].columns);
    }
    text_printf(o, "static const model_selection_info model_%sselection_of[] = {\n", part);
    for (int i = 0; i < s->choice_count; i++)
        text_printf(o,
                    "    {%d, %d, %d, model_%sselection%d_set, model_%sselection%d_place, "
                    "model_%sselection%d_scale},\n",
                    s->choice[i].rows, s->choice[i].columns, p->first_anchor[i], part, i, part, i,
                    part, i);
    text_add(o, "    {0, 0, 0, 0, 0, 0}};\n");
}

void export_selection_types(Text *o) {
    text_add(o, "\ntypedef struct { // a set: so many states, out of so many candidates\n"
                "    int free, count, first_state, first_pick;\n} model_candidates;\n"
                "typedef struct { // a block that ties candidates; where its last point is held\n"
                "    int rows, columns, anchor;\n    const int *set, *place, *scale;\n"
                "} model_selection_info;\n");
}

int selection_columns(const Program *p) {
    int count = 0;
    for (int i = 0; i < p->system->choice_count; i++) count += p->system->choice[i].columns;
    return count;
}
