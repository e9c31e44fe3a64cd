// See matrix_function.h: sizes, and which solver serves what.
#include "numeric/inside.h"

#include <math.h>
#include <string.h>

// --- sizes ---------------------------------------------------------------------------------------

const char *matrix_function_name(MatrixShape s) {
    static const char *const name[MATRIX_FUNCTIONS] = {
        [MATRIX_SOLVE] = "solve",
        [MATRIX_LYAP] = "lyap",
        [MATRIX_DLYAP] = "dlyap",
        [MATRIX_SYLVESTER] = "sylvester",
        [MATRIX_CARE] = "care",
        [MATRIX_DARE] = "dare",
        [MATRIX_EXPM] = "expm",
        [MATRIX_PLACE] = "place",
        [MATRIX_PLACE_RATE] = "place_rate",
    };
    return s.function == MATRIX_EXTERNAL ? s.external->name : name[s.function];
}

int matrix_input_count(MatrixShape s) {
    int n = s.n, m = s.m;
    switch (s.function) {
    case MATRIX_SOLVE: return n * n + n * m;
    case MATRIX_LYAP:
    case MATRIX_DLYAP: return 2 * n * n;
    case MATRIX_SYLVESTER: return n * n + m * m + n * m;
    case MATRIX_CARE:
    case MATRIX_DARE: return 2 * n * n + 2 * n * m + m * m;
    case MATRIX_EXPM: return n * n;
    case MATRIX_PLACE: return n * n + n * m + 2 * n;
    case MATRIX_PLACE_RATE: return 2 * (n * n + n * m + 2 * n);
    case MATRIX_EXTERNAL: return n;
    case MATRIX_FUNCTIONS: break;
    }
    return 0;
}

int matrix_output_count(MatrixShape s) {
    int n = s.n, m = s.m;
    if (s.function == MATRIX_EXTERNAL) return m;
    bool wide = s.function == MATRIX_SOLVE || s.function == MATRIX_SYLVESTER ||
                s.function == MATRIX_PLACE || s.function == MATRIX_PLACE_RATE;
    return wide ? n * m : n * n;
}

size_t matrix_work_count(MatrixShape s) {
    if (s.function == MATRIX_EXTERNAL) return 1;
    size_t side = 2 * (size_t)s.n + (size_t)s.m + 4;
    return 24 * side * side + 80 * side;
}

// --- matrices ------------------------------------------------------------------------------------

double *room_take(Room *r, int rows, int cols) {
    double *taken = r->next;
    r->next += (size_t)rows * (size_t)cols;
    return taken;
}

int *room_integers(Room *r, int count) { return (int *)room_take(r, count, 1); }

void multiply(char ta, char tb, int m, int n, int k, const double *a, const double *b, double *c) {
    const double one = 1, zero = 0;
    int lda = ta == 'T' ? k : m, ldb = tb == 'T' ? n : k;
    if (m && n && k)
        dgemm_(&ta, &tb, &m, &n, &k, &one, a, &lda, b, &ldb, &zero, c, &m, 1, 1);
    else if (m && n)
        memset(c, 0, (size_t)m * (size_t)n * sizeof *c);
}

void from_rows(int rows, int cols, const double *in, double *out) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) out[j * rows + i] = in[i * cols + j];
}

void to_rows(int rows, int cols, const double *in, double *out) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) out[i * cols + j] = in[j * rows + i];
}

void transpose_into(int n, const double *a, double *out) { from_rows(n, n, a, out); }

void symmetrise(int n, double *a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i] = 0.5 * (a[i * n + j] + a[j * n + i]);
}

double largest_entry(int count, const double *a) {
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(a[i]));
    return largest;
}

bool all_finite(int count, const double *a) {
    for (int i = 0; i < count; i++)
        if (!isfinite(a[i])) return false;
    return true;
}

bool is_symmetric(int n, const double *a) {
    double size = largest_entry(n * n, a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(a[i * n + j] - a[j * n + i]) > 1e-9 * size) return false;
    return true;
}

// --- functions -----------------------------------------------------------------------------------

static MatrixFault compute_solve(MatrixShape s, const double *in, double *out, Room room) {
    int n = s.n, m = s.m;
    double *a = room_take(&room, n, n), *b = room_take(&room, n, m);
    from_rows(n, n, in, a);
    from_rows(n, m, in + n * n, b);
    if (!solve_linear(n, m, a, b, room)) return MATRIX_SINGULAR;
    to_rows(n, m, b, out);
    return MATRIX_GOOD;
}

static MatrixFault compute_lyap(MatrixShape s, const double *in, double *out, Room room) {
    int n = s.n;
    double *a = room_take(&room, n, n), *q = room_take(&room, n, n), *x = room_take(&room, n, n);
    from_rows(n, n, in, a);
    from_rows(n, n, in + n * n, q);
    bool good =
        s.function == MATRIX_LYAP ? solve_lyap(n, a, q, x, room) : solve_dlyap(n, a, q, x, room);
    to_rows(n, n, x, out);
    return good ? MATRIX_GOOD : MATRIX_NOT_UNIQUE;
}

static MatrixFault compute_sylvester(MatrixShape s, const double *in, double *out, Room room) {
    int n = s.n, m = s.m;
    double *a = room_take(&room, n, n), *b = room_take(&room, m, m);
    double *c = room_take(&room, n, m), *x = room_take(&room, n, m);
    from_rows(n, n, in, a);
    from_rows(m, m, in + n * n, b);
    from_rows(n, m, in + n * n + m * m, c);
    bool good = solve_sylvester(n, m, a, b, c, x, room);
    to_rows(n, m, x, out);
    return good ? MATRIX_GOOD : MATRIX_NOT_UNIQUE;
}

static MatrixFault compute_riccati(MatrixShape s, const double *in, double *out, Room room) {
    int n = s.n, m = s.m;
    const int rows[5] = {n, n, n, m, n}, cols[5] = {n, m, n, m, m};
    double *part[5], *x = room_take(&room, n, n);
    for (int i = 0; i < 5; in += rows[i] * cols[i], i++) {
        part[i] = room_take(&room, rows[i], cols[i]);
        from_rows(rows[i], cols[i], in, part[i]);
    }
    if (!is_symmetric(n, part[2])) return MATRIX_Q_NOT_SYMMETRIC;
    if (!is_symmetric(m, part[3])) return MATRIX_R_NOT_SYMMETRIC;
    symmetrise(n, part[2]);
    symmetrise(m, part[3]);
    const double *const given[5] = {part[0], part[1], part[2], part[3], part[4]};
    MatrixFault fault = s.function == MATRIX_CARE ? solve_care(n, m, given, x, room)
                                                  : solve_dare(n, m, given, x, room);
    to_rows(n, n, x, out);
    return fault;
}

static MatrixFault compute_expm(MatrixShape s, const double *in, double *out, Room room) {
    int n = s.n;
    double *a = room_take(&room, n, n), *x = room_take(&room, n, n);
    from_rows(n, n, in, a);
    bool good = solve_expm(n, a, x, room);
    to_rows(n, n, x, out);
    return good ? MATRIX_GOOD : MATRIX_NOT_FINITE;
}

static MatrixFault compute_place(MatrixShape s, const double *in, double *out, Room room) {
    int n = s.n, m = s.m, all = n * n + n * m + 2 * n;
    bool rate = s.function == MATRIX_PLACE_RATE;
    double *k = room_take(&room, m, n), *part[4];
    for (int i = 0; i < (rate ? 4 : 2); i++) {
        bool is_a = i % 2 == 0;
        part[i] = room_take(&room, n, is_a ? n : m);
        from_rows(n, is_a ? n : m, in + (i / 2) * all + (is_a ? 0 : n * n), part[i]);
    }
    const double *p = in + n * n + n * m;
    MatrixFault fault;
    if (rate) {
        const double *const given[6] = {part[0], part[1], p, part[2], part[3], p + all};
        fault = solve_place_rate(n, m, given, k, room);
    } else {
        fault = solve_place(n, m, part[0], part[1], p, k, room);
    }
    to_rows(m, n, k, out);
    return fault;
}

static MatrixFault compute(MatrixShape s, const double *in, double *out, Room room) {
    switch (s.function) {
    case MATRIX_SOLVE: return compute_solve(s, in, out, room);
    case MATRIX_LYAP:
    case MATRIX_DLYAP: return compute_lyap(s, in, out, room);
    case MATRIX_SYLVESTER: return compute_sylvester(s, in, out, room);
    case MATRIX_CARE:
    case MATRIX_DARE: return compute_riccati(s, in, out, room);
    case MATRIX_EXPM: return compute_expm(s, in, out, room);
    case MATRIX_PLACE:
    case MATRIX_PLACE_RATE: return compute_place(s, in, out, room);
    case MATRIX_EXTERNAL:
        return s.external->compute(s.external, in, out) ? MATRIX_GOOD : MATRIX_FOREIGN;
    case MATRIX_FUNCTIONS: break;
    }
    return MATRIX_NOT_FINITE;
}

MatrixFault matrix_compute(MatrixShape s, const double *in, double *out, double *work) {
    int outputs = matrix_output_count(s);
    MatrixFault fault = MATRIX_NOT_FINITE;
    if (all_finite(matrix_input_count(s), in)) fault = compute(s, in, out, (Room){work});
    if (fault == MATRIX_GOOD && !all_finite(outputs, out)) fault = MATRIX_NOT_FINITE;
    for (int i = 0; i < outputs && fault != MATRIX_GOOD; i++) out[i] = NAN;
    return fault;
}
