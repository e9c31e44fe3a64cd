// Small pieces that the sections of a page are made of.
#ifndef BONDYN_PAGE_HTML_H
#define BONDYN_PAGE_HTML_H

#include "base/text.h"

void html_section(Text *out, const char *id, const char *title);
void html_cell(Text *out, const char *text);
void html_code_cell(Text *out, const char *text);
void html_number_cell(Text *out, double x); // what is not finite: a stroke
// Long tables are folded. True: the caller closes the <details>.
bool html_open_rows(Text *out, int rows, const char *what);
// Room for what may be wider than the page: it scrolls, by keys too. What `words` name comes next.
void html_open_wide(Text *out, const char *words);
void html_close_wide(Text *out);
// A picture as an address of itself: its styles stay inside.
void html_picture(Text *out, const char *svg, const char *words);
void html_script_json(Text *out, const char *json); // inside of a script element

#endif
