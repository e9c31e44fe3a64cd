// bondyn_mpi.so: the ranks of analysis/ranks.h by MPI.
#include "study/ranks.h"

#include <mpi.h>

enum { TAG = 1 };

static bool send(int to, const void *data, int size) {
    return MPI_Send(data, size, MPI_BYTE, to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static int receive(void *data, int most, bool wait) {
    MPI_Status status;
    int there = 0;
    if (!wait &&
        (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there))
        return -1;
    int from = there ? status.MPI_SOURCE : MPI_ANY_SOURCE;
    if (MPI_Recv(data, most, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &status) != MPI_SUCCESS)
        return -1;
    return status.MPI_SOURCE;
}

static void end(void) { MPI_Finalize(); }

RanksOpen bondyn_ranks; // the only name that is looked for

bool bondyn_ranks(Ranks *r) {
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return false;
    *r = (Ranks){.send = send, .receive = receive, .end = end};
    return MPI_Comm_rank(MPI_COMM_WORLD, &r->rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, &r->count) == MPI_SUCCESS;
}
