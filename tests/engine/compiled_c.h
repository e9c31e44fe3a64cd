// A program as generated C, compiled and loaded.
#ifndef BONDYN_TESTS_ENGINE_COMPILED_C_H
#define BONDYN_TESTS_ENGINE_COMPILED_C_H

#include "../test.h"

#include "engine/program.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef size_t Size(void);
typedef void Init(void *m);
typedef int Derivative(void *m, double time, const double *state, double *rate, double *quad);
typedef int Function(void *m, double time, const double *state, double *result);

typedef struct {
    void *library, *machine;
} Compiled;

static inline void *symbol(Compiled *c, const char *name) {
    void *address = dlsym(c->library, name);
    assert_non_null(address);
    return address;
}

// Function pointers come as data pointers from dlsym; memcpy converts them.
#define GET(type, name)                                                                            \
    type *name = NULL;                                                                             \
    void *name##_address = symbol(&c, "m_" #name);                                                 \
    memcpy(&name, &name##_address, sizeof name)

// `flags` are those of the C compiler.
static inline Compiled compile(const Program *p, const char *flags) {
    char folder[] = "/tmp/bondyn_c_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64], command[512];
    snprintf(path, sizeof path, "%s/m.c", folder);
    Text text = {0};
    program_c(&text, p, "m");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text_get(&text), file);
    fclose(file);
    text_free(&text);
    snprintf(command, sizeof command,
             "cc -std=c17 %s -ffp-contract=off -shared -fPIC -o %s/m.so %s -lm", flags, folder,
             path);
    assert_int_equal(system(command), 0);
    Compiled c = {0};
    snprintf(command, sizeof command, "%s/m.so", folder);
    c.library = dlopen(command, RTLD_NOW);
    assert_non_null(c.library);
    unlink(command);
    unlink(path);
    rmdir(folder);
    GET(Size, machine_size);
    GET(Init, init);
    c.machine = malloc(machine_size());
    init(c.machine);
    return c;
}

static inline void compiled_free(Compiled *c) {
    free(c->machine);
    dlclose(c->library);
}

#endif
