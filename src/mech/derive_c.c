// A derivation as C for other programs: a function for each matrix, its common parts computed once.
//
//     typedef struct { double L; ... } wagon_params;
//     void wagon_defaults(wagon_params *p);
//     void wagon_B(const wagon_params *p, const double *q, double *B);           row by row
//     void wagon_C(const wagon_params *p, const double *q, const double *w, double *C);
//
// or with the signature that 20-sim and its like load from a shared library:
//
//     int wagon_B(double *in, int n_in, double *out, int n_out, int major);      0 = success
//
// where `in` holds q, w (for functions of velocity) and the parameters. Of a symmetric matrix the
// upper triangle is computed and the lower one copied, or left out where the form is packed;
// matrices that are zero are left out. A function has one matrix, or all of them, so that they
// share their parts:
//
//     void wagon_all(const wagon_params *p, const double *q, const double *w, double *B, double *g, ...);
//     int wagon_all(double *in, int n_in, double *out, int n_out, int major);   one matrix behind the other
#include "mech/derive_share.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct {
    Text *out;
    const Derivation *v;
    const char *prefix;
    DeriveForm form;
    Share share;
    const char **field; // of each parameter
} CWriter;

// --- names ---------------------------------------------------------------------------------------

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_c_word(const char *name) {
    static const char *const words[] = {
        "auto",     "break",  "case",   "char",     "const",    "continue", "default",  "do",
        "double",   "else",   "enum",   "extern",   "float",    "for",      "goto",     "if",
        "inline",   "int",    "long",   "register", "restrict", "return",   "short",    "signed",
        "sizeof",   "static", "struct", "switch",   "typedef",  "union",    "unsigned", "void",
        "volatile", "while",  "class",  "new",      "delete",   "this",     "template", "private",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0) return true;
    return false;
}

static const char *c_name(Arena *out, const char *path) {
    Text t = {0};
    for (const char *c = path; *c; c++)
        if (is_letter(*c))
            text_char(&t, *c);
        else if (*c != ']' && !(t.length && t.data[t.length - 1] == '_'))
            text_char(&t, '_');
    if (is_c_word(text_get(&t))) text_char(&t, '_');
    const char *kept = arena_copy_text(out, text_get(&t), t.length);
    text_free(&t);
    return kept;
}

const char *derive_prefix(Arena *out, const Derivation *v) { return c_name(out, v->name); }

// a.b and a_b would be one name: the later one gets a number.
static void name_fields(CWriter *c) {
    Arena *a = &c->share.arena;
    Names *taken = names_new();
    c->field = ARENA_ARRAY(a, const char *, c->v->param_count);
    for (int i = 0; i < c->v->param_count; i++) {
        const char *base = c_name(a, c->v->param[i].name), *name = base;
        for (int k = 2; name_find(taken, name); k++) name = arena_printf(a, "%s_%d", base, k);
        name_of(taken, name);
        c->field[i] = name;
    }
    names_free(taken);
}

// How symbols are written in a function of (q, w) or of q alone.
static void name_symbols(CWriter *c, bool velocity) {
    const Derivation *v = c->v;
    Arena *a = &c->share.arena;
    bool packed = c->form.signature == SIGNATURE_20SIM;
    int params = v->nq + (velocity ? v->nv : 0);
    for (int i = 0; i < v->nq; i++)
        share_name(&c->share, v->q[i], arena_printf(a, packed ? "in[%d]" : "q[%d]", i));
    for (int i = 0; i < v->nv; i++)
        share_name(&c->share, v->w[i],
                   packed ? arena_printf(a, "in[%d]", v->nq + i) : arena_printf(a, "w[%d]", i));
    for (int i = 0; i < v->param_count; i++)
        share_name(&c->share, v->param[i].symbol,
                   packed ? arena_printf(a, "in[%d]", params + i)
                          : arena_printf(a, "p->%s", c->field[i]));
}

// --- functions -----------------------------------------------------------------------------------

typedef struct {
    const char *name;        // behind the prefix
    const DerivedPart *part; // those that are zero are left out
    int count;
    bool uses_velocity, several;
} Function;

static bool is_left_out(const CWriter *c, const DerivedPart *p) {
    return matrix_is_zero(c->v->d, p->value);
}

static Function function_of(const DerivedPart *p) {
    return (Function){p->id, p, 1, p->uses_velocity, false};
}

static Function function_of_all(const CWriter *c) {
    Function f = {"all", c->v->part, c->v->part_count, false, true};
    for (int i = 0; i < f.count; i++)
        f.uses_velocity |= !is_left_out(c, &f.part[i]) && f.part[i].uses_velocity;
    return f;
}

static bool is_packed(const CWriter *c, const DerivedPart *p) {
    return c->form.packed && p->symmetric;
}

static int part_length(const CWriter *c, const DerivedPart *p) {
    int n = p->value.rows;
    return is_packed(c, p) ? n * (n + 1) / 2 : n * p->value.cols;
}

static int place_in_part(const CWriter *c, const DerivedPart *p, int i, int j) {
    int cols = p->value.cols;
    return is_packed(c, p) ? i * (2 * cols - i - 1) / 2 + j : i * cols + j;
}

static void write_head(const CWriter *c, Text *out, const Function *f) {
    if (c->form.signature == SIGNATURE_20SIM) {
        text_printf(out,
                    "%s_EXPORT int %s_%s(double *in, int n_in, double *out, int n_out, int major)",
                    c->prefix, c->prefix, f->name);
        return;
    }
    text_printf(out, "void %s_%s(", c->prefix, f->name);
    if (c->v->param_count) text_printf(out, "const %s_params *p, ", c->prefix);
    text_printf(out, "const double *q%s", f->uses_velocity ? ", const double *w" : "");
    for (int i = 0; i < f->count; i++)
        if (!is_left_out(c, &f->part[i]))
            text_printf(out, ", double *%s", f->several ? f->part[i].id : "out");
    text_char(out, ')');
}

// What a function gives, with the place of each matrix where all lie in one array.
static void write_about(const CWriter *c, Text *out, const Function *f) {
    int at = 0;
    if (f->several) text_printf(out, "\n// %d operations\n", derive_operations(c->v, true));
    for (int i = 0; i < f->count; i++) {
        const DerivedPart *p = &f->part[i];
        if (is_left_out(c, p)) continue;
        text_printf(out, "%s// %s, %d x %d: %s", f->several ? "" : "\n", p->name, p->value.rows,
                    p->value.cols, p->about);
        if (is_packed(c, p)) text_printf(out, "; packed, %d numbers", part_length(c, p));
        if (f->several && c->form.signature == SIGNATURE_20SIM)
            text_printf(out, "; from out[%d]", at);
        text_char(out, '\n');
        at += part_length(c, p);
    }
}

static bool part_depends(CWriter *c, const Expr *symbols, int n) {
    for (int i = 0; i < n; i++)
        if (walk_seen(c->share.walk, symbols[i])) return true;
    return false;
}

// Arguments that this function happens not to need.
static void write_unused(CWriter *c, const Function *f) {
    const Derivation *v = c->v;
    if (c->form.signature == SIGNATURE_20SIM) {
        int need = v->nq + (f->uses_velocity ? v->nv : 0) + v->param_count, gives = 0;
        for (int i = 0; i < f->count; i++)
            if (!is_left_out(c, &f->part[i])) gives += part_length(c, &f->part[i]);
        text_printf(c->out,
                    "    (void)in, (void)major;\n    if (n_in < %d || n_out < %d) return 1;\n",
                    need, gives);
        return;
    }
    bool params = false;
    for (int i = 0; i < v->param_count; i++) params |= walk_seen(c->share.walk, v->param[i].symbol);
    if (v->param_count && !params) text_add(c->out, "    (void)p;\n");
    if (!part_depends(c, v->q, v->nq)) text_add(c->out, "    (void)q;\n");
    if (f->uses_velocity && !part_depends(c, v->w, v->nv)) text_add(c->out, "    (void)w;\n");
}

static void write_part(CWriter *c, const DerivedPart *p, const char *array, int at) {
    for (int i = 0; i < p->value.rows; i++)
        for (int j = is_packed(c, p) ? i : 0; j < p->value.cols; j++) {
            text_printf(c->out, "    %s[%d] = ", array, at + place_in_part(c, p, i, j));
            if (j < first_column(p, i))
                text_printf(c->out, "%s[%d]", array, at + place_in_part(c, p, j, i));
            else
                share_print(c->out, &c->share, MATRIX_AT(p->value, i, j));
            text_add(c->out, ";\n");
        }
}

static void write_function(CWriter *c, const Function *f) {
    bool five = c->form.signature == SIGNATURE_20SIM;
    int at = 0;
    name_symbols(c, f->uses_velocity);
    share_choose(&c->share, f->part, f->count, 1);
    write_about(c, c->out, f);
    write_head(c, c->out, f);
    text_add(c->out, " {\n");
    write_unused(c, f);
    for (int i = 0; i < c->share.shared.count; i++) {
        text_printf(c->out, "    const double t%d = ", i + 1);
        share_print_definition(c->out, &c->share, i);
        text_add(c->out, ";\n");
    }
    for (int i = 0; i < f->count; i++) {
        const DerivedPart *p = &f->part[i];
        if (is_left_out(c, p)) continue;
        write_part(c, p, f->several && !five ? p->id : "out", at);
        if (five) at += part_length(c, p);
    }
    text_add(c->out, five ? "    return 0;\n}\n" : "}\n");
}

static void write_functions(CWriter *c) {
    if (c->form.shared) {
        Function f = function_of_all(c);
        write_function(c, &f);
        return;
    }
    for (int i = 0; i < c->v->part_count; i++) {
        Function f = function_of(&c->v->part[i]);
        if (!is_left_out(c, f.part)) write_function(c, &f);
    }
}

static void write_declarations(CWriter *c) {
    for (int i = 0; i < c->v->part_count; i++) {
        const DerivedPart *p = &c->v->part[i];
        Function f = function_of(p);
        if (is_left_out(c, p)) {
            text_printf(c->out, "\n// %s is zero\n", p->name);
        } else if (!c->form.shared) {
            write_about(c, c->out, &f);
            write_head(c, c->out, &f);
            text_add(c->out, ";\n");
        }
    }
    if (!c->form.shared) return;
    Function f = function_of_all(c);
    write_about(c, c->out, &f);
    write_head(c, c->out, &f);
    text_add(c->out, ";\n");
}

// --- files ---------------------------------------------------------------------------------------

static void comment_list(Text *out, const char *head, const char *const *names, int n) {
    text_printf(out, "//   %s", head);
    for (int i = 0; i < n; i++) text_printf(out, "%s%s", i ? ", " : " ", names[i]);
    text_char(out, '\n');
}

// Until the end of the line: a backslash there would take the next line into the comment.
static void write_comment(Text *out, const char *text) {
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1])) length--;
    bool joins = length && text[length - 1] == '\\';
    text_printf(out, " // %.*s%s", (int)length, text, joins ? "." : "");
}

static void write_params_struct(CWriter *c) {
    const Derivation *v = c->v;
    if (!v->param_count || c->form.signature == SIGNATURE_20SIM) return;
    text_printf(c->out, "\ntypedef struct { // SI\n");
    for (int i = 0; i < v->param_count; i++) {
        text_printf(c->out, "    double %s;", c->field[i]);
        if (*v->param[i].text) write_comment(c->out, v->param[i].text);
        text_char(c->out, '\n');
    }
    text_printf(c->out, "} %s_params;\n\nvoid %s_defaults(%s_params *p); // values of the model\n",
                c->prefix, c->prefix, c->prefix);
}

static void write_header(CWriter *c) {
    const Derivation *v = c->v;
    Text *out = c->out;
    text_printf(out, "// Mechanism %s, derived by Bondyn. All numbers SI; matrices row by row.\n",
                v->name);
    if (c->form.packed)
        text_add(out, "// Packed: of a symmetric matrix the upper triangle, entry (i, j) with i <= "
                      "j < n, from 0,\n"
                      "// is number i*(2*n - i - 1)/2 + j.\n");
    comment_list(out, "q:", v->q_name, v->nq);
    comment_list(out, "w:", v->w_name, v->nv);
    if (c->form.signature == SIGNATURE_20SIM) {
        text_add(out, "// in: q, then w for functions of velocity, then the parameters\n");
        comment_list(out, "parameters:", c->field, v->param_count);
    }
    text_printf(out, "#ifndef BONDYN_%s_H\n#define BONDYN_%s_H\n", c->prefix, c->prefix);
    text_add(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    if (c->form.signature == SIGNATURE_20SIM)
        text_printf(out,
                    "\n#ifdef _WIN32\n#define %s_EXPORT __declspec(dllexport)\n#else\n"
                    "#define %s_EXPORT\n#endif\n",
                    c->prefix, c->prefix);
    text_printf(out, "\nenum { %s_nq = %d, %s_nv = %d };\n", c->prefix, v->nq, c->prefix, v->nv);
    write_params_struct(c);
    write_declarations(c);
    text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

static void write_defaults(CWriter *c) {
    const Derivation *v = c->v;
    if (!v->param_count || c->form.signature == SIGNATURE_20SIM) return;
    text_printf(c->out, "\nvoid %s_defaults(%s_params *p) {\n", c->prefix, c->prefix);
    for (int i = 0; i < v->param_count; i++) {
        text_printf(c->out, "    p->%s = ", c->field[i]);
        text_number(c->out, isfinite(v->param[i].value) ? v->param[i].value : 0);
        text_add(c->out, ";\n");
    }
    text_add(c->out, "}\n");
}

static bool needs_helpers(const Derivation *v) {
    ExprWalk *walk = walk_new(v->d);
    bool found = false;
    for (int i = 0; i < v->part_count; i++)
        for (int e = 0; e < v->part[i].value.rows * v->part[i].value.cols; e++)
            walk_add(walk, v->part[i].value.at[e]);
    for (int i = 0; i < walk_count(walk); i++) {
        Op op = expr_op(v->d, walk_at(walk, i));
        found |= op == OP_SIGN || op == OP_MOD;
    }
    walk_free(walk);
    return found;
}

int derive_operations(const Derivation *v, bool shared) {
    ARRAY(Expr) root = {0};
    int sum = 0;
    for (int k = 0; k < v->part_count; k++) {
        const DerivedPart *p = &v->part[k];
        for (int i = 0; i < p->value.rows; i++)
            for (int j = first_column(p, i); j < p->value.cols; j++)
                array_push(&root, MATRIX_AT(p->value, i, j));
        if (shared && k + 1 < v->part_count) continue;
        OpCount n = expr_count(v->d, root.data, root.count);
        sum += n.adds + n.multiplies + n.divides + n.calls + n.others;
        root.count = 0;
    }
    array_free(&root);
    return sum;
}

void derive_c(Text *header, Text *source, const Derivation *v, const char *prefix,
              DeriveForm form) {
    CWriter c = {.out = header, .v = v, .prefix = prefix, .form = form};
    share_open(&c.share, v, PRINT_C);
    name_fields(&c);
    write_header(&c);
    c.out = source;
    text_printf(source, "// Mechanism %s, derived by Bondyn; see %s.h\n#include \"%s.h\"\n\n",
                v->name, prefix, prefix);
    text_add(source, "#include <math.h>\n");
    if (needs_helpers(v)) text_printf(source, "\n%s", expr_c_helpers());
    write_defaults(&c);
    write_functions(&c);
    share_close(&c.share);
}
