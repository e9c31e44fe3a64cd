// What expectations ask of an analysis, and of energies in a run.
//
//     expect pole_real(1) = -1.12 within 1e-6          the first mode, slowest first
//     expect decibel(fin.q, u, 10 {Hz}) = -36.7 within 1e-3
//     expect slope(der(alpha), q) = 1 within 1e-9      an entry of A; of B, C and D likewise
//     expect alpha = -4.45 {deg} within 1e-3           a variable at the point
//     expect efficiency(battery, fin) > 0.8            in a run: energies of components
//
// Facts become probes, which src/analysis fills in; energies are integrals of powers and need
// nothing more.
#include "lang/build.h"

#include <string.h>

typedef struct {
    const char *name;
    Fact fact;
    const char *
        arguments; // y: variable, u: input, r: der(x), next(x) or variable, c: component, f: Hz, t: s, n: number
} FactWord;

static const FactWord words[] = {
    {"slope", FACT_SLOPE, "ru"},
    {"pole_count", FACT_POLES, ""},
    {"unstable_poles", FACT_UNSTABLE, ""},
    {"pole_real", FACT_POLE_REAL, "n"},
    {"pole_imaginary", FACT_POLE_IMAGINARY, "n"},
    {"pole_damping", FACT_POLE_DAMPING, "n"},
    {"pole_frequency", FACT_POLE_FREQUENCY, "n"},
    {"share", FACT_SHARE, "cn"},
    {"zero_real", FACT_ZERO_REAL, "yun"},
    {"zero_imaginary", FACT_ZERO_IMAGINARY, "yun"},
    {"gain", FACT_GAIN, "yuf"},
    {"decibel", FACT_DECIBEL, "yuf"},
    {"phase", FACT_PHASE, "yuf"},
    {"gain_margin", FACT_GAIN_MARGIN, "yu"},
    {"phase_margin", FACT_PHASE_MARGIN, "yu"},
    {"delay_margin", FACT_DELAY_MARGIN, "yu"},
    {"sensitivity_peak", FACT_PEAK, "yu"},
    {"gain_margin_frequency", FACT_GAIN_CROSSING, "yu"},
    {"phase_margin_frequency", FACT_PHASE_CROSSING, "yu"},
    {"answer", FACT_ANSWER, "yut"},
    {"overshoot", FACT_OVERSHOOT, "yu"},
    {"rise_time", FACT_RISE, "yu"},
    {"settling_time", FACT_SETTLING, "yu"},
    {"hankel", FACT_HANKEL, "n"},
    {"reduction_bound", FACT_REDUCTION_BOUND, ""},
    {"beside_decibel", FACT_BESIDE_DECIBEL, ""},
    {"beside_phase", FACT_BESIDE_PHASE, ""},
};

enum { WORDS = sizeof words / sizeof words[0] };

// --- arguments -----------------------------------------------------------------------------------

static Name variable_path(Lower *l, const AstExpr *e) {
    Builder *b = l->b;
    Name path = label_of(b, e);
    for (int i = 0; i < b->var.count; i++)
        if (b->var.data[i].path == path) return path;
    Remark *m = complain(b, L_UNKNOWN_NAME, ast_start(e), "the model has no variable '%s'",
                         text_of(b, path));
    Suggestion g = suggest_for(text_of(b, path));
    for (int i = 0; i < b->var.count; i++) suggest_offer(&g, text_of(b, b->var.data[i].path));
    suggest_help(b->r, m, &g, "name it by its path");
    return 0;
}

// der(x) is a variable; next(x) is the row of x in a discrete model.
static Name row_path(Lower *l, const AstExpr *e) {
    bool next = e->kind == AST_CALL && e->left->kind == AST_NAME && e->arg_count == 1 &&
                strcmp(text_of(l->b, e->left->name), "next") == 0;
    if (!next) return variable_path(l, e);
    Name of = variable_path(l, e->args[0].value);
    return of ? name_printf(l->b->names, "next(%s)", text_of(l->b, of)) : 0;
}

static bool belongs_to(const char *path, const char *whole) {
    size_t n = strlen(whole);
    return strncmp(path, whole, n) == 0 && (!path[n] || path[n] == '.' || path[n] == '[');
}

static Name component_path(Lower *l, const AstExpr *e) {
    Builder *b = l->b;
    Name path = label_of(b, e);
    const char *text = text_of(b, path);
    for (int i = 0; i < b->comp.count; i++)
        if (belongs_to(text_of(b, b->comp.data[i].path), text)) return path;
    Remark *m = complain(b, L_UNKNOWN_NAME, ast_start(e), "the model has no component '%s'", text);
    Suggestion g = suggest_for(text);
    for (int i = 0; i < b->comp.count; i++) suggest_offer(&g, text_of(b, b->comp.data[i].path));
    suggest_help(b->r, m, &g, "name it by its path");
    return 0;
}

static bool number_argument(Lower *l, const AstExpr *e, const Env *env, char kind, double *x) {
    Builder *b = l->b;
    Dim dim = kind == 'n'   ? DIM_ONE
              : kind == 't' ? dim_second()
                            : dim_divide(DIM_ONE, dim_second());
    Lower numbers = lower_numbers(b, "the argument", false);
    Value v = lower(&numbers, e, env);
    Constant c;
    if (!value_ok(&v) || !value_fit(&numbers, &v, false, NULL, dim, ast_start(e), "the argument") ||
        !value_shape(&numbers, &v, 1, 1, ast_start(e), "the argument") ||
        !value_numbers(&numbers, &v, &c, &b->tmp))
        return false;
    *x = c.one;
    return true;
}

static bool read_arguments(Lower *l, const AstExpr *e, const Env *env, const FactWord *w,
                           Probe *p) {
    for (int i = 0; i < e->arg_count; i++) {
        const AstExpr *a = e->args[i].value;
        char kind = w->arguments[i];
        bool good = true;
        if (kind == 'y') good = (p->of = variable_path(l, a)) != 0;
        if (kind == 'r') good = (p->of = row_path(l, a)) != 0;
        if (kind == 'u') good = (p->from = variable_path(l, a)) != 0;
        if (kind == 'c') good = (p->of = component_path(l, a)) != 0;
        if (strchr("nft", kind)) good = number_argument(l, a, env, kind, &p->number);
        if (!good) return false;
    }
    return true;
}

static Value fact_value(Lower *l, Probe p, const AstExpr *e) {
    Probes *k = l->probes;
    bool angle = p.fact == FACT_PHASE || p.fact == FACT_PHASE_MARGIN;
    Value v = value_new(l, 1, 1, angle ? DIM_ONE : DIM_UNKNOWN, 0);
    p.symbol = v.one = expr_symbol(l->b->dag, label_of(l->b, e));
    for (int i = 0; i < k->list.count; i++)
        if (k->list.data[i].symbol == p.symbol) return v;
    p.signal.pos = e->pos;
    array_push(&k->list, p);
    return v;
}

static Value lower_fact(Lower *l, const AstExpr *e, const Env *env, const FactWord *w) {
    Builder *b = l->b;
    if (!l->probes->analysis) {
        Remark *m =
            complain(b, L_EXPECT, e->pos, "'%s' is asked of an analysis, not of a run", w->name);
        remark_help(
            b->r, m,
            "say which, behind the model: experiment Loop of Servo bode, poles, steady ...");
        return VALUE_BAD;
    }
    Probe p = {.kind = PROBE_FACT, .fact = w->fact};
    return read_arguments(l, e, env, w, &p) ? fact_value(l, p, e) : VALUE_BAD;
}

Value probe_point(Lower *l, const AstExpr *e, const Env *env) {
    Probe p = {.kind = PROBE_POINT};
    Dim dim;
    if (!scalar_signal(l->b, env, e, &p.signal, &dim)) return VALUE_BAD;
    Value v = value_new(l, 1, 1, dim, 0);
    p.symbol = v.one = expr_symbol(
        l->b->dag, name_printf(l->b->names, "%s(at the point)", text_of(l->b, label_of(l->b, e))));
    for (int i = 0; i < l->probes->list.count; i++)
        if (l->probes->list.data[i].symbol == p.symbol) return v;
    array_push(&l->probes->list, p);
    return v;
}

// --- energies in a run ---------------------------------------------------------------------------

static Expr port_power(const Builder *b, const Port *p) {
    Expr sum = expr_number(b->dag, 0);
    for (int k = 0; k < p->dim; k++) {
        Expr f = b->var.data[p->f + k].symbol;
        sum = expr_add(b->dag, sum,
                       p->pseudo ? f : expr_mul(b->dag, b->var.data[p->e + k].symbol, f));
    }
    return sum;
}

// Into a component, or into all components of a model.
static Expr power_into(const Builder *b, Name path) {
    Expr sum = expr_number(b->dag, 0);
    for (int c = 0; c < b->comp.count; c++) {
        const Comp *x = &b->comp.data[c];
        if (!belongs_to(text_of(b, x->path), text_of(b, path))) continue;
        for (int i = x->first_port; i < x->first_port + x->port_count; i++) {
            const Port *p = &b->port.data[i];
            Expr power = port_power(b, p);
            sum = p->out ? expr_sub(b->dag, sum, power) : expr_add(b->dag, sum, power);
        }
    }
    return sum;
}

static Expr integral_of(Lower *l, Expr what, const AstExpr *e, const char *word, Name path) {
    Builder *b = l->b;
    Probes *k = l->probes;
    Name label = name_printf(b->names, "%s(%s)", word, text_of(b, path));
    Probe p = {.kind = PROBE_INTEGRAL, .signal = {what, label, 0, e->pos}};
    for (int i = 0; i < k->list.count; i++)
        if (k->list.data[i].kind == PROBE_INTEGRAL && k->list.data[i].signal.what == what)
            return k->list.data[i].symbol;
    p.symbol = expr_symbol(b->dag, label);
    array_push(&k->list, p);
    return p.symbol;
}

static Value lower_energy(Lower *l, const AstExpr *e, const char *word) {
    Builder *b = l->b;
    bool two = strcmp(word, "efficiency") == 0;
    Name path[2] = {0};
    if (l->probes->sweep->symbol || l->probes->analysis) {
        complain(b, L_EXPECT, e->pos, "'%s' is asked of a run in time", word);
        return VALUE_BAD;
    }
    for (int i = 0; i < 1 + two; i++)
        if (!(path[i] = component_path(l, e->args[i].value))) return VALUE_BAD;
    Expr power = power_into(b, path[0]);
    Value v = value_new(l, 1, 1, two ? DIM_ONE : dim_of_unit("J"), 0);
    if (strcmp(word, "activity") == 0) power = expr_call(b->dag, OP_ABS, &power, 1);
    v.one =
        integral_of(l, power, e, strcmp(word, "activity") == 0 ? "activity" : "energy", path[0]);
    if (two) {
        Expr supplied = expr_neg(b->dag, v.one);
        v.one = integral_of(l, power_into(b, path[1]), e, "energy", path[1]);
        v.one = expr_div(b->dag, v.one, supplied);
    }
    return v;
}

// --- all of them ---------------------------------------------------------------------------------

static bool is_fact_word(const char *name) {
    for (int i = 0; i < WORDS; i++)
        if (strcmp(words[i].name, name) == 0) return true;
    return strcmp(name, "energy") == 0 || strcmp(name, "activity") == 0 ||
           strcmp(name, "efficiency") == 0;
}

Value lower_fact_probe(Lower *l, const AstExpr *e, const Env *env, bool *is_one) {
    Builder *b = l->b;
    const char *name = e->left->kind == AST_NAME ? text_of(b, e->left->name) : "";
    *is_one = false;
    if (!is_fact_word(name) || path_resolve(b, e->left, env, true).kind != REF_NONE)
        return VALUE_BAD; // a variable of the model comes first: energy(end)
    *is_one = true;
    for (int i = 0; i < WORDS; i++)
        if (strcmp(words[i].name, name) == 0 && (int)strlen(words[i].arguments) == e->arg_count)
            return lower_fact(l, e, env, &words[i]);
    bool one = strcmp(name, "energy") == 0 || strcmp(name, "activity") == 0;
    if ((one && e->arg_count == 1) || (strcmp(name, "efficiency") == 0 && e->arg_count == 2))
        return lower_energy(l, e, name);
    *is_one = false;
    return VALUE_BAD;
}
