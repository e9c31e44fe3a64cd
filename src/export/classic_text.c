// The right side of a model with the five arguments that 20-sim and others load from a shared library: one function
// for all rates, so that they share their parts.
#include "export/writing.h"

static const char head[] =
    "// The right side x' = f(t, x) of the model, for programs that load a function of five\n"
    "// arguments (20-sim and others, Bondyn's `function ... external`):\n"
    "//\n"
    "//     in   the time, the states, and, if one likes, all parameters, and then all inputs\n"
    "//     out  the rates of the states, and, if one likes, all columns of the results\n"
    "//\n"
    "// States and rates are in SI units, parameters, inputs and columns in those of the table of "
    "names, "
    "all\n"
    "// in its order. Discrete variables are as they start, relations as they are at the point.\n"
    "// 0: it has succeeded.\n"
    "//\n"
    "//     cc -std=c99 -O2 -ffp-contract=off -shared -fPIC right_side.c -lm -o model.so\n"
    "#include \"model.c\"\n\n";

static const char body[] =
    "int model_right_side(double *in, int inputs, double *out, int outputs, int major);\n\n"
    "int model_right_side(double *in, int inputs, double *out, int outputs, int major) {\n"
    "    enum { states = model_state_count, params = model_param_count };\n"
    "    enum { own = model_input_count, columns = model_column_count };\n"
    "    model_machine m;\n"
    "    model_real x[states + 1], rate[states + 1], column[columns + 1];\n"
    "    (void)major;\n"
    "    if (inputs != 1 + states && inputs != 1 + states + params &&\n"
    "        inputs != 1 + states + params + own) return 1;\n"
    "    if (outputs != states && outputs != states + columns) return 2;\n"
    "    model_init(&m);\n"
    "    for (int i = 0; i < inputs - 1 - states; i++)\n"
    "        model_set(&m, i, (model_real)in[1 + states + i]);\n"
    "    m.problem = model_good;\n"
    "    if (!bondyn_prepare(&m)) return 3;\n"
    "    m.reg[model_time_place] = (model_real)in[0];\n"
    "    bondyn_start_held(&m);\n"
    "    for (int i = 0; i < states; i++) x[i] = (model_real)in[1 + i];\n"
    "    if (!bondyn_rates(&m, in[0], x, rate)) return 4;\n"
    "    for (int i = 0; i < states; i++) out[i] = (double)rate[i];\n"
    "    if (outputs == states) return 0;\n"
    "    if (!bondyn_outputs(&m, in[0], x, column)) return 4;\n"
    "    for (int i = 0; i < columns; i++) out[states + i] = (double)column[i];\n"
    "    return 0;\n"
    "}\n";

void export_classic(Export *e) {
    text_add(&e->classic, head);
    export_prefixed(&e->classic, body, e->prefix);
}
