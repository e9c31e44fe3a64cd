// Too many equations here, too few there: the smallest parts that do not fit, in the user's words.
//
// The system has a solution structure exactly when rules and links (x and its derivative) can
// be matched with all quantities. A rule without partner and all that competes with it is
// over-determined; a quantity without partner and all that it shares rules with is not
// determined (Dulmage and Mendelsohn).
#include "equations/work.h"

#include <string.h>

enum { MOST_REPORTS = 5 };

typedef struct {
    Work *w;
    Incidence a; // rules, then one link per state; columns are quantities
    int *col_of_row, *row_of_col;
    int *rows, *cols; // scratch
} Structure;

static void structure_open(Structure *s, Work *w) {
    int m = w->rule.count, n = w->quantity.count, links = 0, capacity = 0;
    for (int q = 0; q < n; q++) links += w->quantity.data[q].der >= 0;
    *s = (Structure){.w = w, .a = {.row_count = m + links, .col_count = n}};
    s->a.start = array_grow(NULL, &capacity, m + links + 1, sizeof *s->a.start);
    capacity = 0;
    s->a.col = array_grow(NULL, &capacity, w->entry.count + 2 * links + 1, sizeof *s->a.col);
    int at = 0, row = 0;
    for (; row < m; row++) {
        const Rule *r = &w->rule.data[row];
        s->a.start[row] = at;
        bool speaks = r->derivative < 0; // else its derivative does
        if (!speaks || r->count == 0) continue;
        memcpy(s->a.col + at, w->entry.data + r->first, (size_t)r->count * sizeof *s->a.col);
        at += r->count;
    }
    for (int q = 0; q < n; q++) {
        if (w->quantity.data[q].der < 0) continue;
        s->a.start[row++] = at;
        s->a.col[at++] = q;
        s->a.col[at++] = w->quantity.data[q].der;
    }
    s->a.start[row] = at;
    s->col_of_row = ARENA_ARRAY(&w->scratch, int, row + 1);
    s->row_of_col = ARENA_ARRAY(&w->scratch, int, n + 1);
    s->rows = ARENA_ARRAY(&w->scratch, int, row + 1);
    s->cols = ARENA_ARRAY(&w->scratch, int, n + 1);
}

// Leaves the rules among rows, drops the links; both in ascending order.
static int keep_rules(Structure *s, int n_rows) {
    int kept = 0;
    for (int i = 0; i < n_rows; i++)
        if (s->rows[i] < s->w->rule.count) s->rows[kept++] = s->rows[i];
    return kept;
}

// Does the equation, as the user wrote it, name any variable? (Aliases have been replaced in the
// rule.)
static bool names_variables(Work *w, const Rule *r) {
    if (r->origin < 0 || r->origin >= w->model->equation_count) return false;
    const Equation *e = &w->model->equation[r->origin];
    walk_start(w->walk);
    walk_add(w->walk, e->left);
    walk_add(w->walk, e->right);
    for (int v = 0; v < w->model->var_count; v++)
        if (w->model->var[v].kind > VAR_PARAM && w->model->var[v].kind != VAR_DISCRETE &&
            walk_seen(w->walk, w->model->var[v].symbol))
            return true;
    return false;
}

static void report_empty(Structure *s, int row) {
    Work *w = s->w;
    const Rule *r = &w->rule.data[row];
    Text label = {0};
    rule_label(&label, w->model, w->graph, r->origin);
    double value;
    bool number = expr_is_number(w->dag, rule_residual(w, row), &value);
    if (number && value == 0) {
        Remark *k = report_error(w->report, Q_DEPENDENT, r->pos,
                                 "%s holds always and determines nothing", text_get(&label));
        remark_help(w->report, k,
                    "an equation must determine a variable: leave it out or correct it");
    } else {
        Remark *k =
            report_error(w->report, Q_CONTRADICTION, r->pos,
                         number ? "%s can never hold" : "%s has no variable that could fulfil it",
                         text_get(&label));
        remark_help(w->report, k,
                    names_variables(w, r)
                        ? "other equations make its variables equal, and then none is left in it: "
                          "correct or remove one of them"
                        : "parameters and time are given: an equation must contain a variable "
                          "that it determines");
    }
    text_free(&label);
}

static void report_surplus(Structure *s, int row) {
    Work *w = s->w;
    int n_rows, n_cols;
    if (row < w->rule.count && w->rule.data[row].count == 0) {
        report_empty(s, row);
        return;
    }
    incidence_surplus(&s->a, s->row_of_col, row, s->rows, &n_rows, s->cols, &n_cols);
    n_rows = keep_rules(s, n_rows);
    if (n_rows == 0) return;
    Text names = {0};
    quantity_list(&names, w, s->cols, n_cols);
    Remark *remark = report_error(w->report, Q_TOO_MANY, w->rule.data[s->rows[0]].pos,
                                  "%d equations determine only %d variable%s: %s", n_rows,
                                  n_rows - 1, n_rows == 2 ? "" : "s", text_get(&names));
    remark_rules(w, remark, s->rows, n_rows);
    remark_help(w->report, remark, "one of these equations is too many, or misses a variable");
    text_free(&names);
}

// Why a single variable may be without equation.
static const char *remedy(const Work *w, int q) {
    int v = w->quantity.data[q].var;
    if (v < 0) return "junctions in a ring leave the flow around it open: remove one of the bonds";
    if (w->model->var[v].kind == VAR_INPUT)
        return "give the input a value: an argument, an equation or a default";
    return "add an equation that contains it, or remove the variable";
}

static void report_shortage(Structure *s, int col) {
    Work *w = s->w;
    int n_rows, n_cols;
    incidence_shortage(&s->a, s->col_of_row, col, s->rows, &n_rows, s->cols, &n_cols);
    n_rows = keep_rules(s, n_rows);
    int v = w->quantity.data[col].var, b = w->quantity.data[col].bond;
    Pos pos = v >= 0   ? w->model->var[v].pos
              : b >= 0 ? w->model->bond[w->graph->bond[b].model_bond].pos
                       : w->model->pos;
    Text names = {0};
    quantity_list(&names, w, s->cols, n_cols);
    Remark *remark;
    if (n_rows == 0)
        remark =
            report_error(w->report, Q_UNDETERMINED, pos, "nothing determines %s", text_get(&names));
    else
        remark = report_error(w->report, Q_UNDETERMINED, pos,
                              "%d variables share only %d equation%s: %s", n_rows + 1, n_rows,
                              n_rows == 1 ? "" : "s", text_get(&names));
    remark_rules(w, remark, s->rows, n_rows);
    remark_help(w->report, remark, "%s", remedy(w, col));
    text_free(&names);
}

static bool is_differentiated(const Work *w, int row) {
    return row < w->rule.count && w->rule.data[row].derivative >= 0;
}

bool singular_report(Work *w) {
    Structure s;
    structure_open(&s, w);
    int n = w->quantity.count, m = s.a.row_count;
    incidence_match(&s.a, s.col_of_row, s.row_of_col);
    int reports = 0;
    for (int r = 0; r < m && reports < MOST_REPORTS; r++)
        if (s.col_of_row[r] < 0 && !is_differentiated(w, r)) {
            report_surplus(&s, r);
            reports++;
        }
    for (int q = 0; q < n && reports < 2 * MOST_REPORTS; q++)
        if (s.row_of_col[q] < 0) {
            report_shortage(&s, q);
            reports++;
        }
    incidence_free(&s.a);
    return reports > 0;
}
