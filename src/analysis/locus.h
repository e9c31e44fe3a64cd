// Root loci: poles over the values of a parameter (locus.c).
#ifndef BONDYN_ANALYSIS_LOCUS_H
#define BONDYN_ANALYSIS_LOCUS_H

#include "analysis/dense.h"
#include "analysis/linear.h"
#include "base/text.h"

typedef struct {
    const char *name, *unit; // of the parameter
    int count, poles;
    double *value;  // as written
    Complex **pole; // per value; those of one branch have one number
    bool discrete;  // z, not 1/s
} Locus;

// The poles of value k; false: they are not found. All values have as many as the one with the fewest.
bool locus_take(Locus *l, Arena *out, const LinearModel *m, int k);
// Poles of one value after the other get the numbers of the branches that they continue.
void locus_join(Locus *l);
void locus_print(Text *out, const Locus *l);
void locus_json(Text *out, const Locus *l); // an object
void locus_csv(Text *out, const Locus *l);
void locus_svg(Text *out, const Locus *l);

#endif
