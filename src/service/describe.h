// Declarations in words: for hovering, completion and lists of symbols.
#ifndef BONDYN_SERVICE_DESCRIBE_H
#define BONDYN_SERVICE_DESCRIBE_H

#include "service/uses.h"

void describe_item(Text *out, const Names *n, const AstItem *i);   // "param m {kg} = 1"
void describe_class(Text *out, const Names *n, const AstClass *c); // "model Motor extends Drive"
// Ports, parameters, inputs and outputs of a class and of what it extends, a line each.
void describe_members(Text *out, const Analysis *a, Definition d);
const char *describe_element(const char *type); // the law of R, C ...; NULL: no such element

#endif
