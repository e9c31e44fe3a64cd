// What writers of results share: csv.c, hdf5.c and mat.c fill in how.
#ifndef BONDYN_RESULTS_WRITER_H
#define BONDYN_RESULTS_WRITER_H

#include "results/columns.h"

typedef struct { // how a format is written
    bool (*begin)(ResultWriter *w, const Results *block);
    bool (*add)(ResultWriter *w, const Results *block); // one row or more
    bool (*finish)(ResultWriter *w, bool complete);     // closes the file, whatever happened
    // Says why, after something failed. True: what is in the file is worth keeping.
    bool (*salvage)(ResultWriter *w, Report *report);
} WriterKind;

struct ResultWriter {
    const WriterKind *kind;
    Arena arena;
    const char *path, *beside; // the place, and where it is written meanwhile
    bool begun;                // the head is written
    bool failed;               // and that is reported
    long rows;                 // written
};

// The part that all writers have, before anything is written; the arena goes into it at the end.
ResultWriter writer_at(Arena *arena, const char *path, const WriterKind *kind);

#endif
