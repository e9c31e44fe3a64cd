// The tape as C for the native engine.
//
//     static void rates_0(const BondynCall *c, double *restrict y) {      a part (native_order.h)
//         double *restrict r = c->r, *restrict s = c->s;                  registers, slots
//         const double t3 = r[12] * 0.5;  // arm.q1.f                     one value per line
//         s[0] = t3;                                                      a later part reads it
//     }
//     int bondyn_rates(BondynCall *c, double *y) { rates_0(c, y); ... }
//
// Every operation rounds as on the virtual machine, so the results are the same to the last bit.
#include "engine/c_output.h"
#include "engine/native.h"
#include "engine/native_blocks.h"
#include "engine/native_code.h"
#include "engine/native_forms.h"
#include "engine/native_writer.h"

#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

// --- operands ------------------------------------------------------------------------------------

static void write_register(Writer *w, uint32_t r) {
    if (r >= w->p->constant_count) {
        text_printf(w->out, "r[%u]", r);
        return;
    }
    bool bracket = w->lanes || signbit(w->p->constant[r]);
    if (bracket) text_add(w->out, w->lanes ? "each(" : "(");
    c_number(w->out, w->p->constant[r]);
    if (bracket) text_char(w->out, ')');
}

void write_ref(Writer *w, Ref ref) {
    if (ref < 0) {
        write_register(w, (uint32_t)~ref);
        return;
    }
    const Value *v = &w->o->value[ref];
    if (v->part != w->part)
        text_printf(w->out, "s[%d]", v->slot);
    else if (v->group >= 0)
        text_printf(w->out, "%s%d[%d]", w->o->f->code[ref].op == TAPE_OP_SIN ? "sin" : "cos",
                    v->group, v->lane);
    else
        text_printf(w->out, "t%d", ref);
}

static void write_operand(Writer *w, int i, int which) {
    if (w->loop)
        write_loop_operand(w, i, which);
    else
        write_ref(w, w->o->value[i].read[which]);
}

static void write_form(Writer *w, int i, const char *form) {
    for (; *form; form++) {
        if (*form == 'A')
            write_operand(w, i, READ_A);
        else if (*form == 'B')
            write_operand(w, i, READ_B);
        else if (*form == 'T')
            write_operand(w, i, READ_TO);
        else
            text_char(w->out, *form);
    }
}

// What is held during a step: of one run, or of every lane.
static void write_held(Writer *w, const char *what, unsigned number) {
    text_printf(w->out, w->lanes ? "((const BondynLanes *)c->%s)[%u]" : "c->%s[%u]", what, number);
}

static void write_table(Writer *w, Instruction c, int i) {
    const char *lanes = w->lanes ? "lanes_" : "", *name = tape_info[c.op].name;
    if (c.aux) {
        text_printf(w->out, "c->hold ? bondyn_%s%s_in(&bondyn_table_of[%u], ", lanes, name, c.b);
        write_held(w, "piece", c.aux - 1u);
        write_form(w, i, ", A) : ");
    }
    text_printf(w->out, "bondyn_%s%s(&bondyn_table_of[%u], ", lanes, name, c.b);
    write_form(w, i, "A)");
}

static void write_expression(Writer *w, int i) {
    Instruction c = w->o->f->code[i];
    const char *form = native_form((TapeOp)c.op, w->lanes);
    if (form) {
        write_form(w, i, form);
    } else if (c.op == TAPE_SWITCH) {
        text_add(w->out, "c->hold ? ");
        write_held(w, "truth", c.b);
        text_add(w->out, " : ");
        write_form(w, i, native_relation(c.aux, w->lanes));
    } else if (c.op == TAPE_OP_TABLE || c.op == TAPE_OP_TABLE_SLOPE) {
        write_table(w, c, i);
    } else if (c.op == TAPE_HELD) {
        text_add(w->out, "c->hold ? ");
        write_held(w, "piece", c.b);
        write_form(w, i, " : A");
    } else {
        text_printf(w->out, "%s%s(", w->lanes ? "bondyn_lanes_" : "",
                    w->lanes ? tape_info[c.op].name : c_function_name((TapeOp)c.op));
        write_form(w, i, tape_info[c.op].b ? "A, B)" : "A)");
    }
}

// --- statements ----------------------------------------------------------------------------------

static void write_comment(Writer *w, int i) {
    if (w->loop) return;
    const TapeFunction *f = w->o->f;
    int var = w->variable[f->origin[i]];
    if (var == 0 || (i + 1 < f->count && f->origin[i + 1] == f->origin[i])) return;
    const Model *m = w->p->system->model;
    text_printf(w->out, " // %s", name_text(m->names, m->var[var - 1].path));
}

// Where else a value goes: to its register when other functions read it, to its slot.
static void write_copies(Writer *w, int i) {
    const Value *v = &w->o->value[i];
    if (w->loop) {
        write_loop_copy(w, i);
        return;
    }
    if (v->home) {
        text_printf(w->out, "    r[%u] = ", w->o->f->code[i].to);
        write_ref(w, i);
        text_add(w->out, ";\n");
    }
    if (v->slot != NO_SLOT) {
        text_printf(w->out, "    s[%d] = ", v->slot);
        write_ref(w, i);
        text_add(w->out, ";\n");
    }
}

// One run: the angles are the lanes of one vector. A run per lane: each angle is a vector.
static void write_angles(Writer *w, int group, int count) {
    if (w->lanes)
        text_printf(w->out,
                    "};\n    BondynLanes sin%d[%d], cos%d[%d];\n"
                    "    for (int i = 0; i < %d; i++)\n"
                    "        bondyn_sincos(angle%d[i], &sin%d[i], &cos%d[i]);",
                    group, count, group, count, count, group, group, group);
    else
        text_printf(w->out,
                    "};\n    double sin%d[BONDYN_LANES], cos%d[BONDYN_LANES];\n"
                    "    bondyn_angles(angle%d, sin%d, cos%d);",
                    group, group, group, group, group);
}

static void write_group(Writer *w, int first) {
    int group = w->o->value[first].group, end = first, filled = 0;
    const Value *v = w->o->value;
    text_printf(w->out, "    BondynLanes angle%d%s = {", group, w->lanes ? "[]" : "");
    for (; end < w->o->f->count && v[end].group == group; end++) {
        if (v[end].lane < filled) continue;
        if (filled++) text_add(w->out, ", ");
        write_ref(w, v[end].read[READ_A]);
    }
    write_angles(w, group, filled);
    for (int i = first; i < end; i++) write_comment(w, i);
    text_char(w->out, '\n');
    for (int i = first; i < end; i++) write_copies(w, i);
}

void write_statement(Writer *w, int i) {
    if (w->o->value[i].group >= 0) {
        write_group(w, i);
        return;
    }
    text_printf(w->out, "    const %s t%d = ", w->type, i);
    write_expression(w, i);
    text_char(w->out, ';');
    write_comment(w, i);
    text_char(w->out, '\n');
    write_copies(w, i);
}

static void write_results(Writer *w, const Part *part, int split) {
    for (int i = part->first_result; i < part->end_result; i++) {
        text_printf(w->out, "    y[%d] = ", part->second ? i - split : i);
        write_ref(w, w->o->result[i]);
        text_add(w->out, ";\n");
    }
}

// --- functions -----------------------------------------------------------------------------------

static void write_part(Writer *w, const char *name, int k, int split) {
    const Order *o = w->o;
    const Part *part = &o->part.data[k];
    w->part = k;
    text_printf(w->out,
                "\nstatic void %s_%d(const BondynCall *c, %s *restrict y) {\n"
                "    %s *restrict r = (%s *)c->r, *restrict s = (%s *)c->s + %d;\n"
                "    (void)r, (void)s, (void)y;\n",
                name, k, w->type, w->type, w->type, w->type, w->first_slot);
    if (part->loop >= 0)
        write_loop(w, part);
    else
        for (int i = 0; i < part->count; i++)
            write_statement(w, o->statement.data[part->first + i]);
    write_results(w, part, split);
    text_add(w->out, "}\n");
}

static void write_calls(Writer *w, const char *name, bool second, const char *to) {
    for (int k = 0; k < w->o->part.count; k++) {
        if (w->o->part.data[k].second != second) continue;
        if (w->o->part.data[k].block >= 0)
            text_printf(w->out,
                        w->lanes ? "    bondyn_solve_%d(c);\n"
                                 : "    if (!c->solve(c->machine, %d, 1)) return 0;\n",
                        w->o->part.data[k].block);
        text_printf(w->out, "    %s_%d(c, %s);\n", name, k, to);
    }
}

// How many instructions loops must stand for: of a long tape the better half.
static int least_rolled(const Writer *w, int instructions) {
    if (w->rolling == ROLL_ALWAYS) return 0;
    return w->rolling == ROLL_LONG && instructions >= LONG_TAPE ? instructions / 2 : NO_LOOPS;
}

static void write_parts(Writer *w, Order *o, const char *name, const TapeFunction *f, int half,
                        int split, int most) {
    order_open(o, w->p, f, half, split, w->width, least_rolled(w, half), most);
    w->o = o;
    if (w->first_slot + o->slots > w->slots) w->slots = w->first_slot + o->slots;
    for (int k = 0; k < o->part.count; k++) write_part(w, name, k, split);
}

bool native_quick(const TapeFunction *f) { return f->count > PART_STATEMENTS; }

// Long functions that are called rarely, above all Jacobians, are compiled with few of the passes
// of gcc: such code reads two values from memory, computes and goes on, and gains nothing from the
// others. This takes a quarter of the time, and the code is as fast.
#define QUICK_BEGIN                                                                                \
    "\n#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC push_options\n"                   \
    "#pragma GCC optimize(\"Og\", \"no-schedule-insns\", \"no-rename-registers\", "                \
    "\"no-tree-pta\", "                                                                            \
    "\"no-tree-dominator-opts\", \"no-tree-dse\", \"no-tree-sink\", \"no-tree-slsr\", "            \
    "\"no-tree-ccp\", \"no-tree-bit-ccp\", \"no-tree-forwprop\", \"no-tree-fre\", "                \
    "\"no-tree-copy-prop\", \"no-tree-phiprop\", \"no-tree-sra\", \"no-ssa-phiopt\", "             \
    "\"no-tree-ch\", \"no-dse\", \"no-dce\", \"no-cprop-registers\", \"no-compare-elim\", "        \
    "\"no-forward-propagate\", \"no-if-conversion\", \"no-if-conversion2\")\n#endif\n"
#define QUICK_END "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC pop_options\n#endif\n"

static void write_function(Writer *w, const char *name, const TapeFunction *f, bool quick) {
    Order o;
    if (quick) text_add(w->out, QUICK_BEGIN);
    write_parts(w, &o, name, f, f->count, f->result_count,
                quick ? QUICK_STATEMENTS : PART_STATEMENTS);
    if (quick) text_add(w->out, QUICK_END);
    text_printf(w->out, "\nint bondyn_%s(BondynCall *c, %s *y) {\n", name, w->type);
    write_calls(w, name, false, "y");
    text_add(w->out, "    return 1;\n}\n");
    w->o = NULL;
    order_close(&o);
}

// What a derivative call does not need. Over lanes helpers must be in line.
static void write_rare(Writer *w, const char *name, const TapeFunction *f) {
    write_function(w, name, f, !w->lanes && native_quick(f));
}

// Rates alone, or rates and quadratures.
static void write_derivative(Writer *w) {
    const Program *p = w->p;
    Order o;
    write_parts(w, &o, "rates", &p->derivative, p->rate_code, p->state_count, PART_STATEMENTS);
    text_printf(w->out, "\nint bondyn_rates(BondynCall *c, %s *y) {\n", w->type);
    write_calls(w, "rates", false, "y");
    text_printf(w->out, "    return 1;\n}\n\nint bondyn_quads(BondynCall *c, %s *y, %s *q) {\n",
                w->type, w->type);
    write_calls(w, "rates", false, "y");
    if (p->quad_count == 0) text_add(w->out, "    (void)q;\n");
    write_calls(w, "rates", true, "q");
    text_add(w->out, "    return 1;\n}\n");
    w->o = NULL;
    order_close(&o);
}

static void write_residual_or_matrix(Writer *w, int block, bool matrix) {
    const TapeBlock *b = &w->p->block[block];
    Text name = {0};
    text_printf(&name, "%s_of_%d", matrix ? "matrix" : "residual", block);
    write_function(w, text_get(&name), matrix ? &b->jacobian : &b->residual, false);
    text_free(&name);
}

// Blocks are called in the middle of other functions, so they use slots behind those of all others.
static void write_blocks(Writer *w) {
    const Program *p = w->p;
    w->first_slot = w->slots;
    for (int i = 0; i < p->block_count; i++)
        for (int k = 0; k < 2; k++) write_residual_or_matrix(w, i, k);
    for (int k = 0; k < 2; k++) {
        const char *what = k ? "matrix" : "residual";
        text_printf(w->out, "\nint (*const bondyn_%s[])(BondynCall *, %s *) = {", what, w->type);
        for (int i = 0; i < p->block_count; i++) text_printf(w->out, "bondyn_%s_of_%d, ", what, i);
        text_add(w->out, "0};\n");
    }
}

// With a run per lane: the blocks that are solved in lanes, each with the function that solves it.
static void write_lane_blocks(Writer *w, const LaneBlocks *blocks) {
    w->first_slot = w->slots;
    for (int i = 0; i < w->p->block_count; i++) {
        if (blocks->solved[i]) write_residual_or_matrix(w, i, false);
        if (blocks->matrix[i]) write_residual_or_matrix(w, i, true);
    }
    for (int i = 0; i < w->p->block_count; i++)
        if (blocks->solved[i]) native_lane_block(w->out, w->p, i);
}

// --- the whole text ------------------------------------------------------------------------------

// Angles of one run, put together.
static const char angle_helper[] = "static inline __attribute__((always_inline)) void "
                                   "bondyn_angles(BondynLanes x, double *sine, double *cosine) {\n"
                                   "    BondynLanes s, c;\n"
                                   "    bondyn_sincos(x, &s, &c);\n"
                                   "    memcpy(sine, &s, sizeof s);\n"
                                   "    memcpy(cosine, &c, sizeof c);\n"
                                   "}\n";

static void write_legend(Writer *w) {
    const Program *p = w->p;
    const Model *m = p->system->model;
    text_printf(w->out, "\n// r[%u] = time\n", p->time);
    for (int i = 0; i < p->state_count; i++)
        text_printf(w->out, "// r[%u] = %s\n", p->first_state + (uint32_t)i,
                    program_state_name(p, i));
    for (uint32_t i = 0; i < p->param_count; i++)
        text_printf(w->out, "// r[%u] = %s\n", p->first_param + i,
                    name_text(m->names, m->var[p->param_var[i]].path));
}

// gcc orders straight-line code again before it assigns registers, with an eye on how many there
// are: fewer values wait in memory. As text, for clang does not know one of the flags.
#define SCHEDULING                                                                                 \
    "#if defined(__GNUC__) && !defined(__clang__)\n"                                               \
    "#pragma GCC optimize(\"schedule-insns\", \"sched-pressure\")\n#endif\n\n"

static void write_helpers(Writer *w, int width) {
    text_add(w->out, "// Native code of a model, written by Bondyn " BONDYN_VERSION ".\n"
                     "#include <math.h>\n#include <string.h>\n" SCHEDULING NATIVE_CALL_TEXT);
    c_scalar_helpers(w->out);
    native_vectors(w->out, width);
    if (w->lanes)
        native_lane_helpers(w->out);
    else
        text_add(w->out, angle_helper);
    c_tables(w->out, w->p, "bondyn");
    if (w->lanes && w->p->table_count) native_lane_tables(w->out);
    write_legend(w);
}

static void write_end(Writer *w) {
    text_printf(w->out, "\nconst unsigned bondyn_slots = %d, bondyn_registers = %u;\n", w->slots,
                w->p->register_count);
    free(w->variable);
}

void native_text(Text *out, const Program *p, bool jacobian, int width, Rolling rolling) {
    Writer w = {.out = out, .p = p, .width = width, .type = "double", .rolling = rolling};
    w.variable = c_variables_by_node(p);
    write_helpers(&w, width);
    write_derivative(&w);
    write_rare(&w, "outputs", &p->outputs);
    write_rare(&w, "switches", &p->switches);
    if (p->guards.result_count) write_rare(&w, "guards", &p->guards);
    if (p->memory.result_count) write_rare(&w, "memory", &p->memory);
    if (jacobian && p->has_jacobian) write_rare(&w, "jacobian", &p->jacobian);
    write_blocks(&w);
    if (!order_solves(&p->derivative)) native_steps(out, p, false);
    write_end(&w);
}

enum { ANGLES_TOGETHER = 8 }; // of a run per lane: a loop

void native_lane_text(Text *out, const Program *p, int lanes, Rolling rolling) {
    Writer w = {.out = out,
                .p = p,
                .width = ANGLES_TOGETHER,
                .lanes = true,
                .type = "BondynLanes",
                .rolling = rolling};
    w.variable = c_variables_by_node(p);
    LaneBlocks blocks = lane_blocks(p);
    write_helpers(&w, lanes);
    native_lane_solvers(out, p, &blocks);
    write_derivative(&w);
    write_rare(&w, "outputs", &p->outputs);
    write_rare(&w, "switches", &p->switches);
    write_lane_blocks(&w, &blocks);
    native_steps(out, p, true);
    lane_blocks_free(&blocks);
    write_end(&w);
}
