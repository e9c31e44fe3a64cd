// Is this a mechanism? First the tree: every body hangs on exactly one joint and the way inwards
// ends at the world. Then the numbers, as far as they are known: rotations that rotate, axes with a
// direction, bodies that can exist, and inertia behind every motion.
#include "mech/mech.h"

#include "base/symmetric.h"
#include <math.h>
#include <string.h>

typedef struct {
    Arena scratch;
    const Mechanism *m;
    const Dag *d;
    const double *symbol_value; // Nullable: then only plain numbers are known
    Report *r;
    int *joint_of; // joint that leads to a body; -1 = none
    int *carries;  // joints that start at a body
} Check;

static const char *text(const Check *c, Name name) { return name_text(dag_names(c->d), name); }

static const char *body_name(const Check *c, int body) {
    return body < 0 ? "world" : text(c, c->m->body[body].name);
}

// --- the tree ------------------------------------------------------------------------------------

static bool is_body(const Check *c, int body) { return body >= 0 && body < c->m->body_count; }

// Needs nothing.  Gives: numbers of bodies and kinds are in range.
static void check_references(Check *c) {
    for (int i = 0; i < c->m->joint_count; i++) {
        const MechJoint *j = &c->m->joint[i];
        bool parent = j->parent == -1 || is_body(c, j->parent);
        if (parent && is_body(c, j->child) && j->kind < JOINT_KINDS) continue;
        Remark *e =
            report_error(c->r, M_UNKNOWN_BODY, j->pos, "joint '%s' %s no body that there is",
                         text(c, j->name), parent ? "leads to" : "starts at");
        remark_help(c->r, e, "a joint goes from the world or a body to a body of the mechanism");
    }
    for (int i = 0; i < c->m->frame_count; i++) {
        const MechFrame *f = &c->m->frame[i];
        if (f->body == -1 || is_body(c, f->body)) continue;
        Remark *e = report_error(c->r, M_UNKNOWN_BODY, f->pos,
                                 "frame '%s' is on no body that there is", text(c, f->name));
        remark_help(c->r, e, "put it on a body of the mechanism or on the world");
    }
}

static void find_joints(Check *c) {
    c->joint_of = ARENA_ARRAY(&c->scratch, int, c->m->body_count);
    c->carries = ARENA_ARRAY(&c->scratch, int, c->m->body_count);
    for (int i = 0; i < c->m->body_count; i++) c->joint_of[i] = -1;
    for (int i = 0; i < c->m->joint_count; i++) {
        const MechJoint *j = &c->m->joint[i];
        if (j->parent >= 0) c->carries[j->parent]++;
        int *slot = &c->joint_of[j->child];
        if (*slot < 0) {
            *slot = i;
            continue;
        }
        Remark *e = report_error(c->r, M_TWO_JOINTS, j->pos, "two joints lead to body '%s'",
                                 body_name(c, j->child));
        remark_note(c->r, e, c->m->joint[*slot].pos, "joint '%s' does already",
                    text(c, c->m->joint[*slot].name));
        remark_help(c->r, e,
                    "close the chain by a constraint between two frames instead of a second joint");
    }
    for (int i = 0; i < c->m->body_count; i++) {
        if (c->joint_of[i] >= 0) continue;
        Remark *e = report_error(c->r, M_NO_JOINT, c->m->body[i].pos, "no joint leads to body '%s'",
                                 body_name(c, i));
        remark_help(c->r, e, "add 'joint ... : world -> %s', free or fixed for example",
                    body_name(c, i));
    }
}

// The names of all bodies in the circle that `body` is part of.
static void report_circle(Check *c, int body) {
    Text names = {0};
    int i = body;
    do {
        const MechJoint *j = &c->m->joint[c->joint_of[i]];
        text_printf(&names, "%s%s", names.length ? " <- " : "", body_name(c, i));
        i = j->parent;
    } while (i != body && names.length < 200);
    text_add(&names, i == body ? "" : " <- ...");
    Remark *e =
        report_error(c->r, M_CIRCLE, c->m->joint[c->joint_of[body]].pos,
                     "the joints form a circle: %s <- %s", text_get(&names), body_name(c, body));
    remark_help(c->r, e, "let one of these joints start at the world");
    text_free(&names);
}

// Follows the joints inwards from every body; each body is passed once.
static void find_circles(Check *c) {
    int *visit = ARENA_ARRAY(&c->scratch, int, c->m->body_count); // 0 = not yet
    for (int start = 0; start < c->m->body_count; start++) {
        int i = start;
        while (i >= 0 && !visit[i] && c->joint_of[i] >= 0) {
            visit[i] = start + 1;
            i = c->m->joint[c->joint_of[i]].parent;
        }
        if (i >= 0 && visit[i] == start + 1 && c->joint_of[i] >= 0) report_circle(c, i);
    }
}

// --- numbers -------------------------------------------------------------------------------------

// The values of n expressions, if all are known.
static bool values(const Check *c, const Expr *e, int n, double *out) {
    for (int i = 0; i < n; i++) {
        if (expr_is_number(c->d, e[i], &out[i])) continue;
        if (!c->symbol_value) return false;
        out[i] = expr_evaluate(c->d, e[i], c->symbol_value);
        if (isnan(out[i])) return false; // a parameter without value: found out elsewhere
    }
    return true;
}

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// R' R = 1, and right-handed
static bool is_rotation(const double R[9]) {
    double worst = 0;
    for (int i = 0; i < 9; i++) {
        double dot = 0;
        for (int k = 0; k < 3; k++) dot += R[3 * k + i / 3] * R[3 * k + i % 3];
        worst = fmax(worst, fabs(dot - (i % 4 == 0)));
    }
    double det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
                 R[2] * (R[3] * R[7] - R[4] * R[6]);
    return worst < 1e-9 && det > 0;
}

static void check_rotation(Check *c, const char *what, Name name, Pos pos, const Expr given[9]) {
    double R[9];
    if (!values(c, given, 9, R) || is_rotation(R)) return;
    Remark *e = report_error(c->r, M_ROTATION, pos, "the rotation of %s '%s' does not rotate only",
                             what, text(c, name));
    remark_help(c->r, e, "its columns must be unit vectors at right angles, right-handed");
}

static bool needs_axis(JointKind k) {
    return k != JOINT_FIXED && k != JOINT_SPHERICAL && k != JOINT_FREE;
}

static void check_axes(Check *c, const MechJoint *j) {
    double a[3], b[3];
    if (!needs_axis(j->kind) || !values(c, j->axis, 3, a)) return;
    bool two = j->kind == JOINT_UNIVERSAL && values(c, j->axis2, 3, b);
    double first = length_of(a), second = two ? length_of(b) : 1;
    if (!(first > 0 && second > 0 && isfinite(first) && isfinite(second))) {
        Remark *e = report_error(c->r, M_AXIS, j->pos, "the axis of joint '%s' has no direction",
                                 text(c, j->name));
        remark_help(c->r, e, "give x, y, z or a vector that is not zero");
        return;
    }
    double cross[3];
    for (int i = 0; two && i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        cross[i] = (a[k] * b[l] - a[l] * b[k]) / (first * second);
    }
    if (!two || length_of(cross) > 1e-9) return;
    Remark *e = report_error(c->r, M_AXIS, j->pos, "the two axes of joint '%s' are parallel",
                             text(c, j->name));
    remark_help(c->r, e, "a universal joint turns about two different axes");
}

// --- bodies --------------------------------------------------------------------------------------

// Eigenvalues of a symmetric matrix of up to six rows by Jacobi's turns, ascending.
static void eigenvalues(int n, const double *given, double *out) {
    double a[36];
    memcpy(a, given, (size_t)(n * n) * sizeof *a);
    enum { MOST_SWEEPS = 30 }; // a handful is enough: convergence is quadratic
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                if (a[n * p + q] != 0) symmetric_turn(n, a, NULL, p, q);
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && out[k - 1] > a[(n + 1) * i]; k--) out[k] = out[k - 1];
        out[k] = a[(n + 1) * i];
    }
}

static bool is_symmetric(const double *a, int n) {
    double scale = 0, worst = 0;
    for (int i = 0; i < n * n; i++) {
        scale = fmax(scale, fabs(a[i]));
        worst = fmax(worst, fabs(a[i] - a[n * (i % n) + i / n]));
    }
    return worst <= 1e-9 * scale;
}

static void bad_body(Check *c, int body, const char *what, const char *help) {
    Remark *e = report_error(c->r, M_BAD_BODY, c->m->body[body].pos, "body '%s' %s",
                             body_name(c, body), what);
    remark_help(c->r, e, "%s", help);
}

static void check_inertia(Check *c, int body) {
    double J[9], moment[3];
    if (!values(c, c->m->body[body].inertia, 9, J)) return;
    if (!is_symmetric(J, 3)) {
        bad_body(c, body, "has an inertia that is not symmetric",
                 "products of inertia stand twice, with the same sign");
        return;
    }
    eigenvalues(3, J, moment);
    double sum = moment[0] + moment[1] + moment[2], rounding = 1e-9 * fabs(sum);
    if (!isfinite(sum) || moment[0] < -rounding) {
        bad_body(c, body, "has a negative moment of inertia",
                 "all principal moments are positive; check the products of inertia");
        return;
    }
    if (moment[0] + moment[1] >= moment[2] - rounding || c->m->body[body].published) return;
    Remark *e =
        report_warning(c->r, M_INERTIA, c->m->body[body].pos,
                       "body '%s' has principal moments of inertia %.6g, %.6g and %.6g: the "
                       "largest exceeds the sum of the others",
                       body_name(c, body), moment[0], moment[1], moment[2]);
    remark_help(c->r, e,
                "no body has such a shape; check the values and that they are about the "
                "centre of gravity, or say `published` where they are those of a source");
}

// --- inertia about the origin --------------------------------------------------------------------

// Of a body, if known.
static bool body_matrix(const Check *c, int body, double I[36]) {
    const MechBody *b = &c->m->body[body];
    double m, g[3], J[9], added[36] = {0};
    if (!values(c, &b->mass, 1, &m) || !values(c, b->cg, 3, g) || !values(c, b->inertia, 9, J) ||
        (b->has_added && !values(c, b->added, 36, added)))
        return false;
    double skew[9] = {0, -g[2], g[1], g[2], 0, -g[0], -g[1], g[0], 0};
    double square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    memcpy(I, added, sizeof added);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double one = i == j;
            I[6 * i + j] += m * one;
            I[6 * (3 + i) + j] += m * skew[3 * i + j];
            I[6 * j + 3 + i] += m * skew[3 * i + j];
            I[6 * (3 + i) + 3 + j] += J[3 * i + j] + m * (square * one - g[i] * g[j]);
        }
    return true;
}

// No motion has a negative energy: pivots, each against the energy of its own velocity.
static bool is_semidefinite(const double I[36]) {
    double D[6][6];
    memcpy(D, I, sizeof D);
    for (int k = 0; k < 6; k++) {
        double scale = fabs(I[7 * k]);
        if (D[k][k] < -1e-9 * scale || (scale == 0 && D[k][k] < 0)) return false;
        if (!(D[k][k] > 1e-9 * scale)) continue;
        for (int i = k + 1; i < 6; i++)
            for (int j = k + 1; j < 6; j++) D[i][j] -= D[i][k] * D[k][j] / D[k][k];
    }
    return true;
}

static bool is_finite(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static void negative_inertia(Check *c, int body, const double I[36]) {
    double own[6];
    eigenvalues(6, I, own);
    const char *what =
        arena_printf(&c->scratch,
                     "has a negative inertia together with its added mass: eigenvalues %.6g, %.6g, "
                     "%.6g, %.6g, %.6g, %.6g",
                     own[0], own[1], own[2], own[3], own[4], own[5]);
    bad_body(c, body, what,
             "the water that moves along makes a body heavier: check the signs of added_mass");
}

// Derivatives such as X_udot are negative, the matrix of added mass is not.
static void check_added_sign(Check *c, int body, const double added[36]) {
    double own[6];
    eigenvalues(6, added, own);
    if (!(own[0] < -1e-9 * fmax(fabs(own[0]), fabs(own[5])))) return;
    Remark *e = report_warning(c->r, M_ADDED_SIGN, c->m->body[body].pos,
                               "body '%s' has an added mass with the negative eigenvalue %.6g",
                               body_name(c, body), own[0]);
    remark_help(c->r, e,
                "added_mass is the positive matrix, minus the SNAME derivatives (X_udot = -30 "
                "kg stands there as 30 kg)");
}

static void check_body(Check *c, int body) {
    const MechBody *b = &c->m->body[body];
    double mass, added[36], I[36];
    int before = c->r->errors;
    if (values(c, &b->mass, 1, &mass) && !(mass >= 0 && isfinite(mass)))
        bad_body(c, body, mass < 0 ? "has a negative mass" : "has no finite mass",
                 "a mass is zero or above");
    check_inertia(c, body);
    if (b->has_added && values(c, b->added, 36, added) && !is_symmetric(added, 6))
        bad_body(c, body, "has an added mass that is not symmetric",
                 "row i, column j and row j, column i are the same");
    if (c->r->errors > before || !body_matrix(c, body, I)) return;
    if (!is_finite(I, 36))
        bad_body(c, body, "has an inertia about its origin that is too large for any number",
                 "check the units of its mass and its cg");
    else if (b->has_added && !is_semidefinite(I))
        negative_inertia(c, body, I);
    else if (b->has_added && values(c, b->added, 36, added))
        check_added_sign(c, body, added);
}

// --- inertia behind every motion -----------------------------------------------------------------

// Columns that the joint lets the body move along; returns how many. -1: not known.
static int motion_columns(const Check *c, const MechJoint *j, double S[6][6]) {
    double a[3] = {0, 0, 1}, b[3], pitch = 0;
    int n = joint_velocities(j->kind);
    memset(S, 0, 36 * sizeof(double));
    if (needs_axis(j->kind) && !values(c, j->axis, 3, a)) return -1;
    if (j->kind == JOINT_HELICAL && !values(c, &j->pitch, 1, &pitch)) return -1;
    if (j->kind == JOINT_UNIVERSAL && !values(c, j->axis2, 3, b)) return -1;
    for (int i = 0; i < 3; i++) {
        bool turns = j->kind != JOINT_PRISMATIC;
        if (needs_axis(j->kind)) S[n - 1][i + (turns ? 3 : 0)] = a[i];
        if (j->kind == JOINT_HELICAL) S[0][i] = pitch * a[i];
        if (j->kind == JOINT_CYLINDRICAL) S[0][i] = a[i];
        if (j->kind == JOINT_UNIVERSAL) S[0][3 + i] = b[i];
        if (j->kind == JOINT_SPHERICAL) S[i][3 + i] = 1;
        if (j->kind == JOINT_FREE) S[i][i] = S[3 + i][3 + i] = 1;
    }
    if (j->kind != JOINT_PLANAR) return n;
    int least = fabs(a[0]) < fabs(a[1]) ? 0 : 1; // any two directions in the plane will do
    least = fabs(a[2]) < fabs(a[least]) ? 2 : least;
    for (int i = 0; i < 3; i++) S[0][i] = (i == least) - a[least] * a[i];
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        S[1][i] = a[k] * S[0][l] - a[l] * S[0][k];
    }
    return n;
}

// Is S' I S positive definite? By elimination, against its own scale.
static bool resists(double S[6][6], int n, const double I[36]) {
    double D[6][6] = {{0}}, scale[6];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < 36; k++) D[i][j] += S[i][k / 6] * I[k] * S[j][k % 6];
    for (int i = 0; i < n; i++) scale[i] = D[i][i];
    for (int k = 0; k < n; k++) {
        if (!(D[k][k] > 1e-12 * scale[k])) return false;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++) D[i][j] -= D[i][k] * D[k][j] / D[k][k];
    }
    return true;
}

// Mass and inertia of a body as one number that is zero only for nothing; unknown counts as much.
static double substance(const Check *c, int body) {
    double I[36], sum = 0;
    if (!body_matrix(c, body, I)) return 1;
    for (int i = 0; i < 6; i++) sum += fabs(I[7 * i]);
    return sum;
}

static void report_no_inertia(Check *c, const MechJoint *j, bool nothing) {
    Remark *e = report_error(c->r, M_NO_INERTIA, j->pos,
                             nothing ? "joint '%s' moves nothing that has mass"
                                     : "joint '%s' has a motion that no inertia resists",
                             text(c, j->name));
    remark_note(c->r, e, c->m->body[j->child].pos, "body '%s' is at its end",
                body_name(c, j->child));
    remark_help(c->r, e, "give body '%s' %s, or use a joint with fewer motions",
                body_name(c, j->child), nothing ? "a mass" : "an inertia or a cg off the axis");
}

static void check_substance(Check *c) {
    int n = c->m->body_count, open = 0;
    double *carried = ARENA_ARRAY(&c->scratch, double, n);
    int *left = ARENA_ARRAY(&c->scratch, int, n), *stack = ARENA_ARRAY(&c->scratch, int, n);
    for (int i = 0; i < n; i++) {
        carried[i] = substance(c, i);
        left[i] = c->carries[i];
        if (!left[i]) stack[open++] = i;
    }
    while (open) { // from the leaves inwards
        int i = stack[--open];
        const MechJoint *j = &c->m->joint[c->joint_of[i]];
        double I[36], S[6][6];
        bool nothing = carried[i] == 0;
        int motions = motion_columns(c, j, S);
        bool leaf = c->carries[i] == 0 && motions > 0 && body_matrix(c, i, I);
        if (j->kind != JOINT_FIXED && (nothing || (leaf && !resists(S, motions, I))))
            report_no_inertia(c, j, nothing);
        if (j->parent < 0) continue;
        carried[j->parent] += nothing && j->kind != JOINT_FIXED ? 1 : carried[i]; // told once
        if (--left[j->parent] == 0) stack[open++] = j->parent;
    }
}

// --- constraints ---------------------------------------------------------------------------------

// Between two places of one body nothing moves, and nothing can be constrained.
static void check_tie(Check *c, const MechTie *t) {
    if (t->end[0].body != t->end[1].body) return;
    Remark *e =
        report_error(c->r, M_REDUNDANT, t->pos, "both ends of '%s' are on '%s', which is rigid",
                     text(c, t->name), body_name(c, t->end[0].body));
    remark_help(c->r, e, "let one of its ends be a frame on another body");
}

// --- the whole -----------------------------------------------------------------------------------

bool mech_check_values(const Mechanism *m, const Dag *d, const double *symbol_value, Report *r) {
    Check c = {.m = m, .d = d, .symbol_value = symbol_value, .r = r};
    int before = r->errors;
    check_references(&c);
    if (r->errors == before) {
        find_joints(&c);
        find_circles(&c);
    }
    bool tree = r->errors == before;
    for (int i = 0; tree && i < m->joint_count; i++) {
        check_rotation(&c, "joint", m->joint[i].name, m->joint[i].pos, m->joint[i].rotation);
        check_axes(&c, &m->joint[i]);
    }
    for (int i = 0; tree && i < m->frame_count; i++)
        check_rotation(&c, "frame", m->frame[i].name, m->frame[i].pos, m->frame[i].rotation);
    for (int i = 0; tree && i < m->body_count; i++) check_body(&c, i);
    for (int i = 0; tree && i < m->tie_count; i++) check_tie(&c, &m->tie[i]);
    if (r->errors == before) check_substance(&c);
    arena_free(&c.scratch);
    return r->errors == before;
}

bool mech_check(const Mechanism *m, const Dag *d, Report *r) {
    return mech_check_values(m, d, NULL, r);
}
