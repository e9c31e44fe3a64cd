// Functions of C with the five arguments that 20-sim and others call:
//
//     int f(double *in, int inputs, double *out, int outputs, int major)      0: it has succeeded
//
// Numbers around the arrays tell whether the function keeps to the sizes that it was declared with.
#include "foreign/guest/guest.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int Classic(double *in, int inputs, double *out, int outputs, int major);

enum { MOST_FUNCTIONS = 256, MAJOR = 1 };

static struct {
    Classic *call[MOST_FUNCTIONS];
    char *name[MOST_FUNCTIONS];
    int count;
} all; // the guest serves one library

static const uint64_t unwritten = 0x7ff8b00db00db00d; // a NaN that nobody computes

static void fill(double *at, int count) {
    for (int i = 0; i < count; i++) memcpy(at + i, &unwritten, sizeof unwritten);
}

static bool is_unwritten(const double *x) {
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits == unwritten;
}

static bool guard_broken(const double *at) {
    for (int i = 0; i < GUARD_NUMBERS; i++)
        if (!is_unwritten(at + i)) return true;
    return false;
}

// number: inputs, outputs | copies: inputs, guard, outputs, guard
static void serve(Channel *c) {
    int n = c->inputs, m = c->outputs, k = c->argument;
    double *in = c->number + n + m, *out = in + n + GUARD_NUMBERS;
    if (k < 0 || k >= all.count || n < 0 || m < 0 || 2 * (n + m + GUARD_NUMBERS) > c->room) {
        say(c, "a call that makes no sense");
        return;
    }
    memcpy(in, c->number, (size_t)n * sizeof *in);
    fill(in + n, GUARD_NUMBERS);
    fill(out, m + GUARD_NUMBERS);
    int result = all.call[k](in, n, out, m, MAJOR);
    if (result != 0) {
        say(c, "it gave %d, which says that it has failed", result);
        return;
    }
    if (guard_broken(out + m)) {
        say(c, "it wrote behind its %d output%s: its signature is another one", m,
            m == 1 ? "" : "s");
        return;
    }
    if (guard_broken(in + n) || memcmp(in, c->number, (size_t)n * sizeof *in) != 0) {
        say(c, "it wrote to its inputs: its signature is another one");
        return;
    }
    for (int i = 0; i < m; i++)
        if (is_unwritten(out + i)) {
            say(c, "it did not write output %d of %d: its signature is another one", i + 1, m);
            return;
        }
    memcpy(c->number + n, out, (size_t)m * sizeof *out);
}

Serve *functions_load(Channel *c, const char *library, char **name, int count) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        say(c, "it cannot be loaded: %s", dlerror());
        return NULL;
    }
    for (int i = 0; i < count && i < MOST_FUNCTIONS; i++) {
        void *symbol = dlsym(handle, name[i]);
        if (!symbol) {
            say(c, "it has no function '%s'", name[i]);
            return NULL;
        }
        memcpy(&all.call[all.count], &symbol, sizeof symbol);
        all.name[all.count++] = name[i];
    }
    return serve;
}
