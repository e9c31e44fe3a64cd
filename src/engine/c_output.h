// Pieces of C text that standalone and native code share.
#ifndef BONDYN_ENGINE_C_OUTPUT_H
#define BONDYN_ENGINE_C_OUTPUT_H

#include "engine/program.h"

void c_number(Text *out, double x);                             // a double, never an int
void c_scalar_helpers(Text *out);                               // sign, min, max, mod, power
void c_tables(Text *out, const Program *p, const char *prefix); // prefix_table_of[]
const char *c_function_name(TapeOp op);
// Per node: the model variable with this value + 1, or 0. Free it.
int *c_variables_by_node(const Program *p);

#endif
