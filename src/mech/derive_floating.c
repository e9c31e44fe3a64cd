// Floating mechanisms with fewer velocities, and the equivalent manipulator; see derive_floating.h.
//
//     link i of the chain, i = 1 the base:    L_i from its joint to its centre of mass,
//                                             R_i from there to the next joint
//     M the whole mass, s_i = m_1 + ... + m_i
//
//     m'_i = m_i M^2/(s_(i-1) s_i)    cg'_i = L_i s_(i-1)/M    next joint at R_i s_i/M + L_i s_(i-1)/M
//
// Inertias and axes stay; the base turns about the centre of mass of the whole, so its mass does
// not count.
#include "mech/derive_floating.h"

#include "mech/derive_share.h"
#include "mech/mech.h"
#include <math.h>
#include <string.h>

bool mechanism_floats(const Mechanism *x) {
    if (!x->joint_count || x->joint[0].kind != JOINT_FREE || x->joint[0].parent >= 0) return false;
    for (int i = 1; i < x->joint_count; i++)
        if (x->joint[i].parent < 0) return false;
    return x->joint_count > 1;
}

// --- fewer velocities ----------------------------------------------------------------------------

// Gauss on the first rows; B is positive definite, so the diagonal serves as pivots.
static Matrix eliminated(Arena *out, Dag *d, Matrix B, int first) {
    Matrix U = matrix_new(out, B.rows, B.cols);
    for (int i = 0; i < B.rows * B.cols; i++) U.at[i] = B.at[i];
    for (int k = 0; k < first; k++)
        for (int i = k + 1; i < B.rows; i++) {
            Expr by = expr_div(d, MATRIX_AT(U, k, i), MATRIX_AT(U, k, k)); // symmetric
            for (int j = i; j < B.cols; j++)
                MATRIX_AT(U, i, j) =
                    expr_sub(d, MATRIX_AT(U, i, j), expr_mul(d, by, MATRIX_AT(U, k, j)));
        }
    return U;
}

ReducedInertia reduce_inertia(Arena *out, Dag *d, Matrix B, int first) {
    int n = B.rows - first;
    Matrix U = eliminated(out, d, B, first);
    ReducedInertia r = {matrix_new(out, n, n), matrix_new(out, first, n)};
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            MATRIX_AT(r.B, i, j) = MATRIX_AT(r.B, j, i) = MATRIX_AT(U, first + i, first + j);
    for (int j = 0; j < n; j++)
        for (int i = first - 1; i >= 0; i--) { // back substitution
            Expr sum = MATRIX_AT(U, i, first + j);
            for (int k = i + 1; k < first; k++)
                sum = expr_sub(d, sum, expr_mul(d, MATRIX_AT(U, i, k), MATRIX_AT(r.Z, k, j)));
            MATRIX_AT(r.Z, i, j) = expr_div(d, sum, MATRIX_AT(U, i, i));
        }
    return r;
}

// C_ij = sum_k (dB_ij/dq_k + dB_ik/dq_j - dB_jk/dq_i) w_k/2
Matrix christoffel(Arena *out, Dag *d, Matrix B, const Expr *q, const Expr *w) {
    int n = B.rows;
    Matrix C = matrix_new(out, n, n);
    Expr *slope = ARENA_ARRAY(out, Expr, (size_t)n * (size_t)n * (size_t)n + 1); // by q_k, i, j
    for (int k = 0; k < n; k++) {
        Rates *rates = rates_new(d);
        rates_set(rates, q[k], expr_number(d, 1));
        for (int e = 0; e < n * n; e++) slope[k * n * n + e] = rates_of(rates, B.at[e]);
        rates_free(rates);
    }
    Expr *term = ARENA_ARRAY(out, Expr, n + 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                Expr both = expr_add(d, slope[k * n * n + i * n + j], slope[j * n * n + i * n + k]);
                Expr factor[] = {expr_number(d, 0.5),
                                 expr_sub(d, both, slope[i * n * n + j * n + k]), w[k]};
                term[k] = expr_product(d, factor, 3);
            }
            MATRIX_AT(C, i, j) = expr_sum(d, term, n);
        }
    return C;
}

// --- the equivalent manipulator ------------------------------------------------------------------

typedef struct {
    const Model *m;
    const Mechanism *x; // outwards
    const double *value;
    double mass, before; // of all links; of those before the present one
    Text *out;
} Chain;

static double number(const Chain *k, Expr e) { return expr_evaluate(k->m->dag, e, k->value); }

static void vector(const Chain *k, const Expr *from, double *to) {
    for (int i = 0; i < 3; i++) to[i] = number(k, from[i]);
}

static const char *name_in(const Chain *k, Name path) {
    const char *text = name_text(k->m->names, path), *last = strrchr(text, '.');
    return last ? last + 1 : text;
}

static const MechBody *body_of(const Chain *k, int joint) {
    return &k->x->body[k->x->joint[joint].child];
}

static bool refuse(Pos pos, const char *why, Report *r) {
    Remark *m = report_error(r, D_NO_MECHANISM, pos, "there is no equivalent manipulator: %s", why);
    remark_help(r, m, "it needs a base on a free joint, and a chain of hinges with one body each");
    return false;
}

static bool is_chain(const Chain *k, Report *r) {
    const Mechanism *x = k->x;
    if (!mechanism_floats(x)) return refuse(x->pos, "the first joint is not free", r);
    if (x->body_count != x->joint_count) return refuse(x->pos, "a body has no joint", r);
    for (int i = 0; i < x->joint_count; i++) {
        const MechJoint *j = &x->joint[i];
        if (i && j->kind != JOINT_REVOLUTE) return refuse(j->pos, "a joint is no hinge", r);
        if (i && j->parent != x->joint[i - 1].child)
            return refuse(j->pos, "the mechanism branches", r);
        if (body_of(k, i)->has_added) return refuse(j->pos, "a body has added mass", r);
        if (!(number(k, body_of(k, i)->mass) > 0))
            return refuse(body_of(k, i)->pos, "a body has no mass", r);
    }
    return x->tie_count == 0 || refuse(x->pos, "constraints close a loop", r);
}

static void write_numbers(Text *out, const double *v, int count) {
    for (int i = 0; i < count; i++) {
        text_add(out, i ? ", " : "(");
        text_number(out, v[i]);
    }
    text_char(out, ')');
}

static void write_vector(Text *out, const char *word, const double *v, const char *unit) {
    text_printf(out, " %s ", word);
    write_numbers(out, v, 3);
    text_printf(out, " {%s}", unit);
}

static void write_quantity(Text *out, const char *word, double x, const char *unit) {
    text_printf(out, " %s ", word);
    text_number(out, x);
    text_printf(out, " {%s}", unit);
}

// A rotation as a turn about one axis.
static void write_turn(const Chain *k, const Expr *rotation) {
    double R[9], axis[3], angle;
    for (int i = 0; i < 9; i++) R[i] = number(k, rotation[i]);
    axis[0] = R[7] - R[5], axis[1] = R[2] - R[6], axis[2] = R[3] - R[1];
    double twice = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    angle = atan2(twice, R[0] + R[4] + R[8] - 1);
    if (angle < 1e-15) return;
    int most = R[0] >= R[4] && R[0] >= R[8] ? 0 : R[4] >= R[8] ? 1 : 2;
    for (int i = 0; i < 3 && twice < 1e-8; i++) // half a turn: columns of R + 1 lie along the axis
        axis[i] = R[3 * i + most] + (i == most);
    text_add(k->out, " rotated ");
    write_numbers(k->out, axis, 3);
    text_char(k->out, ' ');
    text_number(k->out, angle);
    text_add(k->out, " {rad}");
}

static void write_joint(const Chain *k, int i, const double *at) {
    const MechJoint *j = &k->x->joint[i];
    double axis[3], rate[3];
    if (!i) {
        vector(k, j->start_flow + 3, rate);
        text_printf(k->out, "  joint %s spherical: world -> %s", name_in(k, j->name),
                    name_in(k, body_of(k, 0)->name));
        write_vector(k->out, "rate", rate, "rad/s");
        text_char(k->out, '\n');
        return;
    }
    vector(k, j->axis, axis);
    text_printf(k->out, "  joint %s revolute ", name_in(k, j->name));
    write_numbers(k->out, axis, 3);
    text_printf(k->out, ": %s -> %s", name_in(k, body_of(k, i - 1)->name),
                name_in(k, body_of(k, i)->name));
    write_vector(k->out, "at", at, "m");
    write_turn(k, j->rotation);
    write_quantity(k->out, "initial", number(k, j->start[0]), "rad");
    write_quantity(k->out, "rate", number(k, j->start_flow[0]), "rad/s");
    text_char(k->out, '\n');
}

static void write_body(const Chain *k, const MechBody *b, double mass, const double *cg) {
    text_printf(k->out, "  body %s", name_in(k, b->name));
    write_quantity(k->out, "mass", mass, "kg");
    write_vector(k->out, "cg", cg, "m");
    const int entry[] = {0, 4, 8, 1, 2, 5}; // xx yy zz xy xz yz
    double inertia[6];
    for (int i = 0; i < 6; i++) inertia[i] = number(k, b->inertia[entry[i]]);
    text_add(k->out, " inertia ");
    write_numbers(k->out, inertia, 6);
    text_add(k->out, " {kg.m2}\n");
}

// Places on the last link keep their distance from the centre of mass of the whole.
static void write_frames(const Chain *k, const double *L, double before) {
    int last = k->x->joint[k->x->joint_count - 1].child;
    for (int i = 0; i < k->x->frame_count; i++) {
        const MechFrame *f = &k->x->frame[i];
        double at[3];
        if (f->body != last) continue;
        vector(k, f->position, at);
        for (int c = 0; c < 3; c++) at[c] += L[c] * (before / k->mass - 1);
        text_printf(k->out, "  frame %s on %s", name_in(k, f->name),
                    name_in(k, k->x->body[last].name));
        write_vector(k->out, "at", at, "m");
        write_turn(k, f->rotation);
        text_char(k->out, '\n');
    }
}

static void write_links(Chain *k) {
    double at[3] = {0}, L[3], next[3] = {0};
    for (int i = 0; i < k->x->joint_count; i++) {
        const MechBody *b = body_of(k, i);
        double m = number(k, b->mass), s = k->before + m, cg[3];
        vector(k, b->cg, L);
        write_joint(k, i, at);
        for (int c = 0; c < 3; c++) cg[c] = L[c] * k->before / k->mass; // of the base: 0
        write_body(k, b, i ? m * k->mass * k->mass / (k->before * s) : m, cg);
        if (i + 1 < k->x->joint_count)
            vector(k, k->x->joint[i + 1].position, next);
        else
            write_frames(k, L, k->before);
        for (int c = 0; c < 3; c++) at[c] = (next[c] - L[c]) * s / k->mass + cg[c];
        k->before = s;
    }
}

bool derive_equivalent(Text *out, const Model *m, const Mechanism *x, Report *r) {
    Arena scratch = {0};
    Chain k = {.m = m, .out = out, .value = derive_values(&scratch, m)};
    k.x = x->by_energy ? x : mech_outwards(&scratch, x);
    bool good = !x->by_energy || refuse(x->pos, "it is given by energies", r);
    good = good && is_chain(&k, r);
    for (int i = 0; good && i < k.x->joint_count; i++) k.mass += number(&k, body_of(&k, i)->mass);
    const char *name = name_text(m->names, x->name);
    if (good) {
        text_printf(out,
                    "// The arm on a fixed base whose hinges move as those of the floating chain, "
                    "and whose\n"
                    "// last link is where that of the chain is, seen from its centre of mass. "
                    "Nothing acts on the\n"
                    "// chain from outside. %.10g kg in all.\n"
                    "mechanism %sEquivalent\n  gravity off\n",
                    k.mass, *name ? name_in(&k, x->name) : name_text(m->names, m->name));
        write_links(&k);
        text_add(out, "end\n");
    }
    arena_free(&scratch);
    return good;
}
