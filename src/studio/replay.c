// A recorded drive, run again by the same calls.
#include "studio/live.h"

#include "base/files.h"
#include "base/memory.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const ReplayOptions *o;
    Replay *to;
    BdReport *r;
    char *text, *at; // of the recording; what is left of it
    int line;
    BdModel *model;
    BdRun *run;
    Text csv;
    double *value;
} Replaying;

static bool fail(Replaying *p, const char *what, const char *help) {
    Text t = {0};
    text_printf(&t, "%s, line %d: %s", p->o->recording, p->line, what);
    bd_report_add(p->r, BD_ERROR, "T018", text_get(&t), help);
    text_free(&t);
    return false;
}

static bool fail_as(Replaying *p, const BdReport *said) {
    const BdMessage *m;
    for (int i = 0; (m = bd_report_message(said, i)); i++)
        if (m->severity == BD_ERROR)
            return fail(p, m->text, *m->remedy ? m->remedy : "see bondyn check");
    return fail(p, "the run ended early", "see bondyn check");
}

// The next line in its words: kind, name, number; what is not there is "" or 0.
typedef struct {
    char *kind, *name, *number;
    double value;
    bool has_value;
} Line;

static bool next_line(Replaying *p, Line *to) {
    if (!*p->at) return false;
    char *end = strchr(p->at, '\n'), *line = p->at;
    p->at = end ? end + 1 : p->at + strlen(p->at);
    if (end) *end = 0;
    p->line++;
    static char nothing[1];
    char *first = strchr(line, ' '), *last = strrchr(line, ' ');
    *to = (Line){line, nothing, nothing, 0, false};
    if (!first) return true;
    *first = 0;
    to->name = first + 1;
    to->number = last == first ? first + 1 : last + 1;
    if (last != first) *last = 0;
    char *stop;
    to->value = strtod(to->number, &stop);
    to->has_value = *to->number && !*stop && isfinite(to->value);
    return true;
}

// --- the calls -----------------------------------------------------------------------------------

static void write_row(Replaying *p) {
    const BdRows *rows = bd_rows(p->run);
    if (!p->o->csv) return;
    bd_outputs(p->run, p->value);
    text_number(&p->csv, bd_time(p->run));
    for (int c = 1; c < rows->columns; c++) {
        text_char(&p->csv, ',');
        text_number(&p->csv, p->value[c - 1]);
    }
    text_char(&p->csv, '\n');
}

static void write_names(Replaying *p) {
    const BdRows *rows = bd_rows(p->run);
    for (int c = 0; c < rows->columns; c++) {
        const char *unit = rows->unit[c];
        text_printf(&p->csv, c ? ",%s" : "%s", rows->name[c]);
        if (*unit) text_printf(&p->csv, " [%s]", unit);
    }
    text_char(&p->csv, '\n');
}

static bool advance(Replaying *p, double time) {
    BdReport *r = bd_report_new();
    bool good = bd_advance(p->run, time, r) || fail_as(p, r);
    bd_report_free(r);
    p->to->pieces++;
    write_row(p);
    return good;
}

static void save_for_nothing(Replaying *p) { // to save starts the solver anew
    size_t size = bd_saved_size(p->run);
    void *memory = memory_zeroed(size + 1, 1);
    if (size) bd_save(p->run, memory);
    free(memory);
}

static bool do_call(Replaying *p, const Line *l) {
    if (strcmp(l->kind, "save") == 0) {
        save_for_nothing(p);
        return true;
    }
    if (!l->has_value) return fail(p, "a number is missing", "the file is damaged");
    if (strcmp(l->kind, "advance") == 0) return advance(p, l->value);
    if (strcmp(l->kind, "input") == 0)
        return bd_set_input(p->run, bd_find(p->model, BD_INPUT, l->name), l->value) ||
               fail(p, "the model has no such input", "it has changed since the recording");
    if (strcmp(l->kind, "set") == 0)
        return bd_set(p->run, l->name, l->value) ||
               fail(p, "the model has no such parameter", "it has changed since the recording");
    return fail(p, "this is no line of a recording", "the file is damaged");
}

// --- begin and end -------------------------------------------------------------------------------

// `pulls`: frames with a hand at them, which the model of the file does not have.
static bool load(Replaying *p, const char *model, const char *experiment, const char *pulls) {
    BdLoadOptions o = bd_default_load_options();
    BdReport *r = bd_report_new();
    Text hands = {0};
    pulled_model(&hands, model, pulls);
    o.library = p->o->library;
    o.experiment = *experiment ? experiment : NULL;
    o.model = *pulls ? PULLED_MODEL : *experiment ? NULL : model;
    o.added = *pulls ? text_get(&hands) : NULL;
    snprintf(p->to->experiment, sizeof p->to->experiment, "%s", *experiment ? experiment : model);
    p->model = bd_load(p->o->file, &o, r);
    text_free(&hands);
    bool good = p->model || fail_as(p, r);
    bd_report_free(r);
    return good;
}

// Lines "pull own PATH" stand behind the head.
static bool load_with_hands(Replaying *p, const char *model, const char *experiment) {
    Text pulls = {0};
    Line l;
    bool good = true;
    while (good && strncmp(p->at, "pull ", 5) == 0 && next_line(p, &l))
        good = pull_add(&pulls, l.number, strcmp(l.name, "world") == 0) ||
               fail(p, "this is no frame", "the file is damaged");
    good = good && load(p, model, experiment, text_get(&pulls));
    text_free(&pulls);
    return good;
}

static bool begin(Replaying *p) {
    Line head, model, experiment, stop;
    bool good = next_line(p, &head) && strcmp(head.kind, "bondyn") == 0 &&
                strcmp(head.name, "recording") == 0 && head.value == 1;
    if (!good) return fail(p, "this is no recording", "`bondyn studio` makes them");
    good = next_line(p, &model) && strcmp(model.kind, "model") == 0 && next_line(p, &experiment) &&
           strcmp(experiment.kind, "experiment") == 0 && next_line(p, &stop) &&
           strcmp(stop.kind, "stop") == 0 && stop.has_value;
    if (!good) return fail(p, "the head is damaged", "record the drive anew");
    if (!load_with_hands(p, model.name, experiment.name)) return false;
    BdReport *r = bd_report_new();
    p->run = drive_open(p->model, stop.value, NULL, NULL, r);
    good = p->run || fail_as(p, r);
    bd_report_free(r);
    if (!good) return false;
    p->value = memory_zeroed((size_t)bd_rows(p->run)->columns, sizeof *p->value);
    if (p->o->csv) write_names(p), write_row(p);
    return true;
}

static bool same_bits(double a, double b) {
    uint64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y;
}

// The states at the end have to be those of the recording.
static bool compare_states(Replaying *p) {
    int n = bd_count(p->model, BD_STATE);
    double *x = memory_zeroed((size_t)n + 1, sizeof *x);
    bd_get_states(p->run, x);
    Line l;
    while (next_line(p, &l) && strcmp(l.kind, "state") == 0) {
        BdVariable v;
        bool known =
            bd_variable(p->model, BD_STATE, p->to->states, &v) && strcmp(v.name, l.name) == 0;
        bool nothing = known && isnan(x[p->to->states]) && strstr(l.number, "nan");
        p->to->differ += !known || !(nothing || same_bits(x[p->to->states], l.value));
        p->to->states++;
    }
    free(x);
    return true;
}

static bool run_all(Replaying *p) {
    Line l;
    if (!begin(p)) return false;
    while (next_line(p, &l)) {
        if (strcmp(l.kind, "end") == 0) {
            p->to->reached = bd_time(p->run);
            return compare_states(p);
        }
        if (!do_call(p, &l)) return false;
    }
    return fail(p, "the end is missing", "the file was not written whole");
}

bool replay_recording(const ReplayOptions *o, Replay *to, BdReport *r) {
    Arena arena = {0};
    size_t length;
    *to = (Replay){0};
    Replaying p = {.o = o, .to = to, .r = r};
    Report quiet = {0};
    p.text = p.at = file_read(&arena, o->recording, &length, &quiet, POS_NONE);
    bool good = p.text ? run_all(&p)
                       : fail(&p, "the file cannot be read", "`bondyn studio` makes such files");
    if (good && o->csv && !file_write(o->csv, text_get(&p.csv), p.csv.length, &quiet))
        good = bd_report_add(r, BD_ERROR, "T002", "the results cannot be written",
                             "take another --out") &&
               false;
    report_free(&quiet);
    bd_run_free(p.run);
    bd_model_free(p.model);
    text_free(&p.csv);
    free(p.value);
    arena_free(&arena);
    return good;
}
