// An FMU as text of the language: what `model Motor from "motor.fmu"` stands for.
//
//     element Motor
//       param R {...} = 5        input u {...} = 0        output i {...}        port shaft: rotation
//       const begun_ = ...begin(R, u)                     a state of the unit has a number, its token
//       var unit_[2] discrete initial ...                 token, time of the next event
//       der(phi) = ...rates(token, time, phi, u)          functions of the unit: MATRIX_EXTERNAL
//       when a indicator was crossed, or the time of the next event has come then
//         unit_ = ...update(token, time, phi, u)          and states begin anew
//       end
//
// Co-simulation is a sampled system: at each sample the step that ends there is made, from the
// inputs at its beginning. So solvers, events, derivatives and engines know nothing of FMI.
#include "foreign/unit.h"

#include "base/keywords.h"
#include <ctype.h>
#include <string.h>

typedef struct {
    Text *out;
    Arena arena;
    const UnitDescription *d;
    const UnitTextOptions *o;
    const char **name;  // per variable: in the language
    const char **value; // per variable: how equations write it
    bool *in_port;      // per variable
    int picks;          // functions that take an entry of a result
} Writer;

// --- names ---------------------------------------------------------------------------------------

static bool is_taken(const Writer *w, int upto, const char *name) {
    static const char *const words[] = {"unit_",  "held_",  "indicator_", "begun_", "seen_",
                                        "met_",   "ticks_", "over_",      "modes",  "pre",
                                        "reinit", "sample", "pi"};
    if (is_keyword(name)) return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0) return true;
    for (int i = 0; i < upto; i++)
        if (strcmp(w->name[i], name) == 0) return true;
    for (int i = 0; i < w->d->port_count; i++)
        if (strcmp(w->d->port[i].name, name) == 0) return true;
    return false;
}

// a.b[2] becomes a_b_2; what is taken gets another _.
static const char *plain_name(Writer *w, const char *given, int upto) {
    Text t = {0};
    if (!isalpha((unsigned char)given[0])) text_add(&t, "v");
    for (const char *c = given; *c; c++) {
        bool good = isalnum((unsigned char)*c) && (unsigned char)*c < 128;
        if (good)
            text_char(&t, *c);
        else if (c[1] && !(t.length && t.data[t.length - 1] == '_'))
            text_char(&t, '_');
    }
    while (t.length == 0 || is_taken(w, upto, text_get(&t))) text_char(&t, '_');
    const char *kept = arena_copy_text(&w->arena, text_get(&t), t.length);
    text_free(&t);
    return kept;
}

static const char *port_name(Writer *w, const char *given) {
    Text t = {0};
    for (const char *c = given; *c; c++)
        if (isalnum((unsigned char)*c) && (unsigned char)*c < 128)
            text_char(&t, *c);
        else if (t.length && c[1])
            text_char(&t, '_');
    if (!t.length || !isalpha((unsigned char)t.data[0])) {
        text_free(&t);
        return "port_";
    }
    const char *kept = arena_copy_text(&w->arena, text_get(&t), t.length);
    text_free(&t);
    return kept;
}

static bool is_used(const Writer *w, int i) {
    const UnitVariable *v = &w->d->variable[i];
    return v->type != UNIT_STRING && !v->constant &&
           (v->role == UNIT_PARAMETER || v->role == UNIT_INPUT || v->role == UNIT_OUTPUT);
}

static bool is_state(const UnitDescription *d, int i) {
    for (int k = 0; k < d->state_count; k++)
        if (d->state[k] == i) return true;
    return false;
}

// Where a power port has a domain: of the language, or one that is written before the element.
static const char *domain_of(Writer *w, const UnitPort *p, bool *own) {
    static const char *const known[][3] = {
        {"kg.m2/s3/A", "A", "electric"},  {"kg.m/s2", "m/s", "translation"},
        {"kg.m2/s2", "1/s", "rotation"},  {"kg.m2/s2", "rad/s", "rotation"},
        {"kg/m/s2", "m3/s", "hydraulic"}, {"K", "kg.m2/s3/K", "thermal"}};
    const char *e = w->d->variable[p->effort].unit, *f = w->d->variable[p->flow].unit;
    *own = false;
    if (!e || !f) return NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i][0], e) == 0 && strcmp(known[i][1], f) == 0) return known[i][2];
    *own = true;
    return arena_printf(&w->arena, "%s_domain_%d", w->o->name, (int)(p - w->d->port) + 1);
}

static void name_all(Writer *w) {
    const UnitDescription *d = w->d;
    w->name = ARENA_ARRAY(&w->arena, const char *, d->variable_count + 1);
    w->value = ARENA_ARRAY(&w->arena, const char *, d->variable_count + 1);
    w->in_port = ARENA_ARRAY(&w->arena, bool, d->variable_count + 1);
    for (int i = 0; i < d->variable_count; i++)
        w->name[i] = w->value[i] = plain_name(w, d->variable[i].name, i);
    for (int i = 0; i < d->port_count; i++) {
        const UnitPort *p = &d->port[i];
        bool own;
        if (!domain_of(w, p, &own) || w->in_port[p->effort] || w->in_port[p->flow]) continue;
        w->in_port[p->effort] = w->in_port[p->flow] = true;
        const char *name = port_name(w, p->name);
        w->value[p->effort] = arena_printf(&w->arena, "%s.e", name);
        w->value[p->flow] = arena_printf(&w->arena, "%s.f", name);
    }
}

// --- functions -----------------------------------------------------------------------------------

static int count_role(const Writer *w, UnitRole role) {
    int n = 0;
    for (int i = 0; i < w->d->variable_count; i++)
        n += is_used(w, i) && w->d->variable[i].role == role;
    return n;
}

static int count_outputs(const Writer *w, bool through) {
    int n = 0;
    for (int i = 0; i < w->d->variable_count; i++)
        n += is_used(w, i) && w->d->variable[i].role == UNIT_OUTPUT &&
             w->d->variable[i].through == through;
    return n;
}

static void function(Writer *w, const char *what, int arguments, int results) {
    if (!results) return;
    text_printf(w->out, "function %s_unit_%s(", w->o->name, what);
    for (int i = 0; i < arguments; i++) text_printf(w->out, "%sa%d", i ? ", " : "", i + 1);
    text_printf(w->out, ") [%d] external \"%s\" as \"%s %s\"%s\n", results, w->o->file,
                w->o->steps ? "cs" : "me", what, "");
    if (results > w->picks) w->picks = results;
}

static void functions(Writer *w) {
    const UnitDescription *d = w->d;
    int params = count_role(w, UNIT_PARAMETER), inputs = count_role(w, UNIT_INPUT);
    int outputs = count_role(w, UNIT_OUTPUT), point = 2 + d->state_count;
    if (w->o->steps) {
        function(w, "begin", 2 + params + inputs, 2 + outputs);
        function(w, "step", 3 + inputs, 2 + outputs);
    } else {
        function(w, "begin", 2 + params + inputs, 2 + d->state_count);
        function(w, "rates", point + inputs, d->state_count);
        function(w, "free", point, count_outputs(w, false));
        function(w, "through", point + inputs, count_outputs(w, true));
        function(w, "indicators", point + inputs, d->indicators);
        function(w, "update", point + inputs, 2 + d->state_count);
        text_printf(w->out, "function %s_head(v) = v[1:2]\n", w->o->name);
    }
    for (int i = 1; i <= w->picks; i++)
        text_printf(w->out, "function %s_pick_%d(v) = v[%d]\n", w->o->name, i, i);
}

// A call, of what is in order: parameters, states, inputs.
static void inputs_of(Writer *w, UnitRole role, const char *form) {
    for (int i = 0; i < w->d->variable_count; i++)
        if (is_used(w, i) && w->d->variable[i].role == role) text_printf(w->out, form, w->value[i]);
}

static const char as_it_is[] = ", %s";
// Inputs may depend on outputs: an event begins with those before it.
static const char before[] = ", pre(%s)";

// All branches of a `when` are computed at each of its events: once the unit has begun nothing is done.
static void begin_call(Writer *w, bool at_start_values) {
    text_printf(w->out, "%s_unit_begin(%s", w->o->name,
                at_start_values ? "0, 0" : "pre(over_), time");
    inputs_of(w, UNIT_PARAMETER, as_it_is);
    for (int i = 0; i < w->d->variable_count && at_start_values; i++)
        if (is_used(w, i) && w->d->variable[i].role == UNIT_INPUT) {
            const UnitVariable *v = &w->d->variable[i];
            text_add(w->out, ", ");
            text_number(w->out, v->start * v->scale + v->offset);
        }
    if (!at_start_values) inputs_of(w, UNIT_INPUT, before);
    text_add(w->out, ")");
}

// form: of inputs; NULL: none.
static void point_call(Writer *w, const char *what, const char *form, const char *token) {
    text_printf(w->out, "%s_unit_%s(%s, time", w->o->name, what, token);
    for (int i = 0; i < w->d->state_count; i++)
        text_printf(w->out, ", %s", w->name[w->d->state[i]]);
    if (form) inputs_of(w, UNIT_INPUT, form);
    text_add(w->out, ")");
}

static void pick(Writer *w, int entry, int of) {
    if (of > 1) text_printf(w->out, "%s_pick_%d(", w->o->name, entry);
}

static void picked(Writer *w, int of) { text_add(w->out, of > 1 ? ")" : ""); }

static const char *per_unit(Writer *w, int i, char op) {
    const char *unit = w->d->variable[i].unit;
    return unit ? arena_printf(&w->arena, "%c(1 {%s})", op, unit) : "";
}

// --- declarations --------------------------------------------------------------------------------

static void description(Writer *w, const UnitVariable *v) {
    Text t = {0};
    text_add(&t, v->name);
    if (*v->text) text_printf(&t, ": %s", v->text);
    text_add(w->out, " \"");
    for (const char *c = text_get(&t); *c; c++)
        text_char(w->out, *c == '"' || *c == '\\' || (unsigned char)*c < 32 ? ' ' : *c);
    text_add(w->out, "\"\n");
    text_free(&t);
}

static void declare(Writer *w, int i) {
    const UnitVariable *v = &w->d->variable[i];
    static const char *const word[] = {
        [UNIT_PARAMETER] = "param", [UNIT_INPUT] = "input", [UNIT_OUTPUT] = "output"};
    if (w->in_port[i] || !is_used(w, i) || (is_state(w->d, i) && !w->o->steps)) return;
    text_printf(w->out, "  %s %s", word[v->role], w->name[i]);
    if (v->unit) text_printf(w->out, " {%s}", v->unit);
    if (v->role != UNIT_OUTPUT) {
        text_add(w->out, " = ");
        text_number(w->out, v->start * v->scale + v->offset);
    }
    description(w, v);
}

static void declare_ports(Writer *w) {
    bool own;
    for (int i = 0; i < w->d->port_count; i++) {
        const UnitPort *p = &w->d->port[i];
        const char *domain = domain_of(w, p, &own);
        if (domain && w->in_port[p->effort])
            text_printf(w->out, "  port %s: %s\n", port_name(w, p->name), domain);
    }
}

static void declare_states(Writer *w) {
    const UnitDescription *d = w->d;
    int all = 2 + d->state_count;
    text_add(w->out, "  const begun_ = ");
    begin_call(w, true);
    text_printf(w->out, "\n  var unit_[2] discrete initial %s_head(begun_)\n", w->o->name);
    for (int i = 0; i < d->state_count; i++) {
        const UnitVariable *v = &d->variable[d->state[i]];
        text_printf(w->out, "  var %s", w->name[d->state[i]]);
        if (v->unit) text_printf(w->out, " {%s}", v->unit);
        text_printf(w->out, " initial begun_[%d]%s", all - d->state_count + i + 1,
                    per_unit(w, d->state[i], '*'));
        description(w, v);
    }
    if (d->indicators > 0) text_printf(w->out, "  var indicator_[%d]\n", d->indicators);
}

// --- laws ----------------------------------------------------------------------------------------

static void output_laws(Writer *w, bool through) {
    int of = count_outputs(w, through), entry = 0;
    for (int i = 0; i < w->d->variable_count; i++) {
        const UnitVariable *v = &w->d->variable[i];
        if (!is_used(w, i) || v->role != UNIT_OUTPUT || v->through != through) continue;
        entry++;
        if (is_state(w->d, i) && !w->in_port[i]) continue; // the state itself
        text_printf(w->out, "  %s = ", w->value[i]);
        pick(w, entry, of);
        point_call(w, through ? "through" : "free", through ? as_it_is : NULL, "unit_[1]");
        picked(w, of);
        text_add(w->out, "\n");
    }
}

static void anew(Writer *w, bool begin) {
    const UnitDescription *d = w->d;
    const char *token = arena_printf(&w->arena, "%s_pick_1(pre(unit_))", w->o->name);
    int all = 2 + d->state_count;
    text_printf(w->out, "    unit_ = %s_head(", w->o->name);
    begin ? begin_call(w, false) : point_call(w, "update", before, token);
    text_add(w->out, ")\n");
    for (int i = 0; i < d->state_count; i++) {
        text_printf(w->out, "    reinit(%s, %s_pick_%d(", w->name[d->state[i]], w->o->name,
                    all - d->state_count + i + 1);
        begin ? begin_call(w, false) : point_call(w, "update", before, token);
        text_add(w->out, "))\n");
    }
}

// Writes counters: each indicator counts how often it was crossed, the clock how often its time
// came. When their sum exceeds what the unit has been told, an event is sent to it. (A single
// condition over all of them could not become true again while it is true.)
static void counters(Writer *w) {
    int indicators = w->d->indicators;
    Text sum = {0};
    text_add(w->out, "  var seen_ discrete, met_, ticks_ discrete\n");
    for (int i = 1; i <= indicators; i++) {
        const char *indicator =
            indicators == 1 ? "indicator_" : arena_printf(&w->arena, "indicator_[%d]", i);
        text_printf(w->out,
                    "  var met_%d_ discrete\n  when %s > 0 then\n    met_%d_ = pre(met_%d_) + 1\n"
                    "  elsewhen %s <= 0 then\n    met_%d_ = pre(met_%d_) + 1\n  end\n",
                    i, indicator, i, i, indicator, i, i);
        text_printf(&sum, " + met_%d_", i);
    }
    text_printf(w->out,
                "  when time >= unit_[2]*1 {s} then\n    ticks_ = pre(ticks_) + 1\n  end\n"
                "  met_ = ticks_%s\n",
                text_get(&sum));
    text_free(&sum);
}

// As `terminate` of the language: the last point is that of the event, or the end of the step.
static void end_law(Writer *w) {
    text_printf(w->out,
                "  when unit_[2] > 1.5e30 then\n"
                "    terminate \"the unit %s asks to end the run\"\n  end\n",
                w->o->file);
}

static void exchange_laws(Writer *w) {
    const UnitDescription *d = w->d;
    for (int i = 0; i < d->state_count; i++) {
        text_printf(w->out, "  der(%s) = ", w->name[d->state[i]]);
        pick(w, i + 1, d->state_count);
        point_call(w, "rates", as_it_is, "unit_[1]");
        picked(w, d->state_count);
        text_add(w->out, "\n");
    }
    output_laws(w, false);
    output_laws(w, true);
    if (d->indicators) {
        text_add(w->out, "  indicator_ = ");
        point_call(w, "indicators", as_it_is, "unit_[1]");
        text_add(w->out, "\n");
    }
    counters(w);
    text_add(w->out, "  var over_ discrete\n  when initial then\n    over_ = 1\n");
    anew(w, true);
    text_add(w->out, "  elsewhen met_ > seen_ + 0.5 then\n");
    anew(w, false);
    text_add(w->out, "    seen_ = met_\n  end\n");
    end_law(w);
}

static void step_laws(Writer *w) {
    int inputs = count_role(w, UNIT_INPUT), outputs = count_role(w, UNIT_OUTPUT), entry = 2;
    text_printf(w->out, "  param step_ {s} = ");
    text_number(w->out, w->o->every);
    text_add(w->out, " \"communication step\"\n  const begun_ = ");
    begin_call(w, true);
    text_printf(w->out, "\n  var unit_[%d] discrete initial begun_\n", 2 + outputs);
    if (inputs) text_printf(w->out, "  var held_[%d] discrete\n", inputs);
    for (int i = 0; i < w->d->variable_count; i++)
        if (is_used(w, i) && w->d->variable[i].role == UNIT_OUTPUT)
            text_printf(w->out, "  %s = unit_[%d]%s\n", w->value[i], ++entry, per_unit(w, i, '*'));
    for (int k = 0; k < 2; k++) {
        text_add(w->out,
                 k ? "  elsewhen sample(step_, step_) then\n    unit_ = "
                   : "  var over_ discrete\n  when initial then\n    over_ = 1\n    unit_ = ");
        if (k) {
            text_printf(w->out, "%s_unit_step(%s_pick_1(pre(unit_)), time - step_, step_",
                        w->o->name, w->o->name);
            for (int i = 1; i <= inputs; i++)
                if (inputs == 1)
                    text_add(w->out, ", pre(held_)");
                else
                    text_printf(w->out, ", %s_pick_%d(pre(held_))", w->o->name, i);
            text_add(w->out, ")");
        } else {
            begin_call(w, false);
        }
        text_add(w->out, "\n");
        if (!inputs) continue;
        Text list = {0};
        for (int i = 0; i < w->d->variable_count; i++)
            if (is_used(w, i) && w->d->variable[i].role == UNIT_INPUT)
                text_printf(&list, "%s%s%s", list.length ? ", " : "", w->value[i],
                            per_unit(w, i, '/'));
        text_printf(w->out, inputs == 1 ? "    held_ = %s\n" : "    held_ = (%s)\n",
                    text_get(&list));
        text_free(&list);
    }
    text_add(w->out, "  end\n");
    end_law(w);
}

void unit_text(Text *out, const UnitDescription *d, const UnitTextOptions *o) {
    Writer w = {.out = out, .d = d, .o = o};
    bool own, ports = false;
    name_all(&w);
    functions(&w);
    for (int i = 0; i < d->port_count; i++) {
        const char *domain = domain_of(&w, &d->port[i], &own);
        ports = ports || w.in_port[d->port[i].effort];
        if (own)
            text_printf(out, "domain %s \"%s\" effort {%s} flow {%s}\n", domain, d->port[i].name,
                        d->variable[d->port[i].effort].unit, d->variable[d->port[i].flow].unit);
    }
    text_printf(out, "%s %s\n", ports ? "element" : "model", o->name);
    for (int i = 0; i < d->variable_count; i++) declare(&w, i);
    declare_ports(&w);
    if (!o->steps) declare_states(&w);
    if (o->steps)
        step_laws(&w);
    else
        exchange_laws(&w);
    text_printf(out, "%send\n", ports ? "  supplies\n" : "");
    arena_free(&w.arena);
}
