#include "page/html.h"

#include <math.h>
#include <string.h>

void html_section(Text *out, const char *id, const char *title) {
    text_printf(out, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

void html_cell(Text *out, const char *text) {
    text_add(out, "<td>");
    text_xml(out, text);
    text_add(out, "</td>");
}

void html_code_cell(Text *out, const char *text) {
    text_add(out, "<td><code>");
    text_xml(out, text);
    text_add(out, "</code></td>");
}

void html_number_cell(Text *out, double x) {
    if (isfinite(x))
        text_printf(out, "<td class=\"n\">%.6g</td>", x);
    else
        text_add(out, "<td class=\"n\">-</td>");
}

bool html_open_rows(Text *out, int rows, const char *what) {
    enum { MOST_ROWS = 25 };
    bool many = rows > MOST_ROWS;
    if (many) text_printf(out, "<details><summary>All %d %s</summary>\n", rows, what);
    return many;
}

void html_open_wide(Text *out, const char *words) {
    text_printf(out, "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"%s\">", words);
}

void html_close_wide(Text *out) { text_add(out, "</div>\n"); }

void html_picture(Text *out, const char *svg, const char *words) {
    text_add(out, "<img alt=\"");
    text_xml(out, words);
    text_add(out, "\" src=\"data:image/svg+xml,");
    for (const char *c = svg; *c; c++) {
        if (strchr("#%<>\"'&+?", *c) || (unsigned char)*c <= ' ')
            text_printf(out, "%%%02X", (unsigned char)*c);
        else
            text_char(out, *c);
    }
    text_add(out, "\">");
}

// A "</" would end the element.
void html_script_json(Text *out, const char *json) {
    for (const char *c = json; *c; c++) {
        if (c[0] == '<')
            text_add(out, "\\u003c");
        else
            text_char(out, *c);
    }
}
