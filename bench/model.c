// See model.h.
#include "model.h"

#include "base/array.h"
#include "base/memory.h"
#include "chain_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void give_up(BenchModel *m) {
    Text t = {0};
    report_print(&t, &m->report, m->sources);
    fprintf(stderr, "%s", text_get(&t));
    exit(1);
}

static void build_system(BenchModel *m, const Text *text) {
    m->names = names_new();
    m->sources = sources_new();
    LangOptions options =
        pipeline_lang(&(LangOptions){.library = BONDYN_SOURCE "/library", .bonds = &m->bonds});
    Syntax *syntax = lang_load_text(&m->syntax, m->names, m->sources, "chain.bond", text_get(text),
                                    text->length, &options, &m->report);
    if (m->report.errors) give_up(m);
    PipelineOptions o = {
        .experiment = "Run", .lang = options, .last = STAGE_SYSTEM, .syntax = &m->syntax};
    if (!pipeline_build(&m->pipeline, syntax, &o, &m->report)) give_up(m);
    m->model = m->pipeline.model;
    m->system = m->pipeline.system;
}

void model_open_text(BenchModel *m, const Text *text, const char *const *output, int outputs) {
    *m = (BenchModel){0};
    build_system(m, text);
    ARRAY(Expr) found = {0};
    for (int i = 0; i < outputs; i++)
        for (int v = 0; v < m->model->var_count; v++)
            if (strcmp(name_text(m->names, m->model->var[v].path), output[i]) == 0)
                array_push(&found, m->system->value[v]);
    ProgramOptions wish = {.output = found.data, .output_count = found.count};
    m->program = program_build(m->system, &wish, &m->report);
    if (!m->program || found.count != outputs) give_up(m);
    array_free(&found);
}

void model_open(BenchModel *m, const Chain *c, const ChainState *s, bool damped) {
    Text text = {0};
    char name[CHAIN_MOST][32];
    const char *output[CHAIN_MOST];
    for (int i = 0; i < c->kind.joints; i++) {
        snprintf(name[i], sizeof name[i], "arm.j%d.q", c->kind.free_base + i);
        output[i] = name[i];
    }
    chain_text(&text, c, s, damped);
    model_open_text(m, &text, output, c->kind.joints);
    text_free(&text);
}

void model_close(BenchModel *m) {
    program_free(m->program);
    pipeline_free(&m->pipeline);
    report_free(&m->report);
    sources_free(m->sources);
    names_free(m->names);
    arena_free(&m->syntax);
    arena_free(&m->bonds);
}

static double compiler_seconds(void) {
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

Native *model_native(const BenchModel *m, const NativeOptions *o, double *seconds) {
    double before = compiler_seconds();
    Native *n = native_start(m->program, o);
    bool ready = native_wait(n) == NATIVE_READY;
    if (seconds) *seconds = compiler_seconds() - before;
    if (ready) return n;
    fprintf(stderr, "no native code: %s\n", native_words(n));
    exit(1);
}

// --- states --------------------------------------------------------------------------------------

static void set_param(const Program *p, double *param, const char *name, double value) {
    const Model *m = p->system->model;
    for (uint32_t i = 0; i < p->param_count; i++) {
        if (strcmp(name_text(m->names, m->var[p->param_var[i]].path), name) != 0) continue;
        param[i] = value;
        return;
    }
}

void model_state(Machine *machine, const Chain *c, const ChainState *s, double speed,
                 double *state) {
    const Program *p = machine->program;
    double *param = memory_zeroed(p->param_count, sizeof *param);
    int base = c->kind.free_base, joints = c->kind.joints, w = c->nv - joints;
    Text name = {0};
    memcpy(param, p->param_value, p->param_count * sizeof *param);
    for (int i = 0; i < joints; i++) {

        double value[] = {s->q[i], speed * s->w[w + i], s->effort[w + i]};
        for (int k = 0; k < 3; k++) {
            text_clear(&name);
            text_printf(&name, k < 2 ? "arm.j%d.%s" : "e%d", k < 2 ? base + i : i,
                        k == 0 ? "q0" : "f0");

            set_param(p, param, text_get(&name), value[k]);
        }
    }
    for (int i = 0; i < 6 && base; i++) {
        text_clear(&name);
        text_printf(&name, "arm.base.f0[%d]", i + 1);
        set_param(p, param, text_get(&name), speed * s->w[i]);
        text_clear(&name);
        text_printf(&name, "arm.base.position0[%d]", i + 1);
        if (i < 3) set_param(p, param, text_get(&name), s->position[i]);
    }
    machine_set_params(machine, param);
    machine_initial(machine, 0, state);
    text_free(&name);
    free(param);
}
