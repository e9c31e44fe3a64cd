#include "base/symmetric.h"

#include <math.h>
#include <stddef.h>

// Columns p and q of a matrix, turned by an angle with this cosine and sine.
static void turn_columns(int n, double *a, int p, int q, double cs, double sn) {
    for (int k = 0; k < n; k++) {
        double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = cs * x - sn * y;
        a[k * n + q] = sn * x + cs * y;
    }
}

void symmetric_turn(int n, double *a, double *v, int p, int q) {
    double angle = 0.5 * atan2(2 * a[n * p + q], a[n * q + q] - a[n * p + p]);
    double cs = cos(angle), sn = sin(angle);
    for (int k = 0; k < n; k++) {
        double x = a[n * p + k], y = a[n * q + k];
        a[n * p + k] = cs * x - sn * y;
        a[n * q + k] = sn * x + cs * y;
    }
    turn_columns(n, a, p, q, cs, sn);
    if (v) turn_columns(n, v, p, q, cs, sn);
}
