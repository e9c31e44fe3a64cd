// Units in braces, {N.m/rad}: read once, taken again where the same text comes back, and told of
// where they are wrong.
#include "lang/parse.h"

static void report_bad_unit(Parser *p, const char *bad, size_t length) {
    Token t = p->token;
    t.at = (uint32_t)(bad - p->lexer.text);
    unsigned char c = length ? (unsigned char)bad[0] : 0;
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
    if (!word) {
        Remark *m = p_complain(p, U_UNIT_FORM, t, "the unit {%s} cannot be read from here on",
                               name_text(p->names, p->token.name));
        p_help(p, m,
               p->token.name ? "write products with . and powers as digits: N.m, m/s2, J/(kg.K)"
                             : "leave the braces out where there is no unit");
        return;
    }
    int shown = length < 60 ? (int)length : 60;
    Remark *m = p_complain(p, U_UNKNOWN_UNIT, t, "unknown unit '%.*s'", shown, bad);
    const char *near = unit_suggest(bad, length);
    if (near) {
        p_help(p, m, "did you mean {%s}?", near);
        if (m)
            remark_fix(p->report, m, arena_copy_text(&p->report->arena, bad, length), near, NULL);
    } else {
        p_help(p, m, "the units are listed in the language reference; SI prefixes can be used");
    }
}

// unit = "{" ... "}"
bool parse_unit(Parser *p, Unit *unit, Name *text) {
    if (!p_at(p, TOKEN_UNIT)) return false;
    const char *inner = p->lexer.text + p->token.at + 1, *bad = inner;
    size_t length = p->token.end - p->token.at - 1, bad_length = 0;
    if (length && inner[length - 1] == '}') length--;
    *text = p->token.name;
    if (!unit_parse(inner, length, unit, &bad, &bad_length)) {
        report_bad_unit(p, bad, bad_length);
        *unit = (Unit){.scale = 1}; // of unknown dimension
    }
    p_advance(p);
    return true;
}

// A unit in braces. Units that were read lately are taken from a list; wrong ones are reported each
// time.
const Unit *parse_kept_unit(Parser *p, Name *text) {
    const int room = (int)(sizeof p->recent_unit / sizeof p->recent_unit[0]);
    if (!p_at(p, TOKEN_UNIT)) return NULL;
    for (int i = 0; i < room && i < p->recent_units; i++)
        if (p->recent_unit[i].text == p->token.name) {
            *text = p->token.name;
            p_advance(p);
            return p->recent_unit[i].unit;
        }
    int errors = p->report->errors;
    Unit *unit = ARENA_NEW(p->out, Unit);
    parse_unit(p, unit, text);
    if (p->report->errors > errors) return unit;
    int place = p->recent_units++ % room;
    p->recent_unit[place].text = *text;
    p->recent_unit[place].unit = unit;
    return unit;
}
