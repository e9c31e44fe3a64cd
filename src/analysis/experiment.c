// An experiment that analyses, step by step: the point, the tangent, what stands on it, and the facts that
// expectations ask for.
#include "analysis/experiment.h"

#include "analysis/facts.h"
#include "base/json.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

// --- opening -------------------------------------------------------------------------------------

bool analysis_open(Model *m, const Experiment *x, Arena *out, LinearPlan *plan, Report *r) {
    const AnalysisPlan *a = &x->analysis;
    LinearOptions options = {.input = a->input,
                             .input_count = a->input_count,
                             .output = a->output,
                             .output_count = a->output_count,
                             .free = a->free,
                             .free_count = a->free_count,
                             .given = a->given,
                             .given_count = a->given_count,
                             .moving = a->moving,
                             .moving_count = a->moving_count,
                             .discrete = a->discrete};
    if (!linear_open(m, out, &options, plan, r)) return false;
    plan->look = ARENA_ARRAY(out, Expr, x->probe_count + 1);
    for (int i = 0; i < x->probe_count; i++)
        if (x->probes[i].kind == PROBE_POINT)
            plan->look[plan->look_count++] = x->probes[i].signal.what;
    return true;
}

// --- what stands on the tangent ------------------------------------------------------------------

static bool has_channels(const LinearModel *l, AnalysisKind kind, Report *r) {
    if (l->m && l->p) return true;
    Remark *m = report_error(r, A_NO_CHANNEL, l->model->pos,
                             "'%s' goes from an input to an output: there is no %s",
                             analysis_name(kind), l->m ? "output" : "input");
    remark_help(r, m,
                l->m ? "name variables: outputs arm.q" : "name inputs or parameters: inputs u");
    return false;
}

static bool responses(Findings *f, Report *r) {
    const LinearModel *l = f->l;
    const AnalysisPlan *a = f->plan;
    double turn = 2 * acos(-1),
           *asked = memory_zeroed((size_t)a->frequency_count + 1, sizeof *asked);
    if (!has_channels(l, a->kind, r)) {
        free(asked);
        return false;
    }
    f->channel = memory_zeroed((size_t)l->m * (size_t)l->p, sizeof *f->channel);
    for (int i = 0; i < a->frequency_count; i++) asked[i] = turn * a->frequency[i];
    double ends[] = {turn * a->from, turn * a->to};
    bool good = below_nyquist(l, asked, a->frequency_count, l->model->pos, r) &&
                below_nyquist(l, ends, 2, l->model->pos, r);
    for (int i = 0; i < l->p && good; i++)
        for (int j = 0; j < l->m; j++)
            f->channel[f->channels++] = channel_response(l, j, i, turn * a->from, turn * a->to,
                                                         FACTS_GRID, asked, a->frequency_count);
    free(asked);
    return good;
}

static bool answers(Findings *f, Report *r) {
    const LinearModel *l = f->l;
    bool impulse = f->plan->kind == ANALYSIS_IMPULSE, good = has_channels(l, f->plan->kind, r);
    for (int j = 0; good && j < l->m; j++) good = time_response_exists(l, j, impulse, r);
    if (!good) return false;
    f->answer = memory_zeroed((size_t)l->m * (size_t)l->p, sizeof *f->answer);
    for (int i = 0; i < l->p; i++)
        for (int j = 0; j < l->m; j++)
            f->answer[f->channels++] = time_response(l, j, i, impulse, f->plan->to);
    return true;
}

static bool look_at(Findings *f, Report *r) {
    switch (f->plan->kind) {
    case ANALYSIS_POLES: return (f->poles = poles_of(f->l, r)) != NULL;
    case ANALYSIS_BODE:
    case ANALYSIS_NYQUIST: return responses(f, r);
    case ANALYSIS_STEP:
    case ANALYSIS_IMPULSE: return answers(f, r);
    case ANALYSIS_REDUCE:
        return has_channels(f->l, f->plan->kind, r) &&
               reduce_model(f->l, f->plan->order, &f->reduced, r);
    default: return true;
    }
}

// --- verdicts ------------------------------------------------------------------------------------

static void set_facts(Job *j, const LinearPlan *plan, const Findings *f) {
    int looked = 0;
    for (int i = 0; i < plan->free_count && f->point; i++)
        if (!plan->free[i].rate) symbols_set(&j->symbols, plan->free[i].delta, f->point->value[i]);
    for (int i = 0; i < j->plan.probe_count; i++) {
        const Probe *p = &j->plan.probes[i];
        double value = NAN;
        if (p->kind == PROBE_POINT) value = f->l->look[looked++];
        if (p->kind == PROBE_FACT) value = fact_of(f, p, j->report);
        symbols_set(&j->symbols, p->symbol, value);
    }
}

static bool judge(const System *s, const LinearPlan *plan, const RunOptions *o, Findings *f,
                  Report *r) {
    Job j;
    job_open(&j, s, o, r);
    j.run->audit = (Audit){.off = true, .pass = true, .worst = -1, .worst_junction = -1};
    int errors = r->errors;
    bool good = job_prepare(&j);
    if (good && (j.plan.probe_count || j.plan.expect_count)) {
        set_facts(&j, plan, f);
        good = r->errors == errors;
        verdicts_make(&j);
    }
    f->run = job_close(&j, good);
    return good;
}

// --- all of it -----------------------------------------------------------------------------------

static bool find_model(const System *s, const LinearPlan *plan, const RunOptions *o, Findings *f,
                       Report *r) {
    const AnalysisPlan *a = &o->experiment->analysis;
    *f = (Findings){.plan = a};
    bool good = linear_reach(&f->at, s, o, !a->has_time, a->time, r);
    if (good && a->steady) {
        f->point = steady_find(plan, &f->at, r);
        good = f->point != NULL;
    }
    if (good) f->l = linear_model(plan, &f->at, r);
    return good && f->l;
}

bool analysis_at_value(const System *s, const LinearPlan *plan, const RunOptions *o, Findings *f,
                       Report *r) {
    return find_model(s, plan, o, f, r) && look_at(f, r) && judge(s, plan, o, f, r);
}

bool analysis_perform(const System *s, const LinearPlan *plan, const RunOptions *o, Beside *beside,
                      Findings *f, Report *r) {
    if (o->experiment->analysis.vary.count) return analysis_over(s, plan, o, f, r);
    bool good = find_model(s, plan, o, f, r);
    f->beside = beside;
    return good && (!beside || beside_compare(f->l, beside, r)) && look_at(f, r) &&
           judge(s, plan, o, f, r);
}

bool analysis_numbers(const System *s, const LinearPlan *plan, const RunOptions *o, const Expr *e,
                      int count, double *value, Report *r) {
    Findings f;
    Job j;
    int errors = r->errors;
    bool good = find_model(s, plan, o, &f, r);
    job_open(&j, s, o, r);
    good = good && job_prepare(&j);
    if (good) set_facts(&j, plan, &f);
    for (int i = 0; i < count && good; i++) value[i] = symbols_evaluate(&j.symbols, e[i]);
    run_free(job_close(&j, true));
    findings_free(&f);
    return good && r->errors == errors;
}

void findings_free(Findings *f) {
    for (int i = 0; i < f->channels && f->channel; i++) channel_response_free(&f->channel[i]);
    for (int i = 0; i < f->channels && f->answer; i++) time_response_free(&f->answer[i]);
    free(f->channel);
    free(f->answer);
    reduced_free(&f->reduced);
    poles_free(f->poles);
    linear_model_free(f->l);
    steady_free(f->point);
    run_free(f->run);
    reached_free(&f->at);
    arena_free(&f->arena);
    *f = (Findings){0};
}

// --- telling -------------------------------------------------------------------------------------

void findings_print(Text *out, const Findings *f) {
    if (f->plan->kind == ANALYSIS_STEADY) steady_print(out, f->point);
    if (f->plan->kind == ANALYSIS_LINEARIZE) linear_print(out, f->l);
    if (f->poles) poles_print(out, f->poles);
    if (f->locus.count) locus_print(out, &f->locus);
    for (int i = 0; i < f->channels && f->channel; i++) response_print(out, f->l, &f->channel[i]);
    for (int i = 0; i < f->channels && f->answer; i++)
        time_response_print(out, f->l, &f->answer[i]);
    if (f->reduced.order) reduced_print(out, f->l, &f->reduced);
    if (f->beside)
        text_printf(out, "the nonlinear response is at most %.4g dB and %.4g degrees away\n",
                    f->beside->off_decibel, f->beside->off_phase);
}

void findings_json(Text *out, const Findings *f) {
    Text part = {0};
    json_text_of(out, "kind", analysis_name(f->plan->kind));
    if (f->point) steady_json(&part, f->point);
    if (f->point) json_key(out, "steady"), json_raw(out, text_get(&part));
    text_clear(&part);
    const char *key = "linear";
    if (f->plan->kind == ANALYSIS_LINEARIZE) linear_json(&part, f->l);
    if (f->poles) poles_json(&part, f->poles), key = "poles";
    if (f->locus.count) locus_json(&part, &f->locus), key = "locus";
    if (f->channel) response_json(&part, f->l, f->channel, f->channels), key = "channels";
    if (f->answer) time_response_json(&part, f->l, f->answer, f->channels), key = "answers";
    if (f->reduced.order) {
        json_open(&part, '{');
        reduced_json(&part, f->l, &f->reduced);
        json_close(&part, '}');
        key = "reduced";
    }
    if (part.length) json_key(out, key), json_raw(out, text_get(&part));
    text_free(&part);
    if (!f->beside) return;
    json_number_of(out, "beside_decibel", f->beside->off_decibel);
    json_number_of(out, "beside_degrees", f->beside->off_phase);
}

static const char *table_of(const Findings *f, Text *t) {
    switch (f->plan->kind) {
    case ANALYSIS_STEADY: steady_csv(t, f->point); return "steady.csv";
    case ANALYSIS_LINEARIZE: linear_csv(t, f->l); return "linear.csv";
    case ANALYSIS_POLES:
        if (f->locus.count) {
            locus_csv(t, &f->locus);
            return "locus.csv";
        }
        poles_csv(t, f->poles);
        return "poles.csv";
    case ANALYSIS_BODE:
    case ANALYSIS_NYQUIST: response_csv(t, f->l, f->channel, f->channels); return "response.csv";
    case ANALYSIS_STEP:
    case ANALYSIS_IMPULSE: time_response_csv(t, f->l, f->answer, f->channels); return "answer.csv";
    case ANALYSIS_REDUCE: reduced_csv(t, &f->reduced); return "reduced.csv";
    default: return NULL;
    }
}

static const char *picture_of(const Findings *f, Text *t) {
    switch (f->plan->kind) {
    case ANALYSIS_POLES:
        if (f->locus.count) {
            locus_svg(t, &f->locus);
            return "locus.svg";
        }
        poles_svg(t, f->poles);
        return "poles.svg";
    case ANALYSIS_BODE:
        response_svg(t, f->l, f->channel, f->channels, PICTURE_BODE, f->beside);
        return "bode.svg";
    case ANALYSIS_NYQUIST:
        response_svg(t, f->l, f->channel, f->channels, PICTURE_NYQUIST, NULL);
        return "nyquist.svg";
    case ANALYSIS_STEP: time_response_svg(t, f->l, f->answer, f->channels); return "step.svg";
    case ANALYSIS_IMPULSE: time_response_svg(t, f->l, f->answer, f->channels); return "impulse.svg";
    case ANALYSIS_REDUCE: reduced_svg(t, f->l, &f->reduced); return "reduced.svg";
    default: return NULL;
    }
}

const char *findings_file(const Findings *f, FindingsFile which, Text *text) {
    return which == FINDINGS_TABLE ? table_of(f, text) : picture_of(f, text);
}
