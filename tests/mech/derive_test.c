// Derived C functions against the formulas themselves: an arm on a free vehicle, every entry of
// every matrix. The compiler is asked to be strict; without one only the formulas are made.
#include "../test.h"

#include "lang/lang.h"
#include "mech/derive.h"
#include "mech/mech.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char model[] =
    "mechanism Vehicle\n"
    "  param L = 0.7 {m}, m = 3 {kg}, int = 0.2 {m}, tilt = 0.3 {rad}\n"
    "  gravity (0, 0, -9.81) {m/s2}\n"
    "  joint base free: world -> hull\n"
    "  joint q1 revolute z: hull -> upper at (int, 0, 0.1) rotated y tilt\n"
    "  joint q2 universal x y: upper -> lower at (0, L, 0)\n"
    "  joint q3 prismatic (1, 1, 0): lower -> rod\n"
    "  body hull mass 20 {kg} cg (0.1, 0, 0.02) {m} inertia (1, 2, 2.5) {kg.m2}\n"
    "  body upper mass m cg (0, L/2, 0) inertia (0.2, 0.01, 0.2) {kg.m2}\n"
    "  body lower mass 1 {kg} cg (0, 0.2, 0.1) {m} inertia (0.03, 0.02, 0.04) {kg.m2}\n"
    "  body rod mass 0.5 {kg} inertia (0.01, 0.01, 0.01) {kg.m2}\n"
    "  frame tip on rod at (0, 0.3, 0) {m} rotated x 20 {deg}\n"
    "end\n";

// Vehicle with two hinges and a slide (Rokseth's method, T-VM): a parameter for every length, mass
// and moment of inertia.
static const char symbolic[] =
    "mechanism Vehicle\n"
    "  param m0 = 60 {kg}, m1 = 5 {kg}, m2 = 4 {kg}, m3 = 2 {kg}\n"
    "  param c0[3] = (0.05, -0.02, 0.08) {m}, c1[3] = (0.02, 0.01, -0.1) {m}\n"
    "  param c2[3] = (0.25, 0, 0.01) {m}, c3[3] = (0.15, -0.01, 0) {m}\n"
    "  param J0[6] = (4, 6, 7, 0.1, -0.2, 0.15) {kg.m2}\n"
    "  param J1[6] = (0.05, 0.06, 0.04, 0.002, 0, 0.001) {kg.m2}\n"
    "  param J2[6] = (0.02, 0.12, 0.12, 0, 0, 0) {kg.m2}\n"
    "  param J3[6] = (0.005, 0.03, 0.03, 0, 0, 0) {kg.m2}\n"
    "  param r1[3] = (0.6, 0.1, -0.3) {m}, r2[3] = (0, 0, -0.2) {m}, r3[3] = (0.5, 0, 0) {m}\n"
    "  gravity off\n"
    "  joint hull free: world -> body\n"
    "  joint q1 revolute z: body -> post at r1\n"
    "  joint q2 revolute y: post -> boom at r2\n"
    "  joint q3 prismatic x: boom -> rod at r3\n"
    "  body body mass m0 cg c0 inertia J0\n"
    "  body post mass m1 cg c1 inertia J1\n"
    "  body boom mass m2 cg c2 inertia J2\n"
    "  body rod mass m3 cg c3 inertia J3\n"
    "end\n";

typedef struct {
    Arena arena;
    Names *names;
    Sources *sources;
    Report report;
    Model *m;
    Derivation *v;
    double *value; // of symbols
} Fixture;

static void open_text(Fixture *f, const char *text, const DeriveOptions *options) {
    *f = (Fixture){.names = names_new(), .sources = sources_new()};
    Syntax *s = lang_load_text(&f->arena, f->names, f->sources, "vehicle.bond", text, strlen(text),
                               NULL, &f->report);
    LangOptions none = {0};
    f->m = lang_instantiate(&f->arena, s, "Vehicle", NULL, &none, &f->report);
    if (f->report.errors) {
        Text t = {0};
        report_print(&t, &f->report, f->sources);
        fail_msg("%s", text_get(&t));
    }
    assert_true(mech_check(&f->m->mechanism[0], f->m->dag, &f->report));
    f->v = derive(&f->arena, f->m, &f->m->mechanism[0], options, &f->report);
    assert_non_null(f->v);
    f->value = ARENA_ARRAY(&f->arena, double, expr_symbol_count(f->v->d));
    const Derivation *v = f->v;
    for (int i = 0; i < v->param_count; i++)
        f->value[expr_symbol_index(v->d, v->param[i].symbol)] = v->param[i].value;
    for (int i = 0; i < v->nq; i++)
        f->value[expr_symbol_index(v->d, v->q[i])] = cos(1.7 * i) + 0.1 * i;
    for (int i = 0; i < v->nv; i++) f->value[expr_symbol_index(v->d, v->w[i])] = sin(2.3 * i + 1);
}

static void open_fixture(Fixture *f, bool fixed) {
    open_text(f, model, &(DeriveOptions){.fixed = fixed});
}

static void close_fixture(Fixture *f) {
    dag_free(f->m->dag);
    arena_free(&f->arena);
    report_free(&f->report);
    sources_free(f->sources);
    names_free(f->names);
}

static bool is_zero(const Dag *d, Matrix a) {
    double x;
    for (int i = 0; i < a.rows * a.cols; i++)
        if (!expr_is_number(d, a.at[i], &x) || x != 0) return false;
    return true;
}

static void write_array(FILE *out, const char *name, const Fixture *f, const Expr *e, int n) {
    fprintf(out, "    const double %s[] = {", name);
    for (int i = 0; i < n; i++) fprintf(out, "%.17g, ", f->value[expr_symbol_index(f->v->d, e[i])]);
    fprintf(out, "};\n");
}

// Prints every entry of every matrix, one per line.
static void write_main(const Fixture *f, const char *path) {
    const Derivation *v = f->v;
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "#include \"Vehicle.h\"\n#include <stdio.h>\nint main(void) {\n");
    write_array(out, "q", f, v->q, v->nq);
    write_array(out, "w", f, v->w, v->nv);
    if (v->param_count) fprintf(out, "    Vehicle_params p;\n    Vehicle_defaults(&p);\n");
    fprintf(out, "    double out[200];\n");
    for (int i = 0; i < v->part_count; i++) {
        const DerivedPart *p = &v->part[i];
        if (is_zero(v->d, p->value)) continue;
        fprintf(out, "    Vehicle_%s(%sq, %sout);\n", p->id, v->param_count ? "&p, " : "",
                p->uses_velocity ? "w, " : "");
        fprintf(out, "    for (int i = 0; i < %d; i++) printf(\"%%.17g\\n\", out[i]);\n",
                p->value.rows * p->value.cols);
    }
    fprintf(out, "    return 0;\n}\n");
    fclose(out);
}

static void write_text(const char *path, const Text *t) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fwrite(t->data, 1, t->length, out);
    fclose(out);
}

static void compare_output(const Fixture *f, FILE *in) {
    const Derivation *v = f->v;
    for (int i = 0; i < v->part_count; i++) {
        Matrix a = v->part[i].value;
        if (is_zero(v->d, a)) continue;
        for (int k = 0; k < a.rows * a.cols; k++) {
            double got, wanted = expr_evaluate(v->d, a.at[k], f->value);
            assert_int_equal(fscanf(in, "%lf", &got), 1);
            if (!(fabs(got - wanted) <= 1e-12 * (1 + fabs(wanted))))
                fail_msg("%s[%d]: %.17g, expected %.17g", v->part[i].name, k, got, wanted);
        }
    }
}

static void c_gives_the_formulas(bool fixed) {
    if (system("cc --version >/dev/null 2>&1") != 0) skip();
    Fixture f;
    open_fixture(&f, fixed);
    char folder[] = "/tmp/bondyn_derive_XXXXXX", path[100], command[300];
    assert_non_null(mkdtemp(folder));
    Text header = {0}, source = {0};
    derive_c(&header, &source, f.v, "Vehicle", SIGNATURE_PLAIN);
    snprintf(path, sizeof path, "%s/Vehicle.h", folder);
    write_text(path, &header);
    snprintf(path, sizeof path, "%s/Vehicle.c", folder);
    write_text(path, &source);
    snprintf(path, sizeof path, "%s/main.c", folder);
    write_main(&f, path);
    snprintf(command, sizeof command,
             "cd %s && cc -std=c99 -Wall -Wextra -Werror main.c Vehicle.c -lm -o main && ./main",
             folder);
    FILE *in = popen(command, "r");
    assert_non_null(in);
    compare_output(&f, in);
    assert_int_equal(pclose(in), 0);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    text_free(&header);
    text_free(&source);
    close_fixture(&f);
}

static void test_parameters_at_run_time(void **state) {
    (void)state;
    c_gives_the_formulas(false);
}

static void test_parameters_compiled_in(void **state) {
    (void)state;
    c_gives_the_formulas(true);
}

// C w = B' w + gamma p - (w' dB/dq_i beta_i w)/2: the momentum form with its gyration
static void check_gamma(const Fixture *f, Matrix B, Matrix beta, Matrix gamma, Matrix Cw,
                        Rates *time) {
    const Derivation *v = f->v;
    Matrix w = {v->nv, 1, v->w};
    Arena scratch = {0};
    Matrix p = matrix_multiply(&scratch, v->d, B, w);
    for (int i = 0; i < v->nv; i++) {
        Rates *along = rates_new(v->d);
        double sum = 0;
        for (int j = 0; j < v->nq; j++) rates_set(along, v->q[j], MATRIX_AT(beta, j, i));
        for (int a = 0; a < v->nv; a++) {
            double wa = expr_evaluate(v->d, v->w[a], f->value);
            sum += expr_evaluate(v->d, rates_of(time, MATRIX_AT(B, i, a)), f->value) * wa;
            sum += expr_evaluate(v->d, MATRIX_AT(gamma, i, a), f->value) *
                   expr_evaluate(v->d, p.at[a], f->value);
            for (int b = 0; b < v->nv; b++)
                sum -= 0.5 * wa * expr_evaluate(v->d, v->w[b], f->value) *
                       expr_evaluate(v->d, rates_of(along, MATRIX_AT(B, a, b)), f->value);
        }
        rates_free(along);
        assert_true(fabs(sum - expr_evaluate(v->d, Cw.at[i], f->value)) < 1e-10);
    }
    arena_free(&scratch);
}

// The parts hold together: g = dV/dq pulled to w, C w = Cw, 2 T = w' B w, dB/dt - 2 C skew.
static void test_parts_agree(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, false);
    const Derivation *v = f.v;
    Matrix B = {0}, g = {0}, C = {0}, Cw = {0}, beta = {0}, gamma = {0}, T = {0}, V = {0};
    for (int i = 0; i < v->part_count; i++) {
        const char *name = v->part[i].name;
        Matrix *to = strcmp(name, "B") == 0       ? &B
                     : strcmp(name, "g") == 0     ? &g
                     : strcmp(name, "C") == 0     ? &C
                     : strcmp(name, "Cw") == 0    ? &Cw
                     : strcmp(name, "beta") == 0  ? &beta
                     : strcmp(name, "gamma") == 0 ? &gamma
                     : strcmp(name, "T") == 0     ? &T
                     : strcmp(name, "V") == 0     ? &V
                                                  : NULL;
        if (to) *to = v->part[i].value;
    }
    // a unit quaternion, as the formulas with quaternions hold on the sphere
    double length = 0;
    for (int i = 3; i < 7; i++) length += pow(f.value[expr_symbol_index(v->d, v->q[i])], 2);
    for (int i = 3; i < 7; i++) f.value[expr_symbol_index(v->d, v->q[i])] /= sqrt(length);
#define VALUE(e) expr_evaluate(v->d, (e), f.value)
    double twice = 0;
    Rates *time = rates_new(v->d);
    for (int j = 0; j < v->nq; j++) {
        Expr rate = expr_number(v->d, 0);
        for (int i = 0; i < v->nv; i++)
            rate = expr_add(v->d, rate, expr_mul(v->d, MATRIX_AT(beta, j, i), v->w[i]));
        rates_set(time, v->q[j], rate);
    }
    for (int i = 0; i < v->nv; i++) {
        double sum = 0, slope = 0, wi = VALUE(v->w[i]);
        for (int j = 0; j < v->nv; j++) {
            sum += VALUE(MATRIX_AT(C, i, j)) * VALUE(v->w[j]);
            twice += wi * VALUE(MATRIX_AT(B, i, j)) * VALUE(v->w[j]);
            double skew = VALUE(rates_of(time, MATRIX_AT(B, i, j))) - VALUE(MATRIX_AT(C, i, j)) -
                          VALUE(MATRIX_AT(C, j, i));
            assert_true(fabs(skew) < 1e-10);
        }
        for (int j = 0; j < v->nq; j++)
            slope += VALUE(expr_derivative(v->d, V.at[0], v->q[j])) * VALUE(MATRIX_AT(beta, j, i));
        assert_true(fabs(sum - VALUE(Cw.at[i])) < 1e-10);
        assert_true(fabs(slope - VALUE(g.at[i])) < 1e-10);
    }
    assert_true(fabs(twice - 2 * VALUE(T.at[0])) < 1e-10);
#undef VALUE
    check_gamma(&f, B, beta, gamma, Cw, time);
    rates_free(time);
    close_fixture(&f);
}

// B and dB/dq of the vehicle with symbols everywhere: entries of the tables, and as few operations
// as sharing all common parts leaves (a computer algebra system: 21425 as written, 1671 shared).
static void test_everything_symbolic(void **state) {
    (void)state;
    Fixture f;
    open_text(&f, symbolic, &(DeriveOptions){.only = "B,dB"});
    const Derivation *v = f.v;
    static const struct {
        const char *part;
        int row, column;
        double value;
    } entry[] = {
        {"B", 0, 4, 1.0336671490},         {"B", 3, 3, 6.3617007222},
        {"B", 4, 4, 15.4824891615},        {"B", 5, 6, 2.5560680295},
        {"dB/dq2.q", 0, 4, -2.1747793832}, {"dB/dq2.q", 4, 4, 3.3504803581},
        {"dB/dq2.q", 2, 7, -1.2336671490}, {"dB/dq3.q", 5, 5, 4.3870891177},
        {"dB/dq3.q", 7, 7, 3.0},           {"dB/dq1.q", 3, 3, 1.2278143233},
        {"dB/dq1.q", 4, 4, -1.9072758970},
    };
    const double q[3] = {0.4, -0.5, 0.1};
    Expr all[4 * 81];
    int count = 0, found = 0;
    for (int i = 0; i < 3; i++) f.value[expr_symbol_index(v->d, v->q[7 + i])] = q[i];
    assert_int_equal(v->part_count, 4);
    for (int i = 0; i < v->part_count; i++) {
        const DerivedPart *p = &v->part[i];
        for (int k = 0; k < 81; k++) all[count++] = p->value.at[k];
        for (size_t k = 0; k < sizeof entry / sizeof *entry; k++) {
            if (strcmp(entry[k].part, p->name) != 0) continue;
            Expr e = MATRIX_AT(p->value, entry[k].row, entry[k].column);
            assert_near(expr_evaluate(v->d, e, f.value), entry[k].value, 1e-10);
            found++;
        }
    }
    assert_int_equal(found, (int)(sizeof entry / sizeof *entry));
    OpCount n = expr_count(v->d, all, count);
    assert_true(n.calls <= 4);
    assert_true(n.adds + n.multiplies + n.divides + n.calls + n.others <= 640); // 611 when written
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters_at_run_time),
        cmocka_unit_test(test_parameters_compiled_in),
        cmocka_unit_test(test_parts_agree),
        cmocka_unit_test(test_everything_symbolic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
