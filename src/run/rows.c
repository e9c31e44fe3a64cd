// Rows on their way from the solver: all of them, every so many, or handed on in blocks.
//
//     whole     row row row row ...             memory for all rows, known beforehand
//     stream    [block] -> writers, [block]     RunOptions.rows takes full blocks; one stays here
//     thinned   row  .  row  .  row             RunOptions.most_rows: when they are too many, every
//                                               second one goes, and of those to come
//
// Curves see every row; each keeps what its picture needs (trace.h).
#include "run/job.h"

#include <math.h>
#include <string.h>

enum { BLOCK_VALUES = 1 << 17, LEAST_BLOCK = 16, LARGEST_BLOCK = 16384 };
enum { EXTREMES = 4 }; // of a track

static int block_rows(int columns) {
    int rows = BLOCK_VALUES / columns;
    return rows < LEAST_BLOCK ? LEAST_BLOCK : rows > LARGEST_BLOCK ? LARGEST_BLOCK : rows;
}

static int capacity_for(const Job *j, int columns, long rows) {
    long most = j->options->rows        ? block_rows(columns)
                : j->options->most_rows ? 2 * ((j->options->most_rows + 1) / 2)
                                        : rows;
    return (int)(rows < most ? rows : most);
}

void rows_open(Job *j, const Column *column, int count, long rows) {
    Results *r = &j->run->results;
    int capacity = capacity_for(j, count, rows);
    results_make_room(r, count, capacity);
    for (int c = 0; c < count; c++) {
        double *value = r->column[c].value;
        r->column[c] = column[c];
        r->column[c].value = j->tracks.data[c].value = value;
    }
    for (int t = count; t < j->tracks.count; t++)
        if (j->tracks.data[t].kept)
            j->tracks.data[t].value = ARENA_ARRAY(&j->run->arena, double, capacity);
    for (int c = 0; c < count && j->options->extremes; c++) {
        Extreme *e = j->tracks.data[c].extreme = ARENA_ARRAY(&j->run->arena, Extreme, EXTREMES);
        for (int k = 0; k < EXTREMES; k++) e[k].sign = k % 2 ? 1 : -1;
    }
    for (int i = 0; i < 5 && j->options->extremes; i++)
        j->recent.value[i] = ARENA_ARRAY(&j->tmp, double, count);
    j->stride = 1;
}

// Room for one more point, in place of the oldest.
static double *next_recent(Job *j, double time) {
    Recent *r = &j->recent;
    double *oldest = r->value[0];
    for (int i = 0; i < 4; i++) {
        r->time[i] = r->time[i + 1];
        r->value[i] = r->value[i + 1];
    }
    r->time[4] = time;
    r->count++;
    return r->value[4] = oldest;
}

static Window recent_window(const Recent *r, int column) {
    Window w;
    for (int i = 0; i < 5; i++) w.time[i] = r->time[i], w.y[i] = r->value[i][column];
    return w;
}

// As extreme_point does for one signal; hardly any point is a new largest value of any.
static void look_at_recent(Job *j) {
    const Recent *r = &j->recent;
    int place = r->count <= 2 ? 4 : 2;
    bool looks = r->count <= 2 || r->count >= 5;
    for (int c = 0; c < j->run->results.column_count; c++) {
        Extreme *least = &j->tracks.data[c].extreme[2], *most = least + 1;
        double y = r->value[place][c], newest = r->value[4][c];
        if (isnan(newest)) least->broken = most->broken = true;
        if (!looks || (r->count > 1 && !(y < least->best) && !(y > most->best))) continue;
        Window w = recent_window(r, c);
        if (r->count == 1 || y < least->best) extreme_take(least, &w, place);
        if (r->count == 1 || y > most->best) extreme_take(most, &w, place);
    }
}

static void close_recent(Job *j) {
    for (int c = 0; c < j->run->results.column_count; c++)
        for (int k = 2; k < EXTREMES; k++) {
            Extreme *e = &j->tracks.data[c].extreme[k];
            e->last = recent_window(&j->recent, c);
            e->count = j->recent.count;
        }
}

static void look(Job *j, const SolvePoint *p) {
    j->tracks.data[0].now = p->time;
    for (int i = 1; i < j->tracks.count; i++) {
        Track *t = &j->tracks.data[i];
        t->now = show(t->shown, t->integral ? p->quad[t->output] : p->output[t->output]);
    }
    for (int i = 0; i < j->tracks.count; i++) {
        const Track *t = &j->tracks.data[i];
        for (int k = 0; t->extreme && k < 2; k++) extreme_point(&t->extreme[k], p->time, t->now);
    }
    if (!j->options->extremes) return;
    double *value = next_recent(j, p->time);
    for (int c = 0; c < j->run->results.column_count; c++) value[c] = j->tracks.data[c].now;
    look_at_recent(j);
}

static void store(Job *j, int row) {
    for (int i = 0; i < j->tracks.count; i++)
        if (j->tracks.data[i].value) j->tracks.data[i].value[row] = j->tracks.data[i].now;
    j->run->results.row_count = row + 1;
}

static void drop_every_second(Job *j) {
    Results *r = &j->run->results;
    for (int i = 0; i < j->tracks.count; i++) {
        double *value = j->tracks.data[i].value;
        for (int row = 0; value && 2 * row < r->row_count; row++) value[row] = value[2 * row];
    }
    r->row_count /= 2;
    j->stride *= 2;
}

static bool hand_over(Job *j) {
    Results *r = &j->run->results;
    r->solver = solver_name(j->run->stats.method);
    bool good = j->options->rows(j->options->rows_context, r);
    r->row_count = 0;
    j->run->rows_lost = !good;
    return good;
}

static bool make_room(Job *j) {
    const Results *r = &j->run->results;
    if (r->row_count < r->row_capacity) return true;
    if (j->options->rows) return hand_over(j);
    drop_every_second(j);
    return true;
}

bool rows_add(Job *j, const SolvePoint *p) {
    look(j, p);
    for (int i = 0; i < j->curves.count; i++) {
        Curve *c = &j->curves.data[i];
        trace_add(&c->trace, j->tracks.data[c->x].now, j->tracks.data[c->y].now);
    }
    bool stored = j->run->rows++ % j->stride == 0;
    if (!stored) return true;
    if (!make_room(j)) return false;
    store(j, j->run->results.row_count);
    return true;
}

static void sides_of_columns(Job *j, double time, const double *before, const double *after) {
    for (int i = 1; i < j->tracks.count; i++) {
        const Track *t = &j->tracks.data[i];
        for (int k = 0; t->extreme && !t->integral && k < 2; k++)
            extreme_event(&t->extreme[k], time, show(t->shown, before[t->output]),
                          show(t->shown, after[t->output]));
    }
}

// Both sides of an event, for curves that jump there. Curves of integrals do not.
void rows_sides(Job *j, double time, const double *before, const double *after) {
    if (j->options->extremes) sides_of_columns(j, time, before, after);
    for (int i = 0; i < j->curves.count; i++) {
        Curve *c = &j->curves.data[i];
        const Track *x = &j->tracks.data[c->x], *y = &j->tracks.data[c->y];
        if (y->integral || (c->x && x->integral) || before[y->output] == after[y->output]) continue;
        for (int side = 0; side < 2; side++) {
            const double *output = side ? after : before;
            trace_add(&c->trace, c->x ? show(x->shown, output[x->output]) : time,
                      show(y->shown, output[y->output]));
        }
    }
}

// Integrals are not known there: they stay as they were at the last point.
void rows_inside(Job *j, double time, const double *output) {
    if (!j->options->extremes) return;
    double *value = next_recent(j, time);
    value[0] = time;
    for (int c = 1; c < j->run->results.column_count; c++) {
        const Track *t = &j->tracks.data[c];
        value[c] = t->integral ? t->now : show(t->shown, output[t->output]);
    }
    look_at_recent(j);
}

static void close_extremes(Job *j) {
    Run *run = j->run;
    int columns = run->results.column_count;
    close_recent(j);
    run->least = ARENA_ARRAY(&run->arena, double, columns);
    run->most = ARENA_ARRAY(&run->arena, double, columns);
    for (int c = 0; c < columns; c++) {
        Extreme *e = j->tracks.data[c].extreme;
        run->least[c] = peak_value(j, &e[0], &e[2]);
        run->most[c] = peak_value(j, &e[1], &e[3]);
    }
}

// Ends the record. When only every so many rows are kept, the last one is kept as well.
void rows_close(Job *j) {
    const Results *r = &j->run->results;
    if (j->options->extremes) close_extremes(j);
    if (j->options->rows || j->run->rows == 0 || (j->run->rows - 1) % j->stride == 0) return;
    store(j, r->row_count < r->row_capacity ? r->row_count : r->row_count - 1);
}
