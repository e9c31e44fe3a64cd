// The equations of the Test Set for IVP Solvers (Mazzia, Magherini) and their reference solutions.
#include "ivp.h"

#include <math.h>
#include <stddef.h>

// --- HIRES ---------------------------------------------------------------------------------------

static void hires_start(double *y, double *slope) {
    (void)slope;
    y[0] = 1;
    y[7] = 0.0057;
}

static void hires(double t, const double *y, double *f) {
    (void)t;
    double react = 280 * y[5] * y[7];
    f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    f[1] = 1.71 * y[0] - 8.75 * y[1];
    f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    f[4] = -1.745 * y[4] + 0.43 * (y[5] + y[6]);
    f[5] = -react + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    f[6] = react - 1.81 * y[6];
    f[7] = -f[6];
}

static const double hires_end[] = {
    0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
    0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2};

// --- pollution -----------------------------------------------------------------------------------

static void pollution_start(double *y, double *slope) {
    (void)slope;
    y[1] = 0.2;
    y[3] = 0.04;
    y[6] = 0.1;
    y[7] = 0.3;
    y[8] = 0.01;
    y[16] = 0.007;
}

static void pollution(double t, const double *y, double *f) {
    (void)t;
    const double r1 = 0.35 * y[0], r2 = 26.6 * y[1] * y[3], r3 = 12300 * y[4] * y[1],
                 r4 = 0.86e-3 * y[6], r5 = 0.82e-3 * y[6], r6 = 15000 * y[6] * y[5],
                 r7 = 0.13e-3 * y[8], r8 = 24000 * y[8] * y[5], r9 = 16500 * y[10] * y[1],
                 r10 = 9000 * y[10] * y[0], r11 = 0.022 * y[12], r12 = 12000 * y[9] * y[1],
                 r13 = 1.88 * y[13], r14 = 16300 * y[0] * y[5], r15 = 4.8e6 * y[2],
                 r16 = 0.35e-3 * y[3], r17 = 0.0175 * y[3], r18 = 1e8 * y[15],
                 r19 = 4.44e11 * y[15], r20 = 1240 * y[16] * y[5], r21 = 2.1 * y[18],
                 r22 = 5.78 * y[18], r23 = 0.0474 * y[0] * y[3], r24 = 1780 * y[18] * y[0],
                 r25 = 3.12 * y[19];
    f[0] = -r1 - r10 - r14 - r23 - r24 + r2 + r3 + r9 + r11 + r12 + r22 + r25;
    f[1] = -r2 - r3 - r9 - r12 + r1 + r21;
    f[2] = -r15 + r1 + r17 + r19 + r22;
    f[3] = -r2 - r16 - r17 - r23 + r15;
    f[4] = -r3 + 2 * r4 + r6 + r7 + r13 + r20;
    f[5] = -r6 - r8 - r14 - r20 + r3 + 2 * r18;
    f[6] = -r4 - r5 - r6 + r13;
    f[7] = r4 + r5 + r6 + r7;
    f[8] = -r7 - r8;
    f[9] = -r12 + r7 + r9;
    f[10] = -r9 - r10 + r8 + r11;
    f[11] = r9;
    f[12] = -r11 + r10;
    f[13] = -r13 + r12;
    f[14] = r14;
    f[15] = -r18 - r19 + r16;
    f[16] = -r20;
    f[17] = r20;
    f[18] = -r21 - r22 - r24 + r23 + r25;
    f[19] = -r25 + r24;
}

static const double pollution_end[] = {
    0.5646255480022769e-01, 0.1342484130422339e+00, 0.4139734331099427e-08, 0.5523140207484359e-02,
    0.2018977262302196e-06, 0.1464541863493966e-06, 0.7784249118997964e-01, 0.3245075353396018e+00,
    0.7494013383880406e-02, 0.1622293157301561e-07, 0.1135863833257075e-07, 0.2230505975721359e-02,
    0.2087162882798630e-03, 0.1396921016840158e-04, 0.8964884856898295e-02, 0.4352846369330103e-17,
    0.6899219696263405e-02, 0.1007803037365946e-03, 0.1772146513969984e-05, 0.5682943292316392e-04};

// --- van der Pol ---------------------------------------------------------------------------------

static void vanderpol_start(double *y, double *slope) {
    (void)slope;
    y[0] = 2;
}

static void vanderpol(double t, const double *y, double *f) {
    (void)t;
    f[0] = y[1];
    f[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
}

static const double vanderpol_end[] = {1.706167732170469, -0.8928097010248125};

// --- Robertson -----------------------------------------------------------------------------------

static void robertson_start(double *y, double *slope) {
    (void)slope;
    y[0] = 1;
}

static void robertson(double t, const double *y, double *f) {
    (void)t;
    double slow = 0.04 * y[0], back = 1e4 * y[1] * y[2], fast = 3e7 * y[1] * y[1];
    f[0] = back - slow;
    f[1] = slow - back - fast;
    f[2] = fast;
}

static const double robertson_end[] = {0.2083340149701255e-7, 0.8333360770334713e-13,
                                       0.9999999791665050};

// --- E5 ------------------------------------------------------------------------------------------

static void e5_start(double *y, double *slope) {
    (void)slope;
    y[0] = 1.76e-3;
}

static void e5(double t, const double *y, double *f) {
    (void)t;
    double first = 7.89e-10 * y[0], second = 1.1e7 * y[0] * y[2], third = 1.13e9 * y[1] * y[2],
           fourth = 1.13e3 * y[3];
    f[0] = -first - second;
    f[1] = first - third;
    f[3] = second - fourth;
    f[2] = f[1] - f[3];
}

static const double e5_end[] = {0.1152903278711829e-290, 0.8867655517642120e-22,
                                0.8854814626268838e-22, 0};
static const bool e5_died[] = {true, false, false, true};

// --- Oregonator ----------------------------------------------------------------------------------

static void orego_start(double *y, double *slope) {
    (void)slope;
    for (int i = 0; i < 3; i++) y[i] = i + 1;
}

static void orego(double t, const double *y, double *f) {
    (void)t;
    f[0] = 77.27 * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1]));
    f[1] = (y[2] - (1 + y[0]) * y[1]) / 77.27;
    f[2] = 0.161 * (y[0] - y[2]);
}

static const double orego_end[] = {0.1000814870318523e1, 0.1228178521549917e4,
                                   0.1320554942846706e3};

// --- Brusselator ---------------------------------------------------------------------------------

static void brusselator_start(double *y, double *slope) {
    (void)slope;
    y[0] = 1.5;
    y[1] = 3;
}

static void brusselator(double t, const double *y, double *f) {
    (void)t;
    f[0] = 1 + y[0] * y[0] * y[1] - 4 * y[0];
    f[1] = 3 * y[0] - y[0] * y[0] * y[1];
}

static const double brusselator_end[] = {0.4986370712683478, 4.596780349452011};

// --- ring modulator ------------------------------------------------------------------------------

static void nothing_start(double *y, double *slope) { (void)y, (void)slope; }

static void ring_modulator(double t, const double *y, double *f) {
    static const double C = 1.6e-8, Cs = 2e-12, Cp = 1e-8, Lh = 4.45, Ls1 = 2e-3, Ls2 = 5e-4,
                        Ls3 = 5e-4, R = 25000, Rp = 50, Rg1 = 36.3, Rg2 = 17.3, Rg3 = 17.3, Ri = 50,
                        Rc = 600, gamma = 40.67286402e-9, delta = 17.7493332,
                        pi = 3.141592653589793;
    double u1 = 0.5 * sin(2e3 * pi * t), u2 = 2 * sin(2e4 * pi * t);
    double d[4] = {y[2] - y[4] - y[6] - u2, -y[3] + y[5] - y[6] - u2, y[3] + y[4] + y[6] + u2,
                   -y[2] - y[5] + y[6] + u2},
           q[4];
    for (int k = 0; k < 4; k++) q[k] = gamma * (exp(delta * d[k]) - 1);
    f[0] = (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / R) / C;
    f[1] = (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / R) / C;
    f[2] = (y[9] - q[0] + q[3]) / Cs;
    f[3] = (-y[10] + q[1] - q[2]) / Cs;
    f[4] = (y[11] + q[0] - q[2]) / Cs;
    f[5] = (-y[12] - q[1] + q[3]) / Cs;
    f[6] = (-y[6] / Rp + q[0] + q[1] - q[2] - q[3]) / Cp;
    f[7] = -y[0] / Lh;
    f[8] = -y[1] / Lh;
    f[9] = (0.5 * y[0] - y[2] - Rg2 * y[9]) / Ls2;
    f[10] = (-0.5 * y[0] + y[3] - Rg3 * y[10]) / Ls3;
    f[11] = (0.5 * y[1] - y[4] - Rg2 * y[11]) / Ls2;
    f[12] = (-0.5 * y[1] + y[5] - Rg3 * y[12]) / Ls3;
    f[13] = (-y[0] + u1 - (Ri + Rg1) * y[13]) / Ls1;
    f[14] = (-y[1] - (Rc + Rg1) * y[14]) / Ls1;
}

static const double ring_end[] = {
    -0.2339057358486745e-1, -0.7367485485540825e-2, 0.2582956709291169,    -0.4064465721283450,
    -0.4039455665149794,    0.2607966765422943,     0.1106761861269975,    0.2939904342435596e-6,
    -0.2840029933642329e-7, 0.7267198267264553e-3,  0.7929487196960840e-3, -0.7255283495698965e-3,
    -0.7941401968526521e-3, 0.7088495416976114e-4,  0.2390059075236570e-4};

// --- Pleiades ------------------------------------------------------------------------------------

static void pleiades_start(double *y, double *slope) {
    (void)slope;
    static const double start[28] = {3, 3, -1, -3, 2, -2,   2,    3, -3, 2, 0,     0, -4, 4,
                                     0, 0, 0,  0,  0, 1.75, -1.5, 0, 0,  0, -1.25, 1, 0,  0};
    for (int i = 0; i < 28; i++) y[i] = start[i];
}

static void pleiades(double t, const double *y, double *f) {
    (void)t;
    for (int i = 0; i < 14; i++) f[i] = y[14 + i], f[14 + i] = 0;
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < i; k++) {
            double x = y[k] - y[i], z = y[7 + k] - y[7 + i], r = x * x + z * z;
            double c = 1 / (r * sqrt(r));
            f[14 + i] += (k + 1) * x * c;
            f[21 + i] += (k + 1) * z * c;
            f[14 + k] -= (i + 1) * x * c;
            f[21 + k] -= (i + 1) * z * c;
        }
}

static const double pleiades_end[] = {
    0.3706139143970502,  3.237284092057233,   -3.222559032418324,  0.6597091455775310,
    0.3425581707156584,  1.562172101400631,   -0.7003092922212495, -3.943437585517392,
    -3.271380973972550,  5.225081843456543,   -2.590612434977470,  1.198213693392275,
    -0.2429682344935824, 1.091449240428980,   3.417003806314313,   1.354584501625501,
    -2.590065597810775,  2.025053734714242,   -1.155815100160448,  -0.8072988170223021,
    0.5952396354208710,  -3.741244961234010,  0.3773459685750630,  0.9386858869551073,
    0.3667922227200571,  -0.3474046353808490, 2.344915448180937,   -1.947020434263292};

// --- medical Akzo Nobel --------------------------------------------------------------------------

static void akzo_start(double *y, double *slope) {
    (void)slope;
    for (int k = 1; k < 400; k += 2) y[k] = 1;
}

static void akzo(double t, const double *y, double *f) {
    static const double k = 100, d = 1.0 / 200;
    double phi = t <= 5 ? 2 : 0;
    for (int j = 1; j <= 200; j++) {
        const double *u = y + 2 * (j - 1);
        double z = j * d - 1, a = z * z * z / 8, b = z * z * z * z / 16;
        double left = j > 1 ? u[-2] : phi, right = j < 200 ? u[2] : 0;
        double spread = (left - 2 * u[0] + right) * b / (d * d) + a * (right - left) / (2 * d);
        f[2 * j - 2] = (j < 200 ? spread : 0) - k * u[0] * u[1];
        f[2 * j - 1] = -k * u[0] * u[1];
    }
}

static const int akzo_pick[] = {78, 132, 170, 198, 199};
static const double akzo_end[] = {0.2339942217046434e-3, 0.3576835958481664e-3,
                                  0.3085949832350532e-3, 0.1173741304462833e-3,
                                  0.6190822732534586e-5};

// --- transistor amplifier ------------------------------------------------------------------------

static void transistor_start(double *y, double *slope) {
    static const double start[] = {0, 3, 3, 6, 3, 3, 6, 0};
    static const double rates[] = {51.338775,    51.338775,   -166.66666666666666,
                                   -24.9757667,  -24.9757667, -83.33333333333333,
                                   -10.00564453, -10.00564453};
    for (int i = 0; i < 8; i++) y[i] = start[i], slope[i] = rates[i];
}

static void transistor(double t, const double *y, const double *s, double *r) {
    static const double ub = 6, uf = 0.026, alpha = 0.99, beta = 1e-6, R0 = 1000, R = 9000,
                        pi = 3.141592653589793;
    double u = 0.1 * sin(200 * pi * t);
    double i1 = beta * (exp((y[1] - y[2]) / uf) - 1), i2 = beta * (exp((y[4] - y[5]) / uf) - 1);
    double q1 = 1e-6 * (s[0] - s[1]), q3 = 3e-6 * (s[3] - s[4]), q5 = 5e-6 * (s[6] - s[7]);
    r[0] = q1 - (u - y[0]) / R0;
    r[1] = q1 - (2 * y[1] - ub) / R - (1 - alpha) * i1;
    r[2] = 2e-6 * s[2] - i1 + y[2] / R;
    r[3] = q3 - (ub - y[3]) / R + alpha * i1;
    r[4] = q3 - (2 * y[4] - ub) / R - (1 - alpha) * i2;
    r[5] = 4e-6 * s[5] - i2 + y[5] / R;
    r[6] = q5 - (ub - y[6]) / R + alpha * i2;
    r[7] = q5 - y[7] / R;
}

static const double transistor_end[] = {
    -0.5562145012262709e-2, 0.3006522471903042e1, 0.2849958788608128e1, 0.2926422536206241e1,
    0.2704617865010554e1,   0.2761837778393145e1, 0.4770927631616772e1, 0.1236995868091548e1};

// --- NAND gate -----------------------------------------------------------------------------------

static double junction(double v) { return v <= 0 ? -1e-14 * (exp(v / 25.85) - 1) : 0; }

static double capacity(double v) {
    return v <= 0 ? 2.4e-5 / sqrt(1 - v / 0.87) : 2.4e-5 * (1 + v / 1.74);
}

static double forward(double vds, double u, double beta) {
    if (u <= 0) return 0;
    if (u <= vds) return -beta * u * u * (1 + 0.02 * vds);
    return -beta * vds * (2 * u - vds) * (1 + 0.02 * vds);
}

// type 0: depletion, 1: enhancement
static double mosfet(int type, double vds, double vgs, double vbs, double vgd, double vbd) {
    static const double vt0[] = {-2.43, 0.2}, gamma[] = {0.2, 0.035}, phi[] = {1.28, 1.01},
                        with[] = {5.35e-4, 1.748e-3}, against[] = {5.35e-4, 1.748e-4};
    double vg = vds > 0 ? vgs : vgd, vb = vds > 0 ? vbs : vbd;
    double u = vg - vt0[type] - gamma[type] * (sqrt(phi[type] - vb) - sqrt(phi[type]));
    return vds > 0 ? forward(vds, u, with[type]) : -forward(-vds, u, against[type]);
}

static void pulse(double t, double delay, double high, double period, double *v, double *slope) {
    double x = fmod(t, period), top = delay + 5, down = top + high;
    *v = x > down ? fmax(0, down + 5 - x) : x > top ? 5 : x > delay ? x - delay : 0;
    *slope = x > down + 5 ? 0 : x > down ? -1 : x > top ? 0 : x > delay ? 1 : 0;
}

static void nand_start(double *y, double *slope) {
    static const double start[] = {5,    5,    -2.5,    -2.5, 5,       3.62385, 5,
                                   -2.5, -2.5, 3.62385, 0,    3.62385, -2.5,    -2.5};
    for (int i = 0; i < 14; i++) y[i] = start[i], slope[i] = 0;
}

static void nand(double t, const double *y, const double *d, double *r) {
    static const double RG = 4, RB = 10, CG = 0.6e-4, C9 = 0.5e-4, vdd = 5, vbb = -2.5;
    double v1, w1, v2, w2;
    pulse(t, 5, 5, 20, &v1, &w1);
    pulse(t, 15, 15, 40, &v2, &w2);
    double i1 = mosfet(0, y[1] - y[0], y[4] - y[0], y[2] - y[4], y[4] - y[1], y[3] - vdd);
    double i2 = mosfet(1, y[6] - y[5], v1 - y[5], y[7] - y[9], v1 - y[6], y[8] - y[4]);
    double i3 = mosfet(1, y[11] - y[10], v2 - y[10], y[12], v2 - y[11], y[13] - y[9]);
    double c35 = capacity(y[2] - y[4]), c4 = capacity(y[3] - vdd), c95 = capacity(y[8] - y[4]),
           c8 = capacity(y[7] - y[9]), c13 = capacity(y[12]), c14 = capacity(y[13] - y[9]);
    r[0] = CG * (d[0] - d[4]) + (y[0] - y[4]) / RG + i1;
    r[1] = CG * (d[1] - d[4]) + (y[1] - vdd) / RG - i1;
    r[2] = c35 * (d[2] - d[4]) + (y[2] - vbb) / RB - junction(y[2] - y[4]);
    r[3] = c4 * d[3] + (y[3] - vbb) / RB - junction(y[3] - vdd);
    r[4] = CG * (2 * d[4] - d[0] - d[1]) + c35 * (d[4] - d[2]) + c95 * (d[4] - d[8]) + C9 * d[4] +
           (y[4] - y[0]) / RG + junction(y[2] - y[4]) + (y[4] - y[6]) / RG + junction(y[8] - y[4]);
    r[5] = CG * (d[5] - w1) + (y[5] - y[9]) / RG + i2;
    r[6] = CG * (d[6] - w1) + (y[6] - y[4]) / RG - i2;
    r[7] = c8 * (d[7] - d[9]) + (y[7] - vbb) / RB - junction(y[7] - y[9]);
    r[8] = c95 * (d[8] - d[4]) + (y[8] - vbb) / RB - junction(y[8] - y[4]);
    r[9] = c8 * (d[9] - d[7]) + c14 * (d[9] - d[13]) + C9 * d[9] + (y[9] - y[5]) / RG +
           junction(y[7] - y[9]) + (y[9] - y[11]) / RG + junction(y[13] - y[9]);
    r[10] = CG * (d[10] - w2) + y[10] / RG + i3;
    r[11] = CG * (d[11] - w2) + (y[11] - y[9]) / RG - i3;
    r[12] = c13 * d[12] + (y[12] - vbb) / RB - junction(y[12]);
    r[13] = c14 * (d[13] - d[9]) + (y[13] - vbb) / RB - junction(y[13] - y[9]);
}

static const double nand_end[] = {
    0.4971088699385777e1,  0.4999752103929311e1, -0.2499998781491227e1,  -0.2499999999999975e1,
    0.4970837023296724e1,  -0.2091214032073855,  0.4970593243278363e1,   -0.2500077409198803e1,
    -0.2499998781491227e1, -0.2090289583878100,  -0.2399999999966269e-3, -0.2091214032073855,
    -0.2499999999999991e1, -0.2500077409198803e1};

// --- car axis, constraints differentiated twice --------------------------------------------------

static void car_axis_start(double *y, double *slope) {
    static const double start[] = {0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0, 0, 0};
    for (int i = 0; i < 10; i++) y[i] = start[i], slope[i] = 0;
    for (int i = 0; i < 4; i++) slope[i] = y[4 + i];
    slope[5] = slope[7] = -1; // the springs are relaxed: only the weight
}

static void car_axis(double t, const double *y, const double *s, double *r) {
    static const double L0 = 0.5, m = 10 * 0.01 * 0.01 / 2, a = 0.1, w = 10;
    double yb = a * sin(w * t), yb1 = a * w * cos(w * t), yb2 = -w * w * yb;
    double xb = sqrt(1 - yb * yb), xb1 = -yb * yb1 / xb,
           xb2 = -(yb1 * yb1 + yb * yb2 + xb1 * xb1) / xb;
    double l1 = hypot(y[0], y[1]), l2 = hypot(y[2] - xb, y[3] - yb);
    double dx = y[0] - y[2], dy = y[1] - y[3], la = y[8], lb = y[9];
    for (int i = 0; i < 4; i++) r[i] = s[i] - y[4 + i];
    r[4] = m * s[4] - (L0 - l1) * y[0] / l1 - la * xb - 2 * lb * dx;
    r[5] = m * s[5] - (L0 - l1) * y[1] / l1 - la * yb - 2 * lb * dy + m;
    r[6] = m * s[6] - (L0 - l2) * (y[2] - xb) / l2 + 2 * lb * dx;
    r[7] = m * s[7] - (L0 - l2) * (y[3] - yb) / l2 + 2 * lb * dy + m;
    r[8] = xb2 * y[0] + 2 * xb1 * y[4] + xb * s[4] + yb2 * y[1] + 2 * yb1 * y[5] + yb * s[5];
    double vx = y[4] - y[6], vy = y[5] - y[7];
    r[9] = 2 * (vx * vx + vy * vy + dx * (s[4] - s[6]) + dy * (s[5] - s[7]));
}

static const double car_axis_end[] = {0.493455784275402809122e-1,  0.496989460230171153861,
                                      0.104174252488542151681e1,   0.373911027265361256927,
                                      -0.770583684040972357970e-1, 0.744686658723778553466e-2,
                                      0.175568157537232222276e-1,  0.770341043779251976443};

const Ivp ivp_problems[] = {
    {.name = "hires",
     .known = 1e-8,
     .n = 8,
     .stop = 321.8122,
     .start = hires_start,
     .rate = hires,
     .end = hires_end},
    {.name = "pollution",
     .known = 1e-8,
     .n = 20,
     .stop = 60,
     .start = pollution_start,
     .rate = pollution,
     .end = pollution_end},
    {.name = "vanderpol",
     .known = 1e-8,
     .n = 2,
     .stop = 2,
     .start = vanderpol_start,
     .rate = vanderpol,
     .end = vanderpol_end},
    {.name = "robertson",
     .known = 1e-8,
     .n = 3,
     .stop = 1e11,
     .atol = 1e-14,
     .start = robertson_start,
     .rate = robertson,
     .end = robertson_end},
    {.name = "e5",
     .known = 2e-3,
     .n = 4,
     .stop = 1e13,
     .atol = 1.11e-24,
     .start = e5_start,
     .rate = e5,
     .end = e5_end,
     .died = e5_died},
    {.name = "orego",
     .known = 1e-7,
     .n = 3,
     .stop = 360,
     .start = orego_start,
     .rate = orego,
     .end = orego_end},
    {.name = "brusselator",
     .known = 1e-8,
     .n = 2,
     .stop = 20,
     .smooth = true,
     .start = brusselator_start,
     .rate = brusselator,
     .end = brusselator_end},
    {.name = "ring_modulator",
     .known = 1e-5,
     .n = 15,
     .stop = 1e-3,
     .start = nothing_start,
     .rate = ring_modulator,
     .end = ring_end},
    {.name = "pleiades",
     .known = 1e-8,
     .n = 28,
     .stop = 3,
     .smooth = true,
     .start = pleiades_start,
     .rate = pleiades,
     .end = pleiades_end},
    {.name = "transistor_amplifier",
     .known = 1e-8,
     .n = 8,
     .total = 8,
     .algebraic = 8,
     .stop = 0.2,
     .start = transistor_start,
     .residual = transistor,
     .end = transistor_end},
    {.name = "car_axis",
     .known = 1e-8,
     .n = 8,
     .total = 10,
     .algebraic = 8,
     .stop = 3,
     .start = car_axis_start,
     .residual = car_axis,
     .end = car_axis_end},
    {.name = "andrews",
     .known = 1e-8,
     .n = 14,
     .total = 20,
     .algebraic = 14,
     .stop = 0.03,
     .start = andrews_start,
     .residual = andrews,
     .end = andrews_end},
    {.name = "nand_gate",
     .known = 1e-8,
     .n = 14,
     .total = 14,
     .algebraic = 14,
     .stop = 80,
     .start = nand_start,
     .residual = nand,
     .end = nand_end},
    {.name = "medical_akzo",
     .known = 5e-7,
     .n = 5,
     .total = 400,
     .pick = akzo_pick,
     .end = akzo_end,
     .stop = 20,
     .jump = 5,
     .start = akzo_start,
     .rate = akzo,
     .band = 2},
};
const int ivp_count = sizeof ivp_problems / sizeof *ivp_problems;
