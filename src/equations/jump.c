// The jump into a mode (see jump.h), made of the rules of the mode after index reduction.
//
//   rule                                 in the jump
//   was differentiated (a constraint)    holds as it is, for values after
//   original, never differentiated       its linear part, for impulses
//   a derivative, highest                left out: it determines rates after the jump
//
// Without constraints there are no impulses, and all states stay.
// A position whose rate is finite (der(q) = v with v constrained) stays where it was. Where
// positions are candidates of a set, all of them stay, and the constraint that ties them says
// nothing new.
#include "equations/jump.h"

#include "equations/work.h"

// --- memory -------------------------------------------------------------------------------------

static void remember(Memory *y, const Model *m, int var) {
    if (y->item[var] >= 0) return;
    y->item[var] = y->count;
    y->var[y->count] = var;
    y->what[y->count++] = m->var[var].symbol;
}

Memory *memory_build(Arena *out, const Model *m) {
    Memory *y = ARENA_NEW(out, Memory);
    int most = m->var_count + m->before_count;
    *y = (Memory){.what = ARENA_ARRAY(out, Expr, most), .var = ARENA_ARRAY(out, int, most)};
    y->item = ARENA_ARRAY(out, int, m->var_count);
    for (int v = 0; v < m->var_count; v++) y->item[v] = -1;
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].der >= 0) remember(y, m, v);
    y->state_count = y->count;
    for (int p = 0; p < m->port_count; p++)
        for (int k = 0; k < m->port[p].dim; k++) {
            remember(y, m, m->port[p].e + k);
            remember(y, m, m->port[p].f + k);
        }
    int variables = y->count;
    for (int i = 0; i < m->before_count; i++) {
        y->var[y->count] = -1;
        y->what[y->count++] = m->before[i].what;
    }
    y->symbol = ARENA_ARRAY(out, Expr, y->count);
    for (int i = 0; i < variables; i++) {
        const char *path = name_text(m->names, m->var[y->var[i]].path);
        y->symbol[i] = expr_symbol(dag_grow(m->dag), name_printf(m->names, "pre(%s)", path));
    }
    for (int i = variables; i < y->count; i++) y->symbol[i] = m->before[i - variables].symbol;
    return y;
}

// --- impulses -----------------------------------------------------------------------------------

typedef struct {
    Work *w; // the mode, reduced and solved
    Work k;  // the jump
    Jump *jump;
    const Memory *memory;
    bool constrained; // some rule was differentiated; otherwise there are no impulses
    Expr *impulse;    // per quantity without derivative: its impulse
    Rates *along;     // the linear part
    Rewrite *plain;   // impulsive quantities that remain in coefficients become 1
} Builder;

static bool is_finite(const Work *w, int q) { return w->quantity.data[q].der >= 0; }

// The value before, of a quantity or of a variable by its place in the memory.
static Expr before(Builder *b, int q) {
    int var = b->w->quantity.data[q].var;
    int item = var >= 0 ? b->memory->item[var] : -1;
    return item >= 0 ? b->memory->symbol[item] : 0;
}

static Name impulse_name(Builder *b, int q) {
    Text label = {0};
    quantity_label(&label, b->w, q);
    Name name = name_printf(b->w->model->names, "impulse(%s)", text_get(&label));
    text_free(&label);
    return name;
}

static void list_quantities(Builder *b) {
    Work *w = b->w;
    int n = w->quantity.count;
    bool *rate = ARENA_ARRAY(&w->scratch, bool, n); // came with index reduction: a rate afterwards
    b->impulse = ARENA_ARRAY(&w->scratch, Expr, n);
    for (int q = 0; q < n; q++)
        if (is_finite(w, q) && !w->quantity.data[q].user_state)
            rate[w->quantity.data[q].der] = true;
    for (int q = 0; q < first_of_sets(w); q++) {
        const Quantity *x = &w->quantity.data[q];
        if (!is_finite(w, q) && rate[q]) continue;
        if (is_finite(w, q)) {
            quantity_add(&b->k, x->symbol, x->var, x->bond);
            continue;
        }
        if (!b->constrained) {
            b->impulse[q] = expr_number(w->dag, 0);
            continue;
        }
        b->impulse[q] = expr_symbol(w->dag, impulse_name(b, q));
        quantity_add(&b->k, b->impulse[q], x->var, x->bond);
        rates_set(b->along, x->symbol, b->impulse[q]);
        rewrite_set(b->plain, x->symbol, expr_number(w->dag, 1));
    }
}

// --- rules --------------------------------------------------------------------------------------

static bool stays(const Work *w, const Quantity *x) {
    return x->user_state && is_finite(w, x->der);
}

// Do all candidates of a set keep their values in the jump?
static bool set_stays(const Work *w, int set) {
    for (int q = 0; q < w->quantity.count; q++)
        if (w->quantity.data[q].set == set && !stays(w, &w->quantity.data[q])) return false;
    return true;
}

// Per rule: not needed, since the candidates that it ties stay.
static bool *idle_rules(Builder *b) {
    Work *w = b->w;
    bool *idle = ARENA_ARRAY(&w->scratch, bool, w->rule.count);
    bool *stay = ARENA_ARRAY(&w->scratch, bool, w->set.count);
    for (int i = 0; i < w->set.count; i++) stay[i] = set_stays(w, i);
    for (int i = 0; i < w->set_row.count; i += 2)
        idle[w->set_row.data[i]] = stay[w->set_row.data[i + 1]];
    return idle;
}

// The only symbol of an expression, or 0.
static Expr only_symbol(Work *w, Expr e) {
    Expr symbol = 0;
    walk_start(w->walk);
    walk_add(w->walk, e);
    for (int i = 0; i < walk_count(w->walk); i++) {
        Expr x = walk_at(w->walk, i);
        if (expr_op(w->dag, x) != OP_SYMBOL) continue;
        if (symbol) return 0;
        symbol = x;
    }
    return symbol;
}

static bool is_impulse(const Builder *b, Expr symbol) {
    return quantity_of(&b->k, symbol) >= 0 && quantity_of(b->w, symbol) < 0;
}

// Most impulses are zero because nothing gives one: number * impulse = 0. They are put into the
// other rules at once, and what becomes zero by that; otherwise rules would seem to depend on each
// other through terms that vanish. residual: linear in impulses, 0 = not such a rule.
static void put_zero_impulses(Builder *b, Expr *residual, int count) {
    enum { MOST_ROUNDS = 16 };
    Work *w = b->w;
    bool *said = ARENA_ARRAY(&w->scratch, bool, count), changed = true;
    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
        Rewrite *zero = rewrite_new(w->dag);
        changed = false;
        for (int r = 0; r < count; r++) {
            Expr impulse = residual[r] && !said[r] ? only_symbol(w, residual[r]) : 0;
            if (!impulse || !is_impulse(b, impulse)) continue;
            rewrite_set(zero, impulse, expr_number(w->dag, 0));
            said[r] = changed = true;
        }
        for (int r = 0; changed && r < count; r++)
            if (residual[r] && !said[r]) residual[r] = rewrite(zero, residual[r]);
        rewrite_free(zero);
    }
}

static void add_rules(Builder *b) {
    Work *w = b->w;
    const bool *idle = idle_rules(b);
    int count = w->rule.count;
    Expr *linear = ARENA_ARRAY(&w->scratch, Expr, count);
    bool *used = ARENA_ARRAY(&w->scratch, bool, count);
    for (int r = 0; r < count; r++) {
        const Rule *x = &w->rule.data[r];
        used[r] = x->origin != ORIGIN_PICK && !idle[r] && !(x->derivative < 0 && x->of >= 0);
        if (used[r] && x->derivative < 0)
            linear[r] = rewrite(b->plain, rates_of(b->along, rule_residual(w, r)));
    }
    put_zero_impulses(b, linear, count);
    for (int r = 0; r < count; r++) {
        Rule x = w->rule.data[r];
        if (used[r])
            rule_add(&b->k, x.derivative < 0 ? linear[r] : rule_residual(w, r), 0, x.origin, x.pos);
    }
}

// A state jumps by the impulse of its derivative: x = before + impulse. With der(q) = v and v
// constrained there is none: q stays, unless a constraint determines it.
static void add_links(Builder *b) {
    Work *w = b->w;
    Dag *d = w->dag;
    for (int q = 0; q < w->quantity.count; q++) {
        const Quantity *x = &w->quantity.data[q];
        if (!x->user_state || !before(b, q)) continue;
        if (is_finite(w, x->der)) {
            if (x->demoted_by < 0 || x->set >= 0)
                rule_add(&b->k, x->symbol, before(b, q), ORIGIN_START, w->model->pos);
            continue;
        }
        Expr impulse = b->impulse[x->der];
        if (x->der_sign < 0) impulse = expr_neg(d, impulse);
        rule_add(&b->k, x->symbol, expr_add(d, before(b, q), impulse), ORIGIN_START, w->model->pos);
    }
}

// --- results ------------------------------------------------------------------------------------

static Expr solved(Builder *b, Expr e) { return rewrite(b->k.solved, e); }

static int quantity_of_var(Builder *b, int var, int *sign) {
    return b->w->quantity_of_node[alias_root(b->w, var, sign)];
}

static Expr signed_value(Builder *b, Expr e, int sign) {
    return sign > 0 ? e : expr_neg(b->w->dag, e);
}

static Expr value_before(Builder *b, int var) { return b->memory->symbol[b->memory->item[var]]; }

// The value after the jump, if it is known without the rates there; else the value before.
static Expr value_after(Builder *b, int var) {
    int sign, q = quantity_of_var(b, var, &sign);
    if (q < 0 || !is_finite(b->w, q)) return value_before(b, var);
    return signed_value(b, solved(b, b->w->quantity.data[q].symbol), sign);
}

static Expr impulse_of(Builder *b, int var) {
    int sign, q = quantity_of_var(b, var, &sign);
    if (q < 0 || !b->impulse[q]) return expr_number(b->w->dag, 0);
    return signed_value(b, solved(b, b->impulse[q]), sign);
}

// An impulse does the work of the mean: impulse * (value before + value after)/2.
static Expr mean_work(Builder *b, int impulsive, int other) {
    Dag *d = b->w->dag;
    Expr after = value_after(b, other), mean = expr_add(d, value_before(b, other), after);
    return expr_product(d, (Expr[]){expr_number(d, 0.5), impulse_of(b, impulsive), mean}, 3);
}

// The work of one port: the impulse may be in its effort or in its flow.
static Expr work_of_pair(Builder *b, int e, int f) {
    Expr of_flow = mean_work(b, f, e);
    return expr_add(b->w->dag, mean_work(b, e, f), of_flow);
}

static Expr work_of(Builder *b, const Comp *c) {
    const Model *m = b->w->model;
    Dag *d = b->w->dag;
    Expr work = expr_number(d, 0);
    for (int p = c->first_port; p < c->first_port + c->port_count; p++) {
        const Port *port = &m->port[p];
        for (int k = 0; k < port->dim; k++) {
            Expr into = port->pseudo ? impulse_of(b, port->f + k)
                                     : work_of_pair(b, port->e + k, port->f + k);
            work = port->out ? expr_sub(d, work, into) : expr_add(d, work, into);
        }
    }
    return work;
}

// The power of drives is linear in their efforts, and their speeds do not jump.
static Expr drive_work_of(Builder *b, const Comp *c) {
    return c->own_supply ? impulse_of(b, c->own_supply) : expr_number(b->w->dag, 0);
}

static void collect_results(Builder *b) {
    Work *w = b->w;
    Jump *j = b->jump;
    const System *mode = w->system;
    j->after_count = mode->state_count + b->memory->state_count;
    j->after = ARENA_ARRAY(w->out, Expr, j->after_count);
    int fixed = mode->state_count; // states of sets follow from the entries
    for (int i = 0; i < w->set.count; i++) fixed -= w->set.data[i].free;
    for (int i = 0; i < mode->state_count; i++)
        j->after[i] = i < fixed ? solved(b, mode->state[i]) : expr_number(w->dag, 0);
    for (int i = 0; i < b->memory->state_count; i++)
        j->after[mode->state_count + i] = value_after(b, b->memory->var[i]);
    int comps = w->model->comp_count;
    j->work_count = 2 * comps;
    j->work = ARENA_ARRAY(w->out, Expr, j->work_count);
    for (int c = 0; c < comps; c++) {
        j->work[c] = work_of(b, &w->model->comp[c]);
        j->work[comps + c] = drive_work_of(b, &w->model->comp[c]);
    }
}

static void collect_entries(Builder *b) {
    Work *w = b->w;
    Jump *j = b->jump;
    for (int i = 0; i < w->choice.count; i++) j->entry_count += w->choice.data[i].columns;
    j->entry = ARENA_ARRAY(w->out, Expr, j->entry_count);
    Expr *to = j->entry;
    for (int i = 0; i < w->choice.count; i++)
        for (int k = 0; k < w->choice.data[i].columns; k++) {
            Expr symbol = w->choice.data[i].value[k];
            int q = w->quantity_of_symbol.data[expr_symbol_index(w->dag, symbol)];
            bool known = q >= 0 && is_finite(w, q);
            *to++ = known ? solved(b, symbol) : expr_number(w->dag, 0);
        }
}

// A bounded force gives no impulse, so a relation whose sides receive impulses is decided by these.
static void collect_impulses(Builder *b) {
    Work *w = b->w;
    Jump *j = b->jump;
    j->impulse_count = guard_relations(w, NULL);
    Expr *relation = ARENA_ARRAY(&w->scratch, Expr, j->impulse_count);
    j->impulse = ARENA_ARRAY(w->out, Expr, j->impulse_count);
    guard_relations(w, relation);
    Rewrite *names = rewrite_new(w->dag);
    for (int v = 0; v < w->model->var_count; v++) {
        int sign, q = quantity_of_var(b, v, &sign);
        if (q < 0 || w->model->var[v].symbol == w->quantity.data[q].symbol) continue;
        rewrite_set(names, w->model->var[v].symbol,
                    signed_value(b, w->quantity.data[q].symbol, sign));
    }
    for (int i = 0; i < j->impulse_count; i++) {
        Expr left = rewrite(names, expr_arg(w->dag, relation[i], 0));
        Expr right = rewrite(names, expr_arg(w->dag, relation[i], 1));
        Expr linear = rates_of(b->along, expr_sub(w->dag, left, right));
        j->impulse[i] = solved(b, rewrite(b->plain, linear));
    }
    rewrite_free(names);
}

static void list_discrete(Builder *b, Whens *to) {
    const Model *m = b->w->model;
    Arena *out = b->w->out;
    int n = 0;
    for (int v = 0; v < m->var_count; v++) n += m->var[v].kind == VAR_DISCRETE;
    to->discrete_var = ARENA_ARRAY(out, int, n);
    to->discrete = to->next = ARENA_ARRAY(out, Expr, n);
    to->start = ARENA_ARRAY(out, Expr, n);
    for (int v = 0; v < m->var_count; v++) {
        if (m->var[v].kind != VAR_DISCRETE) continue;
        to->discrete_var[to->discrete_count] = v;
        to->discrete[to->discrete_count] = m->var[v].symbol;
        to->start[to->discrete_count++] = expr_number(b->w->dag, 0);
    }
}

// A system whose states are what was before.
static void make_system(Builder *b) {
    Work *w = b->w;
    const Memory *y = b->memory;
    System *s = b->k.system;
    Expr zero = expr_number(w->dag, 0);
    s->state_count = y->count;
    s->state = y->symbol;
    s->state_var = ARENA_ARRAY(w->out, int, y->count);
    s->rate = s->start = ARENA_ARRAY(w->out, Expr, y->count);
    for (int i = 0; i < y->count; i++) {
        s->rate[i] = zero;
        s->state_var[i] = y->var[i] >= 0 ? y->var[i] : 0;
    }
    s->value = ARENA_ARRAY(w->out, Expr, w->model->var_count);
    for (int v = 0; v < w->model->var_count; v++) s->value[v] = w->model->var[v].symbol;
    s->block_count = b->k.block.count;
    s->block = ARENA_ARRAY(w->out, Block, s->block_count);
    for (int i = 0; i < s->block_count; i++) s->block[i] = b->k.block.data[i];
    list_discrete(b, &s->whens);
    b->jump->system = s;
}

// --- all together -------------------------------------------------------------------------------

static void builder_open(Builder *b, Work *w, const Memory *memory, Jump *jump) {
    *b = (Builder){.w = w, .memory = memory, .jump = jump};
    System *s = ARENA_NEW(w->out, System);
    *s = (System){.model = w->model, .graph = w->graph, .dag = w->dag, .time = w->system->time};
    b->k = (Work){.model = w->model,
                  .graph = w->graph,
                  .dag = w->dag,
                  .report = w->report,
                  .out = w->out,
                  .system = s,
                  .discrete = w->discrete,
                  .discrete_symbols = w->discrete_symbols};
    b->k.walk = walk_new(w->dag);
    b->k.rates = rates_new(w->dag);
    b->k.solved = rewrite_new(w->dag);
    for (int i = 0; i < w->value.count; i++) array_push(&b->k.value, w->value.data[i]);
    b->along = rates_new(w->dag);
    b->plain = rewrite_new(w->dag);
}

bool jump_make(Work *w, const Memory *memory, Jump *jump) {
    Builder b;
    builder_open(&b, w, memory, jump);
    for (int r = 0; r < w->rule.count; r++) b.constrained |= w->rule.data[r].derivative >= 0;
    list_quantities(&b);
    values_grow(&b.k);
    if (b.constrained) add_rules(&b);
    add_links(&b);
    bool good = order_and_solve(&b.k);
    if (good) {
        collect_results(&b);
        collect_entries(&b);
        collect_impulses(&b);
        make_system(&b);
    }
    rates_free(b.along);
    rewrite_free(b.plain);
    work_free(&b.k);
    return good;
}
