// The tape as C17: the same instructions in the same order, one per line, so compiled without
// contraction (-ffp-contract=off) it gives the same numbers as the virtual machine, bit by bit.
//
//     typedef struct { double reg[...]; ... } crane_machine;
//     size_t crane_machine_size(void);
//     void crane_init(crane_machine *m);                           constants, default parameters
//     void crane_set_params(crane_machine *m, const double *p);
//     void crane_initial(crane_machine *m, double time, double *state);
//     int crane_derivative(crane_machine *m, double time, const double *state, double *rate,
//                          double *quad);                          0: a block has no solution
#include "engine/c_output.h"
#include "base/array.h"
#include "base/memory.h"
#include "engine/program.h"
#include "expr/trig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Text *out;
    const Program *p;
    const char *prefix;
    int *variable; // per node: the model variable with this value + 1, or 0
} Writer;

// As in expr/kernels.h.
static const char *const scalar_helpers[] = {
    "static inline double bondyn_sign(double x) {\n"
    "    return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;\n"
    "}\n"
    "static inline double bondyn_min(double a, double b) {\n"
    "    return a < b ? a : a >= b ? b : a + b;\n"
    "}\n"
    "static inline double bondyn_max(double a, double b) {\n"
    "    return a > b ? a : a <= b ? b : a + b;\n"
    "}\n"
    "static inline double bondyn_mod(double x, double y) { return x - y * floor(x / y); }\n",
    "static inline double bondyn_whole_power(double a, int n) {\n"
    "    double result = 1;\n"
    "    for (int k = n < 0 ? -n : n; k; k >>= 1, a *= a)\n"
    "        if (k & 1) result *= a;\n"
    "    return n < 0 ? 1 / result : result;\n"
    "}\n"
    "static inline double bondyn_power(double a, double b) {\n"
    "    if (b == 2) return a * a;\n"
    "    if (b == -1) return 1 / a;\n"
    "    if (b == 0.5) return sqrt(a);\n"
    "    if (b == -0.5) return 1 / sqrt(a);\n"
    "    if (b >= -8 && b <= 8 && b == (int)b) return bondyn_whole_power(a, (int)b);\n"
    "    return pow(a, b);\n"
    "}\n",
};

static const char *const table_helpers[] = {
#define KERNEL(...) #__VA_ARGS__ "\n",
#include "expr/table.def"
#undef KERNEL
};

// The kernels for blocks are the very text that the virtual machine was compiled from.
static const char *const block_helpers[] = {
#define KERNEL(...) #__VA_ARGS__,
#include "engine/kernels.def"
#undef KERNEL
};

// --- data ----------------------------------------------------------------------------------------

void c_number(Text *out, double x) {
    if (!isfinite(x)) {
        text_add(out, isnan(x) ? "NAN" : x > 0 ? "INFINITY" : "-INFINITY");
        return;
    }
    size_t begin = out->length;
    text_number(out, x);
    const char *text = out->data + begin;
    if (strspn(text, "-0123456789") == strlen(text)) text_add(out, ".0"); // a double, not an int
}

static void write_array(Text *out, const char *name, const double *x, int count) {
    text_printf(out, "static const double %s[] = {", name);
    for (int i = 0; i < count; i++) {
        text_add(out, i == 0 ? "" : i % 8 == 0 ? ",\n    " : ", ");
        c_number(out, x[i]);
    }
    text_add(out, count ? "};\n" : "0};\n");
}

static void write_kinks(Text *out, const char *prefix, int number, const Table *t) {
    text_printf(out, "static const int %s_table%d_k[] = {", prefix, number);
    for (int i = 0; i < t->kink_count; i++)
        text_printf(out, "%s%d", i == 0 ? "" : i % 16 == 0 ? ",\n    " : ", ", t->kink[i]);
    text_add(out, t->kink_count ? "};\n" : "0};\n");
}

void c_scalar_helpers(Text *out) {
    for (size_t i = 0; i < sizeof scalar_helpers / sizeof *scalar_helpers; i++)
        text_add(out, scalar_helpers[i]);
}

void c_tables(Text *out, const Program *p, const char *prefix) {
    if (p->table_count == 0) return;
    for (size_t i = 0; i < sizeof table_helpers / sizeof *table_helpers; i++)
        text_add(out, table_helpers[i]);
    Text name = {0};
    for (int i = 0; i < p->table_count; i++) {
        const Table *t = p->table[i];
        const double *part[] = {t->x, t->y, t->slope};
        for (int k = 0; k < 3; k++) {
            text_clear(&name);
            text_printf(&name, "%s_table%d_%c", prefix, i, "xys"[k]);
            write_array(out, text_get(&name), part[k], part[k] ? t->count : 0);
        }
        write_kinks(out, prefix, i, t);
    }
    text_printf(out, "static const BondynTable %s_table_of[] = {\n", prefix);
    for (int i = 0; i < p->table_count; i++)
        text_printf(
            out, "    {%d, %d, %d, %d, %s_table%d_x, %s_table%d_y, %s_table%d_s, %s_table%d_k},\n",
            p->table[i]->count, p->table[i]->smooth, p->table[i]->extrapolate,
            p->table[i]->kink_count, prefix, i, prefix, i, prefix, i, prefix, i);
    text_add(out, "};\n");
    text_free(&name);
}

static void write_machine(Writer *w) {
    const Program *p = w->p;
    int n = p->largest_block;
    text_printf(
        w->out,
        "\nenum {\n    %s_state_count = %d,\n    %s_quadrature_count = %d,\n    %s_output_count = "
        "%d,\n"
        "    %s_param_count = %u,\n    %s_switch_count = %d,\n    %s_nonzero_count = %d\n};\n\n",
        w->prefix, p->state_count, w->prefix, p->quad_count, w->prefix, p->output_count, w->prefix,
        p->param_count, w->prefix, p->switch_count, w->prefix,
        p->has_jacobian ? p->nonzero_count : 0);
    text_printf(w->out,
                "typedef struct {\n    double reg[%u];\n    double work[%d];\n    int pivot[%d];\n"
                "    unsigned char truth[%d]; // states of switches\n"
                "    int hold;               // nonzero: switches keep their states\n"
                "    int failed_block;\n} %s_machine;\n\n",
                p->register_count + 1, n * n + 6 * n + 1, n + 1, p->switch_count + 1, w->prefix);
    text_printf(w->out, "const char *const %s_state_name[] = {\n", w->prefix);
    for (int i = 0; i < p->state_count; i++) {
        text_add(w->out, "    ");
        text_json(w->out, program_state_name(p, i));
        text_add(w->out, ",\n");
    }
    text_printf(w->out, "    0};\n\nsize_t %s_machine_size(void) { return sizeof(%s_machine); }\n",
                w->prefix, w->prefix);
}

// --- instructions --------------------------------------------------------------------------------

const char *c_function_name(TapeOp op) {
    switch (op) {
    case TAPE_OP_POWER: return "bondyn_power";
    case TAPE_OP_SIGN: return "bondyn_sign";
    case TAPE_OP_MIN: return "bondyn_min";
    case TAPE_OP_MAX: return "bondyn_max";
    case TAPE_OP_MOD: return "bondyn_mod";
    case TAPE_OP_ABS: return "fabs";
    case TAPE_OP_SIN: return "bondyn_sin";
    case TAPE_OP_COS: return "bondyn_cos";
    default: return tape_info[op].name; // as in math.h
    }
}

static void write_expression(Writer *w, Instruction c) {
    Text *o = w->out;
    switch ((TapeOp)c.op) {
    case TAPE_COPY: text_printf(o, "r[%u]", c.a); break;
    case TAPE_ADD: text_printf(o, "r[%u] + r[%u]", c.a, c.b); break;
    case TAPE_SUB: text_printf(o, "r[%u] - r[%u]", c.a, c.b); break;
    case TAPE_MUL: text_printf(o, "r[%u] * r[%u]", c.a, c.b); break;
    case TAPE_DIV: text_printf(o, "r[%u] / r[%u]", c.a, c.b); break;
    case TAPE_NEG: text_printf(o, "-r[%u]", c.a); break;
    case TAPE_SQUARE: text_printf(o, "r[%u] * r[%u]", c.a, c.a); break;
    case TAPE_RECIPROCAL: text_printf(o, "1 / r[%u]", c.a); break;
    case TAPE_MULADD: text_printf(o, "r[%u] + r[%u] * r[%u]", c.to, c.a, c.b); break;
    case TAPE_MULSUB: text_printf(o, "r[%u] - r[%u] * r[%u]", c.to, c.a, c.b); break;
    case TAPE_SELECT: text_printf(o, "r[%u] != 0 ? r[%u] : r[%u]", c.a, c.b, c.to); break;
    case TAPE_SWITCH:
        text_printf(o, "m->hold ? m->truth[%u] : r[%u] %s 0", c.b, c.a, c.aux ? "<=" : "<");
        break;
    case TAPE_OP_LESS: text_printf(o, "r[%u] < r[%u]", c.a, c.b); break;
    case TAPE_OP_LESS_EQUAL: text_printf(o, "r[%u] <= r[%u]", c.a, c.b); break;
    case TAPE_OP_EQUAL: text_printf(o, "r[%u] == r[%u]", c.a, c.b); break;
    case TAPE_OP_AND: text_printf(o, "r[%u] != 0 && r[%u] != 0", c.a, c.b); break;
    case TAPE_OP_OR: text_printf(o, "r[%u] != 0 || r[%u] != 0", c.a, c.b); break;
    case TAPE_OP_NOT: text_printf(o, "r[%u] == 0", c.a); break;
    case TAPE_HELD: text_printf(o, "r[%u]", c.a); break; // it knows no steps
    case TAPE_OP_TABLE:
    case TAPE_OP_TABLE_SLOPE:
        text_printf(o, "bondyn_%s(&%s_table_of[%u], r[%u])", tape_info[c.op].name, w->prefix, c.b,
                    c.a);
        break;
    default:
        text_printf(o, "%s(r[%u]", c_function_name((TapeOp)c.op), c.a);
        if (tape_info[c.op].b) text_printf(o, ", r[%u]", c.b);
        text_char(o, ')');
    }
}

static void write_comment(Writer *w, const TapeFunction *f, int i) {
    int var = w->variable[f->origin[i]];
    if (var == 0 || (i + 1 < f->count && f->origin[i + 1] == f->origin[i])) return;
    const Model *m = w->p->system->model;
    text_printf(w->out, " // %s", name_text(m->names, m->var[var - 1].path));
}

static void write_instruction(Writer *w, const TapeFunction *f, int i) {
    Instruction c = f->code[i];
    if (c.op == TAPE_BLOCK) {
        text_printf(w->out, "    if (!%s_block(m, %u)) return 0;", w->prefix, c.b);
    } else {
        text_printf(w->out, "    r[%u] = ", c.to);
        write_expression(w, c);
        text_char(w->out, ';');
    }
    write_comment(w, f, i);
    text_char(w->out, '\n');
}

// Compilers take more than linear time over one function: long tapes become several.
enum { LINES_PER_FUNCTION = 2000 };

static void write_code(Writer *w, const char *name, const TapeFunction *f, int count) {
    int parts = 0;
    for (int i = 0; i < count; i += LINES_PER_FUNCTION, parts++) {
        text_printf(w->out, "\nstatic int %s_%s_part%d(%s_machine *m) {\n    double *r = m->reg;\n",
                    w->prefix, name, parts, w->prefix);
        for (int k = i; k < count && k < i + LINES_PER_FUNCTION; k++) write_instruction(w, f, k);
        text_add(w->out, "    return 1;\n}\n");
    }
    text_printf(w->out, "\nstatic int %s_%s_code(%s_machine *m) {\n", w->prefix, name, w->prefix);
    if (parts == 0) text_add(w->out, "    (void)m;\n");
    for (int i = 0; i < parts; i++)
        text_printf(w->out, "    if (!%s_%s_part%d(m)) return 0;\n", w->prefix, name, i);
    text_add(w->out, "    return 1;\n}\n");
}

// --- results -------------------------------------------------------------------------------------

// Copies results [first, first + count) of a function.
static void write_results(Writer *w, const TapeFunction *f, int first, int count, const char *to) {
    for (int i = 0; i < count; i++)
        text_printf(w->out, "    %s[%d] = m->reg[%u];\n", to, i, f->result[first + i]);
}

static void write_point(Writer *w, bool has_state) {
    text_printf(w->out, "    m->reg[%u] = time;\n", w->p->time);
    if (has_state && w->p->state_count)
        text_printf(w->out, "    memcpy(m->reg + %u, state, %d * sizeof *state);\n",
                    w->p->first_state, w->p->state_count);
    else if (has_state)
        text_add(w->out, "    (void)state;\n");
}

static void write_function(Writer *w, const char *name, const TapeFunction *f) {
    write_code(w, name, f, f->count);
    text_printf(w->out,
                "\nint %s_%s(%s_machine *m, double time, const double *state, double *result) {\n",
                w->prefix, name, w->prefix);
    write_point(w, true);
    if (f->result_count == 0) text_add(w->out, "    (void)result;\n");
    text_printf(w->out, "    if (!%s_%s_code(m)) return 0;\n", w->prefix, name);
    write_results(w, f, 0, f->result_count, "result");
    text_add(w->out, "    return 1;\n}\n");
}

static void write_derivative(Writer *w) {
    const Program *p = w->p;
    TapeFunction rest = p->derivative;
    rest.code += p->rate_code;
    rest.origin += p->rate_code;
    rest.count -= p->rate_code;
    write_code(w, "rate", &p->derivative, p->rate_code);
    write_code(w, "quad", &rest, rest.count);
    text_printf(
        w->out,
        "\nint %s_derivative(%s_machine *m, double time, const double *state, double *rate, "
        "double *quad) {\n",
        w->prefix, w->prefix);
    write_point(w, true);
    if (p->state_count == 0) text_add(w->out, "    (void)rate;\n");
    text_printf(w->out, "    if (!%s_rate_code(m)) return 0;\n", w->prefix);
    text_printf(w->out, "    if (quad && !%s_quad_code(m)) return 0;\n", w->prefix);
    write_results(w, &p->derivative, 0, p->state_count, "rate");
    text_add(w->out, "    if (!quad) return 1;\n");
    write_results(w, &p->derivative, p->state_count, p->quad_count, "quad");
    text_add(w->out, "    return 1;\n}\n");
}

// --- blocks --------------------------------------------------------------------------------------

static void write_matrix(Writer *w, const TapeBlock *b) {
    text_printf(w->out, "    for (int i = 0; i < %d; i++) b->a[i] = 0;\n", b->size * b->size);
    for (int c = 0; c < b->size; c++)
        for (int k = b->column_start[c]; k < b->column_start[c + 1]; k++)
            text_printf(w->out, "    b->a[%d] = m->reg[%u];\n", b->row[k] * b->size + c,
                        b->jacobian.result[k]);
}

// Residuals go to their places one after the other; entries of a matrix into a full one.
static void write_inner(Writer *w, int block, const char *name, const TapeFunction *f,
                        const char *to) {
    Text full = {0};
    text_printf(&full, "block%d_%s", block, name);
    write_code(w, text_get(&full), f, f->count);
    text_printf(w->out, "\nstatic void %s_%s(BondynBlock *b) {\n    %s_machine *m = b->context;\n",
                w->prefix, text_get(&full), w->prefix);
    text_printf(w->out, "    %s_%s_code(m);\n", w->prefix, text_get(&full));
    const TapeBlock *b = &w->p->block[block];
    if (f == &b->residual)
        write_results(w, f, 0, f->result_count, to);
    else
        write_matrix(w, b);
    text_add(w->out, "}\n");
    text_free(&full);
}

static void write_block_table(Writer *w) {
    const Program *p = w->p;
    for (int i = 0; i < p->block_count; i++) {
        text_printf(w->out, "static const unsigned %s_guess%d[] = {", w->prefix, i);
        for (int k = 0; k < p->block[i].size; k++)
            text_printf(w->out, "%s%u", k ? ", " : "", p->block[i].guess[k]);
        text_add(w->out, "};\n");
    }
    text_printf(w->out,
                "\nstatic const struct {\n    int size, linear;\n    unsigned unknown;\n"
                "    const unsigned *guess;\n    void (*residual)(BondynBlock *);\n"
                "    void (*matrix)(BondynBlock *);\n    int anchored;\n} %s_block_info[] = {\n",
                w->prefix);
    for (int i = 0; i < p->block_count; i++)
        text_printf(w->out,
                    "    {%d, %d, %u, %s_guess%d, %s_block%d_residual, %s_block%d_matrix, %d},\n",
                    p->block[i].size, p->block[i].linear, p->block[i].unknown, w->prefix, i,
                    w->prefix, i, w->prefix, p->block[i].matrix, p->block[i].anchored);
    text_add(w->out, "};\n");
}

static void write_blocks(Writer *w) {
    const Program *p = w->p;
    if (p->block_count == 0) return;
    for (size_t i = 0; i < sizeof block_helpers / sizeof *block_helpers; i++)
        text_printf(w->out, "%s\n", block_helpers[i]);
    for (int i = 0; i < p->block_count; i++) {
        write_inner(w, i, "residual", &p->block[i].residual, "b->f");
        if (p->block[i].matrix == i) write_inner(w, i, "matrix", &p->block[i].jacobian, "b->a");
    }
    write_block_table(w);
    text_printf(
        w->out,
        "\nstatic int %s_block(%s_machine *m, unsigned i) {\n"
        "    BondynBlock b = {.n = %s_block_info[i].size, .u = m->reg + %s_block_info[i].unknown,\n"
        "                     .residual = %s_block_info[i].residual,\n"
        "                     .matrix = %s_block_info[i].matrix, .context = m, .number = (int)i};\n"
        "    const unsigned *guess = %s_block_info[i].guess;\n"
        "    bondyn_block_scratch(&b, m->work);\n"
        "    bondyn_block_dense(&b, m->work + 4 * b.n, m->pivot);\n"
        "    if (%s_block_info[i].linear ? bondyn_block_linear(&b)\n"
        "                                : bondyn_block_newton(&b, m->reg, guess,\n"
        "                                                      %s_block_info[i].anchored))\n"
        "        return 1;\n"
        "    m->failed_block = (int)i;\n"
        "    for (int k = 0; k < b.n; k++) b.u[k] = m->reg[guess[k]];\n"
        "    return 0;\n}\n",
        w->prefix, w->prefix, w->prefix, w->prefix, w->prefix, w->prefix, w->prefix, w->prefix,
        w->prefix);
}

// --- sine and cosine -----------------------------------------------------------------------------

static const char *const angle_helpers[] = {
    "enum { BONDYN_LANES = 2 };\n"
    "typedef double BondynLanes __attribute__((vector_size(16)));\n"
    "typedef long long BondynBits __attribute__((vector_size(16)));\n",
    trig_text,
    "\nstatic inline double bondyn_sin(double x) {\n"
    "    BondynLanes s, c;\n"
    "    bondyn_sincos((BondynLanes){x, 0}, &s, &c);\n"
    "    return s[0];\n"
    "}\n"
    "static inline double bondyn_cos(double x) {\n"
    "    BondynLanes s, c;\n"
    "    bondyn_sincos((BondynLanes){x, 0}, &s, &c);\n"
    "    return c[0];\n"
    "}\n",
};

// --- the whole file ------------------------------------------------------------------------------

static void write_params(Writer *w) {
    const Program *p = w->p;
    const char *x = w->prefix;
    Text name = {0};
    text_printf(&name, "%s_constant", x);
    write_array(w->out, text_get(&name), p->constant, (int)p->constant_count);
    text_clear(&name);
    text_printf(&name, "%s_param_value", x);
    write_array(w->out, text_get(&name), p->param_value, (int)p->param_count);
    text_free(&name);
    write_code(w, "prepare", &p->prepare, p->prepare.count);
    if (p->held_count) write_code(w, "held", &p->held_start, p->held_start.count);
    text_printf(w->out,
                "\nvoid %s_set_params(%s_machine *m, const double *param) {\n"
                "    memcpy(m->reg + %u, param ? param : %s_param_value, %u * sizeof *param);\n"
                "    %s_prepare_code(m);\n",
                x, x, p->first_param, x, p->param_count, x);
    if (p->held_count) text_printf(w->out, "    %s_held_code(m);\n", x);
    for (int i = 0; i < p->held_start.result_count; i++)
        text_printf(w->out, "    m->reg[%u] = m->reg[%u];\n", p->first_held + (uint32_t)i,
                    p->held_start.result[i]);
    for (int i = 0; i < p->chosen_count; i++) { // states as they are chosen at the start
        text_printf(w->out, "    m->reg[%u] = ", p->first_held + (uint32_t)(p->first_chosen + i));
        c_number(w->out, p->chosen[i]);
        text_add(w->out, ";\n");
    }
    for (int i = 0; i < p->block_count; i++)
        for (int k = 0; k < p->block[i].size; k++)
            text_printf(w->out, "    m->reg[%u] = m->reg[%u];\n", p->block[i].unknown + (uint32_t)k,
                        p->block[i].guess[k]);
    text_printf(w->out,
                "}\n\nvoid %s_init(%s_machine *m) {\n    memset(m, 0, sizeof *m);\n"
                "    memcpy(m->reg, %s_constant, %u * sizeof *m->reg);\n"
                "    m->failed_block = -1;\n    %s_set_params(m, 0);\n}\n",
                x, x, x, p->constant_count, x);
}

static void write_initial(Writer *w) {
    const Program *p = w->p;
    write_code(w, "initial", &p->initial, p->initial.count);
    text_printf(w->out, "\nvoid %s_initial(%s_machine *m, double time, double *state) {\n",
                w->prefix, w->prefix);
    write_point(w, false);
    if (p->state_count)
        text_printf(w->out, "    memset(m->reg + %u, 0, %d * sizeof *m->reg);\n", p->first_state,
                    p->state_count);
    else
        text_add(w->out, "    (void)state;\n");
    text_printf(w->out, "    %s_initial_code(m);\n", w->prefix);
    write_results(w, &p->initial, 0, p->state_count, "state");
    text_add(w->out, "}\n");
}

int *c_variables_by_node(const Program *p) {
    const System *s = p->system;
    int *variable = memory_zeroed((size_t)dag_size(s->dag) + 1, sizeof *variable);
    for (int i = s->model->var_count - 1; s->value && i >= 0; i--)
        if (s->value[i]) variable[s->value[i]] = i + 1;
    return variable;
}

void program_c(Text *out, const Program *p, const char *prefix) {
    Writer w = {.out = out, .p = p, .prefix = prefix, .variable = c_variables_by_node(p)};
    text_add(out,
             "// Generated by Bondyn. C17 with vectors as gcc and clang have them; compile with\n"
             "// -ffp-contract=off to get the same bits "
             "everywhere.\n#include <math.h>\n#include <stddef.h>\n#include <string.h>\n\n");
    c_scalar_helpers(out);
    for (size_t i = 0; i < sizeof angle_helpers / sizeof *angle_helpers; i++)
        text_add(out, angle_helpers[i]);
    c_tables(out, p, prefix);
    write_machine(&w);
    write_blocks(&w);
    write_params(&w);
    write_initial(&w);
    write_derivative(&w);
    write_function(&w, "outputs", &p->outputs);
    write_function(&w, "switches", &p->switches);
    if (p->has_jacobian) write_function(&w, "jacobian", &p->jacobian);
    free(w.variable);
}
