// The documents that an editor has open, and what is known about each.
//
//     Store
//      '- Document    path, text, version
//          '- Analysis   the text with all that it imports, read and built (analysis.h)
//
// A document is analysed when somebody asks; a change makes its analysis old, and those of the
// documents that import it.
#ifndef BONDYN_SERVICE_STORE_H
#define BONDYN_SERVICE_STORE_H

#include "base/array.h"
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct Analysis Analysis;
typedef struct Store Store;

typedef struct {
    Store *store;
    char *path; // as realpath gives it, where the file exists
    Text text;
    int64_t version;
    Analysis *analysis; // NULL: none yet, or old
} Document;

struct Store {
    char *library;              // folder, or NULL
    struct LibraryIndex *index; // its components, once somebody asked
    int most_scalars;           // larger models are refused
    ARRAY(Document *) document;
};

Store *store_new(const char *library); // Nullable
void store_free(Store *s);
// Opens, or takes the text anew when it is open already.
Document *store_open(Store *s, const char *path, const char *text, size_t length, int64_t version);
Document *store_find(const Store *s, const char *path); // NULL: not open
void store_close(Store *s, Document *d);
// Puts `text` in the place of the bytes from `from` up to `to`.
void store_change(Store *s, Document *d, size_t from, size_t to, const char *text, size_t length);

char *real_path(const char *path); // on the heap; the path itself when there is no such file

// Lines and columns as the protocol counts them: from 0, columns in units of UTF-16.
typedef struct {
    int line, column;
} Place;

Place place_of(const char *text, size_t length, size_t at);
size_t offset_of(const char *text, size_t length, Place place); // beyond the end: the nearest

#endif
