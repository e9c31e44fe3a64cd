// Results as HDF5:
//
//     /                    attributes model, experiment, solver, source, generator, complete
//     /results/time        one dataset per column, in the order of the columns (links keep their
//     /results/v.f         order of creation), with attributes unit and description
//
// Datasets are chunked, shuffled, deflated and carry checksums; so does everything around them (the
// file format of HDF5 1.10). Files of the old format without checksums are refused: the library
// trusts what it reads in them, and damaged ones have brought it down. A column whose name cannot
// be a link ("", ".", with a slash) is called column_7 there and keeps its name in an attribute.
#include "results/writer.h"

#include "base/files.h"
#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_ROWS = 16384, LONGEST_TEXT = 60000, DEFLATE_LEVEL = 3 };

// The library prints its errors unless told otherwise; the report says what matters. At the end of
// the process it would print as well, about leftovers of damaged files that it refused.
typedef struct {
    H5E_auto2_t print;
    void *context;
} Quiet;

static Quiet quiet_start(void) {
    Quiet q = {0};
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &q.print, &q.context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

static void quiet_end(Quiet q) { H5Eset_auto2(H5E_DEFAULT, q.print, q.context); }

// --- writing ------------------------------------------------------------------------------------

static hid_t text_type(size_t length) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static bool write_attribute(hid_t object, const char *key, hid_t type, const void *value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, key, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

// An attribute has room for 64 kB; longer texts are cut at a whole character.
static bool write_text(hid_t object, const char *key, const char *value) {
    if (!value || !*value) return true;
    size_t length = strlen(value);
    if (length > LONGEST_TEXT)
        for (length = LONGEST_TEXT; ((unsigned char)value[length] & 0xc0) == 0x80;) length--;
    hid_t type = text_type(length);
    bool good = write_attribute(object, key, type, value);
    H5Tclose(type);
    return good;
}

typedef struct {
    ResultWriter base;
    hid_t file, group, layout;
    hid_t *data; // per column
    int columns;
} Hdf5Writer;

static bool write_about(hid_t file, const Results *r) {
    int complete = 0;
    return write_text(file, "model", r->model) && write_text(file, "experiment", r->experiment) &&
           write_text(file, "solver", r->solver) && write_text(file, "source", r->source) &&
           write_text(file, "generator", "Bondyn " BONDYN_VERSION) &&
           write_attribute(file, "complete", H5T_NATIVE_INT, &complete);
}

// Blocks are chunks: nothing is read back when the next one comes.
static hid_t column_layout(int block) {
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk = block < 1 ? 1 : block < CHUNK_ROWS ? (hsize_t)block : CHUNK_ROWS;
    H5Pset_chunk(layout, 1, &chunk);
    H5Pset_shuffle(layout);
    H5Pset_deflate(layout, DEFLATE_LEVEL);
    H5Pset_fletcher32(layout);
    return layout;
}

static bool open_column(Hdf5Writer *w, const Results *r, int c, hid_t space, hid_t access) {
    const Column *column = &r->column[c];
    char number[32];
    bool odd = !*column->name || strchr(column->name, '/') || strcmp(column->name, ".") == 0;
    snprintf(number, sizeof number, "column_%d", c);
    hid_t data = w->data[c] = H5Dcreate2(w->group, odd ? number : column->name, H5T_IEEE_F64LE,
                                         space, H5P_DEFAULT, w->layout, access);
    return data >= 0 && write_text(data, "unit", column->unit) &&
           write_text(data, "description", column->text) &&
           (!odd || write_text(data, "name", column->name));
}

static bool open_columns(Hdf5Writer *w, const Results *r) {
    hsize_t rows = 0, endless = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &rows, &endless), access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 0, 0, 1); // whole chunks need none
    w->layout = column_layout(r->row_count);
    w->data = ARENA_ARRAY(&w->base.arena, hid_t, r->column_count);
    bool good = true;
    for (int c = 0; c < r->column_count; c++) w->data[c] = -1;
    for (int c = 0; c < r->column_count && good; c++) good = open_column(w, r, c, space, access);
    H5Pclose(access);
    H5Sclose(space);
    return good;
}

static bool begin(ResultWriter *base, const Results *r) {
    Hdf5Writer *w = (Hdf5Writer *)base;
    Quiet quiet = quiet_start();
    hid_t ordered = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(ordered, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    w->group = H5Gcreate2(w->file, "results", H5P_DEFAULT, ordered, H5P_DEFAULT);
    H5Pclose(ordered);
    w->columns = r->column_count;
    bool good = w->group >= 0 && write_about(w->file, r) && open_columns(w, r);
    quiet_end(quiet);
    return good;
}

static bool add_to_column(hid_t data, const double *value, hsize_t before, hsize_t rows) {
    hsize_t size = before + rows;
    if (H5Dset_extent(data, &size) < 0) return false;
    hid_t place = H5Dget_space(data), block = H5Screate_simple(1, &rows, NULL);
    bool good = H5Sselect_hyperslab(place, H5S_SELECT_SET, &before, NULL, &rows, NULL) >= 0 &&
                H5Dwrite(data, H5T_NATIVE_DOUBLE, block, place, H5P_DEFAULT, value) >= 0;
    H5Sclose(block);
    H5Sclose(place);
    return good;
}

static bool add_rows(ResultWriter *base, const Results *r) {
    Hdf5Writer *w = (Hdf5Writer *)base;
    Quiet quiet = quiet_start();
    bool good = true;
    for (int c = 0; c < r->column_count && good; c++)
        good = add_to_column(w->data[c], r->column[c].value, (hsize_t)base->rows,
                             (hsize_t)r->row_count);
    quiet_end(quiet);
    return good;
}

static bool mark_complete(hid_t file) {
    int complete = 1;
    hid_t attribute = H5Aopen(file, "complete", H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT, &complete) >= 0;
    return attribute >= 0 && H5Aclose(attribute) >= 0 && good;
}

static bool finish(ResultWriter *base, bool complete) {
    Hdf5Writer *w = (Hdf5Writer *)base;
    Quiet quiet = quiet_start();
    bool good = true;
    for (int c = 0; w->data && c < w->columns; c++)
        if (w->data[c] >= 0 && H5Dclose(w->data[c]) < 0) good = false;
    if (w->layout > 0) H5Pclose(w->layout);
    if (w->group > 0) H5Gclose(w->group);
    if (complete && good) good = mark_complete(w->file);
    if (H5Fclose(w->file) < 0) good = false;
    quiet_end(quiet);
    return good;
}

static bool cannot_write(const char *path, Report *report) {
    Remark *m = report_error(report, R_HDF5, POS_NONE, "cannot write '%s' as HDF5", path);
    remark_help(report, m,
                "choose a folder that exists, has space and that you may write to; two columns "
                "of one name do not fit in a file");
    return false;
}

static bool salvage(ResultWriter *base, Report *report) { return cannot_write(base->path, report); }

// Creates the file. A part file must not exist yet, so that no link is followed; a device does
// exist.
static hid_t create_file(const char *path, bool apart) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    hid_t file = H5Fcreate(path, apart ? H5F_ACC_EXCL : H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

static const WriterKind writes = {begin, add_rows, finish, salvage};

ResultWriter *hdf5_open(const char *path, Report *report) {
    Arena arena = {0};
    Hdf5Writer *w = ARENA_NEW(&arena, Hdf5Writer);
    w->base = writer_at(&arena, path, &writes);
    Quiet quiet = quiet_start();
    w->file = create_file(w->base.beside, strcmp(w->base.beside, path) != 0);
    quiet_end(quiet);
    w->base.arena = arena;
    if (w->file >= 0) return &w->base;
    cannot_write(path, report);
    arena_free(&arena);
    return NULL;
}

// --- reading ------------------------------------------------------------------------------------

static const char *read_text(Arena *out, hid_t object, const char *key) {
    if (H5Aexists(object, key) <= 0) return "";
    hid_t attribute = H5Aopen(object, key, H5P_DEFAULT), type = H5Aget_type(attribute);
    char *text = "";
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
        hid_t space = H5Aget_space(attribute);
        size_t length = H5Tget_size(type);
        if (H5Sget_simple_extent_npoints(space) == 1 && length <= LONGEST_TEXT) {
            text = ARENA_ARRAY(out, char, length + 1);
            if (H5Aread(attribute, type, text) < 0) text[0] = 0;
        }
        H5Sclose(space);
    }
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

static bool read_complete(hid_t file) {
    int complete = 1;
    if (H5Aexists(file, "complete") <= 0) return true;
    hid_t attribute = H5Aopen(file, "complete", H5P_DEFAULT), type = H5Aget_type(attribute);
    hid_t space = H5Aget_space(attribute);
    if (H5Tget_class(type) == H5T_INTEGER && H5Sget_simple_extent_npoints(space) == 1)
        H5Aread(attribute, H5T_NATIVE_INT, &complete);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return complete != 0;
}

static bool refuse(Report *report, const char *path, const char *why, const char *column) {
    Remark *m = report_error(report, R_HDF5, POS_NONE, "'%s' holds no results: %s%s%s%s", path, why,
                             *column ? " '" : "", column, *column ? "'" : "");
    remark_help(report, m, "results are columns of numbers of one length in the group /results");
    return false;
}

// Rows of a dataset that is a column of numbers, or -1. A file cannot claim more rows than its
// bytes can hold: deflate packs a thousand to one at best.
static int column_rows(hid_t data) {
    hid_t space = H5Dget_space(data), type = H5Dget_type(data);
    H5T_class_t kind = H5Tget_class(type);
    hssize_t rows = -1;
    if (H5Sget_simple_extent_ndims(space) == 1 && (kind == H5T_FLOAT || kind == H5T_INTEGER))
        rows = H5Sget_simple_extent_npoints(space);
    double most = 2000.0 * (double)H5Dget_storage_size(data) / sizeof(double);
    H5Sclose(space);
    H5Tclose(type);
    return rows > INT_MAX / 2 || (double)rows > most ? -1 : (int)rows;
}

static bool read_column(Results *r, Column *column, hid_t data, const char *link) {
    int rows = column_rows(data);
    if (rows < 0 || (r->column_count > 0 && rows != r->row_count)) return false;
    const char *name = read_text(&r->arena, data, "name");
    *column = (Column){.name = *name ? name : link,
                       .unit = read_text(&r->arena, data, "unit"),
                       .text = read_text(&r->arena, data, "description"),
                       .value = ARENA_ARRAY(&r->arena, double, rows)};
    r->row_count = r->row_capacity = rows;
    r->column_count++;
    return rows == 0 ||
           H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column->value) >= 0;
}

static const char *link_name(Arena *out, hid_t group, H5_index_t order, hsize_t i) {
    ssize_t length = H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
    if (length < 0) return NULL;
    char *name = ARENA_ARRAY(out, char, length + 1);
    H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, i, name, (size_t)length + 1, H5P_DEFAULT);
    return name;
}

static bool read_columns(Results *r, hid_t group, const char *path, Report *report) {
    H5G_info_t about;
    if (H5Gget_info(group, &about) < 0 || about.nlinks == 0 || about.nlinks > INT_MAX / 2)
        return refuse(report, path, "no columns", "");
    hid_t made = H5Gget_create_plist(group);
    unsigned tracked = 0;
    H5Pget_link_creation_order(made, &tracked);
    H5Pclose(made);
    H5_index_t order = tracked & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    r->column = ARENA_ARRAY(&r->arena, Column, about.nlinks);
    for (hsize_t i = 0; i < about.nlinks; i++) {
        const char *link = link_name(&r->arena, group, order, i);
        hid_t data = link ? H5Dopen2(group, link, H5P_DEFAULT) : -1;
        bool good = data >= 0 && read_column(r, &r->column[i], data, link);
        if (data >= 0) H5Dclose(data);
        if (!good) return refuse(report, path, "not a column of numbers:", link ? link : "?");
    }
    return true;
}

// Files of other writers may list time anywhere; here it is the first column.
static bool put_time_first(Results *r, const char *path, Report *report) {
    int at = results_column(r, "time");
    if (at > 0) {
        Column time = r->column[at];
        memmove(r->column + 1, r->column, (size_t)at * sizeof *r->column);
        r->column[0] = time;
    }
    return results_time_rises(r, path, report);
}

static bool read_file(Results *r, hid_t file, const char *path, Report *report) {
    r->model = read_text(&r->arena, file, "model");
    r->experiment = read_text(&r->arena, file, "experiment");
    r->solver = read_text(&r->arena, file, "solver");
    r->source = read_text(&r->arena, file, "source");
    r->complete = read_complete(file);
    hid_t group = H5Gopen2(file, "results", H5P_DEFAULT);
    if (group < 0) return refuse(report, path, "no group /results", "");
    bool good = read_columns(r, group, path, report);
    H5Gclose(group);
    return good && put_time_first(r, path, report);
}

// The first bytes: a signature, then the version of the format; from 2 on there are checksums.
static bool has_checksums(const char *path, Report *report) {
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[9] = {0};
    int file = file_open(path);
    if (file < 0) {
        report_error(report, T_CANNOT_READ, POS_NONE, "cannot read '%s': %s", path,
                     file_problem(errno));
        return false;
    }
    ssize_t length = read(file, head, sizeof head);
    close(file);
    if (length < (ssize_t)sizeof head || memcmp(head, signature, sizeof signature) != 0)
        return refuse(report, path, "not an HDF5 file", "");
    if (head[8] >= 2) return true;
    Remark *m = report_error(report, R_HDF5, POS_NONE,
                             "'%s' is in the old format of HDF5, without checksums", path);
    remark_help(report, m,
                "write it again in the format of HDF5 1.10; in Python: "
                "h5py.File(name, 'w', libver='latest')");
    return false;
}

Results *results_read_hdf5(const char *path, Report *report) {
    if (!has_checksums(path, report)) return NULL;
    Quiet quiet = quiet_start();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    Results *r = NULL;
    if (file < 0) {
        refuse(report, path, "the file is damaged", "");
    } else {
        r = results_new();
        if (!read_file(r, file, path, report)) results_free(r), r = NULL;
        H5Fclose(file);
    }
    quiet_end(quiet);
    return r;
}
