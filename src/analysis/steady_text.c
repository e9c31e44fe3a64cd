// Steady points as text and as JSON.
#include "analysis/steady.h"

#include "base/json.h"
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

static void csv_line(Text *out, const char *what, const Label *l, double value, double rate) {
    text_printf(out, "%s,\"%s\",", what, l->name);
    text_number(out, value);
    text_printf(out, ",%s,", l->unit);
    if (isfinite(rate)) text_number(out, rate);
    text_char(out, '\n');
}

void steady_csv(Text *out, const SteadyPoint *p) {
    text_add(out, "what,name,value,unit,rate\n");
    for (int i = 0; i < p->states; i++) csv_line(out, "state", &p->state[i], p->x[i], p->rate[i]);
    for (int i = 0; i < p->frees; i++) csv_line(out, "free", &p->free[i], p->value[i], NAN);
    for (int i = 0; i < p->givens; i++) csv_line(out, "given", &p->given[i], p->wanted[i], NAN);
}

static void states_json(Text *out, const SteadyPoint *p) {
    json_key(out, "states");
    json_open(out, '[');
    for (int i = 0; i < p->states; i++) {
        json_open(out, '{');
        json_text_of(out, "name", p->state[i].name);
        json_text_of(out, "unit", p->state[i].unit);
        json_number_of(out, "value", p->x[i]);
        json_number_of(out, "rate", p->rate[i]);
        json_bool_of(out, "cyclic", p->cyclic[i]);
        json_close(out, '}');
    }
    json_close(out, ']');
}

void steady_json(Text *out, const SteadyPoint *p) {
    json_open(out, '{');
    json_number_of(out, "time", p->time);
    states_json(out, p);
    labels_json(out, "free", p->free, p->value, NULL, p->frees);
    labels_json(out, "given", p->given, p->wanted, NULL, p->givens);
    json_key(out, "neutral");
    json_open(out, '[');
    for (int i = 0; i < p->neutral_count; i++) json_quoted(out, p->neutral[i]);
    json_close(out, ']');
    json_close(out, '}');
}
