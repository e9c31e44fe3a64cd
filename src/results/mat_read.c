// MAT files: those of mat.c, and those of MATLAB, Octave and SciPy of level 4, and of level 5, also deflated (`save -v6`, `-v7`).
//
//     data, names     a row of numbers and one of characters per variable (or `data` the other way round)
//     else            every vector of the length of `time` (or `t`) is a column with the name of its variable
//
// Nothing in a file is trusted: every length is held against the bytes that are there.
#include "results/columns.h"

#include "base/files.h"
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST_MATRICES = 4000, MOST_BYTES = INT_MAX / 2 };

typedef struct { // a variable of the file
    char name[64];
    long rows, columns;
    double *value; // by columns
} Matrix;

typedef struct {
    Arena arena;
    Matrix *list;
    int count, room;
    const char *wrong; // NULL: nothing
} MatFile;

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

static Matrix *add(MatFile *f, Bytes *name, size_t length) {
    Matrix *m = f->list + f->count;
    if (f->count == f->room || length > name->left) return NULL;
    *m = (Matrix){0};
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

static bool read_numbers(MatFile *f, Matrix *m, Bytes *b, Kind kind) {
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
        Matrix *m = add(f, &b, (size_t)head[4]);
        if (!m || head[3]) return false;
        m->rows = head[1];
        m->columns = head[2];
        if (!read_numbers(f, m, &b, kinds[head[0] / 10])) return false;
    }
    return f->count > 0;
}

// --- level 5 -------------------------------------------------------------------------------------

enum { MI_MATRIX = 14, MI_COMPRESSED = 15 };

static Kind kind_of(uint32_t type) {
    static const Kind kinds[] = {NO_KIND, I1, U1, I2, U2, I4, U4, F4, NO_KIND, F8};
    if (type == 16) return U1; // UTF-8
    if (type == 17) return U2;
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

// Cells, structs and the like are passed over.
static bool read_matrix(MatFile *f, Bytes b) {
    uint32_t type, flags[2];
    int32_t size[2];
    Bytes part;
    if (!take_element(&b, &type, &part) || !take(&part, flags, sizeof flags)) return false;
    uint32_t kind = flags[0] & 0xff;
    bool plain = kind == 4 || (kind >= 6 && kind <= 13);
    if (!plain || flags[0] & 0x800) return true; // complex ones, too
    if (!take_element(&b, &type, &part) || part.left != sizeof size) return part.left > sizeof size;
    take(&part, size, sizeof size);
    if (!take_element(&b, &type, &part)) return false;
    Matrix *m = add(f, &part, part.left);
    if (!m || !take_element(&b, &type, &part)) return false;
    m->rows = size[0];
    m->columns = size[1];
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

// --- to results ----------------------------------------------------------------------------------

static const Matrix *find(const MatFile *f, const char *name) {
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->list[i].name, name) == 0) return &f->list[i];
    return NULL;
}

// Row i of characters, without the blanks behind it.
static const char *line_of(Arena *out, const Matrix *m, long i) {
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

static void read_about(Results *r, const MatFile *f) {
    const Matrix *about = find(f, "about"), *complete = find(f, "complete");
    r->model = line_of(&r->arena, about, 0);
    r->experiment = line_of(&r->arena, about, 1);
    r->solver = line_of(&r->arena, about, 2);
    r->source = line_of(&r->arena, about, 3);
    r->complete = !complete || strstr(line_of(&r->arena, complete, 0), "no") == NULL;
}

static bool read_named(Results *r, const MatFile *f, const Matrix *data, const Matrix *names) {
    bool across = data->rows == names->rows; // a row per variable
    long rows = across ? data->columns : data->rows;
    if ((!across && data->columns != names->rows) || rows > INT_MAX / 2 ||
        names->rows > INT_MAX / 2)
        return false;
    results_make_room(r, (int)names->rows, (int)rows);
    for (int c = 0; c < r->column_count; c++) {
        Column *x = &r->column[c];
        x->name = line_of(&r->arena, names, c);
        x->unit = line_of(&r->arena, find(f, "units"), c);
        x->text = "";
        for (long i = 0; i < rows; i++)
            x->value[i] = data->value[across ? i * data->rows + c : c * data->rows + i];
    }
    r->row_count = (int)rows;
    read_about(r, f);
    return true;
}

static bool is_vector(const Matrix *m, long length) {
    return (m->rows == 1 || m->columns == 1) && m->rows * m->columns == length;
}

static bool read_vectors(Results *r, const MatFile *f, const Matrix *time) {
    long rows = time->rows * time->columns;
    int count = 0, at = 1;
    if (!is_vector(time, rows) || rows > INT_MAX / 2) return false;
    for (int i = 0; i < f->count; i++) count += is_vector(&f->list[i], rows);
    results_make_room(r, count, (int)rows);
    for (int i = 0; i < f->count; i++) {
        const Matrix *m = &f->list[i];
        if (!is_vector(m, rows)) continue;
        Column *x = &r->column[m == time ? 0 : at++];
        x->name = m == time ? "time" : arena_copy_text(&r->arena, m->name, strlen(m->name));
        x->unit = x->text = "";
        memcpy(x->value, m->value, (size_t)rows * sizeof *x->value);
    }
    r->row_count = (int)rows;
    r->model = r->experiment = r->solver = r->source = "";
    r->complete = true;
    return true;
}

static bool time_rises(const Results *r, const char *path, Report *report) {
    const double *time = r->column[0].value;
    for (int i = 0; i < r->row_count; i++) {
        if (isfinite(time[i]) && (i == 0 || time[i] >= time[i - 1])) continue;
        report_error(report, R_TIME_FALLS, POS_NONE, "%s, row %d: time %g does not follow %g", path,
                     i + 1, time[i], i ? time[i - 1] : 0.0);
        return false;
    }
    return true;
}

static const char *fill(Results *r, const MatFile *f) {
    const Matrix *data = find(f, "data"), *names = find(f, "names");
    const Matrix *time = find(f, "time") ? find(f, "time") : find(f, "t");
    if (data && names)
        return names->rows > 0 && read_named(r, f, data, names) ? NULL
                                                                : "`data` does not fit `names`";
    if (!time) return "there are neither `data` and `names` nor a vector `time` or `t`";
    return read_vectors(r, f, time) ? NULL : "`time` is not a vector";
}

static const char *read_file(MatFile *f, const char *bytes, size_t length) {
    Bytes b = {(const unsigned char *)bytes, length};
    if (length >= 128 && memcmp(bytes, "MATLAB 5.0", 10) == 0)
        return memcmp(bytes + 126, "IM", 2) != 0 ? "its numbers are those of another processor"
               : read_level_5(f, b)              ? NULL
                                                 : "the file is damaged";
    if (length >= 128 && memcmp(bytes, "MATLAB 7.3", 10) == 0)
        return "it is of version 7.3; save it with -v7";
    return read_level_4(f, b) ? NULL : "it is no MAT file, or damaged";
}

Results *results_from_mat(const char *bytes, size_t length, const char *path, Report *report) {
    MatFile f = {0};
    size_t most = length / 8 + 1; // no variable is shorter than the head of an element
    f.room = most < MOST_MATRICES ? (int)most : MOST_MATRICES;
    f.list = ARENA_ARRAY(&f.arena, Matrix, f.room);
    Results *r = results_new();
    const char *why = read_file(&f, bytes, length);
    if (!why) why = fill(r, &f);
    if (why) {
        Remark *m =
            report_error(report, T_NOT_RESULTS, POS_NONE, "'%s' holds no results: %s", path, why);
        remark_help(report, m,
                    "MAT files of levels 4 and 5 with `data` and `names`, or with vectors "
                    "beside `time`, are read");
    }
    if (why || !time_rises(r, path, report)) results_free(r), r = NULL;
    arena_free(&f.arena);
    return r;
}

Results *results_read_mat(const char *path, Report *report) {
    Arena arena = {0};
    size_t length;
    const char *bytes = file_read(&arena, path, &length, report, POS_NONE);
    Results *r = bytes ? results_from_mat(bytes, length, path, report) : NULL;
    arena_free(&arena);
    return r;
}
