// optimize, fit and sensitivity: the best parameters, those that fit data, and how results depend
// on parameters.
#include "verb/verb.h"

#include "base/digest.h"
#include "optimise/optimise.h"
#include "sensitivity/tornado.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

// --- searching -----------------------------------------------------------------------------------

static bool whole_number(Session *s, OptionId id, double most, double *x) {
    if (!option_number(s, id, x)) return false;
    if (*x >= 1 && *x <= most && *x == floor(*x)) return true;
    report_error(&s->report, T_BAD_VALUE, POS_NONE, "--%s takes a whole number from 1 to %.0f",
                 option_info(id)->name, most);
    return false;
}

// Everything that a search depends on.
static const char *key_of(Session *s, const RunOptions *o, double starts, double seed) {
    Text key = {0};
    char hex[DIGEST_TEXT + 1];
    for (int i = 1; i <= sources_count(s->sources); i++) {
        size_t length;
        const char *text = source_text(s->sources, (uint32_t)i, &length);
        digest(text, length, hex);
        text_add(&key, hex);
    }
    for (int i = 0; i < s->options.sets.count; i++)
        text_printf(&key, "|%s", s->options.sets.data[i]);
    for (int i = 1; session_argument(s, i); i++) text_printf(&key, "|%s", session_argument(s, i));
    code_identity(&key);
    text_printf(&key, "|%d|%d|%.17g|%.17g|%.17g|%.17g|%g|%g|%s", (int)o->solver, (int)o->engine,
                o->rtol, o->atol, o->stop, o->max_step, starts, seed,
                session_has(s, OPT_METHOD) ? session_value(s, OPT_METHOD) : "");
    digest(text_get(&key), key.length, hex);
    text_free(&key);
    return arena_copy_text(&s->arena, hex, DIGEST_TEXT);
}

Found *session_search(Session *s, const SearchCase *cases, int count, const RunOptions *o,
                      const char *file) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    double starts = 1, seed = 1, jobs = cores < 1 ? 1 : (double)cores;
    if (!whole_number(s, OPT_RUNS, 1e6, &starts) ||
        !whole_number(s, OPT_SEED, 9007199254740992.0, &seed) ||
        !whole_number(s, OPT_JOBS, 256, &jobs) ||
        !folder_make(path_folder(&s->arena, file), &s->report))
        return NULL;
    const Experiment *first = cases[0].experiment;
    progress_begin(s, name_text(cases[0].system->model->names, first->name));
    progress_show(s, 0);
    SearchPlan p = {.cases = cases,
                    .count = count,
                    .options = o,
                    .method = session_value(s, OPT_METHOD),
                    .starts = (int)starts,
                    .seed = (uint64_t)seed,
                    .workers = (int)jobs,
                    .file = file,
                    .key = key_of(s, o, starts, seed),
                    .progress = progress_show,
                    .context = s,
                    .cancel = o->cancel};
    bool fit = first->aims.fit_count > 0;
    Found *f = fit ? fit_run(&p, &s->report) : search_run(&p, &s->report);
    progress_end(s);
    return f;
}

// `bondyn run` and `report` search first; others do not.
void session_no_search(Session *s, const Pipeline *p, const char *what) {
    const Experiment *x = p->experiment;
    if (!search_wanted(x)) return;
    Remark *w = report_warning(&s->report, T_SEARCH_LEFT_OUT, x->pos,
                               "experiment '%s' searches for its parameters: %s those that the "
                               "search begins with",
                               name_text(p->model->names, x->name), what);
    remark_help(&s->report, w,
                "search with 'bondyn optimize' or 'bondyn fit', then --set the result");
}

// --- sensitivities -------------------------------------------------------------------------------

static bool write_text(Session *s, const char *folder, const char *name, Text *text,
                       TextList *written) {
    char *path = path_join(&s->arena, folder, name);
    for (char *c = path + strlen(folder) + 1; *c; c++)
        if (strchr("()[]/ *\"'", *c)) *c = '_';
    bool good = file_write(path, text_get(text), text->length, &s->report);
    if (good) array_push(written, path);
    text_clear(text);
    return good;
}

bool session_fit_pictures(Session *s, const Found *f, int system, const char *folder,
                          TextList *written) {
    Text svg = {0};
    bool good = folder_make(folder, &s->report);
    for (int i = 0; i < f->curves && good; i++) {
        if (f->curve[i].system != system || session_has(s, OPT_NO_PLOT)) continue;
        fit_svg(&svg, f, i);
        good = write_text(s, folder, arena_printf(&s->arena, "fit_%s.svg", f->curve[i].signal),
                          &svg, written);
    }
    text_free(&svg);
    return good;
}

static bool write_files(Session *s, const Sensitivities *x, const char *folder, TextList *written) {
    Text text = {0};
    bool good = folder_make(folder, &s->report);
    sensitivities_csv(&text, x);
    good = good && write_text(s, folder, "sensitivity.csv", &text, written);
    for (int i = 0; i < x->signals && good && !session_has(s, OPT_NO_PLOT); i++) {
        sensitivities_plot(&text, x, i);
        good = write_text(s, folder, arena_printf(&s->arena, "sensitivity_%s.svg", x->signal[i]),
                          &text, written);
        tornado_svg(&text, x, i);
        good =
            good && write_text(s, folder, arena_printf(&s->arena, "tornado_%s.svg", x->signal[i]),
                               &text, written);
    }
    text_free(&text);
    return good;
}

Sensitivities *session_sensitivities(Session *s, const System *system, const RunOptions *o) {
    const Aims *a = &o->experiment->aims;
    int *by = ARENA_ARRAY(&s->arena, int, a->by_count + 1);
    for (int j = 0; j < a->by_count; j++) by[j] = model_of_symbol(system->model, a->by[j]);
    return sensitivities_run(system, o, a->sensitive, a->sensitive_count, by, a->by_count,
                             &s->report);
}

bool session_sensitivity(Session *s, const System *system, const RunOptions *o, const char *folder,
                         TextList *written, Text *json) {
    Sensitivities *x = session_sensitivities(s, system, o);
    if (!x) return false;
    bool good = write_files(s, x, folder, written);
    if (s->json)
        sensitivities_json(json, x);
    else if (!session_has(s, OPT_QUIET))
        sensitivities_print(json, x);
    sensitivities_free(x);
    return good;
}
