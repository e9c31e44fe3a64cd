// See native_forms.h.
#include "engine/native_forms.h"

#include "engine/native_order.h"
#include "expr/trig.h"

// --- one run -------------------------------------------------------------------------------------

static const char *scalar_form(TapeOp op) {
    switch (op) {
    case TAPE_COPY: return "A";
    case TAPE_ADD: return "A + B";
    case TAPE_SUB: return "A - B";
    case TAPE_MUL: return "A * B";
    case TAPE_DIV: return "A / B";
    case TAPE_NEG: return "-A";
    case TAPE_SQUARE: return "A * A";
    case TAPE_SQRT: return "sqrt(A)";
    case TAPE_RECIPROCAL: return "1 / A";
    case TAPE_MULADD: return "T + A * B";
    case TAPE_MULSUB: return "T - A * B";
    case TAPE_SELECT: return "A != 0 ? B : T";
    case TAPE_OP_LESS: return "A < B";
    case TAPE_OP_LESS_EQUAL: return "A <= B";
    case TAPE_OP_EQUAL: return "A == B";
    case TAPE_OP_AND: return "A != 0 && B != 0";
    case TAPE_OP_OR: return "A != 0 || B != 0";
    case TAPE_OP_NOT: return "A == 0";
    default: return NULL;
    }
}

// --- lanes ---------------------------------------------------------------------------------------

static const char *lane_form(TapeOp op) {
    switch (op) {
    case TAPE_SQRT: return "bondyn_lanes_sqrt(A)";
    case TAPE_RECIPROCAL: return "each(1.0) / A";
    case TAPE_SELECT: return "bondyn_select(A != each(0.0), B, T)";
    case TAPE_OP_POWER: return "bondyn_lanes_power(A, B)";
    case TAPE_OP_LESS: return "one(A < B)";
    case TAPE_OP_LESS_EQUAL: return "one(A <= B)";
    case TAPE_OP_EQUAL: return "one(A == B)";
    case TAPE_OP_AND: return "one((A != each(0.0)) & (B != each(0.0)))";
    case TAPE_OP_OR: return "one((A != each(0.0)) | (B != each(0.0)))";
    case TAPE_OP_NOT: return "one(A == each(0.0))";
    default: return scalar_form(op);
    }
}

const char *native_form(TapeOp op, bool lanes) { return lanes ? lane_form(op) : scalar_form(op); }

const char *native_relation(bool or_equal, bool lanes) {
    if (lanes) return or_equal ? "one(A <= each(0.0))" : "one(A < each(0.0))";
    return or_equal ? "A <= 0" : "A < 0";
}

void native_vectors(Text *out, int lanes) {
    text_printf(out,
                "enum { BONDYN_LANES = %d };\n"
                "typedef double BondynLanes __attribute__((vector_size(%d)));\n"
                "typedef long long BondynBits __attribute__((vector_size(%d)));\n%s\n",
                lanes, 8 * lanes, 8 * lanes, trig_text);
    text_add(out, "#define each(x) ((BondynLanes){");
    for (int i = 0; i < lanes; i++) text_add(out, i ? ", x" : "x");
    text_add(out, "})\n");
}

// As scalar_helpers of c_output.c, with selects in place of branches.
static const char *const select_helpers[] = {
    "#define one(truth) ((BondynLanes)((truth) & (BondynBits)each(1.0)))\n"
    "static inline BondynLanes bondyn_select(BondynBits m, BondynLanes a, BondynLanes b) {\n"
    "    return (BondynLanes)(((BondynBits)a & m) | ((BondynBits)b & ~m));\n"
    "}\n"
    "static inline BondynLanes bondyn_lanes_sign(BondynLanes x) {\n"
    "    BondynLanes rest = bondyn_select(x == each(0.0), each(0.0), x);\n"
    "    return bondyn_select(x > each(0.0), each(1.0),\n"
    "                         bondyn_select(x < each(0.0), each(-1.0), rest));\n"
    "}\n",
    "static inline BondynLanes bondyn_lanes_min(BondynLanes a, BondynLanes b) {\n"
    "    return bondyn_select(a < b, a, bondyn_select(a >= b, b, a + b));\n"
    "}\n"
    "static inline BondynLanes bondyn_lanes_max(BondynLanes a, BondynLanes b) {\n"
    "    return bondyn_select(a > b, a, bondyn_select(a <= b, b, a + b));\n"
    "}\n"
    "static inline BondynLanes bondyn_lanes_abs(BondynLanes x) {\n"
    "    return (BondynLanes)((BondynBits)x & 0x7fffffffffffffffLL);\n"
    "}\n",
    "#ifndef __has_builtin\n#define __has_builtin(x) 0\n#endif\n"
    "static inline BondynLanes bondyn_lanes_sqrt(BondynLanes x) {\n"
    "#if __has_builtin(__builtin_elementwise_sqrt)\n"
    "    return __builtin_elementwise_sqrt(x);\n"
    "#elif defined(__AVX__) && __has_builtin(__builtin_ia32_sqrtpd256)\n"
    "    if (BONDYN_LANES == 4) {\n"
    "        typedef double Four __attribute__((vector_size(32)));\n"
    "        Four y;\n"
    "        memcpy(&y, &x, sizeof y);\n"
    "        y = __builtin_ia32_sqrtpd256(y);\n"
    "        memcpy(&x, &y, BONDYN_LANES == 4 ? sizeof y : 0);\n"
    "        return x;\n"
    "    }\n"
    "#endif\n"
    "    for (int i = 0; i < BONDYN_LANES; i++) x[i] = sqrt(x[i]);\n"
    "    return x;\n"
    "}\n",
};

// Lane by lane: functions of the C library, and powers.
static const char *const loop_helpers[] = {
    "#define LANES1(f)                                                                   \\\n"
    "    static inline BondynLanes bondyn_lanes_##f(BondynLanes x) {                     \\\n"
    "        for (int i = 0; i < BONDYN_LANES; i++) x[i] = f(x[i]);                      \\\n"
    "        return x;                                                                   \\\n"
    "    }\n"
    "LANES1(exp) LANES1(log) LANES1(tan) LANES1(asin) LANES1(acos) LANES1(atan)\n"
    "LANES1(sinh) LANES1(cosh) LANES1(tanh) LANES1(floor) LANES1(ceil)\n",
    "static inline BondynLanes bondyn_lanes_power(BondynLanes a, BondynLanes b) {\n"
    "    for (int i = 0; i < BONDYN_LANES; i++) a[i] = bondyn_power(a[i], b[i]);\n"
    "    return a;\n"
    "}\n"
    "static inline BondynLanes bondyn_lanes_atan2(BondynLanes a, BondynLanes b) {\n"
    "    for (int i = 0; i < BONDYN_LANES; i++) a[i] = atan2(a[i], b[i]);\n"
    "    return a;\n"
    "}\n"
    "static inline BondynLanes bondyn_lanes_mod(BondynLanes x, BondynLanes y) {\n"
    "    return x - y * bondyn_lanes_floor(x / y);\n"
    "}\n",
};

void native_lane_helpers(Text *out) {
    for (size_t i = 0; i < sizeof select_helpers / sizeof *select_helpers; i++)
        text_add(out, select_helpers[i]);
    for (size_t i = 0; i < sizeof loop_helpers / sizeof *loop_helpers; i++)
        text_add(out, loop_helpers[i]);
}

void native_lane_tables(Text *out) {
    text_add(out,
             "#define TABLES(f)                                                              \\\n"
             "    static inline BondynLanes bondyn_lanes_##f(const BondynTable *t,           \\\n"
             "                                               BondynLanes x) {                \\\n"
             "        for (int i = 0; i < BONDYN_LANES; i++) x[i] = bondyn_##f(t, x[i]);     \\\n"
             "        return x;                                                              \\\n"
             "    }                                                                          \\\n"
             "    static inline BondynLanes bondyn_lanes_##f##_in(                           \\\n"
             "        const BondynTable *t, BondynLanes piece, BondynLanes x) {              \\\n"
             "        for (int i = 0; i < BONDYN_LANES; i++)                                 \\\n"
             "            x[i] = bondyn_##f##_in(t, (int)piece[i], x[i]);                    \\\n"
             "        return x;                                                              \\\n"
             "    }\n"
             "TABLES(table) TABLES(slope)\n");
}

// --- steps ---------------------------------------------------------------------------------------

// What the formulas below are written in: numbers of one run, or vectors with a number per run.
static const char *const step_values[] = {
    "typedef double BondynValue;\n"
    "#define OF(x) (x)\n"
    "#define BAD(zero) ((zero) != 0)\n",
    "typedef BondynLanes BondynValue;\n"
    "#define OF(x) each(x)\n"
    "static int bondyn_bad(BondynLanes zero) {\n"
    "    int bad = 0;\n"
    "    for (int i = 0; i < BONDYN_LANES; i++) bad |= (zero[i] != 0) << i;\n"
    "    return bad;\n"
    "}\n"
    "#define BAD(zero) bondyn_bad(zero)\n",
};

// The formulas of solve/fixed.c, from y to `to`, which hold states, then quadratures; k has four
// times as many numbers. Trial states go straight to their registers; quadratures need none. Gives:
// a bit for each lane in which `to` is not finite, which is so if any rate was not.
static const char *const steps[] = {
    "\nstatic inline void bondyn_at(const BondynCall *c, double t, double h,\n"
    "                             const BondynValue *restrict y, const BondynValue *restrict k) {\n"
    "    BondynValue *restrict r = (BondynValue *)c->r;\n"
    "    r[TIME] = OF(t);\n"
    "    for (int i = 0; i < STATES; i++) r[STATE + i] = k ? y[i] + h * k[i] : y[i];\n"
    "}\n"
    "static inline int bondyn_slopes(BondynCall *c, BondynValue *k) {\n"
    "    return QUADS ? bondyn_quads(c, k, k + STATES) : bondyn_rates(c, k);\n"
    "}\n"
    "static inline int bondyn_not_finite(const BondynValue *y) {\n"
    "    BondynValue zero = OF(0.0);\n"
    "    for (int i = 0; i < TOTAL; i++) zero += y[i] - y[i];\n"
    "    return BAD(zero);\n"
    "}\n",
    "int bondyn_euler(BondynCall *c, double t, double h, const BondynValue *y,\n"
    "                BondynValue *restrict to, BondynValue *k) {\n"
    "    bondyn_at(c, t, 0, y, 0);\n"
    "    bondyn_slopes(c, k);\n"
    "    for (int i = 0; i < TOTAL; i++) to[i] = y[i] + h * k[i];\n"
    "    return bondyn_not_finite(to);\n"
    "}\n"
    "int bondyn_heun(BondynCall *c, double t, double h, const BondynValue *y,\n"
    "                BondynValue *restrict to, BondynValue *k) {\n"
    "    BondynValue *k2 = k + TOTAL;\n"
    "    bondyn_at(c, t, 0, y, 0);\n"
    "    bondyn_slopes(c, k);\n"
    "    bondyn_at(c, t + h, h, y, k);\n"
    "    bondyn_slopes(c, k2);\n"
    "    for (int i = 0; i < TOTAL; i++) to[i] = y[i] + h / 2 * (k[i] + k2[i]);\n"
    "    return bondyn_not_finite(to);\n"
    "}\n",
    "int bondyn_rk4(BondynCall *c, double t, double h, const BondynValue *y,\n"
    "                BondynValue *restrict to, BondynValue *k) {\n"
    "    BondynValue *k2 = k + TOTAL, *k3 = k2 + TOTAL, *k4 = k3 + TOTAL;\n"
    "    bondyn_at(c, t, 0, y, 0);\n"
    "    bondyn_slopes(c, k);\n"
    "    bondyn_at(c, t + h / 2, h / 2, y, k);\n"
    "    bondyn_slopes(c, k2);\n"
    "    bondyn_at(c, t + h / 2, h / 2, y, k2);\n"
    "    bondyn_slopes(c, k3);\n"
    "    bondyn_at(c, t + h, h, y, k3);\n"
    "    bondyn_slopes(c, k4);\n"
    "    for (int i = 0; i < TOTAL; i++) to[i] = y[i] + h / 6 * (k[i] + 2 * (k2[i] + k3[i]) + "
    "k4[i]);\n"
    "    return bondyn_not_finite(to);\n"
    "}\n",
};

// The formulas of rk78.def, with a time and a length per lane. What the second to fifth stage gave
// does not reach y by itself: it is looked at for itself. What the first stage gives depends on
// where Newton's method begins, so it is computed once for a point, like in a run alone.
static const char *const attempt[] = {
    "#define VALUE BondynLanes\n",
#define KERNEL(...) #__VA_ARGS__ "\n",
#include "engine/rk78.def"
#undef KERNEL
    "static inline void bondyn_first(BondynCall *c, BondynLanes *scratch, BondynLanes *k) {\n"
    "    unsigned all = c->active;\n"
    "    if (SOLVES && !c->fresh) return;\n"
    "    if (SOLVES) c->active = c->fresh;\n"
    "    bondyn_slopes(c, SOLVES ? scratch : k);\n"
    "    c->active = all;\n"
    "    for (int i = 0; SOLVES && i < TOTAL; i++)\n"
    "        for (int l = 0; l < BONDYN_LANES; l++)\n"
    "            if (c->fresh >> l & 1) k[i][l] = scratch[i][l];\n"
    "}\n",
    "#define STAGE(s)                                                                    \\\n"
    "    r[TIME] = *t + bondyn_rk78_node[s] * *h;                                        \\\n"
    "    bondyn_rk78_point(s, STATES, TOTAL, *h, y, k, r + STATE);                       \\\n"
    "    bondyn_slopes(c, k + s * TOTAL);\n"
    "int bondyn_rk78(BondynCall *c, const BondynLanes *t, const BondynLanes *h,\n"
    "                const BondynLanes *y, BondynLanes *next, BondynLanes *error,\n"
    "                BondynLanes *k) {\n"
    "    BondynLanes *r = (BondynLanes *)c->r;\n"
    "    r[TIME] = *t;\n"
    "    for (int i = 0; i < STATES; i++) r[STATE + i] = y[i];\n"
    "    bondyn_first(c, next, k);\n"
    "    STAGE(1) STAGE(2) STAGE(3) STAGE(4) STAGE(5) STAGE(6)\n"
    "    STAGE(7) STAGE(8) STAGE(9) STAGE(10) STAGE(11) STAGE(12)\n"
    "    bondyn_rk78_end(TOTAL, *h, y, k, next, error);\n"
    "    int bad = bondyn_not_finite(next);\n"
    "    for (int s = 1; s < 5; s++) bad |= bondyn_not_finite(k + s * TOTAL);\n"
    "    return bad;\n"
    "}\n"
    "int bondyn_rk78_more(BondynCall *c, const BondynLanes *t, const BondynLanes *h,\n"
    "                     const BondynLanes *end, const BondynLanes *y,\n"
    "                     const BondynLanes *next, BondynLanes *k, BondynLanes *polynomial) {\n"
    "    BondynLanes *r = (BondynLanes *)c->r;\n"
    "    r[TIME] = *end;\n"
    "    for (int i = 0; i < STATES; i++) r[STATE + i] = next[i];\n"
    "    bondyn_slopes(c, k + 13 * TOTAL);\n"
    "    STAGE(14) STAGE(15)\n"
    "    bondyn_rk78_polynomial(TOTAL, TOTAL, *h, y, next, k, polynomial);\n"
    "    int bad = 0;\n"
    "    for (int s = 13; s < 16; s++) bad |= bondyn_not_finite(k + s * TOTAL);\n"
    "    return bad;\n"
    "}\n",
};

void native_steps(Text *out, const Program *p, bool lanes) {
    text_printf(out,
                "\nenum { TIME = %u, STATE = %u, STATES = %d, QUADS = %d, TOTAL = STATES + QUADS, "
                "SOLVES = %d };\n",
                p->time, p->first_state, p->state_count, p->quad_count,
                order_solves(&p->derivative));
    text_add(out, step_values[lanes]);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) text_add(out, steps[i]);
    for (size_t i = 0; i < sizeof attempt / sizeof *attempt && lanes; i++)
        text_add(out, attempt[i]);
}
