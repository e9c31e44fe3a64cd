// A model that is drawn by mouse, against a list of its components and bonds: after every change
// the text has those of the list, every comment that it had, and every line that the change does
// not speak of. The first argument is the number of seeds.
#include "../test.h"

#include "service/draft.h"
#include "service/draw.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int seeds = 300;

static unsigned next(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// --- the oracle ----------------------------------------------------------------------------------

enum { MOST = 400 };
typedef struct {
    char part[MOST][16];
    int parts;
    char from[MOST][16], to[MOST][16];
    int bonds;
} Oracle;

static bool has_part(const Draft *d, const char *name) { return draft_component(d, name); }

static int count_comments(const Draft *d) {
    int n = 0;
    for (int i = 0; i < d->piece.count; i++) n += d->piece.data[i].comment;
    return n;
}

static int count_of(const Oracle *o, const char *from, const char *to) {
    int n = 0;
    for (int i = 0; i < o->bonds; i++) n += !strcmp(o->from[i], from) && !strcmp(o->to[i], to);
    return n;
}

static void compare(const Text *text, const Oracle *o, int comments) {
    Draft d;
    draft_open(&d, text_get(text), text->length, "");
    DraftBonds bonds = draft_bonds(&d);
    assert_non_null(d.class);
    if (bonds.count != o->bonds) print_message("%s\n", text_get(text));
    assert_int_equal(bonds.count, o->bonds);
    for (int i = 0; i < bonds.count; i++) {
        char from[16], to[16];
        snprintf(from, sizeof from, "%.*s", (int)(bonds.data[i].from.end - bonds.data[i].from.at),
                 d.text + bonds.data[i].from.at);
        snprintf(to, sizeof to, "%.*s", (int)(bonds.data[i].to.end - bonds.data[i].to.at),
                 d.text + bonds.data[i].to.at);
        int here = 0;
        for (int k = 0; k < bonds.count; k++)
            here +=
                span_is_of(&d, bonds.data[k].from, from) && span_is_of(&d, bonds.data[k].to, to);
        assert_int_equal(here, count_of(o, from, to));
    }
    int parts = 0;
    for (const AstItem *i = d.class->items; i; i = i->next) parts += i->kind == ITEM_COMPONENT;
    if (parts != o->parts) print_message("%s\n", text_get(text));
    assert_int_equal(parts, o->parts);
    for (int i = 0; i < o->parts; i++) assert_true(has_part(&d, o->part[i]));
    assert_int_equal(count_comments(&d), comments);
    array_free(&bonds);
    draft_close(&d);
}

// --- random models -------------------------------------------------------------------------------

static void add_part(Oracle *o, const char *name) { snprintf(o->part[o->parts++], 16, "%s", name); }

static void add_bond(Oracle *o, int from, int to) {
    memcpy(o->from[o->bonds], o->part[from], 16);
    memcpy(o->to[o->bonds++], o->part[to], 16);
}

static const char *gap(unsigned *seed) {
    static const char *const gaps[] = {", ", ",", ", // kept\n     ", ",\n   "};
    return gaps[next(seed) % 4];
}

static void write_bonds(Text *t, Oracle *o, unsigned *seed) {
    int groups = 2 + (int)(next(seed) % 3), before[3], befores = 0;
    text_add(t, "  ");
    for (int g = 0; g < groups; g++) {
        int now[3], count = 1 + (int)(next(seed) % 3);
        for (int i = 0; i < count; i++) {
            now[i] = (int)(next(seed) % (unsigned)o->parts);
            text_printf(t, "%s%s", i ? gap(seed) : "", o->part[now[i]]);
        }
        for (int a = 0; a < befores; a++)
            for (int b = 0; b < count; b++) add_bond(o, before[a], now[b]);
        if (g + 1 < groups) text_add(t, next(seed) % 5 ? " -> " : " -> // kept\n    ");
        memcpy(before, now, sizeof before);
        befores = count;
    }
    text_add(t, next(seed) % 3 ? "\n" : "   // kept\n");
}

static void random_model(Text *t, Oracle *o, unsigned *seed) {
    static const char *const type[] = {"R", "C", "1", "I"};
    text_add(t, "// kept\nimport electric\n\nmodel M \"m\" // kept\n  param x = 1, y = 2\n");
    int statements = 3 + (int)(next(seed) % 4);
    for (int k = 0, n = 0; k < statements; k++) {
        int which = (int)(next(seed) % 4), count = 1 + (int)(next(seed) % 3);
        text_printf(t, "  %s ", type[which]);
        for (int i = 0; i < count; i++) {
            char name[16];
            snprintf(name, sizeof name, "c%d", n++);
            text_printf(t, "%s%s%s", i ? gap(seed) : "", name,
                        which == 2       ? ""
                        : next(seed) % 2 ? "(1 {m}, f(x, y))"
                                         : "(x)");
            add_part(o, name);
        }
        text_add(t, next(seed) % 3 ? "\n" : " // kept\n");
    }
    for (int k = 0; k < 4; k++) write_bonds(t, o, seed);
    text_add(t, "  // kept\nend\n\nexperiment E of M\n  stop 1 {s}\nend\n");
}

// --- changes -------------------------------------------------------------------------------------

static void take_bond(Oracle *o, int i) {
    o->bonds--;
    memmove(o->from[i], o->from[i + 1], (size_t)(o->bonds - i) * 16);
    memmove(o->to[i], o->to[i + 1], (size_t)(o->bonds - i) * 16);
}

static void random_change(Text *t, Oracle *o, unsigned *seed) {
    const char *problem = NULL;
    int i = o->bonds ? (int)(next(seed) % (unsigned)o->bonds) : -1;
    int a = (int)(next(seed) % (unsigned)o->parts), b = (int)(next(seed) % (unsigned)o->parts);
    switch (next(seed) % 5) {
    case 0: {
        Text name = {0}, line = {0};
        fresh_name(&name, text_get(t), t->length, "R");
        text_printf(&line, "R %s(1)", text_get(&name));
        assert_true(draft_add(t, "M", text_get(&line), &problem));
        add_part(o, text_get(&name));
        text_free(&name);
        text_free(&line);
        break;
    }
    case 1:
        assert_true(draft_bond(t, "M", o->part[a], o->part[b], &problem));
        add_bond(o, a, b);
        break;
    case 2:
        if (i < 0) break;
        char from[16], to[16];
        snprintf(from, 16, "%s", o->from[i]);
        snprintf(to, 16, "%s", o->to[i]);
        assert_true(draft_unbond(t, "", from, to,
                                 (int)(next(seed) % (unsigned)count_of(o, from, to)), &problem));
        take_bond(o, i);
        break;
    case 3:
        if (i < 0) break;
        assert_true(draft_reroute(t, "M", o->from[i], o->to[i], 0, o->part[a], o->to[i], &problem));
        memcpy(o->from[i], o->part[a], 16);
        break;
    default:
        if (o->parts < 3) break;
        assert_true(draft_remove(t, "M", o->part[a], &problem));
        for (int k = o->bonds - 1; k >= 0; k--)
            if (!strcmp(o->from[k], o->part[a]) || !strcmp(o->to[k], o->part[a])) take_bond(o, k);
        o->parts--;
        memmove(o->part[a], o->part[a + 1], (size_t)(o->parts - a) * 16);
    }
}

static void apply(Text *out, const char *old, size_t length, const TextEdits *e) {
    uint32_t at = 0;
    for (int i = 0; i < e->count; i++) {
        assert_true(e->data[i].at >= at && e->data[i].end >= e->data[i].at);
        text_add_n(out, old + at, e->data[i].at - at);
        text_add(out, e->data[i].text);
        at = e->data[i].end;
    }
    text_add_n(out, old + at, length - at);
}

static void test_random(void **state) {
    (void)state;
    for (int k = 0; k < seeds; k++) {
        unsigned seed = (unsigned)k * 7919u + 1;
        Text t = {0};
        Oracle *o = calloc(1, sizeof *o);
        assert_non_null(o);
        random_model(&t, o, &seed);
        Draft d;
        draft_open(&d, text_get(&t), t.length, "");
        int comments = count_comments(&d);
        draft_close(&d);
        compare(&t, o, comments);
        for (int i = 0; i < 12; i++) {
            Text before = {0}, again = {0};
            text_add_n(&before, text_get(&t), t.length);
            random_change(&t, o, &seed);
            compare(&t, o, comments);
            TextEdits e = edits_between(text_get(&before), before.length, text_get(&t), t.length);
            apply(&again, text_get(&before), before.length, &e);
            assert_string_equal(text_get(&again), text_get(&t));
            text_edits_free(&e);
            text_free(&before);
            text_free(&again);
        }
        free(o);
        text_free(&t);
    }
}

// --- one by one ----------------------------------------------------------------------------------

static void start(Text *t, const char *text) {
    text_clear(t);
    text_add(t, text);
}

static void test_texts(void **state) {
    (void)state;
    Text t = {0};
    const char *problem = NULL;
    start(&t, "");
    assert_true(draft_add(&t, "", "1 j1", &problem));
    assert_true(draft_add(&t, "", "R r1(1)", &problem));
    assert_true(draft_bond(&t, "", "j1", "r1", &problem));
    assert_true(draft_add(&t, "", "I i1(1)", &problem));
    assert_true(draft_bond(&t, "", "j1", "i1", &problem));
    assert_string_equal(text_get(&t),
                        "model Drawing\n  1 j1\n  R r1(1)\n  I i1(1)\n  j1 -> r1, i1\nend\n");
    assert_true(draft_set(&t, "", "r1", "R", 0, "2 {ohm}", &problem));
    assert_true(draft_set(&t, "", "i1", "p0", 1, "3", &problem));
    assert_false(draft_set(&t, "", "i1", "p0", 1, "3) // x", &problem));
    assert_false(draft_set(&t, "", "i1", "p0", 1, "3, 4", &problem));
    assert_false(draft_set(&t, "", "i1", "p0", 1, "", &problem));
    assert_true(draft_unbond(&t, "", "j1", "r1", 0, &problem));
    assert_string_equal(
        text_get(&t),
        "model Drawing\n  1 j1\n  R r1(2 {ohm})\n  I i1(1, p0 = 3)\n  j1 -> i1\nend\n");
    assert_false(draft_unbond(&t, "", "j1", "r1", 0, &problem));
    assert_true(draft_remove(&t, "", "j1", &problem));
    assert_string_equal(text_get(&t), "model Drawing\n  R r1(2 {ohm})\n  I i1(1, p0 = 3)\nend\n");
    start(&t, "model A\n\tSe s = 1 {V} // source\n\t1 j\n\tTF tf(2)\n\t0 k\n\ts -> j -> tf -> k // "
              "chain\nend");
    assert_true(draft_set(&t, "", "s", "", 0, "sin(time)", &problem));
    assert_true(draft_unbond(&t, "", "j", "tf", 0, &problem));
    assert_true(draft_reroute(&t, "", "tf", "k", 0, "k", "tf", &problem));
    assert_string_equal(text_get(&t),
                        "model A\n\tSe s = sin(time) // source\n\t1 j\n\tTF tf(2)\n\t0 k\n\ts -> "
                        "j\n\tk -> tf // chain\nend");
    text_free(&t);
}

int main(int argc, char **argv) {
    if (argc > 1) seeds = atoi(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
