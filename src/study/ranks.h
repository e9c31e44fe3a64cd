// Ranks: the processes of one `mpirun`, perhaps on many machines.
//
//     bondyn --dlopen--> bondyn_mpi.so --> libmpi       only when mpirun has started more than one
//
// The program itself is not linked with MPI: who has none loses nothing. Messages are bytes from a
// rank to rank 0 and back; study_ranks.c tells what is in them.
#ifndef BONDYN_STUDY_RANKS_H
#define BONDYN_STUDY_RANKS_H

#include "base/report.h"
#include <stdbool.h>

typedef struct {
    int rank, count;
    bool (*send)(int to, const void *data, int size);
    // The sender, or -1: nothing is there (never when told to wait).
    int (*receive)(void *data, int most, bool wait);
    void (*end)(void); // when all ranks have done their work
} Ranks;

// What bondyn_mpi.so has under the name "bondyn_ranks".
typedef bool RanksOpen(Ranks *r);

int ranks_count(void); // as mpirun tells; 1 without it
int ranks_number(void);
// `program` is the folder of the program's file; Nullable. False: reported.
bool ranks_open(Ranks *r, const char *program, Report *report);

#endif
