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

// Of a page that is watched: where the caller writes the number of the page that is there, so that
// open ones see that they are old.
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
            .number = page_number(s),
            .first_param = first_param};
        code = write_page(s, &page, page_path(s)) ? run_verdict(run) : EXIT_INPUT;
    }
    run_free(run);
    array_free(&watch);
    return code;
}

ExitCode verb_report(Session *s) { return session_experiment(s, make_page); }
