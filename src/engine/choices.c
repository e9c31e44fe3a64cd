// Which candidates of a set are states.
//
// The constraints of a choice, linearised, are rows of a matrix over its columns. Elimination
// brings them to the form
//
//          dependent | states
//        [     1     |   T    ]        d dependent = -T d states
//        [        1  |        ]
//
// An entry of T that is large says that a dependent variable runs away when a state moves a little:
// near such a point it should be the state. Exchanging the two multiplies the determinant of the
// dependent columns by that entry, so a few exchanges of the largest ones lead to a good choice.
// There is an exchange only where it gains much; it then goes on until little is left to gain, so
// the choice does not swing between two that are equally good.
#include "engine/choices.h"

#include "engine/build.h"
#include <math.h>
#include <string.h>

static const double bad = 4, good = 1.5; // largest entry of T: before an exchange, and after it
static const double no_hold = 1e-11;     // a pivot of the scaled matrix that is none

// --- building ------------------------------------------------------------------------------------

int choices_count(const System *s) {
    int count = 0;
    for (int i = 0; i < s->set_count; i++) count += s->set[i].free * s->set[i].count;
    for (int i = 0; i < s->choice_count; i++)
        count +=
            ((s->choice[i].anchor != NULL) + (s->choice[i].entry != NULL)) * s->choice[i].columns;
    return count;
}

void choices_roles(Builder *b, int *next) {
    const System *s = b->system;
    Program *p = b->program;
    p->first_pick = ARENA_ARRAY(&p->arena, int, s->set_count + 1);
    p->first_anchor = ARENA_ARRAY(&p->arena, int, s->choice_count + 1);
    for (int i = 0; i < s->set_count; i++) {
        p->first_pick[i] = *next;
        set_held(b, s->set[i].pick, s->set[i].free * s->set[i].count, next);
    }
    for (int i = 0; i < s->choice_count; i++) {
        const Choice *c = &s->choice[i];
        p->first_anchor[i] = c->anchor ? *next : -1;
        if (c->anchor) set_held(b, c->anchor, c->columns, next);
    }
    p->first_entry = *next;
    for (int i = 0; i < s->choice_count; i++)
        if (s->choice[i].entry) set_held(b, s->choice[i].entry, s->choice[i].columns, next);
}

void write_choices(Builder *b, Draft *code, bool start) {
    const System *s = b->system;
    Exprs root = {0};
    for (int i = 0; i < s->choice_count; i++) {
        const Choice *c = &s->choice[i];
        const Expr *value = start ? c->start : c->value;
        const Expr *matrix = start ? c->start_matrix : c->matrix;
        for (int k = 0; k < c->columns; k++) array_push(&root, value[k]);
        for (int k = 0; k < c->rows * c->columns; k++) array_push(&root, matrix[k]);
    }
    function_begin(b, code, LEVEL_TIME, -1);
    function_roots(b, root.data, root.count);
    for (int i = 0; i < root.count; i++) function_add(b, root.data[i]);
    function_end(b);
    array_free(&root);
}

void finish_choices(Builder *b) {
    Program *p = b->program;
    const System *s = b->system;
    p->chosen_count = choices_count(s);
    p->first_chosen = p->held_count - p->chosen_count;
    p->chosen = ARENA_ARRAY(&p->arena, double, p->chosen_count + 1);
    for (int i = 0; i < s->choice_count; i++) {
        int entries = s->choice[i].rows * s->choice[i].columns;
        if (entries > p->largest_choice) p->largest_choice = entries;
        if (s->choice[i].columns > p->most_columns) p->most_columns = s->choice[i].columns;
    }
}

// --- memory --------------------------------------------------------------------------------------

static int column_count(const System *s) {
    int count = 0;
    for (int i = 0; i < s->choice_count; i++) count += s->choice[i].columns;
    return count;
}

void choices_open(Machine *m) {
    const Program *p = m->program;
    size_t columns = (size_t)column_count(p->system);
    m->choice = ARENA_ARRAY(&m->arena, double, p->choices.result_count);
    m->pivots = ARENA_ARRAY(&m->arena, double, p->largest_choice);
    m->basis = ARENA_ARRAY(&m->arena, int, columns + (size_t)p->most_columns);
    m->column_size = ARENA_ARRAY(&m->arena, double, columns);
    m->failed_choice = -1;
}

void choices_pass(Machine *m, MachinePass *pass, void *context) {
    size_t columns = (size_t)column_count(m->program->system);
    pass(context, m->basis, columns * sizeof *m->basis);
    pass(context, m->column_size, columns * sizeof *m->column_size);
}

// --- one choice ----------------------------------------------------------------------------------

typedef struct {
    Machine *m;
    const Choice *c;
    const double *value; // of the columns
    double *a;           // rows*columns, scaled; by and by as above
    int *row_of;         // per column: the row that determines it, -1: a state
    int *column_of;      // per row, -1: none yet
    double *size;        // per column: the largest entry so far, rows scaled
} Choosing;

static double *entry(const Choosing *x, int row, int column) {
    return &x->a[row * x->c->columns + column];
}

// Rows have 1 as their largest entry; columns are divided by the largest entry of all columns of
// their unit so far. False when an entry is not finite.
static bool load(Choosing *x, const double *matrix) {
    int rows = x->c->rows, columns = x->c->columns;
    for (int i = 0; i < rows; i++) {
        double largest = 0;
        for (int k = 0; k < columns; k++) {
            double size = fabs(matrix[i * columns + k]);
            if (!isfinite(size)) return false;
            largest = fmax(largest, size);
        }
        for (int k = 0; k < columns; k++) {
            *entry(x, i, k) = largest > 0 ? matrix[i * columns + k] / largest : 0;
            double *size = &x->size[x->c->scale[k]];
            *size = fmax(*size, fabs(*entry(x, i, k)));
        }
    }
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            if (x->size[x->c->scale[k]] > 0) *entry(x, i, k) /= x->size[x->c->scale[k]];
    for (int i = 0; i < rows; i++) x->column_of[i] = -1;
    return true;
}

// Row `row` determines column `column`: the column becomes a unit column.
static void pivot(Choosing *x, int row, int column) {
    int columns = x->c->columns;
    double p = *entry(x, row, column);
    for (int k = 0; k < columns; k++) *entry(x, row, k) /= p;
    for (int i = 0; i < x->c->rows; i++) {
        double factor = i == row ? 0 : *entry(x, i, column);
        if (factor == 0) continue;
        for (int k = 0; k < columns; k++) *entry(x, i, k) -= factor * *entry(x, row, k);
    }
    x->column_of[row] = column;
}

// The free row with the largest entry in a column, or -1.
static int best_row(const Choosing *x, int column) {
    int best = -1;
    double largest = no_hold;
    for (int i = 0; i < x->c->rows; i++) {
        double size = fabs(*entry(x, i, column));
        if (x->column_of[i] >= 0 || !(size > largest)) continue;
        largest = size;
        best = i;
    }
    return best;
}

// How many candidates of a set the constraints of this choice may still take.
static int places_left(const Choosing *x, int set) {
    int left = -x->m->program->system->set[set].free;
    for (int k = 0; k < x->c->columns; k++)
        if (x->c->set[k] == set) left += x->row_of[k] < 0;
    return left;
}

// The largest pivot among columns of a kind that are not taken yet.
static bool take_largest(Choosing *x, bool candidates) {
    int best = -1, row = -1;
    for (int k = 0; k < x->c->columns; k++) {
        if (x->row_of[k] >= 0 || (x->c->set[k] >= 0) != candidates) continue;
        if (candidates && places_left(x, x->c->set[k]) <= 0) continue;
        int i = best_row(x, k);
        if (i < 0 || (best >= 0 && fabs(*entry(x, i, k)) <= fabs(*entry(x, row, best)))) continue;
        best = k;
        row = i;
    }
    if (best < 0) return false;
    pivot(x, row, best);
    x->row_of[best] = row;
    return true;
}

static bool all_rows_taken(const Choosing *x) {
    for (int i = 0; i < x->c->rows; i++)
        if (x->column_of[i] < 0) return false;
    return true;
}

// From nothing.
static bool choose_freshly(Choosing *x) {
    for (int k = 0; k < x->c->columns; k++) x->row_of[k] = -1;
    while (take_largest(x, false)) {}
    while (take_largest(x, true)) {}
    return all_rows_taken(x);
}

// With the dependent columns as they are. False when they do not hold any more.
static bool keep_choice(Choosing *x) {
    for (int k = 0; k < x->c->columns; k++) {
        if (x->row_of[k] < 0) continue;
        int row = best_row(x, k);
        if (row < 0) return false;
        pivot(x, row, k);
        x->row_of[k] = row;
    }
    return all_rows_taken(x);
}

// The largest entry of T between candidates of one set.
static double worst(const Choosing *x, int *row, int *column) {
    double largest = 0;
    for (int i = 0; i < x->c->rows; i++) {
        int set = x->c->set[x->column_of[i]];
        for (int k = 0; k < x->c->columns && set >= 0; k++) {
            double size = fabs(*entry(x, i, k));
            if (x->row_of[k] >= 0 || x->c->set[k] != set || !(size > largest)) continue;
            largest = size;
            *row = i;
            *column = k;
        }
    }
    return largest;
}

// --- what was chosen -----------------------------------------------------------------------------

static double *picks_of(const Choosing *x, int set) {
    return machine_held(x->m) + x->m->program->first_pick[set];
}

// The state of the set that is the candidate of this column, or -1.
static int state_of(const Choosing *x, int column) {
    const StateSet *s = &x->m->program->system->set[x->c->set[column]];
    const double *pick = picks_of(x, x->c->set[column]);
    for (int j = 0; j < s->free; j++)
        if (pick[j * s->count + x->c->place[column]] != 0) return j;
    return -1;
}

static void let_state_be(Choosing *x, int set, int state, int column) {
    const StateSet *s = &x->m->program->system->set[set];
    double *pick = picks_of(x, set) + state * s->count;
    for (int i = 0; i < s->count; i++) pick[i] = i == x->c->place[column];
    x->m->reg[x->m->program->first_state + (uint32_t)(s->first_state + state)] = x->value[column];
}

static void assign_states(Choosing *x) {
    for (int k = 0, next; k < x->c->columns; k++) {
        int set = x->c->set[k];
        if (set < 0 || x->row_of[k] >= 0) continue;
        next = 0; // states go to free columns in their order
        for (int i = 0; i < k; i++) next += x->c->set[i] == set && x->row_of[i] < 0;
        let_state_be(x, set, next, k);
    }
}

static void exchange(Choosing *x, int row, int column) {
    int leaves = x->column_of[row], state = state_of(x, column);
    pivot(x, row, column);
    x->row_of[column] = row;
    x->row_of[leaves] = -1;
    let_state_be(x, x->c->set[column], state, leaves);
}

static bool improve(Choosing *x) {
    int row = -1, column = -1;
    bool any = false;
    double limit = bad;
    for (int i = 0; i < 2 * x->c->columns && worst(x, &row, &column) > limit; i++) {
        exchange(x, row, column);
        limit = good;
        any = true;
    }
    return any;
}

// --- all of them ---------------------------------------------------------------------------------

typedef enum { CHOICE_KEPT, CHOICE_NEW, CHOICE_LOST } Outcome;

static void set_anchor(Machine *m, int choice, const double *value, int columns) {
    int first = m->program->first_anchor[choice];
    if (first >= 0) memcpy(machine_held(m) + first, value, (size_t)columns * sizeof *value);
}

static Outcome choose(Choosing *x, const double *matrix, bool fresh) {
    if (!load(x, matrix)) return CHOICE_LOST;
    if (!fresh && keep_choice(x)) return improve(x) ? CHOICE_NEW : CHOICE_KEPT;
    if (!fresh && !load(x, matrix)) return CHOICE_LOST;
    if (!choose_freshly(x)) return CHOICE_LOST;
    assign_states(x);
    return CHOICE_NEW;
}

static bool choose_all(Machine *m, bool fresh, int *changed) {
    const Program *p = m->program;
    const double *result = m->choice;
    int *basis = m->basis;
    double *size = m->column_size;
    for (int i = 0; i < p->system->choice_count; i++) {
        const Choice *c = &p->system->choice[i];
        Choosing x = {.m = m,
                      .c = c,
                      .value = result,
                      .a = m->pivots,
                      .row_of = basis,
                      .column_of = m->basis + column_count(p->system),
                      .size = size};
        set_anchor(m, i, result, c->columns);
        Outcome outcome = choose(&x, result + c->columns, fresh);
        if (outcome == CHOICE_LOST) {
            m->failed_choice = i;
            return false;
        }
        *changed += outcome == CHOICE_NEW;
        result += c->columns + c->rows * c->columns;
        basis += c->columns;
        size += c->columns;
    }
    return true;
}

bool choices_start(Machine *m) {
    const Program *p = m->program;
    int changed = 0, columns = column_count(p->system);
    if (columns == 0) return true;
    for (int i = 0; i < columns; i++) m->column_size[i] = 0;
    m->failed_choice = m->failed_block = -1;
    return machine_run(m, &p->start_choices, m->choice) && choose_all(m, true, &changed);
}

bool machine_choose(Machine *m, double time, double *state, int *changed) {
    const Program *p = m->program;
    *changed = 0;
    if (p->system->choice_count == 0) return true;
    machine_set_point(m, time, state);
    m->failed_choice = -1;
    if (!machine_run(m, &p->choices, m->choice) || !choose_all(m, false, changed)) return false;
    if (*changed) memcpy(state, m->reg + p->first_state, (size_t)p->state_count * sizeof *state);
    return true;
}

bool machine_enter(Machine *m, double time, const double *entry, double *state) {
    const Program *p = m->program;
    int changed = 0, columns = column_count(p->system);
    if (columns == 0) return true;
    machine_set_point(m, time, state);
    memcpy(machine_held(m) + p->first_entry, entry, (size_t)columns * sizeof *entry);
    for (int i = 0; i < columns; i++) m->column_size[i] = 0;
    m->failed_choice = -1;
    if (!machine_run(m, &p->start_choices, m->choice) || !choose_all(m, true, &changed))
        return false;
    memcpy(state, m->reg + p->first_state, (size_t)p->state_count * sizeof *state);
    return true;
}
