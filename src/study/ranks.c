#include "study/ranks.h"

#include "base/files.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// Open MPI, MPICH and its relatives, Slurm.
static int from_environment(const char *const *name, int otherwise) {
    for (int i = 0; name[i]; i++) {
        const char *text = getenv(name[i]);
        if (text && *text) return atoi(text);
    }
    return otherwise;
}

int ranks_count(void) {
    static const char *const name[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
    return from_environment(name, 1);
}

int ranks_number(void) {
    static const char *const name[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", NULL};
    return from_environment(name, 0);
}

static void *load(Arena *tmp, const char *program) {
    static const char *const place[] = {"bondyn_mpi.so", "../lib/bondyn/bondyn_mpi.so"};
    const char *given = getenv("BONDYN_MPI");
    if (given && *given) return dlopen(given, RTLD_NOW | RTLD_GLOBAL);
    for (size_t i = 0; program && i < sizeof place / sizeof place[0]; i++) {
        void *found = dlopen(path_join(tmp, program, place[i]), RTLD_NOW | RTLD_GLOBAL);
        if (found) return found;
    }
    return NULL;
}

bool ranks_open(Ranks *r, const char *program, Report *report) {
    Arena tmp = {0};
    void *library = load(&tmp, program);
    RanksOpen *open = NULL;
    if (library) *(void **)&open = dlsym(library, "bondyn_ranks");
    bool good = open && open(r);
    if (!good) {
        const char *why = library ? NULL : dlerror();
        Remark *m = report_error(report, V_NO_MPI, POS_NONE,
                                 "started by mpirun as %d processes, but there is no MPI in this "
                                 "program%s%s",
                                 ranks_count(), why ? ": " : "", why ? why : "");
        remark_help(report, m,
                    "build it where Open MPI is installed (libopenmpi-dev), or leave mpirun out: "
                    "all cores of this machine are used anyway");
    }
    arena_free(&tmp);
    return good;
}
