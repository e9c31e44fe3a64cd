// Matrix algebra over expressions. Zeros and ones vanish as the entries simplify themselves, so the
// plain triple loop gives minimal code for sparse matrices too.
#include "expr/matrix.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

Matrix matrix_new(Arena *out, int rows, int cols) {
    assert(rows >= 0 && cols >= 0);
    return (Matrix){rows, cols, ARENA_ARRAY(out, Expr, (size_t)rows * (size_t)cols)};
}

Matrix matrix_scalar(Arena *out, Expr e) {
    Matrix m = matrix_new(out, 1, 1);
    m.at[0] = e;
    return m;
}

Matrix matrix_identity(Arena *out, Dag *d, int n) {
    Matrix m = matrix_new(out, n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) MATRIX_AT(m, i, j) = expr_number(d, i == j);
    return m;
}

Matrix matrix_add(Arena *out, Dag *d, Matrix a, Matrix b) {
    assert(a.rows == b.rows && a.cols == b.cols);
    Matrix m = matrix_new(out, a.rows, a.cols);
    for (int i = 0; i < m.rows * m.cols; i++) m.at[i] = expr_add(d, a.at[i], b.at[i]);
    return m;
}

Matrix matrix_sub(Arena *out, Dag *d, Matrix a, Matrix b) {
    assert(a.rows == b.rows && a.cols == b.cols);
    Matrix m = matrix_new(out, a.rows, a.cols);
    for (int i = 0; i < m.rows * m.cols; i++) m.at[i] = expr_sub(d, a.at[i], b.at[i]);
    return m;
}

Matrix matrix_scale(Arena *out, Dag *d, Matrix a, Expr by) {
    Matrix m = matrix_new(out, a.rows, a.cols);
    for (int i = 0; i < m.rows * m.cols; i++) m.at[i] = expr_mul(d, a.at[i], by);
    return m;
}

Matrix matrix_multiply(Arena *out, Dag *d, Matrix a, Matrix b) {
    assert(a.cols == b.rows);
    Matrix m = matrix_new(out, a.rows, b.cols);
    Expr *term = malloc((size_t)(a.cols + 1) * sizeof *term);
    if (!term) abort();
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) {
            for (int k = 0; k < a.cols; k++)
                term[k] = expr_mul(d, MATRIX_AT(a, i, k), MATRIX_AT(b, k, j));
            MATRIX_AT(m, i, j) = expr_sum(d, term, a.cols);
        }
    free(term);
    return m;
}

Matrix matrix_transpose(Arena *out, Matrix a) {
    Matrix m = matrix_new(out, a.cols, a.rows);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.cols; j++) MATRIX_AT(m, j, i) = MATRIX_AT(a, i, j);
    return m;
}

Matrix matrix_cross(Arena *out, Dag *d, Matrix a, Matrix b) {
    assert(a.rows * a.cols == 3 && b.rows * b.cols == 3);
    Matrix m = matrix_new(out, 3, 1);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        m.at[i] = expr_products_subtract(d, a.at[j], b.at[k], a.at[k], b.at[j]);
    }
    return m;
}

//            |  0  -a3  a2 |
// skew(a) =  |  a3  0  -a1 |
//            | -a2  a1  0  |
Matrix matrix_skew(Arena *out, Dag *d, Matrix a) {
    assert(a.rows * a.cols == 3);
    Matrix m = matrix_new(out, 3, 3);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        MATRIX_AT(m, i, i) = expr_number(d, 0);
        MATRIX_AT(m, k, j) = a.at[i];
        MATRIX_AT(m, j, k) = expr_neg(d, a.at[i]);
    }
    return m;
}

Expr matrix_dot(Dag *d, Matrix a, Matrix b) {
    int n = a.rows * a.cols;
    assert(n == b.rows * b.cols);
    Expr *term = malloc((size_t)(n + 1) * sizeof *term);
    if (!term) abort();
    for (int i = 0; i < n; i++) term[i] = expr_mul(d, a.at[i], b.at[i]);
    Expr sum = expr_sum(d, term, n);
    free(term);
    return sum;
}

// --- inverses ------------------------------------------------------------------------------------

static bool is_zero(const Dag *d, Expr e) {
    double value;
    return expr_is_number(d, e, &value) && value == 0;
}

static bool is_diagonal(const Dag *d, Matrix a) {
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.cols; j++)
            if (i != j && !is_zero(d, MATRIX_AT(a, i, j))) return false;
    return true;
}

static bool diagonal_inverse(Arena *out, Dag *d, Matrix a, Matrix *inverse) {
    Matrix m = matrix_identity(out, d, a.rows);
    for (int i = 0; i < a.rows; i++) {
        if (is_zero(d, MATRIX_AT(a, i, i))) return false;
        MATRIX_AT(m, i, i) = expr_div(d, expr_number(d, 1), MATRIX_AT(a, i, i));
    }
    *inverse = m;
    return true;
}

// The determinant of rows row[0..n) and columns col[0..n), by expansion along the first row; n
// <= 4.
static Expr minor_of(Dag *d, Matrix a, const int *row, const int *col, int n) {
    if (n == 0) return expr_number(d, 1);
    if (n == 1) return MATRIX_AT(a, row[0], col[0]);
    Expr term[4];
    for (int k = 0; k < n; k++) {
        int others[4], count = 0;
        for (int j = 0; j < n; j++)
            if (j != k) others[count++] = col[j];
        Expr entry = MATRIX_AT(a, row[0], col[k]);
        term[k] =
            is_zero(d, entry) ? entry : expr_mul(d, entry, minor_of(d, a, row + 1, others, n - 1));
        if (k % 2) term[k] = expr_neg(d, term[k]);
    }
    return expr_sum(d, term, n);
}

static int all_but(int *list, int n, int left_out) {
    int count = 0;
    for (int i = 0; i < n; i++)
        if (i != left_out) list[count++] = i;
    return count;
}

// inverse(i, j) = (-1)^(i+j) minor(without row j, without column i) / determinant
static bool cofactor_inverse(Arena *out, Dag *d, Matrix a, Matrix *inverse) {
    int n = a.rows, row[4], col[4], all[4];
    all_but(all, n, -1);
    Expr determinant = minor_of(d, a, all, all, n);
    if (is_zero(d, determinant)) return false;
    Matrix m = matrix_new(out, n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            all_but(row, n, j);
            all_but(col, n, i);
            Expr minor = minor_of(d, a, row, col, n - 1);
            if ((i + j) % 2) minor = expr_neg(d, minor);
            MATRIX_AT(m, i, j) = expr_div(d, minor, determinant);
        }
    *inverse = m;
    return true;
}

// The row to divide by: the largest number of the column, else the first that is not zero.
static int pivot_row(const Dag *d, Matrix a, int k) {
    int best = -1;
    double largest = 0, value;
    for (int i = k; i < a.rows; i++) {
        if (is_zero(d, MATRIX_AT(a, i, k))) continue;
        bool number = expr_is_number(d, MATRIX_AT(a, i, k), &value);
        if (best < 0 || (number && fabs(value) > largest)) best = i;
        if (number) largest = fmax(largest, fabs(value));
    }
    return best;
}

static void swap_rows(Matrix a, int i, int k) {
    for (int j = 0; j < a.cols && i != k; j++) {
        Expr e = MATRIX_AT(a, i, j);
        MATRIX_AT(a, i, j) = MATRIX_AT(a, k, j);
        MATRIX_AT(a, k, j) = e;
    }
}

// One step of Bareiss: a(i,j) = (pivot*a(i,j) - a(i,k)*a(k,j))/previous pivot, in all rows but k.
static void eliminate(Dag *d, Matrix a, int k, Expr previous) {
    Expr pivot = MATRIX_AT(a, k, k);
    for (int i = 0; i < a.rows; i++) {
        Expr factor = MATRIX_AT(a, i, k);
        for (int j = 0; j < a.cols && i != k; j++) {
            Expr e =
                expr_products_subtract(d, pivot, MATRIX_AT(a, i, j), factor, MATRIX_AT(a, k, j));
            MATRIX_AT(a, i, j) = expr_div(d, e, previous);
        }
    }
}

// [ a | 1 ] -> [ det*1 | adjoint ], fraction-free (Bareiss, Jordan form): every entry on the way is
// a minor of a, so entries neither grow nor lose their meaning.
static bool elimination_inverse(Arena *out, Dag *d, Matrix a, Matrix *inverse) {
    int n = a.rows;
    Matrix w = matrix_new(out, n, 2 * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            MATRIX_AT(w, i, j) = MATRIX_AT(a, i, j);
            MATRIX_AT(w, i, n + j) = expr_number(d, i == j);
        }
    Expr previous = expr_number(d, 1);
    for (int k = 0; k < n; k++) {
        int pivot = pivot_row(d, w, k);
        if (pivot < 0) return false;
        swap_rows(w, pivot, k);
        eliminate(d, w, k, previous);
        previous = MATRIX_AT(w, k, k);
    }
    Matrix m = matrix_new(out, n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            MATRIX_AT(m, i, j) = expr_div(d, MATRIX_AT(w, i, n + j), previous);
    *inverse = m;
    return true;
}

bool matrix_inverse(Arena *out, Dag *d, Matrix a, Matrix *inverse) {
    assert(a.rows == a.cols);
    if (is_diagonal(d, a)) return diagonal_inverse(out, d, a, inverse);
    return a.rows <= 4 ? cofactor_inverse(out, d, a, inverse)
                       : elimination_inverse(out, d, a, inverse);
}

// Laplace's expansion column by column: minors of the first columns by the set of their rows.
Expr matrix_determinant(Arena *scratch, Dag *d, Matrix a) {
    int n = a.rows;
    assert(n == a.cols && n < 20);
    Expr *minor = ARENA_ARRAY(scratch, Expr, (size_t)1 << n);
    minor[0] = expr_number(d, 1);
    for (unsigned rows = 1; rows < 1u << n; rows++) {
        int column = -1, above = 0;
        for (int i = 0; i < n; i++) column += rows >> i & 1;
        minor[rows] = expr_number(d, 0);
        for (int i = 0; i < n; i++) {
            if (!(rows >> i & 1)) continue;
            Expr entry = MATRIX_AT(a, i, column), rest = minor[rows & ~(1u << i)];
            bool minus = (column + above++) % 2;
            if (is_zero(d, entry) || is_zero(d, rest)) continue;
            Expr term = expr_mul(d, entry, rest);
            minor[rows] = minus ? expr_sub(d, minor[rows], term) : expr_add(d, minor[rows], term);
        }
    }
    return minor[(1u << n) - 1];
}
