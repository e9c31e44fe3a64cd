// The run behind a page: every call that it gets is recorded, so that it can be done again.
#include "studio/live.h"

#include "base/memory.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { HISTORY_BYTES = 64 << 20, MOST_ROWS_SENT = 6000 };

// --- what happens is told ------------------------------------------------------------------------

static void tell_failure(Live *v, const char *what, const BdReport *r) {
    page_send(v->page, json_pack("{s:s, s:s, s:f, s:o, s:s}", "do", "failed", "what", what, "time",
                                 v->run ? bd_time(v->run) : 0.0, "messages", messages_json(r),
                                 "text", bd_report_text(r)));
}

static void set_number(json_t *to, const char *key, double x) {
    json_object_set_new(to, key, isfinite(x) ? json_real(x) : json_null());
}

static void tell_end(Live *v) {
    BdSummary s = bd_summary(v->run);
    json_t *x = json_pack("{s:s, s:s, s:I, s:I, s:I, s:b, s:i, s:i}", "do", "ended", "solver",
                          s.solver, "steps", (json_int_t)s.steps, "evaluations",
                          (json_int_t)s.evaluations, "events", (json_int_t)s.events, "balanced",
                          s.balanced, "expectations", s.expectations, "failed", s.failed);
    set_number(x, "time", s.reached);
    set_number(x, "supplied", s.supplied);
    set_number(x, "dissipated", s.dissipated);
    set_number(x, "stored", s.stored);
    set_number(x, "residual", s.residual);
    page_send(v->page, x);
}

static void tell_start(Live *v) {
    const BdRows *rows = bd_rows(v->run);
    json_t *names = json_array(), *units = json_array();
    for (int c = 1; c < rows->columns; c++) {
        json_array_append_new(names, json_string(rows->name[c]));
        json_array_append_new(units, json_string(rows->unit[c]));
    }
    char *scene = bd_scene(v->run, NULL);
    json_t *drawn = scene ? json_loads(scene, 0, NULL) : NULL;
    bd_free(scene);
    page_send(v->page, json_pack("{s:s, s:b, s:I, s:f, s:f, s:o, s:o, s:i, s:o}", "do", "started",
                                 "pulled", v->again, "revision", (json_int_t)v->built->revision,
                                 "time", bd_time(v->run), "stop", v->stop, "names", names, "units",
                                 units, "bodies", v->bodies, "scene", drawn ? drawn : json_null()));
}

// --- life ----------------------------------------------------------------------------------------

void drive_end(Live *v) {
    bd_run_free(v->run);
    built_free(v->built);
    free(v->row);
    free(v->now);
    free(v->input);
    free(v->input_fresh);
    free(v->snapshot.memory);
    trail_free(&v->trail);
    recording_free(&v->recording);
    v->run = NULL;
    v->built = NULL;
    v->row = v->now = v->input = NULL;
    v->input_fresh = NULL;
    v->snapshot = (Snapshot){0};
    v->status = LIVE_PAUSED;
}

static bool no_rows(void *context, const BdRows *block) { // the history keeps what is wanted
    (void)context;
    (void)block;
    return true;
}

// A piece on which much work was spent ends when somebody wants something else, or nobody is there any more. On a busy
// machine a short piece may take long by the clock, too: that is no reason to end a run.
static bool goes_on(void *context, double fraction) {
    Live *v = context;
    (void)fraction;
    if (atomic_load(&v->page->closed) || v->page->to_live.closed) return false;
    return clock_worked() - v->piece_begun < 2 || !box_bytes(&v->page->to_live);
}

static bool has_live_inputs(const BdModel *m) {
    BdVariable x;
    for (int i = 0; bd_variable(m, BD_INPUT, i, &x); i++)
        if (x.settable) return true;
    return false;
}

static double stop_of(const BdModel *m) {
    char *text = bd_text(m, BD_ABOUT);
    json_t *about = json_loads(text, 0, NULL);
    double stop = json_number_value(json_object_get(about, "stop"));
    bd_free(text);
    json_decref(about);
    return stop > 0 ? stop : 10;
}

BdRun *drive_open(const BdModel *m, double stop, bool (*progress)(void *, double), void *context,
                  BdReport *r) {
    static const char *const all[] = {"*"};
    BdRunOptions o = bd_default_run_options();
    o.stop = stop;
    o.rows = no_rows;
    o.progress = progress;
    o.context = context;
    if (bd_count(m, BD_VARIABLE) <= MOST_WATCHED) {
        o.record = all;
        o.record_count = 1;
    }
    return bd_start_view(m, &o, r);
}

static void read_row(Live *v) {
    v->row[0] = bd_time(v->run);
    bd_outputs(v->run, v->row + 1);
    bd_poses(v->run, v->row + v->columns);
    bd_arrows(v->run, v->row + v->columns + 7 * v->bodies);
}

// When the run ends. With inputs that somebody drives a run lasts a day, otherwise as long as the
// experiment says. A run that goes on with hands at its frames keeps its end.
static double end_of_run(const Live *v, const Built *b) {
    enum { DAY = 86400 };
    if (*b->pulls && v->run) return v->stop;
    double stop = stop_of(b->model);
    return has_live_inputs(b->model) && stop < DAY ? DAY : stop;
}

bool drive_start(Live *v, Built *b) {
    BdReport *r = bd_report_new();
    double stop = end_of_run(v, b);
    v->piece_begun = clock_worked();
    BdRun *run = drive_open(b->model, stop, goes_on, v, r);
    if (!run) {
        tell_failure(v, "the run could not start", r);
        bd_report_free(r);
        return false;
    }
    bd_report_free(r);
    built_keep(b);
    drive_end(v);
    v->built = b;
    v->run = run;
    v->stop = stop;
    v->columns = bd_rows(run)->columns;
    v->bodies = bd_body_count(run);
    v->seen = 7 * v->bodies + 3 * bd_arrow_count(run);
    size_t width = (size_t)v->columns + (size_t)v->seen;
    v->row = memory_zeroed(width + 1, sizeof *v->row);
    v->inputs = bd_count(b->model, BD_INPUT);
    v->input = memory_zeroed((size_t)v->inputs + 1, sizeof *v->input);
    v->input_fresh = memory_zeroed((size_t)v->inputs + 1, sizeof *v->input_fresh);
    trail_begin(&v->trail, (int)width, HISTORY_BYTES);
    v->watch.count = 0;
    v->missed = 0;
    read_row(v);
    trail_add(&v->trail, v->row);
    tell_start(v);
    return true;
}

// --- calls ---------------------------------------------------------------------------------------

static void tell_lost(Live *v) {
    Text t = {0};
    text_printf(&t, "this drive cannot be replayed any more: %s. The run goes on",
                v->recording.lost);
    page_tell(v->page, "note", text_get(&t));
    text_free(&t);
}

static void record(Live *v, CallKind kind, int which, double value) {
    if (!recording_add(&v->recording, kind, which, value)) tell_lost(v);
}

static void put_inputs(Live *v) {
    for (int i = 0; i < v->inputs; i++) {
        if (!v->input_fresh[i]) continue;
        v->input_fresh[i] = false;
        if (bd_set_input(v->run, i, v->input[i])) record(v, CALL_INPUT, i, v->input[i]);
    }
}

bool drive_to(Live *v, double time) {
    BdReport *r = bd_report_new();
    put_inputs(v);
    if (time > v->stop) time = v->stop;
    v->piece_begun = clock_worked();
    record(v, CALL_ADVANCE, 0, time);
    bool good = bd_advance(v->run, time, r);
    BdStatus status = bd_status(v->run);
    if (!good || (status != BD_GOING && status != BD_DONE)) {
        v->status = LIVE_FAILED;
        tell_failure(
            v,
            status == BD_CANCELLED
                ? "a step of the run took long, and something else was asked for: it was ended"
                : "the run ended early",
            r);
    } else if (status == BD_DONE) {
        v->status = LIVE_ENDED;
        tell_end(v);
    }
    bd_report_free(r);
    read_row(v);
    trail_add(&v->trail, v->row);
    return v->status != LIVE_FAILED && v->status != LIVE_ENDED;
}

bool drive_set(Live *v, const char *name, double si) {
    if (!v->run || !bd_set(v->run, name, si)) return false;
    record(v, CALL_SET, recording_name(&v->recording, name), si);
    return true;
}

void drive_input(Live *v, const char *name, double si) {
    int i = v->built ? bd_find(v->built->model, BD_INPUT, name) : -1;
    if (i < 0 || i >= v->inputs || !isfinite(si)) return;
    v->input[i] = si;
    v->input_fresh[i] = true;
}

// --- hands ---------------------------------------------------------------------------------------

static void call_again(Live *v, const Recording *c, const Call *x, const BdModel *before) {
    BdVariable input;
    switch (x->kind) {
    case CALL_ADVANCE: drive_to(v, x->value); break;
    case CALL_INPUT:
        if (bd_variable(before, BD_INPUT, x->which, &input)) drive_input(v, input.name, x->value);
        break;
    case CALL_SET: drive_set(v, c->name.data[x->which], x->value); break;
    case CALL_SAVE: drive_save(v); break;
    }
}

static void calls_again(Live *v, const Recording *c, const BdModel *before) {
    Call *block = memory_zeroed(CALL_BLOCK, sizeof *block);
    int i = 0;
    for (int n; (n = recording_read(c, i, block)) > 0; i += n)
        for (int k = 0; k < n && v->status == LIVE_PAUSED; k++) call_again(v, c, &block[k], before);
    if (i < c->count)
        page_tell(v->page, "error", "what was recorded of the run cannot be read: start it again");
    free(block);
}

void drive_again(Live *v, Built *b) {
    Recording so_far = v->recording;
    LiveStatus status = v->status;
    Built *before = built_keep(v->built);
    v->recording = (Recording){0};
    v->again = true;
    bool good = drive_start(v, b);
    v->again = false;
    if (good) {
        calls_again(v, &so_far, before->model);
        if (v->status == LIVE_PAUSED) v->status = status;
        drive_keep_time(v);
        drive_frame(v, true);
        recording_free(&so_far);
    } else {
        v->recording = so_far; // the old run goes on
    }
    built_free(before);
}

void drive_pull(Live *v, const char *frame, const double point[3]) {
    int hand = v->built ? pull_find(v->built->pulls, frame) : 0;
    char name[40];
    if (!hand) return; // its model is not there yet
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "studio_point%d[%d]", hand, i + 1);
        drive_input(v, name, point[i]);
    }
    snprintf(name, sizeof name, "studio_grip%d", hand);
    drive_input(v, name, 1);
}

void drive_let_go(Live *v) {
    char name[40];
    int hand = 0;
    for (const char *c = v->built ? v->built->pulls : ""; *c; c++) {
        if (*c != '\n') continue;
        snprintf(name, sizeof name, "studio_grip%d", ++hand);
        drive_input(v, name, 0);
    }
}

// To save starts the solver anew: it is a call like the others.
void drive_save(Live *v) {
    size_t size = v->run ? bd_saved_size(v->run) : 0;
    if (!size || v->status == LIVE_ENDED || v->status == LIVE_FAILED) return;
    free(v->snapshot.memory);
    v->snapshot.memory = memory_zeroed(size, 1);
    v->snapshot.size = size;
    bd_save(v->run, v->snapshot.memory);
    record(v, CALL_SAVE, 0, 0);
    v->snapshot.calls = v->recording.count;
    v->snapshot.time = bd_time(v->run);
    page_send(v->page, json_pack("{s:s, s:f}", "do", "snapshot", "time", v->snapshot.time));
}

bool drive_back(Live *v) {
    if (!v->run || !v->snapshot.memory) return false;
    if (!bd_restore(v->run, v->snapshot.memory, v->snapshot.size)) return false;
    if (!recording_cut(&v->recording, v->snapshot.calls)) tell_lost(v);
    memset(v->input_fresh, 0, (size_t)v->inputs * sizeof *v->input_fresh);
    v->status = LIVE_PAUSED;
    trail_cut(&v->trail, v->snapshot.time);
    read_row(v);
    trail_add(&v->trail, v->row);
    return true;
}

// --- another model -------------------------------------------------------------------------------

static bool same_names(const BdModel *a, const BdModel *b, BdKind kind) {
    BdVariable x, y;
    if (bd_count(a, kind) != bd_count(b, kind)) return false;
    for (int i = 0; bd_variable(a, kind, i, &x) && bd_variable(b, kind, i, &y); i++)
        if (strcmp(x.name, y.name) != 0) return false;
    return true;
}

// What is remembered of a run has its place by number: all names have to be the same.
bool drive_take_over(Live *v, Built *b) {
    if (!v->run || !same_names(v->built->model, b->model, BD_STATE) ||
        !same_names(v->built->model, b->model, BD_VARIABLE) ||
        !same_names(v->built->model, b->model, BD_PARAMETER))
        return false;
    size_t size = bd_saved_size(v->run);
    void *saved = memory_zeroed(size + 1, 1);
    if (size) bd_save(v->run, saved);
    BdReport *r = bd_report_new();
    BdRun *run = size ? drive_open(b->model, v->stop, goes_on, v, r) : NULL;
    bool good = run && bd_saved_size(run) == size && bd_restore(run, saved, size);
    free(saved);
    bd_report_free(r);
    if (!good) {
        bd_run_free(run);
        return false;
    }
    bd_run_free(v->run);
    built_free(v->built);
    v->run = run;
    v->built = built_keep(b);
    free(v->snapshot.memory);
    v->snapshot = (Snapshot){0};
    v->recording.lost = "it went on with another text";
    return true;
}

// --- time and frames -----------------------------------------------------------------------------

double drive_step(const Live *v) {
    double real = v->speed / FRAMES_PER_SECOND;
    if (isfinite(v->speed)) return real;
    return fmax(fmin(v->stop, 86400) / 2000, 1e-6);
}

void drive_keep_time(Live *v) {
    v->begun = clock_seconds();
    v->from = v->run ? bd_time(v->run) : 0;
    v->ticks = 0;
}

void drive_frame(Live *v, bool always) {
    double now = clock_seconds();
    if (!v->run || (!always && now - v->last_frame < 0.9 / FRAMES_PER_SECOND)) return;
    v->last_frame = now;
    enum { HEAD = 8 };
    size_t seen = (size_t)v->seen, n = HEAD + (size_t)v->watch.count + seen;
    double *x = memory_zeroed(n, sizeof *x);
    const double head[HEAD] = {1,
                               (double)v->watch_number,
                               v->row[0],
                               (double)v->status,
                               (double)v->missed,
                               v->achieved,
                               (double)atomic_load(&v->page->frames_dropped),
                               (double)v->watch.count};
    memcpy(x, head, sizeof head);
    for (int i = 0; i < v->watch.count; i++) x[HEAD + i] = v->row[v->watch.data[i]];
    memcpy(x + HEAD + v->watch.count, v->row + v->columns, seen * sizeof *x);
    page_send_frame(v->page, x, n);
    free(x);
}

// Kind 2, the number of the list, how many signals, rows, numbers of what is seen; times; a column
// per signal; poses and arrows row by row. Long histories are thinned.
void drive_history(Live *v) {
    const Trail *h = &v->trail;
    if (!v->run) return;
    int step = 1 + h->rows / MOST_ROWS_SENT, rows = (h->rows + step - 1) / step;
    size_t seen = (size_t)v->seen, n = 5 + (size_t)rows * (1 + (size_t)v->watch.count + seen);
    double *x = memory_zeroed(n, sizeof *x), *at = x;
    const double head[5] = {2, (double)v->watch_number, v->watch.count, rows, v->seen};
    memcpy(at, head, sizeof head);
    at += 5;
    for (int c = -1; c < v->watch.count; c++)
        for (int i = 0; i < rows; i++)
            *at++ = h->row[(size_t)i * (size_t)step * (size_t)h->columns +
                           (size_t)(c < 0 ? 0 : v->watch.data[c])];
    for (int i = 0; i < rows && seen; i++, at += seen)
        memcpy(at, h->row + (size_t)i * (size_t)step * (size_t)h->columns + v->columns,
               seen * sizeof *x);
    page_send_numbers(v->page, x, n);
    free(x);
}
