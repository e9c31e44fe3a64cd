// A zip file in memory. Times are those of the format's beginning, so the same files give the same bytes.
//
//     local header, name, data | ... | central header, name | ... | end
#include "fmi/inside.h"

#include "base/memory.h"
#include <stdlib.h>
#include <zlib.h>

enum {
    VERSION = 20,
    DEFLATED = 8,
    STORED = 0,
    FIRST_OF_JANUARY_1980 = 33,
    ORDINARY_FILE = 0100644
};

static void put(Text *out, unsigned long value, int bytes) {
    for (int i = 0; i < bytes; i++) text_char(out, (char)(value >> (8 * i) & 255));
}

typedef struct {
    unsigned long check;
    size_t packed;
    size_t at; // of the local header
    int method;
} Entry;

// Without a header of its own; NULL: it would not get shorter.
static unsigned char *pack(const ArchiveFile *file, size_t *length) {
    z_stream z = {0};
    if (deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) return NULL;
    size_t most = deflateBound(&z, (uLong)file->length);
    unsigned char *packed = memory_zeroed(most + 1, 1);
    z.next_in = (unsigned char *)file->data; // zlib does not write to it
    z.avail_in = (uInt)file->length;
    z.next_out = packed;
    z.avail_out = (uInt)most;
    bool good = deflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out < file->length;
    *length = z.total_out;
    deflateEnd(&z);
    if (good) return packed;
    free(packed);
    return NULL;
}

static void put_header(Text *out, const ArchiveFile *file, const Entry *e) {
    put(out, VERSION, 2);
    put(out, 0, 2);
    put(out, (unsigned long)e->method, 2);
    put(out, 0, 2);
    put(out, FIRST_OF_JANUARY_1980, 2);
    put(out, e->check, 4);
    put(out, e->packed, 4);
    put(out, file->length, 4);
    put(out, strlen(file->name), 2);
    put(out, 0, 2);
}

static Entry put_file(Text *out, const ArchiveFile *file) {
    Entry e = {.at = out->length, .packed = file->length};
    e.check = crc32(0, (const unsigned char *)file->data, (uInt)file->length);
    size_t length;
    unsigned char *packed = pack(file, &length);
    if (packed) e.packed = length, e.method = DEFLATED;
    put(out, 0x04034b50, 4);
    put_header(out, file, &e);
    text_add(out, file->name);
    text_add_n(out, packed ? (const char *)packed : file->data, e.packed);
    free(packed);
    return e;
}

void archive_write(Text *out, const ArchiveFile *file, int count) {
    Entry *e = memory_zeroed((size_t)count + 1, sizeof *e);
    for (int i = 0; i < count; i++) e[i] = put_file(out, &file[i]);
    size_t begin = out->length;
    for (int i = 0; i < count; i++) {
        put(out, 0x02014b50, 4);
        put(out, VERSION | 3 << 8, 2); // made on Unix
        put_header(out, &file[i], &e[i]);
        put(out, 0, 6);
        put(out, (unsigned long)ORDINARY_FILE << 16, 4);
        put(out, e[i].at, 4);
        text_add(out, file[i].name);
    }
    size_t length = out->length - begin;
    put(out, 0x06054b50, 4);
    put(out, 0, 4);
    put(out, (unsigned long)count, 2);
    put(out, (unsigned long)count, 2);
    put(out, length, 4);
    put(out, begin, 4);
    put(out, 0, 2);
    free(e);
}
