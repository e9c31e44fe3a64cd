// See native_blocks.h.
#include "engine/native_blocks.h"

#include "base/memory.h"
#include <stdlib.h>

// --- which ---------------------------------------------------------------------------------------

static void mark_blocks(LaneBlocks *b, const Program *p, const TapeFunction *f) {
    for (int i = 0; i < f->count; i++) {
        if (f->code[i].op != TAPE_BLOCK || f->code[i].b >= FIRST_MATRIX) continue;
        uint32_t block = f->code[i].b;
        b->count += !b->solved[block];
        b->solved[block] = true;
        b->matrix[p->block[block].matrix] = true;
    }
}

LaneBlocks lane_blocks(const Program *p) {
    LaneBlocks b = {.solved = memory_zeroed((size_t)p->block_count, sizeof *b.solved),
                    .matrix = memory_zeroed((size_t)p->block_count, sizeof *b.matrix)};
    mark_blocks(&b, p, &p->derivative);
    mark_blocks(&b, p, &p->outputs);
    mark_blocks(&b, p, &p->switches);
    return b;
}

void lane_blocks_free(LaneBlocks *b) {
    free(b->solved);
    free(b->matrix);
}

enum { MOST_UNROLLED = 3 }; // unknowns: such small blocks have kernels of their own, in line

// --- text ----------------------------------------------------------------------------------------

static const char *const solvers[] = {
    "#define INLINE inline __attribute__((always_inline))\n"
    "static INLINE unsigned bondyn_set_of(BondynBits m) {\n"
    "#if defined(__AVX__) && __has_builtin(__builtin_ia32_movmskpd256)\n"
    "    if (BONDYN_LANES == 4) {\n"
    "        typedef double Four __attribute__((vector_size(32)));\n"
    "        Four x;\n"
    "        memcpy(&x, &m, BONDYN_LANES == 4 ? sizeof x : 0);\n"
    "        return (unsigned)__builtin_ia32_movmskpd256(x);\n"
    "    }\n"
    "#endif\n"
    "    unsigned set = 0;\n"
    "    for (int i = 0; i < BONDYN_LANES; i++) set |= (unsigned)(m[i] & 1) << i;\n"
    "    return set;\n"
    "}\n",
#define KERNEL(...) #__VA_ARGS__ "\n",
#include "engine/lane_kernels.def"
#undef KERNEL
};

void native_lane_solvers(Text *out, const Program *p, const LaneBlocks *b) {
    if (!b->count) return;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) text_add(out, solvers[i]);
    for (int i = 0; i < p->block_count; i++)
        if (b->solved[i]) text_printf(out, "static void bondyn_solve_%d(BondynCall *c);\n", i);
}

// Where the entries of the matrix lie in the full one, row by row.
static void write_places(Text *out, const TapeBlock *matrix, int block) {
    text_printf(out, "\nstatic const int bondyn_place_%d[] = {", block);
    for (int c = 0; c < matrix->size; c++)
        for (int k = matrix->column_start[c]; k < matrix->column_start[c + 1]; k++)
            text_printf(out, "%s%d", k ? ", " : "", matrix->row[k] * matrix->size + c);
    text_add(out, "};\n");
}

static void write_begin(Text *out, const TapeBlock *t) {
    for (int i = 0; i < t->size && t->anchored; i++)
        text_printf(out, "    u[%d] = bondyn_select(begins, r[%u], u[%d]);\n", i, t->guess[i], i);
}

void native_lane_block(Text *out, const Program *p, int block) {
    const TapeBlock *t = &p->block[block], *matrix = &p->block[t->matrix];
    int n = t->size, entries = matrix->column_start[n];
    write_places(out, matrix, block);
    text_printf(out,
                "static void bondyn_solve_%d(BondynCall *c) { // %s\n"
                "    BondynLanes *r = (BondynLanes *)c->r, *u = r + %u;\n"
                "    BondynLanes was[%d], f[%d], step[%d], back[%d], start[%d], next[%d];\n"
                "    BondynLanes row[%d], column[%d], a[%d], entry[%d];\n"
                "    BondynBits pivot[%d], begins = bondyn_mask(c->active);\n"
                "    int common[%d];\n"
                "    const BondynLaneBlock b = {%d, %d, bondyn_place_%d, bondyn_residual_of_%d,\n"
                "        bondyn_matrix_of_%d, u, f, step, back, start, next, row, column, a,\n"
                "        entry, pivot, common};\n"
                "    for (int i = 0; i < %d; i++) was[i] = u[i];\n",
                block, t->linear ? "linear" : "Newton's method", t->unknown, n, n, n, n, n, n, n, n,
                n * n, entries, n, n, n, entries, block, block, t->matrix, n);
    write_begin(out, t);
    text_printf(out,
                "    unsigned rest = c->active & ~bondyn_lanes_%s%s(c, &b, c->active);\n"
                "    if (!rest) return;\n"
                "    for (int i = 0; i < %d; i++)\n"
                "        u[i] = bondyn_select(bondyn_mask(rest), was[i], u[i]);\n"
                "    c->solve(c->machine, %d, rest);\n}\n",
                n > MOST_UNROLLED ? "any_" : "", t->linear ? "linear" : "newton", n, block);
}
