// The header of an exported model: what there is of each, and the memory of a run.
#include "export/writing.h"

#include "engine/c_output.h"

static int state_name_count(const Writing *w) {
    int count = 0;
    for (int i = 0; i < w->p->state_count && !has_parts(w); i++)
        count += w->p->system->state_var[i] >= 0;
    return count;
}

static void constant(Text *o, const char *name, long value) {
    text_printf(o, "    model_%s = %ld,\n", name, value);
}

// Of the one program that there is.
static void write_part_counts(const Writing *w, Text *o) {
    const Program *p = w->p;
    const Whens *n = &p->system->whens;
    constant(o, "state_count", p->state_count);
    constant(o, "settle_count", w->settle_count);
    constant(o, "switch_count", p->switch_count);
    constant(o, "discrete_count", n->discrete_count);
    constant(o, "sample_count", n->sample_count);
    constant(o, "set_count", n->set_count);
    constant(o, "reset_count", n->reset_count);
    constant(o, "clock_count", p->clock_count);
    constant(o, "block_count", p->block_count);
    constant(o, "unknown_count", (long)p->unknown_count);
    constant(o, "constant_count", (long)p->constant_count);
    constant(o, "held_count", p->held_count);
    if (has_selections(w)) {
        constant(o, "selection_count", p->system->choice_count);
        constant(o, "selection_columns", selection_columns(p));
        constant(o, "basis_at", 0);
    }
    if (has_loops(w)) constant(o, "loop_count", loop_unknowns(p));
    text_add(o, "    // where they lie in the registers\n");
    constant(o, "first_param", (long)p->first_param);
    constant(o, "time_place", (long)p->time);
    constant(o, "first_state", (long)p->first_state);
    constant(o, "first_held", (long)p->first_held);
    constant(o, "first_unknown", (long)p->first_unknown);
}

static void write_counts(Writing *w, Text *o) {
    const Program *p = w->p;
    const Whens *n = &p->system->whens;
    int columns = w->job->run->results.column_count - 1;
    int names = w->param_count + w->input_count + state_name_count(w);
    text_add(o, "enum { // how many there are of each\n");
    constant(o, "param_count", w->param_count);
    constant(o, "column_count", columns);
    constant(o, "output_count", w->output_count);
    constant(o, "branch_count", n->branch_count);
    constant(o, "input_count", w->input_count);
    constant(o, "first_column", names);
    constant(o, "name_count", names + columns);
    if (!has_parts(w)) write_part_counts(w, o);
    if (has_past(w)) {
        long room = past_room(w);
        constant(o, "delay_count", n->delay_count);
        constant(o, "first_slope",
                 n->discrete_count + n->sample_count + n->branch_count + n->impulse_count);
        text_add(o, "    // of the past: points and breaks that are kept; more may be wanted where "
                    "events are many\n");
        constant(o, "past_room", room);
        constant(o, "break_room", room / 2);
    }
    bool still = p->state_count == 0 && p->quad_count == 0 && n->branch_count == 0 &&
                 !has_parts(w) && !has_past(w);
    text_printf(o, "    model_algebraic = %d // nothing to integrate\n};\n\n", still);
}

typedef struct {
    Text *o;
    size_t bytes, real;
} Fields;

// A field of the machine; 'r': numbers of the model, 'd': times, 'i': whole numbers, 'l': long, 'c': bytes.
static void field(Fields *f, char kind, const char *name, long count, const char *about) {
    static const char kinds[] = "rdilc";
    static const char *const type[] = {"model_real", "double", "int", "long", "unsigned char"};
    const size_t size[] = {f->real, 8, 4, 8, 1};
    int k = (int)(strchr(kinds, kind) - kinds);
    text_printf(f->o, "    %s %s", type[k], name);
    if (count > 0) text_printf(f->o, "[%ld]", count);
    text_printf(f->o, ";%s%s\n", *about ? " // " : "", about);
    f->bytes += size[k] * (size_t)(count > 0 ? count : 1);
}

static void write_state_fields(const Writing *w, Fields *f) {
    long n = w->most.states + 1;
    field(f, 'd', "time", 0, "where the run is");
    field(f, 'd', "start", 0, "set before a reset, as the next two");
    field(f, 'd', "stop", 0, "");
    field(f, 'd', "step", 0, "");
    field(f, 'd', "span", 0, "of the run, by which times that are close are told");
    field(f, 'd', "wait", 0, "a step ends here, if not earlier");
    field(f, 'i', "problem", 0, "model_good, or why the run cannot go on");
    field(f, 'i', "warnings", 0, "assertions that only warn");
    field(f, 'i', "branch", 0, "the last assertion that did not hold");
    field(f, 'i', "tried", 0, "a step has been tried: what follows is at its end");
    field(f, 'i', "event", 0, "");
    field(f, 'i', "ended", 0, "1 and the branch of a `when` that has ended the run; else 0");
    field(f, 'i', "folded", 0, "a loop of equations folds at its end");
    field(f, 'i', "after", 0, "the present step begins at an event");
    field(f, 'i', "changed", 0, "something was set from outside");
    field(f, 'i', "hold", 0, "relations keep their states");
    field(f, 'i', "failed_block", 0, "");
    field(f, 'd', "next", 0, "");
    field(f, 'd', "grid", 0, "");
    field(f, 'd', "moment", 0, "");
    field(f, 'd', "k", 0, "steps of the grid so far");
    field(f, 'd', "length", 0, "");
    field(f, 'd', "inside_end", 0, "");
    field(f, 'd', "chatter_time", 0, "");
    field(f, 'l', "chatter_count", 0, "");
    field(f, 'l', "sliding_count", 0, "");
    field(f, 'l', "actions", 0, "");
    field(f, 'r', "y", n, "states");
    field(f, 'r', "begin", n, "states where the present step began");
    field(f, 'r', "aside", n, "");
    field(f, 'r', "trial", n, "");
    field(f, 'r', "later", n, "");
    field(f, 'r', "slope", n, "");
    text_printf(f->o, "    model_real rate[4][%ld];\n", n);
    f->bytes += 4 * f->real * (size_t)n;
}

static void write_event_fields(const Writing *w, Fields *f) {
    const Whens *n = &w->p->system->whens;
    static const char *const per_switch[] = {"piece", "switch_value", "event_value",
                                             "ahead", "before",       "here",
                                             "band",  "shift",        "argument"};
    const Most *most = &w->most;
    if (most->switches) {
        long count = most->switches;
        field(f, 'c', "held", count, "states of relations");
        field(f, 'i', "direction", count, "");
        for (int i = 0; i < 9; i++) field(f, 'r', per_switch[i], count, "");
        field(f, 'r', "inside", 10 * count + most->states + 1, "");
    }
    if (most->clocks) field(f, 'r', "phase", 2L * most->clocks, "");
    if (w->input_count) field(f, 'r', "input", w->input_count, "as set from outside");
    if (!n->branch_count) return;
    field(f, 'c', "was", n->branch_count, "conditions, the last time they were looked at");
    field(f, 'r', "condition", n->branch_count, "");
    field(f, 'r', "action", most->discrete + most->resets + 1, "");
    field(f, 'r', "sample", 2 * n->sample_count + 1, "period and offset in pairs");
    field(f, 'd', "next_sample", n->sample_count + 1, "");
    text_printf(f->o, "    model_gaps gaps[%d];\n", n->branch_count);
    f->bytes += 48 * (size_t)n->branch_count;
}

static void write_branch_type(const Writing *w, Text *o) {
    int n = w->most.loops, states = w->most.states + 1;
    text_printf(
        o,
        "typedef struct { // the branch of solutions on which loops of equations are\n"
        "    int kept, loose;\n    double time; // of the point that was accepted last\n"
        "    model_real u[%d], most[%d], mark[%d], from[%d], to[%d], middle[%d], found[%d], "
        "last[%d];\n    model_real state[%d], point[%d], rate[%d];\n} model_loops;\n\n",
        n, n, n, n, n, n, n, n, states, states, states);
}

static void write_branch_fields(const Writing *w, Fields *f) {
    int n = w->most.loops, states = w->most.states + 1;
    text_add(f->o, "    model_loops loops;\n");
    f->bytes += 16 + f->real * (size_t)(8 * n + 3 * states);
    field(f, 'l', "folds", 0, "how many loops have folded");
    field(f, 'r', "fold_state", states, "");
    field(f, 'r', "fold_sum", states, "");
}

// Sizes by name: whoever has more events makes them larger.
static void write_past_fields(const Writing *w, Fields *f) {
    long n = w->p->system->whens.delay_count, room = past_room(w);
    text_add(f->o, "    double past_time[model_past_room];\n"
                   "    int past_part[model_past_room]; // rises with every break\n"
                   "    model_real past_value[model_past_room * model_delay_count];\n"
                   "    model_break breaks[model_break_room], break_met; // the latest first\n");
    f->bytes += (size_t)room * (12 + (size_t)n * f->real) + 16 * (size_t)(room / 2 + 1);
    field(f, 'i', "past_open", 0, "");
    field(f, 'i', "past_count", 0, "points of the past");
    field(f, 'i', "break_count", 0, "");
    field(f, 'r', "past_now", n, "");
    field(f, 'r', "before_start", n, "");
    field(f, 'r', "delay_time", 2 * n, "and bound, in pairs");
    field(f, 'd', "over", 0, "the break at which the present step ends; infinite: none");
}

static void write_machine_struct(Writing *w, Text *o) {
    long n = w->most.block;
    Fields f = {.o = o, .real = w->options->single ? 4 : 8};
    if (has_loops(w)) write_branch_type(w, o);
    if (has_past(w))
        text_add(o, "typedef struct { // where the past breaks, and how often that was smoothed\n"
                    "    double time;\n    int level;\n} model_break;\n\n");
    text_add(o, "typedef struct { // one run: all its memory; a copy of it is a run of its own\n");
    write_state_fields(w, &f);
    write_event_fields(w, &f);
    if (w->most.blocks) {
        field(&f, 'r', "work", n * n + 6 * n + 1, "of blocks");
        field(&f, 'r', "away", 2 * n + 1, "");
        field(&f, 'r', "part", 0, "");
        field(&f, 'i', "pivot", n + 1, "");
        field(&f, 'r', "unknown", w->most.unknowns ? w->most.unknowns : 1, "");
    }
    if (has_loops(w)) write_branch_fields(w, &f);
    if (has_past(w)) write_past_fields(w, &f);
    if (has_selections(w)) {
        field(&f, 'r', "selection", w->most.selection, "values and matrices of blocks");
        field(&f, 'r', "pivot_rows", w->most.pivot_rows, "");
        field(&f, 'r', "column_size", w->most.columns, "");
        field(&f, 'i', "basis", w->most.columns, "the row that determines each column");
        field(&f, 'i', "column_of", w->most.rows, "");
    }
    field(&f, 'r', "output", w->most.output + 1, "");
    field(&f, 'r', has_parts(w) ? "bank" : "reg", w->most.registers, "registers");
    if (has_parts(w)) export_modes_fields(w, o, &f.bytes);
    text_add(o, "} model_machine;\n\n");
    w->e->bytes = (f.bytes + 7) / 8 * 8;
}

static const char header_types[] =
    "enum { // problems\n"
    "    model_good,\n    model_no_solution,\n    model_not_finite,\n    model_chatter,\n"
    "    model_piles_up,\n    model_event_loop,\n    model_conflict,\n    model_bad_sample,\n"
    "    model_assertion,\n    model_not_settable,\n    model_no_mode,\n    model_no_step,\n"
    "    model_no_selection,\n    model_ended,\n    model_bad_delay,\n    "
    "model_past_is_full\n};\n\n"
    "enum { model_is_parameter, model_is_input, model_is_state, model_is_output };\n\n"
    "typedef struct {\n    const char *name, *unit;\n    int kind, place;\n"
    "    model_real scale, offset; // in SI units: value * scale + offset\n} model_name;\n\n"
    "extern const model_name model_name_of[]; // parameters, inputs, states, columns of the "
    "results\n\n"
    "typedef struct { // how fast a branch of a `when` fires, or a law switches\n"
    "    double time, gap, longest, first;\n    int shrinking;\n    long count;\n} model_gaps;\n\n";

static const char header_functions[] =
    "// Every run begins with model_init and model_reset. What gives an int gives a problem, or\n"
    "// model_good; model_words tells it in words.\n"
    "void model_init(model_machine *m);  // parameters as in the model file\n"
    "int model_reset(model_machine *m);  // to the start, with the parameters as they are\n"
    "int model_step(model_machine *m);   // to the next point of the grid, sample or event\n\n"
    "// By number in the table of names, in the unit that stands there. Inputs, parameters and\n"
    "// states can be set, also between steps; start values follow at the next reset. An input\n"
    "// that is set is held until it is set again, also over a reset.\n"
    "int model_find(const char *name);   // -1: there is no such name\n"
    "model_real model_get(model_machine *m, int number);\n"
    "int model_set(model_machine *m, int number, model_real value);\n"
    "const char *model_words(int problem);\n\n"
    "// A step in two halves, to look at times inside of it: try, then look at any time up to\n"
    "// model_known, then settle what is due at its end. value has room for all columns.\n"
    "int model_try(model_machine *m);\n"
    "double model_known(const model_machine *m);\n"
    "int model_look(model_machine *m, double time, model_real *value);\n"
    "int model_settle(model_machine *m);\n\n";

static void define_time(Text *o, const char *name, double value) {
    text_printf(o, "#define model_%s ", name);
    c_number(o, value);
    text_char(o, '\n');
}

double export_step(const Job *j) {
    return j->plan.step > 0 ? j->plan.step : (j->plan.stop - j->plan.start) / 1000;
}

void export_header(Writing *w) {
    Text o = {0};
    text_printf(&o, "// Model %s, generated by Bondyn: C99, see README.md.\n", w->e->prefix);
    text_printf(&o, "#ifndef %s_MODEL_H\n#define %s_MODEL_H\n\n", w->e->prefix, w->e->prefix);
    text_add(&o, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    text_printf(&o, "typedef %s model_real;\n\n", w->options->single ? "float" : "double");
    define_time(&o, "start_time", w->job->plan.start);
    define_time(&o, "stop_time", w->job->plan.stop);
    define_time(&o, "step_time", export_step(w->job));
    text_char(&o, '\n');
    write_counts(w, &o);
    text_add(&o, header_types);
    write_machine_struct(w, &o);
    text_add(&o, header_functions);
    text_add(&o, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    export_prefixed(&w->e->header, text_get(&o), w->e->prefix);
    text_free(&o);
}
