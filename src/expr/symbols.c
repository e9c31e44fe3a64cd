// The symbols below each of many roots.
//
// Laws of a mechanism share most of their nodes: n walks, one below each, visit n times the whole
// of it. The other way hands words of bits up the graph, 64 symbols at a time:
//
//     bits(node) = own bit of a symbol, or the union of the bits of the arguments
//
// which costs (symbols / 64) times all nodes, however many roots there are. Small roots are walked
// more cheaply. So roots are walked in turn until that has cost as much as the words would; what is
// left then is done by words. This is at most twice as dear as the better way for each model.
#include "expr/internal.h"

#include "base/memory.h"
#include <string.h>

typedef struct {
    const Dag *dag;
    const Expr *root;
    int count;
    ExprWalk *all;      // over all roots
    ARRAY(Expr) symbol; // all that occur
    ARRAY(int) place;   // of each in the walk
    SymbolLists *out;
} Search;

static void find_all(Search *s) {
    s->all = walk_new(s->dag);
    for (int i = 0; i < s->count; i++) walk_add(s->all, s->root[i]);
    for (int i = 0; i < walk_count(s->all); i++) {
        if (expr_op(s->dag, walk_at(s->all, i)) != OP_SYMBOL) continue;
        array_push(&s->symbol, walk_at(s->all, i));
        array_push(&s->place, i);
    }
}

// How many roots were done before walking had cost `budget` visits.
static int walk_roots(Search *s, int64_t budget) {
    ExprWalk *w = walk_new(s->dag);
    int done = 0;
    for (; done < s->count && budget >= 0; done++) {
        walk_start(w);
        walk_add(w, s->root[done]);
        budget -= walk_count(w);
        array_push(&s->out->first, s->out->symbol.count);
        for (int i = 0; i < walk_count(w); i++)
            if (expr_op(s->dag, walk_at(w, i)) == OP_SYMBOL)
                array_push(&s->out->symbol, walk_at(w, i));
    }
    walk_free(w);
    return done;
}

// For 64 symbols from `first` on; a node's arguments stand before it in the walk.
static void hand_up(const Search *s, int first, uint64_t *bits) {
    int nodes = walk_count(s->all),
        end = first + 64 < s->symbol.count ? first + 64 : s->symbol.count;
    memset(bits, 0, (size_t)nodes * sizeof *bits);
    for (int i = first; i < end; i++) bits[s->place.data[i]] = UINT64_C(1) << (i - first);
    for (int i = first < end ? s->place.data[first] : nodes; i < nodes; i++) {
        Expr e = walk_at(s->all, i);
        for (int k = 0; k < count_of(s->dag, e); k++)
            bits[i] |= bits[walk_place(s->all, args_of(s->dag, e)[k])];
    }
}

static void read_words(Search *s, int from, const uint64_t *word, int words) {
    for (int r = from; r < s->count; r++) {
        array_push(&s->out->first, s->out->symbol.count);
        for (int k = 0; k < words; k++)
            for (uint64_t left = word[(size_t)(r - from) * (size_t)words + (size_t)k]; left;
                 left &= left - 1)
                array_push(&s->out->symbol, s->symbol.data[64 * k + __builtin_ctzll(left)]);
    }
}

static void hand_up_roots(Search *s, int from, int words) {
    size_t room = (size_t)(s->count - from) * (size_t)words;
    uint64_t *bits = memory_zeroed((size_t)walk_count(s->all), sizeof *bits);
    uint64_t *word = memory_zeroed(room, sizeof *word);
    for (int k = 0; k < words; k++) {
        hand_up(s, 64 * k, bits);
        for (int r = from; r < s->count; r++)
            word[(size_t)(r - from) * (size_t)words + (size_t)k] =
                s->root[r] ? bits[walk_place(s->all, s->root[r])] : 0;
    }
    read_words(s, from, word, words);
    free(bits);
    free(word);
}

void expr_symbols_below(const Dag *d, const Expr *root, int n, SymbolLists *out) {
    enum { FEW = 16, MOST_WORDS = 1 << 24 }; // 128 MB; beyond that walks go on
    Search s = {.dag = d, .root = root, .count = n, .out = out};
    out->first.count = out->symbol.count = 0;
    int words = 0;
    int64_t budget = INT64_MAX;
    if (n > FEW) {
        find_all(&s);
        words = s.symbol.count / 64 + 1;
        if ((int64_t)words * n <= MOST_WORDS) budget = (int64_t)words * walk_count(s.all);
    }
    int done = walk_roots(&s, budget);
    if (done < n) hand_up_roots(&s, done, words);
    array_push(&out->first, out->symbol.count);
    walk_free(s.all);
    array_free(&s.symbol);
    array_free(&s.place);
}

void symbol_lists_free(SymbolLists *l) {
    array_free(&l->first);
    array_free(&l->symbol);
}
