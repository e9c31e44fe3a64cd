// export: a model as C that stands alone.
#include "cli/cli.h"

#include "export/export.h"
#include <string.h>

static bool is_known_form(Session *s, const char *form) {
    if (strcmp(form, "c") == 0) return true;
    Remark *m = report_error(&s->report, T_ARGUMENTS, POS_NONE, "there is no export to '%s'", form);
    remark_help(&s->report, m, "write bondyn export c FILE [EXPERIMENT] --out FOLDER");
    return false;
}

static bool read_real(Session *s, ExportOptions *o) {
    static const char *const names[] = {"double", "float"};
    const char *text = session_value(s, OPT_REAL);
    o->single = text && strcmp(text, names[1]) == 0;
    if (!text || o->single || strcmp(text, names[0]) == 0) return true;
    Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "there is no real '%s'", text);
    remark_help(&s->report, m, "take double or float");
    return false;
}

static void tell(Session *s, const Export *e) {
    const ExportCounts *n = &e->rate;
    if (s->json) {
        json_text_of(&s->out, "prefix", e->prefix);
        json_number_of(&s->out, "bytes", (double)e->bytes);
        json_number_of(&s->out, "sums", (double)n->sums);
        json_number_of(&s->out, "products", (double)n->products);
        json_number_of(&s->out, "divisions", (double)n->divisions);
        json_number_of(&s->out, "functions", (double)n->functions);
        json_number_of(&s->out, "choices", (double)n->choices);
        json_number_of(&s->out, "blocks", (double)n->blocks);
        json_number_of(&s->out, "rates_per_step", e->rates_per_step);
        return;
    }
    if (session_has(s, OPT_QUIET)) return;
    if (*e->asked)
        text_printf(&s->out, "names        begin with %s, as C has none like '%s'\n", e->prefix,
                    e->asked);
    text_printf(&s->out,
                "memory       %zu bytes a run, none allocated\n"
                "operations   %ld sums, %ld products, %ld divisions, %ld functions, %ld choices, "
                "%ld blocks an evaluation, %d evaluation%s a step\n",
                e->bytes, n->sums, n->products, n->divisions, n->functions, n->choices, n->blocks,
                e->rates_per_step, e->rates_per_step > 1 ? "s" : "");
}

static bool write_files(Session *s, const Export *e) {
    const char *folder = session_value(s, OPT_OUT);
    if (!folder)
        folder = arena_printf(&s->arena, "%s_c", path_stem(&s->arena, session_argument(s, 1)));
    static const char *const name[] = {"model.h", "model.c", "main.c", "README.md"};
    const Text *text[] = {&e->header, &e->source, &e->main, &e->readme};
    const char *path[4];
    bool good = folder_make(folder, &s->report);
    for (int i = 0; i < 4 && good; i++) {
        path[i] = path_join(&s->arena, folder, name[i]);
        good = file_write(path[i], text_get(text[i]), text[i]->length, &s->report);
    }
    if (!good) return false;
    tell(s, e);
    session_tell_files(s, path, 4, "");
    return true;
}

ExitCode verb_export(Session *s) {
    ExportOptions x = {0};
    RunOptions o;
    if (!is_known_form(s, session_argument(s, 0)) || !read_real(s, &x) || !run_options(s, &o))
        return EXIT_USAGE;
    Syntax *syntax = session_load(s, session_argument(s, 1));
    if (!syntax) return EXIT_INPUT;
    Pipeline p;
    ExitCode code = EXIT_INPUT;
    if (session_build(&p, s, syntax, session_argument(s, 2), STAGE_SYSTEM, SYNTAX_FOR_ONCE)) {
        Export e;
        if (export_c(&e, p.system, &o, &x, &s->report) && write_files(s, &e)) code = EXIT_GOOD;
        export_free(&e);
    }
    pipeline_free(&p);
    return code;
}
