// Names for what several entries share, so that text and code stay as long as the graph is large.
#ifndef BONDYN_MECH_DERIVE_SHARE_H
#define BONDYN_MECH_DERIVE_SHARE_H

#include "base/array.h"
#include "mech/derive.h"

typedef struct {
    const Derivation *v;
    PrintStyle style;
    Arena arena;
    const char **name; // by node: of symbols, and of shared parts while they are in use
    int *uses, *size;  // by node: scratch
    ExprWalk *walk;
    ARRAY(Expr) shared; // shared parts in use, arguments first
    Expr printing;      // its definition is being written: its name does not stand for it
} Share;

void share_open(Share *s, const Derivation *v, PrintStyle style);
void share_close(Share *s);
void share_name(Share *s, Expr symbol, const char *text); // how a symbol is written

// Chooses the shared parts of some parts of the derivation: used more than once and larger than
// `small` nodes, or so large that a line would not end. Forgets those chosen before.
void share_choose(Share *s, const DerivedPart *part, int count, int small);
void share_print(Text *out, Share *s, Expr e);
void share_print_definition(Text *out, Share *s, int i); // right side of shared part i

double *derive_values(Arena *scratch, const Model *m); // of parameters by symbol index; else NAN

bool matrix_is_zero(const Dag *d, Matrix a);

static inline int first_column(const DerivedPart *p, int row) { return p->symmetric ? row : 0; }

#endif
