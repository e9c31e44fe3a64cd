// A description while it is read: what the files for FMI 2 and 3 share.
#ifndef BONDYN_FOREIGN_DESCRIPTION_READER_H
#define BONDYN_FOREIGN_DESCRIPTION_READER_H

#include "foreign/description.h"
#include "import/xml_tree.h"

typedef struct {
    Arena *out;
    UnitDescription *d;
    uint32_t source;
    Report *r;
    const XmlNode *root, *units;
    bool good;
} Reader;

enum { MOST_ELEMENTS = 100000 };

Pos reader_place(const Reader *k, const XmlNode *n);
Remark *reader_wrong(Reader *k, const XmlNode *n, const char *format, const char *word);
const char *reader_keep(Reader *k, const char *text);
bool reader_is_true(const XmlNode *n, const char *name);
double reader_number(Reader *k, const XmlNode *n, const char *name, double otherwise);
void reader_unit(Reader *k, UnitVariable *v, const XmlNode *value, const XmlNode *type);
// Name, reference, role and variability; `n`: the element that has them.
void reader_variable(Reader *k, const XmlNode *n, UnitVariable *v);
void reader_add_rate(Reader *k, const XmlNode *n, int rate);
void reader_add_port(Reader *k, const char *name, int effort, int flow);
int reader_named(const UnitDescription *d, const char *name); // -1: there is none

// --- description3.c
void reader_variables3(Reader *k);
void reader_structure3(Reader *k);
void reader_terminals(Reader *k, const XmlNode *root);

#endif
