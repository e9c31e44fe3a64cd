// ModelStructure: which outputs and rates depend on which states and inputs, and what the start depends on. A column
// of all dependences is found by one walk along the tapes, from one register on.
#include "fmi/inside.h"

#include "base/memory.h"
#include <stdlib.h>

typedef struct {
    const FmuWriting *u;
    int *known, known_count;     // variables by which others are listed
    int *unknown, unknown_count; // variables that are listed
    unsigned char *kind;         // per unknown and known
} Structure;

static uint32_t register_of(const FmuWriting *u, const FmuVariable *v) {
    const Program *p = u->w.p;
    switch (v->kind) {
    case FMU_PARAM: return p->first_param + (uint32_t)v->place;
    case FMU_INPUT: return p->first_held + (uint32_t)u->w.input[v->place];
    default: return p->first_state + (uint32_t)v->place;
    }
}

// After a walk: how far does it reach to this variable?
static FlowKind kind_of(const Flow *f, const FmuWriting *u, const FmuVariable *v) {
    const Program *p = u->w.p;
    switch (v->kind) {
    case FMU_STATE: return flow_at(f, p->first_state + (uint32_t)v->place);
    case FMU_RATE: return flow_at(f, p->derivative.result[v->place]);
    default: return flow_at(f, u->w.output[v->place]);
    }
}

static void fill(Structure *s, bool start) {
    const FmuWriting *u = s->u;
    const Program *p = u->w.p;
    Flow *f = flow_new(p);
    s->kind = memory_zeroed((size_t)s->unknown_count * (size_t)s->known_count + 1, 1);
    for (int k = 0; k < s->known_count; k++) {
        flow_from(f, register_of(u, &u->variable[s->known[k]]));
        flow_pass(f, &p->prepare, p->prepare.count);
        if (start) flow_start(f);
        for (int pass = 0; pass < 2; pass++) { // rates, then columns: they share registers
            const TapeFunction *t = pass ? &p->outputs : &p->derivative;
            flow_pass(f, t, pass ? t->count : p->rate_code);
            for (int i = 0; i < s->unknown_count; i++) {
                const FmuVariable *v = &u->variable[s->unknown[i]];
                if (pass == (v->kind == FMU_COLUMN))
                    s->kind[i * s->known_count + k] = (unsigned char)kind_of(f, u, v);
            }
        }
    }
    flow_free(f);
}

static void write_row(Text *out, const Structure *s, int i, bool kinds) {
    static const char *const word[] = {"", "constant", "tunable", "discrete", "dependent"};
    const unsigned char *kind = s->kind + i * s->known_count;
    int count = 0;
    text_printf(out, "      <Unknown index=\"%d\" dependencies=\"", s->unknown[i] + 1);
    for (int k = 0; k < s->known_count; k++)
        if (kind[k]) text_printf(out, "%s%d", count++ ? " " : "", s->known[k] + 1);
    text_char(out, '"');
    if (kinds && count) {
        text_add(out, " dependenciesKind=\"");
        count = 0;
        for (int k = 0; k < s->known_count; k++)
            if (kind[k]) text_printf(out, "%s%s", count++ ? " " : "", word[kind[k]]);
        text_char(out, '"');
    }
    text_add(out, "/>\n");
}

static bool is_known(const FmuVariable *v, bool start) {
    return v->kind == FMU_INPUT || v->kind == (start ? FMU_PARAM : FMU_STATE);
}

static void write_list(Text *out, const FmuWriting *u, const char *name,
                       bool (*wanted)(const FmuVariable *v), bool start) {
    Structure s = {.u = u};
    s.known = memory_zeroed((size_t)u->count + 1, sizeof *s.known);
    s.unknown = memory_zeroed((size_t)u->count + 1, sizeof *s.unknown);
    for (int i = 0; i < u->count; i++) {
        if (is_known(&u->variable[i], start)) s.known[s.known_count++] = i;
        if (wanted(&u->variable[i])) s.unknown[s.unknown_count++] = i;
    }
    if (s.unknown_count) {
        fill(&s, start);
        text_printf(out, "    <%s>\n", name);
        for (int i = 0; i < s.unknown_count; i++) write_row(out, &s, i, !start);
        text_printf(out, "    </%s>\n", name);
    }
    free(s.known);
    free(s.unknown);
    free(s.kind);
}

static bool is_output(const FmuVariable *v) { return v->output; }
static bool is_rate(const FmuVariable *v) { return v->kind == FMU_RATE; }
static bool is_of_start(const FmuVariable *v) {
    return v->output || v->kind == FMU_STATE || v->kind == FMU_RATE;
}

void fmu_structure(Text *out, FmuWriting *u) {
    text_add(out, "  <ModelStructure>\n");
    write_list(out, u, "Outputs", is_output, false);
    write_list(out, u, "Derivatives", is_rate, false);
    write_list(out, u, "InitialUnknowns", is_of_start, true);
    text_add(out, "  </ModelStructure>\n");
}
