// Events in solved form (see whens.h).
//
// New values are put in place along the order in which discrete variables need each other:
//
//     e = r - y           rewrite(e) has no discrete symbols      needs nothing
//     i = pre(i) + e      e -> its next; pre(i) -> i              needs e
//     u = kp*e + i        e, i -> theirs                          needs e, i
#include "equations/work.h"

typedef ARRAY(int) Columns;

typedef struct {
    Work *w;
    Whens *out;
    Resolver *solved;
    int *discrete_of_symbol; // -1: none
    int *state_of_quantity;  // -1: none
    int *first_set;          // per discrete variable: its settings, from set[first] on
    Rewrite *next;
} Plan;

static const char *path_of(const Work *w, int var) {
    return name_text(w->model->names, w->model->var[var].path);
}

// --- what there is ------------------------------------------------------------------------------

static void list_discrete(Plan *p) {
    const Model *m = p->w->model;
    Arena *out = p->w->out;
    int n = 0;
    for (int i = 0; i < m->var_count; i++) n += m->var[i].kind == VAR_DISCRETE;
    p->out->discrete_var = ARENA_ARRAY(out, int, n);
    p->out->discrete = ARENA_ARRAY(out, Expr, n);
    p->out->start = ARENA_ARRAY(out, Expr, n);
    p->out->next = ARENA_ARRAY(out, Expr, n);
    for (int i = 0; i < m->var_count; i++) {
        const Var *v = &m->var[i];
        if (v->kind != VAR_DISCRETE) continue;
        int k = p->out->discrete_count++;
        p->out->discrete_var[k] = i;
        p->out->discrete[k] = p->out->next[k] = v->symbol;
        p->out->start[k] = v->start ? v->start : expr_number(p->w->dag, 0);
        p->discrete_of_symbol[expr_symbol_index(p->w->dag, v->symbol)] = k;
    }
}

static void list_branches(Plan *p) {
    Work *w = p->w;
    const Model *m = w->model;
    Whens *o = p->out;
    o->sample_count = m->sample_count;
    o->sample = ARENA_ARRAY(w->out, Expr, m->sample_count);
    for (int i = 0; i < m->sample_count; i++) o->sample[i] = m->sample[i].symbol;
    o->branch_count = m->when_count;
    o->condition = ARENA_ARRAY(w->out, Expr, m->when_count);
    o->fired = ARENA_ARRAY(w->out, Expr, m->when_count);
    o->witness = ARENA_ARRAY(w->out, Expr *, m->when_count);
    o->rate_bound = ARENA_ARRAY(w->out, Expr, m->when_count);
    for (int i = 0; i < m->when_count; i++) {
        o->condition[i] = resolve(p->solved, m->when[i].condition);
        if (m->when[i].rate_bound)
            o->rate_bound[o->rate_bound_count++] = resolve(p->solved, m->when[i].rate_bound);
        o->witness[i] = ARENA_ARRAY(w->out, Expr, m->when[i].witness_count);
        for (int k = 0; k < m->when[i].witness_count; k++)
            o->witness[i][k] = resolve(p->solved, m->when[i].witness[k].value);
        o->fired[i] = expr_symbol(w->dag, name_of(m->names, "fired"));
    }
}

static void list_delays(Plan *p) {
    Work *w = p->w;
    const Model *m = w->model;
    Whens *o = p->out;
    int n = o->delay_count = m->delay_count;
    o->delay_slope = w->delay_slope;
    o->delay = ARENA_ARRAY(w->out, int, n);
    o->delayed = ARENA_ARRAY(w->out, Expr, n);
    o->delay_time = ARENA_ARRAY(w->out, Expr, n);
    o->delay_most = ARENA_ARRAY(w->out, Expr, n);
    o->delay_before = ARENA_ARRAY(w->out, Expr, n);
    for (int i = 0; i < n; i++) {
        const Delay *d = &m->delay[i];
        o->delay[i] = p->discrete_of_symbol[expr_symbol_index(w->dag, d->symbol)];
        o->delayed[i] = resolve(p->solved, d->what);
        o->delay_time[i] = resolve(p->solved, d->time);
        o->delay_most[i] = d->most;
        o->delay_before[i] = d->before ? d->before : expr_number(w->dag, 0);
    }
}

// --- settings -----------------------------------------------------------------------------------

static bool add_reset(Plan *p, Setting s, int var) {
    Work *w = p->w;
    int sign;
    int q = w->quantity_of_node[alias_root(w, var, &sign)];
    int state = q >= 0 ? p->state_of_quantity[q] : -1;
    if (state >= 0) {
        s.target = state;
        if (sign < 0) s.value = expr_neg(w->dag, s.value);
        p->out->reset[p->out->reset_count++] = s;
        return true;
    }
    Remark *r = report_error(w->report, Q_REINIT, s.pos, "'%s' cannot be set: it is no state",
                             path_of(w, var));
    bool was = q >= 0 && w->quantity.data[q].user_state;
    remark_help(w->report, r, "%s",
                q >= 0 && w->quantity.data[q].set >= 0
                    ? "constraints tie it to others, and states are chosen among them during the "
                      "run: let the event act through an effort or a discrete variable"
                : was ? "a constraint ties it to another storage: set that one"
                      : "set q or p of the storage behind it, or a variable with a derivative");
    return false;
}

// States are listed in the order of quantities.
static void number_states(Plan *p) {
    Work *w = p->w;
    p->state_of_quantity = ARENA_ARRAY(&w->scratch, int, w->quantity.count);
    for (int q = 0, n = 0; q < w->quantity.count; q++)
        p->state_of_quantity[q] = is_state(&w->quantity.data[q]) ? n++ : -1;
}

static int by_target(const void *pa, const void *pb) {
    const Setting *a = pa, *b = pb;
    if (a->target != b->target) return a->target < b->target ? -1 : 1;
    return (a->branch > b->branch) - (a->branch < b->branch);
}

static bool list_settings(Plan *p) {
    Work *w = p->w;
    const Model *m = w->model;
    Whens *o = p->out;
    bool good = true;
    o->set = ARENA_ARRAY(w->out, Setting, m->action_count);
    o->reset = ARENA_ARRAY(w->out, Setting, m->action_count);
    for (int b = 0; b < m->when_count; b++) {
        const When *when = &m->when[b];
        for (int i = when->first_action; i < when->first_action + when->action_count; i++) {
            const Action *a = &m->action[i];
            Setting s = {.branch = b, .value = resolve(p->solved, a->value), .pos = a->pos};
            if (a->reinit) {
                good = add_reset(p, s, a->var) && good;
                continue;
            }
            s.target = p->discrete_of_symbol[expr_symbol_index(w->dag, m->var[a->var].symbol)];
            o->set[o->set_count++] = s;
        }
    }
    if (o->reset_count > 1) qsort(o->reset, (size_t)o->reset_count, sizeof *o->reset, by_target);
    if (o->set_count > 1) qsort(o->set, (size_t)o->set_count, sizeof *o->set, by_target);
    p->first_set = ARENA_ARRAY(&w->scratch, int, o->discrete_count + 1);
    for (int k = 0, i = 0; k <= o->discrete_count; k++) {
        while (i < o->set_count && o->set[i].target < k) i++;
        p->first_set[k] = i;
    }
    return good;
}

// --- new values, in the order of need -----------------------------------------------------------

static void put_in_place(Plan *p, int k) {
    Work *w = p->w;
    Expr value = p->out->discrete[k];
    for (int i = p->first_set[k + 1] - 1; i >= p->first_set[k]; i--) {
        const Setting *s = &p->out->set[i];
        value = expr_if(w->dag, p->out->fired[s->branch], rewrite(p->next, s->value), value);
    }
    p->out->next[k] = value;
    if (p->first_set[k] < p->first_set[k + 1]) rewrite_set(p->next, p->out->discrete[k], value);
}

// Row k: itself and the discrete variables that stand in its new values. True when it needs its
// own.
static bool add_row(Plan *p, int k, Columns *col) {
    Work *w = p->w;
    bool own = false;
    array_push(col, k);
    walk_start(w->walk);
    for (int i = p->first_set[k]; i < p->first_set[k + 1]; i++)
        walk_add(w->walk, p->out->set[i].value);
    for (int i = 0; i < walk_count(w->walk); i++) {
        Expr e = walk_at(w->walk, i);
        if (expr_op(w->dag, e) != OP_SYMBOL) continue;
        int needed = p->discrete_of_symbol[expr_symbol_index(w->dag, e)];
        own = own || needed == k;
        if (needed >= 0 && needed != k && p->first_set[needed] < p->first_set[needed + 1])
            array_push(col, needed);
    }
    return own;
}

static bool report_circle(Plan *p, const int *list, int n) {
    Work *w = p->w;
    int k = list[0];
    const Setting *s = &p->out->set[p->first_set[k]];
    const char *path = path_of(w, p->out->discrete_var[k]);
    Remark *r = report_error(w->report, Q_EVENT_CIRCLE, s->pos,
                             n == 1 ? "the new value of '%s' needs itself"
                                    : "the new value of '%s' needs itself, by way of others",
                             path);
    for (int i = 1; i < n && i < 8; i++)
        remark_note(w->report, r, p->out->set[p->first_set[list[i]]].pos, "by way of '%s'",
                    path_of(w, p->out->discrete_var[list[i]]));
    remark_help(w->report, r, "write pre(%s) for the value before the event", path);
    return false;
}

static bool order_values(Plan *p) {
    Work *w = p->w;
    int n = p->out->discrete_count;
    Columns col = {0};
    Incidence a = {.row_count = n, .col_count = n};
    a.start = ARENA_ARRAY(&w->scratch, int, n + 1);
    int *self = ARENA_ARRAY(&w->scratch, int, n + 1), *order = ARENA_ARRAY(&w->scratch, int, n + 1);
    int *first = ARENA_ARRAY(&w->scratch, int, n + 1);
    bool good = true;
    for (int k = 0; k < n; k++) {
        a.start[k] = col.count;
        self[k] = k;
        if (add_row(p, k, &col)) good = report_circle(p, &k, 1);
    }
    a.start[n] = col.count;
    a.col = col.data;
    int parts = n ? incidence_components(&a, self, order, first) : 0;
    for (int i = 0; i < parts && good; i++) {
        int size = (i + 1 < parts ? first[i + 1] : n) - first[i];
        if (size > 1)
            good = report_circle(p, order + first[i], size);
        else
            put_in_place(p, order[first[i]]);
    }
    array_free(&col);
    return good;
}

// --- modes --------------------------------------------------------------------------------------

int guard_relations(Work *w, Expr *relation) {
    const Model *m = w->model;
    int count = 0;
    walk_start(w->walk);
    for (int c = 0; c < m->choice_count; c++) {
        const ModeChoice *choice = &m->choice[c];
        const Mode *mode = &m->mode[choice->first_mode];
        walk_add(w->walk, mode[choice->present].condition); // 0: nothing is added
        walk_add(w->walk, mode[choice->also].condition);
    }
    for (int i = 0; i < walk_count(w->walk); i++) {
        Expr e = walk_at(w->walk, i);
        Op op = expr_op(w->dag, e);
        if (op != OP_LESS && op != OP_LESS_EQUAL) continue;
        if (relation) relation[count] = e;
        count++;
    }
    return count;
}

typedef struct {
    Expr node, guard;
} Guarded;

static Expr guarded(const Guarded *list, int count, Expr node) {
    for (int i = count - 1; i >= 0; i--)
        if (list[i].node == node) return list[i].guard;
    return node;
}

// A condition in solved form, with the impulse of each relation: a < b becomes a + impulse < b.
static Expr guard_of(Plan *p, Expr condition, const Expr *relation) {
    Work *w = p->w;
    Whens *o = p->out;
    walk_start(w->walk);
    walk_add(w->walk, condition);
    int count = walk_count(w->walk);
    Guarded *list = ARENA_ARRAY(&w->scratch, Guarded, count);
    for (int i = 0; i < count; i++) {
        Expr e = walk_at(w->walk, i), arg[2] = {0, 0};
        Op op = expr_op(w->dag, e);
        bool compares = op == OP_LESS || op == OP_LESS_EQUAL;
        bool joins = op == OP_AND || op == OP_OR || op == OP_NOT;
        list[i] = (Guarded){e, compares || joins ? e : resolve(p->solved, e)};
        if (!compares && !joins) continue;
        for (int k = 0; k < expr_arg_count(w->dag, e); k++)
            arg[k] = joins ? guarded(list, i, expr_arg(w->dag, e, k))
                           : resolve(p->solved, expr_arg(w->dag, e, k));
        for (int k = 0; k < o->impulse_count && compares; k++)
            if (relation[k] == e) arg[0] = expr_add(w->dag, arg[0], o->impulse[k]);
        list[i].guard = expr_call(w->dag, op, arg, expr_arg_count(w->dag, e));
    }
    return list[count - 1].guard;
}

static void list_guards(Plan *p) {
    Work *w = p->w;
    const Model *m = w->model;
    Whens *o = p->out;
    o->guard_count = m->mode_count;
    o->guard = ARENA_ARRAY(w->out, Expr, m->mode_count);
    o->impulse_count = guard_relations(w, NULL);
    o->impulse = ARENA_ARRAY(w->out, Expr, o->impulse_count);
    Expr *relation = ARENA_ARRAY(&w->scratch, Expr, o->impulse_count);
    guard_relations(w, relation);
    for (int i = 0; i < o->impulse_count; i++)
        o->impulse[i] = expr_symbol(w->dag, name_of(m->names, "impulse"));
    for (int i = 0; i < m->mode_count; i++) o->guard[i] = expr_number(w->dag, 1);
    for (int c = 0; c < m->choice_count; c++) {
        const ModeChoice *choice = &m->choice[c];
        for (int i = choice->first_mode; i < choice->first_mode + choice->mode_count; i++) {
            const Mode *mode = &m->mode[i];
            if (!mode->condition) continue;
            int k = i - choice->first_mode;
            if (k == choice->present || k == choice->also)
                o->guard[i] = guard_of(p, mode->condition, relation);
            else if (mode->once)
                o->guard[i] = resolve(p->solved, mode->condition);
        }
    }
}

// --- all together -------------------------------------------------------------------------------

bool whens_solve(Work *w) {
    const Model *m = w->model;
    Plan p = {.w = w, .out = &w->system->whens, .solved = resolver_new(w->system)};
    int symbols = expr_symbol_count(w->dag);
    p.discrete_of_symbol = ARENA_ARRAY(&w->scratch, int, symbols + m->when_count);
    for (int i = 0; i < symbols + m->when_count; i++) p.discrete_of_symbol[i] = -1;
    p.next = rewrite_new(w->dag);
    for (int i = 0; i < m->before_count; i++)
        rewrite_set(p.next, m->before[i].symbol, resolve(p.solved, m->before[i].what));
    list_discrete(&p);
    list_branches(&p);
    list_delays(&p);
    list_guards(&p);
    number_states(&p);
    bool good = list_settings(&p) && order_values(&p);
    for (int i = 0; i < p.out->reset_count && good; i++)
        p.out->reset[i].value = rewrite(p.next, p.out->reset[i].value);
    rewrite_free(p.next);
    resolver_free(p.solved);
    return good;
}
