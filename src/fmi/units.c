// Units for the description. Values are in SI, as inside; a unit in the declaration becomes the display unit.
// Angles have no dimension here, but FMI counts radians, so the words of the unit tell.
#include "fmi/inside.h"

#include <ctype.h>
#include <math.h>

static bool is_angle(const char *word, size_t n) {
    static const char *const angles[] = {"rad", "mrad", "deg", "rev", "rpm"};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
        if (strlen(angles[i]) == n && memcmp(angles[i], word, n) == 0) return true;
    return false;
}

// The power of angles in "N.m/rad", "rad/s2", "N.m/(rad.s)".
static int power_of_angle(const char *unit) {
    int power = 0, sign = 1, inside = 0;
    while (*unit) {
        if (isalpha((unsigned char)*unit)) {
            size_t n = 0;
            while (isalpha((unsigned char)unit[n])) n++;
            const char *after = unit + n + (unit[n] == '^');
            int times = isdigit((unsigned char)*after) ? *after - '0' : 1;
            if (is_angle(unit, n)) power += sign * times;
            unit += n;
            if (!inside) sign = 1;
            continue;
        }
        if (*unit == '/') sign = -1;
        if (*unit == '(') inside = 1;
        if (*unit == ')') inside = 0, sign = 1;
        unit++;
    }
    return power;
}

static Dim dim_of(const FmuWriting *u, const FmuVariable *v) {
    static const Dim second = {.power = {[BASE_S] = POWER_ONE}, .known = true};
    if (v->kind == FMU_TIME) return second;
    Dim d = v->var >= 0 ? u->model->var[v->var].dim : DIM_UNKNOWN;
    return v->kind == FMU_RATE ? dim_divide(d, second) : d;
}

static const char *shown_unit(const FmuWriting *u, const FmuVariable *v, Shown *s) {
    *s = (Shown){.unit = "", .scale = 1};
    if (v->kind == FMU_TIME || v->kind == FMU_RATE || v->var < 0) return "";
    *s = shown_in(u->model, u->model->var[v->var].unit);
    return s->unit ? s->unit : "";
}

static const char *si_name(FmuWriting *u, Dim d, int angle) {
    Text t = {0};
    dim_print(&t, d);
    const char *name = text_get(&t);
    if (angle == 1 && dim_is_one(d))
        name = "rad";
    else if (angle == 1 && strncmp(name, "1/", 2) == 0)
        name = arena_printf(&u->arena, "rad%s", name + 1);
    else if (angle == 1)
        name = arena_printf(&u->arena, "rad.%s", name);
    else if (angle == -1 && dim_is_one(d))
        name = "1/rad";
    else if (angle == -1)
        name = arena_printf(&u->arena, "%s/rad", name);
    else
        name = arena_printf(&u->arena, "%s", name);
    text_free(&t);
    return name;
}

// Of a rate: the angles of its state.
static int angle_of(const FmuWriting *u, const FmuVariable *v) {
    if (v->kind == FMU_TIME || v->var < 0) return 0;
    Shown s = shown_in(u->model, u->model->var[v->var].unit);
    return power_of_angle(s.unit ? s.unit : "");
}

static void find_unit(FmuWriting *u, FmuVariable *v) {
    Dim d = dim_of(u, v);
    const char *shown = shown_unit(u, v, &v->shown);
    if (!d.known || (dim_is_one(d) && !*shown && angle_of(u, v) == 0)) return;
    if (*shown && v->shown.scale == 1 && v->shown.offset == 0) {
        v->unit = shown;
        return;
    }
    v->unit = si_name(u, d, angle_of(u, v));
    if (*shown && v->shown.scale > 0 && strcmp(v->unit, shown) != 0) v->display = shown;
}

void fmu_units(FmuWriting *u) {
    for (int i = 0; i < u->count; i++) find_unit(u, &u->variable[i]);
}

static void write_base(Text *out, Dim d, int angle) {
    static const char *const base[] = {"kg", "m", "s", "A", "K", "mol", "cd"};
    for (int i = 0; i < BASE_COUNT; i++)
        if (d.power[i] % POWER_ONE) return; // FMI has whole powers only
    text_add(out, "      <BaseUnit");
    for (int i = 0; i < BASE_COUNT; i++)
        if (d.power[i]) text_printf(out, " %s=\"%d\"", base[i], d.power[i] / POWER_ONE);
    if (angle) text_printf(out, " rad=\"%d\"", angle);
    text_add(out, "/>\n");
}

static bool same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

// True: none of the first `count` variables has this unit, or (display) this unit with this display
// unit.
static bool is_new(const FmuVariable *const *first, int count, const FmuVariable *v, bool display) {
    for (int i = 0; i < count; i++) {
        if (!same(first[i]->unit, v->unit)) continue;
        if (!display || same(first[i]->display, v->display)) return false;
    }
    return true;
}

static void write_displays(Text *out, const FmuVariable *const *display, int count,
                           const char *unit) {
    for (int i = 0; i < count; i++) {
        const FmuVariable *v = display[i];
        if (!same(v->unit, unit)) continue;
        text_add(out, "      <DisplayUnit name=\"");
        text_xml(out, v->display);
        text_add(out, "\" factor=\"");
        text_number(out, 1 / v->shown.scale);
        if (v->shown.offset != 0) {
            text_add(out, "\" offset=\"");
            text_number(out, -v->shown.offset / v->shown.scale);
        }
        text_add(out, "\"/>\n");
    }
}

void fmu_units_xml(Text *out, FmuWriting *u) {
    const FmuVariable **unit = ARENA_ARRAY(&u->arena, const FmuVariable *, u->count);
    const FmuVariable **display = ARENA_ARRAY(&u->arena, const FmuVariable *, u->count);
    int units = 0, displays = 0;
    for (int i = 0; i < u->count; i++) {
        const FmuVariable *v = &u->variable[i];
        if (v->unit && is_new(unit, units, v, false)) unit[units++] = v;
        if (v->display && is_new(display, displays, v, true)) display[displays++] = v;
    }
    text_add(out, "  <UnitDefinitions>\n");
    for (int i = 0; i < units; i++) {
        text_add(out, "    <Unit name=\"");
        text_xml(out, unit[i]->unit);
        text_add(out, "\">\n");
        write_base(out, dim_of(u, unit[i]), power_of_angle(unit[i]->unit));
        write_displays(out, display, displays, unit[i]->unit);
        text_add(out, "    </Unit>\n");
    }
    text_add(out, "  </UnitDefinitions>\n");
}
