// The discrete linear model of what is sampled: what one period makes of small deviations.
//
//     a sample       d+ = N_x x + N_d d + N_u u      held values, from states and inputs just before it
//                    x+ = R_x x + R_d d + R_u u      where it sets states; else x
//     until the next x' = A x + B_d d + B_u u        with d and u held: the exponential of the matrix
//
// Both are matrices on (x, d, u); the period is the product of those of its moments, so that several samples, at
// several offsets or rates, are nothing special. The state is that just before the first sample of the period; inputs
// change with that sample and are held over the period; outputs are those just after it. N and R are derivatives
// of the tape. A held value that nothing remembers (its last value is not used again) is no state.
#include "analysis/dense.h"
#include "analysis/linear.h"
#include "base/memory.h"
#include "numeric/matrix_function.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PERIODS = 1000, MOST_MOMENTS = 20000 };
static const double SAME = 1e-9; // times, of a period

typedef struct { // what happens when these samples are due
    bool *due;   // per sample
    bool *fired; // per branch
    int first;   // rows of the held values, behind the outputs
} Kind;

typedef struct {
    double time; // since the period began
    int kind;
} Moment;

typedef struct {
    int kind, reset, row; // a state that is set then, by which row behind the outputs
} Reset;

typedef struct {
    Arena arena;
    const LinearPlan *plan;
    const Reached *at;
    const Whens *w;
    Report *r;
    double *sample; // period and offset in pairs
    bool *used;     // per sample: it sets something
    double period;
    ARRAY(Moment) moment;
    ARRAY(Kind) kind;
    ARRAY(int) held;    // discrete variables that samples set
    ARRAY(Reset) reset; // states that they set
    ARRAY(Expr) row;
    LinearModel *l;   // continuous, with the held values as inputs and new values as outputs
    int n, d, m, all; // states, held values, inputs and their sum
} Work;

static bool refuse(Work *k, Pos pos, const char *what, const char *help) {
    Remark *x = report_error(k->r, A_NO_DISCRETE, pos, "%s", what);
    remark_help(k->r, x, "%s", help);
    return false;
}

// --- samples that set something ------------------------------------------------------------------

static bool sets_something(const Whens *w, int branch) {
    for (int i = 0; i < w->set_count; i++)
        if (w->set[i].branch == branch) return true;
    for (int i = 0; i < w->reset_count; i++)
        if (w->reset[i].branch == branch) return true;
    return false;
}

static void tell_left_out(Work *k, const When *when) {
    const Model *m = k->at->system->model;
    Remark *x = report_warning(
        k->r, A_EVENT_LEFT_OUT, when->pos,
        "'when %s' is left out of the discrete model: no sample says when it happens",
        name_text(m->names, when->text));
    remark_help(k->r, x, "the model is right between such events");
}

static bool find_samples(Work *k) {
    const System *s = k->at->system;
    const Model *m = s->model;
    bool any = false;
    k->sample = ARENA_ARRAY(&k->arena, double, 2 * k->w->sample_count + 1);
    k->used = ARENA_ARRAY(&k->arena, bool, k->w->sample_count + 1);
    machine_samples(k->at->machine, k->sample);
    for (int b = 0; b < k->w->branch_count; b++) {
        if (m->when[b].kind != WHEN_ACTS || !sets_something(k->w, b)) continue;
        bool timed = false; // by samples, or once at the start
        for (int i = 0; i < k->w->sample_count; i++) {
            if (!expr_depends(s->dag, k->w->condition[b], k->w->sample[i])) continue;
            timed = true;
            k->used[i] = k->used[i] || k->sample[2 * i] > 0;
            any = any || k->used[i];
        }
        if (!timed) tell_left_out(k, &m->when[b]);
    }
    return any || refuse(k, m->pos, "there is no discrete model: no sample sets anything",
                         "leave out 'discrete', or write 'when sample(Ts) then ... end'");
}

// The shortest time that all periods fit into whole times.
static bool find_period(Work *k) {
    double longest = 0;
    for (int i = 0; i < k->w->sample_count; i++)
        if (k->used[i]) longest = fmax(longest, k->sample[2 * i]);
    for (int c = 1; c <= MOST_PERIODS; c++) {
        bool fits = true;
        double count = 0;
        for (int i = 0; i < k->w->sample_count; i++) {
            if (!k->used[i]) continue;
            double times = c * longest / k->sample[2 * i];
            fits = fits && fabs(times - round(times)) <= SAME * times;
            count += times;
        }
        if (!fits || count > MOST_MOMENTS) continue;
        k->period = c * longest;
        return true;
    }
    int last = 0;
    for (int i = 0; i < k->w->sample_count; i++)
        if (k->used[i]) last = i;
    return refuse(
        k, k->at->system->model->sample[last].pos,
        "there is no discrete model: the periods of the samples have no multiple in common",
        "choose periods that are whole multiples of one of them, like Ts and 5*Ts");
}

// --- the moments of a period ---------------------------------------------------------------------

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double phase_of(const Work *k, int i) {
    double period = k->sample[2 * i], phase = fmod(k->sample[2 * i + 1] - k->at->time, period);
    if (phase < 0) phase += period;
    return phase > period * (1 - SAME) || phase < period * SAME ? 0 : phase;
}

static int kind_of(Work *k, const bool *due) {
    size_t size = (size_t)k->w->sample_count * sizeof *due;
    for (int i = 0; i < k->kind.count; i++)
        if (memcmp(k->kind.data[i].due, due, size) == 0) return i;
    Kind x = {ARENA_ARRAY(&k->arena, bool, k->w->sample_count + 1),
              ARENA_ARRAY(&k->arena, bool, k->w->branch_count + 1), 0};
    memcpy(x.due, due, size);
    array_push(&k->kind, x);
    return k->kind.count - 1;
}

static void find_moments(Work *k) {
    ARRAY(double) time = {0};
    int samples = k->w->sample_count;
    bool *due = ARENA_ARRAY(&k->arena, bool, samples + 1);
    for (int i = 0; i < samples; i++) {
        double phase = k->used[i] ? phase_of(k, i) : INFINITY, step = k->sample[2 * i];
        for (int n = 0; phase + n * step < k->period * (1 - SAME); n++)
            array_push(&time, phase + n * step);
    }
    if (time.count) qsort(time.data, (size_t)time.count, sizeof *time.data, by_time);
    double last = -INFINITY, near = SAME * k->period;
    for (int t = 0; t < time.count; t++) {
        if (time.data[t] - last <= near) continue;
        last = time.data[t];
        for (int i = 0; i < samples; i++) {
            double times = k->used[i] ? (last - phase_of(k, i)) / k->sample[2 * i] : 0.5;
            due[i] = fabs(times - round(times)) * k->sample[2 * i] <= near && k->used[i];
        }
        array_push(&k->moment, ((Moment){last - time.data[0], kind_of(k, due)}));
    }
    array_free(&time);
}

// --- what happens then ---------------------------------------------------------------------------

// The branches whose conditions become true with these samples, as the model is at the point.
static bool find_fired(Work *k, Kind *x) {
    const Reached *at = k->at;
    const When *when = at->system->model->when;
    double *held = machine_held(at->machine) + k->w->discrete_count;
    double *before = ARENA_ARRAY(&k->arena, double, k->w->branch_count + 1),
           *now = ARENA_ARRAY(&k->arena, double, k->w->branch_count + 1);
    bool hold = at->machine->hold;
    at->machine->hold = false;
    machine_update_switches(at->machine, at->time, at->state);
    bool good = machine_conditions(at->machine, at->time, at->state, before);
    for (int i = 0; i < k->w->sample_count; i++) held[i] = x->due[i];
    good = good && machine_conditions(at->machine, at->time, at->state, now);
    for (int i = 0; i < k->w->sample_count; i++) held[i] = 0;
    at->machine->hold = hold;
    int taken = -1;
    for (int b = 0; b < k->w->branch_count && good; b++) {
        bool rises = when[b].kind == WHEN_ACTS && now[b] != 0 && before[b] == 0;
        x->fired[b] = rises && when[b].group != taken;
        if (x->fired[b]) taken = when[b].group;
    }
    return good ||
           refuse(k, at->system->model->pos, "the conditions of samples have no value at the point",
                  "choose another point, with --at");
}

static void list_held(Work *k) {
    for (int i = 0; i < k->w->set_count; i++) {
        int target = k->w->set[i].target;
        bool set = false, known = false;
        for (int x = 0; x < k->kind.count; x++)
            set = set || k->kind.data[x].fired[k->w->set[i].branch];
        for (int j = 0; j < k->held.count; j++) known = known || k->held.data[j] == target;
        if (set && !known) array_push(&k->held, target);
    }
}

// New values, with samples and branches as numbers.
static void want_values(Work *k, int kind) {
    Dag *d = dag_grow(k->at->system->dag);
    Kind *x = &k->kind.data[kind];
    x->first = k->row.count;
    Rewrite *now = rewrite_new(d);
    for (int i = 0; i < k->w->sample_count; i++)
        rewrite_set(now, k->w->sample[i], expr_number(d, x->due[i]));
    for (int i = 0; i < k->w->branch_count; i++)
        rewrite_set(now, k->w->fired[i], expr_number(d, x->fired[i]));
    for (int i = 0; i < k->held.count; i++)
        array_push(&k->row, rewrite(now, k->w->next[k->held.data[i]]));
    for (int i = 0; i < k->w->reset_count; i++) {
        if (!x->fired[k->w->reset[i].branch]) continue;
        array_push(&k->reset, ((Reset){kind, i, k->row.count}));
        array_push(&k->row, rewrite(now, k->w->reset[i].value));
    }
    rewrite_free(now);
}

static bool find_tangent(Work *k) {
    LinearPlan wide = *k->plan;
    int m = k->plan->input_count, d = k->held.count;
    wide.discrete = false;
    wide.input_count = m + d;
    wide.input = ARENA_ARRAY(&k->arena, LinearInput, m + d + 1);
    if (m) memcpy(wide.input, k->plan->input, (size_t)m * sizeof *wide.input);
    for (int i = 0; i < d; i++)
        wide.input[m + i] = (LinearInput){.var = k->w->discrete_var[k->held.data[i]],
                                          .delta = k->w->discrete[k->held.data[i]]};
    wide.row = k->row.data;
    wide.row_count = k->row.count;
    k->l = linear_model(&wide, k->at, k->r);
    if (!k->l) return false;
    k->n = k->l->n;
    k->d = d;
    k->m = m;
    k->all = k->n + d + m;
    Pos pos = k->at->system->model->pos;
    if (k->l->B1)
        return refuse(
            k, pos,
            "there is no discrete model: the rate of an input enters, and a held input jumps",
            "take the force or the acceleration as input, not the velocity");
    if (k->reset.count && k->l->left_count)
        return refuse(k, pos,
                      "there is no discrete model: a sample sets states that constraints tie",
                      "set discrete variables, not states of the closed mechanism");
    return true;
}

// --- the product of a period ---------------------------------------------------------------------

static double *square(int n) { return memory_zeroed((size_t)n * (size_t)n + 1, sizeof(double)); }

// A row of the tangent behind its outputs, or an output, by (x, d, u): into a row of a matrix.
static void take_row(const Work *k, int output, double *row) {
    const LinearModel *l = k->l;
    for (int j = 0; j < k->n; j++) row[j] = l->C[(size_t)j * (size_t)l->p + (size_t)output];
    for (int j = 0; j < k->d; j++)
        row[k->n + j] = l->D[(size_t)(k->m + j) * (size_t)l->p + (size_t)output];
    for (int j = 0; j < k->m; j++)
        row[k->n + k->d + j] = l->D[(size_t)j * (size_t)l->p + (size_t)output];
}

// What the samples of a moment do, row by row.
static void jump(const Work *k, int kind, double *U) {
    int all = k->all, p = k->plan->output_count;
    memset(U, 0, (size_t)all * (size_t)all * sizeof *U);
    for (int i = 0; i < all; i++) U[i * all + i] = 1;
    for (int i = 0; i < k->d; i++)
        take_row(k, p + k->kind.data[kind].first + i, U + (size_t)(k->n + i) * (size_t)all);
    for (int i = 0; i < k->reset.count; i++) {
        const Reset *x = &k->reset.data[i];
        for (int j = 0; j < k->n && x->kind == kind; j++)
            if (k->l->number[j] == k->w->reset[x->reset].target)
                take_row(k, p + x->row, U + (size_t)j * (size_t)all);
    }
}

// What a time with d and u held does; false: the exponential has no finite value.
static bool flow(const Work *k, double time, double *F) {
    const LinearModel *l = k->l;
    int all = k->all;
    MatrixShape shape = {.function = MATRIX_EXPM, .n = all};
    double *M = square(all), *work = memory_zeroed(matrix_work_count(shape) + 1, sizeof *work);
    for (int i = 0; i < k->n; i++) {
        for (int j = 0; j < k->n; j++) M[i * all + j] = time * l->A[j * k->n + i];
        for (int j = 0; j < k->d; j++) M[i * all + k->n + j] = time * l->B[(k->m + j) * k->n + i];
        for (int j = 0; j < k->m; j++) M[i * all + k->n + k->d + j] = time * l->B[j * k->n + i];
    }
    bool good = matrix_compute(shape, M, F, work) == MATRIX_GOOD;
    free(M);
    free(work);
    return good;
}

// P = M P, row by row; M: rows by all
static void go_on(int rows, int all, const double *M, double *P) {
    double *next = memory_zeroed((size_t)rows * (size_t)all + 1, sizeof *next);
    dense_multiply(all, all, rows, P, M, next); // of the transposed matrices: (M P)' = P' M'
    memcpy(P, next, (size_t)rows * (size_t)all * sizeof *P);
    free(next);
}

// P: what the whole period does; Y: outputs just after its first sample. Both by (x, d, u), row by row.
static bool multiply(Work *k, double *P, double *Y) {
    int all = k->all, p = k->plan->output_count;
    double *M = square(all);
    bool good = true;
    for (int i = 0; i < all; i++) P[i * all + i] = 1;
    for (int t = 0; t < k->moment.count && good; t++) {
        const Moment *x = &k->moment.data[t];
        double next = t + 1 < k->moment.count ? k->moment.data[t + 1].time : k->period;
        jump(k, x->kind, M);
        go_on(all, all, M, P);
        if (t == 0 && p) {
            double *C = memory_zeroed((size_t)p * (size_t)all + 1, sizeof *C);
            for (int i = 0; i < p; i++) take_row(k, i, C + (size_t)i * (size_t)all);
            dense_multiply(all, all, p, P, C, Y);
            free(C);
        }
        good = flow(k, next - x->time, M);
        if (good) go_on(all, all, M, P);
    }
    free(M);
    return good ||
           refuse(k, k->at->system->model->pos,
                  "there is no discrete model: over a period deviations grow beyond all numbers",
                  "choose a shorter period");
}

// --- the model -----------------------------------------------------------------------------------

// Which entries of (x, d) carry information from one period to the next: kept[i]. A held value that is read only by
// values that do not matter is left out, too.
static void find_remembered(const Work *k, const double *P, const double *Y, bool *kept) {
    int all = k->all, states = k->n + k->d;
    for (int i = 0; i < states; i++) kept[i] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (int j = k->n; j < states; j++) {
            bool matters = false;
            for (int i = 0; i < states; i++) matters = matters || (kept[i] && P[i * all + j] != 0);
            for (int i = 0; i < k->plan->output_count; i++)
                matters = matters || Y[i * all + j] != 0;
            if (matters || !kept[j]) continue;
            kept[j] = false;
            changed = true;
        }
    }
}

// Rows and columns of a matrix that are kept, column by column.
static double *part(Work *k, const double *from, const int *row, int rows, const int *column,
                    int columns) {
    double *to = ARENA_ARRAY(&k->l->arena, double, (size_t)rows *(size_t)columns + 1);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            to[(size_t)j * (size_t)rows + (size_t)i] = from[row[i] * k->all + column[j]];
    return to;
}

// Names and values of states: those of the continuous part, then held values that are remembered.
static void name_states(Work *k, const int *state, int count, const bool *kept) {
    LinearModel *l = k->l;
    Label *label = ARENA_ARRAY(&l->arena, Label, count + 1);
    double *x = ARENA_ARRAY(&l->arena, double, count + 1);
    int *number = ARENA_ARRAY(&l->arena, int, count + 1);
    int systems = k->at->system->state_count;
    double *lift = ARENA_ARRAY(&l->arena, double, (size_t)systems *(size_t)count + 1);
    memcpy(lift, l->lift, (size_t)systems * (size_t)k->n * sizeof *lift);
    for (int i = 0; i < count; i++) {
        bool own = state[i] < k->n;
        label[i] = own ? l->state[i] : l->input[k->m + state[i] - k->n];
        x[i] = own ? l->x[i] : l->u[k->m + state[i] - k->n];
        number[i] = own ? l->number[i] : -1;
    }
    l->renewed = ARENA_ARRAY(&l->arena, Label, k->d + 1);
    for (int i = 0; i < k->d; i++)
        if (!kept[k->n + i]) l->renewed[l->renewed_count++] = l->input[k->m + i];
    l->state = label;
    l->x = x;
    l->number = number;
    l->lift = lift;
    l->rate = NULL;
}

// Whether the model itself goes on from the point, by more than rounding, at the first samples or until the next ones.
static bool point_moves(const Work *k) {
    const LinearModel *l = k->l;
    bool moves = false;
    for (int i = 0; i < k->n; i++)
        moves = moves || fabs(l->rate[i]) * k->period > 1e-9 * fmax(1, fabs(l->x[i]));
    for (int i = 0; i < k->d; i++) {
        double now = l->u[k->m + i], next = l->y[k->plan->output_count + k->kind.data[0].first + i];
        moves = moves || fabs(next - now) > 1e-9 * fmax(1, fabs(now));
    }
    return moves;
}

static void hand_over(Work *k, const double *P, const double *Y) {
    LinearModel *l = k->l;
    int p = k->plan->output_count, count = 0, states = k->n + k->d;
    bool *kept = ARENA_ARRAY(&k->arena, bool, states + 1);
    int *state = ARENA_ARRAY(&k->arena, int, states + 1);
    int *input = ARENA_ARRAY(&k->arena, int, k->m + 1);
    int *output = ARENA_ARRAY(&k->arena, int, p + 1);
    l->moves = point_moves(k);
    find_remembered(k, P, Y, kept);
    for (int i = 0; i < states; i++)
        if (kept[i]) state[count++] = i;
    for (int i = 0; i < k->m; i++) input[i] = states + i;
    for (int i = 0; i < p; i++) output[i] = i;
    name_states(k, state, count, kept);
    l->A = part(k, P, state, count, state, count);
    l->B = part(k, P, state, count, input, k->m);
    l->C = part(k, Y, output, p, state, count);
    l->D = part(k, Y, output, p, input, k->m);
    l->Bz = l->B;
    l->Dz = l->D;
    l->n = count;
    l->m = k->m;
    l->p = p;
    l->period = k->period;
}

static bool make(Work *k) {
    if (!find_samples(k) || !find_period(k)) return false;
    find_moments(k);
    for (int i = 0; i < k->kind.count; i++)
        if (!find_fired(k, &k->kind.data[i])) return false;
    list_held(k);
    for (int i = 0; i < k->kind.count; i++) want_values(k, i);
    if (!find_tangent(k)) return false;
    double *P = square(k->all),
           *Y = memory_zeroed((size_t)k->plan->output_count * (size_t)k->all + 1, sizeof *Y);
    bool good = multiply(k, P, Y);
    if (good) hand_over(k, P, Y);
    free(P);
    free(Y);
    return good;
}

LinearModel *discrete_model(const LinearPlan *plan, const Reached *at, Report *r) {
    Work k = {.plan = plan, .at = at, .w = &at->system->whens, .r = r};
    bool good = make(&k);
    array_free(&k.moment);
    array_free(&k.kind);
    array_free(&k.held);
    array_free(&k.reset);
    array_free(&k.row);
    arena_free(&k.arena);
    if (good) return k.l;
    linear_model_free(k.l);
    return NULL;
}
