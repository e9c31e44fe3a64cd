// WAMIT: numbers without dimension. With the length L and m = 0, 1 for forces and moments
//
//     .1    PER I J A B        A rho L^(3 + mi + mj),  B rho w L^(3 + mi + mj)
//                              PER 0: w is infinite, below 0: w = 0
//     .3    PER BETA I MOD PHA RE IM      (RE + i IM) rho g L^(2 + mi) per metre of wave
//     .hst  I J C              C rho g L^(2 + mi + mj)
//
// Waves are a e^(i (w t - k s)), s along BETA; x forward and z up as here.
#include "import/hydro_data.h"

#include <math.h>

static int is_moment(int axis) { return axis >= 3; }

static double frequency_of(double period) {
    return period < 0 ? 0 : period == 0 ? INFINITY : 2 * 3.14159265358979323846 / period;
}

// Newer versions write a line of words first.
static void pass_header(HydroLines *l) {
    const char *at = l->at;
    while (at < l->end && (*at == ' ' || *at == '\t')) at++;
    if (at < l->end && !strchr("+-.0123456789\r\n", *at)) hydro_text_line(l);
}

// Periods from a thousandth of a second to days; false: reported.
static bool period_is_possible(Hydro *h, const HydroLines *l) {
    double period = l->x[0];
    if (period <= 0 || (period > 1e-3 && period < 1e6)) return true;
    report_error(h->r, X_HYDRO_NUMBER, l->place[0], "a wave does not have the period %g s", period);
    return false;
}

static bool twice(Hydro *h, Pos first, Pos again, const char *what, int i, int j) {
    Remark *m = report_error(h->r, X_HYDRO_GAP, again, "%s(%d,%d) stands twice for this frequency",
                             what, i + 1, j + 1);
    remark_note(h->r, m, first, "first here");
    return false;
}

static bool take_coefficient(Hydro *h, HydroLines *l) {
    int i, j;
    if (!hydro_whole(l, 1, 1, 6, "the first axis", &i) ||
        !hydro_whole(l, 2, 1, 6, "the second axis", &j))
        return false;
    if (!period_is_possible(h, l)) return false;
    double w = frequency_of(l->x[0]);
    bool limit = w == 0 || isinf(w);
    if (!limit && l->count < 5) {
        report_error(h->r, X_HYDRO_GAP, l->pos, "the damping is missing at the period %g s",
                     l->x[0]);
        return false;
    }
    HydroPoint *p = hydro_point(h, w);
    int k = (i - 1) * 6 + j - 1;
    if (p->seen[k]) return twice(h, p->pos[k], l->pos, "A", i - 1, j - 1);
    double size = h->options.rho * pow(h->options.length, 3 + is_moment(i - 1) + is_moment(j - 1));
    p->seen[k] = true;
    p->pos[k] = l->pos;
    p->A[k] = l->x[3] * size;
    p->B[k] = limit ? 0 : l->x[4] * size * w;
    return true;
}

void hydro_read_wamit_1(Hydro *h, uint32_t source) {
    HydroLines l = hydro_lines(h->sources, source, h->r);
    pass_header(&l);
    while (hydro_line(&l, 4, 5, "period, two axes, added mass and damping"))
        if (!take_coefficient(h, &l)) return;
}

void hydro_read_wamit_3(Hydro *h, uint32_t source) {
    HydroLines l = hydro_lines(h->sources, source, h->r);
    pass_header(&l);
    while (hydro_line(&l, 7, 7, "period, heading, axis, modulus, phase, real and imaginary part")) {
        int i;
        if (!hydro_whole(&l, 2, 1, 6, "the axis", &i)) return;
        if (!period_is_possible(h, &l)) return;
        double w = frequency_of(l.x[0]);
        if (!(w > 0) || isinf(w)) continue; // limits: no waves
        HydroWave *p = hydro_wave(h, w, l.x[1]);
        if (p->seen[i - 1]) {
            twice(h, p->pos, l.pos, "X", i - 1, i - 1);
            return;
        }
        double size = h->options.rho * h->options.g * pow(h->options.length, 2 + is_moment(i - 1));
        if (!p->pos.file) p->pos = l.pos;
        p->seen[i - 1] = true;
        p->re[i - 1] = l.x[5] * size;
        p->im[i - 1] = l.x[6] * size;
    }
}

void hydro_read_wamit_hst(Hydro *h, uint32_t source) {
    HydroLines l = hydro_lines(h->sources, source, h->r);
    pass_header(&l);
    while (hydro_line(&l, 3, 3, "two axes and a stiffness")) {
        int i, j;
        if (!hydro_whole(&l, 0, 1, 6, "the first axis", &i) ||
            !hydro_whole(&l, 1, 1, 6, "the second axis", &j))
            return;
        double size = h->options.rho * h->options.g;
        h->C[(i - 1) * 6 + j - 1] =
            l.x[2] * size * pow(h->options.length, 2 + is_moment(i - 1) + is_moment(j - 1));
        h->has_C = true;
    }
}
