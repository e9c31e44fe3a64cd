// A drive as a file: every call that the run got, in order. Numbers are in hexadecimal, so they come
// back as they were; the same calls of the same model give the same bits.
//
//     bondyn recording 1
//     model Simulator
//     experiment Drive
//     stop 0x1.518p+16
//     pull own plant.arm.tool        a hand at a frame, see pull.c
//     input stick.x 0x1.8p-2
//     advance 0x1.1111111111111p-6
//     set c.K_d 0x1.f4p+9
//     save
//     end 36
//     state plant.arm.q1.q 0x1.2p-3
#include "studio/inside.h"
#include "studio/live.h"

#include "base/memory.h"
#include <string.h>

enum { MOST_CALLS = 20 << 20 }; // four days of frames

void recording_begin(Recording *c) { recording_free(c); }

void recording_add(Recording *c, CallKind kind, int which, double value) {
    if (c->call.count >= MOST_CALLS) c->full = true;
    if (c->full) return;
    array_push(&c->call, ((Call){kind, which, value}));
}

int recording_name(Recording *c, const char *name) {
    for (int i = 0; i < c->name.count; i++)
        if (strcmp(c->name.data[i], name) == 0) return i;
    Text t = {0};
    text_add(&t, name);
    array_push(&c->name, t.data);
    return c->name.count - 1;
}

void recording_cut(Recording *c, int count) {
    if (count < c->call.count) c->call.count = count;
}

void recording_free(Recording *c) {
    for (int i = 0; i < c->name.count; i++) free(c->name.data[i]);
    array_free(&c->name);
    array_free(&c->call);
    c->full = false;
}

static void write_call(Text *out, const Recording *c, const Call *x, const BdModel *m) {
    BdVariable v;
    switch (x->kind) {
    case CALL_ADVANCE: text_printf(out, "advance %a\n", x->value); break;
    case CALL_INPUT:
        if (bd_variable(m, BD_INPUT, x->which, &v))
            text_printf(out, "input %s %a\n", v.name, x->value);
        break;
    case CALL_SET: text_printf(out, "set %s %a\n", c->name.data[x->which], x->value); break;
    case CALL_SAVE: text_add(out, "save\n"); break;
    }
}

void recording_write(Text *out, const Recording *c, const Built *b, const BdRun *run, double stop) {
    const BdModel *m = b->model;
    int states = bd_count(m, BD_STATE);
    BdVariable v;
    text_printf(out, "bondyn recording 1\nmodel %s\nexperiment %s\nstop %a\n",
                *b->plain ? b->plain : bd_model_name(m), bd_model_experiment(m), stop);
    for (const char *line = b->pulls; *line;) { // whole lines
        const char *next = strchr(line, '\n') + 1;
        text_add(out, "pull ");
        text_add_n(out, line, (size_t)(next - line));
        line = next;
    }
    for (int i = 0; i < c->call.count; i++) write_call(out, c, &c->call.data[i], m);
    double *x = memory_zeroed((size_t)states + 1, sizeof *x);
    bd_get_states(run, x);
    text_printf(out, "end %d\n", states);
    for (int i = 0; i < states; i++)
        if (bd_variable(m, BD_STATE, i, &v)) text_printf(out, "state %s %a\n", v.name, x[i]);
    free(x);
}
