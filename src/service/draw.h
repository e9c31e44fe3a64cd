// What a page needs to draw a model by mouse: what can be put down, what a component has, where a
// bond can end, and a picture of a model that is not complete yet. The changes themselves are in
// draft.h.
#ifndef BONDYN_SERVICE_DRAW_H
#define BONDYN_SERVICE_DRAW_H

#include "graph/graph.h"
#include "service/answers.h"
#include "service/draft.h"

typedef struct {
    const char *group; // "Bond graph", "electric"
    const char *type;
    const char *text;
    const char *import; // NULL: nothing
} PaletteEntry;
typedef ARRAY(PaletteEntry) Palette;
Palette palette_of(Document *d, Arena *out); // free with array_free

// The statement that declares a component of this type, with 1 for what must be given. *import: a
// file of the library that it needs besides, or NULL. False: there is no such type.
bool draw_statement(Text *out, Document *d, const char *type, const char *name,
                    const char **import);
// The end of a bond at a component: its name, with the next free port where it has several.
bool draw_end(Text *out, Document *d, const char *model, const char *name, bool tail,
              const char **problem);

typedef struct {
    const char *name;  // "": the value of a source
    const char *value; // as the text has it; NULL: not given
    const char *usual; // its default; NULL: none, or unknown
    const char *unit, *text;
    int position;
} PartParameter;
typedef struct {
    Arena arena;
    const char *type, *text;
    ARRAY(PartParameter) parameter;
    Span name; // where it is declared
} Part;
bool part_of(Part *p, Document *d, const char *model,
             const char *name); // false: it cannot be edited
void part_free(Part *p);

// The components and bonds of a text as a drawing without strokes. False: there is no model. *name:
// of it.
bool draw_sketch(Text *out, const Document *d, const char *model, const GraphPlace *place,
                 int place_count, Text *name);

#endif
