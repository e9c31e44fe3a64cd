#include "analysis/swing.h"

#include <math.h>

Swing swing_between(const double *time, const double *energy, const double *power) {
    double h = time[1] - time[0];
    return (Swing){{energy[0], energy[1]}, {h * power[0], h * power[1]}};
}

double swing_energy(const Swing *s, double x) {
    double y = 1 - x;
    return y * y * (1 + 2 * x) * s->w[0] + x * x * (1 + 2 * y) * s->w[1] + x * y * y * s->slope[0] -
           x * x * y * s->slope[1];
}

int swing_turns(const Swing *s, double at[2]) {
    const double *w = s->w, *slope = s->slope;
    double rise = w[1] - w[0];
    double a = 3 * (slope[0] + slope[1] - 2 * rise), b = 2 * (3 * rise - 2 * slope[0] - slope[1]);
    double c = slope[0], root[2];
    int found = 0, count = 0;
    double under = b * b - 4 * a * c;
    if (!(under > 0) || (a == 0 && b == 0)) return 0;
    double q = -0.5 * (b + copysign(sqrt(under), b));
    if (a != 0) root[found++] = q / a;
    if (q != 0) root[found++] = c / q;
    if (found == 2 && root[0] > root[1]) {
        double keep = root[0];
        root[0] = root[1];
        root[1] = keep;
    }
    for (int i = 0; i < found; i++)
        if (root[i] > 0 && root[i] < 1) at[count++] = root[i];
    return count;
}
