// The parts of a derivation, traced one by one; see derive.h.
//
//     B      mech_mass_matrix            Cw        mech_bias
//     g      mech_gravity_vector         beta      mech_beta
//     C      mech_coriolis               gamma     mech_gamma
//     J_x    mech_frame_jacobian         V         -sum m gravity . (place of the cg)
//     T      w' B w/2
//     dB/dq_i    along each velocity: sum_j dB/dq_j beta_ji, for angles and lengths dB/dq_i itself
#include "mech/derive.h"

#include "base/array.h"
#include "mech/derive_energy.h"
#include "mech/derive_floating.h"
#include "mech/derive_share.h"
#include "mech/tree.h"
#include <math.h>
#include <string.h>

enum { SHORT_CHAIN = 6 }; // velocities

typedef ARRAY(DerivedPart) PartList;

typedef struct {
    Arena *out;
    const Model *m;
    const Mechanism *x;
    Derivation *v;
    PartList part;
    EnergyMatrices of_energies; // of a lagrangian
} Deriver;

// --- names ---------------------------------------------------------------------------------------

// The path as seen from inside the mechanism.
static const char *inside(const Deriver *k, Name path) {
    const char *text = name_text(k->m->names, path), *own = name_text(k->m->names, k->x->name);
    size_t n = strlen(own);
    return n && strncmp(text, own, n) == 0 && text[n] == '.' ? text + n + 1 : text;
}

static const char *var_name(const Deriver *k, int var) { return inside(k, k->m->var[var].path); }

static const char *latex_name(const Deriver *k, const char *name) {
    Text t = {0};
    name_print(&t, name, PRINT_LATEX);
    const char *kept = arena_copy_text(k->out, text_get(&t), t.length);
    text_free(&t);
    return kept;
}

static const char *identifier(const Deriver *k, const char *name) {
    char *id = arena_copy_text(k->out, name, strlen(name));
    for (char *c = id; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    return id;
}

static void name_coordinates(Deriver *k) {
    Derivation *v = k->v;
    for (int i = 0; i < k->x->joint_count; i++) {
        v->nq += joint_coordinates(&k->x->joint[i]);
        v->nv += joint_velocities(k->x->joint[i].kind);
    }
    v->q = ARENA_ARRAY(k->out, Expr, v->nq);
    v->w = ARENA_ARRAY(k->out, Expr, v->nv);
    v->q_name = ARENA_ARRAY(k->out, const char *, v->nq);
    v->w_name = ARENA_ARRAY(k->out, const char *, v->nv);
    int nq = 0, nv = 0;
    for (int i = 0; i < k->x->joint_count; i++) {
        const MechJoint *j = &k->x->joint[i];
        for (int c = 0; c < joint_coordinates(j); c++, nq++) {
            v->q[nq] = k->m->var[j->coordinate[c]].symbol;
            v->q_name[nq] = var_name(k, j->coordinate[c]);
        }
        for (int c = 0; c < joint_velocities(j->kind); c++, nv++) {
            v->w[nv] = k->m->var[j->f + c].symbol;
            v->w_name[nv] = var_name(k, j->f + c);
        }
    }
}

// --- parts ---------------------------------------------------------------------------------------

static DerivedPart *add_part(Deriver *k, const char *name, const char *latex, Matrix value,
                             const char *about) {
    DerivedPart p = {
        .name = name, .id = identifier(k, name), .latex = latex, .value = value, .about = about};
    array_push(&k->part, p);
    return &array_last(&k->part);
}

static void add_mass_matrix(Deriver *k) {
    Derivation *v = k->v;
    Matrix B = mech_mass_matrix(k->out, v->d, k->x, v->q);
    add_part(k, "B", "B", B, "inertia: p = B w, kinetic energy w' B w/2")->symmetric = true;
}

// Column i of beta are the rates of all coordinates while only velocity i is 1.
static Matrix matrix_along(Deriver *k, Matrix B, Matrix beta, int i) {
    Derivation *v = k->v;
    Matrix rate = matrix_new(k->out, v->nv, v->nv);
    Rates *rates = rates_new(v->d);
    for (int j = 0; j < v->nq; j++) rates_set(rates, v->q[j], MATRIX_AT(beta, j, i));
    for (int a = 0; a < v->nv; a++)
        for (int b = a; b < v->nv; b++)
            MATRIX_AT(rate, a, b) = MATRIX_AT(rate, b, a) = rates_of(rates, MATRIX_AT(B, a, b));
    rates_free(rates);
    return rate;
}

static void add_matrix_rates(Deriver *k) {
    Derivation *v = k->v;
    Matrix B = mech_mass_matrix(k->out, v->d, k->x, v->q);
    Matrix beta = mech_beta(k->out, v->d, k->x, v->q);
    int nq = 0, nv = 0;
    for (int j = 0; j < k->x->joint_count; j++) {
        JointKind kind = k->x->joint[j].kind;
        bool plain = kind < JOINT_PLANAR;
        for (int c = 0; c < joint_velocities(kind); c++) {
            Matrix rate = matrix_along(k, B, beta, nv + c);
            if (matrix_is_zero(v->d, rate)) continue;
            const char *by = plain ? v->q_name[nq + c] : v->w_name[nv + c];
            const char *name = arena_printf(k->out, plain ? "dB/d%s" : "dB/%s", by);
            const char *latex =
                arena_printf(k->out, "\\frac{\\partial B}{\\partial %s}", latex_name(k, by));
            const char *about = plain ? "how B changes with this coordinate"
                                      : "rate of B while only this velocity is 1";
            add_part(k, name, latex, rate, about)->symmetric = true;
        }
        nq += joint_coordinates(&k->x->joint[j]);
        nv += joint_velocities(kind);
    }
}

static void add_gravity(Deriver *k) {
    Derivation *v = k->v;
    add_part(k, "g", "g", mech_gravity_vector(k->out, v->d, k->x, v->q),
             "gravity: B w' + C w + g = effort");
}

static void add_coriolis(Deriver *k) {
    Derivation *v = k->v;
    add_part(k, "C", "C", mech_coriolis(k->out, v->d, k->x, v->q, v->w),
             "Coriolis and centrifugal (Christoffel): dB/dt - 2 C is skew-symmetric")
        ->uses_velocity = true;
}

// A sweep has the fewest operations for long chains; short ones read better as C w and w' B w/2.
static int operations(const Deriver *k, Matrix a) {
    OpCount n = expr_count(k->v->d, a.at, a.rows * a.cols);
    return n.adds + n.multiplies + n.divides + n.calls + n.others;
}

static Matrix shorter(const Deriver *k, Matrix a, Matrix b) {
    return operations(k, b) < operations(k, a) ? b : a;
}

static Matrix velocities(const Deriver *k) { return (Matrix){k->v->nv, 1, k->v->w}; }

static void add_bias(Deriver *k) {
    Derivation *v = k->v;
    Matrix bias = mech_bias(k->out, v->d, k->x, v->q, v->w);
    if (v->nv <= SHORT_CHAIN) {
        Matrix C = mech_coriolis(k->out, v->d, k->x, v->q, v->w);
        bias = shorter(k, bias, matrix_multiply(k->out, v->d, C, velocities(k)));
    }
    add_part(k, "Cw", "C w", bias, "Coriolis and centrifugal efforts C(q,w) w")->uses_velocity =
        true;
}

static void add_jacobian(Deriver *k, int frame) {
    Derivation *v = k->v;
    const char *name = inside(k, k->x->frame[frame].name);
    add_part(k, arena_printf(k->out, "J_%s", name),
             arena_printf(k->out, "J_{\\mathrm{%s}}", identifier(k, name)),
             mech_frame_jacobian(k->out, v->d, k->x, frame, v->q),
             "twist (linear; angular) in the frame's axes = J w; efforts = J' wrench");
}

static void add_beta(Deriver *k) {
    Derivation *v = k->v;
    add_part(k, "beta", "\\beta", mech_beta(k->out, v->d, k->x, v->q), "q' = beta w");
}

static void add_gamma(Deriver *k) {
    Derivation *v = k->v;
    add_part(k, "gamma", "\\gamma", mech_gamma(k->out, v->d, k->x, v->q, v->w),
             "gyration of the velocities: p' = -gamma p + (w' dB w)/2 - g + effort")
        ->uses_velocity = true;
}

// B_11 w_1^2/2 + B_12 w_1 w_2 + ...
static Expr quadratic_form(Deriver *k, Matrix B) {
    Derivation *v = k->v;
    Expr *term = ARENA_ARRAY(k->out, Expr, v->nv * (v->nv + 1) / 2 + 1);
    int n = 0;
    for (int i = 0; i < v->nv; i++)
        for (int j = i; j < v->nv; j++) {
            Expr half = expr_number(v->d, i == j ? 0.5 : 1);
            Expr factor[] = {half, MATRIX_AT(B, i, j), v->w[i], v->w[j]};
            term[n++] = expr_product(v->d, factor, 4);
        }
    return expr_sum(v->d, term, n);
}

static void add_kinetic(Deriver *k) {
    Derivation *v = k->v;
    Matrix p = mech_momenta(k->out, v->d, k->x, v->q, v->w);
    Expr twice = matrix_dot(v->d, p, velocities(k));
    Matrix T = matrix_scalar(k->out, expr_mul(v->d, expr_number(v->d, 0.5), twice));
    if (v->nv <= SHORT_CHAIN) {
        Matrix B = mech_mass_matrix(k->out, v->d, k->x, v->q);
        T = shorter(k, T, matrix_scalar(k->out, quadratic_form(k, B)));
    }
    add_part(k, "T", "T", T, "kinetic energy")->uses_velocity = true;
}

// Bodies on links, links on their parents; parents stand first.
static void add_potential(Deriver *k) {
    Derivation *v = k->v;
    Arena scratch = {0};
    Tree *t = tree_build(&scratch, v->d, k->x, false);
    tree_set_coordinates(v->d, t, v->q);
    Pose *pose = ARENA_ARRAY(&scratch, Pose, t->count), world;
    pose_identity(v->d, &world);
    for (int i = 0; i < t->count; i++) {
        Pose own;
        link_pose(v->d, &t->link[i], &own);
        int parent = t->link[i].parent;
        pose_times(v->d, parent < 0 ? &world : &pose[parent], &own, &pose[i]);
    }
    Expr *term = ARENA_ARRAY(&scratch, Expr, k->x->body_count);
    for (int i = 0; i < k->x->body_count; i++) {
        const MechBody *b = &k->x->body[i];
        int link = t->body[i].link;
        Pose at;
        pose_times(v->d, link < 0 ? &world : &pose[link], &t->body[i].at, &at);
        Expr place[3];
        m3_apply(v->d, at.R, b->cg, place);
        v3_add(v->d, place, at.p, place);
        Expr factor[] = {expr_number(v->d, -1), b->mass, v3_dot(v->d, k->x->gravity, place)};
        term[i] = expr_product(v->d, factor, 3);
    }
    Matrix V = matrix_scalar(k->out, expr_sum(v->d, term, k->x->body_count));
    add_part(k, "V", "V", V, "potential energy, 0 at the origin of the world");
    arena_free(&scratch);
}

// --- a base that floats --------------------------------------------------------------------------

static ReducedInertia floating(Deriver *k, int first) {
    Derivation *v = k->v;
    return reduce_inertia(k->out, v->d, mech_mass_matrix(k->out, v->d, k->x, v->q), first);
}

static void add_reduced(Deriver *k) {
    add_part(k, "Br", "B_r", floating(k, 6).B,
             "inertia of the joints while the whole has no momentum: Br w' + Cr w = effort")
        ->symmetric = true;
}

static void add_recovery(Deriver *k) {
    add_part(k, "Zr", "Z_r", floating(k, 6).Z, "twist of the base without momentum = -Zr w");
}

static Matrix reduced_coriolis(Deriver *k) {
    const Derivation *v = k->v;
    int skip = joint_coordinates(&k->x->joint[0]);
    return christoffel(k->out, v->d, floating(k, 6).B, v->q + skip, v->w + 6);
}

static void add_reduced_coriolis(Deriver *k) {
    add_part(k, "Cr", "C_r", reduced_coriolis(k), "Coriolis and centrifugal of Br (Christoffel)")
        ->uses_velocity = true;
}

static void add_reduced_bias(Deriver *k) {
    Matrix w = {k->v->nv - 6, 1, k->v->w + 6};
    add_part(k, "Crw", "C_r w", matrix_multiply(k->out, k->v->d, reduced_coriolis(k), w),
             "Coriolis and centrifugal efforts without momentum")
        ->uses_velocity = true;
}

static void add_central(Deriver *k) {
    add_part(k, "Bc", "B_c", floating(k, 3).B,
             "inertia about the centre of mass of the whole, in angular and joint velocities")
        ->symmetric = true;
}

// --- lagrangians ---------------------------------------------------------------------------------

static void add_energies(Deriver *k) {
    Derivation *v = k->v;
    const EnergyMatrices *m = &k->of_energies;
    Expr V = k->x->V ? k->x->V : expr_number(v->d, 0);
    add_part(k, "B", "B", m->B, "inertia: p = B w, kinetic energy w' B w/2")->symmetric = true;
    for (int i = 0; i < v->nq; i++) {
        Matrix rate = matrix_new(k->out, v->nv, v->nv);
        for (int e = 0; e < v->nv * v->nv; e++)
            rate.at[e] = expr_derivative(v->d, m->B.at[e], v->q[i]);
        if (matrix_is_zero(v->d, rate)) continue;
        const char *latex =
            arena_printf(k->out, "\\frac{\\partial B}{\\partial %s}", latex_name(k, v->q_name[i]));
        add_part(k, arena_printf(k->out, "dB/d%s", v->q_name[i]), latex, rate,
                 "how B changes with this coordinate")
            ->symmetric = true;
    }
    add_part(k, "g", "g", m->g, "dV/dq: B w' + C w + g + R = effort");
    add_part(k, "C", "C", m->C,
             "Coriolis and centrifugal (Christoffel): dB/dt - 2 C is skew-symmetric")
        ->uses_velocity = true;
    add_part(k, "Cw", "C w", matrix_multiply(k->out, v->d, m->C, velocities(k)),
             "Coriolis and centrifugal efforts")
        ->uses_velocity = true;
    add_part(k, "R", "R", m->R, "dD/dw: efforts of the dissipation function")->uses_velocity = true;
    add_part(k, "T", "T", matrix_scalar(k->out, k->x->T), "kinetic energy")->uses_velocity = true;
    add_part(k, "V", "V", matrix_scalar(k->out, V), "potential energy");
}

// Is the part, or the matrix of which it is a slope, in the list "B,g"?
static bool is_listed(const char *only, const char *part) {
    size_t own = strcspn(part, "/");
    for (const char *at = only; *at;) {
        size_t length = strcspn(at, ", ");
        if (length == own && strncmp(at, part, length) == 0) return true;
        at += length + (at[length] != 0);
    }
    return false;
}

static bool derive_energies(Deriver *k, const DeriveOptions *options, Report *r) {
    Derivation *v = k->v;
    if (k->x->velocity_count || v->nq != v->nv ||
        !energy_matrices(k->out, v->d, k->x, v->q, v->w, v->nv, &k->of_energies)) {
        Remark *m = report_error(
            r, D_NO_MECHANISM, k->x->pos, "'%s' has no matrix B(q): %s", v->name,
            k->x->velocity_count ? "it has velocities of its own"
                                 : "its kinetic energy is no quadratic form of the velocities");
        remark_help(r, m, "its equations are shown by 'bondyn equations'");
        return false;
    }
    add_energies(k);
    int kept = 0;
    for (int i = 0; options->only && i < k->part.count; i++)
        if (is_listed(options->only, k->part.data[i].name)) k->part.data[kept++] = k->part.data[i];
    if (options->only) k->part.count = kept;
    if (kept || !options->only) return true;
    Remark *m = report_error(r, D_NO_PART, POS_NONE, "'%s' is no matrix of lagrangian '%s'",
                             options->only, v->name);
    remark_help(r, m, "there are: B, dB, g, C, Cw, R, T, V");
    return false;
}

// --- which parts ---------------------------------------------------------------------------------

static const struct {
    const char *name;
    void (*add)(Deriver *k);
    bool floats; // of a base that floats; only where it is asked for
} kinds[] = {
    {"B", add_mass_matrix, false},   {"dB", add_matrix_rates, false},
    {"g", add_gravity, false},       {"C", add_coriolis, false},
    {"Cw", add_bias, false},         {"beta", add_beta, false},
    {"gamma", add_gamma, false},     {"T", add_kinetic, false},
    {"V", add_potential, false},     {"Br", add_reduced, true},
    {"Zr", add_recovery, true},      {"Cr", add_reduced_coriolis, true},
    {"Crw", add_reduced_bias, true}, {"Bc", add_central, true},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool is_word(const char *word, size_t length, const char *name) {
    return strlen(name) == length && strncmp(word, name, length) == 0;
}

static void refuse_part(const Deriver *k, const char *word, int length, Report *r) {
    Text known = {0};
    for (int i = 0; i < KINDS; i++) text_printf(&known, "%s, ", kinds[i].name);
    text_add(&known, "J");
    for (int i = 0; i < k->x->frame_count && i < 20; i++)
        text_printf(&known, ", %s", inside(k, k->x->frame[i].name));
    Remark *m = report_error(r, D_NO_PART, POS_NONE,
                             "'%.*s' is neither a matrix nor a frame of mechanism '%s'", length,
                             word, k->v->name);
    remark_help(r, m, "there are: %s", text_get(&known));
    text_free(&known);
}

// One word of --only: marks what it asks for.
static bool want(const Deriver *k, const char *word, size_t length, bool *kind, bool *frame) {
    bool found = false;
    for (int i = 0; i < KINDS; i++)
        if (is_word(word, length, kinds[i].name)) kind[i] = found = true;
    if (is_word(word, length, "J")) {
        found = true;
        for (int i = 0; i < k->x->frame_count; i++) frame[i] = true;
    }
    if (found) return true;
    for (int i = 0; i < k->x->frame_count; i++) {
        const char *name = inside(k, k->x->frame[i].name);
        bool whole = is_word(word, length, name);
        if (whole ||
            (length > 2 && strncmp(word, "J_", 2) == 0 && is_word(word + 2, length - 2, name)))
            frame[i] = found = true;
    }
    return found;
}

static bool choose(const Deriver *k, const char *only, bool *kind, bool *frame, Report *r) {
    if (!only) {
        for (int i = 0; i < KINDS; i++) kind[i] = !kinds[i].floats;
        for (int i = 0; i < k->x->frame_count; i++) frame[i] = true;
        return true;
    }
    bool good = true, floats = mechanism_floats(k->x);
    for (int i = 1; i < k->x->joint_count && floats; i++)
        floats = k->x->joint[i].kind < JOINT_PLANAR; // q' = w
    for (const char *at = only; *at;) {
        size_t length = strcspn(at, ", ");
        if (length && !want(k, at, length, kind, frame)) {
            refuse_part(k, at, (int)length, r);
            good = false;
        }
        at += length + (at[length] != 0);
    }
    for (int i = 0; i < KINDS && good; i++)
        if (kind[i] && kinds[i].floats && !floats) {
            Remark *m = report_error(r, D_NO_PART, k->x->pos,
                                     "mechanism '%s' has no '%s': its base does not float",
                                     k->v->name, kinds[i].name);
            remark_help(r, m,
                        "the first joint must be free and carry all others, which have an axis");
            good = false;
        }
    return good;
}

// --- parameters ----------------------------------------------------------------------------------

// Values of all parameters by symbol index. They may use each other in any order.
double *derive_values(Arena *scratch, const Model *m) {
    int n = expr_symbol_count(m->dag);
    double *value = ARENA_ARRAY(scratch, double, n + 1);
    for (int i = 0; i < n; i++) value[i] = NAN;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < m->var_count; i++) {
            const Var *x = &m->var[i];
            if (x->kind != VAR_PARAM || !x->value) continue;
            double *at = &value[expr_symbol_index(m->dag, x->symbol)];
            if (!isnan(*at)) continue;
            *at = expr_evaluate(m->dag, x->value, value);
            changed |= !isnan(*at);
        }
    }
    return value;
}

static void put_numbers(Deriver *k, const double *value) {
    Rewrite *rewriting = rewrite_new(k->v->d);
    for (int i = 0; i < k->m->var_count; i++) {
        const Var *x = &k->m->var[i];
        if (x->kind != VAR_PARAM) continue;
        double number = value[expr_symbol_index(k->v->d, x->symbol)];
        if (isfinite(number)) rewrite_set(rewriting, x->symbol, expr_number(k->v->d, number));
    }
    for (int i = 0; i < k->part.count; i++) {
        Matrix *a = &k->part.data[i].value;
        for (int e = 0; e < a->rows * a->cols; e++) a->at[e] = rewrite(rewriting, a->at[e]);
    }
    rewrite_free(rewriting);
}

static bool is_coordinate(const Derivation *v, Expr symbol) {
    for (int i = 0; i < v->nq; i++)
        if (v->q[i] == symbol) return true;
    for (int i = 0; i < v->nv; i++)
        if (v->w[i] == symbol) return true;
    return false;
}

// Variables stand in the order of their paths already.
static void find_params(Deriver *k, const double *value) {
    Derivation *v = k->v;
    ExprWalk *walk = walk_new(v->d);
    ARRAY(DerivedParam) list = {0};
    for (int i = 0; i < k->part.count; i++) {
        Matrix a = k->part.data[i].value;
        for (int e = 0; e < a.rows * a.cols; e++) walk_add(walk, a.at[e]);
    }
    for (int i = 0; i < k->m->var_count; i++) {
        const Var *x = &k->m->var[i];
        if (!walk_seen(walk, x->symbol) || is_coordinate(v, x->symbol)) continue;
        array_push(&list,
                   ((DerivedParam){x->symbol, var_name(k, i), name_text(k->m->names, x->unit),
                                   name_text(k->m->names, x->text),
                                   value[expr_symbol_index(v->d, x->symbol)]}));
    }
    v->param_count = list.count;
    v->param = ARENA_ARRAY(k->out, DerivedParam, list.count);
    if (list.count) memcpy(v->param, list.data, (size_t)list.count * sizeof *v->param);
    array_free(&list);
    walk_free(walk);
}

Expr derive_table(const Derivation *v) {
    ExprWalk *walk = walk_new(v->d);
    Expr found = 0;
    for (int i = 0; i < v->part_count; i++)
        for (int e = 0; e < v->part[i].value.rows * v->part[i].value.cols; e++)
            walk_add(walk, v->part[i].value.at[e]);
    for (int i = 0; i < walk_count(walk) && !found; i++) {
        Op op = expr_op(v->d, walk_at(walk, i));
        if (op == OP_TABLE || op == OP_TABLE_SLOPE) found = walk_at(walk, i);
    }
    walk_free(walk);
    return found;
}

Derivation *derive(Arena *out, const Model *m, const Mechanism *x, const DeriveOptions *options,
                   Report *r) {
    Deriver k = {.out = out, .m = m, .v = ARENA_NEW(out, Derivation)};
    k.x = x->by_energy ? x : mech_outwards(out, x);
    const char *name = name_text(m->names, x->name);
    k.v->name = *name ? name : name_text(m->names, m->name);
    k.v->d = dag_grow(m->dag);
    name_coordinates(&k);
    Arena scratch = {0};
    bool kind[KINDS] = {0}, *frame = ARENA_ARRAY(&scratch, bool, x->frame_count);
    bool good =
        x->by_energy ? derive_energies(&k, options, r) : choose(&k, options->only, kind, frame, r);
    for (int i = 0; good && i < KINDS; i++)
        if (kind[i]) kinds[i].add(&k);
    for (int i = 0; good && i < x->frame_count; i++)
        if (frame[i]) add_jacobian(&k, i);
    double *value = derive_values(&scratch, m);
    if (options->fixed) put_numbers(&k, value);
    find_params(&k, value);
    k.v->part_count = k.part.count;
    k.v->part = ARENA_ARRAY(out, DerivedPart, k.part.count);
    if (k.part.count) memcpy(k.v->part, k.part.data, (size_t)k.part.count * sizeof *k.v->part);
    array_free(&k.part);
    arena_free(&scratch);
    return good ? k.v : NULL;
}
