// Rows that pass through: blocks, thinned rows and curves of bounded size against the whole.
#include "bench.h"

#include "results/trace.h"
#include "run/times.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SWING                                                                                      \
    "model Swing\n"                                                                                \
    "  I mass(1 {kg})\n"                                                                           \
    "  C spring(0.25, q0 = 0.1 {m})\n"                                                             \
    "  1 v\n"                                                                                      \
    "  v -> mass, spring\n"                                                                        \
    "end\n"                                                                                        \
    "experiment Free of Swing\n"                                                                   \
    "  every 1e-3 {s}\n"                                                                           \
    "  solver rk4 step 1e-3 {s}\n"                                                                 \
    "  record mass.p, spring.q\n"                                                                  \
    "  plot mass.p, spring.q\n"                                                                    \
    "  plot mass.p vs spring.q\n"                                                                  \
    "  expect max(spring.q) = 0.1 {m} within 1e-9\n"                                               \
    "  expect min(mass.p) = -0.2 {N.s} within 1e-9\n"

// --- blocks --------------------------------------------------------------------------------------

typedef struct {
    double *row; // time, p, q
    long rows, blocks, refuse_at;
} Taken;

static bool take(void *context, const Results *block) {
    Taken *t = context;
    for (int i = 0; i < block->row_count; i++)
        for (int c = 0; c < 3; c++) t->row[3 * (t->rows + i) + c] = block->column[c].value[i];
    t->rows += block->row_count;
    return ++t->blocks != t->refuse_at;
}

static void blocks_hold_what_the_whole_does(void **state) {
    (void)state;
    static const char text[] = SWING "  stop 100 {s}\n  expect spring.q(12.3456789 {s}) = (0.1*cos("
                                     "2*12.3456789)) {m} within 1e-9\nend\n";
    Bench whole, parts;
    Taken t = {.row = malloc(sizeof(double) * 3 * 100001)};
    bench_run(&whole, text, NULL);
    bench_run(&parts, text, &(RunOptions){.rows = take, .rows_context = &t});
    assert_true(t.blocks > 2);
    take(&t, &parts.run->results); // the rest
    assert_int_equal(t.rows, 100001);
    assert_int_equal(parts.run->rows, 100001);
    assert_int_equal(whole.run->rows, 100001);
    assert_true(parts.run->results.complete);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < t.rows; i++)
            assert_true(t.row[3 * i + c] == whole.run->results.column[c].value[i]);
    assert_int_equal(parts.run->verdict_count, 3);
    assert_int_equal(parts.run->failed_count, 0);
    for (int i = 0; i < 3; i++)
        assert_true(parts.run->verdict[i].left == whole.run->verdict[i].left);
    bench_close(&whole);
    bench_close(&parts);
    free(t.row);
}

static void refused_rows_end_the_run(void **state) {
    (void)state;
    Bench b;
    Taken t = {.row = malloc(sizeof(double) * 3 * 100001), .refuse_at = 2};
    bench_run(&b, SWING "  stop 100 {s}\nend\n", &(RunOptions){.rows = take, .rows_context = &t});
    assert_int_equal(t.blocks, 2);
    assert_true(b.run->rows_lost);
    assert_false(b.run->results.complete);
    bench_close(&b);
    free(t.row);
}

static void thinned_rows_lie_evenly(void **state) {
    (void)state;
    Bench b;
    bench_run(&b, SWING "  stop 99.9 {s}\nend\n", &(RunOptions){.most_rows = 1000});
    const Results *r = &b.run->results;
    const double *time = r->column[0].value;
    assert_int_equal(b.run->rows, 99901);
    assert_true(r->row_count > 500 && r->row_count <= 1000);
    for (int i = 0; i + 2 < r->row_count; i++) assert_near(time[i + 1] - time[i], 0.128, 1e-9);
    assert_near(time[0], 0, 0);
    assert_near(time[r->row_count - 1], 99.9, 0);
    bench_close(&b);
}

// --- times ---------------------------------------------------------------------------------------

static void extra_times_fall_into_place(void **state) {
    (void)state;
    double extra[] = {0.35, 0.1, 0.35, 0.30000000000001, 0.9, 1};
    Times t = times_make(0, 1, 0.3, 4, 2, extra, 6);
    static const double expected[] = {0, 0.1, 0.15, 0.3, 0.35, 0.45, 0.6, 0.75, 0.9, 0.95, 1};
    assert_int_equal(times_count(&t), 11);
    TimesCursor c = {0};
    double time;
    bool row;
    for (int i = 0; i < 11; i++) {
        assert_true(times_next(&t, &c, &time, &row));
        assert_near(time, expected[i], 1e-15);
        assert_int_equal(row, i == 0 || i == 3 || i == 6 || i == 8 || i == 10);
        assert_int_equal(times_index(&t, time), i);
    }
    assert_false(times_next(&t, &c, &time, &row));
    assert_int_equal(times_index(&t, 0.30000000000001), 3);
}

// --- curves --------------------------------------------------------------------------------------

static void spikes_survive(void **state) {
    (void)state;
    enum { ROWS = 3000000 };
    Trace t = {0};
    for (int i = 0; i < ROWS; i++) {
        double y = sin(i * 0.37);
        if (i == 777777) y = 5;
        if (i == 2222222) y = -7;
        if (i >= 1500000 && i < 1510000) y = NAN;
        trace_add(&t, i, y);
    }
    Arena out = {0};
    const double *x, *y;
    int n = trace_points(&t, &out, &x, &y), high = 0, low = 0, gaps = 0;
    assert_true(n > 2000 && n < 25000);
    for (int i = 0, last = -1; i < n; i++) {
        gaps += isnan(y[i]);
        if (isnan(y[i])) continue;
        if (last >= 0) assert_true(x[i] > x[last]);
        if (last >= 0) assert_true(x[i] - x[last] < (gaps ? 12000 : 2000));
        last = i;
        high += y[i] == 5 && x[i] == 777777;
        low += y[i] == -7 && x[i] == 2222222;
    }
    assert_true(high == 1 && low == 1 && gaps >= 1 && gaps < 30);
    assert_true(x[n - 1] == ROWS - 1);
    arena_free(&out);
    trace_free(&t);
}

// A spiral that grows by a factor of e^8: every kept point lies on it, and no place is left out.
static void curves_that_turn_back_fill_their_cells(void **state) {
    (void)state;
    enum { ROWS = 2000000, SECTORS = 90 };
    Trace t = {0};
    for (int i = 0; i < ROWS; i++) {
        double u = (double)i / ROWS, r = exp(8 * u), angle = 400 * u;
        trace_add(&t, r * cos(angle), r * sin(angle));
    }
    Arena out = {0};
    const double *x, *y;
    int n = trace_points(&t, &out, &x, &y);
    bool seen[SECTORS] = {0};
    assert_true(n < 530000);
    for (int i = 0; i < n; i++) {
        if (isnan(x[i])) continue;
        double r = hypot(x[i], y[i]), off = atan2(y[i], x[i]) - 50 * log(r);
        assert_near(off - 2 * acos(-1) * round(off / (2 * acos(-1))), 0, 1e-6);
        if (r > 2000) seen[(int)((atan2(y[i], x[i]) / acos(-1) + 1) / 2 * (SECTORS - 1e-9))] = true;
    }
    for (int i = 0; i < SECTORS; i++) assert_true(seen[i]);
    assert_near(x[n - 1], exp(8) * cos(400), 1);
    arena_free(&out);
    trace_free(&t);
}

// --- memory --------------------------------------------------------------------------------------

static bool write_rows(void *context, const Results *block) {
    Report r = {0};
    bool good = writer_add(context, block, &r);
    report_free(&r);
    return good;
}

static void long_run(const char *stop, const char *path, int answer) {
    char text[2000];
    snprintf(text, sizeof text, "%s  stop %s {s}\nend\n", SWING, stop);
    Bench b;
    Report r = {0};
    ResultWriter *w = csv_open(path, &r);
    bench_run(&b, text, &(RunOptions){.rows = write_rows, .rows_context = w, .engine = ENGINE_VM});
    bool good = writer_close(w, &b.run->results, &r) && b.run->failed_count == 0 &&
                b.run->status == SOLVE_DONE;
    bench_close(&b);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    good = write(answer, &used.ru_maxrss, sizeof used.ru_maxrss) > 0 && good;
    _exit(!good);
}

static long peak_kilobytes(const char *stop) {
    char path[] = "/tmp/bondyn_rows_XXXXXX";
    int file = mkstemp(path), status = -1, way[2];
    close(file);
    long peak = 0;
    assert_int_equal(pipe(way), 0);
    pid_t child = fork();
    if (child == 0) long_run(stop, path, way[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    unlink(path);
    assert_int_equal(status, 0);
    assert_int_equal(read(way[0], &peak, sizeof peak), sizeof peak);
    close(way[0]);
    close(way[1]);
    return peak;
}

// Ten times the steps, all recorded and drawn: the memory of the process is the same but for what
// the allocator rounds (a list of the rows would be 27 MB more).
static void memory_does_not_grow_with_the_run(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    skip(); // freed memory is kept for a while there
#endif
    long small = peak_kilobytes("100"), large = peak_kilobytes("1000");
    if (large > small + 600) fail_msg("%ld kB for 10^5 steps, %ld kB for 10^6", small, large);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_hold_what_the_whole_does),
        cmocka_unit_test(refused_rows_end_the_run),
        cmocka_unit_test(thinned_rows_lie_evenly),
        cmocka_unit_test(extra_times_fall_into_place),
        cmocka_unit_test(spikes_survive),
        cmocka_unit_test(curves_that_turn_back_fill_their_cells),
        cmocka_unit_test(memory_does_not_grow_with_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
