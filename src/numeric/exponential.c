// exp(A) by scaling and squaring with the Pade approximant of degree 13 (Higham, SIAM J. Matrix
// Anal. Appl. 26, 2005): exp(A) = r(A/2^s)^(2^s), r = (V - U)^-1 (V + U), U odd and V even in A.
#include "numeric/inside.h"

#include <math.h>
#include <string.h>

static double column_norm(int n, const double *a) {
    double norm = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += fabs(a[j * n + i]);
        norm = fmax(norm, sum);
    }
    return norm;
}

// c0 + c1 a2 + c2 a4 + c3 a6, the unit matrix for c0
static void polynomial(int n, const double *const power[3], double c0, double c1, double c2,
                       double c3, double *out) {
    for (int i = 0; i < n * n; i++) out[i] = c1 * power[0][i] + c2 * power[1][i] + c3 * power[2][i];
    for (int i = 0; i < n; i++) out[i * n + i] += c0;
}

static void add_into(int count, const double *a, double *to) {
    for (int i = 0; i < count; i++) to[i] += a[i];
}

bool solve_expm(int n, const double *given, double *x, Room room) {
    static const double b[] = {64764752532480000,
                               32382376266240000,
                               7771770303897600,
                               1187353796428800,
                               129060195264000,
                               10559470521600,
                               670442572800,
                               33522128640,
                               1323241920,
                               40840800,
                               960960,
                               16380,
                               182,
                               1};
    const double theta = 5.371920351148152;
    double *a = room_take(&room, n, n), *a2 = room_take(&room, n, n), *a4 = room_take(&room, n, n);
    double *a6 = room_take(&room, n, n), *u = room_take(&room, n, n), *v = room_take(&room, n, n);
    double *w = room_take(&room, n, n), norm = column_norm(n, given);
    int squarings = norm > theta ? (int)ceil(log2(norm / theta)) : 0, count = n * n;
    if (squarings > 2000) return false;
    for (int i = 0; i < count; i++) a[i] = ldexp(given[i], -squarings);
    multiply('N', 'N', n, n, n, a, a, a2);
    multiply('N', 'N', n, n, n, a2, a2, a4);
    multiply('N', 'N', n, n, n, a2, a4, a6);
    const double *const power[3] = {a2, a4, a6};
    // U = A (A6 (b13 A6 + b11 A4 + b9 A2) + b7 A6 + b5 A4 + b3 A2 + b1)
    polynomial(n, power, 0, b[9], b[11], b[13], w);
    multiply('N', 'N', n, n, n, a6, w, v);
    polynomial(n, power, b[1], b[3], b[5], b[7], w);
    add_into(count, v, w);
    multiply('N', 'N', n, n, n, a, w, u);
    // V = A6 (b12 A6 + b10 A4 + b8 A2) + b6 A6 + b4 A4 + b2 A2 + b0
    polynomial(n, power, 0, b[8], b[10], b[12], w);
    multiply('N', 'N', n, n, n, a6, w, v);
    polynomial(n, power, b[0], b[2], b[4], b[6], w);
    add_into(count, w, v);
    for (int i = 0; i < count; i++) {
        x[i] = v[i] + u[i];
        w[i] = v[i] - u[i];
    }
    if (!solve_linear(n, n, w, x, room)) return false;
    for (int i = 0; i < squarings; i++) {
        multiply('N', 'N', n, n, n, x, x, w);
        memcpy(x, w, (size_t)count * sizeof *x);
    }
    return true;
}
