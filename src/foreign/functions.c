// See functions.h. A call goes to a guest process (guest.h); what it says of a fault is kept for
// the message, as the point where it happened may be one that a solver only tried.
#include "foreign/functions.h"

#include "base/memory.h"
#include "foreign/guest.h"
#include <math.h>
#include <string.h>

struct ForeignCode {
    Arena arena;
    ForeignFunction f;
    External call, rate;
    Guest *guest;
    const char *symbol[2];
};

static bool call_guest(const External *e, const double *in, double *out) {
    const ForeignCode *c = e->context;
    return guest_call(c->guest, &(GuestCall){.argument = e == &c->rate,
                                             .in = in,
                                             .inputs = e->inputs,
                                             .out = out,
                                             .outputs = e->outputs});
}

static void say_numbers(Text *out, const double *x, int n) {
    text_add(out, "(");
    for (int i = 0; i < n && i < 6; i++) text_printf(out, "%s%.6g", i ? ", " : "", x[i]);
    text_add(out, n > 6 ? ", ...)" : ")");
}

// First of all the numbers that are handed back, then what the guest said.
static void explain(const External *e, const double *in, Text *what, Text *help) {
    const ForeignCode *c = e->context;
    double *out = memory_zeroed((size_t)e->outputs, sizeof *out);
    bool good = call_guest(e, in, out);
    int bad = 0;
    while (good && bad < e->outputs && isfinite(out[bad])) bad++;
    if (good && bad < e->outputs) {
        text_printf(what, "output %d of '%s' in %s is %g for ", bad + 1, c->symbol[e == &c->rate],
                    c->f.library, out[bad]);
        say_numbers(what, in, e->inputs);
        text_add(help, "see that it is given what it can compute, and gives finite numbers");
    } else {
        text_printf(what, "'%s' in %s: %s; its inputs were ", c->symbol[e == &c->rate],
                    c->f.library, guest_words(c->guest));
        say_numbers(what, in, e->inputs);
        text_add(help,
                 "its C is int f(double *in, int inputs, double *out, int outputs, int major); "
                 "it gives 0, writes all of its outputs and nothing else");
    }
    free(out);
}

static const char *absolute(ForeignCode *c, const char *path) {
    char *real = realpath(path, NULL);
    const char *kept = real ? arena_copy_text(&c->arena, real, strlen(real)) : path;
    free(real);
    return kept;
}

ForeignCode *foreign_function_new(const ForeignFunction *f) {
    ForeignCode *c = memory_zeroed(1, sizeof *c);
    c->f = *f;
    c->symbol[0] = f->symbol;
    c->symbol[1] = f->derivative;
    c->call =
        (External){f->name, f->inputs, f->outputs, f->impure, NULL, call_guest, explain, c, NULL};
    c->rate = c->call;
    c->rate.inputs = 2 * f->inputs;
    c->rate.rate = external_differences(&c->arena, &c->rate);
    c->call.rate = f->derivative ? &c->rate : external_differences(&c->arena, &c->call);
    c->guest = guest_new(&(GuestOptions){.kind = "function",
                                         .library = absolute(c, f->library),
                                         .name = c->symbol,
                                         .name_count = f->derivative ? 2 : 1,
                                         .room = 2 * f->inputs + f->outputs});
    return c;
}

const External *foreign_function(const ForeignCode *c) { return &c->call; }

const char *foreign_function_try(ForeignCode *c) {
    return guest_start(c->guest) ? NULL : guest_words(c->guest);
}

void foreign_function_free(void *code) {
    ForeignCode *c = code;
    guest_free(c->guest);
    arena_free(&c->arena);
    free(c);
}
