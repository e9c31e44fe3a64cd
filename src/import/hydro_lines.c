// Lines of numbers, as Fortran programs write them: blanks between, 1.5E+03 or 1.5D+03.
#include "import/hydro_data.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

HydroLines hydro_lines(const Sources *sources, uint32_t source, Report *r) {
    size_t length;
    const char *text = source_text(sources, source, &length);
    return (HydroLines){.at = text, .end = text + length, .begin = text, .source = source, .r = r};
}

static Pos place_of(const HydroLines *l, const char *at) {
    return (Pos){l->source, (uint32_t)(at - l->begin)};
}

static const char *line_end(const HydroLines *l) {
    const char *end = memchr(l->at, '\n', (size_t)(l->end - l->at));
    return end ? end : l->end;
}

bool hydro_text_line(HydroLines *l) {
    if (l->at == l->end) return false;
    const char *end = line_end(l);
    l->at = end < l->end ? end + 1 : end;
    return true;
}

// One word as a number; NaN if it is none.
static double number_of(const char *word, size_t length) {
    char copy[40];
    if (length >= sizeof copy) return NAN;
    for (size_t i = 0; i < length; i++) copy[i] = word[i] == 'D' || word[i] == 'd' ? 'e' : word[i];
    copy[length] = 0;
    if (!strchr("+-.0123456789", copy[0]) || strchr(copy, 'x')) return NAN;
    char *end;
    double x = strtod(copy, &end);
    return *end || !(fabs(x) < 1e30) ? NAN : x; // what is beyond that is no property of a vessel
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; }

// The words of the line from at to end; false: reported.
static bool read_words(HydroLines *l, const char *at, const char *end, const char *what) {
    l->count = 0;
    while (true) {
        while (at < end && is_blank(*at)) at++;
        if (at == end) return true;
        const char *word = at;
        while (at < end && !is_blank(*at)) at++;
        if (l->count == HYDRO_WORDS) return true; // whoever asks finds that it is one too many
        double x = number_of(word, (size_t)(at - word));
        if (isnan(x)) {
            Remark *m = report_error(l->r, X_HYDRO_NUMBER, place_of(l, word),
                                     "'%.*s' is no number, in a line of %s",
                                     (int)(at - word > 40 ? 40 : at - word), word, what);
            remark_help(l->r, m,
                        "a row of stars is a number that was too long for its field: run "
                        "the program again with other units");
            l->failed = true;
            return false;
        }
        l->place[l->count] = place_of(l, word);
        l->x[l->count++] = x;
    }
}

bool hydro_line(HydroLines *l, int least, int most, const char *what) {
    while (!l->failed && l->at < l->end) {
        const char *at = l->at, *end = line_end(l);
        hydro_text_line(l);
        while (at < end && is_blank(*at)) at++;
        if (at == end) continue;
        l->pos = place_of(l, at);
        if (!read_words(l, at, end, what)) return false;
        if (l->count >= least && l->count <= most) return true;
        report_error(l->r, X_HYDRO_NUMBER, l->pos, "%d number%s in a line of %s, expected %d%s",
                     l->count, l->count == 1 ? "" : "s", what, least,
                     least == most ? "" : " or more");
        l->failed = true;
    }
    return false;
}

bool hydro_must_line(HydroLines *l, int least, int most, const char *what) {
    if (hydro_line(l, least, most, what)) return true;
    if (!l->failed) {
        Remark *m = report_error(l->r, X_HYDRO_GAP, place_of(l, l->end),
                                 "the file ends where a line of %s belongs", what);
        remark_help(l->r, m, "the run was broken off, or the file is cut: write it again");
        l->failed = true;
    }
    return false;
}

bool hydro_whole(HydroLines *l, int word, int low, int high, const char *what, int *value) {
    double x = l->x[word];
    if (x == floor(x) && x >= low && x <= high) {
        *value = (int)x;
        return true;
    }
    report_error(l->r, X_HYDRO_NUMBER, l->place[word],
                 "%s is %g, expected a whole number from %d to %d", what, x, low, high);
    l->failed = true;
    return false;
}
