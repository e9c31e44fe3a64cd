// A derivation for people: text in the user's names, LaTeX, and JSON.
//
//     B  inertia: p = B w, kinetic energy w' B w/2; symmetric
//       B[1,1] = m1 + m2
//       B[1,2] = L*m2*cos(pin.q)
//       B[2,2] = L^2*m2
//
// Entries that are not printed are zero, or given by symmetry.
#include "mech/derive_share.h"

#include "spatial/spatial.h"
#include <math.h>
#include <string.h>

enum { SMALL = 12, WIDEST_MATRIX = 4 };

static void name_symbols(Share *s) {
    const Derivation *v = s->v;
    int n = v->nq + v->nv + v->param_count;
    for (int i = 0; i < n; i++) {
        int w = i - v->nq, p = w - v->nv;
        Expr symbol = w < 0 ? v->q[i] : p < 0 ? v->w[w] : v->param[p].symbol;
        const char *name = w < 0 ? v->q_name[i] : p < 0 ? v->w_name[w] : v->param[p].name;
        Text t = {0};
        name_print(&t, name, s->style);
        share_name(s, symbol, arena_copy_text(&s->arena, text_get(&t), t.length));
        text_free(&t);
    }
}

static void open_for_people(Share *s, const Derivation *v, PrintStyle style) {
    share_open(s, v, style);
    name_symbols(s);
    share_choose(s, v->part, v->part_count, SMALL);
}

// Where each shared part is first needed: the part of the derivation, by place in `shared`.
static int *first_needs(Share *s) {
    const Derivation *v = s->v;
    int *need = ARENA_ARRAY(&s->arena, int, s->shared.count + 1);
    bool *seen = ARENA_ARRAY(&s->arena, bool, s->shared.count + 1);
    ExprWalk *walk = walk_new(v->d);
    for (int k = 0; k < v->part_count; k++) {
        for (int i = 0; i < v->part[k].value.rows; i++)
            for (int j = first_column(&v->part[k], i); j < v->part[k].value.cols; j++)
                walk_add(walk, MATRIX_AT(v->part[k].value, i, j));
        for (int i = 0; i < s->shared.count; i++) {
            if (seen[i] || !walk_seen(walk, s->shared.data[i])) continue;
            seen[i] = true;
            need[i] = k;
        }
    }
    walk_free(walk);
    return need;
}

// --- text ----------------------------------------------------------------------------------------

static void text_list(Text *out, const char *head, const char *const *names, int n) {
    text_printf(out, "%s(", head);
    for (int i = 0; i < n; i++) text_printf(out, "%s%s", i ? ", " : "", names[i]);
    text_add(out, ")\n");
}

// Is the unit that a declaration shows the SI unit? Values are printed in SI, so only such a unit
// may stand beside them.
static bool is_si(const char *unit) {
    Unit u;
    const char *bad;
    size_t length;
    return *unit && unit_parse(unit, strlen(unit), &u, &bad, &length) && u.scale == 1 &&
           u.offset == 0;
}

static void text_params(Text *out, const Derivation *v) {
    if (v->param_count) text_add(out, "\nparameters (SI)\n");
    for (int i = 0; i < v->param_count; i++) {
        const DerivedParam *p = &v->param[i];
        text_printf(out, "  %s", p->name);
        if (!isnan(p->value)) {
            text_add(out, " = ");
            text_number(out, p->value);
        }
        if (is_si(p->unit)) text_printf(out, " {%s}", p->unit);
        if (*p->text) text_printf(out, "  %s", p->text);
        text_char(out, '\n');
    }
}

static void text_entry_name(Text *out, const DerivedPart *p, int i, int j) {
    text_add(out, p->name);
    if (p->value.cols > 1)
        text_printf(out, "[%d,%d]", i + 1, j + 1);
    else if (p->value.rows > 1)
        text_printf(out, "[%d]", i + 1);
}

static void text_part(Text *out, Share *s, const DerivedPart *p) {
    const Dag *d = s->v->d;
    text_printf(out, "\n%s  %s%s\n", p->name, p->about, p->symmetric ? "; symmetric" : "");
    if (matrix_is_zero(d, p->value)) {
        text_printf(out, "  %s = 0\n", p->name);
        return;
    }
    for (int i = 0; i < p->value.rows; i++)
        for (int j = first_column(p, i); j < p->value.cols; j++) {
            Expr e = MATRIX_AT(p->value, i, j);
            if (expr_is_zero(d, e)) continue;
            text_add(out, "  ");
            text_entry_name(out, p, i, j);
            text_add(out, " = ");
            share_print(out, s, e);
            text_char(out, '\n');
        }
}

void derive_text(Text *out, const Derivation *v) {
    Share s;
    open_for_people(&s, v, PRINT_TEXT);
    const int *need = first_needs(&s);
    text_printf(out, "mechanism %s\n", v->name);
    text_list(out, "  q = ", v->q_name, v->nq);
    text_list(out, "  w = ", v->w_name, v->nv);
    text_params(out, v);
    for (int k = 0; k < v->part_count; k++) {
        bool any = false;
        for (int i = 0; i < s.shared.count; i++) {
            if (need[i] != k) continue;
            text_printf(out, "%s  %s = ", any ? "" : "\n", s.name[s.shared.data[i]]);
            share_print_definition(out, &s, i);
            text_char(out, '\n');
            any = true;
        }
        text_part(out, &s, &v->part[k]);
    }
    share_close(&s);
}

// --- LaTeX ---------------------------------------------------------------------------------------

static void latex_matrix(Text *out, Share *s, const DerivedPart *p) {
    text_printf(out, "\\[\n%s = ", p->latex);
    bool scalar = p->value.rows * p->value.cols == 1;
    if (!scalar) text_add(out, "\\begin{bmatrix}\n");
    for (int i = 0; i < p->value.rows; i++)
        for (int j = 0; j < p->value.cols; j++) {
            if (j) text_add(out, " & ");
            if (j < first_column(p, i))
                text_add(out, "\\ast");
            else
                share_print(out, s, MATRIX_AT(p->value, i, j));
            if (j == p->value.cols - 1 && !scalar) text_add(out, " \\\\\n");
        }
    text_add(out, scalar ? "\n\\]\n" : "\\end{bmatrix}\n\\]\n");
}

static void latex_entries(Text *out, Share *s, const DerivedPart *p) {
    text_add(out, "\\begin{align*}\n");
    for (int i = 0; i < p->value.rows; i++)
        for (int j = first_column(p, i); j < p->value.cols; j++) {
            Expr e = MATRIX_AT(p->value, i, j);
            if (expr_is_zero(s->v->d, e)) continue;
            text_printf(out, "\\left(%s\\right)_{%d,%d} &= ", p->latex, i + 1, j + 1);
            share_print(out, s, e);
            text_add(out, " \\\\\n");
        }
    text_add(out, "\\end{align*}\n");
}

void derive_latex(Text *out, const Derivation *v) {
    Share s;
    open_for_people(&s, v, PRINT_LATEX);
    text_printf(out, "%% mechanism %s; entries marked * follow by symmetry\n", v->name);
    if (s.shared.count) text_add(out, "\\begin{align*}\n");
    for (int i = 0; i < s.shared.count; i++) {
        text_printf(out, "%s &= ", s.name[s.shared.data[i]]);
        share_print_definition(out, &s, i);
        text_add(out, " \\\\\n");
    }
    if (s.shared.count) text_add(out, "\\end{align*}\n");
    for (int k = 0; k < v->part_count; k++) {
        const DerivedPart *p = &v->part[k];
        text_printf(out, "%% %s: %s\n", p->name, p->about);
        if (matrix_is_zero(v->d, p->value))
            text_printf(out, "\\[\n%s = 0\n\\]\n", p->latex);
        else if (p->value.cols > WIDEST_MATRIX)
            latex_entries(out, &s, p);
        else
            latex_matrix(out, &s, p);
    }
    share_close(&s);
}

// --- JSON ----------------------------------------------------------------------------------------

static void json_list(Text *out, const char *const *names, int n) {
    text_char(out, '[');
    for (int i = 0; i < n; i++) {
        if (i) text_add(out, ", ");
        text_json(out, names[i]);
    }
    text_char(out, ']');
}

static void json_params(Text *out, const Derivation *v) {
    for (int i = 0; i < v->param_count; i++) {
        const DerivedParam *p = &v->param[i];
        text_printf(out, "%s{\"name\": ", i ? ", " : "");
        text_json(out, p->name);
        text_add(out, ", \"value\": ");
        if (isfinite(p->value))
            text_number(out, p->value);
        else
            text_add(out, "null");
        text_add(out, ", \"unit\": ");
        text_json(out, is_si(p->unit) ? p->unit : "");
        text_char(out, '}');
    }
}

static void json_expr(Text *out, Share *s, Expr e, int definition) {
    Text t = {0};
    if (definition >= 0)
        share_print_definition(&t, s, definition);
    else
        share_print(&t, s, e);
    text_json(out, text_get(&t));
    text_free(&t);
}

static void json_part(Text *out, Share *s, const DerivedPart *p) {
    text_add(out, "{\"name\": ");
    text_json(out, p->name);
    text_printf(out, ", \"rows\": %d, \"cols\": %d, \"symmetric\": %s, \"entries\": [",
                p->value.rows, p->value.cols, p->symmetric ? "true" : "false");
    for (int i = 0; i < p->value.rows; i++) {
        text_add(out, i ? ", [" : "[");
        for (int j = 0; j < p->value.cols; j++) {
            if (j) text_add(out, ", ");
            bool lower = j < first_column(p, i);
            json_expr(out, s, lower ? MATRIX_AT(p->value, j, i) : MATRIX_AT(p->value, i, j), -1);
        }
        text_char(out, ']');
    }
    text_add(out, "]}");
}

void derive_json(Text *out, const Derivation *v) {
    Share s;
    open_for_people(&s, v, PRINT_TEXT);
    text_add(out, "{\"mechanism\": ");
    text_json(out, v->name);
    text_add(out, ", \"coordinates\": ");
    json_list(out, v->q_name, v->nq);
    text_add(out, ", \"velocities\": ");
    json_list(out, v->w_name, v->nv);
    text_add(out, ", \"parameters\": [");
    json_params(out, v);
    text_add(out, "], \"definitions\": [");
    for (int i = 0; i < s.shared.count; i++) {
        text_printf(out, "%s{\"name\": \"%s\", \"value\": ", i ? ", " : "",
                    s.name[s.shared.data[i]]);
        json_expr(out, &s, 0, i);
        text_char(out, '}');
    }
    text_add(out, "], \"matrices\": [");
    for (int k = 0; k < v->part_count; k++) {
        if (k) text_add(out, ", ");
        json_part(out, &s, &v->part[k]);
    }
    text_add(out, "]}");
    share_close(&s);
}
