// Laws that switch during a run: which modes hold, and how one is entered.
//
//      stretch          guard of a mode fails       search                    next stretch
//   ---------------------------o          jump into a candidate ------> o------------------
//        mode (1, 2)           |          do all guards hold there?     |    mode (2, 2)
//                              '--> memory: values before               '--> states after
//
// The candidates are found from the guards that fail: their choices change, all at once and one by one, and where
// other guards fail in turn, so do those. Every candidate starts from the same memory, so what was only tried leaves
// no trace. A guard at its zero counts as it will be a little later.
//
// A mode of an instant (an impact) is a jump alone: it changes the memory, and the search goes on from there. One happens
// at a time, so a row of balls hands an impulse on from ball to ball; the same one does not happen twice in a row. Impacts
// that pile up, or whose flights are below the tolerance, are over: without them what is left is a mode of rest.
#include "solve/job.h"

#include "base/array.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

enum { MOST_TRIED = 500, MOST_INSTANTS = 20000 };

static const Model *model_of(const Job *j) { return j->o->modes->model; }
static int work_count(const Job *j) { return 2 * model_of(j)->comp_count; } // ports, drives
static const ModeChoice *choice_of(const Job *j, int c) { return &model_of(j)->choice[c]; }

// --- opening and closing -------------------------------------------------------------------------

bool modes_open(Job *j) {
    if (!has_modes(j)) return true;
    const Model *m = model_of(j);
    const Memory *y = j->o->modes->memory;
    j->modes.mode = memory_zeroed((size_t)m->choice_count, sizeof(int));
    j->modes.gaps = memory_zeroed((size_t)m->choice_count, sizeof(EventGaps));
    j->modes.memory = memory_zeroed((size_t)y->count, sizeof(double));
    j->modes.guard = memory_zeroed((size_t)m->mode_count, sizeof(double));
    j->modes.work = memory_zeroed((size_t)work_count(j), sizeof(double));
    j->modes.before = memory_zeroed((size_t)j->p->output_count, sizeof(double));
    return true;
}

void modes_close(Job *j) {
    free(j->modes.mode);
    free(j->modes.gaps);
    free(j->modes.memory);
    free(j->modes.guard);
    free(j->modes.after);
    free(j->modes.work);
    free(j->modes.before);
}

// --- a machine at a point ------------------------------------------------------------------------

// Discrete variables as they are, and the numbers of modes.
static void copy_held(Job *j, Machine *to, const int *mode) {
    const Whens *w = &to->program->system->whens;
    const Whens *from = &j->p->system->whens;
    double *held = machine_held(to);
    memcpy(held, machine_held(j->m), (size_t)w->discrete_count * sizeof *held);
    int rest = from->sample_count;
    if (w->sample_count == from->sample_count && rest)
        memcpy(held + w->discrete_count, machine_held(j->m) + from->discrete_count,
               (size_t)rest * sizeof *held);
    for (int c = 0; c < model_of(j)->choice_count; c++)
        for (int i = 0; i < w->discrete_count; i++)
            if (w->discrete_var[i] == choice_of(j, c)->var) held[i] = mode[c] + 1;
}

static bool guard_holds(const Job *j, const int *mode, int c) {
    double guard = j->modes.guard[choice_of(j, c)->first_mode + mode[c]];
    return guard != 0 && !isnan(guard);
}

static int first_failing(const Job *j, const int *mode) {
    for (int c = 0; c < model_of(j)->choice_count; c++)
        if (!guard_holds(j, mode, c)) return c;
    return -1;
}

static int count_failing(const Job *j, const int *mode) {
    int count = 0;
    for (int c = 0; c < model_of(j)->choice_count; c++) count += !guard_holds(j, mode, c);
    return count;
}

static const double *works_of(const Job *j, const SolveMode *s) {
    return j->modes.after + s->state_count + j->o->modes->memory->state_count;
}

static const double *impulses_of(const Job *j, const SolveMode *s) {
    return works_of(j, s) + work_count(j);
}

static const double *entries_of(const Job *j, const SolveMode *s) {
    return impulses_of(j, s) + s->machine->program->system->whens.impulse_count;
}

// An impulse counts as the force that would give it in a little time. NULL: none any more.
static void put_impulses(Job *j, Machine *m, const double *impulse) {
    const Whens *w = &m->program->system->whens;
    double *held = machine_held(m) + w->discrete_count + w->sample_count + w->branch_count;
    for (int i = 0; i < w->impulse_count; i++) held[i] = impulse ? impulse[i] / ahead_time(j) : 0;
}

// Evaluates relations a little later, by which one at its zero takes the side to which it moves.
// False: there is no value.
static bool look_ahead(Job *j, const SolveMode *s, const double *state, double *room,
                       bool *changed) {
    Machine *m = s->machine;
    const Program *p = m->program;
    double little = ahead_time(j);
    double *rate = room, *later = room + p->state_count,
           *event_function = later + 2 * p->state_count;
    if (!ahead_step(j, m, state, rate, later)) return false;
    if (!machine_switches(m, j->time + little, later, event_function)) return false;
    for (int i = 0; i < p->switch_count; i++) {
        if (isnan(event_function[i])) return false;
        bool now = p->sw[i].or_equal ? event_function[i] <= 0 : event_function[i] < 0;
        *changed = machine_set_switch(m, i, now) || *changed;
    }
    return true;
}

// A relation may decide about others.
static bool settle_ahead(Job *j, const SolveMode *s, const double *state, double *room) {
    enum { MOST_ROUNDS = 8 };
    Machine *m = s->machine;
    m->hold = false;
    machine_update_switches(m, j->time, state);
    m->hold = true;
    bool changed = true;
    for (int round = 0; round < MOST_ROUNDS && changed; round++) {
        changed = false;
        if (!look_ahead(j, s, state, room, &changed)) return false;
    }
    return true;
}

static bool guards_at(Job *j, const SolveMode *s, const double *state) {
    const Program *p = s->machine->program;
    double *room =
        memory_zeroed(3 * (size_t)p->state_count + (size_t)p->switch_count + 1, sizeof *room);
    put_impulses(j, s->machine, impulses_of(j, s));
    bool good = settle_ahead(j, s, state, room) &&
                machine_guards(s->machine, j->time, state, j->modes.guard);
    put_impulses(j, s->machine, NULL);
    free(room);
    return good;
}

// Relations within their uncertainty are taken to hold as the guards want them: tried one by one.
// wide: within the tolerance of the run; for the present mode only, whose sizes are known.
static bool guards_at_zero(Job *j, Machine *m, const double *state, const int *mode, bool wide) {
    const Program *p = m->program;
    double *room = bands_room(p), *here = room + p->state_count, *band = here + p->switch_count;
    bool good = bands_find(m, j->time, state, BANDS_DIGITS, room) &&
                (!wide || (bands_widen(j, j->time, state, j->sizes.size, room) &&
                           bands_keep_still(j, state, room)));
    for (int i = 0; i < p->switch_count && good && first_failing(j, mode) >= 0; i++) {
        if (fabs(here[i]) > band[i]) continue;
        int failing = count_failing(j, mode);
        m->truth[i] = !m->truth[i];
        good = machine_guards(m, j->time, state, j->modes.guard);
        if (good && count_failing(j, mode) < failing) continue;
        m->truth[i] = !m->truth[i];
        good = machine_guards(m, j->time, state, j->modes.guard);
    }
    free(room);
    return good;
}

// A mode that begins at a zero is not thrown back by roundings, nor by a relation that counts
// already as it will be a little later.
static void shift_event_functions(Job *j) {
    const Program *p = j->p;
    double *room = bands_room(p), *here = room + p->state_count, *band = here + p->switch_count;
    bool good = bands_find(j->m, j->time, j->state, BANDS_DIGITS, room);
    for (int i = 0; good && i < p->switch_count; i++) {
        bool ahead = !switch_has_pieces(&p->sw[i]) && (j->m->truth[i] ? here[i] > 0 : here[i] < 0);
        double width = fabs(here[i]) <= band[i] ? band[i] : ahead ? fabs(here[i]) : 0;
        if (width > 0) j->shift[i] = j->m->truth[i] ? -2 * width : 2 * width;
    }
    free(room);
}

// --- jumps ---------------------------------------------------------------------------------------

// Fills modes.after from modes.memory.
static bool run_jump(Job *j, const SolveMode *s, const int *mode) {
    copy_held(j, s->jump, mode);
    int count = s->jump->program->output_count;
    if (count > j->modes.room) {
        free(j->modes.after);
        j->modes.after = memory_zeroed((size_t)count, sizeof(double));
        j->modes.room = count;
    }
    if (!machine_outputs(s->jump, j->time, j->modes.memory, j->modes.after)) return false;
    for (int i = 0; i < s->jump->program->output_count; i++)
        if (!isfinite(j->modes.after[i])) return false;
    return true;
}

static void add_work(Job *j, const SolveMode *s) {
    const double *work = works_of(j, s);
    for (int i = 0; i < work_count(j); i++) j->modes.work[i] += work[i];
}

static const SolveMode *get_mode(Job *j, const int *mode, Report *r) {
    return j->o->modes->get(j->o->modes->context, mode, j->modes.memory, r);
}

// Does a guard hold although relations that are within their uncertainty may be otherwise?
static bool is_sure(Job *j, Machine *m, const double *state, int guard) {
    const Program *p = m->program;
    double *room = bands_room(p), *here = room + p->state_count, *band = here + p->switch_count;
    bool sure = bands_find(m, j->time, state, BANDS_DIGITS, room);
    for (int i = 0; i < p->switch_count && sure; i++) {
        if (fabs(here[i]) > band[i] || switch_has_pieces(&p->sw[i])) continue;
        m->truth[i] = !m->truth[i];
        sure = machine_guards(m, j->time, state, j->modes.guard) && j->modes.guard[guard] != 0;
        m->truth[i] = !m->truth[i];
    }
    machine_guards(m, j->time, state, j->modes.guard);
    free(room);
    return sure;
}

// A mode of an instant whose time has come, of a choice whose guard fails; -1: none.
static int instant_of(const Job *j, int c) {
    const ModeChoice *choice = choice_of(j, c);
    for (int k = 0; k < choice->mode_count; k++) {
        double guard = j->modes.guard[choice->first_mode + k];
        if (model_of(j)->mode[choice->first_mode + k].once && guard != 0 && !isnan(guard)) return k;
    }
    return -1;
}

// Makes the jump into a mode that lasts for an instant. Only the states jump; the rest of the
// memory stays.
static bool take_instant(Job *j, int c, int k) {
    int present = j->modes.mode[c];
    j->modes.mode[c] = k;
    const SolveMode *s = get_mode(j, j->modes.mode, j->r);
    bool good = s && run_jump(j, s, j->modes.mode);
    j->modes.mode[c] = present;
    if (!good) return false;
    add_work(j, s);
    job_mark_mode(j, TRAIL_INSTANT, s, NULL);
    memcpy(j->modes.memory, j->modes.after + s->state_count,
           (size_t)j->o->modes->memory->state_count * sizeof(double));
    return true;
}

// --- candidates ----------------------------------------------------------------------------------

typedef struct {
    Job *j;
    int n;           // choices
    ARRAY(int) list; // candidates, n numbers each, in the order of trying
    bool lenient;    // guards at their zeros may count as holding
    const SolveMode *found;
    Report trouble; // why modes could not be built
} Search;

static bool is_listed(const Search *s, const int *mode) {
    for (int i = 0; i < s->list.count; i += s->n)
        if (memcmp(s->list.data + i, mode, (size_t)s->n * sizeof *mode) == 0) return true;
    return false;
}

static void list(Search *s, const int *mode) {
    if (s->list.count / s->n >= MOST_TRIED || is_listed(s, mode)) return;
    for (int c = 0; c < s->n; c++) array_push(&s->list, mode[c]);
}

// The other lasting modes of a choice, nearest in the list first: number `rank` of them, or -1.
static int alternative(const Job *j, int c, int k, int rank) {
    const ModeChoice *choice = choice_of(j, c);
    const Mode *mode = &model_of(j)->mode[choice->first_mode];
    for (int distance = 1; distance < choice->mode_count; distance++) {
        if (k - distance >= 0 && !mode[k - distance].once && rank-- == 0) return k - distance;
        if (k + distance < choice->mode_count && !mode[k + distance].once && rank-- == 0)
            return k + distance;
    }
    return -1;
}

// All whose guards fail take their next mode; then each of them alone takes each of its modes.
static void list_neighbours(Search *s, const int *mode) {
    const Job *j = s->j;
    int *next = memory_zeroed((size_t)s->n, sizeof *next);
    for (int c = 0; c < s->n; c++) {
        int k = guard_holds(j, mode, c) ? -1 : alternative(j, c, mode[c], 0);
        next[c] = k < 0 ? mode[c] : k;
    }
    list(s, next);
    memcpy(next, mode, (size_t)s->n * sizeof *next);
    for (int c = 0; c < s->n; c++) {
        if (guard_holds(j, mode, c)) continue;
        for (int rank = 0; (next[c] = alternative(j, c, mode[c], rank)) >= 0; rank++) list(s, next);
        next[c] = mode[c];
    }
    free(next);
}

// Does everything hold in this mode, entered from the memory? Guards are left in modes.guard.
static bool try_mode(Search *s, const int *mode, bool *solved) {
    Job *j = s->j;
    const SolveMode *m = get_mode(j, mode, &s->trouble);
    *solved = m && run_jump(j, m, mode);
    if (!*solved) return false;
    copy_held(j, m->machine, mode);
    *solved = machine_enter(m->machine, j->time, entries_of(j, m), j->modes.after) &&
              guards_at(j, m, j->modes.after);
    if (*solved && s->lenient && memcmp(mode, j->modes.mode, (size_t)s->n * sizeof *mode) != 0)
        *solved = guards_at_zero(j, m->machine, j->modes.after, mode, false);
    if (!*solved || first_failing(j, mode) >= 0) return false;
    s->found = m;
    return true;
}

static int search(Search *s) {
    int *mode = memory_zeroed((size_t)s->n, sizeof *mode);
    int at = -1;
    for (int i = 0; i < s->list.count && at < 0; i += s->n) {
        bool solved;
        memcpy(mode, s->list.data + i, (size_t)s->n * sizeof *mode);
        if (try_mode(s, mode, &solved))
            at = i;
        else if (solved)
            list_neighbours(s, mode);
    }
    free(mode);
    return at;
}

// --- entering ------------------------------------------------------------------------------------

static void take_outputs(Job *j, double *output) {
    bool hold = j->m->hold;
    j->m->hold = false;
    if (!machine_outputs(j->m, j->time, j->state, output))
        for (int i = 0; i < j->p->output_count; i++) output[i] = NAN;
    j->m->hold = hold;
}

// The machine of the mode goes on, from the states in modes.after.
static void enter(Job *j, const SolveMode *s) {
    add_work(j, s);
    j->m->hold = false;
    job_leave(j);
    job_take(j, s->machine);
    if (j->n) memcpy(j->state, j->modes.after, (size_t)j->n * sizeof *j->state);
    j->m->hold = true;
    j->status = SOLVE_DONE;
    j->resumed = true;
    engine_enter(j, s->code);
    shift_event_functions(j);
    whens_resize(j);
    job_mark_mode(j, TRAIL_ENTER, s, j->state);
    if (!j->o->modes->jumped) return;
    take_outputs(j, j->output);
    j->o->modes->jumped(j->o->modes->context, j->time, j->modes.before, j->output, j->modes.work);
}

bool modes_go_on(Job *j) {
    const SolveMode *s = get_mode(j, j->modes.mode, j->r);
    if (!s || !s->machine) return false;
    j->m->hold = false;
    job_leave(j);
    job_take(j, s->machine);
    j->m->hold = true;
    j->resumed = true;
    engine_enter(j, s->code);
    whens_resize(j);
    return true;
}

// Why modes could not be built.
static void tell_reasons(Job *j, Remark *to, const Report *trouble) {
    int told = 0;
    for (const Remark *m = trouble->first; m && told < 3; m = m->next) {
        if (m->severity != ERROR) continue;
        remark_note(j->r, to, m->pos, "%s", m->message);
        told++;
    }
}

// Where nothing holds, and all that the present mode lacks is below the tolerance: a joint that
// touches its stop and feels no force, which rounding pushes to and fro. It goes on then, unless it
// moves on.
static bool may_stay(Search *s) {
    Job *j = s->j;
    bool solved;
    s->lenient = false;
    try_mode(s, j->modes.mode, &solved);
    const SolveMode *m = get_mode(j, j->modes.mode, &s->trouble);
    if (!solved || m->machine != j->m) return false;
    if (!guards_at_zero(j, j->m, j->modes.after, j->modes.mode, true)) return false;
    s->found = m;
    return first_failing(j, j->modes.mode) < 0;
}

// What holds from here on, when no instant is due. False: reported.
static bool find_mode(Job *j) {
    Search s = {.j = j, .n = model_of(j)->choice_count};
    list(&s, j->modes.mode);
    int at = search(&s);
    if (at < 0) {
        report_free(&s.trouble);
        s.trouble = (Report){0};
        s.list.count = 0;
        s.lenient = true;
        list(&s, j->modes.mode);
        at = search(&s);
    }
    if (at >= 0) {
        memcpy(j->modes.mode, s.list.data + at, (size_t)s.n * sizeof(int));
        enter(j, s.found);
    } else if (may_stay(&s)) {
        enter(j, s.found);
        at = 0;
    } else {
        tell_reasons(j, problem_no_mode(j, j->time, j->modes.last), &s.trouble);
    }
    report_free(&s.trouble);
    array_free(&s.list);
    return at >= 0;
}

// Guards of the present mode, at the memory. False: it cannot be entered.
static bool look_at_present(Job *j) {
    Search s = {.j = j, .n = model_of(j)->choice_count};
    bool solved;
    try_mode(&s, j->modes.mode, &solved);
    report_free(&s.trouble);
    return solved;
}

// After an impact, what else is remembered follows from the states.
static bool remember_present(Job *j, int impacts) {
    if (impacts == 0) return true;
    const SolveMode *s = get_mode(j, j->modes.mode, j->r);
    double *state = memory_zeroed((size_t)s->state_count, sizeof *state);
    if (s->state_count) memcpy(state, j->modes.after, (size_t)s->state_count * sizeof *state);
    job_mark_mode(j, TRAIL_AFTER, s, state);
    bool good = machine_memory(s->machine, j->time, state, j->modes.memory);
    free(state);
    return good;
}

// An impact of a choice that is due, and not by rounding only: its mode, else -1.
static int due_instant(Job *j, const SolveMode *s, int c) {
    int k = guard_holds(j, j->modes.mode, c) ? -1 : instant_of(j, c);
    bool sure = k >= 0 && is_sure(j, s->machine, j->modes.after, choice_of(j, c)->first_mode + k);
    return sure ? k : -1;
}

// Carries out impacts one after the other until none is due; those of the choice `over` are left
// out.
static bool take_instants(Job *j, int over) {
    int due = -1;
    for (int count = 0; count < MOST_INSTANTS; count++) {
        int k = -1, last = due;
        if (!look_at_present(j) || !remember_present(j, count)) return true;
        const SolveMode *s = get_mode(j, j->modes.mode, j->r);
        for (int c = 0; c < model_of(j)->choice_count && k < 0; c++)
            if (c != last && c != over) k = due_instant(j, s, due = c);
        if (k < 0) return true;
        j->modes.last = due;
        if (!take_instant(j, due, k)) {
            problem_no_mode(j, j->time, due);
            return false;
        }
    }
    problem_instants(j, j->time, j->modes.last);
    return false;
}

static bool settle(Job *j, int over) {
    for (int i = 0; i < work_count(j); i++) j->modes.work[i] = 0;
    take_outputs(j, j->modes.before);
    job_mark(j, TRAIL_REMEMBER, j->time, j->state);
    if (!machine_memory(j->m, j->time, j->state, j->modes.memory)) {
        job_block_failed(j, j->time, j->state);
        return false;
    }
    return take_instants(j, over) && find_mode(j);
}

// --- during the run ------------------------------------------------------------------------------

bool modes_start(Job *j) {
    j->time = j->o->start;
    machine_update_switches(j->m, j->time, j->state);
    return settle(j, -1);
}

static bool has_impacts(const Job *j, int c) {
    const ModeChoice *choice = choice_of(j, c);
    const Mode *mode = &model_of(j)->mode[choice->first_mode];
    bool impacts = false;
    for (int k = 0; k < choice->mode_count; k++) impacts |= mode[k].once;
    return impacts;
}

bool modes_impact(const Job *j) {
    bool impacts = false;
    if (!has_modes(j)) return false;
    for (int c = 0; c < model_of(j)->choice_count; c++) impacts |= has_impacts(j, c);
    return impacts;
}

// Can this choice come to rest: has it impacts, and a lasting mode besides the present one?
static bool can_rest(const Job *j, int c) {
    return has_impacts(j, c) && alternative(j, c, j->modes.mode[c], 0) >= 0;
}

// Would the present mode of a choice, whose guard fails, last if this relation were otherwise?
static bool decides(Job *j, int relation, int c) {
    unsigned char *truth = &j->m->truth[relation], was = *truth;
    *truth = !was;
    bool lasts =
        machine_guards(j->m, j->time, j->state, j->modes.guard) && guard_holds(j, j->modes.mode, c);
    *truth = was;
    return lasts;
}

// Did the choice leave its zero by no more than the tolerance of the run since it changed last? A
// flight of the time `gap` that comes back with the speed v went as far as v gap/4. So rest in its
// place is wrong by less than the tolerance, while small flights that no integrator follows would
// go on for ever. Flights that do not become shorter are followed, however small.
static bool flight_is_unseen(Job *j, int c, const EventGaps *gaps) {
    const Program *p = j->p;
    double *room = bands_room(p), *here = room + p->state_count, *band = here + p->switch_count;
    double *rate =
        memory_zeroed((size_t)p->state_count + (size_t)p->switch_count + 1, sizeof *rate);
    double *later = rate + p->state_count, little = ahead_time(j);
    bool unseen = false,
         good = bands_find(j->m, j->time, j->state, BANDS_DIGITS, room) &&
                (!gaps->shrinking || bands_widen(j, j->time, j->state, j->sizes.most, room)) &&
                machine_derivative(j->m, j->time, j->state, rate, NULL);
    for (int i = 0; good && i < p->state_count; i++) room[i] = j->state[i] + little * rate[i];
    good = good && machine_switches(j->m, j->time + little, room, later);
    for (int i = 0; good && i < p->switch_count; i++)
        unseen = unseen ||
                 (fabs(here[i]) <= 4 * band[i] &&
                  fabs(later[i] - here[i]) / little * gaps->gap / 4 <= band[i] && decides(j, i, c));
    free(rate);
    free(room);
    return unseen;
}

// Looks at a choice whose mode changes ever faster. *over: the choice whose impacts have come to
// their end, else -1. False: no mode of rest exists, which is reported here.
static bool keeps_advancing(Job *j, int *over) {
    int c = j->modes.last;
    EventGaps *p = &j->modes.gaps[c];
    *over = -1;
    if (j->time == p->time) return true;
    double limit = job_pile_up(j, p, j->time);
    bool ends = can_rest(j, c);
    if (ends && p->count > 1 && (!isnan(limit) || gaps_have_died(p) || flight_is_unseen(j, c, p))) {
        *over = c;
        *p = (EventGaps){.time = j->time};
        return true;
    }
    if (isnan(limit)) return true;
    problem_mode_zeno(j, j->time, c, p, limit);
    return false;
}

bool modes_change(Job *j) {
    int over;
    return keeps_advancing(j, &over) && settle(j, over);
}

bool modes_hold(Job *j, double time, const double *state) {
    if (!has_modes(j)) return true;
    if (!machine_guards(j->m, time, state, j->modes.guard)) {
        job_block_failed(j, time, state);
        return false;
    }
    int c = first_failing(j, j->modes.mode);
    if (c < 0) return true;
    j->modes.last = c;
    j->time = time;
    j->status = SOLVE_SWITCH;
    return false;
}

// While a choice changes ever faster, steps are kept shorter than the next gap.
double modes_longest_step(const Job *j, double time) {
    double longest = INFINITY;
    if (!has_modes(j)) return longest;
    for (int c = 0; c < model_of(j)->choice_count; c++)
        longest = fmin(longest, gaps_longest_step(&j->modes.gaps[c], time));
    return longest;
}
