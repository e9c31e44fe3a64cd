// Expectations: both sides as numbers, and whether they hold.
//
//     =    |left - right| <= tolerance        relative: tolerance*|right|
//     <    left < right + tolerance           > likewise
//
// Anything that is not a number fails; only what --stop has cut off is left out, with a warning.
#include "run/job.h"

#include "base/json.h"
#include <math.h>

#define DEFAULT_RELATIVE 1e-6 // for `=` without a tolerance

static double tolerance_of(Job *j, const Expectation *e, double right) {
    if (e->tolerance) {
        double given = symbols_evaluate(&j->symbols, e->tolerance);
        return e->relative ? given * fabs(right) : given;
    }
    return e->relation == EXPECT_EQUAL ? DEFAULT_RELATIVE * fabs(right) : 0;
}

static bool holds(const Verdict *v) {
    double over = v->left - v->right;
    if (v->left == v->right && isinf(v->left)) over = 0;
    switch (v->expectation->relation) {
    case EXPECT_EQUAL: return fabs(over) <= v->tolerance;
    case EXPECT_LESS: return v->tolerance > 0 ? over <= v->tolerance : over < 0;
    case EXPECT_GREATER: return v->tolerance > 0 ? over >= -v->tolerance : over > 0;
    }
    return false;
}

static void tell_of_cut_off(Job *j, int count) {
    if (!count) return;
    Remark *m =
        report_warning(j->report, R_PROBE_TIME, j->plan.pos,
                       "%d expectation%s after the end at %g s and %s not looked at", count,
                       count == 1 ? " lies" : "s lie", j->plan.stop, count == 1 ? "is" : "are");
    remark_help(j->report, m, "leave --stop out, or choose a later time");
}

void verdicts_make(Job *j) {
    Run *run = j->run;
    int cut_off = 0;
    run->verdict = ARENA_ARRAY(&run->arena, Verdict, j->plan.expect_count);
    for (int i = 0; i < j->plan.expect_count; i++) {
        const Expectation *e = &j->plan.expects[i];
        Verdict v = {.expectation = e,
                     .left = symbols_evaluate(&j->symbols, e->left),
                     .right = symbols_evaluate(&j->symbols, e->right)};
        if (j->cut_off && (isnan(v.left) || isnan(v.right))) {
            cut_off++;
            continue;
        }
        v.tolerance = tolerance_of(j, e, v.right);
        v.pass = holds(&v);
        run->failed_count += !v.pass;
        run->verdict[run->verdict_count++] = v;
    }
    tell_of_cut_off(j, cut_off);
}

// How far it is from failing; below 0 when it fails, least of all where there is no number.
static double slack(const Verdict *v) {
    double over = v->left - v->right;
    if (isnan(over)) return v->pass ? 0 : -INFINITY;
    switch (v->expectation->relation) {
    case EXPECT_LESS: return v->tolerance - over;
    case EXPECT_GREATER: return v->tolerance + over;
    default: return v->tolerance - fabs(over);
    }
}

void verdicts_join(Run **to, Run **from, const char *of) {
    for (int i = 0; i < (*from)->verdict_count; i++) (*from)->verdict[i].of = of;
    if (!*to) {
        *to = *from;
        *from = NULL;
        return;
    }
    Run *run = *to;
    run->failed_count = 0;
    for (int i = 0; i < run->verdict_count && i < (*from)->verdict_count; i++) {
        Verdict *v = &run->verdict[i];
        const Verdict *x = &(*from)->verdict[i];
        if (v->pass == x->pass ? slack(x) < slack(v) : v->pass) *v = *x;
        run->failed_count += !v->pass;
    }
}

// --- telling ------------------------------------------------------------------------------------

static void print_failure(Text *out, const Verdict *v, Shown in) {
    double left = show(in, v->left), right = show(in, v->right);
    const char *unit = *in.unit ? in.unit : "", *space = *in.unit ? " " : "";
    if (isnan(v->left) || isnan(v->right)) {
        text_printf(out,
                    "          %s is not a number: the run ended early, or the signal is not "
                    "finite\n",
                    isnan(v->left) ? "the left side" : "the right side");
        return;
    }
    text_printf(out, "          left %.10g%s%s, right %.10g%s%s, apart %.3g", left, space, unit,
                right, space, unit, fabs(v->left - v->right) / in.scale);
    if (v->tolerance > 0 || v->expectation->relation == EXPECT_EQUAL)
        text_printf(out, ", allowed %.3g", v->tolerance / in.scale);
    text_char(out, '\n');
}

void verdicts_print(Text *out, const Run *run, const System *s) {
    for (int i = 0; i < run->verdict_count; i++) {
        const Verdict *v = &run->verdict[i];
        Shown in = shown_in(s->model, v->expectation->unit);
        text_printf(out, "  %-6s  %s", v->pass ? "holds" : "FAILS",
                    name_text(s->model->names, v->expectation->text));
        if (v->pass)
            text_printf(out, "  (%.10g%s%s%s%s)", show(in, v->left), *in.unit ? " " : "", in.unit,
                        v->of ? " at " : "", v->of ? v->of : "");
        else if (v->of)
            text_printf(out, "  at %s", v->of);
        text_char(out, '\n');
        if (!v->pass) print_failure(out, v, in);
    }
}

void verdicts_json(Text *out, const Run *run, const System *s) {
    json_open(out, '[');
    for (int i = 0; i < run->verdict_count; i++) {
        const Verdict *v = &run->verdict[i];
        json_open(out, '{');
        json_text_of(out, "text", name_text(s->model->names, v->expectation->text));
        json_number_of(out, "left", v->left);
        json_number_of(out, "right", v->right);
        json_number_of(out, "tolerance", v->tolerance);
        json_bool_of(out, "pass", v->pass);
        if (v->of) json_text_of(out, "of", v->of);
        json_close(out, '}');
    }
    json_close(out, ']');
}
