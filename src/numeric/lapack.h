// LAPACK and BLAS by their own names: their C headers are not everywhere. Matrices lie column by
// column here.
#ifndef BONDYN_NUMERIC_LAPACK_H
#define BONDYN_NUMERIC_LAPACK_H

#include <complex.h>
#include <stddef.h>

typedef double _Complex Complex16;

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t, size_t);
void dgees_(const char *vectors, const char *sort, int (*select)(const double *, const double *),
            const int *n, double *a, const int *lda, int *sdim, double *wr, double *wi, double *vs,
            const int *ldvs, double *work, const int *lwork, int *bwork, int *info, size_t, size_t);
void zgees_(const char *vectors, const char *sort, int (*select)(const Complex16 *), const int *n,
            Complex16 *a, const int *lda, int *sdim, Complex16 *w, Complex16 *vs, const int *ldvs,
            Complex16 *work, const int *lwork, double *rwork, int *bwork, int *info, size_t,
            size_t);
void dgges_(const char *left, const char *right, const char *sort,
            int (*select)(const double *, const double *, const double *), const int *n, double *a,
            const int *lda, double *b, const int *ldb, int *sdim, double *ar, double *ai,
            double *beta, double *vsl, const int *ldvsl, double *vsr, const int *ldvsr,
            double *work, const int *lwork, int *bwork, int *info, size_t, size_t, size_t);
void dtrsyl_(const char *ta, const char *tb, const int *sign, const int *m, const int *n,
             const double *a, const int *lda, const double *b, const int *ldb, double *c,
             const int *ldc, double *scale, int *info, size_t, size_t);
void dgesv_(const int *n, const int *columns, double *a, const int *lda, int *pivot, double *b,
            const int *ldb, int *info);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
void dgetrs_(const char *trans, const int *n, const int *columns, const double *a, const int *lda,
             const int *pivot, double *b, const int *ldb, int *info, size_t);
void dgecon_(const char *norm, const int *n, const double *a, const int *lda, const double *anorm,
             double *rcond, double *work, int *iwork, int *info, size_t);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dpotrs_(const char *uplo, const int *n, const int *columns, const double *a, const int *lda,
             double *b, const int *ldb, int *info, size_t);
void zgesvd_(const char *jobu, const char *jobv, const int *m, const int *n, Complex16 *a,
             const int *lda, double *s, Complex16 *u, const int *ldu, Complex16 *vt,
             const int *ldvt, Complex16 *work, const int *lwork, double *rwork, int *info, size_t,
             size_t);
void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t, size_t);

#endif
