// Mass, centre of gravity and inertia of a body, as given or from its shape.
//
//   box (a, b, c)           m (b2 + c2)/12 ...
//   cylinder (r, l)         along z: m (3 r2 + l2)/12 across, m r2/2 along
//   tube (R, r, l)          along z: m (3 (R2 + r2) + l2)/12 across, m (R2 + r2)/2 along
//   sphere r                2/5 m r2
//
// Inertia is about the centre of gravity; `rotated` turns the axes in which it is given.
#include "lang/mechanism_data.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *word;
    int numbers;
    ShapeKind kind;
} Shape;

static const Shape shapes[] = {{"box", 3, SHAPE_BOX},
                               {"cylinder", 2, SHAPE_CYLINDER},
                               {"sphere", 1, SHAPE_SPHERE},
                               {"tube", 3, SHAPE_TUBE}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static bool bad_body(Builder *b, Pos pos, const MechPart *x, const char *why, const char *help) {
    const char *what = x->item->kind == ITEM_SHAPE ? "" : "body ";
    Remark *m = complain(b, M_BAD_BODY, pos, "%s'%s' %s", what, part_text(b, x), why);
    remark_help(b->r, m, "%s", help);
    return false;
}

// --- numbers that are not negative ---------------------------------------------------------------

static bool positive(Builder *b, const MechPart *x, const Datum *value, Expr *out) {
    double number[3];
    if (!datum(b, value, out) || !datum_numbers(b, value, number)) return false;
    for (int i = 0; i < value->rows; i++)
        if (number[i] < 0)
            return bad_body(b, ast_start(value->e), x,
                            arena_printf(&b->r->arena, "has a negative %s", value->what),
                            "it must be 0 or more");
    return true;
}

static bool read_positive(Builder *b, const MechPart *x, const AstArg *a, const char *what,
                          const char *unit, Expr *out) {
    Datum value = clause_datum(b, x, a, what, 1, 1, unit);
    return positive(b, x, &value, out);
}

// --- shapes --------------------------------------------------------------------------------------

static Expr times(Dag *d, double factor, Expr a, Expr b) {
    return expr_scale(d, factor, expr_mul(d, a, b));
}

static Expr square_sum(Dag *d, double factor, Expr a, double factor2, Expr b) {
    Expr second = times(d, factor2, b, b);
    return expr_add(d, times(d, factor, a, a), second);
}

// Volume, and inertia per mass about the three axes.
static void shape_numbers(Dag *d, ShapeKind shape, const Expr s[3], Expr *volume, Expr inertia[3]) {
    const double pi = 3.14159265358979323846;
    switch (shape) {
    case SHAPE_BOX:
        *volume = expr_product(d, s, 3);
        for (int i = 0; i < 3; i++)
            inertia[i] = square_sum(d, 1.0 / 12, s[(i + 1) % 3], 1.0 / 12, s[(i + 2) % 3]);
        break;
    case SHAPE_CYLINDER:
        *volume = expr_mul(d, times(d, pi, s[0], s[0]), s[1]);
        inertia[0] = inertia[1] = square_sum(d, 0.25, s[0], 1.0 / 12, s[1]);
        inertia[2] = times(d, 0.5, s[0], s[0]);
        break;
    case SHAPE_SPHERE:
        *volume = expr_mul(d, times(d, 4 * pi / 3, s[0], s[0]), s[0]);
        for (int i = 0; i < 3; i++) inertia[i] = times(d, 0.4, s[0], s[0]);
        break;
    default: {
        *volume = expr_mul(d, square_sum(d, pi, s[0], -pi, s[1]), s[2]);
        Expr along = times(d, 1.0 / 12, s[2], s[2]);
        inertia[0] = inertia[1] = expr_add(d, square_sum(d, 0.25, s[0], 0.25, s[1]), along);
        inertia[2] = square_sum(d, 0.5, s[0], 0.5, s[1]);
    }
    }
}

static bool tube_is_hollow(Builder *b, const MechPart *x, const Datum *size) {
    double number[3];
    if (!datum_numbers(b, size, number)) return false;
    if (number[0] > number[1]) return true;
    return bad_body(b, ast_start(size->e), x, "is a tube without wall",
                    "write tube (outer radius, inner radius, length)");
}

static bool refuse_clause(Builder *b, const MechPart *x, const char *word, const char *why) {
    const AstArg *a = find_clause(b, x->item, word);
    if (!a) return true;
    const char *what = x->item->kind == ITEM_SHAPE ? "" : "body ";
    Remark *m =
        complain(b, M_CLAUSE, a->pos, "'%s' of %s'%s' %s", word, what, part_text(b, x), why);
    remark_help(b->r, m, "take one of them away");
    return false;
}

static int find_shape(const Builder *b, const MechPart *x) {
    for (int i = 0; i < SHAPES; i++)
        if (find_clause(b, x->item, shapes[i].word)) return i;
    return -1;
}

static bool shape_mass(Builder *b, const MechPart *x, Expr volume, Expr *mass) {
    const AstArg *density = find_clause(b, x->item, "density");
    const AstArg *given = find_clause(b, x->item, "mass");
    if (given && density) return refuse_clause(b, x, "mass", "follows from its density already");
    if (given) return read_positive(b, x, given, "mass", "kg", mass);
    if (!density) {
        Remark *m = complain(b, M_CLAUSE, x->item->pos, "body '%s' has a shape, but no density",
                             part_text(b, x));
        remark_help(b->r, m, "add density 2700 {kg/m3}, or mass 3 {kg}");
        return false;
    }
    Expr rho;
    if (!read_positive(b, x, density, "density", "kg/m3", &rho)) return false;
    *mass = expr_mul(b->dag, rho, volume);
    return true;
}

static bool from_shape(Builder *b, const MechPart *x, int shape, MechBody *body) {
    Dag *d = b->dag;
    const AstArg *a = find_clause(b, x->item, shapes[shape].word);
    for (int i = shape + 1; i < SHAPES; i++)
        if (!refuse_clause(b, x, shapes[i].word, "is a second shape")) return false;
    if (!refuse_clause(b, x, "inertia", "follows from its shape already")) return false;
    Datum size = clause_datum(b, x, a, "size", shapes[shape].numbers, 1, "m");
    Expr *s = body->shape.size, volume, per_mass[3];
    body->shape.kind = shapes[shape].kind;
    if (!positive(b, x, &size, s)) return false;
    if (shapes[shape].kind == SHAPE_TUBE && !tube_is_hollow(b, x, &size)) return false;
    shape_numbers(d, shapes[shape].kind, s, &volume, per_mass);
    if (!shape_mass(b, x, volume, &body->mass)) return false;
    for (int i = 0; i < 9; i++)
        body->inertia[i] = i % 4 ? expr_number(d, 0) : expr_mul(d, body->mass, per_mass[i / 4]);
    return true;
}

// --- shapes for the view -------------------------------------------------------------------------

static bool read_mesh(Builder *b, const MechPart *x, MechDrawing *out) {
    const AstArg *mesh = find_clause(b, x->item, "mesh"), *scale = find_clause(b, x->item, "scale");
    if (!mesh) {
        Remark *m = complain(b, M_CLAUSE, x->item->pos, "this shape has no form");
        remark_help(b->r, m,
                    "write shape on arm box (1, 0.1, 0.1) {m}, or cylinder, sphere, tube, mesh");
        return false;
    }
    out->shape.kind = SHAPE_MESH;
    out->mesh = mesh->value->name;
    out->mesh_pos = mesh->value->pos;
    for (int i = 0; i < 3; i++) out->shape.size[i] = expr_number(b->dag, 1);
    if (!scale) return true;
    Datum size = clause_datum(b, x, scale, "scale", 3, 1, "1");
    double number[3];
    if (!datum(b, &size, out->shape.size) || !datum_numbers(b, &size, number)) return false;
    for (int i = 0; i < 3; i++) // a negative one mirrors
        if (!(fabs(number[i]) > 0) || !isfinite(number[i]))
            return bad_body(b, ast_start(size.e), x, "has a scale that makes it vanish",
                            "write three numbers that are not zero: scale (0.001, 0.001, 0.001)");
    return true;
}

static bool read_colour(Builder *b, const MechPart *x, MechDrawing *out) {
    const AstArg *a = find_clause(b, x->item, "colour");
    if (!a) return true;
    Datum value = clause_datum(b, x, a, "colour", 3, 1, "1");
    double number[3];
    if (!datum(b, &value, out->colour) || !datum_numbers(b, &value, number)) return false;
    out->coloured = true;
    for (int i = 0; i < 3; i++)
        if (!(number[i] >= 0 && number[i] <= 1))
            return bad_body(b, ast_start(value.e), x, "has a colour that does not exist",
                            "red, green and blue are numbers from 0 to 1: colour (0.9, 0.4, 0.1)");
    return true;
}

bool read_shape(Builder *b, const MechPart *x, MechDrawing *out) {
    if (!read_colour(b, x, out)) return false;
    int form = find_shape(b, x);
    if (form < 0) return read_mesh(b, x, out);
    for (int i = form + 1; i < SHAPES; i++)
        if (!refuse_clause(b, x, shapes[i].word, "is a second form")) return false;
    Datum size = clause_datum(b, x, find_clause(b, x->item, shapes[form].word), "size",
                              shapes[form].numbers, 1, "m");
    out->shape.kind = shapes[form].kind;
    return refuse_clause(b, x, "mesh", "is a second form") &&
           refuse_clause(b, x, "scale", "belongs to a mesh") &&
           positive(b, x, &size, out->shape.size);
}

// --- inertia as given ----------------------------------------------------------------------------

static bool is_symmetric(const double *x, int n) {
    double largest = 0;
    for (int i = 0; i < n * n; i++) largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(x[i * n + j] - x[j * n + i]) <= 1e-12 * largest)) return false;
    return true;
}

static bool read_symmetric(Builder *b, const MechPart *x, const Datum *value, int n, Expr *out) {
    double number[36];
    if (!datum(b, value, out) || !datum_numbers(b, value, number)) return false;
    if (is_symmetric(number, n)) return true;
    return bad_body(b, ast_start(value->e), x,
                    arena_printf(&b->r->arena, "has an unsymmetric matrix of %s", value->what),
                    "the entries i,j and j,i are equal");
}

// How many numbers an inertia is given by: 3, 6, or 9 for a matrix. 0: reported.
static int inertia_form(Builder *b, const Datum *value) {
    Lower l = lower_shapes(b);
    Value v = lower(&l, value->e, value->env);
    if (!value_ok(&v)) return 0;
    int n = value_count(&v);
    if ((v.cols == 1 && (n == 3 || n == 6)) || (v.rows == 3 && v.cols == 3)) return n;
    if (n == 1 && (v.is & IS_ZERO)) return 3;
    Remark *m = complain(b, L_WRONG_SHAPE, ast_start(value->e), "the inertia of '%s' is %s",
                         value->of, shape_text(b, v.rows, v.cols));
    remark_help(b->r, m, "write (Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) or a 3 x 3 matrix");
    return 0;
}

static bool read_inertia(Builder *b, const MechPart *x, Expr out[9]) {
    static const int place[6] = {0, 4, 8, 1, 2, 5}, mirrored[6] = {0, 4, 8, 3, 6, 7};
    const AstArg *a = find_clause(b, x->item, "inertia");
    for (int i = 0; i < 9; i++) out[i] = expr_number(b->dag, 0);
    if (!a) return true;
    Datum value = clause_datum(b, x, a, "inertia", 3, 1, "kg.m2");
    int n = inertia_form(b, &value);
    if (!n) return false;
    value.rows = n == 9 ? 3 : n;
    value.cols = n == 9 ? 3 : 1;
    if (n == 9) return read_symmetric(b, x, &value, 3, out);
    Expr given[6];
    if (!datum(b, &value, given)) return false;
    for (int i = 0; i < n; i++) out[place[i]] = out[mirrored[i]] = given[i];
    return true;
}

// --- the body ------------------------------------------------------------------------------------

static bool as_given(Builder *b, const MechPart *x, MechBody *body) {
    const AstArg *mass = find_clause(b, x->item, "mass");
    body->mass = expr_number(b->dag, 0);
    if (mass && !read_positive(b, x, mass, "mass", "kg", &body->mass)) return false;
    if (!refuse_clause(b, x, "density", "has no shape to go with")) return false;
    return read_inertia(b, x, body->inertia);
}

// The centre of gravity (`cg` or `at`) and the axes of the inertia, in the user's frame.
static bool read_centre(Builder *b, const MechPart *x, Pose *p) {
    const AstArg *cg = find_clause(b, x->item, "cg");
    if (cg && !refuse_clause(b, x, "at", "and cg say the same")) return false;
    if (!read_pose(b, x, p)) return false;
    if (!cg) return true;
    Datum place = clause_datum(b, x, cg, "cg", 3, 1, "m");
    return datum(b, &place, p->p);
}

static bool read_added_mass(Builder *b, const MechPart *x, const Pose *beyond, MechBody *body) {
    const AstArg *a = find_clause(b, x->item, "added_mass");
    if (!a) return true;
    Expr given[36];
    Datum value = clause_datum(b, x, a, "added mass", 6, 6, NULL);
    if (!read_symmetric(b, x, &value, 6, given)) return false;
    body->has_added = true;
    pose_inertia(b->dag, beyond, given, body->added);
    return true;
}

bool make_body(Builder *b, const MechPart *x, const Pose *beyond, MechBody *body) {
    Dag *d = b->dag;
    Expr inertia[9];
    Pose centre;
    int shape = find_shape(b, x);
    *body = (MechBody){.name = x->path,
                       .pos = x->item->pos,
                       .published = find_clause(b, x->item, "published") != NULL};
    if (shape >= 0 ? !from_shape(b, x, shape, body) : !as_given(b, x, body)) return false;
    if (!read_centre(b, x, &centre)) return false;
    pose_times(d, beyond, &centre, &centre);
    memcpy(body->cg, centre.p, sizeof centre.p);
    memcpy(body->shape.turn, centre.R, sizeof centre.R);
    m3_congruence(d, centre.R, body->inertia, inertia);
    memcpy(body->inertia, inertia, sizeof inertia);
    for (int i = 0; i < 3; i++) // a turned tensor is symmetric but for rounding
        for (int j = 0; j < i; j++) body->inertia[3 * i + j] = body->inertia[3 * j + i];
    return read_added_mass(b, x, beyond, body);
}
