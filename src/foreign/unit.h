// Foreign units (FMUs): read, written as text of the language, and called.
#ifndef BONDYN_FOREIGN_UNIT_H
#define BONDYN_FOREIGN_UNIT_H

#include "foreign/description.h"
#include "numeric/external.h"

typedef struct {
    const char *name; // of the model
    const char *file; // as the model names it
    bool steps;       // co-simulation
    double every;     // its communication step, s
} UnitTextOptions;

// What `model NAME from "file.fmu"` stands for.
void unit_text(Text *out, const UnitDescription *d, const UnitTextOptions *o);

// The description of the FMU whose bytes are given; its XML joins `sources`. False: reported at
// `asked`.
bool unit_read(Arena *out, UnitDescription *d, Sources *sources, const char *path, const char *data,
               size_t length, Pos asked, Report *r);

// The unit at work. `words` in place of a unit: what is wrong.
typedef struct ForeignUnit ForeignUnit;
ForeignUnit *foreign_unit_new(const char *path, bool steps, const char **words);
void foreign_unit_free(void *unit);
// "begin", "rates", "free", "through", "indicators", "update", "step"; NULL: it has none such.
const External *foreign_unit_function(ForeignUnit *u, const char *what);
const char *foreign_unit_try(ForeignUnit *u); // NULL: its code can be loaded

#endif
