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
// upper triangle is computed and the lower one copied; matrices that are zero are left out.
#include "mech/derive_share.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct {
    Text *out;
    const Derivation *v;
    const char *prefix;
    DeriveSignature signature;
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
    bool packed = c->signature == SIGNATURE_20SIM;
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

static void write_head(const CWriter *c, Text *out, const DerivedPart *p) {
    if (c->signature == SIGNATURE_20SIM) {
        text_printf(out,
                    "%s_EXPORT int %s_%s(double *in, int n_in, double *out, int n_out, int major)",
                    c->prefix, c->prefix, p->id);
        return;
    }
    text_printf(out, "void %s_%s(", c->prefix, p->id);
    if (c->v->param_count) text_printf(out, "const %s_params *p, ", c->prefix);
    text_printf(out, "const double *q, %sdouble *out)",
                p->uses_velocity ? "const double *w, " : "");
}

static bool part_depends(CWriter *c, const Expr *symbols, int n) {
    for (int i = 0; i < n; i++)
        if (walk_seen(c->share.walk, symbols[i])) return true;
    return false;
}

// Arguments that this function happens not to need.
static void write_unused(CWriter *c, const DerivedPart *p) {
    const Derivation *v = c->v;
    if (c->signature == SIGNATURE_20SIM) {
        int need = v->nq + (p->uses_velocity ? v->nv : 0) + v->param_count;
        text_printf(c->out,
                    "    (void)in, (void)major;\n    if (n_in < %d || n_out < %d) return 1;\n",
                    need, p->value.rows * p->value.cols);
        return;
    }
    bool params = false;
    for (int i = 0; i < v->param_count; i++) params |= walk_seen(c->share.walk, v->param[i].symbol);
    if (v->param_count && !params) text_add(c->out, "    (void)p;\n");
    if (!part_depends(c, v->q, v->nq)) text_add(c->out, "    (void)q;\n");
    if (p->uses_velocity && !part_depends(c, v->w, v->nv)) text_add(c->out, "    (void)w;\n");
}

static void write_entry(CWriter *c, const DerivedPart *p, int i, int j) {
    int cols = p->value.cols;
    text_printf(c->out, "    out[%d] = ", i * cols + j);
    if (j < first_column(p, i))
        text_printf(c->out, "out[%d]", j * cols + i);
    else
        share_print(c->out, &c->share, MATRIX_AT(p->value, i, j));
    text_add(c->out, ";\n");
}

static void write_function(CWriter *c, const DerivedPart *p) {
    name_symbols(c, p->uses_velocity);
    share_choose(&c->share, p, 1, 1);
    text_printf(c->out, "\n// %s, %d x %d: %s\n", p->name, p->value.rows, p->value.cols, p->about);
    write_head(c, c->out, p);
    text_add(c->out, " {\n");
    write_unused(c, p);
    for (int i = 0; i < c->share.shared.count; i++) {
        text_printf(c->out, "    const double t%d = ", i + 1);
        share_print_definition(c->out, &c->share, i);
        text_add(c->out, ";\n");
    }
    for (int i = 0; i < p->value.rows; i++)
        for (int j = 0; j < p->value.cols; j++) write_entry(c, p, i, j);
    text_add(c->out, c->signature == SIGNATURE_20SIM ? "    return 0;\n}\n" : "}\n");
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
    if (!v->param_count || c->signature == SIGNATURE_20SIM) return;
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
    comment_list(out, "q:", v->q_name, v->nq);
    comment_list(out, "w:", v->w_name, v->nv);
    if (c->signature == SIGNATURE_20SIM) {
        text_add(out, "// in: q, then w for functions of velocity, then the parameters\n");
        comment_list(out, "parameters:", c->field, v->param_count);
    }
    text_printf(out, "#ifndef BONDYN_%s_H\n#define BONDYN_%s_H\n", c->prefix, c->prefix);
    text_add(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    if (c->signature == SIGNATURE_20SIM)
        text_printf(out,
                    "\n#ifdef _WIN32\n#define %s_EXPORT __declspec(dllexport)\n#else\n"
                    "#define %s_EXPORT\n#endif\n",
                    c->prefix, c->prefix);
    text_printf(out, "\nenum { %s_nq = %d, %s_nv = %d };\n", c->prefix, v->nq, c->prefix, v->nv);
    write_params_struct(c);
    for (int i = 0; i < v->part_count; i++) {
        const DerivedPart *p = &v->part[i];
        if (matrix_is_zero(v->d, p->value)) {
            text_printf(out, "\n// %s is zero\n", p->name);
            continue;
        }
        text_printf(out, "\n// %s, %d x %d: %s\n", p->name, p->value.rows, p->value.cols, p->about);
        write_head(c, out, p);
        text_add(out, ";\n");
    }
    text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

static void write_defaults(CWriter *c) {
    const Derivation *v = c->v;
    if (!v->param_count || c->signature == SIGNATURE_20SIM) return;
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

void derive_c(Text *header, Text *source, const Derivation *v, const char *prefix,
              DeriveSignature signature) {
    CWriter c = {.out = header, .v = v, .prefix = prefix, .signature = signature};
    share_open(&c.share, v, PRINT_C);
    name_fields(&c);
    write_header(&c);
    c.out = source;
    text_printf(source, "// Mechanism %s, derived by Bondyn; see %s.h\n#include \"%s.h\"\n\n",
                v->name, prefix, prefix);
    text_add(source, "#include <math.h>\n");
    if (needs_helpers(v)) text_printf(source, "\n%s", expr_c_helpers());
    write_defaults(&c);
    for (int i = 0; i < v->part_count; i++)
        if (!matrix_is_zero(v->d, v->part[i].value)) write_function(&c, &v->part[i]);
    share_close(&c.share);
}
