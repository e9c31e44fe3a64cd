// Symbols that no equation gives a value: what is said of them.
#include "engine/build.h"

#include <string.h>

// The delayed signal that a derivative without a value is of; NULL: it is of something else.
static const Delay *delay_behind(const Builder *b, const char *name) {
    const Model *m = b->system->model;
    for (int i = 0; i < m->delay_count && strncmp(name, "der(", 4) == 0; i++) {
        int symbol = expr_symbol_index(b->dag, m->delay[i].symbol);
        if (strstr(name, name_text(dag_names(b->dag), expr_symbol_name(b->dag, symbol))))
            return &m->delay[i];
    }
    return NULL;
}

void report_unsolved(Builder *b, Expr e) {
    const char *name =
        name_text(dag_names(b->dag), expr_symbol_name(b->dag, expr_symbol_index(b->dag, e)));
    const Delay *d = delay_behind(b, name);
    b->failed = true;
    if (d) {
        Remark *r = report_error(b->report, E_NO_VALUE, d->pos,
                                 "the delayed signal of '%s' is differentiated %s",
                                 name_text(dag_names(b->dag), d->text),
                                 d->fixed ? "more than once" : "while its delay changes");
        remark_help(b->report, r,
                    "a delayed signal has one derivative, and that only where its delay is fixed: "
                    "let it move a "
                    "spring or a lag, or delay the rate in place of the value");
        return;
    }
    Remark *m = report_error(b->report, E_NO_VALUE, POS_NONE, "'%s' has no value here", name);
    remark_help(b->report, m, "use a variable that the equations determine, or give it a value");
}
