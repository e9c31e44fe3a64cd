// What people and other programs want to know of a mechanism: its matrices as formulas.
//
//     B(q)  dB/dq_i  g(q)  C(q,w)  C w  J_frame(q)  beta(q)  T  V        as text, LaTeX, JSON or C
//
//     B w' + C(q,w) w + g(q) = tau + sum of J' wrench           q' = beta(q) w
//
// Parts are traced over the tree as the user wrote it, so that entries read as a person would
// write them: b22 of a pendulum on a wagon is L^2*m2.
#ifndef BONDYN_MECH_DERIVE_H
#define BONDYN_MECH_DERIVE_H

#include "base/report.h"
#include "expr/matrix.h"
#include "lang/model.h"
#include "mech/squares.h"

typedef struct {
    const char *name;  // "dB/dpin.q"
    const char *id;    // "dB_dpin_q", for C
    const char *latex; // "\frac{\partial B}{\partial q_{pin}}"
    const char *about; // one line
    Matrix value;
    bool symmetric;
    bool uses_velocity; // its arguments are (q, w), else (q)
} DerivedPart;

typedef struct {
    Expr symbol;
    const char *name; // without the path of the mechanism
    const char *unit; // "" when it has none
    const char *text; // description, or ""
    double value;     // SI; NaN when it has none (an input)
} DerivedParam;

typedef struct {
    const char *name; // of the mechanism
    Dag *d;
    int nq, nv;
    Expr *q, *w;
    const char **q_name, **w_name;
    DerivedParam *param; // those that occur, in order of their names
    int param_count;
    DerivedPart *part;
    int part_count;
} Derivation;

typedef struct {
    const char *only; // "B,g,tip": letters of parts or names of frames; NULL = all
    bool fixed;       // numbers in place of parameters
} DeriveOptions;

// Needs: a mechanism that mech_check has passed.  NULL: `only` asks for what is not there.
Derivation *derive(Arena *out, const Model *m, const Mechanism *x, const DeriveOptions *options,
                   Report *r);

void derive_text(Text *out, const Derivation *v);
void derive_latex(Text *out, const Derivation *v);
void derive_json(Text *out, const Derivation *v); // one object

// The explicit bond graph of a lagrangian, or of a mechanism whose joints have one axis each, as
// text of the language: inertias and transformers from the kinetic energy as a sum of squares,
// gyrators for velocities that multiply, storage for the potential. False: reported.
bool derive_graph(Text *out, const Model *m, const Mechanism *x, SquareForm form, Report *r);

typedef enum { SIGNATURE_PLAIN, SIGNATURE_20SIM } DeriveSignature;

typedef struct {
    DeriveSignature signature;
    bool packed; // symmetric matrices as their upper triangles, row by row
    bool shared; // one function, PREFIX_all, that computes what several matrices share once
} DeriveForm;

// A header and a source file in C99 and later; `prefix` begins every name (derive_prefix).
void derive_c(Text *header, Text *source, const Derivation *v, const char *prefix, DeriveForm form);
// Operations of the functions: one that shares parts, or one for each matrix, all together.
int derive_operations(const Derivation *v, bool shared);
const char *derive_prefix(Arena *out, const Derivation *v);
// Tables cannot be written out as formulas: the first parameter part that holds one, or 0.
Expr derive_table(const Derivation *v);

#endif
