// Coefficients of a vessel as they are read, in SI and the library's axes.
#ifndef BONDYN_IMPORT_HYDRO_DATA_H
#define BONDYN_IMPORT_HYDRO_DATA_H

#include "base/array.h"
#include "import/hydro.h"

enum { HYDRO_AXES = 6, HYDRO_ENTRIES = 36, HYDRO_WORDS = 8 };

typedef struct {         // at one frequency
    double w;            // rad/s; 0 and INFINITY are limits
    double A[36], B[36]; // row by row
    bool seen[36];
    Pos pos[36];
} HydroPoint;

typedef struct { // wave forces per metre of wave, at one frequency and heading
    double w, beta;
    double re[6], im[6];
    bool seen[6];
    Pos pos;
} HydroWave;

typedef struct { // q q' s/(s^2 + 2 zeta w s + w^2): damping that no motion can get energy from
    double w, zeta;
    double q[6];
} HydroMode;

typedef struct {
    Arena *arena;
    const Sources *sources;
    HydroOptions options;
    Report *r;
    ARRAY(HydroPoint) point; // by rising frequency, once read
    ARRAY(HydroWave) wave;   // by frequency, then heading
    bool has_M, has_C, has_infinite;
    double M[36], C[36], A_infinite[36];
    double origin[2]; // of VERES: where the motions are about, ahead of midships and above the keel
    bool has_origin;
    int waves, headings; // of the grid of wave forces
    ARRAY(HydroMode) mode;
    double misfit; // of the modes, by the size of the damping
} Hydro;

typedef struct { // lines of numbers
    const char *at, *end;
    const char *begin;
    uint32_t source;
    Report *r;
    bool failed;
    Pos pos;                // of the present line
    double x[HYDRO_WORDS];  // its numbers
    Pos place[HYDRO_WORDS]; // and where they stand
    int count;
} HydroLines;

HydroLines hydro_lines(const Sources *sources, uint32_t source, Report *r);
bool hydro_text_line(HydroLines *l); // passes over one line, whatever it holds
// The next line that is not empty; it has between `least` and `most` numbers. False: at the end of
// the file, or reported (failed).
bool hydro_line(HydroLines *l, int least, int most, const char *what);
bool hydro_must_line(HydroLines *l, int least, int most, const char *what); // an end is reported
bool hydro_whole(HydroLines *l, int word, int low, int high, const char *what, int *value);

void hydro_read_wamit_1(Hydro *h, uint32_t source);
void hydro_read_wamit_3(Hydro *h, uint32_t source);
void hydro_read_wamit_hst(Hydro *h, uint32_t source);
void hydro_read_veres_7(Hydro *h, uint32_t source);
void hydro_read_veres_8(Hydro *h, uint32_t source);

HydroPoint *hydro_point(Hydro *h, double w);            // the one of this frequency, made if new
HydroWave *hydro_wave(Hydro *h, double w, double beta); // the same
void hydro_fit(Hydro *h); // finds `mode`, and A_infinite if it is open
void hydro_write(Text *out, const Hydro *h, const char *from);

#endif
