// What went wrong, in the user's words: time, state, component, cause, remedy.
#include "solve/job.h"

#include <math.h>

static const char *remedy_for_method(const Job *j) {
    return solver_has_fixed_step(j->stats->method)
               ? "; if the values grew without bound, try a smaller step"
               : "";
}

// Goes to the point once more: the block fails again, and its matrix can be looked at.
static void explain_block(Job *j, Text *why) {
    const Trouble *t = &j->trouble;
    bool fails = !machine_derivative(j->m, t->time, t->state, j->rate, NULL) ||
                 !machine_outputs(j->m, t->time, t->state, j->output);
    if (fails && j->m->failed_block == t->block) machine_explain_block(j->m, t->block, why);
}

// A block that only the start has.
static bool is_start_block(const Job *j, int block) {
    const System *s = j->p->system;
    return block >= s->block_count && block < s->block_count + s->start_block_count;
}

static void problem_start_block(Job *j, const TapeBlock *b) {
    Remark *m = report_error(j->r, Q_START_UNSOLVED, b->pos,
                             "no start values were found for %s (residual %.3g)", b->what,
                             j->trouble.residual);
    remark_help(j->r, m,
                "start values nearer to the solution help the search; or the conditions at the "
                "start cannot hold together");
}

static void problem_block(Job *j) {
    const Trouble *t = &j->trouble;
    const TapeBlock *b = &j->p->block[t->block];
    Remark *m;
    if (is_start_block(j, t->block)) {
        problem_start_block(j, b);
        return;
    }
    Text why = {0};
    explain_block(j, &why);
    bool ends = !b->linear && t->residual > 1e-9; // Newton came to rest where no solution is
    if (why.length > 0 && !ends)
        m = report_error(j->r, S_BLOCK_FAILED, b->pos,
                         "at t = %g s the equations for %s are singular: %s", t->time, b->what,
                         text_get(&why));
    else if (b->linear)
        m = report_error(j->r, S_BLOCK_FAILED, b->pos,
                         "at t = %g s the linear equations for %s are singular", t->time, b->what);
    else
        m = report_error(j->r, S_BLOCK_FAILED, b->pos,
                         "at t = %g s no solution was found for %s (residual %.3g)", t->time,
                         b->what, t->residual);
    remark_help(j->r, m,
                b->linear ? "look for a loop without resistance, or for two sources that "
                            "say the same thing"
                : t->time > j->o->start
                    ? "perhaps there is none from here on: look at what the loop is asked for, or "
                      "give one of them a start value on the branch that is meant"
                    : "give one of them a start value near the solution");
    text_free(&why);
}

static void problem_rate(Job *j) {
    const Trouble *t = &j->trouble;
    Text why = {0}, what = {0};
    Pos pos = POS_NONE;
    machine_explain_rate(j->m, t->time, t->state, t->rate, &why);
    if (t->rate < j->n) {
        pos = program_state_pos(j->p, t->rate);
        text_printf(&what, "the rate of '%s'", program_state_name(j->p, t->rate));
    } else {
        text_add(&what, "the integrand ");
        program_name(&what, j->p, j->p->quadrature[t->rate - j->n]);
    }
    Remark *m = report_error(j->r, S_NOT_FINITE, pos, "at t = %g s %s is not a finite number: %s",
                             t->time, text_get(&what), text_get(&why));
    Expr bad = t->rate < j->n ? j->p->system->rate[t->rate] : j->p->quadrature[t->rate - j->n];
    machine_note_law(j->m, bad, j->r, m);
    if (machine_overflows(j->m, bad))
        remark_help(j->r, m, "%s%s", remedy_for_overflow, remedy_for_method(j));
    else
        remark_help(j->r, m, "keep the inputs of that operation in its range%s",
                    remedy_for_method(j));
    text_free(&why);
    text_free(&what);
}

void problem_trouble(Job *j) {
    j->status = SOLVE_FAILED;
    if (j->trouble.block >= 0)
        problem_block(j);
    else
        problem_rate(j);
}

// "'d1' (blocking)"
static void name_choice(Text *out, const Job *j, int choice) {
    const Model *m = j->o->modes->model;
    const ModeChoice *c = &m->choice[choice];
    const char *owner = name_text(m->names, c->owner);
    text_printf(out, "'%s' (%s)", *owner ? owner : name_text(m->names, m->name),
                name_text(m->names, m->mode[c->first_mode + j->modes.mode[choice]].name));
}

static Pos choice_pos(const Job *j, int choice) { return j->o->modes->model->choice[choice].pos; }

// The choice in whose condition a relation stands; -1: in none.
static int choice_with(const Job *j, Expr relation) {
    const System *s = j->p->system;
    const Model *m = s->model;
    for (int c = 0; c < m->choice_count; c++) {
        const ModeChoice *choice = &m->choice[c];
        ExprWalk *walk = walk_new(s->dag);
        walk_start(walk);
        for (int k = choice->first_mode; k < choice->first_mode + choice->mode_count; k++)
            if (k < s->whens.guard_count) walk_add(walk, s->whens.guard[k]);
        bool found = walk_seen(walk, relation);
        walk_free(walk);
        if (found) return c;
    }
    return -1;
}

// "the relation 'v < 0' of 'friction'", and where it stands.
static Pos name_relation(Text *out, const Job *j, Expr relation) {
    const System *s = j->p->system;
    const Model *m = s->model;
    Op op = expr_op(s->dag, relation);
    bool relates = op == OP_LESS || op == OP_LESS_EQUAL;
    text_add(out, relates ? "the relation '" : "the function '");
    program_name(out, j->p, relation);
    text_char(out, '\'');
    int i = equation_with(s, relation);
    if (i >= 0 && m->equation[i].comp >= 0)
        text_printf(out, " of '%s'", name_text(m->names, m->comp[m->equation[i].comp].path));
    if (i >= 0) return m->equation[i].pos;
    return j->n > 0 ? program_state_pos(j->p, 0) : POS_NONE;
}

void problem_chatter(Job *j, double time) {
    Text what = {0};
    Pos pos = POS_NONE;
    Expr relation = j->last_switch >= 0 ? j->p->sw[j->last_switch].relation : 0;
    int choice = has_modes(j) && relation ? choice_with(j, relation) : -1;
    bool mode = choice >= 0;
    if (mode) {
        name_choice(&what, j, choice);
        pos = choice_pos(j, choice);
    } else if (relation) {
        pos = name_relation(&what, j, relation);
    }
    Remark *m = report_error(j->r, S_CHATTER, pos, "at t = %g s %s switched %ld times in %.2g s",
                             time, text_get(&what), j->chatter_count, time - j->chatter_time);
    remark_help(j->r, m, "%s",
                mode ? "its modes drive each other out: give their conditions a hysteresis, or add "
                       "the mode that holds between them"
                     : "give it a hysteresis, `modes` with the state between the two sides (dry "
                       "friction at rest), or a smooth function such as tanh(x/small)");
    text_free(&what);
    j->status = SOLVE_FAILED;
}

void problem_too_many_steps(Job *j, double time) {
    Remark *m = report_error(j->r, S_TOO_MANY_STEPS, POS_NONE,
                             "%ld steps were not enough: the run came to t = %g s of %g s",
                             j->most_steps, time, j->o->stop);
    remark_help(j->r, m, "%s",
                j->stats->method == SOLVER_CVODE_BDF
                    ? "allow more steps, a larger rtol, or a shorter run"
                    : "try `solver bdf`, a larger step or rtol, or a shorter run");
    j->status = SOLVE_FAILED;
}

void problem_step(Job *j, double time, double step, int state) {
    Remark *m;
    if (state >= 0)
        m = report_error(j->r, S_STEP_TOO_SMALL, program_state_pos(j->p, state),
                         "at t = %g s no step is small enough (last %.3g s); '%s' changes too fast",
                         time, step, program_state_name(j->p, state));
    else
        m = report_error(j->r, S_STEP_TOO_SMALL, POS_NONE,
                         "at t = %g s no step is small enough (last %.3g s)", time, step);
    if (j->o->min_step > 0) remark_note(j->r, m, POS_NONE, "min_step is %g s", j->o->min_step);
    remark_help(j->r, m,
                "look for a value that grows without bound or jumps; try `solver bdf` or "
                "a larger rtol");
    j->status = SOLVE_FAILED;
}

// "'a', 'b' and 'c'"
static void name_vars(Text *out, const Job *j, const int *var, int count) {
    for (int i = 0; i < count; i++)
        text_printf(out, "%s'%s'",
                    !i               ? ""
                    : i == count - 1 ? " and "
                                     : ", ",
                    watch_name(j, var[i]));
}

static Pos var_pos(const Job *j, const int *var, int count) {
    const Model *m = j->p->system->model;
    if (!count) return POS_NONE;
    const Var *v = &m->var[var[0]];
    return v->comp >= 0 ? m->comp[v->comp].pos : v->pos;
}

void problem_stall(Job *j, double time, double step, const int *var, int count) {
    Text names = {0};
    name_vars(&names, j, var, count);
    bool own = j->o->max_step > 0 && step >= 0.5 * j->o->max_step;
    Remark *m = report_error(j->r, S_STALL, var_pos(j, var, count),
                             "at t = %.9g s time no longer advances: 100000 steps, the last %.3g s "
                             "long, did not pass a millionth of the run%s%s",
                             time, step, count && !own ? "; the step is forced by " : "",
                             own ? "" : text_get(&names));
    if (own)
        remark_help(j->r, m, "`max_step` is %g s: a longer one, or a shorter run", j->o->max_step);
    else
        remark_help(j->r, m,
                    "look for what moves so fast there, and for numbers out of proportion; "
                    "`solver bdf` or a larger rtol or atol may pass it");
    text_free(&names);
    j->status = SOLVE_FAILED;
}

void problem_growth(Job *j, double time, const int *var, const double *much, int count) {
    Text names = {0};
    for (int i = 0; i < count; i++)
        text_printf(&names, "%s'%s' (%.1g times)",
                    !i               ? ""
                    : i == count - 1 ? " and "
                                     : ", ",
                    watch_name(j, var[i]), much[i]);
    Remark *m = report_warning(j->r, S_GROWTH, var_pos(j, var, count),
                               "at t = %g s values have grown beyond every scale: %s", time,
                               text_get(&names));
    remark_help(j->r, m,
                "if that is not what you mean, look for a sign or a feedback that drives itself; "
                "the run goes on, later times are not reported");
    text_free(&names);
}

void problem_method_growth(Job *j, double time, double step, int state, double good) {
    Remark *m = report_error(j->r, S_METHOD_GROWTH, program_state_pos(j->p, state),
                             "at t = %g s '%s' grows because the step of %g s is too long for the "
                             "method: with shorter steps it does not",
                             time, program_state_name(j->p, state), step);
    remark_help(j->r, m,
                "`step %.1g {s}` or shorter; or `solver rosenbrock` or bdf, which have no "
                "such limit",
                good);
    j->status = SOLVE_FAILED;
    j->stats->reached = time;
}

void problem_singular(Job *j, double time) {
    Remark *m = report_error(j->r, S_SINGULAR, POS_NONE,
                             "at t = %g s the solver's linear equations cannot be solved", time);
    remark_help(j->r, m, "try `solver rk78` or `solver adams`, which need no such equations");
    j->status = SOLVE_FAILED;
}

void problem_solver(Job *j, double time, const char *words, long flag) {
    Remark *m = report_error(j->r, S_SOLVER, POS_NONE, "at t = %g s the solver gave up: %s (%ld)",
                             time, words, flag);
    remark_help(j->r, m, "try another method or other tolerances");
    j->status = SOLVE_FAILED;
}

void problem_start(Job *j, int state) {
    Text why = {0};
    machine_explain_start(j->m, j->o->start, state, &why);
    Remark *m = report_error(j->r, S_START_NOT_FINITE, program_state_pos(j->p, state),
                             "the start value of '%s' is not a finite number (%g)%s%s",
                             program_state_name(j->p, state), j->state[state],
                             why.length ? ": " : "", text_get(&why));
    remark_help(j->r, m,
                "give it an initial value that is a number; if it follows from another start "
                "value, that one cannot be reached");
    text_free(&why);
    j->status = SOLVE_REFUSED;
}

void problem_choice(Job *j, double time) {
    const System *s = j->p->system;
    const Choice *c = &s->choice[j->m->failed_choice];
    const TapeBlock *b = &j->p->block[c->block];
    int set = -1;
    for (int k = 0; k < c->columns && set < 0; k++) set = c->set[k];
    Remark *m = report_error(j->r, S_NO_HOLD, set >= 0 ? s->set[set].pos : b->pos,
                             "at t = %g s the constraints between %s lose their hold: no choice of "
                             "states describes the motion there",
                             time, b->what);
    remark_help(j->r, m,
                "the position is singular, or a constraint repeats another one; start or steer the "
                "motion clear of it");
    j->status = SOLVE_FAILED;
}

// --- events --------------------------------------------------------------------------------------

// "'when h <= 0' of 'ball'"
static void name_branch(Text *out, const Job *j, int branch) {
    const Model *m = j->p->system->model;
    const When *w = &m->when[branch];
    text_printf(out, "'when %s'", name_text(m->names, w->text));
    if (*name_text(m->names, w->owner)) text_printf(out, " of '%s'", name_text(m->names, w->owner));
}

static const char *name_target(const Job *j, int target, bool state) {
    const System *s = j->p->system;
    if (state) return system_state_name(s, target);
    int var = s->whens.discrete_var[target];
    return name_text(s->model->names, s->model->var[var].path);
}

void problem_zeno(Job *j, double time, int branch, const EventGaps *gaps, double limit) {
    Text name = {0};
    name_branch(&name, j, branch);
    Remark *m = report_error(j->r, S_ZENO, j->p->system->model->when[branch].pos,
                             "at t = %g s the events of %s come ever faster, the last two %.1g s "
                             "apart after %ld: they pile up at t = %.6g s",
                             time, text_get(&name), gaps->gap, gaps->count, limit);
    remark_help(
        j->r, m,
        "let the motion end before: a discrete variable that holds it at rest below a small "
        "speed, a soft contact, or an earlier `stop`");
    text_free(&name);
    j->status = SOLVE_FAILED;
}

void problem_event_loop(Job *j, double time) {
    Text name = {0};
    name_branch(&name, j, j->when.last);
    Remark *m = report_error(j->r, S_EVENT_LOOP, j->p->system->model->when[j->when.last].pos,
                             "at t = %g s events cause each other without end, the last one is %s",
                             time, text_get(&name));
    remark_help(j->r, m, "break the circle: what it sets must not make its own condition rise");
    text_free(&name);
    j->status = SOLVE_FAILED;
}

void problem_conflict(Job *j, double time, const Setting *a, const Setting *b, bool state) {
    Remark *m = report_error(j->r, S_EVENT_CONFLICT, b->pos,
                             "at t = %g s two whens set '%s' at the same moment", time,
                             name_target(j, a->target, state));
    remark_note(j->r, m, a->pos, "the other one is here");
    remark_help(j->r, m, "join them with elsewhen: the first one that becomes true wins");
    j->status = SOLVE_FAILED;
}

void problem_new_value(Job *j, double time, const Setting *s, bool state, double value) {
    Text why = {0};
    machine_explain(j->m, state ? s->value : j->p->system->whens.next[s->target], &why);
    Remark *m = report_error(j->r, S_EVENT_NOT_FINITE, s->pos,
                             "at t = %g s the new value of '%s' is not a finite number (%s): %s",
                             time, name_target(j, s->target, state), isnan(value) ? "nan" : "inf",
                             text_get(&why));
    remark_help(j->r, m, "look for a division by zero or a function outside its range");
    text_free(&why);
    j->status = SOLVE_FAILED;
}

void problem_delay(Job *j, double time, const Delay *d, double length, double bound) {
    Remark *m = report_error(j->r, S_DELAY, d->pos, "at t = %g s the delay of '%s' is %g s, %s",
                             time, name_text(j->p->system->model->names, d->text), length,
                             length > 0 ? "longer than its bound" : "which is not positive");
    if (length > 0)
        remark_help(j->r, m, "its bound is %g s: give a larger one, or keep the delay shorter",
                    bound);
    else
        remark_help(j->r, m, "keep it positive: max(T, 1 {ms})");
    j->status = SOLVE_FAILED;
    j->stats->reached = time;
}

void problem_delay_step(Job *j, const Delay *d, double length, double step) {
    Remark *m = report_error(j->r, S_DELAY, d->pos,
                             "the delay of '%s' is %g s, shorter than the fixed step of %g s",
                             name_text(j->p->system->model->names, d->text), length, step);
    remark_help(j->r, m, "choose a shorter step, or a method with variable steps");
    j->status = SOLVE_FAILED;
}

void problem_sample(Job *j, int sample, double period) {
    Remark *m = report_error(j->r, S_SAMPLE, j->p->system->model->sample[sample].pos,
                             "a sample period of %g s does not suit a run from %g s to %g s",
                             period, j->o->start, j->o->stop);
    remark_help(j->r, m, "give a longer period");
    j->status = SOLVE_FAILED;
}

// ": x = 3 m, limit = 2 m"
static void name_witnesses(Text *out, const Job *j, int branch) {
    const System *s = j->p->system;
    const When *w = &s->model->when[branch];
    double value[16];
    int count = w->witness_count < 16 ? w->witness_count : 16;
    machine_values(j->m, s->whens.witness[branch], count, value);
    for (int i = 0; i < count; i++) {
        const char *unit = name_text(s->model->names, w->witness[i].unit);
        text_printf(out, "%s%s = %.7g%s%s", i ? ", " : ": ",
                    name_text(s->model->names, w->witness[i].text), value[i], *unit ? " " : "",
                    unit);
    }
}

// Constraints of a mechanism, the velocities of a lagrangian or Euler angles lose their hold.
static void problem_position(Job *j, double time, int branch) {
    const Model *model = j->p->system->model;
    const When *w = &model->when[branch];
    Text values = {0};
    name_witnesses(&values, j, branch);
    Remark *m = report_error(j->r, w->code, w->pos, "at t = %g s %s%s", time,
                             name_text(model->names, w->words), text_get(&values));
    remark_help(j->r, m, "%s", name_text(model->names, w->text));
    text_free(&values);
    j->status = SOLVE_FAILED;
    j->stats->reached = time;
}

// The run leaves the rows of a table.
static void problem_table(Job *j, double time, const When *w) {
    const Model *m = j->p->system->model;
    const char *owner = name_text(m->names, w->owner);
    bool stops = w->kind == WHEN_STOPS, named = *owner != 0;
    Remark *r =
        report_add(j->r, stops ? ERROR : WARNING, S_TABLE_END, w->pos, "at t = %g s %s%s%s%s", time,
                   named ? "'" : "", owner, named ? "': " : "", name_text(m->names, w->words));
    if (w->row.file) remark_note(j->r, r, w->row, "its last row is here");
    remark_help(j->r, r, "%s",
                stops
                    ? "give it more rows, keep the run inside of it, or write beyond hold or "
                      "beyond extrapolate"
                    : "give it more rows, keep the run inside of it, or say what is meant: beyond "
                      "hold, beyond extrapolate or beyond error");
    if (!stops) return;
    j->status = SOLVE_FAILED;
    j->stats->reached = time;
}

void problem_assertion(Job *j, double time, int branch) {
    const Model *m = j->p->system->model;
    const When *w = &m->when[branch];
    const char *owner = name_text(m->names, w->owner), *words = name_text(m->names, w->words);
    if (w->kind == WHEN_SINGULAR) {
        problem_position(j, time, branch);
        return;
    }
    if (w->table_end) {
        problem_table(j, time, w);
        return;
    }
    bool stops = w->kind == WHEN_STOPS, named = *owner != 0;
    Remark *r =
        report_add(j->r, stops ? ERROR : WARNING, S_ASSERTION, w->pos, "at t = %g s %s%s%s%s", time,
                   named ? "'" : "", owner, named ? "': " : "", words);
    Text values = {0};
    name_witnesses(&values, j, branch);
    if (w->outer.file) remark_note(j->r, r, w->outer, "this is the component");
    remark_help(j->r, r, "'%s' does not hold%s%s", name_text(m->names, w->text), text_get(&values),
                stops ? "" : "; the run goes on, later times are not reported");
    text_free(&values);
    if (!stops) return;
    j->status = SOLVE_FAILED;
    j->stats->reached = time;
}

// --- modes ---------------------------------------------------------------------------------------

// The name lives as long as the report.
static const char *choice_name(Job *j, int choice) {
    Text name = {0};
    name_choice(&name, j, choice);
    const char *text = arena_copy_text(&j->r->arena, text_get(&name), name.length);
    text_free(&name);
    j->status = SOLVE_FAILED;
    return text;
}

Remark *problem_no_mode(Job *j, double time, int choice) {
    Remark *m = report_error(j->r, S_NO_MODE, choice_pos(j, choice),
                             "at t = %g s %s cannot go on, and no other modes hold together", time,
                             choice_name(j, choice));
    remark_help(j->r, m,
                "look for a case that no mode covers, or for modes that leave a variable open; a "
                "small resistance or leakage often decides");
    return m;
}

void problem_instants(Job *j, double time, int choice) {
    Remark *m = report_error(j->r, S_INSTANTS, choice_pos(j, choice),
                             "at t = %g s the impacts of %s cause each other without end", time,
                             choice_name(j, choice));
    remark_help(j->r, m,
                "let the condition of its `once` fail after the impact: f < -v_rest, with a mode "
                "of rest for what is slower");
}

void problem_mode_zeno(Job *j, double time, int choice, const EventGaps *gaps, double limit) {
    Remark *m = report_error(j->r, S_MODE_ZENO, choice_pos(j, choice),
                             "at t = %g s %s switches ever faster, the last two times %.1g s apart "
                             "after %ld: this piles up at t = %.6g s",
                             time, choice_name(j, choice), gaps->gap, gaps->count, limit);
    remark_help(j->r, m, "give it a mode of rest that holds below a small speed");
}
