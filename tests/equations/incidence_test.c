// Matching and ordering on plain incidence: the structural examples of the literature, and shapes
// that break naive algorithms.
#include "../test.h"

#include "equations/incidence.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    Incidence a;
    int col_of_row[8], row_of_col[8], order[8], first[9], size, components;
} Solved;

// Rows as strings of 0 and 1.
static Solved solve(int rows, int cols, const char *const *text) {
    Solved s = {.a = {.row_count = rows, .col_count = cols}};
    s.a.start = calloc((size_t)rows + 1, sizeof(int));
    s.a.col = calloc((size_t)(rows * cols) + 1, sizeof(int));
    int n = 0;
    for (int r = 0; r < rows; r++) {
        s.a.start[r] = n;
        for (int c = 0; c < cols; c++)
            if (text[r][c] == '1') s.a.col[n++] = c;
    }
    s.a.start[rows] = n;
    s.size = incidence_match(&s.a, s.col_of_row, s.row_of_col);
    if (s.size == rows) s.components = incidence_components(&s.a, s.row_of_col, s.order, s.first);
    return s;
}

static void triangular_system_is_ordered(void **state) {
    (void)state;
    Solved s = solve(3, 3, (const char *const[]){"111", "010", "110"});
    assert_int_equal(s.size, 3);
    assert_int_equal(s.components, 3);
    assert_int_equal(s.order[0], 1);
    assert_int_equal(s.order[1], 2);
    assert_int_equal(s.order[2], 0);
    assert_int_equal(s.col_of_row[0], 2);
    assert_int_equal(s.col_of_row[1], 1);
    assert_int_equal(s.col_of_row[2], 0);
    incidence_free(&s.a);
}

static void loop_becomes_one_component(void **state) {
    (void)state;
    Solved s = solve(3, 3, (const char *const[]){"111", "110", "110"});
    assert_int_equal(s.components, 2);
    assert_int_equal(s.first[1], 2);
    assert_int_equal(s.order[0], 1);
    assert_int_equal(s.order[1], 2);
    assert_int_equal(s.order[2], 0);
    incidence_free(&s.a);
}

// The gear train: unknowns w1', w2', w3', phi8', w8.
static void constraint_finds_no_partner(void **state) {
    (void)state;
    Solved s = solve(5, 5, (const char *const[]){"11000", "00011", "00100", "00001", "00000"});
    assert_int_equal(s.size, 4);
    assert_int_equal(s.col_of_row[4], -1);
    incidence_free(&s.a);
}

static void differentiated_constraint_makes_a_block_of_two(void **state) {
    (void)state;
    Solved s = solve(
        6, 6, (const char *const[]){"110000", "000110", "001000", "000010", "000001", "110000"});
    assert_int_equal(s.size, 6);
    assert_int_equal(s.components, 5);
    int blocks = 0;
    for (int k = 0; k < s.components; k++)
        if (s.first[k + 1] - s.first[k] == 2) {
            blocks++;
            assert_int_equal(s.order[s.first[k]], 0);
            assert_int_equal(s.order[s.first[k] + 1], 5);
        }
    assert_int_equal(blocks, 1);
    incidence_free(&s.a);
}

static void surplus_and_shortage_are_smallest(void **state) {
    (void)state;
    int rows[8], cols[8], n_rows, n_cols;
    Solved s = solve(4, 4, (const char *const[]){"1000", "1000", "0111", "0010"});
    assert_int_equal(s.size, 3);
    int extra = s.col_of_row[0] < 0 ? 0 : 1;
    incidence_surplus(&s.a, s.row_of_col, extra, rows, &n_rows, cols, &n_cols);
    assert_int_equal(n_rows, 2);
    assert_int_equal(n_cols, 1);
    assert_int_equal(cols[0], 0);
    int open = s.row_of_col[1] < 0 ? 1 : 3;
    incidence_shortage(&s.a, s.col_of_row, open, rows, &n_rows, cols, &n_cols);
    assert_int_equal(n_rows, 1);
    assert_int_equal(rows[0], 2);
    assert_int_equal(n_cols, 2);
    incidence_free(&s.a);
}

// A chain where the obvious first choice of every row is wrong: one path through all of it.
static void long_chains_need_no_recursion(void **state) {
    (void)state;
    int n = 300000;
    Incidence a = {n, n, malloc((size_t)(n + 1) * sizeof(int)),
                   malloc((size_t)n * 2 * sizeof(int))};
    int at = 0;
    for (int r = 0; r < n; r++) {
        a.start[r] = at;
        a.col[at++] = r;
        if (r + 1 < n) a.col[at++] = r + 1;
    }
    a.start[n] = at;
    int *work = malloc((size_t)n * 4 * sizeof(int) + sizeof(int));
    assert_int_equal(incidence_match(&a, work, work + n), n);
    assert_int_equal(incidence_components(&a, work + n, work + 2 * n, work + 3 * n), n);
    for (int i = 0; i < n; i++) assert_int_equal(work[2 * n + i], n - 1 - i);
    free(work);
    incidence_free(&a);
}

// Dense random structures: the size must be that of a simple, slow search.
static bool simple_try(const Incidence *a, int r, bool *seen, int *row_of_col) {
    for (int k = a->start[r]; k < a->start[r + 1]; k++) {
        int c = a->col[k];
        if (seen[c]) continue;
        seen[c] = true;
        if (row_of_col[c] < 0 || simple_try(a, row_of_col[c], seen, row_of_col)) {
            row_of_col[c] = r;
            return true;
        }
    }
    return false;
}

static void matching_is_largest(void **state) {
    (void)state;
    unsigned seed = 7;
    for (int trial = 0; trial < 300; trial++) {
        enum { N = 30 };
        int start[N + 1], col[N * N], one[N], two[N], slow[N], size = 0, at = 0;
        for (int r = 0; r < N; r++) {
            start[r] = at;
            for (int c = 0; c < N; c++) {
                seed = seed * 1103515245u + 12345u;
                if ((seed >> 16) % N < 2) col[at++] = c;
            }
        }
        start[N] = at;
        Incidence a = {N, N, start, col};
        for (int c = 0; c < N; c++) slow[c] = -1;
        for (int r = 0; r < N; r++) {
            bool seen[N] = {false};
            size += simple_try(&a, r, seen, slow);
        }
        assert_int_equal(incidence_match(&a, one, two), size);
        for (int r = 0; r < N; r++)
            if (one[r] >= 0) assert_int_equal(two[one[r]], r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangular_system_is_ordered),
        cmocka_unit_test(loop_becomes_one_component),
        cmocka_unit_test(constraint_finds_no_partner),
        cmocka_unit_test(differentiated_constraint_makes_a_block_of_two),
        cmocka_unit_test(surplus_and_shortage_are_smallest),
        cmocka_unit_test(long_chains_need_no_recursion),
        cmocka_unit_test(matching_is_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
