// Text -> syntax tree. The parser goes on after a mistake at the next line that starts a statement,
// so one reading reports several.
#ifndef BONDYN_LANG_PARSER_H
#define BONDYN_LANG_PARSER_H

#include "base/report.h"
#include "lang/ast.h"

AstFile *parse_file(Arena *out, Names *names, const Sources *sources, uint32_t source, Report *r);
// The same with an arena of their own for statements that are bonds. Nullable: bonds.
AstFile *parse_file_apart(Arena *out, Arena *bonds, Names *names, const Sources *sources,
                          uint32_t source, Report *r);
AstExpr *parse_expression_text(Arena *out, Names *names, const Sources *sources, uint32_t source,
                               Report *r); // a whole source that is one expression: command line

// A whole source `path = expression, ...` as on the command line: a list of ITEM_SET, NULL on
// error.
AstItem *parse_setting_text(Arena *out, Names *names, const Sources *sources, uint32_t source,
                            Report *r);

#endif
