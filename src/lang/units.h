// Units: powers of the SI base units, a scale, an offset. Values in a model are always SI; a unit
// matters where a number is read and where one is shown.
#ifndef BONDYN_LANG_UNITS_H
#define BONDYN_LANG_UNITS_H

#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

enum { BASE_KG, BASE_M, BASE_S, BASE_A, BASE_K, BASE_MOL, BASE_CD, BASE_COUNT };
enum { POWER_ONE = 6 }; // powers are kept in sixths, so roots stay exact

typedef struct {
    int8_t power[BASE_COUNT]; // sixths
    bool known;               // false: fits everything (0, a bond of unknown domain)
} Dim;

typedef struct {
    Dim dim;
    double scale, offset; // SI value = number*scale + offset
} Unit;

#define DIM_ONE     ((Dim){.known = true})
#define DIM_UNKNOWN ((Dim){0})

// Reads "N.m/rad", "kg.m^2", "1/s". False with the first word that is no unit in *bad (n bytes).
bool unit_parse(const char *text, size_t length, Unit *unit, const char **bad, size_t *bad_length);
const char *unit_suggest(const char *word, size_t length); // nearest known unit, or NULL

Dim dim_multiply(Dim a, Dim b); // unknown if either is unknown
Dim dim_divide(Dim a, Dim b);
Dim dim_power(Dim a, double exponent, bool *exact); // exact = false: power is not in sixths
bool dim_equal(Dim a, Dim b);                       // of two known ones
bool dim_fits(Dim a, Dim b);                        // equal, or one unknown
bool dim_is_one(Dim a);                             // known and without dimension
void dim_print(Text *out, Dim d); // with derived units: "N", "N.s/m", "m/s", "1" ; "?" when unknown

#endif
