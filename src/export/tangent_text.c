// Derivatives along a direction, beside the values of a tape: with a dot for d/ds,
//
//     c = a b     double v3 = r[12] * r[17];
//     c. = a. b + a b.       double t3 = d[12] * r[17] + r[12] * d[17];
//
// Whoever calls puts the direction into d, which has a place for each register. Unknowns of a block, f(u, x) = 0,
// follow from the matrix that solves it: f_u u. = -f_x x.
#include "export/tape_text.h"

// What each argument adds. %A %B %T: values, %a %b %t: their derivatives, %V: the value itself.
typedef struct {
    TapeOp op;
    const char *a, *b, *to;
} Rule;

static const Rule rules[] = {
    {TAPE_COPY, "%a", 0, 0},
    {TAPE_ADD, "%a", "%b", 0},
    {TAPE_SUB, "%a", "-%b", 0},
    {TAPE_MUL, "%a * %B", "%A * %b", 0},
    {TAPE_DIV, "%a / %B", "-%V * %b / %B", 0},
    {TAPE_NEG, "-%a", 0, 0},
    {TAPE_SQUARE, "2 * %A * %a", 0, 0},
    {TAPE_SQRT, "%a / (2 * %V)", 0, 0},
    {TAPE_RECIPROCAL, "-%V * %V * %a", 0, 0},
    {TAPE_MULADD, "%a * %B", "%A * %b", "%t"},
    {TAPE_MULSUB, "-%a * %B", "-%A * %b", "%t"},
    {TAPE_SELECT, 0, "(%A != 0 ? %b : 0)", "(%A != 0 ? 0 : %t)"},
    {TAPE_OP_POWER, "bondyn_power_by_base(%A, %B) * %a", "bondyn_power_by_exponent(%A, %V) * %b",
     0},
    {TAPE_OP_ABS, "bondyn_sign(%A) * %a", 0, 0},
    {TAPE_OP_EXP, "%V * %a", 0, 0},
    {TAPE_OP_LOG, "%a / %A", 0, 0},
    {TAPE_OP_SIN, "bondyn_cos(%A) * %a", 0, 0},
    {TAPE_OP_COS, "-bondyn_sin(%A) * %a", 0, 0},
    {TAPE_OP_TAN, "(1 + %V * %V) * %a", 0, 0},
    {TAPE_OP_ASIN, "%a / sqrt(1 - %A * %A)", 0, 0},
    {TAPE_OP_ACOS, "-%a / sqrt(1 - %A * %A)", 0, 0},
    {TAPE_OP_ATAN, "%a / (1 + %A * %A)", 0, 0},
    {TAPE_OP_SINH, "cosh(%A) * %a", 0, 0},
    {TAPE_OP_COSH, "sinh(%A) * %a", 0, 0},
    {TAPE_OP_TANH, "(1 - %V * %V) * %a", 0, 0},
    {TAPE_OP_ATAN2, "%B * %a / (%A * %A + %B * %B)", "-%A * %b / (%A * %A + %B * %B)", 0},
    {TAPE_OP_MIN, "(%A <= %B ? %a : 0)", "(%A <= %B ? 0 : %b)", 0},
    {TAPE_OP_MAX, "(%A >= %B ? %a : 0)", "(%A >= %B ? 0 : %b)", 0},
    {TAPE_OP_MOD, "%a", "-floor(%A / %B) * %b", 0},
    {TAPE_OP_TABLE, "", 0, 0},
    {TAPE_OP_TABLE_SLOPE, "", 0, 0},
};

static const Rule *rule_of(int op) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if ((int)rules[i].op == op) return &rules[i];
    return NULL; // a relation, a piece: it jumps or stays
}

static bool changes(const TapeText *t, uint32_t reg) {
    int def = t->def[reg];
    if (def >= 0) return t->active[def];
    return reg >= t->w->p->constant_count;
}

static bool is_straight(const TapeText *t, Instruction c) {
    return c.op == TAPE_OP_TABLE_SLOPE && !t->w->p->table[c.b]->smooth;
}

bool tangent_is_active(const TapeText *t, Instruction c) {
    const Rule *r = rule_of(c.op);
    if (!r || is_straight(t, c)) return false;
    return (r->a && changes(t, c.a)) || (r->b && changes(t, c.b)) || (r->to && changes(t, c.to));
}

void tangent_result(TapeText *t, uint32_t reg) {
    int def = t->def[reg];
    if (!changes(t, reg))
        text_add(&t->body, "0");
    else if (def >= 0 && !t->spilt[def] && tape_is_local(t->w, reg))
        text_printf(&t->body, "t%d", def);
    else
        text_printf(&t->body, "d[%u]", reg);
}

static void write_part(TapeText *t, Instruction c, int i, const char *rule) {
    for (; *rule; rule++) {
        if (*rule != '%') {
            text_char(&t->body, *rule);
            continue;
        }
        switch (*++rule) {
        case 'A': tape_operand(t, c.a); break;
        case 'B': tape_operand(t, c.b); break;
        case 'T': tape_operand(t, c.to); break;
        case 'a': tangent_result(t, c.a); break;
        case 'b': tangent_result(t, c.b); break;
        case 't': tangent_result(t, c.to); break;
        default: text_printf(&t->body, "v%d", i);
        }
    }
}

static void write_table_part(TapeText *t, Instruction c) {
    if (c.op == TAPE_OP_TABLE) {
        text_char(&t->body, '(');
        tape_table(t, c, TAPE_OP_TABLE_SLOPE);
        text_add(&t->body, ") * ");
    } else {
        text_printf(&t->body, "bondyn_bend(&model_table_of[%d], ",
                    export_table(t->w, t->w->p->table[c.b]));
        tape_operand(t, c.a);
        text_add(&t->body, ") * ");
    }
    tangent_result(t, c.a);
}

static void write_parts(TapeText *t, Instruction c, int i, const Rule *r) {
    const char *part[] = {r->a, r->b, r->to};
    const uint32_t reg[] = {c.a, c.b, c.to};
    bool any = false;
    for (int k = 0; k < 3; k++) {
        if (!part[k] || !changes(t, reg[k])) continue;
        if (any) text_add(&t->body, " + ");
        write_part(t, c, i, part[k]);
        any = true;
    }
}

// Writes the derivative of a line; value and derivative go into registers where later instructions
// read them there.
void tangent_line(TapeText *t, int i) {
    Instruction c = t->f->code[i];
    Text *o = &t->body;
    if (t->active[i]) {
        text_printf(o, "    double t%d = ", i);
        if (c.op == TAPE_OP_TABLE || c.op == TAPE_OP_TABLE_SLOPE)
            write_table_part(t, c);
        else
            write_parts(t, c, i, rule_of(c.op));
        text_add(o, ";\n");
    }
    if (tape_is_local(t->w, c.to) && !t->spilt[i]) return;
    t->uses_registers = true;
    text_printf(o, "    r[%u] = v%d;\n", c.to, i);
    if (t->active[i])
        text_printf(o, "    d[%u] = t%d;\n", c.to, i);
    else
        text_printf(o, "    d[%u] = 0;\n", c.to);
}
