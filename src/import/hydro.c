// What the files of a vessel say together: sorted, without gaps, symmetric.
#include "import/hydro_data.h"

#include "base/files.h"

#include <math.h>
#include <stdlib.h>

static const char *const endings[HYDRO_KINDS] = {".1", ".3", ".hst", ".re7", ".re8"};

const char *hydro_ending(HydroKind kind) { return endings[kind]; }

HydroKind hydro_kind(const char *path) {
    size_t length = strlen(path);
    for (int k = 0; k < HYDRO_KINDS; k++) {
        size_t n = strlen(endings[k]);
        if (length > n && strcmp(path + length - n, endings[k]) == 0) return (HydroKind)k;
    }
    return HYDRO_KINDS;
}

// --- finding -------------------------------------------------------------------------------------

HydroPoint *hydro_point(Hydro *h, double w) {
    for (int k = h->point.count - 1; k >= 0; k--)
        if (h->point.data[k].w == w) return &h->point.data[k];
    array_push(&h->point, ((HydroPoint){.w = w}));
    return &array_last(&h->point);
}

HydroWave *hydro_wave(Hydro *h, double w, double beta) {
    for (int k = h->wave.count - 1; k >= 0; k--)
        if (h->wave.data[k].w == w && h->wave.data[k].beta == beta) return &h->wave.data[k];
    array_push(&h->wave, ((HydroWave){.w = w, .beta = beta}));
    return &array_last(&h->wave);
}

static int order(double a, double b) { return (a > b) - (a < b); }

static int by_frequency(const void *a, const void *b) {
    return order(((const HydroPoint *)a)->w, ((const HydroPoint *)b)->w);
}

static int by_wave(const void *a, const void *b) {
    const HydroWave *x = a, *y = b;
    int first = order(x->w, y->w);
    return first ? first : order(x->beta, y->beta);
}

// --- added mass and damping ----------------------------------------------------------------------

static Pos place(const HydroPoint *p) {
    for (int k = 0; k < 36; k++)
        if (p->seen[k]) return p->pos[k];
    return POS_NONE;
}

// Every entry that one frequency has the others have, too.
static bool no_entry_is_missing(Hydro *h) {
    for (int k = 0; k < 36; k++) {
        const HydroPoint *has = NULL, *lacks = NULL;
        for (int i = 0; i < h->point.count; i++)
            *(h->point.data[i].seen[k] ? &has : &lacks) = &h->point.data[i];
        if (!has || !lacks) continue;
        Remark *m = report_error(h->r, X_HYDRO_GAP, place(lacks),
                                 "A(%d,%d) is missing at %g rad/s (a period of %g s)", k / 6 + 1,
                                 k % 6 + 1, lacks->w, 2 * 3.14159265358979323846 / lacks->w);
        remark_note(h->r, m, has->pos[k], "another frequency has it");
        remark_help(h->r, m,
                    "run the program for this frequency again, or take all lines of it out");
        return false;
    }
    return true;
}

// Limits leave the list: what is known of infinite frequency is kept.
static void take_limits(Hydro *h) {
    HydroPoint *p = h->point.data;
    int n = h->point.count;
    if (n && isinf(p[n - 1].w)) {
        memcpy(h->A_infinite, p[n - 1].A, sizeof h->A_infinite);
        h->has_infinite = true;
        n--;
    }
    int zero = n && p[0].w == 0;
    if (zero) memmove(p, p + 1, (size_t)(n - 1) * sizeof *p);
    h->point.count = n - zero;
}

static void symmetric(double *A) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            A[i * 6 + j] = A[j * 6 + i] = 0.5 * (A[i * 6 + j] + A[j * 6 + i]);
}

// Negative damping gives energy to the motion: it is reported, and the fit does not reproduce it.
static void warn_of_damping(Hydro *h) {
    for (int i = 0; i < 6; i++) {
        double most = 0;
        const HydroPoint *worst = NULL;
        for (int k = 0; k < h->point.count; k++) {
            const HydroPoint *p = &h->point.data[k];
            most = fmax(most, fabs(p->B[i * 7]));
            if (p->B[i * 7] < 0 && (!worst || p->B[i * 7] < worst->B[i * 7])) worst = p;
        }
        if (!worst || -worst->B[i * 7] < 1e-3 * most) continue;
        Remark *m =
            report_warning(h->r, X_HYDRO_SIGN, place(worst),
                           "the damping B(%d,%d) is negative at %g rad/s: %g, the largest is %g",
                           i + 1, i + 1, worst->w, worst->B[i * 7], most);
        remark_help(h->r, m,
                    "irregular frequencies, or too coarse a mesh; the memory is made without it");
    }
}

static void warn_of_spacing(Hydro *h) {
    for (int k = 1; k < h->point.count; k++) {
        double low = h->point.data[k - 1].w, high = h->point.data[k].w, before = 0, behind = 0;
        if (k > 1) before = low - h->point.data[k - 2].w;
        if (k + 1 < h->point.count) behind = h->point.data[k + 1].w - high;
        double usual = fmax(before, behind);
        if (!(usual > 0) || high - low < 3 * usual || high < 1.5 * low) continue;
        Remark *m = report_warning(h->r, X_HYDRO_GAP, place(&h->point.data[k]),
                                   "there is nothing between %g and %g rad/s", low, high);
        remark_help(h->r, m,
                    "straight lines are drawn there; run the program for frequencies between");
    }
}

static bool check_points(Hydro *h) {
    if (!h->point.count) return true;
    qsort(h->point.data, (size_t)h->point.count, sizeof(HydroPoint), by_frequency);
    if (!no_entry_is_missing(h)) return false;
    Pos first = place(&h->point.data[0]);
    take_limits(h);
    if (h->point.count < 3) {
        report_error(h->r, X_HYDRO_GAP, first,
                     "added mass and damping at %d frequenc%s: at least three are needed",
                     h->point.count, h->point.count == 1 ? "y" : "ies");
        return false;
    }
    warn_of_damping(h);
    warn_of_spacing(h);
    symmetric(h->A_infinite);
    for (int k = 0; k < h->point.count; k++)
        symmetric(h->point.data[k].A), symmetric(h->point.data[k].B);
    return true;
}

// --- wave forces ---------------------------------------------------------------------------------

static bool gap_of_waves(Hydro *h, const HydroWave *near, double w, double beta) {
    Remark *m =
        report_error(h->r, X_HYDRO_GAP, near->pos,
                     "wave forces at %g rad/s and a heading of %g degrees are missing", w, beta);
    remark_help(h->r, m,
                "every frequency has the same headings: add it, or take the frequency out");
    return false;
}

static bool no_axis_is_missing(Hydro *h) {
    for (int i = 0; i < 6; i++) {
        const HydroWave *has = NULL, *lacks = NULL;
        for (int k = 0; k < h->wave.count; k++)
            *(h->wave.data[k].seen[i] ? &has : &lacks) = &h->wave.data[k];
        if (!has || !lacks) continue;
        Remark *m =
            report_error(h->r, X_HYDRO_GAP, lacks->pos,
                         "the wave force along axis %d is missing at %g rad/s and %g degrees",
                         i + 1, lacks->w, lacks->beta);
        remark_note(h->r, m, has->pos, "others have it, as here");
        return false;
    }
    return true;
}

// A vessel that is the same on both sides: headings over half of a circle are the other half's,
// too.
static void mirror(Hydro *h) {
    int n = h->wave.count, headings = h->headings;
    const HydroWave *p = h->wave.data;
    double low = p[0].beta, high = p[headings - 1].beta;
    if (headings < 3 || fabs(high - low - 180) > 1e-6 || (low != 0 && low != 180)) return;
    for (int k = 0; k < n; k++) {
        HydroWave w = h->wave.data[k];
        if (w.beta == low || w.beta == high) continue;
        w.beta = 360 - w.beta;
        for (int i = 1; i < 6; i += 2) w.re[i] = -w.re[i], w.im[i] = -w.im[i];
        array_push(&h->wave, w);
    }
}

// A full circle ends where it begins, so that a table can be asked for any heading.
static void close_circle(Hydro *h) {
    int n = h->wave.count;
    for (int k = 0; k < n; k++) {
        HydroWave w = h->wave.data[k];
        if (w.beta != 0) continue;
        w.beta = 360;
        array_push(&h->wave, w);
    }
}

static bool sort_waves(Hydro *h) {
    qsort(h->wave.data, (size_t)h->wave.count, sizeof(HydroWave), by_wave);
    const HydroWave *p = h->wave.data;
    int n = h->wave.count, nb = 1;
    while (nb < n && p[nb].w == p[0].w) nb++;
    for (int k = 0; k < n; k++) {
        const HydroWave *wanted = &p[k % nb];
        bool begins = k % nb == 0;
        if (p[k].beta != wanted->beta || (begins && k && p[k].w == p[k - 1].w) ||
            (!begins && p[k].w != p[k - 1].w))
            return gap_of_waves(h, &p[k], begins ? p[k].w : p[k - 1].w,
                                fmin(wanted->beta, p[k].beta));
    }
    if (n % nb) return gap_of_waves(h, &p[n - 1], p[n - 1].w, p[n % nb].beta);
    h->headings = nb;
    h->waves = n / nb;
    return true;
}

// Headings from 0 to below 360. What a file says of 0 and of 360 is the same.
static void take_turns_off(Hydro *h) {
    int n = 0;
    for (int k = 0; k < h->wave.count; k++) {
        HydroWave w = h->wave.data[k];
        double beta = fmod(fmod(w.beta, 360) + 360, 360);
        bool turned = beta != w.beta, there = false;
        w.beta = beta;
        for (int i = k - k % h->headings; turned && i < k - k % h->headings + h->headings; i++)
            there = there || (i != k && i < h->wave.count && h->wave.data[i].beta == beta);
        if (!there) h->wave.data[n++] = w;
    }
    h->wave.count = n;
}

static bool check_waves(Hydro *h) {
    if (!h->wave.count) return true;
    if (!no_axis_is_missing(h) || !sort_waves(h)) return false;
    if (h->waves < 2) {
        report_error(h->r, X_HYDRO_GAP, h->wave.data[0].pos,
                     "wave forces at one frequency are no table");
        return false;
    }
    mirror(h);
    if (!sort_waves(h)) return false;
    take_turns_off(h);
    if (!sort_waves(h)) return false;
    if (h->headings < 2) return true;
    const HydroWave *p = h->wave.data;
    double widest = 360 - p[h->headings - 1].beta + p[0].beta;
    for (int k = 1; k < h->headings; k++) widest = fmax(widest, p[k].beta - p[k - 1].beta);
    if (p[0].beta == 0 && widest <= 90) close_circle(h);
    return sort_waves(h);
}

// --- all of it -----------------------------------------------------------------------------------

static void read_all(Hydro *h, const HydroFile *files, int count) {
    static void (*const read[HYDRO_KINDS])(Hydro *, uint32_t) = {
        hydro_read_wamit_1, hydro_read_wamit_3, hydro_read_wamit_hst, hydro_read_veres_7,
        hydro_read_veres_8};
    for (int k = 0; k < count; k++) read[files[k].kind](h, files[k].source);
}

static bool finish(Hydro *h, const HydroFile *files) {
    if (h->r->errors) return false;
    Pos start = {files[0].source, 0};
    if (!h->point.count && !h->wave.count && !h->has_C) {
        report_error(h->r, X_HYDRO_GAP, start, "there are no numbers in these files");
        return false;
    }
    if (!check_points(h) || !check_waves(h)) return false;
    symmetric(h->C);
    if (h->point.count) hydro_fit(h);
    return h->r->errors == 0;
}

bool hydro_import(Text *out, const Sources *sources, const HydroFile *files, int count,
                  const HydroOptions *options, Report *r) {
    Arena arena = {0};
    Text from = {0};
    Hydro h = {.arena = &arena, .sources = sources, .options = *options, .r = r};
    for (int k = 0; k < count; k++)
        text_printf(&from, "%s%s", k ? ", " : "", path_base(source_name(sources, files[k].source)));
    read_all(&h, files, count);
    bool good = finish(&h, files);
    if (good) hydro_write(out, &h, text_get(&from));
    array_free(&h.point);
    array_free(&h.wave);
    array_free(&h.mode);
    text_free(&from);
    arena_free(&arena);
    return good;
}
