// The readable listing of a program:
//
//     derivative: 3 instructions
//          0  r12 = mul r4 r9              // k*x
//          1  r12 = mulsub r5 r2
//       results  r12
#include "engine/program.h"

static void dump_register(Text *out, const Program *p, uint32_t r) {
    if (r < p->constant_count) {
        text_number(out, p->constant[r]);
    } else if (r >= p->first_param && r < p->first_param + p->param_count) {
        Name path = p->system->model->var[p->param_var[r - p->first_param]].path;
        text_add(out, name_text(p->system->model->names, path));
    } else if (r == p->time) {
        text_add(out, "time");
    } else if (r >= p->first_state && r < p->first_state + (uint32_t)p->state_count) {
        text_add(out, program_state_name(p, (int)(r - p->first_state)));
    } else {
        text_printf(out, "r%u", r);
    }
}

static void dump_operand(Text *out, const Program *p, uint32_t r) {
    text_char(out, ' ');
    dump_register(out, p, r);
}

static void dump_instruction(Text *out, const Program *p, Instruction c) {
    const TapeInfo *info = &tape_info[c.op];
    if (c.op == TAPE_BLOCK && c.b >= FIRST_MATRIX) {
        const TapeMatrix *t = &p->matrix[c.b - FIRST_MATRIX];
        text_printf(out, "%s of %d rows: r%u and on to r%u and on\n",
                    matrix_function_name(t->shape), t->shape.n, t->in, t->out);
        return;
    }
    if (c.op == TAPE_BLOCK) {
        text_printf(out, "block %u: %s\n", c.b, p->block[c.b].what);
        return;
    }
    text_printf(out, "r%u = %s", c.to, info->name);
    if (info->a) dump_operand(out, p, c.a);
    if (info->b) dump_operand(out, p, c.b);
    if (c.op == TAPE_SWITCH) text_printf(out, " %s 0, switch %u", c.aux ? "<=" : "<", c.b);
    if (c.op == TAPE_OP_TABLE || c.op == TAPE_OP_TABLE_SLOPE) text_printf(out, " table %u", c.b);
    text_char(out, '\n');
}

static void dump_function(Text *out, const Program *p, const char *name, const TapeFunction *f) {
    text_printf(out, "%s: %d instructions\n", name, f->count);
    for (int i = 0; i < f->count; i++) {
        text_printf(out, "  %5d  ", i);
        dump_instruction(out, p, f->code[i]);
    }
    if (f->result_count) text_add(out, "  results");
    for (int i = 0; i < f->result_count; i++) dump_operand(out, p, f->result[i]);
    if (f->result_count) text_char(out, '\n');
}

void program_dump(Text *out, const Program *p) {
    text_printf(out,
                "program: %u registers, %u constants, %u parameters, %d states, %d quadratures, "
                "%d outputs, %d switches, %d blocks, %d nonzeros\n",
                p->register_count, p->constant_count, p->param_count, p->state_count, p->quad_count,
                p->output_count, p->switch_count, p->block_count, p->nonzero_count);
    dump_function(out, p, "prepare", &p->prepare);
    dump_function(out, p, "initial", &p->initial);
    for (int i = 0; i < p->block_count; i++) {
        const TapeBlock *b = &p->block[i];
        text_printf(out, "block %d: %s, %s, unknowns r%u to r%u\n", i, b->what,
                    b->linear ? "linear" : "nonlinear", b->unknown,
                    b->unknown + (uint32_t)b->size - 1);
        dump_function(out, p, "  residual", &b->residual);
        dump_function(out, p, "  jacobian", &b->jacobian);
    }
    dump_function(out, p, "derivative", &p->derivative);
    dump_function(out, p, "outputs", &p->outputs);
    dump_function(out, p, "switches", &p->switches);
    dump_function(out, p, "jacobian", &p->jacobian);
    if (p->conditions.result_count == 0) return;
    dump_function(out, p, "conditions", &p->conditions);
    dump_function(out, p, "actions", &p->actions);
}
