// See store.h.
#include "service/store.h"

#include "base/source.h"
#include "service/analysis.h"
#include "service/library_index.h"
#include <string.h>

static char *copy_of(const char *text) {
    char *copy = strdup(text);
    if (!copy) abort();
    return copy;
}

char *real_path(const char *path) {
    char *real = realpath(path, NULL);
    return real ? real : copy_of(path);
}

Store *store_new(const char *library) {
    Store *s = calloc(1, sizeof *s);
    if (!s) abort();
    if (library) s->library = copy_of(library);
    s->most_scalars = 1000000;
    return s;
}

static void document_free(Document *d) {
    analysis_free(d->analysis);
    text_free(&d->text);
    free(d->path);
    free(d);
}

void store_free(Store *s) {
    if (!s) return;
    for (int i = 0; i < s->document.count; i++) document_free(s->document.data[i]);
    array_free(&s->document);
    library_index_free(s->index);
    free(s->library);
    free(s);
}

Document *store_find(const Store *s, const char *path) {
    char *real = real_path(path);
    Document *found = NULL;
    for (int i = 0; i < s->document.count && !found; i++)
        if (strcmp(s->document.data[i]->path, real) == 0) found = s->document.data[i];
    free(real);
    return found;
}

// Drops the analyses of this document and of those that import it.
static void forget(Store *s, const Document *changed) {
    for (int i = 0; i < s->document.count; i++) {
        Document *d = s->document.data[i];
        if (d != changed && !(d->analysis && analysis_reads(d->analysis, changed->path))) continue;
        analysis_free(d->analysis);
        d->analysis = NULL;
    }
}

Document *store_open(Store *s, const char *path, const char *text, size_t length, int64_t version) {
    Document *d = store_find(s, path);
    if (!d) {
        d = calloc(1, sizeof *d);
        if (!d) abort();
        d->store = s;
        d->path = real_path(path);
        array_push(&s->document, d);
    }
    text_clear(&d->text);
    text_add_n(&d->text, text, length);
    d->version = version;
    forget(s, d);
    return d;
}

void store_close(Store *s, Document *d) {
    int kept = 0;
    forget(s, d);
    for (int i = 0; i < s->document.count; i++)
        if (s->document.data[i] != d) s->document.data[kept++] = s->document.data[i];
    s->document.count = kept;
    document_free(d);
}

void store_change(Store *s, Document *d, size_t from, size_t to, const char *text, size_t length) {
    Text changed = {0};
    if (to > d->text.length) to = d->text.length;
    if (from > to) from = to;
    text_add_n(&changed, text_get(&d->text), from);
    text_add_n(&changed, text, length);
    text_add_n(&changed, text_get(&d->text) + to, d->text.length - to);
    text_free(&d->text);
    d->text = changed;
    forget(s, d);
}

// --- lines and columns ---------------------------------------------------------------------------

// Characters of four bytes in UTF-8 are two units in UTF-16.
static int units_of(char c) {
    return !begins_character(c) ? 0 : ((unsigned char)c >= 0xf0 ? 2 : 1);
}

Place place_of(const char *text, size_t length, size_t at) {
    Place p = {0, 0};
    if (at > length) at = length;
    for (size_t i = 0; i < at; i++) {
        bool end = text[i] == '\n' || (text[i] == '\r' && !(i + 1 < length && text[i + 1] == '\n'));
        if (end)
            p.line++, p.column = 0;
        else
            p.column += units_of(text[i]);
    }
    return p;
}

size_t offset_of(const char *text, size_t length, Place place) {
    size_t i = 0;
    for (int line = 0; line < place.line && i < length; i++) {
        bool end = text[i] == '\n' || (text[i] == '\r' && !(i + 1 < length && text[i + 1] == '\n'));
        line += end;
    }
    if (i == length && place.line > place_of(text, length, length).line) return length;
    for (int column = 0; i < length && text[i] != '\n' && text[i] != '\r'; i++) {
        if (column >= place.column && begins_character(text[i])) break;
        column += units_of(text[i]);
    }
    return i;
}
