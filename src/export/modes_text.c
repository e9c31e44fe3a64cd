// Laws that switch, as C: a table of programs and one of modes. Names that are constants or functions of a model with
// one program mean those of the present one here:
//
//     #define model_state_count (model_part_of[m->present].state_count)
//     #define model_rates(m, x) (model_part_of[(m)->present].rates((m), (x)))
#include "export/writing.h"

enum { MOST_TRIED = 500 }; // as solve/modes.c

// --- counts --------------------------------------------------------------------------------------

static const char *const count_name[] = {
    "at",           "state_count",   "output_count",    "settle_count",      "switch_count",
    "sample_count", "set_count",     "discrete_count",  "reset_count",       "clock_count",
    "first_block",  "block_count",   "unknown_count",   "held_count",        "constant_count",
    "param_count",  "impulse_count", "first_param",     "time_place",        "first_state",
    "first_held",   "first_unknown", "selection_count", "selection_columns", "basis_at",
    "first_entry",  "loop_count"};
enum { COUNTS = sizeof count_name / sizeof *count_name };

// The number of parameters and of outputs of a model is that of all its programs.
static bool is_common(const char *name) {
    return strcmp(name, "param_count") == 0 || strcmp(name, "output_count") == 0 ||
           strcmp(name, "at") == 0;
}

static void write_counts(const Part *x, Text *o) {
    const Program *p = x->p;
    const Whens *n = &p->system->whens;
    const long count[COUNTS] = {x->at,
                                p->state_count,
                                x->output_count,
                                x->settle_count,
                                p->switch_count,
                                n->sample_count,
                                n->set_count,
                                n->discrete_count,
                                n->reset_count,
                                p->clock_count,
                                x->first_block,
                                p->block_count,
                                (long)p->unknown_count,
                                p->held_count,
                                (long)p->constant_count,
                                (long)p->param_count,
                                n->impulse_count,
                                (long)p->first_param,
                                (long)p->time,
                                (long)p->first_state,
                                (long)p->first_held,
                                (long)p->first_unknown,
                                p->system->choice_count,
                                selection_columns(p),
                                x->basis_at,
                                p->first_entry,
                                loop_unknowns(p)};
    for (int i = 0; i < COUNTS; i++) text_printf(o, "%s%ld", i ? ", " : "    {", count[i]);
}

// --- data and functions --------------------------------------------------------------------------

typedef struct {
    const char *type, *name;
    bool wanted, jump; // by this model; by programs of jumps, too
} Member;

enum { MEMBERS = 24 };

static void find_members(const Writing *w, Member *m) {
    const Most *n = &w->most;
    bool whens = w->p->system->whens.branch_count > 0, clocks = has_clocks(w);
    bool selects = has_selections(w);
    const Member all[MEMBERS] = {{"const double *", "constant", true, true},
                                 {"const int *", "param", true, true},
                                 {"const int *", "choice", true, true},
                                 {"const model_switch_info *", "switch_of", n->switches, false},
                                 {"const model_setting *", "set_of", whens, false},
                                 {"const model_setting *", "reset_of", whens, false},
                                 {"const int *", "clock_table", clocks, false},
                                 {"const model_settling *", "settle_of", n->settles, false},
                                 {"const model_candidates *", "candidates_of", selects, false},
                                 {"const model_selection_info *", "selection_of", selects, false},
                                 {"const int *", "begin", n->blocks > 0, true},
                                 {"const unsigned *", "loop_place", has_loops(w), false},
                                 {"const int *", "loop_block", has_loops(w), false},
                                 {"", "selections_start", selects, false},
                                 {"", "selections", selects, false},
                                 {"", "outputs_code", true, true},
                                 {"", "rates", true, false},
                                 {"", "step_rates", w->quads, false},
                                 {"", "switches", n->switches, false},
                                 {"", "clocks", clocks, false},
                                 {"", "guards", true, false},
                                 {"", "memory", true, false},
                                 {"", "conditions", whens, false},
                                 {"", "actions", whens, false}};
    memcpy(m, all, sizeof all);
}

static void write_struct(const Member *m, Text *o) {
    text_add(o, "\ntypedef struct { // a program: of the start, of a mode, of the jump into it\n");
    for (int i = 0; i < COUNTS; i++)
        text_printf(o, "%s%s", i % 6 == 0 ? (i ? ";\n    int " : "    int ") : ", ", count_name[i]);
    text_add(o, ";\n    int (*prepare)(model_machine *m);\n");
    for (int i = 0; i < MEMBERS; i++) {
        if (!m[i].wanted) continue;
        if (*m[i].type)
            text_printf(o, "    %s%s;\n", m[i].type, m[i].name);
        else
            text_printf(o, "    int (*%s)(model_machine *m, double *result);\n", m[i].name);
    }
    text_add(o, "} model_part;\n");
}

static void write_params(const Writing *w, const Part *x, Text *o) {
    text_printf(o, "static const int model_%sparam[] = {", x->name);
    for (uint32_t i = 0; i < x->p->param_count; i++) {
        int at = 0;
        while (w->param_var[at] != x->p->param_var[i]) at++;
        text_printf(o, "%d, ", at);
    }
    text_add(o, "0};\n");
}

// Where the numbers of modes are held.
static void write_choice_places(const Writing *w, const Part *x, Text *o) {
    const Model *m = w->job->model;
    const Whens *n = &x->p->system->whens;
    text_printf(o, "static const int model_%schoice[] = {", x->name);
    for (int c = 0; c < m->choice_count; c++) {
        int place = -1;
        for (int i = 0; i < n->discrete_count; i++)
            if (n->discrete_var[i] == m->choice[c].var) place = i;
        text_printf(o, "%s%d", c ? ", " : "", place);
    }
    text_add(o, "};\n");
}

static void write_parts(const Writing *w, const Member *m, Text *o) {
    for (int k = 0; k < w->part_count; k++) {
        write_params(w, &w->part[k], o);
        write_choice_places(w, &w->part[k], o);
    }
    text_add(o, "static const model_part model_part_of[] = {\n");
    for (int k = 0; k < w->part_count; k++) {
        const Part *x = &w->part[k];
        write_counts(x, o);
        text_printf(o, ",\n     model_%sprepare", x->name);
        for (int i = 0; i < MEMBERS; i++) {
            if (!m[i].wanted) continue;
            if (x->jump && !m[i].jump)
                text_add(o, ", 0");
            else
                text_printf(o, ", model_%s%s", x->name, m[i].name);
        }
        text_add(o, "},\n");
    }
    text_add(o, "};\n\n");
}

static void write_macros(const Member *m, Text *o) {
    for (int i = 0; i < COUNTS; i++)
        if (!is_common(count_name[i]))
            text_printf(o, "#define model_%s (model_part_of[m->present].%s)\n", count_name[i],
                        count_name[i]);
    text_add(o, "#define model_prepare(m) (model_part_of[(m)->present].prepare(m))\n");
    for (int i = 0; i < MEMBERS; i++) {
        if (!m[i].wanted) continue;
        if (*m[i].type)
            text_printf(o, "#define model_%s (model_part_of[m->present].%s)\n", m[i].name,
                        m[i].name);
        else
            text_printf(o, "#define model_%s(m, x) (model_part_of[(m)->present].%s((m), (x)))\n",
                        m[i].name, m[i].name);
    }
}

// --- modes ---------------------------------------------------------------------------------------

static long most_tried(const Model *m) {
    long count = 1;
    for (int c = 0; c < m->choice_count && count < MOST_TRIED; c++) {
        int lasting = 0;
        for (int k = 0; k < m->choice[c].mode_count; k++)
            lasting += !m->mode[m->choice[c].first_mode + k].once;
        count *= lasting;
    }
    return count < MOST_TRIED ? count : MOST_TRIED;
}

static void write_choices(const Writing *w, Text *o) {
    const Model *m = w->job->model;
    const Memory *y = mode_store_memory(w->store);
    const int *kin = mode_store_kin(w->store);
    text_printf(o,
                "\nenum {\n    model_choice_count = %d,\n    model_part_count = %d,\n"
                "    model_combination_count = %d,\n    model_memory_states = %d,\n"
                "    model_work_count = %d,\n    model_most_tried = %ld\n};\n",
                m->choice_count, w->part_count, w->combination_count, y->state_count,
                2 * m->comp_count, most_tried(m));
    text_add(o, "static const struct { // modes of each choice\n    int first, count;\n"
                "} model_choice_of[] = {\n");
    for (int c = 0; c < m->choice_count; c++)
        text_printf(o, "    {%d, %d}, // %s\n", m->choice[c].first_mode, m->choice[c].mode_count,
                    name_text(m->names, m->choice[c].owner));
    text_add(o, "};\nstatic const struct { // of an instant? and the other one that its program "
                "serves, too\n    int once, kin;\n} model_mode_of[] = {\n");
    for (int k = 0; k < m->mode_count; k++)
        text_printf(o, "    {%d, %d}, // %s\n", m->mode[k].once, kin[k],
                    name_text(m->names, m->mode[k].name));
    text_add(o, "};\nstatic const struct { // -1: it has no solution, or is an instant\n    int "
                "part, jump, state_count;\n} model_combination_of[] = {\n");
    for (int k = 0; k < w->combination_count; k++)
        text_printf(o, "    {%d, %d, %d},\n", w->combination[k].part, w->combination[k].jump,
                    w->combination[k].state_count);
    text_printf(o, "};\nstatic const int model_combination_mode[][%d] = {\n", m->choice_count);
    for (int k = 0; k < w->combination_count; k++) {
        for (int c = 0; c < m->choice_count; c++)
            text_printf(o, "%s%d", c ? ", " : "    {", w->combination[k].mode[c]);
        text_add(o, "},\n");
    }
    text_add(o, "};\n");
}

void export_modes(Writing *w, Text *o) {
    Member member[MEMBERS];
    find_members(w, member);
    write_struct(member, o);
    write_parts(w, member, o);
    write_macros(member, o);
    write_choices(w, o);
}

void export_modes_fields(const Writing *w, Text *o, size_t *bytes) {
    const Model *m = w->job->model;
    const long n = m->choice_count, reals = m->mode_count + w->most.jump + 1 +
                                            mode_store_memory(w->store)->count + 1 +
                                            w->param_count + 1;
    text_printf(o,
                "    int present, home; // parts: the one that is evaluated, the one that holds\n"
                "    int at; // registers of the present one\n"
                "    int leaves, begun, last, listed;\n"
                "    int mode[%ld], other[%ld], list[%ld]; // that holds, while searching\n",
                n, n, n * most_tried(m));
    text_printf(o,
                "    model_real guard[%d], after_jump[%d], memory[%d], param[%d];\n"
                "    model_gaps mode_gaps[%ld];\n",
                m->mode_count, w->most.jump + 1, mode_store_memory(w->store)->count + 1,
                w->param_count + 1, n);
    *bytes += (size_t)(28 + 4 * n * (2 + most_tried(m)) + 48 * n) +
              (size_t)reals * (w->options->single ? 4 : 8);
}

void export_banks(Text *out, const char *text) {
    static const char word[] = "m->reg";
    for (const char *at; (at = strstr(text, word)); text = at + sizeof word - 1) {
        text_add_n(out, text, (size_t)(at - text));
        text_add(out, "(m->bank + m->at)");
    }
    text_add(out, text);
}
