// Tables of programs for waves on vessels become text of the language.
//
//     hydro_lines.c   lines of numbers        hydro_fit.c     the memory of radiated waves
//     hydro_wamit.c   .1 .3 .hst              hydro_write.c   tables and models as text
//     hydro_veres.c   .re7 .re8 of ShipX      hydro.c         what belongs together, gaps
//
// `bondyn import hydro` writes it. Numbers become SI, axes those of the library: x forward, y to
// port, z up; waves run to their heading.
#ifndef BONDYN_IMPORT_HYDRO_H
#define BONDYN_IMPORT_HYDRO_H

#include "base/report.h"

typedef enum {
    HYDRO_WAMIT_1,   // added mass and damping
    HYDRO_WAMIT_3,   // wave forces
    HYDRO_WAMIT_HST, // hydrostatic stiffness
    HYDRO_VERES_7,   // mass, added mass, damping, stiffness
    HYDRO_VERES_8,   // wave forces
    HYDRO_KINDS
} HydroKind;

typedef struct {
    const char *name;      // of the vessel
    double rho, g, length; // WAMIT's numbers are free of them; VERES brings its own rho and g
    int modes;             // of the memory of radiated waves, at most
} HydroOptions;

typedef struct {
    HydroKind kind;
    uint32_t source;
} HydroFile;

// The kind that the ending of a file says; HYDRO_KINDS: none.
HydroKind hydro_kind(const char *path);
const char *hydro_ending(HydroKind kind);

// The text that these files make together. False: reported, and nothing is written.
bool hydro_import(Text *out, const Sources *sources, const HydroFile *files, int count,
                  const HydroOptions *options, Report *r);

#endif
