// The kernels of solve/vectors.c give every bit that those of SUNDIALS give. Dense matrices have
// pivots of their own: what they solve is right row by row.
#include "../test.h"

#include "solve/vectors.h"
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

// Often one of those that kernels have cases for.
static double number(void) {
    static unsigned long long seed = 1;
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    unsigned bits = (unsigned)(seed >> 33);
    static const double special[] = {0, 1, -1, 2, -2};
    return bits % 7 < 5 ? special[bits % 7] : (double)bits / 2147483648.0 - 0.3;
}

static N_Vector pair(N_Vector *theirs, int n, SUNContext context) {
    N_Vector own = vectors_new(n, context);
    *theirs = N_VNew_Serial(n, context);
    for (int i = 0; i < n; i++) NV_DATA_S(own)[i] = N_VGetArrayPointer(*theirs)[i] = number();
    return own;
}

static bool same(N_Vector a, N_Vector b) {
    return memcmp(NV_DATA_S(a), NV_DATA_S(b), (size_t)NV_LENGTH_S(a) * sizeof(double)) == 0;
}

static void compare_vectors(int n, SUNContext context) {
    N_Vector tx, ty, x = pair(&tx, n, context), y = pair(&ty, n, context);
    N_Vector z = N_VClone(x), tz = N_VClone(tx);
    double a = number(), b = number(), c[3] = {a, b, number()};
    N_VLinearSum(a, x, b, y, z);
    N_VLinearSum(a, tx, b, ty, tz);
    assert_true(same(z, tz));
    N_VLinearSum(a, x, 1, z, z);
    N_VLinearSum(a, tx, 1, tz, tz);
    assert_true(same(z, tz));
    N_VScale(b, z, z);
    N_VScale(b, tz, tz);
    assert_true(same(z, tz));
    N_VLinearCombination(3, c, (N_Vector[]){x, y, x}, z);
    N_VLinearCombination(3, c, (N_Vector[]){tx, ty, tx}, tz);
    assert_true(same(z, tz));
    N_VScaleAddMulti(2, c, z, (N_Vector[]){x, y}, (N_Vector[]){x, y});
    N_VScaleAddMulti(2, c, tz, (N_Vector[]){tx, ty}, (N_Vector[]){tx, ty});
    N_VScaleVectorArray(2, c, (N_Vector[]){x, y}, (N_Vector[]){x, y});
    N_VScaleVectorArray(2, c, (N_Vector[]){tx, ty}, (N_Vector[]){tx, ty});
    assert_true(same(x, tx) && same(y, ty));
    assert_true(N_VWrmsNorm(x, y) == N_VWrmsNorm(tx, ty));
    N_Vector all[] = {x, y, z, tx, ty, tz};
    for (int i = 0; i < 6; i++) N_VDestroy(all[i]);
}

// (1 + c A) x = y, the way BDF does it.
static bool solve(SUNMatrix a, SUNLinearSolver s, N_Vector x, N_Vector y, double c) {
    SUNMatrix kept = SUNMatClone(a);
    SUNMatZero(kept);
    SUNMatCopy(a, kept);
    SUNMatScaleAddI(c, kept);
    bool good = SUNLinSolSetup(s, kept) == 0 && SUNLinSolSolve(s, kept, x, y, 0) == 0;
    SUNMatDestroy(kept);
    return good;
}

// Is every row of (1 + c A) x = y right to the rounding of its own terms, however large other rows
// are?
static bool rows_hold(SUNMatrix a, N_Vector x, N_Vector y, double c) {
    int n = (int)SM_ROWS_D(a);
    for (int i = 0; i < n; i++) {
        double rest = -NV_Ith_S(y, i), terms = fabs(rest);
        for (int k = 0; k < n; k++) {
            double term = (c * SM_ELEMENT_D(a, i, k) + (i == k)) * NV_Ith_S(x, k);
            rest += term;
            terms += fabs(term);
        }
        if (!(fabs(rest) <= 1e-11 * terms)) return false;
    }
    return true;
}

static void solve_matrices(int n, SUNContext context) {
    N_Vector ty, y = pair(&ty, n, context), x = N_VClone(y);
    SUNMatrix a = vectors_matrix(n, context);
    SUNLinearSolver s = vectors_solver(y, a, context);
    for (int i = 0; i < n * n; i++)
        SM_DATA_D(a)[i] = ldexp(number(), 12 * (i % n % 5)); // rows of many sizes
    double c = number();
    assert_true(!solve(a, s, x, y, c) || rows_hold(a, x, y, c));
    SUNLinSolFree(s);
    SUNMatDestroy(a);
    N_Vector all[] = {x, y, ty};
    for (int i = 0; i < 3; i++) N_VDestroy(all[i]);
}

// c A + 1 of a sparse A whose pattern has the diagonal.
static void compare_sparse(int n, SUNContext context) {
    sunindextype start[24] = {0}, row[23 * 23];
    for (int k = 0; k < n; k++) {
        start[k + 1] = start[k];
        for (int i = 0; i < n; i++)
            if (i == k || number() > 0) row[start[k + 1]++] = i;
    }
    SUNMatrix a = vectors_sparse(n, start, row, context);
    SUNMatrix ta = SUNSparseMatrix(n, n, start[n], CSC_MAT, context);
    memcpy(SM_INDEXPTRS_S(ta), start, ((size_t)n + 1) * sizeof *start);
    memcpy(SM_INDEXVALS_S(ta), row, (size_t)start[n] * sizeof *row);
    for (int i = 0; i < start[n]; i++) SM_DATA_S(a)[i] = SM_DATA_S(ta)[i] = number();
    double c = number();
    SUNMatrix b = SUNMatClone(a), tb = SUNMatClone(ta);
    SUNMatZero(b);
    assert_true(SUNMatCopy(a, b) == 0 && SUNMatCopy(ta, tb) == 0);
    assert_true(SUNMatScaleAddI(c, b) == 0 && SUNMatScaleAddI(c, tb) == 0);
    size_t count = (size_t)start[n];
    assert_memory_equal(SM_INDEXPTRS_S(b), SM_INDEXPTRS_S(tb), ((size_t)n + 1) * sizeof *start);
    assert_memory_equal(SM_INDEXVALS_S(b), SM_INDEXVALS_S(tb), count * sizeof *row);
    for (size_t i = 0; i < count; i++) assert_true(SM_DATA_S(b)[i] == SM_DATA_S(tb)[i]);
    SUNMatrix all[] = {a, ta, b, tb};
    for (int i = 0; i < 4; i++) SUNMatDestroy(all[i]);
}

static void gives_the_same_bits(void **state) {
    (void)state;
    SUNContext context;
    assert_true(SUNContext_Create(NULL, &context) == 0);
    for (int i = 0; i < 500; i++) {
        compare_vectors(1 + i % 23, context);
        solve_matrices(1 + i % 23, context);
        compare_sparse(1 + i % 23, context);
    }
    SUNContext_Free(&context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
