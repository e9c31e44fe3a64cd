#include "base/elimination.h"

#include <math.h>

static void swap(double *a, double *b) {
    double keep = *a;
    *a = *b;
    *b = keep;
}

bool elimination_solve(int n, double *a, double *x) {
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(a[r * n + c]) > fabs(a[best * n + c])) best = r;
        if (!(fabs(a[best * n + c]) > 0)) return false;
        for (int k = 0; k < n && best != c; k++) swap(&a[c * n + k], &a[best * n + k]);
        swap(&x[c], &x[best]);
        for (int r = 0; r < n; r++) {
            double factor = r == c ? 0 : a[r * n + c] / a[c * n + c];
            if (factor == 0) continue;
            for (int k = c; k < n; k++) a[r * n + k] -= factor * a[c * n + k];
            x[r] -= factor * x[c];
        }
    }
    for (int c = 0; c < n; c++) x[c] /= a[c * n + c];
    return true;
}
