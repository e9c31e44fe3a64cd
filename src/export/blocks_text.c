// Sets of equations that are solved together, as C.
#include "export/writing.h"

static void write_block_functions(Writing *w, Text *o, int i) {
    const TapeBlock *b = &w->p->block[i];
    Text name = {0};
    const int number = w->now->first_block + i;
    text_printf(&name, "residual%d", number);
    export_tape(w, o, text_get(&name), &b->residual, b->residual.count, b->residual.result,
                b->residual.result_count);
    if (b->matrix == i) {
        text_clear(&name);
        text_printf(&name, "entries%d", number);
        export_tape(w, o, text_get(&name), &b->jacobian, b->jacobian.count, b->jacobian.result,
                    b->jacobian.result_count);
        int entries = b->column_start[b->size];
        text_printf(o,
                    "\nstatic int model_matrix%d(model_machine *m, double *a) {\n"
                    "    static const int place[] = {",
                    number);
        for (int c = 0; c < b->size; c++)
            for (int k = b->column_start[c]; k < b->column_start[c + 1]; k++)
                text_printf(o, "%s%d", k ? ", " : "", b->row[k] * b->size + c);
        text_printf(o,
                    "%s};\n    double entry[%d];\n    model_entries%d(m, entry);\n"
                    "    for (int i = 0; i < %d; i++) a[place[i]] = entry[i];\n    return 1;\n}\n",
                    entries ? "" : "0", entries + 1, number, entries);
    }
    text_free(&name);
}

static bool is_start_block(const System *s, int number) {
    return number >= s->block_count && number < s->block_count + s->start_block_count;
}

// Functions and places of the guesses of the present program's blocks.
void export_blocks(Writing *w, Text *o) {
    const Program *p = w->p;
    for (int i = 0; i < p->block_count; i++) write_block_functions(w, o, i);
    text_char(o, '\n');
    for (int i = 0; i < p->block_count; i++) {
        text_printf(o, "static const unsigned model_guess%d[] = {", w->now->first_block + i);
        for (int k = 0; k < p->block[i].size; k++)
            text_printf(o, "%s%u", k ? ", " : "", p->block[i].guess[k]);
        text_add(o, "};\n");
    }
}

// All blocks of all programs.
void export_block_table(const Writing *w, Text *o) {
    text_add(o,
             "\ntypedef struct {\n    int size, linear, anchored, start;\n    unsigned unknown;\n"
             "    const unsigned *guess;\n    int (*residual)(model_machine *m, double *f);\n"
             "    int (*matrix)(model_machine *m, double *a);\n} model_block_info;\n"
             "static const model_block_info model_block_of[] = {\n");
    for (int k = 0; k < w->part_count; k++) {
        const Part *x = &w->part[k];
        for (int i = 0; i < x->p->block_count; i++) {
            const TapeBlock *b = &x->p->block[i];
            int n = x->first_block + i;
            text_printf(
                o, "    {%d, %d, %d, %d, %u, model_guess%d, model_residual%d, model_matrix%d},\n",
                b->size, b->linear, b->anchored, is_start_block(x->p->system, i), b->unknown, n, n,
                x->first_block + b->matrix);
        }
    }
    text_add(o, "};\n");
}
