// Functions that consist of pieces: tables with kinks, floor, ceil, mod.
//
//     y |      __/        During a step each stays in the piece in which it is, also beyond its
//       |   __/  :        ends, so the rates are smooth. How far the argument is outside of the
//       |  /:    :        piece is a function whose zero the solver finds, as for relations;
//       +---+----+-- x    then the function moves on to the piece in which the argument is.
//
// A piece is left a little behind its end, so that an argument that trembles there, or rests there,
// causes no events. An argument that only jumps, as n/2 with a counter n, jumps to an end and means what lies there. What a table gives in between is wrong by less than its square.
#include "engine/pieces.h"

#include <math.h>

static double slack_of(const Table *t, double x) {
    return t ? 1e-9 * (t->x[t->count - 1] - t->x[0]) : 1e-12 * fmax(1, fabs(x));
}

double piece_at(const TapeSwitch *s, double x) {
    switch (s->op) {
    case OP_TABLE: return table_piece(s->table, x);
    case OP_CEIL: return ceil(x);
    default: return floor(x);
    }
}

double piece_event_function(const TapeSwitch *s, double piece, double x) {
    if (s->op == OP_TABLE) return table_outside(s->table, (int)piece, x) - slack_of(s->table, x);
    double first = s->op == OP_CEIL ? piece - 1 : piece, slack = slack_of(NULL, x);
    double below = first - x, above = x - (first + 1);
    if (!s->stepwise) return fmax(below, above) - slack;
    return s->op == OP_CEIL ? fmax(below + slack, above - slack)
                            : fmax(below - slack, above + slack);
}

bool machine_set_switch(Machine *m, int i, bool now) {
    const TapeSwitch *s = &m->program->sw[i];
    if (!switch_has_pieces(s)) {
        bool changed = m->truth[i] != now;
        m->truth[i] = now;
        return changed;
    }
    m->truth[i] = true; // inside of its piece
    if (!now) m->piece[i] = piece_at(s, m->switch_value[i]);
    return !now;
}
