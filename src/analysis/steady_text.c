// Steady points as text and as JSON.
#include "analysis/steady.h"

#include <math.h>

static void line(Text *out, const Label *l, double value) {
    text_printf(out, "  %-28s = %.12g", l->name, value);
    if (*l->unit) text_printf(out, " %s", l->unit);
}

void steady_print(Text *out, const SteadyPoint *p) {
    text_printf(out, "steady point at t = %g s, after %d steps; SI units\nstates\n", p->time,
                p->iterations);
    for (int i = 0; i < p->states; i++) {
        line(out, &p->state[i], p->x[i]);
        if (p->cyclic[i]) text_printf(out, "    cyclic, moves on at %.12g", p->rate[i]);
        text_char(out, '\n');
    }
    if (p->frees) text_add(out, "free\n");
    for (int i = 0; i < p->frees; i++) {
        line(out, &p->free[i], p->value[i]);
        text_char(out, '\n');
    }
    if (p->givens) text_add(out, "given\n");
    for (int i = 0; i < p->givens; i++) {
        line(out, &p->given[i], p->wanted[i]);
        text_char(out, '\n');
    }
    for (int i = 0; i < p->neutral_count; i++) text_printf(out, "neutral: %s\n", p->neutral[i]);
}

static void json_list(Text *out, const char *key, const Label *l, const double *value,
                      const double *rate, const bool *cyclic, int count) {
    text_printf(out, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        text_add(out, i ? ", {\"name\": " : "{\"name\": ");
        text_json(out, l[i].name);
        text_add(out, ", \"unit\": ");
        text_json(out, l[i].unit);
        text_add(out, ", \"value\": ");
        text_number(out, isfinite(value[i]) ? value[i] : 0);
        if (rate) {
            text_add(out, ", \"rate\": ");
            text_number(out, rate[i]);
            text_printf(out, ", \"cyclic\": %s", cyclic[i] ? "true" : "false");
        }
        text_char(out, '}');
    }
    text_char(out, ']');
}

void steady_json(Text *out, const SteadyPoint *p) {
    text_add(out, "{\"time\": ");
    text_number(out, p->time);
    json_list(out, "states", p->state, p->x, p->rate, p->cyclic, p->states);
    json_list(out, "free", p->free, p->value, NULL, NULL, p->frees);
    json_list(out, "given", p->given, p->wanted, NULL, NULL, p->givens);
    text_add(out, ", \"neutral\": [");
    for (int i = 0; i < p->neutral_count; i++) {
        if (i) text_add(out, ", ");
        text_json(out, p->neutral[i]);
    }
    text_add(out, "]}");
}
