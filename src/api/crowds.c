// Many runs side by side, over lanes.
#include "api/handles.h"

#include "base/memory.h"
#include "run/crowd.h"
#include <stdlib.h>

struct BdCrowd {
    Copy copy;
    Arena arena;
    RunOptions options;
    Report report;
    Crowd *crowd;
};

static bool find_inputs(const BdModel *m, const int *input, int count, int *var, Report *r) {
    for (int i = 0; i < count; i++) {
        if (input[i] < 0 || input[i] >= m->count[BD_INPUT]) {
            Remark *x = report_error(r, S_BAD_OPTION, POS_NONE, "there is no input %d", input[i]);
            remark_help(r, x, "bd_find(m, BD_INPUT, name) gives its number");
            return false;
        }
        var[i] = m->list[BD_INPUT][input[i]];
    }
    return true;
}

BdCrowd *bd_crowd_new(const BdModel *m, int runs, double dt, const int *input, int input_count,
                      const BdRunOptions *o, BdReport *r) {
    static const BdRunOptions nothing = {0};
    BdCrowd *c = memory_zeroed(1, sizeof *c);
    int *var = memory_zeroed((size_t)input_count + 1, sizeof *var);
    copy_open(&c->copy, m);
    if (run_options_from(m, o ? o : &nothing, &c->arena, &c->options, &c->report) &&
        find_inputs(m, input, input_count, var, &c->report))
        c->crowd = crowd_new(&c->copy.system, &c->options, runs > 0 ? runs : 1, dt, var,
                             input_count, &c->report);
    free(var);
    report_hand_over(&c->report, m->sources, r);
    if (c->crowd) return c;
    bd_crowd_free(c);
    return NULL;
}

void bd_crowd_free(BdCrowd *c) {
    if (!c) return;
    crowd_free(c->crowd);
    report_free(&c->report);
    copy_close(&c->copy);
    arena_free(&c->arena);
    free(c);
}

int bd_crowd_lanes(const BdCrowd *c) { return crowd_lanes(c->crowd); }
int bd_crowd_groups(const BdCrowd *c) { return crowd_groups(c->crowd); }
int bd_crowd_columns(const BdCrowd *c) { return crowd_run(c->crowd)->results.column_count - 1; }

const char *bd_crowd_name(const BdCrowd *c, int column) {
    if (column < 0 || column >= bd_crowd_columns(c)) return NULL;
    return crowd_run(c->crowd)->results.column[column + 1].name;
}

void bd_crowd_reset(BdCrowd *c, int first, int last, double *value) {
    crowd_reset(c->crowd, first, last, NULL, value);
}

void bd_crowd_restart(BdCrowd *c, int first, int last, const bool *which, double *value) {
    crowd_reset(c->crowd, first, last, which, value);
}

void bd_crowd_step(BdCrowd *c, int first, int last, const double *inputs, double *value,
                   unsigned char *state) {
    crowd_step(c->crowd, first, last, inputs, value, state);
}
