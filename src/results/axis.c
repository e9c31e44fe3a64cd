// Ticks are multiples of 1, 2 or 5 times a power of ten. Labels stay short whatever the size of the
// numbers: a common power of ten and a common base value go to the end of the axis.
//
//     data 1000000.1 .. 1000000.4   ->   0.1  0.2  0.3  0.4     "+ 1000000"
//     data 0 .. 3e8                 ->   0    100  200  300     "×10⁶"
#include "results/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LARGEST_DRAWN  1e300
#define SMALLEST_DRAWN 1e-290

bool drawable(double v) { return fabs(v) < LARGEST_DRAWN; } // false for nan as well

void range_add(Range *r, double v) {
    if (!drawable(v)) return;
    if (r->lo > r->hi) *r = (Range){v, v};
    if (v < r->lo) r->lo = v;
    if (v > r->hi) r->hi = v;
}

static double largest(Range r) { return fmax(fabs(r.lo), fabs(r.hi)); }

// A range that has a length: no data is 0..1, a constant gets room on both sides. Differences in
// the last digits are rounding, not a shape.
static Range with_length(Range r) {
    if (r.lo > r.hi) return (Range){0, 1};
    double size = largest(r);
    if (size < SMALLEST_DRAWN) return (Range){-1, 1};
    if (r.hi - r.lo > 1e-11 * size) return r;
    return (Range){r.lo - 0.1 * size, r.hi + 0.1 * size};
}

// The smallest of 1, 2, 5 times a power of ten that is not below x.
static double nice_above(double x) {
    double power = pow(10, floor(log10(x)));
    double m = x / power * (1 - 1e-9);
    return (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10) * power;
}

static double next_nice(double step) { return nice_above(step * 1.5); }

// Decides what labels show, once the ticks are known.
static void choose_labels(Axis *a) {
    double size = largest((Range){a->lo, a->hi});
    if (a->hi - a->lo < 1e-4 * size) a->base = 10 * floor(a->first / 10);
    double last = a->first + a->tick_count - 1;
    double most = a->step * fmax(fabs(a->first - a->base), fabs(last - a->base));
    if (most >= 1e4 || most < 1e-2) a->exponent = 3 * (int)floor(log10(most > 0 ? most : 1) / 3);
    int place = (int)floor(log10(a->step) + 1e-6) - a->exponent;
    a->decimals = place < 0 ? -place : 0;
}

static Axis place_ticks(double lo, double hi, double step) {
    Axis a = {.lo = lo, .hi = hi, .step = step};
    a.first = ceil(lo / step - 1e-6);
    a.tick_count = (int)(floor(hi / step + 1e-6) - a.first) + 1;
    if (a.tick_count < 0) a.tick_count = 0;
    choose_labels(&a);
    return a;
}

Axis axis_tight(Range data, int most_intervals) {
    Range r = with_length(data);
    return place_ticks(r.lo, r.hi, nice_above((r.hi - r.lo) / most_intervals));
}

Axis axis_loose(Range data, int most_intervals) {
    Range r = with_length(data);
    double step = nice_above((r.hi - r.lo) / most_intervals);
    double lo = floor(r.lo / step + 1e-6) * step, hi = ceil(r.hi / step - 1e-6) * step;
    return place_ticks(lo, hi, step);
}

Axis axis_decades(Range data, int most_intervals) {
    Range r = data.lo > data.hi ? (Range){0, 1} : data;
    double lo = floor(r.lo + 1e-6), hi = fmax(ceil(r.hi - 1e-6), lo + 1);
    Axis a = place_ticks(lo, hi, ceil((hi - lo) / most_intervals));
    a.decades = true;
    return a;
}

Axis axis_with_intervals(Range data, int intervals) {
    Range r = with_length(data);
    double step = nice_above((r.hi - r.lo) / intervals), lo = 0;
    for (int tries = 0; tries < 20; tries++, step = next_nice(step)) {
        lo = floor(r.lo / step + 1e-6) * step;
        if (lo + (intervals + 1e-6) * step >= r.hi) break;
    }
    return place_ticks(lo, lo + intervals * step, step);
}

Axis axis_between(double lo, double hi, int most_intervals) {
    return place_ticks(lo, hi, nice_above((hi - lo) / most_intervals));
}

// --- zeros at one height -------------------------------------------------------------------------

// The step so that `below` intervals cover the negative part and `above` the positive part; 0:
// none.
static double step_for(Range r, int below, int above) {
    double down = fmax(-r.lo, 0), up = fmax(r.hi, 0);
    if ((down > 0 && !below) || (up > 0 && !above)) return 0;
    double step = fmax(below ? down / below : 0, above ? up / above : 0);
    return step > 0 ? nice_above(step) : 0;
}

static bool holds_zero(Range r) { return r.lo <= 0 && r.hi >= 0; }

bool axis_pair(Range left, Range right, int most_intervals, Axis *a, Axis *b) {
    enum { FEWEST = 4 };
    const double least = 0.4;
    Range l = with_length(left), r = with_length(right);
    *a = axis_loose(left, most_intervals);
    *b = axis_with_intervals(right, a->tick_count - 1);
    if (!holds_zero(l) || !holds_zero(r)) return true;
    double best = 0;
    for (int n = FEWEST; n <= most_intervals; n++)
        for (int below = 0; below <= n; below++) {
            double s = step_for(l, below, n - below), t = step_for(r, below, n - below);
            if (s <= 0 || t <= 0) continue;
            double fills = fmin((l.hi - l.lo) / (n * s), (r.hi - r.lo) / (n * t));
            if (fills <= best) continue;
            best = fills;
            *a = place_ticks(-below * s, (n - below) * s, s);
            *b = place_ticks(-below * t, (n - below) * t, t);
        }
    return best >= least;
}

// --- units ---------------------------------------------------------------------------------------

static const char *prefix_of(int exponent) {
    switch (exponent) {
    case 12: return "T";
    case 9: return "G";
    case 6: return "M";
    case 3: return "k";
    case -3: return "m";
    case -6: return "µ";
    case -9: return "n";
    case -12: return "p";
    default: return NULL;
    }
}

// Does the unit begin with a symbol that takes this prefix? m3 does not (a km3 is no 1000 m3), nor
// do kg and bar.
static bool takes_prefix(const char *unit, int exponent) {
    static const char *const symbol[] = {"N", "Pa", "W", "J", "V", "A", "Hz", "ohm",
                                         "F", "H",  "T", "C", "m", "s", "rad"};
    enum { SYMBOLS = sizeof symbol / sizeof *symbol, SMALL_ONLY = 13, METRE = 12 };
    size_t n = strcspn(unit, "./*0123456789^-");
    if (unit[n] && unit[n] != '.' && unit[n] != '/' && unit[n] != '*') return false;
    for (int i = 0; i < SYMBOLS; i++)
        if (strlen(symbol[i]) == n && strncmp(symbol[i], unit, n) == 0)
            return exponent < 0 || i < METRE || (i == METRE && exponent == 3 && !unit[n]);
    return false;
}

void axis_unit(Text *out, Axis *a, const char *unit) {
    const char *prefix = prefix_of(a->exponent);
    a->prefixed = !a->decades && prefix && takes_prefix(unit, a->exponent);
    if (a->prefixed) text_add(out, prefix);
    text_add(out, unit);
}

double axis_tick(const Axis *a, int i) { return (a->first + i) * a->step; }

double axis_part(const Axis *a, double v) { return (v - a->lo) / (a->hi - a->lo); }

static void superscript(Text *out, int n) {
    static const char *const digit[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", n);
    for (const char *c = plain; *c; c++) text_add(out, *c == '-' ? "⁻" : digit[*c - '0']);
}

void axis_tick_label(Text *out, const Axis *a, int i) {
    if (a->decades) {
        int power = (int)lround(axis_tick(a, i));
        if (power >= -2 && power <= 3) {
            text_printf(out, "%g", pow(10, power));
            return;
        }
        text_add(out, "10");
        superscript(out, power);
        return;
    }
    double shown = (a->first + i - a->base) * a->step / pow(10, a->exponent);
    if (fabs(shown) < 1e-9) shown = 0; // no "-0"
    text_printf(out, "%s%.*f", shown < 0 ? "\u2212" : "", a->decimals, fabs(shown));
}

void axis_remark(Text *out, const Axis *a) {
    if (a->decades) return;
    if (a->exponent && !a->prefixed) {
        text_add(out, "×10");
        superscript(out, a->exponent);
    }
    if (a->base != 0) {
        double base = a->base * a->step;
        text_printf(out, "%s%s %.15g", a->exponent && !a->prefixed ? " " : "",
                    base < 0 ? "\u2212" : "+", fabs(base));
    }
}
