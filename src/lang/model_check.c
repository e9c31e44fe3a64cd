// What holds of every flat model, before and after mechanisms are expanded: numbers point into
// their lists and back, expressions are there. Whoever reads a model relies on it.
#include "base/invariant.h"
#include "lang/model.h"

static bool is_junction(const Comp *c) { return c->kind == COMP_0 || c->kind == COMP_1; }

static const char *check_var(const Model *m, int i) {
    const Var *v = &m->var[i];
    HOLDS((v->kind == VAR_TIME) == (i == 0));
    HOLDS(v->symbol && expr_op(m->dag, v->symbol) == OP_SYMBOL);
    HOLDS(v->path != 0);
    HOLDS(v->comp >= -1 && v->comp < m->comp_count);
    HOLDS(v->der >= -1 && v->der < m->var_count);
    HOLDS(v->der < 0 || (m->var[v->der].kind == VAR_DERIVATIVE && m->var[v->der].of == i));
    if (v->kind != VAR_DERIVATIVE) return NULL;
    HOLDS(v->of >= 0 && v->of < m->var_count);
    // What another variable gives is integrated no more; its rate stays, as a variable like others.
    HOLDS(m->var[v->of].der == i || m->var[v->of].der == -1);
    return NULL;
}

static const char *check_comp(const Model *m, int i) {
    const Comp *c = &m->comp[i];
    HOLDS(c->path != 0);
    HOLDS(IS_PART(c->first_port, c->port_count, m->port_count));
    HOLDS(IS_PART(c->first_equation, c->equation_count, m->equation_count));
    HOLDS(IS_PART(c->first_state, c->state_count, m->var_count));
    HOLDS(c->own_supply >= 0 && c->own_supply < m->var_count);
    HOLDS(!is_junction(c) || c->port_count == 0);
    HOLDS(!is_junction(c) || (c->dim > 0 && c->var >= 0 && c->var + c->dim <= m->var_count));
    for (int p = c->first_port; p < c->first_port + c->port_count; p++) HOLDS(m->port[p].comp == i);
    return NULL;
}

static const char *check_port(const Model *m, const Port *p) {
    HOLDS(p->comp >= 0 && p->comp < m->comp_count);
    HOLDS(p->dim > 0);
    HOLDS(p->e > 0 && p->e + p->dim <= m->var_count);
    HOLDS(p->f > 0 && p->f + p->dim <= m->var_count);
    return NULL;
}

static const char *check_end(const Model *m, const BondEnd *end, int dim) {
    HOLDS(end->comp >= 0 && end->comp < m->comp_count);
    HOLDS(end->port >= -1 && end->port < m->port_count);
    const Comp *c = &m->comp[end->comp];
    HOLDS((end->port < 0) == is_junction(c));
    HOLDS(end->port < 0 || m->port[end->port].comp == end->comp);
    HOLDS(IS_PART(end->first, dim, end->port < 0 ? c->dim : m->port[end->port].dim));
    return NULL;
}

static const char *check_bond(const Model *m, const Bond *b) {
    HOLDS(b->dim > 0);
    HOLDS_IN(check_end(m, &b->from, b->dim));
    HOLDS_IN(check_end(m, &b->to, b->dim));
    return NULL;
}

static const char *check_equations(const Model *m, const Equation *e, int count) {
    for (int i = 0; i < count; i++) {
        HOLDS(e[i].left && e[i].right);
        HOLDS(e[i].comp >= -1 && e[i].comp < m->comp_count);
    }
    return NULL;
}

static const char *check_choice(const Model *m, const ModeChoice *c) {
    HOLDS(IS_PART(c->first_equation, c->equation_count, m->equation_count));
    HOLDS(c->mode_count > 0 && IS_PART(c->first_mode, c->mode_count, m->mode_count));
    HOLDS(c->present >= 0 && c->present < c->mode_count);
    HOLDS(c->also >= 0 && c->also < c->mode_count);
    HOLDS(c->var >= -1 && c->var < m->var_count);
    HOLDS(c->var < 0 || m->var[c->var].kind == VAR_DISCRETE);
    for (int i = c->first_mode; i < c->first_mode + c->mode_count; i++)
        HOLDS(IS_PART(m->mode[i].first, c->equation_count, m->mode_law_count));
    return NULL;
}

static const char *check_events(const Model *m) {
    for (int i = 0; i < m->when_count; i++) {
        HOLDS(m->when[i].condition != 0);
        HOLDS(IS_PART(m->when[i].first_action, m->when[i].action_count, m->action_count));
    }
    for (int i = 0; i < m->action_count; i++) {
        const Action *a = &m->action[i];
        HOLDS(a->var > 0 && a->var < m->var_count && a->value);
        HOLDS(a->reinit || m->var[a->var].kind == VAR_DISCRETE);
    }
    for (int i = 0; i < m->choice_count; i++) HOLDS_IN(check_choice(m, &m->choice[i]));
    return NULL;
}

const char *model_check(const Model *m) {
    HOLDS(m->var_count > 0);
    for (int i = 0; i < m->var_count; i++) HOLDS_IN(check_var(m, i));
    for (int i = 0; i < m->comp_count; i++) HOLDS_IN(check_comp(m, i));
    for (int i = 0; i < m->port_count; i++) HOLDS_IN(check_port(m, &m->port[i]));
    for (int i = 0; i < m->bond_count; i++) HOLDS_IN(check_bond(m, &m->bond[i]));
    HOLDS_IN(check_equations(m, m->equation, m->equation_count));
    HOLDS_IN(check_equations(m, m->initial, m->initial_count));
    HOLDS_IN(check_equations(m, m->mode_law, m->mode_law_count));
    HOLDS_IN(check_events(m));
    return NULL;
}
