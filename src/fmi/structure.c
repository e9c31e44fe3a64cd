// ModelStructure: which outputs and rates depend on which states and inputs, and what the start depends on. A column
// of all dependences is found by one walk along the tapes, from one register on. What a variable depends on is what one
// of its elements depends on. FMI 3 counts parameters and the time among what is known, FMI 2 does not.
#include "fmi/inside.h"

#include "base/memory.h"
#include <stdlib.h>

typedef struct {
    const FmuWriting *u;
    int *known, known_count;     // elements by which others are listed
    int *unknown, unknown_count; // elements that are listed
    unsigned char *kind;         // per unknown and known; NULL: all depend on all
} Structure;

// Where a known variable lies in a program; register_count: this one does without it.
static uint32_t register_of(const FmuWriting *u, const Program *p, const FmuVariable *v) {
    int param;
    switch (v->kind) {
    case FMU_TIME: return p->time;
    case FMU_PARAM:
        param = fmu_param_in(p, v->var);
        return param < 0 ? p->register_count : p->first_param + (uint32_t)param;
    case FMU_INPUT: return p->first_held + (uint32_t)u->w.input[v->place];
    default:
        return v->place < p->state_count ? p->first_state + (uint32_t)v->place : p->register_count;
    }
}

// After a walk: how far does it reach to this variable?
static FlowKind kind_of(const Flow *f, const Part *x, const FmuVariable *v) {
    const Program *p = x->p;
    if (v->kind <= FMU_RATE && v->place >= p->state_count) return FLOW_NONE;
    if (v->kind == FMU_INDICATOR && v->place >= p->switch_count) return FLOW_NONE;
    switch (v->kind) {
    case FMU_STATE: return flow_at(f, p->first_state + (uint32_t)v->place);
    case FMU_RATE: return flow_at(f, p->derivative.result[v->place]);
    case FMU_INDICATOR: return flow_at(f, p->switches.result[v->place]);
    default: return flow_at(f, x->output[v->place]);
    }
}

typedef struct {
    Flow *f;
    const Part *part;
    unsigned char *kind; // as in Structure, of this program
} Walk;

static void look_from(const Structure *s, Walk *w, int known, FmuKind first, FmuKind last,
                      const TapeFunction *t, int count) {
    flow_pass(w->f, t, count);
    for (int i = 0; i < s->unknown_count; i++) {
        const FmuVariable *v = &s->u->variable[s->unknown[i]];
        if (v->kind >= first && v->kind <= last)
            w->kind[i * s->known_count + known] = (unsigned char)kind_of(w->f, w->part, v);
    }
}

// The last event indicator is how good the choice of states is, by the matrices of blocks.
static void look_at_choice(const Structure *s, Walk *w, int known) {
    const TapeFunction *t = &w->part->p->choices;
    int last = s->unknown_count - 1;
    if (last < 0 || !t->result_count) return;
    const FmuVariable *v = &s->u->variable[s->unknown[last]];
    if (v->kind != FMU_INDICATOR || v->place != s->u->indicators - 1) return;
    flow_pass(w->f, t, t->count);
    for (int i = 0; i < t->result_count; i++)
        if (flow_at(w->f, t->result[i])) w->kind[last * s->known_count + known] = FLOW_DEPENDENT;
}

static void walk(const Structure *s, Walk *w, bool start) {
    const FmuWriting *u = s->u;
    const Program *p = w->part->p;
    for (int k = 0; k < s->known_count; k++) {
        uint32_t reg = register_of(u, p, &u->variable[s->known[k]]);
        if (reg == p->register_count) continue;
        flow_from(w->f, reg);
        flow_pass(w->f, &p->prepare, p->prepare.count);
        if (start) flow_start(w->f);
        // rates, columns, event functions: they share registers
        look_from(s, w, k, FMU_STATE, FMU_RATE, &p->derivative, p->rate_code);
        look_from(s, w, k, FMU_COLUMN, FMU_COLUMN, &p->outputs, p->outputs.count);
        look_from(s, w, k, FMU_INDICATOR, FMU_INDICATOR, &p->switches, p->switches.count);
        look_at_choice(s, w, k);
    }
}

// Of all programs; what is not the same in all modes changes at events.
static void fill(Structure *s, bool start) {
    const Writing *w = &s->u->w;
    size_t count = (size_t)s->unknown_count * (size_t)s->known_count;
    bool first = true;
    s->kind = memory_zeroed(count + 1, 1);
    for (int k = has_parts(w) ? 1 : 0; k < w->part_count; k++) {
        if (w->part[k].jump) continue;
        Walk one = {flow_new(w->part[k].p), &w->part[k], memory_zeroed(count + 1, 1)};
        walk(s, &one, start);
        for (size_t i = 0; i < count; i++) {
            unsigned char a = s->kind[i], b = one.kind[i], most = a > b ? a : b;
            bool differs = !first && a != b && most < FLOW_DISCRETE;
            s->kind[i] = differs ? FLOW_DISCRETE : most;
        }
        first = false;
        flow_free(one.f);
        free(one.kind);
    }
}

// The elements of one variable as one, in both directions.
static FlowKind kind_between(const Structure *s, int unknown, int unknowns, int known, int knowns) {
    FlowKind most = FLOW_NONE;
    for (int i = unknown; i < unknown + unknowns; i++)
        for (int k = known; k < known + knowns; k++)
            if (s->kind[i * s->known_count + k] > most)
                most = (FlowKind)s->kind[i * s->known_count + k];
    return most;
}

static void write_row(Text *out, const Structure *s, int i, const char *name, bool kinds) {
    static const char *const word[] = {"", "constant", "tunable", "discrete", "dependent"};
    const FmuWriting *u = s->u;
    bool three = u->options->version == 3;
    int base = three ? 0 : 1, count = 0;
    int entry = u->entry_of[s->unknown[i]], elements = u->entry[entry].count;
    Text kind = {0};
    text_printf(out, "      <%s %s=\"%d\"", three ? name : "Unknown",
                three ? "valueReference" : "index", entry + base);
    if (!s->kind) { // on all that is known
        text_add(out, "/>\n");
        return;
    }
    text_add(out, " dependencies=\"");
    for (int k = 0; k < s->known_count;) {
        int on = u->entry_of[s->known[k]], n = u->entry[on].count;
        FlowKind found = kind_between(s, i, elements, k, n);
        if (found) text_printf(out, "%s%d", count ? " " : "", on + base);
        if (found) text_printf(&kind, "%s%s", count++ ? " " : "", word[found]);
        k += n;
    }
    text_char(out, '"');
    if (kinds && count) text_printf(out, " dependenciesKind=\"%s\"", text_get(&kind));
    text_add(out, "/>\n");
    text_free(&kind);
}

static bool is_known(const FmuWriting *u, const FmuVariable *v, bool start) {
    if (u->options->version == 3 && (v->kind == FMU_TIME || v->kind == FMU_PARAM)) return true;
    return v->kind == FMU_INPUT || v->kind == (start ? FMU_PARAM : FMU_STATE);
}

static void write_list(Text *out, const FmuWriting *u, const char *name,
                       bool (*wanted)(const FmuVariable *v), bool start) {
    Structure s = {.u = u};
    bool three = u->options->version == 3;
    s.known = memory_zeroed((size_t)u->count + 1, sizeof *s.known);
    s.unknown = memory_zeroed((size_t)u->count + 1, sizeof *s.unknown);
    for (int i = 0; i < u->count; i++) {
        if (is_known(u, &u->variable[i], start)) s.known[s.known_count++] = i;
        if (wanted(&u->variable[i])) s.unknown[s.unknown_count++] = i;
    }
    if (s.unknown_count) {
        if (!start || !has_parts(&u->w)) fill(&s, start); // which mode begins is found by a search
        if (!three) text_printf(out, "    <%s>\n", name);
        for (int i = 0; i < s.unknown_count; i += u->entry[u->entry_of[s.unknown[i]]].count)
            write_row(out, &s, i, name, !start);
        if (!three) text_printf(out, "    </%s>\n", name);
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

static bool is_indicator(const FmuVariable *v) { return v->kind == FMU_INDICATOR; }

void fmu_structure(Text *out, FmuWriting *u) {
    bool three = u->options->version == 3;
    text_add(out, "  <ModelStructure>\n");
    write_list(out, u, three ? "Output" : "Outputs", is_output, false);
    write_list(out, u, three ? "ContinuousStateDerivative" : "Derivatives", is_rate, false);
    write_list(out, u, three ? "InitialUnknown" : "InitialUnknowns", is_of_start, true);
    write_list(out, u, "EventIndicator", is_indicator, false);
    text_add(out, "  </ModelStructure>\n");
}
