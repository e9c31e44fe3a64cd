// The thread of a page that runs the model: it obeys the page, and while it plays it leads the run
// from frame to frame with the clock.
//
//     fresh                     the text side has built another model
//     start | go on             run it from its start, or from the present state
//     play, pause, step, reset, speed x
//     snapshot, back            keep the present state; go back to it
//     input name value, set name value        SI
//     pulled                    the text side has put hands at frames: the run so far is done again
//     pull frame x y z, let_go  where a hand is
//     watch [names] number      what frames carry; the history of it comes at once
//     keep name                 the recording as a file in the folder
#include "studio/live.h"

#include "base/files.h"
#include <math.h>
#include <string.h>
#include <time.h>

// --- models --------------------------------------------------------------------------------------

static Built *take_from(Page *p, Built **slot) {
    pthread_mutex_lock(&p->to_live.lock);
    Built *b = *slot;
    *slot = NULL;
    pthread_mutex_unlock(&p->to_live.lock);
    return b;
}

typedef struct {
    Live live;
    Built *next; // newer than that of the run; NULL: none
} Side;

static void start(Side *s, Built *b) {
    if (drive_start(&s->live, b)) drive_frame(&s->live, true);
}

// A run that nobody has begun is replaced; one that is under way goes on, and the page may choose.
static void take_model(Side *s) {
    Built *fresh = take_from(s->live.page, &s->live.page->fresh);
    if (!fresh) return;
    built_free(s->next);
    s->next = fresh;
    Live *v = &s->live;
    bool untouched = !v->run || v->recording.count == 0;
    if (untouched)
        start(s, fresh);
    else
        page_send(v->page,
                  json_pack("{s:s, s:I}", "do", "stale", "revision", (json_int_t)fresh->revision));
}

static void restart(Side *s) {
    Built *b = s->next ? built_keep(s->next) : built_keep(s->live.built);
    if (b) start(s, b);
    built_free(b);
}

static void go_on(Side *s) {
    if (!s->next) return;
    if (drive_take_over(&s->live, s->next)) {
        page_send(s->live.page, json_pack("{s:s, s:I}", "do", "went_on", "revision",
                                          (json_int_t)s->next->revision));
        drive_keep_time(&s->live);
    } else {
        page_tell(s->live.page, "error",
                  "the new model has other states: it can only begin at its start");
    }
}

// The model with hands takes the place of that of the run, which is done again up to now.
static void take_pulled(Side *s) {
    Live *v = &s->live;
    Built *b = take_from(v->page, &v->page->pulled);
    if (!b) return;
    if (v->run && v->built->revision == b->revision && !v->recording.lost)
        drive_again(v, b);
    else
        page_tell(v->page, "error", "the text has changed: start the run again, then pull");
    built_free(b);
}

// --- commands ------------------------------------------------------------------------------------

static void play(Live *v) {
    if (!v->run || v->status == LIVE_ENDED || v->status == LIVE_FAILED) return;
    v->status = LIVE_PLAYING;
    drive_keep_time(v);
}

static void pause_run(Live *v) {
    if (v->status == LIVE_PLAYING) v->status = LIVE_PAUSED;
    drive_frame(v, true);
}

static void step_run(Live *v) {
    if (!v->run || v->status == LIVE_ENDED || v->status == LIVE_FAILED) return;
    v->status = LIVE_PAUSED;
    drive_to(v, bd_time(v->run) + drive_step(v));
    drive_frame(v, true);
}

static void set_speed(Live *v, const json_t *message) {
    double x = json_number_value(json_object_get(message, "value"));
    v->speed = x <= 0 ? INFINITY : fmin(fmax(x, 1e-4), 1e4);
    drive_keep_time(v);
}

static void set_parameter(Live *v, const json_t *message) {
    const char *name = message_string(message, "name");
    double value = json_number_value(json_object_get(message, "value"));
    if (!drive_set(v, name, value)) {
        page_send(v->page, json_pack("{s:s, s:s}", "do", "not_set", "name", name));
        return;
    }
    if (v->status == LIVE_PAUSED) { // shows at once what it does
        drive_to(v, bd_time(v->run));
        drive_frame(v, true);
    }
}

static int column_named(const BdRows *rows, const char *name) {
    for (int c = 1; c < rows->columns; c++)
        if (strcmp(rows->name[c], name) == 0) return c;
    return 0; // the time: a place has to be kept
}

static void watch(Live *v, const json_t *message) {
    size_t i;
    const json_t *name;
    v->watch.count = 0;
    v->watch_number = (long)json_integer_value(json_object_get(message, "number"));
    json_array_foreach(json_object_get(message, "names"), i, name) {
        if (v->watch.count == MOST_WATCHED || !v->run) break;
        const char *word = json_string_value(name);
        array_push(&v->watch, column_named(bd_rows(v->run), word ? word : ""));
    }
    drive_history(v);
    drive_frame(v, true);
}

// Written piece by piece: a long drive needs no more memory when it is kept.
static bool write_recording(const Live *v, const char *path) {
    Arena arena = {0};
    Report quiet = {0};
    char *beside = file_beside(&arena, path);
    int file = file_create(beside, path);
    FILE *f = file < 0 ? NULL : fdopen(file, "wb");
    bool good = f && recording_write(&v->recording, v->built, v->run, v->stop, f);
    if (f && fclose(f) != 0) good = false;
    if (good)
        good = file_commit(beside, path, &quiet);
    else if (file >= 0)
        file_discard(beside, path);
    report_free(&quiet);
    arena_free(&arena);
    return good;
}

static void keep_recording(Live *v, const json_t *message) {
    if (!v->run) return;
    const char *name = message_string(message, "name");
    if (v->recording.lost) {
        Text t = {0};
        text_printf(&t, "this run cannot be replayed: %s", v->recording.lost);
        page_tell(v->page, "error", text_get(&t));
        text_free(&t);
        return;
    }
    char *path = folder_path(server_folder(v->page->server), name, false);
    if (path && write_recording(v, path))
        page_send(v->page,
                  json_pack("{s:s, s:s, s:s, s:i}", "do", "kept", "name", name, "experiment",
                            bd_model_experiment(v->built->model), "calls", v->recording.count));
    else
        page_tell(v->page, "error", "the recording cannot be written");
    free(path);
}

static void back(Live *v) {
    if (!drive_back(v)) return;
    drive_history(v);
    drive_frame(v, true);
    drive_keep_time(v);
}

static void pull(Live *v, const json_t *message) {
    static const char *const axis[] = {"x", "y", "z"};
    double point[3];
    for (int i = 0; i < 3; i++) point[i] = json_number_value(json_object_get(message, axis[i]));
    drive_pull(v, message_string(message, "frame"), point);
}

static void handle(Side *s, const json_t *message) {
    Live *v = &s->live;
    const char *what = message_string(message, "do");
    if (strcmp(what, "fresh") == 0)
        take_model(s);
    else if (strcmp(what, "start") == 0 || strcmp(what, "reset") == 0)
        restart(s);
    else if (strcmp(what, "go_on") == 0)
        go_on(s);
    else if (strcmp(what, "play") == 0)
        play(v);
    else if (strcmp(what, "pause") == 0)
        pause_run(v);
    else if (strcmp(what, "step") == 0)
        step_run(v);
    else if (strcmp(what, "speed") == 0)
        set_speed(v, message);
    else if (strcmp(what, "snapshot") == 0)
        drive_save(v);
    else if (strcmp(what, "back") == 0)
        back(v);
    else if (strcmp(what, "input") == 0)
        drive_input(v, message_string(message, "name"),
                    json_number_value(json_object_get(message, "value")));
    else if (strcmp(what, "set") == 0)
        set_parameter(v, message);
    else if (strcmp(what, "watch") == 0)
        watch(v, message);
    else if (strcmp(what, "keep") == 0)
        keep_recording(v, message);
    else if (strcmp(what, "pulled") == 0)
        take_pulled(s);
    else if (strcmp(what, "pull") == 0)
        pull(v, message);
    else if (strcmp(what, "let_go") == 0)
        drive_let_go(v);
}

// --- time ----------------------------------------------------------------------------------------

// When the next frame is due, in seconds of the clock.
static double deadline(const Live *v) {
    if (!isfinite(v->speed)) return 0;
    return v->begun + (double)(v->ticks + 1) / FRAMES_PER_SECOND;
}

static struct timespec time_of(double seconds) {
    double whole = floor(seconds);
    return (struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
}

// A frame is late when the next one is due already. A run that cannot keep up loses no model time:
// it falls behind the clock, and the clock is set anew.
static void tick(Live *v) {
    enum { LATE_FRAMES = 3 };
    double before = clock_seconds(), from = bd_time(v->run);
    v->ticks++;
    double to =
        isfinite(v->speed) ? v->from + (double)v->ticks * drive_step(v) : from + drive_step(v);
    bool more = drive_to(v, to);
    double after = clock_seconds(), late = (after - deadline(v)) * FRAMES_PER_SECOND;
    double speed = (v->row[0] - from) / fmax(after - before, 1e-9);
    v->achieved += 0.05 * (speed - v->achieved);
    if (isfinite(v->speed) && late > 0) v->missed++;
    if (isfinite(v->speed) && late > LATE_FRAMES) drive_keep_time(v);
    drive_frame(v, !more);
    if (!more) drive_history(v);
}

void *live_thread(void *context) {
    Page *p = context;
    Side s = {.live = {.page = p, .speed = 1}};
    Live *v = &s.live;
    while (page_works(p, &p->to_live)) {
        struct timespec until = time_of(deadline(v));
        if (box_wait(&p->to_live, v->status == LIVE_PLAYING ? &until : NULL)) {
            json_t *message = page_take(p, &p->to_live);
            if (message) handle(&s, message);
            json_decref(message);
        }
        if (v->status == LIVE_PLAYING && clock_seconds() >= deadline(v)) tick(v);
    }
    drive_end(v);
    built_free(s.next);
    array_free(&v->watch);
    page_release(p);
    return NULL;
}
