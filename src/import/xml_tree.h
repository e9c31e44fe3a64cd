// An XML file as a tree, for formats that refer to and fro between their elements.
#ifndef BONDYN_IMPORT_XML_TREE_H
#define BONDYN_IMPORT_XML_TREE_H

#include "base/arena.h"
#include <stdbool.h>

typedef struct XmlNode XmlNode;
struct XmlNode {
    const char *tag;
    const char **attribute; // name, value, name, value ..., NULL
    const char *text;       // of an element without elements in it; never NULL
    size_t at;              // byte of its tag in the file
    XmlNode *parent, *first, *last, *next;
};

typedef struct {
    size_t at;
    const char *what;
} XmlFault;

// The root; or NULL, and the fault says what is wrong and where. Trees have at most a million
// elements.
XmlNode *xml_tree(Arena *out, const char *text, size_t length, XmlFault *fault);
const char *xml_attribute(const XmlNode *n, const char *name);    // NULL: it has none
const XmlNode *xml_child(const XmlNode *n, const char *tag);      // Nullable: n
const XmlNode *xml_next(const XmlNode *n);                        // the next one of the same tag
const XmlNode *xml_follow(const XmlNode *root, const XmlNode *n); // in the order of the file
bool xml_is(const XmlNode *n, const char *tag);

#endif
