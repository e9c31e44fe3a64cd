// Units in which an experiment shows its variables:
//
//     display {bar}, {deg}, {rpm}, {mm}     pressures in bar, angles in degrees, turning speeds in rpm, lengths in mm
//
// in results, plots, tables and the report. A number without dimension is an angle if it is shown
// in one, a rate of time a turning speed likewise; torques are no energies. Parameters stay in SI,
// as they stand in expressions.
#include "lang/build.h"

#include <string.h>

typedef enum { KIND_PLAIN, KIND_ANGLE, KIND_TORQUE } UnitKind;

static UnitKind kind_of(const char *unit) {
    static const char *const angles[] = {"rad", "deg", "rev", "rpm", "grad"};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        const char *at = strstr(unit, angles[i]);
        bool numerator = at && (at == unit || at[-1] == '.' || at[-1] == 'm');
        if (numerator) return KIND_ANGLE;
    }
    return strstr(unit, "N.m") || strstr(unit, "N.mm") ? KIND_TORQUE : KIND_PLAIN;
}

static bool is_shown_in(const Builder *b, const Var *v, const AstItem *item) {
    if (v->kind == VAR_PARAM || v->kind == VAR_TIME || !v->unit) return false;
    if (!v->dim.known || !dim_equal(v->dim, item->unit->dim)) return false;
    UnitKind had = kind_of(text_of(b, v->unit)), wanted = kind_of(text_of(b, item->unit_text));
    return had == wanted;
}

void display_units(Builder *b, const AstItem *items) {
    for (const AstItem *i = items; i; i = i->next) {
        if (i->kind != ITEM_DISPLAY) continue;
        for (int v = 0; v < b->var.count; v++)
            if (is_shown_in(b, &b->var.data[v], i)) b->var.data[v].unit = i->unit_text;
    }
}
