// Derived C functions against the formulas themselves: an arm on a free vehicle, every entry of
// every matrix. The compiler is asked to be strict; without one only the formulas are made.
#include "../test.h"

#include "lang/lang.h"
#include "mech/derive.h"
#include "mech/derive_floating.h"
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
    f->m = lang_instantiate(&f->arena, s, "Vehicle", NULL, &none, NULL, &f->report);
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
    model_free_expressions(f->m);
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
// Prints a matrix in full; a packed triangle is read as it comes, row by row.
static void write_printing(FILE *out, const DerivedPart *p, const char *array, bool packed) {
    int n = p->value.rows, place[40][40], next = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < p->value.cols; j++)
            if (!packed || !p->symmetric)
                fprintf(out, "    printf(\"%%.17g\\n\", %s[%d]);\n", array, i * p->value.cols + j);
    if (!packed || !p->symmetric) return;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) place[i][j] = place[j][i] = next++;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            fprintf(out, "    printf(\"%%.17g\\n\", %s[%d]);\n", array, place[i][j]);
}

static void write_call_of_all(FILE *out, const Derivation *v, DeriveForm form) {
    for (int i = 0; i < v->part_count; i++)
        if (!is_zero(v->d, v->part[i].value)) fprintf(out, "    double part%d[200];\n", i);
    fprintf(out, "    Vehicle_all(%sq, w", v->param_count ? "&p, " : "");
    for (int i = 0; i < v->part_count; i++)
        if (!is_zero(v->d, v->part[i].value)) fprintf(out, ", part%d", i);
    fprintf(out, ");\n");
    for (int i = 0; i < v->part_count; i++) {
        char array[16];
        snprintf(array, sizeof array, "part%d", i);
        if (!is_zero(v->d, v->part[i].value)) write_printing(out, &v->part[i], array, form.packed);
    }
}

static void write_main(const Fixture *f, const char *path, DeriveForm form) {
    const Derivation *v = f->v;
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "#include \"Vehicle.h\"\n#include <stdio.h>\nint main(void) {\n");
    write_array(out, "q", f, v->q, v->nq);
    write_array(out, "w", f, v->w, v->nv);
    if (v->param_count) fprintf(out, "    Vehicle_params p;\n    Vehicle_defaults(&p);\n");
    if (form.shared)
        write_call_of_all(out, v, form);
    else
        fprintf(out, "    double out[200];\n");
    for (int i = 0; i < v->part_count && !form.shared; i++) {
        const DerivedPart *p = &v->part[i];
        if (is_zero(v->d, p->value)) continue;
        fprintf(out, "    Vehicle_%s(%sq, %sout);\n", p->id, v->param_count ? "&p, " : "",
                p->uses_velocity ? "w, " : "");
        write_printing(out, p, "out", form.packed);
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

static void c_gives_the_formulas(bool fixed, DeriveForm form) {
    if (system("cc --version >/dev/null 2>&1") != 0) skip();
    Fixture f;
    open_fixture(&f, fixed);
    char folder[] = "/tmp/bondyn_derive_XXXXXX", path[100], command[300];
    assert_non_null(mkdtemp(folder));
    Text header = {0}, source = {0};
    derive_c(&header, &source, f.v, "Vehicle", form);
    snprintf(path, sizeof path, "%s/Vehicle.h", folder);
    write_text(path, &header);
    snprintf(path, sizeof path, "%s/Vehicle.c", folder);
    write_text(path, &source);
    snprintf(path, sizeof path, "%s/main.c", folder);
    write_main(&f, path, form);
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
    c_gives_the_formulas(false, (DeriveForm){.packed = true});
}

static void test_parameters_compiled_in(void **state) {
    (void)state;
    c_gives_the_formulas(true, (DeriveForm){.signature = SIGNATURE_PLAIN});
}

// All matrices by one function, and what that saves: the chain of a vehicle and three joints
// computes its sines, positions and momenta once.
static void test_one_function_for_all(void **state) {
    (void)state;
    c_gives_the_formulas(false, (DeriveForm){.packed = true, .shared = true});
    Fixture f;
    open_fixture(&f, false);
    int one = derive_operations(f.v, true), each = derive_operations(f.v, false);
    printf("%d operations in one function, %d in a function for each matrix\n", one, each);
    assert_true(one < each);
    close_fixture(&f);
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

// Spacecraft with six hinges (From et al., case R2, with its errata): without momentum the joints
// move by Br alone, the base follows by -Zr w, and Bc is the inertia of the equivalent manipulator.
static const char spacecraft[] =
    "mechanism Vehicle\n"
    "  gravity off\n"
    "  joint hull free: world -> spacecraft\n"
    "  joint q1 revolute z: spacecraft -> link1 at (0.9, 0, 0.35) {m}\n"
    "  joint q2 revolute y: link1 -> link2 at (0, 0, 0.3) {m}\n"
    "  joint q3 revolute y: link2 -> link3 at (1, 0, 0) {m}\n"
    "  joint q4 revolute x: link3 -> link4 at (0.9, 0, 0) {m}\n"
    "  joint q5 revolute y: link4 -> link5 at (0.24, 0, 0) {m}\n"
    "  joint q6 revolute x: link5 -> link6 at (0.2, 0, 0) {m}\n"
    "  body spacecraft mass 400 {kg} inertia (180, 220, 260) {kg.m2}\n"
    "  body link1 mass 18 {kg} cg (0, 0, 0.15) {m} inertia (0.35, 0.36, 0.12) {kg.m2}\n"
    "  body link2 mass 25 {kg} cg (0.5, 0, 0) {m} inertia (0.12, 2.1, 2.15) {kg.m2}\n"
    "  body link3 mass 20 {kg} cg (0.45, 0, 0) {m} inertia (0.1, 1.4, 1.45) {kg.m2}\n"
    "  body link4 mass 7 {kg} cg (0.12, 0, 0) {m} inertia (0.03, 0.05, 0.055) {kg.m2}\n"
    "  body link5 mass 5 {kg} cg (0.1, 0, 0) {m} inertia (0.02, 0.025, 0.03) {kg.m2}\n"
    "  body link6 mass 9 {kg} cg (0.15, 0, 0) {m} inertia (0.06, 0.1, 0.11) {kg.m2}\n"
    "  frame tip on link6 at (0.35, 0, 0) {m}\n"
    "end\n";

static const double floating_q[6] = {0.3, -0.7, 1.1, 0.2, 0.6, -0.4};
static const double floating_w[6] = {0.4, -0.3, 0.5, -0.2, 0.6, -0.5};

static void set_joints(Fixture *f) {
    const Derivation *v = f->v;
    for (int i = 0; i < 6; i++) {
        f->value[expr_symbol_index(v->d, v->q[v->nq - 6 + i])] = floating_q[i];
        f->value[expr_symbol_index(v->d, v->w[v->nv - 6 + i])] = floating_w[i];
    }
}

static double entry_of(const Fixture *f, const char *part, int i, int j) {
    for (int k = 0; k < f->v->part_count; k++)
        if (strcmp(f->v->part[k].name, part) == 0)
            return expr_evaluate(f->v->d, MATRIX_AT(f->v->part[k].value, i, j), f->value);
    fail_msg("no %s", part);
    return NAN;
}

// The equivalent manipulator, read again, has the inertia Bc.
static void assert_equivalent(Fixture *f) {
    Text text = {0};
    assert_true(derive_equivalent(&text, f->m, &f->m->mechanism[0], &f->report));
    char *start = strstr(text.data, "VehicleEquivalent");
    assert_non_null(start);
    memmove(start + 7, start + 17, strlen(start + 17) + 1); // it is called Vehicle there
    Fixture other;
    open_text(&other, text.data, &(DeriveOptions){.only = "B"});
    int joints = f->v->nv - 6, n = joints + 3;
    for (int i = 0; i < joints; i++)
        other.value[expr_symbol_index(other.v->d, other.v->q[4 + i])] =
            f->value[expr_symbol_index(f->v->d, f->v->q[7 + i])];
    for (int i = 0; i < n * n; i++)
        assert_near(entry_of(&other, "B", i / n, i % n), entry_of(f, "Bc", i / n, i % n), 1e-9);
    text_free(&text);
    close_fixture(&other);
}

static void test_floating(void **state) {
    (void)state;
    static const double Br[6][6] = {{52.0598729836, 0.475927309975, 1.7805982408, 2.21740134927,
                                     0.976729355773, -0.0331014723353},
                                    {0.475927309975, 51.9183183732, 28.9962484132, -0.42270461472,
                                     2.78788531303, 0.00435464583732},
                                    {1.7805982408, 28.9962484132, 28.8989665423, -0.389935759494,
                                     3.96321216818, 0.0053978548401},
                                    {2.21740134927, -0.42270461472, -0.389935759494, 0.43346520186,
                                     -0.000513504456764, 0.0500044820022},
                                    {0.976729355773, 2.78788531303, 3.96321216818,
                                     -0.000513504456764, 1.22440263326, 3.92500833975e-05},
                                    {-0.0331014723353, 0.00435464583732, 0.0053978548401,
                                     0.0500044820022, 3.92500833972e-05, 0.0599928618791}};
    static const double Crw[6] = {-6.49880990153,  -2.11316402952, 3.3871995001,
                                  -0.476573195488, 0.741609892983, -0.00492825603883};
    static const double base[6] = {0.0375031683622, -0.0126286444728, 0.00128903885792,
                                   0.0330609334064, 0.0420431416617,  -0.101064962349};
    static const double Bc[9][9] = {
        {244.865126397, -44.1924896755, -103.771032938, -51.0862325973, -34.8221908614,
         -12.4782548156, -0.53126658756, -0.982946642288, 0.0292324283275},
        {-44.1924896755, 523.012529577, -15.9877079365, -15.9877079365, 163.924385937,
         62.1994142655, -1.09995539552, 3.52817117061, 0.0160879459491},
        {-103.771032938, -15.9877079365, 516.506789226, 148.867303723, 4.20697416577,
         -3.13424899517, 5.15037805027, 0.985196045335, -0.049866252408},
        {-51.0862325973, -15.9877079365, 148.867303723, 97.4592231795, 0.0456079846998,
         0.280224011233, 3.68005424726, 1.22989581873, -0.049866252408},
        {-34.8221908614, 163.924385937, 4.20697416577, 0.0456079846998, 105.119948537,
         49.1184557623, -0.712391803266, 3.95338414194, 0.00673062853967},
        {-12.4782548156, 62.1994142655, -3.13424899517, 0.280224011233, 49.1184557623,
         36.5532233184, -0.547197767511, 4.39591000695, 0.00673062853967},
        {-0.53126658756, -1.09995539552, 5.15037805027, 3.68005424726, -0.712391803266,
         -0.547197767511, 0.487311314919, 0.00202524858735, 0.0495201368946},
        {-0.982946642288, 3.52817117061, 0.985196045335, 1.22989581873, 3.95338414194,
         4.39591000695, 0.00202524858735, 1.25149064001, -3.33066907388e-18},
        {0.0292324283275, 0.0160879459491, -0.049866252408, -0.049866252408, 0.00673062853967,
         0.00673062853967, 0.0495201368946, -3.33066907388e-18, 0.06}};
    Fixture f;
    open_text(&f, spacecraft, &(DeriveOptions){.only = "Br,Zr,Cr,Crw,Bc"});
    set_joints(&f);
    for (int i = 0; i < 6; i++) {
        double twist = 0, bias = 0;
        for (int j = 0; j < 6; j++) {
            assert_near(entry_of(&f, "Br", i, j), Br[i][j], 1e-10);
            twist -= entry_of(&f, "Zr", i, j) * floating_w[j];
            bias += entry_of(&f, "Cr", i, j) * floating_w[j];
        }
        assert_near(twist, base[i], 1e-12);
        assert_near(bias, Crw[i], 1e-10);
        assert_near(entry_of(&f, "Crw", i, 0), Crw[i], 1e-10);
    }
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) assert_near(entry_of(&f, "Bc", i, j), Bc[i][j], 1e-9);
    assert_equivalent(&f);
    close_fixture(&f);
}

static void test_equivalent_with_turned_joints(void **state) {
    (void)state;
    static const char turned[] =
        "mechanism Vehicle\n"
        "  gravity off\n"
        "  joint hull free: world -> base\n"
        "  joint a revolute (1, 1, 0): base -> l1 at (0.5, 0.1, 0.2) {m} rotated x 50 {deg}, z 180 "
        "{deg}\n"
        "  joint b revolute y: l1 -> l2 at (0.4, 0, 0.1) {m} rotated y 180 {deg}\n"
        "  joint c revolute z: l2 -> l3 at (0, 0.2, 0.1) {m} rotated y 70 {deg}, x 20 {deg}\n"
        "  body base mass 50 {kg} cg (0.1, 0.05, 0) {m} inertia (5, 6, 7, 0.3, -0.2, 0.1) {kg.m2}\n"
        "  body l1 mass 8 {kg} cg (0.2, 0.02, 0) {m} inertia (0.2, 0.3, 0.35, 0.01, 0, 0.02) "
        "{kg.m2}\n"
        "  body l2 mass 5 {kg} cg (0.25, 0, 0.03) {m} inertia (0.05, 0.1, 0.1) {kg.m2}\n"
        "  body l3 mass 2 {kg} cg (0.1, 0.1, 0.1) {m} inertia (0.01, 0.02, 0.02) {kg.m2}\n"
        "end\n";
    Fixture f;
    open_text(&f, turned, &(DeriveOptions){.only = "Bc"});
    assert_equivalent(&f);
    close_fixture(&f);
}

static void test_floating_refused(void **state) {
    (void)state;
    Fixture f;
    open_text(&f, model, &(DeriveOptions){.only = "B"}); // a slide: no chain of hinges
    Text text = {0};
    assert_false(derive_equivalent(&text, f.m, &f.m->mechanism[0], &f.report));
    assert_int_equal(f.report.errors, 1);
    text_free(&text);
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters_at_run_time),
        cmocka_unit_test(test_parameters_compiled_in),
        cmocka_unit_test(test_one_function_for_all),
        cmocka_unit_test(test_parts_agree),
        cmocka_unit_test(test_everything_symbolic),
        cmocka_unit_test(test_floating),
        cmocka_unit_test(test_equivalent_with_turned_joints),
        cmocka_unit_test(test_floating_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
