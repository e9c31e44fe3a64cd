// Many equations are taken apart by the component whose variable stands on their left side:
//
//     der(arm.elbow.p) = ...      arm
//     valve1.pa.f = ...           valve1
//     t12 = ...                   parts that several equations share
//
// What is no part of a component belongs to the model itself.
#include "page/formulas.h"

#include "base/array.h"
#include "equations/listing.h"
#include "page/html.h"
#include <string.h>

enum { FEW_LINES = 40, MOST_LINES = 3000 };

typedef struct {
    const char *at;
    size_t length;
} Slice;

typedef struct {
    Slice name;
    ARRAY(int) line; // of the listing
} Fold;

// The first part of a path that has several.
static Slice component_of(const char *path) {
    size_t n = strcspn(path, ".[");
    return strchr(path, '.') ? (Slice){path, n} : (Slice){"", 0};
}

static bool same(Slice a, Slice b) {
    return a.length == b.length && strncmp(a.at, b.at, a.length) == 0;
}

static void open_lines(Text *out) {
    html_open_wide(out, "equations");
    text_add(out, "<math display=\"block\"><mtable class=\"lines\">\n");
}

static void close_lines(Text *out) {
    text_add(out, "</mtable></math>");
    html_close_wide(out);
}

static void add_line(Text *out, Listing *l, int i) {
    text_add(out, "<mtr><mtd>");
    listing_left(out, l, i);
    text_add(out, "</mtd><mtd><mo>=</mo>");
    listing_right(out, l, i);
    text_add(out, "</mtd></mtr>\n");
}

static void add_fold(Text *out, Listing *l, const Fold *f) {
    text_add(out, "<details><summary>");
    if (f->name.length) {
        Text name = {0};
        text_add_n(&name, f->name.at, f->name.length);
        text_xml(out, text_get(&name));
        text_free(&name);
    } else
        text_add(out, "the model, and parts that equations share");
    text_printf(out, " (%d)</summary>", f->line.count);
    open_lines(out);
    for (int i = 0; i < f->line.count; i++) add_line(out, l, f->line.data[i]);
    close_lines(out);
    text_add(out, "</details>\n");
}

static void fold_lines(Text *out, Listing *l) {
    ARRAY(Fold) fold = {0};
    for (int i = 0; i < l->line.count; i++) {
        Slice name = component_of(listing_path(l, i));
        int k = 0;
        while (k < fold.count && !same(fold.data[k].name, name)) k++;
        if (k == fold.count) array_push(&fold, ((Fold){.name = name}));
        array_push(&fold.data[k].line, i);
    }
    for (int k = 0; k < fold.count; k++) add_fold(out, l, &fold.data[k]);
    for (int k = 0; k < fold.count; k++) array_free(&fold.data[k].line);
    array_free(&fold);
}

static void all_lines(Text *out, Listing *l) {
    open_lines(out);
    for (int i = 0; i < l->line.count; i++) add_line(out, l, i);
    close_lines(out);
}

void formulas_html(Text *out, const System *s) {
    Listing l;
    listing_open(&l, s, PRINT_MATHML);
    l.new_line = "</mtd></mtr>\n<mtr><mtd></mtd><mtd>";
    if (l.line.count > MOST_LINES)
        text_printf(out,
                    "<p>%d lines: too many for a page. <code>bondyn equations</code> prints "
                    "them.</p>\n",
                    l.line.count);
    else if (l.line.count > FEW_LINES)
        fold_lines(out, &l);
    else if (l.line.count > 0)
        all_lines(out, &l);
    listing_close(&l);
}
