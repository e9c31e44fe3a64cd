// Does a model keep its energy? By what the audit knows: every component stores, or passes on.
//
//   no supply, no loss     no source, resistor, drive, damper or stop that takes or gives power
//   every state is stored  no controller or other equation has a memory of its own
//   nothing is set anew    no `when` with an action, no law that switches
#include "results/audit.h"

static bool takes_power(const System *s, int comp) {
    return s->power[comp] && (!expr_is_number(s->dag, s->power[comp], NULL) ||
                              expr_value(s->dag, s->power[comp]) != 0);
}

static bool keeps_energy(const System *s, int comp) {
    const Comp *c = &s->model->comp[comp];
    if (c->own_supply || c->lost) return false;
    return (c->role != ROLE_SUPPLY && c->role != ROLE_DISSIPATE) || !takes_power(s, comp);
}

bool audit_conserves(const System *s) {
    const Model *m = s->model;
    int storages = 0;
    if (m->choice_count > 0) return false;
    for (int c = 0; c < m->comp_count; c++) {
        if (!keeps_energy(s, c)) return false;
        storages += m->comp[c].role == ROLE_STORE;
    }
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].der >= 0 &&
            (m->var[v].comp < 0 || m->comp[m->var[v].comp].role != ROLE_STORE))
            return false;
    for (int i = 0; i < m->when_count; i++)
        if (m->when[i].action_count > 0) return false;
    return storages > 0;
}
