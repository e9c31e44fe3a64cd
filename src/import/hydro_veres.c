// ShipX (VERES), version 1 and 2 of its files. Six lines of words, then
//
//     rho g / Lpp B T / LCG VCG / [version 2: two numbers] / velocities headings frequencies axes
//     .re7: M (6 x 6); .re8: nothing
//     for each velocity: speed sinkage trim x z
//       for each heading: the heading
//         for each frequency: the frequency
//           .re7: A, B, C, each 6 x 6 (version 2: and a second one); four numbers of roll damping
//           .re8: axis, real and imaginary part of the force, six times
//
// Axes there are x aft, y to starboard, z up, and a heading of 0 is a head sea: half a turn about
// z makes them those of the library. Coefficients of still vessels do not depend on the heading;
// those of the first one are taken.
#include "import/hydro_data.h"

#include <math.h>

static const double turn[6] = {-1, -1, 1, -1, -1, 1};

typedef struct {
    int velocities, headings, frequencies, axes, version;
} Header;

static bool read_header(Hydro *h, HydroLines *l, Header *head, bool with_version) {
    for (int i = 0; i < 6; i++)
        if (!hydro_text_line(l)) break;
    if (!hydro_must_line(l, 2, 2, "density and gravity")) return false;
    h->options.rho = l->x[0];
    h->options.g = l->x[1];
    if (!(h->options.rho > 0) || !(h->options.g > 0)) {
        report_error(h->r, X_HYDRO_NUMBER, l->pos, "density and gravity are positive");
        return false;
    }
    if (!hydro_must_line(l, 3, 3, "length, beam and draught") ||
        !hydro_must_line(l, 2, 2, "place of the centre of gravity") ||
        !hydro_must_line(l, 2, 4, "velocities, headings, frequencies and axes"))
        return false;
    head->version = 1;
    if (with_version && l->count == 2) {
        head->version = 2;
        if (!hydro_must_line(l, 4, 4, "velocities, headings, frequencies and axes")) return false;
    }
    if (l->count != 4) {
        report_error(h->r, X_HYDRO_NUMBER, l->pos,
                     "expected four counts: velocities, headings, "
                     "frequencies and axes");
        return false;
    }
    return hydro_whole(l, 0, 1, 100, "the number of velocities", &head->velocities) &&
           hydro_whole(l, 1, 1, 1000, "the number of headings", &head->headings) &&
           hydro_whole(l, 2, 1, 10000, "the number of frequencies", &head->frequencies) &&
           hydro_whole(l, 3, 6, 6, "the number of axes", &head->axes);
}

static bool read_matrix(HydroLines *l, const char *what, double *out) {
    for (int i = 0; i < 6; i++) {
        if (!hydro_must_line(l, 6, 6, what)) return false;
        for (int j = 0; j < 6; j++) out[i * 6 + j] = l->x[j] * turn[i] * turn[j];
    }
    return true;
}

// Speed and place of a block; false: reported. Only a vessel that lies still has memory like this.
static bool read_velocity(Hydro *h, HydroLines *l, bool *still) {
    if (!hydro_must_line(l, 5, 5, "speed, sinkage, trim and the place of the axes")) return false;
    *still = l->x[0] == 0;
    if (*still) {
        h->has_origin = true;
        h->origin[0] = -l->x[3];
        h->origin[1] = l->x[4];
    }
    return true;
}

static bool read_frequency(HydroLines *l, double *w) {
    if (!hydro_must_line(l, 1, 1, "a frequency")) return false;
    *w = l->x[0];
    if (*w > 1e-5 && *w < 1e4) return true;
    report_error(l->r, X_HYDRO_NUMBER, l->pos, "a wave does not have the frequency %g rad/s", *w);
    return false;
}

static bool read_coefficients(Hydro *h, HydroLines *l, const Header *head, double heading,
                              bool keep) {
    (void)heading;
    double w, matrix[3][36], more[36];
    if (!read_frequency(l, &w)) return false;
    Pos pos = l->pos;
    static const char *const what[3] = {"added mass", "damping", "stiffness"};
    for (int k = 0; k < 3; k++)
        if (!read_matrix(l, what[k], matrix[k]) ||
            (head->version == 2 && !read_matrix(l, what[k], more)))
            return false;
    if (!hydro_must_line(l, 1, 4, "roll damping")) return false;
    if (!keep) return true;
    HydroPoint *p = hydro_point(h, w);
    if (p->seen[0]) {
        report_error(h->r, X_HYDRO_GAP, pos, "the frequency %g rad/s stands twice", w);
        return false;
    }
    memcpy(p->A, matrix[0], sizeof p->A);
    memcpy(p->B, matrix[1], sizeof p->B);
    for (int k = 0; k < 36; k++) p->seen[k] = true, p->pos[k] = pos;
    if (!h->has_C) memcpy(h->C, matrix[2], sizeof h->C);
    h->has_C = true;
    return true;
}

static void no_still_vessel(Hydro *h, HydroLines *l, bool any) {
    if (any || l->failed) return;
    Pos start = {l->source, 0};
    Remark *m =
        report_error(h->r, X_HYDRO_GAP, start,
                     "the file has no velocity 0: tables are read for a vessel that lies still");
    remark_help(h->r, m, "run VERES with a velocity of 0 among the others");
}

// What stands in a file at one velocity, heading and frequency; kept, or only read over.
typedef bool (*ReadTable)(Hydro *h, HydroLines *l, const Header *head, double heading, bool keep);

// All tables of a file. Only those of the first velocity 0 are kept; `once`: of its first heading.
static void read_tables(Hydro *h, HydroLines *l, const Header *head, bool once, ReadTable read) {
    bool any = false;
    for (int v = 0; v < head->velocities; v++) {
        bool still;
        if (!read_velocity(h, l, &still)) return;
        for (int b = 0; b < head->headings; b++) {
            if (!hydro_must_line(l, 1, 1, "a heading")) return;
            double heading = l->x[0];
            for (int k = 0; k < head->frequencies; k++)
                if (!read(h, l, head, heading, still && !any && (b == 0 || !once))) return;
        }
        any = any || still;
    }
    no_still_vessel(h, l, any);
}

void hydro_read_veres_7(Hydro *h, uint32_t source) {
    HydroLines l = hydro_lines(h->sources, source, h->r);
    Header head;
    if (!read_header(h, &l, &head, true) || !read_matrix(&l, "the mass matrix", h->M)) return;
    h->has_M = true;
    read_tables(h, &l, &head, true, read_coefficients);
}

static bool read_forces(Hydro *h, HydroLines *l, const Header *head, double heading, bool keep) {
    (void)head;
    double w;
    if (!read_frequency(l, &w)) return false;
    HydroWave *p = keep ? hydro_wave(h, w, heading + 180) : NULL;
    if (p && p->pos.file) {
        report_error(h->r, X_HYDRO_GAP, l->pos,
                     "the frequency %g rad/s stands twice at this heading", w);
        return false;
    }
    if (p) p->pos = l->pos;
    for (int k = 0; k < 6; k++) {
        int axis;
        if (!hydro_must_line(l, 3, 3, "axis, real and imaginary part") ||
            !hydro_whole(l, 0, 1, 6, "the axis", &axis))
            return false;
        if (!p) continue;
        p->seen[axis - 1] = true;
        p->re[axis - 1] = turn[axis - 1] * l->x[1];
        p->im[axis - 1] = turn[axis - 1] * l->x[2];
    }
    return true;
}

void hydro_read_veres_8(Hydro *h, uint32_t source) {
    HydroLines l = hydro_lines(h->sources, source, h->r);
    Header head;
    if (read_header(h, &l, &head, false)) read_tables(h, &l, &head, false, read_forces);
}
