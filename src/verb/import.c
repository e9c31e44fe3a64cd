// import: files of other programs as text of the language.
#include "verb/verb.h"

#include "import/hydro.h"
#include "import/urdf.h"
#include <stdio.h>
#include <string.h>

static bool deliver(Session *s, const Text *text) {
    const char *path = session_value(s, OPT_OUT);
    if (path && !file_write(path, text_get(text), text->length, &s->report)) return false;
    if (s->json) {
        json_key(&s->out, path ? "file" : "text");
        json_quoted(&s->out, path ? path : text_get(text));
    } else if (!path) {
        text_add_n(&s->out, text_get(text), text->length);
    } else if (!session_has(s, OPT_QUIET)) {
        text_printf(&s->out, "written %s\n", path);
    }
    return true;
}

static bool import_urdf(Session *s, const char *path, Text *text) {
    size_t length;
    char *data = file_read(&s->arena, path, &length, &s->report, POS_NONE);
    if (!data) return false;
    UrdfOptions options = {
        .free = session_has(s, OPT_FREE), .rounded = session_has(s, OPT_ROUND), .meshes = true};
    uint32_t source = sources_add(s->sources, path, data, length);
    return urdf_import(text, s->sources, source, &options, &s->report);
}

// --- hydrodynamic tables -------------------------------------------------------------------------

// "rho = 1025": what WAMIT's numbers have to be multiplied with.
static bool take_setting(Session *s, const char *text, HydroOptions *o) {
    char name[16];
    double x;
    int used = 0;
    bool good =
        sscanf(text, " %15[a-z] = %lf %n", name, &x, &used) == 2 && !text[used] && x > 0 && x < 1e6;
    if (good && strcmp(name, "rho") == 0)
        o->rho = x;
    else if (good && strcmp(name, "g") == 0)
        o->g = x;
    else if (good && strcmp(name, "length") == 0)
        o->length = x;
    else if (good && strcmp(name, "modes") == 0 && x <= 200)
        o->modes = (int)x;
    else {
        Remark *m = report_error(&s->report, T_ARGUMENTS, POS_NONE,
                                 "--set \"%s\" is no setting of import hydro", text);
        remark_help(
            &s->report, m,
            "there are rho, g and length (WAMIT's ULEN), positive numbers in SI, and modes (up "
            "to 200): --set \"length = 100\"");
        return false;
    }
    return true;
}

// Finds the named file and those beside it that belong to it, by their endings.
static int find_tables(Session *s, const char *path, HydroFile *files) {
    HydroKind named = hydro_kind(path);
    bool veres = named >= HYDRO_VERES_7;
    size_t stem = strlen(path) - strlen(hydro_ending(named));
    int count = 0;
    for (HydroKind k = veres ? HYDRO_VERES_7 : HYDRO_WAMIT_1;
         k <= (veres ? HYDRO_VERES_8 : HYDRO_WAMIT_HST); k++) {
        const char *beside = arena_printf(&s->arena, "%.*s%s", (int)stem, path, hydro_ending(k));
        if (k != named && !file_exists(beside)) continue;
        size_t length;
        char *data = file_read(&s->arena, beside, &length, &s->report, POS_NONE);
        if (!data) return 0;
        files[count++] = (HydroFile){k, sources_add(s->sources, beside, data, length)};
    }
    return count;
}

static bool import_hydro(Session *s, const char *path, Text *text) {
    if (hydro_kind(path) == HYDRO_KINDS) {
        Remark *m = report_error(&s->report, T_ARGUMENTS, POS_NONE,
                                 "'%s' does not end as a table of WAMIT or VERES does", path);
        remark_help(&s->report, m, "tables are .1, .3, .hst (WAMIT) and .re7, .re8 (ShipX/VERES)");
        return false;
    }
    HydroOptions options = {
        .name = path_stem(&s->arena, path), .rho = 1025, .g = 9.81, .length = 1, .modes = 30};
    for (int k = 0; k < s->options.sets.count; k++)
        if (!take_setting(s, s->options.sets.data[k], &options)) return false;
    HydroFile files[HYDRO_KINDS];
    int count = find_tables(s, path, files);
    return count && hydro_import(text, s->sources, files, count, &options, &s->report);
}

ExitCode verb_import(Session *s) {
    const char *format = session_argument(s, 0), *path = session_argument(s, 1);
    bool hydro = strcmp(format, "hydro") == 0;
    if (!hydro && strcmp(format, "urdf") != 0) {
        Remark *m = report_error(&s->report, T_ARGUMENTS, POS_NONE, "'%s' files cannot be imported",
                                 format);
        remark_help(&s->report, m, "write bondyn import urdf FILE, or bondyn import hydro FILE");
        return EXIT_USAGE;
    }
    Text text = {0};
    bool good = hydro ? import_hydro(s, path, &text) : import_urdf(s, path, &text);
    good = good && deliver(s, &text);
    text_free(&text);
    return good ? EXIT_GOOD : EXIT_INPUT;
}
