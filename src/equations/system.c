// From model and graph to the reduced system: the passes in order, then the results.
#include "equations/work.h"

#include "equations/jump.h"

// --- the passes ---------------------------------------------------------------------------------

// A delayed signal can be differentiated once, if its delay is fixed. What has no value is named
// when somebody needs it.
static void open_delays(Work *w) {
    const Model *m = w->model;
    w->delay_slope = ARENA_ARRAY(w->out, Expr, m->delay_count);
    for (int i = 0; i < m->delay_count; i++) {
        const Delay *d = &m->delay[i];
        const char *path =
            name_text(m->names, expr_symbol_name(m->dag, expr_symbol_index(m->dag, d->symbol)));
        w->delay_slope[i] = expr_symbol(w->dag, name_printf(m->names, "der(%s)", path));
        const char *form = d->fixed ? "der(der(%s))" : "der(%s)";
        Expr none = expr_symbol(w->dag, name_printf(m->names, form, path));
        rates_set(w->rates, d->symbol, d->fixed ? w->delay_slope[i] : none);
        rates_set(w->rates, w->delay_slope[i], none);
    }
}

static void work_open(Work *w, Arena *out, const Model *m, const Graph *g, Report *r) {
    *w = (Work){.model = m, .graph = g, .dag = dag_grow(m->dag), .report = r, .out = out};
    w->system = ARENA_NEW(out, System);
    *w->system = (System){.model = m, .graph = g, .dag = m->dag, .time = m->var[0].symbol};
    w->walk = walk_new(m->dag);
    w->rates = rates_new(w->dag);
    rates_set(w->rates, w->system->time, expr_number(w->dag, 1));
    open_delays(w);
}

static void forget_solution(Work *w) {
    sets_forget(w);
    for (int q = 0; q < w->quantity.count; q++) {
        w->quantity.data[q].demoted_by = -1;
        w->quantity.data[q].constant = false;
    }
    w->block.count = w->loop.count = 0;
    if (w->solved) rewrite_free(w->solved);
    w->solved = rewrite_new(w->dag);
    w->restart = false;
}

static bool reduce_and_solve(Work *w) {
    enum { MOST_RESTARTS = 100 };
    for (int i = 0; i < MOST_RESTARTS; i++) {
        forget_solution(w);
        if (!index_reduce(w)) return false;
        values_grow(w);
        if (!states_choose(w)) return false;
        values_grow(w);
        if (order_and_solve(w)) return true;
        if (!w->restart) return false;
    }
    Remark *m = report_error(w->report, Q_NO_FREEDOM, w->model->pos,
                             "constraints keep turning up while equations are solved");
    remark_help(w->report, m, "prescribe variables that are nearer to what enforces them");
    return false;
}

// --- the results --------------------------------------------------------------------------------

static Expr solved_value(Work *w, int q) { return rewrite(w->solved, w->quantity.data[q].symbol); }

int first_of_sets(const Work *w) {
    return w->own_rules > 0 ? w->own_quantities : w->quantity.count;
}

static void collect_sets(Work *w) {
    System *s = w->system;
    s->set_count = w->set.count;
    s->set = ARENA_ARRAY(w->out, StateSet, w->set.count);
    s->choice_count = w->choice.count;
    s->choice = ARENA_ARRAY(w->out, Choice, w->choice.count);
    int state = s->state_count;
    for (int i = 0; i < w->set.count; i++) state -= w->set.data[i].free;
    for (int i = 0; i < w->set.count; i++) {
        s->set[i] = w->set.data[i];
        s->set[i].first_state = state; // states are in the order of quantities, theirs come last
        state += s->set[i].free;
    }
    for (int i = 0; i < w->choice.count; i++) s->choice[i] = w->choice.data[i];
}

static bool collect_states(Work *w) {
    System *s = w->system;
    for (int q = 0; q < w->quantity.count; q++) s->state_count += is_state(&w->quantity.data[q]);
    s->state_var = ARENA_ARRAY(w->out, int, s->state_count);
    s->state = ARENA_ARRAY(w->out, Expr, s->state_count);
    s->rate = ARENA_ARRAY(w->out, Expr, s->state_count);
    int n = 0;
    for (int q = 0; q < w->quantity.count; q++) {
        const Quantity *x = &w->quantity.data[q];
        if (!is_state(x)) continue;
        if (x->var < 0 && q < first_of_sets(w)) {
            Text name = {0};
            quantity_label(&name, w, q);
            report_error(w->report, Q_NAMELESS_STATE, w->model->pos,
                         "the constraints leave only '%s' free, which the model does not name",
                         text_get(&name));
            text_free(&name);
            return false;
        }
        Expr rate = solved_value(w, x->der);
        s->state_var[n] = x->var;
        s->state[n] = x->symbol;
        s->rate[n++] = x->der_sign > 0 ? rate : expr_neg(w->dag, rate);
    }
    return true;
}

static void collect_values(Work *w) {
    System *s = w->system;
    s->value = ARENA_ARRAY(w->out, Expr, w->model->var_count);
    for (int i = 0; i < w->model->var_count; i++) {
        int sign;
        int q = w->quantity_of_node[alias_root(w, i, &sign)];
        if (q < 0) {
            s->value[i] = w->model->var[i].symbol;
            continue;
        }
        Expr value = solved_value(w, q);
        s->value[i] = sign > 0 ? value : expr_neg(w->dag, value);
    }
}

static void collect_demoted(Work *w) {
    System *s = w->system;
    ARRAY(Demoted) list = {0};
    for (int q = 0; q < w->quantity.count; q++) {
        const Quantity *x = &w->quantity.data[q];
        if (x->demoted_by < 0 || !x->user_state || x->set >= 0) continue;
        const Rule *r = &w->rule.data[x->demoted_by];
        array_push(&list, ((Demoted){x->var, r->origin, r->pos}));
    }
    s->demoted_count = list.count;
    s->demoted = ARENA_ARRAY(w->out, Demoted, list.count);
    for (int i = 0; i < list.count; i++) s->demoted[i] = list.data[i];
    array_free(&list);
}

static void collect_blocks(Work *w) {
    System *s = w->system;
    s->block_count = w->block.count;
    s->block = ARENA_ARRAY(w->out, Block, w->block.count);
    for (int i = 0; i < w->block.count; i++) s->block[i] = w->block.data[i];
    s->loop_count = w->loop.count;
    s->loop = ARENA_ARRAY(w->out, Loop, w->loop.count);
    for (int i = 0; i < w->loop.count; i++) s->loop[i] = w->loop.data[i];
}

// In a pseudo domain what flows through R, TF and GY is not lost in them.
static bool only_conducts(const Model *m, const Comp *c) {
    if (c->role == ROLE_SUPPLY || c->role == ROLE_STORE) return false;
    for (int p = c->first_port; p < c->first_port + c->port_count; p++)
        if (!m->port[p].pseudo) return false;
    return c->kind != COMP_FIELD || c->role == ROLE_DISSIPATE;
}

// Net power into a component: sum of e*f over its ports; at one of a pseudo domain the flow itself.
static Expr component_power(Work *w, const Comp *c) {
    Dag *d = w->dag;
    const Expr *value = w->system->value;
    Expr power = expr_number(d, 0);
    if (only_conducts(w->model, c)) return power;
    for (int p = c->first_port; p < c->first_port + c->port_count; p++) {
        const Port *port = &w->model->port[p];
        for (int k = 0; k < port->dim; k++) {
            Expr flow = value[port->f + k];
            Expr into = port->pseudo ? flow : expr_mul(d, value[port->e + k], flow);
            power = port->out ? expr_sub(d, power, into) : expr_add(d, power, into);
        }
    }
    return power;
}

// Rules speak of each class of aliases by one symbol; after this `solved` knows the others too.
static void solve_aliases(Work *w) {
    for (int i = 0; i < w->model->var_count; i++) {
        Expr symbol = w->model->var[i].symbol, value = w->system->value[i];
        if (value != symbol && w->parent[i] != i) rewrite_set(w->solved, symbol, value);
    }
}

static void collect_energy(Work *w) {
    System *s = w->system;
    solve_aliases(w);
    s->power = ARENA_ARRAY(w->out, Expr, w->model->comp_count);
    s->stored = ARENA_ARRAY(w->out, Expr, w->model->comp_count);
    for (int i = 0; i < w->model->comp_count; i++) {
        const Comp *c = &w->model->comp[i];
        bool junction = c->kind == COMP_0 || c->kind == COMP_1;
        s->power[i] = junction ? expr_number(w->dag, 0) : component_power(w, c);
        s->stored[i] = c->stored ? rewrite(w->solved, c->stored) : 0;
    }
}

// The rules are used up; the energies need their room.
static void forget_rules(Work *w) {
    array_free(&w->rule);
    array_free(&w->entry);
    rates_free(w->rates);
    w->rates = NULL;
}

// Choices of a mode begin where the jump leads.
static void enter_choices(Work *w) {
    System *s = w->system;
    Rewrite *entered = rewrite_new(w->dag);
    for (int i = 0; i < s->choice_count; i++) {
        Choice *c = &s->choice[i];
        c->start = c->entry = ARENA_ARRAY(w->out, Expr, c->columns);
        for (int k = 0; k < c->columns; k++) {
            c->entry[k] = expr_symbol(w->dag, name_of(w->model->names, "entry"));
            rewrite_set(entered, c->value[k], c->entry[k]);
        }
    }
    for (int i = 0; i < s->choice_count; i++) {
        Choice *c = &s->choice[i];
        c->start_matrix = ARENA_ARRAY(w->out, Expr, c->rows * c->columns);
        for (int k = 0; k < c->rows * c->columns; k++)
            c->start_matrix[k] = rewrite(entered, c->matrix[k]);
    }
    rewrite_free(entered);
}

// A mode that is entered during a run has no start values.
static void no_start(Work *w) {
    System *s = w->system;
    s->start = ARENA_ARRAY(w->out, Expr, s->state_count);
    for (int i = 0; i < s->state_count; i++) s->start[i] = expr_number(w->dag, 0);
    enter_choices(w);
}

static bool is_rated(const Work *w, int quantity) {
    for (int r = 0; r < w->rule.count; r++)
        if (w->rule.data[r].rated == w->quantity.data[quantity].symbol) return true;
    return false;
}

// Laws of a component may state the rates of what it shows. They are valid as long as its own
// integrated variables stay states. If a constraint from outside removes one of these, only
// differentiation tells how what it shows follows.
static bool rates_serve(Work *w) {
    const Model *m = w->model;
    Report unheard = {0}, *report = w->report;
    bool *rated = ARENA_ARRAY(&w->scratch, bool, m->comp_count + 1), any = false;
    for (int r = 0; r < w->rule.count; r++)
        if (w->rule.data[r].rated) any = rated[m->equation[w->rule.data[r].origin].comp] = true;
    if (!any) return true;
    w->report = &unheard;
    forget_solution(w);
    bool good = index_reduce(w);
    values_grow(w);
    good = good && states_choose(w);
    w->report = report;
    report_free(&unheard);
    for (int q = 0; good && q < w->quantity.count; q++) {
        const Quantity *x = &w->quantity.data[q];
        bool gives_way = x->user_state && (x->demoted_by >= 0 || x->set >= 0);
        if (!gives_way || x->var < 0 || m->var[x->var].comp < 0) continue;
        good = !rated[m->var[x->var].comp] || is_rated(w, q);
    }
    return good;
}

static void collect_rules(Work *w) {
    work_collect(w);
    values_prepare(w);
    w->system->equation_count = w->rule.count;
}

// Nullable: memory and jump, together.
static System *build(Arena *out, const Model *m, const Graph *g, const Memory *memory, Jump *jump,
                     Report *r) {
    Work w;
    int errors = r->errors;
    work_open(&w, out, m, g, r);
    collect_rules(&w);
    if (r->errors == errors && !rates_serve(&w)) {
        work_free(&w);
        work_open(&w, out, m, g, r);
        w.unrated = true;
        collect_rules(&w);
    }
    bool ok = r->errors == errors && reduce_and_solve(&w) && collect_states(&w);
    if (ok && jump) ok = jump_make(&w, memory, jump);
    if (ok) {
        w.system->index = w.rounds + 1;
        collect_values(&w);
        collect_demoted(&w);
        collect_blocks(&w);
        collect_sets(&w);
        forget_rules(&w);
        collect_energy(&w);
        rewrite_free(w.solved);
        w.solved = NULL;
        if (jump)
            no_start(&w);
        else
            ok = start_values(&w);
        ok = ok && whens_solve(&w) && r->errors == errors;
    }
    System *s = w.system;
    work_free(&w);
    return ok ? s : NULL;
}

System *equations_build(Arena *out, const Model *m, const Graph *g, Report *r) {
    return build(out, m, g, NULL, NULL, r);
}

System *equations_build_mode(Arena *out, const Model *m, const Graph *g, const Memory *memory,
                             Jump *jump, Report *r) {
    return build(out, m, g, memory, jump, r);
}

const char *system_state_name(const System *s, int state) {
    int v = s->state_var && s->model->var ? s->state_var[state] : -1;
    if (v >= 0) return name_text(s->model->names, s->model->var[v].path);
    return name_text(dag_names(s->dag),
                     expr_symbol_name(s->dag, expr_symbol_index(s->dag, s->state[state])));
}

Pos system_state_pos(const System *s, int state) {
    if (!s->state_var || !s->model->var) return POS_NONE;
    for (int i = 0; i < s->set_count; i++) {
        int first = s->set[i].first_state;
        if (state >= first && state < first + s->set[i].free) return s->set[i].pos;
    }
    const Var *v = &s->model->var[s->state_var[state]];
    return v->comp >= 0 && s->model->comp ? s->model->comp[v->comp].pos : v->pos;
}

// --- the resolver -------------------------------------------------------------------------------

struct Resolver {
    Rewrite *rewrite;
};

Resolver *resolver_new(const System *s) {
    Resolver *w = calloc(1, sizeof *w);
    if (!w) abort();
    w->rewrite = rewrite_new(dag_grow(s->dag));
    for (int i = 0; i < s->model->var_count; i++)
        if (s->value[i] != s->model->var[i].symbol)
            rewrite_set(w->rewrite, s->model->var[i].symbol, s->value[i]);
    return w;
}

void resolver_free(Resolver *w) {
    if (!w) return;
    rewrite_free(w->rewrite);
    free(w);
}

Expr resolve(Resolver *w, Expr e) { return rewrite(w->rewrite, e); }
