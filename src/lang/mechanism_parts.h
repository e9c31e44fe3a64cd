// Parts of a mechanism while they are declared: shared by mechanism.c, mechanism_tree.c,
// mechanism_form.c and mechanism_tie.c.
#ifndef BONDYN_LANG_MECHANISM_PARTS_H
#define BONDYN_LANG_MECHANISM_PARTS_H

#include "lang/build.h"

typedef struct {
    Builder *b;
    int owner;
    const Env *env;
    Pos pos;
} Declaring;

// --- mechanism.c

Entity *declare(const Declaring *d, const char *name, EntityKind kind, int rows, int cols);
// `unit` for the first `linear` scalars, `angular` for the others; either may be NULL.
void give_units(const Declaring *d, Entity *x, int linear, const char *unit, const char *angular);
void give_value(const Declaring *d, Entity *x, const AstExpr *value); // NULL: its default
// -1: its name is taken, and that is reported.
int add_part_instance(Builder *b, int owner, const AstItem *item, const Env *env, const char *kind);
// The terminal with its effort and flow: `linear` scalars of translation, the others of rotation.
void add_part_terminal(const Declaring *d, int dim, int linear);
const char *joint_word(JointKind kind);
JointKind find_joint_kind(Builder *b, const AstItem *item); // JOINT_KINDS: reported
bool part_indices(Builder *b, AstExpr *const *e, int count, const Env *env, int index[2]);

// --- mechanism_tree.c

// A body, or with `frames` also a frame: PART_WORLD, or PART_WRONG and reported.
int find_place(Builder *b, const MechPart *part, const AstExpr *e, bool frames);

// --- mechanism_form.c

void choose_form(Builder *b, int mechanism);          // while the text is there
bool form_is_chosen(const Builder *b, int mechanism); // to be lagrange, as none is said
bool is_lagrange(const Builder *b, int mechanism);    // velocities are states in place of momenta
EulerAngles attitude_angles(const Builder *b, int mechanism, JointKind kind);
const char *angle_text(Builder *b, EulerAngles a, int which, const char *behind); // "yaw0"
void declare_attitude(const Declaring *d, const AstItem *item, EulerAngles a);
void declare_attitude_state(const Declaring *d, EulerAngles a); // where something is constrained

// --- mechanism_tie.c

void declare_tie(Builder *b, MechPart part);
void find_ends(Builder *b, MechPart *tie);
// Prescribed motion: the effort that brings it about, and corrections.
void declare_drive(const Declaring *d, const AstItem *item, JointKind kind);
// What is integrated where ties or drives hold a mechanism.
void declare_constrained(Builder *b, const Instance *i, int instance);

// --- lagrangian.c

void declare_energy(Builder *b, MechPart part);
void declare_velocity(Builder *b, MechPart part);
void check_lagrangian(Builder *b, const Instance *i); // coordinates and energies, or bodies

#endif
