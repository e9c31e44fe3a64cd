// export: a model as C that stands alone, or as an FMU.
#include "verb/verb.h"

#include "export/export.h"
#include "fmi/fmu.h"
#include "optimise/optimise.h"
#include <string.h>

static bool is_known_form(Session *s, const char *form) {
    if (strcmp(form, "c") == 0 || strcmp(form, "fmu") == 0) return true;
    Remark *m = report_error(&s->report, T_ARGUMENTS, POS_NONE, "there is no export to '%s'", form);
    remark_help(&s->report, m, "write bondyn export c FILE or bondyn export fmu FILE");
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
        json_number_of(&s->out, "inputs", e->inputs);
        return;
    }
    if (session_has(s, OPT_QUIET)) return;
    if (*e->asked)
        text_printf(&s->out, "names        begin with %s, as C has none like '%s'\n", e->prefix,
                    e->asked);
    if (e->inputs)
        text_printf(&s->out, "inputs       %d, which are set from outside, by name\n", e->inputs);
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
    static const char *const name[] = {"model.h", "model.c", "main.c", "right_side.c", "README.md"};
    const Text *text[] = {&e->header, &e->source, &e->main, &e->classic, &e->readme};
    const char *path[5];
    int count = 0;
    bool good = folder_make(folder, &s->report);
    for (int i = 0; i < 5 && good; i++) {
        if (!text[i]->length) continue; // models whose laws switch have no right side for others
        path[count] = path_join(&s->arena, folder, name[i]);
        good = file_write(path[count++], text_get(text[i]), text[i]->length, &s->report);
    }
    if (!good) return false;
    tell(s, e);
    session_tell_files(s, path, count, "");
    return true;
}

static bool export_as_c(Session *s, const Pipeline *p, const RunOptions *o,
                        const ExportOptions *x) {
    Export e;
    bool good = export_c(&e, p->system, o, x, &s->report) && write_files(s, &e);
    export_free(&e);
    return good;
}

// --- FMUs ----------------------------------------------------------------------------------------

static bool read_version(Session *s, FmuOptions *o) {
    const char *text = session_value(s, OPT_FMI_VERSION);
    if (!text || strcmp(text, "2") == 0) return true;
    o->version = 3;
    if (strcmp(text, "3") == 0) return true;
    Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "FMI %s cannot be written", text);
    remark_help(&s->report, m, "take --version 2 or --version 3");
    return false;
}

static bool read_kind(Session *s, FmuOptions *o) {
    static const char *const names[] = {"both", "me", "cs"};
    const char *text = session_value(s, OPT_KIND);
    if (!text) text = names[0];
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        *o = (FmuOptions){.exchange = i != 2, .steps = i != 1, .version = 2};
        return read_version(s, o);
    }
    Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "there is no kind '%s'", text);
    remark_help(&s->report, m, "take me (model exchange), cs (co-simulation) or both");
    return false;
}

static void tell_fmu(Session *s, const Fmu *f) {
    if (s->json) {
        json_text_of(&s->out, "identifier", f->prefix);
        json_number_of(&s->out, "parameters", f->parameters);
        json_number_of(&s->out, "inputs", f->inputs);
        json_number_of(&s->out, "outputs", f->outputs);
        json_number_of(&s->out, "states", f->states);
        json_number_of(&s->out, "event_indicators", f->indicators);
        json_number_of(&s->out, "power_ports", f->ports);
        json_number_of(&s->out, "variables", f->variables);
        json_number_of(&s->out, "step", f->step);
        return;
    }
    if (session_has(s, OPT_QUIET)) return;
    if (*f->asked)
        text_printf(&s->out, "identifier   %s, as C has no names like '%s'\n", f->prefix, f->asked);
    text_printf(&s->out,
                "variables    %d: %d parameters, %d inputs, %d outputs, %d states, %d event "
                "indicators, %d power ports\n",
                f->variables, f->parameters, f->inputs, f->outputs, f->states, f->indicators,
                f->ports);
}

// NAME_OspModelDescription.xml lies beside the file: there the platform looks for it.
static bool write_fmu(Session *s, const Fmu *f, const Model *m) {
    const char *path[2], *out = session_value(s, OPT_OUT);
    int count = 1;
    path[0] =
        out ? out : arena_printf(&s->arena, "%s.fmu", path_stem(&s->arena, session_argument(s, 1)));
    if (!folder_make(path_folder(&s->arena, path[0]), &s->report)) return false;
    if (!file_write(path[0], text_get(&f->archive), f->archive.length, &s->report)) return false;
    if (f->osp.length) {
        const char *name =
            arena_printf(&s->arena, "%s_OspModelDescription.xml", name_text(m->names, m->name));
        path[count++] = path_join(&s->arena, path_folder(&s->arena, path[0]), name);
        if (!file_write(path[1], text_get(&f->osp), f->osp.length, &s->report)) return false;
    }
    tell_fmu(s, f);
    session_tell_files(s, path, count, "");
    return true;
}

static bool export_as_fmu(Session *s, const Pipeline *p, const RunOptions *o, const FmuOptions *x) {
    Fmu f;
    bool good = fmu_export(&f, p->system, o, x, &s->report) && write_fmu(s, &f, p->system->model);
    fmu_free(&f);
    return good;
}

ExitCode verb_export(Session *s) {
    ExportOptions x = {0};
    FmuOptions kind;
    RunOptions o;
    const char *form = session_argument(s, 0);
    if (!is_known_form(s, form) || !read_real(s, &x) || !read_kind(s, &kind) || !run_options(s, &o))
        return EXIT_USAGE;
    bool fmu = strcmp(form, "fmu") == 0;
    s->open_inputs = true;
    Syntax *syntax = session_load(s, session_argument(s, 1));
    if (!syntax) return EXIT_INPUT;
    Pipeline p;
    bool good = session_build(&p, s, syntax, session_argument(s, 2), STAGE_SYSTEM, SYNTAX_FOR_ONCE);
    o.experiment = p.experiment;
    good = good && (fmu ? export_as_fmu(s, &p, &o, &kind) : export_as_c(s, &p, &o, &x));
    if (good) session_no_search(s, &p, "what is exported has");
    pipeline_free(&p);
    return good ? EXIT_GOOD : EXIT_INPUT;
}
