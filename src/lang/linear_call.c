// linear(Plant, inputs = u, outputs = (y, z), states = (x, v), at = steady): the linear model of
// another model, in numbers, for the design of its control:
//
//     param K = lqr(linear(Plant, inputs = u, at = steady), Q, R)       the same as lqr(A, B, Q, R)
//     param A = linear(Plant(m = 2*m), inputs = u).A                    .A  .B  .C  .D
//
// Plant is a model, perhaps with other parameters, or an experiment. The point is the start, a time
// of the run, or the steady point beside the start. Where a function of matrices wants A and B
// (lqe: A, G and C) one `linear` stands for them. The model is built and linearised by a later
// stage (LangOptions.linear), once for each set of arguments; parameters that are handed over fix
// the structure, as the numbers would not change with them.
#include "lang/build.h"

#include <string.h>

enum { MOST_NAMES = 1000, DEEPEST_LINEAR = 4, MATRICES = 4 };

typedef ARRAY(const char *) Words;

typedef struct {
    Builder *b;
    const AstExpr *e; // the call
    const Env *env;
    LinearAsk ask;
    Words input, output, state, set;
} Reading;

static bool wrong(Reading *k, Pos pos, const char *what, const char *text) {
    Remark *m = complain(k->b, L_LINEAR, pos, "%s '%s'", what, text);
    remark_help(k->b->r, m,
                "write linear(Plant, inputs = u), with outputs = (y, z), states = (x, v), and at = "
                "steady or at = 2 {s} where they are wanted");
    return false;
}

// --- arguments -----------------------------------------------------------------------------------

static bool is_path(const AstExpr *e) {
    for (; e && e->kind == AST_MEMBER; e = e->left) {}
    return e && e->kind == AST_NAME;
}

static const char *text_of_path(Reading *k, const AstExpr *e) {
    Text t = {0};
    ast_print(&t, k->b->names, e);
    const char *kept = arena_copy_text(&k->b->tmp, text_get(&t), t.length);
    text_free(&t);
    return kept;
}

// A path, or several in brackets.
static bool read_names(Reading *k, const AstExpr *value, Words *list) {
    int count = value->kind == AST_VECTOR ? value->arg_count : 1;
    for (int i = 0; i < count; i++) {
        const AstExpr *one = value->kind == AST_VECTOR ? value->args[i].value : value;
        if (!is_path(one) || list->count >= MOST_NAMES)
            return wrong(k, ast_start(one), "a variable is named by its path, not by",
                         expr_text(k->b, one));
        array_push(list, text_of_path(k, one));
    }
    return true;
}

static bool read_time(Reading *k, const AstExpr *value) {
    Builder *b = k->b;
    k->ask.at_start = false;
    if (value->kind == AST_NAME && strcmp(text_of(b, value->name), "steady") == 0) {
        k->ask.at_start = k->ask.steady = true;
        return true;
    }
    Lower l = lower_numbers(b, "the time of a linear model", true);
    Value v = lower(&l, value, k->env);
    Constant c;
    if (!value_ok(&v) ||
        !value_fit(&l, &v, false, NULL, dim_second(), ast_start(value), "the time") ||
        !value_shape(&l, &v, 1, 1, ast_start(value), "the time") ||
        !value_numbers(&l, &v, &c, &b->tmp))
        return false;
    k->ask.time = c.one;
    return true;
}

static bool read_clause(Reading *k, const AstArg *a) {
    const char *word = text_of(k->b, a->name);
    if (strcmp(word, "inputs") == 0) return read_names(k, a->value, &k->input);
    if (strcmp(word, "outputs") == 0) return read_names(k, a->value, &k->output);
    if (strcmp(word, "states") == 0) return read_names(k, a->value, &k->state);
    if (strcmp(word, "at") == 0) return read_time(k, a->value);
    return wrong(k, a->pos, "'linear' has no argument", word);
}

// m = 2*m0 of Plant(m = 2*m0) as a setting in SI units.
static bool read_setting(Reading *k, const AstArg *a) {
    Builder *b = k->b;
    Lower l = lower_numbers(b, "a parameter of a linear model", true);
    if (!a->name)
        return wrong(k, a->pos, "parameters are handed over by their names, not by place:",
                     expr_text(b, a->value));
    Value v = lower(&l, a->value, k->env);
    Constant c;
    if (!value_ok(&v) || !value_numbers(&l, &v, &c, &b->tmp)) return false;
    if (!v.dim.known && !(v.is & IS_PLAIN))
        return wrong(k, ast_start(a->value), "no one unit fits", expr_text(b, a->value));
    Text t = {0};
    int n = v.rows * v.cols;
    text_printf(&t, "%s = %s", text_of(b, a->name), n == 1 ? "" : v.cols > 1 ? "[" : "(");
    for (int i = 0; i < n; i++)
        text_printf(&t, "%s%.17g",
                    i == 0                          ? ""
                    : v.cols > 1 && i % v.cols == 0 ? "; "
                                                    : ", ",
                    n == 1 ? c.one : c.many[i]);
    text_add(&t, n == 1 ? "" : v.cols > 1 ? "]" : ")");
    if (!(v.is & IS_PLAIN) && !dim_is_one(v.dim)) text_printf(&t, " {%s}", dim_text(b, v.dim));
    array_push(&k->set, arena_copy_text(&b->tmp, text_get(&t), t.length));
    text_free(&t);
    return true;
}

// The model or experiment, with its parameters.
static bool read_plant(Reading *k, const AstExpr *value) {
    Builder *b = k->b;
    const AstExpr *path = value->kind == AST_CALL ? value->left : value;
    Definition d = {0};
    if (is_path(path)) d = find_by_path(b->syntax, k->env->file, path, b->r);
    bool model = d.what && (COMPONENT_CLASSES >> d.what->kind & 1);
    if (!model && !(d.what && d.what->kind == CLASS_EXPERIMENT)) {
        const char *word = expr_text(b, path);
        Remark *m = complain(b, L_LINEAR, ast_start(path),
                             "'linear' wants a model or an experiment, not '%s'", word);
        Suggestion g = suggest_for(word);
        suggest_definitions(&g, b->syntax, k->env->file,
                            COMPONENT_CLASSES | 1u << CLASS_EXPERIMENT);
        suggest_help(b->r, m, &g, "name one of this file or of an imported one");
        return false;
    }
    k->ask.file = d.file;
    *(model ? &k->ask.model : &k->ask.experiment) = text_of(b, d.what->name);
    for (int i = 0; value->kind == AST_CALL && i < value->arg_count; i++)
        if (!read_setting(k, &value->args[i])) return false;
    return true;
}

static bool read_all(Reading *k) {
    const AstExpr *e = k->e;
    if (!e->arg_count || e->args[0].name)
        return wrong(k, e->pos, "the model comes first in", "linear");
    if (!read_plant(k, e->args[0].value)) return false;
    for (int i = 1; i < e->arg_count; i++) {
        if (!e->args[i].name)
            return wrong(k, e->args[i].pos, "arguments after the model have names, unlike",
                         expr_text(k->b, e->args[i].value));
        if (!read_clause(k, &e->args[i])) return false;
    }
    return true;
}

// --- asking once ---------------------------------------------------------------------------------

static void key_words(Text *key, const char *what, const Words *w) {
    text_printf(key, ";%s", what);
    for (int i = 0; i < w->count; i++) text_printf(key, ",%s", w->data[i]);
}

static Name key_of(const Reading *k) {
    const LinearAsk *a = &k->ask;
    Text key = {0};
    text_printf(&key, "linear(%u;%s;%s;%d%d;%.17g", a->file->source, a->model ? a->model : "",
                a->experiment ? a->experiment : "", a->at_start, a->steady, a->time);
    key_words(&key, "inputs", &k->input);
    key_words(&key, "outputs", &k->output);
    key_words(&key, "states", &k->state);
    key_words(&key, "set", &k->set);
    Name name = name_of(k->b->names, text_get(&key));
    text_free(&key);
    return name;
}

static bool may_ask(Reading *k) {
    Builder *b = k->b;
    Remark *m;
    if (!b->options.linear) {
        complain(b, L_LINEAR, k->e->pos, "'linear' cannot be called here");
        return false;
    }
    if (b->options.linear_depth < DEEPEST_LINEAR) return true;
    m = complain(b, L_LINEAR, k->e->pos, "linear models ask for each other, %d deep",
                 DEEPEST_LINEAR);
    remark_help(b->r, m,
                "a model cannot need its own linear model: put the plant into a model alone");
    return false;
}

static const LinearNumbers *ask(Reading *k) {
    Builder *b = k->b;
    Name key = key_of(k);
    int known = pairs_get(&b->linears, 0, key);
    if (known >= 0) return b->linear.data[known].n < 0 ? NULL : &b->linear.data[known];
    LinearNumbers x = {.n = -1};
    if (may_ask(k)) {
        Syntax inner = *b->syntax;
        LangOptions options = b->options;
        inner.files = (AstFile *)k->ask.file;
        options.linear_depth++;
        options.set = k->set.data;
        options.set_count = k->set.count;
        options.last = options.open_inputs = false;
        k->ask.input = k->input.data, k->ask.input_count = k->input.count;
        k->ask.output = k->output.data, k->ask.output_count = k->output.count;
        k->ask.state = k->state.data, k->ask.state_count = k->state.count;
        if (!b->options.linear(&b->tmp, &inner, &k->ask, &options, &x, b->r)) {
            x.n = -1;
            const char *of = k->ask.model ? k->ask.model : k->ask.experiment;
            Remark *m =
                complain(b, L_LINEAR, k->e->pos, "'linear' finds no linear model of '%s'", of);
            remark_help(b->r, m, "another message says why; 'bondyn linearize' shows it alone");
        }
    }
    pairs_set(&b->tmp, &b->linears, 0, key, b->linear.count);
    array_push(&b->linear, x);
    return x.n < 0 ? NULL : &array_last(&b->linear);
}

static const LinearNumbers *linear_numbers(Lower *l, const AstExpr *e, const Env *env) {
    Reading k = {.b = l->b, .e = e, .env = env, .ask = {.at_start = true}};
    const LinearNumbers *x = read_all(&k) ? ask(&k) : NULL;
    array_free(&k.input);
    array_free(&k.output);
    array_free(&k.state);
    array_free(&k.set);
    return x;
}

// --- values --------------------------------------------------------------------------------------

static Value no_such_matrix(Lower *l, const AstExpr *e, char letter, const LinearNumbers *x) {
    Remark *m = complain(l->b, L_LINEAR, e->pos,
                         "this linear model has no %c: it has %d input%s and %d "
                         "output%s",
                         letter, x->m, x->m == 1 ? "" : "s", x->p, x->p == 1 ? "" : "s");
    remark_help(l->b->r, m, "name them: linear(Plant, inputs = u, outputs = (y, z))");
    return VALUE_BAD;
}

bool is_linear_call(const Builder *b, const AstExpr *e) {
    if (e->kind != AST_CALL) return false;
    const AstExpr *f = e->left->kind == AST_MEMBER ? e->left->left : e->left;
    return f->kind == AST_NAME && strcmp(text_of(b, f->name), "linear") == 0;
}

Value lower_linear(Lower *l, const AstExpr *e, const Env *env) {
    static const char letters[] = "ABCD";
    Builder *b = l->b;
    const char *of = e->left->kind == AST_MEMBER ? text_of(b, e->left->name) : "";
    const char *at = *of && !of[1] ? strchr(letters, *of) : NULL;
    if (!at) {
        Remark *m =
            complain(b, L_LINEAR, e->pos, "a linear model is four matrices: which one is meant?");
        remark_help(b->r, m,
                    "write linear(...).A, .B, .C or .D; lqr, place ... take the whole of it");
        return VALUE_BAD;
    }
    const LinearNumbers *x = linear_numbers(l, e, env);
    if (!x) return VALUE_BAD;
    int rows = *at == 'A' || *at == 'B' ? x->n : x->p,
        cols = *at == 'A' || *at == 'C' ? x->n : x->m;
    if (!rows || !cols) return no_such_matrix(l, e, *at, x);
    Value v = value_new(l, rows, cols, DIM_UNKNOWN, 0);
    const double *number = x->matrix[at - letters];
    for (int i = 0; i < rows * cols; i++) value_put(&v, i, expr_number(l->dag, number[i]));
    return v;
}

// How many matrices a function of them takes from one `linear`: A; A and B; A, B and C.
static int taken_by(const char *function) {
    static const struct {
        const char *name;
        int count;
    } table[] = {{"care", 2}, {"dare", 2}, {"lqr", 2},   {"dlqr", 2}, {"place", 2},
                 {"c2d", 2},  {"lyap", 1}, {"dlyap", 1}, {"expm", 1}, {"lqe", 3}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, function) == 0) return table[i].count;
    return 0;
}

static AstArg one_matrix(Builder *b, const AstExpr *call, char letter) {
    AstExpr *member = ARENA_NEW(&b->tmp, AstExpr), *e = ARENA_NEW(&b->tmp, AstExpr);
    *member = (AstExpr){.kind = AST_MEMBER, .depth = 2, .pos = call->left->pos};
    member->left = call->left;
    member->name = name_of_n(b->names, &letter, 1);
    *e = *call;
    e->left = member;
    return (AstArg){.value = e, .pos = call->pos};
}

const AstExpr *spread_linear(Builder *b, const AstExpr *e) {
    int count = e->left->kind == AST_NAME ? taken_by(text_of(b, e->left->name)) : 0;
    if (!count || !e->arg_count || e->args[0].name || !is_linear_call(b, e->args[0].value) ||
        e->args[0].value->left->kind == AST_MEMBER)
        return e;
    AstExpr *spread = ARENA_NEW(&b->tmp, AstExpr);
    *spread = *e;
    spread->arg_count = e->arg_count - 1 + count;
    spread->args = ARENA_ARRAY(&b->tmp, AstArg, spread->arg_count);
    for (int i = 0; i < count; i++) spread->args[i] = one_matrix(b, e->args[0].value, "ABC"[i]);
    for (int i = 1; i < e->arg_count; i++) spread->args[count - 1 + i] = e->args[i];
    return spread;
}

// Adds the names of the states to the message of a function of matrices that failed on a linear
// model.
void note_linear(Lower *l, const AstExpr *e, const Env *env) {
    Remark *m = l->b->r->last;
    if (!m || m->code != E_MATRIX || m->first_note || !e->arg_count ||
        !is_linear_call(l->b, e->args[0].value))
        return;
    const LinearNumbers *x = linear_numbers(l, e->args[0].value, env);
    Text names = {0};
    for (int i = 0; x && i < x->n; i++)
        text_printf(&names, "%s%d is %s", i ? ", " : "", i + 1, x->state[i]);
    if (x) remark_note(l->b->r, m, POS_NONE, "of the states, %s", text_get(&names));
    text_free(&names);
}
