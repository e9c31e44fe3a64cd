// Tables from files of measured data (csv_table.c).
#ifndef BONDYN_LANG_CSV_TABLE_H
#define BONDYN_LANG_CSV_TABLE_H

#include "base/report.h"
#include "lang/ast.h"

// Fills the data of table c from the text of a CSV file, which is source number `source`. What is
// wrong is reported at its place in that file, and the table stays without data.
void table_from_csv(Arena *out, const Names *names, const Sources *sources, uint32_t source,
                    AstClass *c, Report *r);

#endif
