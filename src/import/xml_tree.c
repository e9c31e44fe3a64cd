// Elements are hung into the tree as expat meets them; nothing here goes down by calling itself.
#include "import/xml_tree.h"

#include "base/text.h"
#include <expat.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 1000000 };

typedef struct {
    Arena *out;
    XML_Parser xml;
    XmlNode *root, *open;
    Text text; // of the open element
    int count;
} TreeReader;

static const char **copy_attributes(Arena *out, const XML_Char **from) {
    int count = 0;
    while (from[count]) count++;
    const char **to = ARENA_ARRAY(out, const char *, count + 1);
    for (int i = 0; i < count; i++) to[i] = arena_copy_text(out, from[i], strlen(from[i]));
    return to;
}

static void XMLCALL begins(void *context, const XML_Char *tag, const XML_Char **attributes) {
    TreeReader *k = context;
    XML_Index at = XML_GetCurrentByteIndex(k->xml);
    if (++k->count > MOST_NODES) {
        XML_StopParser(k->xml, XML_FALSE);
        return;
    }
    XmlNode *n = ARENA_NEW(k->out, XmlNode), *parent = k->open;
    *n = (XmlNode){.tag = arena_copy_text(k->out, tag, strlen(tag)),
                   .attribute = copy_attributes(k->out, attributes),
                   .text = "",
                   .at = at > 0 ? (size_t)at : 0,
                   .parent = parent};
    if (!parent)
        k->root = n;
    else if (parent->last)
        parent->last->next = n;
    else
        parent->first = n;
    if (parent) parent->last = n;
    k->open = n;
    text_clear(&k->text);
}

static void XMLCALL ends(void *context, const XML_Char *tag) {
    TreeReader *k = context;
    (void)tag;
    if (!k->open->first)
        k->open->text = arena_copy_text(k->out, text_get(&k->text), k->text.length);
    text_clear(&k->text);
    k->open = k->open->parent;
}

static void XMLCALL says(void *context, const XML_Char *text, int length) {
    TreeReader *k = context;
    if (k->open && !k->open->first) text_add_n(&k->text, text, (size_t)length);
}

XmlNode *xml_tree(Arena *out, const char *text, size_t length, XmlFault *fault) {
    TreeReader k = {.out = out, .xml = XML_ParserCreate(NULL)};
    if (!k.xml) abort(); // no memory
    XML_SetUserData(k.xml, &k);
    XML_SetElementHandler(k.xml, begins, ends);
    XML_SetCharacterDataHandler(k.xml, says);
    bool good = length < 1u << 30 && XML_Parse(k.xml, text, (int)length, XML_TRUE) == XML_STATUS_OK;
    if (!good) {
        XML_Index at = XML_GetCurrentByteIndex(k.xml);
        fault->at = at < 0 ? 0 : (size_t)at > length ? length : (size_t)at;
        fault->what = k.count > MOST_NODES ? "it has more than a million elements"
                                           : XML_ErrorString(XML_GetErrorCode(k.xml));
    }
    XML_ParserFree(k.xml);
    text_free(&k.text);
    return good ? k.root : NULL;
}

bool xml_is(const XmlNode *n, const char *tag) { return strcmp(n->tag, tag) == 0; }

const char *xml_attribute(const XmlNode *n, const char *name) {
    for (const char **a = n->attribute; *a; a += 2)
        if (strcmp(a[0], name) == 0) return a[1];
    return NULL;
}

const XmlNode *xml_child(const XmlNode *n, const char *tag) {
    const XmlNode *c = n ? n->first : NULL;
    while (c && !xml_is(c, tag)) c = c->next;
    return c;
}

const XmlNode *xml_next(const XmlNode *n) {
    const XmlNode *c = n->next;
    while (c && !xml_is(c, n->tag)) c = c->next;
    return c;
}

const XmlNode *xml_follow(const XmlNode *root, const XmlNode *n) {
    if (n->first) return n->first;
    while (n != root && !n->next) n = n->parent;
    return n == root ? NULL : n->next;
}
