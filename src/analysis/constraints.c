// Constraints that every motion keeps: integrated states lie on them, so some states follow from
// the others.
#include "analysis/linear.h"

#include "base/memory.h"
#include <string.h>

static bool in_mechanism(const Model *m, const Var *v) {
    for (int i = 0; i < m->mechanism_count; i++)
        if (m->mechanism[i].comp == v->comp) return true;
    return false;
}

static bool last_is(const char *path, const char *word) {
    const char *dot = strrchr(path, '.');
    const char *last = dot ? dot + 1 : path;
    size_t n = strlen(word);
    return strncmp(last, word, n) == 0 && last[n] == '[';
}

static void add(ConstraintRows *r, Expr row, double value, bool fast) {
    r->row[r->count] = row;
    r->value[r->count] = value;
    r->fast[r->count++] = fast;
}

// The corrections that bring coordinates and momenta of a mechanism back onto its constraints are 1
// and 0 where they hold.
static void corrections(const System *s, Resolver *resolver, ConstraintRows *r) {
    const Model *m = s->model;
    for (int v = 0; v < m->var_count; v++) {
        const char *path = name_text(m->names, m->var[v].path);
        if (m->var[v].kind != VAR_LOCAL || !in_mechanism(m, &m->var[v])) continue;
        bool nu = last_is(path, "nu");
        if (nu || last_is(path, "mu")) add(r, resolve(resolver, m->var[v].symbol), nu, !nu);
    }
}

static int state_of(const System *s, int var) {
    for (int i = 0; i < s->state_count; i++)
        if (s->state_var[i] == var) return i;
    return -1;
}

// A quaternion keeps its length: three freedoms, not four.
static void lengths(const System *s, ConstraintRows *r) {
    const Model *m = s->model;
    for (int v = 0; v + 3 < m->var_count; v++) {
        const char *path = name_text(m->names, m->var[v].path);
        size_t n = strlen(path);
        if (!last_is(path, "attitude") || strcmp(path + n - 3, "[1]") != 0) continue;
        Expr square[4];
        bool states = in_mechanism(m, &m->var[v]);
        for (int k = 0; k < 4; k++) {
            states = states && state_of(s, v + k) >= 0;
            square[k] = expr_mul(dag_grow(s->dag), m->var[v + k].symbol, m->var[v + k].symbol);
        }
        if (states) add(r, expr_sum(dag_grow(s->dag), square, 4), 1, false);
    }
}

void constraint_rows(const System *s, Resolver *resolver, ConstraintRows *r) {
    size_t most = (size_t)s->model->var_count + 1;
    *r = (ConstraintRows){memory_zeroed(most, sizeof(Expr)), memory_zeroed(most, sizeof(double)),
                          memory_zeroed(most, sizeof(bool)), 0};
    corrections(s, resolver, r);
    lengths(s, r);
}

void constraint_rows_free(ConstraintRows *r) {
    free(r->row);
    free(r->value);
    free(r->fast);
    *r = (ConstraintRows){0};
}
