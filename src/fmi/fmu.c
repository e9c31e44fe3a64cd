// From a system to the archive, file by file.
#include "fmi/inside.h"

#include "analysis/span.h"

#include "base/array.h"
#include "base/digest.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_FILES = 16 };

typedef struct {
    ArchiveFile file[MOST_FILES];
    int count;
} Files;

static void add(Files *f, const char *name, const char *data, size_t length) {
    f->file[f->count++] = (ArchiveFile){name, data, length};
}

static void add_text(Files *f, const char *name, const Text *text) {
    add(f, name, text_get(text), text->length);
}

static void add_asset(Files *f, const char *name, const char *text) {
    add(f, name, text, strlen(text));
}

// Models that differ in any way have other GUIDs; the same model has always the same.
static void find_guid(FmuWriting *u) {
    char hex[DIGEST_TEXT + 1];
    Text all = {0};
    u->guid = "";
    text_add_n(&all, text_get(&u->e.header), u->e.header.length);
    text_add_n(&all, text_get(&u->e.source), u->e.source.length);
    fmu_description(&all, u);
    text_add(&all, asset_core_text);
    text_add(&all, asset_kinds_text);
    if (u->inner == FMU_CVODE) text_add(&all, asset_cvode_text);
    if (u->inner == FMU_RK78) text_add(&all, asset_rk78_text);
    text_add(&all, u->options->version == 3 ? asset_fmi3_text : asset_fmi2_text);
    text_add(&all, asset_tangent_text);
    digest(text_get(&all), all.length, hex);
    text_free(&all);
    u->guid = arena_printf(&u->arena, "{%.8s-%.4s-%.4s-%.4s-%.12s}", hex, hex + 8, hex + 12,
                           hex + 16, hex + 20);
}

// Of programs that last: not of the start of laws that switch, nor of jumps.
static void find_slots(FmuWriting *u) {
    const Writing *w = &u->w;
    for (int k = has_parts(w) ? 1 : 0; k < w->part_count; k++) {
        const Program *p = w->part[k].p;
        if (w->part[k].jump) continue;
        if (p->state_count > u->slots) u->slots = p->state_count;
        if (p->switch_count > u->indicators) u->indicators = p->switch_count;
    }
    if (has_selections(w)) u->indicators++; // how good the choice of states is: the last one
}

static void count_all(FmuWriting *u) {
    Fmu *f = u->f;
    snprintf(f->prefix, sizeof f->prefix, "%s", u->e.prefix);
    snprintf(f->asked, sizeof f->asked, "%s", u->e.asked);
    f->parameters = u->first[FMU_INPUT] - u->first[FMU_PARAM];
    f->inputs = u->first[FMU_STATE] - u->first[FMU_INPUT];
    f->states = u->slots;
    f->indicators = u->indicators;
    f->ports = u->port_count;
    f->variables = u->entries;
    for (int i = 0; i < u->count; i++) f->outputs += u->variable[i].output;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(((const ArchiveFile *)a)->name, ((const ArchiveFile *)b)->name);
}

// FMI 3 leaves the headers of the standard to whoever compiles; FMI 2 has them beside the sources.
static int add_sources(FmuWriting *u, Files *f, const Text *source, const Text *build) {
    bool three = u->options->version == 3;
    add_text(f, three ? "sources/fmi3.c" : "sources/fmi2.c", source);
    add_text(f, "sources/model.c", &u->e.source);
    add_text(f, "sources/model.h", &u->e.header);
    if (three) {
        add_text(f, "sources/buildDescription.xml", build);
        add_asset(f, "sources/fmi3Functions.h", asset_fmi3Functions_h);
        add_asset(f, "sources/fmi3FunctionTypes.h", asset_fmi3FunctionTypes_h);
        add_asset(f, "sources/fmi3PlatformTypes.h", asset_fmi3PlatformTypes_h);
        return f->count - 3; // these are in the archive
    }
    add_asset(f, "sources/fmi2Functions.h", asset_fmi2Functions_h);
    add_asset(f, "sources/fmi2FunctionTypes.h", asset_fmi2FunctionTypes_h);
    add_asset(f, "sources/fmi2TypesPlatform.h", asset_fmi2TypesPlatform_h);
    return f->count;
}

static void add_ports(FmuWriting *u, Files *f, Text *ports) {
    if (!u->port_count) return;
    if (u->options->version == 3) {
        fmu_terminals(ports, u);
        add_text(f, "terminalsAndIcons/terminalsAndIcons.xml", ports);
        return;
    }
    fmu_osp(ports, u);
    add_text(f, "extra/com.opensimulationplatform/OspModelDescription.xml", ports);
    text_add_n(&u->f->osp, text_get(ports), ports->length);
}

static bool write_archive(FmuWriting *u) {
    enum { SOURCE, BUILD, DESCRIPTION, PORTS, PAGE, BINARY, TEXTS };
    Text t[TEXTS] = {0};
    Files f = {0};
    bool three = u->options->version == 3;
    fmu_source(&t[SOURCE], u);
    fmu_description(&t[DESCRIPTION], u);
    fmu_page(&t[PAGE], u);
    if (three) fmu_build(&t[BUILD], u);
    int kept = add_sources(u, &f, &t[SOURCE], &t[BUILD]);
    bool good = fmu_compile(&t[BINARY], f.file, f.count, u->inner == FMU_CVODE, u->r);
    f.count =
        u->inner == FMU_CVODE ? 0 : kept; // sources that need a library are of no use to others
    const char *place = three ? "binaries/x86_64-linux" : "binaries/linux64";
    add_text(&f, arena_printf(&u->arena, "%s/%s.so", place, u->e.prefix), &t[BINARY]);
    add_text(&f, "modelDescription.xml", &t[DESCRIPTION]);
    add_text(&f, "documentation/index.html", &t[PAGE]);
    add_ports(u, &f, &t[PORTS]);
    qsort(f.file, (size_t)f.count, sizeof *f.file, compare_names);
    if (good) archive_write(&u->f->archive, f.file, f.count);
    for (int i = 0; i < TEXTS; i++) text_free(&t[i]);
    return good;
}

// Steps of its own choice would have to look for folds between them.
static bool refuse_loops(const FmuWriting *u) {
    return export_refuse(&u->w, u->r, u->w.job->plan.pos,
                         "a loop of its equations is solved by iteration and may fold, which "
                         "co-simulation passes with fixed steps alone",
                         "take --solver euler, heun or rk4, or model exchange alone, --kind me");
}

// What makes the steps of co-simulation: the fixed ones of the experiment, the pair of order 8 and 7, or CVODE.
static bool choose_solver(FmuWriting *u) {
    const Experiment *x = &u->w.job->plan;
    SolverKind k = x->solver;
    if (k == SOLVER_RK78) u->inner = FMU_RK78;
    if (k == SOLVER_RK78 && u->options->steps && has_loops(&u->w)) return refuse_loops(u);
    if (!u->options->steps || k == SOLVER_EULER || k == SOLVER_HEUN || k == SOLVER_RK4 ||
        k == SOLVER_RK78)
        return true;
    u->inner = FMU_CVODE;
    if (has_loops(&u->w)) return refuse_loops(u);
    if (k == SOLVER_AUTO || k == SOLVER_CVODE_BDF || k == SOLVER_CVODE_ADAMS) return true;
    return export_refuse(&u->w, u->r, x->pos,
                         "co-simulation cannot carry the solver of its experiment",
                         "take --solver bdf, adams, rk78, euler, heun or rk4; model exchange "
                         "alone, --kind me, can do without");
}

// Of DefaultExperiment: that of the experiment; without one a thousandth of the run, and for masters that make the steps of
// their own no more than what is stable.
static double step_of(const FmuWriting *u, const RunOptions *o) {
    const Experiment *x = &u->w.job->plan;
    double step = (x->stop - x->start) / 1000;
    if (x->step > 0) return x->step;
    double stable = u->options->steps ? 0 : stable_step(u->system, o);
    return stable > 0 && stable < step ? stable : step;
}

bool fmu_export(Fmu *f, const System *s, const RunOptions *o, const FmuOptions *x, Report *r) {
    *f = (Fmu){0};
    FmuWriting u = {.f = f, .system = s, .model = s->model, .options = x, .r = r};
    const ExportOptions c = {.unit = true, .any_solver = true};
    RunOptions run = fmu_record(&u, o);
    bool good = export_open(&u.w, &u.e, s, &run, &c, r) && choose_solver(&u);
    if (good) {
        export_write(&u.w);
        f->step = step_of(&u, o);
        find_slots(&u);
        fmu_variables(&u);
        fmu_units(&u);
        fmu_entries(&u);
        find_guid(&u);
        count_all(&u);
        good = write_archive(&u);
    }
    export_close(&u.w);
    export_free(&u.e);
    arena_free(&u.arena);
    return good;
}

void fmu_free(Fmu *f) {
    text_free(&f->archive);
    text_free(&f->osp);
}
