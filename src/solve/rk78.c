// Runge-Kutta of order 8 with an error estimate of order 7 and steps of its own choice.
//
//   pair            Prince and Dormand's (engine/rk78.def); Fehlberg's older one is blind to rates
//                   that depend on time alone
//   step            as long as the error per step is at the tolerance, and as it is going to be:
//                   err = c h^8, and c changes as it did from the last step to this one
//                   (Gustafsson); no longer step right after one that was rejected
//   wanted points   lie inside of steps (rk78_inside.c), or at the end of one that would end soon
//                   behind; the last two steps before a jump, or the end, are equal
//   quadratures     are further components of the vector
//   event           the step ends where it was found (rk78_event.c)
#include "solve/rk78.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

enum { MOST_FAILURES = 20 };

static const double safety = 0.75, most_growth = 5, least_growth = 0.2, after_trouble = 0.25;
// A step may be this much shorter to end at a wanted point, rather than to be looked inside of.
static const double cut_for_point = 0.85;

// --- opening and closing -------------------------------------------------------------------------

static double *cut(double **rest, int count) {
    double *part = *rest;
    *rest += count;
    return part;
}

void rk78_open(Rk78 *k, Job *j) {
    *k = (Rk78){.j = j, .t = j->time, .total = j->n + j->nq, .tried_at = NAN};
    int total = k->total, switches = j->p->switch_count;
    size_t numbers = (size_t)total * (6 + RK78_ALL_STAGES + RK78_POWERS) + 3 * (size_t)switches;
    double *rest = memory_zeroed(numbers, sizeof *rest);
    k->y = cut(&rest, total);
    k->weight = cut(&rest, total);
    k->next = cut(&rest, total);
    k->error = cut(&rest, total);
    k->trial = cut(&rest, total);
    k->rate = cut(&rest, total);
    k->k = cut(&rest, RK78_ALL_STAGES * total);
    k->polynomial = cut(&rest, RK78_POWERS * total);
    for (int i = 0; i < 3; i++) k->event_function[i] = cut(&rest, switches);
    k->crossed = memory_zeroed((size_t)switches, sizeof *k->crossed);
    k->others = memory_zeroed((size_t)switches, sizeof *k->others);
    if (j->n) memcpy(k->y, j->state, (size_t)j->n * sizeof *k->y);
    if (j->nq) memcpy(k->y + j->n, j->quad, (size_t)j->nq * sizeof *k->y);
}

void rk78_shut(Rk78 *k) {
    free(k->y); // the block begins here
    free(k->crossed);
    free(k->others);
}

// --- failure -------------------------------------------------------------------------------------

static int worst_state(const Rk78 *k) {
    int worst = -1;
    double most = 0;
    for (int i = 0; i < k->j->n; i++) {
        double error = fabs(k->error[i] * k->weight[i]);
        if (error > most) worst = i, most = error;
    }
    return worst;
}

static bool fail(Rk78 *k) {
    if (job_in_trouble(k->j))
        problem_trouble(k->j);
    else
        problem_step(k->j, k->t, k->step, worst_state(k));
    return false;
}

// --- before a step -------------------------------------------------------------------------------

// From here on the rates are others. Length 0: it has to be looked for.
static void restart(Rk78 *k, double length) {
    sizes_start(k->j, k->t, k->y);
    k->jump = events_next_jump(k->j, k->t, &k->after);
    k->h = length;
    k->last = 0;
    k->begun = false;
}

static void find_weights(Rk78 *k) {
    const Job *j = k->j;
    sizes_weights(j, k->y, k->weight);
    for (int i = j->n; i < k->total; i++)
        k->weight[i] = 1 / (j->rtol * fabs(k->y[i]) + sizes_quad_tolerance(j, i - j->n));
    for (int i = 0; i < k->total; i++) k->weight[i] = fmin(k->weight[i], JOB_MOST_WEIGHT);
}

static void find_target(Rk78 *k) {
    Job *j = k->j;
    k->target = j->o->stop;
    if (k->target > k->jump - events_margin(j, k->jump)) k->target = k->jump;
    if (has_whens(j) || has_modes(j) || j->history) k->longest = events_longest_step(j, k->t, k->y);
    if (j->scout) {
        double proposed = k->h > 0 ? k->h : INFINITY;
        if (k->longest > 0) proposed = fmin(proposed, k->longest);
        k->target = fmin(k->target, scout_ahead(j, k->t, k->target, proposed));
    }
}

// To the target, to the middle before it, or as far as is good; a little less for a wanted point.
static void choose_length(Rk78 *k) {
    double left = k->target - k->t;
    double h = k->longest > 0 ? fmin(k->h, k->longest) : k->h;
    k->step = h >= left ? left : h > left / 2 ? left / 2 : h;
    k->end = h >= left ? k->target : k->t + k->step;
    k->known = 0;
    k->given = false;
    double wanted = k->j->wanted - k->t;
    if (wanted < cut_for_point * k->step || !rk78_wants(k)) return;
    k->step = wanted;
    k->end = k->j->wanted;
}

static bool emit_up_to(Rk78 *k, double t) {
    Job *j = k->j;
    while (job_wants(j, t))
        if (!job_emit(j, j->wanted, k->y, k->y + j->n)) return false;
    return true;
}

bool rk78_ready(Rk78 *k) {
    if (k->t >= k->j->o->stop) {
        emit_up_to(k, INFINITY); // wanted times may lie behind the end by rounding
        return false;
    }
    if (k->failures == 0) {
        find_target(k);
        find_weights(k);
        if (k->h == 0) k->h = rk78_first_step(k);
    }
    choose_length(k);
    return k->end > k->t || fail(k);
}

// --- after a step --------------------------------------------------------------------------------

static bool change_switches(Rk78 *k) {
    machine_release_branch(k->j->m);
    if (!events_cross(k->j, k->t, k->y, k->crossed) || !history_break(k->j, k->t, k->y))
        return false;
    restart(k, 0);
    return !k->j->when.ending || emit_up_to(k, k->t);
}

// If the present choice of states has become bad, changes it and starts anew.
static bool choose_states(Rk78 *k) {
    bool changed;
    if (k->t >= k->j->o->stop) return true;
    if (!job_choose(k->j, k->t, k->y, &changed)) return false;
    if (changed) restart(k, 0);
    return true;
}

// Over a jump of a signal of time: the states stay, steps start anew behind it, with the length
// that they had: a table of thousands of points has as many kinks, and no time to look around.
static bool step_over_jump(Rk78 *k) {
    while (k->t >= k->jump) {
        k->t = k->after;
        machine_release_branch(k->j->m);
        if (!events_jump(k->j, k->t, k->y) || !history_break(k->j, k->t, k->y)) return false;
        if (!emit_up_to(k, k->t + events_margin(k->j, k->t))) return false;
        restart(k, k->h);
        if (!job_poll(k->j, k->t)) return false;
    }
    return true;
}

// Beyond a fold of a loop: from the accepted point to behind it. False: there is none.
static bool pass_fold(Rk78 *k) {
    Job *j = k->j;
    if (!fold_pass(j, &k->t, k->y, k->y + j->n, k->step)) return false;
    if (!history_break(j, k->t, k->y) || !emit_up_to(k, k->t)) return false;
    k->failures = 0;
    restart(k, 0);
    return true;
}

// Steps that are lost in the rounding of the time lead nowhere.
static bool reject(Rk78 *k, double factor) {
    k->j->stats->rejected++;
    machine_return_to_branch(k->j->m);
    k->h = k->step * factor;
    bool tiny = k->h < fmax(2 * events_margin(k->j, k->t), k->j->o->min_step);
    if (++k->failures <= MOST_FAILURES && !tiny) return true;
    if (job_in_trouble(k->j) && pass_fold(k)) return true;
    if (k->tried_at == k->t || job_in_trouble(k->j)) return fail(k);
    k->tried_at = k->t; // once more: sizes from here on may be others
    k->failures = 0;
    restart(k, 0);
    return true;
}

// h/h' = min(x, x h/h_last (err_last/err)^(1/8))   x = 0.75/err^(1/8)
//
// Far below the tolerance an error is one of rounding, and says nothing about the next.
static double growth_after(const Rk78 *k, double error) {
    const double least = 1e-4;
    double growth = error > 0 ? safety * pow(error, -1.0 / 8) : most_growth;
    if (k->last > 0 && error > 0)
        growth *= fmin(1, k->step / k->last * pow(fmax(k->judged, least) / error, 1.0 / 8));
    return fmin(fmax(growth, least_growth), most_growth);
}

// A step that had to be shorter than it could be says little about a longer one.
static void choose_next(Rk78 *k, double growth) {
    if (k->failures) growth = fmin(growth, 1);
    double next = k->step * growth;
    k->h = growth >= most_growth ? fmax(k->h, next) : next;
}

// A relation may change and change back within a step. If a recorded point in between shows that,
// the step ends there.
static bool ends_at_relation(Rk78 *k) {
    Job *j = k->j;
    if (j->p->switch_count == 0 || !events_missed(j, j->wanted, k->trial, k->crossed)) return false;
    k->end = j->wanted;
    k->step = k->end - k->t;
    if (k->total) memcpy(k->next, k->trial, (size_t)k->total * sizeof *k->next);
    rk78_locate(k);
    return true;
}

static bool emit_inside(Rk78 *k, bool *event) {
    Job *j = k->j;
    bool looked = false;
    for (; rk78_wants(k); looked = true) {
        rk78_inside(k, j->wanted, k->trial);
        if (ends_at_relation(k))
            *event = true;
        else if (!job_emit(j, j->wanted, k->trial, k->trial + j->n))
            return false;
    }
    if (looked && *event) *event = events_missed(j, k->end, k->next, k->crossed);
    return true;
}

// The rates at the end may be known; where they also depend on what is found there by iteration, or
// on the past, the next step looks at them again.
static void move_to_end(Rk78 *k) {
    const Job *j = k->j;
    size_t size = (size_t)k->total * sizeof *k->y;
    k->begun = k->known == k->step && j->p->block_count == 0 && !j->history;
    if (k->total) memcpy(k->y, k->next, size);
    if (k->begun && k->total) memcpy(k->k, k->k + RK78_STAGES * k->total, size);
    k->t = k->end;
    k->failures = 0;
}

static bool arrive(Rk78 *k, bool event) {
    Job *j = k->j;
    if (!emit_inside(k, &event)) return false;
    rk78_keep_inside(k);
    move_to_end(k);
    j->stats->steps++;
    j->stats->last_step = k->step;
    if (job_is_stuck(j, k->t)) return fail(k);
    int worst = watch_wants_worst(j) ? worst_state(k) : -1;
    if (!watch_step(j, k->t, k->y, k->step, worst)) return false;
    sizes_step(j, k->t, k->y, k->y + j->n, k->step);
    if (!history_add(j, k->t, k->y) || !emit_up_to(k, events_before(j, k->t, k->jump)))
        return false;
    if (event && k->t < j->o->stop && !change_switches(k)) return false;
    if (!event && scout_passes(j, k->t)) restart(k, k->h);
    return choose_states(k) && step_over_jump(k) && job_poll(j, k->t);
}

bool rk78_is_accepted(const Rk78 *k) { return rk78_norm(k, k->error) <= 1; }

static BranchLook look_at_branch(Rk78 *k) {
    Job *j = k->j;
    if (!j->m->branch) return BRANCH_KEPT;
    if (!k->looked) k->look = fold_look(j, k->end, k->next);
    k->looked = false;
    return k->look;
}

// In a long step Newton's method left the branch of a loop: the step once more, on the branch.
static bool settle_again(Rk78 *k) {
    Machine *m = k->j->m;
    machine_loosen_branch(m, false);
    bool good = rk78_attempt(k);
    machine_loosen_branch(m, true);
    k->again = true;
    bool goes_on = rk78_settle(k, good, false);
    k->again = false;
    return goes_on;
}

bool rk78_settle(Rk78 *k, bool good, bool quiet) {
    Job *j = k->j;
    if (!good) return reject(k, after_trouble);
    double error = rk78_norm(k, k->error);
    if (!isfinite(error)) return reject(k, after_trouble);
    if (error > 1) return reject(k, fmax(safety * pow(error, -1.0 / 8), least_growth));
    BranchLook look = look_at_branch(k);
    if (look == BRANCH_STRAYED) return k->again ? reject(k, after_trouble) : settle_again(k);
    if (look == BRANCH_ENDS) {
        if (pass_fold(k) || j->status != SOLVE_DONE) return j->status == SOLVE_DONE;
        machine_release_branch(j->m); // no fold: it is as it is
    }
    bool changed = false;
    choose_next(k, growth_after(k, error));
    if (j->p->switch_count > 0 && !quiet && events_missed(j, k->end, k->next, k->crossed)) {
        if (!rk78_locate(k)) return reject(k, after_trouble);
        changed = true;
    }
    if (j->p->switch_count > 0 && rk78_ends_inside(k)) changed = true;
    bool event = changed && events_missed(j, k->end, k->next, k->crossed);
    if (rk78_wants(k) && !rk78_look_inside(k)) return reject(k, after_trouble);
    k->last = k->step;
    k->judged = error;
    return arrive(k, event);
}

// --- a run ---------------------------------------------------------------------------------------

bool rk78_start(Rk78 *k) {
    k->longest = events_longest_step(k->j, k->t, k->y);
    if (!events_start(k->j, k->t, k->y)) return false;
    restart(k, 0);
    return emit_up_to(k, k->t) && step_over_jump(k);
}

static void leave_point(const Rk78 *k) {
    Job *j = k->j;
    if (j->n) memcpy(j->state, k->y, (size_t)j->n * sizeof *k->y);
    if (j->nq) memcpy(j->quad, k->y + j->n, (size_t)j->nq * sizeof *k->y);
}

void rk78_run(Job *j) {
    Rk78 k;
    fold_open(j);
    rk78_open(&k, j);
    bool goes_on = rk78_start(&k);
    while (goes_on && rk78_ready(&k))
        goes_on = rk78_settle(&k, rk78_attempt(&k), false) && choice_watch(j, k.t, k.y, k.last);
    if (j->status == SOLVE_SWITCH || j->status == SOLVE_CHANGE) leave_point(&k);
    rk78_shut(&k);
    machine_close_branch(j->m);
}
