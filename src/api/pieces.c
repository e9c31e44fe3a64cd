// Runs that are advanced in pieces.
#include "api/handles.h"

#include "base/memory.h"
#include "page/scene.h"
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
    Scene scene; // of bd_start_view
    Watch watch;
    double *watched; // a row of its values
} Pieces;

void pieces_free(struct Pieces *p) {
    if (!p) return;
    advance_free(p->advance);
    report_free(&p->report);
    array_free(&p->watch);
    free(p->watched);
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

static BdRun *start(const BdModel *m, const BdRunOptions *o, bool view, BdReport *r) {
    BdRun *run = run_new(m);
    Pieces *p = run->pieces = memory_zeroed(1, sizeof *p);
    if (o) p->o = *o;
    p->calls.o = &p->o;
    if (view) p->scene = scene_plan(&run->arena, &run->copy.model, &p->watch);
    if (run_options_from(m, &p->o, &run->arena, &p->options, &p->report)) {
        calls_put(&p->calls, &p->options);
        p->options.watch = p->watch.data;
        p->options.watch_count = p->watch.count;
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
    p->watched = memory_zeroed((size_t)p->watch.count + 1, sizeof *p->watched);
    return run;
}

BdRun *bd_start(const BdModel *m, const BdRunOptions *o, BdReport *r) {
    return start(m, o, false, r);
}

BdRun *bd_start_view(const BdModel *m, const BdRunOptions *o, BdReport *r) {
    return start(m, o, true, r);
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

// --- what is seen --------------------------------------------------------------------------------

// The present values of the watch list, as one row of a run.
static const double **watched_row(const Pieces *p) {
    const double **row = memory_zeroed((size_t)p->watch.count + 1, sizeof *row);
    for (int i = 0; i < p->watch.count; i++) {
        p->watched[i] = advance_watched(p->advance, i);
        row[i] = &p->watched[i];
    }
    return row;
}

int bd_body_count(const BdRun *run) { return run->pieces ? run->pieces->scene.body_count : 0; }

void bd_poses(const BdRun *run, double *pose) {
    const Pieces *p = run->pieces;
    if (!p || !p->scene.body_count) return;
    const double **row = watched_row(p);
    for (int i = 0; i < p->scene.body_count; i++)
        scene_pose(&p->scene.body[i], row, 0, pose + (size_t)7 * i);
    free(row);
}

int bd_arrow_count(const BdRun *run) { return run->pieces ? run->pieces->scene.arrow_count : 0; }

void bd_arrows(const BdRun *run, double *vector) {
    const Pieces *p = run->pieces;
    if (!p || !p->scene.arrow_count) return;
    const double **row = watched_row(p);
    scene_vectors(&p->scene, row, 0, vector);
    free(row);
}

char *bd_scene(const BdRun *run, BdReport *r) {
    const Pieces *p = run->pieces;
    if (!p || !p->scene.body_count) return NULL;
    Arena arena = {0};
    Report report = {0};
    Sources *sources = sources_copy(run->of->sources); // files of meshes are added
    Meshes meshes = meshes_load(&arena, &run->copy.model, sources, &report);
    double now = advance_time(p->advance);
    Column time = {.name = "time", .unit = "s", .value = &now};
    Run still = {.results = {.column = &time, .column_count = 1, .row_count = 1}};
    still.watched = watched_row(p);
    Text json = {0};
    scene_json(&json, &p->scene, &meshes, &still);
    report_hand_over(&report, sources, r);
    free(still.watched);
    sources_free(sources);
    arena_free(&arena);
    return json.data;
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

// A checksum (FNV-1a), by which bytes that were not saved by such a run are refused.
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
