// Tapes as C functions. Temporaries are local variables, each written once; what other functions read
// stays in the registers of the machine:
//
//     // spring.e = k*spring.q                      the equation
//     double v3 = r[12] * r[17];                    its code
//
// Compilers take more than linear time over one function: long tapes become several, and what one of
// them hands to the next goes through its register.
#include "export/tape_text.h"

#include "base/memory.h"
#include "engine/c_output.h"
#include "equations/listing.h"
#include <math.h>
#include <stdlib.h>

enum { LINES_PER_FUNCTION = 1500, LONGEST_COMMENT = 2000, GROUP = 4, LONG_TAPE = 500 };

// --- equations as comments -----------------------------------------------------------------------

static void add_comment(Writing *w, Expr node, const char *name, Text *formula) {
    if (w->comment_of[node] || expr_op(w->p->system->dag, node) == OP_SYMBOL) return;
    Text *c = &w->comment[w->comment_count++];
    text_printf(c, "%s = ", name);
    text_add_n(c, text_get(formula),
               formula->length > LONGEST_COMMENT ? LONGEST_COMMENT : formula->length);
    if (formula->length > LONGEST_COMMENT) text_add(c, " ...");
    w->comment_of[node] = w->comment_count;
}

static void comment_values(Writing *w, Listing *l, Text *formula) {
    const System *s = w->p->system;
    for (int v = 0; s->value && v < s->model->var_count; v++) {
        if (!s->value[v] || s->model->var[v].kind == VAR_PARAM) continue;
        Op op = expr_op(s->dag, s->value[v]);
        if (op == OP_SYMBOL || op == OP_NUMBER || w->comment_of[s->value[v]]) continue;
        text_clear(formula);
        l->printing = s->value[v];
        listing_expr(formula, l, s->value[v]);
        l->printing = 0;
        add_comment(w, s->value[v], name_text(s->model->names, s->model->var[v].path), formula);
    }
}

// Rates first: they are what the model is about. Then parts with names, then all other variables.
void export_comments(Writing *w) {
    const System *s = w->p->system;
    Listing l;
    Text formula = {0}, name = {0};
    listing_open(&l, s, PRINT_TEXT);
    w->comment_of = memory_zeroed((size_t)dag_size(s->dag) + 1, sizeof *w->comment_of);
    size_t most = (size_t)s->state_count + (size_t)l.definition.count + (size_t)s->model->var_count;
    w->comment = memory_zeroed(most + 1, sizeof *w->comment);
    for (int i = 0; i < s->state_count; i++) {
        text_clear(&formula);
        text_clear(&name);
        listing_expr(&formula, &l, s->rate[i]);
        listing_der(&name, &l, i);
        add_comment(w, s->rate[i], text_get(&name), &formula);
    }
    for (int i = 0; i < l.definition.count; i++) {
        text_clear(&formula);
        listing_definition(&formula, &l, i);
        add_comment(w, l.definition.data[i].node, l.definition.data[i].name, &formula);
    }
    comment_values(w, &l, &formula);
    text_free(&formula);
    text_free(&name);
    listing_close(&l);
}

void export_comments_free(Writing *w) {
    for (int i = 0; i < w->comment_count; i++) text_free(&w->comment[i]);
    free(w->comment);
    free(w->comment_of);
    w->comment = NULL;
    w->comment_of = NULL;
    w->comment_count = 0;
}

// --- which values live where ---------------------------------------------------------------------

bool tape_is_local(const Writing *w, uint32_t reg) {
    return reg >= w->p->register_count || (reg >= w->p->first_work && !w->memory[reg]);
}

// What an inner function reads before it writes comes from around it.
static void find_read_first(const Part *part, const TapeFunction *f, bool *written) {
    for (uint32_t i = 0; i < part->p->register_count; i++) written[i] = false;
    for (int i = 0; i < f->count; i++) {
        Instruction c = f->code[i];
        const TapeInfo *info = &tape_info[c.op];
        if (info->a && !written[c.a]) part->memory[c.a] = true;
        if (info->b && !written[c.b]) part->memory[c.b] = true;
        if (info->to && !written[c.to]) part->memory[c.to] = true;
        if (c.op != TAPE_BLOCK) written[c.to] = true;
    }
    for (int i = 0; i < f->result_count; i++)
        if (!written[f->result[i]]) part->memory[f->result[i]] = true;
}

void export_memory(Writing *w, Part *part) {
    const Program *p = part->p;
    bool *written = ARENA_ARRAY(&w->tmp, bool, p->register_count);
    part->memory = ARENA_ARRAY(&w->tmp, bool, p->register_count);
    for (int i = 0; i < p->block_count; i++) {
        find_read_first(part, &p->block[i].residual, written);
        if (p->block[i].matrix == i) find_read_first(part, &p->block[i].jacobian, written);
        for (int k = 0; k < p->block[i].size; k++) part->memory[p->block[i].guess[k]] = true;
    }
}

// --- one function --------------------------------------------------------------------------------

static void mark_reads(Instruction c, bool *wanted) {
    const TapeInfo *info = &tape_info[c.op];
    if (info->a) wanted[c.a] = true;
    if (info->b) wanted[c.b] = true;
    if (info->to) wanted[c.to] = true;
}

// Backwards: what nobody reads is left out, but blocks are solved in any case.
static void find_live(TapeText *t, const uint32_t *result, int result_count) {
    bool *wanted = memory_zeroed(t->registers, sizeof *wanted);
    for (int i = 0; i < result_count; i++) wanted[result[i]] = true;
    for (int i = t->count - 1; i >= 0; i--) {
        Instruction c = t->f->code[i];
        t->live[i] = c.op == TAPE_BLOCK || !tape_is_local(t->w, c.to) || wanted[c.to];
        if (!t->live[i] || c.op == TAPE_BLOCK) continue;
        wanted[c.to] = false;
        mark_reads(c, wanted);
    }
    free(wanted);
}

static void note_read(TapeText *t, uint32_t reg, int part) {
    int def = t->def[reg];
    if (def < 0 || t->part_of[def] == part) return;
    t->spilt[def] = true;
    if (reg >= t->w->p->register_count && !t->slot[def]) t->slot[def] = ++t->slots;
}

static int find_parts(TapeText *t, const uint32_t *result, int result_count) {
    int lines = 0;
    for (uint32_t i = 0; i < t->registers; i++) t->def[i] = -1;
    for (int i = 0; i < t->count; i++) {
        Instruction c = t->f->code[i];
        const TapeInfo *info = &tape_info[c.op];
        if (!t->live[i]) continue;
        t->part_of[i] = lines++ / LINES_PER_FUNCTION;
        if (info->a) note_read(t, c.a, t->part_of[i]);
        if (info->b) note_read(t, c.b, t->part_of[i]);
        if (info->to) note_read(t, c.to, t->part_of[i]);
        if (c.op != TAPE_BLOCK) t->def[c.to] = i;
    }
    int last = lines ? (lines - 1) / LINES_PER_FUNCTION : 0;
    for (int i = 0; i < result_count; i++) note_read(t, result[i], last);
    for (uint32_t i = 0; i < t->registers; i++) t->def[i] = -1;
    return last + 1;
}

// Angles, roots and reciprocals: what processors compute several of at once. 0: none of these.
static int kind_of(const TapeText *t, int i) {
    TapeOp op = (TapeOp)t->f->code[i].op;
    return t->live[i] ? tape_kind(op) : 0;
}

// A run of one kind from i on, of up to four operands, which are computed together. Gives: what is behind it.
static int group_run(TapeText *t, int i) {
    uint32_t operand[GROUP];
    int count = 0, first = i, part = t->part_of[i], kind = kind_of(t, i);
    for (; i < t->count; i++) {
        const Instruction *c = &t->f->code[i];
        int k = 0;
        if (!t->live[i]) continue;
        if (kind_of(t, i) != kind || t->part_of[i] != part || t->def[c->a] >= first) break;
        while (k < count && operand[k] != c->a) k++;
        if (k == GROUP) break;
        if (k == count) operand[count++] = c->a;
        t->group[i] = first;
        t->lane[i] = k;
        t->def[c->to] = i; // the sine of a sine, and another angle in the same place, are others
    }
    t->lanes[first] = count;
    for (int k = first; count == 1 && kind != KIND_ANGLE && k < i; k++) t->group[k] = -1;
    return i;
}

// Needs: `def` empty, and so it is left.
static void find_groups(TapeText *t) {
    for (int i = 0; i < t->count; i++) t->group[i] = -1;
    for (int i = 0; i < t->count && !t->tangent;) i = kind_of(t, i) ? group_run(t, i) : i + 1;
    for (uint32_t i = 0; i < t->registers; i++) t->def[i] = -1;
}

void tape_operand(TapeText *t, uint32_t reg) {
    const Program *p = t->w->p;
    int def = t->def[reg];
    if (def >= 0 && !t->spilt[def] && tape_is_local(t->w, reg)) {
        text_printf(&t->body, "v%d", def);
    } else if (def >= 0 && t->slot[def]) {
        text_printf(&t->body, "s[%d]", t->slot[def] - 1);
    } else if (reg < p->constant_count) {
        bool sign = signbit(p->constant[reg]);
        if (sign) text_char(&t->body, '(');
        c_number(&t->body, p->constant[reg]);
        if (sign) text_char(&t->body, ')');
    } else {
        text_printf(&t->body, "r[%u]", reg);
        t->uses_registers = true;
    }
}

static void write_pair(TapeText *t, Instruction c, const char *between) {
    tape_operand(t, c.a);
    text_add(&t->body, between);
    tape_operand(t, c.b);
}

void tape_table(TapeText *t, Instruction c, TapeOp op) {
    int number = export_table(t->w, t->w->p->table[c.b]);
    const char *name = tape_info[op].name;
    if (c.aux) {
        text_printf(&t->body, "m->hold ? bondyn_%s_in(&model_table_of[%d], (int)m->piece[%u], ",
                    name, number, c.aux - 1u);
        tape_operand(t, c.a);
        text_add(&t->body, ") : ");
    }
    text_printf(&t->body, "bondyn_%s(&model_table_of[%d], ", name, number);
    tape_operand(t, c.a);
    text_char(&t->body, ')');
}

static void write_call(TapeText *t, Instruction c) {
    text_printf(&t->body, "%s(", c_function_name((TapeOp)c.op));
    tape_operand(t, c.a);
    if (tape_info[c.op].b) {
        text_add(&t->body, ", ");
        tape_operand(t, c.b);
    }
    text_char(&t->body, ')');
}

static void write_logic(TapeText *t, Instruction c) {
    Text *o = &t->body;
    switch ((TapeOp)c.op) {
    case TAPE_SELECT:
        tape_operand(t, c.a);
        text_add(o, " != 0 ? ");
        tape_operand(t, c.b);
        text_add(o, " : ");
        tape_operand(t, c.to);
        break;
    case TAPE_SWITCH:
        text_printf(o, "m->hold ? m->held[%u] : ", c.b);
        tape_operand(t, c.a);
        text_add(o, c.aux ? " <= 0" : " < 0");
        break;
    case TAPE_HELD:
        text_printf(o, "m->hold ? m->piece[%u] : ", c.b);
        tape_operand(t, c.a);
        break;
    case TAPE_OP_AND:
    case TAPE_OP_OR:
        write_pair(t, c, c.op == TAPE_OP_AND ? " != 0 && " : " != 0 || ");
        text_add(o, " != 0");
        break;
    case TAPE_OP_NOT:
        tape_operand(t, c.a);
        text_add(o, " == 0");
        break;
    default: write_call(t, c);
    }
}

static void write_value(TapeText *t, Instruction c) {
    Text *o = &t->body;
    switch ((TapeOp)c.op) {
    case TAPE_COPY: tape_operand(t, c.a); break;
    case TAPE_ADD: write_pair(t, c, " + "); break;
    case TAPE_SUB: write_pair(t, c, " - "); break;
    case TAPE_MUL: write_pair(t, c, " * "); break;
    case TAPE_DIV: write_pair(t, c, " / "); break;
    case TAPE_OP_LESS: write_pair(t, c, " < "); break;
    case TAPE_OP_LESS_EQUAL: write_pair(t, c, " <= "); break;
    case TAPE_OP_EQUAL: write_pair(t, c, " == "); break;
    case TAPE_NEG:
        text_char(o, '-');
        tape_operand(t, c.a);
        break;
    case TAPE_SQUARE: write_pair(t, (Instruction){.a = c.a, .b = c.a}, " * "); break;
    case TAPE_RECIPROCAL:
        text_add(o, "1 / ");
        tape_operand(t, c.a);
        break;
    case TAPE_MULADD:
    case TAPE_MULSUB:
        tape_operand(t, c.to);
        text_add(o, c.op == TAPE_MULADD ? " + " : " - ");
        write_pair(t, c, " * ");
        break;
    case TAPE_OP_TABLE:
    case TAPE_OP_TABLE_SLOPE: tape_table(t, c, (TapeOp)c.op); break;
    default: write_logic(t, c);
    }
}

static void write_equation(TapeText *t, int i) {
    Expr node = t->f->origin[i];
    if (i > 0 && t->f->origin[i - 1] == node) return;
    int number = t->w->comment_of[node];
    if (number) text_printf(&t->body, "    // %s\n", text_get(&t->w->comment[number - 1]));
}

static void write_operands(TapeText *t, int first) {
    int written = 0;
    for (int i = first; written < t->lanes[first]; i++) {
        if (t->group[i] != first || t->lane[i] < written) continue;
        if (written++) text_add(&t->body, ", ");
        tape_operand(t, t->f->code[i].a);
    }
}

static void write_group(TapeText *t, int first) {
    static const char *const name[] = {"", "", "2", "4", "4"};
    int count = t->lanes[first], kind = kind_of(t, first);
    if (kind == KIND_ANGLE)
        text_printf(&t->body, "    double s%d[%d], c%d[%d];\n    bondyn_sincos%s(", first, GROUP,
                    first, GROUP, name[count]);
    else
        text_printf(&t->body, "    double g%d[] = {", first);
    write_operands(t, first);
    if (kind == KIND_ANGLE)
        text_printf(&t->body, "%s, s%d, c%d);\n", count == 3 ? ", 0" : "", first, first);
    else
        text_printf(&t->body, "};\n    for (int i = 0; i < %d; i++) g%d[i] = %sg%d[i]%s;\n", count,
                    first, kind == KIND_ROOT ? "sqrt(" : "1 / ", first,
                    kind == KIND_ROOT ? ")" : "");
}

static void write_member(TapeText *t, int i) {
    TapeOp op = (TapeOp)t->f->code[i].op;
    char array = op == TAPE_OP_SIN ? 's' : op == TAPE_OP_COS ? 'c' : 'g';
    text_printf(&t->body, "%c%d[%d]", array, t->group[i], t->lane[i]);
}

static void write_line(TapeText *t, int i) {
    Instruction c = t->f->code[i];
    if (c.op == TAPE_BLOCK) {
        unsigned number = (unsigned)t->w->now->first_block + c.b;
        text_printf(&t->body, "    if (!bondyn_block(m, %u)", number);
        if (t->tangent) text_printf(&t->body, " || !bondyn_block_tangent(m, %u, d)", number);
        text_add(&t->body, ") return 0;\n");
        return;
    }
    write_equation(t, i);
    if (t->tangent) t->active[i] = tangent_is_active(t, c);
    if (t->tangent) {
        text_printf(&t->body, "    double v%d = ", i);
        write_value(t, c);
        text_add(&t->body, ";\n");
        tangent_line(t, i);
        t->def[c.to] = i;
        return;
    }
    bool local = tape_is_local(t->w, c.to) && !t->spilt[i];
    if (t->group[i] == i) write_group(t, i);
    if (t->slot[i])
        text_printf(&t->body, "    s[%d] = ", t->slot[i] - 1);
    else
        text_printf(&t->body, local ? "    double v%d = " : "    r[%d] = ", local ? i : (int)c.to);
    t->uses_registers = t->uses_registers || !(local || t->slot[i]);
    if (t->group[i] >= 0)
        write_member(t, i);
    else
        write_value(t, c);
    text_add(&t->body, ";\n");
    t->def[c.to] = i;
}

// Long ones that are called most; short ones lose more by not being in line than they gain.
static bool is_worth_clones(const TapeText *t, const char *name) {
    bool rates = strcmp(name, "rates") == 0 || strcmp(name, "step_rates") == 0;
    return rates && !t->tangent && !*t->w->now->name && t->count >= LONG_TAPE;
}

static void close_part(TapeText *t, const char *name, int part, bool last, int result_count) {
    Text *o = t->out;
    text_printf(o, "\n%sstatic int model_%s", is_worth_clones(t, name) ? "BONDYN_FAST " : "", name);
    if (!last) text_printf(o, "_part%d", part);
    text_printf(o, "(model_machine *m%s%s%s) {\n", t->tangent ? ", double *d" : "",
                result_count < 0 ? ""
                : t->tangent     ? ", double *result, double *along"
                                 : ", double *result",
                t->slots && !last ? ", double *s" : "");
    if (t->slots && last) text_printf(o, "    double s[%d]; // from part to part\n", t->slots);
    if (t->uses_registers) text_add(o, "    double *const r = m->reg;\n");
    if (!strstr(text_get(&t->body), "m->") && !strstr(text_get(&t->body), "(m") &&
        !t->uses_registers)
        text_add(o, "    (void)m;\n");
    bool idle = result_count == 0 || (result_count > 0 && !last);
    if (idle) text_add(o, "    (void)result;\n");
    if (idle && t->tangent) text_add(o, "    (void)along;\n");
    if (t->tangent) text_add(o, "    (void)d;\n");
    text_add_n(o, text_get(&t->body), t->body.length);
    text_add(o, "    return 1;\n}\n");
    text_clear(&t->body);
    t->uses_registers = false;
}

static void write_parts(TapeText *t, const char *name, int parts, const uint32_t *result,
                        int result_count) {
    int part = 0;
    for (int i = 0; i < t->count; i++) {
        if (!t->live[i]) continue;
        if (t->part_of[i] != part) close_part(t, name, part++, false, result ? result_count : -1);
        write_line(t, i);
    }
    Text tail = t->body;
    t->body = (Text){0};
    for (int i = 0; i + 1 < parts; i++)
        text_printf(&t->body, "    if (!model_%s_part%d(m%s%s%s%s)) return 0;\n", name, i,
                    t->tangent ? ", d" : "", result ? ", result" : "",
                    result && t->tangent ? ", along" : "", t->slots ? ", s" : "");
    text_add_n(&t->body, text_get(&tail), tail.length);
    text_free(&tail);
    for (int i = 0; result && i < result_count; i++) {
        text_printf(&t->body, "    result[%d] = ", i);
        tape_operand(t, result[i]);
        text_add(&t->body, ";\n");
        if (!t->tangent) continue;
        text_printf(&t->body, "    along[%d] = ", i);
        tangent_result(t, result[i]);
        text_add(&t->body, ";\n");
    }
    close_part(t, name, part, true, result ? result_count : -1);
}

static void write_tape(TapeText *t, const char *name, const uint32_t *result, int result_count) {
    const size_t count = (size_t)t->count + 1;
    t->live = memory_zeroed(count, sizeof *t->live);
    t->spilt = memory_zeroed(count, sizeof *t->spilt);
    t->active = memory_zeroed(count, sizeof *t->active);
    t->part_of = memory_zeroed(count, sizeof *t->part_of);
    t->group = memory_zeroed(count, sizeof *t->group);
    t->lane = memory_zeroed(count, sizeof *t->lane);
    t->slot = memory_zeroed(count, sizeof *t->slot);
    t->lanes = memory_zeroed(count, sizeof *t->lanes);
    t->def = memory_zeroed(t->registers, sizeof *t->def);
    find_live(t, result, result_count);
    int parts = find_parts(t, result, result_count);
    find_groups(t);
    write_parts(t, name, parts, result, result_count);
    free(t->live);
    free(t->spilt);
    free(t->active);
    free(t->part_of);
    free(t->group);
    free(t->lane);
    free(t->slot);
    free(t->lanes);
    free(t->def);
    text_free(&t->body);
}

void export_tape(Writing *w, Text *out, const char *name, const TapeFunction *f, int count,
                 const uint32_t *result, int result_count) {
    Arena tmp = {0};
    TapeFunction ordered;
    TapeText t = {.w = w, .out = out, .f = f, .count = count, .registers = w->p->register_count};
    t.registers = export_order(w, &tmp, f, count, result, result_count, &ordered);
    t.f = &ordered;
    t.count = ordered.count;
    result = ordered.result;
    write_tape(&t, name, result, result_count);
    arena_free(&tmp);
}

void export_tangent(Writing *w, Text *out, const char *name, const TapeFunction *f, int count,
                    const uint32_t *result, int result_count) {
    TapeText t = {.w = w,
                  .out = out,
                  .f = f,
                  .count = count,
                  .registers = w->p->register_count,
                  .tangent = true};
    write_tape(&t, name, result, result_count);
}

// --- operations ----------------------------------------------------------------------------------

static void count_in(const Program *p, const TapeFunction *f, int count, ExportCounts *n) {
    for (int i = 0; i < count; i++) {
        Instruction c = f->code[i];
        switch ((TapeOp)c.op) {
        case TAPE_ADD:
        case TAPE_SUB: n->sums++; break;
        case TAPE_MUL:
        case TAPE_SQUARE: n->products++; break;
        case TAPE_MULADD:
        case TAPE_MULSUB: n->sums++, n->products++; break;
        case TAPE_DIV:
        case TAPE_RECIPROCAL: n->divisions++; break;
        case TAPE_COPY:
        case TAPE_NEG: break;
        case TAPE_BLOCK: {
            const TapeBlock *b = &p->block[c.b];
            n->blocks++;
            count_in(p, &b->residual, b->residual.count, n);
            count_in(p, &p->block[b->matrix].jacobian, p->block[b->matrix].jacobian.count, n);
            break;
        }
        case TAPE_SELECT:
        case TAPE_SWITCH:
        case TAPE_HELD:
        case TAPE_OP_LESS:
        case TAPE_OP_LESS_EQUAL:
        case TAPE_OP_EQUAL:
        case TAPE_OP_AND:
        case TAPE_OP_OR:
        case TAPE_OP_NOT:
        case TAPE_OP_MIN:
        case TAPE_OP_MAX: n->choices++; break;
        default: n->functions++;
        }
    }
}

ExportCounts export_count(const Writing *w, const TapeFunction *f, int count) {
    ExportCounts n = {0};
    count_in(w->p, f, count, &n);
    return n;
}
