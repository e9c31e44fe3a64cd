// See analysis.h.
#include "service/analysis.h"

#include "analysis/asked.h"
#include "base/files.h"
#include <string.h>

// Open documents stand in the place of their files.
static char *read_open(void *context, const char *path, size_t *length) {
    const Store *s = context;
    const Document *d = store_find(s, path);
    if (!d) return NULL;
    char *copy = malloc(d->text.length + 1);
    if (!copy) abort();
    memcpy(copy, text_get(&d->text), d->text.length + 1);
    *length = d->text.length;
    return copy;
}

// Can the model run by itself? One with ports or without values is a part of others.
static bool is_whole(const AstClass *c) {
    bool kind = c->kind == CLASS_MODEL || c->kind == CLASS_ELEMENT || c->kind == CLASS_MECHANISM;
    for (const AstItem *i = c->items; i && kind; i = i->next)
        if (i->kind == ITEM_PORT || ((i->kind == ITEM_PARAM || i->kind == ITEM_INPUT) && !i->left))
            return false;
    return kind;
}

// Every experiment of the file; without any, its last model that can run by itself.
static void list_units(Analysis *a) {
    const char *last = NULL;
    const AstFile *file = analysis_file(a);
    for (const AstClass *c = file ? file->classes : NULL; c; c = c->next) {
        const char *name = name_text(a->names, c->name);
        if (is_whole(c)) last = name;
        if (c->kind == CLASS_EXPERIMENT) array_push(&a->unit, ((ModelToBuild){.experiment = name}));
    }
    if (!a->unit.count && last) array_push(&a->unit, ((ModelToBuild){.model = last}));
}

Analysis *analysis_new(const Store *s, const char *path, const Document *d) {
    Analysis *a = calloc(1, sizeof *a);
    if (!a) abort();
    a->document = d;
    a->names = names_new();
    a->sources = sources_new();
    a->options = pipeline_lang(&(LangOptions){.library = s->library,
                                              .read = read_open,
                                              .read_context = (void *)s,
                                              .over_files = true,
                                              .most_scalars = s->most_scalars,
                                              .linear = linear_asked});
    Report r = {0};
    a->syntax = lang_load(&a->arena, a->names, a->sources, path, &a->options, &r);
    if (!r.errors) list_units(a);
    array_push(&a->reports, r);
    return a;
}

void analysis_free(Analysis *a) {
    if (!a) return;
    if (a->built) pipeline_free(&a->pipeline);
    for (int i = 0; i < a->reports.count; i++) report_free(&a->reports.data[i]);
    array_free(&a->reports);
    array_free(&a->unit);
    arena_free(&a->arena);
    sources_free(a->sources);
    names_free(a->names);
    free(a);
}

const AstFile *analysis_file(const Analysis *a) { return a->syntax->files; }

bool analysis_reads(const Analysis *a, const char *path) {
    bool reads = false;
    for (int i = 1; i <= sources_count(a->sources) && !reads; i++) {
        char *real = real_path(source_name(a->sources, (uint32_t)i));
        reads = strcmp(real, path) == 0;
        free(real);
    }
    return reads;
}

static void build(Analysis *a, Pipeline *p, int unit, Stage last) {
    Report r = {0};
    PipelineOptions o = {.model = a->unit.data[unit].model,
                         .experiment = a->unit.data[unit].experiment,
                         .lang = a->options,
                         .last = last};
    pipeline_build(p, a->syntax, &o, &r);
    array_push(&a->reports, r);
}

const Pipeline *analysis_pipeline(Analysis *a) {
    if (!a->built && a->unit.count) {
        build(a, &a->pipeline, 0, STAGE_GRAPH);
        a->built = true;
    }
    return &a->pipeline;
}

// Step 0 is the first unit up to causality; step n > 0 is unit n - 1 up to its equations.
bool analysis_step(Analysis *a) {
    if (a->steps > a->unit.count || !a->unit.count) return false;
    if (a->steps == 0) {
        analysis_pipeline(a);
    } else {
        Pipeline p;
        build(a, &p, a->steps - 1, STAGE_SYSTEM);
        pipeline_free(&p);
    }
    a->steps++;
    return true;
}

Analysis *document_analysis(Document *d) {
    if (!d->analysis) d->analysis = analysis_new(d->store, d->path, d);
    return d->analysis;
}

static bool is_known(const Remark *const *said, int count, const Remark *m) {
    for (int i = 0; i < count; i++)
        if (said[i]->code == m->code && said[i]->pos.file == m->pos.file &&
            said[i]->pos.at == m->pos.at && (m->pos.file || !strcmp(said[i]->message, m->message)))
            return true;
    return false;
}

void analysis_remarks(const Analysis *a, TakeRemark take, void *context) {
    ARRAY(const Remark *) said = {0};
    bool more = true;
    for (int i = 0; i < a->reports.count && more; i++)
        for (const Remark *m = a->reports.data[i].first; m && more; m = m->next) {
            if (is_known(said.data, said.count, m)) continue;
            array_push(&said, m);
            more = take(context, m);
        }
    array_free(&said);
}
