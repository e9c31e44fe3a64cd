// report: a run as one page for the browser.
#include "page/report.h"
#include "cli/cli.h"

static char *page_path(Session *s) {
    const char *out = session_value(s, OPT_OUT);
    if (out) return arena_printf(&s->arena, "%s", out);
    return arena_printf(&s->arena, "%s.html", path_stem(&s->arena, session_argument(s, 0)));
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

static ExitCode make_page(Session *s, const Pipeline *p, RunOptions *o) {
    Watch watch = {0};
    int first_param;
    Scene scene = report_plan(&s->arena, p->model, &watch, &first_param);
    Meshes meshes = meshes_load(&s->arena, p->model, s->sources, &s->report);
    o->watch = watch.data;
    o->watch_count = watch.count;
    o->most_rows = 20000; // more than the page shows
    Run *run = run_with_progress(s, p, o);
    ExitCode code = EXIT_INPUT;
    size_t length;
    if (run) {
        ReportPage page = {
            .system = p->system,
            .run = run,
            .scene = &scene,
            .meshes = &meshes,
            .source = file_read(&s->arena, session_argument(s, 0), &length, &s->report, POS_NONE),
            .first_param = first_param};
        code = write_page(s, &page, page_path(s)) ? run_verdict(run) : EXIT_INPUT;
    }
    run_free(run);
    array_free(&watch);
    return code;
}

ExitCode verb_report(Session *s) {
    RunOptions o;
    if (!run_options(s, &o)) return EXIT_USAGE;
    Syntax *syntax = session_load(s, session_argument(s, 0));
    if (!syntax) return EXIT_INPUT;
    Pipeline p;
    ExitCode code = EXIT_INPUT;
    if (session_build(&p, s, syntax, session_argument(s, 1), STAGE_SYSTEM, SYNTAX_STAYS))
        code = make_page(s, &p, &o);
    pipeline_free(&p);
    return code;
}
