// A unit of FMI 2 or 3 at work, in a guest process. Numbers are SI on this side.
//
// All functions of a point (rates, outputs, indicators) are one call of the guest: the last point
// is kept. Begins, updates and steps are remembered by their inputs, so to ask again does nothing
// again: they are functions, whatever the unit does. How each token came about is kept: where the
// guest has lost one (a new process, a unit that cannot go back), what led to it from the last one
// that is there is done once more.
#include "foreign/unit.h"

#include "base/array.h"
#include "base/files.h"
#include "base/memory.h"
#include "foreign/guest.h"
#include "foreign/unit_files.h"
#include "foreign/units.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum {
    PART_BEGIN,
    PART_RATES,
    PART_FREE,
    PART_THROUGH,
    PART_INDICATORS,
    PART_UPDATE,
    PART_STEP,
    PARTS
} Part;

static const char *const part_name[PARTS] = {"begin",      "rates",  "free", "through",
                                             "indicators", "update", "step"};

typedef struct {      // what was asked and answered
    double *in, *out; // NULL: nothing yet
} Memo;

enum { MEMOS = 16 };

typedef struct {
    ForeignUnit *u;
    Part part;
    External call, slope;
    Memo memo[MEMOS];
    int next_memo;
} Function;

typedef struct { // how a token came about
    UnitCommand command;
    double *in;
    int inputs;
} Recipe;

typedef struct {
    double *at, *value;
} Point;

enum { POINTS = 4 };

struct ForeignUnit {
    Arena arena;
    UnitDescription d;
    Sources *sources;
    bool steps;
    const char *path, *folder, *library;
    const char *word[10];
    Guest *guest;
    pthread_mutex_t lock;
    int *parameter, *input, *output;                // variables
    int parameters, inputs, outputs, point, values; // numbers of a point, and what it gives
    double *last;                                   // point that was asked for
    Point point_of[POINTS];                         // the last ones; at[0] = 0: none
    int next_point;
    pid_t owner;          // of the folder
    double tokens;        // given out so far
    ARRAY(Recipe) recipe; // of token 1 + i
    Function function[PARTS];
    char fault[2400]; // words about the last one
};

// --- units of variables --------------------------------------------------------------------------

static double to_foreign(const UnitVariable *v, double x) { return (x - v->offset) / v->scale; }
static double from_foreign(const UnitVariable *v, double x) { return x * v->scale + v->offset; }

static void convert(const ForeignUnit *u, const int *list, int n, const double *in, double *out,
                    double (*how)(const UnitVariable *, double)) {
    for (int i = 0; i < n; i++) out[i] = how(&u->d.variable[list[i]], in[i]);
}

static double rate_from(const UnitVariable *v, double x) { return x * v->scale; }
static double rate_to(const UnitVariable *v, double x) { return x / v->scale; }

// --- calls ---------------------------------------------------------------------------------------

// Names the first of these values that is not finite.
static bool name_bad(ForeignUnit *u, const int *list, int n, const double *x, const char *what,
                     double time) {
    for (int i = 0; i < n; i++) {
        if (isfinite(x[i])) continue;
        snprintf(u->fault, sizeof u->fault, "%s '%s' is %g at t = %.9g s", what,
                 u->d.variable[list[i]].name, x[i], time);
        return true;
    }
    return false;
}

static bool name_bad_indicator(ForeignUnit *u, const double *x, double time) {
    for (int i = 0; i < u->d.indicators; i++) {
        if (isfinite(x[i])) continue;
        snprintf(u->fault, sizeof u->fault, "event indicator %d is %g at t = %.9g s", i + 1, x[i],
                 time);
        return true;
    }
    return false;
}

static bool call_once(ForeignUnit *u, UnitCommand command, const double *in, int inputs,
                      double *out, int outputs) {
    return guest_call(
        u->guest,
        &(GuestCall){
            .command = (int)command, .in = in, .inputs = inputs, .out = out, .outputs = outputs});
}

static int begin_inputs(const ForeignUnit *u) { return 2 + u->parameters + u->inputs; }
static int event_outputs(const ForeignUnit *u) {
    return 1 + (u->steps ? u->outputs : u->d.state_count);
}

static bool is_gone(const ForeignUnit *u) {
    return strncmp(guest_words(u->guest), UNIT_GONE, sizeof UNIT_GONE - 1) == 0;
}

static bool follow(ForeignUnit *u, double token, double *answer) {
    if (token < 1 || token > u->recipe.count) return false;
    const Recipe *r = &u->recipe.data[(int)token - 1];
    return call_once(u, r->command, r->in, r->inputs, answer, event_outputs(u));
}

// Back to the last state that is there, or to the start, and forward again.
static bool make_anew(ForeignUnit *u, double token) {
    double *answer = memory_zeroed((size_t)event_outputs(u), sizeof *answer);
    ARRAY(double) later = {0};
    bool good = false;
    for (double t = token; t >= 1 && t <= u->recipe.count; t = u->recipe.data[(int)t - 1].in[0]) {
        good = follow(u, t, answer);
        if (good || !is_gone(u) || u->recipe.data[(int)t - 1].command == UNIT_BEGIN) break;
        array_push(&later, t);
    }
    while (good && later.count > 0) good = follow(u, later.data[--later.count], answer);
    array_free(&later);
    free(answer);
    return good;
}

// Calls the unit at a state (the token, its first input). A state that is gone is computed again.
static bool call_at(ForeignUnit *u, UnitCommand command, const double *in, int inputs, double *out,
                    int outputs, const char *what) {
    bool good = call_once(u, command, in, inputs, out, outputs);
    if (!good && is_gone(u) && make_anew(u, in[0]))
        good = call_once(u, command, in, inputs, out, outputs);
    if (!good) snprintf(u->fault, sizeof u->fault, "while it %s: %s", what, guest_words(u->guest));
    return good;
}

// token, time, states, inputs in the units of the FMU
static void foreign_point(const ForeignUnit *u, const double *in, double *out) {
    out[0] = in[0];
    out[1] = in[1];
    convert(u, u->d.state, u->d.state_count, in + 2, out + 2, to_foreign);
    convert(u, u->input, u->inputs, in + 2 + u->d.state_count, out + 2 + u->d.state_count,
            to_foreign);
}

static bool same(const double *a, const double *b, int n) {
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static double *known_point(ForeignUnit *u, const double *in, int known) {
    for (int i = 0; i < POINTS; i++)
        if (same(u->point_of[i].at, in, known)) return u->point_of[i].value;
    return NULL;
}

// Rates, outputs and indicators at a point, in SI; NULL: it fails.
static double *values_at(ForeignUnit *u, const double *in, int known) {
    double *value = known_point(u, in, known);
    if (value) return value;
    Point *p = &u->point_of[u->next_point++ % POINTS];
    double *work = memory_zeroed((size_t)u->point + (size_t)u->values, sizeof *work);
    double *out = work + u->point;
    int states = u->d.state_count, n = u->point;
    memcpy(u->last, in, (size_t)known * sizeof *in); // inputs that are not given stay as they were
    foreign_point(u, u->last, work);
    bool good = call_at(u, UNIT_POINT, work, n, out, u->values, "computes its rates and outputs");
    for (int i = 0; i < states && good; i++) // of a state, per second
        p->value[i] = out[i] * u->d.variable[u->d.state[i]].scale;
    if (good) {
        convert(u, u->output, u->outputs, out + states, p->value + states, from_foreign);
        memcpy(p->value + states + u->outputs, out + states + u->outputs,
               (size_t)u->d.indicators * sizeof *out);
        good = !name_bad(u, u->d.rate, states, p->value, "the rate", in[1]) &&
               !name_bad(u, u->output, u->outputs, p->value + states, "the output", in[1]);
    }
    memcpy(p->at, u->last, (size_t)n * sizeof *p->at);
    if (!good) p->at[0] = 0;
    free(work);
    return good ? p->value : NULL;
}

static bool is_through(const ForeignUnit *u, int output) {
    return u->d.variable[u->output[output]].through;
}

// From values of a point to those that the function gives.
static void take_part(const ForeignUnit *u, Part part, const double *value, double *out) {
    int states = u->d.state_count, n = 0;
    if (part == PART_RATES) memcpy(out, value, (size_t)states * sizeof *out);
    if (part == PART_INDICATORS)
        memcpy(out, value + states + u->outputs, (size_t)u->d.indicators * sizeof *out);
    for (int i = 0; i < u->outputs && (part == PART_FREE || part == PART_THROUGH); i++)
        if (is_through(u, i) == (part == PART_THROUGH)) out[n++] = value[states + i];
}

static bool compute_point(const External *e, const double *in, double *out) {
    Function *f = e->context;
    ForeignUnit *u = f->u;
    pthread_mutex_lock(&u->lock);
    const double *value = values_at(u, in, e->inputs);
    if (value) take_part(u, f->part, value, out);
    bool good = value && !(f->part == PART_INDICATORS && name_bad_indicator(u, out, in[1]));
    pthread_mutex_unlock(&u->lock);
    return good;
}

// in: the point, its direction; a function without inputs of the unit has shorter ones
static bool compute_slope(const External *e, const double *in, double *out) {
    Function *f = e->context;
    ForeignUnit *u = f->u;
    int n = u->point, given = e->inputs / 2, states = u->d.state_count;
    double *work = memory_zeroed(2 * (size_t)n + 2 * (size_t)u->values, sizeof *work);
    double *slope = work + 2 * n, *si = slope + u->values;
    pthread_mutex_lock(&u->lock);
    double *point = memory_zeroed((size_t)n, sizeof *point);
    memcpy(point, u->last, (size_t)n * sizeof *point);
    memcpy(point, in, (size_t)given * sizeof *point);
    foreign_point(u, point, work);
    const double *d = in + given;
    work[n] = d[0];
    work[n + 1] = d[1];
    convert(u, u->d.state, states, d + 2, work + n + 2, rate_to);
    if (given == n) convert(u, u->input, u->inputs, d + 2 + states, work + n + 2 + states, rate_to);
    bool good = call_at(u, UNIT_SLOPE, work, 2 * n, slope, states + u->outputs,
                        "computes a directional derivative");
    if (good) {
        for (int i = 0; i < states; i++) si[i] = slope[i] * u->d.variable[u->d.state[i]].scale;
        convert(u, u->output, u->outputs, slope + states, si + states, rate_from);
        take_part(u, f->part, si, out);
    }
    pthread_mutex_unlock(&u->lock);
    free(point);
    free(work);
    return good;
}

// --- begins, updates and steps -------------------------------------------------------------------

static const Memo *remembered(const Function *f, const double *in) {
    for (int i = 0; i < MEMOS; i++)
        if (f->memo[i].in && same(f->memo[i].in, in, f->call.inputs)) return &f->memo[i];
    return NULL;
}

static void remember(Function *f, const double *in, const double *out) {
    Memo *m = &f->memo[f->next_memo++ % MEMOS];
    size_t inputs = (size_t)f->call.inputs, outputs = (size_t)f->call.outputs;
    if (!m->in) m->in = memory_zeroed(inputs + outputs, sizeof *m->in);
    m->out = m->in + inputs;
    memcpy(m->in, in, inputs * sizeof *in);
    memcpy(m->out, out, outputs * sizeof *out);
}

// Answer of the guest to what the function gives: token, next, then values in SI.
static bool give_state(ForeignUnit *u, double token, const double *answer, double *out,
                       double time) {
    out[0] = token;
    out[1] = answer[0];
    if (!isfinite(out[1])) {
        snprintf(u->fault, sizeof u->fault, "the time of its next event is %g at t = %.9g s",
                 out[1], time);
        return false;
    }
    if (u->steps) {
        convert(u, u->output, u->outputs, answer + 1, out + 2, from_foreign);
        return !name_bad(u, u->output, u->outputs, out + 2, "the output", time);
    }
    convert(u, u->d.state, u->d.state_count, answer + 1, out + 2, from_foreign);
    return !name_bad(u, u->d.state, u->d.state_count, out + 2, "the state", time);
}

// in: has it begun, time, parameters, inputs
static bool make_begin(ForeignUnit *u, const double *in, double *out) {
    if (in[0] != 0) {
        memset(out, 0, (size_t)u->function[PART_BEGIN].call.outputs * sizeof *out);
        return true;
    }
    in++;
    double *work = memory_zeroed((size_t)begin_inputs(u), sizeof *work);
    double *answer = memory_zeroed((size_t)event_outputs(u), sizeof *answer);
    work[0] = ++u->tokens;
    work[1] = in[0];
    convert(u, u->parameter, u->parameters, in + 1, work + 2, to_foreign);
    convert(u, u->input, u->inputs, in + 1 + u->parameters, work + 2 + u->parameters, to_foreign);
    bool good = call_at(u, UNIT_BEGIN, work, begin_inputs(u), answer, event_outputs(u), "starts");
    good = good && give_state(u, work[0], answer, out, in[0]);
    array_push(&u->recipe, ((Recipe){UNIT_BEGIN, work, begin_inputs(u)}));
    free(answer);
    return good;
}

// in: token, time, states, inputs; or token, time, step, inputs
static bool make_change(ForeignUnit *u, const double *in, double *out) {
    int n = 1 + (u->steps ? 3 + u->inputs : u->point);
    double *work = memory_zeroed((size_t)n + (size_t)u->point, sizeof *work), *to = work;
    double *answer = memory_zeroed((size_t)event_outputs(u), sizeof *answer);
    *to++ = in[0];
    *to++ = ++u->tokens;
    if (u->steps) {
        *to++ = in[1];
        *to++ = in[2];
        convert(u, u->input, u->inputs, in + 3, to, to_foreign);
    } else {
        double *point = work + n;
        foreign_point(u, in, point);
        memcpy(to, point + 1, (size_t)(u->point - 1) * sizeof *to);
    }
    bool good = call_at(u, u->steps ? UNIT_STEP : UNIT_UPDATE, work, n, answer, event_outputs(u),
                        u->steps ? "makes a step" : "handles an event");
    good = good && give_state(u, work[1], answer, out, in[1] + (u->steps ? in[2] : 0));
    array_push(&u->recipe, ((Recipe){u->steps ? UNIT_STEP : UNIT_UPDATE, work, n}));
    free(answer);
    return good;
}

// An indicator that lies at its zero after an event, and begins to move, is on its other side a moment later: then the
// unit is told. To tell it now, when nothing has happened since its last event, would be that event once more.
static bool put_off(const Function *f, const double *in, double *out) {
    int states = f->u->d.state_count, inputs = f->u->inputs;
    for (int i = 0; i < MEMOS && f->part == PART_UPDATE; i++) {
        const Memo *m = &f->memo[i];
        if (!m->in || m->out[0] != in[0] || m->in[1] != in[1] || !(m->out[1] > in[1])) continue;
        if (!same(m->out + 2, in + 2, states) || !same(m->in + 2 + states, in + 2 + states, inputs))
            continue;
        memcpy(out, m->out, (size_t)f->call.outputs * sizeof *out);
        out[1] = fmin(out[1], in[1] + 1e-9 * fmax(1e-3, fabs(in[1])));
        return true;
    }
    return false;
}

static bool compute_change(const External *e, const double *in, double *out) {
    Function *f = e->context;
    ForeignUnit *u = f->u;
    pthread_mutex_lock(&u->lock);
    const Memo *m = remembered(f, in);
    bool good = true;
    if (m)
        memcpy(out, m->out, (size_t)e->outputs * sizeof *out);
    else if (!put_off(f, in, out))
        good = f->part == PART_BEGIN ? make_begin(u, in, out) : make_change(u, in, out);
    if (good && !m) remember(f, in, out);
    pthread_mutex_unlock(&u->lock);
    return good;
}

static bool no_slope(const External *e, const double *in, double *out) {
    (void)in;
    for (int i = 0; i < e->outputs; i++) out[i] = 0;
    return true;
}

static void explain(const External *e, const double *in, Text *what, Text *help) {
    (void)in;
    const Function *f = e->context;
    text_printf(what, "the unit %s: %s", f->u->path, f->u->fault);
    text_add(
        help,
        "the unit is the work of others: try it in the tool that made it, with the same inputs");
}

// --- what it is made of --------------------------------------------------------------------------

static int *variables_of(ForeignUnit *u, UnitRole role, int *count) {
    int *list = ARENA_ARRAY(&u->arena, int, u->d.variable_count + 1);
    for (int i = 0; i < u->d.variable_count; i++) {
        const UnitVariable *v = &u->d.variable[i];
        if (v->role == role && v->type != UNIT_STRING && !v->constant) list[(*count)++] = i;
    }
    return list;
}

// d, e: a real input that changes at events only, of 64 or 32 bits
static char letter_of(const UnitVariable *v) {
    bool held = v->discrete && v->role == UNIT_INPUT;
    return held && v->letter == 'r' ? 'd' : held && v->letter == 'f' ? 'e' : v->letter;
}

static const char *references(ForeignUnit *u, const int *list, int n) {
    Text t = {0};
    for (int i = 0; i < n; i++) {
        const UnitVariable *v = &u->d.variable[list[i]];
        text_printf(&t, "%s%c%u", i ? " " : "", letter_of(v), v->reference);
        if (v->elements > 1) text_printf(&t, ":%d/%d", v->element, v->elements);
    }
    const char *kept = arena_copy_text(&u->arena, text_get(&t), t.length);
    text_free(&t);
    return kept;
}

static void set_function(ForeignUnit *u, Part part, int inputs, int outputs) {
    Function *f = &u->function[part];
    bool change = part == PART_BEGIN || part == PART_UPDATE || part == PART_STEP;
    f->u = u;
    f->part = part;
    f->call = (External){part_name[part], inputs, outputs,
                         false,           NULL,   change ? compute_change : compute_point,
                         explain,         f,      NULL};
    f->slope = (External){part_name[part], 2 * inputs, outputs,
                          false,           NULL,       change ? no_slope : compute_slope,
                          explain,         f,          NULL};
    f->slope.rate = change ? NULL : external_differences(&u->arena, &f->slope);
    bool exact = change || (u->d.me_directional && part != PART_INDICATORS);
    f->call.rate = exact ? &f->slope : external_differences(&u->arena, &f->call);
}

static void set_functions(ForeignUnit *u) {
    int through = 0, states = u->d.state_count;
    for (int i = 0; i < u->outputs; i++) through += is_through(u, i);
    u->point = 2 + states + u->inputs;
    u->values = states + u->outputs + u->d.indicators;
    int state_values = 1 + event_outputs(u);
    set_function(u, PART_BEGIN, 2 + u->parameters + u->inputs, state_values);
    if (u->steps) {
        set_function(u, PART_STEP, 3 + u->inputs, state_values);
        return;
    }
    set_function(u, PART_RATES, u->point, states);
    set_function(u, PART_FREE, 2 + states, u->outputs - through);
    set_function(u, PART_THROUGH, u->point, through);
    set_function(u, PART_INDICATORS, u->point, u->d.indicators);
    set_function(u, PART_UPDATE, u->point, state_values);
}

// --- its beginning and end -----------------------------------------------------------------------

static const char *open_unit(ForeignUnit *u, const char *path) {
    Report r = {0};
    size_t length;
    char *data = file_read(&u->arena, path, &length, &r, POS_NONE);
    bool good = data && unit_read(&u->arena, &u->d, u->sources, path, data, length, POS_NONE, &r);
    const char *wrong =
        good ? NULL
             : arena_printf(&u->arena, "%s", r.first ? r.first->message : "it cannot be read");
    report_free(&r);
    if (wrong) return wrong;
    if (u->steps ? !u->d.cs : !u->d.me) return "it is not of this kind";
    u->parameter = variables_of(u, UNIT_PARAMETER, &u->parameters);
    u->input = variables_of(u, UNIT_INPUT, &u->inputs);
    u->output = variables_of(u, UNIT_OUTPUT, &u->outputs);
    UnitFiles files = {0};
    wrong = unit_unpack(&u->arena, &u->d, u->steps, data, length, &files);
    u->folder = files.folder;
    u->library = files.library;
    u->owner = getpid();
    if (wrong) return wrong;
    set_functions(u);
    u->last = ARENA_ARRAY(&u->arena, double, u->point + 1);
    for (int i = 0; i < u->inputs; i++) // SI
        u->last[2 + u->d.state_count + i] =
            from_foreign(&u->d.variable[u->input[i]], u->d.variable[u->input[i]].start);
    for (int i = 0; i < POINTS; i++)
        u->point_of[i] = (Point){ARENA_ARRAY(&u->arena, double, u->point + 1),
                                 ARENA_ARRAY(&u->arena, double, u->values + 1)};
    return NULL;
}

ForeignUnit *foreign_unit_new(const char *path, bool steps, const char **words) {
    ForeignUnit *u = memory_zeroed(1, sizeof *u);
    u->steps = steps;
    u->path = arena_copy_text(&u->arena, path, strlen(path));
    u->sources = sources_new();
    pthread_mutex_init(&u->lock, NULL);
    *words = open_unit(u, path);
    if (*words) return u;
    const char *flags =
        arena_printf(&u->arena, "%s%s%s", (steps ? u->d.cs_saves : u->d.me_saves) ? "s" : "",
                     u->d.me_wants_steps ? "" : "n", u->d.version == 3 ? "3" : "");
    const char *word[] = {u->d.guid,
                          u->d.version == 3
                              ? arena_printf(&u->arena, "%s/resources/", u->folder)
                              : arena_printf(&u->arena, "file://%s/resources", u->folder),
                          steps ? "cs" : "me",
                          *flags ? flags : "-",
                          arena_printf(&u->arena, "%d", u->d.indicators),
                          references(u, u->parameter, u->parameters),
                          references(u, u->input, u->inputs),
                          references(u, u->output, u->outputs),
                          references(u, u->d.state, u->d.state_count),
                          references(u, u->d.rate, u->d.state_count)};
    memcpy(u->word, word, sizeof word);
    int room = 2 * u->point + 2 * u->values + begin_inputs(u) + event_outputs(u) + 8;
    u->guest = guest_new(&(GuestOptions){.kind = "unit",
                                         .library = u->library,
                                         .folder = u->folder,
                                         .name = u->word,
                                         .name_count = 10,
                                         .room = room});
    return u;
}

void foreign_unit_free(void *unit) {
    ForeignUnit *u = unit;
    guest_free(u->guest);
    for (int k = 0; k < PARTS; k++)
        for (int i = 0; i < MEMOS; i++) free(u->function[k].memo[i].in);
    for (int i = 0; i < u->recipe.count; i++) free(u->recipe.data[i].in);
    array_free(&u->recipe);
    if (u->folder && u->owner == getpid()) unit_folder_remove(u->folder);
    sources_free(u->sources);
    pthread_mutex_destroy(&u->lock);
    arena_free(&u->arena);
    free(u);
}

const External *foreign_unit_function(ForeignUnit *u, const char *what) {
    for (int i = 0; i < PARTS; i++)
        if (strcmp(part_name[i], what) == 0 && u->function[i].u) return &u->function[i].call;
    return NULL;
}

const char *foreign_unit_try(ForeignUnit *u) {
    return guest_start(u->guest) ? NULL : guest_words(u->guest);
}
