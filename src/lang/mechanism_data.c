// Values in the clauses of mechanisms. Everything is checked twice: as expressions of parameters
// for shape, unit and constancy, and as numbers where a value can be wrong.
#include "lang/mechanism_data.h"

#include <math.h>
#include <string.h>

const char *part_text(const Builder *b, const MechPart *x) {
    return text_of(b, x->instance >= 0 ? b->instance.data[x->instance].path : x->path);
}

// --- values --------------------------------------------------------------------------------------

static const char *datum_text(const Builder *b, const Datum *x) {
    return arena_printf(&b->r->arena, "%s of %s", x->what, x->of);
}

static bool lower_datum(Builder *b, Lower *l, const Datum *x, Value *v) {
    Pos pos = ast_start(x->e);
    const char *name = datum_text(b, x);
    Dim dim = x->unit ? dim_of_unit(x->unit) : DIM_UNKNOWN;
    *v = lower(l, x->e, x->env);
    if (!value_ok(v)) return false;
    if (v->is & VARIES) {
        Remark *m = complain(b, M_NOT_RIGID, pos, "the %s changes during the run", name);
        remark_help(b->r, m, "it may use parameters and constants; motion belongs into joints");
        return false;
    }
    return value_fit(l, v, false, NULL, dim, pos, name) &&
           (!x->rows || value_shape(l, v, x->rows, x->cols, pos, name));
}

// With the values that the parameters have. False: something is not a number, or reported.
bool datum_numbers(Builder *b, const Datum *x, double *out) {
    Lower l = lower_numbers(b, x->what, false);
    Value v;
    Constant c;
    if (!lower_datum(b, &l, x, &v)) return false;
    if (!value_numbers(&l, &v, &c, &b->tmp)) {
        complain_not_finite(b, ast_start(x->e), "the %s", datum_text(b, x));
        return false;
    }
    int n = c.rows * c.cols;
    for (int i = 0; i < n; i++) out[i] = n == 1 ? c.one : c.many[i];
    return true;
}

// Simplified expressions no longer show that a value is none (k/k with k = 0): numbers do.
bool datum(Builder *b, const Datum *x, Expr *out) {
    enum { MOST = 36 };
    Lower l = lower_symbols(b);
    Value v;
    double number[MOST];
    if (!lower_datum(b, &l, x, &v)) return false;
    for (int i = 0; i < value_count(&v); i++) out[i] = value_at(&v, i);
    return value_count(&v) > MOST || datum_numbers(b, x, number);
}

Datum clause_datum(const Builder *b, const MechPart *x, const AstArg *a, const char *what, int rows,
                   int cols, const char *unit) {
    return (Datum){a->value, x->env, what, part_text(b, x), rows, cols, unit};
}

// --- axes and turns ------------------------------------------------------------------------------

static bool letter_axis(const Builder *b, const AstExpr *e, Expr out[3]) {
    if (e->kind != AST_STRING) return false;
    const char *word = text_of(b, e->name);
    double sign = *word == '-' ? -1 : 1;
    char letter = word[strlen(word) - 1];
    for (int i = 0; i < 3; i++) out[i] = expr_number(b->dag, letter == 'x' + i ? sign : 0);
    return true;
}

bool read_axis(Builder *b, const MechPart *x, const AstExpr *e, Expr out[3]) {
    if (letter_axis(b, e, out)) return true;
    Datum axis = {e, x->env, "axis", part_text(b, x), 3, 1, NULL};
    double number[3] = {0};
    Expr raw[3];
    if (!datum(b, &axis, raw) || !datum_numbers(b, &axis, number)) return false;
    double largest = fmax(fabs(number[0]), fmax(fabs(number[1]), fabs(number[2])));
    if (!(largest > 1e-100 && largest < 1e100)) { // squares of it are numbers
        Remark *m = complain(b, M_AXIS, ast_start(e), "the axis of '%s' has no direction%s",
                             part_text(b, x), largest > 0 ? " that could be computed" : "");
        remark_help(b->r, m, "write x, y, z or a vector that is not zero");
        return false;
    }
    unit_vector(b->dag, raw, 3, out);
    return true;
}

bool read_angle(Builder *b, const MechPart *x, const AstArg *a, Expr *angle) {
    enum { FULL_TURN = 7 }; // a little more than 2 pi
    Datum value = clause_datum(b, x, a, "angle", 1, 1, "rad");
    if (!datum(b, &value, angle)) return false;
    double number;
    if (a->value->kind != AST_NUMBER || !expr_is_number(b->dag, *angle, &number)) return true;
    if (fabs(number) < FULL_TURN) return true;
    Remark *m =
        caution(b, M_ANGLE, ast_start(a->value), "an angle of %g rad is meant here", number);
    remark_help(b->r, m, "write %g {deg} for degrees", number);
    return true;
}

static void add_turn(Builder *b, const Expr axis[3], Expr angle, Expr *turn) {
    Pose before, step, after;
    pose_identity(b->dag, &before);
    step = before;
    memcpy(before.R, turn, sizeof before.R);
    turn_about(b->dag, axis, angle, step.R);
    pose_times(b->dag, &before, &step, &after);
    memcpy(turn, after.R, sizeof after.R);
}

void add_quaternion(Builder *b, const Expr axis[3], Expr angle, Expr *q) {
    Expr step[4];
    quaternion_about(b->dag, axis, angle, step);
    quaternion_then(b->dag, q, step, q);
}

// All turns of a statement in order; the parser keeps axis and angle side by side.
bool read_turns(Builder *b, const MechPart *x, const char *word, TurnAction act, Expr *result) {
    const AstItem *item = x->item;
    for (int i = 0; i + 1 < item->arg_count; i++) {
        if (strcmp(text_of(b, item->args[i].name), word) != 0) continue;
        Expr axis[3], angle = expr_number(b->dag, 0);
        if (!read_axis(b, x, item->args[i].value, axis)) return false;
        if (!read_angle(b, x, &item->args[i + 1], &angle)) return false;
        act(b, axis, angle, result);
    }
    return true;
}

// at and rotated
bool read_pose(Builder *b, const MechPart *x, Pose *p) {
    pose_identity(b->dag, p);
    const AstArg *at = find_clause(b, x->item, "at");
    if (at) {
        Datum place = clause_datum(b, x, at, "position", 3, 1, "m");
        if (!datum(b, &place, p->p)) return false;
    }
    return read_turns(b, x, "rotated", add_turn, p->R);
}
