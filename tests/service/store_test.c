// Random edits of random texts against a plain string, and places against counting by hand:
// characters of one to four bytes, all kinds of ends of lines. The first argument is the number of
// seeds.
#include "../test.h"

#include "service/analysis.h"
#include "service/answers.h"
#include "service/format.h"
#include <stdlib.h>
#include <string.h>

static unsigned next(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void random_text(Text *t, unsigned *seed, int pieces) {
    static const char *const piece[] = {
        "a",  "xyz",   "\n",   "\r\n", "\xc3\xbc", "\xe2\x86\x92", "\xf0\x9f\x8f\x97",
        " ",  "{m}",   "// c", "\r",   "R r(1)\n", "model A\n",    "end\n",
        "->", "\"s\"", "1.5",  "["};
    while (pieces-- > 0) text_add(t, piece[next(seed) % (sizeof piece / sizeof piece[0])]);
}

// Counted letter by letter from a list of lines.
static Place place_by_hand(const char *text, size_t at) {
    Place p = {0, 0};
    for (size_t i = 0; i < at;) {
        unsigned char c = (unsigned char)text[i];
        size_t n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
        if (c == '\r' && text[i + 1] == '\n') {
            i++;
            if (i == at) p.column++; // between the two
        } else if (c == '\n' || c == '\r') {
            p = (Place){p.line + 1, 0};
            i++;
        } else {
            p.column += n == 4 ? 2 : 1;
            i += n;
        }
    }
    return p;
}

static size_t random_place(const Text *t, unsigned *seed) {
    size_t at = t->length ? next(seed) % (t->length + 1) : 0;
    const char *s = text_get(t);
    while (at && (((unsigned char)s[at] & 0xc0) == 0x80 || (s[at] == '\n' && s[at - 1] == '\r')))
        at--;
    return at;
}

static int seeds = 200;

static void test_places(void **state) {
    (void)state;
    for (int k = 0; k < seeds; k++) {
        unsigned seed = (unsigned)k;
        Text t = {0};
        random_text(&t, &seed, 30);
        for (int i = 0; i < 20; i++) {
            size_t at = random_place(&t, &seed);
            Place p = place_of(text_get(&t), t.length, at), q = place_by_hand(text_get(&t), at);
            assert_int_equal(p.line, q.line);
            assert_int_equal(p.column, q.column);
            assert_int_equal(offset_of(text_get(&t), t.length, p), at);
        }
        text_free(&t);
    }
}

static void test_edits(void **state) {
    (void)state;
    for (int k = 0; k < seeds; k++) {
        unsigned seed = (unsigned)k + 7;
        Text plain = {0};
        random_text(&plain, &seed, 10);
        Store *s = store_new(NULL);
        Document *d = store_open(s, "/none/a.bond", text_get(&plain), plain.length, 1);
        for (int i = 0; i < 20; i++) {
            size_t a = random_place(&plain, &seed), b = random_place(&plain, &seed);
            size_t from = a < b ? a : b, to = a < b ? b : a;
            Text added = {0}, next_text = {0};
            random_text(&added, &seed, (int)(next(&seed) % 4));
            text_add_n(&next_text, text_get(&plain), from);
            text_add_n(&next_text, text_get(&added), added.length);
            text_add_n(&next_text, text_get(&plain) + to, plain.length - to);
            store_change(s, d, from, to, text_get(&added), added.length);
            text_free(&plain);
            text_free(&added);
            plain = next_text;
            assert_int_equal(d->text.length, plain.length);
            assert_memory_equal(text_get(&d->text), text_get(&plain), plain.length);
        }
        store_free(s);
        text_free(&plain);
    }
}

// What is formatted is formatted the second time, and has the letters that it had.
static void test_format(void **state) {
    (void)state;
    for (int k = 0; k < seeds; k++) {
        unsigned seed = (unsigned)k + 77;
        Text t = {0}, once = {0}, twice = {0};
        Report r = {0};
        random_text(&t, &seed, 25);
        if (format_text(&once, text_get(&t), t.length, &r)) {
            assert_true(format_text(&twice, text_get(&once), once.length, &r));
            assert_string_equal(text_get(&once), text_get(&twice));
        }
        report_free(&r);
        text_free(&t);
        text_free(&once);
        text_free(&twice);
    }
}

// Questions at every place of a text that is cut off anywhere.
static void test_cut(void **state) {
    (void)state;
    static const char text[] =
        "import electric\nmodel A \"x\"\n  param m = 1 {kg}\n  Resistor r(R = m*2 {ohm/kg})\n"
        "  1 v\n  v -> r.p\n  for i in 1:2\n    0 n[i]\n  end\nend\n"
        "experiment E of A\n  set r.R = 2\n  record r.*, v.f\n  stop 1 {s}\nend\n";
    for (size_t cut = 0; cut < sizeof text; cut += 3) {
        Store *s = store_new(BONDYN_SOURCE "/library");
        Document *d =
            store_open(s, "/none/a.bond", text, cut < sizeof text - 1 ? cut : sizeof text - 1, 1);
        analysis_step(document_analysis(d));
        for (uint32_t at = cut > 20 ? (uint32_t)cut - 20 : 0; at <= cut; at++) {
            Text hover = {0};
            uint32_t from, to;
            hover_at(&hover, d, at, &from, &to);
            Offers o = completion_at(d, at);
            offers_free(&o);
            text_free(&hover);
        }
        Tints tints = tints_of(d);
        for (int i = 1; i < tints.count; i++)
            assert_true(tints.data[i].at >= tints.data[i - 1].end);
        array_free(&tints);
        store_free(s);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) seeds = atoi(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places), cmocka_unit_test(test_edits),
                                       cmocka_unit_test(test_format), cmocka_unit_test(test_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
