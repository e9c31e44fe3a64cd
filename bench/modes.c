// Models whose laws switch: native code against the virtual machine, and what a visit to a mode costs.
//
//   arm     a chain of links with dry friction in some joints that sticks and slips: each mode is a
//           program of its own. Runs of a batch share modes, so the first run compiles them and the
//           last one has all of them; the time of this one stands in the table
//   visits  a mass on a rough belt: the first visit to a mode compiles it, later ones only jump in
//
// Seconds are those that this process computed; the C compiler is not in them.
#include "bench.h"
#include "run/batch.h"
#include "run/pipeline.h"

#include <string.h>

enum { RUNS = 4 };

typedef struct {
    Arena arena, syntax;
    Pipeline pipeline;
    Names *names;
    Sources *sources;
    Report report;
} Subject;

static void give_up(Subject *s, const Report *r) {
    Text t = {0};
    report_print(&t, r, s->sources);
    fprintf(stderr, "%s", text_get(&t));
    exit(1);
}

static void open_subject(Subject *s, const Text *text) {
    *s = (Subject){.names = names_new(), .sources = sources_new()};
    LangOptions options = pipeline_lang(&(LangOptions){.library = BONDYN_SOURCE "/library"});
    Syntax *syntax = lang_load_text(&s->syntax, s->names, s->sources, "modes.bond", text_get(text),
                                    text->length, &options, &s->report);
    if (s->report.errors) give_up(s, &s->report);
    PipelineOptions o = {.experiment = "Run", .lang = options, .last = STAGE_SYSTEM};
    if (!pipeline_build(&s->pipeline, syntax, &o, &s->report)) give_up(s, &s->report);
}

static void close_subject(Subject *s) {
    pipeline_free(&s->pipeline);
    arena_free(&s->syntax);
    arena_free(&s->arena);
    report_free(&s->report);
    sources_free(s->sources);
    names_free(s->names);
}

// --- runs that share modes -----------------------------------------------------------------------

typedef struct {
    Subject *subject;
    RunOptions options;
    int begun;
    double start, seconds[RUNS];
    SolveStats stats; // of the last one
} Rounds;

static bool next_round(void *context, BatchRun *run) {
    Rounds *r = context;
    if (r->begun == RUNS) return false;
    run->options = r->options;
    run->number = r->begun++;
    r->start = cpu_seconds();
    return true;
}

static void round_done(void *context, BatchRun *run) {
    Rounds *r = context;
    if (!run->run || run->run->status != SOLVE_DONE) give_up(r->subject, &run->report);
    r->seconds[run->number] = cpu_seconds() - r->start;
    r->stats = run->run->stats;
    run_free(run->run);
    report_free(&run->report);
}

static Rounds run_rounds(Subject *s, EngineKind engine) {
    Rounds r = {.subject = s, .options = {.experiment = s->pipeline.experiment, .engine = engine}};
    Run nominal = {0};
    BatchPlan plan = {.options = &r.options, .nominal = &nominal, .runs = RUNS, .lanes = 1};
    RunBatch *batch = batch_new(s->pipeline.system, &plan);
    batch_run(batch, &(RunQueue){next_round, round_done, &r, 1});
    batch_free(batch);
    return r;
}

// --- an arm with dry friction --------------------------------------------------------------------

typedef struct {
    int links, rough;
    const char *form, *solver;
} Arm;

static void write_arm(Text *out, const Arm *arm) {
    text_printf(out, "import rotation\nmechanism Arm\n  form %s\n", arm->form);
    for (int k = 1; k <= arm->links; k++) {
        text_printf(out, "  joint q%d revolute %c: %s%.0d -> b%d at (%g, 0, 0) {m}\n", k,
                    k % 2 ? 'y' : 'z', k > 1 ? "b" : "world", k - 1, k, k > 1 ? 0.3 : 0.0);
        text_printf(out,
                    "  body b%d mass 2 {kg} cg (0.15, 0, 0.01) {m} inertia (0.004, 0.02, 0.02) "
                    "{kg.m2}\n",
                    k);
    }
    text_add(out, "end\nmodel M\n  Arm a\n");
    for (int k = 1; k <= arm->links; k++) {
        if (k <= arm->rough)
            text_printf(out, "  DryFriction f%d(Ts = %g {N.m}, d = 1 {N.m.s/rad})\n", k, 8.0 / k);
        else
            text_printf(out, "  R f%d(1 {N.m.s/rad})\n", k);
        text_printf(out, "  Torque t%d(u = %g {N.m}*sin(%g {1/s}*time))\n", k, 20.0 / k,
                    3 + 0.7 * k);
        text_printf(out, "  1 w%d\n  t%d -> w%d -> a.q%d, f%d\n", k, k, k, k, k);
    }
    text_printf(out,
                "end\nexperiment Run of M\n  stop 20 {s}\n  points 100\n  solver %s rtol 1e-6\n"
                "  record a.q1.q\nend\n",
                arm->solver);
}

static void compare(const Arm *arm) {
    Text text = {0};
    Subject s;
    write_arm(&text, arm);
    open_subject(&s, &text);
    Rounds vm = run_rounds(&s, ENGINE_VM);
    Rounds native;
    for (int i = 0; i < 100; i++) { // until every mode is in the cache
        native = run_rounds(&s, ENGINE_NATIVE);
        int have, all;
        if (sscanf(native.stats.engine, "native code in %d of %d", &have, &all) == 2 && have == all)
            break;
    }
    double slow = vm.seconds[RUNS - 1], fast = native.seconds[RUNS - 1];
    printf("  %2d links %d rough  %-9s %-5s %6ld evaluations %4ld events  vm %7.1f ms  native "
           "%7.1f ms  "
           "%5.1f times  (first run %.1f ms; %s)\n",
           arm->links, arm->rough, arm->form, arm->solver, vm.stats.derivative_calls,
           vm.stats.events, 1e3 * slow, 1e3 * fast, slow / fast, 1e3 * native.seconds[0],
           native.stats.engine);
    close_subject(&s);
    text_free(&text);
}

// --- visits --------------------------------------------------------------------------------------

static double visit_seconds(int periods) {
    Text text = {0};
    Subject s;
    text_printf(&text,
                "import rotation\nmodel M\n  Torque t(u = 4 {N.m}*sin(2*pi*1 {Hz}*time))\n"
                "  Inertia J(J = 0.5 {kg.m2})\n  DryFriction f(Ts = 3 {N.m}, Tk = 1 {N.m})\n  1 w\n"
                "  t -> w -> J, f\nend\nexperiment Run of M\n  stop %d {s}\n  points 10\n"
                "  record w.f\nend\n",
                periods);
    open_subject(&s, &text);
    RunOptions o = {.experiment = s.pipeline.experiment, .engine = ENGINE_VM};
    double begin = cpu_seconds();
    Run *run = run_experiment(s.pipeline.system, &o, &s.report);
    double seconds = cpu_seconds() - begin;
    if (!run) give_up(&s, &s.report);
    run_free(run);
    close_subject(&s);
    text_free(&text);
    return seconds;
}

int main(void) {
    printf("modes: native code and visits\n");
    static const Arm ARM[] = {
        {6, 3, "lagrange", "rk78"}, {12, 1, "lagrange", "rk78"}, {20, 1, "lagrange", "rk78"},
        {6, 3, "momentum", "rk78"}, {6, 3, "lagrange", "bdf"},   {12, 1, "lagrange", "bdf"},
    };
    for (size_t i = 0; i < sizeof ARM / sizeof *ARM; i++) compare(&ARM[i]);
    double one = visit_seconds(1), many = visit_seconds(101); // four visits in a period
    printf("  a visit with the run in it: first %.3f ms, hundredth %.3f ms\n", 1e3 * one / 4,
           1e3 * (many - one) / 400);
    return 0;
}
