// Loops of equations that are solved by iteration from where they were, as C: which unknowns they have. They may have
// several solutions, so a run stays on its branch (engine/branch.c).
#include "export/writing.h"

static bool may_fold(const Program *p, int block) {
    return block < p->system->block_count && !p->block[block].linear && !p->block[block].anchored;
}

int loop_unknowns(const Program *p) {
    int count = 0;
    for (int i = 0; i < p->block_count; i++) count += may_fold(p, i) ? p->block[i].size : 0;
    return count;
}

void export_loops(const Writing *w, Text *o) {
    const Program *p = w->p;
    text_printf(o, "static const unsigned model_%sloop_place[] = {", w->now->name);
    for (int i = 0; i < p->block_count; i++)
        for (int k = 0; may_fold(p, i) && k < p->block[i].size; k++)
            text_printf(o, "%u, ", p->block[i].unknown + (unsigned)k);
    text_printf(o, "0};\nstatic const int model_%sloop_block[] = {", w->now->name);
    for (int i = 0; i < p->block_count; i++)
        for (int k = 0; may_fold(p, i) && k < p->block[i].size; k++) text_printf(o, "%d, ", i);
    text_add(o, "0};\n");
}

// Registers of unknowns and where the memory of a jump has the same variable, in pairs.
void export_begins(const Writing *w, Text *o) {
    const Program *p = w->p;
    const int *item = w->now->begin;
    text_printf(o, "static const int model_%sbegin[] = {", w->now->name);
    for (int i = 0; item && i < p->system->block_count; i++)
        for (int k = 0; k < p->block[i].size; k++, item++)
            if (may_fold(p, i) && *item >= 0)
                text_printf(o, "%u, %d, ", p->block[i].unknown + (unsigned)k, *item);
    text_add(o, "-1};\n");
}
