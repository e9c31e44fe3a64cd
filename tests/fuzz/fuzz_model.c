// Any text through the whole pipeline: load, instantiate, causality, equations, and a short run.
// Nothing may crash, hang or hand on a number that is not finite without a report.
#include "../pipeline.h"

#include "run/run.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// An experiment may ask for a billion honest steps, and here all goes thirty times slower than in
// the program: the fuzzer looks at the first steps, at fewer of a large model. Small models get the
// solver they ask for, with all it needs of them; large ones the cheapest.
static void run_briefly(Built *b) {
    enum { SMALL = 4000, MOST_STEPS = 40 };
    int nodes = (int)dag_size(b->model->dag), steps = 10 + 20000 / (1 + nodes);
    RunOptions options = {.stop = 1e-2,
                          .solver = nodes < SMALL ? SOLVER_AUTO : SOLVER_HEUN,
                          .most_steps = steps < MOST_STEPS ? steps : MOST_STEPS};
    Run *run = built_run(b, &options);
    if (!run) return;
    for (int c = 0; run->status == SOLVE_DONE && c < run->results.column_count; c++)
        for (int row = 0; row < run->results.row_count; row++)
            if (!isfinite(run->results.column[c].value[row]) && !b->report.errors &&
                !b->report.warnings)
                __builtin_trap();
    run_free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    LangOptions options = {.library = BONDYN_SOURCE "/library", .most_scalars = 500};
    Built b;
    if (build_text(&b, (const char *)data, size, NULL, NULL, &options)) run_briefly(&b);
    build_free(&b);
    return 0;
}

// --- mutation ------------------------------------------------------------------------------------
// Bytes changed at random hardly ever leave a model that can be built. Of three mutations two
// change words and lines: what results is wrong in what it says more often than in how it is
// written.

typedef struct {
    size_t at, length;
} Piece;

static bool in_word(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '.';
}

// The word (or single sign) around a place.
static Piece word_at(const uint8_t *data, size_t size, size_t at) {
    size_t from = at, to = at + 1;
    if (!in_word(data[at])) return (Piece){at, 1};
    while (from && in_word(data[from - 1])) from--;
    while (to < size && in_word(data[to])) to++;
    return (Piece){from, to - from};
}

static Piece line_at(const uint8_t *data, size_t size, size_t at) {
    size_t from = at, to = at;
    while (from && data[from - 1] != '\n') from--;
    while (to < size && data[to] != '\n') to++;
    return (Piece){from, to < size ? to + 1 - from : to - from};
}

// The text with `gone` replaced by what `put` has; its new size, or 0 when there is no room.
static size_t replace(uint8_t *data, size_t size, size_t most, Piece gone, const uint8_t *put,
                      size_t length) {
    if (size - gone.length + length > most) return 0;
    uint8_t *copy = malloc(length + 1);
    if (!copy) abort();
    if (length) memcpy(copy, put, length);
    memmove(data + gone.at + length, data + gone.at + gone.length, size - gone.at - gone.length);
    if (length) memcpy(data + gone.at, copy, length);
    free(copy);
    return size - gone.length + length;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    static const char *const words[] = {
        "0",     "1",     "-1",     "2",       "1e-9",    "1e9",    ".5",     "time", "der",
        "pre",   "if",    "then",   "else",    "and",     "not",    "when",   "end",  "model",
        "var",   "param", "input",  "I",       "C",       "R",      "TF",     "GY",   "Se",
        "Sf",    "0 j",   "1 j",    "[3]",     "{m}",     "{N}",    "{s}",    "{kg}", "{1}",
        "rad/s", "->",    "sin",    "sqrt",    "stop",    "expect", "solver", "ida",  "bdf",
        "rk78",  "delay", "steady", "initial", "discrete"};
    enum { WORDS = sizeof words / sizeof words[0] };
    if (size < 2 || seed % 3 == 0) return LLVMFuzzerMutate(data, size, most);
    size_t here = seed / 16 % size, there = (seed / 16777u + seed / 7) % size, made = 0;
    Piece a = word_at(data, size, here), b = word_at(data, size, there);
    Piece line = line_at(data, size, here), other = line_at(data, size, there);
    const char *word = words[seed / 977 % WORDS];
    switch (seed / 3 % 5) {
    case 0: made = replace(data, size, most, a, (const uint8_t *)word, strlen(word)); break;
    case 1: made = replace(data, size, most, a, data + b.at, b.length); break;
    case 2: made = replace(data, size, most, line, data + other.at, other.length); break;
    case 3: // the other line once more, here
        made = replace(data, size, most, (Piece){line.at, 0}, data + other.at, other.length);
        break;
    default: made = replace(data, size, most, line, NULL, 0);
    }
    return made ? made : LLVMFuzzerMutate(data, size, most);
}
