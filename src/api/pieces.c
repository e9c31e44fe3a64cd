// Runs that are advanced in pieces.
#include "api/handles.h"

#include "base/memory.h"
#include "run/advance.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct Pieces {
    Advance *advance;
    BdRunOptions o;
    Calls calls;
    RunOptions options;
    Report report;
} Pieces;

void pieces_free(struct Pieces *p) {
    if (!p) return;
    advance_free(p->advance);
    report_free(&p->report);
    free(p);
}

// --- advancing -----------------------------------------------------------------------------------

// What the caller sees of a run that has gone on.
static void show_rows(BdRun *run) {
    Pieces *p = run->pieces;
    const Run *now = advance_run(p->advance);
    bool handed = p->o.rows != NULL;
    if (handed && advance_ended(p->advance) && now->results.row_count && run->rows.rows >= 0)
        hand_on_rows(&p->calls, &now->results);
    run->rows.rows = handed ? 0 : now->results.row_count;
}

BdRun *bd_start(const BdModel *m, const BdRunOptions *o, BdReport *r) {
    BdRun *run = run_new(m);
    Pieces *p = run->pieces = memory_zeroed(1, sizeof *p);
    if (o) p->o = *o;
    p->calls.o = &p->o;
    if (run_options_from(m, &p->o, &run->arena, &p->options, &p->report)) {
        calls_put(&p->calls, &p->options);
        p->advance = advance_new(&run->copy.system, &p->options, &p->report);
    }
    run_tell(m, &p->o, &p->report, r);
    if (!p->advance) {
        bd_run_free(run);
        return NULL;
    }
    run->run = (Run *)advance_run(p->advance);
    run->rows = rows_of(&run->arena, &run->run->results);
    show_rows(run);
    return run;
}

static bool no_pieces(BdReport *r, const BdModel *m) {
    Report report = {0};
    Remark *x = report_error(&report, S_BAD_OPTION, POS_NONE, "this run does not go in pieces");
    remark_help(&report, x, "bd_start begins one that does");
    report_hand_over(&report, m->sources, r);
    return false;
}

bool bd_advance(BdRun *run, double time, BdReport *r) {
    Pieces *p = run->pieces;
    if (!p) return no_pieces(r, run->of);
    bool over = advance_ended(p->advance);
    bool good = advance_to(p->advance, time);
    if (!over) show_rows(run);
    run_tell(run->of, &p->o, &p->report, r);
    return good;
}

void bd_pause(BdRun *run) {
    if (run->pieces) advance_pause(run->pieces->advance);
}

bool bd_set_input(BdRun *run, int input, double value) {
    const BdModel *m = run->of;
    if (!run->pieces || input < 0 || input >= m->count[BD_INPUT]) return false;
    return advance_set_input(run->pieces->advance, m->list[BD_INPUT][input], value);
}

double bd_value(const BdRun *run, const char *name) {
    for (int c = 0; run->pieces && name && c < run->rows.columns; c++)
        if (strcmp(run->rows.name[c], name) == 0) return advance_value(run->pieces->advance, c);
    return NAN;
}

// --- for runs in pieces --------------------------------------------------------------------------

double pieces_time(const struct Pieces *p) { return advance_time(p->advance); }

BdStatus pieces_status(const struct Pieces *p) {
    return advance_ended(p->advance) ? BD_DONE : BD_GOING;
}

bool pieces_set(struct Pieces *p, int var, double value) {
    return advance_set_parameter(p->advance, var, value);
}

bool pieces_reset(BdRun *run) {
    bool good = advance_reset(run->pieces->advance);
    report_free(&run->pieces->report);
    run->pieces->report = (Report){0};
    return good;
}

bool pieces_outputs(const BdRun *run, double *value) {
    int count;
    const Track *track = advance_tracks(run->pieces->advance, &count);
    for (int c = 1; c < run->rows.columns; c++)
        value[c - 1] = show(track[c].shown, advance_value(run->pieces->advance, c));
    return true;
}

void pieces_states(const BdRun *run, double *x) {
    const double *now;
    int have = advance_states(run->pieces->advance, &now), want = run->of->count[BD_STATE];
    for (int i = 0; i < want; i++) x[i] = i < have ? now[i] : NAN; // of modes they are not shown
}

// --- saving --------------------------------------------------------------------------------------

typedef struct { // before what the run itself saves
    char mark[8];
    uint64_t digest;
    uint64_t size;
} Seal;

static const char seal_mark[8] = "bondyn2";

// FNV-1a: what was not saved by such a run is not let in.
static uint64_t digest_of(const unsigned char *at, size_t size) {
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < size; i++) h = (h ^ at[i]) * 1099511628211u;
    return h;
}

size_t pieces_save(struct Pieces *p, void *to) {
    if (!to) {
        size_t size = advance_save(p->advance, NULL);
        return size ? sizeof(Seal) + size : 0;
    }
    char *at = to;
    Seal seal = {.size = advance_save(p->advance, at + sizeof seal)};
    if (!seal.size) return 0;
    memcpy(seal.mark, seal_mark, sizeof seal.mark);
    seal.digest = digest_of((unsigned char *)at + sizeof seal, seal.size);
    memcpy(at, &seal, sizeof seal);
    return sizeof seal + seal.size;
}

bool pieces_restore(struct Pieces *p, const void *from, size_t size) {
    Seal seal;
    const char *at = from;
    if (size < sizeof seal) return false;
    memcpy(&seal, at, sizeof seal);
    if (memcmp(seal.mark, seal_mark, sizeof seal.mark) != 0 || seal.size != size - sizeof seal ||
        digest_of((const unsigned char *)at + sizeof seal, seal.size) != seal.digest)
        return false;
    return advance_restore(p->advance, at + sizeof seal, seal.size);
}
