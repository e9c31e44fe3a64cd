#include "page/ribbon.h"

#include <math.h>
#include <string.h>

void ribbon_svg(Text *out, const Ribbon *r) {
    double middle = (r->x0 + r->x1) / 2, thick = fmax(r->thick, 0.6); // the least that is seen
    text_printf(out,
                "<path fill=\"%s\" fill-opacity=\".75\" d=\"M%g %.2fC%g %.2f %g %.2f %g %.2f"
                "V%.2fC%g %.2f %g %.2f %g %.2fZ\"",
                r->colour, r->x0, r->top0, middle, r->top0, middle, r->top1, r->x1, r->top1,
                r->top1 + thick, middle, r->top1 + thick, middle, r->top0 + thick, r->x0,
                r->top0 + thick);
    if (r->title) {
        text_add(out, "><title>");
        text_xml(out, r->title);
        text_add(out, "</title></path>\n");
    } else
        text_add(out, "/>\n");
}

void ribbon_name(Text *out, const char *name, size_t length) {
    enum { LONGEST = 24 };
    char end[LONGEST + 1] = {0};
    bool cut = length > LONGEST;
    memcpy(end, cut ? name + length - LONGEST : name, cut ? LONGEST : length);
    if (cut) text_add(out, "&#8230;");
    text_xml(out, end);
}

void ribbon_open(Text *out, double width, double height, const char *words) {
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flow\" viewBox=\"0 0 %g %.0f\" "
                "font-family=\"sans-serif\" font-size=\"13\" role=\"img\" aria-label=\"%s\">\n",
                width, height, words);
}
