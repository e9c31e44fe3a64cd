// Andrews' squeezing mechanism by hand: angles beta, Theta, gamma, Phi, delta, Omega, epsilon,
// their rates, and six multipliers of the closed loops, whose constraints are differentiated twice
// (index 1).
#include "ivp.h"

#include <math.h>

enum { ANGLES = 7, LOOPS = 6 };

static const double d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ra = 92e-5,
                    ss = 35e-3, u = 4e-2, zf = 2e-2, zt = 4e-2, fa = 1421e-5;

static void masses(const double *q, double m[ANGLES][ANGLES]) {
    static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050,
                        m6 = 0.00706, m7 = 0.05498;
    static const double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5,
                        i6 = 5.667e-7, i7 = 1.912e-5;
    static const double sa = 1874e-5, sb = 1043e-5, ta = 2308e-5, tb = 916e-5, ua = 1228e-5,
                        ub = 449e-5;
    double a = e - ea, b = zf - fa, along = zt * a * sin(q[3]), across = u * b * sin(q[5]);
    for (int i = 0; i < ANGLES * ANGLES; i++) m[i / ANGLES][i % ANGLES] = 0;
    m[0][0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos(q[1]) + da * da) + i1 + i2;
    m[0][1] = m[1][0] = m2 * (da * da - da * rr * cos(q[1])) + i2;
    m[1][1] = m2 * da * da + i2;
    m[2][2] = m3 * (sa * sa + sb * sb) + i3;
    m[3][3] = m4 * a * a + i4;
    m[3][4] = m[4][3] = m4 * (a * a + along) + i4;
    m[4][4] = m4 * (zt * zt + 2 * along + a * a) + m5 * (ta * ta + tb * tb) + i4 + i5;
    m[5][5] = m6 * b * b + i6;
    m[5][6] = m[6][5] = m6 * (b * b - across) + i6;
    m[6][6] = m6 * (b * b - 2 * across + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;
}

static void forces(const double *q, const double *v, double *f) {
    static const double m2 = 0.00365, m4 = 0.00706, m6 = 0.00706, c0 = 4530, l0 = 7785e-5;
    static const double xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072, sc = 18e-3, sd = 2e-2;
    double a = e - ea, b = zf - fa;
    double x = sd * cos(q[2]) + sc * sin(q[2]) + xb - xc;
    double y = sd * sin(q[2]) - sc * cos(q[2]) + yb - yc;
    double length = hypot(x, y), pull = -c0 * (length - l0) / length;
    f[0] = 0.033 - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sin(q[1]);
    f[1] = m2 * da * rr * v[0] * v[0] * sin(q[1]);
    f[2] =
        pull * x * (sc * cos(q[2]) - sd * sin(q[2])) + pull * y * (sd * cos(q[2]) + sc * sin(q[2]));
    f[3] = m4 * zt * a * v[4] * v[4] * cos(q[3]);
    f[4] = -m4 * zt * a * v[3] * (v[3] + 2 * v[4]) * cos(q[3]);
    f[5] = -m6 * u * b * v[6] * v[6] * cos(q[5]);
    f[6] = m6 * u * b * v[5] * (v[5] + 2 * v[6]) * cos(q[5]);
}

// Rows of the constraints, and what is left of their second derivative without accelerations.
static void loops(const double *q, const double *v, double g[LOOPS][ANGLES], double *rest) {
    double bt = q[0] + q[1], pd = q[3] + q[4], oe = q[5] + q[6];
    double w2 = (v[0] + v[1]) * (v[0] + v[1]), pd2 = (v[3] + v[4]) * (v[3] + v[4]);
    double oe2 = (v[5] + v[6]) * (v[5] + v[6]), v4 = v[4] * v[4], v6 = v[6] * v[6];
    double x = -rr * cos(q[0]) * v[0] * v[0] + d * cos(bt) * w2;
    double y = -rr * sin(q[0]) * v[0] * v[0] + d * sin(bt) * w2;
    for (int k = 0; k < LOOPS; k++) {
        for (int i = 2; i < ANGLES; i++) g[k][i] = 0;
        g[k][0] = k % 2 ? rr * cos(q[0]) - d * cos(bt) : -rr * sin(q[0]) + d * sin(bt);
        g[k][1] = k % 2 ? -d * cos(bt) : d * sin(bt);
    }
    g[0][2] = -ss * cos(q[2]);
    g[1][2] = -ss * sin(q[2]);
    g[2][3] = -e * cos(pd), g[2][4] = -e * cos(pd) + zt * sin(q[4]);
    g[3][3] = -e * sin(pd), g[3][4] = -e * sin(pd) - zt * cos(q[4]);
    g[4][5] = zf * sin(oe), g[4][6] = zf * sin(oe) - u * cos(q[6]);
    g[5][5] = -zf * cos(oe), g[5][6] = -zf * cos(oe) - u * sin(q[6]);
    rest[0] = x + ss * sin(q[2]) * v[2] * v[2];
    rest[1] = y - ss * cos(q[2]) * v[2] * v[2];
    rest[2] = x + e * sin(pd) * pd2 + zt * cos(q[4]) * v4;
    rest[3] = y - e * cos(pd) * pd2 + zt * sin(q[4]) * v4;
    rest[4] = x + zf * cos(oe) * oe2 + u * sin(q[6]) * v6;
    rest[5] = y + zf * sin(oe) * oe2 - u * cos(q[6]) * v6;
}

void andrews_start(double *y, double *slope) {
    static const double angle[ANGLES] = {
        -0.0617138900142764496358948458001, 0,
        0.455279819163070380255912382449,   0.222668390165885884674473185609,
        0.487364979543842550225598953530,   -0.222668390165885884674473185609,
        1.23054744454982119249735015568};
    for (int i = 0; i < 2 * ANGLES + LOOPS; i++) y[i] = i < ANGLES ? angle[i] : 0, slope[i] = 0;
    slope[7] = 14222.4439199541138705911625887;
    slope[8] = -10666.8329399655854029433719415;
    y[14] = 98.5668703962410896057654982170;
    y[15] = -6.12268834425566265503114393122;
}

void andrews(double t, const double *y, const double *slope, double *r) {
    double m[ANGLES][ANGLES], f[ANGLES], g[LOOPS][ANGLES], rest[LOOPS];
    const double *v = y + ANGLES, *a = slope + ANGLES, *multiplier = y + 2 * ANGLES;
    (void)t;
    masses(y, m);
    forces(y, v, f);
    loops(y, v, g, rest);
    for (int i = 0; i < ANGLES; i++) {
        r[i] = slope[i] - v[i];
        double sum = -f[i];
        for (int k = 0; k < ANGLES; k++) sum += m[i][k] * a[k];
        for (int k = 0; k < LOOPS; k++) sum += g[k][i] * multiplier[k];
        r[ANGLES + i] = sum;
    }
    for (int k = 0; k < LOOPS; k++) {
        double sum = rest[k];
        for (int i = 0; i < ANGLES; i++) sum += g[k][i] * a[i];
        r[2 * ANGLES + k] = sum;
    }
}

const double andrews_end[] = {0.1581077119629904e2,  -0.1575637105984298e2, 0.4082224013073101e-1,
                              -0.5347301163226948,   0.5244099658805304,    0.5347301163226948,
                              0.1048080741042263e1,  0.1139920302151208e4,  -0.1424379294994111e4,
                              0.1103291221937134e2,  0.1929337464421385e2,  0.5735699284790808,
                              -0.1929337464421385e2, 0.3231791658026955};
