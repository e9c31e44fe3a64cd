// Tables from files of data: what is read from which text, in SI units.
#include "../test.h"

#include "lang/csv_table.h"
#include <string.h>

typedef struct {
    Arena arena;
    Report report;
    Names *names;
    Sources *sources;
    AstFormal formal;
    AstClass table;
} Case;

static void read_csv(Case *c, const char *text, size_t length, const char *column,
                     const char *over) {
    *c = (Case){.names = names_new(), .sources = sources_new()};
    c->table = (AstClass){.kind = CLASS_TABLE, .formals = &c->formal, .formal_count = 1};
    c->table.column = name_of(c->names, column);
    c->table.over[0] = over ? name_of(c->names, over) : 0;
    uint32_t source = sources_add(c->sources, "t.csv", text, length);
    table_from_csv(&c->arena, c->names, c->sources, source, &c->table, &c->report);
}

static void close_case(Case *c) {
    report_free(&c->report);
    sources_free(c->sources);
    names_free(c->names);
    arena_free(&c->arena);
}

static void expect_rows(const char *text, const char *column, const char *over, int count,
                        const double *x, const double *y) {
    Case c;
    read_csv(&c, text, strlen(text), column, over);
    assert_int_equal(c.report.errors, 0);
    assert_non_null(c.table.data);
    assert_int_equal(c.table.data->count, count);
    for (int i = 0; i < count; i++) {
        assert_near(c.table.data->x[i], x[i], 1e-15); // one rounding of a unit
        assert_near(c.table.data->y[i], y[i], 1e-9);
    }
    close_case(&c);
}

static void every_way_to_write_the_same_file(void **state) {
    (void)state;
    static const char *const text[] = {
        "t,p\n0,1\n0.5,2.5e5\n2,-3\n",
        "\xef\xbb\xbf# comment\r\n\r\nt,p\r\n0,1\r\n0.5,2.5e5\r\n2,-3\r\n\r\n",
        "t;p\n0;1\n0.5;2.5e5\n2;-3",
        "t\tp\n0\t1\n0.5\t2.5e5\n2\t-3\n\n\n",
        "\"t\" , \"p\"\n \"0\",\"1\"\n0.5,+2.5E+05\n# between\n2.0,-3.\n,\n,,\n",
        "p,t\n1,0\n250000,.5\n-3,2\n",
    };
    double x[] = {0, 0.5, 2}, y[] = {1, 2.5e5, -3};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        expect_rows(text[i], "p", i == 5 ? "t" : NULL, 3, x, y);
}

static void units_of_the_file_become_si(void **state) {
    (void)state;
    double x[] = {0, 0.5, 2}, y[] = {1e5, 2e5, 3e5}, celsius[] = {273.15, 293.15, 373.15};
    const char *text = "time [ms], \"p, a {bar}\", T [degC]\n0, 1, 0\n500, 2, 20\n2000, 3, 100\n";
    expect_rows(text, "p, a", NULL, 3, x, y);
    expect_rows(text, "T", "time", 3, x, celsius);
    Case c;
    read_csv(&c, text, strlen(text), "p, a", NULL);
    assert_true(c.table.has_unit && c.formal.has_unit); // the table takes them from the file
    assert_near(c.table.unit.scale, 1e5, 0);
    close_case(&c);
}

static void quotes_inside_names(void **state) {
    (void)state;
    double x[] = {0, 1}, y[] = {2, 3};
    expect_rows("t,\"the \"\"big\"\" one\"\n0,2\n1,3\n", "the \"big\" one", NULL, 2, x, y);
}

static void bad_files_have_a_place(void **state) {
    (void)state;
    static const struct {
        const char *text;
        Code code;
        int line, column;
    } bad[] = {
        {"t,p\n0,1\n1,x\n", L_CSV_VALUE, 3, 3},     {"t,p\n0,1\n1\n", L_CSV_VALUE, 3, 1},
        {"t,p\n0,1\n1,nan\n", L_CSV_VALUE, 3, 3},   {"t,p\n0,1\n1,0x10\n", L_CSV_VALUE, 3, 3},
        {"t,p\n0,1\n1,1e400\n", L_CSV_VALUE, 3, 3}, {"t,p\n0,1\n1,1-2\n", L_CSV_VALUE, 3, 3},
        {"t,p\n1,1\n0,2\n", L_TABLE, 3, 1},         {"t,p\n1,1\n1,2\n", L_TABLE, 3, 1},
        {"t,p [m/]\n1,1\n1,2\n", L_CSV_UNIT, 1, 6}, {"t,p\n0,1\n1,\a\n", L_CSV_TEXT, 3, 3},
        {"1,2\n3,4\n", L_CSV_COLUMN, 1, 1},         {"t,p,p\n3,4,5\n", L_CSV_COLUMN, 1, 5},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Case c;
        read_csv(&c, bad[i].text, strlen(bad[i].text), "p", NULL);
        assert_null(c.table.data);
        assert_int_equal(c.report.errors, 1);
        assert_int_equal(c.report.first->code, bad[i].code);
        LineColumn at = source_line_column(c.sources, c.report.first->pos);
        assert_int_equal(at.line, bad[i].line);
        assert_int_equal(at.column, bad[i].column);
        close_case(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_write_the_same_file),
        cmocka_unit_test(units_of_the_file_become_si),
        cmocka_unit_test(quotes_inside_names),
        cmocka_unit_test(bad_files_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
