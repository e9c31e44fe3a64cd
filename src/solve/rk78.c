// Runge-Kutta of order 8 with an error estimate of order 7: ARKODE's ERKStep with the pair of
// Prince and Dormand (J. Comput. Appl. Math. 7, 1981). Fehlberg's older pair is not used: its error
// estimate is blind to rates that depend on time alone.
//
//   stages          13 and one more, the rates at the end of the step, which are the first stage of
//                   the next one. ARKODE 5.4 takes any last stage at c = 1 for that one, so a table
//                   whose last stage is at c = 1 but another loses its order.
//   wanted points   are ends of steps
//   quadratures     are further components of the vector
//   event           found on the step's polynomial, which is not as exact as the method: the step
//                   is taken back and ended at the time that was found
#include "solve/job.h"

#include "base/memory.h"
#include <arkode/arkode_erkstep.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sundials/sundials_context.h>

enum { METHOD_STAGES = 13, STAGES = METHOD_STAGES + 1 };

static const double nodes[METHOD_STAGES] = {0,
                                            1.0 / 18,
                                            1.0 / 12,
                                            1.0 / 8,
                                            5.0 / 16,
                                            3.0 / 8,
                                            59.0 / 400,
                                            93.0 / 200,
                                            5490023248.0 / 9719169821.0,
                                            13.0 / 20,
                                            1201146811.0 / 1299019798.0,
                                            1,
                                            1};

static const double stages[METHOD_STAGES][METHOD_STAGES] = {
    {0},
    {1.0 / 18},
    {1.0 / 48, 1.0 / 16},
    {1.0 / 32, 0, 3.0 / 32},
    {5.0 / 16, 0, -75.0 / 64, 75.0 / 64},
    {3.0 / 80, 0, 0, 3.0 / 16, 3.0 / 20},
    {29443841.0 / 614563906.0, 0, 0, 77736538.0 / 692538347.0, -28693883.0 / 1125000000.0,
     23124283.0 / 1800000000.0},
    {16016141.0 / 946692911.0, 0, 0, 61564180.0 / 158732637.0, 22789713.0 / 633445777.0,
     545815736.0 / 2771057229.0, -180193667.0 / 1043307555.0},
    {39632708.0 / 573591083.0, 0, 0, -433636366.0 / 683701615.0, -421739975.0 / 2616292301.0,
     100302831.0 / 723423059.0, 790204164.0 / 839813087.0, 800635310.0 / 3783071287.0},
    {246121993.0 / 1340847787.0, 0, 0, -37695042795.0 / 15268766246.0, -309121744.0 / 1061227803.0,
     -12992083.0 / 490766935.0, 6005943493.0 / 2108947869.0, 393006217.0 / 1396673457.0,
     123872331.0 / 1001029789.0},
    {-1028468189.0 / 846180014.0, 0, 0, 8478235783.0 / 508512852.0, 1311729495.0 / 1432422823.0,
     -10304129995.0 / 1701304382.0, -48777925059.0 / 3047939560.0, 15336726248.0 / 1032824649.0,
     -45442868181.0 / 3398467696.0, 3065993473.0 / 597172653.0},
    {185892177.0 / 718116043.0, 0, 0, -3185094517.0 / 667107341.0, -477755414.0 / 1098053517.0,
     -703635378.0 / 230739211.0, 5731566787.0 / 1027545527.0, 5232866602.0 / 850066563.0,
     -4093664535.0 / 808688257.0, 3962137247.0 / 1805957418.0, 65686358.0 / 487910083.0},
    {403863854.0 / 491063109.0, 0, 0, -5068492393.0 / 434740067.0, -411421997.0 / 543043805.0,
     652783627.0 / 914296604.0, 11173962825.0 / 925320556.0, -13158990841.0 / 6184727034.0,
     3936647629.0 / 1978049680.0, -160528059.0 / 685178525.0, 248638103.0 / 1413531060.0},
};

static const double weights[METHOD_STAGES] = {14005451.0 / 335480064.0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              -59238493.0 / 1068277825.0,
                                              181606767.0 / 758867731.0,
                                              561292985.0 / 797845732.0,
                                              -1041891430.0 / 1371343529.0,
                                              760417239.0 / 1151165299.0,
                                              118820643.0 / 751138087.0,
                                              -528747749.0 / 2220607170.0,
                                              1.0 / 4};

static const double embedded[METHOD_STAGES] = {13451932.0 / 455176623.0,
                                               0,
                                               0,
                                               0,
                                               0,
                                               -808719846.0 / 976000145.0,
                                               1757004468.0 / 5645159321.0,
                                               656045339.0 / 265891186.0,
                                               -3867574721.0 / 1518517206.0,
                                               465885868.0 / 322736535.0,
                                               53011238.0 / 667516719.0,
                                               2.0 / 45,
                                               0};

typedef struct {
    Job *j;
    SUNContext context;
    void *mem;
    N_Vector y, weight, error; // states, then quadratures
    int total;
    double t;
    int *crossed;
    double back_time;
    double *back;
    bool taken_back;
    double jump, after_jump; // of signals of time: the last time before it, the first behind it
} Rk78;

// --- what the integrator calls -------------------------------------------------------------------

static int rates(double t, N_Vector y, N_Vector dy, void *user) {
    Job *j = user;
    double *rate = N_VGetArrayPointer(dy);
    return job_rates(j, t, N_VGetArrayPointer(y), rate, j->nq ? rate + j->n : NULL) ? 0 : 1;
}

static int borders(double t, N_Vector y, double *border, void *user) {
    Job *j = user;
    return events_borders(j, t, N_VGetArrayPointer(y), border) ? 0 : 1;
}

static int error_weights(N_Vector y, N_Vector weight, void *user) {
    const Job *j = user;
    const double *x = N_VGetArrayPointer(y);
    double *w = N_VGetArrayPointer(weight);
    sizes_weights(j, x, w);
    for (int i = 0; i < j->nq; i++)
        w[j->n + i] = 1 / (j->rtol * fabs(x[j->n + i]) + sizes_quad_tolerance(j, i));
    return 0;
}

// --- opening and closing -------------------------------------------------------------------------

static ARKodeButcherTable new_table(void) {
    double c[STAGES] = {0}, a[STAGES][STAGES] = {{0}}, b[STAGES] = {0}, d[STAGES] = {0};
    memcpy(c, nodes, sizeof nodes);
    memcpy(b, weights, sizeof weights);
    memcpy(d, embedded, sizeof embedded);
    for (int i = 0; i < METHOD_STAGES; i++) memcpy(a[i], stages[i], sizeof stages[i]);
    c[METHOD_STAGES] = 1;
    memcpy(a[METHOD_STAGES], weights, sizeof weights);
    return ARKodeButcherTable_Create(STAGES, 8, 7, c, a[0], b, d);
}

static bool open_vectors(Rk78 *k) {
    Job *j = k->j;
    if (SUNContext_Create(NULL, &k->context) != 0) return false;
    k->total = j->n + j->nq;
    k->y = N_VNew_Serial(k->total, k->context);
    k->weight = N_VNew_Serial(k->total, k->context);
    k->error = N_VNew_Serial(k->total, k->context);
    k->crossed = memory_zeroed((size_t)j->p->switch_count, sizeof *k->crossed);
    k->back = memory_zeroed((size_t)k->total, sizeof *k->back);
    if (!k->y || !k->weight || !k->error) return false;
    N_VConst(0, k->y);
    double *y = N_VGetArrayPointer(k->y);
    if (j->n) memcpy(y, j->state, (size_t)j->n * sizeof *y);
    if (j->nq) memcpy(y + j->n, j->quad, (size_t)j->nq * sizeof *y);
    return true;
}

static bool open_integrator(Rk78 *k) {
    Job *j = k->j;
    sizes_start(j, k->t, N_VGetArrayPointer(k->y));
    k->mem = ERKStepCreate(rates, k->t, k->y, k->context);
    if (!k->mem || ERKStepSetErrHandlerFn(k->mem, job_ignore_words, NULL) != 0) return false;
    ARKodeButcherTable table = new_table();
    bool good = table && ERKStepSetTable(k->mem, table) == 0;
    ARKodeButcherTable_Free(table);
    good = good && ERKStepSetUserData(k->mem, j) == 0 &&
           ERKStepWFtolerances(k->mem, error_weights) == 0 &&
           ERKStepSetMaxNumSteps(k->mem, -1) == 0 &&
           ERKStepSetMaxStep(k->mem, events_longest_step(j, k->t)) == 0;
    // a cubic costs nothing; a fifth-degree polynomial costs four evaluations, and finds roots
    good = good && ERKStepSetInterpolantDegree(k->mem, j->p->switch_count > 0 ? 5 : 3) == 0;
    if (good && j->p->switch_count > 0)
        good = ERKStepRootInit(k->mem, j->p->switch_count, borders) == 0 &&
               ERKStepSetNoInactiveRootWarn(k->mem) == 0;
    return good;
}

static void close_all(Rk78 *k) {
    if (k->mem) ERKStepFree(&k->mem);
    if (k->y) N_VDestroy(k->y);
    if (k->weight) N_VDestroy(k->weight);
    if (k->error) N_VDestroy(k->error);
    free(k->crossed);
    free(k->back);
    if (k->context) SUNContext_Free(&k->context);
}

static void collect(Rk78 *k) {
    long steps = 0, attempts = 0;
    ERKStepGetNumSteps(k->mem, &steps);
    ERKStepGetNumStepAttempts(k->mem, &attempts);
    k->j->stats->steps += steps;
    k->j->stats->rejected += attempts - steps;
}

// First step 0: the integrator looks for one.
static bool restart_with(Rk78 *k, double first_step) {
    collect(k);
    sizes_start(k->j, k->t, N_VGetArrayPointer(k->y));
    k->jump = events_next_jump(k->j, k->t, &k->after_jump);
    return ERKStepSetInitStep(k->mem, first_step) == 0 &&
           ERKStepReInit(k->mem, rates, k->t, k->y) == 0;
}

static bool restart(Rk78 *k) { return restart_with(k, 0); }

// --- failure -------------------------------------------------------------------------------------

static int worst_state(Rk78 *k) {
    if (k->j->n == 0 || ERKStepGetEstLocalErrors(k->mem, k->error) != 0 ||
        ERKStepGetErrWeights(k->mem, k->weight) != 0)
        return -1;
    const double *error = N_VGetArrayPointer(k->error), *weight = N_VGetArrayPointer(k->weight);
    int worst = 0;
    for (int i = 1; i < k->j->n; i++)
        if (fabs(error[i] * weight[i]) > fabs(error[worst] * weight[worst])) worst = i;
    return worst;
}

static void fail(Rk78 *k, int flag) {
    Job *j = k->j;
    double step = 0;
    ERKStepGetLastStep(k->mem, &step);
    if (job_in_trouble(j)) {
        problem_trouble(j);
    } else if (flag == ARK_ERR_FAILURE || flag == ARK_CONV_FAILURE || flag == ARK_TOO_MUCH_ACC) {
        problem_step(j, k->t, step, worst_state(k));
    } else {
        char *words = ERKStepGetReturnFlagName(flag);
        problem_solver(j, k->t, words ? words : "unknown", flag);
        free(words);
    }
}

// --- stepping ------------------------------------------------------------------------------------

static bool emit_up_to(Rk78 *k, double t) {
    Job *j = k->j;
    const double *y = N_VGetArrayPointer(k->y);
    while (job_wants(j, t))
        if (!job_emit(j, j->wanted, y, y + j->n)) return false;
    return true;
}

static void remember(Rk78 *k) {
    k->back_time = k->t;
    memcpy(k->back, N_VGetArrayPointer(k->y), (size_t)k->total * sizeof(double));
}

static bool take_back(Rk78 *k) {
    k->t = k->back_time;
    memcpy(N_VGetArrayPointer(k->y), k->back, (size_t)k->total * sizeof(double));
    return restart(k);
}

// From the beginning of the step again, with the method's own accuracy, to the time of the root.
static bool step_to_root(Rk78 *k, double root) {
    Job *j = k->j;
    if (root <= k->back_time) return true;
    bool good = take_back(k) && ERKStepRootInit(k->mem, 0, NULL) == 0;
    good = good && ERKStepSetStopTime(k->mem, root) == 0;
    while (good && k->t < root) {
        int flag = ERKStepEvolve(k->mem, root, k->y, &k->t, ARK_ONE_STEP);
        if (flag < 0) {
            fail(k, flag);
            return false;
        }
        if (!job_poll(j, k->t)) return false;
    }
    good = good && ERKStepRootInit(k->mem, j->p->switch_count, borders) == 0;
    if (!good) problem_solver(j, root, "no step to an event", 0);
    return good;
}

static bool change_switches(Rk78 *k) {
    double *y = N_VGetArrayPointer(k->y);
    if (!events_cross(k->j, k->t, y, k->crossed) || !history_break(k->j, k->t, y)) return false;
    if (restart(k)) return true;
    problem_solver(k->j, k->t, "no new start after an event", 0);
    return false;
}

static bool began_on_border(Rk78 *k) {
    Job *j = k->j;
    if (!events_borders(j, k->back_time, k->back, j->border)) return false;
    for (int i = 0; i < j->p->switch_count; i++)
        if (k->crossed[i] && j->border[i] == 0) return true;
    return false;
}

// Other states, if those that are chosen have become bad: then a new start.
static bool choose_states(Rk78 *k) {
    bool changed;
    if (k->t >= k->j->o->stop) return true;
    if (!job_choose(k->j, k->t, N_VGetArrayPointer(k->y), &changed)) return false;
    if (!changed || restart(k)) return true;
    problem_solver(k->j, k->t, "no new start with other states", 0);
    return false;
}

static bool after_step(Rk78 *k, int flag) {
    Job *j = k->j;
    bool event = flag == ARK_ROOT_RETURN;
    if (event) {
        ERKStepGetRootInfo(k->mem, k->crossed);
        if (!step_to_root(k, k->t)) return false;
    } else if (j->p->switch_count > 0) {
        event = events_missed(j, k->t, N_VGetArrayPointer(k->y), k->crossed);
        if (event && !k->taken_back && began_on_border(k)) {
            k->taken_back = true;
            return take_back(k) && change_switches(k);
        }
    }
    k->taken_back = false;
    if (!history_add(j, k->t, N_VGetArrayPointer(k->y))) return false;
    if (!emit_up_to(k, events_before(j, k->t, k->jump))) return false;
    if (event && k->t < j->o->stop && !change_switches(k)) return false;
    return choose_states(k);
}

// Over a jump of a signal of time: the states stay, the integrator starts anew behind it.
static bool step_over_jump(Rk78 *k) {
    while (k->t >= k->jump) {
        k->t = k->after_jump;
        double *y = N_VGetArrayPointer(k->y);
        if (!events_jump(k->j, k->t, y) || !history_break(k->j, k->t, y)) return false;
        if (!emit_up_to(k, k->t + events_margin(k->j, k->t))) return false;
        double step = 0; // a table of thousands of points has as many kinks: no time to look around
        ERKStepGetCurrentStep(k->mem, &step);
        if (!restart_with(k, step)) {
            problem_solver(k->j, k->t, "no new start after a jump", 0);
            return false;
        }
        if (!job_poll(k->j, k->t)) return false;
    }
    return true;
}

static void integrate(Rk78 *k) {
    Job *j = k->j;
    if (!events_start(j, k->t, N_VGetArrayPointer(k->y))) return;
    if (!restart(k)) {
        problem_solver(j, k->t, "no start after an event", 0);
        return;
    }
    if (!emit_up_to(k, k->t) || !step_over_jump(k)) return;
    while (k->t < j->o->stop) {
        double target = job_next_time(j);
        if (target > k->jump - events_margin(j, k->jump)) target = k->jump;
        remember(k);
        ERKStepSetStopTime(k->mem, target);
        if (has_whens(j) || has_modes(j) || j->history)
            ERKStepSetMaxStep(k->mem, events_longest_step(j, k->t));
        int flag = ERKStepEvolve(k->mem, target, k->y, &k->t, ARK_ONE_STEP);
        if (flag < 0 || job_is_stuck(j, k->t)) {
            fail(k, flag < 0 ? flag : ARK_CONV_FAILURE);
            return;
        }
        ERKStepGetLastStep(k->mem, &j->stats->last_step);
        const double *y = N_VGetArrayPointer(k->y);
        sizes_step(j, k->t, y, y + j->n, j->stats->last_step);
        if (!after_step(k, flag) || !step_over_jump(k) || !job_poll(j, k->t)) return;
    }
    emit_up_to(k, INFINITY); // wanted times may lie behind the end by rounding
}

static void leave_point(Rk78 *k) {
    Job *j = k->j;
    const double *y = N_VGetArrayPointer(k->y);
    if (j->n) memcpy(j->state, y, (size_t)j->n * sizeof *y);
    if (j->nq) memcpy(j->quad, y + j->n, (size_t)j->nq * sizeof *y);
}

void rk78_run(Job *j) {
    Rk78 k = {.j = j, .t = j->time};
    if (open_vectors(&k) && open_integrator(&k)) {
        integrate(&k);
        if (j->status == SOLVE_SWITCH) leave_point(&k);
        collect(&k);
    } else {
        problem_solver(j, k.t, "it could not be set up", 0);
    }
    close_all(&k);
}
