// report: a run as one page for the browser.
#include "page/report.h"
#include "verb/verb.h"

#include <string.h>

static char *page_path(Session *s) {
    const char *out = session_value(s, OPT_OUT);
    if (out) return arena_printf(&s->arena, "%s", out);
    return arena_printf(&s->arena, "%s.html", path_stem(&s->arena, session_argument(s, 0)));
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// The file beside a watched page that holds the number of its latest version, so that open pages
// notice that they are old. NULL: the page is not watched.
static const char *page_number(Session *s) {
    if (strcmp(s->verb->name, "watch") != 0) return NULL;
    return arena_printf(&s->arena, "%s.js", last_part(page_path(s)));
}

static bool write_page(Session *s, const ReportPage *page, const char *path) {
    Text html = {0};
    report_html(&html, page);
    bool good = file_write(path, text_get(&html), html.length, &s->report);
    text_free(&html);
    if (!good) return false;
    session_tell_files(s, &path, 1, ": open it in a browser");
    return true;
}

static const char *model_text(Session *s) {
    size_t length;
    return file_read(&s->arena, session_argument(s, 0), &length, &s->report, POS_NONE);
}

// The parameters that the experiment searches for, and derivatives: with those the page's run is made. False: reported.
static bool look_first(Session *s, const Pipeline *p, RunOptions *o, Found **found,
                       Sensitivities **by) {
    const SearchCase one = {p->system, p->experiment, NULL};
    if (search_wanted(p->experiment)) {
        *found = session_search(s, &one, 1, o, arena_printf(&s->arena, "%s.search", page_path(s)));
        if (!*found) return false;
        found_options(*found, 0, &s->arena, o);
    }
    if (sensitivity_wanted(p->experiment)) *by = session_sensitivities(s, p->system, o);
    return !sensitivity_wanted(p->experiment) || *by;
}

static ExitCode make_page(Session *s, const Pipeline *p, RunOptions *o) {
    ReportPlan plan = report_plan(&s->arena, p->model);
    Meshes meshes = meshes_load(&s->arena, p->model, s->sources, &s->report);
    Found *found = NULL;
    Sensitivities *by = NULL;
    bool ready = look_first(s, p, o, &found, &by);
    report_options(&plan, o);
    Run *run = ready ? run_with_progress(s, p, o) : NULL;
    ExitCode code = EXIT_INPUT;
    if (run) {
        progress_begin(s, "power");
        PagePower power = page_power(&s->arena, p->system, o, run);
        progress_end(s);
        ReportPage page = {.system = p->system,
                           .experiment = p->experiment,
                           .run = run,
                           .plan = &plan,
                           .power = &power,
                           .found = found,
                           .sensitivities = by,
                           .meshes = &meshes,
                           .source = model_text(s),
                           .number = page_number(s)};
        code = write_page(s, &page, page_path(s)) ? run_verdict(run) : EXIT_INPUT;
        page_power_free(&power);
    }
    if (found && found->interrupted) code = exit_worse(code, EXIT_INTERRUPTED);
    run_free(run);
    found_free(found);
    sensitivities_free(by);
    report_plan_free(&plan);
    return code;
}

// Of an experiment that analyses.
static ExitCode make_findings(Session *s, Pipeline *p, RunOptions *o) {
    LinearPlan plan;
    Beside beside = {0};
    Findings f = {0};
    ExitCode code = EXIT_INPUT;
    Found *found = NULL;
    const char *file = arena_printf(&s->arena, "%s.search", page_path(s));
    if (find_all(s, p, o, &plan, &beside, &f, file, &found)) {
        Meshes meshes = meshes_load(&s->arena, p->model, s->sources, &s->report);
        PageModes modes = {0};
        if (f.poles) modes = page_modes(p->model, &plan, &f);
        ReportPage page = {.system = p->system,
                           .experiment = p->experiment,
                           .run = f.run,
                           .findings = &f,
                           .found = found,
                           .modes = f.poles ? &modes : NULL,
                           .meshes = &meshes,
                           .source = model_text(s),
                           .number = page_number(s)};
        code = write_page(s, &page, page_path(s)) ? run_verdict(f.run) : EXIT_INPUT;
        page_modes_free(&modes);
    }
    if (found && found->interrupted) code = exit_worse(code, EXIT_INTERRUPTED);
    findings_free(&f);
    found_free(found);
    return code;
}

ExitCode verb_report(Session *s) {
    RunOptions o;
    if (!run_options(s, &o)) return EXIT_USAGE;
    Syntax *syntax = session_load(s, session_argument(s, 0));
    if (!syntax) return EXIT_INPUT;
    Pipeline p;
    ExitCode code = EXIT_INPUT;
    if (session_build(&p, s, syntax, session_argument(s, 1), STAGE_MODEL, SYNTAX_STAYS)) {
        bool run = !is_analysis(&p) || p.experiment->analysis.kind == ANALYSIS_POWER;
        if (!run)
            code = make_findings(s, &p, &o);
        else if (session_finish(s, &p, &o))
            code = make_page(s, &p, &o);
    }
    pipeline_free(&p);
    return code;
}
