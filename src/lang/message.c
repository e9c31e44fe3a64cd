// Reports of the instantiation. A loop of 1000 rounds repeats its mistakes 1000 times, and shapes
// are asked before symbols exist, so every place and code is reported once.
#include "lang/build.h"

#include <stdio.h>

static bool said_before(Builder *b, Code code, Pos pos) {
    uint32_t place = pos.file * 0x9e3779b1u ^ pos.at, kind = (uint32_t)code;
    if (pos.file && pairs_get(&b->said, place, kind) >= 0) return true;
    pairs_set(&b->tmp, &b->said, place, kind, 0);
    return false;
}

static Remark *say(Builder *b, Severity severity, Code code, Pos pos, const char *format,
                   va_list args) {
    if (said_before(b, code, pos)) {
        b->unsaid = (Remark){0};
        return &b->unsaid;
    }
    char small[512];
    vsnprintf(small, sizeof small, format, args);
    Remark *m = report_add(b->r, severity, code, pos, "%s", small);
    if (report_full(b->r)) b->stop = true;
    return m;
}

Remark *complain(Builder *b, Code code, Pos pos, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Remark *m = say(b, ERROR, code, pos, format, args);
    va_end(args);
    return m;
}

Remark *caution(Builder *b, Code code, Pos pos, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Remark *m = say(b, WARNING, code, pos, format, args);
    va_end(args);
    return m;
}

void complain_not_finite(Builder *b, Pos pos, const char *format, ...) {
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    Remark *m = complain(b, L_NOT_A_NUMBER, pos, "%s is not a finite number", what);
    remark_help(b->r, m,
                "look for a division by zero, a root or logarithm of a negative number, or a "
                "product or power that is too large");
}

const char *text_of(const Builder *b, Name name) { return name_text(b->names, name); }

static const char *keep(Builder *b, Text *t) {
    const char *kept = arena_copy_text(&b->r->arena, text_get(t), t->length);
    text_free(t);
    return kept;
}

const char *in_unit(Builder *b, Dim d) {
    if (dim_is_one(d)) return "has no unit";
    return arena_printf(&b->r->arena, "is in %s", dim_text(b, d));
}

const char *dim_text(Builder *b, Dim d) {
    if (dim_is_one(d)) return "no unit";
    Text t = {0};
    dim_print(&t, d);
    return keep(b, &t);
}

Name dim_unit(Builder *b, Dim d) {
    if (!d.known || dim_is_one(d)) return 0;
    uint32_t low = 0, high = 0;
    for (int i = 0; i < 4; i++) low = low << 8 | (uint8_t)d.power[i];
    for (int i = 4; i < BASE_COUNT; i++) high = high << 8 | (uint8_t)d.power[i];
    int known = pairs_get(&b->units, low, high);
    if (known >= 0) return (Name)known;
    Text t = {0};
    dim_print(&t, d);
    Name unit = name_of(b->names, text_get(&t));
    text_free(&t);
    pairs_set(&b->tmp, &b->units, low, high, (int)unit);
    return unit;
}

const char *shape_text(Builder *b, int rows, int cols) {
    if (rows == 1 && cols == 1) return "a scalar";
    return cols == 1 ? arena_printf(&b->r->arena, "a %d-vector", rows)
                     : arena_printf(&b->r->arena, "a %d x %d matrix", rows, cols);
}

const char *expr_text(Builder *b, const AstExpr *e) {
    enum { LONGEST = 60 };
    Text t = {0};
    ast_print(&t, b->names, e);
    if (t.length > LONGEST) {
        t.length = LONGEST;
        t.data[LONGEST] = 0;
        text_add(&t, " ...");
    }
    return keep(b, &t);
}

void suggest_members(Builder *b, Suggestion *g, int instance) {
    for (int i = 0; i < b->member.count; i++) {
        const Member *m = &b->member.data[i];
        if (m->owner != instance) continue;
        Name name = m->index < 0 ? b->entity.data[~m->index].name : b->instance.data[m->index].name;
        suggest_offer(g, text_of(b, name));
    }
}
