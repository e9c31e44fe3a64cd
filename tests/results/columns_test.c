// Results in files: what is written can be read, and wrong files are refused with a reason.
#include "../test.h"

#include "base/files.h"
#include "results/columns.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Results *sample(int rows) {
    Results *r = results_new();
    results_make_room(r, 4, rows);
    r->row_count = rows;
    r->model = "Spring", r->experiment = "Step", r->solver = "cvode", r->source = "a b.bond";
    const char *names[] = {"time", "v.f", "K[1,2]", "odd \"name\""};
    const char *units[] = {"s", "m/s", "", "N.m"};
    for (int c = 0; c < 4; c++) {
        r->column[c].name = names[c];
        r->column[c].unit = units[c];
    }
    r->column[1].text = "speed: of the mass";
    for (int i = 0; i < rows; i++) {
        r->column[0].value[i] = i * 0.1;
        r->column[1].value[i] = sin(i) / 3;
        r->column[2].value[i] = i * 1e300;
        r->column[3].value[i] = i % 7 == 3 ? NAN : -INFINITY;
    }
    return r;
}

static char *scratch(const char *suffix) {
    static char path[64];
    snprintf(path, sizeof path, "/tmp/bondyn_results_%ld%s", (long)getpid(), suffix);
    return path;
}

static void assert_same(const Results *a, const Results *b) {
    assert_int_equal(a->column_count, b->column_count);
    assert_int_equal(a->row_count, b->row_count);
    assert_int_equal(a->complete, b->complete);
    assert_string_equal(a->model, b->model);
    assert_string_equal(a->experiment, b->experiment);
    assert_string_equal(a->solver, b->solver);
    assert_string_equal(a->source, b->source);
    for (int c = 0; c < a->column_count; c++) {
        assert_string_equal(a->column[c].name, b->column[c].name);
        assert_string_equal(a->column[c].unit, b->column[c].unit);
        assert_string_equal(a->column[c].text, b->column[c].text);
        for (int i = 0; i < a->row_count; i++) {
            double x = a->column[c].value[i], y = b->column[c].value[i];
            assert_true(x == y || (isnan(x) && isnan(y)));
        }
    }
}

static void round_trip(int rows, bool complete, const char *suffix) {
    Report report = {0};
    Results *r = sample(rows);
    r->complete = complete;
    char *path = scratch(suffix);
    bool h5 = strcmp(suffix, ".h5") == 0;
    assert_true(h5 ? results_write_hdf5(r, path, &report) : results_write_csv(r, path, &report));
    Results *back = h5 ? results_read_hdf5(path, &report) : results_read_csv(path, &report);
    assert_non_null(back);
    assert_same(r, back);
    assert_int_equal(report.errors, 0);
    results_free(back);
    results_free(r);
    report_free(&report);
    remove(path);
}

static void csv_reads_back_to_the_last_bit(void **state) {
    (void)state;
    round_trip(300, true, ".csv");
    round_trip(1, false, ".csv");
    round_trip(0, true, ".csv");
}

static void hdf5_reads_back_to_the_last_bit(void **state) {
    (void)state;
    round_trip(40000, true, ".h5");
    round_trip(1, false, ".h5");
    round_trip(0, true, ".h5");
}

static Results *read_text(const char *text, Report *report) {
    char *path = scratch(".txt");
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    Results *r = results_read_csv(path, report);
    remove(path);
    return r;
}

static void csv_of_other_tools_is_read(void **state) {
    (void)state;
    Report report = {0};
    Results *r =
        read_text("\xef\xbb\xbf\"time\"; \"x\" ;y [m/s]\r\n0;1;2e-3\r\n\r\n 1 ; 2 ;3\r\n", &report);
    assert_non_null(r);
    assert_int_equal(r->column_count, 3);
    assert_int_equal(r->row_count, 2);
    assert_string_equal(r->column[1].name, "x");
    assert_string_equal(r->column[2].unit, "m/s");
    assert_near(r->column[2].value[1], 3, 0);
    results_free(r);
    report_free(&report);
}

static void refused(const char *text, Code code, const char *part) {
    Report report = {0};
    assert_null(read_text(text, &report));
    assert_int_equal(report.errors, 1);
    assert_int_equal(report.first->code, code);
    assert_non_null(strstr(report.first->message, part));
    report_free(&report);
}

static void bad_csv_is_refused_with_its_line(void **state) {
    (void)state;
    refused("", R_NO_RESULTS, "no line of names");
    refused("# model: a\n\n", R_NO_RESULTS, "no line of names");
    refused("time,x\n0,1\n1\n", R_ROW_WIDTH, "line 3: 1 cell");
    refused("time,x\n0,1,2\n", R_ROW_WIDTH, "line 2: 3 cells");
    refused("time,x\n0,1\n1,\n", R_NOT_A_NUMBER, "line 3");
    refused("time,x\n0,1\n1,2x\n", R_NOT_A_NUMBER, "'2x' in column 'x'");
    refused("time,x\n1,1\n0,1\n", R_TIME_FALLS, "line 3");
    refused("time,x\nnan,1\n", R_TIME_FALLS, "line 2");
    refused("model M\n  1 v\nend\n", R_NOT_A_NUMBER, "'1 v'");
}

static void bad_hdf5_is_refused(void **state) {
    (void)state;
    Report report = {0};
    assert_null(results_read_hdf5("/tmp/no such file.h5", &report));
    assert_int_equal(report.first->code, T_CANNOT_READ);
    char *path = scratch(".h5");
    assert_true(file_write(path, "hello", 5, &report));
    assert_null(results_read_hdf5(path, &report));
    assert_int_equal(report.last->code, R_HDF5);
    remove(path);
    report_free(&report);
}

// Every file that is cut off is refused or read, without a crash.
static void cut_hdf5_does_no_harm(void **state) {
    (void)state;
    Report report = {0};
    Results *r = sample(50);
    char *path = scratch(".h5");
    assert_true(results_write_hdf5(r, path, &report));
    Arena tmp = {0};
    size_t length = 0;
    char *data = file_read(&tmp, path, &length, &report, POS_NONE);
    for (size_t n = 0; n < length; n += 509) {
        Report quiet = {0};
        assert_true(file_write(path, data, n, &quiet));
        results_free(results_read_hdf5(path, &quiet));
        report_free(&quiet);
    }
    remove(path);
    results_free(r);
    arena_free(&tmp);
    report_free(&report);
}

static void unwritable_places_are_reported(void **state) {
    (void)state;
    Report report = {0};
    Results *r = sample(2);
    assert_false(results_write_csv(r, "/no/such/folder/x.csv", &report));
    assert_int_equal(report.last->code, T_CANNOT_WRITE);
    assert_false(results_write_hdf5(r, "/no/such/folder/x.h5", &report));
    assert_int_equal(report.last->code, R_HDF5);
    results_free(r);
    report_free(&report);
}

static Results *line(const char *name, int rows, double step, double offset) {
    Results *r = results_new();
    results_make_room(r, 2, rows);
    r->row_count = rows;
    r->column[0].name = "time";
    r->column[1].name = name;
    for (int i = 0; i < rows; i++) {
        r->column[0].value[i] = i * step;
        r->column[1].value[i] = 2 * i * step + offset;
    }
    return r;
}

static void comparison_interpolates_and_finds_the_largest(void **state) {
    (void)state;
    Arena out = {0};
    Report report = {0};
    Difference *d;
    Results *a = line("x", 101, 0.01, 0), *b = line("x", 11, 0.1, 1e-4);
    assert_int_equal(results_compare(&out, a, b, 0, 1e-3, &d, &report), 1);
    assert_true(d[0].pass);
    assert_near(d[0].largest, 1e-4, 1e-12);
    b->column[1].value[5] += 0.5;
    assert_int_equal(results_compare(&out, a, b, 0.1, 1e-3, &d, &report), 1);
    assert_false(d[0].pass);
    assert_near(d[0].largest, 0.5001, 1e-9);
    assert_near(d[0].at_time, 0.5, 1e-12);
    assert_near(d[0].bound, 0.1 * 2 + 1e-3, 1e-12);
    b->column[1].value[5] = NAN;
    results_compare(&out, a, b, 0.1, 1e-3, &d, &report);
    assert_false(d[0].pass);
    assert_int_equal(report.errors, 0);
    results_free(a);
    results_free(b);
    arena_free(&out);
    report_free(&report);
}

static void comparison_reports_what_it_cannot_compare(void **state) {
    (void)state;
    Arena out = {0};
    Report report = {0};
    Difference *d;
    Results *a = line("x", 11, 0.1, 0), *b = line("y", 11, 0.1, 0), *c = line("x", 6, 0.1, 0);
    assert_int_equal(results_compare(&out, a, b, 0, 1, &d, &report), 0);
    assert_int_equal(report.errors, 1);
    assert_int_equal(report.first->code, R_COLUMN_MISSING);
    assert_int_equal(results_compare(&out, a, c, 0, 1, &d, &report), 1);
    assert_int_equal(report.last->code, R_NOT_COVERED);
    a->column[1].unit = "m";
    c->column[1].unit = "mm";
    assert_int_equal(results_compare(&out, a, c, 0, 1, &d, &report), 0);
    assert_int_equal(report.last->code, R_UNITS_DIFFER);
    results_free(a);
    results_free(b);
    results_free(c);
    arena_free(&out);
    report_free(&report);
}

static void comparison_keeps_both_sides_of_a_jump(void **state) {
    (void)state;
    Arena out = {0};
    Report report = {0};
    Difference *d;
    Results *a = line("x", 4, 1, 0), *b = line("x", 4, 1, 0);
    const double time[] = {0, 1, 1, 2}, value[] = {0, 0, 5, 5};
    for (int i = 0; i < 4; i++) {
        a->column[0].value[i] = b->column[0].value[i] = time[i];
        a->column[1].value[i] = b->column[1].value[i] = value[i];
    }
    assert_int_equal(results_compare(&out, a, b, 0, 0, &d, &report), 1);
    assert_true(d[0].pass);
    results_free(a);
    results_free(b);
    arena_free(&out);
    report_free(&report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_reads_back_to_the_last_bit),
        cmocka_unit_test(hdf5_reads_back_to_the_last_bit),
        cmocka_unit_test(csv_of_other_tools_is_read),
        cmocka_unit_test(bad_csv_is_refused_with_its_line),
        cmocka_unit_test(bad_hdf5_is_refused),
        cmocka_unit_test(cut_hdf5_does_no_harm),
        cmocka_unit_test(unwritable_places_are_reported),
        cmocka_unit_test(comparison_interpolates_and_finds_the_largest),
        cmocka_unit_test(comparison_reports_what_it_cannot_compare),
        cmocka_unit_test(comparison_keeps_both_sides_of_a_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
