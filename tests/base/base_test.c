#include "../test.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/files.h"
#include "base/keywords.h"
#include "base/names.h"
#include "base/report.h"
#include "base/symmetric.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void arena_gives_zeroed_aligned_memory(void **state) {
    (void)state;
    Arena a = {0};
    for (int i = 1; i < 2000; i++) {
        unsigned char *p = arena_alloc(&a, (size_t)i, 3);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (int k = 0; k < 3 * i; k++) assert_int_equal(p[k], 0);
        memset(p, 0xff, 3 * (size_t)i);
    }
    arena_free(&a);
    assert_null(a.block);
}

static void equal_names_are_equal_numbers(void **state) {
    (void)state;
    Names *n = names_new();
    Name first = name_of(n, "spring.e");
    for (int i = 0; i < 5000; i++) name_printf(n, "r[%d].e", i);
    assert_int_equal(name_of(n, "spring.e"), first);
    assert_int_equal(name_find(n, "r[4999].e"), name_printf(n, "r[%d].e", 4999));
    assert_int_equal(name_find(n, "never"), 0);
    assert_string_equal(name_text(n, first), "spring.e");
    names_free(n);
}

static void names_order_by_number_within_text(void **state) {
    (void)state;
    assert_true(name_compare("r[2]", "r[10]") < 0);
    assert_true(name_compare("a", "b") < 0);
    assert_true(name_compare("a", "ab") < 0);
    assert_int_equal(name_compare("x12y", "x12y"), 0);
    assert_true(name_compare("x012", "x12") != 0);
}

static void distance_counts_typing_mistakes(void **state) {
    (void)state;
    assert_int_equal(name_distance("sprnig", "spring", 3), 1);
    assert_int_equal(name_distance("mass", "mess", 3), 1);
    assert_int_equal(name_distance("mass", "damper", 2), 3);
}

static void report_shows_place_word_and_help(void **state) {
    (void)state;
    Sources *s = sources_new();
    const char *text = "model M\n  I mss(m)\nend\n";
    uint32_t file = sources_add(s, "m.bond", text, strlen(text));
    Report r = {0};
    Remark *m = report_error(&r, T_CANNOT_READ, ((Pos){file, 12}), "no '%s'", "mss");
    remark_note(&r, m, ((Pos){file, 0}), "in this model");
    remark_help(&r, m, "write mass");
    Text out = {0};
    report_print(&out, &r, s);
    assert_string_equal(text_get(&out), "m.bond:2:5: error T001: no 'mss'\n"
                                        "     2 |   I mss(m)\n"
                                        "       |     ^^^\n"
                                        "m.bond:1:1: note: in this model\n"
                                        "     1 | model M\n"
                                        "       | ^^^^^\n"
                                        "  help: write mass\n");
    text_clear(&out);
    report_json(&out, &r, s);
    assert_non_null(strstr(text_get(&out), "\"line\": 2, \"column\": 5"));
    text_free(&out);
    report_free(&r);
    sources_free(s);
}

static void carets_count_characters(void **state) {
    (void)state;
    Sources *s = sources_new();
    const char *text = "x = \"gr\xc3\xbc\xc3\x9f\" + y\r\n";
    uint32_t file = sources_add(s, "m.bond", text, strlen(text));
    Report r = {0};
    report_error(&r, T_CANNOT_READ, ((Pos){file, (uint32_t)(strchr(text, 'y') - text)}), "no y");
    Text out = {0};
    report_print(&out, &r, s);
    assert_string_equal(text_get(&out), "m.bond:1:14: error T001: no y\n"
                                        "     1 | x = \"gr\xc3\xbc\xc3\x9f\" + y\n"
                                        "       |              ^\n");
    text_free(&out);
    report_free(&r);
    sources_free(s);
}

static void long_lines_are_cut_between_characters(void **state) {
    (void)state;
    Text line = {0};
    for (int i = 0; i < 200; i++) text_add(&line, "\xc3\xbc");
    text_add(&line, "y");
    for (int i = 0; i < 200; i++) text_add(&line, "\xc3\xbc");
    Sources *s = sources_new();
    uint32_t file = sources_add(s, "m.bond", text_get(&line), line.length);
    Report r = {0};
    report_error(&r, T_CANNOT_READ, ((Pos){file, 400}), "no y");
    text_clear(&line);
    report_print(&line, &r, s);
    const char *shown = strstr(text_get(&line), "1 | ") + 4, *caret = strstr(shown, "| ") + 2;
    int before = 0, spaces = (int)strspn(caret, " ");
    for (const char *c = shown; *c != 'y'; c++) before += begins_character(*c);
    assert_true(begins_character(*shown));
    assert_int_equal(before, spaces);
    text_free(&line);
    report_free(&r);
    sources_free(s);
}

static void the_same_is_said_once_per_line(void **state) {
    (void)state;
    Sources *s = sources_new();
    const char *text = "x = y + y + z\nx = y\n";
    uint32_t file = sources_add(s, "m.bond", text, strlen(text));
    Report r = {0};
    for (uint32_t i = 0; text[i]; i++)
        if (text[i] == 'y' || text[i] == 'z')
            report_error(&r, T_CANNOT_READ, ((Pos){file, i}), "no %c", text[i]);
    int errors, warnings;
    report_count(&r, s, &errors, &warnings);
    assert_int_equal(r.errors, 4);
    assert_int_equal(errors, 3);
    assert_int_equal(warnings, 0);
    report_free(&r);
    sources_free(s);
}

static void decimals_read_back(void **state) {
    (void)state;
    uint64_t random = 88172645463325252u;
    Text t = {0};
    for (int i = 0; i < 20000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        double x;
        memcpy(&x, &random, sizeof x);
        if (i % 2) x = (double)(int64_t)random * 1e-18; // near 1, where results mostly are
        if (x != x) continue;
        text_clear(&t);
        text_number(&t, x);
        assert_true(strtod(text_get(&t), NULL) == x);
    }
    text_free(&t);
}

static void numbers_print_shortest(void **state) {
    (void)state;
    Text t = {0};
    text_number(&t, 0.1);
    text_char(&t, ' ');
    text_number(&t, 1.0 / 3.0);
    const double others[] = {60,   1e-3,   1e-5,      123456,           1e20, -2.5,   0, 1e15,
                             -0.0, 5e-324, 0.1 + 0.2, 1234567890123456, 1e23, 1.0e300};
    for (int i = 0; i < 14; i++) {
        text_char(&t, ' ');
        text_number(&t, others[i]);
    }
    assert_string_equal(text_get(&t),
                        "0.1 0.3333333333333333 60 0.001 1e-05 123456 1e+20 -2.5 0 1e+15 -0 "
                        "5e-324 0.30000000000000004 1234567890123456 1e+23 1e+300");
    text_free(&t);
}

static void files_are_written_whole(void **state) {
    (void)state;
    Report r = {0};
    Arena a = {0};
    char folder[] = "/tmp/bondyn_base_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *deep = path_join(&a, folder, "a/b");
    assert_true(folder_make(deep, &r));
    char *path = path_join(&a, deep, "file.txt");
    assert_true(file_write(path, "hello", 5, &r));
    size_t length;
    assert_string_equal(file_read(&a, path, &length, &r, POS_NONE), "hello");
    assert_null(file_read(&a, folder, &length, &r, POS_NONE));
    int count;
    char **list = folder_files(&a, deep, ".txt", &count);
    assert_int_equal(count, 1);
    assert_string_equal(list[0], path);
    folder_files(&a, "/no/such/folder", ".txt", &count);
    assert_int_equal(count, 0);
    assert_false(file_write("/no/such/folder/x", "a", 1, &r));
    assert_int_equal(r.errors, 2);
    assert_string_equal(path_base(path), "file.txt");
    assert_string_equal(path_stem(&a, path), "file");
    assert_string_equal(path_folder(&a, "x/y.z"), "x");
    assert_string_equal(path_folder(&a, "y.z"), ".");
    unlink(path);
    rmdir(deep);
    rmdir(path_folder(&a, deep));
    rmdir(folder);
    arena_free(&a);
    report_free(&r);
}

// Jacobi's rotations leave the eigenvalues of a symmetric matrix on the diagonal,
// and the eigenvectors in the columns: A V = V D.
static void rotations_find_eigenvectors(void **state) {
    (void)state;
    static const double given[9] = {4, 1, -2, 1, 2, 0.5, -2, 0.5, 3};
    double a[9], v[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(a, given, sizeof a);
    for (int round = 0; round < 10; round++)
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 3; q++) symmetric_turn(3, a, v, p, q);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double product = 0;
            for (int k = 0; k < 3; k++) product += given[3 * i + k] * v[3 * k + j];
            assert_near(product, v[3 * i + j] * a[4 * j], 1e-14);
            if (i != j) assert_near(a[3 * i + j], 0, 1e-15);
        }
    double b[4] = {2, 1, 1, 2};
    symmetric_turn(2, b, NULL, 0, 1);
    assert_near(b[1], 0, 1e-15);
    assert_near(b[0] * b[3], 3, 1e-14);
}

static void keywords_are_known(void **state) {
    (void)state;
    assert_true(is_keyword("and"));
    assert_true(is_keyword("lagrangian"));
    assert_true(is_keyword("within"));
    assert_false(is_keyword("And"));
    assert_false(is_keyword("joint"));
    assert_false(is_keyword(""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_gives_zeroed_aligned_memory),
        cmocka_unit_test(equal_names_are_equal_numbers),
        cmocka_unit_test(names_order_by_number_within_text),
        cmocka_unit_test(distance_counts_typing_mistakes),
        cmocka_unit_test(report_shows_place_word_and_help),
        cmocka_unit_test(carets_count_characters),
        cmocka_unit_test(long_lines_are_cut_between_characters),
        cmocka_unit_test(the_same_is_said_once_per_line),
        cmocka_unit_test(decimals_read_back),
        cmocka_unit_test(numbers_print_shortest),
        cmocka_unit_test(files_are_written_whole),
        cmocka_unit_test(rotations_find_eigenvectors),
        cmocka_unit_test(keywords_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
