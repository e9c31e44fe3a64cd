// MAT files of level 4, and of level 5, also deflated (`save -v6`, `-v7`), as MATLAB, Octave and
// SciPy write them; written are those of level 4: matrices one behind the other, by columns.
//
// Nothing in a file is trusted: every length is held against the bytes that are there.
#include "base/mat.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST_MATRICES = 4000, MOST_BYTES = INT_MAX / 2 };
enum { LEVEL_4_NUMBERS = 0, LEVEL_4_CHARACTERS = 51 };

typedef struct {
    const unsigned char *at;
    size_t left;
} Bytes;

static bool take(Bytes *b, void *to, size_t size) {
    if (b->left < size) return false;
    memcpy(to, b->at, size);
    b->at += size;
    b->left -= size;
    return true;
}

static MatMatrix *add(MatFile *f, Bytes *name, size_t length) {
    MatMatrix *m = f->list + f->count;
    if (f->count == f->room || length > name->left) return NULL;
    *m = (MatMatrix){0};
    size_t kept = length < sizeof m->name ? length : sizeof m->name - 1;
    memcpy(m->name, name->at, kept);
    name->at += length;
    name->left -= length;
    f->count++;
    return m;
}

// --- numbers of any kind -------------------------------------------------------------------------

typedef enum { I1, U1, I2, U2, I4, U4, F4, F8, NO_KIND } Kind;
static const size_t kind_size[] = {1, 1, 2, 2, 4, 4, 4, 8};

static double number_at(const unsigned char *at, Kind kind) {
    int8_t i1;
    int16_t i2;
    uint16_t u2;
    int32_t i4;
    uint32_t u4;
    float f4;
    double f8;
    switch (kind) {
    case I1: return memcpy(&i1, at, 1), i1;
    case U1: return *at;
    case I2: return memcpy(&i2, at, 2), i2;
    case U2: return memcpy(&u2, at, 2), u2;
    case I4: return memcpy(&i4, at, 4), i4;
    case U4: return memcpy(&u4, at, 4), u4;
    case F4: return memcpy(&f4, at, 4), (double)f4;
    case F8: return memcpy(&f8, at, 8), f8;
    case NO_KIND: break;
    }
    return NAN;
}

static bool read_numbers(MatFile *f, MatMatrix *m, Bytes *b, Kind kind) {
    if (kind == NO_KIND || m->rows < 0 || m->columns < 0) return false;
    if (m->columns && (size_t)m->rows > b->left / kind_size[kind] / (size_t)m->columns)
        return false;
    size_t count = (size_t)m->rows * (size_t)m->columns;
    m->value = ARENA_ARRAY(&f->arena, double, count + 1);
    for (size_t i = 0; i < count; i++) m->value[i] = number_at(b->at + i * kind_size[kind], kind);
    b->at += count * kind_size[kind];
    b->left -= count * kind_size[kind];
    return true;
}

// --- level 4 -------------------------------------------------------------------------------------

static bool read_level_4(MatFile *f, Bytes b) {
    static const Kind kinds[] = {F8, F4, I4, I2, U2, U1};
    while (b.left) {
        int32_t head[5];
        if (!take(&b, head, sizeof head) || head[0] < 0 || head[0] > 52 || head[0] / 10 > 5 ||
            head[0] % 10 > 1 || head[4] < 1)
            return false;
        MatMatrix *m = add(f, &b, (size_t)head[4]);
        if (!m || head[3]) return false;
        m->rows = head[1];
        m->columns = head[2];
        m->words = head[0] % 10 == 1;
        if (!read_numbers(f, m, &b, kinds[head[0] / 10])) return false;
    }
    return f->count > 0;
}

// --- level 5 -------------------------------------------------------------------------------------

enum { MI_MATRIX = 14, MI_COMPRESSED = 15, MI_UTF8 = 16, MI_UTF16 = 17 }; // types of elements
enum {
    MX_CHAR = 4,
    MX_DOUBLE = 6,
    MX_UINT32 = 13,
    MX_COMPLEX = 0x800
}; // classes of matrices; a flag

static Kind kind_of(uint32_t type) {
    static const Kind kinds[] = {NO_KIND, I1, U1, I2, U2, I4, U4, F4, NO_KIND, F8};
    if (type == MI_UTF8) return U1;
    if (type == MI_UTF16) return U2;
    return type < sizeof kinds / sizeof *kinds ? kinds[type] : NO_KIND;
}

// The next element: its type, and its bytes. Short ones stand in their own head.
static bool take_element(Bytes *b, uint32_t *type, Bytes *inside) {
    uint32_t head[2];
    if (!take(b, head, sizeof head)) return false;
    if (head[0] >> 16) {
        *type = head[0] & 0xffff;
        *inside = (Bytes){b->at - 4, head[0] >> 16};
        return inside->left <= 4;
    }
    *type = head[0];
    if (head[1] > b->left) return false;
    *inside = (Bytes){b->at, head[1]};
    size_t step = *type == MI_COMPRESSED ? head[1] : ((size_t)head[1] + 7) / 8 * 8;
    step = step > b->left ? b->left : step;
    b->at += step;
    b->left -= step;
    return true;
}

// Cells, structs, complex matrices and the like are passed over.
static bool read_matrix(MatFile *f, Bytes b) {
    uint32_t type, flags[2];
    int32_t size[2];
    Bytes part;
    if (!take_element(&b, &type, &part) || !take(&part, flags, sizeof flags)) return false;
    uint32_t kind = flags[0] & 0xff;
    bool plain = kind == MX_CHAR || (kind >= MX_DOUBLE && kind <= MX_UINT32);
    if (!plain || flags[0] & MX_COMPLEX) return true;
    if (!take_element(&b, &type, &part) || part.left != sizeof size) return part.left > sizeof size;
    take(&part, size, sizeof size);
    if (!take_element(&b, &type, &part)) return false;
    MatMatrix *m = add(f, &part, part.left);
    if (!m || !take_element(&b, &type, &part)) return false;
    m->rows = size[0];
    m->columns = size[1];
    m->words = kind == MX_CHAR;
    return read_numbers(f, m, &part, kind_of(type));
}

static bool inflate_to(MatFile *f, Bytes packed, Bytes *out) {
    z_stream z = {.next_in = (unsigned char *)packed.at, .avail_in = (unsigned)packed.left};
    size_t room = packed.left * 4 + 4096, most = packed.left * 1100 + 4096;
    if (most > MOST_BYTES) most = MOST_BYTES;
    if (inflateInit(&z) != Z_OK) return false;
    unsigned char *to = malloc(room);
    int state = Z_OK;
    while (to && state == Z_OK) {
        if (z.total_out == room) {
            if (room >= most) break;
            room = room * 2 < most ? room * 2 : most;
            unsigned char *larger = realloc(to, room);
            if (!larger) break;
            to = larger;
        }
        z.next_out = to + z.total_out;
        z.avail_out = (unsigned)(room - z.total_out);
        state = inflate(&z, Z_NO_FLUSH);
    }
    bool good = to && state == Z_STREAM_END;
    if (good) {
        unsigned char *kept = ARENA_ARRAY(&f->arena, unsigned char, z.total_out + 1);
        memcpy(kept, to, z.total_out);
        *out = (Bytes){kept, z.total_out};
    }
    inflateEnd(&z);
    free(to);
    return good;
}

static bool read_level_5(MatFile *f, Bytes b) {
    b.at += 128;
    b.left -= 128;
    while (b.left >= 8) {
        uint32_t type;
        Bytes inside, plain;
        if (!take_element(&b, &type, &inside)) return false;
        if (type == MI_COMPRESSED &&
            (!inflate_to(f, inside, &plain) || !take_element(&plain, &type, &inside)))
            return false;
        if (type == MI_MATRIX && !read_matrix(f, inside)) return false;
    }
    return f->count > 0;
}

// --- what is there -------------------------------------------------------------------------------

const char *mat_read(MatFile *f, const char *bytes, size_t length) {
    size_t most = length / 8 + 1; // no variable is shorter than the head of an element
    *f = (MatFile){.room = most < MOST_MATRICES ? (int)most : MOST_MATRICES};
    f->list = ARENA_ARRAY(&f->arena, MatMatrix, f->room);
    Bytes b = {(const unsigned char *)bytes, length};
    if (length >= 128 && memcmp(bytes, "MATLAB 5.0", 10) == 0)
        return memcmp(bytes + 126, "IM", 2) != 0 ? "its numbers are those of another processor"
               : read_level_5(f, b)              ? NULL
                                                 : "the file is damaged";
    if (length >= 128 && memcmp(bytes, "MATLAB 7.3", 10) == 0)
        return "it is of version 7.3; save it with -v7";
    return read_level_4(f, b) ? NULL : "it is no MAT file, or damaged";
}

void mat_free(MatFile *f) { arena_free(&f->arena); }

const MatMatrix *mat_find(const MatFile *f, const char *name) {
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->list[i].name, name) == 0) return &f->list[i];
    return NULL;
}

// Row i of characters, without the blanks behind it.
const char *mat_line(Arena *out, const MatMatrix *m, long i) {
    if (!m || i >= m->rows) return "";
    char *text = ARENA_ARRAY(out, char, m->columns + 1);
    long length = 0;
    for (long k = 0; k < m->columns; k++) {
        text[k] = (char)(unsigned char)m->value[k * m->rows + i];
        if (text[k] && text[k] != ' ') length = k + 1;
    }
    text[length] = 0;
    return text;
}

// --- writing -------------------------------------------------------------------------------------

static void add_head(Text *t, int kind, int rows, int columns, const char *name) {
    int32_t head[5] = {kind, rows, columns, 0, (int32_t)strlen(name) + 1};
    text_add_n(t, (const char *)head, sizeof head);
    text_add_n(t, name, strlen(name) + 1);
}

void mat_add_numbers(Text *t, const char *name, int rows, int columns, const double *value) {
    add_head(t, LEVEL_4_NUMBERS, rows, columns, name);
    if (rows && columns && value)
        text_add_n(t, (const char *)value, (size_t)rows * (size_t)columns * sizeof *value);
}

// Rows of characters with blanks behind them.
void mat_add_characters(Text *t, const char *name, const char *const *line, int count) {
    size_t longest = 1;
    for (int i = 0; i < count; i++)
        if (line[i] && strlen(line[i]) > longest) longest = strlen(line[i]);
    add_head(t, LEVEL_4_CHARACTERS, count, (int)longest, name);
    for (size_t k = 0; k < longest; k++)
        for (int i = 0; i < count; i++)
            text_add_n(t, line[i] && k < strlen(line[i]) ? line[i] + k : " ", 1);
}
